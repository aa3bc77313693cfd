//! Determines the state of files from the pieces that contain their bytes, once all pieces of a
//! file are known.

use crate::job::{Damage, Findings};
use crate::pieces::recipe::PieceResults;
use crate::pieces::sequence::PieceSink;
use std::collections::VecDeque;
use std::ops::Range;
use truesum_manifest::{Boundaries, PieceList};

/// The result for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its digests match.
    Good,
    /// A digest differs.
    Damaged,
    /// Some of its bytes were missing.
    Unknown,
}

/// Collects the results of pieces with the same division.
pub(super) struct Comparer {
    /// The expected digests.
    lists: Vec<PieceList>,
    cuts: Boundaries,
    covered: Range<u64>,
    /// All pieces before this byte are known.
    known: u64,
    /// The pieces that do not match, in order, each with its state.
    bad: VecDeque<(Range<u64>, State)>,
}

impl Comparer {
    /// Returns the state for lists with digests of the same pieces.
    pub(super) fn new(lists: Vec<PieceList>) -> Comparer {
        let cuts = lists[0].cuts().clone();
        let covered = cuts.covered();
        let known = covered.start;
        Comparer { lists, cuts, covered, known, bad: VecDeque::new() }
    }

    /// Returns the result for a piece, given its digests.
    fn state(&self, piece: u64, at: usize, digests: &[PieceResults], absent: &[bool]) -> State {
        match absent.get(at) {
            Some(true) => State::Unknown,
            _ if self.lists.iter().zip(digests).all(|(list, found)| found.agrees(at, list, piece)) => {
                State::Good
            }
            _ => State::Damaged,
        }
    }

    /// Returns whether all pieces before the end of a file are known.
    pub(super) fn knows(&self, file: &Range<u64>) -> bool {
        file.end.min(self.covered.end) <= self.known
    }

    /// Returns whether matching pieces prove that their bytes are the expected ones, and not others with the same
    /// checksum.
    pub(super) fn is_strong(&self) -> bool {
        self.lists.iter().any(PieceList::is_strong)
    }

    /// Drops pieces that end before this file, because they belong to no other file.
    pub(super) fn forget(&mut self, file: &Range<u64>) {
        while self.bad.front().is_some_and(|(range, _)| range.end <= file.start) {
            self.bad.pop_front();
        }
    }

    /// Returns the findings for a file that lacks this many bytes at its end. If a digest of the complete file matches
    /// (`by_digest`), bytes in no piece are known too, and truncated piece digests are sufficient. Damage is reported
    /// for each piece separately.
    pub(super) fn findings(&self, file: &Range<u64>, by_digest: bool, missing: u64) -> Findings {
        let short = self.lists.iter().all(|list| !list.is_proof()).then(|| self.lists[0].described());
        let (short, open_end) = (short.filter(|_| !by_digest), self.lists[0].leaves_length() && !by_digest);
        let mut findings = Findings { by: self.by(), short, open_end, ..Findings::default() };
        let there = file.start..file.end - missing.min(file.end - file.start);
        let mut unknown = |range: &Range<u64>| {
            if let Some(range) = within(range, &there) {
                match findings.unknown.last_mut() {
                    Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                    _ => findings.unknown.push(range),
                }
            }
        };
        if !by_digest {
            unknown(&(0..self.covered.start));
        }
        // They are in order, and those of earlier files have been dropped.
        let of_file = || self.bad.iter().take_while(|(range, _)| range.start < file.end);
        // Merged in order, with pieces that were not reached at the end. A piece whose end is missing is damaged.
        let is_cut = |range: &Range<u64>| missing > 0 && range.end > there.end;
        let mut none: Vec<Range<u64>> = of_file()
            .filter(|(range, state)| *state == State::Unknown && !is_cut(range))
            .map(|(range, _)| range.clone())
            .collect();
        if !by_digest {
            none.extend(self.cuts.gaps());
            none.sort_unstable_by_key(|range| range.start);
        }
        none.iter().for_each(&mut unknown);
        // Includes the bytes that were not reached.
        if self.known < self.covered.end || !by_digest {
            unknown(&(self.known.max(self.covered.start)..u64::MAX));
        }
        let mut damaged: Vec<Range<u64>> = of_file()
            .filter(|(range, state)| *state == State::Damaged || is_cut(range))
            .map(|(range, _)| range.clone())
            .collect();
        if missing > 0 && damaged.last().is_none_or(|last| last.end < file.end) {
            damaged.push(there.end.max(damaged.last().map_or(0, |last| last.end))..file.end);
        }
        for range in &damaged {
            let Some(inside) = within(range, file) else { continue };
            let other = self.lists[0].between(file.end..range.end).any(|(_, zeros)| !zeros);
            let shared = (range.start < file.start || other) && !is_cut(range);
            findings.damaged.push(Damage { range: inside, shared });
        }
        findings
    }

    /// Returns a description of the digests that verify the pieces, for users.
    fn by(&self) -> String {
        let lists: Vec<String> = self.lists.iter().map(PieceList::described).collect();
        lists.join(", ")
    }
}

/// Returns the part of `range` that is in `file`, relative to the start of the file; `None` if there is none.
fn within(range: &Range<u64>, file: &Range<u64>) -> Option<Range<u64>> {
    let (start, end) = (range.start.max(file.start), range.end.min(file.end));
    (start < end).then(|| start - file.start..end - file.start)
}

impl PieceSink for Comparer {
    fn pieces(&mut self, first: u64, digests: &[PieceResults], absent: &[bool]) {
        for at in 0..digests.first().map_or(0, PieceResults::count) {
            let piece = first + at as u64;
            let state = self.state(piece, at, digests, absent);
            let Some(range) = self.cuts.piece(piece) else { return };
            self.known = range.end;
            if state != State::Good {
                self.bad.push_back((range, state));
            }
        }
    }

    fn absent(&mut self, range: Range<u64>) {
        self.known = range.end;
        self.bad.push_back((range, State::Unknown));
    }
}
