//! `bench tools DIR`: programs that write a manifest of a directory, side by side.
//!
//! Every command is run once before it is timed: that run warms the cache for all alike, and its manifest is read and
//! compared file by file. Then rounds: all algorithms, and within each all engines in turn. Manifests go to a temporary
//! directory elsewhere, never into the tree, which is compared with itself at the end.
//!
//! A definition may have its engines verify a manifest instead of writing one. Then an engine is timed only if it accepts the
//! right manifest and refuses the same one with a digit changed.

use crate::agreement::{self, Digests, Files};
use crate::definition::{Engine, Spelling, Tools, fill};
use crate::process::{self, Cost};
use crate::record::{self, Agreement, Measurement, Missing, Model, Record};
use crate::statistics::median;
use crate::{Error, Session, io::strategy::evict, quantity};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use truesum_hash::{ALGORITHMS, Digest, find};

/// What the command line asks for beyond the definition.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Algorithms by name; empty for all that any engine has.
    pub algorithms: Vec<String>,
    /// Engines by name; empty for all.
    pub engines: Vec<String>,
    /// Runs of each command; the definition's if `None`.
    pub rounds: Option<usize>,
    /// Whether the page cache is emptied before each run.
    pub cold: bool,
    /// Time for the whole run, in seconds.
    pub seconds: Option<f64>,
    /// Whether to take the quick settings.
    pub quick: bool,
}

/// One command to run again and again: an engine with an algorithm.
struct Contender<'a> {
    engine: &'a Engine,
    words: Vec<String>,
    /// The command whose output is checked.
    check: Vec<String>,
    algorithm: String,
    spelling: Spelling,
    runs: Vec<Cost>,
    manifest_bytes: u64,
}

/// Runs the benchmark over `directory`.
///
/// # Errors
/// The directory cannot be read or holds no file, no temporary directory can be made, an engine asked for does not exist.
pub fn run(
    definition: &Tools,
    directory: &Path,
    request: &Request,
    session: &mut Session,
) -> Result<Record, Error> {
    let root = directory.canonicalize().map_err(|why| Error::file(directory, "opening", &why))?;
    let before = listing(&root)?;
    let bytes: u64 = before.iter().map(|(_, size)| size).sum();
    if before.is_empty() {
        return Err(Error(format!("{}: no regular files to hash", directory.display())));
    }
    let mut record = session.record(Model::Tools, Some(&root));
    record.summary.clone_from(&definition.summary);
    let files = if before.len() == 1 { "1 file".to_owned() } else { format!("{} files", before.len()) };
    record.input = format!("{files}, {} ({bytes} bytes)", quantity::bytes(bytes));
    let engines = engines(definition, request, &mut record)?;
    let scratch = tempfile::tempdir().map_err(|why| Error(format!("making a temporary directory: {why}")))?;
    let files = Files::new(root.as_os_str().as_bytes().to_vec(), before.iter().map(|(name, _)| name.clone()));
    if files.len() < before.len() {
        let odd = before.len() - files.len();
        record
            .notes
            .push(format!("{odd} files whose names formats must escape are hashed but not cross-checked"));
    }
    session.progress.show(0.0, "reading the files once");
    warm(&root, &before, session);

    let effort = definition.effort;
    let budget = request.seconds.unwrap_or(if request.quick { effort.quick_seconds } else { effort.seconds });
    let rounds = request.rounds.unwrap_or(if request.quick { effort.quick_rounds } else { effort.rounds });
    let mut groups: Vec<Vec<Contender>> = Vec::new();
    let names = algorithms(definition, request, &engines);
    let checking = session.elapsed();
    for (done, name) in names.iter().enumerate() {
        // Checking may take half of the time; what does not fit is said, not hidden.
        let elapsed = session.elapsed();
        if session.stopped() || (done > 0 && elapsed > budget / 2.0 && request.rounds.is_none()) {
            record.notes.push(format!("not measured for lack of time: {}", names[done..].join(", ")));
            break;
        }
        let mut group = contenders(name, &engines, &root, scratch.path());
        let share = done as f64 / names.len() as f64 / 2.0;
        if definition.manifest.is_empty() {
            check(name, &mut group, &files, scratch.path(), share, &mut record, session)?;
        } else {
            let place = Place { root: &root, scratch: scratch.path() };
            check_verifiers(name, &definition.manifest, &mut group, place, share, &mut record, session)?;
        }
        groups.push(group);
    }
    let one_round = session.elapsed() - checking;
    let affordable = ((budget - session.elapsed()) / one_round.max(1e-3)).floor().max(0.0) as usize;
    let rounds = if request.rounds.is_some() { rounds } else { rounds.min(affordable) };
    let chill = || {
        if request.cold { chill(&root, &before) } else { Cold::No }
    };
    match chill() {
        Cold::No => {}
        Cold::Machine => {
            record.notes.push("cold: the caches of the machine were emptied before each run".to_owned())
        }
        Cold::Files => record.notes.push(
            "cold: the pages of the files were dropped before each run; names and inodes stayed in memory"
                .to_owned(),
        ),
    }
    time(&mut groups, rounds, scratch.path(), &chill, session)?;
    if rounds == 0 && !session.stopped() {
        record.notes.push("no time for rounds: the figures are those of the checking run".to_owned());
    }
    for contender in groups.into_iter().flatten() {
        record.measurements.extend(measurement(contender, bytes, rounds));
    }
    if listing(&root)? != before {
        record.notes.push("the directory is not as it was: something wrote into it meanwhile".to_owned());
    }
    session.finish(&mut record);
    Ok(record)
}

/// Regular files below a directory with their sizes, sorted; links are not followed.
fn listing(root: &Path) -> Result<Vec<(Vec<u8>, u64)>, Error> {
    let mut files = Vec::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        let path = root.join(&directory);
        let failed = |why: std::io::Error| Error::file(&path, "listing", &why);
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = directory.join(entry.file_name());
            if kind.is_dir() {
                directories.push(name);
            } else if kind.is_file() {
                files.push((name.as_os_str().as_bytes().to_vec(), entry.metadata().map_err(failed)?.len()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Reads every file once, so that the first engine does not pay for the cold cache.
fn warm(root: &Path, files: &[(Vec<u8>, u64)], session: &Session) {
    let mut buffer = vec![0; 1 << 18];
    for (name, _) in files {
        let path = root.join(std::ffi::OsStr::from_bytes(name));
        // A file that cannot be read fails the engines' own check, with their words.
        let Ok(mut file) = std::fs::File::open(path) else { continue };
        while std::io::Read::read(&mut file, &mut buffer).is_ok_and(|len| len > 0 && !session.stopped()) {}
    }
}

/// What was emptied before a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cold {
    No,
    /// The pages of the files alone.
    Files,
    /// Pages, names and inodes of the whole machine: only its administrator may.
    Machine,
}

/// Makes the next run read the files from their disk.
fn chill(root: &Path, files: &[(Vec<u8>, u64)]) -> Cold {
    rustix::fs::sync();
    if std::fs::write("/proc/sys/vm/drop_caches", "3").is_ok() {
        return Cold::Machine;
    }
    for (name, _) in files {
        // What cannot be dropped stays warm for all engines alike.
        let _ = evict(&root.join(std::ffi::OsStr::from_bytes(name)));
    }
    Cold::Files
}

/// The engines that run here; the others go to [`Record::missing`].
fn engines<'a>(
    definition: &'a Tools,
    request: &Request,
    record: &mut Record,
) -> Result<Vec<&'a Engine>, Error> {
    for name in &request.engines {
        if !definition.engine.iter().any(|engine| engine.name == *name) {
            let known: Vec<&str> = definition.engine.iter().map(|e| e.name.as_str()).collect();
            return Err(Error(format!("no engine '{name}' in the definition: it has {}", known.join(", "))));
        }
    }
    let mut present = Vec::new();
    for engine in &definition.engine {
        if !request.engines.is_empty() && !request.engines.contains(&engine.name) {
            continue;
        }
        match version(engine) {
            Some(version) => {
                record.engines.push(record::Engine {
                    name: engine.name.clone(),
                    version,
                    command: engine.command.join(" "),
                    bias: engine.bias.clone(),
                });
                present.push(engine);
            }
            None => record.missing.push(Missing { name: engine.name.clone(), get: engine.get.clone() }),
        }
    }
    if present.is_empty() {
        return Err(Error("no engine of the definition is installed here".to_owned()));
    }
    Ok(present)
}

/// What an engine says of its version: the first line it prints. `None` if it, or the program it is run through, is not
/// installed.
pub(crate) fn version(engine: &Engine) -> Option<String> {
    let own = own_program();
    let words = fill(&engine.version, &[("self", &own)]);
    let runner = fill(&engine.command[..1], &[("self", &own), ("algorithm", "sh")]);
    if !process::found(words.first()?) || !process::found(runner.first()?) {
        return None;
    }
    let output = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().map(str::trim).find(|line| line.chars().any(|c| c.is_ascii_digit()));
    Some(line.or_else(|| text.lines().next()).unwrap_or("").chars().take(120).collect())
}

/// The truesum to measure: this program if it is called so, else the one on PATH.
pub(crate) fn own_program() -> String {
    match std::env::current_exe() {
        Ok(path) if path.file_name().is_some_and(|name| name == "truesum") => {
            path.to_string_lossy().into_owned()
        }
        _ => "truesum".to_owned(),
    }
}

/// The algorithms of a name like `md5+sha256`: several digests in one read.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('+')
}

/// Where the manifest to verify lies.
fn sums(scratch: &Path, name: &str) -> PathBuf {
    scratch.join(format!("{name}.sums"))
}

/// Our name for an algorithm, whatever the definition calls it.
fn canonical(name: &str) -> &str {
    find(name).map_or(name, |row| row.name)
}

/// The algorithms to measure, those of the definition in its order first.
fn algorithms(definition: &Tools, request: &Request, engines: &[&Engine]) -> Vec<String> {
    let theirs =
        engines.iter().flat_map(|engine| engine.algorithms.keys().map(|name| canonical(name).to_owned()));
    let asked: Vec<String> = match (&request.algorithms[..], request.quick) {
        ([], true) => definition.quick.clone(),
        ([], false) => {
            let own = engines.iter().any(|engine| engine.own);
            theirs.chain(ALGORITHMS.iter().filter(|_| own).map(|row| row.name.to_owned())).collect()
        }
        (named, _) => named.to_vec(),
    };
    let mut names: Vec<String> = Vec::new();
    for name in asked {
        let name = canonical(&name).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The commands that compute an algorithm.
fn contenders<'a>(name: &str, engines: &[&'a Engine], root: &Path, scratch: &Path) -> Vec<Contender<'a>> {
    let own = own_program();
    let (directory, out) = (root.to_string_lossy(), scratch.join("manifest"));
    let (out, threads) = (out.to_string_lossy(), crate::environment::cores().to_string());
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
        let check = if engine.check.is_empty() { words.clone() } else { fill(&engine.check, &values) };
        let key = engine.algorithms.keys().find(|key| canonical(key) == name).map_or(name, String::as_str);
        let spelling = engine.spelling(key);
        Some(Contender {
            engine,
            words,
            check,
            algorithm: name.to_owned(),
            spelling,
            runs: Vec::new(),
            manifest_bytes: 0,
        })
    });
    let mut group: Vec<Contender> = rows.collect();
    // truesum may spell a digest as the tool does that made it known; hexadecimal is read as such anyway.
    let base32 = group.iter().any(|contender| contender.spelling == Spelling::Base32);
    for contender in group.iter_mut().filter(|contender| contender.engine.own) {
        contender.spelling = if base32 { Spelling::Base32 } else { Spelling::Hex };
    }
    group
}

/// Runs one command once.
fn run_once(contender: &Contender, words: &[String], scratch: &Path) -> Result<(Cost, Vec<u8>), Error> {
    let (out, errors) = (scratch.join("manifest"), scratch.join("errors"));
    // Some programs refuse to overwrite, others append.
    match std::fs::remove_file(&out) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file(&out, "removing", &why));
        }
        _ => {}
    }
    let output = contender.engine.stdout.then_some(out.as_path());
    let cost = process::run(words, &contender.engine.directory, output, &errors)
        .map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
    let succeeded = cost.status.is_some_and(|s| s == 0 || contender.engine.accept.contains(&s));
    if !succeeded {
        let said = std::fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let line =
            said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim().to_owned();
        let status =
            cost.status.map_or_else(|| "ended by a signal".to_owned(), |s| format!("exit status {s}"));
        return Err(Error(format!("{}: {status}: {line}", contender.engine.name)));
    }
    match std::fs::read(&out) {
        Ok(manifest) => Ok((cost, manifest)),
        // One that verifies writes none.
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok((cost, Vec::new())),
        Err(why) => Err(Error::file(&out, "reading", &why)),
    }
}

/// Runs each command once and keeps those whose manifests agree on every file.
fn check(
    name: &str,
    group: &mut Vec<Contender>,
    files: &Files,
    scratch: &Path,
    share: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let mut read: Vec<Option<Digests>> = Vec::new();
    for contender in group.iter_mut() {
        if session.stopped() {
            read.push(None);
            continue;
        }
        session.progress.show(share, &format!("checking {name}: {}", contender.engine.name));
        match run_once(contender, &contender.check, scratch) {
            Ok((cost, manifest)) => {
                contender.manifest_bytes = manifest.len() as u64;
                contender.runs.push(cost);
                read.push(Some(digests(name, files, &manifest, contender.spelling)));
            }
            Err(why) => {
                record.notes.push(format!("{name}: left out: {why}"));
                read.push(None);
            }
        }
    }
    let mut keep: Vec<bool> = read.iter().map(Option::is_some).collect();
    if let Some(expected) = majority(&read, files.len()) {
        let whole = expected.len() == files.len();
        let mut agreement = Agreement {
            subject: format!("{name} of every file"),
            digest: agreement::over_all(expected).to_hex(),
            agree: Vec::new(),
            disagree: Vec::new(),
        };
        for (i, found) in read.iter().enumerate() {
            let (Some(found), who) = (found, &group[i].engine.name) else { continue };
            let difference = match agreement::difference(expected, found) {
                None if !whole => Some(format!("digests of {} of {} files", found.len(), files.len())),
                other => other,
            };
            match difference {
                None => agreement.agree.push(who.clone()),
                Some(why) => {
                    keep[i] = false;
                    agreement.disagree.push(format!("{who}: {why}"));
                }
            }
        }
        record.agreements.push(agreement);
    }
    let mut kept = keep.into_iter();
    group.retain(|_| kept.next().unwrap_or(false));
    Ok(())
}

/// What a manifest says of each file: its digest, or all digests of `md5+sha256` behind each other.
fn digests(name: &str, files: &Files, manifest: &[u8], spelling: Spelling) -> Digests {
    let length = |part| find(part).map(|row| row.digest_len);
    if parts(name).count() == 1 {
        return files.digests(manifest, spelling, length(name));
    }
    let mut joined: BTreeMap<Vec<u8>, (usize, Vec<u8>)> = BTreeMap::new();
    for part in parts(name) {
        for (file, digest) in files.digests(manifest, spelling, length(part)) {
            let (count, bytes) = joined.entry(file).or_default();
            *count += 1;
            bytes.extend_from_slice(digest.as_bytes());
        }
    }
    joined.retain(|_, (count, _)| *count == parts(name).count());
    joined.into_iter().map(|(file, (_, bytes))| (file, Digest::new(&bytes))).collect()
}

/// Where a run works: the tree, and the temporary directory.
#[derive(Clone, Copy)]
struct Place<'a> {
    root: &'a Path,
    scratch: &'a Path,
}

/// Writes a manifest, and keeps the engines that accept it and refuse it with one digit changed.
fn check_verifiers(
    name: &str,
    command: &[String],
    group: &mut Vec<Contender>,
    place: Place<'_>,
    share: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let path = sums(place.scratch, name);
    let (own, file) = (own_program(), path.to_string_lossy());
    let directory = place.root.to_string_lossy();
    let values = [("self", own.as_str()), ("algorithm", name), ("dir", &directory), ("manifest", &file)];
    let words = fill(command, &values);
    let made = process::run(&words, "", None, &place.scratch.join("errors"));
    let made = made.map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
    if made.status != Some(0) {
        return Err(Error(format!("{}: the manifest to verify was not written", words.join(" "))));
    }
    let right = std::fs::read(&path).map_err(|why| Error::file(&path, "reading", &why))?;
    let mut wrong = right.clone();
    let digit = wrong.iter_mut().find(|byte| byte.is_ascii_hexdigit());
    let digit = digit.ok_or_else(|| Error(format!("{}: no digest in it", path.display())))?;
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    let mut agreement = Agreement {
        subject: format!("{name}: the right manifest accepted, one with a digit changed refused"),
        digest: agreement::digest_of(&right).to_hex(),
        agree: Vec::new(),
        disagree: Vec::new(),
    };
    let mut keep = Vec::new();
    let put = |text: &[u8]| std::fs::write(&path, text).map_err(|why| Error::file(&path, "writing", &why));
    for contender in group.iter_mut() {
        session.progress.show(share, &format!("checking {name}: {}", contender.engine.name));
        let who = &contender.engine.name;
        put(&wrong)?;
        let refused = run_once(contender, &contender.check, place.scratch).is_err();
        put(&right)?;
        let accepted = run_once(contender, &contender.check, place.scratch);
        keep.push(refused && accepted.is_ok());
        match accepted {
            _ if session.stopped() => {}
            Ok((cost, _)) if refused => {
                contender.manifest_bytes = right.len() as u64;
                contender.runs.push(cost);
                agreement.agree.push(who.clone());
            }
            Ok(_) => agreement.disagree.push(format!("{who}: accepts a digest that is wrong")),
            Err(why) => record.notes.push(format!("{name}: left out: {why}")),
        }
    }
    record.agreements.push(agreement);
    let mut kept = keep.into_iter();
    group.retain(|_| kept.next().unwrap_or(false));
    Ok(())
}

/// The digests that most engines give; of equals the first. A manifest without all files counts only if there is no other.
fn majority(read: &[Option<Digests>], files: usize) -> Option<&Digests> {
    let found: Vec<&Digests> = read.iter().flatten().collect();
    let votes = |digests: &Digests| found.iter().filter(|other| **other == digests).count();
    let mut best: Option<(bool, usize, &Digests)> = None;
    for digests in &found {
        let rank = (digests.len() == files, votes(digests));
        if best.is_none_or(|(whole, count, _)| rank > (whole, count)) {
            best = Some((rank.0, rank.1, digests));
        }
    }
    best.map(|(_, _, digests)| digests)
}

/// Rounds: all algorithms, within each all engines in turn. The checking run counts only if no other follows.
fn time(
    groups: &mut [Vec<Contender>],
    rounds: usize,
    scratch: &Path,
    chill: &dyn Fn() -> Cold,
    session: &mut Session,
) -> Result<(), Error> {
    let commands: usize = groups.iter().map(Vec::len).sum();
    let total = (rounds * commands).max(1) as f64;
    let mut done = 0;
    for _ in 0..rounds {
        for contender in groups.iter_mut().flatten() {
            if session.stopped() {
                return Ok(());
            }
            let label = format!("{}: {}", contender.algorithm, contender.engine.name);
            session.progress.show(0.5 + done as f64 / total / 2.0, &label);
            done += 1;
            chill();
            match run_once(contender, &contender.words, scratch) {
                Ok((cost, _)) => contender.runs.push(cost),
                // An interrupted program is no failure of it.
                Err(_) if session.stopped() => return Ok(()),
                Err(why) => return Err(why),
            }
        }
    }
    Ok(())
}

fn measurement(contender: Contender, bytes: u64, rounds: usize) -> Option<Measurement> {
    let Contender { engine, algorithm, mut runs, manifest_bytes, .. } = contender;
    if rounds > 0 && runs.len() > 1 {
        runs.remove(0);
    }
    let peaks = runs.iter().filter_map(|run| run.peak_memory);
    (!runs.is_empty()).then(|| Measurement {
        part: "tool".to_owned(),
        engine: engine.name.clone(),
        algorithm,
        bytes,
        threads: 1,
        seconds: runs.iter().map(|run| run.seconds).collect(),
        processor_seconds: median(&runs.iter().map(|run| run.processor).collect::<Vec<_>>()),
        manifest_bytes: Some(manifest_bytes),
        peak_memory: peaks.max(),
        ..Measurement::default()
    })
}

/// The measurements of a record by algorithm and engine.
pub(crate) fn by_algorithm(record: &Record) -> BTreeMap<&str, Vec<&Measurement>> {
    let mut found: BTreeMap<&str, Vec<&Measurement>> = BTreeMap::new();
    for m in record.part("tool") {
        found.entry(&m.algorithm).or_default().push(m);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// A definition of shell scripts, so that the test needs no tool but sh, sed and sha256sum.
    fn definition(engines: &[(&str, &str)]) -> Tools {
        let mut text = "model = \"tools\"\nsummary = \"x\"\nquick = [\"sha256\"]\n\
                        [effort]\nseconds = 20\nquick_seconds = 5\nrounds = 2\nquick_rounds = 1\n"
            .to_owned();
        for (name, script) in engines {
            text += &format!(
                "[[engine]]\nname = \"{name}\"\nversion = [\"sh\", \"-c\", \"echo {name} 1.0\"]\nget = \"x\"\n\
                 command = [\"sh\", \"-c\", '''{script}''', \"sh\", \"{{dir}}\", \"{{out}}\"]\n\
                 [engine.algorithms]\nsha256 = \"sha256\"\n"
            );
        }
        text += "[[engine]]\nname = \"absent\"\nversion = [\"no-such-program\"]\nget = \"nowhere\"\n\
                 command = [\"no-such-program\", \"{out}\"]\n[engine.algorithms]\nsha256 = \"x\"\n";
        let crate::definition::Definition::Tools(tools) = toml::from_str(&text).unwrap() else { panic!() };
        tools
    }

    fn tree() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("sub dir")).unwrap();
        for (name, text) in [("a", "abc"), ("sub dir/b c.bin", "123456789"), ("empty", "")] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        directory
    }

    #[test]
    fn several_digests_of_one_read_must_all_agree() {
        let both = "cd \"$1\" && find . -type f | sed 's,^./,,' | while read -r f; do \
                    m=$(md5sum < \"$f\"); s=$(sha256sum < \"$f\"); echo \"$f  ${m%% *}  ${s%% *}\"; done > \"$2\"";
        let wrong = both.replace("${m%% *}", "00000000000000000000000000000000");
        let mut definition = definition(&[("both", both), ("also both", both), ("wrong", &wrong)]);
        for engine in &mut definition.engine {
            engine.algorithms = [("md5+sha256".to_owned(), "both".to_owned())].into();
        }
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(1), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["both", "also both"], "{record:?}");
        assert!(record.agreements[0].disagree[0].starts_with("wrong: 0000"), "{record:?}");
    }

    #[test]
    fn an_engine_that_accepts_a_wrong_manifest_is_not_timed() {
        let mut definition =
            definition(&[("verifies", "sha256sum --quiet -c \"$1\""), ("believes", "test -s \"$1\"")]);
        for engine in &mut definition.engine {
            engine.command.iter_mut().for_each(|word| *word = word.replace("{dir}", "{manifest}"));
        }
        let writes = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"";
        definition.manifest = ["sh", "-c", writes, "sh", "{dir}", "{manifest}"].map(str::to_owned).to_vec();
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(1), cold: true, ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert_eq!(record.agreements[0].disagree, ["believes: accepts a digest that is wrong"]);
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["verifies"]);
        assert!(record.notes.iter().any(|note| note.starts_with("cold: ")), "{record:?}");
    }

    const RIGHT: &str = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"";

    #[test]
    fn engines_that_agree_are_timed_and_the_missing_one_is_named() {
        let relative = "cd \"$1\" && find . -type f | sed 's,^./,,' | while read -r f; do sha256sum \"$f\"; done > \"$2\"";
        let definition = definition(&[("absolute", RIGHT), ("relative", relative)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(2), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        let [agreement] = &record.agreements[..] else { panic!("{record:?}") };
        assert_eq!((agreement.agree.len(), agreement.disagree.len()), (2, 0), "{agreement:?}");
        assert_eq!(record.missing[0].name, "absent");
        let counts: Vec<usize> = record.part("tool").map(|m| m.seconds.len()).collect();
        assert_eq!(counts, [2, 2]);
        assert!(record.measurements.iter().all(|m| m.manifest_bytes.is_some_and(|bytes| bytes > 3 * 64)));
        assert_eq!(record.input, "3 files, 12 B (12 bytes)");
    }

    #[test]
    fn an_engine_that_lies_is_not_timed() {
        let lies = "find \"$1\" -type f -exec sha256sum {} + | sed 's/^ba7816/ba7817/' > \"$2\"";
        let forgets = "find \"$1\" -type f -name a -exec sha256sum {} + > \"$2\"";
        let definition =
            definition(&[("lies", lies), ("right", RIGHT), ("forgets", forgets), ("also right", RIGHT)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(1), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        let disagree = &record.agreements[0].disagree;
        assert!(disagree.iter().any(|d| d.starts_with("lies: ba7817") && d.contains(" for a instead of")));
        assert!(disagree.iter().any(|d| d.starts_with("forgets: no digest of")), "{disagree:?}");
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["right", "also right"]);
    }

    #[test]
    fn an_engine_alone_must_still_name_every_file() {
        let forgets = "find \"$1\" -type f -name a -exec sha256sum {} + > \"$2\"";
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(1), ..Request::default() };
        let definition = definition(&[("forgets", forgets)]);
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert_eq!(record.agreements[0].disagree, ["forgets: digests of 1 of 3 files"]);
        assert_eq!(record.part("tool").count(), 0);
    }

    #[test]
    fn a_failing_engine_is_left_out_with_its_words() {
        let definition = definition(&[("fails", "echo 'cannot do that' >&2; exit 7"), ("right", RIGHT)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(1), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert!(record.notes.contains(&"sha256: left out: fails: exit status 7: cannot do that".to_owned()));
    }

    #[test]
    fn a_tree_that_is_written_into_is_reported() {
        let writes = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"; echo x > \"$1/left behind\"";
        let definition = definition(&[("writes", writes)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let request = Request { rounds: Some(0), ..Request::default() };
        let record = run(&definition, directory.path(), &request, &mut Session::new(&stop, "x")).unwrap();
        assert!(record.notes.iter().any(|note| note.starts_with("the directory is not as it was")));
    }

    #[test]
    fn an_empty_directory_and_an_unknown_engine_are_errors() {
        let (definition, stop) = (definition(&[("right", RIGHT)]), AtomicBool::new(false));
        let mut session = Session::new(&stop, "x");
        let empty = tempfile::tempdir().unwrap();
        let error = run(&definition, empty.path(), &Request::default(), &mut session).unwrap_err();
        assert!(error.0.contains("no regular files"), "{error}");
        let request = Request { engines: vec!["nobody".to_owned()], ..Request::default() };
        let error = run(&definition, tree().path(), &request, &mut session).unwrap_err();
        assert!(error.0.contains("no engine 'nobody'"), "{error}");
    }
}
