//! `truesum bench` as a separate program: `cargo run --release -p truesum-bench --example bench -- algorithms --quick`.

use clap::Parser;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use truesum_bench::args::Bench;
use truesum_bench::command::{Outcome, run};

#[global_allocator]
static ALLOCATOR: truesum_bench::allocations::Counting = truesum_bench::allocations::Counting::SYSTEM;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    bench: Bench,
}

fn main() -> ExitCode {
    let program = Program::parse();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let stop = AtomicBool::new(false);
    match run(&program.bench, &format!("truesum bench {}", words.join(" ")), &stop, &mut std::io::stdout()) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Differs) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(why) => {
            eprintln!("truesum: {why}");
            ExitCode::from(2)
        }
    }
}
