//! Damage located and repaired with lists written by other programs, and by those programs themselves where they are
//! installed.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use truesum::hash::Spec;
use truesum::tree::outboard::{Outboard, write_outboard};
use truesum::tree::reading::Reading;
use truesum::tree::repair::Mode;
use truesum::verify::piece_repair::repair;
use truesum::{Conclusion, Event, Options, Outcome, Progress, ReadOptions, Verdict, Verification};
use truesum_test_support::thorough_or;

/// Returns bytes in which no block occurs twice.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn ptn251(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// Runs a program in a directory; `None` if it is not installed.
fn run(folder: &Path, program: &str, args: &[&str]) -> Option<Vec<u8>> {
    let Ok(ran) = Command::new(program).args(args).current_dir(folder).output() else {
        truesum_test_support::oracle::missing(program);
        return None;
    };
    assert!(ran.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(ran.stdout)
}

type OutcomeParts = (Verdict, Vec<Range<u64>>, Vec<Range<u64>>, String);

fn outcome_parts(outcome: &Outcome) -> OutcomeParts {
    let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces().cloned()).unwrap_or_default();
    let damaged = pieces.damaged().iter().map(|damage| damage.range().clone()).collect();
    (outcome.verdict(), damaged, pieces.unknown().to_vec(), pieces.by().to_owned())
}

/// Returns the result of a check with this list; bad lines in text form.
fn check(list: &Path, options: &ReadOptions) -> (Vec<OutcomeParts>, Vec<String>, Conclusion) {
    let progress = Progress::default();
    let options = Options::from(options.clone());
    let mut verification = Verification::new(&options, &progress);
    let (mut outcomes, mut bad) = (Vec::new(), Vec::new());
    let mut tell = |event: Event<'_>| {
        match event {
            Event::Entry(_, outcome) => outcomes.push(outcome_parts(outcome)),
            Event::Malformed(_, line) => bad.push(line.to_string()),
            Event::Failed(error) => bad.push(error.to_string()),
            _ => {}
        }
        Ok(())
    };
    verification.manifests(&[list.to_owned()], &mut tell).unwrap();
    (outcomes, bad, verification.report().verdict())
}

/// Damages `data` at `at`, expects the list to report exactly that range, and repairs it.
fn assert_locates(folder: &Path, list: &str, data: &str, at: usize, range: Range<u64>) {
    let (list, file) = (folder.join(list), folder.join(data));
    let options = ReadOptions::default().threads(2);
    let good = std::fs::read(&file).unwrap();
    let copy = folder.join("good copy");
    std::fs::write(&copy, &good).unwrap();
    let (outcomes, bad, conclusion) = check(&list, &options);
    assert_eq!((bad, conclusion), (Vec::new(), Conclusion::Verified), "{}: {outcomes:?}", list.display());
    let mut damaged = good.clone();
    damaged[at] ^= 0x40;
    std::fs::write(&file, &damaged).unwrap();
    let (outcomes, _, conclusion) = check(&list, &options);
    assert_eq!(conclusion, Conclusion::Failed);
    assert_eq!(outcomes[0].1, std::slice::from_ref(&range), "{}: {outcomes:?}", list.display());
    // A list that names its file refers to that file.
    let other = folder.join("under another name");
    std::fs::rename(&file, &other).unwrap();
    let of_data = options.clone().data(Some(other.clone()));
    assert_eq!(check(&list, &of_data).0[0].1, std::slice::from_ref(&range), "{}", list.display());
    std::fs::rename(&other, &file).unwrap();
    // A copy that is damaged at the same place repairs nothing.
    let progress = Progress::default();
    std::fs::write(&copy, &damaged).unwrap();
    let done = repair(&list, &copy, Mode::Write, &options, &progress).unwrap();
    assert!(
        done.files()[0].repairs().iter().all(|run_repair| !run_repair.possible())
            && done.files()[0].verdict() == Verdict::Mismatch
    );
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
    // A copy that is damaged elsewhere does.
    let mut elsewhere = good.clone();
    let last = if at >= good.len() / 2 { 0 } else { good.len() - 1 };
    elsewhere[last] ^= 1;
    std::fs::write(&copy, &elsewhere).unwrap();
    let tried = repair(&list, &copy, Mode::DryRun, &options, &progress).unwrap();
    assert!(
        tried.files()[0].repairs().iter().all(|run_repair| run_repair.possible() && run_repair.writes() > 0),
        "{:?}",
        tried.files()[0].repairs()
    );
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
    let done = repair(&list, &copy, Mode::Write, &options, &progress).unwrap();
    assert_eq!(done.files()[0].verdict(), Verdict::Verified, "{}: {done:?}", list.display());
    assert_eq!(std::fs::read(&file).unwrap(), good);
    std::fs::write(&copy, &good).unwrap();
    // Another file is only overwritten on request.
    let other: Vec<u8> = good.iter().map(|byte| byte ^ 0x55).collect();
    std::fs::write(&file, &other).unwrap();
    let refusal = repair(&list, &copy, Mode::Write, &options, &progress).unwrap_err();
    assert_eq!(refusal.kind(), truesum::Kind::Replaced, "{}: {refusal}", list.display());
    assert_eq!(std::fs::read(&file).unwrap(), other);
    let done = repair(&list, &copy, Mode::Most, &options, &progress).unwrap();
    assert_eq!(done.files()[0].verdict(), Verdict::Verified, "{}: {done:?}", list.display());
    assert_eq!(std::fs::read(&file).unwrap(), good);
    // Bytes after the listed ones are not counted as kept.
    std::fs::write(&file, [other.clone(), vec![7; 3 * other.len()]].concat()).unwrap();
    if let Ok(done) = repair(&list, &copy, Mode::Write, &options, &progress) {
        assert!(done.files()[0].repairs().is_empty(), "{}: {done:?}", list.display());
    }
    assert_eq!(std::fs::read(&file).unwrap()[..other.len()], other);
    std::fs::write(&file, &good).unwrap();
    // Bytes missing at the end are damage too, and are restored.
    std::fs::write(&file, &good[..good.len() - 1]).unwrap();
    let (outcomes, _, conclusion) = check(&list, &options);
    if outcomes[0].0 == Verdict::Mismatch {
        assert_eq!(conclusion, Conclusion::Failed);
        let done = repair(&list, &copy, Mode::Write, &options, &progress).unwrap();
        assert_eq!(done.files()[0].verdict(), Verdict::Verified, "{}: {done:?}", list.display());
        assert_eq!(std::fs::read(&file).unwrap(), good);
    } else {
        panic!("{}: {outcomes:?}", list.display());
    }
}

fn folder(data: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    std::fs::write(path.join("data"), data).unwrap();
    (folder, path)
}

const LEN: usize = 3_000_001;
const DAMAGED_BYTE: usize = 1_234_567;

#[test]
fn mktorrent_torrents_locate_damage() {
    let (_held, path) = folder(&noise(LEN));
    let piece = |len: u64| DAMAGED_BYTE as u64 / len * len..(DAMAGED_BYTE as u64 / len + 1) * len;
    if run(&path, "mktorrent", &["-l", "16", "-o", "t.torrent", "data"]).is_some() {
        assert_locates(&path, "t.torrent", "data", DAMAGED_BYTE, piece(1 << 16));
        assert_locates(
            &path,
            "t.torrent",
            "data",
            LEN - 1,
            LEN as u64 - 1 - (LEN as u64 - 1) % (1 << 16)..LEN as u64,
        );
    }
}

#[test]
fn par2_slices_locate_damage() {
    let (_held, path) = folder(&noise(LEN));
    if run(&path, "par2", &["create", "-q", "-s4096", "-r1", "set.par2", "data"]).is_some() {
        assert_locates(
            &path,
            "set.par2",
            "data",
            DAMAGED_BYTE,
            DAMAGED_BYTE as u64 / 4096 * 4096..(DAMAGED_BYTE as u64 / 4096 + 1) * 4096,
        );
        assert_locates(&path, "set.par2", "data", LEN - 1, LEN as u64 / 4096 * 4096..LEN as u64);
    }
}

#[test]
fn zsync_sums_locate_damage() {
    let (_held, path) = folder(&noise(LEN));
    if run(&path, "zsyncmake", &["-b", "2048", "-u", "data", "-o", "data.zsync", "data"]).is_some() {
        assert_locates(
            &path,
            "data.zsync",
            "data",
            DAMAGED_BYTE,
            DAMAGED_BYTE as u64 / 2048 * 2048..(DAMAGED_BYTE as u64 / 2048 + 1) * 2048,
        );
        assert_locates(&path, "data.zsync", "data", LEN - 1, LEN as u64 / 2048 * 2048..LEN as u64);
        // Without the SHA-1 of the whole file, truncated sums prove nothing.
        let text = std::fs::read(path.join("data.zsync")).unwrap();
        let at = text.windows(6).position(|word| word == b"SHA-1:").unwrap();
        let end = at + text[at..].iter().position(|&byte| byte == b'\n').unwrap() + 1;
        std::fs::write(path.join("short.zsync"), [&text[..at], &text[end..]].concat()).unwrap();
        let (outcomes, bad, conclusion) = check(&path.join("short.zsync"), &ReadOptions::default());
        assert_eq!(
            (outcomes[0].0, bad, conclusion == Conclusion::Verified),
            (Verdict::Unverified, Vec::new(), false)
        );
        assert!(outcomes[0].3.contains("of md4 and"), "{}", outcomes[0].3);
        let error = repair(
            &path.join("short.zsync"),
            &path.join("data"),
            Mode::Write,
            &ReadOptions::default(),
            &Progress::default(),
        );
        let error = error.unwrap_err().to_string();
        assert!(error.contains("so a repair could not be verified"), "{error}");
    }
}

#[test]
fn casync_chunks_locate_damage() {
    let (_held, path) = folder(&noise(LEN));
    if run(&path, "casync", &["make", "--store=store.castr", "data.caibx", "data"]).is_some() {
        let index = std::fs::read(path.join("data.caibx")).unwrap();
        let end = |row: usize| u64::from_le_bytes(index[64 + 40 * row..][..8].try_into().unwrap());
        let rows = (index.len() - 64 - 40) / 40;
        let row = (0..rows).find(|&row| end(row) > DAMAGED_BYTE as u64).unwrap();
        assert_locates(&path, "data.caibx", "data", DAMAGED_BYTE, end(row - 1)..end(row));
        run(&path, "casync", &["make", "--store=store.castr", "folder.caidx", "store.castr"]);
        let (_, bad, _) = check(&path.join("folder.caidx"), &ReadOptions::default());
        assert!(bad[0].contains(".caidx"), "{bad:?}");
    }
}

/// A package as apksigner signs it with schemes 2, 3 and 4. Its last byte is not zero: the tree pads the last block
/// with zeros and does not record how many there are.
#[test]
fn apk_v4_trees_locate_damage() {
    const MAKE: &str = "import zipfile; zip = zipfile.ZipFile('in.apk', 'w', zipfile.ZIP_STORED); \
        zip.writestr('AndroidManifest.xml', b''); zip.write('data', 'assets/data'); zip.comment = b'end'; zip.close()";
    let (_held, path) = folder(&noise(LEN));
    let key = [
        "-genkeypair",
        "-keystore",
        "keys",
        "-storepass",
        "secret",
        "-alias",
        "a",
        "-keyalg",
        "EC",
        "-dname",
        "CN=a",
    ];
    if run(&path, "python3", &["-c", MAKE]).is_none() || run(&path, "keytool", &key).is_none() {
        return;
    }
    let sign = [
        "sign",
        "--ks",
        "keys",
        "--ks-pass",
        "pass:secret",
        "--min-sdk-version",
        "30",
        "--v4-signing-enabled",
        "true",
    ];
    if run(&path, "apksigner", &[&sign[..], &["--out", "data.apk", "in.apk"]].concat()).is_some() {
        let start = DAMAGED_BYTE as u64 / 4096 * 4096;
        assert_locates(&path, "data.apk.idsig", "data.apk", DAMAGED_BYTE, start..start + 4096);
    }
}

#[test]
fn rdiff_signatures_locate_damage() {
    let (_held, path) = folder(&noise(LEN));
    for sums in ["rollsum", "rabinkarp"] {
        for (hash, name) in [("md4", "data.sig"), ("blake2", "data.rsig")] {
            let args = ["-f", "-b", "2048", "-R", sums, "-H", hash, "signature", "data", name];
            if run(&path, "rdiff", &args).is_none() {
                return;
            }
            let start = DAMAGED_BYTE as u64 / 2048 * 2048;
            assert_locates(&path, name, "data", DAMAGED_BYTE, start..start + 2048);
            std::fs::remove_file(path.join(name)).unwrap();
        }
    }
    // Eight bytes of a digest show where damage is, and prove nothing.
    run(&path, "rdiff", &["-f", "-S", "8", "signature", "data", "data.sig"]);
    let (outcomes, bad, conclusion) = check(&path.join("data.sig"), &ReadOptions::default());
    assert_eq!((bad, conclusion), (Vec::new(), Conclusion::NothingVerified), "{outcomes:?}");
    let whole = std::fs::read(path.join("data.sig")).unwrap();
    let mut data = std::fs::read(path.join("data")).unwrap();
    data[DAMAGED_BYTE] ^= 1;
    std::fs::write(path.join("data"), &data).unwrap();
    let (outcomes, _, conclusion) = check(&path.join("data.sig"), &ReadOptions::default());
    assert_eq!((outcomes[0].1.len(), conclusion), (1, Conclusion::Failed), "{outcomes:?}");
    assert!(outcomes[0].1[0].contains(&(DAMAGED_BYTE as u64)), "{outcomes:?}");
    // A truncated list, or one with impossible values, is refused.
    let long = [&whole[..8], &[0, 0, 0, 33]].concat();
    for bad in [&whole[..whole.len() - 1], &whole[..11], &whole[..12], &long] {
        std::fs::write(path.join("data.sig"), bad).unwrap();
        let (outcomes, bad, conclusion) = check(&path.join("data.sig"), &ReadOptions::default());
        assert!(outcomes.is_empty() && !bad.is_empty(), "{outcomes:?}");
        assert_ne!(conclusion, Conclusion::Verified);
    }
}

#[test]
fn bao_outboards_locate_damage() {
    let data = ptn251(2049);
    let (_held, path) = folder(&data);
    let progress = Progress::default();
    let reading = Reading::new(&progress).threads(2);
    let write = |kind: Outboard| {
        let target = path.join(format!("data{}", kind.ending()));
        let _ = std::fs::remove_file(&target);
        let root = write_outboard(path.join("data"), kind, &target, &reading).unwrap();
        let blake3: Spec = "blake3".parse().unwrap();
        assert_eq!(root, blake3.digest(&std::fs::read(path.join("data")).unwrap()));
        std::fs::read(target).unwrap()
    };
    // As the reference program writes it.
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(
        hex(&write(Outboard::Bao)),
        "0108000000000000811f7d4f1735258e27c68b9214ff7c4aac866d47f73deef1fd8908b5e38f804f1ad5f780a5e31e5ae4584c8ea23e6e256\
         eda8d14d4aba69c5350c4ec54be7f0a5c9e654411e393d1f4bec710ccd5bc5669ab177d610a0eb691fcfee92fb4e8b15b1f23b8390368a2c1\
         5095910389d1b716eb52a6dfd34d0aa66a22a21b761ca7"
            .replace(' ', "")
    );
    let sha256: Spec = "sha256".parse().unwrap();
    std::fs::write(path.join("data"), ptn251(262_145)).unwrap();
    assert_eq!(
        sha256.digest(&write(Outboard::Bao)).to_hex(),
        "72a16a78ece520f930d1a6fb8479631424fe2939aab2aca9c25eded76d1d41db"
    );
    assert_eq!(
        sha256.digest(&write(Outboard::Groups)).to_hex(),
        "7b10f6898a8660121e0c7b8d13f2cf66ef0fff2f05517a834d50672ad3e698e9"
    );
    let lengths = [LEN, 1 << 20, (1 << 20) + 1, 5 << 20, (7 << 20) + 16385];
    for &len in &lengths[..thorough_or(5, 3)] {
        std::fs::write(path.join("data"), noise(len)).unwrap();
        let at = len / 3;
        for (kind, leaf) in [(Outboard::Bao, 1024), (Outboard::Groups, 16384u64)] {
            let text = write(kind);
            let list = format!("data{}", kind.ending());
            let start = at as u64 / leaf * leaf;
            assert_locates(&path, &list, "data", at, start..start + leaf);
            let last = (len as u64 - 1) / leaf * leaf;
            assert_locates(&path, &list, "data", len - 1, last..len as u64);
            // Damage in the list is not attributed to the file, wherever it is.
            for byte in [0, 8, text.len() / 2, text.len() - 1].into_iter().filter(|at| *at < text.len()) {
                let mut damaged = text.clone();
                damaged[byte] ^= 1;
                std::fs::write(path.join(&list), &damaged).unwrap();
                let (outcomes, bad, conclusion) = check(&path.join(&list), &ReadOptions::default());
                assert_ne!(conclusion, Conclusion::Verified);
                let leaf_value = outcomes.first().is_some_and(|reported| reported.0 == Verdict::Mismatch);
                assert!(!bad.is_empty() || leaf_value, "{kind:?} {len} {byte}: {outcomes:?}");
            }
        }
    }
    for len in [0usize, 1, 1024, 16384] {
        std::fs::write(path.join("data"), noise(len)).unwrap();
        assert_eq!(write(Outboard::Groups).len(), 0);
    }
}

#[test]
fn post_order_bao_outboards_locate_damage() {
    // As bao-tree writes it: the same nodes, each after its children.
    let (_held, path) = folder(&ptn251(262_145));
    let progress = Progress::default();
    let target = path.join("data.obao4");
    write_outboard(path.join("data"), Outboard::Groups, &target, &Reading::new(&progress)).unwrap();
    let pre = std::fs::read(&target).unwrap();
    fn to_post_order(pre: &mut &[u8], leaves: usize, post: &mut Vec<u8>) {
        if leaves == 1 {
            return;
        }
        let (node, rest) = pre.split_at(64);
        *pre = rest;
        let left = leaves.next_power_of_two() / 2;
        to_post_order(pre, left, post);
        to_post_order(pre, leaves - left, post);
        post.extend_from_slice(node);
    }
    let mut post = Vec::new();
    to_post_order(&mut &pre[..], 17, &mut post);
    let sha256: Spec = "sha256".parse().unwrap();
    assert_eq!(
        sha256.digest(&post).to_hex(),
        "762a20d237de8fa580dc445a0b3677b4033f66fd9cb3c844acd996c7304335f4"
    );
    std::fs::write(&target, &post).unwrap();
    assert_locates(&path, "data.obao4", "data", 99_999, 98_304..114_688);
}

#[test]
fn fsverity_trees_locate_damage() {
    for (len, extra, block) in [
        (LEN, &[][..], 4096u64),
        (LEN, &["--salt=0102030405060708", "--block-size=1024"], 1024),
        (600_000, &["--hash-alg=sha512"], 4096),
        (8192, &[], 4096),
    ] {
        let (_held, path) = folder(&noise(len));
        let mut args = vec!["digest", "--out-merkle-tree=tree", "--out-descriptor=descriptor"];
        args.extend_from_slice(extra);
        args.push("data");
        if run(&path, "fsverity", &args).is_none() {
            return;
        }
        let (descriptor, tree) =
            (std::fs::read(path.join("descriptor")).unwrap(), std::fs::read(path.join("tree")).unwrap());
        std::fs::write(path.join("data.fsverity"), [descriptor, tree.clone()].concat()).unwrap();
        let at = len / 2;
        let start = at as u64 / block * block;
        assert_locates(&path, "data.fsverity", "data", at, start..start + block);
        if extra.is_empty() {
            // The tree alone is read as one of the usual kind.
            std::fs::write(path.join("data.merkle"), &tree).unwrap();
            let (outcomes, bad, conclusion) = check(&path.join("data.merkle"), &ReadOptions::default());
            assert_eq!((bad, conclusion), (Vec::new(), Conclusion::Verified), "{outcomes:?}");
        }
    }
}

#[test]
fn dm_verity_hash_devices_locate_damage() {
    for (blocks, format) in [(700u64, "1"), (700, "0"), (129, "1"), (2, "1")] {
        let (_held, path) = folder(&noise(blocks as usize * 4096));
        let type_of = format!("--format={format}");
        if run(&path, "veritysetup", &["format", &type_of, "data", "data.verity"]).is_none() {
            return;
        }
        let at = blocks / 2 * 4096;
        assert_locates(&path, "data.verity", "data", at as usize + 9, at..at + 4096);
    }
}

#[test]
fn hashdeep_piecewise_digests_locate_damage() {
    for args in [
        &["hashdeep", "-d", "-p", "50000", "-c", "md5,sha256", "-l", "data"][..],
        &["hashdeep", "-p", "50000", "-l", "data"],
        &["md5deep", "-d", "-p", "50000", "-l", "data"],
        &["md5deep", "-p", "50000", "-l", "data"],
        &["sha256deep", "-p", "50000", "-l", "data"],
    ] {
        let (_held, path) = folder(&noise(LEN));
        let Some(text) = run(&path, args[0], &args[1..]) else { return };
        std::fs::write(path.join("known"), text).unwrap();
        assert_locates(&path, "known", "data", DAMAGED_BYTE, 1_200_000..1_250_000);
    }
}

#[test]
fn metalink_pieces_and_s3_parts_locate_damage() {
    let data = noise(LEN);
    let (_held, path) = folder(&data);
    let (sha1, sha256): (Spec, Spec) = ("sha1".parse().unwrap(), "sha256".parse().unwrap());
    let row = |len: usize, text: &dyn Fn(usize, &[u8]) -> String| -> String {
        data.chunks(len).enumerate().map(|(at, piece)| text(at, piece)).collect()
    };
    let four = format!(
        "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"data\"><size>{LEN}</size>\
         <hash type=\"sha-256\">{}</hash><pieces length=\"65536\" type=\"sha-1\">{}</pieces>\
         <pieces length=\"65536\" type=\"no-such\">{}</pieces></file></metalink>",
        sha256.digest(&data),
        row(65536, &|_, piece| format!("<hash>{}</hash>", sha1.digest(piece))),
        row(65536, &|_, _| "<hash>00</hash>".to_owned()),
    );
    std::fs::write(path.join("data.meta4"), four).unwrap();
    let start = DAMAGED_BYTE as u64 / 65536 * 65536;
    assert_locates(&path, "data.meta4", "data", DAMAGED_BYTE, start..start + 65536);
    let three = format!(
        "<?xml version=\"1.0\"?><metalink version=\"3.0\"><files><file name=\"data\"><verification>\
         <pieces length=\"65536\" type=\"sha1\">{}</pieces></verification></file></files></metalink>",
        row(65536, &|at, piece| format!("<hash piece=\"{at}\">{}</hash>", sha1.digest(piece))),
    );
    std::fs::write(path.join("data.metalink"), three).unwrap();
    assert_locates(&path, "data.metalink", "data", DAMAGED_BYTE, start..start + 65536);
    let part = |at: usize, piece: &[u8]| {
        let comma = if at == 0 { "" } else { "," };
        let sum = sha256.digest(piece).to_base64();
        format!("{comma}{{\"PartNumber\":{},\"Size\":{},\"ChecksumSHA256\":\"{sum}\"}}", at + 1, piece.len())
    };
    let attributes = format!(
        "{{\"ETag\":\"x-3\",\"Checksum\":{{\"ChecksumType\":\"COMPOSITE\"}},\"ObjectParts\":{{\"TotalPartsCount\":3,\"IsTruncated\":false,\
         \"Parts\":[{}]}},\"ObjectSize\":{LEN}}}",
        row(1_400_000, &part)
    );
    std::fs::write(path.join("data.parts.json"), attributes).unwrap();
    assert_locates(&path, "data.parts.json", "data", DAMAGED_BYTE, 0..1_400_000);
    assert_locates(&path, "data.parts.json", "data", LEN - 1, 2_800_000..LEN as u64);
}

#[test]
fn gaps_in_a_piece_list_are_reported_as_unverified() {
    let data = noise(10_000);
    let (_held, path) = folder(&data);
    let md5: Spec = "md5".parse().unwrap();
    let run = |range: Range<usize>| {
        let (start, len) = (range.start, range.len());
        format!(
            "<byte_run file_offset='{start}' len='{len}'><hashdigest type='MD5'>{}</hashdigest></byte_run>",
            md5.digest(&data[range])
        )
    };
    let runs = run(0..100) + &run(100..4000) + &run(6000..9000);
    let text = format!(
        "<dfxml><fileobject><filename>data</filename><filesize>10000</filesize>{runs}</fileobject></dfxml>"
    );
    std::fs::write(path.join("d.dfxml"), &text).unwrap();
    let (outcomes, _, conclusion) = check(&path.join("d.dfxml"), &ReadOptions::default());
    assert_eq!(outcomes[0].0, Verdict::Unverified);
    assert_eq!(outcomes[0].2, [4000..6000, 9000..10_000]);
    assert_ne!(conclusion, Conclusion::Verified);
    let whole = text.replace(
        "</fileobject>",
        &format!("<hashdigest type='MD5'>{}</hashdigest></fileobject>", md5.digest(&data)),
    );
    std::fs::write(path.join("whole.dfxml"), whole).unwrap();
    let (outcomes, _, conclusion) = check(&path.join("whole.dfxml"), &ReadOptions::default());
    assert_eq!((outcomes[0].2.len(), conclusion), (0, Conclusion::Verified));
    for bad in [
        run(100..200) + &run(0..100),
        run(0..100) + &run(50..200),
        runs.replace("file_offset", "offset"),
        run(9000..10_000).replace("'1000'", "'1001'"),
    ] {
        let text = format!(
            "<dfxml><fileobject><filename>data</filename><filesize>10000</filesize>{bad}</fileobject></dfxml>"
        );
        std::fs::write(path.join("d.dfxml"), text).unwrap();
        assert!(!check(&path.join("d.dfxml"), &ReadOptions::default()).1.is_empty(), "{bad}");
    }
}

#[test]
fn multi_file_torrent_repair_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let copy = path.join("copy");
    for root in [path, &copy] {
        std::fs::create_dir_all(root.join("set/sub")).unwrap();
        std::fs::write(root.join("set/a"), noise(100_000)).unwrap();
        std::fs::write(root.join("set/sub/b"), ptn251(70_001)).unwrap();
        std::fs::write(root.join("set/sub/c"), noise(10)).unwrap();
    }
    if run(path, "mktorrent", &["-l", "15", "-o", "t.torrent", "set"]).is_none() {
        return;
    }
    // In a piece that spans both files, and missing at the end of one.
    let mut a = noise(100_000);
    a[99_999] ^= 1;
    std::fs::write(path.join("set/a"), &a).unwrap();
    std::fs::write(path.join("set/sub/b"), &ptn251(70_001)[..70_000]).unwrap();
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let list = path.join("t.torrent");
    assert!(
        repair(&list, &copy.join("set/a"), Mode::Write, &options, &progress).is_err(),
        "one copy of several files"
    );
    let done = repair(&list, &copy, Mode::Write, &options, &progress).unwrap();
    assert!(done.files().iter().all(|file| file.verdict() == Verdict::Verified), "{done:?}");
    assert_eq!(check(&list, &options).2, Conclusion::Verified);
    // Nothing is written through a symbolic link, and a missing file is not created.
    std::fs::remove_file(path.join("set/sub/c")).unwrap();
    let done = repair(&list, &copy, Mode::Write, &options, &progress).unwrap();
    assert_eq!(done.files()[2].verdict(), Verdict::Missing);
    assert!(!path.join("set/sub/c").exists());
}
