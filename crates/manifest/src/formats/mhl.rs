//! Media hash lists: MHL 1.1 of camera departments, and ASC-MHL 2.0, whose lists lie in a folder `ascmhl` beside the files.
//!
//! Names of an ASC list are relative to the folder above it. Digests of folders are of lists and are passed over; so is the chain.

use super::xml::{self, Dialect, Digests, Pieces, Source, Spelled};
use crate::format::{Format, Holds, Reading, Writing};

pub(crate) static MHL: Format = Format {
    name: "mhl",
    file_names: &[],
    summary: "Media Hash List 1.1: names, sizes and digests of camera files in XML",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| xml::sniff(head, "hashlist", |tag| !xml::holds(tag, ASC)),
    reading: Reading::Document { limit: xml::LIMIT, parse: |text, options| xml::parse(&text, &ONE, options) },
    writing: Writing::No,
    tagged: None,
};

pub(crate) static ASCMHL: Format = Format {
    name: "ascmhl",
    file_names: &[],
    summary: "ASC Media Hash List 2.0: names, sizes and digests of camera files in XML",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| xml::sniff(head, "hashlist", |tag| xml::holds(tag, ASC)),
    reading: Reading::Document { limit: xml::LIMIT, parse: |text, options| xml::parse(&text, &TWO, options) },
    writing: Writing::No,
    tagged: None,
};

const ASC: &str = "urn:ASC:MHL";

static ONE: Dialect = Dialect {
    entry: "hash",
    name: Source::Child("file"),
    size: Source::Child("size"),
    within: None,
    digests: Digests::Named(&[
        ("md5", "md5", Spelled::Plainly),
        ("sha1", "sha1", Spelled::Plainly),
        ("xxhash", "xxh32", Spelled::Decimal),
        ("xxhash64", "xxh64", Spelled::Reversed),
        ("xxhash64be", "xxh64", Spelled::Plainly),
    ]),
    pieces: Pieces::No,
    skip_itself: false,
};

static TWO: Dialect = Dialect {
    entry: "hash",
    name: Source::Child("path"),
    size: Source::ChildAttribute("path", "size"),
    within: None,
    digests: Digests::Named(&[
        ("md5", "md5", Spelled::Plainly),
        ("sha1", "sha1", Spelled::Plainly),
        ("xxh64", "xxh64", Spelled::Plainly),
        ("xxh3", "xxh3", Spelled::Plainly),
        ("xxh128", "xxh128", Spelled::Plainly),
        ("c4", "c4", Spelled::Plainly),
    ]),
    pieces: Pieces::No,
    skip_itself: false,
};
