//! Integration tests of the engine, in one program so that linking happens once.
//!
//! Three remain separate programs: `memory` measures the peak of its whole process, `mapping` replaces the process's
//! SIGBUS handler, and `shutdown` compiles two files of the engine with the locks of a model checker.

mod apk;
// Its cases include symbolic links.
#[cfg(unix)]
mod bag;
mod examples;
mod iso;
mod manifests;
mod object_store;
mod paths;
mod piece_lists;
mod piece_verdicts;
mod run;
// Its names contain line feeds, which Windows does not allow.
#[cfg(unix)]
mod shard;
mod tree;
mod verify;
