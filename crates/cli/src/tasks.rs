//! The files that are named, listed and found in folders: what is hashed or planned, one after the other.

mod names;

use crate::exit::Refusal;
use crate::selection::SelectArgs;
pub use names::NameList;
use names::Naming;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use truesum::hash::Spec;
use truesum::walk::{self, LeftOut, Walk};
use truesum::{Error, Progress, Task};

/// Where the names of files come from.
#[derive(Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The command line.
    Named(Vec<Vec<u8>>),
    /// A file of names, each ended by this byte; `-` is standard input.
    Listed(PathBuf, u8),
}

/// Where names come from: the command line, or a list; without either, standard input.
pub fn inputs(files: Vec<OsString>, select: &SelectArgs) -> Inputs {
    match (&select.files_from, &select.files0_from) {
        (Some(list), _) => Inputs::Listed(list.clone(), b'\n'),
        (_, Some(list)) => Inputs::Listed(list.clone(), 0),
        _ if files.is_empty() => Inputs::Named(vec![b"-".to_vec()]),
        _ => Inputs::Named(files.into_iter().map(OsString::into_vec).collect()),
    }
}

/// The files, from a walk of everything named.
pub struct Tasks {
    walk: Walk,
    specs: Arc<[Spec]>,
    pub naming: Option<Naming>,
    list_failed: Option<Arc<Mutex<Option<io::Error>>>>,
}

impl Tasks {
    /// The tasks of these inputs, until the run is stopped; names become relative to `root`, a canonical path, if there is one.
    ///
    /// # Errors
    /// A list of names cannot be opened.
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
            Inputs::Listed(path, terminator) => {
                let list = NameList::open(path, *terminator, progress).map_err(|error| {
                    Refusal::new(Error::io(path.as_os_str().as_bytes(), "open", error).to_string())
                })?;
                list_failed = Some(list.failed.clone());
                Walk::new(list.map(OsString::from_vec), options, threads)
            }
        };
        let walk = walk.until(progress.stop_flag());
        let naming = root.map(Naming::new);
        Ok(Tasks { walk, specs, naming, list_failed })
    }

    /// What the selection left out.
    pub fn left_out(&self) -> LeftOut {
        self.walk.left_out()
    }

    /// Why the list of names was not read to its end, if it was not. Told once.
    pub fn list_error(&self) -> Option<io::Error> {
        self.list_failed
            .as_ref()
            .and_then(|failed| failed.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

/// Puts files in the order of a tree of names, folder by folder, as version 2 of torrents has them; notices come first.
pub fn in_order_of_the_tree(tasks: &mut [Task]) {
    tasks.sort_by(|one, other| match (one, other) {
        (Task::File(one), Task::File(other)) => {
            one.name.split(|&byte| byte == b'/').cmp(other.name.split(|&byte| byte == b'/'))
        }
        (one, other) => matches!(one, Task::File(_)).cmp(&matches!(other, Task::File(_))),
    });
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let mut task = self.walk.next()?.task(&self.specs);
        if let (Task::File(job), Some(naming)) = (&mut task, &mut self.naming)
            && job.name != b"-"
        {
            let name = naming.name(&job.name, self.walk.current_root().as_os_str().as_bytes());
            job.open = Some(std::mem::replace(&mut job.name, name));
        }
        Some(task)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}
