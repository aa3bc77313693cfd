//! Where results go: standard output, or a file that appears whole or not at all.

use crate::console::Console;
use crate::exit::Exit;
use crate::terminal::{Escapes, on_one_line, visible};
use crate::{signals, sources, standard};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use truesum::manifest::Time;
use truesum::manifest::{Entry, Head, Options, Reader, Reading, detect};
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

impl Output {
    /// Standard output.
    pub fn stdout() -> Output {
        let is_terminal = io::stdout().is_terminal();
        let to = To::Stdout(BufWriter::with_capacity(1 << 16, standard::Output));
        Output { to, is_terminal }
    }

    /// The file for a manifest, or standard output. It replaces an earlier manifest, and anything else only if `overwrite` is set: the
    /// name given may by a slip be that of a file to be listed.
    ///
    /// # Errors
    /// It cannot be written, or something else is there.
    pub fn list(path: Option<&Path>, overwrite: bool) -> Result<Output, Error> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        may_replace_what(path, "not a manifest", &|head| {
            // What is packed may be an archive.
            let is_list = |reading| matches!(reading, Reading::Lines { .. } | Reading::Document { .. });
            // Bytes by chance may look like a format, but hold no entry.
            let is_manifest =
                || detect(head, None).is_some_and(|row| is_list(row.reading)) && lists(path, None);
            overwrite || head.text.is_empty() || is_manifest() || begins_with_digest(head.text)
        })?;
        Output::file(path)
    }

    /// A file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(path: &Path) -> Result<Output, Error> {
        let file = begin(path)?;
        Ok(Output { to: To::File(file), is_terminal: false })
    }

    /// A file for what cannot be recognised later: it replaces nothing but an empty file, unless `overwrite` is set.
    ///
    /// # Errors
    /// It cannot be written, or something else is there.
    pub fn unmarked(path: &Path, overwrite: bool) -> Result<Output, Error> {
        may_replace_what(path, "not a previous output", &|head| overwrite || head.text.is_empty())?;
        Output::file(path)
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

const STDOUT: &[u8] = b"standard output";

/// Prints a text.
pub fn print(text: &str, console: &mut Console) -> Exit {
    print_with(text, Escapes::None, console)
}

/// Prints a long text, on a terminal through a pager, as git does: `$PAGER`, or `less`; none if that is empty or `cat`.
pub fn print_long(text: &str, console: &mut Console) -> Exit {
    match io::stdout().is_terminal() && paged(&visible(text.as_bytes(), Escapes::None)) {
        true => Exit::Done,
        false => print(text, console),
    }
}

/// Whether a pager could be started and was given the text. One that is left before its end got as much as the user wanted.
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
    /// What a shell returns if there is no such program.
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

/// Whether the first line is one of a manifest whatever its algorithm: a digest and a name with two characters between them, or a tagged
/// digest. Of a rare algorithm nothing else tells that.
fn begins_with_digest(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n' || byte == 0).next().unwrap_or_default();
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let untagged = digits >= 2 && digits % 2 == 0 && matches!(line[digits..], [b' ', b' ' | b'*', _, ..]);
    let tagged = line.windows(4).rposition(|part| part == b") = ").is_some_and(|at| {
        let digest = &line[at + 4..];
        !digest.is_empty()
            && digest.iter().all(u8::is_ascii_hexdigit)
            && line[..at].windows(2).any(|part| part == b" (")
    });
    untagged || tagged
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
    /// Bytes that are looked at.
    const NEAR: u64 = 64 << 10;
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
