//! One command that is run repeatedly: an engine with an algorithm.

use super::directory::path_of;
use crate::Error;
use crate::measure::environment::cores;
use crate::measure::process::{self, Cost};
use crate::models::engine::{Engine, Spelling, fill, own_program};
use std::path::{Path, PathBuf};
use truesum_fs::name::native;
use truesum_hash::find;

/// One command that is run repeatedly: an engine with an algorithm.
pub(super) struct Contender<'a> {
    pub(super) engine: &'a Engine,
    pub(super) words: Vec<String>,
    /// The directory in which the command runs.
    pub(super) directory: String,
    /// The command whose output is checked.
    pub(super) check: Vec<String>,
    pub(super) algorithm: String,
    pub(super) spelling: Spelling,
    pub(super) runs: Vec<Cost>,
    pub(super) manifest_bytes: u64,
}

/// Returns the algorithms in a name like `md5+sha256`: several digests in one read.
pub(super) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('+')
}

/// Returns the path of the manifest to verify.
pub(super) fn sums(scratch: &Path, name: &str) -> PathBuf {
    scratch.join(format!("{name}.sums"))
}

/// Returns our name for an algorithm, whatever the definition calls it.
pub(super) fn canonical(name: &str) -> &str {
    find(name).map_or(name, |row| row.name())
}

/// Returns the commands that compute an algorithm.
pub(super) fn contenders<'a>(
    name: &str,
    engines: &[&'a Engine],
    root: &Path,
    scratch: &Path,
) -> Vec<Contender<'a>> {
    let own = own_program();
    let (directory, out) = (root.to_string_lossy(), scratch.join("manifest"));
    let (out, threads) = (out.to_string_lossy(), cores().to_string());
    let manifest = sums(scratch, name);
    let manifest = manifest.to_string_lossy();
    let rows = engines.iter().filter_map(|engine| {
        let theirs = if engine.own {
            parts(name).all(|part| find(part).is_some()).then(|| name.replace('+', ","))
        } else {
            let row = engine.algorithms.iter().find(|(key, _)| canonical(key) == name);
            row.map(|(_, theirs)| theirs.clone())
        };
        let values = [
            ("self", own.as_str()),
            ("algorithm", &theirs?),
            ("dir", &directory),
            ("out", &out),
            ("threads", &threads),
            ("manifest", &manifest),
        ];
        let words = engine.command(&values);
        let directory = fill(std::slice::from_ref(&engine.directory), &values).concat();
        let check = if engine.check.is_empty() { words.clone() } else { fill(&engine.check, &values) };
        let key = engine.algorithms.keys().find(|key| canonical(key) == name).map_or(name, String::as_str);
        let spelling = engine.spelling(key);
        Some(Contender {
            engine,
            words,
            directory,
            check,
            algorithm: name.to_owned(),
            spelling,
            runs: Vec::new(),
            manifest_bytes: 0,
        })
    });
    let mut group: Vec<Contender> = rows.collect();
    // truesum may format a digest like the algorithm's original tool; hexadecimal is recognized in any case.
    let base32 = group.iter().any(|contender| contender.spelling == Spelling::Base32);
    for contender in group.iter_mut().filter(|contender| contender.engine.own) {
        contender.spelling = if base32 { Spelling::Base32 } else { Spelling::Hex };
    }
    group
}

/// The files to hash, and the directory for everything that engines write.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The directory that contains the files.
    pub(super) root: &'a Path,
    /// The files with their sizes.
    pub(super) files: &'a [(Vec<u8>, u64)],
    pub(super) scratch: &'a Path,
}

/// Runs a command once, or once for each file if it contains `{file}`. Returns its cost and the manifest.
pub(super) fn run_once(
    contender: &Contender,
    words: &[String],
    place: Place<'_>,
) -> Result<(Cost, Vec<u8>), Error> {
    if !words.iter().any(|word| word == "{file}") {
        return run_process(contender, words, place.scratch);
    }
    let mut total = Cost { seconds: 0.0, processor: 0.0, peak_memory: None, status: Some(0) };
    let mut manifest = Vec::new();
    for (name, _) in place.files {
        let file = native(place.root.join(path_of(name)).to_string_lossy().into_owned());
        let (cost, output) = run_process(contender, &fill(words, &[("file", &file)]), place.scratch)?;
        total.seconds += cost.seconds;
        total.processor += cost.processor;
        total.peak_memory = total.peak_memory.max(cost.peak_memory);
        // The digest may be on a line without the name.
        for line in output.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            manifest.extend([line.trim_ascii(), b"  ", name, b"\n"].concat());
        }
    }
    Ok((total, manifest))
}

/// Returns the first line that a program wrote to standard error, which was saved in a file.
pub(super) fn first_message(errors: &Path) -> String {
    let output = std::fs::read(errors).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    output.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim().to_owned()
}

/// Runs one process. Returns its cost, and the file that it wrote.
fn run_process(contender: &Contender, words: &[String], scratch: &Path) -> Result<(Cost, Vec<u8>), Error> {
    let (out, errors) = (scratch.join("manifest"), scratch.join("errors"));
    // Some programs refuse to overwrite, others append.
    match std::fs::remove_file(&out) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file(&out, "remove", &why));
        }
        _ => {}
    }
    let output = contender.engine.stdout.then_some(out.as_path());
    let cost = process::run(words, &contender.directory, output, &errors)
        .map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
    let succeeded = cost.status.is_some_and(|s| s == 0 || contender.engine.accept.contains(&s));
    if !succeeded {
        let line = first_message(&errors);
        let status =
            cost.status.map_or_else(|| "ended by a signal".to_owned(), |s| format!("exit status {s}"));
        return Err(Error(format!("{}: {status}: {line}", contender.engine.name)));
    }
    match std::fs::read(&out) {
        Ok(manifest) => Ok((cost, manifest)),
        // An engine that verifies writes none.
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok((cost, Vec::new())),
        Err(why) => Err(Error::file(&out, "read", &why)),
    }
}
