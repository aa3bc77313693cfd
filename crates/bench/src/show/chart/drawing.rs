//! An SVG being drawn: its elements in painting order, text last.

use super::theme::{Paint, escape, width_of};
use std::fmt::Write;

/// A box: left, top, right, bottom.
type Area = [f64; 4];

/// Shapes and text.
pub(super) struct Drawing {
    shapes: String,
    /// Painted last, so that no line crosses text.
    words: String,
    /// The areas covered by text.
    taken: Vec<Area>,
    pub(super) width: f64,
}

impl Drawing {
    /// Returns an empty drawing of this width.
    pub(super) fn new(width: f64) -> Drawing {
        Drawing { shapes: String::new(), words: String::new(), taken: Vec::new(), width }
    }

    /// Returns the elements: shapes, and text to be painted after them.
    pub(super) fn into_parts(self) -> (String, String) {
        (self.shapes, self.words)
    }

    pub(super) fn text(&mut self, x: f64, y: f64, anchor: &str, paint: Paint, text: &str) {
        let width = width_of(text);
        let left = match anchor {
            "end" => x - width,
            "middle" => x - width / 2.0,
            _ => x,
        };
        self.taken.push([left, y - 11.0, left + width, y + 4.0]);
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let (paint, text) = (paint.attributes(), escape(text));
        let _ = write!(self.words, "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} {paint}>{text}</text>");
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], paint: Paint) {
        let paint = paint.attributes();
        let _ = write!(
            self.shapes,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {paint}/>"
        );
    }

    /// Draws a vertical line from `top` to `bottom`, interrupted where it would cross existing text.
    pub(super) fn limit(&mut self, x: f64, top: f64, bottom: f64) {
        let mut crossed: Vec<(f64, f64)> = self
            .taken
            .iter()
            .filter(|[left, _, right, _]| (left - 2.0..right + 2.0).contains(&x))
            .map(|[_, above, _, below]| (*above, *below))
            .filter(|(above, below)| *below > top && *above < bottom)
            .collect();
        crossed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut from = top;
        for (above, below) in crossed {
            if above - from > 1.0 {
                self.line([x, from, x, above], Paint::Limit);
            }
            from = from.max(below);
        }
        if bottom - from > 1.0 {
            self.line([x, from, x, bottom], Paint::Limit);
        }
    }

    pub(super) fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, series: usize, tip: &str) {
        let paint = Paint::Fill(series).attributes();
        let _ = write!(
            self.shapes,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"1.5\" {paint}>\
             <title>{}</title></rect>",
            escape(tip)
        );
    }

    /// Draws a line through points, each with a tooltip.
    pub(super) fn path(&mut self, points: &[(f64, f64, String)], series: usize) {
        let path: Vec<String> = points.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
        let paint = Paint::Stroke(series).attributes();
        let _ = write!(self.shapes, "<polyline points=\"{}\" {paint}/>", path.join(" "));
        let paint = Paint::Fill(series).attributes();
        for (x, y, tip) in points {
            let _ = write!(
                self.shapes,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {paint}><title>{}</title></circle>",
                escape(tip)
            );
        }
    }

    /// Draws the names of the series with their colors, wrapped; returns the height used.
    pub(super) fn legend(&mut self, series: &[String], top: f64) -> f64 {
        if series.len() < 2 {
            return 0.0;
        }
        let (mut x, mut y) = (0.0, top + 12.0);
        for (i, name) in series.iter().enumerate() {
            let width = 18.0 + width_of(name) + 14.0;
            if x > 0.0 && x + width > self.width {
                x = 0.0;
                y += 18.0;
            }
            self.bar(x, y - 9.0, 11.0, 11.0, i, name);
            self.text(x + 16.0, y, "start", Paint::Text, name);
            x += width;
        }
        y - top + 14.0
    }
}
