//! Lists of the pieces of a single file that do not contain its name, which is specified by the
//! caller or derived from the name of the list.

use crate::entry::PieceList;
use crate::formats::prelude::*;
use crate::records::refused;

/// Maximum size of such a list in bytes.
pub(super) const LIMIT: usize = 256 << 20;

/// Formats without a magic number, whose first bytes may look like another text encoding.
pub(crate) const UNMARKED: &[&str] = &["obao", "obao4", "fsverity-tree"];

/// The properties that all of these formats share.
pub(super) const ROW: Format = Format {
    capabilities: Capabilities { size: true, locates: true, ..Capabilities::DIGESTS },
    ..Format::DEFAULT
};

/// Returns the name of the file: the list's own name without its extension, or the name specified
/// by the caller.
///
/// # Errors
/// Neither name is available.
pub(super) fn name(options: &Options, endings: &[&str]) -> Result<Vec<u8>, LineError> {
    let own = options.file_name.as_deref().unwrap_or_default();
    let own = own.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let stripped = endings.iter().find_map(|ending| {
        let at = own.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
        own[at..].eq_ignore_ascii_case(ending.as_bytes()).then(|| own[..at].to_vec())
    });
    let name = stripped.or_else(|| options.subject.clone());
    name.ok_or(refused(0, "neither the list nor its name specifies the file that the list describes; to specify the file: truesum check --locate LIST FILE"))
}

/// Returns the list's only entry.
pub(super) fn only(path: Vec<u8>, size: Option<u64>, pieces: Vec<PieceList>) -> Parts {
    let entry = Entry { path, size, pieces, ..Entry::default() };
    Box::new(std::iter::once(Ok(Line { at: Place::Byte(0), entry })))
}

/// Reads eight bytes at `at` as a little-endian integer. Returns `None` beyond the end.
pub(super) fn le64(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(text.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Reads four bytes at `at` as a little-endian integer. Returns `None` beyond the end.
pub(super) fn le32(text: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(text.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
