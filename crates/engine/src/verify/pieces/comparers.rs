//! Compares all piece lists of a sequence in one read and combines their findings for a file.
//!
//! Lists with different divisions cover the same bytes. A byte is known to be good if at least one list confirms it and
//! none contradicts it. A piece that differs is damaged, except for the part confirmed by a matching piece of another
//! list, unless that would leave nothing.

use super::comparer::Comparer;
use super::file::by_division;
use crate::job::{Damage, Findings, Outcome};
use crate::pieces::recipe::Recipe;
use crate::pieces::sequence::Sequence;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::thread::Scope;
use truesum_manifest::PieceList;

/// The comparers of a sequence, one for each way to divide it, and the files whose pieces are not
/// all known yet.
pub(super) struct Comparers {
    divisions: Vec<Division>,
    /// Whether there is a comparer for every list.
    all_lists: bool,
    waiting: VecDeque<(Range<u64>, Outcome)>,
}

struct Division {
    units: Sequence,
    comparer: Comparer,
    list: PieceList,
}

impl Comparers {
    /// Returns the state for these lists of a sequence whose bytes start at `at`.
    pub(super) fn new<'s>(
        lists: &[PieceList],
        at: u64,
        threads: usize,
        scope: &'s Scope<'s, '_>,
    ) -> Comparers {
        let by_division = by_division(lists);
        let (count, threads) = (by_division.len(), threads.div_ceil(by_division.len().max(1)));
        let division = |lists: Vec<PieceList>| {
            // The algorithm of a list may not have a tree.
            let recipes = lists.iter().map(Recipe::of).collect::<Option<_>>()?;
            let list = lists[0].clone();
            let units = Sequence::new(recipes, at, list.cuts().clone(), threads, scope);
            Some(Division { units, comparer: Comparer::new(lists), list })
        };
        let divisions: Vec<Division> = by_division.into_iter().filter_map(division).collect();
        Comparers { all_lists: divisions.len() == count, divisions, waiting: VecDeque::new() }
    }

    /// Adds bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.divisions.iter_mut().for_each(|division| division.units.bytes(bytes, &mut division.comparer));
    }

    /// Adds bytes that are missing.
    pub(super) fn absent(&mut self, count: u64) {
        self.divisions.iter_mut().for_each(|division| division.units.absent(count, &mut division.comparer));
    }

    /// Adds the gap between two files.
    pub(super) fn between(&mut self, gap: Range<u64>) {
        for Division { units, comparer, list } in &mut self.divisions {
            units.between(list, gap.clone(), comparer);
        }
    }

    /// Adds a file that was read, and its position.
    pub(super) fn file(&mut self, range: Range<u64>, outcome: Outcome) {
        self.waiting.push_back((range, outcome));
    }

    /// Passes on files of which all pieces are known.
    pub(super) fn hand_out(&mut self, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        while let Some((range, _)) = self.waiting.front()
            && self.divisions.iter().all(|division| division.comparer.knows(range))
        {
            self.first(to)?;
        }
        Ok(())
    }

    /// Ends the sequence, whose files end at this byte, and passes on the remaining files.
    pub(super) fn end(&mut self, at: u64, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        for Division { units, comparer, list } in &mut self.divisions {
            units.between(list, at..list.covered().end, comparer);
            units.end(comparer);
        }
        while !self.waiting.is_empty() {
            self.first(to)?;
        }
        Ok(())
    }

    fn first(&mut self, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        let Some((file, Outcome { job, result })) = self.waiting.pop_front() else { return Ok(()) };
        let result = result.map(|found| {
            let by_digest = !job.specs.is_empty() && job.agrees(found.digests());
            let missing = (file.end - file.start).saturating_sub(found.size());
            found.with_pieces(self.findings(&file, by_digest, missing))
        });
        self.divisions.iter_mut().for_each(|division| division.comparer.forget(&file));
        to(Outcome { job, result })
    }

    /// Returns the combined findings of all comparers for a file.
    fn findings(&self, file: &Range<u64>, by_digest: bool, missing: u64) -> Findings {
        let all = 0..file.end - file.start;
        let of = |division: &Division| {
            (division.comparer.is_strong(), division.comparer.findings(file, by_digest, missing))
        };
        let by_list: Vec<(bool, Findings)> = self.divisions.iter().map(of).collect();
        let mut findings = match by_list.len() {
            1 => by_list.into_iter().map(|(_, findings)| findings).next().unwrap_or_default(),
            _ => combined(&all, by_list),
        };
        if !self.all_lists && !all.is_empty() {
            findings.unknown = vec![all];
        }
        // Adjacent damaged pieces are reported as one.
        findings.damaged.dedup_by(|next, last| {
            let joined = last.range.end >= next.range.start && last.shared == next.shared;
            last.range.end = if joined { last.range.end.max(next.range.end) } else { last.range.end };
            joined
        });
        findings
    }
}

/// Combines the findings of several comparers for the bytes `all`. Each has a flag that is true if
/// its digests are strong enough to clear bytes that are in a damaged piece of another one.
fn combined(all: &Range<u64>, mut by_list: Vec<(bool, Findings)>) -> Findings {
    let by: Vec<&str> = by_list.iter().map(|(_, one)| one.by.as_str()).collect();
    let by = by.join(", ");
    let blamed = |one: &Findings| union(one.damaged.iter().map(|damage| damage.range.clone()));
    // The ranges that may be damaged according to each strong comparer.
    let suspect: Vec<Vec<Range<u64>>> = by_list
        .iter()
        .filter(|(strong, _)| *strong)
        .map(|(_, one)| union(blamed(one).into_iter().chain(one.unknown.iter().cloned())))
        .collect();
    let narrowed = |damage: &Damage| {
        let mut parts = vec![damage.range.clone()];
        for suspect in &suspect {
            parts = parts.iter().flat_map(|part| common(part, suspect)).collect();
        }
        if parts.is_empty() {
            parts.push(damage.range.clone());
        }
        let shared = damage.shared;
        parts.into_iter().map(move |range| Damage { range, shared })
    };
    let mut damaged: Vec<Damage> =
        by_list.iter().flat_map(|(_, one)| &one.damaged).flat_map(narrowed).collect();
    damaged.sort_unstable_by_key(|damage| (damage.range.start, damage.range.end));
    // Truncated digests prove nothing in addition to others; only damage is known from them.
    let short = by_list.iter().all(|(_, one)| one.short.is_some()).then(|| by.clone());
    let mut unknown = vec![all.clone()];
    for (_, one) in &mut by_list {
        if one.short.is_some() && short.is_none() {
            one.unknown = gaps(all, &blamed(one));
        }
        unknown = unknown.iter().flat_map(|range| common(range, &one.unknown)).collect();
    }
    let open_end = by_list.iter().all(|(_, one)| one.open_end);
    Findings { damaged, unknown, by, short, open_end, ..Findings::default() }
}

/// Returns the ranges, sorted and merged.
fn union(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = ranges.collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let joined = last.end >= next.start;
        last.end = if joined { last.end.max(next.end) } else { last.end };
        joined
    });
    ranges
}

/// Returns the parts of a range that are in these sorted, separate ranges.
fn common(range: &Range<u64>, of: &[Range<u64>]) -> impl Iterator<Item = Range<u64>> {
    let range = range.clone();
    let first = of.partition_point(|other| other.end <= range.start);
    let within = move |other: &Range<u64>| other.start.max(range.start)..other.end.min(range.end);
    of[first..].iter().map(within).take_while(|part| !part.is_empty())
}

/// Returns the gaps between sorted, separate ranges.
fn gaps(all: &Range<u64>, of: &[Range<u64>]) -> Vec<Range<u64>> {
    let starts = std::iter::once(all.start).chain(of.iter().map(|range| range.end));
    let ends = of.iter().map(|range| range.start).chain(std::iter::once(all.end));
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
}
