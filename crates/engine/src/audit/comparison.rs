//! A comparison under way: the two sets, what is known of the files of both, and what that comes to.

use crate::audit::row::Row;
use crate::audit::stamps::{Movement, movement, same_time};
use crate::audit::standing::{Event, Report, Standing};
use crate::content::pairing::{copied, duplicated, moved};
use crate::content::set::{Compared, NONE, Set, compare};
use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::progress::Progress;
use crate::verify::entries::weak_name;
use crate::verify::listed::common_folder;
use crate::verify::options::{Options as CheckOptions, under};
use crate::verify::unlisted::is_signature;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_hash::Spec;
use truesum_manifest::{Time, weak};

/// A listed file of which nothing was found so far.
pub(super) const UNSEEN: u32 = NONE;
/// One that was found as it is listed.
pub(super) const SAME: u32 = NONE - 1;
/// One that could not be read.
pub(super) const FAILED: u32 = NONE - 2;
/// One that is not selected.
pub(super) const LEFT: u32 = NONE - 3;

/// The side that is listed, or old, and the one that is found, or new.
pub(crate) const LISTED: usize = 0;
pub(crate) const FOUND: usize = 1;

/// Algorithms that are computed of files that are not listed, at most: of a manifest that has more, the first.
const ALGORITHMS: usize = 16;

/// Listed names that are looked for to decide what names are relative to, at most.
const LOOKED_AT: usize = 1000;

/// Takes what a comparison tells. Its error ends the comparison.
pub type Tell<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// What is asked of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How manifests and files are read. `root` is what names are relative to; `algorithms` are also those by which two
    /// folders are compared, BLAKE3 if there are none. What concerns single checks is not asked: `ignore_missing`,
    /// `unlisted`, `required`.
    pub check: CheckOptions,
    /// A folder that is named next to a manifest. If it is in the folder that the names are relative to, and names are found there as
    /// a check reads them, it selects what is below it; otherwise names are relative to it.
    pub folder: Option<PathBuf>,
    /// Whether files that only moved pass.
    pub moved_passes: bool,
}

/// A comparison under way.
pub struct Comparison<'a> {
    pub(crate) options: &'a Options,
    pub(crate) progress: &'a Progress,
    pub(crate) report: Report,
    pub(crate) sets: [Set; 2],
    /// For each listed file what was found: its index on the other side, or one of the marks above.
    pub(super) state: Vec<u32>,
    pub(super) errors: BTreeMap<(usize, u32), Error>,
    /// Files that are none of those compared: the manifests, and the caller's own.
    pub(crate) own: Vec<FileId>,
    /// Whether both sides are folders: then nothing is listed, and files of this program are files like others.
    pub(super) folders: bool,
    /// Whether the other side lists anything.
    pub(super) met: bool,
    /// Whether the sides are told in each other's place.
    pub(super) swapped: bool,
    /// The folder that names are relative to; known once the manifests were read.
    pub(crate) root: PathBuf,
    /// Only names that begin so are compared, if a folder is named that selects them.
    pub(super) below: Option<Vec<u8>>,
    /// The listed file that the next one found most likely is.
    pub(super) likely: u32,
    /// What whoever changes the manifest wants to know besides.
    pub(crate) asked: Asked,
}

/// Which files need not be read, because their size and times say that they are as listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    /// When the manifest was written; a file whose status changed later is read, whatever its modification time is.
    pub written: Time,
    /// Whether files whose entries have no time are passed over if they were not written to after the manifest was.
    pub trusts_date: bool,
}

/// What whoever changes a manifest wants to know of an audit besides what became of each file.
#[derive(Default)]
pub(crate) struct Asked {
    /// Whether it is asked.
    pub notes: bool,
    /// Which files need not be read, if any.
    pub quick: Option<Quick>,
    /// Whether files that moved and were modified are wanted as a missing one and a new one.
    pub accepts_modified: bool,
    /// The algorithms of files that are not listed, if no line tells any.
    pub usual: Vec<Spec>,
    /// Whether files beside the folder that holds all listed ones are none of the manifest's, unless one may have moved there.
    pub around: bool,
    /// How many there are; what is not read is not told.
    pub beside: u64,
    /// That folder, with a slash behind it.
    pub inside: Vec<u8>,
    /// By their places in the manifest, the entries' indices; of an entry of several lines the first place.
    pub places: Vec<(u64, u32)>,
    /// Places of entries that contradict others.
    pub contradicting: HashSet<u64>,
    /// Whether some entries have digests of pieces.
    pub pieced: bool,
    /// Listed files that were not read.
    pub unread: u64,
}

impl<'a> Comparison<'a> {
    /// A comparison in which nothing was done yet. [`Progress::stop`] ends it early.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Comparison<'a> {
        let report = Report {
            moved_passes: options.moved_passes,
            lenient: options.check.lenient,
            ..Report::default()
        };
        let own = options.check.own.clone();
        let (sets, state, errors) = (Default::default(), Vec::new(), BTreeMap::new());
        let (folders, met, swapped, likely, asked) = (false, false, false, 0, Asked::default());
        Comparison {
            options,
            progress,
            report,
            sets,
            state,
            errors,
            own,
            folders,
            met,
            swapped,
            likely,
            root: PathBuf::new(),
            below: None,
            asked,
        }
    }

    /// What was counted so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Says what became of each file that manifests list, and of each other file of their folder. All manifests together
    /// are one list; `-` is standard input.
    ///
    /// # Errors
    /// Those of `tell`. What goes wrong with manifests and files is told and counted.
    pub fn audit(&mut self, manifests: &[impl AsRef<Path>], tell: &mut Tell<'_>) -> io::Result<()> {
        match self.survey(manifests, tell)? {
            Some(rows) => self.end(rows, tell),
            None => Ok(()),
        }
    }

    /// What became of each file, in the order of names; `None` where nothing could be compared.
    pub(crate) fn survey(
        &mut self,
        manifests: &[impl AsRef<Path>],
        tell: &mut Tell<'_>,
    ) -> io::Result<Option<Vec<Row>>> {
        let folders: Vec<PathBuf> =
            manifests.iter().map(|name| self.options.check.folder(name.as_ref())).collect();
        let Some(folder) = folders.first() else {
            self.report.nothing = true;
            return Ok(None);
        };
        let elsewhere = self.options.check.remote.is_some();
        let named = self.options.folder.as_deref();
        let other = folders.iter().position(|other| !elsewhere && !same_file(other, folder));
        if let (Some(at), None) = (other, named) {
            let why = "it is in another folder than the first: specify the folder that all of them describe";
            let name = manifests[at].as_ref().as_os_str().as_bytes();
            let error = Error::new(name, "use", Cause::Other(why.to_owned()));
            return self.failed(&error, tell).map(|()| None);
        }
        for name in manifests {
            self.manifest(LISTED, name.as_ref(), tell)?;
        }
        if !self.begin() {
            self.unmatched(tell)?;
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
        self.listed_files(folder, self.gone(), false, tell)?;
        let mut fresh = self.walk(FOUND, folder, tell)?;
        self.leave_out(None, &mut fresh);
        self.leave_beside(folder, &mut fresh);
        self.unmatched(tell)?;
        let specs = self.listed_algorithms();
        self.hash(FOUND, folder, &fresh, &specs, tell)?;
        let mut rows = self.rows(&mut fresh);
        let copies = copied([&self.sets[LISTED], &self.sets[FOUND]], &mut fresh);
        let again = duplicated(&self.sets[FOUND], &mut fresh);
        let row =
            |standing, side| move |(from, at)| Row { standing, at: [NONE, at], from: Some((side, from)) };
        rows.extend(copies.into_iter().map(row(Standing::Copied, LISTED)));
        rows.extend(again.into_iter().map(row(Standing::Duplicated, FOUND)));
        self.pair_modified(&mut rows, &mut fresh);
        Ok(Some(self.in_order(rows, fresh)))
    }

    /// Says what differs between an old and a new side, each a manifest or a folder. A file is read only where sizes and
    /// digests at hand do not tell.
    ///
    /// # Errors
    /// Those of `tell`. What goes wrong with manifests and files is told and counted.
    pub fn diff(&mut self, old: &Path, new: &Path, tell: &mut Tell<'_>) -> io::Result<()> {
        let (mut fresh, swapped) = match (old.is_dir(), new.is_dir()) {
            (false, false) => {
                self.manifest(LISTED, old, tell)?;
                if !self.begin() {
                    return self.unmatched(tell);
                }
                self.manifest(FOUND, new, tell)?;
                let mut linked = vec![false; self.sets[FOUND].len() as usize];
                self.state
                    .iter()
                    .for_each(|&at| linked.get_mut(at as usize).into_iter().for_each(|it| *it = true));
                let fresh: Vec<u32> =
                    (0..self.sets[FOUND].len()).filter(|&at| !linked[at as usize]).collect();
                self.report.nothing |= !self.met;
                let mut fresh = fresh;
                self.leave_out(None, &mut fresh);
                (fresh, false)
            }
            (true, true) => (self.folders(old, new, tell)?, false),
            (_, new_is_folder) => {
                let (manifest, folder) = if new_is_folder { (old, new) } else { (new, old) };
                self.manifest(LISTED, manifest, tell)?;
                if !self.begin() {
                    return self.unmatched(tell);
                }
                let base = self.options.check.folder(manifest);
                let folder = &self.scope(&base, folder);
                self.leave_out(Some(folder), &mut Vec::new());
                self.listed_files(folder, self.gone(), true, tell)?;
                let mut fresh = self.walk(FOUND, folder, tell)?;
                self.leave_out(None, &mut fresh);
                let specs = self.listed_algorithms();
                let wanted = self.of_sizes(FOUND, &fresh, LISTED, &self.gone());
                self.hash(FOUND, folder, &wanted, &specs, tell)?;
                (fresh, !new_is_folder)
            }
        };
        if self.report.failed > 0 && self.sets[FOUND].len() == 0 && !self.state.contains(&SAME) {
            return Ok(());
        }
        self.unmatched(tell)?;
        let mut rows = self.rows(&mut fresh);
        let all = rows.len();
        rows.retain(|row| row.standing != Standing::Same);
        (rows.len()..all).for_each(|_| self.report.add(Standing::Same));
        self.swapped = swapped;
        self.pair_modified(&mut rows, &mut fresh);
        let rows = self.in_order(rows, fresh);
        self.end(rows, tell)
    }

    /// Compares two folders as far as their files have names in common; returns the files that only the new one has.
    fn folders(&mut self, old: &Path, new: &Path, tell: &mut Tell<'_>) -> io::Result<Vec<u32>> {
        let specs: Arc<[Spec]> = match &self.options.check.algorithms[..] {
            [] => Arc::from(["blake3".parse().expect("a row of the table of algorithms")]),
            asked => under(asked.to_vec(), self.options.check.key.as_ref()).into(),
        };
        self.folders = true;
        let all = self.walk(LISTED, old, tell)?;
        self.state = vec![UNSEEN; all.len()];
        self.report.listed = all.len() as u64;
        let mut fresh = self.walk(FOUND, new, tell)?;
        self.leave_out(None, &mut fresh);
        self.report.nothing = all.is_empty() && fresh.is_empty() && self.state.is_empty();
        let (both, gone): (Vec<u32>, Vec<u32>) = all
            .into_iter()
            .filter(|&at| self.state[at as usize] != LEFT)
            .partition(|&at| self.state[at as usize] != UNSEEN);
        let sized =
            |&at: &u32| compare((&self.sets[LISTED], at), (&self.sets[FOUND], self.state[at as usize]));
        let mut wanted: Vec<u32> = both.into_iter().filter(|at| sized(at) != Compared::Differs).collect();
        let partners: Vec<u32> = wanted.iter().map(|&at| self.state[at as usize]).collect();
        let (moved_from, moved_to) =
            (self.of_sizes(LISTED, &gone, FOUND, &fresh), self.of_sizes(FOUND, &fresh, LISTED, &gone));
        wanted.extend(moved_from);
        self.hash(LISTED, old, &wanted, &specs, tell)?;
        self.hash(FOUND, new, &[partners, moved_to].concat(), &specs, tell)?;
        Ok(fresh)
    }

    /// Notes that all is listed, and says whether that is anything to go on with.
    fn begin(&mut self) -> bool {
        self.report.listed = u64::from(self.sets[LISTED].len());
        self.report.nothing = self.report.listed == 0;
        self.state = vec![UNSEEN; self.sets[LISTED].len() as usize];
        self.report.interrupted |= self.progress.stopped();
        (!self.report.nothing || self.asked.notes) && self.report.failed == 0 && !self.report.interrupted
    }

    /// Returns the folder that names are relative to, where `named` is named next to a manifest whose names a check reads relative to
    /// `base`. A folder in `base` selects what is below it if a listed name is found where a check looks for it: what a name means must
    /// not depend on the words of the command. Only where no name is, or the folder is elsewhere, names are relative to it.
    fn scope(&mut self, base: &Path, named: &Path) -> PathBuf {
        let (Ok(inner), Ok(outer)) = (named.canonicalize(), base.canonicalize()) else {
            return named.to_owned();
        };
        let Some(below) = inner.strip_prefix(&outer).ok().filter(|below| !below.as_os_str().is_empty())
        else {
            return named.to_owned();
        };
        let prefix = [below.as_os_str().as_bytes(), b"/"].concat();
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
                self.state[at as usize] = LEFT;
                self.report.left_out[LISTED] += 1;
                self.report.listed -= 1;
            }
        }
        self.below = Some(prefix);
        base.to_owned()
    }

    /// Takes files out that lie beside the folder that holds all listed ones, if that is asked for: all but those that a missing file
    /// may have become, and signatures of the manifest, which are told apart.
    fn leave_beside(&mut self, root: &Path, fresh: &mut Vec<u32>) {
        if !self.asked.around {
            return;
        }
        let [listed, found] = &self.sets;
        let mut inside = common_folder((0..listed.len()).map(|at| listed.name(at)));
        if inside.is_empty() {
            return;
        }
        inside.push(b'/');
        let beside: Vec<u32> =
            fresh.iter().copied().filter(|&at| !found.name(at).starts_with(&inside)).collect();
        let moved: HashSet<u32> = self.of_sizes(FOUND, &beside, LISTED, &self.gone()).into_iter().collect();
        let signs = |at| {
            let path = root.join(OsStr::from_bytes(found.name(at)));
            is_signature(&self.own, path.as_os_str().as_bytes(), None)
        };
        let out: HashSet<u32> = beside.into_iter().filter(|at| !moved.contains(at) && !signs(*at)).collect();
        fresh.retain(|at| !out.contains(at));
        self.asked.beside = out.len() as u64;
        self.asked.inside = inside;
    }

    /// The algorithms to compute of files that are not listed.
    fn listed_algorithms(&self) -> Arc<[Spec]> {
        let mut specs: Vec<Spec> = Vec::new();
        for spec in self.sets[LISTED].kinds().iter().flat_map(|kind| kind.iter()) {
            if specs.len() < ALGORITHMS && !specs.contains(spec) {
                specs.push(spec.clone());
            }
        }
        if specs.is_empty() { self.asked.usual[..].into() } else { specs.into() }
    }

    /// The listed files that are not there.
    fn gone(&self) -> Vec<u32> {
        (0..self.sets[LISTED].len()).filter(|&at| self.state[at as usize] == UNSEEN).collect()
    }

    /// Those of a side's files that have the size of one of the other's, or may have.
    fn of_sizes(&self, side: usize, files: &[u32], other: usize, others: &[u32]) -> Vec<u32> {
        let sizes: HashSet<Option<u64>> = others.iter().map(|&at| self.sets[other].size(at)).collect();
        let unknown = sizes.contains(&None);
        let fits = |at: &u32| {
            let size = self.sets[side].size(*at);
            unknown || sizes.contains(&size) || size.is_none() && !sizes.is_empty()
        };
        files.iter().copied().filter(fits).collect()
    }

    /// What is to be told of listed files, and of those of `fresh` that are such; they are taken out.
    fn rows(&mut self, fresh: &mut Vec<u32>) -> Vec<Row> {
        let unread = |at: &u32| self.errors.contains_key(&(FOUND, *at));
        let mut rows: Vec<Row> =
            fresh.iter().filter(|at| unread(at)).map(|&at| Row::of(Standing::Unreadable, NONE, at)).collect();
        fresh.retain(|at| !unread(at));
        let mut gone = self.gone();
        let sets = [&self.sets[LISTED], &self.sets[FOUND]];
        let pairs = moved(sets, &mut gone, fresh);
        rows.extend(
            pairs
                .into_iter()
                .map(|(from, to)| Row { from: Some((LISTED, from)), ..Row::of(Standing::Moved, from, to) }),
        );
        rows.extend(gone.into_iter().map(|at| Row::of(Standing::Missing, at, NONE)));
        for (at, &state) in (0..).zip(&self.state) {
            let failed = |side, file| self.errors.contains_key(&(side, file));
            rows.push(match state {
                UNSEEN => continue,
                SAME => Row::of(Standing::Same, at, NONE),
                FAILED => Row::of(Standing::Unreadable, at, NONE),
                LEFT => continue,
                found if failed(LISTED, at) || failed(FOUND, found) => {
                    Row::of(Standing::Unreadable, at, found)
                }
                found => match compare((sets[LISTED], at), (sets[FOUND], found)) {
                    Compared::Same if self.asked.notes => Row::of(Standing::Same, at, found),
                    Compared::Same => Row::of(Standing::Same, at, NONE),
                    Compared::Unknown => Row::of(Standing::Unknown, at, found),
                    Compared::Differs => Row::of(self.differs(at, found), at, found),
                },
            });
        }
        rows
    }

    /// Returns what a file with other content is. Its size proves nothing: what cuts a file short or fills it with zeros need not
    /// touch its time either.
    fn differs(&self, listed: u32, found: u32) -> Standing {
        let [set, other] = &self.sets;
        let times = set.time(listed).zip(other.time(found));
        match times.map(|(recorded, found)| movement(recorded, found)) {
            Some(Movement::Unmoved) => Standing::Corrupt,
            Some(Movement::Earlier) => Standing::Restored,
            Some(Movement::Later) | None => Standing::Changed,
        }
    }

    /// Makes one row of a missing file and a new one of its size and time: it moved, and was damaged or modified on the way. Whoever
    /// consents to that gets the two.
    fn pair_modified(&self, rows: &mut [Row], fresh: &mut Vec<u32>) {
        let [listed, found] = &self.sets;
        if self.asked.accepts_modified || fresh.is_empty() {
            return;
        }
        let mut by_size: HashMap<u64, Vec<u32>> = HashMap::new();
        for &at in fresh.iter() {
            by_size.entry(found.size(at).unwrap_or(0)).or_default().push(at);
        }
        let mut taken = HashSet::new();
        for row in rows.iter_mut().filter(|row| row.standing == Standing::Missing) {
            let from = row.at[LISTED];
            let (Some(size), Some(time)) = (listed.size(from), listed.time(from)) else { continue };
            let same =
                |to: &u32| !taken.contains(to) && found.time(*to).is_some_and(|other| same_time(time, other));
            if let Some(to) = by_size.get(&size).and_then(|files| files.iter().copied().find(same)) {
                taken.insert(to);
                *row = Row { from: Some((LISTED, from)), ..Row::of(Standing::MovedModified, from, to) };
            }
        }
        fresh.retain(|at| !taken.contains(at));
    }

    /// All rows, those of files that only the other side has among them, in the order of names.
    fn in_order(&mut self, mut rows: Vec<Row>, fresh: Vec<u32>) -> Vec<Row> {
        rows.extend(fresh.into_iter().map(|at| Row::of(Standing::New, NONE, at)));
        self.report.interrupted |= self.progress.stopped();
        if self.report.interrupted {
            // What was not reached is not known to be gone or new.
            let seen = |row: &Row| {
                matches!(
                    row.standing,
                    Standing::Same
                        | Standing::Changed
                        | Standing::Corrupt
                        | Standing::Restored
                        | Standing::Unreadable
                )
            };
            rows.retain(seen);
        }
        self.sort(&mut rows);
        rows
    }

    /// Notes by which algorithms was compared.
    pub(crate) fn note_algorithms(&mut self) {
        let Comparison { sets, report, swapped, .. } = self;
        let weak: Vec<bool> = sets[LISTED].kinds().iter().map(|kind| weak_name(kind).is_some()).collect();
        let listed = 0..sets[LISTED].len();
        report.weak = listed.filter(|&at| weak[sets[LISTED].kind(at) as usize]).count() as u64;
        for (side, set) in sets.iter().enumerate() {
            let specs = set.kinds().iter().flat_map(|kind| kind.iter());
            for spec in specs {
                report.algorithms[side ^ usize::from(*swapped)].insert(spec.to_string());
                if weak::verdict(spec) != weak::Strength::TamperEvident {
                    report.not_tamper_evident.insert(spec.to_string());
                }
            }
        }
    }

    /// Counts and tells everything.
    fn end(&mut self, rows: Vec<Row>, tell: &mut Tell<'_>) -> io::Result<()> {
        self.note_algorithms();
        for row in &rows {
            self.report.add(self.standing(row));
            self.finding(row, |finding| tell(Event::Finding(finding)))?;
        }
        Ok(())
    }

    /// Tells of names asked for that match nothing on either side.
    fn unmatched(&mut self, tell: &mut Tell<'_>) -> io::Result<()> {
        let names = self.options.check.select.unmatched();
        // What else went wrong may be why.
        if self.progress.stopped() || self.report.failed > 0 {
            return Ok(());
        }
        names.into_iter().try_for_each(|name| {
            let why = Cause::Other("selected with --only, but no file has this name".to_owned());
            self.failed(&Error::new(name.as_bytes(), "select", why), tell)
        })
    }

    /// Counts and tells a failure that is not that of one file.
    pub(crate) fn failed(&mut self, error: &Error, tell: &mut Tell<'_>) -> io::Result<()> {
        self.report.failed += 1;
        tell(Event::Failed(error))
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| std::fs::metadata(path).map(|metadata| FileId::from(&metadata)).ok();
    one == other || id(one).is_some_and(|found| id(other) == Some(found))
}
