//! Detached signatures, which contain no checksums, and the messages of `signify -e`, which
//! contain the signed checksums.
//!
//! Signatures are not verified here: the error message for a detached signature names the command
//! that does so.

use crate::format::Refusal;
use crate::formats::mixed::Mixed;
use crate::formats::prelude::*;

pub(crate) static OPENPGP: Format = Format {
    name: "openpgp-signature",
    summary: "detached OpenPGP signature; recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::OpenPgp)),
    reading: Reading::Not(Refusal::Signature("gpg --verify {name} {file}")),
    ..Format::DEFAULT
};

pub(crate) static MINISIGN: Format = Format {
    name: "minisign-signature",
    summary: "detached minisign signature; recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Minisign)),
    reading: Reading::Not(Refusal::Signature("minisign -V -p KEY.pub -x {name} -m {file}")),
    ..Format::DEFAULT
};

pub(crate) static SIGNIFY_DETACHED: Format = Format {
    name: "signify-signature",
    summary: "detached signify signature; recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Signify)),
    reading: Reading::Not(Refusal::Signature("signify -V -p KEY.pub -x {name} -m {file}")),
    ..Format::DEFAULT
};

pub(crate) static SSH: Format = Format {
    name: "ssh-signature",
    summary: "detached SSH signature (ssh-keygen -Y sign); recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Ssh)),
    reading: Reading::Not(Refusal::Signature(
        "ssh-keygen -Y verify -f SIGNERS -I WHO -n file -s {name} < {file}",
    )),
    ..Format::DEFAULT
};

pub(crate) static CMS: Format = Format {
    name: "cms-signature",
    summary: "detached CMS (PKCS #7) signature; recognized, not read",
    sniff: |head| Claim::mark(kind(head) == Some(Kind::Cms)),
    reading: Reading::Not(Refusal::Signature(
        "openssl cms -verify -binary -inform PEM -in {name} -content {file} -CAfile CA.pem",
    )),
    ..Format::DEFAULT
};

pub(crate) static SIGSTORE: Format = Format {
    name: "sigstore-bundle",
    summary: "sigstore bundle with the signature of a file; recognized, not read",
    // A bundle with a DSSE envelope contains a statement with digests, which is read as JSON.
    sniff: |head: &Head<'_>| {
        let begin = &head.text[..head.text.len().min(512)];
        let is_bundle = scan::contains(begin, b"application/vnd.dev.sigstore.bundle");
        Claim::mark(is_bundle && !scan::contains(head.text, b"\"dsseEnvelope\""))
    },
    reading: Reading::Not(Refusal::Signature(
        "cosign verify-blob --bundle {name} --certificate-identity WHO --certificate-oidc-issuer URL {file}",
    )),
    ..Format::DEFAULT
};

/// The program or standard that produced a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OpenPgp,
    Minisign,
    Signify,
    Ssh,
    Cms,
}

pub(crate) static SIGNIFY: Format = Format {
    name: "signify",
    summary: "tagged lines with an embedded signify signature",
    sniff: |head: &Head<'_>| {
        let mut lines = head.lines(b'\n');
        let signed = is_signify(lines.next()?, lines.next()?);
        let text =
            lines.next().is_some_and(|line| !line.starts_with(b"trusted comment:") && !scan::is_empty(line));
        Claim::mark(signed && text)
    },
    reading: Reading::lines(|options| Box::new(Embedded { skip: 2, lines: Mixed::new(options, b'\n') })),
    ..Format::DEFAULT
};

const ARMOR: &[(&[u8], Kind)] = &[
    (b"-----BEGIN PGP SIGNATURE-----", Kind::OpenPgp),
    (b"-----BEGIN SSH SIGNATURE-----", Kind::Ssh),
    (b"-----BEGIN PKCS7-----", Kind::Cms),
    (b"-----BEGIN CMS-----", Kind::Cms),
];

/// Returns true for the first two lines of a signify or minisign signature.
fn is_signify(first: &[u8], second: &[u8]) -> bool {
    let second = second.strip_suffix(b"\r").unwrap_or(second);
    first.starts_with(b"untrusted comment:")
        && second.len() == 100
        && radix::base64(second)
            .is_some_and(|bytes| bytes.len() == 74 && matches!(&bytes[..2], b"Ed" | b"ED"))
}

/// Returns the kind of a detached signature, or `None` if the file is not one.
fn kind(head: &Head<'_>) -> Option<Kind> {
    let mut lines = head.lines(b'\n').filter(|line| !scan::is_empty(line));
    let first = lines.next()?;
    let title = scan::trim_end(first.strip_suffix(b"\r").unwrap_or(first));
    if let Some((_, kind)) = ARMOR.iter().find(|(armor, _)| *armor == title) {
        return Some(*kind);
    }
    if is_signify(first, lines.next().unwrap_or_default()) {
        return match lines.next() {
            None => Some(Kind::Signify),
            Some(line) => line.starts_with(b"trusted comment:").then_some(Kind::Minisign),
        };
    }
    // An OpenPGP packet (RFC 9580, section 4.2) with a signature of version 3 to 6.
    let version = match head.text {
        [0x88, _, version, ..] | [0x89, _, _, version, ..] | [0xc2, 0..=191, version, ..] => *version,
        [0xc2, 192..=223, _, version, ..] => *version,
        _ => return None,
    };
    (3..=6).contains(&version).then_some(Kind::OpenPgp)
}

struct Embedded {
    /// Number of remaining lines of the signature.
    skip: u8,
    lines: Mixed,
}

impl Parse for Embedded {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(None);
        }
        self.lines.line(line)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.lines.last()
    }
}
