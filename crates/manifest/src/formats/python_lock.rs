//! Lock files of Poetry, PDM and uv: archives in tables of TOML on one line, `{file = "x.whl", hash = "sha256:..."}`.

use crate::digest::tagged;
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::{radix, scan};

pub(crate) static PYTHON_LOCK: Format = Format {
    name: "python-lock",
    file_names: &["poetry.lock", "pdm.lock", "uv.lock"],
    summary: "file or url, hash and size of archives, as Poetry, PDM and uv lock them",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(is_archive)?;
        Some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Lock { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

/// Whether a line has a table with a name and a digest in it.
fn is_archive(line: &[u8]) -> bool {
    let Some(open) = scan::find(line, |byte| byte == b'{') else { return false };
    let has = |key| member(&line[open + 1..], key).is_some();
    has(b"hash") && (has(b"file") || has(b"url") || has(b"path"))
}

/// The text or number that a key has, in a table of one line whose texts hold no escapes.
fn member<'t>(table: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    let mut rest = table;
    loop {
        rest = scan::trim_start(rest);
        let end = scan::find(rest, |byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')))?;
        let (name, after) = rest.split_at(end);
        let value = scan::trim_start(scan::trim_start(after).strip_prefix(b"=")?);
        let (value, after) = match value {
            [b'"', text @ ..] => {
                let close =
                    scan::find(text, |byte| matches!(byte, b'"' | b'\\')).filter(|&at| text[at] == b'"')?;
                (&text[..close], &text[close + 1..])
            }
            text => text.split_at(scan::find(text, |byte| matches!(byte, b',' | b'}'))?),
        };
        if name == key {
            return Some(scan::trim(value));
        }
        rest = scan::trim_start(after).strip_prefix(b",")?;
    }
}

/// Whether as many hexadecimal digits stand together as a digest has.
fn holds_digest(line: &[u8]) -> bool {
    scan::count(line.len());
    line.split(|byte| !byte.is_ascii_hexdigit()).any(|run| run.len() >= 32)
}

struct Lock {
    options: Options,
}

impl Parse for Lock {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        let Some(open) = scan::find(line, |byte| byte == b'{') else {
            return Ok(None);
        };
        let table = &line[open + 1..];
        let named = |key: &[u8]| member(table, key);
        let name = named(b"file").map(<[u8]>::to_vec).or_else(|| {
            let url = named(b"url").or(named(b"path"))?;
            let path = &url[..scan::find(url, |byte| matches!(byte, b'#' | b'?')).unwrap_or(url.len())];
            radix::percent(&path[scan::rfind(path, |byte| byte == b'/').map_or(0, |at| at + 1)..])
        });
        let (Some(name), Some(text)) = (&name, named(b"hash")) else {
            // Tables of other things have no digest, and do not begin with a file.
            let begun = scan::trim_start(table);
            let begins = [&b"file"[..], b"url", b"path"].iter().any(|key| begun.starts_with(key));
            let archive = scan::trim_start(line).starts_with(b"{") || line.starts_with(b"sdist");
            let whole = line.contains(&b'}');
            let damaged = begins || !whole || named(b"hash").is_some() || holds_digest(line);
            return if archive && damaged {
                Err(Reason::Part("an archive without a name or a digest"))
            } else {
                Ok(None)
            };
        };
        let (algorithm, digits) = scan::cut(text, b':').ok_or(Reason::NotALine)?;
        let algorithm = std::str::from_utf8(algorithm).map_err(|_| Reason::NotALine)?;
        let size = named(b"size").map(|size| scan::decimal(size).ok_or(Reason::Size)).transpose()?;
        let found = tagged(algorithm, digits, &self.options)?;
        Ok(Some(Entry { path: name.clone(), size, digests: vec![found], ..Entry::default() }))
    }
}
