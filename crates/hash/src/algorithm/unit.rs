//! Which sizes the leaves or parts of a composite digest may have.

use crate::size::Size;

/// The size of leaves or parts: a parameter of the digest, part of its name where it is not the usual one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The key in names: `leaf`, `part`.
    pub key: &'static str,
    pub usual: u64,
    pub smallest: u64,
    pub largest: u64,
    pub power_of_two: bool,
}

impl Unit {
    /// The usual size of what goes by the size of a message.
    pub const BY_SIZE: u64 = 0;

    /// A size that belongs to the definition.
    pub const fn fixed(size: u64) -> Unit {
        Unit { key: "", usual: size, smallest: size, largest: size, power_of_two: false }
    }

    /// The size that a name gives: in bytes or binary units, without a blank or a point, so that no two readers of a name
    /// differ (`5MB` is another size to many).
    pub fn read(text: &str) -> Option<u64> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let binary =
            text.ends_with(|c: char| c.is_ascii_digit()) || text.to_ascii_lowercase().ends_with("ib");
        text.parse().ok().filter(|_| plain && binary).map(|Size(bytes)| bytes)
    }

    /// Whether a digest can have this size.
    pub fn allows(&self, size: u64) -> bool {
        (self.smallest..=self.largest).contains(&size) && (!self.power_of_two || size.is_power_of_two())
    }
}
