//! Output of any length: what SHAKE and BLAKE3 provide beyond a digest, read from any position.

use crate::algorithm::Output;
use crate::block::{Chain, State, Stream};
use crate::hasher::{Hasher, Inner};
use std::io::{self, Read, Seek, SeekFrom};

/// The unlimited output of an extendable-output function. Its first bytes are the digest.
///
/// Seeking costs nothing for BLAKE3. SHAKE's output can only be computed in order: seeking forward costs as much as
/// reading, and seeking back starts over.
pub struct XofReader(Box<dyn Output>);

impl Hasher {
    /// Finishes the message and returns a reader of its output; `None` for an algorithm that only has a digest
    /// ([`Lengths`](crate::Lengths) other than `Any`).
    ///
    /// ```
    /// use std::io::{Read, Seek, SeekFrom};
    /// let mut hasher = "shake128".parse::<truesum_hash::Spec>()?.hasher();
    /// hasher.update(b"abc");
    /// let mut output = hasher.finish_xof().expect("SHAKE is extendable");
    /// let mut bytes = [0; 4];
    /// output.seek(SeekFrom::Start(1000))?;
    /// output.read_exact(&mut bytes)?;
    /// assert_eq!(bytes, [0x28, 0x39, 0xf1, 0x8f]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish_xof(mut self) -> Option<XofReader> {
        match &mut self.inner {
            Inner::Blocks(stream) => sponge(stream).map(XofReader),
            Inner::Serial(serial) => serial.output().map(XofReader),
        }
    }
}

impl XofReader {
    /// Fills the complete buffer with the next bytes.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        self.0.fill(buffer);
    }

    /// Returns the position of the next byte, from 0.
    pub fn position(&self) -> u64 {
        self.0.position()
    }

    /// Continues at this position.
    pub fn set_position(&mut self, position: u64) {
        self.0.set_position(position);
    }
}

impl Clone for XofReader {
    fn clone(&self) -> XofReader {
        XofReader(self.0.clone_box())
    }
}

impl std::fmt::Debug for XofReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "XofReader(at {})", self.position())
    }
}

impl Read for XofReader {
    /// Fills the complete buffer; the output never ends.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill(buffer);
        Ok(buffer.len())
    }
}

impl Seek for XofReader {
    /// # Errors
    /// Fails for a position before the beginning or beyond 2^64, or relative to the end, which does not exist.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(offset) => self.position().checked_add_signed(offset),
            SeekFrom::End(_) => None,
        };
        let outside = || {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "invalid seek: the position is out of range or relative to the end, which does not exist",
            )
        };
        self.set_position(position.ok_or_else(outside)?);
        Ok(self.position())
    }
}

/// Finishes a message and returns its output, if its chain continues after the end.
pub(crate) fn sponge(stream: &mut Stream) -> Option<Box<dyn Output>> {
    let squeeze = stream.chain.squeeze?;
    let state = *stream.end();
    Some(Box::new(Sponge { chain: stream.chain, squeeze, first: state, state, position: 0 }))
}

/// The output of a chain that continues after its end.
#[derive(Clone)]
struct Sponge {
    chain: &'static Chain,
    squeeze: fn(&mut State),
    first: State,
    /// The state whose output block contains the next byte or, at its end, the previous one.
    state: State,
    position: u64,
}

impl Sponge {
    /// Returns the block that `state` provides.
    fn block(position: u64, len: u64) -> u64 {
        position.saturating_sub(1) / len
    }
}

impl Output for Sponge {
    fn fill(&mut self, mut buffer: &mut [u8]) {
        let len = self.chain.block as u64;
        let mut block = [0; crate::block::MAX_BLOCK];
        let block = &mut block[..self.chain.block];
        while !buffer.is_empty() {
            let at = (self.position % len) as usize;
            if at == 0 && self.position > 0 {
                (self.squeeze)(&mut self.state);
            }
            (self.chain.output)(&self.state, block);
            let count = buffer.len().min(block.len() - at);
            buffer[..count].copy_from_slice(&block[at..at + count]);
            buffer = &mut buffer[count..];
            self.position += count as u64;
        }
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn set_position(&mut self, position: u64) {
        let len = self.chain.block as u64;
        let mut block = Sponge::block(self.position, len);
        let wanted = Sponge::block(position, len);
        if wanted < block {
            (self.state, block) = (self.first, 0);
        }
        (block..wanted).for_each(|_| (self.squeeze)(&mut self.state));
        self.position = position;
    }

    fn clone_box(&self) -> Box<dyn Output> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALGORITHMS, Key, Lengths, Secret, Spec, find};

    /// Returns every algorithm with output of any length, and BLAKE3 in all its modes.
    fn specs() -> Vec<Spec> {
        let plain = ALGORITHMS.iter().filter(|row| row.lengths == Lengths::Any).map(Spec::new);
        let blake3 = Spec::new(find("blake3").unwrap());
        let keys = [Key::Secret(Secret::new(vec![7; 32])), Key::Derive("a context".into())];
        plain.chain(keys.map(|key| blake3.clone().with_key(key).unwrap())).collect()
    }

    fn output(spec: &Spec, message: &[u8]) -> XofReader {
        let mut hasher = spec.hasher();
        hasher.update(message);
        hasher.finish_xof().unwrap()
    }

    #[test]
    fn output_begins_with_the_digest_of_any_length() {
        assert_eq!(specs().len(), 13);
        for spec in specs() {
            for message in [&b""[..], b"abc", &[7; 5000]] {
                let long = spec.clone().with_bits(8 * 3000).unwrap().digest(message);
                let mut bytes = vec![0; 3000];
                output(&spec, message).read_exact(&mut bytes).unwrap();
                assert_eq!(bytes, long.as_bytes(), "{spec}");
            }
        }
    }

    #[test]
    fn reader_can_seek_to_any_position_from_any_other() {
        for spec in specs() {
            let mut whole = vec![0; 2000];
            output(&spec, b"abc").fill(&mut whole);
            let mut reader = output(&spec, b"abc");
            let places = [0, 1, 63, 64, 65, 135, 136, 137, 167, 168, 169, 272, 336, 337, 1000, 1900];
            for from in places {
                for to in places {
                    reader.set_position(from);
                    reader.set_position(to);
                    for len in [1, 99] {
                        let mut bytes = vec![0; len];
                        let at = reader.position() as usize;
                        reader.fill(&mut bytes);
                        assert_eq!(bytes, whole[at..at + len], "{spec} at {at}, from {from}");
                    }
                    assert_eq!(reader.clone().position(), to + 100);
                }
            }
        }
    }

    #[test]
    fn seeking_from_the_end_and_output_of_fixed_hashes_fail() {
        let mut reader = output(&specs()[0], b"abc");
        assert!(reader.seek(SeekFrom::End(0)).is_err());
        assert!(reader.seek(SeekFrom::Current(-1)).is_err());
        assert_eq!(reader.seek(SeekFrom::Current(5)).unwrap(), 5);
        for row in ALGORITHMS {
            assert_eq!(
                Spec::new(row).hasher().finish_xof().is_some(),
                row.lengths == Lengths::Any,
                "{}",
                row.name
            );
        }
    }
}
