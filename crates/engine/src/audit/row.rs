//! What is to be told of one file, by its places in both sets, until it is told.

use crate::audit::standing::Standing;
use truesum_manifest::Time;

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

/// Whether two times are the same as far as both say: many manifests have whole seconds.
pub(crate) fn same_time(one: Time, other: Time) -> bool {
    one.seconds == other.seconds && (one.nanos == other.nanos || one.nanos == 0 || other.nanos == 0)
}
