//! Quotes words and file names as messages of GNU programs do.

use super::locale::charset;
use truesum::manifest::path::{Charset, quotef};

/// Returns a file name unchanged, or quoted for a shell.
pub(super) fn name(name: &[u8]) -> Vec<u8> {
    let harmless =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'+');
    if !name.is_empty() && name.iter().all(|&byte| harmless(byte)) {
        return name.to_vec();
    }
    quotef(name, charset()).into_bytes()
}

/// Returns a word of the command line in quotation marks, with C escapes.
pub(super) fn word(word: &[u8]) -> Vec<u8> {
    quote_word(word, charset())
}

fn quote_word(word: &[u8], charset: Charset) -> Vec<u8> {
    let (open, close) = match charset {
        Charset::Utf8 => ('‘', '’'),
        Charset::Ascii => ('\'', '\''),
    };
    let mut out = String::from(open);
    let escape = |out: &mut String, byte: u8| match byte {
        b'\x07' => out.push_str("\\a"),
        b'\x08' => out.push_str("\\b"),
        b'\t' => out.push_str("\\t"),
        b'\n' => out.push_str("\\n"),
        b'\x0b' => out.push_str("\\v"),
        b'\x0c' => out.push_str("\\f"),
        b'\r' => out.push_str("\\r"),
        _ => out.push_str(&format!("\\{byte:03o}")),
    };
    for chunk in word.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' || c == close {
                out.push('\\');
            }
            if c.is_control() || (charset == Charset::Ascii && !c.is_ascii()) {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| escape(&mut out, byte));
            } else {
                out.push(c);
            }
        }
        chunk.invalid().iter().for_each(|&byte| escape(&mut out, byte));
    }
    out.push(close);
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_locale() {
        for (text, ascii, utf8) in [
            (&b"a\nb"[..], "'a\\nb'", "‘a\\nb’"),
            (b"a'b", "'a\\'b'", "‘a'b’"),
            (b"a\\b", "'a\\\\b'", "‘a\\\\b’"),
            (b"\x01\x7f\xff", "'\\001\\177\\377'", "‘\\001\\177\\377’"),
            ("é".as_bytes(), "'\\303\\251'", "‘é’"),
            ("‘x’".as_bytes(), "'\\342\\200\\230x\\342\\200\\231'", "‘‘x\\’’"),
        ] {
            assert_eq!(String::from_utf8_lossy(&quote_word(text, Charset::Ascii)), ascii);
            assert_eq!(String::from_utf8_lossy(&quote_word(text, Charset::Utf8)), utf8);
        }
    }

    #[test]
    fn harmless_names_are_not_quoted() {
        assert_eq!(name(b"dir/a-b_c.d+e"), b"dir/a-b_c.d+e");
        assert_eq!(name(b""), b"''");
        assert_eq!(name(b"a b"), b"'a b'");
        assert_eq!(name(b"a:b"), b"'a:b'");
    }
}
