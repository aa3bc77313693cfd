//! Library functions accept paths with the separators of the system. Names have slashes on every system.

use std::ffi::OsString;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::scrub::{self, Scrub};
use truesum::select::{Selection, Wanted};
use truesum::walk::{Item, Walk};
use truesum::{Conclusion, Options, Progress, ReadOptions, hash_files, verify};
use truesum_fs::name::OsStrExt;

/// SHA-256 of `123456789`.
const DIGEST: &str = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";

/// Returns a path below a folder, with the separators of the system.
fn native(folder: &Path, name: &str) -> PathBuf {
    folder.join(name.replace('/', MAIN_SEPARATOR_STR))
}

/// Creates a folder with the files `dir/sub/a` and `dir/sub/b`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(native(folder.path(), "dir/sub")).unwrap();
    for name in ["dir/sub/a", "dir/sub/b"] {
        std::fs::write(native(folder.path(), name), "123456789").unwrap();
    }
    folder
}

/// Returns the text of a name, which must have slashes only.
fn text(name: &[u8]) -> String {
    let text = String::from_utf8(name.to_vec()).unwrap();
    assert!(cfg!(not(windows)) || !text.contains('\\'), "{text}");
    text
}

#[test]
fn hashed_files_and_walked_files_are_named_with_slashes() {
    let folder = folder();
    let specs: Arc<[Spec]> = Arc::from(["sha256".parse().unwrap()]);
    // On Windows, the second one begins with `\\?\`.
    for top in [folder.path().to_owned(), folder.path().canonicalize().unwrap()] {
        let mut names = Vec::new();
        let summary = hash_files([native(&top, "dir/sub/a")], &specs, |outcome| {
            assert_eq!(outcome.result.as_ref().unwrap().digests()[0].to_hex(), DIGEST);
            names.push(text(outcome.job.name()));
        });
        assert!(summary.files() == 1 && names[0].ends_with("/dir/sub/a"), "{names:?}");
        for root in ["dir", "dir/", "dir/sub/"] {
            let walk = Walk::new([native(&top, root)], Default::default(), 1);
            let files = walk.map(|item| match item {
                Item::File(path, _) => text(path.as_os_str().as_bytes()),
                other => panic!("{other:?}"),
            });
            let files: Vec<String> = files.collect();
            assert!(files.len() == 2 && files[0].ends_with("/dir/sub/a"), "{files:?}");
            assert!(!files[0].contains("//") || files[0].rfind("//") == Some(0), "{files:?}");
        }
    }
}

#[test]
fn manifests_are_found_and_interpreted_by_their_names() {
    let folder = folder();
    std::fs::write(native(folder.path(), "dir/SHA256SUMS"), format!("{DIGEST}  sub/a\n{DIGEST}  sub/b\n"))
        .unwrap();
    // Its name is that of its only file.
    std::fs::write(native(folder.path(), "dir/sub/a.sha256"), format!("{DIGEST}\n")).unwrap();
    for manifest in ["dir/SHA256SUMS", "dir/sub/a.sha256"] {
        let report = verify(native(folder.path(), manifest), &Options::default(), |_| ()).unwrap();
        assert_eq!(report.verdict(), Conclusion::Verified, "{manifest}: {report:?}");
    }
    let only = vec![OsString::from(native(Path::new(""), "sub/a"))];
    let select = Selection::new(&Wanted::default().only(only)).unwrap();
    let options = Options::from(ReadOptions::default().select(select));
    let mut names = Vec::new();
    let manifest = native(folder.path(), "dir/SHA256SUMS");
    verify(&manifest, &options, |outcome| names.push(text(outcome.job.name()))).unwrap();
    assert_eq!(names, ["sub/a"]);
    let options = Options::default().required(vec![native(Path::new(""), "sub/a")]);
    assert_eq!(verify(&manifest, &options, |_| ()).unwrap().verdict(), Conclusion::Verified);
    // The file that the manifest describes, wherever it is.
    let single = native(folder.path(), "one.sha256");
    std::fs::write(&single, format!("{DIGEST}  other\n")).unwrap();
    let options = Options::from(ReadOptions::default().data(Some(native(folder.path(), "dir/sub/b"))));
    assert_eq!(verify(&single, &options, |_| ()).unwrap().verdict(), Conclusion::Verified);
}

#[test]
fn states_of_scrub_contain_names_relative_to_the_tree() {
    let folder = folder();
    let (root, state) = (native(folder.path(), "dir/"), native(folder.path(), "state"));
    let options = scrub::Options::default().root(root.clone()).state(state.clone()).within(30).all(true);
    let progress = Progress::default();
    Scrub::new(&options, &progress).run(&mut |_| Ok(())).unwrap();
    let listed = String::from_utf8(scrub::export(&state, Vec::new()).unwrap()).unwrap();
    assert!(listed.contains("\"sub/a\"") && listed.contains("\"sub/b\""), "{listed}");
    text(scrub::overview(&state, &root, None).unwrap().root().as_os_str().as_bytes());
    scrub::forget(&state, &root, &[native(Path::new(""), "sub/a")]).unwrap();
    let listed = String::from_utf8(scrub::export(&state, Vec::new()).unwrap()).unwrap();
    assert!(!listed.contains("sub/a") && listed.contains("\"sub/b\""), "{listed}");
}
