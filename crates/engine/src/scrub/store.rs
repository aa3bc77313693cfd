//! The state file: the entries of a tree and the history of its runs (docs/spec/state.md).
//!
//! The file begins with a complete list of entries in the order of names. The results of a run are appended as blocks of
//! changes, which are also held in memory, and a run ends by merging both into a new file that replaces the old one
//! atomically. So a run that is killed loses only what it had not appended yet, and the memory depends on the number of
//! changes, which is limited: if there are too many, they are merged during the run.
//!
//! A general database was measured instead (redb 4.1 and 4.6, 10^7 entries with paths of 80 bytes): 4.3 GB on disk after
//! two runs, because it rewrites pages, against less than 1 GB here; and it verifies its checksums only on request, by reading
//! the complete file, and otherwise returns damaged records or panics.

use crate::error::{Cause, Error, StateFault};
use crate::io::lock::Lock;
use crate::io::state::{COLLECTION_MAGIC, MAGIC};
use crate::io::write::AtomicFile;
use crate::scrub::block::{self, FULL, Kind, NoBlock, Position, damaged};
use crate::scrub::codec::{Rest, put_bytes, put_number, put_time};
use crate::scrub::history::{KEPT, Run};
use crate::scrub::listing::SpecLists;
use crate::scrub::record::Record;
use crate::scrub::scan::{Changes, Scan};
use crate::select::Selection;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use truesum_fs::data::FileExt;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::open::{open_companion, open_or_create};
use truesum_hash::Spec;
use truesum_manifest::path::display_safe;
use truesum_manifest::{Rule, Time};

/// The maximum time for which results are not written, so that a run that is killed loses little.
const INTERVAL: Duration = Duration::from_secs(15);
/// The minimum time between two writes if no failure is to be reported.
const PAUSE: Duration = Duration::from_secs(5);
/// The maximum number of changes in memory: at most 100 MiB with paths of 200 bytes.
const MOST_CHANGES: usize = 200_000;

/// The properties that a state keeps for as long as it exists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// The absolute path of the tree.
    pub(crate) root: Vec<u8>,
    /// The algorithms of all digests. There are none in the state of a collection, in which each record has its own.
    pub(crate) specs: Arc<[Spec]>,
    /// When the state was created.
    pub(crate) created: Time,
    /// Whether a manifest is being imported, so that entries are still to be added.
    pub(crate) is_partial: bool,
    /// The rules that select the files of the tree.
    pub(crate) rules: Vec<Rule>,
}

impl Head {
    fn put(&self, out: &mut Vec<u8>) {
        put_bytes(&self.root, out);
        put_time(self.created, out);
        put_number(self.specs.len() as u64, out);
        self.specs.iter().for_each(|spec| put_bytes(spec.to_string().as_bytes(), out));
        put_number(u64::from(self.is_partial), out);
        put_number(self.rules.len() as u64, out);
        self.rules.iter().for_each(|rule| put_bytes(rule.to_string().as_bytes(), out));
    }

    /// Returns whether the files are those that manifests list, instead of all files of a tree.
    pub(crate) fn is_collection(&self) -> bool {
        self.specs.is_empty()
    }

    /// Returns the first bytes of the file.
    fn magic(&self) -> &'static [u8; 16] {
        if self.is_collection() { COLLECTION_MAGIC } else { MAGIC }
    }

    fn take(rest: &mut Rest<'_>, is_collection: bool) -> Option<Head> {
        let (root, created) = (rest.bytes()?.to_vec(), rest.time()?);
        let specs = (0..rest.number()?).map(|_| rest.text()?.parse().ok()).collect::<Option<Vec<Spec>>>()?;
        let is_partial = rest.number()? != 0;
        // States written before there were rules end here.
        let rules = match rest.0 {
            [] => Vec::new(),
            _ => (0..rest.number()?).map(|_| Rule::parse(&rest.text()?)).collect::<Option<Vec<Rule>>>()?,
        };
        (specs.is_empty() == is_collection).then(|| Head {
            root,
            specs: specs.into(),
            created,
            is_partial,
            rules,
        })
    }

    /// Returns the selection of files by the rules.
    ///
    /// # Errors
    /// Fails if a glob is invalid.
    pub(crate) fn selection(&self, path: &Path) -> Result<Selection, Error> {
        Selection::of_rules(&self.rules)
            .map_err(|why| Error::new(path.as_os_str().as_bytes(), "use the stored rules", Cause::Other(why)))
    }
}

/// An open state.
pub(crate) struct State {
    path: PathBuf,
    /// The lock that excludes other runs; `None` if nothing is written.
    lock: Option<Lock>,
    /// The file; `None` until the state has been written for the first time.
    file: Option<Arc<File>>,
    pub(crate) head: Head,
    pub(crate) runs: Vec<Run>,
    /// The first block of entries.
    entries: Position,
    changes: Arc<Changes>,
    /// The end of the blocks, where the next one is appended.
    end: Position,
    /// Encoded changes that have not been written yet.
    waiting: Vec<u8>,
    written: Instant,
    /// Whether the file may end with a part of a block that could not be removed. Then nothing is appended.
    is_torn: bool,
}

impl State {
    /// Opens a state to be read. Returns `None` if there is no file or it is empty.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is something else, or is damaged.
    pub(crate) fn read(path: &Path) -> Result<Option<State>, Error> {
        match open_companion(path) {
            Ok(file) => State::load(path, file, None),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a state to be written, and excludes other runs. `create` returns the properties of a new one.
    ///
    /// # Errors
    /// Fails under the same conditions as [`State::read`], if another run uses the file, or if it
    /// cannot be written.
    pub(crate) fn write(path: &Path, create: impl FnOnce() -> Result<Head, Error>) -> Result<State, Error> {
        let name = path.as_os_str().as_bytes();
        let is_new = match Metadata::of_link(path) {
            Ok(stat) if stat.size() > 0 => false,
            Ok(_) => true,
            Err(error) if error == truesum_fs::Errno::NOENT => true,
            Err(error) => return Err(Error::io(name, "open", error)),
        };
        // This comes before an empty file is created.
        let head = if is_new { Some(create()?) } else { None };
        let lock = Lock::create_unless_locked(path)?;
        let file = open_or_create(path).map_err(|error| Error::io(name, "open", error))?;
        lock.still_at(path)?;
        match (State::load(path, file, Some(lock))?, head) {
            (Some(state), _) => Ok(state),
            (None, Some(head)) => {
                let lock = Lock::create_unless_locked(path)?;
                let mut state = State::new(path, head);
                state.lock = Some(lock);
                state.merge()?;
                Ok(state)
            }
            (None, None) => Err(Error::new(name, "use", Cause::Changed("it is now empty".to_owned()))),
        }
    }

    /// Returns a state without entries that exists only in memory.
    pub(crate) fn new(path: &Path, head: Head) -> State {
        State {
            path: path.to_owned(),
            lock: None,
            file: None,
            head,
            runs: Vec::new(),
            entries: Position::FIRST,
            changes: Arc::default(),
            end: Position::FIRST,
            waiting: Vec::new(),
            written: Instant::now(),
            is_torn: false,
        }
    }

    fn load(path: &Path, file: File, lock: Option<Lock>) -> Result<Option<State>, Error> {
        let name = path.as_os_str().as_bytes();
        let refuse =
            |why: &str| Error::new(name, "use", Cause::State(StateFault::Unsuitable, why.to_owned()));
        let len = Metadata::of(&file).map_err(|error| Error::io(name, "read", error))?.size();
        if len == 0 {
            return Ok(None);
        }
        let mut magic = [0; MAGIC.len()];
        let begin = file.read_exact_at(&mut magic, 0);
        if begin.is_err() || magic != *MAGIC && magic != *COLLECTION_MAGIC {
            return Err(refuse("it is not a state file written by this version of truesum"));
        }
        let placeholder = Head {
            root: Vec::new(),
            specs: Arc::from([]),
            created: Time { seconds: 0, nanos: 0 },
            is_partial: false,
            rules: Vec::new(),
        };
        let mut state = State { lock, ..State::new(path, placeholder) };
        let mut at = Position::FIRST;
        let mut is_complete = false;
        loop {
            // The content of entries is verified when they are used.
            let next = match block::peek(&file, at, len) {
                Ok((Kind::Entries, size)) if !is_complete => Ok((Kind::Entries, vec![], size)),
                Ok(_) => block::read(&file, at, len).map(|(kind, content)| {
                    let size = content.len();
                    (kind, content, size)
                }),
                Err(error) => Err(error),
            };
            let (kind, content, size) = match next {
                Ok(next) => next,
                Err(NoBlock::End | NoBlock::Torn) if is_complete => break,
                Err(error) => return Err(damaged(path, at, error)),
            };
            let mut rest = Rest(&content);
            let invalid = || damaged(path, at, NoBlock::Damaged("its content is invalid"));
            match kind {
                Kind::Head if at == Position::FIRST => {
                    state.head = Head::take(&mut rest, magic == *COLLECTION_MAGIC).ok_or_else(invalid)?;
                    if state.head.is_partial {
                        let why = "a manifest was not imported completely".to_owned();
                        return Err(Error::new(name, "verify", Cause::State(StateFault::Damaged, why)));
                    }
                }
                _ if at == Position::FIRST => return Err(invalid()),
                Kind::Run => state.set_run(Run::take(&mut rest).ok_or_else(invalid)?),
                Kind::Entries | Kind::End if is_complete => return Err(invalid()),
                Kind::Entries | Kind::End => {
                    if state.entries == Position::FIRST {
                        state.entries = at;
                    }
                    is_complete = kind == Kind::End;
                }
                Kind::Changes if is_complete => {
                    let changes = Arc::make_mut(&mut state.changes);
                    while !rest.0.is_empty() {
                        let key = rest.bytes().ok_or_else(invalid)?.to_vec();
                        let value = rest.bytes().ok_or_else(invalid)?;
                        changes.insert(key, (!value.is_empty()).then(|| value.to_vec()));
                    }
                }
                Kind::Head | Kind::Changes => return Err(invalid()),
            }
            at = at.after(size);
        }
        state.end = at;
        if state.lock.is_some() && at.offset < len {
            // A block that a killed run did not write completely is overwritten.
            file.set_len(at.offset).map_err(|error| Error::io(name, "write", error))?;
        }
        state.file = Some(Arc::new(file));
        Ok(Some(state))
    }

    /// Returns the path of the state file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the rules, and removes the entries of files that they exclude. Returns the number of these entries.
    ///
    /// # Errors
    /// Fails if a glob is invalid, if the rules exclude all entries or one with an open failure, or if the file cannot be
    /// read or written.
    pub(crate) fn set_rules(&mut self, rules: Vec<Rule>) -> Result<u64, Error> {
        let path = self.path.clone();
        let head = Head { rules, ..self.head.clone() };
        let select = head.selection(&path)?;
        let (mut kept, mut removed, mut failures) = (0u64, 0u64, 0u64);
        let mut first = None;
        for entry in self.scan() {
            let (key, record) = entry?;
            if select.has_name(&key) {
                kept += 1;
                continue;
            }
            removed += 1;
            if record.is_failure() {
                failures += 1;
                first.get_or_insert(key);
            }
        }
        let fail = |action, cause| Err(Error::new(path.as_os_str().as_bytes(), action, cause));
        if kept == 0 && removed > 0 {
            return fail("apply the rules", Cause::Other("they exclude every recorded file".to_owned()));
        }
        // Without its entry, a corrupt file would be forgotten, and recorded as new under the next rules.
        if let Some(first) = first {
            let shown = display_safe(&first);
            let why = match failures {
                1 => format!("{shown} has an open failure"),
                _ => format!("{failures} files have open failures, such as {shown}"),
            };
            return fail("exclude failed files", Cause::State(StateFault::FailuresExcluded, why));
        }
        // Written first: if the run is killed before all entries are removed, the others are still verified. Without the
        // new rules, the next run would record the current content of the removed ones.
        self.head = head;
        if self.lock.is_some() {
            self.merge()?;
        }
        for entry in self.scan() {
            let (key, _) = entry?;
            if !select.has_name(&key) {
                self.put(&key, None)?;
            }
        }
        self.flush().map(|()| removed)
    }

    /// Returns all entries, as they are now, in the order of names.
    pub(crate) fn scan(&self) -> Scan {
        let file = self.file.clone().map(|file| (file, self.entries));
        Scan::new(&self.path, file, self.end.offset, self.changes.clone(), self.head.specs.clone())
    }

    /// Records the result for a file, or removes its entry. It is written when [`State::flush`] is called, or if it is
    /// called again after [`INTERVAL`].
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn put(&mut self, key: &[u8], record: Option<&Record>) -> Result<(), Error> {
        let value = record.map(|record| {
            let mut value = Vec::new();
            record.put(&self.head.specs, &mut value);
            value
        });
        if !self.head.is_partial {
            put_bytes(key, &mut self.waiting);
            put_bytes(value.as_deref().unwrap_or_default(), &mut self.waiting);
        }
        Arc::make_mut(&mut self.changes).insert(key.to_vec(), value);
        if self.head.is_partial {
            // Nothing uses a part of a manifest, so it is only written when it is merged.
            return Ok(());
        }
        if self.lock.is_some() && self.changes.len() > MOST_CHANGES {
            return self.merge();
        }
        match self.waiting.len() > FULL || self.written.elapsed() > INTERVAL {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Records a run, replacing what was recorded about it before.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn record(&mut self, run: &Run) -> Result<(), Error> {
        self.set_run(run.clone());
        self.flush()?;
        let mut content = Vec::new();
        run.put(&mut content);
        self.append(Kind::Run, &content)
    }

    fn set_run(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.number == run.number => *last = run,
            _ => self.runs.push(run),
        }
    }

    /// Writes the results so far, unless that was done recently.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn flush_periodically(&mut self) -> Result<(), Error> {
        if self.written.elapsed() < PAUSE { Ok(()) } else { self.flush() }
    }

    /// Writes the results so far.
    ///
    /// # Errors
    /// Fails if the file cannot be written. Then the results are written with later ones, if that is possible.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.written = Instant::now();
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let result = self.append(Kind::Changes, &waiting);
        if result.is_err() {
            self.waiting = waiting;
        }
        result
    }

    fn append(&mut self, kind: Kind, content: &[u8]) -> Result<(), Error> {
        let (Some(_), Some(file)) = (&self.lock, &self.file) else { return Ok(()) };
        let name = self.path.as_os_str().as_bytes();
        if self.is_torn {
            let why = "the state file ends with an incomplete block that could not be removed".to_owned();
            return Err(Error::new(name, "write", Cause::Other(why)));
        }
        let mut bytes = Vec::new();
        block::put(kind, self.end.number, content, &mut bytes);
        if let Err(error) = file.write_all_at(&bytes, self.end.offset).and_then(|()| file.sync_data()) {
            // A shorter block in the same place would be followed by the rest of this one.
            self.is_torn = file.set_len(self.end.offset).is_err();
            return Err(Error::io(name, "write", error));
        }
        self.end = self.end.after(content.len());
        Ok(())
    }

    /// Adds an entry to a state that is being imported. Returns false if its digests contradict those of an entry with
    /// the same name.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub(crate) fn add(&mut self, key: &[u8], record: &Record) -> Result<bool, Error> {
        if self.changed(key).is_some_and(|other| other.digests != record.digests) {
            return Ok(false);
        }
        self.put(key, Some(record)).map(|()| true)
    }

    /// Merges the entries that were added to a state that is being imported, if there are many or it `is_complete` now.
    /// Returns the name of an entry whose digests contradict those of another one with that name.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub(crate) fn merge_added(&mut self, is_complete: bool) -> Result<Option<Vec<u8>>, Error> {
        if self.changes.len() < MOST_CHANGES && !is_complete {
            return Ok(None);
        }
        let file = self.file.clone().map(|file| (file, self.entries));
        let specs = self.head.specs.clone();
        for entry in Scan::new(&self.path, file, self.end.offset, Arc::default(), specs) {
            let (key, before) = entry?;
            if self.changed(&key).is_some_and(|other| other.digests != before.digests) {
                return Ok(Some(key));
            }
        }
        self.head.is_partial = !is_complete;
        self.merge().map(|()| None)
    }

    fn changed(&self, key: &[u8]) -> Option<Record> {
        let value = self.changes.get(key)?.as_ref()?;
        Record::take(&mut Rest(value), &self.head.specs, &mut SpecLists::default())
    }

    /// Ends a run: merges the changes into the entries if there are any.
    ///
    /// # Errors
    /// Fails if the file is damaged or cannot be written.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        match self.changes.is_empty() || self.lock.is_none() {
            true => self.flush(),
            false => self.merge(),
        }
    }

    /// Replaces the file by one with all entries and without changes.
    fn merge(&mut self) -> Result<(), Error> {
        let name = self.path.as_os_str().as_bytes();
        let mut output = Output {
            file: AtomicFile::create_internal(&self.path, self.head.magic())?,
            at: Position::FIRST,
            name,
        };
        output.file.write_all(self.head.magic()).map_err(|error| Error::io(name, "write", error))?;
        let mut content = Vec::new();
        self.head.put(&mut content);
        output.block(Kind::Head, &mut content)?;
        let runs = self.runs.split_off(self.runs.len().saturating_sub(KEPT));
        for run in &runs {
            run.put(&mut content);
            output.block(Kind::Run, &mut content)?;
        }
        self.runs = runs;
        let entries = output.at;
        let (mut count, mut before) = (0u64, Vec::new());
        for entry in self.scan() {
            let (key, record) = entry?;
            // Names are stored without the beginning that they share with the name before them in the block.
            let shared = key.iter().zip(&before).take_while(|(one, other)| one == other).count();
            put_number(shared as u64, &mut content);
            put_bytes(&key[shared..], &mut content);
            record.put(&self.head.specs, &mut content);
            (count, before) = (count + 1, key);
            if content.len() >= FULL {
                output.block(Kind::Entries, &mut content)?;
                before.clear();
            }
        }
        if !content.is_empty() {
            output.block(Kind::Entries, &mut content)?;
        }
        put_number(count, &mut content);
        output.block(Kind::End, &mut content)?;
        let Output { file, at, .. } = output;
        let next = Lock::of(file.file(), name)?;
        let lock = self.lock.take();
        let moved = || lock.as_ref().map_or(Ok(()), |lock| lock.still_at(&self.path));
        if let Err(error) = file.commit_if(moved) {
            self.lock = lock;
            return Err(error);
        }
        let file = open_or_create(&self.path).map_err(|error| Error::io(name, "open", error))?;
        // On a file system without unnamed files, the content was copied to another file. The first lock is released
        // before that file is locked, because it may be the same one: Wine gives a renamed file another identity.
        let next = match next.still_at(&self.path) {
            Ok(()) => next,
            Err(_) => {
                drop(next);
                Lock::of(&file, name)?
            }
        };
        (self.lock, self.file, self.entries, self.end) = (Some(next), Some(Arc::new(file)), entries, at);
        self.changes = Arc::default();
        self.waiting.clear();
        (self.written, self.is_torn) = (Instant::now(), false);
        Ok(())
    }
}

/// A state file that is being written.
struct Output<'n> {
    file: AtomicFile,
    at: Position,
    name: &'n [u8],
}

impl Output<'_> {
    /// Writes a block and empties `content`.
    fn block(&mut self, kind: Kind, content: &mut Vec<u8>) -> Result<(), Error> {
        let mut bytes = Vec::new();
        block::put(kind, self.at.number, content, &mut bytes);
        self.file.write_all(&bytes).map_err(|error| Error::io(self.name, "write", error))?;
        self.at = self.at.after(content.len());
        content.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_back_and_states_without_rules_are_accepted() {
        let rules: Vec<Rule> =
            ["include *.jpg", "exclude cache/"].iter().filter_map(|text| Rule::parse(text)).collect();
        let created = Time { seconds: 1, nanos: 2 };
        let specs: Arc<[Spec]> = Arc::from(["sha256".parse().unwrap()]);
        let head = Head { root: b"/a".to_vec(), specs, created, is_partial: false, rules };
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        assert_eq!(head.rules.len(), 2);
        assert_eq!(Head::take(&mut Rest(&bytes), false), Some(head.clone()));
        assert_eq!(Head::take(&mut Rest(&bytes[..bytes.len() - 1]), false), None);
        let without = Head { rules: Vec::new(), ..head };
        let mut bytes = Vec::new();
        without.put(&mut bytes);
        assert_eq!(bytes.pop(), Some(0), "the number of rules");
        assert_eq!(Head::take(&mut Rest(&bytes), false), Some(without));
    }
}
