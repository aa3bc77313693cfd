//! The options that say which files: the same words in every command that has a choice of files.

use crate::exit::Refusal;
use crate::sources;
use crate::values::size::size;
use crate::values::when::{length, when};
use crate::words::count;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::Duration;
use truesum::manifest::Time;
use truesum::walk::LeftOut;
use truesum::{Sample, Selection, Share, Special, Turn, Wanted, walk};

/// Where a walk goes that reads what it finds.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct WaysArgs {
    /// Follow symbolic links found in folders
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Stay on the file system of each folder given
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
}

/// Which files, by name, size and time.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub struct FilterArgs {
    /// Only files that match this glob
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files or folders that match this glob
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Only files written after this: a date, a time, how long ago (7d), or when a FILE was written
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub newer: Option<Time>,
    /// Only files written before this
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub older: Option<Time>,
    /// Only files of at least this size
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub min_size: Option<u64>,
    /// Only files of at most this size
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_size: Option<u64>,
}

/// Which files.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Read file names from FILE, one per line; - is standard input (may be repeated)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "files")]
    pub files_from: Vec<PathBuf>,
    /// Read file names from FILE, each terminated by NUL; - is standard input (may be repeated)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "files_from"])]
    pub files0_from: Vec<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Leave out what .gitignore files leave out
    #[arg(long)]
    pub gitignore: bool,
    /// Stay on the file system of each folder given
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
    /// Follow symbolic links found in folders
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Read devices and pipes too, to their end
    #[arg(long)]
    pub special: bool,
}

/// Which entries of a manifest, by their names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub struct OnlyArgs {
    /// Only entries of this name, below this folder or matching this glob; there has to be one
    #[arg(long, value_name = "NAME")]
    pub only: Vec<OsString>,
}

/// A part of what is left: a sample, or as much as there is time for.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "A part at a time")]
pub struct PartArgs {
    /// Only about this share, picked by names
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["max_bytes", "max_time", "state"])]
    pub sample: Option<Share>,
    /// The number that picks the sample, to repeat one [default: another one each time]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", requires = "sample")]
    pub seed: Option<u64>,
    /// Read no more than this, but for the first file
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_bytes: Option<u64>,
    /// Begin no file after so long: 90s, 30m, 12h
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub max_time: Option<Duration>,
    /// Keep in this file when each entry was read, and begin with those that waited longest
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
}

impl PartArgs {
    /// The sample asked for. Without a seed it is another one each time: one that never changes leaves the rest unread for ever.
    pub fn sample(&self) -> Option<Sample> {
        let random = || RandomState::new().build_hasher().finish() % 1_000_000;
        self.sample.map(|share| Sample::new(share, self.seed.unwrap_or_else(random)))
    }

    /// How much at a time.
    pub fn turn(self) -> Turn {
        let PartArgs { state, max_bytes, max_time, .. } = self;
        Turn { state, max_bytes, max_time }
    }
}

impl FilterArgs {
    /// What is asked for.
    pub fn wanted(self) -> Wanted {
        let FilterArgs { include, exclude, newer, older, min_size, max_size } = self;
        Wanted { include, exclude, newer, older, min_size, max_size, ..Wanted::default() }
    }
}

impl SelectArgs {
    /// How folders are walked.
    ///
    /// # Errors
    /// As [`selection`].
    pub fn walk(self) -> Result<walk::Options, Refusal> {
        keep_ignore_files(self.gitignore);
        Ok(walk::Options {
            follow: self.follow,
            one_file_system: self.one_file_system,
            special: if self.special { Special::Read } else { Special::Refuse },
            select: selection(&self.filter.wanted())?,
            below_root: false,
            gitignore: self.gitignore,
        })
    }
}

/// Keeps what says what is left out from being replaced by what is written of the rest.
pub fn keep_ignore_files(read: bool) {
    if read {
        sources::keep_named(".gitignore");
    }
}

/// Understands what is asked for.
///
/// # Errors
/// A glob that is none, or bounds that no file can keep.
pub fn selection(wanted: &Wanted) -> Result<Selection, Refusal> {
    Selection::new(wanted).map_err(|why| Refusal::new(format!("selection: {why}")))
}

/// What a walk left out, in words.
pub fn not_selected(left_out: LeftOut) -> String {
    let LeftOut { files, folders } = left_out;
    let files = count(files, "file", "files");
    match folders {
        0 => files,
        _ => format!("{files} and {}", count(folders, "folder", "folders")),
    }
}
