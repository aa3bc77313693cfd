//! Values of options, parsed: what a word of the command line means by itself.

pub mod color;
pub mod digest;
pub mod path;
pub mod size;
pub mod table;
pub mod threads;
