//! What may be the reason when nothing at all was verified, and what to do then.

use crate::console::Console;
use truesum::hash::Spec;
use truesum::{Checked, Root, manifest};

/// Says of a manifest why nothing was verified by it.
pub fn nothing_verified(name: &[u8], checked: &Checked, console: &mut Console) {
    let had_entries = checked.entries > 0;
    let why = match (had_entries, checked.ignored) {
        (false, _) => "it has no entries",
        (true, 0) => "the run ended before",
        (true, _) => "none of the listed files is there",
    };
    console.error_of(name, &format!("nothing verified: {why}"));
    console.hint(if had_entries {
        "--root DIR looks for the files elsewhere"
    } else {
        "is this a manifest?"
    });
}

/// Says where files may be that are not where the manifest is.
pub fn missing(names: &[Vec<u8>], console: &mut Console) {
    if let Ok(here) = Root::folder(b".", false)
        && names.iter().any(|name| here.exists(name))
    {
        console.hint("the names stand under the current folder: --root . looks for them there");
    }
}

/// Says which other algorithms a digest may be of, where nothing but its length told the algorithm.
pub fn guessed(guessed: &Spec, console: &mut Console) {
    let other = |name: &&str| *name != guessed.algorithm().name;
    let names: Vec<&str> = manifest::same_length(guessed.digest_len()).into_iter().filter(other).collect();
    if let Some(first) = names.iter().find(|name| **name == "blake3").or_else(|| names.first()) {
        let digits = guessed.digest_len() * 2;
        let all = names.join(", ");
        console.hint(&format!(
            "no line names an algorithm, and {digits} digits were taken for {guessed}: \
             if this is {first}, say -a {first} (others of this length: {all})"
        ));
    }
}
