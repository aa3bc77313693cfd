//! Cyclic redundancy checks, computed by `crc-fast` (carry-less multiplication).

use crate::digest::Digest;
use crate::hasher::Serial;
use crate::spec::Spec;
use crc_fast::CrcAlgorithm;

pub(crate) fn crc32(_: &Spec) -> Box<dyn Serial> {
    Box::new(Crc(crc_fast::Digest::new(CrcAlgorithm::Crc32IsoHdlc)))
}

#[derive(Clone)]
struct Crc(crc_fast::Digest);

impl Serial for Crc {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&(self.0.finalize() as u32).to_be_bytes())
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
