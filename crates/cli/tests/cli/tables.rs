//! Output that is generated from the tables: lists, man pages, completions, links.

use crate::program::Folder;

#[test]
fn lists_have_every_row_as_text_and_json() {
    let folder = Folder::new();
    for what in ["algorithms", "kernels", "formats"] {
        let words: Vec<&str> = std::iter::once("list").chain(what.split(' ')).collect();
        let text = folder.run(&[&words[..], &["--all"]].concat());
        assert_eq!(text.code, Some(0));
        assert!(text.out().lines().all(|line| line.chars().count() <= 100), "{}", text.out());
        for line in folder.run(&[&words[..], &["--json"]].concat()).out().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = row["name"].as_str().or(row["algorithm"].as_str()).unwrap();
            assert!(text.out().contains(name), "{name}");
        }
    }
    let json = folder.run(&["list", "algorithms", "--json"]).out();
    let md5: serde_json::Value = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|row: &serde_json::Value| row["name"] == "md5")
        .unwrap();
    assert_eq!((&md5["status"], &md5["tamper_evident"]), (&"broken".into(), &false.into()));
    assert!(md5["reason"].as_str().unwrap().contains("Wang"));
}

/// Returns the algorithms page, generated from the rows.
fn algorithms_page(rows: &str) -> String {
    let mut text = String::from(
        "# Algorithms\n\n\
         `truesum list algorithms --all` prints the same table, and `truesum list algorithms NAME` shows all details of one\n\
         algorithm.\n\n\
         | column | meaning |\n\
         |---|---|\n\
         | name, aliases | names for `-a`, which are case-insensitive |\n\
         | bits | length of the digest in bits; in parentheses, the other lengths that can be selected |\n\
         | status | *secure* and *weakened* algorithms detect tampering. *broken* algorithms and *checksums* detect only accidental damage. *sampled* algorithms read only parts of the file |\n\
         | reason | standard, publication or attack behind the status |\n\
         | key | the algorithm accepts (*optional*) or needs (*needed*) a key (`--key-file`) |\n\
         | SIMD | several files can be hashed at once with SIMD instructions |\n\
         | check | digest of the text `123456789` (at most the first 128 bits). If the algorithm needs a key, the key is 00 01 02 ... with the shortest valid length, or 32 bytes if any length is valid |\n\n\
         Algorithms built on another hash, such as `HASH-tree` and `mtsum-HASH`, are described in [spec/tree.md](spec/tree.md).\n\n\
         - The info hash of a torrent depends on the file name. `truesum hash -a btih` computes it with the name of each file,\n\
         \x20 and `btih;name=HEXADECIMAL` specifies another name. The default piece length is the one that RHash uses;\n\
         \x20 `;piece=256KiB` specifies another.\n\
         - FSB needs tables of two million bits and is available only in builds with `--features full` (or `fsb`).\n\
         - CityHash64, CityHash32 and the 32-bit FarmHash are not supported: their computation starts with the last bytes of a\n\
         \x20 message, so the complete file would have to be kept in memory.\n\n\
         | name | aliases | bits | status | reason | description | key | SIMD | check |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for line in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| row[key].as_str().unwrap_or_default().replace('|', "\\|");
        let aliases: Vec<String> = row["aliases"]
            .as_array()
            .map(|names| names.iter().filter_map(|name| Some(format!("`{}`", name.as_str()?))).collect())
            .unwrap_or_default();
        let lengths = match row["lengths"].as_str() {
            Some("fixed") | None => String::new(),
            Some(lengths) => format!(" ({lengths})"),
        };
        let key = if row["key"] == "never" { String::new() } else { word("key") };
        let check = match word("check") {
            check if check.is_empty() => check,
            // Long enough to distinguish it from all others.
            check => {
                format!("`{}`{}", &check[..check.len().min(32)], if check.len() > 32 { ".." } else { "" })
            }
        };
        text += &format!(
            "| `{}` | {} | {}{lengths} | {} | {} | {} | {key} | {} | {check} |\n",
            word("name"),
            aliases.join(", "),
            row["bits"],
            word("status"),
            word("reason"),
            word("summary"),
            if row["in_lanes"] == true { "yes" } else { "" },
        );
    }
    text
}

#[test]
fn page_of_algorithms_is_up_to_date() {
    let made = algorithms_page(&Folder::new().run(&["list", "algorithms", "--all", "--json"]).out());
    assert!(made.lines().count() > 200, "{}", made.lines().count());
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/algorithms.md");
    if std::env::var_os("TRUESUM_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "TRUESUM_BLESS=1 writes docs/algorithms.md anew");
}

#[test]
fn list_algorithms_shows_one_in_full_by_any_name() {
    let folder = Folder::new();
    let sha256 = folder.run(&["list", "algorithms", "SHA-256"]).out();
    for line in [
        "name           sha256\n",
        "status         secure: FIPS 180-4\n",
        "key            none\n",
        "used by        sha256-tree, mtsum-v1.0-sha256, mtsum-mpi-sha256, mtsum-sha256, hmac-sha256\n",
        "portable x1",
    ] {
        assert!(sha256.contains(line), "{line}: {sha256}");
    }
    let check =
        "check          15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225 (of 123456789)\n";
    assert!(sha256.ends_with(check), "{sha256}");
    for (name, line) in [
        ("xxh64", "seed           64 bits: --seed NUMBER, or xxh64;seed=NUMBER\n"),
        ("hmac-md5", "key            required, 1 byte or more\n"),
        ("siphash", "key            required, 16 bytes\n"),
        ("blake3", "key            optional, 32 bytes: keyed digests are named blake3;keyed\n"),
        ("crc-16/modbus", "check          4b37 (of 123456789)\n"),
        ("imohash", "status         sampled: "),
    ] {
        let text = folder.run(&["list", "algorithms", name]).out();
        assert!(text.contains(line), "{name}: {text}");
    }
    let json = folder.run(&["list", "algorithms", "md5", "--json"]).out();
    assert!(
        json.starts_with("{\"schema\":\"truesum-algorithm/1\",\"name\":\"md5\"") && json.lines().count() == 1,
        "{json}"
    );
    let none = folder.run(&["list", "algorithms", "sha265"]);
    assert!(none.code == Some(2) && none.err.contains("did you mean 'sha256'"), "{}", none.err);
    assert_eq!(folder.run(&["list", "formats", "--lanes"]).code, Some(2));
}

#[test]
fn algorithms_are_filtered_by_security_and_lanes() {
    let folder = Folder::new();
    let names = |words: &[&str]| -> Vec<String> {
        let text = folder.run(&[&["list", "algorithms", "--json"], words].concat()).out();
        let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|line| row(line)["name"].as_str().unwrap().to_owned()).collect()
    };
    let (all, secure, lanes) =
        (names(&["--all"]), names(&["--security", "secure"]), names(&["--lanes", "--security", "broken"]));
    let has = |list: &[String], name: &str| list.iter().any(|known| known == name);
    // Without options, only algorithms that can hash any file are listed.
    let plain = names(&[]);
    assert!(plain.len() > 200 && has(&plain, "crc-16/modbus") && !has(&plain, "siphash-2-4"), "{plain:?}");
    assert!(
        all.len() > 200 && has(&all, "hmac-sha256") && has(&all, "crc-16/modbus") && has(&all, "siphash-2-4")
    );
    assert!(has(&secure, "sha256") && !has(&secure, "md5") && !has(&secure, "crc32"));
    assert!(has(&lanes, "md5") && !has(&lanes, "s3-etag") && !has(&lanes, "sha256"));
    assert_eq!(names(&["--security", "sampled"]), ["imohash"]);
    assert_eq!(folder.run(&["list", "algorithms", "--security", "good"]).code, Some(2));
}

/// Returns the formats page, generated from the rows.
fn page(rows: &str) -> String {
    let mut text = String::from(
        "# Manifest formats\n\n\
         truesum recognizes the format of a manifest first by its content and then by its file name. `truesum check --format\n\
         NAME` selects a format explicitly. `truesum hash -t NAME` (or `bag create`, `torrent create`) writes the formats marked\n\
         *yes* under *written*, and fails if the format cannot represent a file. The last column lists what the format cannot\n\
         store; *some names* means that it cannot represent every file name.\n\n\
         [spec/manifests.md](spec/manifests.md) specifies how each format is read. Android packages (`app.apk`) and ISO\n\
         images (`image.iso`) are not manifests but may contain digests of their own contents, which `truesum check` verifies\n\
         ([packages](reference/check.md#android-packages), [images](reference/check.md#iso-images)).\n\n\
         | name | description | file names | digests | sizes | read | written | not stored |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for line in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let list = |key: &str| {
            let words: Vec<&str> = row[key]
                .as_array()
                .map(|list| list.iter().filter_map(|word| word.as_str()).collect())
                .unwrap_or_default();
            words.join(", ")
        };
        let yes = |key: &str| if row[key] == true { "yes" } else { "" };
        let digests = match (&row["algorithms"], &row["pieces"], &row["read"]) {
            (_, _, read) if *read == false => String::new(),
            (_, pieces, _) if *pieces == true => format!("piece digests; {}", list("algorithms")),
            (algorithms, ..) if algorithms.is_null() => "any".to_owned(),
            _ => list("algorithms"),
        };
        let names: Vec<String> = list("file_names")
            .split(", ")
            .filter(|name| !name.is_empty())
            .map(|name| format!("`{}{name}`", if name.starts_with('.') { "*" } else { "" }))
            .collect();
        text += &format!(
            "| `{}` | {} | {} | {digests} | {} | {} | {} | {} |\n",
            row["name"].as_str().unwrap(),
            row["summary"].as_str().unwrap().replace('|', "\\|"),
            names.join(", "),
            yes("sizes"),
            if row["read"] == true { "yes" } else { "recognized only" },
            yes("written"),
            list("lost"),
        );
    }
    text
}

#[test]
fn page_of_formats_is_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let made = page(&Folder::new().run(&["list", "formats", "--json"]).out());
    if std::env::var_os("TRUESUM_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, made, "TRUESUM_BLESS=1 writes docs/formats.md anew");
}

#[test]
fn every_algorithm_hashes_its_check_message() {
    let folder = Folder::with(&[("check", "123456789")]);
    for line in folder.run(&["list", "algorithms", "--json"]).out().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = row["name"].as_str().unwrap();
        let ran = folder.run(&["hash", "-a", name, "-t", "gnu", "check"]);
        assert_eq!(ran.out(), format!("{}  check\n", row["check"].as_str().unwrap()), "{name}: {}", ran.err);
    }
}

#[test]
fn crcs_by_name_and_by_parameters_are_written_and_verified() {
    let folder = Folder::with(&[("f", "123456789")]);
    let open = "crc;width=16;poly=0x8005;init=0xffff;refin=true;refout=true;xorout=0x0";
    for (name, digest) in
        [("crc-16/modbus", "4b37"), ("crc-82/darc", "09ea83f625023801fd612"), (open, "4b37")]
    {
        let plain = folder.run(&["-a", name, "f"]).out();
        let hex = plain.split(' ').next().unwrap();
        assert_eq!(hex.trim_start_matches('0'), digest.trim_start_matches('0'), "{name}");
        // Without a requested format, lines are untagged if the name of the manifest implies the algorithm, and tagged
        // otherwise.
        for format in [None, Some("bsd"), Some("jsonl")] {
            let requested = format.map_or(vec![], |format| vec!["--format", format]);
            let written = folder.run(&[&requested[..], &["-a", name, "-o", "sums", "f"]].concat());
            assert_eq!(written.code, Some(0), "{name} {format:?}: {}", written.err);
            let ran = folder.run(&["check", "--allow-weak", "sums"]);
            assert_eq!(ran.code, Some(0), "{name} {format:?}: {}{}", ran.out(), ran.err);
            std::fs::write(folder.path("f"), "123456780").unwrap();
            let ran = folder.run(&["check", "--allow-weak", "sums"]);
            assert_eq!(ran.code, Some(1), "{name} {format:?}: {}{}", ran.out(), ran.err);
            std::fs::write(folder.path("f"), "123456789").unwrap();
            std::fs::remove_file(folder.path("sums")).unwrap();
        }
    }
}

#[test]
fn man_pages_are_written_and_printed() {
    let folder = Folder::new();
    assert!(folder.run(&["man"]).out().contains("EXIT STATUS"));
    assert_eq!(folder.run(&["man", "pages/man1"]).code, Some(0));
    // regression: the name of a command was taken for a folder, in which files were replaced.
    folder.write("hash/truesum.1", "mine");
    let ran = folder.run(&["man", "hash"]);
    assert!(ran.code == Some(0) && ran.out().contains(".TH TRUESUM-HASH 1"), "{}", ran.err);
    assert!(folder.run(&["man", "tree-verify"]).out().contains(".TH TRUESUM-TREE-VERIFY 1"));
    let ran = folder.run(&["man", "./hash"]);
    let said =
        "truesum: ./hash/truesum.1: cannot replace: the existing file is not a manual page of truesum\n";
    assert_eq!(
        (ran.code, ran.err.as_str(), folder.read("hash/truesum.1")),
        (Some(2), said, b"mine".to_vec())
    );
    let page = String::from_utf8(folder.read("pages/man1/truesum-check.1")).unwrap();
    assert!(page.contains("allow\\-outside") && page.contains("EXIT STATUS"), "{page}");
    assert!(folder.path("pages/man1/truesum.1").exists());
}

#[test]
fn completions_include_options_and_algorithms() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.run(&["completions", shell]).out();
        assert!(text.contains("truesum") && text.contains("__complete"), "{shell}");
    }
    let said = folder.run(&["__complete", "check", "--ignore"]).out();
    assert_eq!(said, "nothing\n--ignore-missing\tSkip files that do not exist\n");
    let said = folder.run(&["__complete", "hash", "-a", "sha256,blake2b"]).out();
    assert!(said.starts_with("nothing\nsha256,blake2b\tb2sum, Arch Linux"), "{said}");
    for (word, what) in [("__complete", "a file of this name is not hashed"), ("./__complete", "but this is")]
    {
        folder.write("__complete", "abc");
        assert_eq!(folder.run(&[word]).out().contains("ba7816bf"), word.starts_with("./"), "{what}");
    }
}

#[test]
fn help_fits_a_screen() {
    let folder = Folder::new();
    for (words, lines) in [
        (&["--help"][..], 45),
        (&["hash", "-h"], 60),
        (&["check", "-h"], 60),
        (&["tree", "-h"], 60),
        (&["convert", "-h"], 60),
        (&["identify", "-h"], 60),
        (&["tree", "verify", "-h"], 60),
        (&["tree", "repair", "-h"], 60),
        (&["tree", "prove", "-h"], 60),
        (&["tree", "verify-proof", "-h"], 60),
    ] {
        let text = folder.run(words).out();
        assert!(text.lines().count() <= lines, "{words:?}: {} lines", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{words:?}");
        assert!(text.contains("Examples:") || words.len() > 2, "{words:?}");
    }
}

#[test]
fn install_links_points_to_the_program() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["install-links", "bin"]).code, Some(0));
    let to = std::fs::read_link(folder.path("bin/sha256sum")).unwrap();
    assert_eq!(
        to.canonicalize().unwrap(),
        std::path::Path::new(env!("CARGO_BIN_EXE_truesum")).canonicalize().unwrap()
    );
    std::fs::remove_file(folder.path("bin/md5sum")).unwrap();
    folder.write("bin/md5sum", "somebody else's");
    assert_eq!(folder.run(&["install-links", "bin"]).code, Some(2));
    assert_eq!(folder.read("bin/md5sum"), b"somebody else's");
    assert_eq!(folder.run(&["install-links", "--force", "bin"]).code, Some(0));
}
