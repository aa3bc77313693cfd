//! Checks all parts against their plan and produces the entries of one manifest, or reports the
//! missing parts and results (`docs/spec/shards.md`, section 4).
//!
//! Plan and parts have the order of the manifest, and bundles are consecutive. So parts are read
//! one after the other, each once, and memory contains one bundle of the plan, one line of a part,
//! and the pieces of one file.

pub use super::line::Failure;
use super::line::{
    Counts, Item, ItemResult, LINE, is_part_end, open, parse_part_head, seal, sealed, unusable,
};
use super::plan::Plan;
use crate::error::Error;
use crate::progress::Progress;
use crate::tree::combine::{Origins, combine};
use crate::tree::piece::{Piece, piece_of};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Hasher, Spec};
use truesum_manifest::Entry;
use truesum_manifest::path::display_safe;

/// A reason why parts do not form a complete result.
#[derive(Debug)]
pub enum Fault {
    /// There is no part of this bundle.
    Missing(usize),
    /// This file is not a part of this plan, for this reason.
    Foreign(PathBuf, String),
    /// There are two identical parts of a bundle.
    Repeated(usize, [PathBuf; 2]),
    /// Two parts of a bundle differ: one worker, or one read, was wrong.
    Contradicting(usize, [PathBuf; 2]),
    /// A part is damaged, or contains something that was not planned: the line and the reason.
    Damaged(PathBuf, u64, &'static str),
    /// A part could not be read.
    Unreadable(Error),
    /// A planned file has no digest: its name and the reason.
    Failed(Vec<u8>, Failure),
    /// The pieces of a file do not combine to a digest: its name and the reason.
    Pieces(Vec<u8>, String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let safe = |path: &Path| display_safe(path.as_os_str().as_bytes());
        match self {
            Fault::Missing(bundle) => write!(f, "bundle {bundle}: its part is missing"),
            Fault::Foreign(path, why) => write!(f, "{}: not a part of this plan: {why}", safe(path)),
            Fault::Repeated(bundle, [one, two]) => {
                write!(f, "bundle {bundle} has two parts: {} and {}", safe(one), safe(two))
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

readable! {
    /// The result of a merge.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Merged {
        /// Files with digests.
        files: u64,
        /// Their total size in bytes.
        bytes: u64,
        /// Planned files that could not be hashed, according to their parts.
        failed: u64,
        /// All other problems. Nothing is known about the files concerned.
        faults: u64,
        /// Whether the merge was stopped.
        interrupted: bool,
    }
}

/// Merges the parts of a plan. Entries of the manifest are passed to `each`, in order, and problems to `on_event`. The
/// entries form the manifest of the planned files only if nothing failed and there were no faults.
///
/// # Errors
/// Fails if the plan cannot be read, is damaged, or contradicts itself, or with the error of `each`.
pub fn merge(
    plan: &Plan,
    parts: &[PathBuf],
    progress: &Progress,
    each: &mut dyn FnMut(Entry) -> Result<(), Error>,
    on_event: &mut dyn FnMut(&Fault),
) -> Result<Merged, Error> {
    let mut merged = Merged::default();
    let mut fault = |fault: Fault, merged: &mut Merged| {
        match &fault {
            Fault::Failed(..) => merged.failed += 1,
            _ => merged.faults += 1,
        }
        on_event(&fault);
    };
    let mut of_bundle: Vec<Option<&PathBuf>> = vec![None; plan.totals().bundles as usize];
    for path in parts {
        match bundle_of(plan, path) {
            Err(found) => fault(found, &mut merged),
            Ok(bundle) => match of_bundle[bundle] {
                None => of_bundle[bundle] = Some(path),
                Some(first) => fault(duplicate_part(bundle, first, path), &mut merged),
            },
        }
    }
    let mut joining = Joiner { plan, divided: None, last: Vec::new(), ascending: true, files: 0 };
    for (bundle, part) in of_bundle.into_iter().enumerate() {
        if progress.stopped() {
            merged.interrupted = true;
            return Ok(merged);
        }
        let block = plan.block(bundle)?;
        let mut result = |item: Item, result: ItemResult| match joining.take(bundle, item, Some(result))? {
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
            Some(part) => prove(plan, bundle, &block, part, &mut result),
            None => Err(Flaw::Fault(Fault::Missing(bundle), 0)),
        };
        match proven {
            Ok(_) => {}
            Err(Flaw::Error(error)) => return Err(error),
            Err(Flaw::Fault(found, read)) => {
                fault(found, &mut merged);
                // The plan is checked for consistency even if there are no results.
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
        return Err(unusable(plan.path(), "the plan's totals do not match its files"));
    }
    Ok(merged)
}

/// Returns the bundle that a part file belongs to.
fn bundle_of(plan: &Plan, path: &Path) -> Result<usize, Fault> {
    let foreign = |why: String| Fault::Foreign(path.to_owned(), why);
    let fail = |error| Fault::Unreadable(Error::io(path.as_os_str().as_bytes(), "read", error));
    let mut first = Vec::new();
    let file = open(path).map_err(fail)?;
    BufReader::with_capacity(256, file.take(256)).read_until(b'\n', &mut first).map_err(fail)?;
    let head = first.strip_suffix(b"\n").and_then(parse_part_head);
    let (id, bundle) =
        head.ok_or_else(|| foreign("its first line is not the first line of a part file".to_owned()))?;
    if id != plan.id() {
        return Err(foreign("it belongs to another plan".to_owned()));
    }
    let number = usize::try_from(bundle).ok().filter(|_| bundle < plan.totals().bundles);
    number.ok_or_else(|| foreign(format!("the plan has no bundle {bundle}")))
}

/// Returns the fault for two parts of one bundle.
fn duplicate_part(bundle: usize, first: &Path, second: &Path) -> Fault {
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

/// The reason why a file is not a valid part.
pub(super) enum Flaw {
    /// The part has a fault, after this many valid lines.
    Fault(Fault, usize),
    /// Processing its contents failed.
    Error(Error),
}

/// Reads a part and checks it against its bundle: each item of `block` must occur once, in order, as it was planned,
/// and the last line must be correct. The result of each item is passed on before that is known. Returns the counts and
/// the part's digest.
pub(super) fn prove(
    plan: &Plan,
    bundle: usize,
    block: &[u8],
    path: &Path,
    each: &mut dyn FnMut(Item, ItemResult) -> Result<(), Error>,
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
        return Err(damaged(&part, "expected the first line of this part here", read));
    }
    part.cover();
    for item in plan.items(bundle, block) {
        let (planned, item) = item.map_err(Flaw::Error)?;
        let line = part.next().map_err(|fault| Flaw::Fault(fault, read))?;
        // The result of an item follows it, in place of the brace.
        let rest = line.strip_prefix(&planned[..planned.len() - 1]);
        let result = rest.and_then(|rest| ItemResult::parse(rest, plan.specs()));
        let suits = match &result {
            Some(ItemResult::Digests(_)) => item.range.is_none(),
            Some(ItemResult::Pieces(_)) => item.range.is_some(),
            Some(ItemResult::Failed(_)) => true,
            None => false,
        };
        let Some(result) = result.filter(|_| suits) else {
            return Err(damaged(&part, "expected the result for the next file in the plan here", read));
        };
        part.cover();
        counts.add(&item, &result);
        read += 1;
        each(item, result).map_err(Flaw::Error)?;
    }
    let line = part.next().map_err(|fault| Flaw::Fault(fault, read))?.to_vec();
    let Some((covered, digest)) = sealed(&line).filter(|(covered, _)| is_part_end(covered, &counts)) else {
        return Err(damaged(&part, "expected the last line of this part here", read));
    };
    if part.digest(covered) != digest {
        return Err(damaged(&part, "the part is corrupt (its checksum does not match)", read));
    }
    if part.more().map_err(|fault| Flaw::Fault(fault, read))? {
        return Err(damaged(&part, "the part has extra data after its last line", read));
    }
    Ok((counts, digest.to_owned()))
}

/// Reads the lines of a part.
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

    /// Returns the next line without its line end.
    fn next(&mut self) -> Result<&[u8], Fault> {
        self.line.clear();
        self.number += 1;
        let read = self.lines.by_ref().take(LINE).read_until(b'\n', &mut self.line);
        read.map_err(|error| unread(self.path, error))?;
        match self.line.strip_suffix(b"\n") {
            Some(line) => Ok(line),
            None => Err(Fault::Damaged(self.path.to_owned(), self.number, "the part is truncated")),
        }
    }

    /// Adds the last line to the data covered by the digest.
    fn cover(&mut self) {
        self.seal.update(&self.line);
    }

    /// Returns the digest if it covers this rest.
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

/// Joins divided files, and checks the consistency of the plan itself: each name occurs once, and ranges cover their
/// file.
struct Joiner<'p> {
    plan: &'p Plan,
    divided: Option<DividedFile>,
    last: Vec<u8>,
    ascending: bool,
    files: u64,
}

/// A file of which some ranges are known.
struct DividedFile {
    item: Item,
    pieces: Vec<Vec<Piece>>,
    /// The reason why there will be no digest, if it is already known.
    failed: Option<Failure>,
    unknown: bool,
}

impl Joiner<'_> {
    /// Processes the next item of the plan and its result, if that is known. Returns an entry when a file is complete.
    fn take(
        &mut self,
        bundle: usize,
        item: Item,
        result: Option<ItemResult>,
    ) -> Result<Option<Result<Entry, Fault>>, Error> {
        if item.is_first() {
            self.files += 1;
            self.ascending &= self.files == 1 || self.last < item.name;
            self.last.clone_from(&item.name);
        }
        let at = self
            .divided
            .as_ref()
            .and_then(|divided| divided.item.range.as_ref())
            .map_or(0, |range| range.end);
        let Some(range) = item.range.clone() else {
            return match (self.divided.is_some(), result) {
                (true, _) => Err(self.plan.damaged(bundle)),
                (false, Some(ItemResult::Digests(digests))) => Ok(Some(Ok(self.entry(item, digests)))),
                (false, Some(ItemResult::Failed(failure))) => {
                    Ok(Some(Err(Fault::Failed(item.name, failure))))
                }
                (false, _) => Ok(None),
            };
        };
        let goes_on =
            |divided: &DividedFile| divided.item.name == item.name && divided.item.state == item.state;
        if range.start != at || !self.divided.as_ref().is_none_or(goes_on) {
            return Err(self.plan.damaged(bundle));
        }
        let specs = self.plan.specs();
        let divided = self.divided.get_or_insert_with(|| DividedFile {
            item: item.clone(),
            pieces: vec![Vec::new(); specs.len()],
            failed: None,
            unknown: false,
        });
        divided.item.range = Some(range.clone());
        match result {
            None | Some(ItemResult::Digests(_)) => divided.unknown = true,
            Some(ItemResult::Failed(failure)) => drop(divided.failed.get_or_insert(failure)),
            Some(ItemResult::Pieces(pieces)) => divided.add(specs, &range, pieces),
        }
        if range.end < item.state.size {
            return Ok(None);
        }
        let Some(DividedFile { pieces, failed, unknown, .. }) = self.divided.take() else { return Ok(None) };
        if let Some(failure) = failed {
            return Ok(Some(Err(Fault::Failed(item.name, failure))));
        }
        if unknown {
            // The reason was reported before.
            return Ok(None);
        }
        // All pieces belong to one state of one file: that of the plan, with which every range was compared.
        let digests: Result<Vec<Digest>, _> =
            pieces.into_iter().map(|pieces| combine(pieces, Origins::Trusted)).collect();
        Ok(Some(match digests {
            Ok(digests) => Ok(self.entry(item, digests)),
            Err(error) => Err(Fault::Pieces(item.name, error.to_string())),
        }))
    }

    fn entry(&self, item: Item, digests: Vec<Digest>) -> Entry {
        let digests = self.plan.specs().iter().cloned().zip(digests).collect();
        let (size, mtime) = (Some(item.state.size), Some(item.state.mtime));
        Entry { path: item.name, size, mtime, digests, ..Entry::default() }
    }

    /// Tests that the plan ends with a complete file and contains no name twice.
    fn end(&self) -> Result<(), Error> {
        let path = self.plan.path();
        if self.divided.is_some() || self.files != self.plan.totals().files {
            return Err(unusable(path, "the plan's totals do not match its files"));
        }
        match if self.ascending { None } else { self.plan.repeated()? } {
            None => Ok(()),
            Some(name) => Err(unusable(path, format!("the plan contains {} twice", display_safe(&name)))),
        }
    }
}

impl DividedFile {
    fn add(&mut self, specs: &[Spec], range: &std::ops::Range<u64>, found: Vec<Vec<(u8, Digest)>>) {
        for ((spec, pieces), levels) in specs.iter().zip(&mut self.pieces).zip(found) {
            match piece_of(spec, self.item.state.size, range, levels, None) {
                Some(piece) => pieces.push(piece),
                None => self.unknown = true,
            }
        }
    }
}

/// Reads the part of a bundle and checks it against the plan, as a merge does. Returns its counts and its digest.
/// `on_event` is called for each file that could not be hashed, according to the part.
///
/// # Errors
/// Fails if it is not a part of this bundle, is damaged, or cannot be read, or if the plan is damaged.
pub fn check_part(
    plan: &Plan,
    bundle: usize,
    path: &Path,
    on_event: &mut dyn FnMut(&[u8], &Failure),
) -> Result<(Counts, String), Error> {
    let block = plan.block(bundle)?;
    let mut each = |item: Item, result| {
        if let ItemResult::Failed(failure) = result {
            on_event(&item.name, &failure);
        }
        Ok(())
    };
    prove(plan, bundle, &block, path, &mut each).map_err(|flaw| match flaw {
        Flaw::Error(error) | Flaw::Fault(Fault::Unreadable(error), _) => error,
        Flaw::Fault(Fault::Damaged(_, line, why), _) => unusable(path, format!("line {line}: {why}")),
        Flaw::Fault(fault, _) => unusable(path, fault.to_string()),
    })
}

/// Returns a name that occurs twice in a plan, before any work is done.
///
/// # Errors
/// Fails if the plan cannot be read or is damaged.
pub fn repeated(plan: &Plan) -> Result<Option<Vec<u8>>, Error> {
    plan.repeated()
}
