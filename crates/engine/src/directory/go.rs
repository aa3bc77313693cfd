//! The hash of a Go module: `h1:`.

use crate::directory::gather::Gathered;
use crate::directory::object::{Object, ObjectType};
use std::fmt::Write;
use truesum_hash::{Digest, Spec};

/// Returns the SHA-256 of one line per file, sorted by name.
pub(super) fn digest(gathered: &Gathered, prefix: Option<&str>) -> Digest {
    let mut files: Vec<&Object> =
        gathered.objects.iter().filter(|object| matches!(object.what, ObjectType::File)).collect();
    files.sort_unstable_by_key(|object| &object.path);
    let mut hasher = "sha256".parse::<Spec>().expect("a row of the table").hasher();
    let mut hex = String::new();
    for file in files {
        hex.clear();
        for byte in gathered.digest(file) {
            let _ = write!(hex, "{byte:02x}");
        }
        hasher.update(hex.as_bytes());
        hasher.update(b"  ");
        if let Some(prefix) = prefix {
            hasher.update(prefix.as_bytes());
            hasher.update(b"/");
        }
        hasher.update(if file.is_root() { gathered.root_name() } else { &file.path });
        hasher.update(b"\n");
    }
    hasher.finish()
}
