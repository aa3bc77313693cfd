//! A record as Markdown, for a README or an issue.

use crate::record::Record;
use crate::view::{self, Table};
use std::fmt::Write;

/// The sections as headings and tables, with the command and the machine.
pub fn text(record: &Record) -> String {
    let mut text = format!("# {}\n\n`{}`\n\n", title(record), record.command);
    for warning in view::warnings(record) {
        let _ = writeln!(text, "> {}\n", escape(&warning));
    }
    for section in view::sections(record) {
        let _ = writeln!(text, "## {}\n", escape(&section.title));
        for line in &section.text {
            let _ = writeln!(text, "{}\n", escape(line));
        }
        let _ = writeln!(text, "{}", grid(&section.table));
    }
    text.push_str("## Machine\n\n");
    for (name, value) in view::facts(record) {
        let _ = writeln!(text, "- {name}: {}", escape(&value));
    }
    for missing in &record.missing {
        let _ = writeln!(text, "- Not found: {} ({})", escape(&missing.name), escape(&missing.get));
    }
    text
}

/// What a run is called in headings.
pub(crate) fn title(record: &Record) -> String {
    format!("truesum bench {}: {}", record.model.word(), record.input)
}

/// The same where several runs of one model over one input stand beside each other.
pub(crate) fn full_title(record: &Record) -> String {
    match &what(record)[..] {
        "" => title(record),
        what => format!("{}: {what}", title(record)),
    }
}

/// What a run measures, in one line; empty where an old record does not say.
pub(crate) fn what(record: &Record) -> String {
    let cold = if record.notes.iter().any(|note| note.starts_with("cold:")) { ", cold cache" } else { "" };
    format!("{}{cold}", record.summary)
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

/// Characters that would end a cell or begin markup.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_end_their_column() {
        let mut table = Table::new(&["engine", "#s"]);
        table.rows.push(vec!["find | xargs <x>".to_owned(), "1".to_owned()]);
        assert_eq!(grid(&table), "| engine | s |\n| --- | ---: |\n| find \\| xargs &lt;x> | 1 |\n");
    }
}
