//! Formats the results of a check: text for users, JSON lines for programs.
//!
//! Names in text go through `display_safe`, so they are safe to print. JSON lines have the schema
//! `truesum-check/1`; the `kind` of every object is `entry`, `malformed`, `unlisted` or, once and
//! last, `summary`.

use crate::drawing::record::Note;
use crate::locate::Located;
use crate::objects::{self, add, end_summary};
use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use truesum::hash::{Digest, Spec};
use truesum::manifest::path::display_safe;
use truesum::manifest::template::Template;
use truesum::manifest::{Entry, Place, Time, json};
use truesum::{Cause, FileResult, Findings, Job, Moved, Outcome, Renamed, Sample, Seal, Verdict};
use truesum_fs::name::OsStrExt;

/// The name of the JSON schema.
pub const SCHEMA: &str = "truesum-check/1";

/// The amount of text about entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Every entry.
    All,
    /// Only failures.
    Bad,
    /// Nothing.
    None,
}

/// Number of malformed lines reported for each manifest without `--warn`.
pub const NAMED_LINES: u64 = 20;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text { detail: Detail, colors: bool, template: Option<&'static Template> },
    Json { detail: Detail },
}

impl Form {
    /// Returns how much is reported about entries.
    pub fn detail(self) -> Detail {
        match self {
            Form::Text { detail, .. } | Form::Json { detail } => detail,
        }
    }

    /// Returns whether the report is JSON.
    pub fn is_json(self) -> bool {
        matches!(self, Form::Json { .. })
    }

    /// Returns whether nothing is reported about an entry that passes or fails.
    fn omits(self, passes: bool) -> bool {
        self.detail() == Detail::None || (self.detail() == Detail::Bad && passes)
    }
}

/// The names in a report about an entry.
#[derive(Clone, Copy)]
pub struct Names<'n> {
    /// The manifest.
    pub manifest: &'n [u8],
    /// The prefix of entry names in text: the folder to which they are relative, with a slash, if
    /// there may be more than one manifest.
    pub folder: &'n [u8],
}

impl Names<'_> {
    /// Returns the name of an entry as text shows it.
    pub fn shown(&self, name: &[u8]) -> Vec<u8> {
        if name.starts_with(b"/") { name.to_vec() } else { [self.folder, name].concat() }
    }
}

/// Appends the report about an entry; `located` describes the damage. In text, the damage is
/// reported on separate lines.
pub fn entry(form: Form, outcome: &Outcome, names: Names<'_>, located: Option<&Located>, out: &mut Vec<u8>) {
    match form {
        _ if form.omits(is_good(outcome)) => {}
        Form::Text { template: Some(template), .. } => template_line(outcome, template, names.manifest, out),
        Form::Text { colors, .. } => text(outcome, &names.shown(outcome.job.name()), colors, out),
        Form::Json { .. } => object(outcome, names.manifest, located, out),
    }
}

/// Appends the report about an entry whose content was found under another name.
pub fn moved(
    form: Form,
    outcome: &Outcome,
    moved: &Moved<'_>,
    passes: bool,
    names: Names<'_>,
    out: &mut Vec<u8>,
) {
    let (job, name) = (&outcome.job, moved.name().as_os_str().as_bytes());
    match form {
        _ if form.omits(passes) => {}
        Form::Text { template: Some(template), .. } => {
            let digests = job.specs().iter().cloned().zip(job.expected().iter().cloned()).collect();
            let size = Some(moved.found().size());
            let entry = Entry { path: job.name().to_vec(), size, digests, ..Entry::default() };
            template.render_compared(&entry, "moved", names.manifest, out);
        }
        Form::Text { colors, .. } => {
            let color = if passes { AnsiColor::Green } else { AnsiColor::Yellow };
            let style = if colors { color.on_default() } else { Style::new() };
            let [listed, name] = [job.name(), name].map(|name| display_safe(&names.shown(name)));
            add(out, format_args!("{listed}: {style}MOVED{style:#} to {name}\n"));
        }
        Form::Json { .. } => {
            begin("entry", out);
            add(out, format_args!(",\"verdict\":\"moved\","));
            json::path_into(job.name(), out);
            from(names.manifest, job.origin().1, out);
            digests("expected", job.specs(), job.expected(), out);
            alternatives(job, out);
            under("found_as", name, out);
            add(out, format_args!(",\"size\":{}}}\n", moved.found().size()));
        }
    }
}

/// Appends the report about a rename that was carried out or proposed; `folder` is as in [`Names`].
pub fn renamed(form: Form, renamed: &Renamed<'_>, folder: &[u8], out: &mut Vec<u8>) {
    let name = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let (old, new) = (name(renamed.from()), name(renamed.to()));
    match form {
        Form::Text { detail: Detail::None, .. } => {}
        Form::Text { .. } => {
            let names = Names { manifest: b"", folder };
            let (old, new) = (display_safe(&names.shown(&old)), display_safe(&names.shown(&new)));
            match renamed.done() {
                Some(Ok(())) => add(out, format_args!("{old}: RENAMED to {new}\n")),
                Some(Err(_)) => add(out, format_args!("{old}: NOT RENAMED to {new}\n")),
                None => add(out, format_args!("{old}: would be renamed to {new} (use --yes to rename)\n")),
            }
        }
        Form::Json { .. } => {
            begin("rename", out);
            under("from", &old, out);
            under("to", &new, out);
            add(out, format_args!(",\"done\":{}", matches!(renamed.done(), Some(Ok(())))));
            if let Some(Err(error)) = renamed.done() {
                out.extend_from_slice(b",\"reason\":");
                json::string_into(&format!("cannot {}: {}", error.action(), error.reason()), out);
            }
            out.extend_from_slice(b"}\n");
        }
    }
}

/// Appends a name as a JSON object.
fn under(member: &str, name: &[u8], out: &mut Vec<u8>) {
    add(out, format_args!(",\"{member}\":{{"));
    json::path_into(name, out);
    out.push(b'}');
}

/// Returns the name of the file on disk if it is a different spelling of the name in the manifest.
/// Slashes instead of backslashes and absolute names resolved below the folder do not count.
fn respelled_name(outcome: &Outcome) -> Option<&[u8]> {
    let (name, open) = (outcome.job.name(), outcome.job.open()?);
    let slashed = name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte });
    let plain = name == open || name.starts_with(b"/") || slashed.eq(open.iter().copied());
    (!plain).then_some(open)
}

/// Returns whether the entry has no digest that the content can be compared with.
fn job_has_no_digest(outcome: &Outcome) -> bool {
    outcome.result.as_ref().is_ok_and(|found| found.pieces().is_none()) && outcome.job.specs().is_empty()
}

/// Appends a note for each range that is damaged, or not covered, according to digests of pieces.
fn ranges(pieces: &Findings, size: u64, notes: &mut Vec<Note>) {
    for damage in pieces.damaged() {
        let range = damage.range();
        let where_else =
            if damage.shared() { ", or bytes of another file in the same piece are" } else { "" };
        let state = if range.start >= size { "missing" } else { "damaged" };
        let (start, length) = (range.start, range.end - range.start);
        notes.push(Note::Text(format!("{start} {length} {state}{where_else}")));
    }
    if let Some(short) = pieces.short() {
        let text = format!("not verified: the piece digests are too short ({short})");
        notes.push(Note::Text(text));
    }
    for range in pieces.unknown() {
        let why = "no piece covers this range, or its piece also covers a file that cannot be read";
        let (start, length) = (range.start, range.end - range.start);
        notes.push(Note::Text(format!("{start} {length} not verified: {why}")));
    }
}

/// Returns whether an entry passes, as far as its manifest can show.
pub fn is_good(outcome: &Outcome) -> bool {
    match outcome.verdict() {
        Verdict::Verified => true,
        Verdict::Unverified => outcome.job.exempt(),
        _ => false,
    }
}

/// Appends an entry formatted with a template, using the digests and size of the file, not those in
/// the manifest.
fn template_line(outcome: &Outcome, template: &Template, manifest: &[u8], out: &mut Vec<u8>) {
    let mut entry = Entry { path: outcome.job.name().to_vec(), ..Entry::default() };
    if let Ok(found) = &outcome.result {
        let (seconds, nanos) = found.mtime();
        entry.size = Some(found.size());
        entry.mtime = Some(Time { seconds, nanos });
        entry.digests = outcome.job.specs().iter().cloned().zip(found.digests().iter().cloned()).collect();
    }
    template.render_compared(&entry, outcome.verdict().word(), manifest, out);
}

fn text(outcome: &Outcome, name: &[u8], colors: bool, out: &mut Vec<u8>) {
    let verdict = outcome.verdict();
    let color = match verdict {
        Verdict::Verified => AnsiColor::Green,
        Verdict::Unverified => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    let style = if colors { color.on_default() } else { Style::new() };
    let word = word(outcome);
    let mut line = format!("{}: {style}{word}{style:#}", display_safe(name));
    if let Some(name) = respelled_name(outcome) {
        line += &format!(" (as {})", display_safe(name));
    }
    if let Some(reason) = reason(outcome) {
        line += &format!(" ({reason})");
    }
    line.push('\n');
    line += &differences(outcome).iter().map(Note::lines).collect::<String>();
    out.extend_from_slice(line.as_bytes());
}

/// Returns the word for the verdict of an outcome.
pub fn word(outcome: &Outcome) -> &'static str {
    match outcome.verdict() {
        Verdict::Verified | Verdict::Hashed => "OK",
        Verdict::Mismatch => "FAILED",
        Verdict::Unverified => "NOT VERIFIED",
        Verdict::Missing => "MISSING",
        Verdict::Changed if is_in_use(outcome) => "IN USE",
        Verdict::Changed => "CHANGED during the read",
        Verdict::Unreadable => "UNREADABLE",
    }
}

/// Returns whether the file was not read because another program has it open for writing.
fn is_in_use(outcome: &Outcome) -> bool {
    outcome.result.as_ref().is_err_and(|error| matches!(error.cause(), Cause::InUse))
}

/// Returns the reason why an entry could not be verified.
pub fn reason(outcome: &Outcome) -> Option<String> {
    match (outcome.verdict(), &outcome.result) {
        (Verdict::Unreadable | Verdict::Changed, Err(error)) => {
            Some(format!("cannot {}: {}", error.action(), error.reason()))
        }
        (Verdict::Unverified, _) if job_has_no_digest(outcome) => {
            Some("no digest in the manifest".to_owned())
        }
        (Verdict::Mismatch, _) if outcome.has_only_shared_damage() => Some(
            "its damaged piece also contains bytes of other files, so this file may be intact".to_owned(),
        ),
        _ => None,
    }
}

/// Returns the differences between a file and its entry.
pub fn differences(outcome: &Outcome) -> Vec<Note> {
    let verdict = outcome.verdict();
    let mut notes = Vec::new();
    let digests = |name: String, expected: &Digest, actual: &Digest| {
        let (expected, actual) = (expected.to_string(), actual.to_string());
        Note::Differs { name, expected, actual }
    };
    if let (Verdict::Mismatch | Verdict::Unverified, Ok(found)) = (verdict, &outcome.result)
        && let Some(pieces) = found.pieces()
    {
        ranges(pieces, found.size(), &mut notes);
        let different = pieces.compared().iter().filter(|one| one.expected() != one.found());
        notes.extend(different.map(|one| digests(one.name().to_string(), one.expected(), one.found())));
    }
    if let (Verdict::Mismatch, Ok(found)) = (verdict, &outcome.result) {
        if let Some(size) = outcome.job.size().filter(|size| *size != found.size()) {
            notes.push(Note::Size { expected: size, actual: found.size() });
            // Only documents state the size of a file next to its pieces.
            if found.pieces().is_some()
                && found.size() > size
                && matches!(outcome.job.origin().1, Place::Line(_))
            {
                let text = format!("bytes from {size} were appended, or the end of the list is missing");
                notes.push(Note::Text(text));
            }
        }
        let wanted = outcome.job.specs().iter().zip(outcome.job.expected());
        for ((spec, expected), actual) in wanted.zip(found.digests()) {
            if expected != actual {
                notes.push(digests(spec.to_string(), expected, actual));
            }
        }
    }
    notes
}

fn object(outcome: &Outcome, manifest: &[u8], located: Option<&Located>, out: &mut Vec<u8>) {
    let verdict = outcome.verdict().word();
    let job = &outcome.job;
    begin("entry", out);
    add(out, format_args!(",\"verdict\":\"{verdict}\","));
    json::path_into(job.name(), out);
    from(manifest, job.origin().1, out);
    let own = outcome.result.as_ref().ok().and_then(|found| found.pieces());
    let own = own.map_or(&[][..], |pieces| pieces.compared());
    match own.is_empty() {
        true => digests("expected", job.specs(), job.expected(), out),
        false => members("expected", own.iter().map(|one| (one.name(), one.expected())), out),
    }
    alternatives(job, out);
    let is_listed = |found: &FileResult| found.pieces().is_none_or(|pieces| !pieces.open_end());
    if let Some(size) = job.size().filter(|_| outcome.result.as_ref().ok().is_none_or(is_listed)) {
        add(out, format_args!(",\"expected_size\":{size}"));
    }
    if let Some(name) = respelled_name(outcome) {
        under("found_as", name, out);
    }
    match &outcome.result {
        Ok(found) => {
            match own.is_empty() {
                true => digests("actual", job.specs(), found.digests(), out),
                false => members("actual", own.iter().map(|one| (one.name(), one.found())), out),
            }
            add(
                out,
                format_args!(",\"size\":{},\"seconds\":{:.9}", found.size(), found.time().as_secs_f64()),
            );
            if let Some(pieces) = found.pieces() {
                spans("damaged", pieces.damaged().iter().map(|damage| damage.range()), out);
                spans("unknown", pieces.unknown().iter(), out);
                if !pieces.uncovered().is_empty() {
                    spans("uncovered", pieces.uncovered().iter(), out);
                }
            }
        }
        Err(error) => {
            out.extend_from_slice(b",\"reason\":");
            json::string_into(&format!("cannot {}: {}", error.action(), error.reason()), out);
        }
    }
    if let Some(located) = located {
        located.member(out);
    }
    out.extend_from_slice(b"}\n");
}

/// Returns the text about a verified signature.
pub fn seal(seal: &Seal) -> String {
    let shown = |path: &Path| display_safe(path.as_os_str().as_bytes());
    // The console escapes what must not reach a terminal.
    let comment = seal.comment().map(|comment| String::from_utf8_lossy(comment).replace(['\n', '\t'], " "));
    let comment = comment.map(|comment| format!(" (trusted comment: {comment})"));
    format!("{} is signed with the key {}{}", shown(seal.file()), seal.key(), comment.unwrap_or_default())
}

/// Appends a JSON line for a verified signature.
pub fn signed(seal: &Seal, out: &mut Vec<u8>) {
    begin("signature", out);
    out.push(b',');
    json::path_into(seal.file().as_os_str().as_bytes(), out);
    add(out, format_args!(",\"key\":\"{}\"}}\n", seal.key()));
}

/// Appends a JSON line for a file that is not in the manifest.
pub fn unlisted(name: &[u8], out: &mut Vec<u8>) {
    begin("unlisted", out);
    out.push(b',');
    json::path_into(name, out);
    out.extend_from_slice(b"}\n");
}

/// Appends the last JSON line: the counts by name, whether only a part was checked, and the
/// manifests with their digests.
pub fn summary(
    counts: &[(&str, u64)],
    part: bool,
    sample: Option<&Sample>,
    manifests: &[(Vec<u8>, Option<Digest>)],
    seconds: f64,
    exit: u8,
    out: &mut Vec<u8>,
) {
    begin("summary", out);
    for (name, count) in counts {
        add(out, format_args!(",\"{name}\":{count}"));
    }
    add(out, format_args!(",\"part\":{part}"));
    if let Some(sample) = sample {
        let (percent, seed) = (sample.share().percent(), sample.seed());
        add(out, format_args!(",\"sample\":{{\"percent\":{percent},\"seed\":{seed}}}"));
    }
    end_summary(manifests.iter().map(|(name, digest)| (&name[..], digest.as_ref())), seconds, exit, out);
}

fn begin(kind: &str, out: &mut Vec<u8>) {
    objects::begin(SCHEMA, kind, out);
}

fn from(manifest: &[u8], at: Place, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"manifest\":");
    json::string_into(&String::from_utf8_lossy(manifest), out);
    match at {
        Place::Line(number) => add(out, format_args!(",\"line\":{number}")),
        Place::Byte(number) => add(out, format_args!(",\"byte\":{number}")),
    }
}

fn digests(name: &str, specs: &[Spec], digests: &[Digest], out: &mut Vec<u8>) {
    members(name, specs.iter().zip(digests), out);
}

/// Appends the digests that are accepted instead of the expected ones, by algorithm, if there are any.
fn alternatives(job: &Job, out: &mut Vec<u8>) {
    let of = |spec: &Spec| -> Vec<String> {
        let others = job.alternatives().iter().filter(|(of, _)| of == spec);
        others.map(|(_, digest)| format!("\"{digest}\"")).collect()
    };
    let all = job.specs().iter().map(|spec| (spec, of(spec))).filter(|(_, others)| !others.is_empty());
    let members: Vec<String> =
        all.map(|(spec, others)| format!("\"{spec}\":[{}]", others.join(","))).collect();
    if !members.is_empty() {
        add(out, format_args!(",\"alternatives\":{{{}}}", members.join(",")));
    }
}

fn members<'d, N: Display>(name: &str, digests: impl Iterator<Item = (N, &'d Digest)>, out: &mut Vec<u8>) {
    add(out, format_args!(",\"{name}\":{{"));
    for (at, (spec, digest)) in digests.enumerate() {
        add(out, format_args!("{}\"{spec}\":\"{digest}\"", if at == 0 { "" } else { "," }));
    }
    out.push(b'}');
}

fn spans<'a>(name: &str, ranges: impl Iterator<Item = &'a Range<u64>>, out: &mut Vec<u8>) {
    add(out, format_args!(",\"{name}\":["));
    for (at, range) in ranges.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        add(out, format_args!("{comma}[{},{}]", range.start, range.end - range.start));
    }
    out.push(b']');
}
