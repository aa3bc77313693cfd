//! Every output format of recorded runs, byte for byte. `TRUESUM_BLESS=1 cargo test -p truesum-bench --test bench golden`
//! updates the expected files; review the difference before keeping it.

use std::path::{Path, PathBuf};
use truesum_bench::models::{self, MODELS};
use truesum_bench::record::Record;
use truesum_bench::show::chart::Theme;
use truesum_bench::show::{PageForm, Report, Section, html};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Each model has a recorded run in this folder, under its name.
fn runs() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.name)
}

fn text(record: &Record, form: PageForm) -> String {
    form.of(&models::report(record))
}

fn sections(record: &Record) -> Vec<Section> {
    models::report(record).sections
}

fn record(name: &str) -> Record {
    Record::read(&directory().join(format!("{name}.json"))).unwrap()
}

fn check(file: &str, found: &str) {
    let path = directory().join(file);
    if std::env::var_os("TRUESUM_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    if let Some((line, (a, b))) = expected.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{file}, line {}:\nexpected {a}\nfound    {b}", line + 1);
    }
    assert_eq!(expected.len(), found.len(), "{file}: one is longer");
}

#[test]
fn text_tables_match_golden_files() {
    runs().for_each(|name| check(&format!("{name}.txt"), &text(&record(name), PageForm::default())));
}

#[test]
fn csv_matches_golden_files() {
    let form = PageForm { csv: true, ..PageForm::default() };
    runs().for_each(|name| check(&format!("{name}.csv"), &text(&record(name), form)));
}

#[test]
fn markdown_matches_golden_files() {
    let form = PageForm { markdown: true, ..PageForm::default() };
    runs().for_each(|name| check(&format!("{name}.md"), &text(&record(name), form)));
}

#[test]
fn json_round_trips_and_matches_golden_files() {
    let form = PageForm { json: true, ..PageForm::default() };
    for name in runs() {
        let record = record(name);
        let json = text(&record, form);
        let again = Record::from_json(&json).unwrap();
        assert_eq!(again, record);
        assert_eq!(text(&again, form), json);
        let expected = std::fs::read_to_string(directory().join(format!("{name}.json"))).unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&json), value(&expected), "{name}");
    }
}

#[test]
fn first_chart_of_each_run_matches_golden_files() {
    for name in runs() {
        let chart = sections(&record(name)).into_iter().find_map(|section| section.chart).unwrap();
        check(&format!("{name}.svg"), &chart.svg(720, Theme::Both));
    }
}

#[test]
fn html_report_is_one_well_formed_page() {
    let records: Vec<Record> = runs().map(record).collect();
    let reports: Vec<Report> = records.iter().map(models::report).collect();
    let page = html::page(&reports);
    let charts: usize =
        reports.iter().flat_map(|report| &report.sections).filter(|section| section.chart.is_some()).count();
    // Each is laid out for wide, medium and narrow windows.
    assert_eq!(page.matches("<svg ").count(), 3 * charts);
    assert_eq!(page.matches("<figure>").count(), charts);
    assert_eq!(page.matches("<summary>Figures</summary>").count(), charts);
    for (i, record) in records.iter().enumerate() {
        assert!(page.contains(&format!("id=\"command-{i}\"><code>{}</code>", record.command)));
    }
    assert_eq!(page.matches("<div class=\"summary\">").count(), records.len());
    assert!(page.matches("<details class=\"note\">").count() <= records.len());
    for report in &reports {
        assert!((1..=3).contains(&report.findings.len()), "{:?}", report.findings);
    }
    for forbidden in ["<script", "http://", "https://", "@import", "url(", "src="] {
        // A link in the text of an engine or a status is not a request.
        let outside: String =
            page.split("<td>").map(|part| part.split_once("</td>").map_or(part, |(_, rest)| rest)).collect();
        assert!(!outside.contains(forbidden), "the page holds {forbidden}");
    }
    for element in ["section", "figure", "table", "details", "div", "svg"] {
        let (open, close) = (format!("<{element}"), format!("</{element}>"));
        let opened = page.matches(&open).count();
        assert_eq!(opened, page.matches(&close).count(), "{element}");
    }
}

#[test]
fn tool_tables_have_expected_columns() {
    let sections = sections(&record("tools"));
    for engine in ["cfv", "rhash", "find -exec"] {
        let section = sections.iter().find(|s| s.title.starts_with(&format!("{engine}, "))).unwrap();
        let titles: Vec<&str> = section.table.columns.iter().map(|c| c.title.as_str()).collect();
        assert_eq!(titles[..3], ["algorithm", "seconds", "manifest bytes"]);
        assert!(titles.contains(&"truesum seconds"));
        let seconds: Vec<f64> = section.table.rows.iter().map(|row| row[1].parse().unwrap()).collect();
        assert!(seconds.is_sorted(), "{engine}: {seconds:?}");
    }
}
