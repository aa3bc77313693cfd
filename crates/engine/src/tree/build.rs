//! Builds the stored tree of a file on all cores, with plain digests and parity in the same read.
//!
//! The thread that reads a unit hashes its leaves; plain digests and parity process the units in order. A build can be
//! interrupted at any point and resumes from the last checkpoint.

use crate::error::{Cause, Error};
use crate::io::memory_limit::thread;
use crate::io::open::open_companion;
use crate::io::source::{Source, finish};
use crate::job::FileResult;
use crate::pieces::chains::Chains;
use crate::pieces::ranges::joined;
use crate::pieces::scan::Scan;
use crate::pieces::{PieceOutcome, UNIT};
use crate::tree::header::{GRANULE, MOVED};
use crate::tree::midstate;
use crate::tree::parity::{self, ParityWriter};
use crate::tree::prove::hash_leaves;
use crate::tree::reading::Reading;
use crate::tree::store::{Header, Hints, Store, may_be_replaced, part_of};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::{Merkle, Plan, Zeros};
use truesum_hash::{Digest, Hasher, Spec};

/// The interval between checkpoints of a tree that is being saved.
const CHECKPOINT: Duration = Duration::from_secs(5);

/// Reads the ranges that the tree and the chains need, each once. Returns the digests of the first `flat` chains. The
/// last chain is `parity`, if needed.
fn read_once(
    source: Source<'_>,
    plan: &Plan,
    wanted: Vec<Range<u64>>,
    chains: &Chains,
    (flat, parity): (usize, Option<&mut ParityWriter>),
    threads: usize,
    take: &(dyn Fn(PieceOutcome) -> Result<(), Error> + Sync),
) -> Result<Vec<Digest>, Error> {
    let plans = std::slice::from_ref(plan);
    if flat == 0 && parity.is_none() {
        let zeros = source.holes && plan.zeros().is_some();
        let scan = Scan::new(source, plans, threads).skipping_zeros(zeros);
        return scan.run(wanted, |_, run| take(run)).map(|()| Vec::new());
    }
    std::thread::scope(|scope| {
        let run = |index| thread("hash")?.spawn_scoped(scope, move || chains.run(index)).ok();
        let running: Vec<_> = (0..flat).map(run).collect();
        let mut started = running.iter().all(Option::is_some);
        // Large leaves also form a chain: hashed side by side, they would be read at other offsets than the plain
        // digests.
        let (plans, wanted, leaves) = match plan.piece_hasher() {
            Some(_) => {
                let run = move || chains.run_leaves(flat, plan, wanted, take);
                let leaves = thread("hash").and_then(|builder| builder.spawn_scoped(scope, run).ok());
                started &= leaves.is_some();
                (&[][..], Vec::new(), leaves)
            }
            None => (plans, wanted, None),
        };
        let index = flat + usize::from(plan.piece_hasher().is_some());
        let parity = parity.map(|parity| {
            let run = move || chains.run_each(index, |_, data| parity.add(data));
            thread("parity").and_then(|builder| builder.spawn_scoped(scope, run).ok())
        });
        started &= !matches!(parity, Some(None));
        if !started {
            // All other threads would wait for the missing one.
            chains.stop();
            let why = "one thread is needed for each digest, but not enough threads can be started (see ulimit -v and ulimit -u)";
            return Err(Error::new(source.path, "read", Cause::Other(why.to_owned())));
        }
        let parity = parity.flatten();
        let readers =
            threads.saturating_sub(flat + usize::from(leaves.is_some()) + usize::from(parity.is_some()));
        let scan = Scan::new(source, plans, readers).with_chains(chains);
        let read = scan.run(wanted, |_, run| take(run));
        let leaves = leaves.map_or(Ok(()), |thread| thread.join().expect("hashing leaves does not panic"));
        let digests: Option<Vec<Digest>> =
            running.into_iter().flatten().map(|thread| thread.join().ok().flatten()).collect();
        let whole = parity.map_or(Ok(true), |thread| thread.join().expect("computing parity does not panic"));
        let digests = digests.filter(|_| whole.as_ref().is_ok_and(|&whole| whole));
        // An error of a chain stops the others, whose errors are only that they were stopped.
        let errors = leaves.and(whole.map(|_| ())).and(read);
        errors.and_then(|()| digests.ok_or_else(|| Error::interrupted(source.path)))
    })
}

/// The starting point of a build: nothing, or an existing tree.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Begin {
    /// Build a new tree.
    #[default]
    Fresh,
    /// Resume an interrupted build; build a new tree if there is none.
    Resume,
    /// The file has grown since its tree was stored: read only the new part and the last granules of the old part,
    /// which must match the tree. The granules before them are not read and therefore not checked.
    Append,
    /// Only these bytes have changed since the tree was stored, and the size has not. Read only the
    /// granules that contain them, and the last of the other granules, which must match the tree.
    Changed(Vec<Range<u64>>),
}

options! {
    /// The options for saving a tree.
    #[derive(Clone, Debug)]
    pub struct Saving<'a> {
        /// The path of the tree.
        target: &'a Path,
        /// The granule size in bytes, a power of two.
        granule: u64,
        /// The starting point of the build.
        begin: Begin,
        /// Plain digests to compute in the same read, which then covers the complete file.
        plain_digests: &'a [Spec],
        /// Whether to extend the tree even if the file's inode number has changed since the tree was stored.
        trust_prefix: bool,
        /// The number of parity blocks per hundred granules, from 1 to 100; `None` if no parity file is written. It
        /// requires [`Begin::Fresh`], because parity is computed only from bytes that are hashed in the same read.
        parity: Option<u32>,
        /// The size in bytes of the groups that have parity blocks of their own, at most and by default
        /// [`GROUP`](parity::GROUP). It determines memory use and how much contiguous damage can be repaired.
        parity_group: u64,
    }
}

impl<'a> Saving<'a> {
    /// Returns options for building the tree at `target` from the beginning, with the default granule size.
    pub fn new(target: &'a Path) -> Saving<'a> {
        Saving {
            target,
            granule: GRANULE,
            begin: Begin::Fresh,
            plain_digests: &[],
            trust_prefix: false,
            parity: None,
            parity_group: parity::GROUP,
        }
    }
}

readable! {
    /// A saved tree.
    #[derive(Debug)]
    pub struct Saved {
        /// The result: the tree's digest, then the plain digests.
        found: FileResult => &FileResult,
        /// The tree.
        store: Store => &Store,
        /// Granules that were already complete and not hashed again.
        kept: u64,
        /// Bytes of the file that were not read. For these, the digest repeats the earlier tree. The
        /// number is 0 unless a tree was extended.
        unread: u64,
    }
}

/// Builds the tree of a file and saves it, with its parity file if requested.
///
/// # Errors
/// Fails if the file cannot be read to its end, is not a regular file, or changed during the read;
/// if the run was stopped; if the tree cannot be written or cannot be resumed; or if the digest has
/// no tree to store. Granules that were completed remain in the unfinished tree; with parity, nothing
/// remains.
pub fn save(
    path: impl AsRef<Path>,
    spec: &Spec,
    saving: &Saving<'_>,
    reading: &Reading<'_>,
) -> Result<Saved, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let started = Instant::now();
    let (file, threads) = (reading.open(path)?, reading.thread_count());
    let source = reading.source(&file, path);
    let hints = Hints::of(file.stat());
    let refuse = |why: String| Error::new(path, "store its tree", Cause::Undivided(why));
    let header = Header::new(spec, source.size, saving.granule, hints).map_err(refuse)?;
    if saving.target.is_symlink() {
        // The link would be replaced; its target may be on a file system to which the tree cannot be renamed.
        let why = "it is a symbolic link; remove it, or store the tree in another folder".to_owned();
        return Err(Error::new(saving.target.as_os_str().as_bytes(), "write", Cause::Other(why)));
    }
    if let Ok(old) = open_companion(saving.target) {
        may_be_replaced(&old, saving.target)?;
    }
    let mut parity = match saving.parity {
        Some(_) if saving.begin != Begin::Fresh => {
            return Err(refuse("parity requires that the complete file is read".to_owned()));
        }
        Some(percent) => {
            let (group, mode) = (saving.parity_group, file.stat().mode());
            Some(ParityWriter::create(saving.target, &header, percent, group, mode)?)
        }
        None => None,
    };
    let BuildState { store, hashers, unread } = begin(source, header, saving)?;
    let mut unfinished = Unfinished(saving.parity.map(|_| part_of(saving.target)));
    let kept = store.header().extents.iter().map(|extent| extent.end - extent.start).sum();

    let plan = store.header().plan();
    let ratio = store.header().pieces_per_granule();
    let wanted = store.header().missing().into_iter();
    let wanted = wanted.map(|range| range.start * ratio..(range.end * ratio).min(plan.pieces()));
    let wanted: Vec<Range<u64>> = wanted.collect();
    let (flat, units) = (hashers.len(), source.size.div_ceil(UNIT));
    let first = wanted.first().map_or(units, |pieces| plan.piece(pieces.start).start / UNIT);
    let leaves = plan.piece_hasher().filter(|_| flat > 0 || parity.is_some()).map(|_| first);
    let others: Vec<u64> = leaves.into_iter().chain(parity.is_some().then_some(0)).collect();
    let chains = Chains::new(hashers, &others, units, threads);
    let zeros = if source.holes { plan.zeros() } else { None };
    let state = Mutex::new(Rows::new(store, zeros, (flat > 0).then(|| saving.target.to_owned())));
    let take =
        |run: PieceOutcome| state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take(run, &chains);
    let beside = read_once(source, &plan, wanted, &chains, (flat, parity.as_mut()), threads, &take);
    let mut rows = state.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let beside = match beside {
        Ok(beside) => beside,
        Err(error) => {
            // Save completed work, whatever the reason for stopping.
            if saving.parity.is_none() {
                rows.checkpoint(&chains)?;
            }
            return Err(error);
        }
    };
    let digest = match rows.store.fold()? {
        Some(digest) => digest,
        None => root_of_one(source, spec)?,
    };
    let whole = finish(file, path)?;
    let mut store = rows.store;
    store.set_hints(hints);
    store.complete(digest.clone())?;
    let mut publish = || {
        store.publish(saving.target)?;
        unfinished.0 = None;
        Ok(())
    };
    match parity {
        // The tree comes first: without its parity it still locates damage, but parity without its tree is useless.
        Some(parity) => parity.commit(&digest, publish)?,
        None => publish()?,
    }
    midstate::remove(saving.target);
    let digests = std::iter::once(digest).chain(beside).collect();
    let found = FileResult::new(whole, digests, started);
    Ok(Saved { found, store, kept, unread })
}

/// The path of an unfinished tree that cannot be resumed. The file is removed if the build fails.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns the BLAKE3 digest of a file with a single granule.
pub(crate) fn root_of_one(source: Source<'_>, spec: &Spec) -> Result<Digest, Error> {
    let mut hasher = spec.hasher();
    let mut buffer = vec![0; UNIT.min(source.size) as usize];
    for start in (0..source.size).step_by(UNIT as usize) {
        let data = &mut buffer[..(source.size - start).min(UNIT) as usize];
        source.read(data, start)?;
        hasher.update(data);
    }
    Ok(hasher.finish())
}

/// The state in which a build begins.
struct BuildState {
    /// The unfinished tree to work on.
    store: Store,
    /// The hashers of the plain digests, with the number of units they have processed.
    hashers: Vec<(Hasher, u64)>,
    /// The number of bytes of the file that are read neither in an earlier run nor in this one.
    unread: u64,
}

fn cannot_resume(path: &[u8], why: &str) -> Error {
    Error::new(path, "extend its tree", Cause::Undivided(why.to_owned()))
}

fn begin(source: Source<'_>, header: Header, saving: &Saving<'_>) -> Result<BuildState, Error> {
    let part = part_of(saving.target);
    let fresh = || saving.plain_digests.iter().map(|spec| (spec.hasher_for_size(header.size), 0)).collect();
    let other = |why: &str| cannot_resume(source.path, why);
    match &saving.begin {
        Begin::Fresh => {}
        Begin::Resume if !part.exists() => {}
        Begin::Resume => {
            // A part without a superblock was killed before its first checkpoint, so there is nothing to resume.
            if let Ok(store) = Store::open_to_write(&part)? {
                let old = store.header();
                if (&old.spec, old.granule) != (&header.spec, header.granule) {
                    return Err(other("the unfinished tree has a different algorithm or resolution"));
                }
                // Compare all times, because the modification time alone can be set back after the content was changed.
                if (old.size, old.hints) != (header.size, header.hints) {
                    return Err(other(MOVED));
                }
                let hashers = midstate::read(saving.target, saving.plain_digests, header.size, &header.hints);
                return Ok(BuildState { store, hashers, unread: 0 });
            }
        }
        Begin::Append | Begin::Changed(_) => {
            let (store, unread) = extend(source, &header, saving, &part)?;
            return Ok(BuildState { store, hashers: fresh(), unread });
        }
    }
    let hashers = fresh();
    Ok(BuildState { store: Store::create(&part, header.clone())?, hashers, unread: 0 })
}

/// Copies the stored tree of a file that has grown or was changed, except the granules that are read again. Returns the
/// number of bytes that are not read.
fn extend(
    source: Source<'_>,
    header: &Header,
    saving: &Saving<'_>,
    part: &Path,
) -> Result<(Store, u64), Error> {
    let other = |why: &str| cannot_resume(source.path, why);
    let stored = Store::open(saving.target)?.map_err(|refusal| other(&refusal.to_string()))?;
    let old = stored.header();
    if !old.is_complete() {
        return Err(other("the stored tree is incomplete; complete it first with --resume"));
    }
    if (&old.spec, old.granule) != (&header.spec, header.granule) {
        return Err(other("the stored tree has a different algorithm or resolution"));
    }
    let Some(tree) = Merkle::new(&header.spec) else {
        return Err(other(
            "every leaf of an mtsum digest depends on the file size, so the complete file must be read",
        ));
    };
    let same = old.size == header.size;
    match saving.begin {
        Begin::Changed(_) if !same => {
            return Err(other("the file size has changed since the tree was stored"));
        }
        Begin::Append if header.size < old.size => {
            return Err(other("the file is shorter than when the tree was stored"));
        }
        // If nothing was appended, the end of the file is compared with the tree, which is stored again.
        Begin::Append if same && old.hints.mtime != header.hints.mtime => {
            return Err(other("the file changed since the tree was stored, but has not grown"));
        }
        _ => {}
    }
    if old.hints.inode != header.hints.inode && !saving.trust_prefix {
        return Err(other("its tree was stored for another file (the inode number differs)"));
    }
    let unlisted = unlisted(old, &saving.begin).map_err(|why| other(&why))?;
    let checked = last_granules(old, &unlisted);
    for &granule in &checked {
        let found = hash_leaves(&mut source.reader(), &tree, old.range(granule), 0)?;
        if stored.get(granule..granule + 1)? != [found] {
            let Range { start, end } = old.range(granule);
            return Err(other(&format!("bytes {start}..{end} of the file do not match the stored tree")));
        }
    }
    // The former end of the file is now within a granule, and everything is read if plain digests are computed as well.
    let whole = if same { old.granules() } else { old.size / old.granule };
    let keep = if saving.plain_digests.is_empty() { whole } else { 0 };
    let kept: Vec<Range<u64>> = unlisted
        .into_iter()
        .map(|range| range.start..range.end.min(keep))
        .filter(|range| !range.is_empty())
        .collect();
    let bytes = |granule: u64| old.range(granule).end - old.range(granule).start;
    let unread: u64 =
        kept.iter().map(|range| old.range(range.end - 1).end - old.range(range.start).start).sum();
    let read_again: u64 =
        checked.iter().filter(|&&granule| granule < keep).map(|&granule| bytes(granule)).sum();
    let store = Store::copy(saving.target, part)?;
    let mut store = store.map_err(|refusal| other(&refusal.to_string()))?;
    // The file's state is omitted until the tree is complete: if this build were resumed
    // separately, nothing would record which bytes were not read.
    store.reopen(header.size, Hints::default(), &kept)?;
    Ok((store, unread - read_again))
}

/// Returns the granules of a stored tree that are declared unchanged.
fn unlisted(old: &Header, begin: &Begin) -> Result<Vec<Range<u64>>, String> {
    let Begin::Changed(ranges) = begin else { return Ok(vec![0..old.granules()]) };
    if let Some(range) = ranges.iter().find(|range| range.end > old.size) {
        let (start, len, size) = (range.start, range.end - range.start, old.size);
        return Err(format!(
            "the range at offset {start}, length {len}, extends beyond the end of the file ({size} bytes)"
        ));
    }
    let changed = ranges.iter().map(|range| range.start / old.granule..range.end.div_ceil(old.granule));
    let (mut unlisted, mut at) = (Vec::new(), 0);
    for changed in joined(changed) {
        unlisted.push(at..changed.start);
        at = changed.end;
    }
    unlisted.push(at..old.granules());
    unlisted.retain(|range| !range.is_empty());
    Ok(unlisted)
}

/// Returns the last of these granules, and the one before it if the last is short. A file that replaces another, as in
/// log rotation, differs in them.
fn last_granules(old: &Header, granules: &[Range<u64>]) -> Vec<u64> {
    let is_complete = |granule: u64| (granule + 1) * old.granule <= old.size;
    let mut last = granules.iter().rev().flat_map(|range| range.clone().rev());
    let first = last.next();
    let second = first.filter(|&granule| !is_complete(granule)).and_then(|_| last.next());
    first.into_iter().chain(second).collect()
}

/// Row 0 while it is being filled.
struct Rows {
    store: Store,
    zeros: Option<Zeros>,
    gather: GranuleCombiner,
    finished: Vec<Range<u64>>,
    saved: Instant,
    /// The path of the tree, if plain digests are computed as well.
    target: Option<PathBuf>,
}

impl Rows {
    fn new(store: Store, zeros: Option<Zeros>, target: Option<PathBuf>) -> Rows {
        Rows {
            zeros,
            gather: GranuleCombiner::new(store.header()),
            finished: Vec::new(),
            saved: Instant::now(),
            target,
            store,
        }
    }

    fn take(&mut self, run: PieceOutcome, chains: &Chains) -> Result<(), Error> {
        match run {
            PieceOutcome::Digests(first, digests) => {
                let granules = self.gather.add(first, digests);
                self.put(granules)?;
            }
            PieceOutcome::Zeros(pieces) => {
                let zeros =
                    self.zeros.as_ref().expect("holes are read, not skipped, if zeros have no known digest");
                let zero = zeros.piece().clone();
                if self.gather.ratio == 1 {
                    const AT_ONCE: u64 = 1 << 12;
                    let many = vec![zero; AT_ONCE.min(pieces.end - pieces.start) as usize];
                    for first in pieces.clone().step_by(AT_ONCE as usize) {
                        let count = AT_ONCE.min(pieces.end - first) as usize;
                        self.store.put(first, &many[..count])?;
                    }
                    self.finished.push(pieces);
                } else {
                    for piece in pieces {
                        let granules = self.gather.add(piece, vec![zero.clone()]);
                        self.put(granules)?;
                    }
                }
            }
        }
        if self.saved.elapsed() >= CHECKPOINT {
            self.checkpoint(chains)?;
        }
        Ok(())
    }

    fn put(&mut self, granules: Option<(u64, Vec<Digest>)>) -> Result<(), Error> {
        if let Some((first, hashes)) = granules {
            self.store.put(first, &hashes)?;
            self.finished.push(first..first + hashes.len() as u64);
        }
        Ok(())
    }

    fn checkpoint(&mut self, chains: &Chains) -> Result<(), Error> {
        self.finished = joined(std::mem::take(&mut self.finished));
        self.store.checkpoint(&self.finished)?;
        self.finished.clear();
        if let Some(target) = &self.target {
            let header = self.store.header();
            midstate::write(target, &chains.recent_state(), header.size, &header.hints)?;
        }
        self.saved = Instant::now();
        Ok(())
    }
}

/// Combines piece digests to granule hashes if a granule is larger than a piece.
pub(crate) struct GranuleCombiner {
    /// The number of pieces per granule, and in total.
    ratio: u64,
    pieces: u64,
    tree: Option<Merkle>,
    /// Granules for which some pieces are still missing.
    open: HashMap<u64, BTreeMap<u64, Digest>>,
}

impl GranuleCombiner {
    pub(crate) fn new(header: &Header) -> GranuleCombiner {
        let (ratio, pieces) = (header.pieces_per_granule(), header.plan().pieces());
        GranuleCombiner { ratio, pieces, tree: Merkle::new(&header.spec), open: HashMap::new() }
    }

    /// Adds the digests of pieces starting with `first`. Returns the first granule that they complete, and the hashes
    /// starting with it.
    pub(crate) fn add(&mut self, first: u64, digests: Vec<Digest>) -> Option<(u64, Vec<Digest>)> {
        if self.ratio == 1 {
            return Some((first, digests));
        }
        let mut whole: Option<(u64, Vec<Digest>)> = None;
        for (piece, digest) in (first..).zip(digests) {
            let granule = piece / self.ratio;
            let open = self.open.entry(granule).or_default();
            open.insert(piece, digest);
            if open.len() as u64 == (self.pieces - granule * self.ratio).min(self.ratio) {
                let row = self.open.remove(&granule)?.into_values().collect();
                let tree = self.tree.as_ref().expect("only Merkle trees have granules of several pieces");
                whole.get_or_insert((granule, Vec::new())).1.push(tree.reduce(row));
            }
        }
        whole
    }
}
