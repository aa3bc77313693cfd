//! A row of the algorithm table: all properties of one algorithm.
//!
//! Names, help, `truesum list`, tests, benchmarks and documentation are derived from the row. Properties of an
//! algorithm are always read from a field and never inferred from its name.

use super::linear::Linear;
use super::params::{Keying, Params};
use super::serial::Serial;
use super::status::Status;
use super::unit::Unit;
use crate::block::{Chain, Kernel, State, Stream};
use crate::digest::Digest;

/// Which digest lengths an algorithm offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Only the row's `digest_len`.
    Fixed,
    /// Every number of bytes from 1 to this one.
    UpTo(usize),
    /// Any number of bytes (an extendable-output function).
    Any,
}

readable! {
    /// Specifies how `cksum` and `sum` write a value: in decimal, followed by the file size.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Decimal {
        /// The minimum number of digits, padded with zeros.
        digits: usize,
        /// The minimum width of the size, padded with blanks.
        column: usize,
        /// The number of bytes that the size is counted in, rounded up.
        block: u64,
        /// True if values are usually written in this form and not in hexadecimal.
        usual: bool,
    }
}

readable! {
    /// One algorithm.
    pub struct Algorithm {
        /// The name: lower case, unique.
        name: &'static str,
        /// The tag of BSD-style lines.
        tag: &'static str,
        /// Other names for the same digest.
        aliases: &'static [&'static str],
        /// The default length of the digest in bytes.
        digest_len: usize,
        /// Which other lengths are available.
        lengths: Lengths,
        /// Its known security, with the source.
        status: Status,
        /// A one-line description of the algorithm and its use.
        summary: &'static str,
        /// The digest of the nine bytes `123456789` at the default length, in hexadecimal, as a self-test. For an
        /// algorithm that requires a key, it uses [`Algorithm::check_key`].
        check: &'static str,
        /// Which [`Key`](crate::Key)s it accepts.
        keying: Keying,
        /// The number of bits of its seed; 0 if it has none.
        seed_bits: u32,
        /// The parameter name of its customization string, if it has one: a customization (`custom`, SP 800-185 section
        /// 3.3), a salt (`salt`), or the name of the file (`name`).
        customized: Option<&'static str>,
        /// The maximum length of its salt (`salt`) and of its personalization (`person`) in bytes; 0 if it has neither
        /// (BLAKE2 has both).
        personal: usize,
        /// True if some manifests contain its digests in reverse byte order (RHash's `--gost-reverse`, xxhsum's
        /// `--little-endian`), which a check also accepts.
        either_order: bool,
        /// The format of POSIX programs, if that is decimal.
        decimal: Option<Decimal>,
        /// Its name in the seal of a tree over this hash (docs/spec/tree.md), at most 16 bytes including the length;
        /// `None` if there are no trees over it because it is a checksum or a tree itself.
        tree_id: Option<&'static str>,
    }
    private {
        kind: Kind,
        /// Returns the stream for a message with a key or a customization around it; `None` if there is neither.
        framed: fn(&'static Algorithm, &Params) -> Option<Stream>,
    }
}

/// Specifies how an algorithm is computed. Details are references, because the program is relocated when it starts, with all
/// rows, and small rows are on fewer pages.
pub(crate) enum Kind {
    /// A chain of blocks: kernels process one message or many.
    Blocks { chain: &'static Chain, init: fn(&Params) -> State },
    /// A checksum that can be combined from parts.
    Linear(&'static Linear),
    /// BLAKE3, which is a tree itself; its short messages are finished together.
    Chunks { new: fn(&Params) -> Box<dyn Serial>, finish_many: FinishMany },
    /// Any other algorithm, one message at a time.
    Serial(fn(&Params) -> Box<dyn Serial>),
    /// The same for an algorithm that must know the message length, and otherwise stores the message until its end; and
    /// the number of bytes of such a message that the digest depends on.
    Sized(fn(&Params, Option<u64>) -> Box<dyn Serial>, fn(u64) -> u64),
    /// Leaves are hashed separately and their digests are combined.
    Composite(&'static Composite),
    /// A chain of blocks over a header with the message length, and the message.
    HeaderDigest(&'static HeaderDigest),
}

/// The description of a digest of a header and a message.
pub(crate) struct HeaderDigest {
    /// The hash, which is a chain of blocks.
    pub(crate) base: &'static Algorithm,
    /// Returns the header of a message with this many bytes.
    pub(crate) header: fn(u64) -> Vec<u8>,
    /// Returns a hasher for a message of unknown length.
    pub(crate) buffered: fn(&'static HeaderDigest) -> Box<dyn Serial>,
}

/// Finishes messages created by `new` of the same row, and appends their digests in order.
pub(crate) type FinishMany = fn(&mut [&mut dyn Serial], &mut Vec<Digest>);

/// The description of a digest of leaf digests.
pub(crate) struct Composite {
    /// The hash of leaves and nodes, and its digest length in bytes.
    pub(crate) base: (&'static Algorithm, usize),
    /// The prefix that is hashed before the bytes of a leaf.
    pub(crate) prefix: &'static [u8],
    pub(crate) division: Division,
    pub(crate) close: Close,
    /// The number of the construction in the header of a stored tree; `None` if trees are not stored.
    pub(crate) stored: Option<u8>,
    /// Returns a hasher for one message with these parameters and possibly a known size.
    pub(crate) hasher: fn(&'static Composite, &Params, Option<u64>) -> Box<dyn Serial>,
}

/// Specifies how a message is divided.
#[derive(Clone, Copy)]
pub(crate) enum Division {
    /// Into leaves of equal size; the last one may be shorter.
    Equal(Unit),
    /// By halves, which requires the length (mtsum).
    Halves(Variant),
}

/// Specifies how leaf digests are combined.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Close {
    /// To the root of RFC 9162's tree, whose nodes have this prefix.
    Merkle { node: &'static [u8] },
    /// The same with RFC 9162's prefix, sealed with algorithm, leaf size and length.
    Sealed,
    /// By hashing all leaf digests in order.
    List(List),
    /// To mtsum's tree.
    Halves(Variant),
    /// By its own hasher, sequentially.
    Alone,
}

/// Specifies how the number of leaves affects a hash of leaf digests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum List {
    /// It is appended to the digest.
    Counted,
    /// It does not; the empty message has no leaf.
    Plain,
    /// With a single leaf, the leaf's digest is the result.
    Single,
    /// The same, with an empty leaf after the last one if that is as long as all others.
    SingleOpen,
}

/// The variants of mtsum's digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The released version 1.1.0.
    V11,
    /// Versions 1.0.x, whose digests are shown in the README.
    V10,
    /// The `mpi` branch, run as one process.
    Mpi,
}

impl Algorithm {
    /// The default values of a row. Everything else must be specified, and a test compares each row with its check
    /// digest.
    pub(crate) const PLAIN: Algorithm = Algorithm {
        name: "",
        tag: "",
        aliases: &[],
        digest_len: 0,
        lengths: Lengths::Fixed,
        status: Status::Checksum(""),
        summary: "",
        check: "",
        keying: Keying::Never,
        seed_bits: 0,
        customized: None,
        personal: 0,
        either_order: false,
        decimal: None,
        tree_id: None,
        kind: Kind::Serial(|_| unreachable!("every row specifies a computation")),
        framed: |_, _| None,
    };

    /// Returns the block size of the compression function in bytes; 1 for algorithms without message blocks, such as
    /// checksums and trees.
    pub fn block_len(&self) -> usize {
        match &self.kind {
            Kind::Blocks { chain, .. } => chain.block,
            Kind::HeaderDigest(headed) => headed.base.block_len(),
            // Section 2.2 of the BLAKE3 paper.
            Kind::Chunks { .. } => 64,
            Kind::Linear(_) | Kind::Serial(_) | Kind::Sized(..) | Kind::Composite(_) => 1,
        }
    }

    /// Returns how many bytes of a message of `size` bytes the digest depends on: all of them, unless only samples are
    /// read.
    pub fn counted(&self, size: u64) -> u64 {
        match self.kind {
            Kind::Sized(_, counted) => counted(size),
            _ => size,
        }
    }

    /// Returns the key for [`Algorithm::check`]: the bytes 0, 1, 2 and so on; `None` if the check digest is that of the
    /// plain hash.
    pub fn check_key(&self) -> Option<Vec<u8>> {
        match self.keying {
            Keying::Always { least, most } => Some((0..=255).take(least.max(32.min(most))).collect()),
            Keying::Never | Keying::Optional { .. } => None,
        }
    }

    /// Returns the kernel rows, best first; empty if a library computes one message at a time.
    pub(crate) fn kernels(&self) -> &'static [Kernel] {
        match self.kind {
            Kind::Blocks { chain, .. } => chain.kernels,
            Kind::HeaderDigest(headed) => headed.base.kernels(),
            Kind::Linear(_)
            | Kind::Chunks { .. }
            | Kind::Serial(_)
            | Kind::Sized(..)
            | Kind::Composite(_) => &[],
        }
    }

    /// Returns its construction, if it is a digest of leaf digests.
    pub(crate) fn composite(&'static self) -> Option<&'static Composite> {
        match &self.kind {
            Kind::Composite(composite) => Some(composite),
            Kind::Blocks { .. }
            | Kind::Linear(_)
            | Kind::Chunks { .. }
            | Kind::Serial(_)
            | Kind::Sized(..)
            | Kind::HeaderDigest(_) => None,
        }
    }

    /// Returns the parameter for the size of leaves or parts, for an algorithm that has equal ones.
    pub(crate) fn unit(&'static self) -> Option<&'static Unit> {
        match &self.composite()?.division {
            Division::Equal(unit) => Some(unit),
            Division::Halves(_) => None,
        }
    }

    /// Returns whether digests include the number of parts.
    pub(crate) fn counts_parts(&'static self) -> bool {
        self.composite().is_some_and(|composite| matches!(composite.close, Close::List(List::Counted)))
    }

    /// Returns whether the message length must be known in advance, because leaf boundaries depend on it or a header
    /// contains it.
    pub(crate) fn needs_size(&'static self) -> bool {
        let by_size = |composite: &Composite| {
            matches!(
                composite.division,
                Division::Halves(_) | Division::Equal(Unit { usual: Unit::BY_SIZE, .. })
            )
        };
        matches!(self.kind, Kind::Sized(..) | Kind::HeaderDigest(_)) || self.composite().is_some_and(by_size)
    }
}

impl std::fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Algorithm({})", self.name)
    }
}

impl PartialEq for Algorithm {
    /// Returns whether both are the same row.
    fn eq(&self, other: &Algorithm) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Algorithm {}

impl std::hash::Hash for Algorithm {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}

/// Defines the rows of a family of chains that differ in little more than the digest length: the status of all of them,
/// then one line for each with its name, tag and aliases, the digest length in bytes and its chain, a description, and
/// its digest of `123456789`. The initial state is that of the family's `init`.
macro_rules! rows {
    ($status:ident; $($name:literal $tag:literal $aliases:tt, $len:literal $chain:ident, $summary:literal, $check:literal;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[$crate::algorithm::Algorithm] = &[$(
            $crate::algorithm::Algorithm {
                name: $name,
                tag: $tag,
                aliases: &$aliases,
                digest_len: $len,
                status: $status,
                summary: $summary,
                check: $check,
                kind: $crate::algorithm::Kind::Blocks { chain: &$chain, init },
                ..$crate::algorithm::Algorithm::PLAIN
            },
        )*];
    };
}
pub(crate) use rows;
