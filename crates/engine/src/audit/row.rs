//! The result for one file, stored as positions in both sets until it is reported.

use crate::audit::standing::Standing;

/// The result for one file: its index on either side, and that of the file with the same content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub standing: Standing,
    pub at: [u32; 2],
    pub from: Option<(usize, u32)>,
}

impl Row {
    pub(crate) fn of(standing: Standing, listed: u32, found: u32) -> Row {
        Row { standing, at: [listed, found], from: None }
    }
}
