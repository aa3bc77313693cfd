//! `convert -a`: one read of each file verifies the digests of the old manifest and computes those of the new one.

use super::{ConvertArgs, IN_MEMORY, NotWritten};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::options::Reporting;
use crate::selection::{literal, unmatched_reason};
use crate::watch::Watch;
use crate::words::{SAME_OPTIONS, count, not_shown, path_word, shell_word, size};
use std::ffi::OsStr;
use std::io::{self, BufWriter, Seek, SeekFrom};
use tempfile::{SpooledTempFile, spooled_tempfile};
use truesum::hash::Spec;
use truesum::manifest::path::{alternatives, display_safe};
use truesum::manifest::{self, Entry, Format, Heading, Rules, Signer, Time, WriteError, Writer};
use truesum::{Error, Event, Job, Mapping, Outcome, ReadOptions, Report, Selection, Verdict, Verification};
use truesum_fs::name::OsStrExt;

/// Maximum number of malformed lines that are reported individually.
const SHOWN: u64 = 10;

/// The verified entries of a manifest, with new digests.
pub struct Verified {
    /// The entries as JSON Lines; the read position is at the beginning.
    pub text: SpooledTempFile,
    /// The kind of signature that the old manifest has.
    pub signer: Option<Signer>,
    /// The rules of the old manifest.
    pub rules: Rules,
}

/// Verifies the selected entries of a manifest. Sizes and times that it does not have are added if `format` stores them.
///
/// # Errors
/// Fails if an entry could not be verified, or the manifest could not be read.
pub fn read(
    args: &ConvertArgs,
    format: &'static Format,
    select: Selection,
    reporting: Reporting,
    watch: &Watch,
    console: &mut Console,
) -> Result<Verified, NotWritten> {
    let name = args.input.as_os_str().as_bytes();
    if args.input.is_dir() {
        let text = format!("{}: not converted: it is a folder", display_safe(name));
        return Err(NotWritten::Refused(Refusal::with_hint(text, "specify one of the manifests in it")));
    }
    let read = ReadOptions::default()
        .algorithms(args.from_algorithm.clone())
        .format(args.from)
        .root(args.root.clone())
        .select(select)
        .threads(reporting.threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded);
    let options = truesum::Options::from(read).also(args.algorithm.clone());
    let lines = manifest::format("jsonl").expect("a row of the table of formats");
    let writer = Writer::new(BufWriter::new(spooled_tempfile(IN_MEMORY)), lines, &Heading::default());
    let mut rewriting = Rewriting {
        args,
        format,
        console,
        writer,
        malformed: 0,
        signer: None,
        rules: Rules::default(),
        lacking: false,
        renamed: 0,
        failed: None,
    };
    let mut verification = Verification::new(&options, &watch.progress);
    let scratch =
        |error| Error::io(std::env::temp_dir().as_os_str().as_bytes(), "write a temporary file", error);
    let done = verification.manifests(&[&args.input], &mut |event| rewriting.event(&event));
    done.map_err(scratch)?;
    let Rewriting { writer, console, signer, rules, lacking, renamed, failed, .. } = rewriting;
    let report = verification.report();
    if let Some(refusal) = refusal(args, report, lacking, failed) {
        return Err(refusal);
    }
    if renamed > 0 {
        let names = count(renamed, "name is", "names are");
        console
            .note(&format!("{names} written with / instead of \\, to match the names of the verified files"));
    }
    for (name, entries) in report.not_tamper_evident() {
        let entries = count(*entries, "entry", "entries");
        console.note(&format!("{entries} verified with {name}: {}", not_shown(name)));
    }
    let files = count(report.counts().verified(), "file", "files");
    console.note(&format!("{files} verified, {} read", size(report.counts().bytes())));
    let text = match writer.finish() {
        Ok(text) => text.into_inner().map_err(|error| scratch(error.into_error()))?,
        Err(error) => return Err(scratch(io::Error::other(error)).into()),
    };
    let mut text = text;
    text.seek(SeekFrom::Start(0)).map_err(scratch)?;
    Ok(Verified { text, signer, rules })
}

/// Returns why nothing is written; `None` if every selected entry was verified. `first` is the name of the first entry that
/// could not be verified.
fn refusal(args: &ConvertArgs, report: &Report, lacking: bool, first: Option<Vec<u8>>) -> Option<NotWritten> {
    let name = display_safe(args.input.as_os_str().as_bytes());
    let verdict = report.verdict();
    if verdict.exit_status() == Exit::Done.code() && !lacking {
        return None;
    }
    let (text, hint) = if report.counts().failed() > 0 {
        let failed = count(report.counts().failed(), "entry", "entries");
        let text = format!("{name}: not converted: {failed} could not be verified");
        let word = path_word(&args.input);
        let only = first.filter(|_| report.counts().failed() == 1);
        // Anchored, because other folders may contain a file with the same name.
        let anchored = |name: Vec<u8>| {
            let glob = literal(OsStr::from_bytes(&name)).into_string().unwrap_or_else(|_| "NAME".to_owned());
            shell_word(format!("/{}", glob.trim_start_matches('/')))
        };
        let excluded = only.map_or_else(|| "NAME".to_owned(), anchored);
        let hint = format!(
            "to leave out a file that cannot be restored: truesum convert{SAME_OPTIONS} --exclude {excluded} {word}"
        );
        return Some(NotWritten::Unverified(Refusal::with_hint(text, hint)));
    } else if lacking || report.counts().unverified() > 0 {
        (
            "at least one entry has no digest of the complete file",
            Some("to write a new manifest of the files: truesum hash -o NEW DIR"),
        )
    } else if report.counts().malformed() > 0 {
        (
            "it has malformed lines",
            Some(
                "if the lines are valid, specify their algorithm with --from-algorithm NAME or their format with --from FORMAT",
            ),
        )
    } else if report.nothing_selected() {
        ("all entries were excluded", None)
    } else {
        ("nothing was verified", None)
    };
    let text = format!("{name}: not converted: {text}");
    Some(NotWritten::Refused(Refusal { text, hint: hint.map(str::to_owned) }))
}

/// Writes verified entries and reports the others.
struct Rewriting<'a> {
    args: &'a ConvertArgs,
    format: &'static Format,
    console: &'a mut Console,
    writer: Writer<BufWriter<SpooledTempFile>>,
    malformed: u64,
    signer: Option<Signer>,
    rules: Rules,
    /// Whether a new digest of a verified entry was not computed.
    lacking: bool,
    /// Number of entries whose names are replaced by those of their files.
    renamed: u64,
    /// The name of the first entry that could not be verified.
    failed: Option<Vec<u8>>,
}

impl Rewriting<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Entry(_, outcome) => return self.entry(outcome),
            Event::Malformed(manifest, line) => {
                self.malformed += 1;
                if self.malformed <= SHOWN {
                    self.console.error_of(manifest.name().as_os_str().as_bytes(), &line.to_string());
                }
            }
            Event::Checked(_, checked) => {
                self.signer = checked.unverified_signature();
                self.rules = checked.rules().to_vec().into();
                if let Some(error) = checked.failed() {
                    self.console.failure(error);
                }
            }
            Event::Failed(error) => self.console.failure(error),
            Event::Doubtful(doubt) => {
                self.console.note(&format!("{}: {}", display_safe(doubt.name()), doubt.reason()));
            }
            Event::Unmatched(name) => self.console.error_of(name.name().as_bytes(), unmatched_reason(name)),
            _ => {}
        }
        Ok(())
    }

    /// Returns the name of the file that was verified: `sub/f` for an entry `sub\f` from Windows.
    fn name(&mut self, job: &Job) -> Vec<u8> {
        let opened = alternatives(job.name()).find(|name| job.open() == Some(name));
        if opened.is_some() {
            self.renamed += 1;
        }
        opened.unwrap_or_else(|| job.name().to_vec())
    }

    /// Writes an entry if its old digests matched in this read.
    fn entry(&mut self, outcome: &Outcome) -> io::Result<()> {
        let job = &outcome.job;
        let found = match (outcome.verdict(), &outcome.result) {
            (Verdict::Verified, Ok(found)) => found,
            (Verdict::Unverified, _) if job.exempt() => {
                self.console.note(&format!("{}: left out: it has no digest", display_safe(job.name())));
                return Ok(());
            }
            (_, result) => {
                self.failed.get_or_insert_with(|| job.name().to_vec());
                match result {
                    Err(error) => self.console.failure(error),
                    Ok(_) => self.console.error_of(job.name(), &difference(outcome)),
                }
                return Ok(());
            }
        };
        let digest = |spec: &Spec| {
            let at = job.specs().iter().position(|computed| computed == spec)?;
            Some((spec.clone(), found.digests().get(at)?.clone()))
        };
        let Some(digests) = self.args.algorithm.iter().map(digest).collect::<Option<Vec<_>>>() else {
            self.lacking = true;
            self.console.error_of(
                job.name(),
                "no new digest was computed, because the file was verified piece by piece",
            );
            return Ok(());
        };
        let (seconds, nanos) = found.mtime();
        let entry = Entry {
            path: self.name(job),
            size: Some(found.size()),
            mtime: Some(Time { seconds, nanos }),
            digests,
            ..Entry::default()
        };
        // Details that the format cannot store count as lost only if the old manifest had them.
        let kept = self.format.capabilities().as_read(&entry);
        let entry = Entry {
            size: job.size().and(entry.size).or(kept.size),
            mtime: job.mtime().and(entry.mtime).or(kept.mtime),
            ..entry
        };
        match self.writer.write(&entry) {
            Ok(()) => Ok(()),
            Err(WriteError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// Returns how a file differs from its entry.
fn difference(outcome: &Outcome) -> String {
    let job = &outcome.job;
    let Ok(found) = &outcome.result else { return String::new() };
    if job.expected().is_empty() {
        return "not verified: the manifest has no digest of this file".to_owned();
    }
    if let Some(size) = job.size().filter(|size| *size != found.size()) {
        return format!(
            "does not match: the size is {} instead of {size}",
            count(found.size(), "byte", "bytes")
        );
    }
    let mut digests = job.specs().iter().zip(job.expected()).zip(found.digests());
    match digests.find(|((spec, expected), found)| !spec.agree(expected, found)) {
        Some(((spec, expected), found)) => {
            format!("does not match: expected {spec} {expected}, found {found}")
        }
        None => "does not match its piece digests".to_owned(),
    }
}
