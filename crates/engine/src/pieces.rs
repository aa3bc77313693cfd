//! One file on all cores: whoever is free takes the next pieces, hashes them and hands their digests on.
//!
//! For the digests that allow it ([`Plan`]): trees, BLAKE3, CRCs, the parts of cloud digests. Small pieces share a window of
//! the file; pieces that are large leaves are hashed side by side, a slice of each at a time, so that they too fill the
//! lanes. Pages that are in memory already are mapped, which saves the kernel's copy; everything else is read. Holes are not
//! read where zeros have digests of their own.
//!
//! Mapped pages count as memory of this process: windows are sized so that those of all threads together stay within
//! [`WINDOWS`].

pub(crate) mod fold;
pub(crate) mod source;

use crate::error::{Cause, Error};
use crate::mapped::Window;
use crate::tree::chains::Chains;
use source::Source;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use truesum_hash::tree::{Merkle, Plan};
use truesum_hash::{Digest, Hasher, finish_many, kernel, update_many};

/// Bytes of a unit: sixteen leaves of 64 KiB fill the widest lanes, and as much stays in the second-level cache. Small
/// pieces are handed out in whole units.
pub(crate) const UNIT: u64 = 1 << 20;
/// Bytes that all threads together map or read at a time, if they are not so many that each gets only [`LEAST`].
const WINDOWS: u64 = 32 << 20;
/// Least and most that a thread maps or reads at a time.
const LEAST: u64 = UNIT;
const MOST: u64 = 16 << 20;
/// Most units in a window. Longer ones save nothing.
const UNITS: u64 = 4;
/// Most leaves side by side: more lanes gain less than their shorter windows cost.
const LEAVES: u64 = 32;
/// Most and least bytes of a window on one leaf; what is shorter costs less to copy than to map.
const LEAF_WINDOW: u64 = 1 << 20;
const LEAST_MAPPED: u64 = 1 << 16;
/// Most bytes of each leaf that a thread reads at a time. The next are asked for meanwhile.
const LEAF_SLICE: u64 = 1 << 18;
/// Lanes whose data begin at multiples of a power of two fall on the same cache sets.
const SKEW: usize = 64 + 4096;
/// What a thread may be ahead of the slowest one, for each thread: digests that wait for earlier ones.
const AHEAD: u64 = 64;

/// What became of pieces.
#[derive(Debug)]
pub(crate) enum Run {
    /// Their digests, from this one on.
    Digests(u64, Vec<Digest>),
    /// They lie in a hole.
    Zeros(Range<u64>),
}

/// Reads the pieces of a file, each once, and hashes them.
pub(crate) struct Scan<'a> {
    source: Source<'a>,
    /// All cut alike.
    plans: &'a [Plan],
    /// Takes every byte in order.
    beside: Option<&'a Chains>,
    /// What hashes a piece, where pieces are large leaves and handed out one by one; otherwise units are.
    leaf: Option<Hasher>,
    /// Whether runs of zeros may be handed out; otherwise holes are read like data.
    zeros: bool,
    threads: usize,
    hand: Mutex<Hand>,
    moved: Condvar,
    /// Held while pieces are taken and read one after the other, as disks and the kernel's read-ahead like it.
    turn: Mutex<()>,
}

/// What there is to hand out: numbers of units, or of pieces that are leaves.
#[derive(Default)]
struct Hand {
    /// Still to come, ascending.
    wanted: std::vec::IntoIter<Range<u64>>,
    current: Range<u64>,
    /// Most that are taken at a time.
    batch: usize,
    /// The data found last, in bytes.
    data: Range<u64>,
    /// The first of what each thread is at.
    taken: Vec<u64>,
    failed: Option<Error>,
}

enum Work {
    Read(Vec<u64>),
    Hole(Range<u64>),
}

/// Something taken, until it is done.
struct Taken<'s, 'a> {
    scan: &'s Scan<'a>,
    first: u64,
    work: Work,
}

impl Drop for Taken<'_, '_> {
    fn drop(&mut self) {
        let mut hand = lock(&self.scan.hand);
        if let Some(at) = hand.taken.iter().position(|&first| first == self.first) {
            hand.taken.swap_remove(at);
        }
        drop(hand);
        self.scan.moved.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Scan<'a> {
    /// A scan on `threads` threads for plans that cut the file alike: several, or one whose pieces are leaves. Runs of zeros
    /// are read like data until [`Scan::skipping_zeros`].
    pub(crate) fn new(source: Source<'a>, plans: &'a [Plan], threads: usize) -> Scan<'a> {
        Scan {
            source,
            plans,
            beside: None,
            leaf: plans.first().and_then(Plan::piece_hasher),
            zeros: false,
            threads: threads.max(1),
            hand: Mutex::default(),
            moved: Condvar::new(),
            turn: Mutex::new(()),
        }
    }

    /// Hands out holes as [`Run::Zeros`]. Only where all whole pieces have one length.
    pub(crate) fn skipping_zeros(self, zeros: bool) -> Scan<'a> {
        Scan { zeros: zeros && self.source.holes && self.beside.is_none(), ..self }
    }

    /// Gives all that is read to chains too, and reads for them what they want. Pieces must not be leaves.
    pub(crate) fn beside(self, chains: &'a Chains) -> Scan<'a> {
        Scan { beside: Some(chains), zeros: false, ..self }
    }

    /// Hashes the pieces of `wanted`, ascending ranges, and gives what becomes of them to `done`, in no order, with the number
    /// of the plan. Pieces that share a unit with those wanted may come too.
    ///
    /// # Errors
    /// The first one met, also that of `done`; the run was stopped.
    pub(crate) fn run(
        &self,
        wanted: Vec<Range<u64>>,
        done: impl Fn(usize, Run) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let threads = self.threads as u64;
        let own = (WINDOWS / threads).clamp(LEAST, MOST);
        let (wanted, batch, slice) = match &self.leaf {
            Some(leaf) => {
                let lanes = (kernel::full_lanes(leaf.spec().algorithm()) as u64).min(LEAVES);
                let count: u64 = wanted.iter().map(|range| range.end - range.start).sum();
                let batch = count.div_ceil(threads).clamp(1, lanes);
                let most = if self.source.mapped { LEAF_WINDOW } else { LEAF_SLICE };
                (wanted, batch, (own / batch / 4096 * 4096).min(most))
            }
            None => {
                let per_unit = self.per_unit();
                let units = |range: Range<u64>| range.start / per_unit..range.end.div_ceil(per_unit);
                let chained = self.beside.map(Chains::wanted);
                let wanted = joined(wanted.into_iter().map(units).chain(chained));
                let alone = !self.source.mapped || self.beside.is_some();
                (wanted, if alone { 1 } else { (own / UNIT).min(UNITS) }, UNIT)
            }
        };
        *lock(&self.hand) = Hand { wanted: wanted.into_iter(), batch: batch as usize, ..Hand::default() };
        if !self.source.mapped {
            // Advice only.
            let _ = rustix::fs::fadvise(self.source.file, 0, None, rustix::fs::Advice::Sequential);
        }
        let work = || self.work(slice as usize, &done);
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                // One that cannot be started is not missed: the others take its work.
                let builder = std::thread::Builder::new().name("hash".to_owned());
                let _ = builder.spawn_scoped(scope, work);
            }
            work();
        });
        match lock(&self.hand).failed.take() {
            Some(error) => Err(error),
            None if self.source.progress.stopped() => Err(stopped(self.source.path)),
            None => Ok(()),
        }
    }

    /// The digests of a range of pieces, in order, for the only plan.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub(crate) fn row(&self, pieces: Range<u64>) -> Result<Vec<Digest>, Error> {
        let row = Mutex::new(vec![None; (pieces.end - pieces.start) as usize]);
        self.run(std::iter::once(pieces.clone()).collect(), |_, run| {
            if let Run::Digests(first, digests) = run {
                let mut row = lock(&row);
                for (piece, digest) in (first..).zip(digests).filter(|(piece, _)| pieces.contains(piece)) {
                    row[(piece - pieces.start) as usize] = Some(digest);
                }
            }
            Ok(())
        })?;
        let row = row.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(row.into_iter().map(|digest| digest.expect("every piece was hashed")).collect())
    }

    /// Pieces to a unit.
    fn per_unit(&self) -> u64 {
        self.plans.first().map_or(1, |plan| UNIT / plan.piece(0).end.clamp(1, UNIT).next_power_of_two())
    }

    fn work(&self, slice: usize, done: &(dyn Fn(usize, Run) -> Result<(), Error> + Sync)) {
        let mut buffer = Vec::new();
        loop {
            let in_turn = !self.source.mapped && self.leaf.is_none();
            let turn = in_turn.then(|| lock(&self.turn));
            let Some(taken) = self.take() else { break };
            let result = match (&taken.work, &self.leaf) {
                (Work::Hole(items), _) => {
                    let ratio = if self.leaf.is_some() { 1 } else { self.per_unit() };
                    let zeros = |plan| done(plan, Run::Zeros(items.start * ratio..items.end * ratio));
                    (0..self.plans.len()).try_for_each(zeros)
                }
                (Work::Read(pieces), Some(leaf)) => {
                    self.hash_leaves(leaf, pieces, slice, &mut buffer).and_then(|digests| {
                        let mut leaves = pieces.iter().zip(digests);
                        leaves.try_for_each(|(&piece, digest)| done(0, Run::Digests(piece, vec![digest])))
                    })
                }
                (Work::Read(units), None) => {
                    self.hash_units(units, &mut buffer, turn).and_then(|(first, digests)| {
                        let mut plans = digests.into_iter().enumerate();
                        plans.try_for_each(|(plan, digests)| done(plan, Run::Digests(first, digests)))
                    })
                }
            };
            if let Err(error) = result {
                lock(&self.hand).failed.get_or_insert(error);
                break;
            }
        }
        let ended_early = self.source.progress.stopped() || lock(&self.hand).failed.is_some();
        if let Some(chains) = self.beside.filter(|_| ended_early) {
            chains.stop();
        }
    }

    /// The bytes of a unit or a leaf.
    fn bytes(&self, item: u64) -> Range<u64> {
        match &self.leaf {
            Some(_) => self.plans[0].piece(item),
            None => item * UNIT..((item + 1) * UNIT).min(self.source.size),
        }
    }

    /// The next work; `None` when there is no more, one thread failed, or the run was stopped.
    fn take(&self) -> Option<Taken<'_, 'a>> {
        let mut hand = lock(&self.hand);
        let ahead = AHEAD.max(2 * hand.batch as u64) * self.threads as u64;
        loop {
            if hand.failed.is_some() || self.source.progress.stopped() {
                return None;
            }
            while hand.current.is_empty() {
                hand.current = hand.wanted.next()?;
            }
            match hand.taken.iter().min() {
                Some(slowest) if hand.current.start >= slowest + ahead => {
                    hand = self.moved.wait(hand).unwrap_or_else(PoisonError::into_inner);
                }
                _ => break,
            }
        }
        let first = hand.current.start;
        let mut data_end = u64::MAX;
        if self.zeros {
            let start = self.bytes(first).start;
            if hand.data.end <= start {
                hand.data =
                    self.source.data_from(start).map_err(|error| hand.failed.get_or_insert(error)).ok()?;
            }
            // A short piece at the end is no run of zeros.
            let len = self.plans[0].merkle().filter(|_| self.leaf.is_some()).map_or(UNIT, Merkle::leaf_size);
            let free = (hand.data.start / len).min(hand.current.end);
            if free > first {
                hand.current.start = free;
                hand.taken.push(first);
                self.source.progress.add_bytes((free - first) * len);
                return Some(Taken { scan: self, first, work: Work::Hole(first..free) });
            }
            data_end = hand.data.end.div_ceil(len);
        }
        let mut items = Vec::with_capacity(hand.batch);
        while items.len() < hand.batch {
            match hand.current.next() {
                Some(item) => items.push(item),
                // Leaves need not be neighbours to be hashed side by side.
                None if self.leaf.is_some() => match hand.wanted.next() {
                    Some(range) => hand.current = range,
                    None => break,
                },
                None => break,
            }
            if hand.current.start >= data_end {
                break;
            }
        }
        hand.taken.push(first);
        Some(Taken { scan: self, first, work: Work::Read(items) })
    }

    /// Hashes the pieces of neighbouring units: the first piece, and for each plan the digests from there on.
    fn hash_units(
        &self,
        units: &[u64],
        buffer: &mut Vec<u8>,
        turn: Option<MutexGuard<'_, ()>>,
    ) -> Result<(u64, Vec<Vec<Digest>>), Error> {
        let (first, per_unit) = (units[0], self.per_unit());
        let start = first * UNIT;
        let end = self.bytes(units[units.len() - 1]).end;
        let hash = |data: &[u8]| {
            // Leaves of several units share lanes only where one unit's would leave most of them empty: lanes so far apart
            // fall on the same cache sets, which costs SHA-1 and SHA-256 more than their wider row gains.
            if let [plan] = self.plans
                && let Some(leaf) = plan.merkle().and_then(Merkle::leaf_hasher)
                && kernel::full_lanes(leaf.spec().algorithm()) > 32
                && data.len() as u64 <= units.len() as u64 * UNIT
            {
                return vec![plan.hash_pieces(first * per_unit, data)];
            }
            let mut digests = vec![Vec::new(); self.plans.len()];
            for &unit in units {
                let from = ((unit - first) * UNIT) as usize;
                // Every plan in turn, while the unit is in the cache.
                let data = &data[from..data.len().min(from + UNIT as usize)];
                for (plan, digests) in self.plans.iter().zip(&mut digests) {
                    digests.extend(plan.hash_pieces(unit * per_unit, data));
                }
            }
            digests
        };
        let len = (end - start) as usize;
        let digests = match self.beside.filter(|chains| chains.wanted().contains(&first)) {
            Some(chains) => {
                let stopped = || stopped(self.source.path);
                let mut buffer = chains.buffer(first, len).ok_or_else(stopped)?;
                self.source.read(&mut buffer, start)?;
                drop(turn);
                let digests = hash(&buffer);
                chains.give(first, buffer);
                digests
            }
            None => self.source.look(start, len, buffer, |data| {
                drop(turn);
                hash(data)
            })?,
        };
        Ok((first * per_unit, digests))
    }

    /// Hashes several leaves side by side, up to `slice` bytes of each at a time.
    fn hash_leaves(
        &self,
        leaf: &Hasher,
        pieces: &[u64],
        slice: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<Vec<Digest>, Error> {
        let source = &self.source;
        let mut hashers = vec![leaf.clone(); pieces.len()];
        let mut left: Vec<Range<u64>> = pieces.iter().map(|&piece| self.bytes(piece)).collect();
        while left.iter().any(|range| !range.is_empty()) {
            if source.progress.stopped() {
                return Err(stopped(source.path));
            }
            let part = |range: &mut Range<u64>| {
                let start = range.start;
                range.start = range.end.min(start + slice as u64);
                (start, (range.start - start) as usize)
            };
            let parts: Vec<(u64, usize)> = left.iter_mut().map(part).collect();
            let mapped = source.mapped && slice as u64 >= LEAST_MAPPED;
            let window = if mapped { Window::map(source.file, &parts).ok() } else { None };
            let slices: Vec<&[u8]> = if let Some(window) = &window {
                (0..parts.len()).map(|part| window.bytes(part)).collect()
            } else {
                buffer.resize((slice + SKEW) * parts.len(), 0);
                for (&(start, len), buffer) in parts.iter().zip(buffer.chunks_mut(slice + SKEW)) {
                    source.read(&mut buffer[..len], start)?;
                    // Several places of a file at once look random to the kernel: tell it what comes next.
                    let next = std::num::NonZeroU64::new(4 * slice as u64);
                    let _ = rustix::fs::fadvise(
                        source.file,
                        start + len as u64,
                        next,
                        rustix::fs::Advice::WillNeed,
                    );
                }
                parts
                    .iter()
                    .zip(buffer.chunks(slice + SKEW))
                    .map(|((_, len), buffer)| &buffer[..*len])
                    .collect()
            };
            update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
            window.map_or(Ok(()), |window| source.check(&window, &parts))?;
        }
        Ok(finish_many(&mut hashers.iter_mut().collect::<Vec<_>>()))
    }
}

/// The error of a run that was asked to stop.
pub(crate) fn stopped(path: &[u8]) -> Error {
    Error::new(path, "read", Cause::Other("interrupted".to_owned()))
}

/// Ranges made ascending and apart.
pub(crate) fn joined(ranges: impl IntoIterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::{Root, Special};
    use crate::progress::Progress;
    use crate::read::Guarded;
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::FileExt;
    use std::sync::Once;
    use truesum_hash::Spec;

    const SIZE: u64 = 24 << 20;

    fn spec(name: &str) -> Spec {
        name.parse().expect("a name of ours")
    }

    /// Reads a file by one way while `change` happens to it: before the first byte, or when the first digests are done.
    fn read_while(
        file: &tempfile::NamedTempFile,
        (name, mapped): (&str, bool),
        early: bool,
        change: impl Fn(&File) + Sync,
    ) -> Result<(), Error> {
        file.as_file().set_len(0).expect("emptied");
        file.as_file().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        let source = Source { mapped, ..Source::new(&guarded, path, &progress) };
        let (once, change) = (Once::new(), || change(file.as_file()));
        if early {
            once.call_once(change);
        }
        if name == "beside" {
            // A unit that a chain takes is read into its buffer; the chain's digest must not come out.
            let chains = Chains::new(vec![(spec("md5").hasher(), 0)], None, SIZE / UNIT, 2);
            let plan = Plan::with_granule(&spec("sha256-tree"), SIZE, UNIT).expect("a plan");
            let (read, digest) = std::thread::scope(|scope| {
                let chain = scope.spawn(|| chains.run(0));
                let scan = Scan::new(source, std::slice::from_ref(&plan), 2).beside(&chains);
                let read = scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| {
                    once.call_once(change);
                    Ok(())
                });
                (read, chain.join().expect("no panic"))
            });
            assert_eq!(read.is_ok(), digest.is_some());
            return read.and_then(|()| source::finish(guarded, path)).map(|_| ());
        }
        let plan = Plan::with_granule(&spec(name), SIZE, UNIT).expect("a plan");
        let scan = Scan::new(source, std::slice::from_ref(&plan), 2);
        scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| {
            once.call_once(change);
            Ok(())
        })?;
        source::finish(guarded, path).map(|_| ())
    }

    /// Small pieces, large leaves and chains: each mapped and read.
    const WAYS: [(&str, bool); 6] = [
        ("blake3", true),
        ("blake3", false),
        ("s3-etag;part=1MiB", true),
        ("s3-etag;part=1MiB", false),
        ("beside", true),
        ("beside", false),
    ];

    #[test]
    fn a_file_that_changes_while_it_is_read_in_any_way_has_changed() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for way in WAYS {
            assert!(read_while(&file, way, true, |_| ()).is_ok(), "{way:?}");
            for len in [0, 1, SIZE / 2 + 77, SIZE - 1, SIZE + 1, 2 * SIZE] {
                for early in [true, false] {
                    let result = read_while(&file, way, early, |file| file.set_len(len).expect("changed"));
                    let error = result.expect_err("no proof can be had");
                    assert!(
                        matches!(error.cause, Cause::Changed(_)),
                        "{way:?} to {len} bytes, early: {early}: {error}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_fault_that_passes_is_an_error_all_the_same() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        let source = Source { mapped: true, ..Source::new(&guarded, path, &progress) };
        let result = source.look(UNIT, UNIT as usize, &mut Vec::new(), |data| {
            file.as_file().set_len(0).expect("cut");
            let sum: u64 = data.iter().map(|&byte| u64::from(byte)).sum();
            file.as_file().set_len(SIZE).expect("grown again");
            sum
        });
        assert!(matches!(result, Err(Error { cause: Cause::Io(_), .. })), "{result:?}");
    }

    #[test]
    fn an_error_of_the_taker_ends_all_threads_and_is_told() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        for name in ["blake3", "s3-etag;part=1MiB"] {
            let plan = Plan::with_granule(&spec(name), SIZE, UNIT).expect("a plan");
            let source = Source::new(&guarded, path, &progress);
            let scan = Scan::new(source, std::slice::from_ref(&plan), 3);
            let full = || Err(Error::new(b"tree", "write", Cause::Other("no space".to_owned())));
            let result = scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| full());
            assert!(matches!(result, Err(Error { action: "write", .. })), "{result:?}");
        }
        progress.stop();
        let source = Source::new(&guarded, path, &progress);
        let plan = Plan::with_granule(&spec("blake3"), SIZE, UNIT).expect("a plan");
        assert!(Scan::new(source, std::slice::from_ref(&plan), 3).row(0..plan.pieces()).is_err());
    }
}
