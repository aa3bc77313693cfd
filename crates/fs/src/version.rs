//! One version of an object that is not in a file system. It is read at arbitrary offsets and takes the place of a
//! descriptor.

use crate::error::Error;
use std::fmt;

/// An open version of an object, which several threads can use at once.
///
/// All bytes belong to this one version; otherwise, reading fails with [`Cause::Changed`](crate::Cause::Changed).
pub trait Version: fmt::Debug + Send + Sync {
    /// Returns the size in bytes.
    fn size(&self) -> u64;

    /// Returns the tag that distinguishes it from other versions.
    fn tag(&self) -> &str;

    /// Returns a number derived from the tag, which takes the place of an inode number and is the same on every
    /// machine.
    fn number(&self) -> u64;

    /// Returns the modification time in seconds since 1970.
    fn modified(&self) -> i64;

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// Fails if the version no longer exists, cannot be read or is too short, or if the run was stopped.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error>;
}
