//! Checks one or more manifests: runs their entries, counts the results in a report, and reports every event.

use crate::error::{Cause, Error, Kind};
use crate::io::file_id::FileId;
use crate::io::input::Input;
use crate::io::open::Root;
use crate::job::{Findings, Job, Outcome, Summary, Verdict};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::select::Selection;
use crate::task::{Notice, Sink, Task};
use crate::verify::apk::is_package;
use crate::verify::archive::is_optional;
use crate::verify::bag::{self, Bag};
use crate::verify::entries::Entries;
use crate::verify::event::{Event, Manifest};
use crate::verify::folders::{Folder, Several};
use crate::verify::foreign::look;
use crate::verify::listed::ListedNames;
use crate::verify::manifest_digest::{CountedReader, ManifestDigest};
use crate::verify::missing::MissingEntries;
use crate::verify::options::{Options, Unlisted};
use crate::verify::pieced::{self, Pieced};
use crate::verify::place::history;
use crate::verify::relocation;
use crate::verify::report::{Checked, Report};
use crate::verify::unlisted::{Scope, SearchScope, unlisted, unlisted_there};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest as manifest;
use truesum_manifest::path::display_safe;

/// An optional search for files that are not in the manifest ends after this many files, or a multiple of the number in
/// the manifest.
const SEARCH: u64 = 100_000;

/// Receives the events of a check. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// A check in progress.
pub struct Verification<'a> {
    pub(super) options: &'a Options,
    pub(super) progress: &'a Progress,
    pub(super) report: Report,
    /// The names in manifests, by the folder that they apply to.
    pub(super) folders: Vec<Folder>,
    /// Files to ignore in a search: the manifests and the caller's own files.
    pub(super) own: Vec<FileId>,
    /// Folders that were checked as bags.
    bags: Vec<PathBuf>,
}

impl<'a> Verification<'a> {
    /// Returns a check that has not started yet. [`Progress::stop`] ends it early.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Verification<'a> {
        let (report, own) = (Report::new(options), options.own.clone());
        Verification { options, progress, report, folders: Vec::new(), own, bags: Vec::new() }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Checks manifests in order, then searches for files that are not in them, if requested. `-` is standard input. A
    /// folder that is a bag is checked with all its manifests and for completeness.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with manifests and files are reported and counted.
    pub fn manifests(&mut self, names: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        if let Some(error) = self.not_in_parts(names) {
            self.unread(&error, on_event)?;
            return self.end(on_event);
        }
        for (at, name) in names.iter().enumerate() {
            if self.progress.stopped() {
                self.report.not_begun += (names.len() - at) as u64;
                break;
            }
            let name = name.as_ref();
            match bag::open(name) {
                Some(Ok(_)) if self.options.public_key.is_some() => {
                    let why = "a bag is not signed as a unit; specify one of its manifests";
                    let why = Cause::Other(why.to_owned());
                    self.unsigned(&Error::new(name.as_os_str().as_bytes(), "verify", why), on_event)?;
                    continue;
                }
                Some(Ok(_)) if self.options.remote.is_some() => {
                    let why = Cause::Other(
                        "a bag cannot be checked against another location; specify one of its manifests"
                            .to_owned(),
                    );
                    self.unread(&Error::new(name.as_os_str().as_bytes(), "verify", why), on_event)?;
                    continue;
                }
                Some(Ok(bag)) => {
                    self.bags.push(name.to_owned());
                    self.bag(name, &bag, on_event)?;
                    continue;
                }
                Some(Err(error)) => {
                    self.bags.push(name.to_owned());
                    self.report.incomplete += 1;
                    on_event(Event::Failed(&error))?;
                    continue;
                }
                None => {}
            }
            match (self.open(name), &self.options.public_key) {
                (Ok(file), None) if is_package(name, &file, self.options) => self.package(name, on_event)?,
                (Ok(file), None) => self.manifest(name, file, None, on_event)?,
                (Ok(file), Some(key)) => self.signed(name, file, key, on_event)?,
                (Err(error), _) => self.unread(&error, on_event)?,
            }
        }
        self.relocate_missing(on_event)?;
        if !self.progress.stopped() {
            self.search(on_event)?;
        }
        self.end(on_event)
    }

    /// Compares one file with one digest.
    ///
    /// # Errors
    /// Returns the error of `on_event`.
    pub fn expect(
        &mut self,
        file: &Path,
        spec: &Spec,
        digest: &Digest,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let expected = vec![digest.clone()];
        let job = Job { expected, ..Job::argument(file, &Arc::from([spec.clone()])) };
        let config = self.options.config(Root::Anywhere);
        let manifest = Manifest { name: file, root: &config.root };
        let mut checked = Checked { entries: 1, ..Checked::default() };
        if manifest::weak::verdict(spec) != manifest::weak::Strength::TamperEvident {
            checked.not_tamper_evident.insert(spec.to_string(), 1);
        }
        let mut task = std::iter::once(Task::File(job));
        let result = self.run(&config, &manifest, &mut task, &mut checked, None, on_event);
        self.report.add(&checked);
        result?;
        self.end(on_event)
    }

    /// Checks a manifest that is already open. Its name determines its folder, and may imply its algorithm and format.
    /// The names in it are also added to `listed`.
    pub(super) fn manifest(
        &mut self,
        name: &Path,
        reader: impl Read + Send,
        listed: Option<&mut ListedNames>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let options = self.options;
        let bytes = name.as_os_str().as_bytes();
        let folder = options.folder(name);
        let root = match options.leading(&folder) {
            Ok(root) => root,
            Err(error) => return self.unread(&error, on_event),
        };
        let reading = options.reading(bytes, self.progress);
        let manifest_digest = ManifestDigest::new(options.digest_manifests);
        let reader = CountedReader { reader, progress: self.progress, digest: &manifest_digest };
        let (reader, foreign) = match look(reader, Some(bytes)) {
            Ok(looked) => looked,
            Err(error) if Input::is_interruption(&error) => {
                self.report.not_begun += 1;
                return Ok(());
            }
            Err(error) => return self.unread(&Error::io(bytes, "read", error), on_event),
        };
        if let (Some(what), None) = (foreign, options.format) {
            return self.unread(&Error::new(bytes, "read as a manifest", Cause::NoManifest(what)), on_event);
        }
        let state = match self.state() {
            Ok(state) => state,
            Err(error) => return self.unread(&error, on_event),
        };
        let config = options.config(root);
        // A caller that collects the names does the search itself.
        let mut folder_listed = match options.unlisted {
            _ if listed.is_some() => None,
            Unlisted::Unrequested if !relocation::is_requested(options) => None,
            Unlisted::Unrequested | Unlisted::Told | Unlisted::Refused => {
                Some(self.take_folder(folder.clone()))
            }
        };
        let (folder_names, missing) = match &mut folder_listed {
            Some(Folder { listed, missing, .. }) => (Some(listed), Some(missing)),
            None => (None, None),
        };
        let of_payload = listed.is_some() && bag::is_of_payload(name);
        let listing = listed.or(folder_names);
        let mut missing = missing.filter(|_| relocation::is_requested(options));
        let before = missing.as_ref().map_or(0, |missing| missing.len());
        let entries = Entries::new(reader, reading, &config.root, 0, listing).of_folder(&folder);
        let entries = entries.of_data(options.data.as_deref()).of_payload(of_payload);
        let failed = state.as_ref().map(|state| state.failed().collect()).unwrap_or_default();
        let entries = entries.selecting(&options.select).reporting(options.malformed_told);
        let mut entries = entries.noting_failed(failed).computing(&options.also);
        let manifest = Manifest { name, root: &config.root };
        let mut checked = Checked::default();
        let in_parts = !options.limits.is_all();
        let result = match in_parts {
            true => self.check_limited(state, &config, &manifest, &mut entries, &mut checked, on_event),
            false => {
                self.run(&config, &manifest, &mut entries, &mut checked, missing.as_deref_mut(), on_event)
            }
        };
        checked.missing = missing.map_or(0, |missing| missing.len() - before) as u64;
        let result = result.and_then(|()| {
            let files = entries.take_pieced_picked();
            if in_parts && !files.is_empty() {
                let why = "it has piece digests; check all of it, or use --only";
                return self
                    .unread(&Error::new(bytes, "check part of it", Cause::Other(why.to_owned())), on_event);
            }
            self.run_pieced(&config, &manifest, files, &mut checked, on_event)
        });
        checked.format = entries.format();
        checked.unverified_signature = entries.signer().filter(|_| options.public_key.is_none());
        checked.digest = manifest_digest.digest();
        let unread = entries.unread().iter();
        let (mut names, mut digests) = (Vec::new(), 0);
        for (name, entries) in unread {
            names.push(shown(name));
            digests += entries;
        }
        let facts = entries.facts();
        self.folders.extend(folder_listed);
        checked.entries = facts.jobs - checked.deferred;
        checked.left_out = facts.left_out;
        checked.counts.malformed += facts.unreported;
        if !in_parts {
            checked.not_tamper_evident = facts.weak;
        }
        checked.guessed = facts.guessed;
        let failed = facts.failed.filter(|error| !Input::is_interruption(error));
        checked.failed = failed.map(|error| Error::io(bytes, "read", error));
        self.report.add(&checked);
        result?;
        if digests > 0 {
            let names = names.join(", ");
            let why = match digests {
                1 => format!("1 digest of an unknown algorithm ({names}) was not checked"),
                _ => format!("{digests} digests of unknown algorithms ({names}) were not checked"),
            };
            on_event(Event::Doubtful(&Error::new(bytes, "verify", Cause::Other(why))))?;
        }
        on_event(Event::Checked(&manifest, &checked))
    }

    /// Checks a bag with all its manifests, and for completeness.
    fn bag(&mut self, folder: &Path, bag: &Bag, on_event: &mut Observer<'_>) -> io::Result<()> {
        let (mut listed, mut tags, mut beside) = (ListedNames::default(), ListedNames::default(), Vec::new());
        let mut faults = bag::faults(folder);
        for (at, name) in bag.payload.iter().enumerate() {
            if bag.all_in_each {
                listed = ListedNames::default();
            }
            self.part_of_bag(name, &mut listed, on_event)?;
            if self.progress.stopped() {
                return Ok(());
            }
            if bag.all_in_each && listed.has_duplicates() {
                faults.push(bag::lists_twice(name));
            }
            if bag.all_in_each || at + 1 == bag.payload.len() {
                beside = self.unlisted_payload(folder, name, &mut listed, on_event)?;
                faults.extend(bag::unlisted_fetches(folder, &mut |name| listed.contains(name)));
            }
        }
        let mut doubts = Vec::new();
        for name in &bag.tags {
            let mut misplaced = 0;
            self.part_of_bag(name, &mut tags, &mut |event| {
                if let Event::Entry(_, outcome) | Event::Ignored(_, outcome) = &event {
                    misplaced += u64::from(!bag::is_tag_entry(outcome.job.path()));
                }
                on_event(event)
            })?;
            doubts.extend((misplaced > 0).then(|| bag::lists_other_files(name, misplaced)));
        }
        beside.retain(|name| !tags.contains(name));
        for fault in faults {
            self.report.incomplete += 1;
            on_event(Event::Failed(&fault))?;
        }
        doubts.extend(bag::doubts(folder, &beside));
        doubts.iter().try_for_each(|doubt| on_event(Event::Doubtful(doubt)))
    }

    fn part_of_bag(
        &mut self,
        name: &Path,
        listed: &mut ListedNames,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        match self.open(name) {
            Ok(file) => self.manifest(name, file, Some(listed), on_event),
            Err(error) => self.unread(&error, on_event),
        }
    }

    /// Reports files in a bag's payload that a payload manifest lacks. Returns the names of the
    /// objects next to the payload.
    fn unlisted_payload(
        &mut self,
        folder: &Path,
        manifest: &Path,
        listed: &mut ListedNames,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let stopped = || self.progress.stopped();
        let (mut too_much, mut beside) = (Vec::new(), Vec::new());
        let mut found = |name: &[u8]| {
            let names = if name.starts_with(b"data/") { &mut too_much } else { &mut beside };
            names.push(name.to_vec());
            Ok(())
        };
        let bytes = folder.as_os_str().as_bytes();
        // The selection does not apply to the files of a bag.
        let (scope, select) = (Scope::CompleteRead, &Selection::default());
        let scope = SearchScope {
            scope,
            select,
            own: &self.own,
            strict: true,
            temporaries: true,
            limit: u64::MAX,
            stopped: &stopped,
        };
        let search = unlisted(bytes, listed, &scope, &mut found)?;
        self.report.counts.unreadable += search.failed.len() as u64;
        search.failed.iter().try_for_each(|error| on_event(Event::Failed(error)))?;
        let manifest = manifest.file_name().unwrap_or_default().display();
        for name in too_much {
            self.report.incomplete += 1;
            let why = Cause::Other(format!("it is in the payload but not in {manifest}"));
            let path = folder.join(OsStr::from_bytes(&name));
            on_event(Event::Failed(&Error::new(path.as_os_str().as_bytes(), "verify", why)))?;
        }
        Ok(beside)
    }

    /// Runs tasks. If `on_event` fails, the entries reported before are still counted.
    pub(super) fn run(
        &mut self,
        config: &Config,
        manifest: &Manifest<'_>,
        tasks: &mut (dyn Iterator<Item = Task> + Send),
        checked: &mut Checked,
        missing: Option<&mut MissingEntries>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let Verification { options, progress, report, .. } = self;
        let mut relay = Relay::new(options, manifest, report, on_event);
        relay.missing = missing;
        let ended = run(config, tasks, progress, &mut relay);
        (checked.counts, checked.ignored) = (relay.counts, relay.ignored);
        let Summary { unreached, interrupted, .. } = ended?;
        (checked.counts.unreached, checked.counts.interrupted) = (unreached, interrupted);
        Ok(())
    }

    /// Verifies files with piece digests, and counts the results as [`Verification::run`] does.
    fn run_pieced(
        &mut self,
        config: &Config,
        manifest: &Manifest<'_>,
        files: Vec<Pieced>,
        checked: &mut Checked,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let Verification { options, progress, report, .. } = self;
        let mut relay = Relay::new(options, manifest, report, on_event);
        let ended = pieced::verify(files, config, progress, &mut relay);
        checked.counts += relay.counts;
        checked.ignored += relay.ignored;
        checked.counts.unreached += ended?;
        checked.counts.interrupted |= progress.stopped();
        Ok(())
    }

    /// Opens a manifest, which is then ignored in searches.
    fn open(&mut self, name: &Path) -> Result<Input, Error> {
        let (file, id) = open(name, self.progress)?;
        self.own.extend(id);
        Ok(file)
    }

    pub(super) fn unread(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unread += 1;
        on_event(Event::Failed(error))
    }

    /// Removes and returns the folder and the names that manifests so far contain for it.
    fn take_folder(&mut self, path: PathBuf) -> Folder {
        let id = Metadata::at(&path).map_or(FileId { device: 0, inode: 0 }, |stat| stat.id());
        match self.folders.iter().position(|folder| folder.id == id) {
            Some(at) => self.folders.remove(at),
            None => Folder { id, path, listed: ListedNames::default(), missing: MissingEntries::default() },
        }
    }

    /// Searches for files that are in no manifest.
    fn search(&mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        let exact = self.options.unlisted == Unlisted::Refused;
        if self.options.unlisted == Unlisted::Unrequested {
            return Ok(());
        }
        let mut folders = std::mem::take(&mut self.folders);
        let mut several = Several::new(&folders, &self.bags);
        for at in 0..folders.len() {
            // A folder without any entry in a manifest is not searched.
            if folders[at].listed.is_empty() && !exact {
                continue;
            }
            let (scope, limit) = match exact {
                true => (Scope::CompleteRead, u64::MAX),
                false => (Scope::Around, SEARCH.max(folders[at].listed.len() as u64 * 4)),
            };
            // Its contents were already found by the search of a parent folder.
            if several.is_searched(&folders[at].path) {
                continue;
            }
            let (path, mut listed) = (folders[at].path.clone(), std::mem::take(&mut folders[at].listed));
            several.searching(&path, if exact { b"" } else { listed.folder() });
            let (mut files, report) = (0, &mut self.report);
            let mut found = |name: &[u8]| {
                if several.is_listed(&mut folders, &path, name) {
                    return Ok(());
                }
                files += 1;
                on_event(Event::Unlisted(&path, Path::new(OsStr::from_bytes(name))))
            };
            let bytes = path.as_os_str().as_bytes();
            let stopped = || self.progress.stopped();
            let select = &self.options.select;
            let scope = SearchScope {
                scope,
                select,
                own: &self.own,
                strict: false,
                temporaries: exact,
                limit,
                stopped: &stopped,
            };
            let result = match &self.options.remote {
                Some(remote) => unlisted_there(&**remote, &mut listed, select, self.progress, &mut found),
                None => unlisted(bytes, &mut listed, &scope, &mut found),
            };
            folders[at].listed = listed;
            report.unlisted += files;
            let mut search = result?;
            search.files = files;
            report.own += search.own;
            report.signatures += search.signatures;
            report.cut |= search.cut;
            if exact {
                report.counts.unreadable += search.failed.len() as u64;
            }
            on_event(Event::Searched(&search))?;
        }
        Ok(())
    }

    /// Reports required names that were not verified.
    pub(super) fn end(&mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        if self.progress.stopped() {
            self.report.counts.interrupted = true;
            return Ok(());
        }
        let select = &self.options.select;
        // The entries of a manifest that could not be read are unknown.
        let unmatched = if self.report.unread > 0 { Vec::new() } else { select.unmatched() };
        self.report.unmatched = unmatched.len() as u64;
        // Nothing is wrong with the file of an entry that the selection excludes.
        self.report.not_verified.retain(|name| !select.excludes(name.as_os_str().as_bytes()));
        unmatched.iter().try_for_each(|name| on_event(Event::Unmatched(name)))?;
        self.report.not_verified.iter().try_for_each(|name| on_event(Event::NotVerified(name)))
    }
}

/// Returns a name in a manifest in the form for messages.
fn shown(name: &str) -> String {
    const MOST: usize = 64;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", display_safe(&name.as_bytes()[..end])),
        None => display_safe(name.as_bytes()).to_string(),
    }
}

/// Forwards the outcomes of a run to the receiver.
pub(super) struct Relay<'r, 't> {
    options: &'r Options,
    manifest: &'r Manifest<'r>,
    report: &'r mut Report,
    /// The counts of the outcomes reported so far.
    counts: Summary,
    ignored: u64,
    /// Stores missing entries, if they are to be searched for elsewhere.
    missing: Option<&'r mut MissingEntries>,
    on_event: &'r mut Observer<'t>,
}

impl<'r, 't> Relay<'r, 't> {
    pub(super) fn new(
        options: &'r Options,
        manifest: &'r Manifest<'r>,
        report: &'r mut Report,
        on_event: &'r mut Observer<'t>,
    ) -> Relay<'r, 't> {
        Relay { options, manifest, report, counts: Summary::default(), ignored: 0, missing: None, on_event }
    }

    /// Returns the counts so far, and the number of skipped entries.
    pub(super) fn counted(self) -> (Summary, u64) {
        (self.counts, self.ignored)
    }

    /// Returns whether entries with missing files are skipped.
    pub(super) fn ignores_missing(&self) -> bool {
        self.options.ignore_missing
    }
}

impl Sink for Relay<'_, '_> {
    fn outcome(&mut self, mut outcome: Outcome) -> io::Result<()> {
        let verdict = outcome.verdict();
        // A name that leads out of the folder may be that of a file on another machine.
        let is_outside = outcome.result.as_ref().is_err_and(|error| error.kind() == Kind::OutsideRoot);
        if let Some(missing) = &mut self.missing
            && (verdict == Verdict::Missing || is_outside)
            && !outcome.job.expected.is_empty()
        {
            match missing.push(self.manifest.name, outcome) {
                Ok(()) => return Ok(()),
                Err(refused) => outcome = *refused,
            }
        }
        let ignored = || self.options.ignore_missing || is_optional(self.manifest, &outcome.job.name);
        if verdict == Verdict::Missing && ignored() {
            self.ignored += 1;
            return (self.on_event)(Event::Ignored(self.manifest, &outcome));
        }
        self.counts.count(&outcome);
        if verdict == Verdict::Verified {
            self.report.note_verified(&outcome.job);
        }
        (self.on_event)(Event::Entry(self.manifest, &outcome))?;
        let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces());
        match pieces.and_then(Findings::doubt).filter(|_| verdict == Verdict::Verified) {
            Some(why) => {
                let why = Cause::Other(why.to_owned());
                (self.on_event)(Event::Doubtful(&Error::new(&outcome.job.name, "verify", why)))
            }
            None => Ok(()),
        }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Malformed(line) => {
                self.counts.malformed += 1;
                (self.on_event)(Event::Malformed(self.manifest, &line))
            }
            Notice::Failed(error) => {
                self.counts.unreadable += 1;
                (self.on_event)(Event::Failed(&error))
            }
            // A check does not walk folders while it runs.
            _ => Ok(()),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        (self.on_event)(Event::Pause)
    }
}

/// Opens a manifest; `-` is standard input. Also returns the device and inode number of its file and of its history.
pub(crate) fn open(name: &Path, progress: &Progress) -> Result<(Input, Vec<FileId>), Error> {
    let bytes = name.as_os_str().as_bytes();
    let fail = |action| move |error| Error::io(bytes, action, error);
    if bytes == b"-" {
        return Ok((Input::stdin(progress.stop_signal()).map_err(fail("read"))?, Vec::new()));
    }
    let file = Input::open(name, progress.stop_signal()).map_err(fail("open"))?;
    let metadata = Metadata::of(file.file()).map_err(|error| Error::io(bytes, "read", error))?;
    if metadata.kind().is_dir() {
        return Err(Error::new(bytes, "read", Cause::Other("it is a directory".to_owned())));
    }
    progress.add_listed(metadata.size());
    let mut ids = history(name);
    ids.push(metadata.id());
    Ok((file, ids))
}
