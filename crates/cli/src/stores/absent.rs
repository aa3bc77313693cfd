//! The program without object stores: where to get one that has them.

use crate::exit::Refusal;
use truesum::manifest::path::display_safe;

/// Says how to get what reads this URL.
pub fn refusal(url: &str) -> Refusal {
    let url = display_safe(url.as_bytes());
    let hint = "cargo install --locked --path crates/stores, in the source, builds one that does";
    Refusal::with_hint(format!("{url}: this program reads no object stores"), hint)
}
