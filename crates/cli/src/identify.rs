//! `truesum identify`: lists the possible algorithms of a digest, and with a file, determines which
//! of them match.

#[cfg(feature = "stores")]
mod object;

use crate::advice::signature_at;
use crate::console::Console;
use crate::digests::{candidates, candidates_for_file, without_key};
use crate::exit::{Exit, Refusal};
use crate::options::RunArgs;
use crate::output::print;
use crate::stores;
use crate::watch::Watch;
use crate::words::{count, names, not_shown, path_word};
use clap::{Args, ValueHint};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::Path;
use truesum::Error;
use truesum::hash::Spec;
use truesum::manifest::identify::{Candidate, matching};
use truesum::manifest::json;
use truesum::manifest::path::{Charset, display_safe, quotef};
use truesum_fs::name::OsStrExt;

/// Identify a digest's algorithm by its form, or by trying candidates on a file
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum identify d41d8cd98f00b204e9800998ecf8427e
  truesum identify sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
  truesum identify 9dd4e461268c8034f5c8564e155c67a6 disk.iso
  truesum identify 29b1 firmware.bin      find the CRC variant
  truesum identify 1f2e...-17 upload.bin  find the part size
Accepted forms: hexadecimal (in upper or lower case, with or without colons or spaces); base32, base58, base64, Z85, Nix base32, C4, \
Bubble Babble; multihash, multibase; the decimal output of sum and cksum; NAME:DIGEST. With FILE, truesum also tries \
the info hash of a torrent of FILE.
Exit status: 0 identified (or, with FILE, a match was found), 1 FILE does not match, 2 DIGEST is not a digest, or FILE could not be read.")]
pub struct IdentifyArgs {
    /// Digest to identify (before or after FILE)
    #[cfg_attr(
        feature = "stores",
        arg(help = "Digest to identify (before or after FILE), or s3://BUCKET/OBJECT for its ETag")
    )]
    #[arg(value_name = "DIGEST", allow_hyphen_values = true)]
    pub digest: String,
    /// File to hash with all candidate algorithms, in one pass
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<OsString>,
    /// List all candidates, not only the likely ones
    #[arg(long)]
    pub all: bool,
    /// Print JSON: one object per line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
}

/// Maximum number of interpretations that are listed without `--all`.
const LIKELY: usize = 8;

/// Returns the refusal of a file in the place of the digest.
fn file_refusal(text: &str) -> Option<Refusal> {
    let name = Path::new(text).is_file().then(|| path_word(text))?;
    if let Some((what, command)) = signature_at(Path::new(text), Path::new(text)) {
        return Some(Refusal::with_hint(
            format!("{}: this is a {what}, and not a digest", display_safe(text.as_bytes())),
            format!("to verify it: {command}"),
        ));
    }
    Some(Refusal::with_hint(
        format!("{}: this is a file, and not a digest", display_safe(text.as_bytes())),
        format!(
            "to check it as a manifest: truesum check {name}; to compute its digest: truesum hash {name}"
        ),
    ))
}

/// Runs the command.
pub fn run(args: IdentifyArgs) -> Exit {
    let args = args.in_order();
    let mut console = Console::new(args.run.color).quiet(args.quiet);
    #[cfg(feature = "stores")]
    if args.file.is_none() && stores::is_url(args.digest.as_ref()) {
        return object::run(&args, args.digest.as_ref(), &mut console);
    }
    let candidates = match &args.file {
        Some(file) => candidates_for_file(&args.digest, file).and_then(without_key),
        None => {
            candidates(&args.digest, &[]).map_err(|refusal| file_refusal(&args.digest).unwrap_or(refusal))
        }
    };
    let candidates = match candidates {
        Ok(candidates) => candidates,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet);
    let Some(file) = &args.file else {
        let shown = if args.all || args.json { candidates.len() } else { candidates.len().min(LIKELY) };
        let mut text = render_candidates(&candidates[..shown], args.json);
        if shown < candidates.len() {
            let more = count((candidates.len() - shown) as u64, "more candidate", "more candidates");
            let digest = quotef(args.digest.as_bytes(), Charset::Utf8);
            let _ = writeln!(text, "{more}: truesum identify --all {digest}");
        }
        return print(&text, &mut console);
    };
    let remote = match stores::of_object(file) {
        Ok(remote) => remote,
        Err(refusal) => return console.refuse(&refusal),
    };
    let is_stream = file == "-";
    let (candidates, skipped) = match is_stream {
        true => candidates.into_iter().partition(|one| !needs_size(one.spec())),
        false => (candidates, Vec::new()),
    };
    if let (true, Some(first)) = (candidates.is_empty(), skipped.first()) {
        let why = format!("-: cannot hash: {} requires the size in advance", first.spec());
        return console.refuse(&Refusal::with_hint(
            why,
            "the size is known only for regular files: use FILE instead of standard input",
        ));
    }
    let watch = Watch { remote, ..Watch::start(reporting.line, None, &mut console) };
    let size = || match (&watch.remote, std::fs::metadata(file)) {
        (Some(remote), _) => Ok(remote.version(file.as_bytes(), &watch.progress)?.size()),
        (None, Ok(metadata)) => Ok(metadata.len()),
        (None, Err(error)) => Err(Error::io(file.as_bytes(), "open", error)),
    };
    let digests = |specs: &[Spec]| Ok(watch.digests(file, specs, reporting.threads)?.into_digests());
    let result = matching(&candidates, size, digests);
    console.display = None;
    let (found, tried) = match result {
        Ok(result) => result,
        Err(error) => {
            console.failure(&error);
            return watch.signals.ended_by().map_or(Exit::NotAsRequested, Exit::Signal);
        }
    };
    let name = display_safe(file.as_bytes());
    let text = match (args.json, found.is_empty()) {
        (true, _) => render_candidates(&found, true),
        (false, true) => {
            format!("{name}: does not match ({} tried)\n", count(tried, "candidate", "candidates"))
        }
        (false, false) => found
            .iter()
            .map(|found| {
                let status = found.spec().algorithm().status();
                let spec = found.spec().to_string();
                let weak = match status.tamper_evident() {
                    true => String::new(),
                    false => format!("; {}", not_shown(&spec)),
                };
                format!("{name}: {spec} ({}){weak}\n", found.encoding().name())
            })
            .collect(),
    };
    let printed = print(&text, &mut console);
    if reporting.notes && !skipped.is_empty() {
        let mut specs: Vec<Spec> = skipped.into_iter().map(|one| one.spec().clone()).collect();
        specs.dedup();
        let skipped = names(&specs);
        console.note(&format!("-: skipped the algorithms that require the size in advance: {skipped}"));
    }
    let of_parts = candidates.iter().any(|one| one.spec().counts_parts());
    if found.is_empty() && of_parts && !args.json {
        console.note(
            "only common part sizes and multiples of 1 MiB were tried; to use another part size: \
             truesum -a 's3-etag;part=BYTES' FILE",
        );
    }
    if found.is_empty() { printed.max(Exit::Failed) } else { printed }
}

impl IdentifyArgs {
    /// Returns the arguments with the digest first; `FILE DIGEST` is accepted too.
    fn in_order(self) -> IdentifyArgs {
        let Some(Ok(second)) = self.file.clone().map(OsString::into_string) else { return self };
        let is_file = |word: &str| Path::new(word).exists() || word == "-";
        let is_digest = |word: &str, file: &str| candidates_for_file(word, OsStr::new(file)).is_ok();
        let swapped = is_digest(&second, &self.digest)
            && (!is_digest(&self.digest, &second) || is_file(&self.digest) && !is_file(&second));
        match swapped {
            true => IdentifyArgs { file: Some(self.digest.into()), digest: second, ..self },
            false => self,
        }
    }
}

/// Returns whether a digest requires the size of the data in advance.
fn needs_size(spec: &Spec) -> bool {
    spec.needs_size() || spec.counts_parts()
}

/// Returns the candidates as lines.
fn render_candidates(candidates: &[Candidate], as_json: bool) -> String {
    let mut text = String::new();
    if !as_json {
        let _ = writeln!(text, "{:<14} {:<10} {:<9} DESCRIPTION", "ALGORITHM", "ENCODING", "STATUS");
    }
    for candidate in candidates {
        let (spec, digest) = (candidate.spec(), candidate.digest());
        let row = spec.algorithm();
        let (status, encoding) = (row.status().word(), candidate.encoding().name());
        let name = spec.to_string();
        let _ = match as_json {
            false => writeln!(text, "{name:<14} {encoding:<10} {status:<9} {}", row.summary()),
            true => {
                let mut summary = Vec::new();
                json::string_into(row.summary(), &mut summary);
                let summary = String::from_utf8_lossy(&summary);
                writeln!(
                    text,
                    "{{\"schema\":\"truesum-identify/1\",\"algorithm\":\"{name}\",\"encoding\":\"{encoding}\",\"digest\":\"{digest}\",\
                     \"status\":\"{status}\",\"tamper_evident\":{},\"summary\":{summary}}}",
                    row.status().tamper_evident()
                )
            }
        };
    }
    text
}
