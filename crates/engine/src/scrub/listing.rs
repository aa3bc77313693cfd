//! The entries of a file in the manifests of a collection, and how they are stored while they
//! differ from the record.

use crate::job::FileResult;
use crate::scrub::codec::{Rest, put_bytes, put_number};
use std::sync::Arc;
use truesum_hash::{Digest, Spec};

/// The first byte of the key of a manifest or bag; its path follows. No file has such a name.
const MARK: u8 = 0;

/// Returns the key of a manifest or bag with this path relative to the collection.
pub(crate) fn manifest_key(name: &[u8]) -> Vec<u8> {
    [&[MARK][..], name].concat()
}

/// Returns the path of the manifest or bag with this key, or `None` if it is the key of a file.
pub(crate) fn manifest_name(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(&[MARK])
}

/// Returns the path of the file, manifest or bag with this key.
pub(crate) fn shown_name(key: &[u8]) -> &[u8] {
    manifest_name(key).unwrap_or(key)
}

/// The entry of a file in one manifest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listing {
    /// The number of the manifest.
    pub(crate) manifest: u64,
    /// The size in bytes, if the manifest contains it.
    pub(crate) size: Option<u64>,
    /// The algorithms of the digests.
    pub(crate) specs: Arc<[Spec]>,
    /// One digest for each algorithm.
    pub(crate) digests: Vec<Digest>,
}

/// The current entries of a file that differ from its record, or that have not been compared with the file yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pending {
    /// Sorted by the numbers of the manifests. Empty if no manifest lists the file any more.
    pub(crate) listings: Vec<Listing>,
    pub(crate) examination: Examination,
}

/// When a file is compared with its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Examination {
    /// In this run: the entries have changed.
    Required,
    /// Done: the file matches its record, so the entries that differ are wrong.
    Done,
    /// When the file is due: the entries are those with which it was recorded, and it has not been intact since.
    Scheduled,
    /// The same, but in this run.
    First,
}

impl Examination {
    /// The codes of the variants are their positions, counted from 1.
    const ALL: [Examination; 4] =
        [Examination::Required, Examination::Done, Examination::Scheduled, Examination::First];

    /// Returns whether the file is read in this run.
    pub(crate) fn is_due(self) -> bool {
        matches!(self, Examination::Required | Examination::First)
    }

    /// Returns whether the entries are those with which the file was recorded.
    pub(crate) fn is_of_first_entries(self) -> bool {
        matches!(self, Examination::Scheduled | Examination::First)
    }
}

impl Listing {
    /// Returns whether a file for which digests of the algorithms `specs` were computed matches this entry.
    pub(crate) fn matches(&self, specs: &[Spec], found: &FileResult) -> bool {
        let has_size = self.size.is_none_or(|size| size == found.size());
        let mut digests = self.specs.iter().zip(&self.digests);
        has_size && !self.specs.is_empty() && digests.all(|(spec, digest)| has(specs, found, spec, digest))
    }

    /// Appends the encoded entry.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_number(self.manifest, out);
        out.push(u8::from(self.size.is_some()));
        self.size.into_iter().for_each(|size| put_number(size, out));
        put_specs(&self.specs, out);
        self.digests.iter().for_each(|digest| out.extend_from_slice(digest.as_bytes()));
    }

    /// Returns the entry at the beginning of these bytes, or `None` if they are not one.
    pub(crate) fn take(rest: &mut Rest<'_>, lists: &mut SpecLists) -> Option<Listing> {
        let manifest = rest.number()?;
        let size = match rest.byte()? {
            0 => None,
            1 => Some(rest.number()?),
            _ => return None,
        };
        let specs = lists.take(rest)?;
        let digests = take_digests(&specs, rest)?;
        Some(Listing { manifest, size, specs, digests })
    }
}

/// Returns whether a file for which digests of the algorithms `specs` were computed has this digest.
pub(crate) fn has(specs: &[Spec], found: &FileResult, spec: &Spec, digest: &Digest) -> bool {
    let at = specs.iter().position(|other| other == spec);
    at.and_then(|at| found.digests().get(at)).is_some_and(|found| spec.agree(digest, found))
}

/// Returns the algorithms and digests of several entries. Of contradictory digests, the first one counts.
pub(crate) fn union<'l>(
    lists: impl Iterator<Item = (&'l Arc<[Spec]>, &'l [Digest])>,
) -> (Arc<[Spec]>, Vec<Digest>) {
    let (mut specs, mut digests) = (Arc::<[Spec]>::from([]), Vec::new());
    for (more, found) in lists {
        if specs.is_empty() {
            (specs, digests) = (more.clone(), found.to_vec());
            continue;
        }
        let mut added = specs.to_vec();
        for (spec, digest) in more.iter().zip(found) {
            if !added.contains(spec) {
                added.push(spec.clone());
                digests.push(digest.clone());
            }
        }
        if added.len() > specs.len() {
            specs = added.into();
        }
    }
    (specs, digests)
}

impl Pending {
    /// Appends the encoded entries.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let code = Examination::ALL.iter().position(|one| *one == self.examination);
        out.push(1 + code.expect("a variant in the list") as u8);
        put_number(self.listings.len() as u64, out);
        self.listings.iter().for_each(|listing| listing.put(out));
    }

    /// Returns the entries at the beginning of these bytes, which may be none. The outer `None` is an error.
    pub(crate) fn take(rest: &mut Rest<'_>, lists: &mut SpecLists) -> Option<Option<Box<Pending>>> {
        let Some(code) = rest.byte()?.checked_sub(1) else { return Some(None) };
        let examination = *Examination::ALL.get(usize::from(code))?;
        let listings =
            (0..rest.number()?).map(|_| Listing::take(rest, lists)).collect::<Option<Vec<Listing>>>()?;
        Some(Some(Box::new(Pending { listings, examination })))
    }
}

/// Appends the names of algorithms.
pub(crate) fn put_specs(specs: &[Spec], out: &mut Vec<u8>) {
    put_number(specs.len() as u64, out);
    specs.iter().for_each(|spec| put_bytes(spec.to_string().as_bytes(), out));
}

/// Returns one digest for each algorithm.
pub(crate) fn take_digests(specs: &[Spec], rest: &mut Rest<'_>) -> Option<Vec<Digest>> {
    specs.iter().map(|spec| rest.take(spec.digest_len()).map(Digest::new)).collect()
}

/// Reads lists of algorithms. Equal lists that follow each other are parsed once.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecLists(Option<(Vec<u8>, Arc<[Spec]>)>);

impl SpecLists {
    /// Returns the list at the beginning of these bytes, or `None` if they are not one.
    pub(crate) fn take(&mut self, rest: &mut Rest<'_>) -> Option<Arc<[Spec]>> {
        if let Some((bytes, specs)) = &self.0
            && let Some(after) = rest.0.strip_prefix(&bytes[..])
        {
            rest.0 = after;
            return Some(specs.clone());
        }
        let all = rest.0;
        let specs =
            (0..rest.number()?).map(|_| rest.text()?.parse().ok()).collect::<Option<Arc<[Spec]>>>()?;
        self.0 = Some((all[..all.len() - rest.0.len()].to_vec(), specs.clone()));
        Some(specs)
    }
}
