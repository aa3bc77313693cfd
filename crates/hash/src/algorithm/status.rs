//! The security status of algorithms. Every status cites its source, because users rely on it.

/// The security of an algorithm against an attacker who wants two files to have the same digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No practical attack known. The text cites the standard.
    Secure(&'static str),
    /// Not broken in practice, but short, withdrawn or theoretically broken. The text gives the reason and the source.
    Weakened(&'static str),
    /// Two different files with the same digest can be constructed. The text cites the attack.
    Broken(&'static str),
    /// Only parts of a message are read, so a matching digest verifies nothing. The text gives the number of bytes and
    /// the source.
    Sampled(&'static str),
    /// Designed to detect accidental errors, not attacks. The text names the definition.
    Checksum(&'static str),
}

impl Status {
    /// Returns the word for tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Secure(_) => "secure",
            Status::Weakened(_) => "weakened",
            Status::Broken(_) => "broken",
            Status::Sampled(_) => "sampled",
            Status::Checksum(_) => "checksum",
        }
    }

    /// Returns the reason and its source.
    pub fn reason(self) -> &'static str {
        match self {
            Status::Secure(why)
            | Status::Weakened(why)
            | Status::Broken(why)
            | Status::Sampled(why)
            | Status::Checksum(why) => why,
        }
    }

    /// Returns whether a matching digest shows that the bytes were not tampered with.
    pub fn tamper_evident(self) -> bool {
        matches!(self, Status::Secure(_) | Status::Weakened(_))
    }
}
