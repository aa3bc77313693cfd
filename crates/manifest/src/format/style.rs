//! What a writer may choose within a format.

use truesum_hash::Digest;

/// How digests are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// Lower-case hexadecimal.
    #[default]
    Hex,
    /// Upper-case hexadecimal.
    HexUpper,
    /// Base64 with padding.
    Base64,
}

impl Spelling {
    /// The digest so spelled.
    pub fn of(self, digest: &Digest) -> String {
        match self {
            Spelling::Hex => digest.to_hex(),
            Spelling::HexUpper => digest.to_hex_upper(),
            Spelling::Base64 => digest.to_base64(),
        }
    }
}

/// The mode character of GNU lines. It says nothing on systems without text files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A blank.
    #[default]
    Text,
    /// An asterisk.
    Binary,
}

impl Mode {
    pub(crate) fn char(self) -> u8 {
        match self {
            Mode::Text => b' ',
            Mode::Binary => b'*',
        }
    }
}

/// What a writer may choose within a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// How digests are spelled.
    pub spelling: Spelling,
    /// The mode character, where the format has one.
    pub mode: Mode,
}
