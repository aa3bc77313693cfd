//! A report as text for a terminal of 80 columns.

use super::report::Report;
use super::section::Table;
use std::fmt::Write;

/// Columns of a line.
const WIDTH: usize = 80;
/// Spaces between two columns of a table.
const GAP: usize = 2;
/// Columns to which a text in a table is shortened at most.
const SHORTEST: usize = 20;

/// Warnings, tables and the machine; the findings come last, where a terminal shows them.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for warning in report.warnings() {
        let _ = writeln!(text, "{}", wrap("! ", "  ", &warning));
    }
    for section in &report.sections {
        let _ = writeln!(text, "\n{}\n", section.title);
        for line in &section.text {
            let _ = writeln!(text, "{}\n", wrap("", "", line));
        }
        let _ = writeln!(text, "{}", grid(&section.table));
    }
    text.push('\n');
    let missing = report.record.missing.iter();
    let missing =
        missing.map(|missing| ("Not found".to_owned(), format!("{}: {}", missing.name, missing.get)));
    for (name, value) in report.facts().into_iter().chain(missing) {
        let _ = writeln!(text, "{}", wrap(&format!("{name:<13} "), &" ".repeat(14), &value));
    }
    if !report.findings.is_empty() {
        text.push_str("\nSummary\n");
    }
    for finding in &report.findings {
        let _ = writeln!(text, "{}", wrap("  ", "  ", finding));
    }
    text.strip_prefix('\n').map(str::to_owned).unwrap_or(text)
}

/// Returns a table whose lines fit into `WIDTH` if they can: headings are broken at spaces, long
/// texts are shortened in their middle, and finally the first column gets separate lines.
pub fn grid(table: &Table) -> String {
    let cells = |at: usize| table.rows.iter().filter_map(move |row| row.get(at)).map(|cell| length(cell));
    let heading = |at: usize, broken: bool| match broken {
        true => table.columns[at].title.split(' ').map(length).max().unwrap_or(0),
        false => length(&table.columns[at].title),
    };
    let widths = |broken: bool| -> Vec<usize> {
        (0..table.columns.len()).map(|at| cells(at).max().unwrap_or(0).max(heading(at, broken))).collect()
    };
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let mut full = widths(false);
    if total(&full) > WIDTH {
        full = widths(true);
        // Headings of two lines are enough where there is room.
        for at in 0..full.len() {
            while total(&full) < WIDTH && broken(&table.columns[at].title, full[at]).lines().count() > 2 {
                full[at] += 1;
            }
        }
    }
    let shorten = |widths: &mut [usize], first: usize, room: usize| {
        for at in (first..widths.len()).filter(|at| !table.columns[*at].number) {
            let over = total(&widths[first..]).saturating_sub(room);
            let least = heading(at, true).max(SHORTEST).min(widths[at]);
            widths[at] = widths[at].saturating_sub(over).max(least);
        }
    };
    let mut widths = full.clone();
    let first = full.first().map_or(0, |first| first + GAP);
    shorten(&mut widths, 1, WIDTH.saturating_sub(first));
    if total(&widths) <= WIDTH {
        return lines(table, &widths, 0);
    }
    widths = full;
    shorten(&mut widths, 1, WIDTH - GAP);
    lines(table, &widths, 1)
}

/// Returns the lines of a table with columns of these widths; if `own` is 1, the first column has lines of its own, without
/// repetitions.
fn lines(table: &Table, widths: &[usize], own: usize) -> String {
    let indent = GAP * own;
    let line = |cells: &[String]| {
        let mut line = " ".repeat(indent);
        for ((cell, width), column) in cells.iter().zip(widths).zip(&table.columns).skip(own) {
            let cell = shortened(cell, *width);
            let pad = " ".repeat(width - length(&cell));
            line += &if column.number { pad + &cell } else { cell + &pad };
            line += &" ".repeat(GAP);
        }
        line.trim_end().to_owned()
    };
    let titles: Vec<Vec<String>> = table
        .columns
        .iter()
        .zip(widths)
        .map(|(column, width)| broken(&column.title, *width).lines().map(str::to_owned).collect())
        .collect();
    let height = titles.iter().skip(own).map(Vec::len).max().unwrap_or(0);
    let mut found = Vec::new();
    if own == 1 {
        found.extend(table.columns.first().map(|column| column.title.clone()));
    }
    for at in 0..height {
        // Headings stand on their last line.
        let cell = |title: &Vec<String>| {
            let at = (at + title.len()).checked_sub(height);
            at.and_then(|at| title.get(at)).cloned().unwrap_or_default()
        };
        let cells: Vec<String> = titles.iter().map(cell).collect();
        found.push(line(&cells));
    }
    let mut last = None;
    for row in &table.rows {
        let name = row.first();
        if own == 1 && last != name {
            found.extend(name.cloned());
        }
        last = name;
        found.push(line(row));
    }
    found.join("\n")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text of at most `width` characters, of which the middle is left out if it is longer.
fn shortened(text: &str, width: usize) -> String {
    let all: Vec<char> = text.chars().collect();
    if all.len() <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(3);
    let (begin, end) = (kept.div_ceil(2), kept / 2);
    all[..begin].iter().chain(&['.'; 3][..width.min(3)]).chain(&all[all.len() - end..]).collect()
}

/// Breaks a text at spaces into lines of at most `WIDTH` characters, words permitting, with these beginnings.
fn wrap(first: &str, others: &str, text: &str) -> String {
    let width = WIDTH - length(others);
    broken(text, width)
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{}{line}", if at == 0 { first } else { others }))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Breaks at spaces so that no line is longer than `width` characters, words permitting.
fn broken(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = length(word);
        if column > 0 && column + 1 + length > width {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(titles: &[&str], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(titles);
        table.rows.extend(rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()));
        table
    }

    #[test]
    fn numbers_are_right_aligned() {
        let table = table(&["name", "#rate"], &[&["a", "1"], &["long name", "1000"]]);
        assert_eq!(grid(&table), "name       rate\na             1\nlong name  1000");
    }

    #[test]
    fn wide_tables_fit_80_columns() {
        let headings = table(&["name", &format!("#{}", "heading ".repeat(12))], &[&["a", "1"]]);
        let texts = table(&["name", "#n", "version"], &[&["a", "1", &"v".repeat(90)]]);
        let long = "n".repeat(70);
        let names =
            table(&["name", "#rate", "what"], &[&[&long, "12345678", &"w".repeat(90)], &[&long, "2", ""]]);
        for table in [&headings, &texts, &names] {
            assert!(grid(table).lines().all(|line| length(line) <= WIDTH), "{}", grid(table));
        }
        assert_eq!(grid(&headings).lines().count(), 3, "{}", grid(&headings));
        assert!(grid(&texts).contains("vvv...vvv"));
        assert_eq!(grid(&names).matches(&long).count(), 1, "{}", grid(&names));
        assert!(grid(&names).contains("\n  12345678  www"), "{}", grid(&names));
    }

    #[test]
    fn long_lines_are_wrapped_at_spaces() {
        assert_eq!(broken("aa bb cc dd", 5), "aa bb\ncc dd");
        assert_eq!(broken("a-long-word b", 5), "a-long-word\nb");
        assert_eq!(wrap("! ", "  ", &"word ".repeat(17)).lines().last().unwrap(), "  word word");
    }
}
