//! Makes a new plan for the files of an earlier one, and reuses the results for files that have not changed since.
//!
//! The new plan has the order of the earlier one. A bundle contains either only files with results or only others, so
//! that the parts of the former are written without reading any file.

use super::line::{Item, ItemResult, unusable};
use super::merge::prove;
use super::part;
use super::plan::{Plan, Planner};
use super::planning::{BATCH, ask, refusal};
use super::state::State;
use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::job::Job;
use crate::progress::Progress;
use crate::task::Task;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::{OsStrExt, OsStringExt};

readable! {
    /// The result of making a new plan.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Replanned {
        /// Files that have changed since the earlier plan was written.
        changed: u64,
        /// Files that could not be examined. They are missing from the new plan.
        failed: u64,
        /// Whether planning was stopped.
        interrupted: bool,
        /// For each bundle of the new plan, whether the results of the earlier one cover it.
        done: Vec<bool> => &[bool],
    }
}

/// Adds the files of an earlier plan to a new one, with their present states. `parts` is the folder with the parts of
/// the earlier plan; parts that are missing, damaged or incomplete are not reused. Names are relative to `root`.
/// `on_event` is called for each file that could not be examined.
///
/// # Errors
/// Fails if the earlier plan cannot be read or is damaged, or if the new one cannot be written.
pub fn replan<W: Write>(
    old: &Plan,
    parts: &Path,
    root: &Root,
    planner: &mut Planner<W>,
    target: &Path,
    progress: &Progress,
    on_event: &mut dyn FnMut(&Error),
) -> Result<Replanned, Error> {
    let fail = |error| Error::io(target.as_os_str().as_bytes(), "write", error);
    let mut replanned = Replanned::default();
    // Whether the divided file of the previous line is unchanged.
    let mut is_same = false;
    for bundle in 0..old.totals().bundles() as usize {
        let block = old.block(bundle)?;
        let items: Vec<Item> =
            old.items(bundle, &block).map(|item| item.map(|(_, item)| item)).collect::<Result<_, _>>()?;
        let results = results(old, bundle, &block, parts);
        let mut done = results.iter().map(Option::is_some).chain(std::iter::repeat(false));
        for items in items.chunks(BATCH) {
            if progress.stopped() {
                replanned.interrupted = true;
                return Ok(replanned);
            }
            for (item, now) in items.iter().zip(states(items, root)) {
                let done = done.next().unwrap_or(false);
                // The other ranges of a divided file have the state of the first one.
                if !item.is_first() {
                    if is_same {
                        planner.add_again(item, done).map_err(fail)?;
                    }
                    continue;
                }
                is_same = false;
                match now {
                    Err(error) => {
                        replanned.failed += 1;
                        on_event(&error);
                    }
                    Ok(now) if item.state.differs(&now).is_none() => {
                        is_same = true;
                        planner.add_again(item, done).map_err(fail)?;
                    }
                    Ok(now) => {
                        replanned.changed += 1;
                        let now = if item.state.copied { now.of_copies() } else { now };
                        planner.add(&item.name, now).map_err(fail)?;
                    }
                }
                progress.add_file();
            }
        }
        planner.end_bundle().map_err(fail)?;
    }
    replanned.done = planner.done().to_vec();
    Ok(replanned)
}

/// Writes the parts of the bundles of a new plan for which `done` is true, from the parts of the earlier plan.
///
/// # Errors
/// Fails if a plan is damaged, a part of the earlier plan has changed since [`replan`], or a part cannot be written.
pub fn reuse_parts(old: &Plan, parts: &Path, new: &Plan, folder: &Path, done: &[bool]) -> Result<(), Error> {
    // Both plans have the same order. Results for files that have changed are passed over.
    let (mut next, mut waiting) = (0, VecDeque::new());
    let mut result = |wanted: &Item| -> Result<ItemResult, Error> {
        loop {
            while let Some((item, result)) = waiting.pop_front() {
                if item == *wanted {
                    return Ok(result);
                }
            }
            if next >= old.totals().bundles() as usize {
                let why = "the parts of the earlier plan have changed";
                return Err(unusable(parts, why));
            }
            let block = old.block(next)?;
            let results = results(old, next, &block, parts);
            let items = old.items(next, &block).map(|item| item.map(|(_, item)| item));
            for (item, result) in items.zip(results) {
                waiting.extend(result.map(|result| item.map(|item| (item, result))).transpose()?);
            }
            next += 1;
        }
    };
    for bundle in (0..done.len()).filter(|bundle| done[*bundle]) {
        part::reuse(new, bundle, folder, &mut result)?;
    }
    Ok(())
}

/// Returns the results in the part of a bundle, `None` for failed items. They are empty if there is no valid part.
fn results(plan: &Plan, bundle: usize, block: &[u8], parts: &Path) -> Vec<Option<ItemResult>> {
    let mut results = Vec::new();
    let path = parts.join(plan.part_name(bundle));
    let proven = prove(plan, bundle, block, &path, &mut |_, result| {
        results.push((!matches!(result, ItemResult::Failed(_))).then_some(result));
        Ok(())
    });
    // A part is valid only as a whole.
    if proven.is_ok() { results } else { Vec::new() }
}

/// Returns the present states of files.
fn states(items: &[Item], root: &Root) -> Vec<Result<State, Error>> {
    let task = |item: &Item| {
        let job = Job::hash(OsString::from_vec(item.name.clone()), &Arc::from([]));
        Task::File(job.with_open(Some(item.name.clone())))
    };
    let tasks: Vec<Task> = items.iter().map(task).collect();
    let state = |(item, stat): (&Item, Option<Result<_, _>>)| match stat {
        Some(Ok(stat)) => match refusal(&stat) {
            None => Ok(State::of(&stat)),
            Some(cause) => Err(Error::new(&item.name, "plan", cause)),
        },
        Some(Err(error)) => Err(root.refusal(&item.name, "open", error)),
        None => Err(Error::new(&item.name, "plan", Cause::Other("not examined".to_owned()))),
    };
    items.iter().zip(ask(&tasks, root)).map(state).collect()
}
