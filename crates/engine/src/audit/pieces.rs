//! Files with piece digests: read as in a check, or compared list with list.

use crate::audit::comparison::{Comparison, FOUND, LISTED};
use crate::audit::reading::Results;
use crate::content::set::Compared;
use crate::error::{Cause, Error};
use crate::hash_files::OutcomeFn;
use crate::job::{Job, Outcome, Summary};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::verify::entries::doubt;
use crate::verify::entries::filter::Pick;
use crate::verify::pieces::{self, Pieced, size_of};
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use truesum_manifest::path::display_safe;

/// The index of a file that is not selected. It is read only because its pieces contain bytes of other files.
const UNSELECTED: usize = usize::MAX;

impl Comparison<'_> {
    /// Removes files with piece digests from files in the manifest. Returns the other files, and the sequences that must
    /// be read to verify the removed ones.
    pub(super) fn take_pieced(&self, files: Vec<u32>) -> (Vec<u32>, Vec<Pieced>) {
        if self.pieced[LISTED].is_empty() {
            return (files, Vec::new());
        }
        let selected: HashSet<u32> = files.iter().copied().collect();
        let mut pieced = self.pieced[LISTED].clone();
        let mut removed = HashSet::new();
        for file in &mut pieced {
            let at = self.sets[LISTED].find(&self.options.compared_name(&file.job));
            let at = at.filter(|at| selected.contains(at));
            removed.extend(at);
            file.job.origin.0 = at.map_or(UNSELECTED, |at| at as usize);
        }
        let pick = |job: &Job| if job.origin.0 == UNSELECTED { Pick::Out } else { Pick::In };
        let (pieced, _) = pieces::picked(pieced, pick);
        (files.into_iter().filter(|at| !removed.contains(at)).collect(), pieced)
    }

    /// Compares the pieces of the files that both manifests have.
    pub(super) fn compare_piece_lists(&mut self) {
        let mut by_file: HashMap<u32, [Vec<&Pieced>; 2]> = HashMap::new();
        for side in [LISTED, FOUND] {
            for file in &self.pieced[side] {
                if let Some(at) = self.sets[LISTED].find(&self.options.compared_name(&file.job)) {
                    by_file.entry(at).or_default()[side].push(file);
                }
            }
        }
        let compared = by_file.iter().map(|(at, [listed, found])| (*at, compare(listed, found)));
        self.compared_pieces = compared.collect();
    }
}

/// Compares the lists of pieces that two manifests have for one file.
fn compare(listed: &[&Pieced], found: &[&Pieced]) -> Compared {
    let lists = |files: &[&Pieced]| -> Vec<_> {
        files.iter().flat_map(|file| file.pieces.iter().map(|list| (list.clone(), file.job.size))).collect()
    };
    let (listed, found) = (lists(listed), lists(found));
    let pairs = listed.iter().flat_map(|one| found.iter().map(move |other| (one, other)));
    let results: Vec<_> =
        pairs.filter_map(|((list, size), (other, there))| list.equals(other, [*size, *there])).collect();
    match () {
        () if results.contains(&false) => Compared::Differs,
        () if results.is_empty() => Compared::Unknown,
        () => Compared::Same,
    }
}

impl Results<'_> {
    /// Reads files with piece digests and records the outcomes. Returns the counts and the doubts about files that match.
    ///
    /// # Errors
    /// Fails if the files cannot be read in this process.
    pub(super) fn of_pieces(
        &mut self,
        files: Vec<Pieced>,
        config: &Config,
        progress: &Progress,
    ) -> io::Result<(Summary, Vec<Error>)> {
        let (mut summary, mut doubts) = (Summary::default(), Vec::new());
        let sequence = files.clone();
        let mut numbers = 0..sequence.len();
        let mut each = OutcomeFn(|outcome: Outcome| {
            summary.count(&outcome);
            let number = numbers.next();
            if outcome.job.origin.0 != UNSELECTED {
                doubts.extend(doubt(&outcome));
                doubts.extend(number.and_then(|number| shared_damage(&sequence, number, &outcome)));
                self.add(outcome);
            }
        });
        pieces::verify(files, config, progress, &mut each)?;
        summary.interrupted |= progress.stopped();
        Ok((summary, doubts))
    }
}

/// Returns the reason why file `number` of the list can be neither the same nor changed: it shares a damaged piece.
fn shared_damage(files: &[Pieced], number: usize, outcome: &Outcome) -> Option<Error> {
    let found = outcome.result.as_ref().ok().filter(|_| outcome.has_only_shared_damage())?;
    let ranges = found.pieces()?.damaged().iter().map(|damage| damage.range());
    let other = ranges.into_iter().find_map(|range| sharing(files, number, range));
    let other = other.map_or_else(|| "another file".to_owned(), |other| display_safe(&other.job.name));
    let why = format!("not verified: a damaged piece of it also contains bytes of {other}");
    Some(Error::new(&outcome.job.name, "verify", Cause::Other(why)))
}

/// Returns another file with bytes in the pieces that contain this range of file `number`.
fn sharing<'f>(files: &'f [Pieced], number: usize, range: &Range<u64>) -> Option<&'f Pieced> {
    let list = &files[number].pieces[0];
    let piece = |byte: u64| list.cuts().piece(list.cuts().at(list.file_start() + byte));
    let (start, end) = (piece(range.start)?.start, piece(range.end.checked_sub(1)?)?.end);
    let is_in = |other: &&Pieced| {
        let place = other.pieces[0].file_start();
        Arc::ptr_eq(other.pieces[0].digests(), list.digests())
            && place.max(start) < (place + size_of(other)).min(end)
    };
    let others = files[..number].iter().chain(&files[number + 1..]);
    others.into_iter().find(is_in)
}
