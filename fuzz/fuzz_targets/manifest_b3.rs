//! The lines of `b3sum --check`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::original::b3sum::split_line;

fuzz_target!(|line: &[u8]| {
    if let Ok(split) = split_line(line) {
        assert!(!split.path().is_empty() && !split.path().contains(['\0', '\u{fffd}']));
        assert_eq!(split.digest.len(), 32);
    }
});
