//! Manifests (text to entries and back).
/// Placeholder until the codecs land.
pub mod path {
    /// tmp
    pub fn display_safe(b: &[u8]) -> String {
        String::from_utf8_lossy(b).into_owned()
    }
}
/// Placeholder until the codecs land.
#[derive(Debug)]
pub struct LineError;
