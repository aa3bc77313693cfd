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
    let mut file_name = None;
    let mut options = Options::default();
    let mut expect = Vec::new();
    for line in header.lines() {
        let (key, value) = line.split_once(": ").expect("key: value");
        match key {
            "file-name" => file_name = Some(value),
            "asked" => options.requested = value.split(',').map(|name| name.parse().unwrap()).collect(),
            "allow-weak" => options.allow_weak = value == "yes",
            "allow-pieces" => options.allow_pieces = value == "yes",
            "allow-set" => options.allow_set = value == "yes",
            "note" => {}
            "expect" if value == "nothing" => {}
            "expect" => expect.push(value.to_owned()),
            _ => panic!("{}: unknown key {key}", name.display()),
        }
    }
    if let Some(file_name) = file_name {
        let by_name = Options::for_name(file_name.as_bytes());
        options = Options {
            named: by_name.named,
            unsupported: by_name.unsupported,
            file_name: by_name.file_name,
            ..options
        };
    }
    Fixture { name, options, expect, manifest: bytes[split + 2..].to_vec() }
}
