//! Prints the digests of the operands, one per line.

use super::settings::Settings;
use super::{hardware, quote};
use crate::applet::entries::{config, segments, threads};
use crate::applet::streams::{Done, Streams};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::sync::Arc;
use truesum::error::io_reason;
use truesum::manifest::original::coreutils::DigestForm;
use truesum::manifest::path::{escape_into, needs_escape};
use truesum::open::open_named;
use truesum::{Cause, Error, FileResult, Job, Notice, Outcome, Progress, Sink, Task, run};
use truesum_fs::name::OsStrExt;

/// Hashes all operands. Returns false if one could not be read.
pub(super) fn hash(settings: &Settings, streams: &mut Streams) -> Done {
    let spec = match settings.spec() {
        Ok(spec) => spec,
        Err(message) => {
            streams.error(message.as_bytes())?;
            return Ok(false);
        }
    };
    let specs: Arc<[_]> = [spec].into();
    let mut lines = Lines { settings, streams, good: true, debugged: false };
    for names in segments(&settings.names) {
        let mut tasks = names.iter().map(|name| Task::File(Job::argument(OsStr::from_bytes(name), &specs)));
        let config = config(threads(names));
        run(&config, &mut tasks, &Progress::default(), &mut lines)?;
    }
    Ok(lines.good)
}

/// Returns `NAME: why` in GNU's wording.
pub(super) fn failure(error: &Error) -> Vec<u8> {
    let reason = match error.cause() {
        Cause::Special("directory") => read_directory(error.name()),
        // The error for opening a socket.
        Cause::Special(_) => "No such device or address".to_owned(),
        cause => cause.to_string(),
    };
    [quote::name(error.name()).as_slice(), b": ", reason.as_bytes()].concat()
}

/// Returns whether the file could be opened before the error. A socket counts as opened.
fn was_opened(error: &Error) -> bool {
    match error.cause() {
        Cause::Special(kind) => *kind == "directory",
        _ => error.action() != "open",
    }
}

/// Returns why a directory cannot be read. The reason comes from the system, because the disk may
/// be failing.
fn read_directory(path: &[u8]) -> String {
    let mut byte = [0];
    match open_named(OsStr::from_bytes(path)).and_then(|mut directory| directory.read(&mut byte)) {
        Err(error) => io_reason(&error),
        Ok(_) => "Is a directory".to_owned(),
    }
}

struct Lines<'a> {
    settings: &'a Settings,
    streams: &'a mut Streams,
    good: bool,
    debugged: bool,
}

impl Sink for Lines<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        if job.stdin() {
            self.streams.input_was_read();
        }
        if self.settings.debug
            && (!self.debugged || hardware::is_reported_for_each_file(self.settings.algorithm.name()))
        {
            let opened = result.as_ref().err().is_none_or(was_opened);
            if opened {
                self.debugged = true;
                for message in hardware::messages(self.settings.algorithm.name()) {
                    self.streams.error(message.as_bytes())?;
                }
            }
        }
        match result {
            Ok(found) => {
                let line = line(self.settings, job.name(), &found);
                self.streams.write(&line)
            }
            Err(error) => {
                self.good = false;
                self.streams.error(&failure(&error))
            }
        }
    }

    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.streams.flush()
    }
}

/// Returns the line for one file, with its terminator.
fn line(settings: &Settings, name: &[u8], found: &FileResult) -> Vec<u8> {
    let Some(digest) = found.digests().first() else { return Vec::new() };
    if settings.raw {
        return digest.as_bytes().to_vec();
    }
    let end = if settings.zero { 0 } else { b'\n' };
    let number = digest.as_bytes().iter().take(4).fold(0u32, |number, &byte| number << 8 | u32::from(byte));
    let numbers = match settings.algorithm.form() {
        DigestForm::Bsd => format!("{number:05} {:5}", found.size().div_ceil(1024)),
        DigestForm::Sysv => format!("{number} {}", found.size().div_ceil(512)),
        DigestForm::Crc => format!("{number} {}", found.size()),
        DigestForm::Digest => {
            let text = if settings.base64 { digest.to_base64() } else { digest.to_hex() };
            return digest_line(settings, name, &text, end);
        }
    };
    let name: &[&[u8]] = if settings.named { &[b" ", name] } else { &[] };
    [&[numbers.as_bytes()], name, &[&[end]]].concat().concat()
}

fn digest_line(settings: &Settings, name: &[u8], digest: &str, end: u8) -> Vec<u8> {
    let escape = end != 0 && needs_escape(name);
    let mut line = Vec::with_capacity(digest.len() + name.len() + 16);
    if escape {
        line.push(b'\\');
    }
    if settings.tagged {
        line.extend_from_slice(settings.algorithm.tag_of(settings.bits).as_bytes());
        line.extend_from_slice(b" (");
    } else {
        line.extend_from_slice(digest.as_bytes());
        line.extend_from_slice(if settings.binary { b" *" } else { b"  " });
    }
    if escape {
        escape_into(name, &mut line);
    } else {
        line.extend_from_slice(name);
    }
    if settings.tagged {
        line.extend_from_slice(b") = ");
        line.extend_from_slice(digest.as_bytes());
    }
    line.push(end);
    line
}
