//! Composite digests over any base hash: `sha256-tree`, `mtsum-md5` and the like.
//!
//! Rows for every combination of hash and construction would clutter the table, so a construction is one row of
//! [`FAMILIES`], and the algorithm `mtsum-md5` is created when its name is first used. It is then never freed; there
//! are only as many as there are names.

use crate::algorithm::{Algorithm, Close, Composite, Division, Key, Kind, Status, Unit, Variant};
use crate::spec::Spec;
use crate::tree::composite::hasher;
use crate::tree::merkle::descriptor_name;
use std::sync::Mutex;

readable! {
    /// A construction over any hash.
    pub struct Family {
        /// The prefix of the hash's name.
        prefix: &'static str,
        /// The suffix of the hash's name.
        suffix: &'static str,
        /// A one-line description of the construction and its use.
        summary: &'static str,
        /// Why a matching digest proves less than one of the base hash; `None` if it proves as much.
        weakness: Option<&'static str>,
    }
    private {
        /// Its number in the header of a stored tree (docs/spec/tree.md).
        stored: u8,
        leaf_prefix: &'static [u8],
        division: Division,
        close: Close,
    }
}

impl std::fmt::Debug for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Family({})", self.pattern())
    }
}

impl Family {
    /// Returns the name with `HASH` in place of the hash: `HASH-tree`, `mtsum-HASH`.
    pub fn pattern(&self) -> String {
        self.name("HASH")
    }

    /// Returns the name over a hash.
    pub fn name(&self, hash: &str) -> String {
        format!("{}{hash}{}", self.prefix, self.suffix)
    }
}

const NO_SEPARATION: &str = "leaves and nodes have no distinct prefixes, so a file that consists of the two leaf \
                      hashes of another file has the same digest (the reason for the prefixes of RFC 6962, 2013)";

/// All constructions. A more specific prefix comes before the one it begins with.
pub static FAMILIES: &[Family] = &[
    Family {
        prefix: "",
        suffix: "-tree",
        summary: "RFC 9162 tree over 64 KiB leaves; the digest also covers the algorithm, leaf size and file length",
        weakness: None,
        stored: 0,
        leaf_prefix: &[0],
        division: Division::Equal(Unit {
            key: "leaf",
            usual: 64 << 10,
            smallest: 4 << 10,
            largest: 1 << 30,
            power_of_two: true,
        }),
        close: Close::Sealed,
    },
    Family {
        prefix: "mtsum-v1.0-",
        suffix: "",
        summary: "digest printed by mtsum 1.0",
        weakness: Some(NO_SEPARATION),
        stored: 2,
        leaf_prefix: &[],
        division: Division::Halves(Variant::V10),
        close: Close::Halves(Variant::V10),
    },
    Family {
        prefix: "mtsum-mpi-",
        suffix: "",
        summary: "digest printed by the mpi branch of mtsum when run with one process",
        weakness: Some(NO_SEPARATION),
        stored: 3,
        leaf_prefix: &[],
        division: Division::Halves(Variant::Mpi),
        close: Close::Halves(Variant::Mpi),
    },
    Family {
        prefix: "mtsum-",
        suffix: "",
        summary: "digest printed by mtsum 1.1, which halves the file repeatedly until each part is at most 128 MiB",
        weakness: None,
        stored: 1,
        leaf_prefix: &[0],
        division: Division::Halves(Variant::V11),
        close: Close::Halves(Variant::V11),
    },
];

/// Returns whether trees can be based on this hash: not on checksums, nor on trees.
fn can_be_base(base: &Spec) -> bool {
    base.params.key == Key::None && base.digest_len() <= 64 && descriptor_name(base).is_some()
}

impl Family {
    /// Returns the algorithm of this construction over a hash; `None` if it cannot be based on it.
    pub(crate) fn over(&self, base: &Spec) -> Option<&'static Algorithm> {
        static CREATED: Mutex<Vec<&'static Algorithm>> = Mutex::new(Vec::new());
        if !can_be_base(base) {
            return None;
        }
        let name = self.name(&base.to_string());
        let mut made = CREATED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(row) = made.iter().find(|row| row.name == name) {
            return Some(row);
        }
        let row = &*Box::leak(Box::new(self.make(base, name)));
        made.push(row);
        Some(row)
    }

    fn make(&self, base: &Spec, name: String) -> Algorithm {
        let status = match (self.weakness, base.algorithm().status) {
            (None, status) | (Some(_), status @ Status::Broken(_)) => status,
            (Some(weakness), _) => Status::Broken(weakness),
        };
        let composite = Composite {
            base: (base.algorithm(), base.digest_len()),
            prefix: self.leaf_prefix,
            division: self.division,
            close: self.close,
            stored: Some(self.stored),
            hasher,
        };
        Algorithm {
            tag: String::leak(name.to_uppercase()),
            name: String::leak(name),
            digest_len: base.digest_len(),
            status,
            summary: self.summary,
            kind: Kind::Composite(Box::leak(Box::new(composite))),
            ..Algorithm::PLAIN
        }
    }
}

/// Returns how the header of a stored tree names a digest: the number of the construction and the base hash. `None` if
/// its tree cannot be stored. [`Spec::from_stored`] is the inverse.
pub fn stored(spec: &Spec) -> Option<(u8, String)> {
    match &spec.algorithm().kind {
        Kind::Composite(composite) => {
            let (number, base) = (composite.stored?, composite.base());
            Some((
                number,
                if composite.close == Close::Sealed { descriptor_name(&base)? } else { base.to_string() },
            ))
        }
        Kind::Chunks { .. }
            if spec.digest_len() == spec.algorithm().digest_len && spec.params.key == Key::None =>
        {
            Some((BY_ITSELF, spec.algorithm().name.to_owned()))
        }
        _ => None,
    }
}

/// The number for a hash that is a tree itself.
const BY_ITSELF: u8 = 0;

/// Returns the digest named by a stored tree's header. `leaf` is the leaf size, for a construction whose leaf size is
/// variable. `parse` converts a name to an algorithm.
pub(crate) fn from_stored(
    number: u8,
    base: &str,
    leaf: u64,
    parse: impl Fn(&str) -> Option<Spec>,
) -> Option<Spec> {
    let base = parse(base)?;
    if let (BY_ITSELF, Kind::Chunks { .. }) = (number, &base.algorithm().kind) {
        return Some(base);
    }
    let family = FAMILIES.iter().find(|family| family.stored == number)?;
    let spec = Spec::new(family.over(&base)?);
    if spec.unit() > 0 { spec.with_unit(leaf).ok() } else { Some(spec) }
}

/// Returns the variant of mtsum's tree, and its hash.
pub fn halves(spec: &Spec) -> Option<(Variant, Spec)> {
    match spec.algorithm().composite()? {
        composite @ Composite { division: Division::Halves(variant), .. } => {
            Some((*variant, composite.base()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SpecError, find};

    fn canonical(name: &str) -> Result<String, SpecError> {
        name.parse::<Spec>().map(|spec| spec.to_string())
    }

    #[test]
    fn spellings_of_a_name_resolve_to_one_algorithm() {
        for (name, expected) in [
            ("sha256-tree", "sha256-tree"),
            ("SHA256-TREE", "sha256-tree"),
            ("SHA-256-tree", "sha256-tree"),
            ("sha256-tree;leaf=65536", "sha256-tree"),
            ("SHA256-TREE;LEAF=1MiB", "sha256-tree;leaf=1MiB"),
            ("sha256-tree;leaf=1048576", "sha256-tree;leaf=1MiB"),
            ("blake2b-256-tree", "blake2b-256-tree"),
            ("blake2b-512-tree", "blake2b-tree"),
            ("mtsum-md5", "mtsum-md5"),
            ("mtsum-v1.0-sha256", "mtsum-v1.0-sha256"),
            ("MTSUM-MPI-SHA256", "mtsum-mpi-sha256"),
            ("s3-etag;part=16MiB", "s3-etag;part=16MiB"),
            ("s3-etag;part=8388608", "s3-etag"),
            ("s3-etag;part=5000001", "s3-etag;part=5000001"),
        ] {
            assert_eq!(canonical(name), Ok(expected.to_owned()), "{name}");
            let spec: Spec = expected.parse().expect("canonical names parse");
            assert_eq!(spec.tag().parse(), Ok(spec));
        }
    }

    #[test]
    fn invalid_tree_names_are_rejected() {
        for name in [
            "crc32-tree",
            "blake3-tree",
            "sha256-tree-tree",
            "mtsum-sha256-tree",
            "mtsum-",
            "-tree",
            "mtsum-mtsum-md5",
            "sha256;leaf=1MiB",
            "glacier;leaf=1MiB",
            "glacier;=1MiB",
            "mtsum-md5;leaf=1MiB",
            "sha256-tree;",
            "sha256-tree;leaf",
            "sha256-tree;leaf=",
            "sha256-tree;leaf=1",
            "sha256-tree;leaf=2KiB",
            "sha256-tree;leaf=2GiB",
            "sha256-tree;leaf=96KiB",
            "sha256-tree;leaf=-4096",
            "sha256-tree;leaf=+65536",
            "sha256-tree;part=1MiB",
            "sha256-tree;leaf=1MiB;leaf=1MiB",
            "sha256-tree;leaf=1MB",
            "s3-etag;part=5MB",
            "s3-etag;part=5M",
            "s3-etag;part=5.5MiB",
            "s3-etag;part=5 MiB",
            "s3-etag;part=5242880B",
            "sha256-tree;leaf=99999999999GiB",
            "s3-etag;part=0",
            "s3-etag;part=1023",
            "shake128-8192-tree",
        ] {
            assert!(name.parse::<Spec>().is_err(), "{name} is taken for {:?}", canonical(name));
        }
    }

    #[test]
    fn every_hash_supports_every_construction() {
        for row in crate::ALGORITHMS {
            let base = Spec::new(row);
            for family in FAMILIES {
                let found = find(&family.name(row.name));
                assert_eq!(found.is_some(), can_be_base(&base), "{}", row.name);
                if let Some(found) = found {
                    assert_eq!((found.name, found.digest_len), (&*family.name(row.name), row.digest_len));
                    assert!(std::ptr::eq(found, find(found.tag).expect("its tag finds the row")));
                }
            }
        }
    }
}
