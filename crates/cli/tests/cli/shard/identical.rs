//! The manifest merged from all parts equals that of a single run: random trees, every writable format, parts in any
//! order.

use crate::program::Folder;
#[cfg(target_os = "linux")]
use crate::strace::{can_trace, run};

/// A seeded generator of pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Fragments of names: bytes that cause problems in lines, JSON and terminals.
const PARTS: &[&[u8]] = &[
    b"a",
    b"b",
    b"a.b",
    b"\n",
    b"\r",
    b"\\",
    b"\"",
    b" ",
    b"\xff",
    b"\xc3\xa9",
    b"\xe2\x80\xae",
    b"-",
    b"\t",
    b"#",
    b"'",
];

/// Returns a tree of up to forty files.
fn tree(random: &mut Random) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    for _ in 0..1 + random.below(40) {
        let mut name = b"d".to_vec();
        for _ in 0..1 + random.below(3) {
            name.extend_from_slice(b"/");
            for _ in 0..1 + random.below(3) {
                name.extend_from_slice(PARTS[random.below(PARTS.len() as u64) as usize]);
            }
        }
        let path = folder.path(&name);
        let above = path.parent().unwrap();
        // A file may already exist where a folder is needed, and vice versa.
        if std::fs::create_dir_all(above).is_ok() && !path.exists() {
            let len = if random.below(6) == 0 { random.below(300_000) } else { random.below(100) };
            let byte = random.below(256) as u8;
            std::fs::write(path, (0..len).map(|at| byte ^ (at * 31 / 8) as u8).collect::<Vec<u8>>()).unwrap();
        }
    }
    folder
}

/// Plans, computes bundles in a random order with several calls, and merges into `name`; returns the exit status of the
/// merge.
fn merge_shards(
    folder: &Folder,
    random: &mut Random,
    algorithm: &str,
    format: &[&str],
    name: &str,
) -> Option<i32> {
    let _ = std::fs::remove_dir_all(folder.path("plan.parts"));
    let files = (1 + random.below(9)).to_string();
    let bytes = ["64KiB", "100000", "1MiB"][random.below(3) as usize];
    let sizes = ["--bundle-files", &files, "--bundle-bytes", bytes];
    let words = ["shard", "plan", "-q", "-o", "plan", "--root", "d", "-a", algorithm, "d"];
    let ran = folder.run(&[&words[..], &sizes].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut bundles: Vec<u64> = (0..ran.out().trim().parse().unwrap()).collect();
    for at in 0..bundles.len() {
        let other = random.below(bundles.len() as u64) as usize;
        bundles.swap(at, other);
    }
    let bundles: Vec<String> = bundles.iter().map(u64::to_string).collect();
    for some in bundles.chunks(bundles.len().div_ceil(7)) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        let ran = folder.run(&[&["shard", "run", "-q", "plan"], &some[..]].concat());
        assert_eq!((ran.code, &ran.err[..]), (Some(0), ""));
    }
    folder.run(&[&["shard", "merge", "-q", "--keep-names", "plan", "-o", name], format].concat()).code
}

#[test]
fn random_trees_give_the_same_manifest_as_hash() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let folder = tree(&mut random);
        let algorithm = ["sha256", "sha256-tree", "blake3", "md5,crc32", "crc32c,blake3"][seed as usize % 5];
        for format in [&["--tag"][..], &["-t", "bsd-z"]] {
            let hash = ["hash", "-q", "--root", "d", "-o", "local", "-a", algorithm, "d"];
            // A manifest in the folder itself is not hashed.
            assert_eq!(folder.run(&[&hash[..], format].concat()).code, Some(0));
            assert_eq!(
                merge_shards(&folder, &mut random, algorithm, format, "merged"),
                Some(0),
                "seed {seed}"
            );
            assert_eq!(folder.read("merged"), folder.read("local"), "seed {seed}");
        }
    }
}

#[test]
fn every_format_is_identical_to_hash() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b.txt", "b"), ("d/s/c", "")]);
    let rows = folder.run(&["list", "formats", "--json"]).out();
    let mut written = 0;
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        let name = row["name"].as_str().unwrap();
        let Some(algorithm) =
            ["sha256", "md5", "crc32", "sha1", "sha512", "tth", "sha256,md5"].into_iter().find(|algorithm| {
                let words = ["hash", "-q", "--root", "d", "-o", "local", "-t", name, "-a", algorithm, "d"];
                let _ = std::fs::remove_file(folder.path("local"));
                folder.run(&words).code == Some(0)
            })
        else {
            continue;
        };
        if name == "torrent" {
            continue;
        }
        let _ = std::fs::remove_file(folder.path("local2"));
        let ended = merge_shards(&folder, &mut Random(1), algorithm, &["-t", name], "local2");
        assert_eq!(ended, Some(0), "{name}");
        let local = String::from_utf8(folder.read("local")).unwrap();
        assert_eq!(String::from_utf8(folder.read("local2")).unwrap(), local, "{name}");
        written += 1;
    }
    assert!(written >= 15, "{written} formats");
}

#[test]
#[cfg(target_os = "linux")]
fn each_small_file_is_opened_once() {
    if !can_trace() {
        return;
    }
    let names: Vec<String> = (0..20).map(|number| format!("d/file-{number:02}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], "content")).collect();
    let folder = Folder::with(&files);
    assert_eq!(folder.run(&["shard", "plan", "-q", "-o", "plan", "--root", "d", "d"]).code, Some(0));
    let strace = ["-e", "trace=open,openat,openat2", "-o", "trace"];
    let ran = run(folder.root(), &strace, &["shard", "run", "-q", "plan", "0"]);
    assert!(ran.status.success(), "{ran:?}");
    let opened = folder.read("trace");
    let opened = String::from_utf8_lossy(&opened);
    assert_eq!(opened.matches("\"file-").count(), names.len(), "{opened}");
}
