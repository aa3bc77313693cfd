//! Bars and lines as SVG, written by hand: benchmark charts are few and of fixed kinds, and the same numbers must give the
//! same bytes.
//!
//! Text does not shrink with the screen, so a chart is laid out for a width instead of being scaled: the report holds one
//! layout for wide and one for narrow windows. Widths of texts are estimated from above (no font is at hand), so labels
//! never touch.

use crate::quantity::digits;
use std::fmt::Write;

/// A chart: what is drawn, not how.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Unit of the values, `MB/s`.
    pub unit: String,
    /// How values become lengths.
    pub scale: Scale,
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
    /// Horizontal bars: for each label a value of each series.
    Bars {
        /// From top to bottom.
        rows: Vec<(String, Vec<Option<f64>>)>,
        /// Vertical lines across all bars: limits to compare with.
        marks: Vec<(String, f64)>,
    },
    /// Lines over labelled places: for each series a value at each place.
    Lines {
        /// What the places are.
        x_title: String,
        /// Labels of the places, left to right.
        places: Vec<String>,
        /// A line for each series.
        lines: Vec<Vec<Option<f64>>>,
    },
}

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
const LIGHT: [&str; 12] = [
    "#ffffff", "#1b1f24", "#57606a", "#dde1e6", "#0969c5", "#c4570a", "#1a7f4b", "#8250c8", "#b3324b",
    "#0d7d8a", "#7d6a00", "#b13b86",
];
const DARK: [&str; 12] = [
    "#15181c", "#e6e9ed", "#a3abb5", "#2f353d", "#5aa7f2", "#f0944a", "#56c288", "#b594ec", "#f07f92",
    "#4fc0cc", "#cdb63a", "#ec86c0",
];

const FONT: f64 = 12.0;
/// Width of a character of 12 px in the widest usual sans-serif fonts, on average.
const CHARACTER: f64 = 6.9;

fn width_of(text: &str) -> f64 {
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

/// A drawing under way: elements, and whether colours are classes or attributes.
struct Drawing {
    body: String,
    /// Drawn last, so that no line crosses a word.
    texts: String,
    theme: Theme,
    width: f64,
}

impl Drawing {
    fn paint(&self, class: &str) -> String {
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

    fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
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

    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], class: &str) {
        let paint = self.paint(class);
        let _ =
            write!(self.body, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {paint}/>");
    }

    fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, series: usize, tip: &str) {
        let paint = self.paint(&format!("f{series}"));
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"1.5\" {paint}>\
             <title>{}</title></rect>",
            escape(tip)
        );
    }

    /// The names of the series with their colours, wrapped; returns the height used.
    fn legend(&mut self, series: &[String], top: f64) -> f64 {
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
            Kind::Bars { rows, marks } => self.bars(&mut drawing, top, rows, marks),
            Kind::Lines { x_title, places, lines } => self.lines(&mut drawing, top, x_title, places, lines),
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

    fn bars(
        &self,
        drawing: &mut Drawing,
        top: f64,
        rows: &[(String, Vec<Option<f64>>)],
        marks: &[(String, f64)],
    ) -> f64 {
        let width = drawing.width;
        let longest = rows.iter().map(|(label, _)| width_of(label)).fold(0.0, f64::max);
        // On a narrow screen labels stand above their bars instead of beside them.
        let beside = longest + 10.0 < width * 0.4;
        let left = if beside { longest + 10.0 } else { 0.0 };
        let values = rows.iter().flat_map(|(_, values)| values.iter().flatten());
        let room = values.clone().map(|v| width_of(&digits(*v))).fold(0.0, f64::max) + 8.0;
        let axis = Axis::new(
            values.copied().chain(marks.iter().map(|(_, value)| *value)),
            self.scale,
            left,
            width - room,
        );
        let mut y = top + drawing.legend(&self.series, top);
        for (label, value) in marks {
            let x = axis.at(*value);
            y += 15.0;
            let text = format!("{label}: {} {}", digits(*value), self.unit);
            // The label stands on the side where it fits, on a line of its own.
            let fits = x + 4.0 + width_of(&text) <= width;
            if fits {
                drawing.text(x + 4.0, y - 3.0, "start", "m", &text);
            } else {
                let end = (x - 4.0).max(width_of(&text)).min(width);
                drawing.text(end, y - 3.0, "end", "m", &text);
            }
        }
        let marks_from = y - 15.0 * marks.len() as f64;
        let (thick, gap) = if self.series.len() > 1 { (12.0, 4.0) } else { (14.0, 0.0) };
        let heights =
            |count: usize| count.max(1) as f64 * (thick + gap) + 9.0 + if beside { 0.0 } else { 16.0 };
        let bottom =
            y + 4.0 + rows.iter().map(|(_, values)| heights(values.iter().flatten().count())).sum::<f64>();
        for (value, label) in axis.ticks(width_of("0000") + 14.0) {
            let x = axis.at(value);
            drawing.line([x, y, x, bottom], "g");
            let half = width_of(&label) / 2.0;
            drawing.text(x.clamp(half, width - half), bottom + 14.0, "middle", "m", &label);
        }
        drawing.text(width, bottom + 30.0, "end", "m", &self.unit_text());
        y += 4.0;
        for (label, values) in rows {
            let bars: Vec<(usize, f64)> =
                values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))).collect();
            if beside {
                let middle = y + bars.len().max(1) as f64 * (thick + gap) / 2.0;
                drawing.text(left - 8.0, middle + 4.0, "end", "t", label);
            } else {
                drawing.text(0.0, y + 11.0, "start", "t", label);
                y += 16.0;
            }
            if bars.is_empty() {
                y += thick + gap;
            }
            for (series, value) in bars {
                let length = (axis.at(value) - left).max(1.0);
                let name = self.series.get(series).map_or("", String::as_str);
                let tip = format!("{label} {name}: {} {}", digits(value), self.unit);
                drawing.bar(left, y, length, thick, series, &tip);
                drawing.text(left + length + 5.0, y + thick - 2.0, "start", "m", &digits(value));
                y += thick + gap;
            }
            y += 9.0;
        }
        for (i, (_, value)) in marks.iter().enumerate() {
            let x = axis.at(*value);
            drawing.line([x, marks_from + 15.0 * i as f64, x, bottom], "k");
        }
        bottom + 34.0
    }

    fn unit_text(&self) -> String {
        match self.scale {
            Scale::Linear => self.unit.clone(),
            Scale::Log => format!("{}, logarithmic", self.unit),
        }
    }

    fn lines(
        &self,
        drawing: &mut Drawing,
        top: f64,
        x_title: &str,
        places: &[String],
        lines: &[Vec<Option<f64>>],
    ) -> f64 {
        let width = drawing.width;
        let legend = drawing.legend(&self.series, top);
        drawing.text(0.0, top + legend + 12.0, "start", "m", &self.unit_text());
        let upper = top + legend + 24.0;
        let lower = upper + (width * 0.5).clamp(200.0, 340.0);
        let values = lines.iter().flatten().flatten().copied();
        let axis = Axis::new(values, self.scale, lower, upper);
        let ticks = axis.ticks(26.0);
        let left = ticks.iter().map(|(_, label)| width_of(label)).fold(0.0, f64::max) + 8.0;
        for (value, label) in &ticks {
            let y = axis.at(*value);
            drawing.line([left, y, width, y], "g");
            drawing.text(left - 6.0, y + 4.0, "end", "m", label);
        }
        // Half a label of room at both ends, where the first and last labels are centred.
        let label = places.iter().map(|place| width_of(place)).fold(0.0, f64::max);
        let (from, to) = (left + label / 2.0, width - label / 2.0);
        let step = if places.len() > 1 { (to - from) / (places.len() - 1) as f64 } else { 0.0 };
        let x = |place: usize| from + step * place as f64;
        let every = if step > 0.0 { ((label + 8.0) / step).ceil().max(1.0) as usize } else { 1 };
        for (place, text) in places.iter().enumerate().step_by(every) {
            drawing.text(x(place), lower + 16.0, "middle", "m", text);
        }
        drawing.text(width, lower + 34.0, "end", "m", x_title);
        for (series, values) in lines.iter().enumerate() {
            let points: Vec<(f64, f64, f64, usize)> = values
                .iter()
                .enumerate()
                .filter_map(|(place, value)| value.map(|v| (x(place), axis.at(v), v, place)))
                .collect();
            let path: Vec<String> = points.iter().map(|(x, y, ..)| format!("{x:.1},{y:.1}")).collect();
            let paint = drawing.paint(&format!("s{series}"));
            let _ = write!(drawing.body, "<polyline points=\"{}\" {paint}/>", path.join(" "));
            let paint = drawing.paint(&format!("f{series}"));
            for (x, y, value, place) in points {
                let name = self.series.get(series).map_or("", String::as_str);
                let tip = format!("{name}, {}: {} {}", places[place], digits(value), self.unit);
                let tip = escape(&tip);
                let _ = write!(
                    drawing.body,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {paint}><title>{tip}</title></circle>"
                );
            }
        }
        lower + 38.0
    }
}

/// Values along a length.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds all values, from `from` (its low end) to `to`.
    fn new(values: impl Iterator<Item = f64>, scale: Scale, from: f64, to: f64) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| *v > 0.0 && v.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if high == 0.0 {
            (low, high) = (1.0, 1.0);
        }
        let low = match scale {
            Scale::Linear => 0.0,
            // The shortest bar keeps a length that can be seen.
            Scale::Log => 10f64.powf((low / 1.6).log10().floor()).max(low / 20.0),
        };
        Axis { scale, low, high, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => value / self.high,
            Scale::Log => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
        };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// Round values with their labels, at least `apart` pixels from one another.
    fn ticks(&self, apart: f64) -> Vec<(f64, String)> {
        let length = (self.to - self.from).abs();
        let most = (length / apart).floor().max(1.0);
        let values: Vec<f64> = match self.scale {
            Scale::Linear => {
                let raw = self.high / most.min(8.0);
                let power = 10f64.powf(raw.log10().floor());
                let step =
                    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= raw * 0.999);
                let step = step.unwrap_or(10.0 * power);
                (0..).map(|i| f64::from(i) * step).take_while(|v| *v <= self.high * 1.0001).collect()
            }
            Scale::Log => {
                let decades = |factors: &[f64]| -> Vec<f64> {
                    let first = self.low.log10().floor() as i32;
                    let all =
                        (first..=first + 20).flat_map(|p| factors.iter().map(move |f| f * 10f64.powi(p)));
                    all.filter(|v| *v >= self.low * 0.9999 && *v <= self.high * 1.0001).collect()
                };
                let apart_enough = |values: &Vec<f64>| {
                    values.windows(2).all(|pair| (self.at(pair[1]) - self.at(pair[0])).abs() >= apart)
                };
                let dense = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]].map(decades);
                let [.., sparse] = &dense;
                let sparse = sparse.clone();
                dense.into_iter().find(apart_enough).unwrap_or(sparse)
            }
        };
        values.into_iter().map(|value| (value, round(value))).collect()
    }
}

/// A round value without the zeros behind its point.
fn round(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn longer_bars_are_larger_values() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis::new([0.02, 5.0, 90.0].into_iter(), scale, 10.0, 500.0);
            assert!(axis.at(0.02) >= 10.0 && axis.at(0.02) < axis.at(5.0) && axis.at(5.0) < axis.at(90.0));
            assert!((axis.at(90.0) - 500.0).abs() < 1e-9);
        }
        let axis = Axis::new([1e4].into_iter(), Scale::Linear, 0.0, 400.0);
        let ticks: Vec<String> = axis.ticks(60.0).into_iter().map(|(_, label)| label).collect();
        assert_eq!(ticks, ["0", "2000", "4000", "6000", "8000", "10000"]);
    }
}
