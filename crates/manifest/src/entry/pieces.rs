//! A list of digests of pieces, whatever lists them: torrents, Metalink, PAR2, zsync, casync, Bao, verity trees, the parts of
//! an object in S3, Digital Forensics XML, `hashdeep -p`.
//!
//! Pieces are cut from a *sequence* of bytes: the file itself, or all files of a torrent laid end to end, so that a piece
//! may hold the end of one file and the beginning of the next. All entries of such a manifest share one list; each
//! knows where its file lies in the sequence. A digest takes no more memory than its bytes.

use crate::entry::pairs::Pairs;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use truesum_hash::{Digest, Hasher, Spec};

/// The largest size that a file can have: what an `off_t` of 64 bits counts.
pub const SIZE_LIMIT: u64 = i64::MAX as u64;

/// Bytes of a digest that is no mere checksum.
const STRONG: usize = 16;

/// The digests of the pieces of a sequence, and where in it a file lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceList {
    spec: Spec,
    cuts: Cuts,
    digests: Arc<[u8]>,
    /// Bytes that are listed of each digest.
    digest_len: usize,
    file_start: u64,
    is_padded: bool,
    ends_with_file: bool,
    /// Whether that was so before its size was told.
    was_open: bool,
    made: Made,
    raised: Option<(u32, u32)>,
    sums: Option<Sums>,
    pads: Option<Arc<[Range<u64>]>>,
}

/// Where pieces begin and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// Those of `covered`, each `len` bytes but the last.
    Equal {
        /// The bytes that pieces cover.
        covered: Range<u64>,
        /// Bytes of a piece.
        len: u64,
    },
    /// These, ascending and apart, none of them empty; there may be gaps between them.
    Listed(Arc<[Range<u64>]>),
}

/// What is hashed of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Its bytes.
    Plain,
    /// Its bytes between these.
    Salted {
        /// What is hashed before them.
        before: Arc<[u8]>,
        /// What is hashed after them.
        after: Arc<[u8]>,
    },
    /// Its bytes as a subtree of BLAKE3 at their place: what is listed is a chaining value and no digest.
    Subtree,
}

/// Rolling checksums of zsync beside the digests: the last `len` of four bytes, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    len: usize,
    all: Arc<[u8]>,
}

/// One piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes, counted in the sequence.
    pub range: Range<u64>,
    /// What they must hash to, as far as that is listed.
    pub digest: Digest,
}

impl Cuts {
    /// The bytes from the first piece's first to the last one's last.
    pub fn covered(&self) -> Range<u64> {
        match self {
            Cuts::Equal { covered, .. } => covered.clone(),
            Cuts::Listed(ranges) => match (ranges.first(), ranges.last()) {
                (Some(first), Some(last)) => first.start..last.end,
                _ => 0..0,
            },
        }
    }

    /// The bytes of a piece; `None` behind the last.
    pub fn piece(&self, index: u64) -> Option<Range<u64>> {
        match self {
            Cuts::Equal { covered, len } => {
                let start = covered.start.checked_add(index.checked_mul(*len)?)?;
                (start < covered.end).then(|| start..start.saturating_add(*len).min(covered.end))
            }
            Cuts::Listed(ranges) => ranges.get(usize::try_from(index).ok()?).cloned(),
        }
    }

    /// The first piece that ends behind this byte.
    pub fn at(&self, byte: u64) -> u64 {
        match self {
            Cuts::Equal { covered, len } => byte.saturating_sub(covered.start) / (*len).max(1),
            Cuts::Listed(ranges) => ranges.partition_point(|range| range.end <= byte) as u64,
        }
    }

    /// Number of pieces.
    pub fn count(&self) -> u64 {
        match self {
            Cuts::Equal { covered, len } => (covered.end - covered.start).div_ceil((*len).max(1)),
            Cuts::Listed(ranges) => ranges.len() as u64,
        }
    }

    /// Ranges between pieces that none of them covers, within what they cover together.
    pub fn gaps(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let ranges: &[Range<u64>] = match self {
            Cuts::Equal { .. } => &[],
            Cuts::Listed(ranges) => ranges,
        };
        ranges.windows(2).map(|pair| pair[0].end..pair[1].start).filter(|gap| !gap.is_empty())
    }
}

impl PieceList {
    /// The pieces of `covered`, each `piece_len` bytes but the last; `digests` are their digests one after the other.
    ///
    /// `None` if their number is not what lengths say.
    pub fn new(spec: Spec, covered: Range<u64>, piece_len: u64, digests: Arc<[u8]>) -> Option<PieceList> {
        let bytes = covered.end.checked_sub(covered.start)?;
        if bytes > 0 && piece_len == 0 {
            return None;
        }
        let digest_len = spec.digest_len();
        PieceList::of(spec, Cuts::Equal { covered, len: piece_len.max(1) }, digests, digest_len)
    }

    /// The one piece of a file that is no longer than one: all of it. An empty file has none.
    pub(crate) fn whole(spec: Spec, size: u64, digest: &[u8]) -> Option<PieceList> {
        PieceList::new(spec, 0..size, size, digest.into()).filter(|_| size > 0)
    }

    /// Pieces that need not be equal nor follow each other: ascending, apart, none empty.
    ///
    /// `None` if they are not, end behind what a file can have, or have not as many digests.
    pub fn of_ranges(spec: Spec, ranges: Vec<Range<u64>>, digests: Arc<[u8]>) -> Option<PieceList> {
        let digest_len = spec.digest_len();
        let ascending = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let sound = ranges.iter().all(|range| range.start < range.end && range.end <= SIZE_LIMIT);
        if !ascending || !sound {
            return None;
        }
        let len = ranges.first().map_or(1, |first| first.end - first.start);
        let equal = ranges.windows(2).all(|pair| {
            pair[0].end == pair[1].start
                && pair[0].end - pair[0].start == len
                && pair[1].end - pair[1].start <= len
        });
        let cuts = match (equal, ranges.first(), ranges.last()) {
            (true, Some(first), Some(last)) => Cuts::Equal { covered: first.start..last.end, len },
            _ => Cuts::Listed(ranges.into()),
        };
        PieceList::of(spec, cuts, digests, digest_len)
    }

    /// Pieces of whose digests only the first `digest_len` bytes are listed.
    ///
    /// `None` if that is more than a digest has, or their number is not that of pieces.
    pub fn of(spec: Spec, cuts: Cuts, digests: Arc<[u8]>, digest_len: usize) -> Option<PieceList> {
        let wanted = usize::try_from(cuts.count()).ok()?.checked_mul(digest_len)?;
        let sound = digests.len() == wanted && (1..=spec.digest_len()).contains(&digest_len);
        sound.then_some(PieceList {
            spec,
            cuts,
            digests,
            digest_len,
            file_start: 0,
            is_padded: false,
            ends_with_file: false,
            was_open: false,
            made: Made::Plain,
            raised: None,
            sums: None,
            pads: None,
        })
    }

    /// The same pieces for a file that begins at this byte of the sequence.
    #[must_use]
    pub fn of_file_at(&self, file_start: u64) -> PieceList {
        PieceList { file_start, ..self.clone() }
    }

    /// The same pieces where zeros that are in no file fill up the last one.
    #[must_use]
    pub fn padded(self) -> PieceList {
        PieceList { is_padded: true, ..self }
    }

    /// The same pieces of a sequence in which these ranges, ascending and apart, are zeros that are in no file.
    #[must_use]
    pub(crate) fn with_pads(self, pads: Arc<[Range<u64>]>) -> PieceList {
        PieceList { pads: Some(pads), ..self }
    }

    /// What lies between files or behind the last, in order: how many bytes, and whether these are zeros. Of others nothing
    /// is known: they are of a file that is listed and has no entry.
    pub fn between(&self, mut gap: Range<u64>) -> impl Iterator<Item = (u64, bool)> + '_ {
        let pads = self.pads.as_deref().unwrap_or_default();
        std::iter::from_fn(move || {
            let next = pads.get(pads.partition_point(|pad| pad.end <= gap.start));
            let (end, zeros) = match next {
                Some(pad) if pad.start <= gap.start => (pad.end, true),
                Some(pad) => (pad.start, false),
                None => (gap.end, self.is_padded),
            };
            let start = std::mem::replace(&mut gap.start, end.min(gap.end));
            (start < gap.end).then(|| (gap.start - start, zeros))
        })
    }

    /// The same pieces of a file whose size is not listed: it may end anywhere in the last one.
    #[must_use]
    pub fn ending_with_file(self) -> PieceList {
        PieceList { ends_with_file: true, was_open: true, ..self }
    }

    /// The same pieces, of which this is hashed.
    #[must_use]
    pub fn made(self, made: Made) -> PieceList {
        PieceList { made, ..self }
    }

    /// The same pieces, of whose last one a node of a tree of pairs is listed: `to` levels above the leaves, of which it has
    /// those below level `from` (BEP 52).
    #[must_use]
    pub(crate) fn raised(self, from: u32, to: u32) -> PieceList {
        PieceList { raised: Some((from, to)), ..self }
    }

    /// Whether a node of a tree is listed of the last one.
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.is_some()
    }

    /// The same pieces with rolling checksums beside: the last `len` bytes of each.
    ///
    /// `None` if there are not as many.
    pub(crate) fn with_sums(self, len: usize, all: Arc<[u8]>) -> Option<PieceList> {
        let wanted = usize::try_from(self.cuts.count()).ok()?.checked_mul(len)?;
        (all.len() == wanted && len <= 4)
            .then_some(PieceList { sums: Some(Sums { len, all }).filter(|sums| sums.len > 0), ..self })
    }

    /// The same pieces of a file of this size, where it ends in the last one and the list left that open. Its bytes are then
    /// known to be as many.
    #[must_use]
    pub fn of_size(&self, size: u64) -> Option<PieceList> {
        let Cuts::Equal { covered, len } = &self.cuts else { return None };
        let last = covered.end.checked_sub(*len)?;
        if !self.ends_with_file || size > covered.end || size <= last && !(size == 0 && last == 0) {
            return None;
        }
        let covered = covered.start..if self.is_padded { covered.end } else { size };
        let cuts = Cuts::Equal { covered, len: *len };
        Some(PieceList { cuts, ends_with_file: false, ..self.clone() })
    }

    /// Whether zeros that are in no file fill up the last piece.
    pub fn is_padded(&self) -> bool {
        self.is_padded
    }

    /// Whether the file's size is not listed.
    pub fn is_open(&self) -> bool {
        self.ends_with_file
    }

    /// Whether equal digests of all pieces leave open how many zeros the file ends with: its size is not listed, and more of them
    /// fill up the last piece.
    pub fn leaves_length(&self) -> bool {
        self.is_padded && self.was_open
    }

    /// Whether equal digests of all pieces say that they are the listed ones: all bytes of each are listed.
    pub fn is_proof(&self) -> bool {
        self.digest_len == self.spec.digest_len()
    }

    /// Whether equal digests say so by more than a checksum has bytes: no chance makes those of other bytes.
    pub fn is_strong(&self) -> bool {
        self.is_proof() && self.digest_len >= STRONG
    }

    /// What the digests are of.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The algorithm, and how much of its digests is listed, for people.
    pub fn described(&self) -> String {
        match (&self.sums, self.is_proof()) {
            (None, true) => self.spec.to_string(),
            (None, false) => format!("{} bytes of {}", self.digest_len, self.spec),
            (Some(sums), _) => {
                format!("{} bytes of {} and {} of a rolling sum", self.digest_len, self.spec, sums.len)
            }
        }
    }

    /// Where pieces begin and end.
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// What is hashed of each.
    pub fn made_of(&self) -> &Made {
        &self.made
    }

    /// A hasher of one piece, which was given what stands before its bytes; `None` where they are hashed at their place.
    pub fn hasher(&self) -> Option<Hasher> {
        let mut hasher = self.spec.hasher();
        match &self.made {
            Made::Plain => {}
            Made::Salted { before, .. } => hasher.update(before),
            Made::Subtree => return None,
        }
        Some(hasher)
    }

    /// What is hashed after a piece.
    pub fn after(&self) -> &[u8] {
        match &self.made {
            Made::Salted { after, .. } => after,
            Made::Plain | Made::Subtree => &[],
        }
    }

    /// Whether rolling checksums stand beside the digests.
    pub fn has_sums(&self) -> bool {
        self.sums.is_some()
    }

    /// Whether a piece is the listed one: by its digest, and by its rolling checksum where there is one.
    pub fn agrees(&self, index: u64, digest: &[u8], sum: Option<u32>) -> bool {
        let Ok(at) = usize::try_from(index) else { return false };
        let Some(listed) = self.digests.get(at * self.digest_len..(at + 1) * self.digest_len) else {
            return false;
        };
        let is_last = index + 1 == self.cuts.count();
        let digest = match self.raised.filter(|_| is_last) {
            Some((from, to)) => Cow::Owned(Pairs::new().raised(digest, from, to).as_bytes().to_vec()),
            None => Cow::Borrowed(digest),
        };
        let by_sum = match (&self.sums, sum) {
            (None, _) => true,
            (Some(sums), Some(sum)) => {
                sums.all.get(at * sums.len..(at + 1) * sums.len) == Some(&sum.to_be_bytes()[4 - sums.len..])
            }
            (Some(_), None) => false,
        };
        by_sum && digest.get(..self.digest_len) == Some(listed)
    }

    /// Bytes of a piece; the last one may be shorter. 0 where pieces are of several lengths.
    pub fn piece_len(&self) -> u64 {
        match &self.cuts {
            Cuts::Equal { len, .. } => *len,
            Cuts::Listed(_) => 0,
        }
    }

    /// The bytes of the sequence that pieces cover.
    pub fn covered(&self) -> Range<u64> {
        self.cuts.covered()
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
        self.digests.len() / self.digest_len
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// The pieces that hold bytes of the file, of `size` bytes, in order. The first and the last may reach beyond it.
    pub fn of_file(&self, size: u64) -> impl Iterator<Item = Piece> + '_ {
        let end = self.file_start.saturating_add(size);
        let first = self.cuts.at(self.file_start);
        // One without bytes has no part in any.
        let count = if size == 0 { first } else { self.cuts.count() };
        let pieces = (first..count).map_while(|index| Some((index, self.cuts.piece(index)?)));
        let start = self.file_start;
        let within = pieces.take_while(move |(_, range)| range.start < end && start < range.end);
        within.map(|(index, range)| {
            let at = index as usize * self.digest_len;
            Piece { range, digest: Digest::new(&self.digests[at..at + self.digest_len]) }
        })
    }
}

#[cfg(test)]
mod tests;
