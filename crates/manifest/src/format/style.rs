//! What is known of a manifest before it is written.

use crate::encoding::Encoding;
use crate::entry::Time;
use truesum_hash::{Digest, Spec};

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
    /// Base 32 in small letters without padding, as RHash writes it.
    Base32,
    /// As no list is read back.
    Other(&'static Encoding),
}

impl Spelling {
    /// The digest so spelled.
    pub fn of(self, digest: &Digest) -> String {
        match self {
            Spelling::Hex => digest.to_hex(),
            Spelling::HexUpper => digest.to_hex_upper(),
            Spelling::Base64 => digest.to_base64(),
            Spelling::Base32 => digest.to_base32(),
            // Who asks for one has seen that it can spell as many bytes.
            Spelling::Other(encoding) => encoding.write(digest.as_bytes()).unwrap_or_else(|| digest.to_hex()),
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

/// What stands around the lines of an SFV, which says nothing of them: other programs are told by it who wrote it. No style
/// says when, so that the same files give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SfvStyle {
    /// A banner.
    #[default]
    Plain,
    /// A banner, and sizes and times of all files in comments above the lines, as cksfv and RHash write them; times are in UTC.
    Cksfv,
    /// A banner, and digits in small letters, as cfv writes them.
    Cfv,
    /// The banner that programs of Windows look for, and their line ends.
    Win,
}

/// What a writer may choose within a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// How digests are spelled.
    pub spelling: Spelling,
    /// The mode character, where the format has one.
    pub mode: Mode,
    /// What stands around the lines of an SFV.
    pub sfv: SfvStyle,
}

/// What is known of a manifest before its first entry is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What may be chosen.
    pub style: Style,
    /// Algorithms of the entries to come, in order. Empty: those of the first entry.
    pub specs: Vec<Spec>,
    /// The folder that names are relative to, for formats that say it; empty if nobody shall know.
    pub folder: Vec<u8>,
    /// The command, for formats that say it; empty if nobody shall know.
    pub command: Vec<u8>,
    /// Whether the superuser gave it.
    pub superuser: bool,
    /// When the manifest is made, and the machine where, for formats that say it.
    pub made: Option<(Time, String)>,
    /// Where a torrent's peers are found; empty for none.
    pub announce: Vec<u8>,
}
