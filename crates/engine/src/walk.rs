//! Walking trees: every file below the named roots, in byte order of paths, listed ahead by several threads.
//!
//! The order is that of whole paths (`a/b` before `a.txt` only if `/` sorts before `.`, which it does not): inside a
//! folder, names sort as if folders ended in `/`. One consumer goes depth first; helpers list the folders it will reach
//! next. What cannot be listed, leads in circles or is no regular file is an item too, never silence.

mod ahead;
mod listing;
#[cfg(test)]
mod tests;

use crate::error::{Cause, Error};
use crate::io::open::{Special, describe};
use crate::job::Job;
use crate::run::config::cores;
use crate::task::{Notice, Task};
use ahead::{Ahead, slots};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use listing::{Entry, Met, Slot, join, list, lock, stat};
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use truesum_hash::Spec;

/// What to walk, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Follow symbolic links found below the roots (roots themselves always are).
    pub follow: bool,
    /// Stay on the file system of each root.
    pub one_file_system: bool,
    /// Read devices, pipes and sockets found.
    pub special: Special,
    /// Only files that match one of these globs.
    pub include: Vec<String>,
    /// No files or folders that match one of these globs.
    pub exclude: Vec<String>,
    /// Honour `.gitignore` files below the roots.
    pub gitignore: bool,
}

/// Something the walk met.
#[derive(Debug)]
pub enum Item {
    /// A file to read.
    File(Vec<u8>),
    /// A folder or file that could not be looked at.
    Failed(Error),
    /// A symbolic link that was not followed.
    Link(Vec<u8>),
    /// A symbolic link to nothing.
    Dangling(Vec<u8>),
    /// A device, pipe or socket that was not read.
    Special(Vec<u8>, &'static str),
}

impl Item {
    /// What a run is to do with it: hash the file, or tell.
    pub fn task(self, specs: &Arc<[Spec]>) -> Task {
        match self {
            Item::File(path) => Task::File(Job::hash(path, specs)),
            Item::Failed(error) => Task::Tell(Notice::Failed(error)),
            Item::Link(path) => Task::Tell(Notice::Link(path)),
            Item::Dangling(path) => Task::Tell(Notice::Dangling(path)),
            Item::Special(path, kind) => Task::Tell(Notice::Special(path, kind)),
        }
    }
}

/// An iterator over [`Item`]s.
pub struct Walk {
    roots: Box<dyn Iterator<Item = Vec<u8>> + Send>,
    root: Vec<u8>,
    options: Options,
    globs: Override,
    stack: Vec<Level>,
    ahead: Option<Ahead>,
    listed: usize,
    threads: usize,
    met: Arc<Met>,
}

/// A folder being consumed.
struct Level {
    path: Vec<u8>,
    entries: std::vec::IntoIter<Entry>,
    /// Identity of the folder, to see loops and file system borders.
    id: (u64, u64),
    ignore: Option<Arc<Gitignore>>,
}

impl Walk {
    /// Walks the roots in the order given, with the help of so many threads (0: one for each core); a root that is a file is an item itself, and so is `-`, standard input.
    ///
    /// # Errors
    /// A glob that cannot be understood.
    pub fn new(
        roots: impl IntoIterator<Item = Vec<u8>, IntoIter: Send + 'static>,
        options: Options,
        threads: usize,
    ) -> Result<Walk, String> {
        let mut globs = OverrideBuilder::new("");
        for glob in &options.include {
            globs.add(glob).map_err(|error| error.to_string())?;
        }
        for glob in &options.exclude {
            globs.add(&format!("!{glob}")).map_err(|error| error.to_string())?;
        }
        let globs = globs.build().map_err(|error| error.to_string())?;
        Ok(Walk {
            roots: Box::new(roots.into_iter()),
            root: Vec::new(),
            met: Arc::new(Met { follow: options.follow, ..Met::default() }),
            options,
            globs,
            stack: Vec::new(),
            ahead: None,
            listed: 0,
            threads,
        })
    }

    /// The root that the last item was found at or below, as it was given.
    pub fn current_root(&self) -> &[u8] {
        &self.root
    }

    fn root(&mut self, path: Vec<u8>) -> Option<Item> {
        self.root.clone_from(&path);
        if path == b"-" {
            return Some(Item::File(path));
        }
        let stat = match stat(&path) {
            Ok(stat) => stat,
            // A path too long to ask about is opened, and fails or succeeds there.
            Err(Errno::NAMETOOLONG) => return Some(Item::File(path)),
            Err(error) => return Some(Item::Failed(Error::io(&path, "open", error))),
        };
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Some(Item::File(path));
        }
        let mut path = path;
        while path.len() > 1 && path.ends_with(b"/") {
            path.pop();
        }
        self.met.open.fetch_add(1, SeqCst);
        self.descend(path, None)
    }

    /// Begins a folder; an item if that fails.
    fn descend(&mut self, path: Vec<u8>, slot: Option<Arc<Slot>>) -> Option<Item> {
        let listing = match slot {
            Some(slot) => slot.take(&path, &self.met),
            None => list(&path, &self.met),
        };
        let mut listing = match listing {
            Ok(listing) => listing,
            Err(error) => return Some(Item::Failed(error)),
        };
        if self.options.follow && self.stack.iter().any(|level| level.id == listing.id) {
            self.met.add(&listing.entries, -1);
            return Some(Item::Failed(Error::new(&path, "walk", Cause::Loop)));
        }
        if self.options.one_file_system && self.stack.first().is_some_and(|root| root.id.0 != listing.id.0) {
            self.met.add(&listing.entries, -1);
            return None;
        }
        listing.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let ignore = self.ignore_rules(&path, &listing.entries);
        self.listed += 1;
        self.look_ahead(&path, &mut listing.entries);
        self.stack.push(Level { path, entries: listing.entries.into_iter(), id: listing.id, ignore });
        None
    }

    /// Offers the subfolders to helpers, once the tree has shown to be more than a handful of folders.
    fn look_ahead(&mut self, path: &[u8], entries: &mut [Entry]) {
        if self.listed < 4 || self.options.gitignore {
            return;
        }
        if self.threads == 0 {
            self.threads = cores();
        }
        if self.threads < 2 {
            return;
        }
        let offered = slots(path, entries);
        if !offered.is_empty() {
            let threads = self.threads.min(4);
            // Folders of folders too, unless they may lead away: to other file systems, or in circles.
            let deep = !self.options.follow && !self.options.one_file_system && self.globs.is_empty();
            let start = || Ahead::start(threads, deep, self.met.clone());
            lock(&self.ahead.get_or_insert_with(start).shared.folders).extend(offered);
            self.ahead.iter().for_each(|ahead| ahead.shared.more.notify_all());
        }
    }

    fn ignore_rules(&self, path: &[u8], entries: &[Entry]) -> Option<Arc<Gitignore>> {
        if !self.options.gitignore {
            return None;
        }
        let above = self.stack.last().and_then(|level| level.ignore.clone());
        if !entries.iter().any(|entry| entry.name == b".gitignore") {
            return above;
        }
        let folder = Path::new(OsStr::from_bytes(path));
        let mut rules = GitignoreBuilder::new(folder);
        rules.add(folder.join(".gitignore"));
        rules.build().ok().map(Arc::new).or(above)
    }

    /// Whether globs or ignore files leave this path out.
    fn left_out(&self, path: &[u8], is_folder: bool) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        if !self.globs.is_empty() && self.globs.matched(path, is_folder).is_ignore() {
            return true;
        }
        // The nearest file with an opinion decides, as git does it.
        let mut last: Option<&Arc<Gitignore>> = None;
        for rules in self.stack.iter().rev().filter_map(|level| level.ignore.as_ref()) {
            if last.is_some_and(|last| Arc::ptr_eq(last, rules)) {
                continue;
            }
            last = Some(rules);
            match rules.matched(path, is_folder) {
                ignore::Match::None => {}
                ignore::Match::Ignore(_) => return true,
                ignore::Match::Whitelist(_) => return false,
            }
        }
        false
    }

    /// What to do with one entry of the folder on top of the stack.
    fn visit(&mut self, entry: Entry) -> Option<Item> {
        let level = self.stack.last().expect("an entry comes from a level");
        let path = join(&level.path, entry.folder_name());
        let mut kind = entry.kind;
        if !self.met.is_open(kind) {
            self.met.items.fetch_sub(1, SeqCst);
        }
        let skip_git = self.options.gitignore && kind == FileType::Directory && entry.name == b".git/";
        if skip_git || self.left_out(&path, kind == FileType::Directory) {
            if let Some(slot) = entry.slot {
                slot.give_up();
            }
            return None;
        }
        if kind == FileType::Symlink {
            let target = stat(&path);
            let is_folder = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            if self.options.follow && !target.as_ref().is_ok_and(is_folder) {
                self.met.open.fetch_sub(1, SeqCst);
            }
            match target {
                Ok(target) if self.options.follow => kind = FileType::from_raw_mode(target.st_mode),
                Ok(_) => return Some(Item::Link(path)),
                Err(Errno::NOENT) => return Some(Item::Dangling(path)),
                Err(error) if self.options.follow => {
                    return Some(Item::Failed(Error::io(&path, "follow", error)));
                }
                Err(_) => return Some(Item::Link(path)),
            }
        }
        match kind {
            FileType::Directory => self.descend(path, entry.slot),
            FileType::RegularFile => Some(Item::File(path)),
            _ if self.options.special == Special::Read => Some(Item::File(path)),
            other => Some(Item::Special(path, describe(other))),
        }
    }
}

impl Iterator for Walk {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            let item = match self.stack.last_mut() {
                Some(level) => match level.entries.next() {
                    Some(entry) => self.visit(entry),
                    None => {
                        self.stack.pop();
                        None
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
    }

    /// Exact once every folder was listed, by the helpers perhaps long before it is reached. What globs and ignore files
    /// leave out is known only on the way.
    fn size_hint(&self) -> (usize, Option<usize>) {
        if !self.globs.is_empty() || self.options.gitignore {
            return (0, None);
        }
        // In this order: a listing adds its entries before it closes its folder.
        let open = self.met.open.load(SeqCst) > 0 || self.roots.size_hint().1 != Some(0);
        let items = self.met.items.load(SeqCst).max(0) as usize;
        (items, (!open).then_some(items))
    }
}
