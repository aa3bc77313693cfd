//! One message through a composite digest, in slices as they come.
//!
//! Leaves of up to half a mebibyte are gathered to one, so that they fill the lanes however small the slices are; slices of
//! a mebibyte or more are hashed where they lie. Larger leaves are fed as one message each: their lanes are other leaves of
//! the same file, which the engine reads side by side.

use crate::digest::Digest;
use crate::hasher::{Hasher, Serial};
use crate::spec::{Spec, SpecError};
use crate::tree::compact_range::{CompactRange, decompose};
use crate::tree::merkle::{Merkle, hash_from, zero_levels};
use crate::tree::mtsum::{self, Variant};
use std::sync::Arc;

/// A digest of leaf digests: what a row says of it.
pub(crate) struct Composite {
    /// The name of the hash of leaves and nodes.
    pub base: &'static str,
    /// What is hashed before a leaf's bytes.
    pub prefix: &'static [u8],
    pub cut: Cut,
    pub close: Close,
}

/// Where a message is cut.
#[derive(Clone, Copy)]
pub(crate) enum Cut {
    /// Into leaves of the unit's size; the last may be shorter.
    Equal(Unit),
    /// By halves, which must know the length (mtsum).
    Halves(Variant),
}

/// What becomes of the leaf digests.
#[derive(Clone, Copy)]
pub(crate) enum Close {
    /// The root of RFC 9162's tree, whose nodes are hashed after this prefix.
    Merkle { node: &'static [u8] },
    /// The same with RFC 9162's prefix, sealed with algorithm, leaf size and length.
    Sealed,
    /// The hash of all leaf digests one after the other, and their number.
    List,
    /// mtsum's tree.
    Halves(Variant),
}

/// The size of leaves or parts: a parameter of the digest, part of its name where it is not the usual one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The key in names: `leaf`, `part`.
    pub key: &'static str,
    pub usual: u64,
    pub smallest: u64,
    pub largest: u64,
    pub power_of_two: bool,
}

impl Unit {
    /// A size that belongs to the definition.
    pub const fn fixed(size: u64) -> Unit {
        Unit { key: "", usual: size, smallest: size, largest: size, power_of_two: false }
    }

    /// Whether a digest can have this size.
    pub fn allows(&self, size: u64) -> bool {
        (self.smallest..=self.largest).contains(&size) && (!self.power_of_two || size.is_power_of_two())
    }
}

/// ETag of an S3 multipart upload: parts of 5 MiB to 5 GiB in the service, any size here for what imitates it.
pub(crate) static S3_ETAG: Composite = Composite {
    base: "md5",
    prefix: &[],
    cut: Cut::Equal(Unit { key: "part", usual: 8 << 20, smallest: 1, largest: 5 << 30, power_of_two: false }),
    close: Close::List,
};

impl Composite {
    /// The hash of leaves and nodes.
    pub fn base(&self) -> Spec {
        self.base.parse().expect("composite rows name a base hash of the table")
    }

    /// The parameter of this digest.
    pub fn unit(&self) -> Option<&Unit> {
        match &self.cut {
            Cut::Equal(unit) => Some(unit),
            Cut::Halves(_) => None,
        }
    }

    /// A hasher of one message, of `size` bytes if that is known.
    pub fn hasher(&'static self, spec: &Spec, size: Option<u64>) -> Box<dyn Serial> {
        match (self.cut, size) {
            (Cut::Equal(_), _) => Box::new(Leaves::new(self, spec)),
            (Cut::Halves(variant), Some(size)) => Box::new(mtsum::Halves::new(variant, self.base(), size)),
            (Cut::Halves(variant), None) => Box::new(mtsum::Held::new(variant, self.base())),
        }
    }

    /// A hasher that has been fed what stands before a leaf's bytes.
    pub fn leaf_hasher(&self) -> Hasher {
        let mut hasher = self.base().hasher();
        hasher.update(self.prefix);
        hasher
    }
}

impl Unit {
    /// Checks a size for the digest called `name`.
    pub fn check(&self, name: &'static str, size: u64) -> Result<(), SpecError> {
        if self.allows(size) {
            return Ok(());
        }
        let kind = if self.power_of_two { "a power of two from" } else { "from" };
        let range = format!("{kind} {} to {}", Size(self.smallest), Size(self.largest));
        Err(SpecError::Parameter(name, format!("{}={} must be {range}", self.key, Size(size))))
    }
}

/// A size as names spell it: the largest binary unit that divides it.
pub(crate) struct Size(pub u64);

const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match UNITS.iter().find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl std::str::FromStr for Size {
    type Err = ();

    /// Decimal digits, with `KiB`, `MiB` or `GiB` of any letter case behind them.
    fn from_str(text: &str) -> Result<Size, ()> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "" => 1,
            suffix => UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix)).ok_or(())?.1,
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(());
        }
        digits.parse::<u64>().ok().and_then(|size| size.checked_mul(unit)).map(Size).ok_or(())
    }
}

/// Bytes gathered to hash many leaves at once.
const GATHER: usize = 1 << 20;

/// A message cut into equal leaves.
#[derive(Clone)]
struct Leaves {
    leaf: Hasher,
    leaf_size: u64,
    /// Bytes of leaves not hashed yet, at most [`GATHER`]; unused where leaves are large.
    gathered: Vec<u8>,
    /// The large leaf under way, and how many bytes it has got.
    open: Option<(Hasher, u64)>,
    total: u64,
    fold: Kept,
}

/// What is kept of the leaves that are done.
#[derive(Clone)]
pub(crate) enum Kept {
    Merkle { merkle: Arc<Merkle>, range: CompactRange },
    List { hasher: Box<Hasher>, count: u64 },
}

impl Kept {
    pub(crate) fn new(composite: &Composite, spec: &Spec) -> Kept {
        match Merkle::new(spec) {
            Some(merkle) => Kept::Merkle { merkle: Arc::new(merkle), range: CompactRange::starting_at(0) },
            None => Kept::List { hasher: Box::new(composite.base().hasher()), count: 0 },
        }
    }

    fn push(&mut self, leaves: Vec<Digest>) {
        match self {
            Kept::Merkle { merkle, range } => {
                let first = range.next();
                for (start, level) in decompose(first, first + leaves.len() as u64) {
                    let start = (start - first) as usize;
                    let row = leaves[start..start + (1 << level)].to_vec();
                    let hash = merkle.reduce(row);
                    range.push(level, hash, |l, r| merkle.node(l, r)).expect("decompose aligns its subtrees");
                }
            }
            Kept::List { hasher, count } => {
                *count += leaves.len() as u64;
                leaves.iter().for_each(|leaf| hasher.update(leaf.as_bytes()));
            }
        }
    }

    fn push_run(&mut self, leaf: Digest, run: u64) {
        match self {
            Kept::Merkle { merkle, range } => {
                let levels = zero_levels(merkle, leaf);
                range.push_run(run, &levels, |l, r| merkle.node(l, r));
            }
            Kept::List { hasher, count } => {
                *count += run;
                (0..run).for_each(|_| hasher.update(leaf.as_bytes()));
            }
        }
    }

    fn finish(&mut self, size: u64) -> Digest {
        match self {
            Kept::Merkle { merkle, range } => {
                merkle.close(range, size).expect("a message has at least one leaf")
            }
            Kept::List { hasher, count } => hasher.finish().with_parts(*count),
        }
    }
}

impl Leaves {
    fn new(composite: &Composite, spec: &Spec) -> Leaves {
        Leaves {
            leaf: composite.leaf_hasher(),
            leaf_size: spec.unit(),
            gathered: Vec::new(),
            open: None,
            total: 0,
            fold: Kept::new(composite, spec),
        }
    }

    /// Bytes of whole leaves hashed at once; 0 where leaves are too large to gather.
    fn batch(&self) -> usize {
        let leaf = self.leaf_size.min(GATHER as u64) as usize;
        if leaf * 2 <= GATHER { GATHER / leaf * leaf } else { 0 }
    }

    fn hash(&mut self, data: &[u8]) {
        let slices: Vec<&[u8]> = data.chunks(self.leaf_size as usize).collect();
        let leaves = hash_from(&self.leaf, &slices);
        self.fold.push(leaves);
    }

    fn update_gathering(&mut self, mut data: &[u8], batch: usize) {
        while !data.is_empty() {
            if self.gathered.is_empty() && data.len() >= batch {
                let (whole, rest) = data.split_at(data.len() / batch * batch);
                self.hash(whole);
                data = rest;
                continue;
            }
            let (taken, rest) = data.split_at(data.len().min(batch - self.gathered.len()));
            self.gathered.extend_from_slice(taken);
            data = rest;
            if self.gathered.len() == batch {
                let gathered = std::mem::take(&mut self.gathered);
                self.hash(&gathered);
                self.gathered = gathered;
                self.gathered.clear();
            }
        }
    }

    fn update_open(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let (mut hasher, filled) = self.open.take().unwrap_or_else(|| (self.leaf.clone(), 0));
            let room = usize::try_from(self.leaf_size - filled).unwrap_or(usize::MAX);
            let (taken, rest) = data.split_at(data.len().min(room));
            hasher.update(taken);
            let filled = filled + taken.len() as u64;
            if filled == self.leaf_size {
                self.fold.push(vec![hasher.finish()]);
            } else {
                self.open = Some((hasher, filled));
            }
            data = rest;
        }
    }
}

impl Serial for Leaves {
    fn update(&mut self, data: &[u8]) {
        self.total += data.len() as u64;
        match self.batch() {
            0 => self.update_open(data),
            batch => self.update_gathering(data, batch),
        }
    }

    fn finish(&mut self) -> Digest {
        if let Some((mut last, _)) = self.open.take() {
            self.fold.push(vec![last.finish()]);
        } else if !self.gathered.is_empty() {
            let gathered = std::mem::take(&mut self.gathered);
            self.hash(&gathered);
        } else if self.total == 0 {
            let empty = self.leaf.clone().finish();
            self.fold.push(vec![empty]);
        }
        self.fold.finish(self.total)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }

    fn update_zeros(&mut self, count: u64) {
        let to_boundary = (self.leaf_size - self.total % self.leaf_size) % self.leaf_size;
        if count < to_boundary + self.leaf_size {
            crate::hasher::feed_zeros(count, |zeros| self.update(zeros));
            return;
        }
        crate::hasher::feed_zeros(to_boundary, |zeros| self.update(zeros));
        if !self.gathered.is_empty() {
            // Whole leaves, being at a boundary.
            let gathered = std::mem::take(&mut self.gathered);
            self.hash(&gathered);
        }
        let run = (count - to_boundary) / self.leaf_size;
        let mut leaf = self.leaf.clone();
        leaf.update_zeros(self.leaf_size);
        self.fold.push_run(leaf.finish(), run);
        self.total += run * self.leaf_size;
        let rest = count - to_boundary - run * self.leaf_size;
        crate::hasher::feed_zeros(rest, |zeros| self.update(zeros));
    }
}
