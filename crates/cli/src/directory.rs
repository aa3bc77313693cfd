//! `truesum directory`: computes one digest of a complete directory tree, and proofs for single
//! files.
//!
//! Names and help of the options are next to their implementation.

mod compute;
mod proofs;
mod text;

use crate::exit::Exit;
use clap::{Args, Subcommand};

/// Compute one digest for a directory tree (truesum, git, Go, Nix)
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  truesum directory photos                       hash names, types and contents
  truesum directory --kind git .                 print git's tree ID
  truesum directory --kind h1 --prefix golang.org/x/mod@v0.22.0 mod
  truesum directory --expect swh:1:dir:0123... src  compare with a known digest
  truesum directory prove photos 2024/a.jpg > proof  prove a.jpg is in photos
  truesum directory verify-proof proof a.jpg --digest sha256-directory:0123...
No digest is printed if anything could not be read or was modified while being read. docs/spec/directory.md in the source tree \
defines the digest kind truesum. If a folder has the same name as a subcommand, write ./NAME.
Exit status: 0 the digest was printed or matches --expect, 1 it differs or a file could not be read, 2 usage or output error."
)]
pub struct DirectoryArgs {
    #[command(subcommand)]
    command: Option<DirectoryCommand>,
    #[command(flatten)]
    compute: compute::ComputeArgs,
}

#[derive(Subcommand)]
enum DirectoryCommand {
    Prove(proofs::ProveArgs),
    VerifyProof(proofs::VerifyProofArgs),
}

/// Runs the command.
pub fn run(args: DirectoryArgs) -> Exit {
    match args.command {
        None => compute::run(args.compute),
        Some(DirectoryCommand::Prove(args)) => proofs::prove(&args),
        Some(DirectoryCommand::VerifyProof(args)) => proofs::verify(&args),
    }
}
