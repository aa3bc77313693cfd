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
    Box::new(Crc { algorithm, digest: crc_fast::Digest::new(algorithm) })
}

#[derive(Clone)]
struct Crc {
    algorithm: CrcAlgorithm,
    digest: crc_fast::Digest,
}

impl Serial for Crc {
    fn update(&mut self, data: &[u8]) {
        self.digest.update(data);
    }
    fn finish(&mut self) -> Digest {
        if self.algorithm == CrcAlgorithm::Crc32Cksum {
            let len = self.digest.get_amount();
            let bytes = (u64::BITS - len.leading_zeros()).div_ceil(8);
            self.digest.update(&len.to_le_bytes()[..bytes as usize]);
        }
        let crc = self.digest.finalize().to_be_bytes();
        match self.algorithm {
            CrcAlgorithm::Crc64Nvme | CrcAlgorithm::Crc64Xz => Digest::new(&crc),
            _ => Digest::new(&crc[4..]),
        }
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
