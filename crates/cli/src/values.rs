//! Parsers for option values, independent of other options.

pub mod color;
pub mod digest;
pub mod path;
pub mod similar;
pub mod size;
pub mod table;
pub mod threads;
pub mod when;
