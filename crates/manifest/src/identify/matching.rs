//! The candidates that are digests of a file.

use super::candidate::Candidate;
use truesum_hash::{Digest, Spec};

/// Part sizes that upload programs use, in MiB.
const USUAL_MIB: &[u64] = &[8, 5, 16, 10, 15, 25, 32, 50, 64, 100, 128, 256, 500, 512, 1024];

/// Returns the possible part sizes of an upload of `size` bytes in `parts` parts, without
/// duplicates: common sizes first, in units of 2^20 and of 10^6 bytes, then all multiples of 1 MiB.
pub fn part_sizes(size: u64, parts: u64) -> Vec<u64> {
    const MIB: u64 = 1 << 20;
    /// The maximum size of a part in the service.
    const LARGEST: u64 = 5 << 30;
    let cuts = |part: u64| size.div_ceil(part).max(1) == parts;
    let usual = USUAL_MIB.iter().map(|mib| mib * MIB).chain(USUAL_MIB.iter().map(|mb| mb * 1_000_000));
    let least = size.div_ceil(parts.max(1)).div_ceil(MIB).max(1);
    let all = (least..=LARGEST / MIB).map(|mib| mib * MIB).take_while(|&part| cuts(part));
    let mut found: Vec<u64> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for part in usual.chain(all).filter(|&part| cuts(part)) {
        if seen.insert(part) {
            found.push(part);
        }
    }
    // A single part is the complete file, whatever the part size was.
    if parts == 1 {
        found.truncate(1);
    }
    found
}

/// Returns the candidates that are digests of a file of `size` bytes, and the number of candidates
/// tried. Digests of uploads in parts are tried with all [`part_sizes`], common ones first, up to
/// the first match. `digests` computes the digests of several algorithms at once.
///
/// # Errors
/// Returns the errors of `size` and `digests`. The file is read even if there is no candidate to
/// try.
pub fn matching<E>(
    candidates: &[Candidate],
    size: impl FnOnce() -> Result<u64, E>,
    mut digests: impl FnMut(&[Spec]) -> Result<Vec<Digest>, E>,
) -> Result<(Vec<Candidate>, u64), E> {
    /// Number of part sizes tried in one read, each of which requires a hash of the complete file.
    const AT_ONCE: usize = 64;
    let (parted, plain): (Vec<_>, Vec<_>) =
        candidates.iter().cloned().partition(|candidate| candidate.spec.counts_parts());
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    if !plain.is_empty() {
        groups.push(plain);
    }
    if let Some(first) = parted.first() {
        let size = size()?;
        let sized = parted.iter().flat_map(|candidate| {
            let sizes = part_sizes(size, candidate.digest.parts().unwrap_or(1));
            let specs = sizes.into_iter().filter_map(|size| candidate.spec.clone().with_unit(size).ok());
            specs.map(|spec| Candidate { spec, ..candidate.clone() })
        });
        let sized: Vec<Candidate> = sized.collect();
        groups.extend(sized.chunks(AT_ONCE).map(<[Candidate]>::to_vec));
        if groups.is_empty() {
            digests(std::slice::from_ref(&first.spec))?;
        }
    }
    let mut tried = 0;
    for group in groups {
        let mut specs: Vec<Spec> = Vec::new();
        for candidate in &group {
            if !specs.contains(&candidate.spec) {
                specs.push(candidate.spec.clone());
            }
        }
        tried += group.len() as u64;
        let found = digests(&specs)?;
        let is = |candidate: &Candidate| {
            let mut pairs = specs.iter().zip(&found);
            pairs.any(|(spec, digest)| *spec == candidate.spec && *digest == candidate.digest)
        };
        let found: Vec<Candidate> = group.into_iter().filter(is).collect();
        if !found.is_empty() {
            return Ok((found, tried));
        }
    }
    Ok((Vec::new(), tried))
}
