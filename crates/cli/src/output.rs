//! The destination of results: standard output, or a file that is written atomically.

use crate::advice;
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::sources;
use crate::terminal::{Escapes, on_one_line, visible, without_progress};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use truesum::error::io_reason;
use truesum::hash::Secret;
use truesum::manifest::path::display_safe;
use truesum::manifest::{
    AlgorithmSource, Entry, Format, Head, Heading, Options, Reader, Reading, Spelling, Style, Time, Writer,
    Writing, detect,
};
use truesum::open::{open_companion, read_companion};
use truesum::verify::has_manifest_name;
use truesum::write::close;
use truesum::{AtomicFile, Cause, Error, FileId};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::{Errno, signals, standard};

/// An open output.
pub struct Output {
    to: Sink,
    /// Whether each line is shown immediately.
    pub is_terminal: bool,
}

#[allow(clippy::large_enum_variant, reason = "there is only one value")]
enum Sink {
    Stdout(BufWriter<standard::Output>),
    File(AtomicFile),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal { text: error.to_string(), hint: advice::on(&error).map(Cow::into_owned) }
    }
}

impl Output {
    /// Returns standard output.
    pub fn stdout() -> Output {
        let is_terminal = io::stdout().is_terminal();
        let to = Sink::Stdout(BufWriter::with_capacity(1 << 16, standard::Output));
        Output { to, is_terminal }
    }

    /// Returns the file for a manifest, or standard output. Unless `overwrite` is set, it replaces
    /// only an earlier manifest that is not a torrent, because the user may have specified the
    /// wrong name.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another file exists there.
    pub fn list(path: Option<&Path>, overwrite: bool) -> Result<Output, Refusal> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        let output = Output::file(path)?;
        if !overwrite {
            may_replace_list(path, read_candidate(path, &[], None, &mut |_| {}))?;
        }
        Ok(output)
    }

    /// Returns a file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn file(path: &Path) -> Result<Output, Error> {
        let file = begin(path)?;
        Ok(Output { to: Sink::File(file), is_terminal: false })
    }

    /// Returns a file whose contents cannot be recognized later: it replaces only an empty file, unless `overwrite` is set.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another file exists there.
    pub fn unmarked(path: &Path, overwrite: bool) -> Result<Output, Refusal> {
        let output = Output::file(path)?;
        if !overwrite && std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
            return Err(not_replaced(path, "is not empty"));
        }
        Ok(output)
    }

    /// Returns the files that contain this output, because a run must not hash its own output.
    pub fn own(&self) -> Vec<FileId> {
        let regular = |stat: Result<Metadata, Errno>| {
            stat.ok().filter(|stat| stat.kind().is_file()).map(|stat| stat.id())
        };
        match &self.to {
            Sink::Stdout(_) => regular(Metadata::of(&standard::stdout())).into_iter().collect(),
            Sink::File(file) => {
                let (new, old) = (Metadata::of(file.file()), Metadata::at(file.target()));
                regular(new).into_iter().chain(regular(old)).collect()
            }
        }
    }

    /// Returns the path of the file that contains this output, if it is known.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.to {
            Sink::Stdout(_) => standard::output_path(),
            Sink::File(file) => Some(file.target().to_owned()),
        }
    }

    /// Writes a result.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(bytes, Escapes::None)
    }

    /// Writes a result with colors, in which every name has been escaped for a terminal.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn write_colored(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(bytes, Escapes::Colors)
    }

    /// Writes the text of a format or template for the entry with this name. On a terminal, the name is shown on one
    /// line.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn write_entry(&mut self, bytes: &[u8], name: &[u8]) -> io::Result<()> {
        if self.is_terminal { self.write(&on_one_line(bytes, name)) } else { self.write(bytes) }
    }

    fn write_with(&mut self, bytes: &[u8], escapes: Escapes) -> io::Result<()> {
        match &mut self.to {
            Sink::Stdout(stdout) if self.is_terminal => {
                without_progress(|| {
                    stdout.write_all(&visible(bytes, escapes))?;
                    // Messages are written between lines, so each line must appear before the next message.
                    stdout.flush()
                })
            }
            Sink::Stdout(stdout) => stdout.write_all(bytes),
            Sink::File(file) => file.write_all(bytes),
        }
    }

    /// Flushes buffered output, so that its reader has everything known so far.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn pause(&mut self) -> io::Result<()> {
        match &mut self.to {
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::File(_) => Ok(()),
        }
    }

    /// Sets a modification time other than the time at which writing began.
    pub fn set_date(&mut self, date: Time) {
        if let Sink::File(file) = &mut self.to {
            file.set_date(date);
        }
    }

    /// Writes everything out and returns whether any of it failed. The file exists only afterwards.
    ///
    /// # Errors
    /// Returns the system's error, including those reported only on closing.
    pub fn finish(self) -> Result<(), Error> {
        match self.to {
            Sink::Stdout(mut stdout) => {
                let fail = |error: io::Error| Error::io(STDOUT, "write", error);
                stdout.flush().map_err(fail)?;
                // The process keeps its descriptor; closing a duplicate makes the file system report the same errors.
                match standard::stdout().try_clone() {
                    Ok(copy) => close(copy).map_err(fail),
                    Err(_) => Ok(()),
                }
            }
            Sink::File(file) => file.commit(),
        }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> Vec<u8> {
        match &self.to {
            Sink::Stdout(_) => STDOUT.to_vec(),
            Sink::File(file) => file.name().to_vec(),
        }
    }
}

/// Number of bytes by which a file is recognized.
const HEAD_SIZE: u64 = 64 << 10;

const STDOUT: &[u8] = b"standard output";

/// Prints a text.
pub fn print(text: &str, console: &mut Console) -> Exit {
    print_with(text, Escapes::None, console)
}

/// Prints a long text. On a terminal, it is passed to a pager as in git: `$PAGER`, or `less`; none
/// if that is empty or `cat`.
pub fn print_long(text: &str, console: &mut Console) -> Exit {
    match io::stdout().is_terminal() && paged(&visible(text.as_bytes(), Escapes::None)) {
        true => Exit::Done,
        false => print(text, console),
    }
}

/// Returns whether a pager could be started and received the text. Quitting the pager early counts
/// as success.
fn paged(text: &[u8]) -> bool {
    let mut command = match std::env::var_os("PAGER") {
        Some(pager) if pager.is_empty() || pager == "cat" => return false,
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(pager);
            shell
        }
        None => Command::new("less"),
    };
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        let _ = input.write_all(text);
    }
    /// The exit status of a shell if a program does not exist.
    const NOT_FOUND: i32 = 127;
    pager.wait().is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

/// Prints a text with these escape sequences.
pub fn print_with(text: &str, escapes: Escapes, console: &mut Console) -> Exit {
    let mut output = Output::stdout();
    let name = output.name();
    let written =
        output.write_with(text.as_bytes(), escapes).map_err(|error| Error::io(&name, "write", error));
    match written.and_then(|()| output.finish()) {
        Ok(()) => Exit::Done,
        Err(error) => cannot_write(&error, console),
    }
}

/// Returns whether a file has an entry near its beginning.
pub fn lists(path: &Path) -> bool {
    listed(path).next().is_some()
}

/// Returns the names of the entries near the beginning of a file; none if it is not a regular file or not a manifest.
pub fn listed(path: &Path) -> impl Iterator<Item = Vec<u8>> {
    /// The number of bytes that are read.
    const READ_LIMIT: u64 = 1 << 20;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let options = Options::for_name(name).allow_undigested(true).allow_pieces(true);
    let lines = open_companion(path).map(|file| Reader::new(file.take(READ_LIMIT), options));
    lines.into_iter().flatten().filter_map(|line| Some(line.ok()?.entry.path))
}

/// Returns the refusal to replace a file for this reason.
pub fn not_replaced(path: &Path, why: &str) -> Refusal {
    let path = display_safe(path.as_os_str().as_bytes());
    let text = format!("{path}: cannot write: the existing file {why}, so it is not replaced");
    Refusal::with_hint(text, "to replace it anyway, use --overwrite")
}

/// An existing manifest that a new one may replace.
#[derive(Clone, Copy)]
pub struct Replaceable {
    pub format: &'static Format,
    /// Whether it is certainly a manifest, and not ordinary text whose lines have the form of entries.
    pub is_certain: bool,
}

/// The reason not to replace a file whose lines have the form of entries.
pub const MAY_BE_TEXT: &str = "may be ordinary text (none of the files named in it exist)";

/// Tests whether a new manifest may replace what [`read_candidate`] found at this path: an earlier manifest that is not
/// a torrent.
///
/// # Errors
/// Fails if it is, or may be, anything else.
pub fn may_replace_list(path: &Path, found: Result<Option<Replaceable>, String>) -> Result<(), Refusal> {
    match found {
        Err(why) => Err(not_replaced(path, &why)),
        Ok(Some(found)) if !found.is_certain => Err(not_replaced(path, MAY_BE_TEXT)),
        Ok(Some(found)) if found.format.capabilities().pieces().is_some() => {
            Err(not_replaced(path, "is a torrent"))
        }
        Ok(_) => Ok(()),
    }
}

/// Reads the entries of a manifest that a new one may replace. Returns its format, or `None` if there is no file or an
/// empty one.
///
/// # Errors
/// Returns a description of the file if it is anything else, or may be.
pub fn read_replaceable(
    path: &Path,
    key: Option<&Secret>,
    each: &mut dyn FnMut(Entry),
) -> Result<Option<&'static Format>, String> {
    match read_candidate(path, &[], key, each)? {
        Some(found) if !found.is_certain => Err(MAY_BE_TEXT.to_owned()),
        found => Ok(found.map(|found| found.format)),
    }
}

/// Reads the entries of a file in which every line is an entry or a comment, in a format that truesum writes. Returns
/// `None` if there is no file or an empty one.
///
/// Words and numbers of ordinary text may have the form of an entry, as in the output of `git show-ref`. Such a file is
/// certainly a manifest only if it has the name of one, or if one of the files in it exists in its folder or in `others`.
///
/// # Errors
/// Returns a description of the file if it is anything else.
pub fn read_candidate(
    path: &Path,
    others: &[PathBuf],
    key: Option<&Secret>,
    each: &mut dyn FnMut(Entry),
) -> Result<Option<Replaceable>, String> {
    /// Number of entries whose files are looked for.
    const MAX_EXAMINED: u64 = 1000;
    let unread = |error: io::Error| format!("cannot be read ({})", io_reason(&error));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {}
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unread(error)),
        _ => return Ok(None),
    }
    let mut file = open_companion(path).map_err(|error| unread(error.into_cause().into()))?;
    let mut text = Vec::new();
    (&file).take(HEAD_SIZE).read_to_end(&mut text).map_err(unread)?;
    let head = Head::new(&text, (text.len() as u64) < HEAD_SIZE);
    let recognized = detect(head, None);
    // A binary file such as a disk image may consist of a single line.
    if recognized.is_none() && !head.complete() && !text.contains(&b'\n') {
        return Err("is not a manifest".to_owned());
    }
    file.rewind().map_err(unread)?;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let options = Options::for_name(name).accept_all().key(key.cloned()).locating(true);
    let mut reader = Reader::new(BufReader::new(file), options);
    let mut copies: Option<Vec<Writer<Vec<u8>>>> = None;
    let (mut entries, mut digests) = (0u64, 0u64);
    let mut is_certain = has_manifest_name(path);
    while let Some(line) = reader.next() {
        let entry = match line {
            Ok(line) => line.entry,
            Err(_) if entries == 0 => return Err("is not a manifest".to_owned()),
            Err(error) => return Err(format!("is not a manifest ({error})")),
        };
        entries += 1;
        digests += u64::from(!entry.digests.is_empty() || !entry.pieces.is_empty());
        if !is_certain && entries <= MAX_EXAMINED {
            let name = Path::new(OsStr::from_bytes(&entry.path));
            let folders = path.parent().into_iter().chain(others.iter().map(PathBuf::as_path));
            // A folder or a device may be any word of a text: `du` prints numbers and folders.
            is_certain = folders.into_iter().any(|folder| folder.join(name).is_file());
        }
        // A document of another program may contain more than its entries.
        let format = reader.format().filter(|format| is_document(format));
        let copies = copies.get_or_insert_with(|| format.map_or_else(Vec::new, rewriters));
        copies.retain_mut(|copy| copy.write(&entry).is_ok());
        each(entry);
    }
    if reader.signer().is_some() {
        return Err("is signed".to_owned());
    }
    if let [first, ..] = reader.omitted() {
        return Err(format!("lists {first}, which would be lost"));
    }
    if entries > 0 && digests == 0 {
        return Err("has no digests, only other data such as sizes or modes".to_owned());
    }
    // An empty manifest can only be recognized by its heading; a file name is not sufficient.
    let format = if entries == 0 { recognized } else { reader.format() };
    let Some(format) = format.filter(|format| !matches!(format.writing(), Writing::No)) else {
        return Err("is not a manifest that truesum can write".to_owned());
    };
    let is_named = || detect(Head::new(b"", true), Some(name)) == Some(format);
    is_certain |= entries == 0 || !is_like_text(format) || is_named();
    if is_document(format) && entries > 0 {
        let text = read_companion(path).map_err(|error| unread(error.into_cause().into()))?;
        let is_copy =
            |copy: Writer<Vec<u8>>| copy.finish().is_ok_and(|copy| copy.eq_ignore_ascii_case(&text));
        if !copies.unwrap_or_default().into_iter().any(is_copy) {
            return Err("has content or a layout that would be lost".to_owned());
        }
    }
    Ok(Some(Replaceable { format, is_certain }))
}

/// Returns whether lines of ordinary text may have the form of entries of this format: its lines are words, numbers
/// and hexadecimal digits, without the name of an algorithm.
fn is_like_text(format: &Format) -> bool {
    format.capabilities().algorithm_source() != AlgorithmSource::Manifest
        || matches!(format.name(), "sfv" | "tth" | "md5deep" | "rhash-simple")
}

/// Returns whether manifests of this format may contain more than their entries, which would be
/// lost when they are written again. Torrents are compared in other ways, and media hash lists
/// contain a date.
fn is_document(format: &Format) -> bool {
    matches!(format.reading(), Reading::Document { .. })
        && format.capabilities().pieces().is_none()
        && format.name() != "ascmhl"
}

/// Returns writers of a format, one for each encoding of digests.
fn rewriters(format: &'static Format) -> Vec<Writer<Vec<u8>>> {
    let writer = |spelling| {
        let style = Style::default().spelling(spelling);
        Writer::new(Vec::new(), format, &Heading::default().style(style))
    };
    [Spelling::Hex, Spelling::Base64, Spelling::Base32].map(writer).into()
}

/// Returns the identity of a regular file; `None` for anything else.
pub fn id(path: &Path) -> Option<FileId> {
    let file = Metadata::at(path).ok().filter(|file| file.kind().is_file())?;
    Some(file.id())
}

/// Begins a file that is written atomically.
pub fn begin(path: &Path) -> Result<AtomicFile, Error> {
    refuse_own_stream(path)?;
    sources::refuse_replacing(path)?;
    AtomicFile::create(path)
}

/// Refuses to replace a file that is a standard stream of this run: a rename would separate the stream from its name,
/// and what was written to it would be lost.
///
/// # Errors
/// Fails if it is one.
pub fn refuse_own_stream(path: &Path) -> Result<(), Error> {
    let target = Metadata::at(path).ok();
    let streams = [
        (Metadata::of(&standard::stdin()), "input"),
        (Metadata::of(&standard::stdout()), "output"),
        (Metadata::of(&standard::stderr()), "error"),
    ];
    for (stream, what) in streams {
        if let (Ok(stream), Some(target)) = (stream, &target)
            && stream.id() == target.id()
            && stream.kind().is_file()
        {
            let why = Cause::Other(format!("this run uses the file as standard {what}"));
            return Err(Error::new(path.as_os_str().as_bytes(), "write", why));
        }
    }
    Ok(())
}

/// Writes a text to a file atomically.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn save(path: &Path, text: &[u8]) -> Result<(), Error> {
    let mut file = begin(path)?;
    file.write_all(text).map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit()
}

/// Writes a report or an image, which has `mark` near its beginning. It replaces only an earlier
/// one, because the user may have specified the wrong name.
///
/// # Errors
/// Fails as [`save`], or if the file is something else.
pub fn save_page(path: &Path, text: &str, mark: &str) -> Result<(), Error> {
    may_replace(path, mark)?;
    save(path, text.as_bytes())
}

/// Tests whether a report with this mark may be written to this path: there is no file, or an
/// earlier report.
///
/// # Errors
/// Fails if another file exists there, or if it cannot be read.
pub fn may_replace(path: &Path, mark: &str) -> Result<(), Error> {
    may_replace_what(path, "not a truesum report", &|head| {
        let marked = head.text().windows(mark.len()).any(|part| part == mark.as_bytes());
        // An empty file is not an earlier report: it may be in a manifest.
        head.text().starts_with(b"<") && marked
    })
}

/// Tests whether a file may be written to this path: there is no file, or one whose beginning
/// `fits`.
///
/// # Errors
/// Fails if another file exists there, or if it cannot be read.
pub fn may_replace_what(path: &Path, otherwise: &str, fits: &dyn Fn(Head<'_>) -> bool) -> Result<(), Error> {
    if path.is_file() {
        let mut text = Vec::new();
        let file = open_companion(path).map_err(|error| error.with_action("read"))?;
        let read = file.take(HEAD_SIZE).read_to_end(&mut text);
        read.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
        if !fits(Head::new(&text, (text.len() as u64) < HEAD_SIZE)) {
            let why = Cause::Other(format!("the existing file is {otherwise}, so it is not replaced"));
            return Err(Error::new(path.as_os_str().as_bytes(), "write", why));
        }
    }
    Ok(())
}

/// Returns the exit for output that could not be written. A closed pipe ends the program here.
pub fn cannot_write(error: &Error, console: &mut Console) -> Exit {
    if let Cause::Io(cause) = error.cause()
        && cause.kind() == io::ErrorKind::BrokenPipe
    {
        console.display = None;
        std::process::exit(signals::end_by_closed_pipe().into());
    }
    console.failure(error);
    Exit::NotAsRequested
}
