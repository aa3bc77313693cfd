//! Runs before `main` and Rust's runtime, which would replace closed standard streams.
#![allow(unsafe_code)]

use truesum_fs::standard::open_closed_streams;

/// Called by the loader.
//
// SAFETY: the section contains pointers to functions with the C calling convention, which the
// loader calls once each on the only thread, as `open_closed_streams` requires.
#[used]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_os = "macos"), unsafe(link_section = ".init_array"))]
static OPEN_CLOSED_STREAMS: extern "C" fn() = open_closed_streams;
