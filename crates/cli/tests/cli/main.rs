//! The built program as its users run it: options, bytes, messages, exit codes.

mod audit;
mod check;
mod convert;
mod exits;
mod hash;
mod identify;
mod locate;
mod memory;
mod names;
mod pages;
mod program;
mod selection;
mod tables;
mod trouble;
mod update;
mod words;
