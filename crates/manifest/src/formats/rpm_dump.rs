//! `rpm -q --dump`: path, size, time, digest, mode, owner, group and four more columns of each file of a package.

use crate::digest::{is_hex, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::scan;

pub(crate) static RPM_DUMP: Format = Format {
    name: "rpm-dump",
    file_names: &[],
    summary: "path, size, time and digest of a package's files, as rpm -q --dump prints them",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head: &Head<'_>| {
        let mut first = None;
        for (at, line) in head.lines(b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !scan::is_empty(line) {
                columns(line)?;
                first.get_or_insert(at);
            }
        }
        Some(Claim { sign: Sign::Mark, at: first? })
    },
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Dump { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

/// Path, size and digest of a line: the columns behind the path are ten.
fn columns(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut rest = line;
    let mut found: [&[u8]; 10] = [&[]; 10];
    for column in found.iter_mut().rev() {
        let blank = scan::rfind(rest, |byte| byte == b' ')?;
        *column = &rest[blank + 1..];
        rest = &rest[..blank];
    }
    let [size, time, digest, mode, _, _, config, doc, ..] = found;
    let flags = matches!((config, doc), (b"0" | b"1", b"0" | b"1"));
    let octal = mode.first() == Some(&b'0') && scan::all(mode, |byte| matches!(byte, b'0'..=b'7'));
    let number = scan::decimal(time).is_some() && scan::decimal(size).is_some();
    let is_digest = matches!(digest.len(), 32 | 40 | 64 | 128) && is_hex(digest);
    (rest.starts_with(b"/") && flags && octal && number && is_digest).then_some((rest, size, digest))
}

struct Dump {
    options: Options,
}

impl Parse for Dump {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        if scan::is_empty(line) {
            return Ok(None);
        }
        let (path, size, digest) = columns(line).ok_or(Reason::NotALine)?;
        let is_digest = |word: &[u8]| matches!(word.len(), 32 | 40 | 64 | 128) && is_hex(word);
        if path.split(|&byte| byte == b' ').any(is_digest) {
            return Err(Reason::Part("two lines in one"));
        }
        // Folders and links.
        if scan::all(digest, |byte| byte == b'0') {
            return Ok(None);
        }
        let found = untagged(digest, &self.options)?;
        let size = Some(scan::decimal(size).ok_or(Reason::Size)?);
        Ok(Some(Entry { path: path.to_vec(), size, digests: vec![found], ..Entry::default() }))
    }
}
