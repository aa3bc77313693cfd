//! The info hash of a single-file torrent (BEP 3, v1), as computed by RHash: SHA-1 of the dictionary with its length,
//! name, piece length and the SHA-1s of the pieces.
//!
//! The name is part of it, and so is the piece length, which each program chooses by its own rule. So there is no
//! digest that is determined by this name alone, and no row in the table: the file name follows as a hexadecimal
//! parameter, and the piece length if it is not the one chosen by RHash: `btih;name=6469736b2e69736f;piece=256KiB`.

use crate::algorithm::{Algorithm, Close, Composite, Division, Kind, Params, Serial, Status, Unit};
use crate::digest::Digest;
use crate::family::sha1;
use crate::family::whole_message::whole_message;
use crate::hasher::Hasher;
use crate::spec::{NAME, Spec};

/// The text before the parameters.
pub(crate) const KEY: &str = "btih";

/// The digest for a file without a name.
pub(crate) static ROW: Algorithm = Algorithm {
    name: KEY,
    tag: "BTIH",
    digest_len: 20,
    status: Status::Broken("SHA-1 collisions (Stevens et al. 2017); covers the name and the length"),
    summary: "info hash of a torrent with a single file: covers its name, length and pieces",
    check: "192d55ff0f83d3a790fa694258cf6c1b98063e6a",
    customized: Some(NAME),
    kind: Kind::Composite(&Composite {
        base: (&sha1::ROWS[0], 20),
        prefix: &[],
        division: Division::Equal(Unit {
            key: "piece",
            usual: Unit::BY_SIZE,
            smallest: SHORTEST,
            largest: 1 << 30,
            power_of_two: true,
        }),
        close: Close::Alone,
        stored: None,
        hasher,
    }),
    ..Algorithm::PLAIN
};

/// The shortest and the longest piece length chosen by the size of a file.
const SHORTEST: u64 = 16 << 10;
const LONGEST: u64 = 8 << 20;

/// Returns RHash's piece length: the largest power of two for which the file has at least 512 pieces.
fn default_piece_len(size: u64) -> u64 {
    match (size / 512).checked_ilog2() {
        Some(log2) => (1 << log2).clamp(SHORTEST, LONGEST),
        None => SHORTEST,
    }
}

fn hasher(_: &'static Composite, params: &Params, size: Option<u64>) -> Box<dyn Serial> {
    let params = params.clone();
    match size {
        Some(size) => Box::new(Btih {
            name: params.custom().to_vec(),
            size,
            fed: 0,
            piece_len: if params.unit == Unit::BY_SIZE { default_piece_len(size) } else { params.unit },
            piece: Spec::new(&sha1::ROWS[0]).hasher(),
            hashes: Vec::new(),
        }),
        None => whole_message(move |message| {
            let Kind::Composite(composite) = &ROW.kind else { unreachable!("this row is a composite") };
            let mut inner = hasher(composite, &params, Some(message.len() as u64));
            inner.update(message);
            inner.finish()
        }),
    }
}

#[derive(Clone)]
struct Btih {
    name: Vec<u8>,
    size: u64,
    fed: u64,
    piece_len: u64,
    /// The hash of the current piece, and those of complete pieces.
    piece: Hasher,
    hashes: Vec<u8>,
}

impl Btih {
    fn end_piece(&mut self) {
        self.hashes.extend_from_slice(self.piece.finish_reset().as_bytes());
    }
}

impl Serial for Btih {
    fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let room = self.piece_len - self.fed % self.piece_len;
            let (head, rest) = data.split_at(usize::try_from(room).unwrap_or(usize::MAX).min(data.len()));
            self.piece.update(head);
            self.fed += head.len() as u64;
            if self.fed.is_multiple_of(self.piece_len) {
                self.end_piece();
            }
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        if !self.fed.is_multiple_of(self.piece_len) {
            self.end_piece();
        }
        let Btih { name, size, piece_len, hashes, piece, .. } = self;
        let begin = format!("d6:lengthi{size}e4:name{}:", name.len());
        let middle = format!("12:piece lengthi{piece_len}e6:pieces{}:", hashes.len());
        for part in [begin.as_bytes(), name, middle.as_bytes(), hashes, b"e"] {
            piece.update(part);
        }
        piece.finish_reset()
    }

    fn is_complete(&self) -> bool {
        self.fed == self.size
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From RHash 1.4.3: a file named `f.bin`, empty, with nine bytes, and with so many zeros that pieces are longer.
    #[test]
    fn btih_matches_rhash() {
        let spec: Spec = "btih;name=662e62696e".parse().unwrap();
        assert_eq!(spec.digest(b"123456789").to_hex(), "14a6f17ce10298e235bf2f18faa6ce6636575114");
        let piece: Spec = "BTIH;PIECE=64KiB;NAME=662E62696E".parse().unwrap();
        assert_eq!(piece.digest(b"123456789").to_hex(), "2c22a5944989e365948bb84d4405c1b2f39d44ce");
        assert_eq!(piece.to_string(), "btih;piece=64KiB;name=662e62696e");
        assert_eq!(piece.tag().parse(), Ok(piece));
        for (size, expected) in ZEROS {
            let mut hasher = spec.hasher_for_size(size);
            hasher.update_zeros(size);
            assert!(hasher.is_complete());
            assert_eq!(hasher.finish().to_hex(), expected, "{size} zeros");
        }
        let mut unknown = spec.hasher();
        unknown.update_zeros(ZEROS[2].0);
        assert_eq!(unknown.finish().to_hex(), ZEROS[2].1);
        assert!(spec.needs_size());
    }

    const ZEROS: [(u64, &str); 10] = [
        (0, "19ae4bd409017119c09c4535ebc10fcd61dd0fd8"),
        (1, "0e19460e41e9dc3ea7ea175787f367956e9db42d"),
        (16383, "e612c5fb5f7459b2b08b9c1f3b99b7fef9e8c482"),
        (16384, "0ca7808ebfd5a48ca3addef865f7f5c99a26b314"),
        (16385, "5bcff20b644fea985620e2eb8f7da7ee5732f222"),
        (8388607, "80676b59508085b5da7dbb5f0baeb926b9aeb757"),
        (8388608, "7702b8ff683bddc331e9b5180744797f9e126d36"),
        (16777215, "42c65e3ca832c57bbdcc2aee62227de6913cd5c1"),
        (16777216, "dc48dbe4b0a5d7f75245d1a43e8577f358a88a3e"),
        (33554432, "2be5ecd157d7bc28e039fc6e0f136e82da2321ba"),
    ];

    #[test]
    fn btih_requires_a_name() {
        for text in ["btih", "btih;piece=64KiB", "btih;name=", "btih;name=6g", "btih;name=66;name=66"] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
    }
}
