//! Saved runs as one HTML page with charts: no script, no font and no picture from elsewhere, so it can be mailed, archived
//! and opened without a network. It follows the reader's light or dark setting; each chart is laid out twice, for wide and
//! for narrow windows, because text that shrinks with the window cannot be read on a phone.

use super::chart::{Theme, escape, style};
use super::report::Report;
use super::section::{Section, Table};
use crate::record::Record;
use std::fmt::Write;

/// Widths of a chart in wide and in narrow windows, in pixels.
const WIDE: u32 = 860;
const NARROW: u32 = 346;

const PAGE: &str = "*{box-sizing:border-box}\
body{margin:0 auto;max-width:920px;padding:16px;background:var(--ground);color:var(--text);\
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.2rem;margin-top:2.5rem}a{color:var(--c0)}\
p,li,dd{overflow-wrap:anywhere}svg{display:block;max-width:100%;height:auto}.narrow{display:none}\
@media(max-width:919px){.wide{display:none}.narrow{display:block}}\
figure{margin:1rem 0}details{margin:.5rem 0 1rem}summary{cursor:pointer;color:var(--c0)}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem}\
th,td{padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--grid);text-align:left;white-space:nowrap}\
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}\
code{font:.875rem ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\
.warning{border-left:4px solid var(--c1);padding:.25rem .75rem;margin:.5rem 0}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;font-size:.875rem}\
dt{color:var(--muted)}dd{margin:0}nav ul{padding-left:1.2rem}\
@media(max-width:500px){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}";

/// The page of one or more runs.
pub fn page(reports: &[Report]) -> String {
    let heading = match reports {
        [report] => report.title(),
        _ => format!("truesum bench: {} runs", reports.len()),
    };
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{1}{PAGE}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(&heading),
        style()
    );
    if reports.len() > 1 {
        html += "<nav><ul>\n";
        for (i, report) in reports.iter().enumerate() {
            let _ = writeln!(
                html,
                "<li><a href=\"#run-{i}\">{} ({})</a></li>",
                escape(&report.full_title()),
                report.record.started
            );
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
        let _ = writeln!(html, "<h1>{}</h1>", escape(&report.full_title()));
    }
    let _ =
        writeln!(html, "<p id=\"command-{index}\">Repeat with <code>{}</code></p>", escape(&record.command));
    for warning in report.warnings() {
        let _ = writeln!(html, "<p class=\"warning\">{}</p>", escape(&warning));
    }
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
    html.push_str("</section>\n");
}

fn figure(html: &mut String, index: usize, section: &Section) {
    let id = format!("{}-{index}", section.id);
    let _ = writeln!(html, "<h2 id=\"{id}\">{}</h2>", escape(&section.title));
    for line in &section.text {
        let _ = writeln!(html, "<p>{}</p>", escape(line));
    }
    match &section.chart {
        Some(chart) => {
            let _ = writeln!(
                html,
                "<figure>\n<figcaption>{}</figcaption>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n\
                 <details><summary>Figures</summary>{}</details>\n\
                 <a href=\"#command-{index}\">the command that made this chart</a>\n</figure>",
                escape(&chart.title),
                chart.svg(WIDE, Theme::Inline),
                chart.svg(NARROW, Theme::Inline),
                grid(&section.table)
            );
        }
        None => html.push_str(&grid(&section.table)),
    }
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
    for missing in &record.missing {
        let _ = writeln!(
            html,
            "<p>Not found here: {}. To get it: {}.</p>",
            escape(&missing.name),
            escape(&missing.get)
        );
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
