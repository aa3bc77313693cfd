//! A chart as SVG.

use super::drawing::Drawing;
use super::kind::{Chart, Kind};
use super::theme::{Paint, Theme, dark, escape, letters};
use super::{bars, lines};

impl Chart {
    /// Returns the chart, `width` pixels wide.
    pub fn svg(&self, width: u32, theme: Theme) -> String {
        let mut drawing = Drawing::new(f64::from(width));
        let mut top = 0.0;
        if theme != Theme::Inline {
            drawing.text(0.0, 14.0, "start", Paint::Heading, &self.title);
            top = 28.0;
        }
        let height = match &self.kind {
            Kind::Bars { rows, marks } => bars::draw(self, &mut drawing, top, rows, marks),
            Kind::Lines { scale, x_title, places, lines } => {
                lines::draw(self, &mut drawing, top, *scale, x_title, places, lines)
            }
        };
        let (title, (shapes, words)) = (escape(&self.title), drawing.into_parts());
        // A margin, because a label may extend a pixel beyond its anchor.
        let (w, h) = (width + 8, height + 8.0);
        let frame = format!("viewBox=\"-4 -4 {w} {h:.0}\" width=\"{w}\" height=\"{h:.0}\" role=\"img\"");
        let body = format!("{shapes}<g {}>{words}</g>", letters());
        if theme == Theme::Inline {
            return format!("<svg {frame} aria-label=\"{title}\">{body}</svg>\n");
        }
        let style = if theme == Theme::Both { format!("<style>{}</style>", dark()) } else { String::new() };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {frame}><title>{title}</title>{style}\
             <rect x=\"-4\" y=\"-4\" width=\"100%\" height=\"100%\" {}/>{body}</svg>\n",
            Paint::Ground.attributes()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::Scale;
    use super::*;

    fn bars(labels: &[&str]) -> Chart {
        let rows = labels.iter().enumerate().map(|(i, label)| {
            ((*label).to_owned(), vec![Some(10f64.powi(i as i32)), (i % 2 == 0).then_some(3.0)])
        });
        Chart {
            title: "Rates <of> \"things\" & others".to_owned(),
            unit: "MB/s".to_owned(),
            series: vec!["one message".to_owned(), "many messages in SIMD lanes".to_owned()],
            kind: Kind::Bars { rows: rows.collect(), marks: vec![("device".to_owned(), 40.0)] },
        }
    }

    fn attribute(element: &str, name: &str) -> Option<String> {
        let (_, rest) = element.split_once(&format!("{name}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    }

    fn number(element: &str, name: &str) -> f64 {
        attribute(element, name).unwrap().parse().unwrap()
    }

    /// Returns the boxes of all texts, with the layout's estimate of widths, slightly reduced.
    fn boxes(svg: &str) -> Vec<([f64; 4], String)> {
        let mut found = Vec::new();
        for element in svg.split("<text").skip(1) {
            let text = element.split_once('>').unwrap().1.split_once('<').unwrap().0.to_owned();
            let (x, y, width) =
                (number(element, "x"), number(element, "y"), text.chars().count() as f64 * 6.2);
            let x = match attribute(element, "text-anchor").as_deref() {
                Some("end") => x - width,
                Some("middle") => x - width / 2.0,
                _ => x,
            };
            found.push(([x, y - 9.0, x + width, y + 2.0], text));
        }
        found
    }

    fn check_layout(svg: &str, width: f64) {
        let boxes = boxes(svg);
        assert!(boxes.len() > 5);
        for (i, (a, text)) in boxes.iter().enumerate() {
            assert!(a[0] >= -4.0 && a[2] <= width + 4.0, "'{text}' leaves the chart: {a:?}");
            for (b, other) in &boxes[..i] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "'{text}' {a:?} covers '{other}' {b:?}");
            }
        }
    }

    #[test]
    fn bar_labels_do_not_overlap_at_any_width() {
        let labels = ["a", "find | xargs -P", "mmap 8 MiB windows, populated", "sha512-256", "x"];
        for width in [300, 358, 500, 720, 1100] {
            let mut chart = bars(&labels);
            if let Kind::Bars { rows, .. } = &mut chart.kind {
                rows.extend(["without", "values"].map(|label| (label.to_owned(), vec![None, None])));
                rows.rotate_right(1);
            }
            check_layout(&chart.svg(width, Theme::Inline), f64::from(width));
        }
    }

    #[test]
    fn line_labels_do_not_overlap_at_any_width() {
        let sizes =
            ["128 B", "512 B", "1 KiB", "8 KiB", "32 KiB", "128 KiB", "256 KiB", "1 MiB", "10 MiB", "64 MiB"];
        for scale in [Scale::Linear, Scale::Log] {
            for count in [1, 2, sizes.len()] {
                let lines = (1..=8).map(|s| (0..count).map(|i| Some((s * (i + 1)) as f64 * 37.0)).collect());
                let chart = Chart {
                    title: "By size".to_owned(),
                    unit: "MB/s".to_owned(),
                    series: (0..8).map(|s| format!("series number {s}")).collect(),
                    kind: Kind::Lines {
                        scale,
                        x_title: "message size".to_owned(),
                        places: sizes[..count].iter().map(|s| (*s).to_owned()).collect(),
                        lines: lines.collect(),
                    },
                };
                for width in [300, 358, 720, 1100] {
                    check_layout(&chart.svg(width, Theme::Inline), f64::from(width));
                }
            }
        }
    }

    #[test]
    fn svg_output_is_deterministic() {
        let chart = bars(&["a", "b", "c"]);
        assert_eq!(chart.svg(720, Theme::Both), chart.svg(720, Theme::Both));
        assert_ne!(chart.svg(720, Theme::Both), chart.svg(360, Theme::Both));
    }

    #[test]
    fn names_are_escaped_and_no_resources_are_loaded() {
        let svg = bars(&["<script>", "a & b"]).svg(720, Theme::Both);
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script") && svg.contains("a &amp; b"));
        assert_eq!(svg.matches("http").count(), 1, "only the name space");
        assert_eq!(escape("a\u{1b}[31m\"b"), "a\u{fffd}[31m&quot;b");
    }

    #[test]
    fn colors_are_attributes_and_dark_mode_is_a_style_sheet() {
        let chart = bars(&["a"]);
        for theme in [Theme::Light, Theme::Both, Theme::Inline] {
            let svg = chart.svg(720, theme);
            assert!(!svg.contains("var(") && svg.contains("fill=\"#0969c5\""));
            let painted = |element: &str| element.contains(" fill=\"#") || element.contains(" stroke=\"#");
            let shapes = ["<rect ", "<line ", "<text "].map(|name| svg.split(name).skip(1).all(painted));
            assert_eq!(shapes, [true; 3], "{theme:?}");
            assert_eq!(svg.contains("prefers-color-scheme:dark"), theme == Theme::Both);
        }
    }

    #[test]
    fn limit_lines_do_not_cross_text() {
        for width in [300, 390, 720] {
            // Limits within, at the end of and beyond the text of bars and of each other.
            for limit in (1..=100).map(f64::from) {
                let mut chart = bars(&["a", "a label that is wide enough to stand above its bars", "c"]);
                if let Kind::Bars { marks, .. } = &mut chart.kind {
                    *marks = [limit, limit / 2.0, limit + 5.0].map(|at| ("a limit".to_owned(), at)).to_vec();
                }
                let svg = chart.svg(width, Theme::Inline);
                let lines: Vec<[f64; 4]> = svg
                    .split("<line ")
                    .skip(1)
                    .filter(|line| line.split('/').next().unwrap().contains("class=\"k\""))
                    .map(|line| ["x1", "y1", "x2", "y2"].map(|name| number(line, name)))
                    .collect();
                assert!(lines.len() >= 3, "{lines:?}");
                for ([left, top, right, bottom], text) in boxes(&svg) {
                    for [x, from, _, to] in &lines {
                        let apart = *x < left || *x > right || *to <= top || *from >= bottom;
                        assert!(apart, "width {width}, limit {limit}: '{text}'");
                    }
                }
            }
        }
    }

    #[test]
    fn chart_without_values_is_drawn() {
        let mut chart = bars(&["a"]);
        chart.kind = Kind::Bars { rows: vec![("a".to_owned(), vec![None, None])], marks: Vec::new() };
        let svg = chart.svg(400, Theme::Inline);
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
