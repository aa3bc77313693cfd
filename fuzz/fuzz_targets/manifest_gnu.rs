//! The lines of `md5sum -c`, `b2sum -c` and `cksum -c`. If the reader accepts a line too, both agree on it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::original::coreutils::{Program, Splitter};
use truesum_manifest::{Options, Reader, format};

fuzz_target!(|text: &[u8]| {
    for program in [Program::B2sum, Program::Cksum, Program::CksumOf("sha2"), Program::CksumOf("blake2b")] {
        let mut splitter = Splitter::new(program).unwrap();
        for line in text.split(|&byte| byte == b'\n') {
            if let Some(split) = Splitter::content(line).and_then(|line| splitter.split(line)) {
                assert!(!split.path().contains(&0));
            }
        }
    }
    for line in text.split(|&byte| byte == b'\n') {
        let mut splitter = Splitter::new(Program::Sum("md5".parse().unwrap())).unwrap();
        let theirs = Splitter::content(line).and_then(|line| splitter.split(line));
        let requested = vec!["md5".parse().unwrap()];
        let options = Options::default().requested(requested).format(format("gnu"));
        let ours = Reader::new(line, options).next();
        if let (Some(theirs), Some(Ok(ours))) = (theirs, ours) {
            // GNU does not recognize a byte order mark.
            assert_eq!(theirs.path(), ours.entry.path);
            assert!(theirs.matches(&ours.entry.digests[0].1));
        }
    }
});
