//! The files of one side by name, with the known facts about each. A file needs 20 bytes in addition to its name and
//! digests, 4 to 8 more with an index, and 24 more if sizes or times are known, so a million files fit in memory easily.
//!
//! Most manifests are sorted by name. As long as each name follows the one before, no name can occur twice, and a name is
//! found by binary search: nothing is hashed. The index, a hash table of all names, is built when a name is out of order,
//! or when many names are looked up in another order, which is faster with a hash table.

use crate::content::Facts;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;
/// The index is created when more than one in this many names was searched for without it.
const SEARCHES: u32 = 16;
/// The value for an unknown size; no file is that large.
const UNSIZED: u64 = u64::MAX;
/// The value for an unknown time, in the field for nanoseconds.
const UNTIMED: u32 = u32::MAX;

/// Files by name.
#[derive(Default)]
pub(crate) struct Set {
    /// Random keys for each process, so that an attacker cannot craft names that collide.
    keys: RandomState,
    /// The index: the newest file in each bucket of a hash table of names; the others follow by [`File::next`]. Empty as
    /// long as the names are in ascending order and few were searched for.
    buckets: Vec<u32>,
    /// The number of searches without the index.
    searches: u32,
    files: Vec<File>,
    /// Sizes and times of all files; empty if none is known.
    stats: Vec<Stat>,
    /// Names, each followed by the digests that were known when the file was added.
    bytes: Vec<u8>,
    /// The positions in `bytes` of digests that were added or changed later.
    later: HashMap<u32, usize>,
    /// Digests that files may have instead of those with the same algorithm.
    alternatives: HashMap<u32, Box<[(Spec, Digest)]>>,
    /// The distinct lists of algorithms.
    kinds: Vec<Arc<[Spec]>>,
    kind_of: HashMap<Arc<[Spec]>, u32>,
}

/// There may be millions, so the fields are small.
struct File {
    /// The low bits of the position of the name in `bytes`.
    position: u32,
    /// The length of the name, of [`LEN_BITS`], and above it the high bits of its position.
    len: u32,
    /// The position of the list of algorithms, and [`LATER`] if the digests do not follow the name.
    kind: u32,
    /// The hash of the name, and the next older file in the same bucket; known only with an index.
    hash: u32,
    next: u32,
}

/// The number of bits for the length of a name.
const LEN_BITS: u32 = 24;
/// The mark of a file whose digests are found by `later`.
const LATER: u32 = 1 << 31;

impl File {
    /// Returns a file without digests.
    ///
    /// # Errors
    /// Fails if the name is too long, or if it is after the first TiB of names and digests.
    fn at(position: usize, name: &[u8]) -> Result<File, String> {
        if name.len() >= 1 << LEN_BITS {
            return Err("the name is too long".to_owned());
        }
        let high = position as u64 >> 32 << LEN_BITS;
        let len = u32::try_from(high | name.len() as u64).map_err(|_| "there are too many names")?;
        Ok(File { position: position as u32, len, kind: 0, hash: 0, next: NONE })
    }

    /// Returns where the name is in `bytes`.
    fn name(&self) -> Range<usize> {
        let start = (u64::from(self.len >> LEN_BITS) << 32 | u64::from(self.position)) as usize;
        start..start + (self.len & ((1 << LEN_BITS) - 1)) as usize
    }
}

/// The size and modification time of a file, if known.
#[derive(Clone, Copy)]
struct Stat {
    size: u64,
    seconds: i64,
    nanos: u32,
}

impl Stat {
    const UNKNOWN: Stat = Stat { size: UNSIZED, seconds: 0, nanos: UNTIMED };

    fn of(size: Option<u64>, time: Option<Time>) -> Stat {
        let (seconds, nanos) = time.map_or((0, UNTIMED), |time| (time.seconds, time.nanos));
        Stat { size: size.unwrap_or(UNSIZED), seconds, nanos }
    }
}

/// The result of comparing the known facts about two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// All digests that both have are equal, and there is at least one.
    Same,
    /// The sizes or a digest differ.
    Differs,
    /// There is no common algorithm.
    Unknown,
}

impl Set {
    pub(crate) fn len(&self) -> u32 {
        self.files.len() as u32
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        if self.buckets.is_empty() {
            return self.search(name);
        }
        let hash = self.hash(name);
        let mut at = self.buckets[self.bucket(hash)];
        while at != NONE {
            let file = &self.files[at as usize];
            if file.hash == hash && self.name(at) == name {
                return Some(at);
            }
            at = file.next;
        }
        None
    }

    /// Finds a file among ascending names.
    fn search(&self, name: &[u8]) -> Option<u32> {
        if self.follows(name) {
            return None;
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle).cmp(name) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Returns whether a name follows that of the last file.
    fn follows(&self, name: &[u8]) -> bool {
        self.len().checked_sub(1).is_none_or(|last| self.name(last) < name)
    }

    fn hash(&self, name: &[u8]) -> u32 {
        self.keys.hash_one(name) as u32
    }

    /// Returns the bucket of a hash. The number of buckets is a power of two.
    fn bucket(&self, hash: u32) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    /// Makes a file the newest one in its bucket.
    fn chain(&mut self, at: u32) {
        let bucket = self.bucket(self.files[at as usize].hash);
        self.files[at as usize].next = std::mem::replace(&mut self.buckets[bucket], at);
    }

    /// Adds the newest file to the index, with at least as many buckets as files.
    fn index_last(&mut self) {
        if self.files.len() > self.buckets.len() {
            self.buckets = vec![NONE; (2 * self.buckets.len()).max(16)];
            (0..self.len()).for_each(|at| self.chain(at));
        } else {
            self.chain(self.len() - 1);
        }
    }

    /// Creates the index.
    fn index(&mut self) {
        for at in 0..self.files.len() {
            self.files[at].hash = self.hash(self.name(at as u32));
        }
        self.buckets = vec![NONE; self.files.len().next_power_of_two().max(16)];
        (0..self.len()).for_each(|at| self.chain(at));
    }

    /// Finds a file, trying the most likely one first. Both sides are usually in the same order, so no search is
    /// needed.
    pub(crate) fn find_likely(&mut self, likely: u32, name: &[u8]) -> Option<u32> {
        if likely < self.len() && self.name(likely) == name {
            return Some(likely);
        }
        if self.buckets.is_empty() {
            self.searches += 1;
            if self.searches > self.len() / SEARCHES {
                self.index();
            }
        }
        self.find(name)
    }

    /// Adds a file. If it exists already, adds the facts that were not known yet.
    ///
    /// # Errors
    /// Returns how an entry contradicts the known facts, or the limit that is exceeded.
    pub(crate) fn insert(
        &mut self,
        name: &[u8],
        facts: (Option<u64>, Option<Time>),
        specs: &Arc<[Spec]>,
        digests: &[Digest],
    ) -> Result<u32, String> {
        self.insert_accepting(name, facts, (specs, digests), &[])
    }

    /// Adds a file that may have any of the alternative digests instead of another one with the same algorithm. If it exists
    /// already, only digests that both entries accept remain.
    ///
    /// # Errors
    /// As [`Set::insert`].
    pub(crate) fn insert_accepting(
        &mut self,
        name: &[u8],
        facts: (Option<u64>, Option<Time>),
        (specs, digests): (&Arc<[Spec]>, &[Digest]),
        alternatives: &[(Spec, Digest)],
    ) -> Result<u32, String> {
        match self.find(name) {
            Some(known) => self.add(known, facts, (specs, digests), alternatives).map(|()| known),
            None => {
                let at = self.push(name, facts, specs, digests)?;
                self.set_alternatives(at, alternatives.into());
                Ok(at)
            }
        }
    }

    /// Sets the digests that a file may have instead of those with the same algorithm.
    pub(crate) fn set_alternatives(&mut self, at: u32, alternatives: Box<[(Spec, Digest)]>) {
        match alternatives.is_empty() {
            true => drop(self.alternatives.remove(&at)),
            false => drop(self.alternatives.insert(at, alternatives)),
        }
    }

    /// Returns the digests that a file may have instead of those with the same algorithm.
    pub(crate) fn alternatives(&self, at: u32) -> &[(Spec, Digest)] {
        self.alternatives.get(&at).map_or(&[], |alternatives| alternatives)
    }

    /// Returns whether some files have alternative digests.
    pub(crate) fn has_alternatives(&self) -> bool {
        !self.alternatives.is_empty()
    }

    /// Adds a file even if there is one with the same name, which can then no longer be found by name.
    ///
    /// # Errors
    /// Fails if there are too many files or the name is too long.
    pub(crate) fn push(
        &mut self,
        name: &[u8],
        facts: (Option<u64>, Option<Time>),
        specs: &Arc<[Spec]>,
        digests: &[Digest],
    ) -> Result<u32, String> {
        let at = u32::try_from(self.files.len()).ok().filter(|&at| at < NONE - 3);
        let at = at.ok_or("there are more than 4 billion files")?;
        let mut file = File::at(self.bytes.len(), name)?;
        if self.buckets.is_empty() && !self.follows(name) {
            self.index();
        }
        let is_indexed = !self.buckets.is_empty();
        if is_indexed {
            file.hash = self.hash(name);
        }
        self.bytes.extend_from_slice(name);
        self.files.push(file);
        if is_indexed {
            self.index_last();
        }
        if !self.stats.is_empty() || facts != (None, None) {
            *self.stat(at) = Stat::of(facts.0, facts.1);
        }
        self.set_digests(at, specs, digests);
        Ok(at)
    }

    fn add(
        &mut self,
        at: u32,
        (size, time): (Option<u64>, Option<Time>),
        (specs, digests): (&Arc<[Spec]>, &[Digest]),
        alternatives: &[(Spec, Digest)],
    ) -> Result<(), String> {
        match (self.size(at), size) {
            (Some(before), Some(now)) if before != now => {
                return Err("an earlier entry for the same file has a different size".to_owned());
            }
            (None, Some(now)) => self.stat(at).size = now,
            _ => {}
        }
        if let (None, Some(time)) = (self.time(at), time) {
            let stat = self.stat(at);
            (stat.seconds, stat.nanos) = (time.seconds, time.nanos);
        }
        let before = self.digests(at);
        let (mut all, mut others) = (before.clone(), self.alternatives(at).to_vec());
        for (spec, digest) in specs.iter().zip(digests) {
            let of = |(of, _): &(Spec, Digest)| of == spec;
            let accepted: Vec<Digest> = accepted(spec, digest, alternatives).cloned().collect();
            let place = all.iter().position(of);
            let mut both: Vec<Digest> = match place {
                None => accepted,
                Some(place) => {
                    let known = self::accepted(spec, &all[place].1, &others).cloned();
                    known.filter(|known| accepted.contains(known)).collect()
                }
            };
            if both.is_empty() {
                return Err(format!("an earlier entry for the same file has a different {spec} digest"));
            }
            let first = (spec.clone(), both.remove(0));
            match place {
                None => all.push(first),
                Some(place) => all[place] = first,
            }
            others.retain(|other| !of(other));
            others.extend(both.into_iter().map(|digest| (spec.clone(), digest)));
        }
        if all != before {
            let (specs, digests): (Vec<Spec>, Vec<Digest>) = all.into_iter().unzip();
            self.set_digests(at, &specs.into(), &digests);
        }
        self.set_alternatives(at, others.into());
        Ok(())
    }

    /// Returns the position of a list of algorithms, which is added if it is new.
    pub(crate) fn note_kind(&mut self, specs: &Arc<[Spec]>) -> u32 {
        match self.kinds.last() {
            Some(last) if Arc::ptr_eq(last, specs) => self.kinds.len() as u32 - 1,
            _ => *self.kind_of.entry(specs.clone()).or_insert_with(|| {
                self.kinds.push(specs.clone());
                self.kinds.len() as u32 - 1
            }),
        }
    }

    /// Sets the digests of a file, replacing previous ones.
    pub(crate) fn set_digests(&mut self, at: u32, specs: &Arc<[Spec]>, digests: &[Digest]) {
        // An algorithm without a digest does not count.
        let specs = if digests.len() < specs.len() { &Arc::from(&specs[..digests.len()]) } else { specs };
        let kind = self.note_kind(specs);
        let start = self.bytes.len();
        for (spec, digest) in specs.iter().zip(digests) {
            // The length matches the algorithm; others were rejected when they were read.
            let (bytes, len) = (digest.as_bytes(), spec.digest_len());
            self.bytes.extend_from_slice(&bytes[..bytes.len().min(len)]);
            self.bytes.resize(self.bytes.len() + len.saturating_sub(bytes.len()), 0);
            if spec.counts_parts() {
                self.bytes.extend_from_slice(&digest.parts().unwrap_or(0).to_le_bytes());
            }
        }
        let file = &mut self.files[at as usize];
        file.kind = kind;
        if start != file.name().end {
            file.kind |= LATER;
            self.later.insert(at, start);
        }
    }

    /// Returns whether a file has exactly these digests and no other size, in which case no further comparison is
    /// needed.
    pub(crate) fn has_exactly(&self, at: u32, size: Option<u64>, specs: &[Spec], digests: &[Digest]) -> bool {
        let sized = size.is_none_or(|size| self.size(at).is_none_or(|known| known == size));
        let own = self.specs(at);
        let same = |((spec, digest), place): ((&Spec, &Digest), (usize, usize))| {
            !spec.counts_parts() && self.slice(at, place) == digest.as_bytes()
        };
        sized
            && !digests.is_empty()
            && own[..] == *specs
            && specs.iter().zip(digests).zip(places(own)).all(same)
    }

    /// Removes the file that was added last.
    pub(crate) fn undo(&mut self) {
        let Some(file) = self.files.pop() else { return };
        if file.kind & LATER != 0 {
            self.later.remove(&self.len());
        }
        self.alternatives.remove(&self.len());
        if !self.buckets.is_empty() {
            let bucket = self.bucket(file.hash);
            self.buckets[bucket] = file.next;
        }
        self.stats.truncate(self.files.len());
        self.bytes.truncate(file.name().start);
    }

    /// Records the actual size and time of a file.
    pub(crate) fn set_facts(&mut self, at: u32, size: u64, time: Time) {
        *self.stat(at) = Stat::of(Some(size), Some(time));
    }

    /// Returns the size and time of a file for writing.
    fn stat(&mut self, at: u32) -> &mut Stat {
        self.stats.resize(self.files.len(), Stat::UNKNOWN);
        &mut self.stats[at as usize]
    }

    pub(crate) fn name(&self, at: u32) -> &[u8] {
        &self.bytes[self.files[at as usize].name()]
    }

    /// Returns the base name.
    pub(crate) fn base(&self, at: u32) -> &[u8] {
        let name = self.name(at);
        &name[name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..]
    }

    pub(crate) fn size(&self, at: u32) -> Option<u64> {
        self.stats.get(at as usize).map(|stat| stat.size).filter(|&size| size != UNSIZED)
    }

    pub(crate) fn time(&self, at: u32) -> Option<Time> {
        let Stat { seconds, nanos, .. } = *self.stats.get(at as usize)?;
        (nanos != UNTIMED).then_some(Time { seconds, nanos })
    }

    pub(crate) fn specs(&self, at: u32) -> &Arc<[Spec]> {
        &self.kinds[self.kind(at) as usize]
    }

    pub(crate) fn kind(&self, at: u32) -> u32 {
        self.files[at as usize].kind & !LATER
    }

    /// Returns the distinct lists of algorithms.
    pub(crate) fn kinds(&self) -> &[Arc<[Spec]>] {
        &self.kinds
    }

    pub(crate) fn digests(&self, at: u32) -> Vec<(Spec, Digest)> {
        let specs = self.specs(at);
        let digest = |(spec, place): (&Spec, _)| (spec.clone(), self.digest(at, spec, place));
        specs.iter().zip(places(specs)).map(digest).collect()
    }

    /// Returns the first digest of a file and its algorithm.
    pub(crate) fn first_digest(&self, at: u32) -> Option<(&Spec, Digest)> {
        let specs = self.specs(at);
        let (spec, place) = specs.iter().zip(places(specs)).next()?;
        Some((spec, self.digest(at, spec, place)))
    }

    fn digest(&self, at: u32, spec: &Spec, place: (usize, usize)) -> Digest {
        let (bytes, parts) = self.slice(at, place).split_at(spec.digest_len());
        Digest::new(bytes).with_parts(parts.try_into().map_or(0, u64::from_le_bytes))
    }

    /// Returns the bytes at this offset from a file's first digest.
    pub(crate) fn slice(&self, at: u32, (from, len): (usize, usize)) -> &[u8] {
        let file = &self.files[at as usize];
        let start = if file.kind & LATER == 0 { file.name().end } else { self.later[&at] };
        &self.bytes[start + from..][..len]
    }

    pub(crate) fn facts(&self, at: u32) -> Facts {
        Facts { size: self.size(at), mtime: self.time(at), digests: self.digests(at) }
    }
}

/// Returns offset and length of the digests for these algorithms.
fn places(specs: &[Spec]) -> impl Iterator<Item = (usize, usize)> {
    specs.iter().scan(0, |from, spec| {
        let len = spec.digest_len() + if spec.counts_parts() { 8 } else { 0 };
        *from += len;
        Some((*from - len, len))
    })
}

/// Returns the locations of the digests that two lists of algorithms have in common.
pub(crate) fn common(one: &[Spec], other: &[Spec]) -> Vec<[(usize, usize); 2]> {
    let in_other = |spec: &Spec| other.iter().zip(places(other)).find(|(known, _)| *known == spec);
    let both = |(spec, place)| in_other(spec).map(|(_, there)| [place, there]);
    one.iter().zip(places(one)).filter_map(both).collect()
}

/// Compares a file of one set with a file of another by all known facts.
pub(crate) fn compare(one: (&Set, u32), other: (&Set, u32)) -> Compared {
    if let (Some(size), Some(there)) = (one.0.size(one.1), other.0.size(other.1))
        && size != there
    {
        return Compared::Differs;
    }
    let both = common(one.0.specs(one.1), other.0.specs(other.1));
    let same =
        |places: &[(usize, usize); 2]| one.0.slice(one.1, places[0]) == other.0.slice(other.1, places[1]);
    match both.iter().all(same) {
        _ if both.is_empty() => Compared::Unknown,
        _ if one.0.has_alternatives() || other.0.has_alternatives() => compare_accepted(one, other),
        false => Compared::Differs,
        true => Compared::Same,
    }
}

/// Returns the digests of one algorithm that an entry accepts, without repetitions.
fn accepted<'d>(
    spec: &'d Spec,
    digest: &'d Digest,
    alternatives: &'d [(Spec, Digest)],
) -> impl Iterator<Item = &'d Digest> {
    let is_new = move |(at, other): &(usize, &(Spec, Digest))| {
        other.0 == *spec && other.1 != *digest && !alternatives[..*at].contains(other)
    };
    let others = alternatives.iter().enumerate().filter(is_new);
    std::iter::once(digest).chain(others.map(|(_, (_, other))| other))
}

/// Compares two files of which at least one may have alternative digests. A digest without alternatives is that of the file,
/// so it is the same as any that the other side accepts. If both sides have alternatives, they must be the same ones.
fn compare_accepted(one: (&Set, u32), other: (&Set, u32)) -> Compared {
    let digests = other.0.digests(other.1);
    let mut result = Compared::Same;
    for (spec, digest) in one.0.digests(one.1) {
        let Some((_, there)) = digests.iter().find(|(of, _)| *of == spec) else { continue };
        let these: Vec<&Digest> = accepted(&spec, &digest, one.0.alternatives(one.1)).collect();
        let those: Vec<&Digest> = accepted(&spec, there, other.0.alternatives(other.1)).collect();
        let both = these.iter().filter(|digest| those.contains(digest)).count();
        match both {
            0 => return Compared::Differs,
            1 if these.len() == 1 || those.len() == 1 => {}
            _ if both == these.len() && both == those.len() => {}
            _ => result = Compared::Unknown,
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(names: &[&str]) -> Arc<[Spec]> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn digests(specs: &[Spec], text: &[u8]) -> Vec<Digest> {
        specs.iter().map(|spec| spec.digest(text)).collect()
    }

    #[test]
    fn later_facts_are_added_and_contradictions_rejected() {
        let (sha, md5) = (specs(&["sha256"]), specs(&["md5"]));
        let mut set = Set::default();
        let at = set.insert(b"a", (None, None), &sha, &digests(&sha, b"x")).unwrap();
        assert_eq!(set.insert(b"a", (Some(1), None), &md5, &digests(&md5, b"x")), Ok(at));
        assert_eq!(set.digests(at).len(), 2);
        assert_eq!((set.size(at), set.len()), (Some(1), 1));
        assert_eq!(
            set.insert(b"a", (None, None), &md5, &digests(&md5, b"y")).unwrap_err(),
            "an earlier entry for the same file has a different md5 digest"
        );
        assert_eq!(
            set.insert(b"a", (Some(2), None), &sha, &digests(&sha, b"x")).unwrap_err(),
            "an earlier entry for the same file has a different size"
        );
        assert_eq!((set.find(b"a"), set.find(b"b")), (Some(at), None));
    }

    #[test]
    fn names_and_digests_are_found_at_any_position() {
        let (sha, md5) = (specs(&["sha256"]), specs(&["md5"]));
        #[cfg(target_pointer_width = "64")]
        for position in [0, 1, u32::MAX as usize, 1 << 32, (1 << 40) - 1] {
            let file = File::at(position, b"name").unwrap();
            assert_eq!(file.name(), position..position + 4);
        }
        #[cfg(target_pointer_width = "64")]
        assert!(File::at(1 << 40, b"name").is_err());
        assert!(File::at(0, &vec![b'a'; 1 << 24]).is_err());
        assert_eq!(File::at(7, &vec![b'a'; (1 << 24) - 1]).unwrap().name(), 7..(1 << 24) + 6);
        let mut set = Set::default();
        let push =
            |set: &mut Set, name: &[u8]| set.push(name, (None, None), &sha, &digests(&sha, name)).unwrap();
        push(&mut set, b"a");
        push(&mut set, b"b");
        // Digests that are replaced, and those of a file that is removed.
        set.set_digests(0, &md5, &digests(&md5, b"later"));
        push(&mut set, b"c");
        set.set_digests(2, &md5, &digests(&md5, b"removed"));
        set.undo();
        assert_eq!(push(&mut set, b"d"), 2);
        let expected: [(u32, _, &[u8]); 3] = [(0, &md5, b"later"), (1, &sha, b"b"), (2, &sha, b"d")];
        for (at, spec, text) in expected {
            assert_eq!(set.digests(at), [(spec[0].clone(), spec[0].digest(text))]);
            assert_eq!(set.specs(at), spec);
        }
    }

    #[test]
    fn name_maps_to_its_newest_file_after_removals() {
        let (sha, mut set) = (specs(&["sha256"]), Set::default());
        let name = |number: u32| format!("file{}", number % 70);
        for number in 0..100 {
            let size = (number == 40).then_some(7);
            set.push(name(number).as_bytes(), (size, None), &sha, &digests(&sha, b"x")).unwrap();
        }
        assert_eq!(
            (set.find(b"file5"), set.find(b"file69"), set.find(b"file70")),
            (Some(75), Some(69), None)
        );
        assert_eq!((set.size(39), set.size(40), set.size(99)), (None, Some(7), None));
        (0..30).for_each(|_| set.undo());
        assert_eq!((set.find(b"file5"), set.len(), set.size(40)), (Some(5), 70, Some(7)));
        assert_eq!(set.digests(69), [(sha[0].clone(), sha[0].digest(b"x"))]);
    }

    #[test]
    fn names_are_found_with_and_without_index() {
        let sha = specs(&["sha256"]);
        // The orders in which names are added and searched for: ascending, descending, and with a step.
        let orders = [|at: u32| at, |at: u32| 99 - at, |at: u32| at * 37 % 100];
        for (added, searched) in orders.iter().flat_map(|one| orders.iter().map(move |other| (one, other))) {
            let mut set = Set::default();
            let name = |number: u32| format!("{:03}", 2 * number).into_bytes();
            for number in (0..100).map(added) {
                assert_eq!(set.find(&name(number)), None);
                set.insert(&name(number), (None, None), &sha, &digests(&sha, &name(number))).unwrap();
            }
            // Names between the others, and before and after all.
            for absent in ["", "0", "001", "555", "zz"] {
                assert_eq!(set.find_likely(7, absent.as_bytes()), None);
            }
            for number in (0..100).map(searched) {
                let at = set.find_likely(number, &name(number)).unwrap();
                assert_eq!((set.name(at), set.find(&name(number))), (&name(number)[..], Some(at)));
                assert_eq!(set.digests(at)[0].1, sha[0].digest(&name(number)));
            }
            let last = set.name(99).to_vec();
            set.undo();
            assert_eq!((set.find(&last), set.len()), (None, 99));
            set.push(&last, (None, None), &sha, &digests(&sha, b"x")).unwrap();
            assert_eq!(set.find(&last), Some(99));
        }
    }

    #[test]
    fn algorithm_without_a_digest_is_ignored() {
        // regression: the digest of the algorithm without one was read from the data of the next file.
        let (both, mut set) = (specs(&["sha256", "md5"]), Set::default());
        let expected = digests(&both[..1], b"x");
        set.push(b"a", (None, None), &both, &expected).unwrap();
        assert_eq!(set.digests(0), [(both[0].clone(), expected[0].clone())]);
    }

    #[test]
    fn files_are_compared_by_all_facts_both_sides_know() {
        let (both, sha, md5) = (specs(&["md5", "sha256"]), specs(&["sha256"]), specs(&["md5"]));
        let file = |specs: &Arc<[Spec]>, size, text: &[u8]| {
            let mut set = Set::default();
            set.insert(b"a", (size, None), specs, &digests(specs, text)).unwrap();
            set
        };
        for (one, other, expected) in [
            (file(&both, None, b"x"), file(&sha, None, b"x"), Compared::Same),
            (file(&both, None, b"x"), file(&md5, None, b"y"), Compared::Differs),
            (file(&sha, None, b"x"), file(&md5, None, b"x"), Compared::Unknown),
            (file(&sha, Some(1), b"x"), file(&md5, Some(2), b"x"), Compared::Differs),
            (file(&sha, Some(1), b"x"), file(&sha, Some(2), b"x"), Compared::Differs),
        ] {
            assert_eq!(compare((&one, 0), (&other, 0)), expected);
            assert_eq!(compare((&other, 0), (&one, 0)), expected);
        }
    }
}
