//! Lines over labeled positions.

use super::axis::Axis;
use super::drawing::Drawing;
use super::kind::{Chart, Scale};
use super::theme::{Paint, width_of};
use crate::quantity::digits;

/// Draws below `top`; returns the height used.
pub(super) fn draw(
    chart: &Chart,
    drawing: &mut Drawing,
    top: f64,
    scale: Scale,
    x_title: &str,
    places: &[String],
    lines: &[Vec<Option<f64>>],
) -> f64 {
    let width = drawing.width;
    let legend = drawing.legend(&chart.series, top);
    let unit = match scale {
        Scale::Linear => chart.unit.clone(),
        Scale::Log => format!("{}, logarithmic", chart.unit),
    };
    drawing.text(0.0, top + legend + 12.0, "start", Paint::Muted, &unit);
    let upper = top + legend + 24.0;
    let lower = upper + (width * 0.5).clamp(200.0, 340.0);
    let values = lines.iter().flatten().flatten().copied();
    let axis = Axis::new(values, scale, lower, upper);
    let ticks = axis.ticks(26.0);
    let left = ticks.iter().map(|(_, label)| width_of(label)).fold(0.0, f64::max) + 8.0;
    for (value, label) in &ticks {
        let y = axis.at(*value);
        drawing.line([left, y, width, y], Paint::Grid);
        drawing.text(left - 6.0, y + 4.0, "end", Paint::Muted, label);
    }
    // Half a label of space at both ends, where the first and last labels are centered.
    let label = places.iter().map(|place| width_of(place)).fold(0.0, f64::max);
    let (from, to) = (left + label / 2.0, width - label / 2.0);
    let step = if places.len() > 1 { (to - from) / (places.len() - 1) as f64 } else { 0.0 };
    let x = |place: usize| from + step * place as f64;
    let every = if step > 0.0 { ((label + 8.0) / step).ceil().max(1.0) as usize } else { 1 };
    for (place, text) in places.iter().enumerate().step_by(every) {
        drawing.text(x(place), lower + 16.0, "middle", Paint::Muted, text);
    }
    drawing.text(width, lower + 34.0, "end", Paint::Muted, x_title);
    for (series, values) in lines.iter().enumerate() {
        let name = chart.series.get(series).map_or("", String::as_str);
        let tip =
            |place: usize, value: f64| format!("{name}, {}: {} {}", places[place], digits(value), chart.unit);
        let points: Vec<(f64, f64, String)> = values
            .iter()
            .enumerate()
            .filter_map(|(place, value)| value.map(|v| (x(place), axis.at(v), tip(place, v))))
            .collect();
        drawing.path(&points, series);
    }
    lower + 38.0
}
