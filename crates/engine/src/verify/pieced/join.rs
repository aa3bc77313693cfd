//! Pieces of one file that are listed one by one, as `hashdeep -p` does, put together to lists.
//!
//! hashdeep reads several files at once, so that their rows are mixed; those of one file are in order.

use super::file::{Pieced, same_pieces};
use crate::job::Job;
use std::collections::HashMap;
use std::ops::Range;
use truesum_hash::Spec;
use truesum_manifest::PieceList;

/// Gathers files that have digests of pieces, in the order of their first mention.
#[derive(Debug, Default)]
pub struct Join {
    files: Vec<Joined>,
    /// The last of `files` with this name that is listed piece by piece.
    by_name: HashMap<Vec<u8>, usize>,
}

#[derive(Debug)]
struct Joined {
    file: Pieced,
    /// What was added to the first piece.
    more: Option<More>,
}

#[derive(Debug)]
struct More {
    covered: Range<u64>,
    piece_len: u64,
    lists: Vec<(Spec, Vec<u8>)>,
}

impl Join {
    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Adds what one entry says.
    pub fn add(&mut self, job: Job, pieces: Vec<PieceList>) {
        let first = &pieces[0];
        let alone = first.file_start() == 0 && first.len() == 1;
        let alone = alone && pieces.iter().all(|list| same_pieces(list, first));
        if alone {
            if let Some(&at) = self.by_name.get(&job.name)
                && self.files[at].take(&pieces)
            {
                return;
            }
            self.by_name.insert(job.name.clone(), self.files.len());
        }
        self.files.push(Joined { file: Pieced { job, pieces }, more: None });
    }

    /// All of them; none is left.
    pub fn take(&mut self) -> Vec<Pieced> {
        self.by_name.clear();
        std::mem::take(&mut self.files).into_iter().map(Joined::file).collect()
    }
}

impl Joined {
    /// Takes the piece that follows the last one; false where this is another one.
    fn take(&mut self, next: &[PieceList]) -> bool {
        let first = &self.file.pieces;
        let (covered, piece_len) = match &self.more {
            Some(more) => (more.covered.clone(), more.piece_len),
            None => (first[0].covered(), first[0].piece_len()),
        };
        let same = first.len() == next.len()
            && first.iter().zip(next).all(|(list, next)| list.spec() == next.spec())
            && next[0].covered().start == covered.end
            && next[0].piece_len() <= piece_len
            && (covered.end - covered.start).is_multiple_of(piece_len);
        if !same {
            return false;
        }
        let begin = |list: &PieceList| (list.spec().clone(), list.digests().to_vec());
        let more = self.more.get_or_insert_with(|| More {
            covered,
            piece_len,
            lists: first.iter().map(begin).collect(),
        });
        more.covered.end = next[0].covered().end;
        for ((_, digests), next) in more.lists.iter_mut().zip(next) {
            digests.extend_from_slice(next.digests());
        }
        true
    }

    fn file(self) -> Pieced {
        let Joined { file, more } = self;
        let Some(More { covered, piece_len, lists }) = more else { return file };
        let list = |(spec, digests): (Spec, Vec<u8>)| {
            PieceList::new(spec, covered.clone(), piece_len, digests.into())
        };
        Pieced { pieces: lists.into_iter().filter_map(list).collect(), ..file }
    }
}
