//! The header of a stored tree: a superblock of 4096 bytes, `docs/spec/tree.md` section 8.
//!
//! Each header has exactly one encoding, and a reader accepts no other: anything that is not reproduced exactly is
//! damaged or was written by another program.

use std::ops::Range;
use truesum_fs::metadata::Metadata;
use truesum_hash::tree::{Merkle, Plan, stored};
use truesum_hash::{Digest, Spec};
use truesum_manifest::Time;

pub(super) const MAGIC: [u8; 8] = *b"\x89FTR\r\n\x1a\n";
const VERSION: u32 = 1;
const COMPLETE: u32 = 1;
/// The size of a superblock.
pub(super) const BLOCK: usize = 4096;
/// The offset of row 0.
pub(super) const ROW: u64 = 2 * BLOCK as u64;
const MAX_EXTENTS: usize = 239;
/// The maximum file size, up to which no arithmetic on offsets overflows.
pub(crate) const MAX_SIZE: u64 = 1 << 60;
/// The default granule size.
pub const GRANULE: u64 = 1 << 20;

/// The reason why a file is not a usable stored tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The file is not a stored tree.
    Foreign,
    /// The tree has a version or parameters that this program does not know.
    Unknown(String),
    /// The tree is damaged; the text describes the location.
    Damaged(String),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unusable::Foreign => f.write_str("not a stored tree"),
            Unusable::Unknown(what) => write!(f, "this kind of stored tree is not supported: {what}"),
            Unusable::Damaged(what) => write!(f, "the stored tree is damaged: {what}"),
        }
    }
}

/// The state of a file when its tree was built. It decides whether resuming is safe, but proves nothing.
///
/// A plain record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Modification time in nanoseconds since 1970.
    pub mtime: i64,
    /// Status change time in nanoseconds since 1970.
    pub ctime: i64,
    /// Inode number.
    pub inode: u64,
    /// Device number.
    pub device: u64,
}

impl Hints {
    /// Returns the state of an open file.
    pub fn of(stat: &Metadata) -> Hints {
        let nanoseconds =
            |time: Time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanos.into());
        Hints {
            mtime: nanoseconds(stat.mtime()),
            ctime: nanoseconds(stat.ctime()),
            inode: stat.id().number(),
            device: stat.id().device(),
        }
    }

    /// Returns the property that shows that the file was replaced or modified since, or `None` if
    /// there is none. The device number is not compared, because it is local to each machine.
    pub fn differs(&self, other: &Hints) -> Option<&'static str> {
        let differences = [
            (self.inode != other.inode, "the inode number"),
            (self.mtime != other.mtime, "the modification time"),
            (self.ctime != other.ctime, "the status change time"),
        ];
        differences.iter().find(|(differs, _)| *differs).map(|(_, what)| *what)
    }

    /// Returns the fields as they are stored in files.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let fields = [self.mtime.cast_unsigned(), self.ctime.cast_unsigned(), self.inode, self.device];
        let mut bytes = [0; 32];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }
}

/// The reason why an unfinished run is not resumed.
pub(crate) const MOVED: &str = "the file has changed since the run began (its size, inode number or a timestamp differs; changing the mode, owner or name also changes a timestamp)";

readable! {
    /// The header of a stored tree.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Header {
        /// The algorithm.
        spec: Spec => &Spec,
        /// The file size in bytes.
        size: u64,
        /// The granule size in bytes; meaningless for mtsum, whose granules are the leaves.
        granule: u64,
        /// The state of the file.
        hints: Hints,
        /// The digest, once the tree is complete.
        digest: Option<Digest> as Option<&Digest>,
        /// Finished granules, ascending and not adjacent.
        extents: Vec<Range<u64>> => &[Range<u64>],
    }
    private {
        /// The number of the superblock.
        seq: u64,
    }
}

/// Returns whether this digest has a tree that can be stored.
pub fn can_store(spec: &Spec) -> bool {
    Header::new(spec, 0, GRANULE, Hints::default()).is_ok()
}

impl Header {
    /// Returns the header of an empty tree.
    ///
    /// # Errors
    /// Fails if the digest has no tree that can be stored, or if the granule size is invalid.
    pub fn new(spec: &Spec, size: u64, granule: u64, hints: Hints) -> Result<Header, String> {
        let header = Header {
            spec: spec.clone(),
            size,
            granule: Merkle::new(spec).map_or(1, |tree| granule.max(tree.leaf_size())),
            hints,
            digest: None,
            extents: Vec::new(),
            seq: 0,
        };
        if header.parameters().is_none() {
            return Err(format!("{spec} has no tree to store"));
        }
        if !granule.is_power_of_two() || granule > 1 << 40 {
            return Err(format!("the resolution must be a power of two, not {granule} bytes"));
        }
        Ok(header)
    }

    /// Returns how the file is divided: into granules, or pieces of a mebibyte if they are larger.
    pub fn plan(&self) -> Plan {
        let piece = self.granule.min(GRANULE);
        Plan::with_granule(&self.spec, self.size, piece).expect("a tree that can be stored has a plan")
    }

    /// Returns the number of entries in row 0.
    pub fn granules(&self) -> u64 {
        match Merkle::new(&self.spec) {
            Some(_) => self.size.div_ceil(self.granule).max(1),
            None => self.plan().pieces(),
        }
    }

    /// Returns the byte range of granule `index`.
    pub fn range(&self, index: u64) -> Range<u64> {
        match Merkle::new(&self.spec) {
            Some(_) => (index * self.granule).min(self.size)..((index + 1) * self.granule).min(self.size),
            None => self.plan().piece(index),
        }
    }

    /// Returns the number of pieces of [`Header::plan`] per granule.
    pub(crate) fn pieces_per_granule(&self) -> u64 {
        let leaf = Merkle::new(&self.spec).map_or(1, |tree| tree.leaf_size());
        (self.granule / self.granule.min(GRANULE).max(leaf)).max(1)
    }

    /// Returns the length of an entry.
    pub fn hash_len(&self) -> u64 {
        self.spec.digest_len() as u64
    }

    /// Returns whether every granule is finished and the digest is known.
    pub fn is_complete(&self) -> bool {
        self.digest.is_some()
    }

    /// Returns the granules that are not finished.
    pub fn missing(&self) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut at = 0;
        for done in &self.extents {
            if done.start > at {
                missing.push(at..done.start);
            }
            at = done.end;
        }
        if at < self.granules() {
            missing.push(at..self.granules());
        }
        missing
    }

    fn parameters(&self) -> Option<Parameters> {
        let (kind, base) = stored(&self.spec)?;
        let hash_len = self.spec.digest_len() as u8;
        // The leaves of mtsum's trees follow from the length.
        let (leaf, granule) = Merkle::new(&self.spec)
            .map_or((0, 0), |tree| (tree.leaf_size().ilog2() as u8, self.granule.ilog2() as u8));
        Some(Parameters { kind, leaf, granule, hash_len, base })
    }

    pub(super) fn encode(&self) -> [u8; BLOCK] {
        let Parameters { kind, leaf, granule, hash_len, base } =
            self.parameters().expect("checked when the header was made");
        let mut block = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &(if self.is_complete() { COMPLETE } else { 0 }).to_le_bytes());
        put(16, &self.seq.to_le_bytes());
        put(24, &self.size.to_le_bytes());
        put(32, &[leaf, granule, hash_len, kind]);
        put(40, base.as_bytes());
        put(56, &self.hints.to_bytes());
        put(88, self.digest.as_ref().map_or(&[], Digest::as_bytes));
        // If there are too many, the rest is omitted, which only means that it is hashed again.
        let extents = &self.extents[..self.extents.len().min(MAX_EXTENTS)];
        put(152, &(extents.len() as u32).to_le_bytes());
        for (index, extent) in extents.iter().enumerate() {
            put(256 + 16 * index, &extent.start.to_le_bytes());
            put(264 + 16 * index, &extent.end.to_le_bytes());
        }
        let crc = crc32c(&block[..BLOCK - 4]);
        block[BLOCK - 4..].copy_from_slice(&crc);
        block
    }

    pub(super) fn decode(block: &[u8; BLOCK]) -> Result<Header, Unusable> {
        if block[..8] != MAGIC {
            return Err(Unusable::Foreign);
        }
        if crc32c(&block[..BLOCK - 4]) != block[BLOCK - 4..] {
            return Err(Unusable::Damaged("the CRC of a superblock does not match".to_owned()));
        }
        let u32_at = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().expect("eight bytes"));
        let unknown = |what: String| Err(Unusable::Unknown(what));
        let damaged = |what: &str| Err(Unusable::Damaged(what.to_owned()));
        let (version, flags) = (u32_at(8), u32_at(12));
        if version != VERSION || flags & !COMPLETE != 0 {
            return unknown(format!("version {version}, flags {flags:#x}"));
        }
        let [leaf, granule, hash_len, kind] = [block[32], block[33], block[34], block[35]];
        let name = &block[40..56];
        let base = &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())];
        let base = String::from_utf8_lossy(base);
        if leaf > 40 || granule > 40 || granule < leaf {
            return damaged("invalid sizes");
        }
        let Some(spec) = Spec::from_stored(kind, &base, 1 << leaf) else {
            return unknown(format!("construction {kind} with the hash '{base}'"));
        };
        // The leaves of mtsum's trees are counted individually.
        let largest = if Merkle::new(&spec).is_some() { MAX_SIZE } else { 1 << 48 };
        if u64_at(24) > largest {
            return damaged("invalid sizes");
        }
        let digest = (flags & COMPLETE != 0).then(|| Digest::new(&block[88..88 + spec.digest_len().min(64)]));
        let count = u32_at(152) as usize;
        if count > MAX_EXTENTS {
            return damaged("too many extents");
        }
        let extents = (0..count).map(|index| u64_at(256 + 16 * index)..u64_at(264 + 16 * index)).collect();
        let header = Header {
            spec,
            size: u64_at(24),
            granule: 1 << granule,
            hints: Hints {
                mtime: u64_at(56).cast_signed(),
                ctime: u64_at(64).cast_signed(),
                inode: u64_at(72),
                device: u64_at(80),
            },
            digest,
            extents,
            seq: u64_at(16),
        };
        // Each header has exactly one encoding: anything that this does not reproduce is damaged or was written by
        // another program.
        let granules = header.granules();
        let in_order = header.extents.windows(2).all(|pair| pair[0].end < pair[1].start);
        let sane = header.extents.iter().all(|extent| extent.start < extent.end && extent.end <= granules);
        let whole = !header.is_complete() || header.extents == [0..granules];
        if usize::from(hash_len) != header.spec.digest_len() || !in_order || !sane || !whole {
            return damaged("the fields of a superblock are inconsistent");
        }
        if header.parameters().is_none() || header.encode() != *block {
            return damaged("a superblock has data in an unused field");
        }
        Ok(header)
    }
}

/// The parts of a header that depend on the digest.
struct Parameters {
    kind: u8,
    leaf: u8,
    granule: u8,
    hash_len: u8,
    base: String,
}

pub(crate) fn crc32c(bytes: &[u8]) -> [u8; 4] {
    let spec: Spec = "crc32c".parse().expect("a row of the table");
    let mut crc: [u8; 4] = spec.digest(bytes).as_bytes().try_into().expect("four bytes");
    crc.reverse();
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: u64) -> Header {
        let hints = Hints { mtime: -5, ctime: 7, inode: 11, device: 13 };
        Header::new(&name.parse().expect("an algorithm"), size, 1 << 20, hints).expect("it can be stored")
    }

    #[test]
    fn tree_headers_round_trip() {
        for name in [
            "sha256-tree",
            "sha512-256-tree;leaf=4KiB",
            "md5-tree;leaf=4MiB",
            "blake3",
            "mtsum-sha256",
            "mtsum-mpi-sha1",
            "mtsum-v1.0-blake2b-160",
        ] {
            let mut before = header(name, 5 << 20);
            let granules = before.granules();
            before.extents = vec![0..granules];
            before.digest = Some(Digest::new(&vec![9; before.spec.digest_len()]));
            before.seq = 3;
            assert_eq!(Header::decode(&before.encode()), Ok(before), "{name}");
        }
        assert!(Header::new(&"s3-etag".parse().expect("a row"), 1, 1 << 20, Hints::default()).is_err());
        assert!(Header::new(&"sha256".parse().expect("a row"), 1, 1 << 20, Hints::default()).is_err());
    }

    #[test]
    fn every_flipped_bit_of_a_superblock_is_detected() {
        let mut header = header("sha256-tree", 3 << 20);
        header.extents = vec![0..1, 2..3];
        let block = header.encode();
        for bit in 0..BLOCK * 8 {
            let mut flipped = block;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::decode(&flipped).is_err(), "bit {bit}");
        }
    }
}
