//! `truesum tree`: hashes large files on all cores, stores trees, locates and repairs damage,
//! proves ranges, and divides work between machines.
//!
//! Names and help of the options are next to their implementation, in one file for each pair of
//! subcommands.

mod build;
mod division;
mod listed;
mod loss;
mod proofs;
mod repair;
mod stored;
mod text;
mod verify;

use crate::console::Console;
use crate::exit::Exit;
use crate::values::color::Color;
use clap::{Args, Subcommand};

/// Hash large files on all cores; locate and repair damage
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  truesum tree big.img                           print its digest (all cores)
  truesum tree --save big.img                    store the tree in big.img.ftr
  truesum tree verify big.img.ftr                show damaged bytes
  truesum tree repair --from /mnt/copy/big.img big.img.ftr
  truesum tree --save --parity 5% big.img        also store data for repairs
  truesum tree repair big.img.ftr                repair without a copy
  truesum tree prove big.img --range 1MiB..2MiB  prove it contains these bytes
  truesum tree --save --append log               read only what was appended
  truesum tree prove log --grown-from old.ftr    prove data was only appended
If a file has the same name as a subcommand, write ./NAME."
)]
pub struct TreeArgs {
    #[command(subcommand)]
    command: Option<TreeCommand>,
    #[command(flatten)]
    build: build::BuildArgs,
}

#[derive(Subcommand)]
enum TreeCommand {
    Verify(verify::VerifyArgs),
    Repair(repair::RepairArgs),
    Prove(proofs::ProveArgs),
    VerifyProof(proofs::VerifyProofArgs),
    Leaf(division::LeafArgs),
    Combine(division::CombineArgs),
}

/// Runs the command.
pub fn run(args: TreeArgs) -> Exit {
    let mut console = Console::new(Color::Auto);
    match args.command {
        None => build::hash(&args.build, &mut console),
        Some(TreeCommand::Verify(args)) => verify::verify(&args, &mut console),
        Some(TreeCommand::Repair(args)) => repair::repair(&args, &mut console),
        Some(TreeCommand::Prove(args)) => proofs::prove(&args, &mut console),
        Some(TreeCommand::VerifyProof(args)) => proofs::verify(&args, &mut console),
        Some(TreeCommand::Leaf(args)) => division::leaf(&args, &mut console),
        Some(TreeCommand::Combine(args)) => division::join(&args, &mut console),
    }
}
