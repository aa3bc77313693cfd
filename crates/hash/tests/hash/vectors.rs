//! Every algorithm compared with known answers: `testdata/vectors/NAME.json`, one file for each row of the table.
//!
//! A vector states where its message comes from, which document contains such vectors, and which program confirmed the
//! value.

use crate::input;
use truesum_hash::{ALGORITHMS, Digest, Spec};

/// Tree digests, whose vectors are read in `tree_vectors.rs`.
const TREES: &[&str] = &["s3-etag", "glacier"];

/// Returns the message that a vector's `input` names.
fn message(input: &serde_json::Value) -> Vec<u8> {
    let (name, len) = (input["gen"].as_str().expect("gen"), input["len"].as_u64().expect("len"));
    let bytes = match name.split_once(' ') {
        Some(("ascii", text)) => text.as_bytes().to_vec(),
        Some(("hex", text)) => data_encoding::HEXLOWER.decode(text.as_bytes()).expect("hexadecimal"),
        Some(("repeat", text)) => text.repeat(len as usize / text.len()).into_bytes(),
        _ => input::bytes(name, len),
    };
    assert_eq!(bytes.len() as u64, len, "{name}");
    bytes
}

#[test]
fn every_algorithm_matches_its_known_answers() {
    for row in ALGORITHMS.iter().filter(|row| !TREES.contains(&row.name())) {
        let path = format!("{}/../../testdata/vectors/{}.json", env!("CARGO_MANIFEST_DIR"), row.name());
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|why| panic!("{path}: {why} (at least six vectors, as in djb2.json)"));
        let vectors: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list of vectors");
        assert!(vectors.len() >= 6, "{path} has few vectors");
        for vector in vectors {
            assert_eq!(vector["algo"], row.name(), "{path}");
            let message = message(&vector["input"]);
            let value = vector["value"].as_str().expect("value");
            let expected = Digest::from_hex(value.as_bytes()).expect("hexadecimal");
            let spec = match vector["params"].as_str() {
                Some(params) => format!("{};{params}", row.name()).parse().expect(params),
                None => Spec::new(row),
            };
            let spec = match vector["bits"].as_u64() {
                Some(bits) => spec.with_bits(bits as usize).expect("a length that it has"),
                None => spec,
            };
            assert_eq!(spec.digest(&message), expected, "{} of {}", row.name(), vector["input"]);
        }
    }
}
