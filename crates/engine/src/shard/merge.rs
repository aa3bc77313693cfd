//! All parts against their plan: the entries of one manifest, or what is not known (`docs/spec/shards.md`, section 4).
//!
//! Plan and parts have one order, that of the manifest, and bundles are cut out of it; so each part is read once, one after the
//! other, and what is held in memory is one bundle of the plan, one line of a part, and the pieces of one file.

pub use super::line::Failure;
use super::line::{Came, Counts, Item, LINE, is_part_end, open, parse_part_head, seal, sealed, unusable};
use super::plan::Plan;
use crate::error::Error;
use crate::progress::Progress;
use crate::tree::combine::{Origins, combine};
use crate::tree::piece::{Piece, piece_of};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum_hash::{Digest, Hasher, Spec};
use truesum_manifest::Entry;
use truesum_manifest::path::display_safe;

/// What keeps parts from being a whole.
#[derive(Debug)]
pub enum Fault {
    /// No part of this bundle is there.
    Missing(usize),
    /// This file is no part of this plan; why.
    Foreign(PathBuf, String),
    /// The part of a bundle is there twice, the same.
    Repeated(usize, [PathBuf; 2]),
    /// Two parts of a bundle say different things: one worker, or one read, was wrong.
    Contradicting(usize, [PathBuf; 2]),
    /// A part is not as it was written, or says something else than was asked: which line, and why.
    Damaged(PathBuf, u64, &'static str),
    /// A part could not be read.
    Unreadable(Error),
    /// A planned file has no digest: its name and why.
    Failed(Vec<u8>, Failure),
    /// The pieces of a file make no digest: its name and why.
    Pieces(Vec<u8>, String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let safe = |path: &Path| display_safe(path.as_os_str().as_bytes());
        match self {
            Fault::Missing(bundle) => write!(f, "bundle {bundle}: its part is missing"),
            Fault::Foreign(path, why) => write!(f, "{}: not a part of this plan: {why}", safe(path)),
            Fault::Repeated(bundle, [one, two]) => {
                write!(f, "bundle {bundle}: two parts exist: {} and {}", safe(one), safe(two))
            }
            Fault::Contradicting(bundle, [one, two]) => {
                write!(f, "bundle {bundle}: {} and {} contradict each other", safe(one), safe(two))
            }
            Fault::Damaged(path, line, why) => write!(f, "{}: line {line}: {why}", safe(path)),
            Fault::Unreadable(error) => error.fmt(f),
            Fault::Failed(name, Failure { kind, reason, .. }) => {
                write!(f, "{}: {kind}: {reason}", display_safe(name))
            }
            Fault::Pieces(name, why) => {
                write!(f, "{}: its ranges cannot be combined: {why}", display_safe(name))
            }
        }
    }
}

/// What was merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Files with digests.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Planned files that their part says could not be hashed.
    pub failed: u64,
    /// Everything else that is wrong: of the files concerned nothing is known.
    pub faults: u64,
    /// Whether it was stopped.
    pub interrupted: bool,
}

/// Merges the parts of a plan: entries of the manifest go to `each`, in order, and what is wrong to `tell`. They are the manifest of
/// the planned files only if nothing failed and there were no faults.
///
/// # Errors
/// The plan cannot be read, is damaged, or contradicts itself; `each` failed.
pub fn merge(
    plan: &Plan,
    parts: &[PathBuf],
    progress: &Progress,
    each: &mut dyn FnMut(Entry) -> Result<(), Error>,
    tell: &mut dyn FnMut(&Fault),
) -> Result<Merged, Error> {
    let mut merged = Merged::default();
    let mut fault = |fault: Fault, merged: &mut Merged| {
        match &fault {
            Fault::Failed(..) => merged.failed += 1,
            _ => merged.faults += 1,
        }
        tell(&fault);
    };
    let mut of_bundle: Vec<Option<&PathBuf>> = vec![None; plan.totals().bundles as usize];
    for path in parts {
        match bundle_of(plan, path) {
            Err(found) => fault(found, &mut merged),
            Ok(bundle) => match of_bundle[bundle] {
                None => of_bundle[bundle] = Some(path),
                Some(first) => fault(twice(bundle, first, path), &mut merged),
            },
        }
    }
    let mut joining = Joining { plan, cut: None, last: Vec::new(), ascending: true, files: 0 };
    for (bundle, part) in of_bundle.into_iter().enumerate() {
        if progress.stopped() {
            merged.interrupted = true;
            return Ok(merged);
        }
        let block = plan.block(bundle)?;
        let mut came = |item: Item, came: Came| match joining.take(bundle, item, Some(came))? {
            None => Ok(()),
            Some(Err(found)) => {
                fault(found, &mut merged);
                Ok(())
            }
            Some(Ok(entry)) => {
                merged.files += 1;
                merged.bytes += entry.size.unwrap_or(0);
                progress.add_file();
                each(entry)
            }
        };
        let proven = match part {
            Some(part) => prove(plan, bundle, &block, part, &mut came),
            None => Err(Flaw::Fault(Fault::Missing(bundle), 0)),
        };
        match proven {
            Ok(_) => {}
            Err(Flaw::Error(error)) => return Err(error),
            Err(Flaw::Fault(found, read)) => {
                fault(found, &mut merged);
                // What is planned is held against itself also where nothing is known of it.
                for item in plan.items(bundle, &block).skip(read) {
                    joining.take(bundle, item?.1, None)?;
                }
            }
        }
    }
    joining.end()?;
    let totals = plan.totals();
    let bytes_agree = merged.failed > 0 || merged.bytes == totals.bytes;
    if merged.faults == 0 && !(merged.files + merged.failed == totals.files && bytes_agree) {
        return Err(unusable(plan.path(), "the plan's sums are not those of its files"));
    }
    Ok(merged)
}

/// Which bundle a file is the part of.
fn bundle_of(plan: &Plan, path: &Path) -> Result<usize, Fault> {
    let foreign = |why: String| Fault::Foreign(path.to_owned(), why);
    let fail = |error| Fault::Unreadable(Error::io(path.as_os_str().as_bytes(), "read", error));
    let mut first = Vec::new();
    let file = open(path).map_err(fail)?;
    BufReader::with_capacity(256, file.take(256)).read_until(b'\n', &mut first).map_err(fail)?;
    let head = first.strip_suffix(b"\n").and_then(parse_part_head);
    let (id, bundle) = head.ok_or_else(|| foreign("its first line is not that of a part file".to_owned()))?;
    if id != plan.id() {
        return Err(foreign("it belongs to another plan".to_owned()));
    }
    let number = usize::try_from(bundle).ok().filter(|_| bundle < plan.totals().bundles);
    number.ok_or_else(|| foreign(format!("no bundle {bundle}")))
}

/// Two parts of one bundle.
fn twice(bundle: usize, first: &Path, second: &Path) -> Fault {
    let both = [first.to_owned(), second.to_owned()];
    let lines = |path: &Path| open(path).map(BufReader::new);
    let same = || -> io::Result<bool> {
        let (mut one, mut two) = (lines(first)?, lines(second)?);
        loop {
            let (left, right) = (one.fill_buf()?, two.fill_buf()?);
            let len = left.len().min(right.len());
            if len == 0 || left[..len] != right[..len] {
                return Ok(left.is_empty() && right.is_empty());
            }
            one.consume(len);
            two.consume(len);
        }
    };
    match same() {
        Ok(true) => Fault::Repeated(bundle, both),
        _ => Fault::Contradicting(bundle, both),
    }
}

/// Why a part is none.
pub(super) enum Flaw {
    /// It has a fault, behind so many good lines.
    Fault(Fault, usize),
    /// What it was read for failed.
    Error(Error),
}

/// Reads a part and holds it against its bundle: each item of `block` is there once, in order, as it was planned, and what ends the
/// part is true. Hands out what came of each before that is known; gives the counts and the part's digest.
pub(super) fn prove(
    plan: &Plan,
    bundle: usize,
    block: &[u8],
    path: &Path,
    each: &mut dyn FnMut(Item, Came) -> Result<(), Error>,
) -> Result<(Counts, String), Flaw> {
    let mut counts = Counts::default();
    let mut read = 0;
    let mut part = PartLines::open(path).map_err(|fault| Flaw::Fault(fault, read))?;
    let damaged = |part: &PartLines<'_>, why, read| {
        Flaw::Fault(Fault::Damaged(path.to_owned(), part.number, why), read)
    };
    let head = part.next().map_err(|fault| Flaw::Fault(fault, read))?;
    let is_head = parse_part_head(head) == Some((plan.id().to_owned(), bundle as u64));
    if !is_head {
        return Err(damaged(&part, "not the beginning of this part", read));
    }
    part.cover();
    for item in plan.items(bundle, block) {
        let (planned, item) = item.map_err(Flaw::Error)?;
        let line = part.next().map_err(|fault| Flaw::Fault(fault, read))?;
        // What comes of an item stands behind it, in the place of the brace.
        let rest = line.strip_prefix(&planned[..planned.len() - 1]);
        let came = rest.and_then(|rest| Came::parse(rest, plan.specs()));
        let suits = match &came {
            Some(Came::Digests(_)) => item.range.is_none(),
            Some(Came::Pieces(_)) => item.range.is_some(),
            Some(Came::Failed(_)) => true,
            None => false,
        };
        let Some(came) = came.filter(|_| suits) else {
            return Err(damaged(&part, "not what came of the file that was planned here", read));
        };
        part.cover();
        counts.add(&item, &came);
        read += 1;
        each(item, came).map_err(Flaw::Error)?;
    }
    let line = part.next().map_err(|fault| Flaw::Fault(fault, read))?.to_vec();
    let Some((covered, digest)) = sealed(&line).filter(|(covered, _)| is_part_end(covered, &counts)) else {
        return Err(damaged(&part, "not the end of this part", read));
    };
    if part.digest(covered) != digest {
        return Err(damaged(&part, "the part is corrupt: its checksum does not match", read));
    }
    if part.more().map_err(|fault| Flaw::Fault(fault, read))? {
        return Err(damaged(&part, "it has extra data after its end", read));
    }
    Ok((counts, digest.to_owned()))
}

/// The lines of a part.
struct PartLines<'p> {
    path: &'p Path,
    lines: BufReader<File>,
    line: Vec<u8>,
    seal: Hasher,
    number: u64,
}

impl<'p> PartLines<'p> {
    fn open(path: &'p Path) -> Result<PartLines<'p>, Fault> {
        let file = open(path).map_err(|error| unread(path, error))?;
        let lines = BufReader::with_capacity(1 << 16, file);
        Ok(PartLines { path, lines, line: Vec::new(), seal: seal(), number: 0 })
    }

    /// The next line, without what ends it.
    fn next(&mut self) -> Result<&[u8], Fault> {
        self.line.clear();
        self.number += 1;
        let read = self.lines.by_ref().take(LINE).read_until(b'\n', &mut self.line);
        read.map_err(|error| unread(self.path, error))?;
        match self.line.strip_suffix(b"\n") {
            Some(line) => Ok(line),
            None => Err(Fault::Damaged(self.path.to_owned(), self.number, "the part ends early")),
        }
    }

    /// The last line belongs to what the digest is of.
    fn cover(&mut self) {
        self.seal.update(&self.line);
    }

    /// The digest, if this is the rest that it covers.
    fn digest(&mut self, rest: &[u8]) -> String {
        self.seal.update(rest);
        self.seal.finish_reset().to_hex()
    }

    fn more(&mut self) -> Result<bool, Fault> {
        let more = self.lines.fill_buf().map(|more| !more.is_empty());
        more.map_err(|error| unread(self.path, error))
    }
}

fn unread(path: &Path, error: io::Error) -> Fault {
    Fault::Unreadable(Error::io(path.as_os_str().as_bytes(), "read", error))
}

/// Files that were cut, put together again; and what a plan must be by itself: each name once, ranges that tile their file.
struct Joining<'p> {
    plan: &'p Plan,
    cut: Option<Cut>,
    last: Vec<u8>,
    ascending: bool,
    files: u64,
}

/// A file of which some ranges are known.
struct Cut {
    item: Item,
    pieces: Vec<Vec<Piece>>,
    /// Why there will be no digest, once that is known.
    failed: Option<Failure>,
    unknown: bool,
}

impl Joining<'_> {
    /// Takes the next item of the plan and what came of it, if that is known. Gives an entry when a file is complete.
    fn take(
        &mut self,
        bundle: usize,
        item: Item,
        came: Option<Came>,
    ) -> Result<Option<Result<Entry, Fault>>, Error> {
        if item.is_first() {
            self.files += 1;
            self.ascending &= self.files == 1 || self.last < item.name;
            self.last.clone_from(&item.name);
        }
        let at = self.cut.as_ref().and_then(|cut| cut.item.range.as_ref()).map_or(0, |range| range.end);
        let Some(range) = item.range.clone() else {
            return match (self.cut.is_some(), came) {
                (true, _) => Err(self.plan.damaged(bundle)),
                (false, Some(Came::Digests(digests))) => Ok(Some(Ok(self.entry(item, digests)))),
                (false, Some(Came::Failed(failure))) => Ok(Some(Err(Fault::Failed(item.name, failure)))),
                (false, _) => Ok(None),
            };
        };
        let goes_on = |cut: &Cut| cut.item.name == item.name && cut.item.state == item.state;
        if range.start != at || !self.cut.as_ref().is_none_or(goes_on) {
            return Err(self.plan.damaged(bundle));
        }
        let specs = self.plan.specs();
        let cut = self.cut.get_or_insert_with(|| Cut {
            item: item.clone(),
            pieces: vec![Vec::new(); specs.len()],
            failed: None,
            unknown: false,
        });
        cut.item.range = Some(range.clone());
        match came {
            None | Some(Came::Digests(_)) => cut.unknown = true,
            Some(Came::Failed(failure)) => drop(cut.failed.get_or_insert(failure)),
            Some(Came::Pieces(pieces)) => cut.add(specs, &range, pieces),
        }
        if range.end < item.state.size {
            return Ok(None);
        }
        let Some(Cut { pieces, failed, unknown, .. }) = self.cut.take() else { return Ok(None) };
        if let Some(failure) = failed {
            return Ok(Some(Err(Fault::Failed(item.name, failure))));
        }
        if unknown {
            // What it is not known by was told.
            return Ok(None);
        }
        // One state of one file: that of the plan, which every range was held against.
        let digests: Result<Vec<Digest>, _> =
            pieces.into_iter().map(|pieces| combine(pieces, Origins::Trusted)).collect();
        Ok(Some(match digests {
            Ok(digests) => Ok(self.entry(item, digests)),
            Err(misfit) => Err(Fault::Pieces(item.name, misfit.to_string())),
        }))
    }

    fn entry(&self, item: Item, digests: Vec<Digest>) -> Entry {
        let digests = self.plan.specs().iter().cloned().zip(digests).collect();
        let (size, mtime) = (Some(item.state.size), Some(item.state.mtime));
        Entry { path: item.name, size, mtime, digests, ..Entry::default() }
    }

    /// The plan ends with a whole file and has no name twice.
    fn end(&self) -> Result<(), Error> {
        let path = self.plan.path();
        if self.cut.is_some() || self.files != self.plan.totals().files {
            return Err(unusable(path, "the plan's sums are not those of its files"));
        }
        match if self.ascending { None } else { self.plan.repeated()? } {
            None => Ok(()),
            Some(name) => Err(unusable(path, format!("the plan names {} twice", display_safe(&name)))),
        }
    }
}

impl Cut {
    fn add(&mut self, specs: &[Spec], range: &std::ops::Range<u64>, found: Vec<Vec<(u8, Digest)>>) {
        for ((spec, pieces), levels) in specs.iter().zip(&mut self.pieces).zip(found) {
            match piece_of(spec, self.item.state.size, range, levels, None) {
                Some(piece) => pieces.push(piece),
                None => self.unknown = true,
            }
        }
    }
}

/// Reads the part of a bundle and holds it against the plan, as a merge does: its counts and its digest. `tell` hears of each file
/// that it says could not be hashed.
///
/// # Errors
/// It is no part of this bundle, is damaged, or cannot be read; the plan is damaged.
pub fn hold(
    plan: &Plan,
    bundle: usize,
    path: &Path,
    tell: &mut dyn FnMut(&[u8], &Failure),
) -> Result<(Counts, String), Error> {
    let block = plan.block(bundle)?;
    let mut each = |item: Item, came| {
        if let Came::Failed(failure) = came {
            tell(&item.name, &failure);
        }
        Ok(())
    };
    prove(plan, bundle, &block, path, &mut each).map_err(|flaw| match flaw {
        Flaw::Error(error) | Flaw::Fault(Fault::Unreadable(error), _) => error,
        Flaw::Fault(Fault::Damaged(_, line, why), _) => unusable(path, format!("line {line}: {why}")),
        Flaw::Fault(fault, _) => unusable(path, fault.to_string()),
    })
}

/// The name of a file that a plan has twice, before anybody works by it.
///
/// # Errors
/// The plan cannot be read, or is damaged.
pub fn repeated(plan: &Plan) -> Result<Option<Vec<u8>>, Error> {
    plan.repeated()
}
