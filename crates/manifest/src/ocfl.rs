//! The inventory of an object in the Oxford Common File Layout (OCFL 1.0 and 1.1): parses `inventory.json` and verifies
//! that its parts agree with each other.
//!
//! An inventory maps digests to content files (`manifest`), and the names of each version to digests (`versions`). The
//! entries themselves are read like those of any other JSON document; this module reads what belongs to the object.

use crate::path::within_root;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use truesum_hash::Spec;

readable! {
    /// An inventory whose parts agree.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Inventory {
        /// The identifier of the object.
        id: String => &str,
        /// The version of the layout, for example `1.1`.
        layout: &'static str,
        /// The algorithm of the digests that identify content.
        algorithm: Spec => &Spec,
        /// The folder in each version folder that contains its content.
        content_folder: String => &str,
        /// The names of the version folders, the oldest first.
        folders: Vec<String> => &[String],
        /// The digest of each content file, in lowercase hexadecimal digits.
        content: BTreeMap<String, String> => &BTreeMap<String, String>,
        /// The digest of each file of each version, by its name in that version.
        states: Vec<BTreeMap<String, String>> => &[BTreeMap<String, String>],
        /// The algorithm, digest and name of each content file in the fixity block.
        fixity: BTreeSet<(String, String, String)> => &BTreeSet<(String, String, String)>,
    }
}

/// The members of an object in the order of the document. A repeated key must not replace an earlier one.
struct Members<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object(PhantomData))
    }
}

/// The names of the files that have each digest.
type NamesByDigest = Members<Vec<String>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    digest_algorithm: String,
    head: String,
    #[serde(default, deserialize_with = "not_null")]
    content_directory: Option<String>,
    manifest: NamesByDigest,
    versions: Members<Version>,
    #[serde(default, deserialize_with = "not_null")]
    fixity: Option<Members<NamesByDigest>>,
}

/// Reads a member that may be absent but not null.
fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct Version {
    created: String,
    state: NamesByDigest,
    #[serde(default, rename = "message", deserialize_with = "not_null")]
    _message: Option<String>,
    #[serde(default, rename = "user", deserialize_with = "not_null")]
    _user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    #[serde(rename = "name")]
    _name: String,
    #[serde(default, rename = "address", deserialize_with = "not_null")]
    _address: Option<String>,
}

/// Parses an inventory.
///
/// ```
/// let error = truesum_manifest::ocfl::parse(b"{}").unwrap_err();
/// assert!(error.contains("missing field"), "{error}");
/// ```
///
/// # Errors
/// Returns why the document is not a valid inventory.
pub fn parse(text: &[u8]) -> Result<Inventory, String> {
    let document: Document =
        serde_json::from_slice(text).map_err(|error| format!("not a valid inventory: {error}"))?;
    let layout = match document.kind.as_str() {
        "https://ocfl.io/1.0/spec/#inventory" => "1.0",
        "https://ocfl.io/1.1/spec/#inventory" => "1.1",
        other => return Err(format!("unsupported type of inventory: {other:?}")),
    };
    if document.id.is_empty() {
        return Err("the id is empty".to_owned());
    }
    let algorithm =
        Some(document.digest_algorithm.as_str()).filter(|name| ["sha256", "sha512"].contains(name));
    let algorithm: Spec = algorithm
        .and_then(|name| name.parse().ok())
        .ok_or_else(|| format!("unsupported digestAlgorithm {:?}", document.digest_algorithm))?;
    let content_folder = document.content_directory.unwrap_or_else(|| "content".to_owned());
    if content_folder.contains('/') || ["", ".", ".."].contains(&&*content_folder) {
        return Err(format!("invalid contentDirectory {content_folder:?}"));
    }
    let names = document.versions.0.iter().map(|(name, _)| name.as_str());
    let folders = versions(names, &document.head)?;
    let content = by_name(document.manifest, "the manifest")?;
    let mut digests = BTreeSet::new();
    for (name, digest) in &content {
        if !is_content(name, &folders, &content_folder) {
            return Err(format!("the manifest contains {name:?}, which is not a content file of a version"));
        }
        if !is_digest(&algorithm, digest) {
            return Err(format!("the manifest contains an invalid digest for {name:?}"));
        }
        digests.insert(digest.as_str());
    }
    let mut states: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (version, members) in document.versions.0 {
        if !is_time(&members.created) {
            return Err(format!("the time {:?} in {version} is not in RFC 3339", members.created));
        }
        let state = by_name(members.state, &version)?;
        if let Some((name, _)) = state.iter().find(|(_, digest)| !digests.contains(digest.as_str())) {
            return Err(format!("the digest of {name:?} in {version} is not in the manifest"));
        }
        states.insert(version, state);
    }
    let used: BTreeSet<&String> = states.values().flat_map(BTreeMap::values).collect();
    if let Some((name, _)) = content.iter().find(|(_, digest)| !used.contains(digest)) {
        return Err(format!("the manifest contains {name:?}, which belongs to no version"));
    }
    let mut fixity = BTreeSet::new();
    for (name, block) in document.fixity.map(|fixity| fixity.0).unwrap_or_default() {
        let block = by_name(block, &format!("fixity of {name}"))?;
        if let Some(file) = block.keys().find(|file| !content.contains_key(*file)) {
            return Err(format!("fixity contains {file:?}, which is not in the manifest"));
        }
        if let Ok(spec) = name.parse::<Spec>()
            && let Some((file, _)) = block.iter().find(|(_, digest)| !is_digest(&spec, digest))
        {
            return Err(format!("invalid digest in the fixity block: {name} of {file:?}"));
        }
        fixity.extend(block.into_iter().map(|(file, digest)| (name.clone(), digest, file)));
    }
    let states = folders.iter().filter_map(|folder| states.remove(folder)).collect();
    Ok(Inventory { id: document.id, layout, algorithm, content_folder, folders, content, states, fixity })
}

/// Returns the names of versions in ascending order: `v1`, `v2`, or all with the same number of digits after a zero.
fn versions<'n>(names: impl Iterator<Item = &'n str>, head: &str) -> Result<Vec<String>, String> {
    let mut numbered = BTreeMap::new();
    for name in names {
        let digits = name.strip_prefix('v').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse::<u32>().ok());
        let number = number.ok_or_else(|| format!("invalid version {name:?}"))?;
        if numbered.insert(number, name.to_owned()).is_some() {
            return Err(format!("version {name:?} occurs twice"));
        }
    }
    let folders: Vec<String> = numbered.values().cloned().collect();
    let Some(last) = folders.last() else { return Err("there is no version".to_owned()) };
    if let Some((at, _)) = (1..).zip(numbered.keys()).find(|(at, number)| at != *number) {
        return Err(format!("version {at} is missing"));
    }
    let pads = |name: &String| name.starts_with("v0");
    if folders.iter().any(|name| pads(name) != pads(last) || pads(last) && name.len() != last.len()) {
        return Err("the version numbers have different numbers of digits".to_owned());
    }
    match head == last {
        true => Ok(folders),
        false => Err(format!("the head is {head:?}, but the last version is {last:?}")),
    }
}

/// Returns the digest of each name, in lowercase.
fn by_name(members: NamesByDigest, place: &str) -> Result<BTreeMap<String, String>, String> {
    let (mut found, mut digests) = (BTreeMap::new(), BTreeSet::new());
    for (digest, names) in members.0 {
        let digest = digest.to_ascii_lowercase();
        if !digests.insert(digest.clone()) {
            return Err(format!("{place} contains the digest {digest:?} twice"));
        }
        for name in names {
            let is_plain = within_root(name.as_bytes()).is_ok()
                && name.split('/').all(|part| !["", ".", ".."].contains(&part));
            if !is_plain {
                return Err(format!("{place} contains the invalid name {name:?}"));
            }
            if found.insert(name.clone(), digest.clone()).is_some() {
                return Err(format!("{place} contains {name:?} twice"));
            }
        }
    }
    let folder_of = |name: &String| {
        let mut folders = name.match_indices('/').map(|(at, _)| &name[..at]);
        folders.find(|folder| found.contains_key(*folder)).map(str::to_owned)
    };
    if let Some((name, file)) = found.keys().find_map(|name| Some((name, folder_of(name)?))) {
        return Err(format!("{place} contains {name:?}, although {file:?} is a file"));
    }
    Ok(found)
}

/// Returns whether a text is a date and time with seconds and a time zone in RFC 3339.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let Some(rest) = shape.to_ascii_uppercase().strip_prefix("0000-00-00T00:00:00").map(str::to_owned) else {
        return false;
    };
    let zone = rest.strip_prefix(".0").map_or(&*rest, |fraction| fraction.trim_start_matches('0'));
    let within = |at: usize, range: std::ops::RangeInclusive<u32>| {
        text[at..at + 2].parse().is_ok_and(|number| range.contains(&number))
    };
    let offset = text.len() - zone.len();
    let is_zone = zone == "Z"
        || ["+00:00", "-00:00"].contains(&zone) && within(offset + 1, 0..=23) && within(offset + 4, 0..=59);
    // A minute can have a leap second.
    is_zone && is_date(&text[..10]) && within(11, 0..=23) && within(14, 0..=59) && within(17, 0..=60)
}

/// Returns whether the day exists in the month of a date in the form `2026-01-31`.
fn is_date(text: &str) -> bool {
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(&text[..4]), number(&text[5..7]), number(&text[8..]));
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Returns whether a text is a digest of this algorithm.
fn is_digest(algorithm: &Spec, text: &str) -> bool {
    text.len() == 2 * algorithm.digest_len() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a name is that of a file in the content folder of a version.
fn is_content(name: &str, folders: &[String], content_folder: &str) -> bool {
    name.split_once('/').is_some_and(|(version, rest)| {
        let below = rest.strip_prefix(content_folder).and_then(|rest| rest.strip_prefix('/'));
        below.is_some() && folders.iter().any(|folder| folder == version)
    })
}

impl Inventory {
    /// Returns how this inventory, which describes the object up to one of its versions, contradicts `newer`. Digests of
    /// another algorithm are not compared.
    pub fn contradiction(&self, newer: &Inventory) -> Option<String> {
        if self.id != newer.id {
            return Some(format!("its id is {:?}, not {:?}", self.id, newer.id));
        }
        if self.content_folder != newer.content_folder {
            return Some(format!(
                "its contentDirectory is {:?}, not {:?}",
                self.content_folder, newer.content_folder
            ));
        }
        if self.layout > newer.layout {
            return Some(format!(
                "it has the type of OCFL {}, but a later inventory has that of OCFL {}",
                self.layout, newer.layout
            ));
        }
        if !newer.folders.starts_with(&self.folders) {
            return Some("its versions differ from those in inventory.json".to_owned());
        }
        for (name, digest) in &self.content {
            let other = newer.content.get(name);
            if other.is_none_or(|other| self.algorithm == newer.algorithm && other != digest) {
                return Some(format!("its entry for {name:?} differs from that in inventory.json"));
            }
        }
        let states = self.folders.iter().zip(self.states.iter().zip(&newer.states));
        states
            .filter(|(_, (own, other))| self.resolved(own) != newer.resolved_as(other, self))
            .map(|(folder, _)| format!("its state of {folder} differs from that in inventory.json"))
            .next()
    }

    /// Returns the content files of each name of a version.
    fn resolved<'i>(&'i self, state: &'i BTreeMap<String, String>) -> BTreeMap<&'i str, BTreeSet<&'i str>> {
        self.resolved_as(state, self)
    }

    /// Returns the content files of each name of a version that `known` has, too: a later version may store the same
    /// content again.
    fn resolved_as<'i>(
        &'i self,
        state: &'i BTreeMap<String, String>,
        known: &Inventory,
    ) -> BTreeMap<&'i str, BTreeSet<&'i str>> {
        let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, digest) in self.content.iter().filter(|(file, _)| known.content.contains_key(*file)) {
            files.entry(digest).or_default().insert(file);
        }
        state
            .iter()
            .map(|(name, digest)| (name.as_str(), files.get(digest.as_str()).cloned().unwrap_or_default()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_rfc_3339_with_seconds_and_time_zone() {
        for valid in ["2026-01-31T00:00:00Z", "2024-02-29t23:59:60.125z", "2026-12-01T10:00:00-11:30"] {
            assert!(is_time(valid), "{valid}");
        }
        for invalid in [
            "",
            "2026",
            "2026-01-01",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00+24:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "\u{e4}026-01-01T00:00:00Z",
        ] {
            assert!(!is_time(invalid), "{invalid}");
        }
    }
}
