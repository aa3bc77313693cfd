//! Checks every fixture under `testdata/manifests`: one case, one exact outcome.
//!
//! A fixture starts with lines `key: value` and a blank line. The rest, byte for byte, is the
//! manifest. Keys: `file-name` (the manifest's name), `requested` (the requested algorithms, separated
//! by commas), `allow-weak`, `allow-pieces`, `allow-set`, `note`, and one `expect` for each entry
//! and bad line that the reader must return: `line N: ALGORITHM DIGEST NAME` with the first 8
//! digits of the digest, `or ALGORITHM DIGEST` for each alternative, the name as shown in messages,
//! and `unread NAME` for each digest that is reported but not compared; `line N: error: REASON`; `no manifest: WHAT`; or `nothing`.

use crate::shared;
use shared::fixtures;
use std::io::{ErrorKind, Read};
use truesum_manifest::path::display_safe;
use truesum_manifest::{FORMATS, Options, ReadError, Reader, Reading, Reason};

/// Returns the items of a reader, one text each.
fn outcome(manifest: impl Read, options: &Options) -> Vec<String> {
    Reader::new(manifest, options.clone())
        .map(|item| match item {
            Ok(line) => {
                let entry = line.entry;
                let mut text = format!("{}:", line.at);
                for (spec, digest) in &entry.digests {
                    let hex = digest.to_hex();
                    text += &format!(" {spec} {}", &hex[..hex.len().min(8)]);
                }
                for (spec, digest) in &entry.alternatives {
                    text += &format!(" or {spec} {}", &digest.to_hex()[..8]);
                }
                text += &format!(" {}", display_safe(&entry.path));
                if let Some(size) = entry.size {
                    text += &format!(" {size} bytes");
                }
                for pieces in &entry.pieces {
                    let (count, len) = (pieces.of_file(entry.size.unwrap_or(0)).count(), pieces.piece_len());
                    text += &format!(" {count} pieces of {len} from {}", pieces.file_start());
                }
                entry.unread.iter().for_each(|name| text += &format!(" unread {name}"));
                if let Some(mtime) = entry.mtime {
                    text += &format!(" {mtime}");
                }
                text
            }
            Err(ReadError::Line(error)) => {
                // The message of the JSON library after the colon is not compared.
                let reason = error.reason.to_string();
                let reason = reason.split_once(" entry (").map_or(reason.as_str(), |_| "not a JSON entry");
                let reason = reason.split_once(" document (").map_or(reason, |_| "not a JSON document");
                format!("{}: error: {reason}", error.at)
            }
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                format!("no manifest: {error}")
            }
            Err(ReadError::Io(error)) => panic!("no fixture fails to be read: {error}"),
        })
        .collect()
}

/// A reader that returns one byte at a time.
struct SingleByteReader<'a>(&'a [u8]);

impl Read for SingleByteReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.0.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

#[test]
fn every_fixture_has_its_exact_outcome() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 250, "only {} fixtures", fixtures.len());
    let mut wrong = String::new();
    for fixture in &fixtures {
        let found = outcome(&fixture.manifest[..], &fixture.options);
        if found != fixture.expect {
            let name = fixture.name.display();
            wrong += &format!("{name}\n  expected {:#?}\n  found {found:#?}\n", fixture.expect);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn outcomes_do_not_depend_on_read_sizes() {
    for fixture in &fixtures() {
        let found = outcome(SingleByteReader(&fixture.manifest), &fixture.options);
        assert_eq!(found, fixture.expect, "{}", fixture.name.display());
    }
}

/// Formats whose entries are held back, because later lines may add to them. The outcomes for a
/// part of such a manifest are tested in `multi_line_entries.rs`.
const MULTI_LINE_FORMATS: &[&str] = &["bare", "cargo-lock", "deb822", "distinfo"];

/// Returns the line number at the start of an outcome.
fn line_of(outcome: &str) -> usize {
    outcome["line ".len()..].split(':').next().unwrap().parse().unwrap()
}

#[test]
fn complete_lines_of_a_truncated_manifest_keep_their_outcomes() {
    let (mut compared, mut held) = (0, std::collections::BTreeSet::new());
    for fixture in &fixtures() {
        let text = &fixture.manifest;
        // A part of a manifest lacks what a byte order mark, a NUL or a signature means for all of
        // it.
        let signed = text.windows(10).any(|part| part == b"-----BEGIN");
        let mut reader = Reader::new(&text[..], fixture.options.clone());
        let _ = reader.next();
        let Some(format) = reader.format() else { continue };
        let lines = matches!(format.reading(), Reading::Lines { .. });
        let plain = text.is_ascii()
            && !text.contains(&0)
            && !signed
            && lines
            && !MULTI_LINE_FORMATS.contains(&format.name());
        // The first lines of a part may not show its format.
        let options = fixture.options.clone().format(Some(format));
        compared += usize::from(plain);
        for cut in (0..text.len().min(1000)).step_by(5) {
            let found = outcome(&text[..cut], if plain { &options } else { &fixture.options });
            let whole = text[..cut].iter().filter(|&&byte| byte == b'\n').count();
            if plain && cut > 70 {
                let of_whole = |items: &[String]| items.iter().filter(|item| line_of(item) <= whole).count();
                if found[..of_whole(&found)] != fixture.expect[..of_whole(&fixture.expect)] {
                    held.insert(format!("{} {}", format.name(), fixture.name.file_name().unwrap().display()));
                }
            }
        }
    }
    assert!(held.is_empty(), "{held:#?}");
    assert!(compared > 100, "{compared}");
}

#[test]
fn every_format_has_a_recognized_fixture() {
    let mut seen = std::collections::BTreeSet::new();
    for fixture in &fixtures() {
        let mut reader = Reader::new(&fixture.manifest[..], fixture.options.clone());
        let first = reader.next();
        // An unsupported algorithm shows that the line was read, too.
        let is_read = match &first {
            Some(Err(ReadError::Line(error))) => matches!(error.reason, Reason::Algorithm(_)),
            first => matches!(first, Some(Ok(_))),
        };
        if let Some(format) = reader.format().filter(|_| is_read) {
            seen.insert(format.name());
        }
    }
    // `torrent-v2` and `torrent-hybrid` exist only for writing; such files are read as `torrent`.
    let own = |row: &&&truesum_manifest::Format| !matches!(row.name(), "torrent-v2" | "torrent-hybrid");
    let read =
        FORMATS.iter().filter(|row| !matches!(row.reading(), Reading::Not(_) | Reading::Packed { .. }));
    let read = read.filter(own);
    let missing: Vec<&str> = read.map(|row| row.name()).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no fixture is read as {missing:?}");
}
