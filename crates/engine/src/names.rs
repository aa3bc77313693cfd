//! Other spellings of a name: another case, another Unicode form, other slashes.
//!
//! Names are bytes, and two that differ are two names. Systems that forget case, or store what they are given in another
//! normal form (NFD where NFC was asked for), leave behind manifests whose names are on no disk as they are written: only
//! for these are names compared by what they would be there.

use crate::io::open::Root;
use crate::io::resolve::PATH_MAX;
use rustix::fs::{Dir, FileType, OFlags};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// Which spellings are one name. The default is: none but itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spellings {
    /// Letters of either case are the same.
    pub any_case: bool,
    /// Composed and decomposed characters are the same (NFC and NFD, Unicode Standard Annex 15).
    pub any_form: bool,
}

impl Spellings {
    /// All that are known.
    pub const ALL: Spellings = Spellings { any_case: true, any_form: true };

    /// Whether a name may have another spelling than its own.
    pub fn any(self) -> bool {
        self.any_case || self.any_form
    }

    /// What all spellings of a name have in common.
    fn key(self, name: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(name) else {
            // Bytes of no encoding have no case but that of their ASCII letters.
            return if self.any_case { name.to_ascii_lowercase() } else { name.to_vec() };
        };
        let lower = |text: String| -> String {
            if self.any_case { text.chars().flat_map(char::to_lowercase).collect() } else { text }
        };
        // Lower case of a decomposed letter is that of its base.
        let text = if self.any_form { lower(text.nfd().collect()) } else { lower(text.to_owned()) };
        if self.any_form { text.nfd().collect::<String>().into_bytes() } else { text.into_bytes() }
    }
}

/// What stands under another spelling of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Respelt {
    /// Nothing.
    Nothing,
    /// This file, and how its name would be spelt as asked for: with slashes in any case.
    One {
        /// Its name.
        found: Vec<u8>,
        /// What it would be called.
        asked: Vec<u8>,
    },
    /// More than one file: nobody knows which is meant.
    Several,
}

/// Names in folders below a root, listed as they are asked for.
pub(crate) struct Folders<'r> {
    root: &'r Root,
    spellings: Spellings,
    /// What was listed so far.
    listed: HashMap<Vec<u8>, Names>,
}

/// Names in a folder, each with whether it is that of a folder, by what their spellings have in common.
type Names = HashMap<Vec<u8>, Vec<(Vec<u8>, bool)>>;

/// Paths that are followed at a time: more folders that differ only by spelling were made to be slow.
const PATHS: usize = 64;

impl<'r> Folders<'r> {
    pub(crate) fn new(root: &'r Root, spellings: Spellings) -> Folders<'r> {
        Folders { root, spellings, listed: HashMap::new() }
    }

    /// What stands under another spelling of `name`, be it that slashes were taken for backslashes or the other way round.
    pub(crate) fn find(&mut self, name: &[u8]) -> Respelt {
        match self.find_exactly(name) {
            Respelt::Nothing if name.contains(&b'\\') => {
                let slashed: Vec<u8> =
                    name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
                self.find_exactly(&slashed)
            }
            found => found,
        }
    }

    fn find_exactly(&mut self, name: &[u8]) -> Respelt {
        let parts: Vec<&[u8]> =
            name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
        let odd = name.first() == Some(&b'/') || name.len() >= PATH_MAX || parts.contains(&&b".."[..]);
        if parts.is_empty() || odd {
            return Respelt::Nothing;
        }
        let (mut paths, mut found) = (vec![Vec::new()], Vec::new());
        for at in 0..parts.len() {
            // The rest of the name may be one name, of which nobody made folders.
            let rest = parts[at..].join(&b'\\');
            found.extend(paths.iter().flat_map(|path| self.below(path, &rest, false)));
            paths = paths.iter().flat_map(|path| self.below(path, parts[at], true)).collect();
            paths.truncate(PATHS);
        }
        match found.len() {
            0 => Respelt::Nothing,
            1 => Respelt::One { found: found.remove(0), asked: parts.join(&b'/') },
            _ => Respelt::Several,
        }
    }

    /// What in a folder is called so in any spelling, folders or what is none.
    fn below(&mut self, folder: &[u8], part: &[u8], folders: bool) -> Vec<Vec<u8>> {
        let Folders { root, spellings, listed } = self;
        let names = listed.entry(folder.to_vec()).or_insert_with(|| list(root, folder, *spellings));
        let fitting = names.get(&spellings.key(part)).into_iter().flatten();
        let join = |name: &Vec<u8>| match folder {
            b"" => name.clone(),
            folder => [folder, b"/", name].concat(),
        };
        fitting.filter(|(_, is_folder)| *is_folder == folders).map(|(name, _)| join(name)).collect()
    }
}

/// The names in a folder; none if it cannot be listed, for then nothing is found in it.
fn list(root: &Root, folder: &[u8], spellings: Spellings) -> Names {
    let mut names = Names::new();
    let path = if folder.is_empty() { b"." } else { folder };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Some(entries) = root.resolve(path, flags).and_then(Dir::new).ok() else { return names };
    for entry in entries.map_while(Result::ok) {
        let name = entry.file_name().to_bytes().to_vec();
        let kind = match entry.file_type() {
            // Some file systems do not tell, and a link may lead to a folder.
            FileType::Unknown | FileType::Symlink => {
                let path = [path, b"/", &name].concat();
                root.stat(&path, true).map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
            }
            kind => kind,
        };
        if name != b"." && name != b".." {
            names.entry(spellings.key(&name)).or_default().push((name, kind.is_dir()));
        }
    }
    names
}

/// What stands in a folder under another spelling of a name that is not there, if it is one file.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("Read Me"), "")?;
/// assert_eq!(truesum::names::respelt(folder.path(), "READ ME"), Some("Read Me".into()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn respelt(folder: &Path, name: impl AsRef<Path>) -> Option<PathBuf> {
    let root = Root::folder(folder, false).ok()?;
    match Folders::new(&root, Spellings::ALL).find(name.as_ref().as_os_str().as_bytes()) {
        Respelt::One { found, .. } => Some(OsString::from_vec(found).into()),
        Respelt::Nothing | Respelt::Several => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_one_name_as_far_as_is_asked() {
        let one = |case, form, a: &str, b: &str| {
            let spellings = Spellings { any_case: case, any_form: form };
            spellings.key(a.as_bytes()) == spellings.key(b.as_bytes())
        };
        for (a, b, case, form, both) in [
            ("a", "A", true, false, true),
            ("\u{e9}", "e\u{301}", false, true, true),
            ("\u{c9}", "e\u{301}", false, false, true),
            ("\u{c9}", "\u{e9}", true, false, true),
            ("\u{212b}", "\u{c5}", true, true, true),
            ("\u{ac00}", "\u{1100}\u{1161}", false, true, true),
            ("\u{3a3}", "\u{3c3}", true, false, true),
            ("a", "b", false, false, false),
            ("fi", "\u{fb01}", false, false, false),
        ] {
            let found = (one(true, false, a, b), one(false, true, a, b), one(true, true, a, b));
            assert_eq!(found, (case, form, both), "{a} {b}");
            assert!(!one(false, false, a, b));
        }
        assert_eq!(Spellings::ALL.key(b"\xffA"), b"\xffa");
    }

    #[test]
    fn one_file_is_found_and_of_several_none() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["Sub/File", "Two/x", "two/X", "a/both", "A/other", "deep/e\u{301}/F", "flat\\f"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = Root::folder(dir.path(), false).unwrap();
        let mut folders = Folders::new(&root, Spellings::ALL);
        let one = |found: &str| Some(found.as_bytes().to_vec());
        for (name, expected) in [
            ("sub/file", one("Sub/File")),
            ("./SUB//FILE", one("Sub/File")),
            ("sub\\file", one("Sub/File")),
            ("FLAT/F", one("flat\\f")),
            ("TWO/x", None),
            ("A/BOTH", one("a/both")),
            ("a/OTHER", one("A/other")),
            ("deep/\u{e9}/f", one("deep/e\u{301}/F")),
            ("sub", None),
            ("none", None),
            ("../Sub/file", None),
            ("/sub/file", None),
            ("", None),
        ] {
            let found = match folders.find(name.as_bytes()) {
                Respelt::One { found, .. } => Some(found),
                Respelt::Nothing | Respelt::Several => None,
            };
            assert_eq!(found, expected, "{name}");
        }
        let asked = b"SUB/file".to_vec();
        let found = Respelt::One { found: b"Sub/File".to_vec(), asked };
        assert_eq!(folders.find(b"SUB\\file"), found);
        assert_eq!(folders.find(b"TWO/x"), Respelt::Several);
    }
}
