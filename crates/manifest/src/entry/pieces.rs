//! Lists of digests of pieces, as found in torrents, Metalink, PAR2, zsync, casync, Bao, verity
//! trees, the parts of an object in S3, Digital Forensics XML, and the output of `hashdeep -p`.
//!
//! Pieces are ranges of a *sequence* of bytes: the file itself, or all files of a torrent one after
//! the other, so that a piece may hold the end of one file and the beginning of the next. All
//! entries of such a manifest share one list, and each entry has the position of its file in the
//! sequence. A digest takes no more memory than its bytes.

use crate::entry::pairs::Pairs;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use truesum_hash::{Digest, Hasher, Spec};

/// The maximum size of a file in bytes: the largest value of a 64-bit `off_t`.
pub const SIZE_LIMIT: u64 = i64::MAX as u64;

/// Minimum length in bytes of a digest that is more than a checksum.
const STRONG: usize = 16;

/// The digests of the pieces of a sequence, and the position of a file in that sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceList {
    spec: Spec,
    cuts: Boundaries,
    digests: Arc<[u8]>,
    /// The number of bytes stored of each digest.
    digest_len: usize,
    file_start: u64,
    is_padded: bool,
    ends_with_file: bool,
    /// True if the file's size was not in the manifest, even if [`PieceList::of_size`] has set it
    /// since.
    was_open: bool,
    hashing: PieceHashing,
    raised: Option<(u32, u32)>,
    sums: Option<Sums>,
    pads: Option<Arc<[Range<u64>]>>,
}

/// The boundaries of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundaries {
    /// Consecutive pieces of `covered`, each `len` bytes long except the last.
    Equal {
        /// The range that the pieces cover.
        covered: Range<u64>,
        /// The length of a piece in bytes.
        len: u64,
    },
    /// Ranges that are ascending, disjoint and not empty; there may be gaps between them.
    Listed(Arc<[Range<u64>]>),
}

/// The input that is hashed for a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceHashing {
    /// The bytes of the piece.
    Plain,
    /// The bytes of the piece with other bytes before and after them.
    Salted {
        /// The bytes hashed before the piece.
        before: Arc<[u8]>,
        /// The bytes hashed after the piece.
        after: Arc<[u8]>,
    },
    /// The bytes of the piece as a subtree of BLAKE3 at their offset. The list has its chaining
    /// value, which is not a digest.
    Subtree,
}

/// Rolling checksums of zsync in addition to the digests: the last `len` of the four bytes of each,
/// concatenated.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    len: usize,
    all: Arc<[u8]>,
}

readable! {
    /// A piece of a sequence.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Piece {
        /// The range of the piece in the sequence.
        range: Range<u64> => &Range<u64>,
        /// The expected digest, which may be truncated.
        digest: Digest => &Digest,
    }
}

/// The result of comparing the pieces of a file in two lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceComparison {
    /// The content is the same.
    Same,
    /// The content differs.
    Different,
    /// All pieces that differ also contain bytes of other files, so the file itself may be the
    /// same. Contains the ranges of these pieces in both sequences.
    SharedDifference(Vec<[Range<u64>; 2]>),
    /// The algorithms or the boundaries differ, or bytes are in no piece.
    Unknown,
}

impl Boundaries {
    /// Returns the range from the start of the first piece to the end of the last.
    pub fn covered(&self) -> Range<u64> {
        match self {
            Boundaries::Equal { covered, .. } => covered.clone(),
            Boundaries::Listed(ranges) => match (ranges.first(), ranges.last()) {
                (Some(first), Some(last)) => first.start..last.end,
                _ => 0..0,
            },
        }
    }

    /// Returns the range of a piece, or `None` after the last piece.
    pub fn piece(&self, index: u64) -> Option<Range<u64>> {
        match self {
            Boundaries::Equal { covered, len } => {
                let start = covered.start.checked_add(index.checked_mul(*len)?)?;
                (start < covered.end).then(|| start..start.saturating_add(*len).min(covered.end))
            }
            Boundaries::Listed(ranges) => ranges.get(usize::try_from(index).ok()?).cloned(),
        }
    }

    /// Returns the index of the first piece that ends after this offset.
    pub fn at(&self, byte: u64) -> u64 {
        match self {
            Boundaries::Equal { covered, len } => byte.saturating_sub(covered.start) / (*len).max(1),
            Boundaries::Listed(ranges) => ranges.partition_point(|range| range.end <= byte) as u64,
        }
    }

    /// Returns the number of pieces.
    pub fn count(&self) -> u64 {
        match self {
            Boundaries::Equal { covered, len } => (covered.end - covered.start).div_ceil((*len).max(1)),
            Boundaries::Listed(ranges) => ranges.len() as u64,
        }
    }

    /// Returns the ranges between the first and the last piece that no piece covers.
    pub fn gaps(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let ranges: &[Range<u64>] = match self {
            Boundaries::Equal { .. } => &[],
            Boundaries::Listed(ranges) => ranges,
        };
        ranges.windows(2).map(|pair| pair[0].end..pair[1].start).filter(|gap| !gap.is_empty())
    }
}

impl PieceList {
    /// Creates the list of the pieces of `covered`, each `piece_len` bytes long except the last;
    /// `digests` has their digests, concatenated.
    ///
    /// Returns `None` if the number of digests does not match the lengths.
    pub fn new(spec: Spec, covered: Range<u64>, piece_len: u64, digests: Arc<[u8]>) -> Option<PieceList> {
        let bytes = covered.end.checked_sub(covered.start)?;
        if bytes > 0 && piece_len == 0 {
            return None;
        }
        let digest_len = spec.digest_len();
        PieceList::of(spec, Boundaries::Equal { covered, len: piece_len.max(1) }, digests, digest_len)
    }

    /// Creates the list of a file that is no longer than a piece, so that its one piece is the
    /// complete file. Returns `None` for an empty file, which has no piece.
    pub(crate) fn whole(spec: Spec, size: u64, digest: &[u8]) -> Option<PieceList> {
        PieceList::new(spec, 0..size, size, digest.into()).filter(|_| size > 0)
    }

    /// Creates the list of pieces that may have different lengths and gaps between them.
    ///
    /// Returns `None` if the ranges are not ascending, disjoint and not empty, if they end after
    /// [`SIZE_LIMIT`], or if the number of digests differs.
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
            (true, Some(first), Some(last)) => Boundaries::Equal { covered: first.start..last.end, len },
            _ => Boundaries::Listed(ranges.into()),
        };
        PieceList::of(spec, cuts, digests, digest_len)
    }

    /// Creates a list with only the first `digest_len` bytes of each digest.
    ///
    /// Returns `None` if `digest_len` is 0 or exceeds the length of a digest, or if the number of
    /// digests does not match the number of pieces.
    pub fn of(spec: Spec, cuts: Boundaries, digests: Arc<[u8]>, digest_len: usize) -> Option<PieceList> {
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
            hashing: PieceHashing::Plain,
            raised: None,
            sums: None,
            pads: None,
        })
    }

    /// Returns the same pieces for a file that starts at this offset in the sequence.
    #[must_use]
    pub fn of_file_at(&self, file_start: u64) -> PieceList {
        PieceList { file_start, ..self.clone() }
    }

    /// Returns the same pieces with the last one padded with zeros that are in no file.
    #[must_use]
    pub fn padded(self) -> PieceList {
        PieceList { is_padded: true, ..self }
    }

    /// Returns the same pieces of a sequence in which these ranges are zeros that are in no file.
    /// The ranges must be ascending and disjoint.
    #[must_use]
    pub(crate) fn with_pads(self, pads: Arc<[Range<u64>]>) -> PieceList {
        PieceList { pads: Some(pads), ..self }
    }

    /// Splits a range between files, or after the last one, into runs of bytes in order: the length
    /// of each, and whether it consists of zeros. The content of other runs is unknown; it belongs
    /// to a file that is in the list but has no entry.
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

    /// Returns the same pieces for a file whose size is not in the manifest, so that it may end
    /// anywhere in the last piece.
    #[must_use]
    pub fn ending_with_file(self) -> PieceList {
        PieceList { ends_with_file: true, was_open: true, ..self }
    }

    /// Returns the same pieces with this input for the hash function.
    #[must_use]
    pub fn with_hashing(self, hashing: PieceHashing) -> PieceList {
        PieceList { hashing, ..self }
    }

    /// Returns the same pieces, where the last digest in the list is a node of a hash tree `to`
    /// levels above the leaves. The bytes of the last piece make up only the leftmost node at level
    /// `from`; the remaining leaves are missing (BEP 52).
    #[must_use]
    pub(crate) fn raised(self, from: u32, to: u32) -> PieceList {
        PieceList { raised: Some((from, to)), ..self }
    }

    /// Returns whether the last digest is a node of a hash tree with missing leaves.
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.is_some()
    }

    /// Returns the same pieces with rolling checksums: `all` has the last `len` bytes of each,
    /// concatenated.
    ///
    /// Returns `None` if their number does not match, or if `len` exceeds 4.
    pub(crate) fn with_sums(self, len: usize, all: Arc<[u8]>) -> Option<PieceList> {
        let wanted = usize::try_from(self.cuts.count()).ok()?.checked_mul(len)?;
        (all.len() == wanted && len <= 4)
            .then_some(PieceList { sums: Some(Sums { len, all }).filter(|sums| sums.len > 0), ..self })
    }

    /// Returns the same pieces for a file of this size. Returns `None` unless the size was open and
    /// the file ends in the last piece. That piece then ends with the file, unless it is padded.
    #[must_use]
    pub fn of_size(&self, size: u64) -> Option<PieceList> {
        let Boundaries::Equal { covered, len } = &self.cuts else { return None };
        let last = covered.end.checked_sub(*len)?;
        if !self.ends_with_file || size > covered.end || size <= last && !(size == 0 && last == 0) {
            return None;
        }
        let covered = covered.start..if self.is_padded { covered.end } else { size };
        let cuts = Boundaries::Equal { covered, len: *len };
        Some(PieceList { cuts, ends_with_file: false, ..self.clone() })
    }

    /// Returns whether the last piece is padded with zeros that are in no file.
    pub fn is_padded(&self) -> bool {
        self.is_padded
    }

    /// Returns whether the file's size is unknown.
    pub fn is_open(&self) -> bool {
        self.ends_with_file
    }

    /// Returns whether the number of zeros at the end of the file remains unknown even if all
    /// digests match: the manifest does not have the file's size, and the last piece is padded with
    /// zeros.
    pub fn leaves_length(&self) -> bool {
        self.is_padded && self.was_open
    }

    /// Returns whether matching digests prove that the pieces are the expected ones: no digest is
    /// truncated.
    pub fn is_proof(&self) -> bool {
        self.digest_len == self.spec.digest_len()
    }

    /// Returns whether matching digests are a proof and longer than checksums, so that different
    /// bytes do not match by chance.
    pub fn is_strong(&self) -> bool {
        self.is_proof() && self.digest_len >= STRONG
    }

    /// Returns the algorithm of the digests.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Describes the algorithm, and how much of its digests is in the list, for users.
    pub fn described(&self) -> String {
        match (&self.sums, self.is_proof()) {
            (None, true) => self.spec.to_string(),
            (None, false) if self.digest_len == 1 => format!("1 byte of {}", self.spec),
            (None, false) => format!("{} bytes of {}", self.digest_len, self.spec),
            (Some(sums), _) => {
                format!("{} bytes of {} and {} of a rolling checksum", self.digest_len, self.spec, sums.len)
            }
        }
    }

    /// Returns the boundaries of the pieces.
    pub fn cuts(&self) -> &Boundaries {
        &self.cuts
    }

    /// Returns the input that is hashed for each piece.
    pub fn hashing(&self) -> &PieceHashing {
        &self.hashing
    }

    /// Returns a hasher for one piece that has already hashed the bytes before it. Returns `None`
    /// if the hash of a piece depends on its offset.
    pub fn hasher(&self) -> Option<Hasher> {
        let mut hasher = self.spec.hasher();
        match &self.hashing {
            PieceHashing::Plain => {}
            PieceHashing::Salted { before, .. } => hasher.update(before),
            PieceHashing::Subtree => return None,
        }
        Some(hasher)
    }

    /// Returns the bytes that are hashed after each piece.
    pub fn after(&self) -> &[u8] {
        match &self.hashing {
            PieceHashing::Salted { after, .. } => after,
            PieceHashing::Plain | PieceHashing::Subtree => &[],
        }
    }

    /// Returns whether the list has rolling checksums in addition to the digests.
    pub fn has_sums(&self) -> bool {
        self.sums.is_some()
    }

    /// Returns whether a piece matches the list: its digest, and its rolling checksum if the list
    /// has one.
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

    /// Compares the digests of a file's pieces in two lists, given the sizes of the file where the
    /// manifests have them.
    pub fn compare(&self, other: &PieceList, sizes: [Option<u64>; 2]) -> PieceComparison {
        let is_same_kind =
            self.spec == other.spec && self.hashing == other.hashing && self.raised == other.raised;
        if !is_same_kind || !self.is_proof() || !other.is_proof() {
            return PieceComparison::Unknown;
        }
        let [one, two] = [sizes[0].or_else(|| self.extent()), sizes[1].or_else(|| other.extent())];
        if one.zip(two).is_some_and(|(one, two)| one != two) {
            return PieceComparison::Different;
        }
        let Some(size) = one.or(two) else { return PieceComparison::Unknown };
        let (mut pieces, mut others) = (self.of_file(size).peekable(), other.of_file(size).peekable());
        let place = |list: &PieceList, piece: &Piece| {
            let offset = |byte: u64| i128::from(byte) - i128::from(list.file_start);
            (offset(piece.range.start), offset(piece.range.end))
        };
        let (mut known, mut shared) = (0, Vec::new());
        while let (Some(piece), Some(there)) = (pieces.peek(), others.peek()) {
            let ((start, end), counterpart) = (place(self, piece), place(other, there));
            match (start, end).cmp(&counterpart) {
                Ordering::Less => drop(pieces.next()),
                Ordering::Greater => drop(others.next()),
                Ordering::Equal => {
                    if piece.digest == there.digest {
                        known = if start <= known { known.max(end) } else { known };
                    } else if self.is_private(&piece.range, size) && other.is_private(&there.range, size) {
                        return PieceComparison::Different;
                    } else {
                        shared.push([piece.range.clone(), there.range.clone()]);
                    }
                    pieces.next();
                    others.next();
                }
            }
        }
        match shared.is_empty() {
            false => PieceComparison::SharedDifference(shared),
            true if known >= i128::from(size) => PieceComparison::Same,
            true => PieceComparison::Unknown,
        }
    }

    /// Returns whether a piece contains only bytes of the file, which has `size` bytes, and zeros.
    fn is_private(&self, piece: &Range<u64>, size: u64) -> bool {
        let end = self.file_start.saturating_add(size);
        let mut others = self.between(piece.start..self.file_start).chain(self.between(end..piece.end));
        others.all(|(_, is_zero)| is_zero)
    }

    /// Returns the number of bytes from the start of the file to the end of the last piece, if the
    /// pieces cover all of them and the file ends there.
    fn extent(&self) -> Option<u64> {
        let covered = self.covered();
        let is_complete = covered.start <= self.file_start && self.cuts.gaps().next().is_none();
        (is_complete && !self.is_padded && !self.ends_with_file)
            .then(|| covered.end.saturating_sub(self.file_start))
    }

    /// Returns the length of a piece in bytes; the last one may be shorter. Returns 0 if the list
    /// has ranges of different lengths.
    pub fn piece_len(&self) -> u64 {
        match &self.cuts {
            Boundaries::Equal { len, .. } => *len,
            Boundaries::Listed(_) => 0,
        }
    }

    /// Returns the range of the sequence that the pieces cover.
    pub fn covered(&self) -> Range<u64> {
        self.cuts.covered()
    }

    /// Returns the offset of the file in the sequence.
    pub fn file_start(&self) -> u64 {
        self.file_start
    }

    /// Returns all digests, concatenated.
    pub fn digests(&self) -> &Arc<[u8]> {
        &self.digests
    }

    /// Returns the number of pieces.
    pub fn len(&self) -> usize {
        self.digests.len() / self.digest_len
    }

    /// Returns whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Returns the pieces that contain bytes of the file, in order, if the file has `size` bytes.
    /// The first and the last may extend beyond the file.
    pub fn of_file(&self, size: u64) -> impl Iterator<Item = Piece> + '_ {
        let end = self.file_start.saturating_add(size);
        let first = self.cuts.at(self.file_start);
        // An empty file has no bytes in any piece.
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
