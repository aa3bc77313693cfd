//! Templates for lines in RHash's language: `%p %{sha-256}\n`. Unknown directives are rejected,
//! never printed unchanged.
//!
//! Source: rhash(1), options `--printf` and `--template`. Times are in UTC.

use crate::entry::Entry;
use crate::radix;
use std::fmt;
use truesum_hash::{Digest, Spec};

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    items: Vec<Item>,
}

/// An element of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Text(Vec<u8>),
    Name(Part, Option<Case>),
    Size { width: usize, zeros: bool },
    Mtime,
    Verdict,
    Manifest,
    Digest { spec: Spec, spelled: Spelled, case: Case, encoded: Option<Case> },
    Link(Case),
}

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Path,
    File,
    Folder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelled {
    Hex,
    Base32,
    Base64,
    Raw,
}

readable! {
    /// An error in a template.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TemplateError {
        /// The part of the template that is not valid.
        what: String => &str,
        /// The reason.
        why: &'static str,
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", self.what, self.why)
    }
}

impl std::error::Error for TemplateError {}

/// The letters of algorithms.
const LETTERS: &[(u8, &str)] = &[
    (b'a', "aich"),
    (b'c', "crc32"),
    (b'e', "ed2k"),
    (b'g', "gost12-256"),
    (b'h', "sha1"),
    (b'm', "md5"),
    (b'r', "ripemd160"),
    (b't', "tth"),
    (b'w', "whirlpool"),
];

/// Maximum width of a field, in characters.
const WIDEST: usize = 1000;

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Fails if the template contains an unknown directive or algorithm.
    pub fn parse(text: &[u8]) -> Result<Template, TemplateError> {
        let mut items = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text;
        while let [first, after @ ..] = rest {
            rest = match first {
                b'\\' => escape(after, &mut plain),
                b'%' if after.first() == Some(&b'%') => {
                    plain.push(b'%');
                    &after[1..]
                }
                b'%' => {
                    let (item, left) = directive(after)?;
                    if !plain.is_empty() {
                        items.push(Item::Text(std::mem::take(&mut plain)));
                    }
                    items.push(item);
                    left
                }
                byte => {
                    plain.push(*byte);
                    after
                }
            };
        }
        if !plain.is_empty() {
            items.push(Item::Text(plain));
        }
        Ok(Template { items })
    }

    /// Returns the algorithms that the template uses, in order and without duplicates.
    pub fn specs(&self) -> Vec<Spec> {
        let mut specs: Vec<Spec> = Vec::new();
        let mut add = |spec: Spec| {
            if !specs.contains(&spec) {
                specs.push(spec);
            }
        };
        for item in &self.items {
            match item {
                Item::Digest { spec, .. } => add(spec.clone()),
                Item::Link(_) => LINK.iter().filter_map(|name| name.parse().ok()).for_each(&mut add),
                _ => {}
            }
        }
        specs
    }

    /// Returns the first directive that only a check supports: the verdict or the manifest.
    pub fn of_check(&self) -> Option<&'static str> {
        self.items.iter().find_map(|item| match item {
            Item::Verdict => Some("%{verdict}"),
            Item::Manifest => Some("%{manifest}"),
            _ => None,
        })
    }

    /// Returns whether the template contains the name of the manifest.
    pub fn has_manifest(&self) -> bool {
        self.items.contains(&Item::Manifest)
    }

    /// Appends the text for an entry. A digest or a size that the entry does not have leaves no
    /// text.
    pub fn render(&self, entry: &Entry, out: &mut Vec<u8>) {
        self.render_compared(entry, "", b"", out);
    }

    /// Appends the text for an entry that was compared, with the word for the outcome and the name
    /// of the manifest.
    pub fn render_compared(&self, entry: &Entry, verdict: &str, manifest: &[u8], out: &mut Vec<u8>) {
        for item in &self.items {
            match item {
                Item::Text(text) => out.extend_from_slice(text),
                Item::Name(part, encoded) => encode(part.of(&entry.path), *encoded, out),
                Item::Size { width, zeros } => {
                    let size = entry.size.map(|size| size.to_string()).unwrap_or_default();
                    let size = if *zeros { format!("{size:0>width$}") } else { format!("{size:>width$}") };
                    out.extend_from_slice(size.as_bytes());
                }
                Item::Verdict => out.extend_from_slice(verdict.as_bytes()),
                Item::Manifest => out.extend_from_slice(manifest),
                Item::Mtime => {
                    let time = entry.mtime.map(|time| time.to_string()).unwrap_or_default();
                    out.extend_from_slice(time.get(..19).unwrap_or(&time).replace('T', " ").as_bytes());
                }
                Item::Digest { spec, spelled, case, encoded } => {
                    if let Some((_, digest)) = entry.digests.iter().find(|(found, _)| found == spec) {
                        encode(&spelled.of(digest, *case), *encoded, out);
                    }
                }
                Item::Link(case) => link(entry, *case, out),
            }
        }
    }
}

/// The algorithms in an ed2k link.
const LINK: [&str; 2] = ["ed2k", "aich"];

/// Appends the byte for the escape after a backslash, and returns the remaining text. A backslash
/// without a valid escape is literal.
fn escape<'t>(after: &'t [u8], plain: &mut Vec<u8>) -> &'t [u8] {
    let number = |digits: &[u8], base: u32| -> u8 {
        digits.iter().fold(0u32, |sum, digit| sum * base + (*digit as char).to_digit(base).unwrap_or(0)) as u8
    };
    let run = |from: &[u8], most: usize, base: u32| {
        from.iter().take(most).take_while(|byte| (**byte as char).is_digit(base)).count()
    };
    let (byte, used) = match after {
        [b'n', ..] => (b'\n', 1),
        [b'r', ..] => (b'\r', 1),
        [b't', ..] => (b'\t', 1),
        [b'\\', ..] => (b'\\', 1),
        [b'x', digits @ ..] if run(digits, 2, 16) > 0 => {
            let len = run(digits, 2, 16);
            (number(&digits[..len], 16), 1 + len)
        }
        [b'0'..=b'7', ..] => {
            let len = run(after, 3, 8);
            (number(&after[..len], 8), len)
        }
        _ => (b'\\', 0),
    };
    plain.push(byte);
    &after[used..]
}

/// The error for a directive that does not exist, with those that do.
const UNKNOWN: &str =
    "unknown directive, expected %p, %f, %d, %s, %l, %{mtime}, %{verdict}, %{manifest} or an algorithm";

/// Parses the directive after a percent sign, and returns it with the remaining text.
fn directive(text: &[u8]) -> Result<(Item, &[u8]), TemplateError> {
    let mut at = 0;
    let fault = |end: usize, why| {
        let what = format!("%{}", text[..end.min(text.len())].escape_ascii());
        Err(TemplateError { what, why })
    };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = match std::str::from_utf8(&text[..digits]).unwrap_or_default() {
        "" => None,
        width => match width.parse() {
            Ok(width) if width <= WIDEST => Some((width, text[0] == b'0')),
            _ => return fault(digits, "the width must be at most 1000"),
        },
    };
    at += digits;
    let encoded = match text.get(at) {
        Some(b'u') => Some(Case::Lower),
        Some(b'U') => Some(Case::Upper),
        _ => None,
    };
    at += usize::from(encoded.is_some());
    let spelled = match text.get(at) {
        Some(b'x') => Some(Spelled::Hex),
        Some(b'b') => Some(Spelled::Base32),
        Some(b'B') => Some(Spelled::Base64),
        Some(b'@') => Some(Spelled::Raw),
        _ => None,
    };
    at += usize::from(spelled.is_some());
    let Some(&letter) = text.get(at) else { return fault(at, "the directive is incomplete") };
    let (end, name) = match letter {
        b'{' => match text[at..].iter().position(|&byte| byte == b'}') {
            Some(close) => (at + close + 1, std::str::from_utf8(&text[at + 1..at + close]).unwrap_or("")),
            None => return fault(text.len(), "missing closing brace"),
        },
        letter => {
            let lower = letter.to_ascii_lowercase();
            let found = LETTERS.iter().find(|(known, _)| *known == lower);
            (at + 1, found.map_or("", |(_, name)| *name))
        }
    };
    let first = if letter == b'{' { text.get(at + 1).copied().unwrap_or(0) } else { letter };
    let case = if first.is_ascii_uppercase() { Case::Upper } else { Case::Lower };
    let plain = spelled.is_none();
    let part = match letter {
        b'p' => Some(Part::Path),
        b'f' => Some(Part::File),
        b'd' => Some(Part::Folder),
        _ => None,
    };
    let item = match (letter, name) {
        _ if width.is_some() && letter != b's' => return fault(end, "only %s can have a width"),
        _ if part.is_some() && plain => Item::Name(part.unwrap_or(Part::Path), encoded),
        (b's', _) if plain && encoded.is_none() => {
            let (width, zeros) = width.unwrap_or_default();
            Item::Size { width, zeros }
        }
        (b'l' | b'L', _) if plain => Item::Link(case),
        (b'{', name) if plain && encoded.is_none() && name.eq_ignore_ascii_case("mtime") => Item::Mtime,
        (b'{', "urlname") if plain => Item::Name(Part::File, Some(Case::Lower)),
        (b'{', name) if plain && encoded.is_none() && name == "verdict" => Item::Verdict,
        (b'{', name) if plain && encoded.is_none() && name == "manifest" => Item::Manifest,
        (_, "") => {
            return fault(end, UNKNOWN);
        }
        (_, name) => {
            let Ok(spec) = Spec::typed(name) else {
                return fault(end, "unknown algorithm; `truesum list algorithms --all` lists all algorithms");
            };
            let usual = match spec.algorithm().name() {
                "tth" | "aich" => Spelled::Base32,
                _ => Spelled::Hex,
            };
            Item::Digest { spec, spelled: spelled.unwrap_or(usual), case, encoded }
        }
    };
    Ok((item, &text[end..]))
}

impl Part {
    fn of(self, path: &[u8]) -> &[u8] {
        let slash = path.iter().rposition(|&byte| byte == b'/');
        match (self, slash) {
            (Part::Path, _) | (Part::File, None) => path,
            (Part::File, Some(slash)) => &path[slash + 1..],
            (Part::Folder, Some(0)) => b"/",
            (Part::Folder, Some(slash)) => &path[..slash],
            (Part::Folder, None) => b".",
        }
    }
}

impl Spelled {
    fn of(self, digest: &Digest, case: Case) -> Vec<u8> {
        let text = match (self, case) {
            (Spelled::Raw, _) => return digest.as_bytes().to_vec(),
            (Spelled::Base64, _) => digest.to_base64(),
            (Spelled::Hex, Case::Lower) => digest.to_hex(),
            (Spelled::Hex, Case::Upper) => digest.to_hex_upper(),
            (Spelled::Base32, Case::Lower) => digest.to_base32(),
            (Spelled::Base32, Case::Upper) => digest.to_base32().to_ascii_uppercase(),
        };
        text.into_bytes()
    }
}

/// Appends bytes unchanged, or percent-encoded for a URL.
fn encode(text: &[u8], encoded: Option<Case>, out: &mut Vec<u8>) {
    match encoded {
        None => out.extend_from_slice(text),
        Some(case) => radix::percent_into(text, b"", case == Case::Upper, out),
    }
}

/// Appends an ed2k link.
fn link(entry: &Entry, case: Case, out: &mut Vec<u8>) {
    let of = |name: &str, spelled: Spelled| {
        let found = entry.digests.iter().find(|(spec, _)| spec.algorithm().name() == name);
        found.map(|(_, digest)| spelled.of(digest, case)).unwrap_or_default()
    };
    out.extend_from_slice(b"ed2k://|file|");
    encode(Part::File.of(&entry.path), Some(case), out);
    out.extend_from_slice(format!("|{}|", entry.size.unwrap_or_default()).as_bytes());
    out.extend_from_slice(&of("ed2k", Spelled::Hex));
    out.extend_from_slice(b"|h=");
    out.extend_from_slice(&of("aich", Spelled::Base32));
    out.extend_from_slice(b"|/");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str) -> Result<String, String> {
        let template = Template::parse(template.as_bytes()).map_err(|error| error.to_string())?;
        let digests = template.specs().into_iter().map(|spec| (spec.clone(), spec.digest(b"abc"))).collect();
        let entry = Entry { path: b"d/a b.txt".to_vec(), size: Some(3), digests, ..Entry::default() };
        let mut out = Vec::new();
        template.render(&entry, &mut out);
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// Compares with the output of RHash 1.4.3 for the same file, except for `%d`, which is newer.
    #[test]
    fn directives_match_rhash() {
        for (template, printed) in [
            (r"%p|%f|%d|%s|%5s|%05s\n", "d/a b.txt|a b.txt|d|3|    3|00003\n"),
            ("%up|%uf|%{urlname}", "d%2fa%20b.txt|a%20b.txt|a%20b.txt"),
            ("%c %C", "352441c2 352441C2"),
            (
                "%bm|%Bm|%xm|%uBm",
                "saavbgb42jh3bvuwh56sryl7oi|kAFQmDzST7DWlj99KOF/cg==|900150983cd24fb0d6963f7d28e17f72|kAFQmDzST7DWlj99KOF%2fcg%3d%3d",
            ),
            ("%u@h", "%a9%99%3e6G%06%81j%ba%3e%25qxP%c2l%9c%d0%d8%9d"),
            (
                "%t %xT",
                "asd4ujseh5m47pdyb46kbtsqtsgdklbhyxomuia 0487CA26443F59CFBC780F3CA0CE509C8C352C27C5DCCA20",
            ),
            ("%{sha-256}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("%{Md5}%%", "900150983CD24FB0D6963F7D28E17F72%"),
            (
                "%l",
                "ed2k://|file|a%20b.txt|3|a448017aaf21d8525fc10ae87aa6729d|h=vgmt4nsha2awvor6evyxqugcnsonbwe5|/",
            ),
            (r"\x41\101\q\", r"AA\q\"),
        ] {
            assert_eq!(rendered(template).as_deref(), Ok(printed), "{template}");
        }
    }

    #[test]
    fn check_template_has_verdict_and_manifest() {
        let template = Template::parse(b"%{manifest}: %{verdict} %f %m\\n").unwrap();
        assert_eq!((template.of_check(), template.has_manifest()), (Some("%{manifest}"), true));
        let (mut out, entry) = (Vec::new(), Entry { path: b"d/a".to_vec(), ..Entry::default() });
        template.render_compared(&entry, "missing", b"d/M", &mut out);
        template.render(&entry, &mut out);
        assert_eq!(out, b"d/M: missing a \n:  a \n");
    }

    #[test]
    fn invalid_directives_are_rejected() {
        for (template, why) in [
            ("%q", &format!("'%q': {UNKNOWN}")[..]),
            ("a%", "'%': the directive is incomplete"),
            ("%u", "'%u': the directive is incomplete"),
            ("%{sha-256", "'%{sha-256': missing closing brace"),
            ("%{none}", "'%{none}': unknown algorithm; `truesum list algorithms --all` lists all algorithms"),
            ("%20m", "'%20m': only %s can have a width"),
            ("%bp", &format!("'%bp': {UNKNOWN}")[..]),
            ("%us", &format!("'%us': {UNKNOWN}")[..]),
        ] {
            assert_eq!(rendered(template), Err(why.to_owned()), "{template}");
        }
    }
}
