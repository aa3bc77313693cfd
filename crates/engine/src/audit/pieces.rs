//! Files with piece digests: read as in a check, or compared list with list.

use crate::audit::comparison::{Comparison, FOUND, LISTED, Observer};
use crate::audit::reading::Results;
use crate::audit::status::Event;
use crate::content::set::Compared;
use crate::error::{Cause, Error};
use crate::hash_files::OutcomeFn;
use crate::job::{Job, Outcome, Summary};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::verify::entries::doubt;
use crate::verify::entries::filter::Pick;
use crate::verify::pieces::{self, Pieced, size_of};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use truesum_manifest::path::display_safe;
use truesum_manifest::{PieceComparison, PieceList};

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
    pub(super) fn compare_piece_lists(&mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        let mut by_file: BTreeMap<u32, [Vec<usize>; 2]> = BTreeMap::new();
        for side in [LISTED, FOUND] {
            for (number, file) in self.pieced[side].iter().enumerate() {
                if let Some(at) = self.sets[LISTED].find(&self.options.compared_name(&file.job)) {
                    by_file.entry(at).or_default()[side].push(number);
                }
            }
        }
        let sides = [&self.pieced[LISTED][..], &self.pieced[FOUND][..]];
        let mut doubts = Vec::new();
        for (at, numbers) in by_file {
            let (compared, shared) = compare(sides, &numbers);
            self.compared_pieces.insert(at, compared);
            let found = Some(self.state[at as usize]).filter(|&found| found < self.sets[FOUND].len());
            if let (Some(shared), Some(found)) = (shared, found)
                && self.compared(at, found) == Compared::Unknown
            {
                self.undecided.insert(at, shared.is_of_same_files);
                doubts.push(shared.doubt);
            }
        }
        doubts.iter().try_for_each(|doubt| on_event(Event::Doubtful(doubt)))
    }
}

/// A difference between two manifests in pieces that contain bytes of several files.
struct SharedDifference {
    /// Whether such a piece consists of the same ranges of the same files in both manifests, so that at least one of these
    /// files differs.
    is_of_same_files: bool,
    doubt: Error,
}

/// Compares the lists of pieces that two manifests have for one file. `numbers` are its positions in each of them.
fn compare(sides: [&[Pieced]; 2], numbers: &[Vec<usize>; 2]) -> (Compared, Option<SharedDifference>) {
    let lists = |side: usize| {
        let files = numbers[side].iter().map(move |&number| (number, &sides[side][number]));
        files.flat_map(|(number, file)| file.pieces.iter().map(move |list| (number, list, file.job.size)))
    };
    let (mut is_same, mut shared) = (false, None);
    for (number, list, size) in lists(LISTED) {
        for (counterpart, other, there) in lists(FOUND) {
            match list.compare(other, [size, there]) {
                PieceComparison::Different => return (Compared::Differs, None),
                PieceComparison::Same => is_same = true,
                PieceComparison::SharedDifference(pieces) => {
                    shared = Some(shared_difference(sides, [number, counterpart], [list, other], &pieces));
                }
                PieceComparison::Unknown => {}
            }
        }
    }
    (if is_same { Compared::Same } else { Compared::Unknown }, shared)
}

/// Describes the differing pieces of a file that contain bytes of other files.
fn shared_difference(
    sides: [&[Pieced]; 2],
    numbers: [usize; 2],
    lists: [&PieceList; 2],
    pieces: &[[Range<u64>; 2]],
) -> SharedDifference {
    let is_same = |piece: &[Range<u64>; 2]| {
        let [one, other] =
            [LISTED, FOUND].map(|side| parts(sides[side], numbers[side], lists[side], &piece[side]));
        one.is_some() && one == other
    };
    let mut others = [LISTED, FOUND].into_iter().flat_map(|side| {
        pieces.iter().filter_map(move |piece| sharing(sides[side], numbers[side], lists[side], &piece[side]))
    });
    let other =
        others.next().map_or_else(|| "another file".to_owned(), |other| display_safe(&other.job.name));
    let why = format!("not compared: a piece of it that differs also contains bytes of {other}");
    SharedDifference {
        is_of_same_files: pieces.iter().any(is_same),
        doubt: Error::new(&sides[LISTED][numbers[LISTED]].job.name, "compare", Cause::Other(why)),
    }
}

/// Returns the files with bytes in a piece: the name of each, where it starts relative to the piece, and its size. Returns
/// `None` if the piece also contains bytes of files without an entry.
fn parts<'f>(
    files: &'f [Pieced],
    number: usize,
    list: &PieceList,
    piece: &Range<u64>,
) -> Option<Vec<(&'f [u8], i128, u64)>> {
    let (mut parts, mut at) = (Vec::new(), piece.start);
    for file in around(files, number, list, piece) {
        let start = start_in(file, list)?;
        if !list.between(at..start.max(at)).all(|(_, is_zero)| is_zero) {
            return None;
        }
        at = at.max(start.saturating_add(size_of(file)));
        parts.push((&file.job.name[..], i128::from(start) - i128::from(piece.start), size_of(file)));
    }
    list.between(at..piece.end).all(|(_, is_zero)| is_zero).then_some(parts)
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
    let list = &files[number].pieces[0];
    let piece = |byte: u64| list.cuts().piece(list.cuts().at(list.file_start() + byte));
    let pieces = ranges
        .into_iter()
        .filter_map(|range| Some(piece(range.start)?.start..piece(range.end.checked_sub(1)?)?.end));
    let other = pieces.into_iter().find_map(|pieces| sharing(files, number, list, &pieces));
    let other = other.map_or_else(|| "another file".to_owned(), |other| display_safe(&other.job.name));
    let why = format!("not verified: a damaged piece of it also contains bytes of {other}");
    Some(Error::new(&outcome.job.name, "verify", Cause::Other(why)))
}

/// Returns another file than `number` with bytes in these pieces of its list.
fn sharing<'f>(
    files: &'f [Pieced],
    number: usize,
    list: &PieceList,
    pieces: &Range<u64>,
) -> Option<&'f Pieced> {
    let has_bytes = |other: &&Pieced| !std::ptr::eq(*other, &files[number]) && size_of(other) > 0;
    around(files, number, list, pieces).iter().find(has_bytes)
}

/// Returns file `number` and the files around it that have bytes in these pieces of its list. An empty file may be among
/// them.
fn around<'f>(files: &'f [Pieced], number: usize, list: &PieceList, pieces: &Range<u64>) -> &'f [Pieced] {
    let ends_after = |file: &&Pieced| {
        start_in(file, list).is_some_and(|at| at.saturating_add(size_of(file)) > pieces.start)
    };
    let starts_before = |file: &&Pieced| start_in(file, list).is_some_and(|at| at < pieces.end);
    let before = files[..number].iter().rev().take_while(ends_after).count();
    let after = files[number + 1..].iter().take_while(starts_before).count();
    &files[number - before..=number + after]
}

/// Returns where a file starts in the sequence of this list, if it belongs to it.
fn start_in(file: &Pieced, list: &PieceList) -> Option<u64> {
    let same = file.pieces.iter().find(|other| Arc::ptr_eq(other.digests(), list.digests()));
    same.map(PieceList::file_start)
}
