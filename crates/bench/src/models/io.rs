//! `bench io FILE`: ways to read one file, with and without hashing, hot and cold, by threads.
//!
//! Every strategy first reads the whole file and must compute the same value as plain reads (`touch`). Then each is
//! timed over a part of the file that fits the time; threads read parts of it that start at whole MiB. For cold reads,
//! the system is asked to drop the file's pages before each sample, and the share that stayed is reported.

mod findings;
mod views;

use super::effort::{Bytes, Effort, spec};
use super::model::Model;
use super::session::Session;
use crate::measure::read::{BLOCK, Method, ReadParameters, evict, resident, value};
use crate::measure::{clock, environment, statistics};
use crate::record::{Agreement, Engine, Measurement, Record};
use crate::{Error, quantity};
use clap::Args;
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;
use truesum_hash::Spec;

/// The row of the table.
pub static MODEL: Model = Model {
    name: "io",
    about: "Compare ways to read FILE, with and without hashing, cached and uncached",
    examples: "Examples:\n  truesum bench io large.img\n  truesum bench io --threads 4 -a none,blake3 large.img",
    definition: include_str!("../../definitions/io.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| run(&MODEL.read(&session.scope)?, &MODEL.typed(matches)?, session),
    findings: findings::sentences,
    views: views::sections,
};

/// `model = "io"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// A description in one line.
    pub summary: String,
    /// The duration.
    pub effort: Effort,
    /// Lists how the bytes are hashed; `none` adds them up.
    pub hashes: Vec<String>,
    /// The read strategies.
    pub engine: Vec<Strategy>,
}

/// A way to read a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name in tables.
    pub name: String,
    /// Specifies how the strategy reads.
    pub method: Method,
    /// Bytes of one request or window.
    pub buffer: Bytes,
    /// Requests in flight per thread.
    #[serde(default = "one")]
    pub depth: usize,
    /// True if `--quick` measures it.
    #[serde(default)]
    pub quick: bool,
    /// Circumstances that favor it or put it at a disadvantage.
    #[serde(default)]
    pub bias: String,
}

fn one() -> usize {
    1
}

/// `bench io`.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// File to read
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Algorithm to hash with, or `none` to just add up the bytes (repeatable)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Thread counts to measure in addition to 1
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Drop the page cache of the entire machine before cold reads, if permitted
    #[arg(long)]
    pub drop_caches: bool,
}

struct Point<'a> {
    strategy: &'a Strategy,
    spec: Option<Spec>,
    threads: usize,
    cold: bool,
    seconds: Vec<f64>,
    clock: Vec<f64>,
    processor: Vec<f64>,
}

/// Runs the benchmark over `path`.
///
/// # Errors
/// The file cannot be read or is empty, or a hash is unknown.
pub fn run(definition: &Definition, arguments: &Arguments, session: &mut Session) -> Result<Record, Error> {
    let path = &arguments.file;
    let metadata = path.metadata().map_err(|why| Error::file(path, "open", &why))?;
    if !metadata.is_file() || metadata.len() == 0 {
        let why = match metadata.is_file() {
            true => "the file is empty",
            false => "specify a regular file, or use truesum bench limit for a folder",
        };
        return Err(Error(format!("{}: {why}", path.display())));
    }
    let len = metadata.len();
    let mut record = session.record(MODEL.name, Some(path));
    record.summary.clone_from(&definition.summary);
    record.input = format!("one file of {} ({} bytes)", quantity::bytes(len), quantity::count(len));
    let hashes = if arguments.algorithms.is_empty() { &definition.hashes } else { &arguments.algorithms };
    let specs = hashes
        .iter()
        .map(|name| if name == "none" { Ok(None) } else { spec(name).map(Some) })
        .collect::<Result<Vec<_>, Error>>()?;
    let scope = &session.scope;
    let (budget, rounds) = (scope.seconds(&definition.effort), scope.rounds(&definition.effort));

    let wanted: Vec<_> = definition.engine.iter().filter(|row| row.quick || !scope.quick).collect();
    let (usable, rate) = agree(&wanted, path, len, budget / 2.0, &mut record, session)?;
    let mut points = points(&usable, &specs, arguments);
    // One round must fit: the bytes per point are reduced until it does, but not below 64 MiB, where start-up costs
    // would show.
    let left = (budget - session.elapsed()).max(1.0);
    let span = (left * rate / (points.len() * (rounds + 1)) as f64) as u64;
    let span = (span / BLOCK * BLOCK).clamp(64 << 20, 1 << 30).min(len);
    record.notes.push(format!("figures are for the first {} of the file", quantity::bytes(span)));
    measure_points(&mut points, path, span, rounds, budget, arguments, &mut record, session);
    for point in points.into_iter().filter(|point| !point.seconds.is_empty()) {
        record.measurements.push(measurement(point, span));
    }
    session.finish(&mut record);
    Ok(record)
}

/// Reads the whole file with each strategy; returns those that compute the value of plain reads, and the rate of plain
/// reads.
fn agree<'a>(
    wanted: &[&'a Strategy],
    path: &Path,
    len: u64,
    budget: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(Vec<&'a Strategy>, f64), Error> {
    let spec: Spec = "xxh3".parse().or_else(|_| "crc32".parse()).map_err(|why| Error(format!("{why}")))?;
    let plain = ReadParameters { method: Method::Read, buffer: 256 << 10, depth: 1 };
    let whole = |how| value(path, how, Some(&spec), 0..len, 1);
    session.progress.show(0.0, "reading the file once");
    let failed = |why: io::Error| Error::file(path, "read", &why);
    whole(plain).map_err(failed)?;
    let start = Instant::now();
    let expected = whole(plain).map_err(failed)?;
    let rate = len as f64 / start.elapsed().as_secs_f64();
    let mut agreement = Agreement {
        subject: format!("sum of the {spec} digests of all 1 MiB blocks"),
        digest: format!("{expected:016x}"),
        agree: vec!["plain read".to_owned()],
        disagree: Vec::new(),
    };
    let mut usable = Vec::new();
    for (done, row) in wanted.iter().enumerate() {
        if session.stopped() {
            break;
        }
        if session.elapsed() > budget {
            let late: Vec<&str> = wanted[done..].iter().map(|row| row.name.as_str()).collect();
            record.notes.push(format!("not measured for lack of time: {}", late.join("; ")));
            break;
        }
        session.progress.show(done as f64 / wanted.len() as f64 / 2.0, &format!("checking {}", row.name));
        match whole(how(row)) {
            Ok(found) if found == expected => {
                agreement.agree.push(row.name.clone());
                usable.push(*row);
                record.engines.push(Engine {
                    name: row.name.clone(),
                    version: String::new(),
                    command: String::new(),
                    bias: row.bias.clone(),
                });
            }
            Ok(found) => agreement.disagree.push(format!("{}: {found:016x}", row.name)),
            Err(why) => record.notes.push(format!("{}: not available: {why}", row.name)),
        }
    }
    record.agreements.push(agreement);
    Ok((usable, rate))
}

fn how(row: &Strategy) -> ReadParameters {
    ReadParameters { method: row.method, buffer: row.buffer.0, depth: row.depth }
}

/// Returns the measurements of each strategy: every hash hot in one thread; without a hash also cold and in threads.
fn points<'a>(usable: &[&'a Strategy], specs: &[Option<Spec>], arguments: &Arguments) -> Vec<Point<'a>> {
    let cores = environment::cores();
    let more: Vec<usize> = if arguments.threads.is_empty() { vec![cores] } else { arguments.threads.clone() };
    let mut points = Vec::new();
    for &strategy in usable {
        let mut add = |spec: Option<Spec>, threads, cold| {
            let (seconds, clock, processor) = Default::default();
            points.push(Point { strategy, spec, threads, cold, seconds, clock, processor });
        };
        for spec in specs {
            add(spec.clone(), 1, false);
        }
        for &threads in more.iter().filter(|threads| **threads > 1) {
            add(None, threads, false);
        }
        // O_DIRECT is always cold.
        if strategy.method != Method::Direct {
            add(None, 1, true);
        }
    }
    points
}

#[expect(clippy::too_many_arguments, reason = "the state of one run")]
fn measure_points(
    points: &mut [Point],
    path: &Path,
    span: u64,
    rounds: usize,
    budget: f64,
    arguments: &Arguments,
    record: &mut Record,
    session: &mut Session,
) {
    let mut stayed: Option<f64> = None;
    let total = (rounds * points.len()).max(1) as f64;
    let mut done = 0;
    'rounds: for round in 0..rounds {
        for point in points.iter_mut() {
            // The first round is completed even if it takes longer than requested.
            if session.stopped() || (round > 0 && session.elapsed() > budget) {
                break 'rounds;
            }
            session.progress.show(0.5 + done as f64 / total / 2.0, &point.strategy.name);
            done += 1;
            if point.cold {
                let share = make_cold(path, span, arguments.drop_caches);
                stayed = stayed.into_iter().chain(share).reduce(f64::max);
            }
            let (clock, processor, start) = (clock::core_clock(), clock::process_seconds(), Instant::now());
            let result = value(path, how(point.strategy), point.spec.as_ref(), 0..span, point.threads);
            let seconds = start.elapsed().as_secs_f64();
            match result {
                Ok(value) => {
                    std::hint::black_box(value);
                    point.seconds.push(seconds);
                    point.processor.push(clock::process_seconds() - processor);
                    point.clock.push((clock + clock::core_clock()) / 2.0);
                }
                Err(why) => record.notes.push(format!("{}: {why}", point.strategy.name)),
            }
        }
    }
    match stayed {
        Some(share) if share > 0.05 => {
            let share = quantity::percent(share);
            record.notes.push(format!(
                "cold reads were not completely cold: up to {share} of the file stayed in the page cache"
            ));
        }
        Some(_) => {}
        None => {
            record.notes.push("this system cannot report whether cold reads used the page cache".to_owned())
        }
    }
}

/// Drops the file's pages from the cache; returns the share that stayed, if the system reports it.
fn make_cold(path: &Path, span: u64, drop_caches: bool) -> Option<f64> {
    // A file system without support for advice keeps the pages, which shows in the share that stayed.
    let _ = evict(path);
    if drop_caches {
        // This is usually not permitted, which shows in the same way.
        let _ = std::fs::write("/proc/sys/vm/drop_caches", "1");
    }
    resident(path, 0..span)
}

fn measurement(point: Point, span: u64) -> Measurement {
    let direct = point.strategy.method == Method::Direct;
    let temperature = if point.cold || direct { "cold" } else { "hot" };
    Measurement {
        part: "read".to_owned(),
        engine: point.strategy.name.clone(),
        algorithm: point.spec.map_or_else(|| "none".to_owned(), |spec| spec.to_string()),
        variant: temperature.to_owned(),
        bytes: span,
        threads: point.threads,
        seconds: point.seconds,
        clock: point.clock,
        processor_seconds: statistics::median(&point.processor),
        ..Measurement::default()
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::input;
    use crate::measure::read::build_directory;
    use crate::models::effort::Scope;
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn short_run_measures_hot_and_cold_reads() {
        let mut file = tempfile::NamedTempFile::new_in(build_directory()).unwrap();
        file.write_all(&input::generated(6, 4 << 20)).unwrap();
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let stop = AtomicBool::new(false);
        let arguments = Arguments {
            file: file.path().to_owned(),
            algorithms: vec!["none".to_owned(), "crc32".to_owned()],
            ..Arguments::default()
        };
        let scope = Scope { quick: true, time: Some(5.0), ..Scope::default() };
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x").within(scope)).unwrap();
        assert_eq!(record.agreements[0].disagree, [""; 0]);
        for variant in ["hot", "cold"] {
            assert!(record.part("read").any(|m| m.variant == variant && m.rate().is_some()), "{variant}");
        }
        assert!(record.part("read").any(|m| m.algorithm == "crc32"));
    }

    #[test]
    fn empty_file_and_unknown_hash_are_errors() {
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let stop = AtomicBool::new(false);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut arguments = Arguments { file: file.path().to_owned(), ..Arguments::default() };
        let error = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("the file is empty"), "{error}");
        file.write_all(b"x").unwrap();
        arguments.algorithms = vec!["sha265".to_owned()];
        let error = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("sha265"), "{error}");
    }
}
