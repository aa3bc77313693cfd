//! The progress of a run: the share that is done, a label of the current measurement, and the estimated end.

use crate::quantity::clock;
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

/// ` 52%  [=======>        ]  31 s left  sha256 1 MiB`, at most 79 columns: the progress line of all commands.
fn line(done: f64, elapsed: Duration, label: &str) -> String {
    const WIDTH: usize = 16;
    let done = done.clamp(0.0, 1.0);
    let filled = (done * WIDTH as f64) as usize;
    let head = if filled < WIDTH { ">" } else { "" };
    let bar = format!("{}{head:<1$}", "=".repeat(filled), WIDTH - filled);
    let left = match done {
        0.0 => String::new(),
        _ => format!("{} left  ", clock(elapsed.as_secs_f64() / done * (1.0 - done))),
    };
    let text = format!("{:3.0}%  [{bar}]  {left}{label}", (done * 100.0).floor());
    text.chars().take(79).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_shows_percentage_and_time_left() {
        let text = line(0.25, Duration::from_secs(20), "sha256");
        assert_eq!(text, " 25%  [====>           ]  1:00 min left  sha256");
        assert_eq!(line(0.0, Duration::ZERO, "x"), "  0%  [>               ]  x");
        assert_eq!(line(7.0, Duration::from_secs(1), "x"), "100%  [================]  0 s left  x");
        assert!(line(0.5, Duration::ZERO, &"é".repeat(200)).chars().count() == 79);
    }
}
