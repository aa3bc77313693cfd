//! FSB (Augot, Finiasz, Gaborit, Manuel & Sendrier 2008), a candidate in NIST's SHA-3 competition, computed by its
//! crate, one message at a time. Its matrices take 272,384 bytes, so it is only available with the feature `fsb`.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use ::fsb::digest::{FixedOutputReset, Update};

const FSB: Status = Status::Secure("SHA-3 first-round candidate; generalized birthday attack on FSB-48, a reduced version (Bernstein, Lange, Niederhagen, Peters & Schwabe 2009)");
const FSB_160: Status = Status::Weakened("160 bits, so collisions in 2^80 steps (Augot, Finiasz, Gaborit, Manuel & Sendrier 2008)");

macro_rules! rows {
    ($($name:literal $tag:literal $aliases:tt $len:literal $crate_hash:ty, $status:expr, $summary:literal, $check:literal;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[Algorithm] = &[$(Algorithm {
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
    "fsb160" "FSB-160" ["fsb-160"] 20 ::fsb::Fsb160, FSB_160, "syndrome-based hash followed by Whirlpool; 160 bits", "bb3a604874c845fcf1b89cd01105fdf0944fc2c5";
    "fsb224" "FSB-224" ["fsb-224"] 28 ::fsb::Fsb224, FSB, "syndrome-based hash followed by Whirlpool; 224 bits", "8664a209f006e9273ee546ff38d326fc8907ade5b37acdc4aaa1417f";
    "fsb256" "FSB-256" ["fsb-256"] 32 ::fsb::Fsb256, FSB, "syndrome-based hash followed by Whirlpool; 256 bits", "e630582e19457fd4753f8d53f5d64da35be402d99611c01c228f5c5d3017fcfe";
    "fsb384" "FSB-384" ["fsb-384"] 48 ::fsb::Fsb384, FSB, "syndrome-based hash followed by Whirlpool; 384 bits", "daac4604b5feaf41f1cdb5e88f0d835b322eeb34b8b875e37111358284d8cf737ffc4ea5db50879be63471b89c226b2c";
    "fsb512" "FSB-512" ["fsb-512"] 64 ::fsb::Fsb512, FSB, "syndrome-based hash followed by Whirlpool; 512 bits", "31d05f13b80e51286f72a93db7b7c7a6ddf82ff84b563cdff920a98b725878332bd867e41bbd7d0a186c26d3260433ad5157ac9c7d1516892dc9b6333cfaaee4";
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
