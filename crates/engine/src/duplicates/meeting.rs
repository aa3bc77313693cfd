//! The files of a walk, each once: what is known of them without reading, in some dozens of bytes beside the name.

use super::telling::{Event, Met, Options, Report, Tell};
use crate::error::{Cause, Error};
use crate::io::anchor::{Anchor, stat_found};
use crate::io::open::{Root, Special, describe};
use crate::io::system::System;
use crate::progress::Progress;
use crate::task::{Notice, Task};
use crate::walk::{Item, Walk};
use rustix::fs::{FileType, Stat};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Files that were met.
#[derive(Default)]
pub(super) struct Files {
    files: Vec<File>,
    names: Vec<u8>,
    anchors: Vec<Option<Anchor>>,
    /// Further names of files that have some, each with the anchor it was found by.
    links: HashMap<u32, Vec<(usize, usize)>>,
    /// Devices, and whether no two files on them have one number.
    numbered: HashMap<u64, bool>,
    pub met: Met,
}

struct File {
    size: u64,
    name: usize,
    name_len: u32,
    /// Index of the anchor: all files of a folder share one.
    anchor: u32,
}

/// A file with several names, or one that arguments lead to twice.
struct Known {
    at: u32,
    /// Whether only a symbolic link led to it so far.
    by_link: bool,
    /// The entries of folders by which it was reached.
    entries: Vec<((u64, u64), Vec<u8>)>,
}

impl Files {
    /// Takes in the files under these names.
    pub(super) fn meet(
        &mut self,
        paths: Vec<OsString>,
        options: &Options,
        progress: &Progress,
        report: &mut Report,
        tell: &mut Tell<'_>,
    ) -> io::Result<()> {
        let mut known: HashMap<(u64, u64), Known> = HashMap::new();
        // Only where arguments may overlap can a file with one name be met twice.
        let overlap = paths.len() > 1 || options.walk.follow;
        let walk = Walk::new(paths, options.walk.clone(), options.threads);
        for item in walk.until(progress.stop_flag()) {
            let (path, anchor) = match item {
                Item::File(path, anchor) => (path, anchor),
                other => {
                    match other.task(&Arc::from([])) {
                        Task::Tell(Notice::Failed(error)) => {
                            report.failed += 1;
                            tell(Event::Failed(&error))?;
                        }
                        Task::Tell(notice) => tell(Event::Passed(&notice))?,
                        Task::File(_) => {}
                    }
                    continue;
                }
            };
            let name = path.as_os_str().as_bytes();
            let failed = match stat_found(name, anchor.as_ref()) {
                Ok(stat) if options.own.contains(&(stat.st_dev, stat.st_ino)) => continue,
                Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => {
                        self.add(name, anchor, &stat, options, overlap, &mut known);
                        continue;
                    }
                    kind => Error::new(name, "read", Cause::Special(describe(kind))),
                },
                Err(error) => Error::io(name, "open", error),
            };
            report.failed += 1;
            tell(Event::Failed(&failed))?;
        }
        report.interrupted |= progress.stopped();
        Ok(())
    }

    fn add(
        &mut self,
        name: &[u8],
        anchor: Option<Anchor>,
        stat: &Stat,
        options: &Options,
        overlap: bool,
        known: &mut HashMap<(u64, u64), Known>,
    ) {
        let size = stat.st_size as u64;
        let place = (self.names.len(), name.len());
        // Where numbers tell nothing every name is a file: names that are copies too much are better than a copy too few.
        if (stat.st_nlink > 1 || overlap)
            && *self.numbered.entry(stat.st_dev).or_insert_with(|| numbers_tell(name, anchor.as_ref()))
        {
            let entry = entry_of(name);
            let by_link = options.walk.follow && self.name_is_link(name, anchor.as_ref());
            match known.get_mut(&(stat.st_dev, stat.st_ino)) {
                Some(before) if entry.as_ref().is_some_and(|entry| before.entries.contains(entry)) => return,
                // A link is no name of the file, and what it leads to is the better one.
                Some(_) if by_link => return,
                Some(before) if before.by_link && before.at != u32::MAX => {
                    (before.by_link, before.entries) = (false, entry.into_iter().collect());
                    let file = &mut self.files[before.at as usize];
                    (file.name, file.name_len) = (place.0, place.1 as u32);
                    file.anchor = self.anchors.len() as u32;
                    self.names.extend_from_slice(name);
                    self.anchors.push(anchor);
                    return;
                }
                // Another name by a mount, or of a file too small to matter.
                Some(before) if before.at == u32::MAX || stat.st_nlink < 2 => return,
                Some(before) => {
                    before.entries.extend(entry);
                    self.names.extend_from_slice(name);
                    self.links.entry(before.at).or_default().push(place);
                    self.met.links += 1;
                    return;
                }
                None => {
                    let at = if size < options.min_size { u32::MAX } else { self.files.len() as u32 };
                    let entries = entry.into_iter().collect();
                    known.insert((stat.st_dev, stat.st_ino), Known { at, by_link, entries });
                }
            }
        }
        if size < options.min_size {
            self.met.small += 1;
            return;
        }
        let same = |last: &Option<Anchor>| match (last, &anchor) {
            (Some(last), Some(anchor)) => last.is(anchor),
            (last, anchor) => last.is_none() && anchor.is_none(),
        };
        if !self.anchors.last().is_some_and(same) {
            self.anchors.push(anchor);
        }
        self.names.extend_from_slice(name);
        let anchor = self.anchors.len() as u32 - 1;
        self.files.push(File { size, name: place.0, name_len: place.1 as u32, anchor });
        self.met.files += 1;
    }

    /// Whether what has this name is a symbolic link.
    fn name_is_link(&self, name: &[u8], anchor: Option<&Anchor>) -> bool {
        let stat = match anchor {
            Some(anchor) => anchor.stat(name, false),
            None => Root::Anywhere.stat(name, false),
        };
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_symlink())
    }

    fn name(&self, (from, len): (usize, usize)) -> &Path {
        Path::new(OsStr::from_bytes(&self.names[from..from + len]))
    }

    /// The name that a file is opened by.
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

    /// All names of a file, sorted.
    pub(super) fn names(&self, at: u32) -> Vec<&Path> {
        let mut names = vec![self.path(at)];
        names.extend(self.links.get(&at).into_iter().flatten().map(|&place| self.name(place)));
        names.sort_unstable();
        names
    }

    /// The files of which another one has the same size, in the order of the walk.
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

/// Whether on this file's file system no two files have one number.
fn numbers_tell(name: &[u8], anchor: Option<&Anchor>) -> bool {
    let (root, path) = anchor.map_or((&Root::Anywhere, name), |anchor| (anchor.root(), anchor.rest(name)));
    root.open(path, Special::Refuse).is_ok_and(|(file, stat)| System::of_file(file, &stat).inodes)
}

/// The folder that a name stands in, and the name there.
fn entry_of(name: &[u8]) -> Option<((u64, u64), Vec<u8>)> {
    let cut = name.iter().rposition(|&byte| byte == b'/');
    let (folder, base) = match cut {
        Some(0) => (&b"/"[..], &name[1..]),
        Some(cut) => (&name[..cut], &name[cut + 1..]),
        None => (&b"."[..], name),
    };
    let stat = Root::Anywhere.stat(folder, true).ok()?;
    Some(((stat.st_dev, stat.st_ino), base.to_vec()))
}
