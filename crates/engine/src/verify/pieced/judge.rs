//! What pieces say of the files they hold bytes of, once all pieces of a file are known.

use crate::job::{Damage, Findings, Outcome};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use truesum_manifest::Pieces;

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its digests are equal.
    Good,
    /// One differs.
    Damaged,
    /// Not all of its bytes were there.
    Unknown,
}

impl State {
    pub(super) fn of(good: bool) -> State {
        if good { State::Good } else { State::Damaged }
    }
}

/// Gathers what pieces say, and hands files out in order.
pub(super) struct Judge {
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
    pub(super) fn new(list: &Pieces, all_lists: bool) -> Judge {
        let covered = list.covered();
        let known = covered.start;
        let piece_len = list.piece_len().max(1);
        Judge { covered, piece_len, all_lists, known, bad: VecDeque::new(), waiting: VecDeque::new() }
    }

    /// All pieces before this byte of the sequence are known.
    pub(super) fn known(&self) -> u64 {
        self.known
    }

    /// The states of pieces that follow each other.
    pub(super) fn pieces(&mut self, first: u64, states: &[State]) {
        for (at, &state) in states.iter().enumerate() {
            let start = self.covered.start + (first + at as u64) * self.piece_len;
            let end = start.saturating_add(self.piece_len).min(self.covered.end);
            self.known = end;
            if state != State::Good {
                self.bad.push_back((start..end, state));
            }
        }
    }

    /// Whole pieces of which nothing is there.
    pub(super) fn unknown(&mut self, range: Range<u64>) {
        self.known = range.end;
        self.bad.push_back((range, State::Unknown));
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
            found.pieces = Some(self.findings(&file));
        }
        // Ranges that end before this file are of no other.
        while self.bad.front().is_some_and(|(range, _)| range.end <= file.start) {
            self.bad.pop_front();
        }
        to(outcome)
    }

    fn findings(&self, file: &Range<u64>) -> Findings {
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
        unknown(&(self.known.max(self.covered.start)..u64::MAX));
        for (range, _) in of_file().filter(|(_, state)| *state == State::Damaged) {
            let Some(inside) = within(range, file) else { continue };
            let shared = range.start < file.start || range.end > file.end;
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
