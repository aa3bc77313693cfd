//! The XXH family (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>), computed by `twox-hash`, with
//! a seed, or with a secret in place of the constants of XXH3.
//!
//! Digests are the canonical form: the number, big-endian.

use crate::algorithm::{Algorithm, Keying, Kind, Params, Serial, Status};
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
        seed_bits: 32,
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
        seed_bits: 64,
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
        seed_bits: 64,
        keying: SECRET,
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
        seed_bits: 64,
        keying: SECRET,
        kind: Kind::Serial(xxh128),
        ..Algorithm::PLAIN
    },
];

/// Fewest bytes of a secret, of which the specification asks that they look random.
const SECRET: Keying = Keying::Optional { least: 136, most: 1 << 20 };

macro_rules! serial {
    ($name:ident, $wrapper:ident, $hasher:ident, $finish:ident, $params:ident => $new:expr) => {
        fn $name($params: &Params) -> Box<dyn Serial> {
            let begun: $hasher = $new;
            Box::new($wrapper { hasher: begun.clone(), begun: $params.secret().is_some().then(|| Box::new(begun)), seed: $params.seed })
        }

        #[derive(Clone)]
        struct $wrapper {
            hasher: $hasher,
            /// The beginning of a message with a secret, which costs more to make again than to copy.
            begun: Option<Box<$hasher>>,
            seed: u64,
        }

        impl Serial for $wrapper {
            fn update(&mut self, data: &[u8]) {
                self.hasher.write(data);
            }
            fn finish(&mut self) -> Digest {
                Digest::new(&self.hasher.$finish().to_be_bytes())
            }
            fn reset(&mut self) -> bool {
                self.hasher = match &self.begun {
                    Some(begun) => (**begun).clone(),
                    None => $hasher::with_seed(self.seed as _),
                };
                true
            }
            fn clone_box(&self) -> Box<dyn Serial> {
                Box::new(self.clone())
            }
        }
    };
}

/// A hasher of XXH3 under a secret, where there is one.
macro_rules! under_secret {
    ($hasher:ident, $params:ident) => {
        match $params.secret() {
            Some(secret) => $hasher::with_seed_and_secret($params.seed, secret)
                .unwrap_or_else(|_| unreachable!("the row says how long a secret is")),
            None => $hasher::with_seed($params.seed),
        }
    };
}
serial!(xxh32, Xxh32, XxHash32, finish_32, params => XxHash32::with_seed(params.seed as u32));
serial!(xxh64, Xxh64, XxHash64, finish, params => XxHash64::with_seed(params.seed));
serial!(xxh3, Xxh3, XxHash3_64, finish, params => under_secret!(XxHash3_64, params));
serial!(xxh128, Xxh128, XxHash3_128, finish_128, params => under_secret!(XxHash3_128, params));
