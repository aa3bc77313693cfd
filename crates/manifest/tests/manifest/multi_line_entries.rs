//! Formats that have information about one file in several lines. Their entries are held back until
//! later lines were read, so that neither the positions nor the outcomes for a part are simply
//! those for all of the manifest. These tests define them.
//!
//! `deb822` and `distinfo` merge the information about one name in distant lists, and return it at
//! the end, in order of first appearance. `gpg-print-md` folds digests and `deb822` has stanzas: an
//! entry is open until its last line was read.

use crate::shared;
use shared::{Fixture, fixtures};
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Entry, FORMATS, Options, Place, ReadError, Reader};

/// The formats, and how often positions may decrease: once if entries that were held back follow at
/// the end.
const MULTI_LINE_FORMATS: [(&str, usize); 3] = [("deb822", 1), ("distinfo", 1), ("gpg-print-md", 0)];

type Item = (Place, Result<Entry, String>);

fn items(text: &[u8], options: &Options) -> Vec<Item> {
    Reader::new(text, options.clone())
        .map(|item| match item {
            Ok(line) => (line.at, Ok(line.entry)),
            Err(ReadError::Line(error)) => (error.at, Err(error.reason.to_string())),
            Err(ReadError::Io(error)) => panic!("memory can be read: {error}"),
        })
        .collect()
}

/// Returns the fixtures of a format, with options that specify it.
fn fixtures_of(name: &str) -> Vec<Fixture> {
    let format = FORMATS.iter().find(|row| row.name() == name).expect("a format");
    let mut found = fixtures();
    found.retain(|fixture| {
        let mut reader = Reader::new(&fixture.manifest[..], fixture.options.clone());
        let _ = reader.next();
        reader.format() == Some(format)
    });
    // Lines are inserted as bytes below, so UTF-16 is excluded.
    found.retain(|fixture| {
        !fixture.manifest.starts_with(b"\xff\xfe") && !fixture.manifest.starts_with(b"\xfe\xff")
    });
    for fixture in &mut found {
        fixture.options = fixture.options.clone().format(Some(format));
    }
    assert!(found.len() > 1, "{name}: {} fixtures", found.len());
    found
}

/// Returns whether a text contains the digits of a digest, even in groups.
fn stands_in(digest: &Digest, text: &[u8]) -> bool {
    let digits: Vec<u8> =
        text.iter().filter(|byte| byte.is_ascii_hexdigit()).map(u8::to_ascii_lowercase).collect();
    digits.windows(2 * digest.len()).any(|part| part == digest.to_hex().as_bytes())
}

/// Returns whether an entry of all of the manifest has everything that the entry of the part has.
fn agrees(part: &Entry, whole: &Entry) -> bool {
    part.path == whole.path
        && (part.size.is_none() || part.size == whole.size)
        && part.digests.iter().all(|found| whole.digests.contains(found))
}

#[test]
fn buffered_lines_keep_their_outcome_in_a_truncated_manifest() {
    for (name, _) in MULTI_LINE_FORMATS {
        for Fixture { name: file, options, expect, manifest } in fixtures_of(name) {
            let all = items(&manifest, &options);
            assert_eq!(all.len(), expect.len(), "{}: its format is specified", file.display());
            let ends = manifest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
            for (at, number) in ends.zip(1..) {
                let (text, last, end) = (&manifest[..at], Place::Line(number), Place::Line(number + 1));
                let part = items(text, &options);
                let context = || format!("{}: {number} lines: {part:#?} of {all:#?}", file.display());
                // The outcome of a cut is the same with and without the line end of the last line.
                assert_eq!(part, items(&manifest[..=at], &options), "{}", context());
                assert!(part.iter().all(|(place, _)| *place <= end), "{}", context());
                for (nth, (place, found)) in part.iter().enumerate() {
                    let known = all.iter().any(|(other, whole)| match (found, whole) {
                        (Ok(found), Ok(whole)) => agrees(found, whole),
                        (found, whole) => found == whole && place == other,
                    });
                    // The last entry may have been open at the end of the part: then it is bad or
                    // incomplete.
                    assert!(known || nth + 1 == part.len() && *place == end, "{}", context());
                }
                for (place, whole) in &all {
                    let is_same = |(other, found): &Item| match (whole, found) {
                        (Err(_), found) => place == other && found == whole,
                        (Ok(whole), Ok(found)) => {
                            let here = |(spec, digest): &&(Spec, Digest)| {
                                !stands_in(digest, text)
                                    || found.digests.contains(&(spec.clone(), digest.clone()))
                            };
                            found.path == whole.path
                                && whole.digests.iter().filter(here).count() == whole.digests.len()
                        }
                        (Ok(_), Err(_)) => *other == end,
                    };
                    let due = match whole {
                        Err(_) => *place <= last,
                        Ok(entry) => {
                            *place <= last || entry.digests.iter().all(|(_, digest)| stands_in(digest, text))
                        }
                    };
                    assert!(!due || part.iter().any(is_same), "{place:?} {whole:?}\n{}", context());
                }
            }
        }
    }
}

#[test]
fn malformed_line_does_not_drop_other_entries() {
    for (name, _) in MULTI_LINE_FORMATS {
        for Fixture { name: file, options, expect, manifest } in fixtures_of(name) {
            let all = items(&manifest, &options);
            assert_eq!(all.len(), expect.len(), "{}: its format is specified", file.display());
            let ends = manifest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            for at in ends {
                let text = [&manifest[..at], b"\x01no line\n", &manifest[at..]].concat();
                let found = items(&text, &options);
                let context = || format!("{}: byte {at}: {found:#?} of {all:#?}", file.display());
                let bad = |items: &[Item]| items.iter().filter(|(_, found)| found.is_err()).count();
                assert!(bad(&found) > bad(&all), "{}", context());
                // Within a folded digest, the entry itself is bad, and is reported.
                let folded = name == "gpg-print-md" && manifest[at..].starts_with(b"  ");
                for (_, whole) in all.iter().filter(|_| !folded) {
                    let Ok(whole) = whole else { continue };
                    assert!(
                        found.iter().any(|(_, found)| found.as_ref() == Ok(whole)),
                        "{whole:?}\n{}",
                        context()
                    );
                }
            }
        }
    }
}

/// Returns many entries. The first digits of their digests are all different.
fn entries(several: bool) -> Vec<Entry> {
    let specs: Vec<Spec> = ["md5", "sha256"].iter().map(|name| name.parse().unwrap()).collect();
    let of = |name: String| {
        let specs = &specs[usize::from(!several)..];
        let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(name.as_bytes()))).collect();
        let size = several.then_some(name.len() as u64);
        Entry { path: name.into_bytes(), size, digests, ..Entry::default() }
    };
    (0..200).map(|number| of(format!("pool/{}/file_{number}", number * 7 % 10))).collect()
}

/// Writes one list per algorithm, each with all files, as Debian's tools do.
fn release(entries: &[Entry]) -> String {
    let mut text = "Origin: x\n".to_owned();
    for (at, key) in ["MD5Sum:", "SHA256:"].iter().enumerate() {
        text += &format!("{key}\n");
        for entry in entries {
            let (digest, path) = (entry.digests[at].1.to_hex(), String::from_utf8_lossy(&entry.path));
            text += &format!(" {digest} {:>8} {path}\n", entry.size.unwrap());
        }
    }
    text
}

/// Writes all digests, then all sizes, as in OpenBSD's ports.
fn distinfo(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        for (spec, digest) in &entry.digests {
            text +=
                &format!("{} ({}) = {}\n", spec.tag(), String::from_utf8_lossy(&entry.path), digest.to_hex());
        }
    }
    for entry in entries {
        text += &format!("SIZE ({}) = {}\n", String::from_utf8_lossy(&entry.path), entry.size.unwrap());
    }
    text
}

/// Writes seven groups next to the name and the last one below, as gpg does.
fn gpg(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let digits = entry.digests[0].1.to_hex().to_uppercase();
        let groups: Vec<&str> = (0..8).map(|group| &digits[group * 8..][..8]).collect();
        text += &format!("{}: {}\n", String::from_utf8_lossy(&entry.path), groups[..7].join(" "));
        text += &format!("     {}\n", groups[7]);
    }
    text
}

#[test]
fn buffered_entries_round_trip_in_order() {
    type Write = fn(&[Entry]) -> String;
    let writers: [(&str, Write, bool); 3] =
        [("deb822", release, true), ("distinfo", distinfo, true), ("gpg-print-md", gpg, false)];
    for ((name, falls), (format, write, several)) in MULTI_LINE_FORMATS.into_iter().zip(writers) {
        assert_eq!(name, format);
        let entries = entries(several);
        let text = write(&entries);
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let found: Vec<_> = (&mut reader).map(|item| item.expect("a line of its format")).collect();
        assert_eq!(reader.format().map(|row| row.name()), Some(name));
        assert!(found.is_sorted_by_key(|line| line.at), "{name}");
        assert_eq!(found.into_iter().map(|line| line.entry).collect::<Vec<_>>(), entries, "{name}");
        // If there is a bad line among them, entries that are held back follow it; the others do
        // not.
        let middle = text.match_indices('\n').nth(100 + usize::from(name == "gpg-print-md")).unwrap().0 + 1;
        let text = [&text[..middle], "\x01no line\n", &text[middle..]].concat();
        let options = Options::default().format(reader.format());
        let items = items(text.as_bytes(), &options);
        assert_eq!(items.iter().filter(|(_, found)| found.is_err()).count(), 1, "{name}");
        assert_eq!(items.len(), entries.len() + 1, "{name}");
        assert_eq!(items.windows(2).filter(|pair| pair[1].0 < pair[0].0).count(), falls, "{name}");
    }
}
