//! What may be said of an algorithm's security. Every status cites its source, because people act on it.

/// What may be said of an algorithm against a person who wants two files to look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No practical attack known. The text cites the standard.
    Secure(&'static str),
    /// Not broken in practice, but short, withdrawn or theoretically broken. The text says why and cites.
    Weakened(&'static str),
    /// Two different files with the same digest can be made. The text cites the attack.
    Broken(&'static str),
    /// Only parts of a message are looked at: an equal digest verifies nothing. The text says how many bytes, and cites.
    Sampled(&'static str),
    /// Made against accidents, not against people. The text names the definition.
    Checksum(&'static str),
}

impl Status {
    /// One word for tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Secure(_) => "secure",
            Status::Weakened(_) => "weakened",
            Status::Broken(_) => "broken",
            Status::Sampled(_) => "sampled",
            Status::Checksum(_) => "checksum",
        }
    }

    /// The reason and its source.
    pub fn reason(self) -> &'static str {
        match self {
            Status::Secure(why)
            | Status::Weakened(why)
            | Status::Broken(why)
            | Status::Sampled(why)
            | Status::Checksum(why) => why,
        }
    }

    /// Whether an equal digest tells that nobody tampered with the bytes.
    pub fn tamper_evident(self) -> bool {
        matches!(self, Status::Secure(_) | Status::Weakened(_))
    }
}
