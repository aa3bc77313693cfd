//! `truesum convert`: converts a manifest to another format, or to other algorithms after verifying the files.
//!
//! Information that the new format cannot store is reported, and nothing is written unless `--lossy` allows the loss. The new
//! manifest is read back before it is written.

mod losses;
mod verified;

use crate::console::Console;
use crate::earlier::EarlierManifest;
use crate::exit::{Exit, Refusal};
use crate::formats::readable_format;
use crate::options::{ReadArgs, Reporting, RunArgs};
use crate::output::{Output, cannot_write, id, may_replace_list};
use crate::selection::{FilterArgs, OnlyArgs, selection, unmatched_reason};
use crate::values::path::{folder_of, output_file};
use crate::values::table::{FormatParser, KeyedSpecParser, SpecParser};
use crate::watch::Watch;
use crate::words::{count, grouped, names, path_word, rejected};
use clap::{Args, ValueHint};
use losses::Losses;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tempfile::{SpooledTempFile, spooled_tempfile};
use truesum::hash::Spec;
use truesum::manifest::Time;
use truesum::manifest::convert::{ConvertError, Converted, Loss, convert};
use truesum::manifest::path::display_safe;
use truesum::manifest::{
    self, Entry, Format, Head, Heading, Options, ReadError, Reader, Rules, Spelling, Unrepresentable,
    WriteError, Writer, Writing, for_file, implies_algorithm,
};
use truesum::open::FolderCache;
use truesum::verify::place::folder_of_names;
use truesum::verify::{installed_names, lists_one_of};
use truesum::{Cause, Error, Input, Progress, ReadOptions, Root, Selection, scrub};
use truesum_fs::metadata::{FileType, Metadata};
use truesum_fs::name::{self, OsStrExt};

/// A larger manifest, in bytes, is stored in a temporary file until it has been verified.
const IN_MEMORY: usize = 16 << 20;

/// Convert a manifest to another format or algorithm
///
/// If the new format cannot store some of the information, truesum reports an error (see --lossy).
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum convert SHA256SUMS -t bsd            write SHA256 (NAME) = DIGEST
  truesum convert photos.sfv -a sha256 -o SHA256SUMS
  truesum convert --lossy photos.jsonl -t gnu  drop sizes and modification times
  truesum convert list.txt --from-algorithm blake3 -t jsonl
Exit status: 0 the manifest was written, 1 a file does not match (with -a), 2 nothing was written: the input is malformed, or information would be lost.")]
pub struct ConvertArgs {
    /// Manifest or scrub state file to convert; - is standard input
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Output format [default: from the name of the output file, if any, else gnu]
    #[arg(short = 't', long = "to", alias = "format", value_name = "FORMAT", value_parser = FormatParser)]
    #[arg(hide_possible_values = true)]
    pub format: Option<&'static Format>,
    /// Write to FILE, atomically [default: standard output]
    ///
    /// The names in the manifest are not changed.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = output_file())]
    pub output: Option<PathBuf>,
    /// Replace FILE even if it is not a manifest, or if files it lists are now corrupt
    #[arg(long, requires = "output")]
    pub overwrite: bool,
    /// Convert even if information is lost, and report what is lost
    #[arg(long)]
    pub lossy: bool,
    /// Format of IN [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = FormatParser, hide_possible_values = true)]
    pub from: Option<&'static Format>,
    /// Algorithms to assume for lines of IN that do not specify one
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub from_algorithm: Vec<Spec>,
    /// Digest algorithms [default: those of IN]
    ///
    /// Each file is read once, to verify the old digests and to compute the new ones. Nothing is written unless every
    /// entry matches.
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Folder that names are relative to [default: the manifest's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "algorithm")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    #[command(flatten)]
    pub reads: ReadArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
}

/// The reasons why nothing is written.
enum NotWritten {
    Refused(Refusal),
    /// An entry does not match its file.
    Unverified(Refusal),
    Failed(Error),
}

impl From<Error> for NotWritten {
    fn from(error: Error) -> NotWritten {
        NotWritten::Failed(error)
    }
}

/// Runs the command.
pub fn run(mut args: ConvertArgs) -> Exit {
    let named = std::mem::take(&mut args.algorithm);
    named.into_iter().for_each(|spec| {
        if !args.algorithm.contains(&spec) {
            args.algorithm.push(spec);
        }
    });
    let mut console = Console::new(args.run.color).quiet(args.quiet);
    let reporting = args.run.reporting(args.quiet);
    let watch = Watch::start(reporting.line, None, &mut console);
    let replaced = args.output.as_deref().filter(|_| !args.overwrite);
    // The output is opened first, so that a change by another process during the run is detected.
    let (output, mut earlier) = match replaced {
        None => (Output::list(args.output.as_deref(), args.overwrite), None),
        Some(path) => {
            let file = Output::file(path);
            let earlier = EarlierManifest::read(path, None, &[], None, None);
            let found = earlier.as_ref().map(|found| found.as_ref().map(EarlierManifest::replaceable));
            let allowed = may_replace_list(path, found.map_err(Clone::clone));
            (file.map_err(Refusal::from).and_then(|file| allowed.map(|()| file)), earlier.ok().flatten())
        }
    };
    let made = made(&args, reporting, &watch, earlier.as_mut(), &mut console);
    console.display = None;
    if let Some(signal) = watch.signals.ended_by() {
        console.error("interrupted: nothing was written");
        return Exit::Signal(signal);
    }
    match made {
        Ok(text) => match output {
            Ok(output) => {
                let dropped = replaced.and_then(|path| earlier?.dropped(path));
                let exit = hand_out(&args, text, output, &mut console);
                dropped.filter(|_| exit == Exit::Done).into_iter().for_each(|note| console.note(&note));
                exit
            }
            Err(refusal) => console.refuse(&refusal),
        },
        Err(NotWritten::Refused(refusal)) => console.refuse(&refusal),
        Err(NotWritten::Unverified(refusal)) => {
            console.refuse(&refusal);
            Exit::Failed
        }
        Err(NotWritten::Failed(error)) => {
            console.failure(&error);
            Exit::NotAsRequested
        }
    }
}

/// Returns the format to write: the requested one, or that of the output's name. The lines name
/// their algorithms if nothing else would show those of `-a`.
fn format(args: &ConvertArgs) -> Result<&'static Format, Refusal> {
    let output = args.output.as_deref();
    let nothing = Head::new(b"", true);
    let by_name = output.and_then(|output| manifest::detect(nothing, Some(output.as_os_str().as_bytes())));
    let by_name = by_name.filter(|format| !matches!(format.writing(), Writing::No));
    let gnu = || manifest::format("gnu").expect("a row of the table of formats");
    let format = args.format.or(by_name).unwrap_or_else(gnu);
    match format.tagged().filter(|_| output.is_none() && args.format.is_none()) {
        Some(tagged) if !args.algorithm.iter().all(|spec| implies_algorithm(spec, None)) => Ok(tagged),
        _ => readable_format(output, format, args.format.is_some(), &args.algorithm, Spelling::Hex),
    }
}

/// Returns the new manifest, after reading it back.
fn made(
    args: &ConvertArgs,
    reporting: Reporting,
    watch: &Watch,
    mut earlier: Option<&mut EarlierManifest>,
    console: &mut Console,
) -> Result<SpooledTempFile, NotWritten> {
    let refuse = |text: String, hint: &str| Err(NotWritten::Refused(Refusal::with_hint(text, hint)));
    let format = format(args).map_err(NotWritten::Refused)?;
    let wanted = args.filter.clone().wanted().only(args.only.only.clone());
    let select = selection(&wanted).map_err(NotWritten::Refused)?;
    if matches!(format.writing(), Writing::No) {
        let text = format!("-t {}: this format can only be read", format.name());
        return refuse(text, "to see which formats can be written: truesum list formats");
    }
    let name = args.input.as_os_str().as_bytes();
    if !args.algorithm.is_empty() && scrub::is_state(&args.input) {
        let text = format!("{}: a scrub state file cannot be converted with -a", display_safe(name));
        let export = format!(
            "to export it as a manifest first: truesum convert {} -t jsonl -o MANIFEST",
            path_word(&args.input)
        );
        return refuse(text, &export);
    }
    if let Some(spec) = args.algorithm.iter().find(|spec| !args.lossy && !can_store(format, spec)) {
        let text = format!("-a {spec}: the {} format cannot store this algorithm", format.name());
        return refuse(text, "to see which formats can be written: truesum list formats");
    }
    let mut spooled = spooled(args, &watch.progress)?;
    let (mut reader, select, signer, rules) = match args.algorithm.is_empty() {
        true => {
            let rules = rules_of(args, spooled.as_mut(), &watch.progress)?;
            (open(args, spooled.as_mut(), &watch.progress)?, select, None, rules)
        }
        false => {
            let verified = verified::read(args, format, select, reporting, watch, console)?;
            let options = Options::default().accept_all().format(manifest::format("jsonl"));
            let text: Box<dyn Read + Send> = Box::new(verified.text);
            (Reader::new(text, options), Selection::default(), verified.signer, verified.rules)
        }
    };
    let scratch =
        |error| Error::io(std::env::temp_dir().as_os_str().as_bytes(), "write a temporary file", error);
    let heading = Heading::default().rules(rules.all().to_vec());
    let writer = Writer::new(BufWriter::new(spooled_tempfile(IN_MEMORY)), format, &heading);
    let mut losses = Losses::new(name, format, args.lossy, console);
    losses.rules(&rules);
    let mut comments = 0;
    if !args.algorithm.is_empty() && name != b"-" {
        // Verified entries lack the attributes that are not read.
        let mut selected = Choice::of(selection(&wanted).map_err(NotWritten::Refused)?);
        let mut reader = open(args, None, &watch.progress)?;
        let lines = reader.by_ref().flatten().filter(|line| selected.keep(&line.entry));
        lines.for_each(|line| {
            line.entry.attributes.iter().for_each(|name| losses.note(&Loss::Attribute(name)));
        });
        reader.omitted().iter().for_each(|objects| losses.note(&Loss::Objects(objects)));
        comments = reader.comments();
    }
    let mut choice = Choice::of(select);
    let folder = base_folder(args);
    let own = args.output.as_deref().and_then(id);
    let mut listed = false;
    let mut folders = FolderCache::new(&Root::Anywhere);
    let mut is_own = |name: &[u8]| {
        let path = folder.join(OsStr::from_bytes(name));
        match folders.stat(path.as_os_str().as_bytes()) {
            Ok(found) if found.kind() == FileType::Symlink => id(&path) == own,
            Ok(found) => Some(found.id()) == own,
            Err(_) => false,
        }
    };
    let diverted = installed_names(&args.input)?;
    let mut renamed = 0;
    let mut keep = |entry: &mut Entry| {
        listed = listed || own.is_some() && is_own(&entry.path);
        let kept = choice.keep(entry);
        if let (true, Some(earlier)) = (kept, &mut earlier) {
            earlier.record(&entry.path);
        }
        if let (true, Some(name)) = (kept, diverted.get(&entry.path)) {
            renamed += 1;
            entry.path.clone_from(name);
        }
        kept
    };
    let done = convert(&mut reader, writer, format, &mut keep, &mut |lost| losses.note(&lost));
    let (text, converted) = match done {
        Ok((text, converted)) => (text, converted),
        Err(ConvertError::Read(error)) => return Err(Error::io(name, "read", error).into()),
        Err(ConvertError::Write(error)) => return Err(scratch(error).into()),
        Err(ConvertError::Whole(why)) => {
            let text = format!("{}: not converted to {}: {why}", display_safe(name), format.name());
            return Err(NotWritten::Refused(Refusal::new(text)));
        }
    };
    let mut text = text.into_inner().map_err(|error| scratch(error.into_error()))?;
    if args.algorithm.is_empty() && reader.rules() != rules {
        return Err(Error::new(name, "read", Cause::Other("it changed while it was read".to_owned())).into());
    }
    comments += reader.comments();
    if signer.is_some() {
        losses.note(&Loss::Signature);
    }
    let unnamed = unnamed(args, format, &converted);
    losses.unnamed_algorithm(&unnamed);
    // Old digests are lost when they are replaced by new ones.
    let lost = losses.any() || choice.left_out > 0 || !args.algorithm.is_empty();
    if let Some(refusal) = choice.refusal().or_else(|| losses.refusal(&converted)) {
        return Err(NotWritten::Refused(refusal));
    }
    // With `-a`, only selected entries were read, so the complete manifest is searched.
    let listed = listed
        || !args.algorithm.is_empty() && {
            let reading = ReadOptions::default().root(args.root.clone()).format(args.from);
            lists_one_of(&args.input, &reading, &watch.progress, args.output.as_slice()).is_some()
        };
    if let (true, Some(output)) = (listed, &args.output) {
        let output = display_safe(output.as_os_str().as_bytes());
        let text = format!("{output}: not replaced: it is listed in {}", display_safe(name));
        return refuse(text, "specify another name with -o");
    }
    if let (true, false, Some(output)) = (lost, args.overwrite, &args.output)
        && own.is_some()
        && own == id(&args.input)
    {
        let output = display_safe(output.as_os_str().as_bytes());
        let text = format!("{output}: not replaced: it is the input, and some of its content would be lost");
        return refuse(text, "use another name for -o, or replace it anyway with --overwrite");
    }
    choice.report(console);
    if let (false, Some(output)) = (unnamed.is_empty() || args.quiet, &args.output) {
        let (algorithms, output) = (names(&unnamed).replace(", ", ","), path_word(output));
        console.hint(&format!(
            "the new manifest does not name its algorithm; to check it: truesum check -a {algorithms} {output}"
        ));
    }
    if comments > 0 && reporting.notes {
        let comments = count(comments, "comment is", "comments are");
        console.note(&format!("{}: {comments} not in the new manifest", display_safe(name)));
    }
    if renamed > 0 && reporting.notes {
        let files = count(renamed, "diverted file has", "diverted files have");
        console.note(&format!("{files} the name under which dpkg installed it"));
    }
    rejected(converted.specs()).filter(|_| reporting.notes).for_each(|note| console.note(&note));
    if reader.assumes_algorithm() && !format.leaves_algorithm_open() {
        let assumed = names(converted.specs());
        console.note(&format!(
            "{}: not every line has an algorithm, so the algorithm was assumed from the length of the digests ({assumed}); to use another one: --from-algorithm NAME",
            display_safe(name)
        ));
    }
    text.seek(SeekFrom::Start(0)).map_err(scratch)?;
    let back = Reader::new(&mut text, reading_back(args, format, &converted, !unnamed.is_empty()));
    if !converted.reads_back(back).map_err(scratch)? {
        let text = format!(
            "{}: not converted: the {} output could not be read back unchanged",
            display_safe(name),
            format.name()
        );
        return refuse(
            text,
            "to write a format that stores all entries unchanged, use -t jsonl -o NAME.jsonl",
        );
    }
    text.seek(SeekFrom::Start(0)).map_err(scratch)?;
    Ok(text)
}

/// Returns whether a format can store digests of this algorithm, so that no file is read
/// needlessly. Whatever else an entry lacks is reported when it is written.
fn can_store(format: &'static Format, spec: &Spec) -> bool {
    let digests = vec![(spec.clone(), spec.digest(b""))];
    let entry = Entry { path: b"x".to_vec(), size: Some(0), digests, ..Entry::default() };
    let written = Writer::new(Vec::new(), format, &Heading::default()).write(&entry);
    !matches!(written, Err(WriteError::Refused(Unrepresentable::Algorithm(_))))
}

/// Returns the rules in IN, which are written before its entries. IN is read twice only if it may have rules.
fn rules_of(
    args: &ConvertArgs,
    mut spooled: Option<&mut SpooledTempFile>,
    progress: &Progress,
) -> Result<Rules, Error> {
    if scrub::is_state(&args.input) {
        return Ok(Rules::default());
    }
    let failed = |error| Error::io(args.input.as_os_str().as_bytes(), "read", error);
    let has_exclusions = {
        let mut reader = open(args, spooled.as_deref_mut(), progress)?;
        // The format is known after the first entry.
        drop(reader.next());
        reader.format().is_some_and(Format::has_exclusions)
    };
    let may_have_rules = match spooled.as_deref_mut() {
        _ if has_exclusions => true,
        Some(text) => text.rewind().and_then(|()| Rules::may_be_in(text)).map_err(failed)?,
        None => {
            let input = Input::open(&args.input, progress.stop_signal()).map_err(failed)?;
            Rules::may_be_in(InterruptibleReader { input, progress }).map_err(failed)?
        }
    };
    if !may_have_rules {
        return Ok(Rules::default());
    }
    let mut reader = open(args, spooled, progress)?;
    for item in reader.by_ref() {
        if let Err(ReadError::Io(error)) = item {
            return Err(failed(error));
        }
    }
    Ok(reader.rules())
}

/// Returns the content of IN if it cannot be read twice. `None` if a verification reads it.
fn spooled(args: &ConvertArgs, progress: &Progress) -> Result<Option<SpooledTempFile>, Error> {
    let is_stdin = args.input == Path::new("-");
    let is_file = || Metadata::at(&args.input).is_ok_and(|stat| stat.kind().is_file());
    if !args.algorithm.is_empty() || !is_stdin && is_file() {
        return Ok(None);
    }
    let failed = |action| move |error| Error::io(args.input.as_os_str().as_bytes(), action, error);
    let input = match is_stdin {
        true => Input::stdin(progress.stop_signal()),
        false => Input::open(&args.input, progress.stop_signal()),
    };
    let input = input.map_err(failed("open"))?;
    let mut text = spooled_tempfile(IN_MEMORY);
    io::copy(&mut InterruptibleReader { input, progress }, &mut text).map_err(failed("read"))?;
    Ok(Some(text))
}

/// Opens IN. `spooled` is its content if it cannot be read twice.
fn open<'p>(
    args: &ConvertArgs,
    spooled: Option<&'p mut SpooledTempFile>,
    progress: &'p Progress,
) -> Result<Reader<Box<dyn Read + Send + 'p>>, Error> {
    let name = args.input.as_os_str().as_bytes();
    if scrub::is_state(&args.input) {
        let mut text = scrub::export(&args.input, spooled_tempfile(IN_MEMORY))?;
        text.rewind().map_err(|error| Error::io(name, "export", error))?;
        let options = Options::default().accept_all().format(manifest::format("jsonl"));
        return Ok(Reader::new(Box::new(text), options));
    }
    if let Some(text) = spooled {
        text.rewind().map_err(|error| Error::io(name, "read", error))?;
        return Ok(Reader::new(Box::new(InterruptibleReader { input: text, progress }), reading(args)));
    }
    let input = Input::open(&args.input, progress.stop_signal());
    let input = input.map_err(|error| Error::io(name, "open", error))?;
    Ok(Reader::new(Box::new(InterruptibleReader { input, progress }), reading(args)))
}

/// Selects the entries to convert.
struct Choice {
    select: Selection,
    kept: u64,
    left_out: u64,
    /// Whether a selected entry has digests of pieces.
    pieced: bool,
}

impl Choice {
    fn of(select: Selection) -> Choice {
        Choice { select, kept: 0, left_out: 0, pieced: false }
    }

    /// Returns whether an entry is selected, by the size and time in the manifest. An entry without
    /// a size or time passes the filters on it.
    fn keep(&mut self, entry: &Entry) -> bool {
        let kept = self.select.selects([&entry.path; 2], (entry.size, entry.mtime), || None);
        self.kept += u64::from(kept);
        self.left_out += u64::from(!kept);
        self.pieced |= !entry.pieces.is_empty();
        kept
    }

    /// Returns why the selected entries cannot be written, if so.
    fn refusal(&self) -> Option<Refusal> {
        if let Some(unmatched) = self.select.unmatched().first() {
            let name = display_safe(unmatched.name().as_bytes());
            return Some(Refusal::new(format!("{name}: {}", unmatched_reason(unmatched))));
        }
        if self.left_out > 0 && self.kept == 0 {
            let entries = count(self.left_out, "entry was", "entries were");
            return Some(Refusal::new(format!("nothing selected: {entries} excluded")));
        }
        let split = self.left_out > 0 && self.pieced;
        split.then(|| {
            Refusal::new(
                "cannot convert only some of the entries: their piece digests can span several files",
            )
        })
    }

    /// Prints a note on how many entries were selected.
    fn report(&self, console: &Console) {
        if self.left_out > 0 {
            let all = count(self.kept + self.left_out, "entry", "entries");
            console.note(&format!("selected: {} of {all}", grouped(self.kept)));
        }
    }
}

/// An input whose reads fail after the run was interrupted.
struct InterruptibleReader<'a, R> {
    input: R,
    progress: &'a Progress,
}

impl<R: Read> Read for InterruptibleReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.stopped() {
            return Err(io::Error::other("interrupted"));
        }
        self.input.read(buffer)
    }
}

/// Returns the options for reading IN. All entries are accepted, including those with weak digests
/// or without digests.
fn reading(args: &ConvertArgs) -> Options {
    let options = match args.input.as_os_str().as_bytes() {
        b"-" => Options::default(),
        name => Options::for_name(name),
    };
    let all = options.accept_all();
    // Also read information that only locates damage, so that its loss is reported.
    all.requested(args.from_algorithm.clone()).format(args.from).locating(true).attributes(true)
}

/// Returns the options with which the result will be read by default, based only on its name.
/// Algorithms that the result does not show are specified.
fn reading_back(
    args: &ConvertArgs,
    format: &'static Format,
    converted: &Converted,
    unnamed: bool,
) -> Options {
    let requested = if unnamed { converted.specs().to_vec() } else { Vec::new() };
    match &args.output {
        Some(output) => Options::for_name(output.as_os_str().as_bytes()).accept_all().requested(requested),
        None => Options::default().accept_all().requested(requested).format(Some(format)),
    }
}

/// Returns the algorithms that neither the format, the name of the output nor the length of a
/// digest identifies.
fn unnamed(args: &ConvertArgs, format: &'static Format, converted: &Converted) -> Vec<Spec> {
    if !format.leaves_algorithm_open() {
        return Vec::new();
    }
    let is_named = |spec: &&Spec| match &args.output {
        Some(output) => {
            let name = output.as_os_str().as_bytes();
            for_file(format, std::slice::from_ref(spec), Spelling::Hex, name) == format
        }
        None => implies_algorithm(spec, None),
    };
    converted.specs().iter().filter(|spec| !is_named(spec)).cloned().collect()
}

/// Writes the converted manifest to its destination.
fn hand_out(
    args: &ConvertArgs,
    mut text: SpooledTempFile,
    mut output: Output,
    console: &mut Console,
) -> Exit {
    // Entries that were not verified describe the files when the old manifest was written, not now.
    if let Some(date) = date_of(&args.input).filter(|_| args.algorithm.is_empty()) {
        output.set_date(date);
    }
    let name = output.name();
    let mut buffer = vec![0; 1 << 16];
    let mut copy = || -> io::Result<()> {
        loop {
            let read = text.read(&mut buffer)?;
            if read == 0 {
                return Ok(());
            }
            output.write(&buffer[..read])?;
        }
    };
    let copied = copy().map_err(|error| Error::io(&name, "write", error));
    if let Err(error) = copied.and_then(|()| output.finish()) {
        return cannot_write(&error, console);
    }
    if let Some(output) = &args.output {
        note_folder(args, output, console);
    }
    Exit::Done
}

/// Returns the modification time of a file; `None` for standard input.
fn date_of(input: &Path) -> Option<Time> {
    let file = std::fs::metadata(input).ok().filter(|file| input != Path::new("-") && file.is_file())?;
    Some(truesum_fs::metadata::modified(&file))
}

/// Returns the folder to which the names in the input are relative.
fn base_folder(args: &ConvertArgs) -> PathBuf {
    args.root.clone().unwrap_or_else(|| folder_of_names(&args.input))
}

/// Prints a note if the new manifest is not in the folder to which its names are relative: without `--root`, a check would
/// look for other files.
fn note_folder(args: &ConvertArgs, output: &Path, console: &mut Console) {
    if args.quiet || args.root.is_none() && args.input == Path::new("-") {
        return;
    }
    let base = base_folder(args);
    let (from, to) = (base.clone(), folder_of(output));
    if let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize())
        && from != to
    {
        let from = display_safe(&name::of(&from));
        console.note(&format!("names are relative to {from}, which is not the folder of the new manifest"));
        let (root, new) = (path_word(base), path_word(output));
        console.hint(&format!("to check the new manifest: truesum check --root {root} {new}"));
    }
}
