//! Ways to read a part of a file, a row of [`Method`] each, and the value that all of them must compute.

mod cache;
mod direct;
mod mapped;
mod plain;
mod touch;
mod uring;

pub(crate) use cache::{evict, resident};
pub(crate) use plain::read_exact_at;
pub(crate) use touch::{BLOCK, sum};

use mapped::Pages;
use serde::Deserialize;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use touch::Touch;
use truesum_hash::Spec;

/// Specifies how a strategy reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// `read` into one buffer.
    Read,
    /// `pread` into one buffer.
    Pread,
    /// A shared read-only mapping, sequential; not on Windows.
    Mmap,
    /// The same, with all pages of a window mapped at once (`MAP_POPULATE`).
    MmapPopulate,
    /// The same, asking for huge pages (`MADV_HUGEPAGE`).
    MmapHuge,
    /// `O_DIRECT`, or unbuffered on Windows, with a thread for each request in flight.
    Direct,
    /// io_uring, if this program is built with it and the system permits it.
    Uring,
}

/// The parameters of reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadParameters {
    pub method: Method,
    /// Bytes of one request or window; 0 for everything at once.
    pub buffer: u64,
    /// Requests in flight.
    pub depth: usize,
}

/// Receives the bytes: their offset in the file, then the bytes, in file order.
type Sink<'a> = &'a mut dyn FnMut(u64, &[u8]);

/// Reads the bytes of `range`, which starts at a multiple of 4 KiB and ends at one or at the end of the file.
///
/// # Errors
/// The system's errors, `Unsupported` if this program lacks the method, `UnexpectedEof` if the file is shorter.
fn read(path: &Path, how: ReadParameters, range: Range<u64>, sink: Sink) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let ReadParameters { method, buffer, depth } = how;
    match method {
        Method::Read => plain::sequential(&File::open(path)?, buffer, range, sink),
        Method::Pread => plain::positioned(&File::open(path)?, buffer, range, sink),
        Method::Mmap => mapped::read(&File::open(path)?, buffer, Pages::AsTouched, range, sink),
        Method::MmapPopulate => mapped::read(&File::open(path)?, buffer, Pages::AtOnce, range, sink),
        Method::MmapHuge => mapped::read(&File::open(path)?, buffer, Pages::Huge, range, sink),
        Method::Direct => direct::read(path, buffer, depth, range, sink),
        Method::Uring => uring::read(path, buffer, depth, range, sink),
    }
}

/// Reads a range with `threads` threads; the value is the same for every strategy and any number of threads.
pub(crate) fn value(
    path: &Path,
    how: ReadParameters,
    spec: Option<&Spec>,
    range: Range<u64>,
    threads: usize,
) -> io::Result<u64> {
    let part = |range: Range<u64>| {
        let mut touch = Touch::new(spec);
        read(path, how, range, &mut |offset, bytes| touch.feed(offset, bytes))?;
        Ok(touch.value())
    };
    if threads <= 1 {
        return part(range);
    }
    let blocks = (range.end - range.start).div_ceil(BLOCK);
    let share = blocks.div_ceil(threads as u64) * BLOCK;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads as u64)
            .map(|i| {
                let start = (range.start + i * share).min(range.end);
                let end = (start + share).min(range.end);
                scope.spawn(move || part(start..end))
            })
            .collect();
        let mut values = workers.into_iter().map(|worker| worker.join().expect("a reader does not panic"));
        values.try_fold(0u64, |sum, value| Ok(sum.wrapping_add(value?)))
    })
}

/// Returns the directory for test files: on the disk of the build directory, which supports `O_DIRECT` even if `/tmp`
/// is in memory, and never in the source tree.
#[cfg(test)]
pub(crate) fn build_directory() -> std::path::PathBuf {
    let test = std::env::current_exe().expect("the path of the test program is known");
    test.parent().expect("it is in a directory").to_owned()
}
#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    const METHODS: [Method; 7] = [
        Method::Read,
        Method::Pread,
        Method::Mmap,
        Method::MmapPopulate,
        Method::MmapHuge,
        Method::Direct,
        Method::Uring,
    ];

    /// Returns whether a system may lack the method.
    fn is_optional(method: Method) -> bool {
        let mapped = matches!(method, Method::Mmap | Method::MmapPopulate | Method::MmapHuge);
        matches!(method, Method::Direct | Method::Uring) || cfg!(windows) && mapped
    }

    /// Returns the value of a range, or `None` if this system lacks the method.
    fn value(path: &Path, how: ReadParameters, range: Range<u64>) -> Option<u64> {
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
                assert!(is_optional(how.method), "{how:?}: {why}");
                None
            }
        }
    }

    #[test]
    fn every_method_reads_the_same_bytes() {
        let mut file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        let data = crate::measure::input::generated(9, (3 << 20) + 777);
        file.write_all(&data).unwrap();
        for range in [0..data.len() as u64, 0..1 << 20, 1 << 20..data.len() as u64, 1 << 20..2 << 20] {
            let mut touch = Touch::new(Some(&"sha256".parse().unwrap()));
            touch.feed(range.start, &data[range.start as usize..range.end as usize]);
            let expected = touch.value();
            for method in METHODS {
                for (buffer, depth) in [(4096, 1), (65536, 3), (1 << 20, 8), (8 << 20, 2)] {
                    let how = ReadParameters { method, buffer, depth };
                    assert!(value(file.path(), how, range.clone()).is_none_or(|v| v == expected), "{how:?}");
                }
            }
        }
        let whole = ReadParameters { method: Method::Mmap, buffer: 0, depth: 1 };
        assert!(cfg!(windows) || value(file.path(), whole, 0..data.len() as u64).is_some());
    }

    #[test]
    fn too_short_file_is_an_error() {
        let mut file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        file.write_all(&[1; 5000]).unwrap();
        for method in METHODS {
            let how = ReadParameters { method, buffer: 4096, depth: 2 };
            assert!(read(file.path(), how, 0..9000, &mut |_, _| ()).is_err(), "{method:?}");
        }
    }

    #[test]
    fn all_methods_read_past_1_2_and_4_gib() {
        const GIB: u64 = 1 << 30;
        let file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        let len = 4 * GIB + 5000;
        file.as_file().set_len(len).unwrap();
        // A sparse file with data only around the sizes where 30, 31 and 32 bits overflow.
        let places = [0, GIB - 3, 2 * GIB - 3, 4 * GIB - 3, len - 1];
        for place in places {
            let mut file = file.as_file();
            file.seek(SeekFrom::Start(place)).unwrap();
            file.write_all(&[0xa5; 6][..(len - place).min(6) as usize]).unwrap();
        }
        for method in METHODS {
            for buffer in [1 << 20, 0] {
                let windowed = matches!(method, Method::Mmap | Method::MmapPopulate | Method::MmapHuge);
                // Populating a mapping of 4 GiB of zeros takes that much memory.
                if buffer == 0 && (!windowed || method == Method::MmapPopulate) {
                    continue;
                }
                let how = ReadParameters { method, buffer, depth: 4 };
                let mut ones = 0u64;
                let mut next = 0;
                let result = read(file.path(), how, 0..len, &mut |offset, bytes| {
                    assert_eq!(offset, next, "{how:?}");
                    next += bytes.len() as u64;
                    let pages = bytes.chunks(4096).zip((offset..).step_by(4096));
                    // Only pages that may contain a mark are counted byte by byte.
                    let near = |o: u64| places.iter().any(|place| o <= place + 6 && *place < o + 4096);
                    ones += pages
                        .filter(|(_, o)| near(*o))
                        .map(|(page, _)| page.iter().filter(|b| **b == 0xa5).count() as u64)
                        .sum::<u64>();
                });
                if result.is_ok() {
                    assert_eq!((next, ones), (len, 6 * 4 + 1), "{how:?}");
                } else {
                    assert!(is_optional(method), "{how:?}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn residency_is_measured_after_write() {
        let mut file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        if let Some(share) = resident(file.path(), 0..1 << 20) {
            assert!(share > 0.9, "just written: {share}");
        }
        assert!(evict(file.path()).is_ok());
    }

    #[test]
    fn thread_count_does_not_change_the_value() {
        let mut file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        file.write_all(&crate::measure::input::generated(5, (5 << 20) + 99)).unwrap();
        let (path, len) = (file.path(), (5 << 20) + 99);
        let sha256: Spec = "sha256".parse().unwrap();
        let how = ReadParameters { method: Method::Pread, buffer: 1 << 20, depth: 1 };
        for spec in [None, Some(&sha256)] {
            let expected = super::value(path, how, spec, 0..len, 1).unwrap();
            for threads in [2, 3, 7, 20] {
                assert_eq!(super::value(path, how, spec, 0..len, threads).unwrap(), expected, "{threads}");
            }
        }
    }
}
