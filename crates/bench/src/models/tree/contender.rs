//! One thing to run over the file: the plain digest, a tree on a number of threads, another program.

use super::definition::{Arguments, Definition};
use super::pieces::{in_pieces, one_go};
use crate::measure::environment::thread_counts;
use crate::measure::process;
use crate::models::effort::spec;
use crate::models::session::Session;
use crate::record::{Agreement, Record};
use crate::{Error, quantity};
use std::path::Path;
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Spec};

/// One thing to run over the file.
pub(super) struct Contender {
    pub(super) part: &'static str,
    pub(super) engine: String,
    pub(super) algorithm: String,
    pub(super) variant: String,
    pub(super) threads: usize,
    pub(super) work: Work,
    pub(super) seconds: Vec<f64>,
    pub(super) processor: Vec<f64>,
}

pub(super) enum Work {
    Plain(Spec),
    Tree { base: Spec, spec: Spec },
    Program { words: Vec<String> },
}

pub(super) fn contenders(
    definition: &Definition,
    arguments: &Arguments,
    quick: bool,
    record: &mut Record,
) -> Result<Vec<Contender>, Error> {
    let hashes = if arguments.algorithms.is_empty() { &definition.hashes } else { &arguments.algorithms };
    let built_in = if quick { &definition.quick_leaves } else { &definition.leaves };
    let leaves: Vec<u64> = if arguments.leaves.is_empty() {
        built_in.iter().map(|l| l.0).collect()
    } else {
        arguments.leaves.clone()
    };
    let threads = if arguments.threads.is_empty() { thread_counts() } else { arguments.threads.clone() };
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
            if !engine.present(record) {
                continue;
            }
            for &threads in &threads {
                let (file, count) = (arguments.file.to_string_lossy(), threads.to_string());
                let values =
                    [("file", &*file), ("threads", &count), ("algorithm", engine.algorithms[&name].as_str())];
                let work = Work::Program { words: engine.command(&values) };
                add("tree", &engine.name, hash, "128 MiB, mtsum".to_owned(), threads, work);
            }
        }
    }
    Ok(found)
}

/// Computes every digest once: the same algorithm must have the same digest for every implementation and number of
/// threads.
pub(super) fn check(
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
        let threads = if contender.threads == 1 { "thread" } else { "threads" };
        let name = format!("{} with {} {threads}", contender.engine, contender.threads);
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
            // The same algorithm on the whole message at once, with the code for ordinary digests.
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

/// Runs it once: returns the digest in hexadecimal, and the processor seconds of other processes.
pub(super) fn work(
    work: &Work,
    path: &Path,
    size: u64,
    threads: usize,
    scratch: &Path,
) -> Result<(String, f64), Error> {
    match work {
        Work::Plain(spec) => Ok((one_go(spec, path, size)?.to_hex(), 0.0)),
        Work::Tree { base, spec } => {
            let digest = match Plan::new(spec, size) {
                Some(plan) => {
                    in_pieces(&plan, base, path, threads).map_err(|why| Error::file(path, "read", &why))?
                }
                None => one_go(spec, path, size)?,
            };
            Ok((digest.to_hex(), 0.0))
        }
        Work::Program { words } => {
            let (out, errors) = (scratch.join("digest"), scratch.join("errors"));
            let cost = process::run(words, "", Some(&out), &errors)
                .map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
            let text = std::fs::read_to_string(&out).map_err(|why| Error::file(&out, "read", &why))?;
            let digest = text.split_whitespace().find(|word| Digest::from_hex(word.as_bytes()).is_ok());
            let digest = digest.ok_or_else(|| Error(format!("{} printed no digest", words.join(" "))))?;
            Ok((digest.to_ascii_lowercase(), cost.processor))
        }
    }
}
