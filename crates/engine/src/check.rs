//! Checking: a manifest's entries as tasks, and the files that no entry lists.
//!
//! Entries stream from the manifest into the run, so memory does not grow with their number; all that is kept of a name is
//! a hash of eight bytes, by which a walk of the root afterwards recognises what was listed.

use crate::error::Error;
use crate::job::Job;
use crate::open::Root;
use crate::run::{Notice, Task};
use crate::walk::{self, Item, Walk};
use rustix::fs::AtFlags;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::sync::Arc;
use truesum_hash::Spec;
use truesum_manifest::path::alternatives;
use truesum_manifest::{Entry, Line, Options, ReadError, Reader, usual, weak};

/// Lines about one file that follow each other become one job; more algorithms than this would only be an attack.
const MERGED: usize = 16;

/// The entries of a manifest as tasks.
///
/// Neighbouring lines about one file become one job, so that several algorithms cost one read. Every line is verified,
/// also one that repeats a name.
pub struct Entries<'a, R> {
    reader: Reader<R>,
    root: &'a Root,
    /// Index of the manifest, for [`Job::origin`].
    origin: usize,
    /// Where names are remembered, if somebody will ask for files not listed.
    listed: Option<&'a mut Listed>,
    /// The first line of the next job.
    held: Option<Line>,
    /// A notice whose turn comes after the job before it.
    pending: Option<Notice>,
    /// The specs of the last job: equal ones are shared.
    specs: Arc<[Spec]>,
    facts: Facts,
    /// Whether lines of this format leave their algorithm to be guessed by its length.
    guessing: bool,
}

/// What was learned of a manifest while its entries were read.
#[derive(Debug, Default)]
pub struct Facts {
    /// Jobs made.
    pub jobs: u64,
    /// Lines that are no entry.
    pub malformed: u64,
    /// Entries by algorithms whose equal digest does not tell tampering.
    pub weak: BTreeMap<String, u64>,
    /// An algorithm that nothing but the length of a digest tells.
    pub guessed: Option<Spec>,
    /// Why reading ended early.
    pub failed: Option<io::Error>,
}

impl<'a, R: Read> Entries<'a, R> {
    /// The entries of manifest number `origin`, to be looked for in `root`.
    pub fn new(
        manifest: R,
        options: Options,
        root: &'a Root,
        origin: usize,
        listed: Option<&'a mut Listed>,
    ) -> Entries<'a, R> {
        let guessing = options.asked.is_empty() && options.named.is_none();
        Entries {
            reader: Reader::new(manifest, options),
            root,
            origin,
            listed,
            held: None,
            pending: None,
            specs: Arc::new([]),
            facts: Facts::default(),
            guessing,
        }
    }

    /// What was learned so far.
    pub fn facts(self) -> Facts {
        self.facts
    }

    /// The next good line; a bad one is left in `pending`.
    fn line(&mut self) -> Option<Line> {
        match self.reader.next()? {
            Ok(line) => Some(line),
            Err(ReadError::Line(error)) => {
                self.facts.malformed += 1;
                self.pending = Some(Notice::Malformed(error));
                None
            }
            Err(ReadError::Io(error)) => {
                self.facts.failed = Some(error);
                None
            }
        }
    }

    fn job(&mut self, line: Line) -> Job {
        let Line { at, entry } = line;
        let Entry { path, size, digests, .. } = entry;
        let (mut specs, mut expected): (Vec<_>, Vec<_>) = digests.into_iter().unzip();
        while let Some(next) = self.line() {
            let same = next.entry.path == path && (next.entry.size.is_none() || next.entry.size == size);
            let added = next.entry.digests.iter().all(|(spec, _)| !specs.contains(spec));
            if !same || !added || specs.len() + next.entry.digests.len() > MERGED {
                self.held = Some(next);
                break;
            }
            let (more_specs, more_expected): (Vec<_>, Vec<_>) = next.entry.digests.into_iter().unzip();
            specs.extend(more_specs);
            expected.extend(more_expected);
        }
        self.note(&specs);
        if self.specs[..] != specs[..] {
            self.specs = specs.into();
        }
        // In a manifest `-` is a file like any other, and never standard input.
        let mut open = (path == b"-").then(|| path.clone());
        if path.contains(&b'\\') && !self.root.exists(&path) {
            open = alternatives(&path).find(|name| self.root.exists(name));
        }
        if let Some(listed) = &mut self.listed {
            listed.add(open.as_deref().unwrap_or(&path));
        }
        self.facts.jobs += 1;
        let specs = self.specs.clone();
        Job { name: path, open, specs, expected, size, origin: (self.origin, at.number()) }
    }

    fn note(&mut self, specs: &[Spec]) {
        if !specs.iter().any(|spec| weak::verdict(spec) == weak::Verdict::TamperEvident) {
            let names: Vec<String> = specs.iter().map(Spec::to_string).collect();
            *self.facts.weak.entry(names.join("+")).or_default() += 1;
        }
        let untagged = || self.reader.format().is_some_and(|format| format.leaves_algorithm_open());
        if self.guessing && self.facts.guessed.is_none() && untagged() {
            self.facts.guessed =
                specs.iter().find(|spec| usual(spec.digest_len()).as_ref() == Some(spec)).cloned();
        }
    }
}

impl<R: Read> Iterator for Entries<'_, R> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if let Some(notice) = self.pending.take() {
            return Some(Task::Tell(notice));
        }
        match self.held.take().or_else(|| self.line()) {
            Some(line) => Some(Task::File(self.job(line))),
            None => self.pending.take().map(Task::Tell),
        }
    }
}

/// The names that manifests list, as hashes. Two names are the same if they are so without `.`, `..` and doubled slashes.
#[derive(Default)]
pub struct Listed {
    /// Keyed anew in each process, so that nobody can make a name that passes for a listed one.
    keys: RandomState,
    hashes: Vec<u64>,
    sorted: bool,
    /// The deepest folder that holds all of them; `None` before the first name.
    folder: Option<Vec<u8>>,
}

impl Listed {
    /// Remembers a name.
    pub fn add(&mut self, name: &[u8]) {
        let hash = self.hash(name);
        self.hashes.push(hash);
        self.sorted = false;
        self.narrow(name);
    }

    /// The deepest folder, relative to the root, that holds all names; empty for the root itself.
    pub fn folder(&self) -> &[u8] {
        self.folder.as_deref().unwrap_or_default()
    }

    /// Makes the common folder one that holds this name too.
    fn narrow(&mut self, name: &[u8]) {
        if self.folder.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let parts: Vec<&[u8]> = parts(&name[..end]).collect();
        let outside = name.starts_with(b"/") || parts.contains(&&b".."[..]);
        let shared = match &self.folder {
            _ if outside => 0,
            None => parts.len(),
            Some(folder) => {
                folder.split(|&byte| byte == b'/').zip(&parts).take_while(|(a, b)| a == *b).count()
            }
        };
        let before = self.folder.as_ref().map(|folder| folder.split(|&byte| byte == b'/').count());
        if before != Some(shared) {
            self.folder = Some(parts[..shared].join(&b'/'));
        }
    }

    /// Whether a name was remembered.
    pub fn contains(&mut self, name: &[u8]) -> bool {
        if !self.sorted {
            self.hashes.sort_unstable();
            self.hashes.dedup();
            self.sorted = true;
        }
        self.hashes.binary_search(&self.hash(name)).is_ok()
    }

    /// Names remembered, repeated ones once after the first question.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether no name was remembered.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.keys.build_hasher();
        let mut write = |part: &[u8]| {
            hasher.write(part);
            hasher.write_u8(b'/');
        };
        if name.first() == Some(&b'/') {
            write(b"");
        }
        if parts(name).any(|part| part == b"..") {
            let mut stack: Vec<&[u8]> = Vec::new();
            for part in parts(name) {
                if part != b".." || stack.last().is_none_or(|last| *last == b"..") {
                    stack.push(part);
                } else {
                    stack.pop();
                }
            }
            stack.into_iter().for_each(write);
        } else {
            parts(name).for_each(write);
        }
        hasher.finish()
    }
}

/// The components of a name that say something.
fn parts(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// How far a search for files not listed went.
#[derive(Debug, Default)]
pub struct Unlisted {
    /// Files found that no entry lists.
    pub files: u64,
    /// Folders that could not be looked into.
    pub failed: Vec<Error>,
    /// Whether the search ended at its limit, so that there may be more.
    pub cut: bool,
}

/// Where to look for files not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the deepest folder that holds all listed files: what lies beside it is no business of theirs.
    Around,
    /// In the whole root.
    Whole,
}

/// Looks for files below `root` that are not listed, and hands each name, relative to the root, to `found`.
///
/// Files in `own` (`(device, inode)`: manifests, the run's output) do not count, nor do symbolic links, pipes and devices,
/// which no `hash` would list. The search ends after `limit` files, listed or not.
///
/// # Errors
/// Those of `found`.
pub fn unlisted(
    root: &[u8],
    scope: Scope,
    listed: &mut Listed,
    own: &[(u64, u64)],
    limit: u64,
    stopped: &dyn Fn() -> bool,
    found: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Unlisted> {
    let mut result = Unlisted::default();
    let mut from = root.to_vec();
    if scope == Scope::Around && !listed.folder().is_empty() {
        from.push(b'/');
        from.extend_from_slice(listed.folder());
    }
    let walk = Walk::new([from], walk::Options::default(), 0);
    let walk = walk.map_err(io::Error::other)?;
    let mut seen = 0;
    for item in walk {
        if stopped() {
            result.cut = true;
            break;
        }
        match item {
            Item::File(path) => {
                if seen == limit {
                    result.cut = true;
                    break;
                }
                seen += 1;
                let name = path.strip_prefix(root).unwrap_or(&path);
                let name = name.strip_prefix(b"/").unwrap_or(name);
                if listed.contains(name) || is_own(&path, own) {
                    continue;
                }
                result.files += 1;
                found(name)?;
            }
            Item::Failed(error) => {
                // Enough to act on; the count of what lies in them is unknown anyway.
                if result.failed.len() < 100 {
                    result.failed.push(error);
                }
            }
            Item::Link(_) | Item::Dangling(_) | Item::Special(..) => {}
        }
    }
    Ok(result)
}

fn is_own(path: &[u8], own: &[(u64, u64)]) -> bool {
    !own.is_empty()
        && rustix::fs::statat(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| own.contains(&(stat.st_dev, stat.st_ino)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn root(dir: &tempfile::TempDir) -> Root {
        Root::folder(dir.path().as_os_str().as_bytes(), false).unwrap()
    }

    fn jobs(text: &str, root: &Root, listed: Option<&mut Listed>) -> (Vec<String>, Facts) {
        let mut entries = Entries::new(text.as_bytes(), Options::default(), root, 0, listed);
        let told: Vec<String> = entries
            .by_ref()
            .map(|task| match task {
                Task::File(job) => {
                    let specs: Vec<String> = job.specs.iter().map(Spec::to_string).collect();
                    let open = job.open.as_deref().unwrap_or(b"=");
                    format!(
                        "{}:{}:{}:{}",
                        job.origin.1,
                        job.name.escape_ascii(),
                        specs.join("+"),
                        open.escape_ascii()
                    )
                }
                Task::Tell(Notice::Malformed(error)) => format!("bad {}", error.at.number()),
                Task::Tell(other) => format!("{other:?}"),
            })
            .collect();
        (told, entries.facts())
    }

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
    const SHA256: &str = "SHA256 (a) = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn neighbouring_lines_of_one_file_are_one_job_and_bad_lines_keep_their_turn() {
        let dir = tempfile::tempdir().unwrap();
        let root = root(&dir);
        let text =
            format!("{SHA256}\nMD5 (a) = {MD5}\noops\nMD5 (a) = {MD5}\nMD5 (a) = {MD5}\nMD5 (-) = {MD5}\n");
        let (told, facts) = jobs(&text, &root, None);
        assert_eq!(told, ["1:a:sha256+md5:=", "bad 3", "4:a:md5:=", "5:a:md5:=", "6:-:md5:-"]);
        assert_eq!((facts.jobs, facts.malformed), (4, 1));
        assert_eq!(facts.weak.into_iter().collect::<Vec<_>>(), [("md5".to_owned(), 3)]);
        assert_eq!(facts.guessed, None);
    }

    #[test]
    fn a_guess_by_length_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let (_, facts) = jobs(&format!("{MD5}  a\n"), &root(&dir), None);
        assert_eq!(facts.guessed, "md5".parse().ok());
    }

    #[test]
    fn backslashes_are_slashes_only_where_no_file_has_them() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["sub/f", "sub/g", "sub\\g"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let text = format!("{MD5}  sub\\f\n{MD5}  sub\\g\n{MD5}  sub\\none\n");
        let mut listed = Listed::default();
        let (told, _) = jobs(&text, &root(&dir), Some(&mut listed));
        assert_eq!(told, ["1:sub\\\\f:md5:sub/f", "2:sub\\\\g:md5:=", "3:sub\\\\none:md5:="]);
        assert!(listed.contains(b"sub/f"));
        assert!(!listed.contains(b"sub/g"));
    }

    #[test]
    fn names_are_the_same_whatever_their_dots_and_slashes() {
        let mut listed = Listed::default();
        for name in ["./a//b", "x/../c", "../d", "/e"] {
            listed.add(name.as_bytes());
        }
        for name in ["a/b", "c", "./c", "y/../../d", "/e", "//e"] {
            assert!(listed.contains(name.as_bytes()), "{name}");
        }
        for name in ["ab", "a", "d", "e", "b", "a/b/c"] {
            assert!(!listed.contains(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn the_folder_of_all_names_is_the_deepest_one_they_share() {
        for (names, folder) in [
            (&["a/b/c"][..], "a/b"),
            (&["a/b/c", "a/b/d"], "a/b"),
            (&["./a//b/c", "a/x/d"], "a"),
            (&["a/b/c", "a/bb/c"], "a"),
            (&["a/b", "c"], ""),
            (&["c", "a/b"], ""),
            (&["a/b", "../c"], ""),
            (&["a/b", "/c"], ""),
            (&["a/b/c/d", "a/b", "a/b/e"], "a"),
            (&[], ""),
        ] {
            let mut listed = Listed::default();
            names.iter().for_each(|name| listed.add(name.as_bytes()));
            assert_eq!(listed.folder(), folder.as_bytes(), "{names:?}");
        }
    }

    #[test]
    fn files_not_listed_are_found_but_for_the_runs_own() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["a", "sub/b", "sub/c", "own"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let own = std::fs::metadata(dir.path().join("own")).unwrap();
        let mut listed = Listed::default();
        listed.add(b"./sub/b");
        let path = dir.path().as_os_str().as_bytes();
        let mut search = |scope, limit| {
            let mut names = Vec::new();
            let mut found = |name: &[u8]| {
                names.push(String::from_utf8_lossy(name).into_owned());
                Ok(())
            };
            let own = [(own.dev(), own.ino())];
            let result = unlisted(path, scope, &mut listed, &own, limit, &|| false, &mut found).unwrap();
            (names, result.cut)
        };
        assert_eq!(search(Scope::Whole, 100), (vec!["a".to_owned(), "sub/c".to_owned()], false));
        assert_eq!(search(Scope::Whole, 2), (vec!["a".to_owned()], true));
        assert_eq!(search(Scope::Around, 100), (vec!["sub/c".to_owned()], false));
    }

    #[test]
    fn a_manifest_that_cannot_be_read_to_its_end_says_so() {
        struct Fails(bool);
        impl Read for Fails {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::from_raw_os_error(5));
                }
                let line = format!("{MD5}  a\n");
                buffer[..line.len()].copy_from_slice(line.as_bytes());
                Ok(line.len())
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let root = root(&dir);
        let mut entries = Entries::new(Fails(false), Options::default(), &root, 0, None);
        let count = entries.by_ref().count();
        let facts = entries.facts();
        assert!(facts.failed.is_some());
        assert_eq!(count as u64, facts.jobs);
    }
}
