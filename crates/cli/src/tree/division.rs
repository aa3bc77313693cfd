//! `truesum tree leaf` and `combine`: computes one file's digest on several machines.

use crate::console::Console;
use crate::exit::Exit;
use crate::members::read;
use crate::options::{LifeArgs, threads};
use crate::output::print;
use crate::stores;
use crate::tree::{stored::refuse, text};
use crate::values;
use crate::values::{size::range, table::SpecParser};
use crate::watch::Watch;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::tree::combine::{CombineError, Origins, combine};
use truesum::tree::piece::hash_range;

/// Hash a byte range of a file, as input for `combine`
///
/// The output is one line of JSON: the digest of the range and the state of the file, or the reason for the failure.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree leaf disk.img --range 0..500GiB > a.json
  truesum tree leaf -a blake3 disk.img --range 500GiB..1TiB > b.json
Exit status: 0 the digest of the range was printed, 1 the file cannot be hashed, 2 invalid request, 4 temporary error: a retry may succeed.")]
pub struct LeafArgs {
    /// File to hash
    #[cfg_attr(feature = "stores", arg(help = "File or object (s3://BUCKET/OBJECT) to hash"))]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: OsString,
    /// Byte range, such as 1MiB..2MiB
    ///
    /// Both ends must be on leaf boundaries.
    #[arg(long, value_name = "A..B", value_parser = range)]
    range: Range<u64>,
    /// Algorithm of the digest
    #[arg(short, long, value_name = "NAME", default_value = "sha256-tree", value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Spec,
    /// Number of threads [default: one per core]
    #[arg(short, short_alias = 'p', long, value_name = "N")]
    #[arg(value_parser = values::threads::threads)]
    jobs: Option<usize>,
    #[command(flatten)]
    life: LifeArgs,
}

/// Combine the output of `leaf` from several machines into one digest
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree combine a.json b.json
  ssh far truesum tree leaf x --range 0..1TiB | truesum tree combine - b.json")]
pub struct CombineArgs {
    /// Files with the output of `truesum tree leaf`; - is standard input
    #[arg(value_name = "LINES", required = true, value_hint = ValueHint::FilePath)]
    lines: Vec<PathBuf>,
    /// Combine ranges from copies of the file that are known to be identical
    #[arg(long)]
    trust_origins: bool,
}

pub fn leaf(args: &LeafArgs, console: &mut Console) -> Exit {
    args.life.bind();
    let remote = match stores::of_object(&args.file) {
        Ok(remote) => remote,
        Err(refusal) => return console.refuse(&refusal),
    };
    let size = args.range.end - args.range.start.min(args.range.end);
    let watch = Watch { remote, ..Watch::of_one(Some(size), console) };
    let threads = threads(args.jobs);
    let piece = hash_range(&args.file, &args.algorithm, args.range.clone(), &watch.reading(threads));
    match piece {
        Ok(piece) => watch.print(Ok(text::piece(&piece)), console),
        Err(error) => {
            // Even if the failure belongs to the file, a later attempt may succeed.
            let ended = match watch.failed(&error, console) {
                Exit::Failed if error.is_transient() => Exit::TryAgain,
                ended => ended,
            };
            ended.max(print(&text::no_piece(&error), console))
        }
    }
}

pub fn join(args: &CombineArgs, console: &mut Console) -> Exit {
    let mut pieces = Vec::new();
    for path in &args.lines {
        let text = match read(path) {
            Ok(text) => text,
            Err(error) => {
                console.failure(&error);
                return Exit::NotAsRequested;
            }
        };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match text::parse_piece(line) {
                Ok(piece) => pieces.push(piece),
                Err(why) => return refuse(path, &format!("line {number}: {why}"), console),
            }
        }
    }
    let spec = pieces.first().map(|piece| piece.spec.to_string()).unwrap_or_default();
    let origins = if args.trust_origins { Origins::Trusted } else { Origins::One };
    match combine(pieces, origins) {
        Ok(digest) => print(&format!("{spec}:{digest}\n"), console),
        Err(error) => {
            console.error(&format!("combine: {error}"));
            if matches!(error, CombineError::Moved(..) | CombineError::Unstamped(..)) {
                console.hint("hash all ranges again from the same version of the file, or use --trust-origins for copies known to be equal");
            }
            Exit::NotAsRequested
        }
    }
}
