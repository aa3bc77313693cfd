//! cSHAKE (SP 800-185 section 3): SHAKE with a customization string for domain separation, and the encodings of that
//! standard.
//!
//! Without a customization string, it is identical to SHAKE.

use crate::algorithm::{Algorithm, Kind, Lengths, Params, Status};
use crate::block::{Chain, Stream, state};
use crate::family::sha3::{init, shake128, shake256};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "cshake128",
        tag: "CSHAKE128",
        aliases: &["cshake-128"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("SP 800-185; full strength with 256 bits of output or more"),
        summary: "SHAKE128 with a customization string",
        check: "1aca6b9e651b5f20079a305ca8f86d39b9451c4c32873f95f8b315834bd5f272",
        customized: Some("custom"),
        kind: Kind::Blocks { chain: &SHAKE128, init },
        framed: |_, params| customized(&CSHAKE128, params),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "cshake256",
        tag: "CSHAKE256",
        aliases: &["cshake-256"],
        digest_len: 64,
        lengths: Lengths::Any,
        status: Status::Secure("SP 800-185; full strength with 512 bits of output or more"),
        summary: "SHAKE256 with a customization string",
        check: "24347b9c4b6da2fc9cde08c87f33edd2e603c8dcd6840e6b3920f62b1dd69d7bc4655a9e6f0ee6255940380dcd1488dbca3e796ae58a2234cc31cd61dfd1eb56",
        customized: Some("custom"),
        kind: Kind::Blocks { chain: &SHAKE256, init },
        framed: |_, params| customized(&CSHAKE256, params),
        ..Algorithm::PLAIN
    },
];

static SHAKE128: Chain = shake128::<0x1f>();
static SHAKE256: Chain = shake256::<0x1f>();
/// Used instead of SHAKE if there is a function name or a customization string.
pub(crate) static CSHAKE128: Chain = shake128::<4>();
pub(crate) static CSHAKE256: Chain = shake256::<4>();

fn customized(chain: &'static Chain, params: &Params) -> Option<Stream> {
    let custom = Some(params.custom()).filter(|custom| !custom.is_empty())?;
    Some(named(chain, b"", custom, params.digest_len).framed(Vec::new(), None))
}

/// Returns the stream for this function name and customization string, of which at least one is not empty.
pub(crate) fn named(chain: &'static Chain, name: &[u8], custom: &[u8], digest_len: usize) -> Stream {
    let mut stream = Stream::new(chain, state(&[]), digest_len);
    stream.update(&padded(&[name, custom], chain.block));
    stream
}

/// Returns `bytepad` of `encode_string` of each string (sections 2.3.2 and 2.3.3).
pub(crate) fn padded(strings: &[&[u8]], rate: usize) -> Vec<u8> {
    let mut bytes = left_encode(rate as u64);
    for string in strings {
        bytes.extend(left_encode(8 * string.len() as u64));
        bytes.extend_from_slice(string);
    }
    bytes.resize(bytes.len().next_multiple_of(rate), 0);
    bytes
}

/// Returns `left_encode` (section 2.3.1): the number of bytes, then the bytes of the number.
pub(crate) fn left_encode(number: u64) -> Vec<u8> {
    let bytes = one_or_more(number);
    let mut encoded = vec![bytes.len() as u8];
    encoded.extend(bytes);
    encoded
}

/// Returns `right_encode` (section 2.3.1): the bytes of the number, then the number of bytes.
pub(crate) fn right_encode(number: u64) -> Vec<u8> {
    let mut bytes = one_or_more(number);
    bytes.push(bytes.len() as u8);
    bytes
}

fn one_or_more(number: u64) -> Vec<u8> {
    if number == 0 { vec![0] } else { fewest_bytes(number) }
}

/// Returns the bytes of a number, the most significant first; none for zero.
pub(crate) fn fewest_bytes(number: u64) -> Vec<u8> {
    number.to_be_bytes()[number.leading_zeros() as usize / 8..].to_vec()
}
