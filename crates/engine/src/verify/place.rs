//! Where the names of a manifest lead from, by the manifest's own name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder that a manifest's names are relative to: its own, or the one above where by the rules of its format it lies in a
/// folder made for it (`RECORD` of Python's packages, `MANIFEST.MF` of Java's, the lists of ASC-MHL).
pub fn folder_of_names(manifest: &Path) -> PathBuf {
    let bytes = |part: Option<&OsStr>| part.map(OsStr::as_bytes).unwrap_or_default().to_vec();
    let folder = manifest.parent();
    let place = bytes(folder.and_then(Path::file_name));
    let above = match bytes(manifest.file_name()).as_slice() {
        b"RECORD" => place.ends_with(b".dist-info"),
        b"MANIFEST.MF" => place == b"META-INF",
        name => place == HISTORY && name.ends_with(b".mhl"),
    };
    match if above { folder.and_then(Path::parent) } else { folder } {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The folder of the lists of an ASC-MHL history.
const HISTORY: &[u8] = b"ascmhl";

/// What belongs to the history of a list of ASC-MHL, as `(device, inode)`: all lists of its folder and the chain that names them. By the
/// rules of the format no list has them.
pub(crate) fn history(manifest: &Path) -> Vec<(u64, u64)> {
    let is_list = |name: &Path| name.extension().is_some_and(|end| end == "mhl");
    let folder =
        manifest.parent().filter(|folder| folder.file_name().is_some_and(|name| name.as_bytes() == HISTORY));
    let files = folder.filter(|_| is_list(manifest)).and_then(|folder| std::fs::read_dir(folder).ok());
    let of_it = files.into_iter().flatten().flatten();
    let of_it =
        of_it.filter(|file| is_list(Path::new(&file.file_name())) || file.file_name() == "ascmhl_chain.xml");
    of_it.filter_map(|file| file.metadata().ok()).map(|file| (file.dev(), file.ino())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_folder_above_where_the_manifest_has_one_of_its_own() {
        for (manifest, folder) in [
            ("SHA256SUMS", "."),
            ("a/SHA256SUMS", "a"),
            ("a/x-1.dist-info/RECORD", "a"),
            ("x-1.dist-info/RECORD", "."),
            ("RECORD", "."),
            ("a/RECORD", "a"),
            ("META-INF/MANIFEST.MF", "."),
            ("/a/META-INF/MANIFEST.MF", "/a"),
            ("META-INF/x.sha256", "META-INF"),
            ("/a/ascmhl/0001_set.mhl", "/a"),
            ("a/ascmhl/chain.xml", "a/ascmhl"),
            ("-", "."),
        ] {
            assert_eq!(folder_of_names(Path::new(manifest)), Path::new(folder), "{manifest}");
        }
    }
}
