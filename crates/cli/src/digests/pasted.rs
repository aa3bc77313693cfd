//! Digests as users copy them from web pages, programs and manifests.

use crate::exit::Refusal;
use crate::words::shell_word;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::symlink_metadata;
use truesum::hash::{Digest, Spec};
use truesum::manifest::identify::{Encoding, identify};
use truesum::manifest::path::{display_safe, escape_into, unescape};
use truesum::manifest::{Options, Reader};

/// Minimum number of digits of a digest that is recognized without the name of its algorithm.
pub const MIN_DIGITS: usize = 8;

/// Numbers of digits of common digests, in hexadecimal.
pub const LENGTHS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// The reason why a text with two digests is refused.
pub const SEVERAL: &str = "several digests, but only one is expected";

/// Quotes around a text.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Returns whether a text has one of the forms that every argument for a digest accepts, apart from
/// plain digits: an ETag of a multipart upload, a line of a manifest, or digits in groups.
pub fn is_composed(text: &str) -> bool {
    let text = pasted(text);
    let is_of_length = |digits: &str| LENGTHS.contains(&digits.rsplit(':').next().unwrap_or_default().len());
    let is_etag = || {
        let parts = |candidates: Vec<_>| candidates.iter().any(of_parts);
        text.len() > LENGTHS[0] && identify(&text).is_ok_and(parts)
    };
    of_line(&text).is_some()
        || tagged_digest(&text).is_some()
        || sum_line(&text).is_some()
        || grouped(&text).map_or(true, |joined| joined.is_some_and(|joined| is_of_length(&joined)))
        || is_etag()
}

fn of_parts(candidate: &truesum::manifest::identify::Candidate) -> bool {
    candidate.spec().counts_parts()
}

/// Returns the digest in a pasted text, without the name of a file.
pub fn bare(text: &str) -> String {
    let text = pasted(text);
    let line = of_line(&text).map(|(digest, _)| digest);
    line.or_else(|| tagged_digest(&text))
        .or_else(|| sum_line(&text).map(|line| line.number.to_owned()))
        .or_else(|| grouped(&text).ok().flatten())
        .unwrap_or(text)
}

/// The parts of a pasted text. Whether the digest is one is not known yet.
struct Parts<'t> {
    /// The name of an algorithm; empty if the text has none.
    algorithm: &'t str,
    digest: &'t str,
    /// The name of a file.
    name: Option<Cow<'t, str>>,
    /// The characters between an untagged digest and the name; empty if there is none.
    gap: &'t str,
}

impl Parts<'_> {
    /// Returns a digest, after the name of the algorithm and a colon if the text contains the name.
    fn named(&self, digest: &str) -> String {
        if self.algorithm.is_empty() { digest.to_owned() } else { format!("{}:{digest}", self.algorithm) }
    }

    /// Returns whether the digest is hexadecimal and has a common length or that of its algorithm.
    fn is_digest(&self) -> bool {
        let is_of = |spec: Spec| 2 * spec.digest_len() == self.digest.len();
        let is_of_length =
            LENGTHS.contains(&self.digest.len()) || self.algorithm.parse::<Spec>().is_ok_and(is_of);
        is_of_length && is_hexadecimal(self.digest)
    }

    /// Returns whether the digest is meant as one, but is abbreviated, has a wrong letter, or is too short or too long in a
    /// line as programs print it.
    fn is_wrong(&self) -> bool {
        let is_line = matches!(self.gap, "  " | " *") || self.gap.is_empty() && self.name.is_some();
        is_abbreviated(self.digest)
            || mistyped_digits(self.digest).is_some()
            || is_line && self.digest.len() >= MIN_DIGITS && is_hexadecimal(self.digest)
    }
}

/// Splits `DIGEST  NAME`, `ALGORITHM:DIGEST  NAME`, `TAG (NAME) = DIGEST`, the output of openssl, `TAG(NAME)= DIGEST`, or
/// a digest without a name. Quotes around the text are not part of it, and after a backslash at the beginning, the name is
/// escaped.
fn parts(text: &str) -> Parts<'_> {
    let text = text.trim();
    let text = QUOTES.iter().find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text);
    if let Some(line) = text.strip_prefix('\\') {
        let parts = parts(line);
        let unescaped = |name: Cow<'_, str>| String::from_utf8(unescape(name.as_bytes())?).ok();
        return Parts { name: parts.name.and_then(unescaped).map(Cow::Owned), ..parts };
    }
    if let Some((tag, rest)) = text.split_once('(')
        && let Some((name, digest)) = rest.rsplit_once(')')
        && let Some(digest) = digest.trim_start().strip_prefix('=')
        && tag.trim().parse::<Spec>().is_ok()
    {
        return Parts { algorithm: tag.trim(), digest: digest.trim(), name: Some(name.into()), gap: "" };
    }
    let (algorithm, rest) = before_digest(text);
    let word = rest.find([' ', '\t']).unwrap_or(rest.len());
    let (digest, rest) = rest.split_at(word);
    // One asterisk is the mark of binary files.
    let name = rest.get(1..).map(|name| name.strip_prefix([' ', '*']).unwrap_or(name).trim_start());
    let name = name.filter(|name| !name.is_empty());
    let gap = if name.is_some() { rest.get(..2).unwrap_or_default() } else { "" };
    Parts { algorithm, digest: bare_digits(digest), name: name.map(Cow::Borrowed), gap }
}

/// Splits a text after the name of an algorithm and a colon, an equals sign or a hyphen.
fn before_digest(text: &str) -> (&str, &str) {
    /// Maximum length of the name.
    const LIMIT: usize = 64;
    // `b2` is the name of an algorithm, but also the first byte of many digests written with colons.
    let mut marks = text.match_indices([':', '=', '-']).take_while(|(at, _)| *at < LIMIT);
    let is_bytes = || hexadecimal(text.split([' ', '\t']).next().unwrap_or_default()).is_some();
    let named = |(at, _): (usize, _)| {
        let algorithm = text[..at].trim();
        algorithm.parse::<Spec>().is_ok().then(|| (algorithm, text[at + 1..].trim_start()))
    };
    // The longest name counts: `sha3-256:` does not begin with `sha3`.
    let found = marks.by_ref().filter_map(named).last().filter(|_| !is_bytes());
    found.or_else(|| labeled(text)).unwrap_or(("", text))
}

/// Splits a label and a hexadecimal digest of a common length, such as `SHA 256 checksum: DIGEST` or `Hash : DIGEST`, into
/// the name of the algorithm, which may be missing, and the digest.
fn labeled(text: &str) -> Option<(&str, &str)> {
    const WORDS: [&str; 7] = ["checksum", "hash", "digest", "sum", "fingerprint", "value", "file"];
    let (label, digest) = text.split_once([':', '='])?;
    let digest = digest.trim();
    let words = label.split_whitespace().map(|word| word.trim_matches(['(', ')']));
    let others: Vec<&str> =
        words.filter(|word| !WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))).collect();
    let algorithm = match &others[..] {
        [] => "",
        others => others.join("-").parse::<Spec>().ok()?.algorithm().name(),
    };
    let is_digest = LENGTHS.contains(&digest.len()) && is_hexadecimal(digest);
    (is_digest && !label.trim().is_empty()).then_some((algorithm, digest))
}

/// Returns a digest without `0x`, brackets and punctuation around it.
fn bare_digits(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '[', '<']).trim_end_matches([')', ']', '>', ',', ';', '.']);
    word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word)
}

/// Returns the digest, with the name of its algorithm, and the name of the file in a line of a manifest.
fn of_line(text: &str) -> Option<(String, Cow<'_, str>)> {
    let parts = parts(text);
    // A tag shows that the text is a line, even if the digest has a wrong length.
    let is_line = parts.gap.is_empty() || parts.is_digest() && grouped(text) == Ok(None);
    let digest = parts.named(parts.digest);
    parts.name.filter(|_| is_line).map(|name| (digest, name))
}

/// Returns a hexadecimal digest after the name of an algorithm as `ALGORITHM:DIGEST`, and a complete line in the form that
/// a parser of manifests reads. Tabs, quotes around a line and such a name before a digest are only understood in pasted
/// text.
pub fn normalized(text: &str) -> Option<String> {
    let Parts { algorithm, digest, .. } = parts(text);
    let Some((named, name)) = of_line(text) else { return tagged_digest(text) };
    let mut escaped = Vec::new();
    escape_into(name.as_bytes(), &mut escaped);
    let mark = if escaped == name.as_bytes() { "" } else { "\\" };
    let name = String::from_utf8(escaped).ok()?;
    Some(match algorithm {
        "" => format!("{mark}{named}  {name}"),
        _ => format!("{mark}{algorithm} ({name}) = {digest}"),
    })
}

/// Returns a hexadecimal digest after the name of its algorithm, with a colon in between, or the digest after a label.
fn tagged_digest(text: &str) -> Option<String> {
    let parts = parts(text);
    let is_tagged = !parts.algorithm.is_empty() || labeled(text.trim()).is_some();
    let is_tagged = is_tagged && parts.name.is_none() && parts.is_digest();
    is_tagged.then(|| parts.named(parts.digest))
}

/// A line that `cksum` or `sum` prints: a checksum in decimal, a size and, if a file was named, its name.
#[derive(Debug, PartialEq, Eq)]
pub struct SumLine<'t> {
    /// The name of an algorithm before the line; empty if there is none.
    pub algorithm: &'t str,
    pub number: &'t str,
    /// The size in bytes, or in blocks if `sum` printed it.
    pub size: u64,
    pub name: Option<&'t str>,
}

impl SumLine<'_> {
    /// Returns whether it is of `cksum`: the numbers that `sum` prints have 16 bits.
    pub fn is_of_cksum(&self) -> bool {
        self.algorithm.is_empty() && is_cksum(self.number)
    }

    /// Returns the names of the algorithms that the program may have used, the most likely first.
    pub fn algorithms(&self) -> &[&str] {
        match self.algorithm {
            "" if self.is_of_cksum() => &["crc", "crc32"],
            "" => &["bsd", "sysv"],
            _ => std::slice::from_ref(&self.algorithm),
        }
    }
}

/// Returns whether a text is a number that `cksum` prints, and `sum` does not.
fn is_cksum(text: &str) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number && text.parse::<u32>().is_ok_and(|number| number > u32::from(u16::MAX))
}

/// Returns the checksum that `cksum` printed, and the size if the text has it. A number alone must have more digits than
/// a checksum in hexadecimal.
pub fn cksum(text: &str) -> Option<(u32, Option<u64>)> {
    match sum_line(text) {
        Some(line) => Some((line.number.parse().ok().filter(|_| line.is_of_cksum())?, Some(line.size))),
        None => Some((text.parse().ok().filter(|_| is_cksum(text) && text.len() > MIN_DIGITS)?, None)),
    }
}

/// Returns the parts of a line that `cksum` or `sum` prints.
pub fn sum_line(text: &str) -> Option<SumLine<'_>> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (algorithm, line) = before_digest(text.trim());
    let (number, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim_start();
    let (size, name) = rest.split_once([' ', '\t']).map_or((rest, None), |(size, name)| (size, Some(name)));
    // Numbers of the same length may be a digest that is printed in groups.
    let is_line = is_number(number) && number.parse::<u32>().is_ok() && grouped(text) == Ok(None);
    let size = size.parse().ok().filter(|_| is_line && is_number(size))?;
    Some(SumLine { algorithm, number, size, name: name.map(str::trim_start) })
}

/// Returns whether a text has several lines, and the first one contains a digest and the name of a file.
pub fn is_list(text: &str) -> bool {
    let first = text.trim().split_once('\n').map(|(first, _)| first);
    first.is_some_and(|first| name_in_line(first).is_some())
}

/// Returns the name in a text that is a complete line with a digest and the name of a file. The digest may be damaged.
pub fn name_in_line(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let of_wrong = || {
        let parts = parts(text);
        if parts.is_wrong() { parts.name } else { None }
    };
    let of_sum = || sum_line(text)?.name.map(Cow::Borrowed);
    of_line(text).map(|(_, name)| name).or_else(of_sum).or_else(of_wrong)
}

/// Returns the only hexadecimal digest of a common length in a text, after the name of its algorithm and a colon if the
/// text before it contains such a name.
pub fn embedded(text: &str) -> Option<String> {
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut digests = runs.filter(|run| LENGTHS.contains(&run.len()) && is_hexadecimal(run));
    let digest = digests.next().filter(|_| digests.next().is_none())?;
    let before = text.split_once(digest).map_or("", |(before, _)| before);
    let names_it = |word: &&str| word.parse::<Spec>().is_ok_and(|spec| spec.digest_len() * 2 == digest.len());
    let mut words = before.split(|c: char| !(c.is_ascii_alphanumeric() || "-_/.".contains(c)));
    Some(words.find(names_it).map_or_else(|| digest.to_owned(), |name| format!("{name}:{digest}")))
}

pub fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes quotes, and brackets and punctuation around hexadecimal digits. Other encodings have
/// digits that look like punctuation.
fn unwrapped(text: &str) -> &str {
    const PAIRS: [(char, char); 6] =
        [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>'), ('(', ')'), ('[', ']')];
    let within = |text: &'_ str, pairs: &[(char, char)]| -> Option<(usize, usize)> {
        let inner = |(open, close): &(char, char)| text.strip_prefix(*open)?.strip_suffix(*close);
        let inner = pairs.iter().find_map(inner)?;
        Some((1, 1 + inner.len()))
    };
    let mut inner = text.trim();
    loop {
        let shorter = match within(inner, &PAIRS) {
            Some((start, end)) => &inner[start..end],
            None => inner.strip_suffix([',', ';', '.']).unwrap_or(inner),
        };
        if shorter.len() == inner.len() {
            break;
        }
        inner = shorter.trim();
    }
    let digits = inner.rsplit([':', '=', ' ']).next().unwrap_or_default();
    if digits.len() >= MIN_DIGITS && is_hexadecimal(digits) {
        return inner;
    }
    let text = text.trim();
    within(text, &PAIRS[..3]).map_or(text, |(start, end)| text[start..end].trim())
}

/// Converts a digest as programs and web pages print it to the form used in manifests: removes
/// quotes, brackets and punctuation around it, `0x` and separators between bytes (`AB:CD:EF`,
/// `AB-CD-EF`), and puts a colon after the name of the algorithm (`NAME=DIGEST`, `NAME = DIGEST`).
pub fn pasted(text: &str) -> String {
    let text = unwrapped(text);
    // A `=` that is base64 padding does not follow the name of an algorithm.
    let named = text.split_once(['=', ':']).map(|(name, digits)| (name.trim(), digits.trim()));
    let named = named.filter(|(name, digits)| name.parse::<Spec>().is_ok() && !digits.is_empty());
    match named {
        // `b2` is the name of an algorithm, but also the first byte of many digests written with
        // colons.
        Some((name, digits)) if hexadecimal(text).is_none() => {
            format!("{name}:{}", hexadecimal(digits).as_deref().unwrap_or(digits))
        }
        _ => match labeled(text) {
            Some(("", digest)) => digest.to_owned(),
            Some((algorithm, digest)) => format!("{algorithm}:{digest}"),
            None => hexadecimal(text).unwrap_or_else(|| text.to_owned()),
        },
    }
}

/// Returns only the digits if the text consists of hexadecimal bytes with a prefix or separators.
fn hexadecimal(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = digits.filter(|digits| is_hexadecimal(digits)) {
        return Some(digits.to_owned());
    }
    [':', '-'].into_iter().find_map(|between| {
        let bytes = || text.split(between);
        (bytes().count() > 1 && bytes().all(|byte| byte.len() == 2 && is_hexadecimal(byte)))
            .then(|| bytes().collect())
    })
}

/// Joins a hexadecimal digest that is printed in groups of digits. All groups must have the same
/// length, because a SHA-256 digest followed by an MD5 digest is not a third digest. A digest
/// followed by two spaces and a name that looks like a digest is a manifest line and is left
/// unchanged.
pub fn grouped(text: &str) -> Result<Option<String>, &'static str> {
    let (name, digits) = match text.split_once(':') {
        Some((name, digits)) => (format!("{name}:"), digits),
        None => (String::new(), text),
    };
    let groups: Vec<&str> = digits.split_whitespace().collect();
    let is_hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_line = name.is_empty()
        && matches!(groups[..], [digest, name] if digits.trim() == format!("{digest}  {name}"));
    if groups.len() < 2 || !groups.iter().all(is_hex) || is_line {
        return Ok(None);
    }
    // Words of hexadecimal letters may be a file name; words as long as a digest are digests. A digest does not consist of
    // equal halves.
    let are_digests = groups.iter().all(|group| group.len() >= LENGTHS[0]);
    let are_equal = groups.iter().all(|group| *group == groups[0]);
    match groups.iter().all(|group| group.len() == groups[0].len()) {
        true if !(are_digests && are_equal) => Ok(Some(name + &groups.concat())),
        _ if are_digests => Err(SEVERAL),
        _ => Ok(None),
    }
}

/// Returns whether a text has a hexadecimal digest of a common length, possibly after the name of its algorithm, and not
/// this one, between blanks.
pub fn has_other_digest(text: &str, digest: &str) -> bool {
    text.split_whitespace().any(|word| {
        let digits = bare_digits(before_digest(word).1);
        LENGTHS.contains(&digits.len()) && is_hexadecimal(digits) && !digits.eq_ignore_ascii_case(digest)
    })
}

/// Returns whether a text has several digests, one of which may be in the place of a name.
pub fn has_several(text: &str) -> bool {
    let parts = parts(text);
    let is_other = |name: Cow<'_, str>| has_other_digest(&name, parts.digest);
    let in_name = parts.is_digest() && parts.name.is_some_and(is_other);
    grouped(text).map_or(true, |joined| joined.is_none() && in_name)
}

/// Returns a text in the form that manifests use: a line of any other format that a manifest may have, such as `NAME CRC`,
/// `XXH3_DIGEST  NAME`, as `ALGORITHM (NAME) = DIGEST`, and a digest in base64, base32 or an identifier of IPFS in
/// hexadecimal. Returns `None` for other texts, which may be names of files.
///
/// # Errors
/// Refuses a line with a size or several digests, such as an eD2k link, because only one digest would be compared.
pub fn translated(text: &str) -> Result<Option<String>, Refusal> {
    let text = text.trim();
    let is_link = ["ed2k://", "magnet:?"].iter().any(|scheme| text.starts_with(scheme));
    if !is_link && (text.contains('\n') || is_digest(text.as_ref())) {
        return Ok(None);
    }
    if !is_link && !text.contains([' ', '\t']) {
        return Ok(in_hexadecimal(text));
    }
    let mut lines = Reader::new(text.as_bytes(), Options::default().allow_weak(true));
    let (Some(Ok(line)), None) = (lines.next(), lines.next()) else { return Ok(None) };
    let name = str::from_utf8(&line.entry.path).ok().filter(|name| !name.contains(['\n', '\\']));
    let Some(name) = name else { return Ok(None) };
    // Lines with hexadecimal digits at the beginning may be names of files.
    let is_plain =
        text.split(' ').next().is_some_and(|word| word.len() >= MIN_DIGITS && is_hexadecimal(word));
    match &line.entry.digests[..] {
        _ if is_plain => Ok(None),
        [(spec, digest)] if line.entry.size.is_none() => Ok(Some(format!("{spec} ({name}) = {digest}"))),
        [] => Ok(None),
        _ => {
            let shown = display_safe(text.as_bytes());
            let hint =
                format!("to compare all of them: printf '%s\\n' {} | truesum check -", shell_word(text));
            Err(Refusal::with_hint(format!("{shown}: this line has a size or several digests"), hint))
        }
    }
}

/// Returns the hexadecimal digits of a digest in another encoding. One in base64 or base32 has padding, or digits and
/// letters of both cases or of one case.
fn in_hexadecimal(text: &str) -> Option<String> {
    // The name of an algorithm may precede the digest.
    let found = identify(text).ok().filter(|_| !text.contains([':', '-']))?;
    let first = found.first()?;
    let has = |wanted: fn(char) -> bool| text.contains(wanted);
    let (upper, lower) = (has(|c| c.is_ascii_uppercase()), has(|c| c.is_ascii_lowercase()));
    let is_long = first.digest().len() >= LENGTHS[0] / 2 && has(|c| c.is_ascii_digit());
    let digest = first.digest().to_hex();
    match first.encoding() {
        Encoding::Cid => Some(format!("{}:{digest}", first.spec())),
        Encoding::Base64 | Encoding::Base32 if is_long && text.ends_with('=') => Some(digest),
        Encoding::Base64 if is_long && upper && lower && text.len() > 40 => Some(digest),
        Encoding::Base32 if is_long && upper != lower => Some(digest),
        _ => None,
    }
}

/// Returns whether an argument is intended as a digest: no file has this name, and it is
/// hexadecimal, has the name of an algorithm before the digits (`sha256:HEX`, `sha256-BASE64`), or
/// has another form that `--expect` accepts. Truncated and mistyped digests are included, so that
/// an error can report the mistake.
pub fn is_digest(name: &OsStr) -> bool {
    let Some(given) = name.to_str().map(str::trim) else { return false };
    let text = &*pasted(given);
    let is_tagged = || {
        text.match_indices([':', '=', '-']).any(|(at, between)| {
            let (digits, spec) = (text[at + 1..].trim(), text[..at].trim().parse::<Spec>());
            let of_length = |spec: &Spec| {
                let digest = Digest::from_base64(digits.split('?').next().unwrap_or_default().as_bytes());
                digest.is_ok_and(|digest| digest.len() == spec.digest_len())
            };
            let is_number = |spec: &Spec| {
                let is_usual = spec.algorithm().decimal().is_some_and(|decimal| decimal.usual());
                is_usual && digits.parse::<u32>().is_ok()
            };
            spec.is_ok_and(|spec| match between {
                "-" => of_length(&spec),
                _ => digits.len() >= MIN_DIGITS || is_number(&spec),
            })
        })
    };
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_hex = digits.len() >= MIN_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_wrong = || is_cut(given) || mistyped(given).is_some() || parts(given).is_wrong();
    (is_hex || is_tagged() || is_wrong() || is_composed(given)) && symlink_metadata(name).is_err()
}

/// Returns whether a text contains an abbreviated hexadecimal digest, with an ellipsis in place of the missing digits.
pub fn is_cut(text: &str) -> bool {
    is_abbreviated(parts(text).digest) || is_abbreviated(text.rsplit([':', '=']).next().unwrap_or_default())
}

fn is_abbreviated(digits: &str) -> bool {
    let digits = digits.trim();
    let Some((begin, end)) = digits.split_once("...").or_else(|| digits.split_once('…')) else {
        return false;
    };
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    begin.len() >= 4 && is_hex(begin) && is_hex(end)
}

/// A character of a digest that is not a hexadecimal digit.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistyped {
    /// The position in the digest, counted from 1.
    pub at: usize,
    pub letter: char,
    /// The corrected digest, if all such characters were typed instead of a similar digit. The name of an algorithm
    /// precedes it only if the algorithm has digests of this length.
    pub corrected: Option<String>,
}

/// Finds the first wrong character in a hexadecimal digest of a common length, with or without the name of an algorithm
/// and that of a file.
pub fn mistyped(text: &str) -> Option<Mistyped> {
    let parts = parts(text);
    let found = mistyped_digits(parts.digest)
        .or_else(|| mistyped_digits(bare_digits(text.rsplit([':', '=']).next()?.trim())))?;
    let named = found.corrected.as_ref().map(|digits| parts.named(digits));
    let named = named.filter(|named| identify(named).is_ok());
    Some(Mistyped { corrected: named.or(found.corrected), ..found })
}

fn mistyped_digits(digits: &str) -> Option<Mistyped> {
    /// Digests in other encodings have many more letters that are not hexadecimal digits.
    const WRONG: usize = 2;
    let digit = |letter: char| match letter {
        'O' | 'o' => '0',
        'l' | 'I' | 'i' => '1',
        other => other,
    };
    let is_wrong = |letter: &char| !letter.is_ascii_hexdigit();
    let corrected: String = digits.chars().map(digit).collect();
    let is_corrected = !corrected.chars().any(|letter| is_wrong(&letter));
    let at = digits.chars().position(|letter| is_wrong(&letter))?;
    let is_alike = digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && digits.chars().filter(is_wrong).count() <= WRONG;
    (LENGTHS.contains(&digits.len()) && (is_corrected || is_alike)).then(|| Mistyped {
        at: at + 1,
        letter: digits.as_bytes()[at] as char,
        corrected: is_corrected.then_some(corrected),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn pasted_digests_are_recognized_in_every_form() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        for (text, expected) in [
            (format!("{md5},"), md5.to_owned()),
            (format!("\"{md5}\";"), md5.to_owned()),
            (format!("<{md5}>"), md5.to_owned()),
            (format!("`md5:{md5}`."), format!("md5:{md5}")),
            (format!("MD5 (a b) = {md5}"), format!("MD5:{md5}")),
            (format!("{md5}  a b"), md5.to_owned()),
            (format!("{md5} *a"), md5.to_owned()),
            (format!("MD5(a b)= {md5}"), format!("MD5:{md5}")),
            ("4219530715 2 a b".to_owned(), "4219530715".to_owned()),
            ("4219530715 2".to_owned(), "4219530715".to_owned()),
            ("32527   293 a".to_owned(), "32527".to_owned()),
            (format!("{} {}", &md5[..16], &md5[16..]), md5.to_owned()),
            ("x y".to_owned(), "x y".to_owned()),
            ("<a>".to_owned(), "<a>".to_owned()),
        ] {
            assert_eq!(bare(&text), expected, "{text}");
        }
        assert_eq!(bare("12345678 12345678"), "1234567812345678");
        assert_eq!(name_in_line("4219530715 2 a b").as_deref(), Some("a b"));
        assert_eq!(name_in_line(&format!("{md5} *a b")).as_deref(), Some("a b"));
        // regression: all asterisks were removed, so that `f` was checked instead of `*f`.
        assert_eq!(name_in_line(&format!("{md5}  *f")).as_deref(), Some("*f"));
        assert_eq!(name_in_line(&format!("{md5} **f")).as_deref(), Some("*f"));
        assert_eq!(name_in_line(&format!("\\{md5}  a\\nb")).as_deref(), Some("a\nb"));
        assert_eq!(name_in_line(&format!("\\MD5 (a\\\\b) = {md5}")).as_deref(), Some("a\\b"));
        assert_eq!(name_in_line(md5), None);
        for text in
            ["dead beef", "2024-3", "20240101-3", "notes (old) = 1", "a  b", "1 a b", "99999999999 1 a"]
        {
            assert!(!is_composed(text), "{text}");
        }
        assert_eq!(embedded(&format!("sum={md5};")).as_deref(), Some(md5));
        // regression: the hint named only the digits, which are those of another algorithm by default.
        for (text, name) in [
            (format!("SM3(f)= {SHA256} (x)"), "SM3:"),
            (format!("the sm3 of a file: {SHA256}!"), "sm3:"),
            (format!("x-sm3: {SHA256} (x)"), ""),
            (format!("MD5 (f) = {SHA256} (x)"), ""),
            (format!("{SHA256} (sm3)"), ""),
        ] {
            assert_eq!(embedded(&text), Some(format!("{name}{SHA256}")), "{text}");
        }
        assert_eq!(embedded(&format!("x{md5}")), None);
        assert_eq!(embedded(&format!("{md5} {md5}")), None);
    }

    #[test]
    fn lines_and_digests_of_other_formats_are_translated() {
        let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let base32 = "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ";
        for (text, expected) in [
            (base64, SHA256.to_owned()),
            (base64.trim_end_matches('='), SHA256.to_owned()),
            (base32, SHA256.to_owned()),
            ("a b.txt 352441C2", "crc32 (a b.txt) = 352441c2".to_owned()),
            ("XXH3_78af5f94892f3950  a.txt", "xxh3 (a.txt) = 78af5f94892f3950".to_owned()),
        ] {
            assert_eq!(translated(text).unwrap(), Some(expected), "{text}");
        }
        assert!(translated("ed2k://|file|a.txt|3|a448017aaf21d8525fc10ae87aa6729d|/").is_err());
        for text in [
            "photos of 2024",
            "Documents",
            "x.sha256",
            SHA256,
            "a.txt",
            "README.md notes",
            "deadbeef notes.txt",
        ] {
            assert_eq!(translated(text).unwrap(), None, "{text}");
        }
    }

    #[test]
    fn digests_are_distinguished_from_names() {
        for text in [
            SHA256,
            "sha256:ba7816bf",
            "MD5 = 900150983cd24fb0d6963f7d28e17f72",
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
            "352441c2",
            "4219530715 2 a b",
            "RIPEMD-160(a)= e3f89ad7f2bc3629437e5acf46b21c43a808220c",
            "ba7816bf...",
            &SHA256.replacen("01", "Ol", 1),
        ] {
            assert!(is_digest(text.as_ref()), "{text}");
        }
        for text in [
            "SHA256SUMS",
            "photos",
            "a...b",
            "x-sha256",
            "sha256-sums",
            "md5-checksums-of-all",
            "deadbee",
            "-",
            "/",
            "sha256:x",
            "Cargo.toml",
        ] {
            assert!(!is_digest(text.as_ref()), "{text}");
        }
    }

    #[test]
    fn letter_typed_for_a_digit_is_detected() {
        let typed = format!("sha256:{}", SHA256.replacen('0', "O", 1));
        let corrected = Some(format!("sha256:{SHA256}"));
        assert_eq!(mistyped(&typed), Some(Mistyped { at: 11, letter: 'O', corrected }));
        let typed = SHA256.replacen('0', "g", 1);
        assert_eq!(mistyped(&typed), Some(Mistyped { at: 11, letter: 'g', corrected: None }));
        assert_eq!(mistyped(SHA256), None);
        assert_eq!(mistyped("Olli"), None);
        let typed = SHA256.replacen('0', "O", 1);
        let corrected = Some(SHA256.to_owned());
        let found = mistyped(&format!("{typed}  a: b"));
        assert_eq!(found, Some(Mistyped { at: 11, letter: 'O', corrected }));
    }
}
