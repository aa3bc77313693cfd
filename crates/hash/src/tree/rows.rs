//! Composite digests over one base hash: rows of the table.

use crate::algorithm::{Algorithm, Close, Composite, Cut, Kind, Status, Unit};
use crate::family::{md5, sha2};
use crate::tree::composite::hasher;

/// The rows of this room.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "s3-etag",
        tag: "S3-ETAG",
        aliases: &["etag"],
        digest_len: 16,
        status: Status::Broken("MD5's collisions (Wang & Yu 2005)"),
        summary: "ETag of an S3 multipart upload: MD5 of the parts' MD5s, and their number",
        check: "5927c5d64d94a5786f90003aa26d0159-1",
        kind: Kind::Composite(Composite {
            base: (&md5::ROWS[0], 16),
            prefix: &[],
            // 5 MiB to 5 GiB in the service, any size for what imitates it.
            cut: Cut::Equal(Unit {
                key: "part",
                usual: 8 << 20,
                smallest: 1,
                largest: 5 << 30,
                power_of_two: false,
            }),
            close: Close::List,
            stored: None,
            hasher,
        }),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "glacier",
        tag: "GLACIER",
        aliases: &["glacier-tree-sha256", "sha256-tree-hash"],
        digest_len: 32,
        status: Status::Broken(
            "the file of two leaf hashes has the digest of the file they came from: no prefixes as in RFC 6962 (2013); \
             compare sizes too",
        ),
        summary: "Amazon S3 Glacier's tree hash: SHA-256 over leaves of 1 MiB",
        check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Composite(Composite {
            base: (&sha2::ROWS[1], 32),
            prefix: &[],
            cut: Cut::Equal(Unit::fixed(1 << 20)),
            close: Close::Merkle { node: &[] },
            stored: None,
            hasher,
        }),
        ..Algorithm::PLAIN
    },
];
