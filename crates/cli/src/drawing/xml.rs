//! Helpers shared by the XML drawings.

/// Width of a drawing, in its own units.
pub const WIDTH: f64 = 1200.0;

/// Returns text with the characters escaped that are special in XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
