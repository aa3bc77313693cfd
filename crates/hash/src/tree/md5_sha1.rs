//! MD5 and SHA-1 of the same message, concatenated, as signed by TLS 1.1 and SSL 3.0 (RFC 4346 section 7.4.3).

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;
use crate::family::{md5, sha1};
use crate::hasher::Hasher;
use crate::spec::Spec;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "md5-sha1",
    tag: "MD5-SHA1",
    aliases: &[],
    digest_len: 36,
    status: Status::Broken("hardly stronger than SHA-1 alone (Joux 2004)"),
    summary: "RFC 4346; TLS 1.1 signatures",
    check: "25f9e794323b453885f5181f1b624d0bf7c3bc1d808e04732adf679965ccc34ca7ae3441",
    kind: Kind::Serial(new),
    ..Algorithm::PLAIN
}];

fn new(_: &Params) -> Box<dyn Serial> {
    Box::new(Both([&md5::ROWS[0], &sha1::ROWS[0]].map(|row| Spec::new(row).hasher())))
}

#[derive(Clone)]
struct Both([Hasher; 2]);

impl Serial for Both {
    fn update(&mut self, data: &[u8]) {
        // Slices small enough to be in the cache for the second hash.
        for slice in data.chunks(1 << 14) {
            self.0.iter_mut().for_each(|hasher| hasher.update(slice));
        }
    }
    fn finish(&mut self) -> Digest {
        let [md5, sha1] = self.0.each_mut().map(Hasher::finish_reset);
        Digest::new(&[md5.as_bytes(), sha1.as_bytes()].concat())
    }
    fn reset(&mut self) -> bool {
        self.0.iter_mut().for_each(Hasher::reset);
        true
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
