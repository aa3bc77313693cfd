//! Names for a manifest: lists of names to hash, and names relative to the manifest's folder.

use crate::exit::Refusal;
use crate::values::path::{folder_of, is_url};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use truesum::manifest::path::display_safe;
use truesum::{Error, Input, Progress};
use truesum_fs::name::{OsStrExt, entry_name, from_line};

/// Iterates over the names in lists. A read error ends the iteration and is stored in
/// [`NameList::failed`].
pub struct NameList {
    /// The current list and the following ones, with their names.
    lists: VecDeque<(PathBuf, BufReader<Input>)>,
    terminator: u8,
    /// The error that ended reading early, if there was one.
    pub failed: Arc<Mutex<Option<Error>>>,
}

impl NameList {
    /// Opens lists that are read as one; `-` is standard input.
    ///
    /// # Errors
    /// Fails if one of them cannot be opened, or if standard input is given twice.
    pub fn open(paths: &[PathBuf], terminator: u8, progress: &Progress) -> Result<NameList, Refusal> {
        if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Refusal::new(
                "standard input can be read only once, but '-' is given more than once",
            ));
        }
        let open = |path: &PathBuf| {
            let input = if path.as_os_str() == "-" {
                Input::stdin(progress.stop_signal())
            } else {
                Input::open(path, progress.stop_signal())
            };
            match input {
                Ok(input) => Ok((path.clone(), BufReader::with_capacity(1 << 16, input))),
                Err(error) => {
                    Err(Refusal::new(Error::io(path.as_os_str().as_bytes(), "open", error).to_string()))
                }
            }
        };
        Ok(NameList {
            lists: paths.iter().map(open).collect::<Result<_, _>>()?,
            terminator,
            failed: Arc::default(),
        })
    }

    /// Returns an iterator over the parts of an open file, which end with this byte.
    pub fn of(list: Input, terminator: u8) -> NameList {
        let list = (PathBuf::new(), BufReader::with_capacity(1 << 16, list));
        NameList { lists: VecDeque::from([list]), terminator, failed: Arc::default() }
    }

    fn fail(&self, error: io::Error) {
        let name = self.lists.front().map_or(&b""[..], |(name, _)| name.as_os_str().as_bytes());
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Error::io(name, "read", error));
    }

    /// Reads the next part without its terminator. Returns false at the end.
    ///
    /// # Errors
    /// Returns the system's error, or fails if the part has more than `limit` bytes.
    pub fn part(&mut self, limit: usize, part: &mut Vec<u8>) -> io::Result<bool> {
        part.clear();
        let Some((_, list)) = self.lists.front_mut() else { return Ok(false) };
        let read = list.by_ref().take(limit as u64 + 1).read_until(self.terminator, part)?;
        if part.last() == Some(&self.terminator) {
            part.pop();
        } else if part.len() > limit {
            return Err(io::Error::other(format!("a line has more than {limit} bytes")));
        }
        Ok(read > 0)
    }
}

/// Maximum length of a name in bytes; no system permits longer ones.
const LONGEST: usize = 1 << 20;

impl Iterator for NameList {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut name = Vec::new();
            let read = self.part(LONGEST, &mut name);
            let name = from_line(name);
            match read {
                Ok(false) => {
                    self.lists.pop_front()?;
                }
                Ok(true) => match &name[..] {
                    // A blank line is skipped; an empty name between two NULs is a mistake.
                    b"" if self.terminator == b'\n' => {}
                    // In a list, this is an ordinary file name.
                    b"-" => return Some(b"./-".to_vec()),
                    _ if is_url(&name) => {
                        let why = format!(
                            "{} is not a local file; to hash objects, specify s3://BUCKET/PREFIX instead of \
                             the list",
                            display_safe(&name)
                        );
                        self.fail(io::Error::other(why));
                        return None;
                    }
                    _ => return Some(name),
                },
                Err(error) if Input::is_interruption(&error) => return None,
                Err(error) => {
                    self.fail(error);
                    return None;
                }
            }
        }
    }
}

/// Makes the names of files relative to a folder.
///
/// Names given by the user are resolved (links, `..`), so that the result is correct wherever the
/// program runs; names found by a walk keep their spelling.
pub struct Naming {
    base: PathBuf,
    /// The last root, and its replacement in names.
    root: Option<(Vec<u8>, Vec<u8>)>,
    /// The folder of the last file, and its canonical path: adjacent files in a list are mostly in
    /// the same folder, and resolving it costs a system call for each component.
    folder: Option<(PathBuf, PathBuf)>,
    /// The number of names outside the folder, which are therefore absolute.
    pub outside: u64,
}

impl Naming {
    /// Returns names relative to `base`, a canonical path.
    pub fn new(base: PathBuf) -> Naming {
        Naming { base, root: None, folder: None, outside: 0 }
    }

    /// Returns the name of `path`, found at or below `root`.
    ///
    /// # Errors
    /// Fails if a folder above it exists but cannot be resolved, because any other name could be
    /// that of another file. A file that does not exist keeps its spelling, and is reported as
    /// missing.
    pub fn name(&mut self, path: &[u8], root: &[u8]) -> Result<Vec<u8>, Error> {
        let trimmed = trim_slashes(root);
        if self.root.as_ref().is_none_or(|(last, _)| last != root) {
            match self.resolve(trimmed, path == trimmed) {
                Ok(stand_in) => self.root = Some((root.to_vec(), stand_in)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_vec()),
                Err(error) => return Err(Error::io(path, "resolve", error)),
            }
        }
        let mut name = self.root.as_ref().map_or(Vec::new(), |(_, stand_in)| stand_in.clone());
        let rest = path.strip_prefix(trimmed).unwrap_or(path);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        if !name.is_empty() && !name.ends_with(b"/") && !rest.is_empty() {
            name.push(b'/');
        }
        name.extend_from_slice(rest);
        self.outside += u64::from(Path::new(OsStr::from_bytes(&name)).is_absolute());
        Ok(name)
    }

    /// Returns whether the files at or below an argument are outside the folder; false for standard input and for what
    /// does not exist.
    pub fn is_outside(&mut self, argument: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(argument));
        if argument == b"-" || path.symlink_metadata().is_err() {
            return false;
        }
        let name = self.resolve(trim_slashes(argument), !path.is_dir());
        name.is_ok_and(|name| Path::new(OsStr::from_bytes(&name)).is_absolute())
    }

    /// Returns a root's own name: relative if it is inside the base, otherwise absolute.
    fn resolve(&mut self, root: &[u8], is_file: bool) -> io::Result<Vec<u8>> {
        let path = Path::new(OsStr::from_bytes(root));
        let real = match path.file_name().filter(|_| is_file) {
            // A link keeps its own name, which is what the user means and what a check will open.
            Some(name) => self.canonical(folder_of(path))?.join(name),
            None => path.canonicalize()?,
        };
        let relative = real.strip_prefix(&self.base).map(Path::to_path_buf);
        Ok(entry_name(relative.unwrap_or(real)))
    }

    fn canonical(&mut self, folder: PathBuf) -> io::Result<&Path> {
        // Compared as bytes: as paths, `a/.` and `a` are equal.
        let known = self.folder.take().filter(|(last, _)| last.as_os_str() == folder.as_os_str());
        let real = match known {
            Some((_, real)) => real,
            None => folder.canonicalize()?,
        };
        Ok(&self.folder.insert((folder, real)).1)
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
    fn names_are_relative_to_the_base_for_any_spelling() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("data/sub")).unwrap();
        std::fs::write(base.join("data/sub/f"), "").unwrap();
        std::os::unix::fs::symlink("data", base.join("link")).unwrap();
        let at = |path: &str| entry_name(base.join(path));
        for (path, root, name) in [
            (at("data/sub/f"), at("data/sub/f"), "data/sub/f"),
            (at("data/sub/f"), at("data"), "data/sub/f"),
            (at("data/sub/f"), at("data/"), "data/sub/f"),
            (at("data/sub/../sub/f"), at("data/sub/../sub/f"), "data/sub/f"),
            (at("link/sub/f"), at("link"), "data/sub/f"),
            (at("link/sub/f"), at(""), "link/sub/f"),
        ] {
            let mut naming = Naming::new(base.clone());
            assert_eq!(naming.name(&path, &root).unwrap(), name.as_bytes());
            assert_eq!(naming.outside, 0);
        }
        let mut naming = Naming::new(base.clone());
        let named =
            ["data/sub/f", "data/sub/g", "link/sub/f", "link/sub/g", "gone/f", "data/sub/f", "data/h"].map(
                |path| {
                    let path = at(path);
                    String::from_utf8(naming.name(&path, &path).unwrap()).unwrap()
                },
            );
        let gone = base.join("gone/f").into_os_string().into_string().unwrap();
        assert_eq!(
            named,
            ["data/sub/f", "data/sub/g", "data/sub/f", "data/sub/g", gone.as_str(), "data/sub/f", "data/h"]
        );
        let mut naming = Naming::new(base.join("data/sub"));
        assert_eq!(naming.name(b"/etc/passwd", b"/etc/passwd").unwrap(), b"/etc/passwd");
        assert_eq!(naming.name(b"/etc/passwd", b"/").unwrap(), b"/etc/passwd");
        assert_eq!(naming.outside, 2);
    }

    fn open(list: &Path, terminator: u8) -> NameList {
        NameList::open(&[list.to_path_buf()], terminator, &Progress::default())
            .unwrap_or_else(|why| panic!("{why:?}"))
    }

    #[test]
    fn several_lists_are_read_as_one() {
        let dir = tempfile::tempdir().unwrap();
        let lists = ["one", "two"].map(|name| dir.path().join(name));
        std::fs::write(&lists[0], "a\nb").unwrap();
        std::fs::write(&lists[1], "c\n").unwrap();
        let names: Vec<_> = NameList::open(&lists, b'\n', &Progress::default())
            .unwrap_or_else(|why| panic!("{why:?}"))
            .collect();
        assert_eq!(names, [b"a", b"b", b"c"]);
        assert!(NameList::open(&["-".into(), "-".into()], b'\n', &Progress::default()).is_err());
    }

    #[test]
    fn name_lists_end_at_the_delimiter_and_keep_unusual_names() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("list");
        std::fs::write(&list, b"a\n\n b \n-\n\xff\nlast").unwrap();
        let names: Vec<_> = open(&list, b'\n').collect();
        assert_eq!(names, [&b"a"[..], b" b ", b"./-", b"\xff", b"last"]);
        std::fs::write(&list, b"a\nb\0\0c\0").unwrap();
        let names: Vec<_> = open(&list, 0).collect();
        assert_eq!(names, [&b"a\nb"[..], b"", b"c"]);
        std::fs::write(&list, b"a\ns3://b/k\nc\n").unwrap();
        let mut urls = open(&list, b'\n');
        assert_eq!((urls.next(), urls.next()), (Some(b"a".to_vec()), None));
        assert!(
            urls.failed.lock().unwrap().as_ref().is_some_and(|error| error.to_string().contains("s3://b/k"))
        );
        let mut folder = open(dir.path(), 0);
        assert_eq!(folder.next(), None);
        assert!(folder.failed.lock().unwrap().is_some(), "a folder opens, and then fails to be read");
    }
}
