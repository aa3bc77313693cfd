//! Detached signatures among files with names like manifests. They are skipped, but only if they contain nothing else.
//!
//! An OpenPGP message that contains a list, or a list below the lines of a signature, may have the same name.

use crate::io::anchor::Anchor;
use crate::io::open::{Root, Special};
use std::io::Read;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_manifest::{Head, detect};

/// The extensions of detached signatures, which are appended to the name of the signed file: OpenPGP, minisign,
/// signify, CMS and PKCS #7, OpenTimestamps, RFC 3161, sigstore.
pub const SIGNATURES: [&str; 15] = [
    ".sig",
    ".asc",
    ".minisig",
    ".gpg",
    ".sign",
    ".pgp",
    ".p7s",
    ".p7",
    ".ots",
    ".tsr",
    ".tst",
    ".tsq",
    ".sigstore.json",
    ".sigstore",
    ".bundle",
];

/// The maximum size of a signature, with certificates. Anything longer is read as a manifest.
const LONGEST: u64 = 64 << 10;

/// Returns whether this is a detached signature and nothing else, judging by its name and its complete content.
pub fn is_detached_signature(path: &Path) -> bool {
    let name = path.as_os_str().as_bytes();
    SIGNATURES.iter().any(|end| name.ends_with(end.as_bytes())) && holds_signature(name, None)
}

/// Returns whether the complete content of a file is a detached signature, whatever its name.
pub(crate) fn holds_signature(path: &[u8], anchor: Option<&Anchor>) -> bool {
    let (root, path) = anchor.map_or((&Root::Anywhere, path), |anchor| (anchor.root(), anchor.rest(path)));
    let Ok((file, _)) = root.open(path, Special::Refuse) else { return false };
    let mut text = Vec::new();
    let read = file.take(LONGEST + 1).read_to_end(&mut text).is_ok();
    read && text.len() as u64 <= LONGEST && is_whole(&text)
}

/// Returns whether this consists of a signature only.
fn is_whole(text: &[u8]) -> bool {
    if are_packets(text) || is_signed_der(text) || text.starts_with(OPEN_TIMESTAMPS) {
        return true;
    }
    let Some(row) = detect(Head::new(text, true), None) else { return false };
    let lines: Vec<&[u8]> =
        text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect();
    match row.name() {
        "minisign-signature" => lines.len() == 4,
        "signify-signature" => lines.len() == 2,
        "openpgp-signature" | "ssh-signature" | "cms-signature" => is_armored(&lines),
        "sigstore-bundle" => is_one_object(text.trim_ascii()),
        // Recognized only as a complete sequence.
        "timestamp-request" => true,
        _ => false,
    }
}

/// The magic number of an OpenTimestamps proof (`core/timestamp.py`: `DetachedTimestampFile.HEADER_MAGIC`).
const OPEN_TIMESTAMPS: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94";
/// The object identifier id-signedData, 1.2.840.113549.1.7.2 (RFC 5652, section 5.1), in DER.
const SIGNED_DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";

/// Returns whether this is exactly one DER sequence that contains signed data: a CMS signature, or the response of a
/// time-stamping authority (RFC 3161), in which a short status precedes it.
fn is_signed_der(text: &[u8]) -> bool {
    let (header, len) = match text {
        [0x30, 0x81, len, ..] => (3, usize::from(*len)),
        [0x30, 0x82, a, b, ..] => (4, usize::from(u16::from_be_bytes([*a, *b]))),
        [0x30, 0x80, .., 0, 0] => (2, text.len() - 2),
        [0x30, len @ 0..=0x7f, ..] => (2, usize::from(*len)),
        _ => return false,
    };
    let head = &text[..text.len().min(256)];
    header + len == text.len() && head.windows(SIGNED_DATA.len()).any(|bytes| bytes == SIGNED_DATA)
}

/// Returns whether the first JSON object extends to the end of the text.
fn is_one_object(text: &[u8]) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted && depth > 1 => depth -= 1,
            b'}' if !quoted => return depth == 1 && at + 1 == text.len(),
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Returns whether lines begin and end as OpenPGP armor does, without anything after it, and contain only armor headers
/// (RFC 9580, section 6.2.2) and base64 in between. A line of a list would contain a blank.
fn is_armored(lines: &[&[u8]]) -> bool {
    let [first, body @ .., last] = lines else { return false };
    let title = |line: &'_ [u8], word: &[u8]| -> Option<Vec<u8>> {
        Some(line.strip_prefix(b"-----")?.strip_prefix(word)?.strip_suffix(b"-----")?.to_vec())
    };
    let headers: [&[u8]; 5] = [b"Version: ", b"Comment: ", b"Hash: ", b"Charset: ", b"MessageID: "];
    let of_armor = |line: &&[u8]| {
        let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        line.iter().all(base64) || headers.iter().any(|header| line.starts_with(header))
    };
    let begun = title(first, b"BEGIN ");
    begun.is_some() && begun == title(last, b"END ") && body.iter().all(of_armor)
}

/// Returns whether this consists of one or more OpenPGP packets (RFC 9580, section 4.2), all of them signatures.
fn are_packets(mut rest: &[u8]) -> bool {
    if rest.is_empty() {
        return false;
    }
    while let [tag, behind @ ..] = rest {
        let (len, header) = match (tag, behind) {
            // The old packet format, whose low bits specify the size of the length.
            (0x88, [len, ..]) => (usize::from(*len), 1),
            (0x89, [a, b, ..]) => (usize::from(u16::from_be_bytes([*a, *b])), 2),
            // The new packet format.
            (0xc2, [len @ 0..=191, ..]) => (usize::from(*len), 1),
            (0xc2, [a @ 192..=223, b, ..]) => (((usize::from(*a) - 192) << 8) + usize::from(*b) + 192, 2),
            (0x8a, [a, b, c, d, ..]) | (0xc2, [255, a, b, c, d, ..]) => {
                let width = if *tag == 0x8a { 4 } else { 5 };
                (u32::from_be_bytes([*a, *b, *c, *d]) as usize, width)
            }
            _ => return false,
        };
        let Some(body) = behind[header..].get(..len) else { return false };
        // Signatures have a version from 3 to 6.
        if !body.first().is_some_and(|version| (3..=6).contains(version)) {
            return false;
        }
        rest = &behind[header + len..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "900150983cd24fb0d6963f7d28e17f72  a\n";

    fn packet(header: &[u8], len: usize) -> Vec<u8> {
        let mut packet = header.to_vec();
        packet.push(4);
        packet.resize(header.len() + len, 0);
        packet
    }

    #[test]
    fn openpgp_packets_must_end_at_the_last_byte() {
        let whole = [
            packet(&[0x88, 2], 2),
            packet(&[0x89, 1, 0], 256),
            packet(&[0x8a, 0, 0, 0, 3], 3),
            packet(&[0xc2, 191], 191),
            packet(&[0xc2, 192, 0], 192),
            packet(&[0xc2, 223, 255], 8383),
            packet(&[0xc2, 255, 0, 0, 0, 9], 9),
        ];
        for one in &whole {
            assert!(is_whole(one), "{:x?}", &one[..4]);
            assert!(is_whole(&[&one[..], &packet(&[0x88, 5], 5)].concat()), "two signatures");
            assert!(!is_whole(&one[..one.len() - 1]), "cut off");
            assert!(!is_whole(&[one, LINE.as_bytes()].concat()), "a list behind {:x?}", &one[..4]);
            // Literal data, compressed data, a one-pass signature: messages that contain the signed
            // data.
            for other in [0xcb, 0xc8, 0xc4, 0xa3, 0x90] {
                assert!(!is_whole(&[&[other, 2, 4, 0], &one[..]].concat()));
                assert!(!is_whole(&[&one[..], &[other, 2, 4, 0]].concat()));
            }
        }
        assert!(!is_whole(b""));
        assert!(!is_whole(&[0x88, 0]), "no version");
        assert!(!is_whole(b"\x01\x02"));
    }

    #[test]
    fn binary_signatures_are_recognized_by_content() {
        let cms = |len: usize| {
            let mut text = b"\x30\x82".to_vec();
            text.extend((len as u16).to_be_bytes());
            text.extend(SIGNED_DATA);
            text.resize(4 + len, 0);
            text
        };
        assert!(is_whole(&cms(1000)) && !is_whole(&cms(1000)[..900]), "cut off");
        assert!(!is_whole(&[cms(1000), vec![0]].concat()), "something behind");
        assert!(!is_whole(&[b"\x30\x82\x03\xe8".to_vec(), vec![0; 1000]].concat()), "other data");
        assert!(is_whole(&[OPEN_TIMESTAMPS, b"\x01\x08"].concat()) && !is_whole(&OPEN_TIMESTAMPS[..20]));
        assert!(!is_whole(&[0; 5000]) && !is_whole(b""));
    }

    #[test]
    fn text_after_a_signature_is_rejected() {
        let key = "RW".to_owned() + &"Q".repeat(97) + "=";
        let signify = format!("untrusted comment: verify with key.pub\n{key}\n");
        let minisign = format!("{signify}trusted comment: timestamp:1\n{key}\n");
        for title in ["PGP SIGNATURE", "SSH SIGNATURE", "PKCS7", "CMS"] {
            let armor = format!("-----BEGIN {title}-----\n\nabcd\n-----END {title}-----\n");
            assert!(is_whole(armor.as_bytes()), "{title}");
            assert!(is_whole(armor.replace('\n', "\r\n").as_bytes()), "{title}");
            assert!(!is_whole(format!("{armor}{LINE}").as_bytes()), "{title}");
            assert!(!is_whole(format!("{armor}{LINE}{armor}").as_bytes()), "{title}");
            assert!(
                !is_whole(format!("{armor}\n\n{armor}").as_bytes()),
                "two signatures: unclear which file each one belongs to"
            );
            let within =
                format!("-----BEGIN {title}-----\nVersion: 1\n\nabcd\n{LINE}-----END {title}-----\n");
            assert!(!is_whole(within.as_bytes()), "{title}");
            assert!(is_whole(within.replace(LINE, "").as_bytes()), "{title}");
        }
        let bundle = r#"{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","messageSignature":{}}"#;
        let nested = bundle.replace("{}", r#"{"a":"}\"{","b":[{}]}"#);
        assert!(is_whole(nested.as_bytes()) && !is_whole(format!("{nested}}}").as_bytes()));
        assert!(is_whole(bundle.as_bytes()) && !is_whole(format!("{bundle}\n{LINE}").as_bytes()));
        assert!(is_whole(signify.as_bytes()) && is_whole(minisign.as_bytes()), "{signify}");
        assert!(!is_whole(format!("{minisign}{LINE}").as_bytes()));
        assert!(!is_whole(format!("{minisign}MD5 (a) = 900150983cd24fb0d6963f7d28e17f72\n").as_bytes()));
        assert!(!is_whole(format!("{signify}{LINE}").as_bytes()));
        assert!(!is_whole(LINE.as_bytes()));
    }
}
