//! KMAC (SP 800-185 section 4): cSHAKE of the key, the message and the output length.
//!
//! The extendable form uses zero as the length, so that a longer output begins with the shorter one.

use crate::algorithm::{Algorithm, Keying, Kind, Lengths, Params, Status};
use crate::block::{Chain, Stream};
use crate::family::cshake::{CSHAKE128, CSHAKE256, named, padded, right_encode};
use crate::family::sha3::init;
use zeroize::Zeroizing;

macro_rules! row {
    ($name:literal $tag:literal $alias:literal $chain:ident $len:literal $lengths:expr, $length:expr, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$alias],
            digest_len: $len,
            lengths: $lengths,
            status: Status::Secure("SP 800-185"),
            summary: $summary,
            check: $check,
            keying: Keying::Always { least: 1, most: 1 << 20 },
            customized: Some("custom"),
            kind: Kind::Blocks { chain: &$chain, init },
            framed: |_, params| stream(&$chain, params, $length),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("kmac128" "KMAC128" "kmac-128" KMAC128 32 Lengths::UpTo(128), |params| 8 * params.digest_len as u64, "KMAC with 128-bit security", "99a2698f8b3678acb77d89ad7f2b345818382999f2365a76ad1a3266eab7a10f"),
    row!("kmac256" "KMAC256" "kmac-256" KMAC256 64 Lengths::UpTo(128), |params| 8 * params.digest_len as u64, "KMAC with 256-bit security", "3ac19b2d8dba7e752d23db933beb24f4aa5576fcd96967f636a3dbdb1644d2ef8fd9ba78b3ed7dca181bf2d8b128674e391576783d1920ab5805807a79977b9e"),
    row!("kmacxof128" "KMACXOF128" "kmac128xof" CSHAKE128 32 Lengths::Any, |_| 0, "KMAC with 128-bit security and output of any length", "a8a1c9bf3290e758342ec3efb2fc24834d43d91de70894c3fc3eabe290c0333f"),
    row!("kmacxof256" "KMACXOF256" "kmac256xof" CSHAKE256 64 Lengths::Any, |_| 0, "KMAC with 256-bit security and output of any length", "a7be179d3be7a83f22608b2092232505266ac9fd57ec1ffa8d133fe6f03a471d420d416170e7edb5dcf6c459c1600b5e513906008bb254ba4d98950dd6e81561"),
];

/// The same chains, limited to a digest.
static KMAC128: Chain = Chain { squeeze: None, ..crate::family::sha3::shake128::<4>() };
static KMAC256: Chain = Chain { squeeze: None, ..crate::family::sha3::shake256::<4>() };

fn stream(chain: &'static Chain, params: &Params, length: fn(&Params) -> u64) -> Option<Stream> {
    let mut stream = named(chain, b"KMAC", params.custom(), params.digest_len).secret();
    stream.update(&Zeroizing::new(padded(&[params.secret()?], chain.block)));
    Some(stream.framed(right_encode(length(params)), None))
}
