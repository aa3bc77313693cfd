//! URLs of object stores where they are not supported: they are rejected and never treated as names of files.

use crate::program::{Folder, RunResult};

const URL: &str = "s3://bucket/key";

fn run(folder: &Folder, words: &[&str]) -> RunResult {
    folder.command().args(words).output().unwrap().into()
}

#[test]
#[cfg(not(feature = "stores"))]
fn store_url_names_the_build_that_can_read_it() {
    let folder = Folder::with(&[("a", "abc"), ("M", "")]);
    assert_eq!(run(&folder, &["shard", "plan", "-q", "-o", "P", "a"]).code, Some(0));
    for words in [
        &["hash", URL][..],
        &["check", "--root", URL, "M"],
        &["audit", "M", URL],
        &["diff", ".", URL],
        &["tree", URL],
        &["tree", "--save", "-o", ".", URL],
        &["tree", "leaf", "--range", "0..1MiB", URL],
        &["tree", "verify", "a.ftr", URL],
        &["identify", "29b1", URL],
        &["shard", "plan", "-o", "Q", URL],
        &["shard", "run", "P", "0", "--root", URL],
    ] {
        let ran = run(&folder, words);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{words:?}: {}", ran.err);
        let first = ran.err.lines().next().unwrap_or_default();
        assert!(
            first.ends_with("/key: this build cannot read object stores")
                || first.ends_with("s3://bucket/: this build cannot read object stores"),
            "{words:?}: {}",
            ran.err
        );
        assert!(ran.err.contains("--features full,stores"), "{words:?}: {}", ran.err);
    }
    assert!(!folder.root().join("Q").exists());
}

#[test]
fn store_url_is_rejected_elsewhere_and_in_name_lists() {
    let folder =
        Folder::with(&[("a", "abc"), ("list", "a\ns3://bucket/key\n"), ("list0", "gs://bucket/key\0")]);
    for words in [
        &["update", URL][..],
        &["tree", "repair", "--from", URL, "a.ftr"],
        &["tree", "combine", URL],
        &["hash", "-o", URL, "a"],
        &["shard", "run", URL, "0"],
    ] {
        let ran = run(&folder, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(
            ran.err.contains("s3://bucket/key: object stores are not supported here\nhint: "),
            "{}",
            ran.err
        );
    }
    for words in [
        &["hash", "-o", "OUT", "--files-from", "list"][..],
        &["hash", "-o", "OUT", "--files0-from", "list0"],
        &["shard", "plan", "-o", "OUT", "--files-from", "list"],
    ] {
        let ran = run(&folder, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("://bucket/key is not a local file"), "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("No such file") && !folder.root().join("OUT").exists(), "{}", ran.err);
    }
}

#[test]
fn web_url_is_refused_with_a_command_that_downloads_it() {
    let folder = Folder::with(&[("http:/h", "abc")]);
    let digest = "900150983cd24fb0d6963f7d28e17f72";
    for (words, hint) in [
        (
            &["check", "-a", "md5", "--expect", digest, "https://h.example/a.iso"][..],
            "curl -fL https://h.example/a.iso | truesum check -a md5 --expect 900150983cd24fb0d6963f7d28e17f72 -",
        ),
        (
            &["--expect", digest, "https://h.example/d?id=1&x=2"],
            "curl -fL 'https://h.example/d?id=1&x=2' | truesum check --expect 900150983cd24fb0d6963f7d28e17f72 -",
        ),
        (&["https://h.example/a.iso"], "curl -fLo a.iso https://h.example/a.iso && truesum hash a.iso"),
        (
            &["hash", "-a", "md5", "HTTP://h.example/a b?id=1"],
            "curl -fLo 'a b' 'HTTP://h.example/a%20b?id=1' && truesum hash -a md5 'a b'",
        ),
        // If the download were interrupted, `check -` would read an incomplete manifest.
        (
            &["check", "ftp://h.example/SHA256SUMS"],
            "curl -fLo SHA256SUMS ftp://h.example/SHA256SUMS && truesum check SHA256SUMS",
        ),
        (
            &["tree", "verify", "https://h.example/"],
            "curl -fLo download https://h.example/ && truesum tree verify download",
        ),
    ] {
        let ran = run(&folder, words);
        let url = words.iter().find(|word| word.contains("://")).unwrap();
        let expected = format!("truesum: {url}: URLs of web servers are not supported\nhint: {hint}\n");
        assert_eq!((ran.code, ran.err), (Some(2), expected), "{words:?}");
    }
    // regression: the command replaced the file that was to be compared with the download.
    folder.write("2-x", "");
    folder.write("x", "");
    let ran = run(&folder, &["diff", "https://h.example/x", "https://g.example/x"]);
    let hint = "hint: curl -fLo 3-x https://h.example/x && truesum diff 3-x https://g.example/x\n";
    assert!(ran.err.ends_with(hint), "{}", ran.err);
    // A file with this name.
    assert_eq!(run(&folder, &["hash", "http://h"]).code, Some(0));
    assert_eq!(run(&folder, &["bag", "check", "https://h.example/x"]).code, Some(2));
}
