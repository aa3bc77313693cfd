//! Damage to a manifest is detected. Every fixture that is read without errors is damaged in
//! hundreds of places. Each time that an entry or a digest is lost, the reader must report a bad
//! line, reject the manifest, or return a name that no file will have.
//!
//! Damage that cannot be detected is in [`UNDETECTABLE`], by format and with its reason;
//! `docs/spec/manifests.md` has the same list. `TRUESUM_DAMAGE=all` tries all places instead of a
//! sample.

use crate::shared;
use shared::{Fixture, fixtures};
use std::collections::{BTreeMap, BTreeSet};
use truesum_manifest::{Options, Reader};

/// The entries: names, and their digests with algorithms.
type Entries = BTreeMap<Vec<u8>, BTreeSet<String>>;

/// Reads a manifest. Returns the name of its format, its entries, and the number of digests in it,
/// including those that are there twice. Returns `None` if it has a bad line or is rejected.
fn read_cleanly(text: &[u8], options: &Options) -> Option<(&'static str, Entries, usize)> {
    let mut reader = Reader::new(text, options.clone());
    let (mut entries, mut count) = (Entries::new(), 0);
    for item in &mut reader {
        let entry = item.ok()?.entry;
        count += entry.digests.len();
        entries
            .entry(entry.path.clone())
            .or_default()
            .extend(entry.digests.iter().map(|(spec, digest)| format!("{spec}:{}", digest.to_hex())));
    }
    Some((reader.format()?.name(), entries, count))
}

/// A damaged manifest.
struct Damage<'a> {
    before: &'a [u8],
    after: Vec<u8>,
    at: usize,
}

impl Damage<'_> {
    /// Returns the damaged line, before and after.
    fn lines(&self) -> (&[u8], &[u8]) {
        let line = |text: &'_ [u8]| -> (usize, usize) {
            let at = self.at.min(text.len());
            let begin = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let end = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| at + end);
            (begin, end)
        };
        let (before, after) = (line(self.before), line(&self.after));
        (&self.before[before.0..before.1], &self.after[after.0..after.1])
    }
}

/// Damage that no reader can detect in manifests of these formats, and the reason.
struct Undetectable {
    formats: &'static [&'static str],
    is: fn(&Damage<'_>) -> bool,
    _why: &'static str,
}

/// All undetectable damage.
const UNDETECTABLE: &[Undetectable] = &[
    Undetectable {
        formats: &[
            "gnu",
            "bsd",
            "sfv",
            "sfvmd5",
            "loose",
            "fsum",
            "mtree",
            "slackware",
            "signify",
            "hashdeep",
            "distinfo",
            "buildroot",
            "conda",
            "jar-manifest",
            "deb822",
        ],
        is: |damage| is_comment(damage.lines().0) && damage.before[damage.at] == b'\n',
        _why: "the end of a comment's line: what follows is in the comment",
    },
    Undetectable {
        formats: &["gnu", "bsd", "mtree", "loose", "signify"],
        is: |damage| {
            is_comment(damage.lines().1)
                && matches!(damage.before[damage.at], b' ' | b'\t' | b'\\' | b'\n' | b'(' | b'*' | b'-')
        },
        _why: "what stands before a whole entry and is now a mark of comments: somebody made the entry a comment",
    },
    Undetectable {
        formats: &["sfv", "loose"],
        is: |damage| matches!(damage.lines().1, [b';' | b'#', b' ', ..]),
        _why: "a name whose first character is now a mark of comments before a blank, as in a comment",
    },
    Undetectable {
        formats: &["zstd"],
        is: |damage| damage.before.starts_with(b"\x28\xb5\x2f\xfd") && damage.before[4] & 4 == 0,
        _why: "a frame without a checksum, whose content is now another valid text",
    },
];

/// Returns whether a line is a comment in one of the formats that have comments.
fn is_comment(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'#' | b';')) || line.starts_with(b"//")
}

/// Returns all damage to one byte: each bit flipped, the byte replaced with a blank, a digit, a
/// separator or the start of a comment, and the byte removed.
fn damages(text: &[u8]) -> Vec<Damage<'_>> {
    let mut all = Vec::new();
    for at in 0..text.len() {
        let mut with = |bytes: &[u8]| {
            let after = [&text[..at], bytes, &text[at + 1..]].concat();
            if after != text {
                all.push(Damage { before: text, after, at });
            }
        };
        for bit in 0..8 {
            with(&[text[at] ^ (1 << bit)]);
        }
        for byte in b" \t0-#;/\n,\"" {
            with(&[*byte]);
        }
        with(b"");
    }
    all
}

/// Describes the entry or digest that was lost, if nothing indicates the loss.
fn lost((before, all): (&Entries, usize), (after, left): (&Entries, usize)) -> Option<String> {
    // An empty manifest verifies nothing, and a name that no file has is reported as missing.
    let specs = |digests: &BTreeSet<String>| {
        digests
            .iter()
            .map(|digest| digest.split(':').next().unwrap().to_owned())
            .collect::<BTreeSet<_>>()
            .len()
    };
    // A digest that is now expected of another file does not match that file, unless both are equal.
    if left >= all {
        return None;
    }
    if after.is_empty() || after.keys().any(|name| !before.contains_key(name)) {
        return None;
    }
    for (name, digests) in before {
        match after.get(name) {
            None => return Some(format!("entry {}", String::from_utf8_lossy(name))),
            Some(found) if found.len() < digests.len() && specs(found) < specs(digests) => {
                return Some(format!("digest of {}", String::from_utf8_lossy(name)));
            }
            Some(_) => {}
        }
    }
    None
}

#[test]
fn damage_is_detected_or_known_to_be_undetectable() {
    let all = std::env::var("TRUESUM_DAMAGE").is_ok_and(|value| value == "all");
    let only = std::env::var("TRUESUM_DAMAGE_ONLY").unwrap_or_default();
    let mut wrong = String::new();
    let (mut tried, mut formats) = (0, BTreeSet::new());
    for Fixture { name, options, manifest, expect } in &fixtures() {
        if !name.to_string_lossy().contains(&only) || expect.iter().any(|item| item.contains(": error: ")) {
            continue;
        }
        let options = &options.clone().allow_undigested(false);
        let Some((format, before, all_digests)) = read_cleanly(manifest, options) else { continue };
        if before.is_empty() || manifest.len() > 4096 {
            continue;
        }
        formats.insert(format);
        let damages = damages(manifest);
        // A step that has no common factor with the number of kinds of damage covers all kinds in
        // all places.
        let step = if all { 1 } else { (damages.len() / 151).max(1) | 1 };
        for damage in damages.iter().step_by(step) {
            tried += 1;
            let Some((_, after, left)) = read_cleanly(&damage.after, options) else { continue };
            let Some(what) = lost((&before, all_digests), (&after, left)) else { continue };
            if UNDETECTABLE.iter().any(|blind| blind.formats.contains(&format) && (blind.is)(damage)) {
                continue;
            }
            let (line, damaged) = damage.lines();
            let shown = |line: &[u8]| String::from_utf8_lossy(&line[..line.len().min(150)]).into_owned();
            wrong += &format!(
                "{format} {} byte {}: {what}\n  {}\n  {}\n",
                name.file_name().unwrap().to_string_lossy(),
                damage.at,
                shown(line),
                shown(damaged)
            );
        }
    }
    println!("{tried} damages of {} formats", formats.len());
    assert!(wrong.is_empty(), "{wrong}");
}
