//! The everyday program's `truesum bench`: where to get it. It is no subcommand there, so that help, man pages and completions
//! do not offer it.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::values::color::Color;

/// What was typed behind `bench` does not matter.
pub struct Bench;

/// Says how to get the command.
pub fn run(_: &Bench) -> Exit {
    let hint = "cargo install --locked --path crates/cli --features full, in the source, builds one with it";
    Console::new(Color::Auto).refuse(&Refusal::with_hint("bench: not in this program", hint))
}
