//! The summary of a `hash` run, as text or a JSON object.

use crate::advice::Trouble;
use crate::ending::{lines, rate};
use crate::hash::RunCounts;
use crate::objects::{add, begin, end_summary};
use crate::selection;
use crate::words::count;
use std::path::Path;
use std::time::Duration;
use truesum::Summary;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// Returns the summary line: how many files, how fast, and what was left out.
pub fn short(summary: &Summary, counts: &RunCounts, time: Duration) -> String {
    let left_out = match counts.left_out.files() + counts.left_out.folders() {
        0 => String::new(),
        _ => format!("; {} excluded", selection::not_selected(counts.left_out)),
    };
    format!("truesum: {}, {}{left_out}", count(summary.files(), "file", "files"), rate(summary.bytes(), time))
}

/// Returns the lines of the long summary: where the files are listed, what was skipped, and advice
/// for each kind of failure.
pub fn long(summary: &Summary, counts: &RunCounts, specs: &[Spec], output: Option<&Path>) -> String {
    let mut rows = Vec::new();
    let mut row = |name: &str, number: u64, text: String| {
        if number > 0 {
            rows.push((name.to_owned(), text));
        }
    };
    let names: Vec<String> = specs.iter().map(Spec::to_string).collect();
    row("digests", 1, names.join(", "));
    let listed = summary.files() - counts.refused;
    if let Some(output) = output {
        let output = display_safe(output.as_os_str().as_bytes());
        row("listed", 1, format!("{} in {output}", count(listed, "file", "files")));
    }
    let left_out = counts.left_out.files() + counts.left_out.folders();
    row("left out", left_out, selection::not_selected(counts.left_out));
    row(
        "links",
        counts.links,
        count(counts.links, "symbolic link", "symbolic links") + " not followed (use --follow)",
    );
    let temporary = count(counts.temporary, "temporary file of another run", "temporary files of other runs");
    row("temporary", counts.temporary, temporary + ", not hashed");
    row("UNREADABLE", summary.unreadable(), Trouble::Unreadable.advice().to_owned());
    row("MISSING", summary.missing(), "does not exist: check the spelling of the name".to_owned());
    row("CHANGED or IN USE", summary.changed(), Trouble::Busy.advice().to_owned());
    row("not listed", counts.refused, "the format cannot store the entry; use --json".to_owned());
    lines(&rows)
}

/// Returns the summary as a JSON object in one line.
pub fn object(summary: &Summary, counts: &RunCounts, time: Duration, exit: u8) -> String {
    let (files, bytes, missing) = (summary.files(), summary.bytes(), summary.missing());
    let (changed, unreadable) = (summary.changed(), summary.unreadable());
    let RunCounts { refused, links, temporary, left_out, .. } = counts;
    let (left, folders) = (left_out.files(), left_out.folders());
    let mut out = Vec::new();
    begin("truesum-hash/1", "summary", &mut out);
    add(
        &mut out,
        format_args!(
            ",\"files\":{files},\"missing\":{missing},\"changed\":{changed},\"unreadable\":{unreadable},\
             \"refused\":{refused},\"left_out\":{{\"files\":{left},\"folders\":{folders}}},\"links\":{links},\
             \"temporary\":{temporary},\"bytes\":{bytes}"
        ),
    );
    end_summary([], time.as_secs_f64(), exit, &mut out);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}
