//! What Linux, macOS and FreeBSD have in common.

pub mod attributes;
pub mod codes;
pub mod console;
pub mod data;
pub mod folder;
pub mod limits;
pub mod lock;
pub mod machine;
pub mod mounts;
pub mod name;
pub mod open;
#[cfg(any(test, truesum_fs = "portable", not(target_os = "linux")))]
pub mod parent;
pub mod process;
pub mod replace;
pub mod resolve;
#[cfg(feature = "signals")]
pub mod signals;
pub mod standard;
pub mod stat;
pub mod temporary;
#[cfg(test)]
mod tests;
pub mod usage;
pub mod wait;
pub mod waits;
pub mod xattr;
