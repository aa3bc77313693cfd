//! Directory digests compared with git, nix-hash, swh.model and Go, on random trees with unusual names, and truesum's
//! own digest compared with its specification implemented in Python.

use crate::program::Folder;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use truesum_test_support::oracle::missing;

/// Names that some programs sort before a folder with the same prefix and others after it, and names that cause
/// problems in tools.
const NAMES: &[&[u8]] = &[
    b"a",
    b"a.b",
    b"a-b",
    b"a0",
    b"a b",
    b"a\x01",
    b"A",
    b"b",
    b"-n",
    b"--",
    b" ",
    b"x\ny",
    b"x\\n",
    b"\xff",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"...",
    b"tab\t",
    b"'",
    b"\"",
    b"*",
    b"#",
    b"\xf0\x9f\x98\x80",
    b"long-name-that-is-longer-than-a-block-of-64-bytes-which-is-what-hashes-take",
];

/// A generator of pseudorandom numbers that are the same in every run (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// Creates random objects in a folder, and in folders among them.
fn fill(folder: &Path, depth: usize, random: &mut Random) {
    for _ in 0..random.below(9) {
        let path = folder.join(OsStr::from_bytes(NAMES[random.below(NAMES.len())]));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match random.below(8) {
            0 => {
                let target = NAMES[random.below(NAMES.len())];
                symlink(OsStr::from_bytes(target), &path).unwrap();
            }
            1 | 2 if depth > 0 => {
                std::fs::create_dir(&path).unwrap();
                fill(&path, depth - 1, random);
            }
            kind => {
                let len = [0, 1, 7, 8, 9, 55, 64, 5000, 70_000][random.below(9)];
                let bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
                std::fs::write(&path, bytes).unwrap();
                let mode = [0o644, 0o644, 0o600, 0o755, 0o654, 0o745][random.below(6)];
                let mode = if kind == 3 { 0o4755 } else { mode };
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }
}

/// Returns this number of trees; the first one is empty.
fn trees(count: usize) -> (Folder, Vec<PathBuf>) {
    let (folder, random) = (Folder::new(), &mut Random(0x9e37_79b9_7f4a_7c15));
    let trees: Vec<PathBuf> = (0..count).map(|number| folder.path(format!("tree{number}"))).collect();
    for (number, tree) in trees.iter().enumerate() {
        std::fs::create_dir(tree).unwrap();
        if number > 0 {
            fill(tree, 3, random);
        }
    }
    (folder, trees)
}

/// Returns the digests of all trees, computed in one run.
fn ours(folder: &Folder, words: &[&str], trees: &[PathBuf]) -> Vec<String> {
    let run = folder.command().arg("directory").args(words).args(trees).output().unwrap();
    assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    text.lines().map(|line| line.split_once("  ").unwrap().0.to_owned()).collect()
}

fn text(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::piped()).output().ok()?;
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn git_gives_the_same_trees_and_blobs() {
    let (folder, trees) = trees(60);
    for (kind, format) in [("git", "sha1"), ("git-sha256", "sha256")] {
        let found = ours(&folder, &["--kind", kind], &trees);
        for (number, tree) in trees.iter().enumerate() {
            let store = folder.path(format!("store-{kind}-{number}"));
            let git = |words: &[&str]| {
                let mut git = Command::new("git");
                git.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder.root());
                git.args(["-c", "core.protectNTFS=false", "-c", "core.autocrlf=false"]);
                git.arg("--git-dir").arg(&store).args(words);
                git
            };
            let Some(_) = text(&mut git(&["init", "-q", "--bare", &format!("--object-format={format}")]))
            else {
                return missing("git");
            };
            text(git(&[]).arg("--work-tree").arg(tree).args(["add", "-A", "-f", "."]).current_dir(tree));
            let expected = text(git(&["write-tree"]).current_dir(tree)).unwrap();
            assert_eq!(found[number], expected, "{kind} {}", tree.display());
        }
        let files: Vec<PathBuf> = trees
            .iter()
            .flat_map(|tree| std::fs::read_dir(tree).unwrap())
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| entry.path())
            .collect();
        assert!(files.len() > 50);
        let store = folder.path(format!("store-{kind}-0"));
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(&store).args(["hash-object", "--no-filters", "--"]).args(&files);
        let expected = text(&mut git).unwrap();
        assert_eq!(ours(&folder, &["--kind", kind], &files), expected.lines().collect::<Vec<_>>());
    }
}

#[test]
fn nix_gives_the_same_nar_hashes() {
    let (folder, trees) = trees(60);
    let found = ours(&folder, &["--kind", "nar"], &trees);
    let mut nix = Command::new("nix-hash");
    let Some(expected) = text(nix.args(["--type", "sha256", "--base32"]).args(&trees)) else {
        return missing("nix-hash (Debian's nix-bin)");
    };
    let expected: Vec<String> = expected.lines().map(|hash| format!("sha256:{hash}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn specification_and_swh_model_give_the_same_digests() {
    let (folder, trees) = trees(60);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/directory_peers.py");
    let Ok(mut python) =
        Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    else {
        return missing("python3");
    };
    let names: Vec<u8> =
        trees.iter().flat_map(|tree| [tree.as_os_str().as_bytes(), b"\0"].concat()).collect();
    python.stdin.take().unwrap().write_all(&names).unwrap();
    let message = python.wait_with_output().unwrap();
    assert!(message.status.success());
    let message: Vec<serde_json::Value> = String::from_utf8(message.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (words, key) in
        [(&[][..], "truesum"), (&["--modes"], "truesum_modes"), (&["--kind", "swhid"], "swhid")]
    {
        if message[0][key].is_null() {
            missing("swh.model (Python)");
            continue;
        }
        let expected: Vec<&str> = message.iter().map(|tree| tree[key].as_str().unwrap()).collect();
        assert_eq!(ours(&folder, words, &trees), expected);
    }
}

#[test]
fn go_gives_the_same_module_hashes() {
    let (folder, trees) = trees(30);
    // Go follows links and does not support line feeds in names.
    fn clean(folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let is_folder = entry.file_type().unwrap().is_dir();
            if entry.file_type().unwrap().is_symlink() || entry.file_name().as_bytes().contains(&b'\n') {
                let path = entry.path();
                if is_folder {
                    std::fs::remove_dir_all(path).unwrap()
                } else {
                    std::fs::remove_file(path).unwrap()
                }
            } else if is_folder {
                clean(&entry.path());
            }
        }
    }
    trees.iter().for_each(|tree| clean(tree));
    let go = ["/usr/local/go/bin/go", "/usr/bin/go"].into_iter().find(|go| Path::new(go).exists());
    let Some(go) = go else { return missing("Go") };
    folder.write("go/go.mod", "module compare\n\ngo 1.18\n");
    folder.write(
        "go/main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"golang.org/x/mod/sumdb/dirhash\"\n)\n\nfunc main() {\n\
         \tfor _, dir := range os.Args[2:] {\n\t\thash, err := dirhash.HashDir(dir, os.Args[1], dirhash.Hash1)\n\
         \t\tif err != nil {\n\t\t\tpanic(err)\n\t\t}\n\t\tfmt.Println(hash)\n\t}\n}\n",
    );
    let run = |words: &[&str]| {
        let mut go = Command::new(go);
        go.current_dir(folder.path("go")).env("GOTOOLCHAIN", "local").args(words);
        go
    };
    let got = run(&["get", "golang.org/x/mod@v0.12.0"]).output();
    if !got.is_ok_and(|got| got.status.success()) {
        return missing("golang.org/x/mod");
    }
    for prefix in ["", "example.com/m@v1.0.0"] {
        let expected = text(run(&["run", "."]).arg(prefix).args(&trees)).unwrap();
        let words: &[&str] =
            if prefix.is_empty() { &["--kind", "h1"] } else { &["--kind", "h1", "--prefix", prefix] };
        assert_eq!(ours(&folder, words, &trees), expected.lines().collect::<Vec<_>>());
    }
}
