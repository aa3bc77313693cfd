//! A scan of a file on several threads: every piece is read once and hashed for every plan.
//!
//! # Problem
//!
//! A tree hash divides a file into pieces that can be hashed on any core, and one run may need
//! several trees at once (BLAKE3, an S3 ETag and a torrent's pieces, for example), whose pieces
//! differ. Disks are fastest when they are read in order, chains such as MD5 need every byte in
//! order, and holes in a sparse file should not be read at all. Each byte must still be read only
//! once, and memory must not depend on the size of the file or the number of cores.
//!
//! # Idea
//!
//! All plans of a scan divide the file into the same *units* of [`UNIT`] bytes. Threads take ranges
//! of units from one queue in ascending order:
//!
//! ```text
//! each thread:
//!     while the queue has work:
//!         take the next units (or a hole) that are not too far ahead of the slowest thread
//!         map or read them once
//!         for each plan: hash its pieces in these units, all in the lanes of one kernel
//!         pass the digests, with the number of the first piece, to `done`
//! ```
//!
//! If the only plan has pieces that are large leaves, the queue hands out leaves instead, and one
//! thread hashes several leaves in the lanes of one kernel. Chains run on their own threads beside
//! the scan; the thread that reads a unit passes it on to them.
//!
//! # Bounds
//!
//! Mapped pages count as memory of this process. Windows are sized so that those of all threads
//! together stay within [`WINDOWS`]. The distance to the slowest thread bounds the digests that
//! wait for earlier ones.
//!
//! # Trade-offs
//!
//! Results arrive in any order; the caller sorts, because a tree needs only neighbors and a list
//! needs all of them. Units that are read and not mapped are read under a lock, one at a time:
//! disks and the kernel's read-ahead work best sequentially, and hashing overlaps anyway. Large
//! leaves are read without it, because their slices are at several offsets in any case. Correctness
//! does not depend on what is read here: a file that changes during the scan is found by the proof
//! that the caller asks for afterwards.

use crate::error::Error;
use crate::io::memory_limit::{is_tight, thread};
use crate::io::source::Source;
use crate::pieces::chains::Chains;
use crate::pieces::leaves::Leaves;
use crate::pieces::ranges::joined;
use crate::pieces::units::Units;
use crate::pieces::work_queue::{Work, WorkQueue};
use crate::pieces::{PieceOutcome, UNIT};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use truesum_fs::data::advise_sequential;
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher};

/// The number of bytes that all threads together map or read at a time, unless there are so many that each gets only
/// [`LEAST`].
const WINDOWS: u64 = 32 << 20;
/// The minimum that a thread maps or reads at a time.
const LEAST: u64 = UNIT;
const MOST: u64 = 16 << 20;
/// The maximum number of units in a window. Longer windows gain nothing.
const UNITS: u64 = 4;

/// Reads the pieces of a file, each once, and hashes them.
pub(crate) struct Scan<'a> {
    source: Source<'a>,
    /// The plans, which all divide the file in the same way.
    plans: &'a [Plan],
    /// Chains that receive every byte in order.
    chains: Option<&'a Chains>,
    /// The hasher for pieces that are large leaves and handed out individually; otherwise units are.
    leaf: Option<Hasher>,
    /// Whether runs of zeros may be handed out; otherwise holes are read like data.
    zeros: bool,
    threads: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Scan<'a> {
    /// Returns a scan on `threads` threads for plans that divide the file in the same way: several, or one whose pieces
    /// are leaves. Runs of zeros are read like data unless [`Scan::skipping_zeros`] is called.
    pub(crate) fn new(source: Source<'a>, plans: &'a [Plan], threads: usize) -> Scan<'a> {
        let leaf = plans.first().and_then(Plan::piece_hasher);
        Scan { source, plans, chains: None, leaf, zeros: false, threads: threads.max(1) }
    }

    /// Hands out holes as [`PieceOutcome::Zeros`]. Requires all complete pieces to have the same length.
    pub(crate) fn skipping_zeros(self, zeros: bool) -> Scan<'a> {
        Scan { zeros: zeros && self.source.holes && self.chains.is_none(), ..self }
    }

    /// Passes all bytes that are read to chains as well, and reads the bytes that the chains need.
    /// Pieces must not be leaves.
    pub(crate) fn with_chains(self, chains: &'a Chains) -> Scan<'a> {
        Scan { chains: Some(chains), zeros: false, ..self }
    }

    /// Hashes the pieces of `wanted`, which are ascending ranges, and passes the results to `done` in any order, with
    /// the number of the plan. Other pieces in the same units may be included.
    ///
    /// # Errors
    /// Returns the first error, possibly of `done`, or that the run was stopped.
    pub(crate) fn run(
        &self,
        wanted: Vec<Range<u64>>,
        done: impl Fn(usize, PieceOutcome) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let Scan { source, plans, chains, zeros, threads, .. } = *self;
        let own = if is_tight() { LEAST } else { (WINDOWS / threads as u64).clamp(LEAST, MOST) };
        if !source.mapped {
            advise_sequential(source.file.file());
        }
        if let Some(hasher) = &self.leaf {
            let (leaves, plan) = (Leaves { source, hasher }, &plans[0]);
            let count: u64 = wanted.iter().map(|range| range.end - range.start).sum();
            let (most, slice) = leaves.at_a_time(count, threads as u64, own);
            let queue = WorkQueue::new(source, Some(plan), zeros, threads, (wanted, most));
            // Without the lock of the disk: slices of several leaves are at several offsets in any
            // case, and the next ones are announced to the kernel.
            return self.share(queue, &|queue| {
                let mut buffer = Vec::new();
                while let Some(taken) = queue.take() {
                    match &taken.work {
                        Work::Hole(pieces) => {
                            done(0, PieceOutcome::Zeros(pieces.clone()))?;
                            queue.passed(pieces);
                        }
                        Work::Read(pieces) => {
                            let ranges = pieces.iter().map(|&piece| plan.piece(piece)).collect();
                            let digests = leaves.hash(ranges, slice, &mut buffer)?;
                            let mut digests = pieces.iter().zip(digests);
                            digests.try_for_each(|(&piece, digest)| {
                                done(0, PieceOutcome::Digests(piece, vec![digest]))
                            })?;
                        }
                    }
                }
                Ok(())
            });
        }
        let units = Units { source, plans, chains };
        let ratio = units.pieces();
        let of_pieces = |range: Range<u64>| range.start / ratio..range.end.div_ceil(ratio);
        // Several pieces may be in one unit, which must be handed out only once.
        let wanted = joined(wanted.into_iter().map(of_pieces).chain(chains.map(Chains::wanted)));
        let alone = !source.mapped || chains.is_some();
        // A read under the lock should be short, and chains take single units.
        let most = if alone { 1 } else { (own / UNIT).min(UNITS) };
        let queue = WorkQueue::new(source, None, zeros, threads, (wanted, most as usize));
        self.share(queue, &|queue| {
            let mut buffer = Vec::new();
            loop {
                // Taken before the next units, so that threads read in the order in which units are
                // handed out. The holder of this lock may wait in `take` or `Chains::buffer`, but
                // only for units that have been read already.
                let disk = (!source.mapped).then(|| queue.lock_disk());
                let Some(taken) = queue.take() else { break Ok(()) };
                match &taken.work {
                    Work::Hole(holes) => {
                        let zeros =
                            |plan| done(plan, PieceOutcome::Zeros(holes.start * ratio..holes.end * ratio));
                        (0..plans.len()).try_for_each(zeros)?;
                        queue.passed(holes);
                    }
                    Work::Read(numbers) => {
                        let (first, digests) = units.hash(numbers, &mut buffer, disk)?;
                        let mut plans = digests.into_iter().enumerate();
                        plans.try_for_each(|(plan, digests)| {
                            done(plan, PieceOutcome::Digests(first, digests))
                        })?;
                    }
                }
            }
        })
    }

    /// Runs `work` on all threads, including the calling one.
    fn share(
        &self,
        queue: WorkQueue<'_>,
        work: &(dyn Fn(&WorkQueue<'_>) -> Result<(), Error> + Sync),
    ) -> Result<(), Error> {
        let work = || {
            work(&queue).unwrap_or_else(|error| queue.fail(error));
            // Chains would wait forever for units that are not read any more.
            if let Some(chains) = self.chains.filter(|_| queue.ended_early()) {
                chains.stop();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                // If a thread cannot be started, the others take over its work.
                let _ = thread("hash").map(|builder| builder.spawn_scoped(scope, work));
            }
            work();
        });
        queue.end()
    }

    /// Returns the digests of a range of pieces, in order, for the only plan.
    ///
    /// # Errors
    /// Fails as [`Scan::run`].
    pub(crate) fn row(&self, pieces: Range<u64>) -> Result<Vec<Digest>, Error> {
        let row = Mutex::new(vec![None; (pieces.end - pieces.start) as usize]);
        self.run(std::iter::once(pieces.clone()).collect(), |_, hashed| {
            // Runs of zeros are handed out only after `skipping_zeros`.
            if let PieceOutcome::Digests(first, digests) = hashed {
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
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::error::Cause;
    use crate::io::mapping::Mapping;
    use crate::io::open::{Root, Special};
    use crate::io::read::Guarded;
    use crate::io::source::finish;
    use crate::progress::Progress;
    use std::fs::File;
    use std::sync::Once;
    use truesum_fs::data::FileExt;
    use truesum_fs::name::OsStrExt;
    use truesum_fs::system::guarantees;
    use truesum_hash::Spec;
    use truesum_test_support::Scratch;

    const SIZE: u64 = 24 << 20;

    fn spec(name: &str) -> Spec {
        name.parse().expect("a known name")
    }

    /// Reads a file in one way and applies `change` to it, before the first byte or when the first digests are done.
    fn read_while(
        file: &Scratch,
        (name, mapped): (&str, bool),
        early: bool,
        change: impl Fn(&File) + Sync,
    ) -> Result<(), Error> {
        file.open().set_len(0).expect("emptied");
        file.open().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        let source = Source { mapped, ..Source::new(&guarded, path, Mapping::Never, &progress) };
        let (once, change) = (Once::new(), || change(&file.open()));
        if early {
            once.call_once(change);
        }
        if name == "beside" {
            // A unit that a chain needs is read into its buffer; the chain must not produce a digest.
            let chains = Chains::new(vec![(spec("md5").hasher(), 0)], &[], SIZE / UNIT, 2);
            let plan = Plan::with_granule(&spec("sha256-tree"), SIZE, UNIT).expect("a plan");
            let (read, digest) = std::thread::scope(|scope| {
                let chain = scope.spawn(|| chains.run(0));
                let scan = Scan::new(source, std::slice::from_ref(&plan), 2).with_chains(&chains);
                let read = scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| {
                    once.call_once(change);
                    Ok(())
                });
                (read, chain.join().expect("no panic"))
            });
            assert_eq!(read.is_ok(), digest.is_some());
            return read.and_then(|()| finish(guarded, path)).map(|_| ());
        }
        let plan = Plan::with_granule(&spec(name), SIZE, UNIT).expect("a plan");
        let scan = Scan::new(source, std::slice::from_ref(&plan), 2);
        scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| {
            once.call_once(change);
            Ok(())
        })?;
        finish(guarded, path).map(|_| ())
    }

    /// Small pieces, large leaves and chains, each mapped and read.
    const WAYS: [(&str, bool); 6] = [
        ("blake3", true),
        ("blake3", false),
        ("s3-etag;part=1MiB", true),
        ("s3-etag;part=1MiB", false),
        ("beside", true),
        ("beside", false),
    ];

    #[test]
    fn file_changed_during_any_kind_of_read_is_reported() {
        let file = Scratch::new();
        for way in WAYS {
            assert!(read_while(&file, way, true, |_| ()).is_ok(), "{way:?}");
            for len in [0, 1, SIZE / 2 + 77, SIZE - 1, SIZE + 1, 2 * SIZE] {
                for early in [true, false] {
                    let result = read_while(&file, way, early, |file| file.set_len(len).expect("changed"));
                    let error = result.expect_err("a proof is impossible");
                    assert!(
                        matches!(error.cause(), Cause::Changed(_)),
                        "{way:?} to {len} bytes, early: {early}: {error}"
                    );
                }
            }
        }
    }

    #[test]
    fn file_truncated_and_regrown_under_its_window_has_changed() {
        let file = Scratch::new();
        file.open().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        let source = Source { mapped: true, ..Source::new(&guarded, path, Mapping::Never, &progress) };
        let result = source.look(UNIT, UNIT as usize, &mut Vec::new(), |data| {
            file.open().set_len(0).expect("cut");
            let sum: u64 = data.iter().map(|&byte| u64::from(byte)).sum();
            file.open().set_len(SIZE).expect("grown again");
            sum
        });
        match result {
            Err(error) if guarantees().maps_files() && matches!(error.cause(), Cause::Changed(_)) => {}
            // They were read before.
            Ok(sum) if !guarantees().maps_files() => assert_eq!(sum, 5 * UNIT),
            result => panic!("{result:?}"),
        }
    }

    #[test]
    fn sink_error_ends_all_threads_and_is_returned() {
        let file = Scratch::new();
        file.open().write_all_at(&vec![5; SIZE as usize], 0).expect("written");
        let path = file.path().as_os_str().as_bytes();
        let guarded = Guarded::open(&Root::Anywhere, path, Special::Refuse).expect("open");
        let progress = Progress::default();
        for name in ["blake3", "s3-etag;part=1MiB"] {
            let plan = Plan::with_granule(&spec(name), SIZE, UNIT).expect("a plan");
            let source = Source::new(&guarded, path, Mapping::Never, &progress);
            let scan = Scan::new(source, std::slice::from_ref(&plan), 3);
            let full = || Err(Error::new(b"tree", "write", Cause::Other("no space".to_owned())));
            let result = scan.run(std::iter::once(0..plan.pieces()).collect(), |_, _| full());
            assert!(result.as_ref().is_err_and(|error| error.action() == "write"), "{result:?}");
        }
        progress.stop();
        let source = Source::new(&guarded, path, Mapping::Never, &progress);
        let plan = Plan::with_granule(&spec("blake3"), SIZE, UNIT).expect("a plan");
        assert!(Scan::new(source, std::slice::from_ref(&plan), 3).row(0..plan.pieces()).is_err());
    }
}
