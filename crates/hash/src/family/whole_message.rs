//! A message of unknown length whose digest depends on the length or on the end from the start: it is stored
//! completely.

use crate::algorithm::Serial;
use crate::digest::Digest;

/// The bytes so far, and the function that computes the digest of all of them.
#[derive(Clone)]
pub(crate) struct WholeMessage<F> {
    bytes: Vec<u8>,
    digest: F,
}

/// Returns a hasher that computes the digest of the complete message at its end.
pub(crate) fn whole_message(
    digest: impl Fn(&[u8]) -> Digest + Clone + Send + Sync + 'static,
) -> Box<dyn Serial> {
    Box::new(WholeMessage { bytes: Vec::new(), digest })
}

impl<F: Fn(&[u8]) -> Digest + Clone + Send + Sync + 'static> Serial for WholeMessage<F> {
    fn update(&mut self, data: &[u8]) {
        self.bytes.extend_from_slice(data);
    }

    fn finish(&mut self) -> Digest {
        (self.digest)(&self.bytes)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
