//! A part of a report: a heading, text, a chart and a table. Every output format shows the same ones.

use super::chart::Chart;

/// One part of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// A name for files and links: `algorithms-rate`.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The text, one or more sentences each.
    pub text: Vec<String>,
    /// The figures drawn.
    pub chart: Option<Chart>,
    /// The figures.
    pub table: Table,
}

/// Rows and columns of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Headings.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// A heading, and how its cells are aligned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// True if its cells are numbers, aligned right.
    pub number: bool,
}

impl Table {
    /// Returns a table without rows. A title that begins with `#` marks a column of numbers.
    pub fn new(titles: &[&str]) -> Table {
        let column = |title: &&str| match title.strip_prefix('#') {
            Some(title) => Column { title: title.to_owned(), number: true },
            None => Column { title: (*title).to_owned(), number: false },
        };
        Table { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }
}
