//! The saved progress of an unfinished verification (`.ftr.verify`, `docs/spec/tree.md` section 8),
//! from which it can be resumed.
//!
//! The progress is saved only on request, and is tied to every bit of the stored tree and to the
//! state of the file. A mismatch is an error: if it were ignored, users who resume a verification
//! would notice only from its duration that everything was read again.

use crate::error::{Cause, Error};
use crate::io::open::read_companion;
use crate::io::write::AtomicFile;
use crate::pieces::ranges::joined;
use crate::tree::header::{MOVED, crc32c};
use crate::tree::store::{Hints, Store, with_suffix};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use truesum_fs::name::OsStrExt;

const MAGIC: [u8; 12] = *b"\x89FTV\r\n\x1a\n\x02\0\0\0";
/// The interval between writes.
const INTERVAL: Duration = Duration::from_secs(5);

/// Returns the path of the file in which the progress of an unfinished verification with this
/// stored tree is saved.
pub fn findings_of(tree: impl AsRef<Path>) -> PathBuf {
    with_suffix(tree, ".verify")
}

/// The progress so far, in granules.
pub(crate) struct Findings {
    path: PathBuf,
    /// The identity of the tree and the file.
    about: Vec<u8>,
    /// Granules that were compared.
    pub(crate) checked: Vec<Range<u64>>,
    /// The compared granules that differ.
    pub(crate) differing: Vec<Range<u64>>,
    written: Instant,
}

impl Findings {
    /// Loads the progress of an unfinished verification, or creates an empty one, so that an unwritable location is
    /// reported at once.
    ///
    /// # Errors
    /// Fails if the tree cannot be read or the progress cannot be written, or if existing progress is damaged or
    /// belongs to another tree or state of the file.
    pub fn begin(store: &Store, size: u64, hints: &Hints) -> Result<Findings, Error> {
        let path = findings_of(store.path());
        let mut about = store.fingerprint()?.as_bytes().to_vec();
        about.extend(hints.to_bytes());
        about.extend(size.to_le_bytes());
        let (checked, differing) = (Vec::new(), Vec::new());
        let mut findings = Findings { path, about, checked, differing, written: Instant::now() };
        match read_companion(&findings.path) {
            Ok(bytes) => {
                findings.take(&bytes, store.header().granules()).map_err(|why| findings.refuse(why))?
            }
            Err(error) if matches!(error.cause(), Cause::Io(why) if why.kind() == ErrorKind::NotFound) => {
                findings.write()?
            }
            Err(error) => return Err(error),
        }
        Ok(findings)
    }

    fn name(&self) -> &[u8] {
        self.path.as_os_str().as_bytes()
    }

    fn refuse(&self, why: &str) -> Error {
        let why = format!("{why}; to start the verification again, delete the saved progress");
        Error::new(self.name(), "resume the verification", Cause::Other(why))
    }

    /// Parses saved progress.
    fn take(&mut self, bytes: &[u8], granules: u64) -> Result<(), &'static str> {
        const DAMAGED: &str = "it is damaged";
        let (bytes, crc) = bytes.split_last_chunk::<4>().ok_or(DAMAGED)?;
        let rest = bytes.strip_prefix(&MAGIC).filter(|_| crc32c(bytes) == *crc).ok_or(DAMAGED)?;
        let (about, rest) = rest.split_at_checked(self.about.len()).ok_or(DAMAGED)?;
        let tree = self.about.len() - 40;
        if about[..tree] != self.about[..tree] {
            return Err("the stored tree has been replaced or modified since the run began");
        }
        if about != self.about {
            return Err(MOVED);
        }
        let (words, odd) = rest.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (&count, words) = words.split_first().ok_or(DAMAGED)?;
        let (pairs, half) = words.as_chunks::<2>();
        let ranges: Vec<Range<u64>> = pairs.iter().map(|&[start, end]| start..end).collect();
        let (checked, differing) =
            usize::try_from(count).ok().and_then(|count| ranges.split_at_checked(count)).ok_or(DAMAGED)?;
        let sane = |ranges: &[Range<u64>]| {
            ranges.iter().all(|range| range.start < range.end && range.end <= granules)
                && ranges.windows(2).all(|pair| pair[0].end < pair[1].start)
        };
        let within =
            |range: &Range<u64>| checked.iter().any(|all| all.start <= range.start && range.end <= all.end);
        if !odd.is_empty()
            || !half.is_empty()
            || !sane(checked)
            || !sane(differing)
            || !differing.iter().all(within)
        {
            return Err(DAMAGED);
        }
        (self.checked, self.differing) = (checked.to_vec(), differing.to_vec());
        Ok(())
    }

    /// Adds granules that were compared, and the ones among them that differ.
    ///
    /// # Errors
    /// Fails if it was time to save the progress and that failed.
    pub fn add(
        &mut self,
        checked: Range<u64>,
        differing: impl IntoIterator<Item = Range<u64>>,
    ) -> Result<(), Error> {
        self.checked.push(checked);
        self.differing.extend(differing);
        if self.written.elapsed() >= INTERVAL { self.write() } else { Ok(()) }
    }

    /// Makes all progress so far durable.
    ///
    /// # Errors
    /// Returns the system's error. Progress saved before remains.
    pub fn write(&mut self) -> Result<(), Error> {
        self.checked = joined(std::mem::take(&mut self.checked));
        self.differing = joined(std::mem::take(&mut self.differing));
        let mut file = AtomicFile::create_internal(&self.path, &MAGIC)?;
        file.write_all(&self.encode()).map_err(|error| Error::io(self.name(), "write", error))?;
        file.commit()?;
        self.written = Instant::now();
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &self.about].concat();
        bytes.extend((self.checked.len() as u64).to_le_bytes());
        for range in self.checked.iter().chain(&self.differing) {
            bytes.extend([range.start, range.end].map(u64::to_le_bytes).concat());
        }
        bytes.extend(crc32c(&bytes));
        bytes
    }

    /// Removes the saved progress when the verification has a result.
    ///
    /// # Errors
    /// Returns the system's error. Progress that remains would otherwise be used by a later
    /// verification.
    pub fn remove(self) -> Result<(), Error> {
        std::fs::remove_file(&self.path).map_err(|error| Error::io(self.name(), "remove", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::tree::build::{Saving, save};
    use crate::tree::reading::Reading;

    const SIZE: u64 = 9 << 20;

    #[test]
    fn findings_round_trip_and_damaged_ones_are_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, tree) = (folder.path().join("x"), folder.path().join("x.ftr"));
        std::fs::write(&file, vec![3; SIZE as usize]).expect("written");
        let saving = Saving::new(&tree);
        let spec = "sha256-tree".parse().expect("a row");
        let progress = Progress::default();
        let store = save(&file, &spec, &saving, &Reading::new(&progress)).expect("saved").store;
        let hints = Hints { mtime: 1, ctime: 2, inode: 3, device: 4 };
        let begin = |hints: &Hints, size| Findings::begin(&store, size, hints);
        let mut findings = begin(&hints, SIZE).expect("begun");
        assert!(findings.checked.is_empty() && findings_of(&tree).exists());
        findings.add(4..6, [5..6]).expect("added");
        findings.add(0..2, []).expect("added");
        findings.add(2..4, [2..3]).expect("added");
        findings.write().expect("written");
        let again = begin(&hints, SIZE).expect("resumed");
        assert_eq!((again.checked, again.differing), (vec![0..6], vec![2..3, 5..6]));
        for other in [
            Hints { mtime: 0, ..hints },
            Hints { ctime: 0, ..hints },
            Hints { inode: 0, ..hints },
            Hints { device: 0, ..hints },
        ] {
            assert!(begin(&other, SIZE).is_err());
        }
        assert!(begin(&hints, SIZE + 1).is_err());
        let bytes = std::fs::read(findings_of(&tree)).expect("there");
        let mut other = begin(&hints, SIZE).expect("resumed");
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(other.take(&flipped, 9).is_err(), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(other.take(&bytes[..len], 9).is_err(), "{len} bytes");
        }
        std::fs::write(findings_of(&tree), &bytes[1..]).expect("written");
        assert!(begin(&hints, SIZE).is_err());
        // Ranges that contradict the tree or each other, with a matching CRC.
        for (checked, differing) in [
            (vec![0..10], vec![]),
            (vec![0..2, 1..3], vec![]),
            (vec![0..2], vec![1..3]),
            (vec![2..2], vec![]),
        ] {
            (findings.checked, findings.differing) = (checked, differing);
            std::fs::write(findings_of(&tree), findings.encode()).expect("written");
            assert!(begin(&hints, SIZE).is_err());
        }
        std::fs::write(findings_of(&tree), &bytes).expect("written");
        begin(&hints, SIZE).expect("restored").remove().expect("removed");
        assert!(!findings_of(&tree).exists());
    }
}
