//! The built program as its users run it: options, bytes, messages, exit codes.

mod audit;
mod check;
mod convert;
mod digests;
mod exits;
mod hash;
mod identify;
mod keys;
mod locate;
mod memory;
mod names;
mod program;
mod tables;
mod trouble;
mod update;
mod words;
