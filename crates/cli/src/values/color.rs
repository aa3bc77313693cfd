//! When to use colours.

use anstream::stream::RawStream;
use clap::ValueEnum;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// What stands for `auto`, where a setting says so.
static USUAL: OnceLock<Color> = OnceLock::new();

/// Makes this what `auto` stands for, for the rest of the run.
pub fn make_usual(color: Color) {
    let _ = USUAL.set(color);
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether this stream gets colours: as asked or set, else by NO_COLOR, CLICOLOR, CLICOLOR_FORCE and the terminal.
    pub fn on(self, stream: &(impl IsTerminal + RawStream)) -> bool {
        let usual = || USUAL.get().copied().unwrap_or(Color::Auto);
        match if self == Color::Auto { usual() } else { self } {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }
}
