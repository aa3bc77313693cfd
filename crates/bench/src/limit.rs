//! `bench limit [PATH]`: is it the disk or the processor here?
//!
//! Measures the device past the cache, the page cache, memory, and each algorithm alone and in lanes; [`crate::view`] sets
//! the rates side by side and says in words how many cores each algorithm needs to keep up.

use crate::definition::Limit;
use crate::io::strategy::How;
use crate::io::{Method, touch, value};
use crate::measure::{self, Pace};
use crate::record::{Agreement, Engine, Measurement, Model, Record};
use crate::{Error, Session, input, quantity};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use truesum_hash::{Spec, hash_many, kernel};

/// What the command line asks for beyond the definition.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The algorithms to judge; empty for the definition's.
    pub algorithms: Vec<Spec>,
    /// Time for the whole run, in seconds.
    pub seconds: Option<f64>,
    /// Whether to take the quick settings.
    pub quick: bool,
}

/// How the device is read: requests and their number in flight.
const DEVICE: [(&str, u64, usize); 4] = [
    ("O_DIRECT 1 MiB, depth 1", 1 << 20, 1),
    ("O_DIRECT 4 MiB, depth 1", 4 << 20, 1),
    ("O_DIRECT 1 MiB, depth 4", 1 << 20, 4),
    ("O_DIRECT 128 KiB, depth 8", 128 << 10, 8),
];

/// Runs the benchmark at `path`: a file is read, in a directory a file is made and removed.
///
/// # Errors
/// The path cannot be read, or a probe cannot be written there.
pub fn run(
    definition: &Limit,
    path: &Path,
    request: &Request,
    session: &mut Session,
) -> Result<Record, Error> {
    let mut record = session.record(Model::Limit, Some(path));
    record.summary.clone_from(&definition.summary);
    let budget = request.seconds.unwrap_or(if request.quick {
        definition.effort.quick_seconds
    } else {
        definition.effort.seconds
    });
    let rounds = if request.quick { definition.effort.quick_rounds } else { definition.effort.rounds };
    let size = if request.quick { definition.quick_probe.0 } else { definition.probe.0 };
    session.progress.show(0.0, "preparing a file to read");
    let probe = Probe::at(path, size)?;
    record.input = probe.described.clone();
    let specs = if request.algorithms.is_empty() {
        definition.algorithms.specs()
    } else {
        request.algorithms.clone()
    };
    agree(&specs, &mut record);
    storage(&probe, rounds, budget * 0.5, &mut record, session);
    memory(rounds, &mut record, session);
    let left = (budget - session.elapsed()).max(1.0);
    arithmetic(&specs, rounds, left, &mut record, session);
    record.engines.push(Engine {
        name: "truesum".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: String::new(),
        bias: "the kernels of this program, not those of others".to_owned(),
    });
    session.finish(&mut record);
    Ok(record)
}

/// A file to read: the user's, or one made for the run.
struct Probe {
    path: PathBuf,
    bytes: u64,
    described: String,
    /// Removes the file when dropped.
    _made: Option<tempfile::TempPath>,
}

impl Probe {
    fn at(path: &Path, size: u64) -> Result<Probe, Error> {
        let metadata = path.metadata().map_err(|why| Error::file(path, "opening", &why))?;
        if metadata.is_file() {
            let bytes = metadata.len().min(size) / 4096 * 4096;
            if bytes < 16 << 20 {
                return Err(Error(format!(
                    "{}: too small to measure a device with (16 MiB at least)",
                    path.display()
                )));
            }
            let described = format!("the first {} of a file", quantity::bytes(bytes));
            return Ok(Probe { path: path.to_owned(), bytes, described, _made: None });
        }
        let failed = |why: std::io::Error| Error::file(path, "writing a file to measure with", &why);
        let mut file = tempfile::NamedTempFile::new_in(path).map_err(failed)?;
        // Zeros or repetitions would be measured on file systems that compress.
        let chunk = input::generated(7, 4 << 20);
        for i in 0..size / chunk.len() as u64 {
            let mut chunk = chunk.clone();
            chunk[..8].copy_from_slice(&i.to_le_bytes());
            file.write_all(&chunk).map_err(failed)?;
        }
        file.as_file().sync_all().map_err(failed)?;
        let described = format!("a file of {} made in the directory and removed", quantity::bytes(size));
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

/// The device and the page cache, all ways in turn.
fn storage(probe: &Probe, rounds: usize, until: f64, record: &mut Record, session: &mut Session) {
    let cores = crate::environment::cores();
    let read = |method, buffer, depth| How { method, buffer, depth };
    let mut ways: Vec<(&str, &str, How, usize)> = Vec::new();
    for (name, buffer, depth) in DEVICE {
        ways.push(("device", name, read(Method::Direct, buffer, depth), 1));
    }
    ways.push(("cache", "read 256 KiB", read(Method::Read, 256 << 10, 1), 1));
    ways.push(("cache", "mmap 8 MiB windows", read(Method::MmapPopulate, 8 << 20, 1), 1));
    if cores > 1 {
        ways.push(("cache", "read 256 KiB", read(Method::Read, 256 << 10, 1), cores));
        ways.push(("cache", "mmap 8 MiB windows", read(Method::MmapPopulate, 8 << 20, 1), cores));
    }
    let mut seconds = vec![Vec::new(); ways.len()];
    let mut refused = vec![false; ways.len()];
    for round in 0..=rounds {
        for (i, (_, name, how, threads)) in ways.iter().enumerate() {
            let late = round > 1 && session.elapsed() > until;
            if refused[i] || session.stopped() || late {
                continue;
            }
            let done = (round * ways.len() + i) as f64 / ((rounds + 1) * ways.len()) as f64;
            session.progress.show(done * 0.5, name);
            let start = Instant::now();
            match value(&probe.path, *how, None, 0..probe.bytes, *threads) {
                // The first visit fills the cache.
                Ok(_) if round == 0 => {}
                Ok(sum) => {
                    black_box(sum);
                    seconds[i].push(start.elapsed().as_secs_f64());
                }
                Err(why) => {
                    refused[i] = true;
                    record.notes.push(format!("{name}: not available here: {why}"));
                }
            }
        }
    }
    for ((part, name, _, threads), seconds) in ways.into_iter().zip(seconds) {
        if !seconds.is_empty() {
            record.measurements.push(Measurement {
                part: part.to_owned(),
                engine: name.to_owned(),
                bytes: probe.bytes,
                threads,
                seconds,
                ..Measurement::default()
            });
        }
    }
}

/// Reading memory: sums over a buffer no cache holds.
fn memory(rounds: usize, record: &mut Record, session: &mut Session) {
    const BYTES: usize = 512 << 20;
    session.progress.show(0.5, "memory");
    let buffer = vec![1u8; BYTES];
    let cores = crate::environment::cores();
    let mut counts = vec![1, cores];
    counts.dedup();
    for threads in counts {
        let mut seconds = Vec::new();
        for _ in 0..rounds * 2 + 1 {
            if session.stopped() {
                return;
            }
            let start = Instant::now();
            std::thread::scope(|scope| {
                for part in buffer.chunks(BYTES.div_ceil(threads)) {
                    scope.spawn(|| black_box(touch::sum(black_box(part))));
                }
            });
            seconds.push(start.elapsed().as_secs_f64());
        }
        // The first pass touched the pages.
        seconds.remove(0);
        record.measurements.push(Measurement {
            part: "memory".to_owned(),
            engine: "streaming read".to_owned(),
            bytes: BYTES as u64,
            threads,
            seconds,
            ..Measurement::default()
        });
    }
}

/// Each algorithm, one message and full lanes.
fn arithmetic(specs: &[Spec], rounds: usize, budget: f64, record: &mut Record, session: &mut Session) {
    const SAMPLES: usize = 3;
    // Messages 64 bytes off a power of two, or all lanes would share one set of the cache.
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
    let slot = Duration::from_secs_f64(budget / (points.len() * rounds).max(1) as f64);
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
                kernel: row.map(|row| format!("{} x{}", row.isa, row.lanes)).unwrap_or_default(),
                bytes: if lanes.is_some() { BYTES as u64 } else { 1 << 20 },
                threads: 1,
                ..Measurement::default()
            }
        })
        .collect();
    for round in 0..rounds {
        for (i, (spec, lanes)) in points.iter().enumerate() {
            if session.stopped() {
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
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_directory_is_measured_and_left_clean() {
        let directory = tempfile::tempdir_in(crate::io::beside_the_build()).unwrap();
        let mut definition = Limit::read(None).unwrap();
        definition.quick_probe.0 = 32 << 20;
        let stop = AtomicBool::new(false);
        let request = Request { quick: true, seconds: Some(3.0), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        for part in ["cache", "memory", "hash"] {
            assert!(record.part(part).all(|m| m.rate().is_some_and(|r| r > 1e5)), "{part}");
            assert!(record.part(part).next().is_some(), "{part}");
        }
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
        assert!(record.agreements.iter().all(|a| a.disagree.is_empty()));
    }

    #[test]
    fn a_file_too_small_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0; 4096]).unwrap();
        let stop = AtomicBool::new(false);
        let definition = Limit::read(None).unwrap();
        let error =
            run(&definition, file.path(), &Request::default(), &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.contains("too small"), "{error}");
    }
}
