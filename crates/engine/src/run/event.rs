//! Results sent by workers.

use crate::job::Outcome;
use crate::task::Notice;

/// Something for the sink.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all events are outcomes, and boxing each of them would cost an allocation"
)]
pub(crate) enum WorkerEvent {
    Outcome(Outcome),
    Notice(Notice),
}

/// Events in the order in which a worker produced them, with their position in the order of tasks.
pub(crate) type Batch = Vec<(u64, WorkerEvent)>;
