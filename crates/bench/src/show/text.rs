//! A report as text for a terminal.

use super::report::Report;
use super::section::Table;
use comfy_table::{CellAlignment, ContentArrangement, presets};
use std::fmt::Write;

/// The sections as headings and tables, warnings first, the machine last.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for warning in report.warnings() {
        let _ = writeln!(text, "! {warning}");
    }
    for section in &report.sections {
        let _ = writeln!(text, "\n{}\n", section.title);
        for line in &section.text {
            let _ = writeln!(text, "{}\n", wrap(line, 100));
        }
        let _ = writeln!(text, "{}", grid(&section.table));
    }
    text.push('\n');
    for (name, value) in report.facts() {
        let _ = writeln!(text, "{name:<13} {value}");
    }
    for missing in &report.record.missing {
        let _ = writeln!(text, "{:<13} {}: {}", "Not found", missing.name, missing.get);
    }
    text.strip_prefix('\n').map(str::to_owned).unwrap_or(text)
}

/// One table.
pub fn grid(table: &Table) -> String {
    let mut grid = comfy_table::Table::new();
    grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    grid.set_header(table.columns.iter().map(|column| column.title.as_str()));
    for row in &table.rows {
        grid.add_row(row.iter().map(String::as_str));
    }
    for (column, about) in grid.column_iter_mut().zip(&table.columns) {
        column.set_padding((0, 2));
        if about.number {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = grid.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Breaks at spaces so that no line is longer than `width` characters, words permitting.
fn wrap(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += len;
    }
    wrapped
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_the_right() {
        let mut table = Table::new(&["name", "#rate"]);
        table.rows.push(vec!["a".to_owned(), "1".to_owned()]);
        table.rows.push(vec!["long name".to_owned(), "1000".to_owned()]);
        assert_eq!(grid(&table), "name       rate\na             1\nlong name  1000");
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        assert_eq!(wrap("aa bb cc dd", 5), "aa bb\ncc dd");
        assert_eq!(wrap("a-long-word b", 5), "a-long-word\nb");
    }
}
