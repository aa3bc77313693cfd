//! Decides whether `-o` writes its manifest. An incomplete manifest never replaces another one
//! unless the user allowed that: otherwise a misspelt name or an unmounted disk would destroy the
//! digests of files that are still good.

use crate::exit::Refusal;
use crate::output::read_replaceable;
use crate::selection::nothing_selected_message;
use crate::words::count;
use std::path::Path;
use truesum::manifest::path::display_safe;
use truesum::walk::ExcludedCounts;
use truesum_fs::name::OsStrExt;

/// The incomplete or unusual manifests that may be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accept {
    /// Manifests that lack files that could not be read.
    pub partial: bool,
    /// Manifests without entries.
    pub empty: bool,
    /// Manifests that replace a file that is not a manifest, or that has other digests of
    /// unmodified files.
    pub overwrite: bool,
    /// Manifests of files outside the folder to which names are relative.
    pub outside: bool,
}

/// The result of a run that should write a manifest.
#[derive(Clone, Copy, Debug)]
pub struct Collected {
    /// Number of files in the new manifest.
    pub listed: u64,
    /// Number of files and folders that were requested or found, but not read or not supported by
    /// the format.
    pub lacking: u64,
    /// Whether a manifest of this format can lack them. The pieces of a torrent span files.
    pub may_lack: bool,
    /// Whether the lists of names were read to their end.
    pub list_read: bool,
    /// Files and folders that the selection excluded.
    pub left_out: ExcludedCounts,
    /// The reason not to replace the existing file if it is not a manifest; `None` if that is not
    /// tested.
    pub over: Option<Content>,
}

/// The reason why a file is not replaced, and a hint.
pub type Content = (&'static str, &'static str);

/// The file is one of the inputs: an older manifest that `*` matched, or data.
pub const NAMED: Content = (
    "it is one of the input files and not a manifest",
    "specify the manifest with -o: truesum hash -o SUMS FILE...",
);

/// The user did not specify the name of the file.
pub const IMPLICIT_NAME: Content = (
    "the existing file is not a manifest, or not in the format that its name implies",
    "move it away, or write a single manifest with -o FILE",
);

/// Returns why nothing is written to `path`, if so. An incompletely read list of names is never
/// accepted, because it is unknown which files are missing.
pub fn refused(path: &Path, collected: Collected, accept: Accept) -> Option<Refusal> {
    refused_at(path, path, collected, accept)
}

/// Does the same for a file that messages call `path`, and that is opened as `at`.
pub fn refused_at(path: &Path, at: &Path, collected: Collected, accept: Accept) -> Option<Refusal> {
    let (why, hint) = match collected {
        Collected { list_read: false, .. } => {
            ("the list of files could not be read completely".to_owned(), None)
        }
        Collected { lacking, .. } if lacking > 0 && !accept.partial => (
            format!("{} would be missing from it", count(lacking, "file or folder", "files or folders")),
            collected.may_lack.then(|| "to write an incomplete manifest, use --partial".to_owned()),
        ),
        Collected { listed: 0, left_out, .. } if !accept.empty => (
            match left_out == ExcludedCounts::default() {
                true => "there are no files".to_owned(),
                false => nothing_selected_message(left_out),
            },
            Some("to write an empty manifest, use --allow-empty".to_owned()),
        ),
        Collected { over: Some((why, hint)), .. } if !is_manifest(at) => {
            (why.to_owned(), Some(hint.to_owned()))
        }
        _ => return None,
    };
    let kept = if at.exists() { "not replaced" } else { "not written" };
    let path = display_safe(path.as_os_str().as_bytes());
    Some(Refusal { text: format!("{path}: {kept}: {why}"), hint })
}

/// Returns whether the file is a manifest, so that replacing it loses nothing else.
fn is_manifest(path: &Path) -> bool {
    read_replaceable(path, None, &mut |_| {}).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_manifest_is_written_only_on_request() {
        let all = |listed, lacking, list_read| {
            let left_out = ExcludedCounts::default();
            Collected { listed, lacking, may_lack: true, list_read, left_out, over: None }
        };
        let words = |collected, partial, empty| {
            let refusal = refused(
                Path::new("/nowhere/M"),
                collected,
                Accept { partial, empty, overwrite: false, outside: false },
            );
            refusal.map(|refusal| refusal.text.replace("/nowhere/M: not written: ", ""))
        };
        for (collected, partial, empty, why) in [
            (all(1, 0, true), false, false, None),
            (all(1, 1, true), false, true, Some("1 file or folder would be missing from it")),
            (all(1, 2, true), true, false, None),
            (all(0, 2, true), false, false, Some("2 files or folders would be missing from it")),
            (all(0, 2, true), true, false, Some("there are no files")),
            (all(0, 0, true), true, false, Some("there are no files")),
            (all(0, 0, true), false, true, None),
            (all(0, 2, true), true, true, None),
            (all(1, 0, false), true, true, Some("the list of files could not be read completely")),
        ] {
            assert_eq!(words(collected, partial, empty).as_deref(), why, "{collected:?}");
        }
    }

    #[test]
    fn only_manifests_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("M");
        let left_out = ExcludedCounts::default();
        let collected =
            Collected { listed: 1, lacking: 0, may_lack: true, list_read: true, left_out, over: Some(NAMED) };
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        std::fs::write(dir.path().join("a"), "").unwrap();
        for (content, kept) in [
            (String::new(), false),
            (format!("# of yesterday\n{digest}  a\n"), false),
            (format!("{digest}  refs/heads/main\n"), true),
            (format!("SHA256 (a) = {digest}\n"), false),
            ("hello\n".to_owned(), true),
            ("\u{7f}ELF\0\0\0".to_owned(), true),
        ] {
            std::fs::write(&path, &content).unwrap();
            assert_eq!(refused(&path, collected, Accept::default()).is_some(), kept, "{content}");
        }
    }
}
