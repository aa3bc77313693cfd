//! Converts the decisions about files to changes of the manifest's entries.

use super::outcome::Action;
use crate::audit::comparison::{Comparison, FOUND, LISTED};
use crate::audit::row::Row;
use crate::content::set::NONE;
use truesum_hash::{Digest, Spec};
use truesum_manifest::edit::{Changes, Edit};
use truesum_manifest::{Entry, Line};

/// The mark of an entry to be removed.
const REMOVED: u32 = NONE - 1;

/// The changes of a manifest.
pub(super) struct Planned<'p, 'a> {
    comparison: &'p Comparison<'a>,
    /// For each file in the manifest, the file found that replaces it, none, or the mark for removal.
    instead: Vec<u32>,
    /// Files in the manifest that have a new name.
    renamed: Vec<bool>,
    /// Files to be added, in order.
    fresh: Vec<u32>,
    /// The algorithms of most files in the manifest.
    specs: Vec<Spec>,
    /// Whether names begin with `./`, like the first one.
    dotted: Option<bool>,
    /// The next position.
    place: usize,
    /// The next file to be added.
    next: usize,
}

impl<'p, 'a> Planned<'p, 'a> {
    pub(super) fn new(comparison: &'p Comparison<'a>, decisions: &[(Row, Action)]) -> Planned<'p, 'a> {
        let listed = comparison.sets[LISTED].len() as usize;
        let (mut instead, mut renamed, mut fresh) = (vec![NONE; listed], Vec::new(), Vec::new());
        for (Row { at: [listed, found], .. }, action) in decisions {
            match action {
                Action::Kept => {}
                Action::Added => fresh.push(*found),
                Action::Refreshed => instead[*listed as usize] = *found,
                Action::Removed => instead[*listed as usize] = REMOVED,
                Action::Renamed => {
                    instead[*listed as usize] = *found;
                    renamed.resize(instead.len(), false);
                    renamed[*listed as usize] = true;
                }
            }
        }
        let specs = usual(comparison);
        Planned { comparison, instead, renamed, fresh, specs, dotted: None, place: 0, next: 0 }
    }

    /// Returns the file that an entry belongs to.
    fn file(&mut self, line: &Line) -> Option<u32> {
        let places = &self.comparison.requested.places;
        let number = line.at.number();
        while places.get(self.place).is_some_and(|(place, _)| *place < number) {
            self.place += 1;
        }
        let (_, file) = places.get(self.place).filter(|(place, _)| *place == number)?;
        self.place += 1;
        Some(*file)
    }

    /// Returns a name in the manifest's style.
    fn spelled(&self, name: &[u8], dotted: bool) -> Vec<u8> {
        if dotted { [b"./", name].concat() } else { name.to_vec() }
    }

    /// Returns the entry for a file that was found, with the digests of these algorithms.
    fn entry(&self, found: u32, path: Vec<u8>, mut wanted: impl FnMut(&Spec) -> bool) -> Entry {
        let facts = self.comparison.sets[FOUND].facts(found);
        let digests: Vec<(Spec, Digest)> =
            facts.digests.into_iter().filter(|(spec, _)| wanted(spec)).collect();
        Entry { path, size: facts.size, mtime: facts.mtime, digests, ..Entry::default() }
    }
}

/// Returns the algorithms of most files in the manifest.
pub(super) fn usual(comparison: &Comparison<'_>) -> Vec<Spec> {
    let set = &comparison.sets[LISTED];
    let mut counts = vec![0u64; set.kinds().len()];
    (0..set.len()).for_each(|at| counts[set.kind(at) as usize] += 1);
    let kinds = set.kinds().iter().zip(counts).filter(|(kind, _)| !kind.is_empty());
    // If two lists are equally common, use the first one.
    let most = kinds.rev().max_by_key(|(_, count)| *count);
    most.map_or_else(|| comparison.requested.usual.clone(), |(kind, _)| kind.to_vec())
}

impl Changes for Planned<'_, '_> {
    fn begin(&mut self) {
        (self.place, self.next) = (0, 0);
    }

    fn of(&mut self, line: &Line) -> Edit {
        let file = self.file(line);
        let path = &line.entry.path;
        let dotted = path.starts_with(b"./");
        self.dotted.get_or_insert(dotted);
        let Some(file) = file else { return Edit::Keep };
        match self.instead[file as usize] {
            NONE => Edit::Keep,
            REMOVED => Edit::Drop,
            found => {
                let renamed = self.renamed.get(file as usize).is_some_and(|renamed| *renamed);
                let path = match renamed {
                    true => self.spelled(self.comparison.sets[FOUND].name(found), dotted),
                    false => path.clone(),
                };
                let own = |spec: &Spec| line.entry.digests.iter().any(|(known, _)| known == spec);
                let mut entry = self.entry(found, path, own);
                // Sort the digests in the order of the line.
                let place = |spec: &Spec| line.entry.digests.iter().position(|(known, _)| known == spec);
                entry.digests.sort_by_key(|(spec, _)| place(spec));
                Edit::Replace(Box::new(entry))
            }
        }
    }

    fn added(&mut self) -> Option<Entry> {
        let found = *self.fresh.get(self.next)?;
        self.next += 1;
        let path = self.spelled(self.comparison.sets[FOUND].name(found), self.dotted == Some(true));
        let mut entry = self.entry(found, path, |spec| self.specs.contains(spec));
        entry.digests.sort_by_key(|(spec, _)| self.specs.iter().position(|known| known == spec));
        Some(entry)
    }
}
