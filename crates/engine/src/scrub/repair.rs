//! Replaces corrupt files with intact copies.
//!
//! A copy is written next to the corrupt file while its digests are computed, and replaces that file atomically, only if
//! the digests are the recorded ones. The bytes that are compared are those that are written, so it does not matter
//! whether the copy changes. Afterwards, the run reads the repaired file again, like any other file.

use crate::audit::same_time;
use crate::error::{Cause, Error, Kind};
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special, describe};
use crate::io::write::AtomicFile;
use crate::job::Job;
use crate::progress::Progress;
use crate::scrub::inventory::{Shared, job_of};
use crate::scrub::listing::manifest_name;
use crate::scrub::record::Record;
use crate::scrub::scan::Scan;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use truesum_fs::data::{advise_unneeded, read_at};
use truesum_fs::lease::{Obstacle, Writers, writers};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::resolve::OpenMode;
use truesum_hash::Hasher;
use truesum_manifest::Place;

/// The number of bytes that are copied at a time.
const BLOCK: usize = 1 << 20;

/// The folder that contains the copies, under the names of the files in the tree.
pub(crate) struct Copies<'c> {
    path: &'c Path,
    root: Root,
}

impl<'c> Copies<'c> {
    /// Opens the folder with this path.
    ///
    /// # Errors
    /// Fails if it cannot be opened, or if it is the tree itself.
    pub(crate) fn open(path: &'c Path, tree: &Path) -> Result<Copies<'c>, Error> {
        let name = path.as_os_str().as_bytes();
        let id = |path| Metadata::at(path).map(|stat| FileId::from(&stat));
        if id(path).is_ok_and(|copy| id(tree).is_ok_and(|tree| tree == copy)) {
            let why = "it is the folder to be repaired, not a copy of it";
            return Err(Error::new(name, "repair from", Cause::Other(why.to_owned())));
        }
        Ok(Copies { path, root: Root::folder(path, false)? })
    }

    /// Replaces a corrupt file with its copy, if the copy has the recorded digests and nothing else was done to the file.
    /// `path` is the path of the tree.
    ///
    /// # Errors
    /// Fails if there is no intact copy, or if the file cannot be replaced or was changed. The file is then unchanged.
    fn replace(
        &self,
        (tree, path): (&Root, &Path),
        name: &[u8],
        before: &Record,
        progress: &Progress,
    ) -> Result<(), Error> {
        let shown = self.path.join(OsStr::from_bytes(name));
        let shown = shown.as_os_str().as_bytes();
        let refuse = |why: &str| Err(Error::new(shown, "repair from", Cause::Other(why.to_owned())));
        let (copy, stat) = self.root.open(name, Special::Refuse).map_err(|error| error.under(shown))?;
        let regular = || {
            let stat = tree.stat(name, false).map_err(|error| tree.refusal(name, "repair", error))?;
            match stat.kind() {
                kind if kind.is_file() => Ok(stat),
                kind => Err(Error::new(name, "repair", Cause::Special(describe(kind)))),
            }
        };
        regular()?;
        let (file, found) = tree.open(name, Special::Refuse).map_err(|error| match error.cause() {
            // The link may have existed before the run.
            Cause::Changed(_) => {
                let why = "a parent folder was replaced by a symbolic link".to_owned();
                Error::new(name, "repair", Cause::Other(why))
            }
            _ => error,
        })?;
        if FileId::from(&found) == FileId::from(&stat) {
            return refuse("it is the corrupt file itself, not a copy of it");
        }
        let size = stat.size();
        if before.size.is_some_and(|before| before != size) {
            return refuse("it is also damaged: its size differs from the recorded one");
        }
        let slash = name.iter().rposition(|&byte| byte == b'/');
        let (folder, base) = slash.map_or((&b"."[..], name), |slash| (&name[..slash], &name[slash + 1..]));
        let opened = tree.resolve(folder, OpenMode::Folder);
        let opened = opened.map_err(|error| tree.refusal(name, "repair", error))?;
        // This is also tested before the copy is read, because reading can take a long time.
        not_in_use(&file, name)?;
        // From now on, a change of the file makes `commit` fail.
        let mut new = AtomicFile::create_in(opened, base).map_err(|error| match error.cause() {
            Cause::Io(_) => {
                let folder =
                    if slash.is_some() { path.join(OsStr::from_bytes(folder)) } else { path.to_owned() };
                error.under(folder.as_os_str().as_bytes()).with_action("create a file")
            }
            _ => error.under(name),
        })?;
        new.keep_attributes().map_err(|error| error.under(name))?;
        let current = regular()?;
        if !before.mtime.is_some_and(|time| same_time(time, current.mtime())) {
            let why = "its modification time changed, so it may have been edited";
            return Err(Error::new(name, "repair", Cause::Other(why.to_owned())));
        }
        if !self.copy(&copy, shown, (name, before, size), &mut new, progress)? {
            return refuse("it is also damaged: its checksum differs from the recorded one");
        }
        new.set_date(current.mtime());
        new.commit_with(|| not_in_use(&file, name)).map_err(|error| error.under(name))?;
        // So that the file is read from the disk, and not from the cache.
        if let Ok((file, _)) = tree.open(name, Special::Refuse) {
            advise_unneeded(&file, None);
        }
        Ok(())
    }

    /// Copies `size` bytes, and returns whether there are no others and the digests are the
    /// recorded ones.
    fn copy(
        &self,
        copy: &File,
        shown: &[u8],
        (name, before, size): (&[u8], &Record, u64),
        new: &mut AtomicFile,
        progress: &Progress,
    ) -> Result<bool, Error> {
        let mut hashers: Vec<Hasher> = before.specs.iter().map(|spec| spec.hasher_for_size(size)).collect();
        let (mut buffer, mut done) = (vec![0; BLOCK], 0);
        loop {
            if progress.stopped() {
                return Err(Error::interrupted(name));
            }
            let read = read_at(copy, &mut buffer, done).map_err(|error| Error::io(shown, "read", error))?;
            let bytes = &buffer[..read];
            done += read as u64;
            if read == 0 || done > size {
                break;
            }
            hashers.iter_mut().for_each(|hasher| hasher.update(bytes));
            new.write_sparse(bytes).map_err(|error| Error::io(name, "repair", error))?;
            progress.add_bytes(read as u64);
        }
        if done != size || hashers.is_empty() {
            return Ok(false);
        }
        let mut digests = before.digests.iter().zip(hashers);
        Ok(digests.all(|(digest, hasher)| {
            let spec = hasher.spec().clone();
            spec.agree(digest, &hasher.finish())
        }))
    }
}

/// Fails if a program has the file open for writing, because what it writes later would be lost, and if that cannot be
/// determined, except on systems that have no such test for any file.
fn not_in_use(file: &File, name: &[u8]) -> Result<(), Error> {
    let why = match writers(file) {
        Writers::None | Writers::Unknown(Obstacle::System) => return Ok(()),
        Writers::Some => return Err(Error::new(name, "repair", Cause::InUse)),
        Writers::Unknown(Obstacle::Owner) => "it belongs to another user",
        Writers::Unknown(Obstacle::FileSystem) => "its file system does not support the test",
    };
    let why = format!("whether a program has it open for writing cannot be determined, because {why}");
    Err(Error::new(name, "repair", Cause::Other(why)))
}

/// Repairs the corrupt files of a state. Each file that was replaced is a job, so that it is read again.
pub(crate) struct Repairs<'l> {
    pub(crate) scan: Scan,
    pub(crate) copies: &'l Copies<'l>,
    pub(crate) tree: &'l Root,
    /// The path of the tree.
    pub(crate) path: &'l Path,
    pub(crate) shared: Shared,
    pub(crate) progress: &'l Progress,
    pub(crate) next: usize,
}

impl Repairs<'_> {
    /// Adds an error if the last replaced file was not read again.
    pub(crate) fn report_unread(&self) {
        let mut findings = self.shared.get();
        if let Some((name, _)) = findings.expected.remove(&(self.next - 1)) {
            let shown = self.path.join(OsStr::from_bytes(&name));
            let why =
                "it was replaced with its copy, but the run was interrupted before it was read".to_owned();
            findings.unrepaired.push(Error::new(shown.as_os_str().as_bytes(), "verify", Cause::Other(why)));
        }
    }
}

impl Iterator for Repairs<'_> {
    type Item = (Job, u64);

    fn next(&mut self) -> Option<(Job, u64)> {
        while !self.progress.stopped() {
            let (name, record) = match self.scan.next()? {
                Ok(entry) => entry,
                Err(error) => {
                    self.shared.get().damage.get_or_insert(error);
                    return None;
                }
            };
            if !record.is_corrupt() || manifest_name(&name).is_some() {
                continue;
            }
            match self.copies.replace((self.tree, self.path), &name, &record, self.progress) {
                Ok(()) => {
                    let job = job_of(name.clone(), &record).with_origin((self.next, Place::Line(0)));
                    let size = record.size.unwrap_or(0);
                    self.shared.get().expected.insert(self.next, (name, Some(record)));
                    self.next += 1;
                    return Some((job, size));
                }
                Err(error) if error.kind() == Kind::Interrupted => return None,
                Err(error) => {
                    let shown = self.path.join(OsStr::from_bytes(&name));
                    let is_own = error.name() == name;
                    let error = if is_own { error.under(shown.as_os_str().as_bytes()) } else { error };
                    self.shared.get().unrepaired.push(error);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::progress::Progress;
    use crate::scrub::{Event, Options, Report, Scrub, Treatment, overview};
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1000)).unwrap();
    }

    /// Runs with these options until a file is repaired.
    fn run(options: Options) -> Report {
        let progress = Progress::default();
        let mut scrub = Scrub::new(&options, &progress);
        let result = scrub.run(&mut |event| {
            if let Event::Finding(_, Treatment::Repaired) = event {
                progress.stop();
            }
            Ok(())
        });
        result.unwrap();
        scrub.report().clone()
    }

    #[test]
    fn interrupted_repair_has_reported_every_file_that_it_replaced() {
        // regression: files that had been replaced were reported as corrupt, and remained failures in the state.
        let folder = tempfile::tempdir().unwrap();
        let [tree, copy] = ["tree", "copy"].map(|name| folder.path().join(name));
        let names: Vec<String> = (0..8).map(|number| format!("file{number}")).collect();
        for path in [&tree, &copy] {
            fs::create_dir(path).unwrap();
            names.iter().for_each(|name| write(&path.join(name), "intact"));
        }
        let state = folder.path().join("state");
        let options = || Options::default().root(tree.clone()).state(state.clone()).all(true).threads(2);
        assert_eq!(run(options()).failures(), 0);
        names.iter().for_each(|name| write(&tree.join(name), "DAMAGE"));
        let report = run(options().repair_from(Some(copy)));
        let replaced = names.iter().filter(|name| fs::read(tree.join(name)).unwrap() == b"intact").count();
        assert_eq!((report.repaired(), replaced), (1, 1));
        assert_eq!(report.failures(), 7);
        assert_eq!(overview(&state, &tree, None).unwrap().coverage().failures().len(), 7);
    }
}
