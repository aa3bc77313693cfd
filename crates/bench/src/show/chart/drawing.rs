//! An SVG under way: its elements, and whether colours are classes or attributes.

use super::theme::{LIGHT, Theme, escape, width_of};
use std::fmt::Write;

/// A drawing under way: elements, and whether colours are classes or attributes.
pub(super) struct Drawing {
    pub(super) body: String,
    /// Drawn last, so that no line crosses a word.
    pub(super) texts: String,
    pub(super) theme: Theme,
    pub(super) width: f64,
}

impl Drawing {
    pub(super) fn paint(&self, class: &str) -> String {
        if self.theme != Theme::Light {
            return format!("class=\"{class}\"");
        }
        let series = |class: &str| class[1..].parse::<usize>().ok().map(|i| LIGHT[4 + i]);
        match class {
            "m" => format!("fill=\"{}\"", LIGHT[2]),
            "h" => format!("fill=\"{}\" font-weight=\"600\"", LIGHT[1]),
            "g" => format!("stroke=\"{}\" stroke-width=\"1\"", LIGHT[3]),
            "k" => format!("stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"4 3\"", LIGHT[1]),
            _ if class.starts_with('f') => format!("fill=\"{}\"", series(class).unwrap_or(LIGHT[1])),
            _ if class.starts_with('s') => {
                format!("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"", series(class).unwrap_or(LIGHT[1]))
            }
            _ => format!("fill=\"{}\"", LIGHT[1]),
        }
    }

    pub(super) fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let paint = self.paint(class);
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let halo = if self.theme == Theme::Light {
            format!(" paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"3\"", LIGHT[0])
        } else {
            String::new()
        };
        let _ = write!(
            self.texts,
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} {paint}{halo}>{}</text>",
            escape(text)
        );
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], class: &str) {
        let paint = self.paint(class);
        let _ =
            write!(self.body, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {paint}/>");
    }

    pub(super) fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, series: usize, tip: &str) {
        let paint = self.paint(&format!("f{series}"));
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"1.5\" {paint}>\
             <title>{}</title></rect>",
            escape(tip)
        );
    }

    /// The names of the series with their colours, wrapped; returns the height used.
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
            self.text(x + 16.0, y, "start", "t", name);
            x += width;
        }
        y - top + 14.0
    }
}
