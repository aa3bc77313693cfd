//! Notes which commit is built, for `truesum --version -v`, and asks the linker for each function once. Nothing here can fail a
//! build: what is not known is not told, and what the linker cannot do is not asked for.

use std::path::Path;
use std::process::Command;

/// Says it where there is neither a repository nor a package: `TRUESUM_COMMIT=$(git rev-parse HEAD) cargo build`.
const NAMED: &str = "TRUESUM_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={NAMED}");
    let commit = std::env::var(NAMED).ok().or_else(packaged).or_else(checked_out);
    // A line break would end the instruction.
    if let Some(commit) = commit.filter(|commit| !commit.contains(['\n', '\r'])) {
        println!("cargo::rustc-env=TRUESUM_BUILT_FROM={commit}");
    }
    for (ours, cargos) in [("TRUESUM_TARGET", "TARGET"), ("TRUESUM_PROFILE", "PROFILE")] {
        println!("cargo::rustc-env={ours}={}", std::env::var(cargos).unwrap_or_default());
    }
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") && folds() {
        println!("cargo::rustc-link-arg-bins={FOLD}");
    }
}

/// Of functions that came to the same instructions one stays: a seventieth of the program. What compares their addresses compares
/// those of one handler of signals alone.
const FOLD: &str = "-Wl,--icf=all";

/// Whether the linker can do that, as lld can and GNU's cannot: whether it links a program so.
fn folds() -> bool {
    let told = |name: &str| std::env::var(name).unwrap_or_default();
    let (rustc, folder) = (told("RUSTC"), told("OUT_DIR"));
    let source = Path::new(&folder).join("empty.rs");
    let mut command = Command::new(rustc);
    command.args(["--target", &told("TARGET"), "--out-dir", &folder, "-C", &format!("link-arg={FOLD}")]);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        command.args(["-C", &format!("linker={linker}")]);
    }
    let flags = told("CARGO_ENCODED_RUSTFLAGS");
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty())).arg(&source);
    std::fs::write(&source, "fn main() {}\n").is_ok()
        && command.output().is_ok_and(|output| output.status.success())
}

/// The commit a package was made of, which cargo writes into it.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    let commit = rest.split('"').next()?;
    let changed = if text.contains("\"dirty\": true") { ", with changes" } else { "" };
    Some(format!("{}{changed}", commit.get(..12)?))
}

/// The commit that is checked out, and whether files differ from it. A repository that only happens to lie above is none of ours.
fn checked_out() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    if Path::new(git(&["rev-parse", "--show-toplevel"])?.as_str()) != root {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let files = ["--", ":/crates", ":/Cargo.toml", ":/Cargo.lock"];
    let changed = git(&[&["status", "--porcelain"], &files[..]].concat())?;
    // Whatever may change the answer.
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for path in ["..", "../../Cargo.toml", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    Some(commit + if changed.is_empty() { "" } else { ", with changes" })
}

/// What git says, without the line's end.
fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
