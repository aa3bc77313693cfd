//! Determines the algorithm of a digest whose line does not name it: from the name of the manifest,
//! from a heading, or from the length of the digest.

use crate::comment::is_comment;
use crate::scan;
use std::sync::LazyLock;
use truesum_hash::{ALGORITHMS, Spec};

/// Words in the names of manifests that denote a family of algorithms or an unsupported algorithm.
/// Digests in such manifests are rejected with this word unless [`of_digits`] returns the
/// algorithm, and never treated as digests of another algorithm whose digests have the same length.
const OTHERS: &[&str] =
    &["adler", "blake2", "edonr", "fsb", "gost", "haval", "ripemd", "sha3", "shake", "skein", "snefru"];

/// An algorithm named by a manifest's file name or by a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedAlgorithm {
    /// A supported algorithm.
    Known(Spec),
    /// A word in [`OTHERS`].
    Other(&'static str),
}

impl NamedAlgorithm {
    pub(crate) fn of(name: &str) -> Option<NamedAlgorithm> {
        let other = || OTHERS.iter().find(|other| **other == name);
        let name = match name {
            "btih" => return Some(NamedAlgorithm::Known(Spec::nameless())),
            // The names of options of OpenSSL and shasum.
            "blake2b512" => "blake2b",
            "blake2s256" => "blake2s",
            "sha512224" => "sha512-224",
            "sha512256" => "sha512-256",
            name => name,
        };
        name.parse()
            .ok()
            .map(NamedAlgorithm::Known)
            .or_else(|| other().map(|other| NamedAlgorithm::Other(other)))
    }
}

/// Returns the algorithm named by the file name of a manifest: `SHA256SUMS`, `sha512sum.txt`,
/// `B3SUMS`, `x.iso.md5`, `checksums_sha1.txt`.
///
/// Algorithm names count only in names that are about checksums, so that `tiger-photos.txt` is not
/// mistaken for a list of Tiger digests.
pub fn algorithm_from_name(file_name: &[u8]) -> Option<Spec> {
    match algorithm_in_file_name(file_name)? {
        NamedAlgorithm::Known(spec) => Some(spec),
        NamedAlgorithm::Other(_) => None,
    }
}

/// Returns the algorithm, supported or not, named by the file name of a manifest.
pub(crate) fn algorithm_in_file_name(file_name: &[u8]) -> Option<NamedAlgorithm> {
    let base = &file_name[scan::rfind(file_name, |byte| byte == b'/').map_or(0, |at| at + 1)..];
    // Invalid UTF-8 names no algorithm, and does not hide one in the rest of the name.
    let base = String::from_utf8_lossy(base).to_ascii_lowercase();
    let mut stem = base.as_str();
    while let Some((rest, "txt" | "asc" | "sig" | "gpg" | "pgp" | "signed" | "list")) = stem.rsplit_once('.')
    {
        stem = rest;
    }
    // First, try the complete name and its extension.
    if let Some(spec) = named(stem, Plain::Allowed) {
        return Some(spec);
    }
    if let Some((_, extension)) = stem.rsplit_once('.')
        && let Some(spec) = named(extension, Plain::Allowed)
    {
        return Some(spec);
    }
    // Then try its words. A bare algorithm name counts only if another word is about checksums.
    let words: Vec<&str> = stem.split(['.', '_', '-', ' ', '+']).filter(|word| !word.is_empty()).collect();
    let about = |word: &&str| {
        matches!(*word, "checksum" | "checksums" | "sum" | "sums" | "digest" | "digests" | "hash" | "hashes")
    };
    let plain = if words.iter().any(about) { Plain::Allowed } else { Plain::Refused };
    let mut found: Vec<NamedAlgorithm> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let pair = words.get(at + 1).map(|next| format!("{}-{next}", words[at]));
        let (spec, used) = match pair.and_then(|pair| named(&pair, plain)) {
            Some(spec) => (Some(spec), 2),
            None => (named(words[at], plain), 1),
        };
        found.extend(spec);
        at += used;
    }
    found.dedup();
    if found.len() == 1 { found.pop() } else { None }
}

/// A rule for bare algorithm names, such as `sha256` without `sums`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Allowed,
    Refused,
}

/// Returns the algorithm named by a word such as `sha256`, `sha256sums` or `b2sum`.
fn named(word: &str, plain: Plain) -> Option<NamedAlgorithm> {
    let bare = ["sums", "sum"].iter().find_map(|suffix| word.strip_suffix(suffix));
    let bare = bare.map(|bare| bare.trim_end_matches(['-', '_']));
    let name = match (bare, plain) {
        (Some(""), _) => return None,
        (Some(bare), _) => bare,
        (None, Plain::Allowed) => word,
        (None, Plain::Refused) => return None,
    };
    NamedAlgorithm::of(name).or_else(|| bare.and_then(|_| NamedAlgorithm::of(word)))
}

/// The CRC of POSIX, which has the name `crc` in `cksum -a`, and the CRC-32 that other programs write
/// as `crc`: in 8 hexadecimal digits, while `cksum` writes decimal.
static CRCS: LazyLock<[Spec; 2]> =
    LazyLock::new(|| ["cksum", "crc32"].map(|name| name.parse().expect("a row of the table")));

/// Algorithms whose digests programs also write with other numbers of hexadecimal digits: `b2sum -l`, `b3sum --length` and
/// `openssl dgst -xoflen`. A BLAKE3 digest of fewer digits than usual is not among them, because it is the beginning of a
/// longer one and may be a digest that was cut. Those of BLAKE2b depend on the length.
const LENGTHS: &[(&str, &[usize])] = &[
    ("blake2b", &[32, 40, 48, 56, 64, 96]),
    ("blake3", &[128]),
    // Until version 3.3, OpenSSL writes half of the usual digits.
    ("shake128", &[32]),
    ("shake256", &[64]),
];

/// Returns the algorithm of this number of hexadecimal digits if a tag, the name of a manifest or a heading names `spec`
/// without a length.
pub(crate) fn in_hex(spec: &Spec, digits: usize) -> Spec {
    let [posix, crc32] = &*CRCS;
    if spec == posix {
        return crc32.clone();
    }
    let name = spec.algorithm().name();
    let is_other = || LENGTHS.iter().any(|(known, lengths)| *known == name && lengths.contains(&digits));
    if digits == 2 * spec.digest_len() || !is_other() || *spec != Spec::new(spec.algorithm()) {
        return spec.clone();
    }
    spec.clone().with_bits(4 * digits).unwrap_or_else(|_| spec.clone())
}

/// Returns the algorithm with this number of hexadecimal digits in a family of [`OTHERS`], if it has only one.
pub(crate) fn of_digits(family: &str, digits: usize) -> Option<Spec> {
    let (before, lengths) = family_lengths(family)?;
    lengths.contains(&digits).then(|| format!("{before}{}", 4 * digits).parse().ok())?
}

/// Returns the text before the number of bits in the names of the algorithms of a family of [`OTHERS`], and their numbers
/// of hexadecimal digits, if each number belongs to one algorithm only.
pub(crate) fn family_lengths(family: &str) -> Option<(&'static str, &'static [usize])> {
    match family {
        "sha3" => Some(("sha3-", &[56, 64, 96, 128])),
        "ripemd" => Some(("ripemd", &[32, 40, 64, 80])),
        _ => None,
    }
}

/// Returns the name of the algorithm that programs mean by `name` for this digest: `crc` with 8
/// hexadecimal digits is CRC-32, and `cksum` is always the CRC of POSIX.
pub fn meant<'a>(name: &'a str, digest: &[u8]) -> &'a str {
    let is_crc32 =
        name.eq_ignore_ascii_case("crc") && digest.len() == 8 && digest.iter().all(u8::is_ascii_hexdigit);
    if is_crc32 { "crc32" } else { name }
}

/// Returns the name under which manifests of other programs have an algorithm, so that it is read
/// as the same one.
pub(crate) fn column_of(spec: &Spec) -> String {
    if *spec == CRCS[0] { "cksum".to_owned() } else { spec.to_string() }
}

/// Returns the algorithm assumed for a digest of this many bytes if nothing names the algorithm.
pub fn usual(digest_len: usize) -> Option<Spec> {
    // Parsed only once, because this function is called for every digest that is written.
    static USUAL: LazyLock<Vec<Spec>> = LazyLock::new(|| {
        ["crc32", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect()
    });
    USUAL.iter().find(|spec| spec.digest_len() == digest_len).cloned()
}

/// Names of the algorithms in common use, the most likely first.
const COMMON: &str = "sha256 blake3 sha512 sha1 md5 crc32 sha384 sha224 sha3-256 blake2b blake2b-256 sha3-512 \
    sha512-256 blake2s sha3-384 sha3-224 sha512-224 crc32c xxh128 xxh3 xxh64 xxh32 adler32 git-blob ripemd160 \
    crc64nvme tth glacier";

/// Returns the rank of an algorithm by how common it is: 0 for the most common one, `None` if it is
/// not in common use. It orders algorithms whose digests have the same form.
pub fn likelihood(spec: &Spec) -> Option<usize> {
    static SPECS: LazyLock<Vec<Spec>> =
        LazyLock::new(|| COMMON.split(' ').filter_map(|name| name.parse().ok()).collect());
    SPECS.iter().position(|common| common == spec)
}

/// Words that may begin the rest of a comment after the algorithm and a word for checksums.
const CONNECTIVES: &[&str] =
    &["of", "for", "from", "with", "by", "made", "created", "generated", "computed", "calculated", "written"];

/// Families whose name may be followed by the length of the digest as a separate word, and the name that is followed by a
/// dash and the length.
const FAMILIES: &[(&str, &str)] = &[
    ("sha", "sha"),
    ("sha2", "sha"),
    ("sha-2", "sha"),
    ("sha512", "sha512"),
    ("sha3", "sha3"),
    ("sha-3", "sha3"),
    ("blake2b", "blake2b"),
    ("blake2s", "blake2s"),
    ("shake", "shake"),
    ("ripemd", "ripemd"),
];

/// Returns the algorithm with the length `digits` of the family in the word before it: `SHA-3 256`.
fn of_family(word: &str, digits: &str) -> Option<NamedAlgorithm> {
    let (_, family) = FAMILIES.iter().find(|(known, _)| *known == word)?;
    let is_length = (2..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let spelled = [format!("{family}-{digits}"), format!("{family}{digits}")];
    spelled.iter().filter(|_| is_length).find_map(|name| NamedAlgorithm::of(name))
}

/// Returns true if an algorithm has digests of this number of bits.
fn is_length_of(stated: Option<&NamedAlgorithm>, digits: &str) -> bool {
    matches!(stated, Some(NamedAlgorithm::Known(spec)) if digits.parse() == Ok(spec.digest_len() * 8))
}

/// Returns the algorithm in a line that consists only of its name, such as `BLAKE2b`, `md5sum` or `SHA3 256`, and
/// possibly its length in parentheses, as in `BLAKE2b (512 bits)`. Such a line may also be the beginning of a line that
/// lost its end, so it is a heading only above lines without a tag.
pub(crate) fn algorithm_on_own_line(line: &[u8]) -> Option<NamedAlgorithm> {
    // Cheap checks come first, because this function is called for every line.
    if line.len() > 40 || !line.first()?.is_ascii_alphabetic() {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?.to_ascii_lowercase();
    let line = line.trim_ascii_end();
    let (line, digits) = match line.split_once(" (") {
        Some((name, length)) => {
            let length = length.strip_suffix("bits)").or(length.strip_suffix("bit)"))?;
            (name, Some(length.strip_suffix([' ', '-'])?))
        }
        None => (line, None),
    };
    let mut words = line.split(' ');
    let (word, stated) = match (words.next()?, words.next(), words.next()) {
        (word, None, None) => (word, named(word, Plain::Allowed).or_else(|| of_dashed_family(word))),
        (family, Some(digits), None) => (family, of_family(family, digits)),
        _ => return None,
    };
    match digits {
        Some(digits) if !is_length_of(stated.as_ref(), digits) => of_family(word, digits),
        _ => stated,
    }
}

/// Returns the algorithm in `sha-3-256` and `sha-2-512`.
fn of_dashed_family(word: &str) -> Option<NamedAlgorithm> {
    let (family, digits) = word.rsplit_once('-')?;
    of_family(family, digits)
}

/// Returns true for a word about checksums in a heading.
fn is_about(word: &str) -> bool {
    let words = ["checksum", "sum", "digest", "hash", "value", "file", "algorithm", "message"];
    word == "hashes" || words.contains(&word.strip_suffix('s').unwrap_or(word))
}

/// Returns the algorithm in a line that consists of a label and the name of an algorithm: `Algorithm: SHA3-256`, `Hash
/// algorithm: BLAKE2b (512 bits)`.
fn stated_after_label(line: &[u8]) -> Option<NamedAlgorithm> {
    let colon = line.iter().take(32).position(|&byte| byte == b':')?;
    let (label, name) = (&line[..colon], line[colon + 1..].strip_prefix(b" ")?);
    label.last_chunk().filter(|last: &&[u8; 9]| last.eq_ignore_ascii_case(b"algorithm"))?;
    let label = std::str::from_utf8(label).ok()?.to_ascii_lowercase();
    algorithm_on_own_line(name).filter(|_| label.split(' ').all(is_about))
}

/// Returns the algorithm named by a heading. A heading is a comment, ends with a colon or `]`, or is decorated, and has
/// these words in any order; otherwise it is not a heading:
///
/// - the name of one algorithm, which may be repeated: `SHA-512`, `sha512sum`, `SHA-3 256`
/// - words for checksums: `checksum`, `sum`, `digest`, `hash`, `value`, `file`, `algorithm`, `message`, also in plural
/// - any text in parentheses, as long as it does not name another algorithm; a length there belongs to the algorithm
///   before it: `BLAKE2b (256 bits)`
/// - in a comment, after one of the words for checksums, a word in [`CONNECTIVES`] and any text that names no other
///   algorithm and has no digest
///
/// A line without decoration begins with the algorithm and ends with a word for checksums, or consists of a label and the
/// name of an algorithm.
pub(crate) fn algorithm_in_heading(line: &[u8]) -> Option<NamedAlgorithm> {
    if let Some(stated) = stated_after_label(line) {
        return Some(stated);
    }
    // Cheap checks come first, because this function is called for every line.
    let is_comment = is_comment(line);
    let is_marked = is_comment || line.ends_with(b":") || line.ends_with(b"]");
    // Without a mark, the beginning of a tagged line that lost its end must not be mistaken for a
    // heading.
    let is_decorated = || [&b"=="[..], b"--", b"**"].iter().any(|mark| line.starts_with(mark));
    if line.len() > 120
        || !is_marked && (line.len() > 40 || line.contains(&b'(') || scan::contains(line, b"  "))
    {
        return None;
    }
    let needs_word = !is_marked && !is_decorated();
    let line = std::str::from_utf8(line).ok()?.to_ascii_lowercase();
    // The algorithm outside of parentheses, and the one in them.
    let (mut outer, mut inner): (Option<NamedAlgorithm>, Option<NamedAlgorithm>) = (None, None);
    let (mut is_inside, mut was_about) = (false, false);
    let mut previous = "";
    let words = line.split([' ', '\t', '#', ';', '/', '=', '*', ':', '[', ']']);
    let words: Vec<&str> = words.filter(|word| word.contains(|c| c != '-')).collect();
    let bare = |word: &str| word.trim_matches(['(', ')', ',']).to_owned();
    for (at, &word) in words.iter().enumerate() {
        is_inside |= word.starts_with('(');
        let bare_word = bare(word);
        let next = words.get(at + 1).filter(|next| !next.starts_with('(')).map(|next| bare(next));
        let next_is_bits = next.as_deref().is_some_and(|next| matches!(next, "bit" | "bits"));
        let found = match is_about(&bare_word) {
            true => None,
            false => next
                .and_then(|next| of_family(&bare_word, &next))
                .or_else(|| named(&bare_word, Plain::Allowed))
                .or_else(|| of_dashed_family(&bare_word))
                .or_else(|| {
                    FAMILIES
                        .iter()
                        .find(|(known, _)| *known == bare_word)
                        .and_then(|(_, family)| NamedAlgorithm::of(family))
                }),
        };
        let is_before = outer.is_none();
        let place = if is_inside { &mut inner } else { &mut outer };
        match found {
            Some(found) if place.as_ref().is_none_or(|known| *known == found) => *place = Some(found),
            Some(_) => return None,
            None if needs_word && is_before => return None,
            None if is_about(&bare_word) => {}
            None if bare_word.bytes().all(|byte| byte.is_ascii_digit()) => {
                // The length after the name of a family.
                match (of_family(previous, &bare_word), is_inside) {
                    (Some(found), _) if place.as_ref().is_none_or(|known| *known == found) => {
                        *place = Some(found)
                    }
                    // Another number in parentheses, unless it is the length of a different algorithm.
                    (None, true) if !next_is_bits || is_length_of(outer.as_ref(), &bare_word) => {}
                    _ => return None,
                }
            }
            None if is_inside => {}
            // Text such as `of all files` after a word for checksums.
            None if was_about && outer.is_some() && is_comment && CONNECTIVES.contains(&&bare_word[..]) => {
                // Another algorithm, or a digest.
                let is_other = |word: &&str| {
                    let word = word.trim_matches(['(', ')', ',', '.']);
                    let is_hex = || word.bytes().all(|byte| byte.is_ascii_hexdigit());
                    named(word, Plain::Allowed).is_some_and(|stated| Some(&stated) != outer.as_ref())
                        || word.len() >= 8 && is_hex()
                        || word.len() >= 22 && !word.contains('.')
                };
                return outer.clone().filter(|_| !words[at..].iter().any(is_other));
            }
            None => return None,
        }
        was_about = is_about(&bare_word);
        previous = words[at].trim_matches(['(', ')', ',']);
        is_inside &= !word.ends_with(')');
    }
    if needs_word && !was_about {
        return None;
    }
    match (outer, inner) {
        (Some(NamedAlgorithm::Other(family)), Some(NamedAlgorithm::Known(spec)))
            if spec.algorithm().name().starts_with(family) =>
        {
            Some(NamedAlgorithm::Known(spec))
        }
        (Some(outer @ NamedAlgorithm::Other(_)), _) => Some(outer),
        // Another length of the same algorithm.
        (Some(NamedAlgorithm::Known(outer)), Some(NamedAlgorithm::Known(inner)))
            if outer.algorithm() == inner.algorithm() =>
        {
            Some(NamedAlgorithm::Known(inner))
        }
        (Some(outer), Some(inner)) if outer != inner => None,
        (outer, inner) => outer.or(inner),
    }
}

/// Returns the algorithm that a comment mentions if it mentions a single one. Such a comment is not a heading, but may have
/// been meant as one.
pub(crate) fn mentioned(comment: &[u8]) -> Option<Spec> {
    let text = String::from_utf8_lossy(&comment[..comment.len().min(256)]).to_ascii_lowercase();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let mut found = words.filter(|word| word.len() > 2).filter_map(|word| named(word, Plain::Allowed));
    let first = found.next()?;
    match first {
        NamedAlgorithm::Known(spec) if found.all(|other| other == NamedAlgorithm::Known(spec.clone())) => {
            Some(spec)
        }
        _ => None,
    }
}

/// Returns whether a reader that knows the manifest's name identifies a bare hexadecimal digest of
/// this algorithm correctly.
pub fn implies_algorithm(spec: &Spec, file_name: Option<&[u8]>) -> bool {
    match file_name.and_then(algorithm_in_file_name) {
        Some(NamedAlgorithm::Known(stated)) => in_hex(&stated, 2 * spec.digest_len()) == *spec,
        Some(NamedAlgorithm::Other(_)) => false,
        None => usual(spec.digest_len()).as_ref() == Some(spec),
    }
}

/// Returns the names of all algorithms whose default digest length is this many bytes.
pub fn same_length(digest_len: usize) -> Vec<&'static str> {
    ALGORITHMS.iter().filter(|row| row.digest_len() == digest_len).map(|row| row.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_names_imply_an_algorithm() {
        for (name, spec) in [
            ("SHA256SUMS", Some("sha256")),
            ("sha256sums", Some("sha256")),
            ("dir/SHA512SUM", Some("sha512")),
            ("sha512sum.txt", Some("sha512")),
            ("SHA256SUMS.asc", Some("sha256")),
            ("SHA256SUMS.txt.asc", Some("sha256")),
            ("MD5SUMS", Some("md5")),
            ("B3SUMS", Some("blake3")),
            ("B2SUMS.txt", Some("blake2b")),
            ("md5", Some("md5")),
            ("sha256.txt", Some("sha256")),
            ("x.iso.md5", Some("md5")),
            ("x.iso.MD5", Some("md5")),
            ("x.sha256", Some("sha256")),
            ("x.sha256sum", Some("sha256")),
            ("x.sha3-256", Some("sha3-256")),
            ("x.blake2b-256", Some("blake2b-256")),
            ("x.b3", Some("blake3")),
            ("x.b2", Some("blake2b")),
            ("x.crc32", Some("crc32")),
            ("x.cksum", Some("crc")),
            ("x.crc", Some("crc")),
            ("checksums_sha256.txt", Some("sha256")),
            ("sha-512-checksums", Some("sha512")),
            ("foo-1.2-SHA256SUMS", Some("sha256")),
            ("foo_1.2_SHA256SUMS.txt", Some("sha256")),
            ("checksums-blake2b-256.txt", Some("blake2b-256")),
            ("checksums.txt", None),
            ("M", None),
            ("", None),
            ("SUMS", None),
            ("tiger-photos.txt", None),
            ("photos-tiger.txt", None),
            ("sha256/M", None),
            ("md5-and-sha256-checksums", None),
            ("crcabc", None),
            (".md5x", None),
        ] {
            let found = algorithm_from_name(name.as_bytes()).map(|spec| spec.to_string());
            assert_eq!(found.as_deref(), spec, "{name}");
        }
        assert_eq!(algorithm_from_name(b"\xff.md5"), algorithm_from_name(b"x.md5"));
        assert_eq!(algorithm_in_file_name(b"x.ed2k"), Some(NamedAlgorithm::Known("ed2k".parse().unwrap())));
        assert_eq!(algorithm_in_file_name(b"x.btih"), Some(NamedAlgorithm::Known(Spec::nameless())));
        assert_eq!(algorithm_in_file_name(b"program.elf"), None);
        assert_eq!(algorithm_in_file_name(b"sha3sums.txt"), Some(NamedAlgorithm::Other("sha3")));
        assert_eq!(algorithm_in_file_name(b"snefru.txt"), Some(NamedAlgorithm::Other("snefru")));
        assert_eq!(algorithm_in_file_name(b"a-panama.txt"), None);
    }

    #[test]
    fn headings_state_one_algorithm_or_none() {
        for (line, spec) in [
            ("# BLAKE2B HASH", Some("blake2b")),
            ("# SHA512 HASH", Some("sha512")),
            ("### md5sums ###", Some("md5")),
            ("SHA256:", Some("sha256")),
            ("[SHA-1]", Some("sha1")),
            ("# sha256 checksums:", Some("sha256")),
            ("# sha256", Some("sha256")),
            ("# BLAKE2 (b2sum) HASH", Some("blake2b")),
            ("# SHA512 (sha512sum) HASH", Some("sha512")),
            ("# SHA3-256 checksums (openssl)", Some("sha3-256")),
            ("# BLAKE3 checksums (made with b3sum 1.5)", Some("blake3")),
            ("File hashes (SHA3-256):", Some("sha3-256")),
            ("# Hash algorithm: SHA3-256", Some("sha3-256")),
            ("# SHA3-256 checksums of all files", Some("sha3-256")),
            ("# SHA512 (sha256sum) HASH", None),
            ("# SHA256 checksums for users of md5", None),
            ("# SHA256 checksums are below", None),
            ("SHA256 hash of file a.jar:", None),
            ("# BLAKE2B checksum file generated by b2sum", Some("blake2b")),
            ("; SHA3-256 digests created with rhash", Some("sha3-256")),
            ("// SHA-1", Some("sha1")),
            ("## SHA3 256", Some("sha3-256")),
            ("## SHA-3 256", Some("sha3-256")),
            ("## SHA-3-512 checksums", Some("sha3-512")),
            ("# SHA-2 512", Some("sha512")),
            ("# SHA 384 checksums of all files", Some("sha384")),
            ("# SHA-3 (256 bits)", Some("sha3-256")),
            ("# SHA3-256 (FIPS 202)", Some("sha3-256")),
            ("# BLAKE2b (256 bits)", Some("blake2b-256")),
            ("# BLAKE2b 256 hashes", Some("blake2b-256")),
            ("# BLAKE2b-256 (32 bytes)", Some("blake2b-256")),
            ("# SHA256 512", None),
            ("# SHA256 (512 bits)", None),
            ("=== BLAKE2b ===", Some("blake2b")),
            ("-- BLAKE2b --", Some("blake2b")),
            ("**SHA-512**", Some("sha512")),
            ("SHA3-256 Checksums", Some("sha3-256")),
            ("sha256", None),
            ("SHA256 (checksums", None),
            ("Algorithm: SHA3-256", Some("sha3-256")),
            ("Hash algorithm: SHA-512", Some("sha512")),
            ("Checksum Algorithm: BLAKE2b (256 bits)", Some("blake2b-256")),
            ("Hash: SHA256", None),
            // The output of Get-FileHash, which is a format of its own.
            ("Algorithm : SHA256", None),
            ("Algorithm: RSA", None),
            ("Signature algorithm: SHA256", None),
            ("Compression algorithm: xz", None),
            ("Algorithm: SHA256 of a.jar", None),
            ("Algorithm: MD5, SHA256", None),
            // The next line, after a line that lost its end.
            ("Algorithm: SHA3 (256 bits)00112233  a", None),
            ("# SHA256 checksum of a 00112233", None),
            ("; SHA1 checksums made with md5sum", None),
            ("SHA256 checksums of all files", None),
            ("SHA 12345678", None),
            ("# files", None),
            ("# sha256 of all files", None),
            ("# made with md5 and sha1", None),
            ("#", None),
            ("", None),
        ] {
            let stated = algorithm_in_heading(line.as_bytes());
            let known = spec.map(|spec| NamedAlgorithm::Known(spec.parse().unwrap()));
            assert_eq!(stated, known, "{line}");
        }
        assert_eq!(algorithm_in_heading(b"# FSB HASH"), Some(NamedAlgorithm::Other("fsb")));
        assert_eq!(algorithm_in_heading(b"# BLAKE2 (sha512sum) HASH"), Some(NamedAlgorithm::Other("blake2")));
    }

    #[test]
    fn name_alone_may_have_its_length_in_parentheses() {
        for (line, spec) in [
            ("BLAKE2b", Some("blake2b")),
            ("SHA3 256", Some("sha3-256")),
            ("BLAKE2b (512 bits)", Some("blake2b")),
            ("BLAKE2b (256 bits)", Some("blake2b-256")),
            ("BLAKE2b (256-bit)", Some("blake2b-256")),
            ("SHA3-256 (256 bits)", Some("sha3-256")),
            ("SHA-3 (256 bits)", Some("sha3-256")),
            ("RIPEMD160 (160 bit)", Some("ripemd160")),
            ("SHA256 (512 bits)", None),
            ("SHA256 (256bits)", None),
            ("SHA256 (a)", None),
            ("SHA256 (256 bits", None),
            ("SHA256 (256 bits) = 00", None),
            ("SHA256 (256 bytes)", None),
            ("SHA3 256 (256 bits)", Some("sha3-256")),
        ] {
            let known = spec.map(|spec| NamedAlgorithm::Known(spec.parse().unwrap()));
            assert_eq!(algorithm_on_own_line(line.as_bytes()), known, "{line}");
        }
    }

    #[test]
    fn bare_digests_imply_the_common_algorithm_of_their_length() {
        for (bytes, name) in [
            (4, "crc32"),
            (16, "md5"),
            (20, "sha1"),
            (28, "sha224"),
            (32, "sha256"),
            (48, "sha384"),
            (64, "sha512"),
        ] {
            assert_eq!(usual(bytes).map(|spec| spec.to_string()).as_deref(), Some(name));
            assert!(same_length(bytes).contains(&name));
        }
        assert_eq!(usual(8), None);
        assert!(same_length(8).contains(&"xxh64") && same_length(8).contains(&"crc64nvme"));
        assert!(same_length(7).is_empty());
    }
}
