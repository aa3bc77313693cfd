//! `truesum bench` in the standard build: explains how to get the command. It is not a subcommand
//! there, so that help, man pages and completions do not offer it.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::values::color::Color;

/// The arguments after `bench`, which are ignored.
pub struct Bench;

/// Reports how to get the command.
pub fn run(_: &Bench) -> Exit {
    let hint =
        "to include it, build truesum from source: cargo install --locked --path crates/cli --features full";
    Console::new(Color::Auto).refuse(&Refusal::with_hint("bench: not included in this build", hint))
}
