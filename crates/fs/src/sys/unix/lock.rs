//! Advisory locks (flock(2)).

use crate::sys::errno::Errno;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;

/// Locks an open file without waiting. The error is [`Errno::AGAIN`] if another process has locked it.
pub fn try_lock(file: &File) -> Result<(), Errno> {
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}
