//! Parts of checksums that can be combined.

use crate::algorithm::{Algorithm, Kind, Linear};
use crate::digest::Digest;
use crate::family::crc::of_part;
use crate::spec::Spec;

impl Linear {
    /// Returns the checksum of an algorithm, if it can be combined from parts.
    pub fn of(algorithm: &Algorithm) -> Option<Linear> {
        match algorithm.kind {
            Kind::Linear(linear) => Some(*linear),
            _ => None,
        }
    }

    /// Returns the value of a part.
    pub fn part(self, spec: &Spec, data: &[u8]) -> Digest {
        match self {
            // The suffix of a message is not part of its parts.
            Linear::Crc(crc) => of_part(&crc, data),
            Linear::Adler32 => spec.digest(data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALGORITHMS;

    #[test]
    fn parts_of_any_length_join_to_the_whole() {
        let data: Vec<u8> = (0..70_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut seen = 0;
        for row in ALGORITHMS {
            let Some(linear) = Linear::of(row) else { continue };
            seen += 1;
            let spec = Spec::new(row);
            for len in [0, 1, 255, 256, 65_535, 70_000] {
                let whole = &data[..len];
                for cut in [0, 1, 7, 128, 256, 65_521, 65_536, len].into_iter().filter(|&cut| cut <= len) {
                    let (a, b) = whole.split_at(cut);
                    let joined = linear.join(&linear.part(&spec, a), &linear.part(&spec, b), b.len() as u64);
                    assert_eq!(joined, linear.part(&spec, whole));
                    let digest = linear.close(joined, len as u64);
                    assert_eq!(digest, spec.digest(whole), "{} of {cut} and {}", row.name, b.len());
                }
            }
        }
        assert_eq!(seen, 6, "a row of the table was renamed");
    }
}
