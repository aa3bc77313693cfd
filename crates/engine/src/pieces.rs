//! One file on all cores: pieces hashed apart by any thread, folded in order.
//!
//! For the digests that allow it ([`Plan`]): trees, BLAKE3, CRCs, the parts of cloud digests. Pages that are in memory
//! already are mapped window by window, which saves the kernel's copy; everything else is read into reused buffers.

use crate::mapped::Window;
use crate::progress::Progress;
use crate::read::Guarded;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use truesum_hash::tree::{Fold, Plan, Zeros};
use truesum_hash::{Digest, Hasher, Spec, finish_many, kernel, update_many};

/// Files below this size are not worth the threads.
const SMALL: u64 = 4 << 20;
/// Bytes that a thread maps or reads at a time, where pieces are small.
const WINDOW: u64 = 4 << 20;
/// Bytes of each leaf that a thread maps at a time, where pieces are leaves.
const LEAF_WINDOW: u64 = 1 << 20;
/// Bytes of each leaf that a thread reads at a time. The next are asked for meanwhile.
const LEAF_SLICE: u64 = 1 << 18;
/// Pieces that wait for an earlier one, for each thread.
const AHEAD: u64 = 64;

/// How a file is cut, if all the digests asked for can be had that way at once.
pub(crate) fn plans(file: &Guarded, specs: &[Spec]) -> Option<Vec<Plan>> {
    if !file.is_local() || file.size_hint() < SMALL || specs.is_empty() {
        return None;
    }
    let plans: Vec<Plan> =
        specs.iter().map(|spec| Plan::new(spec, file.size_hint())).collect::<Option<_>>()?;
    let cut = |plan: &Plan| (plan.pieces(), plan.piece(0), plan.piece_hasher().is_some());
    let (pieces, _, leaves) = cut(&plans[0]);
    let alike = plans.iter().all(|plan| cut(plan) == cut(&plans[0]));
    (alike && pieces > 1 && !(leaves && plans.len() > 1)).then_some(plans)
}

/// Hashes a file on `threads` threads (this one among them). The digests are in the order of the plans, or `None` if the
/// run was stopped.
///
/// # Errors
/// The system's, from reading.
pub(crate) fn hash_pieces(
    file: &mut Guarded,
    plans: &[Plan],
    threads: usize,
    progress: &Progress,
) -> Result<Option<Vec<Digest>>, Errno> {
    let plan = &plans[0];
    let leaves = plan.piece_hasher().is_some();
    let resident = is_resident(file);
    if !resident {
        // Advice only.
        let _ = rustix::fs::fadvise(file.as_fd(), 0, None, rustix::fs::Advice::Sequential);
    }
    // Many leaves at once where they fill lanes; many pieces at once where they are mapped; else one piece after the
    // other, in order, as disks and the kernel's read-ahead like it.
    let batch = if leaves {
        let lanes =
            plan.piece_hasher().map_or(1, |hasher| kernel::full_lanes(hasher.spec().algorithm()) as u64);
        plan.pieces().div_ceil(threads as u64).min(lanes)
    } else if resident {
        (WINDOW / (plan.piece(0).end - plan.piece(0).start)).max(1)
    } else {
        1
    };
    let zeros: Option<Vec<Zeros>> =
        if file.has_holes() { plans.iter().map(Plan::zeros).collect() } else { None };
    let state =
        State { next: 0, done: BTreeMap::new(), folds: plans.iter().map(Plan::fold).collect(), failed: None };
    let work = Work {
        file: file.as_fd(),
        plans,
        batch,
        resident,
        zeros,
        ahead: AHEAD.max(batch * 2) * threads as u64,
        progress,
        state: Mutex::new(state),
        moved: Condvar::new(),
        reading: Mutex::new(()),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // One that cannot be started is not missed: the others take its work.
            let builder = std::thread::Builder::new().name("hash".to_owned());
            let _ = builder.spawn_scoped(scope, || work.run(leaves));
        }
        work.run(leaves);
    });
    let state = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.failed {
        // The file is shorter than it was: its end says so.
        Some(Failure::Short(position)) => {
            file.read_elsewhere(position);
            Ok(Some(Vec::new()))
        }
        Some(Failure::Io(error)) => Err(error),
        Some(Failure::Stopped) => Ok(None),
        None => {
            file.read_elsewhere(plan.size());
            Ok(state.folds.into_iter().map(Fold::finish).collect())
        }
    }
}

/// Whether the file's pages are in memory: asked at places spread over it, without waiting for any.
pub(crate) fn is_resident(file: &Guarded) -> bool {
    const ASKED: u64 = 16;
    let step = (file.size_hint() / ASKED).max(1);
    (0..ASKED).all(|i| {
        let buffer = &mut [0; 1];
        let flags = rustix::io::ReadWriteFlags::NOWAIT;
        let read =
            rustix::io::preadv2(file.as_fd(), &mut [std::io::IoSliceMut::new(buffer)], i * step, flags);
        read == Ok(1)
    })
}

struct Work<'a> {
    file: BorrowedFd<'a>,
    plans: &'a [Plan],
    /// Pieces taken at a time.
    batch: u64,
    resident: bool,
    /// Digests of holes, if the file has any and all plans allow it.
    zeros: Option<Vec<Zeros>>,
    /// Pieces that may be taken beyond the last one folded.
    ahead: u64,
    progress: &'a Progress,
    state: Mutex<State>,
    moved: Condvar,
    /// Held while pieces are taken and read one after the other.
    reading: Mutex<()>,
}

struct State {
    next: u64,
    /// What waits for earlier pieces, by the number of its first piece.
    done: BTreeMap<u64, Done>,
    folds: Vec<Fold>,
    failed: Option<Failure>,
}

enum Done {
    /// For each plan, the digests of a run of pieces.
    Pieces(Vec<Vec<Digest>>),
    /// A run of pieces that lie in a hole.
    Zeros(u64),
}

#[derive(Clone, Copy)]
enum Failure {
    Io(Errno),
    /// The file ended here, before the size it told.
    Short(u64),
    Stopped,
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Failure {
        Failure::Io(error)
    }
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, leaves: bool) {
        let mut buffer = Vec::new();
        loop {
            let turn = (!self.resident && !leaves)
                .then(|| self.reading.lock().unwrap_or_else(PoisonError::into_inner));
            let Some(pieces) = self.take() else { return };
            let result = match (leaves, turn) {
                (true, _) => self.hash_leaves(&pieces, &mut buffer),
                (false, None) => self.hash_window(&pieces, &mut buffer),
                (false, Some(turn)) => {
                    let read = self.read_piece(pieces.start, &mut buffer);
                    drop(turn);
                    read.map(|()| self.hash_piece(pieces.start, &buffer))
                }
            };
            match result {
                Ok(digests) => self.give(pieces.start, Done::Pieces(digests)),
                Err(failure) => {
                    self.lock().failed.get_or_insert(failure);
                    self.moved.notify_all();
                    return;
                }
            }
        }
    }

    /// The next pieces to hash; `None` when there are no more, or one failed.
    fn take(&self) -> Option<Range<u64>> {
        let count = self.plans[0].pieces();
        let mut state = self.lock();
        loop {
            if self.progress.stopped() {
                state.failed.get_or_insert(Failure::Stopped);
                self.moved.notify_all();
            }
            if state.failed.is_some() || state.next >= count {
                return None;
            }
            if state.next >= state.folds[0].next() + self.ahead {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let first = state.next;
            match self.hole_at(first) {
                Ok(0) => {}
                Ok(pieces) => {
                    state.next += pieces;
                    state.put(first, Done::Zeros(pieces), self.zeros.as_deref());
                    let bytes = self.plans[0].piece(first).start..self.plans[0].piece(first + pieces - 1).end;
                    self.progress.add_bytes(bytes.end - bytes.start);
                    continue;
                }
                Err(error) => {
                    state.failed.get_or_insert(Failure::Io(error));
                    return None;
                }
            }
            let end = (first + self.batch).min(count);
            state.next = end;
            return Some(first..end);
        }
    }

    /// How many whole pieces from this one on lie in a hole.
    fn hole_at(&self, piece: u64) -> Result<u64, Errno> {
        if self.zeros.is_none() {
            return Ok(0);
        }
        let plan = &self.plans[0];
        let range = plan.piece(piece);
        let data = match rustix::fs::seek(self.file, rustix::fs::SeekFrom::Data(range.start)) {
            Ok(data) => data.min(plan.size()),
            Err(Errno::NXIO) => plan.size(),
            Err(error) => return Err(error),
        };
        // The last piece may be short, and so is none of the precomputed ones.
        let pieces = (data - range.start) / (range.end - range.start);
        Ok(pieces.min(plan.pieces() - 1 - piece))
    }

    fn give(&self, first: u64, done: Done) {
        self.lock().put(first, done, self.zeros.as_deref());
        self.moved.notify_all();
    }

    fn read_piece(&self, piece: u64, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        let range = self.plans[0].piece(piece);
        buffer.resize((range.end - range.start) as usize, 0);
        self.read(buffer, range.start)
    }

    /// The digests of one piece, one for each plan.
    fn hash_piece(&self, piece: u64, data: &[u8]) -> Vec<Vec<Digest>> {
        self.progress.add_bytes(data.len() as u64);
        self.plans.iter().map(|plan| vec![plan.hash_piece(piece, data)]).collect()
    }

    /// Hashes a run of neighbouring pieces from a mapping.
    fn hash_window(&self, pieces: &Range<u64>, buffer: &mut Vec<u8>) -> Result<Vec<Vec<Digest>>, Failure> {
        let mut digests: Vec<Vec<Digest>> = self.plans.iter().map(|_| Vec::new()).collect();
        let mut add = |more: Vec<Vec<Digest>>| {
            for (digests, more) in digests.iter_mut().zip(more) {
                digests.extend(more);
            }
        };
        let start = self.plans[0].piece(pieces.start).start;
        let end = self.plans[0].piece(pieces.end - 1).end;
        let Ok(window) = Window::map(self.file, start, (end - start) as usize) else {
            for piece in pieces.clone() {
                self.read_piece(piece, buffer)?;
                add(self.hash_piece(piece, buffer));
            }
            return Ok(digests);
        };
        for piece in pieces.clone() {
            let range = self.plans[0].piece(piece);
            add(self.hash_piece(
                piece,
                &window.bytes()[(range.start - start) as usize..(range.end - start) as usize],
            ));
        }
        self.checked(&window, start).map(|()| digests)
    }

    /// Hashes several leaves side by side.
    fn hash_leaves(&self, pieces: &Range<u64>, buffer: &mut Vec<u8>) -> Result<Vec<Vec<Digest>>, Failure> {
        let ranges: Vec<Range<u64>> = pieces.clone().map(|piece| self.plans[0].piece(piece)).collect();
        let hasher = || self.plans[0].piece_hasher().expect("these pieces are leaves");
        let mut hashers: Vec<Hasher> = ranges.iter().map(|_| hasher()).collect();
        // Not at multiples of a power of two: lanes that lie so fall on the same cache sets.
        const SKEW: usize = 4096 + 64;
        let slice = if self.resident { LEAF_WINDOW } else { LEAF_SLICE };
        let longest = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
        for at in (0..longest).step_by(slice as usize) {
            if self.progress.stopped() {
                return Err(Failure::Stopped);
            }
            let parts: Vec<Range<u64>> = ranges
                .iter()
                .map(|range| (range.start + at).min(range.end)..(range.start + at + slice).min(range.end))
                .collect();
            let len = |part: &Range<u64>| (part.end - part.start) as usize;
            let map = |part: &Range<u64>| match len(part) {
                0 => Ok(None),
                len => Window::map(self.file, part.start, len).map(Some),
            };
            let windows =
                if self.resident { parts.iter().map(map).collect::<Result<Vec<_>, _>>().ok() } else { None };
            let slices: Vec<&[u8]> = if let Some(windows) = &windows {
                windows.iter().map(|window| window.as_ref().map_or(&[][..], Window::bytes)).collect()
            } else {
                buffer.resize((slice as usize + SKEW) * parts.len(), 0);
                for (part, buffer) in parts.iter().zip(buffer.chunks_mut(slice as usize + SKEW)) {
                    self.read(&mut buffer[..len(part)], part.start)?;
                    // Several places of a file at once look random to the kernel: tell it what comes next.
                    let next = std::num::NonZeroU64::new(4 * slice);
                    let _ = rustix::fs::fadvise(self.file, part.end, next, rustix::fs::Advice::WillNeed);
                }
                let buffers = buffer.chunks(slice as usize + SKEW);
                parts.iter().zip(buffers).map(|(part, buffer)| &buffer[..len(part)]).collect()
            };
            update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
            self.progress.add_bytes(slices.iter().map(|slice| slice.len() as u64).sum());
            for (window, part) in windows.iter().flatten().zip(&parts) {
                if let Some(window) = window {
                    self.checked(window, part.start)?;
                }
            }
        }
        Ok(vec![finish_many(&mut hashers.iter_mut().collect::<Vec<_>>())])
    }

    /// Tells why a window could not be read, if so: by reading what it should have shown.
    fn checked(&self, window: &Window, start: u64) -> Result<(), Failure> {
        if window.intact() {
            return Ok(());
        }
        self.read(&mut vec![0; window.bytes().len()], start)?;
        // The fault has passed; the bytes hashed were not the file's all the same.
        Err(Failure::Io(Errno::IO))
    }

    fn read(&self, buffer: &mut [u8], start: u64) -> Result<(), Failure> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::pread(self.file, &mut buffer[filled..], start + filled as u64) {
                Ok(0) => return Err(Failure::Short(start + filled as u64)),
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(error) => return Err(Failure::Io(error)),
            }
        }
        Ok(())
    }
}

impl State {
    /// Folds what is now in order.
    fn put(&mut self, first: u64, done: Done, zeros: Option<&[Zeros]>) {
        self.done.insert(first, done);
        while let Some(done) = self.done.remove(&self.folds[0].next()) {
            match done {
                Done::Pieces(digests) => {
                    for (fold, digests) in self.folds.iter_mut().zip(digests) {
                        digests.into_iter().for_each(|digest| fold.push(digest));
                    }
                }
                Done::Zeros(count) => {
                    for (fold, zeros) in self.folds.iter_mut().zip(zeros.into_iter().flatten()) {
                        fold.push_zeros(zeros, count);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::{Root, Special};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::FileExt;

    fn open(path: &std::path::Path) -> Guarded {
        Guarded::open(&Root::Anywhere, path.as_os_str().as_bytes(), Special::Refuse).unwrap()
    }

    /// Digests of the file by pieces, beside those of the same bytes one after the other.
    fn compare(path: &std::path::Path, data: &[u8], names: &str, threads: usize) {
        let specs: Vec<Spec> = names.split(',').map(|name| name.parse().unwrap()).collect();
        let mut file = open(path);
        let plans = plans(&file, &specs).expect("these digests are made of pieces");
        let found = hash_pieces(&mut file, &plans, threads, &Progress::default()).unwrap().unwrap();
        let expected: Vec<Digest> = specs
            .iter()
            .map(|spec| {
                let mut hasher = spec.hasher_for_size(data.len() as u64);
                hasher.update(data);
                hasher.finish()
            })
            .collect();
        assert_eq!(found, expected, "{names} on {threads} threads");
        assert_eq!(file.finish(b"f").unwrap().size(), data.len() as u64);
    }

    const NAMES: [&str; 5] =
        ["sha256-tree", "blake3", "md5-tree,sha512-tree", "s3-etag", "sha256-tree;leaf=2MiB"];

    #[test]
    fn pieces_give_the_digests_of_the_whole() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let data: Vec<u8> =
            (0..(21u32 << 20) + 12345).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
        file.as_file().write_all_at(&data, 0).unwrap();
        if !open(file.path()).is_local() {
            return;
        }
        for names in NAMES {
            for threads in [1, 2, 5] {
                compare(file.path(), &data, names, threads);
            }
        }
    }

    #[test]
    fn holes_are_folded_without_being_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut data = vec![0; 40 << 20];
        for at in [0, 9 << 20, (40 << 20) - 3] {
            data[at..at + 3].copy_from_slice(b"xyz");
            file.as_file().write_all_at(b"xyz", at as u64).unwrap();
        }
        if !open(file.path()).has_holes() {
            return;
        }
        for names in NAMES {
            compare(file.path(), &data, names, 2);
        }
    }

    #[test]
    fn a_truncation_while_windows_are_hashed_is_a_change() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().write_all_at(&vec![5; 64 << 20], 0).unwrap();
        for cut in [0, 100, 30 << 20] {
            file.as_file().set_len(64 << 20).unwrap();
            let mut guarded = open(file.path());
            if !guarded.is_local() {
                return;
            }
            let plans = plans(&guarded, &["blake3".parse().unwrap()]).unwrap();
            file.as_file().set_len(cut).unwrap();
            let result = hash_pieces(&mut guarded, &plans, 2, &Progress::default());
            assert!(result.is_err() || guarded.finish(b"f").is_err(), "cut to {cut}");
        }
    }
}
