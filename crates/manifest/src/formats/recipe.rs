//! Build recipes, which contain a single digest of a download, and databases of other programs.
//! They are recognized, but never read.

use crate::digest::is_hex;
use crate::format::{Claim, Format, Head, Reading, Sign};
use crate::scan;

pub(crate) static RECIPE: Format = Format {
    name: "recipe",
    summary: "Homebrew formula, Nix expression or OpenWrt Makefile; recognized, not read",
    sniff: |head| by_line(head, is_recipe),
    reading: Reading::Not(|_| {
        "this is a build recipe, which contains the digest of a download; to compare a downloaded file with it: \
         truesum check --expect ALGORITHM:DIGEST FILE"
            .to_owned()
    }),
    ..Format::DEFAULT
};

pub(crate) static DATABASE: Format = Format {
    name: "database",
    summary: "AIDE database, apk index or git object list; recognized, not read",
    sniff: |head| by_line(head, is_database),
    reading: Reading::Not(|_| {
        "this is a database of another program (AIDE, apk or git), whose digests cover more than file contents; \
         to verify it: aide --check, apk verify or git fsck"
            .to_owned()
    }),
    ..Format::DEFAULT
};

/// Claims the first line that satisfies `is`, regardless of the lines above it.
fn by_line(head: &Head<'_>, is: fn(&[u8]) -> bool) -> Option<Claim> {
    let at = head.lines(b'\n').position(|line| is(scan::trim(line.strip_suffix(b"\r").unwrap_or(line))))?;
    Some(Claim { sign: Sign::Mark, at })
}

fn is_recipe(line: &[u8]) -> bool {
    let quoted = |rest: &[u8], end: &[u8]| -> Option<usize> {
        let text = scan::trim_start(rest).strip_prefix(b"\"")?.strip_suffix(end)?;
        scan::all(text, |byte| byte.is_ascii_alphanumeric() || b"+/=-:".contains(&byte)).then_some(text.len())
    };
    let homebrew = line.strip_prefix(b"sha256 ").and_then(|rest| quoted(rest, b"\""));
    let nix = [&b"hash ="[..], b"sha256 =", b"outputHash ="];
    let nix = nix.iter().find_map(|key| quoted(line.strip_prefix(*key)?, b"\";"));
    let openwrt = line.strip_prefix(b"PKG_HASH:=").is_some_and(|text| text.len() == 64 && is_hex(text));
    homebrew == Some(64) || nix.is_some_and(|len| len >= 50) || openwrt
}

fn is_database(line: &[u8]) -> bool {
    let git = || {
        let (mode, rest) = scan::word(line);
        let (kind, rest) = scan::word(rest);
        let sum = &rest[..rest.len().min(40)];
        mode.len() == 6
            && scan::all(mode, |byte| byte.is_ascii_digit())
            && kind == b"blob"
            && sum.len() == 40
            && is_hex(sum)
    };
    line == b"@@begin_db" || line.starts_with(b"C:Q1") && line.ends_with(b"=") || git()
}
