//! Colours and letters of charts, and the escaping of their words.

use std::fmt::Write;

/// Where colours come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A file of its own that follows the reader's light or dark setting.
    Both,
    /// A file of its own, light, without style sheets: for conversion to PNG.
    Light,
    /// Part of a page that holds `STYLE`.
    Inline,
}

/// Colours of texts, grid and eight series, light and dark: told apart with any kind of colour vision, and 3:1 or more
/// against the ground.
pub(super) const LIGHT: [&str; 12] = [
    "#ffffff", "#1b1f24", "#57606a", "#dde1e6", "#0969c5", "#c4570a", "#1a7f4b", "#8250c8", "#b3324b",
    "#0d7d8a", "#7d6a00", "#b13b86",
];

const DARK: [&str; 12] = [
    "#15181c", "#e6e9ed", "#a3abb5", "#2f353d", "#5aa7f2", "#f0944a", "#56c288", "#b594ec", "#f07f92",
    "#4fc0cc", "#cdb63a", "#ec86c0",
];

pub(super) const FONT: f64 = 12.0;

/// Width of a character of 12 px in the widest usual sans-serif fonts, on average.
const CHARACTER: f64 = 6.9;

pub(super) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// Escapes text for XML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML 1.0 has no way to write most control characters.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

fn variables(colours: &[&str; 12]) -> String {
    let names = ["ground", "text", "muted", "grid", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    names.iter().zip(colours).map(|(name, colour)| format!("--{name}:{colour};")).collect()
}

/// The style sheet of charts, with colours for light and dark.
pub fn style() -> String {
    let mut css = format!(
        ":root{{color-scheme:light dark;{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}\
         svg text{{font:{FONT}px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:var(--text);\
         paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}}\
         svg .m{{fill:var(--muted)}}svg .g{{stroke:var(--grid);stroke-width:1}}svg .h{{font-weight:600}}\
         svg .k{{stroke:var(--text);stroke-width:1;stroke-dasharray:4 3}}\
         svg polyline{{fill:none;stroke-width:2}}",
        variables(&LIGHT),
        variables(&DARK)
    );
    for i in 0..8 {
        let _ = write!(css, "svg .f{i}{{fill:var(--c{i})}}svg .s{i}{{stroke:var(--c{i})}}");
    }
    css
}
