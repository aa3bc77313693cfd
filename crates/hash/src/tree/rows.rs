//! Composite digests over one base hash: rows of the table.

use crate::algorithm::{Algorithm, Close, Composite, Division, Kind, List, Status, Unit};
use crate::family::{md4, md5, sha2, tiger};
use crate::tree::composite::hasher;
use crate::tree::{aich, hidrive, pieces_root, s3};

/// The rows of this module.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "s3-etag",
        tag: "S3-ETAG",
        aliases: &["etag"],
        digest_len: 16,
        status: Status::Broken("MD5 collisions (Wang & Yu 2005)"),
        summary: "ETag of an S3 multipart upload: MD5 of the parts' MD5 digests, followed by the number of parts",
        check: "5927c5d64d94a5786f90003aa26d0159-1",
        kind: Kind::Composite(&s3::composite(&md5::ROWS[0], 16)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "glacier",
        tag: "GLACIER",
        aliases: &["glacier-tree-sha256", "sha256-tree-hash"],
        digest_len: 32,
        status: Status::Broken(
            "leaves and nodes have no distinct prefixes (see RFC 6962), so a file that consists of the two leaf hashes \
             of another file has the same digest; compare sizes too",
        ),
        summary: "Amazon S3 Glacier's tree hash: SHA-256 over 1 MiB leaves",
        check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Composite(&Composite {
            base: (&sha2::ROWS[1], 32),
            prefix: &[],
            division: Division::Equal(Unit::fixed(1 << 20)),
            close: Close::Merkle { node: &[] },
            stored: None,
            hasher,
        }),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "tth",
        tag: "TTH",
        aliases: &["tree:tiger"],
        digest_len: 24,
        status: Status::Weakened("preimages of Tiger in 2^188.8 steps (Guo, Ling, Rechberger & Wang 2010)"),
        summary: "Tiger tree hash of DC++ and Gnutella, with 1 KiB leaves (THEX, 2003)",
        check: "cf8fbe2de8607f3d518432cf632fdafc14471337c377a0ce",
        kind: Kind::Composite(&Composite {
            base: (&tiger::ROWS[0], 24),
            prefix: &[0],
            division: Division::Equal(Unit::fixed(1 << 10)),
            close: Close::Merkle { node: &[1] },
            stored: None,
            hasher,
        }),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "ed2k",
        tag: "ED2K",
        aliases: &["edonkey", "emule"],
        digest_len: 16,
        status: Status::Broken("MD4 collisions (Wang, Lai, Feng, Chen & Yu 2005)"),
        summary: "eMule: MD4 of the MD4 digests of 9,728,000-byte parts; adds an empty part if the last part is full",
        check: "2ae523785d0caf4d2fb557c12016185c",
        kind: Kind::Composite(&ed2k(List::SingleOpen)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "ed2k-old",
        tag: "ED2K-OLD",
        aliases: &["ed2k-edonkey2000"],
        digest_len: 16,
        status: Status::Broken("MD4 collisions (Wang, Lai, Feng, Chen & Yu 2005)"),
        summary: "eDonkey2000: differs from ed2k only if the file size is a multiple of 9,728,000 bytes",
        check: "2ae523785d0caf4d2fb557c12016185c",
        kind: Kind::Composite(&ed2k(List::Single)),
        ..Algorithm::PLAIN
    },
    aich::ROW,
    pieces_root::ROW,
    hidrive::ROW,
    Algorithm {
        name: "dropbox",
        tag: "DROPBOX",
        aliases: &["dropbox-content-hash"],
        digest_len: 32,
        status: Status::Secure("SHA-256 of the SHA-256 digests of the blocks (FIPS 180-4)"),
        summary: "Dropbox's content_hash: SHA-256 of the SHA-256 digests of 4 MiB blocks",
        check: "292b0d007566832db94bfae689cd70d1ab772811fd44b9f49d8550ee9ea6a494",
        kind: Kind::Composite(&Composite {
            base: (&sha2::ROWS[1], 32),
            prefix: &[],
            division: Division::Equal(Unit::fixed(4 << 20)),
            close: Close::List(List::Plain),
            stored: None,
            hasher,
        }),
        ..Algorithm::PLAIN
    },
];

const fn ed2k(list: List) -> Composite {
    Composite {
        base: (&md4::ROWS[0], 16),
        prefix: &[],
        division: Division::Equal(Unit::fixed(9_728_000)),
        close: Close::List(list),
        stored: None,
        hasher,
    }
}
