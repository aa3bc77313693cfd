//! The files to hash or plan: those on the command line, in lists and in folders, in order.

mod names;

use crate::exit::Refusal;
use crate::selection::SelectArgs;
use crate::sources;
pub use names::{NameList, Naming};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use truesum::hash::{Digest, Spec};
use truesum::walk::{self, ExcludedCounts, Walk};
use truesum::{Cause, Error, Job, Notice, Progress, Remote, Task};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{OsStrExt, OsStringExt};

/// The source of file names.
#[derive(Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The command line.
    Named(Vec<Vec<u8>>),
    /// Lists of names, each terminated by this byte; `-` is standard input.
    Listed(Vec<PathBuf>, u8),
}

/// Returns the source of names: the command line or lists, which no output replaces; without
/// either, standard input.
pub fn inputs(files: Vec<OsString>, select: &SelectArgs) -> Inputs {
    for list in select.files_from.iter().chain(&select.files0_from) {
        if let Ok(list) = Metadata::at(list) {
            sources::keep(&list);
        }
    }
    match () {
        () if !select.files_from.is_empty() => Inputs::Listed(select.files_from.clone(), b'\n'),
        () if !select.files0_from.is_empty() => Inputs::Listed(select.files0_from.clone(), 0),
        () if files.is_empty() => Inputs::Named(vec![b"-".to_vec()]),
        () => Inputs::Named(files.into_iter().map(OsString::into_vec).collect()),
    }
}

/// The source of files.
enum Source {
    /// A walk of all arguments.
    Walk(Box<Walk>),
    /// A listing of an object store.
    Remote(Box<dyn Iterator<Item = Task> + Send>),
}

/// The files specified and found.
pub struct Tasks {
    source: Source,
    specs: Arc<[Spec]>,
    pub naming: Option<Naming>,
    list_failed: Option<Arc<Mutex<Option<Error>>>>,
}

impl Tasks {
    /// Returns the tasks of these inputs, until the run is stopped. Names become relative to
    /// `root`, a canonical path, if there is one.
    ///
    /// # Errors
    /// Fails if a list of names cannot be opened.
    pub fn new(
        inputs: &Inputs,
        options: walk::Options,
        root: Option<PathBuf>,
        specs: Arc<[Spec]>,
        threads: usize,
        progress: &Progress,
    ) -> Result<Tasks, Refusal> {
        let mut list_failed = None;
        let walk = match inputs {
            Inputs::Named(names) => {
                Walk::new(names.clone().into_iter().map(OsString::from_vec), options, threads)
            }
            Inputs::Listed(paths, terminator) => {
                let lists = NameList::open(paths, *terminator, progress)?;
                list_failed = Some(lists.failed.clone());
                Walk::new(lists.map(OsString::from_vec), options, threads)
            }
        };
        let walk = walk.of_arguments().until(progress.stop_flag());
        let naming = root.map(Naming::new);
        Ok(Tasks { source: Source::Walk(Box::new(walk)), specs, naming, list_failed })
    }

    /// Returns the tasks of an object store.
    pub fn of_remote(remote: &dyn Remote, specs: &Arc<[Spec]>, progress: &Progress) -> Tasks {
        let source = Source::Remote(remote.list(specs, progress));
        Tasks { source, specs: specs.clone(), naming: None, list_failed: None }
    }

    /// Returns what the selection excluded.
    pub fn left_out(&self) -> ExcludedCounts {
        match &self.source {
            Source::Walk(walk) => walk.left_out(),
            Source::Remote(_) => ExcludedCounts::default(),
        }
    }

    /// Returns why the list of names was not read to its end, if that happened. Returned once.
    pub fn list_error(&self) -> Option<Error> {
        self.list_failed
            .as_ref()
            .and_then(|failed| failed.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

/// Sorts files in the order of a tree of names, folder by folder, as in version 2 of torrents;
/// notices come first.
pub fn sort_in_tree_order(tasks: &mut [Task]) {
    tasks.sort_by(|one, other| match (one, other) {
        (Task::File(one), Task::File(other)) => {
            one.name().split(|&byte| byte == b'/').cmp(other.name().split(|&byte| byte == b'/'))
        }
        (one, other) => matches!(one, Task::File(_)).cmp(&matches!(other, Task::File(_))),
    });
}

/// Returns the task with the file's name in the algorithms that depend on it.
pub fn under_file_name(task: Task) -> Task {
    let Task::File(job) = task else { return task };
    if !job.specs().iter().any(Spec::lacks_name) {
        return Task::File(job);
    }
    let name = job.name().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let specs: Result<Vec<Spec>, _> = job.specs().iter().map(|spec| spec.for_file(name)).collect();
    match specs {
        Ok(specs) => Task::File(job.with_specs(Some(specs.into()))),
        Err(error) => {
            let cause = Cause::Other(error.to_string());
            Task::Notice(Notice::Failed(Error::new(job.name(), "hash", cause)))
        }
    }
}

/// Returns the digests of a file by the algorithms that were requested, which begin the list of the job's algorithms and
/// may lack the name of the file, and by the others.
pub fn digests_by(requested: &[Spec], job: &Job, digests: Vec<Digest>) -> Vec<(Spec, Digest)> {
    let others = job.specs().get(requested.len()..).unwrap_or_default();
    requested.iter().chain(others).cloned().zip(digests).collect()
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let walk = match &mut self.source {
            Source::Walk(walk) => walk,
            Source::Remote(list) => return list.next(),
        };
        Some(match (walk.next()?.task(&self.specs), &mut self.naming) {
            (Task::File(job), Some(naming)) if !job.stdin() => {
                match naming.name(job.name(), walk.current_root().as_os_str().as_bytes()) {
                    Ok(name) => Task::File(job.renamed(name)),
                    Err(error) => Task::Notice(Notice::Failed(error)),
                }
            }
            (task, _) => task,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.source {
            Source::Walk(walk) => walk.size_hint(),
            Source::Remote(list) => list.size_hint(),
        }
    }
}
