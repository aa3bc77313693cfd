//! The XXH family (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>), computed by `twox-hash`, with
//! a seed, or with a secret in place of the constants of XXH3.
//!
//! Digests are the canonical form: the number, big-endian.

use crate::algorithm::{Algorithm, Key, Keying, Kind, Params, Secret, Serial, Status};
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
        status: Status::Checksum("32 bits, not cryptographic (xxHash specification 0.2.0, 2023)"),
        summary: "lz4",
        check: "937bad67",
        either_order: true,
        seed_bits: 32,
        kind: Kind::Serial(Xxh32::boxed),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh64",
        tag: "XXH64",
        aliases: &["xxhash64", "xxhash"],
        digest_len: 8,
        status: Status::Checksum("64 bits, not cryptographic (xxHash specification 0.2.0, 2023)"),
        summary: "zstd, btrfs",
        check: "8cb841db40e6ae83",
        either_order: true,
        seed_bits: 64,
        kind: Kind::Serial(Xxh64::boxed),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh3",
        tag: "XXH3",
        aliases: &["xxh3-64", "xxh3_64", "xxh3-64bits", "xxhash3"],
        digest_len: 8,
        status: Status::Checksum("64 bits, not cryptographic (xxHash specification 0.2.0, 2023)"),
        summary: "64-bit XXH3; rsync",
        check: "72dcb18b67a17dff",
        either_order: true,
        seed_bits: 64,
        keying: SECRET,
        kind: Kind::Serial(Xxh3::boxed),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "xxh128",
        tag: "XXH128",
        aliases: &["xxh3-128", "xxh3_128", "xxh3-128bits", "xxhash128"],
        digest_len: 16,
        status: Status::Checksum("128 bits, not cryptographic (xxHash specification 0.2.0, 2023)"),
        summary: "128-bit XXH3; rsync",
        check: "33119477ede5dcd5e9716427681d5860",
        either_order: true,
        seed_bits: 64,
        keying: SECRET,
        kind: Kind::Serial(Xxh128::boxed),
        ..Algorithm::PLAIN
    },
];

/// The minimum length of a secret, whose bytes should look random according to the specification.
const SECRET: Keying = Keying::Optional { least: 136, most: 1 << 20 };

macro_rules! serial {
    ($wrapper:ident, $hasher:ident, $seed:ty, $finish:ident) => {
        #[derive(Clone)]
        struct $wrapper {
            hasher: $hasher,
            seed: $seed,
        }

        impl $wrapper {
            fn boxed(params: &Params) -> Box<dyn Serial> {
                let seed = params.seed as $seed;
                Box::new($wrapper { hasher: $hasher::with_seed(seed), seed })
            }
        }

        impl Serial for $wrapper {
            fn update(&mut self, data: &[u8]) {
                self.hasher.write(data);
            }
            fn finish(&mut self) -> Digest {
                Digest::new(&self.hasher.$finish().to_be_bytes())
            }
            fn reset(&mut self) -> bool {
                // With the default seed, everything is known at compile time.
                self.hasher = match self.seed {
                    0 => $hasher::with_seed(0),
                    seed => $hasher::with_seed(seed),
                };
                true
            }
            fn clone_box(&self) -> Box<dyn Serial> {
                Box::new(self.clone())
            }
        }
    };
}
serial!(Xxh32, XxHash32, u32, finish_32);
serial!(Xxh64, XxHash64, u64, finish);

/// The longest message that XXH3 processes at once, without setting up a state.
const SHORT: usize = 240;

macro_rules! third {
    ($wrapper:ident, $hasher:ident, $finish:ident, $digest:expr) => {
        /// One message, which is buffered while it may be a short one, because a state of half a kibibyte would have to
        /// be initialized. Also, the library hashes a short message that arrives in slices with its own secret instead
        /// of the given one.
        #[derive(Clone)]
        struct $wrapper {
            seed: u64,
            secret: Option<Secret>,
            begin: [u8; SHORT],
            filled: usize,
            long: Option<Box<$hasher>>,
        }

        impl $wrapper {
            fn boxed(params: &Params) -> Box<dyn Serial> {
                let secret = match &params.key {
                    Key::Secret(secret) => Some(secret.clone()),
                    Key::None | Key::Missing | Key::Derive(_) => None,
                };
                Box::new($wrapper { seed: params.seed, secret, begin: [0; SHORT], filled: 0, long: None })
            }

            /// Returns a hasher for a message that begins this way and is not short.
            fn long(&self) -> Box<$hasher> {
                let mut hasher = Box::new(match &self.secret {
                    Some(secret) => $hasher::with_seed_and_secret(0, secret.as_bytes())
                        .unwrap_or_else(|_| unreachable!("the row specifies the length of a secret")),
                    None => $hasher::with_seed(self.seed),
                });
                hasher.write(&self.begin[..self.filled]);
                hasher
            }
        }

        impl Serial for $wrapper {
            fn update(&mut self, data: &[u8]) {
                if self.long.is_none() {
                    if let Some(room) = self.begin[self.filled..].get_mut(..data.len()) {
                        room.copy_from_slice(data);
                        self.filled += data.len();
                        return;
                    }
                    self.long = Some(self.long());
                }
                if let Some(hasher) = &mut self.long {
                    hasher.write(data);
                }
            }
            fn finish(&mut self) -> Digest {
                let begin = &self.begin[..self.filled];
                $digest(match (&self.long, &self.secret) {
                    (Some(hasher), _) => hasher.$finish(),
                    (None, None) => $hasher::oneshot_with_seed(self.seed, begin),
                    (None, Some(secret)) => $hasher::oneshot_with_secret(secret.as_bytes(), begin)
                        .unwrap_or_else(|_| unreachable!("the row specifies the length of a secret")),
                })
            }
            fn reset(&mut self) -> bool {
                self.filled = 0;
                self.long = None;
                true
            }
            fn clone_box(&self) -> Box<dyn Serial> {
                Box::new(self.clone())
            }
        }
    };
}
third!(Xxh3, XxHash3_64, finish, |hash: u64| Digest::number(hash, 8));
third!(Xxh128, XxHash3_128, finish_128, |hash: u128| Digest::new(&hash.to_be_bytes()));
