//! Colors and fonts of charts, and the escaping of their text.
//!
//! Every element has its light color as an attribute, because SVG converters do not support variables and often no
//! style sheets; classes let a style sheet override it with the dark color.

use std::fmt::Write;

/// Specifies where a chart is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A separate file that follows the reader's light or dark setting.
    Both,
    /// A separate file, light, without a style sheet: for conversion to PNG.
    Light,
    /// Part of a page that includes [`dark`].
    Inline,
}

/// A color on a light and on a dark background.
struct Color {
    light: &'static str,
    dark: &'static str,
}

const fn color(light: &'static str, dark: &'static str) -> Color {
    Color { light, dark }
}

const GROUND: Color = color("#ffffff", "#15181c");
const TEXT: Color = color("#1b1f24", "#e6e9ed");
const MUTED: Color = color("#57606a", "#a3abb5");
const GRID: Color = color("#dde1e6", "#2f353d");

/// Colors of the series: distinguishable with any kind of color vision, and with a contrast of 3:1 or more to the
/// background.
const SERIES: [Color; 8] = [
    color("#0969c5", "#5aa7f2"),
    color("#c4570a", "#f0944a"),
    color("#1a7f4b", "#56c288"),
    color("#8250c8", "#b594ec"),
    color("#b3324b", "#f07f92"),
    color("#0d7d8a", "#4fc0cc"),
    color("#7d6a00", "#cdb63a"),
    color("#b13b86", "#ec86c0"),
];

/// Specifies how an element is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// The background.
    Ground,
    /// Text.
    Text,
    /// The title.
    Heading,
    /// A number or a unit.
    Muted,
    /// A grid line at a round value.
    Grid,
    /// The line of a limit.
    Limit,
    /// The fill of a series.
    Fill(usize),
    /// The line of a series.
    Stroke(usize),
}

impl Paint {
    /// Returns the class, the attribute with the color, and the fixed attributes.
    fn row(self) -> (String, &'static str, &'static Color, &'static str) {
        let series = |i: usize| &SERIES[i % SERIES.len()];
        let fixed = |class: &str| class.to_owned();
        match self {
            Paint::Ground => (fixed("ground"), "fill", &GROUND, ""),
            Paint::Text => (fixed("t"), "fill", &TEXT, ""),
            Paint::Heading => (fixed("h"), "fill", &TEXT, " font-weight=\"600\""),
            Paint::Muted => (fixed("m"), "fill", &MUTED, ""),
            Paint::Grid => (fixed("g"), "stroke", &GRID, ""),
            Paint::Limit => (fixed("k"), "stroke", &TEXT, " stroke-dasharray=\"4 3\""),
            Paint::Fill(i) => (format!("f{i}"), "fill", series(i), ""),
            Paint::Stroke(i) => (format!("s{i}"), "stroke", series(i), " stroke-width=\"2\" fill=\"none\""),
        }
    }

    /// Returns the attributes.
    pub(super) fn attributes(self) -> String {
        let (class, attribute, color, rest) = self.row();
        format!("class=\"{class}\" {attribute}=\"{}\"{rest}", color.light)
    }
}

const FONT: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";

/// Returns the attributes of all text: an outline in the background color separates it from shapes below.
pub(super) fn letters() -> String {
    format!(
        "class=\"halo\" font-family=\"{FONT}\" font-size=\"12\" paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"3\" \
         stroke-linejoin=\"round\"",
        GROUND.light
    )
}

/// Width of a 12 px character in the widest common sans-serif fonts, on average.
const CHARACTER: f64 = 6.9;

/// Returns an upper bound for the width of a text.
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
            // XML 1.0 cannot represent most control characters.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the style sheet that overrides the light colors with dark ones if the reader's setting is dark.
pub fn dark() -> String {
    let mut rules = format!("svg .halo{{stroke:{}}}", GROUND.dark);
    let fixed = [Paint::Ground, Paint::Text, Paint::Heading, Paint::Muted, Paint::Grid, Paint::Limit];
    let series = (0..SERIES.len()).flat_map(|i| [Paint::Fill(i), Paint::Stroke(i)]);
    for paint in fixed.into_iter().chain(series) {
        let (class, attribute, color, _) = paint.row();
        let _ = write!(rules, "svg .{class}{{{attribute}:{}}}", color.dark);
    }
    format!("@media(prefers-color-scheme:dark){{{rules}}}")
}

/// Returns the colors as variables of a page: `ground`, `text`, `muted`, `grid`, and `c0`, `c1` for the first two
/// series.
pub fn variables() -> String {
    let named = [
        ("ground", &GROUND),
        ("text", &TEXT),
        ("muted", &MUTED),
        ("grid", &GRID),
        ("c0", &SERIES[0]),
        ("c1", &SERIES[1]),
    ];
    let all = |pick: fn(&Color) -> &'static str| -> String {
        named.iter().map(|(name, color)| format!("--{name}:{};", pick(color))).collect()
    };
    format!(
        ":root{{color-scheme:light dark;{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}",
        all(|color| color.light),
        all(|color| color.dark)
    )
}
