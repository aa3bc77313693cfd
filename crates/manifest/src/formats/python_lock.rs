//! Lock files of Poetry, PDM and uv: archives are inline TOML tables on a single line, `{file =
//! "x.whl", hash = "sha256:..."}`.

use crate::digest::labeled;
use crate::formats::prelude::*;

pub(crate) static PYTHON_LOCK: Format = Format {
    name: "python-lock",
    file_names: &["poetry.lock", "pdm.lock", "uv.lock"],
    summary: "Poetry, PDM or uv lock file: file names or URLs, digests and sizes of archives",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.marked(is_archive),
    syntax: Syntax::Toml,
    reading: Reading::lines(|options| Box::new(Lock { options: options.clone(), refused: false })),
    ..Format::DEFAULT
};

/// Returns true if the line contains a table with a name and a digest.
fn is_archive(line: &[u8]) -> bool {
    let Some(open) = scan::find(line, |byte| byte == b'{') else { return false };
    let has = |key| member(&line[open + 1..], key).is_some();
    has(b"hash") && (has(b"file") || has(b"url") || has(b"path"))
}

/// Returns the string or number of a key in an inline table, whose strings must not contain
/// escape sequences.
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

/// The error for an archive whose keys are on separate lines.
const APART: &str = "an archive that is not an inline table";

/// Returns true if the line contains as many consecutive hexadecimal digits as a digest.
fn holds_digest(line: &[u8]) -> bool {
    scan::count(line.len());
    line.split(|byte| !byte.is_ascii_hexdigit()).any(|run| run.len() >= 32)
}

/// The number of outermost inline tables on a line, of their `hash` keys, and of `hash` keys at
/// other depths.
#[derive(Default)]
struct Tables {
    count: usize,
    hashes: usize,
    deeper: usize,
    /// True if something other than a separator follows a table.
    is_followed: bool,
}

fn tables(line: &[u8]) -> Tables {
    scan::count(line.len());
    let (mut found, mut depth, mut at, mut is_comment) = (Tables::default(), 0_usize, 0, false);
    while let Some(&byte) = line.get(at) {
        at += 1;
        match byte {
            b'{' => {
                found.count += usize::from(depth == 0);
                depth += 1;
            }
            b'}' => depth = depth.saturating_sub(1),
            b'#' if depth == 0 => is_comment = true,
            byte if depth == 0 && found.count > 0 && !is_comment && !b",] \t\r".contains(&byte) => {
                found.is_followed = true;
            }
            b'"' | b'\'' => {
                while let Some(&inside) = line.get(at) {
                    at += 1 + usize::from(byte == b'"' && inside == b'\\');
                    if inside == byte {
                        break;
                    }
                }
            }
            _ if is_of_key(byte) => {
                let len = scan::find(&line[at..], |byte| !is_of_key(byte)).unwrap_or(line.len() - at);
                if &line[at - 1..at + len] == b"hash" {
                    *if depth == 1 { &mut found.hashes } else { &mut found.deeper } += 1;
                }
                at += len;
            }
            _ => {}
        }
    }
    found
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Keys whose values are archives.
const ARCHIVES: [&[u8]; 4] = [b"files", b"wheels", b"sdist", b"archive"];

/// Returns the key of a line: the text before the first `=`, or its last component if it is
/// dotted.
fn key(line: &[u8]) -> &[u8] {
    let key = scan::trim(scan::cut(line, b'=').map_or(&b""[..], |(key, _)| key));
    let last = scan::rfind(key, |byte| byte == b'.').map_or(key, |at| &key[at + 1..]);
    let quoted = |last: &[u8]| matches!(last, [b'"', .., b'"'] | [b'\'', .., b'\'']);
    let last = scan::trim(last);
    if quoted(last) { &last[1..last.len() - 1] } else { last }
}

/// Returns true if a line begins a table of an archive, whose keys are on separate lines.
fn is_heading(line: &[u8]) -> bool {
    let line = scan::trim(line);
    let (Some(inside), double) = (line.strip_prefix(b"["), line.starts_with(b"[[")) else { return false };
    let end = scan::find(inside, |byte| byte == b']').unwrap_or(inside.len());
    let name = scan::trim(inside[..end].strip_prefix(b"[").unwrap_or(&inside[..end]));
    let Some(at) = scan::rfind(name, |byte| byte == b'.') else { return false };
    let last = scan::trim(&name[at + 1..]);
    // `[metadata.files]` contains lists of archives.
    ARCHIVES.contains(&last) && (double || matches!(last, b"sdist" | b"archive"))
}

struct Lock {
    options: Options,
    /// True in a table whose heading was rejected.
    refused: bool,
}

impl Parse for Lock {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let begun = scan::trim_start(line);
        if begun.starts_with(b"#") {
            return if holds_digest(line) { Err(Reason::DamagedComment) } else { Ok(None) };
        }
        let Some(open) = scan::find(line, |byte| byte == b'{') else {
            let heading = begun.starts_with(b"[");
            if heading {
                self.refused = is_heading(begun);
            }
            // A rejected table was reported at its heading. A table that ends on this line also
            // begins on it, so its opening brace must be damaged.
            let ends = scan::find(line, |byte| byte == b'}').is_some() && holds_digest(line);
            // Values are in quotes.
            if !line.iter().any(|byte| matches!(byte, b'"' | b'\'')) && holds_digest(line) {
                return Err(Reason::NotALine);
            }
            let fault = if self.refused { heading } else { ends || tables(line).deeper > 0 };
            return if fault { Err(Reason::Part(APART)) } else { Ok(None) };
        };
        let tables = tables(line);
        if tables.hashes > 1 || (tables.count > 1 || tables.is_followed) && tables.hashes + tables.deeper > 0
        {
            return Err(Reason::Part("more than one archive on a line"));
        }
        let table = &line[open + 1..];
        let named = |key: &[u8]| member(table, key);
        let of_url = || radix::url_name(named(b"url").or(named(b"path"))?);
        let name = named(b"file").map(<[u8]>::to_vec).or_else(of_url);
        let (Some(name), Some(text)) = (&name, named(b"hash")) else {
            // Other tables have no digest and do not begin with a file.
            let first = scan::trim_start(table);
            let begins = [&b"file"[..], b"url", b"path"].iter().any(|key| first.starts_with(key));
            let archive =
                begun.starts_with(b"{") || line.starts_with(b"sdist") || ARCHIVES.contains(&key(line));
            let whole = line.contains(&b'}');
            let damaged = begins || !whole || named(b"hash").is_some() || holds_digest(line);
            let known =
                tables.hashes + tables.deeper > 0 || (first.starts_with(b"file") && holds_digest(line));
            return if (archive && damaged) || known {
                Err(Reason::Part("an archive without a name or a digest"))
            } else {
                Ok(None)
            };
        };
        let (algorithm, digits) = scan::cut(text, b':').ok_or(Reason::NotALine)?;
        let size = named(b"size").map(|size| scan::decimal(size).ok_or(Reason::Size)).transpose()?;
        let found = labeled(algorithm, digits, &self.options)?;
        Ok(Some(Entry { path: name.clone(), size, digests: vec![found], ..Entry::default() }))
    }
}
