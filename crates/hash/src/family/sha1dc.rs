//! SHA-1 with detection of the known collision attacks (Stevens: "Counter-cryptanalysis", 2013; Stevens & Shumow:
//! "Speeding up detection of SHA-1 collision attacks using unavoidable attack conditions", 2017), computed by
//! `sha1-checked`.
//!
//! For all other messages, the digest is that of SHA-1. For a message with traces of an attack it differs, and
//! [`Hasher::attack`](crate::Hasher::attack) reports it: whoever created the message has a second one with the same
//! SHA-1.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use sha1_checked::{Digest as _, Sha1};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "sha1dc",
    tag: "SHA1DC",
    aliases: &["sha-1dc", "sha1-dc", "sha1cd"],
    digest_len: 20,
    status: Status::Weakened("detects known collision attacks only (Stevens & Shumow 2017); only 160 bits"),
    summary: "SHA-1 that rejects files created by known collision attacks (SHAttered, SHAmbles); git",
    check: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
    kind: Kind::Serial(|_| Box::new(Checked(Sha1::new()))),
    ..Algorithm::PLAIN
}];

#[derive(Clone)]
struct Checked(Sha1);

impl Serial for Checked {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.finalize_reset())
    }
    fn attack(&self) -> Option<&'static str> {
        let found = self.0.clone().try_finalize().has_collision();
        found.then_some("the file was made by a collision attack on SHA-1 (Stevens & Shumow 2017), so another file has the same SHA-1")
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
