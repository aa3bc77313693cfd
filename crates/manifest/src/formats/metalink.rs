//! Metalink 4 (RFC 5854) and 3: the files of a download, with digests of complete files and of
//! pieces.
//!
//! Only the direct children of a `file` element describe the file. The digests in `pieces` show
//! where it is damaged.

use super::xml::{self, Dialect, Digests, Pieces, Source};
use crate::entry::Entry;
use crate::format::{Algorithms, Compose, Format, Holds, Names, Reading, Style, Unholdable, Writing};

pub(crate) static METALINK4: Format = Format {
    name: "metalink4",
    file_names: &[".meta4"],
    summary: "Metalink 4 (RFC 5854): names, sizes and digests of downloads (XML)",
    holds: Holds {
        algorithms: Algorithms::Only(&["sha256", "sha512", "sha1", "md5", "sha384", "sha224"]),
        names: Names::Components,
        size: true,
        locates: true,
        ..Holds::DIGESTS
    },
    sniff: |head| xml::sniff(head, "metalink", |tag| xml::holds(tag, NAMESPACE)),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &FOUR, options)),
    writing: Writing::Manifest(|heading| Box::new(Files { style: heading.style })),
    ..Format::DEFAULT
};

pub(crate) static METALINK3: Format = Format {
    name: "metalink3",
    file_names: &[".metalink"],
    summary: "Metalink 3: names, sizes and digests of downloads (XML)",
    sniff: |head| xml::sniff(head, "metalink", |tag| !xml::holds(tag, NAMESPACE)),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &THREE, options)),
    holds: Holds { size: true, locates: true, ..Holds::DIGESTS },
    ..Format::DEFAULT
};

const NAMESPACE: &str = "urn:ietf:params:xml:ns:metalink";

static FOUR: Dialect = FILES;

static THREE: Dialect = Dialect { within: Some("verification"), ..FILES };

/// The properties that both versions have in common.
const FILES: Dialect = Dialect {
    entry: "file",
    name: Source::Attribute("name"),
    size: Source::Child("size"),
    within: None,
    digests: Digests::Typed("hash", "type"),
    pieces: Pieces::Rows,
    skip_itself: false,
};

/// Algorithm names in IANA's registry.
const IANA: &[(&str, &str)] = &[
    ("sha256", "sha-256"),
    ("sha512", "sha-512"),
    ("sha1", "sha-1"),
    ("md5", "md5"),
    ("sha384", "sha-384"),
    ("sha224", "sha-224"),
];

struct Files {
    style: Style,
}

impl Compose for Files {
    fn begin(&mut self, text: &mut Vec<u8>) {
        let head = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink xmlns=\"{NAMESPACE}\">\n");
        text.extend_from_slice(head.as_bytes());
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        text.extend_from_slice(b"  <file name=\"");
        xml::escaped(&entry.path, text)?;
        text.extend_from_slice(b"\">\n");
        if let Some(size) = entry.size {
            text.extend_from_slice(format!("    <size>{size}</size>\n").as_bytes());
        }
        for (spec, digest) in &entry.digests {
            let name = spec.to_string();
            let iana = IANA.iter().find(|(ours, _)| *ours == name).map(|(_, iana)| *iana);
            let iana = iana.ok_or_else(|| Unholdable::Algorithm(spec.clone()))?;
            let digest = self.style.spelling.of(digest);
            text.extend_from_slice(format!("    <hash type=\"{iana}\">{digest}</hash>\n").as_bytes());
        }
        text.extend_from_slice(b"  </file>\n");
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        text.extend_from_slice(b"</metalink>\n");
        Ok(())
    }
}
