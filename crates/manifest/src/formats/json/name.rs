//! The name of the file that an object describes, if several of its members may be the name.

use std::borrow::Cow;

/// The name of an entry, and another one that is equally likely.
#[derive(Default)]
pub(super) struct Naming<'a> {
    pub(super) name: Option<Cow<'a, [u8]>>,
    pub(super) other: Option<Cow<'a, [u8]>>,
}

impl<'a> From<Option<Cow<'a, [u8]>>> for Naming<'a> {
    fn from(name: Option<Cow<'a, [u8]>>) -> Naming<'a> {
        Naming { name, other: None }
    }
}

/// Returns true if the last component has a stem and an extension, so that it is probably the name
/// of a file and not a title, an identifier or a version.
pub(in crate::formats) fn is_file_like(name: &[u8]) -> bool {
    let last = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let Some(dot) = last.iter().rposition(|&byte| byte == b'.') else { return false };
    let (stem, ending) = (&last[..dot], &last[dot + 1..]);
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    // The end of a version: `1.0rc1`.
    let is_version = is_digit(stem.last()) && is_digit(ending.first()) && ending != b"7z";
    !stem.is_empty()
        && (1..=8).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_alphanumeric)
        && ending.iter().any(u8::is_ascii_alphabetic)
        && !is_version
}

/// Chooses between titles, the last component of a URL and the key of a map of names.
///
/// Only one that looks like the name of a file is used if there is one. Two of them must agree: one
/// may be the path of the other.
pub(super) fn choose<'a>(
    titles: Vec<Cow<'a, [u8]>>,
    address: Option<Cow<'a, [u8]>>,
    key: Option<Cow<'a, [u8]>>,
) -> Naming<'a> {
    let any_like = titles.iter().chain(&address).chain(&key).any(|name| is_file_like(name));
    // An address without an extension ends in an identifier.
    let address = if titles.is_empty() && key.is_none() || any_like { address } else { None };
    let mut naming = Naming::default();
    for name in titles.into_iter().chain(address).chain(key) {
        if any_like && !is_file_like(&name) {
            continue;
        }
        match &naming.name {
            None => naming.name = Some(name),
            Some(known) if is_path_of(known, &name) => {}
            Some(known) if is_path_of(&name, known) => naming.name = Some(name),
            Some(_) => naming.other = Some(name),
        }
    }
    naming
}

/// Returns true if `path` is the name, or ends in it as its last components.
pub(in crate::formats) fn is_path_of(path: &[u8], name: &[u8]) -> bool {
    path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_titles_are_not_file_names() {
        for name in ["a.bin", "d/a.tar.gz", "a-1.7z", "numpy-1.0-py39_0.tar.bz2"] {
            assert!(is_file_like(name.as_bytes()), "{name}");
        }
        for name in ["numpy", "1.0", "1.0rc1", "x86_64", "Windows installer", ".hidden", "python3.11"] {
            assert!(!is_file_like(name.as_bytes()), "{name}");
        }
    }
}
