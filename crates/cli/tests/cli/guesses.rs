//! Commands and arguments that users of other programs try: they work, or the hint is a command that works.

use crate::bytes::noise;
use crate::program::{ABC, EMPTY, Folder, RunResult, lines};
use std::process::Command;

/// Returns a folder with files, a manifest of them, and a stored tree of one file.
fn setup() -> Folder {
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("d/a", "abc"), ("d/b", "")]);
    folder.write("SHA256SUMS", lines(&[(ABC, "a"), (EMPTY, "b")]));
    folder.write("d/SHA256SUMS", lines(&[(ABC, "a"), (EMPTY, "b")]));
    folder
}

/// Runs a shell command with this program as `truesum`.
fn shell(folder: &Folder, line: &str) -> RunResult {
    let line = format!("truesum() {{ '{}' \"$@\"; }}\n{line}", env!("CARGO_BIN_EXE_truesum"));
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(folder.root()).env("TRUESUM_CONFIG", "");
    command.output().expect("a shell").into()
}

/// Returns the command in the last hint.
fn hint(ran: &RunResult) -> String {
    let hint = ran.err.lines().filter_map(|line| line.strip_prefix("hint: ")).next_back();
    let hint = hint.unwrap_or_else(|| panic!("no hint: {}", ran.err));
    hint[hint.find("truesum ").unwrap_or(0)..].to_owned()
}

#[test]
fn arguments_that_are_not_text_are_quoted_once() {
    // regression: they were quoted, and the message quoted the result again.
    let folder = Folder::with(&[("a", "abc")]);
    for (words, name, said) in [
        (&[][..], &b"xx\xff"[..], "truesum: xx\\xff: no such command or file\n"),
        (&["hash", "a", "-a"], b"sha\xff", "invalid value 'sha\\xff': unknown algorithm 'sha\\xff'"),
        (&["check", "a", "-t"], b"x\ny", "invalid value 'x\\ny': unknown format"),
    ] {
        let ran = folder.run_on(words, name);
        assert!(ran.code == Some(2) && ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn wrong_guess_gets_a_working_hint() {
    for (guess, expected) in [
        ("truesum dupes d", "truesum duplicates d"),
        ("truesum sha256 a", "truesum -a sha256 a"),
        ("truesum sha256sum a", "truesum -a sha256 a"),
        ("truesum sha256sum -c SHA256SUMS", "truesum check SHA256SUMS"),
        ("truesum md5 a 'd/b'", "truesum -a md5 a d/b"),
        ("truesum b3sum a", "truesum -a blake3 a"),
        ("truesum create d", "truesum -o SHA256SUMS d"),
        ("truesum generate 'd'", "truesum -o SHA256SUMS d"),
        ("truesum checksum a", "truesum a"),
        ("truesum compare SHA256SUMS .", "truesum diff SHA256SUMS ."),
        ("truesum tree save a", "truesum tree --save a"),
        ("truesum hash --check SHA256SUMS", "truesum check SHA256SUMS"),
        ("truesum hash --md5 a", "truesum hash -a md5 a"),
        ("truesum find-duplicates d", "truesum duplicates d"),
        (
            "truesum guess 900150983cd24fb0d6963f7d28e17f72",
            "truesum identify 900150983cd24fb0d6963f7d28e17f72",
        ),
        ("truesum check --sha256 SHA256SUMS", "truesum check -a sha256 SHA256SUMS"),
    ] {
        let folder = setup();
        let ran = shell(&folder, guess);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{guess}: {}", ran.err);
        let hint = hint(&ran);
        assert_eq!(hint, expected, "{guess}: {}", ran.err);
        let ran = shell(&folder, &hint);
        // `diff` reports a difference: SHA256SUMS itself is new.
        let code = if hint.contains("diff") { Some(1) } else { Some(0) };
        assert_eq!(ran.code, code, "{hint}: {}", ran.err);
    }
    let folder = setup();
    for (guess, expected) in [
        ("truesum --sign a", "hint: truesum sign SHA256SUMS --key KEY\n"),
        ("truesum repair a b", "hint: truesum tree repair --from b a\n"),
        ("truesum benchmark", "hint: truesum bench limit --quick\n"),
        ("truesum bench disk", "hint: truesum bench limit --quick\n"),
        ("truesum -a bsd-z a", "hint: this is a format: use -t bsd-z\n"),
        ("truesum -t sha256 a", "use -a sha256\n"),
        ("truesum -a part=16M a", "hint: use -a 's3-etag;part=16MiB'\n"),
        ("truesum -a 's3-etag;part=16M' a", "hint: use -a 's3-etag;part=16MiB'\n"),
        ("truesum -a sha256-tree-4MiB a", "hint: use -a 'sha256-tree;leaf=4MiB'\n"),
        ("truesum -a s3-etag-8MiB a", "hint: use -a 's3-etag;part=8MiB'\n"),
        ("truesum -a 's3-etag;part=8M' a", "hint: use -a 's3-etag;part=8MiB'\n"),
        ("truesum -a s3 a", "unknown algorithm 's3' (did you mean 's3-etag', 's3-sha256' or 's3-sha1'?)\n"),
        ("truesum help dupes", "hint: truesum help duplicates\n"),
        ("truesum help create", "hint: truesum help hash\n"),
        ("truesum help fix", "hint: truesum help tree repair\n"),
        ("truesum help md5sum", "hint: truesum list algorithms md5\n"),
        ("truesum help chekc", "hint: truesum help check\n"),
        ("truesum help nothing", "hint: truesum --help lists the commands\n"),
        (
            "truesum list --config FILE",
            "hint: to use other settings, set an environment variable: TRUESUM_CONFIG=FILE truesum ...\n",
        ),
        ("truesum chekc SHA256SUMS", "hint: a similar command is check\n"),
        ("truesum find --duplicates d", "hint: truesum duplicates d\n"),
        ("truesum repair f --from c", "hint: truesum tree repair f --from c\n"),
        // Regression: the copy and the damaged file were exchanged.
        ("truesum repair --from c f", "hint: truesum tree repair --from c f\n"),
        ("truesum repair --from=c f", "hint: truesum tree repair --from=c f\n"),
        (
            "truesum torrent --tracker URL d",
            "hint: truesum torrent create --announce URL -o FILE.torrent PATH\n",
        ),
        (
            "truesum torrent create -o x d --tracker URL",
            "hint: truesum torrent create -o x d --announce URL\n",
        ),
        // Options of RHash and cfv.
        (
            "truesum hash --maxdepth=2 d",
            "hint: find DIR -maxdepth N -type f -print0 | truesum hash --files0-from -\n",
        ),
        (
            "truesum hash --bt-private d",
            "hint: truesum torrent create --private --announce URL -o FILE PATH\n",
        ),
        ("truesum check --strippaths=1 a.md5", "hint: truesum check --search --moved=ok MANIFEST\n"),
        ("truesum check --limit=1G SHA256SUMS", "hint: truesum check --max-bytes=1G SHA256SUMS\n"),
        ("truesum check --bwlimit 1G SHA256SUMS", "hint: truesum check --max-bytes 1G SHA256SUMS\n"),
        ("truesum check -p key SHA256SUMS", "hint: truesum check --pubkey key SHA256SUMS\n"),
        ("truesum convert IN OUT", "hint: truesum convert IN -o OUT\n"),
        ("truesum tree verfy a", "hint: a similar command is verify\n"),
        // regression: these printed the help of tree.
        ("truesum tree create --help", "tree create: no such subcommand\nhint: truesum tree --save FILE\n"),
        (
            "truesum tree diff -h",
            "tree diff: no such subcommand\nhint: truesum tree --help lists the subcommands\n",
        ),
        ("truesum check --exatc SHA256SUMS", "hint: a similar option is --exact\n"),
        // regression: a group of letters with an `h` printed the help and succeeded.
        (
            "truesum hash -hmac key a",
            "hash: unknown option -hmac\nhint: truesum hash -a hmac-sha256 --key-file KEY FILE\n",
        ),
        (
            "truesum -hashfile a SHA256",
            "hash: unknown option -hashfile\nhint: truesum hash -a ALGORITHM FILE\n",
        ),
        (
            "truesum check -qhs SHA256SUMS",
            "check: unknown option -qhs\nhint: truesum check --help-all lists the options\n",
        ),
        ("truesum hash -f a", "hint: truesum hash --files-from a\n"),
        ("truesum check --skip-ok SHA256SUMS", "hint: truesum check --quiet SHA256SUMS\n"),
        ("truesum check --ignore-case SHA256SUMS", "hint: truesum check --match-case=no SHA256SUMS\n"),
        ("truesum hash --num-threads 2 a", "hint: truesum hash --jobs 2 a\n"),
        ("truesum hash --binary a", "hint: truesum hash a\n"),
        // regression: the hint did not name an algorithm that has a context.
        ("truesum hash --derive-key c a", "hint: truesum hash -a blake3 --customization CONTEXT FILE\n"),
        (
            "truesum check --nothing SHA256SUMS",
            "check: unknown option --nothing\nhint: truesum check --help-all lists the options\n",
        ),
    ] {
        let ran = shell(&folder, guess);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{guess}: {}", ran.err);
        assert!(ran.err.ends_with(expected), "{guess}: {}", ran.err);
        assert_eq!(ran.err.matches("hint: ").count(), usize::from(expected.contains("hint")), "{}", ran.err);
    }
    assert_eq!(shell(&folder, "truesum verify SHA256SUMS").code, Some(0));
    // The repair suggested by the hint, with a stored tree.
    let big = "x".repeat(100_000);
    folder.write("a", &big);
    folder.write("b", &big);
    assert_eq!(shell(&folder, "truesum tree --save a").code, Some(0));
    folder.write("a", format!("y{}", &big[1..]));
    let ran = shell(&folder, &hint(&shell(&folder, "truesum repair a b")));
    assert_eq!((ran.code, folder.read("a")), (Some(0), big.clone().into_bytes()), "{}", ran.err);
    // regression: without a stored tree, the hint suggested storing that of the damaged file, which was then reported
    // as intact.
    std::fs::remove_file(folder.path("a.ftr")).unwrap();
    folder.write("a", format!("y{}", &big[1..]));
    let ran = shell(&folder, &hint(&shell(&folder, "truesum tree repair --from b a")));
    assert_eq!((ran.code, folder.read("a")), (Some(0), big.into_bytes()), "{}", ran.err);
}

#[test]
fn folder_after_a_manifest_suggests_root() {
    let folder = setup();
    let ran = folder.run(&["check", "SHA256SUMS", "d"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("hint: if the files are in d: truesum check --root d SHA256SUMS"),
        "{}",
        ran.err
    );
}

#[test]
fn truncated_digest_gets_a_hint() {
    let folder = setup();
    let ran = folder.run(&["check", &ABC[..61], "a"]);
    let hint = "hint: copy the complete digest: MD5 has 32 digits, SHA-1 40, SHA-256 64, SHA-512 128\n";
    assert!(ran.code == Some(2) && ran.err.ends_with(hint), "{}", ran.err);
}

#[test]
fn digest_and_files_are_accepted_in_either_order() {
    let folder = setup();
    let note = format!("truesum: note: expected digest: sha256 {ABC}\n");
    let named = format!("sha256:{ABC}");
    for words in [&["check", ABC, "a"][..], &["check", "a", ABC], &["check", &named, "a"], &["-c", ABC, "a"]]
    {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(&note), "{words:?}: {}", ran.err);
    }
    let sri = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    assert_eq!(folder.run(&["check", sri, "a"]).code, Some(0));
    let ran = folder.run(&["check", ABC, "a", "d/a"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\nd/a: OK\n"), "{}", ran.err);
    let ran = folder.run(&["check", ABC, "a", "b"]);
    assert!(ran.code == Some(1) && ran.out().contains("b: FAILED"), "{}", ran.out());
    assert_eq!(folder.run(&["check", "-a", "md5", "900150983cd24fb0d6963f7d28e17f72", "a"]).code, Some(0));
    assert_eq!(folder.run(&["check", ABC, "gone"]).code, Some(1));
    for (words, said) in [
        (&["check", ABC][..], "a digest was given without a file to compare with it"),
        (&["check", ABC, EMPTY, "a"], "2 digests were given"),
        (&["check", "--root", "d", ABC, "a"], "--root: cannot be combined with a digest argument"),
        (&["check", "--exact", ABC, "a"], "--exact: cannot be combined with a digest argument"),
        (&["check", &ABC[..40], &ABC[..20], "a"], "digests were given"),
        (&["check", "ba7816bf...", "a"], "check: the digest is abbreviated"),
        (&["check", "--expect", "ba7816bf...", "a"], "--expect: the digest is abbreviated"),
    ] {
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    let typed = ABC.replacen('0', "O", 1);
    let at = typed.find('O').unwrap() + 1;
    for words in [&["check", &typed, "a"][..], &["check", "--expect", &typed, "a"]] {
        let ran = folder.run(words);
        let said = format!(
            "character {at} of the digest is the letter O, which is not a hexadecimal digit\n\
                            hint: if a digit was meant, the corrected digest is {ABC}\n"
        );
        assert!(ran.code == Some(2) && ran.err.ends_with(&said), "{words:?}: {}", ran.err);
    }
    // If a file has this name, it is used as a file, and nothing is compared with the digest.
    folder.write(ABC, "abc");
    assert_eq!(folder.run(&["check", ABC, "a"]).code, Some(2));
    let ran = folder.run(&[&typed, "a"]);
    assert_eq!(hint(&ran), format!("truesum check {typed} a"));
}

#[test]
fn files_after_a_manifest_select_its_entries() {
    let folder = setup();
    let ran = folder.run(&["check", "SHA256SUMS", "a"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{}", ran.err);
    assert!(ran.err.contains("selected: 1 of 2 entries"), "{}", ran.err);
    for words in [&["check", "d/SHA256SUMS", "d/a"][..], &["check", "d/SHA256SUMS", "./d/a"]] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{words:?}: {}", ran.err);
    }
    let ran = folder.run(&["check", "--root", "d", "SHA256SUMS", "d/a"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{}", ran.err);
    // Another file with the same name does not match the entry.
    let ran = folder.run(&["check", "d/SHA256SUMS", "a"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains("truesum: ../a: not in d/SHA256SUMS\n"), "{}", ran.err);
    let ran = folder.run(&["check", "SHA256SUMS", "a", "nope"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(1), "a: OK\n"), "{}", ran.err);
    assert!(
        ran.err.contains("truesum: nope: not in SHA256SUMS\n") && !ran.err.contains("required"),
        "{}",
        ran.err
    );
    std::fs::remove_file(folder.path("b")).unwrap();
    for words in [&["check", "SHA256SUMS", "b"][..], &["check", "--ignore-missing", "SHA256SUMS", "b"]] {
        assert_eq!(folder.run(words).code, Some(1), "{words:?}");
    }
    // A name with wildcard characters is still a name.
    folder.write("[a]", "abc");
    assert_eq!(folder.run(&["check", "SHA256SUMS", "[a]"]).code, Some(1));
    // Manifests with names as printed by find.
    folder.write("M", lines(&[(ABC, "./a"), (EMPTY, "./b")]));
    assert_eq!(folder.run(&["check", "M", "a"]).code, Some(0));
    // An archive is not a manifest, and a manifest may be an entry of another one.
    folder.write("x.tar.gz", "\x1f\u{8b}\x08");
    folder.write(
        "list.json",
        format!("{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"digests\":{{\"sha256\":\"{ABC}\"}}}}\n"),
    );
    folder.run(&["-o", "all.sha256", "x.tar.gz", "list.json"]);
    let ran = folder.run(&["check", "all.sha256", "x.tar.gz"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "x.tar.gz: OK\n"), "{}", ran.err);
    let ran = folder.run(&["check", "all.sha256", "list.json"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "list.json: OK\n"), "{}", ran.err);
    folder.write("list.sha256", lines(&[(ABC, "a")]));
    folder.run(&["-o", "all.sha256", "list.sha256"]);
    let ran = folder.run(&["check", "all.sha256", "list.sha256"]);
    let note = "note: list.sha256 is checked as a manifest; to verify it as a file: truesum check --only list.sha256 all.sha256\n";
    assert!(ran.code == Some(0) && ran.err.contains(note), "{}", ran.err);
    // A second manifest is used as a manifest, and the names are relative to the current folder.
    folder.write("b", "");
    let ran = folder.run(&["check", "SHA256SUMS", "d/SHA256SUMS"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\nb: OK\nd/a: OK\nd/b: OK\n"), "{}", ran.err);
}

#[test]
fn long_manifest_for_one_download_suggests_ignore_missing() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("SHA256SUMS", lines(&[(ABC, "a"), (ABC, "b"), (ABC, "c"), (ABC, "d")]));
    let ran = folder.run(&["check", "SHA256SUMS"]);
    let hint = "hint: to skip files that do not exist: truesum check --ignore-missing SHA256SUMS; to check one file: truesum check SHA256SUMS FILE\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["check", "--ignore-missing", "SHA256SUMS"]).code, Some(0));
    assert_eq!(folder.run(&["check", "SHA256SUMS", "a"]).code, Some(0));
    folder.write("sums", "16556     1 a\n");
    let ran = folder.run(&["check", "sums"]);
    assert!(
        ran.err.contains(
            "hint: these lines look like the output of sum; to check them: truesum check -a bsd sums\n"
        ),
        "{}",
        ran.err
    );
    // regression: the message for cksum, whose checksums have 8 or 10 digits, was only that they are not hexadecimal.
    for text in ["1219131554 3 a\n", "1219131554\t3\ta\n", "12345678 3 b\n1219131554 3 a\n"] {
        folder.write("sums", text);
        let ran = folder.run(&["check", "sums"]);
        let hint =
            "hint: these lines look like the output of cksum; to check them: truesum check -a crc sums\n";
        assert!(ran.code != Some(0) && ran.err.contains(hint), "{text}: {}", ran.err);
    }
    folder.write("sums", "1219131554 3 a\n");
    assert_eq!(folder.run(&["check", "-a", "crc", "sums"]).code, Some(0));
}

#[test]
fn missing_file_next_to_an_unlisted_one_suggests_a_search() {
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("M.sha256", "")]);
    folder.write("M.sha256", lines(&[(ABC, "a"), (EMPTY, "b")]));
    std::fs::rename(folder.path("a"), folder.path("new name")).unwrap();
    for exact in [&[][..], &["--exact"]] {
        let ran = folder.run(&[&["check"], exact, &["M.sha256"]].concat());
        let search = [&["check"], exact, &["--search", "--moved=ok", "M.sha256"]].concat();
        let hint = format!("hint: to find the files by size and digest: truesum {}\n", search.join(" "));
        assert_eq!((ran.code, ran.err.matches(&hint).count()), (Some(1), 1), "{}", ran.err);
        let ran = folder.run(&search);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    // There is no other file that the missing one could be.
    std::fs::remove_file(folder.path("new name")).unwrap();
    let ran = folder.run(&["check", "M.sha256"]);
    assert!(ran.code == Some(1) && !ran.err.contains("--search"), "{}", ran.err);
}

#[test]
fn hints_follow_the_lines_they_explain() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", lines(&[(EMPTY, "M"), (ABC, "a")]));
    let ran = shell(&folder, "truesum check M 2>&1");
    let (line, hint) = (ran.out().find("M: FAILED").unwrap(), ran.out().find("hint: ").unwrap());
    assert!(line < hint, "{}", ran.out());
}

#[test]
fn file_after_a_manifest_is_checked_whatever_it_contains() {
    // regression: a download that contains a line in the form of an entry was treated as a manifest, and passed
    // although it was not in the manifest.
    let folder = setup();
    folder.write("evil.sh", lines(&[(ABC, "a")]) + "# anything\n");
    let ran = folder.run(&["check", "SHA256SUMS", "evil.sh"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(1), ""), "{}", ran.err);
    let said = "truesum: evil.sh: not in SHA256SUMS\nhint: evil.sh is itself a manifest; to check its entries: truesum check evil.sh\n";
    assert!(ran.err.contains(said), "{}", ran.err);
    // Names are not patterns.
    folder.write("a1", "abc");
    folder.write("a[1]", "changed");
    folder.write("M.sha256", lines(&[(ABC, "a1"), (ABC, "a[1]")]));
    let ran = folder.run(&["check", "M.sha256", "a[1]"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out().contains("a[1]: FAILED") && !ran.out().contains("a1: OK"), "{}", ran.out());
    let ran = folder.run(&["check", "SHA256SUMS", "*"]);
    assert!(ran.code == Some(1) && ran.err.contains("truesum: *: not in SHA256SUMS\n"), "{}", ran.err);
    // An exact check cannot be combined with a selection.
    assert_eq!(folder.run(&["check", "--exact", "SHA256SUMS", "a"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--exact", "--only", "a", "SHA256SUMS"]).code, Some(2));
}

#[test]
fn argument_errors_have_the_form_of_other_messages() {
    // regression: these messages came from the library that parses the arguments, with its usage text and capital
    // letters.
    let folder = setup();
    for (line, said) in [
        ("audit", "audit: missing argument: MANIFEST\nhint: truesum audit MANIFEST...\n"),
        ("diff", "diff: missing arguments: OLD, NEW\nhint: truesum diff OLD NEW\n"),
        ("find", "find: missing argument: DIGEST... DIR\nhint: truesum find DIGEST... DIR...\n"),
        ("tree leaf x", "tree leaf: missing argument: --range\nhint: truesum tree leaf --range A..B FILE\n"),
        (
            "tree prove a",
            "tree prove: missing argument: --range A..B or --grown-from OLD.ftr\nhint: truesum tree prove --help\n",
        ),
        (
            "shard plan",
            "shard plan: missing argument: --output\nhint: truesum shard plan --output FILE [FILE]...\n",
        ),
        ("install-links a b", "install-links: unexpected argument b\nhint: truesum install-links DIR\n"),
        (
            "hash -a",
            "hash: --algorithm: missing value\nhint: truesum hash --help-all describes --algorithm\n",
        ),
        (
            "hash --color= a",
            "hash: --color: missing value\nhint: truesum hash --help-all describes --color\n",
        ),
        (
            "hash --color blue a",
            "hash: --color: invalid value 'blue' (possible values: auto, always, never)\n",
        ),
        ("hash -jx a", "hash: --jobs: invalid value 'x': not a whole number\n"),
        ("hash --length x a", "hash: --length: invalid value 'x': not a whole number\n"),
        (
            "completions nosuch",
            "completions: SHELL: invalid value 'nosuch' (possible values: bash, zsh, fish, powershell)\n",
        ),
        (
            "convert -t nosuch M",
            "convert: --to: invalid value 'nosuch': unknown format (see truesum list formats)\n",
        ),
        ("check --json --status M", "check: --json cannot be combined with --status\n"),
        ("find --size 3 --manifest M .", "find: --size cannot be combined with --manifest\n"),
        ("hash -o x -o y a", "hash: --output was given more than once\n"),
        ("hash --quiet=yes a", "hash: --quiet takes no value, but 'yes' was given\n"),
    ] {
        let ran = shell(&folder, &format!("truesum {line}"));
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert_eq!(ran.err, format!("truesum: {said}"), "{line}");
    }
}

#[test]
fn second_manifest_of_convert_is_not_named_as_the_output() {
    // regression: the command in the hint replaced that manifest.
    let folder = Folder::with(&[("M", ""), ("N", "")]);
    let ran = folder.run(&["convert", "M", "N"]);
    assert!(ran.code == Some(2) && !ran.err.contains("-o"), "{}", ran.err);
    assert!(folder.run(&["convert", "M", "new"]).err.ends_with("hint: truesum convert M -o new\n"));
}

#[test]
fn help_for_a_command_alias_is_that_of_the_command() {
    // regression: the help of hash was printed.
    let folder = setup();
    let (verify, check) = (folder.run(&["help", "verify"]), folder.run(&["help", "check"]));
    assert!(check.out().contains("Usage: truesum check"), "{}", check.out());
    assert_eq!((verify.code, verify.out()), (Some(0), check.out()));
}

#[test]
fn folder_is_not_a_state_file() {
    let folder = setup();
    let ran = folder.run(&["check", "--state", "d", "SHA256SUMS"]);
    let said = "truesum: --state: d is a folder, not a file\n\
                hint: to store the state file in it: truesum check --state d/check.state SHA256SUMS\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), said));
    assert_eq!(shell(&folder, &hint(&ran)).code, Some(0));
}

#[test]
fn diff_of_two_other_files_suggests_cmp() {
    let folder = setup();
    folder.write("x.iso", b"\0\x01CD001\x01\0\0\0");
    folder.write("y.iso", b"\0\x01CD001\x02\0\0\0");
    for [old, new] in [["a", "b"], ["x.iso", "y.iso"]] {
        let ran = folder.run(&["diff", old, new]);
        let hint = format!("hint: to compare the bytes of two files: cmp {old} {new}\n");
        assert_eq!((ran.code, ran.err.matches("hint: ").count()), (Some(2), 1), "{}", ran.err);
        assert!(ran.err.contains(&hint), "{}", ran.err);
    }
    assert_eq!(folder.run(&["diff", "SHA256SUMS", "d/SHA256SUMS"]).code, Some(0));
}

#[test]
fn hints_use_only_options_of_the_command() {
    // regression: shared advice named options that torrent create and bag check do not have.
    let folder = Folder::with(&[("set/a", "abc"), ("bag/data/a", "abc"), ("outside", "abc"), ("big", "abc")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    std::fs::remove_file(folder.path("bag/data/a")).unwrap();
    std::os::unix::fs::symlink("../../outside", folder.path("bag/data/a")).unwrap();
    folder.pipe("pipe");
    folder.write("x.torrent", "not one");
    for words in [
        &["torrent", "create", "-o", "new.torrent", "pipe"][..],
        &["torrent", "create", "-o", "new.torrent", "none"],
        &["torrent", "create", "-o", "x.torrent", "set"],
        &["torrent", "check", "x.torrent", "none"],
        &["bag", "check", "bag"],
        &["bag", "check", "set"],
        &["bag", "update", "bag"],
        &["bag", "update", "--refresh", "bag"],
        &["bag", "create", "set"],
        &["embed", "add", "pipe"],
        &["embed", "check", "set"],
        &["duplicates", "pipe"],
        &["directory", "pipe"],
        &["check", "--status", "none"],
    ] {
        let ran = folder.run(words);
        assert_ne!(ran.code, Some(0), "{words:?}: {}", ran.err);
        let path = &words[..if ["torrent", "bag", "embed"].contains(&words[0]) { 2 } else { 1 }];
        let help = |path: &[&str]| folder.run(&[path, &["--help-all"]].concat()).out();
        for hint in ran.err.lines().filter_map(|line| line.strip_prefix("hint: ")) {
            // A command in a hint is checked with its own options.
            let (own, other) = hint.split_once("truesum ").unwrap_or((hint, ""));
            let named = |text: &str| -> Vec<String> {
                let options = text.split(' ').filter(|word| word.starts_with("--"));
                options.map(|word| word.split(['=', ',', ';']).next().unwrap().to_owned()).collect()
            };
            for option in named(own) {
                assert!(
                    help(path).contains(&format!("{option} "))
                        || help(path).contains(&format!("{option}\n"))
                        || help(path).contains(&format!("{option}[")),
                    "{words:?}: {hint}"
                );
            }
            let other: Vec<&str> =
                other.split(' ').take_while(|word| word.bytes().all(|b| b.is_ascii_lowercase())).collect();
            let is_group = other.first().is_some_and(|first| ["torrent", "bag", "embed"].contains(first));
            let other = &other[..other.len().min(if is_group { 2 } else { 1 })];
            for option in named(&hint[own.len()..]).iter().filter(|_| !other.is_empty()) {
                assert!(help(other).contains(option.as_str()), "{words:?}: {hint}");
            }
        }
    }
}

#[test]
fn hints_keep_options_and_protect_names_like_options() {
    // regression: a manifest named -S was printed as it is, and --exclude was dropped.
    let folder = Folder::with(&[("a", "abc"), ("z", "bad")]);
    folder.write("-S", lines(&[(ABC, "a"), (ABC, "b"), (ABC, "c"), (ABC, "z")]));
    let ran = shell(&folder, "truesum check --exclude=z -q -- -S");
    let expected = "truesum check --exclude=z -q --ignore-missing ./-S; \
                    to check one file: truesum check --exclude=z -q ./-S FILE";
    assert_eq!(hint(&ran), expected, "{}", ran.err);
    let ran = shell(&folder, expected.split(';').next().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn damaged_etag_is_recognized_as_one() {
    // regression: an ETag with a wrong letter was reported as a file that does not exist, and f as a bad manifest.
    let folder = Folder::with(&[("f", "abc")]);
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    for (text, why) in [
        (format!("{}z-2", &md5[..31]), "'z' is not a hexadecimal digit"),
        (format!("{}-1", &md5[..31]), "it has 31 hexadecimal digits instead of 32"),
        (format!("\"{md5}0-12\""), "it has 33 hexadecimal digits instead of 32"),
        (format!("{md5}-0"), "'0' is not a valid number of parts"),
        (format!("s3-etag:{md5}-x"), "'x' is not a valid number of parts"),
    ] {
        for words in [&["check", "f", &text][..], &["check", &text, "f"]] {
            let ran = folder.run(words);
            assert!(ran.code == Some(2) && ran.err.contains(why), "{text}: {}", ran.err);
            assert!(ran.err.contains("not an ETag of a multipart upload"), "{text}: {}", ran.err);
        }
    }
    let ran = folder.run(&["check", "f", &format!("{md5}-1")]);
    assert!(
        ran.code == Some(1) && ran.err.contains("hint: the digest is the ETag of an upload in 1 part; "),
        "{}",
        ran.err
    );
}

/// Returns the command lines to try for a hint to a failed one: commands in the hint without placeholders, and the failed
/// one with each option that the hint names.
fn hinted(failed: &str, hint: &str) -> Vec<String> {
    let is_placeholder = |word: &str| {
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || b".,".contains(&byte))
    };
    let mut lines = Vec::new();
    for part in hint.split([';', ',']) {
        if let Some(at) = part.find("truesum ") {
            let line = part[at..].trim();
            lines.extend((!line.split(' ').any(is_placeholder)).then(|| line.to_owned()));
        } else if let Some((_, option)) = part.split_once("use --") {
            let mut words = option.split(' ');
            let option = words.next().unwrap();
            let is_alone = words.next().is_none_or(|word| !is_placeholder(word));
            lines.extend(is_alone.then(|| format!("{failed} --{option}")));
        }
    }
    lines
}

/// regression: hints named options that could not help: --special for a pipe that is named like a signature or in torrent
/// create, --search for files with piece digests only, and cosign's options hid the hint on a sigstore bundle.
#[test]
fn hinted_command_does_not_fail_in_the_same_way() {
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    let setup = || {
        let folder = Folder::with(&[("f", "abc"), ("d/f", "abc"), ("d/sub/f", "abc"), ("x.json", "{}")]);
        ["M", "S", "d/M"].iter().for_each(|name| folder.write(name, lines(&[(ABC, "f")])));
        folder.write("etags", "900150983cd24fb0d6963f7d28e17f72-1  f\n");
        folder.write("d/up", lines(&[(ABC, "../f")]));
        folder.write("d/up.meta4", format!(
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"../f\"><hash type=\"sha-256\">{ABC}</hash></file></metalink>"
        ));
        let pieces =
            [&b"d4:infod6:lengthi3e4:name4:../f12:piece lengthi16384e6:pieces20:"[..], &[7; 20], b"ee"]
                .concat();
        folder.write("d/up.torrent", pieces);
        folder.write(
            "S.sigstore.json",
            "{\"mediaType\":\"application/vnd.dev.sigstore.bundle.v0.3+json\",\"messageSignature\":{}}",
        );
        std::fs::create_dir(folder.path("empty")).unwrap();
        std::fs::create_dir(folder.path("pipes")).unwrap();
        folder.write("pipes/f", "abc");
        folder.pipe("pipes/p");
        folder.pipe("M.sig");
        folder
    };
    let mut tried = 0;
    for failed in [
        format!("truesum check --pubkey {key} M").as_str(),
        "truesum check S",
        "truesum check etags",
        "truesum check d",
        "truesum check f",
        "truesum check d/up",
        "truesum check d/up.meta4",
        "truesum check d/up.torrent",
        "truesum torrent check d/up.torrent",
        "truesum torrent create -o new.torrent pipes",
        "truesum torrent create -o new.torrent empty",
        "truesum torrent create -o new.torrent none",
        "truesum hash -o new empty",
        "truesum hash -t torrent -o new.torrent empty",
        "truesum hash -o new none f",
        "truesum hash -o x.json f",
        "truesum shard plan -o new none f",
        "truesum bag create d",
        "truesum bag check d",
        "truesum update none",
        "truesum audit none",
        "truesum convert M -t sfv",
        "truesum identify 12",
        "truesum duplicates none",
    ] {
        let run = |line: &str| {
            shell(
                &setup(),
                &format!(
                    "program() {{ timeout 20 '{}' \"$@\"; }}\n{}",
                    env!("CARGO_BIN_EXE_truesum"),
                    line.replacen("truesum ", "program ", 1)
                ),
            )
        };
        let ran = run(failed);
        let errors = |ran: &RunResult| -> String {
            let is_error =
                |line: &&str| line.starts_with("truesum: ") && !line.starts_with("truesum: note: ");
            ran.out() + &ran.err.lines().filter(is_error).collect::<Vec<_>>().join("\n")
        };
        for hint in ran.err.lines().filter_map(|line| line.strip_prefix("hint: ")) {
            for line in hinted(failed, hint) {
                tried += 1;
                let again = run(&line);
                assert!(
                    again.code != Some(124) && !again.err.contains("unknown option"),
                    "{failed}: {hint}: {}",
                    again.err
                );
                assert!(
                    again.code == Some(0) || errors(&again) != errors(&ran),
                    "{failed}: {hint}: {}",
                    again.err
                );
            }
        }
        if failed == "truesum check S" {
            assert!(ran.err.contains("cosign verify-blob --bundle S.sigstore.json "), "{}", ran.err);
        }
    }
    assert!(tried >= 10, "only {tried} hints");
}

#[test]
fn bag_of_a_copy_is_explained() {
    let ran = Folder::new().run(&["bag", "create", "d", "-o", "b"]);
    assert!(ran.err.ends_with("copy it first: cp -a DIR BAG\n"), "{}", ran.err);
}

#[test]
fn algorithm_of_lines_without_one_is_suggested() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("large", noise(3 << 20));
    let digest = |algorithm: &str, name: &str| {
        folder.run(&["hash", "--format-string", &format!("%{{{algorithm}}}  %p\\n"), name]).out()
    };
    // regression: the hint was the list of formats, although xxhsum prints such lines.
    folder.write("list", digest("xxh64", "a"));
    let ran = folder.run(&["check", "list"]);
    assert_eq!(hint(&ran), "truesum check -a xxh64 list", "{}", ran.err);
    assert_eq!(folder.run(&["check", "-a", "xxh64", "list"]).code, Some(0));
    // regression: for files of more than 1 MiB, tree hashes were not among the algorithms that are tried.
    folder.write("list", digest("glacier", "large"));
    let ran = folder.run(&["check", "list"]);
    assert!(ran.err.contains("the glacier digest of the file matches: use -a glacier"), "{}", ran.err);
}
