//! Names: escaped and unescaped, and shown without control characters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::algorithm_from_name;
use truesum_manifest::path::{
    Charset, alternatives, display_safe, escape_into, quotef, unescape, within_root,
};

fuzz_target!(|name: &[u8]| {
    let mut text = Vec::new();
    escape_into(name, &mut text);
    assert_eq!(unescape(&text).as_deref(), Some(name));
    let _ = (unescape(name), within_root(name), algorithm_from_name(name), alternatives(name).count());
    assert!(!display_safe(name).contains(char::is_control));
    assert!(!quotef(name, Charset::Utf8).contains(char::is_control));
    assert!(quotef(name, Charset::Ascii).bytes().all(|byte| (b' '..=b'~').contains(&byte)));
});
