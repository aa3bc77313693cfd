//! Options shared by several commands: how a run is executed and reported.

use crate::exit::Refusal;
use crate::key::{self, KeyRead, Source, expected_under};
use crate::progress::Line;
use crate::settings::settings;
use crate::values::table::{FileSpecParser, FormatParser};
use crate::values::{color::Color, threads};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsStr;
use std::path::PathBuf;
use truesum::hash::{Secret, Spec};
use truesum::manifest::Format;
use truesum::{ReadMode, ReadOptions, ReadOrder};
use truesum_fs::name::OsStrExt;

/// Execution and output options of every command that reads files.
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
    /// Same as --progress=never
    #[arg(hide = true)]
    #[arg(long, conflicts_with = "progress")]
    pub no_progress: bool,
    /// Print more details, such as skipped files and the throughput
    #[arg(short, long)]
    pub verbose: bool,
    /// When to use colors
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: Color,
    #[command(flatten)]
    pub life: LifeArgs,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// The options for reading, of commands that read complete files.
#[derive(Args, Clone, Copy, Default)]
pub struct ReadArgs {
    /// Read files one after another, each from start to end
    ///
    /// For hard disks, tapes and network mounts. The data of a single file can still be hashed on several cores. -j 1 also reads one file
    /// after another.
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long)]
    pub sequential: bool,
    /// Order in which files are read [default: chosen for speed]
    ///
    /// The order of the output does not change. Long lists are sorted in batches of 65,536 files.
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Reads>,
    /// After reading, remove contents from the page cache that were not in it before
    ///
    /// Keeps a long run from evicting data that other programs have cached. Files of which a part was
    /// in the cache before stay there. Has no effect on macOS and Windows.
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long)]
    pub drop_cache: bool,
}

/// The value of `--order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reads {
    /// The order of the manifest or of the arguments; in folders, the order in which files are found
    #[value(alias = "given")]
    Manifest,
    /// The largest file first
    Size,
    /// The position on the disk or tape
    Physical,
}

impl ReadArgs {
    /// Returns how files are read.
    pub fn mode(&self) -> ReadMode {
        let order = match self.order {
            None => ReadOrder::Fast,
            Some(Reads::Manifest) => ReadOrder::Given,
            Some(Reads::Size) => ReadOrder::Size,
            Some(Reads::Physical) => ReadOrder::Physical,
        };
        ReadMode::default().order(order).sequential(self.sequential).drop_cache(self.drop_cache)
    }
}

/// Options that select the settings file. [`settings::choose`](crate::settings::choose) finds them in the parsed command
/// line, before a command gets its arguments.
#[derive(Args, Default)]
pub struct SettingsArgs {
    /// Read settings from FILE instead of the user's settings file
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Do not read a settings file
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
}

/// Options that limit the lifetime of the process.
#[derive(Args, Default)]
pub struct LifeArgs {
    /// Exit when the parent process exits
    #[arg(hide_short_help = true, help_heading = "Running")]
    #[arg(long)]
    die_with_parent: bool,
}

impl LifeArgs {
    /// Ends this process when its parent process exits. Kernels without this feature ignore the request, and the run
    /// continues.
    pub fn bind(&self) {
        if self.die_with_parent {
            truesum_fs::process::end_with_parent();
        }
    }
}

/// Options for the key of keyed digests.
#[derive(Args, Default)]
pub struct KeyArgs {
    /// Read the key for HMAC, KMAC or keyed BLAKE from FILE (raw bytes)
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

/// The parameters for reading lines of manifests: the key, the algorithms of lines that do not name
/// theirs, and notes on the key.
pub type ForLines = (Option<Secret>, Vec<Spec>, Vec<String>);

impl KeyArgs {
    /// Reads the key, if one is specified, with notes on its source.
    ///
    /// # Errors
    /// Fails if the key cannot be read, or if `--key-hex` is given without a key.
    pub fn read(&self) -> Result<Option<KeyRead>, Refusal> {
        let source = match (&self.key_file, self.key_fd) {
            (Some(path), _) => Source::Named(path),
            (None, Some(fd)) => Source::Open(fd),
            (None, None) if self.key_hex => {
                return Err(Refusal::new("--key-hex requires --key-file or --key-fd"));
            }
            (None, None) => return Ok(None),
        };
        key::read(source, self.key_hex).map(Some)
    }

    /// Returns the parameters for reading lines of manifests.
    ///
    /// # Errors
    /// Fails if the key cannot be read, if it was read from standard input and one of `names` is
    /// standard input too, or if none of the algorithms accepts it.
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

/// Options for reading manifests, shared by `check`, `audit`, `diff` and `update`.
#[derive(Args, Default)]
pub struct ManifestArgs {
    /// Digest algorithms [default: those named in the manifest]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = FileSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Format of the manifest [default: detected]
    ///
    /// `truesum list formats` shows the available formats.
    #[arg(short = 't', long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true)]
    pub format: Option<&'static Format>,
    /// Only warn about malformed lines
    #[arg(long, help_heading = "What counts as a failure")]
    pub lenient: bool,
    /// Accept truncated digests that are too short to prove anything
    #[arg(long, help_heading = "What counts as a failure", hide_short_help = true)]
    pub allow_weak: bool,
    /// Ignore the include and exclude rules stored in the manifest
    ///
    /// The rules apply only to files that are not in the manifest.
    #[arg(hide_short_help = true, help_heading = "Selection")]
    #[arg(long)]
    pub no_stored_rules: bool,
    #[command(flatten)]
    pub key: KeyArgs,
}

impl ManifestArgs {
    /// Returns the engine's options for reading manifests, with defaults for everything else, and
    /// notes on the key. `names` are the manifests; none of them may be standard input if the key
    /// was read from there.
    ///
    /// # Errors
    /// Fails like [`KeyArgs::for_lines`].
    pub fn options(&self, names: &[impl AsRef<OsStr>]) -> Result<(ReadOptions, Vec<String>), Refusal> {
        let (key, algorithms, notes) = self.key.for_lines(self.algorithm.clone(), names)?;
        let options = ReadOptions::default().algorithms(algorithms).key(key).format(self.format);
        let options = options.lenient(self.lenient).allow_weak(self.allow_weak);
        Ok((options.ignore_rules(self.no_stored_rules), notes))
    }
}

/// The amount of output during a run, and the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reporting {
    pub line: Line,
    pub notes: bool,
    pub verbose: bool,
    pub threads: usize,
}

impl RunArgs {
    /// Returns what to report, and applies the options for the lifetime of the process.
    pub fn reporting(&self, quiet: bool) -> Reporting {
        self.life.bind();
        let hidden = self.progress == ShowProgress::Never || self.no_progress || settings().no_progress;
        let line = if quiet || hidden { Line::Hidden } else { Line::on_terminal() };
        let threads = self.threads.unwrap_or(0);
        Reporting { line, notes: !quiet, verbose: self.verbose, threads }
    }
}

/// Returns the number of threads that read one file: the requested number, or one per core.
pub fn threads(requested: Option<usize>) -> usize {
    requested.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The value of `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShowProgress {
    #[default]
    Auto,
    Never,
}

/// The value of `--moved`: whether files that were only renamed count as failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Moved {
    /// Count as a success
    Ok,
    /// Count as a failure (default)
    Fail,
}
