//! A manifest that replaces an earlier one: corrupt files are detected with the earlier digests, and entries that are
//! missing or could not be compared are reported.

use crate::program::{ABC, Folder, lines, result_of, set_mtime, wait_for_next_tick};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

#[test]
fn hash_refuses_to_record_corrupt_content_as_good() {
    // regression: `hash -o` over an older manifest of the same files recorded corrupt content without a message.
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for words in [
        &["hash", "-o", "d/SHA256SUMS", "d"][..],
        &["hash", "--json", "-o", "d/SHA256SUMS", "d"],
        &["hash", "--per-directory", "-a", "sha256", "d"],
        &["hash", "--sidecar", "-a", "sha256", "d"],
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
        ["d/a", "d/b"].iter().for_each(|name| set_mtime(&folder, name, time));
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        assert_eq!(folder.run(words).code, Some(0), "{words:?}: nothing changed");
        folder.write("d/a", "abd");
        set_mtime(&folder, "d/a", time);
        let manifest = if words.contains(&"--sidecar") { "d/a.sha256" } else { "d/SHA256SUMS" };
        let before = folder.read(manifest);
        let ran = folder.run(words);
        assert!(ran.code == Some(2) || ran.code == Some(1), "{words:?}: {}", ran.err);
        // regression: the message claimed an unchanged modification time although the manifest records none.
        let said = if words.contains(&"--json") {
            "1 file is corrupt (the content differs, although the modification time is unchanged): a"
        } else {
            "1 file differs from the earlier manifest, and its modification time is not later than that of the manifest: a"
        };
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
        assert_eq!(folder.read(manifest), before, "{words:?}");
        // A later modification time shows an edit.
        folder.write("d/a", "abe");
        set_mtime(&folder, "d/a", std::time::SystemTime::now());
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        set_mtime(&folder, "d/a", time);
        folder.write("d/a", "abf");
        set_mtime(&folder, "d/a", time);
        let ran = folder.run(&[words, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
}

#[test]
fn per_directory_manifests_are_compared_with_manifests_above() {
    // regression: `hash --per-directory` recorded corrupt content as good, and replaced the only manifest with the
    // correct digest.
    let setup = |algorithm: &str| {
        let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "abc"), ("d/s/t/c", "abc")]);
        ["d/a", "d/s/b", "d/s/t/c"].iter().for_each(|name| set_mtime(&folder, name, old_time()));
        let words = ["hash", "-q", "--tag", "-a", algorithm, "-o", "d/SHA256SUMS", "d"];
        assert_eq!(folder.run(&words).code, Some(0));
        folder
    };
    for algorithm in ["sha256", "md5"] {
        for argument in ["d", "./d", "d/s"] {
            let folder = setup(algorithm);
            let above = folder.read("d/SHA256SUMS");
            folder.write("d/s/b", "abd");
            set_mtime(&folder, "d/s/b", old_time());
            let ran = folder.run(&["hash", "--per-directory", "-a", "sha256", argument]);
            let said = "s/SHA256SUMS: not written: 1 file differs from ";
            assert!(ran.code == Some(1) && ran.err.contains(said), "{algorithm} {argument}: {}", ran.err);
            assert_eq!(folder.read("d/SHA256SUMS"), above, "{algorithm} {argument}");
            assert!(!folder.path("d/s/SHA256SUMS").exists(), "{algorithm} {argument}");
            assert!(folder.path("d/s/t/SHA256SUMS").exists(), "{algorithm} {argument}");
            folder.write("d/s/b", "abc");
            set_mtime(&folder, "d/s/b", old_time());
            let ran = folder.run(&["hash", "--per-directory", "-a", "sha256", argument]);
            assert_eq!(ran.code, Some(0), "{algorithm} {argument}: {}", ran.err);
            assert!(!ran.err.contains("not in the new one"), "{algorithm} {argument}: {}", ran.err);
        }
    }
    let folder = setup("sha256");
    std::fs::remove_file(folder.path("d/s/b")).unwrap();
    let ran = folder.run(&["hash", "--per-directory", "d"]);
    let said = "d/SHA256SUMS: 1 entry of the earlier manifest is not in the new one (s/b)\n";
    assert!(ran.code == Some(0) && ran.err.contains(said), "{}", ran.err);
    folder.write("d/SHA256SUMS", "a letter\n");
    let ran = folder.run(&["hash", "--per-directory", "d/s"]);
    let said =
        "note: d/SHA256SUMS: the files were not compared with this manifest, because it is not a manifest\n";
    assert!(ran.code == Some(0) && ran.err.contains(said), "{}", ran.err);
}

/// Returns a time long before any run.
fn old_time() -> std::time::SystemTime {
    std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)
}

#[test]
fn corruption_is_detected_by_the_earlier_manifests_algorithm() {
    // regression: `hash -a blake3 -o M` recorded damaged content as good over a manifest of SHA-256 digests.
    for (before, after, manifest) in [
        (&["-a", "sha256", "-o", "d/M"][..], &["-a", "blake3", "-o", "d/M"][..], "d/M"),
        (&["-a", "sha256,md5", "-o", "d/M"], &["--json", "-a", "crc32", "-o", "d/M"], "d/M"),
        (&["-a", "blake3", "--customization", "test", "--tag", "-o", "d/M"], &["-o", "d/M"], "d/M"),
        (&["--json", "--per-directory"], &["--json", "-a", "blake3", "--per-directory"], "d/checksums.jsonl"),
        (
            &["--allow-outside", "-o", "other/M"],
            &["-a", "blake3", "--allow-outside", "-o", "other/M"],
            "other/M",
        ),
        (
            &["-a", "hmac-sha256", "--key-file", "key", "-o", "d/M"],
            &["-a", "hmac-md5", "--key-file", "key", "-o", "d/M"],
            "d/M",
        ),
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("other/x", ""), ("key", "secret key")]);
        ["d/a", "d/b"].iter().for_each(|name| set_mtime(&folder, name, old_time()));
        let run = |words: &[&str]| folder.run(&[&["hash", "-q"], words, &["d"]].concat());
        let ran = run(before);
        assert_eq!(ran.code, Some(0), "{before:?}: {}", ran.err);
        let ran = run(after);
        assert_eq!(result_of(&ran), (String::new(), "", Some(0)), "{after:?}: nothing changed");
        let new = folder.read(manifest);
        let ran = run(&[before, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{before:?}: {}", ran.err);
        let recorded = folder.read(manifest);
        assert_ne!(recorded, new);
        folder.write("d/a", "abd");
        set_mtime(&folder, "d/a", old_time());
        let ran = run(after);
        assert!(ran.code == Some(1) || ran.code == Some(2), "{after:?}: {}", ran.err);
        assert!(ran.err.contains("not written: 1 file "), "{after:?}: {}", ran.err);
        assert_eq!(folder.read(manifest), recorded, "{after:?}");
        let ran = run(&[after, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{after:?}: {}", ran.err);
    }
}

#[test]
fn corruption_is_detected_for_any_spelling_of_earlier_names() {
    let folder = Folder::with(&[("d/a", "abd"), ("d/b", "")]);
    ["d/a", "d/b"].iter().for_each(|name| set_mtime(&folder, name, old_time()));
    symlink("d", folder.path("link")).unwrap();
    for name in ["d/a", "link/a", "d/../link/./a"] {
        let whole = folder.path(name).into_os_string().into_string().unwrap();
        for spelled in [whole.as_str(), "./a", "../d/a"] {
            folder.write("d/M", lines(&[(ABC, spelled)]));
            let ran = folder.run(&["hash", "-o", "d/M", "d"]);
            assert!(
                ran.code == Some(2) && ran.err.contains("not written: 1 file "),
                "{spelled}: {}",
                ran.err
            );
        }
    }
}

#[test]
fn earlier_names_with_backslashes_are_compared() {
    // regression: the entry was not compared, and was reported as missing from the new manifest.
    let folder = Folder::with(&[("d/s/x", "abc")]);
    set_mtime(&folder, "d/s/x", old_time());
    for words in [&["hash", "-o", "d/SHA256SUMS", "d"][..], &["hash", "--per-directory", "d"]] {
        folder.write("d/s/x", "abc");
        set_mtime(&folder, "d/s/x", old_time());
        folder.write("d/SHA256SUMS", format!("SHA256 (s\\x) = {ABC}\n"));
        let ran = folder.run(words);
        assert!(ran.code == Some(0) && !ran.err.contains("earlier manifest"), "{words:?}: {}", ran.err);
        folder.write("d/SHA256SUMS", format!("SHA256 (s\\x) = {ABC}\n"));
        folder.write("d/s/x", "abd");
        set_mtime(&folder, "d/s/x", old_time());
        let ran = folder.run(words);
        assert!(ran.code != Some(0) && ran.err.contains("not written: 1 file "), "{words:?}: {}", ran.err);
    }
}

#[test]
fn entries_that_could_not_be_compared_are_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("key", "secret key")]);
    ["d/a", "d/b"].iter().for_each(|name| set_mtime(&folder, name, old_time()));
    let keyed = ["hash", "-q", "-a", "hmac-sha256", "--key-file", "key", "-o", "d/M", "d"];
    assert_eq!(folder.run(&keyed).code, Some(0));
    let ran = folder.run(&["hash", "-o", "d/M", "d"]);
    let said = "truesum: note: d/M: 2 entries of the earlier manifest could not be compared, because the new one does not use the same algorithms (hmac-sha256)\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(0)));
    // A merge computes no digests.
    assert_eq!(folder.run(&["shard", "plan", "-q", "-a", "md5", "-o", "plan", "d/a", "d/b"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "plan", "-o", "d/M"]);
    let said = "truesum: 2 files, 6 B, from 1 part, listed in d/M\n\
                truesum: note: d/M: 2 entries of the earlier manifest could not be compared, because the new one does not use the same algorithms (sha256)\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(0)));
    folder.write("d/a", "abd");
    set_mtime(&folder, "d/a", old_time());
    std::fs::remove_dir_all(folder.path("plan.parts")).unwrap();
    assert_eq!(folder.run(&["shard", "plan", "-q", "-a", "md5", "-o", "plan", "d/a", "d/b"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", "d/M"]);
    assert!(ran.code == Some(2) && ran.err.contains("not written: 1 file "), "{}", ran.err);
    assert_eq!(folder.run(&["shard", "merge", "-q", "--overwrite", "plan", "-o", "d/M"]).code, Some(0));
}

#[test]
fn entries_missing_from_the_new_manifest_are_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("d/c", "abc")]);
    assert_eq!(result_of(&folder.run(&["hash", "-o", "d/M", "d"])), (String::new(), "", Some(0)));
    std::fs::remove_file(folder.path("d/b")).unwrap();
    let ran = folder.run(&["hash", "-o", "d/M", "--exclude", "c", "d"]);
    let said = "truesum: note: d/M: 2 entries of the earlier manifest are not in the new one (first: b)\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(0)));
    assert_eq!(result_of(&folder.run(&["hash", "-o", "d/M", "d"])), (String::new(), "", Some(0)));
    let ran = folder.run(&["hash", "-q", "-o", "d/M", "d/a"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
}

#[test]
fn only_a_plausible_later_mtime_counts_as_an_edit() {
    // regression: a corrupt file whose time was in the future, equal to the manifest's or in the same tick was recorded
    // as good by every command that replaces a manifest without times.
    let future = SystemTime::UNIX_EPOCH + Duration::from_secs(2_114_380_800);
    for (words, manifest) in [
        (&["hash", "-o", "d/SHA256SUMS", "d"][..], "d/SHA256SUMS"),
        (&["hash", "--per-directory", "-a", "sha256", "d"], "d/SHA256SUMS"),
        (&["hash", "--sidecar", "-a", "sha256", "d"], "d/a.sha256"),
        (&["torrent", "create", "-o", "x.torrent", "d"], "x.torrent"),
    ] {
        let folder = Folder::with(&[("d/a", "abc")]);
        let refused = |time: SystemTime, why: &str| {
            set_mtime(&folder, "d/a", time);
            let ran = folder.run(words);
            assert!(ran.code == Some(2) || ran.code == Some(1), "{words:?} {why}: {}", ran.err);
            assert!(ran.err.contains("not written: 1 file "), "{words:?} {why}: {}", ran.err);
        };
        set_mtime(&folder, "d/a", future);
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        folder.write("d/a", "abd");
        refused(future, "in the future");
        let dated = std::fs::metadata(folder.path(manifest)).unwrap().modified().unwrap();
        refused(dated, "equal");
        refused(dated + Duration::from_millis(9), "in the same tick");
        let past = SystemTime::now() - Duration::from_secs(60);
        set_mtime(&folder, manifest, past);
        set_mtime(&folder, "d/a", past + Duration::from_millis(5_011));
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?} edited: {}", ran.err);
    }
}

#[test]
fn corruption_is_detected_if_the_root_differs() {
    // regression: with another --root, no name of the earlier manifest was found, and corrupt content was recorded.
    let folder = Folder::with(&[("s/a", "good")]);
    for (first, second) in [
        (&["hash", "-o", "S", "s"][..], &["hash", "--root", "s", "-o", "S", "s"][..]),
        (&["hash", "--root", "s", "-o", "S", "s"], &["hash", "-o", "S", "s"]),
        (&["hash", "-o", "s/S", "s/a"], &["hash", "--root", ".", "-o", "s/S", "s/a"]),
    ] {
        folder.write("s/a", "good");
        let time = std::fs::metadata(folder.path("s/a")).unwrap().modified().unwrap();
        wait_for_next_tick();
        assert_eq!(folder.run(first).code, Some(0), "{first:?}");
        folder.write("s/a", "rott");
        set_mtime(&folder, "s/a", time);
        let ran = folder.run(second);
        assert_eq!(ran.code, Some(2), "{second:?}: {}", ran.err);
        assert!(ran.err.contains("not written: 1 file "), "{second:?}: {}", ran.err);
        std::fs::remove_file(folder.path(if first.contains(&"s/S") { "s/S" } else { "S" })).unwrap();
    }
}

#[test]
fn corruption_is_detected_through_a_symbolic_link() {
    // regression: a file reached through a link was not compared with the earlier entry of the link's target.
    for words in [
        &["hash", "-L", "-o", "M", "d"][..],
        &["hash", "-o", "M", "d/l"],
        &["hash", "-a", "md5", "-o", "M", "d/l"],
    ] {
        let folder = Folder::with(&[("s/a", "good"), ("d/b", "b")]);
        symlink("../s/a", folder.path("d/l")).unwrap();
        let time = std::fs::metadata(folder.path("s/a")).unwrap().modified().unwrap();
        wait_for_next_tick();
        assert_eq!(folder.run(&["hash", "-o", "M", "s", "d"]).code, Some(0));
        let before = folder.read("M");
        folder.write("s/a", "rott");
        set_mtime(&folder, "s/a", time);
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains("not written: 1 file "), "{words:?}: {}", ran.err);
        assert_eq!(folder.read("M"), before);
    }
}

#[test]
fn corruption_is_detected_if_the_earlier_entry_leads_through_a_link() {
    // regression: the entry d/l/b was not found for the file d/r/b, so corrupt content was recorded.
    for words in [
        &["hash", "-L", "-o", "P", "d/l/b"][..],
        &["hash", "-o", "P", "d/r"],
        &["hash", "-L", "-o", "P", "d/l"],
        &["hash", "-L", "-o", "P", "--exclude", "r", "d"],
    ] {
        let folder = Folder::with(&[("d/r/b", "good"), ("d/c", "c")]);
        symlink("r", folder.path("d/l")).unwrap();
        let time = std::fs::metadata(folder.path("d/r/b")).unwrap().modified().unwrap();
        wait_for_next_tick();
        assert_eq!(folder.run(&["hash", "-o", "P", "--exclude", "r", "-L", "d"]).code, Some(0));
        assert!(String::from_utf8(folder.read("P")).unwrap().contains("d/l/b"));
        let before = folder.read("P");
        folder.write("d/r/b", "rott");
        set_mtime(&folder, "d/r/b", time);
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains("not written: 1 file "), "{words:?}: {}", ran.err);
        assert_eq!(folder.read("P"), before);
    }
}

#[test]
fn details_that_the_new_manifest_lacks_are_reported() {
    // regression: hash -o dropped times and digests of the earlier manifest without a message.
    let folder = Folder::with(&[("d/a", "abc")]);
    for (words, said) in [
        (&["-t", "jsonl", "-a", "md5,sha256"][..], ""),
        (
            &["-a", "sha256"],
            "truesum: note: d/M: the modification times and the md5 digests of the earlier manifest are not in the new one\n",
        ),
        (&["-a", "sha256"], ""),
        (&["-t", "jsonl", "-a", "sha256,md5"], ""),
        (
            &["-t", "jsonl", "-a", "md5"],
            "truesum: note: d/M: the sha256 digests of the earlier manifest are not in the new one\n",
        ),
        (&["-q", "-a", "md5"], ""),
    ] {
        let ran = folder.run(&[&["hash"], words, &["-o", "d/M", "d"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), said), "{words:?}");
    }
}
