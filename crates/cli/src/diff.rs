//! `truesum diff`: shows the differences between two manifests, a manifest and a folder, or two
//! folders.

pub mod arguments;

use crate::comparing::{OutputStyle, ResultForm, compare};
use crate::console::Console;
use crate::ending::Ending;
use crate::exit::{Exit, Refusal};
use crate::selection::selection;
use crate::stores;
use crate::words::path_word;
use arguments::DiffArgs;
use std::path::{Path, PathBuf};
use truesum::Mapping;
use truesum::audit::Options;

/// Runs the command.
pub fn run(args: DiffArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let mut old_and_new = [args.old, args.new].map(PathBuf::from);
    let stores = match stores::as_sides(&mut old_and_new, &args.reading.algorithm) {
        Ok(stores) => stores,
        Err(refusal) => return console.refuse(&refusal),
    };
    let [old, new] = old_and_new;
    let has_store = !stores.is_empty();
    if old == Path::new("-") && new == Path::new("-") {
        return console.refuse(&Refusal::new("diff: only one side can be standard input"));
    }
    let (read, notes) = match args.reading.options(&[&old, &new]) {
        Ok(read) => read,
        Err(refusal) => return console.refuse(&refusal),
    };
    if !args.quiet && !args.status {
        notes.iter().for_each(|note| console.note(note));
    }
    if has_store
        && let Err(refusal) = stores::refuse(&[
            ("--root", args.root.is_some()),
            ("--newer and --older", args.filter.newer.is_some() || args.filter.older.is_some()),
        ])
    {
        return console.refuse(&refusal);
    }
    if args.root.is_some() && old.is_dir() == new.is_dir() {
        return console.refuse(&Refusal::new("diff: --root requires a manifest and a folder"));
    }
    let select = match selection(&args.filter.wanted().only(args.only.only)) {
        Ok(select) => select,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet || args.status);
    let read = read.root(args.root).threads(reporting.threads).mapping(Mapping::Guarded).select(select);
    let options = Options::default().read(read).stores(stores);
    if has_store && reporting.notes {
        console.note("compared with the checksums that the object store recorded; objects are not read");
    }
    let otherwise = || {
        let [old, new] = [&old, &new].map(path_word);
        format!("to compare the bytes of two files: cmp {old} {new}")
    };
    let style = OutputStyle {
        form: match (args.json, args.status) {
            (true, _) => ResultForm::Json,
            (_, true) => ResultForm::Silent,
            _ => ResultForm::Lines,
        },
        schema: "truesum-diff/1",
        one_sided: ["removed", "added"],
        sides: ["in OLD", "in NEW"],
        same: false,
        moved_passes: false,
        ending: if args.run.verbose && !args.json { Ending::Short } else { Ending::None },
        quiet: false,
        of_folder: old.is_dir() || new.is_dir(),
        otherwise: (old.is_file() && new.is_file()).then(otherwise),
        html: None,
        template: None,
    };
    compare(&style, options, reporting.line, console, |comparison, on_event| {
        comparison.diff(&old, &new, on_event)
    })
}
