//! HMAC (RFC 2104, FIPS 198-1) with any hash of blocks: the hash of the outer key and of the hash of the inner key and
//! the message.
//!
//! Both keys fill a block, so messages begin with a state that is computed once, and run in the lanes of their hash; so
//! do their digests. Rows are created when their names are first used.

use crate::algorithm::{Algorithm, Key, Keying, Kind, Lengths, Params, Status};
use crate::block::{MAX_BLOCK, Stream};
use crate::spec::Spec;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// The prefix of the name of the hash.
pub(crate) const HMAC: &str = "hmac-";

/// The maximum key length in bytes. A key that is longer than a block is hashed first.
const LONGEST: usize = 1 << 20;

/// Returns HMAC with this hash; `None` for anything that is not a hash of blocks, that has output of any length, or whose
/// digests are longer than a block, for which HMAC is not defined.
pub(crate) fn over(base: &Spec) -> Option<&'static Algorithm> {
    static CREATED: Mutex<Vec<&'static Algorithm>> = Mutex::new(Vec::new());
    let row = base.algorithm();
    let Kind::Blocks { chain, init } = row.kind else { return None };
    if row.lengths == Lengths::Any || base.digest_len() > chain.block || base.is_keyed() {
        return None;
    }
    let name = format!("{HMAC}{base}");
    let mut made = CREATED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(row) = made.iter().find(|row| row.name == name) {
        return Some(row);
    }
    let status = match row.status {
        Status::Secure(_) => Status::Secure("FIPS 198-1, with a hash that has no known attacks"),
        status @ (Status::Weakened(_) | Status::Sampled(_) | Status::Checksum(_)) => status,
        Status::Broken(_) => Status::Weakened(
            "the hash has collisions, which do not break HMAC (Bellare 2006); not for new designs (RFC 6151)",
        ),
    };
    let made_now = &*Box::leak(Box::new(Algorithm {
        tag: String::leak(format!("{}{}", HMAC.to_uppercase(), base.tag())),
        name: String::leak(name),
        digest_len: base.digest_len(),
        status,
        summary: String::leak(format!("HMAC with {base} (RFC 2104)")),
        keying: Keying::Always { least: 1, most: LONGEST },
        kind: Kind::Blocks { chain, init },
        framed: stream,
        ..Algorithm::PLAIN
    }));
    made.push(made_now);
    Some(made_now)
}

/// Returns the stream for a message with a key.
fn stream(row: &'static Algorithm, params: &Params) -> Option<Stream> {
    let Kind::Blocks { chain, init } = row.kind else { return None };
    // The underlying hash has no key, even if it could have one.
    let plain = Params { key: Key::None, ..params.clone() };
    let new = || Stream::new(chain, init(&plain), params.digest_len).secret();
    let key = params.secret()?;
    let mut block = Zeroizing::new([0; MAX_BLOCK]);
    if key.len() > chain.block {
        let mut hashed = new();
        hashed.update(key);
        let digest = hashed.finish();
        block[..digest.len()].copy_from_slice(digest.as_bytes());
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut begun = |pad: u8| {
        block.iter_mut().for_each(|byte| *byte ^= pad);
        let mut stream = new();
        stream.update(&block[..chain.block]);
        stream
    };
    let inner = begun(0x36);
    // The inner padding is removed again.
    let outer = begun(0x36 ^ 0x5c);
    Some(inner.framed(Vec::new(), Some(outer)))
}
