//! The replacement for a standard stream that was closed when the program was started.

use rustix::fs::{Mode, OFlags};
use std::os::fd::{OwnedFd, RawFd};

/// Opens `/dev/null` in the direction in which the stream is not used, so that using it fails with `EBADF`.
pub fn open(stream: RawFd) -> rustix::io::Result<OwnedFd> {
    let direction = if stream == 0 { OFlags::WRONLY } else { OFlags::RDONLY };
    rustix::fs::open(c"/dev/null", direction, Mode::empty())
}
