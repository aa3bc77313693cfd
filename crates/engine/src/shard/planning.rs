//! Creates a plan from the files of a walk or a list. Their metadata are read by several threads at a time.

use super::plan::Planner;
use super::state::State;
use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::memory_limit::thread;
use crate::io::open::{Root, describe};
use crate::io::resolve::Confinement;
use crate::job::Job;
use crate::progress::Progress;
use crate::task::{Notice, Task};
use std::ffi::OsString;
use std::io::{self, Write};
use truesum_fs::Errno;
use truesum_fs::metadata::{FileType, Metadata};
use truesum_fs::name::OsStringExt;

/// The number of files examined at a time.
pub(super) const BATCH: usize = 4096;
/// The number of files that one thread examines. It mostly waits for a disk or a server.
const SHARE: usize = 512;

readable! {
    /// The counts of files that are missing from a plan.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Planned {
        /// Files and folders that could not be examined.
        failed: u64,
        /// Whether planning was stopped.
        interrupted: bool,
    }
}

/// Adds the files of `tasks` to a plan, in order. `on_event` is called for everything that is not planned. Names that were
/// not found by a walk are relative to `root`. `own` are files to skip, as `(device, inode)`.
///
/// # Errors
/// Returns the error of the plan's output.
pub fn plan<W: Write>(
    tasks: &mut dyn Iterator<Item = Task>,
    root: &Root,
    own: &[FileId],
    planner: &mut Planner<W>,
    progress: &Progress,
    on_event: &mut dyn FnMut(Notice),
) -> io::Result<Planned> {
    let mut planned = Planned::default();
    loop {
        let batch: Vec<Task> = tasks.take(BATCH).take_while(|_| !progress.stopped()).collect();
        planned.interrupted = progress.stopped();
        if batch.is_empty() || planned.interrupted {
            return Ok(planned);
        }
        let states = ask(&batch, root);
        for (task, state) in batch.into_iter().zip(states) {
            let notice = match (task, state) {
                (Task::Notice(notice), _) => notice,
                (Task::File(Job { name, listed: Some(listed), .. }), _) => match State::listed(&listed) {
                    State { version: None, .. } => {
                        let why = "the service reports no version for it, so workers cannot detect changes";
                        Notice::Failed(Error::new(&name, "plan", Cause::Other(why.to_owned())))
                    }
                    state => {
                        planner.add(&name, state)?;
                        progress.add_file();
                        continue;
                    }
                },
                (Task::File(job), state) => match state.unwrap_or(Err(Errno::NOENT)) {
                    Ok(stat) if own.contains(&FileId::from(&stat)) => {
                        Notice::Own(OsString::from_vec(job.name).into())
                    }
                    Ok(stat) => match refusal(&stat) {
                        None => {
                            planner.add(&job.name, State::of(&stat))?;
                            progress.add_file();
                            continue;
                        }
                        Some(cause) => Notice::Failed(Error::new(job.path(), "plan", cause)),
                    },
                    Err(error) => {
                        Notice::Failed(job.root_and_name(root).0.refusal(job.path(), "open", error))
                    }
                },
            };
            planned.failed += u64::from(matches!(notice, Notice::Failed(_)));
            on_event(notice);
        }
    }
}

/// Returns why an object cannot be planned.
pub(super) fn refusal(stat: &Metadata) -> Option<Cause> {
    let kind = stat.kind();
    (kind != FileType::RegularFile).then(|| Cause::Special(describe(kind)))
}

/// Returns the metadata of each file; `None` for notices.
pub(super) fn ask(batch: &[Task], root: &Root) -> Vec<Option<Result<Metadata, Errno>>> {
    let one = |task: &Task| match task {
        Task::File(job) if job.listed.is_none() => Some(stat(job, root)),
        // The facts from a listing are not queried again.
        _ => None,
    };
    let share = |share: &[Task]| share.iter().map(one).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let asking: Vec<_> = batch
            .chunks(SHARE)
            .map(|tasks| {
                let started = (batch.len() > SHARE)
                    .then(|| thread("stat")?.spawn_scoped(scope, move || share(tasks)).ok())
                    .flatten();
                (tasks, started)
            })
            .collect();
        let answer = |(tasks, started): (_, Option<std::thread::ScopedJoinHandle<'_, Vec<_>>>)| match started
        {
            Some(started) => started.join().expect("querying the system does not panic"),
            None => share(tasks),
        };
        asking.into_iter().flat_map(answer).collect()
    })
}

fn stat(job: &Job, root: &Root) -> Result<Metadata, Errno> {
    let (root, path) = job.root_and_name(root);
    root.stat(path, root.confinement() != Confinement::NoLinks)
}
