//! Recognition of lines of checksum programs that were appended to a manifest of another format.

use super::tagged;
use crate::digest::{
    contains_like, could_be_digest, could_hold_digest, is_gnu_line, is_hex, is_hex_of_any_length, is_like,
    is_long_hex,
};
use crate::format::Fit;
use crate::formats::{certutil, gsutil};
use crate::scan;
use truesum_hash::Spec;

/// Returns whether a line is a complete checksum line for a file, possibly indented or in quotes. In a place where a format
/// has no such line, it was appended to the manifest, and belongs to a file that would not be verified.
///
/// Programs write the name, digests, algorithms, sizes and times in any order and with any separators, so a line is such a
/// line if it has a name and a digest and nothing else ([`Fields`]). The others are lines of GNU programs and
/// `ALGORITHM (NAME) = DIGEST`, in which any text is a name, lines of `cksum` or `sum`, and links with a digest.
pub(crate) fn is_appended(line: &[u8]) -> bool {
    is_foreign(line, Fit::Unknown)
}

/// Returns whether a line without an entry was added to a document by another program ([`is_appended`]).
///
/// A document has texts and values of any kind, such as dates, commits and lists of changes. Where its syntax allows a line,
/// only digests of at least 128 bits count, and no items of lists. Where it does not, names need no mark if the line begins
/// or ends with such a digest, except for one of 160 bits, which is rather a commit.
pub(crate) fn is_foreign(line: &[u8], fit: Fit) -> bool {
    let line = scan::trim(line.strip_suffix(b"\r").unwrap_or(line));
    let is_item = matches!(line, [b'-' | b'*', b' ', ..]);
    let line = unquoted(line);
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    is_gnu_line(line)
        || is_short(line)
        || is_tagged(line)
        || is_decimal(line)
        || is_sized(line)
        || is_link(line)
        || gsutil::is_line(line)
        || certutil::is_last(line)
        || fit != Fit::Allowed && is_object(line)
        || fit == Fit::Unexpected && (has_digest_at_end(line) || is_bare(line))
        || could_hold_digest(line)
            && Fields::of(line).filter(|fields| fields.has_name).is_some_and(|fields| match fit {
                Fit::Allowed => fields.has_long_digest() && !is_item,
                Fit::Unknown | Fit::Unexpected => fields.has_digest(),
            })
}

/// Returns the words of a line between blanks, punctuation and brackets.
pub(crate) fn words(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    scan::count(line.len());
    let is_separator = |byte: &u8| scan::is_blank(*byte) || b",;|\"'`()[]{}".contains(byte);
    line.split(is_separator).filter(|word| !word.is_empty())
}

/// The number of digits of the longest usual digest.
const LONGEST_DIGEST: usize = 128;

/// The number of digits of a commit in Git.
const COMMIT: usize = 40;

/// Returns whether the first or last word of a line is a digest of at least 128 bits, and another word is not.
fn has_digest_at_end(line: &[u8]) -> bool {
    let (first, last) = (words(line).next().unwrap_or_default(), words(line).next_back().unwrap_or_default());
    let is_digest = |word: &[u8]| is_like(word) && word.len() != COMMIT;
    (is_digest(first) || is_digest(last)) && words(line).any(|word| !is_like(word))
}

/// Returns whether a line has nothing but a digest of at least 128 bits, possibly in groups, whose file is named elsewhere.
pub(crate) fn is_bare(line: &[u8]) -> bool {
    let is_group = |word: &[u8]| matches!(word.len(), 2 | 4 | 8) && is_hex(word);
    let digits: usize = words(line).map(<[u8]>::len).sum();
    let is_long = || words(line).nth(1).is_none() && is_like(scan::trim(line));
    (Fields::GROUPED..=LONGEST_DIGEST).contains(&digits)
        && digits != COMMIT
        && (words(line).all(is_group) || is_long())
}

/// Returns whether a line is `SIZE  DIGEST  NAME`, as md5deep prints it.
fn is_sized(line: &[u8]) -> bool {
    let line = scan::cut(line, b' ').filter(|(size, _)| scan::decimal(size).is_some());
    line.and_then(|(_, rest)| rest.strip_prefix(b" ")).is_some_and(is_gnu_line)
}

/// Returns whether a line is a complete object in JSON with a digest.
fn is_object(line: &[u8]) -> bool {
    let line = line.strip_suffix(b",").unwrap_or(line);
    matches!(line, [b'{', .., b'}']) && scan::contains(line, b"\":") && contains_like(line)
}

/// Returns a text without quotes around it, which a comma may follow in a list of texts.
fn unquoted(text: &[u8]) -> &[u8] {
    match text.strip_suffix(b",").unwrap_or(text) {
        [open @ (b'"' | b'\'' | b'`'), inner @ .., close] if open == close && !inner.contains(open) => inner,
        _ => text,
    }
}

/// Returns whether a line is one of GNU programs with a checksum of 32 or 64 bits.
fn is_short(line: &[u8]) -> bool {
    let end = scan::find(line, scan::is_blank).unwrap_or(0);
    matches!(end, 8 | 16)
        && is_hex(&line[..end])
        && matches!(&line[end..], [b' ', b' ' | b'*', name @ ..] if is_name(name) && !scan::is_blank(name[0]))
}

fn is_tagged(line: &[u8]) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'(';
    let is_line = |line: tagged::Tagged<'_>| {
        // Digests of a known algorithm may be short or in base64.
        let is_digest = is_long_hex(line.digest) || !line.digest.is_empty() && tagged::is_known(line.tag);
        !line.name.is_empty() && is_digest
    };
    line.first().is_some_and(|&byte| is_start(byte)) && tagged::split(line).is_some_and(is_line)
}

/// The fields of a line that has nothing but names of files, digests, algorithms, numbers and attributes.
///
/// Where nothing else marks the name, it has a dot, a slash or a backslash, because any word can be the key of a number that
/// is not the digest of a file, such as that of a commit.
#[derive(Default)]
struct Fields {
    has_name: bool,
    has_complete_digest: bool,
    /// Whether one of the digests has at least 128 bits and could not be a word.
    is_long: bool,
    /// The number of digits in groups of two, four or eight, in which GnuPG prints digests.
    grouped: usize,
    /// Whether one of the groups of two or four is not a number.
    has_letters: bool,
}

/// The keys of attributes of files in `mtree`, whose values may be words.
const ATTRIBUTES: &[&[u8]] = &[
    b"size",
    b"mode",
    b"type",
    b"time",
    b"uid",
    b"gid",
    b"uname",
    b"gname",
    b"nlink",
    b"flags",
    b"inode",
    b"optional",
    b"link",
    b"contents",
    b"device",
    b"tags",
];

impl Fields {
    /// Maximum length of a line that is split. The line of a file is shorter, unless its name is very long.
    const LONGEST: usize = 8 << 10;
    /// Minimum number of digits in groups that are a digest.
    const GROUPED: usize = 32;

    /// Splits a line. Returns `None` if it has any other text.
    fn of(line: &[u8]) -> Option<Fields> {
        let mut fields = Fields::default();
        let line = line.strip_suffix(b"\\").unwrap_or(line);
        let is_separator = |byte: u8| scan::is_blank(byte) || b",|\"'`()[]".contains(&byte);
        // A text in quotes may have several lines, of which each is part of an entry.
        let is_complete = line.iter().filter(|&&byte| byte == b'"').count() % 2 == 0;
        let known = line.len() <= Fields::LONGEST
            && is_complete
            && line.split(|&byte| is_separator(byte)).all(|word| fields.add(word, true));
        known.then_some(fields).filter(|fields| !fields.has_letters || fields.grouped >= Fields::GROUPED)
    }

    fn has_digest(&self) -> bool {
        self.has_complete_digest || self.grouped >= Fields::GROUPED
    }

    fn has_long_digest(&self) -> bool {
        self.is_long || self.grouped >= Fields::GROUPED
    }

    /// Adds a word, or its parts if it is `divisible`. Returns false if it has no place in a checksum line.
    fn add(&mut self, word: &[u8], divisible: bool) -> bool {
        scan::count(word.len());
        let word = word.strip_prefix(b"*").or(word.strip_prefix(b"?")).unwrap_or(word);
        if word.iter().all(|byte| b"*-=:\\".contains(byte)) {
            return true;
        }
        // The name of the algorithm may be before the digest, as in `sha256-DIGEST` and `XXH3_DIGEST`.
        let sign = scan::find(word, |byte| b":=-_".contains(&byte)).filter(|&at| is_algorithm(&word[..at]));
        let behind = sign.map_or(&b""[..], |at| &word[at + 1..]);
        if could_be_digest(word) || could_be_digest(behind) {
            self.has_complete_digest = true;
            let is_long = |word: &[u8]| is_like(word) || is_hex_of_any_length(word);
            self.is_long |= is_long(word) || is_long(behind);
            // GnuPG also prints groups of eight digits.
            self.grouped += if word.len() == 8 { word.len() } else { 0 };
            return true;
        }
        if matches!(word.len(), 2 | 4) && is_hex(word) {
            self.grouped += word.len();
            self.has_letters |= !word.iter().all(u8::is_ascii_digit);
            return true;
        }
        let is_number = word.iter().all(|byte| byte.is_ascii_digit() || b"-:.+/".contains(byte));
        if is_number && word.iter().any(u8::is_ascii_digit) || is_algorithm(word) {
            return true;
        }
        if is_name(word) {
            self.has_name = true;
            return true;
        }
        let Some((before, behind)) = scan::find(word, |byte| matches!(byte, b':' | b'=' | b'*'))
            .map(|at| (&word[..at], &word[at + 1..]))
            .filter(|_| divisible)
        else {
            return false;
        };
        ATTRIBUTES.contains(&before) || self.add(before, false) && self.parts(behind)
    }

    /// Adds the parts of a word between colons.
    fn parts(&mut self, word: &[u8]) -> bool {
        word.split(|&byte| byte == b':').all(|part| self.add(part, false))
    }
}

/// Returns whether a word names an algorithm, or a program or keyword of one.
fn is_algorithm(word: &[u8]) -> bool {
    let ends = [&b""[..], b"digest", b"sum", b"deep"];
    ends.iter().any(|end| word.strip_suffix(*end).is_some_and(|name| algorithm(name).is_some()))
}

/// Returns whether a line is one of `cksum` or `sum`: `CHECKSUM SIZE NAME` in decimal. Only numbers that are too large for
/// `sum` suffice without a name that is not a word. In a name with blanks, the last word is the name of a file, and `sum`
/// pads the checksum to five digits and the size to at least five columns.
fn is_decimal(line: &[u8]) -> bool {
    let is_padded = |size: &[u8]| line.get(5) == Some(&b' ') && size.len() < 5 && line.get(6) == Some(&b' ');
    let (value, rest) = scan::word(&line[..line.len().min(256)]);
    let (size, name) = scan::word(rest);
    if size.is_empty() || scan::decimal(size).is_none() {
        return false;
    }
    let ends_in_name = || scan::rfind(name, scan::is_blank).is_some_and(|at| is_name(&name[at + 1..]));
    match scan::decimal(value).and_then(|value| u32::try_from(value).ok()) {
        Some(value) if value > u16::MAX.into() => {
            !name.is_empty() && scan::all(name, is_of_name) || is_name(name) || ends_in_name()
        }
        Some(_) => is_name(name) || is_padded(size) && ends_in_name(),
        None => false,
    }
}

/// Returns whether a line is a link that contains the digest of a file: `URL#DIGEST`, `URL#ALGORITHM=DIGEST`, a magnet link
/// or an eD2k link.
fn is_link(line: &[u8]) -> bool {
    if line.starts_with(b"magnet:?") || line.starts_with(b"ed2k://|file|") {
        return true;
    }
    let Some(fragment) = scan::rfind(line, |byte| byte == b'#').filter(|&at| is_url(&line[..at])) else {
        return false;
    };
    let fragment = &line[fragment + 1..];
    let named = scan::cut(fragment, b'=').or_else(|| scan::cut(fragment, b':'));
    is_long_hex(fragment) || named.is_some_and(|(name, digest)| is_digest_of(name, digest))
}

/// Returns the algorithm with this name.
fn algorithm(name: &[u8]) -> Option<Spec> {
    const LIMIT: usize = 32;
    std::str::from_utf8(name).ok().filter(|name| name.len() <= LIMIT)?.parse().ok()
}

/// Returns whether hexadecimal digits are as many as the digest of this algorithm has.
fn is_digest_of(name: &[u8], digest: &[u8]) -> bool {
    is_hex(digest) && algorithm(name).is_some_and(|spec| digest.len() == 2 * spec.digest_len())
}

/// Returns whether the text is the name of a file and not any other word.
fn is_name(text: &[u8]) -> bool {
    let path = match text {
        [drive, b':', path @ ..] if drive.is_ascii_alphabetic() && matches!(path, [b'\\' | b'/', ..]) => path,
        path => path,
    };
    // A backslash at the end of a line continues it, as in mtree.
    let path = path.strip_suffix(b"\\").unwrap_or(path);
    let is_path = || scan::all(path, |byte| is_of_name(byte) || byte == b'\\');
    let is_marked = || path.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\'));
    is_path() && is_marked() || is_url(text)
}

/// Returns whether the text is the address of a file.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.windows(3).take(16).position(|found| found == b"://");
    scheme.is_some_and(|end| end > 0 && text[..end].iter().all(u8::is_ascii_alphabetic))
        && scan::all(text, |byte| is_of_name(byte) || b":@%&=?!$'()*,;[]#".contains(&byte))
}

/// Returns whether the byte is usual in names of files and has no meaning in other formats.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+/~".contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_commits_and_texts_of_documents_are_not_checksum_lines() {
        let commit = "0123456789abcdef".repeat(3)[..COMMIT].to_owned();
        let digest = "0123456789abcdef".repeat(4);
        // regression: parameters of DVC, changes of Debian and scripts were reported as lines of other programs.
        let allowed = [
            "        prepare.seed: 20170428".to_owned(),
            "build.date=20240101".to_owned(),
            "Git.Commit: 0123abcd".to_owned(),
            " * src/a.c: 0123abcd".to_owned(),
            format!(" - {commit} src/a.c"),
            format!("- docker.io/x/y sha256:{digest}"),
        ];
        let unexpected = [
            format!("git -C x checkout {commit}"),
            format!("  x86_64) _commit={commit} ;;"),
            format!("    bump to commit {commit}"),
            format!("{commit} of the upstream"),
            "      eighty, as of 2024-01-01 10:11:12".to_owned(),
            format!("'{digest}' '{digest}'"),
            commit.clone(),
        ];
        for (fit, lines) in [(Fit::Allowed, &allowed[..]), (Fit::Unexpected, &unexpected[..])] {
            for line in lines {
                assert!(!is_foreign(line.as_bytes(), fit), "{line}");
            }
        }
        for (fit, line) in [
            (Fit::Allowed, format!("a.txt: {digest}")),
            (Fit::Unexpected, format!("a name  {digest}")),
            (Fit::Unexpected, format!("{digest},name")),
            (Fit::Unexpected, "a.txt 01234567".to_owned()),
            (Fit::Unexpected, digest.clone()),
            (Fit::Unexpected, "01 23 45 67 89 ab cd ef ".repeat(2)),
        ] {
            assert!(is_foreign(line.as_bytes(), fit), "{line}");
        }
    }
}
