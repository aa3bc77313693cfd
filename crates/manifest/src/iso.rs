//! The MD5 digest that isomd5sum implants in an ISO 9660 image: parses the text in the application data of its primary
//! volume descriptor.
//!
//! The digest is that of the image with this text replaced by blanks, without the last sectors. The sums of fragments
//! are the beginnings of digests, of everything before the end of a fragment.

use data_encoding::HEXLOWER_PERMISSIVE;
use truesum_hash::Digest;

/// The size of a sector in bytes.
pub const SECTOR: u64 = 2048;
/// The position of the application data in a volume descriptor, and its length (ECMA-119 section 8.4).
pub const APPLICATION_DATA: std::ops::Range<usize> = 883..883 + 512;

/// The beginning of the text.
const BEGIN: &[u8] = b"ISO MD5SUM = ";
/// The number of digits of all sums of fragments together.
const FRAGMENT_DIGITS: usize = 60;

readable! {
    /// The text that isomd5sum implants.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Implanted {
        /// The MD5 digest.
        digest: Digest => &Digest,
        /// The number of sectors at the end of the image that the digest does not cover.
        skipped_sectors: u64,
        /// The number of sums that a large image has; 0 if there are no sums.
        fragment_count: u64,
        /// The sums of fragments, in order: the same number of digits for each.
        sums: Vec<Vec<u8>> => &[Vec<u8>],
    }
}

impl Implanted {
    /// Returns the sum of a fragment that ends where the image has this digest: the first digit of each byte, as C's `%x`
    /// formats it.
    ///
    /// ```
    /// use truesum_hash::Digest;
    /// let sum = truesum_manifest::iso::Implanted::sum(&Digest::new(&[0x7d, 0x05, 0x90]), 2);
    /// assert_eq!(sum, b"75");
    /// ```
    pub fn sum(digest: &Digest, digits: usize) -> Vec<u8> {
        let first = |byte: &u8| format!("{byte:x}").as_bytes()[0];
        digest.as_bytes().iter().take(digits).map(first).collect()
    }
}

/// Parses the application data of a primary volume descriptor. Returns `None` if nothing is implanted in it.
///
/// ```
/// use truesum_manifest::iso::parse;
///
/// assert_eq!(parse(b"MKISOFS"), None);
/// assert_eq!(parse(b"ISO MD5SUM = 00;SKIPSECTORS = 15;"), Some(Err("its implanted digest is not an MD5 digest")));
/// ```
pub fn parse(text: &[u8]) -> Option<Result<Implanted, &'static str>> {
    text.starts_with(BEGIN).then(|| fields(text))
}

fn fields(text: &[u8]) -> Result<Implanted, &'static str> {
    // Each field is `KEY = VALUE` or `KEY=VALUE`; the last one is a remark.
    let fields: Vec<(&[u8], &[u8])> = text
        .split(|&byte| byte == b';')
        .filter_map(|field| {
            let equals = field.iter().position(|&byte| byte == b'=')?;
            Some((field[..equals].trim_ascii(), field[equals + 1..].trim_ascii()))
        })
        .collect();
    let field = |key: &str| {
        let mut values = fields.iter().filter(|(known, _)| *known == key.as_bytes()).map(|(_, value)| *value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err("a field of its implanted digest is repeated"),
            (value, None) => Ok(value),
        }
    };
    let number = |key: &str| match field(key)? {
        None => Ok(None),
        Some(digits) => {
            let number = str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'));
            number
                .and_then(|text| text.parse::<u32>().ok())
                .map(|number| Some(u64::from(number)))
                .ok_or("a number in its implanted digest is malformed")
        }
    };
    let digest = field("ISO MD5SUM")?.and_then(|digits| HEXLOWER_PERMISSIVE.decode(digits).ok());
    let digest =
        digest.filter(|bytes| bytes.len() == 16).ok_or("its implanted digest is not an MD5 digest")?;
    let skipped_sectors =
        number("SKIPSECTORS")?.ok_or("its implanted digest does not specify how many sectors are skipped")?;
    let sums = field("FRAGMENT SUMS")?.unwrap_or_default().to_ascii_lowercase();
    let fragment_count = number("FRAGMENT COUNT")?.unwrap_or_default();
    let digits = FRAGMENT_DIGITS.checked_div(fragment_count as usize).unwrap_or_default();
    let (fragment_count, sums) = match digits {
        0 => (0, Vec::new()),
        // Small images have fewer sums.
        digits => (fragment_count, sums.chunks_exact(digits).map(<[u8]>::to_vec).collect()),
    };
    Ok(Implanted { digest: Digest::new(&digest), skipped_sectors, fragment_count, sums })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "ISO MD5SUM = 741b1482b974f0175d83f0bb0cfd099f;SKIPSECTORS = 15;RHLISOSTATUS=0;FRAGMENT SUMS = \
        71b7be6174fdddd65642c36c8223c2499d15e573c379cbdcb6db76724d36;FRAGMENT COUNT = 20;THIS IS NOT THE SAME AS \
        RUNNING MD5SUM ON THIS ISO!!   ";

    fn parsed(text: &str) -> Result<Implanted, &'static str> {
        parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn all_fields_are_read() {
        let found = parsed(TEXT).unwrap();
        assert_eq!(found.digest.to_hex(), "741b1482b974f0175d83f0bb0cfd099f");
        assert_eq!((found.skipped_sectors, found.fragment_count, found.sums.len()), (15, 20, 20));
        assert_eq!((&*found.sums[0], &*found.sums[19]), (&b"71b"[..], &b"d36"[..]));
        // The sums of a small image.
        let text = TEXT.replace("71b7be6174fdddd65642c36c8223c2499d15e573c379cbdcb6db76724d36", "6dbedb");
        assert_eq!(parsed(&text).unwrap().sums, [b"6db".to_vec(), b"edb".to_vec()]);
        // Images from before fragments were introduced.
        let found = parsed("ISO MD5SUM = 741b1482b974f0175d83f0bb0cfd099f;SKIPSECTORS = 150;").unwrap();
        assert_eq!((found.skipped_sectors, found.fragment_count, found.sums.len()), (150, 0, 0));
    }

    #[test]
    fn malformed_fields_are_rejected() {
        for (from, to, why) in [
            ("741b", "741", "not an MD5"),
            ("741b", "741x", "not an MD5"),
            ("SKIPSECTORS = 15;", "", "how many sectors"),
            ("= 15", "= -1", "number"),
            ("= 15", "= +1", "number"),
            ("= 15", "= 99999999999", "number"),
            ("COUNT = 20", "COUNT = x", "number"),
            ("RHLISOSTATUS=0", "SKIPSECTORS = 15", "repeated"),
        ] {
            let why_not = parsed(&TEXT.replace(from, to)).unwrap_err();
            assert!(why_not.contains(why), "{from} {to}: {why_not}");
        }
        for count in ["0", "61", "4294967295"] {
            assert!(
                parsed(&TEXT.replace("COUNT = 20", &format!("COUNT = {count}"))).unwrap().sums.is_empty()
            );
        }
    }
}
