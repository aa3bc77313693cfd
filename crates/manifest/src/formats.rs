//! The formats: one file holds all there is to say of one, and its row.

pub(crate) mod bsd;
pub(crate) mod gnu;
pub(crate) mod jsonl;
mod mixed;
