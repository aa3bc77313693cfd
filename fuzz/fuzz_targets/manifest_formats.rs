//! The reader of each format, selected explicitly: this also reaches input that format recognition would keep from it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::{FORMATS, NAME_LIMIT, Options, ReadError, Reader, SIZE_LIMIT};

fuzz_target!(|data: &[u8]| {
    // The first byte selects the format, so that a corpus keeps what was found for each.
    let Some((&choice, text)) = data.split_first() else { return };
    let format = FORMATS[choice as usize % FORMATS.len()];
    let options = Options::for_name(b"manifest-sha256.txt")
        .format(Some(format))
        .allow_undigested(true)
        .allow_pieces(true)
        .locating(true);
    let mut entries = 0usize;
    for item in Reader::new(text, options) {
        match item {
            Ok(line) => {
                entries += 1;
                let path = &line.entry.path;
                assert!(!path.is_empty() && path.len() <= NAME_LIMIT && !path.contains(&0));
                assert!(line.entry.size.is_none_or(|size| size <= SIZE_LIMIT));
                assert!(line.entry.digests.iter().all(|(spec, digest)| spec.digest_len() == digest.len()));
            }
            Err(ReadError::Line(error)) => assert!(!error.to_string().contains(char::is_control)),
            Err(ReadError::Io(error)) => assert_eq!(error.kind(), std::io::ErrorKind::InvalidData),
        }
    }
    assert!(entries <= 64 * text.len() + 1, "{entries} entries of {} bytes", text.len());
});
