//! Names on malformed lines of a manifest: such a file is in the manifest and not new.
//!
//! Anything may be wrong with a malformed line, so it is not parsed but searched for the name, in the spellings of all
//! formats. In case of doubt the name counts as found, and then nothing is written.

use super::outcome::Action;
use crate::audit::comparison::{Comparison, FOUND};
use crate::audit::row::Row;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::PathBuf;
use truesum_fs::name::OsStrExt;
use truesum_manifest::{Format, Place};

/// Returns a file that would be added and whose name is on one of the lines at these positions.
///
/// # Errors
/// Fails if the manifest could not be read again.
pub(super) fn listed(
    comparison: &Comparison<'_>,
    decisions: &[(Row, Action)],
    places: &BTreeSet<Place>,
    mut manifest: impl Read,
    format: &Format,
) -> io::Result<Option<PathBuf>> {
    let named = |(_, action): &&(Row, Action)| matches!(action, Action::Added | Action::Renamed);
    if places.is_empty() || !decisions.iter().any(|row| named(&row)) {
        return Ok(None);
    }
    let mut text = Vec::new();
    manifest.read_to_end(&mut text)?;
    let lines = unused(text, places);
    let bases = format.name().contains("mtree");
    let found = decisions.iter().filter(named).map(|(row, _)| comparison.sets[FOUND].name(row.at[FOUND]));
    let mut listed = found.filter(|name| {
        let base = name.rsplit(|&byte| byte == b'/').next().filter(|_| bases).unwrap_or(name);
        lines.iter().any(|line| is_name_on_line(line, name) || is_name_on_line(line, base))
    });
    Ok(listed.next().map(|name| PathBuf::from(OsStr::from_bytes(name))))
}

/// Returns the lines at these positions; for a document without lines, all of it.
fn unused(mut text: Vec<u8>, places: &BTreeSet<Place>) -> Vec<Vec<u8>> {
    let wide = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    if wide {
        text.retain(|&byte| byte != 0);
    }
    if places.iter().any(|place| matches!(place, Place::Byte(_))) {
        return vec![text];
    }
    let end = if text.contains(&0) { 0 } else { b'\n' };
    let numbered = (1..).zip(text.split(|&byte| byte == end));
    numbered.filter(|(at, _)| places.contains(&Place::Line(*at))).map(|(_, line)| line.to_vec()).collect()
}

/// Returns whether a name is on a line, literally or in the spelling of some format.
fn is_name_on_line(line: &[u8], name: &[u8]) -> bool {
    let slashes: Vec<u8> = line.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    if is_word_of(line, name) || is_word_of(&slashes, name) {
        return true;
    }
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    if name.iter().all(|byte| is_plain(byte) || *byte == b'/') {
        return false;
    }
    // Other characters may be escaped in many ways, but not the text between them.
    let is_digest = |word: &&[u8]| word.len() >= 8 && word.iter().all(u8::is_ascii_hexdigit);
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !is_digest(word));
    let line = words.collect::<Vec<_>>().join(&b' ');
    let mut rest = &line[..];
    name.split(|byte| !is_plain(byte)).filter(|run| !run.is_empty()).all(|run| {
        match rest.windows(run.len()).position(|part| part == run) {
            Some(at) => {
                rest = &rest[at + run.len()..];
                true
            }
            None => false,
        }
    })
}

/// Returns whether a name is on a line, and is not part of a longer name.
fn is_word_of(line: &[u8], name: &[u8]) -> bool {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte) || *byte >= 0x80;
    (0..line.len().saturating_sub(name.len() - 1)).filter(|&at| line[at..].starts_with(name)).any(|at| {
        let mut before = &line[..at];
        while let Some(rest) = before.strip_suffix(b"./") {
            before = rest;
        }
        !before.last().is_some_and(goes_on) && !line.get(at + name.len()).is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_found_on_a_line_in_any_format() {
        for (line, name, stands) in [
            ("HMAC-SHA256 (a) = 5bdc", "a", true),
            ("HMAC-SHA256 (ab) = 5bdc", "a", false),
            ("5bdc  ./x/a", "x/a", true),
            ("5bdc  x/a", "a", false),
            ("5bdc *x\\a", "x/a", true),
            ("\\5bdc  a\\nb", "a\nb", true),
            ("{\"path\":\"a\",\"x\":1}", "a", true),
            ("x%20y size=1", "x y", true),
            ("x\\040y size=1", "x y", true),
            ("aabbccddaabbccdd  other", "a b", false),
            ("oops", "b", false),
        ] {
            assert_eq!(is_name_on_line(line.as_bytes(), name.as_bytes()), stands, "{line} {name}");
        }
    }
}
