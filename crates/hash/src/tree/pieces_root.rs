//! The `pieces root` of BitTorrent v2 (BEP 52): SHA-256 over leaves of 16 KiB, padded to a power of two with leaves
//! whose hash is zero.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::sha2;
use crate::hasher::Hasher;
use crate::spec::Spec;
use crate::tree::compact_range::CompactRange;
use crate::tree::gather::Gathered;
use crate::tree::merkle::hash_from;

/// The row of this tree.
pub(crate) const ROW: Algorithm = Algorithm {
    name: "bt2-pieces-root",
    tag: "BT2-PIECES-ROOT",
    aliases: &["pieces-root", "bt-root"],
    digest_len: 32,
    status: Status::Broken(
        "leaves and nodes have no distinct prefixes (see RFC 6962), so a file that consists of the two leaf hashes \
         of another file has the same root; compare sizes too",
    ),
    summary: "pieces root of a file in a v2 torrent; zeros for an empty file",
    check: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
    kind: Kind::Serial(|_| {
        Box::new(Pieces {
            base: Spec::new(&sha2::ROWS[1]).hasher(),
            gathered: Gathered::new(LEAF),
            range: CompactRange::starting_at(0),
        })
    }),
    ..Algorithm::PLAIN
};

const LEAF: usize = 16 << 10;

#[derive(Clone)]
struct Pieces {
    base: Hasher,
    gathered: Gathered,
    range: CompactRange,
}

impl Pieces {
    fn node(&self, left: &Digest, right: &Digest) -> Digest {
        let mut hasher = self.base.clone();
        hasher.update(left.as_bytes());
        hasher.update(right.as_bytes());
        hasher.finish()
    }

    fn hash(&mut self, data: &[u8]) {
        let leaves: Vec<&[u8]> = data.chunks(LEAF).collect();
        let mut range = self.range.clone();
        for leaf in hash_from(&self.base, &leaves) {
            range.push(0, leaf, |left, right| self.node(left, right)).expect("a leaf fits anywhere");
        }
        self.range = range;
    }
}

impl Serial for Pieces {
    fn update(&mut self, data: &[u8]) {
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.feed(data, |whole| self.hash(whole));
        self.gathered = gathered;
    }

    fn finish(&mut self) -> Digest {
        let rest = self.gathered.take_rest();
        self.hash(&rest);
        let subtrees = self.range.clone().into_subtrees(|left, right| self.node(left, right));
        let mut subtrees = subtrees.into_iter().rev();
        let mut zeros = Digest::new(&[0; 32]);
        let Some((mut level, mut root)) = subtrees.next() else { return zeros };
        for _ in 0..level {
            zeros = self.node(&zeros, &zeros);
        }
        for (higher, subtree) in subtrees {
            while level < higher {
                root = self.node(&root, &zeros);
                zeros = self.node(&zeros, &zeros);
                level += 1;
            }
            root = self.node(&subtree, &root);
            zeros = self.node(&zeros, &zeros);
            level += 1;
        }
        root
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
