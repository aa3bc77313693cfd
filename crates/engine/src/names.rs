//! Other spellings of a name: different case, Unicode normalization form or path separators.
//!
//! Names are bytes, and different bytes are different names. Systems that ignore case, or store
//! names in another normalization form (NFD instead of NFC), produce manifests whose names do not
//! exist on disk exactly as they are written. Other spellings are used only to find the files of
//! such names.

use crate::io::open::Root;
use crate::io::resolve::PATH_MAX;
use std::collections::HashMap;
use std::path::Path;
use truesum_fs::listing;
use truesum_fs::metadata::FileType;
use truesum_fs::name;
use truesum_fs::resolve::OpenMode;
use unicode_normalization::UnicodeNormalization;

options! {
    /// The spellings that count as the same name. By default, only identical names do.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Spellings {
        /// Whether case is ignored.
        any_case: bool,
        /// Whether composed and decomposed characters are equal (NFC and NFD, Unicode Standard Annex 15).
        any_form: bool,
    }
}

impl Spellings {
    /// All kinds of spellings.
    pub const ALL: Spellings = Spellings { any_case: true, any_form: true };

    /// Returns whether a name may have other spellings.
    pub fn any(self) -> bool {
        self.any_case || self.any_form
    }

    /// Returns the part of a name that all its spellings have in common.
    fn key(self, name: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(name) else {
            // Bytes that are not UTF-8 have a case only for ASCII letters.
            return if self.any_case { name.to_ascii_lowercase() } else { name.to_vec() };
        };
        let lower = |text: String| -> String {
            if self.any_case { text.chars().flat_map(char::to_lowercase).collect() } else { text }
        };
        // The lower case of a decomposed letter is that of its base letter.
        let text = if self.any_form { lower(text.nfd().collect()) } else { lower(text.to_owned()) };
        if self.any_form { text.nfd().collect::<String>().into_bytes() } else { text.into_bytes() }
    }
}

/// The result of a search for another spelling of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// No file was found.
    Nothing,
    /// One file was found.
    One {
        /// The name of the file.
        found: Vec<u8>,
        /// The same name in the requested spelling, with slashes.
        requested: Vec<u8>,
    },
    /// Several files were found, so the name is ambiguous: their names.
    Several(Vec<Vec<u8>>),
}

/// The names in folders below a root, listed on demand.
pub(crate) struct Folders<'r> {
    root: &'r Root,
    spellings: Spellings,
    /// The folders listed so far.
    listed: HashMap<Vec<u8>, Names>,
}

/// The names in a folder, each with a flag for folders. The keys are the parts that all spellings
/// of a name have in common.
type Names = HashMap<Vec<u8>, Vec<(Vec<u8>, bool)>>;

/// The maximum number of paths followed at a time: more folders that differ only in spelling were created to be slow.
const PATHS: usize = 64;

impl<'r> Folders<'r> {
    pub(crate) fn new(root: &'r Root, spellings: Spellings) -> Folders<'r> {
        Folders { root, spellings, listed: HashMap::new() }
    }

    /// Finds the file with another spelling of `name`, including slashes in place of backslashes and vice versa.
    pub(crate) fn find(&mut self, name: &[u8]) -> NameMatch {
        match self.find_exactly(name) {
            NameMatch::Nothing if name.contains(&b'\\') => {
                let slashed: Vec<u8> =
                    name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
                self.find_exactly(&slashed)
            }
            found => found,
        }
    }

    fn find_exactly(&mut self, name: &[u8]) -> NameMatch {
        let parts: Vec<&[u8]> =
            name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
        let odd = name.first() == Some(&b'/') || name.len() >= PATH_MAX || parts.contains(&&b".."[..]);
        if parts.is_empty() || odd {
            return NameMatch::Nothing;
        }
        let (mut paths, mut found) = (vec![Vec::new()], Vec::new());
        for at in 0..parts.len() {
            // The rest of the name may be a single name with backslashes in it.
            let rest = parts[at..].join(&b'\\');
            found.extend(paths.iter().flat_map(|path| self.below(path, &rest, false)));
            paths = paths.iter().flat_map(|path| self.below(path, parts[at], true)).collect();
            paths.truncate(PATHS);
        }
        found.sort();
        match found.len() {
            0 => NameMatch::Nothing,
            1 => NameMatch::One { found: found.remove(0), requested: parts.join(&b'/') },
            _ => NameMatch::Several(found),
        }
    }

    /// Returns the matches for a component in a folder, either folders or other objects.
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

/// Returns the names in a folder, or none if it cannot be listed.
fn list(root: &Root, folder: &[u8], spellings: Spellings) -> Names {
    let mut names = Names::new();
    let path = if folder.is_empty() { b"." } else { folder };
    let Ok(opened) = root.resolve(path, OpenMode::Listing) else { return names };
    let visit = |name: &[u8], kind| {
        let kind = match kind {
            // Some file systems do not report the type, and a symbolic link may lead to a folder.
            FileType::Unknown | FileType::Symlink => {
                let path = [path, b"/", name].concat();
                // A link without a target is not a file under any spelling.
                let Ok(stat) = root.stat(&path, true) else { return };
                stat.kind()
            }
            kind => kind,
        };
        names.entry(spellings.key(name)).or_default().push((name.to_vec(), kind.is_dir()));
    };
    // If the folder cannot be read to its end, the names found so far remain.
    let _ = listing::list(&opened, visit);
    names
}

/// Returns the files in a folder that match another spelling of a name that does not exist.
///
/// ```
/// use truesum::names::{NameMatch, equivalent_name};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("Read Me"), "")?;
/// let found = NameMatch::One { found: b"Read Me".to_vec(), requested: b"READ ME".to_vec() };
/// assert_eq!(equivalent_name(folder.path(), "READ ME"), found);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn equivalent_name(folder: &Path, name: impl AsRef<Path>) -> NameMatch {
    let Ok(root) = Root::folder(folder, false) else { return NameMatch::Nothing };
    Folders::new(&root, Spellings::ALL).find(&name::of(name.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_equal_only_as_requested() {
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
    fn unique_match_is_found_and_ambiguous_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["Sub/File", "Two/x", "two/X", "a/both", "A/other", "deep/e\u{301}/F", "flat\\f"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = Root::folder(dir.path(), false).unwrap();
        let mut folders = Folders::new(&root, Spellings::ALL);
        // Where the volume ignores case, names that differ only in case are those of one file.
        let ignores_case = dir.path().join("SUB").exists();
        let one = |found: &str| Some(found.as_bytes().to_vec());
        for (name, expected) in [
            ("sub/file", one("Sub/File")),
            ("./SUB//FILE", one("Sub/File")),
            ("sub\\file", one("Sub/File")),
            ("FLAT/F", one(if cfg!(windows) { "flat/f" } else { "flat\\f" })),
            ("TWO/x", one("Two/x").filter(|_| ignores_case)),
            ("A/BOTH", one("a/both")),
            ("a/OTHER", one(if ignores_case { "a/other" } else { "A/other" })),
            ("deep/\u{e9}/f", one("deep/e\u{301}/F")),
            ("sub", None),
            ("none", None),
            ("../Sub/file", None),
            ("/sub/file", None),
            ("", None),
        ] {
            let found = match folders.find(name.as_bytes()) {
                NameMatch::One { found, .. } => Some(found),
                NameMatch::Nothing | NameMatch::Several(_) => None,
            };
            assert_eq!(found, expected, "{name}");
        }
        let requested = b"SUB/file".to_vec();
        let found = NameMatch::One { found: b"Sub/File".to_vec(), requested };
        assert_eq!(folders.find(b"SUB\\file"), found);
        assert_eq!(matches!(folders.find(b"TWO/x"), NameMatch::Several(_)), !ignores_case);
    }
}
