//! Explicit environments of conda: after a line `@EXPLICIT`, URLs that end in `#` and a digest.

use crate::digest::{is_long_hex, labeled};
use crate::formats::prelude::*;

pub(crate) static CONDA: Format = Format {
    name: "conda",
    summary: "output of conda list --explicit --md5: URLs ending in # and a digest",
    sniff: |head| head.marked(|line| scan::trim_end(line.strip_suffix(b"\r").unwrap_or(line)) == EXPLICIT),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

const EXPLICIT: &[u8] = b"@EXPLICIT";

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let line = scan::trim(line);
    if let [b'#', behind @ ..] = line
        && !behind.first().copied().is_none_or(scan::is_blank)
        && let Some((url, digest)) = scan::cut(behind, b'#')
        && scan::find(url, |byte| byte == b'/').is_some()
        && is_long_hex(digest.strip_prefix(b"sha256:").unwrap_or(digest))
    {
        return Err(Reason::DamagedComment);
    }
    if line.is_empty() || line.starts_with(b"#") || line == EXPLICIT {
        return Ok(None);
    }
    let end = scan::find(line, |byte| byte == b'#').unwrap_or(line.len());
    let url = &line[..end];
    let name = &url[scan::rfind(url, |byte| byte == b'/').ok_or(Reason::NotALine)? + 1..];
    let path = radix::percent(name).ok_or(Reason::BadEscape)?;
    let digests = match line.get(end + 1..).unwrap_or_default() {
        b"" => Vec::new(),
        digest => {
            let (name, digest) = scan::cut(digest, b':').unwrap_or((b"md5", digest));
            vec![labeled(name, digest, options)?]
        }
    };
    Ok(Some(Entry { path, digests, ..Entry::default() }))
}
