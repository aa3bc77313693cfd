//! Files verified and repaired by digests of their pieces.

use crate::bytes::{flip, noise};
use crate::program::Folder;
use truesum::hash::Spec;

fn digest(algorithm: &str, bytes: &[u8]) -> Vec<u8> {
    algorithm.parse::<Spec>().unwrap().digest(bytes).as_bytes().to_vec()
}

/// Returns a version 1 torrent with these files in `set`, each followed by this number of padding zeros, and this piece
/// length.
fn padded_torrent(files: &[(&str, &[u8], usize)], piece_len: usize) -> Vec<u8> {
    let (mut list, mut all) = (String::new(), Vec::new());
    for (name, bytes, pad) in files {
        list += &format!("d6:lengthi{}e4:pathl{}:{name}eed4:attr1:p6:lengthi{pad}e", bytes.len(), name.len());
        list += &format!("4:pathl4:.pad{}:{pad}ee", pad.to_string().len());
        all.extend_from_slice(bytes);
        all.resize(all.len() + pad, 0);
    }
    let pieces: Vec<u8> = all.chunks(piece_len).flat_map(|piece| digest("sha1", piece)).collect();
    let head = format!("d4:infod5:filesl{list}e4:name3:set12:piece lengthi{piece_len}e6:pieces");
    [head.as_bytes(), format!("{}:", pieces.len()).as_bytes(), &pieces, b"ee"].concat()
}

#[test]
fn torrent_padding_is_known_to_be_zeros() {
    let folder = Folder::new();
    let (a, b) = (noise(20_000), noise(100));
    for from in ["set", "copies/set"] {
        folder.write(format!("{from}/a"), &a);
        folder.write(format!("{from}/b"), &b);
    }
    folder.write("x.torrent", padded_torrent(&[("a", &a, 12_768), ("b", &b, 16_284)], 16_384));
    let ran = folder.run(&["check", "x.torrent"]);
    assert_eq!((ran.out().as_str(), ran.code), ("set/a: OK\nset/b: OK\n", Some(0)), "{}", ran.err);
    flip(&folder.path("set/b"), 5);
    let ran = folder.run(&["check", "--locate", "x.torrent"]);
    let message = "set/a: OK\nset/b: FAILED\n  0 100 damaged\n";
    assert!(ran.out().starts_with(message) && ran.code == Some(1), "{} {}", ran.out(), ran.err);
    let ran = folder.run(&["tree", "repair", "--from", "copies", "x.torrent"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("set/b: 0 100 repaired: 100 bytes written\n", Some(0)),
        "{}",
        ran.err
    );
    assert_eq!(folder.read("set/b"), b);
}

#[test]
fn torrent_padding_may_fill_most_of_a_piece() {
    let folder = Folder::with(&[("set/a", "abc"), ("set/b", "defg")]);
    let hash = ["torrent", "create", "--protocol=hybrid", "--piece-size=128MiB", "-o", "x.torrent", "set"];
    assert_eq!(folder.run(&hash).code, Some(0));
    let ran = folder.run(&["check", "x.torrent"]);
    assert_eq!((ran.out().as_str(), ran.code), ("set/a: OK\nset/b: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn padding_with_implausible_length_is_rejected() {
    // Only the lengths matter: the manifest is rejected before a digest is compared.
    let folder = Folder::with(&[("set/a", "a"), ("z", "abc")]);
    let torrent = |pad: u64, piece_len: u64| {
        let head = format!(
            "d4:infod5:filesld6:lengthi1e4:pathl1:aeed4:attr1:p6:lengthi{pad}e4:pathl1:peee4:name3:set\
             12:piece lengthi{piece_len}e6:pieces20:"
        );
        [head.as_bytes(), &[7; 20], b"ee"].concat()
    };
    let zsync = |len: u64, block: u64| {
        let sha1: String = digest("sha1", b"abc").iter().map(|byte| format!("{byte:02x}")).collect();
        let head = format!(
            "zsync: 0.6.2\nFilename: z\nBlocksize: {block}\nLength: {len}\nHash-Lengths: 1,4,16\nSHA-1: {sha1}\n\n"
        );
        [head.as_bytes(), &[0; 20]].concat()
    };
    let pad = "a padding file must be shorter than a piece, and a piece must not exceed 1 GiB";
    let block = "the block size exceeds the file size or the maximum of 1 GiB";
    for (list, why) in [
        (torrent(1 << 20, 1 << 20), pad),
        (torrent(60 << 20, 1 << 40), pad),
        (zsync(3, 1 << 62), block),
        (zsync(3, 1 << 25), block),
        (zsync(1 << 40, 1 << 40), block),
    ] {
        folder.write("list", list);
        for words in [&["check", "--locate", "list"][..], &["tree", "repair", "--from", ".", "list"]] {
            let ran = folder.run(words);
            assert!(ran.code > Some(0) && ran.err.contains(why), "{why}: {:?} {}", ran.code, ran.err);
        }
    }
    folder.write("list", torrent((1 << 30) - 1, 1 << 30));
    assert_eq!(folder.run(&["check", "list"]).out(), "set/a: FAILED\n  0 1 damaged\n");
    folder.write("list", zsync(3, 1 << 24));
    assert!(folder.run(&["check", "--locate", "list"]).out().contains("\n  0 3 damaged\n"));
}

fn hexadecimal(algorithm: &str, bytes: &[u8]) -> String {
    digest(algorithm, bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a Metalink file for one file `q`, with lists of pieces: the length and the algorithm of each.
fn metalink(bytes: &[u8], lists: &[(usize, &str)]) -> String {
    let list = |&(len, algorithm): &(usize, &str)| {
        let hash = |piece| format!("<hash>{}</hash>", hexadecimal(algorithm, piece));
        let hashes: String = bytes.chunks(len).map(hash).collect();
        format!("<pieces length=\"{len}\" type=\"{algorithm}\">{hashes}</pieces>")
    };
    let lists: String = lists.iter().map(list).collect();
    let head = "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"q\">";
    format!("{head}<size>{}</size>{lists}</file></metalink>", bytes.len())
}

/// Returns Digital Forensics XML for one file `q`, with runs: the offset, the length and the algorithm of each.
fn dfxml(bytes: &[u8], runs: &[(usize, usize, &str)]) -> String {
    let run = |&(start, len, algorithm): &(usize, usize, &str)| {
        let hash = hexadecimal(algorithm, &bytes[start..start + len]);
        format!(
            "<byte_run file_offset=\"{start}\" len=\"{len}\">\
             <hashdigest type=\"{algorithm}\">{hash}</hashdigest></byte_run>"
        )
    };
    let runs: String = runs.iter().map(run).collect();
    let head = "<?xml version=\"1.0\"?><dfxml><fileobject><filename>q</filename>";
    format!("{head}<filesize>{}</filesize>{runs}</fileobject></dfxml>", bytes.len())
}

#[test]
fn piece_lists_of_different_sizes_are_all_compared() {
    let folder = Folder::new();
    let good = noise(102_400);
    folder.write("copy", &good);
    for (list, message) in [
        // A range that a matching piece of the finer list covers is not damaged.
        (metalink(&good, &[(4096, "sha-256"), (16_384, "sha-1")]), "98304 4096"),
        (metalink(&good, &[(16_384, "sha-1"), (4096, "sha-256")]), "98304 4096"),
        // The same for a list whose pieces begin elsewhere.
        (dfxml(&good, &[(0, 100_000, "md5"), (0, 60_000, "sha1"), (60_000, 42_400, "sha1")]), "60000 42400"),
        // A matching checksum does not outweigh a mismatching digest.
        (metalink(&good, &[(4096, "crc32"), (16_384, "sha-1")]), "98304 4096"),
        // The lists cover different ranges.
        (dfxml(&good, &[(0, 51_200, "md5"), (51_200, 51_200, "sha1")]), "51200 51200"),
    ] {
        folder.write("q", &good);
        folder.write("list", &list);
        let ran = folder.run(&["check", "list"]);
        assert_eq!((ran.out().as_str(), ran.code), ("q: OK\n", Some(0)), "{list}: {}", ran.err);
        flip(&folder.path("q"), 99_999);
        let ran = folder.run(&["check", "--locate", "list"]);
        assert!(
            ran.out().starts_with(&format!("q: FAILED\n  {message} damaged\n")) && ran.code == Some(1),
            "{list}: {}",
            ran.out()
        );
        let ran = folder.run(&["tree", "repair", "--from", "copy", "list"]);
        assert_eq!(ran.code, Some(0), "{list}: {} {}", ran.out(), ran.err);
        assert_eq!(folder.read("q"), good);
    }
}

#[test]
fn contradicting_piece_lists_verify_nothing() {
    let folder = Folder::new();
    let good = noise(40_960);
    let mut other = good.clone();
    other[9000] ^= 1;
    // The two lists describe different contents, so no file matches both.
    let [fine, coarse] = [metalink(&good, &[(4096, "sha-256")]), metalink(&other, &[(20_480, "sha-1")])];
    let second = &coarse[coarse.find("<pieces").unwrap()..];
    folder.write("list", fine.replace("</file></metalink>", second));
    folder.write("copy", &good);
    for (bytes, message) in [(&good, "0 20480"), (&other, "8192 4096")] {
        folder.write("q", bytes);
        let ran = folder.run(&["check", "--locate", "list"]);
        assert!(ran.out().starts_with(&format!("q: FAILED\n  {message} damaged\n")), "{}", ran.out());
        assert_eq!(folder.run(&["tree", "repair", "--from", "copy", "list"]).code, Some(1));
    }
    // A byte that only one list covers is verified by that list; a byte that no list covers is not verified.
    let runs = dfxml(&good, &[(0, 10_000, "md5"), (20_000, 20_960, "sha1")]);
    folder.write("list", runs);
    folder.write("q", &good);
    let ran = folder.run(&["check", "list"]);
    assert!(ran.out().starts_with("q: NOT VERIFIED\n  10000 10000 not verified"), "{}", ran.out());
}

#[test]
fn entries_without_piece_digests_are_verified_too() {
    let folder = Folder::new();
    let big = noise(60_000);
    folder.write("copies/q", &big);
    folder.write("copies/small", "small");
    let hash = hexadecimal("sha-256", b"small");
    let small = format!("</file><file name=\"small\"><hash type=\"sha-256\">{hash}</hash></file></metalink>");
    folder.write("list", metalink(&big, &[(4096, "sha-1")]).replace("</file></metalink>", &small));
    folder.write("q", &big);
    let repair = || folder.run(&["tree", "repair", "--from", "copies", "list"]);
    let missing = repair();
    assert!(missing.code == Some(1) && missing.err.contains("small: cannot open"), "{}", missing.err);
    folder.write("small", "smoll");
    let damaged = repair();
    assert!(damaged.code == Some(1) && damaged.err.contains("small: does not match"), "{}", damaged.err);
    folder.write("small", "small");
    assert_eq!(repair().code, Some(0));
}

/// Returns a packet of a PAR2 set.
fn packet(kind: &[u8; 16], body: &[u8]) -> Vec<u8> {
    let hashed = [&[1; 16], &kind[..], body].concat();
    let len = (32 + hashed.len() as u64).to_le_bytes();
    [b"PAR2\0PKT", &len[..], &digest("md5", &hashed), &hashed].concat()
}

/// Returns a PAR2 file for one file `set/a` that is no longer than a slice.
fn parity(bytes: &[u8]) -> Vec<u8> {
    let (start, size) = (&bytes[..bytes.len().min(16 << 10)], (bytes.len() as u64).to_le_bytes());
    let id = digest("md5", &[&digest("md5", start)[..], &size, b"set/a"].concat());
    let described = [&id[..], &digest("md5", bytes), &digest("md5", start), &size, b"set/a\0\0\0"].concat();
    let main = [&(1u64 << 20).to_le_bytes()[..], &1u32.to_le_bytes(), &id].concat();
    [packet(b"PAR 2.0\0Main\0\0\0\0", &main), packet(b"PAR 2.0\0FileDesc", &described)].concat()
}

#[test]
fn single_piece_file_is_located_and_repaired_as_a_whole() {
    let good = noise(20_000);
    for (list, by) in [("v2.torrent", "bt2-pieces-root"), ("x.par2", "md5")] {
        let folder = Folder::new();
        for name in ["set/a", "copies/set/a"] {
            folder.write(name, &good);
        }
        folder.write("x.par2", parity(&good));
        let hash = ["torrent", "create", "--protocol=v2", "--piece-size=64KiB", "-o", "v2.torrent", "set"];
        assert_eq!(folder.run(&hash).code, Some(0));
        let ran = folder.run(&["check", "--locate", list]);
        assert_eq!((ran.out().as_str(), ran.code), ("set/a: OK\n", Some(0)), "{}", ran.err);
        flip(&folder.path("set/a"), 9000);
        let ran = folder.run(&["check", "--locate", list]);
        let message = format!("set/a: FAILED\n  0 20000 damaged\n  expected {by} ");
        assert!(ran.out().starts_with(&message) && ran.code == Some(1), "{} {}", ran.out(), ran.err);
        let ran = folder.run(&["tree", "repair", "--from", "copies", list]);
        let message = "0 20000 repaired: 4096 bytes written\n";
        assert_eq!((ran.out().as_str(), ran.code), (message, Some(0)), "{}", ran.err);
        assert_eq!(folder.read("set/a"), good);
    }
}

/// Returns the lines of `hashdeep -p` for one file `q`, with pieces of this length.
fn piecewise(bytes: &[u8], len: usize) -> Vec<String> {
    let line = |(at, piece): (usize, &[u8])| {
        let (first, last) = (at * len, at * len + piece.len() - 1);
        format!("{},{},q offset {first}-{last}\n", piece.len(), hexadecimal("md5", piece))
    };
    bytes.chunks(len).enumerate().map(line).collect()
}

#[test]
fn piecewise_hashes_may_be_unordered_and_repeated() {
    let folder = Folder::new();
    let good = noise(50_000);
    folder.write("copy", &good);
    let head = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n";
    let lines = piecewise(&good, 4096);
    let backwards: String = lines.iter().rev().map(String::as_str).collect();
    let twice = format!("{backwards}{}", lines[3]);
    let both = format!("{}{}", lines.concat(), piecewise(&good, 10_000).concat());
    // Matching pieces of another length narrow down a damaged piece.
    let message = ["16384 4096", "16384 4096", "16384 4096", "20000 480"];
    for (list, message) in [lines.concat(), backwards, twice, both].into_iter().zip(message) {
        folder.write("q", &good);
        folder.write("list", format!("{head}{list}"));
        let ran = folder.run(&["check", "list"]);
        assert_eq!((ran.out().as_str(), ran.code), ("q: OK\n", Some(0)), "{}", ran.err);
        assert!(ran.err.contains("1 file verified, 1 not in the manifest; 49 KiB read"), "{}", ran.err);
        flip(&folder.path("q"), 20_000);
        let ran = folder.run(&["check", "--locate", "list"]);
        let message = format!("q: FAILED\n  {message} damaged\n");
        assert!(ran.out().starts_with(&message), "{}", ran.out());
        let ran = folder.run(&["tree", "repair", "--from", "copy", "list"]);
        assert!(ran.code == Some(0) && folder.read("q") == good, "{} {}", ran.out(), ran.err);
    }
    // A gap is reported in any order of the lines, and a piece with two different digests fails.
    folder.write("list", format!("{head}{}{}", lines[5], lines[0]));
    let ran = folder.run(&["check", "list"]);
    let message = "q: NOT VERIFIED\n  4096 16384 not verified";
    assert!(
        ran.out().starts_with(message) && ran.out().contains("\n  24576 25424 not verified"),
        "{}",
        ran.out()
    );
    let other = lines[2].replacen(&hexadecimal("md5", &good[8192..12_288]), &"0".repeat(32), 1);
    folder.write("list", format!("{head}{}{other}", lines.concat()));
    let ran = folder.run(&["check", "list"]);
    assert_eq!((ran.out().as_str(), ran.code), ("q: FAILED\n  8192 4096 damaged\n", Some(1)));
    // Any number of overlapping pieces are all compared.
    let overlapping: String = (0..40)
        .map(|at| {
            format!(
                "{},{},q offset 0-{}\n",
                50_000 - at,
                hexadecimal("md5", &good[..50_000 - at]),
                49_999 - at
            )
        })
        .collect();
    for (list, good) in [
        (overlapping.clone(), true),
        (overlapping.replacen(&hexadecimal("md5", &good[..49_980]), &"0".repeat(32), 1), false),
    ] {
        folder.write("list", format!("{head}{list}"));
        let ran = folder.run(&["check", "list"]);
        assert_eq!(ran.out().contains("FAILED"), !good, "{}", ran.out());
    }
}

#[test]
fn useless_copy_is_reported_with_its_reason() {
    let folder = Folder::new();
    let good = noise(60_000);
    folder.write("q", &good);
    folder.write("list", metalink(&good, &[(4096, "sha-1")]));
    flip(&folder.path("q"), 9000);
    folder.write("damaged/q", folder.read("q"));
    std::fs::create_dir(folder.path("empty")).unwrap();
    std::fs::create_dir(folder.path("linked")).unwrap();
    std::fs::hard_link(folder.path("q"), folder.path("linked/q")).unwrap();
    for (copy, why) in [
        ("damaged", "the copy is damaged here as well"),
        ("damaged/q", "the copy is damaged here as well"),
        ("empty", "the copy does not exist"),
        (".", "the copy is the damaged file itself"),
        ("q", "the copy is the damaged file itself"),
        ("linked", "the copy is the damaged file itself"),
    ] {
        let ran = folder.run(&["tree", "repair", "--from", copy, "list"]);
        assert_eq!(
            (ran.out(), ran.code),
            (format!("8192 4096 cannot be repaired: {why}\n"), Some(1)),
            "{copy}: {}",
            ran.err
        );
    }
}

#[test]
fn file_is_only_as_tamper_evident_as_its_weakest_piece() {
    let folder = Folder::new();
    let good = noise(60_000);
    folder.write("q", &good);
    for (list, weak) in [
        (dfxml(&good, &[(0, 30_000, "md5"), (30_000, 30_000, "sha256")]), Some("md5")),
        (dfxml(&good, &[(0, 60_000, "md5"), (30_000, 30_000, "sha256")]), Some("md5")),
        (dfxml(&good, &[(0, 60_000, "sha256"), (30_000, 30_000, "md5")]), None),
        (metalink(&good, &[(4096, "md5"), (8192, "sha-256")]), None),
    ] {
        folder.write("list", &list);
        let ran = folder.run(&["check", "list"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let message = weak.map(|name| format!("{name} (1 entry): no protection against tampering"));
        let is_said = message.is_none_or(|message| ran.err.contains(&message));
        assert!(
            is_said && ran.err.contains("no protection against tampering") == weak.is_some(),
            "{list}: {}",
            ran.err
        );
    }
}

#[test]
fn names_in_torrents_are_matched_as_in_other_manifests() {
    // regression: --normalize, --match-case and --search had no effect on files that have piece digests only.
    for protocol in ["v1", "v2", "hybrid"] {
        let folder =
            Folder::with(&[("d/caf\u{e9}", "abc"), ("d/Read.me", "other"), ("d/sub/moved", "far away")]);
        folder.write("d/big", [7; 40_000]);
        let words =
            ["torrent", "create", "--protocol", protocol, "--piece-size", "16KiB", "-o", "T.torrent", "d"];
        assert_eq!(folder.run(&words).code, Some(0), "{protocol}");
        let rename = |from: &str, to: &str| std::fs::rename(folder.path(from), folder.path(to)).unwrap();
        rename("d/caf\u{e9}", "d/cafe\u{301}");
        rename("d/Read.me", "d/READ.ME");
        assert_eq!(folder.run(&["check", "T.torrent"]).code, Some(1), "{protocol}");
        let ran = folder.run(&["check", "--normalize", "--match-case=no", "T.torrent"]);
        assert_eq!(ran.code, Some(0), "{protocol}: {}{}", ran.out(), ran.err);
        // regression: files that were accepted under other names also counted as not in the manifest.
        assert!(!ran.err.contains("not in the manifest"), "{protocol}: {}", ran.err);
        // Another content under a similar name fails.
        folder.write("d/READ.ME", "OTHER");
        let ran = folder.run(&["check", "--normalize", "--match-case=no", "T.torrent"]);
        assert_eq!(ran.code, Some(1), "{protocol}: {}{}", ran.out(), ran.err);
    }
}

/// Returns a list as `hashdeep -p 16k` writes it, with the pieces of each file on separate lines.
fn pieces_of_hashdeep(files: &[(&str, &[u8])]) -> String {
    let mut list = "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n".to_owned();
    for (name, bytes) in files {
        for (at, piece) in bytes.chunks(16_384).enumerate() {
            let digest = |algorithm: &str| algorithm.parse::<Spec>().unwrap().digest(piece).to_hex();
            let (begin, end) = (at * 16_384, at * 16_384 + piece.len() - 1);
            let (len, md5, sha256) = (piece.len(), digest("md5"), digest("sha256"));
            list += &format!("{len},{md5},{sha256},{name} offset {begin}-{end}\n");
        }
    }
    list
}

#[test]
fn files_with_pieces_are_found_under_other_names() {
    // regression: --search and --fix-names had no effect on files of which only digests of pieces are known, although
    // hints suggested them.
    let (big, twin, small) = (noise(40_000), vec![7; 40_000], b"abc".to_vec());
    for list in ["T.torrent", "L.hashdeep"] {
        let folder = Folder::new();
        folder.write("d/big", &big);
        folder.write("d/small", &small);
        match list {
            "T.torrent" => {
                let words =
                    ["torrent", "create", "--protocol", "v1", "--piece-size", "16KiB", "-o", list, "d"];
                assert_eq!(folder.run(&words).code, Some(0));
            }
            _ => folder.write(list, pieces_of_hashdeep(&[("d/big", &big), ("d/small", &small)])),
        }
        let rename = |from: &str, to: &str| std::fs::rename(folder.path(from), folder.path(to)).unwrap();
        folder.write("d/a twin", &twin);
        folder.write("d/sub/c", b"abd");
        rename("d/big", "d/sub/moved");
        let ran = folder.run(&["check", list]);
        assert!(ran.code == Some(1) && ran.err.contains("--search --moved=ok"), "{list}: {}", ran.err);
        let ran = folder.run(&["check", "--search", list]);
        let mut out: Vec<&str> = std::str::from_utf8(&ran.out).unwrap().lines().collect();
        out.sort_unstable();
        assert_eq!(
            (&out[..], ran.code),
            (&["d/big: MOVED to d/sub/moved", "d/small: OK"][..], Some(1)),
            "{list}"
        );
        assert_eq!(folder.run(&["check", "--search", "--moved=ok", list]).code, Some(0), "{list}");
        // All pieces must match, and other files are found nevertheless.
        flip(&folder.path("d/sub/moved"), 39_999);
        let ran = folder.run(&["check", "--search", "--moved=ok", list]);
        assert!(ran.code == Some(1) && ran.out().contains("d/big: MISSING\n"), "{list}: {}", ran.out());
        flip(&folder.path("d/sub/moved"), 39_999);
        let words = ["check", "--search", "--rename-to-match", "--yes", "--moved=ok", list];
        assert_eq!(folder.run(&words).code, Some(0), "{list}");
        assert_eq!(folder.run(&["check", list]).code, Some(0), "{list}");
        rename("d/small", "d/SMALL");
        let ran = folder.run(&["check", list]);
        assert!(
            ran.code == Some(1) && ran.err.contains("or rename it with --fix-names\n"),
            "{list}: {}",
            ran.err
        );
        assert_eq!(
            folder.run(&["check", "--fix-names", "--yes", "--moved=ok", list]).code,
            Some(0),
            "{list}"
        );
        let ran = folder.run(&["check", list]);
        assert_eq!(ran.code, Some(0), "{list}: {}", ran.err);
    }
}

#[test]
fn torrent_of_a_renamed_folder_is_checked_with_data() {
    for protocol in ["v1", "v2", "hybrid"] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/sub/b", "other")]);
        folder.write("d/big", [7; 40_000]);
        let words =
            ["torrent", "create", "--protocol", protocol, "--piece-size", "16KiB", "-o", "T.torrent", "d"];
        assert_eq!(folder.run(&words).code, Some(0), "{protocol}");
        std::fs::rename(folder.path("d"), folder.path("e")).unwrap();
        let ran = folder.run(&["check", "--data", "e", "T.torrent"]);
        assert_eq!(ran.code, Some(0), "{protocol}: {}{}", ran.out(), ran.err);
        folder.write("e/big", [8; 40_000]);
        let ran = folder.run(&["check", "--data", "e", "T.torrent"]);
        assert_eq!(ran.code, Some(1), "{protocol}: {}{}", ran.out(), ran.err);
    }
    // The entries of a list must be in one folder.
    let folder = Folder::with(&[("x/a", "abc"), ("y/b", "abc")]);
    folder.run(&["hash", "-o", "M", "x", "y"]);
    let ran = folder.run(&["check", "--data", "x", "M"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out(), ran.err);
}

#[test]
fn hints_for_a_torrent_name_the_folder_that_was_given() {
    let folder = Folder::new();
    folder.write("photos/a", b"a");
    assert_eq!(folder.run(&["torrent", "create", "-o", "t.torrent", "photos"]).code, Some(0));
    std::fs::create_dir(folder.path("dl")).unwrap();
    std::fs::rename(folder.path("photos"), folder.path("dl/renamed")).unwrap();
    let ran = folder.run(&["torrent", "check", "--root", "dl/renamed", "t.torrent"]);
    assert_eq!(ran.code, Some(1));
    // Regression: the hint named the current folder, which may contain another copy.
    folder.write("photos/a", b"a");
    let again = folder.run(&["torrent", "check", "--root", "dl/renamed", "t.torrent"]);
    for ran in [ran, again] {
        assert!(ran.err.contains("truesum check --data dl/renamed t.torrent\n"), "{}", ran.err);
    }
    assert_eq!(folder.run(&["check", "--data", "dl/renamed", "t.torrent"]).code, Some(0));
    let ran = folder.run(&["torrent", "check", "t.torrent", "dl"]);
    assert_eq!(ran.code, Some(2));
    // regression: the command in the hint failed, because this folder does not contain the files.
    assert!(ran.err.ends_with("truesum torrent check --data dl/renamed t.torrent\n"), "{}", ran.err);
    std::fs::create_dir(folder.path("other")).unwrap();
    let ran = folder.run(&["torrent", "check", "t.torrent", "other"]);
    assert!(ran.err.ends_with("truesum torrent check --root DIR t.torrent\n"), "{}", ran.err);
}

#[test]
fn folder_of_a_torrent_may_be_given_itself_or_the_one_that_contains_it() {
    // regression: only the containing folder worked, for the files and for the copy.
    let text = |byte: u8| vec![byte; 40_000];
    let folder = Folder::new();
    for of in ["share", "good", "away/share"] {
        std::fs::create_dir_all(folder.path(of)).unwrap();
        folder.write(format!("{of}/a"), text(b'a'));
        folder.write(format!("{of}/b"), text(b'b'));
    }
    assert_eq!(folder.run(&["torrent", "create", "-o", "t.torrent", "share"]).code, Some(0));
    std::fs::remove_dir_all(folder.path("share")).unwrap();
    let ran = folder.run(&["torrent", "check", "t.torrent", "away/share"]);
    let hint = "truesum torrent check --data away/share t.torrent\n";
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["torrent", "check", "--data", "away/share", "t.torrent"]).code, Some(0));
    let ran = folder.run(&["tree", "repair", "--from", "good", "t.torrent"]);
    let hint = "in another folder: truesum tree repair --from good t.torrent FOLDER\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    for files in ["away/share", "away"] {
        let mut damaged = text(b'b');
        damaged[20_000] = b'X';
        folder.write("away/share/b", damaged);
        let ran = folder.run(&["tree", "repair", "--from", "good", "t.torrent", files]);
        assert_eq!(ran.code, Some(0), "{files}: {}", ran.err);
        assert_eq!(folder.read("away/share/b"), text(b'b'), "{files}");
    }
}

#[test]
fn unclear_folder_of_a_torrent_is_not_written_to() {
    // regression: an intact file in a subfolder with the name of the torrent was overwritten with its namesake, and so
    // was a file of the user with the name of a file in the torrent.
    let folder = Folder::new();
    let text = |byte: u8| vec![byte; 40_000];
    std::fs::create_dir_all(folder.path("p/s/s")).unwrap();
    std::fs::create_dir_all(folder.path("dl")).unwrap();
    let mut other = text(b'a');
    other[20_000] = b'X';
    folder.write("p/s/f", text(b'a'));
    folder.write("p/s/s/f", &other);
    folder.write("dl/f", &other);
    assert_eq!(folder.run(&["torrent", "create", "-o", "t.torrent", "p/s"]).code, Some(0));
    for files in ["p/s", "dl"] {
        let ran = folder.run(&["tree", "repair", "--from", "p", "t.torrent", files]);
        assert_ne!(ran.code, Some(0), "{files}");
        assert_eq!((folder.read("p/s/s/f"), folder.read("dl/f")), (other.clone(), other.clone()), "{files}");
    }
    let ran = folder.run(&["tree", "repair", "--from", "p", "t.torrent", "p/s"]);
    assert!(ran.err.contains("hint: if it is the folder of the torrent: "), "{}", ran.err);
    assert_eq!(folder.run(&["tree", "repair", "--from", "p", "t.torrent", "p/s/.."]).code, Some(0));
}

#[test]
fn torrent_of_files_elsewhere_is_created_with_the_command_that_checks_it() {
    // regression: without --root, a check reported all files as missing.
    let folder = Folder::with(&[("d/a", "abc")]);
    let ran = folder.run(&["torrent", "create", "-o", "a.torrent", "d/a"]);
    assert!(
        ran.err.contains("hint: to check the torrent: truesum torrent check --data d/a a.torrent\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["torrent", "check", "--data", "d/a", "a.torrent"]).code, Some(0));
    let ran = folder.run(&["torrent", "create", "-o", "d.torrent", "d"]);
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
}

#[test]
fn torrent_of_a_single_file_is_checked_in_the_folder_given_with_data() {
    // regression: the folder was refused, with the advice to specify it.
    for protocol in ["v1", "v2", "hybrid"] {
        let folder = Folder::with(&[("d/a", "abc"), ("e/b", "abc")]);
        let words = ["torrent", "create", "--protocol", protocol, "-o", "a.torrent", "d/a"];
        assert_eq!(folder.run(&words).code, Some(0), "{protocol}");
        let check = |data: &str| folder.run(&["torrent", "check", "--data", data, "a.torrent"]);
        let ran = check("d");
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{protocol}: {}", ran.err);
        assert!(check("e").out().starts_with("a: MISSING"), "{protocol}");
        folder.write("d/a", "abd");
        assert_eq!(check("d").code, Some(1), "{protocol}");
    }
    let folder = Folder::with(&[("a", "abc"), ("x/b", "abc")]);
    folder.run(&["hash", "-o", "M", "a", "x"]);
    let ran = folder.run(&["check", "--data", "x", "M"]);
    assert!(
        ran.code != Some(0) && ran.err.contains("an entry for a file in a different folder"),
        "{}",
        ran.err
    );
}

#[test]
fn bytes_appended_to_a_file_with_piecewise_digests_are_a_difference() {
    // regression: check reported NOT VERIFIED and audit unknown, both with a false reason.
    let folder = Folder::new();
    let mut bytes = noise(40_000);
    let list = pieces_of_hashdeep(&[("a", &bytes), ("b", b"abc")]);
    folder.write("list", list);
    folder.write("q/b", "abc");
    for added in [0, 1, 9] {
        bytes.resize(40_000 + added, b'x');
        folder.write("q/a", &bytes);
        let (code, status) = if added == 0 { (Some(0), "ok") } else { (Some(1), "changed") };
        let ran = folder.run(&["check", "--root", "q", "list"]);
        assert!(ran.code == code && !ran.out().contains("NOT VERIFIED"), "{added}: {}", ran.out());
        let cause = "  bytes from 40000 were appended, or the end of the list is missing\n";
        assert_eq!(ran.out().contains(cause), added > 0, "{added}: {}", ran.out());
        let ran = folder.run(&["audit", "list", "q"]);
        let lines = format!("{status}\ta\nok\tb\n");
        assert_eq!((ran.out(), ran.code), (lines, code), "{added}: {}", ran.err);
        assert_eq!(folder.run(&["diff", "list", "q"]).code, code, "{added}");
    }
    // If the list has gaps, the reason is the true one, and the command in the hint works.
    let gaps: Vec<String> = pieces_of_hashdeep(&[("a", &bytes[..40_000])])
        .lines()
        .filter(|line| !line.contains("offset 16384-"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("list", gaps.concat());
    let ran = folder.run(&["audit", "list", "q"]);
    let said = "1 file could not be verified completely with piece digests\n\
                hint: to show the ranges: truesum check --root q list\n";
    assert!(ran.out().starts_with("unknown\ta\n") && ran.err.contains(said), "{}{}", ran.out(), ran.err);
    let ran = folder.run(&["check", "--root", "q", "list"]);
    assert!(ran.code == Some(2) && ran.out().contains("no piece covers this range"), "{}", ran.out());
    // regression: two such lists were said to have no algorithm in common.
    let ran = folder.run(&["diff", "list", "list"]);
    assert!(ran.code == Some(2) && ran.err.contains("or do not cover complete files"), "{}", ran.err);
}

#[test]
fn file_that_shares_a_damaged_piece_is_not_reported_as_changed() {
    // regression: audit and diff reported both files as changed.
    let folder = Folder::new();
    folder.write("d/a", noise(20_000));
    folder.write("d/b", noise(20_000));
    let words = ["torrent", "create", "--protocol", "v1", "--piece-size", "16KiB", "-o", "t.torrent", "d"];
    assert_eq!(folder.run(&words).code, Some(0));
    flip(&folder.path("d/a"), 19_000);
    // At least one of the files differs, so the result is certain.
    for (words, other) in [(&["audit", "t.torrent"][..], "d/a"), (&["diff", "t.torrent", "."], "d/a")] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("unknown\td/a\nunknown\td/b\n", Some(1)), "{words:?}");
        let note = format!("d/b: not verified: a damaged piece of it also contains bytes of {other}\n");
        assert!(ran.err.contains(&note) && !ran.err.contains("in common"), "{words:?}: {}", ran.err);
    }
    // Damage in a piece of its own shows that a file differs.
    flip(&folder.path("d/a"), 100);
    let ran = folder.run(&["audit", "t.torrent"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\td/a\nunknown\td/b\n", Some(1)), "{}", ran.err);
    // A file of another size differs, whatever its pieces show.
    folder.write("d/b", noise(20_001));
    let ran = folder.run(&["audit", "t.torrent"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\td/a\nchanged\td/b\n", Some(1)), "{}", ran.err);
}

#[test]
fn piece_shared_with_another_file_shows_no_difference_between_lists() {
    // regression: identical files were reported as changed if the next file or the padding differed.
    let folder = Folder::new();
    folder.write("d/a", noise(20_000));
    folder.write("d/b", noise(20_000));
    let create = |protocol: &str, list: &str| {
        let ran = folder.run(&[
            "torrent",
            "create",
            "--protocol",
            protocol,
            "--piece-size",
            "16KiB",
            "-o",
            list,
            "d",
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    };
    create("v1", "old");
    create("hybrid", "padded");
    flip(&folder.path("d/b"), 100);
    create("v1", "shared");
    flip(&folder.path("d/b"), 19_000);
    create("v1", "both");
    std::fs::rename(folder.path("d/b"), folder.path("d/c")).unwrap();
    create("v1", "renamed");
    for (new, out, code) in [
        ("padded", "unknown\td/a\nunknown\td/b\n", 2),
        // The same two files are in the piece, so at least one of them differs.
        ("shared", "unknown\td/a\nunknown\td/b\n", 1),
        ("both", "unknown\td/a\nchanged\td/b\n", 1),
        ("renamed", "unknown\td/a\nremoved\td/b\nadded\td/c\n", 1),
    ] {
        let ran = folder.run(&["diff", "old", new]);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(code)), "{new}: {}", ran.err);
        let note = "d/a: not compared: a piece of it that differs also contains bytes of d/b\n";
        assert!(ran.err.contains(note), "{new}: {}", ran.err);
    }
    flip(&folder.path("d/a"), 100);
    create("v1", "changed");
    let ran = folder.run(&["diff", "renamed", "changed"]);
    assert_eq!((ran.out().as_str(), ran.code), ("changed\td/a\n", Some(1)), "{}", ran.err);
}

#[test]
fn line_that_may_be_a_piece_or_another_file_is_refused() {
    // regression: the first bytes of `x` were verified instead of the file.
    let folder = Folder::with(&[("x", "abcde"), ("x offset 0-4", "abcde")]);
    let list = pieces_of_hashdeep(&[("x", b"abcde")]);
    folder.write("list", &list);
    let ran = folder.run(&["check", "list"]);
    assert!(ran.code != Some(0) && ran.err.contains("another file with this name"), "{}", ran.err);
    std::fs::remove_file(folder.path("x offset 0-4")).unwrap();
    let ran = folder.run(&["check", "list"]);
    assert_eq!((ran.out().as_str(), ran.code), ("x: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn hint_for_an_update_of_piecewise_digests_names_a_command_that_works() {
    // regression: the conversion in the hint failed, and its own hint named the same conversion.
    let folder = Folder::new();
    let bytes = noise(40_000);
    folder.write("q/a", &bytes);
    folder.write("list", pieces_of_hashdeep(&[("a", &bytes)]));
    let ran = folder.run(&["update", "list", "q"]);
    let hint = "hint: to write a new manifest: truesum hash -o NEW q\n";
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["hash", "-o", "NEW", "q"]).code, Some(0));
    let ran = folder.run(&["convert", "-t", "jsonl", "list"]);
    assert_eq!(ran.err.matches("a: cannot be written: no digest\n").count(), 1, "{}", ran.err);
    assert!(
        !ran.err.contains("use -t jsonl")
            && !ran.err.contains("--lossy")
            && ran.err.contains("truesum hash -o NEW DIR\n"),
        "{}",
        ran.err
    );
}
