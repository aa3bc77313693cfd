//! What an object of a JSON document is: an entry, a map of names, digests of what holds it, or nothing of ours.

use super::walk::Walk;
use crate::digest::{TAG_LIMIT, is_hex, is_tag};
use crate::records::stated;
use crate::{radix, scan};
use data_encoding::BASE64;
use std::borrow::Cow;
use truesum_hash::Spec;

/// What a value says to the object that holds it.
pub(super) enum Said<'de> {
    Nothing,
    Null,
    Text(Cow<'de, str>),
    Number(u64),
    /// A number that no size is.
    Odd,
    /// Digests of the thing that holds this.
    Digests(Object),
}

/// Keys of names, the best first.
const NAMES: &[&str] = &["path", "filename", "file", "name", "key"];

/// Keys of addresses: the name is their last part.
const ADDRESSES: &[&str] = &["resolved", "tarball", "url"];

/// Keys of digests that say their algorithm themselves, or have it beside them.
const DIGESTS: &[&str] = &["digest", "hash", "checksum", "integrity"];

/// Keys of the algorithm beside a digest, and of a digest beside it.
const ALGORITHMS: &[&str] = &["algorithm", "alg", "type"];
const VALUES: &[&str] = &["value", "content", "checksumvalue", "hash", "digest", "checksum"];

const SIZES: &[&str] = &["size", "length", "bytes", "filesize"];

/// Keys of what holds entries, or digests of one.
const LISTS: &[&str] = &[
    "files",
    "assets",
    "artifacts",
    "entries",
    "checksums",
    "hashes",
    "digests",
    "sums",
    "sha256sums",
    "sha512sums",
    "md5sums",
];

/// Keys of what holds digests of the object that has the key: nothing else speaks for another.
const HOLDERS: &[&str] = &["hashes", "checksums", "digests", "hash", "checksum", "digest"];

/// What the place of an object in the document lets it be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The document itself.
    Top,
    /// Under a key of [`LISTS`], or under the name of an algorithm: a map of names, perhaps.
    List,
    /// An item of a list of whatever kind.
    Item,
    /// A member of a map of names: its key is a name.
    Named,
    /// Anything else.
    Other,
}

impl Role {
    /// The role of what stands under this key.
    pub(super) fn of_member(self, key: &str) -> Role {
        if LISTS.contains(&plain(key).as_str()) || algorithm(key).is_some() {
            Role::List
        } else if self == Role::List {
            Role::Named
        } else {
            Role::Other
        }
    }

    pub(super) fn of_items(self, key: &str) -> Role {
        if self == Role::Top || LISTS.contains(&plain(key).as_str()) { Role::Item } else { Role::Other }
    }
}

/// A key as it is compared: without case, hyphens, underscores and blanks. A long one is a name, and none of ours.
fn plain(key: &str) -> String {
    if key.len() > TAG_LIMIT {
        return String::new();
    }
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The algorithm that a key names: `sha256`, `SHA-256`, `sha256sum`, `md5Checksum`, `md5_digest`.
fn algorithm(key: &str) -> Option<String> {
    if !is_tag(key.as_bytes()) || key.len() < 2 {
        return None;
    }
    let known = |name: &str| name.parse::<Spec>().is_ok();
    let lower = key.to_ascii_lowercase();
    let ends = ["sum", "checksum", "hash", "digest"];
    let stems =
        ends.iter().filter_map(|end| lower.strip_suffix(end)).map(|stem| stem.trim_end_matches(['_', '-']));
    let mut names = std::iter::once(lower.as_str()).chain(stems).map(str::to_owned);
    names.find(|name| known(name)).or_else(|| {
        // `blake2b_256` of the Python index.
        let hyphens = lower.replace('_', "-");
        known(&hyphens).then_some(hyphens)
    })
}

/// Whether it may be a digest, good or damaged, rather than a word.
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

/// The members of an object that are strings or numbers, one after the other: keys and values lie in one text.
#[derive(Default)]
pub(in crate::formats) struct Object {
    text: String,
    members: Vec<Member>,
}

/// Ends of key and value in the text, and the value's place.
#[derive(Clone, Copy)]
struct Member {
    key: u32,
    end: u32,
    at: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Odd,
    Null,
    /// A digest that a member of this object gave: the key is its algorithm.
    Digest,
}

impl Object {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn push(&mut self, key: &str, value: &str, at: usize, kind: Kind) {
        self.text.push_str(key);
        let key = self.text.len() as u32;
        self.text.push_str(value);
        self.members.push(Member { key, end: self.text.len() as u32, at: at as u32, kind });
    }

    /// Adds what a member said.
    pub(super) fn member(&mut self, key: &str, said: Said<'_>, at: usize) {
        match said {
            Said::Text(text) => self.push(key, &text, at, Kind::Text),
            Said::Number(number) => self.push(key, &number.to_string(), at, Kind::Number),
            Said::Odd => self.push(key, "", at, Kind::Odd),
            Said::Null => self.push(key, "", at, Kind::Null),
            Said::Digests(digests) => self.append(&digests),
            Said::Nothing => {}
        }
    }

    /// Takes digests over.
    pub(super) fn append(&mut self, other: &Object) {
        for (key, value, member) in other.iter() {
            self.push(key, value, member.at as usize, member.kind);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str, Member)> {
        let mut start = 0;
        self.members.iter().map(move |member| {
            let (key, end) = (member.key as usize, member.end as usize);
            let item = (&self.text[start..key], &self.text[key..end], *member);
            start = end;
            item
        })
    }

    /// The first text under one of these keys, the best key first.
    fn text_of(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|wanted| {
            self.iter()
                .find(|(key, _, member)| member.kind == Kind::Text && plain(key) == *wanted)
                .map(|(_, value, _)| value)
        })
    }

    /// Says what the object is, and writes down its entries.
    pub(super) fn conclude<'de>(self, walk: &mut Walk<'_>, role: Role, key: &str, inner: bool) -> Said<'de> {
        // What has more members than any entry is a map.
        let small = self.members.len() <= 256;
        if small && self.is_descriptor() {
            self.descriptor(walk);
            return Said::Nothing;
        }
        let digests = if small { self.digests() } else { Object::default() };
        let name = if small { self.name() } else { None };
        let null = |(key, _, member): (&str, &str, Member)| {
            member.kind == Kind::Null && (DIGESTS.contains(&plain(key).as_str()) || algorithm(key).is_some())
        };
        if let Some(name) = &name
            && (!digests.is_empty() || (role == Role::Item && self.iter().any(null)))
        {
            self.entry(name, &digests, walk);
            return Said::Nothing;
        }
        if !digests.is_empty() && (HOLDERS.contains(&plain(key).as_str())) {
            return Said::Digests(digests);
        }
        if role == Role::Named && digests.iter().any(|(tag, ..)| !tag.is_empty()) {
            self.entry(key.as_bytes(), &digests, walk);
            return Said::Nothing;
        }
        if matches!(role, Role::Top | Role::List) && !inner {
            self.map(walk, algorithm(key).as_deref());
        }
        Said::Nothing
    }

    /// The digests of an object that is one entry, or of an algorithm and a value: keys are algorithms.
    fn digests(&self) -> Object {
        let mut found = Object::default();
        if let (Some(tag), Some(value)) = (self.text_of(ALGORITHMS), self.text_of(VALUES))
            && (tag.parse::<Spec>().is_ok() || self.members.len() == 2)
        {
            let at = self.members.first().map_or(0, |member| member.at as usize);
            found.push(tag, value, at, Kind::Digest);
            return found;
        }
        for (key, value, member) in self.iter() {
            let at = member.at as usize;
            match member.kind {
                Kind::Digest => found.push(key, value, at, Kind::Digest),
                Kind::Text if DIGESTS.contains(&plain(key).as_str()) => {
                    found.push("", value, at, Kind::Digest)
                }
                Kind::Text => {
                    if let Some(tag) = algorithm(key)
                        && !value.contains(' ')
                    {
                        found.push(&tag, value, at, Kind::Digest);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The name of an entry. An address stands for a file only where there is no name.
    fn name(&self) -> Option<Cow<'_, [u8]>> {
        if let Some(bytes) = self.text_of(&["pathbase64"]) {
            return BASE64.decode(bytes.as_bytes()).ok().map(Cow::Owned);
        }
        let address = || {
            let address = self.text_of(ADDRESSES).filter(|text| text.contains("://"))?;
            let end =
                scan::find(address.as_bytes(), |byte| matches!(byte, b'?' | b'#')).unwrap_or(address.len());
            let last = address[..end].rsplit('/').next()?.as_bytes();
            radix::percent(last).map(Cow::Owned)
        };
        // In a lock file of npm, `name` is a module's.
        let resolved = self.text_of(&["resolved"]).is_some();
        let name = || self.text_of(NAMES).map(|name| Cow::Borrowed(name.as_bytes()));
        if resolved { address() } else { name().or_else(address) }
    }

    fn entry(&self, name: &[u8], digests: &Object, walk: &mut Walk<'_>) {
        let records = &mut walk.records;
        records.begin(walk.at);
        records.name(name);
        let is_size = |key: &str| SIZES.contains(&plain(key).as_str());
        if let Some((_, value, member)) = self
            .iter()
            .find(|(key, _, member)| is_size(key) && !matches!(member.kind, Kind::Null | Kind::Digest))
        {
            match member.kind {
                Kind::Odd => records.size(b"-"),
                _ => records.size(value.as_bytes()),
            }
        }
        for (tag, value, _) in digests.iter() {
            match tag {
                "" => records.stated_digest(value.as_bytes()),
                tag => records.digest(tag.as_bytes(), value.as_bytes()),
            }
        }
    }

    /// Whether it is a descriptor of the Open Container Initiative.
    fn is_descriptor(&self) -> bool {
        self.text_of(&["mediatype"]).is_some()
            && self.text_of(&["digest"]).is_some()
            && self.text_of(NAMES).is_none()
    }

    /// A blob lies under its digest in an image's folder.
    fn descriptor(&self, walk: &mut Walk<'_>) {
        let digest = self.text_of(&["digest"]).unwrap_or_default();
        let (tag, hex) = stated(digest.as_bytes()).unwrap_or_default();
        let lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let good = is_tag(tag) && scan::all(hex, lower);
        let mut digests = Object::default();
        let name = if good { [b"blobs/", tag, b"/", hex].concat() } else { b"blobs".to_vec() };
        if good {
            digests.push("", digest, 0, Kind::Digest);
        }
        self.entry(&name, &digests, walk);
        if !good {
            walk.records.fault("the digest of a blob is not ALGORITHM:HEX in small letters");
        }
    }

    /// A map of names: what is no digest and looks like none is passed over, if anything is one.
    fn map(&self, walk: &mut Walk<'_>, tag: Option<&str>) {
        let is_digest = |value: &str, member: Member| member.kind == Kind::Text && like_digest(value);
        for (name, value, member) in self.iter().filter(|(_, value, member)| is_digest(value, *member)) {
            // A digest under the name of an algorithm has no name.
            let nameless = tag.is_none() && algorithm(name).is_some();
            walk.records.begin(member.at as usize);
            if !nameless {
                walk.records.name(name.as_bytes());
            }
            match tag {
                Some(tag) if stated(value.as_bytes()).is_none() => {
                    walk.records.digest(tag.as_bytes(), value.as_bytes());
                }
                _ => walk.records.stated_digest(value.as_bytes()),
            }
        }
    }
}
