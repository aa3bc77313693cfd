//! The cost of a command.

use std::process::ExitStatus;

readable! {
    /// The cost of a command that has ended.
    #[derive(Clone, Debug)]
    pub struct Usage {
        /// The exit status of the process.
        status: ExitStatus,
        /// Wall time in seconds.
        seconds: f64,
        /// Processor time in seconds: of the process and the children it waited for; on Windows, of all its descendants
        /// that have ended.
        processor: f64,
        /// Resident memory in bytes: of the largest of these processes; on Windows, of the process itself. `None` if the
        /// system does not report it, or if it is indistinguishable from that of this program, which a child inherits on
        /// Linux.
        peak_memory: Option<u64>,
    }
}
