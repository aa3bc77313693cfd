//! Joins the pieces of a file that are on separate lines, as written by `hashdeep -p`, into lists.
//!
//! They may be in any order, mixed with those of other files, and repeated. The data stored for each is smaller than
//! its line, and the file is read once.

use super::file::Pieced;
use crate::job::Job;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use truesum_hash::Spec;
use truesum_manifest::{PieceList, SIZE_LIMIT};

/// The maximum number of lists of one algorithm that are compared in one read if pieces overlap.
const MAX_LISTS: usize = 8;
/// The maximum number of algorithms for one file's pieces.
const ALGORITHMS: usize = 16;

/// Collects files with piece digests, in the order in which they first occur.
#[derive(Debug, Default)]
pub struct Join {
    files: Vec<JoinedFile>,
    /// The indices of the `files` whose pieces are on separate lines.
    by_name: HashMap<Vec<u8>, usize>,
}

#[derive(Debug)]
struct JoinedFile {
    file: Pieced,
    /// Its pieces, if they are on separate lines.
    rows: Vec<Rows>,
}

/// The pieces of one algorithm.
#[derive(Debug)]
struct Rows {
    spec: Spec,
    ranges: Vec<Range<u64>>,
    /// Their digests, concatenated.
    digests: Vec<u8>,
}

impl Join {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Adds an entry.
    pub fn add(&mut self, job: Job, pieces: Vec<PieceList>) {
        let is_row = job.specs.is_empty() && job.size.is_none() && pieces.iter().all(is_one);
        if !is_row {
            return self.files.push(JoinedFile { file: Pieced { job, pieces }, rows: Vec::new() });
        }
        let at = *self.by_name.entry(job.name.clone()).or_insert(self.files.len());
        if at == self.files.len() {
            self.files.push(JoinedFile { file: Pieced { job, pieces: Vec::new() }, rows: Vec::new() });
        } else if !self.files[at].can_take(&pieces) {
            return self.files.push(JoinedFile { file: Pieced { job, pieces }, rows: Vec::new() });
        }
        pieces.iter().for_each(|piece| self.files[at].take(piece));
    }

    /// Removes and returns all files.
    pub fn take(&mut self) -> Vec<Pieced> {
        self.by_name.clear();
        std::mem::take(&mut self.files).into_iter().flat_map(JoinedFile::files).collect()
    }
}

/// Returns whether a list consists of the digest of a single piece of a file, wherever the piece
/// ends.
fn is_one(list: &PieceList) -> bool {
    let plain = PieceList::new(list.spec().clone(), list.covered(), list.piece_len(), list.digests().clone());
    list.len() == 1 && list.covered().end <= SIZE_LIMIT && plain.as_ref() == Some(list)
}

impl JoinedFile {
    fn can_take(&self, pieces: &[PieceList]) -> bool {
        let is_new = |piece: &&PieceList| self.rows.iter().all(|rows| rows.spec != *piece.spec());
        self.rows.len() + pieces.iter().filter(is_new).count() <= ALGORITHMS
    }

    fn take(&mut self, piece: &PieceList) {
        let known = self.rows.iter().position(|rows| rows.spec == *piece.spec());
        let at = known.unwrap_or_else(|| {
            let spec = piece.spec().clone();
            self.rows.push(Rows { spec, ranges: Vec::new(), digests: Vec::new() });
            self.rows.len() - 1
        });
        self.rows[at].ranges.push(piece.covered());
        self.rows[at].digests.extend_from_slice(piece.digests());
    }

    fn files(self) -> Vec<Pieced> {
        let JoinedFile { mut file, rows } = self;
        if rows.is_empty() {
            return vec![file];
        }
        file.job.size = complete_size(&rows);
        let mut files: Vec<Pieced> = Vec::new();
        for rows in rows {
            for (at, lists) in rows.lists().chunks(MAX_LISTS).enumerate() {
                match files.get_mut(at) {
                    Some(file) => file.pieces.extend_from_slice(lists),
                    None => files.push(Pieced { job: file.job.clone(), pieces: lists.to_vec() }),
                }
            }
        }
        files
    }
}

/// Returns the size of a file whose pieces cover it from its first byte without gaps. `hashdeep -p` reads each file to its
/// end, so bytes after the last piece were added later.
fn complete_size(rows: &[Rows]) -> Option<u64> {
    let mut ranges: Vec<&Range<u64>> = rows.iter().flat_map(|rows| &rows.ranges).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.into_iter().try_fold(0, |end, range| (range.start <= end).then_some(range.end.max(end)))
}

impl Rows {
    /// Returns the smallest number of lists without overlapping pieces.
    fn lists(self) -> Vec<PieceList> {
        let Rows { spec, ranges, digests } = self;
        let len = spec.digest_len();
        let digest = |at: usize| &digests[at * len..(at + 1) * len];
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        let key = |at: usize| (ranges[at].start, ranges[at].end, digest(at));
        order.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        order.dedup_by(|a, b| key(*a) == key(*b));
        let mut lists: Vec<(Vec<Range<u64>>, Vec<u8>)> = Vec::new();
        // The end of each list, the smallest first.
        let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for at in order {
            let range = ranges[at].clone();
            let free = ends.peek().filter(|Reverse((end, _))| *end <= range.start).map(|end| end.0.1);
            let list = free.unwrap_or(lists.len());
            match free {
                Some(_) => drop(ends.pop()),
                None => lists.push(Default::default()),
            }
            ends.push(Reverse((range.end, list)));
            lists[list].0.push(range);
            lists[list].1.extend_from_slice(digest(at));
        }
        let list =
            |(ranges, digests): (_, Vec<u8>)| PieceList::of_ranges(spec.clone(), ranges, digests.into());
        lists.into_iter().filter_map(list).collect()
    }
}
