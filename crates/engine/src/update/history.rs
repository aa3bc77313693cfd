//! Adds a list, called a generation, to the history of an ASC media hash list.
//!
//! Earlier lists are never changed, so nothing is accepted or removed: a file that differs from the history is recorded as
//! `failed`, a missing one is only reported, and the new digest of a file never replaces the old one. A history can thus be
//! updated although some of its files differ.

use super::changes::usual;
use super::outcome::{Action, Event, Observer};
use super::{Update, now};
use crate::audit::comparison::{FOUND, LISTED};
use crate::audit::row::Row;
use crate::audit::{Event as AuditEvent, FileStatus};
use crate::content::set::NONE;
use crate::error::{Cause, Error};
use crate::io::lock::Lock;
use crate::io::write::{AtomicFile, coarse_now};
use crate::verify::containers::history::{self, History};
use crate::verify::place::CHAIN;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{
    ASCMHL_IGNORED, AscMhlFile, Entry, HashAction, Heading, Reader, Rule, Rules, Time, Writer,
    ascmhl_generation, ascmhl_list, extended_ascmhl_chain, format,
};

/// Adds a list to the history in a folder.
pub(super) fn run(update: &mut Update<'_>, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
    let root = folder.join("..");
    let root = match folder.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) if folder.file_name().is_some() => parent.to_owned(),
        _ => root,
    };
    let options = update.options.clone().map_read(|read| read.root(Some(root)).format(None));
    let mut inner = Update::new(&options, update.comparison.progress);
    let done = inner.generation(folder, on_event);
    let audit = std::mem::take(&mut inner.comparison.report);
    update.report = inner.report;
    update.comparison.report = audit;
    done
}

fn failure(path: &Path, why: impl ToString) -> Error {
    Error::new(path.as_os_str().as_bytes(), "update", Cause::Other(why.to_string()))
}

impl Update<'_> {
    fn generation(&mut self, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let chain = folder.join(CHAIN);
        let lock = match self.options.dry_run {
            true => None,
            false => match Lock::open(&chain, self.comparison.progress.stop_signal()) {
                Ok(lock) => Some(lock),
                Err(error) => return self.failed(error.into(), on_event),
            },
        };
        self.began = coarse_now();
        let reading = self.options.audit.read.manifest(b"", self.comparison.progress);
        let history = match history::read(folder, &reading) {
            Ok(history) => history,
            Err(error) => return self.failed(error.into(), on_event),
        };
        // The comparison reads a manifest, which must be a file.
        let merged = match merged(&history, folder) {
            Ok(merged) => merged,
            Err(error) => return self.failed(error.into(), on_event),
        };
        let ignored = match history.ignored.is_empty() {
            true => ASCMHL_IGNORED.map(str::to_owned).into(),
            false => history.ignored.clone(),
        };
        let rules: Vec<Rule> = ignored.iter().cloned().map(Rule::Exclude).collect();
        let requested = &mut self.comparison.requested;
        requested.notes = true;
        requested.rules = Some(Rules::from(rules));
        requested.usual =
            vec![format("ascmhl").expect("a row of the table of formats").capabilities().usual_algorithm()];
        let mut relay = |event: AuditEvent<'_>| match event {
            AuditEvent::Malformed(_, line) => on_event(Event::Malformed(folder, line)),
            AuditEvent::Failed(error) => on_event(Event::Failed(error)),
            AuditEvent::Finding(_) | AuditEvent::Doubtful(_) => Ok(()),
        };
        let Some(rows) = self.comparison.compare_all(&[merged.path()], &mut relay)? else { return Ok(()) };
        self.comparison.note_algorithms();
        let root = self.comparison.root.clone();
        let rows = self.split(rows, &root);
        let is_doubtful = |row: &&Row| self.options.rename && row.doubtful;
        self.report.doubtful = rows.iter().filter(is_doubtful).count() as u64;
        let actions: Vec<Action> = rows.iter().map(|row| action(row, self.options.rename)).collect();
        let mut decisions: Vec<(Row, Action)> = rows.into_iter().zip(actions).collect();
        // A list cannot be removed again, so nothing is recorded about an empty folder.
        if !decisions.is_empty() && decisions.iter().all(|(row, _)| row.status == FileStatus::Missing) {
            let why = "it contains none of the files in the history (perhaps a disk is not mounted)";
            self.report.refused = true;
            return self.failed(failure(&root, why).into(), on_event);
        }
        let refusal = self.refusal(&decisions, 0, 0);
        let wanted = refusal.is_none() && !self.comparison.report.interrupted;
        if let Some(refusal) = &refusal {
            on_event(Event::Refused(refusal))?;
            self.report.refused = true;
        } else if wanted && !self.options.dry_run {
            match self.write_generation(folder, lock.as_ref(), &history, &ignored, &decisions) {
                Ok(()) => self.report.written = true,
                Err(error) => {
                    self.report.refused = true;
                    self.failed(error.into(), on_event)?;
                }
            }
        }
        self.report.pending = wanted && self.options.dry_run;
        if !self.report.written && !self.report.pending {
            decisions.iter_mut().for_each(|(_, action)| *action = Action::Kept);
        }
        for (row, action) in &decisions {
            self.report.count(&mut self.comparison.report, row.status, *action);
            if row.status != FileStatus::Same {
                self.comparison.finding(row, |finding| on_event(Event::File(finding, *action)))?;
            }
        }
        Ok(())
    }

    /// Writes the list and adds it to the chain file.
    fn write_generation(
        &self,
        folder: &Path,
        lock: Option<&Lock>,
        history: &History,
        ignored: &[String],
        decisions: &[(Row, Action)],
    ) -> Result<(), Error> {
        let chain = folder.join(CHAIN);
        let specs = usual(&self.comparison);
        let files: Vec<AscMhlFile> =
            decisions.iter().filter_map(|(row, action)| self.record(row, *action, &specs)).collect();
        let made = self.options.made.clone().unwrap_or((now(), "localhost".to_owned()));
        let number = history.lists.iter().filter_map(|name| number(name)).max().unwrap_or(0);
        let number = number.max(history.lists.len()) + 1;
        let name = file_name(number, &self.comparison.root, made.0);
        let path = folder.join(OsStr::from_bytes(&name));
        let text = ascmhl_generation(made, ignored, &files).map_err(|why| failure(&path, why))?;
        let is_read_back = ascmhl_list(&text, &truesum_manifest::Options::default()).is_ok_and(|list| {
            let expected = files.iter().map(|file| (&file.entry().path, file.former()));
            let found = list.entries.iter().map(|(entry, former)| (&entry.path, former.as_deref()));
            list.errors.is_empty() && found.eq(expected)
        });
        if !is_read_back {
            return Err(failure(&path, "the list could not be read back unchanged"));
        }
        let sha512: Spec = "sha512".parse().expect("a row of the table of algorithms");
        let extended = extended_ascmhl_chain(&history.chain, number, &name, sha512.digest(&text).as_bytes());
        let extended = extended.map_err(|why| failure(&chain, why))?;
        let extended = extended.ok_or_else(|| failure(&chain, "the chain file does not end as expected"))?;
        if path.symlink_metadata().is_ok() {
            return Err(failure(&path, "the file exists already"));
        }
        save(&path, &text, || lock.map_or(Ok(()), |lock| lock.still_at(&chain)))?;
        let saved = save(&chain, &extended, || lock.map_or(Ok(()), |lock| lock.still_at(&chain)));
        // A list that the chain file does not contain makes the history invalid.
        saved.inspect_err(|_| drop(std::fs::remove_file(&path)))
    }

    /// Returns what the list contains about a file.
    fn record(&self, row: &Row, action: Action, usual: &[Spec]) -> Option<AscMhlFile> {
        let [listed, found] = row.at;
        let sets = &self.comparison.sets;
        let side = if found == NONE { (LISTED, listed) } else { (FOUND, found) };
        let (facts, name) = (sets[side.0].facts(side.1), sets[side.0].name(side.1).to_vec());
        let entry = |digests: Vec<(Spec, Digest)>| Entry {
            path: name.clone(),
            size: facts.size,
            mtime: facts.mtime,
            digests,
            ..Entry::default()
        };
        let file = |digests, action| Some(AscMhlFile::new(entry(digests), action, None));
        match row.status {
            FileStatus::Same => file(sets[LISTED].facts(listed).digests, HashAction::Verified),
            FileStatus::Changed | FileStatus::Corrupt | FileStatus::Restored => {
                let expected = sets[LISTED].facts(listed).digests;
                let digests = facts.digests.into_iter().filter(|known| !expected.contains(known)).collect();
                let entry = Entry { path: sets[LISTED].name(listed).to_vec(), ..entry(digests) };
                Some(AscMhlFile::new(entry, HashAction::Failed, None))
            }
            FileStatus::Moved if action == Action::Renamed => {
                let former = Some(sets[LISTED].name(listed).to_vec());
                let expected = sets[LISTED].facts(listed).digests;
                Some(AscMhlFile::new(entry(expected), HashAction::Original, former))
            }
            _ if action == Action::Added => {
                let digests: Vec<(Spec, Digest)> =
                    facts.digests.clone().into_iter().filter(|(spec, _)| usual.contains(spec)).collect();
                file(digests, HashAction::Original)
            }
            _ => None,
        }
    }
}

/// Returns the action for one file.
fn action(row: &Row, rename: bool) -> Action {
    match row.status {
        FileStatus::New | FileStatus::Copied | FileStatus::Duplicated => Action::Added,
        FileStatus::Moved if rename => Action::Renamed,
        _ => Action::Kept,
    }
}

/// Writes the entries of a history to a temporary file.
fn merged(history: &History, folder: &Path) -> Result<tempfile::NamedTempFile, Error> {
    let scratch =
        |error| Error::io(std::env::temp_dir().as_os_str().as_bytes(), "write a temporary file", error);
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().map_err(scratch)?;
    let row = format("jsonl").expect("a row of the table of formats");
    let mut writer = Writer::new(Vec::new(), row, &Heading::default());
    for entry in &history.entries {
        if entry.digests.is_empty() {
            let name = truesum_manifest::path::display_safe(&entry.path);
            return Err(failure(folder, format!("{name}: the history has no valid digest of this file")));
        }
        writer.write(entry).map_err(|why| failure(folder, why))?;
    }
    let text = writer.finish().map_err(|why| failure(folder, why))?;
    let back = Reader::new(&text[..], truesum_manifest::Options::default().accept_all());
    if back.filter_map(Result::ok).count() != history.entries.len() {
        return Err(failure(folder, "its entries could not be read back unchanged"));
    }
    file.write_all(&text).and_then(|()| file.flush()).map_err(scratch)?;
    Ok(file)
}

/// Returns the number at the beginning of the name of a list.
fn number(name: &[u8]) -> Option<usize> {
    let end = name.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(name.len());
    std::str::from_utf8(&name[..end]).ok()?.parse().ok()
}

/// Returns the name of a list: its number, the name of the folder and the time, as `ascmhl` forms it.
fn file_name(number: usize, root: &Path, time: Time) -> Vec<u8> {
    let folder = root.canonicalize().ok().and_then(|path| Some(path.file_name()?.as_bytes().to_vec()));
    let time = time.to_string();
    let digits =
        |range| time.get::<std::ops::Range<usize>>(range).unwrap_or_default().replace([':', 'T'], "");
    let stamp = format!("_{}_{}Z.mhl", digits(0..10), digits(11..19));
    [format!("{number:04}_").as_bytes(), &folder.unwrap_or_default(), stamp.as_bytes()].concat()
}

/// Writes a file atomically.
fn save(path: &Path, text: &[u8], look: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text).map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit_if(look)
}
