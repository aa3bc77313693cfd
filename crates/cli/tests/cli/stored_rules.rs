//! Include and exclude rules that are stored in manifests and in the state of `scrub`.

use crate::program::{ABC, Folder, result_of};

/// Writes `d/M` with an exclude rule, which leaves out `d/x.tmp` and `d/cache/c`.
fn excluded() -> Folder {
    let folder = Folder::with(&[("d/a", "abc"), ("d/x.tmp", "1"), ("d/cache/c", "2")]);
    let ran = folder.run(&["hash", "-o", "d/M", "--exclude", "*.tmp", "--exclude", "/cache", "d"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let text = format!("# truesum: exclude *.tmp\n# truesum: exclude /cache\n{ABC}  a\n");
    assert_eq!(folder.read("d/M"), text.as_bytes());
    folder
}

const NOTE: &str = "truesum: note: rules of the manifest: exclude *.tmp, exclude /cache\n";

#[test]
fn excluded_files_are_not_reported_as_absent_from_the_manifest() {
    let folder = excluded();
    let before = folder.read("d/M");
    for (words, code_without) in [
        (&["check", "--exact", "d/M"][..], 1),
        (&["audit", "d/M"], 1),
        (&["diff", "d/M", "d"], 1),
        (&["diff", "d", "d/M"], 1),
        (&["update", "-n", "d/M"], 1),
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(NOTE), "{words:?}: {}", ran.err);
        let ran = folder.run(&[words, &["--no-stored-rules"]].concat());
        assert_eq!(ran.code, Some(code_without), "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("rules of the manifest"), "{}", ran.err);
    }
    folder.write("d/new", "3");
    let ran = folder.run(&["update", "d/M"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "added\tnew\n".to_owned()), "{}", ran.err);
    let text = folder.read("d/M");
    assert!(text.starts_with(&before), "{}", String::from_utf8_lossy(&text));
    // Other tools treat rules as comments.
    folder.write("d/unexpected", "4");
    assert_eq!(folder.run(&["check", "--exact", "d/M"]).code, Some(1));
    let ran = folder.run(&["audit", "--json", "d/M"]);
    let rules = "\"rules\":[\"exclude *.tmp\",\"exclude /cache\"]";
    assert!(ran.out().contains("\"standing\":\"new\",\"path\":\"unexpected\"") && ran.out().contains(rules));
}

#[test]
fn conversion_keeps_rules_or_fails() {
    // regression: rules and comments were dropped without a message.
    let folder = excluded();
    let text = [&folder.read("d/M")[..], b"; a comment\n# another one\n"].concat();
    folder.write("d/M", &text);
    let rules = "truesum: exclude *.tmp\n";
    for words in [
        &["convert", "d/M", "-t", "bsd", "-o", "d/N"][..],
        &["convert", "d/M", "-t", "bsd", "-a", "sha512", "-o", "d/N"],
        &["convert", "d/M", "-t", "sfv", "-a", "crc32", "-o", "d/N"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("d/M: 2 comments are not in the new manifest\n"), "{words:?}: {}", ran.err);
        let written = String::from_utf8(folder.read("d/N")).unwrap();
        assert!(written.contains(rules) && !written.contains("comment"), "{words:?}: {written}");
        assert_eq!(folder.run(&["check", "--exact", "d/N"]).code, Some(1), "{words:?}");
        std::fs::remove_file(folder.path("d/N")).unwrap();
    }
    let ran = folder.feed(&["convert", "-", "-t", "bsd"], &text);
    assert!(ran.code == Some(0) && ran.out().contains(rules), "{}{}", ran.out(), ran.err);
    for format in ["jsonl", "csv"] {
        let ran = folder.run(&["convert", "d/M", "-t", format]);
        assert!(
            ran.code == Some(2) && ran.err.contains("cannot store the rule exclude *.tmp"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("bsd keeps rules"), "{}", ran.err);
        let ran = folder.run(&["convert", "--lossy", "d/M", "-t", format]);
        assert!(ran.code == Some(0) && ran.err.contains("note: d/M: the"), "{}", ran.err);
    }
}

#[test]
fn ignored_files_of_gentoo_are_excluded() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/c", "1"), ("d/x*y/b", "2")]);
    folder.write("d/Manifest", format!("DATA a 3 SHA256 {ABC}\nIGNORE c\nIGNORE x*y\n"));
    let ran = folder.run(&["check", "--exact", "d/Manifest"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run(&["convert", "--lossy", "d/Manifest", "-t", "bsd"]);
    let text = format!("# truesum: exclude /c\n# truesum: exclude /x\\*y\nSHA256 (a) = {ABC}\n");
    assert_eq!(ran.out(), text, "{}", ran.err);
    folder.write("d/new", "3");
    assert_eq!(folder.run(&["check", "--exact", "d/Manifest"]).code, Some(1));
    // The tag shows where a file is and whether it may be missing.
    folder.write("d/Manifest", format!("DIST a 3 SHA256 {ABC}\n"));
    let ran = folder.run(&["convert", "d/Manifest", "-t", "bsd"]);
    assert!(ran.code == Some(2) && ran.err.contains("tag DIST"), "{}", ran.err);
}

#[test]
fn rules_never_exclude_an_entry() {
    let folder = excluded();
    let text =
        [folder.read("d/M"), format!("{ABC}  x.tmp\n{ABC}  cache/c\n{ABC}  cache/gone\n").into()].concat();
    folder.write("d/M", text);
    let ran = folder.run(&["check", "--exact", "d/M"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for line in ["x.tmp: FAILED", "cache/c: FAILED", "cache/gone: MISSING"] {
        assert!(ran.out().lines().any(|other| other == line), "{}", ran.out());
    }
    let ran = folder.run(&["audit", "d/M"]);
    assert_eq!(ran.out(), "ok\ta\nchanged\tcache/c\nmissing\tcache/gone\nchanged\tx.tmp\n", "{}", ran.err);
    // Entries in a state are verified, too, whatever its rules are.
    folder.write("d/M", [folder.read("d/M"), b"# truesum: exclude M\n".to_vec()].concat());
    assert_eq!(folder.run(&["scrub", "--import", "d/M", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--all", "d"]);
    let mut lines: Vec<String> = ran.out().lines().map(str::to_owned).collect();
    lines.sort();
    let has = |start: &str| lines.iter().any(|line| line.starts_with(start));
    assert!(has("missing\tcache/gone") && lines.len() == 3, "{}{}", ran.out(), ran.err);
    assert!(
        lines.iter().any(|line| line.contains("\tcache/c"))
            && lines.iter().any(|line| line.contains("\tx.tmp"))
    );
}

#[test]
fn rules_that_cannot_be_used_are_reported_and_exclude_nothing() {
    let folder = Folder::with(&[("a", "abc"), ("x.tmp", "1")]);
    folder.write("M", format!("# truesum: exclude *.tmp\n# truesum: exclude [\n{ABC}  a\n"));
    for words in [&["check", "--exact", "M"][..], &["audit", "M"]] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(
            ran.err.contains("M: the rules of the manifest are ignored: error parsing glob "),
            "{}",
            ran.err
        );
    }
    // regression: `!` preceded the glob, and an import blamed the state file.
    folder.write("N", format!("# truesum: exclude [bad\n{ABC}  a\n"));
    let why = "error parsing glob '[bad': ";
    let ran = folder.run(&["hash", "--exclude", "[bad", "."]);
    assert!(ran.code == Some(2) && ran.err.contains(why), "{ran:?}");
    let ran = folder.run(&["scrub", "--import", "N", "."]);
    assert!(ran.code == Some(2) && ran.err.starts_with("truesum: N: "), "{ran:?}");
    assert!(ran.err.contains(&format!("its rules cannot be used: {why}")), "{ran:?}");
    // A file is excluded only if the rules of all manifests exclude it.
    folder.write("M", format!("# truesum: exclude *.tmp\n{ABC}  a\n"));
    folder.write("N", format!("{ABC}  a\n"));
    let ran = folder.run(&["audit", "-q", "M", "N"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "new\tx.tmp\n".to_owned()));
    let ran = folder.run(&["check", "--exact", "M", "N"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
}

#[test]
fn rules_are_written_only_to_formats_with_comments() {
    let folder = Folder::with(&[("a", "abc"), ("x.tmp", "1")]);
    let ran = folder.run(&["hash", "-t", "jsonl", "-o", "M", "--exclude", "*.tmp", "."]);
    let message =
        "truesum: note: --include and --exclude are not stored in the manifest: jsonl has no comments\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    let ran = folder.run(&["hash", "--no-stored-rules", "-o", "N", "--exclude", "[!a]*", "."]);
    assert_eq!((result_of(&ran).2, folder.read("N")), (Some(0), format!("{ABC}  a\n").into_bytes()));
    let ran = folder.run(&["hash", "-a", "crc32", "-o", "a.sfv", "--include", "a", "."]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(String::from_utf8(folder.read("a.sfv")).unwrap().contains("\n; truesum: include a\n"));
    assert_eq!(folder.run(&["check", "--exact", "a.sfv"]).code, Some(0));
    // Nothing is printed in addition to the digests.
    let ran = folder.run(&["hash", "--include", "a", "."]);
    assert_eq!(ran.out(), format!("{ABC}  ./a\n"));
}

#[test]
fn glob_with_a_slash_is_stored_for_the_names_in_the_manifest() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/raw/old/b", "1"), ("d/x/raw/old/c", "abc")]);
    for glob in ["raw/old", "/raw/old", "./raw/old", "d/raw/old"] {
        for output in ["d/M", "M"] {
            let ran = folder.run(&["hash", "-o", output, "--exclude", glob, "d"]);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let ran = folder.run(&["check", "--exact", output]);
            assert_eq!(ran.code, Some(0), "{glob} {output}: {}", ran.err);
            std::fs::remove_file(folder.path(output)).unwrap();
        }
    }
}

#[test]
fn rules_of_a_state_last_until_they_are_replaced() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/x.tmp", "1"), ("d/cache/c", "2")]);
    let rules = ["--exclude", "*.tmp", "--exclude", "cache/"];
    let ran = folder.run(&[&["scrub", "-q", "d"][..], &rules].concat());
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    assert!(ran.err.starts_with("truesum: 1 file recorded, 1 read"), "{}", ran.err);
    // Later runs use the stored rules; the same rules may be given again.
    for words in [&["scrub", "--all", "d"][..], &[&["scrub", "--all", "d"][..], &rules].concat()] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    }
    let ran = folder.run(&["scrub", "--status", "d"]);
    assert!(ran.out().contains("\nrules: exclude *.tmp, exclude cache/\n"), "{}", ran.out());
    let ran = folder.run(&["scrub", "--status", "--json", "d"]);
    assert!(ran.out().contains(",\"rules\":[\"exclude *.tmp\",\"exclude cache/\"]"), "{}", ran.out());
    // Other rules are refused, and nothing changes.
    let before = folder.read("d/.truesum-state");
    let ran = folder.run(&["scrub", "--exclude", "a", "d"]);
    let message = "truesum: d/.truesum-state: cannot use other rules: the stored rules are: exclude *.tmp, exclude cache/\n\
                hint: to use the stored rules, omit --include and --exclude; to replace them: truesum scrub --set-rules --exclude GLOB d\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    let ran = folder.run(&["scrub", "--set-rules", "--exclude", "*", "d"]);
    assert!(ran.code == Some(2) && ran.err.contains("they exclude every recorded file"), "{}", ran.err);
    assert_eq!(folder.read("d/.truesum-state"), before);
    // New rules are stored, and the entries of files that they exclude are removed.
    let ran = folder.run(&["scrub", "-n", "--set-rules", "d"]);
    assert_eq!(ran.out().lines().count(), 2, "{}{}", ran.out(), ran.err);
    let ran = folder.run(&["scrub", "--set-rules", "d"]);
    let mut lines: Vec<String> = ran.out().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["new\tcache/c\trecorded", "new\tx.tmp\trecorded"], "{}", ran.err);
    assert!(!folder.run(&["scrub", "--status", "d"]).out().contains("rules:"));
    // regression: the entry of a corrupt file was removed, and the file was recorded as new under the next rules.
    let a = folder.read("d/a");
    let time = std::fs::metadata(folder.path("d/a")).unwrap().modified().unwrap();
    let write = |content: &[u8]| {
        std::fs::write(folder.path("d/a"), content).unwrap();
        std::fs::File::options().write(true).open(folder.path("d/a")).unwrap().set_modified(time).unwrap();
    };
    write(b"?");
    assert_eq!(folder.run(&["scrub", "--all", "d"]).code, Some(1));
    let ran = folder.run(&["scrub", "--set-rules", "--exclude", "a", "d"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("cannot exclude failed files: a has an open failure"),
        "{}",
        ran.err
    );
    write(&a);
    assert_eq!(folder.run(&["scrub", "--all", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--set-rules", "--include", "a", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.starts_with("truesum: note: 2 entries removed, because the new rules exclude the files\n"),
        "{}",
        ran.err
    );
    std::fs::remove_file(folder.path("d/x.tmp")).unwrap();
    folder.write("d/cache/c", "changed");
    let ran = folder.run(&["scrub", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
}

#[test]
fn update_stores_other_rules_only_if_requested_and_keeps_entries() {
    let folder = excluded();
    folder.write("d/new", "3");
    let before = folder.read("d/M");
    // The stored rules may be given again.
    let ran = folder.run(&["update", "-n", "--exclude", "*.tmp", "--exclude", "/cache", "d/M"]);
    // regression: the exit status was 0 if the rules exclude a file, although the manifest would change.
    assert_eq!((ran.code, ran.out()), (Some(1), "added\tnew\n".to_owned()), "{}", ran.err);
    // Other rules are refused, and nothing is read or changed.
    let ran = folder.run(&["update", "--exclude", "new", "d/M"]);
    let message = "truesum: d/M: not written: the stored rules are: exclude *.tmp, exclude /cache\n\
                hint: to use the stored rules, omit --include and --exclude; to replace them, use --set-rules\n";
    assert!(ran.code == Some(2) && ran.err.starts_with(message) && ran.out().is_empty(), "{}", ran.err);
    assert_eq!(folder.read("d/M"), before);
    // With -n, nothing is written.
    let replace = ["--set-rules", "--exclude", "/cache", "--exclude", "new", "--exclude", "a"];
    let ran = folder.run(&[&["update", "-n"][..], &replace, &["d/M"]].concat());
    assert_eq!((ran.code, ran.out(), folder.read("d/M")), (Some(1), "added\tx.tmp\n".to_owned(), before));
    // The entry of a file that the new rules exclude is kept and checked.
    let ran = folder.run(&[&["update"][..], &replace, &["d/M"]].concat());
    assert_eq!((ran.code, ran.out()), (Some(0), "added\tx.tmp\n".to_owned()), "{}", ran.err);
    assert!(
        ran.err.contains("note: 1 entry was kept, although the new rules exclude its file\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("note: rules of the manifest: exclude /cache, exclude new, exclude a\n"),
        "{}",
        ran.err
    );
    let text = String::from_utf8(folder.read("d/M")).unwrap();
    let rules = "# truesum: exclude /cache\n# truesum: exclude new\n# truesum: exclude a\n";
    assert!(text.starts_with(&format!("{rules}{ABC}  a\n")) && text.lines().count() == 5, "{text}");
    assert_eq!(folder.run(&["check", "--exact", "d/M"]).code, Some(0));
    folder.write("d/a", "damaged");
    assert_eq!(folder.run(&["update", "d/M"]).code, Some(1));
    folder.write("d/a", "abc");
    // Rules change even if no file does, and the same rules change nothing.
    let ran = folder.run(&["update", "--set-rules", "--include", "a", "--include", "*.tmp", "d/M"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    let text = String::from_utf8(folder.read("d/M")).unwrap();
    assert!(text.starts_with("# truesum: include a\n# truesum: include *.tmp\n"), "{text}");
    let ran = folder.run(&["update", "--set-rules", "--include", "a", "--include", "*.tmp", "d/M"]);
    assert!(ran.code == Some(0) && ran.err.contains("; d/M not written; up to date"), "{}", ran.err);
    let ran = folder.run(&["update", "--set-rules", "d/M"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "added\tcache/c\nadded\tnew\n".to_owned()), "{}", ran.err);
    assert!(!String::from_utf8(folder.read("d/M")).unwrap().contains('#'));
}

#[test]
fn update_stores_rules_only_in_formats_with_comments() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b.tmp", "1")]);
    for (options, name) in [(&["-t", "bsd"][..], "M.bsd"), (&["-a", "crc32", "-t", "sfv"], "M.sfv")] {
        let (path, exclude) = (format!("m/{name}"), ["--exclude", "*.tmp"]);
        std::fs::create_dir_all(folder.path("m")).unwrap();
        let ran = folder.run(
            &[&["hash", "--root", "d"], options, &exclude, &["--no-stored-rules", "-o", &path, "d"]].concat(),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let ran = folder.run(&[&["update", "--root", "d", "--set-rules"][..], &exclude, &[&path]].concat());
        assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{name}: {}", ran.err);
        assert_eq!(folder.run(&["check", "--exact", "--root", "d", &path]).code, Some(0), "{name}");
        let ran = folder.run(&["update", "--root", "d", &path]);
        assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{name}: {}", ran.err);
    }
    for format in ["jsonl", "mtree"] {
        assert_eq!(folder.run(&["hash", "-t", format, "-o", format, "d/a"]).code, Some(0));
        let before = folder.read(format);
        let ran = folder.run(&["update", "--set-rules", "--exclude", "*.tmp", format]);
        let message = format!(
            "truesum: {format}: cannot store rules: updates do not preserve comments in the {format} format\n"
        );
        assert!(ran.code == Some(2) && ran.err.starts_with(&message), "{}", ran.err);
        assert_eq!(folder.read(format), before);
    }
}

#[test]
fn first_rules_of_a_manifest_are_stored_with_set_rules() {
    let folder = Folder::with(&[("d/a", "1"), ("d/t.tmp", "2")]);
    assert_eq!(folder.run(&["hash", "-o", "d/M", "d/a"]).code, Some(0));
    let words = ["update", "--exclude", "*.tmp", "d/M"];
    let ran = folder.run(&words);
    let expected =
        "truesum: d/M: not written: no rules are stored in it\nhint: to store these rules, add --set-rules\n";
    assert!(ran.code == Some(2) && ran.err.starts_with(expected), "{}", ran.err);
    let ran = folder.run(&[&words[..], &["--set-rules"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!String::from_utf8(folder.read("d/M")).unwrap().contains("t.tmp"));
}

#[test]
fn patterns_of_a_media_hash_list_are_its_rules() {
    // regression: only update used them, so check --exact and audit reported files that the list leaves out on purpose.
    let folder = Folder::with(&[("d/a", "abc"), ("d/x.tmp", "1"), ("d/cache/c", "2")]);
    let list = "d/ascmhl/0001_d.mhl";
    let ran = folder.run(&["hash", "-t", "ascmhl", "-q", "-o", list, "d/a"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let exact = ["check", "--exact", list];
    assert_eq!(folder.run(&exact).code, Some(1));
    let pattern = "<pattern>.DS_Store</pattern>";
    let more = format!("{pattern}<pattern>*.tmp</pattern><pattern>/cache</pattern>");
    folder.write(list, String::from_utf8(folder.read(list)).unwrap().replace(pattern, &more));
    let digest = "md5".parse::<truesum::hash::Spec>().unwrap().digest(&folder.read(list));
    let chain = format!(
        "<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\"><hashlist><path>0001_d.mhl</path><md5>{digest}</md5>\
         </hashlist></ascmhldirectory>"
    );
    folder.write("d/ascmhl/ascmhl_chain.xml", chain);
    let note = "rules of the manifest: exclude .DS_Store, exclude *.tmp, exclude /cache\n";
    for words in [&exact[..], &["check", "--exact", "d/ascmhl"], &["audit", list], &["diff", list, "d"]] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out(), ran.err);
        assert!(ran.err.contains(note), "{words:?}: {}", ran.err);
        assert_eq!(folder.run(&[words, &["--no-stored-rules"]].concat()).code, Some(1), "{words:?}");
    }
    folder.write("d/new", "3");
    folder.write("d/ascmhl/notes", "3");
    for words in [&exact[..], &["check", "--exact", "d/ascmhl"], &["audit", list]] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(1), "{words:?}: {}", ran.err);
    }
    let ran = folder.run(&["check", "--exact", list]);
    assert!(ran.err.contains("2 files in d are not in the manifest: ascmhl/notes, new\n"), "{}", ran.err);
}
