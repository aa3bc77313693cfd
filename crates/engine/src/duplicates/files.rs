//! The files found by a walk, each once, with the facts known without reading them, in a few dozen bytes per file plus
//! the name.

use super::report::{Event, FileCounts, Observer, Options, Report};
use crate::error::{Cause, Error};
use crate::io::anchor::{Anchor, stat_found};
use crate::io::file_id::FileId;
use crate::io::open::{Root, Special, describe};
use crate::io::system::{Sizes, System};
use crate::progress::Progress;
use crate::task::{Notice, Task};
use crate::walk::{Item, Walk};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::Errno;
use truesum_fs::data;
use truesum_fs::metadata::{FileType, Metadata};
use truesum_fs::name::OsStrExt;
use truesum_fs::resolve::OpenMode;

/// The files found so far.
#[derive(Default)]
pub(super) struct Files {
    files: Vec<File>,
    names: Vec<u8>,
    anchors: Vec<Option<Anchor>>,
    /// The additional names of files with several names, each with the anchor through which it was found.
    links: HashMap<u32, Vec<(usize, usize)>>,
    /// Devices, and whether their inode numbers are unique.
    numbered: HashMap<u64, bool>,
    /// Devices, and how reliable the sizes are that they report.
    sizes: HashMap<u64, Sizes>,
    /// Files whose size was found by reading them.
    counted: HashSet<u32>,
    pub(crate) counts: FileCounts,
}

struct File {
    size: u64,
    name: usize,
    name_len: u32,
    /// The index of the anchor, which all files of a folder share.
    anchor: u32,
}

/// The property by which two names are recognized as names of the same file.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// Device and inode number.
    Number(FileId),
    /// The path without symbolic links, on file systems whose inode numbers are not unique.
    Path(Vec<u8>),
}

/// A file with several names, or one that is reached through two arguments.
struct Known {
    at: u32,
    /// Whether it was only reached through a symbolic link so far.
    by_link: bool,
    /// The directory entries through which it was reached.
    entries: Vec<(FileId, Vec<u8>)>,
}

impl Files {
    /// Adds the files under these names.
    pub(super) fn add_all(
        &mut self,
        paths: Vec<OsString>,
        options: &Options,
        progress: &Progress,
        report: &mut Report,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let mut known: HashMap<Identity, Known> = HashMap::new();
        // A file with a single name can be found twice only if arguments overlap.
        let overlap = paths.len() > 1 || options.walk.follow;
        let walk = Walk::new(paths, options.walk.clone(), options.threads);
        let mut walk = walk.until(progress.stop_flag());
        for item in walk.by_ref() {
            let (path, anchor) = match item {
                Item::File(path, anchor) => (path, anchor),
                other => {
                    match other.task(&Arc::from([])) {
                        Task::Notice(Notice::Failed(error)) => {
                            report.failed += 1;
                            on_event(Event::Failed(&error))?;
                        }
                        Task::Notice(notice) => on_event(Event::Passed(&notice))?,
                        Task::File(_) => {}
                    }
                    continue;
                }
            };
            let name = path.as_os_str().as_bytes();
            let failed = match stat_found(name, anchor.as_ref()) {
                Ok(stat) if options.own.contains(&FileId::from(&stat)) => continue,
                Ok(stat) => match stat.kind() {
                    FileType::RegularFile => {
                        let size = self.size_of(name, anchor.as_ref(), &stat, progress);
                        let added = size.and_then(|size| {
                            self.add(name, anchor, (&stat, size), options, overlap, &mut known)
                        });
                        match added {
                            Ok(()) => continue,
                            Err(error) => error,
                        }
                    }
                    kind => Error::new(name, "read", Cause::Special(describe(kind))),
                },
                Err(error) => Error::io(name, "open", error),
            };
            report.failed += 1;
            on_event(Event::Failed(&failed))?;
        }
        report.left_out = walk.left_out();
        report.interrupted |= progress.stopped();
        Ok(())
    }

    fn add(
        &mut self,
        name: &[u8],
        anchor: Option<Anchor>,
        (stat, (size, is_counted)): (&Metadata, (u64, bool)),
        options: &Options,
        overlap: bool,
        known: &mut HashMap<Identity, Known>,
    ) -> Result<(), Error> {
        let place = (self.names.len(), name.len());
        if let Some(identity) = self.identity(name, anchor.as_ref(), stat, overlap)? {
            let entry = entry_of(name);
            let by_link = options.walk.follow && self.name_is_link(name, anchor.as_ref());
            let has_one_name = stat.links() < 2 || matches!(identity, Identity::Path(_));
            match known.get_mut(&identity) {
                Some(before) if entry.as_ref().is_some_and(|entry| before.entries.contains(entry)) => {
                    return Ok(());
                }
                // A symbolic link is not a name of the file, and the name of its target is preferable.
                Some(_) if by_link => return Ok(()),
                Some(before) if before.by_link && before.at != u32::MAX => {
                    (before.by_link, before.entries) = (false, entry.into_iter().collect());
                    let file = &mut self.files[before.at as usize];
                    (file.name, file.name_len) = (place.0, place.1 as u32);
                    file.anchor = self.anchors.len() as u32;
                    self.names.extend_from_slice(name);
                    self.anchors.push(anchor);
                    return Ok(());
                }
                // Another name through a mount, or a name of a file that is too small.
                Some(before) if before.at == u32::MAX || has_one_name => return Ok(()),
                Some(before) => {
                    before.entries.extend(entry);
                    self.names.extend_from_slice(name);
                    self.links.entry(before.at).or_default().push(place);
                    self.counts.links += 1;
                    return Ok(());
                }
                None => {
                    let at = if size < options.min_size { u32::MAX } else { self.files.len() as u32 };
                    let entries = entry.into_iter().collect();
                    known.insert(identity, Known { at, by_link, entries });
                }
            }
        }
        if size < options.min_size {
            self.counts.small += 1;
            return Ok(());
        }
        let same = |last: &Option<Anchor>| match (last, &anchor) {
            (Some(last), Some(anchor)) => last.is(anchor),
            (last, anchor) => last.is_none() && anchor.is_none(),
        };
        if !self.anchors.last().is_some_and(same) {
            self.anchors.push(anchor);
        }
        self.names.extend_from_slice(name);
        if is_counted {
            self.counted.insert(self.files.len() as u32);
        }
        let anchor = self.anchors.len() as u32 - 1;
        self.files.push(File { size, name: place.0, name_len: place.1 as u32, anchor });
        self.counts.files += 1;
        Ok(())
    }

    /// Returns the size of a file, and whether the file had to be read to determine it. File
    /// systems that generate files when they are read (`/proc`, `/sys`) report 0 or a page whatever
    /// the files contain, and some FUSE file systems report 0.
    fn size_of(
        &mut self,
        name: &[u8],
        anchor: Option<&Anchor>,
        stat: &Metadata,
        progress: &Progress,
    ) -> Result<(u64, bool), Error> {
        /// Larger reported sizes are trusted, such as that of the kernel's memory in `/proc/kcore`.
        const MOST: u64 = 64 << 10;
        let size = stat.size();
        if size > MOST || size > 0 && stat.allocated() > 0 {
            return Ok((size, false));
        }
        let sizes = match self.sizes.entry(stat.id().device()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(system_of(name, anchor, stat)?.sizes()),
        };
        match sizes {
            Sizes::Local => Ok((size, false)),
            Sizes::Other if size > 0 => Ok((size, false)),
            Sizes::Other | Sizes::Invented => counted(name, anchor, progress).map(|size| (size, true)),
        }
    }

    /// Returns whether the size of a file was found by reading it.
    pub(super) fn is_counted(&self, at: u32) -> bool {
        self.counted.contains(&at)
    }

    /// Returns the identity by which another name of this file is recognized, or `None` if it
    /// cannot have another one. A file that is visible twice only through a mount is recognized by
    /// [`Files::names_by_file`].
    fn identity(
        &mut self,
        name: &[u8],
        anchor: Option<&Anchor>,
        stat: &Metadata,
        overlap: bool,
    ) -> Result<Option<Identity>, Error> {
        if stat.links() < 2 && !overlap {
            return Ok(None);
        }
        let are_unique = match self.numbered.entry(stat.id().device()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(system_of(name, anchor, stat)?.inodes()),
        };
        match are_unique {
            true => Ok(Some(Identity::Number(FileId::from(stat)))),
            false if overlap => {
                let (root, path) = place(name, anchor);
                root.real_path(path).map(|path| Some(Identity::Path(path))).map_err(|error| error.under(name))
            }
            false => Ok(None),
        }
    }

    /// Returns whether this name is a symbolic link.
    fn name_is_link(&self, name: &[u8], anchor: Option<&Anchor>) -> bool {
        let stat = match anchor {
            Some(anchor) => anchor.stat(name, false),
            None => Root::Anywhere.stat(name, false),
        };
        stat.is_ok_and(|stat| stat.kind().is_symlink())
    }

    fn name(&self, (from, len): (usize, usize)) -> &Path {
        Path::new(OsStr::from_bytes(&self.names[from..from + len]))
    }

    /// Returns the name by which a file is opened.
    pub(super) fn path(&self, at: u32) -> &Path {
        let file = &self.files[at as usize];
        self.name((file.name, file.name_len as usize))
    }

    pub(super) fn anchor(&self, at: u32) -> Option<Anchor> {
        self.anchors[self.files[at as usize].anchor as usize].clone()
    }

    pub(super) fn size(&self, at: u32) -> u64 {
        self.files[at as usize].size
    }

    /// Returns all names of a file.
    fn names(&self, at: u32) -> Vec<&Path> {
        let mut names = vec![self.path(at)];
        names.extend(self.links.get(&at).into_iter().flatten().map(|&place| self.name(place)));
        names
    }

    /// Returns the sorted names of each of these files with the same content. Names with the same device and inode
    /// number belong to one file, because a mount may make it visible under other names. If inode numbers are not
    /// unique, a copy may go unreported, which is less harmful than reporting a file as a copy of itself, which a user
    /// might then delete.
    pub(super) fn names_by_file(&self, equal: &[u32], failed: &mut Vec<Error>) -> Vec<Vec<&Path>> {
        let mut by_number: HashMap<FileId, Vec<&Path>> = HashMap::new();
        for &at in equal {
            let path = self.path(at).as_os_str().as_bytes();
            match stat_found(path, self.anchor(at).as_ref()) {
                Ok(stat) => by_number.entry(FileId::from(&stat)).or_default().extend(self.names(at)),
                Err(error) => failed.push(Error::io(path, "open", error)),
            }
        }
        let mut files: Vec<Vec<&Path>> = by_number.into_values().collect();
        files.iter_mut().for_each(|names| names.sort_unstable());
        files.sort_unstable();
        files
    }

    /// Returns the files that have the same size as another one, in the order of the walk.
    pub(super) fn of_one_size(&self) -> Vec<u32> {
        let mut by_size: Vec<u32> = (0..self.files.len() as u32).collect();
        by_size.sort_unstable_by_key(|&at| (self.size(at), at));
        let mut alike: Vec<u32> = by_size
            .chunk_by(|&one, &other| self.size(one) == self.size(other))
            .filter(|files| files.len() > 1)
            .flatten()
            .copied()
            .collect();
        alike.sort_unstable();
        alike
    }
}

/// Returns the folder a name is resolved from, and the name relative to it.
fn place<'p>(name: &'p [u8], anchor: Option<&'p Anchor>) -> (&'p Root, &'p [u8]) {
    anchor.map_or((&Root::Anywhere, name), |anchor| (anchor.root(), anchor.rest(name)))
}

/// Counts the bytes of a file by reading it.
fn counted(name: &[u8], anchor: Option<&Anchor>, progress: &Progress) -> Result<u64, Error> {
    let (root, path) = place(name, anchor);
    let (file, _) = root.open(path, Special::Refuse).map_err(|error| error.under(name))?;
    let (mut read, mut buffer) = (0, vec![0; 64 << 10]);
    while !progress.stopped() {
        // Do not wait for data that does not exist yet: the kernel's log, for example, would never
        // end.
        match data::read(&file, &mut buffer) {
            Ok(0) => break,
            Ok(count) => read += count as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(Error::io(name, "read", error)),
        }
    }
    Ok(read)
}

/// Returns the guarantees of the file system that contains this file.
fn system_of(name: &[u8], anchor: Option<&Anchor>, stat: &Metadata) -> Result<System, Error> {
    let (root, path) = place(name, anchor);
    let file = root.resolve(path, OpenMode::Path);
    let file = file.map_err(|error| root.refusal(name, "open", error))?;
    Ok(System::of_file(&file, stat))
}

/// Returns the folder that contains a name, and the name in it.
fn entry_of(name: &[u8]) -> Option<(FileId, Vec<u8>)> {
    let cut = name.iter().rposition(|&byte| byte == b'/');
    let (folder, base) = match cut {
        Some(0) => (&b"/"[..], &name[1..]),
        Some(cut) => (&name[..cut], &name[cut + 1..]),
        None => (&b"."[..], name),
    };
    let stat = Root::Anywhere.stat(folder, true).ok()?;
    Some((FileId::from(&stat), base.to_vec()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    /// Returns the files of a folder `d` found through these arguments if inode numbers are not unique, as on FUSE and
    /// network file systems.
    fn found(folder: &Path, arguments: &[&str], follow: bool) -> Vec<String> {
        let device = std::fs::metadata(folder).unwrap().dev();
        let mut files = Files { numbered: [(device, false)].into(), ..Files::default() };
        let paths = arguments.iter().map(|name| folder.join(name).into_os_string()).collect();
        let options =
            Options { walk: crate::walk::Options { follow, ..Default::default() }, ..Options::default() };
        let mut report = Report::default();
        files.add_all(paths, &options, &Progress::default(), &mut report, &mut |_| Ok(())).unwrap();
        assert_eq!(report.failed, 0);
        let names = (0..files.counts.files as u32).map(|at| files.path(at).strip_prefix(folder).unwrap());
        names.map(|name| name.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn file_is_listed_once_where_inode_numbers_are_not_unique() {
        // regression: a file reached through two arguments was reported as a copy of itself, and the target of a link
        // as a copy of the link.
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("d/sub")).unwrap();
        std::fs::write(folder.path().join("d/sub/a"), "abc").unwrap();
        std::os::unix::fs::symlink("d", folder.path().join("ld")).unwrap();
        for arguments in
            [["d", "d"], ["d", "./d"], ["d", "d/sub"], ["d", "ld"], ["d/sub/a", "d/sub/../sub/a"]]
        {
            assert_eq!(found(folder.path(), &arguments, false), ["d/sub/a"], "{arguments:?}");
        }
        std::os::unix::fs::symlink("sub/a", folder.path().join("d/la")).unwrap();
        assert_eq!(found(folder.path(), &["d"], true), ["d/sub/a"]);
    }

    #[test]
    fn hard_links_with_one_inode_number_are_one_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        std::fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
        let device = std::fs::metadata(folder.path()).unwrap().dev();
        let mut files = Files { numbered: [(device, false)].into(), ..Files::default() };
        let mut report = Report::default();
        let paths = vec![folder.path().into()];
        files
            .add_all(paths, &Options::default(), &Progress::default(), &mut report, &mut |_| Ok(()))
            .unwrap();
        assert_eq!(files.counts.files, 2);
        let names = files.names_by_file(&[0, 1], &mut Vec::new());
        assert_eq!(names, [[folder.path().join("a"), folder.path().join("b")]]);
    }
}
