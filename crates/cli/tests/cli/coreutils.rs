//! The applets with GNU names: compared with GNU coreutils where 9.1 and 9.11 agree, otherwise with transcripts.

use crate::sandbox::{Sandbox, check_transcript, newest_original, oracle};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

const PROGRAMS: [&str; 9] =
    ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum"];
const SUMS: [&str; 7] = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"];

fn compare_all(sandbox: &Sandbox, commands: &[&str]) {
    let Some(original) = oracle("md5sum", "(GNU coreutils) 9.") else { return };
    for command in commands {
        sandbox.compare(&original, "C", command);
    }
}

#[test]
fn every_program_output_matches_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    let Some(original) = oracle("md5sum", "(GNU coreutils) 9.") else { return };
    for program in SUMS {
        for command in
            ["", "./*", "*", "-b -- *", "-z -- *", "--tag -- *", "a folder nothing b", "- a", "-t a"]
        {
            let command = format!("{program} {command}");
            sandbox.compare(&original, "C", &command);
        }
    }
    for locale in ["C", "C.UTF-8"] {
        sandbox.compare(
            &original,
            locale,
            "md5sum nothing/* loop gone folder nothing 'no thing' \"no'thing\"",
        );
    }
}

#[test]
fn sums_and_checks_match_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    let mut commands = Vec::new();
    for program in [
        "sum",
        "sum -r",
        "sum -s",
        "sum --sysv",
        "sum -rs",
        "sum -sr",
        "sum --sy",
        "cksum",
        "cksum --debug -a md5",
    ] {
        for rest in ["", "-", "a", "a b empty", "-- [!l]*[!r]", "a nothing b", "- -", "a - b"] {
            commands.push(format!("{program} {rest} 2>&1 | grep -v folder"));
        }
    }
    for name in
        ["bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"]
    {
        for rest in [
            "",
            "a",
            "a b big empty nothing -",
            "-z a b",
            "--untagged -- [a-f]*",
            "--tag a",
            "--untagged --tag a",
            "--tag --untagged a",
        ] {
            commands.push(format!("cksum -a {name} {rest} 2>&1 | grep -v folder"));
        }
    }
    commands.push(
        "cksum -a blake2b -l 8 a b; cksum -a blake2b -l 384 --untagged a; cksum -a blake2b -l 0 a".to_owned(),
    );
    compare_all(&sandbox, &commands.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn options_are_parsed_like_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    compare_all(
        &sandbox,
        &[
            "md5sum -x a",
            "md5sum -bx a",
            "md5sum --foo a",
            "md5sum --foo=bar a",
            "md5sum --t a",
            "md5sum --s=1 a",
            "md5sum --ta a",
            "md5sum --bin a",
            "md5sum --z a",
            "md5sum --check=1",
            "md5sum -l 8 a",
            "md5sum --length=8 a",
            "md5sum -r a",
            "md5sum a -b b",
            "md5sum a -- -b",
            "md5sum -b -- a -b",
            "POSIXLY_CORRECT=1 md5sum a -b",
            "POSIXLY_CORRECT=1 md5sum -b a --tag",
            "sum -x a",
            "sum --s=1 a",
            "sum -c a",
            "sum --check a",
            "sum --tag a",
            "b2sum -l",
            "b2sum --length",
            "b2sum -l abc a",
            "b2sum -l '' a",
            "b2sum -l ' 8' a",
            "b2sum -l +8 a",
            "b2sum -l 0x8 a",
            "b2sum -l 8k a",
            "b2sum -l 12 a",
            "b2sum -l 0 a",
            "b2sum -l16 a",
            "b2sum -zl16 a",
            "b2sum --le=16 --tag a",
            "b2sum --le 16 a",
            "md5sum -c --tag a",
            "md5sum -c -b a",
            "md5sum -c -t a",
            "md5sum -c -z a",
            "md5sum --tag -t a",
            "md5sum -t --tag -t a",
            "md5sum --ignore-missing a",
            "md5sum --status a",
            "md5sum --quiet a",
            "md5sum --warn a",
            "md5sum -w a",
            "md5sum --strict a",
            "md5sum --status --quiet --strict a",
            "md5sum -c -z --tag -b a",
            "cksum -a crc -l 0 a",
            "cksum --untagged -c -z a",
            "cksum --s",
            "cksum --algorithm",
            "cksum -a",
            "sum --=",
        ],
    );
}

#[test]
fn streams_and_special_files_match_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    compare_all(
        &sandbox,
        &[
            "md5sum - -",
            "md5sum a - b - c",
            "md5sum /dev/null a",
            "md5sum /dev/stdin -",
            "md5sum /proc/version /proc/self/mem a",
            "sha256sum /proc/self/mem",
            "md5sum - < folder",
            "md5sum -c < folder",
            "md5sum '' a",
            "md5sum a/b",
            "md5sum loop gone",
            "md5sum $(printf %0300d 0)",
            "md5sum a a a big big a",
            "(cat big big big big; sleep 0.1; cat big) | md5sum a - big",
            "mkfifo p; (sleep 0.2; echo late > p) & md5sum a p b; rm p",
            "mkfifo p; (cat big big > p; sleep 0.1; echo second > p) & md5sum p p; rm p",
            "mkfifo p; (printf '0b6ea48d44cd5fbf2c1bf4d6dd4b4a18  a\\n' > p) & md5sum -c p; rm p",
            "(md5sum ./* & wait) 2>&1 | cat",
            "md5sum big a b 2>&1 | true; echo done",
            "seq 2000 | while read i; do echo $i > many$i; done; ls many* | xargs sha256sum; ls -r many* | xargs b2sum; rm many*",
        ],
    );
}

#[test]
fn only_option_errors_show_the_program_path() {
    let sandbox = Sandbox::new(PROGRAMS);
    let program = sandbox.links().join("cksum").display().to_string();
    for (arguments, expected) in [
        ("nothing", "cksum: nothing: No such file or directory\n".to_owned()),
        (
            "--status a",
            format!(
                "cksum: the --status option is meaningful only when verifying checksums\nTry '{program} --help' for more information.\n"
            ),
        ),
        (
            "--foo a",
            format!("{program}: unrecognized option '--foo'\nTry '{program} --help' for more information.\n"),
        ),
    ] {
        let shown = sandbox.run(sandbox.links(), "C", &format!("{program} {arguments}"));
        assert_eq!((shown.stderr, shown.code), (expected, Some(1)), "{arguments}");
    }
}

#[test]
fn cksum_debug_reports_the_hardware_of_this_machine() {
    let sandbox = Sandbox::new(PROGRAMS);
    let Some(original) = newest_original("cksum") else { return };
    // A socket cannot be opened; it comes before the files that can be.
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path().join(".socket")).unwrap();
    for algorithm in ["crc", "crc32b"] {
        sandbox.compare(&original, "C", &format!("cksum --debug -a {algorithm} .socket folder b"));
        sandbox.compare(&original, "C", &format!("cksum --debug -a {algorithm} a nothing"));
    }
}

#[test]
fn closed_reader_ends_the_writer_by_sigpipe() {
    let sandbox = Sandbox::new(PROGRAMS);
    let shown = sandbox.run(
        sandbox.links(),
        "C",
        "{ md5sum a b; echo $? >&2; } | true; sleep 0.1; { sleep 0.1; md5sum a; echo $? >&2; } | true",
    );
    assert!(shown.stderr.ends_with("141\n"), "{shown:?}");
}

/// Returns manifests with every kind of damage, for `md5sum`.
fn manifests() -> Vec<(String, Vec<u8>)> {
    let a = "9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  a\n";
    let list: Vec<(&str, Vec<u8>)> = vec![
        ("wrong", a.into()),
        ("missing", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  nothing\n".into()),
        ("folder", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  folder\n".into()),
        ("under-a-file", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  a/b\n".into()),
        ("stdin", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  -\n".into()),
        ("no-end", a.trim_end().into()),
        ("comments", format!("# x\n#{a}{a}").into()),
        ("only-comments", b"# x\n#\n".into()),
        ("blank-lines", format!("\n\r\n{a}\n\n").into()),
        ("crlf", a.replace('\n', "\r\n").into()),
        ("upper", a.to_uppercase().replace(" A", " a").into()),
        ("leading-blanks", format!(" \t {a}").into()),
        ("one-blank", a.replace("  ", " ").into()),
        ("two-then-one", format!("{a}{}", a.replace("  ", " ")).into()),
        ("star", a.replace("  ", " *").into()),
        ("tab", a.replace("  ", "\t").into()),
        ("short", a[1..].into()),
        ("long", format!("0{a}").into()),
        ("not-hex", a.replace('9', "g").into()),
        ("sha1", format!("01234567{a}").into()),
        ("no-name", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3 \n9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        ("tag", b"MD5 (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        ("openssl", b"MD5(a)= 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        (
            "tag-spaces",
            b"MD5  (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\nMD5 (a)=9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into(),
        ),
        ("tag-trailing", b"MD5 (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3 \n".into()),
        ("tag-other", b"SHA1 (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        ("tag-lower", b"md5 (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        ("tag-length", b"MD5-128 (a) = 9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3\n".into()),
        ("bad-escape", b"\\9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  a\\tb\n".into()),
        ("cut-escape", b"\\9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  a\\\n".into()),
        ("vain-escape", b"\\9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  a\n".into()),
        ("bom", [b"\xef\xbb\xbf", a.as_bytes(), a.as_bytes()].concat()),
        ("binary", (0..4000u32).map(|i| ((i * i) >> 3) as u8 | 1).collect()),
        ("many", a.repeat(300).into()),
        ("parent", b"9ebff4ba3fd8a4ff4e2c1d6b1a5b0bd3  folder/../a\n".into()),
    ];
    list.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

#[test]
fn manifest_checks_match_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    let Some(original) = oracle("md5sum", "(GNU coreutils) 9.") else { return };
    let good = sandbox.run(
        &original,
        "C",
        "md5sum a b empty big > .good; md5sum --tag a b >> .good; cat .good .good > .twice",
    );
    assert_eq!(good.code, Some(0));
    for (name, bytes) in manifests() {
        let name = format!(".m-{name}");
        sandbox.write(&name, &bytes);
        for options in ["", "-w", "--strict", "--ignore-missing", "--quiet"] {
            sandbox.compare(&original, "C", &format!("md5sum -c {options} {name}"));
        }
        sandbox.compare(&original, "C", &format!("md5sum -c .good {name} nothing .good < {name}"));
        sandbox.compare(&original, "C", &format!("md5sum -c - < {name}"));
    }
    for options in [
        "--status -w",
        "-w --status",
        "--quiet --status",
        "--status --quiet",
        "-w --quiet",
        "--quiet -w",
        "--strict -w",
        "--ignore-missing --status",
        "--status --ignore-missing --strict",
    ] {
        for manifest in [".good", ".twice", ".m-not-hex", ".m-missing", ".m-two-then-one", ".m-wrong"] {
            sandbox.compare(&original, "C", &format!("md5sum -c {options} {manifest} .good"));
        }
    }
}

#[test]
fn each_program_checks_its_own_output() {
    let sandbox = Sandbox::new(PROGRAMS);
    let mut commands = Vec::new();
    for program in SUMS {
        commands.push(format!("{program} a b big | {program} -c"));
        commands.push(format!("{program} --tag a b big | {program} --check --strict"));
        commands.push(format!("{program} --tag a b big | cksum --check --strict"));
        commands.push(format!("{program} -b a b nothing 2>/dev/null | tr 0 1 | {program} -c --quiet"));
    }
    for name in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"] {
        commands.push(format!("cksum -a {name} a b | cksum -c"));
        commands.push(format!("cksum -a {name} --untagged a b | cksum -a {name} -c"));
        commands.push(format!("cksum -a {name} --untagged a b | cksum -c -w"));
        commands.push(format!("cksum -a md5 --untagged a b | cksum -a {name} -c -w"));
    }
    for bits in [8, 24, 160, 504, 512] {
        commands.push(format!("b2sum -l {bits} a b | b2sum -c --strict"));
        commands.push(format!(
            "b2sum -l {bits} --tag a b | b2sum -c --strict; b2sum -l {bits} --tag a | cksum -c"
        ));
    }
    commands.push("(cksum -a md5 a; echo x; cksum -a sha256 b; echo; echo y) | cksum -c -w".to_owned());
    compare_all(&sandbox, &commands.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn damaged_manifests_give_the_same_counts_as_gnu() {
    let sandbox = Sandbox::new(PROGRAMS);
    let Some(original) = oracle("md5sum", "(GNU coreutils) 9.") else { return };
    let mut seed = 7u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    // Verdicts without names: GNU 9.1 shows names unescaped.
    let counts = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.rsplit(": ").next().unwrap_or_default().to_owned()).collect()
    };
    for program in ["md5sum", "sha256sum", "b2sum -l 64"] {
        let source = sandbox.run(
            &original,
            "C",
            &format!("{program} a b empty; {program} --tag a b; {program} nothing -b -- a"),
        );
        let name = program.split(' ').next().unwrap_or_default();
        for _ in 0..60 {
            let mut bytes = source.stdout.clone().into_bytes();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                let bytes_of_lines = b"0123456789abcdefABCDEF()=* \t\\\r\nnr#xMD5";
                let byte = bytes_of_lines[random(bytes_of_lines.len())];
                match random(3) {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            sandbox.write(".damaged", &bytes);
            let command = format!("{name} -c --strict .damaged");
            let (expected, found) =
                (sandbox.run(&original, "C", &command), sandbox.run(sandbox.links(), "C", &command));
            let manifest = crate::sandbox::text(&bytes);
            assert_eq!(counts(&found.stdout), counts(&expected.stdout), "{name} -c\n{manifest}");
            assert_eq!(counts(&found.stderr), counts(&expected.stderr), "{name} -c\n{manifest}");
            assert_eq!(found.code, expected.code, "{name} -c\n{manifest}");
        }
    }
}

#[test]
fn output_matches_newer_coreutils_releases() {
    let sandbox = Sandbox::new(PROGRAMS);
    check_transcript(
        &sandbox,
        include_str!("../../../../testdata/transcripts/coreutils-9.11.txt"),
        "C",
        "md5sum",
    );
    check_transcript(
        &sandbox,
        include_str!("../../../../testdata/transcripts/coreutils-9.11-utf8.txt"),
        "C.UTF-8",
        "md5sum",
    );
    if cfg!(target_arch = "x86_64") {
        check_transcript(
            &sandbox,
            include_str!("../../../../testdata/transcripts/coreutils-9.11-x86.txt"),
            "C",
            "cksum",
        );
    }
}

#[test]
fn every_name_round_trips_through_a_manifest() {
    let sandbox = Sandbox::new(PROGRAMS);
    for program in SUMS {
        for option in ["", "--tag", "-b"] {
            let command = format!(
                "{program} {option} -- * 2>/dev/null > .m; {program} -c --strict --quiet .m && grep -c '' .m"
            );
            let shown = sandbox.run(sandbox.links(), "C", &command);
            // 34 unusual names that are not hidden, and `big`.
            assert_eq!((shown.stdout.as_str(), shown.stderr.as_str()), ("35\n", ""), "{command}");
        }
    }
}

#[test]
fn verdicts_are_printed_as_lines_arrive() {
    let sandbox = Sandbox::new(PROGRAMS);
    let digests = sandbox.run(sandbox.links(), "C", "md5sum a b").stdout;
    let mut shell = sandbox.shell(sandbox.links(), "C", "exec md5sum -c");
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut manifest = child.stdin.take().unwrap();
    let mut verdicts = BufReader::new(child.stdout.take().unwrap()).lines();
    for (digest, expected) in digests.lines().zip(["a: OK", "b: OK"]) {
        manifest.write_all(format!("{digest}\n").as_bytes()).unwrap();
        assert_eq!(verdicts.next().unwrap().unwrap(), expected);
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(manifest);
    assert!(child.wait().unwrap().success());
}

#[test]
fn digests_are_printed_before_waiting_for_stdin() {
    let sandbox = Sandbox::new(PROGRAMS);
    let mut shell = sandbox.shell(sandbox.links(), "C", "exec md5sum a -");
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("  a"));
    drop(child.stdin.take());
    assert_eq!(lines.next().unwrap().unwrap(), "d41d8cd98f00b204e9800998ecf8427e  -");
    assert!(child.wait().unwrap().success());
}

#[test]
fn full_disk_ends_the_run_with_an_error() {
    let sandbox = Sandbox::new(PROGRAMS);
    for program in PROGRAMS {
        let shown = sandbox.run(sandbox.links(), "C", &format!("{program} a b > /dev/full"));
        assert_eq!(shown.stderr, format!("{program}: write error: No space left on device\n"));
        assert_eq!(shown.code, Some(1));
    }
}
