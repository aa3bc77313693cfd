//! Reading one file on many threads: units are handed out in order, holes are not read.
//!
//! A unit is a mebibyte: sixteen leaves of 64 KiB fill the widest lanes, and a buffer of that size stays in the second-level
//! cache. Leaves that are larger (mtsum's, the parts of an S3 object) are read in slices side by side, so that they too are
//! hashed in lanes.

use crate::error::{Cause, Error};
use crate::mapped::Window;
use crate::pieces::is_resident;
use crate::progress::Progress;
use crate::read::Guarded;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher, kernel, update_many};

/// Bytes of a unit.
pub(crate) const UNIT: u64 = 1 << 20;
/// Bytes read of one large leaf at a time.
const SLICE: usize = 64 << 10;
/// Lanes whose data begin at multiples of a power of two fall on the same cache sets.
const SKEW: usize = 64 + 4096;

/// A file of known size that many threads read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub file: BorrowedFd<'a>,
    pub path: &'a [u8],
    pub size: u64,
    /// Whether the file system tells holes truthfully, and there are some.
    pub holes: bool,
    /// Whether its pages are in memory, so that mapping them saves a copy.
    pub mapped: bool,
    pub progress: &'a Progress,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a Guarded, path: &'a [u8], progress: &'a Progress) -> Source<'a> {
        let (size, holes) = (file.size_hint(), file.has_holes());
        let mapped = file.is_local() && size > UNIT && is_resident(file);
        Source { file: file.as_fd(), path, size, holes, mapped, progress }
    }

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// The system's, or the file is shorter than it was.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::pread(self.file, &mut buffer[filled..], offset + filled as u64) {
                Ok(0) => {
                    let (end, size) = (offset + filled as u64, self.size);
                    let why = format!("{end} bytes could be read of {size}");
                    return Err(Error::new(self.path, "read", Cause::Changed(why)));
                }
                Ok(count) => filled += count,
                Err(Errno::INTR) => {}
                Err(error) => return Err(Error::io(self.path, "read", error)),
            }
        }
        self.progress.add_bytes(buffer.len() as u64);
        Ok(())
    }

    /// Shows `len` bytes from `offset` to `hash`: mapped where that is worth it, else read into `buffer`.
    ///
    /// # Errors
    /// As [`Source::read`]. What `hash` returned is then lost, having perhaps seen other bytes than the file's.
    pub(crate) fn look<T>(
        &self,
        offset: u64,
        len: usize,
        buffer: &mut Vec<u8>,
        hash: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Error> {
        if self.mapped
            && let Ok(window) = Window::map(self.file, offset, len)
        {
            let seen = hash(window.bytes());
            if window.intact() {
                self.progress.add_bytes(len as u64);
                return Ok(seen);
            }
            buffer.resize(len, 0);
            self.read(buffer, offset)?;
            // The fault has passed; the bytes hashed were not the file's all the same.
            return Err(Error::io(self.path, "read", Errno::IO));
        }
        buffer.resize(len, 0);
        self.read(buffer, offset)?;
        Ok(hash(buffer))
    }

    /// Makes sure that the file ends where it should.
    pub(crate) fn check_end(&self) -> Result<(), Error> {
        loop {
            match rustix::io::pread(self.file, &mut [0; 1], self.size) {
                Ok(0) => return Ok(()),
                Ok(_) => {
                    let why = format!("it is longer than {} bytes now", self.size);
                    return Err(Error::new(self.path, "read", Cause::Changed(why)));
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(Error::io(self.path, "read", error)),
            }
        }
    }
}

/// Work handed out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Read this unit.
    Read(u64),
    /// These units are whole and within a hole.
    Hole(Range<u64>),
}

/// Hands out units in order.
pub(crate) struct Claims<'a> {
    source: Source<'a>,
    state: Mutex<Cursor>,
    stop: AtomicBool,
    /// Whether runs of zeros may be handed out; otherwise holes are read like data.
    holes: bool,
}

struct Cursor {
    /// Units to hand out, ascending.
    wanted: std::vec::IntoIter<Range<u64>>,
    current: Range<u64>,
    /// The data extent found last, in bytes.
    data: Range<u64>,
}

impl<'a> Claims<'a> {
    /// Hands out the units of `wanted`, ranges in ascending order.
    pub(crate) fn new(source: Source<'a>, wanted: Vec<Range<u64>>, holes: bool) -> Claims<'a> {
        let cursor = Cursor { wanted: wanted.into_iter(), current: 0..0, data: 0..0 };
        Claims {
            source,
            state: Mutex::new(cursor),
            stop: AtomicBool::new(false),
            holes: holes && source.holes,
        }
    }

    /// The next work; `None` at the end or after [`Claims::stop`].
    pub(crate) fn next(&self) -> Result<Option<Claim>, Error> {
        if self.stop.load(Relaxed) || self.source.progress.stopped() {
            return Ok(None);
        }
        let mut cursor = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while cursor.current.is_empty() {
            match cursor.wanted.next() {
                Some(range) => cursor.current = range,
                None => return Ok(None),
            }
        }
        let unit = cursor.current.start;
        if self.holes {
            let start = unit * UNIT;
            if cursor.data.end <= start {
                cursor.data = self.data_from(start)?;
            }
            let free = (cursor.data.start.min(self.source.size) / UNIT).min(cursor.current.end);
            if free > unit {
                cursor.current.start = free;
                self.source.progress.add_bytes((free - unit) * UNIT);
                return Ok(Some(Claim::Hole(unit..free)));
            }
        }
        cursor.current.start += 1;
        Ok(Some(Claim::Read(unit)))
    }

    /// Makes all threads end soon.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// The first data at or after `start`.
    fn data_from(&self, start: u64) -> Result<Range<u64>, Error> {
        let fail = |error: Errno| Error::io(self.source.path, "read", error);
        let data = match seek(self.source.file, SeekFrom::Data(start)) {
            Ok(data) => data,
            Err(Errno::NXIO) => return Ok(self.source.size..u64::MAX),
            Err(error) => return Err(fail(error)),
        };
        Ok(data..seek(self.source.file, SeekFrom::Hole(data)).map_err(fail)?)
    }
}

/// Runs `work` on `threads` threads; the first error stops all and is returned.
pub(crate) fn on_threads(
    threads: usize,
    claims: &Claims<'_>,
    work: impl Fn() -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let first = Mutex::new(None);
    let guarded = || {
        if let Err(error) = work() {
            claims.stop();
            first.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(guarded)));
        guarded();
    });
    first.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).map_or(Ok(()), Err)
}

/// The error of a run that was asked to stop.
pub(crate) fn stopped(path: &[u8]) -> Error {
    Error::new(path, "read", Cause::Other("interrupted".to_owned()))
}

/// Reads the pieces of a plan on many threads and gives their digests to `done`, in no order: `(first piece, digests)`.
///
/// `wanted` are pieces, ascending ranges. Where `zeros` is true, runs of pieces in holes come as [`Run::Zeros`].
pub(crate) fn pieces(
    source: Source<'_>,
    plan: &Plan,
    wanted: Vec<Range<u64>>,
    threads: usize,
    zeros: bool,
    done: impl Fn(Run) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    if let Some(hasher) = plan.piece_hasher() {
        return side_by_side(source, plan, &hasher, wanted, threads, done);
    }
    let per_unit = UNIT / plan.piece(0).end.clamp(1, UNIT).next_power_of_two();
    let units = wanted.into_iter().map(|range| range.start / per_unit..range.end.div_ceil(per_unit));
    let claims = Claims::new(source, joined(units), zeros);
    on_threads(threads, &claims, || {
        let mut buffer = Vec::new();
        while let Some(claim) = claims.next()? {
            match claim {
                Claim::Hole(units) => done(Run::Zeros(units.start * per_unit..units.end * per_unit))?,
                Claim::Read(unit) => {
                    let start = unit * UNIT;
                    let len = (source.size - start).min(UNIT) as usize;
                    let first = unit * per_unit;
                    let digests =
                        source.look(start, len, &mut buffer, |data| plan.hash_pieces(first, data))?;
                    done(Run::Digests(first, digests))?;
                }
            }
        }
        Ok(())
    })?;
    if source.progress.stopped() { Err(stopped(source.path)) } else { Ok(()) }
}

/// What became of pieces.
#[derive(Debug)]
pub(crate) enum Run {
    /// Their digests, from this one on.
    Digests(u64, Vec<Digest>),
    /// They lie in a hole.
    Zeros(Range<u64>),
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

/// Large leaves: as many side by side as fill the lanes, a slice of each at a time.
fn side_by_side(
    source: Source<'_>,
    plan: &Plan,
    hasher: &Hasher,
    wanted: Vec<Range<u64>>,
    threads: usize,
    done: impl Fn(Run) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let all: Vec<u64> = wanted.into_iter().flatten().collect();
    let lanes = kernel::full_lanes(hasher.spec().algorithm());
    let batch = lanes.min(all.len().div_ceil(threads)).max(1);
    let batches = Mutex::new(all.chunks(batch));
    // Only to share the stopping.
    let claims = Claims::new(source, Vec::new(), false);
    on_threads(threads, &claims, || {
        let mut buffers = vec![0; batch * (SLICE + SKEW)];
        while !claims.stop.load(Relaxed) && !source.progress.stopped() {
            let next = batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
            let Some(pieces) = next else { break };
            let mut hashers = vec![hasher.clone(); pieces.len()];
            let mut ahead: Vec<Range<u64>> = pieces.iter().map(|&piece| plan.piece(piece)).collect();
            while ahead.iter().any(|range| !range.is_empty()) && !source.progress.stopped() {
                let mut slices: Vec<&[u8]> = Vec::with_capacity(pieces.len());
                for (range, buffer) in ahead.iter_mut().zip(buffers.chunks_mut(SLICE + SKEW)) {
                    let len = (range.end - range.start).min(SLICE as u64);
                    let buffer = &mut buffer[..len as usize];
                    source.read(buffer, range.start)?;
                    range.start += len;
                    slices.push(buffer);
                }
                update_many(&mut hashers.iter_mut().collect::<Vec<&mut Hasher>>(), &slices);
            }
            let digests = truesum_hash::finish_many(&mut hashers.iter_mut().collect::<Vec<&mut Hasher>>());
            for (&piece, digest) in pieces.iter().zip(digests) {
                done(Run::Digests(piece, vec![digest]))?;
            }
        }
        Ok(())
    })?;
    if source.progress.stopped() { Err(stopped(source.path)) } else { Ok(()) }
}
