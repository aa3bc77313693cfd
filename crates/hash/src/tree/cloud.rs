//! Hashes designed by cloud storage services: OneDrive's QuickXorHash and Mail.ru's hash.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::sha1;
use crate::hasher::Hasher;
use crate::spec::Spec;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "quickxor",
        tag: "QUICKXOR",
        aliases: &["quickxorhash"],
        digest_len: 20,
        status: Status::Checksum("160-bit XOR, not cryptographic (Microsoft, QuickXorHash algorithm)"),
        summary: "OneDrive for Business and SharePoint",
        check: "3190c10c6850031bdc0007390900000000000000",
        kind: Kind::Serial(|_| Box::new(QuickXor { sums: [0; PERIOD], total: 0 })),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "mailru",
        tag: "MAILRU",
        aliases: &[],
        digest_len: 20,
        status: Status::Broken(
            "SHA-1 collisions (Stevens et al. 2017); for files of up to 20 bytes, the digest is the content itself",
        ),
        summary: "Mail.ru Cloud: SHA-1 of a prefix, the content and the length",
        check: "3132333435363738390000000000000000000000",
        kind: Kind::Serial(|_| {
            let mut hasher = Spec::new(&sha1::ROWS[0]).hasher();
            hasher.update(b"mrCloud");
            Box::new(MailRu { hasher, first: [0; 20], total: 0 })
        }),
        ..Algorithm::PLAIN
    },
];

/// The number of bytes after which the bit position repeats: each byte advances by 11 of 160 bits.
const PERIOD: usize = 160;

#[derive(Clone)]
struct QuickXor {
    /// The exclusive or of all bytes with the same position in their period.
    sums: [u8; PERIOD],
    total: u64,
}

impl Serial for QuickXor {
    fn update(&mut self, data: &[u8]) {
        let place = (self.total % PERIOD as u64) as usize;
        let (head, rest) = data.split_at(data.len().min(PERIOD - place));
        self.sums[place..].iter_mut().zip(head).for_each(|(sum, byte)| *sum ^= byte);
        for period in rest.chunks(PERIOD) {
            self.sums.iter_mut().zip(period).for_each(|(sum, byte)| *sum ^= byte);
        }
        self.total += data.len() as u64;
    }
    fn finish(&mut self) -> Digest {
        let mut digest = [0u8; 20];
        for (i, sum) in self.sums.iter().enumerate() {
            let bit = 11 * i % PERIOD;
            let [low, high] = (u16::from(*sum) << (bit % 8)).to_le_bytes();
            digest[bit / 8] ^= low;
            digest[(bit / 8 + 1) % 20] ^= high;
        }
        digest[12..].iter_mut().zip(self.total.to_le_bytes()).for_each(|(byte, length)| *byte ^= length);
        Digest::new(&digest)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[derive(Clone)]
struct MailRu {
    hasher: Hasher,
    /// The beginning of the message, padded with zeros.
    first: [u8; 20],
    total: u64,
}

impl Serial for MailRu {
    fn update(&mut self, data: &[u8]) {
        let place = self.total.min(20) as usize;
        self.first[place..].iter_mut().zip(data).for_each(|(byte, next)| *byte = *next);
        self.hasher.update(data);
        self.total += data.len() as u64;
    }
    fn finish(&mut self) -> Digest {
        if self.total <= 20 {
            return Digest::new(&self.first);
        }
        self.hasher.update(self.total.to_string().as_bytes());
        self.hasher.finish_reset()
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
