//! Cyclic redundancy checks, computed by `crc-fast` (carry-less multiplication).
//!
//! A CRC is linear, so the CRC of two parts put together follows from those of the parts, and a run of zeros costs the
//! logarithm of its length.

use crate::digest::Digest;
use crate::hasher::Serial;
use crate::spec::Spec;
use crc_fast::CrcAlgorithm;

pub(crate) fn crc32(_: &Spec) -> Box<dyn Serial> {
    crc(CrcAlgorithm::Crc32IsoHdlc)
}

pub(crate) fn crc32c(_: &Spec) -> Box<dyn Serial> {
    crc(CrcAlgorithm::Crc32Iscsi)
}

pub(crate) fn crc64nvme(_: &Spec) -> Box<dyn Serial> {
    crc(CrcAlgorithm::Crc64Nvme)
}

pub(crate) fn crc64xz(_: &Spec) -> Box<dyn Serial> {
    crc(CrcAlgorithm::Crc64Xz)
}

/// The CRC of POSIX `cksum`: over the message, then its length as its fewest bytes, the least first.
pub(crate) fn cksum(_: &Spec) -> Box<dyn Serial> {
    crc(CrcAlgorithm::Crc32Cksum)
}

fn crc(algorithm: CrcAlgorithm) -> Box<dyn Serial> {
    Box::new(Crc { algorithm, digest: crc_fast::Digest::new(algorithm), amount: 0 })
}

#[derive(Clone)]
struct Crc {
    algorithm: CrcAlgorithm,
    digest: crc_fast::Digest,
    /// Bytes so far.
    amount: u64,
}

impl Serial for Crc {
    fn update(&mut self, data: &[u8]) {
        self.digest.update(data);
        self.amount += data.len() as u64;
    }
    fn finish(&mut self) -> Digest {
        if self.algorithm == CrcAlgorithm::Crc32Cksum {
            let bytes = (u64::BITS - self.amount.leading_zeros()).div_ceil(8);
            self.digest.update(&self.amount.to_le_bytes()[..bytes as usize]);
        }
        let crc = self.digest.finalize().to_be_bytes();
        match self.algorithm {
            CrcAlgorithm::Crc64Nvme | CrcAlgorithm::Crc64Xz => Digest::new(&crc),
            _ => Digest::new(&crc[4..]),
        }
    }
    fn update_zeros(&mut self, count: u64) {
        // Below this, carry-less multiplication passes over the zeros before the power of the polynomial is found.
        const WORTH_A_POWER: u64 = 1 << 20;
        self.amount += count;
        if count < WORTH_A_POWER {
            return crate::hasher::feed_zeros(count, |zeros| self.digest.update(zeros));
        }
        // Combining takes finished values; the initial one is taken off beforehand because zeros have none.
        let first = self.digest.get_state() ^ crc_fast::Digest::new(self.algorithm).finalize();
        let moved = crc_fast::checksum_combine(self.algorithm, first, 0, count);
        self.digest = crc_fast::Digest::new_with_init_state(self.algorithm, moved);
    }
    fn reset(&mut self) -> bool {
        self.digest.reset();
        self.amount = 0;
        true
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hasher::feed_zeros;

    #[test]
    fn zeros_passed_over_count_as_zeros_read() {
        for new in [crc32, crc32c, crc64nvme, crc64xz, cksum] {
            let spec = Spec::new(crate::find("crc32").unwrap());
            for count in [0, 1, 4095, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, 5 << 20] {
                let (mut passed, mut read) = (new(&spec), new(&spec));
                for hasher in [&mut passed, &mut read] {
                    hasher.update(b"before");
                }
                passed.update_zeros(count);
                feed_zeros(count, |zeros| read.update(zeros));
                for hasher in [&mut passed, &mut read] {
                    hasher.update(b"behind");
                }
                assert_eq!(passed.finish(), read.finish(), "{count} zeros");
            }
        }
    }

    #[test]
    fn an_exabyte_of_zeros_takes_no_time() {
        // Zeros and their halves: x^(8 * 2^60) by one way and by two.
        let spec = Spec::new(crate::find("crc64xz").unwrap());
        let (mut once, mut twice) = (crc64xz(&spec), crc64xz(&spec));
        once.update_zeros(1 << 60);
        twice.update_zeros(1 << 59);
        twice.update_zeros(1 << 59);
        assert_eq!(once.finish(), twice.finish());
    }
}
