//! `truesum convert`: conversion between all formats, and the reports of losses.

use crate::names::NAMES;
use crate::program::{ABC, EMPTY, Folder, RunResult, lines};
use truesum_test_support::thorough_or;

/// Returns the writable formats, each with its preferred algorithm.
fn writable() -> Vec<(String, String)> {
    let folder = Folder::with(&[("f", "abc")]);
    let rows = folder.run(&["list", "formats", "--json"]).out();
    let rows = rows.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let formats = rows.filter_map(|row| {
        let name = row["name"].as_str().unwrap().to_owned();
        let algorithm = row["algorithms"][0].as_str().unwrap_or("sha256").to_owned();
        // Digests of pieces depend on the content, so they cannot be produced by a conversion.
        let of_files = row["pieces"] == false;
        (of_files && folder.run(&["-t", &name, "f"]).code == Some(0)).then_some((name, algorithm))
    });
    let formats: Vec<_> = formats.collect();
    assert!(formats.len() >= 12, "{formats:?}");
    formats
}

/// Converts to a file whose name shows its format, and returns that name too.
fn converted(folder: &Folder, from: &str, format: &str, algorithm: &str, stem: &str) -> (RunResult, String) {
    // Only its name distinguishes a manifest of a bag from other manifests.
    let to = match format {
        "bagit" => format!("files/{stem}-manifest-{algorithm}.txt"),
        _ => format!("files/{stem}.{format}"),
    };
    (folder.run(&["convert", "--lossy", from, "-t", format, "-o", &to]), to)
}

/// Returns `(name, digest)` of every entry of a manifest, by converting it to JSON lines.
fn entries(folder: &Folder, name: &str) -> Vec<(String, String)> {
    let ran = folder.run(&["convert", "--lossy", name, "-t", "jsonl"]);
    assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
    let mut entries: Vec<(String, String)> = ran
        .out()
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let path = format!("{}{}", row["path"], row["path_base64"]);
            (path, row["digests"].to_string())
        })
        .collect();
    entries.sort();
    entries
}

#[test]
fn conversion_between_all_formats_preserves_names_and_digests() {
    let folder = Folder::new();
    for (at, name) in NAMES.iter().enumerate() {
        folder.write([b"files/".as_slice(), name].concat(), at.to_string());
    }
    let formats = writable();
    let mut held = 0;
    for (at, (format, algorithm)) in formats.iter().enumerate() {
        // Everything that this format can store; every entry that it cannot store is reported.
        let begin = folder.run(&["hash", "--json", "-a", algorithm, "-o", "files/all.jsonl", "files"]);
        assert_eq!(begin.code, Some(0), "{}", begin.err);
        let (ran, first) = converted(&folder, "files/all.jsonl", format, algorithm, "first");
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.err);
        let left_out = ran.err.matches(": left out: ").count();
        let kept = entries(&folder, &first);
        assert_eq!(kept.len() + left_out, NAMES.len(), "{format}: {}", ran.err);
        held += kept.len();
        let check = folder.run(&["check", "--quiet", &first]);
        assert_eq!(check.code, Some(0), "{format}: {}{}", check.out(), check.err);
        for (other, _) in formats.iter().skip(at % thorough_or(1, 4)).step_by(thorough_or(1, 4)) {
            let (ran, second) = converted(&folder, &first, other, algorithm, "second");
            if ran.code != Some(0) {
                // Nothing remains if the format cannot store the algorithm, and some algorithms have no bag manifest.
                let nothing = ran.err.contains("no entries to write");
                let unnamed = other == "bagit" && ran.err.contains("would not be read back");
                assert!(nothing || unnamed, "{format} to {other}: {}", ran.err);
                assert!(!folder.path(&second).exists());
                continue;
            }
            let left_out = ran.err.matches(": left out: ").count();
            // Digests with the length of another algorithm, in lines without a tag: reported, and allowed with --lossy.
            if ran.err.contains("the name of the algorithm") {
                std::fs::remove_file(folder.path(&second)).unwrap();
                continue;
            }
            let through = entries(&folder, &second);
            assert_eq!(through.len() + left_out, kept.len(), "{format} to {other}: {}", ran.err);
            assert!(through.iter().all(|entry| kept.contains(entry)), "{format} to {other}");
            let (ran, back) = converted(&folder, &second, format, algorithm, "back");
            // A format that requires sizes cannot store entries without one.
            if ran.code == Some(2) {
                let without = ran.err.matches(": left out: unknown size").count();
                assert_eq!(without, through.len(), "{format} to {other} and back: {}", ran.err);
            } else {
                assert_eq!(entries(&folder, &back), through, "{format} to {other} and back: {}", ran.err);
                std::fs::remove_file(folder.path(&back)).unwrap();
            }
            std::fs::remove_file(folder.path(&second)).unwrap();
        }
        std::fs::remove_file(folder.path(&first)).unwrap();
        std::fs::remove_file(folder.path("files/all.jsonl")).unwrap();
    }
    assert!(held > formats.len() * 10, "{held}");
}

#[test]
fn convert_suggests_computing_digests_the_format_needs() {
    let folder = Folder::with(&[("a", "abc")]);
    let row = "3,900150983cd24fb0d6963f7d28e17f72,a\n";
    folder.write("M", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{row}"));
    let ran = folder.run(&["convert", "M", "-t", "sfv"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""));
    assert_eq!(
        ran.err,
        "truesum: a: cannot be written: md5 cannot be stored in this format\n\
         truesum: M: not converted: the sfv format cannot store everything in this manifest\n\
         hint: to verify the files and compute crc32 digests: truesum convert M -t sfv -a crc32\n"
    );
    let ran = folder.run(&["convert", "--lossy", "M", "-t", "sfv", "-a", "crc32"]);
    assert!(ran.code == Some(0) && ran.out().ends_with("\na 352441C2\n"), "as the hint says: {}", ran.err);
}

/// Returns a folder with three files and an SFV file that matches them.
fn with_sfv() -> Folder {
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("s/c", "abc")]);
    folder.write("photos.sfv", "; a comment\na 352441C2\nb 00000000\ns/c 352441C2\n");
    folder
}

#[test]
fn convert_verifies_old_digests_and_computes_new_ones_in_one_read() {
    let folder = with_sfv();
    let ran = folder.run(&["convert", "photos.sfv", "-a", "sha256", "-o", "SHA256SUMS"]);
    let said = "truesum: note: 3 entries verified with crc32: no protection against tampering\n\
                truesum: note: 3 files verified, 6 B read\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), said));
    assert_eq!(folder.read("SHA256SUMS"), format!("{ABC}  a\n{EMPTY}  b\n{ABC}  s/c\n").as_bytes());
    assert_eq!(folder.run(&["check", "SHA256SUMS"]).code, Some(0));
    // Other outputs: tags, several algorithms, sizes and times, standard output.
    let ran = folder.run(&["convert", "photos.sfv", "-a", "md5,sha256", "-t", "bsd", "--only", "a"]);
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    assert_eq!(
        (ran.code, ran.out()),
        (Some(0), format!("MD5 (a) = {md5}\nSHA256 (a) = {ABC}\n")),
        "{}",
        ran.err
    );
    let ran = folder.run(&["convert", "photos.sfv", "-a", "blake3", "--only", "a"]);
    assert!(
        ran.code == Some(0) && ran.out().starts_with("BLAKE3 (a) = 6437b3ac"),
        "{}{}",
        ran.out(),
        ran.err
    );
    let ran = folder.run(&["convert", "photos.sfv", "-a", "sha256", "-o", "M.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows = String::from_utf8(folder.read("M.jsonl")).unwrap();
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((&row["size"], &row["digests"]["sha256"]), (&3.into(), &ABC.into()), "{row}");
    assert!(row["mtime"].is_string(), "{row}");
    // A format without sizes loses the sizes of the old manifest, also with -a.
    let ran = folder.run(&["convert", "M.jsonl", "-a", "sha512", "-t", "gnu"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("the gnu format cannot store the size of 3 entries"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["convert", "--lossy", "M.jsonl", "-a", "sha512", "-t", "gnu"]);
    assert_eq!((ran.code, ran.out().lines().count()), (Some(0), 3), "{}", ran.err);
    // Files in another folder, and a manifest on standard input.
    std::fs::create_dir(folder.path("lists")).unwrap();
    std::fs::rename(folder.path("photos.sfv"), folder.path("lists/photos.sfv")).unwrap();
    let words = ["convert", "--root", ".", "lists/photos.sfv", "-a", "sha256", "-o", "lists/new"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Regression: the hint named the folder of the input instead of --root.
    assert!(
        ran.err.ends_with("hint: to check the new manifest: truesum check --root . lists/new\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["check", "--root", ".", "lists/new"]).code, Some(0));
    let piped = folder.feed(&["convert", "-", "-a", "sha256"], format!("{md5}  a\n").as_bytes());
    assert_eq!((piped.code, piped.out()), (Some(0), format!("{ABC}  a\n")), "{}", piped.err);
}

#[test]
fn convert_writes_nothing_if_an_entry_does_not_match() {
    let folder = with_sfv();
    let refused = |said: &str, code: i32| {
        for output in [&["-o", "SHA256SUMS"][..], &[]] {
            let ran = folder.run(&[&["convert", "photos.sfv", "-a", "sha256"], output].concat());
            assert_eq!((ran.code, ran.out().as_str()), (Some(code), ""), "{}", ran.err);
            assert!(ran.err.contains(said), "{said}: {}", ran.err);
            assert!(!folder.path("SHA256SUMS").exists());
        }
    };
    folder.write("a", "abd");
    refused("truesum: a: does not match: expected crc32 352441c2, found ", 1);
    let ran = folder.run(&["convert", "photos.sfv", "-a", "sha256"]);
    let hint = "truesum: photos.sfv: not converted: 1 entry could not be verified\n\
                hint: to leave out a file that cannot be restored: truesum convert -a sha256 --exclude /a photos.sfv\n";
    assert!(ran.err.ends_with(hint), "{}", ran.err);
    let ran = folder.run(&["convert", "--exclude", "/a", "photos.sfv", "-a", "sha256"]);
    assert_eq!((ran.code, ran.out().lines().count()), (Some(0), 2), "as the hint says: {}", ran.err);
    std::fs::remove_file(folder.path("a")).unwrap();
    refused("truesum: a: cannot open: No such file or directory", 1);
    std::fs::create_dir(folder.path("a")).unwrap();
    refused("truesum: a: cannot ", 1);
    std::fs::remove_dir(folder.path("a")).unwrap();
    folder.write("a", "abc");
    folder.write("photos.sfv", "a 352441C2\nno entry\n");
    refused("truesum: photos.sfv: not converted: it has malformed lines", 2);
    folder.write("photos.sfv", "");
    refused("truesum: photos.sfv: not converted: nothing was verified", 2);
    // An entry without a digest cannot be verified.
    folder
        .write("sizes.jsonl", "{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"size\":3,\"digests\":{}}\n");
    let ran = folder.run(&["convert", "sizes.jsonl", "-a", "sha256"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{}", ran.err);
    let ran = folder.run(&["convert", "photos.sfv", "-a", "sha256", "--only", "none"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{}", ran.err);
}

#[test]
fn old_digests_are_not_relabeled_as_another_algorithm() {
    // regression: `convert -a blake3` took unnamed SHA-256 digests for BLAKE3 digests without reading a file.
    let folder = Folder::with(&[("a", "abc"), ("list.txt", &format!("{ABC}  a\n"))]);
    let ran = folder.run(&["convert", "-a", "blake3", "list.txt", "-t", "bsd"]);
    let line = "BLAKE3 (a) = 6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85\n";
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), line), "{}", ran.err);
}

#[test]
fn losses_are_named_and_convert_writes_nothing_without_lossy() {
    let folder = Folder::with(&[("a", "abc")]);
    let json = format!(
        "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"size\":3,\"digests\":{{\"sha256\":\"{ABC}\",\"crc32\":\"352441c2\"}}}}\n"
    );
    folder.write("M.jsonl", json);
    let ran = folder.run(&["convert", "M.jsonl", "-t", "sfv", "-o", "M.sfv"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""));
    assert_eq!(
        ran.err,
        "truesum: M.jsonl: the sfv format cannot store the sha256 digest of 1 entry\n\
         truesum: M.jsonl: the sfv format cannot store the size of 1 entry\n\
         truesum: M.jsonl: not converted: the sfv format cannot store everything in this manifest\n\
         hint: to drop this data, use --lossy; to keep everything except signatures, use -t jsonl\n"
    );
    assert_eq!(folder.entries(), ["M.jsonl", "a"]);
    let ran = folder.run(&["convert", "--lossy", "M.jsonl", "-t", "sfv", "-o", "M.sfv"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.err,
        "truesum: note: M.jsonl: the sfv format cannot store the sha256 digest of 1 entry\n\
         truesum: note: M.jsonl: the sfv format cannot store the size of 1 entry\n"
    );
    assert_eq!(folder.run(&["check", "M.sfv"]).code, Some(0));
}

#[test]
fn convert_rejects_a_manifest_with_a_malformed_line() {
    let folder = Folder::with(&[("M", &format!("{ABC}  a\noops\n{EMPTY}  b\n"))]);
    for words in [&["convert", "M", "-t", "bsd"][..], &["convert", "--lossy", "M", "-t", "bsd", "-o", "new"]]
    {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""));
        assert_eq!(
            ran.err,
            "truesum: M: line 2: not a checksum line\n\
             truesum: M: not converted: it has 1 malformed line\n\
             hint: if the lines are valid, specify their algorithm with --from-algorithm NAME or their format with --from FORMAT\n"
        );
    }
    assert_eq!(folder.entries(), ["M"]);
    for (words, error) in [
        (&["convert", "none", "-t", "bsd"][..], "truesum: none: cannot open: No such file or directory\n"),
        (&["convert", "-", "-t", "bsd"], "truesum: -: not converted: there are no entries to write\n"),
        (
            &["convert", "M", "-t", "bare"],
            "truesum: -t bare: this format can only be read\n\
             hint: to see which formats can be written: truesum list formats\n",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str(), ran.out().as_str()), (Some(2), error, ""));
    }
}

#[test]
fn untagged_output_requires_a_name_that_implies_the_algorithm() {
    let digest = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    let folder = Folder::with(&[("a", "abc"), ("M.bsd", &format!("BLAKE3 (a) = {digest}\n"))]);
    let ran = folder.run(&["convert", "M.bsd", "-t", "gnu", "-o", "M"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.err,
        "truesum: M.bsd: the gnu format cannot store the name of the algorithm (blake3)\n\
         truesum: M.bsd: not converted: the gnu format cannot store everything in this manifest\n\
         hint: to verify the files and compute sha256 digests: truesum convert -t gnu M.bsd -a sha256 -o SHA256SUMS; to keep these digests and name their algorithm, use -t bsd\n"
    );
    let ran = folder.run(&["convert", "M.bsd", "-t", "gnu", "-o", "M.b3"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(folder.read("M.b3"), format!("{digest}  a\n").as_bytes());
    assert_eq!(folder.run(&["check", "M.b3"]).code, Some(0));
    let ran = folder.run(&["convert", "--from-algorithm", "blake3", "M.b3", "-t", "bsd"]);
    assert_eq!((ran.code, ran.out()), (Some(0), format!("BLAKE3 (a) = {digest}\n")));
}

#[test]
fn misleading_output_name_is_rejected_and_other_folder_noted() {
    let folder = Folder::with(&[("a", "abc"), ("d/x", ""), ("SUMS", &format!("{ABC}  a\n"))]);
    let ran = folder.run(&["convert", "SUMS", "-t", "gnu", "-o", "MD5SUMS"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(!folder.path("MD5SUMS").exists());
    let ran = folder.run(&["convert", "SUMS", "-t", "bsd", "-o", "d/SUMS"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("truesum: note: names are relative to "), "{}", ran.err);
    assert!(
        ran.err.ends_with("hint: to check the new manifest: truesum check --root . d/SUMS\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["check", "--root", ".", "d/SUMS"]).code, Some(0));
}

#[test]
fn lines_of_one_file_become_one_entry() {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    let folder = Folder::with(&[("a", "abc"), ("M", &format!("MD5 (a) = {md5}\nSHA256 (a) = {ABC}\n"))]);
    let ran = folder.run(&["convert", "M", "-t", "jsonl"]);
    let line = format!(
        "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"digests\":{{\"md5\":\"{md5}\",\"sha256\":\"{ABC}\"}}}}\n"
    );
    assert_eq!((ran.code, ran.out(), ran.err.as_str()), (Some(0), line.clone(), ""));
    // Lines that are not adjacent, and a repeated one.
    let text = format!("MD5 (a) = {md5}\nMD5 (b) = {md5}\nMD5 (b) = {md5}\nSHA256 (a) = {ABC}\n");
    folder.write("M", text);
    let ran = folder.run(&["convert", "M", "-t", "jsonl"]);
    let b = format!("{{\"schema\":\"truesum-entry/1\",\"path\":\"b\",\"digests\":{{\"md5\":\"{md5}\"}}}}\n");
    assert_eq!((ran.code, ran.out(), ran.err.as_str()), (Some(0), line + &b, ""));
}

#[test]
fn convert_does_not_drop_a_signature_silently() {
    let text = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{ABC}  a\n-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n"
    );
    let folder = Folder::with(&[("M", &text)]);
    let ran = folder.run(&["convert", "M", "-t", "bsd"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""));
    assert!(ran.err.contains("the bsd format cannot store the signature"), "{}", ran.err);
    let ran = folder.run(&["convert", "--lossy", "M", "-t", "bsd"]);
    assert_eq!((ran.code, ran.out()), (Some(0), format!("SHA256 (a) = {ABC}\n")));
}

#[test]
fn convert_with_new_digests_replaces_nothing_needed() {
    // regression: the old digests, or a file that was not selected, were replaced without a message.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let list = format!("{digest}  a\n{digest}  b\n");
    let folder = Folder::with(&[("a", "abc"), ("b", "abc"), ("S", &list)]);
    for words in [
        &["convert", "S", "-a", "md5", "-o", "S"][..],
        &["convert", "S", "--exclude", "b", "-a", "md5", "-o", "S"],
        &["convert", "--overwrite", "S", "--exclude", "b", "-a", "md5", "-o", "b"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert_eq!(
            (folder.read("S"), folder.read("b")),
            (list.clone().into_bytes(), b"abc".to_vec()),
            "{words:?}"
        );
    }
    let ran = folder.run(&["convert", "--overwrite", "S", "-a", "md5,md5", "-o", "S"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run(&["check", "-a", "md5", "S"]).code, Some(0));
}

#[test]
fn assumed_algorithm_is_named() {
    // regression: BLAKE3 digests became SHA-256 digests without a message.
    let folder = Folder::with(&[("list", &format!("{ABC}  a\n")), ("SHA256SUMS", &format!("{ABC}  a\n"))]);
    let ran = folder.run(&["convert", "list", "-t", "bsd"]);
    assert!(
        ran.code == Some(0)
            && ran.err.contains("so the algorithm was assumed from the length of the digests (sha256)"),
        "{}",
        ran.err
    );
    for words in [&["SHA256SUMS", "-t", "bsd"][..], &["list", "--from-algorithm", "blake3", "-t", "bsd"]] {
        let ran = folder.run(&[&["convert"][..], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn new_digests_that_check_rejects_are_noted() {
    // regression: `convert -a imohash` wrote a manifest that `check` rejects, without a note.
    let folder = Folder::with(&[("a", "abc"), ("M.sha256", &lines(&[(ABC, "a")]))]);
    for (algorithm, said) in [
        ("imohash", "note: imohash covers only parts of a file: three samples of 16 KiB"),
        ("blake2b-64", "note: blake2b-64: 64 bits are too few, so truesum check accepts these digests only"),
    ] {
        for words in [&["hash", "a"][..], &["convert", "M.sha256"]] {
            let ran = folder.run(&[words, &["-a", algorithm, "-t", "bsd"]].concat());
            assert!(ran.code == Some(0) && ran.err.contains(said), "{words:?} {algorithm}: {}", ran.err);
        }
    }
}

/// Formats with room for sizes dropped the other attributes of an entry without a report, also in place.
#[test]
fn attributes_that_no_format_stores_are_lost_only_on_request() {
    let mtree = format!("#mtree\na type=file mode=0644 size=3 sha256digest={ABC}\n");
    for to in ["mtree", "magnet", "jsonl"] {
        for more in [&[][..], &["-o", "l.mtree"], &["-a", "sha512"]] {
            let folder = Folder::with(&[("l.mtree", &mtree), ("a", "abc")]);
            let args = [&["convert", "l.mtree", "-t", to][..], more].concat();
            let ran = folder.run(&args);
            assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{args:?}");
            let said = format!("l.mtree: the {to} format cannot store the attribute mode of 1 entry");
            assert!(ran.err.contains(&said), "{args:?}: {}", ran.err);
            assert_eq!(folder.read("l.mtree"), mtree.as_bytes());
            let ran = folder.run(&["convert", "l.mtree", "-t", to, "--lossy"]);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
        }
    }
    let link = "ed2k://|file|a|3|a448017aaf21d8525fc10ae87aa6729d|s=http://x/a|/\n";
    let folder = Folder::with(&[("l.ed2k", link)]);
    let ran = folder.run(&["convert", "l.ed2k", "-t", "ed2k", "-o", "l.ed2k"]);
    assert!(ran.err.contains("the ed2k format cannot store the attribute sources of 1 entry"), "{}", ran.err);
    assert_eq!(folder.read("l.ed2k"), link.as_bytes());
}

#[test]
fn objects_without_digests_are_never_dropped_silently() {
    // regression: links, pipes and empty directories of an mtree file were dropped by convert and not mentioned by others.
    let mtree = format!(
        "#mtree\n. type=dir\n./a type=file size=3 sha256digest={ABC}\n./l type=link link=a\n./p type=fifo\n"
    );
    let folder = Folder::with(&[("m.mtree", &mtree), ("a", "abc")]);
    let lost = "m.mtree: the jsonl format cannot store 1 symbolic link (l)\n";
    for more in [&[][..], &["-o", "m.mtree"], &["-a", "sha512"]] {
        let args = [&["convert", "m.mtree", "-t", "jsonl"][..], more].concat();
        let ran = folder.run(&args);
        assert!(ran.code == Some(2) && ran.err.contains(lost) && ran.out.is_empty(), "{args:?}: {ran:?}");
        assert_eq!(folder.read("m.mtree"), mtree.as_bytes());
    }
    let ran = folder.run(&["convert", "m.mtree", "-t", "jsonl", "--lossy"]);
    assert!(ran.code == Some(0) && ran.err.contains(lost) && ran.out().contains(ABC), "{ran:?}");
    let note = "truesum: note: m.mtree: 1 symbolic link (l) and 1 named pipe (p) were not verified, \
                because only regular files have digests\n";
    for args in [&["check", "m.mtree"][..], &["audit", "m.mtree"], &["diff", "m.mtree", "."]] {
        let ran = folder.run(args);
        assert_eq!(ran.err.matches(note).count(), 1, "{args:?}: {}", ran.err);
    }
    assert!(!folder.run(&["check", "-q", "m.mtree"]).err.contains("note"));
    // regression: a file in an archive that DROID looked into was MISSING.
    let row =
        |uri: &str| format!("\"2\",\"1\",\"{uri}\",\"/w/d/a\",\"a\",\"Done\",\"3\",\"File\",\"{ABC}\"\n");
    folder.write("a", "abc");
    folder.write(
        "droid.csv",
        "\"ID\",\"PARENT_ID\",\"URI\",\"FILE_PATH\",\"NAME\",\"STATUS\",\"SIZE\",\"TYPE\",\"SHA256_HASH\"\n\
         \"1\",\"\",\"file:/w/d/\",\"/w/d\",\"d\",\"Done\",\"\",\"Folder\",\"\"\n"
            .to_owned()
            + &row("file:/w/d/a")
            + &row("zip:file:/w/d/a!/b"),
    );
    let ran = folder.run(&["check", "droid.csv"]);
    let note = "droid.csv: 1 file inside an archive (zip:file:/w/d/a!/b) was not verified, because archives are not \
                unpacked\n";
    assert!(ran.code == Some(0) && ran.err.contains(note), "{ran:?}");
}

#[test]
fn quiet_conversion_prints_no_notes() {
    // regression: `convert`, `identify` and `directory` did not have -q.
    let folder = Folder::with(&[("a", "abc"), ("d/x", "")]);
    assert_eq!(folder.run(&["-o", "l.sha256", "a"]).code, Some(0));
    let ran = folder.run(&["convert", "l.sha256", "-a", "md5", "-o", "d/l.md5"]);
    assert!(ran.code == Some(0) && ran.err.contains("note: 1 file verified"), "{}", ran.err);
    let ran = folder.run(&["convert", "-q", "l.sha256", "-a", "md5", "-o", "d/m.md5"]);
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
    assert_eq!(folder.run(&["-q", "identify", "900150983cd24fb0d6963f7d28e17f72", "a"]).code, Some(0));
    assert_eq!(folder.run(&["directory", "-q", "d"]).code, Some(0));
}

#[test]
fn algorithm_that_the_format_cannot_store_is_refused_before_any_file_is_read() {
    // The file is missing, which would be reported if it were read.
    let folder = Folder::with(&[("M.sha256", &format!("{ABC}  gone\n"))]);
    let ran = folder.run(&["convert", "-a", "sha256", "-t", "sfv", "M.sha256"]);
    let expected = "truesum: -a sha256: the sfv format cannot store this algorithm\n";
    assert!(ran.code == Some(2) && ran.err.starts_with(expected) && !ran.err.contains("gone"), "{}", ran.err);
}

#[test]
fn trackers_and_the_mark_of_a_private_torrent_are_not_lost_silently() {
    // regression: a private torrent became a public one with exit status 0.
    let folder = Folder::with(&[("d/a", "abc")]);
    let words =
        ["torrent", "create", "--announce", "http://t.example/a", "--private", "-o", "p.torrent", "d"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run(&["convert", "p.torrent", "-t", "torrent", "-o", "q.torrent"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("private") && ran.err.contains("announce"),
        "{}",
        ran.err
    );
    assert!(!folder.path("q.torrent").exists());
    let ran = folder.run(&["convert", "--lossy", "p.torrent", "-t", "torrent", "-o", "q.torrent"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}
