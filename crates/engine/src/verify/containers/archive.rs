//! Debian archives: which of the indices in `Release` must exist, and under which other names.
//!
//! An index is listed uncompressed and in every compression, and a server need not have all forms: it is not an error
//! if one is missing and another form exists. With `Acquire-By-Hash`, an index is also in `by-hash/ALG/DIGEST` next to
//! its name. (Debian repository format, "Compression of indices" and "indices acquisition via hashsums".)

use crate::verify::event::Manifest;
use std::ffi::OsStr;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};

/// The file name extensions of compressed indices.
const PACKED: [&str; 6] = [".xz", ".gz", ".bz2", ".zst", ".lzma", ".lz4"];

/// The folders with names by digest, and their algorithms.
const BY_HASH: [(&str, &str); 4] =
    [("SHA512", "sha512"), ("SHA256", "sha256"), ("SHA1", "sha1"), ("MD5Sum", "md5")];

/// Returns whether a manifest with this name lists the indices of an archive.
pub(crate) fn is_release(manifest: &[u8]) -> bool {
    let base = Path::new(OsStr::from_bytes(manifest)).file_name();
    base.is_some_and(|base| base == "Release" || base == "InRelease")
}

/// Returns the names of an index by digest.
pub(crate) fn by_hash<'a>(
    name: &'a [u8],
    specs: &'a [Spec],
    digests: &'a [Digest],
) -> impl Iterator<Item = Vec<u8>> + 'a {
    let folder = &name[..name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)];
    BY_HASH.iter().filter_map(move |(place, algorithm)| {
        let at = specs.iter().position(|spec| spec.to_string() == *algorithm)?;
        Some([folder, format!("by-hash/{place}/{}", digests.get(at)?.to_hex()).as_bytes()].concat())
    })
}

/// Returns whether a missing index is not required because another form of it exists.
pub(crate) fn is_optional(manifest: &Manifest<'_>, name: &[u8]) -> bool {
    if !is_release(manifest.name.as_os_str().as_bytes()) {
        return false;
    }
    let ending = PACKED.iter().find(|end| name.ends_with(end.as_bytes()));
    let plain = &name[..name.len() - ending.map_or(0, |end| end.len())];
    std::iter::once(&"").chain(&PACKED).any(|end| {
        let form = [plain, end.as_bytes()].concat();
        form != name && manifest.root.exists(Path::new(OsStr::from_bytes(&form)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum_fs::name::BACKSLASH_SEPARATES;

    #[test]
    fn by_hash_names_are_next_to_the_index() {
        let specs: Vec<Spec> = ["md5", "sha256"].iter().map(|name| name.parse().unwrap()).collect();
        let digests: Vec<Digest> = specs.iter().map(|spec| spec.digest(b"")).collect();
        let names: Vec<String> = by_hash(b"main/binary-all/Packages.xz", &specs, &digests)
            .map(|name| String::from_utf8(name).unwrap())
            .collect();
        assert_eq!(
            names,
            [
                format!("main/binary-all/by-hash/SHA256/{}", digests[1].to_hex()),
                format!("main/binary-all/by-hash/MD5Sum/{}", digests[0].to_hex()),
            ]
        );
        assert!(is_release(b"dists/stable/InRelease") && !is_release(b"Release.gpg"));
        assert_eq!(is_release(b"stable\\Release"), BACKSLASH_SEPARATES);
    }
}
