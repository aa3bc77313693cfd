//! Hashes one large file: one thread reads ahead, and several algorithms share the hashing threads.
//!
//! Every algorithm must process the slices in order, but a thread is free to choose which algorithm it advances next:
//! it chooses the one that is furthest behind. Five digests of one file thus keep all cores busy, whatever their costs,
//! and holes need not be read. Pages that are already in memory are mapped rather than read, which saves the copy and
//! the core that would make it.

use crate::error::Cause;
use crate::io::mapped::Window;
use crate::io::mapping::Mapping;
use crate::io::memory_limit::{is_tight, thread};
use crate::io::read::Guarded;
use crate::progress::{Completion, Progress};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use truesum_fs::Errno;
use truesum_fs::data::advise_sequential;
use truesum_hash::Hasher;

/// The size of a slice: small enough to stay in the L2 cache until it is hashed.
const SLICE: usize = 1 << 18;
/// The maximum number of slices between the reader and the slowest algorithm.
const SLICES: usize = 8;
/// The same two sizes when memory is scarce.
const SMALL_SLICE: usize = 1 << 16;
const FEW: usize = 3;
/// The initial number of zeros hashed at once, and how long hashing them may take.
const ZEROS: u64 = 1 << 20;
const AT_ONCE: Duration = Duration::from_millis(250);
/// The number of bytes mapped at a time: enough that passing on a window costs nothing compared with hashing it with
/// the fastest checksums.
const WINDOW: u64 = 2 << 20;

enum Extent {
    Data {
        buffer: Vec<u8>,
        len: usize,
    },
    /// A mapped part of the file.
    Mapped(Window),
    /// A hole: this many zero bytes, which need not be read.
    Zeros(u64),
}

impl Extent {
    fn len(&self) -> u64 {
        match self {
            Extent::Data { len, .. } => *len as u64,
            Extent::Mapped(window) => window.bytes(0).len() as u64,
            Extent::Zeros(count) => *count,
        }
    }
}

struct Pipe<'a> {
    state: Mutex<AheadState<'a>>,
    moved: Condvar,
    /// The size of a slice and the maximum number of waiting slices.
    slice: usize,
    slices: usize,
    /// The progress, which counts what every algorithm has processed.
    progress: &'a Progress,
}

struct AheadState<'a> {
    stretches: VecDeque<Arc<Extent>>,
    /// The number of the first of `stretches`.
    first: u64,
    tracks: Vec<Track<'a>>,
    spare: Vec<Vec<u8>>,
    ended: Option<Result<(), Errno>>,
    /// Whether bytes were hashed that do not belong to the file, because it was truncated under its mapping or its disk
    /// failed.
    faulted: bool,
}

struct Track<'a> {
    /// The hasher; `None` while a thread advances it.
    hasher: Option<&'a mut Hasher>,
    /// The number of the next stretch to process.
    next: u64,
    /// The number of zeros passed to it at a time. Some algorithms skip any number at once, others hash them like data,
    /// and a run must end when it is stopped.
    zeros: u64,
}

/// Reads a file to its end and passes it to every hasher, on `threads` hashing threads including the calling one.
/// If the run was stopped, the hashers have processed only a part.
///
/// # Errors
/// Returns the system's error from reading, or an input/output error if the end was not reached. The hashers have then
/// processed only a part, and no proof is available.
pub(crate) fn read_ahead(
    file: &mut Guarded,
    hashers: &mut [Hasher],
    threads: usize,
    mapping: Mapping,
    progress: &Progress,
) -> Result<Completion<()>, Errno> {
    advise_sequential(file.file());
    // Two threads cannot advance one hasher.
    let threads = threads.clamp(1, hashers.len().max(1));
    let mapped = !file.has_holes() && mapping.suits(file);
    let pipe = &Pipe::new(hashers, threads, progress);
    // Never contended: either the reading thread uses the file or, without one, this thread. The
    // lock only lets the closures share the reference.
    let reading = Mutex::new(&mut *file);
    let file_of = || reading.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        let read = || pipe.end(pipe.read(&mut file_of(), mapped));
        let reader = thread("read").and_then(|builder| builder.spawn_scoped(scope, read).ok());
        if reader.is_none() {
            return pipe.end(pipe.run_sequentially(&mut file_of()));
        }
        for _ in 1..threads {
            // If a thread cannot be started, the others take over its work.
            let _ = thread("hash").map(|builder| builder.spawn_scoped(scope, || pipe.hash()));
        }
        pipe.hash();
    });
    let state = pipe.lock();
    if progress.stopped() {
        progress.add_bytes(state.bytes_wasted());
    }
    if state.faulted {
        // A file that changed is not a disk failure: the proof will be refused because of the change.
        let changed = matches!(file.cause_of(Errno::IO), Cause::Changed(_) | Cause::InUse);
        file.mark_as_read(file.size_hint());
        return if changed { Ok(Completion::Complete(())) } else { Err(Errno::IO) };
    }
    match state.ended {
        Some(Err(error)) => Err(error),
        _ if progress.stopped() => Ok(Completion::Stopped),
        // Anything left was not hashed, even if it belongs to a hole at the end of the file.
        _ if !state.stretches.is_empty() || !file.at_end() => Err(Errno::IO),
        _ => Ok(Completion::Complete(())),
    }
}

impl<'a> Pipe<'a> {
    fn new(hashers: &'a mut [Hasher], threads: usize, progress: &'a Progress) -> Pipe<'a> {
        let (slice, slices) = if is_tight() { (SMALL_SLICE, FEW) } else { (SLICE, SLICES) };
        let track = |hasher| Track { hasher: Some(hasher), next: 0, zeros: ZEROS };
        let tracks = hashers.iter_mut().map(track).collect();
        // The number of buffers bounds memory: one for each waiting slice, and some to read into
        // while threads still use theirs.
        let state = AheadState {
            stretches: VecDeque::new(),
            first: 0,
            tracks,
            spare: vec![Vec::new(); slices + threads],
            ended: None,
            faulted: false,
        };
        Pipe { state: Mutex::new(state), moved: Condvar::new(), slice, slices, progress }
    }

    fn lock(&self) -> MutexGuard<'_, AheadState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, AheadState<'a>>) -> MutexGuard<'g, AheadState<'a>> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether no more stretches are consumed.
    fn is_over(&self) -> bool {
        self.progress.stopped() || self.lock().ended.is_some()
    }

    /// Reads all stretches until the end of the file, an error, or a stop.
    fn read(&self, file: &mut Guarded, mapped: bool) -> Result<(), Errno> {
        let sparse = file.has_holes();
        if mapped {
            self.map(file)?;
        }
        while !file.at_end() && !self.is_over() {
            let mut left = u64::MAX;
            if sparse {
                let (hole, data) = file.next_extent()?;
                self.put_zeros(hole);
                left = data;
            }
            while left > 0 && !file.at_end() {
                let Some(mut buffer) = self.spare_buffer() else { return Ok(()) };
                buffer.resize(self.slice, 0);
                let want = left.min(self.slice as u64) as usize;
                self.progress.note_read(file, file.position());
                let len = file.read(&mut buffer[..want])?;
                left -= (len as u64).min(left);
                self.put(Extent::Data { buffer, len });
            }
        }
        Ok(())
    }

    /// Reads and hashes on this thread when no other thread can be started.
    fn run_sequentially(&self, file: &mut Guarded) -> Result<(), Errno> {
        // The lock is held throughout, as no other thread runs.
        let (mut state, mut buffer) = (self.lock(), vec![0; self.slice]);
        let sparse = file.has_holes();
        while !file.at_end() && !self.progress.stopped() {
            let (mut hole, mut left) = (0, u64::MAX);
            if sparse {
                (hole, left) = file.next_extent()?;
            }
            while hole > 0 && !self.progress.stopped() {
                let part = hole.min(ZEROS);
                state.hashers().for_each(|hasher| hasher.update_zeros(part));
                self.progress.add_bytes(part);
                hole -= part;
            }
            while left > 0 && !file.at_end() && !self.progress.stopped() {
                let want = left.min(self.slice as u64) as usize;
                self.progress.note_read(file, file.position());
                let len = file.read(&mut buffer[..want])?;
                state.hashers().for_each(|hasher| hasher.update(&buffer[..len]));
                self.progress.add_bytes(len as u64);
                left -= (len as u64).min(left);
            }
        }
        Ok(())
    }

    /// Maps the file window by window until one cannot be mapped; the rest must then be read.
    fn map(&self, file: &mut Guarded) -> Result<(), Errno> {
        let (mut at, size) = (0, file.size_hint());
        while at < size && !self.is_over() {
            let len = WINDOW.min(size - at);
            self.progress.note_read(file, at);
            // Not an error: the address space may be exhausted, and reading always works.
            let Ok(window) = Window::map(file.file(), &[(at, len as usize)]) else {
                return file.resume_at(at);
            };
            self.put(Extent::Mapped(window));
            at += len;
        }
        if at == size {
            file.mark_as_read(size);
        }
        Ok(())
    }

    /// Returns an empty buffer as soon as one is available, or `None` if no more stretches are consumed.
    fn spare_buffer(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        while state.ended.is_none() && !self.progress.stopped() {
            match state.spare.pop() {
                Some(buffer) => return Some(buffer),
                None => state = self.wait(state),
            }
        }
        None
    }

    /// Adds a hole in portions small enough that every algorithm processes one in a short time.
    fn put_zeros(&self, mut count: u64) {
        while count > 0 && !self.is_over() {
            // Asked again for each portion, because the algorithms adapt theirs to their speed.
            let part = self.lock().tracks.iter().map(|track| track.zeros).min().unwrap_or(count).min(count);
            self.put(Extent::Zeros(part));
            count -= part;
        }
    }

    fn put(&self, stretch: Extent) {
        let mut state = self.lock();
        // A stop needs no test here: a full queue has work for a hashing thread, which sees the
        // stop and ends everything.
        while state.stretches.len() >= self.slices && state.ended.is_none() {
            state = self.wait(state);
        }
        state.stretches.push_back(Arc::new(stretch));
        drop(state);
        self.moved.notify_all();
    }

    fn end(&self, result: Result<(), Errno>) {
        self.lock().ended.get_or_insert(result);
        self.moved.notify_all();
    }

    /// Advances algorithms until all have processed everything or reading has failed.
    fn hash(&self) {
        let mut state = self.lock();
        loop {
            if self.progress.stopped() {
                drop(state);
                return self.end(Ok(()));
            }
            let end = state.first + state.stretches.len() as u64;
            let behind = state.tracks.iter_mut().enumerate();
            let behind = behind.filter(|(_, track)| track.next < end && track.hasher.is_some());
            // The algorithm that is furthest behind keeps the oldest slice in memory, so it comes
            // first.
            let Some((i, track)) = behind.min_by_key(|(_, track)| track.next) else {
                match state.ended {
                    Some(Err(_)) => return,
                    Some(Ok(())) if state.stretches.is_empty() => return,
                    _ => {
                        state = self.wait(state);
                        continue;
                    }
                }
            };
            let (hasher, number) = (track.hasher.take(), track.next);
            let Some(hasher) = hasher else { continue };
            let stretch = state.stretches[(number - state.first) as usize].clone();
            drop(state);
            let started = Instant::now();
            match &*stretch {
                Extent::Data { buffer, len } => hasher.update(&buffer[..*len]),
                Extent::Mapped(window) => hasher.update(window.bytes(0)),
                Extent::Zeros(count) => hasher.update_zeros(*count),
            }
            let faulted = matches!(&*stretch, Extent::Mapped(window) if !window.intact());
            let zeros = match &*stretch {
                Extent::Zeros(count) => *count,
                Extent::Data { .. } | Extent::Mapped(_) => 0,
            };
            // This comes before `next` advances, so that `retire` finds no other reference to the
            // slice.
            drop(stretch);
            state = self.lock();
            if faulted {
                state.faulted = true;
                state.ended = Some(Err(Errno::IO));
            }
            let track = &mut state.tracks[i];
            (track.hasher, track.next) = (Some(hasher), number + 1);
            // Only a complete portion shows whether the next one may be larger. No overflow: a
            // portion is smaller than 2^63, as files are.
            if zeros >= track.zeros {
                let took = started.elapsed();
                track.zeros = if took < AT_ONCE { 2 * zeros } else { zeros };
                if took > 2 * AT_ONCE {
                    track.zeros = (zeros / 2).max(ZEROS);
                }
            }
            let done = state.retire();
            self.progress.add_bytes(done);
            self.moved.notify_all();
        }
    }
}

impl AheadState<'_> {
    /// Returns the hashers that no thread is using.
    fn hashers(&mut self) -> impl Iterator<Item = &mut Hasher> {
        self.tracks.iter_mut().filter_map(|track| track.hasher.as_deref_mut())
    }

    /// Returns the number of bytes that were read but not hashed.
    fn bytes_wasted(&self) -> u64 {
        let read = |stretch: &Arc<Extent>| match &**stretch {
            Extent::Data { len, .. } => *len as u64,
            Extent::Mapped(_) | Extent::Zeros(_) => 0,
        };
        self.stretches.iter().map(read).sum()
    }

    /// Removes the stretches that every algorithm has processed and returns their size.
    fn retire(&mut self) -> u64 {
        let mut bytes = 0;
        let done = self.tracks.iter().map(|track| track.next).min().unwrap_or(u64::MAX);
        while self.first < done
            && let Some(stretch) = self.stretches.pop_front()
        {
            self.first += 1;
            bytes += stretch.len();
            match Arc::try_unwrap(stretch) {
                Ok(Extent::Data { buffer, .. }) => self.spare.push(buffer),
                Ok(Extent::Zeros(_) | Extent::Mapped(_)) => {}
                // Does not occur, as threads drop their references before they advance; if it did,
                // a new buffer would be created instead.
                Err(_) => self.spare.push(Vec::new()),
            }
        }
        bytes
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::io::open::{Root, Special};
    use rustix::fs::Advice;
    use truesum_fs::data::FileExt;
    use truesum_fs::name::OsStrExt;
    use truesum_fs::system::guarantees;
    use truesum_hash::{Digest, Spec};
    use truesum_test_support::Scratch;

    fn open(path: &std::path::Path) -> Guarded {
        Guarded::open(&Root::Anywhere, path.as_os_str().as_bytes(), Special::Refuse).unwrap()
    }

    fn hashers() -> Vec<Hasher> {
        ["sha256", "crc32", "blake3"].map(|name| name.parse::<Spec>().unwrap().hasher()).into()
    }

    #[test]
    fn mapped_and_read_files_give_the_same_digests() {
        let file = Scratch::new();
        let len = (5 * WINDOW + 12345) as u32;
        let data: Vec<u8> = (0..len).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
        file.open().write_all_at(&data, 0).unwrap();
        let expected: Vec<Digest> = hashers().iter().map(|hasher| hasher.spec().digest(&data)).collect();
        for (threads, cold) in [(1, false), (3, false), (1, true), (3, true)] {
            if cold {
                file.open().sync_all().unwrap();
                rustix::fs::fadvise(file.open(), 0, None, Advice::DontNeed).unwrap();
            }
            let (mut reading, mut hashers) = (open(file.path()), hashers());
            read_ahead(&mut reading, &mut hashers, threads, Mapping::Guarded, &Progress::default()).unwrap();
            let digests: Vec<Digest> = hashers.iter_mut().map(Hasher::finish_reset).collect();
            assert_eq!(digests, expected, "{threads} threads, cold: {cold}");
            assert_eq!(reading.finish(b"f").unwrap().size(), u64::from(len));
        }
    }

    #[test]
    fn single_thread_alternates_reading_and_hashing() {
        let file = Scratch::new();
        let mut data = vec![0; 3 * SLICE + 12345];
        file.open().set_len(data.len() as u64).unwrap();
        for at in [0, SLICE + 4096] {
            data[at..at + 5000].fill(at as u8 | 7);
            file.open().write_all_at(&data[at..at + 5000], at as u64).unwrap();
        }
        let (mut reading, mut hashers, progress) = (open(file.path()), hashers(), Progress::default());
        Pipe::new(&mut hashers, 1, &progress).run_sequentially(&mut reading).unwrap();
        let expected: Vec<Digest> = hashers.iter().map(|hasher| hasher.spec().digest(&data)).collect();
        let digests: Vec<Digest> = hashers.iter_mut().map(Hasher::finish_reset).collect();
        assert_eq!((digests, progress.bytes()), (expected, data.len() as u64));
        assert_eq!(reading.finish(b"f").unwrap().size(), data.len() as u64);
        let (mut reading, mut hashers) = (open(file.path()), self::hashers());
        progress.stop();
        Pipe::new(&mut hashers, 1, &progress).run_sequentially(&mut reading).unwrap();
        assert!(reading.finish(b"f").is_err(), "no proof of what was not read");
    }

    #[test]
    fn file_truncated_while_mapped_has_changed() {
        let file = Scratch::new();
        file.open().write_all_at(&vec![5; 6 * WINDOW as usize], 0).unwrap();
        for (threads, left) in [(1, 0), (3, 0), (1, 5 * WINDOW + 1), (3, WINDOW - 1)] {
            file.open().set_len(6 * WINDOW).unwrap();
            file.open().write_all_at(&vec![5; 6 * WINDOW as usize], 0).unwrap();
            let mut reading = open(file.path());
            let path = file.path().to_owned();
            let mut hashers = hashers();
            // Truncate the file during the read, as early as the threads allow.
            std::thread::scope(|scope| {
                scope.spawn(|| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(left));
                // Whether or not the truncation came in time, there is no proof of a complete read.
                let result =
                    read_ahead(&mut reading, &mut hashers, threads, Mapping::Guarded, &Progress::default());
                assert_eq!(result, Ok(Completion::Complete(())), "{threads} threads, cut to {left}");
            });
            let error = reading.finish(b"f").unwrap_err();
            assert!(matches!(error.cause(), Cause::Changed(_)), "{error:?}");
        }
    }

    #[test]
    fn mapping_fault_ends_all_threads() {
        // The mapping would show pages that the file does not have: truncate it before any window is created.
        let file = Scratch::new();
        file.open().write_all_at(&vec![5; 40 * WINDOW as usize], 0).unwrap();
        let (mut reading, mut hashers) = (open(file.path()), hashers());
        file.open().set_len(WINDOW).unwrap();
        let progress = Progress::default();
        let pipe = &Pipe::new(&mut hashers, 0, &progress);
        std::thread::scope(|scope| {
            scope.spawn(|| pipe.hash());
            scope.spawn(|| pipe.hash());
            pipe.end(pipe.read(&mut reading, true));
        });
        let state = pipe.lock();
        let maps = guarantees().maps_files();
        // Without a mapping, the file ends early, and `Guarded::finish` reports the change.
        let ended = if maps { Err(Errno::IO) } else { Ok(()) };
        assert_eq!((state.faulted, state.ended), (maps, Some(ended)));
    }

    #[test]
    fn hole_is_hashed_in_interruptible_steps() {
        let hole = Scratch::new();
        if hole.open().set_len(1 << 44).is_err() || !open(hole.path()).has_holes() {
            return; // a file system without holes of 16 TiB
        }
        let progress = Progress::default();
        let mut hashers: Vec<Hasher> =
            ["crc32", "sha512"].map(|name| name.parse::<Spec>().unwrap().hasher()).into();
        let whole = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                progress.stop();
            });
            let started = Instant::now();
            let whole = read_ahead(&mut open(hole.path()), &mut hashers, 2, Mapping::Never, &progress);
            assert!(started.elapsed() < Duration::from_secs(20), "the hole takes hours");
            whole
        });
        assert_eq!(whole, Ok(Completion::Stopped));
        assert!((1..1 << 40).contains(&progress.bytes()), "{}", progress.bytes());
        // Algorithms that skip zeros at once are not slowed down.
        let (progress, mut crc) = (Progress::default(), ["crc32".parse::<Spec>().unwrap().hasher()]);
        assert_eq!(
            read_ahead(&mut open(hole.path()), &mut crc, 1, Mapping::Never, &progress),
            Ok(Completion::Complete(()))
        );
        assert_eq!(progress.bytes(), 1 << 44);
    }
}
