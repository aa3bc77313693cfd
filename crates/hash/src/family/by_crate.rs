//! Hashes that are rarely met and whose crates are kept, one message at a time: the national standard Kupyna of Ukraine, and
//! FSB, a candidate of NIST's competition, which brings 272,384 bytes for its matrices and is there with the feature `fsb` only.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use kupyna::digest::FixedOutputReset;
use kupyna::digest::Update;

const KUPYNA: Status = Status::Secure("DSTU 7564:2014; collisions of 5 of 10 rounds (Zou & Dong 2015)");

#[cfg(feature = "fsb")]
const FSB: Status = Status::Secure("a candidate of SHA-3's first round; generalised birthday attacks reach FSB-48, a model of it (Bernstein, Lange, Niederhagen, Peters & Schwabe 2009)");
#[cfg(feature = "fsb")]
const FSB_160: Status = Status::Weakened("160 bits: a collision costs 2^80 steps (Augot, Finiasz, Gaborit, Manuel & Sendrier 2008)");

macro_rules! rows {
    ($($(#[$where:meta])* $name:literal $tag:literal $aliases:tt $len:literal $crate_hash:ty, $status:expr, $summary:literal, $check:literal;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[Algorithm] = &[$($(#[$where])* Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: $status,
            summary: $summary,
            check: $check,
            kind: Kind::Serial(|_| Box::new(ByCrate(<$crate_hash>::default()))),
            ..Algorithm::PLAIN
        }),*];
    };
}

rows! {
    #[cfg(feature = "fsb")]
    "fsb160" "FSB-160" ["fsb-160"] 20 fsb::Fsb160, FSB_160, "syndromes of a code, whose digest is Whirlpool's; 160 bits", "bb3a604874c845fcf1b89cd01105fdf0944fc2c5";
    #[cfg(feature = "fsb")]
    "fsb224" "FSB-224" ["fsb-224"] 28 fsb::Fsb224, FSB, "syndromes of a code, whose digest is Whirlpool's; 224 bits", "8664a209f006e9273ee546ff38d326fc8907ade5b37acdc4aaa1417f";
    #[cfg(feature = "fsb")]
    "fsb256" "FSB-256" ["fsb-256"] 32 fsb::Fsb256, FSB, "syndromes of a code, whose digest is Whirlpool's; 256 bits", "e630582e19457fd4753f8d53f5d64da35be402d99611c01c228f5c5d3017fcfe";
    #[cfg(feature = "fsb")]
    "fsb384" "FSB-384" ["fsb-384"] 48 fsb::Fsb384, FSB, "syndromes of a code, whose digest is Whirlpool's; 384 bits", "daac4604b5feaf41f1cdb5e88f0d835b322eeb34b8b875e37111358284d8cf737ffc4ea5db50879be63471b89c226b2c";
    #[cfg(feature = "fsb")]
    "fsb512" "FSB-512" ["fsb-512"] 64 fsb::Fsb512, FSB, "syndromes of a code, whose digest is Whirlpool's; 512 bits", "31d05f13b80e51286f72a93db7b7c7a6ddf82ff84b563cdff920a98b725878332bd867e41bbd7d0a186c26d3260433ad5157ac9c7d1516892dc9b6333cfaaee4";
    "kupyna224" "KUPYNA-224" ["kupyna-224"] 28 kupyna::Kupyna224, KUPYNA, "the standard hash of Ukraine, 224 bits", "4eaa9c40821638bc5964e8a8db5f4ee3e113ffb21822e863f2d03cb6";
    "kupyna256" "KUPYNA-256" ["kupyna-256", "dstu7564-256"] 32 kupyna::Kupyna256, KUPYNA, "the standard hash of Ukraine, 256 bits", "a09c05514eaa9c40821638bc5964e8a8db5f4ee3e113ffb21822e863f2d03cb6";
    "kupyna384" "KUPYNA-384" ["kupyna-384", "dstu7564-384"] 48 kupyna::Kupyna384, KUPYNA, "the standard hash of Ukraine, 384 bits", "ff6d7c421eeb4485e9682b9f1af48111a00a3b7b411f46e63813771a5001065cb59077e3bc096a65a68c90f9adf24b66";
    "kupyna512" "KUPYNA-512" ["kupyna-512", "dstu7564-512"] 64 kupyna::Kupyna512, KUPYNA, "the standard hash of Ukraine, 512 bits", "b3c19bf16d723e7c3ed4abf3c9a6dadeff6d7c421eeb4485e9682b9f1af48111a00a3b7b411f46e63813771a5001065cb59077e3bc096a65a68c90f9adf24b66";
}

#[derive(Clone)]
struct ByCrate<D>(D);

impl<D: Update + FixedOutputReset + Clone + Send + Sync + 'static> Serial for ByCrate<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.finalize_fixed_reset())
    }
    fn reset(&mut self) -> bool {
        self.0.reset();
        true
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
