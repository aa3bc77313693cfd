//! Output of `gpg --print-md` and `--print-mds`: upper-case digits in groups, which continue on
//! indented lines.

use crate::digest::{is_hex, tagged, untagged};
use crate::formats::prelude::*;

pub(crate) static GPG: Format = Format {
    name: "gpg-print-md",
    summary: "output of gpg --print-md and --print-mds: digits in groups, on several lines",
    sniff,
    reading: Reading::lines(|options| Box::new(Groups { options: options.clone(), open: None })),
    ..Format::DEFAULT
};

pub(crate) static GPG_COLONS: Format = Format {
    name: "gpg-colons",
    summary: "output of gpg --with-colons --print-md: name, algorithm number, digest",
    sniff: |head| head.whole(|line| fields(line).map(|_| true)),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// The numbers of algorithms in OpenPGP (RFC 9580, section 9.5).
const NUMBERS: &[(&[u8], &str)] = &[
    (b"1", "md5"),
    (b"2", "sha1"),
    (b"3", "ripemd160"),
    (b"8", "sha256"),
    (b"9", "sha384"),
    (b"10", "sha512"),
    (b"11", "sha224"),
    (b"12", "sha3-256"),
    (b"14", "sha3-512"),
];

/// Splits a line with colons into name, algorithm and digest.
fn fields(line: &[u8]) -> Option<(&[u8], &'static str, &[u8])> {
    let mut fields = line.strip_suffix(b":")?.split(|&byte| byte == b':');
    let (name, number, digest) = (fields.next()?, fields.next()?, fields.next()?);
    let (_, tag) = NUMBERS.iter().find(|(known, _)| *known == number)?;
    (fields.next().is_none() && !name.is_empty() && is_hex(digest)).then_some((name, *tag, digest))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let (name, tag, digest) = fields(line).ok_or(Reason::NotALine)?;
    let (spec, digest) = tagged(tag, digest, options)?;
    Ok(Some(Entry::new(&radix::percent(name).ok_or(Reason::BadEscape)?, spec, digest)))
}

/// Maximum number of digits of a digest.
const MAX_DIGITS: usize = 256;

/// Returns the digits of groups, or `None` if the text contains anything else.
fn groups(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() > 2 * MAX_DIGITS {
        return None;
    }
    let mut digits = Vec::new();
    for group in text.split(|&byte| byte == b' ' || byte == b'\r').filter(|group| !group.is_empty()) {
        let whole =
            matches!(group.len(), 2 | 4 | 8) && is_hex(group) && !group.iter().any(u8::is_ascii_lowercase);
        digits.extend_from_slice(whole.then_some(group)?);
    }
    Some(digits)
}

/// Splits the first line of a digest into name, algorithm and digits.
fn split(line: &[u8]) -> Option<(&[u8], Option<&str>, Vec<u8>)> {
    let colon = scan::rfind(line, |byte| byte == b':')?;
    let (name, rest) = (&line[..colon], &line[colon + 1..]);
    if let Some(digits) = groups(rest) {
        return Some((name, None, digits));
    }
    let (tag, digits) = scan::cut(rest, b'=')?;
    let tag = std::str::from_utf8(scan::trim(tag)).ok().filter(|tag| tag.len() <= 16 && !tag.is_empty())?;
    Some((name, Some(tag), groups(digits)?))
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut first, mut digits) = (None, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        if scan::is_empty(line) {
            continue;
        }
        let more = first.is_some() && line.starts_with(b"  ") && groups(line).is_some();
        let begun = split(line).filter(|_| !more && !line.starts_with(b" "));
        digits |= begun.as_ref().is_some_and(|(.., digits)| digits.len() >= 32);
        if !more && begun.is_none() {
            return None;
        }
        first.get_or_insert(at);
    }
    digits.then_some(Claim { sign: Sign::Mark, at: first? })
}

/// A digest that may continue on the next line.
struct Open {
    name: Vec<u8>,
    tag: Option<String>,
    digits: Vec<u8>,
    /// Number of digits per group: two for MD5, four for 160-bit digests, eight for longer ones.
    group: usize,
    /// True after an invalid line, which ends the digest.
    ended: bool,
}

struct Groups {
    options: Options,
    open: Option<Open>,
}

impl Groups {
    /// Ends the current digest and returns its entry.
    fn close(&mut self) -> Option<Result<Entry, Reason>> {
        let Open { name, tag, digits, group, .. } = self.open.take()?;
        if group == 8 && digits.len() < 56 {
            return Some(Err(Reason::Part("the digest is truncated (its second line is missing)")));
        }
        let found = match tag.as_deref() {
            Some("RMD160") => tagged("ripemd160", &digits, &self.options),
            Some(tag) => tagged(tag, &digits, &self.options),
            None => untagged(&digits, &self.options),
        };
        Some(found.map(|(spec, digest)| Entry::new(&name, spec, digest)))
    }
}

impl Parse for Groups {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return self.close().transpose();
        }
        if line.starts_with(b"  ")
            && let Some(more) = groups(line)
            && let Some(open) = self.open.as_mut().filter(|open| !open.ended)
        {
            if open.digits.len() + more.len() <= MAX_DIGITS {
                open.digits.extend_from_slice(&more);
                return Ok(None);
            }
            self.open = None;
            return Err(Reason::NotALine);
        }
        let Some((name, tag, digits)) = split(line) else {
            // The previous digest is still returned with the next one or at the end: an invalid
            // line does not invalidate it.
            self.open.iter_mut().for_each(|open| open.ended = true);
            return Err(Reason::NotALine);
        };
        let before = self.close();
        let last = scan::rfind(line, |byte| byte == b':' || byte == b'=').map_or(0, |at| at + 1);
        let group = scan::word(scan::trim_start(&line[last..])).0.len();
        let (name, tag) = (name.to_vec(), tag.map(str::to_owned));
        self.open = Some(Open { name, tag, digits, group, ended: false });
        before.transpose()
    }

    fn has_kept_line(&self) -> bool {
        self.open.is_some()
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.close().transpose()
    }
}
