//! The progress line: one thread that reads the run's counters and draws. The only file that knows indicatif.
//!
//! Nothing is drawn before a run has lasted a moment, and nothing where standard error is no terminal; a status line on
//! SIGUSR1 comes either way.

use crate::signals::Signals;
use crate::words::{clock, size};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use truesum::Progress;
use truesum::manifest::path::display_safe;

/// How long a run lasts before it is worth a line.
const MOMENT: Duration = Duration::from_millis(500);
/// Between two drawings.
const TICK: Duration = Duration::from_millis(100);
/// What the rate is measured over, at least.
const RATE_WINDOW: Duration = Duration::from_secs(3);

/// Whether the line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Drawn,
    Hidden,
}

impl Line {
    /// Drawn where somebody sees it.
    pub fn where_seen() -> Line {
        if std::io::stderr().is_terminal() { Line::Drawn } else { Line::Hidden }
    }
}

/// The drawing thread. Dropping it clears the line.
pub struct Display {
    bar: Arc<Mutex<Option<ProgressBar>>>,
    end: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Starts the thread; `size` is that of the only file, where it is known before the engine knows.
    pub fn start(progress: &Arc<Progress>, signals: &Signals, line: Line, size: Option<u64>) -> Display {
        let bar = Arc::new(Mutex::new(None));
        let (end, ended) = channel();
        let drawing = Drawing {
            progress: progress.clone(),
            signals: signals.clone(),
            line,
            size,
            bar: bar.clone(),
            began: Instant::now(),
            seen: Vec::new(),
        };
        // Without a thread there is no line, and nothing else is lost.
        let thread =
            truesum::thread("progress").and_then(|builder| builder.spawn(|| drawing.run(ended)).ok());
        Display { bar, end, thread }
    }

    /// Runs `write`, which writes to the terminal, with the line out of its way.
    pub fn around<T>(&self, write: impl FnOnce() -> T) -> T {
        let bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match &*bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.end.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.finish_and_clear();
        }
    }
}

struct Drawing {
    progress: Arc<Progress>,
    signals: Signals,
    line: Line,
    size: Option<u64>,
    bar: Arc<Mutex<Option<ProgressBar>>>,
    began: Instant,
    /// Times and bytes of the last moments, for the rate.
    seen: Vec<(Instant, u64)>,
}

impl Drawing {
    fn run(mut self, ended: Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            self.look();
            if self.line == Line::Drawn && self.began.elapsed() >= MOMENT {
                let text = self.text();
                let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
                bar.get_or_insert_with(new_bar).set_message(text);
            }
            if self.signals.take_status() {
                let text = self.text();
                let bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
                let write = || drop(writeln!(std::io::stderr(), "truesum: {text}"));
                match &*bar {
                    Some(bar) => bar.suspend(write),
                    None => write(),
                }
            }
        }
    }

    fn look(&mut self) {
        let now = Instant::now();
        self.seen.push((now, self.progress.bytes()));
        let old = self.seen.iter().rposition(|(at, _)| now - *at >= RATE_WINDOW).unwrap_or(0);
        self.seen.drain(..old);
    }

    /// Bytes a second over the last moments.
    fn rate(&self) -> f64 {
        let now = (Instant::now(), self.progress.bytes());
        let (at, bytes) = self.seen.first().copied().unwrap_or((self.began, 0));
        (now.1 - bytes.min(now.1)) as f64 / (now.0 - at).as_secs_f64().max(1e-3)
    }

    /// The share of the manifests that was read, where it is worth telling.
    fn share(&self) -> Option<f64> {
        let (all, read) = self.progress.listed();
        (read > 0 && read < all).then(|| read as f64 / all as f64)
    }

    fn text(&self) -> String {
        let (bytes, files) = (self.progress.bytes(), self.progress.files());
        let rate = self.rate();
        let (total, total_files) = self.progress.totals().unwrap_or((0, 0));
        let total = if total == 0 { self.size.unwrap_or(0) } else { total };
        // Without sizes, files have to do.
        let by_files = || (total_files > 1).then(|| files.min(total_files) as f64 / total_files as f64);
        let share = if total == 0 { self.share().or_else(by_files) } else { None };
        let mut text = share.map_or_else(String::new, |share| format!("{:3.0}%  ", (share * 100.0).floor()));
        if total > 0 && bytes <= total {
            let percent = bytes * 100 / total;
            text += &format!("{percent:3}%  {} of {}", size(bytes), size(total));
        } else {
            text += &size(bytes);
        }
        if total_files > 1 {
            text += &format!(", {files} of {total_files} files");
        } else if self.progress.listed() == (0, 0) && self.progress.found() > files.max(1) {
            // A walk that is not at its end.
            text += &format!(", {files} of {}+ files", self.progress.found());
        } else if files > 1 {
            text += &format!(", {files} files");
        }
        text += &format!(", {}/s", size(rate as u64));
        if total > bytes && rate > 0.0 {
            text += &format!(", {} left", clock((total - bytes) as f64 / rate));
        } else if let Some(share) = share {
            text += &format!(", {} left", clock(self.began.elapsed().as_secs_f64() * (1.0 - share) / share));
        }
        let current = self.progress.current();
        let current = current.as_os_str().as_bytes();
        if !current.is_empty() {
            text += &format!("  {}", display_safe(current));
        }
        text
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{wide_msg}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line as it was whenever a file was done.
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
            bar: Arc::default(),
            began: Instant::now(),
            seen: Vec::new(),
        };
        let mut lines = Lines(drawing, Vec::new());
        truesum::run(&truesum::Config::default(), tasks, &progress, &mut lines).unwrap();
        lines.1
    }

    #[test]
    fn a_share_is_told_once_all_files_are_found() {
        const COUNT: usize = 20_000;
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("f");
        std::fs::write(dir.path().join("f"), "some bytes").unwrap();
        let specs: Arc<[truesum::hash::Spec]> = Arc::new(["crc32".parse().unwrap()]);
        let task = |_| truesum::Task::File(truesum::Job::hash(&name, &specs));
        // So many that their sizes are not asked: how many they are is known from the beginning, or only at the end.
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
        let few = lines(&mut (0..100).map(task));
        assert!(few.iter().all(|line| line.contains(" of 1.0 KiB, ")), "{}", few[0]);
    }
}
