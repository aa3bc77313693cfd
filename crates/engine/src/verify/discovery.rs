//! Finds the manifests below folders.

use crate::error::{Cause, Error};
use crate::io::anchor::Anchor;
use crate::io::file_id::FileId;
use crate::io::open::Special;
use crate::io::write::folder;
use crate::progress::Progress;
use crate::verify::containers::{bag, ocfl};
use crate::verify::detached::is_detached_signature;
use crate::verify::event::{Event, NotUsed, Observer};
use crate::verify::options::{Options, ReadOptions};
use crate::verify::report::DiscoveryReport;
use crate::walk::{Item, Options as WalkOptions, Walk};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_manifest::json::SCHEMA;
use truesum_manifest::{COMPRESSED, Head, algorithm_from_name, detect};

/// The extensions of JSON Lines files, which are manifests only if they contain entries.
const LINES: &[&[u8]] = &[b".jsonl", b".ndjson"];

/// The extensions of manifests that are checked only if the user names them: their files may be
/// elsewhere, or not complete yet.
const OTHERS: &[&[u8]] = &[b".torrent", b".meta4", b".metalink", b".par2", b".mhl"];

/// The names of the indexes of Debian and RPM repositories, which are checked only if the user names them for the same
/// reason.
const INDEXES: &[&[u8]] = &[b"Release", b"InRelease", b"Packages", b"Sources", b"repomd.xml"];

/// The extensions of files that may contain a list of digests of other files.
const TABLES: &[&[u8]] = &[b".mtree", b".csv", b".tsv"];

/// The extensions of texts, which are examined if their names contain one of [`WORDS`].
const TEXTS: &[&[u8]] = &[b"", b".txt", b".text", b".lst", b".list", b".md"];
const WORDS: &[&[u8]] = &[b"sum", b"hash", b"digest", b"manifest", b"mtree"];

/// The number of bytes that show what a file contains. Damage to a single block of a disk does not hide what follows it.
const BEGIN: u64 = 64 << 10;

/// The search for manifests below folders.
pub(super) struct Discovery<'c> {
    pub(crate) options: &'c Options,
    pub(crate) progress: &'c Progress,
    pub(crate) report: &'c mut DiscoveryReport,
}

/// The result of searching a folder.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The manifests and the folders of bags.
    pub(crate) manifests: Vec<PathBuf>,
    /// Folders that could not be listed, and files that have the name of a manifest but are not one.
    pub(crate) errors: Vec<Error>,
    /// The number of files that may be manifests and are not used, and one of them.
    pub(crate) skipped: u64,
    pub(crate) skipped_file: Option<PathBuf>,
}

/// Returns the manifests and bags below a folder, as [`Verification::below`] checks them.
///
/// [`Verification::below`]: crate::verify::verification::Verification::below
pub(crate) fn manifests_below(folder: PathBuf, read: &ReadOptions, progress: &Progress) -> Found {
    let (options, mut report) = (Options::from(read.clone()), DiscoveryReport::default());
    let (mut errors, mut skipped_file) = (Vec::new(), None);
    let discovery = Discovery { options: &options, progress, report: &mut report };
    let found = discovery.run(vec![folder], &mut |event| {
        match event {
            Event::Failed(error) => errors.push(error.under(error.name())),
            Event::PassedOver(path) | Event::NotUsed(_, _, path) => {
                skipped_file.get_or_insert_with(|| path.to_owned());
            }
            _ => {}
        }
        Ok(())
    });
    // The observer never returns an error.
    Found { manifests: found.unwrap_or_default(), errors, skipped: report.skipped, skipped_file }
}

impl Discovery<'_> {
    /// Returns the manifests and bags below the folders, and the other paths.
    pub(super) fn run(
        mut self,
        places: Vec<PathBuf>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<PathBuf>> {
        let folders: Vec<PathBuf> = places.iter().filter(|place| place.is_dir()).cloned().collect();
        let (mut manifests, mut bags) = (Vec::new(), BTreeSet::new());
        // The places below which something was used or reported.
        let mut used_folders = BTreeSet::new();
        // A file below several of the given folders is used once. Whether each was used or reported, and is a manifest.
        let mut known: BTreeMap<(FileId, OsString), (bool, bool)> = BTreeMap::new();
        let is_repeatable = places.len() > 1;
        let mut not_used: BTreeMap<NotUsed, (u64, PathBuf)> = BTreeMap::new();
        let walk = Walk::new(places, WalkOptions::default(), self.options.read.threads);
        let mut walk = walk.until(self.progress.stop_flag());
        let uses = |manifests: &[PathBuf],
                    not_used: &BTreeMap<NotUsed, (u64, PathBuf)>,
                    report: &DiscoveryReport| {
            let others = not_used.values().map(|(files, _)| files).sum::<u64>();
            (manifests.len(), others, report.unread, report.unreadable, report.skipped)
        };
        while let Some(item) = walk.next() {
            let key = candidate(&item).filter(|_| is_repeatable).and_then(identity);
            if let Some(&(is_used, is_manifest)) = key.as_ref().and_then(|key| known.get(key))
                // A file that the user named is a manifest, even if the search of a folder did not use it.
                && (is_manifest || !matches!(item, Item::File(_, None)))
            {
                if is_used {
                    used_folders.insert(walk.current_root().to_owned());
                }
                continue;
            }
            let before = uses(&manifests, &not_used, self.report);
            match item {
                Item::File(path, None) => manifests.push(path),
                // The type does not matter: checking the folder as a bag reports a declaration that
                // is not a regular file.
                Item::File(path, Some(_))
                | Item::Link(path)
                | Item::Dangling(path)
                | Item::Special(path, _)
                    if path.ends_with(bag::DECLARATION) =>
                {
                    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                    manifests.push(folder.clone());
                    bags.insert(folder);
                }
                Item::File(path, Some(_)) if ocfl::is_declaration(&path) => {
                    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                    not_used.entry(NotUsed::Ocfl).or_insert((0, folder)).0 += 1;
                }
                Item::File(path, Some(anchor)) if !has_manifest_name(&path) => match use_of(&path, &anchor) {
                    // A file in the payload of a bag that may be a damaged manifest is verified
                    // with the bag.
                    FileUse::Unclear | FileUse::Not(NotUsed::Name)
                        if path.ancestors().any(|folder| bags.contains(folder)) => {}
                    FileUse::Manifest | FileUse::Unclear => manifests.push(path),
                    FileUse::Not(why) => not_used.entry(why).or_insert((0, path)).0 += 1,
                    FileUse::None => {}
                },
                Item::File(path, Some(_)) if is_detached_signature(&path) => {
                    on_event(Event::Signature(&path))?
                }
                Item::File(path, Some(_)) => manifests.push(path),
                Item::Failed(error) => {
                    self.report.unreadable += 1;
                    on_event(Event::Failed(&error))?;
                }
                // An object that has the name of a manifest but cannot be read is not skipped.
                Item::Special(path, kind) if may_be_manifest(&path) => {
                    let why = Cause::Other(format!("it has the name of a manifest, but it is a {kind}"));
                    self.unread(&Error::new(path.as_os_str().as_bytes(), "use", why), on_event)?;
                }
                Item::Dangling(path) if may_be_manifest(&path) => {
                    let why = Cause::Other(
                        "it has the name of a manifest, but it is a broken symbolic link".to_owned(),
                    );
                    self.unread(&Error::new(path.as_os_str().as_bytes(), "use", why), on_event)?;
                }
                Item::Link(path) if may_be_manifest(&path) => {
                    self.report.skipped += 1;
                    on_event(Event::PassedOver(&path))?;
                }
                _ => {}
            }
            let after = uses(&manifests, &not_used, self.report);
            if before != after {
                used_folders.insert(walk.current_root().to_owned());
            }
            known.extend(key.map(|key| (key, (before != after, before.0 != after.0))));
        }
        // If no manifest was found anywhere, a single message covers all folders.
        if !manifests.is_empty() && !self.progress.stopped() {
            for folder in folders.iter().filter(|folder| !used_folders.contains(*folder)) {
                let why = Cause::Other("no manifest in this folder or its subfolders".to_owned());
                self.unread(&Error::new(folder.as_os_str().as_bytes(), "check", why), on_event)?;
            }
        }
        // The manifests of a bag are checked with the bag.
        manifests
            .retain(|path| !path.parent().is_some_and(|folder| bags.contains(folder) && bag::is_part(path)));
        self.report.skipped += not_used.values().map(|(files, _)| files).sum::<u64>();
        not_used
            .iter()
            .try_for_each(|(why, (files, first))| on_event(Event::NotUsed(*why, *files, first)))?;
        let found = manifests.len() as u64;
        self.report.found = Some(found);
        self.report.missing = self.options.expect_manifests.saturating_sub(found);
        Ok(manifests)
    }

    fn unread(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unread += 1;
        on_event(Event::Failed(error))
    }
}

/// Returns the path of an object that a search of folders may use or report.
fn candidate(item: &Item) -> Option<&Path> {
    let (Item::File(path, _) | Item::Link(path) | Item::Dangling(path) | Item::Special(path, _)) = item
    else {
        return None;
    };
    let is_given = matches!(item, Item::File(_, None));
    let is_candidate = is_given
        || path.ends_with(bag::DECLARATION)
        || may_be_manifest(path)
        || ends(path, COMPRESSED) && ends(&path.with_extension(""), LINES);
    is_candidate.then_some(path)
}

/// Returns what identifies a manifest: its folder, to which its names are relative, and its own name. Another hard link
/// to the same file in another folder is another manifest.
fn identity(path: &Path) -> Option<(FileId, OsString)> {
    let folder = Metadata::at(folder(path)).ok()?;
    Some((folder.id(), path.file_name()?.to_owned()))
}

/// Returns whether a name has one of these endings, in any letter case.
fn ends(path: &Path, ends: &[&[u8]]) -> bool {
    let lower = path.as_os_str().as_bytes().to_ascii_lowercase();
    ends.iter().any(|end| lower.ends_with(end))
}

/// The way in which a search of folders uses a file.
enum FileUse {
    Manifest,
    /// It may be a damaged or empty manifest, and is used as one so that this is reported.
    Unclear,
    /// It may be a manifest, but is not used as one.
    Not(NotUsed),
    /// It is not a manifest.
    None,
}

/// Returns what a search does with a file whose name does not mark it as a manifest.
fn use_of(path: &Path, anchor: &Anchor) -> FileUse {
    match () {
        () if ends(path, LINES) => use_of_lines(path, anchor),
        () if is_other(path) => FileUse::Not(NotUsed::Format),
        () if ends(path, COMPRESSED) && ends(&path.with_extension(""), LINES) => {
            FileUse::Not(NotUsed::Compressed)
        }
        () if may_be_list(path) && is_list(path, anchor) => FileUse::Not(NotUsed::Name),
        () => FileUse::None,
    }
}

/// Returns whether a file may be a manifest by its name alone.
fn may_be_manifest(path: &Path) -> bool {
    has_manifest_name(path) || ends(path, LINES) || is_other(path)
}

/// Returns whether a file has the name of a manifest that is checked only if the user names it.
fn is_other(path: &Path) -> bool {
    ends(path, OTHERS) || path.file_name().is_some_and(|name| INDEXES.contains(&name.as_bytes()))
}

/// Returns what a search does with a JSON Lines file. One that cannot be read is used as a manifest,
/// so that the error is reported.
fn use_of_lines(path: &Path, anchor: &Anchor) -> FileUse {
    let Ok((file, head)) = begin(path, anchor) else { return FileUse::Manifest };
    let holds = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_text = |line: &[u8]| {
        let is_utf8 = std::str::from_utf8(line).map_or_else(|error| error.error_len().is_none(), |_| true);
        is_utf8 && !line.iter().any(|&byte| byte < b' ' && byte != b'\t')
    };
    let is_object = |line: &[u8]| {
        let is_cut = line.len() as u64 == BEGIN;
        is_text(line) && line.starts_with(b"{") && (line.ends_with(b"}") || is_cut)
    };
    let first = lines.find(|line| !line.is_empty());
    match first.is_some_and(is_object) {
        _ if holds(SCHEMA) || holds("\"path\":") && holds("\"digests\":{") => FileUse::Manifest,
        // Entries may follow any number of other lines. A read error is reported by the check.
        true if contains(file, &head, SCHEMA.as_bytes()).unwrap_or(true) => FileUse::Manifest,
        true => FileUse::Not(NotUsed::OtherLines),
        false => FileUse::Unclear,
    }
}

/// Opens a file, and returns it with its first bytes.
fn begin(path: &Path, anchor: &Anchor) -> Result<(File, Vec<u8>), Error> {
    let name = path.as_os_str().as_bytes();
    let (mut file, _) = anchor.root().open(anchor.rest(name), Special::Refuse)?;
    let mut head = Vec::new();
    (&mut file).take(BEGIN).read_to_end(&mut head).map_err(|why| Error::io(name, "read", why))?;
    Ok((file, head))
}

/// Returns whether the name of a file, which is not that of a manifest, is one that manifests sometimes have.
fn may_be_list(path: &Path) -> bool {
    let lower = path.file_name().unwrap_or_default().as_bytes().to_ascii_lowercase();
    let stem_of =
        |end: &&[u8]| lower.strip_suffix(*end).filter(|stem| !end.is_empty() || !stem.contains(&b'.'));
    TABLES.iter().any(|end| lower.ends_with(end))
        || TEXTS.iter().filter_map(stem_of).any(|stem| {
            WORDS.iter().any(|word| stem.windows(word.len()).any(|part| part == *word))
                || algorithm_from_name(stem).is_some()
        })
}

/// Returns whether a file begins as a manifest does.
fn is_list(path: &Path, anchor: &Anchor) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    begin(path, anchor).is_ok_and(|(_, text)| {
        let complete = (text.len() as u64) < BEGIN;
        // Other content would be mistaken for a damaged manifest with this name.
        !text.contains(&0) && detect(Head::new(&text, complete), Some(name)).is_some()
    })
}

/// Returns whether a text occurs in the rest of a file, or across its border to what was read before.
fn contains(mut rest: impl Read, before: &[u8], text: &[u8]) -> io::Result<bool> {
    let kept = text.len() - 1;
    let mut buffer = before[before.len().saturating_sub(kept)..].to_vec();
    loop {
        let old = buffer.len();
        (&mut rest).take(64 << 10).read_to_end(&mut buffer)?;
        if buffer.len() == old {
            return Ok(false);
        }
        if buffer.windows(text.len()).any(|part| part == text) {
            return Ok(true);
        }
        buffer.drain(..buffer.len().saturating_sub(kept));
    }
}

/// Returns whether a file has the name of a manifest. If a file with such a name below a folder is
/// not a manifest, that is a failure.
pub fn has_manifest_name(path: &Path) -> bool {
    truesum_manifest::has_manifest_name(path.file_name().unwrap_or_default().as_bytes())
}
