//! One version of a file that lies in no file system, read by place: whoever can read it stands in for a descriptor.

use crate::error::Error;
use std::fmt;

/// A version of a file that is open, for several threads at once.
///
/// All its bytes are of this one version, or reading fails as [`Cause::Changed`](crate::Cause::Changed).
pub trait Version: fmt::Debug + Send + Sync {
    /// Bytes of it.
    fn size(&self) -> u64;

    /// What tells it from the others.
    fn tag(&self) -> &str;

    /// A number made of that, the same wherever it is made: it stands where a file has its inode number.
    fn number(&self) -> u64;

    /// When it was written: seconds since 1970.
    fn modified(&self) -> i64;

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// It is not there any more, cannot be read, or does not reach so far; it was told to stop.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error>;
}
