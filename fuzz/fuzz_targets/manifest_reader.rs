//! The reader, which detects encoding, wrapping and format automatically. Its entries satisfy their invariants.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::{NAME_LIMIT, Options, ReadError, Reader, SIZE_LIMIT, algorithm_from_name};

fuzz_target!(|data: &[u8]| {
    // The first byte selects what is known beforehand.
    let Some((&choice, text)) = data.split_first() else { return };
    let options = match choice % 4 {
        0 => Options::default(),
        1 => Options::default().requested(vec!["sha256".parse().unwrap()]),
        2 => Options::default().named(algorithm_from_name(b"x.cksum")),
        _ => Options::for_name(b"B2SUMS").allow_weak(true).allow_undigested(true).allow_pieces(true),
    };
    for item in Reader::new(text, options) {
        match item {
            Ok(line) => {
                let path = &line.entry.path;
                assert!(!path.is_empty() && path.len() <= NAME_LIMIT && !path.contains(&0));
                assert!(choice % 4 == 3 || !line.entry.digests.is_empty());
                assert!(line.entry.size.is_none_or(|size| size <= SIZE_LIMIT));
                assert!(line.entry.digests.iter().all(|(spec, digest)| spec.digest_len() == digest.len()));
            }
            Err(ReadError::Line(error)) => assert!(!error.to_string().contains(char::is_control)),
            // Input that is not a list of files is reported as such.
            Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => break,
            Err(ReadError::Io(error)) => panic!("memory is always readable: {error}"),
        }
    }
});
