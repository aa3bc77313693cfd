//! The everyday program's `truesum bench`: where to get it. It is no subcommand there, so that help, man pages and completions
//! do not offer it.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::values::color::Color;

/// What was typed behind `bench` does not matter.
pub struct Bench;

/// Says how to get the command.
pub fn run(_: &Bench) -> Exit {
    let hint = "to build it from the sources: cargo install --locked --path crates/cli --features full";
    Console::new(Color::Auto).refuse(&Refusal::with_hint("bench: not included in this build", hint))
}
