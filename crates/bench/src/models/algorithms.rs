//! `bench algorithms`: every algorithm in memory, by size, API, kernel and threads.
//!
//! All points are visited in rounds, each for a short slot, so that a slowdown of the machine affects all of them
//! equally. An algorithm or kernel with an unexpected digest is not timed.

mod agree;
mod definition;
mod findings;
mod openssl;
mod points;
mod views;
mod visit;

use super::effort::{Choice, specs};
use super::model::Model;
use super::session::Session;
use crate::measure::{self, Cost, Pace, input};
use crate::record::{Measurement, Record};
use crate::{Error, quantity};
use agree::agree;
use clap::Args;
use definition::{Arguments, Definition};
use points::{Point, points};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};
use truesum_hash::{Spec, kernel};
use visit::{SAMPLES, visit};

/// The row of the table.
pub static MODEL: Model = Model {
    name: "algorithms",
    about: "Measure in-memory hashing speed by message size, API, kernel and thread count",
    examples: "Examples:\n  truesum bench algorithms --quick\n  truesum bench algorithms -a sha256,blake3 --sizes 8KiB,1MiB --html a.html",
    definition: include_str!("../../definitions/algorithms.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| run(&MODEL.read(&session.scope)?, &MODEL.typed(matches)?, session),
    findings: findings::sentences,
    views: views::sections,
};

/// Runs the benchmark.
///
/// # Errors
/// The definition names an unknown generator or the seed 0, or there is no algorithm left to measure.
pub fn run(definition: &Definition, arguments: &Arguments, session: &mut Session) -> Result<Record, Error> {
    if definition.input.generator != "xorshift64*" {
        let generator = &definition.input.generator;
        return Err(Error(format!("unsupported input generator '{generator}' (expected xorshift64*)")));
    }
    if definition.input.seed == 0 {
        return Err(Error("the seed of the input must not be 0".to_owned()));
    }
    let mut record = session.record(MODEL.name, None);
    record.summary.clone_from(&definition.summary);
    record.input = format!("pseudo-random bytes in memory (xorshift64*, seed {})", definition.input.seed);
    record.stream = arguments.stream;
    let named = specs(&arguments.algorithms)?;
    let quick = session.scope.quick;
    let choice = |all: &Choice| match (&named[..], quick) {
        ([], true) => definition.algorithms.quick.specs(),
        ([], false) => all.specs(),
        (named, _) => named.to_vec(),
    };
    let (rate, detail) = (choice(&definition.algorithms.rate), choice(&definition.algorithms.detail));
    let sizes = match (&arguments.sizes[..], quick) {
        ([], true) => definition.input.quick_sizes.iter().map(|b| b.0).collect(),
        ([], false) => definition.input.sizes.iter().map(|b| b.0).collect(),
        (sizes, _) => sizes.to_vec(),
    };
    let largest = sizes.iter().copied().max().unwrap_or(0).max(definition.input.rate_size.0);
    // Enough for the largest message, for a whole batch, and for lanes that start 64 bytes apart in the sets of the
    // cache.
    let lanes = |spec: &Spec| kernel::full_lanes(spec.algorithm()).max(64) as u64;
    let widest = rate.iter().chain(&detail).map(lanes).max().unwrap_or(64);
    let room = largest.max(widest * (definition.input.batch_size.0 + 64)) as usize;
    session.progress.show(0.0, "generating the input");
    let data = input::generated(definition.input.seed, room);

    let mut seconds_per_byte = BTreeMap::new();
    for spec in rate.iter().chain(&detail) {
        let name = spec.to_string();
        if seconds_per_byte.contains_key(&name) || session.stopped() {
            continue;
        }
        session.progress.show(0.0, &format!("checking {name}"));
        let message = &data[..definition.input.rate_size.0 as usize];
        let agreement = agree(spec, message, definition.expected.get(&name).map(String::as_str));
        let right = agreement.disagree.is_empty();
        if !right {
            record.notes.push(format!("{name} was left out: its implementations computed different digests"));
        }
        record.agreements.push(agreement);
        let start = Instant::now();
        black_box(spec.digest(message));
        let per_byte = start.elapsed().as_secs_f64() / message.len() as f64;
        seconds_per_byte.insert(name, right.then_some(per_byte));
    }
    let measured = |spec: &&Spec| matches!(seconds_per_byte.get(&spec.to_string()), Some(Some(_)));
    let rate: Vec<&Spec> = rate.iter().filter(measured).collect();
    let detail: Vec<&Spec> = detail.iter().filter(measured).collect();
    if rate.is_empty() && detail.is_empty() {
        return Err(Error(
            "no algorithm to measure: for every algorithm, the implementations computed different digests"
                .to_owned(),
        ));
    }

    let mut points = points(definition, arguments, &rate, &detail, &sizes);
    points.retain(|point| point.messages() * (point.bytes + 64) <= room + 64);
    let costs: Vec<Cost> = points
        .iter()
        .map(|point| {
            let per_byte = seconds_per_byte[&point.spec.to_string()].unwrap_or(0.0);
            Cost { operation: per_byte * (point.bytes * point.messages()) as f64 + 1e-7 }
        })
        .collect();
    let rounds = session.scope.rounds(&definition.effort);
    let budget = session.scope.seconds(&definition.effort);
    let budget = (budget - session.elapsed()).max(1.0);
    let budget = if arguments.compare.is_empty() { budget } else { budget / 2.0 };
    let plan = measure::plan(&costs, budget, rounds, SAMPLES);
    for (point, _) in points.iter().zip(&plan.keep).filter(|(_, kept)| !**kept) {
        let (spec, size) = (&point.spec, quantity::bytes(point.bytes as u64));
        record.notes.push(format!(
            "{spec} at {size} (--part {}) was left out: too slow for the time limit",
            point.part.word()
        ));
    }
    let points: Vec<Point> = points.into_iter().zip(plan.keep).filter(|(_, k)| *k).map(|(p, _)| p).collect();
    measure_points(&points, &data, rounds, plan.slot, &mut record, session);
    compare(definition, arguments, &detail, &data, rounds, &mut record, session)?;
    session.finish(&mut record);
    Ok(record)
}

fn measure_points(
    points: &[Point],
    data: &[u8],
    rounds: usize,
    slot: Duration,
    record: &mut Record,
    session: &mut Session,
) {
    let mut measurements: Vec<Measurement> = points
        .iter()
        .map(|point| Measurement {
            part: point.part.word().to_owned(),
            engine: "truesum".to_owned(),
            algorithm: point.spec.to_string(),
            variant: point.call.word().to_owned(),
            kernel: point.kernel(),
            bytes: point.bytes as u64,
            threads: point.threads,
            ..Measurement::default()
        })
        .collect();
    let visits = (rounds * points.len()) as f64;
    let mut pace = Pace::new(slot);
    'rounds: for round in 0..rounds {
        for (i, point) in points.iter().enumerate() {
            if session.stopped() {
                break 'rounds;
            }
            let label = format!("{} {}", point.spec, quantity::bytes(point.bytes as u64));
            session.progress.show((round * points.len() + i) as f64 / visits, &label);
            let taken = visit(point, data, pace.next_slot());
            let m = &mut measurements[i];
            m.seconds.extend(taken.seconds);
            m.clock.extend(taken.clock);
            if let Some((allocations, bytes)) = taken.allocations {
                m.allocations = Some(allocations);
                m.allocated = Some(bytes);
            }
        }
    }
    measurements.retain(|m| !m.seconds.is_empty());
    record.measurements.extend(measurements);
}

/// `--compare`: another program's own benchmark of the same algorithm and size, alternating with ours.
fn compare(
    definition: &Definition,
    arguments: &Arguments,
    specs: &[&Spec],
    data: &[u8],
    rounds: usize,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    for name in &arguments.compare {
        let engine = definition.engine.iter().find(|engine| engine.name == *name).ok_or_else(|| {
            let known: Vec<&str> = definition.engine.iter().map(|e| e.name.as_str()).collect();
            Error(format!("unknown engine '{name}' (known engines: {})", known.join(", ")))
        })?;
        if engine.present(record) {
            let message = &data[..definition.input.rate_size.0 as usize];
            openssl::compare(engine, specs, message, rounds, record, session)?;
        }
    }
    Ok(())
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::effort::Scope;
    use crate::models::progress::Progress;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn short_run_measures_every_part() {
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let arguments = Arguments {
            algorithms: vec!["sha256".to_owned(), "crc32".to_owned()],
            sizes: vec![128, 4096],
            threads: vec![2],
            ..Arguments::default()
        };
        let scope = Scope { quick: true, time: Some(2.0), ..Scope::default() };
        let stop = std::sync::atomic::AtomicBool::new(false);
        let mut session = Session::new(&stop, "bench algorithms").within(scope);
        let record = run(&definition, &arguments, &mut session).unwrap();
        for part in ["rate", "size", "mode", "kernel", "threads"] {
            assert!(record.part(part).next().is_some(), "{part} is missing");
        }
        assert!(record.measurements.iter().all(|m| m.rate().is_some_and(|rate| rate > 1e4)));
        assert!(record.noise.is_some() && !record.interrupted);
        assert_eq!(Record::from_json(&record.to_json()), Ok(record));
    }

    /// Requests a stop after the first point was measured.
    struct StopsSoon<'a>(&'a AtomicBool);

    impl Progress for StopsSoon<'_> {
        fn show(&mut self, done: f64, _: &str) {
            self.0.store(done > 0.0, Ordering::Relaxed);
        }

        fn clear(&mut self) {}
    }

    #[test]
    fn interrupted_run_keeps_finished_measurements() {
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let arguments =
            Arguments { algorithms: vec!["crc32".to_owned(), "md5".to_owned()], ..Arguments::default() };
        let scope = Scope { time: Some(60.0), ..Scope::default() };
        let stop = AtomicBool::new(false);
        let mut session = Session::new(&stop, "x").within(scope).with_progress(StopsSoon(&stop));
        let record = run(&definition, &arguments, &mut session).unwrap();
        assert!(record.interrupted && !record.measurements.is_empty());
        assert!(record.measurements.len() < 5, "{}", record.measurements.len());
    }
}
