//! A worker: keeps lanes full of open files, or processes one large file alone.
//!
//! # Problem
//!
//! One file uses a fraction of a core ([`truesum_hash::update_many`] explains why), so a worker
//! should hash as many files at once as the kernel has lanes. But a file must be read to be hashed,
//! and reading many files in turn has costs of its own: descriptors, cache space for their slices,
//! seeks on a spinning disk, and a wait of unknown length for each pipe. Some files are better
//! hashed alone: one that is larger than all others together would finish last in a lane, and one
//! that is a tree can use all cores.
//!
//! # Idea
//!
//! A worker holds a set of open files, twice as many as there are lanes, and proceeds in rounds:
//!
//! ```text
//! while jobs or open files are left:
//!     while there is room: pull jobs from the feeder and open their files
//!         a file that goes alone is hashed at once, to its end, with another thread reading ahead
//!         a pipe or device is put aside until no other file is open: it may never end
//!     read one slice of every open file                       (together, they fit into the L2 cache)
//!     hash all slices in one call, which shares the lanes      (update_many)
//!     for each file that ended: prove that it was read completely and unchanged, then report it
//! ```
//!
//! The slices of a round are hashed while they are still in the cache, so the data crosses the
//! memory bus once. Hashers of finished files are reused, because creating them is noticeable for small
//! files.
//!
//! # Order and failure
//!
//! A digest is computed only from a [`CompleteRead`], which [`Guarded::finish`] alone returns. A
//! file that changed is therefore reported as changed even if its size was also wrong. Outcomes
//! leave a worker in any order; the calling thread restores the order of the tasks (`Output`).
//! However a worker ends, including by a panic, it closes the frontier, so that no thread waits for
//! its jobs.
//!
//! If the process runs out of descriptors, the worker finishes the files it has open and from then
//! on opens fewer. Only a worker without open files waits, for a limited number of attempts per
//! run: if other programs hold all descriptors, a million files must not wait a second each.
//!
//! If each file is to be read to its end before the next one ([`Config::sequential`], or a single
//! thread), there is one worker. It takes the files in order and reads small ones completely, one
//! after the other; only then are they hashed, still in lanes. Larger files go alone or in slices of
//! a single file.
//!
//! # Trade-offs
//!
//! Files of one worker are not moved to another one when it runs out of work. The feeder hands out
//! the largest files first instead, so that all workers finish at about the same time.

use crate::error::Error;
use crate::io::ahead::read_ahead;
use crate::io::anchor::most_bases;
use crate::io::device::is_spinning;
use crate::io::file_id::FileId;
use crate::io::memory_limit::is_tight;
use crate::io::read::{CompleteRead, Guarded};
use crate::io::waits::WaitCounter;
use crate::job::{FileResult, Job, Outcome, check_final_size, digests};
use crate::pieces::fold::{hash_pieces, plans};
use crate::progress::{Completion, Progress};
use crate::run::alone::{READ_AHEAD, is_hashed_alone, lanes_of};
use crate::run::config::Config;
use crate::run::event::{Batch, WorkerEvent};
use crate::run::feed::{Assigned, Feeder};
use crate::run::frontier::FrontierGuard;
use crate::run::links::{Claim, Identity, Links};
use crate::run::remote::SMALL;
use crate::task::Notice;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;
use truesum_fs::Errno;
use truesum_fs::limits;
use truesum_fs::name::OsStringExt;
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher, Spec, finish_many, update_many};

/// The total size of the slices that a worker reads before it hashes them, so that they are still in the L2 cache. For
/// more than [`FILES_PER_ROUND`] files it is larger, because system calls cost more than the L3 cache: 10,000 files of 100 KiB took
/// a quarter less processor time in slices of 32 KiB than of 8 KiB.
const ROUND: usize = 1 << 19;
/// The number of files whose slices form a round.
const FILES_PER_ROUND: usize = 16;
/// The maximum slice read from one file. Longer ones do not stay in the cache.
const SLICE: usize = 1 << 18;
/// Slices do not begin at multiples of a power of two, because such lanes map to the same cache sets.
const SKEW: usize = 64 + 4096;
/// Files up to this size are read in one call even if many are open.
const SINGLE_READ: u64 = (ROUND / FILES_PER_ROUND) as u64;
/// The maximum number of open files per worker.
const OPEN: usize = 64;
/// The number of attempts, one every 5 ms, that a worker without an open file makes if descriptors are exhausted and no
/// other worker reads.
const MAX_ATTEMPTS: u32 = 200;
/// The size of a round, as a multiple of the usual one, if each file is read completely before the next one: only files
/// that are read completely share lanes then.
const COMPLETE: usize = 32;
/// The number of files that are read completely in one round even if all are large.
const COMPLETE_FILES: usize = 4;
/// The round size if memory is scarce; then no more files are open than form a round.
const SMALL_ROUND: usize = 1 << 17;

pub(crate) struct Worker<'a, 'f> {
    config: &'a Config,
    feeder: &'a Feeder<'f>,
    links: &'a Links,
    progress: &'a Progress,
    /// The maximum number of open files, according to the limit of this process.
    open_limit: usize,
    /// The attempts left before a file fails because descriptors are exhausted. They are counted
    /// per run, not per file: if waiting did not help one file, the next one fails at once.
    attempts_left: u32,
    /// The bytes of slices that are read before they are hashed.
    round: usize,
    /// Whether each file is read to its end before the next one.
    in_order: bool,
    buffer: Vec<u8>,
    /// Hashers of finished files, to be reused for files with the same specs.
    spare: Vec<Vec<Hasher>>,
    spare_specs: Option<Arc<[Spec]>>,
    waits: WaitCounter,
    /// Pipes and devices. They are read when no other file is waiting, because they may never end.
    slow: VecDeque<Active>,
    done: Batch,
}

/// The connection from a file back to its job.
struct Ticket {
    place: u64,
    job: Job,
    started: Instant,
    /// The file's identity, if it has other names.
    link: Option<FileId>,
}

/// A file that is read in slices.
struct Active {
    ticket: Ticket,
    file: Guarded,
    hashers: Vec<Hasher>,
    spinning: bool,
    /// The length of the slice that was just read.
    filled: usize,
    failed: Option<Error>,
}

impl<'a, 'f> Worker<'a, 'f> {
    pub(crate) fn new(
        config: &'a Config,
        feeder: &'a Feeder<'f>,
        links: &'a Links,
        progress: &'a Progress,
        threads: usize,
    ) -> Worker<'a, 'f> {
        // Some descriptors are used for standard streams, manifests and the walk.
        let others = 12 + most_bases() as u64;
        let (round, most) = if is_tight() { (SMALL_ROUND, FILES_PER_ROUND) } else { (ROUND, OPEN) };
        let open_limit =
            (limits::open_files().saturating_sub(others) / threads as u64).clamp(1, most as u64) as usize;
        Worker {
            config,
            feeder,
            links,
            progress,
            open_limit,
            attempts_left: MAX_ATTEMPTS,
            round,
            in_order: config.reads_in_order(),
            buffer: Vec::new(),
            spare: Vec::new(),
            spare_specs: None,
            waits: WaitCounter::start(),
            slow: VecDeque::new(),
            done: Vec::new(),
        }
    }

    /// Works until there are no more jobs, the run is stopped or `deliver` returns false. However it ends, no other
    /// worker keeps waiting for anything that this one leaves undone.
    pub(crate) fn work(mut self, deliver: &mut dyn FnMut(Batch) -> bool) {
        let _leaves = FrontierGuard(self.feeder.frontier());
        let mut active: Vec<Active> = Vec::new();
        let mut pulled = Vec::new();
        let mut more = true;
        let mut width = 1;
        while (more || !active.is_empty() || !self.slow.is_empty()) && !self.progress.stopped() {
            // After a stop, unfinished files are dropped. The worker must then not wait for their outcomes to be
            // delivered.
            let room = |worker: &Worker, active: &Vec<Active>, width: usize| {
                let is_full = worker.config.remote.is_some() && are_large(active);
                let open = active.len() + worker.slow.len();
                let most =
                    if is_full || worker.progress.stopped() { 0 } else { width.min(worker.open_limit) };
                most.saturating_sub(open)
            };
            while more && let most @ 1.. = room(&self, &active, width) {
                // Only a worker that holds nothing may sleep (rule 1 in `frontier.rs`).
                let idle = active.is_empty() && self.slow.is_empty();
                // Taking the next task can take as long as a walk through a large folder.
                if !self.deliver_finished(deliver) {
                    return;
                }
                // Opening an object takes so much time that other workers should open the next one.
                let most = if self.config.remote.is_some() { 1 } else { most };
                more = self.feeder.pull(most, idle, &mut pulled, &mut self.done);
                if pulled.is_empty() {
                    break;
                }
                for assigned in pulled.drain(..) {
                    if self.progress.stopped() {
                        break;
                    }
                    // Keep twice as many files open as there are lanes, so that the end of a file does not leave a lane
                    // empty for long. Without lanes, keep as many, so that small files do not wait for the feeder and
                    // the output one by one.
                    let lanes = assigned.job.specs.iter().map(lanes_of).max().unwrap_or(1);
                    width = if lanes > 1 { (2 * lanes).min(OPEN) } else { OPEN };
                    if let Some(large) = self.begin(assigned, &mut active) {
                        if self.in_order {
                            self.finish_all(&mut active);
                        }
                        if !self.deliver_finished(deliver) {
                            return;
                        }
                        self.alone(large);
                    }
                }
            }
            // A pipe can block indefinitely, so finished results are delivered first.
            if active.is_empty()
                && self.done.is_empty()
                && let Some(next) = self.slow.pop_front()
            {
                self.slowly(next);
            }
            self.round(&mut active);
            if !self.deliver_finished(deliver) {
                return;
            }
        }
    }

    /// Delivers finished results. Returns false if no more outcomes are needed.
    fn deliver_finished(&mut self, deliver: &mut dyn FnMut(Batch) -> bool) -> bool {
        if self.done.is_empty() {
            return true;
        }
        if self.waits.many(self.done.len()) {
            self.feeder.note_waiting();
        }
        deliver(std::mem::take(&mut self.done))
    }

    /// Opens a file. Returns it if it is to be hashed alone.
    fn begin(&mut self, assigned: Assigned, active: &mut Vec<Active>) -> Option<Active> {
        let Assigned { place, job, alone } = assigned;
        let mut ticket = Ticket { place, job, started: Instant::now(), link: None };
        let file = match self.open(&ticket.job, active) {
            Ok(Some(file)) => file,
            Ok(None) => {
                self.done.push((
                    place,
                    WorkerEvent::Notice(Notice::Own(OsString::from_vec(ticket.job.name).into())),
                ));
                return None;
            }
            Err(error) => {
                self.fail(ticket, error);
                return None;
            }
        };
        if file.may_be_written() {
            self.progress.add_writers_unknown();
        }
        let stat = file.stat();
        if ticket.job.specs.is_empty() {
            self.report_metadata(ticket, &file);
            return None;
        }
        let id = FileId::from(stat);
        let names = if file.knows_links() { stat.links() } else { 0 };
        if !file.shows_changes() {
            ticket.job.unshare();
        }
        if names > 1 || ticket.job.shared.is_some() {
            // From here on, other names may wait for this file: every way out reports an outcome,
            // or the run is being stopped.
            match self.links.claim(Identity::of(stat), names, place, ticket.job) {
                Claim::First(job) => (ticket.job, ticket.link) = (job, Some(id)),
                Claim::Other(job) => ticket.job = job,
                Claim::Waiting => return None,
                Claim::Known(outcome) => {
                    self.progress.add_file();
                    self.done.push((place, WorkerEvent::Outcome(*outcome)));
                    return None;
                }
            }
        }
        self.progress.set_current(&ticket.job.name);
        let size = file.size_hint();
        if self.feeder.is_single() {
            self.progress.add_found_bytes(Some(size));
        }
        let hashers = self.hashers(&ticket.job.specs, size);
        // A single file does not compete with others, and the query takes longer than hashing a small file.
        let spinning = !self.feeder.is_single() && is_spinning(id.device());
        let next = Active { ticket, file, hashers, spinning, filled: 0, failed: None };
        let alone = || alone.unwrap_or_else(|| is_hashed_alone(size, &next.ticket.job.specs));
        let is_long = || next.file.version().is_some() || alone() || is_serial(&next.hashers);
        let alone = size > READ_AHEAD && is_long();
        // Slices read holes like data, whereas a file that goes alone skips them.
        let sparse = next.file.has_holes() && size > SLICE as u64;
        // Reading slices of many files causes seeks on a spinning disk.
        let spinning = size > SINGLE_READ && next.spinning && !self.in_order;
        if !next.file.is_regular() {
            self.slow.push_back(next);
        } else if alone || sparse || spinning {
            return Some(next);
        } else {
            active.push(next);
        }
        None
    }

    /// Reports the metadata of a file for which no digest is requested.
    fn report_metadata(&mut self, ticket: Ticket, file: &Guarded) {
        let found = FileResult::unread(file, ticket.started);
        self.report(ticket, Ok(found));
    }

    /// Opens a job's file. Returns `None` if it is the run's own output.
    fn open(&mut self, job: &Job, active: &mut Vec<Active>) -> Result<Option<Guarded>, Error> {
        if job.stdin {
            return Guarded::stdin().map(|file| Some(file.until(self.progress.stop_signal())));
        }
        if let Some(remote) = &self.config.remote {
            return Guarded::of_version(remote.open(job, self.progress)?).map(Some);
        }
        let opened = loop {
            let (root, path) = job.root_and_name(&self.config.root);
            match root.open(path, self.config.special) {
                // Out of descriptors: finish the files that are open here, or wait for the other workers.
                Err(error)
                    if (self.attempts_left > 0 || !active.is_empty())
                        && !self.progress.stopped()
                        && matches!(
                            error.errno().map(Errno::from_raw_os_error),
                            Some(Errno::MFILE | Errno::NFILE)
                        ) =>
                {
                    // The descriptors in use elsewhere leave this worker as many files as it has
                    // open now. It is not tested later whether they leave more.
                    self.open_limit = self.open_limit.min(active.len().max(1));
                    if active.is_empty() {
                        let read = self.progress.bytes();
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        // Files finished by other workers free descriptors.
                        let moves = self.progress.bytes() != read;
                        self.attempts_left = if moves { MAX_ATTEMPTS } else { self.attempts_left - 1 };
                    }
                    self.finish_all(active);
                }
                result => break result,
            }
        };
        if opened.is_ok() {
            self.attempts_left = MAX_ATTEMPTS;
        }
        let (file, stat) = opened.map_err(|error| error.with_name(&job.name))?;
        // Tested before `Guarded::of`, which fails for a file that this run has open for writing.
        if self.config.own.contains(&FileId::from(&stat)) {
            return Ok(None);
        }
        self.config.guarded(file, stat, &job.name).map(|file| Some(file.until(self.progress.stop_signal())))
    }

    /// Returns hashers for a file of this size, reusing those of finished files if the size does not matter.
    fn hashers(&mut self, specs: &Arc<[Spec]>, size: u64) -> Vec<Hasher> {
        if specs.iter().any(Spec::needs_size) {
            return specs.iter().map(|spec| spec.hasher_for_size(size)).collect();
        }
        // The same list of algorithms is usually the same allocation. Comparing pointers is cheap,
        // and a wrong "no" costs only new hashers.
        if !self.spare_specs.as_ref().is_some_and(|spare| Arc::ptr_eq(spare, specs)) {
            self.spare.clear();
            self.spare_specs = Some(specs.clone());
        }
        self.spare.pop().unwrap_or_else(|| specs.iter().map(Spec::hasher).collect())
    }

    fn keep_hashers(&mut self, specs: &Arc<[Spec]>, hashers: Vec<Hasher>) {
        let reusable = !specs.iter().any(Spec::needs_size);
        if reusable && self.spare_specs.as_ref().is_some_and(|spare| Arc::ptr_eq(spare, specs)) {
            self.spare.push(hashers);
        }
    }

    /// Reads and finishes all open files.
    fn finish_all(&mut self, active: &mut Vec<Active>) {
        while !active.is_empty() && !self.progress.stopped() {
            self.round(active);
        }
    }

    /// Returns how many bytes to read of each of the first open files.
    fn slices(&self, active: &[Active]) -> Vec<usize> {
        // One byte more than the file, because only a read that comes up short shows the end. Space that no file can
        // fill would only be zeroed, which is noticeable for small files.
        let room =
            |size: u64| (size as usize).saturating_add(1).checked_next_multiple_of(4096).unwrap_or(SLICE);
        let share_lanes = active.iter().any(|file| !is_serial(&file.hashers));
        if self.in_order {
            let (longest, mut left) = match share_lanes && active.len() > 1 {
                true => (room((self.round * COMPLETE / COMPLETE_FILES) as u64), self.round * COMPLETE),
                false => (SLICE, self.round),
            };
            let slices = active.iter().map(|file| room(file.file.size_hint()).min(longest));
            let fits = |(at, slice): &(usize, usize)| {
                let fits = *at == 0 || *slice <= left;
                left = left.saturating_sub(*slice);
                fits
            };
            return slices.enumerate().take_while(fits).map(|(_, slice)| slice).collect();
        }
        let room = room(active.iter().map(|file| file.file.size_hint()).max().unwrap_or(0));
        // Lanes need a slice of every file. If files are hashed one after the other, the first ones are read in longer
        // slices and the others wait.
        let together = match share_lanes {
            true => active.len(),
            false => (self.round / room.min(SLICE)).clamp(1, active.len()),
        };
        vec![
            (self.round / together / 4096 * 4096).clamp(self.round / FILES_PER_ROUND, SLICE).min(room);
            together
        ]
    }

    /// Reads a slice of every open file, hashes all slices, and finishes the files that ended. In order, a file that did
    /// not end is the last one of the round and the first one of the next.
    fn round(&mut self, active: &mut Vec<Active>) {
        if active.is_empty() {
            return;
        }
        let _permit = self.feeder.permit();
        let slices = self.slices(active);
        let needed = slices.iter().map(|slice| slice + SKEW).sum();
        if self.buffer.len() < needed {
            self.buffer.resize(needed, 0);
        }
        let (mut bytes, mut together, mut rest) = (0, 0, &mut self.buffer[..]);
        // Locks are always taken in the order permit, disk. This one is released before hashing, so
        // that another worker can read in the meantime.
        let disk = active[..slices.len()].iter().any(|file| file.spinning).then(|| self.feeder.lock_disk());
        for (file, &slice) in active.iter_mut().zip(&slices) {
            let (buffer, after) = rest.split_at_mut(slice + SKEW);
            (rest, together) = (after, together + 1);
            self.progress.note_read(&file.file, file.file.position());
            match file.file.read(&mut buffer[..slice]) {
                Ok(filled) => file.filled = filled,
                Err(error) => {
                    (file.failed, file.filled) = (Some(file.file.failed(&file.ticket.job.name, error)), 0);
                }
            }
            bytes += file.filled as u64;
            if self.in_order && file.failed.is_none() && !file.file.at_end() {
                break;
            }
        }
        drop(disk);
        let mut work: Vec<(&mut Hasher, &[u8])> = Vec::with_capacity(together);
        let mut rest = &self.buffer[..];
        for (file, slice) in active[..together].iter_mut().zip(&slices) {
            let (buffer, after) = rest.split_at(slice + SKEW);
            rest = after;
            let Active { hashers, filled, .. } = file;
            work.extend(hashers.iter_mut().map(|hasher| (hasher, &buffer[..*filled])));
        }
        // Adjacent entries with the same algorithm share lanes.
        work.sort_by_key(|(hasher, _)| hasher.spec().algorithm().name());
        let (mut hashers, slices): (Vec<_>, Vec<_>) = work.into_iter().unzip();
        update_many(&mut hashers, &slices);
        self.progress.add_bytes(bytes);
        let ended: Vec<Active> =
            active.extract_if(.., |file| file.failed.is_some() || file.file.at_end()).collect();
        self.end(ended);
    }

    /// Finishes files: digests for those that were read completely, errors for the others.
    fn end(&mut self, ended: Vec<Active>) {
        let mut whole: Vec<(Ticket, Vec<Hasher>, CompleteRead)> = Vec::with_capacity(ended.len());
        for Active { ticket, file, hashers, failed, .. } in ended {
            let result = match failed {
                Some(error) => Err(error),
                None => file.finish(&ticket.job.name),
            };
            match result.and_then(|proof| check_final_size(&hashers, &ticket.job.name).map(|()| proof)) {
                Ok(proof) => whole.push((ticket, hashers, proof)),
                Err(error) => self.fail(ticket, error),
            }
        }
        // Each hasher is accompanied by its position: the file, and the index of the digest.
        let mut work: Vec<((usize, usize), &mut Hasher)> = Vec::with_capacity(whole.len());
        for (file, (_, hashers, _)) in whole.iter_mut().enumerate() {
            work.extend(hashers.iter_mut().enumerate().map(|(which, hasher)| ((file, which), hasher)));
        }
        work.sort_by_key(|(_, hasher)| hasher.spec().algorithm().name());
        let (places, mut hashers): (Vec<_>, Vec<_>) = work.into_iter().unzip();
        let mut digests: Vec<_> = places.into_iter().zip(finish_many(&mut hashers)).collect();
        // Places are distinct, so an unstable sort is enough to restore the order of files and
        // algorithms.
        digests.sort_unstable_by_key(|(place, _)| *place);
        let mut digests = digests.into_iter().map(|(_, digest)| digest);
        for (ticket, hashers, proof) in whole {
            // `finish_many` has reset the hashers, so the next file can use them.
            let digests = digests.by_ref().take(hashers.len()).collect();
            self.keep_hashers(&ticket.job.specs, hashers);
            self.succeed(ticket, proof, digests);
        }
    }

    /// Hashes a pipe or a device: first in slices, and with a thread that reads ahead if it turns out to be long.
    fn slowly(&mut self, next: Active) {
        let mut active = vec![next];
        // Most pipes are short, and a thread would cost more than it saves.
        for _ in 0..READ_AHEAD / SLICE as u64 {
            self.round(&mut active);
        }
        if let Some(next) = active.pop() {
            self.alone(next);
        }
    }

    /// Hashes one file alone, reading ahead on another thread.
    fn alone(&mut self, mut next: Active) {
        let _permit = self.feeder.permit();
        let _disk = next.spinning.then(|| self.feeder.lock_disk());
        let mapping = self.config.mapping;
        // Large leaves are read side by side, which makes no difference for pages that are in memory.
        let from_start_to_end = self.config.reads.sequential && !mapping.suits(&next.file);
        let suits = |plans: &Vec<Plan>| !from_start_to_end || plans[0].piece_hasher().is_none();
        if let Some(plans) = plans(&next.file, &next.ticket.job.specs).filter(suits) {
            return self.by_pieces(next, &plans);
        }
        let threads = self.feeder.idle_threads();
        let result = read_ahead(&mut next.file, &mut next.hashers, threads, mapping, self.progress);
        let Active { ticket, mut file, mut hashers, .. } = next;
        let whole = match result {
            Ok(Completion::Complete(())) => file.finish(&ticket.job.name),
            // The run was stopped: the task is dropped, so this worker must not wait any more (rule
            // 4 in `frontier.rs`).
            Ok(Completion::Stopped) => return,
            Err(error) => Err(file.failed(&ticket.job.name, error)),
        };
        // Compute digests only after the proof, so that a file that changed is not reported as a
        // file with a wrong size.
        let read = whole.and_then(|proof| Ok((proof, digests(&mut hashers, &ticket.job.name)?)));
        match read {
            Ok((proof, digests)) => {
                self.keep_hashers(&ticket.job.specs, hashers);
                self.succeed(ticket, proof, digests);
            }
            Err(error) => self.fail(ticket, error),
        }
    }

    /// Hashes one file on all threads that are otherwise idle.
    fn by_pieces(&mut self, next: Active, plans: &[Plan]) {
        let Active { ticket, mut file, .. } = next;
        let threads = self.feeder.idle_threads();
        match hash_pieces(&mut file, &ticket.job.name, plans, threads, self.config.mapping, self.progress) {
            // The run was stopped, as in `alone`.
            Ok(Completion::Stopped) => {}
            Ok(Completion::Complete(digests)) => match file.finish(&ticket.job.name) {
                Ok(proof) => self.succeed(ticket, proof, digests),
                Err(error) => self.fail(ticket, error),
            },
            Err(error) => self.fail(ticket, error),
        }
    }

    /// Reports the digests of a file that was read completely.
    fn succeed(&mut self, ticket: Ticket, proof: CompleteRead, digests: Vec<Digest>) {
        let found = FileResult::new(proof, digests, ticket.started);
        self.report(ticket, Ok(found));
    }

    fn fail(&mut self, ticket: Ticket, error: Error) {
        // An object whose request was interrupted by a stop has not failed: it counts as not reached.
        if self.config.remote.is_some() && self.progress.stopped() {
            return;
        }
        self.report(ticket, Err(error));
    }

    fn report(&mut self, ticket: Ticket, result: Result<FileResult, Error>) {
        let Ticket { place, job, link, .. } = ticket;
        let mut outcome = Outcome { job, result };
        self.progress.add_file();
        if let Some(id) = link {
            for (place, outcome) in self.links.record_outcome(id, &outcome) {
                self.progress.add_file();
                self.done.push((place, WorkerEvent::Outcome(outcome)));
            }
        }
        outcome.unshare();
        self.done.push((place, WorkerEvent::Outcome(outcome)));
    }
}

/// Returns whether these objects, which are in memory, have as many bytes as a worker should hold.
fn are_large(active: &[Active]) -> bool {
    active.iter().map(|file| file.file.size_hint()).fold(0, u64::saturating_add) >= SMALL
}

/// Returns whether no algorithm has lanes. Then files share nothing, and a large one is better read ahead.
fn is_serial(hashers: &[Hasher]) -> bool {
    hashers.iter().all(|hasher| !hasher.spec().has_lanes())
}
