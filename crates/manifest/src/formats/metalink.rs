//! Metalink 4 (RFC 5854) and 3: the files of a download, with digests of complete files and of
//! pieces.
//!
//! Only the direct children of a `file` element describe the file. The digests in `pieces` show
//! where it is damaged.

use super::xml::{self, Algorithm, LIST, Pieces, Shape};
use crate::formats::prelude::*;

pub(crate) static METALINK4: Format = Format {
    name: "metalink4",
    file_names: &[".meta4"],
    summary: "Metalink 4 (RFC 5854): names, sizes and digests of downloads (XML)",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "sha512", "sha1", "md5", "sha384", "sha224"]),
        names: Names::Components,
        size: true,
        locates: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| xml::sniff(head, "metalink", |tag| scan::contains(tag, NAMESPACE.as_bytes())),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &FOUR, options)),
    writing: Writing::Manifest(|heading| Box::new(Files { style: heading.style })),
    ..Format::DEFAULT
};

pub(crate) static METALINK3: Format = Format {
    name: "metalink3",
    file_names: &[".metalink"],
    summary: "Metalink 3: names, sizes and digests of downloads (XML)",
    sniff: |head| xml::sniff(head, "metalink", |tag| !scan::contains(tag, NAMESPACE.as_bytes())),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &THREE, options)),
    capabilities: Capabilities { size: true, locates: true, ..Capabilities::DIGESTS },
    ..Format::DEFAULT
};

const NAMESPACE: &str = "urn:ietf:params:xml:ns:metalink";

static FOUR: Shape = Shape {
    digests: &[("hash", Algorithm::At("hash@type"))],
    pieces: Pieces::Rows,
    // Fedora lists earlier versions of the file as well.
    aside: &["pieces", "alternates"],
    ..LIST
};

static THREE: Shape =
    Shape { digests: &[("verification/hash", Algorithm::At("verification/hash@type"))], ..FOUR };

struct Files {
    style: Style,
}

impl Compose for Files {
    fn begin(&mut self, text: &mut Vec<u8>) {
        let head = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink xmlns=\"{NAMESPACE}\">\n");
        text.extend_from_slice(head.as_bytes());
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"  <file name=\"");
        xml::escaped(&entry.path, text)?;
        text.extend_from_slice(b"\">\n");
        if let Some(size) = entry.size {
            text.extend_from_slice(format!("    <size>{size}</size>\n").as_bytes());
        }
        for (spec, digest) in &entry.digests {
            // The names in IANA's registry.
            let iana = spec.to_string().replace("sha", "sha-");
            let digest = self.style.spelling.of(digest);
            text.extend_from_slice(format!("    <hash type=\"{iana}\">{digest}</hash>\n").as_bytes());
        }
        text.extend_from_slice(b"  </file>\n");
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"</metalink>\n");
        Ok(())
    }
}
