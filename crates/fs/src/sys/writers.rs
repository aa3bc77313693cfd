//! The result of testing whether a file is open for writing.

/// Whether a file is open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// The file is not open for writing at this moment.
    None,
    /// The file is open for writing, possibly by this process.
    Some,
    /// This cannot be determined.
    Unknown(Obstacle),
}

/// The reason why a test is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The system has no such test.
    System,
    /// The file system does not support the test.
    FileSystem,
    /// The file belongs to another user, and only its owner and root may test it.
    Owner,
}
