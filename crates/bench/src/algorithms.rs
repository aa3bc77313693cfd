//! `bench algorithms`: every algorithm in memory, by size, way of calling, kernel and threads.
//!
//! All points are visited in rounds, each for a short slot, so that a machine that becomes slower becomes slower for all of
//! them alike. An algorithm or kernel whose digest is not the expected one is not timed.

use crate::definition::{Algorithms, Engine};
use crate::measure::{self, Cost, Pace, Samples};
use crate::record::{Agreement, Measurement, Model, Record};
use crate::{Error, Session, input, openssl, quantity};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use truesum_hash::kernel::{self, Kernel, Runnable};
use truesum_hash::{Spec, hash_many, hash_many_on};

/// Samples of one visit.
const SAMPLES: usize = 4;

/// What the command line asks for beyond the definition.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The algorithms; empty for the definition's.
    pub algorithms: Vec<Spec>,
    /// Message sizes; empty for the definition's.
    pub sizes: Vec<u64>,
    /// Numbers of threads; empty for 1, 2, 4 ... up to the processors.
    pub threads: Vec<usize>,
    /// Which parts; empty for all.
    pub parts: Vec<Part>,
    /// A stream to be kept up with, in bytes per second.
    pub stream: Option<f64>,
    /// Names of engines to compare with.
    pub compare: Vec<String>,
    /// Whether to take the quick settings.
    pub quick: bool,
    /// Time for the whole run, in seconds; the definition's if `None`.
    pub seconds: Option<f64>,
}

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// One message of 1 MiB, and many of 32 KiB in lanes.
    Rate,
    /// By message size.
    Size,
    /// New hasher, reused hasher, one call, many messages: what a call costs.
    Mode,
    /// By kernel row.
    Kernel,
    /// By threads.
    Threads,
}

impl Part {
    fn word(self) -> &'static str {
        match self {
            Part::Rate => "rate",
            Part::Size => "size",
            Part::Mode => "mode",
            Part::Kernel => "kernel",
            Part::Threads => "threads",
        }
    }
}

/// How a point calls the hash.
#[derive(Clone, Copy)]
enum Call {
    /// A hasher made for each message.
    New,
    /// One hasher for all messages.
    Reused,
    /// `Spec::digest`.
    OneShot,
    /// Many messages in lanes.
    Batch,
    /// As many messages as the row has lanes, by this row alone.
    Row(Runnable),
}

impl Call {
    fn word(self) -> &'static str {
        match self {
            Call::New => "new hasher",
            Call::Reused => "reused hasher",
            Call::OneShot => "one call",
            Call::Batch => "batch in lanes",
            Call::Row(_) => "row",
        }
    }
}

struct Point {
    part: Part,
    spec: Spec,
    call: Call,
    bytes: usize,
    threads: usize,
}

impl Point {
    /// Messages hashed by one call.
    fn messages(&self) -> usize {
        match self.call {
            Call::Batch => {
                // Full lanes, several times over where messages are short.
                let lanes = kernel::full_lanes(self.spec.algorithm());
                lanes * (64 / lanes).max(1)
            }
            Call::Row(row) => row.lanes,
            _ => 1,
        }
    }

    /// The kernel row that computes.
    fn kernel(&self) -> String {
        let rows = kernel::rows(self.spec.algorithm());
        match self.call {
            Call::Row(row) => named(&row),
            _ if rows.is_empty() => String::new(),
            _ => named(&kernel::pick(rows, self.messages())),
        }
    }
}

fn named(row: &Kernel) -> String {
    format!("{} x{}", row.isa, row.lanes)
}

/// Runs the benchmark.
///
/// # Errors
/// The definition names a generator that does not exist, or no algorithm is left to measure.
pub fn run(definition: &Algorithms, request: &Request, session: &mut Session) -> Result<Record, Error> {
    if definition.input.generator != "xorshift64*" || definition.input.seed == 0 {
        return Err(Error(format!("no input generator '{}' with this seed", definition.input.generator)));
    }
    let mut record = session.record(Model::Algorithms, None);
    record.summary.clone_from(&definition.summary);
    record.input = format!("pseudo-random bytes in memory (xorshift64*, seed {})", definition.input.seed);
    record.stream = request.stream;
    let choice = |all: &crate::definition::Choice| match (&request.algorithms[..], request.quick) {
        ([], true) => definition.algorithms.quick.specs(),
        ([], false) => all.specs(),
        (named, _) => named.to_vec(),
    };
    let (rate, detail) = (choice(&definition.algorithms.rate), choice(&definition.algorithms.detail));
    let sizes = match (&request.sizes[..], request.quick) {
        ([], true) => definition.input.quick_sizes.iter().map(|b| b.0).collect(),
        ([], false) => definition.input.sizes.iter().map(|b| b.0).collect(),
        (sizes, _) => sizes.to_vec(),
    };
    let largest = sizes.iter().copied().max().unwrap_or(0).max(definition.input.rate_size.0);
    // Room for the largest message, for a whole batch, and for lanes that start 64 bytes apart in the cache's sets.
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
            record.notes.push(format!("{name} is left out: its digests do not agree"));
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
        return Err(Error("no algorithm to measure: see the digests that do not agree".to_owned()));
    }

    let mut points = points(definition, request, &rate, &detail, &sizes);
    points.retain(|point| point.messages() * (point.bytes + 64) <= room + 64);
    let costs: Vec<Cost> = points
        .iter()
        .map(|point| {
            let per_byte = seconds_per_byte[&point.spec.to_string()].unwrap_or(0.0);
            Cost { operation: per_byte * (point.bytes * point.messages()) as f64 + 1e-7 }
        })
        .collect();
    let effort = definition.effort;
    let budget = request.seconds.unwrap_or(if request.quick { effort.quick_seconds } else { effort.seconds });
    let rounds = if request.quick { effort.quick_rounds } else { effort.rounds };
    let budget = (budget - session.elapsed()).max(1.0);
    let budget = if request.compare.is_empty() { budget } else { budget / 2.0 };
    let plan = measure::plan(&costs, budget, rounds, SAMPLES);
    for (point, _) in points.iter().zip(&plan.keep).filter(|(_, kept)| !**kept) {
        let (spec, size) = (&point.spec, quantity::bytes(point.bytes as u64));
        record
            .notes
            .push(format!("{spec} at {size} ({}) left out: too slow for the time given", point.part.word()));
    }
    let points: Vec<Point> = points.into_iter().zip(plan.keep).filter(|(_, k)| *k).map(|(p, _)| p).collect();
    measure_points(&points, &data, rounds, plan.slot, &mut record, session);
    compare(definition, request, &detail, &data, rounds, &mut record, session)?;
    session.finish(&mut record);
    Ok(record)
}

/// The digests of one message in every way there is, against the expected one where it is known.
fn agree(spec: &Spec, message: &[u8], expected: Option<&str>) -> Agreement {
    let one_call = spec.digest(message).to_hex();
    let digest = expected.map_or_else(|| one_call.clone(), str::to_owned);
    let (mut agree, mut disagree) = (Vec::new(), Vec::new());
    if expected.is_some() {
        agree.push("other programs".to_owned());
    }
    let mut judge = |who: String, found: &str| {
        if found == digest { agree.push(who) } else { disagree.push(format!("{who}: {found}")) }
    };
    judge("one call".to_owned(), &one_call);
    let mut hasher = spec.hasher();
    for slice in message.chunks(4099) {
        hasher.update(slice);
    }
    judge("in slices".to_owned(), &hasher.finish_reset().to_hex());
    hasher.update(message);
    judge("reused hasher".to_owned(), &hasher.finish().to_hex());
    let messages = [message; 3];
    for digest in hash_many(spec, &messages) {
        judge("batch".to_owned(), &digest.to_hex());
    }
    for row in kernel::rows(spec.algorithm()).iter().filter_map(Kernel::runnable) {
        for digest in hash_many_on(row, spec, &messages[..2]).unwrap_or_default() {
            judge(named(&row), &digest.to_hex());
        }
    }
    agree.dedup();
    disagree.dedup();
    Agreement {
        subject: format!("{spec} of {}", quantity::bytes(message.len() as u64)),
        digest,
        agree,
        disagree,
    }
}

fn points(
    definition: &Algorithms,
    request: &Request,
    rate: &[&Spec],
    detail: &[&Spec],
    sizes: &[u64],
) -> Vec<Point> {
    let wanted = |part: Part| request.parts.is_empty() || request.parts.contains(&part);
    let (rate_size, batch_size) = (definition.input.rate_size.0, definition.input.batch_size.0);
    let mut points = Vec::new();
    let mut add = |part, spec: &Spec, call, bytes: u64, threads| {
        if wanted(part) {
            points.push(Point { part, spec: spec.clone(), call, bytes: bytes as usize, threads });
        }
    };
    for spec in rate {
        add(Part::Rate, spec, Call::Reused, rate_size, 1);
        if spec.has_lanes() {
            add(Part::Rate, spec, Call::Batch, batch_size, 1);
        }
    }
    for spec in detail {
        for &size in sizes {
            add(Part::Size, spec, Call::Reused, size, 1);
            if spec.has_lanes() && size <= rate_size {
                add(Part::Size, spec, Call::Batch, size, 1);
            }
        }
        for call in [Call::New, Call::Reused, Call::OneShot, Call::Batch] {
            for size in [128, 512, 8192] {
                if spec.has_lanes() || !matches!(call, Call::Batch) {
                    add(Part::Mode, spec, call, size, 1);
                }
            }
        }
        for row in kernel::rows(spec.algorithm()).iter().filter_map(Kernel::runnable) {
            add(Part::Kernel, spec, Call::Row(row), batch_size, 1);
        }
        for threads in threads(request) {
            add(Part::Threads, spec, Call::Reused, rate_size, threads);
        }
    }
    points
}

/// 1, 2, 4 ... and the number of processors, unless others are asked for.
fn threads(request: &Request) -> Vec<usize> {
    if !request.threads.is_empty() {
        return request.threads.clone();
    }
    let cores = crate::environment::cores();
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < cores).collect();
    counts.push(cores);
    counts
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

/// One visit of one point: seconds and allocations of one message.
fn visit(point: &Point, data: &[u8], slot: Duration) -> Samples {
    let spec = &point.spec;
    let message = &data[..point.bytes];
    if point.threads > 1 {
        return in_threads(spec, message, point.threads, slot);
    }
    let mut reused = spec.hasher();
    let stride = point.bytes + 64;
    let many: Vec<&[u8]> = (0..point.messages()).map(|i| &data[i * stride..][..point.bytes]).collect();
    let mut samples = match point.call {
        Call::New => measure::samples(slot, SAMPLES, || {
            let mut hasher = spec.hasher();
            hasher.update(black_box(message));
            black_box(hasher.finish());
        }),
        Call::Reused => measure::samples(slot, SAMPLES, || {
            reused.update(black_box(message));
            black_box(reused.finish_reset());
        }),
        Call::OneShot => measure::samples(slot, SAMPLES, || {
            black_box(spec.digest(black_box(message)));
        }),
        Call::Batch => measure::samples(slot, SAMPLES, || {
            black_box(hash_many(spec, black_box(&many)));
        }),
        Call::Row(row) => measure::samples(slot, SAMPLES, || {
            black_box(hash_many_on(row, spec, black_box(&many)));
        }),
    };
    let messages = many.len() as f64;
    samples.seconds.iter_mut().for_each(|seconds| *seconds /= messages);
    samples.allocations = samples.allocations.map(|(count, bytes)| (count / messages, bytes / messages));
    samples
}

/// Several threads, each with its own hasher over the same bytes, started together.
///
/// A sample's seconds are those of the whole, divided by the messages of all threads.
fn in_threads(spec: &Spec, message: &[u8], threads: usize, slot: Duration) -> Samples {
    let mut hasher = spec.hasher();
    hasher.update(message);
    black_box(hasher.finish_reset());
    let start = Instant::now();
    hasher.update(message);
    black_box(hasher.finish_reset());
    let one = start.elapsed().as_nanos().max(1);
    let repeat = ((slot / SAMPLES as u32).as_nanos() / one).clamp(1, 1 << 20) as usize;
    let barrier = Barrier::new(threads + 1);
    let mut samples = Samples::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut hasher = spec.hasher();
                for _ in 0..SAMPLES {
                    barrier.wait();
                    for _ in 0..repeat {
                        hasher.update(black_box(message));
                        black_box(hasher.finish_reset());
                    }
                    barrier.wait();
                }
            });
        }
        for _ in 0..SAMPLES {
            barrier.wait();
            let start = Instant::now();
            barrier.wait();
            samples.seconds.push(start.elapsed().as_secs_f64() / (repeat * threads) as f64);
        }
    });
    samples
}

/// `--compare`: another program's own benchmark of the same algorithm and size, in turn with ours.
fn compare(
    definition: &Algorithms,
    request: &Request,
    specs: &[&Spec],
    data: &[u8],
    rounds: usize,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    for name in &request.compare {
        let engine: &Engine =
            definition.engine.iter().find(|engine| engine.name == *name).ok_or_else(|| {
                let known: Vec<&str> = definition.engine.iter().map(|e| e.name.as_str()).collect();
                Error(format!("cannot compare with '{name}': the definition has {}", known.join(", ")))
            })?;
        match crate::tools::version(engine) {
            None => {
                record.missing.push(crate::record::Missing { name: name.clone(), get: engine.get.clone() })
            }
            Some(version) => {
                record.engines.push(crate::record::Engine {
                    name: name.clone(),
                    version,
                    command: engine.command.join(" "),
                    bias: engine.bias.clone(),
                });
                let message = &data[..definition.input.rate_size.0 as usize];
                openssl::compare(engine, specs, message, rounds, record, session)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_agrees_with_itself_and_with_other_programs() {
        let definition = Algorithms::read(None).unwrap();
        let message = input::generated(definition.input.seed, definition.input.rate_size.0 as usize);
        for spec in definition.algorithms.rate.specs() {
            let expected = definition.expected.get(&spec.to_string()).map(String::as_str);
            let agreement = agree(&spec, &message, expected);
            assert_eq!(agreement.disagree, [""; 0], "{spec}");
            assert!(agreement.agree.len() >= 4, "{agreement:?}");
        }
    }

    #[test]
    fn a_wrong_digest_is_found() {
        let spec: Spec = "sha256".parse().unwrap();
        let agreement = agree(&spec, b"abc", Some("00"));
        assert!(agreement.disagree.len() >= 4 && agreement.agree == ["other programs"], "{agreement:?}");
    }

    #[test]
    fn a_short_run_measures_every_part() {
        let definition = Algorithms::read(None).unwrap();
        let request = Request {
            algorithms: vec!["sha256".parse().unwrap(), "crc32".parse().unwrap()],
            sizes: vec![128, 4096],
            threads: vec![2],
            quick: true,
            seconds: Some(2.0),
            ..Request::default()
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        let mut session = Session::new(&stop, "bench algorithms");
        let record = run(&definition, &request, &mut session).unwrap();
        for part in ["rate", "size", "mode", "kernel", "threads"] {
            assert!(record.part(part).next().is_some(), "{part} is missing");
        }
        assert!(record.measurements.iter().all(|m| m.rate().is_some_and(|rate| rate > 1e4)));
        assert!(record.noise.is_some() && !record.interrupted);
        assert_eq!(Record::from_json(&record.to_json()), Ok(record));
    }

    #[test]
    fn an_interrupted_run_keeps_what_was_measured() {
        let definition = Algorithms::read(None).unwrap();
        let request = Request {
            algorithms: vec!["crc32".parse().unwrap(), "md5".parse().unwrap()],
            seconds: Some(60.0),
            ..Request::default()
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        let start = Instant::now();
        let record = std::thread::scope(|scope| {
            let run =
                scope.spawn(|| run(&definition, &request, &mut Session::new(&stop, "bench algorithms")));
            std::thread::sleep(Duration::from_millis(4000));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            run.join().unwrap().unwrap()
        });
        assert!(start.elapsed() < Duration::from_secs(40));
        assert!(record.interrupted && !record.measurements.is_empty());
    }
}
