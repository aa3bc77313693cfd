//! The proof that every byte of one version of an object was seen.

use crate::failure::Failure;

/// The bytes of an object that were seen so far, in order.
#[derive(Debug)]
pub(crate) struct Counting {
    size: u64,
    seen: u64,
}

/// Proof that an object was read whole: of it alone digests are made.
#[derive(Debug)]
pub(crate) struct Whole {
    size: u64,
}

impl Counting {
    /// Nothing yet, of an object of this size.
    pub(crate) fn of(size: u64) -> Counting {
        Counting { size, seen: 0 }
    }

    /// Bytes seen so far: where the next ones begin.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// Counts bytes that follow those before.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
    }

    /// The proof, at the end.
    ///
    /// # Errors
    /// There were fewer bytes or more.
    pub(crate) fn finish(self) -> Result<Whole, Failure> {
        match self.seen == self.size {
            true => Ok(Whole { size: self.size }),
            false => Err(Failure::wrong(format!("{} bytes came of {}", self.seen, self.size))),
        }
    }
}

impl Whole {
    /// Bytes of the object.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_proof_of_fewer_bytes_or_more() {
        for (size, seen, whole) in [(0, 0, true), (5, 5, true), (5, 4, false), (5, 6, false), (0, 1, false)] {
            let mut counting = Counting::of(size);
            counting.add(&vec![0; seen]);
            assert_eq!(counting.finish().is_ok_and(|whole| whole.size() == size), whole, "{seen} of {size}");
        }
        let mut counting = Counting::of(10);
        counting.add(&[0; 4]);
        assert_eq!(counting.seen(), 4);
    }
}
