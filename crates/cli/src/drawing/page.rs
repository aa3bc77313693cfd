//! The HTML page that shows where files are damaged: pictures, sentences and tables. It loads
//! nothing from elsewhere.
//!
//! The size of a page is limited, however damaged the files are: pictures have a fixed number of
//! cells, and tables and pages end with the number of items that are not shown.

pub use crate::drawing::map::MARK;
use crate::drawing::map::cells;
use crate::drawing::record::Tone;
use crate::drawing::style::head;
use crate::drawing::xml::escaped;
use crate::words::{count, grouped, size as short};
use std::fmt::Write;
use std::ops::Range;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::tree::locate::{Diagnosis, Difference};
use truesum::tree::store::Header;

/// Maximum number of rows of a table.
const ROWS: usize = 1000;
/// Maximum number of sections of a page.
const SECTIONS: u64 = 1000;
/// Number of cells in a row of a picture, each wide enough to be visible on a phone.
const CELLS: usize = 400;
/// Height of a row of a picture, in its own units.
const ROW: usize = 22;

/// Style rules of these pages only.
const OWN: &str = "\
h1 { margin: 0 0 24px; font-size: 26px; line-height: 1.3; overflow-wrap: anywhere }
h1 .bad { color: var(--bad) }
h1 .unsure { color: var(--unsure) }
h1 .good { color: var(--fine) }
h2 { margin: 0 0 12px; font: 600 20px/1.35 ui-monospace, monospace; overflow-wrap: anywhere }
section { margin-bottom: 48px }
th, td { padding: 4px 20px 4px 0; text-align: right; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--soft) }
.map { display: grid; grid-template-columns: max-content 1fr; gap: 4px 10px; align-items: center }
.map span { font-size: 12px; color: var(--soft); text-align: right }
.map svg { display: block; width: 100% }
.map :target { font-weight: 600; color: inherit; text-decoration: underline }
td a { color: inherit }
th:last-child, td:last-child { padding-right: 0; text-align: left }
";

/// The source with which a file was compared.
#[derive(Clone, Copy)]
pub enum Reference<'a> {
    /// Its stored tree.
    Tree(&'a Header),
    /// Digests of its pieces: the size of the file in bytes, and the names of the algorithms.
    Pieces(u64, &'a str),
}

impl Reference<'_> {
    fn size(self) -> u64 {
        match self {
            Reference::Tree(header) => header.size(),
            Reference::Pieces(size, _) => size,
        }
    }
}

/// Returns the section of one file: the result in `words`, and the comparison if there was one.
pub fn section(name: &[u8], words: &str, compared: Option<(Reference<'_>, &Difference)>) -> String {
    let class = match compared.map(|(_, report)| report.diagnosis()) {
        Some(Diagnosis::Good) => " good",
        Some(Diagnosis::FileDamaged) => " bad",
        _ => "",
    };
    // The prefix of the targets to which the links in the table lead.
    let id = crc32(name);
    let (name, words) = (escaped(&display_safe(name)), escaped(words));
    let mut text = format!("<section>\n<h2>{name}</h2>\n<p class=\"verdict{class}\">{words}</p>\n");
    if let Some((of, report)) = compared {
        facts(of, report, &mut text);
        if report.diagnosis() != Diagnosis::OtherTree {
            picture(of.size(), report, &id, &mut text);
            table(of.size(), report, &id, &mut text);
        }
    }
    text.push_str("</section>\n");
    text
}

fn facts(of: Reference<'_>, report: &Difference, text: &mut String) {
    let bytes = |number: u64| match number {
        0..1000 => count(number, "byte", "bytes"),
        _ => format!("{} bytes ({})", grouped(number), short(number)),
    };
    text.push_str("<dl>\n");
    let mut fact = |name: &str, value: &str| {
        let _ = writeln!(text, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    };
    fact("Size", &bytes(report.size()));
    if report.size() != of.size() {
        fact("Expected size", &bytes(of.size()));
    }
    match of {
        Reference::Tree(header) => {
            let first = header.range(0);
            fact("Granule", &short(header.granule().max(first.end - first.start)));
            if let Some(digest) = header.digest() {
                fact("Tree", &format!("{}:{digest}", header.spec()));
            }
        }
        Reference::Pieces(_, by) => fact("Piece digests", by),
    }
    text.push_str("</dl>\n");
}

/// Returns a short name for the section of a file.
fn crc32(name: &[u8]) -> String {
    let spec: Spec = "crc32".parse().expect("a row of the table of algorithms");
    spec.digest(name).to_hex()
}

/// Returns the number of rows in the picture of a file.
fn rows(size: u64) -> usize {
    (size >> 24).clamp(1, 16) as usize
}

/// Appends the file as rows of bars, each labeled with the offset of its first byte. Bytes missing
/// at the end have a different color from damaged bytes.
fn picture(size: u64, report: &Difference, id: &str, text: &mut String) {
    let rows = rows(size);
    let gone: Vec<Range<u64>> = std::iter::once(report.size().min(size)..size).collect();
    let (bad, gone) = (cells(size, report.damaged(), rows * CELLS), cells(size, &gone, rows * CELLS));
    let place = |row: usize, cell: usize| {
        (u128::from(size) * (row * CELLS + cell) as u128 / (rows * CELLS) as u128) as u64
    };
    text.push_str("<figure>\n<div class=\"map\">\n");
    for row in 0..rows {
        let _ = writeln!(
            text,
            "<span id=\"r{id}-{row}\">{}</span><svg viewBox=\"0 0 {CELLS} {ROW}\" height=\"{ROW}\" preserveAspectRatio=\"none\" \
             role=\"img\" aria-label=\"Damage map from byte {} onwards\" shape-rendering=\"crispEdges\">",
            grouped(place(row, 0)),
            place(row, 0)
        );
        let state = |cell: usize| match (bad[row * CELLS + cell], gone[row * CELLS + cell]) {
            (true, true) => "m",
            (true, false) => "b",
            (false, _) => "g",
        };
        let mut start = 0;
        for end in 1..=CELLS {
            if end < CELLS && state(end) == state(start) {
                continue;
            }
            let _ = writeln!(
                text,
                "<rect class=\"{}\" x=\"{start}\" y=\"0\" width=\"{}\" height=\"{ROW}\"><title>{} to {}</title></rect>",
                state(start),
                end - start,
                grouped(place(row, start)),
                grouped(place(row, end))
            );
            start = end;
        }
        text.push_str("</svg>\n");
    }
    let line = short(size.div_ceil(rows as u64));
    let missing = if report.size() < size { "<i class=\"m\"></i>missing" } else { "" };
    let _ = writeln!(
        text,
        "</div>\n<figcaption class=\"key\"><i class=\"g\"></i>intact<i class=\"b\"></i>damaged{missing}\
         <br>Each line shows {line}, starting at the byte given next to it.</figcaption>\n</figure>"
    );
}

fn table(size: u64, report: &Difference, id: &str, text: &mut String) {
    if report.damaged().is_empty() {
        return;
    }
    text.push_str("<div class=\"table\"><table>\n<tr><th>Offset</th><th>Length</th><th>State</th></tr>\n");
    for range in report.damaged().iter().take(ROWS) {
        let state = if range.start >= report.size() { "missing" } else { "damaged" };
        let offset = grouped(range.start);
        // The row of the picture that contains the range; bytes after the original end of the file
        // are not in the picture.
        let row = u128::from(range.start) * rows(size) as u128 / u128::from(size.max(1));
        let offset = match range.start < size {
            true => format!("<a href=\"#r{id}-{row}\">{offset}</a>"),
            false => offset,
        };
        let _ = writeln!(
            text,
            "<tr><td>{offset}</td><td>{}</td><td>{state}</td></tr>",
            grouped(range.end - range.start)
        );
    }
    text.push_str("</table></div>\n");
    if let Some(more) = report.damaged().len().checked_sub(ROWS).filter(|more| *more > 0) {
        let more = count(more as u64, "more range is", "more ranges are");
        let _ = writeln!(text, "<p class=\"more\">{more} not shown.</p>");
    }
}

/// Collects the sections of a page, up to a maximum number.
#[derive(Default)]
pub struct Page {
    sections: String,
    number: u64,
    bad: u64,
    unsure: u64,
}

impl Page {
    /// Adds the [`section`] of a file.
    pub fn add(&mut self, tone: Tone, section: impl FnOnce() -> String) {
        self.number += 1;
        self.bad += u64::from(tone == Tone::Bad);
        self.unsure += u64::from(tone == Tone::Unsure);
        if self.number <= SECTIONS {
            self.sections += &section();
        }
    }

    /// Returns the complete page.
    pub fn text(&self) -> String {
        let (class, verdict) = match (self.bad, self.unsure) {
            (0, 0) => ("good", "NO DAMAGE"),
            (0, _) => ("unsure", "UNDECIDED"),
            _ => ("bad", "DAMAGED"),
        };
        let files = count(self.number, "file", "files");
        let what = if self.bad > 0 { count(self.bad, "file", "files") } else { format!("map of {files}") };
        let mark = format!("<meta name=\"generator\" content=\"{MARK}\">\n");
        let mut text = format!(
            "{}<title>{verdict}: {what}</title>\n</head>\n<body>\n\
             <h1><span class=\"{class}\">{verdict}:</span> {what}</h1>\n",
            head(&mark, OWN)
        );
        text += &self.sections;
        if self.number == 0 {
            text += "<p>No file failed.</p>\n";
        }
        if let Some(more) = self.number.checked_sub(SECTIONS).filter(|more| *more > 0) {
            let more = count(more, "more file is", "more files are");
            let _ = writeln!(text, "<p class=\"more\">{more} not shown.</p>");
        }
        text += "</body>\n</html>\n";
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum::tree::locate::Length;
    use truesum::tree::store::{GRANULE, Hints};

    fn header(size: u64) -> Header {
        Header::new(&"sha256-tree".parse().unwrap(), size, GRANULE, Hints::default()).unwrap()
    }

    fn report(size: u64, damaged: Vec<Range<u64>>) -> Difference {
        Difference::new(Diagnosis::FileDamaged, damaged, Length::Same, size)
    }

    #[test]
    fn page_escapes_names_and_loads_no_resources() {
        let report = report(5 << 20, vec![0..1 << 20, 3 << 20..4 << 20]);
        let name = b"<script src=x>\"&\x1b]\xe2\x80\xae.img";
        let mut page = Page::default();
        page.add(Tone::Bad, || section(name, "<b>", Some((Reference::Tree(&header(5 << 20)), &report))));
        let text = page.text();
        assert!(!text.contains("<script") && !text.contains("<b>"));
        assert!(text.contains("<title>DAMAGED: 1 file</title>"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        for word in ["http:", "https:", "url(", "src=", "href=\"h", "@import"] {
            assert!(!text.replace("&lt;script src=x&gt;", "").contains(word), "{word}");
        }
        assert!(text.contains("\">0</a></td><td>1,048,576</td><td>damaged</td></tr>"), "{text}");
        let links: Vec<&str> =
            text.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(
            links.len() == 2 && links.iter().all(|id| text.contains(&format!("<span id=\"{id}\">"))),
            "{links:?}"
        );
        assert_eq!(text.matches("class=\"b\"").count(), 3, "two runs of cells and the key");
    }

    #[test]
    fn tables_pictures_and_pages_are_bounded() {
        let size = 10_000 << 20;
        let damaged: Vec<Range<u64>> = (0..5000).map(|i| (2 * i) << 20..(2 * i + 1) << 20).collect();
        let report = report(size, damaged);
        let mut page = Page::default();
        for _ in 0..1234 {
            page.add(Tone::Bad, || section(b"x", "", None));
        }
        assert!(page.text().contains("<p class=\"more\">234 more files are not shown.</p>"));
        let text = section(b"x", "", Some((Reference::Tree(&header(size)), &report)));
        assert_eq!(text.matches("<tr><td>").count(), 1000);
        assert!(text.contains("4,000 more ranges are not shown."));
        assert!(text.matches("<rect").count() <= 16 * CELLS);
        assert!(Page::default().text().contains("No file failed."));
    }

    #[test]
    fn missing_bytes_are_distinguished_from_wrong_ones() {
        let cut = report(100 << 20, vec![5 << 20..6 << 20, 100 << 20..200 << 20]);
        let text = section(b"x", "", Some((Reference::Tree(&header(200 << 20)), &cut)));
        assert!(text.contains("<dt>Expected size</dt><dd>209,715,200 bytes (200 MiB)</dd>"));
        assert!(text.contains("class=\"m\" x=\"0\"") && text.contains("class=\"b\" x="));
        assert!(text.contains(">104,857,600</a></td><td>104,857,600</td><td>missing</td>"));
    }
}
