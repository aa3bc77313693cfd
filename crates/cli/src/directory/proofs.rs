//! `truesum directory prove` and `verify-proof`.

use super::compute::{OwnArgs, SelectArgs};
use super::text;
use crate::console::Console;
use crate::exit::Exit;
use crate::members::read;
use crate::options::RunArgs;
use crate::output::print;
use crate::watch::Watch;
use crate::words::count;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use truesum::directory::prove::{Body, ObjectProof, prove as prove_object, verify as verify_object};
use truesum::directory::{Kind, Options};
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::tree::prove::ProofFailure;
use truesum::{Error, Kind as Failure, Mapping};
use truesum_fs::name::OsStrExt;

/// Prove that a folder's digest covers a file, folder or link
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum directory prove photos 2024/a.jpg > a.proof
  truesum directory prove -a blake3 --modes photos 2024/a.jpg
All files in the folder are read. The proof is one line of JSON whose length grows with the logarithm of the number of files.")]
pub struct ProveArgs {
    /// Folder that the digest covers
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: OsString,
    /// Name of the file, folder or link, relative to DIR
    #[arg(value_name = "NAME", value_hint = ValueHint::AnyPath)]
    name: PathBuf,
    #[command(flatten)]
    own: OwnArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Verify a proof against a trusted digest, reading only the file it covers
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum directory verify-proof a.proof a.jpg --digest sha256-directory:0123...
  truesum directory verify-proof a.proof --digest sha256-directory:0123...
Exit status: 0 the proof is valid (the name of the file is printed), 1 it is not valid, 2 the proof or the digest is malformed.")]
pub struct VerifyProofArgs {
    /// Proof; - is standard input
    #[arg(value_name = "PROOF", value_hint = ValueHint::FilePath)]
    proof: PathBuf,
    /// File, folder or link that the proof is about; it may have been renamed
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    file: Option<PathBuf>,
    /// Trusted digest, as HEX or NAME:HEX
    #[arg(long, value_name = "DIGEST")]
    digest: String,
}

pub fn prove(args: &ProveArgs) -> Exit {
    let mut console = Console::new(args.run.color).quiet(args.quiet);
    let kind = match args.own.kind() {
        Ok(kind) => kind,
        Err(refusal) => return console.refuse(&refusal),
    };
    let walk = match args.select.options() {
        Ok(walk) => walk,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet);
    let options = Options::new(kind).walk(walk).threads(reporting.threads).mapping(Mapping::Guarded);
    let watch = Watch::start(reporting.line, None, &mut console);
    let mut failed = Exit::Failed;
    let mut on_error = |error: Error| {
        if error.kind() == Failure::Undivided {
            failed = Exit::NotAsRequested;
        }
        console.failure(&error);
    };
    let proof = prove_object(&args.folder, &args.name, &options, &watch.progress, &mut on_error);
    console.display = None;
    match proof {
        Some(proof) => print(&text::write(&proof), &mut console),
        None => match watch.signals.ended_by() {
            Some(signal) => {
                console.error("interrupted: no proof was written");
                Exit::Signal(signal)
            }
            None => failed,
        },
    }
}

pub fn verify(args: &VerifyProofArgs) -> Exit {
    let mut console = Console::new(crate::values::color::Color::Auto);
    let proof = match read(&args.proof) {
        Ok(text) => text::parse(&text),
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsRequested;
        }
    };
    let requested = proof.and_then(|proof| trusted(&args.digest, &proof).map(|digest| (proof, digest)));
    let (proof, digest) = match requested {
        Ok(requested) => requested,
        Err(why) => {
            console.error_of(args.proof.as_os_str().as_bytes(), &why);
            return Exit::NotAsRequested;
        }
    };
    let watch = Watch::of_one(None, &mut console);
    let result = verify_object(&proof, args.file.as_deref(), &digest, &watch.progress);
    console.display = None;
    match result {
        Ok(()) => print(&describe(&proof, args.file.is_some()), &mut console),
        Err(ProofFailure::File(error)) => watch.failed(&error, &mut console),
        Err(why) => {
            let about = args.file.as_deref().unwrap_or(Path::new(&args.proof));
            console.error_of(about.as_os_str().as_bytes(), &format!("not proven: {why}"));
            Exit::Failed
        }
    }
}

/// Returns the trusted digest, which must be of a kind that the proof applies to.
fn trusted(text: &str, proof: &ObjectProof) -> Result<Digest, String> {
    let own = Kind::Truesum { spec: proof.spec.clone(), modes: proof.mode.is_some() };
    match Kind::read(text.trim()) {
        Some((kind, digest)) if kind == own => Ok(digest),
        Some(_) => Err("the proof is for another kind of digest".to_owned()),
        None => Digest::from_hex(text.trim().as_bytes())
            .ok()
            .filter(|digest| digest.len() == own.digest_len())
            .ok_or_else(|| format!("'{}' is not a valid digest for this proof", text.escape_debug())),
    }
}

fn describe(proof: &ObjectProof, is_read: bool) -> String {
    let name = display_safe(&proof.path);
    match &proof.body {
        Body::File { size, digest } if !is_read => {
            format!(
                "{name} is covered by the digest; it is a file of {} with the {} digest {digest}\n",
                count(*size, "byte", "bytes"),
                proof.spec
            )
        }
        Body::Link(target) if !is_read => {
            format!("{name} is covered by the digest; it is a link to {}\n", display_safe(target))
        }
        Body::Folder if !is_read => format!("{name} is covered by the digest; it is a folder\n"),
        _ => match proof.mode {
            Some(mode) => {
                format!(
                    "{name} is covered by the digest; the mode {mode:04o} in the proof was not compared with the actual mode\n"
                )
            }
            None => format!("{name} is covered by the digest\n"),
        },
    }
}
