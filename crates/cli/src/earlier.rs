//! Compares a new manifest with the one that it is about to replace. Reports files whose content
//! differs although no program modified them, entries that could not be compared, and entries that
//! the new manifest does not have.

use crate::exit::Refusal;
use crate::output::{MAY_BE_TEXT, Replaceable, not_replaced, read_candidate};
use crate::tasks::Naming;
use crate::words::count;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use truesum::audit::{is_edited, same_time};
use truesum::hash::{Secret, Spec, Status};
use truesum::manifest::path::{alternatives, display_safe};
use truesum::manifest::{Entry, Format, PieceList, Time};
use truesum::{Event, Mapping, Options, Progress, ReadOptions, Verdict, Verification};
use truesum_fs::metadata::modified;
use truesum_fs::name::{BACKSLASH_SEPARATES, OsStrExt};

/// Maximum number of files that are named.
pub const NAMED: usize = 5;

/// Maximum number of algorithms that are distinguished; the algorithms of an entry are a set of
/// bits.
const ALGORITHMS: usize = 62;
/// The bit of pieces.
const PIECES: usize = 62;
/// The bit of all other algorithms.
const OTHERS: usize = 63;

/// The details that an earlier manifest records about a file.
#[derive(Default)]
struct Record {
    /// The modification time of the file, if recorded.
    mtime: Option<Time>,
    /// The algorithms of its digests, as bits.
    specs: u64,
}

impl Record {
    fn has(&self, bit: usize) -> bool {
        self.specs & 1 << bit != 0
    }
}

/// The content of an earlier manifest. It takes less than 100 bytes of memory for each entry with
/// one digest.
pub struct EarlierEntries {
    path: PathBuf,
    /// The folder that names of the new manifest are relative to, if it has one.
    root: Option<PathBuf>,
    /// The symbolic links below this folder.
    links: Links,
    /// Folders in which the files of an earlier manifest may be.
    folders: Vec<PathBuf>,
    key: Option<Secret>,
    keys: RandomState,
    /// The records, by hashes of names.
    records: HashMap<u64, Record>,
    /// For entries whose names lead through symbolic links to folders: the hashes of their names, by those of the names
    /// without the links.
    aliases: HashMap<u64, u64>,
    /// Hashes of digests, by hashes of names with algorithms.
    digests: HashMap<u64, u64>,
    /// The algorithms, in the order of their bits.
    specs: Vec<Spec>,
    /// The time when the manifest was written.
    written: Time,
    /// The algorithms of the run; and, for each bit, these together with the algorithm of the bit
    /// if it can be computed.
    run: Arc<[Spec]>,
    widened: Vec<Option<Arc<[Spec]>>>,
}

/// Resolves symbolic links in the names of files below a folder.
struct Links {
    /// The folder, without symbolic links; `None` if there is none.
    root: Option<PathBuf>,
    /// The folder of the last file, and its name without symbolic links if that is another one. Files of one folder
    /// usually follow each other, so few folders are resolved.
    last: Mutex<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Links {
    fn below(root: Option<&Path>) -> Links {
        let root = root.map(|root| if root.as_os_str().is_empty() { Path::new(".") } else { root });
        Links { root: root.and_then(|root| root.canonicalize().ok()), last: Mutex::default() }
    }

    /// Returns the name of a file or folder without symbolic links.
    fn resolved(&self, name: &[u8]) -> Option<Vec<u8>> {
        let root = self.root.as_ref()?;
        let found = root.join(OsStr::from_bytes(name)).canonicalize().ok()?;
        Some(found.strip_prefix(root).ok()?.as_os_str().as_bytes().to_vec())
    }

    /// Returns the name of a file without links to folders, if it is another one.
    fn without_folders(&self, name: &[u8]) -> Option<Vec<u8>> {
        let (folder, base) = name.split_at(name.iter().rposition(|&byte| byte == b'/')?);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != folder {
            *last = (folder.to_vec(), self.resolved(folder).filter(|resolved| resolved != folder));
        }
        let resolved = [last.1.as_ref()?, base].concat();
        Some(resolved.strip_prefix(b"/").unwrap_or(&resolved).to_vec())
    }

    /// Returns the name of the file to which a name leads through links, if it is another one.
    fn target(&self, name: &[u8]) -> Option<Vec<u8>> {
        let path = self.root.as_ref()?.join(OsStr::from_bytes(name));
        match path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            true => self.resolved(name),
            false => self.without_folders(name),
        }
    }
}

impl EarlierEntries {
    /// Returns the algorithms to compute for the file with this name if those of the run are not
    /// sufficient to compare it.
    pub fn widened(&self, name: &[u8]) -> Option<Arc<[Spec]>> {
        let record = self.records.get(&self.record_key(name, &self.links)?)?;
        let recorded = || (0..self.specs.len()).filter(|bit| record.has(*bit));
        if recorded().any(|bit| self.run.contains(&self.specs[bit])) {
            return None;
        }
        // Digests of samples miss most damage, so they are the last choice.
        let rank = |bit: &usize| {
            let spec = &self.specs[*bit];
            (!matches!(spec.algorithm().status(), Status::Sampled(_)), spec.digest_len())
        };
        let best = recorded().filter(|bit| self.widened[*bit].is_some()).max_by_key(rank)?;
        self.widened[best].clone()
    }

    fn name_key(&self, name: &[u8]) -> u64 {
        self.keys.hash_one(name.strip_prefix(b"./").unwrap_or(name))
    }

    /// Returns the key of the record of the file with this name. If there is none under this name, it is that of an entry
    /// that reaches the file through a linked folder, or that of the target if the name itself leads through a link.
    fn record_key(&self, name: &[u8], links: &Links) -> Option<u64> {
        let own = self.name_key(name);
        if self.records.contains_key(&own) {
            return Some(own);
        }
        if let Some(alias) = self.aliases.get(&own) {
            return Some(*alias);
        }
        let target = self.name_key(&links.target(name)?);
        self.records.contains_key(&target).then_some(target)
    }

    /// Returns the name of an entry as the new manifest would spell it.
    fn spelled(&self, name: &[u8], naming: &mut Option<Naming>) -> Vec<u8> {
        let folder = self.root.as_deref().or(self.path.parent()).unwrap_or(Path::new(""));
        let exists = |name: &[u8]| folder.join(OsStr::from_bytes(name)).symlink_metadata().is_ok();
        let other = name.contains(&b'\\') && (BACKSLASH_SEPARATES || !exists(name));
        let other = other.then(|| alternatives(name).find(|name| exists(name))).flatten();
        let name = other.as_deref().unwrap_or(name);
        let odd = |part: &[u8]| matches!(part, b"" | b"." | b"..");
        let plain = name.strip_prefix(b"./").unwrap_or(name);
        match (naming, &self.root) {
            (Some(naming), Some(root)) if plain.split(|&byte| byte == b'/').any(odd) => {
                let path = root.join(OsStr::from_bytes(name)).into_os_string();
                naming.name(path.as_bytes(), path.as_bytes()).unwrap_or_else(|_| plain.to_vec())
            }
            // The names of the earlier manifest may be relative to another folder.
            (Some(naming), Some(root)) if !exists(plain) => {
                let plain = Path::new(OsStr::from_bytes(plain));
                let folders = self.path.parent().into_iter().chain(self.folders.iter().map(PathBuf::as_path));
                let found = folders.filter(|folder| *folder != root).map(|folder| folder.join(plain));
                let found = found.into_iter().find(|path| path.is_file()).map(PathBuf::into_os_string);
                let named = found.and_then(|path| naming.name(path.as_bytes(), path.as_bytes()).ok());
                named.unwrap_or_else(|| plain.as_os_str().as_bytes().to_vec())
            }
            _ => plain.to_vec(),
        }
    }

    /// Calls `each` for every entry with a digest, with its name as the new manifest would spell
    /// it.
    fn read(&self, each: &mut dyn FnMut(Vec<u8>, Entry)) -> Result<Option<Replaceable>, String> {
        let mut naming = self.root.clone().map(Naming::new);
        read_candidate(&self.path, &self.folders, self.key.as_ref(), &mut |entry| {
            if !entry.digests.is_empty() || !entry.pieces.is_empty() {
                each(self.spelled(&entry.path, &mut naming), entry);
            }
        })
    }

    /// Returns the hash of the digests of all non-empty pieces of an entry's file.
    fn pieces(&self, entry: &Entry) -> u64 {
        let of_file = |list: &'_ PieceList| -> Vec<_> {
            list.of_file(entry.size.unwrap_or(0)).map(|piece| piece.digest().clone()).collect()
        };
        self.keys.hash_one(entry.pieces.iter().map(of_file).collect::<Vec<_>>())
    }

    fn bit(specs: &mut Vec<Spec>, spec: &Spec) -> usize {
        specs.iter().position(|known| known == spec).unwrap_or_else(|| {
            if specs.len() == ALGORITHMS {
                return OTHERS;
            }
            specs.push(spec.clone());
            specs.len() - 1
        })
    }
}

/// An earlier manifest that is compared with a new one.
pub struct EarlierManifest {
    pub recorded: Arc<EarlierEntries>,
    /// As in `recorded`, for the files that are compared: they come later than those of the walk, so folders alternate.
    links: Links,
    replaceable: Replaceable,
    /// Hashes of the names that are also in the new manifest.
    found: HashSet<u64>,
    /// The number of files so far whose content differs although no program modified them.
    pub corrupt: u64,
    /// Whether the manifest does not record the modification time of one of these files.
    is_untimed: bool,
    /// Whether keyed digests are among those that differ.
    keyed: bool,
    names: Vec<String>,
    /// Files that no program modified and whose pieces differ, which proves nothing: a piece can contain bytes of other
    /// files, and an additional file shifts all pieces that follow.
    differing: BTreeSet<Vec<u8>>,
    uncompared: u64,
    /// The algorithms of the entries that could not be compared.
    by: BTreeSet<String>,
}

impl EarlierManifest {
    /// Reads the manifest at `path`. Returns `None` if there is no file, or an empty one. The names of
    /// the new manifest are relative to `root`, and the run computes `specs` with this key; without `specs`, files
    /// are not compared, and only the names are recorded. The files of the earlier one may be in its own folder, in `root` or in
    /// `folders`.
    ///
    /// # Errors
    /// Fails if the file is not a manifest.
    pub fn read(
        path: &Path,
        root: Option<&Path>,
        folders: &[PathBuf],
        specs: Option<&Arc<[Spec]>>,
        key: Option<&Secret>,
    ) -> Result<Option<EarlierManifest>, String> {
        let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
        let mut recorded = EarlierEntries {
            path: path.to_owned(),
            links: Links::below(root),
            root: root.map(Path::to_owned),
            folders: root.map(Path::to_owned).into_iter().chain(folders.iter().cloned()).collect(),
            key: key.cloned(),
            keys: RandomState::new(),
            records: HashMap::new(),
            aliases: HashMap::new(),
            digests: HashMap::new(),
            specs: Vec::new(),
            written: modified(&metadata),
            run: specs.cloned().unwrap_or_else(|| Arc::from([])),
            widened: Vec::new(),
        };
        let (mut records, mut aliases) = (HashMap::new(), HashMap::new());
        let is_compared = specs.is_some();
        let (mut digests, mut specs) = (HashMap::new(), Vec::new());
        let replaceable = recorded.read(&mut |name, entry| {
            let key = recorded.name_key(&name);
            if let Some(resolved) = recorded.links.without_folders(&name) {
                aliases.insert(recorded.name_key(&resolved), key);
            }
            let record: &mut Record = records.entry(key).or_default();
            if !is_compared {
                return;
            }
            record.mtime = record.mtime.or(entry.mtime);
            if !entry.pieces.is_empty() {
                record.specs |= 1 << PIECES;
                digests.insert(recorded.keys.hash_one((key, PIECES)), recorded.pieces(&entry));
            }
            for (spec, digest) in entry.digests {
                let bit = EarlierEntries::bit(&mut specs, &spec);
                record.specs |= 1 << bit;
                if bit != OTHERS {
                    digests.insert(recorded.keys.hash_one((key, bit)), recorded.keys.hash_one(digest));
                }
            }
        });
        let Some(replaceable) = replaceable? else { return Ok(None) };
        let run = recorded.run.clone();
        let widened = |spec: &Spec| {
            let all = || run.iter().chain(std::iter::once(spec)).cloned().collect();
            (!spec.lacks_key()).then(all)
        };
        recorded.widened = specs.iter().map(widened).collect();
        (recorded.records, recorded.aliases) = (records, aliases);
        (recorded.digests, recorded.specs) = (digests, specs);
        Ok(Some(EarlierManifest {
            links: Links::below(root),
            recorded: Arc::new(recorded),
            replaceable,
            found: HashSet::new(),
            corrupt: 0,
            is_untimed: false,
            keyed: false,
            names: Vec::new(),
            differing: BTreeSet::new(),
            uncompared: 0,
            by: BTreeSet::new(),
        }))
    }

    /// Returns the properties of the manifest.
    pub fn replaceable(&self) -> Replaceable {
        self.replaceable
    }

    /// Returns why the file may be something other than a manifest, if so.
    ///
    /// The files of a new manifest may be in a store or on another machine; it then shows only in the end whether it has
    /// files of the earlier one.
    pub fn doubt(&self) -> Option<&'static str> {
        (!self.replaceable.is_certain && self.found.is_empty()).then_some(MAY_BE_TEXT)
    }

    /// Compares an entry of the new manifest with the record of its file. The entry has the digests
    /// of all algorithms of its job.
    pub fn compare(&mut self, entry: &Entry) {
        let recorded = &self.recorded;
        let Some(key) = recorded.record_key(&entry.path, &self.links) else { return };
        let Some(record) = recorded.records.get(&key) else { return };
        if key == recorded.name_key(&entry.path) {
            self.found.insert(key);
        }
        let unmoved = |found: Time| match record.mtime {
            Some(time) => same_time(time, found),
            None => !is_edited(recorded.written, found),
        };
        if !entry.mtime.is_some_and(unmoved) {
            return;
        }
        let (mut compared, mut differs) = (false, false);
        for (spec, digest) in &entry.digests {
            let bit = recorded.specs.iter().position(|known| known == spec).filter(|bit| record.has(*bit));
            let Some(bit) = bit else { continue };
            compared = true;
            let known = recorded.digests.get(&recorded.keys.hash_one((key, bit)));
            if known != Some(&recorded.keys.hash_one(digest)) {
                differs = true;
                self.keyed |= spec.is_keyed();
            }
        }
        let same_pieces = || {
            let known = recorded.digests.get(&recorded.keys.hash_one((key, PIECES)));
            known == Some(&recorded.pieces(entry))
        };
        if !compared && record.has(PIECES) {
            if !same_pieces() {
                self.differing.insert(entry.path.clone());
            }
        } else if !compared {
            self.uncompared += 1;
            let specs = recorded.specs.iter().enumerate().filter(|(bit, _)| record.has(*bit));
            self.by.extend(specs.map(|(_, spec)| spec.to_string()));
            self.by.extend(record.has(OTHERS).then(|| "others".to_owned()));
        }
        self.corrupt += u64::from(differs);
        self.is_untimed |= differs && record.mtime.is_none();
        if differs && self.names.len() < NAMED {
            self.names.push(display_safe(&entry.path));
        }
    }

    /// Verifies the files whose pieces differ against the earlier pieces, which reads them again.
    pub fn verify_pieces(&mut self, threads: usize, progress: &Progress) {
        if self.differing.is_empty() {
            return;
        }
        let EarlierManifest { recorded, differing, .. } = self;
        let root = recorded.root.clone();
        let read = ReadOptions::default().root(root).threads(threads).mapping(Mapping::Guarded);
        let options = Options::from(read);
        let mut naming = recorded.root.clone().map(Naming::new);
        let mut verification = Verification::new(&options, progress);
        let _: io::Result<()> = verification.manifests(&[&recorded.path], &mut |event| {
            if let Event::Entry(_, outcome) = event
                && outcome.verdict() == Verdict::Verified
            {
                differing.remove(&recorded.spelled(outcome.job.name(), &mut naming));
            }
            Ok(())
        });
    }

    /// Records that the entry of this name was not written after all.
    pub fn forget(&mut self, name: &[u8]) {
        self.found.remove(&self.recorded.name_key(name));
    }

    /// Returns the number of entries that are not in the new manifest.
    fn missing_count(&self) -> u64 {
        (self.recorded.records.len() - self.found.len()) as u64
    }

    /// Returns the name of the first of these entries, as a suffix for a message.
    fn first_missing(&self) -> String {
        let mut first = None;
        let left = |name: &[u8]| !self.found.contains(&self.recorded.name_key(name));
        // An earlier read of the same file succeeded.
        let _ = self.recorded.read(&mut |name, _| {
            if first.is_none() && left(&name) {
                first = Some(name);
            }
        });
        let label = if self.missing_count() == 1 { "" } else { "first: " };
        first.map_or_else(String::new, |name| format!(" ({label}{})", display_safe(&name)))
    }

    /// Returns why a manifest in this format must not replace the earlier one, if so.
    pub fn refusal(&self, path: &Path, format: Option<&Format>) -> Option<Refusal> {
        if let Some(doubt) = self.doubt() {
            return Some(not_replaced(path, doubt));
        }
        if self.corrupt > 0 {
            return Some(self.corrupt_refusal(path, None, self.corrupt, &self.names));
        }
        if let Some(first) = self.differing.first() {
            let shown = display_safe(path.as_os_str().as_bytes());
            let differing = self.differing.len() as u64;
            let files = count(differing, "file", "files");
            let (they, the_files, their, times) = match differing {
                1 => ("the file", "the file", "its", "modification time is"),
                _ => ("the files", "the files", "their", "modification times are"),
            };
            let label = if differing == 1 { "" } else { "first: " };
            let text = format!(
                "{shown}: not written: {files} ({label}{}) cannot be verified with the existing piece digests, although the {times} unchanged; {they} may be damaged, or may share pieces with modified files",
                display_safe(first)
            );
            let hint = format!(
                "restore {the_files} from a copy, or record {their} current content with --overwrite"
            );
            return Some(Refusal::with_hint(text, hint));
        }
        // A torrent also contains trackers and an identity, which are recorded nowhere else.
        let is_torrent = |format: &Format| format.capabilities().pieces().is_some();
        match is_torrent(self.replaceable.format) {
            true if self.missing_count() > 0 => Some(not_replaced(
                path,
                &format!("is a torrent that contains other files{}", self.first_missing()),
            )),
            true if !format.is_some_and(is_torrent) => Some(not_replaced(path, "is a torrent")),
            // A torrent has no digests of files.
            false if format.is_some_and(is_torrent) => {
                Some(not_replaced(path, "is a manifest, not a torrent"))
            }
            _ => None,
        }
    }

    /// Returns the refusal to write the manifest at `path`, in which so many corrupt files would be recorded as good. The first of
    /// them are named, and `by` is the name of this manifest if it is another one.
    pub fn corrupt_refusal(&self, path: &Path, by: Option<&Path>, corrupt: u64, names: &[String]) -> Refusal {
        let more = corrupt.checked_sub(names.len() as u64).filter(|more| *more > 0);
        let more = more.map_or(String::new(), |more| format!(" and {more} more"));
        let names = names.join(", ");
        let by = by.map(|by| display_safe(by.as_os_str().as_bytes()));
        let path = display_safe(path.as_os_str().as_bytes());
        let (it, its, is, differs) = match corrupt {
            1 => ("it", "its", "is", "differs"),
            _ => ("them", "their", "are", "differ"),
        };
        let times = if corrupt == 1 { "modification time is" } else { "modification times are" };
        let files = count(corrupt, "file", "files");
        if self.is_untimed {
            let by = by.unwrap_or_else(|| "the earlier manifest".to_owned());
            let or_key = if self.keyed { " (or the key does)" } else { "" };
            let text = format!(
                "{path}: not written: {files} {differs} from {by}{or_key}, and {its} {times} not later than that of the manifest: {names}{more}"
            );
            let was = if corrupt == 1 { "it was" } else { "they were" };
            let hint = format!(
                "restore {it} from a copy or, if {was} edited, record {its} content with --overwrite"
            );
            return Refusal::with_hint(text, hint);
        }
        let by = by.map(|by| format!(" according to {by}")).unwrap_or_default();
        let or_key = if self.keyed { " or the key" } else { "" };
        let text = format!(
            "{path}: not written: {files} {is} corrupt{by} (the content{or_key} differs, although the {times} unchanged): {names}{more}"
        );
        let hint = format!("restore {it} from a copy, or record {its} current content with --overwrite");
        Refusal::with_hint(text, hint)
    }

    /// Returns a note on entries that were not compared, if there are any.
    pub fn uncompared(&self, path: &Path) -> Option<String> {
        let path = display_safe(path.as_os_str().as_bytes());
        let by = Vec::from_iter(self.by.clone()).join(", ");
        let entries = count(self.uncompared, "entry", "entries");
        let note = || {
            format!(
                "{path}: {entries} of the earlier manifest could not be compared, because the new one does not use the same algorithms ({by})"
            )
        };
        (self.uncompared > 0).then(note)
    }

    /// Records that the new manifest has an entry of this name, which is not compared.
    pub fn record(&mut self, name: &[u8]) {
        let key = self.recorded.name_key(name);
        if self.recorded.records.contains_key(&key) {
            self.found.insert(key);
        }
    }

    /// Returns notes on entries that were not compared, on those that are not in the new manifest, and on details that its
    /// format cannot store. Must be called before the earlier manifest is replaced.
    pub fn notes(&self, path: &Path, format: Option<&Format>) -> Vec<String> {
        let lost = format.and_then(|format| self.lost(path, format));
        self.uncompared(path).into_iter().chain(self.dropped(path)).chain(lost).collect()
    }

    /// Returns a note on modification times and digests of the earlier manifest that the new one lacks. Digests are not lost
    /// if the new manifest has those of another algorithm instead.
    fn lost(&self, path: &Path, format: &Format) -> Option<String> {
        let recorded = &self.recorded;
        let has_times = recorded.records.values().any(|record| record.mtime.is_some());
        let times =
            (has_times && !format.capabilities().mtime()).then(|| "the modification times".to_owned());
        let is_lost = |spec: &&Spec| !recorded.run.contains(spec);
        let lost: Vec<String> = recorded.specs.iter().filter(is_lost).map(Spec::to_string).collect();
        // A torrent has none.
        let is_subset =
            !recorded.run.is_empty() && recorded.run.iter().all(|spec| recorded.specs.contains(spec));
        let digests = (is_subset && !lost.is_empty()).then(|| format!("the {} digests", lost.join(" and ")));
        let parts = Vec::from_iter(times.into_iter().chain(digests));
        let path = display_safe(path.as_os_str().as_bytes());
        (!parts.is_empty()).then(|| {
            format!("{path}: {} of the earlier manifest are not in the new one", parts.join(" and "))
        })
    }

    /// Returns a note on entries that are not in the new manifest, if there are any. Must be called
    /// before the earlier manifest is replaced.
    pub fn dropped(&self, path: &Path) -> Option<String> {
        let path = display_safe(path.as_os_str().as_bytes());
        let left = self.missing_count();
        let entries = count(left, "entry", "entries");
        let verb = if left == 1 { "is" } else { "are" };
        (left > 0).then(|| {
            let first = self.first_missing();
            format!("{path}: {entries} of the earlier manifest {verb} not in the new one{first}")
        })
    }
}
