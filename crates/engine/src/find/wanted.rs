//! The content to search for: digests with their possible algorithms, and how a file is recognised
//! by them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::identify::part_sizes;

/// Content to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The label: the digest as it was given, or the name in a manifest.
    pub label: Vec<u8>,
    /// The possible interpretations, the most likely first. A file has this content if it matches all digests of one
    /// interpretation. A digest with a number of parts and the algorithm's default part size matches any part size used
    /// for uploads.
    pub readings: Vec<Vec<(Spec, Digest)>>,
    /// The size, if known.
    pub size: Option<u64>,
}

/// Everything that is searched for, by digest.
pub(super) struct Index<'w> {
    wanted: &'w [Wanted],
    /// The algorithms computed for every file.
    pub plain: Arc<[Spec]>,
    /// Digests with a number of parts, and their algorithms. The part size follows from the file size.
    parted: Vec<(Spec, u64)>,
    /// The interpretations, sorted by the hash of their first digest: the hash, the index of the
    /// content, and the index of the interpretation in it. Digests are not stored again, because
    /// manifests may have millions of entries.
    readings: Vec<(u64, u32, u32)>,
    keys: RandomState,
    /// The sizes to read, if all are known.
    sizes: Option<HashSet<u64>>,
}

/// Returns whether the part size is unspecified.
fn is_open(spec: &Spec) -> bool {
    spec.counts_parts() && *spec == Spec::new(spec.algorithm())
}

/// Returns an algorithm without its part size.
fn plain(spec: &Spec) -> Spec {
    if spec.counts_parts() { Spec::new(spec.algorithm()) } else { spec.clone() }
}

impl<'w> Index<'w> {
    pub(super) fn new(wanted: &'w [Wanted]) -> Index<'w> {
        let (mut all, mut parted) = (Vec::new(), Vec::new());
        let (mut seen, mut seen_parts) = (HashSet::new(), HashSet::new());
        let (mut readings, keys) = (Vec::with_capacity(wanted.len()), RandomState::new());
        for (at, want) in wanted.iter().enumerate() {
            for (nth, reading) in want.readings.iter().enumerate() {
                let Some((spec, digest)) = reading.first() else { continue };
                readings.push((keys.hash_one((plain(spec), digest)), at as u32, nth as u32));
                for (spec, digest) in reading {
                    if is_open(spec) {
                        let parts = (spec.clone(), digest.parts().unwrap_or(1));
                        if seen_parts.insert(parts.clone()) {
                            parted.push(parts);
                        }
                    } else if seen.insert(spec.clone()) {
                        all.push(spec.clone());
                    }
                }
            }
        }
        let sizes = wanted.iter().map(|want| want.size).collect::<Option<HashSet<u64>>>();
        readings.sort_unstable();
        Index { wanted, plain: all.into(), parted, readings, keys, sizes }
    }

    /// Returns the label of this content.
    pub(super) fn label(&self, wanted: usize) -> &[u8] {
        &self.wanted[wanted].label
    }

    /// Returns whether sizes are examined before files are read.
    pub(super) fn needs_sizes(&self) -> bool {
        self.sizes.is_some() || !self.parted.is_empty()
    }

    /// Returns whether a file of this size may match.
    pub(super) fn may_be(&self, size: u64) -> bool {
        self.sizes.as_ref().is_none_or(|sizes| sizes.contains(&size))
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
    /// be recognised, if there is one.
    pub(super) fn lost_without_size(&self) -> Option<&Spec> {
        let sized = |(spec, _): &&(Spec, Digest)| spec.needs_size() || is_open(spec);
        self.wanted.iter().find_map(|want| {
            let mut lacking = want.readings.iter().map(|reading| reading.iter().find(sized));
            let first = lacking.next()??;
            lacking.all(|lacking| lacking.is_some()).then_some(&first.0)
        })
    }

    /// Returns the content that a file of this size with these digests matches: indices, each with
    /// the digests by which the content was recognised.
    pub(super) fn matches(
        &self,
        size: u64,
        specs: &[Spec],
        digests: &[Digest],
    ) -> Vec<(usize, Vec<(Spec, Digest)>)> {
        let mut best: HashMap<usize, (usize, Vec<(Spec, Digest)>)> = HashMap::new();
        for (spec, digest) in specs.iter().zip(digests) {
            let algorithm = plain(spec);
            let key = self.keys.hash_one((&algorithm, digest));
            let begin = self.readings.partition_point(|(hash, ..)| *hash < key);
            for &(_, at, nth) in self.readings[begin..].iter().take_while(|(hash, ..)| *hash == key) {
                let (at, nth) = (at as usize, nth as usize);
                let want = &self.wanted[at];
                let first = want.readings[nth].first();
                if !first.is_some_and(|(wanted, found)| found == digest && plain(wanted) == algorithm) {
                    continue;
                }
                let likelier = best.get(&at).is_some_and(|(known, _)| *known <= nth);
                if likelier || want.size.is_some_and(|wanted| wanted != size) {
                    continue;
                }
                let found = |(wanted, digest): &(Spec, Digest)| {
                    let fits = |spec: &Spec| spec == wanted || is_open(wanted) && plain(spec) == *wanted;
                    let mut both = specs.iter().zip(digests);
                    both.find(|(spec, found)| fits(spec) && *found == digest).map(|(spec, _)| spec.clone())
                };
                let all: Option<Vec<(Spec, Digest)>> = want.readings[nth]
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

    fn want(label: &str, readings: &[&[(&str, &[u8])]], size: Option<u64>) -> Wanted {
        let reading = |reading: &&[(&str, &[u8])]| {
            reading.iter().map(|(name, text)| (spec(name), spec(name).digest(text))).collect()
        };
        Wanted { label: label.into(), readings: readings.iter().map(reading).collect(), size }
    }

    #[test]
    fn a_file_is_what_all_digests_of_one_reading_say() {
        let wanted = [
            want("either", &[&[("md5", b"x")], &[("md4", b"a")]], None),
            want("both", &[&[("md5", b"a"), ("sha1", b"a")]], None),
            want("mixed", &[&[("md5", b"a"), ("sha1", b"b")]], None),
            want("other size", &[&[("md5", b"a")]], Some(2)),
            want("same size", &[&[("md5", b"a")]], Some(1)),
        ];
        let index = Index::new(&wanted);
        assert_eq!(index.plain.len(), 3);
        let digests: Vec<Digest> = index.plain.iter().map(|spec| spec.digest(b"a")).collect();
        let found: Vec<usize> =
            index.matches(1, &index.plain, &digests).into_iter().map(|(at, _)| at).collect();
        assert_eq!(found, [0, 1, 4]);
        assert!(!index.needs_sizes() && index.may_be(7));
    }

    #[test]
    fn what_requires_the_size_is_left_out_of_a_stream_unless_nothing_else_is_left() {
        // regression: one such candidate made the search of a pipe fail.
        let either = want("a", &[&[("sha1", b"a")], &[("git-blob", b"a")]], None);
        let index = [either.clone()];
        let index = Index::new(&index);
        assert_eq!(index.of_stream(), (vec![spec("sha1")], vec![spec("git-blob")]));
        assert_eq!(index.lost_without_size(), None);
        let both = [either, want("b", &[&[("git-blob", b"b")]], None)];
        assert_eq!(Index::new(&both).lost_without_size(), Some(&spec("git-blob")));
    }

    #[test]
    fn sizes_bound_what_is_read_only_if_all_are_known() {
        let wanted = [want("a", &[&[("md5", b"a")]], Some(1)), want("b", &[&[("md5", b"b")]], Some(3))];
        let index = Index::new(&wanted);
        assert!(index.may_be(1) && index.may_be(3) && !index.may_be(2));
    }

    #[test]
    fn parts_of_any_size_are_tried_where_none_is_said() {
        let etag = spec("s3-etag");
        let sized = etag.clone().with_unit(5 << 20).unwrap();
        let text = vec![7; 12 << 20];
        let digest = sized.digest(&text);
        let wanted =
            [Wanted { label: b"e".to_vec(), readings: vec![vec![(etag, digest.clone())]], size: None }];
        let index = Index::new(&wanted);
        assert!(index.plain.is_empty() && index.needs_sizes());
        let specs = index.of_parts(12 << 20);
        assert!(specs.contains(&sized) && specs.len() > 1, "{specs:?}");
        let digests: Vec<Digest> = specs.iter().map(|spec| spec.digest(&text)).collect();
        assert_eq!(index.matches(12 << 20, &specs, &digests), [(0, vec![(sized, digest)])]);
    }
}
