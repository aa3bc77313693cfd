//! Walks directory trees: every file below the given roots, in byte order of paths, listed ahead by
//! several threads.
//!
//! # Problem
//!
//! A manifest of the same tree must be the same on every machine and in every run, so the order
//! cannot be that of the file system. Listing a folder waits for the disk or the network, while
//! hashing could proceed. And a tree can change during the walk: another process may replace a folder by a
//! link to `/etc` between listing its parent and opening a file in it.
//!
//! # Order
//!
//! Within a folder, names sort as if the names of folders ended in `/`, so that complete paths are
//! in byte order: `a.txt` comes before `a/b`, because `.` sorts before `/`. Sorting needs only the
//! entries of one folder at a time, so memory depends on the largest folder and the depth, not on
//! the number of files.
//!
//! # Listing ahead
//!
//! One consumer proceeds depth first. Helpers list the folders it will reach next:
//!
//! ```text
//! consumer: descend(folder)                            helper: take the next offered folder
//!     listing = taken from its slot, or listed here        list it into its slot
//!     sort, and offer its subfolders                       offer its subfolders, if that is allowed
//!     yield entries; descend at each folder                pause if too many entries wait
//! ```
//!
//! A slot is taken by the consumer or a helper, whichever comes first, so the consumer does not wait
//! for a helper that is slow to start, and without helpers the walk is the same. Helpers start only
//! once a tree has more than a few folders. They do not descend by themselves where an ignore file,
//! a glob, another file system or a followed link decides whether a folder is part of the walk: only
//! the consumer knows.
//!
//! # Replaced folders
//!
//! Symbolic links below a root are followed only on request, and a link that replaces a folder
//! during the walk is never followed by accident: everything found has an [`Anchor`], from which it
//! is listed and opened. A folder is stored as its name and a reference to its parent, so that
//! memory grows linearly with the depth of a tree.
//!
//! Anything that cannot be listed, forms a loop or is not a regular file is returned as an item and
//! never dropped silently.

mod ahead;
mod ancestry;
mod listing;
mod slot;
#[cfg(all(test, unix))]
mod tests;

use crate::error::{Cause, Error};
use crate::globs::Globs;
use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special, describe};
use crate::io::resolve::Confinement;
use crate::io::state::{DEFAULT_STATE, is_state};
use crate::io::temporary::is_temporary;
use crate::job::Job;
use crate::run::config::cores;
use crate::select::Selection;
use crate::select::names::{parts, plain};
use crate::task::{Notice, Task};
use ahead::{ListAhead, listing_jobs};
use ancestry::Ancestry;
pub(crate) use listing::Facts;
use listing::{Entry, ListingJob, Pending, list};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use truesum_fs::Errno;
use truesum_fs::metadata::{FileType, Metadata};
use truesum_fs::name::{self, OsStrExt, OsStringExt, entry_name};
use truesum_fs::resolve::OpenMode;
use truesum_hash::Spec;

options! {
    /// The options of a walk.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// Whether to follow symbolic links found below the roots (roots themselves are always followed).
        follow: bool,
        /// Whether to stay on the file system of each root.
        one_file_system: bool,
        /// The types of files to return as files: with [`Special::Read`], also devices, pipes and
        /// sockets.
        special: Special,
        /// The selection of files by globs, sizes and times, which also applies to the roots. A glob
        /// matches the name of a file relative to the root, or its path including the root as it was given.
        /// Lists of names and samples are left to the caller, which knows the entries.
        select: Selection,
        /// Whether globs apply only to objects below the roots, and not to the roots themselves.
        below_root: bool,
        /// Whether to apply `.gitignore` files below the roots. As in `git grep`, they do not apply
        /// to the roots.
        gitignore: bool,
    }
}

getters! {
    Options {
        /// Returns whether symbolic links are followed.
        get_follow: bool = [follow];
        /// Returns whether the walk stays on the file system of each root.
        get_one_file_system: bool = [one_file_system];
        /// Returns the types of files to return as files.
        get_special: Special = [special];
        /// Returns the selection of files.
        get_select: &Selection = [&select];
        /// Returns whether `.gitignore` files are honored.
        get_gitignore: bool = [gitignore];
    }
}

/// An object found by the walk.
#[derive(Debug)]
pub enum Item {
    /// A file to read, and the anchor from which it is opened; `None` for a root, which is opened
    /// by its name.
    File(PathBuf, Option<Anchor>),
    /// A temporary file of this program, which was left by an earlier run or is being written by another one.
    Temporary(PathBuf),
    /// A state file of `scrub` under its default name.
    State(PathBuf),
    /// Standard input. Only walks of [command-line arguments](Walk::of_arguments) yield it.
    Stdin,
    /// A folder or file that could not be examined.
    Failed(Error),
    /// A symbolic link that was not followed.
    Link(PathBuf),
    /// A dangling symbolic link, if links are not followed.
    Dangling(PathBuf),
    /// A device, pipe or socket that was not read.
    Special(PathBuf, &'static str),
}

/// Returns a path without slashes at its end: the root with which the paths of a walk begin.
pub fn trimmed_root(mut root: &[u8]) -> &[u8] {
    while root.len() > 1 && root.ends_with(b"/") {
        root = &root[..root.len() - 1];
    }
    root
}

/// Returns the name of an object relative to the root below which a walk found it. `root` is the name of the path that the
/// walk was given ([`truesum_fs::name::of`]).
pub fn relative<'p>(path: &'p [u8], root: &[u8]) -> &'p [u8] {
    let rest = path.strip_prefix(trimmed_root(root)).unwrap_or(path);
    &rest[rest.iter().take_while(|&&byte| byte == b'/').count()..]
}

impl Item {
    /// Returns the corresponding task of a run: hash the file, or pass on a notice.
    pub fn task(self, specs: &Arc<[Spec]>) -> Task {
        match self {
            Item::File(path, anchor) => Task::File(Job { anchor, ..Job::hash(path, specs) }),
            Item::Stdin => Task::File(Job::argument("-", specs)),
            Item::Temporary(path) => Task::Notice(Notice::Temporary(path)),
            Item::State(path) => Task::Notice(Notice::State(path)),
            Item::Failed(error) => Task::Notice(Notice::Failed(error)),
            Item::Link(path) => Task::Notice(Notice::Link(path)),
            Item::Dangling(path) => Task::Notice(Notice::Dangling(path)),
            Item::Special(path, kind) => Task::Notice(Notice::Special(path, kind)),
        }
    }
}

readable! {
    /// The counts of objects that a selection excluded from a walk.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ExcludedCounts {
        /// Excluded files.
        files: u64,
        /// Excluded folders, whose contents are unknown.
        folders: u64,
        /// Roots among these files and folders.
        named: u64,
    }
}

/// An iterator over [`Item`]s.
pub struct Walk {
    roots: Box<dyn Iterator<Item = Vec<u8>> + Send>,
    root: Vec<u8>,
    /// Whether the root `-` is standard input.
    arguments: bool,
    /// The folder in each root at which the walk begins; empty for the root itself.
    start: Vec<u8>,
    options: Options,
    /// The length of the root's path, which globs are not matched against.
    skip: usize,
    left_out: ExcludedCounts,
    /// Standard input was returned, which can be read only once.
    stdin_returned: bool,
    stack: Vec<Level>,
    /// The path of the folder on top of the stack.
    path: Vec<u8>,
    stop: Arc<AtomicBool>,
    ahead: Option<ListAhead>,
    listed: usize,
    threads: usize,
    pending: Arc<Pending>,
    /// Folders found since they were last requested, if they are recorded.
    folders: Option<Vec<Folder>>,
    /// A name that is ignored directly below each root.
    passed_over: &'static [u8],
    /// The size and time of the last item, if it was examined with its folder.
    facts: Option<Facts>,
}

/// A folder listed by a walk.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Its path, which begins with that of the root.
    pub(crate) path: Vec<u8>,
    /// The anchor from which it and its contents are opened.
    pub(crate) anchor: Anchor,
    /// Its metadata before it was listed.
    pub(crate) stat: Metadata,
}

/// A folder that is being consumed.
struct Level {
    folder_path: Arc<Ancestry>,
    /// The anchor of its contents.
    anchor: Anchor,
    entries: std::vec::IntoIter<Entry>,
    /// The identity of the folder, to detect loops and file system boundaries.
    id: FileId,
    ignore: Option<Arc<IgnoreFile>>,
}

/// The rules of an ignore file.
struct IgnoreFile {
    /// The length of the path of its folder.
    folder: usize,
    globs: Globs,
}

impl Walk {
    /// Returns a walk of the roots in the given order, with the help of this number of threads (0
    /// means one per core). A root that is a file is an item itself.
    pub fn new(
        roots: impl IntoIterator<Item: Into<PathBuf>, IntoIter: Send + 'static>,
        options: Options,
        threads: usize,
    ) -> Walk {
        Walk {
            roots: Box::new(roots.into_iter().map(|root| entry_name(root.into()))),
            root: Vec::new(),
            arguments: false,
            start: Vec::new(),
            pending: Arc::new(Pending { follow: options.follow, ..Pending::default() }),
            options,
            skip: 0,
            left_out: ExcludedCounts::default(),
            stdin_returned: false,
            stack: Vec::new(),
            path: Vec::new(),
            stop: Arc::default(),
            ahead: None,
            listed: 0,
            threads,
            folders: None,
            passed_over: b"",
            facts: None,
        }
    }

    /// Returns everything: [`Walk::take_folders`] contains every folder, which is listed only once its timestamps will
    /// show every later change, and temporary files of this program are treated as ordinary files. `passed_over` is a
    /// name to ignore directly below a root, or empty.
    pub(crate) fn whole(mut self, passed_over: &'static [u8]) -> Walk {
        self.pending_mut().settled = true;
        Walk { folders: Some(Vec::new()), passed_over, ..self }
    }

    /// Examines the files of each folder when it is listed, by the threads that list folders ahead:
    /// [`Walk::last_facts`] then contains the result.
    pub(crate) fn examining(mut self) -> Walk {
        self.pending_mut().examine = true;
        self
    }

    /// Returns the size and time of the file that is the last item, if it was examined with its folder.
    pub(crate) fn last_facts(&self) -> Option<Facts> {
        self.facts
    }

    /// Returns the options of listings, before the walk has begun.
    fn pending_mut(&mut self) -> &mut Pending {
        Arc::get_mut(&mut self.pending).expect("a walk that has not begun shares nothing")
    }

    /// Returns the folders found since the last call and before the last item, in the order of the walk.
    pub(crate) fn take_folders(&mut self) -> Vec<Folder> {
        self.folders.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Ends the walk early once this flag is set, at the latest after the folder that is being
    /// listed.
    pub fn until(self, stop: Arc<AtomicBool>) -> Walk {
        Walk { stop, ..self }
    }

    /// Begins the walk in this folder of each root, given by a relative name. Symbolic links on the
    /// way to it are followed only if all links are.
    pub fn starting_at(self, folder: impl AsRef<Path>) -> Walk {
        Walk { start: name::of(folder.as_ref()).into_owned(), ..self }
    }

    /// Treats roots as command-line arguments, of which `-` is standard input; a second `-` is an
    /// error. Without this, `-` is a file with that name.
    pub fn of_arguments(self) -> Walk {
        Walk { arguments: true, ..self }
    }

    /// Returns the root at or below which the last item was found, as it was given.
    pub fn current_root(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.root))
    }

    /// Returns the counts of objects that the selection has excluded so far. Files excluded by
    /// ignore files are not counted.
    pub fn left_out(&self) -> ExcludedCounts {
        self.left_out
    }

    fn root(&mut self, path: Vec<u8>) -> Option<Item> {
        self.root.clone_from(&path);
        self.facts = None;
        if self.arguments && path == b"-" {
            if std::mem::replace(&mut self.stdin_returned, true) {
                let why = Cause::Other("standard input can be read only once".to_owned());
                return Some(Item::Failed(Error::new(&path, "read", why)));
            }
            return Some(Item::Stdin);
        }
        let stat = match Root::Anywhere.stat(&path, true) {
            Ok(stat) => stat,
            Err(error) => return Some(Item::Failed(Error::io(&path, "open", error))),
        };
        let kind = stat.kind();
        if self.root_is_left_out(&path, kind) || kind != FileType::Directory && !self.fits(&stat) {
            self.left_out.named += 1;
            return None;
        }
        if kind != FileType::Directory {
            return Some(Item::File(named(path), None));
        }
        let mut path = path;
        // The lengths of paths must agree with `Ancestry`, in which only `/` ends in a slash.
        path.truncate(trimmed_root(&path).len());
        self.skip = path.len();
        let confinement = if self.options.follow { Confinement::Anywhere } else { Confinement::NoLinks };
        let anchor = match Anchor::argument(&path, confinement) {
            Ok(anchor) => anchor,
            Err(error) => return Some(Item::Failed(Error::io(&path, "list", error))),
        };
        let mut folder_path = Ancestry::argument(&path, anchor.clone());
        if !self.start.is_empty() {
            folder_path = folder_path.down(&self.start, anchor);
        }
        // `list` takes this back: every folder counts as open from when it is found until it is
        // listed.
        self.pending.open.fetch_add(1, SeqCst);
        self.path = folder_path.path();
        self.descend(folder_path, None)
    }

    /// Enters the folder with the path `self.path`. Returns an item if that fails.
    fn descend(&mut self, folder_path: Arc<Ancestry>, job: Option<ListingJob>) -> Option<Item> {
        let listed = job.and_then(|job| job.slot.take());
        let mut listing = match listed.unwrap_or_else(|| list(&folder_path, &self.pending)) {
            Ok(listing) => listing,
            Err(error) => return self.ascend(Some(Item::Failed(error))),
        };
        // The entries are being consumed now, so helpers may list more.
        listing.waits = None;
        // Without followed links a tree has no loops. The helpers did not list subfolders of this
        // listing (`deep` is false), so only its own entries were counted.
        if self.options.follow && self.stack.iter().any(|level| level.id == listing.id()) {
            self.pending.add(&listing.entries, -1);
            let error = Error::new(&self.path, "walk", Cause::Loop);
            return self.ascend(Some(Item::Failed(error)));
        }
        if self.options.one_file_system
            && self.stack.first().is_some_and(|root| root.id.device() != listing.id().device())
        {
            self.pending.add(&listing.entries, -1);
            return self.ascend(None);
        }
        listing.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let (ignore, failed) = match self.ignore_rules(&listing.anchor, &listing.entries) {
            Ok(ignore) => (ignore, None),
            // Without the rules, more files are hashed than intended, which must not be a success.
            Err(error) => {
                (self.stack.last().and_then(|level| level.ignore.clone()), Some(Item::Failed(error)))
            }
        };
        self.listed += 1;
        self.look_ahead(&folder_path, &listing.anchor, &mut listing.entries);
        if let Some(folders) = &mut self.folders {
            // The anchor is the one of the parent folder, because a folder may be its own base,
            // from which it has no name.
            let anchor = folder_path.anchor.clone();
            folders.push(Folder { path: self.path.clone(), anchor, stat: listing.stat });
        }
        let entries = std::mem::take(&mut listing.entries).into_iter();
        let id = listing.id();
        self.stack.push(Level { folder_path, anchor: listing.anchor.clone(), entries, id, ignore });
        failed
    }

    /// Returns to the folder on top of the stack.
    fn ascend(&mut self, item: Option<Item>) -> Option<Item> {
        self.path.truncate(self.stack.last().map_or(0, |level| level.folder_path.len()));
        item
    }

    /// Offers the subfolders to helpers, once the tree has turned out to have more than a few folders.
    fn look_ahead(&mut self, folder_path: &Arc<Ancestry>, anchor: &Anchor, entries: &mut [Entry]) {
        // With ignore files, only the consumer knows which subfolders are part of the walk.
        if self.listed < 4 || self.options.gitignore {
            return;
        }
        if self.threads == 0 {
            self.threads = cores();
        }
        if self.threads < 2 {
            return;
        }
        let mut listed = Vec::new();
        // The folders above were listed before that was known, and their subfolders may be most of the tree.
        if self.ahead.is_none() {
            for Level { folder_path, anchor, entries, .. } in &mut self.stack {
                listed.extend(listing_jobs(folder_path, anchor, entries.as_mut_slice()));
            }
        }
        listed.extend(listing_jobs(folder_path, anchor, entries));
        if !listed.is_empty() {
            let threads = self.threads.min(4);
            // Helpers also list folders inside folders, unless they may lead to other file systems
            // or form loops.
            let deep =
                !self.options.follow && !self.options.one_file_system && !self.options.select.has_globs();
            let start = || ListAhead::start(threads, deep, self.pending.clone());
            self.ahead.get_or_insert_with(start).offer(listed);
        }
    }

    /// Returns the rules for a folder: those of its ignore file, or of the folder above.
    ///
    /// # Errors
    /// Fails if the ignore file cannot be read.
    fn ignore_rules(&self, anchor: &Anchor, entries: &[Entry]) -> Result<Option<Arc<IgnoreFile>>, Error> {
        if !self.options.gitignore {
            return Ok(None);
        }
        let above = self.stack.last().and_then(|level| level.ignore.clone());
        let is_rules = |entry: &Entry| entry.name == b".gitignore" && entry.kind == FileType::RegularFile;
        if !entries.iter().any(is_rules) {
            return Ok(above);
        }
        // As in git, a symbolic link with this name is not followed.
        let mut path = self.path.clone();
        push(&mut path, b".gitignore");
        let mut text = Vec::new();
        let read = anchor.root().resolve(anchor.rest(&path), OpenMode::Read);
        let read = read.map_err(io::Error::from).and_then(|mut file| file.read_to_end(&mut text));
        read.map_err(|error| Error::io(&path, "read", error))?;
        Ok(Some(Arc::new(IgnoreFile { folder: self.path.len(), globs: Globs::of_ignore_file(&text) })))
    }

    /// Returns whether the selection excludes the current path. It is then counted, unless it is outside the folder to
    /// which the selection is limited, because it was not requested.
    fn is_left_out(&mut self, kind: FileType) -> bool {
        let rest = &self.path[self.skip..];
        let name = rest.strip_prefix(b"/").unwrap_or(rest);
        let select = &self.options.select;
        let is_folder = kind == FileType::Directory;
        let passes = match select.has_globs() && !self.options.below_root {
            true => select.passes(&[name, &plain(&self.path)], is_folder),
            false => select.passes(&[name], is_folder),
        };
        let is_below = select.is_below(name, is_folder);
        !passes && (!is_below || self.count_left_out(kind))
    }

    /// Returns whether globs exclude a root, by its name or that of a folder in a relative path; it is then counted. The
    /// folders of an absolute path only lead to the root. Globs never exclude the root of a walk of everything, which is its
    /// subject, nor `.`, `..` and `/`, which have no name that a glob could match.
    fn root_is_left_out(&mut self, path: &[u8], kind: FileType) -> bool {
        if self.options.below_root || self.folders.is_some() {
            return false;
        }
        let name = plain(path);
        let passes = |path: &[u8], is_folder| {
            let has_name = parts(path).last().is_some_and(|last| last != b"..");
            !has_name || self.options.select.passes(&[path], is_folder)
        };
        let folders = if name.starts_with(b"/") { 0..0 } else { 0..name.len() };
        let mut folders = folders.filter(|&at| name[at] == b'/').map(|at| &name[..at]);
        let passes = passes(&name, kind == FileType::Directory) && folders.all(|folder| passes(folder, true));
        !passes && self.count_left_out(kind)
    }

    /// Counts an excluded object, and always returns true.
    fn count_left_out(&mut self, kind: FileType) -> bool {
        self.left_out.folders += u64::from(kind == FileType::Directory);
        self.left_out.files += u64::from(kind == FileType::RegularFile);
        true
    }

    /// Returns whether size and time of a file are within the bounds; otherwise it is counted. The size of an object
    /// without a size is ignored.
    fn fits(&mut self, stat: &Metadata) -> bool {
        let select = &self.options.select;
        let fits = stat.kind() != FileType::RegularFile || select.fits(stat.size(), stat.mtime());
        self.left_out.files += u64::from(!fits);
        fits
    }

    /// Returns whether ignore files exclude this path.
    fn is_ignored(&self, path: &[u8], is_folder: bool) -> bool {
        if !self.options.gitignore {
            return false;
        }
        // As in git, the nearest file with a matching rule decides.
        let mut last: Option<&Arc<IgnoreFile>> = None;
        for rules in self.stack.iter().rev().filter_map(|level| level.ignore.as_ref()) {
            // Folders without an ignore file share the rules of the folder above.
            if last.is_some_and(|last| Arc::ptr_eq(last, rules)) {
                continue;
            }
            last = Some(rules);
            if let Some(left_out) = rules.globs.takes(&[&path[rules.folder..]], is_folder) {
                return left_out;
            }
        }
        false
    }

    /// Processes one entry of the folder on top of the stack.
    fn visit(&mut self, entry: Entry) -> Option<Item> {
        push(&mut self.path, entry.folder_name());
        self.facts = entry.facts.as_deref().copied();
        let mut kind = entry.kind;
        // An item leaves the counts when it is reached, even if it is then excluded.
        if !self.pending.is_open(kind) {
            self.pending.items.fetch_sub(1, SeqCst);
        }
        let skip_git = self.options.gitignore && kind == FileType::Directory && entry.name == b".git/";
        let passed_over = self.stack.len() == 1 && entry.folder_name() == self.passed_over;
        let ignored = passed_over || skip_git || self.is_ignored(&self.path, kind == FileType::Directory);
        if ignored || self.is_left_out(kind) {
            // A helper that has the job must not list a folder that is not part of the walk.
            if let Some(job) = entry.job {
                job.slot.give_up();
            }
            return self.ascend(None);
        }
        let Level { folder_path, anchor, .. } = self.stack.last().expect("every entry belongs to a level");
        if kind == FileType::Symlink {
            let target = anchor.stat(&self.path, true);
            let is_folder = |stat: &Metadata| stat.kind() == FileType::Directory;
            // A followed link counted as open, because it could lead to a folder. Only `list` ends
            // that for one that does.
            if self.options.follow && !target.as_ref().is_ok_and(is_folder) {
                self.pending.open.fetch_sub(1, SeqCst);
            }
            let path = || named(self.path.clone());
            let item = match target {
                Ok(target) if self.options.follow => {
                    kind = target.kind();
                    None
                }
                Err(Errno::NOENT) if self.options.follow => {
                    let why = Cause::Other("broken symbolic link".to_owned());
                    Some(Item::Failed(Error::new(&self.path, "follow", why)))
                }
                Err(Errno::NOENT) => Some(Item::Dangling(path())),
                Err(error) if self.options.follow => {
                    Some(Item::Failed(Error::io(&self.path, "follow", error)))
                }
                Ok(_) | Err(_) => Some(Item::Link(path())),
            };
            if item.is_some() {
                return self.ascend(item);
            }
        }
        let item = match kind {
            FileType::Directory => {
                // A helper links the folders below to this object, so the same one is used here.
                let listed = entry.job.as_ref().map(|job| job.folder_path.clone());
                let folder_path =
                    listed.unwrap_or_else(|| folder_path.down(entry.folder_name(), anchor.clone()));
                return self.descend(folder_path, entry.job);
            }
            FileType::RegularFile if self.folders.is_none() && is_temporary(&entry.name) => {
                Item::Temporary(named(self.path.clone()))
            }
            FileType::RegularFile
                if self.folders.is_none()
                    && entry.name == DEFAULT_STATE.as_bytes()
                    && is_state(&named(self.path.clone())) =>
            {
                Item::State(named(self.path.clone()))
            }
            FileType::RegularFile if self.options.select.needs_facts() => {
                // A file that cannot be examined is reported when it is opened.
                let stat = anchor.stat(&self.path, self.options.follow);
                let anchor = anchor.clone();
                if stat.is_ok_and(|stat| !self.fits(&stat)) {
                    return self.ascend(None);
                }
                Item::File(named(self.path.clone()), Some(anchor))
            }
            other if other == FileType::RegularFile || self.options.special == Special::Read => {
                Item::File(named(self.path.clone()), Some(anchor.clone()))
            }
            other => Item::Special(named(self.path.clone()), describe(other)),
        };
        self.ascend(Some(item))
    }
}

/// Returns a path in the form for callers.
fn named(path: Vec<u8>) -> PathBuf {
    OsString::from_vec(path).into()
}

/// Appends a name to the path of a folder.
fn push(path: &mut Vec<u8>, name: &[u8]) {
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

impl Iterator for Walk {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        while !self.stop.load(Relaxed) {
            let item = match self.stack.last_mut() {
                Some(level) => match level.entries.next() {
                    Some(entry) => self.visit(entry),
                    None => {
                        self.stack.pop();
                        self.ascend(None)
                    }
                },
                None => {
                    let root = self.roots.next()?;
                    self.root(root)
                }
            };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    /// Returns the number of remaining items, which is exact once every folder has been listed.
    /// Helpers may have done that long before the consumer reaches the folders. Objects that globs
    /// and ignore files exclude are known only when they are reached.
    fn size_hint(&self) -> (usize, Option<usize>) {
        if !self.options.select.is_open() || self.options.gitignore || !self.passed_over.is_empty() {
            return (0, None);
        }
        // Load `open` first: a listing adds its entries before it stops being open, so if no folder
        // is open, the second load sees all entries. Only `next` removes some, and it cannot run
        // at the same time.
        let open = self.pending.open.load(SeqCst) > 0 || self.roots.size_hint().1 != Some(0);
        let items = self.pending.items.load(SeqCst).max(0) as usize;
        (items, (!open).then_some(items))
    }
}
