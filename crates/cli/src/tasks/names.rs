//! Names for a manifest: lists of names to hash, and names relative to the manifest's folder.

use crate::values::path::{folder_of, is_url};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use truesum::manifest::path::display_safe;
use truesum::{Input, Progress};

/// The names in a list, one after the other. A read error ends them and stays in [`NameList::failed`].
pub struct NameList {
    list: BufReader<Input>,
    terminator: u8,
    /// Why reading ended early, if it did.
    pub failed: Arc<Mutex<Option<io::Error>>>,
}

impl NameList {
    /// Opens a list; `-` is standard input.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path, terminator: u8, progress: &Progress) -> io::Result<NameList> {
        let list =
            if path.as_os_str() == "-" { Input::stdin(progress)? } else { Input::open(path, progress)? };
        Ok(NameList::of(list, terminator))
    }

    /// The parts of an open file.
    pub fn of(list: Input, terminator: u8) -> NameList {
        NameList { list: BufReader::with_capacity(1 << 16, list), terminator, failed: Arc::default() }
    }

    /// Reads the next part, whatever it is, without what ends it; false at the end.
    ///
    /// # Errors
    /// The system's, or it has more than `limit` bytes.
    pub fn part(&mut self, limit: usize, part: &mut Vec<u8>) -> io::Result<bool> {
        part.clear();
        let read = self.list.by_ref().take(limit as u64 + 1).read_until(self.terminator, part)?;
        if part.last() == Some(&self.terminator) {
            part.pop();
        } else if part.len() > limit {
            return Err(io::Error::other(format!("a line has more than {limit} bytes")));
        }
        Ok(read > 0)
    }
}

/// More than any system takes for a name.
const LONGEST: usize = 1 << 20;

impl Iterator for NameList {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut name = Vec::new();
            match self.part(LONGEST, &mut name) {
                Ok(false) => return None,
                Ok(true) => match &name[..] {
                    // A blank line names nothing; between two NULs somebody meant a name.
                    b"" if self.terminator == b'\n' => {}
                    // In a list this is a file like any other.
                    b"-" => return Some(b"./-".to_vec()),
                    _ if is_url(&name) => {
                        let why = format!(
                            "{} is no file of this system, and objects are read below one URL: s3://BUCKET/PREFIX in place of \
                             the list",
                            display_safe(&name)
                        );
                        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(io::Error::other(why));
                        return None;
                    }
                    _ => return Some(name),
                },
                Err(error) if Input::is_interruption(&error) => return None,
                Err(error) => {
                    *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return None;
                }
            }
        }
    }
}

/// Makes the names of files relative to a folder.
///
/// What the user named is resolved (links, `..`), so that the name is right wherever the program runs; what a walk found
/// below keeps its spelling.
pub struct Naming {
    base: PathBuf,
    /// The last root, and what stands for it in names.
    root: Option<(Vec<u8>, Vec<u8>)>,
    /// The folder of the last named file, and its canonical path: in a list those of one folder mostly follow each other, and each
    /// time costs a system call for each of its components.
    folder: Option<(PathBuf, PathBuf)>,
    /// Names that lie outside the folder, and so are absolute.
    pub outside: u64,
}

impl Naming {
    /// Names relative to `base`, a canonical path.
    pub fn new(base: PathBuf) -> Naming {
        Naming { base, root: None, folder: None, outside: 0 }
    }

    /// The name of `path`, found at or below `root`.
    pub fn name(&mut self, path: &[u8], root: &[u8]) -> Vec<u8> {
        if path == b"-" {
            return path.to_vec();
        }
        let trimmed = trim_slashes(root);
        if self.root.as_ref().is_none_or(|(last, _)| last != root) {
            let Some(stand_in) = self.resolve(trimmed, path == trimmed) else { return path.to_vec() };
            self.root = Some((root.to_vec(), stand_in));
        }
        let Some((_, stand_in)) = &self.root else { return path.to_vec() };
        let mut name = stand_in.clone();
        let rest = path.strip_prefix(trimmed).unwrap_or(path);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        if !name.is_empty() && !name.ends_with(b"/") && !rest.is_empty() {
            name.push(b'/');
        }
        name.extend_from_slice(rest);
        self.outside += u64::from(name.starts_with(b"/"));
        name
    }

    /// A root's own name: relative if it lies in the base, else absolute. `None` if it cannot be resolved.
    fn resolve(&mut self, root: &[u8], is_file: bool) -> Option<Vec<u8>> {
        let path = Path::new(OsStr::from_bytes(root));
        let real = if is_file {
            // A link keeps its own name: it is what the user means, and what a check will open.
            self.canonical(folder_of(path))?.join(path.file_name()?)
        } else {
            path.canonicalize().ok()?
        };
        let relative = real.strip_prefix(&self.base).map(Path::to_path_buf);
        Some(relative.unwrap_or(real).into_os_string().into_vec())
    }

    fn canonical(&mut self, folder: PathBuf) -> Option<&Path> {
        // By bytes: as paths, `a/.` and `a` are one.
        if self.folder.as_ref().is_none_or(|(last, _)| last.as_os_str() != folder.as_os_str()) {
            let real = folder.canonicalize().ok()?;
            self.folder = Some((folder, real));
        }
        self.folder.as_ref().map(|(_, real)| real.as_path())
    }
}

fn trim_slashes(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte != b'/') {
        Some(last) => &path[..=last],
        None => &path[..path.len().min(1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_base_whatever_the_spelling() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("data/sub")).unwrap();
        std::fs::write(base.join("data/sub/f"), "").unwrap();
        std::os::unix::fs::symlink("data", base.join("link")).unwrap();
        let at = |path: &str| base.join(path).into_os_string().into_vec();
        for (path, root, name) in [
            (at("data/sub/f"), at("data/sub/f"), "data/sub/f"),
            (at("data/sub/f"), at("data"), "data/sub/f"),
            (at("data/sub/f"), at("data/"), "data/sub/f"),
            (at("data/sub/../sub/f"), at("data/sub/../sub/f"), "data/sub/f"),
            (at("link/sub/f"), at("link"), "data/sub/f"),
            (at("link/sub/f"), at(""), "link/sub/f"),
        ] {
            let mut naming = Naming::new(base.clone());
            assert_eq!(naming.name(&path, &root), name.as_bytes());
            assert_eq!(naming.outside, 0);
        }
        let mut naming = Naming::new(base.clone());
        let named =
            ["data/sub/f", "data/sub/g", "link/sub/f", "link/sub/g", "gone/f", "data/sub/f", "data/h"].map(
                |path| {
                    let path = at(path);
                    String::from_utf8(naming.name(&path, &path)).unwrap()
                },
            );
        let gone = base.join("gone/f").into_os_string().into_string().unwrap();
        assert_eq!(
            named,
            ["data/sub/f", "data/sub/g", "data/sub/f", "data/sub/g", gone.as_str(), "data/sub/f", "data/h"]
        );
        let mut naming = Naming::new(base.join("data/sub"));
        assert_eq!(naming.name(b"/etc/passwd", b"/etc/passwd"), b"/etc/passwd");
        assert_eq!(naming.name(b"/etc/passwd", b"/"), b"/etc/passwd");
        assert_eq!(naming.outside, 2);
        assert_eq!(naming.name(b"-", b"-"), b"-");
    }

    #[test]
    fn lists_end_at_their_end_and_keep_odd_names() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("list");
        std::fs::write(&list, b"a\n\n b \n-\n\xff\nlast").unwrap();
        let names: Vec<_> = NameList::open(&list, b'\n', &Progress::default()).unwrap().collect();
        assert_eq!(names, [&b"a"[..], b" b ", b"./-", b"\xff", b"last"]);
        std::fs::write(&list, b"a\nb\0\0c\0").unwrap();
        let names: Vec<_> = NameList::open(&list, 0, &Progress::default()).unwrap().collect();
        assert_eq!(names, [&b"a\nb"[..], b"", b"c"]);
        std::fs::write(&list, b"a\ns3://b/k\nc\n").unwrap();
        let mut urls = NameList::open(&list, b'\n', &Progress::default()).unwrap();
        assert_eq!((urls.next(), urls.next()), (Some(b"a".to_vec()), None));
        assert!(
            urls.failed.lock().unwrap().as_ref().is_some_and(|error| error.to_string().contains("s3://b/k"))
        );
        let mut folder = NameList::open(dir.path(), 0, &Progress::default()).unwrap();
        assert_eq!(folder.next(), None);
        assert!(folder.failed.lock().unwrap().is_some(), "a folder opens, and then fails to be read");
    }
}
