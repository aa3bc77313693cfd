//! Measures how steady the machine was over a complete run, and whether that is steady enough for reliable figures.

use super::statistics::{Summary, median};
use serde::{Deserialize, Serialize};

/// Describes how steady the machine was over a complete run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Median of the relative spreads of all measurements.
    pub spread: f64,
    /// The largest relative spread that nine of ten measurements stay below.
    pub spread_p90: f64,
    /// Median ratio of the last third of each measurement's samples to its first third: above 1 the machine slowed down.
    pub drift: f64,
    /// Share of all samples that are outliers.
    pub outliers: f64,
}

impl Noise {
    /// Above this median spread, differences of 5 % cannot be distinguished from chance.
    const SPREAD: f64 = 0.05;
    /// Above this drift, the first and last measurements are not comparable.
    const DRIFT: f64 = 0.10;

    /// Computes the noise of measurements, each a list of samples in the order they were taken.
    pub fn of<'a>(measurements: impl IntoIterator<Item = &'a [f64]>) -> Option<Noise> {
        let (mut spreads, mut drifts, mut samples, mut odd) = (Vec::new(), Vec::new(), 0, 0);
        for times in measurements {
            let Some(summary) = Summary::of(times).filter(|s| s.count >= 3) else { continue };
            spreads.push(summary.relative_spread());
            samples += summary.count;
            odd += summary.outliers;
            let third = times.len() / 3;
            if let (Some(first), Some(last)) =
                (median(&times[..third]), median(&times[times.len() - third..]))
                && first > 0.0
            {
                drifts.push(last / first);
            }
        }
        spreads.sort_by(f64::total_cmp);
        Some(Noise {
            spread: median(&spreads)?,
            spread_p90: spreads[(spreads.len() - 1) * 9 / 10],
            drift: median(&drifts)?,
            outliers: odd as f64 / samples as f64,
        })
    }

    /// Returns the reason why the figures are unreliable, if they are.
    pub fn verdict(&self) -> Option<String> {
        if self.spread > Noise::SPREAD {
            Some(format!(
                "the machine was too noisy: repeated timings vary by {:.0} % (limit: {:.0} %)",
                self.spread * 100.0,
                Noise::SPREAD * 100.0
            ))
        } else if (self.drift - 1.0).abs() > Noise::DRIFT {
            let word = if self.drift > 1.0 { "slower" } else { "faster" };
            let percent = (self.drift - 1.0).abs() * 100.0;
            Some(format!("the machine was too noisy: it became {percent:.0} % {word} during the measurement"))
        } else {
            None
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_timings_are_not_reported_as_noisy() {
        let steady = [1.00, 1.01, 0.99, 1.00, 1.01, 1.00];
        let noise = Noise::of([&steady[..], &steady[..]]).unwrap();
        assert_eq!(noise.verdict(), None);
        assert!(noise.spread < 0.02 && noise.outliers == 0.0);
    }

    #[test]
    fn scattered_timings_are_reported_as_noisy() {
        let wild = [1.0, 1.4, 0.8, 1.3, 1.0, 0.7, 1.2];
        let verdict = Noise::of([&wild[..]]).unwrap().verdict().unwrap();
        assert!(verdict.starts_with("the machine was too noisy: repeated timings vary by"), "{verdict}");
    }

    #[test]
    fn slowdown_is_reported_as_noise() {
        let steps = [1.0, 1.0, 1.0, 1.01, 1.2, 1.2, 1.2, 1.01, 1.0, 1.0, 1.2, 1.2];
        let slower = [1.0, 1.0, 1.0, 1.0, 1.01, 1.01, 1.15, 1.15, 1.15];
        let noise = Noise::of([&slower[..], &slower[..], &steps[..]]).unwrap();
        assert!(noise.verdict().unwrap().contains("slower"), "{noise:?}");
    }

    #[test]
    fn noise_needs_three_samples() {
        assert_eq!(Noise::of([&[1.0, 2.0][..]]), None);
        assert!(Noise::of([&[1.0, 1.0, 1.0][..]]).is_some());
    }
}
