//! The multi-hash of Intel's ISA-L (Gopal, Guilford & Feghali, 2014): sixteen chains of SHA-1 or SHA-256, each of which
//! processes every sixteenth word, and a hash of their states.
//!
//! The chains of one message fill the lanes of SHA-1 and SHA-256.

use crate::algorithm::{Algorithm, Kind, Params, Serial, Status};
use crate::block::{PartialBlock, Stream, update_streams};
use crate::digest::Digest;
use crate::family::{sha1, sha2};

macro_rules! row {
    ($name:literal $tag:literal $aliases:tt $base:expr, $status:expr, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $base.digest_len,
            status: $status,
            summary: "ISA-L's multi-hash: sixteen parallel chains, so that one message uses several SIMD lanes",
            check: $check,
            kind: Kind::Serial(|_| Box::new(Multi::new(&$base))),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("mh-sha1" "MH-SHA1" ["mh_sha1"] sha1::ROWS[0], Status::Broken("SHA-1 collisions (Stevens et al. 2017)"),
        "2698bab89a47557c06474c88cd248e0abad212d3"),
    row!("mh-sha256" "MH-SHA256" ["mh_sha256"] sha2::ROWS[1],
        Status::Weakened("ISA-L's byte counter has 32 bits, so messages whose lengths differ by 4 GiB get the same padding"),
        "2b58cfed8eaed9aa3e7442debb01a472ab98cf9e54b1840e1dd7c1dad71eb7be"),
];

const CHAINS: usize = 16;
const WORD: usize = 4;
/// The number of bytes in one block of all chains.
const ROUND: usize = CHAINS * 64;

#[derive(Clone)]
struct Chains(Vec<Stream>);

#[derive(Clone)]
struct Multi {
    base: &'static Algorithm,
    chains: Chains,
    partial: PartialBlock<ROUND>,
    total: u64,
}

impl Multi {
    fn new(base: &'static Algorithm) -> Multi {
        Multi { base, chains: Chains(vec![Multi::chain(base); CHAINS]), partial: PartialBlock::NONE, total: 0 }
    }

    fn chain(base: &'static Algorithm) -> Stream {
        let Kind::Blocks { chain, init } = base.kind else { unreachable!("SHA-1 and SHA-256 are chains of blocks") };
        let params = Params { digest_len: base.digest_len, ..Params::default() };
        Stream::new(chain, init(&params), base.digest_len)
    }
}

impl Chains {
    fn take(&mut self, rounds: &[[u8; ROUND]]) {
        // Few enough to stay in the L1 cache.
        for some in rounds.chunks(16).map(<[_]>::as_flattened) {
            let mut shares = [const { Vec::new() }; CHAINS];
            shares.iter_mut().for_each(|share| share.reserve(some.len() / CHAINS));
            for words in some.as_chunks::<{ CHAINS * WORD }>().0 {
                for (share, word) in shares.iter_mut().zip(words.as_chunks::<WORD>().0) {
                    share.extend_from_slice(word);
                }
            }
            let mut chains: Vec<&mut Stream> = self.0.iter_mut().collect();
            let shares: Vec<&[u8]> = shares.iter().map(Vec::as_slice).collect();
            update_streams(chains[0].chain.kernels, &mut chains, &shares);
        }
    }
}

impl Serial for Multi {
    fn update(&mut self, data: &[u8]) {
        self.total += data.len() as u64;
        self.partial.feed(data, |rounds| self.chains.take(rounds));
    }

    fn finish(&mut self) -> Digest {
        // Pads as SHA-1 does, with rounds in place of blocks; the length is that of ISA-L.
        let mut end = self.partial.take_rest().to_vec();
        end.push(0x80);
        end.resize((end.len() + 8).next_multiple_of(ROUND) - 8, 0);
        end.extend_from_slice(&(u64::from(self.total as u32) << 3).to_be_bytes());
        self.chains.take(end.as_chunks().0);
        let mut last = Multi::chain(self.base);
        for word in 0..self.base.digest_len / WORD {
            for chain in &self.chains.0 {
                last.update(&(chain.state[word] as u32).to_le_bytes());
            }
        }
        last.finish()
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
