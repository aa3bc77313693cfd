//! Reads the fixtures under `testdata/manifests`; `fixtures.rs` describes their contents.

use std::path::{Path, PathBuf};
use truesum_manifest::Options;

/// A fixture: a manifest and the expected outcome.
pub struct Fixture {
    pub name: PathBuf,
    pub options: Options,
    pub expect: Vec<String>,
    pub manifest: Vec<u8>,
}

/// Returns all fixtures, sorted by name.
pub fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/manifests");
    let mut fixtures = Vec::new();
    for format in std::fs::read_dir(root).expect("testdata/manifests exists") {
        for file in std::fs::read_dir(format.unwrap().path()).expect("a folder for each format") {
            fixtures.push(fixture(file.unwrap().path()));
        }
    }
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

fn fixture(name: PathBuf) -> Fixture {
    let bytes = std::fs::read(&name).unwrap();
    let split = bytes.windows(2).position(|pair| pair == b"\n\n").expect("a blank line ends the header");
    let header = std::str::from_utf8(&bytes[..split]).unwrap();
    let file_name = header.lines().find_map(|line| line.strip_prefix("file-name: "));
    let mut options = file_name.map(|name| Options::for_name(name.as_bytes())).unwrap_or_default();
    let mut expect = Vec::new();
    for line in header.lines() {
        let (key, value) = line.split_once(": ").expect("key: value");
        match key {
            "file-name" => {}
            "requested" => {
                let requested = value.split(',').map(|name| name.parse().unwrap()).collect();
                options = options.requested(requested);
            }
            "allow-weak" => options = options.allow_weak(value == "yes"),
            "allow-pieces" => options = options.allow_pieces(value == "yes"),
            "allow-set" => options = options.allow_set(value == "yes"),
            "note" => {}
            "expect" if value == "nothing" => {}
            "expect" => expect.push(value.to_owned()),
            _ => panic!("{}: unknown key {key}", name.display()),
        }
    }
    Fixture { name, options, expect, manifest: bytes[split + 2..].to_vec() }
}
