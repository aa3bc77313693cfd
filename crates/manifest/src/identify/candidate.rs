//! The possible meanings of a text, and the reasons why it has none.

use truesum_hash::{Digest, Spec};

/// An encoding of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// Hexadecimal, which may have colons or blanks as separators.
    Hex,
    /// A multihash in hexadecimal: code, length and digest (<https://multiformats.io/multihash/>).
    Multihash,
    /// A content identifier of IPFS: base58, or `b` and base32.
    Cid,
    /// Decimal, as written by `sum` and `cksum`.
    Decimal,
    /// A C4 identifier (SMPTE ST 2114): base58.
    C4,
    /// Nix base32.
    Nix32,
    /// Base32 (RFC 4648).
    Base32,
    /// Base64 (RFC 4648, section 4).
    Base64,
    /// Base64 for URLs (RFC 4648, section 5).
    Base64Url,
    /// Multibase: a letter that selects the base, and digits
    /// (<https://github.com/multiformats/multibase>).
    Multibase,
    /// Bubble Babble: words that can be pronounced (Huima 2000).
    BubbleBabble,
    /// Base58 with Bitcoin's alphabet.
    Base58,
    /// Z85, the base85 encoding of ZeroMQ (its RFC 32).
    Z85,
}

impl Encoding {
    /// Returns the name of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Hex => "hex",
            Encoding::Multihash => "multihash",
            Encoding::Cid => "cid",
            Encoding::Decimal => "decimal",
            Encoding::C4 => "c4",
            Encoding::Nix32 => "nix32",
            Encoding::Base32 => "base32",
            Encoding::Base64 => "base64",
            Encoding::Base64Url => "base64url",
            Encoding::Multibase => "multibase",
            Encoding::BubbleBabble => "babble",
            Encoding::Base58 => "base58",
            Encoding::Z85 => "z85",
        }
    }
}

readable! {
    /// A possible meaning of a text.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Candidate {
        /// The algorithm.
        spec: Spec => &Spec,
        /// The digest.
        digest: Digest => &Digest,
        /// The encoding of the digest in the text.
        encoding: Encoding,
    }
}

impl Candidate {
    /// Returns a digest of this algorithm in this encoding.
    pub fn new(spec: Spec, digest: Digest, encoding: Encoding) -> Candidate {
        Candidate { spec, digest, encoding }
    }

    /// Returns the algorithm and the digest.
    pub fn into_parts(self) -> (Spec, Digest) {
        (self.spec, self.digest)
    }
}

/// A reason why a text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unidentified {
    /// It is a salted hash of a password.
    Password,
    /// It does not have the form of a digest.
    Spelling,
    /// No algorithm has digests of this many bytes.
    Length(usize),
    /// It names an algorithm that has no such digest.
    Named,
}

impl std::fmt::Display for Unidentified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unidentified::Password => f.write_str("the salted hash of a password, not the digest of a file"),
            Unidentified::Spelling => f.write_str("does not look like a digest"),
            Unidentified::Length(bytes) => write!(f, "no algorithm has {bytes}-byte digests"),
            Unidentified::Named => f.write_str("not a digest of the specified algorithm"),
        }
    }
}

impl std::error::Error for Unidentified {}
