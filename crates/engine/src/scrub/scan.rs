//! All entries of a state in the order of names: those of the file, with the changes that were appended since.

use crate::error::Error;
use crate::scrub::block::{self, Kind, NoBlock, Position, damaged};
use crate::scrub::codec::Rest;
use crate::scrub::listing::SpecLists;
use crate::scrub::record::Record;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_hash::Spec;

/// Changed entries by name, encoded; `None` if an entry was removed.
pub(crate) type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// The name of a file below the root, and what is stored about it.
pub(crate) type Entry = (Vec<u8>, Record);

/// An iterator over the entries of a state, which does not see changes made after it was created. It ends after an
/// error.
pub(crate) struct Scan {
    path: PathBuf,
    /// The file and the position of the next block; `None` after the end of the entries.
    file: Option<(Arc<File>, Position)>,
    /// The end of the blocks in the file, in bytes.
    end: u64,
    /// The entries of the current block, the next one last.
    block: Vec<Entry>,
    /// The number of entries in the blocks so far, and the name of the last one.
    count: u64,
    last: Option<Vec<u8>>,
    changes: Arc<Changes>,
    /// The name of the last change that was reached.
    changed: Option<Vec<u8>>,
    specs: Arc<[Spec]>,
    lists: SpecLists,
}

impl Scan {
    pub(crate) fn new(
        path: &Path,
        file: Option<(Arc<File>, Position)>,
        end: u64,
        changes: Arc<Changes>,
        specs: Arc<[Spec]>,
    ) -> Scan {
        let (path, block) = (path.to_owned(), Vec::new());
        Scan {
            path,
            file,
            end,
            block,
            count: 0,
            last: None,
            changes,
            changed: None,
            specs,
            lists: SpecLists::default(),
        }
    }

    /// Reads the next block, if there is one.
    fn fill(&mut self) -> Result<(), Error> {
        let Some((file, at)) = self.file.take() else { return Ok(()) };
        let fail = |why| Err(damaged(&self.path, at, NoBlock::Damaged(why)));
        let (kind, content) =
            block::read(&file, at, self.end).map_err(|error| damaged(&self.path, at, error))?;
        let mut rest = Rest(&content);
        match kind {
            Kind::Entries => {}
            Kind::End if rest.number() == Some(self.count) => return Ok(()),
            _ => return fail("it does not contain the expected entries"),
        }
        let mut before: Vec<u8> = Vec::new();
        while !rest.0.is_empty() {
            let Some((key, record)) = entry(&before, &mut rest, &self.specs, &mut self.lists) else {
                return fail("its content is invalid");
            };
            if self.last.as_ref().is_some_and(|last| *last >= key) {
                return fail("its entries are not in order");
            }
            before.clone_from(&key);
            self.last = Some(key.clone());
            self.block.push((key, record));
        }
        self.count += self.block.len() as u64;
        self.block.reverse();
        self.file = Some((file, at.after(content.len())));
        Ok(())
    }

    /// Returns the next change.
    fn change(&self) -> Option<(&Vec<u8>, &Option<Vec<u8>>)> {
        match &self.changed {
            None => self.changes.iter().next(),
            Some(last) => self.changes.range::<Vec<u8>, _>((Excluded(last), Unbounded)).next(),
        }
    }
}

fn entry(before: &[u8], rest: &mut Rest<'_>, specs: &Arc<[Spec]>, lists: &mut SpecLists) -> Option<Entry> {
    let shared = before.get(..usize::try_from(rest.number()?).ok()?)?;
    let key = [shared, rest.bytes()?].concat();
    Some((key, Record::take(rest, specs, lists)?))
}

impl Iterator for Scan {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.block.is_empty() && self.file.is_some() {
                if let Err(error) = self.fill() {
                    self.changes = Arc::default();
                    return Some(Err(error));
                }
            }
            let stored = self.block.last().map(|(key, _)| key);
            let Some((key, value)) =
                self.change().filter(|(key, _)| stored.is_none_or(|stored| *key <= stored))
            else {
                return self.block.pop().map(Ok);
            };
            let is_replaced = stored == Some(key);
            let (key, value) = (key.clone(), value.clone());
            if is_replaced {
                self.block.pop();
            }
            self.changed = Some(key.clone());
            if let Some(value) = value {
                let invalid = || {
                    damaged(
                        &self.path,
                        Position { offset: self.end, number: 0 },
                        NoBlock::Damaged("a recorded change is invalid"),
                    )
                };
                return Some(
                    Record::take(&mut Rest(&value), &self.specs, &mut self.lists)
                        .map(|record| (key, record))
                        .ok_or_else(invalid),
                );
            }
        }
    }
}
