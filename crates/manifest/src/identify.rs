//! Identifies a digest without context: its possible algorithms and its encoding.
//!
//! Only the length and the alphabet are known, so there are several answers, the most likely first.
//! [`part_sizes`] does the same for the part size of an upload whose ETag has the number of parts.

mod candidate;
mod matching;

pub use crate::algorithm::likelihood;
use crate::algorithm::{meant, usual};
use crate::encoding::from_multibase;
use crate::radix;
pub use candidate::{Candidate, Encoding, Unidentified};
pub use matching::{matching, part_sizes};
use truesum_hash::{ALGORITHMS, Algorithm, CRC_CATALOGUE, Digest, Lengths, Spec, Status};

/// Codes of multihashes, from the table of <https://github.com/multiformats/multicodec>.
const MULTIHASH: &[(u64, &str)] = &[
    (0x11, "sha1"),
    (0x12, "sha256"),
    (0x13, "sha512"),
    (0x14, "sha3-512"),
    (0x15, "sha3-384"),
    (0x16, "sha3-256"),
    (0x17, "sha3-224"),
    (0x18, "shake128"),
    (0x19, "shake256"),
    (0x1a, "keccak224"),
    (0x1b, "keccak256"),
    (0x1c, "keccak384"),
    (0x1d, "keccak512"),
    (0x1e, "blake3"),
    (0x20, "sha384"),
    (0xd4, "md4"),
    (0xd5, "md5"),
    (0x1013, "sha224"),
    (0x1014, "sha512-224"),
    (0x1015, "sha512-256"),
    (0x1053, "ripemd160"),
    (0x534d, "sm3"),
];

/// Maximum length of a text, in bytes.
const LIMIT: usize = 1024;

/// Returns the possible algorithms of a digest, the most likely first: hexadecimal before encodings
/// with more characters, the usual algorithm of a length before others, common algorithms before
/// rare ones, and secure algorithms before broken ones and checksums.
///
/// The name of an algorithm may precede the digest: `NAME:DIGEST`, or `NAME-BASE64` as in W3C
/// Subresource Integrity.
///
/// ```
/// use truesum_manifest::identify::identify;
/// let found = identify("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=").unwrap();
/// assert_eq!((found[0].spec().to_string().as_str(), found[0].encoding().name()), ("sha256", "base64"));
/// assert_eq!(identify("d41d8cd98f00b204e9800998ecf8427e").unwrap()[0].spec().to_string(), "md5");
/// ```
///
/// # Errors
/// Fails if the text cannot be a digest.
pub fn identify(text: &str) -> Result<Vec<Candidate>, Unidentified> {
    let text = text.trim();
    // The syntax of an ETag in HTTP (RFC 9110, section 8.8.3).
    let etag =
        text.strip_prefix("W/").unwrap_or(text).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let text = etag.unwrap_or(text);
    // Names of resources (RFC 8141, RFC 6920), and the qualifiers of Software Heritage identifiers.
    let resource = text.strip_prefix("ni:///").map(|rest| rest.replacen(';', ":", 1));
    let text = resource.as_deref().or(text.strip_prefix("urn:")).unwrap_or(text);
    let text = text.split_once(';').map_or(text, |(id, _)| if id.starts_with("swh:1:") { id } else { text });
    if text.starts_with('$') || text.starts_with("{SSHA") || text.starts_with("{CRYPT}") {
        return Err(Unidentified::Password);
    }
    if text.is_empty() || text.len() > LIMIT {
        return Err(Unidentified::Spelling);
    }
    let mut named = false;
    // The longest name comes first: `blake2b-256:` is not `blake2b-` and a digest.
    for (at, _) in text.rmatch_indices([':', '-']) {
        let digest = text[at + 1..].trim();
        // Options of Subresource Integrity, which do not affect the digest.
        let digest = digest.split('?').next().unwrap_or(digest);
        let Ok(spec) = meant(text[..at].trim(), digest.as_bytes()).parse::<Spec>() else { continue };
        named = true;
        let found = spellings(digest).into_iter().filter(|(_, digest)| fits(&spec, digest));
        let candidate = |(encoding, digest)| Candidate { spec: spec.clone(), digest, encoding };
        let found: Vec<Candidate> = found.map(candidate).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let mut spellings = spellings(text);
    if named {
        // `b2` is the name of an algorithm, but also the first byte of many digests with colons.
        spellings.retain(|(encoding, _)| *encoding == Encoding::Hex);
    }
    let Some((_, first)) = spellings.first() else {
        return Err(if named { Unidentified::Named } else { Unidentified::Spelling });
    };
    let length = first.len();
    let mut found: Vec<Candidate> = Vec::new();
    for (encoding, digest) in spellings {
        if matches!(encoding, Encoding::Hex | Encoding::Multibase | Encoding::Base58) {
            found.extend(multihash(&digest));
        }
        for spec in algorithms(&digest, encoding) {
            found.push(Candidate { spec, digest: digest.clone(), encoding });
        }
    }
    found.sort_by_key(rank);
    if found.is_empty() { Err(Unidentified::Length(length)) } else { Ok(found) }
}

/// Minimum number of bytes in encodings whose letters can also form words.
const SHORTEST: usize = 16;

/// Returns all ways to decode a text.
fn spellings(text: &str) -> Vec<(Encoding, Digest)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let parted = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b':';
    let hex = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let hex: Vec<u8> = hex.iter().copied().filter(parted).collect();
    if let Ok(digest) = Digest::from_hex(&hex) {
        found.push((Encoding::Hex, digest));
    }
    if let Ok(number) = text.parse::<u64>()
        && text.bytes().all(|byte| byte.is_ascii_digit())
    {
        for len in [2usize, 4, 8] {
            if len == 8 || number >> (8 * len) == 0 {
                found.push((Encoding::Decimal, Digest::new(&number.to_be_bytes()[8 - len..])));
            }
        }
    }
    // A digest with a number of parts after it.
    if let Ok(digest) = Digest::from_base64(bytes)
        && digest.parts().is_some()
    {
        found.push((Encoding::Base64, digest));
    }
    let mut other = |encoding, bytes: Option<Vec<u8>>| {
        found.extend(bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| (encoding, Digest::new(&bytes))));
    };
    other(Encoding::Cid, radix::cid(bytes));
    other(Encoding::C4, radix::c4(bytes));
    other(Encoding::Nix32, radix::from_nix32(bytes));
    other(Encoding::Base32, radix::base32(bytes));
    let url = text.contains(['-', '_']);
    other(if url { Encoding::Base64Url } else { Encoding::Base64 }, radix::base64(bytes));
    other(Encoding::Multibase, from_multibase(bytes));
    other(Encoding::BubbleBabble, radix::from_bubble_babble(bytes));
    // Texts in almost every other encoding are also valid base58, so it is tried only if nothing
    // more specific fits.
    let letters = [Encoding::Base64, Encoding::Base64Url, Encoding::Multibase];
    if found.iter().all(|(encoding, _)| letters.contains(encoding)) {
        let base58 = radix::from_base58(bytes).filter(|bytes| bytes.len() >= SHORTEST);
        found.extend(base58.map(|bytes| (Encoding::Base58, Digest::new(&bytes))));
    }
    if found.is_empty() {
        let z85 = radix::from_z85(bytes).filter(|bytes| bytes.len() >= SHORTEST);
        found.extend(z85.map(|bytes| (Encoding::Z85, Digest::new(&bytes))));
    }
    found
}

fn fits(spec: &Spec, digest: &Digest) -> bool {
    spec.digest_len() == digest.len() && spec.counts_parts() == digest.parts().is_some()
}

/// Returns whether an algorithm is tried without being named. Sampling algorithms verify nothing,
/// and SHA-1 with collision detection gives the same digest as SHA-1 or none.
fn is_tried(row: &Algorithm) -> bool {
    !matches!(row.status(), Status::Sampled(_)) && row.name() != "sha1dc"
}

/// Returns the algorithms that this digest may be of.
fn algorithms(digest: &Digest, encoding: Encoding) -> Vec<Spec> {
    let of_length = |row: &'static Algorithm| {
        let spec = Spec::new(row);
        // Only common lengths are tried: a digest of any other length is probably not that of such
        // an algorithm.
        let chosen =
            row.lengths() != Lengths::Fixed && matches!(digest.len(), 16 | 20 | 24 | 28 | 32 | 48 | 64);
        match spec.digest_len() == digest.len() {
            false if chosen => spec.with_bits(digest.len() * 8).ok(),
            _ => Some(spec),
        }
    };
    let usual_spelling = |spec: &Spec| match encoding {
        Encoding::Decimal => spec.digest_len() <= 8 && !spec.algorithm().status().tamper_evident(),
        Encoding::C4 => spec.algorithm().name() == "sha512",
        Encoding::Cid => spec.algorithm().name().starts_with("cid-"),
        // Short digests are not written in encodings with many letters.
        Encoding::Hex | Encoding::Multihash => true,
        Encoding::Nix32 | Encoding::Base32 | Encoding::Base58 | Encoding::Z85 => {
            spec.digest_len() >= SHORTEST
        }
        Encoding::Multibase | Encoding::BubbleBabble => spec.digest_len() >= 8,
        Encoding::Base64 | Encoding::Base64Url => spec.digest_len() >= 4,
    };
    let rows = ALGORITHMS.iter().filter(|row| is_tried(row)).filter_map(of_length);
    rows.filter(|spec| fits(spec, digest) && usual_spelling(spec)).collect()
}

/// Returns the CRCs of the catalogue that a digest of two to eight bytes may be of. There are too
/// many of them for a list to be useful, so they are tried only if there is a file to compare with.
///
/// ```
/// use truesum_manifest::identify::catalogue;
/// assert!(catalogue("0x29b1").iter().any(|found| found.spec().to_string() == "crc-16/ibm-3740"));
/// ```
pub fn catalogue(text: &str) -> Vec<Candidate> {
    let text = text.trim();
    let mut found: Vec<Candidate> = Vec::new();
    for (encoding, digest) in spellings(text) {
        if !matches!(encoding, Encoding::Hex | Encoding::Decimal) {
            continue;
        }
        for row in CRC_CATALOGUE {
            let spec = Spec::new(row);
            if fits(&spec, &digest) {
                found.push(Candidate { spec, digest: digest.clone(), encoding });
            }
        }
    }
    found
}

/// Piece lengths that programs use for torrents, in KiB.
const PIECES_KIB: [u64; 11] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

/// Returns the info hashes of torrents that a digest of 20 bytes may be, for a file with this name:
/// with the piece length that RHash selects, and with all common ones.
pub fn info_hashes(text: &str, name: &[u8]) -> Vec<Candidate> {
    let pieces = || std::iter::once(None).chain(PIECES_KIB.map(|kib| Some(kib << 10)));
    let text =
        text.trim().trim_start_matches("magnet:?xt=").trim_start_matches("urn:").trim_start_matches("btih:");
    let digests = spellings(text).into_iter().filter(|(encoding, digest)| {
        matches!(encoding, Encoding::Hex | Encoding::Base32) && digest.len() == 20 && digest.parts().is_none()
    });
    digests
        .flat_map(|(encoding, digest)| {
            let specs = pieces().filter_map(|piece| Spec::info_hash(name, piece).ok());
            specs.map(move |spec| Candidate { spec, digest: digest.clone(), encoding })
        })
        .collect()
}

/// Base algorithms of tree hashes that are tried if there is a file to compare with.
const BASES: &str = "md5 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 blake2b blake2b-256";

/// Algorithms with block sizes other than the default, in KiB: fs-verity and HDFS.
const UNUSUAL: [(&str, &[u64]); 4] = [
    ("fsverity;block=", VERITY_KIB),
    ("fsverity-sha512;block=", VERITY_KIB),
    ("hdfs-md5-crc32c;block=", HDFS_KIB),
    ("hdfs-md5-crc32;block=", HDFS_KIB),
];
const VERITY_KIB: &[u64] = &[1, 2, 8, 16, 32, 64];
const HDFS_KIB: &[u64] = &[1 << 10, 32 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20];

/// Returns additional candidates, to be tried if there is a file to compare with: tree hashes,
/// unusual block sizes, sampling algorithms, and Azure's CRC, which is the CRC of NVM Express with
/// its bytes in reverse order.
pub fn uncommon(text: &str) -> Vec<Candidate> {
    let trees = truesum_hash::tree::FAMILIES.iter().flat_map(|family| {
        BASES.split(' ').map(move |base| format!("{}{base}{}", family.prefix(), family.suffix()))
    });
    let blocks =
        UNUSUAL.iter().flat_map(|(name, sizes)| sizes.iter().map(move |kib| format!("{name}{kib}KiB")));
    let samples = ALGORITHMS.iter().filter(|row| matches!(row.status(), Status::Sampled(_)));
    let specs = trees.chain(blocks).filter_map(|name| name.parse().ok());
    let specs: Vec<Spec> = specs.chain(samples.map(Spec::new)).collect();
    let mut found = Vec::new();
    for (encoding, digest) in spellings(text.trim()) {
        let specs = specs.iter().filter(|spec| fits(spec, &digest));
        found.extend(specs.map(|spec| Candidate { spec: spec.clone(), digest: digest.clone(), encoding }));
        if let (Encoding::Base64, 8, Ok(spec)) = (encoding, digest.len(), "crc64nvme".parse()) {
            let bytes: Vec<u8> = digest.as_bytes().iter().rev().copied().collect();
            found.push(Candidate { spec, digest: Digest::new(&bytes), encoding });
        }
    }
    found
}

/// Returns the digest in a multihash.
fn multihash(bytes: &Digest) -> Option<Candidate> {
    let (code, rest) = varint(bytes.as_bytes())?;
    let (len, digest) = varint(rest)?;
    if digest.is_empty() || digest.len() as u64 != len || bytes.parts().is_some() {
        return None;
    }
    let bits = digest.len() * 8;
    let spec: Spec = match code {
        0xb201..=0xb240 => format!("blake2b-{}", (code - 0xb200) * 8).parse().ok()?,
        0xb241..=0xb260 => format!("blake2s-{}", (code - 0xb240) * 8).parse().ok()?,
        _ => MULTIHASH.iter().find(|(known, _)| *known == code)?.1.parse().ok()?,
    };
    let spec = if spec.digest_len() * 8 == bits { spec } else { spec.with_bits(bits).ok()? };
    Some(Candidate { spec, digest: Digest::new(digest), encoding: Encoding::Multihash })
}

/// Decodes an unsigned number of seven bits per byte, the lowest first, and returns it with the
/// remaining bytes.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let len = bytes.iter().take(9).position(|byte| byte & 0x80 == 0)? + 1;
    let number = bytes[..len].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
    Some((number, &bytes[len..]))
}

/// Returns the sort key of a candidate; the lowest is the most likely one.
fn rank(candidate: &Candidate) -> (Encoding, bool, usize, bool, u8) {
    let Candidate { spec, encoding, .. } = candidate;
    let row = spec.algorithm();
    let written_so = match encoding {
        Encoding::Decimal => row.decimal().is_some_and(|decimal| decimal.usual()),
        _ => usual(spec.digest_len()).as_ref() == Some(spec),
    };
    let status = match row.status().word() {
        "secure" => 0,
        "weakened" => 1,
        "broken" => 2,
        _ => 3,
    };
    // A content identifier of IPFS in hexadecimal ranks with the multihash that it also is.
    let is_multihash = *encoding == Encoding::Hex && spec.digest_len() == 34;
    let encoding = if is_multihash { Encoding::Multihash } else { *encoding };
    let likelihood = likelihood(spec).unwrap_or(usize::MAX);
    (encoding, !written_so, likelihood, spec.digest_len() != row.digest_len(), status)
}

#[cfg(test)]
mod tests;
