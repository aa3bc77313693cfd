//! `truesum tree leaf` and `combine`: one file's digest computed by several machines.

use crate::console::Console;
use crate::exit::Exit;
use crate::options::threads;
use crate::output::print;
use crate::tree::{stored::refuse, text};
use crate::values;
use crate::values::{size::range, table::SpecParser};
use crate::watch::Watch;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::tree::piece::{combine, hash_range};

/// Hash a range of a file towards a digest of the whole, for `combine`
#[derive(Args)]
pub struct LeafArgs {
    /// The file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: OsString,
    /// Bytes; both ends where the digest can be cut
    #[arg(long, value_name = "A..B", value_parser = range)]
    range: Range<u64>,
    /// The digest
    #[arg(short, long, value_name = "NAME", default_value = "sha256-tree", value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Spec,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    #[arg(value_parser = values::threads::threads)]
    processors: Option<usize>,
}

/// Put what `leaf` printed on several machines together to one digest
#[derive(Args)]
pub struct CombineArgs {
    /// Files with lines of `truesum tree leaf`; - is standard input
    #[arg(value_name = "LINES", required = true, value_hint = ValueHint::FilePath)]
    lines: Vec<PathBuf>,
}

pub fn leaf(args: &LeafArgs, console: &mut Console) -> Exit {
    let watch = Watch::of_one(Some(args.range.end - args.range.start.min(args.range.end)), console);
    let threads = threads(args.processors);
    let piece = hash_range(&args.file, &args.algorithm, args.range.clone(), &watch.reading(threads));
    watch.print(piece.map(|piece| text::piece(&piece)), console)
}

pub fn join(args: &CombineArgs, console: &mut Console) -> Exit {
    let mut pieces = Vec::new();
    for path in &args.lines {
        let text = match text::read(path) {
            Ok(text) => text,
            Err(error) => {
                console.failure(&error);
                return Exit::NotAsAsked;
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
    match combine(pieces) {
        Ok(digest) => print(&format!("{spec}:{digest}\n"), console),
        Err(misfit) => {
            console.error(&format!("combine: {misfit}"));
            Exit::NotAsAsked
        }
    }
}
