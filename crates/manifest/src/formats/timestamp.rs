//! Time stamps of files: proofs of OpenTimestamps, and requests, responses and tokens of RFC 3161. They contain a digest
//! of the file and prove when it existed, but they list no files.
//!
//! They are not verified here: the error message names the command that does so.

use crate::format::Refusal;
use crate::formats::prelude::*;

pub(crate) static OPENTIMESTAMPS: Format = Format {
    name: "opentimestamps",
    summary: "OpenTimestamps proof (.ots); recognized, not read",
    sniff: |head| Claim::mark(head.text.starts_with(OPENTIMESTAMPS_MAGIC)),
    reading: Reading::Not(Refusal::TimeStamp("ots verify {name} -f {file}")),
    ..Format::DEFAULT
};

pub(crate) static REPLY: Format = Format {
    name: "timestamp-reply",
    summary: "response of a time-stamping authority (RFC 3161, .tsr); recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Reply)),
    reading: Reading::Not(Refusal::TimeStamp("openssl ts -verify -in {name} -data {file} -CAfile CA.pem")),
    ..Format::DEFAULT
};

pub(crate) static TOKEN: Format = Format {
    name: "timestamp-token",
    summary: "time-stamp token (RFC 3161, .tst); recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Token)),
    reading: Reading::Not(Refusal::TimeStamp(
        "openssl ts -verify -token_in -in {name} -data {file} -CAfile CA.pem",
    )),
    ..Format::DEFAULT
};

pub(crate) static REQUEST: Format = Format {
    name: "timestamp-request",
    summary: "request for a time-stamp token (RFC 3161, .tsq); recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Request)),
    reading: Reading::Not(Refusal::TimeStampRequest(
        "openssl ts -verify -queryfile {name} -in {file}.tsr -CAfile CA.pem",
    )),
    ..Format::DEFAULT
};

/// The magic number of an OpenTimestamps proof (`core/timestamp.py`: `DetachedTimestampFile.HEADER_MAGIC`).
pub const OPENTIMESTAMPS_MAGIC: &[u8] =
    b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94";
/// The object identifier id-signedData, 1.2.840.113549.1.7.2 (RFC 5652, section 5.1), in DER.
const SIGNED_DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
/// The object identifier id-ct-TSTInfo, 1.2.840.113549.1.9.16.1.4 (RFC 3161, section 2.4.2), in DER.
const TST_INFO: &[u8] = b"\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x04";

/// The parts of the protocol of RFC 3161.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Request,
    Reply,
    Token,
}

/// Returns the content of a DER sequence and the bytes after it. A sequence that is cut off has less content.
fn sequence(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = match text {
        [0x30, len @ 0..=0x7f, rest @ ..] => (usize::from(*len), rest),
        [0x30, 0x81, len, rest @ ..] => (usize::from(*len), rest),
        [0x30, 0x82, a, b, rest @ ..] => (usize::from(u16::from_be_bytes([*a, *b])), rest),
        _ => return None,
    };
    Some(rest.split_at(len.min(rest.len())))
}

/// Returns the kind of a part of the protocol, or `None` if the file is something else.
fn kind(head: &Head<'_>) -> Option<Kind> {
    let (content, rest) = sequence(head.text)?;
    if !rest.is_empty() {
        return None;
    }
    let is_token =
        |text: &[u8]| text.starts_with(SIGNED_DATA) && scan::contains(&text[..text.len().min(256)], TST_INFO);
    if is_token(content) {
        return Some(Kind::Token);
    }
    // TimeStampReq: version 1, then a message imprint of an algorithm and a digest.
    if let Some(rest) = content.strip_prefix(b"\x02\x01\x01") {
        let (imprint, _) = sequence(rest)?;
        let (algorithm, digest) = sequence(imprint)?;
        return (algorithm.first() == Some(&0x06) && digest.first() == Some(&0x04)).then_some(Kind::Request);
    }
    // TimeStampResp: a status, and a token unless the request was rejected.
    let (status, rest) = sequence(content)?;
    let (token, _) = sequence(rest)?;
    (status.starts_with(b"\x02\x01") && is_token(token)).then_some(Kind::Reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect;

    /// Returns a DER sequence with this content.
    fn der(content: &[u8]) -> Vec<u8> {
        [&[0x30, 0x82][..], &(content.len() as u16).to_be_bytes(), content].concat()
    }

    #[test]
    fn time_stamps_are_named_with_the_command_that_verifies_them() {
        let imprint = der(&[&der(b"\x06\x01\x2a")[..], b"\x04\x02ab"].concat());
        let request = der(&[b"\x02\x01\x01", &imprint[..]].concat());
        let token = der(&[SIGNED_DATA, b"\xa0\x20", TST_INFO, &[0; 300]].concat());
        let reply = der(&[&der(b"\x02\x01\x00")[..], &token].concat());
        let ots = [OPENTIMESTAMPS_MAGIC, b"\x01\x08"].concat();
        for (text, name, at, command) in [
            (&ots, "opentimestamps", "M.ots", "ots verify M.ots -f M"),
            (&reply, "timestamp-reply", "M.tsr", "openssl ts -verify -in M.tsr -data M -CAfile CA.pem"),
            (
                &token,
                "timestamp-token",
                "M.tst",
                "openssl ts -verify -token_in -in M.tst -data M -CAfile CA.pem",
            ),
            (
                &request,
                "timestamp-request",
                "M.tsq",
                "openssl ts -verify -queryfile M.tsq -in M.tsr -CAfile CA.pem",
            ),
        ] {
            let row = detect(Head::new(text, true), None).expect("recognized");
            assert_eq!(row.name(), name);
            let Reading::Not(reason) = row.reading() else { panic!("{name} is not read") };
            let message = reason.message(Some(at.as_bytes()));
            assert!(message.ends_with(&format!("to verify it: {command}")), "{message}");
            // Another CMS message, or bytes after the end.
            assert!(
                detect(Head::new(&[text, &b"x"[..]].concat(), true), None) != Some(row)
                    || name == "opentimestamps"
            );
        }
        assert_eq!(kind(&Head::new(&der(&[SIGNED_DATA, &[0; 300]].concat()), true)), None);
        assert_eq!(kind(&Head::new(&der(&imprint), true)), None);
    }
}
