//! ASC Media Hash Lists: histories written here are verified by the ASC's own tool.

use crate::program::{Folder, result_of};
use std::process::Command;

#[test]
fn ascmhl_manifest_is_verified_by_the_ascmhl_tool() {
    let folder =
        Folder::with(&[("clips/A/a.mov", "abc"), ("clips/b & <c>", "x"), ("clips/.DS_Store", "junk")]);
    let ran = folder.run(&["hash", "-t", "ascmhl", "-o", "clips/0001_clips.mhl", "clips"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("to create a history: truesum hash -t ascmhl -o DIR/ascmhl/0001_NAME.mhl DIR"),
        "{}",
        ran.err
    );
    let list = "clips/ascmhl/0001_clips_2026-01-31_120000Z.mhl";
    let ran = folder.run(&["hash", "-t", "ascmhl", "-a", "xxh64,sha512", "-q", "-o", list, "clips"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let text = String::from_utf8(folder.read(list)).unwrap();
    assert!(
        text.contains(">A/a.mov</path>") && text.contains("<c4 action=") && !text.contains("DS_Store</path>")
    );
    let ran = folder.run(&["check", list]);
    assert_eq!((ran.out().as_str(), ran.code), ("A/a.mov: OK\nb & <c>: OK\n", Some(0)), "{}", ran.err);
    let ran = folder.run(&["hash", "-t", "ascmhl", "-q", "-o", "clips/ascmhl/0001_x.mhl", "clips"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("a history already exists"), "{}", ran.err);
    let program = "ascmhl-debug";
    let verified = |folder: &Folder| {
        let ran = Command::new(program)
            .args(["verify", "clips"])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder.root())
            .output()
            .ok()?;
        Some((
            ran.status.code(),
            String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr),
        ))
    };
    let Some((code, message)) = verified(&folder) else {
        return truesum_test_support::oracle::missing("ascmhl (Python)");
    };
    assert_eq!(code, Some(0), "{message}");
    folder.write("clips/A/a.mov", "abd");
    let (code, message) = verified(&folder).expect("it was there");
    assert_ne!(code, Some(0), "{message}");
}

#[test]
fn excluded_files_are_patterns_in_the_first_list_of_a_history() {
    // regression: --exclude was not stored, so the next update added the excluded files.
    let folder = Folder::with(&[("clips/a.mov", "abc"), ("clips/a.tmp", "x"), ("clips/cache/b", "y")]);
    let list = "clips/ascmhl/0001_clips.mhl";
    let words = ["hash", "-t", "ascmhl", "--exclude", "*.tmp", "--exclude", "cache/", "-o", list, "clips"];
    let ran = folder.run(&words);
    assert!(ran.code == Some(0) && !ran.err.contains("not stored"), "{}", ran.err);
    let text = String::from_utf8(folder.read(list)).unwrap();
    for pattern in ["*.tmp", "cache/"] {
        assert!(text.contains(&format!("<pattern>{pattern}</pattern>")), "{text}");
    }
    let ran = folder.run(&["check", "--exact", "-q", list]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    folder.write("clips/new.tmp", "x");
    folder.write("clips/c.mov", "new");
    let ran = folder.run(&["update", "clips/ascmhl"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "added\tc.mov\n".to_owned()), "{}", ran.err);
    // A list has no patterns for included files.
    let words = ["hash", "-t", "ascmhl", "--include", "*.mov", "-o", "d/ascmhl/0001_d.mhl", "d"];
    folder.write("d/a.mov", "abc");
    let ran = folder.run(&words);
    assert!(ran.code == Some(0) && ran.err.contains("note: --include is not stored"), "{}", ran.err);
    assert!(!String::from_utf8(folder.read("d/ascmhl/0001_d.mhl")).unwrap().contains("*.mov</pattern>"));
}

#[test]
fn media_history_files_are_not_reported_as_extra() {
    let folder = Folder::with(&[("clips/A/a.mov", "abc")]);
    let list = "clips/ascmhl/0001_clips.mhl";
    let ran = folder.run(&["hash", "-t", "ascmhl", "-q", "-o", list, "clips"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    // The manifest of a later day, which the chain names.
    folder.write("clips/ascmhl/0002_clips.mhl", folder.read(list));
    let chain = "clips/ascmhl/ascmhl_chain.xml";
    let entry = "<hashlist><path>0002_clips.mhl</path></hashlist></ascmhldirectory>";
    folder.write(chain, String::from_utf8(folder.read(chain)).unwrap().replace("</ascmhldirectory>", entry));
    for command in [&["check", "--exact", list][..], &["audit", list], &["diff", list, "clips"]] {
        let ran = folder.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}{}", ran.out(), ran.err);
    }
    // Other files in the folder, or files with such a name elsewhere, are reported.
    folder.write("clips/ascmhl/0003_junk.mhl", "");
    folder.write("clips/ascmhl/notes", "");
    folder.write("clips/ascmhl_chain.xml", "");
    let ran = folder.run(&["check", "--exact", list]);
    let message =
        "3 files in clips are not in the manifest: ascmhl/0003_junk.mhl, ascmhl/notes, ascmhl_chain.xml\n";
    assert!(ran.code == Some(1) && ran.err.contains(message), "{}", ran.err);
}

/// Returns a list of a history with these elements.
fn generation(elements: &str) -> String {
    format!("<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\"><hashes>{elements}</hashes></hashlist>")
}

/// Writes the chain file of a history with these lists.
fn write_chain(folder: &Folder, history: &str, lists: &[&str]) {
    let md5: truesum::hash::Spec = "md5".parse().unwrap();
    let entries: String = lists
        .iter()
        .map(|list| {
            let digest = md5.digest(&folder.read(format!("{history}/{list}")));
            format!("<hashlist><path>{list}</path><md5>{digest}</md5></hashlist>")
        })
        .collect();
    let begin = "<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">";
    folder.write(format!("{history}/ascmhl_chain.xml"), format!("{begin}{entries}</ascmhldirectory>"));
}

#[test]
fn history_is_checked_with_all_its_lists() {
    let md5 = |text: &str| "md5".parse::<truesum::hash::Spec>().unwrap().digest(text.as_bytes()).to_hex();
    let hash = |name: &str, text: &str, more: &str| {
        let digest = md5(text);
        format!("<hash><path>{name}</path><md5>{digest}</md5>{more}</hash>")
    };
    let folder = Folder::with(&[("d/a", "1"), ("d/new", "2"), ("d/c", "3"), ("d/sub/x", "4")]);
    std::fs::create_dir_all(folder.path("d/ascmhl")).unwrap();
    std::fs::create_dir_all(folder.path("d/sub/ascmhl")).unwrap();
    folder.write("d/sub/ascmhl/0001_sub.mhl", generation(&hash("x", "4", "")));
    write_chain(&folder, "d/sub/ascmhl", &["0001_sub.mhl"]);
    let nested = md5(&String::from_utf8(folder.read("d/sub/ascmhl/0001_sub.mhl")).unwrap());
    let references = format!(
        "</hashes><references><hashlistreference><path>sub/ascmhl/0001_sub.mhl</path><md5>{nested}</md5>\
         </hashlistreference></references><hashes>"
    );
    let first = hash("a", "1", "") + &hash("old", "2", "") + &references;
    folder.write("d/ascmhl/0001_d.mhl", generation(&first));
    let failed = format!("<hash><path>a</path><md5 action=\"failed\">{}</md5></hash>", md5("X"));
    let second = hash("new", "2", "<previousPath>old</previousPath>") + &hash("c", "3", "") + &failed;
    folder.write("d/ascmhl/0002_d.mhl", generation(&second));
    write_chain(&folder, "d/ascmhl", &["0001_d.mhl", "0002_d.mhl"]);
    let expected = "0001_d.mhl: OK\n0002_d.mhl: OK\na: OK\nnew: OK\nsub/ascmhl/0001_sub.mhl: OK\nc: OK\n\
                    0001_sub.mhl: OK\nx: OK\n";
    for name in ["d", "d/ascmhl", "d/ascmhl/"] {
        let ran = folder.run(&["check", "--exact", name]);
        assert_eq!((ran.out().as_str(), ran.code), (expected, Some(0)), "{name}: {}", ran.err);
    }
    // A file whose verification failed has the content that the failed digest is of.
    folder.write("d/a", "X");
    folder.write("d/sub/x", "Y");
    let ran = folder.run(&["check", "-q", "d"]);
    let failed: Vec<String> =
        ran.out().lines().filter(|line| line.ends_with(": FAILED")).map(str::to_owned).collect();
    assert_eq!(
        (failed, ran.code),
        (vec!["a: FAILED".to_owned(), "x: FAILED".to_owned()], Some(1)),
        "{}",
        ran.err
    );
    folder.write("d/a", "1");
    folder.write("d/sub/x", "4");
    // A list that was changed, removed, added, or that contradicts an earlier one.
    let failing = |code: i32, what: &str| {
        let ran = folder.run(&["check", "-q", "d"]);
        let text = ran.out() + &ran.err;
        assert!(ran.code == Some(code) && text.contains(what), "{what}: {text}");
    };
    folder.write("d/ascmhl/0002_d.mhl", generation(&second) + "\n");
    failing(1, "0002_d.mhl: FAILED");
    let ran = folder.run(&["check", "d/ascmhl/0002_d.mhl"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("does not match its digest in the chain file"),
        "{}",
        ran.err
    );
    std::fs::remove_file(folder.path("d/ascmhl/0002_d.mhl")).unwrap();
    failing(1, "0002_d.mhl: MISSING");
    folder.write("d/ascmhl/0002_d.mhl", generation(&second));
    folder.write("d/ascmhl/0003_d.mhl", generation(&hash("c", "X", "")));
    failing(2, "0003_d.mhl: cannot verify: the chain file of the history does not contain it");
    write_chain(&folder, "d/ascmhl", &["0001_d.mhl", "0002_d.mhl", "0003_d.mhl"]);
    failing(2, "c: the digest contradicts the one in an earlier list of the history");
    folder.write("d/ascmhl/ascmhl_chain.xml", "<ascmhldirectory");
    let ran = folder.run(&["check", "-q", "d"]);
    assert!(ran.code.is_some_and(|code| code > 0), "{}", ran.err);
}

#[test]
fn histories_of_the_ascmhl_tool_are_verified() {
    let folder = Folder::with(&[("d/a", "1"), ("d/b", "2"), ("d/sub/x", "4")]);
    let create = |name: &str| {
        let ran = Command::new("ascmhl")
            .args(["create", "-h", "md5", "-dr", name])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder.root())
            .output()
            .ok()?;
        Some(ran.status.success())
    };
    let Some(is_created) = create("d/sub") else {
        return truesum_test_support::oracle::missing("ascmhl (Python)");
    };
    assert!(is_created && create("d") == Some(true));
    folder.write("d/new", "5");
    std::fs::rename(folder.path("d/b"), folder.path("d/c")).unwrap();
    assert_eq!(create("d"), Some(true));
    let ran = folder.run(&["check", "--exact", "d"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    for name in ["a", "c", "new", "x"] {
        assert!(ran.out().contains(&format!("{name}: OK\n")), "{name}: {}", ran.out());
    }
    folder.write("d/sub/x", "X");
    assert_eq!(folder.run(&["check", "-q", "d"]).code, Some(1));
}

/// Runs the ASC's program in the folder. Returns `None` if it is not installed.
fn ascmhl(folder: &Folder, words: &[&str]) -> Option<(Option<i32>, String)> {
    let program = if words.first() == Some(&"verify") { "ascmhl-debug" } else { "ascmhl" };
    let command = &mut Command::new(program);
    let ran = command.args(words).env("LC_ALL", "C.UTF-8").current_dir(folder.root()).output().ok()?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    Some((ran.status.code(), text))
}

/// Returns the names of the lists of the history in `d`.
fn lists(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path("d/ascmhl"))
        .unwrap()
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".mhl"))
        .collect();
    names.sort();
    names
}

#[test]
fn update_adds_a_list_to_a_history() {
    let folder = Folder::with(&[("d/a", "1"), ("d/s/b", "2"), ("d/c", "3"), ("d/e&f", "4")]);
    let first = ["hash", "-t", "ascmhl", "-a", "xxh64,sha512", "-q", "-o", "d/ascmhl/0001_d.mhl", "d"];
    assert_eq!(folder.run(&first).code, Some(0));
    let before = folder.read("d/ascmhl/0001_d.mhl");
    folder.write("d/new", "5");
    folder.write("d/.DS_Store", "junk");
    std::fs::rename(folder.path("d/c"), folder.path("d/s/c")).unwrap();
    // Nothing is written by a dry run.
    let ran = folder.run(&["update", "-n", "--rename", "d/ascmhl"]);
    assert_eq!((ran.code, lists(&folder).len()), (Some(1), 1), "{}", ran.err);
    let ran = folder.run(&["update", "--rename", "d/ascmhl"]);
    assert_eq!((ran.out().as_str(), ran.code), ("added\tnew\nrenamed\ts/c\tc\n", Some(0)), "{}", ran.err);
    let names = lists(&folder);
    assert!(names.len() == 2 && names[1].starts_with("0002_d_") && names[1].ends_with("Z.mhl"), "{names:?}");
    let text = String::from_utf8(folder.read(format!("d/ascmhl/{}", names[1]))).unwrap();
    for what in [
        "<xxh64 action=\"verified\"",
        ">e&amp;f</path>",
        "<previousPath>c</previousPath>",
        "<pattern>.DS_Store</pattern>",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
    assert!(!text.contains("DS_Store</path>") && folder.read("d/ascmhl/0001_d.mhl") == before, "{text}");
    let ran = folder.run(&["check", "--exact", "d"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    let Some((code, message)) = ascmhl(&folder, &["verify", "d"]) else {
        return truesum_test_support::oracle::missing("ascmhl (Python)");
    };
    assert_eq!(code, Some(0), "{message}");
    let (code, message) = ascmhl(&folder, &["diff", "d"]).unwrap();
    assert_eq!(code, Some(0), "{message}");
    // Each program continues the history of the other.
    let (code, message) = ascmhl(&folder, &["create", "-h", "xxh64", "d"]).unwrap();
    assert_eq!(code, Some(0), "{message}");
    let ran = folder.run(&["update", "d"]);
    assert_eq!((ran.code, lists(&folder).len()), (Some(0), 4), "{}", ran.err);
    let (code, message) = ascmhl(&folder, &["verify", "d"]).unwrap();
    assert_eq!(code, Some(0), "{message}");
}

#[test]
fn differences_from_a_history_are_recorded_and_never_accepted() {
    let folder = Folder::with(&[("d/a", "1"), ("d/b", "2"), ("d/c", "3")]);
    let first = ["hash", "-t", "ascmhl", "-a", "md5", "-q", "-o", "d/ascmhl/0001_d.mhl", "d"];
    assert_eq!(folder.run(&first).code, Some(0));
    folder.write("d/a", "X");
    std::fs::remove_file(folder.path("d/b")).unwrap();
    for number in 2..4 {
        let ran = folder.run(&["update", "d/ascmhl"]);
        assert_eq!((ran.code, lists(&folder).len()), (Some(1), number), "{}", ran.err);
        let out = ran.out();
        assert!(out.contains("changed") && out.contains("missing") && !out.contains("refreshed"), "{out}");
        // Nothing in a history can be accepted or removed.
        assert!(!ran.err.contains("--refresh") && !ran.err.contains("--prune"), "{}", ran.err);
        let name = &lists(&folder)[number - 1];
        let text = String::from_utf8(folder.read(format!("d/ascmhl/{name}"))).unwrap();
        assert!(text.contains("<md5 action=\"failed\"") && !text.contains(">b</path>"), "{text}");
        let ran = folder.run(&["check", "d"]);
        assert!(ran.code == Some(1) && ran.out().contains("a: FAILED"), "{}", ran.out());
        if let Some((code, message)) = ascmhl(&folder, &["verify", "d"]) {
            assert_ne!(code, Some(0), "{message}");
        }
    }
    // The original content still matches the history.
    folder.write("d/a", "1");
    folder.write("d/b", "2");
    assert_eq!(folder.run(&["update", "d/ascmhl"]).code, Some(0));
    assert_eq!(folder.run(&["check", "d"]).code, Some(0));
    // A damaged history is not continued.
    let count = lists(&folder).len();
    folder.write("d/ascmhl/0001_d.mhl", [&folder.read("d/ascmhl/0001_d.mhl")[..], b"\n"].concat());
    let ran = folder.run(&["update", "d/ascmhl"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("does not match its digest in the chain file"),
        "{}",
        ran.err
    );
    assert_eq!(lists(&folder).len(), count);
    // A disk that is not mounted is not recorded either.
    let empty = Folder::with(&[("d/a", "1")]);
    assert_eq!(empty.run(&first).code, Some(0));
    std::fs::remove_file(empty.path("d/a")).unwrap();
    let ran = empty.run(&["update", "d"]);
    assert!(ran.code == Some(2) && ran.err.contains("none of the files in the history"), "{}", ran.err);
    assert_eq!(lists(&empty).len(), 1);
    for option in ["--refresh", "--prune", "--quick", "--exclude=x", "--root=d"] {
        let ran = folder.run(&["update", option, "d/ascmhl"]);
        assert!(ran.code == Some(2) && ran.err.contains("history of a media hash list"), "{}", ran.err);
    }
}
