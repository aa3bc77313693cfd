//! The built program as its users run it: options, bytes, messages, exit codes.

mod audit;
mod audited;
mod bags;
mod below;
mod beside;
#[path = "../shared/bytes.rs"]
mod bytes;
mod check;
mod convert;
mod digests;
mod directory;
mod exits;
mod find;
mod hash;
mod history;
mod identify;
mod keys;
mod layers;
mod locate;
mod memory;
mod names;
mod newcomer;
mod outputs;
mod owners;
mod pages;
mod peers;
mod program;
mod renamed;
mod scripts;
mod selection;
mod settings;
mod stores;
mod tables;
mod trouble;
mod update;
mod words;
