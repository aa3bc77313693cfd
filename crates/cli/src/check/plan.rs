//! From the options of `check` to a plan: everything that can be refused is refused here, before a byte is read.

use crate::check::arguments::CheckArgs;
use crate::check::report::{Detail, Form};
use crate::exit::Refusal;
use crate::options::Tell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use truesum::hash::{Digest, Spec};
use truesum::manifest::{self, Format};
use truesum::{Order, Special};

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
    pub form: Form,
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
            Form::Text { detail, .. } => detail,
            Form::Json => Detail::All,
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
pub fn plan(args: CheckArgs) -> Result<Checking, Refusal> {
    let detail = match (args.quiet, args.status) {
        (_, true) => Detail::None,
        (true, _) => Detail::Bad,
        _ => Detail::All,
    };
    let form = if args.json {
        Form::Json
    } else {
        Form::Text { detail, colors: args.run.color.on(&std::io::stdout()) }
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
        tell: args.run.tell(args.quiet || args.status)?,
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
