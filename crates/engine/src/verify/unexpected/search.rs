//! Finds files that are not in a manifest.

use crate::error::Error;
use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special};
use crate::progress::Progress;
use crate::run::remote::Remote;
use crate::select::Selection;
use crate::task::{Notice, Task};
use crate::tree::parity::is_parity;
use crate::tree::store::{Store, crc32c};
use crate::verify::detached::{SIGNATURES, holds_signature};
use crate::verify::listed::ListedNames;
use crate::walk::{Item, Options, Walk, relative};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::{self, OsStrExt, OsStringExt};

/// Returns whether a file with this path has the content that its extension promises.
type IsOwn = fn(&Root, &[u8]) -> bool;
/// Files of this program that are next to other files: their extensions, and the tests of their content.
const SIDECARS: [(&[u8], IsOwn); 5] = [
    (b".ftr", is_tree),
    (b".ftr.part", is_tree),
    (b".ftr.flat", |root, path| has_crc(root, path, b"\x89FTM\r\n\x1a\n")),
    (b".ftr.verify", |root, path| has_crc(root, path, b"\x89FTV\r\n\x1a\n")),
    (b".ftr.parity", |root, path| root.open(path, Special::Refuse).is_ok_and(|(file, _)| is_parity(&file))),
];
/// The maximum size of such a file that is examined.
const LIMIT: u64 = 64 << 20;

readable! {
    /// The extent and the counts of a search for files that are not in the manifest.
    #[derive(Debug, Default)]
    pub struct Search {
        /// The folder searched, as bytes.
        folder: Vec<u8> => &[u8],
        /// Files that are not in the manifest.
        files: u64,
        /// Files that are not in the manifest but are known to belong to this program: stored trees of files in the
        /// manifest with their accompanying files, and temporary files left by runs that were killed.
        own: u64,
        /// Detached signatures of the manifests, which the manifests cannot contain.
        signatures: u64,
        /// Symbolic links, pipes and devices that are not in the manifest.
        others: u64,
        /// Folders that could not be listed.
        failed: Vec<Error> => &[Error],
        /// Whether the search ended at its limit, so that there may be more files.
        cut: bool,
    }
}

/// The extent of a search for files that are not in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The deepest folder that contains all files in the manifest. Files outside of it are not
    /// reported.
    Around,
    /// The complete root.
    CompleteRead,
}

/// The options of a search.
pub struct SearchScope<'a> {
    /// The extent of the search.
    pub(crate) scope: Scope,
    /// The selection of files that count.
    pub(crate) select: &'a Selection,
    /// Files to ignore, as `(device, inode)`: manifests and the run's output.
    pub(crate) own: &'a [FileId],
    /// Whether links, pipes, devices and this program's own files count too.
    pub(crate) strict: bool,
    /// Whether files with the name of a temporary file of this program count, whatever they contain, because a name
    /// alone proves nothing.
    pub(crate) temporaries: bool,
    /// The number of files, in the manifest or not, after which the search ends.
    pub(crate) limit: u64,
    /// A function that returns whether the search must end.
    pub(crate) stopped: &'a dyn Fn() -> bool,
}

/// Searches for files below `root` that are not in the manifest, and passes each name, relative to the root, to
/// `found`.
///
/// Symbolic links, pipes and devices, which `hash` does not include, are counted separately.
///
/// # Errors
/// Returns the error of `found`.
pub fn unlisted(
    root: &[u8],
    listed: &mut ListedNames,
    scope: &SearchScope<'_>,
    found: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Search> {
    let &SearchScope { scope, select, own, strict, temporaries, limit, stopped } = scope;
    let root = &*name::of(Path::new(OsStr::from_bytes(root)));
    let below = if scope == Scope::Around { listed.folder() } else { b"" };
    let options = Options { select: select.clone(), below_root: true, ..Options::default() };
    let walk = Walk::new([OsStr::from_bytes(root).to_owned()], options, 0);
    let walk = walk.starting_at(OsStr::from_bytes(below));
    let folder = if below.is_empty() { root.to_vec() } else { [root, b"/", below].concat() };
    let mut result = Search { folder, ..Search::default() };
    let mut seen = 0;
    for item in walk {
        if stopped() {
            result.cut = true;
            break;
        }
        let (path, anchor, is_file) = match item {
            Item::File(path, anchor) => (path, anchor, true),
            Item::Temporary(_) if !strict && !temporaries => {
                result.own += 1;
                continue;
            }
            Item::State(_) => {
                result.own += 1;
                continue;
            }
            Item::Temporary(path) => (path, None, !strict),
            Item::Link(path) | Item::Dangling(path) | Item::Special(path, _) => (path, None, false),
            Item::Failed(error) => {
                // A hundred errors are enough for users; the number of files in these folders is
                // unknown anyway.
                if result.failed.len() < 100 {
                    result.failed.push(error);
                }
                continue;
            }
            // This walk has no command-line arguments.
            Item::Stdin => continue,
        };
        if is_file && seen == limit {
            result.cut = true;
            break;
        }
        seen += u64::from(is_file);
        let (path, anchor) = (path.into_os_string().into_vec(), anchor.as_ref());
        let name = relative(&path, root);
        if !select.requests(name) || listed.contains(name) || is_file && is_among(own, &path, anchor) {
            continue;
        }
        if !is_file {
            result.others += 1;
        } else if is_signature(own, &path, anchor) {
            result.signatures += 1;
            continue;
        } else if !strict && is_sidecar(name, |about| listed.contains(about), &path, anchor) {
            result.own += 1;
            continue;
        } else {
            result.files += 1;
        }
        if is_file || strict {
            found(name)?;
        }
    }
    Ok(result)
}

/// Searches an object store for objects that are not in the manifest. All
/// objects are examined.
///
/// # Errors
/// Returns the error of `found`.
pub fn unlisted_objects(
    remote: &dyn Remote,
    listed: &mut ListedNames,
    select: &Selection,
    progress: &Progress,
    found: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Search> {
    let mut result = Search { folder: remote.name().into_bytes(), ..Search::default() };
    for task in remote.list(&Arc::from([]), progress) {
        match task {
            Task::File(job) if select.finds(&job.name) && !listed.contains(&job.name) => {
                result.files += 1;
                found(&job.name)?;
            }
            Task::Notice(Notice::Failed(error)) if result.failed.len() < 100 => result.failed.push(error),
            Task::File(_) | Task::Notice(_) => {}
        }
    }
    result.cut = progress.stopped();
    Ok(result)
}

pub(crate) fn is_among(files: &[FileId], path: &[u8], anchor: Option<&Anchor>) -> bool {
    is_one_of(files, path, anchor, false)
}

fn is_one_of(files: &[FileId], path: &[u8], anchor: Option<&Anchor>, follow: bool) -> bool {
    let stat =
        || anchor.map_or_else(|| Root::Anywhere.stat(path, follow), |anchor| anchor.stat(path, follow));
    !files.is_empty() && stat().is_ok_and(|stat| files.contains(&FileId::from(&stat)))
}

/// Returns whether this is a detached signature of one of these manifests. Both name and content
/// are examined, because the name alone would allow any file. No manifest can contain its own
/// signature.
pub(crate) fn is_signature(manifests: &[FileId], path: &[u8], anchor: Option<&Anchor>) -> bool {
    let signed = SIGNATURES.iter().find_map(|end| path.strip_suffix(end.as_bytes()));
    signed.is_some_and(|signed| is_one_of(manifests, signed, anchor, true)) && holds_signature(path, anchor)
}

/// Returns whether this is a complete stored tree of a file in the manifest, or belongs to one: a name alone would
/// allow any file.
pub(crate) fn is_sidecar(
    name: &[u8],
    mut is_listed: impl FnMut(&[u8]) -> bool,
    path: &[u8],
    anchor: Option<&Anchor>,
) -> bool {
    let (root, path) = anchor.map_or((&Root::Anywhere, path), |anchor| (anchor.root(), anchor.rest(path)));
    SIDECARS
        .iter()
        .any(|(end, is_own)| name.strip_suffix(*end).is_some_and(&mut is_listed) && is_own(root, path))
}

fn is_tree(root: &Root, path: &[u8]) -> bool {
    Store::open_in(root, OsStr::from_bytes(path)).is_ok_and(|store| store.is_ok())
}

/// Returns whether a file begins with `magic` and ends with its CRC.
fn has_crc(root: &Root, path: &[u8], magic: &[u8]) -> bool {
    let read = || {
        let (file, _) = root.open(path, Special::Refuse).ok()?;
        let mut bytes = Vec::new();
        file.take(LIMIT).read_to_end(&mut bytes).ok()?;
        let (bytes, crc) = bytes.split_last_chunk()?;
        Some(bytes.starts_with(magic) && crc32c(bytes) == *crc)
    };
    read() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::build::{Saving, save};
    use crate::tree::parity::parity_of;
    use crate::tree::reading::Reading;
    use crate::tree::store::{GRANULE, Header, Hints};
    use truesum_fs::metadata::Metadata;
    use truesum_fs::name::OsStrExt;

    fn hundred(scope: Scope) -> SearchScope<'static> {
        let select = Box::leak(Box::new(Selection::default()));
        SearchScope {
            scope,
            select,
            own: &[],
            strict: false,
            temporaries: false,
            limit: 100,
            stopped: &|| false,
        }
    }

    #[test]
    fn extra_files_are_found_except_the_runs_own() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["a", "sub/b", "sub/c", "own"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let own = Metadata::at(dir.path().join("own")).unwrap();
        let mut listed = ListedNames::default();
        listed.add(b"./sub/b");
        let path = dir.path().as_os_str().as_bytes();
        let mut search = |scope, limit| {
            let mut names = Vec::new();
            let mut found = |name: &[u8]| {
                names.push(String::from_utf8_lossy(name).into_owned());
                Ok(())
            };
            let (own, select) = ([FileId::from(&own)], &Selection::default());
            let scope = SearchScope {
                scope,
                select,
                own: &own,
                strict: false,
                temporaries: false,
                limit,
                stopped: &|| false,
            };
            let result = unlisted(path, &mut listed, &scope, &mut found).unwrap();
            (names, result.cut)
        };
        assert_eq!(search(Scope::CompleteRead, 100), (vec!["a".to_owned(), "sub/c".to_owned()], false));
        assert_eq!(search(Scope::CompleteRead, 2), (vec!["a".to_owned()], true));
        assert_eq!(search(Scope::Around, 100), (vec!["sub/c".to_owned()], false));
    }

    #[test]
    fn own_files_are_recognized_by_content_and_not_only_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let temporary = String::from_utf8(crate::io::temporary::temporary_name(b"M")).unwrap();
        let hints = Hints { mtime: 0, ctime: 0, inode: 0, device: 0 };
        let header = Header::new(&"sha256-tree".parse().unwrap(), 6, GRANULE, hints).unwrap();
        drop(Store::create(dir.path().join("a.ftr"), header).unwrap());
        let tree = std::fs::read(dir.path().join("a.ftr")).unwrap();
        std::fs::write(dir.path().join("b"), b"listed").unwrap();
        let (built, progress) = (tempfile::tempdir().unwrap(), Progress::default());
        let target = built.path().join("b.ftr");
        let saving = Saving::new(&target).parity(Some(5));
        save(dir.path().join("b"), &"blake3".parse().unwrap(), &saving, &Reading::new(&progress)).unwrap();
        std::fs::copy(parity_of(&target), dir.path().join("b.ftr.parity")).unwrap();
        let findings = b"\x89FTV\r\n\x1a\n and more";
        for (name, content) in [
            ("a", &b"listed"[..]),
            ("b", b"listed"),
            ("a.ftr.part", &tree),
            ("a.ftr.flat", b"\x89FTM\r\n\x1a\n and more"),
            ("a.ftr.verify", &[&findings[..], &crc32c(findings)].concat()),
            ("a.ftr.parity", b"\x89FTP\r\n\x1a\n and more"),
            ("b.ftr", b"\x89FTR\r\n\x1a\n and more"),
            ("c.ftr", &tree),
            (".a.part", b""),
            (&temporary, b"half a manifest"),
        ] {
            std::fs::write(dir.path().join(name), content).unwrap();
        }
        let mut listed = ListedNames::default();
        listed.add(b"a");
        listed.add(b"b");
        let mut names = Vec::new();
        let mut found = |name: &[u8]| {
            names.push(String::from_utf8_lossy(name).into_owned());
            Ok(())
        };
        let path = dir.path().as_os_str().as_bytes();
        let search = unlisted(path, &mut listed, &hundred(Scope::CompleteRead), &mut found).unwrap();
        assert_eq!(names, [".a.part", "a.ftr.flat", "a.ftr.parity", "b.ftr", "c.ftr"]);
        assert_eq!((search.files, search.own), (5, 5));
    }

    #[cfg(unix)]
    #[test]
    fn folder_behind_a_link_is_not_searched() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root")).unwrap();
        std::fs::write(dir.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("root/link")).unwrap();
        let mut listed = ListedNames::default();
        listed.add(b"link/other");
        let path = dir.path().join("root").into_os_string().into_encoded_bytes();
        let mut found = |name: &[u8]| panic!("{}", name.escape_ascii());
        let search = unlisted(&path, &mut listed, &hundred(Scope::Around), &mut found).unwrap();
        assert_eq!((search.files, search.failed.len()), (0, 1));
    }
}
