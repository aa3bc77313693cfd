//! Names of temporary files, by which a walk knows them.
//!
//! A run that is killed may leave its temporary file behind, and the next `hash -o M .` must not list it as content. No
//! file of a user should be passed over instead, so the name carries a check over itself: `.NAME.RANDOM-CHECK.part`, with
//! CHECK from NAME and RANDOM. By accident a name fits once in four thousand million; and what is passed over is counted
//! and told.

use std::hash::{BuildHasher, Hasher, RandomState};
use truesum_hash::Spec;

/// What every such name ends in.
const SUFFIX: &[u8] = b".part";
/// Hexadecimal digits of RANDOM and of CHECK.
const RANDOM: usize = 10;
const CHECK: usize = 8;
/// What stands before the random digits takes at most this many bytes: names at the limit of the file system leave no room.
const STEM: usize = 200;

/// A new name for a file that will be called `name`.
pub(crate) fn temporary_name(name: &[u8]) -> Vec<u8> {
    let stem = &name[..name.len().min(STEM)];
    let random = RandomState::new().build_hasher().finish();
    let mut own = [b".", stem, b"."].concat();
    own.extend_from_slice(&format!("{random:016x}").as_bytes()[..RANDOM]);
    let check = check(&own);
    own.push(b'-');
    own.extend_from_slice(&check);
    own.extend_from_slice(SUFFIX);
    own
}

/// Whether a file of this name, in whatever folder, is a temporary one of this program.
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let Some(body) = name.strip_suffix(SUFFIX).filter(|_| name.first() == Some(&b'.')) else { return false };
    let Some((named, found)) = body.split_at_checked(body.len().wrapping_sub(CHECK)) else { return false };
    let Some(named) = named.strip_suffix(b"-") else { return false };
    let Some((stem, random)) = named.split_at_checked(named.len().wrapping_sub(RANDOM)) else { return false };
    stem.len() > 2
        && stem.ends_with(b".")
        && random.iter().all(u8::is_ascii_hexdigit)
        && found == check(named)
}

/// The digits that prove a name.
fn check(named: &[u8]) -> [u8; CHECK] {
    let spec: Spec = "sha256".parse().expect("a row of the table");
    let digest = spec.digest(&[b"truesum temporary file ", named].concat());
    let bytes = digest.as_bytes();
    let digit = |at: usize| b"0123456789abcdef"[usize::from(bytes[at / 2] >> (at % 2 * 4) & 15)];
    std::array::from_fn(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_prove_themselves_are_ours() {
        for name in [&b"M"[..], b"SHA256SUMS", b"x.ftr.verify", &[b'n'; 255], b"\xff\n", b"..", b"a-b.part"] {
            let own = temporary_name(name);
            assert!(is_temporary(&own), "{}", own.escape_ascii());
            assert!(own.len() <= 255 && !own.contains(&b'/'));
            for at in 0..own.len() {
                let mut other = own.clone();
                other[at] ^= 1;
                assert!(!is_temporary(&other), "{}", other.escape_ascii());
            }
            assert_ne!(own, temporary_name(name), "a second run writes beside the first");
        }
        for name in
            [&b".part"[..], b"", b".", b".M.tmp.part", b".M.0123456789-01234567.part", b"M.part", b".-.part"]
        {
            assert!(!is_temporary(name), "{}", name.escape_ascii());
        }
    }
}
