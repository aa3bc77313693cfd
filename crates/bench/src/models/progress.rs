//! The progress of a run: the share that is done, a label of the current measurement, and the estimated end.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Receives the progress of a run.
pub trait Progress {
    /// Shows that a share of 0 to 1 is done, and that `label` is being measured.
    fn show(&mut self, done: f64, label: &str);
    /// Clears the display: the run is over, or text is about to be printed.
    fn clear(&mut self);
}

/// Shows nothing.
pub struct Silent;

impl Progress for Silent {
    fn show(&mut self, _: f64, _: &str) {}
    fn clear(&mut self) {}
}

/// One line on standard error, redrawn at most ten times a second; silent if that is not a terminal.
pub struct Line {
    start: Instant,
    drawn: Option<Instant>,
    terminal: bool,
}

impl Line {
    /// Returns a line for a run that starts now.
    pub fn new() -> Line {
        Line { start: Instant::now(), drawn: None, terminal: std::io::stderr().is_terminal() }
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::new()
    }
}

impl Progress for Line {
    fn show(&mut self, done: f64, label: &str) {
        let recently = |drawn: Instant| drawn.elapsed() < Duration::from_millis(100);
        if !self.terminal || self.drawn.is_some_and(recently) {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = line(done, self.start.elapsed(), label);
        // Measuring continues even if the terminal has gone away.
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
    }

    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// `[=====>    ] 52 %  ETA 0:31  sha256 1 MiB`, at most 79 columns.
fn line(done: f64, elapsed: Duration, label: &str) -> String {
    const WIDTH: usize = 24;
    let done = done.clamp(0.0, 1.0);
    let filled = (done * WIDTH as f64) as usize;
    let bar: String = (0..WIDTH)
        .map(|i| {
            if i < filled {
                '='
            } else if i == filled {
                '>'
            } else {
                ' '
            }
        })
        .collect();
    let eta = if done > 0.0 {
        let left = (elapsed.as_secs_f64() / done * (1.0 - done)).min(360_000.0).ceil() as u64;
        format!("{}:{:02}", left / 60, left % 60)
    } else {
        "-:--".to_owned()
    };
    let text = format!("[{bar}] {:3.0} %  ETA {eta}  {label}", done * 100.0);
    text.chars().take(79).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_share_and_time_left() {
        let text = line(0.25, Duration::from_secs(20), "sha256");
        assert_eq!(text, "[======>                 ]  25 %  ETA 1:00  sha256");
        assert!(line(0.0, Duration::ZERO, "x").contains("ETA -:--"));
        assert!(
            line(7.0, Duration::from_secs(1), "x").starts_with("[========================] 100 %  ETA 0:00")
        );
        assert!(line(0.5, Duration::ZERO, &"é".repeat(200)).chars().count() == 79);
    }
}
