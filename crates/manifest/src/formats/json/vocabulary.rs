//! The keys of JSON objects, in lower case and without hyphens, underscores and spaces.

/// Keys of names, in order of preference.
pub(super) const NAMES: &[&str] = &[
    // OSF: `path` next to it is an identifier.
    "materializedpath",
    "materialized",
    "path",
    "relativepath",
    "relpath",
    "filename",
    // SPDX
    "packagefilename",
    // conda
    "fn",
    // F-Droid
    "apkname",
    // Flatpak
    "destfilename",
    // Hugging Face
    "rfilename",
    // Anaconda
    "basename",
    "file",
    // S3, Zenodo
    "key",
    // RO-Crate, Croissant
    "@id",
    // The keys below may also hold a title.
    "name",
    "label",
];

/// The rank of the first key in [`NAMES`] whose value may be a title and not the name of a file.
pub(super) const TITLES: u8 = NAMES.len() as u8 - 2;

/// Keys of URLs, whose last component is the name.
pub(super) const ADDRESSES: &[&str] = &[
    "resolved",
    "tarball",
    "browserdownloadurl",
    "downloadurl",
    "contenturl",
    "url",
    // Fedora CoreOS
    "location",
];

/// Keys of digests whose algorithm is part of the value, in another member, or implied by the
/// length.
pub(super) const DIGESTS: &[&str] = &["digest", "hash", "checksum", "integrity", "shasum"];

/// Keys of the algorithm next to a digest, and keys of the digest next to an algorithm.
pub(in crate::formats) const ALGORITHMS: &[&str] = &[
    "algorithm",
    "alg",
    "hashalgorithm",
    "hashalg",
    "checksumalgorithm",
    "digestalgorithm",
    "hashtype",
    "checksumtype",
    "digesttype",
    // OpenStack Glance
    "oshashalgo",
    "type",
];
pub(super) const VALUES: &[&str] =
    &["value", "content", "checksumvalue", "oshashvalue", "hash", "digest", "checksum"];

/// Keys of sizes, in order of preference.
pub(super) const SIZES: &[&str] = &[
    "sizeinbytes",
    "sizebytes",
    "size",
    "length",
    "bytes",
    "filesize",
    "contentsize",
    "contentlength",
    "imagedownloadsize",
];

/// Keys of the unit of a size.
pub(super) const UNITS: &[&str] = &["sizeunit", "sizeunits", "unit"];

/// Words before the name of an algorithm in a key: `contentMd5`, `chksum_sha256`.
pub(super) const PREFIXES: &[&str] =
    &["content", "checksum", "chksum", "file", "hash", "digest", "computed", "supplied", "imagedownload"];

/// Words after the name of an algorithm in a key: `sha256sum`, `md5Checksum`.
pub(super) const SUFFIXES: &[&str] = &["sum", "checksum", "hash", "digest"];

/// Keys of objects whose digests and size belong to the object that contains them, unless they have
/// a name of their own.
pub(super) const PARTS: &[&str] = &[
    // goreleaser, OSF
    "extra",
    // OSF
    "attributes",
    // Azure
    "properties",
    "contentsettings",
    // Mendeley Data
    "contentdetails",
    // Hugging Face
    "lfs",
    // OneDrive
    "file",
    // pip
    "archiveinfo",
];

/// Keys of objects that refer to other files: the predicate of an in-toto statement has its
/// materials, and the log entries of a sigstore bundle have digests of a tree.
pub(super) const ASIDE: &[&str] = &["predicate", "verificationmaterial"];

/// Keys of values that contain entries, or the digests of one entry.
pub(super) const LISTS: &[&str] = &[
    "files",
    "assets",
    "siblings",
    "artifacts",
    "entries",
    "checksums",
    "hashes",
    "digests",
    "sums",
    "sha256sums",
    "sha512sums",
    "md5sums",
    // The Update Framework
    "targets",
    // S3
    "contents",
    // in-toto
    "subject",
];

/// Keys of values that contain digests of the enclosing object. Only these assign digests to
/// another object.
pub(super) const HOLDERS: &[&str] = &["hashes", "checksums", "digests", "hash", "checksum", "digest"];

/// Keys of maps from digests to lists of names in the inventory of an OCFL object.
pub(super) const PATHS: &[&str] = &["manifest", "fixity"];

/// The key of the stored file in Dataverse, whose name is next to it.
pub(super) const DATA_FILE: &str = "datafile";
