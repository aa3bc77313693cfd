//! `truesum check` of a Debian archive, from its Release file to its packages, and format strings in checks and audits.

use crate::program::{ABC, Folder, result_of};
use std::process::Command;

/// Returns an archive with one package; `Release` lists its index in three forms.
fn archive() -> Option<Folder> {
    let folder = Folder::with(&[("pool/a.deb", "abc")]);
    let packages = format!("Package: a\nVersion: 1\nFilename: pool/a.deb\nSize: 3\nSHA256: {ABC}\n\n");
    let place = "dists/x/main/binary-all";
    folder.write(format!("{place}/Packages"), &packages);
    let packed = |program: &str, ending: &str| {
        let ran =
            Command::new(program).args(["-c", "Packages"]).current_dir(folder.path(place)).output().ok()?;
        folder.write(format!("{place}/Packages{ending}"), ran.stdout);
        Some(())
    };
    packed("gzip", ".gz").and_then(|()| packed("xz", ".xz"))?;
    let mut release = "Suite: x\nAcquire-By-Hash: yes\n".to_owned();
    for spec in ["md5", "sha256"] {
        let lines = folder.run(&["hash", "--format-string", &format!("%{{{spec}}} %s %p\\n"), "dists"]);
        let lines = lines.out().replace("dists/x/", "");
        release += if spec == "md5" { "MD5Sum:\n" } else { "SHA256:\n" };
        lines.lines().for_each(|line| release += &format!(" {line}\n"));
    }
    folder.write("dists/x/Release", release);
    Some(folder)
}

#[test]
fn index_may_be_absent_if_another_compressed_form_exists() {
    let Some(folder) = archive() else { return truesum_test_support::oracle::missing("gzip or xz") };
    let ran = folder.run(&["check", "dists/x/Release"]);
    let all =
        "main/binary-all/Packages: OK\nmain/binary-all/Packages.gz: OK\nmain/binary-all/Packages.xz: OK\n";
    assert_eq!((ran.out().as_str(), ran.code), (all, Some(0)), "{}", ran.err);
    std::fs::remove_file(folder.path("dists/x/main/binary-all/Packages")).unwrap();
    std::fs::remove_file(folder.path("dists/x/main/binary-all/Packages.gz")).unwrap();
    let ran = folder.run(&["check", "dists/x/Release"]);
    assert_eq!((ran.out().as_str(), ran.code), ("main/binary-all/Packages.xz: OK\n", Some(0)), "{}", ran.err);
    assert!(ran.err.contains("2"), "what was passed over is counted: {}", ran.err);
    // If no form of the index exists, it is missing.
    let xz = folder.read("dists/x/main/binary-all/Packages.xz");
    std::fs::remove_file(folder.path("dists/x/main/binary-all/Packages.xz")).unwrap();
    assert_eq!(folder.run(&["check", "-q", "dists/x/Release"]).code, Some(1));
    // If the manifest is not named Release, all its files are required.
    let copy = folder.read("dists/x/Release");
    folder.write("dists/x/main/binary-all/Packages.xz", &xz);
    folder.write("dists/x/list", copy);
    assert_eq!(folder.run(&["check", "-q", "dists/x/list"]).code, Some(1));
}

#[test]
fn index_is_found_by_its_by_hash_path() {
    let Some(folder) = archive() else { return truesum_test_support::oracle::missing("gzip or xz") };
    let place = "dists/x/main/binary-all";
    let digest = folder.run(&["hash", "--format-string", "%{sha256}", &format!("{place}/Packages.xz")]).out();
    let packed = folder.read(format!("{place}/Packages.xz"));
    for ending in ["", ".gz", ".xz"] {
        std::fs::remove_file(folder.path(format!("{place}/Packages{ending}"))).unwrap();
    }
    folder.write(format!("{place}/by-hash/SHA256/{digest}"), &packed);
    let ran = folder.run(&["check", "dists/x/Release"]);
    assert!(
        ran.out().contains(&format!("Packages.xz: OK (as main/binary-all/by-hash/SHA256/{digest})\n")),
        "{}",
        ran.out()
    );
    folder.write(format!("{place}/by-hash/SHA256/{digest}"), "damaged");
    let ran = folder.run(&["check", "dists/x/Release"]);
    assert!(ran.out().contains("Packages.xz: FAILED"), "{}", ran.out());
    assert_eq!(ran.code, Some(1));
}

#[test]
fn packages_index_is_checked_as_its_own_manifest() {
    let Some(folder) = archive() else { return truesum_test_support::oracle::missing("gzip or xz") };
    let read = if cfg!(feature = "unpack") { &["Packages.gz", "Packages.xz"][..] } else { &["Packages.gz"] };
    for index in read.iter().map(|name| format!("dists/x/main/binary-all/{name}")) {
        folder.write("pool/a.deb", "abc");
        let ran = folder.run(&["check", "--root", ".", &index]);
        assert_eq!((ran.out().as_str(), ran.code), ("pool/a.deb: OK\n", Some(0)), "{}", ran.err);
        folder.write("pool/a.deb", "abd");
        assert_eq!(folder.run(&["check", "-q", "--root", ".", &index]).code, Some(1));
    }
}

#[test]
fn check_and_audit_support_format_strings() {
    let folder = Folder::with(&[("a", "abc"), ("b", "x")]);
    assert_eq!(folder.run(&["hash", "-o", "SHA256SUMS", "a", "b"]).code, Some(0));
    folder.write("b", "y");
    folder.write("c", "z");
    let template = "%{verdict} %f %s\\n";
    let ran = folder.run(&["check", "--format-string", template, "--summary", "none", "SHA256SUMS"]);
    assert_eq!((ran.out().as_str(), ran.code), ("verified a 3\nmismatch b 1\n", Some(1)), "{}", ran.err);
    let ran = folder.run(&["check", "-q", "--printf", "%p\\n", "--summary", "none", "SHA256SUMS"]);
    assert_eq!((ran.out().as_str(), ran.code), ("b\n", Some(1)), "{}", ran.err);
    let ran = folder.run(&[
        "check",
        "--format-string",
        "%{SHA256}\\n",
        "--only",
        "a",
        "--summary",
        "none",
        "SHA256SUMS",
    ]);
    assert_eq!(ran.out(), format!("{}\n", ABC.to_uppercase()));
    let ran = folder.run(&["audit", "--format-string", template, "--summary", "none", "SHA256SUMS"]);
    assert_eq!((ran.out().as_str(), ran.code), ("ok a \nchanged b 1\nnew c 1\n", Some(1)), "{}", ran.err);
    let template = "%{manifest}: %{verdict} %p\\n";
    let ran = folder.run(&["check", "--format-string", template, "--summary", "none", "SHA256SUMS"]);
    assert_eq!(ran.out(), "SHA256SUMS: verified a\nSHA256SUMS: mismatch b\n", "{}", ran.err);
    for (command, text) in [("hash", "in truesum hash"), ("audit", "in truesum audit")] {
        let ran = folder.run(&[command, "--format-string", template, "SHA256SUMS"]);
        let message = format!(
            "truesum: --format-string: %{{manifest}} is not available {text}\n\
                            hint: it is available in truesum check\n"
        );
        assert_eq!(result_of(&ran), (String::new(), message.as_str(), Some(2)));
    }
    let template = "%{verdict} %f %s\\n";
    for words in [&["check", "--json"][..], &["audit", "--json"], &["check", "--status"]] {
        let ran = folder.run(&[words, &["--format-string", "%p", "SHA256SUMS"]].concat());
        assert_eq!(ran.code, Some(2), "{words:?}");
    }
    let ran = folder.run(&["check", "--format-string", "%q", "SHA256SUMS"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let message = "truesum: --format-string: %{verdict} is not available in truesum hash\n\
                hint: it is available in truesum check and truesum audit\n";
    assert_eq!(
        result_of(&folder.run(&["hash", "--format-string", template, "a"])),
        (String::new(), message, Some(2))
    );
}

#[test]
fn sfv_style_selects_the_comments() {
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["hash", "-t", "sfv", "--sfv-style", "win", "a"]);
    let text = "; Generated by WIN-SFV32 v1 (compatible; truesum)\r\n;\r\na 352441C2\r\n";
    assert_eq!(result_of(&ran), (text.to_owned(), "", Some(0)));
    let ran = folder.run(&["hash", "-t", "sfv", "--sfv-style", "cfv", "a"]);
    assert_eq!(ran.out(), "; Generated by truesum\n;\na 352441c2\n");
    let ran = folder.run(&["hash", "-t", "sfv", "--sfv-style", "cksfv", "-o", "x.sfv", "a"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = String::from_utf8(folder.read("x.sfv")).unwrap();
    assert!(
        text.lines().nth(2).is_some_and(|line| line.starts_with(";            3  ") && line.ends_with(" a")),
        "{text}"
    );
    assert_eq!(folder.run(&["check", "-q", "x.sfv"]).code, Some(0));
    let ran = folder.run(&["hash", "--sfv-style", "win", "a"]);
    assert_eq!(result_of(&ran), (String::new(), "truesum: --sfv-style requires -t sfv\n", Some(2)));
}

#[test]
fn diverted_files_of_a_package_are_read_under_their_new_names() {
    let folder = Folder::with(&[("usr/bin/a", "of another package"), ("usr/bin/a.orig", "abc")]);
    folder.write("var/lib/dpkg/diversions", "/usr/bin/a\n/usr/bin/a.orig\nkeeper\n");
    // regression: the file of the package that diverted it was compared and reported as damaged.
    folder.write("var/lib/dpkg/info/p:amd64.md5sums", "900150983cd24fb0d6963f7d28e17f72  usr/bin/a\n");
    let ran = folder.run(&["check", "--root", ".", "var/lib/dpkg/info/p:amd64.md5sums"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("usr/bin/a: OK (as usr/bin/a.orig)\n", Some(0)),
        "{}",
        ran.err
    );
    folder.write("usr/bin/a.orig", "abd");
    let ran = folder.run(&["check", "--root", ".", "var/lib/dpkg/info/p:amd64.md5sums"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out());
}

#[test]
fn names_of_dpkg_are_relative_to_the_system() {
    // regression: all files were reported as missing, and a conversion named the wrong folder.
    let folder = Folder::with(&[("k/usr/bin/a", "abc")]);
    let list = "k/var/lib/dpkg/info/p.md5sums";
    folder.write(list, "900150983cd24fb0d6963f7d28e17f72  usr/bin/a\n");
    for words in [&["check", list][..], &["check", list, "k/usr/bin/a"]] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("usr/bin/a: OK\n", Some(0)), "{words:?}: {}", ran.err);
    }
    // regression: in the folder of the list, all files were missing.
    for (inside, list) in [("info", "p.md5sums"), ("", "info/p.md5sums"), ("info", "../info/p.md5sums")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_truesum"));
        command.args(["check", list]).current_dir(folder.path("k/var/lib/dpkg").join(inside));
        let ran: crate::program::RunResult = command.output().unwrap().into();
        assert_eq!((ran.out().as_str(), ran.code), ("usr/bin/a: OK\n", Some(0)), "{list}: {}", ran.err);
    }
    let ran = folder.run(&["convert", list, "-t", "gnu", "-o", "k/x.md5"]);
    assert!(ran.code == Some(0) && !ran.err.contains("relative"), "{}", ran.err);
    assert_eq!(folder.run(&["check", "k/x.md5"]).code, Some(0));
    folder.write("k/var/lib/dpkg/diversions", "/usr/bin/a\n/usr/bin/a.orig\n");
    let ran = folder.run(&["check", list]);
    assert!(
        ran.code == Some(2) && ran.err.contains("diversions") && ran.err.contains("incomplete"),
        "{}",
        ran.err
    );
}

/// Returns a folder with a package whose file `usr/bin/a` is diverted, and the arguments for its list.
fn package_with_a_diverted_file() -> (Folder, [&'static str; 3]) {
    let folder = Folder::with(&[("usr/bin/a", "of another package"), ("usr/bin/a.orig", "abc")]);
    folder.write("var/lib/dpkg/diversions", "/usr/bin/a\n/usr/bin/a.orig\nkeeper\n");
    folder.write("var/lib/dpkg/info/p.md5sums", "900150983cd24fb0d6963f7d28e17f72  usr/bin/a\n");
    (folder, ["--root", ".", "var/lib/dpkg/info/p.md5sums"])
}

#[test]
fn no_second_entry_is_added_for_a_diverted_file() {
    // regression: update added the digest of another package's file under the name of the diverted one.
    let (folder, [root, dot, list]) = package_with_a_diverted_file();
    let entries = || {
        let text = String::from_utf8(folder.read(list)).unwrap();
        text.lines().filter(|line| line.ends_with("  usr/bin/a")).map(str::to_owned).collect::<Vec<_>>()
    };
    let only = ["900150983cd24fb0d6963f7d28e17f72  usr/bin/a"];
    let ran = folder.run(&["update", root, dot, list]);
    assert!(ran.err.contains("1 file was not added, because the entry"), "{}{}", ran.out(), ran.err);
    assert_eq!(entries(), only);
    assert_eq!(folder.run(&["check", "-q", root, dot, list]).code, Some(0));
    // A file that was moved to the old name of a diverted file is not that file either.
    std::fs::rename(folder.path("usr/bin/a.orig"), folder.path("usr/bin/a")).unwrap();
    folder.run(&["update", "--rename", root, dot, list]);
    assert_eq!(entries(), only);
}

#[test]
fn converted_list_of_a_package_names_its_diverted_files() {
    // regression: the diversion was lost, and a check of the new list reported the file of another package as damaged.
    let (folder, [_, _, list]) = package_with_a_diverted_file();
    for words in [&["-t", "jsonl"][..], &["-a", "sha256", "--root", "."]] {
        let ran = folder.run(&[&["convert", list, "--overwrite", "-o", "new"], words].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let ran = folder.run(&["check", "new"]);
        assert_eq!(
            (ran.out().as_str(), ran.code),
            ("usr/bin/a.orig: OK\n", Some(0)),
            "{words:?} {}",
            ran.err
        );
    }
}

#[test]
fn hint_for_a_missing_diverted_file_does_not_name_another_file() {
    // regression: a hint named two identical names that differ only in letter case.
    let (folder, [root, dot, list]) = package_with_a_diverted_file();
    std::fs::remove_file(folder.path("usr/bin/a.orig")).unwrap();
    let ran = folder.run(&["check", root, dot, list]);
    assert!(ran.code == Some(1) && !ran.err.contains("letter case"), "{}", ran.err);
}

#[test]
fn unreadable_list_of_diversions_is_an_error() {
    // regression: it was ignored, and the file of another package was reported as damaged.
    let (folder, [root, dot, list]) = package_with_a_diverted_file();
    std::fs::remove_file(folder.path("var/lib/dpkg/diversions")).unwrap();
    std::fs::create_dir(folder.path("var/lib/dpkg/diversions")).unwrap();
    for command in ["check", "audit", "update"] {
        let ran = folder.run(&[command, root, dot, list]);
        assert!(ran.code == Some(2) && ran.err.contains("dpkg/diversions: "), "{command}: {}", ran.err);
    }
    let ran = folder.run(&["convert", list, "-t", "jsonl"]);
    assert!(ran.code == Some(2) && ran.err.contains("dpkg/diversions: "), "{}", ran.err);
    std::fs::remove_dir(folder.path("var/lib/dpkg/diversions")).unwrap();
    let ran = folder.run(&["check", root, dot, list]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
}
