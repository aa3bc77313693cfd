//! Maps values to positions, and selects round values for labels.

use super::kind::Scale;
use crate::quantity::digits;

/// Maps values to positions.
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Returns an axis for all values, starting at `from` (its low end) and ending at `to`.
    pub(super) fn new(values: impl Iterator<Item = f64>, scale: Scale, from: f64, to: f64) -> Axis {
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
            // The shortest bar remains visible.
            Scale::Log => 10f64.powf((low / 1.6).log10().floor()).max(low / 20.0),
        };
        Axis { scale, low, high, from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => value / self.high,
            Scale::Log => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
        };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// Returns round values with their labels, at least `apart` pixels from one another.
    pub(super) fn ticks(&self, apart: f64) -> Vec<(f64, String)> {
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

/// Formats a round value without trailing zeros.
fn round(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_positions_grow_with_values() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis::new([0.02, 5.0, 90.0].into_iter(), scale, 10.0, 500.0);
            assert!(axis.at(0.02) >= 10.0 && axis.at(0.02) < axis.at(5.0) && axis.at(5.0) < axis.at(90.0));
            assert!((axis.at(90.0) - 500.0).abs() < 1e-9);
        }
        let axis = Axis::new([1e4].into_iter(), Scale::Linear, 0.0, 400.0);
        let ticks: Vec<String> = axis.ticks(60.0).into_iter().map(|(_, label)| label).collect();
        assert_eq!(ticks, ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
    }
}
