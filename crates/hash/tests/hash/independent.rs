//! Rarely used algorithms compared with the digests of independent implementations, for every length up to 1100 and
//! lengths around the powers of two: `testdata/independent.tsv`, which tests/independent/make writes.

use crate::input;
use crate::long;
use crate::slices;
use truesum_hash::Spec;

/// Returns the SHA-256 of the concatenated digests of the prefixes with these lengths. Each digest is computed from the
/// whole message, without a known length, and in slices; they must agree.
fn digests(spec: &Spec, data: &[u8], lengths: impl Iterator<Item = usize>) -> String {
    let random = &mut input::Random::new(11);
    let sha256: Spec = "sha256".parse().expect("in the table");
    let mut all = sha256.hasher();
    for len in lengths {
        let message = &data[..len];
        let digest = spec.digest(message);
        let mut unknown = spec.hasher();
        unknown.update(message);
        assert_eq!(unknown.finish(), digest, "{spec} of {len} bytes, of unknown length");
        let sliced = slices::in_slices(spec, message, random, 1 + len as u64 / 7);
        assert_eq!(sliced, digest, "{spec} of {len} bytes in slices");
        all.update(digest.as_bytes());
    }
    all.finish().to_hex()
}

#[test]
fn rare_algorithms_match_other_implementations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/independent.tsv");
    let text = std::fs::read_to_string(path).expect(path);
    let data = input::bytes("sm64:17", (1 << 17) + 1);
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() > 40, "{path} has few lines");
    let mut differs = Vec::new();
    for row in rows {
        let [name, short, long, whose] = row[..] else { panic!("{path}: {row:?}") };
        if cfg!(not(feature = "fsb")) && name.starts_with("fsb") {
            continue;
        }
        let spec: Spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        if short != "-" && digests(&spec, &data, 0..=1100) != short {
            differs.push(format!("{name} of at most 1100 bytes, by {whose}"));
        }
        let about = (11..=17).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]);
        if digests(&spec, &data, about) != long {
            differs.push(format!("{name} about a power of two, by {whose}"));
        }
    }
    assert!(differs.is_empty(), "{differs:#?}");
}

/// Digests made from digests of parts, for lengths around the ends of parts and rows: `testdata/trees.tsv`, which
/// tests/independent/trees writes.
#[test]
fn multipart_digests_match_their_services() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/trees.tsv");
    let text = std::fs::read_to_string(path).expect(path);
    let rows: Vec<(Spec, usize, &str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let row: Vec<&str> = line.split('\t').collect();
            let [name, length, expected, whose] = row[..] else { panic!("{path}: {row:?}") };
            let spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
            (spec, length.parse().expect("a length"), expected, whose)
        })
        .collect();
    assert!(rows.len() > 200, "{path} has few lines");
    let data = input::bytes("sm64:17", rows.iter().map(|row| row.1 as u64).max().expect("rows"));
    let random = &mut input::Random::new(13);
    let mut differs = Vec::new();
    for (spec, len, expected, whose) in &rows {
        let message = &data[..*len];
        let sliced = slices::in_slices(spec, message, random, 1 + *len as u64 / 7);
        for (how, digest) in [("", spec.digest(message)), (" in slices", sliced)] {
            if digest.to_hex() != *expected {
                differs.push(format!("{spec} of {len} bytes{how}, by {whose}"));
            }
        }
    }
    assert!(differs.is_empty(), "{differs:#?}");
}

/// As in `serial.rs`, run manually: `cargo test --release -p truesum-hash --all-features --test hash -- --ignored
/// independent`.
#[test]
#[ignore = "hashes four gibibytes twenty times"]
fn rare_algorithms_match_beyond_4_gib() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/long.tsv");
    let text = std::fs::read_to_string(path).expect(path);
    let message = long::message();
    let mut compared = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once('\t').expect("a name");
        let (expected, whose) = rest.split_once('\t').expect("a digest");
        let spec: Spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(long::digest(&spec, &message).to_hex(), expected, "{name}, by {whose}");
        eprintln!("{name}: as {whose}");
        compared += 1;
    }
    assert!(compared > 0, "{path} has none");
}
