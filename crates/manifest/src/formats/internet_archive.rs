//! `ITEM_files.xml` of the Internet Archive: the files of an item with their sizes and digests.
//!
//! The list also has an entry for itself, whose digest cannot be correct. That entry is ignored.

use super::xml::{self, Dialect, DigestEncoding, Digests, Pieces, Source};
use crate::format::{Format, Holds, Reading};

pub(crate) static INTERNET_ARCHIVE: Format = Format {
    name: "internet-archive",
    file_names: &["_files.xml"],
    summary: "Internet Archive XML: names, sizes, MD5, SHA-1 and CRC-32 of an item's files",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| xml::sniff(head, "files", |_| true),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &DIALECT, options)),
    ..Format::DEFAULT
};

static DIALECT: Dialect = Dialect {
    entry: "file",
    name: Source::Attribute("name"),
    size: Source::Child("size"),
    within: None,
    digests: Digests::Named(&[
        ("md5", "md5", DigestEncoding::Plainly),
        ("crc32", "crc32", DigestEncoding::Plainly),
        ("sha1", "sha1", DigestEncoding::Plainly),
    ]),
    pieces: Pieces::No,
    skip_itself: true,
};
