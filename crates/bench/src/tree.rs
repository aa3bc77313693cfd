//! `bench tree FILE`: tree digests of one file by leaf size and threads, against the plain digest of the same hash.
//!
//! A plain digest is a chain, so one file keeps one core half idle; the leaves of a tree are independent, so they fill the
//! lanes of a core and all cores. The table says how much that brings for this file, and how much of each added core is used.

use crate::definition::Tree;
use crate::measure;
use crate::process;
use crate::record::{self, Agreement, Measurement, Missing, Model, Record};
use crate::{Error, Session, quantity, tools};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher, Spec, finish_many, kernel, update_many};

/// What the command line asks for beyond the definition.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Hashes of the leaves; empty for the definition's.
    pub hashes: Vec<String>,
    /// Leaf sizes; empty for the definition's.
    pub leaves: Vec<u64>,
    /// Numbers of threads; empty for 1, 2, 4 ... up to the processors.
    pub threads: Vec<usize>,
    /// Time for the whole run, in seconds.
    pub seconds: Option<f64>,
    /// Whether to take the quick settings.
    pub quick: bool,
}

/// Bytes of a read: small enough that lanes of them stay in a core's own cache.
const SLICE: usize = 128 << 10;

/// Something to run over the file.
struct Contender {
    part: &'static str,
    engine: String,
    algorithm: String,
    variant: String,
    threads: usize,
    work: Work,
    seconds: Vec<f64>,
    processor: Vec<f64>,
}

enum Work {
    Plain(Spec),
    Tree { base: Spec, spec: Spec },
    Program { words: Vec<String> },
}

/// Runs the benchmark over `path`.
///
/// # Errors
/// The file cannot be read or is empty, a hash is unknown or a leaf size is out of range.
pub fn run(
    definition: &Tree,
    path: &Path,
    request: &Request,
    session: &mut Session,
) -> Result<Record, Error> {
    let metadata = path.metadata().map_err(|why| Error::file(path, "opening", &why))?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Err(Error(format!("{}: not a regular file with bytes in it", path.display())));
    }
    let size = metadata.len();
    let mut record = session.record(Model::Tree, Some(path));
    record.summary.clone_from(&definition.summary);
    record.input = format!("one file of {} ({size} bytes), in the page cache", quantity::bytes(size));
    let effort = definition.effort;
    let budget = request.seconds.unwrap_or(if request.quick { effort.quick_seconds } else { effort.seconds });
    let rounds = if request.quick { effort.quick_rounds } else { effort.rounds };
    let scratch = tempfile::tempdir().map_err(|why| Error(format!("making a temporary directory: {why}")))?;
    let mut contenders = contenders(definition, path, request, &mut record)?;
    check(&mut contenders, path, size, scratch.path(), budget, &mut record, session)?;
    let total = (rounds * contenders.len()).max(1) as f64;
    'rounds: for round in 0..rounds {
        for (i, contender) in contenders.iter_mut().enumerate() {
            if session.stopped() || (round > 0 && session.elapsed() > budget) {
                break 'rounds;
            }
            let done = (round * total as usize / rounds + i) as f64 / total;
            session.progress.show(0.5 + done / 2.0, &contender.variant);
            let (processor, start) = (measure::process_seconds(), Instant::now());
            let (_, children) = work(&contender.work, path, size, contender.threads, scratch.path())?;
            contender.seconds.push(start.elapsed().as_secs_f64());
            contender.processor.push(measure::process_seconds() - processor + children);
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
            processor_seconds: crate::statistics::median(&contender.processor),
            ..Measurement::default()
        });
    }
    session.finish(&mut record);
    Ok(record)
}

fn contenders(
    definition: &Tree,
    path: &Path,
    request: &Request,
    record: &mut Record,
) -> Result<Vec<Contender>, Error> {
    let hashes = if request.hashes.is_empty() { &definition.hashes } else { &request.hashes };
    let built_in = if request.quick { &definition.quick_leaves } else { &definition.leaves };
    let leaves: Vec<u64> = if request.leaves.is_empty() {
        built_in.iter().map(|l| l.0).collect()
    } else {
        request.leaves.clone()
    };
    let cores = crate::environment::cores();
    let threads = if request.threads.is_empty() {
        let mut counts: Vec<usize> =
            std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < cores).collect();
        counts.push(cores);
        counts
    } else {
        request.threads.clone()
    };
    let mut found = Vec::new();
    let mut add = |part, engine: &str, algorithm: &str, variant: String, threads, work| {
        found.push(Contender {
            part,
            engine: engine.to_owned(),
            algorithm: algorithm.to_owned(),
            variant,
            threads,
            work,
            seconds: Vec::new(),
            processor: Vec::new(),
        });
    };
    let spec = |name: &str| name.parse::<Spec>().map_err(|why| Error(why.to_string()));
    for hash in hashes {
        let base = spec(hash)?;
        add("plain", "truesum", hash, hash.clone(), 1, Work::Plain(base.clone()));
        let mut trees = Vec::new();
        for &leaf in &leaves {
            let tree =
                spec(&format!("{hash}-tree"))?.with_unit(leaf).map_err(|why| Error(why.to_string()))?;
            trees.push((tree, quantity::bytes(leaf)));
        }
        trees.push((spec(&format!("mtsum-{hash}"))?, "128 MiB, mtsum".to_owned()));
        for (tree, leaf) in trees {
            for &threads in &threads {
                let work = Work::Tree { base: base.clone(), spec: tree.clone() };
                add("tree", "truesum", hash, leaf.clone(), threads, work);
            }
        }
        let name = format!("mtsum-{hash}");
        for engine in definition.engine.iter().filter(|engine| engine.algorithms.contains_key(&name)) {
            let Some(version) = tools::version(engine) else {
                if !record.missing.iter().any(|missing| missing.name == engine.name) {
                    record.missing.push(Missing { name: engine.name.clone(), get: engine.get.clone() });
                }
                continue;
            };
            if !record.engines.iter().any(|known| known.name == engine.name) {
                record.engines.push(record::Engine {
                    name: engine.name.clone(),
                    version,
                    command: engine.command.join(" "),
                    bias: engine.bias.clone(),
                });
            }
            for &threads in &threads {
                let (file, count) = (path.to_string_lossy(), threads.to_string());
                let values =
                    [("file", &*file), ("threads", &count), ("algorithm", engine.algorithms[&name].as_str())];
                let work = Work::Program { words: engine.command(&values) };
                add("tree", &engine.name, hash, "128 MiB, mtsum".to_owned(), threads, work);
            }
        }
    }
    Ok(found)
}

/// Computes every digest once: the same algorithm must give the same digest whatever computes it, with any threads.
fn check(
    contenders: &mut Vec<Contender>,
    path: &Path,
    size: u64,
    scratch: &Path,
    budget: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let mut agreements: Vec<Agreement> = Vec::new();
    let mut keep = Vec::new();
    let count = contenders.len();
    for (i, contender) in contenders.iter().enumerate() {
        let name = format!("{} by {} thread(s)", contender.engine, contender.threads);
        let subject = match &contender.work {
            Work::Plain(spec) | Work::Tree { spec, .. } => spec.to_string(),
            Work::Program { .. } => format!("mtsum-{}", contender.algorithm),
        };
        if session.stopped() || session.elapsed() > budget / 2.0 {
            record.notes.push(format!("not measured for lack of time: {subject}, {name}"));
            keep.push(false);
            continue;
        }
        session.progress.show(i as f64 / count as f64 / 2.0, &format!("checking {subject}"));
        let (digest, _) = work(&contender.work, path, size, contender.threads, scratch)?;
        let known = agreements.iter_mut().find(|agreement| agreement.subject == subject);
        let agreement = if let Some(known) = known {
            known
        } else {
            // The same algorithm fed in one go, by the code that programs use for any digest.
            let expected = match &contender.work {
                Work::Program { .. } => digest.clone(),
                Work::Plain(spec) | Work::Tree { spec, .. } => one_go(spec, path, size)?.to_hex(),
            };
            agreements.push(Agreement { subject, digest: expected, agree: Vec::new(), disagree: Vec::new() });
            agreements.last_mut().expect("just added")
        };
        keep.push(digest == agreement.digest);
        if digest == agreement.digest {
            agreement.agree.push(name);
        } else {
            agreement.disagree.push(format!("{name}: {digest}"));
        }
    }
    record.agreements.extend(agreements);
    let mut keep = keep.into_iter();
    contenders.retain(|_| keep.next().unwrap_or(false));
    Ok(())
}

fn one_go(spec: &Spec, path: &Path, size: u64) -> Result<Digest, Error> {
    let file = File::open(path).map_err(|why| Error::file(path, "opening", &why))?;
    let mut hasher = spec.hasher_for_size(size);
    feed(&file, 0..size, &mut vec![0; SLICE], |bytes| hasher.update(bytes))
        .map_err(|why| Error::file(path, "reading", &why))?;
    Ok(hasher.finish())
}

fn feed(file: &File, range: Range<u64>, buffer: &mut [u8], mut sink: impl FnMut(&[u8])) -> io::Result<()> {
    let mut offset = range.start;
    while offset < range.end {
        let len = (range.end - offset).min(buffer.len() as u64) as usize;
        file.read_exact_at(&mut buffer[..len], offset)?;
        sink(&buffer[..len]);
        offset += len as u64;
    }
    Ok(())
}

/// Does it once: the digest in hexadecimal, and the processor seconds of other processes.
fn work(work: &Work, path: &Path, size: u64, threads: usize, scratch: &Path) -> Result<(String, f64), Error> {
    match work {
        Work::Plain(spec) => Ok((one_go(spec, path, size)?.to_hex(), 0.0)),
        Work::Tree { base, spec } => {
            let digest = match Plan::new(spec, size) {
                Some(plan) => {
                    in_pieces(&plan, base, path, threads).map_err(|why| Error::file(path, "reading", &why))?
                }
                None => one_go(spec, path, size)?,
            };
            Ok((digest.to_hex(), 0.0))
        }
        Work::Program { words } => {
            let (out, errors) = (scratch.join("digest"), scratch.join("errors"));
            let cost = process::run(words, "", Some(&out), &errors)
                .map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
            let text = std::fs::read_to_string(&out).map_err(|why| Error::file(&out, "reading", &why))?;
            let digest = text.split_whitespace().find(|word| Digest::from_hex(word.as_bytes()).is_ok());
            let digest = digest.ok_or_else(|| Error(format!("{} printed no digest", words.join(" "))))?;
            Ok((digest.to_ascii_lowercase(), cost.processor))
        }
    }
}

/// The tree digest by `threads` threads that take pieces as they become free.
fn in_pieces(plan: &Plan, base: &Spec, path: &Path, threads: usize) -> io::Result<Digest> {
    let file = File::open(path)?;
    let pieces = plan.pieces();
    // Pieces that are leaves of their own are hashed side by side, as many as fill the lanes but leave work for the others.
    let beside = match plan.piece_hasher() {
        Some(_) => (kernel::full_lanes(base.algorithm()) as u64).min(pieces.div_ceil(threads as u64)),
        None => 1,
    };
    let next = AtomicU64::new(0);
    let mut digests: Vec<(u64, Digest)> = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> io::Result<Vec<(u64, Digest)>> {
                    let mut done = Vec::new();
                    let mut buffer = Vec::new();
                    loop {
                        let first = next.fetch_add(beside, Ordering::Relaxed);
                        if first >= pieces {
                            return Ok(done);
                        }
                        let batch = first..(first + beside).min(pieces);
                        if plan.piece_hasher().is_some() {
                            leaves(plan, &file, batch, &mut buffer, &mut done)?;
                        } else {
                            let range = plan.piece(first);
                            buffer.resize((range.end - range.start) as usize, 0);
                            file.read_exact_at(&mut buffer, range.start)?;
                            done.push((first, plan.hash_piece(first, &buffer)));
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            digests.extend(worker.join().expect("a worker does not panic")?);
        }
        io::Result::Ok(())
    })?;
    digests.sort_by_key(|(piece, _)| *piece);
    let mut fold = plan.fold();
    digests.into_iter().for_each(|(_, digest)| fold.push(digest));
    fold.finish().ok_or_else(|| io::Error::other("pieces are missing"))
}

/// Hashes leaves side by side, a slice of each at a time.
fn leaves(
    plan: &Plan,
    file: &File,
    batch: Range<u64>,
    buffer: &mut Vec<u8>,
    done: &mut Vec<(u64, Digest)>,
) -> io::Result<()> {
    // Buffers 64 bytes off a power of two, or all lanes would share one set of the cache.
    const STRIDE: usize = SLICE + 64;
    let ranges: Vec<Range<u64>> = batch.clone().map(|piece| plan.piece(piece)).collect();
    let mut hashers: Vec<Hasher> = ranges.iter().filter_map(|_| plan.piece_hasher()).collect();
    buffer.resize(ranges.len() * STRIDE, 0);
    let longest = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
    let mut at = 0;
    while at < longest {
        let mut lens = Vec::with_capacity(ranges.len());
        for (range, room) in ranges.iter().zip(buffer.chunks_mut(STRIDE)) {
            let start = (range.start + at).min(range.end);
            let len = (range.end - start).min(SLICE as u64) as usize;
            file.read_exact_at(&mut room[..len], start)?;
            lens.push(len);
        }
        let slices: Vec<&[u8]> = buffer.chunks(STRIDE).zip(lens).map(|(room, len)| &room[..len]).collect();
        update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
        at += SLICE as u64;
    }
    let digests = finish_many(&mut hashers.iter_mut().collect::<Vec<_>>());
    done.extend(batch.zip(digests));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn pieces_in_threads_give_the_digest_of_one_go() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let data = crate::input::generated(8, (9 << 20) + 4321);
        file.write_all(&data).unwrap();
        let base: Spec = "sha256".parse().unwrap();
        for name in [
            "sha256-tree",
            "sha256-tree;leaf=4KiB",
            "sha256-tree;leaf=1MiB",
            "mtsum-sha256",
            "sha256-tree;leaf=16MiB",
        ] {
            let spec: Spec = name.parse().unwrap();
            let expected = spec.digest(&data);
            let plan = Plan::new(&spec, data.len() as u64).unwrap();
            for threads in [1, 2, 5] {
                assert_eq!(
                    in_pieces(&plan, &base, file.path(), threads).unwrap(),
                    expected,
                    "{name} {threads}"
                );
            }
        }
    }

    #[test]
    fn a_short_run_has_plain_and_tree_figures() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&crate::input::generated(8, 3 << 20)).unwrap();
        let definition = Tree::read(None).unwrap();
        let stop = AtomicBool::new(false);
        let request = Request { quick: true, seconds: Some(10.0), ..Request::default() };
        let record = run(&definition, file.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert!(record.agreements.iter().all(|a| a.disagree.is_empty() && !a.agree.is_empty()));
        assert!(record.part("plain").next().is_some());
        assert!(record.part("tree").any(|m| m.variant == "64 KiB" && m.rate().is_some()));
        assert!(record.part("tree").any(|m| m.variant == "128 MiB, mtsum"));
    }

    #[test]
    fn a_leaf_size_out_of_range_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let (definition, stop) = (Tree::read(None).unwrap(), AtomicBool::new(false));
        let request = Request { leaves: vec![5000], ..Request::default() };
        assert!(run(&definition, file.path(), &request, &mut Session::new(&stop, "x")).is_err());
    }
}
