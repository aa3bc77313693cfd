//! XML lists that only need the places of their values: metadata of RPM repositories, PREMIS, METS,
//! XFDU (`manifest.safe`), Gradle's verification metadata, objects of PowerShell and data files of ROM collections.

use super::xml::{self, Algorithm, LIST, Names, Shape};
use crate::formats::prelude::*;

/// The properties that all of these formats share.
const ROW: Format =
    Format { capabilities: Capabilities { size: true, ..Capabilities::DIGESTS }, ..Format::DEFAULT };

const fn reading(parse: fn(Vec<u8>, &Options) -> Result<Parts, LineError>) -> Reading {
    Reading::document(xml::LIMIT, parse)
}

/// The values that most of these shapes share.
const WITH_TYPE: Shape = Shape { has_type: true, ..LIST };

fn sniff(head: &Head<'_>, root: &str) -> Option<Claim> {
    xml::sniff(head, root, |_| true)
}

pub(crate) static REPOMD: Format = Format {
    name: "repomd",
    file_names: &["repomd.xml"],
    summary: "repomd.xml of RPM repositories; names are relative to the folder that contains repodata",
    sniff: |head| sniff(head, "repomd"),
    reading: reading(|text, options| xml::parse(&text, &RPM_METADATA, options)),
    ..ROW
};

static RPM_METADATA: Shape = Shape {
    entry: "data",
    names: &["location@href"],
    digests: &[("checksum", Algorithm::At("checksum@type"))],
    aside: &["open-checksum", "header-checksum"],
    ..WITH_TYPE
};

pub(crate) static RPM_PRIMARY: Format = Format {
    name: "rpm-primary",
    file_names: &["primary.xml"],
    summary: "primary.xml of RPM repositories: digests of the packages; names are relative to the repository",
    sniff: |head| xml::sniff(head, "metadata", |tag| scan::contains(tag, b"linux.duke.edu/metadata/common")),
    reading: reading(|text, options| xml::parse(&text, &RPM_PACKAGES, options)),
    ..ROW
};

static RPM_PACKAGES: Shape =
    Shape { entry: "package", sizes: &["size@package"], aside: &["format"], ..RPM_METADATA };

pub(crate) static PREMIS: Format = Format {
    name: "premis",
    summary: "PREMIS preservation metadata: objects of type file, with their digests",
    sniff: |head| sniff(head, "premis"),
    reading: reading(|text, options| xml::parse(&text, &PREMIS_OBJECTS, options)),
    capabilities: Capabilities { file_urls: true, ..ROW.capabilities },
    ..ROW
};

static PREMIS_OBJECTS: Shape = Shape {
    entry: "object",
    except: &[("@type", &["representation", "bitstream", "intellectualEntity"])],
    names: &["originalName", "storage/contentLocation/contentLocationValue"],
    names_are: Names::Locations("storage/contentLocation/contentLocationType"),
    sizes: &["objectCharacteristics/size"],
    digests: &[(
        "objectCharacteristics/fixity/messageDigest",
        Algorithm::At("objectCharacteristics/fixity/messageDigestAlgorithm"),
    )],
    aside: &["event", "agent", "rights", "objectCharacteristicsExtension"],
    ..WITH_TYPE
};

pub(crate) static METS: Format = Format {
    name: "mets",
    summary: "METS: files located by FLocat, with CHECKSUM or with PREMIS fixity that ADMID refers to",
    sniff: |head| sniff(head, "mets"),
    reading: reading(|text, options| xml::parse(&text, &METS_FILES, options)),
    capabilities: Capabilities { file_urls: true, ..ROW.capabilities },
    ..ROW
};

static METS_FILES: Shape = Shape {
    names: &["FLocat@href"],
    names_are: Names::Urls,
    sizes: &["@SIZE"],
    digests: &[("@CHECKSUM", Algorithm::At("@CHECKSUMTYPE"))],
    links: "@ADMID",
    aside: &["amdSec", "dmdSec", "metsHdr", "FContent"],
    ..WITH_TYPE
};

pub(crate) static XFDU: Format = Format {
    name: "xfdu",
    file_names: &["manifest.safe"],
    summary: "XFDU manifests such as manifest.safe of Sentinel products",
    sniff: |head| sniff(head, "XFDU"),
    reading: reading(|text, options| xml::parse(&text, &XFDU_OBJECTS, options)),
    capabilities: Capabilities { file_urls: true, ..ROW.capabilities },
    ..ROW
};

static XFDU_OBJECTS: Shape = Shape {
    entry: "dataObject",
    names: &["byteStream/fileLocation@href"],
    names_are: Names::Urls,
    sizes: &["byteStream@size"],
    digests: &[("byteStream/checksum", Algorithm::At("byteStream/checksum@checksumName"))],
    aside: &["metadataSection"],
    ..WITH_TYPE
};

pub(crate) static GRADLE: Format = Format {
    name: "gradle",
    file_names: &["verification-metadata.xml"],
    summary: "Gradle's verification-metadata.xml: digests of artifacts",
    sniff: |head| sniff(head, "verification-metadata"),
    reading: reading(|text, options| xml::parse(&text, &GRADLE_ARTIFACTS, options)),
    ..ROW
};

static GRADLE_ARTIFACTS: Shape = Shape {
    entry: "artifact",
    sizes: &[],
    digests: &[
        ("md5@value", Algorithm::Is("md5")),
        ("sha1@value", Algorithm::Is("sha1")),
        ("sha256@value", Algorithm::Is("sha256")),
        ("sha512@value", Algorithm::Is("sha512")),
        ("md5/also-trust@value", Algorithm::Alternative("md5")),
        ("sha1/also-trust@value", Algorithm::Alternative("sha1")),
        ("sha256/also-trust@value", Algorithm::Alternative("sha256")),
        ("sha512/also-trust@value", Algorithm::Alternative("sha512")),
    ],
    aside: &["pgp", "trusted-keys", "ignored-keys", "configuration"],
    requires_values: true,
    ..WITH_TYPE
};

pub(crate) static LOGIQX: Format = Format {
    name: "logiqx",
    file_names: &[".dat"],
    summary: "Logiqx data files of ROM collections (No-Intro, Redump, TOSEC)",
    sniff: |head| sniff(head, "datafile"),
    reading: reading(|text, options| xml::parse(&text, &LOGIQX_ROMS, options)),
    ..ROW
};

static LOGIQX_ROMS: Shape = Shape {
    entry: "rom",
    sizes: &["@size"],
    digests: &[
        ("@crc", Algorithm::Is("crc32")),
        ("@md5", Algorithm::Is("md5")),
        ("@sha1", Algorithm::Is("sha1")),
        ("@sha256", Algorithm::Is("sha256")),
    ],
    except: &[("@status", &["nodump"])],
    // The digest of a disk image covers its uncompressed data.
    aside: &["header", "disk"],
    ..WITH_TYPE
};

pub(crate) static CYCLONEDX: Format = Format {
    name: "cyclonedx",
    summary: "CycloneDX bills of materials in XML: digests of components",
    sniff: |head| xml::sniff(head, "bom", |tag| scan::contains(tag, b"cyclonedx.org/schema/bom")),
    reading: reading(|text, options| xml::parse(&text, &COMPONENTS, options)),
    ..Format::DEFAULT
};

static COMPONENTS: Shape = Shape {
    entry: "component",
    names: &["name"],
    sizes: &[],
    digests: &[("hashes/hash", Algorithm::At("hashes/hash@alg"))],
    is_nested: true,
    // Digests of documents, and of what the component was made from.
    aside: &["metadata", "externalReferences", "pedigree", "evidence", "services", "licenses", "signature"],
    ..WITH_TYPE
};

pub(crate) static AZURE: Format = Format {
    name: "azure-blobs",
    summary: "XML output of Azure's List Blobs: names, sizes and MD5 digests of blobs",
    sniff: |head| sniff(head, "EnumerationResults"),
    reading: reading(|text, options| xml::parse(&text, &BLOBS, options)),
    ..ROW
};

static BLOBS: Shape = Shape {
    entry: "Blob",
    names: &["Name"],
    sizes: &["Properties/Content-Length"],
    digests: &[("Properties/Content-MD5", Algorithm::Is("md5"))],
    ..LIST
};

pub(crate) static CLIXML: Format = Format {
    name: "clixml",
    summary: "PowerShell's Export-Clixml of Get-FileHash: absolute paths, digests",
    sniff: |head| {
        let is_digests = scan::contains(head.text, b"N=\"Hash\"");
        xml::sniff(head, "Objs", |tag| is_digests && scan::contains(tag, b"schemas.microsoft.com/powershell"))
    },
    reading: reading(|text, options| xml::parse(&text, &FILE_HASHES, options)),
    ..ROW
};

/// `Select-Object` and Windows PowerShell write properties as members of `MS`, newer versions as those of `Props`.
static FILE_HASHES: Shape = Shape {
    entry: "Obj",
    key: "N",
    names: &["Props/Path", "MS/Path"],
    names_are: Names::PowerShell,
    sizes: &["Props/Length", "MS/Length"],
    digests: &[("Props/Hash", Algorithm::At("Props/Algorithm")), ("MS/Hash", Algorithm::At("MS/Algorithm"))],
    ..LIST
};

pub(crate) static FCIV: Format = Format {
    name: "fciv",
    summary: "XML output of Microsoft's fciv: names, and MD5 and SHA-1 digests in base64",
    sniff: |head| sniff(head, "FCIV"),
    reading: reading(|text, options| xml::parse(&text, &FCIV_ENTRIES, options)),
    ..Format::DEFAULT
};

static FCIV_ENTRIES: Shape = Shape {
    entry: "FILE_ENTRY",
    names: &["name"],
    digests: &[("MD5", Algorithm::Is("md5")), ("SHA1", Algorithm::Is("sha1"))],
    ..LIST
};

pub(crate) static INTERNET_ARCHIVE: Format = Format {
    name: "internet-archive",
    file_names: &["_files.xml"],
    summary: "Internet Archive XML: names, sizes, MD5, SHA-1 and CRC-32 of an item's files",
    sniff: |head| sniff(head, "files"),
    reading: reading(|text, options| xml::parse(&text, &ITEM_FILES, options)),
    ..ROW
};

static ITEM_FILES: Shape = Shape {
    // The list has an entry for itself, whose digest cannot be correct.
    skip_itself: true,
    digests: &[
        ("md5", Algorithm::Is("md5")),
        ("crc32", Algorithm::Is("crc32")),
        ("sha1", Algorithm::Is("sha1")),
    ],
    ..LIST
};
