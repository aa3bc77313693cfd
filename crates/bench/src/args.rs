//! The command line of `truesum bench`: the models' own arguments come from their rows. [`crate::command`] runs the
//! result.

use crate::models::effort::{Scope, positive};
use crate::models::{MODELS, Model, place};
use crate::show::PageForm;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use std::path::PathBuf;

/// Benchmark checksums, programs and disks, and draw charts
///
/// Each run first checks that all engines compute the same digest, then times them in turn and records details of the machine. The
/// result is a table, or JSON, CSV or Markdown; --html FILE writes a self-contained page with charts.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  truesum bench limit /data                     disk or CPU?
  truesum bench tools --html tools.html photos  compare with other tools
  truesum bench algorithms -a sha256,blake3 --quick
With TRUESUM_KERNEL=NAME, only the kernels with that name and the portable ones
are measured. To list the names: truesum list kernels")]
pub struct Bench {
    /// Selects what to measure.
    #[command(subcommand)]
    pub what: BenchAction,
}

/// Specifies what to do: measure, or process saved runs.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is only one value")]
pub enum BenchAction {
    /// Run a model.
    Measure(Measure),
    /// Use saved runs.
    Saved(Saved),
}

/// A model with its command-line arguments.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The row of the table.
    pub model: &'static Model,
    /// Its own arguments.
    pub matches: ArgMatches,
    /// Specifies how much to measure.
    pub scope: Scope,
    /// Specifies where the result goes.
    pub output: Output,
}

/// Commands for saved runs.
#[derive(Subcommand, Clone, Debug)]
pub enum Saved {
    /// Combine saved runs into one HTML report
    Report(ReportArgs),
    /// Compare two saved runs; exit status 1 if the second is significantly slower
    Compare(CompareArgs),
}

impl FromArgMatches for BenchAction {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BenchAction, clap::Error> {
        let Some((name, inner)) = matches.subcommand() else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        match place(name) {
            Some(place) => Ok(BenchAction::Measure(Measure {
                model: MODELS[place],
                matches: inner.clone(),
                scope: Scope::from_arg_matches(inner)?,
                output: Output::from_arg_matches(inner)?,
            })),
            None => Saved::from_arg_matches(matches).map(BenchAction::Saved),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BenchAction::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for BenchAction {
    fn augment_subcommands(command: Command) -> Command {
        let command = MODELS.iter().fold(command, |command, model| {
            let arguments = (model.arguments)(Command::new(model.name));
            let arguments = Output::augment_args(Scope::augment_args(arguments));
            command.subcommand(arguments.about(model.about).long_about(None).after_help(model.examples))
        });
        Saved::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        BenchAction::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        place(name).is_some() || Saved::has_subcommand(name)
    }
}

/// Specifies where the result of a run goes.
#[derive(Args, Clone, Debug, Default)]
pub struct Output {
    /// The form of the result
    #[command(flatten)]
    pub form: PageForm,
    /// Save the run to FILE, for `bench report` and `bench compare`
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write a self-contained HTML report with charts to FILE
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write each chart as an SVG file into DIR
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write each chart as a PNG file into DIR
    #[cfg(feature = "png")]
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
}

/// `bench report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  truesum bench report runs > report.html
  truesum bench report -o report.html before.json after.json")]
pub struct ReportArgs {
    /// Saved runs, or folders with saved runs
    #[arg(value_name = "DIR|FILE", required = true)]
    pub runs: Vec<PathBuf>,
    /// Write the report to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Update the speed section of this Markdown file; write its chart next to the runs
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub readme: Option<PathBuf>,
}

/// `bench compare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  truesum bench compare before.json after.json
  truesum bench compare --threshold 10 before.json after.json")]
pub struct CompareArgs {
    /// Baseline run
    #[arg(value_name = "A.json")]
    pub before: PathBuf,
    /// Run to compare with the baseline
    #[arg(value_name = "B.json")]
    pub after: PathBuf,
    /// Ignore changes of up to PERCENT, and those within the noise of both runs
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = positive)]
    pub threshold: f64,
    /// The form of the result
    #[command(flatten)]
    pub form: PageForm,
}
