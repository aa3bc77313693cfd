//! File names: escaping in manifests, names that leave the root, and display on a terminal.
//!
//! A name is a sequence of bytes. Manifests escape it as GNU coreutils does. Terminals show it
//! quoted as in a shell, so that no name can move the cursor, hide text or look like another name.

use crate::scan;
use std::fmt;

/// Maximum length of a name in a manifest, in bytes. Even with escapes, such a name fits in a line.
pub const NAME_LIMIT: usize = 128 << 10;

/// Maximum length in bytes of a part of a name that a manifest has once for many files, because
/// each of these files gets a copy.
pub(crate) const FOLDER_LIMIT: usize = 4096;

/// Returns whether a line-based manifest must escape this name: it contains a backslash, LF or CR.
pub fn needs_escape(name: &[u8]) -> bool {
    scan::find(name, |byte| matches!(byte, b'\\' | b'\n' | b'\r')).is_some()
}

/// Appends the name with `\\`, `\n` and `\r` in place of backslash, LF and CR.
pub fn escape_into(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
}

/// Appends the name with `%0A`, `%0D` and `%25` in place of LF, CR and `%`, as in the manifests of bags
/// (RFC 8493, section 2.1.3).
pub fn percent_escape_into(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\n' => out.extend_from_slice(b"%0A"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'%' => out.extend_from_slice(b"%25"),
            _ => out.push(byte),
        }
    }
}

/// Reverses [`escape_into`]. Returns `None` if a backslash is not followed by `\`, `n` or `r`.
pub fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        name.push(match byte {
            b'\\' => match rest.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(name)
}

/// A reason why a name in a manifest must not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// The name is empty.
    Empty,
    /// The name contains a NUL byte, where the system would truncate it.
    Nul,
    /// The name is absolute.
    Absolute,
    /// The name leads out of the root with `..`.
    Parent,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameFault::Empty => "no file name",
            NameFault::Nul => "the name contains a NUL byte",
            NameFault::Absolute => "the name is absolute",
            NameFault::Parent => "the name leads out of the folder",
        })
    }
}

impl std::error::Error for NameFault {}

/// Checks that a name does not leave the folder that it is relative to, as far as the text shows.
///
/// `a/../b` is accepted. Symbolic links are not followed here; callers that open the file must
/// reject those that leave the folder.
///
/// # Errors
/// Returns the first reason that applies.
pub fn within_root(name: &[u8]) -> Result<(), NameFault> {
    if name.is_empty() {
        return Err(NameFault::Empty);
    }
    if name.contains(&0) {
        return Err(NameFault::Nul);
    }
    if name[0] == b'/' || (cfg!(windows) && is_windows_absolute(name)) {
        return Err(NameFault::Absolute);
    }
    let mut depth = 0usize;
    for component in name.split(|&byte| byte == b'/' || (cfg!(windows) && byte == b'\\')) {
        match component {
            b"" | b"." => {}
            b".." => depth = depth.checked_sub(1).ok_or(NameFault::Parent)?,
            _ => depth += 1,
        }
    }
    Ok(())
}

fn is_windows_absolute(name: &[u8]) -> bool {
    name[0] == b'\\' || name.get(1) == Some(&b':')
}

/// Returns other names that a manifest's name may mean, to be tried in this order if the name
/// itself does not exist: a manifest made on Windows has `sub\f` for `sub/f`. Each must pass
/// [`within_root`] like any other name.
pub fn alternatives(name: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    // A single backslash at the start means the folder of the list.
    let rest = match name {
        [b'\\', rest @ ..] if !rest.starts_with(b"\\") => rest,
        _ => name,
    };
    let slashed = name
        .contains(&b'\\')
        .then(|| rest.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect());
    slashed.into_iter()
}

/// The bytes that a terminal shows as characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// ASCII only, as under `LC_ALL=C`.
    Ascii,
    /// UTF-8.
    Utf8,
}

/// Returns the name in a form for messages: unchanged if all of its characters are visible and
/// harmless, otherwise as a shell word for the same bytes (`'a'$'\n''b'`).
///
/// Control characters, invalid UTF-8, and characters that have no width or change the direction of
/// text (Unicode's default-ignorable characters, including all bidi controls) are escaped. Two
/// names never have the same form.
pub fn display_safe(name: &[u8]) -> String {
    let shown = |c: char| !is_hidden(c);
    let plain = std::str::from_utf8(name).ok().filter(|text| {
        let edge = |c: Option<char>| c.is_none_or(|c| matches!(c, ' ' | '\'' | '"'));
        !edge(text.chars().next()) && !text.ends_with(' ') && text.chars().all(shown)
    });
    plain.map_or_else(|| quoted(name, Charset::Utf8, shown), str::to_owned)
}

/// Returns the name as messages of GNU programs show it: quoted if a shell requires it or if it
/// contains a colon.
pub fn quotef(name: &[u8], charset: Charset) -> String {
    shell_escape(name, charset, b":")
}

/// Returns the name as `printf %q` of GNU coreutils shows it. Names with bytes in `special` are
/// quoted too.
fn shell_escape(name: &[u8], charset: Charset, special: &[u8]) -> String {
    let shown = |c: char| is_printable(c);
    // True as long as double quotes may be used for a name with an apostrophe.
    let mut double = true;
    let mut needs = name.is_empty();
    let mut apostrophe = false;
    for (at, piece) in pieces(name, charset).enumerate() {
        let Piece::Char(c) = piece else {
            needs = true;
            double = false;
            continue;
        };
        let alone = at == 0 && c.len_utf8() == name.len();
        match c {
            '\'' => apostrophe = true,
            '#' | '~' if at == 0 => needs = true,
            '{' | '}' if alone => needs = true,
            '#' | '~' | '{' | '}' => double = false,
            ' ' => needs = true,
            '?' | '\\' | '!' | '"' | '$' | '&' | '(' | ')' | '*' | ';' | '<' | '=' | '>' | '[' | '^'
            | '`' | '|' => {
                needs = true;
                double = false;
            }
            c if shown(c) => {}
            _ => {
                needs = true;
                double = false;
            }
        }
        needs |= c.is_ascii() && special.contains(&(c as u8));
    }
    if apostrophe && double {
        // Nothing in the text has a special meaning between double quotes.
        return format!("\"{}\"", String::from_utf8_lossy(name));
    }
    if needs || apostrophe {
        quoted(name, charset, shown)
    } else {
        String::from_utf8_lossy(name).into_owned()
    }
}

/// A character of a name, or a byte that is not part of a character.
enum Piece {
    Char(char),
    Byte(u8),
}

fn pieces(name: &[u8], charset: Charset) -> impl Iterator<Item = Piece> {
    name.utf8_chunks().flat_map(move |chunk| {
        let chars = chunk.valid().chars().flat_map(move |c| {
            let mut bytes = [0; 4];
            let len = c.encode_utf8(&mut bytes).len();
            let whole = charset == Charset::Utf8 || c.is_ascii();
            let split = bytes.into_iter().take(if whole { 0 } else { len }).map(Piece::Byte);
            whole.then_some(Piece::Char(c)).into_iter().chain(split)
        });
        chars.chain(chunk.invalid().iter().copied().map(Piece::Byte))
    })
}

/// Returns the name in single quotes, with characters that are not `shown` in `$'...'`.
fn quoted(name: &[u8], charset: Charset, shown: impl Fn(char) -> bool) -> String {
    let mut out = String::from("'");
    // True inside `$'...'`.
    let mut escaping = false;
    let escape = |out: &mut String, escaping: &mut bool, text: &[char]| {
        if !*escaping {
            out.push_str("'$'");
        }
        *escaping = true;
        out.extend(text);
    };
    for piece in pieces(name, charset) {
        let (c, mut bytes) = match piece {
            Piece::Char('\'') => {
                out.push_str("'\\''");
                escaping = false;
                continue;
            }
            Piece::Char(c) if shown(c) => {
                if escaping {
                    out.push_str("''");
                }
                escaping = false;
                out.push(c);
                continue;
            }
            Piece::Char(c) => (Some(c), [0; 4]),
            Piece::Byte(byte) => (None, [byte, 0, 0, 0]),
        };
        let short = match c {
            Some('\x07') => 'a',
            Some('\x08') => 'b',
            Some('\t') => 't',
            Some('\n') => 'n',
            Some('\x0b') => 'v',
            Some('\x0c') => 'f',
            Some('\r') => 'r',
            _ => '\0',
        };
        if short != '\0' {
            escape(&mut out, &mut escaping, &['\\', short]);
            continue;
        }
        let len = c.map_or(1, |c| c.encode_utf8(&mut bytes).len());
        for byte in &bytes[..len] {
            let octal = [b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)];
            escape(&mut out, &mut escaping, &octal.map(char::from));
        }
    }
    out.push('\'');
    out
}

/// Returns whether a terminal shows nothing for this character or acts on it: control characters,
/// line and paragraph separators, and Unicode's Default_Ignorable_Code_Point (zero width, bidi,
/// tags, variation selectors, fillers).
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether the C library's `iswprint` is true for this character in a UTF-8 locale: it is
/// assigned, and neither a control character nor a line separator. Rust's own table of printable
/// characters also excludes format, private-use and space characters.
fn is_printable(c: char) -> bool {
    // `escape_debug` escapes a combining mark only at the start of a text.
    let in_rust = || {
        let mut text = *b"x\0\0\0\0";
        let len = 1 + c.encode_utf8(&mut text[1..]).len();
        std::str::from_utf8(&text[..len]).is_ok_and(|text| text.escape_debug().last() == Some(c))
    };
    match c {
        ' '..='~' => true,
        '\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            true
        }
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' => true,
        '\u{600}'..='\u{605}'
        | '\u{61c}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8e2}'
        | '\u{180e}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}' => {
            true
        }
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => true,
        '\u{2028}' | '\u{2029}' => false,
        c if c.is_control() => false,
        _ => in_rust(),
    }
}
