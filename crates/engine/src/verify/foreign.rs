//! Files given as manifests that are not manifests. They are recognized by their first bytes, before a million lines
//! are reported as malformed.
//!
//! Only files that match no format are rejected, and only for properties that text does not have: a NUL byte, many
//! control characters, or HTML.

use crate::error::{Cause, Error};
use crate::io::input::Input;
use crate::verify::containers::bag;
use crate::verify::options::ReadOptions;
use std::io::{self, Cursor, Read};
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_manifest::{Head, detect};

/// The description of anything that is not text.
const BINARY: &str = "binary data";
/// The description of an OpenPGP message, which may contain a list that only OpenPGP programs can
/// read.
const MESSAGE: &str = "an OpenPGP message; use gpg -d to extract its contents";
/// The descriptions of UTF-16 text without a byte order mark. Files written by PowerShell's
/// `Out-File` and by Windows editors have one, and are read.
const UTF16LE: &str = "UTF-16 without a byte order mark; use iconv -f UTF-16LE -t UTF-8 to convert it";
const UTF16BE: &str = "UTF-16 without a byte order mark; use iconv -f UTF-16BE -t UTF-8 to convert it";
/// The maximum number of bytes that are examined; fewer if the first read returns fewer.
const HEAD: usize = 16 << 10;

/// Returns a description of the file if it is not a manifest. A list of pieces may begin with any
/// bytes and be recognized only by its name.
fn foreign(head: &[u8], name: Option<&[u8]>) -> Option<&'static str> {
    if detect(Head::new(b"", true), name).is_some_and(|row| row.capabilities().locates()) {
        return None;
    }
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if is_utf16 || detect(Head::new(head, false), None).is_some() {
        return None;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word));
    // All control characters except those that occur in text: blanks, ends of lines, pages and
    // files, colors.
    let controls = || {
        head.iter()
            .filter(|byte| byte.is_ascii_control() && !b"\t\n\x0b\x0c\r\x1a\x1b".contains(byte))
            .count()
    };
    // Text may contain a few control characters by mistake, and long text a few more.
    let few = head.len().min(16) / 4 + head.len() / 32;
    match () {
        () if begins(b"<!doctype html") || begins(b"<html") => Some("an HTML page"),
        () if is_message(head, name) => Some(MESSAGE),
        () if is_ascii_in(head, 0) => Some(UTF16LE),
        () if is_ascii_in(head, 1) => Some(UTF16BE),
        () if head.contains(&0) || controls() > few => Some(BINARY),
        () => None,
    }
}

/// Returns whether each pair of the first bytes has an ASCII character at this index and a zero
/// byte at the other.
fn is_ascii_in(head: &[u8], place: usize) -> bool {
    let first = &head[..head.len().min(64) & !1];
    let is_pair = |pair: &[u8]| matches!(pair[place], 9..=13 | b' '..=b'~') && pair[1 - place] == 0;
    !first.is_empty() && first.chunks(2).all(is_pair)
}

/// Returns whether a file is named like the output of OpenPGP programs and begins with one of their
/// packets (RFC 9580, section 5): a session key, a one-pass signature, or compressed, literal or
/// encrypted data, with lengths in the old or the new format.
fn is_message(head: &[u8], name: Option<&[u8]>) -> bool {
    let called = |name: &[u8]| [&b".gpg"[..], b".pgp", b".sig"].iter().any(|end| name.ends_with(end));
    let begins = matches!(
        head.first(),
        Some(
            0x84..=0x86
            | 0x8c..=0x8e
            | 0x90
            | 0xa0..=0xa3
            | 0xac..=0xae
            | 0xc1
            | 0xc3
            | 0xc4
            | 0xc8
            | 0xcb
            | 0xd2,
        )
    );
    begins && name.is_some_and(called)
}

/// Returns the reader of a manifest at its beginning. Only the name `hint` can show that it is a list of pieces.
///
/// # Errors
/// Fails if it cannot be read, if the run was stopped ([`Cause::Interrupted`]), or if the content is not that of a
/// manifest and the user did not specify its format.
pub(crate) fn manifest_reader<R: Read>(
    reader: R,
    manifest: &Path,
    hint: Option<&[u8]>,
    options: &ReadOptions,
) -> Result<impl Read + use<R>, Error> {
    let bytes = manifest.as_os_str().as_bytes();
    let reader = bag::charset_of(manifest)?.reader(reader);
    match look(reader, hint) {
        Ok((_, Some(what))) if options.format.is_none() => {
            Err(Error::new(bytes, "read as a manifest", Cause::NoManifest(what)))
        }
        Ok((reader, _)) => Ok(reader),
        Err(error) if Input::is_interruption(&error) => Err(Error::interrupted(bytes)),
        Err(error) => Err(Error::io(bytes, "read", error)),
    }
}

/// Returns the same reader at its beginning, and what it contains if that is not a manifest.
fn look<R: Read>(
    mut reader: R,
    name: Option<&[u8]>,
) -> io::Result<(impl Read + use<R>, Option<&'static str>)> {
    let mut head = vec![0; HEAD];
    let count = loop {
        match reader.read(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => break result?,
        }
    };
    head.truncate(count);
    let what = foreign(&head, name);
    Ok((Cursor::new(head).chain(reader), what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openpgp_messages_are_recognized() {
        for (head, name, what) in [
            (&b"\x90\x0d\x03\x00\x08"[..], "SHA256SUMS.gpg", MESSAGE),
            (b"\xa3\x01\x78\x9c\0", "SHA256SUMS.sig", MESSAGE),
            (b"\x85\x01\x0c\x03\0", "SHA256SUMS.gpg", MESSAGE),
            (b"\x90\x0d\x03\x00\x08", "SHA256SUMS", BINARY),
            (b"\x7fELF\x02\x01\x01\0", "SHA256SUMS.gpg", BINARY),
        ] {
            assert_eq!(foreign(head, Some(name.as_bytes())), Some(what), "{name}");
        }
    }

    #[test]
    fn only_input_that_no_format_claims_is_foreign() {
        const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
        let page = "\u{feff}\n <!DOCTYPE HTML><title>404</title>".as_bytes();
        let lines = format!("{MD5}  a\n{MD5}  b\n");
        let utf16: Vec<u8> = format!("\u{feff}{lines}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (head, what) in [
            (page, Some("an HTML page")),
            (b"\x7fELF\x02\x01\x01\0\0\0", Some("binary data")),
            (b"", None),
            (b"# nothing\n", None),
            (b"\x8e\x02\x91\n\x1f\xf0\x07\n\xd2 z\x13\xee", Some("binary data")),
            (b"\x1b[1mhello\x1b[0m\x07 or what was meant to be one line\n", None),
            (b"hello\n", None),
            (lines.as_bytes(), None),
            (lines.replace('\n', "\0").as_bytes(), None),
            (format!("{lines}\0\0").as_bytes(), None),
            (&utf16, None),
            (&utf16[2..], Some(UTF16LE)),
            (&utf16[3..utf16.len() - 1], Some(UTF16BE)),
        ] {
            let (mut reader, found) = look(head, Some(b"SHA256SUMS")).unwrap();
            assert_eq!(found, what, "{}", head.escape_ascii());
            let mut whole = Vec::new();
            reader.read_to_end(&mut whole).unwrap();
            assert_eq!(whole, head);
        }
    }
}
