//! `--check`: verifies manifests in GNU's formats by GNU's rules.

use super::hash::failure;
use super::program::Kind;
use super::quote;
use super::settings::{Settings, Verbosity};
use crate::applet::entries::{self, End, Parsed};
use crate::applet::streams::{Done, Streams};
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;
use truesum::hash::{Digest, Spec};
use truesum::manifest::original::coreutils::{Program, Split, Splitter};
use truesum::open::open_named;
use truesum::{Cause, Error, Job, Notice, Outcome, Sink, Verdict};
use truesum_fs::name::{OsStrExt, OsStringExt};
use truesum_fs::{Errno, standard};

/// Checks all manifests. Returns false if anything in them fails.
pub(super) fn check(settings: &Settings, streams: &mut Streams) -> Done {
    let program = match settings.program.kind {
        Kind::Cksum if settings.chosen => Some(Program::CksumOf(settings.algorithm.name())),
        Kind::Cksum => Some(Program::Cksum),
        Kind::B2sum => Some(Program::B2sum),
        Kind::Sum | Kind::OldSum => settings.spec().ok().map(Program::Sum),
    };
    let Some(mut splitter) = program.and_then(Splitter::new) else {
        streams.error(b"--check is not supported with this algorithm")?;
        return Ok(false);
    };
    let mut good = true;
    for name in &settings.names {
        good &= check_one(settings, &mut splitter, name, streams)?;
    }
    Ok(good)
}

fn check_one(settings: &Settings, splitter: &mut Splitter, name: &[u8], streams: &mut Streams) -> Done {
    let from_stdin = name == b"-";
    if from_stdin {
        streams.input_was_read();
    }
    let shown = quote::name(if from_stdin { b"standard input" } else { name });
    let opened = if from_stdin { standard::stdin().try_clone() } else { open_named(OsStr::from_bytes(name)) };
    let manifest = match opened {
        Ok(manifest) => manifest,
        Err(error) => {
            let reason = truesum::error::io_reason(&error);
            streams.error(&[shown.as_slice(), b": ", reason.as_bytes()].concat())?;
            return Ok(false);
        }
    };
    let mut verdicts = Verdicts {
        settings,
        streams,
        manifest: &shown,
        read: 0,
        matched: 0,
        improper: 0,
        unread: 0,
        different: 0,
    };
    // Entries with the same spec share hashers.
    let mut specs: Vec<Arc<[Spec]>> = Vec::new();
    let mut parse = |line: &[u8]| {
        let Some(content) = Splitter::content(line) else { return Parsed::Nothing };
        match splitter.split(content).filter(|split| !(from_stdin && split.path() == b"-")) {
            Some(split) => Parsed::Entry(Box::new(job(&mut specs, split))),
            None => Parsed::Bad(format!("improperly formatted {} checksum line", splitter.tag())),
        }
    };
    let end = entries::check(manifest, &entries::config(0), &mut parse, &mut verdicts)?;
    verdicts.print_summary(&end)
}

fn job(known: &mut Vec<Arc<[Spec]>>, split: Split<'_>) -> Job {
    let specs = match known.iter().find(|specs| specs[..] == [split.spec().clone()]) {
        Some(specs) => specs.clone(),
        None => {
            let specs: Arc<[Spec]> = [split.spec().clone()].into();
            known.push(specs.clone());
            specs
        }
    };
    let spellings = [Digest::from_hex(split.digest()), Digest::from_base64(split.digest())];
    let expected = spellings.into_iter().flatten().find(|digest| split.matches(digest));
    // Base64 with stray bits at its end is not a valid digest: it can never match.
    let expected = expected.unwrap_or_else(|| Digest::new(split.digest()));
    Job::argument(OsString::from_vec(split.path().to_vec()), &specs).with_expected(vec![expected])
}

/// Counts and prints the results for a manifest's entries.
struct Verdicts<'a> {
    settings: &'a Settings,
    streams: &'a mut Streams,
    /// The manifest's name as shown in messages.
    manifest: &'a [u8],
    /// The number of valid lines.
    read: u64,
    matched: u64,
    improper: u64,
    unread: u64,
    different: u64,
}

impl Verdicts<'_> {
    fn print(&mut self, name: &[u8], verdict: &str) -> io::Result<()> {
        let name = quote::name(name);
        self.streams.write(&[name.as_slice(), b": ", verdict.as_bytes(), b"\n"].concat())
    }

    fn warn(&mut self, count: u64, one: &str, many: &str) -> io::Result<()> {
        match count {
            0 => Ok(()),
            1 => self.streams.error(format!("WARNING: 1 {one}").as_bytes()),
            _ => self.streams.error(format!("WARNING: {count} {many}").as_bytes()),
        }
    }

    /// Prints the last messages about a manifest, and returns whether everything in it is good.
    fn print_summary(mut self, end: &End) -> Done {
        let about = |what: &str| [self.manifest, b": ", what.as_bytes()].concat();
        if !matches!(end, End::Whole) {
            self.streams.error(&about("read error"))?;
            return Ok(false);
        }
        if self.read == 0 {
            self.streams.error(&about("no properly formatted checksum lines found"))?;
            return Ok(false);
        }
        if self.settings.verbosity != Verbosity::Status {
            let unverified = about("no file was verified");
            self.warn(self.improper, "line is improperly formatted", "lines are improperly formatted")?;
            self.warn(self.unread, "listed file could not be read", "listed files could not be read")?;
            self.warn(self.different, "computed checksum did NOT match", "computed checksums did NOT match")?;
            if self.settings.ignore_missing && self.matched == 0 {
                self.streams.error(&unverified)?;
            }
        }
        let proper = !self.settings.strict || self.improper == 0;
        Ok(self.matched > 0 && self.unread == 0 && self.different == 0 && proper)
    }
}

impl Sink for Verdicts<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let verdict = outcome.verdict();
        let Outcome { job, result } = outcome;
        self.read += 1;
        if job.stdin() {
            self.streams.input_was_read();
        }
        let verbosity = self.settings.verbosity;
        match (result, verdict) {
            (Err(error), _) => {
                if self.settings.ignore_missing && is_absent(&error) {
                    return Ok(());
                }
                self.unread += 1;
                self.streams.error(&failure(&error))?;
                if verbosity != Verbosity::Status {
                    self.print(job.name(), "FAILED open or read")?;
                }
            }
            (Ok(_), Verdict::Verified) => {
                self.matched += 1;
                if !matches!(verbosity, Verbosity::Status | Verbosity::Quiet) {
                    self.print(job.name(), "OK")?;
                }
            }
            (Ok(_), _) => {
                self.different += 1;
                if verbosity != Verbosity::Status {
                    self.print(job.name(), "FAILED")?;
                }
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        let Notice::Malformed(line) = notice else { return Ok(()) };
        self.improper += 1;
        if self.settings.verbosity == Verbosity::Warn {
            let text = format!(": {}: {}", line.at().number(), line.reason());
            self.streams.error(&[self.manifest, text.as_bytes()].concat())?;
        }
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.streams.flush()
    }
}

/// Returns whether the file does not exist. A path through something that is not a directory is a
/// different error.
fn is_absent(error: &Error) -> bool {
    matches!(error.cause(), Cause::Io(error) if error.raw_os_error() == Some(Errno::NOENT.raw_os_error()))
}
