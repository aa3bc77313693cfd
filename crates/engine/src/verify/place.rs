//! Where the names of a manifest lead from, by the manifest's own name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
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
        name => place == b"ascmhl" && name.ends_with(b".mhl"),
    };
    match if above { folder.and_then(Path::parent) } else { folder } {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
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
