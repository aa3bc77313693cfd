//! What is to be done to a file, what came of it, and the counts of a run.

use crate::error::{Cause, Error};
use crate::io::anchor::Anchor;
use crate::io::open::Root;
use crate::io::read::{Guarded, Whole};
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use truesum_hash::{Digest, Hasher, Spec, finish_many};
use truesum_manifest::{Place, Time};

/// One file to read: hash it, and compare if digests are expected.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name shown and written, as bytes.
    pub name: Vec<u8>,
    /// Where the file is opened, if that is not `name` itself (a manifest's name is opened beneath its root).
    pub open: Option<Vec<u8>>,
    /// Whether standard input is read instead of a file. A file named `-` is a file like any other.
    pub stdin: bool,
    /// Where a walk found the file: it is opened there, and not by its whole path.
    pub anchor: Option<Anchor>,
    /// What a list said of it that is read where there are versions: no other is read.
    pub listed: Option<Box<Listed>>,
    /// What to compute, in this order.
    pub specs: Arc<[Spec]>,
    /// The digests that must be found, one for each of `specs`; empty where nothing is expected.
    pub expected: Vec<Digest>,
    /// The size that must be found, where a manifest tells it.
    pub size: Option<u64>,
    /// When the file was last written, where a manifest tells it. Nothing is compared with it.
    pub mtime: Option<Time>,
    /// Whether the manifest's format means this entry to have no digest, as `RECORD` has none of itself.
    pub exempt: bool,
    /// Where the job comes from: index of the manifest or root, and the place in it.
    pub origin: (usize, Place),
}

impl Job {
    /// Whether these are the digests that are expected, one for each algorithm.
    pub(crate) fn agrees(&self, found: &[Digest]) -> bool {
        let mut pairs = self.specs.iter().zip(self.expected.iter().zip(found));
        found.len() == self.expected.len() && pairs.all(|(spec, (listed, found))| spec.agree(listed, found))
    }

    /// A file to hash.
    pub fn hash(name: impl Into<PathBuf>, specs: &Arc<[Spec]>) -> Job {
        let name = name.into().into_os_string().into_vec();
        let (expected, origin) = (Vec::new(), (0, Place::Line(0)));
        let specs = specs.clone();
        Job {
            name,
            open: None,
            stdin: false,
            anchor: None,
            listed: None,
            specs,
            expected,
            size: None,
            mtime: None,
            exempt: false,
            origin,
        }
    }

    /// Creates a job for a command-line argument: `-` is standard input, anything else is a file to hash. Nothing else turns a
    /// name into standard input.
    pub fn argument(name: impl Into<PathBuf>, specs: &Arc<[Spec]>) -> Job {
        let job = Job::hash(name, specs);
        Job { stdin: job.name == b"-", ..job }
    }

    /// The name to open.
    pub fn path(&self) -> &[u8] {
        self.open.as_deref().unwrap_or(&self.name)
    }

    /// What the file is opened from, and by which name: its anchor, or `root` if it has none.
    pub(crate) fn way<'j>(&'j self, root: &'j Root) -> (&'j Root, &'j [u8]) {
        match &self.anchor {
            Some(anchor) => (anchor.root(), anchor.rest(self.path())),
            None => (root, self.path()),
        }
    }
}

/// A version of a file, as a list told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its bytes.
    pub size: u64,
    /// What the place tells its versions apart by, if it does.
    pub version: Option<String>,
    /// When it was written, in seconds since 1970; 0 where that is not told.
    pub modified: i64,
}

/// What was found in a file that was read to its end without error and did not change meanwhile; of a job without specs,
/// what the system says of a file that was not read.
#[derive(Clone, Debug)]
pub struct Found {
    size: u64,
    mtime: (i64, u32),
    ctime: (i64, u32),
    inode: u64,
    digests: Vec<Digest>,
    time: Duration,
    pieces: Option<Findings>,
}

impl Found {
    /// Creates the result of a complete read that began at `started`. The proof of that read is the only way to a result with
    /// digests.
    pub fn new(whole: Whole, digests: Vec<Digest>, started: Instant) -> Found {
        let (size, mtime, ctime, inode) = (whole.size(), whole.mtime(), whole.ctime(), whole.inode());
        Found { size, mtime, ctime, inode, digests, time: started.elapsed(), pieces: None }
    }

    /// Creates the result for a file that was opened and not read: it has no digests.
    pub(crate) fn unread(file: &Guarded, started: Instant) -> Found {
        let stat = file.stat();
        let (size, inode, time) = (file.size_hint(), stat.st_ino, started.elapsed());
        let mtime = (stat.st_mtime, stat.st_mtime_nsec as u32);
        let ctime = (stat.st_ctime, stat.st_ctime_nsec as u32);
        Found { size, mtime, ctime, inode, digests: Vec::new(), time, pieces: None }
    }

    /// Adds what the digests of pieces of a complete read showed.
    pub(crate) fn with_pieces(self, pieces: Findings) -> Found {
        Found { pieces: Some(pieces), ..self }
    }

    /// Returns the number of bytes read, or the size of the file if the job has no specs.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the modification time: seconds since 1970 and nanoseconds.
    pub fn mtime(&self) -> (i64, u32) {
        self.mtime
    }

    /// Returns the time of the last status change: seconds since 1970 and nanoseconds.
    pub fn ctime(&self) -> (i64, u32) {
        self.ctime
    }

    /// Returns the inode number.
    pub fn inode(&self) -> u64 {
        self.inode
    }

    /// Returns one digest for each of the job's specs.
    pub fn digests(&self) -> &[Digest] {
        &self.digests
    }

    /// Returns one digest for each of the job's specs and drops the rest.
    pub fn into_digests(self) -> Vec<Digest> {
        self.digests
    }

    /// Returns the time from opening the file to its digests.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Returns what the digests of pieces showed, if the manifest has them.
    pub fn pieces(&self) -> Option<&Findings> {
        self.pieces.as_ref()
    }
}

/// What digests of pieces say of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Bytes in pieces that differ, in order.
    pub damaged: Vec<Damage>,
    /// Bytes that no piece covers, or one that holds bytes of other files which could not be read.
    pub unknown: Vec<Range<u64>>,
    /// What pieces were judged by: the algorithms, and how much of a digest is listed.
    pub by: String,
    /// Where so little of each digest is listed that equal ones prove nothing, and no digest of all of the file does either: how much.
    pub short: Option<String>,
    /// Whether they leave open how many zeros it ends with.
    pub open_end: bool,
    /// Digests that a file lists of its own content, and what its content came to.
    pub compared: Vec<Compared>,
}

/// A digest that a file lists of its own content by rules of its own, so that no [`Spec`] computes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// What it is called: `apk-v2-sha256`.
    pub name: String,
    /// What the file lists.
    pub expected: Digest,
    /// What was computed.
    pub found: Digest,
}

impl Findings {
    /// What is not known of a file although all pieces are equal, for people.
    pub fn doubt(&self) -> Option<&'static str> {
        self.open_end.then_some(
            "its size is not in the manifest, so trailing zeros in the last block were not verified",
        )
    }
}

/// A range of bytes in pieces that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes of the file.
    pub range: Range<u64>,
    /// Whether a piece of it also holds bytes of other files: the damage may be theirs.
    pub shared: bool,
}

/// A job and its result.
#[derive(Debug)]
pub struct Outcome {
    /// The job.
    pub job: Job,
    /// What was found, or why nothing can be said.
    pub result: Result<Found, Error>,
}

/// What an outcome means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Read; nothing was expected.
    Hashed,
    /// Read, and every expected digest is equal.
    Verified,
    /// A digest or the size differs.
    Mismatch,
    /// There, and nothing that is listed of it is wrong; but no digest is listed, or of a piece of it that holds bytes of
    /// another file which could not be read.
    Unverified,
    /// Not there.
    Missing,
    /// There, but it changed while it was read.
    Changed,
    /// There, but not readable, not a regular file, or outside the root.
    Unreadable,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Hashed => "hashed",
            Verdict::Verified => "verified",
            Verdict::Mismatch => "mismatch",
            Verdict::Unverified => "unverified",
            Verdict::Missing => "missing",
            Verdict::Changed => "changed",
            Verdict::Unreadable => "unreadable",
        }
    }
}

impl Outcome {
    /// The name shown and written.
    pub fn name(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.job.name))
    }

    /// The verdict. Verified needs every expected digest to be found and equal.
    pub fn verdict(&self) -> Verdict {
        match &self.result {
            Err(error) if error.is_missing() => Verdict::Missing,
            Err(Error { cause: Cause::Changed(_), .. }) => Verdict::Changed,
            Err(_) => Verdict::Unreadable,
            Ok(_) if self.job.expected.is_empty() && !self.job.specs.is_empty() => Verdict::Hashed,
            Ok(found) => {
                let sizes_agree = self.job.size.is_none_or(|size| size == found.size);
                let (damaged, unknown) = match &found.pieces {
                    Some(pieces) => {
                        let differs = pieces.compared.iter().any(|one| one.expected != one.found);
                        let damaged = differs || !pieces.damaged.is_empty();
                        (damaged, !pieces.unknown.is_empty() || pieces.short.is_some())
                    }
                    None => (false, self.job.specs.is_empty()),
                };
                if !sizes_agree || damaged || !self.job.agrees(&found.digests) {
                    Verdict::Mismatch
                } else if unknown {
                    Verdict::Unverified
                } else {
                    Verdict::Verified
                }
            }
        }
    }
}

/// Whether a file was as long as it told before, where a digest had to know (pipes and files made up on reading are not), and
/// bears no marks of an attack on its digest.
///
/// # Errors
/// It was not, or bears them: there is no digest then.
pub(crate) fn as_promised(hashers: &[Hasher], name: &[u8]) -> Result<(), Error> {
    if let Some((hasher, why)) = hashers.iter().find_map(|hasher| Some((hasher, hasher.attack()?))) {
        return Err(Error::new(name, "hash", Cause::Other(format!("{}: {why}", hasher.spec()))));
    }
    let Some(hasher) = hashers.iter().find(|hasher| !hasher.is_whole()) else { return Ok(()) };
    let why = format!("{} requires the size in advance, so only regular files can be hashed", hasher.spec());
    Err(Error::new(name, "hash", Cause::Other(why)))
}

/// Returns the digests of what these hashers were given, in order, and resets them.
///
/// # Errors
/// The file did not have the size that one of them had to know in advance, or it bears marks of an attack on its digest.
pub fn digests(hashers: &mut [Hasher], name: &[u8]) -> Result<Vec<Digest>, Error> {
    as_promised(hashers, name)?;
    Ok(finish_many(&mut hashers.iter_mut().collect::<Vec<_>>()))
}

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files read to their end.
    pub files: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Entries found equal.
    pub verified: u64,
    /// Entries found different.
    pub mismatched: u64,
    /// Entries whose files are there, and of which no digest was compared, or not of all pieces.
    pub unverified: u64,
    /// Those among them that the manifest's format means to be without one.
    pub exempt: u64,
    /// Files not there.
    pub missing: u64,
    /// Files that changed while they were read.
    pub changed: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Lines of manifests that are no entry.
    pub malformed: u64,
    /// Files that were found but not read to their end when the run was stopped. Nobody knows how many more there are.
    pub unreached: u64,
    /// Files written so recently that a write may have been under way while they were read, of which the system does not
    /// tell whether somebody has them open for writing.
    pub untold: u64,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
}

impl Summary {
    /// Counts one outcome.
    pub fn count(&mut self, outcome: &Outcome) {
        if let Ok(found) = &outcome.result
            && (found.pieces.is_some() || !outcome.job.specs.is_empty())
        {
            self.files += 1;
            // What nobody looked at was not read.
            let counted = outcome.job.specs.iter().map(|spec| spec.algorithm().counted(found.size)).max();
            self.bytes += counted.unwrap_or(found.size);
        }
        match outcome.verdict() {
            Verdict::Hashed => {}
            Verdict::Verified => self.verified += 1,
            Verdict::Mismatch => self.mismatched += 1,
            Verdict::Unverified => {
                self.unverified += 1;
                self.exempt += u64::from(outcome.job.exempt);
            }
            Verdict::Missing => self.missing += 1,
            Verdict::Changed => self.changed += 1,
            Verdict::Unreadable => self.unreadable += 1,
        }
    }

    /// Returns the number of files, folders and entries that were requested and are not known to be good.
    pub fn failed(&self) -> u64 {
        // Destructured, so that a new count does not compile until somebody decides what it means.
        let Summary {
            mismatched,
            missing,
            changed,
            unreadable,
            // What was read and is good, and what its format means to be without a digest.
            files: _,
            bytes: _,
            verified: _,
            exempt: _,
            // Not known to be bad: decided by whoever reports on the whole.
            unverified: _,
            malformed: _,
            unreached: _,
            untold: _,
            interrupted: _,
        } = self;
        mismatched + missing + changed + unreadable
    }
}

impl std::ops::AddAssign for Summary {
    fn add_assign(&mut self, other: Summary) {
        // Taken apart, so that a new count is not forgotten here.
        let Summary {
            files,
            bytes,
            verified,
            mismatched,
            unverified,
            exempt,
            missing,
            changed,
            unreadable,
            malformed,
            unreached,
            untold,
            interrupted,
        } = other;
        self.files += files;
        self.bytes += bytes;
        self.verified += verified;
        self.mismatched += mismatched;
        self.unverified += unverified;
        self.exempt += exempt;
        self.missing += missing;
        self.changed += changed;
        self.unreadable += unreadable;
        self.malformed += malformed;
        self.unreached += unreached;
        self.untold += untold;
        self.interrupted |= interrupted;
    }
}
