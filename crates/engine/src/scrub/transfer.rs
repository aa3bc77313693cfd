//! States as a whole: export to and import from manifests, what they contain, and entries that the user forgets.

use crate::audit::FileStatus;
use crate::error::{Cause, Error};
use crate::io::state::is_default_state;
use crate::job::Job;
use crate::progress::Progress;
use crate::scrub::coverage::{Coverage, coverage};
use crate::scrub::history::Run;
use crate::scrub::listing::{manifest_name, shown_name};
use crate::scrub::names::Conversion;
use crate::scrub::plan::DEFAULT_WITHIN;
use crate::scrub::record::Record;
use crate::scrub::run::{fits, head};
use crate::scrub::store::{Head, State};
use crate::select::Selection;
use crate::select::names::plain;
use crate::verify::listed_jobs::{ListEnd, ListItem, listed_jobs};
use crate::verify::options::ReadOptions;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use truesum_fs::clock;
use truesum_fs::name::{self, OsStrExt, OsStringExt};
use truesum_hash::{Digest, Spec};
use truesum_manifest::path::display_safe;
use truesum_manifest::{Entry, Heading, Rule, Time, WriteError, Writer, format};

/// Returns an existing state.
fn existing(path: &Path) -> Result<State, Error> {
    let name = path.as_os_str().as_bytes();
    let missing = || Error::new(name, "open", Cause::Other("the state file does not exist".to_owned()));
    State::read(path)?.ok_or_else(missing)
}

/// Returns the existing state of a tree.
fn existing_of(path: &Path, root: &Path) -> Result<State, Error> {
    let state = existing(path)?;
    fits(&state, &head(root, &[])?, root, &[])?;
    Ok(state)
}

/// Writes the entries of a state as a manifest in the format `jsonl`: the size, time and digests that were last recorded
/// as good. The state may be in use.
///
/// # Errors
/// Fails if the state cannot be read, is damaged, or if the output cannot be written.
pub fn export<W: Write>(path: &Path, out: W) -> Result<W, Error> {
    let name = path.as_os_str().as_bytes();
    let state = existing(path)?;
    let jsonl = format("jsonl").expect("a row of the table of formats");
    let mut writer = Writer::new(out, jsonl, &Heading::default());
    let fail = |error: WriteError| Error::new(name, "export", Cause::Other(error.to_string()));
    for entry in state.scan() {
        let (path, Record { size, mtime, specs, digests, .. }) = entry?;
        if manifest_name(&path).is_some() {
            continue;
        }
        let digests = specs.iter().cloned().zip(digests).collect();
        writer.write(&Entry { path, size, mtime, digests, ..Entry::default() }).map_err(fail)?;
    }
    writer.finish().map_err(fail)
}

/// Returns the expected digests of a job in the order of these algorithms. Returns `None` if it has others.
fn digests_by(specs: &[Spec], job: &Job) -> Option<Vec<Digest>> {
    let digest = |wanted| job.specs.iter().position(|spec| spec == wanted).map(|at| job.expected[at].clone());
    (specs.len() == job.expected.len()).then(|| specs.iter().map(digest).collect()).flatten()
}

/// Creates a state of the tree `root` with the entries of a manifest, which count as never verified. Returns how many
/// there are. The names in the manifest are relative to the folder that they are relative to in a check. The state has the
/// given rules, or those of the manifest unless `options` ignore them.
///
/// # Errors
/// Fails if there is a state already, if the manifest cannot be read or has malformed lines, names outside of the tree or
/// other rules than those given, if none of its files exists, or if its entries do not all have the same algorithms.
pub fn import(
    manifest: &Path,
    root: &Path,
    path: &Path,
    options: &ReadOptions,
    rules: Option<Vec<Rule>>,
    progress: &Progress,
) -> Result<u64, Error> {
    let requested = rules;
    let mut rules = requested.clone().unwrap_or_default();
    let refuse = |why: String| Error::new(manifest.as_os_str().as_bytes(), "import", Cause::Other(why));
    let contradictory =
        |key: &[u8]| refuse(format!("it has contradictory digests for {}", display_safe(key)));
    let name = path.as_os_str().as_bytes();
    if State::read(path)?.is_some() {
        return Err(Error::new(name, "write", Cause::Other("the state file already exists".to_owned())));
    }
    let conversion = Conversion::new(&options.folder(manifest), root)?;
    let (mut state, mut count, mut failure) = (None::<State>, 0, None);
    // Names that match no file are probably relative to another folder, and all files would be recorded as new.
    let mut has_file = false;
    let mut add = |job: &Job| -> Result<(), Error> {
        let shown = display_safe(&job.name);
        let key = conversion.key(job.path());
        let key = key.ok_or_else(|| conversion.mismatch(manifest, &format!("{shown} is not")))?;
        if job.expected.is_empty() {
            return Err(refuse(format!("{shown} has no digest of the complete file")));
        }
        if !job.alternatives.is_empty() {
            return Err(refuse(format!("{shown} has alternative digests, which a state file cannot store")));
        }
        let state = match &mut state {
            Some(state) => state,
            none => {
                let create = || Ok(Head { is_partial: true, ..head(root, &job.specs)? });
                none.insert(State::write(path, create)?)
            }
        };
        let Some(digests) = digests_by(&state.head.specs, job) else {
            for entry in state.scan() {
                if entry?.0 == key {
                    let why = "the lines with its digests are too far apart (sort the manifest by file name)";
                    return Err(refuse(format!("{shown}: {why}")));
                }
            }
            let specs = |specs: &[Spec]| specs.iter().map(Spec::to_string).collect::<Vec<_>>().join(",");
            let (one, other) = (specs(&state.head.specs), specs(&job.specs));
            return Err(refuse(format!(
                "its entries use different algorithms: {one}, but {other} for {shown}"
            )));
        };
        count += 1;
        has_file = has_file || conversion.exists(&key);
        let record = Record {
            size: job.size,
            mtime: job.mtime,
            ctime: None,
            inode: 0,
            specs: state.head.specs.clone(),
            digests,
            day: 0,
            accepted: 0,
            verified: None,
            status: FileStatus::Same,
            manifests: Vec::new(),
            pending: None,
        };
        match (state.add(&key, &record)?, state.merge_added(false)?) {
            (true, None) => Ok(()),
            (false, _) => Err(contradictory(&key)),
            (true, Some(other)) => Err(contradictory(&other)),
        }
    };
    let ended = listed_jobs(manifest, options, progress, &mut Vec::new(), &mut |listed| {
        let added = match listed {
            ListItem::Entry(job, _) if job.exempt => Ok(()),
            ListItem::Entry(job, _) | ListItem::Pieced(job, _) => add(&job),
            ListItem::Bad(line) => Err(refuse(line.to_string())),
            ListItem::Omitted(error, _) => Err(error),
            ListItem::Rules(found) if found.is_invalid() => {
                Err(refuse("it has rules that cannot be read; specify rules with --set-rules".to_owned()))
            }
            ListItem::Rules(found) if found.all().is_empty() => Ok(()),
            ListItem::Rules(found) => match (conversion.rules(found.all()), &requested) {
                (None, _) => Err(refuse(
                    "its rules are relative to another folder; specify rules with --set-rules".to_owned(),
                )),
                (Some(found), Some(requested)) if found != *requested => {
                    Err(refuse("it has other rules; to replace them, use --set-rules".to_owned()))
                }
                (Some(found), _) => {
                    rules = found;
                    let unusable = |why| {
                        refuse(format!("its rules cannot be used: {why}; specify rules with --set-rules"))
                    };
                    Selection::of_rules(&rules).map(drop).map_err(unusable)
                }
            },
        };
        added.map_err(|error| {
            let message = error.to_string();
            failure = Some(error);
            std::io::Error::other(message)
        })
    });
    let result = match (ended, failure) {
        (_, Some(failure)) => Err(failure),
        (Err(ListEnd::Unread(error)), None) => Err(error),
        (Err(ListEnd::Refused(error)), None) => Err(Error::io(name, "write", error)),
        (Ok(_), None) if progress.stopped() => Err(Error::interrupted(manifest.as_os_str().as_bytes())),
        (Ok(_), None) if count > 0 && !has_file => Err(conversion.mismatch(manifest, "none of its files is")),
        (Ok(_), None) => Ok(()),
    };
    let finished = match (&mut state, &result) {
        (Some(state), Ok(())) => {
            state.head.rules = rules;
            match state.head.selection(path).and_then(|_| state.merge_added(true)) {
                Ok(None) => Ok(()),
                Ok(Some(other)) => Err(contradictory(&other)),
                Err(error) => Err(error),
            }
        }
        (None, Ok(())) => return Err(refuse("it has no entries".to_owned())),
        _ => Ok(()),
    };
    let result = result.and(finished);
    if result.is_err() && state.is_some() {
        // Part of a manifest must not look like a complete state.
        let _ = std::fs::remove_file(path);
    }
    result.map(|()| count)
}

/// Removes the entries with these names, which must exist, from the state of the tree `root`. The files are new in the
/// next run. In a collection, a name may also be that of a folder, such as `.`, or that of a manifest, which is removed with
/// the files that only it lists, except corrupt ones.
///
/// # Errors
/// Fails if the state cannot be read or written, belongs to another tree, if another run uses it, or if it has no entry
/// with one of the names. Nothing is removed then.
pub fn forget(path: &Path, root: &Path, names: &[PathBuf]) -> Result<(), Error> {
    let name = path.as_os_str().as_bytes();
    drop(existing_of(path, root)?);
    let gone = || Error::new(name, "open", Cause::Other("the state file does not exist".to_owned()));
    let mut state = State::write(path, || Err(gone()))?;
    // The collection itself, which may be a bag, has the name `.`.
    let key = |name: &PathBuf| match &*plain(&name::of(name)) {
        b"" => b".".to_vec(),
        name => name.to_vec(),
    };
    let keys: Vec<Vec<u8>> = names.iter().map(key).collect();
    let is_collection = state.head.is_collection();
    // The name of a folder, and therefore that of a bag, includes everything in it.
    let is_meant = |key: &[u8], name: &[u8]| {
        if is_collection && name == b"." {
            return true;
        }
        let rest = shown_name(key).strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || is_collection && rest.starts_with(b"/"))
    };
    let mut missing: Vec<&Vec<u8>> = keys.iter().collect();
    let mut manifests = Vec::new();
    for entry in state.scan() {
        let (key, record) = entry?;
        let is_known = |name: &Vec<u8>| is_meant(&key, name);
        missing.retain(|name| !is_known(name));
        if manifest_name(&key).is_some() && keys.iter().any(is_known) {
            manifests.extend(record.manifests);
        }
    }
    if let Some(other) = missing.first() {
        let why = format!("it has no entry for {}", display_safe(other));
        return Err(Error::new(name, "change", Cause::Other(why)));
    }
    for entry in state.scan() {
        let (key, record) = entry?;
        if keys.iter().any(|name| is_meant(&key, name)) {
            state.put(&key, None)?;
        } else if manifest_name(&key).is_none() && record.manifests.iter().any(|one| manifests.contains(one))
        {
            // A manifest that was added while the file did not match is only in the entries to examine.
            let pending = record.pending.iter().flat_map(|pending| &pending.listings);
            let listed = record.manifests.iter().copied().chain(pending.map(|listing| listing.manifest));
            let mut others: Vec<u64> = listed.filter(|one| !manifests.contains(one)).collect();
            others.sort_unstable();
            others.dedup();
            // The damage of a corrupt file must not disappear with a manifest.
            let is_kept = !others.is_empty() || record.is_corrupt();
            let record = is_kept.then(|| Record { manifests: others, pending: None, ..record });
            state.put(&key, record.as_ref())?;
        }
    }
    state.finish()
}

readable! {
    /// The contents of a state.
    #[derive(Clone, Debug)]
    pub struct Overview {
        /// The absolute path of the tree.
        root: PathBuf => &PathBuf,
        /// Whether its files are those that manifests and bags list.
        collection: bool,
        /// The algorithms of its digests. In a collection, each file has those of its manifests.
        algorithms: Vec<Spec> => &[Spec],
        /// The rules that select the files of the tree.
        rules: Vec<Rule> => &[Rule],
        /// When it was created.
        created: Time,
        /// The runs so far, the oldest first; at most the last 3660.
        runs: Vec<Run> => &[Run],
        /// The number of days within which every file is promised to be read.
        within: u64,
        /// The ages of the last verifications, the open failures, and what is due.
        coverage: Coverage => &Coverage,
    }
}

/// Returns the folder whose files a state records. A state with the default name may have been moved together with its
/// folder, so it belongs to the folder that it is in.
///
/// # Errors
/// Fails if the state cannot be read or is damaged.
pub fn recorded_folder(path: &Path) -> Result<PathBuf, Error> {
    match path.parent() {
        Some(folder) if is_default_state(path) => {
            Ok(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
        }
        _ => Ok(OsString::from_vec(existing(path)?.head.root).into()),
    }
}

/// Returns what the state of the tree `root` contains. The state may be in use. `within` is the promised number of days;
/// by default, that of the last run that had one.
///
/// # Errors
/// Fails if the state does not exist, cannot be read, is damaged or belongs to another tree.
pub fn overview(path: &Path, root: &Path, within: Option<u64>) -> Result<Overview, Error> {
    let state = existing_of(path, root)?;
    let within = within.or_else(|| state.runs.iter().rev().find_map(Run::within)).unwrap_or(DEFAULT_WITHIN);
    let last = state.runs.last().map_or(0, Run::day);
    let coverage = coverage(&state, clock::now(), within, last)?;
    let State { head: Head { specs, created, rules, .. }, runs, .. } = state;
    Ok(Overview {
        // A state in its folder may have been moved with it since it was created.
        root: root.canonicalize().map_err(|error| Error::io(root.as_os_str().as_bytes(), "open", error))?,
        collection: specs.is_empty(),
        algorithms: specs.to_vec(),
        created,
        rules,
        runs,
        within,
        coverage,
    })
}
