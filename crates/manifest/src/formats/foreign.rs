//! Files that are often mistaken for manifests: web pages, images, lock files. They are
//! recognized in order to name them in the error message, and are never read.

use super::xml;
use crate::digest::is_long_hex;
use crate::format::{Claim, Format, Head, Reading, Sign};
use crate::scan;

pub(crate) static WEB_PAGE: Format = Format {
    name: "web-page",
    summary: "web page (for example an error page); recognized, not read",
    sniff: |head: &Head<'_>| {
        let (root, tag) = xml::root(head)?;
        let page = [&b"html"[..], b"head", b"body", b"table", b"pre"]
            .iter()
            .any(|name| root.eq_ignore_ascii_case(name));
        (page && tag.len() < 4096).then_some(MARK)
    },
    reading: Reading::Not(|_| {
        "this is a web page, not a manifest; download the checksum file itself, or compare a file with a digest from the page (--expect DIGEST)".to_owned()
    }),
    ..Format::DEFAULT
};

pub(crate) static IMAGE: Format = Format {
    name: "image",
    summary: "image or printable document; recognized, not read",
    sniff: |head| begins(head, IMAGES),
    reading: Reading::Not(|_| "this is an image or a document, not a manifest".to_owned()),
    ..Format::DEFAULT
};

pub(crate) static AUDIO: Format = Format {
    name: "audio",
    file_names: &[".ffp", ".st5"],
    summary: "digests of decoded audio (flac's .ffp, shntool's .st5); recognized, not read",
    sniff: |head: &Head<'_>| {
        let mut lines =
            head.lines(b'\n').map(scan::trim).filter(|line| !matches!(line, [] | [b';', ..])).peekable();
        let sound = |line: &[u8]| {
            let (digest, rest) = scan::word(line);
            let shntool = digest.len() == 32 && rest.starts_with(b"[shntool]");
            shntool
                || scan::cut(line, b':')
                    .is_some_and(|(name, digest)| name.ends_with(b".flac") && is_long_hex(digest))
        };
        (lines.peek().is_some() && lines.all(sound)).then_some(MARK)
    },
    reading: Reading::Not(|_| {
        "these are digests of decoded audio, not of files; to verify FLAC files: flac --test; to print such digests: \
         shntool hash or metaflac --show-md5sum".to_owned()
    }),
    ..Format::DEFAULT
};

pub(crate) static LOCK: Format = Format {
    name: "package-lock",
    file_names: &["yarn.lock", "pnpm-lock.yaml"],
    summary: "lock file of yarn or pnpm (digests of cached archives); recognized, not read",
    sniff: |head: &Head<'_>| {
        let mark = |line: &[u8]| {
            [&b"# yarn lockfile v"[..], b"__metadata:", b"lockfileVersion:"]
                .iter()
                .any(|mark| line.starts_with(mark))
        };
        head.lines(b'\n').take(8).any(mark).then_some(MARK)
    },
    reading: Reading::Not(|_| {
        "this is a lock file of a package manager, with digests of archives in its cache; to verify them: \
         yarn install --check-cache, yarn check --integrity or pnpm store status"
            .to_owned()
    }),
    ..Format::DEFAULT
};

const MARK: Claim = Claim { sign: Sign::Mark, at: 0 };

const IMAGES: &[&[u8]] =
    &[b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"%PDF-", b"II*\0", b"MM\0*"];

fn begins(head: &Head<'_>, magic: &[&[u8]]) -> Option<Claim> {
    magic.iter().any(|magic| head.text.starts_with(magic)).then_some(MARK)
}
