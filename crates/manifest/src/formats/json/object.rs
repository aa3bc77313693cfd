//! Classification of JSON objects: an entry, a map of names, digests of the enclosing object, or
//! something unrelated.

use super::key::{DATA_FILE, Key, Meaning, TITLES, is_nearly_digest, is_nearly_name, is_other_algorithm};
use super::name::{Naming, choose, is_file_like};
use super::walk::Visit;
use crate::digest::{MIN_DIGITS, is_hex, is_like, is_tag};
use crate::records::stated;
use crate::{radix, scan};
use data_encoding::BASE64;
use std::borrow::Cow;
use truesum_hash::Spec;

/// The meaning of a value for the object that contains it.
pub(super) enum Statement<'de> {
    Nothing,
    Null,
    Text(Cow<'de, str>),
    Number(u64),
    /// A number that cannot be a size, or `false`.
    Odd,
    True,
    /// A value other than a digest where a digest is expected.
    Fault,
    /// An object with a digest that cannot be assigned to a file.
    Stray,
    /// An array or map that contains digests under a key that does not refer to them.
    Listed,
    /// Digests of the enclosing object.
    Digests(Object),
}

/// The interpretations that an object's position in the document allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The top level of the document.
    Top,
    /// The value of a key in [`LISTS`](super::key) or of an algorithm's name: possibly a map of
    /// names.
    List,
    /// An item of an array.
    Item,
    /// A member of a map of names: its key is a name.
    Named,
    /// A part of a map from digests to lists of names.
    Paths,
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
            Role::Paths | Role::Aside => self,
            _ if self == Role::Top || key.is(Meaning::List) => Role::Item,
            _ => Role::Other,
        }
    }
}

/// Returns true if the text may be a digest, intact or damaged, rather than a word.
fn like_digest(text: &str) -> bool {
    let text = text.as_bytes();
    match stated(text) {
        Some((tag, digest)) => {
            let tag = std::str::from_utf8(tag).ok().filter(|tag| is_tag(tag.as_bytes()));
            tag.is_some_and(|tag| tag.parse::<Spec>().is_ok()) && !digest.is_empty()
        }
        None => {
            let long = |bytes: Vec<u8>| matches!(bytes.len(), 16 | 20 | 28 | 32 | 48 | 64);
            text.len() <= 256
                && (text.len() >= 8 && is_hex(text)
                    || text.len() >= 22 && radix::base64(text).is_some_and(long))
        }
    }
}

/// Returns true if a string in an array is a digest, with or without its algorithm
/// (`ALG:DIGEST`), or a line of a manifest (`DIGEST  NAME`, `ALG (NAME) = DIGEST`).
pub(super) fn holds_digest(text: &str) -> bool {
    let is_digest = |word: &str| {
        let named = stated(word.as_bytes())
            .is_some_and(|(_, digest)| like_digest(word) && (is_hex(digest) || is_like(digest)));
        named || is_like(word.as_bytes())
    };
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    let tagged = text.rsplit_once(") = ").is_some_and(|(_, digest)| is_digest(digest.trim()));
    is_digest(first.trim_start_matches('\\')) || tagged
}

/// The members of an object. Keys and values are stored in a single string.
#[derive(Default)]
pub(in crate::formats) struct Object {
    text: String,
    members: Vec<Member>,
}

/// The ends of key and value in the text, the value's offset in the document, and the meaning of
/// the key.
#[derive(Clone, Copy)]
struct Member {
    end_of_key: u32,
    end: u32,
    at: u32,
    kind: Kind,
    key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Odd,
    Null,
    True,
    /// An object or array without meaning for this one.
    Passed,
    /// A digest that belongs to this object: the key is its algorithm.
    Digest,
    /// A value other than a digest where a digest is expected.
    Fault,
    /// A digest in an object that is neither an entry nor under a key of digests.
    Stray,
    /// Digests in an array or a map under a key that does not refer to them.
    Listed,
}

/// Values of `type` of listed objects that are not regular files.
const NO_FILES: &[&str] = &["dir", "directory", "tree", "link", "symlink"];

/// Keys of the directory that contains the file of the same object.
const FOLDERS: &[&str] = &["directory", "directoryLabel", "dir", "folder", "subfolder", "parent"];

/// Returns true if a string names a directory other than the root of the list.
fn is_below(text: &str) -> bool {
    !matches!(text.trim_matches('/'), "" | ".")
}

/// A prefix of SHA-1 digests in Backblaze.
const UNVERIFIED: &str = "unverified:";

/// Values of `kind` in a manifest of cargo-dist for which it never has a digest.
const UNDIGESTED_KINDS: &[&str] = &["checksum", "unified-checksum", "installer"];

const UNREADABLE: &str = "its digest is malformed";

impl Object {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn push(&mut self, key: &str, value: &str, at: usize, kind: Kind, sense: Key) {
        self.text.push_str(key);
        let end_of_key = self.text.len() as u32;
        self.text.push_str(value);
        let end = self.text.len() as u32;
        self.members.push(Member { end_of_key, end, at: at as u32, kind, key: sense });
    }

    /// Adds a member according to the meaning of its value.
    pub(super) fn member(&mut self, key: &str, sense: Key, statement: Statement<'_>, at: usize) {
        match statement {
            Statement::Text(text) => self.push(key, &text, at, Kind::Text, sense),
            Statement::Number(number) => self.push(key, &number.to_string(), at, Kind::Number, sense),
            Statement::Odd => self.push(key, "", at, Kind::Odd, sense),
            Statement::Null => self.push(key, "", at, Kind::Null, sense),
            Statement::Digests(digests) => self.append(&digests),
            Statement::True => self.push(key, "", at, Kind::True, sense),
            Statement::Fault => self.push(key, "", at, Kind::Fault, sense),
            Statement::Stray => self.push(key, "", at, Kind::Stray, sense),
            Statement::Listed => self.push(key, "", at, Kind::Listed, sense),
            Statement::Nothing => self.push(key, "", at, Kind::Passed, sense),
        }
    }

    /// Appends the members of another object.
    pub(super) fn append(&mut self, other: &Object) {
        for (key, value, member) in other.iter() {
            self.push(key, value, member.at as usize, member.kind, member.key);
        }
    }

    /// Adds an item of an array of digests.
    pub(super) fn item(&mut self, tag: Option<&str>, statement: Statement<'_>, at: usize) {
        match statement {
            Statement::Digests(more) => self.append(&more),
            Statement::Text(text) => {
                self.push(tag.unwrap_or_default(), &text, at, Kind::Digest, Key::default())
            }
            _ => self.push("", "", at, Kind::Fault, Key::default()),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str, Member)> {
        let mut start = 0;
        self.members.iter().map(move |member| {
            let (key, end) = (member.end_of_key as usize, member.end as usize);
            let item = (&self.text[start..key], &self.text[key..end], *member);
            start = end;
            item
        })
    }

    /// Returns the algorithm that the object specifies for its digests under an unambiguous key.
    fn algorithm(&self) -> Option<&str> {
        let pairs = ["type", "os_hash_algo"];
        let named = |key: &str, member: &Member| {
            member.kind == Kind::Text
                && member.key.is(Meaning::Algorithm)
                && !pairs.iter().any(|word| key.eq_ignore_ascii_case(word))
        };
        self.iter().find(|(key, _, member)| named(key, member)).map(|(_, value, _)| value)
    }

    /// Returns the string under the preferred key of this meaning.
    fn text_of(&self, sense: Meaning) -> Option<&str> {
        let texts = self.iter().filter(|(.., member)| member.kind == Kind::Text && member.key.is(sense));
        texts.min_by_key(|(.., member)| member.key.rank).map(|(_, value, _)| value)
    }

    /// Returns true if two members with equivalent keys, of which only one is allowed, have
    /// different values.
    fn is_twofold(&self, sense: Meaning) -> bool {
        let is = |member: &Member| member.key.is(sense) && matches!(member.kind, Kind::Text | Kind::Number);
        self.iter().filter(|(.., member)| is(member)).any(|(_, value, member)| {
            let same = |other: &Member| is(other) && other.key.rank == member.key.rank;
            self.iter().any(|(_, text, other)| same(&other) && text != value)
        })
    }

    /// Classifies the object and adds its entries to the records. `inner` is true if something
    /// inside it is an entry; `group` is the array or map that contains it.
    pub(super) fn conclude<'de>(
        self,
        walk: &mut Visit<'_>,
        role: Role,
        (key, sense): (&str, Key),
        inner: bool,
        (group, own): (Option<u32>, Option<u32>),
    ) -> Statement<'de> {
        let role = if role == Role::Paths { Role::Other } else { role };
        if role == Role::Top {
            walk.records.algorithm = self.algorithm().map(str::to_owned);
            let listed = |member: &Member| member.key.is(Meaning::List) || member.key.is(Meaning::Tag);
            if inner && (self.members.iter().any(listed) || self.has(Kind::Listed)) {
                self.lost(walk);
            }
            if let Some((key, _, member)) =
                self.iter().find(|(key, _, member)| is_odd_algorithm(key, *member))
            {
                walk.records.begin(member.at as usize);
                walk.records.fault_of(ODD_ALGORITHM, key.as_bytes());
            }
        }
        // An object with more of these members than any entry is a map.
        let is_relevant = |value: &str, member: Member| {
            member.key != Key::default()
                || is_text(member)
                    && (is_short_base64(value) || is_digest_of_any_length(value) || like_digest(value))
        };
        let mut relevant = self.iter().filter(|(_, value, member)| is_relevant(value, *member));
        let small = relevant.nth(256).is_none();
        if small && self.is_descriptor() {
            self.descriptor(walk);
            return Statement::Nothing;
        }
        if inner && small && self.is_folder() {
            walk.records.begin(walk.at);
            walk.records.fault("the names of files in a folder do not include the folder");
        }
        let digests = if small { self.digests(walk, sense) } else { Object::default() };
        let is_data_file = sense.is(Meaning::Part) && key.eq_ignore_ascii_case(DATA_FILE);
        let named_by = match role {
            Role::Named => Some(key),
            Role::Other => Some(key).filter(|key| is_file_like(key.as_bytes())),
            _ => None,
        };
        let naming = if small && !is_data_file { self.name(named_by) } else { Naming::default() };
        let like = || digests.iter().any(|(_, value, _)| like_digest(value));
        let undigested = !self.has(Kind::Stray) && digests.iter().all(|(.., found)| found.kind == Kind::Null);
        if undigested && self.is_no_file() || self.is_s3_folder() {
            return Statement::Nothing;
        }
        if let Some(name) = &naming.name
            && (!digests.is_empty() || self.has(Kind::Stray))
            && (!inner || like())
        {
            self.entry(Some(name), &digests, walk);
            if let Some(other) = &naming.other {
                walk.records.fault_of("two possible names of one file", other);
            }
            if let Some(group) = group {
                walk.records.confirm(group);
            }
            return Statement::Nothing;
        }
        let misnamed = || self.iter().any(|(key, _, member)| is_text(member) && is_nearly_name(key));
        let is_named = self.text_of(Meaning::Name).is_some();
        if sense.is(Meaning::Part) && !inner && !digests.is_empty() && (is_named || !misnamed()) {
            return Statement::Digests(self.part(digests, is_data_file));
        }
        if sense.is(Meaning::Holder) && !inner {
            if !digests.is_empty() {
                return Statement::Digests(digests);
            }
            if role == Role::Item {
                return Statement::Fault;
            }
        }
        if role == Role::Named
            && digests.iter().any(|(tag, _, found)| !tag.is_empty() || found.kind == Kind::Fault)
        {
            self.entry(Some(key.as_bytes()), &digests, walk);
            if let Some(group) = group {
                walk.records.confirm(group);
            }
            return Statement::Nothing;
        }
        let is_map = matches!(role, Role::Top | Role::List) && (!inner || role == Role::List);
        if is_map && self.map(walk, role, sense) {
            if let Some(own) = own {
                walk.records.confirm(own);
            }
            return Statement::Nothing;
        }
        let listed = matches!(role, Role::Top | Role::Item | Role::List);
        let elsewhere = self.iter().any(|(key, ..)| key.eq_ignore_ascii_case("uri"));
        if like() && !inner && !elsewhere && (listed || misnamed()) {
            self.entry(None, &digests, walk);
        } else if role == Role::Named
            && !inner
            && self
                .iter()
                .any(|(_, value, member)| is_text(member) && value.len() >= 32 && like_digest(value))
        {
            self.entry(Some(key.as_bytes()), &Object::default(), walk);
            walk.records.fault("a nested object in a map of names");
        } else if matches!(role, Role::Item | Role::Named) && !inner {
            let name = naming.name.as_deref().or((role == Role::Named).then_some(key.as_bytes()));
            self.doubtful(name, group, walk);
        } else if digests.iter().any(|(tag, value, _)| !tag.is_empty() && like_digest(value)) {
            return if is_nearly_digest(key) { Statement::Fault } else { Statement::Stray };
        } else if role == Role::Other
            && !inner
            && self.iter().any(|(key, value, member)| is_of_file(key, value, member))
        {
            return Statement::Stray;
        } else if role == Role::Other
            && (!inner && self.is_misplaced(key) || self.has(Kind::Stray) && is_nearly_digest(key))
        {
            walk.records.begin(walk.at);
            walk.records.fault("digests under an unknown key that resembles a list or an algorithm");
        } else if role == Role::Other
            && (self.iter().any(|(key, _, member)| member.kind == Kind::Listed && !is_other(key))
                || !inner && self.iter().any(|(key, value, member)| is_lost(key, value, member)))
        {
            return Statement::Listed;
        }
        Statement::Nothing
    }

    /// Reports digests next to a list that are not part of it.
    fn lost(&self, walk: &mut Visit<'_>) {
        for (key, value, member) in self.iter() {
            let is_text_of_list = is_text(member) && member.key.is(Meaning::List) && holds_digest(value);
            if is_lost(key, value, member) || is_text_of_list || member.kind == Kind::Listed && !is_other(key)
            {
                walk.records.begin(member.at as usize);
                walk.records.fault_of("a digest outside the list of files", key.as_bytes());
            }
        }
    }

    /// Returns true if the object is a directory. The names inside it are relative to it.
    fn is_folder(&self) -> bool {
        self.iter().any(|(key, value, member)| {
            let is = |word: &&str| key.eq_ignore_ascii_case(word);
            let named = FOLDERS.iter().chain(&["path"]).any(&is) && is_below(value);
            let typed = is(&"type") && NO_FILES[..3].contains(&value);
            is_text(member) && (named || typed)
        })
    }

    fn has(&self, kind: Kind) -> bool {
        self.members.iter().any(|member| member.kind == kind)
    }

    /// Returns true if the object contains digests under a damaged key.
    fn is_misplaced(&self, key: &str) -> bool {
        self.iter().any(|(_, value, member)| is_text(member) && like_digest(value))
            && (is_nearly_digest(key) || is_other_algorithm(key))
    }

    /// Handles an item of an array or map without a digest: it is an entry if the other items are.
    fn doubtful(&self, name: Option<&[u8]>, group: Option<u32>, walk: &mut Visit<'_>) {
        if let Some(group) = group {
            self.entry(name, &Object::default(), walk);
            walk.records.doubt(group);
        }
    }

    /// Returns true if the object is marked as something other than a file, or as a file for which
    /// its format never has a digest.
    fn is_no_file(&self) -> bool {
        let is_goreleaser = || self.text("type").is_some() && self.has_key("internal_type");
        self.iter().any(|(key, value, member)| match member.kind {
            Kind::True => key.eq_ignore_ascii_case("isdir"),
            Kind::Text => {
                let typed = ["type", "ftype"].iter().any(|word| key.eq_ignore_ascii_case(word));
                typed && NO_FILES.contains(&value)
                    || key == "kind" && UNDIGESTED_KINDS.contains(&value) && self.text("name").is_some()
            }
            _ => false,
        }) || is_goreleaser()
    }

    /// Returns true for an object of S3 that stands for a folder.
    fn is_s3_folder(&self) -> bool {
        let is_empty = || self.iter().any(|(key, value, _)| key == "Size" && value == "0");
        self.is_s3_object() && self.text("Key").is_some_and(|key| key.ends_with('/')) && is_empty()
    }

    /// Returns the text under exactly this key.
    fn text(&self, wanted: &str) -> Option<&str> {
        self.iter().find(|(key, _, member)| *key == wanted && is_text(*member)).map(|(_, value, _)| value)
    }

    fn has_key(&self, wanted: &str) -> bool {
        self.iter().any(|(key, ..)| key == wanted)
    }

    fn has_key_like(&self, wanted: &str) -> bool {
        let letters = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
        self.iter().any(|(key, ..)| key.len() <= wanted.len() && letters(key) == letters(wanted))
    }

    /// Returns true for an object in a listing of S3 as `aws s3api` writes it.
    fn is_s3_object(&self) -> bool {
        self.text("Key").is_some() && self.text("ETag").is_some() && self.has_key("Size")
    }

    /// Returns the members that belong to the enclosing object.
    fn part(&self, mut digests: Object, is_data_file: bool) -> Object {
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

    /// Returns the digests of an object that is one entry, or that consists of an algorithm and a
    /// value. The keys of the result are algorithms.
    fn digests(&self, walk: &mut Visit<'_>, sense: Key) -> Object {
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
        for (key, value, member) in self.iter() {
            let at = member.at as usize;
            match member.kind {
                Kind::Digest => found.push(key, value, at, Kind::Digest, none),
                Kind::Fault => found.push("", "", at, Kind::Fault, none),
                Kind::Null if member.key.holds_digest() => found.push("", "", at, Kind::Null, none),
                Kind::Text if self.is_no_digest(key, value, member) => {}
                Kind::Text => match walk.keys.tag(member.key) {
                    Some("cksum") if self.text("vers").is_some() => {
                        found.push("sha256", value, at, Kind::Digest, none);
                    }
                    // Backblaze received it with the file and did not compute it.
                    Some("sha1") if value.starts_with(UNVERIFIED) => {
                        found.push("sha1", &value[UNVERIFIED.len()..], at, Kind::Digest, none);
                    }
                    // The SHA-256 of a large file in Hugging Face; the other `oid` is of git.
                    None if key == "oid" && self.has_key("pointerSize") => {
                        found.push("sha256", value, at, Kind::Digest, none);
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
                    None if member.key.holds_digest() => found.push("", "", at, Kind::Fault, none),
                    None => {}
                },
                Kind::Number | Kind::Odd | Kind::True if member.key.holds_digest() => {
                    found.push("", "", at, Kind::Fault, none);
                }
                _ => {}
            }
        }
        // The ETag of an object that was not uploaded in parts is its MD5.
        if found.is_empty()
            && self.is_s3_object()
            && let Some(etag) = self.text("ETag")
        {
            match etag.trim_matches('"') {
                etag if etag.len() == 32 && is_hex(etag.as_bytes()) => {
                    found.push("md5", etag, 0, Kind::Digest, none);
                }
                etag if is_of_parts(etag) => {}
                _ => found.push("", "", 0, Kind::Fault, none),
            }
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

    /// Returns the name of an entry. `key` is the key of the object, if it may be a name.
    fn name<'a>(&'a self, key: Option<&'a str>) -> Naming<'a> {
        if let Some(bytes) = self.text_of(Meaning::Base64) {
            return BASE64.decode(bytes.as_bytes()).map(Cow::Owned).ok().into();
        }
        // The index of a Cargo registry.
        if let (Some(name), Some(version), Some(_)) =
            (self.text("name"), self.text("vers"), self.text("cksum"))
        {
            return Some(Cow::Owned(format!("{name}-{version}.crate").into_bytes())).into();
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
            let is_relative = self.is_fdroid_file() && !name.starts_with("//");
            let name = name.strip_prefix('/').filter(|_| is_relative).unwrap_or(name);
            match self.text("directoryLabel").map(|folder| folder.trim_matches('/')) {
                Some(folder) if is_below(folder) => Cow::Owned(format!("{folder}/{name}").into_bytes()),
                _ => Cow::Borrowed(name.as_bytes()),
            }
        });
        choose(titles.collect(), address(), key.map(|key| Cow::Borrowed(key.as_bytes())))
    }

    /// Returns true for a file in an index of F-Droid, whose name is relative to the repository
    /// although it begins with a slash.
    fn is_fdroid_file(&self) -> bool {
        let keys = ["name", "sha256", "size"];
        let known = |key| keys.contains(&key) || key == "ipfsCIDv1";
        keys.iter().all(|key| self.has_key(key)) && self.iter().all(|(key, ..)| known(key))
    }

    fn entry(&self, name: Option<&[u8]>, digests: &Object, walk: &mut Visit<'_>) {
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
        let all_told = |key: &str| digests.iter().any(|(tag, ..)| tag == key);
        for (key, value, member) in self.iter() {
            let is_digest = is_lost(key, value, member)
                || is_text(member) && member.key == Key::default() && is_short_digest(key, value)
                || member.kind == Kind::Listed && !is_other(key);
            if !digests.is_empty() && is_digest && !all_told(key) {
                records.unread(key.as_bytes());
            }
        }
        if !digests.is_empty()
            && let Some((key, ..)) = self.iter().find(|(key, _, member)| is_odd_algorithm(key, *member))
        {
            records.fault_of(ODD_ALGORITHM, key.as_bytes());
        }
        if digests.is_empty() && self.has(Kind::Stray) {
            records.fault("its digests are under an unknown key");
        }
        if self.is_twofold(Meaning::Name)
            || self.is_twofold(Meaning::Address)
            || self.is_twofold(Meaning::Base64)
        {
            records.fault("two names for one file");
        }
        let folder = self.iter().find(|(key, value, member)| {
            is_text(*member) && FOLDERS.iter().any(|word| key.eq_ignore_ascii_case(word)) && is_below(value)
        });
        let joined = |folder: &str| name.is_some_and(|name| name.starts_with(folder.as_bytes()));
        if let Some((key, ..)) = folder.filter(|(_, folder, _)| !joined(folder)) {
            records.fault_of("its folder is stored separately from its name", key.as_bytes());
        }
        if self.is_twofold(Meaning::Size) && !size.is_some_and(|(.., member)| self.is_rounded(member)) {
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

    /// Returns true if the object is a descriptor of the Open Container Initiative.
    fn is_descriptor(&self) -> bool {
        let sized = || self.members.iter().any(|member| member.key.is(Meaning::Size));
        self.text_of(Meaning::Media).is_some()
            && self.text_of(Meaning::Name).is_none()
            && (self.blob().is_some() || sized())
    }

    /// Returns the payload of a signed envelope (DSSE).
    pub(super) fn payload(&self) -> Option<&str> {
        self.text("payloadType").map(|_| self.text("payload").unwrap_or_default())
    }

    /// Returns the digest of a descriptor.
    fn blob(&self) -> Option<&str> {
        let digest = |member: &Member| member.kind == Kind::Text && member.key.is(Meaning::Digest);
        self.iter().find(|(key, _, member)| digest(member) && *key == "digest").map(|(_, value, _)| value)
    }

    /// Adds the entry of a blob, whose path in an image layout is derived from its digest.
    fn descriptor(&self, walk: &mut Visit<'_>) {
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

    /// Adds the entries of a map of names, if any of its values is a digest, and returns true if
    /// so. At the top level, unrelated strings and numbers are ignored; in a map under a key of
    /// lists, any value other than a digest is an error.
    fn map(&self, walk: &mut Visit<'_>, role: Role, sense: Key) -> bool {
        let is_digest = |value: &str, member: Member| is_text(member) && like_digest(value);
        let or_damaged =
            |value: &str, member| is_digest(value, member) || is_text(member) && mostly_digits(value);
        if !self.iter().any(|(_, value, member)| or_damaged(value, member)) {
            return false;
        }
        // `content-hash`, `originHash` and `commit` in lock files are not digests of a file.
        let about = |key: &str| {
            let lower = key.to_ascii_lowercase();
            let ends = ["hash", "checksum", "digest"].iter().any(|word| lower.ends_with(word));
            !key.contains(['.', '/']) && (ends || is_other(key))
        };
        let mut like = self.iter().filter(|(_, value, member)| is_digest(value, *member));
        if role == Role::Top && like.all(|(key, ..)| about(key)) {
            return false;
        }
        let tag = walk.keys.tag(sense).map(str::to_owned);
        for (name, value, member) in self.iter() {
            let good = is_digest(value, member);
            let bad = match member.kind {
                Kind::Text => role == Role::List || value.is_empty() || mostly_digits(value),
                Kind::Null => true,
                Kind::Number | Kind::Odd | Kind::True => role == Role::List,
                Kind::Listed => true,
                _ => false,
            };
            if !good && !bad {
                continue;
            }
            // A digest under the name of an algorithm has no file name.
            let nameless = tag.is_none() && member.key.is(Meaning::Tag);
            walk.records.begin(member.at as usize);
            if !nameless {
                walk.records.name(name.as_bytes());
            }
            match &tag {
                _ if member.kind == Kind::Null => {}
                _ if !good => walk.records.fault_of(UNREADABLE, name.as_bytes()),
                Some(tag) if stated(value.as_bytes()).is_none() => {
                    walk.records.digest(tag.as_bytes(), value.as_bytes());
                }
                _ => walk.records.stated_digest(value.as_bytes()),
            }
        }
        true
    }
}

/// Names of the unit byte.
const BYTES: &[&str] = &["b", "byte", "bytes"];

/// Returns the number in a size in bytes, with or without its unit: `3`, `3 B`, `3 bytes`.
fn bytes(size: &str) -> Option<&str> {
    let (digits, unit) = size.split_once(' ').unwrap_or((size, "b"));
    let is_byte = BYTES.iter().any(|word| unit.eq_ignore_ascii_case(word));
    (is_byte && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// Returns true for a number with a unit larger than a byte, which is rounded: `1.2 MB`.
fn is_rounded(size: &str) -> bool {
    let end = size.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(size.len());
    let unit = size[end..].trim_start().to_ascii_lowercase();
    let units = ["k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib", "t", "tb", "tib"];
    end > 0 && units.contains(&unit.as_str())
}

/// Returns true for the ETag of an object that was uploaded in parts.
fn is_of_parts(etag: &str) -> bool {
    etag.split_once('-').is_some_and(|(hex, parts)| {
        hex.len() == 32
            && is_hex(hex.as_bytes())
            && !parts.is_empty()
            && parts.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the decoded last component of a URL.
fn last_of_url(address: &str) -> Option<Cow<'_, [u8]>> {
    if !address.contains("://") {
        return None;
    }
    let end = scan::find(address.as_bytes(), |byte| matches!(byte, b'?' | b'#')).unwrap_or(address.len());
    radix::percent(address[..end].rsplit('/').next()?.as_bytes()).map(Cow::Owned)
}

const ODD_ALGORITHM: &str = "the name of an algorithm is not a string";

/// Returns true if an unambiguous key of an algorithm has a value that is not a string.
fn is_odd_algorithm(key: &str, member: Member) -> bool {
    // S3 lists the algorithms of an object.
    key != "ChecksumAlgorithm"
        && member.key.is(Meaning::Algorithm)
        && !key.eq_ignore_ascii_case("type")
        && !is_text(member)
}

/// Returns true if a key indicates that a value that looks like a digest is something else.
fn is_other(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("commit")
        || ["revision", "ref", "sig", "signature", "package", "id", "key", "head", "token", "nonce", "tag"]
            .iter()
            .any(|word| key.starts_with(word) || key.ends_with(word))
}

/// Returns true for a digest under a key that always belongs to a file, regardless of the
/// enclosing object: `"dist": {"shasum": ...}`.
fn is_of_file(key: &str, value: &str, member: Member) -> bool {
    let keys = ["shasum", "integrity", "checksum"];
    is_text(member) && keys.iter().any(|word| key.eq_ignore_ascii_case(word)) && like_digest(value)
}

/// Returns true for a value that looks like a digest under an unknown key.
fn is_lost(key: &str, value: &str, member: Member) -> bool {
    is_text(member) && member.key == Key::default() && is_like(value.as_bytes()) && !is_other(key)
}

/// Returns true if a string in a map of digests by algorithm is a digest rather than a date or
/// another number.
fn is_digest_of_any_length(text: &str) -> bool {
    let hex = text.len() >= MIN_DIGITS && is_hex(text.as_bytes());
    is_like(text.as_bytes()) || hex && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns true if a string next to a digest is a digest of fewer than 128 bits or of an unusual
/// length: because of its key, or because it has more hexadecimal digits than any word or number.
fn is_short_digest(key: &str, text: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let named = ["hash", "sum", "crc", "digest"].iter().any(|word| key.contains(word));
    let long = text.len() >= 16 && text.bytes().any(|byte| byte.is_ascii_digit());
    is_digest_of_any_length(text) && (named || long) && !is_other(&key)
}

/// Returns true for a digest of 32 or 64 bits in base64.
fn is_short_base64(text: &str) -> bool {
    text.ends_with('=')
        && text.len() <= 12
        && radix::base64(text.as_bytes()).is_some_and(|bytes| matches!(bytes.len(), 4 | 8))
}

fn is_text(member: Member) -> bool {
    member.kind == Kind::Text
}

/// Returns true if the string is a damaged hexadecimal digest rather than a word.
pub(super) fn mostly_digits(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    text.len() >= 16 && digits * 4 > text.len() * 3
}
