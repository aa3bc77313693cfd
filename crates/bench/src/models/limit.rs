//! `bench limit [PATH]`: is the disk or the processor the limit?
//!
//! Measures the device without the cache, the page cache, memory, and each algorithm alone and in lanes; its views show
//! the rates together and state how many cores each algorithm needs to keep up.

mod findings;
mod views;

use super::effort::{Bytes, Choice, Effort, specs};
use super::model::Model;
use super::session::Session;
use crate::measure::read::{Method, ReadParameters, sum, value};
use crate::measure::{self, Pace, environment, input};
use crate::record::{Agreement, Engine, Measurement, Record};
use crate::{Error, quantity};
use clap::Args;
use serde::Deserialize;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use truesum_hash::{Spec, hash_many, kernel};

/// The row of the table.
pub static MODEL: Model = Model {
    name: "limit",
    about: "Find the bottleneck (disk or CPU) and recommend algorithms",
    examples: "Examples:\n  truesum bench limit .\n  truesum bench limit --time 10 -a sha256 /mnt/disk/large.img",
    definition: include_str!("../../definitions/limit.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| run(&MODEL.read(&session.scope)?, &MODEL.typed(matches)?, session),
    findings: findings::sentences,
    views: views::sections,
};

/// `model = "limit"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// A description in one line.
    pub summary: String,
    /// The duration.
    pub effort: Effort,
    /// The algorithms to assess.
    pub algorithms: Choice,
    /// Size of the temporary file for measuring a directory's device.
    pub probe: Bytes,
    /// The same with `--quick`.
    pub quick_probe: Bytes,
}

/// `bench limit`.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// File to read (16 MiB or more), or folder for a temporary file of up to 1 GiB
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Measure only these algorithms (repeatable, or comma-separated)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
}

/// Lists how the device is read: requests and their number in flight.
const DEVICE: [(&str, u64, usize); 4] = [
    ("O_DIRECT 1 MiB, depth 1", 1 << 20, 1),
    ("O_DIRECT 4 MiB, depth 1", 4 << 20, 1),
    ("O_DIRECT 1 MiB, depth 4", 1 << 20, 4),
    ("O_DIRECT 128 KiB, depth 8", 128 << 10, 8),
];

/// Shares of the time after which the next part starts: writing a file, reading it, reading memory.
const WRITING: f64 = 0.2;
const STORAGE: f64 = 0.6;
const MEMORY: f64 = 0.7;

/// The minimum to read in one sample of a device, so that start-up costs do not dominate.
const LEAST: u64 = 16 << 20;

/// Runs the benchmark at `path`: reads the file, or in a directory creates and removes a temporary one.
///
/// # Errors
/// The path cannot be read, or a temporary file cannot be written there.
pub fn run(definition: &Definition, arguments: &Arguments, session: &mut Session) -> Result<Record, Error> {
    let path = &arguments.path;
    let mut record = session.record(MODEL.name, Some(path));
    record.summary.clone_from(&definition.summary);
    let scope = &session.scope;
    let (budget, rounds) = (scope.seconds(&definition.effort), scope.rounds(&definition.effort));
    let size = if scope.quick { definition.quick_probe.0 } else { definition.probe.0 };
    session.progress.show(0.0, "preparing a file to read");
    let probe = Probe::at(path, size, budget * WRITING)?;
    record.input = probe.described.clone();
    let specs = match &arguments.algorithms[..] {
        [] => definition.algorithms.specs(),
        names => specs(names)?,
    };
    agree(&specs, &mut record);
    storage(&probe, rounds, budget * STORAGE, &mut record, session);
    memory(probe.bytes, budget * MEMORY, &mut record, session);
    arithmetic(&specs, rounds, budget, &mut record, session);
    record.engines.push(Engine {
        name: "truesum".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: String::new(),
        bias: "measures truesum's own kernels, not those of other programs".to_owned(),
    });
    session.finish(&mut record);
    Ok(record)
}

/// A file to read: the user's, or one created for the run.
struct Probe {
    path: PathBuf,
    bytes: u64,
    described: String,
    /// Removes the file when dropped.
    _made: Option<tempfile::TempPath>,
}

impl Probe {
    /// `seconds` is the time for writing: a slow device gets a smaller file.
    fn at(path: &Path, size: u64, seconds: f64) -> Result<Probe, Error> {
        let metadata = path.metadata().map_err(|why| Error::file(path, "open", &why))?;
        if metadata.is_file() {
            let bytes = metadata.len().min(size) / 4096 * 4096;
            if bytes < LEAST {
                return Err(Error(format!(
                    "{}: too small to measure a device (16 MiB or more is needed); to use a temporary file, specify a folder",
                    path.display()
                )));
            }
            let described = format!("the first {} of a file", quantity::bytes(bytes));
            return Ok(Probe { path: path.to_owned(), bytes, described, _made: None });
        }
        let failed = |why: std::io::Error| Error::file(path, "write a temporary file", &why);
        let mut file = tempfile::NamedTempFile::new_in(path).map_err(failed)?;
        // File systems with compression would store zeros or repetitions in less space.
        let chunk = input::generated(7, 4 << 20);
        let (start, mut written) = (Instant::now(), 0);
        while written < size && (written < LEAST || start.elapsed().as_secs_f64() < seconds) {
            let mut chunk = chunk.clone();
            chunk[..8].copy_from_slice(&written.to_le_bytes());
            file.write_all(&chunk).map_err(failed)?;
            written += chunk.len() as u64;
            // Otherwise the cache would accept everything at once, and the device would write later.
            if written.is_multiple_of(LEAST) {
                file.as_file().sync_data().map_err(failed)?;
            }
        }
        file.as_file().sync_all().map_err(failed)?;
        let size = written;
        let described = format!("a temporary file of {}", quantity::bytes(size));
        let made = file.into_temp_path();
        Ok(Probe { path: made.to_path_buf(), bytes: size, described, _made: Some(made) })
    }
}

fn agree(specs: &[Spec], record: &mut Record) {
    let message = input::generated(1, 100_000);
    for spec in specs {
        let digest = spec.digest(&message).to_hex();
        let same = hash_many(spec, &[&message[..]; 5]).iter().all(|other| other.to_hex() == digest);
        record.agreements.push(Agreement {
            subject: format!("{spec} of 100000 bytes"),
            digest,
            agree: if same {
                vec!["one call".to_owned(), "lanes".to_owned()]
            } else {
                vec!["one call".to_owned()]
            },
            disagree: if same { Vec::new() } else { vec!["lanes".to_owned()] },
        });
    }
}

/// Measures the device and the page cache, all ways in turn.
fn storage(probe: &Probe, rounds: usize, until: f64, record: &mut Record, session: &mut Session) {
    let cores = environment::cores();
    let read = |method, buffer, depth| ReadParameters { method, buffer, depth };
    let mut ways: Vec<(&'static str, &'static str, ReadParameters, usize)> = Vec::new();
    for (name, buffer, depth) in DEVICE {
        ways.push(("device", name, read(Method::Direct, buffer, depth), 1));
    }
    ways.push(("cache", "read 256 KiB", read(Method::Read, 256 << 10, 1), 1));
    ways.push(("cache", "mmap 8 MiB windows", read(Method::MmapPopulate, 8 << 20, 1), 1));
    if cores > 1 {
        ways.push(("cache", "read 256 KiB", read(Method::Read, 256 << 10, 1), cores));
        ways.push(("cache", "mmap 8 MiB windows", read(Method::MmapPopulate, 8 << 20, 1), cores));
    }
    // A first sample at the beginning of the file shows how much of it each way can read in its share of the time.
    let begin = session.elapsed();
    let slot = (until - begin).max(0.0) / (ways.len() * (rounds + 1)) as f64;
    let mut points: Vec<Point> = Vec::new();
    for (part, name, how, threads) in ways {
        session.progress.show(0.1, name);
        let start = Instant::now();
        match value(&probe.path, how, None, 0..LEAST.min(probe.bytes), threads) {
            Ok(_) => {
                let rate = LEAST as f64 / start.elapsed().as_secs_f64();
                let span = (rate * slot) as u64 / LEAST * LEAST;
                let span = span.clamp(LEAST, probe.bytes.max(LEAST)).min(probe.bytes);
                points.push(Point { part, name, how, threads, span, seconds: Vec::new() });
            }
            Err(why) => record.notes.push(format!("{name}: not available: {why}")),
        }
    }
    // Cached reads require that the pages are cached, and the same part for every way.
    let cached = points.iter().filter(|point| point.part == "cache").map(|point| point.span).min();
    let in_cache = ReadParameters { method: Method::Read, buffer: 256 << 10, depth: 1 };
    if let Some(span) = cached {
        points.iter_mut().filter(|point| point.part == "cache").for_each(|point| point.span = span);
        // An unreadable file was already reported above.
        let _ = value(&probe.path, in_cache, None, 0..span, 1);
    }
    for round in 0..rounds {
        for point in &mut points {
            if session.stopped() || (round > 0 && session.elapsed() > until) {
                continue;
            }
            session.progress.show(0.1 + 0.4 * round as f64 / rounds as f64, point.name);
            let start = Instant::now();
            match value(&probe.path, point.how, None, 0..point.span, point.threads) {
                Ok(sum) => {
                    black_box(sum);
                    point.seconds.push(start.elapsed().as_secs_f64());
                }
                Err(why) => record.notes.push(format!("{}: {why}", point.name)),
            }
        }
    }
    let measured = points.into_iter().filter(|point| !point.seconds.is_empty());
    record.measurements.extend(measured.map(|point| Measurement {
        part: point.part.to_owned(),
        engine: point.name.to_owned(),
        bytes: point.span,
        threads: point.threads,
        seconds: point.seconds,
        ..Measurement::default()
    }));
}

/// A way of reading, and how much of the file it reads.
struct Point {
    part: &'static str,
    name: &'static str,
    how: ReadParameters,
    threads: usize,
    span: u64,
    seconds: Vec<f64>,
}

/// Measures memory: sums over a buffer as large as the file, so that the processor's caches hold the same share of
/// both.
fn memory(size: u64, until: f64, record: &mut Record, session: &mut Session) {
    const PASSES: usize = 7;
    session.progress.show(0.5, "memory");
    // Other programs must not be swapped out for this.
    let size = size.min(record.environment.memory / 8).max(LEAST) as usize;
    let buffer = vec![1u8; size];
    let mut counts = vec![1, environment::cores()];
    counts.dedup();
    for threads in counts {
        let mut seconds = Vec::new();
        // The first pass maps the pages.
        for pass in 0..=PASSES {
            if session.stopped() || (pass > 2 && session.elapsed() > until) {
                break;
            }
            let start = Instant::now();
            std::thread::scope(|scope| {
                for part in buffer.chunks(size.div_ceil(threads)) {
                    scope.spawn(|| black_box(sum(black_box(part))));
                }
            });
            seconds.push(start.elapsed().as_secs_f64());
        }
        record.measurements.push(Measurement {
            part: "memory".to_owned(),
            engine: "streaming read".to_owned(),
            bytes: size as u64,
            threads,
            seconds: seconds.into_iter().skip(1).collect(),
            ..Measurement::default()
        });
    }
}

/// Measures each algorithm, with one message and full lanes.
fn arithmetic(specs: &[Spec], rounds: usize, until: f64, record: &mut Record, session: &mut Session) {
    const SAMPLES: usize = 3;
    // Messages are offset by 64 bytes from a power of two, so that lanes do not share one set of the cache.
    const BYTES: usize = 32 << 10;
    const STRIDE: usize = BYTES + 64;
    let widest = specs.iter().map(|spec| kernel::full_lanes(spec.algorithm())).max().unwrap_or(1);
    let data = input::generated(1, (widest * STRIDE).max(1 << 20));
    let mut points: Vec<(&Spec, Option<usize>)> = Vec::new();
    for spec in specs {
        points.push((spec, None));
        if spec.has_lanes() {
            points.push((spec, Some(kernel::full_lanes(spec.algorithm()))));
        }
    }
    let left = (until - session.elapsed()).max(0.0);
    let slot = Duration::from_secs_f64(left / (points.len() * rounds).max(1) as f64);
    let mut pace = Pace::new(slot);
    let mut results: Vec<Measurement> = points
        .iter()
        .map(|(spec, lanes)| {
            let rows = kernel::rows(spec.algorithm());
            let row = (!rows.is_empty()).then(|| kernel::pick(rows, lanes.unwrap_or(1)));
            Measurement {
                part: "hash".to_owned(),
                engine: "truesum".to_owned(),
                algorithm: spec.to_string(),
                variant: if lanes.is_some() { "many messages" } else { "one message" }.to_owned(),
                kernel: row.map(|row| format!("{} x{}", row.isa(), row.lanes())).unwrap_or_default(),
                bytes: if lanes.is_some() { BYTES as u64 } else { 1 << 20 },
                threads: 1,
                ..Measurement::default()
            }
        })
        .collect();
    for round in 0..rounds {
        for (i, (spec, lanes)) in points.iter().enumerate() {
            // One round is completed even if it takes longer than requested.
            if session.stopped() || (round > 0 && session.elapsed() > until) {
                break;
            }
            let done = (round * points.len() + i) as f64 / (rounds * points.len()) as f64;
            session.progress.show(0.6 + 0.4 * done, &spec.to_string());
            let slot = pace.next_slot();
            let samples = if let Some(lanes) = lanes {
                let many: Vec<&[u8]> = (0..*lanes).map(|i| &data[i * STRIDE..][..BYTES]).collect();
                let mut samples = measure::samples(slot, SAMPLES, || {
                    black_box(hash_many(spec, black_box(&many)));
                });
                samples.seconds.iter_mut().for_each(|s| *s /= *lanes as f64);
                samples
            } else {
                let mut hasher = spec.hasher();
                measure::samples(slot, SAMPLES, || {
                    hasher.update(black_box(&data[..1 << 20]));
                    black_box(hasher.finish_reset());
                })
            };
            results[i].seconds.extend(samples.seconds);
            results[i].clock.extend(samples.clock);
        }
    }
    record.measurements.extend(results.into_iter().filter(|m| !m.seconds.is_empty()));
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::clock::thread_user_seconds;
    use crate::measure::read::build_directory;
    use crate::models::effort::Scope;
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    const HOUR: Duration = Duration::from_secs(3600);
    const ASKED: f64 = 3.0;

    /// Measures a directory in a run with this start time; returns the record and the processor seconds of the
    /// measuring thread.
    fn measured(start: Instant) -> (Record, f64) {
        let directory = tempfile::tempdir_in(build_directory()).unwrap();
        let mut definition: Definition = MODEL.read(&Scope::default()).unwrap();
        definition.quick_probe.0 = 32 << 20;
        let stop = AtomicBool::new(false);
        let arguments = Arguments { path: directory.path().to_owned(), ..Arguments::default() };
        let scope = Scope { quick: true, time: Some(ASKED), ..Scope::default() };
        let mut session = Session::new(&stop, "x").within(scope).begun(start);
        let before = thread_user_seconds();
        let record = run(&definition, &arguments, &mut session).unwrap();
        assert_eq!(directory.path().read_dir().unwrap().count(), 0, "left clean");
        (record, thread_user_seconds() - before)
    }

    /// Returns the parts with the number of samples of each measurement; the file system may not support direct reads.
    fn samples(record: &Record) -> BTreeSet<(&str, usize)> {
        let direct = |m: &&Measurement| m.part != "device";
        record.measurements.iter().filter(direct).map(|m| (&*m.part, m.seconds.len())).collect()
    }

    #[test]
    fn directory_is_measured_within_time_limit() {
        // No wall time passes: the work done is what was planned for the requested time, even if other programs are
        // running.
        let (record, spent) = measured(Instant::now() + HOUR);
        assert!(spent < 2.0 * ASKED, "asked for {ASKED} s: {spent} s of processor");
        assert_eq!(samples(&record), [("cache", 3), ("hash", 9), ("memory", 7)].into());
        for part in ["cache", "memory", "hash"] {
            assert!(record.part(part).all(|m| m.rate().is_some_and(|r| r > 1e5)), "{part}");
        }
        assert!(record.agreements.iter().all(|a| a.disagree.is_empty()));
    }

    #[test]
    fn run_past_its_time_limit_measures_everything_once() {
        let Some(start) = Instant::now().checked_sub(HOUR) else { return };
        let (record, spent) = measured(start);
        assert!(spent < ASKED, "{spent} s of processor");
        assert_eq!(samples(&record), [("cache", 1), ("hash", 3), ("memory", 2)].into());
        assert!(record.part("device").all(|m| m.seconds.len() == 1));
    }

    #[test]
    fn too_small_file_is_rejected() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0; 4096]).unwrap();
        let stop = AtomicBool::new(false);
        let definition: Definition = MODEL.read(&Scope::default()).unwrap();
        let arguments = Arguments { path: file.path().to_owned(), ..Arguments::default() };
        let error = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("too small"), "{error}");
    }
}
