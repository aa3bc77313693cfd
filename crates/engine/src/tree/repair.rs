//! Repairs damaged ranges from a second copy or from parity.
//!
//! Only granules that are damaged according to the stored tree are modified, and of these only the blocks that differ.
//! Each granule is verified before it is written (the copy's granule has the hash in the tree) and afterwards (so has
//! the repaired file's). A granule may be larger than memory, so it is read twice, and the copy may change in between:
//! the first pass computes a digest of every mebibyte, which the bytes in memory must match when they are written.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::open::Root;
use crate::io::source::Source;
use crate::pieces::UNIT;
use crate::tree::locate::{Comparison, Diagnosis, Difference, Length, hash_granule};
use crate::tree::parity::Parity;
use crate::tree::parity::restore::Restorer;
use crate::tree::prove::Reader;
use crate::tree::reading::Reading;
use crate::tree::store::Store;
use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use truesum_fs::data::FileExt;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::resolve::OpenMode;
use truesum_hash::{Digest, Spec};

/// The number of bytes compared and written at a time.
const BLOCK: usize = 4096;

/// The reason why a copy or a parity file does not yield the right bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFault {
    /// The copy is damaged itself, or too short.
    Damaged,
    /// The copy does not exist.
    Missing,
    /// The copy is the file to be repaired.
    Itself,
    /// The group of this granule needs this many more intact parity blocks.
    TooDamaged(u64),
    /// The bytes restored from parity do not match the tree: the file or its parity changed, or the parity is wrong.
    WrongParity,
}

/// The source of the right bytes.
#[derive(Clone, Copy)]
enum Replacement<'a> {
    /// The path of a copy.
    Copy(&'a [u8]),
    Parity(&'a Parity),
}

/// The opened source of the right bytes.
enum Origin<'a> {
    Copy(Source<'a>),
    Parity(Restorer<'a>),
}

impl Origin<'_> {
    /// Returns the reason why the bytes of a granule cannot be right, and whether they can be read.
    fn fault(&mut self, range: &Range<u64>) -> Result<(CopyFault, bool), Error> {
        Ok(match self {
            Origin::Copy(source) => (CopyFault::Damaged, range.end <= source.size),
            Origin::Parity(restorer) => match restorer.missing(range.start)? {
                0 => (CopyFault::WrongParity, true),
                missing => (CopyFault::TooDamaged(missing), false),
            },
        })
    }

    fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        match self {
            Origin::Copy(source) => source.read(buffer, offset),
            Origin::Parity(restorer) => restorer.read(buffer, offset),
        }
    }

    /// Compares a range of the file with this source and writes it, as [`repair_range`] does.
    fn repair(
        &mut self,
        (file, path): (&File, &[u8]),
        range: &Range<u64>,
        right: &[Digest],
        mode: Mode,
        sum: &mut u64,
    ) -> Result<RangeRepair, Error> {
        let name = match self {
            Origin::Copy(source) => source.path,
            // Parity blocks have digests, so the bytes restored from them change with the blocks of the file.
            Origin::Parity(_) => path,
        };
        let mut read = |buffer: &mut [u8], offset| self.read(buffer, offset);
        repair_range(file, path, (name, &mut read), range, right, mode, sum)
    }
}

readable! {
    /// The repair of one damaged granule.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct GranuleRepair {
        /// Its byte range.
        range: Range<u64> => &Range<u64>,
        /// Whether the copy or parity yields the right bytes.
        possible: bool,
        /// The reason why it does not; meaningless if it does.
        fault: CopyFault,
        /// The number of bytes that were or would be written: complete blocks that differ.
        writes: u64,
        /// The number of existing bytes that differ from the right ones.
        loses: u64,
    }
}

/// Returns how many bytes would be lost if that is more than half of the `existing` bytes: with that much damage,
/// the list or tree probably belongs to another file.
pub fn majority_loss(repairs: &[GranuleRepair], existing: u64) -> Option<u64> {
    let lost = repairs.iter().map(|repair| repair.loses).sum();
    (lost > existing / 2).then_some(lost)
}

/// Returns whether both are the same file.
pub(crate) fn is_same(file: &Metadata, copy: &Metadata) -> bool {
    FileId::from(file) == FileId::from(copy)
}

/// Fails if too much would be lost.
pub(crate) fn check_loss(path: &[u8], repairs: &[GranuleRepair], existing: u64) -> Result<(), Error> {
    let Some(lost) = majority_loss(repairs, existing) else { return Ok(()) };
    let what = format!("most of it would change ({lost} of {existing} bytes), so it may be a different file");
    Err(Error::new(path, "repair", Cause::Replaced(what)))
}

/// The extent to which a repair may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Do not write; only report what would be written.
    DryRun,
    /// Write, unless more than half of the existing bytes would be lost: then nothing is written.
    Write,
    /// Write, however much is lost.
    Most,
}

impl Mode {
    /// Returns whether anything may be written.
    pub fn writes(self) -> bool {
        self != Mode::DryRun
    }
}

/// Repairs a file from `copy`, as far as the copy has the right bytes. Returns the difference found
/// before, and the repair of each damaged granule. `trusted` is a digest from another source, to
/// which the tree must belong.
///
/// A file that is too long is not truncated, because nothing is known about the bytes at its end.
/// Nothing is done if the tree is damaged or not the trusted one, which is reported in
/// [`Difference::diagnosis`]. The copy's name is relative to the current folder, whatever the
/// file's name is relative to.
///
/// # Errors
/// Fails if a file cannot be read or written, or if most of it would be lost without permission.
pub fn repair(
    path: impl AsRef<Path>,
    store: &Store,
    trusted: Option<&Digest>,
    copy: impl AsRef<Path>,
    mode: Mode,
    reading: &Reading<'_>,
) -> Result<(Difference, Vec<GranuleRepair>), Error> {
    let from = Replacement::Copy(copy.as_ref().as_os_str().as_bytes());
    repair_from(path.as_ref(), store, trusted, from, mode, reading)
}

/// Repairs a file from the parity file of its tree, as [`repair`] does from a copy. A granule is repaired if its group
/// has as many intact parity blocks as damaged granules.
///
/// # Errors
/// Fails as [`repair`].
pub fn repair_from_parity(
    path: impl AsRef<Path>,
    store: &Store,
    trusted: Option<&Digest>,
    parity: &Parity,
    mode: Mode,
    reading: &Reading<'_>,
) -> Result<(Difference, Vec<GranuleRepair>), Error> {
    repair_from(path.as_ref(), store, trusted, Replacement::Parity(parity), mode, reading)
}

fn repair_from(
    path: &Path,
    store: &Store,
    trusted: Option<&Digest>,
    from: Replacement<'_>,
    mode: Mode,
    reading: &Reading<'_>,
) -> Result<(Difference, Vec<GranuleRepair>), Error> {
    let (report, state) = Comparison::default().trusted(trusted).verify_state(path, store, reading)?;
    let (file_path, path) = (path, path.as_os_str().as_bytes());
    if !matches!(report.diagnosis, Diagnosis::Good | Diagnosis::FileDamaged) {
        return Ok((report, Vec::new()));
    }
    let header = store.header();
    let damaged: Vec<u64> = (0..header.granules())
        .filter(|&granule| {
            let range = header.range(granule);
            report.damaged.iter().any(|bad| bad.start < range.end && range.start < bad.end)
        })
        .collect();
    let elsewhere = Reading { root: &Root::Anywhere, ..*reading };
    let access = if mode.writes() { OpenMode::ReadWrite } else { OpenMode::Read };
    let file = reading.root.resolve(path, access);
    let file = file.map_err(|error| reading.root.refusal(path, "open", error))?;
    // The file is open for writing, so reading it as a copy would fail as if another program was writing to it.
    if let Replacement::Copy(copy) = from
        && let (Ok(file), Ok(copy)) = (Metadata::of(&file), Metadata::at(Path::new(OsStr::from_bytes(copy))))
        && is_same(&file, &copy)
    {
        let fault = CopyFault::Itself;
        let left = |granule| GranuleRepair {
            range: header.range(granule),
            possible: false,
            fault,
            writes: 0,
            loses: 0,
        };
        return Ok((report, damaged.into_iter().map(left).collect()));
    }
    let other;
    let mut origin = match from {
        Replacement::Copy(copy) => {
            other = elsewhere.open(copy)?;
            Origin::Copy(elsewhere.unmapped(&other, copy))
        }
        Replacement::Parity(parity) => {
            Origin::Parity(Restorer::new(parity, (&file, path), &report.damaged, reading.progress))
        }
    };
    let planned = plan(&mut origin, store, (&file, path), damaged, reading);
    // A change since the verification explains any failure: the bytes restored from parity would be wrong.
    if let Ok(now) = Metadata::of(&file)
        && let Some(cause) = state.change_to(&now)
    {
        return Err(Error::new(path, "repair", cause));
    }
    let (mut repairs, prints) = planned?;
    if mode == Mode::Write {
        check_loss(path, &repairs, report.size.min(header.size))?;
    }
    if mode.writes() && repairs.iter().any(|repair| repair.possible) {
        let mut written = 0;
        let mut write = || {
            let possible = |(done, _): &(&mut GranuleRepair, _)| done.possible;
            for (done, (right, found)) in repairs.iter_mut().zip(&prints).filter(possible) {
                continue_unless_stopped(path, reading)?;
                let mut repair = |mode| origin.repair((&file, path), &done.range, right, mode, &mut written);
                // Data that another program has written in the meantime is probably newer and must
                // not be overwritten.
                if repair(Mode::DryRun)?.found != *found {
                    let why = format!("the bytes from offset {} changed during the repair", done.range.start);
                    return Err(Error::new(path, "repair", Cause::Changed(why)));
                }
                done.writes = repair(mode)?.written;
            }
            file.sync_all().map_err(|error| Error::io(path, "write", error))
        };
        let done = write();
        // The file must not be open for writing when it is read.
        drop(origin);
        drop(file);
        let verified =
            done.and_then(|()| Comparison::default().trusted(trusted).verify(file_path, store, reading));
        let checked = verified.and_then(|now| check(path, (&report, &now), &repairs));
        checked.map_err(|error| after(error, written))?;
    }
    Ok((report, repairs))
}

/// The digests of the right bytes of a granule's units, and that of the bytes found.
type Prints = (Vec<Digest>, Digest);

/// Returns the repair of each damaged granule, and its digests.
fn plan(
    origin: &mut Origin<'_>,
    store: &Store,
    file: (&File, &[u8]),
    damaged: Vec<u64>,
    reading: &Reading<'_>,
) -> Result<(Vec<GranuleRepair>, Vec<Prints>), Error> {
    let header = store.header();
    let (mut repairs, mut prints) = (Vec::new(), Vec::new());
    for granule in damaged {
        continue_unless_stopped(file.1, reading)?;
        let range = header.range(granule);
        let (fault, readable) = origin.fault(&range)?;
        let mut right = Vec::new();
        let mut read = |buffer: &mut [u8], offset| {
            origin.read(buffer, offset)?;
            right.push(print_of(buffer));
            Ok(())
        };
        let possible = readable
            && hash_granule(&mut read, header, granule, range.start)? == store.get(granule..granule + 1)?[0];
        let RangeRepair { written: writes, lost: loses, found } = match possible {
            true => origin.repair(file, &range, &right, Mode::DryRun, &mut 0)?,
            false => RangeRepair { written: 0, lost: 0, found: print_of(b"") },
        };
        repairs.push(GranuleRepair { range, possible, fault, writes, loses });
        prints.push((right, found));
    }
    Ok((repairs, prints))
}

/// Fails if the run was stopped.
fn continue_unless_stopped(path: &[u8], reading: &Reading<'_>) -> Result<(), Error> {
    if reading.progress.stopped() { Err(Error::interrupted(path)) } else { Ok(()) }
}

/// Returns the same error with the number of bytes written before it, because the file has been modified by then.
pub(crate) fn after(error: Error, written: u64) -> Error {
    if written == 0 {
        return error;
    }
    let why = format!(
        "{}; {written} bytes were already written (to continue, run the same command again)",
        error.reason()
    );
    error.with_cause(Cause::Other(why))
}

/// The algorithm that identifies bytes during a repair.
fn print_spec() -> Spec {
    "blake3".parse().expect("a row of the table")
}

/// Returns a digest that identifies these bytes.
pub(crate) fn print_of(bytes: &[u8]) -> Digest {
    print_spec().digest(bytes)
}

/// The comparison of a range with its right bytes.
#[derive(Debug)]
pub(crate) struct RangeRepair {
    /// The number of bytes in blocks that differ, which were or would be written.
    pub(crate) written: u64,
    /// The number of existing bytes that differ.
    pub(crate) lost: u64,
    /// The digest of the existing bytes that could be read.
    pub(crate) found: Digest,
}

/// Writes the blocks of a range that differ from those of a source, given by its name and a reader, whose units have the
/// digests `right`. Bytes written are added to `sum` immediately.
pub(crate) fn repair_range(
    file: &File,
    path: &[u8],
    (name, read): (&[u8], &mut Reader<'_>),
    range: &Range<u64>,
    right: &[Digest],
    mode: Mode,
    sum: &mut u64,
) -> Result<RangeRepair, Error> {
    let mut print = print_spec().hasher();
    let (mut good, mut found) = (vec![0; UNIT as usize], vec![0; UNIT as usize]);
    let (mut written, mut lost) = (0, 0);
    for (start, right) in range.clone().step_by(good.len()).zip(right) {
        let len = (range.end - start).min(UNIT) as usize;
        read(&mut good[..len], start)?;
        if print_of(&good[..len]) != *right {
            let why = format!("the bytes from offset {start} changed after they were verified");
            return Err(Error::new(name, "read", Cause::Changed(why)));
        }
        // Bytes that cannot be read, for whatever reason, are written.
        let readable = read_to_end(file, &mut found[..len], start);
        print.update(&found[..readable]);
        for (index, right) in good[..len].chunks(BLOCK).enumerate() {
            let at = index * BLOCK;
            if at + right.len() <= readable && found[at..at + right.len()] == *right {
                continue;
            }
            written += right.len() as u64;
            let existing = &found[at.min(readable)..(at + right.len()).min(readable)];
            lost += existing.iter().zip(right).filter(|(existing, right)| existing != right).count() as u64;
            if mode.writes() {
                let offset = start + at as u64;
                file.write_all_at(right, offset).map_err(|error| Error::io(path, "write", error))?;
                *sum += right.len() as u64;
            }
        }
    }
    Ok(RangeRepair { written, lost, found: print.finish_reset() })
}

/// Returns how many bytes can be read from `start`.
fn read_to_end(file: &File, buffer: &mut [u8], start: u64) -> usize {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    filled
}

/// Compares the differences of the complete file before and after a repair: only granules that could not be repaired may be
/// left. Another program may have written anywhere in the meantime, so all bytes were read again.
fn check(
    path: &[u8],
    (before, now): (&Difference, &Difference),
    repairs: &[GranuleRepair],
) -> Result<(), Error> {
    let fails = |cause| Err(Error::new(path, "repair", cause));
    if !matches!(now.diagnosis, Diagnosis::Good | Diagnosis::FileDamaged) {
        return fails(Cause::Changed("its stored tree changed during the repair".to_owned()));
    }
    for bad in &now.damaged {
        let mut at = bad.start;
        while at < bad.end {
            match repairs.iter().find(|repair| repair.range.contains(&at)) {
                Some(repair) if !repair.possible => at = repair.range.end,
                Some(_) => {
                    let why = format!("the bytes from offset {at} differ from the data that was written");
                    return fails(Cause::Other(why));
                }
                None => {
                    return fails(Cause::Changed(format!(
                        "the bytes from offset {at} changed during the repair"
                    )));
                }
            }
        }
    }
    match (before.length, now.length) {
        (_, Length::Same) => Ok(()),
        (before, now) if before == now => Ok(()),
        // Only a part of what is missing could be restored.
        (Length::Truncated(before), Length::Truncated(now)) if now < before => Ok(()),
        _ => fails(Cause::Changed("its size changed during the repair".to_owned())),
    }
}

impl Difference {
    /// Returns whether repairing all damaged ranges makes the file identical to the original.
    pub fn is_repairable(&self) -> bool {
        self.diagnosis == Diagnosis::FileDamaged && !matches!(self.length, Length::Grown(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use truesum_test_support::Scratch;

    /// Regression: every byte was said to match the tree although another program had written during the repair.
    #[test]
    fn changes_during_a_repair_are_reported() {
        let repair = |range: Range<u64>, possible| {
            let fault = CopyFault::Damaged;
            GranuleRepair { range, possible, fault, writes: 0, loses: 0 }
        };
        let repairs = [repair(0..10, true), repair(20..30, false)];
        let damaged = |damaged: &[Range<u64>], length| {
            Difference::new(Diagnosis::FileDamaged, damaged.to_vec(), length, 100)
        };
        let before = damaged(&[0..10, 20..30], Length::Same);
        let reason = |now: Difference| check(b"f", (&before, &now), &repairs).map_err(|error| error.reason());
        assert_eq!(reason(damaged(&[20..30], Length::Same)), Ok(()));
        let changed = "changed during the repair";
        for (now, why) in [
            (damaged(&[20..30, 50..60], Length::Same), changed),
            (damaged(&[20..40], Length::Same), changed),
            (damaged(&[0..10, 20..30], Length::Same), "differ from the data that was written"),
            (damaged(&[20..30], Length::Grown(1)), changed),
            (damaged(&[20..30], Length::Truncated(1)), changed),
            (Difference::new(Diagnosis::TreeDamaged, Vec::new(), Length::Same, 100), changed),
        ] {
            assert!(reason(now).unwrap_err().contains(why), "{why}");
        }
    }

    #[test]
    fn copy_that_changes_between_reads_is_not_written() {
        let (target, copy) = (Scratch::new(), Scratch::new());
        let (len, good) = (3 * UNIT - 5, vec![7; 3 * UNIT as usize - 5]);
        std::fs::write(target.path(), vec![1; len as usize]).expect("written");
        std::fs::write(copy.path(), &good).expect("written");
        let right: Vec<Digest> = good.chunks(UNIT as usize).map(print_of).collect();
        // The copy changed in its second mebibyte after it was verified.
        copy.open().write_all_at(&[8], UNIT + 99).expect("changed");
        let name = copy.path().as_os_str().as_bytes();
        let progress = Progress::default();
        let reading = Reading::new(&progress);
        let guarded = reading.open(name).expect("open");
        let source = reading.unmapped(&guarded, name);
        let mut written = 0;
        let result = repair_range(
            &target.open(),
            b"target",
            (name, &mut source.reader()),
            &(0..len),
            &right,
            Mode::Write,
            &mut written,
        );
        assert_eq!(written, UNIT);
        assert!(matches!(result.as_ref().map_err(Error::cause), Err(Cause::Changed(_))), "{result:?}");
        let unit = UNIT as usize;
        let repaired = std::fs::read(target.path()).expect("there");
        assert!(repaired[..unit].iter().all(|&byte| byte == 7), "what was right is there");
        assert!(repaired[unit..].iter().all(|&byte| byte == 1), "what was not right is not");
    }
}
