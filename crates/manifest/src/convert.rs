//! From one format to another: the entries of a reader go to a writer, and whatever does not come along is told.
//!
//! Formats hold different things, and some find out only when the manifest is whole. So what was written is remembered, and
//! can be held against what a reader makes of it ([`Converted::reads_back`]).

use crate::entry::Entry;
use crate::format::{Format, Unholdable};
use crate::line::{LineError, ReadError};
use crate::reader::Reader;
use crate::writer::{WriteError, Writer};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use truesum_hash::Spec;

/// Neighbouring entries of one file become one entry of at most so many digests.
const MERGED: usize = 16;

/// What does not come along.
#[derive(Debug)]
pub enum Lost<'a> {
    /// A part of the manifest that is no entry.
    Malformed(&'a LineError),
    /// An entry, and why.
    Entry(&'a Entry, Unholdable),
    /// One of several digests of an entry: the format has no place for its algorithm, or none for several.
    Digest(&'a Entry, &'a Spec),
    /// A digest of it of an algorithm of this name, which there is not.
    Unread(&'a str),
    /// When the file was last written.
    Time(&'a Entry),
    /// Its length.
    Size(&'a Entry),
    /// Digests of pieces.
    Pieces(&'a Entry),
    /// The signature around the manifest.
    Signature,
}

/// Why a conversion ended early.
#[derive(Debug)]
pub enum ConvertError {
    /// The manifest could not be read to its end.
    Read(io::Error),
    /// The output failed.
    Write(io::Error),
    /// The entries, each good by itself, make no manifest of the format.
    Whole(Unholdable),
}

/// What was written.
#[derive(Debug, Default)]
pub struct Converted {
    /// Entries.
    pub entries: u64,
    /// Their algorithms, in the order of their first mention.
    pub specs: Vec<Spec>,
    facts: HashSet<u64>,
    state: RandomState,
}

/// Writes all entries of `reader` that `keep` has, as far as they can be written, and ends the manifest; `tell` hears of what
/// is lost of them.
///
/// Neighbouring entries of one file become one, as formats want it that have a column for each algorithm.
///
/// # Errors
/// Input or output failed, or the entries make no manifest of `format`, which is that of `writer`.
pub fn convert<R: Read, W: Write>(
    reader: &mut Reader<R>,
    mut writer: Writer<W>,
    format: &Format,
    keep: &mut dyn FnMut(&Entry) -> bool,
    tell: &mut dyn FnMut(Lost<'_>),
) -> Result<(W, Converted), ConvertError> {
    let mut converted = Converted::default();
    let mut held: Option<Entry> = None;
    loop {
        let entry = match reader.next() {
            None => break,
            Some(Ok(line)) => line.entry,
            Some(Err(ReadError::Io(error))) => return Err(ConvertError::Read(error)),
            Some(Err(ReadError::Line(error))) => {
                tell(Lost::Malformed(&error));
                continue;
            }
        };
        let Some(before) = held.as_mut() else {
            held = Some(entry);
            continue;
        };
        if let Some(entry) = join(before, entry) {
            let before = std::mem::replace(before, entry);
            if keep(&before) {
                converted.put(before, &mut writer, format, tell).map_err(ConvertError::Write)?;
            }
        }
    }
    if let Some(last) = held.filter(|last| keep(last)) {
        converted.put(last, &mut writer, format, tell).map_err(ConvertError::Write)?;
    }
    if reader.signer().is_some() {
        tell(Lost::Signature);
    }
    match writer.finish() {
        Ok(out) => Ok((out, converted)),
        Err(WriteError::Io(error)) => Err(ConvertError::Write(error)),
        Err(WriteError::Refused(why)) => Err(ConvertError::Whole(why)),
    }
}

/// Adds to an entry what the next one says of the same file. What contradicts it, or says something else, is given back.
fn join(before: &mut Entry, entry: Entry) -> Option<Entry> {
    let told_twice = |entry: &Entry| {
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
        || told_twice(&entry);
    if another {
        return Some(entry);
    }
    for found in entry.digests {
        if !before.digests.contains(&found) {
            before.digests.push(found);
        }
    }
    before.unread.extend(entry.unread);
    None
}

impl Converted {
    /// Writes an entry, without those of its digests that have no place.
    fn put<W: Write>(
        &mut self,
        mut entry: Entry,
        writer: &mut Writer<W>,
        format: &Format,
        tell: &mut dyn FnMut(Lost<'_>),
    ) -> io::Result<()> {
        loop {
            let why = match writer.write(&entry) {
                Ok(()) => break,
                Err(WriteError::Io(error)) => return Err(error),
                Err(WriteError::Refused(why)) => why,
            };
            let at = match &why {
                Unholdable::Algorithm(spec) | Unholdable::Untagged(spec) | Unholdable::Twice(spec) => {
                    entry.digests.iter().rposition(|(other, _)| other == spec)
                }
                _ => None,
            };
            match at.filter(|_| entry.digests.len() > 1) {
                Some(at) => {
                    let (spec, _) = entry.digests.remove(at);
                    tell(Lost::Digest(&entry, &spec));
                }
                None => {
                    tell(Lost::Entry(&entry, why));
                    return Ok(());
                }
            }
        }
        let kept = format.holds.kept(&entry);
        if kept.size != entry.size {
            tell(Lost::Size(&entry));
        }
        if kept.mtime != entry.mtime {
            tell(Lost::Time(&entry));
        }
        entry.unread.iter().for_each(|name| tell(Lost::Unread(name)));
        if kept.pieces.len() != entry.pieces.len() {
            tell(Lost::Pieces(&entry));
        }
        self.entries += 1;
        for (spec, _) in &kept.digests {
            if !self.specs.contains(spec) {
                self.specs.push(spec.clone());
            }
        }
        facts(&kept, &self.state, &mut self.facts);
        Ok(())
    }

    /// Whether a reader of what was written finds just that: the same names with the same digests, sizes and times.
    ///
    /// # Errors
    /// It could not be read.
    pub fn reads_back<R: Read>(&self, reader: Reader<R>) -> io::Result<bool> {
        let mut found = HashSet::with_capacity(self.facts.len());
        for line in reader {
            match line {
                Ok(line) => facts(&line.entry, &self.state, &mut found),
                Err(ReadError::Line(_)) => return Ok(false),
                Err(ReadError::Io(error)) => return Err(error),
            }
        }
        Ok(found == self.facts)
    }
}

/// Adds what an entry says, each fact by itself: whether it is said in one entry or in several makes no difference.
fn facts(entry: &Entry, state: &RandomState, into: &mut HashSet<u64>) {
    let path = &entry.path;
    into.insert(state.hash_one(path));
    into.extend(entry.size.map(|size| state.hash_one((path, "size", size))));
    into.extend(entry.mtime.map(|time| state.hash_one((path, "time", time.seconds, time.nanos))));
    into.extend(entry.digests.iter().map(|found| state.hash_one((path, found))));
    for pieces in &entry.pieces {
        into.insert(state.hash_one((path, pieces.spec(), pieces.piece_len(), pieces.digests())));
    }
}
