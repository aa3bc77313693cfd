//! Scrubbing without a state file: the SHA-256 digest of each file and the modification time at which it was computed are
//! in its extended attributes, as cshatag and shatag store them.
//!
//! Each run reads every file. A digest that differs although the modification time is the stored
//! one is corruption; the attributes are kept, so the file is reported until it is restored.
//! Without a list of files, missing and moved files cannot be detected.

use crate::audit::same_time;
use crate::error::{Cause, Error, Kind};
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::io::state::is_default_state;
use crate::job::{FileResult, Job, Outcome};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::ReadMode;
use crate::run::run;
use crate::scrub::inventory::nothing_found;
use crate::scrub::run::tree;
use crate::select::Selection;
use crate::task::{Notice, Sink, Task};
use crate::walk::{self, Item, Walk, relative};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::Errno;
use truesum_fs::name::{self, OsStrExt};
use truesum_fs::xattr;
use truesum_hash::Spec;
use truesum_manifest::Time;

/// The attribute with the digest: 64 hexadecimal digits.
const DIGEST: &str = "user.shatag.sha256";
/// The attribute with the modification time: seconds since 1970, a dot and nanoseconds.
const TIME: &str = "user.shatag.ts";

options! {
    /// The options of a run.
    #[derive(Clone, Debug, Default)]
    pub struct AttributeOptions {
        /// The tree.
        root: PathBuf,
        /// The files that belong to it.
        select: Selection,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// How files are read.
        reads: ReadMode,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// Whether the attributes are left as they are.
        dry_run: bool,
    }
}

/// The result of comparing a file with its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeStatus {
    /// The digest is the stored one.
    Same,
    /// No digest is stored.
    New,
    /// The digest and the modification time differ.
    Modified,
    /// The digest differs although the modification time does not, or the stored time cannot be read.
    Corrupt,
}

/// An event of a run.
#[derive(Debug)]
pub enum AttributeEvent<'e> {
    /// A file that was read completely: its status, its name relative to the tree, and whether its attributes were
    /// written.
    File(AttributeStatus, &'e Path),
    /// A file that could not be read, whose attributes could not be read or written, or a folder that could not be listed.
    Failed(&'e Error),
}

/// Receives the events of a run. Returning an error stops it.
pub type AttributeObserver<'t> = dyn FnMut(AttributeEvent<'_>) -> io::Result<()> + 't;

readable! {
    /// The counts of a run.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct AttributeReport {
        /// Files read completely.
        read: u64,
        /// Bytes of those files.
        bytes: u64,
        /// Files and folders that could not be processed.
        failed: u64,
        /// Whether the run was stopped before its end.
        interrupted: bool,
    }
    private {
        counts: [u64; 4],
    }
}

impl AttributeReport {
    /// Returns the number of files with this status.
    pub fn count(&self, status: AttributeStatus) -> u64 {
        self.counts[status as usize]
    }

    /// Returns the exit status, as [`Report::exit_status`](super::Report::exit_status).
    pub fn exit_status(&self) -> u8 {
        match () {
            () if self.interrupted => 130,
            () if self.count(AttributeStatus::Corrupt) + self.failed > 0 => 1,
            () => 0,
        }
    }
}

/// Reads every file of a tree, compares it with its attributes, and stores the digests of new and modified files in them.
///
/// # Errors
/// Fails if the tree cannot be opened, has no files or does not support attributes, or with the error of `on_event`.
pub fn scrub_attributes(
    options: &AttributeOptions,
    progress: &Progress,
    on_event: &mut AttributeObserver<'_>,
) -> Result<AttributeReport, Error> {
    let name = name::of(&options.root);
    let walk_options = walk::Options::default().select(options.select.clone()).below_root(true);
    let walk = Walk::new([options.root.clone()], walk_options, options.threads).until(progress.stop_flag());
    let specs: Arc<[Spec]> = Arc::from(["sha256".parse().expect("a row of the table of algorithms")]);
    let mut files = 0u64;
    let mut tasks = walk.filter_map(|item| match item {
        Item::File(path, _) if is_default_state(&path) => None,
        Item::File(path, anchor) => {
            files += 1;
            Some(Task::File(Job { anchor, ..Job::hash(path, &specs) }))
        }
        Item::Failed(error) => Some(Task::Notice(Notice::Failed(error))),
        _ => None,
    });
    let config = Config::default()
        .root(tree(&options.root)?)
        .threads(options.threads)
        .reads(options.reads)
        .mapping(options.mapping);
    let report = AttributeReport::default();
    let mut writer = AttributeWriter {
        root: tree(&options.root)?,
        name: &name,
        options,
        on_event,
        report,
        is_unsupported: false,
        unsupported: None,
    };
    let result = run(&config, &mut tasks, progress, &mut writer);
    let AttributeWriter { mut report, unsupported, .. } = writer;
    drop(tasks);
    match (unsupported, result) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Error::io(&name, "write", error)),
        (None, Ok(summary)) => {
            report.interrupted = summary.interrupted() || progress.stopped();
            match files == 0 && report.failed == 0 && !report.interrupted {
                true => Err(nothing_found(&name, "file")),
                false => Ok(report),
            }
        }
    }
}

/// Compares outcomes with attributes, and writes attributes.
struct AttributeWriter<'s, 't> {
    root: Root,
    /// The path of the tree.
    name: &'s [u8],
    options: &'s AttributeOptions,
    on_event: &'s mut AttributeObserver<'t>,
    report: AttributeReport,
    /// Whether there are no attributes, which ends the run.
    is_unsupported: bool,
    /// The error that ended the run.
    unsupported: Option<Error>,
}

impl AttributeWriter<'_, '_> {
    fn failed(&mut self, error: &Error) -> io::Result<()> {
        self.report.failed += 1;
        (self.on_event)(AttributeEvent::Failed(error))
    }

    /// Compares a file with its attributes, and replaces them unless it is corrupt.
    fn compare(&mut self, job: &Job, found: &FileResult) -> Result<AttributeStatus, Error> {
        let (root, path) = job.root_and_name(&self.root);
        let (file, stat) = root.open(path, Special::Refuse)?;
        let time = Time { seconds: found.mtime().0, nanos: found.mtime().1 };
        if (stat.mtime(), stat.size(), stat.id().number()) != (time, found.size(), found.inode()) {
            return Err(Error::new(
                job.path(),
                "read",
                Cause::Changed("it changed after it was read".to_owned()),
            ));
        }
        let result = Stored::of(&file).and_then(|stored| {
            let digest = found.digests().iter().map(ToString::to_string).collect::<String>();
            let status = stored.status(&digest, time);
            let is_current = status == AttributeStatus::Same && stored.time.is_some_and(|at| at.is(time));
            if status != AttributeStatus::Corrupt && !is_current && !self.options.dry_run {
                write(&file, &digest, time)?;
            }
            Ok(status)
        });
        result.map_err(|fault| match fault {
            Fault::System(Errno::OPNOTSUPP) => {
                let why =
                    "this needs extended attributes, which the file system or the system does not support";
                self.is_unsupported = true;
                Error::new(self.name, "store digests", Cause::Other(why.to_owned()))
            }
            Fault::System(error) => Error::io(job.path(), "access its attributes", error),
            Fault::Malformed => {
                let why = format!(
                    "{DIGEST} is not a SHA-256 digest in hexadecimal; remove it to record the file again"
                );
                Error::new(job.path(), "use its attributes", Cause::Other(why))
            }
        })
    }
}

impl Sink for AttributeWriter<'_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let compared = match result {
            Err(error) if error.kind() == Kind::Interrupted => return Ok(()),
            Err(error) => Err(error),
            Ok(found) => {
                self.report.read += 1;
                self.report.bytes += found.size();
                self.compare(&job, &found)
            }
        };
        match compared {
            Ok(status) => {
                self.report.counts[status as usize] += 1;
                let name = Path::new(OsStr::from_bytes(relative(job.name(), self.name)));
                (self.on_event)(AttributeEvent::File(status, name))
            }
            Err(error) if self.is_unsupported => {
                self.unsupported = Some(error);
                Err(io::ErrorKind::Unsupported.into())
            }
            Err(error) => self.failed(&error),
        }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed(error) => self.failed(&error),
            _ => Ok(()),
        }
    }
}

/// The attributes of a file.
struct Stored {
    digest: Option<Vec<u8>>,
    /// The stored time; `None` also if it cannot be read.
    time: Option<Moment>,
}

/// The reason why the attributes of a file cannot be used.
#[derive(Debug)]
enum Fault {
    System(Errno),
    /// The stored digest is not one.
    Malformed,
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Fault {
        Fault::System(error)
    }
}

impl Stored {
    fn of(file: &File) -> Result<Stored, Fault> {
        // Old versions of cshatag stored a trailing zero byte.
        let value = |name| {
            let trimmed = |mut value: Vec<u8>| {
                value.truncate(value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
                value
            };
            match xattr::get(file, name) {
                // Too long for a digest or a time.
                Err(Errno::RANGE) => Ok(Some(Vec::new())),
                value => value.map(|value| value.map(trimmed)),
            }
        };
        let time = value(TIME)?.and_then(|text| Moment::parse(std::str::from_utf8(&text).ok()?));
        let digest = value(DIGEST)?;
        let is_digest = |digest: &Vec<u8>| digest.len() == 64 && digest.iter().all(u8::is_ascii_hexdigit);
        match digest.as_ref().is_none_or(is_digest) {
            true => Ok(Stored { digest, time }),
            false => Err(Fault::Malformed),
        }
    }

    /// Returns the status of a file with this digest and modification time.
    fn status(&self, digest: &str, time: Time) -> AttributeStatus {
        match (&self.digest, self.time) {
            (None, _) => AttributeStatus::New,
            (Some(stored), _) if stored.eq_ignore_ascii_case(digest.as_bytes()) => AttributeStatus::Same,
            (Some(_), Some(stored)) if !same_time(stored.time, time) => AttributeStatus::Modified,
            // A time that differs only by its precision, or no stored time, does not show that the file was modified.
            (Some(_), _) => AttributeStatus::Corrupt,
        }
    }
}

/// Stores the digest and the time. If the program is killed between the two, the digest is compared in the next run, and
/// only the time is written again. In the other order, the file would seem corrupt.
fn write(file: &File, digest: &str, time: Time) -> Result<(), Errno> {
    xattr::set(file, DIGEST, digest.as_bytes())?;
    xattr::set(file, TIME, format!("{:010}.{:09}", time.seconds, time.nanos).as_bytes())
}

/// A stored modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    time: Time,
    /// Whether it has nine decimal places. shatag stores fewer, because it uses floating-point numbers.
    is_exact: bool,
}

impl Moment {
    /// Parses seconds and an optional fraction.
    fn parse(text: &str) -> Option<Moment> {
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit());
        let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
        let time = Time { seconds: seconds.parse().ok()?, nanos: digits.parse().ok()? };
        is_number.then_some(Moment { time, is_exact: fraction.len() == 9 })
    }

    /// Returns whether a file has this modification time, in units of 100 ns as in cshatag, because SMB stores no smaller
    /// ones. An inexact time may differ by a microsecond.
    fn is(self, time: Time) -> bool {
        let nanos = |time: Time| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        let (stored, found) = (nanos(self.time), nanos(time));
        match self.is_exact {
            true => stored.div_euclid(100) == found.div_euclid(100),
            false => (stored - found).abs() < 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u32) -> Time {
        Time { seconds, nanos }
    }

    #[test]
    fn stored_times_are_those_of_cshatag_and_shatag() {
        for (text, time, is) in [
            ("1560177334.020775051", at(1_560_177_334, 20_775_051), true),
            ("1560177334.020775051", at(1_560_177_334, 20_775_000), true),
            ("1560177334.020775051", at(1_560_177_334, 20_775_100), false),
            ("1560177334.020775051", at(1_560_177_335, 20_775_051), false),
            ("1560177334.0207751", at(1_560_177_334, 20_775_051), true),
            ("1560177334.02", at(1_560_177_334, 20_775_051), false),
            ("1560177334", at(1_560_177_334, 0), true),
            ("0000000012.000000000", at(12, 0), true),
        ] {
            assert_eq!(Moment::parse(text).unwrap().is(time), is, "{text} {time}");
        }
        for text in ["", "x", "1.x", "1.2.3", ".5", "1e9"] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_file_with_another_time_counts_as_modified() {
        let stored = |digest: Option<&str>, time: Option<&str>| Stored {
            digest: digest.map(|digest| digest.as_bytes().to_vec()),
            time: time.and_then(Moment::parse),
        };
        let now = at(9, 123_456_789);
        for (digest, time, status) in [
            (None, None, AttributeStatus::New),
            (None, Some("9.123456789"), AttributeStatus::New),
            (Some("AB"), Some("9.123456789"), AttributeStatus::Same),
            (Some("ab"), Some("4.000000000"), AttributeStatus::Same),
            (Some("ab"), None, AttributeStatus::Same),
            (Some("cd"), Some("4.123456789"), AttributeStatus::Modified),
            // regression: the digest of a corrupt file was replaced if one of the times had only seconds.
            (Some("cd"), Some("9"), AttributeStatus::Corrupt),
            (Some("cd"), Some("9.123"), AttributeStatus::Corrupt),
            (Some("cd"), Some("9.123456789"), AttributeStatus::Corrupt),
            (Some("cd"), None, AttributeStatus::Corrupt),
            (Some("cd"), Some("bad"), AttributeStatus::Corrupt),
        ] {
            assert_eq!(stored(digest, time).status("ab", now), status, "{digest:?} {time:?}");
        }
    }
}
