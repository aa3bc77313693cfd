//! When entries were read last, kept from run to run in a file of its own: what a check needs to go on where the last one
//! ended (docs/check.md, "Selection").

use crate::error::{Cause, Error};
use crate::io::write::AtomicFile;
use crate::job::Job;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use truesum_hash::Spec;
use truesum_manifest::Time;

/// The first line, by which the file is known.
const MAGIC: &[u8] = b"truesum-state/1\n";
/// After how many seconds an entry is forgotten that no manifest lists any more.
const FORGOTTEN: i64 = 400 * 86_400;
/// Bytes of a key.
const KEY: usize = 16;
/// The longest line that is read.
const LONGEST: usize = 256;

/// An entry: its name with its digests.
pub(crate) type Key = [u8; KEY];

/// What is known of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Since when.
    pub(crate) time: Time,
    pub(crate) what: What,
}

/// What happened to an entry at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It was read, and was good.
    Verified,
    /// It was read, or could not be, and was not good.
    Failed,
    /// It was listed, and was never read.
    Seen,
}

const WORDS: [(What, &str); 3] =
    [(What::Verified, "verified"), (What::Failed, "failed"), (What::Seen, "seen")];

/// When entries were read last.
pub(crate) struct State {
    path: PathBuf,
    marks: HashMap<Key, Mark>,
    now: Time,
    hash: Spec,
}

impl State {
    /// Reads the state kept in this file; none is there before the first run. Times after `now` are none.
    ///
    /// # Errors
    /// It cannot be read, or is something else.
    pub(crate) fn open(path: &Path, now: Time) -> Result<State, Error> {
        let name = path.as_os_str().as_bytes();
        let hash = "blake3".parse().expect("a row of the table of algorithms");
        let mut state = State { path: path.to_owned(), marks: HashMap::new(), now, hash };
        let refused = |why: &str| Error::new(name, "use", Cause::Other(why.to_owned()));
        if path.is_symlink() {
            return Err(refused("it is a symbolic link, which would be replaced: name the file itself"));
        }
        // What could not be written in the end is known before anything is read.
        drop(AtomicFile::begin_own(path)?);
        // Opening a pipe would wait for whoever writes to it.
        let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let file = match std::fs::File::options().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(state),
            Err(error) => return Err(Error::io(name, "open", error)),
        };
        if !file.metadata().map_err(|error| Error::io(name, "read", error))?.is_file() {
            return Err(refused("it is no regular file"));
        }
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            let read = io::Read::take(&mut reader, LONGEST as u64).read_until(b'\n', &mut line);
            match read.map_err(|error| Error::io(name, "read", error))? {
                0 if number == 1 => break,
                0 => return Ok(state),
                _ if number == 1 && line == MAGIC => continue,
                _ if number == 1 => return Err(refused("it is no state of a check")),
                _ => {}
            }
            let (key, mark) = parse(&line).ok_or_else(|| {
                refused(&format!(
                    "line {number} is malformed; without the file all is read from the beginning"
                ))
            })?;
            let mark = Mark {
                time: if mark.time > now { Time { seconds: i64::MIN, nanos: 0 } } else { mark.time },
                ..mark
            };
            state.marks.insert(key, mark);
        }
        Ok(state)
    }

    /// The key of an entry.
    pub(crate) fn key(&self, job: &Job) -> Key {
        let mut bytes = (job.name.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&job.name);
        for (spec, digest) in job.specs.iter().zip(&job.expected) {
            bytes.extend_from_slice(format!("{spec}:{digest};").as_bytes());
        }
        let digest = self.hash.digest(&bytes);
        digest.as_bytes().first_chunk().copied().unwrap_or_default()
    }

    /// What is known of an entry. One that is not known is from now on.
    pub(crate) fn mark(&mut self, key: Key) -> Mark {
        *self.marks.entry(key).or_insert(Mark { time: self.now, what: What::Seen })
    }

    /// Notes that an entry was read.
    pub(crate) fn note(&mut self, key: Key, what: What, time: Time) {
        self.marks.insert(key, Mark { time, what });
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written, or is something else.
    pub(crate) fn write(self) -> Result<(), Error> {
        let State { path, marks, now, .. } = self;
        let fail = |error| Error::io(path.as_os_str().as_bytes(), "write", error);
        let mut file = AtomicFile::create_own(&path, MAGIC)?;
        let kept = |mark: &Mark| mark.time.seconds > now.seconds.saturating_sub(FORGOTTEN);
        let mut marks: Vec<(Key, Mark)> = marks.into_iter().filter(|(_, mark)| kept(mark)).collect();
        marks.sort_unstable_by_key(|(key, _)| *key);
        file.write_all(MAGIC).map_err(fail)?;
        for (key, Mark { time, what }) in marks {
            let word = WORDS.iter().find(|(known, _)| *known == what).map_or("", |(_, word)| *word);
            let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(file, "{key} {time} {word}").map_err(fail)?;
        }
        file.commit()
    }
}

fn parse(line: &[u8]) -> Option<(Key, Mark)> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let mut words = text.split(' ');
    let (digits, time, word) = (words.next()?, words.next()?, words.next()?);
    let mut key = [0; KEY];
    let plain = digits.len() == 2 * KEY && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !plain || words.next().is_some() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    let what = WORDS.iter().find(|(_, known)| *known == word)?.0;
    Some((key, Mark { time: Time::parse(time)?, what }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time { seconds, nanos: 5 }
    }

    #[test]
    fn what_was_noted_is_read_back_and_what_is_old_or_to_come_counts_as_such() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let mut state = State::open(&path, at(1000)).unwrap();
        let [old, good, bad] = [[1; KEY], [2; KEY], [0xab; KEY]];
        state.note(old, What::Verified, at(1000 - FORGOTTEN));
        state.note(good, What::Verified, at(999));
        state.note(bad, What::Failed, at(1000));
        assert_eq!(state.mark([7; KEY]), Mark { time: at(1000), what: What::Seen });
        state.write().unwrap();
        let mut state = State::open(&path, at(999)).unwrap();
        assert_eq!(state.mark(good), Mark { time: at(999), what: What::Verified });
        assert_eq!(state.mark(bad), Mark { time: Time { seconds: i64::MIN, nanos: 0 }, what: What::Failed });
        assert_eq!(state.mark(old).what, What::Seen);
    }

    #[test]
    fn what_is_no_state_is_neither_read_nor_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let line = format!("{} 2026-11-22T00:00:00Z verified\n", "0f".repeat(KEY));
        for (text, good) in [
            (String::new(), true),
            ("truesum-state/1\n".to_owned(), true),
            (format!("truesum-state/1\n{line}"), true),
            ("a diary\n".to_owned(), false),
            (format!("truesum-state/1\n{}", line.trim_end()), false),
            (format!("truesum-state/1\n{}", line.replace("verified", "guessed")), false),
            (format!("truesum-state/1\n{}", line.replace("0f", "é")), false),
            (format!("truesum-state/1\n{}\n", "x".repeat(1000)), false),
        ] {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(State::open(&path, at(0)).is_ok(), good, "{text}");
        }
        let state = State::open(&dir.path().join("none"), at(0)).unwrap();
        std::fs::write(&path, "a diary\n").unwrap();
        assert!(State { path: path.clone(), ..state }.write().is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a diary\n");
    }
}
