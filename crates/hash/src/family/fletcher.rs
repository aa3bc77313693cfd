//! Fletcher's checksums (IEEE Transactions on Communications 30, 1982) over little-endian words, and the checksum of
//! Internet headers (RFC 1071).

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;

macro_rules! row {
    ($name:literal $tag:literal $alias:literal $word:ty, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$alias],
            digest_len: 2 * size_of::<$word>(),
            status: Status::Checksum(
                "does not distinguish all-ones words from all-zeros words (Fletcher 1982)",
            ),
            summary: $summary,
            check: $check,
            kind: Kind::Serial(fletcher::<{ size_of::<$word>() }>),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("fletcher16" "FLETCHER16" "fletcher-16" u8, "two sums over bytes, modulo 255", "1ede"),
    row!("fletcher32" "FLETCHER32" "fletcher-32" u16, "two sums over 16-bit words, modulo 65535", "df09d509"),
    row!("fletcher64" "FLETCHER64" "fletcher-64" u32, "two sums over 32-bit words, modulo 2^32 - 1; APFS", "0d0803376c6a689f"),
    Algorithm {
        name: "inet16",
        tag: "INET16",
        aliases: &["internet-checksum", "rfc1071"],
        digest_len: 2,
        status: Status::Checksum("16-bit sum that ignores word order (RFC 1071)"),
        summary: "IP, TCP and UDP headers",
        check: "f62a",
        kind: Kind::Serial(internet),
        ..Algorithm::PLAIN
    },
];

fn fletcher<const LEN: usize>(_: &Params) -> Box<dyn Serial> {
    Box::new(Fletcher::<LEN> { low: 0, high: 0, word: [0; LEN], filled: 0 })
}

/// The sums of words of `LEN` bytes and of these sums, modulo the largest word.
#[derive(Clone)]
struct Fletcher<const LEN: usize> {
    low: u64,
    high: u64,
    /// An incomplete word, padded with zeros.
    word: [u8; LEN],
    filled: usize,
}

impl<const LEN: usize> Fletcher<LEN> {
    const MODULUS: u64 = (1 << (8 * LEN)) - 1;
    /// The number of words that cannot overflow the sum of sums.
    const RUN: usize = if LEN == 4 { 1 << 15 } else { 1 << 20 };

    fn add(&mut self, words: &[[u8; LEN]]) {
        for run in words.chunks(Self::RUN) {
            for word in run {
                let mut wide = [0; 8];
                wide[..LEN].copy_from_slice(word);
                self.low += u64::from_le_bytes(wide);
                self.high += self.low;
            }
            self.low %= Self::MODULUS;
            self.high %= Self::MODULUS;
        }
    }
}

impl<const LEN: usize> Serial for Fletcher<LEN> {
    fn update(&mut self, mut data: &[u8]) {
        if self.filled > 0 {
            let (head, rest) = data.split_at(data.len().min(LEN - self.filled));
            self.word[self.filled..self.filled + head.len()].copy_from_slice(head);
            self.filled += head.len();
            data = rest;
            if self.filled < LEN {
                return;
            }
            self.add(&[self.word]);
        }
        let (words, rest) = data.as_chunks::<LEN>();
        self.add(words);
        self.word = [0; LEN];
        self.word[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }
    fn finish(&mut self) -> Digest {
        if self.filled > 0 {
            self.add(&[self.word]);
        }
        Digest::number(self.high << (8 * LEN) | self.low, 2 * LEN)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

fn internet(_: &Params) -> Box<dyn Serial> {
    Box::new(Internet { sum: 0, odd: false })
}

/// The inverted ones' complement sum of big-endian 16-bit words.
#[derive(Clone)]
struct Internet {
    /// The sum, less than 2^16 between updates.
    sum: u64,
    /// True if the next byte is the low byte of its word.
    odd: bool,
}

impl Serial for Internet {
    fn update(&mut self, mut data: &[u8]) {
        if let (true, [first, rest @ ..]) = (self.odd, data) {
            (self.sum, self.odd, data) = (self.sum + u64::from(*first), false, rest);
        }
        let (words, rest) = data.as_chunks::<2>();
        // The sum of the 16-bit words of any possible message fits.
        self.sum += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        if let [last] = rest {
            (self.sum, self.odd) = (self.sum + (u64::from(*last) << 8), true);
        }
        while self.sum > 0xffff {
            self.sum = (self.sum & 0xffff) + (self.sum >> 16);
        }
    }
    fn finish(&mut self) -> Digest {
        Digest::number(u64::from(!(self.sum as u16)), 2)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
