//! A chart as SVG.

use super::drawing::Drawing;
use super::kind::{Chart, Kind};
use super::theme::{FONT, LIGHT, Theme, escape, style};
use super::{bars, lines};

impl Chart {
    /// The chart `width` pixels wide.
    pub fn svg(&self, width: u32, theme: Theme) -> String {
        let mut drawing =
            Drawing { body: String::new(), texts: String::new(), theme, width: f64::from(width) };
        let mut top = 0.0;
        if theme != Theme::Inline {
            drawing.text(0.0, 14.0, "start", "h", &self.title);
            top = 28.0;
        }
        let height = match &self.kind {
            Kind::Bars { rows, marks } => bars::draw(self, &mut drawing, top, rows, marks),
            Kind::Lines { x_title, places, lines } => {
                lines::draw(self, &mut drawing, top, x_title, places, lines)
            }
        };
        let (title, body) = (escape(&self.title), drawing.body + &drawing.texts);
        // A margin, because a label may reach a pixel beyond its anchor.
        let (w, h) = (width + 8, height + 8.0);
        let frame = format!("viewBox=\"-4 -4 {w} {h:.0}\" width=\"{w}\" height=\"{h:.0}\" role=\"img\"");
        match theme {
            Theme::Inline => format!("<svg {frame} aria-label=\"{title}\">{body}</svg>\n"),
            Theme::Both => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" {frame}><title>{title}</title><style>{}</style>\
                 <rect x=\"-4\" y=\"-4\" width=\"100%\" height=\"100%\" style=\"fill:var(--ground)\"/>{body}</svg>\n",
                style()
            ),
            Theme::Light => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" {frame} font-size=\"{FONT}\" \
                 font-family=\"sans-serif\"><title>{title}</title>\
                 <rect x=\"-4\" y=\"-4\" width=\"100%\" height=\"100%\" fill=\"{}\"/>{body}</svg>\n",
                LIGHT[0]
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::Scale;
    use super::*;

    fn bars(labels: &[&str], scale: Scale) -> Chart {
        let rows = labels.iter().enumerate().map(|(i, label)| {
            ((*label).to_owned(), vec![Some(10f64.powi(i as i32)), (i % 2 == 0).then_some(3.0)])
        });
        Chart {
            title: "Rates <of> \"things\" & others".to_owned(),
            unit: "MB/s".to_owned(),
            scale,
            series: vec!["one message".to_owned(), "many messages in lanes".to_owned()],
            kind: Kind::Bars { rows: rows.collect(), marks: vec![("device".to_owned(), 40.0)] },
        }
    }

    /// The boxes of all texts, with the same estimate of widths that the layout uses, somewhat smaller.
    fn boxes(svg: &str) -> Vec<([f64; 4], String)> {
        let attribute = |element: &str, name: &str| {
            let (_, rest) = element.split_once(&format!(" {name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let mut found = Vec::new();
        for element in svg.split("<text").skip(1) {
            let text = element.split_once('>').unwrap().1.split_once('<').unwrap().0.to_owned();
            let number = |name| attribute(element, name).unwrap().parse::<f64>().unwrap();
            let (x, y, width) = (number("x"), number("y"), text.chars().count() as f64 * 6.2);
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
            for scale in [Scale::Linear, Scale::Log] {
                let mut chart = bars(&labels, scale);
                if let Kind::Bars { rows, .. } = &mut chart.kind {
                    rows.extend(["without", "values"].map(|label| (label.to_owned(), vec![None, None])));
                    rows.rotate_right(1);
                }
                check_layout(&chart.svg(width, Theme::Inline), f64::from(width));
            }
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
                    scale,
                    series: (0..8).map(|s| format!("series number {s}")).collect(),
                    kind: Kind::Lines {
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
    fn the_same_values_give_the_same_bytes() {
        let chart = bars(&["a", "b", "c"], Scale::Log);
        assert_eq!(chart.svg(720, Theme::Both), chart.svg(720, Theme::Both));
        assert_ne!(chart.svg(720, Theme::Both), chart.svg(360, Theme::Both));
    }

    #[test]
    fn names_are_escaped_and_nothing_is_fetched() {
        let svg = bars(&["<script>", "a & b"], Scale::Linear).svg(720, Theme::Both);
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script") && svg.contains("a &amp; b"));
        assert_eq!(svg.matches("http").count(), 1, "only the name space");
        assert_eq!(escape("a\u{1b}[31m\"b"), "a\u{fffd}[31m&quot;b");
    }

    #[test]
    fn a_theme_without_style_sheets_has_its_colours_in_attributes() {
        let svg = bars(&["a"], Scale::Linear).svg(720, Theme::Light);
        assert!(!svg.contains("class=") && !svg.contains("var(") && svg.contains("fill=\"#0969c5\""));
    }

    #[test]
    fn a_chart_without_values_is_still_drawn() {
        for scale in [Scale::Linear, Scale::Log] {
            let mut chart = bars(&["a"], scale);
            chart.kind = Kind::Bars { rows: vec![("a".to_owned(), vec![None, None])], marks: Vec::new() };
            let svg = chart.svg(400, Theme::Inline);
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
