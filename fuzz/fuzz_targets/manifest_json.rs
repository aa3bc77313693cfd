//! JSON lines. Everything that can be read can be written, and is then read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::{Entry, Options, Reader, Style, append, format};

fuzz_target!(|text: &[u8]| {
    let jsonl = format("jsonl").unwrap();
    let read = |text: &[u8]| -> Vec<Entry> {
        let options = Options::default().format(Some(jsonl)).allow_weak(true);
        Reader::new(text, options).filter_map(Result::ok).map(|line| line.entry).collect()
    };
    for entry in read(text) {
        let mut line = Vec::new();
        if append(&entry, jsonl, &Style::default(), &mut line).is_ok() {
            assert_eq!(read(&line), [entry]);
        }
    }
});
