//! A simple fuzzer: every fixture is a seed for its format, and is changed in small ways that are
//! the same in each run. The items that the reader returns must have the promised properties,
//! whatever the bytes. `fuzz/` checks the same properties with a coverage-guided fuzzer.
//!
//! The short run is part of the regular tests; `tests/run` runs the long one in release mode. A
//! text that violates a property is added as a fixture.

use crate::shared;
use shared::{Fixture, fixtures};
use std::collections::BTreeMap;
use truesum_manifest::{
    FORMATS, Format, LINE_LIMIT, NAME_LIMIT, Options, ReadError, Reader, Reading, SIZE_LIMIT,
};

/// A xorshift64* generator, which gives the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Fragments of text that have a meaning in some format.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"  ",
    b" *",
    b"\\",
    b"\"",
    b"\"\"",
    b",",
    b"=",
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b"</",
    b"&amp;",
    b"&#0;",
    b"&x;",
    b"<!DOCTYPE x [",
    b"<![CDATA[",
    b"-1",
    b"0",
    b"9223372036854775808",
    b"99999999999999999999e",
    b"i-0e",
    b"d",
    b"l",
    b"e",
    b"4:info",
    b"../",
    b"/",
    b"%00",
    b"%",
    b"\\000",
    b"sha256",
    b"SHA256 (",
    b"SHA256:\n ",
    b"Filename: ",
    b"magnet:?",
    b"#mtree\n",
    b"%%%% ",
    b"-----BEGIN PGP SIGNED MESSAGE-----\n",
    b"- ",
    b"d41d8cd98f00b204e9800998ecf8427e",
    b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
];

/// Returns a seed with a few changes.
fn mutate(seed: &[u8], other: &[u8], numbers: &mut Random) -> Vec<u8> {
    let mut text = seed.to_vec();
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(text.len() + 1);
        let longest = 1 << numbers.below(8);
        let end = (at + 1 + numbers.below(longest)).min(text.len());
        match numbers.below(8) {
            0 if at < text.len() => text[at] ^= 1 << numbers.below(8),
            1 if at < text.len() => text[at] = numbers.next() as u8,
            2 => drop(text.drain(at.min(end)..end)),
            3 => text.truncate(at),
            4 => {
                let copy = text[at.min(end)..end].to_vec();
                let place = numbers.below(text.len() + 1);
                text.splice(place..place, copy);
            }
            5 => {
                let from = numbers.below(other.len() + 1);
                let part = &other[from..(from + end - at.min(end)).min(other.len())];
                text.splice(at.min(end)..end, part.iter().copied());
            }
            _ => {
                let word = WORDS[numbers.below(WORDS.len())];
                text.splice(at..at, word.iter().copied());
            }
        }
    }
    text
}

/// Reads a text as the format of its seed or with recognition, and checks the properties of the
/// items.
fn assert_invariants(text: &[u8], options: &Options) {
    let mut items = 0usize;
    for item in Reader::new(text, options.clone()) {
        items += 1;
        match item {
            Ok(line) => {
                let entry = line.entry;
                assert!(!entry.path.is_empty() && entry.path.len() <= NAME_LIMIT && !entry.path.contains(&0));
                assert!(entry.size.is_none_or(|size| size <= SIZE_LIMIT));
                assert!(entry.digests.iter().all(|(spec, digest)| spec.digest_len() == digest.len()));
            }
            Err(ReadError::Line(error)) => assert!(!error.to_string().contains(char::is_control)),
            Err(ReadError::Io(error)) => assert_eq!(error.kind(), std::io::ErrorKind::InvalidData),
        }
    }
    assert!(items <= 64 * text.len() + 1, "{items} items of {} bytes", text.len());
}

fn run(rounds: usize) {
    let mut families: BTreeMap<&'static str, (&'static Format, Vec<Fixture>)> = BTreeMap::new();
    for fixture in fixtures() {
        let name = fixture.name.display();
        assert!(!fixture.expect.iter().any(String::is_empty), "{name}: nothing is expected of it");
        let mut reader = Reader::new(&fixture.manifest[..], fixture.options.clone());
        let _ = reader.next();
        // The fixtures for long lines are not made longer.
        if let Some(format) = reader.format().filter(|_| fixture.manifest.len() <= LINE_LIMIT / 64) {
            families.entry(format.name()).or_insert((format, Vec::new())).1.push(fixture);
        }
    }
    // `torrent-v2` and `torrent-hybrid` exist only for writing: such files are read as `torrent`.
    // Packed files are read as their content.
    let read = |row: &&&Format| {
        let other = matches!(row.reading(), Reading::Not(_) | Reading::Packed { .. });
        !other && !matches!(row.name(), "torrent-v2" | "torrent-hybrid")
    };
    let without =
        FORMATS.iter().filter(read).map(|row| row.name()).filter(|name| !families.contains_key(name));
    let without: Vec<_> = without.collect();
    assert!(without.is_empty(), "no fixture is a seed of {without:?}");
    let mut numbers = Random(0x5eed);
    let mut tried = 0u64;
    for (format, seeds) in families.values() {
        // A format with few seeds gets as many rounds as one with many.
        for at in 0..rounds * seeds.len().max(24) {
            let seed = &seeds[at % seeds.len()];
            let text = mutate(&seed.manifest, &seeds[numbers.below(seeds.len())].manifest, &mut numbers);
            let specified = seed
                .options
                .clone()
                .format((at % 2 == 0).then_some(*format))
                .allow_undigested(at % 3 == 0)
                .allow_pieces(at % 5 != 0)
                .locating(at % 7 == 0);
            let outcome = std::panic::catch_unwind(|| assert_invariants(&text, &specified));
            assert!(outcome.is_ok(), "{} as {}: {}", seed.name.display(), format.name(), text.escape_ascii());
            tried += 1;
        }
    }
    println!("{tried} texts of {} formats", families.len());
}

#[test]
fn mutated_seeds_keep_every_invariant() {
    run(2);
}

#[test]
#[ignore = "minutes in a debug build: tests/run --full runs it in release"]
fn many_mutated_seeds_keep_every_invariant() {
    run(400);
}
