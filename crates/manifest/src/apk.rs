//! The signing block of an Android package: the digests of its content that schemes 2 and 3 have signed.
//!
//! A list of pairs of an identifier and a value; those of the schemes hold signers, each with data that it signed, which begin with the
//! digests. No signature is verified here, and nothing behind the digests is read.

/// What the block ends with.
pub const MAGIC: &[u8; 16] = b"APK Sig Block 42";

/// Pairs that hold signers of content digests: what they are called here, and their identifiers.
const SCHEMES: [(u32, &str); 3] = [(0x7109_871a, "v2"), (0xf053_68c0, "v3"), (0x1b93_ad61, "v3.1")];

/// A digest that is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The scheme: `v2`, `v3` or `v3.1`.
    pub scheme: &'static str,
    /// The hash of pieces and of their digests.
    pub algorithm: &'static str,
    /// The digest, as long as the hash makes it.
    pub digest: Vec<u8>,
}

/// What a block lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Digests of pieces of a mebibyte, each once.
    pub digests: Vec<Listed>,
    /// Identifiers of signature algorithms whose digests are others: 0x0421 and its like are of dm-verity's trees.
    pub others: Vec<u32>,
}

/// Reads the pairs of a block: what lies between its length, which is written twice, and behind that its last words.
///
/// ```
/// use truesum_manifest::apk::parse;
///
/// assert_eq!(parse(b""), Err("no version 2 or 3 signature in the signing block"));
/// assert_eq!(parse(&[9, 0, 0, 0, 0, 0, 0, 0, 1]), Err("the signing block is truncated or damaged"));
/// ```
///
/// # Errors
/// Why no digest is believed.
pub fn parse(mut pairs: &[u8]) -> Result<Block, &'static str> {
    let (mut block, mut seen) = (Block::default(), Vec::new());
    while !pairs.is_empty() {
        let len = number::<8>(&mut pairs).ok_or(CUT)?;
        let len = usize::try_from(len).ok().filter(|len| *len <= pairs.len()).ok_or(CUT)?;
        let (mut value, rest) = pairs.split_at(len);
        pairs = rest;
        let id = number::<4>(&mut value).ok_or(CUT)?;
        let Some((_, scheme)) = SCHEMES.iter().find(|(scheme, _)| u64::from(*scheme) == id) else { continue };
        // Which of two is verified is each program's own choice.
        if seen.contains(&id) {
            return Err("two signatures of the same scheme in the signing block");
        }
        seen.push(id);
        let mut signers = field(&mut value).filter(|_| value.is_empty()).ok_or(CUT)?;
        if signers.is_empty() {
            return Err("a signature without a signer in the signing block");
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
    /// Takes the digests of one signer.
    fn take(&mut self, scheme: &'static str, mut digests: &[u8]) -> Result<(), &'static str> {
        if digests.is_empty() {
            return Err("a signer without digests in the signing block");
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

/// The next number, the lowest byte first.
fn number<const LEN: usize>(text: &mut &[u8]) -> Option<u64> {
    let (number, rest) = text.split_first_chunk::<LEN>()?;
    *text = rest;
    Some(number.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

/// The next field, whose length stands before it.
fn field<'t>(text: &mut &'t [u8]) -> Option<&'t [u8]> {
    let len = usize::try_from(number::<4>(text)?).ok()?;
    let (field, rest) = text.split_at_checked(len)?;
    *text = rest;
    Some(field)
}
