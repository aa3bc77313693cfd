//! Content under other names: finds new files that were moved or copied from files in the manifest, or copied from each
//! other.
//!
//! Everything is done by sorting and a single pass, so a folder in which all files are equal costs no more than any
//! other.

use crate::content::set::{Set, common};
use crate::job;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use truesum_hash::Spec;

/// The maximum number of algorithm combinations that are compared with each other. A manifest has one or two; one with
/// more was crafted to be slow.
const MAX_COMBINATIONS: usize = 64;

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
    for (one, other) in
        left.iter().flat_map(|one| right.iter().map(move |other| (one, other))).take(MAX_COMBINATIONS)
    {
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

/// A missing file and a new file with the same content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Whether another new file is as likely to be the missing one.
    pub(crate) ambiguous: bool,
    /// The number of missing files that are as likely to be this one, or of new files that are as likely to be the
    /// missing one, whichever is larger. 1 if the move is certain.
    pub(crate) candidates: u32,
}

/// Pairs missing files with new files of the same content, one to one; files in the same folder are preferred, then
/// files with the same base name. Among files that are equal in this, those that are recent, for which `is_recent` is
/// called, come first. Paired files are removed from both lists.
pub(crate) fn moved(
    sets: [&Set; 2],
    gone: &mut Vec<u32>,
    fresh: &mut Vec<u32>,
    is_recent: &dyn Fn(u32) -> bool,
) -> Vec<Move> {
    let mut pairs = paired(sets, gone, fresh, is_recent);
    if sets[0].has_alternatives() {
        let (readings, files) = alternatives(sets[0], gone);
        let mut rows = (0..readings.len()).collect();
        for pair in paired([&readings, sets[1]], &mut rows, fresh, is_recent) {
            let from = files[pair.from as usize];
            match gone.iter().position(|&file| file == from) {
                Some(at) => {
                    gone.remove(at);
                    pairs.push(Move { from, ..pair });
                }
                // Another alternative of the file was found as well.
                None => fresh.push(pair.to),
            }
        }
        fresh.sort_unstable();
    }
    pairs
}

/// Returns the alternative digests of these files, each combination as a file of its own, and the file it belongs to.
fn alternatives(set: &Set, files: &[u32]) -> (Set, Vec<u32>) {
    let (mut readings, mut of) = (Set::default(), Vec::new());
    for &at in files.iter().filter(|&&at| !set.alternatives(at).is_empty()) {
        let digests: Vec<_> = set.digests(at).into_iter().map(|(_, digest)| digest).collect();
        for reading in job::readings(set.specs(at), &digests, set.alternatives(at)).iter().skip(1) {
            let facts = (set.size(at), set.time(at));
            if readings.push(set.name(at), facts, set.specs(at), reading).is_ok() {
                of.push(at);
            }
        }
    }
    (readings, of)
}

/// Pairs files by the digests that are stored for them, without alternatives.
fn paired(
    sets: [&Set; 2],
    gone: &mut Vec<u32>,
    fresh: &mut Vec<u32>,
    is_recent: &dyn Fn(u32) -> bool,
) -> Vec<Move> {
    let mut pairs: Vec<Move> = Vec::new();
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
                    let rest = [ones.to_vec(), others.to_vec()];
                    let rest = pair(sets, rest, folder, is_recent, &mut pairs);
                    let rest = pair(sets, rest, Set::base, is_recent, &mut pairs);
                    pair(sets, rest, |_, _| b"", is_recent, &mut pairs);
                    for pair in &pairs[from..] {
                        (taken[0][pair.from as usize], taken[1][pair.to as usize]) = (true, true);
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

/// Returns the folder of a file, as in its name.
fn folder(set: &Set, at: u32) -> &[u8] {
    let name = set.name(at);
    &name[..name.len() - set.base(at).len()]
}

/// Pairs files of the same content that have the same key. Returns the files that remain on either side.
fn pair(
    sets: [&Set; 2],
    [mut ones, mut others]: [Vec<u32>; 2],
    key: for<'s> fn(&'s Set, u32) -> &'s [u8],
    is_recent: &dyn Fn(u32) -> bool,
    pairs: &mut Vec<Move>,
) -> [Vec<u32>; 2] {
    // Stable, so that files with the same key remain in order of base names and paths.
    ones.sort_by_key(|&at| key(sets[0], at));
    others.sort_by_key(|&at| key(sets[1], at));
    let mut rest = [Vec::new(), Vec::new()];
    let (mut left, mut right) = (&ones[..], &others[..]);
    while let (Some(&one), Some(&other)) = (left.first(), right.first()) {
        let keys = [key(sets[0], one), key(sets[1], other)];
        let run = |side: usize, files: &[u32]| {
            if keys[side] > keys[1 - side] {
                return 0;
            }
            files.iter().take_while(|&&at| key(sets[side], at) == keys[side]).count()
        };
        let (these, those) = (run(0, left), run(1, right));
        let (froms, mut tos) = (&left[..these], right[..those].to_vec());
        (left, right) = (&left[these..], &right[those..]);
        let mut ambiguous = false;
        if !froms.is_empty() && tos.len() > froms.len() {
            tos.sort_by_cached_key(|&at| !is_recent(at));
            ambiguous = is_recent(tos[froms.len()]) || !is_recent(tos[froms.len() - 1]);
        }
        let both = froms.len().min(tos.len());
        let candidates = if ambiguous { tos.len() } else { froms.len() } as u32;
        pairs.extend(froms.iter().zip(&tos).map(|(&from, &to)| Move { from, to, ambiguous, candidates }));
        rest[0].extend_from_slice(&froms[both..]);
        rest[1].extend_from_slice(&tos[both..]);
    }
    rest[0].extend_from_slice(left);
    rest[1].extend_from_slice(right);
    rest
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
