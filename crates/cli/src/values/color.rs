//! When to use colours.

use anstream::stream::RawStream;
use clap::ValueEnum;
use std::io::IsTerminal;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether this stream gets colours: as asked, else by NO_COLOR, CLICOLOR, CLICOLOR_FORCE and the terminal.
    pub fn on(self, stream: &(impl IsTerminal + RawStream)) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }
}
