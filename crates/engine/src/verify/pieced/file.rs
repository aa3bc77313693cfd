//! A file that has digests of pieces, and where in their sequence it lies.

use crate::job::Job;
use truesum_hash::Spec;
use truesum_manifest::PieceList;

/// A file that has digests of pieces.
#[derive(Clone, Debug)]
pub struct Pieced {
    /// The file, with the digests of all of it that are listed beside.
    pub job: Job,
    /// Digests of its pieces; not empty.
    pub pieces: Vec<PieceList>,
}

/// Bytes that a file is listed to have: by its size, or by its pieces.
pub(crate) fn size_of(file: &Pieced) -> u64 {
    let bytes = |list: &PieceList| list.covered().end.saturating_sub(list.file_start());
    file.job.size.unwrap_or_else(|| file.pieces.iter().map(bytes).max().unwrap_or_default())
}

/// Where in the sequence it ends.
pub(super) fn end_of(file: &Pieced) -> u64 {
    file.pieces[0].file_start().saturating_add(size_of(file))
}

/// Whether lists of digests are of the same pieces.
pub(super) fn same_pieces(a: &PieceList, b: &PieceList) -> bool {
    a.cuts() == b.cuts() && a.file_start() == b.file_start() && a.is_padded() == b.is_padded()
}

/// Lists by their pieces: those of the same ones together.
pub(crate) fn lots(lists: &[PieceList]) -> Vec<Vec<PieceList>> {
    let mut lots: Vec<Vec<PieceList>> = Vec::new();
    for list in lists {
        match lots.iter_mut().find(|lot| same_pieces(&lot[0], list)) {
            Some(lot) => lot.push(list.clone()),
            None => lots.push(vec![list.clone()]),
        }
    }
    lots
}

/// The algorithms that a file is judged by: at least one of each of these. Lists that cover all that is covered judge it together;
/// where none does, each judges a part that others say nothing of.
pub(crate) fn judged_by(file: &Pieced) -> Vec<Vec<Spec>> {
    let (start, end) = (file.pieces.iter().map(|list| list.covered().start).min(), size_of(file));
    let is_whole = |lot: &Vec<PieceList>| {
        let covered = lot[0].covered();
        Some(covered.start) == start
            && covered.end.saturating_sub(lot[0].file_start()) >= end
            && lot[0].cuts().gaps().next().is_none()
    };
    let lots = lots(&file.pieces);
    let by = |lists: &[PieceList]| {
        let specs = lists.iter().map(PieceList::spec).chain(file.job.specs.iter());
        let mut specs: Vec<Spec> = specs.cloned().collect();
        // A file may have a root, and nodes of the same tree.
        specs.dedup();
        specs
    };
    let whole: Vec<PieceList> = lots.iter().filter(|lot| is_whole(lot)).flatten().cloned().collect();
    match whole.is_empty() {
        true => lots.iter().map(|lot| by(lot)).collect(),
        false => vec![by(&whole)],
    }
}
