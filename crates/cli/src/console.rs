//! Messages to the user on standard error, hints that are printed once, and colors if requested.
//!
//! Standard error may be closed or full. That never ends a run, so nothing here fails.

use crate::advice;
use crate::exit::{Exit, Refusal};
use crate::progress::Display;
use crate::terminal::{Escapes, visible, write_error};
use crate::values::color::Color;
use anstyle::{AnsiColor, Style};
use std::sync::OnceLock;
use truesum::Error;
use truesum::manifest::path::display_safe;

/// Prints messages to the user.
pub struct Console {
    /// The progress line, while it is active.
    pub display: Option<Display>,
    colors: bool,
    /// Whether notes are not printed.
    quiet: bool,
    hints: Vec<String>,
}

type HintAdapter = dyn Fn(&str) -> Option<String> + Send + Sync;
static HINT_ADAPTER: OnceLock<Box<HintAdapter>> = OnceLock::new();

/// Adapts hints to the running command before they are printed, because shared code gives advice without knowing its
/// options. Hints for which `adapt` returns `None` are not printed.
pub fn adapt_hints(adapt: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
    let _ = HINT_ADAPTER.set(Box::new(adapt));
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Error,
    Hint,
    Note,
}

impl Console {
    /// Returns a console that colors messages if `color` and the terminal permit it.
    pub fn new(color: Color) -> Console {
        Console { display: None, colors: color.on(&std::io::stderr()), quiet: false, hints: Vec::new() }
    }

    /// Returns a console that prints no notes if `quiet`.
    pub fn quiet(self, quiet: bool) -> Console {
        Console { quiet, ..self }
    }

    /// Prints a file error, and advice on it.
    pub fn failure(&mut self, error: &Error) {
        self.error(&error.to_string());
        self.advise(error);
    }

    /// Prints what can be done about an error.
    pub fn advise(&mut self, error: &Error) {
        if let Some(hint) = advice::on(error) {
            self.hint(&hint);
        }
    }

    /// Prints why a command cannot be carried out.
    pub fn refuse(&mut self, refusal: &Refusal) -> Exit {
        self.error(&refusal.text);
        if let Some(hint) = &refusal.hint {
            self.hint(hint);
        }
        Exit::NotAsRequested
    }

    /// Prints an error: `subject: what happened`.
    pub fn error(&self, text: &str) {
        self.say(Kind::Error, text);
    }

    /// Prints an error about a path.
    pub fn error_of(&self, path: &[u8], text: &str) {
        self.say(Kind::Error, &format!("{}: {text}", display_safe(path)));
    }

    /// Prints a note about something that is not a failure.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(Kind::Note, text);
        }
    }

    /// Prints a hint, once per run, as far as [`adapt_hints`] permits it.
    pub fn hint(&mut self, text: &str) {
        if self.hints.iter().any(|known| known == text) {
            return;
        }
        self.hints.push(text.to_owned());
        let adapted = HINT_ADAPTER.get().map_or_else(|| Some(text.to_owned()), |adapt| adapt(text));
        adapted.into_iter().for_each(|text| self.say(Kind::Hint, &text));
    }

    /// Prints the last line of a run, in the color of its exit status.
    pub fn summary(&self, exit: Exit, text: &str) {
        let color = match exit {
            Exit::Done => AnsiColor::Green,
            Exit::Failed => AnsiColor::Red,
            _ => AnsiColor::Yellow,
        };
        let style = if self.colors { color.on_default() } else { Style::new() };
        self.write(format!("{style}{text}{style:#}\n").as_bytes(), Escapes::Colors);
    }

    /// Prints a line without a prefix or colors.
    pub fn line(&self, text: &str) {
        self.write(format!("{text}\n").as_bytes(), Escapes::None);
    }

    fn say(&self, kind: Kind, text: &str) {
        let (word, style) = match kind {
            Kind::Error => ("", Style::new()),
            Kind::Hint => ("hint: ", AnsiColor::Cyan.on_default()),
            Kind::Note => ("note: ", AnsiColor::Yellow.on_default()),
        };
        let style = if self.colors { style } else { Style::new() };
        let head = if kind == Kind::Hint { "" } else { "truesum: " };
        // Error reasons may contain text from a manifest.
        let text = String::from_utf8_lossy(&visible(text.as_bytes(), Escapes::None)).into_owned();
        self.write(format!("{head}{style}{word}{style:#}{text}\n").as_bytes(), Escapes::Colors);
    }

    fn write(&self, bytes: &[u8], escapes: Escapes) {
        write_error(bytes, escapes);
    }
}
