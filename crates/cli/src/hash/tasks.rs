//! The files that `truesum hash` reads, from a walk of everything named.

use crate::exit::Refusal;
use crate::hash::names::{Listed, Naming};
use crate::hash::plan::{Hashing, Inputs};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, PoisonError};
use truesum::hash::Spec;
use truesum::walk::{Item, Walk};
use truesum::{Error, Job, Notice, Task};

/// The files to hash, from a walk of everything named.
pub struct Tasks {
    walk: Walk,
    specs: Arc<[Spec]>,
    pub naming: Option<Naming>,
    list_failed: Option<Arc<Mutex<Option<io::Error>>>>,
}

impl Tasks {
    /// The tasks of a plan.
    ///
    /// # Errors
    /// A list of names cannot be opened, or a glob is none.
    pub fn new(plan: &Hashing) -> Result<Tasks, Refusal> {
        let threads = plan.tell.threads;
        let options = plan.walk.clone();
        let mut list_failed = None;
        let walk = match &plan.inputs {
            Inputs::Named(names) => Walk::new(names.clone(), options, threads),
            Inputs::Listed(path, terminator) => {
                let list = Listed::open(path, *terminator).map_err(|error| {
                    Refusal::new(Error::io(path.as_os_str().as_bytes(), "open", error).to_string())
                })?;
                list_failed = Some(list.failed.clone());
                Walk::new(list, options, threads)
            }
        };
        let walk = walk.map_err(|why| Refusal::new(format!("--include or --exclude: {why}")))?;
        let naming = plan.root.clone().map(Naming::new);
        Ok(Tasks { walk, specs: plan.specs.clone(), naming, list_failed })
    }

    /// Why the list of names was not read to its end, if it was not. Told once.
    pub fn list_error(&self) -> Option<io::Error> {
        self.list_failed
            .as_ref()
            .and_then(|failed| failed.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
}

impl Iterator for Tasks {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        Some(match self.walk.next()? {
            Item::File(path) => {
                let mut job = Job::hash(path, &self.specs);
                if let Some(naming) = &mut self.naming
                    && job.name != b"-"
                {
                    let name = naming.name(&job.name, self.walk.current_root());
                    job.open = Some(std::mem::replace(&mut job.name, name));
                }
                Task::File(job)
            }
            Item::Failed(error) => Task::Tell(Notice::Failed(error)),
            Item::Link(path) => Task::Tell(Notice::Link(path)),
            Item::Dangling(path) => Task::Tell(Notice::Dangling(path)),
            Item::Special(path, kind) => Task::Tell(Notice::Special(path, kind)),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}
