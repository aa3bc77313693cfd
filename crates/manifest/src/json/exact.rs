//! Parses lines of JSON exactly as the project writes them: the same members in the same order,
//! numbers and strings in the form written by [`string_into`], and no blanks. Any other line was
//! written by another program or is damaged.

use super::{path_from, string_into};

/// A parser of one line, from its beginning to its end.
#[derive(Clone, Copy)]
pub struct Exact<'t> {
    rest: &'t [u8],
}

impl<'t> Exact<'t> {
    /// Creates a parser at the beginning of a line.
    pub fn new(text: &'t [u8]) -> Exact<'t> {
        Exact { rest: text }
    }

    /// Returns the text that has not been parsed yet.
    pub fn rest(&self) -> &'t [u8] {
        self.rest
    }

    /// Skips this text if it comes next, and returns whether it does.
    pub fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Skips this text. Returns `None` if it does not come next.
    pub fn text(&mut self, text: &str) -> Option<()> {
        self.takes(text).then_some(())
    }

    /// Parses an integer without a sign or leading zeros.
    pub fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        if number.len() > 1 && number[0] == b'0' {
            return None;
        }
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    /// Parses a string, including its quotes.
    pub fn string(&mut self) -> Option<String> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let mut end = 0;
        while *inside.get(end)? != b'"' {
            end += if inside[end] == b'\\' { 2 } else { 1 };
        }
        let (token, rest) = self.rest.split_at(end + 2);
        let plain = inside[..end].iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\');
        let text = match plain {
            true => String::from_utf8(inside[..end].to_vec()).ok()?,
            false => {
                let text: String = serde_json::from_slice(token).ok()?;
                let mut spelled = Vec::with_capacity(token.len());
                string_into(&text, &mut spelled);
                (spelled == token).then_some(text)?
            }
        };
        self.rest = rest;
        Some(text)
    }

    /// Parses the output of [`bytes_into`](super::bytes_into) for this key.
    pub fn bytes(&mut self, key: &str) -> Option<Vec<u8>> {
        self.text("\"")?;
        self.text(key)?;
        self.text("\":")?;
        let shown = self.string()?;
        let mut behind = *self;
        if !(behind.takes(",\"") && behind.takes(key) && behind.takes("_base64\":")) {
            return Some(shown.into_bytes());
        }
        let bytes = path_from(shown, Some(&behind.string()?)).ok()?;
        *self = behind;
        std::str::from_utf8(&bytes).is_err().then_some(bytes)
    }

    /// Returns `None` if any text remains.
    pub fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes_into;
    use super::*;

    #[test]
    fn names_of_any_bytes_round_trip() {
        for name in
            [&b"a"[..], b"", b"a\"b\\c\nd\te", b"\xff\xfe", "ä\u{202e}\u{1f600}\u{7f}".as_bytes(), b"a\0"]
        {
            let mut line = Vec::new();
            bytes_into("path", name, &mut line);
            line.extend_from_slice(b",\"size\":0}");
            let mut exact = Exact::new(&line);
            assert_eq!(exact.bytes("path").as_deref(), Some(name), "{}", line.escape_ascii());
            assert_eq!(
                (exact.text(",\"size\":"), exact.number(), exact.text("}")),
                (Some(()), Some(0), Some(()))
            );
            assert!(exact.end().is_some());
        }
    }

    #[test]
    fn other_spellings_are_rejected() {
        for text in [
            r#""path":"\u0061""#,
            r#""path": "a""#,
            r#""path":"a\/b""#,
            "\"path\":\"\u{202e}\"",
            r#""path":"a"#,
        ] {
            assert_eq!(Exact::new(text.as_bytes()).bytes("path"), None, "{text}");
        }
        // A name that is valid UTF-8 has no second form, and both forms must be the same name.
        for text in [r#""path":"a","path_base64":"YQ==""#, r#""path":"b","path_base64":"/w==""#] {
            assert_eq!(Exact::new(text.as_bytes()).bytes("path"), None, "{text}");
        }
        for text in ["01", "", "-1", "99999999999999999999", "x"] {
            assert_eq!(Exact::new(text.as_bytes()).number(), None, "{text}");
        }
    }
}
