//! The heading of a zsync file: name, length and SHA-1 of one file. The sums of blocks behind it are not read.

use crate::format::{Claim, Format, Holds, Options, Parts, Reading, Sign, Writing};
use crate::line::LineError;
use crate::records::{Records, refused};
use crate::scan;

pub(crate) static ZSYNC: Format = Format {
    name: "zsync",
    file_names: &[".zsync"],
    summary: "zsync: name, length and SHA-1 of one file above the sums of its blocks",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| head.text.starts_with(b"zsync: ").then_some(Claim { sign: Sign::Mark, at: 0 }),
    reading: Reading::Document { limit: 64 << 20, parse },
    writing: Writing::No,
    tagged: None,
};

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let end = text.windows(2).position(|pair| pair == b"\n\n");
    scan::count(text.len());
    let end = end.ok_or(refused(text.len(), "the heading is cut off"))?;
    let mut records = Records::default();
    records.begin(0);
    let mut seen: Vec<&[u8]> = Vec::new();
    for line in text[..end].split(|&byte| byte == b'\n') {
        let Some((key, value)) = scan::cut(line, b':') else {
            return Err(refused(0, "a line of the heading without a colon"));
        };
        let value = scan::trim(value);
        if !matches!(key, b"Filename" | b"Length" | b"SHA-1") {
            continue;
        }
        if seen.contains(&key) {
            return Err(refused(0, "a member of the heading twice"));
        }
        seen.push(key);
        match key {
            b"Filename" => records.name(value),
            b"Length" => records.size(value),
            _ => records.digest(b"sha1", value),
        }
    }
    Ok(records.read(options))
}
