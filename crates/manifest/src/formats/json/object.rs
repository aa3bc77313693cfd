//! Classification of JSON objects: an entry, a map of names, digests of the enclosing object, or
//! something unrelated.

use super::key::{Key, Meaning, is_nearly_digest, is_nearly_name, is_other_algorithm};
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
    /// Any other position.
    Other,
}

impl Role {
    /// Returns the role of the value of this key.
    pub(super) fn of_member(self, key: Key) -> Role {
        if key.is(Meaning::List) || key.is(Meaning::Tag) {
            Role::List
        } else if self == Role::List {
            Role::Named
        } else {
            Role::Other
        }
    }

    pub(super) fn of_items(self, key: Key) -> Role {
        if self == Role::Top || key.is(Meaning::List) { Role::Item } else { Role::Other }
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
        let named = |key: &str, member: &Member| {
            member.kind == Kind::Text
                && member.key.is(Meaning::Algorithm)
                && !key.eq_ignore_ascii_case("type")
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
        // An object with more members than any entry is a map.
        let small = self.members.len() <= 256;
        if small && self.is_descriptor() {
            self.descriptor(walk);
            return Statement::Nothing;
        }
        if inner && small && self.is_folder() {
            walk.records.begin(walk.at);
            walk.records.fault("the names of files in a folder do not include the folder");
        }
        let digests = if small { self.digests(walk, sense) } else { Object::default() };
        let name = if small { self.name() } else { None };
        let like = || digests.iter().any(|(_, value, _)| like_digest(value));
        if let Some(name) = &name
            && (!digests.is_empty() || self.has(Kind::Stray))
            && (!inner || like())
        {
            self.entry(Some(name), &digests, walk);
            if let Some(group) = group {
                walk.records.confirm(group);
            }
            return Statement::Nothing;
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
        let misnamed = || self.iter().any(|(key, _, member)| is_text(member) && is_nearly_name(key));
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
            let name = name.as_deref().or((role == Role::Named).then_some(key.as_bytes()));
            self.doubtful(name, group, walk);
        } else if digests.iter().any(|(tag, value, _)| !tag.is_empty() && like_digest(value)) {
            return if is_nearly_digest(key) { Statement::Fault } else { Statement::Stray };
        } else if role == Role::Other
            && !inner
            && self.iter().any(|(key, value, member)| is_of_file(key, value, member))
        {
            return Statement::Stray;
        } else if role == Role::Other && !inner && self.is_misplaced(key) {
            walk.records.begin(walk.at);
            walk.records.fault("digests under an unknown key that resembles a list or an algorithm");
        } else if role == Role::Other
            && (self.has(Kind::Listed)
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

    /// Handles an item of an array or map without a digest: it is an entry if the other items
    /// are, unless it is marked as something other than a file.
    fn doubtful(&self, name: Option<&[u8]>, group: Option<u32>, walk: &mut Visit<'_>) {
        let no_file = self.iter().any(|(key, value, member)| match member.kind {
            Kind::True => key.eq_ignore_ascii_case("isdir"),
            Kind::Text => key.eq_ignore_ascii_case("type") && NO_FILES.contains(&value),
            _ => false,
        });
        if let (Some(group), false) = (group, no_file) {
            self.entry(name, &Object::default(), walk);
            walk.records.doubt(group);
        }
    }

    /// Returns the digests of an object that is one entry, or that consists of an algorithm and a
    /// value. The keys of the result are algorithms.
    fn digests(&self, walk: &mut Visit<'_>, sense: Key) -> Object {
        let mut found = Object::default();
        let none = Key::default();
        if let (Some(tag), Some(value)) = (self.text_of(Meaning::Algorithm), self.text_of(Meaning::Value))
            && (tag.parse::<Spec>().is_ok()
                || is_nearly_digest(tag)
                || self.members.len() == 2
                || self.algorithm() == Some(tag) && stated(value.as_bytes()).is_none())
        {
            let at = self.members.first().map_or(0, |member| member.at as usize);
            found.push(tag, value, at, Kind::Digest, none);
            return found;
        }
        for (key, value, member) in self.iter() {
            let at = member.at as usize;
            match member.kind {
                Kind::Digest => found.push(key, value, at, Kind::Digest, none),
                Kind::Fault => found.push("", "", at, Kind::Fault, none),
                Kind::Null if member.key.holds_digest() => found.push("", "", at, Kind::Null, none),
                Kind::Text => match walk.keys.tag(member.key) {
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
            !known && is_text(*member) && like_digest(value) && (is_nearly_digest(key) || key.is_empty())
        });
        if let Some((.., member)) = damaged.next() {
            found.push("", "", member.at as usize, Kind::Fault, none);
        }
        found
    }

    /// Returns the name of an entry. A URL is used only if there is no name.
    fn name(&self) -> Option<Cow<'_, [u8]>> {
        if let Some(bytes) = self.text_of(Meaning::Base64) {
            return BASE64.decode(bytes.as_bytes()).ok().map(Cow::Owned);
        }
        let address = || {
            let address = self.text_of(Meaning::Address).filter(|text| text.contains("://"))?;
            let end =
                scan::find(address.as_bytes(), |byte| matches!(byte, b'?' | b'#')).unwrap_or(address.len());
            let last = address[..end].rsplit('/').next()?.as_bytes();
            radix::percent(last).map(Cow::Owned)
        };
        // In an npm lock file, `name` is the name of a module.
        let resolved = self
            .iter()
            .any(|(.., member)| is_text(member) && member.key.is(Meaning::Address) && member.key.rank == 0);
        let name = || self.text_of(Meaning::Name).map(|name| Cow::Borrowed(name.as_bytes()));
        if resolved { address() } else { name().or_else(address) }
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
        for (_, value, member) in sizes.take(1) {
            let odd = matches!(member.kind, Kind::Odd | Kind::True);
            records.size(if odd { b"-" } else { value.as_bytes() });
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
        if self.is_twofold(Meaning::Size) {
            records.fault("two sizes for one file");
        }
    }

    /// Returns true if the object is a descriptor of the Open Container Initiative.
    fn is_descriptor(&self) -> bool {
        let sized = || self.members.iter().any(|member| member.key.is(Meaning::Size));
        self.text_of(Meaning::Media).is_some()
            && self.text_of(Meaning::Name).is_none()
            && (self.blob().is_some() || sized())
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

const ODD_ALGORITHM: &str = "the name of an algorithm is not a string";

/// Returns true if an unambiguous key of an algorithm has a value that is not a string.
fn is_odd_algorithm(key: &str, member: Member) -> bool {
    member.key.is(Meaning::Algorithm) && !key.eq_ignore_ascii_case("type") && !is_text(member)
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

fn is_text(member: Member) -> bool {
    member.kind == Kind::Text
}

/// Returns true if the string is a damaged hexadecimal digest rather than a word.
fn mostly_digits(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    text.len() >= 16 && digits * 4 > text.len() * 3
}
