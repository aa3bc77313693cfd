//! `truesum directory DIR`: computes digests of trees, or compares one with an expected digest.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::options::RunArgs;
use crate::output::{Output, cannot_write};
use crate::selection::{keep_ignore_files, not_selected, selection};
use crate::values::table::SpecParser;
use crate::watch::Watch;
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use truesum::Wanted;
use truesum::directory::{Directory, Encoding, Kind, Options, digest};
use truesum::hash::{Digest, Spec};
use truesum::manifest::json;
use truesum::manifest::path::display_safe;
use truesum::walk::{self, ExcludedCounts, Item};
use truesum::{Error, Mapping, Walk};
use truesum_fs::name::OsStrExt;

/// The trees to hash, the kind of digest, and the selection of files.
#[derive(Args)]
pub struct ComputeArgs {
    /// Folders to hash (or files, for kinds git, nar and swhid)
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath, required = true)]
    folders: Vec<OsString>,
    /// Kind of digest [default: truesum]
    #[arg(long, value_name = "KIND")]
    kind: Option<KindName>,
    /// Compare with this digest
    ///
    /// The prefix of the digest selects the kind.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
    #[command(flatten)]
    own: OwnArgs,
    /// Prefix of names for kind h1: MODULE@VERSION, as in go.sum
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Encoding of the digests [default: Nix base32, prefixed with sha256:]
    ///
    /// Only for kind nar.
    #[arg(long, value_name = "NAME")]
    encoding: Option<EncodingName>,
    /// Print JSON: one object per line
    #[arg(long, conflicts_with = "expect")]
    json: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Options of truesum's own kind of digest.
#[derive(Args)]
pub struct OwnArgs {
    /// Algorithm of the digest [default: sha256]
    ///
    /// Only for kind truesum.
    #[arg(short, long, value_name = "NAME", value_parser = SpecParser, hide_possible_values = true)]
    algorithm: Option<Spec>,
    /// Include file modes (only for kind truesum)
    #[arg(long)]
    modes: bool,
}

/// Options that select files of a tree.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Process only files that match GLOB
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files and folders that match GLOB, and all files in such folders
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Respect .gitignore files
    #[arg(long)]
    gitignore: bool,
}

impl SelectArgs {
    fn is_selective(&self) -> bool {
        !self.include.is_empty() || !self.exclude.is_empty() || self.gitignore
    }

    /// Returns the options for walking the tree.
    ///
    /// # Errors
    /// Fails if a glob is invalid.
    pub fn options(&self) -> Result<walk::Options, Refusal> {
        keep_ignore_files(self.gitignore);
        let wanted = Wanted::default().include(self.include.clone()).exclude(self.exclude.clone());
        let select = selection(&wanted)?;
        Ok(walk::Options::default().select(select).gitignore(self.gitignore))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Names, types and contents of all files; allows proofs for individual files
    Truesum,
    /// Go module hash
    H1,
    /// Git tree or blob, SHA-1
    Git,
    /// Git tree or blob, SHA-256
    GitSha256,
    /// SHA-256 of a Nix archive
    Nar,
    /// Software Heritage identifier of a directory or file
    Swhid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EncodingName {
    /// Hexadecimal
    Hex,
    /// sha256-BASE64, as in Subresource Integrity
    Sri,
}

impl OwnArgs {
    /// Returns truesum's own kind of digest.
    ///
    /// # Errors
    /// Fails if the hash cannot be used for trees.
    pub fn kind(&self) -> Result<Kind, Refusal> {
        let usual = || "sha256".parse().expect("a row of the table");
        let spec = self.algorithm.clone().unwrap_or_else(usual);
        if !Kind::is_base(&spec) {
            return Err(Refusal::with_hint(
                format!("-a {spec}: not available for directory digests"),
                "use a cryptographic hash, such as sha256, sha512 or blake3",
            ));
        }
        Ok(Kind::Truesum { spec, modes: self.modes })
    }

    fn is_given(&self) -> bool {
        self.algorithm.is_some() || self.modes
    }
}

/// A validated `directory` command.
struct Plan {
    kind: Kind,
    encoding: Encoding,
    expected: Option<Digest>,
}

fn plan(args: &ComputeArgs) -> Result<Plan, Refusal> {
    let named = match &args.expect {
        Some(text) => Kind::read(text.trim()),
        None => None,
    };
    let sha = |name: &str| name.parse().expect("a row of the table");
    let kind = match (args.kind, &named) {
        // For truesum's own kind, the expected digest determines all parameters.
        (None | Some(KindName::Truesum), Some((kind @ Kind::Truesum { .. }, _))) if !args.own.is_given() => {
            kind.clone()
        }
        (None, Some((Kind::Go { .. }, _))) | (Some(KindName::H1), _) => {
            Kind::Go { prefix: args.prefix.clone() }
        }
        (None, Some((kind, _))) if !matches!(kind, Kind::Truesum { .. }) => kind.clone(),
        (None | Some(KindName::Truesum), _) => args.own.kind()?,
        (Some(KindName::Git), _) => Kind::Git(sha("sha1")),
        (Some(KindName::GitSha256), _) => Kind::Git(sha("sha256")),
        (Some(KindName::Nar), _) => Kind::Nar,
        (Some(KindName::Swhid), _) => Kind::SoftwareHeritage,
    };
    let foreign = |option: &str, of: &str| Refusal::new(format!("{option} requires --kind {of}"));
    if args.own.is_given() && !matches!(kind, Kind::Truesum { .. }) {
        return Err(foreign(if args.own.algorithm.is_some() { "-a" } else { "--modes" }, "truesum"));
    }
    match &args.prefix {
        Some(_) if !matches!(kind, Kind::Go { .. }) => return Err(foreign("--prefix", "h1")),
        Some(prefix) if !Kind::is_prefix(prefix) => {
            return Err(Refusal::with_hint(
                format!("--prefix '{}': invalid prefix", prefix.escape_debug()),
                "separate names with single slashes, and do not use '.' or '..' as a name; for example: golang.org/x/mod@v0.22.0",
            ));
        }
        _ => {}
    }
    let encoding = match args.encoding {
        Some(_) if kind != Kind::Nar => return Err(foreign("--encoding", "nar")),
        None => Encoding::Usual,
        Some(EncodingName::Hex) => Encoding::Hex,
        Some(EncodingName::Sri) => Encoding::Sri,
    };
    let expected = match (&args.expect, named) {
        (None, _) => None,
        (Some(text), _) if args.folders.len() > 1 => {
            return Err(Refusal::new(format!("--expect {text}: exactly one folder is required")));
        }
        (Some(_), Some((named, digest))) if is_same(&named, &kind) => Some(digest),
        (Some(text), Some(_)) => {
            return Err(Refusal::new(format!(
                "--expect {text}: the kind of this digest does not match --kind, -a or --modes"
            )));
        }
        (Some(text), None) => Some(bare(text.trim(), &kind, args.kind.is_some())?),
    };
    Ok(Plan { kind, encoding, expected })
}

/// Returns whether both are the same kind; prefixes are not part of a digest's text.
fn is_same(named: &Kind, requested: &Kind) -> bool {
    named == requested || matches!((named, requested), (Kind::Go { .. }, Kind::Go { .. }))
}

/// Parses a hexadecimal digest, which does not indicate its kind.
fn bare(text: &str, kind: &Kind, implies_algorithm: bool) -> Result<Digest, Refusal> {
    let digest = Digest::from_hex(text.as_bytes()).ok().filter(|digest| digest.parts().is_none());
    match digest {
        Some(digest) if implies_algorithm && digest.len() == kind.digest_len() => Ok(digest),
        Some(_) if !implies_algorithm => Err(Refusal::with_hint(
            format!("--expect {text}: the kind of this digest is unknown"),
            "specify its kind with --kind, or with a prefix, as in sha256-directory:HEX",
        )),
        _ => Err(Refusal::with_hint(
            format!("--expect '{}': not a valid directory digest of the requested kind", text.escape_debug()),
            "valid forms: sha256-directory:HEX, h1:BASE64, swh:1:dir:HEX, sha256:NIX32, sha256-BASE64, or HEX with --kind",
        )),
    }
}

pub fn run(args: ComputeArgs) -> Exit {
    let mut console = Console::new(args.run.color).quiet(args.quiet);
    let plan = match plan(&args) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    let walk = match args.select.options() {
        Ok(walk) => walk,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet);
    let options =
        Options::new(plan.kind.clone()).walk(walk).threads(reporting.threads).mapping(Mapping::Guarded);
    let mut output = Output::stdout();
    let watch = Watch::start(reporting.line, None, &mut console);
    let (mut exit, mut written, mut done) = (Exit::Done, Ok(()), 0);
    for folder in &args.folders {
        let mut failed = |error: Error| console.failure(&error);
        let Some(found) = digest(folder, &options, &watch.progress, &mut failed) else {
            exit = exit.max(watch.signals.ended_by().map_or(Exit::Failed, Exit::Signal));
            if watch.progress.stopped() {
                break;
            }
            continue;
        };
        if args.select.is_selective() && found.files() + found.links() == 0 && is_filled(folder) {
            console.error_of(folder.as_bytes(), "nothing selected: all files were excluded");
            exit = exit.max(Exit::NotAsRequested);
            continue;
        }
        if found.left_out() != ExcludedCounts::default() {
            let excluded = not_selected(found.left_out());
            console.note(&format!("{}: {excluded} excluded", display_safe(folder.as_bytes())));
        }
        let line = match &plan.expected {
            Some(expected) if found.digest() == expected => [shown(folder), b": OK\n".to_vec()].concat(),
            Some(_) => {
                exit = exit.max(Exit::Failed);
                let text = plan.kind.text(&found, plan.encoding);
                console.error_of(folder.as_bytes(), &format!("does not match: the digest is {text}"));
                [shown(folder), b": FAILED\n".to_vec()].concat()
            }
            None if args.json => object(&args, &plan, folder.as_bytes(), &found),
            None => {
                let text = plan.kind.text(&found, plan.encoding);
                [text.as_bytes(), b"  ", &shown(folder), b"\n"].concat()
            }
        };
        if reporting.verbose {
            console.line(&summary(folder, &found));
        }
        written = output.write(&line);
        if written.is_err() {
            break;
        }
        done += 1;
    }
    let name = output.name();
    let finished = written.map_err(|error| Error::io(&name, "write", error)).and_then(|()| output.finish());
    console.display = None;
    if watch.progress.stopped() {
        console.error(&format!("interrupted after {}", crate::words::count(done, "folder", "folders")));
    }
    match finished {
        Ok(()) => exit,
        Err(error) => exit.max(cannot_write(&error, &mut console)),
    }
}

/// Returns whether a folder contains anything but folders.
fn is_filled(folder: &OsString) -> bool {
    Walk::new([folder.clone()], walk::Options::default(), 1).any(|item| !matches!(item, Item::Failed(_)))
}

fn shown(folder: &OsString) -> Vec<u8> {
    display_safe(folder.as_bytes()).to_string().into_bytes()
}

fn summary(folder: &OsString, found: &Directory) -> String {
    use crate::words::{count, size};
    let name = display_safe(Path::new(folder).as_os_str().as_bytes());
    let [files, folders, links] = [
        count(found.files(), "file", "files"),
        count(found.folders(), "folder", "folders"),
        count(found.links(), "link", "links"),
    ];
    format!("truesum: {name}: {files}, {folders}, {links}, {}", size(found.bytes()))
}

fn object(args: &ComputeArgs, plan: &Plan, folder: &[u8], found: &Directory) -> Vec<u8> {
    let kind = args.kind.unwrap_or(KindName::Truesum).to_possible_value();
    let kind = kind.as_ref().map_or("", |value| value.get_name());
    let mut line = b"{\"schema\":\"truesum-directory/1\",".to_vec();
    json::path_into(folder, &mut line);
    line.extend_from_slice(b",\"digest\":");
    json::string_into(&plan.kind.text(found, plan.encoding), &mut line);
    let (files, folders, links, bytes) = (found.files(), found.folders(), found.links(), found.bytes());
    let _ = writeln!(
        line,
        ",\"kind\":\"{kind}\",\"files\":{files},\"folders\":{folders},\"links\":{links},\"bytes\":{bytes}}}"
    );
    line
}
