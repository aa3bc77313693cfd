//! mtree in both flavors: that of libarchive and FreeBSD (`sha256digest`, octal escapes), and
//! NetBSD's (`sha256`, `\M-C`).
//!
//! Only regular files are entries; other objects are counted. The order of lines expresses the hierarchy: the line of a
//! directory enters it, and `..` leaves it.

use crate::digest::{contains_like, is_long_hex, is_nearly, of_bytes, tagged};
use crate::entry::{ObjectKind, Time};
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;
use std::collections::{BTreeMap, HashSet};
use truesum_hash::SpecError;

pub(crate) static MTREE: Format = Format {
    name: "mtree",
    file_names: &[".mtree", "mtree"],
    summary: "types, sizes and digests of the files in a tree, as written by BSD mtree and bsdtar",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "md5", "sha1", "sha384", "sha512", "ripemd160"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head: &Head<'_>| {
        let at = head
            .lines(b'\n')
            .position(|line| !scan::is_empty(line) && !is_comment(line) || line.starts_with(b"#mtree"))?;
        let line = head.lines(b'\n').nth(at)?;
        let own = line.starts_with(b"#mtree")
            || line.starts_with(b"/set ")
            || line.starts_with(b". ") && has_type(line)
            || line.starts_with(b"type=dir ") && line.ends_with(b" .");
        own.then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::lines(|options| Box::new(Tree { options: options.clone(), ..Tree::default() })),
    writing: Writing::Manifest(|_| Box::new(Spec::default())),
    comment: Some("#"),
    ..Format::DEFAULT
};

/// Keywords without a value.
const NO_VALUE: &[&str] = &["ignore", "nochange", "optional"];

/// Keywords of digests, and their algorithms.
const DIGESTS: &[(&str, &str)] = &[
    ("md5", "md5"),
    ("md5digest", "md5"),
    ("sha1", "sha1"),
    ("sha1digest", "sha1"),
    ("sha256", "sha256"),
    ("sha256digest", "sha256"),
    ("sha384", "sha384"),
    ("sha384digest", "sha384"),
    ("sha512", "sha512"),
    ("sha512digest", "sha512"),
    ("rmd160", "ripemd160"),
    ("rmd160digest", "ripemd160"),
    ("ripemd160digest", "ripemd160"),
];

/// Other keywords that begin the statements about a file.
const KEYWORDS: &[&[u8]] =
    &[b"type", b"size", b"mode", b"time", b"uid", b"gid", b"uname", b"gname", b"nlink"];

/// Types of objects that are not regular files.
const OTHERS: &[(&[u8], ObjectKind)] = &[
    (b"dir", ObjectKind::Directory),
    (b"link", ObjectKind::Link),
    (b"block", ObjectKind::Device),
    (b"char", ObjectKind::Device),
    (b"fifo", ObjectKind::Pipe),
    (b"socket", ObjectKind::Socket),
];

/// Returns true if an unknown keyword resembles that of a digest.
fn is_damaged_key(key: &str) -> bool {
    let known = |(name, _): &(&str, &str)| *name == key;
    let near = |(name, _): &(&str, &str)| is_nearly(key.as_bytes(), name.as_bytes());
    !DIGESTS.iter().any(known)
        && key != "cksum"
        && (DIGESTS.iter().any(near) || is_nearly(key.as_bytes(), b"cksum"))
}

/// Maximum length of a line including its continuations, in bytes.
const LIMIT: usize = 1 << 20;

fn is_comment(line: &[u8]) -> bool {
    scan::trim_start(line).starts_with(b"#")
}

/// Splits a line at the first word that begins with `#` into the statement and the comment.
fn commented(line: &[u8]) -> (&[u8], &[u8]) {
    scan::count(line.len());
    let begins = |at: usize| line[at] == b'#' && (at == 0 || scan::is_blank(line[at - 1]));
    line.split_at((0..line.len()).find(|&at| begins(at)).unwrap_or(line.len()))
}

/// Returns true if the text contains a keyword whose value is a digest.
fn has_digest(text: &[u8]) -> bool {
    scan::count(text.len());
    text.split(|&byte| byte == b'=').skip(1).any(|value| is_long_hex(scan::word(value).0))
}

fn has_type(line: &[u8]) -> bool {
    line.split(|&byte| scan::is_blank(byte)).any(|word| word.starts_with(b"type="))
}

type Keywords = BTreeMap<String, Vec<u8>>;

#[derive(Default)]
struct Tree {
    options: Options,
    /// The previous lines, which ended with a backslash.
    begun: Vec<u8>,
    too_long: bool,
    defaults: Keywords,
    /// The current directory, with a trailing slash unless it is empty. Surplus `..` lines lead
    /// to its parents.
    folder: Vec<u8>,
    /// Whether the last statement sets values for the following files.
    has_set: bool,
}

impl Tree {
    fn set(&mut self, words: &[u8]) -> Result<(), Reason> {
        for word in words.split(|&byte| scan::is_blank(byte)).filter(|word| !word.is_empty()) {
            let (key, value) = keyword(word)?;
            if !word.contains(&b'=') && !NO_VALUE.contains(&key.as_str()) {
                return Err(Reason::Part("a name after /set"));
            }
            if DIGESTS.iter().any(|(name, _)| *name == key) && !is_long_hex(&value) {
                return Err(Reason::NotHex);
            }
            if self.defaults.len() >= 64 || value.len() > FOLDER_LIMIT {
                return Err(Reason::Part("too many keywords, or a keyword whose value is too long"));
            }
            self.defaults.insert(key, value);
        }
        Ok(())
    }

    fn unset(&mut self, words: &[u8]) {
        for word in words.split(|&byte| scan::is_blank(byte)) {
            match word {
                b"all" => self.defaults.clear(),
                word => {
                    self.defaults.remove(&String::from_utf8_lossy(word).into_owned());
                }
            }
        }
    }

    fn leave(&mut self) {
        let up = self.folder.is_empty() || self.folder.ends_with(b"../");
        if up {
            self.folder.extend_from_slice(b"../");
        } else {
            self.folder.pop();
            let end = self.folder.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
            scan::count(self.folder.len() - end);
            self.folder.truncate(end);
        }
    }

    fn item(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let (mut name, mut rest) = scan::word(line);
        // `mtree -D` writes the name after the keywords.
        if let Some(gap) = scan::rfind(line, scan::is_blank)
            && (line[gap + 1..].starts_with(b"./") || &line[gap + 1..] == b".")
            && name.contains(&b'=')
        {
            (name, rest) = (&line[gap + 1..], &line[..gap]);
        }
        // A name without keywords or defaults is a regular file.
        if rest.is_empty() && self.defaults.is_empty() && name != b".." {
            let full = name.contains(&b'/');
            let name = unvis(name).ok_or(Reason::BadEscape)?;
            return Ok(Some(Entry { path: self.below(full, name), untyped: true, ..Entry::default() }));
        }
        if name == b".." {
            if self.folder.len() > FOLDER_LIMIT {
                return Err(Reason::NameTooLong);
            }
            self.leave();
            // A line with keywords is an entry whose name was damaged.
            return if rest.is_empty() { Ok(None) } else { Err(Reason::NotALine) };
        }
        let mut keywords = Keywords::new();
        for word in rest.split(|&byte| scan::is_blank(byte)).filter(|word| !word.is_empty()) {
            let (key, value) = keyword(word)?;
            if keywords.insert(key, value).is_some() {
                return Err(Reason::Part("a duplicate keyword"));
            }
        }
        let full = name.contains(&b'/');
        let name = unvis(name).ok_or(Reason::BadEscape)?;
        let value = |key: &str| keywords.get(key).or_else(|| self.defaults.get(key));
        let kind = value("type").map_or(&b"file"[..], Vec::as_slice);
        let known = |key: &str| DIGESTS.iter().any(|(name, _)| *name == key);
        if let Some(&(_, other)) = OTHERS.iter().find(|(name, _)| *name == kind) {
            let path = self.below(full, name.clone());
            if other == ObjectKind::Directory && !full {
                if self.folder.len() + name.len() > FOLDER_LIMIT {
                    return Err(Reason::NameTooLong);
                }
                self.folder.extend_from_slice(&name);
                self.folder.push(b'/');
            }
            return Err(match keywords.keys().any(|key| known(key)) {
                true => Reason::Part("a digest of something that is not a file"),
                false => Reason::NotAFile(other, path),
            });
        }
        if kind != b"file" {
            return Err(Reason::Part("an unknown file type"));
        }
        if let Some(damaged) = keywords.keys().chain(self.defaults.keys()).find(|key| is_damaged_key(key)) {
            return Err(Reason::Algorithm(SpecError::Unknown(damaged.clone())));
        }
        // The value of a keyword whose equals sign is misplaced contains another one. Paths may contain digests.
        let is_path = |key: &str| matches!(key, "contents" | "link");
        if keywords
            .iter()
            .any(|(key, value)| !known(key) && (is_long_hex(value) || !is_path(key) && contains_like(value)))
        {
            return Err(Reason::Part("a digest under an unknown keyword"));
        }
        let mut entry = Entry { untyped: value("type").is_none(), ..Entry::default() };
        if let Some(size) = value("size") {
            entry.size = Some(scan::decimal(size).ok_or(Reason::Size)?);
        }
        if let Some(time) = value("time") {
            entry.mtime = Some(moment(time).ok_or(Reason::Part("an invalid time"))?);
        }
        for (key, algorithm) in DIGESTS {
            if let Some(text) = value(key) {
                let found = tagged(algorithm, text, &self.options)?;
                if !entry.digests.contains(&found) {
                    entry.digests.push(found);
                }
            }
        }
        let algorithm =
            |key: &str| key.split(';').next().is_some_and(|name| name.parse::<truesum_hash::Spec>().is_ok());
        let all = || keywords.keys().chain(self.defaults.keys().filter(|key| !keywords.contains_key(*key)));
        let other =
            |key: &&String| (key.ends_with("digest") || algorithm(key)) && !known(key) && *key != "cksum";
        entry.unread = all().filter(other).cloned().collect();
        if self.options.attributes {
            let read = |key: &str| known(key) || matches!(key, "type" | "size" | "time" | "cksum");
            entry.attributes = all().filter(|key| !read(key) && !other(key)).cloned().collect();
        }
        if let Some(text) = value("cksum") {
            let sum = scan::decimal(text).and_then(|sum| u32::try_from(sum).ok()).ok_or(Reason::NotALine)?;
            entry.digests.push(of_bytes("cksum", &sum.to_be_bytes(), &self.options)?);
        }
        entry.path = self.below(full, name);
        Ok(Some(entry))
    }

    /// Returns the path of a name in the current directory, or of a `full` name, which includes
    /// its directories.
    fn below(&self, full: bool, name: Vec<u8>) -> Vec<u8> {
        let mut path =
            if full || self.folder.is_empty() { name } else { [self.folder.as_slice(), &name].concat() };
        if path.starts_with(b"./") {
            path.drain(..2);
        }
        path
    }
}

/// Parses a time: seconds since 1970, a dot, and nanoseconds as a separate integer. mtree writes
/// nine digits, but libarchive omits leading zeros, so `1.5` means five nanoseconds.
fn moment(text: &[u8]) -> Option<Time> {
    let (whole, part) = scan::cut(text, b'.').unwrap_or((text, b"0"));
    let (sign, digits) = whole.strip_prefix(b"-").map_or((1, whole), |digits| (-1, digits));
    let seconds = i64::try_from(scan::decimal(digits)?).ok()?.checked_mul(sign)?;
    let nanos = u32::try_from(scan::decimal(part)?).ok().filter(|&nanos| nanos < 1_000_000_000)?;
    Some(Time { seconds, nanos })
}

/// Returns true if the first word resembles `/set` or `/unset`.
fn nearly_set(line: &[u8]) -> bool {
    let (word, _) = scan::word(line);
    is_nearly(word, b"/set") || is_nearly(word, b"/unset")
}

fn keyword(word: &[u8]) -> Result<(String, Vec<u8>), Reason> {
    let (key, value) = scan::cut(word, b'=').unwrap_or((word, b""));
    let key =
        std::str::from_utf8(key).ok().filter(|key| matches!(key.len(), 1..=32)).ok_or(Reason::NotALine)?;
    Ok((key.to_owned(), value.to_vec()))
}

/// Decodes vis(3): octal, `\s`, `\n`, `\M-C`, `\^A` and `\#`. Returns `None` for an invalid
/// escape sequence.
fn unvis(text: &[u8]) -> Option<Vec<u8>> {
    radix::unescape(text, b'\\', |behind, name| {
        let (decoded, rest) = match behind {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] => {
                ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), rest)
            }
            [b'M', b'-', byte, rest @ ..] => (byte | 0x80, rest),
            [b'M', b'^', byte, rest @ ..] => (control(*byte) | 0x80, rest),
            [b'^', byte, rest @ ..] => (control(*byte), rest),
            [byte, rest @ ..] => {
                let decoded = match byte {
                    b's' => b' ',
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'a' => 7,
                    b'b' => 8,
                    b'v' => 11,
                    b'f' => 12,
                    b'\\' | b'#' | b'*' | b'?' | b'[' => *byte,
                    _ => return None,
                };
                (decoded, rest)
            }
            [] => return None,
        };
        name.push(decoded);
        Some(rest)
    })
}

fn control(byte: u8) -> u8 {
    if byte == b'?' { 0x7f } else { byte & 0x1f }
}

impl Parse for Tree {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if self.begun.is_empty() && !self.too_long && (scan::is_empty(line) || is_comment(line)) {
            // A character of the name or of the indentation was overwritten with `#`.
            let behind = scan::trim_start(line).strip_prefix(b"#").unwrap_or_default();
            let (first, _) = scan::word(scan::trim(behind));
            let (key, is_keyword) = scan::cut(first, b'=').map_or((first, false), |(key, _)| (key, true));
            let is_known = is_keyword
                && (KEYWORDS.contains(&key) || DIGESTS.iter().any(|(name, _)| name.as_bytes() == key));
            if is_known || has_digest(behind) && (!behind[0].is_ascii_whitespace() || !line.starts_with(b"#"))
            {
                return Err(Reason::DamagedComment);
            }
            if line.starts_with(b"#mtree") {
                // The beginning of another manifest, concatenated to the previous one.
                self.defaults.clear();
                self.folder.clear();
            }
            return Ok(None);
        }
        let (line, comment) = commented(line);
        if has_digest(comment) {
            self.begun.clear();
            return Err(Reason::DamagedComment);
        }
        let more = line.strip_suffix(b"\\");
        self.too_long |= self.begun.len() + line.len() > LIMIT;
        if self.too_long {
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(more.unwrap_or(line));
        }
        if more.is_some() {
            return Ok(None);
        }
        let mut whole = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.too_long) {
            return Err(Reason::LineTooLong);
        }
        let found = self.statement(scan::trim(&whole));
        // Reuse the allocation for the next line.
        whole.clear();
        self.begun = whole;
        found
    }

    fn has_kept_line(&self) -> bool {
        self.has_set || !self.begun.is_empty()
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        match self.begun.is_empty() && !self.too_long {
            true => Ok(None),
            false => Err(Reason::Part("the last line ends in a backslash, but no line follows")),
        }
    }
}

impl Tree {
    /// Parses a line including its continuations.
    fn statement(&mut self, text: &[u8]) -> Result<Option<Entry>, Reason> {
        self.has_set = text.starts_with(b"/set ");
        match (text.strip_prefix(b"/set "), text.strip_prefix(b"/unset ")) {
            (Some(words), _) => self.set(words).map(|()| None),
            (_, Some(words)) => {
                if scan::find(words, |byte| byte == b'=').is_some() {
                    return Err(Reason::NotALine);
                }
                self.unset(words);
                Ok(None)
            }
            _ if text.is_empty() => Ok(None),
            _ if text.starts_with(b"/") && !text[1..].contains(&b'/') && nearly_set(text) => {
                Err(Reason::NotALine)
            }
            _ => self.item(text),
        }
    }
}

/// A writer of libarchive's flavor. Each directory precedes its files, because mtree requires it.
#[derive(Default)]
struct Spec {
    /// The directories already written, with a trailing slash.
    folders: HashSet<Vec<u8>>,
}

impl Spec {
    /// Writes the parent directories of a path that have not been written yet.
    fn folders_of(&mut self, path: &[u8], text: &mut Vec<u8>) {
        let Some(end) = path.iter().rposition(|&byte| byte == b'/') else { return };
        // mtree cannot open paths this long, and writing all ancestors would take quadratic
        // space.
        if end > FOLDER_LIMIT {
            return;
        }
        let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
        if self.folders.contains(&path[..=end]) || !path[..end].split(|&byte| byte == b'/').all(is_plain) {
            return;
        }
        for (at, _) in path[..=end].iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if self.folders.insert(path[..=at].to_vec()) {
                text.extend_from_slice(b"./");
                vis(&path[..at], text);
                text.extend_from_slice(b" type=dir\n");
            }
        }
    }
}

/// Appends a name with octal escapes.
fn vis(name: &[u8], text: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' | b'#' | b'*' | b'?' | b'[' | b'=' | 0..=b' ' | 0x7f.. => {
                text.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
            byte => text.push(byte),
        }
    }
}

impl Compose for Spec {
    fn begin(&mut self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"#mtree\n. type=dir\n");
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        self.folders_of(&entry.path, text);
        text.extend_from_slice(b"./");
        vis(&entry.path, text);
        text.extend_from_slice(b" type=file");
        if let Some(size) = entry.size {
            text.extend_from_slice(format!(" size={size}").as_bytes());
        }
        for (spec, digest) in &entry.digests {
            let name = spec.algorithm().name();
            let name = if name == "ripemd160" { "rmd160" } else { name };
            text.extend_from_slice(format!(" {name}digest={}", digest.to_hex()).as_bytes());
        }
        text.push(b'\n');
        Ok(())
    }
}
