//! Benchmark definitions: what is measured, with which engines, against which expected digests.
//!
//! Definitions are TOML (`benchmarks/definitions/`), built into the program and replaceable with `--definition FILE`, so a
//! user adds an engine or a size without building anything. They are parsed into the types below, then checked.

use crate::Error;
use crate::quantity::parse_bytes;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use truesum_hash::{ALGORITHMS, Spec};

/// The definition of each model, as built in.
const ALGORITHMS_TOML: &str = include_str!("../../../benchmarks/definitions/algorithms.toml");
const TOOLS_TOML: &str = include_str!("../../../benchmarks/definitions/tools.toml");
const IO_TOML: &str = include_str!("../../../benchmarks/definitions/io.toml");
const LIMIT_TOML: &str = include_str!("../../../benchmarks/definitions/limit.toml");
const TREE_TOML: &str = include_str!("../../../benchmarks/definitions/tree.toml");

/// A definition of any model.
#[derive(Debug, Deserialize)]
#[serde(tag = "model", rename_all = "lowercase")]
pub enum Definition {
    /// `bench algorithms`.
    Algorithms(Algorithms),
    /// `bench tools`.
    Tools(Tools),
    /// `bench io`.
    Io(Io),
    /// `bench limit`.
    Limit(Limit),
    /// `bench tree`.
    Tree(Tree),
}

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Time for the whole run, in seconds.
    pub seconds: f64,
    /// The same with `--quick`.
    pub quick_seconds: f64,
    /// How often each point is visited.
    pub rounds: usize,
    /// The same with `--quick`.
    pub quick_rounds: usize,
}

/// Bytes in memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// How they are made; `xorshift64*` is the one way there is.
    pub generator: String,
    /// Its seed, not zero.
    pub seed: u64,
    /// Message sizes.
    pub sizes: Vec<Bytes>,
    /// The same with `--quick`.
    pub quick_sizes: Vec<Bytes>,
    /// The message that rates are given for.
    pub rate_size: Bytes,
    /// One message of a batch.
    pub batch_size: Bytes,
}

/// A number of bytes, written as `32 KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_bytes(&text).map(Bytes).ok_or_else(|| serde::de::Error::custom(format!("'{text}' is no size")))
    }
}

/// Algorithms by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// The word `all`: every row of the table.
    All(All),
    /// These; names the table lacks are skipped, so that a definition outlives a table.
    Named(Vec<String>),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum All {
    /// Every row.
    All,
}

impl Choice {
    /// The algorithms meant.
    pub fn specs(&self) -> Vec<Spec> {
        match self {
            Choice::All(All::All) => ALGORITHMS.iter().map(Spec::new).collect(),
            Choice::Named(names) => names.iter().filter_map(|name| name.parse().ok()).collect(),
        }
    }
}

/// Which algorithms are measured how closely.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algorithmic {
    /// Those whose rate is measured.
    pub rate: Choice,
    /// Those measured by size, way of calling, kernel and threads.
    pub detail: Choice,
    /// Both, with `--quick`.
    pub quick: Choice,
}

/// A program that is measured beside truesum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name in tables.
    pub name: String,
    /// The command that tells its version; the first line of its output is kept. Its first word must be on PATH for the
    /// engine to run.
    pub version: Vec<String>,
    /// How to get it.
    pub get: String,
    /// What favours it or not.
    #[serde(default)]
    pub bias: String,
    /// The command with its placeholders: `{algorithm}`, `{dir}`, `{out}`, `{threads}`, `{bytes}`, `{seconds}`, `{file}`,
    /// `{leaf}`. A word that is one placeholder with spaces in its value becomes several words.
    pub command: Vec<String>,
    /// The command to check instead, where the output of [`Engine::command`] cannot be read: of several processes that
    /// write to one place, lines mix.
    #[serde(default)]
    pub check: Vec<String>,
    /// The command that prints the digest of its standard input.
    #[serde(default)]
    pub digest: Vec<String>,
    /// Whether standard output is the manifest (otherwise the command writes `{out}` itself).
    #[serde(default)]
    pub stdout: bool,
    /// Where the command runs; empty for the current directory.
    #[serde(default)]
    pub directory: String,
    /// How it spells the digests of an algorithm, where not in hexadecimal.
    #[serde(default)]
    pub spelling: BTreeMap<String, Spelling>,
    /// Exit statuses that mean success beside 0.
    #[serde(default)]
    pub accept: Vec<i32>,
    /// Whether it is truesum itself, which has every algorithm of the table under its own name.
    #[serde(default)]
    pub own: bool,
    /// Our name of an algorithm to its name there.
    #[serde(default)]
    pub algorithms: BTreeMap<String, String>,
}

/// How a digest is spelled in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spelling {
    /// Hexadecimal of either case.
    #[default]
    Hex,
    /// RFC 4648 base32 without padding, of either case.
    Base32,
    /// A decimal number.
    Decimal,
}

/// `model = "algorithms"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algorithms {
    /// What it is, in one line.
    pub summary: String,
    /// The messages.
    pub input: Memory,
    /// The algorithms.
    pub algorithms: Algorithmic,
    /// How long.
    pub effort: Effort,
    /// Digests of one message of [`Memory::rate_size`], in hexadecimal, from other programs.
    pub expected: BTreeMap<String, String>,
    /// Engines for `--compare`.
    #[serde(default)]
    pub engine: Vec<Engine>,
}

/// `model = "tools"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// What it is, in one line.
    pub summary: String,
    /// Algorithms measured with `--quick`.
    pub quick: Vec<String>,
    /// How long; the rounds are runs of each command.
    pub effort: Effort,
    /// The command that writes `{manifest}`, where engines verify one instead of writing one.
    #[serde(default)]
    pub manifest: Vec<String>,
    /// The programs, in the order of the report's sections.
    pub engine: Vec<Engine>,
}

/// `model = "io"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Io {
    /// What it is, in one line.
    pub summary: String,
    /// How long.
    pub effort: Effort,
    /// What is done with the bytes; `none` sums them up.
    pub hashes: Vec<String>,
    /// The read strategies.
    pub engine: Vec<Strategy>,
}

/// A way to read a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name in tables.
    pub name: String,
    /// What it does.
    pub method: crate::io::Method,
    /// Bytes of one request or window.
    pub buffer: Bytes,
    /// Requests in flight for each thread.
    #[serde(default = "one")]
    pub depth: usize,
    /// Whether `--quick` measures it.
    #[serde(default)]
    pub quick: bool,
    /// What favours it or not.
    #[serde(default)]
    pub bias: String,
}

fn one() -> usize {
    1
}

/// `model = "limit"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// What it is, in one line.
    pub summary: String,
    /// How long.
    pub effort: Effort,
    /// The algorithms to judge.
    pub algorithms: Choice,
    /// Size of the file made to measure a directory's device.
    pub probe: Bytes,
    /// The same with `--quick`.
    pub quick_probe: Bytes,
}

/// `model = "tree"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// What it is, in one line.
    pub summary: String,
    /// How long.
    pub effort: Effort,
    /// Hashes of the leaves.
    pub hashes: Vec<String>,
    /// Leaf sizes.
    pub leaves: Vec<Bytes>,
    /// The same with `--quick`.
    pub quick_leaves: Vec<Bytes>,
    /// Engines beside truesum.
    #[serde(default)]
    pub engine: Vec<Engine>,
}

/// Reads a definition of the model `T`: the file if one is given, what is built in otherwise.
fn read<T>(
    file: Option<&Path>,
    built_in: &str,
    model: &str,
    pick: impl FnOnce(Definition) -> Option<T>,
) -> Result<T, Error> {
    let (text, name) = match file {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|why| Error::file(path, "reading", &why))?;
            (text, path.display().to_string())
        }
        None => (built_in.to_owned(), format!("built-in {model}.toml")),
    };
    let definition: Definition = toml::from_str(&text).map_err(|why| Error(format!("{name}: {why}")))?;
    pick(definition).ok_or_else(|| Error(format!("{name}: the model is not \"{model}\"")))
}

macro_rules! reader {
    ($name:ident, $variant:ident, $text:ident, $word:literal) => {
        impl $variant {
            #[doc = concat!("Reads a definition with `model = \"", $word, "\"`; the built-in one without a file.")]
            ///
            /// # Errors
            /// The file cannot be read or is no such definition.
            pub fn read(file: Option<&Path>) -> Result<$variant, Error> {
                read(file, $text, $word, |definition| match definition {
                    Definition::$variant(found) => Some(found),
                    _ => None,
                })
            }
        }
    };
}
reader!(algorithms, Algorithms, ALGORITHMS_TOML, "algorithms");
reader!(tools, Tools, TOOLS_TOML, "tools");
reader!(io, Io, IO_TOML, "io");
reader!(limit, Limit, LIMIT_TOML, "limit");
reader!(tree, Tree, TREE_TOML, "tree");

impl Engine {
    /// The command with its placeholders filled in. An unknown placeholder stays as it is: `find` has its own `{}`.
    pub fn command(&self, values: &[(&str, &str)]) -> Vec<String> {
        fill(&self.command, values)
    }

    /// How it spells the digests of an algorithm.
    pub fn spelling(&self, algorithm: &str) -> Spelling {
        self.spelling.get(algorithm).copied().unwrap_or_default()
    }
}

/// Fills placeholders in words; a word that is one placeholder becomes as many words as its value has.
pub fn fill(words: &[String], values: &[(&str, &str)]) -> Vec<String> {
    let mut filled = Vec::new();
    for word in words {
        let inner = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match inner.and_then(|name| values.iter().find(|(key, _)| *key == name)) {
            // A path may hold spaces; an algorithm's options are several words.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn built_in_definitions_are_valid() {
        assert!(!Algorithms::read(None).unwrap().expected.is_empty());
        assert!(!Tools::read(None).unwrap().engine.is_empty());
        assert!(!Io::read(None).unwrap().engine.is_empty());
        assert!(!Limit::read(None).unwrap().algorithms.specs().is_empty());
        assert!(!Tree::read(None).unwrap().leaves.is_empty());
    }

    #[test]
    fn engines_have_unique_names_and_say_how_to_get_them() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/definitions"));
        for file in ["tools", "arrangements", "verify"] {
            let tools = Tools::read(Some(&folder.join(file).with_extension("toml"))).unwrap();
            let mut names = HashSet::new();
            for engine in &tools.engine {
                assert!(names.insert(&engine.name), "{} stands twice", engine.name);
                assert!(!engine.get.is_empty() && !engine.version.is_empty() && !engine.command.is_empty());
                assert_eq!(engine.own, engine.algorithms.is_empty(), "{}", engine.name);
                let needed = if tools.manifest.is_empty() { "{out}" } else { "{manifest}" };
                let writes = engine.stdout || engine.command.iter().any(|word| word.contains(needed));
                assert!(writes, "{}: its manifest goes nowhere", engine.name);
            }
        }
    }

    #[test]
    fn the_known_write_ups_table_is_covered() {
        let tools = Tools::read(None).unwrap();
        let count = |name: &str| tools.engine.iter().find(|e| e.name == name).map(|e| e.algorithms.len());
        assert_eq!(count("cfv"), Some(7));
        assert_eq!(count("rhash"), Some(31));
        assert_eq!(count("find -exec"), Some(5));
    }

    #[test]
    fn placeholders_are_filled_and_others_stay() {
        let words = ["find", "{dir}", "-exec", "{algorithm}", "{}", "+{threads}"].map(str::to_owned);
        let values = [("dir", "/a b"), ("algorithm", "cksum -a sm3"), ("threads", "2")];
        assert_eq!(fill(&words, &values), ["find", "/a b", "-exec", "cksum", "-a", "sm3", "{}", "+2"]);
    }

    #[test]
    fn mistakes_in_a_definition_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mine.toml");
        std::fs::write(&path, "model = \"tools\"\nsummary = 1\n").unwrap();
        let error = Tools::read(Some(&path)).unwrap_err().to_string();
        assert!(error.contains("mine.toml"), "{error}");
        std::fs::write(&path, ALGORITHMS_TOML).unwrap();
        let error = Tools::read(Some(&path)).unwrap_err().to_string();
        assert!(error.contains("the model is not \"tools\""), "{error}");
    }
}
