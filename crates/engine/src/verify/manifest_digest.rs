//! The digest of a manifest, computed from the bytes that the check read.

use crate::progress::Progress;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use truesum_hash::{Digest, Hasher, Spec};

/// The SHA-256 of a manifest, computed while it is read.
pub(crate) struct ManifestDigest {
    state: Mutex<(Option<Hasher>, bool)>,
}

impl ManifestDigest {
    /// Starts the digest if `wanted`.
    pub(crate) fn new(wanted: bool) -> ManifestDigest {
        let sha256 = || "sha256".parse::<Spec>().expect("a row of the table of algorithms").hasher();
        ManifestDigest { state: Mutex::new((wanted.then(sha256), false)) }
    }

    /// Returns the digest, if it is wanted and everything was read.
    pub(crate) fn digest(&self) -> Option<Digest> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (hasher, ended) = &mut *state;
        hasher.take().filter(|_| *ended).map(Hasher::finish)
    }

    fn update(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 |= bytes.is_empty();
        if let Some(hasher) = &mut state.0 {
            hasher.update(bytes);
        }
    }
}

/// A reader for a manifest that updates the progress of the check.
pub(crate) struct CountedReader<'p, R> {
    pub(crate) reader: R,
    pub(crate) progress: &'p Progress,
    pub(crate) digest: &'p ManifestDigest,
}

impl<R: Read> Read for CountedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.progress.add_list_read(count as u64);
        if !buffer.is_empty() {
            self.digest.update(&buffer[..count]);
        }
        Ok(count)
    }
}
