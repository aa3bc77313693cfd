//! The names that most formats need.

pub(super) use crate::entry::Entry;
pub(super) use crate::format::{
    Algorithms, Capabilities, Claim, Compose, Format, Head, Heading, LineParser, Names, Options, Parse,
    Parts, Reading, Sign, Style, Syntax, Unrepresentable, Writing,
};
pub(super) use crate::line::{Line, LineError, LineResult, Place, Reason};
pub(super) use crate::{radix, scan};
pub(super) use truesum_hash::{Digest, Spec, find};
