//! What is generated from the tables: lists, man pages, completions, links.

use crate::program::Folder;

#[test]
fn lists_have_every_row_in_both_forms() {
    let folder = Folder::new();
    for what in ["algorithms", "algorithms --all", "kernels", "formats"] {
        let words: Vec<&str> = std::iter::once("list").chain(what.split(' ')).collect();
        let text = folder.run(&words);
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

/// The page of formats, made of the rows.
fn page(rows: &str) -> String {
    let mut text = String::from(
        "# Formats\n\n\
         Made of the rows of the table of formats: `TRUESUM_BLESS=1 cargo test -p truesum-cli --all-features --test cli page_of_formats`\n\
         writes it anew. How each is read, byte by byte, says [spec/manifests.md](spec/manifests.md). A manifest's format is recognised by\n\
         its content, then by its name; `truesum check --format NAME` says it. `truesum hash -t NAME` writes the formats that have a *yes*\n\
         there, and refuses a file that the format cannot hold; what a format has no place for stands beside it.\n\n\
         | name | what it is | names of manifests | digests | sizes | read | written | lost when written |\n\
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
            (_, pieces, _) if *pieces == true => format!("of pieces; {}", list("algorithms")),
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
            if row["read"] == true { "yes" } else { "named" },
            yes("written"),
            list("lost"),
        );
    }
    text
}

#[test]
fn the_page_of_formats_has_every_row_as_it_is() {
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
        let ran = folder.run(&["-a", name, "check"]);
        assert_eq!(ran.out(), format!("{}  check\n", row["check"].as_str().unwrap()), "{name}: {}", ran.err);
    }
}

#[test]
fn crcs_by_their_catalogue_and_by_parameters_are_written_and_verified() {
    let folder = Folder::with(&[("f", "123456789")]);
    let open = "crc;width=16;poly=0x8005;init=0xffff;refin=true;refout=true;xorout=0x0";
    for (name, digest) in
        [("crc-16/modbus", "4b37"), ("crc-82/darc", "09ea83f625023801fd612"), (open, "4b37")]
    {
        let plain = folder.run(&["-a", name, "f"]).out();
        let hex = plain.split(' ').next().unwrap();
        assert_eq!(hex.trim_start_matches('0'), digest.trim_start_matches('0'), "{name}");
        for format in ["gnu", "bsd", "jsonl"] {
            let written = folder.run(&["--format", format, "-a", name, "-o", "sums", "f"]);
            assert_eq!(written.code, Some(0), "{name} {format}: {}", written.err);
            let asked: &[&str] = if format == "gnu" { &["-a", name] } else { &[] };
            let ran = folder.run(&[&["check"], asked, &["--allow-weak", "sums"]].concat());
            assert_eq!(ran.code, Some(0), "{name} {format}: {}{}", ran.out(), ran.err);
            std::fs::write(folder.path("f"), "123456780").unwrap();
            let ran = folder.run(&[&["check"], asked, &["--allow-weak", "sums"]].concat());
            assert_eq!(ran.code, Some(1), "{name} {format}: {}{}", ran.out(), ran.err);
            std::fs::write(folder.path("f"), "123456789").unwrap();
            std::fs::remove_file(folder.path("sums")).unwrap();
        }
    }
}

#[test]
fn man_pages_are_written_and_shown() {
    let folder = Folder::new();
    assert!(folder.run(&["man"]).out().contains("EXIT STATUS"));
    assert_eq!(folder.run(&["man", "pages/man1"]).code, Some(0));
    let page = String::from_utf8(folder.read("pages/man1/truesum-check.1")).unwrap();
    assert!(page.contains("allow\\-outside") && page.contains("EXIT STATUS"), "{page}");
    assert!(folder.path("pages/man1/truesum.1").exists());
}

#[test]
fn completions_know_options_and_algorithms() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.run(&["completions", shell]).out();
        assert!(text.contains("ignore-missing") && text.contains("blake2b"), "{shell}");
    }
}

#[test]
fn help_fits_a_screen() {
    let folder = Folder::new();
    for (words, lines) in [
        (&["--help"][..], 40),
        (&["hash", "-h"], 60),
        (&["check", "-h"], 60),
        (&["tree", "-h"], 60),
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
fn links_lead_to_the_program() {
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
