//! Core cycles per byte of every algorithm beside the best that others have of it: libraries of Rust that the tests compare with, and
//! librhash, OpenSSL, xxHash and zlib where they are installed. Of one message of 64 KiB in the cache, and of 64 at once.
//!
//! `cargo run --release --all-features --example rivals [NAME...]`. Each takes its turn slice by slice, and each digest is compared
//! first; a ratio below 1 says that another is faster with one message.
#![allow(unsafe_code, reason = "functions of C libraries, found by their names")]

#[path = "shared/clock.rs"]
mod clock;
#[path = "../tests/shared/oracle.rs"]
mod oracle;

use md5::digest::consts::{U32, U64, U128};
#[cfg(target_arch = "x86_64")]
use oracle::by_older;
use oracle::{by, output};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use truesum_hash::{ALGORITHMS, Spec, hash_many};

const LEN: usize = 64 << 10;
const MESSAGES: usize = 64;
const SLICES: usize = 30;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Rival = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// The function `name` of a library, if both are there.
fn function(library: &CStr, name: &CStr) -> Option<*mut c_void> {
    const NOW: c_int = 2;
    // SAFETY: both names end with NUL; a library stays loaded.
    let found = unsafe {
        let library = dlopen(library.as_ptr(), NOW);
        if library.is_null() { library } else { dlsym(library, name.as_ptr()) }
    };
    (!found.is_null()).then_some(found)
}

/// By `rhash_msg`, under the number that rhash.h gives.
fn rhash(number: c_uint) -> Option<Rival> {
    type Message = unsafe extern "C" fn(c_uint, *const u8, usize, *mut u8) -> c_int;
    type Init = unsafe extern "C" fn();
    // SAFETY: these are the functions' types in rhash.h.
    let (init, message) = unsafe {
        let init = function(c"librhash.so.0", c"rhash_library_init")?;
        let message = function(c"librhash.so.0", c"rhash_msg")?;
        (std::mem::transmute::<*mut c_void, Init>(init), std::mem::transmute::<*mut c_void, Message>(message))
    };
    // SAFETY: it takes nothing.
    unsafe { init() };
    Some(Box::new(move |data| {
        let mut out = vec![0; 128];
        // SAFETY: the longest digest has fewer bytes.
        let failed = unsafe { message(number, data.as_ptr(), data.len(), out.as_mut_ptr()) };
        assert_eq!(failed, 0);
        out
    }))
}

/// By `EVP_Digest`, under OpenSSL's name.
fn openssl(name: &'static CStr) -> Option<Rival> {
    type Load = unsafe extern "C" fn(*const c_void, *const c_char) -> *const c_void;
    type Fetch = unsafe extern "C" fn(*const c_void, *const c_char, *const c_char) -> *const c_void;
    type Evp =
        unsafe extern "C" fn(*const u8, usize, *mut u8, *mut c_uint, *const c_void, *const c_void) -> c_int;
    let library = c"libcrypto.so.3";
    // SAFETY: these are the functions' types in openssl/evp.h and openssl/provider.h.
    let (load, fetch, digest) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Load>(function(library, c"OSSL_PROVIDER_load")?),
            std::mem::transmute::<*mut c_void, Fetch>(function(library, c"EVP_MD_fetch")?),
            std::mem::transmute::<*mut c_void, Evp>(function(library, c"EVP_Digest")?),
        )
    };
    // SAFETY: names end with NUL, and no context or property is asked for.
    let kind = unsafe {
        load(std::ptr::null(), c"default".as_ptr());
        load(std::ptr::null(), c"legacy".as_ptr());
        fetch(std::ptr::null(), name.as_ptr(), std::ptr::null())
    };
    (!kind.is_null()).then(|| {
        let made: Rival = Box::new(move |data| {
            let (mut out, mut len) = (vec![0; 64], 0);
            // SAFETY: 64 bytes are the most that it writes.
            let done = unsafe {
                digest(data.as_ptr(), data.len(), out.as_mut_ptr(), &raw mut len, kind, std::ptr::null())
            };
            assert_eq!(done, 1);
            out
        });
        made
    })
}

/// A function of xxHash that returns a number.
fn xxhash(name: &CStr, len: usize) -> Option<Rival> {
    type Sum = unsafe extern "C" fn(*const u8, usize, u64) -> u64;
    // SAFETY: as xxhash.h declares it; a seed that a function has not is passed over, and so are bits above its result.
    let sum = unsafe { std::mem::transmute::<*mut c_void, Sum>(function(c"libxxhash.so.0", name)?) };
    // SAFETY: it reads so many bytes.
    Some(Box::new(move |data| unsafe { sum(data.as_ptr(), data.len(), 0) }.to_be_bytes()[8 - len..].to_vec()))
}

fn zlib(name: &CStr, begin: c_ulong) -> Option<Rival> {
    type Sum = unsafe extern "C" fn(c_ulong, *const u8, c_uint) -> c_ulong;
    // SAFETY: as zlib.h declares it.
    let sum = unsafe { std::mem::transmute::<*mut c_void, Sum>(function(c"libz.so.1", name)?) };
    // SAFETY: it reads so many bytes.
    Some(Box::new(move |data| {
        (unsafe { sum(begin, data.as_ptr(), data.len() as c_uint) } as u32).to_be_bytes().to_vec()
    }))
}

/// Everything here that computes this algorithm, and who it is.
fn rivals(name: &str) -> Vec<(&'static str, Rival)> {
    macro_rules! known {
        ($who:literal $make:expr; $($name:literal => $what:expr),* $(,)?) => {
            match name { $($name => $make($what).map(|rival| ($who, rival)),)* _ => None }
        };
    }
    let crates = |function: oracle::Oracle| -> Option<Rival> { Some(Box::new(function)) };
    let all = [
        known! { "RHash" rhash;
        "crc32" => 0x1, "md4" => 0x2, "md5" => 0x4, "sha1" => 0x8, "tiger" => 0x10, "tth" => 0x20, "ed2k" => 0x80, "aich" => 0x100,
        "whirlpool" => 0x200, "ripemd160" => 0x400, "gost94" => 0x800, "gost94-cryptopro" => 0x1000, "has160" => 0x2000,
        "gost12-256" => 0x4000, "gost12-512" => 0x8000, "sha224" => 0x10000, "sha256" => 0x20000, "sha384" => 0x40000,
        "sha512" => 0x80000, "edonr256" => 0x10_0000, "edonr512" => 0x20_0000, "sha3-224" => 0x40_0000, "sha3-256" => 0x80_0000,
        "sha3-384" => 0x100_0000, "sha3-512" => 0x200_0000, "crc32c" => 0x400_0000, "snefru128" => 0x800_0000,
        "snefru256" => 0x1000_0000, "blake2s" => 0x2000_0000, "blake2b" => 0x4000_0000 },
        known! { "OpenSSL" openssl;
        "md4" => c"MD4", "md5" => c"MD5", "sha1" => c"SHA1", "sha224" => c"SHA224", "sha256" => c"SHA256", "sha384" => c"SHA384",
        "sha512" => c"SHA512", "sha512-224" => c"SHA512-224", "sha512-256" => c"SHA512-256", "sha3-224" => c"SHA3-224",
        "sha3-256" => c"SHA3-256", "sha3-384" => c"SHA3-384", "sha3-512" => c"SHA3-512", "blake2b" => c"BLAKE2B-512",
        "blake2s" => c"BLAKE2S-256", "sm3" => c"SM3", "ripemd160" => c"RIPEMD160", "whirlpool" => c"WHIRLPOOL",
        "md5-sha1" => c"MD5-SHA1", "mdc2" => c"MDC2" },
        known! { "xxHash" (|(name, len)| xxhash(name, len));
        "xxh32" => (c"XXH32", 4), "xxh64" => (c"XXH64", 8), "xxh3" => (c"XXH3_64bits_withSeed", 8) },
        known! { "zlib" (|(name, begin)| zlib(name, begin)); "crc32" => (c"crc32", 0), "adler32" => (c"adler32", 1) },
        known! { "crate" crates;
        "md2" => by::<md2::Md2>, "md4" => by::<md4::Md4>, "md5" => by::<md5::Md5>, "sha1" => by::<sha1::Sha1>,
        "sha224" => by::<sha2::Sha224>, "sha256" => by::<sha2::Sha256>, "sha384" => by::<sha2::Sha384>,
        "sha512" => by::<sha2::Sha512>, "sha512-224" => by::<sha2::Sha512_224>, "sha512-256" => by::<sha2::Sha512_256>,
        "sha3-224" => by::<sha3::Sha3_224>, "sha3-256" => by::<sha3::Sha3_256>, "sha3-384" => by::<sha3::Sha3_384>,
        "sha3-512" => by::<sha3::Sha3_512>, "keccak256" => by::<sha3::Keccak256>, "sm3" => by::<sm3::Sm3>,
        "ripemd160" => by::<ripemd::Ripemd160>, "tiger" => by::<tiger::Tiger>, "whirlpool" => by::<whirlpool::Whirlpool>,
        "gost94" => by::<gost94::Gost94Test>, "gost94-cryptopro" => by::<gost94::Gost94CryptoPro>,
        "gost12-256" => by::<streebog::Streebog256>, "gost12-512" => by::<streebog::Streebog512>, "tiger2" => by::<tiger::Tiger2>,
        "ripemd128" => by::<ripemd::Ripemd128>, "ripemd256" => by::<ripemd::Ripemd256>, "ripemd320" => by::<ripemd::Ripemd320>,
        "skein256" => by::<skein::Skein256<U32>>, "skein512-256" => by::<skein::Skein512<U32>>,
        "skein512" => by::<skein::Skein512<U64>>, "skein1024" => by::<skein::Skein1024<U128>>,
        "ascon-hash256" => by::<ascon_hash256::AsconHash256>, "ascon-xof128" => output::<ascon_xof128::AsconXof128, 32>,
        "turboshake128" => output::<turboshake::TurboShake128, 32>, "turboshake256" => output::<turboshake::TurboShake256, 64>,
        "kt128" => output::<k12::Kt128, 32>, "kt256" => output::<k12::Kt256, 64>,
        "blake2b" => |data| blake2b_simd::blake2b(data).as_bytes().to_vec(),
        "blake2s" => |data| blake2s_simd::blake2s(data).as_bytes().to_vec(),
        "blake2bp" => |data| blake2b_simd::blake2bp::blake2bp(data).as_bytes().to_vec(),
        "blake2sp" => |data| blake2s_simd::blake2sp::blake2sp(data).as_bytes().to_vec(),
        "komihash" => |data| komihash::komihash(data, 0).to_be_bytes().to_vec() },
        #[cfg(target_arch = "x86_64")]
        known! { "crate" crates;
        "groestl224" => by_older::<groestl_aesni::Groestl224>, "groestl256" => by_older::<groestl_aesni::Groestl256>,
        "groestl384" => by_older::<groestl_aesni::Groestl384>, "groestl512" => by_older::<groestl_aesni::Groestl512>,
        "blake-224" => by_older::<blake_hash::Blake224>, "blake-256" => by_older::<blake_hash::Blake256>,
        "blake-384" => by_older::<blake_hash::Blake384>, "blake-512" => by_older::<blake_hash::Blake512> },
    ];
    all.into_iter().flatten().collect()
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| algorithm | one message | {MESSAGES} messages | best other | whose | ratio |\n|---|---:|---:|---:|---|---:|"
    );
    // Lengths that keep the messages off power-of-two strides.
    let many: Vec<Vec<u8>> =
        (0..MESSAGES).map(|i| vec![i as u8; LEN / MESSAGES * 8 + 64 * (i % 32 + 1)]).collect();
    let many: Vec<&[u8]> = many.iter().map(|message| &message[..LEN / MESSAGES * 8]).collect();
    let data: Vec<u8> = (0..LEN).map(|at| (at * at >> 3) as u8).collect();
    for row in ALGORITHMS.iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.name)) {
        let spec = Spec::new(row);
        let rivals = rivals(row.name);
        let digest = spec.digest(&data);
        for (whose, rival) in &rivals {
            let found = rival(&data);
            assert_eq!(&found[..digest.len()], digest.as_bytes(), "{} by {whose}", row.name);
        }
        let mut one = || drop(std::hint::black_box(spec.digest(&data)));
        let mut together = || drop(std::hint::black_box(hash_many(&spec, &many)));
        let mut others: Vec<_> =
            rivals.iter().map(|(_, rival)| || drop(std::hint::black_box(rival(&data)))).collect();
        let mut turns: Vec<&mut dyn FnMut()> = vec![&mut one];
        turns.extend(others.iter_mut().map(|other| other as &mut dyn FnMut()));
        let alone = clock::fewest(LEN, SLICES, &mut turns);
        let lanes = clock::fewest(LEN * 8, SLICES, &mut [&mut together])[0];
        let best = alone[1..].iter().zip(&rivals).min_by(|a, b| a.0.total_cmp(b.0));
        let other = best.map_or("| | |".to_owned(), |(cycles, (whose, _))| {
            format!("{cycles:.3} | {whose} | {:.2} |", cycles / alone[0])
        });
        println!("| {} | {:.3} | {lanes:.3} | {other}", row.name, alone[0]);
    }
}
