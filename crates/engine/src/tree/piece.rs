//! One digest from many machines: each hashes a range, one puts the results together (`docs/spec/tree.md` section 6).

use crate::error::{Cause, Error};
use crate::io::source::{Source, finish};
use crate::pieces::UNIT;
use crate::pieces::scan::Scan;
use crate::tree::prove::{bytes_of, hash_leaves};
use crate::tree::reading::Reading;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum_hash::tree::{CompactRange, Linear, Merkle, Plan, decompose};
use truesum_hash::{Digest, Spec};

/// What one worker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The digest to be made.
    pub spec: Spec,
    /// Bytes of the whole file.
    pub size: u64,
    /// The range, in the digest's own unit: leaves of a tree, parts, or bytes of a checksum.
    pub range: Range<u64>,
    /// The hashes of the range's maximal perfect subtrees, each with its level, left to right.
    pub levels: Vec<(u8, Digest)>,
}

/// How a digest is divided between workers.
enum Division {
    Tree(Box<Merkle>),
    Checksum(Linear),
    /// Leaves whose places and number the plan knows.
    Leaves(Box<Plan>),
}

impl Division {
    fn of(spec: &Spec, size: u64) -> Option<Division> {
        if let Some(tree) = Merkle::new(spec) {
            return Some(Division::Tree(Box::new(tree)));
        }
        if let Some(linear) = Linear::of(spec.algorithm()) {
            return Some(Division::Checksum(linear));
        }
        Some(Division::Leaves(Box::new(Plan::new(spec, size)?)))
    }

    /// Where a range of bytes lies in the digest's unit, if it can be cut there.
    fn units(&self, bytes: &Range<u64>, size: u64) -> Option<Range<u64>> {
        match self {
            Division::Checksum(_) => Some(bytes.clone()),
            Division::Tree(tree) => {
                let leaf = tree.leaf_size();
                let end = if bytes.end == size { tree.leaves(size) } else { exact(bytes.end, leaf)? };
                Some(exact(bytes.start, leaf)?..end)
            }
            Division::Leaves(plan) => {
                let starts =
                    |offset: u64| (0..plan.pieces()).find(|&piece| plan.piece(piece).start == offset);
                let end = if bytes.end == size { plan.pieces() } else { starts(bytes.end)? };
                Some(starts(bytes.start)?..end)
            }
        }
    }

    /// Units in all.
    fn count(&self, size: u64) -> u64 {
        match self {
            Division::Checksum(_) => size,
            Division::Tree(tree) => tree.leaves(size),
            Division::Leaves(plan) => plan.pieces(),
        }
    }
}

fn exact(offset: u64, unit: u64) -> Option<u64> {
    offset.is_multiple_of(unit).then_some(offset / unit)
}

/// Hashes a range of a file's bytes towards a digest of the whole.
///
/// # Errors
/// The digest cannot be divided, or not at these offsets; the file cannot be read or changed meanwhile.
pub fn hash_range(
    path: impl AsRef<Path>,
    spec: &Spec,
    bytes: Range<u64>,
    reading: &Reading<'_>,
) -> Result<Piece, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let fail = |why: String| Error::new(path, "hash a range of", Cause::Other(why));
    let (file, threads) = (reading.open(path)?, reading.threads());
    let source = reading.source(&file, path);
    let size = source.size;
    let division = Division::of(spec, size).ok_or_else(|| fail(format!("{spec} cannot be divided")))?;
    if bytes.start > bytes.end || bytes.end > size {
        return Err(fail(format!("{}..{} is not a range of its {size} bytes", bytes.start, bytes.end)));
    }
    let range = division.units(&bytes, size).ok_or_else(|| {
        let whole = match &division {
            Division::Tree(tree) => format!("multiples of {}", tree.leaf_size()),
            _ => "the offsets where its leaves begin".to_owned(),
        };
        fail(format!("{spec} can be divided at {whole} only"))
    })?;
    let levels = match &division {
        Division::Checksum(linear) => vec![(0, checksum(source, spec, *linear, bytes, threads)?)],
        Division::Tree(tree) => subtrees(source, spec, tree, range.clone(), threads)?,
        Division::Leaves(plan) => {
            let row = Scan::new(source, std::slice::from_ref(plan), threads).row(range.clone())?;
            row.into_iter().map(|digest| (0, digest)).collect()
        }
    };
    finish(file, path)?;
    Ok(Piece { spec: spec.clone(), size, range, levels })
}

/// A range cut at multiples of `unit`: what is before the first, whole units by number, what is after the last.
fn whole_units(range: &Range<u64>, unit: u64) -> (Range<u64>, Range<u64>, Range<u64>) {
    let first = range.start.next_multiple_of(unit).min(range.end);
    let last = (range.end / unit * unit).max(first);
    (range.start..first, first / unit..last / unit, last..range.end)
}

/// The maximal perfect subtrees of a range of leaves.
fn subtrees(
    source: Source<'_>,
    spec: &Spec,
    tree: &Merkle,
    leaves: Range<u64>,
    threads: usize,
) -> Result<Vec<(u8, Digest)>, Error> {
    let count = tree.leaves(source.size);
    if !tree.place_independent() && leaves == (0..count) && count > 1 {
        // BLAKE3's last merge is the root's, so it is left to `combine`.
        let half = 1 << (count - 1).ilog2();
        let mut parts = subtrees(source, spec, tree, 0..half, threads)?;
        parts.extend(subtrees(source, spec, tree, half..count, threads)?);
        return Ok(parts);
    }
    let per_unit = (UNIT / tree.leaf_size()).max(1);
    let (head, units, tail) = whole_units(&leaves, per_unit);
    let plan = Plan::with_granule(spec, source.size, UNIT).expect("a Merkle tree can be cut");
    let node = |left: &Digest, right: &Digest| tree.node(left, right);
    let single = |leaves: Range<u64>| {
        decompose(leaves.start, leaves.end).map(|(start, level)| {
            let bytes = bytes_of(tree, &(start..start + (1 << level)), source.size);
            Ok((level, hash_leaves(&mut source.reader(), tree, bytes, 0)?))
        })
    };
    let mut found: Vec<(u8, Digest)> = single(head).collect::<Result<_, Error>>()?;
    let row = Scan::new(source, std::slice::from_ref(&plan), threads).row(units)?;
    found.extend(row.into_iter().map(|digest| (per_unit.ilog2() as u8, digest)));
    found.extend(single(tail).collect::<Result<Vec<_>, Error>>()?);
    let mut whole = CompactRange::starting_at(leaves.start);
    for (level, hash) in found {
        whole.push(level, hash, node).expect("subtrees come in order");
    }
    Ok(whole.into_subtrees(node))
}

fn checksum(
    source: Source<'_>,
    spec: &Spec,
    linear: Linear,
    bytes: Range<u64>,
    threads: usize,
) -> Result<Digest, Error> {
    let (head, units, tail) = whole_units(&bytes, UNIT);
    let plan = Plan::with_granule(spec, source.size, UNIT).expect("a checksum can be cut");
    let single = |bytes: Range<u64>| {
        let mut buffer = vec![0; (bytes.end - bytes.start) as usize];
        source.read(&mut buffer, bytes.start)?;
        Ok((linear.part(spec, &buffer), bytes.end - bytes.start))
    };
    let mut sum = single(head)?;
    let row = Scan::new(source, std::slice::from_ref(&plan), threads).row(units)?;
    let rest = row.into_iter().map(|value| (value, UNIT)).chain(std::iter::once(single(tail)?));
    for (value, len) in rest {
        sum = (linear.join(&sum.0, &value, len), sum.1 + len);
    }
    Ok(sum.0)
}

/// Why pieces do not make a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There are none.
    None,
    /// They are not of one file and one digest.
    Mixed(String),
    /// One does not begin where the one before it ends: expected, found.
    Gap(u64, u64),
    /// One has not the hashes that its range needs.
    Levels(Range<u64>),
    /// The digest cannot be divided.
    Undivided(String),
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misfit::None => f.write_str("there are no pieces"),
            Misfit::Mixed(what) => write!(f, "the pieces are of {what}"),
            Misfit::Gap(expected, found) if found > expected => write!(f, "{expected}..{found} is missing"),
            Misfit::Gap(expected, found) => write!(f, "{found}..{expected} is there twice"),
            Misfit::Levels(range) => {
                write!(f, "the piece {}..{} has not the hashes of its range", range.start, range.end)
            }
            Misfit::Undivided(name) => write!(f, "{name} cannot be divided"),
        }
    }
}

impl std::error::Error for Misfit {}

/// The digest of the whole file from pieces that cover it, in any order.
///
/// # Errors
/// They do not cover it exactly once, or one contradicts itself.
pub fn combine(mut parts: Vec<Piece>) -> Result<Digest, Misfit> {
    parts.sort_by_key(|piece| (piece.range.start, piece.range.end));
    let Some(first) = parts.first() else { return Err(Misfit::None) };
    let (spec, size) = (first.spec.clone(), first.size);
    if let Some(other) = parts.iter().find(|piece| piece.spec != spec || piece.size != size) {
        let what = format!("{spec} of {size} bytes and {} of {} bytes", other.spec, other.size);
        return Err(Misfit::Mixed(what));
    }
    // No file is larger, and a line that says so is not allowed to cost memory.
    let possible = size <= 1 << 48;
    let division = if possible { Division::of(&spec, size) } else { None };
    let division = division.ok_or_else(|| Misfit::Undivided(format!("{spec} of {size} bytes")))?;
    let mut next = 0;
    for piece in &parts {
        if piece.range.start != next {
            return Err(Misfit::Gap(next, piece.range.start));
        }
        next = piece.range.end;
        if piece.levels.iter().any(|(_, hash)| hash.len() != spec.digest_len()) {
            return Err(Misfit::Levels(piece.range.clone()));
        }
    }
    let count = division.count(size);
    if next != count {
        return Err(Misfit::Gap(next, count));
    }
    let levels_fit = |piece: &Piece, expected: &mut dyn Iterator<Item = u8>| {
        let fit = expected.eq(piece.levels.iter().map(|(level, _)| *level));
        if fit { Ok(()) } else { Err(Misfit::Levels(piece.range.clone())) }
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
                        return Err(Misfit::Levels(piece.range.clone()));
                    }
                }
                if whole.next() != end {
                    return Err(Misfit::Levels(piece.range.clone()));
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

fn whole_or_undivided(digest: Option<Digest>, spec: &Spec) -> Result<Digest, Misfit> {
    digest.ok_or_else(|| Misfit::Undivided(format!("{spec} of so short a file")))
}
