//! Several digests on one line: RHash `--simple` (name first), common orders of its `--printf`,
//! and `fciv -both` (name last).
//!
//! Digests are read from one end of the line. Their lengths and the encoding identify their algorithms, unless the algorithms
//! of all columns are requested, which RHash writes in an order of its own.

use crate::algorithm::{likelihood, usual};
use crate::comment::is_after_slashes;
use crate::digest::{
    base64_len, in_column_of, is_base32, is_base32_of_one_case, is_hex, is_long_hex, of_bytes, untagged,
};
use crate::formats::prelude::*;
use std::sync::LazyLock;

pub(crate) static RHASH_SIMPLE: Format = Format {
    name: "rhash-simple",
    summary: "a name and several digests per line, as written by RHash --simple and fciv -both",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "crc32", "md5", "sha1", "sha224", "sha384", "sha512"]),
        // On Windows, a backslash is a separator, and newer releases of RHash use it for
        // escaping.
        names: Names::Literal { forbidden: b"\n\r\\", not_first: b" \t;", not_last: b" \t" },
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.whole(|line| if is_comment(line) { Some(false) } else { split(line).map(|_| true) }),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

fn is_digest(word: &[u8]) -> bool {
    is_long_hex(word) || is_short(word)
}

fn is_short(word: &[u8]) -> bool {
    word.len() == 8 && is_hex(word)
}

/// Returns whether a word has the form of a digest in base32 or base64, or, if `allow_short`, that of a CRC-32.
fn is_encoded(word: &[u8], allow_short: bool) -> bool {
    let is_base64 = || (word.ends_with(b"=") || matches!(word.len(), 32 | 64)) && word.len() >= 24;
    let is_checksum =
        || allow_short && (word.len() == 7 && is_base32_of_one_case(word) || word.ends_with(b"=="));
    is_base32(word)
        || (is_base64() || is_checksum()) && (word.len() == 7 || Digest::from_base64(word).is_ok())
}

/// The digests and the name of a line.
type Split<'a> = (Vec<&'a [u8]>, &'a [u8]);

/// The number of algorithms of RHash 1.4.3.
const LIMIT: usize = 31;

/// Splits off the leading digests, each followed by a single space. With two spaces, it is a GNU
/// line whose name looks like a digest.
fn front(line: &[u8]) -> Option<Split<'_>> {
    let (mut digests, mut rest) = (Vec::new(), line);
    while let Some(end) = scan::find(rest, |byte| byte == b' ')
        && is_digest(&rest[..end])
        && rest.get(end + 1).is_some_and(|byte| !matches!(byte, b' ' | b'*'))
        && digests.len() < LIMIT
    {
        digests.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    (digests.len() > 1).then_some((digests, rest))
}

/// Splits off the trailing digests.
fn back(line: &[u8]) -> Option<Split<'_>> {
    let (mut digests, mut rest) = (Vec::new(), scan::trim_end(line));
    let mut gap = None;
    while let Some(blank) = scan::rfind(rest, scan::is_blank)
        && digests.len() < LIMIT
    {
        let (word, before) = (&rest[blank + 1..], scan::trim_end(&rest[..blank]));
        let width = rest[..=blank].len() - before.len();
        // Other encodings have the form of words, which single blanks separate.
        let is_digest = is_digest(word) || gap.unwrap_or(width) == GAP && is_encoded(word, true);
        // All gaps have the same width; a narrower one is part of the name.
        if !is_digest || before.is_empty() || width < *gap.get_or_insert(width) {
            break;
        }
        digests.push(word);
        rest = before;
    }
    digests.reverse();
    let is_of_checksums = gap == Some(GAP) && digests.iter().all(|digest| is_short(digest));
    let is_one = |digest: &&[u8]| is_long_hex(digest) || is_encoded(digest, false);
    (digests.len() > 1 && (is_of_checksums || digests.iter().any(is_one))).then_some((digests, rest))
}

/// The number of blanks before each digest that RHash writes after the name.
const GAP: usize = 2;

/// Returns whether a line has several checksums of 32 bits after the name, and no other digests.
pub(crate) fn has_only_checksums(line: &[u8]) -> bool {
    back(line).is_some_and(|(digests, _)| digests.iter().all(|digest| is_short(digest)))
}

fn split(line: &[u8]) -> Option<Split<'_>> {
    let front = front(line).filter(|(digests, _)| digests.iter().any(|digest| is_long_hex(digest)));
    front.or_else(|| back(line))
}

/// Splits a line with a single digest, which RHash writes in GNU's order.
fn alone(line: &[u8]) -> Option<Split<'_>> {
    let end = scan::find(line, |byte| byte == b' ')?;
    let name = line[end..].strip_prefix(b"  ").filter(|name| !name.is_empty())?;
    is_digest(&line[..end]).then(|| (vec![&line[..end]], name))
}

/// Writes the name first and two spaces before each digest, like RHash 1.4.3. A single digest
/// precedes the name.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let start = out.len();
    let digests: Vec<String> = entry.digests.iter().map(|(_, digest)| style.spelling.of(digest)).collect();
    match digests.as_slice() {
        [digest] => {
            out.extend_from_slice(format!("{digest}  ").as_bytes());
            out.extend_from_slice(&entry.path);
        }
        _ => {
            out.extend_from_slice(&entry.path);
            digests.iter().for_each(|digest| out.extend_from_slice(format!("  {digest}").as_bytes()));
        }
    }
    let line = &out[start..];
    let read = if is_comment(line) { None } else { split(line).or_else(|| alone(line)) };
    let same = |(found, name): Split<'_>| {
        name == entry.path
            && found.len() == digests.len()
            && found.iter().zip(&digests).all(|(a, b)| *a == b.as_bytes())
    };
    // The name may look like another digest, or begin with a byte order mark.
    let marks = [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"];
    if !read.is_some_and(same) || marks.iter().any(|mark| entry.path.starts_with(mark)) {
        return Err(Unrepresentable::Edge);
    }
    out.push(b'\n');
    Ok(())
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b";")
        || is_after_slashes(line)
        || scan::trim(line) == b"MD5\t\t\t\t\tSHA-1"
        || is_heading(line)
}

/// Returns true for the header lines of `fciv -both`.
fn is_heading(line: &[u8]) -> bool {
    let dashes = !line.is_empty() && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\t' | b'\r'));
    let (first, rest) = scan::word(scan::trim_start(line));
    dashes || first == b"MD5" && scan::trim_end(rest.strip_suffix(b"\r").unwrap_or(rest)) == b"SHA-1"
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || is_comment(line) {
        // A comment that lost its end is directly followed by the next line.
        return if line.starts_with(b";") && split(line).is_some() {
            Err(Reason::DamagedComment)
        } else {
            Ok(None)
        };
    }
    let one = || alone(line);
    let (words, name) = split(line).or_else(one).ok_or(Reason::NotALine)?;
    let is_of_rhash = line.starts_with(name);
    let digests = match is_of_rhash.then(|| of_requested(&words, options)).flatten() {
        Some(found) => found,
        None => of_lengths(&words, is_of_rhash, options),
    };
    Ok(Some(Entry { path: name.to_vec(), digests: digests?, ..Entry::default() }))
}

/// The algorithms of RHash in the order of its columns, whatever the order of its options is.
static ORDER: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    let names = "crc32 md4 md5 sha1 tiger tth btih ed2k aich whirlpool ripemd160 gost94 gost94-cryptopro has160 \
        gost12-256 gost12-512 sha224 sha256 sha384 sha512 edonr256 edonr512 sha3-224 sha3-256 sha3-384 sha3-512 \
        crc32c snefru128 snefru256 blake2s blake2b";
    names.split(' ').filter_map(|name| Spec::typed_without_name(name).ok()).collect()
});

/// Returns the digests of all columns if as many algorithms were requested, which have the order of RHash. Returns `None`
/// if the columns have other lengths.
fn of_requested(words: &[&[u8]], options: &Options) -> Option<Result<Vec<(Spec, Digest)>, Reason>> {
    let mut specs = options.requested.clone();
    let place = |spec: &Spec| {
        ORDER.iter().position(|known| {
            known.algorithm() == spec.algorithm() && known.digest_len() == spec.digest_len()
        })
    };
    specs.sort_by_key(|spec| place(spec).unwrap_or(ORDER.len()));
    if specs.len() != words.len() {
        return None;
    }
    let columns = words.iter().zip(&specs).map(|(word, spec)| in_column_of(spec, word, options));
    columns.collect::<Option<Vec<_>>>().map(|columns| columns.into_iter().collect())
}

/// Returns the digests of all columns by their lengths.
fn of_lengths(words: &[&[u8]], is_of_rhash: bool, options: &Options) -> Result<Vec<(Spec, Digest)>, Reason> {
    // RHash writes TTH and AICH always in base32.
    let has_hex = words.iter().any(|word| is_long_hex(word));
    let names = |count: usize| match (count, has_hex) {
        (24, true) => Some("tth".to_owned()),
        (20, true) => Some("aich".to_owned()),
        _ => usual(count).map(|spec| spec.to_string()),
    };
    let mut digests: Vec<(Spec, Digest)> = Vec::new();
    for word in words {
        let bytes = radix::base32(word).filter(|_| !is_digest(word) && is_base32_of_one_case(word));
        let found = match bytes.filter(|_| options.expected().is_empty()) {
            Some(bytes) => match names(bytes.len()) {
                Some(name) => of_bytes(&name, &bytes, options)?,
                None => return Err(unknown_columns(words, is_of_rhash)),
            },
            None => untagged(word, options).map_err(|reason| match reason {
                Reason::UnknownAlgorithm { .. } if words.len() > 1 => unknown_columns(words, is_of_rhash),
                reason => reason,
            })?,
        };
        if digests.iter().any(|(spec, _)| *spec == found.0) {
            return Err(unknown_columns(words, is_of_rhash));
        }
        digests.push(found);
    }
    Ok(digests)
}

/// Returns the error for columns whose lengths do not show their algorithms, with algorithms that RHash writes in this
/// order.
fn unknown_columns(words: &[&[u8]], is_of_rhash: bool) -> Reason {
    let why = "two digests of the same length, so their algorithms cannot be determined";
    likely_algorithms(words).filter(|_| is_of_rhash).map_or(Reason::Part(why), Reason::Columns)
}

/// Returns algorithms with digests of these lengths in the order of RHash, the most common one for the first words.
fn likely_algorithms(words: &[&[u8]]) -> Option<Vec<&'static str>> {
    let has_hex = words.iter().any(|word| is_long_hex(word));
    let fits = |word: &[u8], at: usize| {
        let bytes = ORDER[at].digest_len();
        let is_in_base32 = has_hex && matches!(ORDER[at].algorithm().name(), "tth" | "aich");
        match is_digest(word) {
            true => word.len() == 2 * bytes && !is_in_base32,
            false => word.len() == (8 * bytes).div_ceil(5) || word.len() == base64_len(bytes) && !has_hex,
        }
    };
    // The first algorithm after those of the words, if each word has the first one that fits.
    let end_of = |words: &[&[u8]], begin: usize| {
        let next = |begin: usize, word: &&[u8]| Some((begin..ORDER.len()).find(|&at| fits(word, at))? + 1);
        words.iter().try_fold(begin, next)
    };
    let (mut names, mut begin) = (Vec::new(), 0);
    for (index, word) in words.iter().enumerate() {
        let is_possible = |at: &usize| fits(word, *at) && end_of(&words[index + 1..], at + 1).is_some();
        let rank = |at: &usize| likelihood(&ORDER[*at]).unwrap_or(usize::MAX);
        let at = (begin..ORDER.len()).filter(is_possible).min_by_key(rank)?;
        names.push(ORDER[at].algorithm().name());
        begin = at + 1;
    }
    Some(names)
}
