//! Hints name only options that exist: advice is shared by many commands, and not all of them have the same options.

use super::definition;
use super::guesses::{command_at, path};
use std::ffi::OsString;

/// Programs that hints mention, whose options are their own.
const OTHERS: &[&str] = &["apksigner", "cargo", "gpg", "minisign", "signify", "ulimit"];

/// Options that a command shares with others and always refuses.
const REFUSED: &[(&[&str], &str)] = &[(&["shard", "plan"], "special")];

/// Returns whether the commands in a hint have all options that the hint names for them. Options outside of a command
/// line are those of the running command, whose command line is `words`.
pub fn offers(words: &[OsString], hint: &str) -> bool {
    let all = definition();
    let running = path(words);
    let mut of = Some(running.clone());
    let mut tokens = hint.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let plain = token.trim_matches(|c: char| !(c.is_alphanumeric() || "-=".contains(c)));
        if plain == "truesum" {
            let mut below = Vec::new();
            while let Some(word) = tokens.peek().map(|word| word.trim_end_matches([',', ';'])) {
                below.push(word.to_owned());
                if command_at(&all, &below).is_none() {
                    below.pop();
                    break;
                }
                tokens.next();
            }
            of = Some(if below.is_empty() { vec!["hash".to_owned()] } else { below });
        } else if OTHERS.contains(&plain) {
            of = None;
        } else if let (Some(option), Some(of)) = (plain.strip_prefix("--"), &of) {
            let name = option.split('=').next().unwrap_or_default();
            let common = ["", "help", "help-all", "version"].contains(&name);
            let known = |arg: &clap::Arg| {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                arg.get_long() == Some(name) || aliases.contains(&name)
            };
            let is_refused = REFUSED.iter().any(|(command, option)| of == command && *option == name);
            let has = || command_at(&all, of).is_some_and(|command| command.get_arguments().any(known));
            if !common && (is_refused || !has()) {
                return false;
            }
        }
        if token.ends_with([',', ';', ')']) {
            of = Some(running.clone());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_only_options_that_the_command_has() {
        for (words, hint, expected) in [
            ("torrent create -o x d", "to write the manifest without them, use --partial", false),
            ("hash -o x d", "to write the manifest without them, use --partial", true),
            (
                "bag check d",
                "use --allow-outside to read it, or --root DIR to name a folder that contains it",
                false,
            ),
            (
                "check M",
                "use --allow-outside to read it, or --root DIR to name a folder that contains it",
                true,
            ),
            ("bag check d", "to read it: truesum hash --special, or truesum check --special", true),
            ("bag check d", "truesum check --special; otherwise use --special", false),
            ("check M", "to read devices and pipes, use --special", true),
            ("find cbf43926 d", "to read devices and pipes, use --special", false),
            ("shard plan -o p d", "to read devices and pipes, use --special", false),
            ("bag create d", "to accept modified files: truesum bag update --refresh=all --prune d", true),
            ("bag update d", concat!("to accept modified files: truesum", " bag create --refresh d"), false),
            ("check M", "the digest is sha1: gpg --verify M.asc", true),
            ("text x", "truesum -o SHA256SUMS --overwrite x", true),
            ("tree verify x", "truesum tree --help; truesum tree verify --help-all", true),
            ("list formats", "use 'cargo install --locked --path x'", true),
        ] {
            let words: Vec<OsString> =
                std::iter::once("truesum").chain(words.split(' ')).map(OsString::from).collect();
            assert_eq!(offers(&words, hint), expected, "{words:?}: {hint}");
        }
    }
}
