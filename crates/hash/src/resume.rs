//! The state of an unfinished message as bytes, so that hashing a huge file can resume after an interruption.
//!
//! Layout, with little-endian integers: `TSH1`, length of the algorithm's name (1 byte), name, digest length (4), bytes
//! hashed so far (8), the state's words (8 each), the bytes that wait for the rest of their block, CRC-32 of everything
//! before (4). Values that can be derived are not stored, and everything stored is verified: invalid bytes are rejected
//! and never used.

use crate::algorithm::{Key, Kind};
use crate::block::{Chain, MAX_WORDS, Stream};
use crate::family::crc::crc32;
use crate::hasher::{Hasher, Inner};
use crate::spec::Spec;
use std::fmt;

const MAGIC: &[u8; 4] = b"TSH1";

/// Why bytes are not a state that can be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// They were not created by [`Hasher::save`], or by an unknown version.
    Unknown,
    /// They belong to another algorithm or digest length; the text names it.
    Other(String),
    /// They were truncated, extended or modified after they were saved.
    Damaged,
    /// Hashers of this algorithm cannot be saved.
    Unsupported,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Unknown => f.write_str("not a saved state, or saved by an unsupported version"),
            RestoreError::Other(name) => write!(f, "the saved state is for {name}"),
            RestoreError::Damaged => f.write_str("the saved state is damaged"),
            RestoreError::Unsupported => f.write_str("this algorithm's state cannot be saved"),
        }
    }
}

impl std::error::Error for RestoreError {}

impl Hasher {
    /// Returns the number of message bytes so far; `None` if [`Hasher::save`] returns none.
    pub fn message_len(&self) -> Option<u64> {
        self.resumable().map(|stream| stream.total)
    }

    /// Returns the state of the unfinished message for [`Spec::restore`]; `None` if the algorithm's library does not
    /// expose it, or if there is a key, which must not be stored in a file, or a customization, salt or personalization,
    /// which is not saved.
    pub fn save(&self) -> Option<Vec<u8>> {
        let stream = self.resumable()?;
        let name = self.spec().algorithm().name;
        let mut bytes = MAGIC.to_vec();
        bytes.push(name.len() as u8);
        bytes.extend(name.as_bytes());
        bytes.extend((stream.digest_len as u32).to_le_bytes());
        bytes.extend(stream.total.to_le_bytes());
        for word in &stream.state[..stream.chain.words] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(&stream.buffer[..stream.buffered]);
        let sum = crc32(&bytes);
        bytes.extend(sum.as_bytes());
        Some(bytes)
    }

    /// Returns the unfinished message if it can be resumed: not with a header, which contains a length that is not
    /// saved.
    fn resumable(&self) -> Option<&Stream> {
        match (&self.inner, &self.spec().algorithm().kind) {
            (Inner::Blocks(stream), Kind::Blocks { .. })
                if !stream.is_framed() && !self.spec().is_customized() =>
            {
                Some(stream)
            }
            (Inner::Blocks(_) | Inner::Serial(_), _) => None,
        }
    }
}

impl Spec {
    /// Returns a hasher that continues where [`Hasher::save`] was called.
    ///
    /// # Errors
    /// Fails if the bytes are not a complete, unmodified state of this algorithm at this length.
    pub fn restore(&self, saved: &[u8]) -> Result<Hasher, RestoreError> {
        let Kind::Blocks { chain, .. } = self.algorithm().kind else {
            return Err(RestoreError::Unsupported);
        };
        if self.params.key != Key::None || self.is_customized() {
            return Err(RestoreError::Unsupported);
        }
        let rest = saved.strip_prefix(MAGIC).ok_or(RestoreError::Unknown)?;
        let (body, sum) = saved.split_last_chunk::<4>().ok_or(RestoreError::Damaged)?;
        if crc32(body).as_bytes() != sum {
            return Err(RestoreError::Damaged);
        }
        let mut rest = &rest[..rest.len().saturating_sub(4)];
        let name_len = take::<1>(&mut rest)?[0];
        let (name, mut rest) = rest.split_at_checked(usize::from(name_len)).ok_or(RestoreError::Damaged)?;
        let len = u32::from_le_bytes(take(&mut rest)?) as usize;
        if name != self.algorithm().name.as_bytes() || len != self.digest_len() {
            return Err(RestoreError::Other(format!("{}-{}", name.escape_ascii(), len.saturating_mul(8))));
        }
        let total = u64::from_le_bytes(take(&mut rest)?);
        let mut state = [0; MAX_WORDS];
        for word in &mut state[..chain.words] {
            *word = u64::from_le_bytes(take(&mut rest)?);
            if narrow(chain) && u32::try_from(*word).is_err() {
                return Err(RestoreError::Damaged);
            }
        }
        if rest.len() as u64 != buffered(chain, total) {
            return Err(RestoreError::Damaged);
        }
        let mut stream = Stream::new(chain, state, len);
        stream.total = total;
        stream.buffered = rest.len();
        stream.buffer[..rest.len()].copy_from_slice(rest);
        let mut hasher = self.hasher();
        hasher.inner = Inner::Blocks(stream);
        Ok(hasher)
    }
}

/// Returns how many bytes of a message of `total` bytes wait for the rest of their block.
fn buffered(chain: &Chain, total: u64) -> u64 {
    let block = chain.block as u64;
    match total {
        0 => 0,
        _ if chain.lazy => (total - 1) % block + 1,
        _ => total % block,
    }
}

fn narrow(chain: &Chain) -> bool {
    chain.kernels.iter().all(|row| row.word_len() == 4)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], RestoreError> {
    let (first, others) = rest.split_first_chunk::<N>().ok_or(RestoreError::Damaged)?;
    *rest = others;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALGORITHMS;

    #[test]
    fn saved_state_resumes_hashing() {
        let data: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for algorithm in ALGORITHMS.iter().filter(|row| matches!(row.kind, Kind::Blocks { .. })) {
            let spec = Spec::new(algorithm);
            for cut in [0, 1, 63, 64, 65, 127, 128, 129, 136, 168, 500, 1000] {
                let mut hasher = spec.hasher();
                hasher.update(&data[..cut]);
                let mut other = spec.restore(&hasher.save().unwrap()).unwrap();
                assert_eq!(other.message_len(), Some(cut as u64));
                other.update(&data[cut..]);
                assert_eq!(other.finish(), spec.digest(&data), "{spec} saved after {cut} bytes");
            }
        }
    }

    #[test]
    fn modified_truncated_and_foreign_states_are_rejected() {
        let sha256: Spec = "sha256".parse().unwrap();
        let mut hasher = sha256.hasher();
        hasher.update(&[7; 100]);
        let saved = hasher.save().unwrap();
        for i in 0..saved.len() {
            assert!(sha256.restore(&saved[..i]).is_err(), "cut at {i}");
            for bit in 0..8 {
                let mut changed = saved.clone();
                changed[i] ^= 1 << bit;
                assert!(sha256.restore(&changed).is_err(), "bit {bit} of byte {i}");
            }
        }
        assert!(sha256.restore(&[&saved[..], b"\0"].concat()).is_err());
        let other = |name: &str| name.parse::<Spec>().unwrap().restore(&saved).map(|_| ());
        assert_eq!(other("sha224"), Err(RestoreError::Other("sha256-256".to_owned())));
        assert_eq!(other("crc32"), Err(RestoreError::Unsupported));
        let blake2s: Spec = "blake2s-128".parse().unwrap();
        let saved = blake2s.hasher().save().unwrap();
        assert!("blake2s".parse::<Spec>().unwrap().restore(&saved).is_err());
        assert!(blake2s.restore(&saved).is_ok());
    }

    #[test]
    fn impossible_states_with_a_valid_checksum_are_rejected() {
        let md5: Spec = "md5".parse().unwrap();
        let saved = md5.hasher().save().unwrap();
        let total = 4 + 1 + 3 + 4;
        for (at, byte) in [(4, 200), (total, 1), (total + 8 + 4, 1)] {
            let mut changed = saved[..saved.len() - 4].to_vec();
            changed[at] = byte;
            let sum = crc32(&changed);
            changed.extend(sum.as_bytes());
            assert_eq!(md5.restore(&changed).map(|_| ()), Err(RestoreError::Damaged), "byte {at}");
        }
    }
}
