//! Tables with several files per row, as the European Nucleotide Archive and Genome in a Bottle
//! publish them: the columns `fastq_ftp`, `fastq_md5` and `fastq_bytes` belong together, and so do
//! `FASTQ` and `FASTQ_MD5`. A cell may have the values of several files, separated by semicolons.

use super::fields::{Fields, TORN, each_row};
use super::{CSV, MAX_COLUMNS};
use crate::formats::prelude::*;
use crate::records::{Records, refused};

pub(crate) static SHEET: Format = Format {
    name: "sheet",
    summary: "tables with several files per row: columns such as fastq_ftp and fastq_md5 (ENA, GIAB)",
    sniff: |head: &Head<'_>| {
        let line = head.lines(b'\n').next()?;
        Claim::mark(line.len() <= 16 << 10 && heading(line).is_some())
    },
    reading: Reading::document(64 << 20, parse),
    writing: Writing::No,
    ..CSV
};

/// Ends of titles of columns with the names of files, in order of preference.
const NAMES: &[&str] =
    &["_ftp", "_url", "_http", "_galaxy", "_aspera", "", "_file", "_filename", "_path", "_name"];
const SIZES: &[&str] = &["_bytes", "_size"];

/// The columns of one file, or of several.
struct Group {
    algorithm: String,
    digest: usize,
    name: usize,
    size: Option<usize>,
}

/// Returns the separator of a header, the number of its columns, and the groups among them.
fn heading(line: &[u8]) -> Option<(u8, usize, Vec<Group>)> {
    [b'\t', b','].into_iter().find_map(|separator| {
        let row =
            Fields::new(line, separator).row(MAX_COLUMNS).ok().filter(|row| row.len() <= MAX_COLUMNS)?;
        let titles =
            row.iter().map(|title| String::from_utf8_lossy(title).trim().to_lowercase().replace(' ', "_"));
        let titles: Vec<String> = titles.collect();
        let column = |stem: &str, ends: &[&str]| {
            ends.iter().find_map(|end| titles.iter().position(|title| title.strip_suffix(end) == Some(stem)))
        };
        let group = |(digest, title): (usize, &String)| {
            let (stem, algorithm) = title.rsplit_once('_')?;
            algorithm.parse::<Spec>().ok()?;
            let (name, size) = (column(stem, NAMES)?, column(stem, SIZES));
            Some(Group { algorithm: algorithm.to_owned(), digest, name, size })
        };
        let groups: Vec<Group> = titles.iter().enumerate().filter_map(group).collect();
        (!groups.is_empty()).then_some((separator, row.len(), groups))
    })
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let end = scan::find(&text, |byte| byte == b'\n').map_or(text.len(), |at| at + 1);
    let (separator, columns, groups) =
        heading(&text[..end]).ok_or(refused(0, "no header with columns for names and digests"))?;
    let mut records = Records::with_names_once(options);
    let mut fields = Fields::new(&text, separator);
    fields.at = end;
    each_row(fields, MAX_COLUMNS, options, |row| {
        if row.torn {
            records.bad(row.at, TORN);
        } else if row.fields.len() != columns {
            records.bad(row.at, "the number of columns differs from that in the header");
        } else {
            groups.iter().for_each(|group| files(&mut records, group, &row.fields, row.at));
        }
    })?;
    Ok(records.read(options))
}

/// Adds the records of the files of a group.
fn files(records: &mut Records, group: &Group, row: &[Vec<u8>], at: usize) {
    // The last separator may have nothing after it.
    let values = |at: usize| -> Vec<&[u8]> {
        let cell = scan::trim(&row[at]);
        let cell = cell.strip_suffix(b";").unwrap_or(cell);
        if cell.is_empty() { Vec::new() } else { cell.split(|&byte| byte == b';').map(scan::trim).collect() }
    };
    let (names, digests) = (values(group.name), values(group.digest));
    let sizes = group.size.map(values).unwrap_or_default();
    if !digests.is_empty() && digests.len() != names.len() || !sizes.is_empty() && sizes.len() != names.len()
    {
        records.bad(at, "the number of names differs from the number of digests or sizes");
        return;
    }
    for (number, name) in names.iter().enumerate() {
        records.begin(at);
        if let Some(digest) = digests.get(number).filter(|digest| !digest.is_empty()) {
            records.digest(group.algorithm.as_bytes(), digest);
        }
        if let Some(size) = sizes.get(number).filter(|size| !size.is_empty()) {
            records.size(size);
        }
        match radix::url_name(name) {
            Some(name) => records.name(&name),
            None => records.fault("its URL has no file name"),
        }
    }
}
