//! One large object hashed on all threads: idle threads hash pieces of its ranges, and the thread that took the object
//! combines them in order.

use crate::fetch::SMALL;
use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::sync::Arc;
use truesum::hash::tree::{Fold, Plan};
use truesum::hash::{Digest, Spec};

/// Ranges that wait to be combined, or are being hashed.
const AHEAD: usize = 4;

/// A range to hash in pieces.
pub(crate) struct Pieces {
    plans: Arc<[Plan]>,
    start: u64,
    bytes: Bytes,
    reply: Sender<Hashed>,
}

/// The digests of a range's pieces, for each plan.
type Hashed = Vec<Vec<Digest>>;

impl Pieces {
    /// Hashes the pieces and sends the result to the requesting thread.
    pub(crate) fn hash(self) {
        let of = |plan: &Plan| plan.hash_pieces(self.start / plan.piece(0).end, &self.bytes);
        let _ = self.reply.send(self.plans.iter().map(of).collect());
    }
}

/// The digests of one object whose pieces may be hashed by any thread.
pub(crate) struct Folding<'c> {
    plans: Arc<[Plan]>,
    folds: Vec<Fold>,
    under_way: VecDeque<Receiver<Hashed>>,
    give: &'c Sender<Pieces>,
    take: &'c Receiver<Pieces>,
}

impl<'c> Folding<'c> {
    /// Starts empty; `None` if one of the digests is a chain, or its pieces are not aligned with ranges.
    pub(crate) fn of(
        specs: &[Spec],
        size: u64,
        give: &'c Sender<Pieces>,
        take: &'c Receiver<Pieces>,
    ) -> Option<Folding<'c>> {
        let plans: Option<Arc<[Plan]>> = specs.iter().map(|spec| Plan::new(spec, size)).collect();
        let plans = plans.filter(|plans| !plans.is_empty() && plans.iter().all(begins_with_ranges))?;
        let folds = plans.iter().map(Plan::fold).collect();
        Some(Folding { plans, folds, under_way: VecDeque::new(), give, take })
    }

    /// Adds the range from `start`, after all earlier ones.
    pub(crate) fn add(&mut self, start: u64, bytes: Bytes) {
        if bytes.is_empty() {
            return;
        }
        let (reply, receive) = bounded(1);
        let _ = self.give.send(Pieces { plans: self.plans.clone(), start, bytes, reply });
        self.under_way.push_back(receive);
        while self.under_way.len() >= AHEAD {
            self.fold();
        }
    }

    /// Combines the next range; meanwhile this thread hashes ranges that no other thread has taken.
    fn fold(&mut self) {
        let Some(next) = self.under_way.pop_front() else { return };
        let hashed = loop {
            if let Ok(hashed) = next.try_recv() {
                break hashed;
            }
            match self.take.try_recv() {
                Ok(pieces) => pieces.hash(),
                // Another thread is hashing it.
                Err(_) => break next.recv().unwrap_or_default(),
            }
        };
        for (fold, pieces) in self.folds.iter_mut().zip(hashed) {
            pieces.into_iter().for_each(|piece| fold.push(piece));
        }
    }

    /// Returns the digests in the order of the algorithms; `None` if a piece is missing.
    pub(crate) fn finish(mut self) -> Option<Vec<Digest>> {
        while !self.under_way.is_empty() {
            self.fold();
        }
        let whole = self.folds.iter().zip(self.plans.iter()).all(|(fold, plan)| fold.next() == plan.pieces());
        whole.then(|| self.folds.into_iter().map(Fold::finish).collect())?
    }
}

/// Returns whether every range starts at a piece boundary: all pieces have one length that divides the length of
/// ranges.
fn begins_with_ranges(plan: &Plan) -> bool {
    let equal = plan.merkle().is_some() || plan.piece_hasher().is_none();
    equal && plan.piece(0).end > 0 && SMALL.is_multiple_of(plan.piece(0).end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    #[test]
    fn folded_pieces_give_the_digest_of_the_object() {
        let size = (2 * SMALL + 12_345) as usize;
        let data = Bytes::from((0..size).map(|i| ((i * i) >> 7) as u8).collect::<Vec<u8>>());
        let specs: Vec<Spec> =
            ["blake3", "crc32c", "sha256-tree", "glacier"].iter().map(|name| name.parse().unwrap()).collect();
        let (give, take) = unbounded();
        std::thread::scope(|scope| {
            let helping = take.clone();
            scope.spawn(move || helping.iter().take(1).for_each(Pieces::hash));
            let mut folding = Folding::of(&specs, size as u64, &give, &take).unwrap();
            let mut start = 0;
            for len in [SMALL, 2 * SMALL, SMALL] {
                let end = (start + len).min(size as u64);
                folding.add(start, data.slice(start as usize..end as usize));
                start = end;
            }
            let digests = folding.finish().unwrap();
            for (spec, digest) in specs.iter().zip(digests) {
                assert_eq!(digest, spec.digest(&data), "{spec}");
            }
        });
        for chained in ["sha256", "s3-etag"] {
            assert!(Folding::of(&[chained.parse().unwrap()], size as u64, &give, &take).is_none());
        }
        let mut folding = Folding::of(&specs, size as u64, &give, &take).unwrap();
        folding.add(0, data.slice(..SMALL as usize));
        assert!(folding.finish().is_none(), "a piece is lacking");
    }
}
