//! What a chart shows, not how it is drawn.

/// A chart: what is drawn, not how.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Unit of the values, `MB/s`.
    pub unit: String,
    /// Names of the series, in the order of their colours; at most eight.
    pub series: Vec<String>,
    /// The values.
    pub kind: Kind,
}

/// How values become lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From zero, in proportion.
    Linear,
    /// Each power of ten takes the same length; for values that differ a hundredfold.
    Log,
}

/// Bars or lines.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Horizontal bars from zero: for each label a value of each series. A bar's length is its value, so there is no other
    /// scale for them.
    Bars {
        /// From top to bottom.
        rows: Vec<(String, Vec<Option<f64>>)>,
        /// Vertical lines across all bars: limits to compare with.
        marks: Vec<(String, f64)>,
    },
    /// Lines over labelled places: for each series a value at each place.
    Lines {
        /// How values become heights.
        scale: Scale,
        /// What the places are.
        x_title: String,
        /// Labels of the places, left to right.
        places: Vec<String>,
        /// A line for each series.
        lines: Vec<Vec<Option<f64>>>,
    },
}
