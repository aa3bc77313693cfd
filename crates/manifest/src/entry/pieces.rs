//! Digests of equal pieces, as torrents and `hashdeep -p` have them.
//!
//! Pieces are cut from a *sequence* of bytes: the file itself, or all files of a torrent laid end to end, so that a piece
//! may hold the end of one file and the beginning of the next. All entries of such a manifest share one list; each
//! knows where its file lies in the sequence. A digest takes no more memory than its bytes.

use std::ops::Range;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};

/// The digests of the pieces of a sequence, and where in it a file lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    spec: Spec,
    /// The bytes of the sequence that the pieces cover; every piece is `piece_len` long but the last.
    covered: Range<u64>,
    piece_len: u64,
    digests: Arc<[u8]>,
    file_start: u64,
    is_padded: bool,
}

/// One piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes, counted in the sequence.
    pub range: Range<u64>,
    /// What they must hash to.
    pub digest: Digest,
}

impl Pieces {
    /// The pieces of `covered`, each `piece_len` bytes but the last; `digests` are their digests one after the other.
    ///
    /// `None` if their number is not what lengths say.
    pub fn new(spec: Spec, covered: Range<u64>, piece_len: u64, digests: Arc<[u8]>) -> Option<Pieces> {
        let bytes = covered.end.checked_sub(covered.start)?;
        let count = if bytes == 0 { 0 } else { bytes.div_ceil(Some(piece_len).filter(|len| *len > 0)?) };
        let wanted = usize::try_from(count).ok()?.checked_mul(spec.digest_len())?;
        (digests.len() == wanted).then_some(Pieces {
            spec,
            covered,
            piece_len,
            digests,
            file_start: 0,
            is_padded: false,
        })
    }

    /// The same pieces for a file that begins at this byte of the sequence.
    #[must_use]
    pub fn of_file_at(&self, file_start: u64) -> Pieces {
        Pieces { file_start, ..self.clone() }
    }

    /// The same pieces where zeros that are in no file fill up the last one.
    #[must_use]
    pub fn padded(self) -> Pieces {
        Pieces { is_padded: true, ..self }
    }

    /// Whether zeros that are in no file fill up the last piece.
    pub fn is_padded(&self) -> bool {
        self.is_padded
    }

    /// What the digests are of.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Bytes of a piece; the last one may be shorter.
    pub fn piece_len(&self) -> u64 {
        self.piece_len
    }

    /// The bytes of the sequence that pieces cover.
    pub fn covered(&self) -> Range<u64> {
        self.covered.clone()
    }

    /// Where in the sequence the file begins.
    pub fn file_start(&self) -> u64 {
        self.file_start
    }

    /// All digests, one after the other.
    pub fn digests(&self) -> &Arc<[u8]> {
        &self.digests
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.digests.len() / self.spec.digest_len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// The pieces that hold bytes of the file, of `size` bytes, in order. The first and the last may reach beyond it.
    pub fn of_file(&self, size: u64) -> impl Iterator<Item = Piece> + '_ {
        let start = self.file_start.max(self.covered.start);
        let end = self.file_start.saturating_add(size).min(self.covered.end);
        let index = |at: u64| ((at - self.covered.start) / self.piece_len) as usize;
        let indices = if start < end { index(start)..index(end - 1) + 1 } else { 0..0 };
        indices.map(|at| self.piece(at))
    }

    fn piece(&self, at: usize) -> Piece {
        let len = self.spec.digest_len();
        let start = self.covered.start + at as u64 * self.piece_len;
        let end = start.saturating_add(self.piece_len).min(self.covered.end);
        Piece { range: start..end, digest: Digest::new(&self.digests[at * len..(at + 1) * len]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(covered: Range<u64>, piece_len: u64, count: u8) -> Option<Pieces> {
        let digests: Vec<u8> = (0..count).flat_map(|at| [at; 20]).collect();
        Pieces::new("sha1".parse().unwrap(), covered, piece_len, digests.into())
    }

    #[test]
    fn the_number_of_digests_must_be_that_of_pieces() {
        for (covered, piece_len, count, good) in [
            (0..0, 4, 0, true),
            (0..0, 4, 1, false),
            (0..1, 4, 1, true),
            (0..4, 4, 1, true),
            (0..5, 4, 1, false),
            (0..5, 4, 2, true),
            (8..13, 4, 2, true),
            (0..5, 0, 2, false),
            (0..u64::MAX, 1, 2, false),
        ] {
            assert_eq!(pieces(covered.clone(), piece_len, count).is_some(), good, "{covered:?} {piece_len}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "that is the case")]
        let reversed = 5..0;
        assert!(pieces(reversed, 4, 0).is_none());
    }

    #[test]
    fn a_file_has_the_pieces_that_hold_its_bytes() {
        let all = pieces(0..10, 4, 3).unwrap();
        let of = |start: u64, size: u64| -> Vec<(Range<u64>, u8)> {
            let file = all.of_file_at(start);
            file.of_file(size).map(|piece| (piece.range, piece.digest.as_bytes()[0])).collect()
        };
        assert_eq!(of(0, 10), [(0..4, 0), (4..8, 1), (8..10, 2)]);
        assert_eq!(of(3, 2), [(0..4, 0), (4..8, 1)]);
        assert_eq!(of(4, 4), [(4..8, 1)]);
        assert_eq!(of(9, 1), [(8..10, 2)]);
        assert_eq!(of(5, 0), []);
        assert_eq!(of(10, 5), []);
        assert_eq!(of(8, u64::MAX), [(8..10, 2)]);
        assert_eq!((all.len(), all.is_empty()), (3, false));
    }
}
