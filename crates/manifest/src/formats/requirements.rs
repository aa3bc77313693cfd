//! Requirements of pip with `--hash`, whose digests do not refer to named files, and the output
//! of `pip hash`: a name and a colon, followed by a `--hash` option on the next line.

use crate::digest::labeled;
use crate::formats::prelude::*;

pub(crate) static PIP_HASH: Format = Format {
    name: "pip-hash",
    summary: "output of pip hash: a name, and its digest on the next line",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "sha384", "sha512"]),
        ..Capabilities::DIGESTS
    },
    sniff: |head| {
        let at = head.lines(b'\n').position(|line| !is_remark(line))?;
        let mut lines = head.lines(b'\n').skip(at);
        let first = lines.next().is_some_and(|line| name(without_return(line)).is_some());
        let second = lines.next().is_some_and(|line| line.starts_with(HASH));
        (first && second).then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::lines(|options| {
        Box::new(PipHash { options: options.clone(), name: None, at: Place::Line(0), here: Place::Line(0) })
    }),
    ..Format::DEFAULT
};

const HASH: &[u8] = b"--hash=";

/// The error for a name without a digest below it.
const ALONE: Reason = Reason::Part("no digest below a name");

/// Returns true for an empty line or a message of pip, which it prints to standard error.
fn is_remark(line: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"WARNING: ", b"DEPRECATION: ", b"[notice] "];
    scan::is_empty(line) || words.iter().any(|word| line.starts_with(word)) && !line.ends_with(b":")
}

/// Returns the line without a trailing carriage return.
fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn name(line: &[u8]) -> Option<&[u8]> {
    line.strip_suffix(b":").filter(|name| !name.is_empty() && !name.starts_with(b"--hash="))
}

struct PipHash {
    options: Options,
    /// The name whose digest is expected next, and its place.
    name: Option<Vec<u8>>,
    at: Place,
    here: Place,
}

impl Parse for PipHash {
    fn at(&mut self, place: Place) {
        self.here = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        scan::count(line.len());
        let line = without_return(line);
        if let Some(digest) = line.strip_prefix(HASH) {
            let path = self.name.take().ok_or(Reason::Part("a digest without a name above it"))?;
            let (tag, digest) = scan::cut(digest, b':').ok_or(Reason::NotALine)?;
            let digests = vec![labeled(tag, digest, &self.options)?];
            return Ok(Some(Entry { path, digests, ..Entry::default() }));
        }
        let waited = match name(line) {
            Some(name) => self.name.replace(name.to_vec()),
            None if is_remark(line) => return Ok(None),
            None => {
                self.name = None;
                return Err(Reason::NotALine);
            }
        };
        self.at = self.here;
        if waited.is_some() { Err(ALONE) } else { Ok(None) }
    }

    fn deferred(&mut self) -> Vec<LineResult> {
        // The line after the name, which should contain the digest.
        let at = Place::Line(self.at.number() + 1);
        self.name.take().map(|_| Err(LineError { at, reason: ALONE })).into_iter().collect()
    }
}

pub(crate) static REQUIREMENTS: Format = Format {
    name: "pip",
    file_names: &["requirements.txt"],
    summary: "pip requirements with --hash (without file names); recognized, not read",
    sniff: |head| {
        head.marked(|line| {
            let line = scan::trim_start(line);
            line.starts_with(b"--hash=") && line.contains(&b':')
                || line.windows(9).any(|part| part == b" --hash=s")
                    && line.windows(2).any(|part| part == b"==")
        })
    },
    reading: Reading::not(
        "these are pip requirements, which contain no file names; to verify the downloads: pip download \
         --require-hashes -r FILE",
    ),
    ..Format::DEFAULT
};
