//! A row of the table: all there is to say of one algorithm.
//!
//! Names, help, `truesum list`, tests, benchmarks and documentation follow from the row, and what is asked of an algorithm is
//! a field of it, never its name.

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
    /// The row's `digest_len` only.
    Fixed,
    /// Every whole number of bytes from 1 to this one.
    UpTo(usize),
    /// Any number of bytes (an extendable-output function).
    Any,
}

/// How `cksum` and `sum` write a value: in decimal, with the size of the file behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The fewest digits of the value, zeros in front; of a [`Decimal::column`] too.
    pub digits: usize,
    /// The fewest characters of the size, blanks in front.
    pub column: usize,
    /// Bytes that the size counts as one, rounded up.
    pub block: u64,
    /// Whether values are usually written so, and not in hexadecimal.
    pub usual: bool,
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
    /// The digest of the nine bytes `123456789` at the usual length, in hexadecimal: each row proves itself. Under
    /// [`Algorithm::check_key`] where there is none without a key.
    pub check: &'static str,
    /// Which [`Key`](crate::Key)s it takes.
    pub keying: Keying,
    /// Bits of the seed that its state may begin with; 0 where there is no such choice.
    pub seed_bits: u32,
    /// How its name calls bytes that tell one use of it from another, where it takes such: a customization (`custom`, SP 800-185
    /// section 3.3), a salt (`salt`), or the name of the file (`name`).
    pub customized: Option<&'static str>,
    /// Whether there are lists that have its digests' bytes backwards (RHash's `--gost-reverse`): a check takes them too.
    pub either_order: bool,
    /// How POSIX programs write it, where that is in decimal.
    pub decimal: Option<Decimal>,
    /// How the seal of a tree over this hash spells it (docs/spec/tree.md), at most 16 bytes with its length; `None` where
    /// no trees are made over it: a checksum, or a tree itself.
    pub tree_id: Option<&'static str>,
    pub(crate) kind: Kind,
    /// A message of which more is known than the chain's state at its beginning: a key or a customization stands around it.
    /// `None` where there is neither.
    pub(crate) framed: fn(&'static Algorithm, &Params) -> Option<Stream>,
}

/// How an algorithm is computed.
pub(crate) enum Kind {
    /// A chain of blocks: kernels advance one message or many.
    Blocks { chain: &'static Chain, init: fn(&Params) -> State },
    /// A checksum whose parts add up.
    Linear(Linear),
    /// BLAKE3: a tree by itself, whose short messages are ended together.
    Chunks { new: fn(&Params) -> Box<dyn Serial>, finish_many: FinishMany },
    /// Anything else, one message at a time.
    Serial(fn(&Params) -> Box<dyn Serial>),
    /// The same for what must know how long a message is, and without that is kept until its end; and how many bytes of such a
    /// message count.
    Sized(fn(&Params, Option<u64>) -> Box<dyn Serial>, fn(u64) -> u64),
    /// Leaves hashed apart, their digests folded.
    Composite(Composite),
    /// A chain of blocks over a header that tells the message's length, and the message.
    Headed(Headed),
}

/// A digest of a header and a message: what a row says of it.
pub(crate) struct Headed {
    /// The hash, a chain of blocks.
    pub base: &'static Algorithm,
    /// What stands before a message of so many bytes.
    pub header: fn(u64) -> Vec<u8>,
    /// A hasher of one message whose length is not known.
    pub held: fn(&'static Headed) -> Box<dyn Serial>,
}

/// Ends messages that `new` of the same row has made, and adds their digests in order.
pub(crate) type FinishMany = fn(&mut [&mut dyn Serial], &mut Vec<Digest>);

/// A digest of leaf digests: what a row says of it.
pub(crate) struct Composite {
    /// The hash of leaves and nodes, and the length of its digests in bytes.
    pub base: (&'static Algorithm, usize),
    /// What is hashed before a leaf's bytes.
    pub prefix: &'static [u8],
    pub cut: Cut,
    pub close: Close,
    /// The number by which the header of a stored tree names the construction; `None` where trees are not stored.
    pub stored: Option<u8>,
    /// A hasher of one message with these parameters, of a size that may be known.
    pub hasher: fn(&'static Composite, &Params, Option<u64>) -> Box<dyn Serial>,
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
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Close {
    /// The root of RFC 9162's tree, whose nodes are hashed after this prefix.
    Merkle { node: &'static [u8] },
    /// The same with RFC 9162's prefix, sealed with algorithm, leaf size and length.
    Sealed,
    /// The hash of all leaf digests one after the other.
    List(List),
    /// mtsum's tree.
    Halves(Variant),
    /// As its hasher does it alone, in order.
    Alone,
}

/// What a hash of leaf digests makes of their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum List {
    /// It stands behind the digest.
    Counted,
    /// Nothing; the empty message has no leaf.
    Plain,
    /// A single leaf's digest is the digest itself.
    Single,
    /// The same, with an empty leaf behind the last one if that is as long as all others.
    SingleOpen,
}

/// Which of mtsum's digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// 1.1.0, the released program.
    V11,
    /// 1.0.x, whose digests its README shows.
    V10,
    /// The `mpi` branch run as one process.
    Mpi,
}

impl Algorithm {
    /// What a row is where it does not say otherwise. Everything else must be said: a test holds each row against its check.
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
        either_order: false,
        decimal: None,
        tree_id: None,
        kind: Kind::Serial(|_| unreachable!("every row says how it is computed")),
        framed: |_, _| None,
    };

    /// Bytes that its compression takes at once; 1 where the definition names no block of the message, as of checksums and trees.
    pub fn block_len(&self) -> usize {
        match &self.kind {
            Kind::Blocks { chain, .. } => chain.block,
            Kind::Headed(headed) => headed.base.block_len(),
            // BLAKE3, the paper's section 2.2.
            Kind::Chunks { .. } => 64,
            Kind::Linear(_) | Kind::Serial(_) | Kind::Sized(..) | Kind::Composite(_) => 1,
        }
    }

    /// How many bytes of a message of `size` bytes its digest depends on: all, but of what is sampled.
    pub fn counted(&self, size: u64) -> u64 {
        match self.kind {
            Kind::Sized(_, counted) => counted(size),
            _ => size,
        }
    }

    /// Bytes of the key under which [`Algorithm::check`] is, 0, 1, 2 and so on; `None` where it is of the plain hash.
    pub fn check_key(&self) -> Option<Vec<u8>> {
        match self.keying {
            Keying::Always { least, most } => Some((0..=255).take(least.max(32.min(most))).collect()),
            Keying::Never | Keying::Optional { .. } => None,
        }
    }

    /// The kernel rows, best first; empty where it is computed one message at a time by a library.
    pub(crate) fn kernels(&self) -> &'static [Kernel] {
        match self.kind {
            Kind::Blocks { chain, .. } => chain.kernels,
            Kind::Headed(Headed { base, .. }) => base.kernels(),
            Kind::Linear(_)
            | Kind::Chunks { .. }
            | Kind::Serial(_)
            | Kind::Sized(..)
            | Kind::Composite(_) => &[],
        }
    }

    /// What it is made of, if it is a digest of leaf digests.
    pub(crate) fn composite(&'static self) -> Option<&'static Composite> {
        match &self.kind {
            Kind::Composite(composite) => Some(composite),
            Kind::Blocks { .. }
            | Kind::Linear(_)
            | Kind::Chunks { .. }
            | Kind::Serial(_)
            | Kind::Sized(..)
            | Kind::Headed(_) => None,
        }
    }

    /// The parameter of an algorithm that is cut into equal leaves or parts.
    pub(crate) fn unit(&'static self) -> Option<&'static Unit> {
        match &self.composite()?.cut {
            Cut::Equal(unit) => Some(unit),
            Cut::Halves(_) => None,
        }
    }

    /// Whether digests tell the number of parts.
    pub(crate) fn counts_parts(&'static self) -> bool {
        self.composite().is_some_and(|composite| matches!(composite.close, Close::List(List::Counted)))
    }

    /// Whether the message's length counts before its first byte does: leaves begin at places that depend on it, or a header
    /// tells it.
    pub(crate) fn needs_size(&'static self) -> bool {
        let by_size = |composite: &Composite| {
            matches!(composite.cut, Cut::Halves(_) | Cut::Equal(Unit { usual: Unit::BY_SIZE, .. }))
        };
        matches!(self.kind, Kind::Sized(..) | Kind::Headed(_)) || self.composite().is_some_and(by_size)
    }
}

impl std::fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Algorithm({})", self.name)
    }
}

impl PartialEq for Algorithm {
    /// Whether they are the same row.
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

/// The rows of a family of chains that differ by little more than the length of their digests: the status of all, then a line for each with
/// its name, tag and aliases, the bytes of its digest and its chain, what it is, and its digest of `123456789`. Messages begin as the
/// family's `init` says.
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
