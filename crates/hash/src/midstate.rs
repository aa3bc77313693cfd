//! A message laid aside: the state of a chain of blocks as bytes, to go on with after the program has ended.
//!
//! Bytes: u64 length of the message so far, the state's words as u64, then the bytes of the block under way; all
//! little-endian. They are of use only with the same [`Spec`], which the caller keeps beside them.

use crate::hasher::{Hasher, Inner};
use crate::lanes::Stream;
use crate::spec::Spec;

impl Hasher {
    /// The message so far as bytes for [`Spec::restore`]; `None` for algorithms that are no chain of blocks.
    pub fn save(&self) -> Option<Vec<u8>> {
        let Inner::Blocks(Stream { family, state, total, buffered, buffer, .. }) = &self.inner else {
            return None;
        };
        let words = state[..family.words].iter().flat_map(|word| word.to_le_bytes());
        Some(
            total.to_le_bytes().into_iter().chain(words).chain(buffer[..*buffered].iter().copied()).collect(),
        )
    }
}

impl Spec {
    /// A hasher that goes on where [`Hasher::save`] stopped; `None` if these bytes are no state of this algorithm.
    pub fn restore(&self, saved: &[u8]) -> Option<Hasher> {
        let mut hasher = self.hasher();
        let stream = hasher.stream()?;
        let (total, rest) = saved.split_first_chunk()?;
        let (words, rest) = rest.split_at_checked(stream.family.words * 8)?;
        stream.total = u64::from_le_bytes(*total);
        for (word, bytes) in stream.state.iter_mut().zip(words.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let block = stream.family.block as u64;
        let pending = match stream.total % block {
            // A block that may be the last waits for its end.
            0 if stream.family.lazy && stream.total > 0 => block,
            pending => pending,
        };
        if rest.len() as u64 != pending {
            return None;
        }
        stream.buffer[..rest.len()].copy_from_slice(rest);
        stream.buffered = rest.len();
        Some(hasher)
    }
}

#[cfg(test)]
mod tests {
    use crate::{ALGORITHMS, Spec};

    #[test]
    fn a_message_laid_aside_anywhere_goes_on() {
        let data: Vec<u8> = (0..700u32).map(|i| (i * 7) as u8).collect();
        let mut chains = 0;
        for row in ALGORITHMS {
            let spec = Spec::new(row);
            for cut in [0, 1, 63, 64, 65, 127, 128, 129, 136, 144, 168, 256, 500, 700] {
                let mut hasher = spec.hasher();
                hasher.update(&data[..cut]);
                let Some(saved) = hasher.save() else { continue };
                let mut restored = spec.restore(&saved).expect("its own state");
                restored.update(&data[cut..]);
                assert_eq!(restored.finish(), spec.digest(&data), "{} at {cut}", row.name);
                chains += 1;
                assert!(spec.restore(&saved[..saved.len() - 1]).is_none());
                assert!(spec.restore(&[&saved[..], &[0]].concat()).is_none());
            }
        }
        assert!(chains > 100);
        assert!("sha256".parse::<Spec>().expect("a row").restore(&[]).is_none());
    }
}
