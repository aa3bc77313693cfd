//! The contents of a tree: every object with its state when it was found, and the digests of its files.

use crate::directory::object::{Object, ObjectType, State};
use crate::directory::options::Options;
use crate::error::{Cause, Error};
use crate::io::anchor::Anchor;
use crate::io::open::{Root, Special};
use crate::job::{Job, Outcome};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::walk::{self, ExcludedCounts, Folder, Item, Walk};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::metadata::{MODES_ARE_KNOWN, Metadata};
use truesum_fs::name::{self, OsStrExt, OsStringExt};
use truesum_hash::Spec;
use truesum_manifest::Place;

/// A tree: first the tree itself, then everything below it in the order of the walk, folders before their contents.
pub(super) struct Gathered {
    /// The argument without trailing slashes.
    root: Vec<u8>,
    pub(crate) objects: Vec<Object>,
    /// The digests of the files, in the order of the objects.
    digests: Vec<u8>,
    digest_len: usize,
    pub(super) left_out: ExcludedCounts,
}

impl Gathered {
    /// Returns whether the argument is a file.
    pub fn is_file(&self) -> bool {
        self.objects.first().is_some_and(|object| matches!(object.what, ObjectType::File))
    }

    /// Returns the name of the argument in its folder.
    pub fn root_name(&self) -> &[u8] {
        Path::new(std::ffi::OsStr::from_bytes(&self.root)).file_name().map_or(&[], OsStrExt::as_bytes)
    }

    /// Returns the digest of a file.
    pub fn digest(&self, object: &Object) -> &[u8] {
        let at = object.hashed.map_or(0, |at| at as usize * self.digest_len);
        &self.digests[at..at + self.digest_len]
    }

    /// Returns the path of an object as the user knows it.
    pub fn full_path(&self, object: &Object) -> Vec<u8> {
        let mut path = self.root.clone();
        if !object.is_root() {
            if !path.ends_with(b"/") {
                path.push(b'/');
            }
            path.extend_from_slice(&object.path);
        }
        path
    }

    /// Returns the folder from which an object is opened and its name there. `path` is its full path.
    pub fn root_and_name<'a>(&self, object: &'a Object, path: &'a [u8]) -> (&'a Root, &'a [u8]) {
        match &object.anchor {
            Some(anchor) => (anchor.root(), anchor.rest(path)),
            None => (&Root::Anywhere, path),
        }
    }

    /// Examines every object again and reports the ones that changed.
    pub fn is_unchanged(&self, on_event: &mut dyn FnMut(Error)) -> bool {
        let mut unchanged = true;
        for object in &self.objects {
            let path = self.full_path(object);
            let (root, name) = self.root_and_name(object, &path);
            // The argument may be a symbolic link; links below it are not followed.
            let why = match root.stat(name, object.is_root()) {
                Ok(stat) if State::of(&stat) == object.state => continue,
                Ok(_) => "it was modified during the run",
                Err(_) => "it no longer exists",
            };
            unchanged = false;
            on_event(Error::new(&path, "hash", Cause::Changed(why.to_owned())));
        }
        unchanged
    }
}

/// Walks a tree and hashes its files. Returns `None` if anything failed, which is reported, or if the run was stopped.
pub(super) fn gather(
    path: &Path,
    options: &Options,
    progress: &Progress,
    on_event: &mut dyn FnMut(Error),
) -> Option<Gathered> {
    let root = walk::trimmed_root(&name::of(path)).to_vec();
    if options.kind.has_modes() && !MODES_ARE_KNOWN {
        let why = "this kind of digest depends on executable permissions, which this system does not record";
        on_event(Error::new(&root, "hash", Cause::Other(why.to_owned())));
        return None;
    }
    let mut failed = false;
    let mut fail = |error| {
        failed = true;
        on_event(error);
    };
    let options_of_walk = walk::Options { follow: false, special: Special::Refuse, ..options.walk.clone() };
    let walk = Walk::new([path_of(root.clone())], options_of_walk, options.threads);
    let walk = walk.whole(options.kind.passed_over()).until(progress.stop_flag());
    let spec = options.kind.content();
    let digest_len = spec.as_ref().map_or(0, Spec::digest_len);
    let specs: Arc<[Spec]> = spec.into_iter().collect();
    let (objects, waiting) = (Vec::new(), VecDeque::new());
    let mut tasks = Tasks { root: root.clone(), walk, options, specs, objects, waiting, files: 0 };
    let mut sink = Digests { bytes: Vec::new(), len: digest_len, sizes: Vec::new(), fail: &mut fail };
    let config = Config { threads: options.threads, mapping: options.mapping, ..Config::default() };
    if tasks.specs.is_empty() {
        for task in tasks.by_ref() {
            if let Task::Notice(Notice::Failed(error)) = task {
                (sink.fail)(error);
            }
        }
    } else if let Err(error) = run(&config, &mut tasks, progress, &mut sink) {
        (sink.fail)(Error::io(&root, "read", error));
    }
    let Digests { bytes: digests, sizes, .. } = sink;
    let (left_out, objects) = (tasks.walk.left_out(), tasks.objects);
    let gathered = Gathered { root, objects, digests, digest_len, left_out };
    for (object, size) in gathered.objects.iter().filter(|object| object.hashed.is_some()).zip(&sizes) {
        if let Some(size) = size.filter(|size| *size != object.size()) {
            let why = format!("its size changed from {} to {size} bytes", object.size());
            fail(Error::new(&gathered.full_path(object), "read", Cause::Changed(why)));
        }
    }
    (!failed && !progress.stopped() && !gathered.objects.is_empty()).then_some(gathered)
}

fn path_of(bytes: Vec<u8>) -> std::path::PathBuf {
    std::ffi::OsString::from_vec(bytes).into()
}

/// The objects found by the walk as tasks. All of them are recorded.
struct Tasks<'o> {
    root: Vec<u8>,
    walk: Walk,
    options: &'o Options,
    specs: Arc<[Spec]>,
    objects: Vec<Object>,
    /// Tasks to be returned before the walk continues.
    waiting: VecDeque<Task>,
    files: u32,
}

impl Tasks<'_> {
    /// Records an object. Returns false if it makes a digest of the tree impossible.
    fn add(&mut self, path: &[u8], what: ObjectType, anchor: Option<Anchor>, stat: &Metadata) -> bool {
        let hashed = (matches!(what, ObjectType::File) && !self.specs.is_empty()).then_some(self.files);
        let object = Object {
            path: walk::relative(path, &self.root).into(),
            what,
            anchor,
            state: State::of(stat),
            hashed,
        };
        if let Some(why) = self.options.kind.refusal(&object) {
            self.refuse(path, why);
            return false;
        }
        self.files += u32::from(hashed.is_some());
        self.objects.push(object);
        true
    }

    fn refuse(&mut self, path: &[u8], why: &str) {
        self.fail(Error::new(path, "hash", Cause::Other(why.to_owned())));
    }

    fn fail(&mut self, error: Error) {
        self.waiting.push_back(Task::Notice(Notice::Failed(error)));
    }

    fn file(&mut self, path: Vec<u8>, anchor: Option<Anchor>) {
        let stat = match &anchor {
            Some(anchor) => anchor.stat(&path, false),
            None => Root::Anywhere.stat(&path, true),
        };
        match stat {
            Err(error) => self.fail(Error::io(&path, "open", error)),
            Ok(stat) => {
                if self.add(&path, ObjectType::File, anchor.clone(), &stat) && !self.specs.is_empty() {
                    let job = Job { anchor, ..Job::hash(path_of(path), &self.specs) };
                    let origin = (self.files as usize - 1, Place::Line(0));
                    self.waiting.push_back(Task::File(Job { origin, ..job }));
                }
            }
        }
    }

    fn link(&mut self, path: &[u8]) {
        // The tree itself is visited before its contents.
        let Some(anchor) = self.objects.first().and_then(|tree| tree.anchor.clone()) else { return };
        match anchor.root().read_link(anchor.rest(path)) {
            Ok((stat, target)) => {
                self.add(path, ObjectType::Link(target.into()), Some(anchor), &stat);
            }
            Err(error) => self.fail(anchor.root().refusal(path, "read", error)),
        }
    }
}

impl Iterator for Tasks<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        while self.waiting.is_empty() {
            let item = self.walk.next();
            for Folder { path, anchor, stat } in self.walk.take_folders() {
                self.add(&path, ObjectType::Folder, Some(anchor), &stat);
            }
            let bytes = |path: std::path::PathBuf| path.into_os_string().into_vec();
            match item {
                Some(Item::File(path, anchor)) => self.file(bytes(path), anchor),
                Some(Item::Link(path) | Item::Dangling(path)) => self.link(&bytes(path)),
                Some(Item::Special(path, kind)) => self.refuse(&bytes(path), &format!("it is a {kind}")),
                // The walk of this command does not distinguish these.
                Some(Item::State(path)) => self.file(bytes(path), None),
                Some(Item::Temporary(path)) => {
                    self.refuse(&bytes(path), "it is a temporary file left by truesum")
                }
                Some(Item::Failed(error)) => self.fail(error),
                // This walk has no command-line arguments.
                Some(Item::Stdin) => {}
                None => break,
            }
        }
        self.waiting.pop_front()
    }
}

/// Receives the digests of files, in the order of the tasks.
struct Digests<'t> {
    bytes: Vec<u8>,
    len: usize,
    /// The number of bytes read of each file; `None` for a file that was not read.
    sizes: Vec<Option<u64>>,
    fail: &'t mut dyn FnMut(Error),
}

impl Sink for Digests<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        match outcome.result {
            Ok(found) => {
                self.sizes.push(Some(found.size()));
                self.bytes.extend_from_slice(found.digests()[0].as_bytes());
            }
            Err(error) => {
                // Keep the position; there will be no digest of the tree.
                self.sizes.push(None);
                self.bytes.resize(self.bytes.len() + self.len, 0);
                (self.fail)(error);
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        if let Notice::Failed(error) = notice {
            (self.fail)(error);
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::directory::Kind;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn gathered(path: &Path, kind: Kind) -> Gathered {
        let fail = &mut |error: Error| panic!("{error}");
        gather(path, &Options::new(kind), &Progress::default(), fail).expect("nothing failed")
    }

    #[test]
    fn change_after_reading_is_detected_and_named() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 9] = [
            ("a/f", |tree| std::fs::write(tree.join("a/f"), "other").unwrap()),
            ("a/f", |tree| {
                std::fs::set_permissions(tree.join("a/f"), Permissions::from_mode(0o600)).unwrap()
            }),
            ("a", |tree| std::fs::write(tree.join("a/new"), "").unwrap()),
            ("a", |tree| std::fs::remove_file(tree.join("a/f")).unwrap()),
            ("a", |tree| std::fs::rename(tree.join("a/f"), tree.join("a/g")).unwrap()),
            ("", |tree| std::fs::create_dir(tree.join("b")).unwrap()),
            ("", |tree| std::fs::rename(tree.join("a"), tree.join("b")).unwrap()),
            ("e", |tree| symlink("x", tree.join("e/l")).unwrap()),
            ("l", |tree| {
                std::fs::remove_file(tree.join("l")).unwrap();
                symlink("b", tree.join("l")).unwrap();
            }),
        ];
        for (number, (named, change)) in changes.into_iter().enumerate() {
            let tree = tempfile::tempdir().unwrap();
            for folder in ["a", "e"] {
                std::fs::create_dir(tree.path().join(folder)).unwrap();
            }
            std::fs::write(tree.path().join("a/f"), "text").unwrap();
            symlink("a", tree.path().join("l")).unwrap();
            let found = gathered(tree.path(), Kind::SoftwareHeritage);
            assert!(found.is_unchanged(&mut |error| panic!("{error}")));
            change(tree.path());
            let mut errors = Vec::new();
            assert!(!found.is_unchanged(&mut |error| errors.push(error)), "change {number}");
            let path = tree.path().join(named).into_os_string().into_encoded_bytes();
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            assert!(errors.iter().any(|error| error.name() == path), "change {number}: {errors:?}");
        }
    }

    #[test]
    fn listing_waits_until_the_folder_mtime_can_show_changes() {
        for _ in 0..20 {
            let tree = tempfile::tempdir().unwrap();
            std::fs::write(tree.path().join("a"), "").unwrap();
            let found = gathered(tree.path(), Kind::Nar);
            std::fs::write(tree.path().join("b"), "").unwrap();
            assert!(!found.is_unchanged(&mut drop), "made within the same tick");
        }
    }

    #[test]
    fn temporary_files_and_deep_folders_are_included() {
        let tree = tempfile::tempdir().unwrap();
        let deep = ["d"; 700].join("/");
        std::fs::create_dir_all(tree.path().join(&deep)).unwrap();
        symlink("x", tree.path().join(&deep).join("l")).unwrap();
        let temporary = crate::AtomicFile::create(&tree.path().join("kept")).unwrap();
        let found = gathered(tree.path(), Kind::SoftwareHeritage);
        let hidden = std::fs::read_dir(tree.path()).unwrap().count() - 1;
        assert_eq!(found.objects.len(), 1 + 700 + 1 + hidden);
        let last = found.objects.iter().find(|object| matches!(object.what, ObjectType::Link(_))).unwrap();
        assert_eq!((last.path.len(), last.name()), (deep.len() + 2, &b"l"[..]));
        drop(temporary);
    }
}
