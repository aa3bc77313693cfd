//! Lines of a Windows console around the output of a program: prompts, and the banners of `cmd.exe` and PowerShell.

use super::prelude::*;
use crate::digest::contains_like;

/// Returns true for a path that begins with a drive.
pub(super) fn is_of_drive(path: &[u8]) -> bool {
    matches!(path, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

/// Returns true for an absolute path on Windows, or on another system that PowerShell supports.
pub(super) fn is_absolute(path: &[u8]) -> bool {
    is_of_drive(path) || path.starts_with(b"\\\\") || path.starts_with(b"/")
}

/// Returns true for a blank line, a prompt with any command, or a line of a banner. A line with a digest is none of
/// these.
pub(super) fn is_console(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || (is_prompt(line) || is_banner(line)) && !contains_like(line)
}

/// Returns true for a prompt, such as `C:\d>` or `PS C:\d>`, and the command after it. No name on Windows contains `>`.
fn is_prompt(line: &[u8]) -> bool {
    let folder = line.strip_prefix(b"PS ").filter(|folder| is_absolute(folder));
    let folder = folder.or_else(|| is_of_drive(line).then_some(line));
    folder.is_some_and(|folder| scan::find_byte(folder, b'>').is_some())
}

/// Returns true for a line that `cmd.exe` or PowerShell prints when it starts.
fn is_banner(line: &[u8]) -> bool {
    let version = line.strip_prefix(b"PowerShell ").unwrap_or_default();
    let is_version = !version.is_empty() && scan::all(version, |byte| byte.is_ascii_digit() || byte == b'.');
    let is_copyright =
        [&b"(c) "[..], b"Copyright (C) ", b"Copyright (c) "].iter().any(|begin| line.starts_with(begin))
            && scan::contains(line, b"Microsoft Corporation");
    let is_advice =
        [&b"https://aka.ms/ps"[..], b"https://aka.ms/PS"].iter().any(|url| scan::contains(line, url));
    line == b"Windows PowerShell"
        || is_version
        || is_copyright
        || is_advice
        || line.starts_with(b"Microsoft Windows [") && line.ends_with(b"]")
}

/// Returns the line without the colors of a terminal, which PowerShell writes around headers and labels.
pub(super) fn without_colors(line: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(line.len()), line);
    while let Some(at) = scan::find_byte(rest, 0x1b) {
        let code = &rest[at + 1..];
        let end = scan::find(code, |byte| !(byte.is_ascii_digit() || matches!(byte, b'[' | b';')));
        let len = end.filter(|&end| code[0] == b'[' && code[end] == b'm').map_or(0, |end| end + 2);
        plain.extend_from_slice(&rest[..at]);
        if len == 0 {
            plain.push(0x1b);
        }
        rest = &rest[at + len.max(1)..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// The folder of the first path with a drive, to which other paths are relative: `Get-FileHash` always writes complete
/// paths.
#[derive(Default)]
pub(super) struct Drive {
    folder: Option<Vec<u8>>,
}

impl Drive {
    /// Returns a path relative to the folder. Paths outside of it are unchanged.
    pub(super) fn relative(&mut self, path: &[u8]) -> Vec<u8> {
        if !is_of_drive(path) {
            return path.to_vec();
        }
        let end = scan::rfind(path, |byte| byte == b'\\').map_or(0, |at| at + 1);
        if self.folder.is_none() && end <= crate::path::FOLDER_LIMIT {
            self.folder = Some(path[..end].to_vec());
        }
        let inside = self.folder.as_ref().and_then(|folder| path.strip_prefix(folder.as_slice()));
        inside.filter(|name| !name.is_empty()).unwrap_or(path).to_vec()
    }
}
