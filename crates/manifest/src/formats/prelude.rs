//! The names that most formats need.

pub(super) use crate::entry::Entry;
pub(super) use crate::format::{
    Algorithms, Claim, Compose, EachLine, Format, Head, Heading, Holds, Names, Options, Parse, Parts,
    Reading, Sign, Style, Unholdable, Writing,
};
pub(super) use crate::line::{Found, Line, LineError, Place, Reason};
pub(super) use crate::{radix, scan};
pub(super) use truesum_hash::{Digest, Spec, find};
