//! Integration tests of the benchmark, in one program so that they are linked once.

mod arguments;
mod browser;
mod comparing;
mod golden;
