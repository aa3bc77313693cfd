//! Options that may precede the name of the command, as in git, cargo and uv: `truesum -q check
//! SHA256SUMS`.

use crate::check::arguments::ReportArgs;
use crate::options::RunArgs;
use clap::{Arg, Args};
use std::ffi::{OsStr, OsString};

/// Options with the same meaning in every command that has them, in addition to those of
/// [`RunArgs`].
const OTHERS: [&str; 2] = ["quiet", "json"];

/// The global options, as defined by the commands.
pub struct Globals(Vec<Arg>);

impl Globals {
    pub fn new() -> Globals {
        let run = RunArgs::augment_args(clap::Command::new("run"));
        let report = ReportArgs::augment_args(clap::Command::new("report"));
        let others = report.get_arguments().filter(|arg| OTHERS.contains(&arg.get_id().as_str()));
        Globals(run.get_arguments().chain(others).cloned().collect())
    }

    /// Returns how many words at the beginning are global options and their values.
    pub fn leading(&self, words: &[OsString]) -> usize {
        let mut at = 0;
        while let Some(length) = words.get(at).and_then(|word| self.length(word)) {
            at += length;
        }
        at.min(words.len())
    }

    /// Removes the global options from these words.
    pub fn remove(&self, words: &mut Vec<OsString>) {
        let mut at = 0;
        while at < words.len() {
            let length = self.leading(&words[at..]);
            words.drain(at..at + length);
            at += 1;
        }
    }

    /// Returns how many words this global option takes; `None` if it is not one.
    fn length(&self, word: &OsStr) -> Option<usize> {
        let word = word.to_str()?;
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let is_it = |arg: &&Arg| {
                arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
            };
            return match (takes_value(self.0.iter().find(is_it)?), value) {
                (true, None) => Some(2),
                (false, Some(_)) => None,
                _ => Some(1),
            };
        }
        let mut letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?.chars();
        while let Some(letter) = letters.next() {
            if takes_value(self.short(letter)?) {
                return Some(if letters.as_str().is_empty() { 2 } else { 1 });
            }
        }
        Some(1)
    }

    fn short(&self, letter: char) -> Option<&Arg> {
        self.0.iter().find(|arg| arg.get_short() == Some(letter))
    }

    /// Returns whether this word means `check` if no command is given: `-c`, `--check`, or `-c`
    /// among global flags as in `-qc`.
    pub fn asks_to_check(&self, word: &OsStr) -> bool {
        let is_flag = |letter| self.short(letter).is_some_and(|arg| !takes_value(arg));
        let is_cluster = |letters: &str| {
            letters.contains('c') && letters.chars().all(|letter| letter == 'c' || is_flag(letter))
        };
        word.to_str().is_some_and(|word| word == "--check" || word.strip_prefix('-').is_some_and(is_cluster))
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Returns the rest of a word that [means `check`](Globals::asks_to_check); `None` if nothing
/// remains.
pub fn without_check(word: &OsStr) -> Option<OsString> {
    let others: String = word.to_str()?.chars().filter(|letter| *letter != 'c').collect();
    (others.len() > 1 && !others.starts_with("--")).then(|| others.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn leading_global_options_and_their_values_are_counted() {
        for (line, expected) in [
            ("-q check M", 1),
            ("-qv --json check M", 2),
            ("-j 4 --color never check M", 4),
            ("-j4 --jobs=4 --threads 4 check M", 4),
            ("-qj 4 check", 2),
            ("-qj4 check", 1),
            ("-j", 1),
            ("check -q M", 0),
            // Not global, not an option, or a flag with a value.
            ("-a md5 check", 0),
            ("-- check", 0),
            ("- check", 0),
            ("--quiet=x check", 0),
            ("--jobsx check", 0),
        ] {
            assert_eq!(Globals::new().leading(&words(line)), expected, "{line}");
        }
        let mut line = words("-q tree -j 4 verify -v");
        Globals::new().remove(&mut line);
        assert_eq!(line, words("tree verify"));
    }

    #[test]
    fn check_flag_is_found_among_combined_flags() {
        for (word, others) in [("-c", None), ("--check", None), ("-qc", Some("-q")), ("-cvq", Some("-vq"))] {
            assert!(Globals::new().asks_to_check(word.as_ref()));
            assert_eq!(without_check(word.as_ref()), others.map(OsString::from));
        }
        let none = ["-", "--", "-q", "-ca", "c", "--color", "-cj"];
        assert!(none.iter().all(|word| !Globals::new().asks_to_check(word.as_ref())));
    }

    /// The number of words that a global option takes must not depend on the command that follows.
    #[test]
    fn global_options_take_a_value_in_every_command_or_none() {
        fn compare(command: &clap::Command, seen: &mut usize) {
            for arg in command.get_arguments() {
                let globals = Globals::new();
                let same = |global: &&Arg| {
                    (arg.get_short().is_some() && global.get_short() == arg.get_short())
                        || (arg.get_long().is_some() && global.get_long() == arg.get_long())
                };
                if let Some(global) = globals.0.iter().find(same) {
                    *seen += 1;
                    assert_eq!(takes_value(arg), takes_value(global), "{} {arg}", command.get_name());
                }
            }
            command.get_subcommands().for_each(|below| compare(below, seen));
        }
        let mut seen = 0;
        compare(&super::super::definition(), &mut seen);
        assert!(seen > 50, "{seen}");
    }
}
