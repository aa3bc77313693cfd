//! `truesum update`: one scenario per test: exact output, exit status, and the resulting manifest.

use crate::program::{ABC, EMPTY, Folder, OTHER, SIGNATURE, lines, result_of, set_mtime, wait_for_next_tick};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, UNIX_EPOCH};

/// Writes a manifest that is newer than all existing files and older than all files written later.
fn write_manifest(folder: &Folder, name: &str, text: &str) {
    // The times of files written before and after it must differ from its own by more than a tick.
    std::thread::sleep(Duration::from_millis(20));
    folder.write(name, text);
    std::thread::sleep(Duration::from_millis(20));
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

#[test]
fn update_target_must_be_a_directory() {
    // regression: with a file in its place nothing was compared, and the exit status was 0.
    let folder = Folder::with(&[("d/a", "abc"), ("M", &lines(&[(ABC, "d/a")]))]);
    for (place, why) in [("d/a", "Not a directory"), ("d/none", "No such file or directory")] {
        let ran = folder.run(&["update", "M", place]);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{}", ran.err);
        assert!(ran.err.starts_with(&format!("truesum: {place}: cannot open: {why}\n")), "{}", ran.err);
    }
}

#[test]
fn update_adds_only_new_files_by_default() {
    let folder = Folder::with(&[("d/same", "abc"), ("d/changed", "x"), ("d/b", ""), ("d/s/a", "abc")]);
    let old = format!("# mine\n{ABC}  same\n\n{OTHER} *changed\n{OTHER}  gone\n; end");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "M", "d"]);
    let message = "truesum: 3 files in the old manifest; 1 ok, 1 changed, 1 missing, 2 added; 7 B read; M written; some files do NOT match the manifest\n\
                hint: the modification times do not show that the changed files were edited; to accept them anyway, use --refresh=all\n\
                hint: to remove entries of deleted files, use --prune; to update the names of moved files, use --rename\n";
    let lines = "added\tb\nchanged\tchanged\nmissing\tgone\nadded\ts/a\tsame\n";
    assert_eq!(result_of(&ran), (lines.to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "M"), format!("{old}\n{EMPTY}  b\n{ABC}  s/a\n"));
    assert_eq!(folder.entries(), ["M", "d"]);
    let again = folder.run(&["update", "-q", "M", "d"]);
    assert_eq!((again.out().as_str(), again.code), ("changed\tchanged\nmissing\tgone\n", Some(1)));
}

#[test]
fn up_to_date_manifest_is_not_touched() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "d/SHA256SUMS", &format!("{ABC}  a\n"));
    let before = std::fs::metadata(folder.path("d/SHA256SUMS")).unwrap();
    let ran = folder.run(&["update", "--refresh", "--prune", "d/SHA256SUMS"]);
    let message = "truesum: 1 file in the manifest; 1 ok; 3 B read; d/SHA256SUMS not written; up to date\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    let after = std::fs::metadata(folder.path("d/SHA256SUMS")).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
    assert_eq!(result_of(&folder.run(&["update", "-q", "d/SHA256SUMS"])), (String::new(), "", Some(0)));
}

#[test]
fn refresh_accepts_files_modified_after_the_manifest() {
    let folder = Folder::with(&[("d/old", "abc"), ("d/new", "abc")]);
    write_manifest(&folder, "M", &format!("{OTHER}  old\n{OTHER} *new\n"));
    folder.write("d/new", "");
    let ran = folder.run(&["update", "--refresh", "M", "d"]);
    let message = "truesum: 2 files in the old manifest; 1 changed, 1 refreshed; 3 B read; M written; some files do NOT match the manifest\n\
                hint: the modification times do not show that the changed files were edited; to accept them anyway, use --refresh=all\n";
    assert_eq!(result_of(&ran), ("refreshed\tnew\nchanged\told\n".to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "M"), format!("{OTHER}  old\n{EMPTY} *new\n"));
    let ran = folder.run(&["update", "--refresh=all", "M", "d"]);
    let message =
        "truesum: 2 files in the old manifest; 1 ok, 1 refreshed; 3 B read; M written; up to date\n";
    assert_eq!(result_of(&ran), ("refreshed\told\n".to_owned(), message, Some(0)));
    assert_eq!(text(&folder, "M"), format!("{ABC}  old\n{EMPTY} *new\n"));
}

#[test]
fn adding_files_does_not_hide_a_modified_file() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", &format!("{ABC}  a\n"));
    set_mtime(&folder, "M", UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let before = std::fs::metadata(folder.path("M")).unwrap().modified().unwrap();
    folder.write("d/a", "");
    folder.write("d/b", "abc");
    assert_eq!(folder.run(&["update", "M", "d"]).out(), "changed\ta\nadded\tb\ta\n");
    assert_eq!(std::fs::metadata(folder.path("M")).unwrap().modified().unwrap(), before);
    assert_eq!(
        result_of(&folder.run(&["update", "--refresh", "-q", "M", "d"])),
        (String::new(), "", Some(0))
    );
    assert_eq!(text(&folder, "M"), format!("{EMPTY}  a\n{ABC}  b\n"));
    assert!(std::fs::metadata(folder.path("M")).unwrap().modified().unwrap() > before);
}

#[test]
fn corrupt_file_is_never_refreshed() {
    let folder = Folder::with(&[("d/rot", "abc"), ("d/written", "abc"), ("d/touched", "abc")]);
    let time = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    ["d/rot", "d/written", "d/touched"].iter().for_each(|name| set_mtime(&folder, name, time));
    assert_eq!(folder.run(&["hash", "--json", "-o", "M", "--root", "d", "d"]).code, Some(0));
    folder.write("d/rot", "abd");
    set_mtime(&folder, "d/rot", time);
    folder.write("d/written", "xyz");
    set_mtime(&folder, "d/touched", time + Duration::from_secs(5));
    let listed = |text: String| -> Vec<String> {
        text.lines().filter(|line| line.contains("rot")).map(str::to_owned).collect()
    };
    let before = listed(text(&folder, "M"));
    for words in [&["update", "--refresh", "M", "d"][..], &["update", "--refresh=all", "M", "d"]] {
        let ran = folder.run(words);
        assert!(ran.out().contains("corrupt\trot\n"), "{ran:?}");
        assert!(ran.err.contains("hint: corrupt: the modification time did not change"), "{ran:?}");
        assert_eq!(ran.code, Some(1));
        assert_eq!(listed(text(&folder, "M")), before);
    }
    let audit = folder.run(&["audit", "M", "d"]);
    assert_eq!(audit.out(), "corrupt\trot\nok\ttouched\nok\twritten\n");
    assert!(text(&folder, "M").contains("2001-09-09T01:46:45.000000000Z"), "the time of what was touched");
    // The user accepts the new content by setting a new modification time.
    set_mtime(&folder, "d/rot", time + Duration::from_secs(6));
    assert_eq!(folder.run(&["update", "--refresh", "M", "d"]).out(), "refreshed\trot\n");
    assert_eq!(folder.run(&["audit", "M", "d"]).code, Some(0));
}

#[test]
fn all_lines_of_a_file_are_updated_wherever_they_are() {
    const MD5_ABC: &str = "900150983cd24fb0d6963f7d28e17f72";
    const MD5_EMPTY: &str = "d41d8cd98f00b204e9800998ecf8427e";
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("d/c", "abc")]);
    let of = |names: &[(&str, &str, &str)], tag: &str| -> String {
        let digest = |md5: &str, sha256: &str| if tag == "MD5" { md5.to_owned() } else { sha256.to_owned() };
        names
            .iter()
            .map(|(name, md5, sha256)| format!("{tag} ({name}) = {}\n", digest(md5, sha256)))
            .collect()
    };
    let old = [("a", MD5_ABC, ABC), ("b", MD5_ABC, ABC), ("c", MD5_ABC, ABC)];
    let new = [("a", MD5_EMPTY, EMPTY), ("c", MD5_ABC, ABC)];
    let backwards = |names: &[(&'static str, &'static str, &'static str)]| -> Vec<_> {
        names.iter().rev().copied().collect()
    };
    write_manifest(&folder, "M", &(of(&old, "MD5") + &of(&backwards(&old), "SHA256")));
    folder.write("d/a", "");
    std::fs::remove_file(folder.path("d/b")).unwrap();
    let ran = folder.run(&["update", "--refresh", "--prune", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("refreshed\ta\nremoved\tb\n", Some(0)), "{}", ran.err);
    assert!(ran.err.starts_with("truesum: 3 files in the old manifest; 1 ok,"), "{}", ran.err);
    assert_eq!(text(&folder, "M"), of(&new, "MD5") + &of(&backwards(&new), "SHA256"));
}

#[test]
fn missing_entries_are_pruned_on_request_unless_most_are_missing() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    let old = format!("{ABC}  a\n# about c\n{OTHER}  c\n{EMPTY}  b\n");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "--prune", "M", "d"]);
    let message = "truesum: 3 files in the old manifest; 2 ok, 1 removed; 3 B read; M written; up to date\n";
    assert_eq!(result_of(&ran), ("removed\tc\n".to_owned(), message, Some(0)));
    assert_eq!(text(&folder, "M"), format!("{ABC}  a\n# about c\n{EMPTY}  b\n"));

    let old = format!("{ABC}  a\n{OTHER}  c\n{OTHER}  e\n");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "--prune", "M", "d"]);
    let message = "truesum: M: not written: more than half of the files in the manifest are missing (2 of 3)\n\
                hint: to remove the entries of missing files anyway, use --prune=all\n\
                truesum: 3 files in the manifest; 1 ok, 1 new, 2 missing; 3 B read; M not written; some files do NOT match the manifest\n";
    let message = message.replace("1 new, 2 missing", "2 missing, 1 new");
    assert_eq!(result_of(&ran), ("new\tb\nmissing\tc\nmissing\te\n".to_owned(), &message[..], Some(1)));
    assert_eq!(text(&folder, "M"), old);
    assert_eq!(folder.run(&["update", "--prune=all", "M", "d"]).code, Some(0));
    assert_eq!(text(&folder, "M"), format!("{ABC}  a\n{EMPTY}  b\n"));
}

#[test]
fn empty_folder_is_treated_as_an_unmounted_disk() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let old = format!("{ABC}  a\n");
    write_manifest(&folder, "M", &old);
    std::fs::remove_file(folder.path("d/a")).unwrap();
    let ran = folder.run(&["update", "--prune", "M", "d"]);
    assert!(
        ran.err.starts_with(
            "truesum: M: not written: d contains none of the files in the manifest (perhaps a disk is not mounted)\n"
        ),
        "{ran:?}"
    );
    assert_eq!((ran.code, text(&folder, "M")), (Some(1), old.clone()));
    let ran = folder.run(&["update", "--prune=all", "M", "d"]);
    let message = "truesum: M: not written: no entries would be left\n\
                hint: to write an empty manifest, use --allow-empty\n";
    assert!(ran.err.starts_with(message), "{ran:?}");
    assert_eq!((ran.code, text(&folder, "M")), (Some(1), old.clone()));
    std::fs::remove_dir(folder.path("d")).unwrap();
    for words in
        [&["update", "--prune=all", "--allow-empty", "M", "d"][..], &["update", "--partial", "M", "d"]]
    {
        let ran = folder.run(words);
        assert!(ran.err.contains("d: cannot open: No such file or directory"), "{ran:?}");
        assert_eq!(text(&folder, "M"), old, "{words:?}");
        assert_ne!(ran.code, Some(0));
    }
    std::fs::create_dir(folder.path("d")).unwrap();
    assert_eq!(folder.run(&["update", "--prune=all", "--allow-empty", "M", "d"]).code, Some(0));
    assert_eq!(text(&folder, "M"), "");
    folder.write("d/new", "abc");
    assert_eq!(folder.run(&["update", "M", "d"]).code, Some(0));
    assert_eq!(text(&folder, "M"), format!("{ABC}  new\n"));
}

#[test]
fn refresh_is_offered_only_if_it_would_accept_a_file() {
    // regression: the hint for a changed file whose time shows no edit named --refresh, which does not accept it.
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", &format!("{ABC}  a\n"));
    folder.write("d/a", "edited");
    let ran = folder.run(&["update", "M", "d"]);
    assert!(ran.err.contains("hint: to accept modified files, use --refresh\n"), "{}", ran.err);
    assert_eq!(folder.run(&["update", "--refresh", "M", "d"]).code, Some(0));
}

#[test]
fn update_reports_the_written_manifest_even_if_stdout_fails() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", "# empty\n");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = folder.command().args(["update", "M", "d"]).stdout(full).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{err}");
    assert!(err.contains("No space left on device") && err.contains("M written"), "{err}");
    assert_eq!(text(&folder, "M"), format!("# empty\n{ABC}  a\n"));
}

#[test]
fn moved_file_is_renamed_only_on_request() {
    let folder = Folder::with(&[("d/new", "abc"), ("d/keep", "")]);
    let old = format!("{ABC} *./old\n{EMPTY} *./keep\n");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "-n", "--rename", "M", "d"]);
    let message =
        "truesum: 2 files in the manifest; 1 ok, 1 renamed; 3 B read; M would be written; not up to date\n";
    assert_eq!(result_of(&ran), ("renamed\tnew\told\n".to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "M"), old);
    assert_eq!(folder.run(&["update", "-n", "--prune", "M", "d"]).out(), "added\tnew\told\nremoved\told\n");
    assert_eq!(folder.run(&["update", "--rename", "M", "d"]).out(), "renamed\tnew\told\n");
    assert_eq!(text(&folder, "M"), format!("{ABC} *./new\n{EMPTY} *./keep\n"));
    folder.write("d/added", "abc");
    assert_eq!(folder.run(&["update", "M", "d"]).out(), "added\tadded\tnew\n");
    assert!(text(&folder, "M").ends_with(&format!("\n{ABC} *./added\n")));
}

#[test]
fn quick_update_reads_only_files_that_seem_modified() {
    let folder = Folder::with(&[("d/rot", "abc"), ("d/b", "abc")]);
    assert_eq!(folder.run(&["hash", "--json", "-o", "M", "--root", "d", "d"]).code, Some(0));
    let time = std::fs::metadata(folder.path("d/rot")).unwrap().modified().unwrap();
    folder.write("d/rot", "abd");
    set_mtime(&folder, "d/rot", time);
    folder.write("d/new", "abc");
    wait_for_next_tick();
    // A modified file is read although its modification time was restored, because its status change time differs.
    let ran = folder.run(&["update", "--quick", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("added\tnew\tb\ncorrupt\trot\n", Some(1)), "{}", ran.err);
    // regression: the first run replaced the manifest, so the file was not changed later than the manifest.
    let ran = folder.run(&["update", "--quick", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("corrupt\trot\n", Some(1)), "{}", ran.err);
    assert_eq!(folder.run(&["update", "M", "d"]).out(), "corrupt\trot\n");
}

#[test]
fn malformed_lines_and_unreadable_files_keep_the_manifest() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    let old = format!("{ABC}  a\noops\n");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "M", "d"]);
    let message = "truesum: M: line 2: not a checksum line\n\
                truesum: M: not written: a line is malformed\n\
                hint: to keep malformed lines unchanged, use --lenient\n\
                truesum: 1 file in the manifest; 1 ok, 1 new, 1 malformed line; 3 B read; M not written; some files do NOT match the manifest\n";
    assert_eq!(result_of(&ran), ("new\tb\n".to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "M"), old);
    assert_eq!(folder.run(&["update", "--lenient", "M", "d"]).code, Some(0));
    assert_eq!(text(&folder, "M"), format!("{old}{EMPTY}  b\n"));

    let old = format!("{ABC}  a\n");
    write_manifest(&folder, "M", &old);
    folder.write("d/c", "");
    std::fs::remove_file(folder.path("d/a")).unwrap();
    std::fs::create_dir(folder.path("d/a")).unwrap();
    let ran = folder.run(&["update", "M", "d"]);
    assert!(ran.err.contains("M: not written: a file or folder could not be read\n"), "{ran:?}");
    assert_eq!((ran.code, text(&folder, "M")), (Some(1), old.clone()));
    assert_eq!(folder.run(&["update", "--partial", "M", "d"]).code, Some(1));
    assert_eq!(text(&folder, "M"), format!("{old}{EMPTY}  b\n{EMPTY}  c\n"));
}

#[test]
fn update_rejects_manifests_it_cannot_edit() {
    let folder = Folder::with(&[("d/a", "abc")]);
    folder.write("x.json", format!("{{\"files\":[{{\"path\":\"a\",\"sha256\":\"{ABC}\",\"note\":1}}]}}"));
    let ran = folder.run(&["update", "x.json", "d"]);
    let message = "truesum: x.json: cannot update: the json format can only be rewritten completely, and this manifest has content that would be lost\n\
                hint: to write a new manifest: truesum hash -o NEW d\n\
                truesum: nothing was compared; 0 B read; x.json not written; not completed\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    let ran = folder.run(&["update", "none", "d"]);
    let message = "truesum: none: cannot update: No such file or directory\nhint: to create a manifest: truesum hash -o MANIFEST DIR\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    assert_eq!(folder.run(&["update", "d"]).code, Some(2));
    assert_eq!(folder.run(&["update", "-"]).code, Some(2));
}

#[test]
fn lists_with_headings_of_equally_long_digests_are_converted_to_tagged_lines() {
    // regression: the hint did not name a format, and convert claimed that no line names an algorithm.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
    let sha3 = folder.run(&["hash", "-a", "sha3-256", "d/a"]).out().replace("d/a", "a");
    folder.write("M", format!("SHA-256\n{ABC}  a\nSHA3-256\n{sha3}"));
    let ran = folder.run(&["update", "M", "d"]);
    let hint = "hint: to convert this manifest: truesum convert -t bsd -o NEW M; to write a new manifest";
    assert!(ran.err.contains(hint) && ran.code == Some(1), "{ran:?}");
    let ran = folder.run(&["convert", "-t", "bsd", "-o", "NEW", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    assert_eq!(folder.run(&["update", "NEW", "d"]).code, Some(0));
    assert_eq!(text(&folder, "NEW").lines().filter(|line| line.contains("(b)")).count(), 2);
    // Without a heading, the algorithm is assumed.
    folder.write("N", format!("{ABC}  a\n"));
    let ran = folder.run(&["convert", "-t", "bsd", "N"]);
    assert!(ran.err.contains("assumed from the length of the digests (sha256)"), "{ran:?}");
}

#[test]
fn update_works_for_every_writable_format() {
    for format in [
        "gnu",
        "gnu-z",
        "bsd",
        "bsd-z",
        "jsonl",
        "openssl",
        "md5deep",
        "sfv",
        "hashdeep",
        "magnet",
        "recordcsv",
        "distinfo",
        "mtree",
        "csv",
        "json",
        "dfxml",
        "metalink4",
        "bagit",
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "1"), ("d/s/c", "2"), ("d/keep", "")]);
        let name = if format == "bagit" { "manifest-sha256.txt" } else { "M" };
        let make = |name: &str| folder.run(&["hash", "-q", "-t", format, "-o", name, "--root", "d", "d"]);
        assert_eq!(make(name).code, Some(0), "{format}");
        std::thread::sleep(Duration::from_millis(20));
        folder.write("d/a", "abcd");
        std::fs::remove_file(folder.path("d/s/b")).unwrap();
        std::fs::rename(folder.path("d/s/c"), folder.path("d/c")).unwrap();
        folder.write("d/x y", "abcdef");
        let words = ["update", "--refresh", "--prune", "--rename", "--format", format, name, "d"];
        let ran = folder.run(&words);
        let message = "refreshed\ta\nrenamed\tc\ts/c\nremoved\ts/b\nadded\tx y\n";
        assert_eq!((ran.out().as_str(), ran.code), (message, Some(0)), "{format}: {}", ran.err);
        let ran = folder.run(&["audit", "--format", format, name, "d"]);
        assert_eq!((ran.out().matches("ok\t").count(), ran.code), (4, Some(0)), "{format}: {ran:?}");
    }
}

#[test]
fn update_keeps_owner_mode_and_link_of_the_manifest() {
    let folder = Folder::with(&[("d/a", "abc")]);
    folder.write("real/M", format!("{ABC}  a\n"));
    std::fs::set_permissions(folder.path("real/M"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real/M", folder.path("L")).unwrap();
    folder.write("d/b", "");
    assert_eq!(folder.run(&["update", "L", "d"]).code, Some(0));
    assert!(folder.path("L").is_symlink());
    assert_eq!(std::fs::metadata(folder.path("real/M")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(text(&folder, "real/M"), format!("{ABC}  a\n{EMPTY}  b\n"));
    assert_eq!(folder.entries(), ["L", "d", "real"]);
}

#[test]
fn update_json_has_status_action_and_counts() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    write_manifest(&folder, "M", &format!("{ABC}  a\n{OTHER}  gone\n"));
    let ran = folder.run(&["update", "--prune", "--json", "M", "d"]);
    let objects: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses =
        |at: usize| ["standing", "action", "path"].map(|name| objects[at][name].as_str().unwrap().to_owned());
    assert_eq!(statuses(0), ["new", "added", "b"]);
    assert_eq!(statuses(1), ["missing", "removed", "gone"]);
    assert_eq!((&objects[0]["schema"], objects.len()), (&"truesum-update/1".into(), 3));
    let counts = ["ok", "missing", "added", "removed", "exit"].map(|name| objects[2][name].as_u64());
    assert_eq!(counts, [2, 0, 1, 1, 0].map(Some));
    assert_eq!((&objects[2]["written"], ran.code), (&true.into(), Some(0)));
}

#[test]
fn update_never_refreshes_the_manifests_own_entry() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "d/M", &format!("{OTHER}  M\n{OTHER}  a\n"));
    let ran = folder.run(&["update", "--refresh=all", "d/M"]);
    let message = "truesum: 2 files in the old manifest; 1 changed, 1 refreshed; 139 B read; d/M written; some files do NOT match the manifest\n\
                hint: d/M contains an entry for itself, which cannot match: delete that line\n";
    assert_eq!(result_of(&ran), ("changed\tM\nrefreshed\ta\n".to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "d/M"), format!("{OTHER}  M\n{ABC}  a\n"));
    std::fs::hard_link(folder.path("d/M"), folder.path("d/N")).unwrap();
    folder.write("d/M", format!("{OTHER}  N\n{ABC}  a\n"));
    let ran = folder.run(&["update", "--refresh=all", "d/M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\tN\n", Some(1)), "by another name too");
}

#[test]
fn dry_run_exit_status_shows_whether_lines_would_change() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", "# empty\n");
    let ran = folder.run(&["update", "-n", "M", "d"]);
    let message = "truesum: 0 files in the manifest; 1 added; 3 B read; M would be written; not up to date\n";
    assert_eq!(result_of(&ran), ("added\ta\n".to_owned(), message, Some(1)));
    assert_eq!(text(&folder, "M"), "# empty\n");
    assert_eq!(folder.run(&["update", "M", "d"]).code, Some(0));
    let ran = folder.run(&["update", "-n", "M", "d"]);
    let message = "truesum: 1 file in the manifest; 1 ok; 3 B read; M would not be written; up to date\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
}

#[test]
fn outdated_signatures_and_hard_links_are_noted_by_update() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", "");
    folder.write("M.asc", "");
    folder.write("M.minisig", "");
    std::fs::hard_link(folder.path("M"), folder.path("N")).unwrap();
    let ran = folder.run(&["update", "M", "d"]);
    let message = "truesum: 0 files in the old manifest; 1 added; 3 B read; M written; up to date\n\
                truesum: note: M has other hard links, which still refer to the old manifest\n\
                truesum: note: M.asc is a signature of the old manifest: sign the new one\n\
                truesum: note: M.minisig is a signature of the old manifest: sign the new one\n";
    assert_eq!(result_of(&ran), ("added\ta\n".to_owned(), message, Some(0)));
    assert_eq!((text(&folder, "M"), text(&folder, "N")), (format!("{ABC}  a\n"), String::new()));
}

#[test]
fn kept_modification_time_is_noted() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", &format!("{ABC}  a\n"));
    set_mtime(&folder, "M", UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    folder.write("d/a", "");
    folder.write("d/b", "abc");
    let ran = folder.run(&["update", "M", "d"]);
    let message = "truesum: note: some entries are out of date, so M keeps its modification time (2001-09-09T01:46:40.000000000Z); files modified after that time count as edited, not as corrupt\n";
    assert!(ran.err.contains(message), "{}", ran.err);
}

#[test]
fn rejected_update_does_not_suggest_refresh_all() {
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", &format!("{OTHER}  a\nnonsense\n"));
    let ran = folder.run(&["update", "--refresh", "M", "d"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("M: not written: a line is malformed") && !ran.err.contains("--refresh=all"),
        "{}",
        ran.err
    );
}

#[test]
fn update_does_not_add_signatures_of_the_manifest() {
    let folder = Folder::with(&[("a", "abc"), ("s/SHA256SUMS.sig", ""), ("OTHER.asc", "")]);
    write_manifest(&folder, "SHA256SUMS", &format!("{ABC}  a\n"));
    folder.write("SHA256SUMS.minisig", SIGNATURE);
    folder.write("SHA256SUMS.asc", SIGNATURE);
    let ran = folder.run(&["update", "SHA256SUMS"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("added\tOTHER.asc\nadded\ts/SHA256SUMS.sig\tOTHER.asc\n", Some(0))
    );
    assert!(
        ran.err.contains("note: 2 signatures of SHA256SUMS were not added to the manifest\n")
            && ran
                .err
                .contains("note: SHA256SUMS.minisig is a signature of the old manifest: sign the new one\n"),
        "{}",
        ran.err
    );
    assert_eq!(
        text(&folder, "SHA256SUMS"),
        format!("{ABC}  a\n{EMPTY}  OTHER.asc\n{EMPTY}  s/SHA256SUMS.sig\n")
    );
    folder.write("SHA256SUMS.minisig", SIGNATURE);
    let again = folder.run(&["update", "SHA256SUMS"]);
    assert_eq!((again.out().as_str(), again.code), ("", Some(0)), "{}", again.err);
    assert_eq!(folder.run(&["check", "SHA256SUMS"]).code, Some(0));
}

#[test]
fn file_named_on_an_unusable_line_is_not_added() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", ""), ("d/c d", "x")]);
    let tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    for line in [
        format!("HMAC-SHA256 (b) = {tag}"),
        format!("SHA256 (b) = {}", &EMPTY[1..]),
        format!("SHA256 (./b) = {}", EMPTY.replace('e', "g")),
    ] {
        let old = format!("SHA256 (a) = {ABC}\n{line}\n");
        write_manifest(&folder, "M", &old);
        let ran = folder.run(&["update", "--lenient", "M", "d"]);
        assert_eq!((ran.out().as_str(), ran.code), ("new\tb\nnew\tc d\n", Some(1)), "{line}: {}", ran.err);
        let message = "truesum: M: not written: b might already be in the manifest (a malformed line contains its name)\n\
                    hint: correct or delete the malformed line; if it has a keyed digest, use --key-file\n";
        assert!(ran.err.contains(message), "{line}: {}", ran.err);
        assert_eq!(text(&folder, "M"), old);
    }
    let old = format!("SHA256 (a) = {ABC}\nHMAC-SHA256 (gone) = {tag}\n");
    write_manifest(&folder, "M", &old);
    let ran = folder.run(&["update", "--lenient", "M", "d"]);
    assert_eq!(ran.out(), "added\tb\nadded\tc d\n", "{}", ran.err);
}

#[test]
fn new_manifest_does_not_list_signatures_of_the_old_one() {
    let folder =
        Folder::with(&[("a", "abc"), ("s/M.sig", ""), ("M.minisig", SIGNATURE), ("M.asc", SIGNATURE)]);
    let ran = folder.run(&["hash", "-o", "M", "."]);
    assert_eq!(
        result_of(&ran),
        (String::new(), "truesum: note: 2 signatures of M are left out of the manifest\n", Some(0))
    );
    assert_eq!(text(&folder, "M"), format!("{ABC}  a\n{EMPTY}  s/M.sig\n"));
    // regression: `hash -o M *` listed them, and the check failed as soon as M was signed again.
    let message = "truesum: note: 1 signature of M is left out of the manifest\n\
                truesum: note: M: 1 entry of the earlier manifest is not in the new one (s/M.sig)\n";
    assert_eq!(folder.run(&["hash", "-o", "M", "a", "M.asc"]).err, message);
    assert_eq!(text(&folder, "M"), format!("{ABC}  a\n"));
}

#[test]
fn update_rejects_manifests_of_a_bag() {
    let folder = Folder::with(&[("b/data/a", "abc"), ("b/readme", "")]);
    assert_eq!(folder.run(&["bag", "create", "b"]).code, Some(0));
    folder.write("b/data/b", "");
    for name in ["b/manifest-sha512.txt", "b/tagmanifest-sha512.txt"] {
        let old = folder.read(name);
        let ran = folder.run(&["update", name]);
        assert!(
            ran.code == Some(2) && ran.err.contains("hint: to update the bag: truesum bag update DIR"),
            "{}",
            ran.err
        );
        assert_eq!(folder.read(name), old);
    }
}

#[test]
fn update_resolves_names_like_check() {
    // regression: `update photos.sha256 photos` renamed or replaced every entry and accepted corrupt content, with exit
    // status 0.
    let folder = Folder::with(&[("photos/a", "abc"), ("photos/s/b", ""), ("top", "abc")]);
    assert_eq!(folder.run(&["-o", "photos.sha256", "photos"]).code, Some(0));
    folder.write("photos/c", "");
    let ran = folder.run(&["update", "--rename", "--prune", "--refresh", "photos.sha256", "photos"]);
    assert_eq!((ran.out().as_str(), ran.code), ("added\tphotos/c\tphotos/s/b\n", Some(0)), "{}", ran.err);
    assert_eq!(folder.run(&["check", "-q", "photos.sha256"]).code, Some(0));
    // regression: for a subfolder, names were written relative to it.
    folder.write("photos/s/d", "abc");
    folder.write("photos/e", "not below");
    let ran = folder.run(&["update", "photos.sha256", "photos/s"]);
    assert_eq!(ran.out(), "added\tphotos/s/d\tphotos/a\n", "{}", ran.err);
    assert_eq!(folder.run(&["check", "-q", "photos.sha256"]).code, Some(0));
    // If another folder is the base, all entries would get other names.
    let before = text(&folder, "photos.sha256");
    for words in [&["--rename"][..], &["--prune=all"], &[]] {
        let ran = folder.run(&[&["update", "--root", "photos"], words, &["photos.sha256"]].concat());
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains("most names would only gain or lose the prefix photos/"), "{}", ran.err);
        assert_eq!(text(&folder, "photos.sha256"), before);
    }
    // A damaged file is reported as such, and the other entries keep their status.
    folder.write("photos/a", "abd");
    for command in ["audit", "diff"] {
        let ran = folder.run(&[command, "photos.sha256", "photos"]);
        assert!(ran.out().contains("changed\tphotos/a\n"), "{command}: {}", ran.out());
        assert!(!ran.out().contains("missing") && !ran.out().contains("moved"), "{command}: {}", ran.out());
    }
}

#[test]
fn silent_damage_is_not_accepted_for_any_size_change() {
    // regression: a file that was truncated, emptied or extended with an unchanged modification time was treated as
    // edited.
    let time = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (format, name) in [("jsonl", "M.jsonl"), ("csv", "M.csv"), ("hashdeep", "M.hashdeep")] {
        let folder = Folder::with(&[
            ("d/cut", "abcdef"),
            ("d/empty", "abcdef"),
            ("d/grown", "abcdef"),
            ("d/old", "abcdef"),
        ]);
        for file in ["d/cut", "d/empty", "d/grown", "d/old"] {
            set_mtime(&folder, file, time);
        }
        let made = folder.run(&["hash", "-t", format, "-o", name, "--root", "d", "d"]);
        assert_eq!(made.code, Some(0), "{format}: {}", made.err);
        for (file, text) in [("d/cut", "abc"), ("d/empty", ""), ("d/grown", "abcdefgh")] {
            folder.write(file, text);
            set_mtime(&folder, file, time);
        }
        folder.write("d/old", "before");
        set_mtime(&folder, "d/old", time - Duration::from_secs(1000));
        let before = text(&folder, name);
        let ran = folder.run(&["update", "--refresh", "--prune", "--rename", name, "d"]);
        // Without times in the manifest, nothing proves an edit either, not even a different size.
        let expected = match format {
            "jsonl" => "corrupt\tcut\ncorrupt\tempty\ncorrupt\tgrown\nrestored\told\n",
            _ => "changed\tcut\nchanged\tempty\nchanged\tgrown\nchanged\told\n",
        };
        assert_eq!((ran.out().as_str(), ran.code), (expected, Some(1)), "{format}: {}", ran.err);
        assert_eq!(text(&folder, name), before, "{format}");
        assert_eq!(folder.run(&["audit", name, "d"]).out(), expected, "{format}");
    }
}

#[test]
fn moved_and_damaged_file_needs_consent() {
    // regression: the file was reported as "missing" and "new", and accepted by --refresh --prune --rename.
    let folder = Folder::with(&[("d/old", "abcdef"), ("d/keep", "x")]);
    let time = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    set_mtime(&folder, "d/old", time);
    assert_eq!(folder.run(&["hash", "--json", "-o", "M", "--root", "d", "d"]).code, Some(0));
    std::fs::remove_file(folder.path("d/old")).unwrap();
    folder.write("d/new", "abcdeF");
    set_mtime(&folder, "d/new", time);
    let before = text(&folder, "M");
    let ran = folder.run(&["update", "--refresh", "--prune", "--rename", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("moved-modified\tnew\told\n", Some(1)), "{}", ran.err);
    assert_eq!(text(&folder, "M"), before);
    assert_eq!(folder.run(&["audit", "M", "d"]).code, Some(1));
    let ran = folder.run(&["update", "--refresh=all", "--prune", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("added\tnew\nremoved\told\n", Some(0)), "{}", ran.err);
}

#[test]
fn quick_update_needs_times_and_emptied_folder_needs_consent() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "abc"), ("d/c", "x"), ("d/e", "y")]);
    assert_eq!(folder.run(&["hash", "-o", "M", "--root", "d", "d"]).code, Some(0));
    // regression: a plain list that was copied hides every edit before the copy.
    let ran = folder.run(&["update", "--quick", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)));
    assert!(
        ran.err.contains("no entry in the manifest has a modification time")
            && ran.err.contains("--quick=date")
            // regression: all files were read first.
            && ran.err.contains("; 0 B read; "),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["update", "--quick=date", "M", "d"]).code, Some(0));
    // regression: entries below a mount point that is not mounted were removed.
    std::fs::remove_file(folder.path("d/s/b")).unwrap();
    let ran = folder.run(&["update", "--prune", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("missing\ts/b\n", Some(1)));
    assert!(ran.err.contains("d/s is empty but should contain files"), "{}", ran.err);
    assert_eq!(folder.run(&["update", "--prune=all", "M", "d"]).out(), "removed\ts/b\n");
    // regression: a future modification time was treated as an edit.
    folder.write("d/c", "z");
    set_mtime(&folder, "d/c", std::time::SystemTime::now() + Duration::from_secs(86_400));
    let ran = folder.run(&["update", "--refresh", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\tc\n", Some(1)), "{}", ran.err);
}

#[test]
fn damage_after_an_update_is_not_an_edit() {
    // regression: the new manifest was dated two seconds early, so that later damage looked like an edit.
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "M", &lines(&[(ABC, "a")]));
    folder.write("d/a", "");
    assert_eq!(folder.run(&["update", "--refresh", "M", "d"]).out(), "refreshed\ta\n");
    let time = std::fs::metadata(folder.path("d/a")).unwrap().modified().unwrap();
    folder.write("d/a", "damaged");
    set_mtime(&folder, "d/a", time);
    let ran = folder.run(&["update", "--refresh", "M", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\ta\n", Some(1)), "{}", ran.err);
    // An edit after that, even one with an even number of seconds as on FAT, is not hidden from a quick update.
    for name in ["M", "d/a"] {
        std::thread::sleep(Duration::from_millis(20));
        folder.write(name, folder.read(name));
    }
    let ran = folder.run(&["update", "--quick=date", "M", "d"]);
    assert_eq!(ran.out(), "changed\ta\n", "{}", ran.err);
}

#[test]
fn text_without_entries_is_not_extended_even_if_lenient() {
    // regression: the new entries were appended to a text, with exit status 0.
    let folder = Folder::with(&[("d/a", "abc")]);
    write_manifest(&folder, "notes.txt", "first note\nsecond note\n");
    let ran = folder.run(&["update", "--lenient", "notes.txt", "d"]);
    assert_ne!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err
            .contains("notes.txt: not written: 2 lines are malformed\nhint: to list the supported formats"),
        "{}",
        ran.err
    );
    assert_eq!(text(&folder, "notes.txt"), "first note\nsecond note\n");
}
