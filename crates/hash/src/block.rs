//! Algorithms that are chains of blocks: the chain, the kernel rows that compute it, the state of a message, and the
//! scheduler that runs many messages at once.

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod ahead;
mod chain;
pub(crate) mod cpu;
mod padding;
mod partial_block;
pub(crate) mod row;
mod schedule;
mod stream;
mod striped;

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use ahead::{ScheduleAhead, Work, ahead};
pub(crate) use chain::{Chain, MAX_BLOCK, MAX_WORDS, State, Tail, state};
pub(crate) use padding::{
    add_words, output_be32, output_be64, output_le32, output_le64, pad_be64, pad_be128, pad_le64, pad_tiger,
    put_words, words,
};
pub(crate) use partial_block::PartialBlock;
#[cfg(test)]
pub(crate) use row::Advance;
pub(crate) use row::{Code, kernels, portable};
pub use row::{Kernel, Runnable, forced, pick};
pub(crate) use schedule::{Message, run};
pub(crate) use stream::{Stream, finish_streams, update_streams};
pub(crate) use striped::update_striped;
