//! One large file: a thread reads ahead, and several algorithms share the hashing threads.
//!
//! Every algorithm must see the slices in order, but which algorithm a thread advances next is free: it takes the one that
//! is furthest behind. So five digests of one file keep all cores busy whatever their costs, and a hole costs nothing to
//! read.

use crate::progress::Progress;
use crate::read::Guarded;
use rustix::fs::Advice;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use truesum_hash::Hasher;

/// Bytes of a slice: small enough to be in the second-level cache when it is hashed.
const SLICE: usize = 1 << 18;
/// Slices between the reader and the slowest algorithm.
const SLICES: usize = 8;

enum Piece {
    Data {
        buffer: Vec<u8>,
        len: usize,
    },
    /// A hole: this many zero bytes that need not be read.
    Zeros(u64),
}

struct Pipe<'a> {
    state: Mutex<State<'a>>,
    moved: Condvar,
}

struct State<'a> {
    pieces: VecDeque<Arc<Piece>>,
    /// Number of the first of `pieces`.
    first: u64,
    algorithms: Vec<Algorithm<'a>>,
    spare: Vec<Vec<u8>>,
    ended: Option<Result<(), Errno>>,
}

struct Algorithm<'a> {
    /// Away while a thread advances it.
    hasher: Option<&'a mut Hasher>,
    /// Number of the piece it wants next.
    next: u64,
}

/// Reads a file to its end and feeds every hasher, on `threads` hashing threads (this one among them).
///
/// # Errors
/// The system's, from reading; the hashers have then seen only a part and no proof can be had.
pub(crate) fn read_ahead(
    file: &mut Guarded,
    hashers: &mut [Hasher],
    threads: usize,
    progress: &Progress,
) -> Result<(), Errno> {
    // Advice only: where it is not understood, reading works all the same.
    let _ = rustix::fs::fadvise(file.as_fd(), 0, None, Advice::Sequential);
    let threads = threads.clamp(1, hashers.len().max(1));
    let algorithms = hashers.iter_mut().map(|hasher| Algorithm { hasher: Some(hasher), next: 0 }).collect();
    let spare = vec![Vec::new(); SLICES + threads];
    let state = State { pieces: VecDeque::new(), first: 0, algorithms, spare, ended: None };
    let pipe = &Pipe { state: Mutex::new(state), moved: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // One that cannot be started is not missed: the others take its work.
            let _ = Builder::new().name("hash".to_owned()).spawn_scoped(scope, || pipe.hash());
        }
        let reader = Builder::new().name("read".to_owned());
        let reader = reader.spawn_scoped(scope, || pipe.end(pipe.read(file, progress)));
        if reader.is_err() {
            pipe.end(Err(Errno::AGAIN));
        }
        pipe.hash();
    });
    pipe.lock().ended.unwrap_or(Ok(()))
}

impl<'a> Pipe<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State<'a>>) -> MutexGuard<'g, State<'a>> {
        self.moved.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all pieces until the end of the file, an error, or until the run is stopped.
    fn read(&self, file: &mut Guarded, progress: &Progress) -> Result<(), Errno> {
        let sparse = file.has_holes();
        while !file.at_end() && !progress.stopped() {
            let mut left = u64::MAX;
            if sparse {
                let (hole, data) = file.next_extent()?;
                if hole > 0 {
                    progress.add_bytes(hole);
                    self.put(Piece::Zeros(hole));
                }
                left = data;
            }
            while left > 0 && !file.at_end() && !progress.stopped() {
                let mut buffer = self.spare_buffer();
                buffer.resize(SLICE, 0);
                let want = left.min(SLICE as u64) as usize;
                let len = file.read(&mut buffer[..want])?;
                progress.add_bytes(len as u64);
                left -= (len as u64).min(left);
                self.put(Piece::Data { buffer, len });
            }
        }
        Ok(())
    }

    fn spare_buffer(&self) -> Vec<u8> {
        let mut state = self.lock();
        loop {
            match state.spare.pop() {
                Some(buffer) => return buffer,
                None => state = self.wait(state),
            }
        }
    }

    fn put(&self, piece: Piece) {
        let mut state = self.lock();
        while state.pieces.len() >= SLICES {
            state = self.wait(state);
        }
        state.pieces.push_back(Arc::new(piece));
        drop(state);
        self.moved.notify_all();
    }

    fn end(&self, result: Result<(), Errno>) {
        self.lock().ended = Some(result);
        self.moved.notify_all();
    }

    /// Advances algorithms until all have seen everything, or reading failed.
    fn hash(&self) {
        let mut state = self.lock();
        loop {
            let end = state.first + state.pieces.len() as u64;
            let behind = state.algorithms.iter_mut().enumerate();
            let behind = behind.filter(|(_, algorithm)| algorithm.next < end && algorithm.hasher.is_some());
            let Some((i, algorithm)) = behind.min_by_key(|(_, algorithm)| algorithm.next) else {
                match state.ended {
                    Some(Err(_)) => return,
                    Some(Ok(())) if state.pieces.is_empty() => return,
                    _ => {
                        state = self.wait(state);
                        continue;
                    }
                }
            };
            let (hasher, number) = (algorithm.hasher.take(), algorithm.next);
            let Some(hasher) = hasher else { continue };
            let piece = state.pieces[(number - state.first) as usize].clone();
            drop(state);
            match &*piece {
                Piece::Data { buffer, len } => hasher.update(&buffer[..*len]),
                Piece::Zeros(count) => hasher.update_zeros(*count),
            }
            drop(piece);
            state = self.lock();
            state.algorithms[i] = Algorithm { hasher: Some(hasher), next: number + 1 };
            state.retire();
            self.moved.notify_all();
        }
    }
}

impl State<'_> {
    /// Takes back the pieces that every algorithm has seen.
    fn retire(&mut self) {
        let done = self.algorithms.iter().map(|algorithm| algorithm.next).min().unwrap_or(u64::MAX);
        while self.first < done
            && let Some(piece) = self.pieces.pop_front()
        {
            self.first += 1;
            match Arc::try_unwrap(piece) {
                Ok(Piece::Data { buffer, .. }) => self.spare.push(buffer),
                Ok(Piece::Zeros(_)) => {}
                // Another thread is just letting go of it; its buffer is made anew.
                Err(_) => self.spare.push(Vec::new()),
            }
        }
    }
}
