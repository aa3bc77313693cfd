//! Any name, in every format: what is written is read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_hash::Spec;
use truesum_manifest::{Entry, FORMATS, Options, Reader, Style, append};

fuzz_target!(|name: &[u8]| {
    let sha256: Spec = "sha256".parse().unwrap();
    let entry = Entry::new(name, sha256.clone(), sha256.digest(b""));
    for format in FORMATS {
        let mut text = Vec::new();
        let written = append(&entry, format, &Style::default(), &mut text).is_ok();
        assert_eq!(written, !name.is_empty() && !name.contains(&0));
        let options = Options { format: Some(format), ..Options::default() };
        let found: Vec<Entry> = Reader::new(&text[..], options).filter_map(Result::ok).map(|line| line.entry).collect();
        let whole = written && name.len() <= truesum_manifest::NAME_LIMIT;
        assert_eq!(found, if whole { vec![entry.clone()] } else { Vec::new() });
    }
});
