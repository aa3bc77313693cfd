//! Files that are named by their content: keys of git-annex (`SHA256E-s3--HEX.txt`), and files of stores whose layout is
//! in `LAYOUTS`, such as OCI image layouts (`blobs/sha256/HEX`).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
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

/// A layout of a store, as the last components of paths in it: `@` is the algorithm, `#` all other digits of the digest,
/// `##` two digits of it, `==` two digits that the digest also begins with or continues with, and `*` any text.
struct Layout {
    path: &'static str,
    /// The algorithms. Without `@`, the length of the digest determines which of them it is.
    algorithms: &'static [&'static str],
}

const SHA2: &[&str] = &["sha256", "sha384", "sha512"];
/// Files in Git LFS, and files in Git.
const HUGGING_FACE: &[&str] = &["sha256", "git-blob"];

const LAYOUTS: &[Layout] = &[
    // OCI image layouts (OCI image specification, "image-layout.md") and other folders with the name of an algorithm
    Layout { path: "@/#", algorithms: SHA2 },
    // Registries of container images (distribution, "paths.go")
    Layout { path: "blobs/@/==/#/data", algorithms: SHA2 },
    // Ollama
    Layout { path: "blobs/@-#", algorithms: &["sha256"] },
    // DVC 3: files, and lists of the files in a folder
    Layout { path: "files/@/##/#", algorithms: &["md5"] },
    Layout { path: "files/@/##/#.dir", algorithms: &["md5"] },
    // The cache of Hugging Face
    Layout { path: "models--*/blobs/#", algorithms: HUGGING_FACE },
    Layout { path: "datasets--*/blobs/#", algorithms: HUGGING_FACE },
    Layout { path: "spaces--*/blobs/#", algorithms: HUGGING_FACE },
    // The cache of npm (cacache)
    Layout { path: "content-v2/@/##/##/#", algorithms: &["sha512", "sha256", "sha1"] },
    // Git LFS
    Layout { path: "lfs/objects/==/==/#", algorithms: &["sha256"] },
];

impl Layout {
    /// Returns the address in a path of this layout.
    fn address(&self, path: &str) -> Option<ContentAddress> {
        let (mut parts, mut digits, mut repeated) = (path.rsplit('/'), Vec::new(), Vec::new());
        let mut algorithm = None;
        for pattern in self.path.rsplit('/') {
            let (mut own, mut twice) = (String::new(), String::new());
            let found = self.component(pattern, parts.next()?, &mut own, &mut twice)?;
            algorithm = algorithm.or(found);
            digits.insert(0, own);
            repeated.insert(0, twice);
        }
        let digits = digits.concat();
        let fits = |algorithm: &&&str| of_digits(algorithm, &digits, None).is_some();
        let algorithm = algorithm.or_else(|| self.algorithms.iter().find(fits).copied())?;
        digits.starts_with(&repeated.concat()).then(|| of_digits(algorithm, &digits, None))?
    }

    /// Matches one component of a path. Returns the algorithm in it, if any, as an inner value.
    fn component(
        &self,
        mut pattern: &str,
        mut text: &str,
        digits: &mut String,
        repeated: &mut String,
    ) -> Option<Option<&'static str>> {
        let mut algorithm = None;
        let two = |text: &str| text.split_at_checked(2).is_some_and(|(two, _)| is_lower_hex(two));
        while let Some(first) = pattern.chars().next() {
            let mut len = 1;
            match first {
                '*' => return (!text.is_empty()).then_some(algorithm),
                '@' => {
                    let name = self.algorithms.iter().copied().find(|name| {
                        text.strip_prefix(name)
                            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
                    })?;
                    algorithm = Some(name);
                    text = &text[name.len()..];
                }
                '#' | '=' if pattern[1..].starts_with(first) => {
                    len = 2;
                    if !two(text) {
                        return None;
                    }
                    let found = if first == '#' { &mut *digits } else { &mut *repeated };
                    found.push_str(&text[..2]);
                    text = &text[2..];
                }
                '#' => {
                    let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
                    digits.push_str(&text[..end]);
                    text = &text[end..];
                }
                literal => text = text.strip_prefix(literal)?,
            }
            pattern = &pattern[len..];
        }
        text.is_empty().then_some(algorithm)
    }
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

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
    LAYOUTS.iter().find_map(|layout| layout.address(path)).or_else(|| key(path.rsplit('/').next()?))
}

/// Files in the folder above `blobs` in an OCI image layout that have other names. Docker adds the last two.
const MEMBERS: [&str; 4] = [OCI_LAYOUT, "index.json", "manifest.json", "repositories"];
/// The file that marks an OCI image layout.
const OCI_LAYOUT: &str = "oci-layout";

/// Removes the files that belong to an OCI image layout from these, which have no address.
pub(crate) fn remove_members(others: &mut Vec<PathBuf>) {
    let is_marked = |path: &&PathBuf| path.ends_with(OCI_LAYOUT);
    let folders: HashSet<PathBuf> =
        others.iter().filter(is_marked).filter_map(|path| path.parent().map(Path::to_owned)).collect();
    others.retain(|path| {
        let is_member = MEMBERS.iter().any(|name| path.ends_with(name));
        !(is_member && path.parent().is_some_and(|folder| folders.contains(folder)))
    });
}

/// Returns the address in a key of git-annex.
fn key(base: &str) -> Option<ContentAddress> {
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
    fn every_layout_has_the_digest_in_its_paths() {
        for Layout { path, algorithms } in LAYOUTS {
            for algorithm in *algorithms {
                let digest = algorithm.parse::<Spec>().unwrap().digest(b"abc").to_hex();
                let (mut rest, mut again, mut text) =
                    (&digest[..], &digest[..], path.replace('@', algorithm));
                text = text.replace('*', "a--b");
                while let Some(at) = text.find("==") {
                    text.replace_range(at..at + 2, &again[..2]);
                    again = &again[2..];
                }
                while let Some(at) = text.find("##") {
                    text.replace_range(at..at + 2, &rest[..2]);
                    rest = &rest[2..];
                }
                let text = format!("store/{}", text.replace('#', rest));
                let found = address(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
                assert_eq!(
                    (found.spec.to_string(), found.digest.to_hex()),
                    ((*algorithm).to_owned(), digest.clone())
                );
                assert_eq!(address(&text.as_bytes()[..text.len() - 1]), None, "{text}");
                assert_eq!(address(format!("{text}.tmp").as_bytes()), None, "{text}");
                assert_eq!(address(text.replace(rest, &rest.to_uppercase()).as_bytes()), None, "{text}");
            }
        }
        let sha256 = "sha256".parse::<Spec>().unwrap().digest(b"abc").to_hex();
        for path in [
            format!("blobs/sha256/00/{sha256}/data"),
            format!("lfs/objects/00/00/{sha256}"),
            format!("blobs/{sha256}"),
            format!("files/md5/00/{sha256}"),
            format!("blobs/sha1-{sha256}"),
        ] {
            assert_eq!(address(path.as_bytes()), None, "{path}");
        }
    }

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
