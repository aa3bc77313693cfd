//! A part: what came of the files of one bundle (`docs/spec/shards.md`, section 3). It is there whole or not at all, and the same
//! whoever computed it.

pub use super::line::Counts;
use super::line::{Came, Failure, Item, part_end, part_head, seal, seal_into, unusable};
use super::merge::prove;
use super::plan::Plan;
use super::state::State;
use crate::error::{Cause, Error};
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::io::write::AtomicFile;
use crate::job::{Job, Outcome};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::Order;
use crate::run::remote::Remote;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::tree::piece::{Origin, hash_range};
use crate::tree::reading::Reading;
use std::ffi::{OsStr, OsString};
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_hash::{Digest, Hasher, Spec};

/// How bundles are computed.
#[derive(Clone, Copy)]
pub struct Computing<'a> {
    /// The folder that names lead from, where it is another one than the plan says: other machines may have it elsewhere.
    pub root: Option<&'a Path>,
    /// Whether names may lead out of that folder: who wrote the plan need not be who runs it.
    pub outside: bool,
    /// Where names lead instead, if the plan is one of files that lie in no file system.
    pub remote: Option<&'a Arc<dyn Remote>>,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// Whether a part that is there is computed again and compared.
    pub again: bool,
    /// Lines of the bundle, from 0 on, that are not read: whoever read one of them ended. They have failed, as `refused`.
    pub withheld: &'a [Range<usize>],
    /// How far it is. [`Progress::stop`] ends it early, without a part.
    pub progress: &'a Progress,
}

/// What came of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What the part says.
    pub counts: Counts,
    /// What became of it.
    pub standing: Standing,
    /// The digest that ends the part that is there, in hexadecimal; where two contradict each other, that of the one that was written here.
    pub digest: String,
}

/// What became of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was written.
    Written,
    /// The same part was there already.
    There,
    /// A part without failures was there, and stays; of so many files or ranges this attempt had none to compare with it.
    Kept(u64),
    /// Another part of the bundle was there, without failures as well: one of the two is wrong. This one was written here.
    Contradicts(PathBuf),
}

/// Computes a bundle and writes its part into `folder`, under the plan's name for it. A part that is there, and whole, and
/// without failures, is not computed again unless that is asked for; one with failures is replaced.
///
/// `tell` hears of each file that has no digest; the part says so too.
///
/// # Errors
/// The plan is damaged or has no such bundle; the root cannot be opened; the part cannot be written; it was stopped.
pub fn compute(
    plan: &Plan,
    bundle: usize,
    folder: &Path,
    computing: &Computing<'_>,
    tell: &mut dyn FnMut(&Error),
) -> Result<Done, Error> {
    let bundles = plan.totals().bundles;
    if bundle as u64 >= bundles {
        return Err(unusable(plan.path(), format!("no bundle {bundle}: it has {bundles}, from 0 on")));
    }
    let block = plan.block(bundle)?;
    let target = folder.join(plan.part_name(bundle));
    // What stands under the name of a part is one, or nothing: a link would lead the writing elsewhere.
    if std::fs::symlink_metadata(&target).is_ok_and(|found| !found.is_file()) {
        let why = "the existing file is not a regular file, and is not replaced";
        return Err(Error::new(target.as_os_str().as_bytes(), "write", Cause::Other(why.to_owned())));
    }
    let there = || prove(plan, bundle, &block, &target, &mut |_, _| Ok(())).ok();
    let good = || there().filter(|(counts, _)| counts.failed == 0);
    if !computing.again
        && let Some((counts, digest)) = good()
    {
        return Ok(Done { counts, standing: Standing::There, digest });
    }
    let root = match computing.remote {
        Some(_) => Root::Nowhere,
        None => Root::folder(computing.root.unwrap_or(plan.root()), computing.outside)?,
    };
    let fail = |error| Error::io(target.as_os_str().as_bytes(), "write", error);
    let mut part = Part::begin(AtomicFile::create(&target)?, plan, bundle, tell).map_err(fail)?;
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
            part.put(&item, pieces.map(Came::Pieces)).map_err(fail)?;
        }
        _ => files(plan, bundle, &block, root, computing, &mut part).map_err(fail)?,
    }
    if computing.progress.stopped() {
        return Err(Error::interrupted(target.as_os_str().as_bytes()));
    }
    let (file, counts, digest) = part.seal().map_err(fail)?;
    // Of two workers with one bundle the later one meets the part of the other, and the last look is the one that counts.
    let mut from = file.file().try_clone().map_err(fail)?;
    let mut met = None;
    let committed = file.commit_if(|| {
        met = good();
        if met.is_some() { Err(Error::interrupted(target.as_os_str().as_bytes())) } else { Ok(()) }
    });
    let Some((others, other)) = met else {
        committed?;
        return Ok(Done { counts, standing: Standing::Written, digest });
    };
    if other == digest {
        return Ok(Done { counts: others, standing: Standing::There, digest });
    }
    if counts.failed > 0 {
        return Ok(Done { counts: others, standing: Standing::Kept(counts.failed), digest: other });
    }
    let beside = target.with_extension("contradicting.jsonl");
    let mut kept = AtomicFile::create(&beside)?;
    from.rewind().and_then(|()| io::copy(&mut from, &mut kept)).map_err(fail)?;
    kept.commit()?;
    Ok(Done { counts, standing: Standing::Contradicts(beside), digest })
}

impl Computing<'_> {
    /// Whether a line of the bundle is not to be read.
    fn withholds(&self, line: usize) -> bool {
        self.withheld.iter().any(|lines| lines.contains(&line))
    }
}

/// What is said of a file or range that is not read.
fn withheld(item: &Item) -> Error {
    let why = "withheld: the reading process ended early";
    Error::new(&item.name, "read", Cause::Undivided(why.to_owned()))
}

/// A part that is being written.
struct Part<'a> {
    file: AtomicFile,
    seal: Hasher,
    counts: Counts,
    specs: &'a [Spec],
    line: Vec<u8>,
    tell: &'a mut dyn FnMut(&Error),
}

impl<'a> Part<'a> {
    fn begin(
        file: AtomicFile,
        plan: &'a Plan,
        bundle: usize,
        tell: &'a mut dyn FnMut(&Error),
    ) -> io::Result<Part<'a>> {
        let line = part_head(plan.id(), bundle).into_bytes();
        let mut part =
            Part { file, seal: seal(), counts: Counts::default(), specs: plan.specs(), line, tell };
        part.write()?;
        Ok(part)
    }

    fn write(&mut self) -> io::Result<()> {
        self.seal.update(&self.line);
        self.file.write_all(&self.line)
    }

    /// Writes what came of an item.
    fn put(&mut self, item: &Item, came: Result<Came, Error>) -> io::Result<()> {
        let came = came.unwrap_or_else(|error| {
            (self.tell)(&error);
            Came::Failed(Failure::of(&error))
        });
        self.counts.add(item, &came);
        self.line.clear();
        item.open_into(&mut self.line);
        came.write(self.specs, &mut self.line);
        self.write()
    }

    fn seal(self) -> io::Result<(AtomicFile, Counts, String)> {
        let mut file = self.file;
        let digest = seal_into(self.seal, part_end(&self.counts), &mut file)?;
        file.flush()?;
        Ok((file, self.counts, digest))
    }
}

/// The hashes of a range of a file, for each digest. Each reads it by itself.
fn range(item: &Item, specs: &[Spec], reading: &Reading<'_>) -> Result<Vec<Vec<(u8, Digest)>>, Error> {
    let name = Path::new(OsStr::from_bytes(&item.name));
    let bytes = item.range.clone().unwrap_or(0..item.state.size);
    let one = |spec: &Spec| {
        let as_planned = |what| Error::new(&item.name, "read", Cause::NotAsPlanned(what));
        // A file that is shorter now has no such range.
        if let Some(what) = changed(reading.root, item) {
            return Err(as_planned(what));
        }
        let piece = hash_range(name, spec, bytes.clone(), reading)?;
        let differs = match &piece.origin {
            _ if piece.size != item.state.size => Some("the size"),
            Some(origin) if origin.version != item.state.version => Some("the version"),
            // A version says it all.
            Some(Origin { version: Some(_), .. }) => None,
            Some(origin) => item.state.hints().differs(&origin.state),
            None => Some("what is known of it"),
        };
        differs.map_or(Ok(piece.levels), |what| Err(as_planned(what)))
    };
    specs.iter().map(one).collect()
}

/// What shows before it is read that a file is not as it was planned. What cannot be asked, opening it will tell.
fn changed(root: &Root, item: &Item) -> Option<&'static str> {
    let stat = root.stat(&item.name, true).ok()?;
    item.state.differs(&State::of(&stat))
}

/// Hashes the files of a bundle, all of them in one run.
fn files(
    plan: &Plan,
    bundle: usize,
    block: &[u8],
    root: Root,
    computing: &Computing<'_>,
    part: &mut Part<'_>,
) -> io::Result<()> {
    let &Computing { threads, mapping, progress, remote, .. } = computing;
    let (special, order, own) = (Special::Refuse, Order::Stable, Vec::new());
    let config = Config { root, special, threads, mapping, order, own, remote: remote.cloned() };
    let specs: Arc<[Spec]> = plan.specs().into();
    // The plan's digest was found right, so every line is one.
    let refusal = |line, item: &Item| match changed(&config.root, item) {
        _ if computing.withholds(line) => Some(withheld(item)),
        Some(what) => Some(Error::new(&item.name, "read", Cause::NotAsPlanned(what))),
        None => None,
    };
    let mut tasks =
        plan.items(bundle, block).flatten().enumerate().map(|(line, (_, item))| match refusal(line, &item) {
            Some(error) => Task::Tell(Notice::Failed(error)),
            None => {
                let listed = item.state.wanted().map(Box::new);
                let name = OsString::from_vec(item.name);
                let job = Job::hash(name, &specs);
                Task::File(Job { listed, ..job })
            }
        });
    let items = plan.items(bundle, block).flatten().map(|(_, item)| item);
    let remote = remote.is_some();
    run(&config, &mut tasks, progress, &mut InOrder { items, remote, part }).map(drop)
}

/// Takes outcomes in the order of the items.
struct InOrder<'p, 'a, I> {
    items: I,
    /// Whether no other version is read than the one that is asked for.
    remote: bool,
    part: &'p mut Part<'a>,
}

impl<I: Iterator<Item = Item>> InOrder<'_, '_, I> {
    fn put(&mut self, came: impl FnOnce(&Item) -> Result<Came, Error>) -> io::Result<()> {
        let item = self.items.next().ok_or_else(|| io::Error::other("more came than was planned"))?;
        self.part.put(&item, came(&item))
    }
}

impl<I: Iterator<Item = Item>> Sink for InOrder<'_, '_, I> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let remote = self.remote;
        self.put(|item| {
            let found = outcome.result?;
            match item.state.differs(&State::found(&found)) {
                _ if remote && item.state.version.is_some() => Ok(Came::Digests(found.into_digests())),
                Some(what) => Err(Error::new(&item.name, "read", Cause::NotAsPlanned(what))),
                None => Ok(Came::Digests(found.into_digests())),
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
