//! Digests that the user trusts.

use truesum::hash::Digest;

/// Reads a digest in hexadecimal, with or without its algorithm's name and a colon before it.
pub fn hexadecimal(text: &str) -> Result<Digest, String> {
    let hex = text.rsplit_once(':').map_or(text, |(_, hex)| hex);
    Digest::from_hex(hex.as_bytes()).map_err(|error| error.to_string())
}
