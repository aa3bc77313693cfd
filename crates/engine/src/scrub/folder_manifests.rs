//! Manifests in each folder, which a run updates from its state.
//!
//! Their digests are those of the state, so a corrupt file is never recorded in them. A manifest
//! that was not written by an earlier run is independent evidence: it is replaced only if its
//! entries agree with the state, or if their files were modified after it.

use crate::audit::{FileStatus, same_time};
use crate::error::{Cause, Error};
use crate::io::open::{Root, Special};
use crate::io::write::AtomicFile;
use crate::scrub::history::Run;
use crate::scrub::record::Record;
use crate::scrub::report::{Event, Observer};
use crate::scrub::store::State;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_fs::resolve::OpenMode;
use truesum_fs::{Errno, clock};
use truesum_hash::{Digest, Spec};
use truesum_manifest::path::display_safe;
use truesum_manifest::{Entry, Format, Heading, Options, Reader, Time, Writer, algorithm_from_name, format};

/// The maximum size of the entries in an existing manifest that are not those of recorded files, in bytes.
const MOST_KEPT: u64 = 64 << 20;

/// A folder whose files are being collected.
struct Folder {
    /// Its name relative to the tree, with a slash at the end; empty for the tree itself.
    name: Vec<u8>,
    /// The names of the files in the folder, and their records.
    files: Vec<(Vec<u8>, Record)>,
    /// The record of the manifest.
    own: Option<Record>,
}

/// The manifests with one name.
pub(crate) struct FolderManifests<'r> {
    name: &'r [u8],
    root: &'r Root,
    specs: Arc<[Spec]>,
    format: &'static Format,
    run: &'r Run,
}

/// Writes the manifest of every folder with recorded files, if it is not up to date. The tree is given by its path and as an
/// open folder. Returns the number of manifests that could not be written, each of which is reported.
///
/// # Errors
/// Fails if the state cannot be read or written, or with the error of `on_event`.
pub(crate) fn write(
    (path, root, name): (&Path, &Root, &[u8]),
    state: &mut State,
    run: &Run,
    on_event: &mut Observer<'_>,
) -> Result<u64, Error> {
    let specs = state.head.specs.clone();
    let is_plain = specs.len() == 1 && algorithm_from_name(name).as_ref() == specs.first();
    let format = format(if is_plain { "gnu" } else { "bsd" }).expect("a row of the table of formats");
    let manifests = FolderManifests { name, root, specs, format, run };
    let (mut open, mut failed) = (Vec::<Folder>::new(), 0);
    let mut finish = |folder: Folder, state: &mut State| -> Result<(), Error> {
        let key = [&folder.name[..], name].concat();
        match manifests.update(&key, folder) {
            Ok(None) => Ok(()),
            Ok(Some(record)) => state.put(&key, Some(&record)),
            Err(error) => {
                failed += 1;
                let shown = path.join(OsStr::from_bytes(&key));
                let error = error.under(shown.as_os_str().as_bytes());
                on_event(Event::Failed(&error)).map_err(|error| Error::io(&key, "report", error))
            }
        }
    };
    // The files below a folder follow each other, but those in it do not.
    for entry in state.scan() {
        let (key, record) = entry?;
        let end = key.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let (folder, base) = key.split_at(end);
        while let Some(last) = open.pop_if(|last| !folder.starts_with(&last.name)) {
            finish(last, state)?;
        }
        if open.last().is_none_or(|last| last.name != folder) {
            open.push(Folder { name: folder.to_vec(), files: Vec::new(), own: None });
        }
        let Some(last) = open.last_mut() else { continue };
        match base == name {
            true => last.own = Some(record),
            false => last.files.push((base.to_vec(), record)),
        }
    }
    while let Some(last) = open.pop() {
        finish(last, state)?;
    }
    Ok(failed)
}

impl FolderManifests<'_> {
    /// Writes a manifest if it is not up to date. Returns its record if that changes.
    fn update(&self, path: &[u8], folder: Folder) -> Result<Option<Record>, Error> {
        let place = folder.name.strip_suffix(b"/").unwrap_or(b".");
        let opened = match self.root.resolve(place, OpenMode::Folder) {
            Ok(opened) => opened,
            // Its files are missing, which is reported.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(self.root.refusal(path, "update", error)),
        };
        if folder.files.is_empty() {
            return Ok(None);
        }
        let (existing, kept) = match self.root.open(path, Special::Refuse) {
            Err(error) if error.is_missing() => (None, Vec::new()),
            Err(error) => return Err(error),
            Ok((mut file, stat)) => {
                let own = folder.files.iter().map(|(name, record)| self.entry(name, &record.digests));
                let limit = self.text(path, &own.collect::<Vec<_>>())?.len() as u64 + MOST_KEPT;
                let mut text = Vec::new();
                let read = (&mut file).take(limit + 1).read_to_end(&mut text);
                read.map_err(|error| Error::io(path, "read", error))?;
                if text.len() as u64 > limit {
                    let why = format!("it is larger than {limit} bytes; rename or remove it");
                    return Err(Error::new(path, "update", Cause::Other(why)));
                }
                let kept = self.kept(path, &text, stat.mtime(), &folder)?;
                (Some(text), kept)
            }
        };
        let own = folder.files.iter().map(|(name, record)| self.entry(name, &record.digests));
        let mut entries: Vec<Entry> = own.chain(kept).collect();
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        let text = self.text(path, &entries)?;
        let digests = self.digests(&text);
        if existing.is_some_and(|existing| existing == text) {
            // From now on, it is one that a run has written.
            let own =
                folder.own.filter(|own| own.accepted != 0 && own.digests == digests && !own.is_failure());
            return Ok(own.map(|own| Record { accepted: 0, status: FileStatus::Same, ..own }));
        }
        let date = self.run.start.unwrap_or_else(clock::now);
        let mut file = AtomicFile::create_in(opened, self.name).map_err(|error| error.under(path))?;
        file.set_date(date);
        file.write_all(&text).map_err(|error| Error::io(path, "write", error))?;
        file.commit().map_err(|error| error.under(path))?;
        let stat = self.root.stat(path, false).map_err(|error| self.root.refusal(path, "read", error))?;
        let is_it = stat.size() == text.len() as u64 && same_time(stat.mtime(), date);
        Ok(is_it.then(|| Record {
            size: Some(stat.size()),
            mtime: Some(stat.mtime()),
            ctime: Some(stat.ctime()),
            inode: stat.id().number(),
            specs: self.specs.clone(),
            digests,
            day: self.run.day,
            accepted: 0,
            verified: Some(clock::now()),
            status: FileStatus::Same,
            manifests: Vec::new(),
            pending: None,
        }))
    }

    /// Returns the entries of an existing manifest that belong to files without a record.
    ///
    /// # Errors
    /// Fails if the manifest has other lines than those that a run writes, or contradicts the state.
    fn kept(&self, path: &[u8], text: &[u8], mtime: Time, folder: &Folder) -> Result<Vec<Entry>, Error> {
        let refuse = |why: String| Error::new(path, "update", Cause::Other(why));
        let options = Options::default().named(algorithm_from_name(self.name)).format(Some(self.format));
        let entries: Result<Vec<Entry>, _> =
            Reader::new(text, options).map(|line| line.map(|line| line.entry)).collect();
        let is_own = |entries: &Vec<Entry>| self.text(path, entries).is_ok_and(|own| own == text);
        let Some(entries) = entries.ok().filter(is_own) else {
            let lines = self.format.name();
            return Err(refuse(format!(
                "it contains lines other than {lines} entries, which would be lost; rename or remove it"
            )));
        };
        // An earlier run wrote it, so its digests were those of the state.
        let is_written =
            folder.own.as_ref().is_some_and(|own| own.accepted == 0 && own.digests == self.digests(text));
        let mut kept = Vec::new();
        for entry in entries {
            let shown = display_safe(&entry.path);
            if entry.path.contains(&b'/') {
                return Err(refuse(format!("it has an entry of a file in another folder, {shown}")));
            }
            let Ok(at) = folder.files.binary_search_by(|(name, _)| name.cmp(&entry.path)) else {
                let file = [&folder.name[..], &entry.path].concat();
                if self.root.stat(&file, false).is_ok() {
                    kept.push(entry);
                }
                continue;
            };
            let record = &folder.files[at].1;
            let own = self.entry(&entry.path, &record.digests);
            let is_newer = record.mtime.is_some_and(|time| time > mtime);
            if !is_written && !is_newer && !entry.digests.iter().all(|digest| own.digests.contains(digest)) {
                return Err(refuse(format!(
                    "its digest of {shown} differs from the recorded one, although the file has not been modified since; if the recorded digest is right, remove this entry"
                )));
            }
        }
        Ok(kept)
    }

    fn entry(&self, name: &[u8], digests: &[Digest]) -> Entry {
        let digests = self.specs.iter().cloned().zip(digests.iter().cloned()).collect();
        Entry { path: name.to_vec(), digests, ..Entry::default() }
    }

    /// Returns the text of a manifest with these entries.
    fn text(&self, path: &[u8], entries: &[Entry]) -> Result<Vec<u8>, Error> {
        let fail = |why: &dyn std::fmt::Display| Error::new(path, "write", Cause::Other(why.to_string()));
        let mut writer = Writer::new(Vec::new(), self.format, &Heading::default());
        for entry in entries {
            let name = display_safe(&entry.path);
            writer.write(entry).map_err(|why| fail(&format_args!("{name}: {why}")))?;
        }
        writer.finish().map_err(|why| fail(&why))
    }

    fn digests(&self, text: &[u8]) -> Vec<Digest> {
        self.specs.iter().map(|spec| spec.digest(text)).collect()
    }
}
