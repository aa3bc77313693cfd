//! Converts the options of `scrub` to those of the library. Everything invalid is refused here.

use crate::exit::Refusal;
use crate::origin::VERSION;
use crate::scrub::arguments::{Accept, ScrubArgs};
use crate::selection::rules_to_store;
use crate::settings::settings;
use crate::values::path::folder_of;
use crate::words::path_word;
use std::path::{Path, PathBuf};
use std::time::Duration;
use truesum::Mapping;
use truesum::manifest::Rule;
use truesum::manifest::path::display_safe;
use truesum::scrub::{DEFAULT_STATE, DEFAULT_WITHIN, Options, Policy};
use truesum_fs::name::OsStrExt;

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the state file.
pub fn state(args: &ScrubArgs) -> PathBuf {
    args.state.clone().unwrap_or_else(|| args.folder.join(DEFAULT_STATE))
}

/// Returns the number of days that `--within` specifies.
pub fn days(args: &ScrubArgs) -> Option<u64> {
    args.within.map(|time| (time.as_secs() / DAY.as_secs()).max(1))
}

/// Returns the number of days within which every file is read.
pub fn within(args: &ScrubArgs) -> u64 {
    days(args).unwrap_or(DEFAULT_WITHIN)
}

/// Returns the options of a run with this number of threads.
///
/// # Errors
/// Fails if the folder does not exist, or if `--accept` contradicts itself.
pub fn options(args: &ScrubArgs, threads: usize) -> Result<Options, Refusal> {
    folder(args)?;
    let policy = match &args.accept {
        None => Policy::default(),
        Some(list) if list.contains(&Accept::None) && list.len() > 1 => {
            return Err(Refusal::new("--accept: 'none' cannot be combined with other values"));
        }
        Some(list) => Policy::new(list.iter().filter_map(|accept| accept.status())),
    };
    let algorithms = match &args.algorithm[..] {
        [] if state(args).exists() || args.manifests => Vec::new(),
        [] => settings().algorithms.clone(),
        requested => requested.to_vec(),
    };
    let has_limit = args.max_bytes.is_some() || args.max_time.is_some();
    Ok(Options::default()
        .root(args.folder.clone())
        .state(state(args))
        .algorithms(algorithms)
        .within(within(args))
        .all(args.all || has_limit && args.within.is_none())
        .max_bytes(args.max_bytes)
        .max_time(args.max_time)
        .policy(policy)
        .dry_run(args.dry_run)
        .threads(threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded)
        .excluded(args.html.iter().cloned().collect())
        .rules(rules(args)?)
        .set_rules(args.set_rules)
        .collection(args.manifests)
        .repair_from(args.repair_from.clone())
        .folder_manifests(folder_manifests(args)?)
        .version(VERSION.to_owned()))
}

/// Returns the name of the manifests in each folder.
///
/// # Errors
/// Fails if it is not the name of a file in a folder, or that of the state file.
fn folder_manifests(args: &ScrubArgs) -> Result<Option<Vec<u8>>, Refusal> {
    let Some(name) = &args.write_manifests else { return Ok(None) };
    let is_plain = Path::new(name).file_name() == Some(name) && name != DEFAULT_STATE;
    if !is_plain || state(args).file_name() == Some(name) {
        let shown = display_safe(name.as_bytes());
        return Err(Refusal::new(format!("--write-manifests: '{shown}' is not a name for a manifest")));
    }
    Ok(Some(name.as_bytes().to_vec()))
}

/// Returns the requested rules; `None` uses those that are stored.
///
/// # Errors
/// Fails if a glob is invalid.
pub fn rules(args: &ScrubArgs) -> Result<Option<Vec<Rule>>, Refusal> {
    rules_to_store(&args.include, &args.exclude, args.set_rules)
}

/// Tests whether the folder exists.
///
/// # Errors
/// Fails if it does not.
pub fn folder(args: &ScrubArgs) -> Result<(), Refusal> {
    if args.folder.is_dir() {
        return Ok(());
    }
    let why = if args.folder.exists() { "Not a directory" } else { "No such file or directory" };
    let shown = display_safe(args.folder.as_os_str().as_bytes());
    let text = format!("{shown}: cannot open: {why}");
    let (word, above) = (path_word(&args.folder), path_word(folder_of(&args.folder)));
    Err(match args.folder.exists() {
        true => Refusal::with_hint(
            text,
            format!(
                "to verify the files in all manifests of a folder: truesum scrub --manifests {above}; to begin with the digests of this one: truesum scrub --import {word} {above}"
            ),
        ),
        false => Refusal::new(text),
    })
}
