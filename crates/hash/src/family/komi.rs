//! komihash 5 (Vaneev, <https://github.com/avaneev/komihash>), computed by the crate of that name, with a seed.
//!
//! Digests are the number, big-endian.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use komihash::v5::StreamedKomihash;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "komihash",
    tag: "KOMIHASH",
    aliases: &["komihash5"],
    digest_len: 8,
    status: Status::Checksum("64 bits, no cryptography (Vaneev 2021)"),
    summary: "komihash 5; tables in memory",
    check: "1e48489aa85686e9",
    seed_bits: 64,
    kind: Kind::Serial(|params| Box::new(Komi(StreamedKomihash::new_with_seed(params.seed)))),
    ..Algorithm::PLAIN
}];

#[derive(Clone)]
struct Komi(StreamedKomihash);

impl Serial for Komi {
    fn update(&mut self, data: &[u8]) {
        self.0.write(data);
    }
    fn finish(&mut self) -> Digest {
        Digest::number(self.0.finish(), 8)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
