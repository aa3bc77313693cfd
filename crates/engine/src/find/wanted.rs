//! The content to search for: digests with their possible algorithms, and how a file is recognized
//! by them.

use crate::content::set::Set;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::identify::part_sizes;

readable! {
    /// Content to search for.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Wanted {
        /// The label: the digest as it was given, or the name in a manifest.
        label: Vec<u8> => &[u8],
        /// The possible interpretations, the most likely first. A file has this content if it matches all digests of
        /// one interpretation. A digest with a number of parts and the algorithm's default part size matches any part
        /// size used for uploads.
        readings: Vec<Vec<(Spec, Digest)>> => &[Vec<(Spec, Digest)>],
        /// The size, if known.
        size: Option<u64>,
    }
}

impl Wanted {
    /// Returns content with this label and these interpretations.
    pub fn new(label: Vec<u8>, readings: Vec<Vec<(Spec, Digest)>>, size: Option<u64>) -> Wanted {
        Wanted { label, readings, size }
    }
}

/// Everything that is searched for. Manifests have millions of entries, so names and digests are stored without gaps.
#[derive(Default)]
pub(super) struct Contents {
    /// A row for each reading: its digests, and in the first row of each content the label and the size.
    rows: Set,
    /// The first row of each content. The rows of a content are consecutive.
    first: Vec<u32>,
}

impl Contents {
    /// Adds content with all its readings.
    ///
    /// # Errors
    /// As [`Contents::add`].
    pub(super) fn add_wanted(&mut self, wanted: Wanted) -> Result<(), String> {
        let readings = wanted.readings.into_iter().map(|reading| reading.into_iter().unzip());
        let readings: Vec<(Vec<Spec>, Vec<Digest>)> = readings.collect();
        let readings: Vec<(Arc<[Spec]>, Vec<Digest>)> =
            readings.into_iter().map(|(specs, digests)| (specs.into(), digests)).collect();
        let readings = readings.iter().map(|(specs, digests)| (specs, &digests[..]));
        self.add(&wanted.label, wanted.size, readings)
    }

    /// Adds content. A content without a reading is never found.
    ///
    /// # Errors
    /// Fails if there is too much to search for, or the label is too long.
    pub(super) fn add<'r>(
        &mut self,
        label: &[u8],
        size: Option<u64>,
        readings: impl IntoIterator<Item = (&'r Arc<[Spec]>, &'r [Digest])>,
    ) -> Result<(), String> {
        // The rows store as many bytes as the algorithm has, so another length would be lost there.
        let fits = |(spec, digest): (&Spec, &Digest)| {
            digest.len() == spec.digest_len() && (spec.counts_parts() || digest.parts().is_none())
        };
        let mut readings =
            readings.into_iter().filter(|(specs, digests)| specs.iter().zip(*digests).all(fits)).fuse();
        let none = (&Arc::from([]), &[][..]);
        let (specs, digests) = readings.next().unwrap_or(none);
        let first = self.rows.push(label, (size, None), specs, digests)?;
        self.first.push(first);
        readings.try_for_each(|(specs, digests)| self.rows.push(b"", (None, None), specs, digests).map(drop))
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// Returns the label of a content.
    pub(super) fn label(&self, at: usize) -> &[u8] {
        self.rows.name(self.first[at])
    }

    fn size(&self, at: usize) -> Option<u64> {
        self.rows.size(self.first[at])
    }

    /// Returns the content that a row belongs to, and the number of its reading.
    fn reading(&self, row: u32) -> (usize, usize) {
        let at = self.first.partition_point(|&first| first <= row) - 1;
        (at, (row - self.first[at]) as usize)
    }

    /// Returns the rows of a content.
    fn rows_of(&self, at: usize) -> Range<u32> {
        self.first[at]..self.first.get(at + 1).copied().unwrap_or(self.rows.len())
    }
}

/// Everything that is searched for, by digest.
pub(super) struct Index<'c> {
    contents: &'c Contents,
    /// The algorithms computed for every file.
    pub(crate) plain: Arc<[Spec]>,
    /// Digests with a number of parts, and their algorithms. The part size follows from the file size.
    parted: Vec<(Spec, u64)>,
    /// The hashes of the first digests of all rows, and their rows, in order.
    first_digests: Vec<(u32, u32)>,
    keys: RandomState,
    /// The sizes to read in order, if all are known.
    sizes: Option<Vec<u64>>,
}

/// Returns whether the part size is unspecified.
fn is_open(spec: &Spec) -> bool {
    spec.counts_parts() && *spec == Spec::new(spec.algorithm())
}

/// Returns an algorithm without its part size.
fn plain(spec: &Spec) -> Spec {
    if spec.counts_parts() { Spec::new(spec.algorithm()) } else { spec.clone() }
}

/// Returns the key of a digest in the index.
fn hash(keys: &RandomState, algorithm: &Spec, digest: &Digest) -> u32 {
    keys.hash_one((algorithm, digest)) as u32
}

impl<'c> Index<'c> {
    pub(super) fn new(contents: &'c Contents) -> Index<'c> {
        let (rows, keys) = (&contents.rows, RandomState::new());
        let mut all: Vec<Spec> = Vec::new();
        let mut seen = HashSet::new();
        for spec in rows.kinds().iter().flat_map(|specs| specs.iter()) {
            if !is_open(spec) && seen.insert(spec) {
                all.push(spec.clone());
            }
        }
        let open: Vec<bool> = rows.kinds().iter().map(|specs| specs.iter().any(is_open)).collect();
        let (mut parted, mut seen_parts) = (Vec::new(), HashSet::new());
        for row in (0..rows.len()).filter(|&row| open[rows.kind(row) as usize]) {
            for (spec, digest) in rows.digests(row).into_iter().filter(|(spec, _)| is_open(spec)) {
                let parts = (spec, digest.parts().unwrap_or(1));
                if seen_parts.insert(parts.clone()) {
                    parted.push(parts);
                }
            }
        }
        let mut first_digests = Vec::with_capacity(rows.len() as usize);
        first_digests.extend((0..rows.len()).filter_map(|row| {
            let (spec, digest) = rows.first_digest(row)?;
            Some((hash(&keys, &plain(spec), &digest), row))
        }));
        first_digests.sort_unstable();
        let sizes = (0..contents.len()).map(|at| contents.size(at)).collect::<Option<Vec<u64>>>();
        let sizes = sizes.map(|mut sizes| {
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        });
        Index { contents, plain: all.into(), parted, first_digests, keys, sizes }
    }

    /// Returns the label of this content.
    pub(super) fn label(&self, wanted: usize) -> &[u8] {
        self.contents.label(wanted)
    }

    /// Returns whether sizes are examined before files are read.
    pub(super) fn needs_sizes(&self) -> bool {
        self.sizes.is_some() || !self.parted.is_empty()
    }

    /// Returns whether a file of this size may match.
    pub(super) fn may_be(&self, size: u64) -> bool {
        self.sizes.as_ref().is_none_or(|sizes| sizes.binary_search(&size).is_ok())
    }

    /// Returns the algorithms to compute for a file of this size in addition to those computed for
    /// every file.
    pub(super) fn of_parts(&self, size: u64) -> Vec<Spec> {
        let mut specs: Vec<Spec> = Vec::new();
        for (spec, parts) in &self.parted {
            let sized = part_sizes(size, *parts).into_iter();
            for spec in sized.filter_map(|part| spec.clone().with_unit(part).ok()) {
                if !specs.contains(&spec) {
                    specs.push(spec);
                }
            }
        }
        specs
    }

    /// Returns the algorithms to compute for data of unknown size, and those that require the size
    /// in advance.
    pub(super) fn of_stream(&self) -> (Vec<Spec>, Vec<Spec>) {
        let (mut sized, specs): (Vec<Spec>, Vec<Spec>) =
            self.plain.iter().cloned().partition(Spec::needs_size);
        sized.extend(self.parted.iter().map(|(spec, _)| spec.clone()));
        (specs, sized)
    }

    /// Returns an algorithm that requires the size in advance and without which some content cannot
    /// be recognized, if there is one.
    pub(super) fn lost_without_size(&self) -> Option<&Spec> {
        let rows = &self.contents.rows;
        let sized = |row: u32| rows.specs(row).iter().find(|spec| spec.needs_size() || is_open(spec));
        (0..self.contents.len()).find_map(|at| {
            let mut lacking = self.contents.rows_of(at).map(sized);
            let first = lacking.next()??;
            lacking.all(|lacking| lacking.is_some()).then_some(first)
        })
    }

    /// Returns the content that a file of this size with these digests matches: indices, each with
    /// the digests by which the content was recognized.
    pub(super) fn matches(
        &self,
        size: u64,
        specs: &[Spec],
        digests: &[Digest],
    ) -> Vec<(usize, Vec<(Spec, Digest)>)> {
        let mut best: HashMap<usize, (usize, Vec<(Spec, Digest)>)> = HashMap::new();
        for (spec, digest) in specs.iter().zip(digests) {
            let algorithm = plain(spec);
            let key = hash(&self.keys, &algorithm, digest);
            let begin = self.first_digests.partition_point(|(hash, _)| *hash < key);
            for &(_, row) in self.first_digests[begin..].iter().take_while(|(hash, _)| *hash == key) {
                let (at, nth) = self.contents.reading(row);
                let first = self.contents.rows.first_digest(row);
                if !first.is_some_and(|(wanted, found)| found == *digest && plain(wanted) == algorithm) {
                    continue;
                }
                let likelier = best.get(&at).is_some_and(|(known, _)| *known <= nth);
                if likelier || self.contents.size(at).is_some_and(|wanted| wanted != size) {
                    continue;
                }
                let found = |(wanted, digest): &(Spec, Digest)| {
                    let fits = |spec: &Spec| spec == wanted || is_open(wanted) && plain(spec) == *wanted;
                    let mut both = specs.iter().zip(digests);
                    both.find(|(spec, found)| fits(spec) && *found == digest).map(|(spec, _)| spec.clone())
                };
                let all: Option<Vec<(Spec, Digest)>> = self
                    .contents
                    .rows
                    .digests(row)
                    .iter()
                    .map(|wanted| Some((found(wanted)?, wanted.1.clone())))
                    .collect();
                if let Some(all) = all {
                    best.insert(at, (nth, all));
                }
            }
        }
        let mut found: Vec<_> = best.into_iter().map(|(at, (_, all))| (at, all)).collect();
        found.sort_unstable_by_key(|(at, _)| *at);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str) -> Spec {
        name.parse().unwrap()
    }

    fn contents(wanted: &[Wanted]) -> Contents {
        let mut contents = Contents::default();
        wanted.iter().for_each(|wanted| contents.add_wanted(wanted.clone()).unwrap());
        contents
    }

    fn want(label: &str, readings: &[&[(&str, &[u8])]], size: Option<u64>) -> Wanted {
        let reading = |reading: &&[(&str, &[u8])]| {
            reading.iter().map(|(name, text)| (spec(name), spec(name).digest(text))).collect()
        };
        Wanted { label: label.into(), readings: readings.iter().map(reading).collect(), size }
    }

    #[test]
    fn file_matches_if_all_digests_of_one_reading_match() {
        let wanted = [
            want("either", &[&[("md5", b"x")], &[("md4", b"a")]], None),
            want("both", &[&[("md5", b"a"), ("sha1", b"a")]], None),
            want("mixed", &[&[("md5", b"a"), ("sha1", b"b")]], None),
            want("other size", &[&[("md5", b"a")]], Some(2)),
            want("same size", &[&[("md5", b"a")]], Some(1)),
        ];
        let contents = contents(&wanted);
        let index = Index::new(&contents);
        assert_eq!(index.plain.len(), 3);
        let digests: Vec<Digest> = index.plain.iter().map(|spec| spec.digest(b"a")).collect();
        let found: Vec<usize> =
            index.matches(1, &index.plain, &digests).into_iter().map(|(at, _)| at).collect();
        assert_eq!(found, [0, 1, 4]);
        assert!(!index.needs_sizes() && index.may_be(7));
    }

    #[test]
    fn algorithms_that_need_a_size_are_skipped_for_streams() {
        // regression: one such candidate made the search of a pipe fail.
        let either = want("a", &[&[("sha1", b"a")], &[("git-blob", b"a")]], None);
        let one = contents(std::slice::from_ref(&either));
        let index = Index::new(&one);
        assert_eq!(index.of_stream(), (vec![spec("sha1")], vec![spec("git-blob")]));
        assert_eq!(index.lost_without_size(), None);
        let both = [either, want("b", &[&[("git-blob", b"b")]], None)];
        assert_eq!(Index::new(&contents(&both)).lost_without_size(), Some(&spec("git-blob")));
    }

    #[test]
    fn sizes_limit_the_search_only_if_all_are_known() {
        let wanted = [want("a", &[&[("md5", b"a")]], Some(1)), want("b", &[&[("md5", b"b")]], Some(3))];
        let contents = contents(&wanted);
        let index = Index::new(&contents);
        assert!(index.may_be(1) && index.may_be(3) && !index.may_be(2));
    }

    #[test]
    fn digest_of_wrong_length_never_matches() {
        let long = Digest::new(&[spec("md5").digest(b"a").as_bytes(), &[0; 16]].concat());
        let want = |readings| Wanted { label: b"a".to_vec(), readings, size: None };
        let wanted = [want(vec![vec![(spec("md5"), long)]]), want(Vec::new())];
        let contents = contents(&wanted);
        let index = Index::new(&contents);
        assert_eq!((contents.len(), index.label(1)), (2, &b"a"[..]));
        assert!(index.matches(1, &[spec("md5")], &[spec("md5").digest(b"a")]).is_empty());
    }

    #[test]
    fn all_part_sizes_are_tried_if_none_is_given() {
        let etag = spec("s3-etag");
        let sized = etag.clone().with_unit(5 << 20).unwrap();
        let text = vec![7; 12 << 20];
        let digest = sized.digest(&text);
        let wanted =
            [Wanted { label: b"e".to_vec(), readings: vec![vec![(etag, digest.clone())]], size: None }];
        let contents = contents(&wanted);
        let index = Index::new(&contents);
        assert!(index.plain.is_empty() && index.needs_sizes());
        let specs = index.of_parts(12 << 20);
        assert!(specs.contains(&sized) && specs.len() > 1, "{specs:?}");
        let digests: Vec<Digest> = specs.iter().map(|spec| spec.digest(&text)).collect();
        assert_eq!(index.matches(12 << 20, &specs, &digests), [(0, vec![(sized, digest)])]);
    }
}
