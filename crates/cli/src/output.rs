//! The destination of results: standard output, or a file that is written atomically.

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
    /// Whether each line is shown immediately.
    pub is_terminal: bool,
}

enum To {
    Stdout(BufWriter<standard::Output>),
    File(AtomicFile),
}

impl Output {
    /// Returns standard output.
    pub fn stdout() -> Output {
        let is_terminal = io::stdout().is_terminal();
        let to = To::Stdout(BufWriter::with_capacity(1 << 16, standard::Output));
        Output { to, is_terminal }
    }

    /// Returns the file for a manifest, or standard output. An existing file that is not a manifest is replaced only
    /// with `overwrite`, because its name may have been given by mistake.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another file exists there.
    pub fn list(path: Option<&Path>, overwrite: bool) -> Result<Output, Error> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        may_replace_what(path, "not a manifest", &|head| {
            // A compressed file may be an archive.
            let is_list = |reading| matches!(reading, Reading::Lines { .. } | Reading::Document { .. });
            // Random bytes may look like a format, but contain no entry.
            let is_manifest =
                || detect(head, None).is_some_and(|row| is_list(row.reading)) && lists(path, None);
            overwrite || head.text.is_empty() || is_manifest() || begins_with_digest(head.text)
        })?;
        Output::file(path)
    }

    /// Returns a file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn file(path: &Path) -> Result<Output, Error> {
        let file = begin(path)?;
        Ok(Output { to: To::File(file), is_terminal: false })
    }

    /// Returns a file whose contents cannot be recognised later: it replaces only an empty file, unless `overwrite` is
    /// set.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another file exists there.
    pub fn unmarked(path: &Path, overwrite: bool) -> Result<Output, Error> {
        may_replace_what(path, "not a previous output", &|head| overwrite || head.text.is_empty())?;
        Output::file(path)
    }

    /// Returns the files that contain this output, because a run must not hash its own output.
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
    /// Returns the system's error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_with(bytes, Escapes::None)
    }

    /// Writes a result with colours, in which every name has been escaped for a terminal.
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
            To::Stdout(stdout) if self.is_terminal => {
                stdout.write_all(&visible(bytes, escapes))?;
                // Messages are written between lines, so each line must appear before the next message.
                stdout.flush()
            }
            To::Stdout(stdout) => stdout.write_all(bytes),
            To::File(file) => file.write_all(bytes),
        }
    }

    /// Flushes buffered output, so that its reader has everything known so far.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn pause(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout(stdout) => stdout.flush(),
            To::File(_) => Ok(()),
        }
    }

    /// Sets a modification time other than the time at which writing began.
    pub fn set_date(&mut self, date: Time) {
        if let To::File(file) = &mut self.to {
            file.set_date(date);
        }
    }

    /// Writes everything out and returns whether any of it failed. The file exists only afterwards.
    ///
    /// # Errors
    /// Returns the system's error, including those reported only on closing.
    pub fn finish(self) -> Result<(), Error> {
        match self.to {
            To::Stdout(mut stdout) => {
                let fail = |error: io::Error| Error::io(STDOUT, "write", error);
                stdout.flush().map_err(fail)?;
                // The process keeps its descriptor; closing a duplicate makes the file system report the same errors.
                match stdout.get_ref().as_fd().try_clone_to_owned() {
                    Ok(copy) => close(File::from(copy)).map_err(fail),
                    Err(_) => Ok(()),
                }
            }
            To::File(file) => file.commit(),
        }
    }

    /// Returns the name for messages.
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

/// Returns whether a file has an entry near its beginning, with this name if one is given.
pub fn lists(path: &Path, wanted: Option<&[u8]>) -> bool {
    /// The number of bytes in which an entry must occur.
    const BEGIN: u64 = 1 << 20;
    let Ok(file) = File::open(path) else { return false };
    let name = path.file_name().unwrap_or_default().as_bytes();
    let options = Options { allow_undigested: true, allow_pieces: true, ..Options::for_name(name) };
    let is_it = |entry: &Entry| wanted.is_none_or(|wanted| entry.path == wanted);
    Reader::new(file.take(BEGIN), options).any(|line| line.is_ok_and(|line| is_it(&line.entry)))
}

/// Returns whether the first line has the form of a manifest line of any algorithm: a digest and a name separated by
/// two characters, or a tagged digest. This recognises manifests of rare algorithms.
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

/// Returns a file as `(device, inode)`; `None` if it is not a regular file.
pub fn id(path: &Path) -> Option<FileId> {
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(FileId::from(&file))
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

/// Writes a text to a file atomically.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn save(path: &Path, text: &[u8]) -> Result<(), Error> {
    let mut file = begin(path)?;
    file.write_all(text).map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit()
}

/// Writes a report or an image, which has `mark` near its beginning. It replaces only an earlier one, because the name
/// may have been given by mistake.
///
/// # Errors
/// Fails as [`save`], or if the file is something else.
pub fn save_page(path: &Path, text: &str, mark: &str) -> Result<(), Error> {
    may_replace(path, mark)?;
    save(path, text.as_bytes())
}

/// Tests whether a report with this mark may be written there: there is no file, or an earlier report.
///
/// # Errors
/// Fails if another file exists there, or if it cannot be read.
pub fn may_replace(path: &Path, mark: &str) -> Result<(), Error> {
    may_replace_what(path, "not a truesum report", &|head| {
        let marked = head.text.windows(mark.len()).any(|part| part == mark.as_bytes());
        // An empty file is not an earlier report: it may be in a manifest.
        head.text.starts_with(b"<") && marked
    })
}

/// Tests whether a file may be written there: there is no file, or one whose beginning `fits`.
///
/// # Errors
/// Fails if another file exists there, or if it cannot be read.
pub fn may_replace_what(path: &Path, otherwise: &str, fits: &dyn Fn(Head<'_>) -> bool) -> Result<(), Error> {
    /// The number of bytes that are examined.
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

/// Returns the exit for output that could not be written. A closed pipe ends the program here.
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
