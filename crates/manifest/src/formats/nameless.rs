//! Lists of one file's pieces that do not name it: what it is called is told by whoever checks it, or by the list's own name.

use crate::entry::{Entry, PieceList};
use crate::format::{Format, Holds, Options, Parts, Reading, Writing};
use crate::line::{Line, LineError, Place};
use crate::records::refused;

/// Most bytes of such a list.
pub(super) const LIMIT: usize = 256 << 20;

/// Those that begin with no mark, and so with bytes that may look like another encoding's.
pub(crate) const UNMARKED: &[&str] = &["obao", "obao4", "fsverity-tree"];

/// What is the same for all of them.
pub(super) const ROW: Format = Format {
    name: "",
    file_names: &[],
    summary: "",
    holds: Holds { size: true, locates: true, ..Holds::DIGESTS },
    sniff: |_| None,
    reading: Reading::Document { limit: LIMIT, parse: |_, _| Err(refused(0, "not a piece list")) },
    writing: Writing::No,
    tagged: None,
};

/// The name of the file: the list's own without its ending, or the one told.
///
/// # Errors
/// Neither is there.
pub(super) fn name(options: &Options, endings: &[&str]) -> Result<Vec<u8>, LineError> {
    let own = options.file_name.as_deref().unwrap_or_default();
    let own = own.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let stripped = endings.iter().find_map(|ending| {
        let at = own.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
        own[at..].eq_ignore_ascii_case(ending.as_bytes()).then(|| own[..at].to_vec())
    });
    let told = stripped.or_else(|| options.subject.clone());
    told.ok_or(refused(0, "neither it nor its name shows which file it is for; use --locate LIST FILE"))
}

/// The only entry of a list.
pub(super) fn only(path: Vec<u8>, size: Option<u64>, pieces: Vec<PieceList>) -> Parts {
    let entry = Entry { path, size, pieces, ..Entry::default() };
    Box::new(std::iter::once(Ok(Line { at: Place::Byte(0), entry })))
}

/// The eight bytes at `at`, the lowest first.
pub(super) fn le64(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(text.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// The four bytes at `at`, the lowest first.
pub(super) fn le32(text: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(text.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
