//! A program that is compared with truesum: its description in a definition, and whether it is installed.

use crate::measure::process;
use crate::record::{self, Missing, Record};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// A program that is compared with truesum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name in tables.
    pub name: String,
    /// The command that prints its version; the first line of its output is recorded. Its first word must be on PATH
    /// for the engine to run.
    pub version: Vec<String>,
    /// Describes how to install it.
    pub get: String,
    /// Circumstances that favor it or put it at a disadvantage.
    #[serde(default)]
    pub bias: String,
    /// The command with its placeholders: `{algorithm}`, `{dir}`, `{out}`, `{threads}`, `{bytes}`, `{seconds}`, `{file}`,
    /// `{leaf}`. A word that is one placeholder with spaces in its value becomes several words. With `{file}`, `bench
    /// tools` runs the command once for each file.
    pub command: Vec<String>,
    /// The operating systems on which the command works, by their names in [`std::env::consts::OS`]; all if empty.
    #[serde(default)]
    pub systems: Vec<String>,
    /// The command used for checking, if the output of [`Engine::command`] cannot be parsed: several processes with the
    /// same output mix their lines.
    #[serde(default)]
    pub check: Vec<String>,
    /// The command that prints the digest of its standard input.
    #[serde(default)]
    pub digest: Vec<String>,
    /// True if standard output is the manifest (otherwise the command writes `{out}` itself).
    #[serde(default)]
    pub stdout: bool,
    /// The directory in which the command runs, with placeholders; empty for the current directory.
    #[serde(default)]
    pub directory: String,
    /// The format of the digests of an algorithm, if not hexadecimal.
    #[serde(default)]
    pub spelling: BTreeMap<String, Spelling>,
    /// Exit statuses that mean success in addition to 0.
    #[serde(default)]
    pub accept: Vec<i32>,
    /// True if it is truesum itself, which has every algorithm of the table under its own name.
    #[serde(default)]
    pub own: bool,
    /// Maps our name of an algorithm to the engine's name.
    #[serde(default)]
    pub algorithms: BTreeMap<String, String>,
}

/// The format of a digest in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spelling {
    /// Hexadecimal in either case.
    #[default]
    Hex,
    /// RFC 4648 Base32 without padding, in either case.
    Base32,
    /// A decimal number.
    Decimal,
}

impl Engine {
    /// Returns the command with its placeholders filled in. An unknown placeholder is kept: `find` has its own `{}`.
    pub fn command(&self, values: &[(&str, &str)]) -> Vec<String> {
        fill(&self.command, values)
    }

    /// Returns the engine's version: the first line it prints. `None` if it, or the program that runs it, is not
    /// installed.
    fn version(&self) -> Option<String> {
        let own = own_program();
        let words = fill(&self.version, &[("self", &own)]);
        let runner = fill(&self.command[..1], &[("self", &own), ("algorithm", "sh")]);
        if !process::found(words.first()?) || !process::found(runner.first()?) {
            return None;
        }
        let output = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().map(str::trim).find(|line| line.chars().any(|c| c.is_ascii_digit()));
        Some(line.or_else(|| text.lines().next()).unwrap_or("").chars().take(120).collect())
    }

    /// Returns whether it can run here, and adds it to the record's engines, or to the missing ones unless it is for other
    /// systems.
    pub fn present(&self, record: &mut Record) -> bool {
        if !self.systems.is_empty() && !self.systems.iter().any(|system| system == std::env::consts::OS) {
            return false;
        }
        match self.version() {
            Some(_) if record.engines.iter().any(|known| known.name == self.name) => true,
            Some(version) => {
                record.engines.push(record::Engine {
                    name: self.name.clone(),
                    version,
                    command: self.command.join(" "),
                    bias: self.bias.clone(),
                });
                true
            }
            None => {
                if !record.missing.iter().any(|missing| missing.name == self.name) {
                    record.missing.push(Missing { name: self.name.clone(), get: self.get.clone() });
                }
                false
            }
        }
    }

    /// Returns the format of the digests of an algorithm.
    pub fn spelling(&self, algorithm: &str) -> Spelling {
        self.spelling.get(algorithm).copied().unwrap_or_default()
    }
}

/// Fills in placeholders; a word that is one placeholder becomes as many words as its value has.
pub fn fill(words: &[String], values: &[(&str, &str)]) -> Vec<String> {
    let mut filled = Vec::new();
    for word in words {
        let inner = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match inner.and_then(|name| values.iter().find(|(key, _)| *key == name)) {
            // A path may contain spaces; an algorithm's options are several words.
            Some(("algorithm", value)) => filled.extend(value.split(' ').map(str::to_owned)),
            Some((_, value)) => filled.push((*value).to_owned()),
            None => {
                filled.push(
                    values
                        .iter()
                        .fold(word.clone(), |word, (key, value)| word.replace(&format!("{{{key}}}"), value)),
                );
            }
        }
    }
    filled
}

/// Returns the truesum to measure: this program if it has that name, otherwise the one on PATH.
pub(crate) fn own_program() -> String {
    match std::env::current_exe() {
        Ok(path) if path.file_stem().is_some_and(|name| name == "truesum") => {
            path.to_string_lossy().into_owned()
        }
        _ => "truesum".to_owned(),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_placeholders_are_filled_and_others_kept() {
        let words = ["find", "{dir}", "-exec", "{algorithm}", "{}", "+{threads}"].map(str::to_owned);
        let values = [("dir", "/a b"), ("algorithm", "cksum -a sm3"), ("threads", "2")];
        assert_eq!(fill(&words, &values), ["find", "/a b", "-exec", "cksum", "-a", "sm3", "{}", "+2"]);
    }
}
