//! The interpretations that the position of an object in its document allows.

use super::key::{Key, Meaning};

/// The interpretations that an object's position in the document allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The top level of the document.
    Top,
    /// The value of a key of lists or of an algorithm's name: possibly a map of
    /// names.
    List,
    /// An item of an array.
    Item,
    /// A member of a map of names: its key is a name.
    Named,
    /// A part of a map from digests to lists of names.
    Paths,
    /// A map from algorithms to maps from digests to lists of names.
    Fixity,
    /// A map from digests of an algorithm to lists of names. Whatever the key is, it is a digest.
    PathsByDigest,
    /// A list of names that have the digest in its key.
    PathsOfDigest,
    /// An object about other files, which is skipped.
    Aside,
    /// Any other position.
    Other,
}

impl Role {
    /// Returns the role of the value of this key.
    pub(super) fn of_member(self, key: Key) -> Role {
        if self == Role::Paths || self == Role::Top && key.is(Meaning::Paths) {
            Role::Paths
        } else if self == Role::Top && key.is(Meaning::Fixity) {
            Role::Fixity
        } else if self == Role::Fixity {
            Role::PathsByDigest
        } else if self == Role::PathsByDigest {
            Role::PathsOfDigest
        } else if key.is(Meaning::Aside) && self != Role::List {
            Role::Aside
        } else if key.is(Meaning::List) || key.is(Meaning::Tag) {
            Role::List
        } else if self == Role::List {
            Role::Named
        } else {
            Role::Other
        }
    }

    pub(super) fn of_items(self, key: Key) -> Role {
        match self {
            Role::Paths | Role::PathsOfDigest | Role::Aside => self,
            _ if self == Role::Top || key.is(Meaning::List) => Role::Item,
            _ => Role::Other,
        }
    }
}
