//! Where results go: standard output, or a file that appears whole or not at all.

use crate::advice;
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::terminal::{Escapes, on_one_line, visible};
use crate::{signals, sources, standard};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::error::io_reason;
use truesum::hash::Secret;
use truesum::manifest::path::display_safe;
use truesum::manifest::{
    Entry, Format, Head, Heading, Options, Reader, Reading, Spelling, Style, Time, Writer, Writing, detect,
};
use truesum::write::close;
use truesum::{AtomicFile, Cause, Error, FileId};

/// An open output.
pub struct Output {
    to: To,
    /// Whether each line is shown at once.
    pub is_terminal: bool,
}

enum To {
    Stdout(BufWriter<standard::Output>),
    File(AtomicFile),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal { text: error.to_string(), hint: advice::on(&error).map(str::to_owned) }
    }
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Output {
        let is_terminal = io::stdout().is_terminal();
        let to = To::Stdout(BufWriter::with_capacity(1 << 16, standard::Output));
        Output { to, is_terminal }
    }

    /// The file for a manifest, or standard output. Unless `overwrite` is set, it replaces only an earlier manifest, and no torrent: the
    /// name may have been given by mistake.
    ///
    /// # Errors
    /// It cannot be written, or something else is there.
    pub fn list(path: Option<&Path>, overwrite: bool) -> Result<Output, Refusal> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        let output = Output::file(path)?;
        if !overwrite {
            let format = read_replaceable(path, None, &mut |_| {});
            let format = format.map_err(|why| not_replaced(path, &why))?;
            if format.is_some_and(|format| format.holds.pieces.is_some()) {
                return Err(not_replaced(path, "is a torrent"));
            }
        }
        Ok(output)
    }

    /// A file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(path: &Path) -> Result<Output, Error> {
        let file = begin(path)?;
        Ok(Output { to: To::File(file), is_terminal: false })
    }

    /// A file for output that cannot be recognised later: unless `overwrite` is set, it replaces only an empty file.
    ///
    /// # Errors
    /// It cannot be written, or something else is there.
    pub fn unmarked(path: &Path, overwrite: bool) -> Result<Output, Refusal> {
        let output = Output::file(path)?;
        if !overwrite && std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
            return Err(not_replaced(path, "is not empty"));
        }
        Ok(output)
    }

    /// Returns the files that hold this output: a run must not hash what it writes.
    pub fn own(&self) -> Vec<FileId> {
        let regular = |stat: rustix::io::Result<rustix::fs::Stat>| {
            let stat = stat.ok()?;
            rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file().then(|| FileId::from(&stat))
        };
        match &self.to {
            To::Stdout(_) => regular(rustix::fs::fstat(io::stdout())).into_iter().collect(),
            To::File(file) => {
                let (new, old) = (rustix::fs::fstat(file.file()), rustix::fs::stat(file.target()));
                regular(new).into_iter().chain(regular(old)).collect()
            }
        }
    }

    /// Writes a result.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(bytes, Escapes::None)
    }

    /// Writes a result with colours, in which every name was made safe for a terminal.
    ///
    /// # Errors
    /// The system's.
    pub fn write_colored(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(bytes, Escapes::Colors)
    }

    /// Writes what a format or a template makes of the entry of this name. A terminal shows the name on one line.
    ///
    /// # Errors
    /// The system's.
    pub fn write_entry(&mut self, bytes: &[u8], name: &[u8]) -> io::Result<()> {
        if self.is_terminal { self.write(&on_one_line(bytes, name)) } else { self.write(bytes) }
    }

    fn write_with(&mut self, bytes: &[u8], escapes: Escapes) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(stdout) if self.is_terminal => {
                stdout.write_all(&visible(bytes, escapes))?;
                // Messages are written between lines: each line must appear before the next message.
                stdout.flush()
            }
            To::Stdout(stdout) => stdout.write_all(bytes),
            To::File(file) => file.write_all(bytes),
        }
    }

    /// Writes out what waits for company, so that whoever reads the output has all that is known.
    ///
    /// # Errors
    /// The system's.
    pub fn pause(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(stdout) => stdout.flush(),
            To::File(_) => Ok(()),
        }
    }

    /// Gives the file this modification time instead of that at which it was begun.
    pub fn set_date(&mut self, date: Time) {
        if let To::File(file) = &mut self.to {
            file.set_date(date);
        }
    }

    /// Writes everything out, and tells if any of it failed. Only then is a file there.
    ///
    /// # Errors
    /// The system's, also those that only closing shows.
    pub fn finish(self) -> Result<(), Error> {
        match self.to {
            To::Stdout(mut stdout) => {
                let fail = |error: io::Error| Error::io(STDOUT, "write", error);
                stdout.flush().map_err(fail)?;
                // The process keeps its descriptor; closing a copy asks the file system the same question.
                match stdout.get_ref().as_fd().try_clone_to_owned() {
                    Ok(copy) => close(File::from(copy)).map_err(fail),
                    Err(_) => Ok(()),
                }
            }
            To::File(file) => file.commit(),
        }
    }

    /// The name for messages.
    pub fn name(&self) -> Vec<u8> {
        match &self.to {
            To::Stdout(_) => STDOUT.to_vec(),
            To::File(file) => file.target().as_os_str().as_bytes().to_vec(),
        }
    }
}

/// The bytes by which a file is recognised.
const NEAR: u64 = 64 << 10;

const STDOUT: &[u8] = b"standard output";

/// Prints a text.
pub fn print(text: &str, console: &mut Console) -> Exit {
    print_with(text, Escapes::None, console)
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

/// Whether a file has an entry near its beginning, of this name if one is asked for.
pub fn lists(path: &Path, wanted: Option<&[u8]>) -> bool {
    /// In so much there is an entry, if any.
    const BEGIN: u64 = 1 << 20;
    let Ok(file) = File::open(path) else { return false };
    let name = path.file_name().unwrap_or_default().as_bytes();
    let options = Options { allow_undigested: true, allow_pieces: true, ..Options::for_name(name) };
    let is_it = |entry: &Entry| wanted.is_none_or(|wanted| entry.path == wanted);
    Reader::new(file.take(BEGIN), options).any(|line| line.is_ok_and(|line| is_it(&line.entry)))
}

/// Refuses to replace a file, for this reason.
pub fn not_replaced(path: &Path, why: &str) -> Refusal {
    let path = display_safe(path.as_os_str().as_bytes());
    let text = format!("{path}: cannot write: the existing file {why}, and is not replaced");
    Refusal::with_hint(text, "to replace it anyway, use --overwrite")
}

/// Reads the entries of a manifest that a new one may replace without losing anything else: each line is an entry or a comment, in a
/// format that truesum writes. Returns the format; `None` if there is no file, or an empty one.
///
/// # Errors
/// Describes the file if it is anything else.
pub fn read_replaceable(
    path: &Path,
    key: Option<&Secret>,
    each: &mut dyn FnMut(Entry),
) -> Result<Option<&'static Format>, String> {
    let unread = |error: io::Error| format!("cannot be read ({})", io_reason(&error));
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {}
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unread(error)),
        _ => return Ok(None),
    }
    let mut file = File::open(path).map_err(unread)?;
    let mut text = Vec::new();
    (&file).take(NEAR).read_to_end(&mut text).map_err(unread)?;
    let head = Head { text: &text, complete: (text.len() as u64) < NEAR };
    let recognised = detect(head, None);
    // The first line of a disk image may be as long as the image.
    if recognised.is_none() && !head.complete && !text.contains(&b'\n') {
        return Err("is not a manifest".to_owned());
    }
    file.rewind().map_err(unread)?;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let options = Options { key: key.cloned(), locating: true, ..Options::for_name(name).all_said() };
    let mut reader = Reader::new(BufReader::new(file), options);
    let mut copies: Option<Vec<Writer<Vec<u8>>>> = None;
    let mut entries = 0u64;
    while let Some(line) = reader.next() {
        let entry = match line {
            Ok(line) => line.entry,
            Err(_) if entries == 0 => return Err("is not a manifest".to_owned()),
            Err(error) => return Err(format!("is not a manifest ({error})")),
        };
        entries += 1;
        // A document of another program may contain anything besides its entries.
        let format = reader.format().filter(|format| is_document(format));
        let copies = copies.get_or_insert_with(|| format.map_or_else(Vec::new, rewriters));
        copies.retain_mut(|copy| copy.write(&entry).is_ok());
        each(entry);
    }
    // A heading is all that an empty manifest has, and a name is no proof.
    let format = if entries == 0 { recognised } else { reader.format() };
    let Some(format) = format.filter(|format| !matches!(format.writing, Writing::No)) else {
        return Err("is not a manifest that truesum writes".to_owned());
    };
    if is_document(format) && entries > 0 {
        let text = std::fs::read(path).map_err(unread)?;
        let is_copy =
            |copy: Writer<Vec<u8>>| copy.finish().is_ok_and(|copy| copy.eq_ignore_ascii_case(&text));
        if !copies.unwrap_or_default().into_iter().any(is_copy) {
            return Err("contains more than checksums".to_owned());
        }
    }
    Ok(Some(format))
}

/// Whether manifests of this format may contain anything besides their entries that is lost when they are written again. A torrent is
/// compared in other ways, and a media hash list has a date.
fn is_document(format: &Format) -> bool {
    matches!(format.reading, Reading::Document { .. })
        && format.holds.pieces.is_none()
        && format.name != "ascmhl"
}

/// Writers of a format, one for each way to spell digests.
fn rewriters(format: &'static Format) -> Vec<Writer<Vec<u8>>> {
    let writer = |spelling| {
        let style = Style { spelling, ..Style::default() };
        Writer::new(Vec::new(), format, &Heading { style, ..Heading::default() })
    };
    [Spelling::Hex, Spelling::Base64, Spelling::Base32].map(writer).into()
}

/// A file as `(device, inode)`; nothing of what is none.
pub fn id(path: &Path) -> Option<FileId> {
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(FileId::from(&file))
}

/// Begins a file that appears whole or not at all.
pub fn begin(path: &Path) -> Result<AtomicFile, Error> {
    refuse_own_stream(path)?;
    sources::refuse_replacing(path)?;
    AtomicFile::create(path)
}

/// Refuses to replace a file that is a standard stream of this run: a rename would cut the stream off from its name, and lose
/// what was written to it.
///
/// # Errors
/// It is one.
pub fn refuse_own_stream(path: &Path) -> Result<(), Error> {
    let target = rustix::fs::stat(path).ok();
    let streams = [
        (rustix::fs::fstat(io::stdin()), "input"),
        (rustix::fs::fstat(io::stdout()), "output"),
        (rustix::fs::fstat(io::stderr()), "error output"),
    ];
    for (stream, what) in streams {
        if let (Ok(stream), Some(target)) = (stream, &target)
            && FileId::from(&stream) == FileId::from(target)
            && rustix::fs::FileType::from_raw_mode(stream.st_mode).is_file()
        {
            let why = Cause::Other(format!("it is the standard {what} of this run"));
            return Err(Error::new(path.as_os_str().as_bytes(), "write", why));
        }
    }
    Ok(())
}

/// Writes a text to a file, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn save(path: &Path, text: &[u8]) -> Result<(), Error> {
    let mut file = begin(path)?;
    file.write_all(text).map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit()
}

/// Writes a page or a picture, which has `mark` near its beginning. It takes the place of nothing but an earlier one: the name
/// given may by a slip be that of the file it is about.
///
/// # Errors
/// As [`save`]; the file is something else.
pub fn save_page(path: &Path, text: &str, mark: &str) -> Result<(), Error> {
    may_replace(path, mark)?;
    save(path, text.as_bytes())
}

/// Whether a page with this mark may be written there: nothing is, or an earlier one.
///
/// # Errors
/// Something else is there; it cannot be read.
pub fn may_replace(path: &Path, mark: &str) -> Result<(), Error> {
    may_replace_what(path, "not a truesum report", &|head| {
        let marked = head.text.windows(mark.len()).any(|part| part == mark.as_bytes());
        // An empty file is not an earlier page: it may be one that a manifest lists.
        head.text.starts_with(b"<") && marked
    })
}

/// Whether a file may be written there: nothing is, or what `fits` by how it begins.
///
/// # Errors
/// Something else is there; it cannot be read.
pub fn may_replace_what(path: &Path, otherwise: &str, fits: &dyn Fn(Head<'_>) -> bool) -> Result<(), Error> {
    if path.is_file() {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(NEAR).read_to_end(&mut text));
        read.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
        if !fits(Head { text: &text, complete: (text.len() as u64) < NEAR }) {
            let why = Cause::Other(format!("the existing file is {otherwise}, and is not replaced"));
            return Err(Error::new(path.as_os_str().as_bytes(), "write", why));
        }
    }
    Ok(())
}

/// The exit for output that could not be written; a closed pipe ends the program here.
pub fn cannot_write(error: &Error, console: &mut Console) -> Exit {
    if let Cause::Io(cause) = &error.cause
        && cause.kind() == io::ErrorKind::BrokenPipe
    {
        console.display = None;
        std::process::exit(signals::end_by_closed_pipe().into());
    }
    console.failure(error);
    Exit::NotAsAsked
}
