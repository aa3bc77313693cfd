//! `bench tools DIR`: a comparison of programs that write a manifest of a directory.
//!
//! Every command is run once before it is timed: that run warms the cache for all, and its manifest is read and
//! compared file by file. Then rounds follow: all algorithms, and within each all engines in turn. Manifests go to a
//! temporary directory elsewhere, never into the tree, which is checked for changes at the end.
//!
//! A definition may have its engines verify a manifest instead of writing one. Then an engine is timed only if it
//! accepts the correct manifest and rejects the same one with a digit of the first or the last entry changed.

mod agreement;
mod check;
mod contender;
mod directory;
mod findings;
mod views;

pub use views::{OWN, by_algorithm, is_own};

use super::effort::Effort;
use super::engine::Engine;
use super::model::Model;
use super::session::Session;
use crate::measure::statistics::median;
use crate::record::{Measurement, Record};
use crate::{Error, quantity};
use agreement::Files;
use check::{check, check_verifiers};
use clap::Args;
use contender::{Contender, Place, canonical, contenders, run_once};
use directory::{Cold, chill, listing, warm};
use serde::Deserialize;
use std::path::PathBuf;
use truesum_fs::name::{entry_name, plain};
use truesum_hash::ALGORITHMS;

/// The row of the table.
pub static MODEL: Model = Model {
    name: "tools",
    about: "Compare truesum with every installed program that can write a manifest of DIR",
    examples: "Examples:\n  truesum bench tools photos\n  truesum bench tools --cold --rounds 5 --html tools.html photos",
    definition: include_str!("../../definitions/tools.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| run(&MODEL.read(&session.scope)?, &MODEL.typed(matches)?, session),
    findings: findings::sentences,
    views: views::sections,
};

/// The row of verification, which differs in its definition.
pub static VERIFY: Model = Model {
    name: "verify",
    about: "Compare truesum with every installed program that can verify a manifest of DIR",
    examples: "Examples:\n  truesum bench verify photos\n  truesum bench verify -a sha256 --html verify.html photos",
    definition: include_str!("../../definitions/verify.toml"),
    arguments: Arguments::augment_args,
    run: |matches, session| {
        let record = run(&VERIFY.read(&session.scope)?, &VERIFY.typed(matches)?, session)?;
        Ok(Record { model: VERIFY.name.to_owned(), ..record })
    },
    findings: findings::sentences,
    views: views::sections,
};

/// `model = "tools"` and `model = "verify"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// A description in one line.
    pub summary: String,
    /// Algorithms measured with `--quick`.
    pub quick: Vec<String>,
    /// The duration; the rounds are runs of each command.
    pub effort: Effort,
    /// The command that writes `{manifest}`, if engines verify one instead of writing one.
    #[serde(default)]
    pub manifest: Vec<String>,
    /// The programs, in the order of the report's sections.
    pub engine: Vec<Engine>,
}

/// `bench tools` and `bench verify`.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Folder with the files
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Measure only these algorithms (repeatable, or comma-separated)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Measure only these engines (repeatable, or comma-separated)
    #[arg(long, value_name = "NAME")]
    pub engine: Vec<String>,
    /// Number of timed runs of each command
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Empty the page cache before each run
    #[arg(long)]
    pub cold: bool,
}

/// Runs the benchmark over `directory`.
///
/// # Errors
/// The directory cannot be read or contains no files, no temporary directory can be created, or a requested engine does
/// not exist.
pub fn run(definition: &Definition, arguments: &Arguments, session: &mut Session) -> Result<Record, Error> {
    let directory = &arguments.directory;
    let root = directory.canonicalize().map_err(|why| Error::file(directory, "open", &why))?;
    // Programs do not expect the form of this path that Windows returns.
    let root = plain(root);
    let before = listing(&root)?;
    let bytes: u64 = before.iter().map(|(_, size)| size).sum();
    if before.is_empty() {
        return Err(Error(format!("{}: no regular files to hash", directory.display())));
    }
    let mut record = session.record(MODEL.name, Some(&root));
    record.summary.clone_from(&definition.summary);
    let files = if before.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", quantity::count(before.len() as u64))
    };
    record.input = format!("{files}, {} ({} bytes)", quantity::bytes(bytes), quantity::count(bytes));
    let engines = engines(definition, arguments, &mut record)?;
    let scratch =
        tempfile::tempdir().map_err(|why| Error(format!("cannot create a temporary folder: {why}")))?;
    let files = Files::new(entry_name(root.clone()), before.iter().map(|(name, _)| name.clone()));
    if files.len() < before.len() {
        let odd = match before.len() - files.len() {
            1 => "1 file whose name some formats must escape was".to_owned(),
            odd => format!("{odd} files whose names some formats must escape were"),
        };
        record.notes.push(format!("{odd} hashed but not cross-checked"));
    }
    let place = Place { root: &root, files: &before, scratch: scratch.path() };
    session.progress.show(0.0, "reading the files once");
    warm(&root, &before, || session.stopped());

    let budget = session.scope.seconds(&definition.effort);
    let rounds = arguments.rounds.unwrap_or(session.scope.rounds(&definition.effort));
    let mut groups: Vec<Vec<Contender>> = Vec::new();
    let names = algorithms(definition, arguments, session.scope.quick, &engines);
    let checking = session.elapsed();
    for (done, name) in names.iter().enumerate() {
        // Checking may take half of the time; everything that does not fit is reported.
        let elapsed = session.elapsed();
        if session.stopped() || (done > 0 && elapsed > budget / 2.0 && arguments.rounds.is_none()) {
            record.notes.push(format!("not measured for lack of time: {}", names[done..].join(", ")));
            break;
        }
        let mut group = contenders(name, &engines, &root, scratch.path());
        let share = done as f64 / names.len() as f64 / 2.0;
        if definition.manifest.is_empty() {
            check(name, &mut group, &files, place, share, &mut record, session)?;
        } else {
            check_verifiers(name, &definition.manifest, &mut group, place, share, &mut record, session)?;
        }
        groups.push(group);
    }
    let one_round = session.elapsed() - checking;
    let affordable = ((budget - session.elapsed()) / one_round.max(1e-3)).floor().max(0.0) as usize;
    let rounds = if arguments.rounds.is_some() { rounds } else { rounds.min(affordable) };
    let chill = || {
        if arguments.cold { chill(&root, &before) } else { Cold::No }
    };
    match chill() {
        Cold::No => {}
        Cold::Machine => record.notes.push(
            "cold: the page cache and cached names and inodes were dropped before each run".to_owned(),
        ),
        Cold::Files => record.notes.push(
            "cold: the files were dropped from the page cache before each run; names and inodes stayed cached"
                .to_owned(),
        ),
    }
    time(&mut groups, rounds, place, &chill, session)?;
    if rounds == 0 && !session.stopped() {
        record.notes.push(
            "no time for further rounds: the figures come from the run that checked the digests".to_owned(),
        );
    }
    for contender in groups.into_iter().flatten() {
        record.measurements.extend(measurement(contender, bytes, rounds));
    }
    if listing(&root)? != before {
        record.notes.push("the folder changed during the measurement".to_owned());
    }
    session.finish(&mut record);
    Ok(record)
}

/// Returns the requested engines that run here; the others are added to [`Record::missing`].
fn engines<'a>(
    definition: &'a Definition,
    arguments: &Arguments,
    record: &mut Record,
) -> Result<Vec<&'a Engine>, Error> {
    let is_known = |name: &str| definition.engine.iter().any(|engine| engine.name == name);
    // A name may contain a comma.
    let requested = arguments.engine.iter().flat_map(|text| match is_known(text) {
        true => vec![text.as_str()],
        false => text.split(',').collect(),
    });
    let requested: Vec<&str> = requested.collect();
    if let Some(name) = requested.iter().find(|name| !is_known(name)) {
        let known: Vec<String> =
            definition.engine.iter().map(|engine| format!("'{}'", engine.name)).collect();
        return Err(Error(format!("unknown engine '{name}' (known engines: {})", known.join(", "))));
    }
    let wanted = |engine: &&Engine| requested.is_empty() || requested.contains(&engine.name.as_str());
    let mut present: Vec<&Engine> = definition.engine.iter().filter(wanted).collect();
    present.retain(|engine| engine.present(record));
    if present.is_empty() {
        return Err(Error("none of the engines to compare is installed".to_owned()));
    }
    Ok(present)
}

/// Returns the algorithms to measure, those of the definition first and in its order.
fn algorithms(
    definition: &Definition,
    arguments: &Arguments,
    quick: bool,
    engines: &[&Engine],
) -> Vec<String> {
    let theirs =
        engines.iter().flat_map(|engine| engine.algorithms.keys().map(|name| canonical(name).to_owned()));
    let requested: Vec<String> = match (&arguments.algorithms[..], quick) {
        ([], true) => definition.quick.clone(),
        ([], false) => {
            let own = engines.iter().any(|engine| engine.own);
            theirs.chain(ALGORITHMS.iter().filter(|_| own).map(|row| row.name().to_owned())).collect()
        }
        (named, _) => named.to_vec(),
    };
    let mut names: Vec<String> = Vec::new();
    for name in requested {
        let name = canonical(&name).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn time(
    groups: &mut [Vec<Contender>],
    rounds: usize,
    place: Place<'_>,
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
            match run_once(contender, &contender.words, place) {
                Ok((cost, _)) => contender.runs.push(cost),
                // An interruption is not a failure of the program.
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
/// The engines of these tests are shell scripts.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::models::effort::Scope;
    use std::collections::HashSet;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    /// Returns a definition with shell scripts, so that the test needs no tool but sh, sed and sha256sum.
    fn definition(engines: &[(&str, &str)]) -> Definition {
        let mut text = "summary = \"x\"\nquick = [\"sha256\"]\n\
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
        toml::from_str(&text).unwrap()
    }

    fn requested(directory: &Path, rounds: usize) -> Arguments {
        Arguments { directory: directory.to_owned(), rounds: Some(rounds), ..Arguments::default() }
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
    fn all_digests_of_a_multi_digest_engine_must_agree() {
        let both = "cd \"$1\" && find . -type f | sed 's,^./,,' | while read -r f; do \
                    m=$(md5sum < \"$f\"); s=$(sha256sum < \"$f\"); echo \"$f  ${m%% *}  ${s%% *}\"; done > \"$2\"";
        let wrong = both.replace("${m%% *}", "00000000000000000000000000000000");
        let mut definition = definition(&[("both", both), ("also both", both), ("wrong", &wrong)]);
        for engine in &mut definition.engine {
            engine.algorithms = [("md5+sha256".to_owned(), "both".to_owned())].into();
        }
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 1);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["both", "also both"], "{record:?}");
        assert!(record.agreements[0].disagree[0].starts_with("wrong: 0000"), "{record:?}");
    }

    #[test]
    fn engine_that_accepts_a_wrong_manifest_is_not_timed() {
        let mut definition = definition(&[
            ("verifies", "sha256sum --quiet -c \"$1\""),
            ("believes", "test -s \"$1\""),
            // regression: a program that verified only the beginning was timed.
            ("verifies one", "head -n 1 \"$1\" | sha256sum --quiet -c"),
        ]);
        for engine in &mut definition.engine {
            engine.command.iter_mut().for_each(|word| *word = word.replace("{dir}", "{manifest}"));
        }
        let writes = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"";
        definition.manifest = ["sh", "-c", writes, "sh", "{dir}", "{manifest}"].map(str::to_owned).to_vec();
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = Arguments { cold: true, ..requested(directory.path(), 1) };
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        let accepted = ["believes", "verifies one"].map(|name| format!("{name}: accepts a wrong digest"));
        assert_eq!(record.agreements[0].disagree, accepted);
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["verifies"]);
        assert!(record.notes.iter().any(|note| note.starts_with("cold: ")), "{record:?}");
        // regression: the message of the program that writes the manifest was not shown.
        definition.manifest = ["sh", "-c", "echo no such algorithm >&2; false"].map(str::to_owned).to_vec();
        let error = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap_err();
        assert!(error.0.ends_with(": no such algorithm"), "{error}");
    }

    const CORRECT_COMMAND: &str = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"";

    #[test]
    fn agreeing_engines_are_timed_and_missing_ones_named() {
        let relative = "cd \"$1\" && find . -type f | sed 's,^./,,' | while read -r f; do sha256sum \"$f\"; done > \"$2\"";
        let definition = definition(&[("absolute", CORRECT_COMMAND), ("relative", relative)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 2);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        let [agreement] = &record.agreements[..] else { panic!("{record:?}") };
        assert_eq!((agreement.agree.len(), agreement.disagree.len()), (2, 0), "{agreement:?}");
        assert_eq!(record.missing[0].name, "absent");
        let counts: Vec<usize> = record.part("tool").map(|m| m.seconds.len()).collect();
        assert_eq!(counts, [2, 2]);
        assert!(record.measurements.iter().all(|m| m.manifest_bytes.is_some_and(|bytes| bytes > 3 * 64)));
        assert_eq!(record.input, "3 files, 12 B (12 bytes)");
    }

    #[test]
    fn engine_with_wrong_digests_is_not_timed() {
        let lies = "find \"$1\" -type f -exec sha256sum {} + | sed 's/^ba7816/ba7817/' > \"$2\"";
        let forgets = "find \"$1\" -type f -name a -exec sha256sum {} + > \"$2\"";
        let definition = definition(&[
            ("lies", lies),
            ("right", CORRECT_COMMAND),
            ("forgets", forgets),
            ("also right", CORRECT_COMMAND),
        ]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 1);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        let disagree = &record.agreements[0].disagree;
        assert!(disagree.iter().any(|d| d.starts_with("lies: ba7817") && d.contains(" for a instead of")));
        assert!(disagree.iter().any(|d| d.starts_with("forgets: no digest of")), "{disagree:?}");
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["right", "also right"]);
    }

    #[test]
    fn engine_with_a_file_runs_once_for_each_and_only_on_its_systems() {
        let three_lines =
            "printf '%s\\n' \"SHA256 hash of $1:\" \"$(sha256sum < \"$1\" | cut -c 1-64)\" 'completed'";
        let mut definition =
            definition(&[("each", three_lines), ("elsewhere", three_lines), ("right", CORRECT_COMMAND)]);
        for engine in &mut definition.engine[..2] {
            engine.stdout = true;
            engine.command = ["sh", "-c", three_lines, "sh", "{file}"].map(str::to_owned).to_vec();
        }
        definition.engine[1].systems = vec!["windows".to_owned()];
        let (stop, directory) = (AtomicBool::new(false), tree());
        let record =
            run(&definition, &requested(directory.path(), 1), &mut Session::new(&stop, "x")).unwrap();
        assert_eq!(record.agreements[0].agree, ["each", "right"], "{record:?}");
        assert!(record.missing.iter().all(|missing| missing.name != "elsewhere"));
        let timed: Vec<&str> = record.part("tool").map(|m| m.engine.as_str()).collect();
        assert_eq!(timed, ["each", "right"]);
    }

    #[test]
    fn single_engine_must_cover_every_file() {
        let forgets = "find \"$1\" -type f -name a -exec sha256sum {} + > \"$2\"";
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 1);
        let definition = definition(&[("forgets", forgets)]);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        assert_eq!(record.agreements[0].disagree, ["forgets: digests of only 1 of 3 files"]);
        assert_eq!(record.part("tool").count(), 0);
    }

    #[test]
    fn failing_engine_is_left_out_with_its_error_message() {
        let definition =
            definition(&[("fails", "echo 'cannot do that' >&2; exit 7"), ("right", CORRECT_COMMAND)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 1);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        assert!(
            record
                .notes
                .contains(&"not measured with sha256: fails: exit status 7: cannot do that".to_owned())
        );
    }

    #[test]
    fn modified_tree_is_reported() {
        let writes = "find \"$1\" -type f -exec sha256sum {} + > \"$2\"; echo x > \"$1/left behind\"";
        let definition = definition(&[("writes", writes)]);
        let (stop, directory) = (AtomicBool::new(false), tree());
        let arguments = requested(directory.path(), 0);
        let record = run(&definition, &arguments, &mut Session::new(&stop, "x")).unwrap();
        assert!(record.notes.iter().any(|note| note.starts_with("the folder changed")));
    }

    #[test]
    fn empty_directory_and_unknown_engine_are_errors() {
        let (definition, stop) = (definition(&[("right", CORRECT_COMMAND)]), AtomicBool::new(false));
        let mut session = Session::new(&stop, "x");
        let empty = tempfile::tempdir().unwrap();
        let error = run(&definition, &requested(empty.path(), 1), &mut session).unwrap_err();
        assert!(error.0.contains("no regular files"), "{error}");
        let directory = tree();
        let arguments = Arguments { engine: vec!["nobody".to_owned()], ..requested(directory.path(), 1) };
        let error = run(&definition, &arguments, &mut session).unwrap_err();
        assert!(error.0.contains("unknown engine 'nobody'"), "{error}");
    }

    /// regression: engines with a comma in their names could not be selected.
    #[test]
    fn engines_are_selected_by_names_with_commas() {
        let definition = definition(&[("a, split", ""), ("b", ""), ("c", "")]);
        let selected = |text: &str| {
            let arguments = Arguments { engine: vec![text.to_owned()], ..Arguments::default() };
            let mut record = Session::new(&AtomicBool::new(false), "x").record("x", None);
            let found = engines(&definition, &arguments, &mut record).unwrap();
            found.into_iter().map(|engine| engine.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(selected("a, split"), ["a, split"]);
        assert_eq!(selected("b,c"), ["b", "c"]);
    }

    #[test]
    fn engine_definitions_are_unique_and_complete() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/definitions"));
        for file in ["tools", "arrangements", "verify"] {
            let definition = Some(folder.join(file).with_extension("toml"));
            let model = if file == "verify" { &VERIFY } else { &MODEL };
            let tools: Definition = model.read(&Scope { definition, ..Scope::default() }).unwrap();
            let mut names = HashSet::new();
            for engine in &tools.engine {
                assert!(names.insert(&engine.name), "{} stands twice", engine.name);
                assert!(!engine.get.is_empty() && !engine.version.is_empty() && !engine.command.is_empty());
                assert_eq!(engine.own, engine.algorithms.is_empty(), "{}", engine.name);
                let needed = if tools.manifest.is_empty() { "{out}" } else { "{manifest}" };
                let writes = engine.stdout || engine.command.iter().any(|word| word.contains(needed));
                assert!(writes, "{}: its manifest goes nowhere", engine.name);
            }
        }
    }

    #[test]
    fn default_engines_include_known_tools() {
        let tools: Definition = MODEL.read(&Scope::default()).unwrap();
        let count = |name: &str| tools.engine.iter().find(|e| e.name == name).map(|e| e.algorithms.len());
        assert_eq!(count("cfv"), Some(7));
        assert_eq!(count("rhash"), Some(31));
        assert_eq!(count("find -exec"), Some(5));
    }
}
