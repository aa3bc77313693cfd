//! A comparison in progress: the two sets, the known facts about the files on both sides, and the result.

use crate::audit::relocated::moved_and_modified;
use crate::audit::row::Row;
use crate::audit::stamps::of_different_content;
use crate::audit::status::{Event, FileStatus, Report};
use crate::content::pairing::{Move, copied, duplicated, moved};
use crate::content::set::{Compared, NONE, Set, compare};
use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::progress::Progress;
use crate::run::remote::StoredDigests;
use crate::select::Unmatched;
use crate::select::rules::RuleSets;
use crate::verify::entries::tasks::weak_name;
use crate::verify::listed::common_folder;
use crate::verify::options::{ReadOptions, under};
use crate::verify::pieces::{Pieced, verifying_algorithms};
use crate::verify::unexpected::search::is_signature;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{OsStrExt, entry_name};
use truesum_hash::Spec;
use truesum_manifest::{Rules, Time, weak};

/// A file in the manifest for which nothing has been found so far.
pub(super) const NOT_FOUND: u32 = NONE;
/// A file that matches the manifest.
pub(super) const SAME: u32 = NONE - 1;
/// A file that could not be read.
pub(super) const FAILED: u32 = NONE - 2;
/// A file that is not selected.
pub(super) const EXCLUDED: u32 = NONE - 3;

/// The expected (or old) side and the actual (or new) side.
pub(crate) const LISTED: usize = 0;
pub(crate) const FOUND: usize = 1;

/// The maximum number of algorithms computed for files that are not in the manifest; further ones are ignored.
const ALGORITHMS: usize = 16;

/// The maximum number of names in the manifest that are looked up to determine the folder they are
/// relative to.
const LOOKED_AT: usize = 1000;

/// Receives the events of a comparison. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

options! {
    /// The options of a comparison.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// How manifests and files are read. `root` is the folder that names are relative to. `algorithms` are also used to
        /// compare two folders; the default is BLAKE3.
        read: ReadOptions,
        /// A folder specified in addition to a manifest. If it is inside the folder that names are relative to and contains
        /// files in the manifest, it selects the files below it; otherwise names are relative to it.
        folder: Option<PathBuf>,
        /// Whether moved files count as equal.
        moved_passes: bool,
        /// Object stores that are sides of a difference: a side with the name of one has the digests that it records.
        stores: Vec<Arc<dyn StoredDigests>>,
    }
}

impl Options {
    /// Changes how manifests and files are read.
    #[must_use]
    pub fn map_read(self, change: impl FnOnce(ReadOptions) -> ReadOptions) -> Options {
        Options { read: change(self.read), ..self }
    }

    /// Returns the folder whose files are compared with this manifest: the specified one, or that of its names.
    pub fn folder_of(&self, manifest: &Path) -> PathBuf {
        self.folder.clone().unwrap_or_else(|| self.read.folder(manifest))
    }
}

getters! {
    Options {
        /// Returns how manifests and files are read.
        get_read: &ReadOptions = [&read];
    }
}

/// A comparison in progress.
pub struct Comparison<'a> {
    pub(crate) options: &'a Options,
    pub(crate) progress: &'a Progress,
    pub(crate) report: Report,
    pub(crate) sets: [Set; 2],
    /// For each file in the manifest, the index of the file found on the other side, or one of the constants above.
    pub(super) state: Vec<u32>,
    pub(super) errors: BTreeMap<(usize, u32), Error>,
    /// The entries of each side that have piece digests.
    pub(super) pieced: [Vec<Pieced>; 2],
    /// The results of comparing the pieces of files in the manifest that are not [`SAME`].
    pub(super) compared_pieces: HashMap<u32, Compared>,
    /// The files in the manifest whose pieces show neither that they match nor that they differ. True if such a file shares
    /// a damaged piece with another one.
    pub(super) undecided: HashMap<u32, bool>,
    /// Files that are excluded from the comparison: the manifests and the caller's own files.
    pub(crate) own: Vec<FileId>,
    /// Whether both sides are folders. Then there is no manifest, and files of this program are treated like others.
    pub(super) folders: bool,
    /// Whether the other side has any entries.
    pub(super) has_entries: bool,
    /// The number of files that are the same on both sides and have no row of their own.
    pub(super) equal: u64,
    /// The number of those that are not in the sets either, and for which a matching digest does not rule out tampering.
    pub(super) equal_weak: u64,
    /// Whether the sides are exchanged in reports.
    pub(super) swapped: bool,
    /// The folder that names are relative to, known after the manifests have been read.
    pub(crate) root: PathBuf,
    /// The prefix of the names to compare, if a folder selects them.
    pub(super) below: Option<Vec<u8>>,
    /// The file in the manifest that most likely matches the next file found.
    pub(super) likely: u32,
    /// The rules of the manifests read so far.
    pub(super) rules: RuleSets,
    /// Settings and additional results of an update.
    pub(crate) requested: UpdateRequest,
}

/// Determines which files need not be read, because their sizes and times match the manifest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickCheck {
    /// The time at which the manifest was written. A file whose status changed later is read,
    /// whatever its modification time is.
    pub(crate) written: Time,
    /// Whether files whose entries have no time are skipped if they were not modified after the manifest was written.
    pub(crate) trusts_date: bool,
}

/// Settings of a comparison that runs as part of an update, and the additional results it collects.
#[derive(Default)]
pub(crate) struct UpdateRequest {
    /// Whether an update is running.
    pub(crate) notes: bool,
    /// The rule that determines which files need not be read, if any.
    pub(crate) quick: Option<QuickCheck>,
    /// Whether a file that was moved and modified is reported as a missing and a new file.
    pub(crate) accepts_modified: bool,
    /// The algorithms for files that are not in the manifest, if no entry determines them.
    pub(crate) usual: Vec<Spec>,
    /// Whether files outside the folder that contains all files in the manifest are ignored, unless one may have been
    /// moved there.
    pub(crate) around: bool,
    /// The number of files ignored in this way. They are not read and not reported individually.
    pub(crate) outside: u64,
    /// The folder that contains all files in the manifest, followed by a slash.
    pub(crate) inside: Vec<u8>,
    /// The indices of entries by position in the manifest, for each line of an entry. The lines of an entry that
    /// contradicts an earlier one have none.
    pub(crate) places: Vec<(u64, u32)>,
    /// The names in the manifest of files that are compared under other names, such as diverted files of a Debian package.
    pub(crate) other_names: HashSet<Vec<u8>>,
    /// The number of files in the manifest that were not read.
    pub(crate) unread: u64,
    /// The rules that are used instead of those in the manifest, if any.
    pub(crate) rules: Option<Rules>,
}

impl<'a> Comparison<'a> {
    /// Returns a comparison that has not started yet. [`Progress::stop`] ends it early.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Comparison<'a> {
        let report =
            Report { moved_passes: options.moved_passes, lenient: options.read.lenient, ..Report::default() };
        let own = options.read.own.clone();
        let (sets, state, errors) = (Default::default(), Vec::new(), BTreeMap::new());
        let (folders, has_entries, swapped, likely, requested) =
            (false, false, false, 0, UpdateRequest::default());
        Comparison {
            options,
            progress,
            report,
            sets,
            state,
            errors,
            pieced: Default::default(),
            compared_pieces: HashMap::new(),
            undecided: HashMap::new(),
            own,
            folders,
            has_entries,
            equal: 0,
            equal_weak: 0,
            swapped,
            likely,
            root: PathBuf::new(),
            below: None,
            rules: RuleSets::default(),
            requested,
        }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the folder that names are relative to; empty before the manifests have been read.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reports what happened to each file in the manifests and to each other file in their folder. All manifests
    /// together form one list; `-` is standard input.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with manifests and files are reported and counted.
    pub fn audit(&mut self, manifests: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        match self.compare_all(manifests, on_event)? {
            Some(rows) => self.end(rows, on_event),
            None => Ok(()),
        }
    }

    /// Returns the result for each file, in the order of names, or `None` if nothing could be compared.
    pub(crate) fn compare_all(
        &mut self,
        manifests: &[impl AsRef<Path>],
        on_event: &mut Observer<'_>,
    ) -> io::Result<Option<Vec<Row>>> {
        let folders: Vec<PathBuf> =
            manifests.iter().map(|name| self.options.read.folder(name.as_ref())).collect();
        let Some(folder) = folders.first() else {
            self.report.nothing = true;
            return Ok(None);
        };
        let elsewhere = self.options.read.remote.is_some();
        let named = self.options.folder.as_deref();
        let other = folders.iter().position(|other| !elsewhere && !same_file(other, folder));
        if let (Some(at), None) = (other, named) {
            let why = "it is not in the same folder as the first manifest; specify the folder that all manifests describe";
            let name = manifests[at].as_ref().as_os_str().as_bytes();
            let error = Error::new(name, "use", Cause::Other(why.to_owned()));
            return self.failed(&error, on_event).map(|()| None);
        }
        for name in manifests {
            self.manifest(LISTED, name.as_ref(), on_event)?;
        }
        if !self.begin(self.report.failed == 0) {
            self.unmatched(on_event)?;
            return Ok(None);
        }
        // Without times, all files would be read before the result is refused.
        if self.lacks_times() {
            return Ok(None);
        }
        let root = match named {
            None => folder.clone(),
            Some(named) if elsewhere || other.is_some() => named.to_owned(),
            Some(named) => self.scope(folder, named),
        };
        self.root.clone_from(&root);
        let folder = &root;
        self.leave_out(Some(folder), &mut Vec::new());
        self.listed_files(folder, self.missing_files(), false, on_event)?;
        let mut fresh = self.walk(FOUND, folder, on_event)?;
        self.leave_out(None, &mut fresh);
        self.drop_outside(folder, &mut fresh);
        self.unmatched(on_event)?;
        let specs = self.listed_algorithms();
        self.hash(FOUND, folder, &fresh, &specs, on_event)?;
        let mut rows = self.rows(&mut fresh, true);
        let copies = copied([&self.sets[LISTED], &self.sets[FOUND]], &mut fresh);
        let again = duplicated(&self.sets[FOUND], &mut fresh);
        let row =
            |status, side| move |(from, at)| Row { from: Some((side, from)), ..Row::of(status, NONE, at) };
        rows.extend(copies.into_iter().map(row(FileStatus::Copied, LISTED)));
        rows.extend(again.into_iter().map(row(FileStatus::Duplicated, FOUND)));
        self.pair_modified(&mut rows, &mut fresh);
        Ok(Some(self.in_order(rows, fresh)))
    }

    /// Returns whether entries are to be trusted by their modification times, and none has one.
    pub(crate) fn lacks_times(&self) -> bool {
        let needs_times = self.requested.quick.as_ref().is_some_and(|quick| !quick.trusts_date);
        needs_times && self.has_no_times()
    }

    /// Returns whether there are entries, and none has a modification time.
    pub(crate) fn has_no_times(&self) -> bool {
        let set = &self.sets[LISTED];
        set.len() > 0 && (0..set.len()).all(|at| set.time(at).is_none())
    }

    /// Reports the differences between an old and a new side, each a manifest, a folder or an object store of the
    /// options. A file is read only if the known sizes and digests are not sufficient, and no object is read.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with manifests and files are reported and counted.
    pub fn diff(&mut self, old: &Path, new: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let [old_store, new_store] = [old, new].map(|side| self.store(side));
        let is_folder = |side: &Path, store: &Option<_>| store.is_none() && side.is_dir();
        let (mut fresh, swapped) = match (is_folder(old, &old_store), is_folder(new, &new_store)) {
            (false, false) => {
                let has_store = old_store.is_some() || new_store.is_some();
                if has_store || self.sorted(old, new).is_err() {
                    let is_listed = self.listed_side(LISTED, old, on_event)?;
                    if !self.begin(is_listed) {
                        return self.unmatched(on_event);
                    }
                    if !self.listed_side(FOUND, new, on_event)? && new_store.is_some() {
                        return Ok(());
                    }
                    // A manifest without entries does not show that the files were removed.
                    let is_empty = !self.has_entries && self.report.left_out[FOUND] == 0;
                    if is_empty && new_store.is_none() {
                        self.report.nothing = true;
                        self.report.interrupted |= self.progress.stopped();
                        return self.unmatched(on_event);
                    }
                }
                let mut linked = vec![false; self.sets[FOUND].len() as usize];
                self.state
                    .iter()
                    .for_each(|&at| linked.get_mut(at as usize).into_iter().for_each(|it| *it = true));
                let fresh: Vec<u32> =
                    (0..self.sets[FOUND].len()).filter(|&at| !linked[at as usize]).collect();
                self.report.nothing |= !self.has_entries;
                let mut fresh = fresh;
                self.leave_out(None, &mut fresh);
                self.compare_piece_lists(on_event)?;
                (fresh, false)
            }
            (true, true) => (self.folders(old, new, on_event)?, false),
            (_, new_is_folder) => {
                let (manifest, folder) = if new_is_folder { (old, new) } else { (new, old) };
                let is_listed = self.listed_side(LISTED, manifest, on_event)?;
                if !self.begin(is_listed) {
                    return self.unmatched(on_event);
                }
                let folder = &match self.store(manifest) {
                    // Names of objects are relative to the URL, and so to the folder.
                    Some(_) => folder.to_owned(),
                    None => self.scope(&self.options.read.folder(manifest), folder),
                };
                self.root.clone_from(folder);
                self.leave_out(Some(folder), &mut Vec::new());
                self.listed_files(folder, self.missing_files(), true, on_event)?;
                let mut fresh = self.walk(FOUND, folder, on_event)?;
                self.leave_out(None, &mut fresh);
                let specs = self.listed_algorithms();
                let wanted = self.of_sizes(FOUND, &fresh, LISTED, &self.missing_files());
                self.hash(FOUND, folder, &wanted, &specs, on_event)?;
                (fresh, !new_is_folder)
            }
        };
        if self.report.failed > 0 && self.sets[FOUND].len() == 0 && !self.state.contains(&SAME) {
            return Ok(());
        }
        self.unmatched(on_event)?;
        // Files that are the same are only counted. There may be millions.
        self.equal += self.state.iter().filter(|&&state| state == SAME).count() as u64;
        let mut rows = self.rows(&mut fresh, false);
        let all = rows.len();
        rows.retain(|row| row.status != FileStatus::Same);
        self.report.add_same(self.equal + (all - rows.len()) as u64);
        self.swapped = swapped;
        self.pair_modified(&mut rows, &mut fresh);
        let rows = self.in_order(rows, fresh);
        self.end(rows, on_event)
    }

    /// Compares the files of two folders that have the same names. Returns the files that only the new folder has.
    fn folders(&mut self, old: &Path, new: &Path, on_event: &mut Observer<'_>) -> io::Result<Vec<u32>> {
        let specs: Arc<[Spec]> = match &self.options.read.algorithms[..] {
            [] => Arc::from(["blake3".parse().expect("a row of the table of algorithms")]),
            requested => under(requested.to_vec(), self.options.read.key.as_ref()).into(),
        };
        self.folders = true;
        let all = self.walk(LISTED, old, on_event)?;
        self.state = vec![NOT_FOUND; all.len()];
        self.report.listed = all.len() as u64;
        let mut fresh = self.walk(FOUND, new, on_event)?;
        self.leave_out(None, &mut fresh);
        self.report.nothing = all.is_empty() && fresh.is_empty() && self.state.is_empty();
        let (both, gone): (Vec<u32>, Vec<u32>) = all
            .into_iter()
            .filter(|&at| self.state[at as usize] != EXCLUDED)
            .partition(|&at| self.state[at as usize] != NOT_FOUND);
        let sized =
            |&at: &u32| compare((&self.sets[LISTED], at), (&self.sets[FOUND], self.state[at as usize]));
        let mut wanted: Vec<u32> = both.into_iter().filter(|at| sized(at) != Compared::Differs).collect();
        let partners: Vec<u32> = wanted.iter().map(|&at| self.state[at as usize]).collect();
        let (moved_from, moved_to) =
            (self.of_sizes(LISTED, &gone, FOUND, &fresh), self.of_sizes(FOUND, &fresh, LISTED, &gone));
        wanted.extend(moved_from);
        self.hash(LISTED, old, &wanted, &specs, on_event)?;
        self.hash(FOUND, new, &[partners, moved_to].concat(), &specs, on_event)?;
        Ok(fresh)
    }

    /// Completes the list of expected files and returns whether the comparison can continue.
    fn begin(&mut self, is_listed: bool) -> bool {
        self.report.listed = u64::from(self.sets[LISTED].len());
        self.report.nothing = self.report.listed == 0;
        self.state = vec![NOT_FOUND; self.sets[LISTED].len() as usize];
        self.report.interrupted |= self.progress.stopped();
        (!self.report.nothing || self.requested.notes) && is_listed && !self.report.interrupted
    }

    /// Returns the folder that names are relative to when the folder `named` is specified in addition to a manifest.
    /// `base` is the folder that a check resolves names against. If `named` is inside `base` and a name in the manifest
    /// exists where a check looks for it, `named` only selects the files below it, because the meaning of a name must
    /// not depend on the command. Names are relative to `named` only if no name is found or `named` is elsewhere.
    fn scope(&mut self, base: &Path, named: &Path) -> PathBuf {
        let (Ok(inner), Ok(outer)) = (named.canonicalize(), base.canonicalize()) else {
            return named.to_owned();
        };
        let Some(below) = inner.strip_prefix(&outer).ok().filter(|below| !below.as_os_str().is_empty())
        else {
            return named.to_owned();
        };
        let prefix = [entry_name(below.to_owned()), b"/".to_vec()].concat();
        let listed = &self.sets[LISTED];
        let is_there = |at: u32| {
            let name = listed.name(at);
            !name.starts_with(b"/") && base.join(OsStr::from_bytes(name)).is_file()
        };
        let mut all = 0..listed.len();
        if !all.clone().any(|at| listed.name(at).starts_with(&prefix))
            && !all.by_ref().take(LOOKED_AT).any(is_there)
        {
            return named.to_owned();
        }
        for at in 0..listed.len() {
            if !listed.name(at).starts_with(&prefix) {
                self.state[at as usize] = EXCLUDED;
                self.report.left_out[LISTED] += 1;
                self.report.listed -= 1;
            }
        }
        self.below = Some(prefix);
        base.to_owned()
    }

    /// Removes files outside the folder that contains all files in the manifest, if requested. Files that may be
    /// missing files that were moved are kept, and so are signatures of the manifest, which are reported separately.
    fn drop_outside(&mut self, root: &Path, fresh: &mut Vec<u32>) {
        if !self.requested.around {
            return;
        }
        let [listed, found] = &self.sets;
        let mut inside = common_folder((0..listed.len()).map(|at| listed.name(at)));
        if inside.is_empty() {
            return;
        }
        inside.push(b'/');
        let outside: Vec<u32> =
            fresh.iter().copied().filter(|&at| !found.name(at).starts_with(&inside)).collect();
        let moved: HashSet<u32> =
            self.of_sizes(FOUND, &outside, LISTED, &self.missing_files()).into_iter().collect();
        let signs = |at| {
            let path = root.join(OsStr::from_bytes(found.name(at)));
            is_signature(&self.own, path.as_os_str().as_bytes(), None)
        };
        let out: HashSet<u32> = outside.into_iter().filter(|at| !moved.contains(at) && !signs(*at)).collect();
        fresh.retain(|at| !out.contains(at));
        self.requested.outside = out.len() as u64;
        self.requested.inside = inside;
    }

    /// Returns the algorithms to compute for files that are not in the manifest.
    fn listed_algorithms(&self) -> Arc<[Spec]> {
        let mut specs: Vec<Spec> = Vec::new();
        for spec in self.sets[LISTED].kinds().iter().flat_map(|kind| kind.iter()) {
            if specs.len() < ALGORITHMS && !specs.contains(spec) {
                specs.push(spec.clone());
            }
        }
        if specs.is_empty() { self.requested.usual[..].into() } else { specs.into() }
    }

    /// Returns the files in the manifest that are missing.
    fn missing_files(&self) -> Vec<u32> {
        (0..self.sets[LISTED].len()).filter(|&at| self.state[at as usize] == NOT_FOUND).collect()
    }

    /// Returns the files of one side that have, or may have, the size of a file of the other side.
    fn of_sizes(&self, side: usize, files: &[u32], other: usize, others: &[u32]) -> Vec<u32> {
        let sizes: HashSet<Option<u64>> = others.iter().map(|&at| self.sets[other].size(at)).collect();
        let unknown = sizes.contains(&None);
        let fits = |at: &u32| {
            let size = self.sets[side].size(*at);
            unknown || sizes.contains(&size) || size.is_none() && !sizes.is_empty()
        };
        files.iter().copied().filter(fits).collect()
    }

    /// Returns the results for files in the manifest, and for the files of `fresh` that correspond to them, which are
    /// removed from `fresh`. Files marked as the same have rows only if `same` is set.
    fn rows(&mut self, fresh: &mut Vec<u32>, same: bool) -> Vec<Row> {
        let unread = |at: &u32| self.errors.contains_key(&(FOUND, *at));
        let mut rows: Vec<Row> = fresh
            .iter()
            .filter(|at| unread(at))
            .map(|&at| Row::of(FileStatus::Unreadable, NONE, at))
            .collect();
        fresh.retain(|at| !unread(at));
        let mut gone = self.missing_files();
        let sets = [&self.sets[LISTED], &self.sets[FOUND]];
        let written = self.written();
        let is_recent = |at: u32| {
            let path = self.root.join(OsStr::from_bytes(sets[FOUND].name(at)));
            written.zip(changed(&path)).is_some_and(|(written, changed)| changed >= written)
        };
        let pairs = moved(sets, &mut gone, fresh, &is_recent);
        rows.extend(pairs.into_iter().map(|Move { from, to, ambiguous, candidates }| {
            let is_outside = !sets[FOUND].name(to).starts_with(&self.requested.inside);
            let doubtful = ambiguous || is_outside && !is_recent(to);
            let row = Row::of(FileStatus::Moved, from, to);
            Row { from: Some((LISTED, from)), doubtful, candidates, ..row }
        }));
        rows.extend(gone.into_iter().map(|at| Row::of(FileStatus::Missing, at, NONE)));
        for (at, &state) in (0..).zip(&self.state) {
            let failed = |side, file| self.errors.contains_key(&(side, file));
            rows.push(match state {
                NOT_FOUND => continue,
                SAME if same => Row::of(FileStatus::Same, at, NONE),
                SAME => continue,
                FAILED => Row::of(FileStatus::Unreadable, at, NONE),
                EXCLUDED => continue,
                found if failed(LISTED, at) || failed(FOUND, found) => {
                    Row::of(FileStatus::Unreadable, at, found)
                }
                found => match self.compared(at, found) {
                    Compared::Same if self.requested.notes => Row::of(FileStatus::Same, at, found),
                    Compared::Same => Row::of(FileStatus::Same, at, NONE),
                    Compared::Unknown => Row::of(FileStatus::Unknown, at, found),
                    Compared::Differs => {
                        let status = of_different_content(sets[LISTED].time(at), sets[FOUND].time(found));
                        Row::of(status, at, found)
                    }
                },
            });
        }
        rows
    }

    /// Compares a file in the manifest with that of the same name by all known facts.
    pub(super) fn compared(&self, listed: u32, found: u32) -> Compared {
        let by_digest = compare((&self.sets[LISTED], listed), (&self.sets[FOUND], found));
        let by_pieces = self.compared_pieces.get(&listed).copied().unwrap_or(Compared::Unknown);
        match [by_digest, by_pieces] {
            results if results.contains(&Compared::Differs) => Compared::Differs,
            results if results.contains(&Compared::Same) => Compared::Same,
            _ => Compared::Unknown,
        }
    }

    /// Returns the time when the last of the manifests was written.
    fn written(&self) -> Option<Time> {
        let manifests = self.report.manifests.iter().filter_map(|(path, _)| Metadata::at(path).ok());
        manifests.map(|file| file.mtime()).max()
    }

    /// Combines a missing file and a new one with the same size and time into one row: the file was moved, and was
    /// damaged or modified as well. Callers that accept such changes get two separate rows.
    fn pair_modified(&self, rows: &mut [Row], fresh: &mut Vec<u32>) {
        let [listed, found] = &self.sets;
        if self.requested.accepts_modified || fresh.is_empty() {
            return;
        }
        let missing = rows.iter().enumerate().filter(|(_, row)| row.status == FileStatus::Missing);
        let (places, gone): (Vec<usize>, Vec<u32>) = missing.map(|(at, row)| (at, row.at[LISTED])).unzip();
        for (at, to) in moved_and_modified([listed, found], &gone, fresh) {
            let from = gone[at];
            rows[places[at]] =
                Row { from: Some((LISTED, from)), ..Row::of(FileStatus::MovedModified, from, to) };
        }
    }

    /// Returns all rows, including those of files that exist only on the other side, in the order of names.
    fn in_order(&mut self, mut rows: Vec<Row>, fresh: Vec<u32>) -> Vec<Row> {
        rows.extend(fresh.into_iter().map(|at| Row::of(FileStatus::New, NONE, at)));
        self.report.interrupted |= self.progress.stopped();
        if self.report.interrupted {
            // A file that was not reached is not known to be missing or new.
            let seen = |row: &Row| {
                matches!(
                    row.status,
                    FileStatus::Same
                        | FileStatus::Changed
                        | FileStatus::Corrupt
                        | FileStatus::Restored
                        | FileStatus::Unreadable
                )
            };
            rows.retain(seen);
        }
        self.sort(&mut rows);
        rows
    }

    /// Records the algorithms used for the comparison.
    pub(crate) fn note_algorithms(&mut self) {
        let Comparison { sets, report, swapped, equal_weak, pieced, .. } = self;
        let weak: Vec<bool> = sets[LISTED].kinds().iter().map(|kind| weak_name(kind).is_some()).collect();
        let listed = 0..sets[LISTED].len();
        let stored = listed.filter(|&at| weak[sets[LISTED].kind(at) as usize]).count() as u64;
        report.weak = *equal_weak + stored;
        for name in pieced[LISTED].iter().filter_map(weak_pieces) {
            report.weak += 1;
            report.not_tamper_evident.insert(name);
        }
        if *swapped {
            report.pieces.swap(0, 1);
        }
        for (side, set) in sets.iter().enumerate() {
            for kind in set.kinds() {
                let names = kind.iter().map(ToString::to_string);
                report.algorithms[side ^ usize::from(*swapped)].extend(names);
            }
        }
        // A weak algorithm matters only if no other one is always compared with it. Each side may have a kind for every
        // entry, so kinds are not compared with each other.
        let is_weak = |spec: &&Spec| weak::verdict(spec) != weak::Strength::TamperEvident;
        let mut others: BTreeMap<String, Vec<&Spec>> = BTreeMap::new();
        for kind in sets.iter().flat_map(|set| set.kinds()) {
            for spec in kind.iter().filter(is_weak) {
                others
                    .entry(spec.to_string())
                    .and_modify(|others| others.retain(|other| kind.contains(other)))
                    .or_insert_with(|| kind.iter().filter(|other| !is_weak(other)).collect());
            }
        }
        let alone = others.into_iter().filter(|(_, others)| others.is_empty());
        report.not_tamper_evident.extend(alone.map(|(name, _)| name));
    }

    /// Counts and reports all rows.
    fn end(&mut self, rows: Vec<Row>, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.note_algorithms();
        for row in &rows {
            self.report.add(self.status(row));
            let undecided = self.undecided.get(&row.at[LISTED]);
            if let Some(shares_damage) = undecided.filter(|_| row.status == FileStatus::Unknown) {
                self.report.undecided += 1;
                self.report.shares_damage |= shares_damage;
            }
            self.finding(row, |finding| on_event(Event::Finding(finding)))?;
        }
        Ok(())
    }

    /// Reports requested names that match nothing on either side.
    fn unmatched(&mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        let names = self.options.read.select.unmatched();
        // The names may match nothing only because of an earlier failure.
        if self.progress.stopped() || self.report.failed > 0 {
            return Ok(());
        }
        names.into_iter().try_for_each(|Unmatched { name, excluded }| {
            let why = match excluded {
                true => "excluded by other selection options",
                false => "no file has this name",
            };
            let why = Cause::Other(why.to_owned());
            self.failed(&Error::new(name.as_bytes(), "select", why), on_event)
        })
    }

    /// Counts and reports a failure that does not belong to a single file.
    pub(crate) fn failed(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.failed += 1;
        on_event(Event::Failed(error))
    }
}

/// Returns the name for the algorithms that verify a file if none of them rules out tampering, unless the digests of the
/// complete file have such a name.
fn weak_pieces(file: &Pieced) -> Option<String> {
    let weak = verifying_algorithms(file).iter().find_map(|specs| weak_name(specs));
    weak.filter(|_| file.job.specs.is_empty())
}

fn same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| Metadata::at(path).map(|stat| stat.id()).ok();
    one == other || id(one).is_some_and(|found| id(other) == Some(found))
}

/// Returns the time of the last change of a file's status, which a rename updates on most file systems.
pub(crate) fn changed(path: &Path) -> Option<Time> {
    Metadata::of_link(path).ok().map(|file| file.ctime())
}
