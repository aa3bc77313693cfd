//! Digests as users copy them from web pages, programs and manifests.

use truesum::hash::Spec;
use truesum::manifest::identify::identify;

/// Minimum number of digits of a digest that is recognized without the name of its algorithm.
pub const MIN_DIGITS: usize = 8;

/// Numbers of digits of common digests, in hexadecimal.
pub const LENGTHS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// Returns whether a text has one of the forms that every argument for a digest accepts, apart from
/// plain digits: an ETag of a multipart upload, a line of a manifest, or digits in groups.
pub fn is_composed(text: &str) -> bool {
    let text = pasted(text);
    let is_of_length = |digits: &str| LENGTHS.contains(&digits.rsplit(':').next().unwrap_or_default().len());
    let is_etag = || {
        let parts = |candidates: Vec<_>| candidates.iter().any(of_parts);
        text.len() > LENGTHS[0] && identify(&text).is_ok_and(parts)
    };
    of_line(&text).is_some()
        || grouped(&text).map_or(true, |joined| joined.is_some_and(|joined| is_of_length(&joined)))
        || is_etag()
}

fn of_parts(candidate: &truesum::manifest::identify::Candidate) -> bool {
    candidate.spec().counts_parts()
}

/// Returns the digest in a pasted text, without the name of a file.
pub fn bare(text: &str) -> String {
    let text = pasted(text);
    of_line(&text).or_else(|| grouped(&text).ok().flatten()).unwrap_or(text)
}

/// Returns the digest in a line of a manifest: `DIGEST  NAME` or `TAG (NAME) = DIGEST`.
fn of_line(text: &str) -> Option<String> {
    if let Some((tag, rest)) = text.split_once(" (")
        && tag.parse::<Spec>().is_ok()
    {
        let (_, digits) = rest.rsplit_once(") = ")?;
        return Some(format!("{tag}:{}", digits.trim()));
    }
    let (digits, name) = text.split_once([' ', '\t'])?;
    let is_name = !name.trim().is_empty() && grouped(text) == Ok(None);
    (is_name && LENGTHS.contains(&digits.len()) && is_hexadecimal(digits)).then(|| digits.to_owned())
}

/// Returns the only hexadecimal digest of a common length in a text.
pub fn embedded(text: &str) -> Option<&str> {
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut digests = runs.filter(|run| LENGTHS.contains(&run.len()) && is_hexadecimal(run));
    digests.next().filter(|_| digests.next().is_none())
}

pub fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes quotes, and brackets and punctuation around hexadecimal digits. Other encodings have
/// digits that look like punctuation.
fn unwrapped(text: &str) -> &str {
    const PAIRS: [(char, char); 6] =
        [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>'), ('(', ')'), ('[', ']')];
    let within = |text: &'_ str, pairs: &[(char, char)]| -> Option<(usize, usize)> {
        let inner = |(open, close): &(char, char)| text.strip_prefix(*open)?.strip_suffix(*close);
        let inner = pairs.iter().find_map(inner)?;
        Some((1, 1 + inner.len()))
    };
    let mut inner = text.trim();
    loop {
        let shorter = match within(inner, &PAIRS) {
            Some((start, end)) => &inner[start..end],
            None => inner.strip_suffix([',', ';', '.']).unwrap_or(inner),
        };
        if shorter.len() == inner.len() {
            break;
        }
        inner = shorter.trim();
    }
    let digits = inner.rsplit([':', '=', ' ']).next().unwrap_or_default();
    if digits.len() >= MIN_DIGITS && is_hexadecimal(digits) {
        return inner;
    }
    let text = text.trim();
    within(text, &PAIRS[..3]).map_or(text, |(start, end)| text[start..end].trim())
}

/// Converts a digest as programs and web pages print it to the form used in manifests: removes
/// quotes, brackets and punctuation around it, `0x` and separators between bytes (`AB:CD:EF`,
/// `AB-CD-EF`), and puts a colon after the name of the algorithm (`NAME=DIGEST`, `NAME = DIGEST`).
pub fn pasted(text: &str) -> String {
    let text = unwrapped(text);
    // A `=` that is base64 padding does not follow the name of an algorithm.
    let named = text.split_once(['=', ':']).map(|(name, digits)| (name.trim(), digits.trim()));
    let named = named.filter(|(name, digits)| name.parse::<Spec>().is_ok() && !digits.is_empty());
    match named {
        // `b2` is the name of an algorithm, but also the first byte of many digests written with
        // colons.
        Some((name, digits)) if hexadecimal(text).is_none() => {
            format!("{name}:{}", hexadecimal(digits).as_deref().unwrap_or(digits))
        }
        _ => hexadecimal(text).unwrap_or_else(|| text.to_owned()),
    }
}

/// Returns only the digits if the text consists of hexadecimal bytes with a prefix or separators.
fn hexadecimal(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = digits.filter(|digits| is_hexadecimal(digits)) {
        return Some(digits.to_owned());
    }
    [':', '-'].into_iter().find_map(|between| {
        let bytes = || text.split(between);
        (bytes().count() > 1 && bytes().all(|byte| byte.len() == 2 && is_hexadecimal(byte)))
            .then(|| bytes().collect())
    })
}

/// Joins a hexadecimal digest that is printed in groups of digits. All groups must have the same
/// length, because a SHA-256 digest followed by an MD5 digest is not a third digest. A digest
/// followed by two spaces and a name that looks like a digest is a manifest line and is left
/// unchanged.
pub fn grouped(text: &str) -> Result<Option<String>, &'static str> {
    let (name, digits) = match text.split_once(':') {
        Some((name, digits)) => (format!("{name}:"), digits),
        None => (String::new(), text),
    };
    let groups: Vec<&str> = digits.split_whitespace().collect();
    let is_hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_line = name.is_empty()
        && matches!(groups[..], [digest, name] if digits.trim() == format!("{digest}  {name}"));
    if groups.len() < 2 || !groups.iter().all(is_hex) || is_line {
        return Ok(None);
    }
    // Words of hexadecimal letters may be a file name; words as long as a digest are digests.
    match groups.iter().all(|group| group.len() == groups[0].len()) {
        true => Ok(Some(name + &groups.concat())),
        false if groups.iter().all(|group| group.len() >= 32) => {
            Err("several digests, but only one is expected")
        }
        false => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_digests_are_recognized_in_every_form() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        for (text, expected) in [
            (format!("{md5},"), md5.to_owned()),
            (format!("\"{md5}\";"), md5.to_owned()),
            (format!("<{md5}>"), md5.to_owned()),
            (format!("`md5:{md5}`."), format!("md5:{md5}")),
            (format!("MD5 (a b) = {md5}"), format!("MD5:{md5}")),
            (format!("{md5}  a b"), md5.to_owned()),
            (format!("{md5} *a"), md5.to_owned()),
            (format!("{} {}", &md5[..16], &md5[16..]), md5.to_owned()),
            ("x y".to_owned(), "x y".to_owned()),
            ("<a>".to_owned(), "<a>".to_owned()),
        ] {
            assert_eq!(bare(&text), expected, "{text}");
        }
        for text in ["dead beef", "2024-3", "20240101-3", "notes (old) = 1", "a  b"] {
            assert!(!is_composed(text), "{text}");
        }
        assert_eq!(embedded(&format!("sum={md5};")), Some(md5));
        assert_eq!(embedded(&format!("x{md5}")), None);
        assert_eq!(embedded(&format!("{md5} {md5}")), None);
    }
}
