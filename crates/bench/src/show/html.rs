//! Saved runs as one HTML page with charts: without scripts, fonts or pictures from elsewhere, so it can be mailed,
//! archived and opened offline. It follows the reader's light or dark setting; each chart is laid out for wide, medium
//! and narrow windows, because text that shrinks with the window is unreadable on a phone.

use super::chart::{Theme, dark, escape, variables};
use super::report::Report;
use super::section::{Section, Table};
use crate::record::Record;
use std::fmt::Write;

/// Layouts of a chart: the class that shows one, and its width in pixels.
const LAYOUTS: [(&str, u32); 3] = [("wide", 860), ("middling", 560), ("narrow", 346)];

const PAGE: &str = "*{box-sizing:border-box}\
body{margin:0 auto;max-width:920px;padding:16px;background:var(--ground);color:var(--text);\
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.2rem;margin-top:2.5rem}a{color:var(--c0)}\
p,li,dd{overflow-wrap:anywhere}svg{display:block;max-width:100%;height:auto}.middling,.narrow{display:none}\
@media(max-width:919px){.wide{display:none}.middling{display:block}}\
@media(max-width:619px){.middling{display:none}.narrow{display:block}}\
figure{margin:1rem 0}details{margin:.5rem 0 1rem}summary{cursor:pointer;color:var(--c0)}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem}\
th,td{padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--grid);text-align:left;white-space:nowrap}\
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}\
code{font:.875rem ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\
.summary{border-left:4px solid var(--c0);padding:.25rem 1rem;margin:1rem 0}.summary ul{padding-left:1.2rem;margin:.5rem 0}\
.note{border-left:4px solid var(--c1);padding:.25rem 1rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;font-size:.875rem}\
dt{color:var(--muted)}dd{margin:0}nav ul{padding-left:1.2rem}\
@media(max-width:500px){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}";

/// Returns the page of one or more runs.
pub fn page(reports: &[Report]) -> String {
    let heading = match reports {
        [report] => report.heading(),
        _ => format!("truesum bench: {} runs", reports.len()),
    };
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{1}{2}{PAGE}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(&heading),
        variables(),
        dark()
    );
    if reports.len() > 1 {
        html += "<nav><ul>\n";
        for (i, report) in reports.iter().enumerate() {
            let date = report.date();
            let what = report.what();
            let what = if what.is_empty() { String::new() } else { format!(": {what}") };
            let heading = report.heading();
            let line = escape(&format!("{heading}{what} ({date})"));
            let _ = writeln!(html, "<li><a href=\"#run-{i}\">{line}</a></li>");
        }
        html += "</ul></nav>\n";
    }
    for (i, report) in reports.iter().enumerate() {
        run(&mut html, i, report, reports.len() > 1);
    }
    html += "</body>\n</html>\n";
    html
}

fn run(html: &mut String, index: usize, report: &Report, several: bool) {
    let record = report.record;
    let _ = writeln!(html, "<section id=\"run-{index}\">");
    if several {
        let _ = writeln!(html, "<h1>{}</h1>", escape(&report.heading()));
    }
    summary(html, report);
    notes(html, report);
    for section in &report.sections {
        figure(html, index, section);
    }
    let _ = writeln!(html, "<h2>Machine</h2>\n<dl>");
    for (name, value) in report.facts() {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(&name), escape(&value));
    }
    html.push_str("</dl>\n");
    engines(html, record);
    agreements(html, record);
    let command = escape(&record.command);
    let _ =
        writeln!(html, "<h2>Command</h2>\n<p id=\"command-{index}\"><code>{command}</code></p>\n</section>");
}

/// Writes what was measured, on which machine, and the results.
fn summary(html: &mut String, report: &Report) {
    let machine = &report.record.environment;
    let cores = if machine.cores == 1 { "1 core".to_owned() } else { format!("{} cores", machine.cores) };
    let what = if report.record.summary.is_empty() { String::new() } else { format!("{}. ", report.what()) };
    let _ = writeln!(
        html,
        "<div class=\"summary\">\n<p>{}</p>\n<ul>",
        words(&format!(
            "{what}Input: {}. Machine: {}, {cores}. Date: {}.",
            report.record.input,
            machine.cpu,
            report.date()
        ))
    );
    for finding in &report.findings {
        let _ = writeln!(html, "<li>{}</li>", words(finding));
    }
    html.push_str("</ul>\n</div>\n");
}

/// Writes all limitations of the figures, collapsed: they are read once, the figures often.
fn notes(html: &mut String, report: &Report) {
    let mut notes = report.warnings();
    let missing = report.record.missing.iter().map(|m| format!("not found: {} ({})", m.name, m.get));
    notes.extend(missing);
    let count = match notes.len() {
        0 => return,
        1 => "1 note".to_owned(),
        many => format!("{many} notes"),
    };
    let _ = writeln!(html, "<details class=\"note\"><summary>{count} on these figures</summary>\n<ul>");
    for note in notes {
        let _ = writeln!(html, "<li>{}</li>", words(&note));
    }
    html.push_str("</ul></details>\n");
}

fn figure(html: &mut String, index: usize, section: &Section) {
    let id = format!("{}-{index}", section.id);
    let _ = writeln!(html, "<h2 id=\"{id}\">{}</h2>", escape(&section.title));
    for line in &section.text {
        let _ = writeln!(html, "<p>{}</p>", words(line));
    }
    match &section.chart {
        Some(chart) => {
            let _ = writeln!(html, "<figure>\n<figcaption>{}</figcaption>", escape(&chart.title));
            for (class, width) in LAYOUTS {
                let _ = writeln!(html, "<div class=\"{class}\">{}</div>", chart.svg(width, Theme::Inline));
            }
            let figures = grid(&section.table);
            let _ = writeln!(html, "<details><summary>Figures</summary>{figures}</details>\n</figure>");
        }
        None => html.push_str(&grid(&section.table)),
    }
}

/// Converts text to HTML: text between two backticks is code.
fn words(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let mut html = String::new();
    for (i, part) in parts.into_iter().enumerate() {
        match i % 2 {
            0 => html += &escape(part),
            _ => html += &format!("<code>{}</code>", escape(part)),
        }
    }
    html
}

fn grid(table: &Table) -> String {
    let mut html = "<div class=\"scroll\"><table>\n<thead><tr>".to_owned();
    let class = |i: usize| if table.columns[i].number { " class=\"n\"" } else { "" };
    for (i, column) in table.columns.iter().enumerate() {
        let _ = write!(html, "<th{}>{}</th>", class(i), escape(&column.title));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        html.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let _ = write!(html, "<td{}>{}</td>", class(i), escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn engines(html: &mut String, record: &Record) {
    if !record.engines.is_empty() {
        let mut table = Table::new(&["engine", "version", "command", "bias"]);
        for engine in &record.engines {
            let cells = [&engine.name, &engine.version, &engine.command, &engine.bias];
            table.rows.push(cells.map(String::clone).to_vec());
        }
        let _ = writeln!(html, "<details><summary>Engines</summary>{}</details>", grid(&table));
    }
}

fn agreements(html: &mut String, record: &Record) {
    if record.agreements.is_empty() {
        return;
    }
    let mut table = Table::new(&["checked", "digest", "agree", "disagree"]);
    for agreement in &record.agreements {
        table.rows.push(vec![
            agreement.subject.clone(),
            agreement.digest.clone(),
            agreement.agree.join(", "),
            agreement.disagree.join(", "),
        ]);
    }
    let _ = writeln!(html, "<details><summary>Agreement of digests</summary>{}</details>", grid(&table));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_backticks_becomes_code() {
        assert_eq!(words("`a <b>` & c"), "<code>a &lt;b&gt;</code> &amp; c");
        assert_eq!(words("a ` alone"), "a ` alone");
    }
}
