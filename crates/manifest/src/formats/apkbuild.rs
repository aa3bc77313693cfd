//! `APKBUILD` of Alpine Linux: GNU lines in a string, one for each source. The file is not executed.

use crate::digest::{contains_like, is_gnu_line, is_long_hex, tagged};
use crate::formats::prelude::*;

pub(crate) static APKBUILD: Format = Format {
    name: "apkbuild",
    file_names: &["apkbuild"],
    summary: "checksums of the sources in an APKBUILD of Alpine Linux; the file is not executed",
    sniff: |head| {
        let is_script = head.lines(b'\n').any(|line| line.starts_with(b"pkgname="));
        is_script.then(|| head.marked(|line| opening(line).is_some()))?
    },
    syntax: Syntax::Shell,
    reading: Reading::lines(|options| Box::new(Script { options: options.clone(), algorithm: None })),
    ..Format::DEFAULT
};

/// The variables with checksums, and their algorithms.
const SUMS: &[(&str, &str)] =
    &[("sha512sums", "sha512"), ("sha256sums", "sha256"), ("sha1sums", "sha1"), ("md5sums", "md5")];

/// Returns the algorithm of a string that begins on this line, the quotation mark, and the rest of the line.
fn opening(line: &[u8]) -> Option<(&'static str, u8, &[u8])> {
    let line = scan::trim_start(line);
    SUMS.iter().find_map(|(key, algorithm)| {
        let rest = line.strip_prefix(key.as_bytes())?;
        match rest.strip_prefix(b"+").unwrap_or(rest).strip_prefix(b"=")? {
            [quote @ (b'"' | b'\''), rest @ ..] => Some((*algorithm, *quote, rest)),
            _ => None,
        }
    })
}

struct Script {
    options: Options,
    /// The algorithm and the quotation mark of the open string.
    algorithm: Option<(&'static str, u8)>,
}

impl Parse for Script {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let text = match (self.algorithm, opening(line)) {
            (None, Some((algorithm, quote, rest))) => {
                self.algorithm = Some((algorithm, quote));
                rest
            }
            (Some(_), Some(_)) => return Err(Reason::Part("an unterminated string of checksums")),
            (Some(_), None) => line,
            // Git commits have 40 digits.
            (None, None) => {
                let is_long = |word: &[u8]| word.len() != 40 && is_long_hex(word);
                let words = line.split(|byte| !byte.is_ascii_hexdigit());
                scan::count(line.len());
                let is_lost = !line.starts_with(b"#") && words.clone().any(is_long);
                return if is_lost || is_gnu_line(line) { Err(Reason::NotALine) } else { Ok(None) };
            }
        };
        let Some((algorithm, quote)) = self.algorithm else { return Ok(None) };
        let (text, rest) = match scan::cut(text, quote) {
            Some((text, rest)) => {
                self.algorithm = None;
                (text, rest)
            }
            None => (text, &b""[..]),
        };
        if contains_like(rest) {
            return Err(Reason::NotALine);
        }
        let text = scan::trim(text);
        if text.is_empty() {
            return Ok(None);
        }
        let (digest, name) = scan::word(text);
        let (spec, digest) = tagged(algorithm, digest, &self.options).map_err(|reason| reason.of(name))?;
        // A backslash, a variable or a command is for the shell.
        match name.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\')) {
            true => Err(Reason::Part("only a shell can expand the name").of(name)),
            false => Ok(Some(Entry::new(name, spec, digest))),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        match self.algorithm {
            Some(_) => Err(Reason::Part("an unterminated string of checksums")),
            None => Ok(None),
        }
    }
}
