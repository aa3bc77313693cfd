//! The table of algorithms: one row is all there is to say of one.
//!
//! Adding an algorithm: write its family (one file), add one row here. Names, help, `truesum list`, tests, benchmarks and
//! documentation follow from the row. Statuses cite their source, because people act on them.

use crate::hasher::Serial;
use crate::lanes::Family;
use crate::spec::Spec;
use crate::tree::{self, Composite};
use crate::{
    blake2b, blake2s, blake3, crc, md4, md5, ripemd160, sha1, sha2, sha3, sha512, sm3, sum, tiger, whirlpool,
    xxh,
};

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
    /// Leaves hashed apart, their digests folded.
    Composite(&'static Composite),
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
        name: "md4",
        tag: "MD4",
        aliases: &[],
        digest_len: 16,
        lengths: Lengths::Fixed,
        status: Status::Broken("collisions by hand (Wang et al. 2005), preimages in theory (Leurent 2008)"),
        summary: "RFC 1320; ed2k, NTLM",
        check: "2ae523785d0caf4d2fb557c12016185c",
        kind: Kind::Blocks { family: &md4::MD4, init: md4::init },
    },
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
        name: "sha1",
        tag: "SHA1",
        aliases: &["sha-1"],
        digest_len: 20,
        lengths: Lengths::Fixed,
        status: Status::Broken(
            "collisions (SHAttered: Stevens et al. 2017), chosen-prefix (Leurent & Peyrin 2020)",
        ),
        summary: "FIPS 180-4; git, torrents, NSRL",
        check: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        kind: Kind::Blocks { family: &sha1::SHA1, init: sha1::init },
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
        name: "sha384",
        tag: "SHA384",
        aliases: &["sha-384", "sha2-384"],
        digest_len: 48,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 cut to 384 bits, with its own initial value; subresource integrity",
        check: "eb455d56d2c1a69de64e832011f3393d45f3fa31d6842f21af92d2fe469c499da5e3179847334a18479c8d1dedea1be3",
        kind: Kind::Blocks { family: &sha512::SHA512, init: sha512::init_384 },
    },
    Algorithm {
        name: "sha512",
        tag: "SHA512",
        aliases: &["sha-512", "sha2-512"],
        digest_len: 64,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "Debian archives, BagIt",
        check: "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
        kind: Kind::Blocks { family: &sha512::SHA512, init: sha512::init_512 },
    },
    Algorithm {
        name: "sha512-224",
        tag: "SHA512/224",
        aliases: &["sha-512/224", "sha2-512/224", "sha2-512-224", "sha512224", "sha512t224"],
        digest_len: 28,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 cut to 224 bits, with its own initial value",
        check: "f2a68a474bcbea375e9fc62eaab7b81fefbda64bb1c72d72e7c27314",
        kind: Kind::Blocks { family: &sha512::SHA512, init: sha512::init_512_224 },
    },
    Algorithm {
        name: "sha512-256",
        tag: "SHA512/256",
        aliases: &["sha-512/256", "sha2-512/256", "sha2-512-256", "sha512256", "sha512t256"],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 180-4"),
        summary: "SHA-512 cut to 256 bits, with its own initial value",
        check: "1877345237853a31ad79e14c1fcb0ddcd3df9973b61af7f906e4b4d052cc9416",
        kind: Kind::Blocks { family: &sha512::SHA512, init: sha512::init_512_256 },
    },
    Algorithm {
        name: "sha3-224",
        tag: "SHA3-224",
        aliases: &["sha3_224"],
        digest_len: 28,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 202"),
        summary: "the sponge standard of 2015, 224 bits",
        check: "5795c3d628fd638c9835a4c79a55809f265068c88729a1a3fcdf8522",
        kind: Kind::Blocks { family: &sha3::SHA3_224, init: sha3::init },
    },
    Algorithm {
        name: "sha3-256",
        tag: "SHA3-256",
        aliases: &["sha3_256"],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 202"),
        summary: "the sponge standard of 2015, 256 bits",
        check: "87cd084d190e436f147322b90e7384f6a8e0676c99d21ef519ea718e51d45f9c",
        kind: Kind::Blocks { family: &sha3::SHA3_256, init: sha3::init },
    },
    Algorithm {
        name: "sha3-384",
        tag: "SHA3-384",
        aliases: &["sha3_384"],
        digest_len: 48,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 202"),
        summary: "the sponge standard of 2015, 384 bits",
        check: "8b90ede4d095409f1a12492c2520599683a9478dc70b7566d23b3e41ece8538c6cde92382a5e38786490375c54672abf",
        kind: Kind::Blocks { family: &sha3::SHA3_384, init: sha3::init },
    },
    Algorithm {
        name: "sha3-512",
        tag: "SHA3-512",
        aliases: &["sha3_512"],
        digest_len: 64,
        lengths: Lengths::Fixed,
        status: Status::Secure("FIPS 202"),
        summary: "the sponge standard of 2015, 512 bits",
        check: "e1e44d20556e97a180b6dd3ed7ae5c465cafd553fa8747dca038fb95635b77a37318f7ddf7aec1f6c3c14bb160ba2497007decf38dd361cab199e3b8c8fe1f5c",
        kind: Kind::Blocks { family: &sha3::SHA3_512, init: sha3::init },
    },
    Algorithm {
        name: "shake128",
        tag: "SHAKE128",
        aliases: &["shake-128"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("FIPS 202; full strength from 256 bits of output on"),
        summary: "output of any length; 256 bits unless said, for collisions as hard as its 128-bit strength",
        check: "1aca6b9e651b5f20079a305ca8f86d39b9451c4c32873f95f8b315834bd5f272",
        kind: Kind::Blocks { family: &sha3::SHAKE128, init: sha3::init },
    },
    Algorithm {
        name: "shake256",
        tag: "SHAKE256",
        aliases: &["shake-256"],
        digest_len: 64,
        lengths: Lengths::Any,
        status: Status::Secure("FIPS 202; full strength from 512 bits of output on"),
        summary: "output of any length; 512 bits unless said, for collisions as hard as its 256-bit strength",
        check: "24347b9c4b6da2fc9cde08c87f33edd2e603c8dcd6840e6b3920f62b1dd69d7bc4655a9e6f0ee6255940380dcd1488dbca3e796ae58a2234cc31cd61dfd1eb56",
        kind: Kind::Blocks { family: &sha3::SHAKE256, init: sha3::init },
    },
    Algorithm {
        name: "keccak256",
        tag: "KECCAK-256",
        aliases: &["keccak", "keccak_256"],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Secure(
            "Bertoni, Daemen, Peeters & Van Assche 2011: SHA3-256 but for one byte of padding",
        ),
        summary: "Ethereum's digest",
        check: "2a359feeb8e488a1af2c03b908b3ed7990400555db73e1421181d97cac004d48",
        kind: Kind::Blocks { family: &sha3::KECCAK256, init: sha3::init },
    },
    Algorithm {
        name: "blake2b",
        tag: "BLAKE2b",
        aliases: &["b2", "b2sum", "blake-2b"],
        digest_len: 64,
        lengths: Lengths::UpTo(64),
        status: Status::Secure("RFC 7693; from 256 bits of digest on"),
        summary: "b2sum, Arch Linux; 8 to 512 bits",
        check: "f5ab8bafa6f2f72b431188ac38ae2de7bb618fb3d38b6cbf639defcdd5e10a86b22fccff571da37e42b23b80b657ee4d936478f582280a87d6dbb1da73f5c47d",
        kind: Kind::Blocks { family: &blake2b::BLAKE2B, init: blake2b::init },
    },
    Algorithm {
        name: "blake2s",
        tag: "BLAKE2s",
        aliases: &["blake-2s"],
        digest_len: 32,
        lengths: Lengths::UpTo(32),
        status: Status::Secure("RFC 7693; from 256 bits of digest on"),
        summary: "BLAKE2 of 32-bit words; 8 to 256 bits",
        check: "7acc2dd21a2909140507f37396acce906864b5f118dfa766b107962b7a82a0d4",
        kind: Kind::Blocks { family: &blake2s::BLAKE2S, init: blake2s::init },
    },
    Algorithm {
        name: "blake3",
        tag: "BLAKE3",
        aliases: &["b3", "b3sum"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("O'Connor, Aumasson, Neves & Wilcox-O'Hearn 2020"),
        summary: "b3sum; a tree of 1 KiB chunks, output of any length, keyed and derive-key modes",
        check: "b7d65b48420d1033cb2595293263b6f72eabee20d55e699d0df1973b3c9deed1",
        kind: Kind::Serial(blake3::new),
    },
    Algorithm {
        name: "sm3",
        tag: "SM3",
        aliases: &[],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Secure("GB/T 32905-2016, ISO/IEC 10118-3:2018"),
        summary: "China's standard digest",
        check: "c7ae0aec3d2f9beb84dc1885aa7a576baa7a07b38060afc64c5600f93a5456b5",
        kind: Kind::Blocks { family: &sm3::SM3, init: sm3::init },
    },
    Algorithm {
        name: "ripemd160",
        tag: "RMD160",
        aliases: &["rmd160", "ripemd-160"],
        digest_len: 20,
        lengths: Lengths::Fixed,
        status: Status::Weakened(
            "160 bits: a collision costs 2^80 steps (Dobbertin, Bosselaers & Preneel 1996)",
        ),
        summary: "Bitcoin addresses, OpenPGP",
        check: "d3d0379126c1e5e0ba70ad6e5e53ff6aeab9f4fa",
        kind: Kind::Blocks { family: &ripemd160::RIPEMD160, init: ripemd160::init },
    },
    Algorithm {
        name: "tiger",
        tag: "TIGER",
        aliases: &["tiger192", "tiger-192"],
        digest_len: 24,
        lengths: Lengths::Fixed,
        status: Status::Weakened("preimages in 2^188.8 steps (Guo, Ling, Rechberger & Wang 2010)"),
        summary: "the hash under DC++ and Gnutella trees",
        check: "0672665140a491bb35040aa9943d769a47be83fef2126e50",
        kind: Kind::Blocks { family: &tiger::TIGER, init: tiger::init },
    },
    Algorithm {
        name: "whirlpool",
        tag: "WHIRLPOOL",
        aliases: &["whirlpool512"],
        digest_len: 64,
        lengths: Lengths::Fixed,
        status: Status::Secure(
            "ISO/IEC 10118-3; attacks reach reduced rounds (Lamberger, Mendel, Rechberger, Rijmen & Schläffer 2009)",
        ),
        summary: "512 bits of AES-like rounds",
        check: "21d5cb651222c347ea1284c0acf162000b4d3e34766f0d00312e3480f633088822809b6a54ba7edfa17e8fcb5713f8912ee3a218dd98d88c38bbf611b1b1ed2b",
        kind: Kind::Blocks { family: &whirlpool::WHIRLPOOL, init: whirlpool::init },
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
    Algorithm {
        name: "crc32c",
        tag: "CRC32C",
        aliases: &["crc-32c", "castagnoli"],
        digest_len: 4,
        lengths: Lengths::Fixed,
        status: Status::Checksum("32 bits of error detection (RFC 3720)"),
        summary: "iSCSI, btrfs, ext4, S3",
        check: "e3069283",
        kind: Kind::Serial(crc::crc32c),
    },
    Algorithm {
        name: "crc64nvme",
        tag: "CRC64NVME",
        aliases: &["crc-64/nvme", "crc64-nvme"],
        digest_len: 8,
        lengths: Lengths::Fixed,
        status: Status::Checksum("64 bits of error detection (NVM Express NVM command set 1.0)"),
        summary: "S3's own checksum",
        check: "ae8b14860a799888",
        kind: Kind::Serial(crc::crc64nvme),
    },
    Algorithm {
        name: "crc64xz",
        tag: "CRC64",
        aliases: &["crc64", "crc-64/xz", "crc64-xz"],
        digest_len: 8,
        lengths: Lengths::Fixed,
        status: Status::Checksum("64 bits of error detection (ECMA-182, reflected)"),
        summary: "xz, 7-Zip",
        check: "995dc9bbdf1939fa",
        kind: Kind::Serial(crc::crc64xz),
    },
    Algorithm {
        name: "crc",
        tag: "CRC",
        aliases: &["cksum", "crc-32/cksum"],
        digest_len: 4,
        lengths: Lengths::Fixed,
        status: Status::Checksum("32 bits of error detection (POSIX.1-2017, cksum)"),
        summary: "POSIX cksum: the length is part of the message",
        check: "377a6011",
        kind: Kind::Serial(crc::cksum),
    },
    Algorithm {
        name: "bsd",
        tag: "BSD",
        aliases: &["sum-bsd"],
        digest_len: 2,
        lengths: Lengths::Fixed,
        status: Status::Checksum("16 bits of rotating sum (4.2BSD, 1983)"),
        summary: "sum -r",
        check: "d16f",
        kind: Kind::Serial(sum::bsd),
    },
    Algorithm {
        name: "sysv",
        tag: "SYSV",
        aliases: &["sum-sysv"],
        digest_len: 2,
        lengths: Lengths::Fixed,
        status: Status::Checksum("16 bits of sum (System V, 1983): blind to the order of bytes"),
        summary: "sum -s",
        check: "01dd",
        kind: Kind::Serial(sum::sysv),
    },
    Algorithm {
        name: "adler32",
        tag: "ADLER32",
        aliases: &["adler-32"],
        digest_len: 4,
        lengths: Lengths::Fixed,
        status: Status::Checksum("32 bits of sums, weak on short messages (RFC 1950)"),
        summary: "zlib",
        check: "091e01de",
        kind: Kind::Serial(sum::adler32),
    },
    Algorithm {
        name: "xxh32",
        tag: "XXH32",
        aliases: &["xxhash32"],
        digest_len: 4,
        lengths: Lengths::Fixed,
        status: Status::Checksum("32 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "lz4",
        check: "937bad67",
        kind: Kind::Serial(xxh::xxh32),
    },
    Algorithm {
        name: "xxh64",
        tag: "XXH64",
        aliases: &["xxhash64", "xxhash"],
        digest_len: 8,
        lengths: Lengths::Fixed,
        status: Status::Checksum("64 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "zstd, btrfs",
        check: "8cb841db40e6ae83",
        kind: Kind::Serial(xxh::xxh64),
    },
    Algorithm {
        name: "xxh3",
        tag: "XXH3",
        aliases: &["xxh3-64", "xxh3_64"],
        digest_len: 8,
        lengths: Lengths::Fixed,
        status: Status::Checksum("64 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "the fastest good checksum for one file",
        check: "72dcb18b67a17dff",
        kind: Kind::Serial(xxh::xxh3),
    },
    Algorithm {
        name: "xxh128",
        tag: "XXH128",
        aliases: &["xxh3-128", "xxh3_128"],
        digest_len: 16,
        lengths: Lengths::Fixed,
        status: Status::Checksum("128 bits, no cryptography (xxHash specification 0.2.0, 2023)"),
        summary: "128 bits of XXH3; rsync",
        check: "33119477ede5dcd5e9716427681d5860",
        kind: Kind::Serial(xxh::xxh128),
    },
    Algorithm {
        name: "s3-etag",
        tag: "S3-ETAG",
        aliases: &["etag"],
        digest_len: 16,
        lengths: Lengths::Fixed,
        status: Status::Broken("MD5's collisions (Wang & Yu 2005)"),
        summary: "ETag of an S3 multipart upload: MD5 of the parts' MD5s, and their number",
        check: "5927c5d64d94a5786f90003aa26d0159-1",
        kind: Kind::Composite(&tree::S3_ETAG),
    },
    Algorithm {
        name: "glacier",
        tag: "GLACIER",
        aliases: &["glacier-tree-sha256", "sha256-tree-hash"],
        digest_len: 32,
        lengths: Lengths::Fixed,
        status: Status::Broken(
            "the file of two leaf hashes has the digest of the file they came from: no prefixes as in RFC 6962 (2013); \
             compare sizes too",
        ),
        summary: "Amazon S3 Glacier's tree hash: SHA-256 over leaves of 1 MiB",
        check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        kind: Kind::Composite(&tree::GLACIER),
    },
];

/// The row with this name, alias or tag, whatever its case; also the composite digests over any hash ([`tree::FAMILIES`]).
pub fn find(name: &str) -> Option<&'static Algorithm> {
    let is = |other: &&str| other.eq_ignore_ascii_case(name);
    ALGORITHMS
        .iter()
        .find(|row| is(&row.name) || is(&row.tag) || row.aliases.iter().any(is))
        .or_else(|| tree::find(name))
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
            let hex = row.check.split('-').next().unwrap_or_default();
            assert_eq!(hex.len(), row.digest_len * 2, "{}", row.name);
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
