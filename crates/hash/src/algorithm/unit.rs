//! The size of the leaves or parts of a composite digest, and how names spell it.

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
    /// A size that belongs to the definition.
    pub const fn fixed(size: u64) -> Unit {
        Unit { key: "", usual: size, smallest: size, largest: size, power_of_two: false }
    }

    /// Whether a digest can have this size.
    pub fn allows(&self, size: u64) -> bool {
        (self.smallest..=self.largest).contains(&size) && (!self.power_of_two || size.is_power_of_two())
    }
}

/// A size as names spell it: the largest binary unit that divides it.
pub(crate) struct Size(pub u64);

const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match UNITS.iter().find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl std::str::FromStr for Size {
    type Err = ();

    /// Decimal digits, with `KiB`, `MiB` or `GiB` of any letter case behind them.
    fn from_str(text: &str) -> Result<Size, ()> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "" => 1,
            suffix => UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix)).ok_or(())?.1,
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(());
        }
        digits.parse::<u64>().ok().and_then(|size| size.checked_mul(unit)).map(Size).ok_or(())
    }
}
