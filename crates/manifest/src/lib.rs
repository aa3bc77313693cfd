//! Checksum manifests: parses text to entries and writes entries as text. This crate opens no
//! files; it takes a [`std::io::Read`] and writes to a [`std::io::Write`].
//!
//! [`FORMATS`] is the table of formats. A [`Reader`] recognizes the format of a manifest and
//! returns its entries one by one; a [`Writer`] writes entries. Names are bytes throughout.
//!
//! ```
//! use truesum_manifest::{Options, Reader};
//! let text = b"# made by hand\nd41d8cd98f00b204e9800998ecf8427e  empty\nSHA256 (x) = oops\n";
//! let lines: Vec<_> = Reader::new(&text[..], Options::default()).collect();
//! assert_eq!(lines[0].as_ref().unwrap().entry.path, b"empty");
//! assert_eq!(
//!     lines[1].as_ref().unwrap_err().to_string(),
//!     "line 3: x: wrong digest length for sha256 (4 characters, not 64)"
//! );
//! ```

#[macro_use]
extern crate truesum_hash;

mod algorithm;
pub mod apk;
pub mod charset;
mod comment;
pub mod convert;
mod digest;
pub mod edit;
pub mod encoding;
mod entry;
mod format;
mod formats;
mod gather;
pub mod identify;
pub mod iso;
mod joined;
pub mod json;
mod line;
mod lines;
pub mod ocfl;
pub mod original;
pub mod path;
mod radix;
mod reader;
mod records;
mod rule;
mod scan;
mod signed;
pub mod signify;
mod table;
pub mod template;
pub mod weak;
mod writer;

pub use algorithm::{algorithm_from_name, implies_algorithm, meant, same_length, usual};
pub use entry::{
    Boundaries, Entry, MAX_ALGORITHMS, ObjectKind, Piece, PieceComparison, PieceHashing, PieceList,
    SIZE_LIMIT, Time,
};
pub use format::{
    AlgorithmSource, Algorithms, Capabilities, Claim, Compose, Format, Head, Heading, Mode, Names, Options,
    Parse, Parts, PieceLayout, Reading, Refusal, SfvStyle, Sign, Spelling, Style, Unrepresentable, VERIFY,
    Writing,
};
pub use formats::FORMATS;
pub use formats::mhl::{
    AscMhlFile, AscMhlList, HashAction, IGNORED as ASCMHL_IGNORED, ascmhl_generation, ascmhl_list,
    chain as ascmhl_chain, extended_chain as extended_ascmhl_chain,
};
pub use joined::{Joined, Window};
pub use line::{Line, LineError, LineResult, Place, ReadError, Reason};
pub use lines::{LINE_LIMIT, Lines, RawLine};
pub use path::NAME_LIMIT;
pub use radix::{from_nix32, to_c4, to_nix32};
pub use reader::{Omitted, Reader, Signer};
pub use rule::{Rule, Rules, literal_glob};
pub use table::{COMPRESSED, detect, for_file, format, has_manifest_name};
pub use writer::{WriteError, Writer, append};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
