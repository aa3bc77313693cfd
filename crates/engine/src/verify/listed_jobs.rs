//! The entries of a manifest as jobs, for callers that need all of them before a file is opened.

use crate::error::{Error, Kind};
use crate::io::file_id::FileId;
use crate::io::input::Input;
use crate::job::Job;
use crate::progress::Progress;
use crate::task::{BadLine, Notice, Task};
use crate::verify::entries::omitted;
use crate::verify::entries::tasks::Entries;
use crate::verify::foreign::manifest_reader;
use crate::verify::manifest_digest::{CountedReader, ManifestDigest};
use crate::verify::options::ReadOptions;
use crate::verify::place::open;
use std::io;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::Digest;
use truesum_manifest::{PieceList, Place, Rules};

/// A part of a manifest: an entry, an entry with piece digests, a malformed line, or objects without digests.
pub(crate) enum ListItem<'l> {
    /// An entry, and the positions of its lines after the first one.
    Entry(Job, &'l [Place]),
    Pieced(Job, Vec<PieceList>),
    Bad(BadLine),
    /// The doubt about them, and their number.
    Omitted(Error, u64),
    /// The rules about files that are not in the manifest, if there are any.
    Rules(Rules),
}

/// The reason why reading entries ended early: the manifest could not be read, or the receiver
/// returned an error.
pub(crate) enum ListEnd {
    Unread(Error),
    Refused(io::Error),
}

impl From<io::Error> for ListEnd {
    fn from(error: io::Error) -> ListEnd {
        ListEnd::Refused(error)
    }
}

/// Passes every entry of a manifest to `each`, those with piece digests last. Returns the manifest's own digest, if
/// requested by the options. The identity of its file is added to `own`. A stop of the run ends the reading without an
/// error.
///
/// # Errors
/// Fails if it cannot be opened, is not a manifest or cannot be read to its end, or with the error of `each`.
pub(crate) fn listed_jobs(
    name: &Path,
    options: &ReadOptions,
    progress: &Progress,
    own: &mut Vec<FileId>,
    each: &mut dyn FnMut(ListItem<'_>) -> io::Result<()>,
) -> Result<Option<Digest>, ListEnd> {
    let bytes = name.as_os_str().as_bytes();
    let (file, id) = open(name, progress).map_err(ListEnd::Unread)?;
    own.extend(id);
    let folder = options.folder(name);
    let root = options.root_of(&folder).map_err(ListEnd::Unread)?;
    let manifest_digest = ManifestDigest::new(options.digest_manifests);
    let reader = CountedReader { reader: file, progress, digest: &manifest_digest };
    let reader = match manifest_reader(reader, name, None, options) {
        Ok(reader) => reader,
        Err(error) if error.kind() == Kind::Interrupted => return Ok(None),
        Err(error) => return Err(ListEnd::Unread(error)),
    };
    let mut entries =
        Entries::new(reader, options.manifest(bytes, progress), &root, 0, None).of_folder(&folder);
    while let Some(task) = entries.next() {
        match task {
            Task::File(job) => each(ListItem::Entry(job, entries.others()))?,
            Task::Notice(Notice::Malformed(line)) => each(ListItem::Bad(line))?,
            Task::Notice(_) => {}
        }
    }
    for file in entries.take_pieced() {
        each(ListItem::Pieced(file.job, file.pieces))?;
    }
    if let Some(doubt) = omitted(bytes, entries.omitted()) {
        let objects = entries.omitted().iter().map(|objects| objects.count()).sum();
        each(ListItem::Omitted(doubt, objects))?;
    }
    let rules = entries.rules();
    if rules != Rules::default() && !options.ignore_rules {
        each(ListItem::Rules(rules))?;
    }
    match entries.facts().failed {
        Some(error) if !Input::is_interruption(&error) => {
            Err(ListEnd::Unread(Error::io(bytes, "read", error)))
        }
        _ => Ok(manifest_digest.digest()),
    }
}
