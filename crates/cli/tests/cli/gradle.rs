//! Alternative digests: `also-trust` in the verification metadata of Gradle.

use crate::program::{ABC, Folder, OTHER};

/// Returns metadata for the files with these names, expected digests and alternatives.
fn metadata(artifacts: &[(&str, &str, &[&str])]) -> String {
    let artifact = |(name, main, others): &(&str, &str, &[&str])| {
        let others: String = others.iter().map(|other| format!("<also-trust value=\"{other}\"/>")).collect();
        format!("<artifact name=\"{name}\"><sha256 value=\"{main}\">{others}</sha256></artifact>")
    };
    let all: String = artifacts.iter().map(artifact).collect();
    format!(
        "<verification-metadata><components><component>{all}</component></components></verification-metadata>"
    )
}

/// The digests of `1` and of `2`.
const ONE: &str = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
const TWO: &str = "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35";

#[test]
fn order_of_alternative_digests_makes_no_difference() {
    // regression: the comparison of two manifests used only the first digest.
    let folder = Folder::new();
    folder.write("1.xml", metadata(&[("a.jar", OTHER, &[ABC])]));
    folder.write("2.xml", metadata(&[("a.jar", ABC, &[OTHER])]));
    folder.write("3.xml", metadata(&[("a.jar", ABC, &[ONE])]));
    folder.write("4.xml", metadata(&[("a.jar", ONE, &[TWO])]));
    folder.write("abc.sha256", format!("{ABC}  a.jar\n"));
    folder.write("two.sha256", format!("{TWO}  a.jar\n"));
    for (old, new, out, code) in [
        ("1.xml", "abc.sha256", "", 0),
        ("2.xml", "abc.sha256", "", 0),
        ("abc.sha256", "1.xml", "", 0),
        ("1.xml", "2.xml", "", 0),
        ("1.xml", "two.sha256", "changed\ta.jar\n", 1),
        ("1.xml", "4.xml", "changed\ta.jar\n", 1),
        // A file that matches one of them does not necessarily match the other.
        ("1.xml", "3.xml", "unknown\ta.jar\n", 2),
        ("2.xml", "3.xml", "unknown\ta.jar\n", 2),
    ] {
        let ran = folder.run(&["diff", old, new]);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(code)), "{old} {new}: {}", ran.err);
        assert_eq!(ran.err.contains("accept different sets of digests"), code == 2, "{}", ran.err);
    }
}

#[test]
fn manifests_with_alternatives_are_combined() {
    // regression: the line of the second manifest was reported as malformed.
    let folder = Folder::with(&[("d/a.jar", "abc")]);
    folder.write("1.xml", metadata(&[("a.jar", OTHER, &[ABC])]));
    folder.write("2.xml", metadata(&[("a.jar", ABC, &[OTHER])]));
    folder.write("abc.sha256", format!("{ABC}  a.jar\n"));
    folder.write("two.sha256", format!("{TWO}  a.jar\n"));
    for (other, code) in [("abc.sha256", 0), ("2.xml", 0), ("two.sha256", 2)] {
        for [first, second] in [["1.xml", other], [other, "1.xml"]] {
            let ran = folder.run(&["audit", first, second, "d"]);
            assert_eq!(ran.err.contains("malformed"), code == 2, "{first} {second}: {}", ran.err);
            assert_eq!(ran.code == Some(0), code == 0, "{first} {second}: {}", ran.err);
        }
    }
}

#[test]
fn files_are_found_by_alternative_digests() {
    let folder = Folder::with(&[("d/b.jar", "abc"), ("d/c.jar", "1")]);
    folder.write("d/m.xml", metadata(&[("a.jar", OTHER, &[ABC]), ("e.jar", TWO, &[OTHER, ONE])]));
    let moved = "moved\tb.jar\ta.jar\nmoved\tc.jar\te.jar\n";
    for (words, out) in [
        (
            &["check", "--search", "--moved=ok", "d/m.xml"][..],
            "a.jar: MOVED to b.jar\ne.jar: MOVED to c.jar\n",
        ),
        (&["audit", "--moved=ok", "d/m.xml"], moved),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(0)), "{words:?}: {}", ran.err);
    }
    for words in
        [&["find", "--manifest", "d/m.xml", "d/b.jar", "d/c.jar"][..], &["audit", "-k", "d/m.xml", "d/b.jar"]]
    {
        let ran = folder.run(words);
        assert!(ran.code == Some(0) && ran.out().contains("b.jar"), "{words:?}: {}{}", ran.out(), ran.err);
    }
}

#[test]
fn manifest_without_entries_shows_no_removed_files() {
    // regression: the files were reported as removed, next to a message that nothing could be compared.
    let folder = Folder::new();
    folder.write("abc.sha256", format!("{ABC}  a.jar\n"));
    folder.write("bad.xml", metadata(&[("a.jar", ABC, &[""])]));
    let ran = folder.run(&["diff", "abc.sha256", "bad.xml"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{}", ran.err);
    assert!(ran.err.contains("nothing to compare: the manifest has no entries\n"), "{}", ran.err);
}

#[test]
fn alternatives_are_reported_and_never_dropped() {
    let folder = Folder::with(&[("d/a.jar", "abc")]);
    folder.write("d/m.xml", metadata(&[("a.jar", OTHER, &[ABC, ONE])]));
    let ran = folder.run(&["check", "--json", "d/m.xml"]);
    let alternatives = format!("\"alternatives\":{{\"sha256\":[\"{ABC}\",\"{ONE}\"]}}");
    assert!(ran.code == Some(0) && ran.out().contains(&alternatives), "{}", ran.out());
    // regression: the import kept only the first digest.
    let ran = folder.run(&["scrub", "--import", "d/m.xml", "--state", "s", "d"]);
    assert!(ran.code == Some(2) && ran.err.contains("alternative digests"), "{}", ran.err);
    // regression: the hint named a conversion that fails.
    let ran = folder.run(&["update", "-n", "d/m.xml"]);
    assert!(ran.err.contains("hint: to write a new manifest: truesum hash -o NEW d\n"), "{}", ran.err);
    assert!(!ran.err.contains("convert") && !ran.err.contains("0 files"), "{}", ran.err);
}
