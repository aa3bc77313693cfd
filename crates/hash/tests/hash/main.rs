//! Integration tests of the hash crate, in one program so that linking happens once.

mod attacks;
mod conformance;
mod crc;
mod definitions;
#[cfg(target_arch = "x86_64")]
mod disassembly;
mod independent;
mod input;
mod keyed;
mod long;
mod oracle;
mod oracles;
mod serial;
mod slices;
mod tree_vectors;
mod vectors;
