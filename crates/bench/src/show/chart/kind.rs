//! The contents of a chart, independent of how it is drawn.

/// A chart: its contents, not its appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// Unit of the values, `MB/s`.
    pub unit: String,
    /// Names of the series, in the order of their colors; at most eight.
    pub series: Vec<String>,
    /// The values.
    pub kind: Kind,
}

/// Specifies how values are scaled to lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Proportional, from zero.
    Linear,
    /// Each power of ten has the same length; for values that differ a hundredfold.
    Log,
}

/// Bars or lines.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Horizontal bars from zero: for each label a value of each series. A bar's length is proportional to its value,
    /// so they have no other scale.
    Bars {
        /// From top to bottom.
        rows: Vec<(String, Vec<Option<f64>>)>,
        /// Vertical lines across all bars: limits to compare with.
        marks: Vec<(String, f64)>,
    },
    /// Lines over labeled positions: for each series a value at each position.
    Lines {
        /// Specifies how values are scaled to heights.
        scale: Scale,
        /// The title of the horizontal axis.
        x_title: String,
        /// Labels of the positions, left to right.
        places: Vec<String>,
        /// A line for each series.
        lines: Vec<Vec<Option<f64>>>,
    },
}
