//! Names resolved within limits: how they are opened, and where they may lead.

pub use crate::sys::access::{Confinement, OpenMode};
pub use crate::sys::resolve::PATH_MAX;
