//! Drop-in replacement for `b3sum` 1.8 with the same output, byte for byte, the same conditions for
//! stopping, and the same exit status.
//!
//! It is more lenient than GNU's programs with operands (a file that cannot be read is only
//! reported) and stricter with manifests (an empty line is a failure, text that is not UTF-8 ends
//! the run).

mod seek;

use super::row::{Applet, Call};
use crate::applet::entries::{self, End, Parsed};
use crate::applet::files;
use crate::applet::streams::{Done, Streams};
use crate::terminal::print_parser;
use clap::Parser;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use truesum::hash::{Key, Secret, Spec};
use truesum::manifest::original::b3sum::{BadLine, split_line};
use truesum::manifest::path::{escape_into, needs_escape};
use truesum::open::open_named;
use truesum::{Cause, Error, Job, Notice, Outcome, Progress, Sink, Task, Verdict};
use truesum_fs::Errno;
use truesum_fs::name::{OsStrExt, OsStringExt};
use truesum_fs::standard::{self, replace_unreadable_input};

/// The release whose behavior is reproduced.
const VERSION: &str = concat!("1.8.7 (truesum ", env!("CARGO_PKG_VERSION"), ")");
/// The maximum output length that is kept in memory; longer output is computed as it is written.
const INLINE: u64 = 1 << 16;

/// Write or check BLAKE3 digests.
#[derive(Parser, Debug)]
#[command(name = "b3sum", version = VERSION, max_term_width(100))]
struct Arguments {
    /// Files to hash, or manifests to check
    ///
    /// With no FILE, or if FILE is -, standard input is read.
    file: Vec<PathBuf>,

    /// Use keyed hashing; the key is 32 bytes read from standard input
    #[arg(long, requires("file"))]
    keyed: bool,

    /// Derive keys from the input with this context string
    ///
    /// Cannot be combined with --keyed.
    #[arg(long, value_name("CONTEXT"), conflicts_with("keyed"))]
    derive_key: Option<String>,

    /// Number of output bytes
    #[arg(short, long, default_value_t = 32, value_name("LEN"))]
    length: u64,

    /// Number of output bytes to skip before writing
    #[arg(long, default_value_t = 0, value_name("SEEK"))]
    seek: u64,

    /// Maximum number of threads
    ///
    /// The default, also for 0, is RAYON_NUM_THREADS, or one thread per core.
    #[arg(long, value_name("NUM"))]
    num_threads: Option<usize>,

    /// Has no effect; accepted for compatibility
    #[arg(long)]
    no_mmap: bool,

    /// Write digests without names
    #[arg(long)]
    no_names: bool,

    /// Write the raw bytes of the digest instead of hexadecimal
    ///
    /// Omits the names and accepts only one FILE.
    #[arg(long)]
    raw: bool,

    // This is not a doc comment, because rustdoc would treat the brackets as links.
    #[arg(long, help = "Write BSD-style lines: BLAKE3 ([FILE]) = [HASH]")]
    tag: bool,

    /// Verify the files listed in each manifest FILE
    #[arg(
        short,
        long,
        conflicts_with("derive_key"),
        conflicts_with("keyed"),
        conflicts_with("length"),
        conflicts_with("raw"),
        conflicts_with("tag"),
        conflicts_with("no_names")
    )]
    check: bool,

    /// Do not write a line for files that match
    ///
    /// Requires --check.
    #[arg(long, requires("check"))]
    quiet: bool,
}

/// The table row of this program.
pub(super) static APPLET: Applet = Applet { name: "b3sum", run };

fn run(call: Call) -> ExitCode {
    let arguments = match Arguments::try_parse_from([APPLET.name.into()].into_iter().chain(call.arguments)) {
        Ok(arguments) => arguments,
        Err(error) => {
            print_parser(&error);
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let mut streams = Streams::new(APPLET.name.as_bytes());
    // The original treats a standard input that is closed or write-only as empty.
    let done = replace_unreadable_input().and_then(|()| arguments.run(&mut streams));
    streams.end(done)
}

/// Prints a message that ends the run. As in the original, it does not contain the program's name.
fn fatal(streams: &mut Streams, message: &str) -> Done {
    streams.bare(format!("Error: {message}\n").as_bytes())?;
    Ok(false)
}

impl Arguments {
    fn run(self, streams: &mut Streams) -> Done {
        let mut names: Vec<Vec<u8>> =
            files(self.file.iter().map(|name| name.clone().into_os_string())).collect();
        if names.is_empty() {
            names.push(b"-".to_vec());
        }
        if self.raw && names.len() > 1 {
            return fatal(streams, "Only one filename can be provided when using --raw");
        }
        if self.check {
            return self.check(&names, streams);
        }
        let key = match self.key() {
            Ok(key) => key,
            Err(message) => return fatal(streams, &message),
        };
        let spec = match "blake3".parse().and_then(|spec: Spec| spec.with_key(key)) {
            Ok(spec) => spec,
            Err(error) => return fatal(streams, &error.to_string()),
        };
        if self.seek > 0 || self.length == 0 || self.length > INLINE {
            return seek::hash(&self, &names, &spec, streams);
        }
        match spec.with_bits(self.length as usize * 8) {
            Ok(spec) => self.hash(&names, [spec].into(), streams),
            Err(error) => fatal(streams, &error.to_string()),
        }
    }

    fn threads(&self) -> usize {
        let environment = || std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok();
        self.num_threads.filter(|&threads| threads > 0).or_else(environment).unwrap_or(0)
    }

    fn key(&self) -> Result<Key, String> {
        if let Some(context) = &self.derive_key {
            return Ok(Key::Derive(context.as_str().into()));
        }
        if !self.keyed {
            return Ok(Key::None);
        }
        let mut bytes = Vec::with_capacity(33);
        io::stdin().lock().take(33).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        let len = bytes.len();
        let key = Secret::new(bytes);
        match len {
            32 => Ok(Key::Secret(key)),
            0..32 => Err(format!("expected 32 key bytes from stdin, found {len}")),
            _ => Err("read more than 32 key bytes from stdin".to_owned()),
        }
    }

    fn hash(&self, names: &[Vec<u8>], specs: Arc<[Spec]>, streams: &mut Streams) -> Done {
        let mut lines = Lines { arguments: self, streams, good: true };
        for segment in entries::segments(names) {
            // Standard input contained the key.
            if self.keyed && segment[0] == b"-" {
                lines.refuse_stdin()?;
            }
            let names = if self.keyed && segment[0] == b"-" { &segment[1..] } else { segment };
            let mut tasks =
                names.iter().map(|name| Task::File(Job::argument(OsStr::from_bytes(name), &specs)));
            let threads = if self.threads() == 0 { entries::threads(names) } else { self.threads() };
            truesum::run(&entries::config(threads), &mut tasks, &Progress::default(), &mut lines)?;
        }
        Ok(lines.good)
    }

    /// Returns the text before and after the digest of a file.
    fn around(&self, name: &[u8]) -> (Vec<u8>, Vec<u8>) {
        if self.raw {
            return (Vec::new(), Vec::new());
        }
        if self.no_names {
            return (Vec::new(), b"\n".to_vec());
        }
        let name = String::from_utf8_lossy(name);
        let mut head = Vec::new();
        let mut escaped = Vec::new();
        if needs_escape(name.as_bytes()) {
            head.push(b'\\');
            escape_into(name.as_bytes(), &mut escaped);
        } else {
            escaped.extend_from_slice(name.as_bytes());
        }
        if self.tag {
            head.extend_from_slice(&[b"BLAKE3 (", escaped.as_slice(), b") = "].concat());
            (head, b"\n".to_vec())
        } else {
            (head, [b"  ", escaped.as_slice(), b"\n"].concat())
        }
    }

    fn check(&self, names: &[Vec<u8>], streams: &mut Streams) -> Done {
        let Ok(spec) = "blake3".parse::<Spec>() else { return fatal(streams, "BLAKE3 is missing") };
        let specs: Arc<[Spec]> = [spec].into();
        let mut verdicts = Verdicts { quiet: self.quiet, streams, failed: 0 };
        for name in names {
            let opened = if name == b"-" {
                standard::stdin().try_clone()
            } else {
                open_named(OsStr::from_bytes(name))
            };
            let manifest = match opened {
                Ok(manifest) => manifest,
                Err(error) => return fatal(verdicts.streams, &error.to_string()),
            };
            let mut parse = |line: &[u8]| match split_line(line) {
                Ok(split) => {
                    let path = split.path().as_bytes().to_vec();
                    let name = if path == b"-" { path.clone() } else { split.shown().as_bytes().to_vec() };
                    let open = (path != name).then_some(path);
                    let job = Job::argument(OsString::from_vec(name), &specs).with_open(open);
                    Parsed::Entry(Box::new(job.with_expected(vec![split.digest().clone()])))
                }
                Err(error @ BadLine::NotUtf8) => Parsed::Fatal(error.to_string()),
                Err(error) => Parsed::Bad(error.to_string()),
            };
            let end = match self.seek {
                0 => entries::check(manifest, &entries::config(self.threads()), &mut parse, &mut verdicts)?,
                seek => seek::check(manifest, &specs[0], seek, &mut verdicts)?,
            };
            match end {
                End::Whole => {}
                End::Failed(error) => return fatal(verdicts.streams, &error.to_string()),
                End::Fatal(message) => return fatal(verdicts.streams, &message),
            }
        }
        let failed = verdicts.failed;
        if failed > 0 {
            let s = if failed == 1 { "" } else { "s" };
            streams.error(format!("WARNING: {failed} computed checksum{s} did NOT match").as_bytes())?;
        }
        Ok(failed == 0)
    }
}

/// Returns the cause, with the errno in the form of Rust programs.
fn reason(error: &Error) -> String {
    match error.cause() {
        Cause::Io(error) => error.to_string(),
        Cause::Special("directory") => io::Error::from(Errno::ISDIR).to_string(),
        // The error for opening a socket.
        Cause::Special(_) => io::Error::from(Errno::NXIO).to_string(),
        cause => cause.to_string(),
    }
}

/// Writes the lines of digests.
struct Lines<'a> {
    arguments: &'a Arguments,
    streams: &'a mut Streams,
    good: bool,
}

impl Lines<'_> {
    fn failure(&mut self, name: &[u8], reason: &str) -> io::Result<()> {
        self.good = false;
        self.streams.error(format!("{}: {reason}", String::from_utf8_lossy(name)).as_bytes())
    }

    fn refuse_stdin(&mut self) -> io::Result<()> {
        self.failure(b"-", "Cannot open `-` in keyed mode")
    }
}

impl Sink for Lines<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        match outcome.result {
            Ok(found) => {
                let (head, tail) = self.arguments.around(outcome.job.name());
                for digest in found.digests() {
                    let hex = digest.to_hex();
                    let text = if self.arguments.raw { digest.as_bytes() } else { hex.as_bytes() };
                    self.streams.write(&[&head, text, &tail].concat())?;
                }
                Ok(())
            }
            Err(error) => self.failure(outcome.job.name(), &reason(&error)),
        }
    }

    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.streams.flush()
    }
}

/// Writes the results of a check.
struct Verdicts<'a> {
    quiet: bool,
    streams: &'a mut Streams,
    failed: u64,
}

impl Verdicts<'_> {
    /// Reports whether a file matches its digest.
    fn verdict(&mut self, name: &[u8], good: Result<bool, Error>) -> io::Result<()> {
        let text = match &good {
            Ok(true) if self.quiet => return Ok(()),
            Ok(true) => ": OK\n".to_owned(),
            Ok(false) => ": FAILED\n".to_owned(),
            Err(error) => format!(": FAILED ({})\n", reason(error)),
        };
        self.failed += u64::from(!matches!(good, Ok(true)));
        self.streams.write(&[name, text.as_bytes()].concat())
    }

    fn bad_line(&mut self, message: &str) -> io::Result<()> {
        self.failed += 1;
        self.streams.error(message.as_bytes())
    }
}

impl Sink for Verdicts<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let good = outcome.verdict() == Verdict::Verified;
        self.verdict(outcome.job.name(), outcome.result.map(|_| good))
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        let Notice::Malformed(line) = notice else { return Ok(()) };
        self.bad_line(line.reason())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.streams.flush()
    }
}
