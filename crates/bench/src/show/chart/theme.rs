//! Colours and letters of charts, and the escaping of their words.
//!
//! Every element has its light colour as an attribute, because what converts SVG knows no variables and often no style sheets;
//! classes let a style sheet put the dark colour over it.

use std::fmt::Write;

/// Where a chart will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A file of its own that follows the reader's light or dark setting.
    Both,
    /// A file of its own, light, without a style sheet: for conversion to PNG.
    Light,
    /// Part of a page that holds [`dark`].
    Inline,
}

/// A colour on light and on dark ground.
struct Colour {
    light: &'static str,
    dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

const GROUND: Colour = colour("#ffffff", "#15181c");
const TEXT: Colour = colour("#1b1f24", "#e6e9ed");
const MUTED: Colour = colour("#57606a", "#a3abb5");
const GRID: Colour = colour("#dde1e6", "#2f353d");

/// Colours of the series: told apart with any kind of colour vision, and 3:1 or more against the ground.
const SERIES: [Colour; 8] = [
    colour("#0969c5", "#5aa7f2"),
    colour("#c4570a", "#f0944a"),
    colour("#1a7f4b", "#56c288"),
    colour("#8250c8", "#b594ec"),
    colour("#b3324b", "#f07f92"),
    colour("#0d7d8a", "#4fc0cc"),
    colour("#7d6a00", "#cdb63a"),
    colour("#b13b86", "#ec86c0"),
];

/// How an element is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// The ground below all.
    Ground,
    /// A word.
    Text,
    /// The title.
    Heading,
    /// A figure, a unit.
    Muted,
    /// A line at a round value.
    Grid,
    /// The line of a limit.
    Limit,
    /// What is filled for a series.
    Fill(usize),
    /// A series' line.
    Stroke(usize),
}

impl Paint {
    /// The class, the attribute that has the colour, and what else is always so.
    fn row(self) -> (String, &'static str, &'static Colour, &'static str) {
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

    /// The attributes.
    pub(super) fn attributes(self) -> String {
        let (class, attribute, colour, rest) = self.row();
        format!("class=\"{class}\" {attribute}=\"{}\"{rest}", colour.light)
    }
}

const FONT: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";

/// The attributes of all words: a halo of the ground parts them from what is below.
pub(super) fn letters() -> String {
    format!(
        "class=\"halo\" font-family=\"{FONT}\" font-size=\"12\" paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"3\" \
         stroke-linejoin=\"round\"",
        GROUND.light
    )
}

/// Width of a character of 12 px in the widest usual sans-serif fonts, on average.
const CHARACTER: f64 = 6.9;

/// No less than the width of a text.
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

/// The style sheet that puts dark colours over the light ones where the reader's setting is dark.
pub fn dark() -> String {
    let mut rules = format!("svg .halo{{stroke:{}}}", GROUND.dark);
    let fixed = [Paint::Ground, Paint::Text, Paint::Heading, Paint::Muted, Paint::Grid, Paint::Limit];
    let series = (0..SERIES.len()).flat_map(|i| [Paint::Fill(i), Paint::Stroke(i)]);
    for paint in fixed.into_iter().chain(series) {
        let (class, attribute, colour, _) = paint.row();
        let _ = write!(rules, "svg .{class}{{{attribute}:{}}}", colour.dark);
    }
    format!("@media(prefers-color-scheme:dark){{{rules}}}")
}

/// The colours as variables of a page: `ground`, `text`, `muted`, `grid`, and `c0`, `c1` of the first two series.
pub fn variables() -> String {
    let named = [
        ("ground", &GROUND),
        ("text", &TEXT),
        ("muted", &MUTED),
        ("grid", &GRID),
        ("c0", &SERIES[0]),
        ("c1", &SERIES[1]),
    ];
    let all = |pick: fn(&Colour) -> &'static str| -> String {
        named.iter().map(|(name, colour)| format!("--{name}:{};", pick(colour))).collect()
    };
    format!(
        ":root{{color-scheme:light dark;{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}",
        all(|colour| colour.light),
        all(|colour| colour.dark)
    )
}
