//! The program without object stores, which explains how to get a build with them.

use crate::exit::Refusal;
use truesum::manifest::path::display_safe;

/// Returns the explanation for this URL.
pub fn refusal(url: &str) -> Refusal {
    let url = display_safe(url.as_bytes());
    let hint = "to build one from source: cargo install --locked --path crates/stores";
    Refusal::with_hint(format!("{url}: this build cannot read object stores"), hint)
}
