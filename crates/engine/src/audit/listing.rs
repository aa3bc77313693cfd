//! Reads manifests and folders into sets: names and the facts that are known without reading a file.

use crate::audit::comparison::{
    Comparison, EXCLUDED, FAILED, FOUND, LISTED, NOT_FOUND, Observer, Options, SAME,
};
use crate::audit::status::Event;
use crate::content::set::{Compared, compare};
use crate::error::{Cause, Error};
use crate::io::anchor::stat_found;
use crate::io::file_id::FileId;
use crate::io::open::Root;
use crate::job::Job;
use crate::run::remote::{LIST, Remote, StoredDigests, StoredEntry};
use crate::select::names::plain;
use crate::task::{BadLine, Notice, Task};
use crate::verify::listed_jobs::{ListEnd, ListItem, listed_jobs};
use crate::verify::pieces::Pieced;
use crate::verify::unexpected::search::{is_sidecar, is_signature};
use crate::walk::{self, ExcludedCounts, Item, Walk, relative};
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::{self, OsStrExt, OsStringExt};
use truesum_manifest::path::display_safe;
use truesum_manifest::{Place, Rules, Time};

impl Comparison<'_> {
    /// Adds the entries of a manifest.
    pub(super) fn manifest(
        &mut self,
        side: usize,
        name: &Path,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let (options, progress) = (self.options, self.progress);
        let mut own = std::mem::take(&mut self.own);
        let mut rules = Rules::default();
        let ended = listed_jobs(name, &options.read, progress, &mut own, &mut |listed| {
            self.report.pieces[side] |= matches!(listed, ListItem::Pieced(..));
            let others = match &listed {
                ListItem::Entry(_, others) => *others,
                _ => &[],
            };
            let mut add = |job: &Job| {
                let at = job.origin.1;
                let reason = |why| {
                    let name = display_safe(&job.name);
                    format!("{name}: {why}")
                };
                let refused = self.entry(side, job, others).err();
                refused.map(|why| BadLine { at, reason: reason(why), lacks_key: false })
            };
            let bad = match listed {
                ListItem::Entry(job, _) => add(&job),
                ListItem::Pieced(job, pieces) => {
                    let bad = add(&job);
                    self.pieced[side].push(Pieced { job, pieces });
                    bad
                }
                ListItem::Bad(line) => Some(line),
                ListItem::Omitted(doubt, _) => return on_event(Event::Doubtful(&doubt)),
                ListItem::Rules(found) => {
                    rules = found;
                    return Ok(());
                }
            };
            let Some(line) = bad else { return Ok(()) };
            self.report.malformed += 1;
            on_event(Event::Malformed(name, &line))
        });
        self.own = own;
        self.requested.places.sort_by_key(|(place, _)| *place);
        match ended {
            Ok(digest) => {
                self.report.manifests.push((name.to_owned(), digest));
                let rules = self.requested.rules.clone().unwrap_or(rules);
                let doubt = self.rules.add(name.as_os_str().as_bytes(), &rules);
                self.report.rules = self.rules.applied().to_vec();
                doubt.map_or(Ok(()), |doubt| on_event(Event::Doubtful(&doubt)))
            }
            Err(ListEnd::Unread(error)) => self.failed(&error, on_event),
            Err(ListEnd::Refused(error)) => Err(error),
        }
    }

    /// Returns the object store with this name, if it is one of the options.
    pub(super) fn store(&self, name: &Path) -> Option<Arc<dyn StoredDigests>> {
        self.options.stores.iter().find(|store| Path::new(&store.name()) == name).cloned()
    }

    /// Adds the entries of a manifest or of an object store. Returns `false` if it could not be read or listed
    /// completely: what is missing from it is then unknown.
    pub(super) fn listed_side(
        &mut self,
        side: usize,
        name: &Path,
        on_event: &mut Observer<'_>,
    ) -> io::Result<bool> {
        let Some(store) = self.store(name) else {
            self.manifest(side, name, on_event)?;
            return Ok(self.report.failed == 0);
        };
        let (options, progress) = (self.options, self.progress);
        let (mut left_out, mut is_complete) = (0, true);
        let mut listed = store.list(progress).filter(|task| match task {
            Task::File(job) if !options.read.select.has_name(&job.name) => {
                left_out += 1;
                false
            }
            _ => true,
        });
        store.digests(&mut listed, progress, &mut |entry| {
            let (job, failure) = match entry {
                StoredEntry::Object(job) => (job, None),
                StoredEntry::WithoutDigest(job, doubt) => {
                    on_event(Event::Doubtful(&doubt))?;
                    (job, None)
                }
                StoredEntry::Unreadable(job, error) => (job, Some(error)),
                StoredEntry::Failed(error) => {
                    is_complete &= error.action() != LIST;
                    return self.failed(&error, on_event);
                }
            };
            // `a//b` would be the file `a/b`, which is another object.
            let added = match *plain(job.path()) == *below(job.path()) {
                true => self.entry(side, &job, &[]),
                false => Err("no file can have the name of this object".to_owned()),
            };
            if let Err(why) = added {
                return self.failed(&Error::new(&job.name, "compare", Cause::Other(why)), on_event);
            }
            if let (Some(error), Some(at)) = (failure, self.sets[side].find(&job.name)) {
                self.errors.insert((side, at), error);
            }
            Ok(())
        })?;
        drop(listed);
        self.report.left_out[side] += left_out;
        Ok(is_complete)
    }

    /// Adds an entry, whose lines after the first one have these positions. For the other side, only entries that differ
    /// are stored.
    fn entry(&mut self, side: usize, job: &Job, others: &[Place]) -> Result<(), String> {
        // The format deliberately records no digest for this entry.
        if job.exempt {
            return Ok(());
        }
        let name = &self.options.compared_name(job)[..];
        if !self.options.read.select.has_alias(name, &job.name) {
            self.report.left_out[side] += 1;
            return Ok(());
        }
        let [listed, found] = &mut self.sets;
        let facts = (job.size, job.mtime);
        if side == LISTED {
            let digests = (&job.specs, &job.expected[..]);
            let at = listed.insert_accepting(name, facts, digests, &job.alternatives)?;
            if self.requested.notes {
                let places = std::iter::once(&job.origin.1).chain(others);
                self.requested.places.extend(places.map(|place| (place.number(), at)));
                let written = plain(&job.name);
                if *written != *name {
                    self.requested.other_names.insert(written.into_owned());
                }
            }
            return Ok(());
        }
        self.has_entries = true;
        let known = listed.find_likely(self.likely, name);
        self.likely = known.map_or(self.likely, |known| known + 1);
        // Most files are the same and need not be stored twice.
        if let Some(known) = known
            && matches!(self.state[known as usize], NOT_FOUND | SAME)
            && job.alternatives.is_empty()
            && listed.has_exactly(known, job.size, &job.specs, &job.expected)
            && (found.len() == 0 || found.find(name).is_none())
        {
            self.state[known as usize] = SAME;
            return Ok(());
        }
        let before = found.len();
        let at = found.insert_accepting(name, facts, (&job.specs, &job.expected), &job.alternatives)?;
        let Some(known) = known else { return Ok(()) };
        let state = &mut self.state[known as usize];
        // A repeated name was stored the first time if it differed.
        match compare((listed, known), (found, at)) {
            Compared::Same if at == before && matches!(*state, NOT_FOUND | SAME) => *state = SAME,
            Compared::Unknown if at == before && *state == SAME => {}
            _ => {
                *state = at;
                return Ok(());
            }
        }
        found.undo();
        Ok(())
    }

    /// Adds the files of a folder with their sizes and returns those that are not in the manifest. Links, pipes and
    /// devices are skipped, and so are the manifests, stored trees of files in the manifest, and temporary files of
    /// this program.
    pub(super) fn walk(
        &mut self,
        side: usize,
        folder: &Path,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<u32>> {
        let root = &*name::of(folder);
        let mut fresh = Vec::new();
        if self.progress.stopped() {
            return Ok(fresh);
        }
        if let Some(remote) = &self.options.read.remote {
            return self.objects(side, &**remote, on_event);
        }
        let threads = self.options.read.threads;
        let select = &self.options.read.select;
        let names = select.by_names().below(self.below.as_deref()).with_rules(&self.rules);
        let options = walk::Options { select: names, below_root: true, ..walk::Options::default() };
        let mut walk = Walk::new([folder.to_owned()], options, threads).until(self.progress.stop_flag());
        for item in walk.by_ref() {
            let (path, anchor) = match item {
                Item::File(path, anchor) => (path.into_os_string().into_vec(), anchor),
                Item::Failed(error) => {
                    self.failed(&error, on_event)?;
                    continue;
                }
                // A name like that of a temporary file of this program proves nothing.
                Item::Temporary(path) if !self.requested.notes && !self.folders => {
                    (path.into_os_string().into_vec(), None)
                }
                Item::Temporary(_)
                | Item::State(_)
                | Item::Link(_)
                | Item::Dangling(_)
                | Item::Special(..)
                | Item::Stdin => {
                    continue;
                }
            };
            let name = relative(&path, root);
            // Only the folder `below` was requested.
            if self.below.as_ref().is_some_and(|below| !name.starts_with(below)) {
                continue;
            }
            if !select.has_name(name) {
                self.report.left_out[side] += 1;
                continue;
            }
            let listed = if side == FOUND { self.sets[LISTED].find_likely(self.likely, name) } else { None };
            self.likely = listed.map_or(self.likely, |listed| listed + 1);
            if listed.is_some() && !self.folders {
                continue;
            }
            let stat = match stat_found(&path, anchor.as_ref()) {
                Ok(stat) => stat,
                Err(error) => {
                    self.failed(&Error::io(&path, "open", error), on_event)?;
                    continue;
                }
            };
            if self.own.contains(&FileId::from(&stat)) {
                continue;
            }
            // An update reports signatures of the manifest, because they become invalid.
            if !self.folders && !self.requested.notes && is_signature(&self.own, &path, anchor.as_ref()) {
                continue;
            }
            let is_listed = |about: &[u8]| self.sets[LISTED].find(about).is_some();
            if side == FOUND && !self.folders && is_sidecar(name, is_listed, &path, anchor.as_ref()) {
                continue;
            }
            let facts = (Some(stat.size()), Some(stat.mtime()));
            match self.sets[side].insert(name, facts, &Arc::from([]), &[]) {
                Ok(at) => match listed {
                    Some(known) => self.state[known as usize] = at,
                    None => fresh.push(at),
                },
                Err(why) => self.failed(&Error::new(&path, "list", Cause::Other(why)), on_event)?,
            }
        }
        let ExcludedCounts { files, folders, .. } = walk.left_out();
        self.report.left_out[side] += files + folders;
        Ok(fresh)
    }

    /// Adds the objects of an object store and returns those that are not in the manifest. Every
    /// name in the listing is a file.
    fn objects(
        &mut self,
        side: usize,
        remote: &dyn Remote,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<u32>> {
        let mut fresh = Vec::new();
        for task in remote.list(&Arc::from([]), self.progress) {
            let job = match task {
                Task::File(job) => job,
                Task::Notice(Notice::Failed(error)) => {
                    self.failed(&error, on_event)?;
                    continue;
                }
                Task::Notice(_) => continue,
            };
            if !self.options.read.select.has_name(&job.name) {
                self.report.left_out[side] += 1;
                continue;
            }
            let listed = self.sets[LISTED].find_likely(self.likely, &job.name);
            self.likely = listed.map_or(self.likely, |listed| listed + 1);
            if listed.is_some() {
                continue;
            }
            let time = |seconds| Time { seconds, nanos: 0 };
            let facts = job.listed.map(|listed| (Some(listed.size), Some(time(listed.modified))));
            match self.sets[side].insert(&job.name, facts.unwrap_or_default(), &Arc::from([]), &[]) {
                Ok(at) => fresh.push(at),
                Err(why) => self.failed(&Error::new(&job.name, "list", Cause::Other(why)), on_event)?,
            }
        }
        Ok(fresh)
    }

    /// Marks files in the manifest, and removes others, that are not selected by size or time. A file that exists on
    /// both sides is excluded only if neither version is selected. `folder` is where a file in the manifest is examined
    /// if nothing is known about the other side yet.
    pub(super) fn leave_out(&mut self, folder: Option<&Path>, fresh: &mut Vec<u32>) {
        let read = &self.options.read;
        let select = &read.select;
        if !select.needs_facts() {
            return;
        }
        let root = folder.and_then(|folder| Root::folder(folder, read.allow_outside).ok());
        let [listed, found] = &self.sets;
        for at in 0..listed.len() {
            let other = match self.state[at as usize] {
                NOT_FOUND => None,
                SAME | FAILED | EXCLUDED => continue,
                other => found.size(other).zip(found.time(other)),
            };
            let look = || {
                let stat = root.as_ref()?.stat(listed.name(at), true).ok()?;
                let time = stat.mtime();
                stat.kind().is_file().then_some((stat.size(), time))
            };
            if !select.has_facts((listed.size(at), listed.time(at)), || other.or_else(look)) {
                self.state[at as usize] = EXCLUDED;
                self.report.left_out[LISTED] += 1;
                self.report.listed -= 1;
            }
        }
        let before = fresh.len();
        fresh.retain(|&at| select.has_facts((found.size(at), found.time(at)), || None));
        self.report.left_out[FOUND] += (before - fresh.len()) as u64;
        self.report.nothing |= self.report.listed == 0 && !self.folders;
    }
}

impl Options {
    /// Returns the name by which a file is compared.
    pub(super) fn compared_name<'j>(&self, job: &'j Job) -> Cow<'j, [u8]> {
        match self.read.remote {
            // In an object store, `a//b` and `a/b` are different objects.
            Some(_) => Cow::Borrowed(below(job.path())),
            None => plain(job.path()),
        }
    }
}

/// Returns a name without redundant `./` at its beginning.
fn below(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./") {
        name = &rest[rest.iter().take_while(|&&byte| byte == b'/').count()..];
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundant_path_components_are_removed() {
        for (name, expected) in [("a", "a"), ("./a//b/", "a/b"), ("/a/./b", "/a/b"), ("a/../b", "a/../b")] {
            assert_eq!(*plain(name.as_bytes()), *expected.as_bytes());
        }
    }
}
