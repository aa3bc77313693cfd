//! Encodings of digests other than hexadecimal: base32 and base64 (RFC 4648), Nix base32, base58,
//! Z85 and Bubble Babble.

use crate::scan;
use data_encoding::{BASE32_NOPAD, BASE64, BASE64_NOPAD};

/// Decodes base32 of RFC 4648 in either case, with or without padding.
pub(crate) fn base32(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    let end = scan::find(text, |byte| byte == b'=').unwrap_or(text.len());
    let padding = text.len() - end;
    if padding > 6 || (padding > 0 && !text.len().is_multiple_of(8)) && end % 8 == 0 {
        return None;
    }
    if text[end..].iter().any(|&byte| byte != b'=') {
        return None;
    }
    BASE32_NOPAD.decode(&text[..end].to_ascii_uppercase()).ok()
}

/// Decodes base64 in either alphabet, with or without padding.
pub(crate) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    let standard: Vec<u8> = text
        .iter()
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            &byte => byte,
        })
        .collect();
    let bytes = if text.ends_with(b"=") { BASE64.decode(&standard) } else { BASE64_NOPAD.decode(&standard) };
    bytes.ok().filter(|bytes| !bytes.is_empty())
}

/// The digits of Nix base32, from 0 to 31.
const NIX: &[u8; 32] = b"0123456789abcdfghijklmnpqrsvwxyz";

/// Encodes bytes in Nix base32, which has its own alphabet and starts with the last byte.
pub fn to_nix32(bytes: &[u8]) -> String {
    let digit = |at: usize| {
        let (byte, shift) = (at * 5 / 8, at * 5 % 8);
        let pair = [bytes[byte], bytes.get(byte + 1).copied().unwrap_or(0)];
        char::from(NIX[usize::from(u16::from_le_bytes(pair) >> shift) & 31])
    };
    (0..(bytes.len() * 8).div_ceil(5)).rev().map(digit).collect()
}

/// Decodes Nix base32 of at most 64 bytes. Returns `None` if the text is invalid.
pub fn from_nix32(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    let len = text.len() * 5 / 8;
    if len == 0 || len > 64 || (len * 8).div_ceil(5) != text.len() {
        return None;
    }
    let mut bytes = vec![0u8; len];
    for (at, character) in text.iter().rev().enumerate() {
        let digit = NIX.iter().position(|known| known == character)?;
        let (byte, shift) = (at * 5 / 8, at * 5 % 8);
        bytes[byte] |= (digit << shift) as u8;
        let carry = (digit >> (8 - shift)) as u8;
        match bytes.get_mut(byte + 1) {
            Some(next) => *next |= carry,
            None if carry != 0 => return None,
            None => {}
        }
    }
    Some(bytes)
}

/// Encodes a SHA-512 digest as a C4 identifier (SMPTE ST 2114): `c4` and 88 digits in base58.
pub fn to_c4(sha512: &[u8]) -> String {
    format!("c4{:1>88}", to_base58(sha512))
}

/// Decodes a C4 identifier (SMPTE ST 2114) to a SHA-512 digest: `c4` and 88 digits in base58.
pub(crate) fn c4(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(b"c4").filter(|digits| digits.len() == 88)?;
    base58::<64>(digits).map(Vec::from)
}

/// Decodes an IPFS identifier of a SHA-256 digest to its binary form: version 0 is `Qm` and base58,
/// version 1 is `b` and base32, with or without `ipfs://` or `/ipfs/` before it.
pub(crate) fn cid(text: &[u8]) -> Option<Vec<u8>> {
    let text =
        [&b"ipfs://"[..], b"/ipfs/"].iter().find_map(|scheme| text.strip_prefix(*scheme)).unwrap_or(text);
    match text {
        [b'Q', b'm', ..] if text.len() == 46 => {
            base58::<34>(text).filter(|bytes| bytes.starts_with(&[0x12, 0x20])).map(Vec::from)
        }
        [b'b', digits @ ..] if digits.len() == 58 && !digits.iter().any(u8::is_ascii_uppercase) => {
            base32(digits).filter(|bytes| matches!(bytes[..], [0x01, 0x55 | 0x70, 0x12, 0x20, ..]))
        }
        _ => None,
    }
}

/// The digits of base58, which exclude 0, O, I and l.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Decodes a base58 number of `N` bytes.
fn base58<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0u8; N];
    digits_58(digits, &mut bytes).then_some(bytes)
}

/// Decodes a base58 number to `bytes`. Returns false if it does not fit or a digit is invalid.
fn digits_58(digits: &[u8], bytes: &mut [u8]) -> bool {
    digits.iter().all(|character| {
        let Some(mut carry) = BASE58.iter().position(|known| known == character) else { return false };
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        carry == 0
    })
}

/// Encodes bytes in base58 as Bitcoin does: a number, with a 1 before it for each leading zero
/// byte.
pub(crate) fn to_base58(bytes: &[u8]) -> String {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let mut digits: Vec<u8> = Vec::new();
    for byte in &bytes[zeros..] {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = (carry % 58) as u8;
            carry /= 58;
        }
        while carry > 0 {
            digits.push((carry % 58) as u8);
            carry /= 58;
        }
    }
    let zeros = std::iter::repeat_n(&0, zeros);
    zeros.chain(digits.iter().rev()).map(|digit| char::from(BASE58[usize::from(*digit)])).collect()
}

/// Maximum length of base58 text that is decoded, because the time grows with the square of the
/// length.
const LONGEST_58: usize = 512;

/// Decodes base58 as Bitcoin encodes it.
pub(crate) fn from_base58(text: &[u8]) -> Option<Vec<u8>> {
    let zeros = text.iter().take_while(|digit| **digit == BASE58[0]).count();
    let digits = text.get(zeros..).filter(|_| text.len() <= LONGEST_58)?;
    let mut number = vec![0; digits.len()];
    if !digits_58(digits, &mut number) {
        return None;
    }
    let begin = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
    Some([&vec![0; zeros][..], &number[begin..]].concat())
}

/// The digits of Z85.
const Z85: &[u8; 85] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/// Encodes bytes in Z85. Returns `None` if their number is not a multiple of four.
pub(crate) fn to_z85(bytes: &[u8]) -> Option<String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let digits = words.iter().flat_map(|word| {
        let word = u32::from_be_bytes(*word);
        [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1]
            .map(|power| char::from(Z85[(word / power % 85) as usize]))
    });
    rest.is_empty().then(|| digits.collect())
}

/// Decodes Z85.
pub(crate) fn from_z85(text: &[u8]) -> Option<Vec<u8>> {
    let (groups, rest) = text.as_chunks::<5>();
    let mut bytes = Vec::with_capacity(groups.len() * 4);
    for group in groups {
        let word = group.iter().try_fold(0u32, |word, character| {
            let digit = Z85.iter().position(|known| known == character)?;
            word.checked_mul(85)?.checked_add(digit as u32)
        })?;
        bytes.extend_from_slice(&word.to_be_bytes());
    }
    rest.is_empty().then_some(bytes)
}

const VOWELS: &[u8; 6] = b"aeiouy";
const CONSONANTS: &[u8; 17] = b"bcdfghklmnprstvzx";

/// Encodes bytes in Bubble Babble: two bytes per word, with a checksum of all bytes before them in
/// the vowels.
pub(crate) fn to_bubble_babble(bytes: &[u8]) -> String {
    let mut text = String::from("x");
    let mut push = |letters: &[u8], at: u32| text.push(char::from(letters[at as usize]));
    let mut check = 1;
    let (pairs, rest) = bytes.as_chunks::<2>();
    for pair in pairs {
        let [a, b] = pair.map(u32::from);
        push(VOWELS, (a / 64 + check) % 6);
        push(CONSONANTS, a / 4 % 16);
        push(VOWELS, (a % 4 + check / 6) % 6);
        push(CONSONANTS, b / 16);
        push(b"-", 0);
        push(CONSONANTS, b % 16);
        check = (check * 5 + a * 7 + b) % 36;
    }
    let last = rest.first().map(|byte| u32::from(*byte));
    push(VOWELS, (last.map_or(0, |a| a / 64) + check) % 6);
    push(CONSONANTS, last.map_or(16, |a| a / 4 % 16));
    push(VOWELS, (last.map_or(0, |a| a % 4) + check / 6) % 6);
    text.push('x');
    text
}

/// Decodes Bubble Babble. Returns `None` if the text or its checksum is invalid.
pub(crate) fn from_bubble_babble(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.strip_prefix(b"x")?.strip_suffix(b"x")?;
    let letter = |letters: &[u8], character: u8| letters.iter().position(|known| *known == character);
    let (words, last) = inner.as_chunks::<6>();
    let mut bytes: Vec<u8> = Vec::new();
    let mut check = 1;
    let first = |check: usize, letters: &[u8]| {
        let high = (letter(VOWELS, letters[0])? + 6 - check % 6) % 6;
        let low = (letter(VOWELS, letters[2])? + 6 - check / 6) % 6;
        Some((high * 64 + letter(CONSONANTS, letters[1])? * 4 + low) as u8)
    };
    for word in words {
        let a = first(check, word)?;
        let b = letter(CONSONANTS, word[3])? * 16 + letter(CONSONANTS, word[5])?;
        bytes.extend([a, b as u8]);
        check = (check * 5 + usize::from(a) * 7 + b) % 36;
    }
    if last.len() != 3 {
        return None;
    }
    if last[1] != CONSONANTS[16] {
        bytes.push(first(check, last)?);
    }
    // Encoding the bytes again detects everything that the decoder tolerates.
    (to_bubble_babble(&bytes).as_bytes() == text).then_some(bytes)
}

/// Returns whether the text is an absolute URL.
pub(crate) fn is_url(text: &[u8]) -> bool {
    scan::contains(text, b"://")
}

/// Returns the decoded last component of a URL. Returns `None` for an invalid escape sequence.
pub(crate) fn url_name(url: &[u8]) -> Option<Vec<u8>> {
    let end = scan::find(url, |byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let begin = scan::rfind(&url[..end], |byte| byte == b'/').map_or(0, |at| at + 1);
    percent(&url[begin..end])
}

/// Decodes `%XX` and `+` for a blank, as in the data of web forms. Returns `None` for an invalid escape
/// sequence.
pub(crate) fn form(text: &[u8]) -> Option<Vec<u8>> {
    let blanks: Vec<u8> = text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
    percent(&blanks)
}

/// Appends a text percent-encoded for a URL, with the digits in upper or lower case. Bytes in `plain` are
/// not encoded.
pub(crate) fn percent_into(text: &[u8], plain: &[u8], is_upper: bool, out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(*byte),
            byte if plain.contains(byte) => out.push(*byte),
            byte if is_upper => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            byte => out.extend_from_slice(format!("%{byte:02x}").as_bytes()),
        }
    }
}

/// Decodes a text in which escape sequences begin with `mark`. `decode` receives the text after a mark,
/// appends the decoded bytes, and returns the rest of the text, or `None` for an invalid sequence.
pub(crate) fn unescape<'t>(
    text: &'t [u8],
    mark: u8,
    decode: impl Fn(&'t [u8], &mut Vec<u8>) -> Option<&'t [u8]>,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = scan::find(rest, |byte| byte == mark) {
        bytes.extend_from_slice(&rest[..at]);
        rest = decode(&rest[at + 1..], &mut bytes)?;
    }
    bytes.extend_from_slice(rest);
    Some(bytes)
}

/// Decodes `%XX` in a name. Returns `None` if a `%` is not followed by two hexadecimal digits.
pub(crate) fn percent(text: &[u8]) -> Option<Vec<u8>> {
    unescape(text, b'%', |behind, bytes| {
        let [high, low, rest @ ..] = behind else { return None };
        let digit = |byte: u8| (byte as char).to_digit(16);
        bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
        Some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_decoded() {
        let abc = truesum_hash::Digest::from_hex(
            b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        )
        .unwrap();
        let nix = b"1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s";
        assert_eq!(from_nix32(nix).as_deref(), Some(abc.as_bytes()));
        assert_eq!(to_nix32(abc.as_bytes()).as_bytes(), nix);
        assert_eq!(from_nix32(b"e"), None);
        for len in 1..=64 {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 41 + len) as u8).collect();
            assert_eq!(from_nix32(to_nix32(&bytes).as_bytes()).as_ref(), Some(&bytes));
        }
        assert_eq!(base32(b"MZXW6===").as_deref(), Some(&b"foo"[..]));
        assert_eq!(base32(b"mzxw6").as_deref(), Some(&b"foo"[..]));
        assert_eq!(base32(b"MZX1"), None);
        assert_eq!(base64(b"-_8=").as_deref(), Some(&[0xfb, 0xff][..]));
        assert_eq!(base64(b"-_8").as_deref(), Some(&[0xfb, 0xff][..]));
        assert_eq!(percent(b"a%20b%c3%A4").as_deref(), Some("a b\u{e4}".as_bytes()));
        assert_eq!(percent(b"a%2"), None);
        let empty = cid(b"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH").expect("kubo's empty file");
        assert_eq!((empty.len(), &empty[..2]), (34, &[0x12, 0x20][..]));
        let raw =
            cid(b"ipfs://bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku").expect("the same");
        let sha256 = "sha256".parse::<truesum_hash::Spec>().unwrap().digest(b"");
        assert_eq!(raw, [&[0x01, 0x55, 0x12, 0x20], sha256.as_bytes()].concat());
        assert_eq!(cid(b"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQ0"), None);
        assert_eq!(cid(b"BAFKREIHDWDCEFGH4DQKJV67UZCMW7OJEE6XEDZDETOJUZJEVTENXQUVYKU"), None);
        let zero = [b"c4".as_slice(), &[b'1'; 88]].concat();
        assert_eq!(c4(&zero), Some(vec![0; 64]));
        assert_eq!(c4(&[b"c4".as_slice(), &[b'z'; 88]].concat()), None);
    }
}
