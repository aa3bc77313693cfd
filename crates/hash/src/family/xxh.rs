//! The XXH family (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>), computed by `twox-hash`, seed 0.
//!
//! Digests are the canonical form: the number, big-endian.

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;
use std::hash::Hasher;
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "xxh32",
        tag: "XXH32",
        aliases: &["xxhash32"],
        digest_len: 4,
        status: Status::Checksum("32 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "lz4",
        check: "937bad67",
        kind: Kind::Serial(xxh32),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh64",
        tag: "XXH64",
        aliases: &["xxhash64", "xxhash"],
        digest_len: 8,
        status: Status::Checksum("64 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "zstd, btrfs",
        check: "8cb841db40e6ae83",
        kind: Kind::Serial(xxh64),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh3",
        tag: "XXH3",
        aliases: &["xxh3-64", "xxh3_64"],
        digest_len: 8,
        status: Status::Checksum("64 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "the fastest good checksum for one file",
        check: "72dcb18b67a17dff",
        kind: Kind::Serial(xxh3),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh128",
        tag: "XXH128",
        aliases: &["xxh3-128", "xxh3_128"],
        digest_len: 16,
        status: Status::Checksum("128 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "128 bits of XXH3; rsync",
        check: "33119477ede5dcd5e9716427681d5860",
        kind: Kind::Serial(xxh128),
        ..Algorithm::PLAIN
    },
];

macro_rules! serial {
    ($(#[$doc:meta])* $name:ident, $wrapper:ident, $hasher:ident, $finish:ident) => {
        $(#[$doc])*
        fn $name(_: &Params) -> Box<dyn Serial> {
            Box::new($wrapper($hasher::with_seed(0)))
        }

        #[derive(Clone)]
        struct $wrapper($hasher);

        impl Serial for $wrapper {
            fn update(&mut self, data: &[u8]) {
                self.0.write(data);
            }
            fn finish(&mut self) -> Digest {
                Digest::new(&self.0.$finish().to_be_bytes())
            }
            fn reset(&mut self) -> bool {
                self.0 = $hasher::with_seed(0);
                true
            }
            fn clone_box(&self) -> Box<dyn Serial> {
                Box::new(self.clone())
            }
        }
    };
}
serial!(xxh32, Xxh32, XxHash32, finish_32);
serial!(xxh64, Xxh64, XxHash64, finish);
serial!(xxh3, Xxh3, XxHash3_64, finish);
serial!(xxh128, Xxh128, XxHash3_128, finish_128);
