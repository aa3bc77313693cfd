//! Hashes that combine each byte with a number and multiply it: FNV and classic hash functions for hash tables.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;

macro_rules! rows {
    ($($make:ident: $name:literal $tag:literal $aliases:tt $word:ty, $why:literal, $summary:literal, $check:literal;
        from $start:literal, $hash:ident $byte:ident => $step:expr $(, then $end:expr)?;)*) => {
        /// The rows of this family.
        pub(crate) static ROWS: &[Algorithm] = &[$(
            Algorithm {
                name: $name,
                tag: $tag,
                aliases: &$aliases,
                digest_len: size_of::<$word>(),
                status: Status::Checksum($why),
                summary: $summary,
                check: $check,
                kind: Kind::Serial(|_| Box::new($make($start))),
                ..Algorithm::PLAIN
            },
        )*];
        $(
            #[derive(Clone)]
            struct $make($word);

            impl Serial for $make {
                fn update(&mut self, data: &[u8]) {
                    self.0 = data.iter().fold(self.0, |$hash, byte| {
                        let $byte = <$word>::from(*byte);
                        $step
                    });
                }
                fn finish(&mut self) -> Digest {
                    let $hash = self.0;
                    $(let $hash = $end;)?
                    Digest::new(&$hash.to_be_bytes())
                }
                fn reset(&mut self) -> bool {
                    self.0 = $start;
                    true
                }
                fn clone_box(&self) -> Box<dyn Serial> {
                    Box::new(self.clone())
                }
            }
        )*
    };
}

/// The primes of Fowler, Noll and Vo.
const PRIME_32: u32 = 0x0100_0193;
const PRIME_64: u64 = 0x0100_0000_01b3;

rows! {
    Fnv1Of32: "fnv1-32" "FNV1-32" ["fnv132", "fnv-1-32"] u32,
        "32 bits, not cryptographic (Fowler, Noll & Vo, RFC 9923)", "hash tables", "24148816";
        from 0x811c_9dc5, hash byte => hash.wrapping_mul(PRIME_32) ^ byte;
    Fnv1aOf32: "fnv1a-32" "FNV1A-32" ["fnv1a32", "fnv-1a-32"] u32,
        "32 bits, not cryptographic (Fowler, Noll & Vo, RFC 9923)", "hash tables, cache keys", "bb86b11c";
        from 0x811c_9dc5, hash byte => (hash ^ byte).wrapping_mul(PRIME_32);
    Fnv1Of64: "fnv1-64" "FNV1-64" ["fnv164", "fnv-1-64"] u64,
        "64 bits, not cryptographic (Fowler, Noll & Vo, RFC 9923)", "hash tables", "a72ffc362bf916d6";
        from 0xcbf2_9ce4_8422_2325, hash byte => hash.wrapping_mul(PRIME_64) ^ byte;
    Fnv1aOf64: "fnv1a-64" "FNV1A-64" ["fnv1a64", "fnv-1a-64"] u64,
        "64 bits, not cryptographic (Fowler, Noll & Vo, RFC 9923)", "hash tables, cache keys", "06d5573923c6cdfc";
        from 0xcbf2_9ce4_8422_2325, hash byte => (hash ^ byte).wrapping_mul(PRIME_64);
    Djb2: "djb2" "DJB2" ["times33"] u32,
        "32 bits, not cryptographic (Bernstein, comp.lang.c 1991)", "hash tables, GNU hash sections in ELF files", "35cdbb82";
        from 5381, hash byte => hash.wrapping_mul(33).wrapping_add(byte);
    Djb2a: "djb2a" "DJB2A" ["djb2-xor"] u32,
        "32 bits, not cryptographic (Bernstein, comp.lang.c 1991)", "djb2 with XOR instead of addition; cdb", "3babea14";
        from 5381, hash byte => hash.wrapping_mul(33) ^ byte;
    Sdbm: "sdbm" "SDBM" [] u32,
        "32 bits, not cryptographic (sdbm, Yigit 1989)", "sdbm and gawk", "68a07035";
        from 0, hash byte => hash.wrapping_mul(65_599).wrapping_add(byte);
    Elf: "elf32" "ELF32" ["pjw"] u32,
        "28 bits, not cryptographic (System V ABI, hash table section)", "ELF symbol tables", "0678aee9";
        from 0, hash byte => {
            let sum = (hash << 4).wrapping_add(byte);
            let high = sum & 0xf000_0000;
            (sum ^ high >> 24) & !high
        };
    Joaat: "joaat" "JOAAT" ["jenkins-one-at-a-time"] u32,
        "32 bits, not cryptographic (Jenkins, Dr. Dobb's Journal 1997)", "hash tables, games", "c66b58c5";
        from 0, hash byte => {
            let sum = hash.wrapping_add(byte);
            let sum = sum.wrapping_add(sum << 10);
            sum ^ sum >> 6
        }, then {
            let sum = hash.wrapping_add(hash << 3);
            let sum = sum ^ sum >> 11;
            sum.wrapping_add(sum << 15)
        };
}
