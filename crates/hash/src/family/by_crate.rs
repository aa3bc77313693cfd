//! Hashes that are rarely met and whose crates are kept, one message at a time: candidates of NIST's competition (Groestl, JH,
//! Shabal, FSB) and national standards (Kupyna of Ukraine, BelT of Belarus). FSB brings 272,384 bytes for its matrices and is
//! there with the feature `fsb` only.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use jh::digest::FixedOutputReset;
use jh::digest::Update;

const GROESTL: Status =
    Status::Secure("a finalist of SHA-3; collisions of 3 of 10 rounds (Mendel, Rijmen & Schläffer 2014)");
#[cfg(target_endian = "little")]
const JH: Status = Status::Secure("a finalist of SHA-3; semi-free-start near-collisions of 37 of 42 rounds (Naya-Plasencia, Toz & Varıcı 2011)");
const SHABAL: Status = Status::Secure("a candidate of SHA-3's second round; distinguishers of the permutation only (Aumasson et al. 2009)");
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
    "groestl224" "GROESTL-224" ["groestl-224", "grostl224"] 28 groestl::Groestl224, GROESTL, "Grøstl of 224 bits", "bdfad1396f3a976f9bb380ac8cbc43d44109ae12a81e3477e94166db";
    "groestl256" "GROESTL-256" ["groestl-256", "grostl256"] 32 groestl::Groestl256, GROESTL, "Grøstl of 256 bits", "02332dfabf6192451556ad00ea3c2baea448e6a8cc54db02d9aa455f6515578d";
    "groestl384" "GROESTL-384" ["groestl-384", "grostl384"] 48 groestl::Groestl384, GROESTL, "Grøstl of 384 bits", "80899e38da9ec5b1ef683e28ea2b7373d6edbebd3ba9490f705857329323c7eb5aa7e83e28e4d1fcf5ef05b6af0a7317";
    "groestl512" "GROESTL-512" ["groestl-512", "grostl512"] 64 groestl::Groestl512, GROESTL, "Grøstl of 512 bits; Groestlcoin", "72fbe0e863c7f9bf15eab61b898bd5b75a107e7f3e715322edfe97a27356a07c16c697c99b93a8b18a75a63ef5c16f01147159db62a1ac151673b0bae43f0456";
    // Where the highest byte of a word comes first the crate (0.2.0) computes another digest: there is no JH there.
    #[cfg(target_endian = "little")]
    "jh224" "JH-224" ["jh-224"] 28 jh::Jh224, JH, "JH of 224 bits", "298424fd16fae5314b1a01d7336033cef9b2f6f0999ac360801cc015";
    #[cfg(target_endian = "little")]
    "jh256" "JH-256" ["jh-256"] 32 jh::Jh256, JH, "JH of 256 bits; CryptoNight", "7fb6f38409b374c9b0b3aa2968fcce350b9ae4dd5d60c491d7465ccf5e74254d";
    #[cfg(target_endian = "little")]
    "jh384" "JH-384" ["jh-384"] 48 jh::Jh384, JH, "JH of 384 bits", "645ab75a6e52d331b073db67fba68012cc60f6ae434b6c9036f9a76c9a5f89e6a56bc923f9338847c54f667c933899dc";
    #[cfg(target_endian = "little")]
    "jh512" "JH-512" ["jh-512"] 64 jh::Jh512, JH, "JH of 512 bits; X11", "b5bffca5836c7d7a1624a7f3c4ce600cc2f66977aa4f4f4e5a96d09546ed7d2167ceb50913b3e315de6ebe03e76eecf3fca6cf01ac4b6fd564149ceebc49e3c0";
    "shabal192" "SHABAL-192" ["shabal-192"] 24 shabal::Shabal192, SHABAL, "Shabal of 192 bits", "2186596cb97a1d6f5793435c421cffacb2dd48f0662afafc";
    "shabal224" "SHABAL-224" ["shabal-224"] 28 shabal::Shabal224, SHABAL, "Shabal of 224 bits", "ec6cdeb23483f0231fffb50795c81332905cf8ff07475201905a5f3e";
    "shabal256" "SHABAL-256" ["shabal-256"] 32 shabal::Shabal256, SHABAL, "Shabal of 256 bits; Burstcoin's plots", "f6bb7171c193ee787b1d82c1c0c8271980f4d6735ae8598936df92faa65ca6a0";
    "shabal384" "SHABAL-384" ["shabal-384"] 48 shabal::Shabal384, SHABAL, "Shabal of 384 bits", "8a634edebc4b3ff3dc2a9211a7e12dab7814c6f3a907c861864ab61486ed4ff85770271bb60c4d33f43f61e297d86290";
    "shabal512" "SHABAL-512" ["shabal-512"] 64 shabal::Shabal512, SHABAL, "Shabal of 512 bits", "47472582b04131f1de929cc6ee174d7726b8b0315a8e3be9d98d5548c6850fab1176c9ab26c9436a0693b718a48a486ea8081dda4adc8d1cf75eec0608e0eceb";
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
    "belt-hash" "BELT-HASH" [] 32 belt_hash::BeltHash, Status::Secure("STB 34.101.31-2011"), "the standard hash of Belarus", "6944c171dbc58b189462d4a2ede715523b66604ab148a8e2975b39f3a4dce82c";
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
