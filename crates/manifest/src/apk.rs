//! The signing block of an Android package: parses the content digests signed by signature schemes
//! 2 and 3.
//!
//! The block is a list of pairs of an identifier and a value. The value of a signature scheme is a
//! list of signers. Each signer has signed data, which starts with the digests. This module
//! verifies no signature and reads nothing after the digests.

/// The magic bytes at the end of the block.
pub const MAGIC: &[u8; 16] = b"APK Sig Block 42";

/// The identifiers of the pairs that hold signers of content digests, and the names of their
/// schemes.
const SCHEMES: [(u32, &str); 3] = [(0x7109_871a, "v2"), (0xf053_68c0, "v3"), (0x1b93_ad61, "v3.1")];

readable! {
    /// A signed content digest.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Listed {
        /// The signature scheme: `v2`, `v3` or `v3.1`.
        scheme: &'static str,
        /// The hash function, which hashes both the chunks and their digests.
        algorithm: &'static str,
        /// The digest; its length is that of the hash function.
        digest: Vec<u8> => &[u8],
    }
}

readable! {
    /// The digests in a signing block.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Block {
        /// Digests computed from chunks of 1 MiB, without duplicates.
        digests: Vec<Listed> => &[Listed],
        /// Identifiers of signature algorithms with other digests; 0x0421 and similar ones use
        /// dm-verity trees.
        others: Vec<u32> => &[u32],
    }
}

/// Parses the pairs of a block: the bytes between the size field at its start and the second size
/// field, which precedes the magic bytes at its end.
///
/// ```
/// use truesum_manifest::apk::parse;
///
/// assert_eq!(parse(b""), Err("no version 2 or 3 signature in the signing block"));
/// assert_eq!(parse(&[9, 0, 0, 0, 0, 0, 0, 0, 1]), Err("the signing block is truncated or damaged"));
/// ```
///
/// # Errors
/// Fails if the block is malformed, contradicts itself, or has no supported digest.
pub fn parse(mut pairs: &[u8]) -> Result<Block, &'static str> {
    let (mut block, mut seen) = (Block::default(), Vec::new());
    while !pairs.is_empty() {
        let len = number::<8>(&mut pairs).ok_or(CUT)?;
        let len = usize::try_from(len).ok().filter(|len| *len <= pairs.len()).ok_or(CUT)?;
        let (mut value, rest) = pairs.split_at(len);
        pairs = rest;
        let id = number::<4>(&mut value).ok_or(CUT)?;
        let Some((_, scheme)) = SCHEMES.iter().find(|(scheme, _)| u64::from(*scheme) == id) else { continue };
        // Programs differ in which of two such pairs they verify.
        if seen.contains(&id) {
            return Err("two signatures of the same scheme in the signing block");
        }
        seen.push(id);
        let mut signers = field(&mut value).filter(|_| value.is_empty()).ok_or(CUT)?;
        if signers.is_empty() {
            return Err("a signature in the signing block has no signer");
        }
        while !signers.is_empty() {
            let mut signer = field(&mut signers).ok_or(CUT)?;
            let mut signed = field(&mut signer).ok_or(CUT)?;
            block.take(scheme, field(&mut signed).ok_or(CUT)?)?;
        }
    }
    match (seen.is_empty(), block.digests.is_empty()) {
        (true, _) => Err("no version 2 or 3 signature in the signing block"),
        (false, true) => Err("the signing block has no supported digest"),
        (false, false) => Ok(block),
    }
}

const CUT: &str = "the signing block is truncated or damaged";

impl Block {
    /// Adds the digests of one signer.
    fn take(&mut self, scheme: &'static str, mut digests: &[u8]) -> Result<(), &'static str> {
        if digests.is_empty() {
            return Err("a signer in the signing block has no digests");
        }
        while !digests.is_empty() {
            let mut record = field(&mut digests).ok_or(CUT)?;
            let id = number::<4>(&mut record).ok_or(CUT)? as u32;
            let digest = field(&mut record).filter(|_| record.is_empty()).ok_or(CUT)?;
            let (algorithm, len) = match id {
                0x0101 | 0x0103 | 0x0201 | 0x0301 => ("sha256", 32),
                0x0102 | 0x0104 | 0x0202 => ("sha512", 64),
                other => {
                    if !self.others.contains(&other) {
                        self.others.push(other);
                    }
                    continue;
                }
            };
            if digest.len() != len {
                return Err("a digest in the signing block has the wrong length");
            }
            let same = |one: &&Listed| (one.scheme, one.algorithm) == (scheme, algorithm);
            match self.digests.iter().find(same) {
                Some(one) if one.digest == digest => {}
                Some(_) => return Err("two different digests of the same algorithm in the signing block"),
                None => self.digests.push(Listed { scheme, algorithm, digest: digest.to_vec() }),
            }
        }
        Ok(())
    }
}

/// Returns the next `LEN` bytes as a little-endian number and advances `text`.
fn number<const LEN: usize>(text: &mut &[u8]) -> Option<u64> {
    let (number, rest) = text.split_first_chunk::<LEN>()?;
    *text = rest;
    Some(number.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

/// Returns the next field, which follows its four-byte length, and advances `text`.
fn field<'t>(text: &mut &'t [u8]) -> Option<&'t [u8]> {
    let len = usize::try_from(number::<4>(text)?).ok()?;
    let (field, rest) = text.split_at_checked(len)?;
    *text = rest;
    Some(field)
}
