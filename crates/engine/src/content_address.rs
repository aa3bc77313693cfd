//! Files that are named by their content: keys of git-annex (`SHA256E-s3--HEX.txt`), and blobs whose folder has the name
//! of the algorithm, as in OCI image layouts (`blobs/sha256/HEX`).

use truesum_hash::{Digest, Spec};

readable! {
    /// The content of a file according to its name.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ContentAddress {
        /// The algorithm of the digest.
        spec: Spec => &Spec,
        /// The digest.
        digest: Digest => &Digest,
        /// The size of the file in bytes, if it is in the name.
        size: Option<u64>,
    }
}

/// The backends of git-annex whose keys contain a digest, and their algorithms. A backend with the suffix `E` adds the
/// extension of the file. (git-annex manual, "Backends")
const BACKENDS: &[(&str, &str)] = &[
    ("SHA256", "sha256"),
    ("SHA512", "sha512"),
    ("SHA384", "sha384"),
    ("SHA224", "sha224"),
    ("SHA1", "sha1"),
    ("MD5", "md5"),
    ("SHA3_512", "sha3-512"),
    ("SHA3_384", "sha3-384"),
    ("SHA3_256", "sha3-256"),
    ("SHA3_224", "sha3-224"),
    ("SKEIN512", "skein512"),
    ("SKEIN256", "skein256"),
    ("BLAKE2B160", "blake2b-160"),
    ("BLAKE2B224", "blake2b-224"),
    ("BLAKE2B256", "blake2b-256"),
    ("BLAKE2B384", "blake2b-384"),
    ("BLAKE2B512", "blake2b"),
    ("BLAKE2BP512", "blake2bp"),
    ("BLAKE2S160", "blake2s-160"),
    ("BLAKE2S224", "blake2s-224"),
    ("BLAKE2S256", "blake2s"),
    ("BLAKE2SP256", "blake2sp"),
];

/// Algorithms that are names of folders of blobs.
const FOLDERS: &[&str] = &["sha256", "sha384", "sha512"];

/// Returns the digest that the name of a file consists of. Returns `None` for other names, and for keys of chunks, which
/// have the digest of the complete file.
///
/// ```
/// use truesum::content_address::address;
/// let key = address(b"d/SHA256E-s3--ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.tar.gz").unwrap();
/// assert_eq!((key.spec().to_string().as_str(), key.size()), ("sha256", Some(3)));
/// let blob = address(b"blobs/sha256/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").unwrap();
/// assert_eq!(blob.digest(), key.digest());
/// ```
pub fn address(path: &[u8]) -> Option<ContentAddress> {
    let path = std::str::from_utf8(path).ok()?;
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    if FOLDERS.contains(&folder) {
        return of_digits(folder, base, None);
    }
    let (fields, name) = base.split_once("--")?;
    let mut fields = fields.split('-');
    let backend = fields.next()?;
    let is =
        |backend: &str| BACKENDS.iter().find(|(known, _)| *known == backend).map(|(_, algorithm)| *algorithm);
    let stem = backend.strip_suffix('E').and_then(is);
    let algorithm = stem.or_else(|| is(backend))?;
    let mut size = None;
    for field in fields {
        match field.split_at_checked(1)? {
            ("s", digits) => size = Some(digits.parse().ok()?),
            ("m", _) => {}
            _ => return None,
        }
    }
    let digits = match stem {
        Some(_) => name.split('.').next()?,
        None => name,
    };
    of_digits(algorithm, digits, size)
}

/// Returns the address with this digest, which is in lower case.
fn of_digits(algorithm: &str, digits: &str, size: Option<u64>) -> Option<ContentAddress> {
    let spec: Spec = algorithm.parse().expect("a row of the table of algorithms");
    let digest = Digest::from_hex(digits.as_bytes()).ok()?;
    let is_lower = digits.bytes().all(|byte| !byte.is_ascii_uppercase());
    (is_lower && digest.len() == spec.digest_len()).then_some(ContentAddress { spec, digest, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_blobs_have_the_digest_in_their_names() {
        let hex = |name: &str| name.parse::<Spec>().unwrap().digest(b"abc").to_hex();
        for (backend, algorithm) in BACKENDS {
            for name in [
                format!("{backend}--{}", hex(algorithm)),
                format!("x/{backend}E-s3-m1--{}.a.b", hex(algorithm)),
            ] {
                let found = address(name.as_bytes()).unwrap();
                assert_eq!(
                    (found.spec.to_string(), found.digest.to_hex()),
                    (algorithm.to_string(), hex(algorithm))
                );
                assert_eq!(found.size, name.contains("-s3").then_some(3));
            }
        }
        let (sha256, md5) = (hex("sha256"), hex("md5"));
        for name in [
            format!("SHA256--{sha256}.txt"),
            format!("SHA256E-s3-S2-C1--{sha256}"),
            format!("SHA256E-s--{sha256}"),
            format!("SHA256-s3--{md5}"),
            format!("SHA256-s3--{}", sha256.to_uppercase()),
            format!("WORM-s3-m1--{md5}"),
            format!("URL--{md5}"),
            format!("x/sha256/{md5}"),
            format!("sha256/{sha256}/x"),
            sha256.clone(),
            "--".to_owned(),
            String::new(),
        ] {
            assert_eq!(address(name.as_bytes()), None, "{name}");
        }
    }
}
