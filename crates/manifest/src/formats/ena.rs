//! File reports of the European Nucleotide Archive: columns with lists of URLs, sizes and MD5 digests, such as `fastq_ftp`,
//! `fastq_bytes` and `fastq_md5`. The n-th digest belongs to the n-th URL. Index files of Genome in a Bottle have columns
//! such as `FASTQ` and `FASTQ_MD5`.

use crate::digest::contains_like;
use crate::formats::prelude::*;
use crate::lines::LINE_LIMIT;
use crate::records::{Records, refused, stopped};

pub(crate) static ENA: Format = Format {
    name: "ena",
    summary: "file reports of the European Nucleotide Archive and indexes of Genome in a Bottle: URLs, sizes and MD5 digests of runs",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["md5"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.begun(|line| !columns(line).is_empty()),
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// The ends of the names of columns with URLs, in order of preference.
const URLS: &[&str] = &["_ftp", "_aspera", "_galaxy"];

/// The indices of columns that belong together.
struct Columns {
    urls: usize,
    digests: usize,
    sizes: Option<usize>,
}

fn cells(line: &[u8]) -> Vec<&[u8]> {
    scan::count(line.len());
    line.strip_suffix(b"\r").unwrap_or(line).split(|&byte| byte == b'\t').collect()
}

/// Returns the columns of each kind of file in a header.
fn columns(header: &[u8]) -> Vec<Columns> {
    if header.len() > 16 << 10 {
        return Vec::new();
    }
    let titles = cells(header);
    let of =
        |kind: &[u8], end: &str| titles.iter().position(|title| **title == [kind, end.as_bytes()].concat());
    let found = titles.iter().enumerate().filter_map(|(digests, title)| {
        if let Some(kind) = title.strip_suffix(b"_MD5") {
            let is_kind = |title: &&[u8]| title.strip_prefix(b"#").unwrap_or(title) == kind;
            return Some(Columns { urls: titles.iter().position(is_kind)?, digests, sizes: None });
        }
        let kind = title.strip_suffix(b"_md5")?;
        let urls = URLS.iter().find_map(|end| of(kind, end))?;
        Some(Columns { urls, digests, sizes: of(kind, "_bytes") })
    });
    found.collect()
}

fn is_of_digests(title: &[u8]) -> bool {
    title.ends_with(b"_md5") || title.ends_with(b"_MD5")
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let mut lines = scan::lines(&text).filter(|(_, line)| !scan::is_empty(line));
    let header = lines.next().map_or(&b""[..], |(_, line)| line);
    let columns = columns(header);
    if columns.is_empty() {
        return Err(refused(0, "no header with columns of URLs and MD5 digests"));
    }
    let titles = cells(header);
    let mut records = Records::new(options);
    for (at, line) in lines {
        if options.stopped() {
            return Err(stopped(at));
        }
        if line == header {
            continue;
        }
        // The cells of a row take more memory than their text.
        if line.len() > LINE_LIMIT {
            records.bad(at, "a line of more than 1 MiB");
            continue;
        }
        let cells = cells(line);
        if cells.len() != titles.len() {
            records.bad(at, "the number of columns differs from that in the header");
            continue;
        }
        for group in &columns {
            let list = |column: usize| cells[column].split(|&byte| byte == b';').collect::<Vec<_>>();
            let (urls, digests) = (list(group.urls), list(group.digests));
            let sizes = group.sizes.map(list);
            // A run may have no files of this kind.
            if cells[group.urls].is_empty() && cells[group.digests].is_empty() {
                continue;
            }
            if urls.len() != digests.len() || sizes.as_ref().is_some_and(|sizes| sizes.len() != urls.len()) {
                records.bad(at, "the numbers of URLs, sizes and digests differ");
                continue;
            }
            for (index, (url, digest)) in urls.iter().zip(digests).enumerate() {
                records.begin(at);
                records.name(&url[scan::rfind(url, |byte| byte == b'/').map_or(0, |slash| slash + 1)..]);
                if let Some(size) = sizes.as_ref().map(|sizes| sizes[index]) {
                    records.size(size);
                }
                records.digest(b"md5", digest);
            }
        }
        let is_read =
            |index: usize| columns.iter().any(|group| group.urls == index || group.digests == index);
        let is_digest = |(index, cell): (usize, &&[u8])| {
            is_of_digests(titles[index]) && !cell.is_empty() || contains_like(cell)
        };
        if cells.iter().enumerate().any(|(index, cell)| !is_read(index) && is_digest((index, cell))) {
            records.bad(at, "a digest in an unknown column");
        }
    }
    Ok(records.read(options))
}
