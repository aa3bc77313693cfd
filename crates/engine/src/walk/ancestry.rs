//! The path to a folder, stored as its name and its parent, so that the paths of a deep tree share
//! their common parts.

use crate::io::anchor::Anchor;
use std::sync::Arc;

/// A folder of the walk, as its name and a reference to its parent.
#[derive(Debug)]
pub(super) struct Ancestry {
    above: Option<Arc<Ancestry>>,
    /// The name in the parent folder; for an argument, the complete argument.
    name: Box<[u8]>,
    /// The length of the complete path.
    len: usize,
    /// The anchor from which the folder is opened.
    pub(super) anchor: Anchor,
}

impl Ancestry {
    /// Returns the path to an argument, without trailing slashes.
    pub(super) fn argument(path: &[u8], anchor: Anchor) -> Arc<Ancestry> {
        Arc::new(Ancestry { above: None, name: path.into(), len: path.len(), anchor })
    }

    /// Returns the path to a subfolder; `anchor` is that of everything in this folder.
    pub(super) fn down(self: &Arc<Ancestry>, name: &[u8], anchor: Anchor) -> Arc<Ancestry> {
        let len = self.names_at() + name.len();
        Arc::new(Ancestry { above: Some(self.clone()), name: name.into(), len, anchor })
    }

    /// Returns the length of the path.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the offset at which names in this folder begin in their paths.
    fn names_at(&self) -> usize {
        // Only `/` itself ends in a slash.
        self.len + usize::from(!self.name.ends_with(b"/"))
    }

    /// Returns the name that leads from the folder's anchor to it.
    pub(super) fn rest(&self) -> Vec<u8> {
        let rest = self.path_from(self.anchor.skip());
        if rest.is_empty() { b".".to_vec() } else { rest }
    }

    /// Returns the complete path.
    pub(super) fn path(&self) -> Vec<u8> {
        self.path_from(0)
    }

    /// Returns the path starting at `skip`, where a name begins.
    fn path_from(&self, skip: usize) -> Vec<u8> {
        // The path is filled from the end, because a folder knows only those above it. Bytes that
        // no name covers are slashes.
        let mut path = vec![b'/'; self.len.saturating_sub(skip)];
        let mut folder_path = self;
        while folder_path.len > skip {
            let at = folder_path.len - folder_path.name.len() - skip;
            path[at..at + folder_path.name.len()].copy_from_slice(&folder_path.name);
            match &folder_path.above {
                Some(above) => folder_path = above,
                None => break,
            }
        }
        path
    }
}

impl Drop for Ancestry {
    /// Drops the chain iteratively, because it is as long as the tree is deep, which the stack may
    /// not allow.
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(folder_path) = above {
            // `into_inner`, because `try_unwrap` could fail for two threads that drop the last two
            // references at the same time, and the chain would be dropped recursively.
            above = Arc::into_inner(folder_path).and_then(|mut folder_path| folder_path.above.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::resolve::Confinement;

    #[test]
    fn paths_are_built_from_their_anchor() {
        let anchor = Anchor::argument(b"/", Confinement::NoLinks).expect("the root can be opened");
        let top = Ancestry::argument(b"/", anchor.clone());
        let deep = top.down(b"usr", anchor.clone()).down(b"lib", anchor);
        assert_eq!((top.path(), top.rest()), (b"/".to_vec(), b".".to_vec()));
        assert_eq!((deep.path(), deep.rest()), (b"/usr/lib".to_vec(), b"usr/lib".to_vec()));
        assert_eq!(deep.len(), 8);
        let anchor = Anchor::argument(b".", Confinement::NoLinks).expect("this folder can be opened");
        let deep = Ancestry::argument(b".", anchor.clone()).down(b"a", anchor.clone()).down(b"b", anchor);
        assert_eq!((deep.path(), deep.rest()), (b"./a/b".to_vec(), b"a/b".to_vec()));
    }

    #[test]
    fn long_ancestry_is_dropped_without_recursion() {
        let anchor = Anchor::argument(b".", Confinement::NoLinks).expect("this folder can be opened");
        let mut folder_path = Ancestry::argument(b".", anchor.clone());
        for _ in 0..1_000_000 {
            folder_path = folder_path.down(b"d", anchor.clone());
        }
        assert_eq!(folder_path.len(), 2_000_001);
        drop(folder_path);
    }
}
