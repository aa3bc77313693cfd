//! The facts that a state stores about one file.

use crate::audit::FileStatus;
use crate::content::Facts;
use crate::job::FileResult;
use crate::scrub::codec::{Rest, put_number, put_time};
use crate::scrub::listing::{Listing, Pending, SpecLists, put_specs, take_digests};
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

/// The stored facts about a file. Size, times and digests are those of the content that was last recorded as good,
/// whatever was found later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The size in bytes; `None` only for an imported entry that does not have it.
    pub(crate) size: Option<u64>,
    /// The modification time; `None` for an imported entry that does not have it and, in a collection, for a file that was
    /// missing or newer than its manifests when it was recorded, until it is found intact. For a manifest: that when all its
    /// entries were last those of the records.
    pub(crate) mtime: Option<Time>,
    /// The time of the last status change, if the file was read.
    pub(crate) ctime: Option<Time>,
    /// The inode number, or 0.
    pub(crate) inode: u64,
    /// The algorithms of the digests: those of the state or, in a collection, those of the file's manifests.
    pub(crate) specs: Arc<[Spec]>,
    /// One digest for each algorithm.
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
    /// The numbers of the manifests that list the file, in a collection. The record of a manifest has its own number.
    pub(crate) manifests: Vec<u64>,
    /// The current entries of the file, if they differ from this record or have not been compared with the file.
    pub(crate) pending: Option<Box<Pending>>,
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
    pub(crate) fn of(
        (specs, found): (&Arc<[Spec]>, &FileResult),
        day: u64,
        now: Time,
        status: FileStatus,
    ) -> Record {
        let time = |(seconds, nanos)| Some(Time { seconds, nanos });
        Record {
            size: Some(found.size()),
            mtime: time(found.mtime()),
            ctime: time(found.ctime()),
            inode: found.inode(),
            specs: specs.clone(),
            digests: found.digests().to_vec(),
            day,
            accepted: day,
            verified: Some(now),
            status,
            manifests: Vec::new(),
            pending: None,
        }
    }

    /// Returns whether the file failed when it was last examined, and has not been intact since.
    pub(crate) fn is_failure(&self) -> bool {
        !matches!(self.status, FileStatus::Same | FileStatus::New)
    }

    /// Returns whether the file was corrupt when it was last read.
    pub(crate) fn is_corrupt(&self) -> bool {
        self.status == FileStatus::Corrupt
    }

    /// Returns the entry of a manifest that listed the file and cannot be read, which counts as unchanged.
    pub(crate) fn listing(&self, manifest: u64) -> Listing {
        Listing { manifest, size: self.size, specs: self.specs.clone(), digests: self.digests.clone() }
    }

    /// Returns whether this record contains every digest of an entry.
    pub(crate) fn contains(&self, listing: &Listing) -> bool {
        let has = |(spec, digest): (&Spec, &Digest)| {
            let at = self.specs.iter().position(|other| other == spec);
            at.is_some_and(|at| self.digests[at] == *digest)
        };
        let has_size = self.size.is_none() || listing.size.is_none() || listing.size == self.size;
        has_size && listing.specs.iter().zip(&listing.digests).all(has)
    }

    /// Returns whether the file must be read in this run because of its entries.
    pub(crate) fn needs_examination(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.examination.is_due())
    }

    /// Returns the algorithms of the entries that differ from this record.
    pub(crate) fn pending_specs(&self) -> Vec<Spec> {
        let listings = self.pending.iter().flat_map(|pending| &pending.listings);
        listings.flat_map(|listing| listing.specs.iter().cloned()).collect()
    }

    /// Returns the facts for a report.
    pub(crate) fn facts(&self) -> Facts {
        let digests = self.specs.iter().cloned().zip(self.digests.iter().cloned()).collect();
        Facts::new(self.size, self.mtime, digests)
    }

    /// Appends the encoded record. `common` are the algorithms of the state; a record of a collection, which has none,
    /// contains its own algorithms.
    pub(crate) fn put(&self, common: &[Spec], out: &mut Vec<u8>) {
        let code = STATUSES.iter().position(|status| *status == self.status);
        out.push(code.expect("records have only these statuses") as u8);
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
        if common.is_empty() {
            put_specs(&self.specs, out);
        }
        self.digests.iter().for_each(|digest| out.extend_from_slice(digest.as_bytes()));
        if common.is_empty() {
            put_number(self.manifests.len() as u64, out);
            self.manifests.iter().for_each(|manifest| put_number(*manifest, out));
            match &self.pending {
                Some(pending) => pending.put(out),
                None => out.push(0),
            }
        }
    }

    /// Returns the record at the beginning of these bytes, or `None` if they are not one. `common` are the algorithms of
    /// the state, as in [`Record::put`].
    pub(crate) fn take(rest: &mut Rest<'_>, common: &Arc<[Spec]>, lists: &mut SpecLists) -> Option<Record> {
        let is_listed = common.is_empty();
        let status = *STATUSES.get(usize::from(rest.byte()?))?;
        let flags = rest.byte().filter(|flags| *flags < 16)?;
        let has = |flag: u8| flags & flag != 0;
        let size = if has(SIZE) { Some(rest.number()?) } else { None };
        let mtime = if has(MTIME) { Some(rest.time()?) } else { None };
        let ctime = if has(CTIME) { Some(rest.time()?) } else { None };
        let (inode, day, accepted) = (rest.number()?, rest.number()?, rest.number()?);
        let verified = if has(VERIFIED) { Some(rest.time()?) } else { None };
        let specs = if is_listed { lists.take(rest)? } else { common.clone() };
        let digests = take_digests(&specs, rest)?;
        let (mut manifests, mut pending) = (Vec::new(), None);
        if is_listed {
            manifests = (0..rest.number()?).map(|_| rest.number()).collect::<Option<_>>()?;
            pending = Pending::take(rest, lists)?;
        }
        Some(Record {
            size,
            mtime,
            ctime,
            inode,
            specs,
            digests,
            day,
            accepted,
            verified,
            status,
            manifests,
            pending,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrub::listing::Examination;

    #[test]
    fn records_of_a_collection_are_read_back_and_cut_ones_are_rejected() {
        let specs = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Arc<[Spec]>>();
        let listing = |manifest, size| Listing {
            manifest,
            size,
            specs: specs(&["md5"]),
            digests: vec![Digest::new(&[7; 16])],
        };
        let record = Record {
            size: Some(1 << 40),
            mtime: None,
            ctime: None,
            inode: 3,
            specs: specs(&["sha256", "md5"]),
            digests: vec![Digest::new(&[1; 32]), Digest::new(&[2; 16])],
            day: 300,
            accepted: 4,
            verified: None,
            status: FileStatus::Corrupt,
            manifests: vec![1, 200],
            pending: None,
        };
        let pending = |listings, examination| Some(Box::new(Pending { listings, examination }));
        let listings = vec![listing(1, None), listing(300, Some(5))];
        for pending in [
            None,
            pending(Vec::new(), Examination::Done),
            pending(listings.clone(), Examination::Required),
            pending(listings.clone(), Examination::Scheduled),
            pending(listings, Examination::First),
        ] {
            let record = Record { pending, ..record.clone() };
            let mut bytes = Vec::new();
            record.put(&[], &mut bytes);
            let (mut rest, mut lists) = (Rest(&bytes), SpecLists::default());
            assert_eq!(Record::take(&mut rest, &specs(&[]), &mut lists), Some(record));
            assert!(rest.0.is_empty());
            for len in 0..bytes.len() {
                let cut = Record::take(&mut Rest(&bytes[..len]), &specs(&[]), &mut SpecLists::default());
                assert_eq!(cut, None, "{len} bytes");
            }
        }
    }
}
