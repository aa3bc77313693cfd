//! The report as displayed: opened in headless Chromium, wide and narrow, light and dark.
//!
//! `benchmarks/check_report.py` checks it; without Chromium or playwright the oracle is reported as missing. The
//! screenshots remain in the build directory for inspection.

use std::path::Path;
use std::process::Command;
use truesum_bench::models;
use truesum_bench::record::Record;
use truesum_bench::show::{Report, html};

#[test]
fn report_renders_in_a_browser() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = ["algorithms", "tools", "io", "limit", "tree"];
    let records: Vec<Record> = names
        .iter()
        .map(|name| Record::read(&crate_root.join(format!("tests/golden/{name}.json"))).unwrap())
        .collect();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&directory).unwrap();
    let page = directory.join("report.html");
    let reports: Vec<Report> = records.iter().map(models::report).collect();
    std::fs::write(&page, html::page(&reports)).unwrap();
    let script = crate_root.join("../../benchmarks/check_report.py");
    let output = Command::new("python3").arg(script).arg(&page).arg(&directory).output();
    let (status, message) = match output {
        Ok(output) => (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(why) => (Some(77), format!("python3: {why}")),
    };
    if status == Some(77) {
        return truesum_test_support::oracle::missing(&message);
    }
    assert_eq!(status, Some(0), "{message}");
    for width in [1280, 838, 390] {
        for scheme in ["light", "dark"] {
            let shot = directory.join(format!("report-{width}-{scheme}.png"));
            assert!(shot.metadata().unwrap().len() > 10_000, "{}", shot.display());
        }
    }
}
