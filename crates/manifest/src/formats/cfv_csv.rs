//! The three CSV formats of cfv: `name,size,CRC32,` (csv), `name,size,` (csv2) and
//! `name,size,CRC32,folder,` (csv4).

use crate::digest::{is_hex, tagged};
use crate::entry::Entry;
use crate::format::{Algorithms, Claim, EachLine, Format, Head, Holds, Options, Reading, Sign};
use crate::line::Reason;
use crate::scan;

pub(crate) static CFV_CSV: Format = Format {
    name: "cfv-csv",
    file_names: &[".csv2", ".csv4"],
    summary: "csv, csv2 and csv4 of cfv: name, size, CRC-32 and folder, each followed by a comma",
    holds: Holds { algorithms: Algorithms::Only(&["crc32"]), size: true, ..Holds::DIGESTS },
    sniff,
    reading: Reading::lines(|options| EachLine::of(options, row)),
    ..Format::DEFAULT
};

/// Splits a row into its cells, each of which ends with a comma. Quotes inside quoted cells are
/// doubled. Returns `None` for anything else.
fn cells(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    scan::count(line.len());
    let mut cells = Vec::new();
    let mut rest = line;
    while !rest.is_empty() && cells.len() < 5 {
        let mut cell = Vec::new();
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
            loop {
                let end = quoted.iter().position(|&byte| byte == b'"')?;
                cell.extend_from_slice(&quoted[..end]);
                quoted = &quoted[end + 1..];
                match quoted {
                    [b'"', behind @ ..] => {
                        cell.push(b'"');
                        quoted = behind;
                    }
                    [b',', behind @ ..] => {
                        rest = behind;
                        break;
                    }
                    _ => return None,
                }
            }
        } else {
            let comma = rest.iter().position(|&byte| byte == b',')?;
            cell.extend_from_slice(&rest[..comma]);
            rest = &rest[comma + 1..];
        }
        cells.push(cell);
    }
    rest.is_empty().then_some(cells)
}

fn is_row(line: &[u8]) -> bool {
    let Some(cells) = cells(line) else { return false };
    let digest = |cell: &[u8]| cell.len() == 8 && is_hex(cell);
    (2..=4).contains(&cells.len())
        && scan::decimal(&cells[1]).is_some()
        && cells.get(2).is_none_or(|cell| digest(cell))
        && !cells[0].is_empty()
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut first = None;
    for (at, line) in head.lines(b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if scan::is_empty(line) {
            continue;
        }
        if !is_row(line) {
            return first.map(|at| Claim { sign: Sign::Possible, at });
        }
        first.get_or_insert(at);
    }
    Some(Claim { sign: Sign::Whole, at: first? })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let cells = cells(line).filter(|cells| (2..=4).contains(&cells.len())).ok_or(Reason::NotALine)?;
    let size = Some(scan::decimal(&cells[1]).ok_or(Reason::Size)?);
    let mut entry = Entry { path: cells[0].clone(), size, ..Entry::default() };
    if let Some(digest) = cells.get(2) {
        entry.digests.push(tagged("crc32", digest, options)?);
    }
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let folder = cells.get(3).map(Vec::as_slice).unwrap_or_default();
    let begin = folder.iter().position(|byte| !is_slash(byte));
    if let Some(begin) = begin {
        let end = folder.iter().rposition(|byte| !is_slash(byte)).map_or(0, |at| at + 1);
        entry.path = [&folder[begin..end], b"/", &entry.path].concat();
    }
    Ok(Some(entry))
}
