//! Common mistakes, and the messages that lead on from them.

use crate::program::{ABC, Folder, OTHER, RunResult};
use crate::strace::{can_trace, run};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[test]
fn command_names_of_other_programs_are_understood() {
    let folder = Folder::with(&[("a", "abc"), ("verify", "abc"), ("help", "abc")]);
    folder.write("M", format!("{ABC}  a\n"));
    assert_eq!(folder.run(&["verify", "M"]).out(), "a: OK\n", "never a digest of a file called verify");
    assert_eq!(folder.run(&["./verify"]).out(), format!("{ABC}  ./verify\n"));
    assert_eq!(folder.run(&["help", "hash"]).out(), folder.run(&["hash", "--help"]).out());
    assert_eq!(folder.run(&["help"]).out(), folder.run(&["--help"]).out());
    assert_eq!(folder.run(&["help", "help"]).out(), folder.run(&["--help"]).out());
    let ran = folder.run(&["help", "nothing"]);
    assert!(ran.code == Some(2) && ran.err.contains("named 'nothing' (topics: exit-status"), "{}", ran.err);
    assert_eq!(folder.run(&["version"]).out(), folder.run(&["--version"]).out());
    folder.write("version", "abc");
    assert_eq!(folder.run(&["version"]).out(), format!("{ABC}  version\n"));
    let ran = folder.run(&["-t", "md5", "version"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("this is an algorithm, not a format: use -a md5"),
        "{}",
        ran.err
    );
}

#[test]
fn every_error_begins_with_the_program_name() {
    let folder = Folder::with(&[("a", "abc")]);
    for words in [
        &["-j", "abc", "a"][..],
        &["hash", "--no-such-option"],
        &["-a", "sha265", "a"],
        &["tree", "verify"],
        &["tree", "-j", "x", "a"],
        &["bench", "nothing"],
        &["list"],
        &["--files-from", "gone"],
        &["gone"],
    ] {
        let ran = folder.run(words);
        assert!(ran.err.starts_with("truesum: "), "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("error:"), "{words:?}: {}", ran.err);
        let colored: RunResult =
            folder.command().args(words).env("CLICOLOR_FORCE", "1").output().unwrap().into();
        assert!(!colored.err.contains("error:"), "{words:?}: {}", colored.err);
    }
    let ran = folder.run(&["-j", "abc", "a"]);
    assert!(ran.err.contains("--jobs: invalid value 'abc': not a whole number"), "{}", ran.err);
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    for words in [&["--help"][..], &["--version"], &["check", "--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(folder.command().args(words).stdout(full).status().unwrap().code(), Some(2), "{words:?}");
    }
}

#[test]
fn unknown_kernel_is_an_error() {
    let folder = Folder::with(&[("a", "abc")]);
    for (name, code) in [("foo", 2), ("portable", 0), ("", 0)] {
        let ran: RunResult = folder.command().arg("a").env("TRUESUM_KERNEL", name).output().unwrap().into();
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.err);
        assert_eq!(ran.out.is_empty(), code != 0);
    }
    let ran: RunResult = folder.command().arg("a").env("TRUESUM_KERNEL", "foo").output().unwrap().into();
    assert!(ran.err.starts_with("truesum: TRUESUM_KERNEL=foo: unknown kernel"), "{}", ran.err);
    // The applets fail with the messages of the original programs.
    let mut command = folder.command();
    let ran: RunResult = command.arg0("md5sum").arg("a").env("TRUESUM_CPU", "foo").output().unwrap().into();
    assert_eq!((ran.code, ran.out.len()), (Some(1), 0), "{}", ran.err);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn cpu_features_can_be_disabled_and_unknown_ones_are_errors() {
    let folder = Folder::with(&[("a", "abc")]);
    let run = |words: &[&str], list: &[u8]| -> RunResult {
        let list: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(list);
        folder.command().args(words).env("TRUESUM_CPU", list).output().unwrap().into()
    };
    for list in ["sse2", "avx2", "avx2,sha", "avx512, sha", ""] {
        let ran = run(&["a"], list.as_bytes());
        assert_eq!((ran.code, ran.out().starts_with(ABC)), (Some(0), true), "{list}: {}", ran.err);
    }
    let kernels = run(&["list", "kernels"], b"sse2");
    let runs = |isa: &str| {
        let (out, of) = (kernels.out(), |line: &&str| line.split_whitespace().nth(1) == Some(isa));
        out.lines().filter(of).all(|line| line.ends_with("runs"))
    };
    assert!(runs("sse2") && runs("portable") && !runs("avx2"), "{}", kernels.out());
    for (list, what) in [
        (&b"foo"[..], "foo: unknown CPU feature foo (known features: sse2,"),
        (b"avx2,,sha", "avx2,,sha: an empty name"),
        (b"\xff", "\u{fffd}: unknown CPU feature"),
    ] {
        let ran = run(&["a"], list);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""));
        assert!(ran.err.starts_with(&format!("truesum: TRUESUM_CPU={what}")), "{}", ran.err);
    }
    let both: RunResult = folder
        .command()
        .arg("a")
        .env("TRUESUM_CPU", "sse2")
        .env("TRUESUM_KERNEL", "avx2")
        .output()
        .unwrap()
        .into();
    assert!(both.err.starts_with("truesum: TRUESUM_KERNEL=avx2: "), "{}", both.err);
}

#[test]
fn manifest_is_read_from_stdin_without_a_dash() {
    let folder = Folder::with(&[("a", "abc")]);
    let manifest = format!("{ABC}  a\n");
    for words in [&["check"][..], &["-c"], &["check", "-"]] {
        let ran = folder.feed(words, manifest.as_bytes());
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{words:?}: {}", ran.err);
    }
    assert_eq!(folder.feed(&["check"], b"").code, Some(2), "nothing is nothing verified");
    assert_eq!(folder.feed(&["check", "--expect", ABC], b"abc").out(), "-: OK\n");
    let ran = on_terminal(&folder, "check");
    assert!(ran.out().contains("check: no manifest given"), "{}", ran.out());
}

#[test]
fn digest_is_accepted_with_its_copied_line() {
    let folder = Folder::with(&[("disk.iso", "abc"), ("b3", "abc")]);
    for (line, note) in [
        (format!("{ABC}  disk.iso"), ""),
        (format!("{ABC} *disk.iso\n"), ""),
        (format!("SHA256 (disk.iso) = {ABC}"), ""),
        (format!("{ABC}  /home/us/disk.iso"), ""),
        (format!("{ABC}  C:other.iso"), "the specified checksum line is for the file C:other.iso"),
    ] {
        let ran = folder.run(&["check", "--expect", &line, "disk.iso"]);
        assert_eq!((ran.out().as_str(), ran.code), ("disk.iso: OK\n", Some(0)), "{line}: {}", ran.err);
        assert_eq!(ran.err.contains("the specified checksum line"), !note.is_empty(), "{line}: {}", ran.err);
        assert!(ran.err.contains(note), "{line}: {}", ran.err);
    }
    let other = folder.run(&["hash", "--tag", "-a", "blake3", "b3"]).out();
    assert_eq!(folder.run(&["check", "--expect", &other, "b3"]).code, Some(0), "the tag tells the algorithm");
    for line in [format!("{}  a", &ABC[..40].repeat(2)), "see  below".to_owned()] {
        assert_eq!(folder.run(&["check", "--expect", &line, "disk.iso"]).code, Some(2), "{line}");
    }
}

#[test]
fn non_manifest_is_recognized_before_its_lines_are_read() {
    let folder = Folder::with(&[("SHA256SUMS", "<!DOCTYPE html>\n<h1>404 Not Found</h1>\n")]);
    folder.write(
        "disk.img",
        [b"\x7fELF\x02\0\0\n".as_slice(), b"\n\n\nline\n".repeat(5000).as_slice()].concat(),
    );
    for (name, what) in [("SHA256SUMS", "an HTML page"), ("disk.img", "binary data")] {
        let ran = folder.run(&["check", name]);
        let message = format!(
            "truesum: {name}: not a manifest ({what})\nhint: to compare the file with a digest: truesum check DIGEST {name}\n"
        );
        assert!(ran.code == Some(2) && ran.err.starts_with(&message), "{}", ran.err);
        assert!(ran.err.lines().count() <= 3, "{}", ran.err);
        assert_eq!(folder.feed(&["check"], &folder.read(name)).code, Some(2));
    }
}

#[test]
fn compressed_files_are_reported_with_an_unpack_command() {
    // regression: "this is compressed with bzip2, lz4, zip or 7z", and "byte 0: the data compressed with gzip is binary".
    let folder = Folder::new();
    let rest = [7; 60];
    for (head, message) in [
        (
            &b"BZh91AY&SY"[..],
            "this file is compressed with bzip2 (not supported); unpack it first: bzip2 -dc FILE",
        ),
        (
            b"\x04\x22\x4d\x18",
            "this file is compressed with lz4 (not supported); unpack it first: lz4 -dc FILE",
        ),
        (b"PK\x03\x04", "this is a zip archive (not supported); unpack it first: unzip -p FILE"),
        (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive (not supported); unpack it first: 7z e -so FILE"),
    ] {
        folder.write("M", [head, &rest].concat());
        let ran = folder.run(&["check", "-q", "M"]);
        assert!(
            ran.err.starts_with(&format!("truesum: M: cannot read: {message} | truesum check -\n")),
            "{}",
            ran.err
        );
    }
    let pack = format!("head -c 3000 '{}' | gzip > M.gz", env!("CARGO_BIN_EXE_truesum"));
    Command::new("sh").args(["-c", &pack]).current_dir(folder.root()).status().expect("a shell");
    let ran = folder.run(&["check", "M.gz"]);
    let message = "truesum: M.gz: not a manifest (binary data compressed with gzip)\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
}

#[test]
fn options_are_named_as_typed() {
    // regression: --no-progress was called --progress in messages.
    let folder = Folder::with(&[("a", "abc")]);
    for (words, message) in [
        (&["tree", "--no-progress", "a"][..], "tree: unknown option --no-progress"),
        (
            &["hash", "--no-progress", "--progress", "auto", "a"],
            "hash: --no-progress cannot be combined with --progress",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.err.lines().next(), ran.code), (Some(&format!("truesum: {message}")[..]), Some(2)));
    }
    assert_eq!(folder.run(&["--no-progress", "hash", "a", "--no-progress"]).code, Some(0));
    // regression: --partial was suggested for torrents, which refuse it.
    let ran = folder.run(&["hash", "-t", "torrent", "-o", "x.torrent", "gone"]);
    assert!(ran.code == Some(1) && !ran.err.contains("--partial"), "{}", ran.err);
}

#[test]
fn written_files_are_reported_on_a_terminal() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
    let ran = on_terminal(&folder, "hash -o M d");
    assert!(ran.out().contains("truesum: 2 files, 6 B, listed in M"), "{}", ran.out());
    assert!(!on_terminal(&folder, "hash -q -o M d").out().contains("listed"));
    assert_eq!(folder.run(&["hash", "-o", "M", "d"]).err, "", "nothing where nobody looks");
    let ran = on_terminal(&folder, "tree --save d/a");
    assert!(ran.out().contains("truesum: tree of d/a stored in d/a.ftr"), "{}", ran.out());
    assert_eq!(folder.run(&["tree", "--save", "d/a"]).err, "");
}

#[test]
fn torrent_is_not_written_to_a_terminal() {
    let folder = Folder::with(&[("a", "abc")]);
    for words in ["torrent create a", "hash -t torrent a"] {
        let ran = on_terminal(&folder, words);
        assert!(ran.out().contains("a torrent is binary and is not written to a terminal"), "{}", ran.out());
        assert!(ran.out().contains("truesum torrent create -o FILE.torrent PATH"), "{}", ran.out());
    }
    let ran = folder.run(&["torrent", "create", "a"]);
    assert!(ran.code == Some(0) && ran.out.starts_with(b"d4:info"), "{}", ran.err);
}

/// Runs the program with all three standard streams connected to a terminal; `out` has everything that it prints.
fn on_terminal(folder: &Folder, words: &str) -> RunResult {
    let command = format!("{} {words}", env!("CARGO_BIN_EXE_truesum"));
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder.root())
        .stdin(std::process::Stdio::null());
    script.output().expect("script of util-linux").into()
}

#[test]
fn file_in_place_of_a_manifest_is_explained_by_what_is_next_to_it() {
    // regression: the hint was to specify a digest.
    let folder = Folder::with(&[
        ("a.bin", "a\0b"),
        ("b.bin", "a\0b"),
        (
            "b.bin.minisig",
            "untrusted comment: signature\nRUQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=\n",
        ),
    ]);
    assert_eq!(folder.run(&["tree", "--save", "a.bin"]).code, Some(0));
    for (name, hint) in [
        ("a.bin", "to verify the file with its stored tree: truesum tree verify a.bin\n"),
        (
            "b.bin",
            "to verify the detached signature of the file: truesum check --pubkey KEY.pub b.bin.minisig\n",
        ),
    ] {
        let ran = folder.run(&["check", name]);
        assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    }
    assert_eq!(folder.run(&["tree", "verify", "a.bin"]).code, Some(0));
}

#[cfg(feature = "bench")]
#[test]
fn name_of_an_algorithm_is_no_benchmark() {
    let folder = Folder::new();
    let ran = folder.run(&["bench", "sha256"]);
    assert!(ran.err.contains("hint: truesum bench algorithms -a sha256\n"), "{}", ran.err);
}

#[test]
fn files_in_a_subfolder_and_copies_elsewhere_are_found_with_root() {
    // regression: there was no hint for a list of the files in a subfolder, or for a file with the name of an entry.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let folder = Folder::with(&[("l.sha256", &format!("{ABC}  a\n")), ("d/a", "abc"), ("e/f/a", "abc")]);
    let ran = folder.run(&["check", "l.sha256"]);
    assert!(ran.code == Some(1) && ran.err.contains(": truesum check --root d l.sha256\n"), "{}", ran.err);
    let ran = folder.run(&["check", "l.sha256", "e/f/a"]);
    assert!(ran.code != Some(0) && ran.err.contains(": truesum check --root e/f l.sha256\n"), "{}", ran.err);
    assert_eq!(folder.run(&["check", "--root", "e/f", "l.sha256"]).code, Some(0));
}

#[test]
fn names_and_manifests_in_place_of_those_of_scrub_are_explained() {
    // regression: neither error had a hint.
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", "")]);
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--forget", "d/a", "d"]);
    let hint = "hint: names are relative to d: truesum scrub --forget a d\n";
    assert!(ran.code == Some(2) && ran.err.ends_with(hint), "{}", ran.err);
    let ran = folder.run(&["scrub", "d/SHA256SUMS"]);
    assert!(ran.code == Some(2) && ran.err.contains(": truesum scrub --manifests d; "), "{}", ran.err);
    assert!(ran.err.ends_with(": truesum scrub --import d/SHA256SUMS d\n"), "{}", ran.err);
}

#[test]
fn slash_at_the_end_of_a_name_is_explained() {
    // regression: the hint was that the name differs in letter case, and its options did not help.
    let folder = Folder::with(&[("a/1", "abc"), ("M", &format!("{ABC}  a/1/\n"))]);
    let ran = folder.run(&["check", "M"]);
    assert!(ran.code == Some(1) && ran.err.contains("hint: a/1 is a file, but a/1/ is"), "{ran:?}");
}

#[test]
fn pointer_of_git_lfs_is_recognized_in_place_of_the_content() {
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{ABC}\nsize 3\n");
    let folder =
        Folder::with(&[("f", &pointer), ("M", &format!("{ABC}  f\n")), ("N", &format!("{OTHER}  f\n"))]);
    for (manifest, what) in [("M", "content"), ("N", "other content")] {
        let ran = folder.run(&["check", manifest]);
        let hint = format!("hint: f is a Git LFS pointer to {what}; to download the content: git lfs pull\n");
        assert!(ran.code == Some(1) && ran.err.contains(&hint), "{ran:?}");
    }
}

#[test]
fn damaged_file_given_as_its_own_copy_is_named_as_the_cause() {
    // regression: the file was open for writing, so reading it as the copy reported another program that writes to it.
    let folder = Folder::with(&[("f", "abc")]);
    assert_eq!(folder.run(&["tree", "--save", "f"]).code, Some(0));
    folder.write("f", "abX");
    std::fs::hard_link(folder.path("f"), folder.path("h")).unwrap();
    symlink("f", folder.path("s")).unwrap();
    for copy in ["f", "./f", "h", "s"] {
        for dry_run in [&[][..], &["--dry-run"]] {
            let ran = folder.run(&[&["tree", "repair", "--from", copy, "f.ftr"], dry_run].concat());
            let why = "0 3 cannot be repaired: the copy is the damaged file itself\n";
            assert_eq!((ran.out(), ran.code), (why.to_owned(), Some(1)), "{copy}: {}", ran.err);
        }
    }
    assert_eq!(folder.read("f"), b"abX");
}

#[test]
#[cfg(not(truesum_fs = "portable"))] // which follows no links in checks
fn link_beside_its_target_is_not_called_outside_when_a_bag_is_created_in_place() {
    // regression: the target was called outside of the payload, because it was not yet in the folder data.
    let folder = Folder::with(&[("bag/a", "abc"), ("outside", "")]);
    symlink("a", folder.path("bag/l")).unwrap();
    let ran = folder.run(&["bag", "create", "--in-place", "bag"]);
    let why = "truesum: bag/l: cannot be in a bag: it is a symbolic link (replace it with a copy of its target, or move \
               the files to a subfolder named data and use --follow without --in-place)\n";
    assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
    symlink("../outside", folder.path("bag/o")).unwrap();
    let ran = folder.run(&["bag", "create", "--in-place", "bag"]);
    assert!(
        ran.err.contains("bag/o: cannot be in a bag: it is a symbolic link whose target is outside"),
        "{}",
        ran.err
    );
    std::fs::remove_file(folder.path("bag/o")).unwrap();
    // What the message advises works.
    std::fs::create_dir(folder.path("bag/data")).unwrap();
    for name in ["a", "l"] {
        std::fs::rename(folder.path(format!("bag/{name}")), folder.path(format!("bag/data/{name}"))).unwrap();
    }
    assert_eq!(folder.run(&["bag", "create", "--follow", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "check", "bag"]).code, Some(0));
}

#[test]
fn folder_without_a_payload_is_made_a_bag_by_the_command_in_the_hint() {
    // regression: without --in-place, the command in the hint of an update failed.
    for command in ["update", "check"] {
        let folder = Folder::with(&[("plain/a", "abc")]);
        let ran = folder.run(&["bag", command, "plain"]);
        assert!(
            ran.err.ends_with("hint: to make it a bag: truesum bag create --in-place plain\n"),
            "{}",
            ran.err
        );
        assert_eq!(folder.run(&["bag", "create", "--in-place", "plain"]).code, Some(0));
    }
}

#[test]
fn output_is_named_as_specified_if_it_cannot_be_written() {
    // regression: messages named the absolute path of the output.
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", format!("{ABC}  a\n"));
    std::fs::create_dir(folder.path("M.minisig")).unwrap();
    for words in [&["hash", "-o", "M.minisig", "a"][..], &["sign", "--key", "key", "M"]] {
        let ran = folder.run(words);
        let message = "truesum: M.minisig: cannot write: it is a directory\n";
        assert!(ran.code == Some(2) && ran.err.starts_with(message), "{words:?}: {}", ran.err);
    }
}

#[test]
fn full_disk_is_reported_alike_when_a_bag_is_created() {
    // regression: the message had neither an action nor the words of other commands, but an error number.
    if !can_trace() {
        return;
    }
    let folder = Folder::with(&[("bag/data/a", "abc")]);
    let injection = ["-e", "trace=write", "-e", "inject=write:error=ENOSPC:when=1"];
    let ran = RunResult::from(run(folder.root(), &injection, &["bag", "create", "bag"]));
    let message = "truesum: bag/manifest-sha512.txt: cannot write: No space left on device\n";
    assert_eq!((ran.err.as_str(), ran.code), (message, Some(2)));
}

#[test]
fn structure_errors_of_a_bag_are_json_objects() {
    // regression: the JSON output had only their number.
    let folder = Folder::with(&[("bag/data/a", "abc")]);
    assert_eq!(folder.run(&["bag", "create", "bag"]).code, Some(0));
    folder.write("bag/data/extra", "x");
    let ran = folder.run(&["bag", "check", "--json", "bag"]);
    let extra = "{\"schema\":\"truesum-check/1\",\"kind\":\"failed\",\"path\":\"bag/data/extra\",\"reason\":\
                 \"cannot verify: it is in the payload but not in manifest-sha512.txt\"}\n";
    let oxum =
        "\"kind\":\"failed\",\"path\":\"bag/bag-info.txt\",\"reason\":\"cannot verify: Payload-Oxum is 3.1";
    let out = ran.out();
    assert!(ran.code == Some(1) && out.contains(extra) && out.contains(oxum), "{out}");
    std::fs::remove_file(folder.path("bag/manifest-sha512.txt")).unwrap();
    let out = folder.run(&["bag", "check", "--json", "bag"]).out();
    assert!(
        out.contains(
            "\"kind\":\"failed\",\"path\":\"bag\",\"reason\":\"cannot verify: the bag has no payload"
        ),
        "{out}"
    );
}

#[test]
fn lines_of_sum_are_checked_by_the_command_in_the_hint() {
    // regression: the hint claimed that such lines cannot be checked.
    for (algorithm, line) in [("bsd", "16556     1 a\n"), ("sysv", "294 1 a\n")] {
        let folder = Folder::with(&[("a", "abc"), ("sums", line)]);
        let ran = folder.run(&["check", "sums"]);
        let hint = format!(
            "hint: these lines look like the output of sum; to check them: truesum check -a {algorithm} sums\n"
        );
        assert!(ran.code == Some(2) && ran.err.contains(&hint), "{}", ran.err);
        let ran = folder.run(&["check", "-a", algorithm, "sums"]);
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    }
}

#[test]
fn several_names_in_other_cases_are_reported_with_the_missing_file() {
    // regression: the file was only MISSING, although two files could be meant.
    let folder = Folder::with(&[("README", "abc"), ("readme", "abc")]);
    if folder.entries().len() < 2 {
        return; // The file system ignores case.
    }
    folder.write("S", format!("{ABC}  ReadMe\n"));
    for options in [&[][..], &["--match-case=no"]] {
        let ran = folder.run(&[&["check"], options, &["S"]].concat());
        let hint = "hint: the names of several files differ from ReadMe only in letter case or Unicode normalization \
                    (README, readme), so none is accepted; rename the right one to ReadMe\n";
        assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    }
}

#[test]
fn option_that_excludes_all_lines_is_named_as_the_reason() {
    // regression: the manifest was called empty, with a hint on the supported formats.
    let folder = Folder::with(&[("a", "abc"), ("key", "k")]);
    folder.write("S", format!("{ABC}  a\n"));
    for (options, why) in [
        (&["-a", "sha1"][..], "no line has a digest of the algorithm specified with --algorithm"),
        (&["--key-file", "key"], "no line has a keyed digest, although a key was specified"),
        (&["-t", "sfv"], "no line is in the format specified with --format"),
    ] {
        let ran = folder.run(&[&["check"], options, &["S"]].concat());
        let message = format!(
            "truesum: S: nothing verified: {why}\nhint: to check the digests that it contains: truesum check S\n"
        );
        assert!(ran.code == Some(2) && ran.err.contains(&message), "{options:?}: {}", ran.err);
    }
    std::fs::create_dir(folder.path("e")).unwrap();
    std::fs::create_dir(folder.path("f")).unwrap();
    let ran = folder.run(&["diff", "e", "f"]);
    assert_eq!(
        (ran.err.as_str(), ran.code),
        ("truesum: nothing to compare: the folders contain no files\n", Some(2))
    );
}

#[test]
fn name_without_an_entry_is_an_error_with_status() {
    // regression: nothing was printed, although --status suppresses only the results.
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("S", format!("{ABC}  a\n"));
    let ran = folder.run(&["check", "--status", "S", "nosuch"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(1)));
    assert_eq!(ran.err, "truesum: nosuch: not in S\n");
}

#[test]
fn unwanted_end_of_a_file_is_removed_by_the_command_in_the_hint() {
    // regression: the file was called damaged, and nothing could be repaired, without a next step.
    let folder = Folder::with(&[("f", "abc"), ("copy", "abc")]);
    assert_eq!(folder.run(&["tree", "--save", "f"]).code, Some(0));
    folder.write("f", "abc12345");
    let hint = "hint: if the bytes at its end are not wanted, remove them: truncate -s 3 f\n";
    for words in [&["tree", "verify", "f.ftr"][..], &["tree", "repair", "--from", "copy", "f.ftr"]] {
        let ran = folder.run(words);
        assert!(ran.code == Some(1) && ran.err.contains(hint), "{words:?}: {}", ran.err);
    }
    folder.write("f", "abc");
    assert_eq!(folder.run(&["tree", "verify", "f.ftr"]).code, Some(0));
}

#[test]
fn tree_of_a_file_without_appended_data_is_up_to_date() {
    // regression: a nightly run of --append failed whenever nothing had been appended.
    let folder = Folder::new();
    folder.write("f", vec![7; 3 << 20]);
    assert_eq!(folder.run(&["tree", "--save", "f"]).code, Some(0));
    let append = ["tree", "--save", "--append", "f"];
    let ran = folder.run(&append);
    assert!(ran.code == Some(0) && ran.out().starts_with("stored tree of f is up to date: "), "{}", ran.err);
    assert_eq!(folder.run(&["tree", "verify", "f"]).code, Some(0));
    // A file of the same size that was modified may differ anywhere.
    let mut changed = vec![7; 3 << 20];
    changed[0] = 8;
    folder.write("f", changed);
    let ran = folder.run(&append);
    assert!(
        ran.code == Some(2) && ran.err.contains("the file changed since the tree was stored"),
        "{}",
        ran.err
    );
    folder.write("f", "short");
    let ran = folder.run(&append);
    assert!(ran.code == Some(2) && ran.err.contains("the file is shorter"), "{}", ran.err);
}

#[test]
fn list_of_names_with_cr_lf_is_explained() {
    // regression: the carriage return was only visible in the quoted name.
    let folder = Folder::with(&[("a", "abc"), ("list", "a\r\n")]);
    let ran = folder.run(&["hash", "--files-from", "list"]);
    let hint = "hint: the list of names has CR LF line endings, and CR counts as part of a name: remove it with tr -d '\\r' < LIST\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    folder.write("list", "gone\r\n");
    assert!(!folder.run(&["hash", "--files-from", "list"]).err.contains("CR LF"));
}

#[test]
fn duplicates_of_no_files_are_an_error() {
    // regression: a mistyped folder that happened to be empty counted as a folder without duplicates.
    let folder = Folder::new();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let ran = folder.run(&["duplicates", "-q", "empty"]);
    let message = "truesum: nothing to compare: the folders contain no files\n";
    assert_eq!((ran.err.as_str(), ran.code), (message, Some(2)));
}

#[test]
fn option_of_a_format_is_suggested_only_to_commands_with_this_format() {
    // regression: a format of manifests was suggested to tree, which has others.
    let folder = Folder::with(&[("f", "abc")]);
    let ran = folder.run(&["tree", "--json", "f"]);
    assert!(ran.code == Some(2) && !ran.err.contains("-t json"), "{}", ran.err);
    let ran = folder.run(&["tree", "--obao", "f"]);
    assert!(ran.err.contains("hint: truesum tree -t obao f\n") || !ran.err.contains("-t "), "{}", ran.err);
    assert!(folder.run(&["hash", "--sfv", "f"]).err.contains("hint: truesum hash -t sfv f\n"));
}

#[test]
fn words_after_a_help_topic_are_errors() {
    // regression: the help of hash was printed.
    let folder = Folder::new();
    for (words, hint) in [
        (&["signatures", "extra"][..], "signatures"),
        (&["check", "extra"], "check"),
        (&["tree", "verify", "extra"], "tree verify"),
    ] {
        let ran = folder.run(&[&["help"], words].concat());
        let message = format!("truesum: help: unexpected argument extra\nhint: truesum help {hint}\n");
        assert_eq!((ran.out(), ran.err, ran.code), (String::new(), message, Some(2)));
    }
    assert_eq!(folder.run(&["help", "tree", "verify"]).code, Some(0));
}

#[test]
fn folder_in_place_of_a_file_gets_a_command_for_its_files() {
    // regression: tree and sign only reported that it is a directory.
    let folder = Folder::with(&[("d/f", "abc")]);
    let ran = folder.run(&["tree", "--save", "d"]);
    let hint =
        "hint: for each file in the folder: find d -type f ! -name '*.ftr*' -exec truesum tree --save {} +\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["sign", "d"]);
    assert!(ran.err.ends_with("; to create a key: minisign -G\n"), "{}", ran.err);
}

#[test]
fn format_that_requires_sizes_suggests_the_algorithm_that_reads_the_files() {
    // regression: the hint was --lossy, which leaves out every entry.
    let folder = Folder::with(&[("a", "abc"), ("MD5SUMS", "900150983cd24fb0d6963f7d28e17f72  a\n")]);
    let ran = folder.run(&["convert", "MD5SUMS", "-t", "hashdeep"]);
    let hint =
        "hint: to verify the files and record their sizes: truesum convert MD5SUMS -t hashdeep -a md5\n";
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["convert", "MD5SUMS", "-t", "hashdeep", "-a", "md5"]);
    assert!(
        ran.code == Some(0) && ran.out().ends_with("3,900150983cd24fb0d6963f7d28e17f72,a\n"),
        "{}",
        ran.out()
    );
}

#[test]
fn algorithms_of_lists_of_rhash_are_named_by_the_message() {
    // regression: no message named algorithms, and one of several digests was compared as MD5 without a hint.
    let folder = Folder::with(&[("b", "b")]);
    let (md5, ed2k) = ("92eb5ffee6ae2fec3ad71c777531578f", "7aeafcb2818e533b384433dea80992f5");
    let tiger = "v3zy3mydk4np5sb3bjxt7tscrk5ze74oi3j4bei";
    folder.write("two", format!("b  {md5}  {ed2k}\n"));
    folder.write("other", format!("b  71beeff9  {ed2k}\n"));
    folder.write("tiger32", format!("{tiger}  b\n"));
    folder.write("x.b3", "10e5cf3d3c8a4f9f3468c8cc58eea848  b\n");
    for (list, code, hint, algorithms) in [
        ("two", 2, "truesum check -a md5,ed2k two\n", "md5,ed2k"),
        ("other", 1, "but the md4 digest of the file matches: use -a crc32,md4\n", "crc32,md4"),
        ("tiger32", 1, "but the tiger digest of the file matches: use -a tiger\n", "tiger"),
        ("x.b3", 2, "hint: if the digests have 128 bits: truesum check -a blake3-128 x.b3\n", "blake3-128"),
    ] {
        let ran = folder.run(&["check", list]);
        assert!(ran.code == Some(code) && ran.err.contains(hint), "{list}: {}", ran.err);
        let ran = folder.run(&["check", "-a", algorithms, list]);
        assert_eq!((ran.out().as_str(), ran.code), ("b: OK\n", Some(0)), "{list}: {}", ran.err);
    }
}

#[test]
fn digest_of_standard_input_is_compared_with_a_file_by_the_command_in_the_hint() {
    // regression: the file was called not in the manifest, and the hint for an HMAC was a command that failed as well.
    let folder = Folder::with(&[("a", "abc"), ("key", "key")]);
    let hmac = "9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab";
    folder.write("s", format!("{ABC}  -\n"));
    folder.write("h", format!("SHA2-256(stdin)= {hmac}\n"));
    let with_key = ["--key-file", "key"];
    let of_key = [&with_key[..], &["-a", "hmac-sha256"]].concat();
    for (list, names, options, hint) in [
        ("s", &["s", "a"][..], &[][..], "truesum check - a < s\n"),
        ("h", &["h"], &with_key[..], "truesum check --key-file key -a hmac-sha256 - FILE < h\n"),
    ] {
        let ran = folder.run(&[&["check"], options, names].concat());
        assert!(ran.code != Some(0) && ran.err.contains(hint), "{list}: {}", ran.err);
        let options = if list == "h" { &of_key[..] } else { &[] };
        let line = std::fs::read(folder.path(list)).unwrap();
        for (file, code) in [("a", 0), ("key", 1)] {
            let ran = folder.feed(&[&["check"], options, &["-", file]].concat(), &line);
            assert_eq!(ran.code, Some(code), "{list} {file}: {}", ran.err);
        }
    }
    // A list of hash functions is none of HMACs.
    let ran = folder
        .feed(&[&["check"], &with_key[..], &["-", "a"]].concat(), format!("SHA256 (a) = {ABC}\n").as_bytes());
    assert_ne!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn info_hash_is_read_from_a_list_but_needs_a_name_as_an_argument() {
    let folder = Folder::with(&[("b", "b")]);
    let (sha1, btih) =
        ("e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98", "d4705b4fed91b25b070174be086bdc158b045270");
    folder.write("two", format!("b  {sha1}  {btih}\n"));
    assert_eq!(folder.run(&["check", "-a", "sha1,btih", "two"]).out(), "b: OK\n");
    let ran = folder.run(&["check", "-a", "btih", btih, "b"]);
    assert!(ran.code == Some(2) && ran.err.contains("btih depends on the file name"), "{}", ran.err);
}

#[test]
fn converted_line_ends_are_named_as_the_reason_of_a_mismatch() {
    // regression: an intact file was called FAILED without a reason.
    let folder = Folder::with(&[("a", "abc"), ("crlf", "x\r\ny\r\n")]);
    let converted = "09834d488008f5f1ef589a2d7cedc52425bee9dd23b2212e4c1d673c5cbb54e4";
    folder.write("S", format!("{ABC} Ua\n{converted} Ucrlf\n"));
    let ran = folder.run(&["check", "S"]);
    let hint = "hint: in mode U, shasum converts CR LF and CR to LF before it computes a digest, so files with CR never \
                match; to check them: shasum -c S\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    folder.write("S", format!("{ABC} Ua\n"));
    assert_eq!(folder.run(&["check", "S"]).out(), "a: OK\n");
}

#[test]
fn digest_that_is_the_name_of_a_file_has_a_hint() {
    let folder = Folder::with(&[(ABC, "1")]);
    let ran = folder.run(&["check", ABC, ABC]);
    let hint = format!("hint: to compare a file with the digest {ABC}: truesum check --expect {ABC} FILE\n");
    assert!(ran.code == Some(2) && ran.err.contains(&hint), "{}", ran.err);
}

#[test]
fn manifest_of_standard_input_is_no_hint_for_empty_input() {
    // regression: the command in the hint failed.
    let folder = Folder::with(&[("x.sha256", &format!("{ABC}  -\n"))]);
    let ran = folder.feed(&["check"], b"");
    assert!(ran.code == Some(2) && !ran.err.contains("x.sha256"), "{}", ran.err);
}

#[test]
fn algorithm_of_a_conversion_is_named_and_not_guessed() {
    // regression: the hint for digests of TTH named Tiger, and files with digests of ED2K were reported as damaged.
    let folder = Folder::with(&[("a", "abc")]);
    for algorithm in ["tth", "ed2k"] {
        assert_eq!(folder.run(&["hash", "-a", algorithm, "-t", "bsd", "-o", "M", "a"]).code, Some(0));
        let ran = folder.run(&["convert", "--lossy", "--overwrite", "M", "-t", "gnu", "-o", "list"]);
        let hint = format!("to check it: truesum check -a {algorithm} list\n");
        assert!(ran.code == Some(0) && ran.err.contains(&hint), "{}", ran.err);
        assert_eq!(folder.run(&["check", "-a", algorithm, "list"]).code, Some(0));
        std::fs::remove_file(folder.path("M")).unwrap();
    }
    folder.run(&["hash", "-a", "tth", "-t", "bsd", "-o", "M", "a"]);
    folder.run(&["convert", "--lossy", "--overwrite", "M", "-t", "gnu", "-o", "list"]);
    let ran = folder.run(&["check", "list"]);
    assert!(ran.err.contains("-a NAME list\n") && !ran.err.contains("-a tiger"), "{}", ran.err);
}

#[test]
fn file_with_the_name_of_an_option_has_a_hint() {
    let folder = Folder::with(&[("-a", "1"), ("b", "2")]);
    for words in [&["hash", "-a"][..], &["hash", "-a", "b"]] {
        let ran = folder.run(words);
        let hint = "hint: to read the file -a, write -- before the names of files\n";
        assert!(ran.code == Some(2) && ran.err.contains(hint), "{words:?}: {}", ran.err);
    }
    assert_eq!(folder.run(&["hash", "--", "-a", "b"]).code, Some(0));
}
