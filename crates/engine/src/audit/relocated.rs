//! Files that were moved, and damaged or modified as well: their content does not reveal the move, but their size and
//! time do.

use crate::audit::stamps::same_time;
use crate::content::set::Set;
use std::collections::{HashMap, HashSet};

/// Pairs missing files with new files of the same size and time, but different content: such a file was moved, and was
/// damaged or modified as well. Returns the position in `gone` and the new file, which is removed from `fresh`.
pub(crate) fn moved_and_modified(
    [listed, found]: [&Set; 2],
    gone: &[u32],
    fresh: &mut Vec<u32>,
) -> Vec<(usize, u32)> {
    let mut by_size: HashMap<u64, Vec<u32>> = HashMap::new();
    for &at in fresh.iter() {
        by_size.entry(found.size(at).unwrap_or(0)).or_default().push(at);
    }
    let (mut taken, mut pairs) = (HashSet::new(), Vec::new());
    for (at, &from) in gone.iter().enumerate() {
        let (Some(size), Some(time)) = (listed.size(from), listed.time(from)) else { continue };
        let same =
            |to: &u32| !taken.contains(to) && found.time(*to).is_some_and(|other| same_time(time, other));
        if let Some(to) = by_size.get(&size).and_then(|files| files.iter().copied().find(same)) {
            taken.insert(to);
            pairs.push((at, to));
        }
    }
    fresh.retain(|at| !taken.contains(at));
    pairs
}
