//! Content under other names: finds new files that were moved or copied from files in the manifest, or copied from each
//! other.
//!
//! Everything is done by sorting and a single pass, so a folder in which all files are equal costs no more than any
//! other.

use crate::content::set::{Set, common};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use truesum_hash::Spec;

/// The maximum number of algorithm combinations that are compared with each other. A manifest has one or two; one with
/// more was crafted to be slow.
const TRIED: usize = 64;

/// Two sets and the algorithms that both have.
struct Shared<'s> {
    sets: [&'s Set; 2],
    places: Vec<[(usize, usize); 2]>,
    sized: bool,
}

impl Shared<'_> {
    fn order(&self, one: (usize, u32), other: (usize, u32)) -> Ordering {
        let slice =
            |(side, at): (usize, u32), places: &[(usize, usize); 2]| self.sets[side].slice(at, places[side]);
        let digests = self.places.iter().map(|places| slice(one, places).cmp(slice(other, places)));
        let size = |(side, at): (usize, u32)| if self.sized { self.sets[side].size(at) } else { None };
        digests.fold(Ordering::Equal, Ordering::then).then_with(|| size(one).cmp(&size(other)))
    }

    /// Sorts the files of one side by content, then by base name, then by path.
    fn sort(&self, side: usize, files: &mut [u32]) {
        let set = self.sets[side];
        files.sort_unstable_by(|&a, &b| {
            let content = self.order((side, a), (side, b));
            content.then_with(|| set.base(a).cmp(set.base(b))).then_with(|| set.name(a).cmp(set.name(b)))
        });
    }

    /// Returns the files at the beginning that have the same content.
    fn group<'f>(&self, side: usize, files: &'f [u32]) -> &'f [u32] {
        let end = files.iter().position(|&file| self.order((side, file), (side, files[0])).is_ne());
        &files[..end.unwrap_or(files.len())]
    }
}

/// Returns the ways in which files of two lists can be compared, each with the files that have the necessary digests.
fn ways<'s>(sets: [&'s Set; 2], files: [&[u32]; 2]) -> Vec<(Shared<'s>, [Vec<u32>; 2])> {
    let kinds = |side: usize| {
        // One by one, because `collect` would first store the kind of every file.
        let mut kinds = BTreeSet::new();
        kinds.extend(files[side].iter().map(|&at| (sets[side].kind(at), sets[side].size(at).is_some())));
        kinds
    };
    let (left, right) = (kinds(0), kinds(1));
    let mut ways = Vec::new();
    for (one, other) in left.iter().flat_map(|one| right.iter().map(move |other| (one, other))).take(TRIED) {
        let specs = |side: usize, kind: u32| -> &[Spec] { &sets[side].kinds()[kind as usize] };
        let places = common(specs(0, one.0), specs(1, other.0));
        if places.is_empty() {
            continue;
        }
        let of = |side: usize, kind: &(u32, bool)| {
            let is = |at: &&u32| (sets[side].kind(**at), sets[side].size(**at).is_some()) == *kind;
            files[side].iter().filter(is).copied().collect()
        };
        let shared = Shared { sets, places, sized: one.1 && other.1 };
        ways.push((shared, [of(0, one), of(1, other)]));
    }
    ways
}

/// Pairs missing files with new files of the same content, one to one; files with the same base name are preferred.
/// Paired files are removed from both lists.
pub(crate) fn moved(sets: [&Set; 2], gone: &mut Vec<u32>, fresh: &mut Vec<u32>) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let mut taken = [vec![false; sets[0].len() as usize], vec![false; sets[1].len() as usize]];
    for (shared, files) in ways(sets, [gone, fresh]) {
        let [mut left, mut right] = files;
        left.retain(|&at| !taken[0][at as usize]);
        right.retain(|&at| !taken[1][at as usize]);
        shared.sort(0, &mut left);
        shared.sort(1, &mut right);
        let (mut left, mut right) = (&left[..], &right[..]);
        while let (Some(&one), Some(&other)) = (left.first(), right.first()) {
            let (ones, others) = match shared.order((0, one), (1, other)) {
                Ordering::Less => (shared.group(0, left).len(), 0),
                Ordering::Greater => (0, shared.group(1, right).len()),
                Ordering::Equal => {
                    let (ones, others) = (shared.group(0, left), shared.group(1, right));
                    let from = pairs.len();
                    pair(sets, ones, others, &mut pairs);
                    for &(one, other) in &pairs[from..] {
                        (taken[0][one as usize], taken[1][other as usize]) = (true, true);
                    }
                    (ones.len(), others.len())
                }
            };
            (left, right) = (&left[ones..], &right[others..]);
        }
    }
    gone.retain(|&at| !taken[0][at as usize]);
    fresh.retain(|&at| !taken[1][at as usize]);
    pairs
}

/// Pairs files of the same content, sorted by name: first those with the same base name, then the others in order.
fn pair(sets: [&Set; 2], ones: &[u32], others: &[u32], pairs: &mut Vec<(u32, u32)>) {
    let (mut i, mut j) = (0, 0);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    while let (Some(&one), Some(&other)) = (ones.get(i), others.get(j)) {
        match sets[0].base(one).cmp(sets[1].base(other)) {
            Ordering::Less => {
                left.push(one);
                i += 1;
            }
            Ordering::Greater => {
                right.push(other);
                j += 1;
            }
            Ordering::Equal => {
                pairs.push((one, other));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    left.extend_from_slice(&ones[i..]);
    right.extend_from_slice(&others[j..]);
    pairs.extend(left.into_iter().zip(right));
}

/// Finds new files with the content of a file in the manifest and removes them from the list. Returns each with the
/// first file in the manifest that has this content.
pub(crate) fn copied(sets: [&Set; 2], fresh: &mut Vec<u32>) -> Vec<(u32, u32)> {
    if fresh.is_empty() {
        return Vec::new();
    }
    let all: Vec<u32> = (0..sets[0].len()).collect();
    let mut source = vec![u32::MAX; sets[1].len() as usize];
    for (shared, files) in ways(sets, [&all, fresh]) {
        let [listed, mut right] = files;
        shared.sort(1, &mut right);
        for one in listed {
            let at = right.partition_point(|&other| shared.order((1, other), (0, one)).is_lt());
            if let Some(&other) = right.get(at)
                && shared.order((1, other), (0, one)).is_eq()
            {
                let first = &mut source[other as usize];
                *first = (*first).min(one);
            }
        }
        let mut rest = &right[..];
        while !rest.is_empty() {
            let group = shared.group(1, rest);
            let from = source[group[0] as usize];
            group.iter().for_each(|&at| source[at as usize] = source[at as usize].min(from));
            rest = &rest[group.len()..];
        }
    }
    let pairs =
        fresh.iter().map(|&at| (source[at as usize], at)).filter(|(from, _)| *from != u32::MAX).collect();
    fresh.retain(|&at| source[at as usize] == u32::MAX);
    pairs
}

/// Finds files with the same content as another one and removes them from the list. Returns each with the file that
/// remains, which is the first by name.
pub(crate) fn duplicated(set: &Set, fresh: &mut Vec<u32>) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let mut taken = vec![false; set.len() as usize];
    for (shared, [mut files, _]) in ways([set, set], [fresh, fresh]) {
        files.retain(|&at| !taken[at as usize]);
        shared.sort(0, &mut files);
        let mut rest = &files[..];
        while !rest.is_empty() {
            let group = shared.group(0, rest);
            let first = group.iter().copied().min_by_key(|&at| set.name(at)).unwrap_or(group[0]);
            for &at in group.iter().filter(|&&at| at != first) {
                taken[at as usize] = true;
                pairs.push((first, at));
            }
            rest = &rest[group.len()..];
        }
    }
    fresh.retain(|&at| !taken[at as usize]);
    pairs
}
