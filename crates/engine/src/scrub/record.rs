//! What a state stores about one file.

use crate::audit::FileStatus;
use crate::content::Facts;
use crate::job::FileResult;
use crate::scrub::codec::{Rest, put_number, put_time};
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

/// The stored facts about a file. Size, times and digests are those of the content that was last recorded as good,
/// whatever was found later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The size in bytes; `None` only for an imported entry that does not have it.
    pub(crate) size: Option<u64>,
    /// The modification time; `None` only for an imported entry that does not have it.
    pub(crate) mtime: Option<Time>,
    /// The time of the last status change, if the file was read.
    pub(crate) ctime: Option<Time>,
    /// The inode number, or 0.
    pub(crate) inode: u64,
    /// One digest for each algorithm of the state.
    pub(crate) digests: Vec<Digest>,
    /// The day of the state on which the file was last read completely or, for an imported entry, added.
    pub(crate) day: u64,
    /// The day of the state on which the content was accepted, because the file was new or modified; 0 if it was imported.
    pub(crate) accepted: u64,
    /// The time at which the content was last found intact, for users; `None` if it never was.
    pub(crate) verified: Option<Time>,
    /// The result of the last comparison: [`FileStatus::Same`], [`FileStatus::New`] for a file that was recorded and
    /// not verified again yet, or an open failure.
    pub(crate) status: FileStatus,
}

/// The codes of statuses that a record can have. The position is the code.
const STATUSES: [FileStatus; 7] = [
    FileStatus::Same,
    FileStatus::New,
    FileStatus::Changed,
    FileStatus::Corrupt,
    FileStatus::Restored,
    FileStatus::Missing,
    FileStatus::Unreadable,
];

const SIZE: u8 = 1;
const MTIME: u8 = 2;
const CTIME: u8 = 4;
const VERIFIED: u8 = 8;

impl Record {
    /// Returns the record of a file that was read completely, and accepted, on this day.
    pub(crate) fn of(found: &FileResult, day: u64, now: Time, status: FileStatus) -> Record {
        let time = |(seconds, nanos)| Some(Time { seconds, nanos });
        Record {
            size: Some(found.size()),
            mtime: time(found.mtime()),
            ctime: time(found.ctime()),
            inode: found.inode(),
            digests: found.digests().to_vec(),
            day,
            accepted: day,
            verified: Some(now),
            status,
        }
    }

    /// Returns whether the file failed when it was last examined, and has not been intact since.
    pub(crate) fn is_failure(&self) -> bool {
        !matches!(self.status, FileStatus::Same | FileStatus::New)
    }

    /// Returns the facts for a report.
    pub(crate) fn facts(&self, specs: &[Spec]) -> Facts {
        Facts::new(self.size, self.mtime, specs.iter().cloned().zip(self.digests.iter().cloned()).collect())
    }

    /// Appends the encoded record.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let code = STATUSES.iter().position(|status| *status == self.status);
        out.push(code.expect("a status that records have") as u8);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        out.push(
            flag(self.size.is_some(), SIZE)
                | flag(self.mtime.is_some(), MTIME)
                | flag(self.ctime.is_some(), CTIME)
                | flag(self.verified.is_some(), VERIFIED),
        );
        self.size.into_iter().for_each(|size| put_number(size, out));
        self.mtime.into_iter().for_each(|time| put_time(time, out));
        self.ctime.into_iter().for_each(|time| put_time(time, out));
        put_number(self.inode, out);
        put_number(self.day, out);
        put_number(self.accepted, out);
        self.verified.into_iter().for_each(|time| put_time(time, out));
        self.digests.iter().for_each(|digest| out.extend_from_slice(digest.as_bytes()));
    }

    /// Returns the record at the beginning of these bytes, or `None` if they are not one.
    pub(crate) fn take(rest: &mut Rest<'_>, specs: &Arc<[Spec]>) -> Option<Record> {
        let status = *STATUSES.get(usize::from(rest.byte()?))?;
        let flags = rest.byte().filter(|flags| *flags < 16)?;
        let has = |flag: u8| flags & flag != 0;
        let size = if has(SIZE) { Some(rest.number()?) } else { None };
        let mtime = if has(MTIME) { Some(rest.time()?) } else { None };
        let ctime = if has(CTIME) { Some(rest.time()?) } else { None };
        let (inode, day, accepted) = (rest.number()?, rest.number()?, rest.number()?);
        let verified = if has(VERIFIED) { Some(rest.time()?) } else { None };
        let digest = |spec: &Spec| rest.take(spec.digest_len()).map(Digest::new);
        let digests = specs.iter().map(digest).collect::<Option<Vec<Digest>>>()?;
        Some(Record { size, mtime, ctime, inode, digests, day, accepted, verified, status })
    }
}
