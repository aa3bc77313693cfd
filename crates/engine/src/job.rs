//! Jobs (what to do with a file), their outcomes, and the counts of a run.

use crate::error::{Cause, Error};
use crate::io::anchor::Anchor;
use crate::io::open::Root;
use crate::io::read::{CompleteRead, Guarded};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use truesum_fs::name::{OsStrExt, entry_name};
use truesum_hash::{Digest, Hasher, Spec, finish_many};
use truesum_manifest::{Place, Time};

readable! {
    /// A file to read: it is hashed, and compared if digests are expected.
    #[derive(Clone, Debug)]
    pub struct Job {
        /// The name for output, as bytes.
        name: Vec<u8> => &[u8],
        /// The path to open, if it differs from `name` (a name in a manifest is opened beneath its root).
        open: Option<Vec<u8>> as Option<&[u8]>,
        /// Whether standard input is read instead of a file. A file named `-` is a file like any other.
        stdin: bool,
        /// The place where a walk found the file, which is opened from there and not by its complete
        /// path.
        anchor: Option<Anchor> as Option<&Anchor>,
        /// The version that a listing reported, in a store that has versions: only this version is
        /// read.
        listed: Option<Box<ObjectVersion>> as Option<&ObjectVersion>,
        /// The algorithms to compute, in this order.
        specs: Arc<[Spec]> => &Arc<[Spec]>,
        /// The expected digests: those of the first algorithms in `specs`. Digests of the others are
        /// computed and not compared. Empty if nothing is expected.
        expected: Vec<Digest> => &[Digest],
        /// Digests that are accepted in place of the one of the same algorithm in `expected`.
        alternatives: Box<[(Spec, Digest)]> => &[(Spec, Digest)],
        /// The expected size, if the manifest contains it.
        size: Option<u64>,
        /// The modification time, if the manifest contains it. It is not compared.
        mtime: Option<Time>,
        /// Whether the manifest's format has no digest for this entry, like `RECORD` for itself.
        exempt: bool,
        /// The number of `specs` at the end that are computed without being compared.
        also: usize,
        /// The origin of the job: the index of the manifest or root, and the position in it.
        origin: (usize, Place),
    }
    private {
        /// The way in which its read also serves other jobs for the same file.
        shared: Option<SharedRead>,
    }
}

/// The maximum number of combinations of alternative digests that are searched for. A manifest with more was crafted to be
/// slow.
const READINGS: usize = 64;

/// Returns the combinations of digests that an entry accepts, each in the order of the algorithms. The first one consists of
/// the expected digests.
pub(crate) fn readings(
    specs: &[Spec],
    expected: &[Digest],
    alternatives: &[(Spec, Digest)],
) -> Vec<Vec<Digest>> {
    let mut all = vec![expected.to_vec()];
    for (spec, digest) in alternatives {
        let Some(at) = specs.iter().position(|of| of == spec).filter(|&at| at < expected.len()) else {
            continue;
        };
        let plain = all.iter().filter(|reading| reading[at] == expected[at]).cloned();
        let more: Vec<_> = plain.take(READINGS - all.len().min(READINGS)).collect();
        all.extend(more.into_iter().map(|mut reading| {
            reading[at] = digest.clone();
            reading
        }));
    }
    all
}

/// A read that also serves later jobs for the same file, or may have been made for an earlier one.
#[derive(Clone, Debug)]
pub(crate) struct SharedRead {
    /// The hash of the file's name, for file systems without unique inode numbers.
    pub(crate) name: u64,
    /// The algorithms of the job itself. The outcome has no other digests.
    specs: Arc<[Spec]>,
    /// The number of later jobs.
    pub(crate) later: u64,
}

impl Job {
    /// Returns whether these digests, one for each algorithm, are those that are expected.
    pub(crate) fn agrees(&self, found: &[Digest]) -> bool {
        let mut pairs = self.specs.iter().zip(self.expected.iter().zip(found));
        let complete = found.len() == self.specs.len() && self.expected.len() + self.also == found.len();
        let is_alternative = |spec: &Spec, found: &Digest| {
            self.alternatives.iter().any(|(of, listed)| of == spec && spec.agree(listed, found))
        };
        complete
            && pairs.all(|(spec, (listed, found))| spec.agree(listed, found) || is_alternative(spec, found))
    }

    /// Adds algorithms to compute in the same read. Their digests are not compared with anything.
    ///
    /// Does nothing if no digest is expected, because such a job verifies nothing and must not
    /// count as hashed.
    pub(crate) fn compute_also(&mut self, more: &[Spec]) {
        if !self.expected.is_empty() {
            let before = self.specs.len();
            self.add_specs(more);
            self.also += self.specs.len() - before;
        }
    }

    /// Adds algorithms to compute, except those that the job computes already.
    pub fn add_specs(&mut self, more: &[Spec]) {
        if more.iter().any(|spec| !self.specs.contains(spec)) {
            let more = more.iter().filter(|spec| !self.specs.contains(spec));
            self.specs = self.specs.iter().chain(more).cloned().collect();
        }
    }

    /// Makes the read of this job compute the digests for `later` jobs too: `all` begins with the algorithms of this job.
    pub(crate) fn share(&mut self, name: u64, all: Arc<[Spec]>, later: u64) {
        let specs = std::mem::replace(&mut self.specs, all);
        self.shared = Some(SharedRead { name, specs, later });
    }

    /// Makes this job an ordinary one again.
    pub(crate) fn unshare(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.specs = shared.specs;
        }
    }

    /// Returns a job that hashes a file.
    pub fn hash(name: impl Into<PathBuf>, specs: &Arc<[Spec]>) -> Job {
        Job::entry(entry_name(name.into()), specs.clone(), Vec::new())
    }

    /// Returns a job for an entry of a manifest: the file with this name must have the `expected` digests.
    pub(crate) fn entry(name: Vec<u8>, specs: Arc<[Spec]>, expected: Vec<Digest>) -> Job {
        Job {
            name,
            open: None,
            stdin: false,
            also: 0,
            anchor: None,
            listed: None,
            specs,
            expected,
            alternatives: Box::default(),
            size: None,
            mtime: None,
            exempt: false,
            origin: (0, Place::Line(0)),
            shared: None,
        }
    }

    /// Creates a job for a command-line argument: `-` is standard input, anything else is a file to
    /// hash. Nothing else turns a name into standard input.
    pub fn argument(name: impl Into<PathBuf>, specs: &Arc<[Spec]>) -> Job {
        let job = Job::hash(name, specs);
        Job { stdin: job.name == b"-", ..job }
    }

    /// Sets the expected digests: those of the first algorithms.
    #[must_use]
    pub fn with_expected(self, expected: Vec<Digest>) -> Job {
        Job { expected, ..self }
    }

    /// Replaces the algorithms to compute, if any are given.
    #[must_use]
    pub fn with_specs(self, specs: Option<Arc<[Spec]>>) -> Job {
        Job { specs: specs.unwrap_or_else(|| self.specs.clone()), ..self }
    }

    /// Sets the expected size.
    #[must_use]
    pub fn with_size(self, size: Option<u64>) -> Job {
        Job { size, ..self }
    }

    /// Sets the path to open, if it differs from the name.
    #[must_use]
    pub fn with_open(self, open: Option<Vec<u8>>) -> Job {
        Job { open, ..self }
    }

    /// Sets the place where a walk found the file.
    #[must_use]
    pub fn with_anchor(self, anchor: Option<Anchor>) -> Job {
        Job { anchor, ..self }
    }

    /// Sets the version that a listing reported.
    #[must_use]
    pub fn with_listed(self, listed: Option<Box<ObjectVersion>>) -> Job {
        Job { listed, ..self }
    }

    /// Gives the job another name for output. The file is still opened by its present path.
    #[must_use]
    pub fn renamed(self, name: Vec<u8>) -> Job {
        Job { open: Some(self.path().to_vec()), name, ..self }
    }

    /// Returns the name for output and drops the rest.
    pub fn into_name(self) -> Vec<u8> {
        self.name
    }

    /// Sets the origin.
    #[must_use]
    pub fn with_origin(self, origin: (usize, Place)) -> Job {
        Job { origin, ..self }
    }

    /// Returns the name to open.
    pub fn path(&self) -> &[u8] {
        self.open.as_deref().unwrap_or(&self.name)
    }

    /// Returns the root and the name by which the file is opened: those of its anchor, or `root` if it has none.
    pub(crate) fn root_and_name<'j>(&'j self, root: &'j Root) -> (&'j Root, &'j [u8]) {
        match &self.anchor {
            Some(anchor) => (anchor.root(), anchor.rest(self.path())),
            None => (root, self.path()),
        }
    }
}

readable! {
    /// A version of an object, as reported by a listing.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ObjectVersion {
        /// The size in bytes.
        size: u64,
        /// The tag that distinguishes versions, if the store has one.
        version: Option<String> as Option<&str>,
        /// The modification time in seconds since 1970; 0 if unknown.
        modified: i64,
    }
}

impl ObjectVersion {
    /// Returns a version with these properties.
    pub fn new(size: u64, version: Option<String>, modified: i64) -> ObjectVersion {
        ObjectVersion { size, version, modified }
    }
}

/// The result for a file that was read to its end without error and did not change during the read; for a job without
/// specs, the metadata of a file that was not read.
#[derive(Clone, Debug)]
pub struct FileResult {
    size: u64,
    mtime: (i64, u32),
    ctime: (i64, u32),
    inode: u64,
    digests: Vec<Digest>,
    time: Duration,
    // Boxed because outcomes of all files are moved between threads, and few have pieces.
    pieces: Option<Box<Findings>>,
}

impl FileResult {
    /// Creates the result of a complete read that began at `started`. The proof of that read is the only way to a
    /// result with digests.
    pub fn new(whole: CompleteRead, digests: Vec<Digest>, started: Instant) -> FileResult {
        let (size, mtime, ctime, inode) = (whole.size(), whole.mtime(), whole.ctime(), whole.inode());
        FileResult { size, mtime, ctime, inode, digests, time: started.elapsed(), pieces: None }
    }

    /// Creates the result for a file that was opened and not read: it has no digests.
    pub(crate) fn unread(file: &Guarded, started: Instant) -> FileResult {
        let stat = file.stat();
        let (size, inode, time) = (file.size_hint(), stat.id().number(), started.elapsed());
        let pair = |time: Time| (time.seconds, time.nanos);
        let (mtime, ctime) = (pair(stat.mtime()), pair(stat.ctime()));
        FileResult { size, mtime, ctime, inode, digests: Vec::new(), time, pieces: None }
    }

    /// Returns the result with the digests for `specs` only, if it has all of them; `all` are its algorithms.
    pub(crate) fn selected(&self, all: &[Spec], specs: &[Spec]) -> Option<FileResult> {
        if all == specs {
            return Some(self.clone());
        }
        let digest = |spec| Some(self.digests.get(all.iter().position(|one| one == spec)?)?.clone());
        let digests = specs.iter().map(digest).collect::<Option<_>>()?;
        Some(FileResult { digests, ..self.clone() })
    }

    /// Adds the results for the piece digests of a complete read.
    pub(crate) fn with_pieces(self, pieces: Findings) -> FileResult {
        FileResult { pieces: Some(Box::new(pieces)), ..self }
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
    pub(crate) fn ctime(&self) -> (i64, u32) {
        self.ctime
    }

    /// Returns the inode number.
    pub(crate) fn inode(&self) -> u64 {
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

    /// Returns the results for piece digests, if the manifest has them.
    pub fn pieces(&self) -> Option<&Findings> {
        self.pieces.as_deref()
    }
}

readable! {
    /// The results of comparing a file with piece digests.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Findings {
        /// The bytes in pieces that differ, in order.
        damaged: Vec<Damage> => &[Damage],
        /// The bytes that are not covered by a piece, or only by one that also contains bytes of other files which
        /// could not be read.
        unknown: Vec<Range<u64>> => &[Range<u64>],
        /// The bytes that the compared digest does not cover by its definition, in order. They do not affect the verdict.
        uncovered: Vec<Range<u64>> => &[Range<u64>],
        /// The basis of the comparison: the algorithms and the length of the digests.
        by: String => &str,
        /// The length of the digests, if they are so short that a match proves nothing and no digest of
        /// the complete file proves more.
        short: Option<String> as Option<&str>,
        /// Whether the number of trailing zeros remains unknown.
        open_end: bool,
        /// Digests that a file contains of its own content, with the computed values.
        compared: Vec<Compared> => &[Compared],
    }
}

readable! {
    /// A digest that a file contains of its own content, defined by a file format and not by a [`Spec`].
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Compared {
        /// The name: `apk-v2-sha256`.
        name: String => &str,
        /// The value in the file.
        expected: Digest => &Digest,
        /// The computed value.
        found: Digest => &Digest,
    }
}

impl Findings {
    /// Returns the remaining uncertainty about a file whose pieces all match, as text for users.
    pub fn doubt(&self) -> Option<&'static str> {
        self.open_end.then_some(
            "its size is not in the manifest, so trailing zeros in the last block were not verified",
        )
    }
}

readable! {
    /// A damaged range of bytes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Damage {
        /// The range in the file.
        range: Range<u64> => &Range<u64>,
        /// Whether one of its pieces also contains bytes of other files, which may be the damaged ones.
        shared: bool,
    }
}

/// A job and its result.
///
/// A plain record: callers take it apart.
#[derive(Debug)]
pub struct Outcome {
    /// The job.
    pub job: Job,
    /// The result, or the reason why there is none.
    pub result: Result<FileResult, Error>,
}

/// The meaning of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The file was read, and nothing was expected.
    Hashed,
    /// The file was read, and every expected digest matches.
    Verified,
    /// A digest or the size differs.
    Mismatch,
    /// The file exists and nothing contradicts the manifest, but there is no digest, or a piece also contains bytes of
    /// another file that could not be read.
    Unverified,
    /// The file does not exist.
    Missing,
    /// The file exists, but changed while it was read.
    Changed,
    /// The file exists, but is not readable, not a regular file, or outside the root.
    Unreadable,
}

impl Verdict {
    /// Returns the word for it in output.
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
    /// Removes the digests for other jobs.
    pub(crate) fn unshare(&mut self) {
        self.job.unshare();
        if let Ok(found) = &mut self.result {
            found.digests.truncate(self.job.specs.len());
        }
    }

    /// Returns the name for output.
    pub fn name(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.job.name))
    }

    /// Returns the verdict. `Verified` requires every expected digest to be computed and equal.
    pub fn verdict(&self) -> Verdict {
        match &self.result {
            Err(error) if error.is_missing() => Verdict::Missing,
            Err(error) if matches!(error.cause(), Cause::Changed(_) | Cause::InUse) => Verdict::Changed,
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

    /// Returns whether the only evidence against the file is pieces that also contain bytes of other files, so that these
    /// may be the ones that differ.
    pub fn has_only_shared_damage(&self) -> bool {
        let Ok(found) = &self.result else { return false };
        let pieces = found.pieces.as_deref().filter(|pieces| pieces.compared.is_empty());
        self.verdict() == Verdict::Mismatch
            && self.job.size.is_none_or(|size| size == found.size)
            && self.job.agrees(&found.digests)
            && pieces.is_some_and(|pieces| pieces.damaged.iter().all(|damage| damage.shared))
    }
}

/// Tests whether a file had the announced size, for digests that depend on it (which excludes pipes and files generated
/// on reading), and shows no traces of a collision attack on its digest.
///
/// # Errors
/// Fails if it did not, or shows such traces. There is no digest then.
pub(crate) fn check_final_size(hashers: &[Hasher], name: &[u8]) -> Result<(), Error> {
    if let Some((hasher, why)) = hashers.iter().find_map(|hasher| Some((hasher, hasher.attack()?))) {
        return Err(Error::new(name, "hash", Cause::Other(format!("{}: {why}", hasher.spec()))));
    }
    let Some(hasher) = hashers.iter().find(|hasher| !hasher.is_complete()) else { return Ok(()) };
    let why = format!("{} requires the size in advance, so only regular files can be hashed", hasher.spec());
    Err(Error::new(name, "hash", Cause::Other(why)))
}

/// Returns the digests of the data passed to these hashers, in order, and resets them.
///
/// # Errors
/// Fails if the file did not have the size announced to a hasher, or shows traces of a collision attack on its digest.
pub fn digests(hashers: &mut [Hasher], name: &[u8]) -> Result<Vec<Digest>, Error> {
    check_final_size(hashers, name)?;
    Ok(finish_many(&mut hashers.iter_mut().collect::<Vec<_>>()))
}

readable! {
    /// The counts of a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Summary {
        /// Files read to their end.
        files: u64,
        /// Bytes of those files.
        bytes: u64,
        /// Entries that match.
        verified: u64,
        /// Entries that differ.
        mismatched: u64,
        /// Entries whose files exist, but were not compared, or not completely: there is no digest, or a piece is missing.
        unverified: u64,
        /// Unverified entries for which the manifest's format has no digest.
        exempt: u64,
        /// Missing files.
        missing: u64,
        /// Files that changed while they were read.
        changed: u64,
        /// Files and directories that could not be read.
        unreadable: u64,
        /// Malformed lines in manifests.
        malformed: u64,
        /// Files that were found but not read to their end when the run was stopped. The number of further files is
        /// unknown.
        unreached: u64,
        /// Files modified so recently that a write may have been in progress while they were read, for which the system
        /// does not report whether they are open for writing.
        writers_unknown: u64,
        /// Whether the run was stopped before its end.
        interrupted: bool,
    }
}

impl Summary {
    /// Counts one outcome.
    pub fn count(&mut self, outcome: &Outcome) {
        if let Ok(found) = &outcome.result
            && (found.pieces.is_some() || !outcome.job.specs.is_empty())
        {
            self.files += 1;
            // A file for which nothing was computed was not read.
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

    /// Counts a file or folder that was not found or could not be read, so that there is no job for it.
    pub(crate) fn count_failed(&mut self, error: &Error) {
        match error.is_missing() {
            true => self.missing += 1,
            false => self.unreadable += 1,
        }
    }

    /// Returns the number of requested files, folders and entries that are not known to be good.
    pub fn failed(&self) -> u64 {
        // Destructured, so that a new count does not compile until its meaning is decided here.
        let Summary {
            mismatched,
            missing,
            changed,
            unreadable,
            // Files that are good, and entries for which the format has no digest.
            files: _,
            bytes: _,
            verified: _,
            exempt: _,
            // These are not known to be bad: the caller decides how they affect the overall result.
            unverified: _,
            malformed: _,
            unreached: _,
            writers_unknown: _,
            interrupted: _,
        } = self;
        mismatched + missing + changed + unreadable
    }
}

impl std::ops::AddAssign for Summary {
    fn add_assign(&mut self, other: Summary) {
        // Destructured, so that a new count is not forgotten here.
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
            writers_unknown,
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
        self.writers_unknown += writers_unknown;
        self.interrupted |= interrupted;
    }
}
