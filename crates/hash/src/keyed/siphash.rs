//! SipHash (Aumasson & Bernstein 2012), with one or two rounds per word and three or four at the end, computed by
//! `siphasher`.
//!
//! Digests are the bytes of the reference implementation: the number, little-endian.

use crate::algorithm::{Algorithm, Keying, Kind, Params, Serial, Status};
use crate::digest::Digest;
use siphasher::{sip, sip128, sip128::Hasher128};
use std::hash::Hasher;

macro_rules! rows {
    ($($make:ident: $name:literal $tag:literal $aliases:tt $len:literal $hasher:ty, $finish:expr, $summary:literal, $check:literal;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[Algorithm] = &[$(
            Algorithm {
                name: $name,
                tag: $tag,
                aliases: &$aliases,
                digest_len: $len,
                status: Status::Weakened("anyone with the key can find collisions; 64-bit digests can be guessed (Aumasson & Bernstein 2012)"),
                summary: $summary,
                check: $check,
                keying: Keying::Always { least: 16, most: 16 },
                kind: Kind::Serial(|params| Box::new($make(<$hasher>::new_with_key(&key(params))))),
                ..Algorithm::PLAIN
            },
        )*];
        $(
            #[derive(Clone)]
            struct $make($hasher);

            impl Serial for $make {
                fn update(&mut self, data: &[u8]) {
                    self.0.write(data);
                }
                fn finish(&mut self) -> Digest {
                    let finish: fn(&$hasher) -> [u8; $len] = $finish;
                    Digest::new(&finish(&self.0))
                }
                fn clone_box(&self) -> Box<dyn Serial> {
                    Box::new(self.clone())
                }
            }
        )*
    };
}

rows! {
    Short24: "siphash-2-4" "SIPHASH-2-4" ["siphash", "siphash24", "siphash64"] 8 sip::SipHasher24,
        |hasher| hasher.finish().to_le_bytes(), "64-bit keyed hash for short messages; hash tables, packet filters", "fdfe0e0296fc60ca";
    Short13: "siphash-1-3" "SIPHASH-1-3" ["siphash13"] 8 sip::SipHasher13,
        |hasher| hasher.finish().to_le_bytes(), "SipHash with half the rounds; hash tables of Rust, Python and Ruby", "eec3b538b3afc7f3";
    Long24: "siphash-2-4-128" "SIPHASH-2-4-128" ["siphash128"] 16 sip128::SipHasher24,
        |hasher| hasher.finish128().as_bytes(), "128-bit SipHash", "ce94828373303d1ab5fc781744ad71ce";
    Long13: "siphash-1-3-128" "SIPHASH-1-3-128" [] 16 sip128::SipHasher13,
        |hasher| hasher.finish128().as_bytes(), "128-bit SipHash with half the rounds; rustc", "a3ad795c0b02d505fb1a0e51f70969dd";
}

/// Returns the key, whose length was verified by [`Spec::with_key`](crate::Spec::with_key).
fn key(params: &Params) -> [u8; 16] {
    params.secret().and_then(|key| key.try_into().ok()).expect("a key of SipHash has 16 bytes")
}
