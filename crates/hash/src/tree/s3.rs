//! Checksums of S3 multipart objects: the checksum of the parts' checksums, and their number.

use crate::algorithm::{Algorithm, Close, Composite, Division, Kind, List, Status, Unit};
use crate::family::{crc, sha1, sha2};
use crate::tree::composite::hasher;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "s3-sha256",
        tag: "S3-SHA256",
        aliases: &[],
        digest_len: 32,
        status: Status::Secure(
            "SHA-256 of SHA-256 digests; the digest includes the number of parts (FIPS 180-4)",
        ),
        summary: "S3's composite SHA-256 of the parts, followed by the number of parts",
        check: "292b0d007566832db94bfae689cd70d1ab772811fd44b9f49d8550ee9ea6a494-1",
        kind: Kind::Composite(&composite(&sha2::ROWS[1], 32)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "s3-sha1",
        tag: "S3-SHA1",
        aliases: &[],
        digest_len: 20,
        status: Status::Broken("SHA-1 collisions (Stevens et al. 2017)"),
        summary: "S3's composite SHA-1 of the parts, followed by the number of parts",
        check: "cc67043c7bcff5eea5566bd9b1f3c74fd9a5cf5d-1",
        kind: Kind::Composite(&composite(&sha1::ROWS[0], 20)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "s3-crc32c",
        tag: "S3-CRC32C",
        aliases: &[],
        digest_len: 4,
        status: Status::Checksum("32-bit CRC, not cryptographic (Amazon S3 API)"),
        summary: "S3's composite CRC-32C of the parts, followed by the number of parts",
        check: "a73245a0-1",
        kind: Kind::Composite(&composite(&crc::ROWS[1], 4)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "s3-crc32",
        tag: "S3-CRC32",
        aliases: &[],
        digest_len: 4,
        status: Status::Checksum("32-bit CRC, not cryptographic (Amazon S3 API)"),
        summary: "S3's composite CRC-32 of the parts, followed by the number of parts",
        check: "ee4c6550-1",
        kind: Kind::Composite(&composite(&crc::ROWS[0], 4)),
        ..Algorithm::PLAIN
    },
];

/// Returns the construction for a digest of the digests of parts, and their number.
pub(super) const fn composite(base: &'static Algorithm, len: usize) -> Composite {
    Composite {
        base: (base, len),
        prefix: &[],
        // 5 MiB to 5 GiB in S3, less in compatible services. Parts of a few bytes would take hours and are probably a
        // mistake.
        division: Division::Equal(Unit {
            key: "part",
            usual: 8 << 20,
            smallest: 1 << 10,
            largest: 5 << 30,
            power_of_two: false,
        }),
        close: Close::List(List::Counted),
        stored: None,
        hasher,
    }
}
