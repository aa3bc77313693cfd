//! Options that select files, with the same wording in every command that has them.

use crate::exit::Refusal;
use crate::sources;
use crate::values::size::size;
use crate::values::when::{length, when};
use crate::words::count;
use clap::{Args, ValueHint};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;
use truesum::manifest::{Rule, Time};
use truesum::walk::ExcludedCounts;
use truesum::{RunLimits, Sample, Selection, Share, Special, Unmatched, Wanted, rules_of, walk};

/// Options for walks that read the files that they find.
#[derive(Args, Default)]
#[command(next_help_heading = "Selection")]
pub struct WalkArgs {
    /// Follow symbolic links found in folders
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Do not cross file system boundaries
    #[arg(hide_short_help = true)]
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
}

/// Options that select files by name, size and time.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub struct FilterArgs {
    /// Process only files that match GLOB
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Skip files and folders that match GLOB, and all files in such folders
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Process only files newer than WHEN: a date, a time, an age (7d) or another file
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub newer: Option<Time>,
    /// Process only files older than WHEN
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub older: Option<Time>,
    /// Process only files of at least SIZE bytes (suffixes: KiB, MiB, MB, ...)
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub min_size: Option<u64>,
    /// Process only files of at most SIZE bytes (suffixes: KiB, MiB, MB, ...)
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_size: Option<u64>,
}

/// Options that select files and control how folders are searched.
#[derive(Args, Default)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Read file names from FILE, one per line; - is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "files")]
    pub files_from: Vec<PathBuf>,
    /// Read NUL-terminated file names from FILE; - is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "files_from"])]
    pub files0_from: Vec<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Respect .gitignore files
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub gitignore: bool,
    /// Do not cross file system boundaries
    #[arg(hide_short_help = true)]
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
    /// Follow symbolic links found in folders
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Also read devices and named pipes, until end of file
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub special: bool,
}

/// Returns the rules to be stored for names that are relative to the folder of the globs; `None` keeps the stored rules.
///
/// # Errors
/// Fails if a glob is invalid.
pub fn rules_to_store(
    include: &[String],
    exclude: &[String],
    set_rules: bool,
) -> Result<Option<Vec<Rule>>, Refusal> {
    if include.is_empty() && exclude.is_empty() && !set_rules {
        return Ok(None);
    }
    selection(&Wanted::default().include(include.to_vec()).exclude(exclude.to_vec()))?;
    let rules = rules_of(include, exclude, &[(".".to_owned(), String::new())]);
    rules.map(Some).map_err(|why| Refusal::new(format!("selection: {why}")))
}

/// Options that select entries of a manifest by name.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub struct OnlyArgs {
    /// Process only entries that match NAME: a file name, a folder or a glob
    ///
    /// At least one entry must match.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<OsString>,
}

/// Options that restrict a check to a part of the entries: a sample, or a limited amount of data or
/// time.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checking in parts")]
pub struct PartArgs {
    /// Check a random sample of about this percentage of entries
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["max_bytes", "max_time", "state"])]
    pub sample: Option<Share>,
    /// Random seed, to repeat the same sample [default: different each time]
    #[arg(hide_short_help = true)]
    #[arg(long = "sample-seed", value_name = "N", requires = "sample")]
    pub seed: Option<u64>,
    /// Stop before reading more than SIZE (the first file is always read)
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_bytes: Option<u64>,
    /// Do not start reading a file after this much time, such as 30m or 12h
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "DURATION", value_parser = length)]
    pub max_time: Option<Duration>,
    /// Record in FILE when entries were last read; start with the least recent ones
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
}

impl PartArgs {
    /// Returns the requested sample. Without a seed, each run selects another sample, so that every
    /// entry is read eventually.
    pub fn sample(&self) -> Option<Sample> {
        let random = || RandomState::new().build_hasher().finish() % 1_000_000;
        self.sample.map(|share| Sample::new(share, self.seed.unwrap_or_else(random)))
    }

    /// Returns the limits of one run.
    pub fn limits(self) -> RunLimits {
        let PartArgs { state, max_bytes, max_time, .. } = self;
        RunLimits::default().state(state).max_bytes(max_bytes).max_time(max_time)
    }
}

impl FilterArgs {
    /// Returns the requested filters.
    pub fn wanted(self) -> Wanted {
        let FilterArgs { include, exclude, newer, older, min_size, max_size } = self;
        Wanted::default()
            .include(include)
            .exclude(exclude)
            .newer(newer)
            .older(older)
            .min_size(min_size)
            .max_size(max_size)
    }
}

impl WalkArgs {
    /// Returns the selection of all files that a walk finds and this filter accepts.
    pub fn select(self, filter: FilterArgs) -> SelectArgs {
        let WalkArgs { follow, one_file_system } = self;
        SelectArgs { filter, follow, one_file_system, ..SelectArgs::default() }
    }
}

impl SelectArgs {
    /// Returns the options for walking folders.
    ///
    /// # Errors
    /// Fails like [`selection`].
    pub fn walk(self) -> Result<walk::Options, Refusal> {
        keep_ignore_files(self.gitignore);
        Ok(walk::Options::default()
            .follow(self.follow)
            .one_file_system(self.one_file_system)
            .special(if self.special { Special::Read } else { Special::Refuse })
            .select(selection(&self.filter.wanted())?)
            .below_root(false)
            .gitignore(self.gitignore))
    }
}

/// Protects `.gitignore` files, if they are `read`, from being replaced by the output.
pub fn keep_ignore_files(read: bool) {
    if read {
        sources::keep_named(".gitignore");
    }
}

/// Validates the requested filters.
///
/// # Errors
/// Fails if a glob is invalid, or if no file can meet the limits.
pub fn selection(wanted: &Wanted) -> Result<Selection, Refusal> {
    Selection::new(wanted).map_err(|why| Refusal::new(format!("selection: {why}")))
}

/// Returns why nothing was selected for a name given by `--only`.
pub fn unmatched_reason(unmatched: &Unmatched<'_>) -> &'static str {
    match unmatched.excluded() {
        true => "selected with --only, but excluded by other selection options",
        false => "selected with --only, but no entry matches",
    }
}

/// Returns the error message for a selection without files.
pub fn nothing_selected_message(left_out: ExcludedCounts) -> String {
    format!("no file was selected ({} excluded)", not_selected(left_out))
}

/// Returns the number of files and folders that a walk left out, as text.
pub fn not_selected(left_out: ExcludedCounts) -> String {
    let (files, folders) = (left_out.files(), left_out.folders());
    let files = count(files, "file", "files");
    match folders {
        0 => files,
        _ => format!("{files} and {}", count(folders, "folder", "folders")),
    }
}

/// Returns a glob that matches only this name.
pub fn literal(name: &OsStr) -> OsString {
    let Some(text) = name.to_str().filter(|text| text.contains(['*', '?', '[', '{'])) else {
        return name.to_owned();
    };
    let escaped = |letter: char| match letter {
        '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\' => format!("\\{letter}"),
        letter => letter.to_string(),
    };
    // Anchored to the beginning of the name, so that it does not match in every folder.
    format!("/{}", text.trim_start_matches('/').chars().map(escaped).collect::<String>()).into()
}
