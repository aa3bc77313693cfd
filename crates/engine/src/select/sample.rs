//! A sample: a fraction of all names, selected by a hash of each. Whether a name is selected depends only on the name
//! and the seed, so a sample can be repeated, and remains valid when files are added.

use std::fmt;
use std::str::FromStr;
use truesum_hash::Spec;

/// A fraction greater than 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    percent: f64,
}

impl FromStr for Share {
    type Err = &'static str;

    /// Parses a percentage such as `5%` or `0.1 %`.
    fn from_str(text: &str) -> Result<Share, &'static str> {
        let digits = text.trim().strip_suffix('%').ok_or("expected a percentage, such as 5%")?.trim_end();
        let number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let percent: f64 =
            digits.parse().ok().filter(|_| number).ok_or("expected a percentage, such as 5%")?;
        match percent > 0.0 && percent <= 100.0 {
            true => Ok(Share { percent }),
            false => Err("a percentage must be more than 0% and at most 100%"),
        }
    }
}

impl Share {
    /// Returns the percentage.
    pub fn percent(self) -> f64 {
        self.percent
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.percent)
    }
}

/// Selects the names in a sample.
#[derive(Clone, Debug)]
pub struct Sample {
    share: Share,
    seed: u64,
    /// Names with a key below this are selected.
    bound: u128,
    hash: Spec,
}

impl Sample {
    /// Returns the sample of this size for a seed.
    pub fn new(share: Share, seed: u64) -> Sample {
        let bound = (share.percent / 100.0 * 2f64.powi(64)) as u128;
        let hash = "blake3".parse().expect("a row of the table of algorithms");
        Sample { share, seed, bound, hash }
    }

    /// Returns the fraction.
    pub fn share(&self) -> Share {
        self.share
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the first 8 bytes, little-endian, of the BLAKE3 digest of the seed (8 bytes, little-endian) and the
    /// name.
    pub fn key(&self, name: &[u8]) -> u64 {
        let digest = self.hash.digest(&[&self.seed.to_le_bytes()[..], name].concat());
        digest.as_bytes().iter().take(8).rev().fold(0, |key, &byte| key << 8 | u64::from(byte))
    }

    /// Returns whether a name with this key is selected.
    pub fn takes(&self, key: u64) -> bool {
        u128::from(key) < self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(share: &str, seed: u64) -> Vec<usize> {
        let sample = Sample::new(share.parse().unwrap(), seed);
        (0..20_000).filter(|i| sample.takes(sample.key(format!("f{i}").as_bytes()))).collect()
    }

    #[test]
    fn shares_are_percentages() {
        for (text, percent) in [("5%", 5.0), (" 0.25 % ", 0.25), ("100%", 100.0), (".5%", 0.5)] {
            assert_eq!(text.parse(), Ok(Share { percent }), "{text}");
        }
        for text in ["", "%", "5", "0%", "-1%", "100.1%", "1e1%", "nan%", "inf%", "5%%", "+5%", "1..2%"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }

    #[test]
    fn sample_size_grows_with_the_share_and_differs_by_seed() {
        let (five, ten, other) = (picked("5%", 1), picked("10%", 1), picked("5%", 2));
        assert!((800..1200).contains(&five.len()), "{}", five.len());
        assert!(five.iter().all(|i| ten.contains(i)) && ten.len() > five.len());
        assert!(five != other && five == picked("5%", 1));
        assert_eq!(picked("100%", 3).len(), 20_000);
        let sample = Sample::new("50%".parse().unwrap(), 7);
        // printf '\\7\\0\\0\\0\\0\\0\\0\\0a' | b3sum
        assert_eq!(sample.key(b"a").to_le_bytes(), *b"\xec\x0c\xdc\x97\xd6\x5e\x89\x10");
    }
}
