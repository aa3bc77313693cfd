//! The entries of a manifest as tasks, created while it is read.

use crate::io::open::Root;
use crate::job::Job;
use crate::select::Selection;
use crate::task::{BadLine, Notice, Task};
use crate::verify::containers::archive::{by_hash, is_release};
use crate::verify::containers::bag;
use crate::verify::diversions::installed_names;
use crate::verify::entries::filter::{EntryFilter, Pick};
use crate::verify::listed::ListedNames;
use crate::verify::options::Options as CheckOptions;
use crate::verify::pieces::{self, Join, Pieced};
use crate::verify::place::in_folder;
use crate::verify::rotation::state::{Key, key};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::{self, BACKSLASH_SEPARATES, OsStrExt, entry_name};
use truesum_hash::Spec;
use truesum_manifest::path;
use truesum_manifest::{
    Entry, Format, Joined, Line, LineError, Omitted, Options, PieceList, Place, ReadError, Reader, Reason,
    Rules, Signer, Window, usual, weak,
};

/// The maximum number of entries of one file that are kept in case the sample is empty. More would only occur in an
/// attack.
const MAX_SPARE: usize = 1024;

/// The entries of a manifest as tasks.
///
/// Lines for one file become one job, so that several algorithms need a single read ([`Window`]). Every line is verified,
/// even if it repeats a name.
pub struct Entries<'a, R> {
    reader: Reader<R>,
    /// The lines that were read ahead.
    window: Window,
    root: &'a Root,
    /// The absolute paths of the root: names that begin with one are inside it.
    paths: Vec<Vec<u8>>,
    /// The index of the manifest, for [`Job::origin`].
    origin: usize,
    /// The names in the manifest, recorded if files that are not in it will be searched for.
    listed: Option<&'a mut ListedNames>,
    /// Entries with piece digests, which are verified together because a piece may contain bytes of several files.
    pieced: Join,
    /// A notice to be returned after the job before it.
    pending: Option<Notice>,
    /// The positions of the lines of the last job after the first one.
    others: Vec<Place>,
    /// The specs of the last job; equal ones are shared.
    specs: Arc<[Spec]>,
    /// The name for the algorithms of the last job, if a matching digest does not rule out tampering.
    weak: Option<String>,
    facts: Facts,
    /// The selection of the entries that become tasks.
    filter: EntryFilter,
    /// The number of malformed lines that are reported individually.
    reported: u64,
    /// The entries of a file that are excluded only by the sample, and their key: they are checked if the sample is empty.
    spare: Option<(u64, VecDeque<Job>)>,
    /// The file or folder that the entries belong to.
    data: Option<Data>,
    /// Whether entries must have a keyed digest: if the user gives a key, digests that anyone can
    /// compute do not count.
    keyed: bool,
    /// Whether names may be by digest, as in Debian archives.
    release: bool,
    /// The names of files that dpkg has installed under another one.
    diverted: HashMap<Vec<u8>, Vec<u8>>,
    /// Whether all names must belong to a bag's payload.
    payload: bool,
    /// Entries that failed when they were last read, if a state is kept.
    failed: HashSet<Key>,
    /// The names of such entries that are not selected.
    left_out_failed: Vec<Vec<u8>>,
    /// Algorithms to compute in addition to those of the expected digests.
    also: Vec<Spec>,
}

/// The file that the only entry of a manifest belongs to, or the folder that has another name in a manifest.
struct Data {
    path: Vec<u8>,
    is_folder: bool,
    /// The name in the first entry, of the file or of the folder.
    known: Option<Vec<u8>>,
}

/// The facts learned about a manifest while its entries were read.
#[derive(Debug, Default)]
pub struct Facts {
    /// The number of jobs for selected entries.
    pub(crate) jobs: u64,
    /// The number of entries that are not selected.
    pub(crate) left_out: u64,
    /// The number of malformed lines.
    pub(crate) malformed: u64,
    /// The number of entries per algorithm for which a matching digest does not rule out tampering.
    pub(crate) weak: BTreeMap<String, u64>,
    /// The number of malformed lines that were only counted.
    pub(crate) unreported: u64,
    /// An algorithm that was determined only by the digest length.
    pub(crate) guessed: Option<Spec>,
    /// The error that ended reading early, if any.
    pub(crate) failed: Option<io::Error>,
}

impl Facts {
    /// Returns the number of jobs for selected entries.
    pub fn jobs(&self) -> u64 {
        self.jobs
    }

    /// Returns the error that ended reading early, if any.
    pub fn into_failure(self) -> Option<io::Error> {
        self.failed
    }
}

impl<'a, R: Read> Entries<'a, R> {
    /// Returns the entries of manifest number `origin`, to be resolved in `root`.
    ///
    /// Entries without a digest become jobs without algorithms: their files are examined but not read.
    pub fn new(
        manifest: R,
        options: Options,
        root: &'a Root,
        origin: usize,
        listed: Option<&'a mut ListedNames>,
    ) -> Entries<'a, R> {
        let keyed = options.requested_algorithms().is_empty() && options.secret().is_some();
        let release = options.manifest_name().is_some_and(is_release);
        let name = options.manifest_name().map(|name| Path::new(OsStr::from_bytes(name)));
        let (diverted, failed) = match name.map(installed_names).transpose() {
            Ok(names) => (names.unwrap_or_default(), None),
            Err(error) => (HashMap::new(), Some(io::Error::other(error))),
        };
        let options = options.allow_undigested(true).allow_pieces(true);
        Entries {
            reader: Reader::new(manifest, options),
            window: Window::default(),
            root,
            paths: Vec::new(),
            origin,
            listed,
            pieced: Join::default(),
            pending: None,
            others: Vec::new(),
            specs: Arc::new([]),
            weak: None,
            facts: Facts { failed, ..Facts::default() },
            filter: EntryFilter::default(),
            spare: None,
            reported: u64::MAX,
            data: None,
            keyed,
            release,
            diverted,
            payload: false,
            failed: HashSet::new(),
            left_out_failed: Vec::new(),
            also: Vec::new(),
        }
    }

    /// Returns the names of the entries found so far that failed when they were last read and are
    /// not selected.
    pub(crate) fn left_out_failed(&self) -> &[Vec<u8>] {
        &self.left_out_failed
    }

    fn leave_out(&mut self, job: &Job) {
        self.facts.left_out += 1;
        if !self.failed.is_empty() && self.failed.contains(&key(job)) {
            self.left_out_failed.push(job.name.clone());
        }
    }

    /// Returns the positions of the lines after the first one that the last job was joined from.
    pub(crate) fn others(&self) -> &[Place] {
        &self.others
    }

    /// Creates tasks only for selected entries.
    pub fn selecting(self, select: &Selection) -> Entries<'a, R> {
        Entries { filter: EntryFilter::new(select), ..self }
    }

    /// Applies the manifest to this file or folder. A file requires a single entry; a folder
    /// requires that all names begin with the same folder, or that none has a folder. Any other
    /// entry is malformed.
    pub(crate) fn of_data(self, data: Option<&Path>) -> Entries<'a, R> {
        let data = data.map(|data| Data {
            path: name::of(data).into_owned(),
            is_folder: data.is_dir(),
            known: None,
        });
        Entries { data, ..self }
    }

    /// Applies the options of a check. Records which of the entries that failed when they were last read are not
    /// selected. With `payload`, an entry that does not belong to a bag's payload is malformed.
    pub(crate) fn for_check(
        self,
        options: &CheckOptions,
        failed: HashSet<Key>,
        payload: bool,
    ) -> Entries<'a, R> {
        let (reported, also) = (options.max_malformed_reported.unwrap_or(u64::MAX), options.also.clone());
        let entries = self.selecting(&options.read.select).of_data(options.read.data.as_deref());
        Entries { reported, also, failed, payload, ..entries }
    }

    /// Returns why an entry must not be in this manifest.
    fn stray(&mut self, line: &Line) -> Option<&'static str> {
        if self.is_of_another(line) {
            Some(match &self.data {
                Some(data) if data.is_folder => "an entry for a file in a different folder",
                _ => "an entry for a different file; specify the folder instead of a single file",
            })
        } else if self.is_also_a_name(&line.entry) {
            Some("either a piece of a file or another file with this name, which exists")
        } else if self.payload && !bag::is_payload(&line.entry.path) {
            Some("the name is not in the payload folder (data/)")
        } else {
            None
        }
    }

    /// Returns whether an entry is that of a folder whose kind the manifest leaves out. Like other folders, it is not
    /// verified.
    fn is_folder(&self, entry: &Entry) -> bool {
        entry.digests.is_empty()
            && entry.pieces.is_empty()
            && entry.size.is_none()
            && entry.untyped
            && self.root.is_folder(OsStr::from_bytes(&entry.path))
    }

    /// Returns whether an entry belongs to a file or folder other than the only one.
    fn is_of_another(&mut self, line: &Line) -> bool {
        let Some(Data { is_folder, known, .. }) = &mut self.data else { return false };
        let path = &line.entry.path[..];
        // A name without a folder, as in the torrent of a single file, is that of a file in the folder.
        let name = if *is_folder { in_folder(path).map_or(&b""[..], |(folder, _)| folder) } else { path };
        known.get_or_insert_with(|| name.to_vec()) != name
    }

    /// Returns whether an entry with the first piece of a file, as in `name offset 0-4`, may also be that of a file with this
    /// name, which exists.
    fn is_also_a_name(&self, entry: &Entry) -> bool {
        let is_named = self
            .reader
            .format()
            .is_some_and(|format| ["hashdeep", "hashdeep-z", "md5deep"].contains(&format.name()));
        let covered = entry.pieces.first().filter(|_| is_named).map(PieceList::covered);
        covered.filter(|covered| covered.start == 0).is_some_and(|covered| {
            let range = format!(" offset 0-{}", covered.end - 1);
            self.root.exists(OsStr::from_bytes(&[&entry.path, range.as_bytes()].concat()))
        })
    }

    /// Treats absolute names below `folder`, the path of the root, as relative to it.
    pub fn of_folder(mut self, folder: &Path) -> Entries<'a, R> {
        // Use the path as the system resolves it and as the user spells it. Neither is trusted:
        // names are opened beneath the root.
        let paths = [std::fs::canonicalize(folder), std::path::absolute(folder)];
        self.paths = paths.into_iter().flatten().map(entry_name).collect();
        self
    }

    /// Returns an absolute name relative to the root, if it is inside it.
    fn relative(&self, name: &[u8]) -> Option<Vec<u8>> {
        let below = |path: &Vec<u8>| {
            let rest = name.strip_prefix(path.strip_suffix(b"/").unwrap_or(path))?.strip_prefix(b"/")?;
            let rest = &rest[rest.iter().take_while(|&&byte| byte == b'/').count()..];
            (!rest.is_empty()).then(|| rest.to_vec())
        };
        self.paths.iter().find_map(below)
    }

    /// Returns the manifest's format, once its beginning has been read.
    pub fn format(&self) -> Option<&'static Format> {
        self.reader.format()
    }

    /// Returns the signer of the manifest, once its beginning has been read.
    pub(crate) fn signer(&self) -> Option<Signer> {
        self.reader.signer()
    }

    /// Returns the algorithms in the manifest that are not supported and therefore not compared, with the number of
    /// entries.
    pub(crate) fn unread(&self) -> &[(String, u64)] {
        self.reader.all_unread()
    }

    /// Returns the objects in the manifest that are not regular files and therefore not compared.
    pub(crate) fn omitted(&self) -> &[Omitted] {
        self.reader.omitted()
    }

    /// Returns the rules of the manifest so far.
    pub(crate) fn rules(&self) -> Rules {
        self.reader.rules()
    }

    /// Returns the number of entries so far that have piece digests and are not among the tasks.
    pub fn pieced(&self) -> usize {
        self.pieced.len()
    }

    /// Returns the entries with piece digests, which are not among the tasks.
    pub(crate) fn take_pieced(&mut self) -> Vec<Pieced> {
        self.pieced.take()
    }

    /// Returns the selected entries with piece digests. If one file of a sequence is selected, all
    /// its files are.
    pub(crate) fn take_pieced_picked(&mut self) -> Vec<Pieced> {
        let (root, all) = (self.root, self.pieced.take());
        let (files, left_out) = pieces::picked(all, |job| self.filter.pick(job, root));
        for file in &files {
            let by = pieces::verifying_algorithms(file);
            self.note(&by[0], by.iter().find_map(|specs| weak_name(specs)).as_deref());
        }
        self.facts.jobs += files.len() as u64;
        self.facts.left_out += left_out;
        files
    }

    /// Adds the name under which a file in the manifest was found.
    pub(crate) fn add_name(&mut self, name: &[u8]) {
        if let Some(listed) = &mut self.listed {
            listed.add(name);
        }
    }

    /// Returns the facts learned so far.
    pub fn facts(self) -> Facts {
        self.facts
    }

    /// Returns the next valid line; a malformed one is stored in `pending`.
    fn line(&mut self) -> Option<Joined> {
        // The names of diverted files are not known.
        if self.facts.failed.is_some() {
            return None;
        }
        loop {
            match self.window.next(&mut self.reader)? {
                Ok(joined) if self.is_folder(&joined.line.entry) => {}
                Ok(joined) => {
                    let line = &joined.line;
                    let Some(why) = self.stray(line) else { return Some(joined) };
                    let reason = Reason::Part(why);
                    self.facts.malformed += 1;
                    self.pending = Some(Notice::Malformed(LineError { at: line.at, reason }.into()));
                    return None;
                }
                Err(ReadError::Line(_)) if self.facts.malformed >= self.reported => {
                    self.facts.malformed += 1;
                    self.facts.unreported += 1;
                }
                Err(ReadError::Line(error)) => {
                    self.facts.malformed += 1;
                    self.pending = Some(Notice::Malformed(error.into()));
                    return None;
                }
                Err(ReadError::Io(error)) => {
                    self.facts.failed = Some(error);
                    return None;
                }
            }
        }
    }

    fn job(&mut self, joined: Joined) -> Job {
        let Joined { line: Line { at, entry }, others } = joined;
        let Entry { path, size, mtime, digests, alternatives, pieces, .. } = entry;
        let (specs, expected): (Vec<_>, Vec<_>) = digests.into_iter().unzip();
        self.others = others;
        if self.specs[..] != specs[..] {
            self.weak = weak_name(&specs);
            self.specs = specs.into();
        }
        let named = self.data.as_ref().map(|data| match in_folder(&path) {
            _ if !data.is_folder => data.path.clone(),
            Some((_, name)) => name.to_vec(),
            None => path.clone(),
        });
        let mut open = named.or_else(|| self.relative(&path));
        let is_url = self.reader.format().is_some_and(|row| row.capabilities().file_urls());
        if open.is_none() && is_url && !self.root.exists(OsStr::from_bytes(&path)) {
            open = self.relative(&[b"/", &path[..]].concat());
        }
        let is_name = |path: &[u8]| !BACKSLASH_SEPARATES && self.root.exists(OsStr::from_bytes(path));
        if open.is_none() && path.contains(&b'\\') && !is_name(&path) {
            open = path::alternatives(&path).find(|name| self.root.exists(OsStr::from_bytes(name)));
        }
        if self.release && open.is_none() && !self.root.exists(OsStr::from_bytes(&path)) {
            let there = |name: &Vec<u8>| self.root.exists(OsStr::from_bytes(name));
            open = by_hash(&path, &self.specs, &expected).find(there);
        }
        open = open.or_else(|| self.diverted.get(&path).cloned());
        if let Some(listed) = &mut self.listed {
            listed.add(open.as_deref().unwrap_or(&path));
        }
        let specs = self.specs.clone();
        let exempt = expected.is_empty()
            && pieces.is_empty()
            && self.reader.format().is_some_and(|row| row.capabilities().exempts(&path));
        let origin = (self.origin, at);
        let alternatives = alternatives.into_boxed_slice();
        Job { open, alternatives, size, mtime, exempt, origin, ..Job::entry(path, specs, expected) }
    }

    /// Returns the next line that becomes a task of its own.
    fn single(&mut self) -> Option<Joined> {
        loop {
            let joined = self.line()?;
            if joined.line.entry.pieces.is_empty() {
                return Some(joined);
            }
            let pieces = joined.line.entry.pieces.clone();
            let job = self.job(joined);
            self.pieced.add(job, pieces);
        }
    }

    /// Returns the task for a selected entry.
    fn task(&mut self, mut job: Job) -> Task {
        self.facts.jobs += 1;
        match Arc::ptr_eq(&job.specs, &self.specs) {
            true => {
                let weak = self.weak.take();
                self.note(&job.specs, weak.as_deref());
                self.weak = weak;
            }
            false => self.note(&job.specs, weak_name(&job.specs).as_deref()),
        }
        job.compute_also(&self.also);
        Task::File(job)
    }

    /// Records the algorithms by which a job is verified.
    fn note(&mut self, specs: &[Spec], weak: Option<&str>) {
        if let Some(weak) = weak {
            count(weak, &mut self.facts.weak);
        }
        if specs.is_empty() {
            return;
        }
        // In a document, all entries have been read already, so it is unknown which one has no algorithm.
        let is_of_lines = || self.reader.format().is_some_and(|format| format.terminator().is_some());
        if self.facts.guessed.is_none() && self.reader.assumes_algorithm() && is_of_lines() {
            self.facts.guessed =
                specs.iter().find(|spec| usual(spec.digest_len()).as_ref() == Some(spec)).cloned();
        }
    }
}

/// Returns the name for these algorithms if none of them rules out tampering.
pub(crate) fn weak_name(specs: &[Spec]) -> Option<String> {
    let evident = specs.iter().any(|spec| weak::verdict(spec) == weak::Strength::TamperEvident);
    // Each info hash has its own name.
    let name = |spec: &Spec| match spec.algorithm().name() {
        "btih" => "btih".to_owned(),
        _ => spec.to_string(),
    };
    let names = || specs.iter().map(name).collect::<Vec<_>>().join("+");
    (!evident && !specs.is_empty()).then(names)
}

/// Counts an entry under this name.
pub(crate) fn count(name: &str, counts: &mut BTreeMap<String, u64>) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

impl<R: Read> Iterator for Entries<'_, R> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if let Some(notice) = self.pending.take() {
            return Some(Task::Notice(notice));
        }
        while let Some(joined) = self.single() {
            let job = self.job(joined);
            if self.keyed && !job.specs.is_empty() && !job.specs.iter().any(Spec::is_keyed) {
                self.facts.malformed += 1;
                let reason = "none of its digests is keyed (specify the algorithm with -a NAME)".to_owned();
                return Some(Task::Notice(Notice::Malformed(BadLine {
                    at: job.origin.1,
                    reason,
                    lacks_key: false,
                })));
            }
            match self.filter.pick(&job, self.root) {
                Pick::In => return Some(self.task(job)),
                Pick::Out => self.leave_out(&job),
                Pick::Spare(key) => {
                    self.leave_out(&job);
                    match &mut self.spare {
                        Some((least, _)) if key > *least => {}
                        Some((least, jobs)) if key == *least => {
                            if jobs.len() < MAX_SPARE {
                                jobs.push_back(job);
                            }
                        }
                        spare => *spare = Some((key, VecDeque::from([job]))),
                    }
                }
            }
            if let Some(notice) = self.pending.take() {
                return Some(Task::Notice(notice));
            }
        }
        if let Some(notice) = self.pending.take() {
            return Some(Task::Notice(notice));
        }
        let (_, jobs) = self.spare.as_mut().filter(|_| self.filter.is_empty())?;
        let job = jobs.pop_front()?;
        self.facts.left_out -= 1;
        self.others.clear();
        self.left_out_failed.retain(|name| *name != job.name);
        Some(self.task(job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(dir: &tempfile::TempDir) -> Root {
        Root::folder(dir.path(), false).unwrap()
    }

    fn jobs(text: &str, root: &Root, listed: Option<&mut ListedNames>) -> (Vec<String>, Facts) {
        let mut entries = Entries::new(text.as_bytes(), Options::default(), root, 0, listed);
        let jobs_found: Vec<String> = entries
            .by_ref()
            .map(|task| match task {
                Task::File(job) => {
                    let specs: Vec<String> = job.specs.iter().map(Spec::to_string).collect();
                    let open = job.open.as_deref().unwrap_or(b"=");
                    format!(
                        "{}:{}:{}:{}",
                        job.origin.1.number(),
                        job.name.escape_ascii(),
                        specs.join("+"),
                        open.escape_ascii()
                    )
                }
                Task::Notice(Notice::Malformed(error)) => format!("bad {}", error.at.number()),
                Task::Notice(other) => format!("{other:?}"),
            })
            .collect();
        (jobs_found, entries.facts())
    }

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
    const SHA256: &str = "SHA256 (a) = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn lines_of_one_file_become_one_job() {
        let dir = tempfile::tempdir().unwrap();
        let root = root(&dir);
        let text =
            format!("{SHA256}\nMD5 (-) = {MD5}\noops\nMD5 (a) = {MD5}\nMD5 (a) = {MD5}\nMD5 (a) = {MD5}\n");
        let (jobs_found, facts) = jobs(&text, &root, None);
        assert_eq!(jobs_found, ["1:a:sha256+md5:=", "2:-:md5:=", "bad 3", "5:a:md5:=", "6:a:md5:="]);
        assert_eq!((facts.jobs, facts.malformed), (4, 1));
        assert_eq!(facts.weak.into_iter().collect::<Vec<_>>(), [("md5".to_owned(), 3)]);
        assert_eq!(facts.guessed, None);
    }

    #[test]
    fn algorithm_guessed_by_length_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let (_, facts) = jobs(&format!("{MD5}  a\n"), &root(&dir), None);
        assert_eq!(facts.guessed, "md5".parse().ok());
    }

    #[test]
    fn backslashes_are_separators_only_if_no_such_file_exists() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        for name in ["sub/f", "sub/g", "sub\\g"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let text = format!("{MD5}  sub\\f\n{MD5}  sub\\g\n{MD5}  sub\\none\n");
        let mut listed = ListedNames::default();
        let (jobs_found, _) = jobs(&text, &root(&dir), Some(&mut listed));
        let second = if BACKSLASH_SEPARATES { "sub/g" } else { "=" };
        let expected = ["1:sub\\\\f:md5:sub/f", &format!("2:sub\\\\g:md5:{second}"), "3:sub\\\\none:md5:="];
        assert_eq!(jobs_found, expected);
        assert!(listed.contains(b"sub/f"));
        assert_eq!(listed.contains(b"sub/g"), BACKSLASH_SEPARATES);
    }

    #[cfg(unix)]
    #[test]
    fn absolute_names_below_the_root_are_relative_to_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("root")).unwrap();
        std::os::unix::fs::symlink("root", dir.path().join("link")).unwrap();
        let real = dir.path().canonicalize().unwrap();
        let real = real.display();
        let root = root(&dir);
        let opened = |folder: &Path, name: String| {
            let text = format!("{MD5}  {name}\n");
            let mut listed = ListedNames::default();
            let reader = text.as_bytes();
            let mut entries =
                Entries::new(reader, Options::default(), &root, 0, Some(&mut listed)).of_folder(folder);
            let Some(Task::File(job)) = entries.next() else { panic!("{name}") };
            job.open.map(|open| String::from_utf8(open).unwrap())
        };
        let link = dir.path().join("link");
        for (name, open) in [
            (format!("{real}/root/a"), Some("a")),
            (format!("{real}/root//sub/a"), Some("sub/a")),
            (format!("{real}/root/../secret"), Some("../secret")),
            (format!("{}/a", link.display()), Some("a")),
            (format!("{real}/root"), None),
            (format!("{real}/root/"), None),
            (format!("{real}/rooted/a"), None),
            (format!("{real}/secret"), None),
            ("root/a".to_owned(), None),
        ] {
            assert_eq!(opened(&link, name.clone()).as_deref(), open, "{name}");
        }
        assert_eq!(opened(Path::new("/"), "/etc/x".to_owned()).as_deref(), Some("etc/x"));
    }

    #[test]
    fn read_error_in_a_manifest_is_reported() {
        struct FailingReader(bool);
        impl Read for FailingReader {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::from_raw_os_error(5));
                }
                let line = format!("{MD5}  a\n");
                buffer[..line.len()].copy_from_slice(line.as_bytes());
                Ok(line.len())
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let root = root(&dir);
        let mut entries = Entries::new(FailingReader(false), Options::default(), &root, 0, None);
        let count = entries.by_ref().count();
        let facts = entries.facts();
        assert!(facts.failed.is_some());
        assert_eq!(count as u64, facts.jobs);
    }
}
