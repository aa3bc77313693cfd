//! imohash (Kalafut, <https://github.com/kalafut/imohash/blob/master/algorithm.md>): MurmurHash3 of three samples of 16
//! KiB and the length, or of the complete message if it has less than 128 KiB.
//!
//! Most bytes of a large file can change without affecting the digest. It finds equal media files quickly and verifies
//! nothing.

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::digest::Digest;
use crate::family::whole_message::whole_message;
use crate::family::murmur3;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "imohash",
    tag: "IMOHASH",
    aliases: &["imosum"],
    digest_len: 16,
    status: Status::Sampled(
        "three samples of 16 KiB and the length, for files of 128 KiB or more (Kalafut 2015)",
    ),
    summary: "MurmurHash3 of three samples; used to find duplicate media files",
    check: "0984645edb66cca499f8fac73a1ea105",
    kind: Kind::Sized(new, |size| if size < SAMPLED_FROM { size } else { 3 * SAMPLE }),
    ..Algorithm::PLAIN
}];

const SAMPLE: u64 = 16 << 10;
const SAMPLED_FROM: u64 = 128 << 10;

fn new(_: &Params, size: Option<u64>) -> Box<dyn Serial> {
    match size {
        Some(size) => Box::new(Sampled { hasher: murmur3::x64_128(), size, at: 0 }),
        None => whole_message(|message| {
            let mut sampled = new(&Params::default(), Some(message.len() as u64));
            sampled.update(message);
            sampled.finish()
        }),
    }
}

/// A message of known length.
struct Sampled {
    hasher: Box<dyn Serial>,
    size: u64,
    at: u64,
}

impl Serial for Sampled {
    fn update(&mut self, data: &[u8]) {
        let from = self.at;
        self.at += data.len() as u64;
        if self.size < SAMPLED_FROM {
            return self.hasher.update(data);
        }
        for start in [0, self.size / 2, self.size.saturating_sub(SAMPLE)] {
            let (start, end) = (start.max(from), (start + SAMPLE).min(self.at));
            if start < end {
                self.hasher.update(&data[(start - from) as usize..(end - from) as usize]);
            }
        }
    }

    fn finish(&mut self) -> Digest {
        let mut bytes = self.hasher.finish().as_bytes().to_vec();
        // The length with seven bits per byte, the lowest first (`encoding/binary` of Go).
        let mut rest = self.size;
        for byte in &mut bytes {
            *byte = (rest & 0x7f) as u8 | if rest > 0x7f { 0x80 } else { 0 };
            rest >>= 7;
            if rest == 0 {
                break;
            }
        }
        Digest::new(&bytes)
    }

    fn is_complete(&self) -> bool {
        self.at == self.size
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(Sampled { hasher: self.hasher.clone_box(), ..*self })
    }
}
