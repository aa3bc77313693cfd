//! The program `truesum`, which is implemented by the library of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    truesum_cli::main()
}
