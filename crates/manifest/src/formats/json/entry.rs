//! The entry that an object describes: its name, size and digests.

use super::key::{Key, Meaning};
use super::name::{Naming, choose};
use super::object::{
    INVALID_ALGORITHM, Kind, Member, Object, is_invalid_algorithm, is_lost, is_other, is_short_digest,
    is_text,
};
use super::vocabulary::TITLES;
use super::walk::Traversal;
use super::words::{BYTES, bytes, is_below, is_rounded, last_of_url};
use crate::digest::is_tag;
use crate::records::stated;
use crate::{radix, scan};
use data_encoding::BASE64;
use std::borrow::Cow;

/// Keys of the directory that contains the file of the same object.
pub(super) const FOLDERS: &[&str] = &["directory", "directoryLabel", "dir", "folder", "subfolder", "parent"];

pub(super) const UNREADABLE: &str = "its digest is malformed";

impl Object {
    /// Returns the name of an entry. `key` is the key of the object, if it may be a name.
    pub(super) fn name<'a>(&'a self, key: Option<&'a str>) -> Naming<'a> {
        if let Some(bytes) = self.text_of(Meaning::Base64) {
            return BASE64.decode(bytes.as_bytes()).map(Cow::Owned).ok().into();
        }
        if let Some(name) = self.name_of_service() {
            return Some(Cow::Owned(name)).into();
        }
        let address = || last_of_url(self.text_of(Meaning::Address)?);
        // In an npm lock file, `name` is the name of a module.
        let resolved = self
            .iter()
            .any(|(.., member)| is_text(member) && member.key.is(Meaning::Address) && member.key.rank == 0);
        if resolved {
            return address().into();
        }
        let names = || self.iter().filter(|(.., member)| is_text(*member) && member.key.is(Meaning::Name));
        let certain = names().filter(|(.., member)| member.key.rank < TITLES);
        if let Some((key, name, _)) = certain.min_by_key(|(.., member)| member.key.rank) {
            let name = match key {
                "@id" if name.contains("://") => last_of_url(name),
                "@id" => radix::percent(name.as_bytes()).map(Cow::Owned),
                // OSF writes the path in the project.
                "materialized" | "materialized_path" => {
                    Some(Cow::Borrowed(name.strip_prefix('/').unwrap_or(name).as_bytes()))
                }
                _ => Some(Cow::Borrowed(name.as_bytes())),
            };
            return name.into();
        }
        let titles = names().map(|(_, name, _)| {
            let is_relative = self.has_rooted_name() && !name.starts_with("//");
            let name = name.strip_prefix('/').filter(|_| is_relative).unwrap_or(name);
            match self.text("directoryLabel").map(|folder| folder.trim_matches('/')) {
                Some(folder) if is_below(folder) => Cow::Owned(format!("{folder}/{name}").into_bytes()),
                _ => Cow::Borrowed(name.as_bytes()),
            }
        });
        choose(titles.collect(), address(), key.map(|key| Cow::Borrowed(key.as_bytes())))
    }

    pub(super) fn entry(&self, name: Option<&[u8]>, digests: &Object, walk: &mut Traversal<'_>) {
        let is_get_filehash = ["Algorithm", "Hash", "Path"].iter().all(|key| self.text(key).is_some());
        let relative = name.filter(|_| is_get_filehash).map(|path| walk.drive.relative(path));
        let name = relative.as_deref().or(name);
        let records = &mut walk.records;
        records.begin(walk.at);
        if let Some(name) = name {
            records.name(name);
        }
        let sizes = self.iter().filter(|(.., member)| {
            member.key.is(Meaning::Size)
                && matches!(member.kind, Kind::Number | Kind::Text | Kind::Odd | Kind::True)
        });
        let size = sizes.min_by_key(|(.., member)| member.key.rank);
        if let Some((_, value, member)) = size.filter(|(.., member)| !self.is_rounded(*member)) {
            match member.kind {
                Kind::Odd | Kind::True => records.size(b"-"),
                _ => match bytes(value) {
                    Some(digits) => records.size(digits.as_bytes()),
                    None if is_text(member) && is_rounded(value) => {}
                    None => records.size(value.as_bytes()),
                },
            }
        }
        for (tag, value, member) in digests.iter() {
            match tag {
                _ if member.kind == Kind::Fault => records.fault(UNREADABLE),
                // If there are no other digests, the entry has no digest.
                _ if member.kind == Kind::Null => {
                    if digests.iter().any(|(.., other)| other.kind != Kind::Null) {
                        records.fault(UNREADABLE);
                    }
                }
                "" if value.trim().is_empty() => records.fault(UNREADABLE),
                "" => records.stated_digest(value.as_bytes()),
                tag => records.digest(tag.as_bytes(), value.as_bytes()),
            }
        }
        // Possibly a digest of an algorithm that truesum does not implement.
        let is_recorded = |key: &str| digests.iter().any(|(tag, ..)| tag == key);
        for (key, value, member) in self.iter() {
            let is_digest = is_lost(key, value, member)
                || is_text(member) && member.key == Key::default() && is_short_digest(key, value)
                || member.kind == Kind::Listed && !is_other(key);
            if is_digest && self.has_all_digests() {
                records.fault_of("a digest under an unknown key", key.as_bytes());
            } else if !digests.is_empty() && is_digest && !is_recorded(key) {
                records.unread(key.as_bytes());
            } else if member.key == Key::default()
                && member.kind.is_value()
                && !is_digest
                && !is_recorded(key)
            {
                records.attribute(key.as_bytes());
            }
        }
        if !digests.is_empty()
            && let Some((key, ..)) = self.iter().find(|(key, _, member)| is_invalid_algorithm(key, *member))
        {
            records.fault_of(INVALID_ALGORITHM, key.as_bytes());
        }
        if digests.is_empty() && self.has(Kind::Stray) {
            records.fault("the digests of this entry are under an unknown key");
        }
        if self.is_ambiguous(Meaning::Name)
            || self.is_ambiguous(Meaning::Address)
            || self.is_ambiguous(Meaning::Base64)
        {
            records.fault("two names for one file");
        }
        let folder = self.iter().find(|(key, value, member)| {
            is_text(*member) && FOLDERS.iter().any(|word| key.eq_ignore_ascii_case(word)) && is_below(value)
        });
        let joined = |folder: &str| name.is_some_and(|name| name.starts_with(folder.as_bytes()));
        if let Some((key, ..)) = folder.filter(|(_, folder, _)| !joined(folder)) {
            records.fault_of(
                "a folder that is stored separately from the name is not supported",
                key.as_bytes(),
            );
        }
        if self.is_ambiguous(Meaning::Size) && !size.is_some_and(|(.., member)| self.is_rounded(member)) {
            records.fault("two sizes for one file");
        }
    }

    /// Returns true if another member specifies a unit other than the byte for a size, which is then
    /// rounded.
    fn is_rounded(&self, size: Member) -> bool {
        !size.key.is_in_bytes()
            && self
                .text_of(Meaning::Unit)
                .is_some_and(|unit| !BYTES.iter().any(|word| unit.eq_ignore_ascii_case(word)))
    }

    /// Adds the entry of a blob, whose path in an image layout is derived from its digest.
    pub(super) fn descriptor(&self, walk: &mut Traversal<'_>) {
        let digest = self.blob().unwrap_or_default();
        let (tag, hex) = stated(digest.as_bytes()).unwrap_or_default();
        let lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let good = is_tag(tag) && scan::all(hex, lower);
        let mut digests = Object::default();
        let name = if good { [b"blobs/", tag, b"/", hex].concat() } else { b"blobs".to_vec() };
        if good {
            digests.push("", digest, 0, Kind::Digest, Key::default());
        }
        self.entry(Some(&name), &digests, walk);
        if !good {
            walk.records.fault("the digest of a blob is not ALGORITHM:HEX in lower case");
        }
    }

    /// Returns the digest of a descriptor.
    pub(super) fn blob(&self) -> Option<&str> {
        let digest = |member: &Member| member.kind == Kind::Text && member.key.is(Meaning::Digest);
        self.iter().find(|(key, _, member)| digest(member) && *key == "digest").map(|(_, value, _)| value)
    }
}
