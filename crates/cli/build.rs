//! Records which commit is built, for `truesum --version -v`, and asks the linker to merge identical functions. Nothing
//! here can fail a build: an unknown commit is omitted, and an option that the linker lacks is not passed.

use std::path::Path;
use std::process::Command;

/// Sets the commit where there is neither a repository nor a package: `TRUESUM_COMMIT=$(git rev-parse HEAD) cargo
/// build`.
const NAMED: &str = "TRUESUM_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={NAMED}");
    let commit = std::env::var(NAMED).ok().or_else(packaged).or_else(checked_out);
    // A line break would end the instruction to cargo.
    if let Some(commit) = commit.filter(|commit| !commit.contains(['\n', '\r'])) {
        println!("cargo::rustc-env=TRUESUM_BUILT_FROM={commit}");
    }
    for (ours, cargos) in [("TRUESUM_TARGET", "TARGET"), ("TRUESUM_PROFILE", "PROFILE")] {
        println!("cargo::rustc-env={ours}={}", std::env::var(cargos).unwrap_or_default());
    }
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        if links(&format!("link-arg={FOLD}")) {
            println!("cargo::rustc-link-arg-bins={FOLD}");
        }
        if loads_unwinder() && links(&format!("link-arg=-l:{UNWINDER}")) {
            println!("cargo::rustc-link-lib=dylib:+verbatim={UNWINDER}");
        }
    }
}

/// Keeps one copy of functions with identical machine code, which saves a seventieth of the program. The only code that
/// compares function addresses compares those of one signal handler.
const FOLD: &str = "-Wl,--icf=all";

/// The unwinder as a static library. The standard library needs it for backtraces; as a shared library, it takes an eighth of
/// the time in which the program starts.
const UNWINDER: &str = "libgcc_eh.a";

/// Returns whether the program would load the unwinder as a shared library, as on Linux with a shared glibc.
fn loads_unwinder() -> bool {
    let value = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = value("FEATURE").split(',').any(|feature| feature == "crt-static");
    value("OS") == "linux" && value("ENV") == "gnu" && !is_static
}

/// Returns whether a program can be linked with an option. Only lld has `--icf`, and only GCC has `libgcc_eh.a`.
fn links(option: &str) -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (rustc, folder) = (variable("RUSTC"), variable("OUT_DIR"));
    let source = Path::new(&folder).join("empty.rs");
    let mut command = Command::new(rustc);
    command.args(["--target", &variable("TARGET"), "--out-dir", &folder, "-C", option]);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        command.args(["-C", &format!("linker={linker}")]);
    }
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty())).arg(&source);
    std::fs::write(&source, "fn main() {}\n").is_ok()
        && command.output().is_ok_and(|output| output.status.success())
}

/// Returns the commit a package was made from, which cargo writes into the package.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    let commit = rest.split('"').next()?;
    let changed = if text.contains("\"dirty\": true") { ", with changes" } else { "" };
    Some(format!("{}{changed}", commit.get(..12)?))
}

/// Returns the checked-out commit, and whether files differ from it. A repository that merely contains this directory
/// does not count.
fn checked_out() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    if Path::new(git(&["rev-parse", "--show-toplevel"])?.as_str()) != root {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let files = ["--", ":/crates", ":/Cargo.toml", ":/Cargo.lock"];
    let changed = git(&[&["status", "--porcelain"], &files[..]].concat())?;
    // Everything that may change the answer.
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

/// Returns the output of git without the final newline.
fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
