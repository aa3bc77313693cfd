//! Entries that wait for their turn, in a few dozen bytes each plus name and digests, so that a million of them fit in
//! memory easily.

use crate::job::Job;
use std::collections::HashMap;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Place, Time};

/// The value for an unknown length, size or time.
const NONE: u64 = u64::MAX;

/// Waiting entries.
#[derive(Default)]
pub(crate) struct EntryQueue {
    bytes: Vec<u8>,
    /// The distinct lists of algorithms.
    kinds: Vec<Arc<[Spec]>>,
    kind_of: HashMap<Arc<[Spec]>, u64>,
    /// The alternative digests of the few entries that have any.
    alternatives: HashMap<Slot, Box<[(Spec, Digest)]>>,
}

/// The position of an entry.
pub(crate) type Slot = usize;

impl EntryQueue {
    /// Adds an entry.
    pub(crate) fn push(&mut self, job: &Job) -> Slot {
        let slot = self.bytes.len();
        let kind = match self.kind_of.get(&job.specs) {
            Some(&kind) => kind,
            None => {
                self.kinds.push(job.specs.clone());
                let kind = self.kinds.len() as u64 - 1;
                self.kind_of.insert(job.specs.clone(), kind);
                kind
            }
        };
        let (place, is_byte) = match job.origin.1 {
            Place::Line(number) => (number, 0),
            Place::Byte(number) => (number, 1),
        };
        let (seconds, nanos) = job.mtime.map_or((0, u32::MAX), |time| (time.seconds, time.nanos));
        self.bytes.extend([is_byte, u8::from(job.exempt), u8::from(job.expected.is_empty())]);
        self.bytes.extend(nanos.to_le_bytes());
        for number in [kind, place, job.size.unwrap_or(NONE), seconds as u64] {
            self.bytes.extend(number.to_le_bytes());
        }
        self.text(Some(&job.name));
        self.text(job.open.as_deref());
        for digest in &job.expected {
            self.text(Some(digest.as_bytes()));
            self.bytes.extend(digest.parts().unwrap_or(0).to_le_bytes());
        }
        if !job.alternatives.is_empty() {
            self.alternatives.insert(slot, job.alternatives.clone());
        }
        slot
    }

    fn text(&mut self, text: Option<&[u8]>) {
        let len = text.map_or(u32::MAX, |text| text.len() as u32);
        self.bytes.extend(len.to_le_bytes());
        self.bytes.extend_from_slice(text.unwrap_or_default());
    }

    /// Returns an entry as a job.
    pub(crate) fn job(&self, slot: Slot) -> Job {
        let mut rest = ByteReader(&self.bytes[slot..]);
        let [is_byte, exempt, empty] = rest.take();
        let nanos = u32::from_le_bytes(rest.take());
        let [kind, place, size, seconds] = [(); 4].map(|()| u64::from_le_bytes(rest.take()));
        let name = rest.text().unwrap_or_default().to_vec();
        let open = rest.text().map(<[u8]>::to_vec);
        let specs = self.kinds[kind as usize].clone();
        let digest = |spec: &Spec| {
            let digest = Digest::new(rest.text().unwrap_or_default());
            let parts = u64::from_le_bytes(rest.take());
            if spec.counts_parts() { digest.with_parts(parts) } else { digest }
        };
        let expected = if empty == 1 { Vec::new() } else { specs.iter().map(digest).collect() };
        let mtime = (nanos != u32::MAX).then_some(Time { seconds: seconds as i64, nanos });
        let place = if is_byte == 1 { Place::Byte(place) } else { Place::Line(place) };
        let size = Some(size).filter(|&size| size != NONE);
        let (exempt, origin) = (exempt == 1, (0, place));
        let alternatives = self.alternatives.get(&slot).cloned().unwrap_or_default();
        Job { open, alternatives, size, mtime, exempt, origin, ..Job::entry(name, specs, expected) }
    }
}

/// The unread part of bytes that were written by this module.
struct ByteReader<'b>(&'b [u8]);

impl<'b> ByteReader<'b> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("as it was written");
        self.0 = rest;
        *first
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let len = u32::from_le_bytes(self.take());
        if len == u32::MAX {
            return None;
        }
        let (text, rest) = self.0.split_at(len as usize);
        self.0 = rest;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_queued_and_returned_unchanged() {
        let specs: Arc<[Spec]> = ["sha256", "md5"].map(|name| name.parse().unwrap()).into();
        let etag: Arc<[Spec]> = ["s3-etag;part=8MiB"].map(|name| name.parse().unwrap()).into();
        let digests = |specs: &[Spec]| specs.iter().map(|spec| spec.digest(b"x")).collect::<Vec<_>>();
        let plain = Job::hash("a", &specs);
        let jobs = [
            Job { expected: digests(&specs), size: Some(7), ..plain.clone() },
            Job {
                name: b"odd\n\xff".to_vec(),
                open: Some(b"".to_vec()),
                mtime: Some(Time { seconds: -1, nanos: 999_999_999 }),
                origin: (0, Place::Byte(1 << 40)),
                ..plain.clone()
            },
            Job { expected: digests(&etag), ..Job::hash("e", &etag) },
            Job { alternatives: Box::new([(specs[0].clone(), specs[0].digest(b"y"))]), ..plain.clone() },
            Job { exempt: true, ..Job::hash("none", &Arc::from([])) },
        ];
        let mut waiting = EntryQueue::default();
        let slots: Vec<Slot> = jobs.iter().map(|job| waiting.push(job)).collect();
        for (job, slot) in jobs.iter().zip(slots) {
            assert_eq!(format!("{:?}", waiting.job(slot)), format!("{job:?}"));
        }
    }
}
