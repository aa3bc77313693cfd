//! Ways to read a part of a file, one function each.
#![allow(unsafe_code)]

use rustix::fs::{Mode, OFlags};
use rustix::mm::{Advice, MapFlags, ProtFlags};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What a strategy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// `read` into one buffer.
    Read,
    /// `pread` into one buffer.
    Pread,
    /// A shared read-only mapping, sequential.
    Mmap,
    /// The same, with all pages of a window mapped at once (`MAP_POPULATE`).
    MmapPopulate,
    /// The same, asking for huge pages (`MADV_HUGEPAGE`).
    MmapHuge,
    /// `O_DIRECT`, with a thread for each request in flight.
    Direct,
    /// io_uring, where this program is built with it and the system permits it.
    Uring,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub method: Method,
    /// Bytes of one request or window; 0 for all at once.
    pub buffer: u64,
    /// Requests in flight.
    pub depth: usize,
}

/// What takes the bytes: their offset in the file, then the bytes, in the order of the file.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(u64, &[u8]);

/// Alignment of buffers, offsets and lengths that every device accepts for `O_DIRECT`.
const ALIGN: usize = 4096;

/// Reads the bytes of `range`, which begins at a multiple of 4 KiB and ends there or at the end of the file.
///
/// # Errors
/// The system's own, `Unsupported` where this program lacks the method, `UnexpectedEof` when the file is shorter.
pub(crate) fn read(path: &Path, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    match how.method {
        Method::Read => buffered(&File::open(path)?, how, range, sink),
        Method::Pread => positioned(&File::open(path)?, how, range, sink),
        Method::Mmap | Method::MmapPopulate | Method::MmapHuge => {
            mapped(&File::open(path)?, how, range, sink)
        }
        Method::Direct => direct(path, how, range, sink),
        Method::Uring => uring(path, how, range, sink),
    }
}

fn buffered(mut file: &File, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    file.seek(SeekFrom::Start(range.start))?;
    let mut buffer = vec![0; how.buffer as usize];
    let mut offset = range.start;
    while offset < range.end {
        let want = how.buffer.min(range.end - offset) as usize;
        let len = retry(|| file.read(&mut buffer[..want]))?;
        sink(offset, &buffer[..len]);
        offset += len as u64;
    }
    Ok(())
}

fn positioned(file: &File, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    let mut buffer = vec![0; how.buffer as usize];
    let mut offset = range.start;
    while offset < range.end {
        let want = how.buffer.min(range.end - offset) as usize;
        let len = retry(|| file.read_at(&mut buffer[..want], offset))?;
        sink(offset, &buffer[..len]);
        offset += len as u64;
    }
    Ok(())
}

/// Calls again after an interruption; the end of the file is an error, because the range lies within the file.
fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// A read-only mapping of a part of a file.
struct Mapping {
    start: *mut std::ffi::c_void,
    len: usize,
}

impl Mapping {
    fn new(file: &File, offset: u64, len: usize, populate: bool) -> io::Result<Mapping> {
        let flags = if populate { MapFlags::SHARED | MapFlags::POPULATE } else { MapFlags::SHARED };
        // SAFETY: the system chooses a free address; the length is not zero and the offset is a multiple of the page size.
        let start =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), len, ProtFlags::READ, flags, file, offset)? };
        Ok(Mapping { start, len })
    }

    fn advise(&self, advice: Advice) {
        // Advice that a system does not know changes nothing.
        // SAFETY: the mapping is ours and stays mapped; advice for reading does not change its contents.
        let _ = unsafe { rustix::mm::madvise(self.start, self.len, advice) };
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: mapped and readable until dropped. Another process may write the file meanwhile, which a benchmark of a
        // file at rest excludes; truncating it ends the program, as it does any user of a mapping.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.len) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length, and nothing borrows from it any more.
        let _ = unsafe { rustix::mm::munmap(self.start, self.len) };
    }
}

fn mapped(file: &File, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    if file.metadata()?.len() < range.end {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let window = if how.buffer == 0 { range.end - range.start } else { how.buffer };
    let mut offset = range.start;
    while offset < range.end {
        let len = usize::try_from(window.min(range.end - offset)).map_err(io::Error::other)?;
        let mapping = Mapping::new(file, offset, len, how.method == Method::MmapPopulate)?;
        mapping.advise(Advice::Sequential);
        #[cfg(target_os = "linux")]
        if how.method == Method::MmapHuge {
            mapping.advise(Advice::LinuxHugepage);
        }
        sink(offset, mapping.bytes());
        offset += len as u64;
    }
    Ok(())
}

/// A buffer that begins at a multiple of [`ALIGN`].
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Aligned {
        let len = len.next_multiple_of(ALIGN);
        let bytes = vec![0; len + ALIGN];
        let start = bytes.as_ptr().align_offset(ALIGN);
        Aligned { bytes, start, len }
    }

    fn slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

fn open_direct(path: &Path) -> io::Result<File> {
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    {
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
    }
    #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
    {
        let _ = (path, OFlags::RDONLY, Mode::empty());
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Reads whole aligned requests, as `O_DIRECT` demands, up to the end of the file.
fn fill_aligned(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    // A read that ends off the alignment is the end of the file.
    while filled < buffer.len() && filled.is_multiple_of(ALIGN) {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(filled)
}

/// What a reader hands over: a filled buffer and how much of it counts.
type Filled = io::Result<(Aligned, usize)>;

/// `depth` threads keep a request each in flight; this thread takes the buffers in the order of the file.
fn direct(path: &Path, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    let size = (how.buffer as usize).next_multiple_of(ALIGN);
    let requests = (range.end - range.start).div_ceil(size as u64);
    let depth = (how.depth.max(1) as u64).min(requests);
    let file = open_direct(path)?;
    std::thread::scope(|scope| {
        let mut readers: Vec<(Receiver<Filled>, SyncSender<Aligned>)> = Vec::new();
        for first in 0..depth {
            let (filled, to_take) = sync_channel(1);
            let (empty, to_fill) = sync_channel::<Aligned>(1);
            let (file, range) = (&file, range.clone());
            scope.spawn(move || {
                let mut spare = Some(Aligned::new(size));
                for request in (first..requests).step_by(depth as usize) {
                    let Some(mut buffer) = spare.take().or_else(|| to_fill.recv().ok()) else { return };
                    let offset = range.start + request * size as u64;
                    let want = (range.end - offset).min(size as u64) as usize;
                    let result = fill_aligned(file, buffer.slice(), offset).and_then(|len| {
                        if len < want { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok((buffer, want)) }
                    });
                    let failed = result.is_err();
                    if filled.send(result).is_err() || failed {
                        return;
                    }
                }
            });
            readers.push((to_take, empty));
        }
        for request in 0..requests {
            let (to_take, empty) = &readers[(request % depth) as usize];
            let (mut buffer, len) = to_take.recv().map_err(io::Error::other)??;
            sink(range.start + request * size as u64, &buffer.slice()[..len]);
            // A reader that is done needs no buffer.
            let _ = empty.try_send(buffer);
        }
        Ok(())
    })
}

#[cfg(not(all(target_os = "linux", feature = "uring")))]
fn uring(_: &Path, _: How, _: Range<u64>, _: Sink) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this program is built without io_uring"))
}

/// `depth` reads in flight on one ring; buffers are taken in the order of the file.
#[cfg(all(target_os = "linux", feature = "uring"))]
fn uring(path: &Path, how: How, range: Range<u64>, sink: Sink) -> io::Result<()> {
    use io_uring::{IoUring, opcode, types};
    use std::os::fd::AsRawFd;
    let file = File::open(path)?;
    let size = how.buffer;
    let requests = (range.end - range.start).div_ceil(size);
    let depth = (how.depth.max(1) as u64).min(requests) as usize;
    let mut ring = IoUring::new(depth.next_power_of_two() as u32)?;
    // Leaked on every way out but the last line: until all requests are done the kernel may write into them.
    let mut buffers = std::mem::ManuallyDrop::new(vec![vec![0u8; size as usize]; depth]);
    let mut done: Vec<Option<i32>> = vec![None; depth];
    let want = |request: u64| (range.end - range.start - request * size).min(size);
    let submit = |ring: &mut IoUring, buffers: &mut [Vec<u8>], request: u64| {
        let slot = request as usize % depth;
        let entry =
            opcode::Read::new(types::Fd(file.as_raw_fd()), buffers[slot].as_mut_ptr(), want(request) as u32)
                .offset(range.start + request * size)
                .build()
                .user_data(slot as u64);
        // SAFETY: the buffers are dropped only when no request is in flight, and a buffer is touched by nobody before its
        // request is done; the ring has room for `depth` entries, and a slot is used again only when its request is done.
        unsafe { ring.submission().push(&entry) }.map_err(io::Error::other)
    };
    for request in 0..depth as u64 {
        submit(&mut ring, &mut buffers, request)?;
    }
    let mut failure = None;
    let mut in_flight = depth;
    for request in 0..requests {
        let slot = request as usize % depth;
        while done[slot].is_none() && in_flight > 0 {
            wait_for_one(&ring)?;
            for completion in ring.completion() {
                done[completion.user_data() as usize] = Some(completion.result());
                in_flight -= 1;
            }
        }
        let Some(result) = done[slot].take() else { break };
        let len = want(request) as usize;
        let offset = range.start + request * size;
        match usize::try_from(result) {
            Err(_) => {
                failure = Some(io::Error::from_raw_os_error(-result));
                break;
            }
            // The rest of a short read is read plainly: it is rare, and correct is enough.
            Ok(read) if read < len => {
                file.read_exact_at(&mut buffers[slot][read..len], offset + read as u64)?
            }
            Ok(_) => {}
        }
        sink(offset, &buffers[slot][..len]);
        if request + (depth as u64) < requests {
            submit(&mut ring, &mut buffers, request + depth as u64)?;
            in_flight += 1;
        }
    }
    while in_flight > 0 {
        wait_for_one(&ring)?;
        in_flight -= ring.completion().count();
    }
    drop(std::mem::ManuallyDrop::into_inner(buffers));
    failure.map_or(Ok(()), Err)
}

#[cfg(all(target_os = "linux", feature = "uring"))]
fn wait_for_one(ring: &io_uring::IoUring) -> io::Result<()> {
    loop {
        match ring.submit_and_wait(1) {
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            other => return other.map(|_| ()),
        }
    }
}

/// Which share of `range` is in the page cache, from a sample of up to 64 places; `None` where the system does not say.
pub(crate) fn resident(path: &Path, range: Range<u64>) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::ReadWriteFlags;
        let file = File::open(path).ok()?;
        let step = ((range.end - range.start) / 64).max(1);
        let (mut places, mut found) = (0, 0);
        for offset in range.step_by(step as usize) {
            let mut byte = [0];
            places += 1;
            let mut slices = [io::IoSliceMut::new(&mut byte)];
            match rustix::io::preadv2(&file, &mut slices, offset, ReadWriteFlags::NOWAIT) {
                Ok(_) => found += 1,
                Err(rustix::io::Errno::AGAIN) => {}
                Err(_) => return None,
            }
        }
        (places > 0).then(|| f64::from(found) / f64::from(places))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (path, range);
        None
    }
}

/// Asks the system to forget the cached pages of a file.
pub(crate) fn evict(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    // Dirty pages stay in the cache until they are written.
    file.sync_all()?;
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::touch::Touch;
    use super::*;
    use std::io::Write;

    const METHODS: [Method; 7] = [
        Method::Read,
        Method::Pread,
        Method::Mmap,
        Method::MmapPopulate,
        Method::MmapHuge,
        Method::Direct,
        Method::Uring,
    ];

    /// The value of a range, or `None` where this system lacks the method.
    fn value(path: &Path, how: How, range: Range<u64>) -> Option<u64> {
        let sha256 = "sha256".parse().unwrap();
        let mut touch = Touch::new(Some(&sha256));
        let mut next = range.start;
        let result = read(path, how, range.clone(), &mut |offset, bytes| {
            assert_eq!(offset, next, "{how:?} skips or repeats");
            next += bytes.len() as u64;
            touch.feed(offset, bytes);
        });
        match result {
            Ok(()) => {
                assert_eq!(next, range.end, "{how:?}");
                Some(touch.value())
            }
            Err(why) => {
                let optional = matches!(how.method, Method::Direct | Method::Uring);
                assert!(optional, "{how:?}: {why}");
                None
            }
        }
    }

    #[test]
    fn every_method_reads_the_same_bytes() {
        let mut file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        let data = crate::input::generated(9, (3 << 20) + 777);
        file.write_all(&data).unwrap();
        for range in [0..data.len() as u64, 0..1 << 20, 1 << 20..data.len() as u64, 1 << 20..2 << 20] {
            let mut touch = Touch::new(Some(&"sha256".parse().unwrap()));
            touch.feed(range.start, &data[range.start as usize..range.end as usize]);
            let expected = touch.value();
            for method in METHODS {
                for (buffer, depth) in [(4096, 1), (65536, 3), (1 << 20, 8), (8 << 20, 2)] {
                    let how = How { method, buffer, depth };
                    assert!(value(file.path(), how, range.clone()).is_none_or(|v| v == expected), "{how:?}");
                }
            }
        }
        let whole = How { method: Method::Mmap, buffer: 0, depth: 1 };
        assert!(value(file.path(), whole, 0..data.len() as u64).is_some());
    }

    #[test]
    fn a_file_that_is_too_short_is_an_error() {
        let mut file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        file.write_all(&[1; 5000]).unwrap();
        for method in METHODS {
            let how = How { method, buffer: 4096, depth: 2 };
            assert!(read(file.path(), how, 0..9000, &mut |_, _| ()).is_err(), "{method:?}");
        }
    }

    #[test]
    fn bytes_beyond_1_2_and_4_gib_are_seen() {
        const GIB: u64 = 1 << 30;
        let file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        let len = 4 * GIB + 5000;
        file.as_file().set_len(len).unwrap();
        // A hole everywhere but around the sizes where 30, 31 and 32 bits overflow.
        let places = [0, GIB - 3, 2 * GIB - 3, 4 * GIB - 3, len - 1];
        for place in places {
            file.as_file().write_all_at(&[0xa5; 6][..(len - place).min(6) as usize], place).unwrap();
        }
        for method in METHODS {
            for buffer in [1 << 20, 0] {
                let windowed = matches!(method, Method::Mmap | Method::MmapPopulate | Method::MmapHuge);
                // Populating a mapping of 4 GiB of zeros takes that much memory.
                if buffer == 0 && (!windowed || method == Method::MmapPopulate) {
                    continue;
                }
                let how = How { method, buffer, depth: 4 };
                let mut ones = 0u64;
                let mut next = 0;
                let result = read(file.path(), how, 0..len, &mut |offset, bytes| {
                    assert_eq!(offset, next, "{how:?}");
                    next += bytes.len() as u64;
                    let pages = bytes.chunks(4096).zip((offset..).step_by(4096));
                    // Only pages that may hold a mark are counted byte by byte.
                    let near = |o: u64| places.iter().any(|place| o <= place + 6 && *place < o + 4096);
                    ones += pages
                        .filter(|(_, o)| near(*o))
                        .map(|(page, _)| page.iter().filter(|b| **b == 0xa5).count() as u64)
                        .sum::<u64>();
                });
                if result.is_ok() {
                    assert_eq!((next, ones), (len, 6 * 4 + 1), "{how:?}");
                } else {
                    assert!(matches!(method, Method::Direct | Method::Uring), "{how:?}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn residency_is_a_share() {
        let mut file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        if let Some(share) = resident(file.path(), 0..1 << 20) {
            assert!(share > 0.9, "just written: {share}");
        }
        assert!(evict(file.path()).is_ok());
    }
}
