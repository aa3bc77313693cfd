//! Files that are often mistaken for manifests: web pages, images, lock files, build recipes (with a
//! single digest of a download) and databases of other programs. They are recognized in order to
//! name them in the error message, and are never read.

use super::xml;
use crate::digest::{is_hex, is_long_hex};
use crate::formats::prelude::*;

pub(crate) static WEB_PAGE: Format = Format {
    name: "web-page",
    summary: "web page (for example an error page); recognized, not read",
    sniff: |head: &Head<'_>| {
        let (root, tag) = xml::root(head)?;
        let page = [&b"html"[..], b"head", b"body", b"table", b"pre"]
            .iter()
            .any(|name| root.eq_ignore_ascii_case(name));
        Claim::mark(page && tag.len() < 4096)
    },
    reading: Reading::not(
        "this is a web page, not a manifest; download the checksum file itself, or compare a file with a digest from the page: truesum check --expect DIGEST FILE",
    ),
    ..Format::DEFAULT
};

pub(crate) static IMAGE: Format = Format {
    name: "image",
    summary: "image or PDF document; recognized, not read",
    sniff: |head| head.begins(IMAGES),
    reading: Reading::not("this is an image or a PDF document, not a manifest"),
    ..Format::DEFAULT
};

pub(crate) static AUDIO: Format = Format {
    name: "audio",
    file_names: &[".ffp", ".st5"],
    summary: "digests of decoded audio (flac's .ffp, shntool's .st5); recognized, not read",
    sniff: |head| {
        let is_remark = |line: &[u8]| matches!(scan::trim(line), [] | [b';', ..]);
        all(head, is_remark, is_audio)
    },
    reading: Reading::not(
        "these are digests of decoded audio, not of files; to verify FLAC files: flac --test FILE; to print such digests: \
         shntool hash FILE or metaflac --show-md5sum FILE",
    ),
    ..Format::DEFAULT
};

pub(crate) static LOCK: Format = Format {
    name: "package-lock",
    file_names: &["yarn.lock", "pnpm-lock.yaml"],
    summary: "yarn or pnpm lock file (digests of cached archives); recognized, not read",
    sniff: |head: &Head<'_>| {
        let marks = [&b"# yarn lockfile v"[..], b"__metadata:", b"lockfileVersion:"];
        let is_mark = |line: &[u8]| marks.iter().any(|mark| line.starts_with(mark));
        Claim::mark(head.lines(b'\n').take(8).any(is_mark))
    },
    reading: Reading::not(
        "this is a lock file of a package manager, with digests of archives in its cache; to verify them: \
         yarn install --check-cache (Yarn 2 or later), yarn check --integrity (Yarn 1) or pnpm store status (pnpm)",
    ),
    ..Format::DEFAULT
};

pub(crate) static GO_SUM: Format = Format {
    name: "go-sum",
    file_names: &["go.sum"],
    summary: "go.sum: digests of Go modules, not of files; recognized, not read",
    sniff: |head| all(head, scan::is_empty, is_go_sum),
    reading: Reading::not(
        "this is a go.sum file, whose digests cover lists of module files, not single files; to verify the modules: go mod verify",
    ),
    ..Format::DEFAULT
};

pub(crate) static RECIPE: Format = Format {
    name: "recipe",
    summary: "Homebrew formula, Nix expression or OpenWrt Makefile; recognized, not read",
    sniff: |head| head.marked(|line| is_recipe(scan::trim(line.strip_suffix(b"\r").unwrap_or(line)))),
    reading: Reading::not(
        "this is a build recipe, which contains the digest of a download; to compare a downloaded file with it: \
         truesum check --expect ALGORITHM:DIGEST FILE",
    ),
    ..Format::DEFAULT
};

pub(crate) static DATABASE: Format = Format {
    name: "database",
    summary: "AIDE database, apk index or git object list; recognized, not read",
    sniff: |head| head.marked(|line| is_database(scan::trim(line.strip_suffix(b"\r").unwrap_or(line)))),
    reading: Reading::not(
        "this is a database of another program, whose digests cover more than file contents; \
         to verify it: aide --check (AIDE), apk verify (apk) or git fsck (git)",
    ),
    ..Format::DEFAULT
};

pub(crate) static TERRAFORM_LOCK: Format = Format {
    name: "terraform-lock",
    file_names: &[".terraform.lock.hcl"],
    summary: "Terraform or OpenTofu dependency lock file (no file names); recognized, not read",
    sniff: |head: &Head<'_>| {
        let is_hash =
            |line: &[u8]| [&b"\"zh:"[..], b"\"h1:"].iter().any(|mark| scan::trim(line).starts_with(mark));
        head.lines(b'\n').any(is_hash).then(|| head.marked(|line| line.starts_with(b"provider \"")))?
    },
    reading: Reading::not(
        "this is a Terraform lock file, which contains digests of provider packages but no file names; to verify the \
         packages: terraform init -lockfile=readonly; to compare one with its zh digest: truesum check --expect sha256:DIGEST FILE",
    ),
    ..Format::DEFAULT
};

pub(crate) static FFMPEG: Format = Format {
    name: "ffmpeg-hash",
    file_names: &[".framemd5", ".framehash", ".framecrc", ".ffmd5", ".streamhash"],
    summary: "digests of frames or streams, as written by ffmpeg; recognized, not read",
    sniff: |head: &Head<'_>| {
        let marks = [&b"#format: frame checksums"[..], b"#software: Lavf", b"#media_type 0:"];
        let is_mark = |line: &[u8]| marks.iter().any(|mark| line.starts_with(mark));
        Claim::mark(head.lines(b'\n').take(8).any(is_mark)).or_else(|| all(head, scan::is_empty, is_stream))
    },
    reading: Reading::not(
        "these are digests of frames or streams computed by ffmpeg, not of files; to compute them again, use the format of this list (hash, streamhash, framehash or framemd5) after -f: \
         ffmpeg -i FILE -map 0 -c copy -f framemd5 - ; if this is the digest of a file: \
         truesum check --expect DIGEST FILE",
    ),
    ..Format::DEFAULT
};

pub(crate) static BITROT: Format = Format {
    name: "bitrot",
    file_names: &[".bitrot.db"],
    summary: "bitrot database; recognized, not read",
    sniff: |head: &Head<'_>| {
        head.begins(&[b"SQLite format 3\0"]).filter(|_| scan::contains(head.text, b"CREATE TABLE bitrot"))
    },
    reading: Reading::not(
        "this is bitrot's database of the files in its folder; to check them: sqlite3 .bitrot.db \
         \"select hash || '  ' || path from bitrot\" > SHA1SUMS; truesum check SHA1SUMS",
    ),
    ..Format::DEFAULT
};

const IMAGES: &[&[u8]] =
    &[b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"%PDF-", b"II*\0", b"MM\0*"];

/// Claims a manifest if all of its lines are such lines, except remarks.
fn all(head: &Head<'_>, is_remark: fn(&[u8]) -> bool, is_line: fn(&[u8]) -> bool) -> Option<Claim> {
    let mut lines = head.lines(b'\n').filter(|line| !is_remark(line)).peekable();
    Claim::mark(lines.peek().is_some() && lines.all(is_line))
}

fn is_audio(line: &[u8]) -> bool {
    let line = scan::trim(line);
    let (digest, rest) = scan::word(line);
    let is_shntool = digest.len() == 32 && rest.starts_with(b"[shntool]");
    let is_flac = |(name, digest): (&[u8], &[u8])| name.ends_with(b".flac") && is_long_hex(digest);
    is_shntool || scan::cut(line, b':').is_some_and(is_flac)
}

/// Returns true for `0,v,MD5=DIGEST` (streamhash) and `MD5=DIGEST` (hash).
fn is_stream(line: &[u8]) -> bool {
    let line = scan::trim(line);
    let hash = &line[scan::rfind(line, |byte| byte == b',').map_or(0, |at| at + 1)..];
    let is_index = |start: &[u8]| {
        let (number, kind) = scan::cut(start, b',').unwrap_or_default();
        scan::decimal(number).is_some() && matches!(kind, [b'a' | b'd' | b's' | b't' | b'v', b','])
    };
    let start = &line[..line.len() - hash.len()];
    let is_hash = scan::cut(hash, b'=').is_some_and(|(tag, digest)| {
        let is_tag = std::str::from_utf8(tag).is_ok_and(|tag| tag.len() <= 16 && tag.parse::<Spec>().is_ok());
        is_tag && tag.iter().all(|byte| !byte.is_ascii_lowercase()) && is_hex(digest)
    });
    is_hash && (start.is_empty() || is_index(start))
}

fn is_go_sum(line: &[u8]) -> bool {
    let (version, sum) = scan::word(scan::word(line).1);
    version.starts_with(b"v") && sum.starts_with(b"h1:")
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
