//! The three CSV formats of cfv: `name,size,CRC32,` (csv), `name,size,` (csv2) and
//! `name,size,CRC32,folder,` (csv4).

use super::csv::fields::Fields;
use crate::digest::{is_hex, starts_with_digest, tagged};
use crate::formats::prelude::*;

pub(crate) static CFV_CSV: Format = Format {
    name: "cfv-csv",
    file_names: &[".csv2", ".csv4"],
    summary: "cfv's formats csv, csv2 and csv4: name, size, CRC-32 and folder, each followed by a comma",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["crc32"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.whole_or_possible(|line| is_row(line).then_some(true)),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Splits a row into its cells, each of which ends with a comma. Returns `None` for anything else.
fn cells(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut cells = Fields::new(line, b',').row(5).ok()?;
    cells.pop_if(|last| last.is_empty()).map(|_| cells)
}

fn is_row(line: &[u8]) -> bool {
    let Some(cells) = cells(line) else { return false };
    let digest = |cell: &[u8]| cell.len() == 8 && is_hex(cell);
    (2..=4).contains(&cells.len())
        && scan::decimal(&cells[1]).is_some()
        && cells.get(2).is_none_or(|cell| digest(cell))
        && !cells[0].is_empty()
        // A line of GNU coreutils whose name ends like a row.
        && (cells.len() > 2 || !starts_with_digest(line))
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
