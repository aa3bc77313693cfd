//! Determines which bytes of a file differ from those its stored tree was built from.
//!
//! The tree is verified first: a differing granule is evidence about the file only if the row of the tree folds to its
//! digest. A granule that the device cannot read is damaged like one that differs, so that it can be repaired.

use crate::error::{Cause, Error, Kind};
use crate::io::source::{Source, finish};
use crate::pieces::PieceOutcome;
use crate::pieces::ranges::joined;
use crate::pieces::scan::Scan;
use crate::tree::build::{GranuleCombiner, root_of_one};
use crate::tree::findings::Findings;
use crate::tree::prove::{Reader, hash_leaf, hash_leaves};
use crate::tree::reading::Reading;
use crate::tree::store::{Header, Hints, Store};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_hash::Digest;
use truesum_hash::tree::Merkle;

/// The result for a file and its stored tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// The file is identical to the one the tree was built from.
    Good,
    /// The tree is intact, and the file differs.
    FileDamaged,
    /// The file agrees with the tree's row; the tree itself is damaged elsewhere.
    TreeDamaged,
    /// The tree contradicts itself, and the file does not agree with it.
    CannotTell,
    /// The tree does not belong to the trusted digest.
    OtherTree,
}

/// The comparison of the file's length with the length in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Equal.
    Same,
    /// The file is shorter by this many bytes.
    Truncated(u64),
    /// The file is longer by this many bytes.
    Grown(u64),
}

readable! {
    /// A shift of old bytes to another offset: this many bytes were inserted (positive) or lost
    /// (negative) before them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Shift {
        /// The offset in the original file from which bytes are shifted.
        from: u64,
        /// The distance.
        by: i64,
    }
}

readable! {
    /// The result of a verification.
    #[derive(Clone, Debug)]
    pub struct Difference {
        /// The overall result.
        diagnosis: Diagnosis,
        /// The byte ranges that differ, ascending and not adjacent, in complete granules; missing and unreadable bytes
        /// are included.
        damaged: Vec<Range<u64>> => &[Range<u64>],
        /// The damaged byte ranges that the device cannot read, ascending and not adjacent, in complete granules.
        unreadable: Vec<Range<u64>> => &[Range<u64>],
        /// The comparison of the lengths.
        length: Length,
        /// The shift of old bytes that were found at another offset, if the lengths differ.
        shift: Option<Shift>,
        /// A description of the damage to the tree itself.
        blemish: Option<String> as Option<&str>,
        /// The current file size in bytes.
        size: u64,
        /// The number of bytes that an interrupted verification had already compared and that were not read again.
        before: u64,
    }
}

impl Difference {
    /// Returns a result without a shift and without damage to a tree.
    pub fn new(diagnosis: Diagnosis, damaged: Vec<Range<u64>>, length: Length, size: u64) -> Difference {
        let (unreadable, blemish) = (Vec::new(), None);
        Difference { diagnosis, damaged, unreadable, length, shift: None, blemish, size, before: 0 }
    }
}

options! {
    /// The options for comparing a file with its stored tree.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Comparison<'a> {
        /// A digest from another source, to which the tree must belong.
        trusted: Option<&'a Digest>,
        /// Whether progress is saved next to the tree ([`findings_of`](crate::tree::findings::findings_of)), and an
        /// interrupted verification is resumed.
        resume: bool,
    }
}

/// Compares a file with its stored tree. `trusted` is a digest from another source.
///
/// # Errors
/// Fails as [`Comparison::verify`].
pub fn verify(
    path: impl AsRef<Path>,
    store: &Store,
    trusted: Option<&Digest>,
    reading: &Reading<'_>,
) -> Result<Difference, Error> {
    Comparison { trusted, resume: false }.verify(path, store, reading)
}

impl Comparison<'_> {
    /// Compares a file with its stored tree. Granules that the device cannot read are damaged.
    ///
    /// # Errors
    /// Fails if the file cannot be read for another reason, if the tree cannot be read, if the file changed during the
    /// read, if the tree is not complete, if the run was stopped, or if the progress to be resumed is damaged or belongs
    /// to something else.
    pub fn verify(
        &self,
        path: impl AsRef<Path>,
        store: &Store,
        reading: &Reading<'_>,
    ) -> Result<Difference, Error> {
        self.verify_state(path, store, reading).map(|(report, _)| report)
    }

    /// Does the same, and returns the metadata of the file that was compared.
    pub(crate) fn verify_state(
        &self,
        path: impl AsRef<Path>,
        store: &Store,
        reading: &Reading<'_>,
    ) -> Result<(Difference, Metadata), Error> {
        let Comparison { trusted, resume } = *self;
        let path = path.as_ref().as_os_str().as_bytes();
        let header = store.header();
        let Some(digest) = &header.digest else {
            let why = "the stored tree is incomplete".to_owned();
            return Err(Error::new(path, "verify", Cause::Other(why)));
        };
        let file = reading.open(path)?;
        let (size, state) = (file.size_hint(), *file.stat());
        let length = match size.cmp(&header.size) {
            std::cmp::Ordering::Equal => Length::Same,
            std::cmp::Ordering::Less => Length::Truncated(header.size - size),
            std::cmp::Ordering::Greater => Length::Grown(size - header.size),
        };
        let mut report = Difference::new(Diagnosis::OtherTree, Vec::new(), length, size);
        if trusted.is_some_and(|trusted| trusted != digest) {
            return Ok((report, state));
        }
        let whole = reading.source(&file, path);
        let source = Source { size: size.min(header.size), ..whole };
        let mut findings = match resume {
            true => Some(Findings::begin(store, size, &Hints::of(file.stat()))?),
            false => None,
        };
        if let Some(findings) = &findings {
            let bytes = |granules: &Range<u64>| {
                header.range(granules.end - 1).end.min(size) - header.range(granules.start).start.min(size)
            };
            report.before = findings.checked.iter().map(bytes).sum();
        }
        let Differing { bad, unreadable } =
            differing(source, store, findings.as_mut(), reading.thread_count())?;
        let (sound, good) = match store.fold()? {
            Some(folded) => (folded == *digest, bad.is_empty()),
            // Nothing contradicts the entry or the digest.
            None if !unreadable.is_empty() => (true, false),
            // BLAKE3 with a single granule: the digest and the entry are two pieces of evidence of equal weight.
            None => {
                let same = root_of_one(source, &header.spec)? == *digest;
                (same == bad.is_empty(), same)
            }
        };
        if !bad.is_empty() && unreadable.is_empty() && length != Length::Same {
            report.shift = shift(whole, store, &bad)?;
        }
        finish(file, path)?;
        report.blemish = match (&store.blemish, sound) {
            (_, false) => Some("its hashes do not yield its digest".to_owned()),
            (blemish, true) => blemish.as_ref().map(ToString::to_string),
        };
        report.diagnosis = match (sound, good && length == Length::Same) {
            (true, true) if report.blemish.is_some() => Diagnosis::TreeDamaged,
            (true, true) => Diagnosis::Good,
            (true, false) => Diagnosis::FileDamaged,
            (false, true) => Diagnosis::TreeDamaged,
            (false, false) => Diagnosis::CannotTell,
        };
        let bytes = |granules: Vec<Range<u64>>| {
            let bytes = |range: Range<u64>| header.range(range.start).start..header.range(range.end - 1).end;
            joined(granules.into_iter().map(bytes))
        };
        (report.damaged, report.unreadable) = (bytes(bad), bytes(unreadable));
        if let Some(findings) = findings {
            findings.remove()?;
        }
        Ok((report, state))
    }
}

/// Granules that are not those in the tree, in ascending ranges.
struct Differing {
    /// All of them, including missing ones.
    bad: Vec<Range<u64>>,
    /// Those that the device cannot read.
    unreadable: Vec<Range<u64>>,
}

/// The granules that were compared so far.
struct Compared<'a> {
    store: &'a Store,
    gather: GranuleCombiner,
    checked: Vec<Range<u64>>,
    bad: Vec<Range<u64>>,
    findings: Option<&'a mut Findings>,
}

impl Compared<'_> {
    /// The number of ranges after which neighbors are joined, because threads finish granules in nearly ascending order.
    const JOIN: usize = 1 << 12;

    /// Adds the digests of pieces starting with `first`, and compares the granules that they complete.
    fn add(&mut self, first: u64, digests: Vec<Digest>) -> Result<(), Error> {
        match self.gather.add(first, digests) {
            Some((first, found)) => self.compare(first, &found),
            None => Ok(()),
        }
    }

    /// Compares the granules that start with `first`.
    fn compare(&mut self, first: u64, found: &[Digest]) -> Result<(), Error> {
        let end = (first + found.len() as u64).min(self.store.header().granules());
        let mut differ = Vec::new();
        for (granule, (found, kept)) in (first..).zip(found.iter().zip(self.store.get(first..end)?)) {
            if *found != kept {
                differ.push(granule..granule + 1);
            }
        }
        self.bad.extend_from_slice(&differ);
        self.checked.push(first..end);
        if self.checked.len() > Compared::JOIN {
            self.checked = joined(std::mem::take(&mut self.checked));
        }
        match &mut self.findings {
            Some(findings) => findings.add(first..end, differ),
            None => Ok(()),
        }
    }

    /// Returns the granules below `end` that were not compared yet.
    fn unchecked(&mut self, end: u64) -> Vec<Range<u64>> {
        self.checked = joined(std::mem::take(&mut self.checked));
        let starts = std::iter::once(0).chain(self.checked.iter().map(|range| range.end));
        let ends = self.checked.iter().map(|range| range.start).chain(std::iter::once(end));
        let ranges = starts.zip(ends).map(|(start, next)| start..next.min(end));
        ranges.filter(|range| !range.is_empty()).collect()
    }

    /// Reads the first granules below `end` that were not compared yet one by one, up to the first that can be read
    /// after some that cannot. The one that ended a scan is among them, because threads read in ascending order.
    ///
    /// # Errors
    /// Fails if a granule cannot be read for another reason, or if the run was stopped.
    fn pass_unreadable(
        &mut self,
        source: Source<'_>,
        end: u64,
        unreadable: &mut Vec<Range<u64>>,
    ) -> Result<(), Error> {
        /// More than the threads of a scan read ahead. A temporary error must not end parallel reading for good.
        const AHEAD: usize = 256;
        let store = self.store;
        let mut found = false;
        for granule in self.unchecked(end).into_iter().flatten().take(AHEAD) {
            if source.progress.stopped() {
                return Err(Error::interrupted(source.path));
            }
            let range = store.header().range(granule);
            let itself = granule..granule + 1;
            if range.end > source.size {
                self.bad.push(itself.clone());
                self.checked.push(itself);
                continue;
            }
            match hash_granule(&mut source.reader(), store.header(), granule, range.start) {
                Ok(hash) => {
                    self.compare(granule, &[hash])?;
                    if found {
                        break;
                    }
                }
                Err(error) if is_unreadable(&error, source) => {
                    found = true;
                    self.checked.push(itself.clone());
                    unreadable.push(itself);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Returns whether the device cannot read bytes of the file.
fn is_unreadable(error: &Error, source: Source<'_>) -> bool {
    error.kind() == Kind::Device && error.name() == source.path
}

/// Returns the granules whose hashes differ from those in the tree, including missing ones.
/// Granules in `findings` are not read.
fn differing(
    source: Source<'_>,
    store: &Store,
    findings: Option<&mut Findings>,
    threads: usize,
) -> Result<Differing, Error> {
    let header = store.header();
    let (plan, ratio) = (header.plan(), header.pieces_per_granule());
    let granules = header.granules();
    // Pieces that end within the file. If pieces are small, the last unit is hashed up to the end
    // of the file, and differs.
    let here = match plan.piece_hasher() {
        Some(_) => {
            (0..plan.pieces()).take_while(|&piece| plan.piece(piece).end <= source.size).count() as u64
        }
        None => {
            plan.pieces().min(source.size.div_ceil(plan.piece(0).end.max(1)).max(u64::from(header.size == 0)))
        }
    };
    let zeros = if source.holes { plan.zeros() } else { None };
    let missing = if here == plan.pieces() { granules } else { here / ratio };
    let mut bad = vec![missing..granules];
    let mut checked = Vec::new();
    if let Some(findings) = &findings {
        bad.extend_from_slice(&findings.differing);
        checked.extend_from_slice(&findings.checked);
    }
    let gather = GranuleCombiner::new(header);
    let state = Mutex::new(Compared { store, gather, checked, bad, findings });
    let lock = || state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let done = |_, run: PieceOutcome| {
        let mut state = lock();
        match run {
            PieceOutcome::Digests(first, digests) => state.add(first, digests),
            PieceOutcome::Zeros(pieces) => {
                let zero = zeros
                    .as_ref()
                    .expect("holes are read, not skipped, if zeros have no known digest")
                    .piece();
                const AT_ONCE: usize = 1 << 12;
                let at_once = if ratio == 1 { AT_ONCE } else { 1 };
                for first in pieces.clone().step_by(at_once) {
                    let count = at_once.min((pieces.end - first) as usize);
                    state.add(first, vec![zero.clone(); count])?;
                }
                Ok(())
            }
        }
    };
    let plans = std::slice::from_ref(&plan);
    let mut unreadable = Vec::new();
    let result = loop {
        let left = lock().unchecked(here.div_ceil(ratio)).into_iter();
        let wanted = left.map(|range| range.start * ratio..(range.end * ratio).min(here)).collect();
        let scan = Scan::new(source, plans, threads).skipping_zeros(zeros.is_some());
        match scan.run(wanted, done) {
            Err(error) if is_unreadable(&error, source) => {
                if let Err(error) = lock().pass_unreadable(source, here.div_ceil(ratio), &mut unreadable) {
                    break Err(error);
                }
            }
            result => break result,
        }
    };
    let mut state = state.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Save completed work, whatever the reason for stopping.
    if let (Err(_), Some(findings)) = (&result, &mut state.findings) {
        findings.write()?;
    }
    result?;
    state.bad.extend_from_slice(&unreadable);
    Ok(Differing { bad: joined(state.bad), unreadable: joined(unreadable) })
}

/// Returns whether the bytes of the last granules are shifted by the difference of the lengths.
fn shift(source: Source<'_>, store: &Store, bad: &[Range<u64>]) -> Result<Option<Shift>, Error> {
    let header = store.header();
    let by = source.size.cast_signed() - header.size.cast_signed();
    let moved = |granule: u64| -> Result<bool, Error> {
        let range = header.range(granule);
        let Some(start) = range.start.checked_add_signed(by) else { return Ok(false) };
        if start + (range.end - range.start) > source.size {
            return Ok(false);
        }
        Ok(hash_granule(&mut source.reader(), header, granule, start)? == store.get(granule..granule + 1)?[0])
    };
    let last = header.granules() - 1;
    let first = bad[0].start;
    if !moved(last)? {
        return Ok(None);
    }
    // Find the first shifted granule; all from there to the end are shifted.
    let (mut low, mut high) = (first, last);
    while low < high {
        let middle = low + (high - low) / 2;
        if moved(middle)? { high = middle } else { low = middle + 1 }
    }
    Ok(Some(Shift { from: header.range(high).start, by }))
}

/// Returns the hash of granule `index` if its bytes began at `start`.
pub(crate) fn hash_granule(
    read: &mut Reader<'_>,
    header: &Header,
    index: u64,
    start: u64,
) -> Result<Digest, Error> {
    let range = header.range(index);
    let by = start.cast_signed() - range.start.cast_signed();
    match Merkle::new(&header.spec) {
        Some(tree) => hash_leaves(read, &tree, range, by),
        None => {
            let leaf =
                header.plan().piece_hasher().expect("pieces are leaves unless the tree is a Merkle tree");
            hash_leaf(read, leaf, start..start + (range.end - range.start), &mut Vec::new())
        }
    }
}
