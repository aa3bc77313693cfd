//! The algorithm families, one file each, with the block function or the call of a library, and the table rows.
//!
//! To add one, create its file and add a line to this list.

macro_rules! families {
    ($($(#[$where:meta])* $name:ident)*) => {
        $($(#[$where])* pub(crate) mod $name;)*

        /// The rows of every family, in the order of listings.
        pub(crate) static FAMILIES: &[&[crate::algorithm::Algorithm]] = &[$($(#[$where])* $name::ROWS),*];
    };
}

pub(crate) mod columns;
#[cfg(target_arch = "x86_64")]
mod rounds;
pub(crate) mod whole_message;

families! {
    md2
    md4
    md5
    sha1
    sha1dc
    sha0
    sha2
    sha512
    sha3
    cshake
    blake
    blake2b
    blake2s
    blake2_parallel
    blake2x
    blake3
    multi
    sm3
    ripemd160
    ripemd
    tiger
    whirlpool
    gost94
    streebog
    belt
    bash
    lsh
    has160
    mdc2
    panama
    snefru
    edonr
    haval
    skein
    groestl
    kupyna
    jh
    shabal
    #[cfg(feature = "fsb")]
    fsb
    ascon
    crc
    sum
    fletcher
    multiplied
    murmur3
    imohash
    farmhash
    cityhash
    wyhash
    komihash
    xxh
}
