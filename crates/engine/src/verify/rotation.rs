//! A check that reads part of its entries at a time: those that have waited longest come first.

use crate::error::{Cause, Error};
use crate::job::{Outcome, Summary, Verdict};
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::verify::entries::{Entries, count, weak_name};
use crate::verify::event::{Event, Manifest};
use crate::verify::queue::{EntryQueue, Slot};
use crate::verify::report::Checked;
use crate::verify::state::{State, What, key};
use crate::verify::verification::{Observer, Relay, Verification};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
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
    relay: Relay<'r, 't>,
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
                Verdict::Verified | Verdict::Hashed => What::Verified,
                Verdict::Unverified => What::Seen,
                Verdict::Missing if self.relay.ignores_missing() => What::Seen,
                _ => What::Failed,
            };
            state.note(key(&outcome.job), what, now());
            if let Err(error) = state.save_now_and_then() {
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

impl Verification<'_> {
    /// Opens the stored state, if there is one.
    pub(super) fn state(&self) -> Result<Option<State>, Error> {
        self.options.limits.state.as_deref().map(|path| State::open(path, now(), self.progress)).transpose()
    }

    /// Checks the entries of a manifest that are next in the rotation, and records that they were read.
    pub(super) fn check_limited<R: Read + Send>(
        &mut self,
        mut state: Option<State>,
        config: &Config,
        manifest: &Manifest<'_>,
        entries: &mut Entries<'_, R>,
        checked: &mut Checked,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let Verification { options, progress, report, .. } = self;
        let relay = Relay::new(options, manifest, report, on_event);
        let mut recording =
            Recording { relay, state: None, weak: BTreeMap::new(), read: (0, 0), unsaved: None };
        let (mut waiting, mut queue): (_, Vec<Queued>) = (EntryQueue::default(), Vec::new());
        for task in entries.by_ref() {
            match task {
                Task::File(job) => {
                    let due = state.as_mut().map(|state| state.mark(key(&job)).due());
                    let size = job.size.unwrap_or_else(|| config.root.size(job.path()));
                    queue.push((due.unwrap_or_default(), waiting.push(&job), size));
                }
                Task::Notice(notice) => recording.notice(notice)?,
            }
        }
        // The sort is stable: entries that have waited equally long keep the manifest's order.
        queue.sort_by_key(|(due, _, _)| *due);
        let end = fitting(options.limits.max_bytes, &queue);
        let began = Instant::now();
        let mut at = 0;
        let mut result = Ok(());
        recording.state = state.as_mut();
        let (mut unreached, mut interrupted) = (0, false);
        while at < end && !progress.stopped() {
            let stop = match options.limits.max_time {
                None => end,
                Some(limit) if began.elapsed() >= limit && at > 0 => break,
                Some(limit) => {
                    let spent = began.elapsed();
                    at + batch(&queue[at..end], recording.read, spent, limit.saturating_sub(spent))
                }
            };
            let mut tasks = queue[at..stop].iter().map(|(_, slot, _)| Task::File(waiting.job(*slot)));
            match run(config, &mut tasks, progress, &mut recording) {
                Ok(summary) => {
                    unreached += summary.unreached;
                    interrupted |= summary.interrupted;
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            at = stop;
        }
        let Recording { relay, weak, unsaved, .. } = recording;
        (checked.counts, checked.ignored) = relay.counted();
        checked.counts +=
            Summary { unreached, interrupted: interrupted || progress.stopped(), ..Summary::default() };
        checked.not_tamper_evident = weak;
        checked.deferred = (queue.len() - at) as u64;
        let Some(mut state) = state else { return result };
        for (_, slot, _) in &queue[at..] {
            let job = waiting.job(*slot);
            if state.mark(key(&job)).what == What::Failed {
                checked.still_failed += 1;
                let name = Path::new(OsStr::from_bytes(&job.name));
                result = result.and_then(|()| on_event(Event::StillFailed(name)));
            }
        }
        for name in entries.left_out_failed() {
            checked.still_failed += 1;
            result = result.and_then(|()| on_event(Event::StillFailed(Path::new(OsStr::from_bytes(name)))));
        }
        let path = options.limits.state.clone();
        drop((waiting, queue));
        match unsaved.map_or_else(|| state.save(), Err) {
            Ok(()) => {
                // The state file itself is not expected to be in a manifest.
                let stat = path.and_then(|path| Metadata::at(path).ok());
                self.own.extend(stat.map(|stat| stat.id()));
                result
            }
            Err(error) => result.and_then(|()| self.unread(&error, on_event)),
        }
    }

    /// Returns why these manifests cannot be checked in parts, if there is a reason.
    pub(super) fn not_in_parts(&self, names: &[impl AsRef<Path>]) -> Option<Error> {
        let first = names.first()?.as_ref();
        let several = names.len() > 1 || first.is_dir();
        (several && !self.options.limits.is_all()).then(|| {
            let why = Cause::Other(
                "only a single manifest can be checked in parts, not a bag or several manifests".to_owned(),
            );
            Error::new(first.as_os_str().as_bytes(), "check", why)
        })
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
