//! Combines pieces hashed by many machines to the digest of the complete file (`docs/spec/tree.md` section 6).

use crate::tree::piece::{Division, Piece};
use std::ops::Range;
use truesum_hash::tree::CompactRange;
use truesum_hash::{Digest, Spec};
use truesum_manifest::path::display_safe;

/// The requirements on the origins of pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origins {
    /// All pieces record their origin, and it was one file in one state.
    #[default]
    One,
    /// None: the caller knows that the bytes are the same, for example in copies of one file on several machines.
    Trusted,
}

/// The reason why pieces cannot be combined to a digest. All ranges and offsets are in bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CombineError {
    /// There are no pieces.
    None,
    /// The pieces belong to different digests, or to files of different sizes.
    Mixed(String),
    /// A piece does not record its origin.
    Unstamped(Range<u64>),
    /// Two pieces were not read from the same state of the same file: the range of the second one,
    /// the path it was read from, and the property that differs.
    Moved(Range<u64>, Vec<u8>, &'static str),
    /// Two pieces for the same range contradict each other: one of the workers, or one of the
    /// reads, was wrong.
    Contradiction(Range<u64>),
    /// A piece does not begin where the previous one ends: expected and actual offset.
    Gap(u64, u64),
    /// A piece does not have the hashes that its range needs.
    Levels(Range<u64>),
    /// The digest cannot be divided.
    Undivided(String),
}

impl std::fmt::Display for CombineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CombineError::None => f.write_str("there are no ranges to combine"),
            CombineError::Mixed(what) => write!(f, "the ranges belong to different digests ({what})"),
            CombineError::Unstamped(range) => {
                write!(
                    f,
                    "the result for the range {}..{} does not record which file was read",
                    range.start, range.end
                )
            }
            CombineError::Moved(range, path, what) => {
                let (start, end, path) = (range.start, range.end, display_safe(path));
                write!(
                    f,
                    "the range {start}..{end} was read from a different version of the file ({what} of {path} differs)"
                )
            }
            CombineError::Contradiction(range) => {
                write!(f, "two results for the range {}..{} of the same file differ", range.start, range.end)
            }
            CombineError::Gap(expected, found) if found > expected => {
                write!(f, "the range {expected}..{found} is missing")
            }
            CombineError::Gap(expected, found) => write!(f, "the range {found}..{expected} is covered twice"),
            CombineError::Levels(range) => {
                write!(
                    f,
                    "the number, level or length of the hashes for the range {}..{} is wrong",
                    range.start, range.end
                )
            }
            CombineError::Undivided(name) => write!(f, "{name} cannot be computed from ranges"),
        }
    }
}

impl std::error::Error for CombineError {}

impl CombineError {
    /// Returns the error with ranges in bytes instead of units of the digest.
    fn in_bytes(self, division: &Division, size: u64) -> CombineError {
        let bytes = |units: Range<u64>| division.offset(units.start, size)..division.offset(units.end, size);
        match self {
            CombineError::Unstamped(range) => CombineError::Unstamped(bytes(range)),
            CombineError::Moved(range, path, what) => CombineError::Moved(bytes(range), path, what),
            CombineError::Contradiction(range) => CombineError::Contradiction(bytes(range)),
            CombineError::Gap(expected, found) => {
                CombineError::Gap(division.offset(expected, size), division.offset(found, size))
            }
            CombineError::Levels(range) => CombineError::Levels(bytes(range)),
            other @ (CombineError::None | CombineError::Mixed(_) | CombineError::Undivided(_)) => other,
        }
    }
}

/// Returns the digest of the complete file from pieces that cover it, in any order. Duplicate pieces are allowed,
/// because the work of a slow worker may be given to a second one.
///
/// # Errors
/// Fails if they do not cover the file, overlap, do not have the origins required by `origins`, or contradict
/// themselves or each other.
pub fn combine(mut parts: Vec<Piece>, origins: Origins) -> Result<Digest, CombineError> {
    parts.sort_by_key(|piece| (piece.range.start, piece.range.end));
    let Some(first) = parts.first() else { return Err(CombineError::None) };
    let (spec, size) = (first.spec.clone(), first.size);
    // No file is larger. A line that claims a larger size must not consume memory.
    let possible = size <= 1 << 48;
    let division = if possible { Division::of(&spec, size) } else { None };
    let division =
        division.ok_or_else(|| CombineError::Undivided(format!("{spec} of a file of {size} bytes")))?;
    combine_units(parts, origins, &division).map_err(|error| error.in_bytes(&division, size))
}

/// Combines sorted pieces of one digest. Errors have ranges in units of the digest.
fn combine_units(
    mut parts: Vec<Piece>,
    origins: Origins,
    division: &Division,
) -> Result<Digest, CombineError> {
    let (spec, size) = (parts[0].spec.clone(), parts[0].size);
    if origins == Origins::One {
        one_origin(&parts)?;
    }
    if let Some(other) = parts.iter().find(|piece| piece.spec != spec || piece.size != size) {
        let what =
            format!("{spec} of a file of {size} bytes and {} of a file of {} bytes", other.spec, other.size);
        return Err(CombineError::Mixed(what));
    }
    if let Some(pair) =
        parts.windows(2).find(|pair| pair[0].range == pair[1].range && pair[0].levels != pair[1].levels)
    {
        return Err(CombineError::Contradiction(pair[0].range.clone()));
    }
    parts.dedup_by(|later, earlier| later.range == earlier.range);
    let mut next = 0;
    for piece in &parts {
        if piece.range.start != next {
            return Err(CombineError::Gap(next, piece.range.start));
        }
        next = piece.range.end;
        if piece.levels.iter().any(|(_, hash)| hash.len() != spec.digest_len()) {
            return Err(CombineError::Levels(piece.range.clone()));
        }
    }
    let count = division.count(size);
    if next != count {
        return Err(CombineError::Gap(next, count));
    }
    let levels_fit = |piece: &Piece, expected: &mut dyn Iterator<Item = u8>| {
        let fit = expected.eq(piece.levels.iter().map(|(level, _)| *level));
        if fit { Ok(()) } else { Err(CombineError::Levels(piece.range.clone())) }
    };
    match division {
        Division::Tree(tree) => {
            let node = |left: &Digest, right: &Digest| tree.node(left, right);
            let mut whole = CompactRange::starting_at(0);
            for piece in &parts {
                let end = piece.range.end;
                for (level, hash) in &piece.levels {
                    let room =
                        whole.next().checked_add(1u64.checked_shl(u32::from(*level)).unwrap_or(u64::MAX));
                    if room.is_none_or(|room| room > end) || whole.push(*level, hash.clone(), node).is_err() {
                        return Err(CombineError::Levels(piece.range.clone()));
                    }
                }
                if whole.next() != end {
                    return Err(CombineError::Levels(piece.range.clone()));
                }
            }
            whole_or_undivided(tree.close(&whole, size), &spec)
        }
        Division::Leaves(plan) => {
            let mut fold = plan.fold();
            for piece in &parts {
                levels_fit(piece, &mut piece.range.clone().map(|_| 0))?;
                piece.levels.iter().for_each(|(_, hash)| fold.push(hash.clone()));
            }
            whole_or_undivided(fold.finish(), &spec)
        }
        Division::Checksum(linear) => {
            let mut sum: Option<Digest> = None;
            for piece in &parts {
                levels_fit(piece, &mut std::iter::once(0))?;
                let (_, value) = &piece.levels[0];
                let len = piece.range.end - piece.range.start;
                sum = Some(sum.map_or_else(|| value.clone(), |sum| linear.join(&sum, value, len)));
            }
            whole_or_undivided(sum.map(|sum| linear.close(sum, size)), &spec)
        }
    }
}

/// Finds a piece without an origin, or with a different origin than the first one.
fn one_origin(parts: &[Piece]) -> Result<(), CombineError> {
    let mut first = None;
    for piece in parts {
        let Some(origin) = &piece.origin else { return Err(CombineError::Unstamped(piece.range.clone())) };
        if let Some(what) = first.get_or_insert(origin).differs(origin) {
            return Err(CombineError::Moved(piece.range.clone(), origin.path.clone(), what));
        }
    }
    Ok(())
}

fn whole_or_undivided(digest: Option<Digest>, spec: &Spec) -> Result<Digest, CombineError> {
    digest.ok_or_else(|| CombineError::Undivided(format!("{spec} of a file this short")))
}
