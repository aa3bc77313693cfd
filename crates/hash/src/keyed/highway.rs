//! HighwayHash (Alakuijala, Cox & Wassenberg: "Fast keyed hash/pseudo-random function using SIMD multiply and permute",
//! 2016), computed by `highway` with the CPU features it detects.
//!
//! Digests are the words of the result, each little-endian, as written by minio.

use crate::algorithm::{Algorithm, Keying, Kind, Params, Serial, Status};
use crate::digest::Digest;
use highway::{HighwayHash, HighwayHasher, Key};

macro_rules! row {
    ($name:literal $tag:literal $len:literal, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            digest_len: $len,
            status: Status::Weakened(
                "a keyed hash with little cryptanalysis and no security proof (Alakuijala, Cox & Wassenberg 2016)",
            ),
            summary: $summary,
            check: $check,
            keying: Keying::Always { least: 32, most: 32 },
            kind: Kind::Serial(|params| Box::new(Highway { hasher: hasher(params), len: $len })),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("highwayhash64" "HIGHWAYHASH64" 8, "64-bit HighwayHash", "87ce5c072f672d93"),
    row!("highwayhash128" "HIGHWAYHASH128" 16, "128-bit HighwayHash", "fb78e69e5a9579979419ab1c34aed09c"),
    row!("highwayhash256" "HIGHWAYHASH256" 32, "256-bit HighwayHash; MinIO's bit-rot protection", "36d27f50c35062b69fd9c8f7985d314b68933f4feff9b699a61861deaf89a841"),
];

/// Returns a hasher with the key, whose length was verified by [`Spec::with_key`](crate::Spec::with_key).
fn hasher(params: &Params) -> HighwayHasher {
    let words = params.secret().map(|key| key.as_chunks::<8>().0);
    let Some([a, b, c, d]) = words else { panic!("a key of HighwayHash has 32 bytes") };
    HighwayHasher::new(Key([a, b, c, d].map(|word| u64::from_le_bytes(*word))))
}

#[derive(Clone)]
struct Highway {
    hasher: HighwayHasher,
    len: usize,
}

impl Serial for Highway {
    fn update(&mut self, data: &[u8]) {
        self.hasher.append(data);
    }
    fn finish(&mut self) -> Digest {
        let hasher = self.hasher.clone();
        let mut words = [0; 4];
        match self.len {
            8 => words[0] = hasher.finalize64(),
            16 => words[..2].copy_from_slice(&hasher.finalize128()),
            _ => words = hasher.finalize256(),
        }
        Digest::new(&words.map(u64::to_le_bytes).concat()[..self.len])
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
