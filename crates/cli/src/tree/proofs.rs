//! `truesum tree prove` and `verify-proof`: prove that bytes belong to a digest, and that a file
//! was only appended to.

use crate::console::Console;
use crate::exit::Exit;
use crate::members::read;
use crate::options::threads;
use crate::tree::stored::{open, refuse, tree_of};
use crate::tree::text;
use crate::values::{size, table::SpecParser};
use crate::watch::Watch;
use clap::{ArgGroup, Args, ValueHint};
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::hash::{Digest, Spec};
use truesum::tree::growth::{GrowthProof, prove_growth, verify_growth};
use truesum::tree::prove::{ProofFailure, Row, prove as prove_range, read_row, verify_proof};
use truesum_fs::name::OsStrExt;

/// Prove that a digest covers a byte range, or that a file was only appended to
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree prove disk.img --range 1GiB..1025MiB > disk.proof
  truesum tree --save --append app.log  after the log has grown
  truesum tree prove app.log --grown-from app.log.old.ftr > log.proof")]
#[command(group(ArgGroup::new("what").args(["range", "grown_from"]).required(true)))]
#[command(override_usage = "truesum tree prove [OPTIONS] <--range <A..B>|--grown-from <OLD>> <FILE>")]
pub struct ProveArgs {
    /// File that the proof is about
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: OsString,
    /// Byte range, such as 1MiB..2MiB
    ///
    /// The range is extended to leaf boundaries.
    #[arg(long, value_name = "A..B", value_parser = size::range)]
    range: Option<Range<u64>>,
    /// Prove that FILE begins with the entire old file, whose stored tree is OLD.ftr
    #[arg(long, value_name = "OLD.ftr", value_hint = ValueHint::FilePath, conflicts_with = "algorithm")]
    grown_from: Option<PathBuf>,
    /// Stored tree [default: FILE.ftr if it exists, else the entire file is read]
    #[arg(long, value_name = "TREE")]
    tree: Option<PathBuf>,
    /// Algorithm of the digest
    #[arg(short, long, value_name = "NAME", default_value = "sha256-tree", value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Spec,
}

/// Verify a proof, reading only the part of the file that it covers
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree verify-proof disk.proof disk.img --digest sha256-tree:0123...
  truesum tree verify-proof log.proof app.log \\
    --grown-from sha256-tree:0123... --digest sha256-tree:4567...")]
pub struct VerifyProofArgs {
    /// Proof; - is standard input
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// File that the proof is about
    ///
    /// For a proof made with --grown-from, FILE is not needed if the size of the old file is a multiple of the leaf
    /// size.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<OsString>,
    /// Trusted digest, as HEX or NAME:HEX
    #[arg(long, value_name = "DIGEST")]
    digest: String,
    /// Trusted digest of the old file, for a proof made with --grown-from
    #[arg(long, value_name = "DIGEST")]
    grown_from: Option<String>,
}

pub fn prove(args: &ProveArgs, console: &mut Console) -> Exit {
    let name = args.file.as_bytes();
    let watch = Watch::of_one(None, console);
    // The tree of the old file must not be used for the new one.
    let beside =
        || Some(tree_of(name, None)).filter(|tree| tree.exists() && Some(tree) != args.grown_from.as_ref());
    let stored = args.tree.clone().or_else(beside);
    let result = (|| -> Result<String, Error> {
        let old = args.grown_from.as_deref().map(open).transpose()?;
        let store = stored.map(|path| open(&path)).transpose()?;
        let (spec, row) = match (&store, &old) {
            (Some(store), _) => (store.header().spec().clone(), Row::Stored(store)),
            (None, old) => {
                let spec = old.as_ref().map_or(&args.algorithm, |old| old.header().spec());
                (spec.clone(), read_row(&args.file, spec, &watch.reading(threads(None)))?)
            }
        };
        if let Some(old) = &old {
            return Ok(text::growth(&prove_growth(&args.file, &row, old, &watch.reading(1))?));
        }
        let range = args.range.clone().unwrap_or_default();
        Ok(text::proof(&prove_range(&args.file, &spec, &row, range, &watch.reading(1))?))
    })();
    watch.print(result, console)
}

pub fn verify(args: &VerifyProofArgs, console: &mut Console) -> Exit {
    let text = match read(&args.proof) {
        Ok(text) => text,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsRequested;
        }
    };
    let checked = match (text::parse_growth(&text), &args.grown_from, &args.file) {
        (Some(Ok(proof)), Some(old), file) => check_growth(&proof, file.as_ref(), old, &args.digest, console),
        (Some(Ok(_)), None, _) => {
            Err("this proof was made with --grown-from: specify the digest of the old file with --grown-from"
                .to_owned())
        }
        (Some(Err(why)), ..) => Err(why),
        (None, Some(_), _) => Err("the proof was not made with --grown-from".to_owned()),
        (None, None, Some(file)) => check_range(&text, file, &args.digest, console),
        (None, None, None) => Err("specify FILE, because the range is read from it".to_owned()),
    };
    checked.unwrap_or_else(|why| refuse(&args.proof, &why, console))
}

/// Parses a trusted digest, which must have the algorithm of the proof.
fn trusted(text: &str, spec: &Spec) -> Result<Digest, String> {
    let hex = match text.rsplit_once(':') {
        Some((name, _)) if name.parse::<Spec>().as_ref() != Ok(spec) => {
            return Err(format!("the proof is for a {spec} digest, but a {name} digest was given"));
        }
        Some((_, hex)) => hex,
        None => text,
    };
    Digest::from_hex(hex.as_bytes()).map_err(|_| format!("'{hex}' is not a hexadecimal digest"))
}

fn check_range(text: &str, file: &OsString, digest: &str, console: &mut Console) -> Result<Exit, String> {
    let proof = text::parse_proof(text)?;
    let trusted = trusted(digest, &proof.spec)?;
    let watch = Watch::of_one(None, console);
    let result = verify_proof(file, &proof, &trusted, &watch.reading(1));
    let bytes = proof.bytes();
    let rest = if bytes == (0..proof.size) { "" } else { "; the other bytes were not read" };
    let line = format!("bytes {}..{} of {} match the digest{rest}\n", bytes.start, bytes.end, proof.size);
    Ok(proven(result, file, line, &watch, console))
}

fn check_growth(
    proof: &GrowthProof,
    file: Option<&OsString>,
    old: &str,
    new: &str,
    console: &mut Console,
) -> Result<Exit, String> {
    let (old, new) = (trusted(old, &proof.spec)?, trusted(new, &proof.spec)?);
    if file.is_none() && proof.needs().is_some() {
        return Err(
            "the old file ends within a leaf: specify the new file, so that this leaf can be read".to_owned()
        );
    }
    let watch = Watch::of_one(None, console);
    let result = verify_growth(file.map(Path::new), proof, &old, &new, &watch.reading(1));
    let read = match (file, proof.needs()) {
        (Some(_), Some(bytes)) => {
            format!("; only bytes {}..{} of the file were read", bytes.start, bytes.end)
        }
        _ => "; no byte of the file was read".to_owned(),
    };
    let line = format!(
        "the digests prove that the first {} of {} bytes are the old file{read}\n",
        proof.old_size, proof.size
    );
    Ok(proven(result, file.map_or(OsStr::new("growth"), |file| file), line, &watch, console))
}

/// Prints what a proof shows, or why it is refuted.
fn proven(
    result: Result<(), ProofFailure>,
    file: &OsStr,
    line: String,
    watch: &Watch,
    console: &mut Console,
) -> Exit {
    console.display = None;
    match result {
        Ok(()) => watch.print(Ok(line), console),
        Err(ProofFailure::File(error)) => watch.failed(&error, console),
        Err(why) => {
            console.error_of(file.as_bytes(), &format!("not proven: {why}"));
            Exit::Failed
        }
    }
}
