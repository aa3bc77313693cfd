//! Options that several commands have: how a run is done and told.

use crate::exit::Refusal;
use crate::key::{self, KeyRead, Source, expected_under};
use crate::progress::Line;
use crate::settings::settings;
use crate::values::table::{FormatParser, KeyedSpecParser};
use crate::values::{color::Color, threads};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use truesum::hash::{Secret, Spec};
use truesum::manifest::Format;

/// How it is done and told, for every command that reads files.
#[derive(Args, Default)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Number of threads [default: one per core]
    #[arg(short = 'j', long = "jobs", alias = "threads", value_name = "N")]
    #[arg(value_parser = threads::threads)]
    pub threads: Option<usize>,
    /// When to show a progress line (auto: on a terminal)
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub progress: ShowProgress,
    /// Print more details, such as skipped files and the throughput
    #[arg(short, long)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: Color,
    #[command(flatten)]
    pub life: LifeArgs,
}

/// How long it may live.
#[derive(Args, Default)]
pub struct LifeArgs {
    /// Exit when the parent process exits
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long)]
    die_with_parent: bool,
}

impl LifeArgs {
    /// Asks the kernel for that. Where it knows no such thing, nothing is lost but time.
    pub fn bind(&self) {
        if self.die_with_parent {
            let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
        }
    }
}

/// The key of digests that need one.
#[derive(Args, Default)]
pub struct KeyArgs {
    /// Read the key of HMAC, KMAC or keyed BLAKE from FILE (raw bytes)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Keys", hide_short_help = true)]
    key_file: Option<PathBuf>,
    /// Read the key from open file descriptor N
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "key_file",
        help_heading = "Keys",
        hide_short_help = true
    )]
    key_fd: Option<u32>,
    /// Read the key as hexadecimal instead of raw bytes
    #[arg(long, help_heading = "Keys", hide_short_help = true)]
    key_hex: bool,
}

/// What lines of manifests are read under: the key, the algorithms of those that do not name theirs, and what is to be said of the
/// key.
pub type ForLines = (Option<Secret>, Vec<Spec>, Vec<String>);

impl KeyArgs {
    /// The key, if one was named, and what is to be said of where it lies.
    ///
    /// # Errors
    /// It cannot be read, or there is none.
    pub fn read(&self) -> Result<Option<KeyRead>, Refusal> {
        let source = match (&self.key_file, self.key_fd) {
            (Some(path), _) => Source::Named(path),
            (None, Some(fd)) => Source::Open(fd),
            (None, None) if self.key_hex => {
                return Err(Refusal::new("--key-hex: requires --key-file or --key-fd"));
            }
            (None, None) => return Ok(None),
        };
        key::read(source, self.key_hex).map(Some)
    }

    /// What lines of manifests are read under.
    ///
    /// # Errors
    /// It cannot be read, or was read from the standard input that is one of `names`; no algorithm takes it.
    pub fn for_lines(&self, specs: Vec<Spec>, names: &[impl AsRef<OsStr>]) -> Result<ForLines, Refusal> {
        let read = self.read()?;
        if let Some(read) = &read {
            read.leaves(&names.iter().map(|name| name.as_ref().as_bytes()).collect::<Vec<_>>())?;
        }
        let (key, notes) = read.map_or((None, Vec::new()), |read| (Some(read.key), read.notes));
        let specs = if specs.is_empty() { specs } else { expected_under(specs, key.as_ref())? };
        Ok((key, specs, notes))
    }
}

/// How manifests are read: the options that `check`, `audit`, `diff` and `update` share.
#[derive(Args, Default)]
pub struct ManifestArgs {
    /// Algorithms of the digests [default: those that the manifest names]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Format of the manifest [default: detected]
    ///
    /// `truesum list formats` lists them.
    #[arg(short = 't', long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true)]
    pub format: Option<&'static Format>,
    /// Only warn about malformed lines
    #[arg(long, help_heading = "What counts as a failure")]
    pub lenient: bool,
    /// Accept truncated digests that are too short to prove anything
    #[arg(long, help_heading = "What counts as a failure", hide_short_help = true)]
    pub allow_weak: bool,
    #[command(flatten)]
    pub key: KeyArgs,
}

impl ManifestArgs {
    /// Returns the engine's options for manifests read so, with defaults for everything else, and notes on the key. `names` are the
    /// manifests, of which none can be standard input if the key was read from there.
    ///
    /// # Errors
    /// As [`KeyArgs::for_lines`].
    pub fn options(&self, names: &[impl AsRef<OsStr>]) -> Result<(truesum::Options, Vec<String>), Refusal> {
        let (key, algorithms, notes) = self.key.for_lines(self.algorithm.clone(), names)?;
        let ManifestArgs { format, lenient, allow_weak, .. } = *self;
        let options =
            truesum::Options { algorithms, key, format, lenient, allow_weak, ..truesum::Options::default() };
        Ok((options, notes))
    }
}

/// How much is told while a run goes on, and how many threads it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tell {
    pub line: Line,
    pub notes: bool,
    pub verbose: bool,
    pub threads: usize,
}

impl RunArgs {
    /// What is told.
    pub fn tell(&self, quiet: bool) -> Tell {
        self.life.bind();
        let hidden = self.progress == ShowProgress::Never || settings().no_progress;
        let line = if quiet || hidden { Line::Hidden } else { Line::where_seen() };
        let threads = self.threads.unwrap_or(0);
        Tell { line, notes: !quiet, verbose: self.verbose, threads }
    }
}

/// Threads that read one file: as asked, else one a core.
pub fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// When to show a progress line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShowProgress {
    #[default]
    Auto,
    Never,
}

/// What a file counts as that only has a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Moved {
    /// Count as success
    Ok,
    /// Count as failures (default)
    Fail,
}
