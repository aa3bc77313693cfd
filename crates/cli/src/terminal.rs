//! Makes output safe for terminals. Every stream passes its bytes through [`shown`], so that no
//! file name, manifest or argument can move the cursor, hide text or reorder it. Files and pipes
//! receive every byte unchanged.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use truesum::manifest::path::display_safe;
use truesum_fs::standard::stderr;
use truesum_fs::{Errno, data};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The escape sequences that may reach the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// None.
    None,
    /// Colors (SGR), for text whose names have already been escaped.
    Colors,
}

/// Returns the bytes to write to this stream for a text: the text itself, or its [`visible`] form
/// if the stream is a terminal.
pub fn shown<'t>(stream: &impl IsTerminal, text: &'t [u8], escapes: Escapes) -> Cow<'t, [u8]> {
    if stream.is_terminal() { visible(text, escapes) } else { text.into() }
}

/// Whether anything could not be written to standard error.
static LOST: AtomicBool = AtomicBool::new(false);

/// Returns whether a message could not be written.
pub fn lost_messages() -> bool {
    LOST.load(Relaxed)
}

/// Writes to standard error. There is nowhere left to report a failure, which is recorded for [`lost_messages`].
pub fn write_error(text: &[u8], escapes: Escapes) {
    without_progress(|| write_message(text, escapes));
}

fn write_message(text: &[u8], escapes: Escapes) {
    // Messages of several threads do not mix.
    let _lock = std::io::stderr().lock();
    let stderr = stderr();
    let text = shown(&*stderr, text, escapes);
    let mut text = &*text;
    while !text.is_empty() {
        // Rust's own stream treats writes to a closed descriptor as successful.
        match data::write(&stderr, text) {
            Err(Errno::INTR) => {}
            Ok(written) if written > 0 => text = &text[written..],
            Ok(_) | Err(_) => return LOST.store(true, Relaxed),
        }
    }
}

/// The progress line that is on the terminal; empty if there is none.
static PROGRESS: Mutex<String> = Mutex::new(String::new());

/// Replaces the progress line. It has no control characters, and may be empty.
pub fn set_progress(line: String) {
    let mut shown = PROGRESS.lock().unwrap_or_else(PoisonError::into_inner);
    if *shown != line {
        replace_line(&shown, &line);
        *shown = line;
    }
}

/// Runs `write`, which writes to the terminal, while the progress line is removed. Everything that
/// writes to a terminal calls this; calls cannot be nested.
pub fn without_progress<T>(write: impl FnOnce() -> T) -> T {
    let shown = PROGRESS.lock().unwrap_or_else(PoisonError::into_inner);
    if shown.is_empty() {
        return write();
    }
    replace_line(&shown, "");
    let written = write();
    replace_line("", &shown);
    written
}

/// Returns the number of columns that a text occupies at most: terminals differ in whether they
/// combine several characters into one symbol.
pub fn columns(text: &str) -> usize {
    text.width().max(text.chars().filter_map(|char| char.width()).sum())
}

/// Writes `line` over the line `previous`. A carriage return and blanks work on every terminal.
/// Failures are ignored, because progress is not a message.
fn replace_line(previous: &str, line: &str) {
    let rest = columns(previous).saturating_sub(columns(line));
    let end = if line.is_empty() { "\r" } else { "" };
    let _ = std::io::stderr().write_all(format!("\r{line}{:rest$}{end}", "").as_bytes());
}

/// Prints the message of an argument parser. Help is printed unchanged; errors, which quote words
/// of the command line, are escaped.
pub fn print_parser(error: &clap::Error) {
    let text = error.render().to_string();
    match visible(text.as_bytes(), Escapes::None) {
        safe if error.use_stderr() && *safe != *text.as_bytes() => {
            write_error(text.as_bytes(), Escapes::None)
        }
        _ => drop(error.print()),
    }
}

/// Returns the text with every invisible character escaped, except for line ends, tabs and
/// permitted escape sequences. CR LF becomes LF.
pub fn visible(text: &[u8], escapes: Escapes) -> Cow<'_, [u8]> {
    if text.iter().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match c {
                '\n' | '\t' | ' '..='~' => out.push(c),
                '\r' if rest[1..].starts_with('\n') => {}
                '\u{1b}' if escapes == Escapes::Colors && color(rest).is_some() => {
                    let sequence = color(rest).unwrap_or_default();
                    out.push_str(sequence);
                    length = sequence.len();
                }
                c if c >= '\u{80}' && display_safe(&rest.as_bytes()[..length]) == rest[..length] => {
                    out.push(c)
                }
                c => out.extend(c.escape_default()),
            }
            rest = &rest[length..];
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out.into_bytes().into()
}

/// Returns the color sequence at the beginning of the text, if there is one.
fn color(text: &str) -> Option<&str> {
    let end = text.find('m')?;
    let parameters = text[..end].strip_prefix("\u{1b}[")?;
    parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';')).then(|| &text[..=end])
}

/// Returns a text in which the name of this entry takes one line: line ends within the name are
/// escaped where a format or template writes names unchanged.
pub fn on_one_line<'t>(text: &'t [u8], name: &[u8]) -> Cow<'t, [u8]> {
    let mut text = Cow::Borrowed(text);
    for part in name.split(|&byte| byte == b'/').filter(|part| part.contains(&b'\n')) {
        let mut replaced = Vec::with_capacity(text.len());
        let mut rest = &text[..];
        while let Some(at) = rest.windows(part.len()).position(|window| window == part) {
            replaced.extend_from_slice(&rest[..at]);
            replaced.extend(part.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\\n"[..]));
            rest = &rest[at + part.len()..];
        }
        replaced.extend_from_slice(rest);
        text = replaced.into();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &[u8], escapes: Escapes) -> String {
        String::from_utf8(visible(text, escapes).into_owned()).unwrap()
    }

    #[test]
    fn escape_sequences_are_not_sent_to_the_terminal() {
        for (text, expected) in [
            ("00  e\u{1b}[2Jé\u{202e}x\r\n".as_bytes(), "00  e\\u{1b}[2Jé\\u{202e}x\n"),
            (b"a\tb\rc\x07\x7f\n", "a\tb\\rc\\u{7}\\u{7f}\n"),
            (b"\x9b31m\xff\xc2\x9b", "\\x9b31m\\xff\\u{9b}"),
            (b"\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ] {
            assert_eq!(escaped(text, Escapes::None), expected);
        }
        assert_eq!(
            escaped(b"\x1b[1;31mred\x1b[0m\x1b[2J", Escapes::Colors),
            "\u{1b}[1;31mred\u{1b}[0m\\u{1b}[2J"
        );
    }

    #[test]
    fn name_is_escaped_to_one_line() {
        let seen = on_one_line(b"\"d/a\nb\",1\nb a\nb\n", b"d/a\nb");
        assert_eq!(seen, &b"\"d/a\\nb\",1\nb a\\nb\n"[..]);
    }
}
