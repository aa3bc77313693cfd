//! One digest from many machines: each hashes a range of the file (`docs/spec/tree.md` section 6), and `combine` joins
//! the results.

use crate::error::{Cause, Error};
use crate::io::source::{Source, finish};
use crate::pieces::UNIT;
use crate::pieces::scan::Scan;
use crate::tree::prove::{bytes_of, hash_leaves};
use crate::tree::reading::Reading;
use crate::tree::store::Hints;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::{CompactRange, Linear, Merkle, Plan, decompose};
use truesum_hash::{Digest, Spec};

/// The result of one worker.
///
/// A plain record, which callers write to files and read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The algorithm.
    pub spec: Spec,
    /// The size of the complete file in bytes.
    pub size: u64,
    /// The range in units of the digest: leaves of a tree, parts, or bytes of a checksum.
    pub range: Range<u64>,
    /// The hashes of the range's maximal perfect subtrees, each with its level, from left to right.
    pub levels: Vec<(u8, Digest)>,
    /// The file that was read. `None` if the piece does not record it; then there is no way to tell whether its
    /// neighbors belong to the same bytes.
    pub origin: Option<Origin>,
}

/// The file that a piece was read from, and its state at that time.
///
/// A plain record, which callers write to files and read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name on the worker.
    pub path: Vec<u8>,
    /// Its times and numbers.
    pub state: Hints,
    /// The version, for an object that is not in a file system.
    pub version: Option<String>,
}

impl Piece {
    /// Returns the BLAKE3 digest of the contents of the piece (`docs/spec/tree.md` section 6). If it differs from the
    /// one written with the piece, the piece was corrupted in transit.
    pub fn seal(&self) -> Digest {
        let Piece { spec, size, range, levels, origin } = self;
        let mut text = format!("{spec}\n{size}\n{}\n{}\n", range.start, range.end);
        for (level, hash) in levels {
            text.push_str(&format!("{level} {hash}\n"));
        }
        let mut text = text.into_bytes();
        if let Some(Origin { path, state: Hints { inode, mtime, ctime, .. }, version }) = origin {
            text.extend(version.iter().flat_map(|version| [b"version ", version.as_bytes(), b"\n"].concat()));
            text.extend_from_slice(format!("{inode}\n{mtime}\n{ctime}\n").as_bytes());
            text.extend_from_slice(path);
        }
        "blake3".parse::<Spec>().expect("a row of the table").digest(&text)
    }
}

impl Origin {
    /// Returns the property that shows that another piece was read from a different file, or from
    /// this one in a different state; `None` if there is none.
    ///
    /// Names and device numbers are local to each machine and not compared. The status change time is, because it also
    /// changes if the modification time is set back. For an object, the version alone is sufficient.
    pub fn differs(&self, other: &Origin) -> Option<&'static str> {
        if self.version != other.version { Some("the version") } else { self.state.differs(&other.state) }
    }
}

/// The division of a digest between workers.
pub(super) enum Division {
    Tree(Box<Merkle>),
    Checksum(Linear),
    /// Leaves whose positions and number the plan determines.
    Leaves(Box<Plan>),
}

impl Division {
    pub(super) fn of(spec: &Spec, size: u64) -> Option<Division> {
        if let Some(tree) = Merkle::new(spec) {
            return Some(Division::Tree(Box::new(tree)));
        }
        if let Some(linear) = Linear::of(spec.algorithm()) {
            return Some(Division::Checksum(linear));
        }
        Some(Division::Leaves(Box::new(Plan::new(spec, size)?)))
    }

    /// Returns a range of bytes in units of the digest, if it can be divided there.
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

    /// Returns the first offset, at or after this one, at which the digest can be divided. The end
    /// of the file always counts.
    fn next_cut(&self, from: u64, size: u64) -> u64 {
        match self {
            Division::Checksum(_) => from.min(size),
            Division::Tree(tree) => {
                from.checked_next_multiple_of(tree.leaf_size()).map_or(size, |cut| cut.min(size))
            }
            Division::Leaves(plan) => {
                let (mut low, mut high) = (0, plan.pieces());
                while low < high {
                    let middle = low.midpoint(high);
                    match plan.piece(middle).start < from {
                        true => low = middle + 1,
                        false => high = middle,
                    }
                }
                if low == plan.pieces() { size } else { plan.piece(low).start }
            }
        }
    }

    /// Returns the offset of the byte where a unit begins, or the size for one beyond the end.
    pub(super) fn offset(&self, unit: u64, size: u64) -> u64 {
        let offset = match self {
            Division::Checksum(_) => unit,
            Division::Tree(tree) => unit.saturating_mul(tree.leaf_size()),
            Division::Leaves(plan) if unit < plan.pieces() => plan.piece(unit).start,
            Division::Leaves(_) => size,
        };
        offset.min(size)
    }

    /// Returns the total number of units.
    pub(super) fn count(&self, size: u64) -> u64 {
        match self {
            Division::Checksum(_) => size,
            Division::Tree(tree) => tree.leaves(size),
            Division::Leaves(plan) => plan.pieces(),
        }
    }
}

/// The consecutive ranges into which a file is divided for several workers.
#[derive(Clone)]
pub struct Boundaries {
    divisions: Arc<[Division]>,
    size: u64,
    about: u64,
    at: u64,
}

impl Boundaries {
    /// Returns ranges of about this many bytes, rounded up to an offset at which all of these digests can be divided;
    /// `None` if one of them cannot be divided, or if no offset suits all.
    pub fn new(specs: &[Spec], size: u64, about: u64) -> Option<Boundaries> {
        let divisions: Option<Arc<[Division]>> = specs.iter().map(|spec| Division::of(spec, size)).collect();
        let cuts = Boundaries { divisions: divisions?, size, about: about.max(1), at: 0 };
        (cuts.clone().next()?.end < size).then_some(cuts)
    }
}

impl Iterator for Boundaries {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        /// Digests that share no offset within this many steps have leaves with no common boundaries.
        const STEPS: usize = 64;
        if self.at >= self.size {
            return None;
        }
        let mut end = self.at.saturating_add(self.about).min(self.size);
        for step in 0.. {
            let next = self.divisions.iter().fold(end, |end, division| division.next_cut(end, self.size));
            if next == end {
                break;
            }
            end = if step == STEPS { self.size } else { next };
        }
        let range = self.at..end;
        self.at = end;
        Some(range)
    }
}

/// Restores the piece of a worker for these bytes from its hashes. Returns `None` if the digest
/// cannot be divided there.
pub fn piece_of(
    spec: &Spec,
    size: u64,
    bytes: &Range<u64>,
    levels: Vec<(u8, Digest)>,
    origin: Option<Origin>,
) -> Option<Piece> {
    let range = Division::of(spec, size)?.units(bytes, size)?;
    Some(Piece { spec: spec.clone(), size, range, levels, origin })
}

fn exact(offset: u64, unit: u64) -> Option<u64> {
    offset.is_multiple_of(unit).then_some(offset / unit)
}

/// Hashes a byte range of a file as part of the digest of the complete file.
///
/// # Errors
/// Fails if the digest cannot be divided, or not at these offsets, or if the file cannot be read or changed during the
/// read.
pub fn hash_range(
    path: impl AsRef<Path>,
    spec: &Spec,
    bytes: Range<u64>,
    reading: &Reading<'_>,
) -> Result<Piece, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let fail = |why: String| Error::new(path, "hash a range", Cause::Undivided(why));
    let (file, threads) = (reading.open(path)?, reading.thread_count());
    let source = reading.source(&file, path);
    let size = source.size;
    let division =
        Division::of(spec, size).ok_or_else(|| fail(format!("{spec} cannot be computed for a range")))?;
    if bytes.start > bytes.end || bytes.end > size {
        return Err(fail(format!(
            "the range {}..{} ends before it begins or extends beyond the end of the file ({size} bytes)",
            bytes.start, bytes.end
        )));
    }
    // The only leaf of a BLAKE3 tree is the root and cannot be a piece.
    if matches!(&division, Division::Tree(tree) if !tree.place_independent() && tree.leaves(size) < 2) {
        return Err(fail(format!(
            "{spec} cannot be computed for a range of a file this short; use truesum hash"
        )));
    }
    let range = division.units(&bytes, size).ok_or_else(|| {
        let whole = match &division {
            Division::Tree(tree) => format!("multiples of {}", tree.leaf_size()),
            _ => "leaf boundaries".to_owned(),
        };
        fail(format!(
            "with {spec}, a range must begin and end at {whole} (its end may also be the end of the file)"
        ))
    })?;
    let levels = match &division {
        Division::Checksum(linear) => vec![(0, checksum(source, spec, *linear, bytes, threads)?)],
        Division::Tree(tree) => subtrees(source, spec, tree, range.clone(), threads)?,
        Division::Leaves(plan) => {
            let row = Scan::new(source, std::slice::from_ref(plan), threads).row(range.clone())?;
            row.into_iter().map(|digest| (0, digest)).collect()
        }
    };
    let version = file.version().map(|version| version.tag().to_owned());
    let origin = Some(Origin { path: path.to_vec(), state: Hints::of(file.stat()), version });
    finish(file, path)?;
    Ok(Piece { spec: spec.clone(), size, range, levels, origin })
}

/// Divides a range at multiples of `unit`: the bytes before the first one, the complete units by number, and the bytes
/// after the last one.
fn whole_units(range: &Range<u64>, unit: u64) -> (Range<u64>, Range<u64>, Range<u64>) {
    let first = range.start.next_multiple_of(unit).min(range.end);
    let last = (range.end / unit * unit).max(first);
    (range.start..first, first / unit..last / unit, last..range.end)
}

/// Returns the maximal perfect subtrees of a range of leaves.
fn subtrees(
    source: Source<'_>,
    spec: &Spec,
    tree: &Merkle,
    leaves: Range<u64>,
    threads: usize,
) -> Result<Vec<(u8, Digest)>, Error> {
    let count = tree.leaves(source.size);
    if !tree.place_independent() && leaves == (0..count) && count > 1 {
        // The last merge of BLAKE3 computes the root, so it is left to `combine`.
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
        whole.push(level, hash, node).expect("subtrees are in order");
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
