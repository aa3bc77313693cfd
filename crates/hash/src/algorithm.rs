//! The table of algorithms: one row is all there is to say of one.
//!
//! Adding an algorithm: write its family (one file), add one row here. Names, help, `truesum list`, tests, benchmarks and
//! documentation follow from the row. Statuses cite their source, because people act on them.

use crate::hasher::Serial;
use crate::lanes::Family;
use crate::spec::Spec;
use crate::{crc, md5, sha2};

/// What may be said of an algorithm against a person who wants two files to look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No practical attack known. The text cites the standard.
    Secure(&'static str),
    /// Not broken in practice, but short, withdrawn or theoretically broken. The text says why and cites.
    Weakened(&'static str),
    /// Two different files with the same digest can be made. The text cites the attack.
    Broken(&'static str),
    /// Made against accidents, not against people. The text names the definition.
    Checksum(&'static str),
}

impl Status {
    /// One word for tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Secure(_) => "secure",
            Status::Weakened(_) => "weakened",
            Status::Broken(_) => "broken",
            Status::Checksum(_) => "checksum",
        }
    }

    /// The reason and its source.
    pub fn reason(self) -> &'static str {
        match self {
            Status::Secure(why) | Status::Weakened(why) | Status::Broken(why) | Status::Checksum(why) => why,
        }
    }

    /// Whether an equal digest tells that nobody tampered with the bytes.
    pub fn tamper_evident(self) -> bool {
        matches!(self, Status::Secure(_) | Status::Weakened(_))
    }
}

/// Which digest lengths an algorithm offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// The row's `digest_len` only.
    Fixed,
    /// Every whole number of bytes from 1 to this one.
    UpTo(usize),
    /// Any number of bytes (an extendable-output function).
    Any,
}

/// One algorithm.
pub struct Algorithm {
    /// The name people type: lower case, unique.
    pub name: &'static str,
    /// The tag of BSD-style lines.
    pub tag: &'static str,
    /// Other names for the same digest.
    pub aliases: &'static [&'static str],
    /// Length of the usual digest in bytes.
    pub digest_len: usize,
    /// Which other lengths there are.
    pub lengths: Lengths,
    /// What is known of its security, with the source.
    pub status: Status,
    /// What it is and where it is met, in one line.
    pub summary: &'static str,
    /// The digest of the nine bytes `123456789` at the usual length, in hexadecimal: each row proves itself.
    pub check: &'static str,
    pub(crate) kind: Kind,
}

/// How an algorithm is computed.
pub(crate) enum Kind {
    /// A chain of blocks: kernels advance one message or many.
    Blocks { family: &'static Family, init: fn(&Spec) -> [u64; crate::lanes::MAX_WORDS] },
    /// Anything else, one message at a time.
    Serial(fn(&Spec) -> Box<dyn Serial>),
}

impl std::fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Algorithm({})", self.name)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Algorithm) -> bool {
        self.name == other.name
    }
}

impl Eq for Algorithm {}

impl std::hash::Hash for Algorithm {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Every algorithm, in the order lists show them.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "md5",
        tag: "MD5",
        aliases: &[],
        digest_len: 16,
        lengths: Lengths::Fixed,
        status: Status::Broken("collisions in seconds (Wang & Yu 2005; chosen-prefix: Stevens et al. 2007)"),
        summary: "RFC 1321; the digest of old manifests, PAR2, S3 ETags",
        check: "25f9e794323b453885f5181f1b624d0b",
        kind: Kind::Blocks { family: &md5::MD5, init: md5::init },
    },
    Algorithm {
        name: "sha224",
        tag: "SHA224",
        aliases: &["sha-224", "sha2-224"],
        digest_len: 28,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-256 cut to 224 bits, with its own initial value",
        check: "9b3e61bf29f17c75572fae2e86e17809a4513d07c8a18152acf34521",
        kind: Kind::Blocks { family: &sha2::SHA256, init: sha2::init_224 },
    },
    Algorithm {
        name: "sha256",
        tag: "SHA256",
        aliases: &["sha-256", "sha2-256"],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "the digest of software releases",
        check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Blocks { family: &sha2::SHA256, init: sha2::init_256 },
    },
    Algorithm {
        name: "crc32",
        tag: "CRC32",
        aliases: &["crc32b", "crc-32"],
        digest_len: 4,
        lengths: Lengths::Fixed,
        status: Status::Checksum("32 bits of error detection (ITU-T V.42)"),
        summary: "SFV files, zip, gzip, PNG",
        check: "cbf43926",
        kind: Kind::Serial(crc::crc32),
    },
];

/// The row with this name, alias or tag, whatever its case.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    let is = |other: &&str| other.eq_ignore_ascii_case(name);
    ALGORITHMS.iter().find(|row| is(&row.name) || is(&row.tag) || row.aliases.iter().any(|a| is(&a)))
}

/// The name nearest to a mistyped one, if one is near enough to suggest.
pub(crate) fn nearest(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    ALGORITHMS
        .iter()
        .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()))
        .map(|name| (edit_distance(&text, name), name))
        .filter(|&(distance, name)| distance <= 2 && distance < name.len() / 2)
        .min()
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_tags_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for row in ALGORITHMS {
            assert_eq!(row.name, row.name.to_ascii_lowercase());
            let names: HashSet<String> =
                [row.name, row.tag].iter().chain(row.aliases).map(|n| n.to_ascii_lowercase()).collect();
            for name in names {
                assert!(seen.insert(name.clone()), "{name} stands in two rows");
            }
        }
    }

    #[test]
    fn every_row_proves_itself() {
        for row in ALGORITHMS {
            assert_eq!(Spec::new(row).digest(b"123456789").to_hex(), row.check, "{}", row.name);
            assert_eq!(row.check.len(), row.digest_len * 2, "{}", row.name);
        }
    }

    #[test]
    fn every_status_cites() {
        for row in ALGORITHMS {
            assert!(row.status.reason().len() > 7 && !row.summary.is_empty(), "{}", row.name);
            if let Status::Broken(why) = row.status {
                assert!(why.chars().any(|c| c.is_ascii_digit()), "{}: no year in '{why}'", row.name);
            }
        }
    }
}
