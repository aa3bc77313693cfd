//! `truesum shard` as its users and schedulers call it.

#[path = "../shared/bytes.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod bytes;
#[path = "../cli/program.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod program;
#[path = "../shared/strace.rs"]
mod strace;

mod arrays;
mod identical;
mod killed;
mod said;
