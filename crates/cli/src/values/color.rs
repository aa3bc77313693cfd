//! Decides whether to use colors.

use anstream::stream::RawStream;
use clap::ValueEnum;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// The meaning of `auto`, if a setting specifies it.
static USUAL: OnceLock<Color> = OnceLock::new();

/// Sets the meaning of `auto` for the rest of the run.
pub fn make_usual(color: Color) {
    let _ = USUAL.set(color);
}

/// The value of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Returns whether to use colors on this stream: as requested or set, otherwise depending on
    /// NO_COLOR, CLICOLOR, CLICOLOR_FORCE and the terminal.
    pub fn on(self, stream: &(impl IsTerminal + RawStream)) -> bool {
        let usual = || USUAL.get().copied().unwrap_or(Color::Auto);
        match if self == Color::Auto { usual() } else { self } {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }
}
