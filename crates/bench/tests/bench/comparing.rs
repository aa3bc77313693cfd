//! `bench compare` for recorded runs that were changed by a known amount.

use truesum_bench::record::Record;
use truesum_bench::record::compare::{Change, compare};
use truesum_bench::show::PageForm;

fn record(name: &str) -> Record {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    Record::read(path.as_ref()).unwrap()
}

/// Returns the run with every time and the clock multiplied.
fn changed(mut record: Record, time: f64, clock: f64) -> Record {
    for m in &mut record.measurements {
        m.seconds.iter_mut().for_each(|s| *s *= time);
        m.clock.iter_mut().for_each(|c| *c *= clock);
    }
    record
}

#[test]
fn run_equals_itself() {
    let run = record("limit");
    let comparison = compare(&run, &run, 0.05).unwrap();
    assert_eq!((comparison.verdict, comparison.unmatched), (Change::Same, 0));
    assert_eq!((comparison.median_ratio, comparison.mean_ratio), (1.0, 1.0));
}

#[test]
fn slower_and_faster_runs_are_detected() {
    let run = record("limit");
    let slower = compare(&run, &changed(run.clone(), 2.0, 1.0), 0.05).unwrap();
    assert_eq!(slower.verdict, Change::Slower);
    assert!((slower.median_ratio - 2.0).abs() < 1e-9);
    let faster = compare(&run, &changed(run.clone(), 0.5, 1.0), 0.05).unwrap();
    assert_eq!(faster.verdict, Change::Faster);
}

#[test]
fn lower_clock_rate_is_not_a_regression() {
    let mut run = record("limit");
    run.measurements.retain(|m| !m.clock.is_empty());
    // Half the clock, twice the time: the same cycles.
    let comparison = compare(&run, &changed(run.clone(), 2.0, 0.5), 0.05).unwrap();
    assert_eq!(comparison.verdict, Change::Same);
    assert!(comparison.rows.iter().all(|row| row.cycles));
}

#[test]
fn differences_within_noise_are_ignored() {
    let mut run = record("limit");
    run.measurements.truncate(1);
    run.measurements[0].clock.clear();
    run.measurements[0].seconds = vec![1.0, 1.5, 0.8, 1.3, 0.7, 1.2];
    let slower = compare(&run, &changed(run.clone(), 1.10, 1.0), 0.05).unwrap();
    assert_eq!(slower.verdict, Change::Same, "{slower:?}");
    run.measurements[0].seconds = vec![1.0, 1.001, 0.999, 1.0, 1.002, 0.998];
    let slower = compare(&run, &changed(run.clone(), 1.10, 1.0), 0.05).unwrap();
    assert_eq!(slower.verdict, Change::Slower, "{slower:?}");
    assert_eq!(compare(&run, &changed(run.clone(), 1.10, 1.0), 0.2).unwrap().verdict, Change::Same);
}

#[test]
fn runs_of_different_models_are_not_compared() {
    assert!(compare(&record("limit"), &record("io"), 0.05).unwrap_err().0.contains("cannot compare"));
    let mut empty = record("limit");
    empty.measurements.clear();
    assert!(compare(&record("limit"), &empty, 0.05).unwrap_err().0.contains("no measurement in common"));
}

#[test]
fn every_output_form_names_the_slower_measurement() {
    let run = record("limit");
    let comparison = compare(&run, &changed(run.clone(), 2.0, 1.0), 0.05).unwrap();
    let forms = [
        PageForm::default(),
        PageForm { json: true, ..PageForm::default() },
        PageForm { csv: true, ..PageForm::default() },
        PageForm { markdown: true, ..PageForm::default() },
    ];
    for form in forms {
        let text = comparison.text(form);
        assert!(text.contains("slower") && text.contains("sha256"), "{text}");
    }
}
