//! Digests with a turn of their own: in base 32, in either order of bytes, of samples, and of files made by an attack.

use crate::program::Folder;

#[test]
fn base_32_is_written_as_rhash_writes_it_and_read_back() {
    let folder = Folder::with(&[("a", "abc")]);
    // `printf abc | rhash --sha1 --base32 -` and `rhash --tth -`.
    let ran = folder.run(&["-a", "sha1,tth", "--base32", "--tag", "a"]);
    let expected = "SHA1 (a) = vgmt4nsha2awvor6evyxqugcnsonbwe5\n\
                    TTH (a) = asd4ujseh5m47pdyb46kbtsqtsgdklbhyxomuia\n";
    assert_eq!((ran.out(), ran.code), (expected.to_owned(), Some(0)), "{}", ran.err);
    assert_eq!(folder.run(&["--base32", "-o", "M", "a"]).code, Some(0));
    let checked = folder.run(&["check", "M"]);
    assert_eq!((checked.out().as_str(), checked.code), ("a: OK\n", Some(0)), "{}", checked.err);
    assert_eq!(folder.run(&["-a", "crc32", "--base32", "a"]).code, Some(2));
}

#[test]
fn digests_of_gost_94_count_in_either_order_of_bytes() {
    let folder = Folder::with(&[("a", "abc")]);
    // `rhash --gost94 --bsd a`, then with `--gost-reverse`; GOST R 34.11-2012 has one order.
    let plain = folder.run(&["-a", "gost94,gost12-256", "--tag", "a"]).out();
    let mut lines = plain.lines();
    let (gost94, gost12) = (lines.next().unwrap(), lines.next().unwrap());
    let backwards = |line: &str| {
        let (head, hex) = line.rsplit_once(' ').unwrap();
        let pairs: Vec<&str> = (0..hex.len() / 2).rev().map(|i| &hex[2 * i..2 * i + 2]).collect();
        format!("{head} {}\n", pairs.concat())
    };
    assert!(gost94.contains("= f3134348c44fb1b2a277"), "{gost94}");
    folder.write("M", backwards(gost94));
    let ran = folder.run(&["check", "M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    folder.write("M", backwards(gost12));
    assert_eq!(folder.run(&["check", "M"]).code, Some(1));
}

#[test]
fn a_file_made_by_an_attack_on_sha_1_fails_and_a_sample_verifies_nothing() {
    let folder = Folder::with(&[("a", "abc")]);
    let collision = include_bytes!("../../../../testdata/collisions/shattered-1.bin");
    folder.write("attack", collision);
    let ran = folder.run(&["-a", "sha1dc", "a", "attack"]);
    assert_eq!((ran.out(), ran.code), ("a9993e364706816aba3e25717850c26c9cd0d89d  a\n".to_owned(), Some(1)));
    assert!(
        ran.err.contains("attack: cannot hash: sha1dc: made by a collision attack on SHA-1"),
        "{}",
        ran.err
    );
    folder.write("M", "SHA1DC (attack) = f92d74e3874587aaf443d1db961d4e26dde13e9c\n");
    assert_eq!(folder.run(&["check", "M"]).code, Some(1));

    let made = folder.run(&["-a", "imohash", "--tag", "a"]).out();
    folder.write("M", &made);
    let refused = folder.run(&["check", "M"]);
    assert!(
        refused.code == Some(2) && refused.err.contains("imohash verifies nothing: three samples of 16 KiB"),
        "{refused:?}"
    );
    for words in [&["check", "--allow-weak", "M"][..], &["audit", "--allow-weak", "M"]] {
        let ran = folder.run(words);
        let why = "M: line 1: imohash verifies nothing: three samples of 16 KiB";
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(why), "{words:?}: {ran:?}");
    }
    let asked = folder.run(&["check", "-a", "imohash", "M"]);
    assert_eq!((asked.out().as_str(), asked.code), ("a: OK\n", Some(0)), "{}", asked.err);
}

#[test]
fn nothing_unasked_is_looked_for_by_samples_or_spoilt_by_an_attack() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let imohash = folder.run(&["-a", "imohash", "d/a"]).out();
    let imohash = imohash.split(' ').next().unwrap();
    assert_eq!(folder.run(&["find", imohash, "d"]).code, Some(1));
    assert_eq!(folder.run(&["identify", imohash, "d/a"]).code, Some(1));
    let asked = folder.run(&["find", "-a", "imohash", imohash, "d"]);
    assert!(asked.code == Some(0) && asked.out().contains("d/a"), "{asked:?}");

    folder.write("d/attack", include_bytes!("../../../../testdata/collisions/shattered-1.bin"));
    let sha1 = folder.run(&["-a", "sha1", "d/attack"]).out();
    let sha1 = sha1.split(' ').next().unwrap();
    let ran = folder.run(&["identify", sha1, "d/attack"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("d/attack: sha1 (hex)\nd/attack: aich (hex)\n", Some(0)),
        "{}",
        ran.err
    );
    let ran = folder.run(&["find", sha1, "d"]);
    assert!(
        ran.code == Some(0) && ran.out().contains("d/attack") && !ran.err.contains("attack on"),
        "{ran:?}"
    );
}
