//! What people hand over instead of a manifest: web pages, images, archives. They are named, and never read.

use super::xml;
use crate::format::{Claim, Format, Head, Holds, Reading, Sign, Writing};

pub(crate) static WEB_PAGE: Format = Format {
    name: "web-page",
    file_names: &[],
    summary: "a web page instead of a manifest: named, never read",
    holds: Holds::DIGESTS,
    sniff: |head: &Head<'_>| {
        let (root, tag) = xml::root(head)?;
        let page = [&b"html"[..], b"head", b"body", b"table", b"pre"]
            .iter()
            .any(|name| root.eq_ignore_ascii_case(name));
        (page && tag.len() < 4096).then_some(MARK)
    },
    reading: Reading::Not(|_| {
        "this is a web page, not a manifest; download the file of checksums itself (its raw form), or compare a file with one digest that it shows (--expect DIGEST)".to_owned()
    }),
    writing: Writing::No,
    tagged: None,
};

pub(crate) static IMAGE: Format = Format {
    name: "image",
    file_names: &[],
    summary: "an image or a document for printing instead of a manifest: named, never read",
    holds: Holds::DIGESTS,
    sniff: |head| begins(head, IMAGES),
    reading: Reading::Not(|_| "this is an image or a document for printing, not a manifest".to_owned()),
    writing: Writing::No,
    tagged: None,
};

pub(crate) static PACKED: Format = Format {
    name: "packed",
    file_names: &[".xz", ".zst", ".bz2", ".lz4"],
    summary: "a compressed file or an archive that is not unpacked here: named, never read",
    holds: Holds::DIGESTS,
    sniff: |head| begins(head, PACKS),
    reading: Reading::Not(|_| {
        "this is compressed with xz, zstd, bzip2, lz4, zip or 7z, which is not unpacked here; unpack it first: \
         xz -dc, zstd -dc, bzip2 -dc or lz4 -dc FILE | truesum check -"
            .to_owned()
    }),
    writing: Writing::No,
    tagged: None,
};

const MARK: Claim = Claim { sign: Sign::Mark, at: 0 };

const IMAGES: &[&[u8]] =
    &[b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"%PDF-", b"II*\0", b"MM\0*"];

const PACKS: &[&[u8]] =
    &[b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"\x04\x22\x4d\x18", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c"];

fn begins(head: &Head<'_>, magic: &[&[u8]]) -> Option<Claim> {
    magic.iter().any(|magic| head.text.starts_with(magic)).then_some(MARK)
}
