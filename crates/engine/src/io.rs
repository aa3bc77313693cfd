//! Reads files into hashers, on one thread or ahead of several. Everything that makes system calls is in `truesum-fs`.

pub(crate) mod ahead;
pub(crate) mod sequential;
pub(crate) mod source;
pub(crate) mod state;

pub(crate) use truesum_fs::{
    anchor, device, file_id, input, lock, mapped, mapping, memory_limit, open, quiescence, read, rename,
    resolve, system, temporary, version, waits, write,
};
