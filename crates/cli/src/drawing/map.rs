//! Maps that show where a file is damaged, as characters for a terminal or bars in SVG.
//!
//! A map has a fixed number of cells, regardless of the number of ranges; a cell that contains any
//! damage is marked.

use crate::drawing::xml::{WIDTH, escaped};
use std::fmt::Write;
use std::ops::Range;
use truesum::manifest::path::display_safe;

/// Returns the cells of a map: for each, whether it contains damage.
pub fn cells(size: u64, damaged: &[Range<u64>], count: usize) -> Vec<bool> {
    let size = u128::from(size.max(1));
    let place = |offset: u64| (u128::from(offset) * count as u128 / size) as usize;
    let mut cells = vec![false; count];
    for range in damaged.iter().filter(|range| !range.is_empty()) {
        let last = place(range.end - 1).min(count - 1);
        cells[place(range.start).min(last)..=last].fill(true);
    }
    cells
}

/// Returns a map of a file for a terminal: each character represents an equal share of the file,
/// and damaged ones are marked.
pub fn map(size: u64, damaged: &[Range<u64>]) -> String {
    const COLUMNS: usize = 64;
    let rows = (size >> 24).clamp(1, 16) as usize;
    let mut text = String::new();
    for (index, row) in cells(size, damaged, rows * COLUMNS).chunks(COLUMNS).enumerate() {
        let bar: String = row.iter().map(|&bad| if bad { '#' } else { '.' }).collect();
        let start = (u128::from(size) * index as u128 / rows as u128) as u64;
        let _ = writeln!(text, "{start:>16} {bar}");
    }
    let share = (size / (rows * COLUMNS) as u64).max(1);
    let unit = if share == 1 { "byte" } else { "bytes" };
    let _ = writeln!(text, "{:>16} {share} {unit} per character; # = damaged", "");
    text
}

/// The text that identifies pages and pictures from earlier runs.
pub const MARK: &str = "truesum damage map";

/// Returns the same map as SVG.
pub fn map_svg(size: u64, damaged: &[Range<u64>], name: &[u8]) -> String {
    let name = escaped(&display_safe(name));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} 80\" font-family=\"monospace\" font-size=\"12\">\n\
         <desc>{MARK}</desc>\n\
         <text x=\"0\" y=\"16\">{name}: {size} B</text>\n\
         <rect x=\"0\" y=\"28\" width=\"{WIDTH}\" height=\"40\" fill=\"#b8d8b0\"/>\n"
    );
    for range in damaged {
        let place = |offset: u64| offset as f64 / size.max(1) as f64 * WIDTH;
        let (x, width) = (place(range.start), (place(range.end) - place(range.start)).max(1.0));
        let _ = writeln!(
            text,
            "<rect x=\"{x:.2}\" y=\"28\" width=\"{width:.2}\" height=\"40\" fill=\"#c02020\"><title>{}..{}</title></rect>",
            range.start, range.end
        );
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_mark_damaged_ranges() {
        let lines = map(64, &[0..1, 63..64]);
        assert!(lines.contains(&format!("#{}#", ".".repeat(62))), "{lines}");
        assert!(!map(1 << 40, &[]).lines().next().unwrap().contains('#'));
        assert!(map(0, &[]).contains('.'));
        assert_eq!(
            map(1 << 40, std::slice::from_ref(&(5..6))).matches('#').count(),
            2,
            "one cell and the legend"
        );
        assert!(map_svg(100, std::slice::from_ref(&(1..2)), b"x").contains("1..2"));
    }
}
