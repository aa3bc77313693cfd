//! The keys of JSON objects, in lower case and without hyphens, underscores and spaces.

/// A possible meaning of a key, which may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Meaning {
    Name = 1,
    Address = 2,
    /// The name in base64, for names that are not UTF-8.
    Base64 = 4,
    Digest = 8,
    /// The value is the name of an algorithm.
    Algorithm = 16,
    Value = 32,
    Size = 64,
    List = 128,
    Holder = 256,
    /// The key itself is the name of an algorithm.
    Tag = 512,
    /// The media type of a blob.
    Media = 1024,
    /// The entity tag of HTTP, which is a digest only in listings of S3.
    Etag = 2048,
    /// The unit of the size.
    Unit = 4096,
    /// The value is an object whose digests belong to the object that contains it.
    Part = 8192,
    /// The value is an object about other files.
    Aside = 16384,
    /// In the document itself: the value maps digests to lists of names.
    Paths = 32768,
    /// The value maps digests to names that are not those of files.
    State = 65536,
    /// In the document itself: the value maps algorithms to maps from digests to lists of names.
    Fixity = 131_072,
}

/// The keys with each meaning, in order of preference.
pub(super) const KEYS: &[(Meaning, &str)] = &[
    // OSF (`path` next to a materialized path is an identifier), Velociraptor (full path), SPDX (package file
    // name), conda (fn), F-Droid (APK name), Flatpak (dest-filename), Hugging Face (rfilename), Anaconda
    // (basename), S3 and Zenodo (key), RO-Crate and Croissant (@id). The last two words may also hold a title.
    (
        Meaning::Name,
        "materializedpath materialized path relativepath relpath fullpath filename packagefilename fn apkname \
         destfilename rfilename basename file key @id name label",
    ),
    // URLs, whose last component is the name; the last one is of Fedora CoreOS.
    (Meaning::Address, "resolved tarball browserdownloadurl downloadurl contenturl url location"),
    (Meaning::Base64, "pathbase64"),
    // The algorithm is part of the value, in another member, or implied by the length.
    (Meaning::Digest, "digest hash checksum integrity shasum"),
    (Meaning::Algorithm, ALGORITHMS),
    // The digest next to an algorithm.
    (Meaning::Value, "value content checksumvalue oshashvalue hash digest checksum"),
    (
        Meaning::Size,
        "sizeinbytes sizebytes size length bytes filesize contentsize contentlength imagedownloadsize",
    ),
    // Values that contain entries, or the digests of one entry. The last three are of The Update
    // Framework, S3 and in-toto.
    (
        Meaning::List,
        "files assets siblings artifacts entries checksums hashes digests sums sha256sums sha512sums \
         md5sums targets contents subject",
    ),
    // Digests of the enclosing object. Only these assign digests to another object.
    (Meaning::Holder, "hashes checksums digests hash checksum digest"),
    (Meaning::Media, "mediatype"),
    (Meaning::Etag, "etag"),
    (Meaning::Unit, "sizeunit sizeunits unit"),
    // Objects whose digests and size belong to the object that contains them, unless they have a name of
    // their own: goreleaser and OSF (extra, attributes), Azure (properties, content settings), Mendeley
    // Data (content details), Hugging Face (lfs), OneDrive (file), pip (archive info), Backblaze (file info).
    (
        Meaning::Part,
        "extra attributes properties contentsettings contentdetails lfs file archiveinfo fileinfo",
    ),
    (Meaning::Part, DATA_FILE),
    // The predicate of an in-toto statement has its materials, the log entries of a sigstore bundle have
    // digests of a tree, and an SPDX document has the digests of documents that it refers to.
    (Meaning::Aside, "predicate verificationmaterial externaldocumentrefs"),
    // The inventory of an OCFL object. The state of a version has names in that version.
    (Meaning::Paths, "manifest"),
    (Meaning::Fixity, "fixity"),
    (Meaning::State, "state"),
];

/// The rank of the first name in [`KEYS`] that may be a title and not the name of a file.
pub(super) const TITLES: u8 = 16;

/// Keys of the algorithm next to a digest.
pub(in crate::formats) const ALGORITHMS: &str = "algorithm alg hashalgorithm hashalg checksumalgorithm \
    digestalgorithm hashtype checksumtype digesttype oshashalgo type";

/// The key of the stored file in Dataverse, whose name is next to it.
pub(super) const DATA_FILE: &str = "datafile";

/// Words before the name of an algorithm in a key: `contentMd5`, `chksum_sha256`.
pub(super) const PREFIXES: &[&str] = &[
    "content",
    "checksum",
    "chksum",
    "file",
    "hash",
    "digest",
    "computed",
    "supplied",
    "imagedownload",
    "largefile",
];

/// Words after the name of an algorithm in a key: `sha256sum`, `md5Checksum`.
pub(super) const SUFFIXES: &[&str] = &["sum", "checksum", "hash", "digest"];
