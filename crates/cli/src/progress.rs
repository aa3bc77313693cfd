//! The progress line: one thread that reads the run's counters and draws.
//!
//! Nothing is drawn in the first moments of a run, or if standard error is not a terminal; a status
//! line on SIGUSR1 is printed in any case.

use crate::terminal::{Escapes, columns, set_progress, write_error};
use crate::words::{clock, size};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use truesum::Progress;
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;
use truesum_fs::signals::Signals;
use unicode_width::UnicodeWidthChar;

/// The delay after which a progress line is shown.
const SHOW_AFTER: Duration = Duration::from_millis(500);
/// The drawing interval.
const TICK: Duration = Duration::from_millis(100);
/// The minimum interval over which the rate is measured.
const RATE_WINDOW: Duration = Duration::from_secs(3);

/// The visibility of the progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Drawn,
    Hidden,
}

impl Line {
    /// Draws the line if standard error is a terminal.
    pub fn on_terminal() -> Line {
        if std::io::stderr().is_terminal() { Line::Drawn } else { Line::Hidden }
    }
}

/// The drawing thread. Dropping it clears the line.
pub struct Display {
    end: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Starts the thread. `size` is that of the only file, if it is known before the engine knows
    /// it.
    pub fn start(progress: &Arc<Progress>, signals: &Signals, line: Line, size: Option<u64>) -> Display {
        let (end, ended) = channel();
        let drawing = Drawing {
            progress: progress.clone(),
            signals: signals.clone(),
            line,
            size,
            began: Instant::now(),
            seen: Vec::new(),
        };
        // Without a thread there is no progress line, and nothing else is lost.
        let thread =
            truesum::thread("progress").and_then(|builder| builder.spawn(|| drawing.run(ended)).ok());
        Display { end, thread }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.end.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        set_progress(String::new());
    }
}

struct Drawing {
    progress: Arc<Progress>,
    signals: Signals,
    line: Line,
    size: Option<u64>,
    began: Instant,
    /// Recent times and byte counts, for the rate.
    seen: Vec<(Instant, u64)>,
}

impl Drawing {
    fn run(mut self, ended: Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            self.look();
            if self.line == Line::Drawn && self.began.elapsed() >= SHOW_AFTER {
                // A line that fills the last column would wrap on some terminals.
                set_progress(self.fitting(width().saturating_sub(1)));
            }
            if self.signals.take_status() {
                let text = format!("truesum: {}\n", self.text());
                write_error(text.as_bytes(), Escapes::None);
            }
        }
    }

    fn look(&mut self) {
        let now = Instant::now();
        self.seen.push((now, self.progress.bytes()));
        let old = self.seen.iter().rposition(|(at, _)| now - *at >= RATE_WINDOW).unwrap_or(0);
        self.seen.drain(..old);
    }

    /// Returns the recent rate in bytes per second.
    fn rate(&self) -> f64 {
        let now = (Instant::now(), self.progress.bytes());
        let (at, bytes) = self.seen.first().copied().unwrap_or((self.began, 0));
        (now.1 - bytes.min(now.1)) as f64 / (now.0 - at).as_secs_f64().max(1e-3)
    }

    /// Returns the estimated share of the work that is done while manifests are being read, by the
    /// sizes of the entries read so far, or by their number.
    fn share(&self) -> Option<f64> {
        let (all, read) = self.progress.listed();
        let listed = (read > 0 && read < all).then(|| read as f64 / all as f64)?;
        let done = match self.progress.found_bytes() {
            Some(found) if found > 0 => self.progress.bytes().min(found) as f64 / found as f64,
            _ => 1.0,
        };
        Some(listed * done)
    }

    /// Returns all information in one line of any length.
    fn text(&self) -> String {
        let facts = self.facts();
        let name = if facts.name.is_empty() { String::new() } else { format!("  {}", facts.name) };
        facts.line(Shown { bar: 0, files: true, total: true, left: true }) + &name
    }

    /// Returns what fits into `width` columns: the bar is dropped first, then the number of files,
    /// the total size, and the remaining time; a name takes the remaining space.
    fn fitting(&self, width: usize) -> String {
        fit(&self.facts(), width)
    }

    fn facts(&self) -> Facts {
        let (bytes, files) = (self.progress.bytes(), self.progress.files());
        let rate = self.rate();
        let (total, total_files) = self.progress.totals().unwrap_or((0, 0));
        let total = if total == 0 { self.size.unwrap_or(0) } else { total };
        // Without sizes, the number of files is used.
        let by_files = || (total_files > 1).then(|| files.min(total_files) as f64 / total_files as f64);
        let known = total > 0 && bytes <= total;
        let estimated = if total == 0 { self.share().or_else(by_files) } else { None };
        let files = if total_files > 1 {
            format!(", {files} of {total_files} files")
        } else if self.progress.listed() == (0, 0) && self.progress.found() > files.max(1) {
            // The walk has not ended yet.
            format!(", {files} of {}+ files", self.progress.found())
        } else if files > 1 {
            format!(", {files} files")
        } else {
            String::new()
        };
        let left = if total > bytes && rate > 0.0 {
            Some((total - bytes) as f64 / rate)
        } else {
            estimated.map(|share| self.began.elapsed().as_secs_f64() * (1.0 - share) / share)
        };
        let current = self.progress.current();
        Facts {
            share: if known { Some(bytes as f64 / total as f64) } else { estimated },
            bytes,
            total: known.then_some(total),
            files,
            rate,
            left,
            name: display_safe(current.as_os_str().as_bytes()),
        }
    }
}

/// The width of the bar without its ends.
const BAR: usize = 16;
/// The minimum width for a name.
const NAME: usize = 12;

/// The known facts about a run.
struct Facts {
    share: Option<f64>,
    bytes: u64,
    /// The total bytes, if known.
    total: Option<u64>,
    /// The number of files, preceded by a comma.
    files: String,
    rate: f64,
    /// The remaining seconds.
    left: Option<f64>,
    /// The current file.
    name: String,
}

/// The parts of the line that are shown.
#[derive(Clone, Copy)]
struct Shown {
    bar: usize,
    files: bool,
    total: bool,
    left: bool,
}

impl Facts {
    fn line(&self, shown: Shown) -> String {
        let mut text = String::new();
        if let Some(share) = self.share {
            text += &format!("{:3.0}%  ", (share * 100.0).floor());
            if shown.bar > 0 {
                let done = (share * shown.bar as f64) as usize;
                let head = if done < shown.bar { ">" } else { "" };
                text += &format!("[{}{head:<1$}]  ", "=".repeat(done), shown.bar - done);
            }
        }
        text += &size(self.bytes);
        if let Some(total) = self.total.filter(|_| shown.total) {
            text += &format!(" of {}", size(total));
        }
        if shown.files {
            text += &self.files;
        }
        text += &format!(", {}/s", size(self.rate as u64));
        if let Some(left) = self.left.filter(|_| shown.left) {
            text += &format!(", {} left", clock(left));
        }
        text
    }
}

/// Implements [`Drawing::fitting`] for these facts.
fn fit(facts: &Facts, width: usize) -> String {
    let bar = if facts.share.is_some() { BAR } else { 0 };
    let shown = |bar, files, total, left| Shown { bar, files, total, left };
    let poorer = [
        shown(bar, true, true, true),
        shown(0, true, true, true),
        shown(0, false, true, true),
        shown(0, false, false, true),
        shown(0, false, false, false),
    ];
    let lines = poorer.map(|shown| facts.line(shown));
    let fits = |line: &&String| columns(line) <= width;
    let Some(line) = lines.iter().find(fits) else {
        // All characters but those of the name are ASCII.
        return lines[4].chars().take(width).collect();
    };
    let room = width.saturating_sub(columns(line) + 2);
    let name = facts.name.as_str();
    match columns(name) {
        0 => line.clone(),
        length if length <= room => format!("{line}  {name}"),
        _ if room >= NAME => format!("{line}  ...{}", end(name, room - 3)),
        _ => line.clone(),
    }
}

/// Returns the longest end of `name` that fits into `width` columns: it is more informative than
/// the beginning.
fn end(name: &str, width: usize) -> &str {
    let mut room = width;
    let fits = |(_, char): &(usize, char)| {
        let next = room.checked_sub(char.width().unwrap_or(0));
        next.inspect(|next| room = *next).is_some()
    };
    let start = name.char_indices().rev().take_while(fits).last();
    start.map_or("", |(at, _)| &name[at..])
}

/// Returns the width of the terminal.
fn width() -> usize {
    truesum_fs::console::width().unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the line whenever a file is done.
    struct Lines(Drawing, Vec<String>);

    impl truesum::Sink for Lines {
        fn outcome(&mut self, _: truesum::Outcome) -> std::io::Result<()> {
            self.1.push(self.0.text());
            Ok(())
        }
        fn notice(&mut self, _: truesum::Notice) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines(tasks: &mut (dyn Iterator<Item = truesum::Task> + Send)) -> Vec<String> {
        let progress = Arc::new(Progress::default());
        let drawing = Drawing {
            progress: progress.clone(),
            signals: Signals::default(),
            line: Line::Hidden,
            size: None,
            began: Instant::now(),
            seen: Vec::new(),
        };
        let mut lines = Lines(drawing, Vec::new());
        truesum::run(&truesum::Config::default(), tasks, &progress, &mut lines).unwrap();
        lines.1
    }

    #[test]
    fn percentage_is_shown_once_all_files_are_found() {
        const COUNT: usize = 20_000;
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("f");
        std::fs::write(dir.path().join("f"), "some bytes").unwrap();
        let specs: Arc<[truesum::hash::Spec]> = Arc::new(["crc32".parse().unwrap()]);
        let task = |_| truesum::Task::File(truesum::Job::hash(&name, &specs));
        // The count is too large for sizes to be determined: the number of files is known either
        // from the beginning or only at the end.
        let known = lines(&mut (0..COUNT).map(task));
        let unknown = lines(&mut (0..COUNT).filter(|_| true).map(task));
        for (known, unknown) in known.iter().zip(&unknown) {
            assert!(known.contains(" of 20000 files") && known.contains('%'), "{known}");
            assert_eq!(unknown.contains('%'), unknown.contains(" of 20000 files"), "{unknown}");
        }
        assert!(!unknown[0].contains('%') && unknown[0].contains("+ files"), "{}", unknown[0]);
        assert!(known[COUNT - 1].starts_with("100%"), "{}", known[COUNT - 1]);
        let one = lines(&mut (0..1).map(task).filter(|_| true));
        assert!(one[0].starts_with("100%  10 B of 10 B"), "{}", one[0]);
        let sized = |_| {
            let job = truesum::Job::hash(&name, &specs).with_size(Some(10));
            truesum::Task::File(job)
        };
        let sized = lines(&mut (0..COUNT).filter(|_| true).map(sized));
        assert!(
            sized[COUNT - 1].starts_with("100%  195 KiB of 195 KiB, 20000 of 20000 files"),
            "{}",
            sized[COUNT - 1]
        );
        let few = lines(&mut (0..100).map(task));
        assert!(few.iter().all(|line| line.contains(" of 1.0 KiB, ")), "{}", few[0]);
    }

    #[test]
    fn progress_line_fits_the_terminal() {
        let facts = |name: &str| Facts {
            share: Some(0.4501),
            bytes: 1 << 40,
            total: Some(5 << 40),
            files: ", 123456 of 1234567 files".to_owned(),
            rate: 999.0 * 1024.0 * 1024.0,
            left: Some(3600.0),
            name: name.to_owned(),
        };
        let full = facts("").line(Shown { bar: BAR, files: true, total: true, left: true });
        assert!(full.starts_with(" 45%  [=======>        ]  1.0 TiB of 5.0 TiB, 123456"), "{full}");
        for width in 0..140 {
            let line = fit(&facts("photos/2024/a-long-name-of-a-picture.jpg"), width);
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert!(width < 26 || line.starts_with(" 45%  ") && line.contains("MiB/s"), "{width}: {line}");
            assert_eq!(line.contains(" left"), width >= 37, "{width}: {line}");
        }
        let line = fit(&facts("photos/2024/a-long-name-of-a-picture.jpg"), 110);
        assert!(
            line.contains("[=======>") && line.contains("  ...") && line.ends_with("picture.jpg"),
            "{line}"
        );
        assert!(fit(&facts("a"), 120).ends_with(" left  a"));
        // Each of these characters occupies two columns.
        let wide = fit(&facts(&"写真".repeat(20)), 110);
        // Some terminals draw a flag as one symbol of two columns, and others as two of them.
        let flags = fit(&facts(&"🇩🇪".repeat(20)), 110);
        assert!(columns(&flags) <= 110 && flags.ends_with("🇩🇪"), "{flags}");
        assert!(
            (109..=110).contains(&columns(&wide)) && wide.contains("  ...") && wide.ends_with("真"),
            "{wide}"
        );
    }
}
