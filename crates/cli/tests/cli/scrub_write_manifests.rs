//! `truesum scrub --write-manifests`: manifests in each folder that follow the state.

use crate::program::{ABC, Folder, RunResult};
use crate::scrub::write;

fn digest(text: &str) -> String {
    "sha256".parse::<truesum::hash::Spec>().unwrap().digest(text.as_bytes()).to_hex()
}

fn scrub(folder: &Folder, more: &[&str]) -> RunResult {
    folder.run(&[&["scrub", "--all", "--write-manifests", "SHA256SUMS"], more, &["d"]].concat())
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// Returns a folder whose files have been recorded, with a manifest in each folder.
fn recorded() -> Folder {
    let folder = Folder::new();
    // The names of the folders and files are not in the order of the tree.
    for (name, content) in [("d/a", "abc"), ("d/b/x", "1"), ("d/b.c", "2"), ("d/b/c/y\\z", "3"), ("d/z", "4")]
    {
        write(&folder, name, content, 1000);
    }
    let ran = scrub(&folder, &["-q"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    folder
}

#[test]
fn manifests_of_all_folders_follow_the_state() {
    let folder = recorded();
    let first = format!("{ABC}  a\n{}  b.c\n{}  z\n", digest("2"), digest("4"));
    assert_eq!(text(&folder, "d/SHA256SUMS"), first);
    assert_eq!(text(&folder, "d/b/SHA256SUMS"), format!("{}  x\n", digest("1")));
    assert_eq!(text(&folder, "d/b/c/SHA256SUMS"), format!("\\{}  y\\\\z\n", digest("3")));
    let ran = folder.run(&["check", "-q", "--exact", "-r", "d"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    // They are recorded by the run that writes them, so the next one reports nothing.
    let ran = scrub(&folder, &[]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    write(&folder, "d/a", "edited", 2_000_000);
    write(&folder, "d/new", "5", 1000);
    std::fs::rename(folder.path("d/z"), folder.path("d/b/z")).unwrap();
    let ran = scrub(&folder, &["-n"]);
    assert_eq!((ran.code, text(&folder, "d/SHA256SUMS")), (Some(0), first), "{}", ran.err);
    assert_eq!(scrub(&folder, &["-q"]).code, Some(0));
    let second = format!("{}  a\n{}  b.c\n{}  new\n", digest("edited"), digest("2"), digest("5"));
    assert_eq!(text(&folder, "d/SHA256SUMS"), second);
    assert_eq!(text(&folder, "d/b/SHA256SUMS"), format!("{}  x\n{}  z\n", digest("1"), digest("4")));
    let ran = scrub(&folder, &[]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
}

#[test]
fn damage_is_never_recorded_in_a_manifest() {
    let folder = recorded();
    write(&folder, "d/b/x", "X", 1000);
    write(&folder, "d/b/new", "5", 1000);
    let ran = scrub(&folder, &["-q"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(1), "corrupt\tb/x\n"));
    assert_eq!(text(&folder, "d/b/SHA256SUMS"), format!("{}  new\n{}  x\n", digest("5"), digest("1")));
    assert_eq!(folder.run(&["check", "-q", "d/b/SHA256SUMS"]).code, Some(1));
    // A damaged manifest is a damaged file. Its entries do not replace those of the state.
    let mtime = std::fs::metadata(folder.path("d/SHA256SUMS")).unwrap().modified().unwrap();
    let damaged = text(&folder, "d/SHA256SUMS").replacen(&ABC[..1], "0", 1);
    folder.write("d/SHA256SUMS", &damaged);
    crate::program::set_mtime(&folder, "d/SHA256SUMS", mtime);
    for _ in 0..2 {
        let ran = scrub(&folder, &["-q"]);
        let mut lines: Vec<String> = ran.out().lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(
            (ran.code, &lines[..]),
            (Some(1), &["corrupt\tSHA256SUMS", "corrupt\tb/x"].map(str::to_owned)[..])
        );
        assert!(
            ran.err.contains(
                "truesum: d/SHA256SUMS: cannot update: its digest of a differs from the recorded one"
            ),
            "{}",
            ran.err
        );
        assert_eq!(text(&folder, "d/SHA256SUMS"), damaged);
    }
}

#[test]
fn other_manifests_are_kept_unless_they_agree_with_the_state() {
    let wrong = digest("before");
    for (manifest, mtime, expected) in [
        // Evidence that the file was damaged before it was recorded.
        (format!("{wrong}  a\n"), 2000, Err("its digest of a differs from the recorded one")),
        (format!("# mine\n{ABC}  a\n"), 2000, Err("lines other than gnu entries")),
        (format!("{ABC} *a\n"), 2000, Err("lines other than gnu entries")),
        (format!("{ABC}  a\nrubbish\n"), 2000, Err("lines other than gnu entries")),
        (format!("{ABC}  ../d/a\n"), 2000, Err("it has an entry of a file in another folder")),
        // The file was modified after the manifest was written.
        (format!("{wrong}  a\n"), 500, Ok(format!("{ABC}  a\n"))),
        (format!("{ABC}  a\n{wrong}  gone\n"), 2000, Ok(format!("{ABC}  a\n"))),
        // The state does not contain the file.
        (format!("{ABC}  a\n{wrong}  t.tmp\n"), 2000, Ok(format!("{ABC}  a\n{wrong}  t.tmp\n"))),
    ] {
        let folder = Folder::new();
        write(&folder, "d/a", "abc", 1000);
        write(&folder, "d/t.tmp", "1", 1000);
        write(&folder, "d/SHA256SUMS", &manifest, mtime);
        for run in 0..2 {
            let more: &[&str] = if run == 0 { &["-q", "--exclude", "*.tmp"] } else { &["-q"] };
            let ran = scrub(&folder, more);
            match &expected {
                Ok(expected) => {
                    assert_eq!(
                        (ran.code, &text(&folder, "d/SHA256SUMS")),
                        (Some(0), expected),
                        "{}",
                        ran.err
                    );
                }
                Err(why) => {
                    assert!(ran.code == Some(1) && ran.err.contains(why), "{manifest}: {}", ran.err);
                    assert_eq!(text(&folder, "d/SHA256SUMS"), manifest);
                }
            }
        }
    }
}

#[test]
fn name_is_that_of_a_file_in_a_folder() {
    let folder = Folder::with(&[("d/a", "abc")]);
    for name in ["x/y", "..", ".", "", ".truesum-state", "SHA256SUMS/"] {
        let ran = folder.run(&["scrub", "--write-manifests", name, "d"]);
        assert!(ran.code == Some(2) && !folder.path("d/.truesum-state").exists(), "{name}: {}", ran.err);
    }
    // An algorithm that the name does not specify is in each line.
    let ran = folder.run(&["scrub", "-q", "-a", "md5,sha1", "--write-manifests", "SHA256SUMS", "d"]);
    let lines = text(&folder, "d/SHA256SUMS");
    assert!(
        ran.code == Some(0) && lines.starts_with("MD5 (a) = ") && lines.contains("\nSHA1 (a) = "),
        "{lines}"
    );
}

#[test]
fn manifest_that_is_too_large_is_not_read_into_memory() {
    // regression: an existing file with the name of the manifest was read, whatever its size.
    let folder = Folder::with(&[("d/a", "1")]);
    let file = std::fs::File::create(folder.path("d/SHA256SUMS")).unwrap();
    file.set_len(1 << 36).unwrap();
    let ran = scrub(&folder, &["--exclude", "SHA256SUMS"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("SHA256SUMS: cannot update: it is larger than"),
        "{}",
        ran.err
    );
}
