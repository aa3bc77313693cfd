//! What pieces say of the files they hold bytes of, once all pieces of a file are known.

use crate::job::{Damage, Findings, Outcome};
use crate::pieces::sequence::Take;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use truesum_manifest::Pieces;

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its digests are equal.
    Good,
    /// One differs.
    Damaged,
    /// Not all of its bytes were there.
    Unknown,
}

/// Gathers what pieces say, and hands files out in order.
pub(super) struct Judge {
    /// What the digests must be.
    lists: Vec<Pieces>,
    covered: Range<u64>,
    piece_len: u64,
    /// Whether there are no digests of other pieces.
    all_lists: bool,
    /// All pieces before this byte are known.
    known: u64,
    /// Pieces that are not good, in order, each with its state.
    bad: VecDeque<(Range<u64>, State)>,
    /// Files of which not all pieces are known.
    waiting: VecDeque<(Range<u64>, Outcome)>,
}

impl Judge {
    /// For lists of digests of the same pieces; `all_lists` unless there are others.
    pub(super) fn new(lists: Vec<Pieces>, all_lists: bool) -> Judge {
        let (covered, piece_len) = (lists[0].covered(), lists[0].piece_len().max(1));
        let known = covered.start;
        let (bad, waiting) = (VecDeque::new(), VecDeque::new());
        Judge { lists, covered, piece_len, all_lists, known, bad, waiting }
    }

    /// What a piece comes to, by its digests.
    fn state(&self, piece: u64, at: usize, digests: &[Vec<u8>], absent: &[bool]) -> State {
        let is_listed = |(list, found): (&Pieces, &Vec<u8>)| {
            let len = list.spec().digest_len();
            let listed = list.digests().get(piece as usize * len..(piece as usize + 1) * len);
            listed.is_some() && listed == found.get(at * len..(at + 1) * len)
        };
        match absent.get(at) {
            Some(true) => State::Unknown,
            _ if self.lists.iter().zip(digests).all(is_listed) => State::Good,
            _ => State::Damaged,
        }
    }

    /// A file that was read, and where it lies.
    pub(super) fn file(&mut self, range: Range<u64>, outcome: Outcome) {
        self.waiting.push_back((range, outcome));
    }

    /// Hands out files of which all pieces are known.
    pub(super) fn hand_out(&mut self, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        while let Some((range, _)) = self.waiting.front() {
            if range.end.min(self.covered.end) > self.known {
                break;
            }
            self.first(to)?;
        }
        Ok(())
    }

    /// Hands out the others.
    pub(super) fn end(&mut self, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.first(to)?;
        }
        Ok(())
    }

    fn first(&mut self, to: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        let Some((file, mut outcome)) = self.waiting.pop_front() else { return Ok(()) };
        if let Ok(found) = &mut outcome.result {
            let by_digest = !outcome.job.specs.is_empty() && outcome.job.agrees(&found.digests);
            found.pieces = Some(self.findings(&file, by_digest));
        }
        // Ranges that end before this file are of no other.
        while self.bad.front().is_some_and(|(range, _)| range.end <= file.start) {
            self.bad.pop_front();
        }
        to(outcome)
    }

    /// What pieces say of a file. Bytes behind the last piece are not unknown where an equal digest is of all of the file.
    fn findings(&self, file: &Range<u64>, by_digest: bool) -> Findings {
        let mut findings = Findings::default();
        let mut unknown = |range: &Range<u64>| {
            if let Some(range) = within(range, file) {
                match findings.unknown.last_mut() {
                    Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                    _ => findings.unknown.push(range),
                }
            }
        };
        if !self.all_lists {
            unknown(file);
        }
        unknown(&(0..self.covered.start));
        // Merged in order: what is not reached comes last.
        // They are in order, and those of files before were let go.
        let of_file = || self.bad.iter().take_while(|(range, _)| range.start < file.end);
        of_file().filter(|(_, state)| *state == State::Unknown).for_each(|(range, _)| unknown(range));
        // What was not reached, too.
        if self.known < self.covered.end || !by_digest {
            unknown(&(self.known.max(self.covered.start)..u64::MAX));
        }
        for (range, _) in of_file().filter(|(_, state)| *state == State::Damaged) {
            let Some(inside) = within(range, file) else { continue };
            let behind = range.end > file.end && !self.lists[0].is_padded();
            let shared = range.start < file.start || behind;
            match findings.damaged.last_mut() {
                Some(last) if last.range.end == inside.start && last.shared == shared => {
                    last.range.end = inside.end;
                }
                _ => findings.damaged.push(Damage { range: inside, shared }),
            }
        }
        findings
    }
}

/// The part of `range` that lies in `file`, counted from the file's first byte; `None` if there is none.
fn within(range: &Range<u64>, file: &Range<u64>) -> Option<Range<u64>> {
    let (start, end) = (range.start.max(file.start), range.end.min(file.end));
    (start < end).then(|| start - file.start..end - file.start)
}

impl Take for Judge {
    fn pieces(&mut self, first: u64, digests: &[Vec<u8>], absent: &[bool]) {
        let count = digests[0].len() / self.lists[0].spec().digest_len();
        for at in 0..count {
            let piece = first + at as u64;
            let state = self.state(piece, at, digests, absent);
            let start = self.covered.start + piece * self.piece_len;
            let end = start.saturating_add(self.piece_len).min(self.covered.end);
            self.known = end;
            if state != State::Good {
                self.bad.push_back((start..end, state));
            }
        }
    }

    fn absent(&mut self, range: Range<u64>) {
        self.known = range.end;
        self.bad.push_back((range, State::Unknown));
    }
}
