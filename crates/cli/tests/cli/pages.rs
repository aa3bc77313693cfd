//! The HTML reports of `--html`: their contents, the files that they do not replace, and how a browser displays them.

use crate::program::{ABC, EMPTY, Folder, OTHER};
use std::path::Path;
use std::process::Command;

/// A name that would be executed if it were not escaped, and that is wider than a phone screen.
const ODD: &str = "<script>alert(1)<img src=x onerror=alert(2)>&\"'-and-a-name-without-any-place-to-break-it-as-wide-as-a-screen-is";

fn folder() -> Folder {
    let folder = Folder::with(&[("good", "abc"), ("bad", "abc"), (ODD, "abc"), ("extra", "abc")]);
    let lines = [(ABC, "good"), (OTHER, "bad"), (OTHER, ODD), (EMPTY, "gone")];
    let lines: String = lines.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect();
    folder.write("M", format!("{lines}oops\n"));
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

/// Returns the text of a page, without tags and styles.
fn text(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let parts = body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn check_report_shows_failures_first() {
    let folder = folder();
    let ran = folder.run(&["check", "--html", "check.html", "M"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let page = text(&read(&folder, "check.html"));
    let digest = folder.run(&["hash", "M"]).out()[..64].to_owned();
    for part in [
        "FAILED:\ncheck of M\nAt least one file failed the check.\n1\nverified\n2\nFAILED\n".to_owned(),
        format!("Manifest\nM, SHA-256 {digest}\nDate\n"),
        "1\nMISSING\n".to_owned(),
        "FAILED\n: 2\nbad\nexpected sha256".to_owned(),
        "MISSING\n: 1\ngone\nmalformed\n: 1\nM\nline 5: not a checksum line\n".to_owned(),
        "Other files\nnot in the manifest\n: 1 file\nextra\nOK\n: 1 file\ngood\n".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}\nis not in\n{page}");
    }
    assert!(page.find("FAILED\n: 2") < page.find("Other files"));
    let html = read(&folder, "check.html");
    assert!(html.contains("<title>FAILED: check of M</title>") && !html.contains("<img"));
    let same = ABC.bytes().zip(OTHER.bytes()).take_while(|(one, other)| one == other).count();
    let marked = |digest: &str| {
        format!("{}<mark>{}</mark>{}", &digest[..same], &digest[same..=same], &digest[same + 1..])
    };
    let digests = format!("expected sha256 {}\nactual   sha256 {}</code>", marked(OTHER), marked(ABC));
    assert!(html.contains(&digests), "the first digit that differs is marked: {html}");
}

#[test]
fn report_of_a_partial_check_says_so() {
    let folder = folder();
    let words = [
        "check",
        "--html",
        "p.html",
        "--lenient",
        "--sample",
        "1%",
        "--sample-seed",
        "4",
        "--only",
        "good",
        "M",
    ];
    assert_eq!(folder.run(&words).code, Some(0));
    let page = text(&read(&folder, "p.html"));
    for message in [
        "PARTLY VERIFIED:\ncheck of M\nThe selected files were verified (1 entry). The other files were not checked.\n",
        "\nSelected: 1 of 4 entries (sample of 1 %, seed 4).\n",
    ] {
        assert!(page.contains(message), "{page}");
    }
    folder.write("MD5", format!("{}  good\n", "900150983cd24fb0d6963f7d28e17f72"));
    assert_eq!(folder.run(&["check", "--html", "p.html", "MD5"]).code, Some(0));
    let page = text(&read(&folder, "p.html"));
    assert!(page.contains("md5 (1 entry): no protection against tampering"), "{page}");
}

#[test]
fn audit_report_has_every_status_and_is_not_audited() {
    let folder = folder();
    for _ in 0..2 {
        let ran = folder.run(&["audit", "--html", "audit.html", "M"]);
        assert_eq!((ran.code, ran.out().contains("audit.html")), (Some(1), false), "{}", ran.out());
    }
    let page = text(&read(&folder, "audit.html"));
    for part in [
        "NOT EQUAL:\naudit of M\n",
        "\nbad\nfound: 3 bytes, modified ",
        "missing\n: 1\ngone\n",
        "copied\n: 1\nextra\nfrom good\n",
    ] {
        assert!(page.contains(part), "{part}\nis not in\n{page}");
    }
    assert!(page.find("missing\n: 1") < page.find("copied\n: 1"), "what is bad comes first");
}

#[test]
fn report_replaces_only_reports_and_checks_before_reading() {
    let folder = folder();
    for (words, why) in [
        (&["check", "--html", "M", "M"][..], "the existing file is not a truesum report"),
        (&["audit", "--html", "M", "M"], "the existing file is not a truesum report"),
        (&["check", "--html", "none/x.html", "M"], "No such file or directory"),
        (&["check", "--html", ".", "M"], "directory"),
        (
            &["check", "--locate", "--map-html", "x.html", "--html", "x.html", "M"],
            "the same file was specified for both",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}");
        assert!(ran.err.contains(why), "{words:?}: {}", ran.err);
    }
    assert!(read(&folder, "M").starts_with(ABC) && !folder.path("x.html").exists());
    // An empty file in a manifest that is found by a search, or read from standard input.
    folder.write("e/empty", "");
    folder.write("e/SHA256SUMS", format!("{EMPTY}  empty\n"));
    for (words, input) in [
        (&["check", "-r", "e", "--html", "e/empty"][..], ""),
        (&["check", "--root", "e", "--html", "e/empty", "-"], &format!("{EMPTY}  empty\n")),
    ] {
        let ran = folder.feed(words, input.as_bytes());
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}");
        assert!(
            ran.err.contains("e/empty: cannot write: the existing file is not a truesum report"),
            "{}",
            ran.err
        );
        assert_eq!(read(&folder, "e/empty"), "");
    }
    let out = std::fs::File::create(folder.path("out.html")).unwrap();
    let same = folder.command().args(["check", "--html", "out.html", "M"]).stdout(out).output().unwrap();
    assert_eq!(same.status.code(), Some(2), "the run's own standard output");
}

#[test]
fn report_renders_in_a_browser() {
    let folder = folder();
    // Content that does not match the stored tree.
    assert_eq!(folder.run(&["tree", "--save", "-a", "sha256-tree", "bad"]).code, Some(0));
    folder.write("bad", "abd");
    folder.run(&["check", "--locate", "--exact", "--html", "check.html", "--exclude", "good", "M"]);
    folder.run(&["audit", "--html", "audit.html", "M"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/check_report.py");
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    assert!(read(&folder, "check.html").contains("<svg"), "a map of the damage");
    for name in ["check.html", "audit.html"] {
        let output =
            Command::new("python3").arg(&script).arg("--record").arg(folder.path(name)).arg(&shots).output();
        let (status, message) = match output {
            Ok(output) => (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()),
            Err(why) => (Some(77), format!("python3: {why}")),
        };
        if status == Some(77) {
            return truesum_test_support::oracle::missing(&message);
        }
        assert_eq!(status, Some(0), "{message}");
    }
}
