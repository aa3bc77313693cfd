//! What the drawings that are XML have in common.

/// Columns of a drawing, in its own units.
pub const WIDTH: f64 = 1200.0;

/// Text as XML shows it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
