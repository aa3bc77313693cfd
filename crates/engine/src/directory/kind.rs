//! The kinds of directory digests and their textual forms.

use crate::directory::object::{Object, ObjectType};
use crate::walk::ExcludedCounts;
use std::fmt;
use truesum_hash::tree::Merkle;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{from_nix32, to_nix32};

readable! {
    /// The digest of a tree and the counts of its objects.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Directory {
        /// The digest. [`Kind::text`] returns its textual form.
        digest: Digest => &Digest,
        /// Whether it is the digest of a file that was given in place of a tree.
        is_file: bool,
        /// The number of regular files.
        files: u64,
        /// The number of folders below the tree itself.
        folders: u64,
        /// The number of symbolic links.
        links: u64,
        /// The total size of the files in bytes.
        bytes: u64,
        /// The counts of objects that the options of the walk excluded.
        left_out: ExcludedCounts,
    }
}

/// A kind of directory digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `HASH-directory`: all objects, independent of their order, with short proofs of each.
    Truesum {
        /// The hash; see [`Kind::is_base`] for the requirements.
        spec: Spec,
        /// Whether modes are included.
        modes: bool,
    },
    /// Go's `h1:`, with a prefix before each name.
    Go {
        /// A module and its version, `golang.org/x/mod@v0.22.0`; see [`Kind::is_prefix`] for the requirements.
        prefix: Option<String>,
    },
    /// A git tree with this hash, `sha1` or `sha256`.
    Git(Spec),
    /// The SHA-256 of a Nix archive.
    Nar,
    /// Software Heritage's `swh:1:dir:`.
    SoftwareHeritage,
}

/// The encoding of a digest, for kinds that allow several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The encoding of the original program.
    #[default]
    Usual,
    /// Hexadecimal.
    Hex,
    /// `sha256-BASE64`.
    Sri,
}

impl Kind {
    /// Returns whether a directory digest can be based on this hash: not a checksum, not a tree or composite hash,
    /// without a key, and with a name that fits in the seal.
    pub fn is_base(spec: &Spec) -> bool {
        let has_trees = spec.algorithm().tree_id().is_some();
        let is_chunked = Merkle::new(spec).is_some() && spec.unit() == 0;
        spec.to_string().len() <= 16 && (has_trees || is_chunked) && *spec == unkeyed(spec)
    }

    /// Returns whether this is a valid prefix for names: components separated by single slashes, none of them `.` or
    /// `..`, and without a line feed.
    pub fn is_prefix(text: &str) -> bool {
        !text.contains('\n') && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
    }

    /// Returns the algorithm that is computed for each file.
    pub(super) fn content(&self) -> Option<Spec> {
        let name = match self {
            Kind::Truesum { spec, .. } => return Some(spec.clone()),
            Kind::Git(hash) if hash.digest_len() == 32 => "git-blob-sha256",
            Kind::Git(_) | Kind::SoftwareHeritage => "git-blob",
            Kind::Go { .. } => "sha256",
            Kind::Nar => return None,
        };
        Some(name.parse().expect("a row of the table"))
    }

    /// Returns the name that is ignored directly below the tree, or an empty one.
    pub(super) fn passed_over(&self) -> &'static [u8] {
        if matches!(self, Kind::Git(_)) { b".git" } else { b"" }
    }

    /// Returns why a tree with this object has no such digest.
    pub(super) fn refusal(&self, object: &Object) -> Option<&'static str> {
        match (self, &object.what) {
            (Kind::Truesum { .. }, _) if object.is_root() && !matches!(object.what, ObjectType::Folder) => {
                Some("it is a single file, not a folder; to hash it: truesum hash FILE")
            }
            (Kind::Git(_), _) if object.name().eq_ignore_ascii_case(b".git") => {
                Some("git does not allow .git in a path; it stores a nested repository as a commit")
            }
            (Kind::Go { .. }, ObjectType::Link(_)) => Some("h1 does not support symbolic links"),
            (Kind::Go { .. }, ObjectType::File) if object.path.contains(&b'\n') => {
                Some("h1 does not support names with a line feed")
            }
            _ => None,
        }
    }

    /// Returns a digest in the form in which it is written and compared.
    pub fn text(&self, directory: &Directory, encoding: Encoding) -> String {
        let digest = &directory.digest;
        match (self, encoding) {
            (Kind::Truesum { spec, modes }, _) => format!("{}:{digest}", Token { spec, modes: *modes }),
            (Kind::Go { .. }, _) => format!("h1:{}", digest.to_base64()),
            (Kind::SoftwareHeritage, _) if directory.is_file => format!("swh:1:cnt:{digest}"),
            (Kind::SoftwareHeritage, _) => format!("swh:1:dir:{digest}"),
            (Kind::Nar, Encoding::Usual) => format!("sha256:{}", to_nix32(digest.as_bytes())),
            (Kind::Nar, Encoding::Sri) => format!("sha256-{}", digest.to_base64()),
            (Kind::Git(_), _) | (Kind::Nar, Encoding::Hex) => digest.to_hex(),
        }
    }

    /// Parses a text written by [`Kind::text`] or by the original program: the kind and the digest, in any encoding.
    /// Returns `None` for a bare digest, which could be of any kind.
    pub fn read(text: &str) -> Option<(Kind, Digest)> {
        let hex = |text: &str| Digest::from_hex(text.as_bytes()).ok();
        let (name, digest) = text.rsplit_once(':').unwrap_or(("", text));
        let (kind, digest) = match name {
            "h1" => (Kind::Go { prefix: None }, Digest::from_base64(digest.as_bytes()).ok()?),
            "swh:1:dir" | "swh:1:cnt" => (Kind::SoftwareHeritage, hex(digest)?),
            "sha256" => (Kind::Nar, Digest::new(&from_nix32(digest.as_bytes())?)),
            "" => (Kind::Nar, Digest::from_base64(text.strip_prefix("sha256-")?.as_bytes()).ok()?),
            _ => {
                let (name, modes) = match name.strip_suffix(";modes") {
                    Some(name) => (name, true),
                    None => (name, false),
                };
                let spec: Spec = name.strip_suffix("-directory")?.parse().ok()?;
                if !Kind::is_base(&spec) {
                    return None;
                }
                (Kind::Truesum { spec, modes }, hex(digest)?)
            }
        };
        (digest.len() == kind.digest_len() && digest.parts().is_none()).then_some((kind, digest))
    }

    /// Returns whether the digest contains modes, or which files are programs.
    pub(super) fn has_modes(&self) -> bool {
        matches!(self, Kind::Truesum { modes: true, .. } | Kind::Git(_) | Kind::Nar | Kind::SoftwareHeritage)
    }

    /// Returns the digest length in bytes.
    pub fn digest_len(&self) -> usize {
        match self {
            Kind::Truesum { spec, .. } | Kind::Git(spec) => spec.digest_len(),
            Kind::Go { .. } | Kind::Nar => 32,
            Kind::SoftwareHeritage => 20,
        }
    }
}

fn unkeyed(spec: &Spec) -> Spec {
    let plain = Spec::new(spec.algorithm());
    plain.clone().with_bits(spec.digest_len() * 8).unwrap_or(plain)
}

/// The prefix of a `HASH-directory` digest.
pub(super) struct Token<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) modes: bool,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-directory{}", self.spec, if self.modes { ";modes" } else { "" })
    }
}
