//! The names in manifests, by a hash of eight bytes each.

use crate::select::names::parts;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Returns the deepest folder, relative to the root, that contains all these names; empty for the root itself.
pub(crate) fn common_folder<'n>(names: impl Iterator<Item = &'n [u8]>) -> Vec<u8> {
    let mut listed = ListedNames::default();
    names.for_each(|name| listed.narrow(name));
    listed.folder.unwrap_or_default()
}

/// The names in manifests, as hashes. Names that differ only in `.`, `..` or doubled slashes are equal.
#[derive(Default)]
pub struct ListedNames {
    /// Random keys for each process, so that an attacker cannot craft a name that passes for one in the manifest.
    keys: RandomState,
    hashes: Vec<u64>,
    sorted: bool,
    /// The deepest folder that contains all names; `None` before the first name.
    folder: Option<Vec<u8>>,
}

impl ListedNames {
    /// Adds a name.
    pub fn add(&mut self, name: &[u8]) {
        let hash = self.hash(name);
        self.hashes.push(hash);
        self.sorted = false;
        self.narrow(name);
    }

    /// Returns whether some name was added more than once.
    pub fn has_duplicates(&mut self) -> bool {
        if !self.sorted {
            self.hashes.sort_unstable();
            self.sorted = true;
        }
        self.hashes.windows(2).any(|two| two[0] == two[1])
    }

    /// Returns the deepest folder, relative to the root, that contains all names; empty for the root itself.
    pub fn folder(&self) -> &[u8] {
        self.folder.as_deref().unwrap_or_default()
    }

    /// Changes the common folder so that it also contains this name.
    fn narrow(&mut self, name: &[u8]) {
        if self.folder.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let parts: Vec<&[u8]> = parts(&name[..end]).collect();
        let outside = name.starts_with(b"/") || parts.contains(&&b".."[..]);
        let shared = match &self.folder {
            _ if outside => 0,
            None => parts.len(),
            Some(folder) => {
                folder.split(|&byte| byte == b'/').zip(&parts).take_while(|(a, b)| a == *b).count()
            }
        };
        let before = self.folder.as_ref().map(|folder| folder.split(|&byte| byte == b'/').count());
        if before != Some(shared) {
            self.folder = Some(parts[..shared].join(&b'/'));
        }
    }

    /// Returns whether a name was added.
    pub fn contains(&mut self, name: &[u8]) -> bool {
        if !self.sorted {
            self.hashes.sort_unstable();
            self.hashes.dedup();
            self.sorted = true;
        }
        self.hashes.binary_search(&self.hash(name)).is_ok()
    }

    /// Returns the number of names; repeated ones are counted once after the first query.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether no name was added.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.keys.build_hasher();
        let mut write = |part: &[u8]| {
            hasher.write(part);
            hasher.write_u8(b'/');
        };
        if name.first() == Some(&b'/') {
            write(b"");
        }
        if parts(name).any(|part| part == b"..") {
            let mut stack: Vec<&[u8]> = Vec::new();
            for part in parts(name) {
                if part != b".." || stack.last().is_none_or(|last| *last == b"..") {
                    stack.push(part);
                } else {
                    stack.pop();
                }
            }
            stack.into_iter().for_each(write);
        } else {
            parts(name).for_each(write);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_after_normalizing_dots_and_slashes() {
        let mut listed = ListedNames::default();
        for name in ["./a//b", "x/../c", "../d", "/e"] {
            listed.add(name.as_bytes());
        }
        for name in ["a/b", "c", "./c", "y/../../d", "/e", "//e"] {
            assert!(listed.contains(name.as_bytes()), "{name}");
        }
        for name in ["ab", "a", "d", "e", "b", "a/b/c"] {
            assert!(!listed.contains(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn common_folder_is_the_deepest_shared_one() {
        for (names, folder) in [
            (&["a/b/c"][..], "a/b"),
            (&["a/b/c", "a/b/d"], "a/b"),
            (&["./a//b/c", "a/x/d"], "a"),
            (&["a/b/c", "a/bb/c"], "a"),
            (&["a/b", "c"], ""),
            (&["c", "a/b"], ""),
            (&["a/b", "../c"], ""),
            (&["a/b", "/c"], ""),
            (&["a/b/c/d", "a/b", "a/b/e"], "a"),
            (&[], ""),
        ] {
            let mut listed = ListedNames::default();
            names.iter().for_each(|name| listed.add(name.as_bytes()));
            assert_eq!(listed.folder(), folder.as_bytes(), "{names:?}");
        }
    }
}
