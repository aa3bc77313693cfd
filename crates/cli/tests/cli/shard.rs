//! `truesum shard` as its users and schedulers call it.

mod arrays;
mod identical;
mod killed;
mod messages;
