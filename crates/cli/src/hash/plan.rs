//! Converts the options of `hash` to a plan. All invalid combinations are refused here, before any
//! file is read.

use crate::ending::Ending;
use crate::exit::Refusal;
use crate::formats::{self, readable_format};
use crate::hash::arguments::{AlgorithmArgs, FormatArgs, HashArgs};
use crate::hash::history::made;
use crate::hash::parameters::{customized, seeded, sfv_style};
use crate::hash::reading::Reading;
use crate::hash::replacing::Accept;
use crate::key::{KeyRead, apply_key};
use crate::settings::settings;
use crate::stores;
use crate::tasks::{Inputs, inputs};
use crate::words::{rejected, sampled};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use truesum::hash::{Lengths, Secret, Spec};
use truesum::manifest::template::Template;
use truesum::manifest::{
    self, ASCMHL_IGNORED, Entry, Format, Head, Heading, MAX_ALGORITHMS, PieceLayout, PieceList, Reader, Rule,
    Spelling, Style, Writer, Writing,
};
use truesum::verify::bag::is_part;
use truesum::verify::place::folder_of_names;
use truesum::{Order, Special, rules_of};
use truesum_fs::name::{OsStrExt, OsStringExt};

/// A validated `hash` command.
pub struct Hashing {
    pub reading: Reading,
    pub form: Form,
    /// The template for each file, if entries are not written.
    pub template: Option<Template>,
    /// The contents of a torrent, if one is written.
    pub torrent: Option<Torrent>,
    pub output: Option<PathBuf>,
    /// The incomplete or unusual manifests that may be written.
    pub accept: Accept,
    /// The rules to store in the manifest.
    pub rules: Vec<Rule>,
    /// The place of the manifests, if there is one for each folder or each file.
    pub place: Option<Place>,
    pub ending: Ending,
    /// The key of keyed algorithms.
    pub key: Option<Secret>,
    /// Notes about the key, the algorithms and the manifest's name.
    pub notes: Vec<String>,
}

/// The digests to compute and how they are written.
pub struct Digesting {
    /// The format requested or implied by the options. Digests may be written in a similar one.
    format: &'static Format,
    pub specs: Vec<Spec>,
    pub form: Form,
    pub template: Option<Template>,
    pub key: Option<KeyRead>,
    /// Notes about the key, the algorithms and the manifest's name.
    pub notes: Vec<String>,
}

/// The destination of digests.
#[derive(Clone, Copy, Default)]
pub struct Target<'a> {
    /// The manifest; `None` for standard output or several manifests.
    pub output: Option<&'a Path>,
    /// Whether there are several manifests, one for each folder or file.
    pub is_beside: bool,
}

/// The place of manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In each folder.
    Folder,
    /// Next to each file.
    File,
}

/// The parameters of a torrent.
#[derive(Debug, PartialEq, Eq)]
pub struct Torrent {
    /// The URL of the tracker; empty for none.
    pub announce: Vec<u8>,
    /// Whether clients find peers only through the tracker.
    pub private: bool,
    /// Piece size in bytes; `None` chooses it by the total size.
    pub piece_len: Option<u64>,
    /// How files are divided into pieces.
    pub cut: PieceLayout,
}

/// The piece sizes in bytes that other programs accept.
const PIECES: std::ops::RangeInclusive<u64> = 16 << 10..=1 << 30;

/// The form in which digests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As entries of a manifest, in this format.
    Entries(&'static Format, Style),
    /// As raw bytes.
    Raw,
    /// With a template ([`Hashing::template`]).
    Template,
}

impl Form {
    /// Returns the format of the manifest, if one is written.
    pub fn format(self) -> Option<&'static Format> {
        match self {
            Form::Entries(format, _) => Some(format),
            Form::Raw | Form::Template => None,
        }
    }
}

/// Validates the arguments of `hash`.
///
/// # Errors
/// Fails if options contradict each other or request something that does not exist.
pub fn plan(mut args: HashArgs) -> Result<Hashing, Refusal> {
    let place = match (args.per_directory, args.sidecar) {
        (true, _) => Some(Place::Folder),
        (_, true) => Some(Place::File),
        _ => None,
    };
    let target = Target { output: args.output.as_deref(), is_beside: place.is_some() };
    let Digesting { format, specs, form, template, key, mut notes } =
        digesting(&args.algorithms, &args.format, target)?;
    let globs = (args.select.filter.include.clone(), args.select.filter.exclude.clone());
    if format.name() == "ascmhl" {
        let ignored = ASCMHL_IGNORED.iter().filter(|name| !name.ends_with('/'));
        args.select.filter.exclude.extend(ignored.map(|name| (*name).to_owned()));
    }
    let torrent = torrent(&args, format)?;
    let inputs = inputs(args.files, &args.select);
    let walk = args.select.walk()?;
    let not_of_objects = [
        ("--root", args.root.is_some()),
        ("--per-directory and --sidecar", place.is_some()),
        ("-t torrent", torrent.is_some()),
        ("--raw", form == Form::Raw),
        (
            "selection options",
            !walk.get_select().is_open() || walk.get_gitignore() || walk.get_one_file_system(),
        ),
        ("--special", walk.get_special() == Special::Read),
    ];
    let remote = stores::named(&inputs, &not_of_objects)?;
    match (&key, &inputs) {
        (Some(key), Inputs::Listed(paths, _)) => {
            key.leaves(&paths.iter().map(|path| path.as_os_str().as_bytes()).collect::<Vec<_>>())?;
        }
        (Some(key), Inputs::Named(names)) => key.leaves(names)?,
        (None, _) => {}
    }
    if place == Some(Place::Folder) {
        folders_only(&inputs)?;
    }
    if place.is_some() || torrent.is_some() {
        named_only(&inputs)?;
    }
    if form == Form::Raw {
        one_file(&inputs)?;
    }
    let root = match (args.root, &args.output) {
        _ if remote.is_some() => None,
        (Some(root), _) => Some(root),
        (None, Some(output)) => Some(folder_of_names(output)),
        (None, None) => None,
    };
    let root = match root {
        None => None,
        Some(root) => Some(std::fs::canonicalize(&root).map_err(|error| {
            let root = manifest::path::display_safe(root.as_os_str().as_bytes());
            Refusal::new(format!("{root}: cannot open: {}", truesum::error::io_reason(&error)))
        })?),
    };
    let rules = match &args.output {
        Some(_) if !args.no_stored_rules => rules(&globs, &inputs, root.as_deref(), form, &mut notes)?,
        _ => Vec::new(),
    };
    let order = if args.unordered { Order::AsReady } else { Order::Stable };
    let reporting = args.run.reporting(args.quiet);
    Ok(Hashing {
        reading: Reading {
            specs: specs.into(),
            inputs,
            remote,
            walk,
            root,
            order,
            reads: args.reads.mode(),
            reporting,
        },
        form,
        template,
        torrent,
        output: args.output,
        accept: Accept {
            partial: args.partial,
            empty: args.allow_empty,
            overwrite: args.overwrite,
            outside: args.allow_outside,
        },
        rules,
        place,
        ending: args.summary.unwrap_or(if args.run.verbose { Ending::Short } else { Ending::None }),
        key: key.map(|read| read.key),
        notes,
    })
}

/// Returns the rules for a manifest with these globs of `--include` and `--exclude`.
fn rules(
    (include, exclude): &(Vec<String>, Vec<String>),
    inputs: &Inputs,
    root: Option<&Path>,
    form: Form,
    notes: &mut Vec<String>,
) -> Result<Vec<Rule>, Refusal> {
    if include.is_empty() && exclude.is_empty() {
        return Ok(Vec::new());
    }
    let Some(format) = form.format() else { return Ok(Vec::new()) };
    let include = match format.has_exclusions() {
        true if !include.is_empty() => {
            notes.push(format!(
                "--include is not stored in the manifest: {} has only patterns of excluded files",
                format.name()
            ));
            &[]
        }
        _ => &include[..],
    };
    if format.comment().is_none() && !format.has_exclusions() {
        notes.push(format!(
            "--include and --exclude are not stored in the manifest: {} has no comments",
            format.name()
        ));
        return Ok(Vec::new());
    }
    let names = match inputs {
        Inputs::Named(names) => &names[..],
        Inputs::Listed(..) => &[],
    };
    let mut folders = Vec::new();
    for name in names.iter().map(|name| Path::new(OsStr::from_bytes(name))).filter(|name| name.is_dir()) {
        let (Ok(path), Some(root)) = (std::fs::canonicalize(name), root) else { continue };
        // Names outside of the folder of the manifest are not searched for later.
        let Ok(below) = path.strip_prefix(root) else { continue };
        let [given, below] = [name, below].map(manifest_name);
        folders.extend(given.zip(below));
    }
    if folders.is_empty() {
        folders.push((".".to_owned(), String::new()));
    }
    rules_of(include, exclude, &folders).map_err(|why| Refusal::new(format!("selection: {why}")))
}

/// Returns a path with slashes and without a leading `./`, if it is valid UTF-8.
fn manifest_name(path: &Path) -> Option<String> {
    let name = truesum_fs::name::of(path);
    let name = String::from_utf8(name.into_owned()).ok()?;
    Some(name.strip_prefix("./").map_or(name.as_str(), |rest| rest.trim_start_matches('/')).to_owned())
}

/// Validates the options that select algorithms and the format.
///
/// # Errors
/// Fails if they contradict each other, or if the format cannot contain these digests.
pub fn digesting(
    algorithms: &AlgorithmArgs,
    args: &FormatArgs,
    target: Target<'_>,
) -> Result<Digesting, Refusal> {
    let template = template(args)?;
    let of_name = target.output.filter(|_| is_open(args)).and_then(format_of_name);
    let format = of_name.unwrap_or_else(|| format(args));
    let (format, specs) = match &template {
        // A template may contain no digest.
        Some(template) => (format, template.specs()),
        None => {
            let formatted = args.format.or(of_name);
            let requested = match target.output.filter(|_| formatted.is_none() && !args.raw) {
                Some(output) if algorithms.algorithm.is_empty() => Vec::from_iter(algorithm_of_name(output)),
                _ => algorithms.algorithm.clone(),
            };
            let (format, named) = match (&requested[..], formatted, args.raw) {
                ([], None, false) => settings().hashing(format),
                (_, None, false) if format.name() == "gnu" => {
                    (settings().format.unwrap_or(format), requested)
                }
                _ => (format, requested),
            };
            (format, specs(named, algorithms.length, format)?)
        }
    };
    if specs.len() > MAX_ALGORITHMS {
        return Err(Refusal::new(format!(
            "-a: {} algorithms were specified, but at most {MAX_ALGORITHMS} are allowed",
            specs.len()
        )));
    }
    let specs = seeded(specs, algorithms.seed)?;
    let specs = customized(specs, algorithms.customization.as_deref())?;
    let key = algorithms.key.read()?;
    let specs = apply_key(specs, key.as_ref().map(|read| &read.key))?;
    let form = form(args, target, format, &specs)?;
    let mut notes = key.as_ref().map(|read| read.notes.clone()).unwrap_or_default();
    notes.extend(rejected(&specs));
    if let Some(output) = target.output {
        of_bag(args, output, &specs)?;
        notes.extend(name_mismatch_note(args, output, form.format().unwrap_or(format), &specs));
        notes.extend(template.as_ref().and_then(|template| no_manifest(output, template)));
    }
    Ok(Digesting { format, specs, form, template, key, notes })
}

/// Parses the requested template.
fn template(args: &FormatArgs) -> Result<Option<Template>, Refusal> {
    let template = args.format_string.as_deref().map(formats::template).transpose()?;
    match template {
        Some(template) if template.of_check().is_some() => {
            let directive = template.of_check().unwrap_or_default();
            let text = format!("--format-string: {directive} is not available in truesum hash");
            let audit = if directive == "%{verdict}" { " and truesum audit" } else { "" };
            Err(Refusal::with_hint(text, format!("it is available in truesum check{audit}")))
        }
        template => Ok(template),
    }
}

/// Returns the requested algorithms without duplicates, with the requested digest length. The
/// default is the usual algorithm of the format.
fn specs(requested: Vec<Spec>, bits: Option<usize>, format: &Format) -> Result<Vec<Spec>, Refusal> {
    let mut specs: Vec<Spec> = Vec::new();
    for spec in requested {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    // Formats with pieces need no digests of complete files.
    if specs.is_empty() && format.capabilities().pieces().is_none() {
        specs.push(format.capabilities().usual_algorithm());
    }
    let Some(bits) = bits else { return Ok(specs) };
    if specs.iter().all(|spec| spec.algorithm().lengths() == Lengths::Fixed) {
        let name = specs.first().map_or("torrent pieces", |spec| spec.algorithm().name());
        return Err(Refusal::with_hint(
            format!("--length {bits}: the digest length of {name} is fixed"),
            "use an algorithm with a variable length, such as blake2b, blake3 or shake128",
        ));
    }
    let with_bits = |spec: Spec| match spec.algorithm().lengths() {
        Lengths::Fixed => Ok(spec),
        _ => spec.with_bits(bits).map_err(|error| Refusal::new(format!("--length {bits}: {error}"))),
    };
    specs.into_iter().map(with_bits).collect()
}

/// Returns the requested format.
fn format(args: &FormatArgs) -> &'static Format {
    let name = match (args.json, args.tag, args.zero) {
        (true, _, _) => "jsonl",
        (_, true, true) => "bsd-z",
        (_, true, false) => "bsd",
        (_, false, true) => "gnu-z",
        (_, false, false) => "gnu",
    };
    args.format.or_else(|| manifest::format(name)).expect("the table contains the formats named here")
}

/// Returns whether the options leave the format of the manifest open.
fn is_open(args: &FormatArgs) -> bool {
    !(args.json || args.tag || args.zero || args.raw) && args.format.is_none() && args.format_string.is_none()
}

/// Returns the format that the name of a manifest implies: one whose files have such names (`sfv` for `photos.sfv`), or
/// whose own name it ends with (`photos.csv`), unless that is the name of an algorithm. Lines of digests and names (gnu)
/// are the default, which no name implies.
fn format_of_name(output: &Path) -> Option<&'static Format> {
    let name = output.file_name()?.as_bytes().to_ascii_lowercase();
    let is_name =
        |end: &&str| name == end.as_bytes() || end.starts_with('.') && name.ends_with(end.as_bytes());
    let of_files = manifest::detect(Head::new(b"", true), Some(&name))
        .filter(|row| row.file_names().iter().any(is_name));
    let of_ending = || {
        let ending = Path::new(OsStr::from_bytes(&name)).extension()?.to_str()?;
        manifest::format(ending).filter(|_| ending.parse::<Spec>().is_err())
    };
    let is_written = |row: &&Format| !matches!(row.writing(), Writing::No) && row.name() != "gnu";
    of_files.or_else(of_ending).filter(is_written)
}

/// Returns the algorithm that the name of a manifest implies (`SHA512SUMS`, `disk.iso.md5`). One that reads only samples must
/// be requested explicitly, and `crc` has several meanings.
fn algorithm_of_name(output: &Path) -> Option<Spec> {
    let name = output.file_name()?.as_bytes();
    let spec = manifest::algorithm_from_name(name).filter(|_| manifest::has_manifest_name(name))?;
    let is_clear = spec.algorithm().name() != "crc" && sampled(std::slice::from_ref(&spec)).next().is_none();
    is_clear.then_some(spec)
}

/// Refuses to write digests under the name of a bag's manifest that names another algorithm: a check would read them as
/// digests of that algorithm.
fn of_bag(args: &FormatArgs, output: &Path, specs: &[Spec]) -> Result<(), Refusal> {
    let named = output.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.rsplit_once('-'));
    let spec = named.and_then(|(_, algorithm)| algorithm.parse::<Spec>().ok()).filter(|_| is_part(output));
    match spec {
        Some(spec) if specs != [spec.clone()] && args.format_string.is_none() && !args.raw => {
            let shown = manifest::path::display_safe(output.as_os_str().as_bytes());
            let text = format!("{shown}: this is the name of a bag manifest with {spec} digests");
            Err(Refusal::with_hint(text, format!("use -a {spec}, or another name")))
        }
        _ => Ok(()),
    }
}

/// Returns a note if the name of the output suggests another algorithm.
fn name_mismatch_note(args: &FormatArgs, output: &Path, format: &Format, specs: &[Spec]) -> Option<String> {
    let name = output.file_name()?.as_bytes();
    let shown = manifest::path::display_safe(output.as_os_str().as_bytes());
    if args.format_string.is_some() || args.raw {
        return None;
    }
    let is_other =
        |spec: &Spec| specs.iter().all(|computed| computed.algorithm().name() != spec.algorithm().name());
    let spec = manifest::algorithm_from_name(name).filter(is_other)?;
    // `o.bsd` may be named after the format.
    if spec.algorithm().name() == format.name() {
        return None;
    }
    let computed = specs.first()?;
    Some(format!("{shown} contains {computed} digests; to match its name, use -a {spec}"))
}

/// Refuses files as arguments of `--per-directory`: the manifest of a folder lists all of its
/// files.
fn folders_only(inputs: &Inputs) -> Result<(), Refusal> {
    let Inputs::Named(names) = inputs else { return Ok(()) };
    let is_file = |name: &&Vec<u8>| Path::new(OsStr::from_bytes(name)).is_file();
    match names.iter().find(is_file) {
        Some(name) => Err(Refusal::with_hint(
            format!(
                "{}: not a folder, but --per-directory requires folders",
                manifest::path::display_safe(name)
            ),
            "to write a manifest next to each file, use --sidecar",
        )),
        None => Ok(()),
    }
}

/// Refuses standard input, which has no name for a manifest next to it.
fn named_only(inputs: &Inputs) -> Result<(), Refusal> {
    match inputs {
        Inputs::Named(names) if names.iter().any(|name| name == b"-") => Err(Refusal::new(
            "--per-directory and --sidecar: standard input is not supported (specify files or folders)",
        )),
        _ => Ok(()),
    }
}

/// Returns the torrent to write, if the format is one.
fn torrent(args: &HashArgs, format: &Format) -> Result<Option<Torrent>, Refusal> {
    let Some(cut) = format.capabilities().pieces() else { return Ok(None) };
    if args.per_directory || args.sidecar {
        let why = "--per-directory and --sidecar: not available for torrents, which cover all files together";
        return Err(Refusal::with_hint(why, "to write a torrent, use -o FILE"));
    }
    if args.partial || args.unordered {
        let why = "--partial and --unordered: not available for torrents, whose pieces span files";
        return Err(Refusal::new(why));
    }
    if args.output.is_none() && std::io::stdout().is_terminal() {
        let why = "a torrent is binary and is not written to a terminal";
        return Err(Refusal::with_hint(
            why,
            "write it to a file: truesum torrent create -o FILE.torrent PATH",
        ));
    }
    let good = |len: &u64| len.is_power_of_two() && PIECES.contains(len);
    if let Some(len) = args.torrent.piece_size.filter(|len| !good(len)) {
        return Err(Refusal::new(format!("--piece-size {len}: must be a power of two from 16KiB to 1GiB")));
    }
    let announce = args.torrent.announce.clone().map(OsString::into_vec).unwrap_or_default();
    let private = args.torrent.private;
    Ok(Some(Torrent { announce, private, piece_len: args.torrent.piece_size, cut }))
}

/// Returns how digests are written. A file is later read based only on its name and content. If
/// lines without a tag would not show the algorithm, tags are added, unless the user specified the
/// format: then this is an error, as in `convert`.
fn form(
    args: &FormatArgs,
    target: Target<'_>,
    format: &'static Format,
    specs: &[Spec],
) -> Result<Form, Refusal> {
    if args.raw {
        return Ok(Form::Raw);
    }
    if args.format_string.is_some() {
        return Ok(Form::Template);
    }
    let spelling = match (args.base64, args.base32, args.uppercase) {
        (true, ..) => Spelling::Base64,
        (_, true, _) => Spelling::Base32,
        (.., true) => Spelling::HexUpper,
        _ => args.encoding.unwrap_or_default(),
    };
    shown_only(target, format, specs, spelling)?;
    if spelling == Spelling::Base32 {
        let short = |spec: &&Spec| spec.digest_len() < 16 || spec.counts_parts();
        if let Some(spec) = specs.iter().find(short) {
            return Err(Refusal::new(format!("--base32: {spec} digests in base32 cannot be read back")));
        }
    }
    let sfv = sfv_style(args.sfv_style.as_deref(), format)?;
    let style = Style::default().spelling(spelling).sfv(sfv);
    let format = readable_format(target.output, format, args.format.is_some(), specs, spelling)?;
    // Tests in advance whether the format can store the digests, instead of reporting every file.
    let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(b""))).collect();
    let pieces = format.capabilities().pieces().map(no_pieces).unwrap_or_default();
    let entry = Entry { path: b"file".to_vec(), size: Some(0), digests, pieces, ..Entry::default() };
    let mut writer = Writer::new(Vec::new(), format, &heading(style, specs, None, &[]));
    writer.write(&entry).map_err(|why| {
        let hint = match target.output.filter(|_| is_open(args)).and_then(format_of_name) {
            Some(_) => "the file name implies this format; to write another format, use -t bsd or -t jsonl",
            None => "use another format, such as -t bsd or -t jsonl",
        };
        Refusal::with_hint(format!("{}: {why}", format.name()), hint)
    })?;
    if spelling == Spelling::Base32 && target.output.is_some() && !is_read_back(writer, format, &entry) {
        let text = format!("--base32: base32 digests in the format {} cannot be read back", format.name());
        return Err(Refusal::with_hint(text, "omit --base32 or -o"));
    }
    Ok(Form::Entries(format, style))
}

/// Returns whether a check would read this entry back from the manifest.
fn is_read_back(writer: Writer<Vec<u8>>, format: &'static Format, entry: &Entry) -> bool {
    let Ok(text) = writer.finish() else { return false };
    let options = manifest::Options::default().format(Some(format));
    let mut lines = Reader::new(&text[..], options);
    lines.any(|line| line.is_ok_and(|line| line.entry.digests == entry.digests))
}

/// Returns a note if a check could not read the lines of a template back from a file.
fn no_manifest(output: &Path, template: &Template) -> Option<String> {
    let name = output.as_os_str().as_bytes();
    let digests: Vec<_> = template.specs().into_iter().map(|spec| (spec.clone(), spec.digest(b""))).collect();
    let entry = Entry { path: b"file".to_vec(), size: Some(0), digests, ..Entry::default() };
    let mut text = Vec::new();
    // Two lines, because the template may lack a line ending.
    (0..2).for_each(|_| template.render(&entry, &mut text));
    let lines = Reader::new(&text[..], manifest::Options::for_name(name)).flatten();
    let found = lines.filter(|line| line.entry.path == entry.path).flat_map(|line| line.entry.digests);
    let found = found.filter(|found| entry.digests.contains(found)).count();
    (entry.digests.is_empty() || found != 2 * entry.digests.len()).then(|| {
        format!(
            "{}: truesum check cannot read lines written with this template, so the file is not a manifest",
            manifest::path::display_safe(name)
        )
    })
}

/// Refuses an encoding that cannot be read back, unless digests are only printed.
fn shown_only(
    target: Target<'_>,
    format: &Format,
    specs: &[Spec],
    spelling: Spelling,
) -> Result<(), Refusal> {
    let Spelling::Other(encoding) = spelling else { return Ok(()) };
    let name = encoding.name();
    if target.output.is_some()
        || target.is_beside
        || !["gnu", "gnu-z", "bsd", "bsd-z"].contains(&format.name())
    {
        return Err(Refusal::with_hint(
            format!("--encoding {name}: not available for manifests, because it cannot be read back"),
            "use --encoding hex, base64 or base32, or print lines without -o, -t, --sidecar and --per-directory",
        ));
    }
    let unspelled =
        |spec: &&Spec| spec.counts_parts() || encoding.write(spec.digest(b"").as_bytes()).is_none();
    match specs.iter().find(unspelled) {
        Some(spec) => Err(Refusal::new(format!("--encoding {name}: not available for {spec}"))),
        None => Ok(()),
    }
}

/// Returns the pieces of an empty file, which are used to test whether an entry can be written.
pub fn no_pieces(cut: PieceLayout) -> Vec<PieceList> {
    let algorithms: &[&str] = match cut {
        PieceLayout::Concatenated => &["sha1"],
        PieceLayout::PerFile => &["bt2-pieces-root"],
        PieceLayout::Hybrid => &["sha1", "bt2-pieces-root"],
    };
    let none = |name: &&str| {
        let spec = name.parse().expect("a row of the table of algorithms");
        PieceList::new(spec, 0..0, *PIECES.start(), Vec::new().into()).expect("an empty file has no pieces")
    };
    algorithms.iter().map(none).collect()
}

/// Returns the data of a manifest that precedes its entries. It contains neither the folder nor the
/// command, so that the same files produce the same manifest. Media hash lists are the exception:
/// they must contain the time and the host.
pub fn heading(style: Style, specs: &[Spec], torrent: Option<&Torrent>, rules: &[Rule]) -> Heading {
    let announce = torrent.map(|torrent| torrent.announce.clone()).unwrap_or_default();
    let heading = Heading::default().style(style).specs(specs.to_vec()).announce(announce).made(Some(made()));
    heading.rules(rules.to_vec()).private(torrent.is_some_and(|torrent| torrent.private))
}

fn one_file(inputs: &Inputs) -> Result<(), Refusal> {
    match inputs {
        Inputs::Named(files)
            if files.len() == 1 && !Path::new(&OsString::from_vec(files[0].clone())).is_dir() =>
        {
            Ok(())
        }
        _ => Err(Refusal::new("--raw requires exactly one file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        args: HashArgs,
    }

    fn arguments(words: &[&str]) -> HashArgs {
        let words = ["hash"].iter().chain(words);
        Alone::try_parse_from(words).unwrap_or_else(|error| panic!("{error}")).args
    }

    fn hashing(words: &[&str]) -> Result<Hashing, Refusal> {
        plan(arguments(words))
    }

    #[test]
    fn length_applies_only_to_algorithms_with_variable_length() {
        let plan =
            hashing(&["-a", "sha256,blake2b", "-l", "128", "--tag", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(plan.reading.specs.iter().map(Spec::tag).collect::<Vec<_>>(), ["SHA256", "BLAKE2b-128"]);
        assert!(hashing(&["-a", "sha256", "-l", "128", "f"]).is_err());
        assert!(hashing(&["-a", "blake2b", "-l", "129", "f"]).is_err());
    }

    #[test]
    fn untagged_lines_are_rejected_if_they_could_not_be_read_back() {
        assert!(hashing(&["-a", "sha256,md5,crc32", "f"]).is_ok());
        assert!(hashing(&["-a", "sha256,blake3", "f"]).is_err());
        assert!(hashing(&["-a", "sha256,blake3", "--tag", "f"]).is_ok());
        assert!(hashing(&["-a", "blake3", "f"]).is_ok());
    }

    #[test]
    fn lines_are_tagged_if_name_and_length_imply_no_algorithm() {
        for (words, name) in [
            (&["-o", "/tmp/M", "f"][..], "gnu"),
            (&["-a", "blake3", "-o", "/tmp/M", "f"], "bsd"),
            (&["-a", "blake3", "-o", "/tmp/x.b3", "f"], "gnu"),
            (&["-a", "blake3", "-z", "-o", "/tmp/M", "f"], "bsd-z"),
            (&["-a", "sha256,blake3", "-o", "/tmp/M", "f"], "bsd"),
            (&["-o", "/tmp/MD5SUMS", "f"], "gnu"),
            (&["-a", "sha256", "-o", "/tmp/MD5SUMS", "f"], "bsd"),
            (&["-a", "blake3", "-t", "jsonl", "-o", "/tmp/M", "f"], "jsonl"),
            (&["-t", "gnu", "-o", "/tmp/M", "f"], "gnu"),
            (&["-a", "blake3", "-t", "gnu", "-o", "/tmp/B3SUMS", "f"], "gnu"),
            // The name of the file decides where no option does.
            (&["-o", "/tmp/x.SFV", "f"], "sfv"),
            (&["-a", "crc32", "-o", "/tmp/x.sfv", "f"], "sfv"),
            (&["-a", "crc32", "--tag", "-o", "/tmp/x.sfv", "f"], "bsd"),
            (&["-a", "blake3", "-o", "/tmp/x.jsonl", "f"], "jsonl"),
            (&["-o", "/tmp/world-record", "f"], "bsd"),
            (&["-o", "/tmp/x.csv", "f"], "csv"),
            (&["-o", "/tmp/x.txt", "f"], "gnu"),
        ] {
            let plan = hashing(words).unwrap_or_else(|e| panic!("{e:?}"));
            assert!(matches!(plan.form, Form::Entries(format, _) if format.name() == name), "{words:?}");
        }
    }

    #[test]
    fn requested_format_is_written_or_rejected() {
        for words in [
            &["-a", "blake3", "-t", "gnu", "-o", "/tmp/M", "f"][..],
            &["-a", "sha256,blake3", "-t", "gnu", "-o", "/tmp/B3SUMS", "f"],
            &["-t", "gnu", "-o", "/tmp/MD5SUMS", "f"],
            &["-t", "bagit", "-o", "/tmp/M", "f"],
        ] {
            let refusal = hashing(words).err().unwrap_or_else(|| panic!("{words:?}"));
            assert!(refusal.text.contains("does not indicate that the digests are"), "{refusal:?}");
            assert!(refusal.hint.is_some_and(|hint| hint.starts_with("use -t bsd, ")), "{words:?}");
        }
    }

    #[test]
    fn format_may_imply_an_algorithm_and_reject_others() {
        let plan = hashing(&["-t", "sfv", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(plan.reading.specs[0].to_string(), "crc32");
        assert!(hashing(&["-t", "sfv", "-a", "sha256", "f"]).is_err());
        assert!(hashing(&["-t", "hashdeep", "-a", "sha256,md5", "f"]).is_ok());
        let plan = hashing(&["-t", "torrent", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(
            plan.reading.specs.is_empty() && plan.torrent.is_some_and(|torrent| torrent.piece_len.is_none())
        );
        assert!(hashing(&["-t", "torrent", "-a", "md5", "f"]).is_ok());
        for words in [&["-a", "sha256"][..], &["--unordered"], &["--sidecar"]] {
            assert!(hashing(&[&["-t", "torrent", "f"], words].concat()).is_err(), "{words:?}");
        }
        for piece_size in [1_000_000, 8 << 10] {
            let mut args = arguments(&["-t", "torrent", "f"]);
            args.torrent.piece_size = Some(piece_size);
            assert!(super::plan(args).is_err(), "{piece_size}");
        }
    }

    #[test]
    fn raw_output_requires_a_single_file() {
        assert!(hashing(&["--raw", "a"]).is_ok());
        assert!(hashing(&["--raw", "a", "b"]).is_err());
        assert!(hashing(&["--raw", "/"]).is_err());
    }

    #[test]
    fn repeated_algorithms_are_computed_once() {
        let plan = hashing(&["-a", "md5,sha512,md5", "f"]).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(plan.reading.specs.len(), 2);
    }
}
