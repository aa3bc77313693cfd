//! The result for one file, stored as positions in both sets until it is reported.

use crate::audit::status::FileStatus;

/// The result for one file: its index on either side, and that of the file with the same content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) status: FileStatus,
    pub(crate) at: [u32; 2],
    pub(crate) from: Option<(usize, u32)>,
    /// Whether a moved file may not be the one in the manifest: another file is as likely, or it was there before.
    pub(crate) doubtful: bool,
    /// The number of files that are equally likely to be the other name of a moved file.
    pub(crate) candidates: u32,
}

impl Row {
    pub(crate) fn of(status: FileStatus, listed: u32, found: u32) -> Row {
        Row { status, at: [listed, found], from: None, doubtful: false, candidates: 1 }
    }
}
