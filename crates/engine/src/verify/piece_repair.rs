//! Repairs files from a second copy with a list of piece digests: a torrent, Metalink, PAR2, zsync and so on.
//!
//! Only pieces that differ are modified, and of these only the blocks that differ, and only if the
//! copy's bytes have the expected digest. The bytes are verified before anything is written, and
//! compared with the verified ones when they are written. Then the files are verified again with
//! everything in the list, which determines the final result.

mod copies;

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::io::open::Root;
use crate::io::source::Source;
use crate::job::{Job, Outcome, Verdict};
use crate::pieces::UNIT;
use crate::pieces::recipe::{LargePiece, Recipe};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use crate::tree::prove::Reader;
use crate::tree::repair::{
    CopyFault, GranuleRepair, Mode, RangeRepair, after as after_writing, check_loss, is_same, print_of,
    repair_range,
};
use crate::verify::entries::tasks::Entries;
use crate::verify::foreign::manifest_reader;
use crate::verify::options::ReadOptions;
use crate::verify::pieces::{self, Pieced};
use crate::verify::place::open;
use copies::Copies;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_fs::resolve::OpenMode;
use truesum_hash::Digest;
use truesum_manifest::PieceList;
use truesum_manifest::path::display_safe;

readable! {
    /// The result for a file.
    #[derive(Debug)]
    pub struct Repaired {
        /// The outcome before the repair.
        before: Outcome => &Outcome,
        /// The file's parts of damaged pieces, each with its repair.
        repairs: Vec<GranuleRepair> => &[GranuleRepair],
        /// Its previous size in bytes.
        old_size: u64,
        /// The outcome after the repair, if anything was written.
        after: Option<Outcome> as Option<&Outcome>,
    }
}

impl Repaired {
    /// Returns the final verdict.
    pub fn verdict(&self) -> Verdict {
        self.after.as_ref().unwrap_or(&self.before).verdict()
    }
}

readable! {
    /// The result for the files of a list.
    #[derive(Debug)]
    pub struct Repair {
        /// Files with piece digests, in the order of the list.
        files: Vec<Repaired> => &[Repaired],
        /// The outcomes of entries without piece digests, which are not repaired.
        whole: Vec<Outcome> => &[Outcome],
    }
}

/// Repairs the files of `list` from `copy`: a copy of the only file, or the folder with copies of all files under their
/// names in the list, which may omit a first component that all names share. `options` specify where the files are, as
/// for a check.
///
/// A file that is too long is not truncated, and a missing one is not created.
///
/// # Errors
/// Fails if the list cannot be read completely or does not describe pieces well enough to write, if a file cannot be
/// read or written, if most of a file would be lost without permission, or if the run was stopped.
pub fn repair(
    list: &Path,
    copy: &Path,
    mode: Mode,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Repair, Error> {
    let bytes = list.as_os_str().as_bytes();
    let root = options.root_of(&options.folder(list))?;
    let (pieced, whole) = entries(list, &root, options, progress)?;
    let config = options.config(root);
    let mut others = All(Vec::new());
    let mut tasks = whole.into_iter().map(Task::File);
    run(&config, &mut tasks, progress, &mut others).map_err(|error| Error::io(bytes, "read", error))?;
    let whole = others.0;
    if let Some(list) = pieced
        .iter()
        .filter(|file| file.job.specs.is_empty())
        .flat_map(|file| &file.pieces)
        .find(|list| !list.is_proof())
    {
        let why = format!(
            "the list contains only {} for each piece and no digest of the complete file, so a repair could not be verified",
            list.described()
        );
        return Err(Error::new(bytes, "use", Cause::Other(why)));
    }
    if pieced.is_empty() {
        return Ok(Repair { files: Vec::new(), whole });
    }
    // A file that the user specified keeps the specified name.
    let is_given = options.data.as_ref().is_some_and(|data| !data.is_dir());
    let copies = Copies::new(copy, &pieced, is_given)?;
    let mut pieced = pieced;
    if is_given {
        pieced.iter_mut().for_each(|file| file.job.name = file.job.path().to_vec());
    }
    let mut verified = verify(pieced.clone(), &config, progress)?;
    if copies.report_sizes(&mut pieced, &verified) {
        verified = verify(pieced.clone(), &config, progress)?;
    }
    // Bytes beyond the size in the list are not overwritten.
    let sizes = pieced.iter().map(|file| {
        let (root, path) = file.job.root_and_name(&config.root);
        root.size(path).min(pieces::size_of(file))
    });
    let sizes: Vec<u64> = sizes.collect();
    let mut repairing = PieceRepairs {
        files: &pieced,
        found: &verified,
        copies,
        config: &config,
        mode: Mode::DryRun,
        sum: 0,
        progress,
    };
    let mut repairs = repairing.all()?;
    if mode.writes() {
        check_distinct(&pieced, &repairs, &config.root)?;
    }
    if mode == Mode::Write {
        for ((file, repairs), old_size) in pieced.iter().zip(&repairs).zip(&sizes) {
            check_loss(&file.job.name, repairs, *old_size)?;
        }
    }
    if mode.writes() {
        repairing.mode = mode;
        let done = repairing.all();
        repairs = done.map_err(|error| after_writing(error, repairing.sum))?;
    }
    let sum = repairing.sum;
    let written = mode.writes() && repairs.iter().flatten().any(|repair| repair.writes > 0);
    let mut after = match written {
        true => {
            let found = verify(pieced, &config, progress).map_err(|error| after_writing(error, sum))?;
            found.into_iter().map(Some).collect()
        }
        false => Vec::new(),
    };
    after.resize_with(repairs.len(), || None);
    let files = verified.into_iter().zip(repairs).zip(sizes).zip(after);
    let files =
        files.map(|(((before, repairs), old_size), after)| Repaired { before, repairs, old_size, after });
    Ok(Repair { files: files.collect(), whole })
}

/// Refuses to write to a file that belongs to two entries, because the right bytes for one may be
/// wrong for the other.
fn check_distinct(files: &[Pieced], repairs: &[Vec<GranuleRepair>], root: &Root) -> Result<(), Error> {
    let mut seen: HashMap<FileId, Vec<usize>> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        let (root, path) = file.job.root_and_name(root);
        if let Ok(stat) = root.stat(path, true) {
            seen.entry(FileId::from(&stat)).or_default().push(number);
        }
    }
    let shared = seen.values().find(|numbers| {
        let written = |number: &&usize| repairs[**number].iter().any(|repair| repair.writes > 0);
        numbers.len() > 1 && numbers.iter().any(|number| written(&number))
    });
    let Some(numbers) = shared else { return Ok(()) };
    let [one, other] = [0, 1].map(|at| &files[numbers[at]].job.name);
    let why = format!(
        "{} is the same file, but the list requires different content for the two names",
        display_safe(other)
    );
    Err(Error::new(one, "repair", Cause::Other(why)))
}

/// Returns whether `b` follows `a` in the same sequence of files.
fn same_sequence(a: &Pieced, b: &Pieced) -> bool {
    Arc::ptr_eq(a.pieces[0].digests(), b.pieces[0].digests()) && b.pieces[0].file_start() > 0
}

/// Returns the piece lists, and the entries without any.
fn entries(
    list: &Path,
    root: &Root,
    options: &ReadOptions,
    progress: &Progress,
) -> Result<(Vec<Pieced>, Vec<Job>), Error> {
    let bytes = list.as_os_str().as_bytes();
    let (file, _) = open(list, progress)?;
    let reader = manifest_reader(file, list, Some(bytes), options)?;
    let reading = options.manifest(bytes, progress).locating(true).one_piece(true);
    let entries = Entries::new(reader, reading, root, 0, None).of_folder(&options.folder(list));
    let mut entries = entries.of_data(options.data.as_deref());
    let mut whole = Vec::new();
    for task in &mut entries {
        match task {
            Task::File(job) => whole.push(job),
            // Nothing is written on the basis of a damaged list.
            Task::Notice(Notice::Malformed(line)) => {
                return Err(Error::new(bytes, "use", Cause::Other(line.to_string())));
            }
            Task::Notice(_) => {}
        }
    }
    let pieced = entries.take_pieced();
    match entries.facts().failed {
        Some(error) => Err(Error::io(bytes, "read", error)),
        None if progress.stopped() => Err(Error::interrupted(bytes)),
        None => Ok((pieced, whole)),
    }
}

/// Collects all outcomes.
struct All(Vec<Outcome>);

impl Sink for All {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        self.0.push(outcome);
        Ok(())
    }
    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }
}

/// Verifies files and returns one outcome for each.
fn verify(files: Vec<Pieced>, config: &Config, progress: &Progress) -> Result<Vec<Outcome>, Error> {
    let (mut all, count) = (All(Vec::new()), files.len());
    let name = files.first().map(|file| file.job.name.clone()).unwrap_or_default();
    pieces::verify(files, config, progress, &mut all).map_err(|error| Error::io(&name, "read", error))?;
    if all.0.len() < count { Err(Error::interrupted(&name)) } else { Ok(all.0) }
}

/// Hashes the gap between two files, or after the last one. Returns false if it does not consist of
/// zeros.
fn zeros(list: &PieceList, gap: Range<u64>, larges: &mut [LargePiece]) -> bool {
    list.between(gap).all(|(count, zeros)| {
        larges.iter_mut().filter(|_| zeros).for_each(|large| large.zeros(count));
        zeros
    })
}

/// The part of a piece in one file: the file's number and the byte range.
type Part = (usize, Range<u64>);

struct PieceRepairs<'a> {
    files: &'a [Pieced],
    found: &'a [Outcome],
    copies: Copies,
    config: &'a Config,
    mode: Mode,
    /// The number of bytes written.
    sum: u64,
    progress: &'a Progress,
}

impl PieceRepairs<'_> {
    /// Repairs all files. Returns the repairs of each.
    fn all(&mut self) -> Result<Vec<Vec<GranuleRepair>>, Error> {
        let mut repairs = vec![Vec::new(); self.files.len()];
        let mut first = 0;
        while first < self.files.len() {
            let mut last = first + 1;
            while last < self.files.len() && same_sequence(&self.files[first], &self.files[last]) {
                last += 1;
            }
            self.sequence(first..last, &mut repairs)?;
            first = last;
        }
        Ok(repairs)
    }

    /// Repairs the files of one sequence.
    fn sequence(&mut self, numbers: Range<usize>, repairs: &mut [Vec<GranuleRepair>]) -> Result<(), Error> {
        let by_division = pieces::by_division(&self.files[numbers.start].pieces);
        // Everything before this byte has been processed, because a piece may contain damage of several files.
        let mut done = 0;
        for number in numbers.clone() {
            let Ok(found) = &self.found[number].result else { continue };
            // Its digest shows that the file matches, so the damage in its pieces belongs to another file.
            if !found.digests().is_empty() && self.files[number].job.agrees(found.digests()) {
                continue;
            }
            let start = self.files[number].pieces[0].file_start();
            for damage in found.pieces().into_iter().flat_map(|pieces| &pieces.damaged) {
                done = done.max(start + damage.range.start);
                while let Some(end) =
                    self.piece(&numbers, &by_division, done..start + damage.range.end, repairs)?
                {
                    done = end;
                }
            }
        }
        Ok(())
    }

    /// Repairs the first piece in these bytes. If there are several ways to divide them, uses the first one whose
    /// digests match the copy. Returns the end of the piece, if there is one.
    fn piece(
        &mut self,
        numbers: &Range<usize>,
        by_division: &[Vec<PieceList>],
        bytes: Range<u64>,
        repairs: &mut [Vec<GranuleRepair>],
    ) -> Result<Option<u64>, Error> {
        let at = |lot: &Vec<PieceList>| lot[0].cuts().piece(lot[0].cuts().at(bytes.start));
        let Some(start) = by_division.iter().filter_map(at).map(|range| range.start.max(bytes.start)).min()
        else {
            return Ok(None);
        };
        if start >= bytes.end {
            return Ok(None);
        }
        let holds = |lot| at(lot).filter(|range| range.contains(&start)).map(|range| (lot, range));
        let mut ways: Vec<(&Vec<PieceList>, Range<u64>)> = by_division.iter().filter_map(holds).collect();
        // Try the smallest piece first. Checksums are not used if there is a digest, because they
        // may accept bytes that do not match it.
        let is_digest = |lot: &[PieceList]| lot.iter().any(PieceList::is_strong);
        ways.sort_by_key(|(lot, range)| (Reverse(is_digest(lot)), range.end - range.start));
        let strong = ways.first().is_some_and(|(lot, _)| is_digest(lot));
        let mut end = start;
        for (number, (lot, range)) in ways.iter().enumerate() {
            let parts = self.parts(numbers, range);
            let right = self.right(lot, range, &parts)?;
            if right.is_none() && ways.get(number + 1).is_some_and(|(lot, _)| is_digest(lot) == strong) {
                continue;
            }
            let fault = if right.is_none() { self.fault(&parts)? } else { CopyFault::Damaged };
            for (at, (number, part)) in parts.iter().enumerate() {
                if self.found[*number].result.is_err() {
                    continue;
                }
                let (writes, loses) = match &right {
                    Some(right) => self.write(*number, part, &right[at])?,
                    None => (0, 0),
                };
                repairs[*number].push(GranuleRepair {
                    range: part.clone(),
                    possible: right.is_some(),
                    fault,
                    writes,
                    loses,
                });
            }
            end = range.end;
            break;
        }
        Ok(Some(end))
    }

    /// Returns the parts of a piece.
    fn parts(&self, numbers: &Range<usize>, piece: &Range<u64>) -> Vec<Part> {
        let part = |number: usize| {
            let file = &self.files[number];
            let start = file.pieces[0].file_start();
            let size = pieces::size_of(file);
            let (from, to) = (piece.start.max(start), piece.end.min(start.saturating_add(size)));
            (from < to).then(|| (number, from - start..to - start))
        };
        numbers.clone().filter_map(part).collect()
    }

    /// Reads a piece from the copies. Returns digests that identify the units of each part, if it matches the list.
    fn right(
        &mut self,
        lists: &[PieceList],
        range: &Range<u64>,
        parts: &[Part],
    ) -> Result<Option<Vec<Vec<Digest>>>, Error> {
        let recipes: Option<Vec<Recipe>> = lists.iter().map(Recipe::of).collect();
        let Some(recipes) = recipes else { return Ok(None) };
        let mut larges: Vec<LargePiece> = recipes.iter().map(Recipe::large).collect();
        let piece = lists[0].cuts().at(range.start);
        let mut right = Vec::new();
        let mut at = range.start;
        let mut buffer = vec![0; UNIT as usize];
        for (number, part) in parts {
            let file = &self.files[*number];
            let start = file.pieces[0].file_start();
            if !zeros(&lists[0], at..start + part.start, &mut larges) {
                return Ok(None);
            }
            let name = &file.job.name;
            self.copies.open(*number, name)?;
            let Some(Some(copy)) = self.copies.open.get(number) else { return Ok(None) };
            let source = Source::new(copy, self.copies.path(name), Mapping::Never, self.progress);
            if source.size < part.end {
                return Ok(None);
            }
            let mut prints = Vec::new();
            for from in part.clone().step_by(UNIT as usize) {
                if self.progress.stopped() {
                    return Err(Error::interrupted(name));
                }
                let bytes = &mut buffer[..(part.end - from).min(UNIT) as usize];
                source.read(bytes, from)?;
                larges.iter_mut().for_each(|large| large.update(bytes));
                prints.push(print_of(bytes));
            }
            at = start + part.end;
            right.push(prints);
        }
        if !zeros(&lists[0], at..range.end, &mut larges) {
            return Ok(None);
        }
        let agrees = lists
            .iter()
            .zip(&mut larges)
            .all(|(list, large)| large.finish(range.start).agrees(0, list, piece));
        Ok(agrees.then_some(right))
    }

    /// Returns why the copies of these parts do not match.
    fn fault(&mut self, parts: &[Part]) -> Result<CopyFault, Error> {
        let mut fault = CopyFault::Damaged;
        for (number, _) in parts {
            let job = &self.files[*number].job;
            self.copies.open(*number, &job.name)?;
            let Some(Some(copy)) = self.copies.open.get(number) else { return Ok(CopyFault::Missing) };
            let (root, path) = job.root_and_name(&self.config.root);
            if root.stat(path, true).is_ok_and(|stat| is_same(&stat, copy.stat())) {
                fault = CopyFault::Itself;
            }
        }
        Ok(fault)
    }

    /// Writes the blocks of a part that differ. Returns the number of bytes in them, and how many existing bytes are
    /// lost.
    fn write(&mut self, number: usize, part: &Range<u64>, right: &[Digest]) -> Result<(u64, u64), Error> {
        let job = &self.files[number].job;
        self.copies.open(number, &job.name)?;
        let Some(Some(copy)) = self.copies.open.get(&number) else { return Ok((0, 0)) };
        let source = Source::new(copy, self.copies.path(&job.name), Mapping::Never, self.progress);
        let (root, path) = job.root_and_name(&self.config.root);
        let access = if self.mode.writes() { OpenMode::ReadWrite } else { OpenMode::Read };
        let file = root.resolve(path, access);
        let file = file.map_err(|error| root.refusal(path, "open", error))?;
        let copy = (source.path, &mut source.reader() as &mut Reader<'_>);
        let RangeRepair { written, lost, .. } =
            repair_range(&file, path, copy, part, right, self.mode, &mut self.sum)?;
        if self.mode.writes() && written > 0 {
            file.sync_all().map_err(|error| Error::io(path, "write", error))?;
        }
        Ok((written, lost))
    }
}
