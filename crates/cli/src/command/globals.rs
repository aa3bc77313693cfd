//! Options that may come before the name of the command, as in git, cargo and uv: `truesum -q check SHA256SUMS`.

use std::ffi::{OsStr, OsString};

/// Flags that every command accepts or refuses by itself.
const FLAGS: [&str; 6] = ["-q", "--quiet", "-v", "--verbose", "--json", "--no-progress"];

/// Options with a value, in the word itself (`--jobs=4`, `-j4`) or in the next one.
const VALUED: [&str; 4] = ["-j", "--jobs", "--threads", "--color"];

/// Moves the name of the command before the global options that precede it, so that no option turns a command into a file name.
/// Anything else stays as it is: other options belong behind their command.
pub fn command_first(words: &mut [OsString], is_command: impl Fn(&str) -> bool) {
    let mut at = 0;
    while let Some(length) = words.get(at).and_then(|word| global(word)) {
        at += length;
    }
    if at > 0 && words.get(at).and_then(|word| word.to_str()).is_some_and(is_command) {
        words[..=at].rotate_right(1);
    }
}

/// How many words this global option takes; `None` if it is none.
fn global(word: &OsStr) -> Option<usize> {
    let word = word.to_str()?;
    if FLAGS.contains(&word) || is_cluster(word, "qv") {
        return Some(1);
    }
    VALUED.iter().find_map(|name| match word.strip_prefix(name)? {
        "" => Some(2),
        value if value.starts_with('=') || !name.starts_with("--") => Some(1),
        _ => None,
    })
}

/// Whether this is `-` and some of these letters.
fn is_cluster(word: &str, letters: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|some| !some.is_empty() && some.chars().all(|letter| letters.contains(letter)))
}

/// Whether this word means `check` where no command is named: `-c`, `--check`, and `-c` among flags of check as in `-qc`.
pub fn asks_to_check(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word == "--check" || (is_cluster(word, "cqv") && word.contains('c')))
}

/// What is left of a word that [means `check`](asks_to_check); `None` if nothing is.
pub fn without_check(word: &OsStr) -> Option<OsString> {
    let others: String = word.to_str()?.chars().filter(|letter| *letter != 'c').collect();
    (others.len() > 1 && !others.starts_with("--")).then(|| others.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(line: &str) -> String {
        let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        command_first(&mut words, |word| word == "check");
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn global_options_may_precede_the_command() {
        for (given, expected) in [
            ("-q check M", "check -q M"),
            ("-qv --json check M", "check -qv --json M"),
            ("-j 4 --color never check M", "check -j 4 --color never M"),
            ("-j4 --jobs=4 check M", "check -j4 --jobs=4 M"),
            ("check -q M", "check -q M"),
            // No global option, no command, or a word that is a value.
            ("-a md5 check", "-a md5 check"),
            ("-q file check", "-q file check"),
            ("-j check", "-j check"),
            ("-- check", "-- check"),
        ] {
            assert_eq!(moved(given), expected);
        }
    }

    #[test]
    fn check_may_be_asked_for_among_other_flags() {
        for (word, others) in [("-c", None), ("--check", None), ("-qc", Some("-q")), ("-cvq", Some("-vq"))] {
            assert!(asks_to_check(word.as_ref()));
            assert_eq!(without_check(word.as_ref()), others.map(OsString::from));
        }
        assert!(["-", "--", "-q", "-ca", "c", "--color"].iter().all(|word| !asks_to_check(word.as_ref())));
    }
}
