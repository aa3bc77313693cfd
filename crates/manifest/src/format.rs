//! Manifest formats: a row describes how a format is recognized, which information it holds, and
//! how it is read and written.

mod capabilities;
mod head;
mod refusal;
mod style;
mod syntax;
mod writing;

pub use capabilities::{AlgorithmSource, Algorithms, Capabilities, Names, PieceLayout};
pub use head::{Claim, Head, Sign};
pub use refusal::{Refusal, VERIFY};
pub use style::{Heading, Mode, SfvStyle, Spelling, Style};
pub(crate) use syntax::{Fit, Syntax, SyntaxReader};
pub use writing::{Compose, Unrepresentable, Writing};

use crate::algorithm::{NamedAlgorithm, algorithm_from_name, algorithm_in_file_name};
use crate::entry::Entry;
use crate::line::{LineError, LineResult, Place, Reason};
use crate::rule::Rule;
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use truesum_hash::{Secret, Spec};

readable! {
    /// A manifest format.
    pub struct Format {
        /// The name that users type: lower case, unique.
        name: &'static str,
        /// Suffixes of file names that identify the format, in lower case.
        file_names: &'static [&'static str],
        /// A description of the format and of the programs that write it, in one line.
        summary: &'static str,
        /// The information that its entries can hold.
        capabilities: Capabilities => &Capabilities,
        /// The way to read it.
        reading: Reading,
        /// The way to write it.
        writing: Writing,
        /// The format of the same lines with the algorithm in each line, if this format leaves the
        /// algorithm open.
        tagged: Option<&'static Format>,
        /// The mark at the beginning of a comment line, if the format has comments and [`Heading`] can
        /// add rules to it.
        comment: Option<&'static str>,
    }
    private {
        /// Looks for evidence of this format in the beginning of a manifest.
        sniff: fn(&Head<'_>) -> Option<Claim>,
        /// Returns the rules of a document, or of a line without an entry, if they are not comments.
        rules: Option<fn(&[u8]) -> Vec<Rule>>,
        /// The syntax of lines without an entry. Other lines with a digest are errors.
        syntax: Syntax,
    }
}

/// A way to read a format.
#[derive(Clone, Copy)]
pub enum Reading {
    /// Line by line, so that memory use is bounded and a bad line does not affect others.
    Lines {
        /// The byte that ends a line: LF or NUL.
        terminator: u8,
        /// Creates a parser, which receives all lines in order.
        parser: fn(&Options) -> Box<dyn Parse + Send>,
    },
    /// As a complete document, because its structure ends only with the manifest: a truncated
    /// document is rejected.
    Document {
        /// Maximum size of the decoded manifest in bytes.
        limit: usize,
        /// Parses the complete document. Returns its entries and malformed parts in order, or an
        /// error for the document as a whole. Entries may be produced one by one, so that a
        /// document takes only a few times its size in memory.
        parse: fn(Vec<u8>, &Options) -> Result<Parts, LineError>,
    },
    /// By unpacking it and reading the content as a manifest of another format.
    Packed {
        /// Maximum size before unpacking, in bytes.
        limit: usize,
        /// Returns the unpacked content, which fails to read if it is too large.
        unpack: fn(Vec<u8>) -> Box<dyn Read + Send>,
    },
    /// Not read, because it is not a list of files.
    Not(Refusal),
}

/// The entries and malformed parts of a document, in order.
pub type Parts = Box<dyn Iterator<Item = LineResult> + Send>;

/// A parser of lines. It may remember earlier lines.
pub trait Parse {
    /// Returns the entry of a line (without its terminator), or `None` if the line has no entry:
    /// blank lines, comments, headers.
    ///
    /// # Errors
    /// Fails if the text is not a line of this format.
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason>;

    /// Returns whether the last line, for which [`Parse::line`] returned no entry, is part of a later entry or has another
    /// meaning in the format. Such a line may have the form of a line of another format.
    fn has_kept_line(&self) -> bool {
        false
    }

    /// Receives the position of each line before the line itself, for parsers that hold back
    /// entries.
    fn at(&mut self, place: Place) {
        let _ = place;
    }

    /// Returns the entry of the last lines, which ends with the manifest, or an error for what is
    /// missing. Called once, after the last line.
    ///
    /// # Errors
    /// Fails if the manifest is incomplete.
    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        Ok(None)
    }

    /// Returns the entries that were held back because a later line could have added to them. Called
    /// once, after [`Parse::last`]; they precede what that returned.
    fn deferred(&mut self) -> Vec<LineResult> {
        Vec::new()
    }
}

/// A parser of lines that do not depend on each other.
pub(crate) struct LineParser {
    options: Options,
    line: fn(&[u8], &Options) -> Result<Option<Entry>, Reason>,
}

impl LineParser {
    /// Creates a parser that calls `line` with each line.
    pub(crate) fn of(
        options: &Options,
        line: fn(&[u8], &Options) -> Result<Option<Entry>, Reason>,
    ) -> Box<dyn Parse + Send> {
        Box::new(LineParser { options: options.clone(), line })
    }
}

impl Parse for LineParser {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        (self.line)(line, &self.options)
    }
}

impl Reading {
    /// Does not read a file that is not a list of files.
    pub(crate) const fn not(text: &'static str) -> Reading {
        Reading::Not(Refusal::Text(text))
    }

    /// Reads lines that end with LF.
    pub(crate) const fn lines(parser: fn(&Options) -> Box<dyn Parse + Send>) -> Reading {
        Reading::Lines { terminator: b'\n', parser }
    }

    /// Reads a document of at most `limit` bytes.
    pub(crate) const fn document(
        limit: usize,
        parse: fn(Vec<u8>, &Options) -> Result<Parts, LineError>,
    ) -> Reading {
        Reading::Document { limit, parse }
    }
}

impl Format {
    /// The values that most rows share: the format is not written, and holds digests of all
    /// algorithms and nothing else.
    pub(crate) const DEFAULT: Format = Format {
        name: "",
        file_names: &[],
        summary: "",
        capabilities: Capabilities::DIGESTS,
        sniff: |_| None,
        rules: None,
        syntax: Syntax::Any,
        reading: Reading::not(""),
        writing: Writing::No,
        tagged: None,
        comment: None,
    };

    /// Returns the byte that ends a line, LF or NUL, or `None` for documents, where line ends have
    /// no meaning.
    pub fn terminator(&self) -> Option<u8> {
        match self.reading {
            Reading::Lines { terminator, .. } => Some(terminator),
            Reading::Document { .. } | Reading::Packed { .. } | Reading::Not(_) => None,
        }
    }

    /// Returns whether a manifest can contain patterns of excluded files that are not comments.
    pub fn has_exclusions(&self) -> bool {
        self.rules.is_some()
    }

    /// Returns whether a manifest can contain this rule, as a comment or in another form.
    pub fn can_store_rule(&self, rule: &Rule) -> bool {
        let is_written = !matches!(self.writing, Writing::No);
        let has_place = self.comment.is_some() || self.has_exclusions() && matches!(rule, Rule::Exclude(_));
        is_written && has_place && rule.fits_line()
    }

    /// Returns whether the algorithm of an entry depends on the manifest's name or on the length of
    /// the digest.
    pub fn leaves_algorithm_open(&self) -> bool {
        self.capabilities.algorithm_source == AlgorithmSource::Elsewhere
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

options! {
    /// Information about a manifest that is available before it is read.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// The requested algorithms: a line with any other is a bad line. If empty, all algorithms are
        /// accepted.
        requested: Vec<Spec>,
        /// The algorithm in the manifest's name ([`algorithm_from_name`]), which applies to lines
        /// without a tag.
        named: Option<Spec>,
        /// An unsupported algorithm in the manifest's name: lines without a tag are rejected with this
        /// name.
        unsupported: Option<&'static str>,
        /// The format, or `None` to recognize it.
        format: Option<&'static Format>,
        /// The manifest's name, for formats that are recognized by it.
        file_name: Option<Vec<u8>>,
        /// Accept digests that are too short to verify anything.
        allow_weak: bool,
        /// Accept digests of samples ([`Status::Sampled`](truesum_hash::Status::Sampled)) that were not
        /// requested. Callers that set this must not report such files as verified.
        allow_sampled: bool,
        /// Accept entries without any digest. Callers that set this must report that they were not
        /// verified.
        allow_undigested: bool,
        /// Accept entries with digests of pieces. Callers that set this must verify [`Entry::pieces`].
        allow_pieces: bool,
        /// Read sets of known digests ([`Capabilities::set`]). Callers that set this must not look for files
        /// with the names in the set.
        allow_set: bool,
        /// Also return digests of pieces that only locate damage. Like all others, they need
        /// [`Options::allow_pieces`].
        locating: bool,
        /// Also return the names of attributes that are not read ([`Entry::attributes`]), so that their
        /// loss can be reported.
        attributes: bool,
        /// Also return the digest of a file that is no longer than a piece as the digest of its piece,
        /// in formats that list pieces only for longer files.
        one_piece: bool,
        /// Continue after any number of bad lines. Without this, a million bad lines with hardly any
        /// entries among them are an error.
        allow_noise: bool,
        /// The key for digests that need one or are marked as made with one.
        key: Option<Secret>,
        /// Accept entries whose digests need a key that is not available ([`Spec::lacks_key`]). Callers
        /// that set this must not compute them.
        allow_keyless: bool,
        /// The name of the file that a list of pieces or a digest without a name describes, if the name of
        /// the manifest does not show it.
        subject: Option<Vec<u8>>,
        /// A flag that stops the reading of a document when it is set from outside; reading can take
        /// seconds before the first entry.
        stop: Option<Arc<AtomicBool>>,
    }
    private {
        /// A flag that is set when an algorithm is assumed from the length of a digest because nothing names it.
        assumed: Arc<AtomicBool>,
        /// Some digests of the manifest are in base32 without doubt, so doubtful ones are too.
        in_base32: bool,
    }
}

getters! { Options {
    /// Returns the requested algorithms.
    requested_algorithms: &[Spec] = [& requested];
    /// Returns the specified format.
    specified_format: Option<&'static Format> = [format];
    /// Returns the manifest's name.
    manifest_name: Option<&[u8]> = [file_name.as_deref()];
    /// Returns the key for digests that need one, if it is known.
    secret: Option<&Secret> = [key.as_ref()];
} }

impl Options {
    /// Returns whether the caller has stopped the reading.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the options that follow from a manifest's name.
    pub fn for_name(file_name: &[u8]) -> Options {
        Options {
            named: algorithm_from_name(file_name),
            unsupported: match algorithm_in_file_name(file_name) {
                Some(NamedAlgorithm::Other(name)) => Some(name),
                _ => None,
            },
            file_name: Some(file_name.to_vec()),
            ..Options::default()
        }
    }

    /// Returns the options for the content of a packed manifest, whose name lacks the last suffix.
    pub(crate) fn unpacked(&self) -> Options {
        let name = self.file_name.as_ref().map(|name| {
            let end = name.iter().rposition(|&byte| byte == b'.').unwrap_or(name.len());
            name[..end].to_vec()
        });
        let options = name.as_deref().map(Options::for_name).unwrap_or_default();
        Options {
            named: options.named,
            unsupported: options.unsupported,
            file_name: options.file_name,
            format: None,
            ..self.clone()
        }
    }

    /// Returns options that accept everything, for callers that show the content of a manifest and
    /// verify nothing with it.
    pub fn accept_all(self) -> Options {
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

    /// Returns the algorithms that a digest without a tag may have. If there are none, its length
    /// decides.
    pub fn expected(&self) -> &[Spec] {
        if self.requested.is_empty() { self.named.as_slice() } else { &self.requested }
    }
}
