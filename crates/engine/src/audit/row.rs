//! What is to be told of one file, by its places in both sets, until it is told.

use crate::audit::standing::Standing;

/// What is to be told of one file: its index on either side, and that of the file with its content.
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
