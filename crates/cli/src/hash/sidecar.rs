//! Manifests next to the files that they list: one in each folder (`--per-directory`), or one for
//! each file (`--sidecar`).
//!
//! Each is written atomically, and replaces only an earlier manifest.

use crate::console::Console;
use crate::earlier::{EarlierManifest, NAMED};
use crate::exit::Refusal;
use crate::hash::plan::{Form, Hashing, Place, heading};
use crate::hash::replacing::{Accept, Collected, IMPLICIT_NAME, refused, refused_at};
use crate::notices::report;
use crate::options::Reporting;
use crate::output::{not_replaced, read_replaceable};
use crate::tasks::{digests_by, under_file_name};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use truesum::hash::{Secret, Spec};
use truesum::manifest::path::display_safe;
use truesum::manifest::{self, Entry, Format, Style, Time, WriteError, Writer, Writing, algorithm_from_name};
use truesum::update::{SIGNATURES, is_detached_signature};
use truesum::walk::ExcludedCounts;
use truesum::write::coarse_now;
use truesum::{Cause, Error, FileResult, Job, Notice, Outcome, Sink, Task, create_in_folder, open_folder};
use truesum_fs::handle;
use truesum_fs::name::OsStrExt;

/// Returns the name of the manifest of a folder. If possible, readers can determine the algorithm
/// from it.
pub fn folder_name(format: &Format, specs: &[Spec]) -> String {
    let of = |spec: &Spec| {
        let short = spec.tag().replace("BLAKE2b", "B2").replace("BLAKE3", "B3");
        let name = format!("{short}SUMS");
        (algorithm_from_name(name.as_bytes()).as_ref() == Some(spec)).then_some(name)
    };
    let ending = format.file_names().iter().find(|end| end.starts_with('.'));
    match (specs, ending) {
        ([spec], _) if manifest::format("gnu") == Some(format) || format.tagged().is_some() => {
            of(spec).unwrap_or_else(|| "CHECKSUMS".to_owned())
        }
        (_, Some(ending)) if format.name() != "gnu" => format!("checksums{ending}"),
        ([spec], _) => of(spec).unwrap_or_else(|| "CHECKSUMS".to_owned()),
        _ => "CHECKSUMS".to_owned(),
    }
}

/// Returns the extension, without the dot, that is appended to the name of a file to get that of
/// its manifest.
fn ending(format: &Format, spec: &Spec) -> String {
    let own = format.file_names().iter().find(|end| end.starts_with('.'));
    match own {
        Some(end) if !matches!(format.name(), "gnu" | "bsd" | "jsonl") => end[1..].to_owned(),
        _ => spec.algorithm().name().to_owned(),
    }
}

/// The files to hash: all except the manifests that such runs write, for any algorithm.
pub struct Content<'p, T> {
    tasks: T,
    place: Place,
    name: &'p str,
    earlier: EarlierManifests<'p>,
    /// Numbers of manifests and of their signatures that were skipped.
    pub passed: u64,
    pub signatures: u64,
}

impl<'p, T> Content<'p, T> {
    /// Creates an iterator over the files of `tasks`.
    pub fn new(tasks: T, place: Place, name: &'p str, plan: &'p Hashing) -> Content<'p, T> {
        Content {
            tasks,
            place,
            name,
            earlier: EarlierManifests::new(place, name, plan),
            passed: 0,
            signatures: 0,
        }
    }

    /// Returns the underlying tasks.
    pub fn inner(&self) -> &T {
        &self.tasks
    }

    /// Returns what a file is if an earlier run wrote it, or if it is a signature of such a manifest.
    fn own(&self, job: &Job) -> Option<Own> {
        let base = Path::new(OsStr::from_bytes(job.path())).file_name().unwrap_or_default();
        let signed = SIGNATURES.iter().find_map(|end| base.as_bytes().strip_suffix(end.as_bytes()));
        let name = signed.map_or(base, OsStr::from_bytes);
        let (is_of_run, is_folder) = (
            self.place == Place::Folder && name.as_bytes() == self.name.as_bytes(),
            is_folder_name(name.as_bytes()),
        );
        let stem = sidecar_of(Path::new(name));
        if is_of_run && signed.is_none() {
            return Some(Own::Manifest);
        }
        if !is_of_run && !is_folder && stem.is_none() {
            return None;
        }
        // The path may be too long for the system to open, so the file is opened relative to its
        // folder.
        let folder = open_folder(job, base.as_bytes()).ok()?;
        let folder = handle::path_of(&folder).ok()?;
        if signed.is_some() && !is_detached_signature(&folder.join(base)) {
            return None;
        }
        let path = folder.join(name);
        let is_sidecar = stem.is_some_and(|stem| path.with_file_name(stem).symlink_metadata().is_ok());
        // Data files may have the extension of a format, and reading them takes longer than hashing them.
        if !is_of_run && !is_folder && !is_sidecar {
            return None;
        }
        let mut has_stem = false;
        let mut look = |entry: Entry| has_stem |= stem.is_some_and(|stem| stem.as_bytes() == entry.path);
        let is_manifest = matches!(read_replaceable(&path, None, &mut look), Ok(Some(_)));
        let is_own = is_of_run || is_manifest && (is_folder || has_stem && is_sidecar);
        is_own.then_some(if signed.is_some() { Own::Signature } else { Own::Manifest })
    }
}

/// A file that is not hashed.
enum Own {
    Manifest,
    Signature,
}

/// Returns whether [`folder_name`] can return this name for any format and algorithm.
fn is_folder_name(base: &[u8]) -> bool {
    let is_ending = |end: &[u8]| {
        manifest::FORMATS.iter().any(|format| format.file_names().iter().any(|name| name.as_bytes() == end))
    };
    base == b"CHECKSUMS"
        || base.ends_with(b"SUMS") && algorithm_from_name(base).is_some()
        || base.strip_prefix(b"checksums").is_some_and(|end| end.starts_with(b".") && is_ending(end))
}

/// Returns the name of the file whose sidecar has this name, if the extension is that of an
/// algorithm or a format.
fn sidecar_of(base: &Path) -> Option<&OsStr> {
    let end = base.extension()?.to_str()?;
    let is_format = || {
        let end = format!(".{end}");
        let is_written = |format: &&Format| !matches!(format.writing(), Writing::No);
        manifest::FORMATS
            .iter()
            .copied()
            .filter(is_written)
            .any(|format| format.file_names().contains(&&end[..]))
    };
    base.file_stem().filter(|_| end.parse::<Spec>().is_ok() || is_format())
}

impl<T: Iterator<Item = Task>> Iterator for Content<'_, T> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        loop {
            match self.tasks.next()? {
                Task::File(mut job) => match self.own(&job) {
                    Some(Own::Manifest) => self.passed += 1,
                    Some(Own::Signature) => self.signatures += 1,
                    None => {
                        // The receiver of the outcomes reports what cannot be read.
                        self.earlier.enter(folder_of(job.path()));
                        self.earlier.widen(&mut job);
                        return Some(under_file_name(Task::File(job)));
                    }
                },
                task => return Some(task),
            }
        }
    }
}

/// The earlier manifests that may contain an entry for a file: that of its folder, which is replaced, and those of the same
/// name in the folders above it, as far as its path names them.
struct EarlierManifests<'p> {
    place: Place,
    name: String,
    plan: &'p Hashing,
    /// The folders, outermost first.
    folders: Vec<FolderManifest>,
}

/// The earlier manifest of a folder.
struct FolderManifest {
    /// The path of the folder with a slash at its end, or nothing for the current folder.
    folder: Vec<u8>,
    path: PathBuf,
    /// The manifest, if there is one and it has not been replaced.
    manifest: Option<EarlierManifest>,
}

impl<'p> EarlierManifests<'p> {
    fn new(place: Place, name: &str, plan: &'p Hashing) -> EarlierManifests<'p> {
        EarlierManifests { place, name: name.to_owned(), plan, folders: Vec::new() }
    }

    /// Goes to a folder. Returns notes on manifests that cannot be compared, or not completely.
    fn enter(&mut self, folder: &[u8]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.place != Place::Folder || self.plan.accept.overwrite {
            return notes;
        }
        while let Some(left) = self.folders.pop_if(|above| !folder.starts_with(&above.folder)) {
            notes.extend(left.manifest.and_then(|manifest| manifest.uncompared(&left.path)));
        }
        let known = self.folders.last().map(|above| above.folder.len());
        let is_relative = !folder.starts_with(b"/") && !folder.starts_with(b"./");
        let ends = folder.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        let ends = is_relative.then_some(0).into_iter().chain(ends);
        for end in ends.filter(|end| known.is_none_or(|known| *end > known)) {
            let above = folder[..end].to_vec();
            let path = Path::new(OsStr::from_bytes(&above)).join(&self.name);
            let manifest = EarlierManifest::read(
                &path,
                None,
                &[],
                Some(&self.plan.reading.specs),
                self.plan.key.as_ref(),
            );
            // One in the folder itself is not replaced if it cannot be read.
            if let (Err(why), true) = (&manifest, end < folder.len()) {
                let path = display_safe(path.as_os_str().as_bytes());
                notes.push(format!(
                    "{path}: the files were not compared with this manifest, because it {why}"
                ));
            }
            self.folders.push(FolderManifest { folder: above, path, manifest: manifest.ok().flatten() });
        }
        notes
    }

    /// Adds algorithms to a job in the folder if its file could not be compared with the manifests otherwise.
    fn widen(&self, job: &mut Job) {
        let widened = self.folders.iter().filter_map(|above| {
            let name = &job.path()[above.folder.len()..];
            above.manifest.as_ref()?.recorded.widened(name)
        });
        let widened: Vec<_> = widened.collect();
        for specs in widened {
            job.add_specs(&specs);
        }
    }

    /// Compares the entries of a folder with the manifests of the folders above it. Returns the refusal to record them if any of
    /// their files is corrupt.
    fn compare_above(&mut self, folder: &[u8], entries: &[Entry], path: &Path) -> Option<Refusal> {
        for above in self.folders.iter_mut().filter(|above| above.folder.len() < folder.len()) {
            let Some(manifest) = &mut above.manifest else { continue };
            let mut corrupt = Vec::new();
            for entry in entries {
                let before = manifest.corrupt;
                let name = [&folder[above.folder.len()..], &entry.path].concat();
                manifest.compare(&Entry { path: name, ..entry.clone() });
                if manifest.corrupt > before {
                    corrupt.push(display_safe(&entry.path));
                }
            }
            if !corrupt.is_empty() {
                let number = corrupt.len() as u64;
                corrupt.truncate(NAMED);
                return Some(manifest.corrupt_refusal(path, Some(&above.path), number, &corrupt));
            }
        }
        None
    }

    /// Removes and returns the manifest of a folder, which is to be replaced.
    fn take(&mut self, folder: &[u8]) -> Option<EarlierManifest> {
        self.folders.iter_mut().find(|above| above.folder == folder)?.manifest.take()
    }

    /// Records that the entries of a folder were not written.
    fn forget(&mut self, folder: &[u8], entries: &[Entry]) {
        for above in self.folders.iter_mut().filter(|above| above.folder.len() < folder.len()) {
            let Some(manifest) = &mut above.manifest else { continue };
            for entry in entries {
                manifest.forget(&[&folder[above.folder.len()..], &entry.path].concat());
            }
        }
    }
}

/// Returns the folder of a path with a slash at its end, or nothing for the current folder.
fn folder_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &path[..end]
}

/// A folder whose files are being hashed.
struct Level {
    /// Its path with a slash at the end, or empty for the current folder.
    folder: Vec<u8>,
    /// A file in it, with which the folder can be opened.
    of: Option<Job>,
    entries: Vec<Entry>,
    lacking: u64,
}

/// The reason why a manifest was not written.
enum Reason {
    Refused(Refusal),
    Failed(Error),
}

/// Writes manifests next to their files.
pub struct SidecarWriter<'a> {
    console: &'a mut Console,
    place: Place,
    name: String,
    format: &'static Format,
    style: Style,
    specs: Vec<Spec>,
    key: Option<&'a Secret>,
    accept: Accept,
    reporting: Reporting,
    earlier: EarlierManifests<'a>,
    /// The time when the run began. Manifests get this modification time, because all files were
    /// read later.
    began: Time,
    /// The folder of the last file, and its parent folders that contain files.
    levels: Vec<Level>,
    /// Number of manifests written.
    pub written: u64,
    /// Number of files in these manifests.
    pub listed: u64,
    /// Number of manifests that were not written.
    pub refused: u64,
}

impl<'a> SidecarWriter<'a> {
    /// Creates a sink that writes manifests with this name in this place.
    pub fn new(console: &'a mut Console, place: Place, name: &str, plan: &'a Hashing) -> SidecarWriter<'a> {
        let Form::Entries(format, style) = plan.form else { unreachable!("refused with --raw") };
        SidecarWriter {
            console,
            place,
            name: name.to_owned(),
            format,
            style,
            specs: plan.reading.specs.to_vec(),
            key: plan.key.as_ref(),
            accept: plan.accept,
            reporting: plan.reading.reporting,
            earlier: EarlierManifests::new(place, name, plan),
            began: coarse_now(),
            levels: Vec::new(),
            written: 0,
            listed: 0,
            refused: 0,
        }
    }

    /// Returns the console when the run is finished.
    pub fn console(self) -> &'a mut Console {
        self.console
    }

    /// Enters the folder of a file, and writes the manifests of folders that are complete.
    fn enter(&mut self, path: &[u8]) -> &mut Level {
        let folder = folder_of(path);
        while let Some(level) = self.levels.pop_if(|level| !folder.starts_with(&level.folder)) {
            self.write_folder(&level);
        }
        self.note_earlier(folder);
        if self.levels.last().is_none_or(|level| level.folder != folder) {
            self.levels.push(Level { folder: folder.to_vec(), of: None, entries: Vec::new(), lacking: 0 });
        }
        self.levels.last_mut().expect("one was pushed")
    }

    /// Writes the remaining manifests.
    pub fn finish(&mut self) {
        while let Some(level) = self.levels.pop() {
            self.write_folder(&level);
        }
        self.note_earlier(b"/");
    }

    /// Goes to a folder with the earlier manifests, and prints notes on them.
    fn note_earlier(&mut self, folder: &[u8]) {
        let notes = self.earlier.enter(folder);
        notes.iter().filter(|_| self.reporting.notes).for_each(|note| self.console.note(note));
    }

    fn write_folder(&mut self, level: &Level) {
        let path = [&level.folder, self.name.as_bytes()].concat();
        let specs = self.specs.clone();
        self.write(&path, level.of.as_ref(), &level.entries, level.lacking, &specs);
    }

    fn write_sidecars(&mut self, job: &Job, entry: &Entry) {
        for (at, spec) in self.specs.clone().into_iter().enumerate() {
            let path = [job.path(), b".", ending(self.format, &spec).as_bytes()].concat();
            let digests = vec![entry.digests[at].clone()];
            self.write(&path, Some(job), &[Entry { digests, ..entry.clone() }], 0, &[spec]);
        }
    }

    /// Writes a manifest into the folder of a file. Does nothing if the folder has no files.
    fn write(&mut self, path: &[u8], of: Option<&Job>, entries: &[Entry], lacking: u64, specs: &[Spec]) {
        let shown = Path::new(OsStr::from_bytes(path));
        let listed = entries.len() as u64;
        if listed == 0 && lacking == 0 {
            return;
        }
        let (left_out, over) = (ExcludedCounts::default(), Some(IMPLICIT_NAME));
        let collected = Collected { listed, lacking, may_lack: true, list_read: true, left_out, over };
        let written = match of {
            None => {
                refused(shown, collected, self.accept).map_or(Ok(Vec::new()), Err).map_err(Reason::Refused)
            }
            Some(job) => self.write_file(job, path, collected, entries, specs),
        };
        match written {
            Ok(notes) => {
                self.written += u64::from(of.is_some());
                self.listed += listed;
                notes.iter().for_each(|note| self.console.note(note));
                return;
            }
            Err(Reason::Refused(refusal)) => drop(self.console.refuse(&refusal)),
            Err(Reason::Failed(error)) => self.console.failure(&error.with_name(path)),
        }
        self.earlier.forget(folder_of(path), entries);
        self.refused += 1;
    }

    fn write_file(
        &mut self,
        job: &Job,
        path: &[u8],
        collected: Collected,
        entries: &[Entry],
        specs: &[Spec],
    ) -> Result<Vec<String>, Reason> {
        let shown = Path::new(OsStr::from_bytes(path));
        let base = shown.file_name().unwrap_or_default().as_bytes();
        let mut file = create_in_folder(job, base).map_err(Reason::Failed)?;
        file.set_date(self.began);
        if let Some(refusal) = refused_at(shown, file.target(), collected, self.accept) {
            return Err(Reason::Refused(refusal));
        }
        let fail = |why: &str| Reason::Failed(Error::new(path, "write", Cause::Other(why.to_owned())));
        if file.target().is_symlink() {
            return Err(fail("it is a symbolic link, so it is not replaced"));
        }
        let mut notes = Vec::new();
        if !self.accept.overwrite {
            if let Some(refusal) = self.earlier.compare_above(folder_of(path), entries, shown) {
                return Err(Reason::Refused(refusal));
            }
            let earlier = match self.earlier.take(folder_of(path)) {
                None => EarlierManifest::read(file.target(), None, &[], Some(&specs.into()), self.key),
                earlier => Ok(earlier),
            };
            if let Some(mut earlier) = earlier.map_err(|why| Reason::Refused(not_replaced(shown, &why)))? {
                entries.iter().for_each(|entry| earlier.compare(entry));
                if let Some(refusal) = earlier.refusal(shown, Some(self.format)) {
                    return Err(Reason::Refused(refusal));
                }
                notes.extend(earlier.notes(shown, Some(self.format)));
                notes.retain(|_| self.reporting.notes);
            }
        }
        let text = self.text(path, entries, specs).map_err(Reason::Failed)?;
        let written = file.write_all(&text).map_err(|error| Reason::Failed(Error::io(path, "write", error)));
        written.and_then(|()| file.commit().map_err(Reason::Failed)).map(|()| notes)
    }

    fn text(&self, path: &[u8], entries: &[Entry], specs: &[Spec]) -> Result<Vec<u8>, Error> {
        let format = manifest::for_file(self.format, specs, self.style.digest_spelling(), path);
        let mut writer = Writer::new(Vec::new(), format, &heading(self.style, specs, None, &[]));
        let failed = |error: WriteError| match error {
            WriteError::Io(error) => Error::io(path, "write", error),
            WriteError::Refused(why) => Error::new(path, "write", Cause::Other(why.to_string())),
        };
        let written = |entry: &Entry| {
            let digests = entry.digests.iter().take(specs.len()).cloned().collect();
            writer.write(&Entry { digests, ..entry.clone() })
        };
        entries.iter().try_for_each(written).map_err(failed)?;
        writer.finish().map_err(failed)
    }
}

/// Returns the entry of a file, with its name relative to its folder.
fn entry(job: &Job, found: FileResult, requested: &[Spec]) -> Entry {
    let path = job.path();
    let (seconds, nanos) = found.mtime();
    Entry {
        path: path[folder_of(path).len()..].to_vec(),
        size: Some(found.size()),
        mtime: Some(Time { seconds, nanos }),
        digests: digests_by(requested, job, found.into_digests()),
        ..Entry::default()
    }
}

impl Sink for SidecarWriter<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        match (self.place, result) {
            (Place::Folder, Ok(found)) => {
                let entry = entry(&job, found, &self.specs);
                let level = self.enter(job.path());
                level.entries.push(entry);
                level.of.get_or_insert(job);
            }
            (Place::File, Ok(found)) => {
                let entry = entry(&job, found, &self.specs);
                self.write_sidecars(&job, &entry);
            }
            (place, Err(error)) => {
                self.console.failure(&error);
                if place == Place::Folder {
                    self.enter(job.path()).lacking += 1;
                }
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        if let Notice::Failed(error) = &notice
            && self.place == Place::Folder
            && error.action() != "list"
        {
            self.enter(error.name()).lacking += 1;
        }
        report(&notice, self.reporting, ("not read", "not hashed"), self.console);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_and_sidecar_names_follow_the_algorithm() {
        for (format, specs, name) in [
            ("gnu", &["sha256"][..], "SHA256SUMS"),
            ("gnu", &["md5"], "MD5SUMS"),
            ("gnu", &["blake3"], "B3SUMS"),
            ("bsd", &["sha512"], "SHA512SUMS"),
            ("gnu", &["sha256", "md5"], "CHECKSUMS"),
            ("sfv", &["crc32"], "checksums.sfv"),
            ("jsonl", &["sha256"], "checksums.jsonl"),
        ] {
            let specs: Vec<Spec> = specs.iter().map(|name| name.parse().unwrap()).collect();
            assert_eq!(folder_name(manifest::format(format).unwrap(), &specs), name);
        }
        let ending =
            |format: &str, spec: &str| ending(manifest::format(format).unwrap(), &spec.parse().unwrap());
        assert_eq!(ending("gnu", "sha256"), "sha256");
        assert_eq!(ending("bsd", "blake3"), "blake3");
        assert_eq!(ending("sfv", "crc32"), "sfv");
        assert_eq!(ending("jsonl", "md5"), "md5");
    }
}
