//! What md5deep and its kin write with `-z` (size), `-t` (time) and `-c` (comma): columns before a name that they are no part of.

use crate::digest::{is_long_hex, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::scan;

pub(crate) static MD5DEEP: Format = Format {
    name: "md5deep",
    file_names: &[],
    summary: "digest and name with a size, a time or a comma between, as md5deep -z, -t and -c write them",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff,
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Lines { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

/// Size, digest and name; the size as it stands.
type Split<'a> = (Option<&'a [u8]>, &'a [u8], &'a [u8]);

fn split(line: &[u8]) -> Option<Split<'_>> {
    if let Some((digest, name)) = scan::cut(line, b',') {
        if is_long_hex(digest) {
            return Some((None, digest, name));
        }
        let (digest, name) = scan::cut(scan::trim_start(name), b',')?;
        let size = scan::trim(&line[..scan::find(line, |byte| byte == b',')?]);
        return is_long_hex(digest).then_some((Some(size), digest, name));
    }
    // A size is right-aligned in ten columns, so that it cannot be the digest of a GNU line.
    let (size, rest) = if line.starts_with(b" ") || line.get(10) == Some(&b' ') {
        let (size, rest) = scan::word(scan::trim_start(line));
        if line.len() - rest.len() < 12 {
            return None;
        }
        (Some(size), rest)
    } else {
        (None, line)
    };
    let (digest, name) = (rest.get(..scan::find(rest, scan::is_blank)?)?, rest);
    let name = &name[digest.len()..];
    if !is_long_hex(digest) {
        return None;
    }
    let (time, behind) = scan::word(scan::trim_start(name));
    match (is_time(time) && !behind.is_empty(), size) {
        (true, size) => Some((size, digest, behind)),
        (false, Some(size)) => {
            Some((Some(size), digest, name.strip_prefix(b"  ").or(name.strip_prefix(b" *"))?))
        }
        (false, None) => None,
    }
}

/// `2024:01:02:03:04:05`.
fn is_time(word: &[u8]) -> bool {
    word.len() == 19
        && word.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 | 13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut first, mut own, mut others) = (None, 0, 0);
    for (at, line) in head.lines(b'\n').enumerate() {
        if scan::is_empty(line) {
            continue;
        }
        let fits =
            split(line).is_some_and(|(size, ..)| size.is_none_or(|size| scan::decimal(size).is_some()));
        match fits {
            true => own += 1,
            false if first.is_none() => return None,
            false => others += 1,
        }
        first.get_or_insert(at);
    }
    (own > others).then_some(Claim { sign: Sign::Whole, at: first? })
}

struct Lines {
    options: Options,
}

impl Parse for Lines {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        if scan::is_empty(line) {
            return Ok(None);
        }
        let (size, digest, name) = split(line).ok_or(Reason::NotALine)?;
        let size = size.map(|size| scan::decimal(size).ok_or(Reason::Size)).transpose()?;
        let (spec, digest) = untagged(digest, &self.options)?;
        Ok(Some(Entry { size, ..Entry::new(name, spec, digest) }))
    }
}
