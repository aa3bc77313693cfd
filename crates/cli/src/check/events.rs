//! Reports the events of a check: each entry, each manifest, and files that are not in the
//! manifest.

use crate::check::advice::{self, Listed};
use crate::check::plan::{Checking, Expected, Subject};
use crate::check::report::{self, Detail, Form, NAMED_LINES, Names};
use crate::check::total;
use crate::console::Console;
use crate::drawing::page::Page;
use crate::drawing::record::{Note, Record, Tone};
use crate::key;
use crate::locate::{Locate, Located};
use crate::objects;
use crate::output::{Output, lists};
use crate::selection::{literal, unmatched_reason};
use crate::terminal::on_one_line;
use crate::words::{self, count, grouped, path_word};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::verify::Search;
use truesum::verify::ocfl;
use truesum::verify::place::folder_of_names;
use truesum::verify::place_of;
use truesum::{
    BadLine, Checked, Error, Event, Manifest, Outcome, Progress, Root, Unlisted, Unmatched, Verdict,
};
use truesum_fs::name::OsStrExt;

/// Number of missing names that are remembered, to search for them below the current folder.
const REMEMBERED: usize = 32;
/// Maximum number of files shown that are not in the manifest.
const NAMED_FILES: usize = 10;

/// Reports the events of a check.
pub struct Printer<'a> {
    pub plan: &'a Checking,
    pub console: Console,
    pub output: Output,
    /// The HTML page that shows the damage in files that failed.
    pub page: Page,
    /// The data of the HTML report, if one is requested.
    pub record: Option<Record>,
    /// Whether the HTML report would be written under the name of a missing file of the manifest.
    /// In this case it is not written.
    pub taken: bool,
    /// The manifests and their digests.
    pub manifests: Vec<(Vec<u8>, Option<Digest>)>,
    trees: Option<&'a Root>,
    progress: &'a Progress,
    /// Whether an OCFL storage root is checked, which contains many objects.
    is_storage_root: bool,
    lines: Vec<u8>,
    /// Number of malformed lines reported for the current manifest.
    named_lines: u64,
    /// Number of files that failed in an earlier run.
    still_failed: u64,
    /// The advice about damaged files that was printed, without the commands, which name a file.
    advised: HashSet<String>,
    /// The number of missing names that were compared with those of all files, until several files matched one.
    compared_names: usize,
    /// Whether the hint on how to specify a key was printed.
    hinted_key: bool,
    /// The first missing names of the current manifest.
    missing: Vec<Vec<u8>>,
    /// A manifest with missing files about which nothing is known: they may have been renamed.
    unexplained: Option<PathBuf>,
    /// The first file of the current manifest that differs, and the digests of its entry.
    mismatched: Option<(PathBuf, Vec<Listed>)>,
    /// The first files of the current folder that are not in the manifest.
    unlisted: Vec<Vec<u8>>,
    /// The first folder of all names so far, if it is the same; `None` before the first name.
    top: Option<Option<Vec<u8>>>,
    /// Those of the entries named as arguments whose results were reported.
    reported: HashSet<OsString>,
}

impl<'a> Printer<'a> {
    /// Creates a reporter that prints to `output` and `console`. `trees` is the folder of stored
    /// trees, if they are not next to the files.
    pub fn new(
        plan: &'a Checking,
        console: Console,
        output: Output,
        trees: Option<&'a Root>,
        progress: &'a Progress,
    ) -> Printer<'a> {
        Printer {
            plan,
            console,
            output,
            page: Page::default(),
            record: plan.html.is_some().then(Record::default),
            taken: false,
            manifests: Vec::new(),
            trees,
            progress,
            is_storage_root: matches!(&plan.subject, Subject::Manifests(manifests)
                if manifests.iter().any(|name| ocfl::kind_of(name) == Some(ocfl::Kind::Root))),
            lines: Vec::new(),
            named_lines: 0,
            still_failed: 0,
            advised: HashSet::new(),
            compared_names: 0,
            hinted_key: false,
            missing: Vec::new(),
            unexplained: None,
            mismatched: None,
            unlisted: Vec::new(),
            top: None,
            reported: HashSet::new(),
        }
    }

    /// Reports one event.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        if let Some(mut record) = self.record.take() {
            self.file(&event, &mut record);
            self.record = Some(record);
        }
        match event {
            Event::Entry(manifest, outcome) => self.entry(manifest, outcome)?,
            Event::Ignored(_, outcome) => self.remember(outcome),
            Event::Moved(manifest, outcome, moved) => {
                let folder = self.prefix_of(manifest.name());
                let names = Names { manifest: self.name_of(manifest), folder: &folder };
                let passes = self.plan.options.get_moved_passes();
                report::moved(self.plan.form, outcome, moved, passes, names, &mut self.lines);
                self.write_entry(b"", names.manifest)?;
            }
            Event::Renamed(renamed) => {
                let folder = self.prefix(renamed.folder());
                report::renamed(self.plan.form, renamed, &folder, &mut self.lines);
                self.write()?;
                if let Some(Err(error)) = renamed.done() {
                    self.console.failure(error);
                }
            }
            Event::Malformed(manifest, line) => self.malformed(manifest, line)?,
            Event::Checked(manifest, checked) => self.checked(manifest, checked)?,
            Event::Failed(error) => self.failure(error)?,
            Event::Doubtful(doubt) if self.plan.reporting.notes => {
                let name = display_safe(doubt.name());
                self.console.note(&format!("{name}: {}", doubt.reason()));
            }
            Event::Signed(seal) => {
                match self.plan.form {
                    Form::Json { .. } => report::signed(seal, &mut self.lines),
                    _ if self.plan.reporting.notes => self.console.note(&report::seal(seal)),
                    _ => {}
                }
                self.write()?;
            }
            Event::Unlisted(_, name) => self.unlisted(name.as_os_str().as_bytes())?,
            Event::Searched(search) => self.searched(search),
            // The line of an entry that was named shows its result.
            Event::NotVerified(name) if self.reported.contains(name.as_os_str()) => {}
            Event::NotVerified(name) if self.plan.detail() != Detail::None => {
                self.console.error_of(name.as_os_str().as_bytes(), "required but not verified");
            }
            Event::PassedOver(name) if self.plan.reporting.notes => {
                let (shown, word) = (display_safe(name.as_os_str().as_bytes()), path_word(name));
                self.console.note(&format!(
                    "{shown}: symbolic link, not followed; to check it: truesum check {word}"
                ));
            }
            Event::Signature(name) if self.plan.reporting.notes => {
                let name = display_safe(name.as_os_str().as_bytes());
                self.console
                    .note(&format!("{name}: signature file, not verified (see truesum help signatures)"));
            }
            Event::NotUsed(why, files, first) if self.plan.reporting.notes => {
                self.console.note(&advice::not_used(why, files, first));
            }
            Event::StillFailed(name) => self.still_failed(name.as_os_str().as_bytes()),
            Event::Unmatched(unmatched) => {
                let (name, text) = self.unmatched(unmatched);
                self.console.error_of(name.as_bytes(), &text);
                self.reported.insert(name.clone());
                if !unmatched.excluded() && self.plan.entries.contains(&name) && lists(Path::new(&name)) {
                    let name = path_word(&name);
                    self.console.hint(&format!(
                        "{name} is itself a manifest; to check its entries: truesum check {name}"
                    ));
                } else if let (false, Subject::Manifests(manifests)) =
                    (unmatched.excluded(), &self.plan.subject)
                    && let [manifest] = &manifests[..]
                    && let Some(hint) = advice::in_other_folder(manifest, Path::new(&name))
                        .or_else(|| advice::from_standard_input(manifest, Path::new(&name)))
                {
                    self.console.hint(&hint);
                }
            }
            Event::Pause => self.output.pause()?,
            _ => {}
        }
        Ok(())
    }

    /// Prints a note if the given checksum line contains the name of another file.
    pub fn line_of_another(&mut self, file: &Path, expected: &Expected) {
        if let Some(name) = &expected.name
            && Path::new(OsStr::from_bytes(name)).file_name() != file.file_name()
            && self.plan.detail() != Detail::None
        {
            self.console.note(&format!("the specified checksum line is for the file {}", display_safe(name)));
            if file == Path::new("-") {
                let (digest, name) = (expected.digest.to_hex(), path_word(OsStr::from_bytes(name)));
                self.console.hint(&format!(
                    "- is standard input; to check that file instead: truesum check {digest} {name}"
                ));
            }
        }
    }

    /// Writes the pending lines.
    fn write(&mut self) -> io::Result<()> {
        self.write_entry(b"", b"")
    }

    /// Writes the pending lines, which belong to the entry with this name in this manifest.
    fn write_entry(&mut self, name: &[u8], manifest: &[u8]) -> io::Result<()> {
        let Printer { output, lines, .. } = self;
        if lines.is_empty() {
            return Ok(());
        }
        let is_terminal = output.is_terminal;
        let written = match self.plan.form {
            Form::Text { template: None, colors: true, .. } => output.write_colored(lines),
            Form::Text { template: Some(_), .. } if is_terminal => {
                output.write_entry(&on_one_line(lines, manifest), name)
            }
            _ => output.write_entry(lines, name),
        };
        lines.clear();
        written
    }

    fn remember(&mut self, outcome: &Outcome) {
        if self.missing.len() < REMEMBERED {
            self.missing.push(outcome.job.name().to_vec());
        }
    }

    /// Returns whether the HTML report would be written under the name of this file. For manifests
    /// that were found by a search, or can be read only once, this cannot be checked in advance.
    fn is_page(&self, manifest: &Manifest<'_>, outcome: &Outcome) -> bool {
        let Some(page) =
            self.plan.html.as_ref().filter(|_| self.plan.options.get_read().get_remote().is_none())
        else {
            return false;
        };
        let name = Path::new(OsStr::from_bytes(outcome.job.path()));
        let path = || self.root_of(manifest.name()).join(name);
        name.file_name() == page.file_name() && place_of(&path()) == place_of(page)
    }

    /// Returns the name of the manifest for reports; for a digest from the command line, the name
    /// of the option.
    fn name_of<'m>(&self, manifest: &Manifest<'m>) -> &'m [u8] {
        match self.plan.subject {
            Subject::Manifests(_) | Subject::Below(_) => manifest.name().as_os_str().as_bytes(),
            Subject::Embedded(_) => b"embed check",
            Subject::ContentAddressed(_) => b"check --content-addressed",
            Subject::Files(..) => b"--expect",
        }
    }

    /// Returns the prefix of the names in this manifest, in text: see [`Names::folder`].
    fn prefix_of(&self, manifest: &Path) -> Vec<u8> {
        match self.has_several_folders() {
            true => self.prefix(&self.root_of(manifest)),
            false => Vec::new(),
        }
    }

    /// Returns the prefix of names that are relative to this folder.
    fn prefix(&self, folder: &Path) -> Vec<u8> {
        let folder = folder.strip_prefix(".").unwrap_or(folder).as_os_str().as_bytes();
        match folder {
            _ if !self.has_several_folders() => Vec::new(),
            b"" => Vec::new(),
            folder if folder.ends_with(b"/") => folder.to_vec(),
            folder => [folder, b"/"].concat(),
        }
    }

    /// Returns whether names may be relative to different folders.
    fn has_several_folders(&self) -> bool {
        match &self.plan.subject {
            Subject::Manifests(manifests) => manifests.len() > 1 || self.is_storage_root,
            Subject::Below(_) => true,
            Subject::Embedded(_) | Subject::ContentAddressed(_) | Subject::Files(..) => false,
        }
    }

    /// Returns the folder that the names in this manifest are relative to.
    fn root_of(&self, manifest: &Path) -> PathBuf {
        let root = self.plan.options.get_read().get_root().map(Path::to_owned);
        root.unwrap_or_else(|| folder_of_names(manifest))
    }

    /// Returns why a selected name is an error: no entry has it.
    fn unmatched(&self, unmatched: &Unmatched<'_>) -> (OsString, String) {
        let entry = self.plan.entries.iter().find(|entry| literal(entry) == unmatched.name());
        match (&self.plan.subject, entry) {
            (Subject::Manifests(_), Some(entry)) if unmatched.excluded() => {
                (entry.clone(), "excluded by the selection options".to_owned())
            }
            (Subject::Manifests(manifests), Some(entry)) => {
                let manifest = manifests.first().map(|name| display_safe(name.as_os_str().as_bytes()));
                (entry.clone(), format!("not in {}", manifest.unwrap_or_default()))
            }
            _ => (unmatched.name().into(), unmatched_reason(unmatched).to_owned()),
        }
    }

    /// Prints a hint after the lines that it explains.
    fn hint(&mut self, hint: Option<impl AsRef<str>>) -> io::Result<()> {
        if let Some(hint) = hint {
            self.output.pause()?;
            self.console.hint(hint.as_ref());
        }
        Ok(())
    }

    /// Prints a hint about a damaged file, if it is the first one with this advice.
    fn advise_located(
        &mut self,
        manifest: &Manifest<'_>,
        outcome: &Outcome,
        located: Option<&Located>,
    ) -> io::Result<()> {
        let root = self.root_of(manifest.name());
        let root = root.strip_prefix(".").unwrap_or(&root);
        let trees = self.plan.locate.as_ref().and_then(|locate| locate.trees.as_deref());
        let file = root.join(OsStr::from_bytes(outcome.job.path()));
        let hint = located.and_then(|located| located.hint(&file, trees.unwrap_or(root), manifest.name()));
        let advice = |text: &str| text.split(": ").next().unwrap_or_default().to_owned();
        let hint = hint.filter(|text| self.advised.insert(advice(text)));
        self.hint(hint)
    }

    /// Reports an entry and, if requested, where its file is damaged.
    fn entry(&mut self, manifest: &Manifest<'_>, outcome: &Outcome) -> io::Result<()> {
        let is_of = |entry: &&OsString| [outcome.job.name(), outcome.job.path()].contains(&entry.as_bytes());
        self.reported.extend(self.plan.entries.iter().filter(is_of).cloned());
        self.add_top(outcome.job.name());
        if outcome.verdict() == Verdict::Missing {
            self.remember(outcome);
            self.taken |= self.is_page(manifest, outcome);
        }
        let folder = self.prefix_of(manifest.name());
        let form = self.plan.form;
        let names = Names { manifest: self.name_of(manifest), folder: &folder };
        let wanted = self.plan.locate.as_ref().filter(|_| outcome.verdict() == Verdict::Mismatch);
        if !form.is_json() {
            // Report the failure first: locating the damage needs a second read of the file.
            report::entry(form, outcome, names, None, &mut self.lines);
            self.write_entry(outcome.job.name(), names.manifest)?;
        }
        // An entry that was searched for is reported after its manifest, and so after the hints on missing files.
        if outcome.verdict() == Verdict::Missing
            && self.plan.options.get_spellings().any()
            && self.plan.detail() != Detail::None
            && self.compared_names < REMEMBERED
        {
            // Each comparison lists a folder.
            self.compared_names += 1;
            let hint = advice::ambiguous_name(&self.root_of(manifest.name()), outcome.job.name());
            if hint.is_some() {
                self.compared_names = REMEMBERED;
            }
            self.hint(hint)?;
        }
        let threads = self.plan.options.get_read().get_threads();
        let locate =
            || Locate::new(manifest.root(), self.trees, threads, self.progress).look(outcome, names.manifest);
        let located = wanted.map(|_| locate());
        match &located {
            _ if form.is_json() => {
                report::entry(form, outcome, names, located.as_ref(), &mut self.lines);
            }
            Some(located) => {
                let map = wanted.is_some_and(|wanted| wanted.map);
                self.lines.extend_from_slice(located.text(map).as_bytes());
            }
            None => {}
        }
        self.write()?;
        if let (Some(located), Some(_)) = (&located, wanted.and_then(|wanted| wanted.page.as_ref())) {
            self.page.add(Tone::Bad, || located.section(&names.shown(outcome.job.name())));
        }
        if let (Some(located), Some(record)) = (&located, &mut self.record) {
            record.map(|| located.section(&names.shown(outcome.job.name())));
        }
        self.advise_located(manifest, outcome, located.as_ref())?;
        if outcome.verdict() == Verdict::Verified || self.plan.detail() == Detail::None {
            return Ok(());
        }
        let is_searched =
            self.plan.options.get_read().get_remote().is_some() || self.plan.options.get_search();
        let elsewhere = match &self.plan.subject {
            Subject::Manifests(_) if !is_searched => advice::on_another_machine(manifest.name(), outcome),
            _ => None,
        };
        if elsewhere.is_some() {
            return self.hint(elsewhere);
        }
        self.hint(outcome.result.as_ref().err().and_then(crate::advice::on))?;
        // The following hints examine local files, which are unrelated to objects with the same
        // name.
        if self.plan.options.get_read().get_remote().is_some() {
            return Ok(());
        }
        match &self.plan.subject {
            Subject::Embedded(_) | Subject::ContentAddressed(_) => {}
            Subject::Manifests(_) | Subject::Below(_) => {
                let file = self.file_of(manifest, outcome);
                self.hint(advice::impossible_entry_hint(manifest.name(), &file, outcome))?;
                if outcome.verdict() == Verdict::Mismatch {
                    self.hint(advice::pointer(&file, outcome))?;
                }
                if outcome.verdict() == Verdict::Mismatch && self.mismatched.is_none() {
                    self.mismatched = Some((file, Listed::all_of(outcome)));
                }
            }
            Subject::Files(_, expected) if outcome.verdict() == Verdict::Mismatch => {
                if expected.guessed {
                    let file = Path::new(OsStr::from_bytes(outcome.job.path()));
                    let listed = Listed {
                        spec: expected.spec.clone(),
                        digest: expected.digest.clone(),
                        differs: true,
                    };
                    self.hint(advice::guessed(&[listed], file))?;
                }
                if expected.parts.is_some() {
                    let parts = count(expected.digest.parts().unwrap_or(0), "part", "parts");
                    self.hint(Some(format!(
                        "the digest is the ETag of an upload in {parts}; if the part size is unusual, specify it: -a 's3-etag;part=SIZE'"
                    )))?;
                }
            }
            Subject::Files(..) => {}
        }
        Ok(())
    }

    /// Returns the path of the file of an entry, for hints.
    fn file_of(&self, manifest: &Manifest<'_>, outcome: &Outcome) -> PathBuf {
        self.root_of(manifest.name()).join(OsStr::from_bytes(outcome.job.path()))
    }

    /// Reports a file that failed in an earlier run, with a hint on how to check it now. Only the
    /// first ones are shown.
    fn still_failed(&mut self, name: &[u8]) {
        self.still_failed += 1;
        if self.still_failed <= NAMED_LINES && self.plan.detail() != Detail::None {
            self.console.error_of(name, "failed in an earlier run and was not read in this one");
            self.console.hint("to check such a file again now, use --only NAME and the same --state FILE");
        }
    }

    fn malformed(&mut self, manifest: &Manifest<'_>, line: &BadLine) -> io::Result<()> {
        let name = self.name_of(manifest);
        if self.plan.form.is_json() {
            objects::malformed(report::SCHEMA, name, line, &mut self.lines);
            return self.write();
        }
        if self.plan.detail() != Detail::None && (self.plan.warn || self.named_lines < NAMED_LINES) {
            self.named_lines += 1;
            self.console.error_of(name, &line.to_string());
            if line.lacks_key() && !std::mem::replace(&mut self.hinted_key, true) {
                self.console.hint(key::HINT);
            }
        }
        Ok(())
    }

    /// Reports a failure that belongs to no entry, such as an extra file in a bag.
    fn failure(&mut self, error: &Error) -> io::Result<()> {
        if self.plan.form.is_json() {
            objects::failed(report::SCHEMA, error, &mut self.lines);
            self.write()?;
        }
        self.console.failure(error);
        Ok(())
    }

    /// Reports the result of a manifest.
    fn checked(&mut self, manifest: &Manifest<'_>, checked: &Checked) -> io::Result<()> {
        let name = self.name_of(manifest);
        self.manifests.push((name.to_vec(), checked.digest().cloned()));
        let malformed = checked.counts().malformed() - std::mem::take(&mut self.named_lines);
        if malformed > 0 && !self.plan.form.is_json() && self.plan.detail() != Detail::None {
            let more = count(malformed, "more malformed line", "more malformed lines");
            self.console.error_of(name, &format!("{more} (use --warn to see all)"));
        }
        if let Some(error) = checked.failed() {
            self.failure(error)?;
        } else if checked.nothing_verified() {
            let read = self.plan.options.get_read();
            advice::nothing_verified(name, checked, read, self.hinted_key, &mut self.console);
        } else if self.plan.detail() != Detail::None {
            self.hint(advice::decimal_lines(manifest.name(), checked))?;
        }
        let is_one_of_several = self.has_several_folders();
        if is_one_of_several
            && !self.plan.form.is_json()
            && self.plan.detail() != Detail::None
            && let Some(faults) = total::faults(checked.counts())
        {
            self.console.error_of(name, &faults);
        }
        if !checked.rules().is_empty()
            && self.plan.reporting.notes
            && self.plan.options.get_unlisted() != Unlisted::Unrequested
        {
            let rules = words::rules(checked.rules());
            let note = match is_one_of_several {
                true => format!("{}: rules of the manifest: {rules}", display_safe(name)),
                false => format!("rules of the manifest: {rules}"),
            };
            self.console.note(&note);
        }
        if let Some(signer) = checked.unverified_signature()
            && self.plan.reporting.notes
        {
            advice::unverified_signature(name, signer, &mut self.console);
        } else if self.plan.reporting.notes
            && !self.plan.form.is_json()
            && self.plan.options.get_public_key().is_none()
            && matches!(self.plan.subject, Subject::Manifests(_))
        {
            self.hint(advice::signature_beside(manifest.name()))?;
        }
        let missing = std::mem::take(&mut self.missing);
        let mismatched = self.mismatched.take();
        if self.plan.detail() == Detail::None || self.plan.options.get_read().get_remote().is_some() {
            return Ok(());
        }
        if !missing.is_empty() && self.plan.options.get_read().get_data().is_none() {
            let folder = self.root_of(manifest.name());
            let has_pieces = checked.format().is_some_and(|format| format.capabilities().pieces().is_some());
            let below =
                || if has_pieces { advice::renamed_folder(manifest.name(), &folder, &missing) } else { None };
            let known = advice::dangling_link(&folder, &missing)
                .or_else(|| advice::equivalent_name(&folder, &missing))
                .or_else(|| advice::unescaped(manifest.name(), &folder, &missing))
                .or_else(below)
                .or_else(|| advice::missing(manifest.name(), &folder, &missing));
            let is_searched =
                self.plan.options.get_search() || !matches!(self.plan.subject, Subject::Manifests(_));
            let is_all = checked.counts().verified() + checked.counts().mismatched() == 0;
            let root = self.plan.options.get_read().get_root();
            let renamed = || advice::renamed(manifest.name(), root, &missing, is_all);
            let hint = known.or_else(|| if is_searched { None } else { renamed() });
            if hint.is_none() && !is_searched {
                self.unexplained = Some(manifest.name().to_owned());
            }
            self.hint(hint)?;
        }
        if matches!(self.plan.subject, Subject::Manifests(_)) && self.plan.entries.is_empty() {
            let hint = advice::mostly_missing(manifest.name(), checked);
            self.unexplained.take_if(|_| hint.is_some());
            self.hint(hint)?;
        }
        let is_guessed =
            || checked.guessed().is_some() || advice::assumes_tth(checked, self.plan.options.get_read());
        if mismatched.is_some() {
            self.hint(advice::converted_line_ends(manifest.name(), checked))?;
        }
        match mismatched {
            // An algorithm that verified other files is the right one.
            Some((file, listed)) if checked.counts().verified() == 0 && is_guessed() => {
                self.hint(advice::guessed(&listed, &file))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether each file that is not in the manifest is shown: with `--exact` or
    /// `--verbose`.
    fn names_unlisted(&self) -> bool {
        self.plan.options.get_unlisted() == Unlisted::Refused
            || (self.plan.reporting.verbose && !self.plan.form.is_json())
    }

    fn unlisted(&mut self, name: &[u8]) -> io::Result<()> {
        if !self.names_unlisted() {
            return Ok(());
        }
        if self.plan.form.is_json() {
            report::unlisted(name, &mut self.lines);
            return self.write();
        }
        if self.unlisted.len() < NAMED_FILES {
            self.unlisted.push(name.to_vec());
        }
        Ok(())
    }

    /// Reports how many files in a folder are not in the manifest.
    fn searched(&mut self, search: &Search) {
        let exact = self.plan.options.get_unlisted() == Unlisted::Refused;
        if exact {
            search.failed().iter().for_each(|error| self.console.failure(error));
        }
        if exact && search.others() > 0 && !self.plan.form.is_json() && self.plan.reporting.notes {
            let others = count(search.others(), "link, pipe or device", "links, pipes or devices");
            let are = if search.others() == 1 { "is" } else { "are" };
            let folder = display_safe(search.folder());
            self.console.note(&format!("{others} in {folder} {are} not in the manifest"));
        }
        let names = std::mem::take(&mut self.unlisted);
        if search.files() == 0 || self.plan.form.is_json() || self.plan.detail() == Detail::None {
            return;
        }
        let mut text = format!(
            "{}{} in {} {} not in the manifest",
            if search.cut() { "at least " } else { "" },
            count(search.files(), "file", "files"),
            display_safe(search.folder()),
            if search.files() == 1 { "is" } else { "are" },
        );
        if self.names_unlisted() {
            let shown: Vec<String> = names.iter().map(|name| display_safe(name)).collect();
            text += &format!(": {}", shown.join(", "));
            if search.files() > names.len() as u64 {
                text += &format!(" and {} more", grouped(search.files() - names.len() as u64));
            }
        } else {
            text += if search.files() == 1 { " (use -v to list it)" } else { " (use -v to list them)" };
        }
        match exact {
            true => self.console.error(&text),
            false => self.console.note(&text),
        }
        // A missing file may be one of these, under another name.
        if let Some(manifest) = self.unexplained.take() {
            self.console.hint(&advice::searching(&manifest));
            return;
        }
        if !exact {
            return;
        }
        if let Subject::Manifests(manifests) = &self.plan.subject
            && let [manifest] = &manifests[..]
            && manifest != Path::new("-")
            && self.plan.options.get_read().get_root().is_none()
            && self.plan.options.get_read().get_algorithms().is_empty()
            && let Some(Some(top)) = &self.top
            && !names.iter().any(|name| name.starts_with(&[top, &b"/"[..]].concat()))
        {
            let folder = Path::new(OsStr::from_bytes(search.folder()));
            let folder = folder.strip_prefix(".").unwrap_or(folder);
            let top = folder.join(OsStr::from_bytes(top));
            if !top.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                return;
            }
            let top = path_word(top);
            let manifest = path_word(manifest);
            self.console.hint(&format!(
                "all files in the manifest are in {top}; to look for other files only there: truesum audit {manifest} {top}"
            ));
        }
    }

    /// Records the first folder of a name in the manifest.
    fn add_top(&mut self, name: &[u8]) {
        let name = name.strip_prefix(b"./").unwrap_or(name);
        let top = name.iter().position(|&byte| byte == b'/').map(|end| &name[..end]);
        let top = top.filter(|top| !top.is_empty());
        match &self.top {
            None => self.top = Some(top.map(<[u8]>::to_vec)),
            Some(Some(old)) if Some(&old[..]) != top => self.top = Some(None),
            Some(_) => {}
        }
    }
}

impl Printer<'_> {
    /// Adds the file of an event to the report of the complete check.
    fn file(&self, event: &Event<'_>, record: &mut Record) {
        let plan = self.plan;
        let shown = |manifest: &Manifest<'_>, outcome: &Outcome| {
            let folder = self.prefix_of(manifest.name());
            Names { manifest: b"", folder: &folder }.shown(outcome.job.name())
        };
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let text = |text: String| [Note::Text(text)];
        match event {
            Event::Entry(manifest, outcome) if report::is_good(outcome) => {
                record.other(Tone::Good, "OK", &shown(manifest, outcome));
            }
            Event::Entry(manifest, outcome) => {
                let tone = if outcome.verdict() == Verdict::Unverified { Tone::Unsure } else { Tone::Bad };
                let mut notes: Vec<Note> = report::reason(outcome).map(Note::Text).into_iter().collect();
                notes.extend(report::differences(outcome));
                record.failure(tone, report::word(outcome), &shown(manifest, outcome), &notes);
            }
            Event::Ignored(manifest, outcome) => {
                record.other(Tone::Unsure, "does not exist", &shown(manifest, outcome));
            }
            Event::Moved(manifest, outcome, moved) => {
                let tone = if plan.options.get_moved_passes() { Tone::Unsure } else { Tone::Bad };
                let to = text(format!("to {}", display_safe(&bytes(moved.name()))));
                record.failure(tone, "MOVED", &shown(manifest, outcome), &to);
            }
            Event::Renamed(renamed) => {
                let (tone, word) = match renamed.done() {
                    Some(Ok(())) => (Tone::Good, "RENAMED"),
                    Some(Err(_)) => (Tone::Bad, "NOT RENAMED"),
                    None => (Tone::Unsure, "to be renamed"),
                };
                let to = text(format!("to {}", display_safe(&bytes(renamed.to()))));
                record.failure(tone, word, &bytes(renamed.from()), &to);
            }
            Event::Malformed(manifest, line) => {
                record.failure(Tone::Unsure, "malformed", &bytes(manifest.name()), &text(line.to_string()));
            }
            Event::Failed(error) => {
                record.failure(Tone::Bad, "ERROR", error.name(), &text(error.to_string()))
            }
            Event::Unlisted(_, name) if plan.options.get_unlisted() == Unlisted::Refused => {
                record.failure(Tone::Bad, "NOT IN THE MANIFEST", &bytes(name), &[]);
            }
            Event::Unlisted(_, name) => record.other(Tone::Unsure, "not in the manifest", &bytes(name)),
            Event::Doubtful(doubt) => record.other(Tone::Unsure, "doubtful", doubt.name()),
            Event::NotVerified(name) => {
                record.failure(Tone::Bad, "NOT VERIFIED", &bytes(name), &text("required".to_owned()));
            }
            Event::Unmatched(name) => {
                let (name, why) = self.unmatched(name);
                record.failure(Tone::Unsure, "NO ENTRY", name.as_bytes(), &text(why));
            }
            Event::StillFailed(name) => {
                let why = text("not read in this run".to_owned());
                record.failure(Tone::Bad, "FAILED in an earlier run", &bytes(name), &why);
            }
            Event::PassedOver(name) => record.other(Tone::Unsure, "not followed", &bytes(name)),
            Event::NotUsed(_, _, first) => record.other(Tone::Unsure, "not checked", &bytes(first)),
            Event::Signature(name) => record.other(Tone::Unsure, "signature, not verified", &bytes(name)),
            Event::Signed(seal) => record.other(Tone::Good, "signed", &bytes(seal.file())),
            _ => {}
        }
    }
}
