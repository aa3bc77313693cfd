//! Digests of one file from its pieces, combined in order as they arrive.

use crate::error::{Cause, Error};
use crate::io::mapping::Mapping;
use crate::io::read::Guarded;
use crate::io::source::Source;
use crate::pieces::PieceOutcome;
use crate::pieces::scan::Scan;
use crate::progress::{Completion, Progress};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use truesum_hash::tree::{Fold, Plan, Zeros};
use truesum_hash::{Digest, Spec};

/// Smaller files are not worth several threads.
const SMALL: u64 = 4 << 20;

/// Returns how a file is divided, if all requested digests can be computed that way in one pass.
pub(crate) fn plans(file: &Guarded, specs: &[Spec]) -> Option<Vec<Plan>> {
    let is_reliable = file.is_local() || file.version().is_some();
    if !is_reliable || file.size_hint() < SMALL || specs.is_empty() {
        return None;
    }
    let plans: Vec<Plan> =
        specs.iter().map(|spec| Plan::new(spec, file.size_hint())).collect::<Option<_>>()?;
    // Pieces of several plans have one length, except the last one, so equal counts and equal first
    // pieces mean equal pieces. Leaves, whose lengths may differ, are read for only one plan.
    let cut = |plan: &Plan| (plan.pieces(), plan.piece(0), plan.piece_hasher().is_some());
    let (pieces, _, leaves) = cut(&plans[0]);
    let alike = plans.iter().all(|plan| cut(plan) == cut(&plans[0]));
    (alike && pieces > 1 && !(leaves && plans.len() > 1)).then_some(plans)
}

/// Hashes a file on `threads` threads, including the calling one. Returns the digests in the order of the plans, or
/// `None` if the run was stopped.
///
/// # Errors
/// Returns the system's error, or fails if the file is shorter than before. `name` is used in the error.
pub(crate) fn hash_pieces(
    file: &mut Guarded,
    name: &[u8],
    plans: &[Plan],
    threads: usize,
    mapping: Mapping,
    progress: &Progress,
) -> Result<Completion<Vec<Digest>>, Error> {
    let source = Source::new(file, name, mapping, progress);
    let size = source.size;
    // A hole is skipped for all plans or for none.
    let zeros: Option<Vec<Zeros>> = if source.holes { plans.iter().map(Plan::zeros).collect() } else { None };
    let zeros_of = |plan: usize| zeros.as_ref().map(|zeros| &zeros[plan]);
    let in_order = |plan: &Plan| Mutex::new(OrderedFold { fold: plan.fold(), waiting: BTreeMap::new() });
    let folds: Vec<Mutex<OrderedFold>> = plans.iter().map(in_order).collect();
    let scan = Scan::new(source, plans, threads).skipping_zeros(zeros.is_some());
    let result = scan.run(std::iter::once(0..plans[0].pieces()).collect(), |plan, run| {
        folds[plan].lock().unwrap_or_else(PoisonError::into_inner).take(run, zeros_of(plan));
        Ok(())
    });
    // This is tested before `result`, which is also an error if the run was stopped.
    if progress.stopped() {
        return Ok(Completion::Stopped);
    }
    result?;
    // This comes after success: every byte has been read or is in a hole that was skipped.
    file.mark_as_read(size);
    let folds = folds.into_iter().map(|fold| fold.into_inner().unwrap_or_else(PoisonError::into_inner));
    let digests: Option<Vec<Digest>> = folds.map(|in_order| in_order.fold.finish()).collect();
    let incomplete = || Error::new(name, "hash", Cause::Other("only part of it was hashed".to_owned()));
    digests.map(Completion::Complete).ok_or_else(incomplete)
}

/// The combined state, and digests that wait for earlier pieces, by the number of their first piece.
struct OrderedFold {
    fold: Fold,
    waiting: BTreeMap<u64, PieceOutcome>,
}

impl OrderedFold {
    fn take(&mut self, run: PieceOutcome, zeros: Option<&Zeros>) {
        let (PieceOutcome::Digests(first, _) | PieceOutcome::Zeros(std::ops::Range { start: first, .. })) =
            run;
        // The work queue limits how many results wait here (`AHEAD`).
        self.waiting.insert(first, run);
        while let Some(run) = self.waiting.remove(&self.fold.next()) {
            match (run, zeros) {
                (PieceOutcome::Digests(_, digests), _) => {
                    digests.into_iter().for_each(|digest| self.fold.push(digest))
                }
                (PieceOutcome::Zeros(pieces), Some(zeros)) => {
                    self.fold.push_zeros(zeros, pieces.end - pieces.start);
                }
                (PieceOutcome::Zeros(_), None) => {
                    unreachable!("holes are read, not skipped, if zeros have no known digest")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::open::{Root, Special};
    use truesum_fs::data::FileExt;
    use truesum_fs::name::OsStrExt;
    use truesum_test_support::Scratch;

    fn open(path: &std::path::Path) -> Guarded {
        Guarded::open(&Root::Anywhere, path.as_os_str().as_bytes(), Special::Refuse).unwrap()
    }

    /// Compares the digests of a file by pieces with sequential digests of the same bytes.
    fn compare(path: &std::path::Path, data: &[u8], names: &str, threads: usize) {
        let specs: Vec<Spec> = names.split(',').map(|name| name.parse().unwrap()).collect();
        let mut file = open(path);
        let plans = plans(&file, &specs).expect("these digests consist of pieces");
        let progress = Progress::default();
        let found = hash_pieces(&mut file, b"f", &plans, threads, Mapping::Guarded, &progress).unwrap();
        let expected: Vec<Digest> = specs
            .iter()
            .map(|spec| {
                let mut hasher = spec.hasher_for_size(data.len() as u64);
                hasher.update(data);
                hasher.finish()
            })
            .collect();
        assert_eq!(found, Completion::Complete(expected), "{names} on {threads} threads");
        assert_eq!(file.finish(b"f").unwrap().size(), data.len() as u64);
    }

    const NAMES: [&str; 6] = [
        "sha256-tree",
        "blake3",
        "md5-tree,sha512-tree",
        "s3-etag",
        "sha256-tree;leaf=2MiB",
        "md5-tree;leaf=256KiB",
    ];

    #[test]
    fn pieces_give_the_digests_of_the_complete_file() {
        let file = Scratch::new();
        let data: Vec<u8> =
            (0..(21u32 << 20) + 12345).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
        file.open().write_all_at(&data, 0).unwrap();
        if !open(file.path()).is_local() {
            return;
        }
        for names in NAMES {
            for threads in [1, 2, 5] {
                compare(file.path(), &data, names, threads);
            }
        }
    }

    #[test]
    fn holes_are_folded_without_reading() {
        let file = Scratch::new();
        let mut data = vec![0; 40 << 20];
        for at in [0, 9 << 20, (40 << 20) - 3] {
            data[at..at + 3].copy_from_slice(b"xyz");
            file.open().write_all_at(b"xyz", at as u64).unwrap();
        }
        if !open(file.path()).has_holes() {
            return;
        }
        for names in NAMES {
            compare(file.path(), &data, names, 2);
        }
    }

    #[test]
    fn truncation_while_hashing_windows_is_a_change() {
        let file = Scratch::new();
        file.open().write_all_at(&vec![5; 64 << 20], 0).unwrap();
        for cut in [0, 100, 30 << 20] {
            file.open().set_len(64 << 20).unwrap();
            let mut guarded = open(file.path());
            if !guarded.is_local() {
                return;
            }
            let plans = plans(&guarded, &["blake3".parse().unwrap()]).unwrap();
            file.open().set_len(cut).unwrap();
            let result = hash_pieces(&mut guarded, b"f", &plans, 2, Mapping::Guarded, &Progress::default());
            assert!(result.is_err() || guarded.finish(b"f").is_err(), "cut to {cut}");
        }
    }
}
