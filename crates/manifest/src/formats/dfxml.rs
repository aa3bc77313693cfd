//! Digital Forensics XML, as written by `hashdeep -d` and `md5deep -d`: `fileobject` elements
//! with name, size and digests.
//!
//! Digests inside `byte_run` apply to a range of the file and show where it is damaged.

use super::xml::{self, Algorithm, LIST, Pieces, Shape};
use crate::entry::ObjectKind;
use crate::formats::prelude::*;

pub(crate) static DFXML: Format = Format {
    name: "dfxml",
    file_names: &[".dfxml"],
    summary: "Digital Forensics XML: names, sizes and digests, as written by hashdeep -d",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["md5", "sha1", "sha256", "tiger", "whirlpool"]),
        names: Names::Literal { forbidden: b"\n\r", not_first: b"", not_last: b"" },
        size: true,
        locates: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| xml::sniff(head, "dfxml", |_| true),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &OBJECTS, options)),
    writing: Writing::Manifest(|heading| Box::new(Objects { style: heading.style })),
    ..Format::DEFAULT
};

static OBJECTS: Shape = Shape {
    entry: "fileobject",
    // Deleted files of a disk image.
    except: &[("alloc", &["0"]), ("unalloc", &["1"])],
    kinds: ("name_type", &[("d", ObjectKind::Directory), ("l", ObjectKind::Link)]),
    names: &["filename"],
    sizes: &["filesize"],
    digests: &[("hashdigest", Algorithm::At("hashdigest@type"))],
    pieces: Pieces::Runs,
    aside: &["byte_runs", "byte_run", "original_fileobject", "source"],
    ..LIST
};

struct Objects {
    style: Style,
}

impl Compose for Objects {
    fn begin(&mut self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"<?xml version='1.0' encoding='UTF-8'?>\n<dfxml version='1.0'>\n");
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"<fileobject><filename>");
        xml::escaped(&entry.path, text)?;
        text.extend_from_slice(b"</filename>");
        if let Some(size) = entry.size {
            text.extend_from_slice(format!("<filesize>{size}</filesize>").as_bytes());
        }
        for (spec, digest) in &entry.digests {
            let name = spec.to_string().to_ascii_uppercase();
            let digest = self.style.spelling.of(digest);
            text.extend_from_slice(format!("<hashdigest type='{name}'>{digest}</hashdigest>").as_bytes());
        }
        text.extend_from_slice(b"</fileobject>\n");
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"</dfxml>\n");
        Ok(())
    }
}
