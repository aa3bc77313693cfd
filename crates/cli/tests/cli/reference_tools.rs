//! Compatibility with the reference programs of formats: torrents, signatures, format strings and PAR2.

use crate::peers::run_tool;
use crate::program::Folder;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use truesum_test_support::oracle::missing;

fn set() -> Folder {
    let folder = Folder::new();
    let content = |len: u32| -> Vec<u8> { (0..len).map(|at| (at % 251) as u8).collect() };
    for (name, len) in [("a.bin", 70_000), ("b c", 10), ("sub/d", 40_000), ("empty", 0), ("a/z", 32_768)] {
        folder.write(format!("set/{name}"), content(len));
    }
    folder
}

/// Returns the dictionary `info` of a torrent, whose digest identifies it.
fn info(folder: &Folder, name: &str) -> Vec<u8> {
    let text = folder.read(name);
    let find = |part: &[u8]| text.windows(part.len()).position(|found| found == part).unwrap();
    text[find(b"4:info") + 6..find(b"12:piece layers")].to_vec()
}

/// The info hashes were computed by libtorrent 2.1.1, which creates the same version 2 torrent and verifies all pieces
/// of both.
#[test]
fn btih_matches_libtorrent() {
    const V2: &str = "585c41b0d880973f61efa412f4b9e7cc86baee2ced895fe3fae9e288111dee1a";
    const HYBRID: [&str; 2] = [
        "ab55aa283d40ffda85d005bd51462dbea520c666",
        "ad61061907a91eba361f99a2d1f6bfc1b1661b2d2113db12f899b18d039f569b",
    ];
    let folder = set();
    for (protocol, names) in [("v2", &[V2][..]), ("hybrid", &HYBRID)] {
        let create =
            ["torrent", "create", "--piece-size=32KiB", "-o", "x.torrent", "--protocol", protocol, "set"];
        let made = folder.run(&create);
        assert_eq!(made.code, Some(0), "{}", made.err);
        let info = info(&folder, "x.torrent");
        for name in names {
            let algorithm = if name.len() == 40 { "sha1" } else { "sha256" };
            let found = folder.feed(&["hash", "-a", algorithm, "-"], &info).out();
            assert_eq!(&found[..name.len()], *name, "{protocol}");
        }
        let check = folder.run(&["check", "x.torrent"]);
        assert_eq!(check.code, Some(0), "{}", check.err);
        assert_eq!(check.out().matches(": OK\n").count(), 5);
        // One byte in the last piece, and one before it.
        for (at, expected) in [(33_000, "  32768 32768 damaged\n"), (69_999, "  65536 4464")] {
            let mut bytes = folder.read("set/a.bin");
            bytes[at] ^= 1;
            folder.write("set/a.bin", &bytes);
            let check = folder.run(&["check", "x.torrent"]);
            assert_eq!(check.code, Some(1), "{}", check.err);
            assert!(check.out().contains(expected), "{protocol} {at}: {}", check.out());
            bytes[at] ^= 1;
            folder.write("set/a.bin", &bytes);
        }
    }
}

/// Names that have caused problems, each with one peculiarity.
const NAMES: &[&[u8]] = &[
    b"plain",
    b"two  blanks",
    b" lead",
    b"trail ",
    b"tab\tx",
    b"#hash",
    b";semi",
    b"quo\"te",
    b"comma, x",
    b"back\\slash",
    b"new\nline",
    b"cr\rmid",
    b"umlaut-\xc3\xa4",
    b"(paren) = x",
    b"sub/deep",
    b"-dash",
    b"*star",
    b"~tilde",
    b"$(id)",
    b"a:b",
    b"it's",
    b"<x>&amp;",
    b"{\"a\":1}",
    b".hidden",
    b"dot.",
    b"nfd-u\xcc\x88",
    b"rtl\xe2\x80\xaex",
    b"3:abc",
    b"i1e",
    b"4:infod",
    b"d41d8cd98f00b204e9800998ecf8427e",
    b"[1] {2}",
    b"%2e%2e",
    b"\\",
    b"a\xe2\x80\xa8b",
    b"e",
    b"0",
    b"le",
    b"\x7f",
    b"\x1b[0m",
];

#[test]
fn torrents_of_unusual_names_match_mktorrent_and_torf() {
    let folder = Folder::new();
    for name in NAMES {
        let path = folder.path("set").join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, name).unwrap();
    }
    let made = folder.run(&["torrent", "create", "--piece-size=32KiB", "-o", "ours.torrent", "set"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let whole = |name: &str, files: usize| {
        let check = folder.run(&["check", name]);
        assert_eq!(check.code, Some(0), "{name}: {}", check.err);
        assert_eq!(check.out().matches(": OK\n").count(), files, "{name}");
    };
    whole("ours.torrent", NAMES.len());
    if run_tool(&folder, "mktorrent", &["-l", "15", "-a", "http://x", "-o", "mk.torrent", "set"]).is_some() {
        whole("mk.torrent", NAMES.len());
    }
    let code = "import sys\ntry: import torf\nexcept ImportError: sys.exit(77)\n\
                made = torf.Torrent(path='set', trackers=['http://x'])\nmade.generate()\nmade.write('torf.torrent')\n\
                assert torf.Torrent.read('ours.torrent').verify('set')";
    let output = Command::new("python3").args(["-c", code]).current_dir(folder.root()).output().unwrap();
    if output.status.code() == Some(77) {
        return missing("torf (Python)");
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // torf omits hidden files.
    whole("torf.torrent", NAMES.len() - 1);
}

#[test]
fn minisign_and_signify_signatures_are_verified() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abd")]);
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder.root()).output();
        let output = output.ok().or_else(|| {
            missing(program);
            None
        })?;
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    folder.run(&["hash", "-o", "SHA256SUMS", "a", "b"]);
    folder.run(&["hash", "--tag", "-o", "SUMS", "a", "b"]);
    let minisign = || {
        run("minisign", &["-G", "-W", "-p", "m.pub", "-s", "m.key"])?;
        run("minisign", &["-S", "-s", "m.key", "-m", "SHA256SUMS", "-t", "words"])?;
        run("minisign", &["-S", "-l", "-s", "m.key", "-m", "a", "-t", "of the bytes themselves"])?;
        run("minisign", &["-S", "-s", "m.key", "-m", "b"])
    };
    let signify = || {
        run("signify-openbsd", &["-G", "-n", "-p", "s.pub", "-s", "s.sec"])?;
        run("signify-openbsd", &["-S", "-e", "-s", "s.sec", "-m", "SUMS", "-x", "SUMS.sig"])?;
        run("signify-openbsd", &["-S", "-s", "s.sec", "-m", "a"])
    };
    let cases: &[(bool, &str, &str, &str)] = &[
        (minisign().is_some(), "m.pub", "SHA256SUMS", "a: OK\nb: OK\n"),
        (true, "m.pub", "SHA256SUMS.minisig", "SHA256SUMS: OK\n"),
        (true, "m.pub", "a.minisig", "a: OK\n"),
        (true, "m.pub", "b.minisig", "b: OK\n"),
        (signify().is_some(), "s.pub", "SUMS.sig", "a: OK\nb: OK\n"),
        (true, "s.pub", "a.sig", "a: OK\n"),
    ];
    for (_, key, name, message) in cases {
        if !folder.path(key).exists() {
            continue;
        }
        let check = folder.run(&["check", "--pubkey", key, name]);
        assert_eq!((check.out().as_str(), check.code), (*message, Some(0)), "{name}: {}", check.err);
        assert!(check.err.contains(" is signed with the key "), "{}", check.err);
        // regression: the comment was quoted for a shell.
        let is_commented =
            check.err.contains(" (trusted comment: ") && !check.err.contains("(trusted comment: '");
        assert_eq!(is_commented, key == &"m.pub", "{}", check.err);
        // Every other byte of the signature, and one byte of the signed file.
        let signature = if *name == "SHA256SUMS" { "SHA256SUMS.minisig" } else { name };
        let good = folder.read(signature);
        let comment = good.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for at in (comment..good.len() - 1).step_by(7) {
            let mut bad = good.clone();
            bad[at] ^= 1;
            folder.write(signature, &bad);
            let check = folder.run(&["check", "--pubkey", key, name]);
            assert_ne!(check.code, Some(0), "{name} {at}: {}", check.out());
            assert!(!check.out().contains("OK"), "{name} {at}: {}", check.out());
        }
        folder.write(signature, &good);
        let other = if *key == "m.pub" { "s.pub" } else { "m.pub" };
        if folder.path(other).exists() {
            let check = folder.run(&["check", "--pubkey", other, name]);
            assert_eq!((check.out().as_str(), check.code), ("", Some(1)), "{name}: {}", check.err);
            assert!(check.err.contains("1 WITHOUT A VALID SIGNATURE"), "{}", check.err);
        }
    }
    if folder.path("m.pub").exists() {
        // regression: the signature that was just verified was counted as "not checked".
        let exact = folder.run(&["check", "--pubkey", "m.pub", "--exact", "SHA256SUMS"]);
        assert!(
            exact.err.contains("2 files verified") && !exact.err.contains("not checked"),
            "{}",
            exact.err
        );
        folder.write("SHA256SUMS", [folder.read("SHA256SUMS"), b"#\n".to_vec()].concat());
        let check = folder.run(&["check", "--pubkey", "m.pub", "SHA256SUMS"]);
        assert_eq!((check.out().as_str(), check.code), ("", Some(1)), "{}", check.err);
        let none = folder.run(&["check", "--pubkey", "m.pub", "SUMS"]);
        assert_eq!(none.code, Some(1));
        assert!(
            none.err.contains("neither SUMS.minisig nor SUMS.sig exists") || folder.path("s.pub").exists()
        );
    }
    let no_key = folder.run(&["check", "--pubkey", "a", "SUMS"]);
    assert_eq!(no_key.code, Some(2));
    assert!(no_key.err.contains("--pubkey a: not a minisign or signify public key"), "{}", no_key.err);
}

#[test]
fn unverified_signature_is_noted_every_time() {
    let folder = Folder::with(&[("a", "abc")]);
    let lines = folder.run(&["a"]).out();
    folder.write(
        "S.asc",
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{lines}-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n"
        ),
    );
    let check = folder.run(&["check", "S.asc"]);
    assert_eq!((check.out().as_str(), check.code), ("a: OK\n", Some(0)), "{}", check.err);
    let message = "truesum: note: S.asc is signed, but the signature was not verified\nhint: to verify it: gpg --verify S.asc\n";
    assert!(check.err.starts_with(message), "{}", check.err);
    assert_eq!(folder.run(&["check", "--quiet", "S.asc"]).err, "");
}

#[test]
fn templates_match_rhash() {
    let folder =
        Folder::with(&[("a b%\u{fc}.txt", "abc"), ("d/x!#$&'()*+,;=?@[]^`{|}~.y", ""), ("plain", "x")]);
    let names = ["a b%\u{fc}.txt", "d/x!#$&'()*+,;=?@[]^`{|}~.y", "plain"];
    for template in [
        r"%p|%f|%s|%10s|%010s\n",
        r"%up|%Up|%uf|%uBm|%u@h|%ubm|%um\n",
        r"%l|%L\n",
        r"%{mtime}\n",
        r"%bm|%Bm|%@m|%xm|%xt\n",
        r"%{sha-256}|%{SHA-256}|%{Sha-256}|%{sha3-512}\n",
        r"%M %C %c %H %T %t %E %e %A %a %G %g %W %w %R %r\n",
        r"%b{md4}|%B{Sha1}|%BH|%xT|%xA\n",
        r"\n|\q|\x41|\101|\0|\x4|\9|\t\r\\",
        r"%{edon-r256} %{snefru128} %{gost94} %{gost12-512} %{has160} %{blake2b} %{blake2s} %{crc32c} %{tiger}\n",
    ] {
        for name in names {
            let ours = folder.run(&["hash", "--format-string", template, name]);
            assert_eq!(ours.code, Some(0), "{template}: {}", ours.err);
            let mut rhash = Command::new("rhash");
            rhash.args(["-p", template, name]).current_dir(folder.root()).env("TZ", "UTC");
            let Ok(theirs) = rhash.output() else { return missing("rhash") };
            assert_eq!(ours.out, theirs.stdout, "{template} {name}");
        }
    }
    let refused = folder.run(&["hash", "--format-string", "%q", "plain"]);
    assert_eq!((refused.out().as_str(), refused.code), ("", Some(2)));
    assert!(refused.err.starts_with("truesum: --format-string '%q': unknown directive"), "{}", refused.err);
}

#[test]
fn rhash_links_and_par2_files_are_compatible() {
    let folder = Folder::with(&[("a b.txt", "abc"), ("plain", "x")]);
    for (words, ours) in [
        (&["--ed2k-link"][..], &["-t", "ed2k", "-a", "ed2k,aich"][..]),
        (&["--magnet", "--sha1", "--tth", "--ed2k", "--aich"], &["-t", "magnet", "-a", "sha1,tth,ed2k,aich"]),
        (&["--simple", "--crc32", "--md5", "--sha256"], &["-t", "rhash-simple", "-a", "crc32,md5,sha256"]),
        (&["--simple", "--sha256"], &["-t", "rhash-simple"]),
        (&["--simple", "--tth"], &["-t", "tth", "--base32"]),
    ] {
        let files = ["a b.txt", "plain"];
        let made = folder.run(&[ours, &files].concat());
        assert_eq!(made.code, Some(0), "{ours:?}: {}", made.err);
        let Some(theirs) = run_tool(&folder, "rhash", &[words, &files].concat()) else { return };
        assert_eq!(made.out(), String::from_utf8_lossy(&theirs.stdout), "{ours:?}");
    }
    folder.write("big", (0..100_000u32).map(|at| (at % 251) as u8).collect::<Vec<u8>>());
    if run_tool(&folder, "par2", &["create", "-q", "-s4096", "-r5", "set.par2", "big", "plain"]).is_some() {
        let check = folder.run(&["check", "set.par2"]);
        assert_eq!(check.code, Some(0), "{}{}", check.out(), check.err);
        let mut bytes = folder.read("big");
        (bytes[50_000], bytes[99_999]) = (0, 0);
        folder.write("big", &bytes);
        let check = folder.run(&["check", "set.par2"]);
        assert_eq!(check.code, Some(1));
        assert!(
            check.out().contains("big: FAILED\n  49152 4096 damaged\n  98304 1696 damaged\n"),
            "{}",
            check.out()
        );
    }
}

#[test]
fn signature_of_one_file_allows_no_selection() {
    let folder = Folder::with(&[("a", "abc")]);
    // They have the right length, and are not verified before the options are rejected.
    folder.write("k.pub", format!("untrusted comment: key\nRWQ{}\n", "A".repeat(53)));
    folder.write("a.minisig", format!("untrusted comment: signature\nRWQ{}=\n", "A".repeat(96)));
    let all = folder.run(&["check", "--pubkey", "k.pub", "a.minisig"]);
    assert_eq!((all.out().as_str(), all.code), ("", Some(1)), "it is no good signature: {}", all.err);
    for (option, value) in [
        ("--root", Some(".")),
        ("--only", Some("x")),
        ("--include", Some("x")),
        ("--exclude", Some("a")),
        ("--newer", Some("1d")),
        ("--older", Some("1d")),
        ("--min-size", Some("1")),
        ("--max-size", Some("1")),
        ("--sample", Some("5%")),
        ("--max-bytes", Some("1")),
        ("--max-time", Some("1s")),
        ("--state", Some("S")),
        ("--exact", None),
        ("--algorithm", Some("sha512")),
        ("--format", Some("bsd")),
    ] {
        let mut words = vec!["check", "--pubkey", "k.pub", option];
        words.extend(value);
        words.push("a.minisig");
        let ran = folder.run(&words);
        let message = format!(
            "truesum: {option}: a.minisig is a detached signature, not a manifest\n\
             hint: specify the manifest instead; truesum finds a signature in the manifest or next to it\n"
        );
        assert_eq!((ran.out().as_str(), ran.err, ran.code), ("", message, Some(2)), "{option}");
    }
    assert!(!folder.path("S").exists());
}
