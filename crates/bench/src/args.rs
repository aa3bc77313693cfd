//! The command line of `truesum bench`: clap derive only. [`crate::command`] turns it into runs.

use crate::algorithms::Part;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Measure checksums, programs and disks, and draw the answer.
///
/// Each run first checks that all engines compute the same digest, then times them in turn, and records the machine. The
/// result is a table, or --json, --csv, --markdown; --html FILE writes one page with charts that needs nothing else.
#[derive(Args, Clone, Debug)]
pub struct Bench {
    /// What to measure.
    #[command(subcommand)]
    pub what: What,
}

/// What to measure.
#[derive(Subcommand, Clone, Debug)]
pub enum What {
    /// Algorithms in memory: by message size, way of calling, kernel and threads
    Algorithms(AlgorithmsArgs),
    /// Programs that write a manifest of DIR: truesum against every one found
    Tools(ToolsArgs),
    /// Ways to read FILE, with and without hashing, hot and cold
    Io(IoArgs),
    /// Is it the disk or the processor here? What to use, in words
    Limit(LimitArgs),
    /// Tree digests of FILE by leaf size and threads, against the plain digest
    Tree(TreeArgs),
    /// Join saved runs into one HTML report
    Report(ReportArgs),
    /// Compare two saved runs; exit 1 if the second is slower beyond noise
    Compare(CompareArgs),
}

/// How long, and what comes out.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// Less of everything, in under 20 seconds
    #[arg(long)]
    pub quick: bool,
    /// Time for the whole run
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time: Option<f64>,
    /// Take the definition from this TOML file instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
    /// The form of the result
    #[command(flatten)]
    pub form: Form,
    /// Save the run for `bench report` and `bench compare`
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write the report: one HTML file with charts
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write each chart as an SVG file into this directory
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write each chart as a PNG file into this directory
    #[cfg(feature = "png")]
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
}

/// What is printed on standard output.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(multiple = false)]
pub struct Form {
    /// Print the whole run as JSON
    #[arg(long)]
    pub json: bool,
    /// Print one line of CSV for each measurement
    #[arg(long)]
    pub csv: bool,
    /// Print Markdown tables
    #[arg(long)]
    pub markdown: bool,
}

/// `bench algorithms`.
#[derive(Args, Clone, Debug)]
pub struct AlgorithmsArgs {
    /// Measure this algorithm (repeatable, or a list with commas); all of them if none is given
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Message sizes: 128,8KiB,1MiB
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<u64>,
    /// Numbers of threads: 1,2,4
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',', value_enum)]
    pub part: Vec<Part>,
    /// Say how many cores a stream of this rate needs: 10GB/s, 100Gbit/s
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub stream: Option<f64>,
    /// Measure beside another library's own benchmark, in turn
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub compare: Vec<String>,
    /// Form and time.
    #[command(flatten)]
    pub common: Common,
}

/// `bench tools`.
#[derive(Args, Clone, Debug)]
pub struct ToolsArgs {
    /// The directory to hash
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Only this algorithm (repeatable, or a list with commas)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Only this engine (repeatable)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engine: Vec<String>,
    /// Runs of each command after the checking run
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Empty the page cache before each run
    #[arg(long)]
    pub cold: bool,
    /// Form and time.
    #[command(flatten)]
    pub common: Common,
}

/// `bench io`.
#[derive(Args, Clone, Debug)]
pub struct IoArgs {
    /// The file to read
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What to do with the bytes (repeatable): an algorithm, or none to sum them up
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Numbers of threads beside 1
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Empty the page cache of the whole machine before cold reads, where permitted
    #[arg(long)]
    pub drop_caches: bool,
    /// Form and time.
    #[command(flatten)]
    pub common: Common,
}

/// `bench limit`.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// A large file to read, or a directory to make one in (and remove it)
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Only this algorithm (repeatable, or a list with commas)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Form and time.
    #[command(flatten)]
    pub common: Common,
}

/// `bench tree`.
#[derive(Args, Clone, Debug)]
pub struct TreeArgs {
    /// The file to hash
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Hash of the leaves (repeatable, or a list with commas)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Leaf sizes: 4KiB,64KiB,1MiB
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = size)]
    pub leaves: Vec<u64>,
    /// Numbers of threads: 1,2,4
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Form and time.
    #[command(flatten)]
    pub common: Common,
}

/// `bench report`.
#[derive(Args, Clone, Debug)]
pub struct ReportArgs {
    /// Saved runs, or directories of them
    #[arg(value_name = "DIR|FILE", required = true)]
    pub runs: Vec<PathBuf>,
    /// Where to write the report; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the speed section of this Markdown file anew instead, and its chart beside the runs
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub readme: Option<PathBuf>,
}

/// `bench compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareArgs {
    /// The run to compare with
    #[arg(value_name = "A.json")]
    pub before: PathBuf,
    /// The run that may have become slower
    #[arg(value_name = "B.json")]
    pub after: PathBuf,
    /// How much slower counts, beside the noise of both runs
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = positive)]
    pub threshold: f64,
    /// The form of the result
    #[command(flatten)]
    pub form: Form,
}

fn size(text: &str) -> Result<u64, String> {
    crate::quantity::parse_bytes(text).ok_or_else(|| "not a size like 8KiB".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    crate::quantity::parse_rate(text).ok_or_else(|| "not a rate like 10GB/s".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n: &f64| *n > 0.0 && n.is_finite())
        .ok_or_else(|| "not a positive number".to_owned())
}
