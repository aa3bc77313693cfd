//! `bench io FILE`: ways to read one file, with and without hashing, hot and cold, by threads.
//!
//! Every strategy first reads the whole file and must give the value that plain reads give (`touch`). Then each is timed
//! over a part of the file that fits the time; threads take parts of it that begin at whole MiB. "Cold" asks the system to
//! forget the file's pages before each sample and says how many stayed.

pub(crate) mod strategy;
pub(crate) mod touch;

pub use strategy::Method;

use crate::definition::{self, Io};
use crate::measure;
use crate::record::{Agreement, Engine, Measurement, Model, Record};
use crate::{Error, Session, quantity};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;
use strategy::How;
use touch::{BLOCK, Touch};
use truesum_hash::Spec;

/// What the command line asks for beyond the definition.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What is done with the bytes; empty for the definition's.
    pub hashes: Vec<String>,
    /// Numbers of threads beside 1; empty for the processors.
    pub threads: Vec<usize>,
    /// Whether to write to `/proc/sys/vm/drop_caches`, which empties the cache for everybody on the machine.
    pub drop_caches: bool,
    /// Time for the whole run, in seconds.
    pub seconds: Option<f64>,
    /// Whether to take the quick settings.
    pub quick: bool,
}

struct Point<'a> {
    strategy: &'a definition::Strategy,
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
/// The file cannot be read or is empty, a hash is unknown.
pub fn run(definition: &Io, path: &Path, request: &Request, session: &mut Session) -> Result<Record, Error> {
    let metadata = path.metadata().map_err(|why| Error::file(path, "opening", &why))?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(Error(format!("{}: not a regular file with bytes in it", path.display())));
    }
    let len = metadata.len();
    let mut record = session.record(Model::Io, Some(path));
    record.summary.clone_from(&definition.summary);
    record.input = format!("one file of {} ({len} bytes)", quantity::bytes(len));
    let hashes = if request.hashes.is_empty() { &definition.hashes } else { &request.hashes };
    let specs = hashes
        .iter()
        .map(|name| if name == "none" { Ok(None) } else { name.parse::<Spec>().map(Some) })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|why| Error(why.to_string()))?;
    let budget = request.seconds.unwrap_or(if request.quick {
        definition.effort.quick_seconds
    } else {
        definition.effort.seconds
    });
    let rounds = if request.quick { definition.effort.quick_rounds } else { definition.effort.rounds };

    let wanted: Vec<_> = definition.engine.iter().filter(|row| row.quick || !request.quick).collect();
    let (usable, rate) = agree(&wanted, path, len, budget / 2.0, &mut record, session)?;
    let mut points = points(&usable, &specs, request);
    // One round must fit: what a point reads is cut until it does, but not below 64 MiB, where start-up would show.
    let left = (budget - session.elapsed()).max(1.0);
    let span = (left * rate / (points.len() * (rounds + 1)) as f64) as u64;
    let span = (span / BLOCK * BLOCK).clamp(64 << 20, 1 << 30).min(len);
    record.notes.push(format!("figures are for the first {} of the file", quantity::bytes(span)));
    measure_points(&mut points, path, span, rounds, budget, request, &mut record, session);
    for point in points.into_iter().filter(|point| !point.seconds.is_empty()) {
        record.measurements.push(measurement(point, span));
    }
    session.finish(&mut record);
    Ok(record)
}

/// Reads the whole file with each strategy; returns those that give the value of plain reads, and the plain rate.
fn agree<'a>(
    wanted: &[&'a definition::Strategy],
    path: &Path,
    len: u64,
    budget: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(Vec<&'a definition::Strategy>, f64), Error> {
    let spec: Spec = "xxh3".parse().or_else(|_| "crc32".parse()).map_err(|why| Error(format!("{why}")))?;
    let plain = How { method: Method::Read, buffer: 256 << 10, depth: 1 };
    let whole = |how| value(path, how, Some(&spec), 0..len, 1);
    session.progress.show(0.0, "reading the file once");
    let failed = |why: io::Error| Error::file(path, "reading", &why);
    whole(plain).map_err(failed)?;
    let start = Instant::now();
    let expected = whole(plain).map_err(failed)?;
    let rate = len as f64 / start.elapsed().as_secs_f64();
    let mut agreement = Agreement {
        subject: format!("blocks of the file ({spec} of each MiB, added up)"),
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
            Err(why) => record.notes.push(format!("{}: not available here: {why}", row.name)),
        }
    }
    record.agreements.push(agreement);
    Ok((usable, rate))
}

fn how(row: &definition::Strategy) -> How {
    How { method: row.method, buffer: row.buffer.0, depth: row.depth }
}

/// What each strategy is measured with: every hash hot in one thread; without a hash also cold and in threads.
fn points<'a>(
    usable: &[&'a definition::Strategy],
    specs: &[Option<Spec>],
    request: &Request,
) -> Vec<Point<'a>> {
    let cores = crate::environment::cores();
    let more: Vec<usize> = if request.threads.is_empty() { vec![cores] } else { request.threads.clone() };
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
    request: &Request,
    record: &mut Record,
    session: &mut Session,
) {
    let mut stayed: Option<f64> = None;
    let total = (rounds * points.len()).max(1) as f64;
    let mut done = 0;
    'rounds: for round in 0..rounds {
        for point in points.iter_mut() {
            // The first round is finished even if it takes longer than was asked for.
            if session.stopped() || (round > 0 && session.elapsed() > budget) {
                break 'rounds;
            }
            session.progress.show(0.5 + done as f64 / total / 2.0, &point.strategy.name);
            done += 1;
            if point.cold {
                let share = make_cold(path, span, request.drop_caches);
                stayed = stayed.into_iter().chain(share).reduce(f64::max);
            }
            let (clock, processor, start) =
                (measure::core_clock(), measure::process_seconds(), Instant::now());
            let result = value(path, how(point.strategy), point.spec.as_ref(), 0..span, point.threads);
            let seconds = start.elapsed().as_secs_f64();
            match result {
                Ok(value) => {
                    std::hint::black_box(value);
                    point.seconds.push(seconds);
                    point.processor.push(measure::process_seconds() - processor);
                    point.clock.push((clock + measure::core_clock()) / 2.0);
                }
                Err(why) => record.notes.push(format!("{}: {why}", point.strategy.name)),
            }
        }
    }
    match stayed {
        Some(share) if share > 0.05 => {
            let share = quantity::percent(share);
            record
                .notes
                .push(format!("cold figures are not cold: up to {share} of the file stayed in the cache"));
        }
        Some(_) => {}
        None => record.notes.push("whether cold reads were cold cannot be told here".to_owned()),
    }
}

/// Empties the cache of the file's pages; returns the share that stayed, where the system tells.
fn make_cold(path: &Path, span: u64, drop_caches: bool) -> Option<f64> {
    // A file system without advice leaves the pages; the share that stayed says so.
    let _ = strategy::evict(path);
    if drop_caches {
        // Not permitted is the usual case, and shows in the same way.
        let _ = std::fs::write("/proc/sys/vm/drop_caches", "1");
    }
    strategy::resident(path, 0..span)
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
        processor_seconds: crate::statistics::median(&point.processor),
        ..Measurement::default()
    }
}

/// Reads a range with `threads` threads; the value is the same for every strategy and any number of threads.
pub(crate) fn value(
    path: &Path,
    how: How,
    spec: Option<&Spec>,
    range: Range<u64>,
    threads: usize,
) -> io::Result<u64> {
    let part = |range: Range<u64>| {
        let mut touch = Touch::new(spec);
        strategy::read(path, how, range, &mut |offset, bytes| touch.feed(offset, bytes))?;
        Ok(touch.value())
    };
    if threads <= 1 {
        return part(range);
    }
    let blocks = (range.end - range.start).div_ceil(BLOCK);
    let share = blocks.div_ceil(threads as u64) * BLOCK;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads as u64)
            .map(|i| {
                let start = (range.start + i * share).min(range.end);
                let end = (start + share).min(range.end);
                scope.spawn(move || part(start..end))
            })
            .collect();
        let mut values = workers.into_iter().map(|worker| worker.join().expect("a reader does not panic"));
        values.try_fold(0u64, |sum, value| Ok(sum.wrapping_add(value?)))
    })
}

/// Where tests make their files: on the disk the program was built on, which takes `O_DIRECT` where `/tmp` may be in memory,
/// and never among the sources.
#[cfg(test)]
pub(crate) fn beside_the_build() -> std::path::PathBuf {
    let test = std::env::current_exe().expect("a test knows where it lies");
    test.parent().expect("it lies in a directory").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn threads_do_not_change_the_value() {
        let mut file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        file.write_all(&crate::input::generated(5, (5 << 20) + 99)).unwrap();
        let (path, len) = (file.path(), (5 << 20) + 99);
        let sha256: Spec = "sha256".parse().unwrap();
        let how = How { method: Method::Mmap, buffer: 1 << 20, depth: 1 };
        for spec in [None, Some(&sha256)] {
            let expected = value(path, how, spec, 0..len, 1).unwrap();
            for threads in [2, 3, 7, 20] {
                assert_eq!(value(path, how, spec, 0..len, threads).unwrap(), expected, "{threads}");
            }
        }
    }

    #[test]
    fn a_short_run_gives_hot_and_cold_figures() {
        let mut file = tempfile::NamedTempFile::new_in(crate::io::beside_the_build()).unwrap();
        file.write_all(&crate::input::generated(6, 4 << 20)).unwrap();
        let definition = Io::read(None).unwrap();
        let stop = AtomicBool::new(false);
        let request = Request {
            quick: true,
            seconds: Some(5.0),
            hashes: vec!["none".to_owned(), "crc32".to_owned()],
            ..Request::default()
        };
        let record = run(&definition, file.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert_eq!(record.agreements[0].disagree, [""; 0]);
        for variant in ["hot", "cold"] {
            assert!(record.part("read").any(|m| m.variant == variant && m.rate().is_some()), "{variant}");
        }
        assert!(record.part("read").any(|m| m.algorithm == "crc32"));
    }

    #[test]
    fn an_empty_file_and_an_unknown_hash_are_errors() {
        let (definition, stop) = (Io::read(None).unwrap(), AtomicBool::new(false));
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let error =
            run(&definition, file.path(), &Request::default(), &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("not a regular file with bytes"), "{error}");
        file.write_all(b"x").unwrap();
        let request = Request { hashes: vec!["sha265".to_owned()], ..Request::default() };
        let error = run(&definition, file.path(), &request, &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("sha265"), "{error}");
    }
}
