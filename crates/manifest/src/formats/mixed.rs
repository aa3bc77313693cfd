//! Text lines of the `*sum` programs, BSD and OpenSSL in any combination; see
//! `docs/spec/manifests.md`.
//!
//! GNU and BSD lines share one parser because real manifests mix them.

pub(crate) mod appended;
mod decimal;
pub(crate) mod tagged;

use crate::algorithm::{NamedAlgorithm, algorithm_in_heading, algorithm_on_own_line, mentioned, same_length};
use crate::comment::is_comment;
use crate::digest::XXH3;
use crate::formats::prelude::*;
use crate::{digest, path};
use std::borrow::Cow;

/// The separator between digest and name in lines without a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// No such line has been read yet.
    Unknown,
    /// A space and the mode character (GNU).
    Two,
    /// A single space (BSD `md5 -r`).
    One,
}

/// The form of a line with a hexadecimal digest. Most lines have the form of the line before, and are parsed without
/// finding out again what they mean.
struct Form {
    /// The tag and the text up to the name; empty for a GNU line.
    before_name: Vec<u8>,
    spec: Spec,
    /// The number of hexadecimal digits.
    digits: usize,
}

/// The number of hexadecimal digits in a line of a [`Form`]. Shorter digests are also words, numbers or base64.
const LONG: usize = 32;

/// The text between the name and the digest of a tagged line.
const AFTER_NAME: &[u8] = b") = ";

impl Form {
    /// Returns the form of a line with this content, if the line has one: it is the text `before_name`, and the digest is
    /// in hexadecimal, in the order of bytes of the algorithm.
    fn of(body: &[u8], before_name: &[u8], (spec, digest, name): (&Spec, &Digest, &[u8])) -> Option<Form> {
        let digits = 2 * spec.digest_len();
        let is_plain = digits >= LONG && !spec.counts_parts() && spec.algorithm().decimal().is_none();
        let form = || Form { before_name: before_name.to_vec(), spec: spec.clone(), digits };
        is_plain.then(form).filter(|form| form.split(body) == Some((name, digest.clone())))
    }

    /// Returns the name and the digest in a line of this form.
    ///
    /// [`Mixed::entry`] would find the same. A GNU line starts with hexadecimal digits, so it is not a comment, a heading
    /// or an escaped line, and its name contains no tag. A tagged line ends with hexadecimal digits, so its last `)` is
    /// that after the name. Which algorithm long hexadecimal digits belong to depends only on their number, the tag and the
    /// options.
    fn split<'l>(&self, line: &'l [u8]) -> Option<(&'l [u8], Digest)> {
        let (name, digits) = if self.before_name.is_empty() {
            let (digits, rest) = line.split_at_checked(self.digits)?;
            let [b' ', b' ' | b'*', name @ ..] = rest else { return None };
            (name, digits)
        } else {
            let rest = line.strip_prefix(&self.before_name[..])?;
            let (name, digits) = rest.split_at_checked(rest.len().checked_sub(self.digits)?)?;
            (name.strip_suffix(AFTER_NAME)?, digits)
        };
        let digest = Digest::from_hex(digits).ok().filter(|digest| 2 * digest.len() == self.digits)?;
        scan::count(line.len());
        (!name.is_empty()).then_some((name, digest))
    }
}

/// A parser that remembers information from previous lines.
pub(crate) struct Mixed {
    options: Options,
    /// The algorithm stated by the last heading, if it was not requested.
    unrequested: Option<Spec>,
    /// The algorithm of the last heading.
    bound: Option<Spec>,
    /// Another algorithm with digests of the same length that a later comment mentions.
    rival: Option<Spec>,
    /// The line with nothing but the name of an algorithm, until a line without a tag follows.
    alone: Option<Vec<u8>>,
    terminator: u8,
    gap: Gap,
    /// The form of the last line that has one. The options and the gap give it its meaning, so they do not change while it
    /// is stored.
    form: Option<Form>,
    /// The name and size in the comment directly above, as in Fedora's lists.
    above: Option<(Vec<u8>, u64)>,
}

impl Mixed {
    pub(crate) fn new(options: &Options, terminator: u8) -> Mixed {
        Mixed {
            options: options.clone(),
            unrequested: None,
            bound: None,
            rival: None,
            alone: None,
            terminator,
            gap: Gap::Unknown,
            form: None,
            above: None,
        }
    }

    /// Applies the algorithm stated by a heading to the following lines.
    pub(crate) fn state(&mut self, stated: NamedAlgorithm) {
        self.form = None;
        self.rival = None;
        self.bound = match &stated {
            NamedAlgorithm::Known(spec) => Some(spec.clone()),
            NamedAlgorithm::Other(_) => None,
        };
        let options = &mut self.options;
        (options.named, options.unsupported, self.unrequested) = match stated {
            NamedAlgorithm::Known(spec)
                if options.requested.is_empty() || options.requested.contains(&spec) =>
            {
                (Some(spec), None, None)
            }
            NamedAlgorithm::Known(spec) => (None, None, Some(spec)),
            NamedAlgorithm::Other(name) => (None, Some(name), None),
        };
    }

    /// Parses the digest of a line without a tag.
    fn untagged(&self, text: &[u8]) -> Result<(Spec, Digest), Reason> {
        let found = digest::untagged(text, &self.options)?;
        if let (Some(bound), Some(rival)) = (&self.bound, &self.rival)
            && found.0 == *bound
        {
            let why = format!("the heading specifies {bound}, but a comment below it specifies {rival}");
            return Err(Reason::Message(why));
        }
        self.unrequested.clone().map_or(Ok(found), |spec| Err(Reason::NotRequested(spec)))
    }

    /// Parses the digest of a tagged line. `openssl dgst -c` separates bytes with colons, and
    /// `XXH64_LE` reverses their order.
    fn tagged(&self, tag: &str, text: &[u8]) -> Result<(Spec, Digest), Reason> {
        let colons =
            text.get(2) == Some(&b':') && scan::all(text, |byte| byte.is_ascii_hexdigit() || byte == b':');
        let is_spaced = colons
            && text.len() % 3 == 2
            && text
                .chunks(3)
                .all(|pair| !pair[..2].contains(&b':') && pair.get(2).is_none_or(|&byte| byte == b':'));
        let digits: Cow<'_, [u8]> = match is_spaced {
            true => text.iter().copied().filter(|&byte| byte != b':').collect(),
            false => Cow::Borrowed(text),
        };
        let text = &*digits;
        // OpenSSL's default lengths of SHAKE are half of the usual ones.
        let tag = match (tag, text.len()) {
            ("SHAKE-128", 32) if self.options.requested.is_empty() => "SHAKE128-128",
            ("SHAKE-256", 64) if self.options.requested.is_empty() => "SHAKE256-256",
            _ => tag,
        };
        let (tag, is_reversed) = tagged::order(tag);
        let (spec, digest) = digest::tagged(tag, text, &self.options)?;
        if !is_reversed {
            return Ok((spec, digest));
        }
        let bytes: Vec<u8> = digest.as_bytes().iter().rev().copied().collect();
        Ok((spec, Digest::new(&bytes)))
    }

    fn entry(&mut self, body: &[u8]) -> Result<(Spec, Digest, Vec<u8>, Option<u64>), Reason> {
        if let Some(sum) = decimal::split(body, self.options.expected()) {
            return Ok((sum.spec, sum.digest, sum.name.to_vec(), sum.size));
        }
        let end = scan::find(body, scan::is_blank).unwrap_or(body.len());
        let (first, rest) = body.split_at(end);
        // In a line such as `DIGEST  (a) = b`, the digest is not a tag. Conversely, the tag
        // `SHA0` is not three bytes in base64.
        let is_digest = |tag: &str| {
            first.len() >= digest::MIN_DIGITS && digest::is_hex(first)
                || find(tag).is_none() && digest::untagged(first, &self.options).is_ok()
        };
        if let Some(line) = tagged::split(body)
            && !is_digest(line.tag)
        {
            if let (false, Some(name)) = (line.tag.is_empty(), self.alone.take()) {
                return Err(not_above(&name));
            }
            let found = if line.tag.is_empty() {
                self.untagged(line.digest)
            } else {
                self.tagged(line.tag, line.digest)
            };
            let (spec, digest) = found.map_err(|reason| reason.of(line.name))?;
            let open = scan::find(body, |byte| byte == b'(').map_or(0, |at| at + 1);
            // That a reversed digest is the same backwards proves nothing about the next line.
            let is_reversed = tagged::order(line.tag).1;
            let form = || Form::of(body, &body[..open], (&spec, &digest, line.name));
            self.form = if is_reversed { None } else { form() };
            return Ok((spec, digest, line.name.to_vec(), None));
        }
        let (spec, digest) = self.untagged(first).map_err(|reason| match (reason, rest) {
            // Text without a digest has no name either, and in a decimal line, a size precedes it.
            (reason @ Reason::NotALine, _) | (reason, [] | [_]) => reason,
            (reason, _) if first.iter().all(u8::is_ascii_digit) || tagged::split(body).is_some() => reason,
            (reason, [_, b' ' | b'*', name @ ..] | [_, name @ ..]) => reason.of(name),
        })?;
        let (gap, name) = match (self.gap, rest) {
            (_, [] | [_]) => return Err(Reason::EmptyName),
            (Gap::One, [_, name @ ..]) => (Gap::One, name),
            (_, [_, b' ' | b'*', name @ ..]) => (Gap::Two, name),
            (Gap::Two, _) => return Err(Reason::Mixed),
            (Gap::Unknown, [_, name @ ..]) => (Gap::One, name),
        };
        if !name.is_empty() {
            self.gap = gap;
        }
        if gap == Gap::Two {
            self.form = Form::of(body, b"", (&spec, &digest, name));
        }
        Ok((spec, digest, name.to_vec(), None))
    }
}

impl Mixed {
    /// Returns true if a comment would be an entry with another first character, which may be
    /// damaged: `3` differs from `#` in one bit, and from `;` in another.
    fn is_damaged_entry(&self, line: &[u8]) -> bool {
        if line.get(1).copied().is_none_or(scan::is_blank) {
            return false;
        }
        if is_damaged(line) {
            return true;
        }
        let head = &line[..line.len().min(256)];
        let expected = self.options.expected();
        // Typical first characters of digests in decimal, hexadecimal, base64 and base32.
        let as_if = |first: u8| [&[first], &head[1..]].concat();
        if decimal::split(&as_if(b'1'), expected).is_some() {
            return true;
        }
        let end = scan::find(head, scan::is_blank).unwrap_or(0);
        let is_encoded = head[..end].ends_with(b"=")
            || !expected.is_empty()
            || [b'a', b'A'].iter().any(|&first| digest::distinct_base32(&as_if(first)[..end]).is_some());
        let mut firsts = [b'3', b'A', b'a'].into_iter();
        is_encoded
            && end >= digest::MIN_DIGITS
            && firsts.any(|first| digest::untagged(&as_if(first)[..end], &self.options).is_ok())
    }
}

impl Parse for Mixed {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if let (Some(form), None) = (&self.form, &self.above)
            && let Some((name, digest)) = form.split(line)
        {
            return Ok(Some(Entry::new(name, form.spec.clone(), digest)));
        }
        let body = scan::trim_start(line);
        let (escaped, body) = if self.terminator == 0 {
            (false, line)
        } else {
            if body.is_empty() {
                return Ok(None);
            }
            if let Some(stated) = algorithm_in_heading(line) {
                self.state(stated);
                return self.alone.take().map_or(Ok(None), |name| Err(not_above(&name)));
            }
            if let Some(stated) = algorithm_on_own_line(body) {
                self.state(stated);
                let before = self.alone.replace(line.to_vec());
                return before.map_or(Ok(None), |name| Err(not_above(&name)));
            }
            if is_comment(line) {
                // corz checksum means BLAKE2s.
                if let (true, Ok(spec)) = (line.starts_with(b"#blake2#"), "blake2s".parse()) {
                    self.state(NamedAlgorithm::Known(spec));
                }
                let rival = self.bound.as_ref().and_then(|bound| {
                    mentioned(line).filter(|spec| spec != bound && spec.digest_len() == bound.digest_len())
                });
                if rival.is_some() {
                    (self.rival, self.form) = (rival, None);
                }
                self.above = commented_size(line);
                return if self.is_damaged_entry(line) { Err(Reason::DamagedComment) } else { Ok(None) };
            }
            match body {
                body if is_fence(body) || is_rule(body) => return Ok(None),
                [b'\\', body @ ..] => (true, body),
                _ => (false, body),
            }
        };
        let entry = self.entry(body);
        self.alone = None;
        let (spec, digest, name, size) = entry.map_err(|reason| match (reason, line) {
            // A space and a mode character without a digest before them.
            (Reason::NotALine, [b' ', b' ' | b'*', ..]) => Reason::EmptyDigest,
            (reason, _) => reason,
        })?;
        let path = if escaped { path::unescape(&name).ok_or(Reason::BadEscape)? } else { name };
        let above = self.above.take().filter(|(name, _)| *name == path).map(|(_, size)| size);
        let size = size.or(above);
        Ok(Some(Entry { path, size, digests: vec![(spec, digest)], ..Entry::default() }))
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.alone.take().map_or(Ok(None), |name| Err(not_above(&name)))
    }
}

/// Returns the error for a line with only the name of an algorithm that no line without a tag follows.
pub(crate) fn not_above(name: &[u8]) -> Reason {
    let name = String::from_utf8_lossy(name);
    Reason::Message(format!("the line {name:?} is a heading without digests or a truncated line"))
}

/// Returns true for the fence of a code block in Markdown, which may name a language. A longer line may
/// have lost its end.
pub(crate) fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") && line.len() <= 16
}

/// Returns true for the line below a heading, which consists of one repeated character.
fn is_rule(line: &[u8]) -> bool {
    let line = scan::trim_end(line);
    matches!(line, [first @ (b'-' | b'=' | b'~'), rest @ ..] if rest.len() > 1 && scan::all(rest, |byte| byte == *first))
}

/// Returns true if a comment would be an entry with a tag or a long digest if its first character
/// were another one.
pub(crate) fn is_damaged(line: &[u8]) -> bool {
    line.len() > 1 && (is_damaged_hex(line) || is_damaged_tag(line) || line[1..].starts_with(&XXH3[1..]))
}

/// Returns true if a comment would be an untagged entry if its first character were a hexadecimal
/// digit.
fn is_damaged_hex(line: &[u8]) -> bool {
    let digits = scan::find(&line[1..], |byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len() - 1) + 1;
    let followed = line.get(digits).copied().is_some_and(scan::is_blank);
    // A word of eight letters and digits is the digest of a GNU line only before its two characters.
    let is_short = digits == 8 && matches!(line[digits..], [b' ', b' ' | b'*', _, ..]);
    followed && (digits >= 32 || is_short) && digits % 2 == 0 && !same_length(digits / 2).is_empty()
}

/// Returns true if a comment would be a tagged entry if its first character were another one. A
/// complete tag after the comment character is an entry that was commented out.
fn is_damaged_tag(line: &[u8]) -> bool {
    let known = |tag: &str| tag.parse::<Spec>().is_ok();
    tagged::split(line).or_else(|| tagged::split(&line[1..])).is_some_and(|found| {
        let open = scan::find(line, |byte| byte == b'(').unwrap_or(0);
        let tag = scan::trim_end(&line[..open]);
        !found.digest.is_empty() && !known(found.tag) && tag.len() > 2 && digest::is_nearly_algorithm(tag)
    })
}

/// Returns the name and the size in a comment such as `# name: 19 bytes`.
fn commented_size(line: &[u8]) -> Option<(Vec<u8>, u64)> {
    let text = scan::trim_start(line.strip_prefix(b"#")?).strip_suffix(b" bytes")?;
    let colon = scan::rfind(text, |byte| byte == b':')?;
    Some((text[..colon].to_vec(), scan::decimal(text[colon + 1..].strip_prefix(b" ")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_the_same_with_and_without_the_form_of_the_line_before() {
        let (a, b) = ("0123456789abcdef".repeat(4), "ABCDEF9876543210".repeat(4));
        let (md5, odd) = (&a[..32], &a[..63]);
        // regression: a reversed digest that reads the same backwards let the next ones count as not reversed.
        let palindrome = "01".repeat(16);
        let digests = [&a[..], &b, &palindrome, md5, odd, &a[..8], "z", ""];
        let names = ["n", " n", "*n", "a) = b", "(x) = y", "SHA256 (n", "a:", "a]", "c\\d", ""];
        let mut lines: Vec<String> = Vec::new();
        for (digest, name) in digests.iter().flat_map(|digest| names.iter().map(move |name| (digest, name))) {
            lines.extend(["  ", " *", " ", "\t"].map(|gap| format!("{digest}{gap}{name}")));
            lines.extend(
                ["SHA256", "SHA2-256", "MD5", "NOPE", "", "SHAKE-128", "XXH128_LE", "0"]
                    .map(|tag| format!("{tag} ({name}) = {digest}")),
            );
        }
        let others = [
            format!("\\{a}  a\\nb"),
            format!("\\SHA256 (a\\nb) = {a}"),
            format!("SHA256(n)= {a}"),
            format!("SHA256 (n) = {a}-2"),
            format!("{a}-2  n"),
            format!("  {a}  n"),
            "# n: 19 bytes".to_owned(),
            "# SHA512-256".to_owned(),
            "MD5:".to_owned(),
            format!("#{}  n", &a[1..]),
            "123 456 n".to_owned(),
        ];
        lines.extend(others);
        let spec = |name: &str| -> Spec { name.parse().unwrap() };
        let options = [
            Options::default(),
            Options::for_name(b"SHA256SUMS"),
            Options::for_name(b"x.cksum"),
            Options::default().requested(vec![spec("sha3-256")]),
            Options::default().requested(vec![spec("sha256"), spec("blake3")]),
            Options::default().requested(vec![spec("s3-etag"), spec("md5")]),
        ];
        for (options, terminator) in options.iter().flat_map(|it| [(it, b'\n'), (it, 0)]) {
            // One parser reads everything, in several orders; the other one forgets the form before each line.
            let (mut own, mut other) = (Mixed::new(options, terminator), Mixed::new(options, terminator));
            let mut used = 0;
            for step in [1, 7, 11, 101, 1009] {
                for at in (0..lines.len()).map(|at| at * step % lines.len()) {
                    for line in [&lines[at], &lines[at], &lines[(at + step) % lines.len()]] {
                        let line = line.as_bytes();
                        used += u32::from(own.form.as_ref().is_some_and(|form| form.split(line).is_some()));
                        other.form = None;
                        let (found, expected) = (own.line(line), other.line(line));
                        assert_eq!(found, expected, "{options:?} {}", line.escape_ascii());
                    }
                }
            }
            assert!(used > 0 || options.requested_algorithms().len() == 2, "{options:?}");
        }
    }
}
