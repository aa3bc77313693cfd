//! Whether `-o` writes its manifest. One that lists less than was asked for never takes the place of another unless that is
//! asked for too: a misspelt name or a disk that is not mounted would cost the digests of files that are still good.

use crate::exit::Refusal;
use crate::output::read_replaceable;
use crate::selection::none_selected;
use crate::words::count;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::manifest::path::display_safe;
use truesum::walk::LeftOut;

/// Manifests that are written although they list less than was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accept {
    /// Of what could be read.
    pub partial: bool,
    /// Of no file at all.
    pub empty: bool,
    /// In place of a file that is no earlier manifest, or that records other content of files that nothing wrote to.
    pub overwrite: bool,
    /// Of files outside of the folder that names are relative to.
    pub outside: bool,
}

/// How a run ended that was to write a manifest.
#[derive(Clone, Copy, Debug)]
pub struct Gathered {
    /// Files to be listed.
    pub listed: u64,
    /// Files and folders asked for or found that were not read, or that the format cannot hold.
    pub lacking: u64,
    /// Whether all names were known.
    pub list_read: bool,
    /// Files and folders that the selection excluded.
    pub left_out: LeftOut,
    /// What the file to be replaced is if it is no manifest, where that is asked.
    pub over: Option<Content>,
}

/// What is never replaced, and what can be done: why, and a hint.
pub type Content = (&'static str, &'static str);

/// It was named as one to be hashed: an older manifest met by `*`, or content.
pub const NAMED: Content = (
    "it is one of the input files, and not a manifest",
    "specify the manifest with -o: truesum hash -o SUMS FILE...",
);

/// Nobody named it.
pub const BESIDE: Content = (
    "the existing file is not a manifest, or not of the format its name implies",
    "move it away, or write a single manifest with -o FILE",
);

/// Why nothing is written to `path`, if so. Names that nobody knows are no part that can be accepted.
pub fn refused(path: &Path, gathered: Gathered, accept: Accept) -> Option<Refusal> {
    refused_at(path, path, gathered, accept)
}

/// The same of a file that is called so and lies there.
pub fn refused_at(path: &Path, at: &Path, gathered: Gathered, accept: Accept) -> Option<Refusal> {
    let (why, hint) = match gathered {
        Gathered { list_read: false, .. } => {
            ("the list of files could not be read completely".to_owned(), None)
        }
        Gathered { lacking, .. } if lacking > 0 && !accept.partial => (
            format!("{} would be missing from it", count(lacking, "file or folder", "files or folders")),
            Some("to write the manifest without them, use --partial".to_owned()),
        ),
        Gathered { listed: 0, left_out, .. } if !accept.empty => (
            match left_out == LeftOut::default() {
                true => "there are no files".to_owned(),
                false => none_selected(left_out),
            },
            Some("to write an empty manifest, use --allow-empty".to_owned()),
        ),
        Gathered { over: Some((why, hint)), .. } if !is_manifest(at) => {
            (why.to_owned(), Some(hint.to_owned()))
        }
        _ => return None,
    };
    let kept = if at.exists() { "not replaced" } else { "not written" };
    let path = display_safe(path.as_os_str().as_bytes());
    Some(Refusal { text: format!("{path}: {kept}: {why}"), hint })
}

/// Whether nothing but a manifest would be lost with a file.
fn is_manifest(path: &Path) -> bool {
    read_replaceable(path, None, &mut |_| {}).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lists_less_than_was_asked_for_is_written_only_on_request() {
        let all = |listed, lacking, list_read| {
            let left_out = LeftOut::default();
            Gathered { listed, lacking, list_read, left_out, over: None }
        };
        let words = |gathered, partial, empty| {
            let refusal = refused(
                Path::new("/nowhere/M"),
                gathered,
                Accept { partial, empty, overwrite: false, outside: false },
            );
            refusal.map(|refusal| refusal.text.replace("/nowhere/M: not written: ", ""))
        };
        for (gathered, partial, empty, why) in [
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
            assert_eq!(words(gathered, partial, empty).as_deref(), why, "{gathered:?}");
        }
    }

    #[test]
    fn content_is_not_replaced_and_a_manifest_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("M");
        let left_out = LeftOut::default();
        let gathered = Gathered { listed: 1, lacking: 0, list_read: true, left_out, over: Some(NAMED) };
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        for (content, kept) in [
            (String::new(), false),
            (format!("# of yesterday\n{digest}  a\n"), false),
            (format!("SHA256 (a) = {digest}\n"), false),
            ("hello\n".to_owned(), true),
            ("\u{7f}ELF\0\0\0".to_owned(), true),
        ] {
            std::fs::write(&path, &content).unwrap();
            assert_eq!(refused(&path, gathered, Accept::default()).is_some(), kept, "{content}");
        }
    }
}
