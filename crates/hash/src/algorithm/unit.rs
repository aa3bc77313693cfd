//! The possible sizes of leaves or parts of a composite digest.

use crate::size::Size;

/// The size of leaves or parts: a parameter of the digest, which is part of its name unless it has the default value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The key in names: `leaf` or `part`.
    pub(crate) key: &'static str,
    pub(crate) usual: u64,
    pub(crate) smallest: u64,
    pub(crate) largest: u64,
    pub(crate) power_of_two: bool,
}

impl Unit {
    /// The default if the size depends on the message length.
    pub const BY_SIZE: u64 = 0;

    /// Returns a size that is fixed by the definition.
    pub const fn fixed(size: u64) -> Unit {
        Unit { key: "", usual: size, smallest: size, largest: size, power_of_two: false }
    }

    /// Parses the size in a name: bytes or binary units, without a blank or a decimal point, so that a name has only
    /// one interpretation (`5MB` is ambiguous).
    pub fn read(text: &str) -> Option<u64> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let binary =
            text.ends_with(|c: char| c.is_ascii_digit()) || text.to_ascii_lowercase().ends_with("ib");
        text.parse().ok().filter(|_| plain && binary).map(|Size(bytes)| bytes)
    }

    /// Returns whether a digest can have this size.
    pub fn allows(&self, size: u64) -> bool {
        (self.smallest..=self.largest).contains(&size) && (!self.power_of_two || size.is_power_of_two())
    }
}
