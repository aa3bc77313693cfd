//! Digests given by the user, with their possible interpretations or the reason why they are
//! invalid.

pub mod pasted;

use crate::exit::Refusal;
use pasted::{
    MIN_DIGITS, Mistyped, SEVERAL, bare, embedded, has_several, is_cut, is_hexadecimal, mistyped, sum_line,
};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use truesum::hash::Spec;
use truesum::hash::Status;
use truesum::manifest::identify::{
    Candidate, Encoding, Unidentified, catalogue, identify, info_hashes, likelihood, uncommon,
};
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// Returns the text if it is a digest, or else the digest in it.
fn recognized(text: &str) -> Cow<'_, str> {
    // The numbers of a line of `sum` are not one number with a blank.
    if sum_line(text).is_none() && identify(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let bare = bare(text);
    if identify(&bare).is_ok() { Cow::Owned(bare) } else { Cow::Borrowed(text) }
}

/// Returns the candidates whose algorithms need no key.
///
/// # Errors
/// Fails if all of them need one.
pub fn without_key(mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, Refusal> {
    let first = candidates.first().map(|first| first.spec().to_string());
    candidates.retain(|one| !one.spec().lacks_key());
    match first {
        Some(spec) if candidates.is_empty() => Err(Refusal::with_hint(
            format!("{spec} needs a key"),
            "to compare a file with a keyed digest: truesum check --key-file KEY DIGEST FILE",
        )),
        _ => Ok(candidates),
    }
}

/// Refuses a text that is not exactly one complete digest, although it may be valid in some encoding.
fn refuse_wrong(text: &str) -> Result<(), Refusal> {
    let shown = display_safe(text.as_bytes());
    if let Some(refusal) = mistyped_refusal(text) {
        return Err(Refusal { text: format!("{shown}: {}", refusal.text), ..refusal });
    }
    if has_several(text) {
        return Err(Refusal::with_hint(format!("{shown}: {SEVERAL}"), "specify only one of them"));
    }
    if is_cut(text) {
        let hint = embedded(text).map_or_else(|| COMPLETE.to_owned(), |digest| only(&digest));
        return Err(Refusal::with_hint(format!("{shown}: the digest is abbreviated"), hint));
    }
    Ok(())
}

/// Returns the possible interpretations of a digest, the most likely first; only those with the
/// algorithms in `requested`, if any.
///
/// # Errors
/// Fails if it is not a digest, or not one of these algorithms.
pub fn candidates(text: &str, requested: &[Spec]) -> Result<Vec<Candidate>, Refusal> {
    refuse_wrong(text)?;
    if let Some(line) = sum_line(text).filter(|_| requested.is_empty()) {
        let specs = line.algorithms().iter().filter_map(|name| name.parse().ok());
        return candidates(line.number, &specs.collect::<Vec<Spec>>());
    }
    let text = &*recognized(text);
    if requested.is_empty() {
        return identify(text).map_err(|why| refusal(text, why));
    }
    let mut found: Vec<Candidate> = Vec::new();
    for spec in requested {
        // Tried with each algorithm, for those that cannot be guessed from the length; and on its
        // own, because it may name its algorithm.
        let named = identify(&format!("{}:{}", Spec::new(spec.algorithm()), text.trim())).unwrap_or_default();
        let whole = identify(text).unwrap_or_default();
        let fits = |candidate: &Candidate| {
            let of_one = candidate.spec().algorithm().name() == spec.algorithm().name();
            of_one && candidate.digest().len() == spec.digest_len()
        };
        for candidate in named.into_iter().chain(whole).filter(fits) {
            let candidate = Candidate::new(spec.clone(), candidate.digest().clone(), candidate.encoding());
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    if found.is_empty() {
        let names: Vec<String> = requested.iter().map(Spec::to_string).collect();
        let text = display_safe(text.as_bytes());
        return Err(Refusal::new(format!("{text}: not a valid digest for {}", names.join(" or "))));
    }
    Ok(found)
}

/// Returns what can be tried for a given file: the interpretations of a digest, each CRC in the
/// catalogue, and the info hash of a torrent of the file.
///
/// # Errors
/// Fails if it is not a digest.
pub fn candidates_for_file(text: &str, name: &OsStr) -> Result<Vec<Candidate>, Refusal> {
    refuse_wrong(text)?;
    let text = &*recognized(text);
    let name = Path::new(name).file_name().unwrap_or_default();
    let more: Vec<Candidate> = [catalogue(text), info_hashes(text, name.as_bytes()), uncommon(text)].concat();
    match candidates(text, &[]) {
        Ok(found) => Ok(found.into_iter().chain(more).collect()),
        Err(_) if !more.is_empty() => Ok(more),
        Err(refusal) => Err(refusal),
    }
}

/// Removes algorithms that are not cryptographic hashes if one with that length is possible, unless
/// the digest names its algorithm: an attacker can create a file with any given checksum.
pub fn cryptographic_first(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let lengths: Vec<usize> =
        candidates.iter().filter(|one| !is_checksum(one.spec())).map(|one| one.digest().len()).collect();
    let is_kept = |one: &Candidate| !is_checksum(one.spec()) || !lengths.contains(&one.digest().len());
    candidates.into_iter().filter(is_kept).collect()
}

/// Returns true for an algorithm that is not a cryptographic hash.
pub fn is_checksum(spec: &Spec) -> bool {
    matches!(spec.algorithm().status(), Status::Checksum(_))
}

/// Keeps the candidates in common use, in the most likely encoding, and returns the number of
/// algorithms left out; all are kept if none of them is in common use.
pub fn common(candidates: Vec<Candidate>) -> (Vec<Candidate>, usize) {
    let encoding = candidates.first().map(|first| first.encoding());
    // Programs print only few checksums in decimal, and not those that are common in hexadecimal.
    let is_usual = |one: &Candidate| match one.encoding() {
        Encoding::Decimal => one.spec().algorithm().decimal().is_some_and(|decimal| decimal.usual()),
        _ => likelihood(one.spec()).is_some(),
    };
    let is_common = |one: &Candidate| Some(one.encoding()) == encoding && is_usual(one);
    if !candidates.iter().any(is_common) {
        return (candidates, 0);
    }
    let all = candidates.len();
    let common: Vec<Candidate> = candidates.into_iter().filter(is_common).collect();
    let left_out = all - common.len();
    (common, left_out)
}

/// Prefixes of directory digests, with what they cover.
const TREES: [(&str, &str); 2] = [("h1:", "a Go module"), ("swh:1:dir:", "a directory")];

/// The hint for digits that are not the digest of any algorithm.
pub const COMPLETE: &str = "copy the complete digest: MD5 has 32 digits, SHA-1 40, SHA-256 64, SHA-512 128";

/// The hint for a text that contains this digest.
fn only(digest: &str) -> String {
    format!("to identify only the digest: truesum identify {digest}")
}

/// Returns the refusal of a hexadecimal digest with a wrong letter.
pub fn mistyped_refusal(text: &str) -> Option<Refusal> {
    let Mistyped { at, letter, corrected } = mistyped(text)?;
    let hint = match corrected {
        Some(corrected) => format!("if a digit was meant, the corrected digest is {corrected}"),
        None => "copy the digest again; hexadecimal digits are 0 to 9 and a to f".to_owned(),
    };
    let why =
        format!("character {at} of the digest is the letter {letter}, which is not a hexadecimal digit");
    Some(Refusal::with_hint(why, hint))
}

/// Returns why a text is not a digest, with advice.
fn refusal(text: &str, why: Unidentified) -> Refusal {
    if let Some((_, of)) = TREES.iter().find(|(begin, _)| text.starts_with(begin)) {
        let text = display_safe(text.as_bytes());
        let hint = format!("to compare a directory with it: truesum directory --expect {text} PATH");
        return Refusal::with_hint(format!("{text}: this is the digest of {of}, not of a file"), hint);
    }
    if let Some(digest) =
        embedded(text).filter(|digest| digest.len() < text.len() && why != Unidentified::Password)
    {
        let text = format!("{}: {why}", display_safe(text.as_bytes()));
        return Refusal::with_hint(text, only(&digest));
    }
    let is_cut = is_hexadecimal(text) && text.len() >= MIN_DIGITS;
    let text = format!("{}: {why}", display_safe(text.as_bytes()));
    match why {
        _ if is_cut => Refusal::with_hint(text, COMPLETE),
        Unidentified::Password => {
            Refusal::with_hint(text, "specify the digest of a file, for example its SHA-256 digest")
        }
        Unidentified::Length(_) => {
            Refusal::with_hint(text, "check whether the digest is complete and has no extra characters")
        }
        Unidentified::Spelling | Unidentified::Named => Refusal::with_hint(
            text,
            "to list all algorithms and digest lengths: truesum list algorithms --all",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, requested: &[&str]) -> Vec<String> {
        let requested: Vec<Spec> = requested.iter().map(|name| name.parse().unwrap()).collect();
        let found = candidates(text, &requested).unwrap_or_default();
        found.iter().map(|found| format!("{} {}", found.spec(), found.encoding().name())).collect()
    }

    #[test]
    fn digest_matches_only_requested_algorithms() {
        const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
        assert!(names(MD5, &[]).len() > 3);
        assert_eq!(names(MD5, &["md5"]), ["md5 hex"]);
        assert_eq!(names(MD5, &["md4", "md5"]), ["md4 hex", "md5 hex"]);
        assert_eq!(names(MD5, &["blake2b-128"]), ["blake2b-128 hex"]);
        assert!(names(MD5, &["sha256"]).is_empty());
        assert_eq!(names("md5:d41d8cd98f00b204e9800998ecf8427e", &["md5"]), ["md5 hex"]);
        assert_eq!(names("1B2M2Y8AsgTpgAmY7PhCfg==", &["md5"]), ["md5 base64"]);
        assert_eq!(names("9dd4e461268c8034f5c8564e155c67a6-3", &["s3-etag"]), ["s3-etag hex"]);
    }
}
