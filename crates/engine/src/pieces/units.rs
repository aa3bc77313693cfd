//! Small pieces: those of neighboring units share a window of the file.

use crate::error::Error;
use crate::io::source::Source;
use crate::pieces::UNIT;
use crate::pieces::chains::Chains;
use std::sync::MutexGuard;
use truesum_hash::tree::{Merkle, Plan};
use truesum_hash::{Digest, kernel};

/// The file whose units are hashed, and the plans for them.
pub(super) struct Units<'a> {
    pub(crate) source: Source<'a>,
    /// The plans, which all divide the file in the same way.
    pub(crate) plans: &'a [Plan],
    /// Chains that receive every byte in order.
    pub(crate) chains: Option<&'a Chains>,
}

impl Units<'_> {
    /// Returns the number of pieces per unit.
    pub(super) fn pieces(&self) -> u64 {
        // A file shorter than a piece makes its only piece shorter too; rounding up keeps the ratio
        // a power of two.
        self.plans.first().map_or(1, |plan| UNIT / plan.piece(0).end.clamp(1, UNIT).next_power_of_two())
    }

    /// Hashes the pieces of neighboring units. Returns the first piece and, for each plan, the digests that start with
    /// it. `disk` is released after they have been read.
    ///
    /// # Errors
    /// Fails as [`Source::look`], or if the chains were stopped.
    pub(super) fn hash(
        &self,
        units: &[u64],
        buffer: &mut Vec<u8>,
        disk: Option<MutexGuard<'_, ()>>,
    ) -> Result<(u64, Vec<Vec<Digest>>), Error> {
        let (first, pieces) = (units[0], self.pieces());
        let start = first * UNIT;
        let end = ((units[units.len() - 1] + 1) * UNIT).min(self.source.size);
        let hash = |data: &[u8]| {
            // Leaves of several units share lanes only if one unit would leave most of them empty: lanes that far apart
            // map to the same cache sets, which costs SHA-1 and SHA-256 more than the wider row gains.
            if let [plan] = self.plans
                && let Some(leaf) = plan.merkle().and_then(Merkle::leaf_hasher)
                && kernel::full_lanes(leaf.spec().algorithm()) > 32
                && data.len() as u64 <= units.len() as u64 * UNIT
            {
                return vec![plan.hash_pieces(first * pieces, data)];
            }
            let mut digests = vec![Vec::new(); self.plans.len()];
            for &unit in units {
                let from = ((unit - first) * UNIT) as usize;
                // Apply every plan while the unit is in the cache.
                let data = &data[from..data.len().min(from + UNIT as usize)];
                for (plan, digests) in self.plans.iter().zip(&mut digests) {
                    digests.extend(plan.hash_pieces(unit * pieces, data));
                }
            }
            digests
        };
        let len = (end - start) as usize;
        let digests = match self.chains.filter(|chains| chains.wanted().contains(&first)) {
            Some(chains) => {
                let stopped = || Error::interrupted(self.source.path);
                // Read even if mapped, because the chains keep the bytes beyond this call.
                let mut buffer = chains.buffer(first, len).ok_or_else(stopped)?;
                self.source.read(&mut buffer, start)?;
                drop(disk);
                let digests = hash(&buffer);
                chains.give(first, buffer);
                digests
            }
            None => self.source.look(start, len, buffer, |data| {
                drop(disk);
                hash(data)
            })?,
        };
        Ok((first * pieces, digests))
    }
}
