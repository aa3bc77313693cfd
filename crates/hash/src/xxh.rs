//! The XXH family (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>), computed by `twox-hash`, seed 0.
//!
//! Digests are the canonical form: the number, big-endian.

use crate::digest::Digest;
use crate::hasher::Serial;
use crate::spec::Spec;
use std::hash::Hasher;
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

macro_rules! serial {
    ($(#[$doc:meta])* $name:ident, $wrapper:ident, $hasher:ident, $finish:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(_: &Spec) -> Box<dyn Serial> {
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
