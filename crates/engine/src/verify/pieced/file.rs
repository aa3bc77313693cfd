//! A file that has digests of pieces, and where in their sequence it lies.

use crate::job::Job;
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
    let pieces = &file.pieces[0];
    file.job.size.unwrap_or_else(|| pieces.covered().end.saturating_sub(pieces.file_start()))
}

/// Where in the sequence it ends.
pub(super) fn end_of(file: &Pieced) -> u64 {
    file.pieces[0].file_start().saturating_add(size_of(file))
}

/// Whether lists of digests are of the same pieces.
pub(super) fn same_pieces(a: &PieceList, b: &PieceList) -> bool {
    a.cuts() == b.cuts() && a.file_start() == b.file_start() && a.is_padded() == b.is_padded()
}
