//! The HTML page that shows the state of an archive: open failures, how recently the files of each folder were verified,
//! and the runs. The size of the page is limited.

use crate::advice::Trouble;
use crate::drawing::record::{Heading, Record, Tone};
use crate::drawing::xml::escaped;
use crate::locate::Locate;
use crate::origin;
use crate::scrub::overview::{ages, oldest, seconds};
use crate::scrub::report::{in_the_last, percent, word};
use crate::words::{clock, count, grouped, size};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use truesum::audit::FileStatus;
use truesum::manifest::path::display_safe;
use truesum::scrub::{AGES, Amount, Folder, Overview, Run};
use truesum::{Progress, Root};
use truesum_fs::machine;
use truesum_fs::name::OsStrExt;

/// The number of runs in the chart.
const CHARTED: usize = 90;
/// The maximum number of files that are read again to locate the damage.
const MAPPED: usize = 100;
/// The number of runs in the table.
const LISTED: usize = 30;

/// The width of a bar and the height of the chart, in their own units.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 160;

/// Returns the heading and the sections of the page of a state that promises `within` days.
pub fn page(overview: &Overview, within: u64) -> (Record, Heading) {
    let (coverage, mut record) = (overview.coverage(), Record::default());
    record.section("Last verification", &folders(overview, within));
    record.section("Runs", &runs(overview.runs()));
    for (status, name) in coverage.failures() {
        record.failure(Tone::Bad, word(*status), name.as_os_str().as_bytes(), &[]);
    }
    let failures = coverage.failures().len() as u64;
    let period = in_the_last(within);
    let verified = percent(coverage.within().weight(), coverage.all().weight());
    let (all, due, never) = (coverage.all(), coverage.due(), coverage.ages()[AGES.len() + 1]);
    let is_late = failures == 0 && verified != "100%";
    let verdict = match (failures, is_late) {
        (0, false) => (Tone::Good, "Intact"),
        (0, true) => (Tone::Unsure, "Not fully verified"),
        _ => (Tone::Bad, "FAILED"),
    };
    let sentence = format!(
        "{verified} of {} ({}) verified {period}. {}.",
        count(all.files(), "file", "files"),
        size(all.bytes()),
        match failures {
            0 => "Nothing is wrong".to_owned(),
            _ => count(failures, "open failure", "open failures"),
        }
    );
    let now = origin::rfc3339(origin::now());
    let names: Vec<String> = overview.algorithms().iter().map(ToString::to_string).collect();
    let facts = vec![
        ("Date", format!("{} {} UTC", &now[..10], &now[11..19])),
        ("Folder", display_safe(overview.root().as_os_str().as_bytes())),
        ("Recorded", format!("{}, {}", count(all.files(), "file", "files"), size(all.bytes()))),
        ("Oldest verification", oldest(coverage)),
        ("Due in the next run", format!("{}, {}", count(due.files(), "file", "files"), size(due.bytes()))),
        match overview.collection() {
            true => ("Manifests and bags", grouped(coverage.manifests())),
            false => ("Algorithms", names.join(", ")),
        },
        ("State file created", origin::rfc3339(overview.created())),
        ("Machine", format!("{} ({} {})", origin::host(), machine::system(), machine::architecture())),
    ];
    let mut counts: Vec<(Tone, String, u64, Option<Trouble>)> = Vec::new();
    for status in FileStatus::ALL {
        let number = coverage.failures().iter().filter(|(other, _)| *other == status).count() as u64;
        if number > 0 {
            counts.push((Tone::Bad, word(status).to_owned(), number, trouble(status)));
        }
    }
    if counts.is_empty() {
        counts.push((Tone::Bad, "open failures".to_owned(), 0, None));
    }
    counts.push((Tone::Unsure, "never verified".to_owned(), never.files(), None));
    counts.push((Tone::Good, format!("verified {period}"), coverage.within().files(), None));
    let subject = format!("archive {}", display_safe(overview.root().as_os_str().as_bytes()));
    (record, Heading { verdict, subject, sentence, labels: Vec::new(), facts, counts })
}

/// Adds a map of the damage to each corrupt file that has a stored tree next to it. These files are read again.
pub fn add_damage(
    overview: &Overview,
    folder: &Path,
    (threads, progress): (usize, &Progress),
    record: &mut Record,
) {
    let Ok(root) = Root::folder(folder, false) else { return };
    let locate = Locate::new(&root, None, threads, progress);
    let corrupt = overview.coverage().failures().iter().filter(|(status, _)| *status == FileStatus::Corrupt);
    let names = corrupt.map(|(_, name)| truesum_fs::name::of(name));
    let has_tree = |name: &[u8]| root.exists(OsStr::from_bytes(&[name, b".ftr"].concat()));
    for name in names.filter(|name| has_tree(name)).take(MAPPED) {
        let located = locate.by_tree(&name, &|_| None);
        if located.has_ranges() {
            record.map(|| located.section(&name));
        }
    }
}

/// Returns the kind of failure for advice.
fn trouble(status: FileStatus) -> Option<Trouble> {
    match status {
        FileStatus::Corrupt => Some(Trouble::Corrupt),
        FileStatus::Restored => Some(Trouble::Restored),
        FileStatus::MovedModified => Some(Trouble::MovedModified),
        _ => None,
    }
}

/// Returns the class and the opacity of the color of an age: green within the promised days, amber beyond, grey for never.
fn color(age: usize, within: u64) -> (&'static str, u32) {
    let is_in_time = |age: usize| AGES.get(age).is_some_and(|&limit| limit <= within);
    match age {
        _ if is_in_time(age) => ("g", 100 - 20 * age as u32),
        _ if age <= AGES.len() => {
            let first = (0..age).filter(|&other| !is_in_time(other)).count() as u32;
            ("u", (40 + 20 * first).min(100))
        }
        _ => ("m", 100),
    }
}

/// Returns a bar that shows the shares of the ages.
fn bar(all: Amount, of: &[Amount], within: u64) -> String {
    let mut html = format!(
        "<svg viewBox=\"0 0 {WIDTH} 18\" height=\"18\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Ages\">"
    );
    let (mut begin, mut weight) = (0, 0u64);
    for (age, amount) in of.iter().enumerate().filter(|(_, amount)| amount.files() > 0) {
        weight = weight.saturating_add(amount.weight());
        let end = (u128::from(weight) * u128::from(WIDTH) / u128::from(all.weight().max(1))) as u64;
        let (class, opacity) = color(age, within);
        // Even the smallest share is visible.
        let width = end.saturating_sub(begin).max(4);
        let title =
            format!("{}: {}, {}", ages()[age], count(amount.files(), "file", "files"), size(amount.bytes()));
        let _ = write!(
            html,
            "<rect class=\"{class}\" fill-opacity=\"{}\" x=\"{begin}\" width=\"{width}\" height=\"18\">\
             <title>{title}</title></rect>",
            f64::from(opacity) / 100.0
        );
        begin = begin.max(end);
    }
    html + "</svg>"
}

/// Returns the table of folders.
fn folders(overview: &Overview, within: u64) -> String {
    let coverage = overview.coverage();
    let mut html = String::from("<p class=\"key more\">");
    for (age, name) in ages().iter().enumerate() {
        let (class, opacity) = color(age, within);
        let opacity = f64::from(opacity) / 100.0;
        let _ = write!(html, "<i class=\"{class}\" style=\"opacity: {opacity}\"></i>{name} ");
    }
    html.push_str(
        "</p>\n<div class=\"table\"><table>\n<tr><th>folder</th><th>files</th><th>size</th><th>failures</th>\
         <th>oldest</th><th>age</th></tr>\n",
    );
    let mut row = |name: &str, all: Amount, failures: u64, oldest: Option<String>, bar: String| {
        let failures = match failures {
            0 => "0".to_owned(),
            _ => format!("<span class=\"word bad\">{}</span>", grouped(failures)),
        };
        let _ = writeln!(
            html,
            "<tr><td><code>{name}</code></td><td>{}</td><td>{}</td><td>{failures}</td><td>{}</td><td>{bar}</td></tr>",
            grouped(all.files()),
            size(all.bytes()),
            oldest.map_or_else(|| "never".to_owned(), |time| time[..10].to_owned()),
        );
    };
    let time = |time: truesum::manifest::Time| time.to_string();
    let total = bar(coverage.all(), coverage.ages(), within);
    let failures = coverage.failures().len() as u64;
    row("all files", coverage.all(), failures, coverage.oldest().map(time), total);
    let shown: Vec<&Folder> = coverage.folders().iter().filter(|folder| folder.all().files() > 0).collect();
    for folder in &shown {
        let name = match folder.name().as_os_str().as_bytes() {
            b"" => "files in the top-level folder".to_owned(),
            name => escaped(&display_safe(name)) + "/",
        };
        let bar = bar(folder.all(), folder.ages(), within);
        row(&name, folder.all(), folder.failures(), folder.oldest().map(time), bar);
    }
    html.push_str("</table></div>\n");
    let files: u64 = shown.iter().map(|folder| folder.all().files()).sum();
    if files < coverage.all().files() {
        let rest = count(coverage.all().files() - files, "file", "files");
        let _ = writeln!(html, "<p class=\"more\">Folders with {rest} in total are not shown.</p>");
    }
    html
}

/// Returns the chart and the table of runs.
fn runs(runs: &[Run]) -> String {
    let charted = &runs[runs.len().saturating_sub(CHARTED)..];
    let most = charted.iter().map(Run::bytes).max().unwrap_or(0).max(1);
    let step = WIDTH / (charted.len() as u64).clamp(20, CHARTED as u64);
    let mut html = format!(
        "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" height=\"{HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Bytes read by each run\">\n"
    );
    for (at, run) in charted.iter().enumerate() {
        let height = (u128::from(run.bytes()) * u128::from(HEIGHT) / u128::from(most)).max(3);
        let class = match (run.end(), run.exit()) {
            (Some(_), 0) => "g",
            (Some(_), 1) => "b",
            _ => "m",
        };
        let _ = writeln!(
            html,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{}</title></rect>",
            at as u64 * step,
            u128::from(HEIGHT) - height,
            step * 4 / 5,
            cells(run).join(", ")
        );
    }
    let last = match charted.len() {
        1 => "run".to_owned(),
        number => format!("{number} runs"),
    };
    let _ = writeln!(
        html,
        "</svg>\n<figcaption class=\"key\">Bytes read by the last {last} (maximum: {}): <i class=\"g\"></i>nothing wrong \
         <i class=\"b\"></i>failures <i class=\"m\"></i>interrupted, or could not run</figcaption>\n</figure>",
        size(most),
    );
    html.push_str(
        "<div class=\"table\"><table>\n<tr><th>start</th><th>duration</th><th>files</th><th>read</th><th>rate</th>\
         <th>failures</th><th>exit</th></tr>\n",
    );
    for run in runs.iter().rev().take(LISTED) {
        let _ = writeln!(html, "<tr><td>{}</td></tr>", cells(run).join("</td><td>"));
    }
    html.push_str("</table></div>\n");
    html
}

/// Returns the cells of a run in the table.
fn cells(run: &Run) -> [String; 7] {
    let start = run.start().map_or(String::new(), origin::rfc3339);
    let (duration, exit) = match (run.start(), run.end()) {
        (Some(from), Some(to)) => (Some(seconds(from, to)), run.exit().to_string()),
        _ => (None, "none".to_owned()),
    };
    // Times are whole seconds.
    let rate =
        duration.filter(|seconds| *seconds > 0).map(|seconds| format!("{}/s", size(run.bytes() / seconds)));
    [
        start.replace('T', " ").replace('Z', ""),
        duration.map_or_else(|| "unfinished".to_owned(), |seconds| clock(seconds as f64)),
        grouped(run.files()),
        size(run.bytes()),
        rate.unwrap_or_default(),
        grouped(run.failures()),
        exit,
    ]
}
