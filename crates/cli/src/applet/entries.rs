//! The entries of a manifest as tasks as they arrive, for programs that check line by line, however
//! slowly the lines are written.
//!
//! A run takes the available entries and ends where it would have to wait: when the manifest's
//! writer is slower than the check, or before an entry that names a stream, which must not be read
//! before everything else has been reported. The next run continues from there.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum::manifest::{Lines, Place, RawLine};
use truesum::{BadLine, Config, Job, Mapping, Notice, Progress, Sink, Special, Task, run};
use truesum_fs::data;
use truesum_fs::name::OsStrExt;

/// The result of parsing a line.
pub(crate) enum Parsed {
    /// Neither an entry nor an error.
    Nothing,
    /// An entry.
    Entry(Box<Job>),
    /// A malformed line, for this reason, which is reported to the sink.
    Bad(String),
    /// A line after which the program does not continue, for this reason.
    Fatal(String),
}

/// The reason why reading a manifest ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The end of the manifest was reached.
    Whole,
    /// A read failed.
    Failed(io::Error),
    /// A line was [`Parsed::Fatal`].
    Fatal(String),
}

/// Returns the engine's configuration for programs with GNU's behavior, which read every type of
/// file.
pub(crate) fn config(threads: usize) -> Config {
    Config::default().special(Special::Read).threads(threads).mapping(Mapping::Guarded)
}

/// Returns the number of threads for these files, or 0 for one per core. A small file is read by
/// one thread, which also avoids querying the number of cores.
pub(crate) fn threads(names: &[Vec<u8>]) -> usize {
    const SMALL: u64 = 1 << 20;
    let [name] = names else { return 0 };
    let len = std::fs::metadata(OsStr::from_bytes(name)).map_or(0, |file| file.len());
    usize::from(len < SMALL)
}

/// Returns whether a name refers to a stream that is already open, and can therefore be read only
/// once.
pub(crate) fn is_stream(name: &[u8]) -> bool {
    let names: [&[u8]; 2] = [b"-", b"/dev/stdin"];
    names.contains(&name) || name.starts_with(b"/dev/fd/") || name.starts_with(b"/proc/self/fd/")
}

/// Divides the operands into groups within which they may be read in any order. A stream named by
/// two operands is read to its end by the first one, and the results of operands before standard
/// input are printed before reading it.
pub(crate) fn segments(names: &[Vec<u8>]) -> Vec<&[Vec<u8>]> {
    let mut segments = Vec::new();
    let mut seen: HashSet<&[u8]> = HashSet::with_capacity(names.len());
    let mut start = 0;
    for (i, name) in names.iter().enumerate() {
        let new = seen.insert(name);
        if i > start && (!new || is_stream(name)) {
            segments.push(&names[start..i]);
            start = i;
            seen.clear();
            seen.insert(name);
        }
    }
    segments.push(&names[start..]);
    segments
}

/// Reads a manifest and its files. `parse` receives each line without its line feed.
///
/// # Errors
/// Returns the error of the sink.
pub(crate) fn check(
    manifest: File,
    config: &Config,
    parse: &mut (dyn FnMut(&[u8]) -> Parsed + Send),
    sink: &mut dyn Sink,
) -> io::Result<End> {
    let patient = Arc::new(AtomicBool::new(true));
    let lines = Lines::raw(Manifest { file: manifest, patient: patient.clone() });
    let mut entries = OriginalEntries { lines, parse, patient, held: None, end: None };
    loop {
        // The first line of a run is waited for.
        entries.patient.store(true, Relaxed);
        run(config, &mut entries, &Progress::default(), sink)?;
        if let Some(end) = entries.end {
            return Ok(end);
        }
    }
}

struct OriginalEntries<'a> {
    lines: Lines<Manifest>,
    parse: &'a mut (dyn FnMut(&[u8]) -> Parsed + Send),
    /// Whether to wait for data: true while nothing has been returned in this run.
    patient: Arc<AtomicBool>,
    /// The entry before which the last run ended.
    held: Option<Task>,
    end: Option<End>,
}

impl Iterator for OriginalEntries<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        while self.held.is_none() && self.end.is_none() {
            let line = match self.lines.next() {
                Ok(Some(RawLine::Bytes(line))) => line,
                // Longer than any name may be, so it is not a valid line.
                Ok(Some(RawLine::TooLong | RawLine::NotUtf16)) => b"?",
                Ok(None) => {
                    self.end = Some(End::Whole);
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(error) => {
                    self.end = Some(End::Failed(error));
                    break;
                }
            };
            let line = line.to_vec();
            match (self.parse)(&line) {
                Parsed::Nothing => {}
                Parsed::Entry(job) => {
                    let waits = is_stream(job.path()) && !self.patient.load(Relaxed);
                    self.held = Some(Task::File(*job));
                    if waits {
                        return None;
                    }
                }
                Parsed::Bad(reason) => {
                    let at = Place::Line(self.lines.number());
                    self.held = Some(Task::Notice(Notice::Malformed(BadLine::new(at, reason))));
                }
                Parsed::Fatal(reason) => self.end = Some(End::Fatal(reason)),
            }
        }
        self.patient.store(false, Relaxed);
        self.held.take()
    }
}

/// The bytes of the manifest. An impatient reader gets an error when none are available yet.
struct Manifest {
    file: File,
    patient: Arc<AtomicBool>,
}

impl Read for Manifest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.patient.load(Relaxed) && !data::is_ready(&self.file) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(data::read(&self.file, buffer)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_operands_start_a_new_segment() {
        let cut = |names: &str| -> Vec<String> {
            let names: Vec<Vec<u8>> = names.split(' ').map(|name| name.as_bytes().to_vec()).collect();
            let text = |names: &&[Vec<u8>]| String::from_utf8_lossy(&names.join(&b' ')).into_owned();
            segments(&names).iter().map(text).collect()
        };
        assert_eq!(cut("a b c"), ["a b c"]);
        assert_eq!(cut("a - b"), ["a", "- b"]);
        assert_eq!(cut("- -"), ["-", "-"]);
        assert_eq!(cut("a b a c b"), ["a b", "a c b"]);
        assert_eq!(cut("/dev/fd/63 /dev/fd/62 a"), ["/dev/fd/63", "/dev/fd/62 a"]);
    }
}
