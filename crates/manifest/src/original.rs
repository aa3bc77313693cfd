//! Lines cut exactly as other programs cut them, for whoever must behave as those do. [`crate::Reader`] is stricter, and says why.

pub mod b3sum;
pub mod coreutils;
