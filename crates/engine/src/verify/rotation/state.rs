//! A file that stores when entries were last read, so that a check can continue where the last one
//! ended (docs/reference/check.md, "Checking in parts").
//!
//! The order of entries is determined by the number of the run in which they were last read, which
//! the file counts itself. The time is stored only for users and does not affect the order: a clock
//! that is set back, jumps or stands still must neither hide a failure nor cause the same files to
//! be read forever. The file is locked during a run, so that no run overwrites the results of
//! another, and saved regularly, so that little is lost if a run is killed.

use crate::error::{Cause, Error};
use crate::io::lock::Lock;
use crate::io::write::AtomicFile;
use crate::job::Job;
use crate::progress::Progress;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use truesum_fs::name::OsStrExt;
use truesum_hash::Spec;
use truesum_manifest::Time;

/// The first line, which identifies the file.
const MAGIC: &[u8] = b"truesum-state/2\n";
/// The beginning of the first line in every version.
const MAGIC_OF_ALL: &[u8] = b"truesum-state/";
/// The number of runs after which an entry that is in no manifest any more is forgotten.
const FORGET_AFTER: u64 = 1000;
/// The size of a key.
const KEY: usize = 16;
/// The maximum line length.
const LONGEST: usize = 256;
/// The interval at which it is saved during a run, unless saving takes a long time.
const SAVE: Duration = Duration::from_secs(5);

/// Identifies an entry: a hash of its name and its digests.
pub(crate) type Key = [u8; KEY];

/// The stored facts about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the run that last read it or, if none has, that first saw it.
    pub(crate) run: u64,
    /// The time of that run, for users.
    pub(crate) time: Time,
    pub(crate) status: EntryStatus,
    /// Whether this run saw it in the manifest.
    listed: bool,
}

impl Mark {
    /// Returns the sort key of entries: those that have waited longest come first and, within one run, those that it
    /// did not read.
    pub(crate) fn due(&self) -> (u64, bool) {
        (self.run, self.status != EntryStatus::Seen)
    }
}

/// The result for an entry in that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryStatus {
    /// It was read and matched.
    Verified,
    /// It could not be read or did not match.
    Failed,
    /// It was in the manifest, but has never been read.
    Seen,
}

const WORDS: [(EntryStatus, &str); 3] =
    [(EntryStatus::Verified, "verified"), (EntryStatus::Failed, "failed"), (EntryStatus::Seen, "seen")];

/// The state of all entries: when each was last read, and the result.
pub(crate) struct State {
    path: PathBuf,
    marks: HashMap<Key, Mark>,
    run: u64,
    now: Time,
    lock: Lock,
    saved: Instant,
    pause: Duration,
}

impl State {
    /// Locks and reads the state in this file, which is created if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, is used by another run, or is something else.
    pub(crate) fn open(path: &Path, now: Time, progress: &Progress) -> Result<State, Error> {
        let name = path.as_os_str().as_bytes();
        let refused = |why: &str| Error::new(name, "use", Cause::Other(why.to_owned()));
        if path.is_symlink() {
            return Err(refused("it is a symbolic link and would be replaced; specify the file itself"));
        }
        // Test whether it can be written before anything is read.
        drop(AtomicFile::begin_internal(path)?);
        let lock = Lock::create(path, progress.stop_signal())?;
        let mut reader = BufReader::with_capacity(1 << 16, lock.file());
        let (mut marks, mut run, mut entries) = (HashMap::new(), 0, 0);
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            let read = io::Read::take(&mut reader, LONGEST as u64).read_until(b'\n', &mut line);
            match read.map_err(|error| Error::io(name, "read", error))? {
                // The file was created and not saved yet.
                0 if number == 1 => break,
                0 if number == 2 => return Err(refused("it is truncated")),
                0 if number != entries + 3 => return Err(refused("it is truncated")),
                0 => break,
                _ if number == 1 && line == MAGIC => continue,
                _ if number == 1 && line.starts_with(MAGIC_OF_ALL) => {
                    return Err(refused(
                        "it was written by another version of truesum; delete it to start again",
                    ));
                }
                _ if number == 1 => return Err(refused("it is not a state file")),
                _ => {}
            }
            let malformed =
                || refused(&format!("line {number} is malformed; delete the file to start again"));
            if number == 2 {
                (run, entries) = counts(&line).ok_or_else(malformed)?;
                continue;
            }
            let (key, mark) = parse(&line).filter(|(_, mark)| mark.run <= run).ok_or_else(malformed)?;
            marks.insert(key, mark);
        }
        Ok(State {
            path: path.to_owned(),
            marks,
            run: run + 1,
            now,
            lock,
            saved: Instant::now(),
            pause: SAVE,
        })
    }

    /// Returns the facts about an entry, and adds it if it is unknown.
    pub(crate) fn mark(&mut self, key: Key) -> Mark {
        let new = Mark { run: self.run, time: self.now, status: EntryStatus::Seen, listed: true };
        let mark = self.marks.entry(key).or_insert(new);
        mark.listed = true;
        *mark
    }

    /// Records the result of reading an entry. A failure remains until the entry was read and matches.
    pub(crate) fn note(&mut self, key: Key, status: EntryStatus, time: Time) {
        let failed = self.marks.get(&key).is_some_and(|mark| mark.status == EntryStatus::Failed);
        let status = if failed && status == EntryStatus::Seen { EntryStatus::Failed } else { status };
        self.marks.insert(key, Mark { run: self.run, time, status, listed: true });
    }

    /// Returns the entries that failed when they were last read.
    pub(crate) fn failed(&self) -> impl Iterator<Item = Key> + '_ {
        self.marks.iter().filter(|(_, mark)| mark.status == EntryStatus::Failed).map(|(key, _)| *key)
    }

    /// Saves the state if the interval has passed.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or is something else.
    pub(crate) fn save_periodically(&mut self) -> Result<(), Error> {
        if self.saved.elapsed() < self.pause {
            return Ok(());
        }
        let began = Instant::now();
        self.save()?;
        // Saving a large state takes a long time, so limit it to about a twentieth of the run.
        self.pause = SAVE.max(began.elapsed() * 20);
        Ok(())
    }

    /// Writes the state atomically.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or is something else.
    pub(crate) fn save(&mut self) -> Result<(), Error> {
        let name = self.path.as_os_str().as_bytes();
        let fail = |error| Error::io(name, "write", error);
        let mut file = AtomicFile::create_internal(&self.path, MAGIC_OF_ALL)?;
        let kept = |mark: &Mark| {
            mark.listed || mark.status == EntryStatus::Failed || mark.run + FORGET_AFTER > self.run
        };
        let mut marks: Vec<(&Key, &Mark)> = self.marks.iter().filter(|(_, mark)| kept(mark)).collect();
        marks.sort_unstable_by_key(|(key, _)| *key);
        file.write_all(MAGIC)
            .and_then(|()| writeln!(file, "run {} entries {}", self.run, marks.len()))
            .map_err(fail)?;
        for (key, Mark { run, time, status, .. }) in marks {
            let word = WORDS.iter().find(|(known, _)| known == status).map_or("", |(_, word)| *word);
            let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(file, "{key} {run} {time} {word}").map_err(fail)?;
        }
        let next = Lock::of(file.file(), name)?;
        file.commit_if(|| self.lock.still_at(&self.path))?;
        self.lock = next;
        self.saved = Instant::now();
        Ok(())
    }
}

/// Returns the key of an entry.
pub(crate) fn key(job: &Job) -> Key {
    static HASH: LazyLock<Spec> =
        LazyLock::new(|| "blake3".parse().expect("a row of the table of algorithms"));
    let mut bytes = (job.name.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(&job.name);
    for (spec, digest) in job.specs.iter().zip(&job.expected) {
        bytes.extend_from_slice(format!("{spec}:{digest};").as_bytes());
    }
    let digest = HASH.digest(&bytes);
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Parses the second line: the number of the run that wrote the file, and the number of entries that follow.
fn counts(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix("run ")?.strip_suffix('\n')?;
    let (run, entries) = text.split_once(" entries ")?;
    Some((run.parse().ok()?, entries.parse().ok()?))
}

fn parse(line: &[u8]) -> Option<(Key, Mark)> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let mut words = text.split(' ');
    let (digits, run, time, word) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let mut key = [0; KEY];
    let plain = digits.len() == 2 * KEY && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !plain || words.next().is_some() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    let status = WORDS.iter().find(|(_, known)| *known == word)?.0;
    Some((key, Mark { run: run.parse().ok()?, time: Time::parse(time)?, status, listed: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time { seconds, nanos: 5 }
    }

    fn open(path: &Path, now: i64) -> Result<State, Error> {
        State::open(path, at(now), &Progress::default())
    }

    #[test]
    fn rotation_depends_on_runs_and_not_on_the_clock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let [read, waiting, new] = [[1; KEY], [2; KEY], [3; KEY]];
        let mut state = open(&path, 1000).unwrap();
        state.mark(waiting);
        state.mark(read);
        state.note(read, EntryStatus::Verified, at(1000));
        state.save().unwrap();
        drop(state);
        // regression: after the clock was set back, entries that had been read counted as never read, again and again.
        let mut state = open(&path, 1).unwrap();
        let mut order = [read, waiting, new].map(|key| (state.mark(key).due(), key));
        order.sort_unstable();
        assert_eq!(order.map(|(_, key)| key), [waiting, read, new]);
    }

    #[test]
    fn failure_persists_until_a_successful_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let key = [0xab; KEY];
        open(&path, 1000).unwrap().save().unwrap();
        let again = |now: i64, status: Option<EntryStatus>| {
            let mut state = open(&path, now).unwrap();
            status.into_iter().for_each(|status| state.note(key, status, at(now)));
            state.save().unwrap();
            state.failed().any(|failed| failed == key)
        };
        assert!(again(1000, Some(EntryStatus::Failed)));
        assert!(again(1, Some(EntryStatus::Seen)), "it was passed over");
        assert!(again(i64::from(u32::MAX), None), "it is not listed, in a far future");
        (0..3).for_each(|_| assert!(again(1, None)));
        assert!(!again(1, Some(EntryStatus::Verified)));
    }

    #[test]
    fn state_of_removed_entries_expires() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let line = |key: &str, run: u64, word: &str| {
            format!("{} {run} 2026-11-22T00:00:00Z {word}\n", key.repeat(KEY))
        };
        let text = format!(
            "truesum-state/2\nrun 2000 entries 3\n{}{}{}",
            line("01", 900, "verified"),
            line("02", 900, "failed"),
            line("03", 1900, "seen")
        );
        std::fs::write(&path, text).unwrap();
        open(&path, 0).unwrap().save().unwrap();
        let kept = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            (kept.contains("0101"), kept.contains("0202"), kept.contains("0303")),
            (false, true, true)
        );
    }

    #[test]
    fn state_file_in_use_is_locked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let mut first = open(&path, 0).unwrap();
        first.save().unwrap();
        let progress = Progress::default();
        progress.stop();
        assert!(State::open(&path, at(0), &progress).is_err(), "the lock moved to the file that was saved");
        drop(first);
        assert!(open(&path, 0).is_ok());
    }

    #[test]
    fn invalid_state_file_is_neither_read_nor_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let head = "truesum-state/2\nrun 3 entries 1\n";
        let line = format!("{} 3 2026-11-22T00:00:00Z verified\n", "0f".repeat(KEY));
        for (text, good) in [
            (String::new(), true),
            (head.to_owned(), false),
            (head.replace('1', "0"), true),
            (format!("{head}{line}{line}"), false),
            (format!("{head}{line}"), true),
            ("a diary\n".to_owned(), false),
            ("truesum-state/1\n".to_owned(), false),
            ("truesum-state/2\n".to_owned(), false),
            ("truesum-state/2\nrun x\n".to_owned(), false),
            (format!("{head}{}", line.trim_end()), false),
            (format!("{head}{}", line.replace(" 3 ", " 4 ")), false),
            (format!("{head}{}", line.replace("verified", "guessed")), false),
            (format!("{head}{}", line.replace("0f", "é")), false),
            (format!("{head}{}\n", "x".repeat(1000)), false),
        ] {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(open(&path, 0).is_ok(), good, "{text}");
        }
        std::fs::remove_file(&path).unwrap();
        let mut state = open(&path, 0).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "a diary\n").unwrap();
        assert!(state.save().is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a diary\n");
    }
}
