//! The history of an ASC media hash list: a folder `ascmhl` with lists, called generations, and a chain file with the
//! digest of each list.
//!
//! A later list need not contain all files, so a history is checked with the entries of all its lists: a file must have
//! every digest that a list contains for it. A list names the histories in subfolders, which are checked too.

use crate::error::{Cause, Error};
use crate::io::open::read_companion;
use crate::verify::entries::EntryCheck;
use crate::verify::event::Observer;
use crate::verify::listed::ListedNames;
use crate::verify::options::Options;
use crate::verify::place::{CHAIN, HISTORY};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_manifest::path::{display_safe, within_root};
use truesum_manifest::{self as manifest, Entry, Heading, Reader, Rule, Writer, ascmhl_list, format};

/// Returns the folder of the history with this name, or in the folder with this name.
pub fn folder_of(name: &Path) -> Option<PathBuf> {
    let has_chain = |folder: &PathBuf| std::fs::symlink_metadata(folder.join(CHAIN)).is_ok();
    let own = name.file_name().is_some_and(|last| last.as_bytes() == HISTORY).then(|| name.to_owned());
    own.into_iter().chain([name.join(OsStr::from_bytes(HISTORY))]).find(has_chain)
}

/// Returns why a list of a history must not be used: its digest is not the one in the chain file, or it has none there.
pub(super) fn altered(name: &Path) -> Option<Error> {
    let is_list = name.extension().is_some_and(|end| end == "mhl");
    let folder = name.parent().filter(|folder| folder_of(folder).as_deref() == Some(*folder) && is_list)?;
    let refused = |why: &str| Some(refused(name, why));
    let chain = match chain(folder) {
        Ok(chain) => chain,
        Err(error) => return Some(error),
    };
    let own = chain.iter().find(|entry| entry.path == name.file_name().unwrap_or_default().as_bytes());
    let Some(own) = own else { return refused("the chain file of the history does not contain it") };
    let text = match read_companion(name) {
        Ok(text) => text,
        Err(error) => return Some(error),
    };
    match own.digests.iter().all(|(spec, digest)| spec.digest(&text) == *digest) && !own.digests.is_empty() {
        true => None,
        false => refused("it does not match its digest in the chain file of the history"),
    }
}

/// Checks a history: its lists against the chain file, and the files against all lists.
pub(super) fn check(
    entries: &mut EntryCheck<'_>,
    folder: &Path,
    on_event: &mut Observer<'_>,
) -> io::Result<()> {
    let options = entries.options;
    if options.public_key.is_some() || options.read.remote.is_some() {
        let why = "a history cannot be checked with a signature or against another location; specify one of its lists";
        return entries.unread(&refused(folder, why), on_event);
    }
    // The digest of the chain file represents those of the lists.
    let merged = options.clone().map_read(|read| read.digest_manifests(false).format(None));
    let (mut folders, mut checked) = (vec![folder.to_owned()], BTreeSet::new());
    while let Some(folder) = folders.pop() {
        if entries.progress.stopped() || !checked.insert(folder.clone()) {
            continue;
        }
        let mut own = entries.with_options(options);
        own.named(&folder.join(CHAIN), &mut ListedNames::default(), on_event)?;
        own.options = &merged;
        folders.extend(one(&mut own, &folder, on_event)?);
    }
    Ok(())
}

/// Checks files against all lists of a history. Returns the folders of the histories in subfolders.
fn one(entries: &mut EntryCheck<'_>, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<Vec<PathBuf>> {
    // The check of the chain file has reported its errors.
    let chain = chain(folder).unwrap_or_default();
    for name in unchained(folder, &chain) {
        entries.unread(&refused(&name, "the chain file of the history does not contain it"), on_event)?;
    }
    let (mut all, mut nested, mut rules) = (Merged::default(), BTreeSet::new(), Vec::new());
    for list in &chain {
        let path = folder.join(OsStr::from_bytes(&list.path));
        let read = entries.files.open(&path, entries.progress).and_then(|mut file| {
            let mut text = Vec::new();
            let read = file.read_to_end(&mut text);
            read.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error)).map(|_| text)
        });
        let text = match read {
            Ok(text) => text,
            // The check of the chain file has reported a missing list.
            Err(error) if error.is_missing() => continue,
            Err(error) => {
                entries.unread(&error, on_event)?;
                continue;
            }
        };
        let found = match ascmhl_list(&text, &reading(entries.options)) {
            Ok(found) => found,
            Err(error) => {
                entries.unread(&refused(&path, &error.to_string()), on_event)?;
                continue;
            }
        };
        for error in &found.errors {
            entries.unread(&refused(&path, &error.to_string()), on_event)?;
        }
        add_new(&mut rules, found.ignored.into_iter().map(Rule::Exclude));
        for (entry, former) in found.entries {
            if let Some(why) = all.add(entry, former) {
                entries.unread(&refused(&path, &why), on_event)?;
            }
        }
        for entry in found.nested {
            let list = Path::new(OsStr::from_bytes(&entry.path)).to_owned();
            match list.parent().filter(|_| within_root(&entry.path).is_ok()) {
                Some(below) => drop(nested.insert(folder.with_file_name("").join(below))),
                None => {
                    entries.unread(&refused(&path, "it refers to a history outside its folder"), on_event)?
                }
            }
            if let Some(why) = all.add(entry, None) {
                entries.unread(&refused(&path, &why), on_event)?;
            }
        }
    }
    let mut writer = Writer::new(
        Vec::new(),
        format("ascmhl").expect("a row of the table of formats"),
        &Heading::default().rules(rules),
    );
    for entry in all.entries.iter().flatten() {
        if let Err(why) = writer.write(entry) {
            let why = format!("{}: {why}", display_safe(&entry.path));
            entries.unread(&refused(folder, &why), on_event)?;
        }
    }
    match writer.finish() {
        Ok(text) => entries.manifest(folder, &text[..], None, on_event)?,
        Err(why) => entries.unread(&refused(folder, &why.to_string()), on_event)?,
    }
    Ok(nested.into_iter().collect())
}

/// A history whose lists match its chain file and do not contradict each other.
pub(crate) struct History {
    /// The text of the chain file.
    pub(crate) chain: Vec<u8>,
    /// The names of the lists, the oldest first.
    pub(crate) lists: Vec<Vec<u8>>,
    /// The entry of each file, with the digests from all lists, under its last name.
    pub(crate) entries: Vec<Entry>,
    /// The patterns of files that some list ignores, without repetition.
    pub(crate) ignored: Vec<String>,
}

/// Reads a history to which a list is to be added.
///
/// # Errors
/// Fails if anything in the history is invalid, or if it refers to histories in subfolders, which the new list would have
/// to continue as well.
pub(crate) fn read(folder: &Path, options: &manifest::Options) -> Result<History, Error> {
    let text = read_companion(&folder.join(CHAIN))?;
    let chain = chain(folder)?;
    if let Some(name) = unchained(folder, &chain).first() {
        return Err(refused(name, "the chain file of the history does not contain it"));
    }
    let (mut all, mut ignored) = (Merged::default(), Vec::new());
    for list in &chain {
        let path = folder.join(OsStr::from_bytes(&list.path));
        if let Some(error) = altered(&path) {
            return Err(error);
        }
        let found = ascmhl_list(&read_companion(&path)?, options);
        let found = found.map_err(|error| refused(&path, &error.to_string()))?;
        if let Some(error) = found.errors.first() {
            return Err(refused(&path, &error.to_string()));
        }
        if !found.nested.is_empty() {
            let why = "it refers to histories in subfolders, which cannot be updated; use ascmhl create";
            return Err(refused(&path, why));
        }
        for (entry, former) in found.entries {
            if let Some(why) = all.add(entry, former) {
                return Err(refused(&path, &why));
            }
        }
        add_new(&mut ignored, found.ignored);
    }
    let lists = chain.into_iter().map(|entry| entry.path).collect();
    Ok(History { chain: text, lists, entries: all.entries.into_iter().flatten().collect(), ignored })
}

/// Adds the items that are not among the others yet.
fn add_new<T: PartialEq>(all: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

/// Returns how lists are read.
fn reading(options: &Options) -> manifest::Options {
    let read = &options.read;
    manifest::Options::default().requested(read.algorithms.clone()).allow_weak(read.allow_weak)
}

/// The entries of several lists, in the order of their first occurrence.
#[derive(Default)]
struct Merged {
    entries: Vec<Option<Entry>>,
    by_name: HashMap<Vec<u8>, usize>,
}

impl Merged {
    /// Adds an entry of a list that is newer than all others. Returns a message if it contradicts an earlier one, whose
    /// digests are then kept.
    fn add(&mut self, entry: Entry, former: Option<Vec<u8>>) -> Option<String> {
        let renamed = former.and_then(|former| self.by_name.remove(&former));
        let Some(at) = self.by_name.get(&entry.path).copied().or(renamed) else {
            self.by_name.insert(entry.path.clone(), self.entries.len());
            self.entries.push(Some(entry));
            return None;
        };
        if let Some(renamed) = renamed.filter(|renamed| *renamed != at) {
            self.entries[renamed] = None;
        }
        self.by_name.insert(entry.path.clone(), at);
        let known = self.entries[at].as_mut()?;
        known.path = entry.path;
        let mut is_contradicted = false;
        for (spec, digest) in entry.digests {
            match known.digests.iter().find(|(known, _)| *known == spec) {
                Some((_, known)) => is_contradicted |= *known != digest,
                None => known.digests.push((spec, digest)),
            }
        }
        if known.size.is_none() {
            known.size = entry.size;
        }
        is_contradicted.then(|| {
            let name = display_safe(&known.path);
            format!("{name}: the digest contradicts the one in an earlier list of the history")
        })
    }
}

/// Returns the lists in the chain file of a history, the oldest first. An invalid entry is left out, so its list counts as
/// one that is not in the chain.
fn chain(folder: &Path) -> Result<Vec<Entry>, Error> {
    let name = folder.join(CHAIN);
    let text = read_companion(&name)?;
    let options = manifest::Options::default().format(format("ascmhl-chain"));
    Ok(Reader::new(&text[..], options).filter_map(Result::ok).map(|line| line.entry).collect())
}

/// Returns the lists in the folder of a history that are not in its chain file. macOS adds files whose names begin with
/// `._` on other file systems.
fn unchained(folder: &Path, chain: &[Entry]) -> Vec<PathBuf> {
    let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = items.map(|item| item.file_name()).filter(|name| {
        let name = name.as_bytes();
        name.ends_with(b".mhl") && !name.starts_with(b"._") && !chain.iter().any(|entry| entry.path == name)
    });
    let mut lists: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    lists.sort();
    lists
}

fn refused(path: &Path, why: &str) -> Error {
    Error::new(path.as_os_str().as_bytes(), "verify", Cause::Other(why.to_owned()))
}
