//! Statistics of repeated timings.
//!
//! Timings are skewed: other work can only add time. So the figures are the median and the median absolute deviation
//! (MAD), which one slow sample cannot change, and the minimum; never the mean. Ratios are averaged geometrically,
//! because "twice as fast" and "half as fast" must cancel out (Fleming & Wallace 1986).

use serde::{Deserialize, Serialize};

/// The factor for `median(|x - median|)` to estimate the standard deviation of normally distributed samples.
const MAD_TO_SIGMA: f64 = 1.4826;

/// A sample whose modified z-score is above this is an outlier (Iglewicz & Hoaglin 1993).
const OUTLIER_Z: f64 = 3.5;

/// The figures of one set of samples, in the samples' unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of samples.
    pub count: usize,
    /// The middle sample, or the mean of the two middle ones.
    pub median: f64,
    /// Median absolute deviation from the median.
    pub mad: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Number of samples that are so far off that they measured something else.
    pub outliers: usize,
}

impl Summary {
    /// Computes the figures of `samples`; `None` if there are none.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let median = median(samples)?;
        let mad = mad(samples)?;
        Some(Summary {
            count: samples.len(),
            median,
            mad,
            min: samples.iter().copied().fold(f64::INFINITY, f64::min),
            max: samples.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            outliers: outliers(samples).len(),
        })
    }

    /// Returns the spread as a share of the median: 0.02 means that samples scatter by about 2 %.
    pub fn relative_spread(&self) -> f64 {
        if self.median > 0.0 { MAD_TO_SIGMA * self.mad / self.median } else { 0.0 }
    }

    /// Returns the expected error of the median, as a share of it (one standard error).
    pub fn relative_error(&self) -> f64 {
        // For normally distributed samples, the median has an error sqrt(pi / 2) times that of the mean.
        self.relative_spread() * (std::f64::consts::FRAC_PI_2 / self.count as f64).sqrt()
    }
}

/// Returns the middle sample, or the mean of the two middle ones if their number is even; `None` if there are none.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[n / 2]),
        n => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

/// Returns the median absolute deviation from the median.
pub fn mad(samples: &[f64]) -> Option<f64> {
    let middle = median(samples)?;
    median(&samples.iter().map(|x| (x - middle).abs()).collect::<Vec<_>>())
}

/// Returns the indices of samples too far from the median to measure the same thing.
///
/// A sample within 1 % of the median is never an outlier, however steady the others are, because clocks have a
/// resolution. With fewer than five samples there are no outliers.
pub fn outliers(samples: &[f64]) -> Vec<usize> {
    let (Some(middle), Some(mad)) = (median(samples), mad(samples)) else { return Vec::new() };
    if samples.len() < 5 {
        return Vec::new();
    }
    let limit = (OUTLIER_Z * MAD_TO_SIGMA * mad).max(0.01 * middle.abs());
    (0..samples.len()).filter(|&i| (samples[i] - middle).abs() > limit).collect()
}

/// Returns the geometric mean; `None` without positive values.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = ratios.iter().filter(|r| **r > 0.0).map(|r| r.ln()).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// Returns the ratios `a[i] / b[i]` of samples taken alternately (A B A B): slow drift cancels out in each pair.
pub fn paired_ratios(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).filter(|(_, b)| **b > 0.0).map(|(a, b)| a / b).collect()
}
#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * b.abs().max(1.0)
    }

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[9.0, 1.0, 5.0, 6.0]), Some(5.5));
    }

    #[test]
    fn mad_ignores_one_outlier() {
        assert_eq!(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(1.0));
        assert_eq!(mad(&[10.0, 11.0, 12.0, 13.0, 1e9]), Some(1.0));
        assert_eq!(mad(&[]), None);
    }

    #[test]
    fn minimum_and_maximum_are_the_extremes() {
        let summary = Summary::of(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!((summary.min, summary.max, summary.count), (1.0, 3.0, 3));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn outliers_are_flagged_and_steady_samples_are_not() {
        assert_eq!(outliers(&[10.0, 10.1, 9.9, 10.2, 9.8, 30.0]), [5]);
        assert!(outliers(&[10.0, 10.1, 9.9, 10.2, 9.8, 10.3]).is_empty());
        // The resolution of a clock does not cause outliers: the MAD is 0 and one sample is slightly off.
        assert!(outliers(&[10.0, 10.0, 10.0, 10.0, 10.05]).is_empty());
        assert_eq!(outliers(&[10.0, 10.0, 10.0, 10.0, 10.5]), [4]);
        assert!(outliers(&[10.0, 10.0, 10.0, 30.0]).is_empty());
    }

    #[test]
    fn spread_estimates_the_standard_deviation() {
        let summary = Summary::of(&[98.0, 99.0, 100.0, 101.0, 102.0]).unwrap();
        assert!(near(summary.relative_spread(), 1.4826 * 1.0 / 100.0));
        let expected = 0.014826 * (std::f64::consts::FRAC_PI_2 / 5.0).sqrt();
        assert!(near(summary.relative_error(), expected));
        let zeros = Summary::of(&[0.0, 0.0]).unwrap();
        assert_eq!(zeros.relative_spread(), 0.0);
    }

    #[test]
    fn geometric_mean_cancels_reciprocal_ratios() {
        assert!(near(geometric_mean(&[2.0, 0.5]).unwrap(), 1.0));
        assert!(near(geometric_mean(&[1.0, 4.0, 16.0]).unwrap(), 4.0));
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[0.0, -1.0]), None);
    }

    #[test]
    fn paired_ratios_cancel_drift() {
        // The machine becomes three times slower; A is always 10 % slower than B.
        let b = [1.0, 1.5, 2.0, 2.5, 3.0];
        let a = b.map(|x| x * 1.1);
        let ratios = paired_ratios(&a, &b);
        assert!(near(median(&ratios).unwrap(), 1.1) && near(mad(&ratios).unwrap(), 0.0));
        assert!(paired_ratios(&[1.0, 2.0], &[0.0]).is_empty());
    }
}
