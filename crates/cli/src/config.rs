//! From arguments to a checked plan: everything that can be refused is refused here, before a byte is read.

use crate::args::{CheckArgs, HashArgs, RunArgs, SelectArgs};
use crate::console::colors;
use crate::progress::Line;
use crate::report::{self, Detail};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::{ALGORITHMS, Digest, Lengths, Spec};
use truesum::manifest::{self, Entry, Format, Spelling, Style};
use truesum::{Order, Special, walk};

/// Why a command cannot be carried out as asked, and what the user can do.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(text: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: None }
    }

    /// A refusal with advice.
    pub fn with_hint(text: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: Some(hint.into()) }
    }
}

/// What `hash` is to do.
pub struct Hashing {
    pub specs: Arc<[Spec]>,
    pub inputs: Inputs,
    pub walk: walk::Options,
    pub form: Form,
    pub output: Option<PathBuf>,
    /// The folder that names are written relative to; `None` leaves them as they were given.
    pub root: Option<PathBuf>,
    pub order: Order,
    pub tell: Tell,
}

/// Where the names of files come from.
#[derive(Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The command line.
    Named(Vec<Vec<u8>>),
    /// A file of names, each ended by this byte; `-` is standard input.
    Listed(PathBuf, u8),
}

/// How digests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As entries of a manifest.
    Entries(&'static Format, Style),
    /// As bytes.
    Raw,
}

/// How much is told while a run goes on, and how many threads it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tell {
    pub line: Line,
    pub notes: bool,
    pub verbose: bool,
    pub threads: usize,
}

/// Checks the arguments of `hash`.
///
/// # Errors
/// They contradict each other, or ask for what does not exist.
pub fn hash(args: HashArgs) -> Result<Hashing, Refusal> {
    let specs = specs(args.algorithm.clone(), args.length)?;
    let form = form(&args, &specs)?;
    let inputs = inputs(args.files, &args.select)?;
    if form == Form::Raw {
        one_file(&inputs)?;
    }
    let root = match (args.root, &args.output) {
        (Some(root), _) => Some(root),
        (None, Some(output)) => Some(folder_of(output)),
        (None, None) => None,
    };
    let root = match root {
        None => None,
        Some(root) => Some(std::fs::canonicalize(&root).map_err(|error| {
            let root = manifest::path::display_safe(root.as_os_str().as_bytes());
            Refusal::new(format!("{root}: cannot open: {}", truesum::error::io_reason(&error)))
        })?),
    };
    Ok(Hashing {
        specs: specs.into(),
        inputs,
        walk: walk_options(args.select),
        form,
        output: args.output,
        root,
        order: if args.unordered { Order::AsReady } else { Order::Stable },
        tell: tell(&args.run, args.quiet)?,
    })
}

/// What `check` is to do.
pub struct Checking {
    pub manifests: Vec<Vec<u8>>,
    /// Instead of manifests: one digest, and the file that must have it.
    pub expect: Option<(Expected, Vec<u8>)>,
    pub algorithms: Vec<Spec>,
    /// Where names are looked for; `None` is each manifest's own folder.
    pub root: Option<PathBuf>,
    pub format: Option<&'static Format>,
    pub ignore_missing: bool,
    pub exact: bool,
    /// Whether files that no entry lists are looked for.
    pub search: bool,
    pub require: Vec<Vec<u8>>,
    pub strict: bool,
    /// Whether every malformed line is named.
    pub warn: bool,
    pub allow_outside: bool,
    pub allow_weak: bool,
    pub special: Special,
    pub order: Order,
    pub form: report::Form,
    /// Whether and how damage is located in files that fail.
    pub locate: Option<Locating>,
    pub tell: Tell,
}

/// How damage is located.
pub struct Locating {
    /// Where the stored trees are, if not beside the files.
    pub trees: Option<PathBuf>,
    /// Whether a picture is drawn.
    pub map: bool,
    /// Where a page of all files is written.
    pub page: Option<PathBuf>,
}

impl Checking {
    /// How much is said of entries.
    pub fn detail(&self) -> Detail {
        match self.form {
            report::Form::Text { detail, .. } => detail,
            report::Form::Json => Detail::All,
        }
    }
}

/// A digest given by hand.
#[derive(Debug)]
pub struct Expected {
    pub spec: Spec,
    pub digest: Digest,
    /// Whether only its length told the algorithm.
    pub guessed: bool,
}

/// Checks the arguments of `check`.
///
/// # Errors
/// They contradict each other, or ask for what does not exist.
pub fn check(args: CheckArgs) -> Result<Checking, Refusal> {
    let detail = match (args.quiet, args.status) {
        (_, true) => Detail::None,
        (true, _) => Detail::Bad,
        _ => Detail::All,
    };
    let form = if args.json {
        report::Form::Json
    } else {
        report::Form::Text { detail, colors: colors(args.run.color, &std::io::stdout()) }
    };
    let manifests: Vec<Vec<u8>> = args.manifests.into_iter().map(OsString::into_vec).collect();
    let expect = match args.expect {
        None => None,
        Some(text) => {
            let [file] = &manifests[..] else {
                return Err(Refusal::new("--expect: a digest is that of one file"));
            };
            Some((expected(&text, &args.algorithm, args.allow_weak)?, file.clone()))
        }
    };
    Ok(Checking {
        manifests,
        search: expect.is_none() && (args.exact || (!args.ignore_missing && detail == Detail::All)),
        expect,
        algorithms: args.algorithm,
        root: args.root,
        format: args.format,
        ignore_missing: args.ignore_missing,
        exact: args.exact,
        require: args.require.into_iter().map(OsString::into_vec).collect(),
        strict: !args.lenient,
        warn: args.warn,
        allow_outside: args.allow_outside,
        allow_weak: args.allow_weak,
        special: if args.special { Special::Read } else { Special::Refuse },
        order: if args.unordered { Order::AsReady } else { Order::Stable },
        form,
        locate: args.locate.then_some(Locating { trees: args.trees, map: args.map, page: args.map_html }),
        tell: tell(&args.run, args.quiet || args.status)?,
    })
}

/// Reads a digest as web pages show it: `DIGEST`, or `NAME:DIGEST`, in hexadecimal or base64.
fn expected(text: &str, asked: &[Spec], allow_weak: bool) -> Result<Expected, Refusal> {
    let text = text.trim();
    let (named, digits) = match text.split_once(':') {
        Some((name, digits)) => {
            let spec = name.trim().parse().map_err(|error| Refusal::new(format!("--expect: {error}")))?;
            (Some(spec), digits.trim())
        }
        None => (None, text),
    };
    // A line of a manifest is the same question, with the same care about lengths.
    let mut options = manifest::Options { allow_weak, asked: asked.to_vec(), ..manifest::Options::default() };
    if let Some(spec) = named {
        options.asked = vec![spec];
    }
    options.format = manifest::format("gnu");
    let guessed = options.asked.is_empty();
    let line = format!("{digits}  file\n");
    match manifest::Reader::new(line.as_bytes(), options).next() {
        Some(Ok(line)) if line.entry.path == b"file" && line.entry.digests.len() == 1 => {
            let (spec, digest) = line.entry.digests[0].clone();
            Ok(Expected { spec, digest, guessed })
        }
        Some(Err(manifest::ReadError::Line(error))) => Err(no_digest(&error.reason.to_string())),
        _ => Err(no_digest("not a digest")),
    }
}

fn no_digest(why: &str) -> Refusal {
    Refusal::with_hint(format!("--expect: {why}"), "-a NAME, or NAME:DIGEST, tells the algorithm")
}

/// What is told, by the options every command has.
///
/// # Errors
/// No thread at all.
pub fn tell(args: &RunArgs, quiet: bool) -> Result<Tell, Refusal> {
    if args.threads == Some(0) {
        return Err(Refusal::new("-j 0: at least one thread is needed"));
    }
    let drawn = !quiet && !args.no_progress && std::io::stderr().is_terminal();
    Ok(Tell {
        line: if drawn { Line::Drawn } else { Line::Hidden },
        notes: !quiet,
        verbose: args.verbose,
        threads: args.threads.unwrap_or(0),
    })
}

/// The algorithms asked for, each once, at the length asked for.
fn specs(asked: Vec<Spec>, bits: Option<usize>) -> Result<Vec<Spec>, Refusal> {
    let mut specs: Vec<Spec> = Vec::new();
    for spec in asked {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    if specs.is_empty() {
        let row = ALGORITHMS.iter().find(|row| row.name == DEFAULT).expect("the default is a row");
        specs.push(Spec::new(row));
    }
    let Some(bits) = bits else { return Ok(specs) };
    if specs.iter().all(|spec| spec.algorithm().lengths == Lengths::Fixed) {
        let name = specs[0].algorithm().name;
        return Err(Refusal::with_hint(
            format!("--length {bits}: the length of {name} is fixed"),
            "blake2b, blake3 and shake have lengths to choose from: truesum list algorithms",
        ));
    }
    let with_bits = |spec: Spec| match spec.algorithm().lengths {
        Lengths::Fixed => Ok(spec),
        _ => spec.with_bits(bits).map_err(|error| Refusal::new(format!("--length {bits}: {error}"))),
    };
    specs.into_iter().map(with_bits).collect()
}

/// The algorithm where none is asked for.
const DEFAULT: &str = "sha256";

fn form(args: &HashArgs, specs: &[Spec]) -> Result<Form, Refusal> {
    if args.raw {
        return Ok(Form::Raw);
    }
    let name = match (args.json, args.tag, args.zero) {
        (true, _, _) => "jsonl",
        (_, true, true) => "bsd-z",
        (_, true, false) => "bsd",
        (_, false, true) => "gnu-z",
        (_, false, false) => "gnu",
    };
    let format = args.format.or_else(|| manifest::format(name)).expect("formats named here are rows");
    let spelling = match (args.base64, args.uppercase) {
        (true, _) => Spelling::Base64,
        (_, true) => Spelling::HexUpper,
        _ => Spelling::Hex,
    };
    let style = Style { spelling, ..Style::default() };
    // What the format cannot hold is better said now than of every file.
    if specs.len() > 1 {
        let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(b""))).collect();
        let entry = Entry { path: b"file".to_vec(), digests, ..Entry::default() };
        manifest::append(&entry, format, &style, &mut Vec::new())
            .map_err(|why| Refusal::with_hint(format!("{}: {why}", format.name), "--tag or --json can"))?;
    }
    Ok(Form::Entries(format, style))
}

fn inputs(files: Vec<OsString>, select: &SelectArgs) -> Result<Inputs, Refusal> {
    let inputs = match (&select.files_from, &select.files0_from) {
        (Some(list), _) => Inputs::Listed(list.clone(), b'\n'),
        (_, Some(list)) => Inputs::Listed(list.clone(), 0),
        _ if files.is_empty() => Inputs::Named(vec![b"-".to_vec()]),
        _ => Inputs::Named(files.into_iter().map(OsString::into_vec).collect()),
    };
    Ok(inputs)
}

fn one_file(inputs: &Inputs) -> Result<(), Refusal> {
    match inputs {
        Inputs::Named(files)
            if files.len() == 1 && !Path::new(&OsString::from_vec(files[0].clone())).is_dir() =>
        {
            Ok(())
        }
        _ => Err(Refusal::new("--raw: bytes without names can be those of one file only")),
    }
}

fn walk_options(select: SelectArgs) -> walk::Options {
    walk::Options {
        follow: select.follow,
        one_file_system: select.one_file_system,
        special: if select.special { Special::Read } else { Special::Refuse },
        include: select.include,
        exclude: select.exclude,
        gitignore: select.gitignore,
    }
}

/// The folder a file is in.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Command};

    fn hashing(words: &[&str]) -> Result<Hashing, Refusal> {
        let words = ["truesum", "hash"].iter().chain(words).map(OsString::from).collect();
        match args::parse(words).unwrap_or_else(|error| panic!("{error}")).command {
            Command::Hash(args) => hash(args),
            _ => panic!("not hash"),
        }
    }

    #[test]
    fn lengths_go_to_the_algorithms_that_have_them() {
        let plan =
            hashing(&["-a", "sha256,blake2b", "-l", "128", "--tag", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(plan.specs.iter().map(Spec::tag).collect::<Vec<_>>(), ["SHA256", "BLAKE2b-128"]);
        assert!(hashing(&["-a", "sha256", "-l", "128", "f"]).is_err());
        assert!(hashing(&["-a", "blake2b", "-l", "129", "f"]).is_err());
    }

    #[test]
    fn lines_without_tags_are_refused_where_they_could_not_be_read_back() {
        assert!(hashing(&["-a", "sha256,md5,crc32", "f"]).is_ok());
        assert!(hashing(&["-a", "sha256,blake3", "f"]).is_err());
        assert!(hashing(&["-a", "sha256,blake3", "--tag", "f"]).is_ok());
        assert!(hashing(&["-a", "blake3", "f"]).is_ok());
    }

    #[test]
    fn raw_bytes_are_those_of_one_file() {
        assert!(hashing(&["--raw", "a"]).is_ok());
        assert!(hashing(&["--raw", "a", "b"]).is_err());
        assert!(hashing(&["--raw", "/"]).is_err());
    }

    #[test]
    fn algorithms_asked_for_twice_are_computed_once() {
        let plan = hashing(&["-a", "md5,sha512,md5", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(plan.specs.len(), 2);
    }
}
