//! Reads the words of a shell script without running it: quotes, lists in braces, and variables
//! that were previously assigned a literal value (Bash Reference Manual, sections 3.1.2 and 3.5).
//! The result of anything else is unknown.

use crate::{radix, scan};
use std::cell::Cell;
use std::collections::HashMap;

/// A placeholder in a word for text that only a shell can compute.
pub(super) const UNKNOWN: u8 = 0;

/// Unquoted braces and commas. Quoted ones are kept as plain characters.
const OPEN: u8 = 1;
const COMMA: u8 = 2;
const CLOSE: u8 = 3;

/// Maximum number of words in a brace expansion, and maximum length of a variable's value in
/// bytes.
const MOST_WORDS: usize = 64;
const LONGEST: usize = 4 << 10;

/// Number of bytes that expansions may add, in addition to twice the length of the script.
const EXPANSION_LIMIT: usize = 64 << 10;

/// Variables by name. A variable without a value may have another value in a shell than the
/// script suggests.
#[derive(Debug)]
pub(super) struct Variables {
    known: HashMap<Vec<u8>, Option<Vec<u8>>>,
    /// Bytes that expansions may still add: a word of two characters may expand to thousands.
    left: Cell<usize>,
    /// Number of blocks open at this point, which a shell may or may not run.
    depth: usize,
}

impl Variables {
    /// Creates an empty set of variables for a script of `len` bytes.
    pub(super) fn new(len: usize) -> Variables {
        Variables { known: HashMap::new(), left: Cell::new(EXPANSION_LIMIT + 2 * len), depth: 0 }
    }

    /// Returns true if the current line is run only under a condition or when a function is
    /// called.
    pub(super) fn is_in_a_block(&self) -> bool {
        self.depth > 0
    }

    /// Deducts `len` bytes from what expansions may still add. Returns false if too few are left.
    fn take(&self, len: usize) -> bool {
        let rest = self.left.get().checked_sub(len);
        self.left.set(rest.unwrap_or(0));
        rest.is_some()
    }

    /// Updates the variables from a line that does not begin an array.
    pub(super) fn line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = scan::trim(line);
        if text.is_empty() || text.starts_with(b"#") {
            return;
        }
        let begins = |words: &[&[u8]]| {
            words.iter().any(|word| {
                text.strip_prefix(*word).is_some_and(|rest| rest.first().is_none_or(|&byte| !is_name(byte)))
            })
        };
        if begins(&[b"fi", b"done", b"esac", b"}"]) {
            self.depth = self.depth.saturating_sub(1);
        }
        let plain = self.depth == 0 && text.len() == line.len().min(scan::trim_end(line).len());
        let first = assigned(text).map(|(name, _)| name.len());
        // A variable in anything else on the line that looks like an assignment becomes unknown.
        let mut others = vec![];
        let mut words = text.split(|byte| b" \t;&|({".contains(byte));
        if first.is_some() {
            words.next();
        }
        let mut before: &[u8] = b"";
        for word in words {
            others.extend(assigned(word).map(|(name, _)| name));
            if matches!(
                before,
                b"for" | b"read" | b"unset" | b"select" | b"-v" | b"-r" | b"declare" | b"export"
            ) {
                others.push(word);
            }
            before = word;
        }
        if let Some((name, rest)) = assigned(text) {
            let value = (plain && others.is_empty()).then(|| rest.strip_prefix(b"=")).flatten();
            let value = value.and_then(|value| self.value(value));
            self.known.insert(name.to_vec(), value);
        }
        for name in others {
            self.known.insert(name.to_vec(), None);
        }
        if begins(&[b"if", b"for", b"while", b"until", b"case", b"select"]) && !ends_block(text)
            || text.ends_with(b"{")
        {
            self.depth += 1;
        }
    }

    /// Returns the value of an assignment if it is a single word up to the end of the line.
    fn value(&self, text: &[u8]) -> Option<Vec<u8>> {
        if text.first().is_none_or(|byte| byte.is_ascii_whitespace()) {
            return Some(Vec::new());
        }
        let mut at = 0;
        let word = self.word(text, &mut at)?;
        let rest = scan::trim_start(&text[at..]);
        let whole = rest.is_empty() || rest.starts_with(b"#") && at < text.len() - rest.len();
        // The right-hand side of an assignment is not subject to brace expansion.
        let word = unmarked(word);
        (whole && !word.contains(&UNKNOWN) && word.len() <= LONGEST).then_some(word)
    }

    /// Parses the word that begins at `at`, and moves `at` to its end. Returns `None` if a quote
    /// is not closed. Braces are marked for [`braces`](Variables::braces).
    pub(super) fn word(&self, text: &[u8], at: &mut usize) -> Option<Vec<u8>> {
        let mut word = Vec::new();
        let mut quote = None;
        while let Some(&byte) = text.get(*at) {
            *at += 1;
            match (byte, quote) {
                (OPEN | COMMA | CLOSE, _) => word.push(UNKNOWN),
                (b'\'', None) | (b'"', None) => quote = Some(byte),
                (byte, Some(open)) if byte == open => quote = None,
                (byte, Some(b'\'')) => word.push(byte),
                (b' ' | b'\t' | b'\n' | b'\r' | b')' | b';' | b'&' | b'|', None) => {
                    *at -= 1;
                    break;
                }
                (b'\\', quote) => match text.get(*at) {
                    Some(b'\n') => *at += 1,
                    Some(&next) if quote.is_none() || b"\"$`\\".contains(&next) => {
                        word.push(next);
                        *at += 1;
                    }
                    _ => word.push(b'\\'),
                },
                (b'$', _) => self.expansion(text, at, &mut word),
                (b'`', _) => {
                    *at += text[*at..].iter().position(|&byte| byte == b'`')? + 1;
                    word.push(UNKNOWN);
                }
                (b'{', None) => word.push(OPEN),
                (b',', None) => word.push(COMMA),
                (b'}', None) => word.push(CLOSE),
                // A pattern, which expands to the names of existing files.
                (b'*' | b'?' | b'[', None) if !radix::is_url(&word) => word.push(UNKNOWN),
                (byte, _) => word.push(byte),
            }
        }
        quote.is_none().then_some(word)
    }

    /// Appends the expansion of the `$` before `at`.
    fn expansion(&self, text: &[u8], at: &mut usize, word: &mut Vec<u8>) {
        let rest = &text[*at..];
        let value = match rest {
            [b'{', inner @ ..] => {
                let end = inner.iter().position(|&byte| byte == b'}').unwrap_or(inner.len());
                *at += (end + 2).min(rest.len());
                self.known.get(&inner[..end]).cloned().flatten()
            }
            [b'(', inner @ ..] => {
                *at += 1 + parentheses(inner);
                None
            }
            _ => {
                let len = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
                if len == 0 {
                    // `$1`, `$'..'` and similar ones are special; a dollar sign before anything
                    // else is literal.
                    let special = rest.first().is_some_and(|byte| b"@*#?-$!'\"".contains(byte));
                    word.push(if special { UNKNOWN } else { b'$' });
                    return;
                }
                *at += len;
                self.known.get(&rest[..len]).cloned().flatten()
            }
        };
        match value {
            Some(value) if word.len() + value.len() <= LONGEST && self.take(value.len()) => {
                word.extend(value)
            }
            _ => word.push(UNKNOWN),
        }
    }

    /// Expands the marked braces of a word: `a{,.sig}` is `a` and `a.sig`. Braces that are not a
    /// list are kept literally.
    pub(super) fn braces(&self, word: Vec<u8>) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        if self.expand(word, &mut words) { words } else { vec![vec![UNKNOWN]] }
    }

    /// Appends the expansion of a word. Returns false if there are too many words, or if only a
    /// shell knows them.
    fn expand(&self, word: Vec<u8>, words: &mut Vec<Vec<u8>>) -> bool {
        let open = word.iter().position(|&byte| byte == OPEN);
        let close = open.and_then(|open| Some(open + word[open..].iter().position(|&byte| byte == CLOSE)?));
        let (Some(open), Some(close)) = (open, close) else {
            words.push(unmarked(word));
            return words.len() <= MOST_WORDS;
        };
        let inner = &word[open + 1..close];
        match (inner.contains(&OPEN), inner.contains(&COMMA)) {
            (false, true) => inner.split(|&byte| byte == COMMA).all(|part| {
                self.take(word.len())
                    && self.expand([&word[..open], part, &word[close + 1..]].concat(), words)
            }),
            // Braces around a single word are literal, but a range of numbers is a list.
            (false, false) if !inner.windows(2).any(|pair| pair == b"..") => {
                self.expand([&word[..open], b"{", inner, b"}", &word[close + 1..]].concat(), words)
            }
            _ => false,
        }
    }
}

/// Returns the length of a command up to its closing parenthesis, including nested parentheses.
fn parentheses(text: &[u8]) -> usize {
    let mut depth = 1;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Splits a word that assigns a value into the variable's name and the rest: `=`, `+=` or an
/// index.
fn assigned(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = word.iter().position(|&byte| !is_name(byte))?;
    let (name, rest) = word.split_at(len);
    let gives = rest.starts_with(b"=") || rest.starts_with(b"+=") || rest.starts_with(b"[");
    (gives && name.first().is_some_and(|byte| !byte.is_ascii_digit())).then_some((name, rest))
}

/// Returns true if a block that begins on this line also ends on it.
fn ends_block(text: &[u8]) -> bool {
    [&b"fi"[..], b"done", b"esac"].iter().any(|word| text.ends_with(word))
}

fn unmarked(mut word: Vec<u8>) -> Vec<u8> {
    for byte in &mut word {
        *byte = match *byte {
            OPEN => b'{',
            COMMA => b',',
            CLOSE => b'}',
            byte => byte,
        };
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expands a word; `?` represents text that is unknown.
    fn words(script: &str, word: &str) -> Vec<String> {
        let mut variables = Variables::new(script.len());
        script.lines().for_each(|line| variables.line(line.as_bytes()));
        let mut at = 0;
        let word = variables.word(word.as_bytes(), &mut at).expect("quotes that end");
        let text = |word: Vec<u8>| String::from_utf8(word).expect("text").replace(char::from(UNKNOWN), "?");
        variables.braces(word).into_iter().map(text).collect()
    }

    #[test]
    fn words_expand_like_in_bash() {
        // All checked with bash, except those that are unknown here.
        const SCRIPT: &str = "pkgname=abc\npkgver=1.2_3 # the version\n_a='x $y'\n_b=\"$pkgname-${pkgver}\"\n_e=\n_l=$(date)\n  _i=1\nif true; then\n_c=1\nfi\npkgrel=1 _two=2\n_n=1\n_n+=2\n_arr=(a b)";
        for (word, expected) in [
            ("$pkgname-$pkgver.tar.gz", &["abc-1.2_3.tar.gz"][..]),
            ("\"${pkgname}\"'-'v1", &["abc-v1"]),
            ("'$pkgname'", &["$pkgname"]),
            ("\\$pkgname", &["$pkgname"]),
            ("\"\\$pkgname\\x\"", &["$pkgname\\x"]),
            ("$_a", &["x $y"]),
            ("$_b", &["abc-1.2_3"]),
            ("a${_e}b", &["ab"]),
            ("a{,.sig}", &["a", "a.sig"]),
            ("{a,b}-{1,2}", &["a-1", "a-2", "b-1", "b-2"]),
            ("'a{,.sig}'", &["a{,.sig}"]),
            ("a{b}", &["a{b}"]),
            ("a{1..3}", &["?"]),
            ("$_l-$_i-$_c-$_two-$_n-$_arr-$none", &["?-?-?-?-?-?-?"]),
            ("${pkgver::1}${pkgver^^}", &["??"]),
            ("${pkgver//_/-}-${pkgver%.*}-${pkgver##*_}-${#pkgver}", &["?-?-?-?"]),
            ("x$(echo a b)y`c`z", &["x?y?z"]),
            ("a*", &["a?"]),
            ("5$", &["5$"]),
        ] {
            assert_eq!(words(SCRIPT, word), expected, "{word}");
        }
    }

    #[test]
    fn expanded_values_are_bounded() {
        let mut script = "a=xxxxxxxxxxxxxxxx\n".to_owned();
        for _ in 0..64 {
            script += "a=$a$a\n";
        }
        assert_eq!(words(&script, "$a"), ["?"]);
        assert_eq!(words("", &"{a,b}".repeat(30)), ["?"]);
        let mut variables = Variables::new(0);
        variables.line(&[&b"a="[..], &b"x".repeat(LONGEST)].concat());
        for text in ["$a", "{,}{,}{,}{,}{,}{,}xxxxxxxxxxxxxxxx"] {
            let bytes = |_| -> usize {
                let word = variables.word(text.as_bytes(), &mut 0).expect("a word");
                variables.braces(word).iter().map(Vec::len).sum()
            };
            let all: usize = (0..10_000).map(bytes).sum();
            assert!(all <= 2 * EXPANSION_LIMIT + 10_000 * text.len(), "{text}: {all}");
        }
    }
}
