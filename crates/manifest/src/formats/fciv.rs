//! The database of Microsoft's File Checksum Integrity Verifier: XML with digests in base64.

use super::xml::{self, Dialect, DigestEncoding, Digests, Pieces, Source};
use crate::format::{Format, Reading};

pub(crate) static FCIV: Format = Format {
    name: "fciv",
    summary: "XML of Microsoft's fciv: names, MD5 and SHA-1 in base64",
    sniff: |head| xml::sniff(head, "FCIV", |_| true),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &DIALECT, options)),
    ..Format::DEFAULT
};

static DIALECT: Dialect = Dialect {
    entry: "FILE_ENTRY",
    name: Source::Child("name"),
    size: Source::Child("size"),
    within: None,
    digests: Digests::Named(&[
        ("MD5", "md5", DigestEncoding::Plainly),
        ("SHA1", "sha1", DigestEncoding::Plainly),
    ]),
    pieces: Pieces::No,
    skip_itself: false,
};
