//! Horizontal bars with their labels at the left or, in narrow windows, above them.

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
    rows: &[(String, Vec<Option<f64>>)],
    marks: &[(String, f64)],
) -> f64 {
    let width = drawing.width;
    let longest = rows.iter().map(|(label, _)| width_of(label)).fold(0.0, f64::max);
    // On a narrow screen, labels are above their bars instead of at the left.
    let labels_outside = longest + 10.0 < width * 0.4;
    let left = if labels_outside { longest + 10.0 } else { 0.0 };
    let values = rows.iter().flat_map(|(_, values)| values.iter().flatten());
    let room = values.clone().map(|v| width_of(&digits(*v))).fold(0.0, f64::max) + 8.0;
    let axis = Axis::new(
        values.copied().chain(marks.iter().map(|(_, value)| *value)),
        Scale::Linear,
        left,
        width - room,
    );
    let mut y = top + drawing.legend(&chart.series, top);
    // The start of each limit's line: below its label, which has a line of its own on the side where it fits.
    let mut limits = Vec::new();
    for (label, value) in marks {
        let x = axis.at(*value);
        y += 15.0;
        let text = format!("{label}: {} {}", digits(*value), chart.unit);
        if x + 4.0 + width_of(&text) <= width {
            drawing.text(x + 4.0, y - 3.0, "start", Paint::Muted, &text);
        } else {
            let end = (x - 4.0).max(width_of(&text)).min(width);
            drawing.text(end, y - 3.0, "end", Paint::Muted, &text);
        }
        limits.push((x, y - 15.0));
    }
    let (thick, gap) = if chart.series.len() > 1 { (12.0, 4.0) } else { (14.0, 0.0) };
    let heights =
        |count: usize| count.max(1) as f64 * (thick + gap) + 9.0 + if labels_outside { 0.0 } else { 16.0 };
    let bottom =
        y + 4.0 + rows.iter().map(|(_, values)| heights(values.iter().flatten().count())).sum::<f64>();
    for (value, label) in axis.ticks(width_of("0000") + 14.0) {
        let x = axis.at(value);
        drawing.line([x, y, x, bottom], Paint::Grid);
        let half = width_of(&label) / 2.0;
        drawing.text(x.clamp(half, width - half), bottom + 14.0, "middle", Paint::Muted, &label);
    }
    drawing.text(width, bottom + 30.0, "end", Paint::Muted, &chart.unit);
    y += 4.0;
    for (label, values) in rows {
        let bars: Vec<(usize, f64)> =
            values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))).collect();
        if labels_outside {
            let middle = y + bars.len().max(1) as f64 * (thick + gap) / 2.0;
            drawing.text(left - 8.0, middle + 4.0, "end", Paint::Text, label);
        } else {
            drawing.text(0.0, y + 11.0, "start", Paint::Text, label);
            y += 16.0;
        }
        if bars.is_empty() {
            y += thick + gap;
        }
        for (series, value) in bars {
            let length = (axis.at(value) - left).max(1.0);
            let name = chart.series.get(series).map_or("", String::as_str);
            let tip = format!("{label} {name}: {} {}", digits(value), chart.unit);
            drawing.bar(left, y, length, thick, series, &tip);
            drawing.text(left + length + 5.0, y + thick - 2.0, "start", Paint::Muted, &digits(value));
            y += thick + gap;
        }
        y += 9.0;
    }
    for (x, from) in limits {
        drawing.limit(x, from, bottom);
    }
    bottom + 34.0
}
