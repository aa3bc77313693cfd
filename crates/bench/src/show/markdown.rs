//! A report as Markdown, for a README or an issue.

use super::report::Report;
use super::section::Table;
use std::fmt::Write;

/// Returns the sections as headings and tables, with the command and the machine.
pub fn text(report: &Report) -> String {
    let mut text = format!("# {}\n\n`{}`\n\n", report.title(), report.record.command);
    for finding in &report.findings {
        let _ = writeln!(text, "- {}", escape(finding));
    }
    if !report.findings.is_empty() {
        text.push('\n');
    }
    for warning in report.warnings() {
        let _ = writeln!(text, "> {}\n", escape(&warning));
    }
    for section in &report.sections {
        let _ = writeln!(text, "## {}\n", escape(&section.title));
        for line in &section.text {
            let _ = writeln!(text, "{}\n", escape(line));
        }
        let _ = writeln!(text, "{}", grid(&section.table));
    }
    text.push_str("## Machine\n\n");
    for (name, value) in report.facts() {
        let _ = writeln!(text, "- {name}: {}", escape(&value));
    }
    for missing in &report.record.missing {
        let _ = writeln!(text, "- Not found: {} ({})", escape(&missing.name), escape(&missing.get));
    }
    text
}

pub(crate) fn grid(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns.iter().map(|column| escape(&column.title)).collect());
    text += &line(table.columns.iter().map(|c| if c.number { "---:" } else { "---" }.to_owned()).collect());
    for row in &table.rows {
        text += &line(row.iter().map(|cell| escape(cell)).collect());
    }
    text
}

/// Escapes characters that would end a cell or begin markup.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_cells_are_escaped() {
        let mut table = Table::new(&["engine", "#s"]);
        table.rows.push(vec!["find | xargs <x>".to_owned(), "1".to_owned()]);
        assert_eq!(grid(&table), "| engine | s |\n| --- | ---: |\n| find \\| xargs &lt;x> | 1 |\n");
    }
}
