//! A check that reads part of its entries at a time: those that have waited longest come first.

mod queue;
pub(super) mod state;

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::job::{Outcome, Verdict};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::verify::entries::relay::Relay;
use crate::verify::entries::tasks::{Entries, count, weak_name};
use crate::verify::event::Event;
use crate::verify::options::{Options, RunLimits};
use crate::verify::report::Checked;
use queue::{EntryQueue, Slot};
use state::{EntryStatus, Key, State, key};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_manifest::Time;

/// The files and bytes in the first batch of a run with a time limit; later ones are as large as the measured rate
/// allows.
const FIRST: (u64, u64) = (64, 64 << 20);

/// An entry in the queue: its sort key, where it is stored, and how many bytes there are to read.
type Queued = ((u64, bool), Slot, u64);

/// Returns how many entries of the queue fit within the limit. The first one always does; otherwise, a large file would
/// never be read.
fn fitting(max_bytes: Option<u64>, queue: &[Queued]) -> usize {
    let Some(most) = max_bytes else { return queue.len() };
    let mut bytes = 0u64;
    let fits = |(_, _, size): &&Queued| {
        bytes = bytes.saturating_add(*size);
        bytes <= most
    };
    queue.iter().take_while(fits).count().max(usize::from(!queue.is_empty()))
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { seconds: since.as_secs() as i64, nanos: since.subsec_nanos() }
}

/// Returns how many entries of a queue to process next: as many as take about a quarter of the
/// remaining time, so that it is not exceeded by much.
fn batch(queue: &[Queued], done: (u64, u64), spent: Duration, left: Duration) -> usize {
    let part = left.as_secs_f64() / spent.as_secs_f64().max(1e-3) / 4.0;
    let (files, bytes) = match done {
        (0, _) if left.is_zero() => (1, 0),
        (0, _) => FIRST,
        (files, bytes) => ((files as f64 * part) as u64, (bytes as f64 * part) as u64),
    };
    let mut sum = 0u64;
    let fits = |(at, (_, _, size)): &(usize, &Queued)| {
        sum = sum.saturating_add(*size);
        (*at as u64) < files && sum <= bytes
    };
    queue.iter().enumerate().take_while(fits).count().max(1).min(queue.len())
}

/// Records the results of entries on their way to the receiver.
struct Recording<'n, 'r, 't> {
    relay: &'n mut Relay<'r, 't>,
    state: Option<&'n mut State>,
    weak: BTreeMap<String, u64>,
    read: (u64, u64),
    /// The first error that occurred when the state was saved during the run, if any.
    unsaved: Option<Error>,
}

impl Sink for Recording<'_, '_, '_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        if let Some(name) = weak_name(&outcome.job.specs) {
            count(&name, &mut self.weak);
        }
        self.read.0 += 1;
        self.read.1 += outcome.result.as_ref().map_or(0, |found| found.size());
        if let Some(state) = &mut self.state {
            let what = match outcome.verdict() {
                Verdict::Verified | Verdict::Hashed => EntryStatus::Verified,
                Verdict::Unverified => EntryStatus::Seen,
                Verdict::Missing if self.relay.ignore_missing => EntryStatus::Seen,
                _ => EntryStatus::Failed,
            };
            state.note(key(&outcome.job), what, now());
            if let Err(error) = state.save_periodically() {
                self.unsaved.get_or_insert(error);
            }
        }
        self.relay.outcome(outcome)
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        self.relay.notice(notice)
    }

    fn pause(&mut self) -> io::Result<()> {
        self.relay.pause()
    }
}

/// The part of a check that is done in one run.
pub(super) struct Rotation<'a> {
    limits: &'a RunLimits,
    state: Option<State>,
}

impl<'a> Rotation<'a> {
    /// Opens the stored state, if there is one. Returns `None` if everything is checked.
    ///
    /// # Errors
    /// Fails like [`State::open`].
    pub(super) fn open(options: &'a Options, progress: &Progress) -> Result<Option<Rotation<'a>>, Error> {
        let limits = &options.limits;
        if limits.is_all() {
            return Ok(None);
        }
        let state = limits.state.as_deref().map(|path| State::open(path, now(), progress)).transpose()?;
        Ok(Some(Rotation { limits, state }))
    }

    /// Returns why these manifests cannot be checked in parts, if there is a reason.
    pub(super) fn refusal(limits: &RunLimits, names: &[impl AsRef<Path>]) -> Option<Error> {
        let first = names.first()?.as_ref();
        let several = names.len() > 1 || first.is_dir();
        (several && !limits.is_all()).then(|| {
            let why = Cause::Other(
                "only a single manifest can be checked in parts, not a folder or several manifests"
                    .to_owned(),
            );
            Error::new(first.as_os_str().as_bytes(), "check", why)
        })
    }

    /// Returns the entries that failed when they were last read.
    pub(super) fn failed(&self) -> HashSet<Key> {
        self.state.iter().flat_map(State::failed).collect()
    }

    /// Checks the entries that are due, and records that they were read. The second result is that of saving the state:
    /// the identity of its file, if there is one.
    pub(super) fn run<R: Read + Send>(
        mut self,
        entries: &mut Entries<'_, R>,
        config: &Config,
        relay: &mut Relay<'_, '_>,
        checked: &mut Checked,
    ) -> (io::Result<()>, Result<Option<FileId>, Error>) {
        let (mut waiting, mut queue): (_, Vec<Queued>) = (EntryQueue::default(), Vec::new());
        for task in entries.by_ref() {
            match task {
                Task::File(job) => {
                    let due = self.state.as_mut().map(|state| state.mark(key(&job)).due());
                    let size = job.size.unwrap_or_else(|| config.root.size(job.path()));
                    queue.push((due.unwrap_or_default(), waiting.push(&job), size));
                }
                Task::Notice(notice) => {
                    if let Err(error) = relay.notice(notice) {
                        return (Err(error), Ok(None));
                    }
                }
            }
        }
        // The sort is stable: entries that have waited equally long keep the manifest's order.
        queue.sort_by_key(|(due, _, _)| *due);
        let end = fitting(self.limits.max_bytes, &queue);
        let (began, progress) = (Instant::now(), relay.progress);
        let (mut at, mut result) = (0, Ok(()));
        let (weak, state) = (BTreeMap::new(), self.state.as_mut());
        let mut recording = Recording { relay: &mut *relay, state, weak, read: (0, 0), unsaved: None };
        while at < end && result.is_ok() && !progress.stopped() {
            let stop = match self.limits.max_time {
                None => end,
                Some(limit) if began.elapsed() >= limit && at > 0 => break,
                Some(limit) => {
                    let spent = began.elapsed();
                    at + batch(&queue[at..end], recording.read, spent, limit.saturating_sub(spent))
                }
            };
            let mut tasks = queue[at..stop].iter().map(|(_, slot, _)| Task::File(waiting.job(*slot)));
            result = run(config, &mut tasks, progress, &mut recording).map(|summary| {
                recording.relay.counts.unreached += summary.unreached;
                recording.relay.counts.interrupted |= summary.interrupted;
                at = stop;
            });
        }
        let Recording { weak, unsaved, .. } = recording;
        relay.counts.interrupted |= progress.stopped();
        checked.not_tamper_evident = weak;
        checked.deferred = (queue.len() - at) as u64;
        let Some(mut state) = self.state else { return (result, Ok(None)) };
        let deferred = queue[at..].iter().map(|(_, slot, _)| waiting.job(*slot));
        let (mut failed, mut never_read) = (Vec::new(), 0);
        for job in deferred {
            match state.mark(key(&job)).status {
                EntryStatus::Failed => failed.push(job.name),
                EntryStatus::Seen => never_read += 1,
                EntryStatus::Verified => {}
            }
        }
        failed.extend(entries.left_out_failed().iter().cloned());
        checked.never_read = Some(never_read);
        drop((waiting, queue));
        checked.still_failed = failed.len() as u64;
        for name in &failed {
            let name = Path::new(OsStr::from_bytes(name));
            result = result.and_then(|()| (relay.on_event)(Event::StillFailed(name)));
        }
        let id = |path: &PathBuf| Metadata::at(path).ok().map(|stat| stat.id());
        let saved = unsaved.map_or_else(|| state.save(), Err);
        (result, saved.map(|()| self.limits.state.as_ref().and_then(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(sizes: &[u64]) -> Vec<Queued> {
        sizes.iter().map(|&size| ((0, false), 0, size)).collect()
    }

    #[test]
    fn first_file_is_always_read_and_others_only_within_the_limit() {
        for (sizes, most, number) in [
            (&[5, 5, 5][..], Some(10), 2),
            (&[11, 1], Some(10), 1),
            (&[1, 11, 1], Some(10), 1),
            (&[0, 0, 0, 1], Some(0), 3),
            (&[u64::MAX, u64::MAX], Some(u64::MAX), 2),
            (&[3, 3], None, 2),
            (&[], Some(1), 0),
        ] {
            assert_eq!(fitting(most, &queue(sizes)), number, "{sizes:?}");
        }
    }

    #[test]
    fn batches_shrink_with_the_remaining_time() {
        let queue = queue(&[1 << 20; 1000]);
        let second = Duration::from_secs(1);
        assert_eq!(batch(&queue, (0, 0), Duration::ZERO, second), 64);
        assert_eq!(batch(&queue, (400, 400 << 20), second, second * 4), 400);
        assert_eq!(batch(&queue, (400, 400 << 20), second * 4, second), 25);
        assert_eq!(batch(&queue, (400, 400 << 20), second * 4, Duration::ZERO), 1);
        assert_eq!(batch(&queue[..7], (400, 400 << 20), second, second * 4), 7);
    }
}
