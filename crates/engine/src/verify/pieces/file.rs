//! A file with piece digests, and its position in their sequence.

use crate::job::Job;
use truesum_hash::Spec;
use truesum_manifest::PieceList;

/// A file with piece digests.
#[derive(Clone, Debug)]
pub struct Pieced {
    /// The file, with the digests of its complete content in the same list.
    pub(crate) job: Job,
    /// The digests of its pieces; not empty.
    pub(crate) pieces: Vec<PieceList>,
}

/// Returns the expected size of a file, determined by its size or its pieces.
pub(crate) fn size_of(file: &Pieced) -> u64 {
    let bytes = |list: &PieceList| list.covered().end.saturating_sub(list.file_start());
    file.job.size.unwrap_or_else(|| file.pieces.iter().map(bytes).max().unwrap_or_default())
}

/// Returns the end of the file in the sequence.
pub(super) fn end_of(file: &Pieced) -> u64 {
    file.pieces[0].file_start().saturating_add(size_of(file))
}

/// Returns whether two lists contain digests of the same pieces.
pub(super) fn same_pieces(a: &PieceList, b: &PieceList) -> bool {
    a.cuts() == b.cuts() && a.file_start() == b.file_start() && a.is_padded() == b.is_padded()
}

/// Groups lists that have the same pieces.
pub(crate) fn by_division(lists: &[PieceList]) -> Vec<Vec<PieceList>> {
    let mut by_division: Vec<Vec<PieceList>> = Vec::new();
    for list in lists {
        match by_division.iter_mut().find(|lists| same_pieces(&lists[0], list)) {
            Some(lists) => lists.push(list.clone()),
            None => by_division.push(vec![list.clone()]),
        }
    }
    by_division
}

/// Returns the algorithms that verify a file: at least one of each list here. Lists that cover everything that any list
/// covers verify it together; if there is none, each list verifies the part that the others do not cover.
pub(crate) fn verifying_algorithms(file: &Pieced) -> Vec<Vec<Spec>> {
    let (start, end) = (file.pieces.iter().map(|list| list.covered().start).min(), size_of(file));
    let is_whole = |lists: &Vec<PieceList>| {
        let covered = lists[0].covered();
        Some(covered.start) == start
            && covered.end.saturating_sub(lists[0].file_start()) >= end
            && lists[0].cuts().gaps().next().is_none()
    };
    let by_division = by_division(&file.pieces);
    let by = |lists: &[PieceList]| {
        let specs = lists.iter().map(PieceList::spec).chain(file.job.specs.iter());
        let mut specs: Vec<Spec> = specs.cloned().collect();
        // A file may have a root and nodes of the same tree.
        specs.dedup();
        specs
    };
    let whole: Vec<PieceList> =
        by_division.iter().filter(|lists| is_whole(lists)).flatten().cloned().collect();
    match whole.is_empty() {
        true => by_division.iter().map(|lists| by(lists)).collect(),
        false => vec![by(&whole)],
    }
}
