//! Integration tests of the benchmark, in one program so that linking happens once.

mod arguments;
mod browser;
mod comparing;
mod golden;
