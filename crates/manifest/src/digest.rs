//! The digest of a line: determines its algorithm and decodes its bytes.
//!
//! If the algorithm is known, a digest of the wrong length is an error and never a reason to try
//! another algorithm. Otherwise, a truncated digest or one that was replaced with a weaker one
//! would go undetected.

use crate::algorithm::{family_lengths, in_hex, meant, of_digits, same_length, usual};
use crate::format::Options;
use crate::line::Reason;
use crate::{radix, scan, weak};
use std::sync::atomic::Ordering;
use truesum_hash::{ALGORITHMS, Digest, Lengths, Spec, SpecError, find};

/// Minimum number of hexadecimal digits that count as a digest and not as a word.
pub(crate) const MIN_DIGITS: usize = 8;

/// Maximum length of a tag, in bytes. The tag of an 82-bit CRC with all its parameters has 126.
pub(crate) const TAG_LIMIT: usize = 160;

/// Returns the length of this many bytes in base64 with padding.
pub(crate) fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Returns whether the text consists only of hexadecimal digits.
pub(crate) fn is_hex(text: &[u8]) -> bool {
    scan::all(text, |byte| byte.is_ascii_hexdigit())
}

/// The text before the digest in lines of `xxhsum -H3` that are not tagged, so that they are not
/// read as XXH64.
pub(crate) const XXH3: &[u8] = b"XXH3_";

/// Returns whether a line starts with a possible digest followed by a blank.
pub(crate) fn starts_with_digest(line: &[u8]) -> bool {
    let head = &line[..line.len().min(1024)];
    scan::find(head, scan::is_blank).is_some_and(|end| {
        let first = &head[..end];
        let first = first.strip_prefix(XXH3).unwrap_or(first);
        first.len() >= MIN_DIGITS && (is_hex(first) || is_base64(first))
    })
}

/// Returns whether the word may be a digest in base64, or a damaged one in hexadecimal. Words such
/// as `Document` are valid base64 without padding, so a short word must have padding, possibly
/// followed by the number of parts of an S3 object, or hexadecimal digits and the number of parts.
fn is_base64(word: &[u8]) -> bool {
    let is_parted = || {
        let (digits, parts) = scan::cut(word, b'-').unwrap_or_default();
        let is_padded = || digits.ends_with(b"=") && Digest::from_base64(word).is_ok();
        scan::decimal(parts).is_some() && (is_hex(digits) || is_padded())
    };
    let is_possible = match word.len() {
        ..22 => word.ends_with(b"="),
        22..32 => word.ends_with(b"=") || is_mixed(word),
        _ => true,
    };
    is_possible && Digest::from_base64(word).is_ok() || is_parted()
}

/// Returns whether the word has digits, capital and small letters.
pub(crate) fn is_mixed(word: &[u8]) -> bool {
    let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Returns whether the text has the form of a tag. Other text is neither looked up nor shown.
pub(crate) fn is_tag(text: &[u8]) -> bool {
    let is_tag =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'_' | b'.' | b';' | b'=');
    text.len() <= TAG_LIMIT && scan::all(text, is_tag)
}

/// Parses the digest of a line without a tag.
///
/// # Errors
/// Fails if the text is not a digest of an expected algorithm, or if its algorithm is ambiguous,
/// unsupported or too weak.
pub(crate) fn untagged(text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    if let Some(digest) = text.strip_prefix(XXH3) {
        return tagged("xxh3", digest, options);
    }
    if let (true, Some(name)) = (options.requested.is_empty(), options.unsupported) {
        let spec = of_digits(name, text.len()).filter(|_| is_hex(text));
        if let Some((spec, digest)) =
            spec.and_then(|spec| spelled(text, &spec, options).map(|digest| (spec, digest)))
        {
            return strong((spec, digest), options);
        }
        return Err(match family_lengths(name) {
            Some((_, [others @ .., last])) if text.len() >= MIN_DIGITS && is_hex(text) => {
                let others: Vec<String> = others.iter().map(usize::to_string).collect();
                let (found, others) = (text.len(), others.join(", "));
                Reason::Message(format!(
                    "wrong digest length for {name} ({found} characters, not {others} or {last})"
                ))
            }
            _ => Reason::Algorithm(SpecError::NotHere(name.to_owned())),
        });
    }
    let expected = options.expected();
    if expected.is_empty() {
        let found = without_algorithm(text, options).and_then(|found| strong(found, options))?;
        options.assumed.store(true, Ordering::Relaxed);
        return Ok(found);
    }
    let mut fits: Vec<(Spec, Digest)> = Vec::new();
    for spec in expected {
        let spec = if options.requested.is_empty() && is_hex(text) {
            in_hex(spec, text.len())
        } else {
            spec.clone()
        };
        if let Some(digest) = spelled(text, &spec, options) {
            fits.push((spec, digest));
        }
    }
    fits.dedup_by(|a, b| a.0 == b.0);
    match fits.len() {
        0 => Err(mismatch_reason(text, expected)),
        1 => strong(fits.remove(0), options),
        _ => Err(Reason::Ambiguous(fits.iter().map(|(spec, _)| spec.to_string()).collect())),
    }
}

/// Parses the digest of a line with this tag.
///
/// # Errors
/// Fails if the tag or the digest is invalid, or if the algorithm was not requested or is too weak.
pub(crate) fn tagged(tag: &str, text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    if let Some(hmac) = requested_hmac(tag, options) {
        return named(&hmac, text, options);
    }
    named(meant(tag, text), text, options)
}

/// Returns the name of the HMAC with this hash function if it was requested with a key, and the function itself was not.
/// `openssl dgst -hmac` writes only the name of the function before the HMAC of standard input.
fn requested_hmac(tag: &str, options: &Options) -> Option<String> {
    options.key.as_ref()?;
    let hmac = format!("HMAC-{tag}");
    let is_requested = |name: &str| {
        let found = name.parse::<Spec>().ok();
        found.is_some_and(|found| options.requested.iter().any(|one| one.algorithm() == found.algorithm()))
    };
    (is_requested(&hmac) && !is_requested(tag)).then_some(hmac)
}

/// Parses the digest of a line with this tag, which may be any text.
///
/// # Errors
/// Fails under the same conditions as [`tagged`], and if the tag cannot be the name of an
/// algorithm.
pub(crate) fn labeled(tag: &[u8], text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    let tag = std::str::from_utf8(tag).ok().filter(|tag| tag.len() <= 32).ok_or(Reason::NotALine)?;
    tagged(tag, text, options)
}

/// Parses a digest of the algorithm that truesum gives this name.
///
/// # Errors
/// Fails as [`tagged`] does.
pub(crate) fn named(tag: &str, text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    let mut spec = match tag.parse() {
        // The name is that of the entry; `Reader` inserts it.
        Err(SpecError::LacksName(_)) => Spec::typed_without_name(tag).map_err(Reason::Algorithm)?,
        found => found.map_err(Reason::Algorithm)?,
    };
    // A tag may leave the length open, as OpenSSL's SHAKE-128 does. Then the length is that of the
    // requested algorithm, or that of the algorithm in the manifest's name unless the digest has
    // the default length.
    if let Some(row) = find(tag)
        && row.lengths() != Lengths::Fixed
        && let Some(same) = options.expected().iter().find(|requested| requested.algorithm() == row)
        && (!options.requested.is_empty() || spelled(text, &spec, options).is_none())
    {
        // Only the length is copied, not a key: keyed digests have tags of their own.
        spec = spec.with_bits(same.digest_len() * 8).map_err(Reason::Algorithm)?;
    }
    // A file name that is not known yet does not count as a difference.
    let requested = |requested: &Spec| {
        *requested == spec || spec.lacks_name() && requested.algorithm() == spec.algorithm()
    };
    if !options.requested.is_empty() && !options.requested.iter().any(requested) {
        return Err(Reason::NotRequested(spec));
    }
    if text.is_empty() {
        return Err(Reason::EmptyDigest);
    }
    match spelled(text, &spec, options) {
        Some(digest) => strong((spec, digest), options),
        None if text.len() == spec.digest_len() * 2 => Err(Reason::NotHex),
        None => match behind_tag(text) {
            Some(digest) if spelled(digest, &spec, options).is_some() => {
                Err(Reason::Part("the name of an algorithm before the digest"))
            }
            digest => Err(Reason::Length { spec, found: digest.unwrap_or(text).len() }),
        },
    }
}

/// Returns the digest in `ALGORITHM:DIGEST`.
fn behind_tag(text: &[u8]) -> Option<&[u8]> {
    let (tag, _) = scan::cut(&text[..text.len().min(TAG_LIMIT)], b':')?;
    let is_known = std::str::from_utf8(tag).is_ok_and(|tag| tag.parse::<Spec>().is_ok());
    is_known.then(|| &text[tag.len() + 1..])
}

/// Returns the digest with these bytes for the algorithm with this name.
///
/// # Errors
/// Fails if the name, the length or the algorithm is not accepted.
pub(crate) fn of_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    tagged(name, data_encoding::HEXLOWER.encode(bytes).as_bytes(), options)
}

/// Parses the digest of a column or key with this name: hexadecimal, or base64 in either alphabet,
/// with or without padding.
///
/// # Errors
/// Fails if the name or the digest is not accepted.
pub(crate) fn in_any_base(name: &str, text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    match radix::base64(text) {
        // A digest with a number of parts, such as `a6713519-670`, can also be valid base64.
        Some(bytes) if !is_hex(text) => of_bytes(name, &bytes, options)
            .or_else(|why| if is_of_parts(text) { tagged(name, text, options) } else { Err(why) }),
        _ => tagged(name, text, options),
    }
}

/// Returns whether the text is a hexadecimal digest followed by a hyphen and a number of parts.
fn is_of_parts(text: &[u8]) -> bool {
    let dash = text.iter().rposition(|&byte| byte == b'-');
    dash.is_some_and(|at| is_hex(&text[..at]) && text[at + 1..].iter().all(u8::is_ascii_digit))
}

/// Returns whether replacing, removing or inserting at most one character turns one text into the
/// other, ignoring case. Such a word is treated as a damaged form of the known one.
pub(crate) fn is_nearly(text: &[u8], known: &[u8]) -> bool {
    let (short, long) = if text.len() < known.len() { (text, known) } else { (known, text) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let rest = &long[(same + 1).min(long.len())..];
    let behind = if short.len() == long.len() { (same + 1).min(short.len()) } else { same };
    short[behind..].eq_ignore_ascii_case(rest)
}

/// Returns whether the text is almost the name of an algorithm, but not the name of one.
pub(crate) fn is_nearly_algorithm(name: &[u8]) -> bool {
    scan::count(name.len());
    let names = |row: &'static truesum_hash::Algorithm| {
        [row.name(), row.tag()].into_iter().chain(row.aliases().iter().copied())
    };
    // A length may follow: `BLAKE2b-256`.
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let stem = name[..name.len() - digits].strip_suffix(b"-").filter(|_| digits > 0);
    let nearly = |known: &str| {
        is_nearly(name, known.as_bytes()) || stem.is_some_and(|stem| is_nearly(stem, known.as_bytes()))
    };
    (2..=TAG_LIMIT).contains(&name.len())
        && ALGORITHMS.iter().flat_map(names).any(|known| known.len() > 2 && nearly(known))
        && std::str::from_utf8(name).is_ok_and(|name| name.parse::<Spec>().is_err())
}

/// Returns whether the text consists of hexadecimal digits, as many as a common digest of at least
/// 128 bits has.
pub(crate) fn is_long_hex(text: &[u8]) -> bool {
    matches!(text.len(), 32 | 40 | 48 | 56 | 64 | 96 | 128) && is_hex(text)
}

/// Returns whether the text has the form of a digest of at least 128 bits, in hexadecimal or
/// base64, and not that of a word. A reader that does not understand such text reports an error and
/// never skips it.
pub(crate) fn is_like(text: &[u8]) -> bool {
    // Without padding, words and addresses of any length are also valid base64.
    let distinct = || text.ends_with(b"=") || text.len() > 40 && is_mixed(text);
    is_long_hex(text)
        || matches!(text.len(), 22..=88)
            && distinct()
            && radix::base64(text).is_some_and(|bytes| matches!(bytes.len(), 16 | 20 | 28 | 32 | 48 | 64))
}

/// Returns whether a word could be a digest of at least 32 bits, in hexadecimal, base64 or base32, although it may also be
/// something else.
pub(crate) fn could_be_digest(word: &[u8]) -> bool {
    let is_single_case = || {
        let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) != has(u8::is_ascii_lowercase)
    };
    // Base32, also that of Nix, of 16, 20, 24, 28, 32, 48 and 64 bytes.
    let is_base32 = || {
        matches!(word.len(), 26 | 32 | 39 | 45 | 52 | 77 | 103)
            && scan::all(word, |byte| byte.is_ascii_alphanumeric())
            && is_single_case()
    };
    matches!(word.len(), 8 | 16) && is_hex(word) || is_like(word) || is_hex_of_any_length(word) || is_base32()
}

/// Returns whether a word is hexadecimal with as many digits as a digest of at least 128 bits of any length has.
pub(crate) fn is_hex_of_any_length(word: &[u8]) -> bool {
    const LONGEST: usize = 256;
    (32..=LONGEST).contains(&word.len())
        && word.len().is_multiple_of(2)
        && is_hex(word)
        && !word.iter().all(u8::is_ascii_digit)
}

/// Returns whether a text contains a word that could be a digest ([`could_be_digest`]), or hexadecimal digits in groups, as
/// GnuPG prints them.
pub(crate) fn could_hold_digest(text: &[u8]) -> bool {
    scan::count(text.len());
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric();
    // The name of an algorithm may be before the digest, as in `sha256-DIGEST`.
    let behind = |word: &[u8]| word.iter().position(|byte| b"=-_".contains(byte)).map_or(0, |at| at + 1);
    // Five groups are more than a UUID or the number of a card has.
    let mut groups = 0;
    text.len() >= MIN_DIGITS
        && (text
            .split(|&byte| !is_of_word(byte) && !b"+/=_-".contains(&byte))
            .any(|word| could_be_digest(word) || could_be_digest(&word[behind(word)..]))
            || text.split(|&byte| !is_of_word(byte)).filter(|word| !word.is_empty()).any(|word| {
                groups = if matches!(word.len(), 2 | 4) && is_hex(word) { groups + 1 } else { 0 };
                groups > 4 || could_be_digest(word)
            }))
}

/// Returns whether a line is a complete line of GNU coreutils for a file: a digest, two characters and a name other than
/// that of standard input.
pub(crate) fn is_gnu_line(line: &[u8]) -> bool {
    let end = scan::find(line, scan::is_blank).unwrap_or(0);
    let is_name = |name: &[u8]| {
        !matches!(name, b"-" | b"stdin")
            && name.first().is_some_and(|&byte| !scan::is_blank(byte))
            && !is_long_hex(name)
    };
    is_long_hex(&line[..end]) && matches!(&line[end..], [b' ', b' ' | b'*', name @ ..] if is_name(name))
}

/// Returns whether the text contains a word in the form of a digest (see [`is_like`]).
pub(crate) fn contains_like(text: &[u8]) -> bool {
    scan::count(text.len());
    // No such digest is shorter, but most texts are.
    text.len() >= 24
        && text.split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))).any(
            |word| {
                let end = scan::rfind(word, |byte| byte != b'=').unwrap_or(0);
                is_like(&word[scan::rfind(&word[..end], |byte| byte == b'=').map_or(0, |at| at + 1)..])
            },
        )
}

/// Parses hexadecimal, base64 or base32 with exactly as many bytes as the algorithm has, followed
/// by a hyphen and the number of parts if the algorithm counts parts. Hexadecimal and base64 have
/// the same length for two and four bytes; base64 then ends with padding.
fn spelled(text: &[u8], spec: &Spec, options: &Options) -> Option<Digest> {
    let bytes = spec.digest_len();
    let digits = match scan::find(text, |byte| byte == b'-') {
        Some(hyphen) if spec.counts_parts() => hyphen,
        None if spec.counts_parts() => return None,
        _ => text.len(),
    };
    let (hex, base64) = (digits == bytes * 2, digits == base64_len(bytes));
    // Base32, which RHash writes for TTH and AICH, and for all algorithms with --base32. It has
    // another length than the other two, except for digests of two bytes.
    let base32 = !hex && !base64 && !spec.counts_parts() && digits == (bytes * 8).div_ceil(5);
    if base32 && (options.in_base32 || !is_hex(text)) {
        return radix::base32(text).filter(|found| found.len() == bytes).map(|found| Digest::new(&found));
    }
    // The hexadecimal digest of another algorithm is never read as base64: otherwise, 64 digits
    // would be a SHA-384 digest.
    if !hex && (!base64 || text.len() >= 32 && is_hex(text)) {
        return None;
    }
    scan::count(text.len());
    let digest = match Digest::from_hex(text) {
        Ok(digest) if hex => Ok(digest),
        _ => Digest::from_base64(text),
    };
    digest.ok().filter(|digest| digest.len() == bytes && digest.parts().is_some() == spec.counts_parts())
}

/// Parses a digest whose algorithm can be determined only from the digest itself.
fn without_algorithm(text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    if text.len() >= MIN_DIGITS && is_hex(text) {
        return match usual(text.len() / 2) {
            Some(spec) if text.len().is_multiple_of(2) => {
                Digest::from_hex(text).map(|digest| (spec, digest)).map_err(|_| Reason::NotHex)
            }
            _ => Err(Reason::UnknownAlgorithm {
                digits: text.len(),
                names: if text.len().is_multiple_of(2) { same_length(text.len() / 2) } else { Vec::new() },
            }),
        };
    }
    // No digest is this short; it is a word of a text.
    if text.len() < 4 {
        return Err(Reason::NotALine);
    }
    let is_digest = |row: &truesum_hash::Algorithm| row.digest_len() * 2 == text.len();
    let not_hex = mostly_hex(text) && ALGORITHMS.iter().any(is_digest);
    // A hexadecimal digest with one wrong character is also base64 of another length. Base64
    // without padding is therefore accepted only if it contains letters that are not hexadecimal,
    // in upper and lower case.
    let distinct = text.ends_with(b"=")
        || (text.iter().any(|byte| matches!(byte, b'G'..=b'Z'))
            && text.iter().any(|byte| matches!(byte, b'g'..=b'z')));
    if distinct
        && let Ok(digest) = Digest::from_base64(text)
        && let Some(spec) = usual(digest.len())
    {
        return Ok((spec, digest));
    }
    let base32 =
        if options.in_base32 && is_base32(text) { radix::base32(text) } else { distinct_base32(text) };
    if let Some(bytes) = base32
        && let Some(spec) = usual(bytes.len())
    {
        return Ok((spec, Digest::new(&bytes)));
    }
    Err(if not_hex { Reason::NotHex } else { Reason::NotALine })
}

/// Returns whether a word has the form of a digest of at least 128 bits in base32: as many letters of one case and digits
/// as such digests have.
pub(crate) fn is_base32(word: &[u8]) -> bool {
    let digits = word.strip_suffix(b"====").or(word.strip_suffix(b"======")).unwrap_or(word);
    matches!(digits.len(), 26 | 32 | 39 | 45 | 52 | 77 | 103) && is_base32_of_one_case(digits)
}

/// Returns whether a word has nothing but digits of base32, in one case.
pub(crate) fn is_base32_of_one_case(word: &[u8]) -> bool {
    let is_of =
        |letters: fn(&u8) -> bool| scan::all(word, |byte| letters(&byte) || matches!(byte, b'2'..=b'7'));
    is_of(u8::is_ascii_lowercase) || is_of(u8::is_ascii_uppercase)
}

/// Decodes base32 of a digest of at least 128 bits that is neither a word, a damaged hexadecimal digest nor base32 of Nix: it
/// has digits, letters of one case, and at least a quarter of them are not hexadecimal.
pub(crate) fn distinct_base32(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.iter().filter(|byte| **byte != b'=');
    let others = digits.clone().filter(|byte| !byte.is_ascii_hexdigit()).count();
    let is_distinct =
        is_base32(text) && digits.clone().any(u8::is_ascii_digit) && others * 4 > digits.count();
    if is_distinct && radix::from_nix32(text).is_none() { radix::base32(text) } else { None }
}

/// Returns whether a line has a digest that is in base32 without doubt, as its first or last word.
pub(crate) fn is_line_in_base32(line: &[u8]) -> bool {
    let line = scan::trim(line.strip_suffix(b"\r").unwrap_or(line));
    let (first, last) = (scan::find(line, scan::is_blank), scan::rfind(line, scan::is_blank));
    let (Some(first), Some(last)) = (first.map(|end| &line[..end]), last.map(|at| &line[at + 1..])) else {
        return false;
    };
    /// The length of a CRC-32.
    const SHORT: usize = 7;
    let is_tagged = || line[..line.len() - last.len()].ends_with(b") = ");
    distinct_base32(first).or_else(|| distinct_base32(last)).is_some()
        || last.len() == SHORT && !is_hex(last) && is_base32_of_one_case(last) && is_tagged()
}

/// Returns the error for a digest that fits none of the expected algorithms.
fn mismatch_reason(text: &[u8], expected: &[Spec]) -> Reason {
    if mostly_hex(text) && expected.iter().any(|spec| spec.digest_len() * 2 == text.len()) {
        Reason::NotHex
    } else if text.len() >= MIN_DIGITS && is_hex(text) {
        Reason::Length { spec: expected[0].clone(), found: text.len() }
    } else {
        Reason::NotALine
    }
}

/// Returns whether the text is a damaged digest rather than a word: most of it is hexadecimal.
fn mostly_hex(text: &[u8]) -> bool {
    scan::count(text.len());
    text.len() >= MIN_DIGITS && text.iter().filter(|byte| byte.is_ascii_hexdigit()).count() * 2 > text.len()
}

/// Returns the digest in a column of this algorithm, or `None` if the text is none of it.
///
/// # Errors
/// Fails if the algorithm is too weak.
pub(crate) fn in_column_of(
    spec: &Spec,
    text: &[u8],
    options: &Options,
) -> Option<Result<(Spec, Digest), Reason>> {
    spelled(text, spec, options).map(|digest| strong((spec.clone(), digest), options))
}

fn strong(found: (Spec, Digest), options: &Options) -> Result<(Spec, Digest), Reason> {
    match weak::verdict(&found.0) {
        weak::Strength::TooShort if !options.allow_weak => Err(Reason::Weak(found.0)),
        weak::Strength::Sampled if !options.allow_sampled && !options.requested.contains(&found.0) => {
            Err(Reason::Sampled(found.0))
        }
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithm_name_with_one_wrong_character_counts_as_damaged() {
        for damaged in ["sha25v", "ha256", "sha2556", "sha256x", "SHA25-", "xsha256", "sha26"] {
            assert!(is_nearly(damaged.as_bytes(), b"sha256"), "{damaged}");
            assert!(is_nearly_algorithm(damaged.as_bytes()), "{damaged}");
        }
        for other in ["sha2", "sha265", "skein", "", "sha25vv"] {
            assert!(!is_nearly(other.as_bytes(), b"sha256"), "{other}");
        }
        assert!(is_nearly(b"Sha256", b"sha256") && is_nearly(b"", b"a") && !is_nearly(b"", b"ab"));
        for good in ["sha256", "SHA512", "skein", "quickxor"] {
            assert!(!is_nearly_algorithm(good.as_bytes()), "{good}");
        }
    }
}
