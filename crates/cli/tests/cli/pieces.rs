//! Files by digests of their pieces: what a check says of them, and what mends them.

use crate::bytes::{flip, noise};
use crate::program::Folder;
use truesum::hash::Spec;

fn digest(algorithm: &str, bytes: &[u8]) -> Vec<u8> {
    algorithm.parse::<Spec>().unwrap().digest(bytes).as_bytes().to_vec()
}

/// A torrent of version 1 whose files are those of `set`, each with a pad of so many zeros behind it, in pieces of this length.
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
fn what_fills_up_the_last_piece_of_a_torrent_is_known_to_be_zeros() {
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
    let said = "set/a: OK\nset/b: FAILED\n  0 100 damaged\n";
    assert!(ran.out().starts_with(said) && ran.code == Some(1), "{} {}", ran.out(), ran.err);
    let ran = folder.run(&["tree", "repair", "--from", "copies", "x.torrent"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("set/b: 0 100 mended: 100 bytes written\n", Some(0)),
        "{}",
        ran.err
    );
    assert_eq!(folder.read("set/b"), b);
}

#[test]
fn what_fills_up_a_piece_may_be_as_long_as_nearly_all_of_it() {
    let folder = Folder::with(&[("set/a", "abc"), ("set/b", "defg")]);
    let hash = ["hash", "-t", "torrent-hybrid", "--piece-size", "128MiB", "-o", "x.torrent", "set"];
    assert_eq!(folder.run(&hash).code, Some(0));
    let ran = folder.run(&["check", "x.torrent"]);
    assert_eq!((ran.out().as_str(), ran.code), ("set/a: OK\nset/b: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn zeros_that_a_list_makes_up_are_not_hashed_without_end() {
    // Nothing here has to be right but lengths: it is refused before a digest is compared.
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
    let pad = "zeros that fill up a piece are shorter than it, and it has 1 GiB at most";
    let block = "a block is longer than the file, or than 1 GiB";
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
