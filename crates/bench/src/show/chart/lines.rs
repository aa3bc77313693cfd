//! Lines over labelled places.

use super::axis::Axis;
use super::drawing::Drawing;
use super::kind::Chart;
use super::theme::{escape, width_of};
use crate::quantity::digits;
use std::fmt::Write;

/// Draws below `top`; returns the height used.
pub(super) fn draw(
    chart: &Chart,
    drawing: &mut Drawing,
    top: f64,
    x_title: &str,
    places: &[String],
    lines: &[Vec<Option<f64>>],
) -> f64 {
    let width = drawing.width;
    let legend = drawing.legend(&chart.series, top);
    drawing.text(0.0, top + legend + 12.0, "start", "m", &chart.unit_text());
    let upper = top + legend + 24.0;
    let lower = upper + (width * 0.5).clamp(200.0, 340.0);
    let values = lines.iter().flatten().flatten().copied();
    let axis = Axis::new(values, chart.scale, lower, upper);
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
            let name = chart.series.get(series).map_or("", String::as_str);
            let tip = format!("{name}, {}: {} {}", places[place], digits(value), chart.unit);
            let tip = escape(&tip);
            let _ = write!(
                drawing.body,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {paint}><title>{tip}</title></circle>"
            );
        }
    }
    lower + 38.0
}
