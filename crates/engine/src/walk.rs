//! Walking trees: every file below the named roots, in byte order of paths, listed ahead by several threads.
//!
//! The order is that of whole paths (`a/b` before `a.txt` only if `/` sorts before `.`, which it does not): inside a
//! folder, names sort as if folders ended in `/`. One consumer goes depth first; helpers list the folders it will reach
//! next. What cannot be listed, leads in circles or is no regular file is an item too, never silence.

use crate::error::{Cause, Error};
use crate::open::{Special, describe, open_long};
use crate::run::cores;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use rustix::fs::{self, AtFlags, CWD, FileType, OFlags, RawDir, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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

/// What listings showed and the consumer did not reach yet.
#[derive(Debug, Default)]
struct Met {
    /// Entries that are items for certain.
    items: AtomicI64,
    /// Entries that may hold any number of items: folders not listed, and links if they are followed.
    open: AtomicI64,
    follow: bool,
}

impl Met {
    fn is_open(&self, kind: FileType) -> bool {
        kind == FileType::Directory || self.follow && kind == FileType::Symlink
    }

    /// Adds the entries of a folder that was listed, times `sign`.
    fn add(&self, entries: &[Entry], sign: i64) {
        let open = entries.iter().filter(|entry| self.is_open(entry.kind)).count() as i64;
        self.items.fetch_add(sign * (entries.len() as i64 - open), SeqCst);
        self.open.fetch_add(sign * open, SeqCst);
    }
}

/// A folder being consumed.
struct Level {
    path: Vec<u8>,
    entries: std::vec::IntoIter<Entry>,
    /// Identity of the folder, to see loops and file system borders.
    id: (u64, u64),
    ignore: Option<Arc<Gitignore>>,
}

struct Entry {
    /// The name, with `/` behind it for a folder: the order of paths.
    name: Vec<u8>,
    kind: FileType,
    slot: Option<Arc<Slot>>,
}

/// A listed folder.
struct Listing {
    entries: Vec<Entry>,
    id: (u64, u64),
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

/// Gives the folders among these entries a slot each, if they have none; the next one to be reached is last.
fn slots(path: &[u8], entries: &mut [Entry]) -> Vec<(Vec<u8>, Arc<Slot>)> {
    let folders =
        entries.iter_mut().rev().filter(|entry| entry.kind == FileType::Directory && entry.slot.is_none());
    let offer = |entry: &mut Entry| {
        let slot = entry.slot.insert(Arc::default()).clone();
        (join(path, entry.folder_name()), slot)
    };
    folders.map(offer).collect()
}

impl Entry {
    /// The name without the `/` that sorting wants.
    fn folder_name(&self) -> &[u8] {
        self.name.strip_suffix(b"/").unwrap_or(&self.name)
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

fn stat(path: &[u8]) -> Result<Stat, Errno> {
    match fs::statat(CWD, path, AtFlags::empty()) {
        Err(Errno::NAMETOOLONG) if path.split(|&byte| byte == b'/').all(|part| part.len() < 256) => {
            fs::fstat(open_long(CWD, path, OFlags::PATH | OFlags::CLOEXEC)?)
        }
        result => result,
    }
}

/// Reads a folder, and takes note of what is in it. Unsorted.
fn list(path: &[u8], met: &Met) -> Result<Listing, Error> {
    let listing = read(path);
    listing.iter().for_each(|listing| met.add(&listing.entries, 1));
    met.open.fetch_sub(1, SeqCst);
    listing
}

fn read(path: &[u8]) -> Result<Listing, Error> {
    let fail = |error: Errno| Error::io(path, "list", error);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let folder = open_long(CWD, path, flags).map_err(fail)?;
    let stat = fs::fstat(&folder).map_err(fail)?;
    let mut buffer: Vec<MaybeUninit<u8>> = vec![MaybeUninit::uninit(); 1 << 15];
    let mut entries = Vec::new();
    let mut reading = RawDir::new(folder.as_fd(), &mut buffer);
    while let Some(entry) = reading.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            entry => entry.map_err(fail)?,
        };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
            kind = stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode));
        }
        let mut name = name.to_vec();
        if kind == FileType::Directory {
            name.push(b'/');
        }
        entries.push(Entry { name, kind, slot: None });
    }
    Ok(Listing { entries, id: (stat.st_dev, stat.st_ino) })
}

/// A folder that somebody will list: a helper ahead of time, or the consumer when it gets there first.
#[derive(Default)]
struct Slot {
    state: Mutex<SlotState>,
    listed: Condvar,
}

#[derive(Default)]
enum SlotState {
    #[default]
    Waiting,
    Taken,
    Listed(Result<Listing, Error>, Arc<AtomicUsize>),
    Gone,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    /// The consumer's turn: the listing, made now if nobody began it.
    fn take(&self, path: &[u8], met: &Met) -> Result<Listing, Error> {
        let mut state = lock(&self.state);
        loop {
            match std::mem::replace(&mut *state, SlotState::Gone) {
                SlotState::Listed(listing, waiting) => {
                    if let Ok(listing) = &listing {
                        waiting.fetch_sub(listing.entries.len(), Relaxed);
                    }
                    return listing;
                }
                SlotState::Taken => {
                    *state = SlotState::Taken;
                    state = self.listed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                SlotState::Waiting | SlotState::Gone => {
                    drop(state);
                    return list(path, met);
                }
            }
        }
    }

    /// The folder is not wanted.
    fn give_up(&self) {
        let mut state = lock(&self.state);
        if let SlotState::Listed(Ok(listing), waiting) = &*state {
            waiting.fetch_sub(listing.entries.len(), Relaxed);
        }
        *state = SlotState::Gone;
    }
}

/// Threads that list folders ahead of the consumer.
struct Ahead {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Folders to list; the next one to be reached is last.
    folders: Mutex<Vec<(Vec<u8>, Arc<Slot>)>>,
    more: Condvar,
    ended: AtomicBool,
    /// Entries listed and not yet consumed: the bound on memory.
    waiting: Arc<AtomicUsize>,
    met: Arc<Met>,
    /// Whether folders found by helpers are listed ahead too.
    deep: bool,
}

/// Entries that may wait for the consumer before helpers pause.
const AHEAD: usize = 1 << 16;

impl Ahead {
    fn start(threads: usize, deep: bool, met: Arc<Met>) -> Ahead {
        let shared = Arc::new(Shared { met, deep, ..Shared::default() });
        for _ in 0..threads {
            let shared = shared.clone();
            // A helper that cannot be started is not missed: the consumer lists what nobody took.
            let _ = std::thread::Builder::new().name("walk".to_owned()).spawn(move || shared.help());
        }
        Ahead { shared }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.ended.store(true, Relaxed);
        let _guard = lock(&self.shared.folders);
        self.shared.more.notify_all();
    }
}

impl Shared {
    fn help(&self) {
        let mut folders = lock(&self.folders);
        while !self.ended.load(Relaxed) {
            let full = self.waiting.load(Relaxed) > AHEAD;
            let next = if full { None } else { folders.pop() };
            let Some((path, slot)) = next else {
                // While full, look again now and then: the consumer does not tell.
                let wait = std::time::Duration::from_millis(if full { 2 } else { 1000 });
                folders = self.more.wait_timeout(folders, wait).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            drop(folders);
            self.list(&path, &slot);
            folders = lock(&self.folders);
        }
    }

    fn list(&self, path: &[u8], slot: &Slot) {
        {
            let mut state = lock(&slot.state);
            if !matches!(*state, SlotState::Waiting) {
                return;
            }
            *state = SlotState::Taken;
        }
        let mut listing = list(path, &self.met);
        let mut offered = Vec::new();
        if let (Ok(listing), true) = (&mut listing, self.deep) {
            listing.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            offered = slots(path, &mut listing.entries);
        }
        let mut state = lock(&slot.state);
        if matches!(*state, SlotState::Taken) {
            if let Ok(listing) = &listing {
                self.waiting.fetch_add(listing.entries.len(), Relaxed);
            }
            *state = SlotState::Listed(listing, self.waiting.clone());
        }
        slot.listed.notify_all();
        drop(state);
        if !offered.is_empty() {
            lock(&self.folders).extend(offered);
            self.more.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn walk(root: &Path, options: Options, threads: usize) -> (Vec<String>, Vec<String>) {
        let (mut files, mut others) = (Vec::new(), Vec::new());
        let text = |path: &[u8]| {
            let root = root.as_os_str().as_bytes();
            String::from_utf8_lossy(path.strip_prefix(root).unwrap_or(path)).into_owned()
        };
        for item in Walk::new(vec![root.as_os_str().as_bytes().to_vec()], options, threads).unwrap() {
            match item {
                Item::File(path) => files.push(text(&path)),
                Item::Failed(error) => {
                    others.push(format!("failed {}: {}", text(&error.path), error.reason()))
                }
                Item::Link(path) => others.push(format!("link {}", text(&path))),
                Item::Dangling(path) => others.push(format!("dangling {}", text(&path))),
                Item::Special(path, kind) => others.push(format!("{kind} {}", text(&path))),
            }
        }
        (files, others)
    }

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        dir
    }

    #[test]
    fn files_come_in_byte_order_of_whole_paths() {
        let files = ["a/b", "a.txt", "a-b/c", "a/b.d/e", "z", ".hidden", "a/.x"];
        let dir = tree(&files);
        for threads in [1, 4] {
            let mut expected: Vec<String> = files.iter().map(|file| format!("/{file}")).collect();
            expected.sort();
            assert_eq!(walk(dir.path(), Options::default(), threads).0, expected);
        }
    }

    #[test]
    fn many_folders_listed_ahead_lose_nothing() {
        let files: Vec<String> = (0..400).map(|i| format!("{}/{}/f{i}", i % 13, i % 7)).collect();
        let dir = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let mut expected: Vec<String> = files.iter().map(|file| format!("/{file}")).collect();
        expected.sort();
        for _ in 0..20 {
            assert_eq!(walk(dir.path(), Options::default(), 4).0, expected);
        }
    }

    /// What is to come according to the walk, at every step, and what came in the end.
    fn hints(root: &Path, options: Options, threads: usize) -> (Vec<(usize, Option<usize>)>, usize) {
        let roots = vec![root.as_os_str().as_bytes().to_vec()];
        let mut walk = Walk::new(roots, options, threads).unwrap();
        let mut hints = vec![walk.size_hint()];
        while walk.next().is_some() {
            hints.push(walk.size_hint());
        }
        let count = hints.len() - 1;
        (hints, count)
    }

    #[test]
    fn what_is_to_come_is_never_told_wrong() {
        let files: Vec<String> = (0..400).map(|i| format!("{}/{}/{}/f{i}", i % 5, i % 3, i % 7)).collect();
        let dir = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        symlink("nowhere", dir.path().join("dangling")).unwrap();
        symlink("..", dir.path().join("1/loop")).unwrap();
        symlink("2", dir.path().join("again")).unwrap();
        for follow in [false, true] {
            for one_file_system in [false, true] {
                for threads in [1, 4] {
                    let options = Options { follow, one_file_system, ..Options::default() };
                    let (hints, count) = hints(dir.path(), options, threads);
                    for (done, (least, most)) in hints.into_iter().enumerate() {
                        let left = count - done;
                        assert!(least <= left, "{least} said of {left}");
                        assert!(most.is_none_or(|most| most == left), "{most:?} said of {left}");
                        assert!(left > 0 || (least, most) == (0, Some(0)));
                    }
                }
            }
        }
    }

    #[test]
    fn how_many_are_to_come_is_known_long_before_the_end() {
        let flat: Vec<String> = (0..300).map(|i| format!("f{i}")).collect();
        let dir = tree(&flat.iter().map(String::as_str).collect::<Vec<_>>());
        let (known, _) = hints(dir.path(), Options::default(), 1);
        assert_eq!(known[1], (299, Some(299)), "one folder");
        let globs = Options { exclude: vec!["f1*".to_owned()], ..Options::default() };
        assert_eq!(hints(dir.path(), globs, 1).0[1], (0, None), "what is left out is not known");
        // Helpers are ahead of a consumer that takes its time, in folders of folders too.
        let deep: Vec<String> = (0..300).map(|i| format!("{}/{}/{}/f{i}", i % 5, i % 3, i % 7)).collect();
        let dir = tree(&deep.iter().map(String::as_str).collect::<Vec<_>>());
        let roots = vec![dir.path().as_os_str().as_bytes().to_vec()];
        let mut walk = Walk::new(roots, Options::default(), 4).unwrap();
        for done in 1.. {
            assert!(walk.next().is_some(), "it is known before the end");
            std::thread::sleep(std::time::Duration::from_millis(1));
            if walk.size_hint().1.is_some() {
                assert_eq!(walk.size_hint(), (300 - done, Some(300 - done)));
                break;
            }
        }
    }

    #[test]
    fn links_are_told_and_loops_end() {
        let dir = tree(&["d/f"]);
        symlink("..", dir.path().join("d/loop")).unwrap();
        symlink("nowhere", dir.path().join("dangling")).unwrap();
        let (files, others) = walk(dir.path(), Options::default(), 1);
        assert_eq!(files, ["/d/f"]);
        assert_eq!(others, ["link /d/loop", "dangling /dangling"]);
        let (files, others) = walk(dir.path(), Options { follow: true, ..Options::default() }, 1);
        assert_eq!(files, ["/d/f"]);
        assert_eq!(others, ["failed /d/loop: directory loop", "dangling /dangling"]);
    }

    #[test]
    fn globs_and_ignore_files_leave_out() {
        let dir = tree(&["a.rs", "b.txt", "target/x.rs", "sub/c.rs", "sub/d.log", "sub/keep.log"]);
        let only = |include: &[&str], exclude: &[&str]| {
            let own = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
            walk(
                dir.path(),
                Options { include: own(include), exclude: own(exclude), ..Options::default() },
                1,
            )
            .0
        };
        assert_eq!(only(&["*.rs"], &["target"]), ["/a.rs", "/sub/c.rs"]);
        assert_eq!(only(&[], &["*.rs", "*.log"]), ["/b.txt"]);
        std::fs::write(dir.path().join(".gitignore"), "/target\n*.log\n").unwrap();
        std::fs::write(dir.path().join("sub/.gitignore"), "!keep.log\n").unwrap();
        let options =
            Options { gitignore: true, exclude: vec![".gitignore".to_owned()], ..Options::default() };
        assert_eq!(walk(dir.path(), options, 1).0, ["/a.rs", "/b.txt", "/sub/c.rs", "/sub/keep.log"]);
    }

    #[test]
    fn a_missing_root_is_an_item() {
        let dir = tree(&[]);
        let (files, others) = walk(&dir.path().join("no"), Options::default(), 1);
        assert!(files.is_empty());
        assert_eq!(others, ["failed : No such file or directory"]);
    }
}
