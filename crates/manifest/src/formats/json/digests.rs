//! The digests of an object that is one entry, or that consists of an algorithm and a value.

use super::key::{Key, Meaning, is_nearly_digest, is_other_algorithm};
use super::object::{Kind, Member, Object, is_text};
use super::services::Content;
use super::walk::Traversal;
use super::words::{is_digest_of_any_length, is_of_parts, is_short_base64, like_digest};
use crate::digest::is_hex;
use crate::records::stated;
use truesum_hash::Spec;

/// A prefix of SHA-1 digests in Backblaze.
const UNVERIFIED: &str = "unverified:";

impl Object {
    /// Returns the digests of an object that is one entry, or that consists of an algorithm and a
    /// value. The keys of the result are algorithms.
    pub(super) fn digests(&self, walk: &mut Traversal<'_>, sense: Key) -> Object {
        let mut found = Object::default();
        let none = Key::default();
        if let (Some(tag), Some(value)) = (self.text_of(Meaning::Algorithm), self.text_of(Meaning::Value))
            && (tag.parse::<Spec>().is_ok()
                || is_nearly_digest(tag)
                || self.has_key_like("os_hash_algo")
                || self.members.len() == 2
                || self.algorithm() == Some(tag) && stated(value.as_bytes()).is_none())
        {
            let at = self.members.first().map_or(0, |member| member.at as usize);
            found.push(tag, value, at, Kind::Digest, none);
            // Glance has an MD5 as well, under `checksum`.
            if !self.has_key_like("os_hash_algo") {
                return found;
            }
        } else if self.has_key_like("os_hash_value") {
            found.push("", "", 0, Kind::Fault, none);
        }
        let services = self.digests_of_services();
        let of_service = |key: &str| match services.iter().find(|(known, _)| *known == key) {
            Some((_, Content::Of(tag))) => Some(*tag),
            _ => None,
        };
        for (key, value, member) in self.iter() {
            let at = member.at as usize;
            match member.kind {
                Kind::Digest => found.push(key, value, at, Kind::Digest, none),
                Kind::Fault => found.push("", "", at, Kind::Fault, none),
                // A large file in Backblaze, whose SHA-1 is elsewhere.
                Kind::Null if key == "contentMd5" && self.has_key("contentSha1") => {}
                Kind::Null if member.key.holds_digest() => found.push("", "", at, Kind::Null, none),
                Kind::Text if self.is_no_digest(key, value, member) || is_composite(key, value, member) => {}
                Kind::Text => {
                    if let Some(tag) = of_service(key) {
                        found.push(tag, value, at, Kind::Digest, none);
                        continue;
                    }
                    match walk.keys.tag(member.key) {
                        // Backblaze received it with the file and did not compute it.
                        Some("sha1") if value.starts_with(UNVERIFIED) => {
                            found.push("sha1", &value[UNVERIFIED.len()..], at, Kind::Digest, none);
                        }
                        Some("crc")
                            if !sense.is(Meaning::Holder) && value.len() == 8 && is_hex(value.as_bytes()) =>
                        {
                            found.push("crc32", value, at, Kind::Digest, none);
                        }
                        _ if member.key.is(Meaning::Digest) && !value.trim().is_empty() => {
                            found.push("", value, at, Kind::Digest, none);
                        }
                        Some(tag) => found.push(tag, value, at, Kind::Digest, none),
                        // CKAN writes it for files whose digest is unknown.
                        None if member.key.is(Meaning::Digest) && value.trim().is_empty() => {
                            found.push("", "", at, Kind::Null, none);
                        }
                        None if member.key.holds_digest() => found.push("", "", at, Kind::Fault, none),
                        None => {}
                    }
                }
                Kind::Number | Kind::Odd | Kind::True if member.key.holds_digest() => {
                    found.push("", "", at, Kind::Fault, none);
                }
                _ => {}
            }
        }
        let tag = services.iter().find(|(_, content)| *content == Content::EntityTag);
        if found.is_empty()
            && let Some(etag) = tag.and_then(|(key, _)| self.text(key))
        {
            match etag.trim_matches('"') {
                etag if etag.len() == 32 && is_hex(etag.as_bytes()) => {
                    found.push("md5", etag, 0, Kind::Digest, none);
                }
                etag if is_of_parts(etag) => {}
                _ => found.push("", "", 0, Kind::Fault, none),
            }
        }
        let alone = services.iter().find_map(|(key, content)| match content {
            Content::Alone(tag) => Some((*tag, self.text(key)?)),
            _ => None,
        });
        if let Some((tag, digest)) = alone.filter(|_| found.is_empty() && self.object_kind().is_none()) {
            found.push(tag, digest, 0, Kind::Digest, none);
        }
        // A checksum of the checksums of parts.
        if found.is_empty() && self.iter().any(|(key, value, member)| is_composite(key, value, member)) {
            found.push("", "", 0, Kind::Null, none);
        }
        // If one digest is under the name of its algorithm, all are.
        let all = sense.is(Meaning::Holder) && !found.is_empty();
        for (key, value, member) in self.iter() {
            if member.key == Key::default()
                && is_text(member)
                && (all && is_digest_of_any_length(value) && !is_nearly_digest(key)
                    || like_digest(value) && is_other_algorithm(key))
            {
                found.push(key, value, member.at as usize, Kind::Digest, none);
            }
        }
        // A digest under a damaged key.
        let mut damaged = self.iter().filter(|(key, value, member)| {
            let known = member.key != Key::default();
            !known
                && is_text(*member)
                && *key != "oid"
                && (like_digest(value) || is_short_base64(value))
                && (is_nearly_digest(key) || key.is_empty())
        });
        if let Some((.., member)) = damaged.next() {
            found.push("", "", member.at as usize, Kind::Fault, none);
        }
        found
    }

    /// Returns true for a text under a key of digests that is not one: it is empty and another
    /// member has the same digest, or it names a file of checksums.
    fn is_no_digest(&self, key: &str, value: &str, member: Member) -> bool {
        let is_same = |other: &Member| other.key.same_tag(member.key) && is_text(*other);
        match value {
            _ if self.is_unrelated(key) => true,
            // A large file in Backblaze.
            "none" => key == "contentSha1",
            "" if member.key.is(Meaning::Tag) => {
                self.iter().any(|(_, other, member)| !other.is_empty() && is_same(&member))
            }
            "" => key.eq_ignore_ascii_case("shasum"),
            value => {
                let ending = value.rsplit_once('.').map_or("", |(_, ending)| ending);
                !value.contains(':') && ending.parse::<Spec>().is_ok() && self.has(Kind::Digest)
            }
        }
    }

    /// Returns the members that belong to the enclosing object.
    pub(super) fn part(&self, mut digests: Object, is_data_file: bool) -> Object {
        for (key, value, member) in self.iter() {
            if member.key.is(Meaning::Size) && matches!(member.kind, Kind::Number | Kind::Text | Kind::Odd) {
                digests.push(key, value, member.at as usize, member.kind, member.key);
            }
        }
        if let Some(name) = self.text_of(Meaning::Name).filter(|_| is_data_file) {
            let title = Key::of_title();
            digests.push("name", name, 0, Kind::Text, title);
        }
        digests
    }
}

/// Returns true for a checksum of the checksums of an object's parts in S3: `ChecksumSHA256` with the number of parts
/// after a hyphen.
fn is_composite(key: &str, value: &str, member: Member) -> bool {
    let is_number = |parts: &str| !parts.is_empty() && parts.bytes().all(|byte| byte.is_ascii_digit());
    let is_checksum = is_text(member) && member.key.is(Meaning::Tag) && key.starts_with("Checksum");
    is_checksum && value.rsplit_once('-').is_some_and(|(_, parts)| is_number(parts))
}
