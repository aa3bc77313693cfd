//! Converts a manifest to another format: copies the entries of a reader to a writer and reports
//! everything that is lost.
//!
//! Formats hold different information, and some can reject a manifest only when it is complete. The
//! conversion therefore remembers what it wrote, so that the caller can compare this with what a
//! reader finds in the output ([`Converted::reads_back`]).

use crate::entry::Entry;
use crate::format::{Format, Heading, Unrepresentable};
use crate::joined::Window;
use crate::line::{LineError, ReadError};
use crate::reader::{Omitted, Reader};
use crate::writer::{WriteError, Writer};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use truesum_hash::Spec;

/// Maximum number of digests in an entry that is merged from adjacent entries of one file.
const MERGED: usize = 16;

/// A piece of information that the output lacks.
#[derive(Debug)]
pub enum Loss<'a> {
    /// A malformed part of the manifest.
    Malformed(&'a LineError),
    /// An entry that the format cannot hold, with the reason.
    Entry(&'a Entry, Unrepresentable),
    /// One of several digests of an entry: the format cannot hold its algorithm, or holds only one
    /// digest of a file.
    Digest(&'a Entry, &'a Spec),
    /// A digest of an unsupported algorithm with this name.
    Unread(&'a str),
    /// The modification time of the file.
    Time(&'a Entry),
    /// The size of the file.
    Size(&'a Entry),
    /// The digests of pieces of the file.
    Pieces(&'a Entry),
    /// An attribute of the file with this name, which truesum does not read.
    Attribute(&'a str),
    /// Objects that are not regular files.
    Objects(&'a Omitted),
    /// The signature of the manifest.
    Signature,
}

/// An error that ended a conversion.
#[derive(Debug)]
pub enum ConvertError {
    /// Reading the manifest failed.
    Read(io::Error),
    /// Writing the output failed.
    Write(io::Error),
    /// The format can hold each of the entries, but not all of them in one manifest.
    Whole(Unrepresentable),
}

readable! {
    /// A summary of what a conversion wrote.
    #[derive(Debug, Default)]
    pub struct Converted {
        /// The number of entries.
        entries: u64,
        /// The algorithms of the entries, in order of first appearance.
        specs: Vec<Spec> => &[Spec],
    }
    private {
        /// Hashes of the facts written, in the order of the output.
        facts: Vec<u64>,
        state: RandomState,
    }
}

/// Writes all entries of `reader` for which `keep`, which may rename them, returns true, and finishes the manifest. Calls
/// `on_loss` for everything that is lost.
///
/// Entries of one file are merged, because some formats have a column for each algorithm: those that [`Window`] joins,
/// and adjacent ones that repeat a digest.
///
/// # Errors
/// Fails if reading or writing fails, or if `format`, which must be the format of `writer`, cannot
/// hold these entries in one manifest.
pub fn convert<R: Read, W: Write>(
    reader: &mut Reader<R>,
    mut writer: Writer<W>,
    format: &Format,
    keep: &mut dyn FnMut(&mut Entry) -> bool,
    on_loss: &mut dyn FnMut(Loss<'_>),
) -> Result<(W, Converted), ConvertError> {
    let mut converted = Converted::default();
    let mut held: Option<Entry> = None;
    let mut window = Window::default();
    loop {
        let entry = match window.next(reader) {
            None => break,
            Some(Ok(joined)) => joined.line.entry,
            Some(Err(ReadError::Io(error))) => return Err(ConvertError::Read(error)),
            Some(Err(ReadError::Line(error))) => {
                on_loss(Loss::Malformed(&error));
                continue;
            }
        };
        let Some(before) = held.as_mut() else {
            held = Some(entry);
            continue;
        };
        if let Some(entry) = join(before, entry) {
            let mut before = std::mem::replace(before, entry);
            if keep(&mut before) {
                converted.put(before, &mut writer, format, on_loss).map_err(ConvertError::Write)?;
            }
        }
    }
    if let Some(last) = held.and_then(|mut last| keep(&mut last).then_some(last)) {
        converted.put(last, &mut writer, format, on_loss).map_err(ConvertError::Write)?;
    }
    reader.omitted().iter().for_each(|objects| on_loss(Loss::Objects(objects)));
    if reader.signer().is_some() {
        on_loss(Loss::Signature);
    }
    match writer.finish() {
        Ok(out) => Ok((out, converted)),
        Err(WriteError::Io(error)) => Err(ConvertError::Write(error)),
        Err(WriteError::Refused(why)) => Err(ConvertError::Whole(why)),
    }
}

/// Returns whether a conversion to `format` would succeed without losing anything. Comments do not count.
pub fn keeps_everything<R: Read>(mut reader: Reader<R>, format: &'static Format) -> bool {
    let writer = Writer::new(io::sink(), format, &Heading::default());
    let mut is_lossless = true;
    let done = convert(&mut reader, writer, format, &mut |_| true, &mut |_| is_lossless = false);
    let rules = reader.rules();
    done.is_ok_and(|(_, converted)| converted.entries() > 0)
        && is_lossless
        && !rules.is_invalid()
        && rules.all().iter().all(|rule| format.can_store_rule(rule))
}

/// Merges `entry` into `before`, the entry that precedes it. Returns `entry` if it is about another
/// file, contradicts `before`, or has information that cannot be merged.
fn join(before: &mut Entry, entry: Entry) -> Option<Entry> {
    let contradicts = |entry: &Entry| {
        entry.digests.iter().any(|(spec, value)| {
            before.digests.iter().any(|(known, digest)| known == spec && digest != value)
        })
    };
    let another = before.path != entry.path
        || before.size != entry.size
        || before.mtime != entry.mtime
        || !before.pieces.is_empty()
        || !entry.pieces.is_empty()
        || before.digests.len() + entry.digests.len() > MERGED
        || contradicts(&entry);
    if another {
        return Some(entry);
    }
    for found in entry.digests {
        if !before.digests.contains(&found) {
            before.digests.push(found);
        }
    }
    before.unread.extend(entry.unread);
    before.attributes.extend(entry.attributes);
    None
}

impl Converted {
    /// Writes an entry without the digests that the format cannot hold, and reports what is lost.
    fn put<W: Write>(
        &mut self,
        mut entry: Entry,
        writer: &mut Writer<W>,
        format: &Format,
        on_loss: &mut dyn FnMut(Loss<'_>),
    ) -> io::Result<()> {
        loop {
            let why = match writer.write(&entry) {
                Ok(()) => break,
                Err(WriteError::Io(error)) => return Err(error),
                Err(WriteError::Refused(why)) => why,
            };
            let at = match &why {
                Unrepresentable::Algorithm(spec)
                | Unrepresentable::Untagged(spec)
                | Unrepresentable::Twice(spec) => entry.digests.iter().rposition(|(other, _)| other == spec),
                _ => None,
            };
            match at.filter(|_| entry.digests.len() > 1) {
                Some(at) => {
                    let (spec, _) = entry.digests.remove(at);
                    on_loss(Loss::Digest(&entry, &spec));
                }
                None => {
                    on_loss(Loss::Entry(&entry, why));
                    return Ok(());
                }
            }
        }
        let capabilities = &format.capabilities;
        if entry.size.is_some() && !capabilities.size {
            on_loss(Loss::Size(&entry));
        }
        if entry.mtime.is_some() && !capabilities.mtime {
            on_loss(Loss::Time(&entry));
        }
        entry.unread.iter().for_each(|name| on_loss(Loss::Unread(name)));
        entry.attributes.iter().for_each(|name| on_loss(Loss::Attribute(name)));
        if !entry.pieces.is_empty() && capabilities.pieces.is_none() {
            on_loss(Loss::Pieces(&entry));
        }
        self.entries += 1;
        capabilities.drop_unrepresented(&mut entry);
        facts(&entry, &mut self.specs, &self.state, |fact| self.facts.push(fact));
        Ok(())
    }

    /// Returns whether a reader of the output finds exactly what was written: the same names with
    /// the same digests, sizes, times and pieces.
    ///
    /// # Errors
    /// Fails if the output cannot be read.
    pub fn reads_back<R: Read>(mut self, reader: Reader<R>) -> io::Result<bool> {
        // Nearly all formats keep the order of entries: facts are stored only after the first one
        // that is not at its place.
        let mut in_place = 0;
        let mut others = Vec::new();
        for line in reader {
            let entry = match line {
                Ok(line) => line.entry,
                Err(ReadError::Line(_)) => return Ok(false),
                Err(ReadError::Io(error)) => return Err(error),
            };
            facts(&entry, &mut self.specs, &self.state, |fact| match self.facts.get(in_place) {
                Some(&written) if written == fact && others.is_empty() => in_place += 1,
                _ => others.push(fact),
            });
        }
        if others.is_empty() && in_place == self.facts.len() {
            return Ok(true);
        }
        others.extend_from_slice(&self.facts[..in_place]);
        let set = |mut facts: Vec<u64>| {
            facts.sort_unstable();
            facts.dedup();
            facts
        };
        Ok(set(others) == set(self.facts))
    }
}

/// Calls `into` with a hash of each fact in an entry. Facts are hashed separately, so that it makes
/// no difference whether one entry or several contain them. An algorithm is hashed as its position in
/// `specs`, to which it is added if it is new.
fn facts(entry: &Entry, specs: &mut Vec<Spec>, state: &RandomState, mut into: impl FnMut(u64)) {
    let path = state.hash_one(&entry.path);
    into(path);
    if let Some(size) = entry.size {
        into(state.hash_one((path, "size", size)));
    }
    if let Some(time) = entry.mtime {
        into(state.hash_one((path, "time", time.seconds, time.nanos)));
    }
    for (spec, digest) in &entry.digests {
        let at = specs.iter().position(|known| known == spec).unwrap_or_else(|| {
            specs.push(spec.clone());
            specs.len() - 1
        });
        into(state.hash_one((path, at, digest.parts(), digest)));
    }
    for pieces in &entry.pieces {
        into(state.hash_one((path, pieces.spec(), pieces.piece_len(), pieces.digests())));
    }
}
