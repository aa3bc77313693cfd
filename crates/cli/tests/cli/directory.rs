//! `truesum directory`: digests, rejected inputs and proofs, with exact output.

use crate::program::{ABC, Folder, result_of};
use std::os::unix::fs::{PermissionsExt, symlink};

/// The digests of [`tree`] according to other programs: `docs/spec/directory.md` implemented in Python, git 2.39,
/// nix-hash 2.8, swh.model 8.
const TRUESUM: &str = "sha256-directory:dba28d6d7359bd2956e1b542c4c60043f73cd0d583dce8c7002557c88c57435f";
const WITH_MODES: &str =
    "sha256-directory;modes:dbc2c7677980912d109f8e115bd2a50d27751d766c95a934768dd11b01647ff1";
const GIT: &str = "4cdb64a853835c2ed38076a06c16b752562ef7e3";
const GIT_SHA256: &str = "9deb623e308838731337bfdf7bb293d6b2c3bb2b686737380401dd23105bf688";
const NAR: &str = "sha256:1l8hyx6pyn0ddl65yarck02fisjsa9lqb5r4fngwslx8gyl6lf31";
const SWHID: &str = "swh:1:dir:dfb835c547db40c09576312957424c08ae87067c";

/// Files, an executable one, an empty folder, a link, and names that programs sort differently.
fn tree() -> Folder {
    let folder = Folder::with(&[("d/a/x", "abc"), ("d/a.b", ""), ("d/run", "#!/bin/sh\n")]);
    std::fs::create_dir(folder.path("d/empty")).unwrap();
    symlink("a/x", folder.path("d/b")).unwrap();
    for (name, mode) in
        [("d/a/x", 0o644), ("d/a.b", 0o644), ("d/run", 0o755), ("d/a", 0o755), ("d/empty", 0o755)]
    {
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    folder
}

#[test]
fn every_kind_gives_its_known_value() {
    let folder = tree();
    for (words, value) in [
        (&[][..], TRUESUM),
        (&["--modes"], WITH_MODES),
        (&["--kind", "git"], GIT),
        (&["--kind", "git-sha256"], GIT_SHA256),
        (&["--kind", "nar"], NAR),
        (
            &["--kind", "nar", "--encoding", "hex"],
            "61386aa87fa853cd9f7524978569525aeae804982c2b5f0c6d0d587f4df710d1",
        ),
        (&["--kind", "nar", "--encoding", "sri"], "sha256-YThqqH+oU82fdSSXhWlSWuroBJgsK18MbQ1Yf033ENE="),
        (&["--kind", "swhid"], SWHID),
    ] {
        for name in ["d", "d/", "./d//"] {
            let ran = folder.run(&[&["directory"], words, &[name]].concat());
            assert_eq!(result_of(&ran), (format!("{value}  {name}\n"), "", Some(0)), "{words:?}");
        }
        if !words.contains(&"--encoding") && !words.contains(&"--modes") {
            let ran = folder.run(&[&["directory", "--expect", value], words, &["d"]].concat());
            assert_eq!(result_of(&ran), ("d: OK\n".to_owned(), "", Some(0)), "{words:?}");
        }
    }
    let ran = folder.command().args(["directory", "."]).current_dir(folder.path("d")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("{TRUESUM}  .\n"));
}

#[test]
fn h1_supports_files_and_prefixes_but_no_links() {
    let folder = tree();
    let ran = folder.run(&["directory", "--kind", "h1", "d"]);
    let why = "truesum: d/b: cannot hash: h1 does not support symbolic links\n";
    assert_eq!(result_of(&ran), (String::new(), why, Some(1)));
    std::fs::remove_file(folder.path("d/b")).unwrap();
    let plain = "h1:3kPqGWn85P6TC34dacYfHoQidM4FDbRbg7dh+RxyAQU=";
    let prefixed = "h1:LV3E9/b9hkHOBGm/UrvU1CODDb0qw9qK5VfXcSo4M8E=";
    assert_eq!(folder.run(&["directory", "--kind", "h1", "d"]).out(), format!("{plain}  d\n"));
    let ran = folder.run(&["directory", "--kind", "h1", "--prefix", "ex.com/m@v1.0.0", "d"]);
    assert_eq!(ran.out(), format!("{prefixed}  d\n"));
    let ran = folder.run(&["directory", "--expect", prefixed, "--prefix", "ex.com/m@v1.0.0", "d"]);
    assert_eq!(result_of(&ran), ("d: OK\n".to_owned(), "", Some(0)));
    for prefix in ["", "/a", "a/", "a//b", "./a", "a/..", "a\nb"] {
        let ran = folder.run(&["directory", "--kind", "h1", "--prefix", prefix, "d"]);
        assert_eq!((ran.out.len(), ran.code), (0, Some(2)), "{prefix:?}: {}", ran.err);
    }
    folder.write("d/line\nfeed", "");
    let ran = folder.run(&["directory", "--kind", "h1", "d"]);
    assert!(
        ran.err.contains("h1 does not support names with a line feed") && ran.code == Some(1),
        "{}",
        ran.err
    );
    // golang.org/x/mod@v0.22.0, with the digest of its go.mod from sum.golang.org.
    folder.write(
        "go.mod",
        "module golang.org/x/mod\n\ngo 1.22.0\n\nrequire golang.org/x/tools v0.13.0 // tagx:ignore\n",
    );
    let ran = folder.run(&["directory", "--kind", "h1", "go.mod"]);
    assert_eq!(ran.out(), "h1:6SkKJ3Xj0I0BrPOZoBy3bdMptDDU9oJrpohJ3eWZ1fY=  go.mod\n");
}

#[test]
fn single_files_match_git_nix_and_swhid() {
    let folder = tree();
    for (kind, value) in [
        ("git", "1a2485251c33a70432394c93fb89330ef214bfc9"),
        ("nar", "sha256:0m35wabrvlzjvv71f2xvca3vd91gh9mwvh4mm38h7yb0h9kc30v2"),
        ("swhid", "swh:1:cnt:1a2485251c33a70432394c93fb89330ef214bfc9"),
    ] {
        let ran = folder.run(&["directory", "--kind", kind, "d/run"]);
        assert_eq!(result_of(&ran), (format!("{value}  d/run\n"), "", Some(0)));
    }
    let ran = folder.run(&["directory", "d/run"]);
    let why =
        "truesum: d/run: cannot hash: it is a single file, not a folder; to hash it: truesum hash FILE\n";
    assert_eq!(result_of(&ran), (String::new(), why, Some(1)));
}

#[test]
fn unexpected_directory_digest_fails() {
    let folder = tree();
    // regression: the hint for hexadecimal digits with --kind swhid was to write them with --kind.
    let digits = SWHID.rsplit_once(':').unwrap().1;
    assert_eq!(folder.run(&["directory", "--kind", "swhid", "--expect", digits, "d"]).code, Some(0));
    folder.write("d/a/x", "abd");
    let ran = folder.run(&["directory", "--expect", TRUESUM, "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("d: FAILED\n", Some(1)));
    assert!(
        ran.err.starts_with("truesum: d: does not match: the digest is sha256-directory:"),
        "{}",
        ran.err
    );
    for (words, why) in [
        (&["--expect", GIT][..], "the kind of this digest is unknown"),
        (&["--expect", ABC, "--kind", "git"], "not a valid directory digest of the requested kind"),
        (
            &["--expect", SWHID, "--kind", "git"],
            "the kind of this digest does not match --kind, -a or --modes",
        ),
        (&["--expect", TRUESUM, "--modes"], "the kind of this digest does not match --kind, -a or --modes"),
        (&["--expect", "h1:AAAA"], "not a valid directory digest of the requested kind"),
        (&["--expect", TRUESUM, "d"], "exactly one folder is required"),
        (&["-a", "crc32"], "not available for directory digests"),
        (&["-a", "sha256-tree"], "not available for directory digests"),
        (&["-a", "sha512", "--kind", "nar"], "-a requires --kind truesum"),
        (&["--prefix", "a"], "--prefix requires --kind h1"),
        (&["--encoding", "hex"], "--encoding requires --kind nar"),
    ] {
        let ran = folder.run(&[&["directory"], words, &["d"]].concat());
        assert!(ran.out.is_empty() && ran.code == Some(2) && ran.err.contains(why), "{words:?}: {}", ran.err);
    }
}

#[test]
fn unsupported_file_type_leaves_no_directory_digest() {
    let folder = tree();
    folder.pipe("d/pipe");
    for kind in ["truesum", "git", "nar", "swhid"] {
        let ran = folder.run(&["directory", "--kind", kind, "d", "d/a"]);
        let why = "truesum: d/pipe: cannot hash: it is a named pipe\n";
        assert_eq!((ran.err.as_str(), ran.code), (why, Some(1)), "{kind}");
        assert_eq!(ran.out().lines().count(), usize::from(kind != "h1"), "the other tree has its digest");
        assert!(ran.out().ends_with("  d/a\n"));
    }
    let excluded = folder.run(&["directory", "--exclude", "pipe", "d"]);
    assert_eq!(result_of(&excluded), (format!("{TRUESUM}  d\n"), "", Some(0)));
    let gone = folder.run(&["directory", "gone"]);
    assert_eq!(
        result_of(&gone),
        (String::new(), "truesum: gone: cannot open: No such file or directory\n", Some(1))
    );
    assert_eq!(folder.run(&["directory"]).code, Some(2));
}

#[test]
fn git_kind_skips_its_own_folder_and_rejects_nested_ones() {
    let folder = tree();
    folder.write("d/.git/config", "secret");
    let ran = folder.run(&["directory", "--kind", "git", "d"]);
    assert_eq!(result_of(&ran), (format!("{GIT}  d\n"), "", Some(0)));
    assert_ne!(folder.run(&["directory", "d"]).out(), format!("{TRUESUM}  d\n"), "it counts elsewhere");
    for name in ["d/a/.git/HEAD", "d/.GIT/HEAD"] {
        folder.write(name, "");
        let ran = folder.run(&["directory", "--kind", "git", "d"]);
        assert!(ran.code == Some(1) && ran.err.contains("git does not allow .git in a path"), "{}", ran.err);
        std::fs::remove_dir_all(folder.path(name).parent().unwrap()).unwrap();
    }
    assert_eq!(folder.run(&["directory", "--kind", "git", "d"]).code, Some(0));
}

#[test]
fn empty_trees_have_a_digest() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    for (kind, value) in [
        ("git", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
        ("swhid", "swh:1:dir:4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
        ("h1", "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
        ("nar", "sha256:0sjjj9z1dhilhpc8pq4154czrb79z9cm044jvn75kxcjv6v5l2m5"),
    ] {
        assert_eq!(folder.run(&["directory", "--kind", kind, "d"]).out(), format!("{value}  d\n"));
    }
}

#[test]
fn directory_counts_are_in_json_and_verbose_output() {
    let folder = tree();
    let line = format!(
        "{{\"schema\":\"truesum-directory/1\",\"path\":\"d\",\"digest\":\"{TRUESUM}\",\"kind\":\"truesum\",\
         \"files\":3,\"folders\":2,\"links\":1,\"bytes\":13}}\n"
    );
    assert_eq!(result_of(&folder.run(&["directory", "--json", "d"])), (line, "", Some(0)));
    let ran = folder.run(&["directory", "-v", "d"]);
    assert_eq!(ran.err, "truesum: d: 3 files, 2 folders, 1 link, 13 B\n");
}

#[test]
fn directory_proofs_verify_only_their_object() {
    let folder = tree();
    for (options, trusted) in [(&[][..], TRUESUM), (&["--modes"], WITH_MODES)] {
        for (name, message) in [
            (
                "a/x",
                format!(
                    "a/x is covered by the digest; it is a file of 3 bytes with the sha256 digest {ABC}\n"
                ),
            ),
            ("b", "b is covered by the digest; it is a link to a/x\n".to_owned()),
            ("empty", "empty is covered by the digest; it is a folder\n".to_owned()),
        ] {
            let proof = folder.run(&[&["directory", "prove", "d", name], options].concat());
            assert_eq!((proof.err.as_str(), proof.code), ("", Some(0)));
            folder.write("proof", &proof.out);
            let file = format!("d/{name}");
            let check =
                |words: &[&str]| folder.run(&[&["directory", "verify-proof", "proof"], words].concat());
            let json: serde_json::Value = serde_json::from_slice(&proof.out).unwrap();
            let mode = json.get("mode").map_or(String::new(), |mode| {
                format!(
                    "; the mode {:04o} in the proof was not compared with the actual mode",
                    mode.as_u64().unwrap()
                )
            });
            let belongs = (format!("{name} is covered by the digest{mode}\n"), "", Some(0));
            assert_eq!(result_of(&check(&[&file, "--digest", trusted])), belongs);
            assert_eq!(result_of(&check(&["--digest", trusted])), (message, "", Some(0)));
            let other = trusted.replace("dba28d", "dba28e").replace("dbc2c7", "dbc2c8");
            let ran = check(&[&file, "--digest", &other]);
            assert!(
                ran.code == Some(1) && ran.err.contains("not proven: the proof yields the digest"),
                "{}",
                ran.err
            );
            let text = proof.out();
            for (from, to) in [
                ("\"index\":", "\"index\":1"),
                ("\"path_hashes\":[\"", "\"path_hashes\":[\"00"),
                ("\"entries\":6", "\"entries\":7"),
                ("\"path\":\"", "\"path\":\"z"),
            ] {
                folder.write("proof", text.replacen(from, to, 1));
                let ran = check(&["--digest", trusted]);
                assert!(ran.code == Some(1) && ran.out.is_empty(), "{from}: {}", ran.err);
            }
        }
    }
    let proof = folder.run(&["directory", "prove", "d", "a/x"]);
    let text = proof.out();
    let verify = |text: &str| {
        folder.write("proof", text);
        folder.run(&["directory", "verify-proof", "proof", "d/a/x", "--digest", TRUESUM])
    };
    for (from, to) in [("\"size\":3", "\"size\":4"), ("\"digest\":\"ba", "\"digest\":\"bb")] {
        let ran = verify(&text.replacen(from, to, 1));
        let err =
            "truesum: d/a/x: not proven: it does not match the proof (its size, digest or target differs)\n";
        assert_eq!(result_of(&ran), (String::new(), err, Some(1)), "{from}");
    }
    let ran = verify(&text.replacen("\"size\":3", "\"size\":4,\"size\":3", 1));
    assert!(ran.code == Some(2) && ran.err.contains("proof: \"size\" occurs twice"), "{}", ran.err);
    folder.write("proof", &proof.out);
    folder.write("d/a/x", "abd");
    let ran = folder.run(&["directory", "verify-proof", "proof", "d/a/x", "--digest", TRUESUM]);
    assert!(ran.code == Some(1) && ran.out.is_empty(), "another content: {}", ran.err);
    let ran = folder.run(&["directory", "verify-proof", "proof", "d/a/x", "--digest", WITH_MODES]);
    assert!(ran.code == Some(2) && ran.err.contains("another kind of digest"), "{}", ran.err);
    let ran = folder.run(&["directory", "prove", "d", "x"]);
    assert!(ran.code == Some(1) && ran.err.contains("no such file in the folder"), "{}", ran.err);
}

#[test]
fn selection_that_excludes_every_file_has_no_digest() {
    // regression: `--exclude '*'` printed the digest of an empty folder, exit status 0.
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "abc")]);
    for words in [["--exclude", "*"], ["--include", "*.none"]] {
        let ran = folder.run(&["directory", words[0], words[1], "d"]);
        let message = "truesum: d: nothing selected: all files were excluded\n";
        assert_eq!((ran.out().as_str(), ran.err.as_str(), ran.code), ("", message, Some(2)), "{words:?}");
    }
    std::fs::create_dir(folder.path("e")).unwrap();
    assert_eq!(folder.run(&["directory", "--exclude", "*", "e"]).code, Some(0));
    // regression: a digest of a part of a folder was printed without a note.
    let ran = folder.run(&["directory", "--exclude", "s", "d"]);
    assert_eq!((ran.err.as_str(), ran.code), ("truesum: note: d: 0 files and 1 folder excluded\n", Some(0)));
}
