//! CRC-32 values in file names, as in `name [CBF43926].mkv`, which are common for shared videos.

use truesum_hash::{Digest, Spec};

/// The number of hexadecimal digits.
const DIGITS: usize = 8;

/// Returns the algorithm of these values.
pub fn spec() -> Spec {
    "crc32".parse().expect("a row of the table of algorithms")
}

/// Returns the digest in a name: eight hexadecimal digits in brackets or parentheses in its last component. If there
/// are several, the last one counts.
///
/// ```
/// use truesum::embedded_crc::mark;
/// assert_eq!(mark(b"a/name [CBF43926].mkv").map(|crc32| crc32.to_string()).as_deref(), Some("cbf43926"));
/// assert_eq!(mark(b"[CBF43926]/name.mkv"), None);
/// ```
pub fn mark(name: &[u8]) -> Option<Digest> {
    let base = &name[name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..];
    base.windows(DIGITS + 2).rev().find_map(|window| match window {
        [b'[', digits @ .., b']'] | [b'(', digits @ .., b')'] => Digest::from_hex(digits).ok(),
        _ => None,
    })
}

/// Returns the last component of a name with the digest inserted before its extension, or at its end if it has none.
///
/// ```
/// use truesum::embedded_crc::marked;
/// let crc32 = truesum::embedded_crc::spec().digest(b"123456789");
/// for (name, expected) in [
///     ("a/name.mkv", "name [CBF43926].mkv"),
///     ("name", "name [CBF43926]"),
///     (".name", ".name [CBF43926]"),
///     ("a.tar.gz", "a.tar [CBF43926].gz"),
/// ] {
///     assert_eq!(marked(name.as_bytes(), &crc32), expected.as_bytes());
/// }
/// ```
pub fn marked(name: &[u8], crc32: &Digest) -> Vec<u8> {
    let base = &name[name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..];
    let dot = base.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0).unwrap_or(base.len());
    let mark = format!(" [{}]", crc32.to_hex_upper());
    [&base[..dot], mark.as_bytes(), &base[dot..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_mark_in_the_file_name_counts() {
        for (name, crc32) in [
            ("name [CBF43926].mkv", Some("cbf43926")),
            ("[00000001] name (cbf43926)", Some("cbf43926")),
            ("[cbf43926]", Some("cbf43926")),
            ("name [CBF4392].mkv", None),
            ("name [CBF439267].mkv", None),
            ("name [CBF4392G].mkv", None),
            ("name [CBF43926).mkv", None),
            ("CBF43926", None),
            ("", None),
        ] {
            let found = mark(name.as_bytes()).map(|crc32| crc32.to_string());
            assert_eq!(found.as_deref(), crc32, "{name}");
        }
        let crc32 = spec().digest(b"x");
        assert_eq!(mark(&marked(b"\xff.x", &crc32)), Some(crc32));
    }
}
