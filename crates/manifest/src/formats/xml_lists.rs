//! XML lists that only need the places of their values: metadata of RPM repositories, PREMIS, METS,
//! XFDU (`manifest.safe`), Gradle's verification metadata and data files of ROM collections.

mod fields;

use super::xml;
use crate::format::{Claim, Format, Head, Holds, Options, Parts, Reading};
use crate::line::LineError;
use fields::{Algorithm, Names, Shape};

/// The properties that all of these formats share.
const LIST: Format = Format { holds: Holds { size: true, ..Holds::DIGESTS }, ..Format::DEFAULT };

const fn reading(parse: fn(Vec<u8>, &Options) -> Result<Parts, LineError>) -> Reading {
    Reading::document(xml::LIMIT, parse)
}

fn sniff(head: &Head<'_>, root: &str) -> Option<Claim> {
    xml::sniff(head, root, |_| true)
}

pub(crate) static REPOMD: Format = Format {
    name: "repomd",
    file_names: &["repomd.xml"],
    summary: "repomd.xml of RPM repositories; names are relative to the folder that contains repodata",
    sniff: |head| sniff(head, "repomd"),
    reading: reading(|text, options| fields::parse(&text, &RPM_METADATA, options)),
    ..LIST
};

static RPM_METADATA: Shape = Shape {
    entry: "data",
    except: ("", &[]),
    names: &["location@href"],
    names_are: Names::Plain,
    sizes: &["size"],
    digests: &[("checksum", Algorithm::At("checksum@type"))],
    aside: &["open-checksum", "header-checksum"],
};

pub(crate) static RPM_PRIMARY: Format = Format {
    name: "rpm-primary",
    file_names: &["primary.xml"],
    summary: "primary.xml of RPM repositories: digests of the packages; names are relative to the repository",
    sniff: |head| xml::sniff(head, "metadata", |tag| xml::holds(tag, "linux.duke.edu/metadata/common")),
    reading: reading(|text, options| fields::parse(&text, &RPM_PACKAGES, options)),
    ..LIST
};

static RPM_PACKAGES: Shape =
    Shape { entry: "package", sizes: &["size@package"], aside: &["format"], ..RPM_METADATA };

pub(crate) static PREMIS: Format = Format {
    name: "premis",
    file_names: &[],
    summary: "PREMIS preservation metadata: objects of type file, with their digests",
    sniff: |head| sniff(head, "premis"),
    reading: reading(|text, options| fields::parse(&text, &PREMIS_OBJECTS, options)),
    ..LIST
};

static PREMIS_OBJECTS: Shape = Shape {
    entry: "object",
    except: ("@type", &["representation", "bitstream", "intellectualEntity"]),
    names: &["originalName", "storage/contentLocation/contentLocationValue"],
    names_are: Names::Locations,
    sizes: &["objectCharacteristics/size"],
    digests: &[(
        "objectCharacteristics/fixity/messageDigest",
        Algorithm::At("objectCharacteristics/fixity/messageDigestAlgorithm"),
    )],
    aside: &["event", "agent", "rights", "objectCharacteristicsExtension"],
};

pub(crate) static METS: Format = Format {
    name: "mets",
    file_names: &[],
    summary: "METS: files with CHECKSUM and CHECKSUMTYPE, located by FLocat",
    sniff: |head| sniff(head, "mets"),
    reading: reading(|text, options| fields::parse(&text, &METS_FILES, options)),
    ..LIST
};

static METS_FILES: Shape = Shape {
    entry: "file",
    except: ("", &[]),
    names: &["FLocat@href"],
    names_are: Names::Urls,
    sizes: &["@SIZE"],
    digests: &[("@CHECKSUM", Algorithm::At("@CHECKSUMTYPE"))],
    aside: &["amdSec", "dmdSec", "metsHdr", "FContent"],
};

pub(crate) static XFDU: Format = Format {
    name: "xfdu",
    file_names: &["manifest.safe"],
    summary: "XFDU manifests such as manifest.safe of Sentinel products",
    sniff: |head| sniff(head, "XFDU"),
    reading: reading(|text, options| fields::parse(&text, &XFDU_OBJECTS, options)),
    ..LIST
};

static XFDU_OBJECTS: Shape = Shape {
    entry: "dataObject",
    except: ("", &[]),
    names: &["byteStream/fileLocation@href"],
    names_are: Names::Urls,
    sizes: &["byteStream@size"],
    digests: &[("byteStream/checksum", Algorithm::At("byteStream/checksum@checksumName"))],
    aside: &["metadataSection"],
};

pub(crate) static GRADLE: Format = Format {
    name: "gradle",
    file_names: &["verification-metadata.xml"],
    summary: "verification-metadata.xml of Gradle: digests of artifacts",
    sniff: |head| sniff(head, "verification-metadata"),
    reading: reading(|text, options| fields::parse(&text, &GRADLE_ARTIFACTS, options)),
    ..LIST
};

static GRADLE_ARTIFACTS: Shape = Shape {
    entry: "artifact",
    except: ("", &[]),
    names: &["@name"],
    names_are: Names::Plain,
    sizes: &[],
    digests: &[
        ("md5@value", Algorithm::Is("md5")),
        ("sha1@value", Algorithm::Is("sha1")),
        ("sha256@value", Algorithm::Is("sha256")),
        ("sha512@value", Algorithm::Is("sha512")),
    ],
    // Other digests of the artifact that are also accepted, and keys.
    aside: &["also-trust", "pgp", "trusted-keys", "ignored-keys", "configuration"],
};

pub(crate) static LOGIQX: Format = Format {
    name: "logiqx",
    file_names: &[".dat"],
    summary: "Logiqx data files of ROM collections (No-Intro, Redump, TOSEC)",
    sniff: |head| sniff(head, "datafile"),
    reading: reading(|text, options| fields::parse(&text, &LOGIQX_ROMS, options)),
    ..LIST
};

static LOGIQX_ROMS: Shape = Shape {
    entry: "rom",
    except: ("", &[]),
    names: &["@name"],
    names_are: Names::Plain,
    sizes: &["@size"],
    digests: &[
        ("@crc", Algorithm::Is("crc32")),
        ("@md5", Algorithm::Is("md5")),
        ("@sha1", Algorithm::Is("sha1")),
        ("@sha256", Algorithm::Is("sha256")),
    ],
    aside: &["header"],
};
