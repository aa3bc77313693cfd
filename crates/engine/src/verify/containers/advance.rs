//! Reads the manifests of a check in advance, to find the files that several of them list ([`SharedReads`]).
//!
//! The results of these files need memory until the last manifest, so this is done only for regular manifests that have
//! at most [`ENTRIES`] entries together. All others are checked as if each were the only one.

use crate::progress::Progress;
use crate::verify::listed_jobs::{ListItem, listed_jobs};
use crate::verify::options::Options;
use crate::verify::shared_reads::{MANIFESTS, SharedReads, absolute};
use std::io;
use std::path::Path;
use truesum_fs::metadata::{FileType, Metadata};

/// The maximum number of entries in all manifests together.
const ENTRIES: u64 = 1 << 18;
/// The maximum size in bytes of all manifests together.
const BYTES: u64 = 128 << 20;

/// Returns the files that more than one of these manifests lists. Returns none if there are too
/// many entries, if only a part is checked, if the manifests apply to files other than those that
/// their names suggest, or if they must be signed.
pub(crate) fn shared_reads(
    names: &[impl AsRef<Path>],
    options: &Options,
    progress: &Progress,
) -> SharedReads {
    let read = &options.read;
    let is_plain = options.limits.is_all()
        && options.public_key.is_none()
        && read.remote.is_none()
        && read.data.is_none();
    let count = names.len();
    if !is_plain || !(2..=MANIFESTS).contains(&count) {
        return SharedReads::default();
    }
    let (mut shared, mut entries, mut bytes) = (SharedReads::default(), 0, 0);
    for name in names.iter().map(AsRef::as_ref) {
        shared.add_manifest();
        let regular = Metadata::at(name).ok().filter(|stat| stat.kind() == FileType::RegularFile);
        // Standard input can be read only once.
        let Some(stat) = regular.filter(|_| name != Path::new("-")) else { continue };
        bytes += stat.size();
        if bytes > BYTES {
            return SharedReads::default();
        }
        let Some(folder) = absolute(&read.folder(name)) else { continue };
        // The check reads the manifest again, so this read does not count as progress. It also
        // reports manifests that cannot be read.
        let (apart, mut own) = (Progress::default(), Vec::new());
        let _ = listed_jobs(name, read, &apart, &mut own, &mut |listed| {
            entries += 1;
            if entries > ENTRIES || progress.stopped() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if let ListItem::Entry(job, _) = listed {
                shared.add_entry(&folder, &job);
            }
            Ok(())
        });
        if entries > ENTRIES {
            return SharedReads::default();
        }
    }
    shared.complete()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::event::Event;
    use crate::verify::options::ReadOptions;
    use crate::verify::verification::Verification;
    use std::path::PathBuf;
    use truesum_hash::Spec;

    /// Writes a manifest with the digests of these files, and returns its path.
    fn manifest(folder: &Path, name: &str, algorithm: &str, files: &[(&str, &str)]) -> PathBuf {
        let spec: Spec = algorithm.parse().unwrap();
        let line = |(name, text): &(&str, &str)| format!("{}  {name}\n", spec.digest(text.as_bytes()));
        let path = folder.join(name);
        std::fs::write(&path, files.iter().map(line).collect::<String>()).unwrap();
        path
    }

    /// Checks manifests. Returns a line for each entry, with the number of digests that were computed, and how many of
    /// the entries' files were read. `between` is called after each manifest.
    fn check(names: &[PathBuf], between: &mut dyn FnMut()) -> (Vec<String>, usize) {
        let (options, progress) = (Options::from(ReadOptions::default()), Progress::default());
        let mut lines = Vec::new();
        let mut verification = Verification::new(&options, &progress);
        let result = verification.manifests(names, &mut |event| {
            match event {
                Event::Entry(manifest, outcome) => {
                    let list = manifest.name.file_name().unwrap().display();
                    let digests = outcome.result.as_ref().map_or(0, |found| found.digests().len());
                    assert_eq!(digests, if outcome.result.is_ok() { outcome.job.specs().len() } else { 0 });
                    let (name, verdict) = (outcome.name().display(), outcome.verdict().word());
                    lines.push(format!("{list} {name} {verdict} {digests}"));
                }
                Event::Checked(..) => between(),
                _ => {}
            }
            Ok(())
        });
        result.unwrap();
        let mut reads = progress.take_reads();
        reads.sort_unstable_by_key(|(file, at)| (*file, *at));
        (lines, reads.iter().filter(|(_, at)| *at == 0).count())
    }

    #[test]
    fn file_in_several_manifests_is_read_once_with_the_same_results() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        std::fs::create_dir(folder.join("sub")).unwrap();
        for (path, text) in [("a", "a"), ("b", "b"), ("c", "c"), ("sub/d", "d")] {
            std::fs::write(folder.join(path), text).unwrap();
        }
        let all = [("a", "a"), ("./b", "wrong"), ("none", ""), ("c", "c")];
        let names = [
            manifest(folder, "1.md5", "md5", &all),
            manifest(folder, "2.sha256", "sha256", &[("c", "c"), ("b", "b"), ("none", "")]),
            manifest(folder, "3.md5", "md5", &[("b", "b"), ("a", "wrong")]),
            manifest(&folder.join("sub"), "4.sha1", "sha1", &[("d", "d")]),
            manifest(folder, "5.md5", "md5", &[("sub/d", "d")]),
        ];
        let (together, read) = check(&names, &mut || ());
        assert_eq!(read, 4);
        let one_by_one = names.iter().map(|name| check(std::slice::from_ref(name), &mut || ()));
        let (apart, counts): (Vec<_>, Vec<_>) = one_by_one.unzip();
        assert_eq!(together, apart.concat());
        assert_eq!(counts.iter().sum::<usize>(), 9);
    }

    #[test]
    fn file_that_changes_between_two_manifests_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        std::fs::write(folder.join("a"), "old").unwrap();
        let files = [("a", "old")];
        let names =
            [manifest(folder, "1.md5", "md5", &files), manifest(folder, "2.sha256", "sha256", &files)];
        let mut change = || std::fs::write(folder.join("a"), "new").unwrap();
        let (lines, read) = check(&names, &mut change);
        assert_eq!((lines, read), (vec!["1.md5 a verified 1".into(), "2.sha256 a mismatch 1".into()], 2));
    }

    #[test]
    fn manifests_of_different_files_share_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        let write = |name: &str| std::fs::write(dir.path().join(name), name).unwrap();
        ["a", "b", "sub/a"].into_iter().for_each(write);
        let names = [
            manifest(dir.path(), "1.md5", "md5", &[("a", "a")]),
            manifest(dir.path(), "2.sha256", "sha256", &[("b", "b")]),
            manifest(&dir.path().join("sub"), "3.sha1", "sha1", &[("a", "sub/a")]),
        ];
        let (options, progress) = (Options::from(ReadOptions::default()), Progress::default());
        assert_eq!(shared_reads(&names, &options, &progress).len(), 0);
        assert_eq!(check(&names, &mut || ()).1, 3);
    }

    #[test]
    fn long_manifests_are_checked_by_themselves() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..ENTRIES / 2).map(|at| at.to_string()).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], "")).collect();
        let (options, progress) = (Options::from(ReadOptions::default()), Progress::default());
        let mut lists = vec![
            manifest(dir.path(), "1.md5", "md5", &files),
            manifest(dir.path(), "2.sha1", "sha1", &files),
        ];
        let shared = shared_reads(&lists, &options, &progress);
        assert_eq!(shared.len() as u64, ENTRIES / 2);
        lists.push(manifest(dir.path(), "3.md5", "md5", &[("a", "")]));
        assert_eq!(shared_reads(&lists, &options, &progress).len(), 0);
    }
}
