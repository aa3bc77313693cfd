//! Trusted digests.

use truesum::hash::Digest;

/// Parses a hexadecimal digest, optionally preceded by its algorithm's name and a colon.
pub fn hexadecimal(text: &str) -> Result<Digest, String> {
    let hex = text.rsplit_once(':').map_or(text, |(_, hex)| hex);
    Digest::from_hex(hex.as_bytes()).map_err(|error| error.to_string())
}
