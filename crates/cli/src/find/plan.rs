//! Converts the options of `find` to a plan: which words are digests, and which are files and
//! folders to search.

use crate::digests::pasted::cksum;
use crate::digests::{candidates, common, cryptographic_first, without_key};
use crate::exit::Refusal;
use crate::find::arguments::FindArgs;
use crate::key::apply_key;
use crate::words::{SAME_OPTIONS, path_word};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use truesum::find::Wanted;
use truesum::hash::{Secret, Spec};
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// The digests to find and the places to search.
#[derive(Debug)]
pub struct Plan {
    pub wanted: Vec<Wanted>,
    pub places: Vec<OsString>,
    /// Number of possible algorithms that are not tried, because they are not in common use.
    pub not_tried: usize,
}

/// Interprets the arguments.
///
/// # Errors
/// Fails if a word is neither a digest nor an existing file, or if there are no digests or no
/// places.
pub fn plan(args: &FindArgs, key: Option<&Secret>) -> Result<Plan, Refusal> {
    let (digests, places) = match args.manifest.is_empty() {
        true => split(&args.words)?,
        false => (&[][..], &args.words[..]),
    };
    let requested = match digests.is_empty() {
        true => Vec::new(),
        false => apply_key(args.algorithm.clone(), key)?,
    };
    let mut not_tried = 0;
    let wanted = |text: &OsString| {
        let text = text.to_string_lossy();
        let mut readings = candidates(&text, &requested).and_then(without_key)?;
        if requested.is_empty() {
            readings = cryptographic_first(readings);
        }
        if requested.is_empty() && !args.all_algorithms {
            let (likely, left_out) = common(readings);
            readings = likely;
            not_tried = not_tried.max(left_out);
        }
        let readings = readings.into_iter().map(|found| vec![found.into_parts()]).collect();
        let size = args.size.or_else(|| cksum(&text)?.1);
        Ok(Wanted::new(text.trim().as_bytes().to_vec(), readings, size))
    };
    let wanted: Result<Vec<Wanted>, Refusal> = digests.iter().map(wanted).collect();
    Ok(Plan { wanted: wanted?, places: places.to_vec(), not_tried })
}

/// Splits the words. Digests come first, and the last word is a place. The first existing file
/// between them and everything after it are places too.
fn split(words: &[OsString]) -> Result<(&[OsString], &[OsString]), Refusal> {
    const HINT: &str = "usage: truesum find DIGEST... DIR";
    let is_there = |word: &OsStr| std::fs::symlink_metadata(Path::new(word)).is_ok() || word == "-";
    let [first, rest @ ..] = words else { return Err(Refusal::with_hint("find: no digest given", HINT)) };
    let Some(last) = rest.last() else {
        let why = match candidates(&first.to_string_lossy(), &[] as &[Spec]) {
            Ok(_) => "find: no files or folders given".to_owned(),
            Err(refusal) => refusal.text,
        };
        return Err(Refusal::with_hint(why, HINT));
    };
    let places = 1 + rest.iter().position(|word| is_there(word)).unwrap_or(rest.len() - 1);
    // Content-addressed stores name files by their digests. The last word is a place, so a folder there is meant as one.
    let is_last = |word: &OsString| std::ptr::eq(word, last);
    let both = |word: &&OsString| {
        let is_place = word.as_bytes().contains(&b'/') || is_last(word) && Path::new(word).is_dir();
        !is_place && is_there(word) && candidates(&word.to_string_lossy(), &[]).is_ok()
    };
    if let Some(word) = rest.iter().find(both) {
        // With the name of its algorithm, the word is unambiguously a digest.
        let prefixed =
            |prefix: &str, word: &OsString| -> OsString { [OsStr::new(prefix), word].into_iter().collect() };
        let named = |word: &OsString| match candidates(&word.to_string_lossy(), &[]) {
            Ok(found) if both(&word) => prefixed(&format!("{}:", found[0].spec()), word),
            _ => word.clone(),
        };
        let (goal, name): (_, &dyn Fn(&OsString) -> OsString) = match is_last(word) {
            true => ("to search the file", &|word| {
                if is_last(word) { prefixed("./", word) } else { word.clone() }
            }),
            false => ("to search for the digest", &named),
        };
        let line: Vec<String> =
            std::iter::once(first.clone()).chain(rest.iter().map(name)).map(path_word).collect();
        let kind = if Path::new(word).is_dir() { "folder" } else { "file" };
        let word = display_safe(word.as_bytes());
        return Err(Refusal::with_hint(
            format!("{word}: ambiguous: both a possible digest and an existing {kind} (./{word})"),
            format!("{goal}: truesum find{SAME_OPTIONS} {}", line.join(" ")),
        ));
    }
    if places + 1 == words.len() && !is_there(last) {
        let last = display_safe(last.as_bytes());
        return Err(Refusal::with_hint(format!("{last}: no such file or folder"), HINT));
    }
    Ok(words.split_at(places))
}

/// Returns the algorithms that are computed for every file.
pub fn tried(wanted: &[Wanted]) -> Vec<Spec> {
    let mut specs: Vec<Spec> = Vec::new();
    for (spec, _) in wanted.iter().flat_map(|wanted| wanted.readings().iter().flatten()) {
        if !specs.contains(spec) {
            specs.push(spec.clone());
        }
    }
    specs
}
