//! The framing of a clear-signed manifest (RFC 9580, section 7): passes on the lines inside, and
//! rejects the lines outside. The signature itself is not verified here.

use crate::line::Reason;
use crate::scan;

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";

/// The position of the reader in the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signed {
    /// The manifest is not signed.
    No,
    /// Before the first line of the framing.
    Before,
    /// In the headers, between that line and the blank line.
    Headers,
    /// In the signed part.
    Body,
    /// In the signature.
    Signature,
    /// After the signature.
    After,
}

impl Signed {
    /// Returns the state at the start of a manifest. It is [`Signed::No`] if its beginning does not
    /// contain the first line of the framing.
    pub(crate) fn sniff(head: &[u8]) -> Signed {
        let signed = head.split(|&byte| byte == b'\n').any(|line| scan::trim_end(strip_cr(line)) == BEGIN);
        if signed { Signed::Before } else { Signed::No }
    }

    /// Returns the signed part in the beginning of a manifest, or all of the beginning if it is not
    /// signed.
    pub(crate) fn inside(head: &[u8]) -> &[u8] {
        let line_is = |line: &[u8], mark: &[u8]| scan::trim_end(strip_cr(line)) == mark;
        let mut rest = head;
        let mut step = Signed::Before;
        let mut begin = 0;
        while !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
            let line = rest[..end].strip_suffix(b"\n").unwrap_or(&rest[..end]);
            let at = head.len() - rest.len();
            match step {
                Signed::Before if line_is(line, BEGIN) => step = Signed::Headers,
                Signed::Headers if scan::all(strip_cr(line), scan::is_blank) => {
                    step = Signed::Body;
                    begin = at + end;
                }
                Signed::Body if line_is(line, SIGNATURE) => return &head[begin..at],
                _ => {}
            }
            rest = &rest[end..];
        }
        if step == Signed::Body { &head[begin..] } else { head }
    }

    /// Returns the text of a line if it is signed or the manifest is not signed, or `None` if the
    /// line belongs to the framing.
    ///
    /// # Errors
    /// Fails if the line is outside the signed part or not allowed in its place.
    pub(crate) fn step<'a>(&mut self, line: &'a [u8]) -> Result<Option<&'a [u8]>, Reason> {
        let is = |what: &[u8]| line.first() == Some(&b'-') && scan::trim_end(line) == what;
        // Most manifests are not signed.
        if *self == Signed::No {
            if is(BEGIN) {
                *self = Signed::Headers;
                return Err(Reason::Unsigned);
            }
            return Ok(Some(line));
        }
        let blank = scan::all(line, scan::is_blank);
        match self {
            Signed::No => Ok(Some(line)),
            Signed::Before if is(BEGIN) => {
                *self = Signed::Headers;
                Ok(None)
            }
            Signed::Headers if blank => {
                *self = Signed::Body;
                Ok(None)
            }
            // Headers are not signed, so only known headers are accepted.
            Signed::Headers if is_header(line) => Ok(None),
            Signed::Body if is(SIGNATURE) => {
                *self = Signed::Signature;
                Ok(None)
            }
            Signed::Body => match line {
                [b'-', b' ', rest @ ..] => Ok(Some(rest)),
                [b'-', ..] => Err(Reason::DashEscape),
                _ => Ok(Some(line)),
            },
            Signed::Signature => {
                if is(END) {
                    *self = Signed::After;
                }
                // A signature consists of headers and base64. Any other line was inserted and is not signed.
                let is_own = is(END) || is_header(line) || is_base64(scan::trim_end(line));
                if is_own { Ok(None) } else { Err(Reason::Unsigned) }
            }
            Signed::Before | Signed::After if blank => Ok(None),
            Signed::Before | Signed::Headers | Signed::After => Err(Reason::Unsigned),
        }
    }

    /// Fails if the manifest ends before its signature is complete.
    pub(crate) fn finish(self) -> Result<(), Reason> {
        match self {
            Signed::No | Signed::Before | Signed::After => Ok(()),
            Signed::Headers | Signed::Body | Signed::Signature => Err(Reason::CutSignature),
        }
    }
}

fn is_header(line: &[u8]) -> bool {
    [&b"Hash: "[..], b"SaltedHash: ", b"Charset: ", b"Comment: ", b"Version: ", b"NotDashEscaped: "]
        .iter()
        .any(|name| line.starts_with(name))
}

fn is_base64(line: &[u8]) -> bool {
    scan::all(line, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

fn strip_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
