//! `truesum directory`: one digest of a whole tree of files, and the proof that one of them belongs to it.
//!
//! Names and help of the options stand beside what they do.

mod compute;
mod proofs;
mod text;

use crate::exit::Exit;
use clap::{Args, Subcommand};

/// One digest of a whole tree of files: truesum's, git's, Go's, Nix's
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  truesum directory photos                          names, types and contents of all there is
  truesum directory --kind git .                    what git write-tree says of these files
  truesum directory --kind h1 --prefix golang.org/x/mod@v0.22.0 mod
  truesum directory --expect swh:1:dir:0123... src  whether that is its digest
  truesum directory prove photos 2024/a.jpg > proof that this file belongs to the digest
  truesum directory verify-proof proof a.jpg --digest sha256-directory:0123...
Where anything could not be read or changed meanwhile there is no digest. The definitions are docs/spec/directory.md in its sources.
Folders called like a subcommand are written with a folder: ./prove.
Exit status: 0 done, or it is the digest expected; 1 it is not, or a file was not read; 2 not done as asked."
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
