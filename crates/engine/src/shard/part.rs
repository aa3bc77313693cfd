//! A part: the results for the files of one bundle (`docs/spec/shards.md`, section 3). It is written atomically, and
//! does not depend on which machine computed it.

pub use super::line::Counts;
use super::line::{Failure, Item, ItemResult, part_end, part_head, seal, seal_into, unusable};
use super::merge::prove;
use super::plan::Plan;
use super::state::State;
use crate::error::{Cause, Error};
use crate::io::mapping::Mapping;
use crate::io::open::Root;
use crate::io::write::AtomicFile;
use crate::job::{Job, Outcome};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::remote::Remote;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::tree::piece::{Origin, hash_range};
use crate::tree::reading::Reading;
use std::ffi::{OsStr, OsString};
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::name::{OsStrExt, OsStringExt};
use truesum_hash::{Digest, Hasher, Spec};

options! {
    /// The options for computing bundles.
    #[derive(Clone, Copy)]
    pub struct ComputeOptions<'a> {
        /// The folder that names are relative to, if it differs from the one in the plan, because its path is different
        /// on this machine.
        root: Option<&'a Path>,
        /// Whether names may lead out of that folder. The author of the plan need not be the user who runs it.
        outside: bool,
        /// The store that names refer to, if the plan is for objects that are not in a file system.
        remote: Option<&'a Arc<dyn Remote>>,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// Whether an existing part is computed again and compared.
        again: bool,
        /// Lines of the bundle, from 0, that are not read because they killed previous workers. They are recorded as
        /// failed with the kind `refused`.
        withheld: &'a [Range<usize>],
        /// The progress. [`Progress::stop`] ends the work early, without a part.
        progress: &'a Progress,
    }
}

impl<'a> ComputeOptions<'a> {
    /// Returns options for the folder in the plan, all cores, and no mapping.
    pub fn new(progress: &'a Progress) -> ComputeOptions<'a> {
        let (root, remote, mapping) = (None, None, Mapping::Never);
        ComputeOptions {
            root,
            outside: false,
            remote,
            threads: 0,
            mapping,
            again: false,
            withheld: &[],
            progress,
        }
    }
}

readable! {
    /// The result of computing a bundle.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Done {
        /// The counts in the part.
        counts: Counts,
        /// The status of the part after the bundle was computed.
        status: PartStatus => &PartStatus,
        /// The digest that ends the existing part, in hexadecimal. If two parts contradict each other, it is that of
        /// the one just written.
        digest: String => &str,
    }
}

/// The status of a part after its bundle was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartStatus {
    /// It was written.
    Written,
    /// An identical part existed already.
    Identical,
    /// A part without failures existed and was kept. This attempt had no result for this many files
    /// or ranges, so they could not be compared.
    Kept(u64),
    /// A different part of the bundle without failures existed: one of the two is wrong. The new one was written here.
    Contradicts(PathBuf),
}

/// Computes a bundle and writes its part to `folder`, under the plan's name for it. An existing part that is complete
/// and without failures is not computed again unless requested; one with failures is replaced.
///
/// `on_event` is called for each file without a digest; these failures are also recorded in the part.
///
/// # Errors
/// Fails if the plan is damaged or has no such bundle, the root cannot be opened, the part cannot be written, or the
/// run was stopped.
pub fn compute(
    plan: &Plan,
    bundle: usize,
    folder: &Path,
    computing: &ComputeOptions<'_>,
    on_event: &mut dyn FnMut(&Error),
) -> Result<Done, Error> {
    let bundles = plan.totals().bundles;
    if bundle as u64 >= bundles {
        return Err(unusable(
            plan.path(),
            format!("no bundle {bundle}: bundles are numbered from 0, and the plan has {bundles}"),
        ));
    }
    let block = plan.block(bundle)?;
    let target = folder.join(plan.part_name(bundle));
    // The name must belong to a part, or not exist: a symbolic link would redirect the output.
    if std::fs::symlink_metadata(&target).is_ok_and(|found| !found.is_file()) {
        let why = "the existing file is not a regular file, so it is not replaced";
        return Err(Error::new(target.as_os_str().as_bytes(), "write", Cause::Other(why.to_owned())));
    }
    let there = || prove(plan, bundle, &block, &target, &mut |_, _| Ok(())).ok();
    let good = || there().filter(|(counts, _)| counts.failed == 0);
    if !computing.again
        && let Some((counts, digest)) = good()
    {
        return Ok(Done { counts, status: PartStatus::Identical, digest });
    }
    let root = match computing.remote {
        Some(_) => Root::Nowhere,
        None => Root::folder(computing.root.unwrap_or(plan.root()), computing.outside)?,
    };
    let fail = |error| Error::io(target.as_os_str().as_bytes(), "write", error);
    let mut part = Part::begin(AtomicFile::create(&target)?, plan, bundle, on_event).map_err(fail)?;
    match plan.items(bundle, &block).next().transpose()? {
        Some((_, item @ Item { range: Some(_), .. })) => {
            let reading = Reading {
                root: &root,
                threads: computing.threads,
                mapping: computing.mapping,
                progress: computing.progress,
                remote: computing.remote.map(|remote| &**remote),
            };
            let pieces = match computing.withholds(0) {
                true => Err(withheld(&item)),
                false => range(&item, plan.specs(), &reading),
            };
            if computing.progress.stopped() {
                return Err(Error::interrupted(&item.name));
            }
            part.put(&item, pieces.map(ItemResult::Pieces)).map_err(fail)?;
        }
        _ => files(plan, bundle, &block, root, computing, &mut part).map_err(fail)?,
    }
    if computing.progress.stopped() {
        return Err(Error::interrupted(target.as_os_str().as_bytes()));
    }
    let (file, counts, digest) = part.seal().map_err(fail)?;
    // If two workers compute the same bundle, the later one finds the part of the other. This last
    // test decides which part is kept.
    let mut from = file.file().try_clone().map_err(fail)?;
    let mut met = None;
    let committed = file.commit_if(|| {
        met = good();
        if met.is_some() { Err(Error::interrupted(target.as_os_str().as_bytes())) } else { Ok(()) }
    });
    let Some((others, other)) = met else {
        committed?;
        return Ok(Done { counts, status: PartStatus::Written, digest });
    };
    if other == digest {
        return Ok(Done { counts: others, status: PartStatus::Identical, digest });
    }
    if counts.failed > 0 {
        return Ok(Done { counts: others, status: PartStatus::Kept(counts.failed), digest: other });
    }
    let beside = target.with_extension("contradicting.jsonl");
    let mut kept = AtomicFile::create(&beside)?;
    from.rewind().and_then(|()| io::copy(&mut from, &mut kept)).map_err(fail)?;
    kept.commit()?;
    Ok(Done { counts, status: PartStatus::Contradicts(beside), digest })
}

/// Writes a part from the results of an earlier plan to `folder`.
///
/// # Errors
/// Fails if the part cannot be written, or with the error of `results`.
pub(super) fn reuse(
    plan: &Plan,
    bundle: usize,
    folder: &Path,
    results: &mut dyn FnMut(&Item) -> Result<ItemResult, Error>,
) -> Result<(), Error> {
    let target = folder.join(plan.part_name(bundle));
    let fail = |error| Error::io(target.as_os_str().as_bytes(), "write", error);
    let mut ignored = |_: &Error| ();
    let block = plan.block(bundle)?;
    let mut part = Part::begin(AtomicFile::create(&target)?, plan, bundle, &mut ignored).map_err(fail)?;
    for item in plan.items(bundle, &block) {
        let (_, item) = item?;
        let result = results(&item)?;
        part.put(&item, Ok(result)).map_err(fail)?;
    }
    part.seal().map_err(fail)?.0.commit()
}

impl ComputeOptions<'_> {
    /// Returns whether a line of the bundle must not be read.
    fn withholds(&self, line: usize) -> bool {
        self.withheld.iter().any(|lines| lines.contains(&line))
    }
}

/// Returns the error for a file or range that is not read.
fn withheld(item: &Item) -> Error {
    let why = "not attempted again, because an earlier process ended unexpectedly while reading it";
    Error::new(&item.name, "read", Cause::Undivided(why.to_owned()))
}

/// A part being written.
struct Part<'a> {
    file: AtomicFile,
    seal: Hasher,
    counts: Counts,
    specs: &'a [Spec],
    line: Vec<u8>,
    on_event: &'a mut dyn FnMut(&Error),
}

impl<'a> Part<'a> {
    fn begin(
        file: AtomicFile,
        plan: &'a Plan,
        bundle: usize,
        on_event: &'a mut dyn FnMut(&Error),
    ) -> io::Result<Part<'a>> {
        let line = part_head(plan.id(), bundle).into_bytes();
        let mut part =
            Part { file, seal: seal(), counts: Counts::default(), specs: plan.specs(), line, on_event };
        part.write()?;
        Ok(part)
    }

    fn write(&mut self) -> io::Result<()> {
        self.seal.update(&self.line);
        self.file.write_all(&self.line)
    }

    /// Writes the result of an item.
    fn put(&mut self, item: &Item, result: Result<ItemResult, Error>) -> io::Result<()> {
        let result = result.unwrap_or_else(|error| {
            (self.on_event)(&error);
            ItemResult::Failed(Failure::of(&error))
        });
        self.counts.add(item, &result);
        self.line.clear();
        item.open_into(&mut self.line);
        result.write(self.specs, &mut self.line);
        self.write()
    }

    fn seal(self) -> io::Result<(AtomicFile, Counts, String)> {
        let mut file = self.file;
        let digest = seal_into(self.seal, part_end(&self.counts), &mut file)?;
        file.flush()?;
        Ok((file, self.counts, digest))
    }
}

/// Returns the hashes of a range of a file for each digest. Each digest reads the range separately.
fn range(item: &Item, specs: &[Spec], reading: &Reading<'_>) -> Result<Vec<Vec<(u8, Digest)>>, Error> {
    let name = Path::new(OsStr::from_bytes(&item.name));
    let bytes = item.range.clone().unwrap_or(0..item.state.size);
    let one = |spec: &Spec| {
        let as_planned = |what| Error::new(&item.name, "read", Cause::NotAsPlanned(what));
        // A file that has become shorter has no such range.
        if let Some(what) = changed(reading.root, item) {
            return Err(as_planned(what));
        }
        let piece = hash_range(name, spec, bytes.clone(), reading)?;
        let differs = match &piece.origin {
            _ if piece.size != item.state.size => Some("the size"),
            Some(origin) if origin.version != item.state.version => Some("the version"),
            // The version alone is sufficient.
            Some(Origin { version: Some(_), .. }) => None,
            Some(origin) => item.state.differs_from(&origin.state),
            None => Some("its recorded state"),
        };
        differs.map_or(Ok(piece.levels), |what| Err(as_planned(what)))
    };
    specs.iter().map(one).collect()
}

/// Returns how a file differs from its planned state before it is read. If that cannot be determined, opening the file
/// reports the reason.
fn changed(root: &Root, item: &Item) -> Option<&'static str> {
    let stat = root.stat(&item.name, true).ok()?;
    item.state.differs(&State::of(&stat))
}

/// The size of files that are examined before they are read, because reading one that has changed takes much longer than
/// examining it.
const LOOKED_AT: u64 = 16 << 20;

/// Hashes the files of a bundle in a single run.
fn files(
    plan: &Plan,
    bundle: usize,
    block: &[u8],
    root: Root,
    computing: &ComputeOptions<'_>,
    part: &mut Part<'_>,
) -> io::Result<()> {
    let &ComputeOptions { threads, mapping, progress, remote, .. } = computing;
    let config = Config { root, threads, mapping, remote: remote.cloned(), ..Config::default() };
    let specs: Arc<[Spec]> = plan.specs().into();
    // The plan's digest was verified, so every line is valid. A small file is opened only once: its state is compared
    // after it was read.
    let refusal = |line, item: &Item| {
        if computing.withholds(line) {
            return Some(withheld(item));
        }
        let what = (item.state.size >= LOOKED_AT).then(|| changed(&config.root, item)).flatten()?;
        Some(Error::new(&item.name, "read", Cause::NotAsPlanned(what)))
    };
    let mut tasks =
        plan.items(bundle, block).flatten().enumerate().map(|(line, (_, item))| match refusal(line, &item) {
            Some(error) => Task::Notice(Notice::Failed(error)),
            None => {
                let listed = item.state.wanted().map(Box::new);
                let name = OsString::from_vec(item.name);
                let job = Job::hash(name, &specs);
                Task::File(Job { listed, ..job })
            }
        });
    let items = plan.items(bundle, block).flatten().map(|(_, item)| item);
    let remote = remote.is_some();
    run(&config, &mut tasks, progress, &mut OrderedSink { items, remote, part }).map(drop)
}

/// Receives outcomes in the order of the items.
struct OrderedSink<'p, 'a, I> {
    items: I,
    /// Whether the store reads only the requested version.
    remote: bool,
    part: &'p mut Part<'a>,
}

impl<I: Iterator<Item = Item>> OrderedSink<'_, '_, I> {
    fn put(&mut self, result: impl FnOnce(&Item) -> Result<ItemResult, Error>) -> io::Result<()> {
        let item =
            self.items.next().ok_or_else(|| io::Error::other("there are more results than planned files"))?;
        self.part.put(&item, result(&item))
    }
}

impl<I: Iterator<Item = Item>> Sink for OrderedSink<'_, '_, I> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let remote = self.remote;
        self.put(|item| {
            let found = outcome.result?;
            match item.state.differs(&State::found(&found)) {
                _ if remote && item.state.version.is_some() => Ok(ItemResult::Digests(found.into_digests())),
                Some(what) => Err(Error::new(&item.name, "read", Cause::NotAsPlanned(what))),
                None => Ok(ItemResult::Digests(found.into_digests())),
            }
        })
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed(error) => self.put(|_| Err(error)),
            _ => Ok(()),
        }
    }
}
