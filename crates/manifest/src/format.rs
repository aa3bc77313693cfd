//! What a format is: one row says how it is recognised, what it holds, and how it is read and written.

mod head;
mod holds;
mod style;
mod writing;

pub use head::{Claim, Head, Sign};
pub use holds::{Algorithms, Cut, Holds, Names, Told};
pub use style::{Heading, Mode, SfvStyle, Spelling, Style};
pub use writing::{Compose, Unholdable, Writing};

use crate::algorithm::{Stated, algorithm_from_name, stated_by_name};
use crate::entry::Entry;
use crate::line::{Found, LineError, Place, Reason};
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use truesum_hash::{Secret, Spec};

/// One format of manifests.
pub struct Format {
    /// The name people type: lower case, unique.
    pub name: &'static str,
    /// Endings of file names that tell it, in lower case.
    pub file_names: &'static [&'static str],
    /// What it is and who writes it, in one line.
    pub summary: &'static str,
    /// What an entry of it can say.
    pub holds: Holds,
    /// What speaks for this format in the beginning of a manifest.
    pub sniff: fn(&Head<'_>) -> Option<Claim>,
    /// How it is read.
    pub reading: Reading,
    /// How it is written.
    pub writing: Writing,
    /// Where it leaves the algorithm open: the format of the same lines that names it.
    pub tagged: Option<&'static Format>,
}

/// How a format is read.
#[derive(Clone, Copy)]
pub enum Reading {
    /// Line by line, so that memory does not grow and a bad line costs no other.
    Lines {
        /// What ends a line: LF or NUL.
        terminator: u8,
        /// A parser of its lines, in order.
        parser: fn(&Options) -> Box<dyn Parse + Send>,
    },
    /// As a whole, because its structure ends only with the manifest: cut off, it says nothing.
    Document {
        /// Most bytes of a manifest, decoded.
        limit: usize,
        /// Looks at all of it, then gives entries and bad parts in order; or refuses the whole. What it gives may be made
        /// one by one, so that a document takes no more memory than a few times its bytes.
        parse: fn(Vec<u8>, &Options) -> Result<Parts, LineError>,
    },
    /// Unpacked, and then as what it is: a manifest of another format.
    Packed {
        /// Most bytes before unpacking.
        limit: usize,
        /// Gives what is packed, or an error where that is too much.
        unpack: fn(Vec<u8>) -> Box<dyn Read + Send>,
    },
    /// Not at all: it is no list of files. What it is, and what to do with it.
    Not(fn(&Options) -> String),
}

/// Entries and bad parts of a document, in order.
pub type Parts = Box<dyn Iterator<Item = Found> + Send>;

/// A parser of lines. It may remember earlier lines.
pub trait Parse {
    /// The entry of a line (without its terminator), or `None` where it says nothing: blank lines, comments, headers.
    ///
    /// # Errors
    /// Why it is no line of this format.
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason>;

    /// Told where each line stands before it is given, for parsers that hold entries back.
    fn at(&mut self, place: Place) {
        let _ = place;
    }

    /// Told once, after the last line: entries that were held back because a later line might have said more of them, and
    /// what is missing.
    fn end(&mut self) -> Vec<Found> {
        Vec::new()
    }
}

impl Format {
    /// What ends a line: LF or NUL. `None` for documents, whose line ends mean nothing.
    pub fn terminator(&self) -> Option<u8> {
        match self.reading {
            Reading::Lines { terminator, .. } => Some(terminator),
            Reading::Document { .. } | Reading::Packed { .. } | Reading::Not(_) => None,
        }
    }

    /// Whether entries leave their algorithm to the manifest's name or to the length of the digest.
    pub fn leaves_algorithm_open(&self) -> bool {
        self.holds.told == Told::Elsewhere
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// What is known of a manifest before it is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Algorithms asked for: a line of any other is a bad line. Empty: whatever the manifest says.
    pub asked: Vec<Spec>,
    /// The algorithm that the manifest's name tells ([`algorithm_from_name`]): lines without a tag are of it.
    pub named: Option<Spec>,
    /// An algorithm that the manifest's name tells and that there is not here: lines without a tag are refused by its name.
    pub unsupported: Option<&'static str>,
    /// The format; `None` recognises it.
    pub format: Option<&'static Format>,
    /// The manifest's name, for formats that are recognised by it.
    pub file_name: Option<Vec<u8>>,
    /// Accept digests that are too short to verify anything.
    pub allow_weak: bool,
    /// Accept digests of samples ([`Status::Sampled`](truesum_hash::Status::Sampled)) that nobody asked for. Who does must call
    /// nothing verified by them.
    pub allow_sampled: bool,
    /// Accept entries that have no digest at all. Who does must say that they were not verified.
    pub allow_undigested: bool,
    /// Accept entries that have digests of pieces. Who does must verify [`Entry::pieces`].
    pub allow_pieces: bool,
    /// Read sets of known digests ([`Holds::set`]). Who does must take no name of one for that of a file.
    pub allow_set: bool,
    /// Give digests of pieces too where they only say where damage is, and need [`Options::allow_pieces`] like all others.
    pub locating: bool,
    /// Give the digest of a file that is no longer than a piece as that of its piece too, where pieces are listed of longer ones.
    pub one_piece: bool,
    /// Read on, however many lines are no entries. Without, a million bad lines that are nearly all there is are an error.
    pub allow_noise: bool,
    /// The key under which digests are that need one, or say that they were made under one.
    pub key: Option<Secret>,
    /// Accept entries whose digests need a key that is not there ([`Spec::lacks_key`]). Who does must not compute them.
    pub allow_keyless: bool,
    /// What the file is called that a list of pieces without names is of, where its own name does not tell.
    pub subject: Option<Vec<u8>>,
    /// Set from outside, it ends the reading of a document, which can take seconds before its first entry.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Options {
    /// Whether reading is to end.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The options that a manifest's name tells.
    pub fn for_name(file_name: &[u8]) -> Options {
        Options {
            named: algorithm_from_name(file_name),
            unsupported: match stated_by_name(file_name) {
                Some(Stated::Other(name)) => Some(name),
                _ => None,
            },
            file_name: Some(file_name.to_vec()),
            ..Options::default()
        }
    }

    /// Those of what is packed in a manifest of these: its name is without the last ending.
    pub(crate) fn unpacked(&self) -> Options {
        let name = self.file_name.as_ref().map(|name| {
            let end = name.iter().rposition(|&byte| byte == b'.').unwrap_or(name.len());
            name[..end].to_vec()
        });
        let told = name.as_deref().map(Options::for_name).unwrap_or_default();
        Options {
            named: told.named,
            unsupported: told.unsupported,
            file_name: told.file_name,
            format: None,
            ..self.clone()
        }
    }

    /// The same for who wants to know what a manifest says, be it worth little, and verifies nothing by it.
    pub fn all_said(self) -> Options {
        Options {
            allow_weak: true,
            allow_sampled: true,
            allow_undigested: true,
            allow_pieces: true,
            allow_keyless: true,
            allow_set: true,
            ..self
        }
    }

    /// The algorithms a digest without a tag may be of; none means that its length decides.
    pub(crate) fn expected(&self) -> &[Spec] {
        if self.asked.is_empty() { self.named.as_slice() } else { &self.asked }
    }
}
