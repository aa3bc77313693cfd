//! The result of testing whether a file is open for writing.

/// Whether a file is open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// The file is not open for writing at this moment.
    None,
    /// The file is open for writing, possibly by this process.
    Some,
    /// Unknown: the system has no such test, the file belongs to another user, or its file system does not support the
    /// test.
    Unknown,
}
