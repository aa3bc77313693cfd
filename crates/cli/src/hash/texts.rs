//! Digests of texts: of what stands on the command line, and of each line of a file. No file is meant by them, so nothing of
//! this can go into a manifest.

use crate::console::Console;
use crate::exit::Exit;
use crate::hash::plan::{Hashing, Texts};
use crate::hash::writing::writer;
use crate::output::{Output, cannot_write};
use crate::tasks::NameList;
use crate::watch::Watch;
use crate::words::count;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, WriteError, Writer};
use truesum::{Error, Input};

/// Longest line that is read: its bytes stay in memory.
const LINE: usize = 64 << 20;

/// Hashes texts.
pub fn run(plan: &Hashing, texts: &Texts, console: &mut Console) -> Exit {
    let writer = writer(plan.form, &plan.specs, None);
    let mut entries = Entries { plan, writer, output: Output::stdout() };
    let watch = Watch::start(plan.tell.line, None, console);
    let mut exit = Exit::Done;
    let result = match texts {
        Texts::Given(texts) => texts.iter().try_for_each(|text| entries.write(b"-", text)),
        Texts::Lines(path) => match lines(path, &watch) {
            Ok(list) => of_lines(path, list, &mut entries, console, &mut exit),
            Err(error) => {
                console.display = None;
                console.failure(&Error::io(path.as_os_str().as_bytes(), "open", error));
                return Exit::Failed;
            }
        },
    };
    if watch.progress.stopped() {
        exit = exit.max(Exit::Signal(watch.signals.ended_by().unwrap_or(2)));
    }
    let result = result.and_then(|()| if exit == Exit::Done { entries.finish() } else { Ok(()) });
    let name = entries.output.name();
    let finished =
        result.map_err(|error| Error::io(&name, "write", error)).and_then(|()| entries.output.finish());
    console.display = None;
    match finished {
        Ok(()) => exit,
        Err(error) => exit.max(cannot_write(&error, console)),
    }
}

fn lines(path: &Path, watch: &Watch) -> io::Result<NameList> {
    let input = if path == Path::new("-") {
        Input::stdin(&watch.progress)?
    } else {
        Input::open(path, &watch.progress)?
    };
    Ok(NameList::of(input, b'\n'))
}

fn of_lines(
    path: &Path,
    mut list: NameList,
    entries: &mut Entries<'_>,
    console: &mut Console,
    exit: &mut Exit,
) -> io::Result<()> {
    let name = path.as_os_str().as_bytes();
    let (mut number, mut returns) = (0u64, 0);
    let mut text = Vec::new();
    let failed = loop {
        match list.part(LINE, &mut text) {
            Ok(true) => {}
            Ok(false) => {
                if returns > 0 && entries.plan.tell.notes {
                    let lines = count(returns, "line ends", "lines end");
                    let name = display_safe(name);
                    console.note(&format!("{name}: {lines} in CR LF: the CR is hashed as part of the line"));
                }
                return Ok(());
            }
            Err(error) => break error,
        }
        number += 1;
        returns += u64::from(text.ends_with(b"\r"));
        entries.write(&[name, format!(":{number}").as_bytes()].concat(), &text)?;
    };
    if !Input::is_interruption(&failed) {
        console.failure(&Error::io(name, "read", failed));
        *exit = Exit::Failed;
    }
    Ok(())
}

/// Writes the digests of texts in the form that the plan specifies.
struct Entries<'a> {
    plan: &'a Hashing,
    /// `None` for templates and raw bytes.
    writer: Option<Writer<Vec<u8>>>,
    output: Output,
}

impl Entries<'_> {
    fn write(&mut self, name: &[u8], text: &[u8]) -> io::Result<()> {
        let digests = self.plan.specs.iter().map(|spec| (spec.clone(), spec.digest(text))).collect();
        let entry = Entry { path: name.to_vec(), size: Some(text.len() as u64), digests, ..Entry::default() };
        let mut lines = Vec::new();
        match (&self.plan.template, &mut self.writer) {
            (Some(template), _) => template.render(&entry, &mut lines),
            (None, Some(writer)) => {
                writer.write(&entry).map_err(failed)?;
                lines.append(writer.get_mut());
            }
            (None, None) => {
                entry.digests.iter().for_each(|(_, digest)| lines.extend_from_slice(digest.as_bytes()));
            }
        }
        self.output.write_entry(&lines, name)
    }

    /// Writes what follows the last entry.
    fn finish(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        self.output.write(&writer.finish().map_err(failed)?)
    }
}

fn failed(error: WriteError) -> io::Error {
    match error {
        WriteError::Io(error) => error,
        WriteError::Refused(why) => io::Error::other(why),
    }
}
