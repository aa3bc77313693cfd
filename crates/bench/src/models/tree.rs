//! `bench tree FILE`: tree digests of one file by leaf size and threads, compared with the plain digest of the same
//! hash.
//!
//! A plain digest is a chain, so one file keeps one core half idle; the leaves of a tree are independent, so they fill
//! the lanes of a core and all cores. The table shows the benefit for this file, and the utilization of each added
//! core.

mod contender;
mod definition;
mod findings;
mod pieces;
mod views;

use super::model::Model;
use super::session::Session;
use crate::measure::{clock, statistics};
use crate::record::{Measurement, Record};
use crate::{Error, quantity};
use clap::Args;
use contender::{check, contenders, work};
use definition::{Arguments, Definition};
use std::time::Instant;

/// The row of the table.
pub static MODEL: Model = Model {
    name: "tree",
    about: "Compare the speed of tree and plain hashes, by leaf size and thread count",
    examples: "Examples:\n  truesum bench tree large.img\n  truesum bench tree --leaves 64KiB,1MiB --threads 1,2 large.img",
    definition: include_str!("../../definitions/tree.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| run(&MODEL.read(&session.scope)?, &MODEL.typed(matches)?, session),
    findings: findings::sentences,
    views: views::sections,
};

/// Samples of one visit, at most, and seconds that it may take where a sample is short.
const SAMPLES: usize = 5;
const VISIT_SECONDS: f64 = 0.2;

/// Runs the benchmark over a file.
///
/// # Errors
/// The file cannot be read or is empty, a hash is unknown or a leaf size is out of range.
pub fn run(definition: &Definition, arguments: &Arguments, session: &mut Session) -> Result<Record, Error> {
    let path = &arguments.file;
    let metadata = path.metadata().map_err(|why| Error::file(path, "open", &why))?;
    if !metadata.is_file() || metadata.len() == 0 {
        let why = if metadata.is_file() { "the file is empty" } else { "specify a regular file" };
        return Err(Error(format!("{}: {why}", path.display())));
    }
    let size = metadata.len();
    let mut record = session.record(MODEL.name, Some(path));
    record.summary.clone_from(&definition.summary);
    record.input =
        format!("one file of {} ({} bytes), in the page cache", quantity::bytes(size), quantity::count(size));
    let scope = &session.scope;
    let (budget, rounds) = (scope.seconds(&definition.effort), scope.rounds(&definition.effort));
    let scratch =
        tempfile::tempdir().map_err(|why| Error(format!("cannot create a temporary folder: {why}")))?;
    let mut contenders = contenders(definition, arguments, scope.quick, &mut record)?;
    check(&mut contenders, path, size, scratch.path(), budget, &mut record, session)?;
    let total = (rounds * contenders.len()).max(1) as f64;
    'rounds: for round in 0..rounds {
        for (i, contender) in contenders.iter_mut().enumerate() {
            // One sample does not show its own error, so there are two rounds even if they take longer than requested.
            if session.stopped() || (round > 1 && session.elapsed() > budget) {
                break 'rounds;
            }
            let done = (round * total as usize / rounds + i) as f64 / total;
            session.progress.show(0.5 + done / 2.0, &contender.variant);
            // A small file takes too little time to measure: it is read repeatedly until the visit is long enough or
            // has enough samples.
            let visit = Instant::now();
            let slot = ((budget - session.elapsed()) / total).clamp(0.0, VISIT_SECONDS);
            for sample in 0..SAMPLES {
                if sample > 0 && visit.elapsed().as_secs_f64() > slot {
                    break;
                }
                let (processor, start) = (clock::process_seconds(), Instant::now());
                let (_, children) = work(&contender.work, path, size, contender.threads, scratch.path())?;
                contender.seconds.push(start.elapsed().as_secs_f64());
                contender.processor.push(clock::process_seconds() - processor + children);
            }
        }
    }
    for contender in contenders.into_iter().filter(|contender| !contender.seconds.is_empty()) {
        record.measurements.push(Measurement {
            part: contender.part.to_owned(),
            engine: contender.engine,
            algorithm: contender.algorithm,
            variant: contender.variant,
            bytes: size,
            threads: contender.threads,
            seconds: contender.seconds,
            processor_seconds: statistics::median(&contender.processor),
            ..Measurement::default()
        });
    }
    session.finish(&mut record);
    Ok(record)
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::input;
    use crate::models::effort::Scope;
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn short_run_measures_plain_and_tree_hashing() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&input::generated(8, 3 << 20)).unwrap();
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let stop = AtomicBool::new(false);
        let arguments = Arguments { file: file.path().to_owned(), ..Arguments::default() };
        let scope = Scope { quick: true, time: Some(10.0), ..Scope::default() };
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x").within(scope)).unwrap();
        assert!(record.agreements.iter().all(|a| a.disagree.is_empty() && !a.agree.is_empty()));
        assert!(record.part("plain").next().is_some());
        assert!(record.part("tree").any(|m| m.variant == "64 KiB" && m.rate().is_some()));
        assert!(record.part("tree").any(|m| m.variant == "128 MiB, mtsum"));
        assert!(record.measurements.iter().all(|m| m.seconds.len() > 1), "{record:?}");
    }

    #[test]
    fn leaf_size_out_of_range_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let stop = AtomicBool::new(false);
        let arguments =
            Arguments { file: file.path().to_owned(), leaves: vec![5000], ..Arguments::default() };
        assert!(run(&definition, &arguments, &mut Session::new(&stop, "x")).is_err());
    }
}
