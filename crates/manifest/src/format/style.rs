//! Settings of a manifest that must be known before it is written.

use crate::encoding::Encoding;
use crate::entry::Time;
use crate::rule::Rule;
use truesum_hash::{Digest, Spec};

/// An encoding of digests in a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// Lower-case hexadecimal.
    #[default]
    Hex,
    /// Upper-case hexadecimal.
    HexUpper,
    /// Base64 with padding.
    Base64,
    /// Base32 in lower case without padding, as RHash writes it.
    Base32,
    /// An encoding that no manifest reader supports.
    Other(&'static Encoding),
}

impl Spelling {
    /// Appends the digest in this encoding to a text.
    pub(crate) fn append(self, digest: &Digest, text: &mut Vec<u8>) {
        match self {
            Spelling::Hex => digest.append_hex(text),
            _ => text.extend_from_slice(self.of(digest).as_bytes()),
        }
    }

    /// Returns the digest in hexadecimal, in upper case only if this is [`Spelling::HexUpper`].
    pub(crate) fn hex(self, digest: &Digest) -> String {
        if self == Spelling::HexUpper { digest.to_hex_upper() } else { digest.to_hex() }
    }

    /// Returns the digest in this encoding.
    pub fn of(self, digest: &Digest) -> String {
        match self {
            Spelling::Hex => digest.to_hex(),
            Spelling::HexUpper => digest.to_hex_upper(),
            Spelling::Base64 => digest.to_base64(),
            Spelling::Base32 => digest.to_base32(),
            // Callers check first that the encoding supports this number of bytes.
            Spelling::Other(encoding) => encoding.write(digest.as_bytes()).unwrap_or_else(|| digest.to_hex()),
        }
    }
}

/// The mode character of GNU lines. It has no meaning on systems that do not distinguish text
/// files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A space.
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

/// The layout of an SFV file. It does not affect the entries, but other programs use it to find out
/// which program wrote the file. No layout includes the current time, so that the same files always
/// give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SfvStyle {
    /// A banner.
    #[default]
    Plain,
    /// A banner, and comments with the sizes and times (in UTC) of all files above the lines, as
    /// written by cksfv and RHash.
    Cksfv,
    /// A banner, and digests in lower case, as written by cfv.
    Cfv,
    /// The banner that Windows programs look for, and Windows line ends.
    Win,
}

options! {
    /// The choices of a writer within a format.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Style {
        /// The encoding of digests.
        spelling: Spelling,
        /// The mode character, if the format has one.
        mode: Mode,
        /// The layout of an SFV file.
        sfv: SfvStyle,
    }
}

impl Style {
    /// Returns the encoding of digests.
    pub fn digest_spelling(&self) -> Spelling {
        self.spelling
    }
}

options! {
    /// Information about a manifest that is available before its first entry is written.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Heading {
        /// The choices within the format.
        style: Style,
        /// The algorithms of the entries, in order. If empty, those of the first entry.
        specs: Vec<Spec>,
        /// The folder that names are relative to, for formats that record it. Empty to leave it out.
        folder: Vec<u8>,
        /// The command, for formats that record it. Empty to leave it out.
        command: Vec<u8>,
        /// True if the superuser ran the command.
        superuser: bool,
        /// The time when the manifest is made and the name of the machine, for formats that record
        /// them.
        made: Option<(Time, String)>,
        /// The announce URL of a torrent's tracker, or empty for none.
        announce: Vec<u8>,
        /// True if clients may find peers of a torrent only through its tracker (BEP 27).
        private: bool,
        /// The rules by which files were excluded, for formats that have comments.
        rules: Vec<Rule>,
    }
}
