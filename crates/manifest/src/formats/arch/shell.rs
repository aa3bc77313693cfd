//! What the words of a script come to as far as that is known without running it: quotes, braces, and variables that were given a
//! plain value further up (Bash Reference Manual, sections 3.1.2 and 3.5).

use crate::scan;
use std::cell::Cell;
use std::collections::HashMap;

/// Stands in a word for what only a shell knows.
pub(super) const UNKNOWN: u8 = 0;

/// Braces and commas that no quote makes plain characters.
const OPEN: u8 = 1;
const COMMA: u8 = 2;
const CLOSE: u8 = 3;

/// So many words come of one with braces, and so many bytes of a value.
const MOST_WORDS: usize = 64;
const LONGEST: usize = 4 << 10;

/// So many bytes may be put into any script, beside twice its own length.
const ROOM: usize = 64 << 10;

/// Variables by their names; without a value those that may have another than is written.
#[derive(Debug)]
pub(super) struct Variables {
    known: HashMap<Vec<u8>, Option<Vec<u8>>>,
    /// Bytes that may still be put in: a word of two characters may come to thousands.
    left: Cell<usize>,
    /// Blocks open here, which may be run or not.
    depth: usize,
}

impl Variables {
    /// None yet, of a script of so many bytes.
    pub(super) fn new(len: usize) -> Variables {
        Variables { known: HashMap::new(), left: Cell::new(ROOM + 2 * len), depth: 0 }
    }

    /// Whether what stands here is run only under a condition, or when a function is called.
    pub(super) fn is_in_a_block(&self) -> bool {
        self.depth > 0
    }

    /// Whether so many bytes more may be put in.
    fn take(&self, len: usize) -> bool {
        let rest = self.left.get().checked_sub(len);
        self.left.set(rest.unwrap_or(0));
        rest.is_some()
    }

    /// Takes over what a line that is no array gives values to.
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
        // Whatever else on the line looks like an assignment makes its variable one of unknown value.
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

    /// The value of an assignment, if it is one word to the end of the line.
    fn value(&self, text: &[u8]) -> Option<Vec<u8>> {
        if text.first().is_none_or(|byte| byte.is_ascii_whitespace()) {
            return Some(Vec::new());
        }
        let mut at = 0;
        let word = self.word(text, &mut at)?;
        let rest = scan::trim_start(&text[at..]);
        let whole = rest.is_empty() || rest.starts_with(b"#") && at < text.len() - rest.len();
        // Braces stay as they are where a value is given.
        let word: Vec<u8> = word
            .into_iter()
            .map(|byte| match byte {
                OPEN => b'{',
                COMMA => b',',
                CLOSE => b'}',
                byte => byte,
            })
            .collect();
        (whole && !word.contains(&UNKNOWN) && word.len() <= LONGEST).then_some(word)
    }

    /// The word that begins here, and `at` where it ends; nothing if a quote does not end. Braces are marked, see [`braces`].
    pub(super) fn word(&self, text: &[u8], at: &mut usize) -> Option<Vec<u8>> {
        let mut word = Vec::new();
        let mut quote = None;
        while let Some(&byte) = text.get(*at) {
            *at += 1;
            match (byte, quote) {
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
                // Names of files that are there.
                (b'*' | b'?' | b'[', None) if !word.windows(3).any(|part| part == b"://") => {
                    word.push(UNKNOWN)
                }
                (OPEN | COMMA | CLOSE, _) => word.push(UNKNOWN),
                (byte, _) => word.push(byte),
            }
        }
        quote.is_none().then_some(word)
    }

    /// Adds what stands behind `$`.
    fn expansion(&self, text: &[u8], at: &mut usize, word: &mut Vec<u8>) {
        let rest = &text[*at..];
        let value = match rest {
            [b'{', inner @ ..] => {
                let end = inner.iter().position(|&byte| byte == b'}').unwrap_or(inner.len());
                *at += (end + 2).min(rest.len());
                self.parameter(&inner[..end])
            }
            [b'(', inner @ ..] => {
                *at += 1 + parentheses(inner);
                None
            }
            _ => {
                let len = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
                if len == 0 {
                    // `$1`, `$'..'` and their like; a dollar before anything else is itself.
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

    /// `name`, and `name` with a part cut off or replaced, as far as patterns are plain.
    fn parameter(&self, inner: &[u8]) -> Option<Vec<u8>> {
        let len = inner.iter().position(|&byte| !is_name(byte)).unwrap_or(inner.len());
        let (name, change) = inner.split_at(len);
        let value = self.known.get(name)?.as_deref()?;
        let plain = |text: &[u8]| !text.is_empty() && !text.iter().any(|byte| b"*?[\\$`'\"{".contains(byte));
        let find = |part: &[u8]| value.windows(part.len()).position(|at| at == part);
        match change {
            [] => Some(value.to_vec()),
            [b'/', b'/', change @ ..] => {
                let (from, to) = scan::cut(change, b'/').unwrap_or((change, b""));
                (plain(from) && (to.is_empty() || plain(to))).then(|| replaced(value, from, to))
            }
            [b'/', change @ ..] => {
                let (from, to) = scan::cut(change, b'/').unwrap_or((change, b""));
                let fits = plain(from) && !b"#%".contains(&from[0]) && (to.is_empty() || plain(to));
                fits.then(|| match find(from) {
                    Some(at) => [&value[..at], to, &value[at + from.len()..]].concat(),
                    None => value.to_vec(),
                })
            }
            // To the last, and to the first of a character.
            [b'%', mark, b'*'] if plain(&[*mark]) => {
                Some(value[..value.iter().rposition(|byte| byte == mark).unwrap_or(value.len())].to_vec())
            }
            [b'%', b'%', mark, b'*'] if plain(&[*mark]) => {
                Some(value[..value.iter().position(|byte| byte == mark).unwrap_or(value.len())].to_vec())
            }
            [b'#', b'*', mark] if plain(&[*mark]) => {
                Some(value[value.iter().position(|byte| byte == mark).map_or(0, |at| at + 1)..].to_vec())
            }
            [b'#', b'#', b'*', mark] if plain(&[*mark]) => {
                Some(value[value.iter().rposition(|byte| byte == mark).map_or(0, |at| at + 1)..].to_vec())
            }
            [b'%', part @ ..] if plain(part) && part[0] != b'%' => {
                Some(value.strip_suffix(part).unwrap_or(value).to_vec())
            }
            [b'#', part @ ..] if plain(part) && part[0] != b'#' => {
                Some(value.strip_prefix(part).unwrap_or(value).to_vec())
            }
            _ => None,
        }
    }

    /// The words that a word with marked braces comes to: `a{,.sig}` is `a` and `a.sig`. What is no list of words stays as it is.
    pub(super) fn braces(&self, word: Vec<u8>) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        if self.expand(word, &mut words) { words } else { vec![vec![UNKNOWN]] }
    }

    /// Adds these words, unless they are too many or known to a shell alone.
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
            // One word is in no list; from one number to another is a list.
            (false, false) if !inner.windows(2).any(|pair| pair == b"..") => {
                self.expand([&word[..open], b"{", inner, b"}", &word[close + 1..]].concat(), words)
            }
            _ => false,
        }
    }
}

/// Where a command in parentheses ends, with its own.
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

fn replaced(value: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        out.extend([&rest[..at], to].concat());
        rest = &rest[at + from.len()..];
    }
    out.extend(rest);
    out
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The name that a word gives a value, and what stands behind it: `=` or `+=` or an index.
fn assigned(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = word.iter().position(|&byte| !is_name(byte))?;
    let (name, rest) = word.split_at(len);
    let gives = rest.starts_with(b"=") || rest.starts_with(b"+=") || rest.starts_with(b"[");
    (gives && name.first().is_some_and(|byte| !byte.is_ascii_digit())).then_some((name, rest))
}

/// Whether a block that begins on a line ends on it.
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

    /// What a word comes to, with `?` for what is not known.
    fn words(script: &str, word: &str) -> Vec<String> {
        let mut variables = Variables::new(script.len());
        script.lines().for_each(|line| variables.line(line.as_bytes()));
        let mut at = 0;
        let word = variables.word(word.as_bytes(), &mut at).expect("quotes that end");
        let text = |word: Vec<u8>| String::from_utf8(word).expect("text").replace(char::from(UNKNOWN), "?");
        variables.braces(word).into_iter().map(text).collect()
    }

    #[test]
    fn words_are_what_bash_makes_of_them() {
        // Each checked with bash, but for those that are not known here.
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
            ("${pkgver//_/-}", &["1.2-3"]),
            ("${pkgver/_/}", &["1.23"]),
            ("${pkgver%_3}", &["1.2"]),
            ("${pkgver%.*}", &["1"]),
            ("${pkgver#1.}", &["2_3"]),
            ("${pkgver##*_}", &["3"]),
            ("a{,.sig}", &["a", "a.sig"]),
            ("{a,b}-{1,2}", &["a-1", "a-2", "b-1", "b-2"]),
            ("'a{,.sig}'", &["a{,.sig}"]),
            ("a{b}", &["a{b}"]),
            ("a{1..3}", &["?"]),
            ("$_l-$_i-$_c-$_two-$_n-$_arr-$none", &["?-?-?-?-?-?-?"]),
            ("${pkgver::1}${pkgver^^}", &["??"]),
            ("x$(echo a b)y`c`z", &["x?y?z"]),
            ("a*", &["a?"]),
            ("5$", &["5$"]),
        ] {
            assert_eq!(words(SCRIPT, word), expected, "{word}");
        }
    }

    #[test]
    fn values_do_not_grow_without_end() {
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
            assert!(all <= 2 * ROOM + 10_000 * text.len(), "{text}: {all}");
        }
    }
}
