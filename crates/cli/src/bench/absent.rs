//! The everyday program's `truesum bench`: where to get it. It is no subcommand there, so that help, man pages and completions
//! do not offer it.

use crate::console::Console;
use crate::exit::Exit;
use crate::values::color::Color;

/// What was typed behind `bench` does not matter.
pub struct Bench;

/// Says how to get the command.
pub fn run(_: &Bench) -> Exit {
    let package = env!("CARGO_PKG_NAME");
    let text = format!("bench: not in this program: build it with `cargo install {package} --features full`");
    Console::new(Color::Auto).error(&text);
    Exit::NotAsAsked
}
