//! `truesum scrub --status` and `--log`: what a state contains, without reading any file.

use crate::objects::{self, add, begin, end, path, text};
use crate::origin::rfc3339;
use crate::scrub::report::{SCHEMA, in_the_last, percent, word};
use crate::words::{clock, count, grouped, rules, size};
use std::fmt::Write;
use truesum::manifest::Time;
use truesum::manifest::path::display_safe;
use truesum::scrub::{AGES, Coverage, Overview, Run};
use truesum_fs::name::OsStrExt;

/// Returns the words for the age classes.
pub fn ages() -> Vec<String> {
    let first = in_the_last(AGES[0]);
    let others = AGES.windows(2).map(|limits| format!("{} to {} days ago", limits[0], limits[1]));
    let last = format!("more than {} days ago", AGES[AGES.len() - 1]);
    [first].into_iter().chain(others).chain([last, "never".to_owned()]).collect()
}

/// Returns the number of whole seconds between two times, or 0 if the clock was set back.
pub fn seconds(from: Time, to: Time) -> u64 {
    to.seconds.saturating_sub(from.seconds).max(0) as u64
}

/// Returns the status for users.
pub fn status(overview: &Overview) -> String {
    let coverage = overview.coverage();
    let all = coverage.all();
    let names: Vec<String> = overview.algorithms().iter().map(ToString::to_string).collect();
    let mut out = String::new();
    let root = display_safe(overview.root().as_os_str().as_bytes());
    let created = rfc3339(overview.created());
    let _ = writeln!(out, "folder: {root}");
    let _ = match overview.collection() {
        true => writeln!(out, "state file created: {created}"),
        false => writeln!(out, "state file created: {created}, {}", names.join(",")),
    };
    if overview.collection() {
        let _ = writeln!(out, "manifests and bags: {}", grouped(coverage.manifests()));
    }
    if !overview.rules().is_empty() {
        let _ = writeln!(out, "rules: {}", rules(overview.rules()));
    }
    let _ = writeln!(out, "recorded: {}, {}", count(all.files(), "file", "files"), size(all.bytes()));
    let share = percent(coverage.within().weight(), all.weight());
    let _ = writeln!(out, "verified {}: {share}", in_the_last(overview.within()));
    let _ = writeln!(out, "oldest verification: {}", oldest(coverage));
    let _ = writeln!(out, "last read:");
    for (name, amount) in ages().iter().zip(coverage.ages()).filter(|(_, amount)| amount.files() > 0) {
        let share = percent(amount.weight(), all.weight());
        let files = count(amount.files(), "file", "files");
        let _ = writeln!(out, "  {name}: {files}, {}, {share}", size(amount.bytes()));
    }
    let due = coverage.due();
    let _ =
        writeln!(out, "due in the next run: {}, {}", count(due.files(), "file", "files"), size(due.bytes()));
    if let Some(run) = overview.runs().last() {
        let _ = writeln!(out, "last run: {}", log_line(run).replace('\t', ", "));
    }
    let _ = writeln!(out, "open failures: {}", grouped(coverage.failures().len() as u64));
    for (status, name) in coverage.failures() {
        let _ = writeln!(out, "{}\t{}", word(*status), display_safe(name.as_os_str().as_bytes()));
    }
    out
}

/// Returns the time and the name of the oldest verification.
pub fn oldest(coverage: &Coverage) -> String {
    match (coverage.oldest(), coverage.oldest_name()) {
        (Some(time), Some(name)) => {
            format!("{}, {}", rfc3339(time), display_safe(name.as_os_str().as_bytes()))
        }
        _ => "none".to_owned(),
    }
}

/// Returns the status as one JSON object.
pub fn status_object(overview: &Overview) -> Vec<u8> {
    let within = overview.within();
    let coverage = overview.coverage();
    let mut out = Vec::new();
    begin(SCHEMA, "status", &mut out);
    text("root", &String::from_utf8_lossy(overview.root().as_os_str().as_bytes()), &mut out);
    let names: Vec<String> = overview.algorithms().iter().map(|spec| format!("\"{spec}\"")).collect();
    add(
        &mut out,
        format_args!(",\"algorithms\":[{}],\"created\":\"{}\"", names.join(","), overview.created()),
    );
    if overview.collection() {
        add(&mut out, format_args!(",\"manifests\":{}", coverage.manifests()));
    }
    objects::rules(overview.rules(), &mut out);
    let (all, done, due) = (coverage.all(), coverage.within(), coverage.due());
    add(&mut out, format_args!(",\"files\":{},\"bytes\":{}", all.files(), all.bytes()));
    add(
        &mut out,
        format_args!(
            ",\"within_days\":{within},\"within_files\":{},\"within_bytes\":{}",
            done.files(),
            done.bytes()
        ),
    );
    if let Some(time) = coverage.oldest() {
        add(&mut out, format_args!(",\"oldest\":\"{time}\""));
    }
    out.extend_from_slice(b",\"ages\":[");
    for (at, amount) in coverage.ages().iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let limit = AGES.get(at).map_or("null".to_owned(), ToString::to_string);
        let never = at == AGES.len() + 1;
        add(
            &mut out,
            format_args!(
                "{comma}{{\"days\":{limit},\"never\":{never},\"files\":{},\"bytes\":{}}}",
                amount.files(),
                amount.bytes()
            ),
        );
    }
    add(
        &mut out,
        format_args!("],\"due_files\":{},\"due_bytes\":{},\"failures\":[", due.files(), due.bytes()),
    );
    for (at, (status, name)) in coverage.failures().iter().enumerate() {
        add(&mut out, format_args!("{}{{\"standing\":\"{}\"", if at == 0 { "" } else { "," }, word(*status)));
        path(name.as_os_str().as_bytes(), &mut out);
        out.push(b'}');
    }
    out.push(b']');
    end(&mut out);
    out
}

/// Returns the status in the text exposition format of Prometheus.
pub fn prometheus(overview: &Overview) -> String {
    let coverage = overview.coverage();
    let root = String::from_utf8_lossy(overview.root().as_os_str().as_bytes());
    let root = root.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut out = String::new();
    let mut gauge = |name: &str, help: &str, rows: &[(String, String)]| {
        let _ = writeln!(out, "# HELP truesum_scrub_{name} {help}\n# TYPE truesum_scrub_{name} gauge");
        for (labels, value) in rows {
            let _ = writeln!(out, "truesum_scrub_{name}{{root=\"{root}\"{labels}}} {value}");
        }
    };
    let one = |value: u64| vec![(String::new(), value.to_string())];
    gauge("files", "Recorded files.", &one(coverage.all().files()));
    if overview.collection() {
        gauge("manifests", "Recorded manifests and bags.", &one(coverage.manifests()));
    }
    gauge("bytes", "Bytes of recorded files.", &one(coverage.all().bytes()));
    gauge("within_bytes", "Bytes verified in the period set by --within.", &one(coverage.within().bytes()));
    gauge("due_bytes", "Bytes that the next run will read.", &one(coverage.due().bytes()));
    gauge(
        "open_failures",
        "Files that are neither intact nor accepted.",
        &one(coverage.failures().len() as u64),
    );
    let rows: Vec<(String, String)> = ages()
        .iter()
        .zip(coverage.ages())
        .map(|(age, amount)| (format!(",last_verified=\"{age}\""), amount.bytes().to_string()))
        .collect();
    gauge("age_bytes", "Bytes of recorded files, grouped by the time of their last verification.", &rows);
    if let Some(time) = coverage.oldest() {
        let value = vec![(String::new(), time.seconds.to_string())];
        gauge("oldest_verification_timestamp_seconds", "Time of the oldest verification.", &value);
    }
    if let Some(run) = overview.runs().last() {
        let end = run.end().or(run.start()).map_or(0, |time| time.seconds.max(0) as u64);
        gauge("last_run_timestamp_seconds", "Time at which the last run ended.", &one(end));
        gauge("last_run_exit_status", "Exit status of the last run.", &one(run.exit().into()));
    }
    out
}

/// Returns the line of a run: start, duration, host, version, files read, bytes read, failures and exit status,
/// separated by tabs.
fn log_line(run: &Run) -> String {
    let start = run.start().map_or(String::new(), rfc3339);
    let (duration, result) = match (run.start(), run.end()) {
        (Some(from), Some(to)) => {
            let end = match run.exit() {
                // The state does not record which signal interrupted the run.
                130 => "interrupted".to_owned(),
                exit => format!("exit {exit}"),
            };
            (clock(seconds(from, to) as f64), end)
        }
        _ => ("unfinished".to_owned(), "no exit status".to_owned()),
    };
    let (files, failures) =
        (count(run.files(), "file", "files"), count(run.failures(), "failure", "failures"));
    let (host, version) = (display_safe(run.host().as_bytes()), run.version());
    format!("{start}\t{duration}\t{host}\t{version}\t{files}\t{}\t{failures}\t{result}", size(run.bytes()))
}

/// Returns the history for users, one line per run.
pub fn log(overview: &Overview) -> String {
    overview.runs().iter().map(|run| log_line(run) + "\n").collect()
}

/// Returns the history as JSON, one object per run.
pub fn log_objects(overview: &Overview) -> Vec<u8> {
    let mut out = Vec::new();
    for run in overview.runs() {
        begin(SCHEMA, "run", &mut out);
        add(&mut out, format_args!(",\"number\":{}", run.number()));
        for (name, time) in [("start", run.start()), ("end", run.end())] {
            time.into_iter().for_each(|time| add(&mut out, format_args!(",\"{name}\":\"{time}\"")));
        }
        text("host", run.host(), &mut out);
        text("version", run.version(), &mut out);
        let (files, bytes, failures) = (run.files(), run.bytes(), run.failures());
        add(&mut out, format_args!(",\"files\":{files},\"bytes\":{bytes},\"failures\":{failures}"));
        if run.end().is_some() {
            add(&mut out, format_args!(",\"exit\":{}", run.exit()));
        }
        end(&mut out);
    }
    out
}
