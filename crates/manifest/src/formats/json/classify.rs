//! Classification of JSON objects: an entry, a map of names, digests of the enclosing object, or
//! something unrelated.

use super::entry::{FOLDERS, UNREADABLE};
use super::key::{Key, Meaning, is_nearly_digest, is_nearly_name, is_other_algorithm};
use super::name::{Naming, is_file_like};
use super::object::{
    INVALID_ALGORITHM, Kind, Member, Object, Statement, is_invalid_algorithm, is_lost, is_of_file, is_other,
    is_text,
};
use super::role::Role;
use super::vocabulary::DATA_FILE;
use super::walk::Traversal;
use super::words::{
    holds_digest, is_below, is_digest_of_any_length, is_short_base64, last_of_url, like_digest, mostly_digits,
};
use crate::entry::{MAX_ALGORITHMS, ObjectKind};
use crate::records::stated;

/// Values of `type` of listed objects that are not regular files.
const NO_FILES: &[(&str, ObjectKind)] = &[
    ("dir", ObjectKind::Directory),
    ("directory", ObjectKind::Directory),
    ("tree", ObjectKind::Directory),
    ("link", ObjectKind::Link),
    ("symlink", ObjectKind::Link),
];

/// The first letters of the modes of such objects, which Borg writes as their `type`.
const NO_FILES_OF_BORG: &[(&str, ObjectKind)] = &[
    ("d", ObjectKind::Directory),
    ("l", ObjectKind::Link),
    ("p", ObjectKind::Pipe),
    ("s", ObjectKind::Socket),
    ("b", ObjectKind::Device),
    ("c", ObjectKind::Device),
];

const NO_ARCHIVE: &str = "a package without 'resolved', so the name of its archive is unknown";

impl Object {
    /// Classifies the object and adds its entries to the records. `inner` is true if something
    /// inside it is an entry; `group` is the array or map that contains it.
    pub(super) fn conclude<'de>(
        self,
        walk: &mut Traversal<'_>,
        role: Role,
        (key, sense): (&str, Key),
        inner: bool,
        (group, own): (Option<u32>, Option<u32>),
    ) -> Statement<'de> {
        let is_of_paths =
            matches!(role, Role::Paths | Role::Fixity | Role::PathsByDigest | Role::PathsOfDigest);
        let role = if is_of_paths { Role::Other } else { role };
        if role == Role::Top {
            walk.records.algorithm = self.algorithm().map(str::to_owned);
            let listed = |key: &str, member: Member| {
                member.key.is(Meaning::List)
                    || member.key.is(Meaning::Tag)
                    || matches!(member.kind, Kind::Listed | Kind::Stray)
                    || member.kind == Kind::Passed && is_file_like(key.as_bytes())
            };
            if inner && self.iter().any(|(key, _, member)| listed(key, member)) {
                self.report_stray_digests(walk);
            }
            if let Some((key, _, member)) =
                self.iter().find(|(key, _, member)| is_invalid_algorithm(key, *member))
            {
                walk.records.begin(member.at as usize);
                walk.records.fault_of(INVALID_ALGORITHM, key.as_bytes());
            }
        }
        // An object with more of these members than any entry is a map. An entry can have digests of all algorithms.
        let is_relevant = |value: &str, member: Member| {
            member.key != Key::default()
                || is_text(member)
                    && (is_short_base64(value) || is_digest_of_any_length(value) || like_digest(value))
        };
        let mut relevant = self.iter().filter(|(_, value, member)| is_relevant(value, *member));
        let small = relevant.nth(MAX_ALGORITHMS).is_none();
        if small && self.is_descriptor() {
            self.descriptor(walk);
            return Statement::Nothing;
        }
        if inner && small && self.is_folder() {
            walk.records.bad(
                walk.at,
                "the names of files in this folder are relative to the folder, which is not supported",
            );
        }
        let digests = if small { self.digests(walk, sense) } else { Object::default() };
        let is_data_file = sense.is(Meaning::Part) && key.eq_ignore_ascii_case(DATA_FILE);
        let named_by = match role {
            Role::Named => Some(key),
            Role::Other => Some(key).filter(|key| is_file_like(key.as_bytes())),
            _ => None,
        };
        if small && self.parallel(&digests, walk) {
            walk.records.confirm(group);
            return Statement::Nothing;
        }
        let naming = if small && !is_data_file { self.name(named_by) } else { Naming::default() };
        let like = || digests.iter().any(|(_, value, _)| like_digest(value));
        let is_empty = |value: &str, found: Member| {
            found.kind == Kind::Null || found.kind == Kind::Digest && value.is_empty()
        };
        let undigested =
            !self.has(Kind::Stray) && digests.iter().all(|(_, value, found)| is_empty(value, found));
        let object = self.object_kind().filter(|_| undigested);
        if let (Some(kind), Some(name), Some(group)) = (object, &naming.name, group) {
            walk.records.begin(walk.at);
            walk.records.name(name);
            walk.records.object(kind);
            walk.records.doubt(group);
        }
        // A line of JSON Lines.
        if let (Some(kind), Some(name), Role::Top, false) = (object, &naming.name, role, inner) {
            walk.records.begin(walk.at);
            walk.records.name(name);
            walk.records.object(kind);
        }
        if object.is_some() || undigested && self.never_has_digest() || self.is_no_file() {
            return Statement::Nothing;
        }
        if let Some(name) = &naming.name
            && (!digests.is_empty() || self.has(Kind::Stray))
            && (!inner || like())
        {
            self.entry(Some(name), &digests, walk);
            if let Some(other) = &naming.other {
                walk.records.fault_of("two possible names for one file", other);
            }
            walk.records.confirm(group);
            return Statement::Nothing;
        }
        let is_archive = || self.text("integrity").is_some() && self.text("version").is_some();
        if role == Role::Other && !inner && naming.name.is_none() && is_archive() {
            walk.records.bad(walk.at, NO_ARCHIVE);
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
            walk.records.confirm(group);
            return Statement::Nothing;
        }
        let is_map = matches!(role, Role::Top | Role::List) && (!inner || role == Role::List);
        if is_map && self.map(walk, role, sense, inner) {
            walk.records.confirm(own);
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
            self.add_optional_entry(name, group, walk);
        } else if self
            .iter()
            .any(|(tag, value, member)| member.kind == Kind::Digest && tag.is_empty() && like_digest(value))
        {
            return Statement::Listed;
        } else if digests.iter().any(|(_, value, _)| like_digest(value)) {
            return if is_nearly_digest(key) { Statement::Fault } else { Statement::Stray };
        } else if role == Role::Other
            && !inner
            && self.iter().any(|(key, value, member)| is_of_file(key, value, member))
        {
            return Statement::Stray;
        } else if role == Role::Other
            && (!inner && self.is_misplaced(key) || self.has(Kind::Stray) && is_nearly_digest(key))
        {
            walk.records.bad(
                walk.at,
                "digests under an unknown key that resembles the name of a list or an algorithm",
            );
        } else if role == Role::Other
            && (self.iter().any(|(key, _, member)| has_stray_digest(key, member))
                || !inner && self.iter().any(|(key, value, member)| is_lost(key, value, member)))
        {
            return Statement::Listed;
        }
        Statement::Nothing
    }

    /// Adds the entries of parallel lists of URLs and digests, and returns true if the object has
    /// both and no other name.
    fn parallel(&self, digests: &Object, walk: &mut Traversal<'_>) -> bool {
        let urls: Vec<&str> =
            self.iter().filter(|(.., member)| member.kind == Kind::Address).map(|(_, url, _)| url).collect();
        let is_named = || [Meaning::Name, Meaning::Address].iter().any(|&key| self.text_of(key).is_some());
        if urls.is_empty() || digests.is_empty() || is_named() {
            return false;
        }
        if urls.len() != digests.iter().count() {
            walk.records.bad(walk.at, "the number of URLs differs from the number of digests");
            return true;
        }
        for (url, (_, digest, member)) in urls.iter().zip(digests.iter()) {
            let mut one = Object::default();
            one.push("", digest, member.at as usize, member.kind, member.key);
            Object::default().entry(last_of_url(url).as_deref(), &one, walk);
        }
        true
    }

    /// Reports digests next to a list that are not part of it.
    fn report_stray_digests(&self, walk: &mut Traversal<'_>) {
        for (key, value, member) in self.iter() {
            let is_text_of_list = is_text(member) && member.key.is(Meaning::List) && holds_digest(value);
            let is_digest = is_lost(key, value, member) || is_text_of_list || has_stray_digest(key, member);
            if is_digest && !self.is_unrelated(key) {
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
            let typed = is(&"type") && NO_FILES.contains(&(value, ObjectKind::Directory));
            is_text(member) && (named || typed)
        })
    }

    /// Returns true if the object contains digests under a damaged key.
    fn is_misplaced(&self, key: &str) -> bool {
        self.iter().any(|(_, value, member)| is_text(member) && like_digest(value))
            && (is_nearly_digest(key) || is_other_algorithm(key))
    }

    /// Handles an item of an array or map without a digest: it is an entry if the other items are.
    fn add_optional_entry(&self, name: Option<&[u8]>, group: Option<u32>, walk: &mut Traversal<'_>) {
        if let Some(group) = group {
            self.entry(name, &Object::default(), walk);
            walk.records.doubt(group);
        }
    }

    /// Returns the kind of the object if it is marked as something other than a file.
    pub(super) fn object_kind(&self) -> Option<ObjectKind> {
        self.iter().find_map(|(key, value, member)| match member.kind {
            Kind::True => key.eq_ignore_ascii_case("isdir").then_some(ObjectKind::Directory),
            Kind::Text if ["type", "ftype"].iter().any(|word| key.eq_ignore_ascii_case(word)) => {
                let of_borg = NO_FILES_OF_BORG.iter().filter(|_| self.has_key("mode"));
                NO_FILES.iter().chain(of_borg).find(|(name, _)| *name == value).map(|(_, kind)| *kind)
            }
            _ => None,
        })
    }

    /// Returns true if the object is a descriptor of the Open Container Initiative.
    fn is_descriptor(&self) -> bool {
        let sized = || self.members.iter().any(|member| member.key.is(Meaning::Size));
        self.text_of(Meaning::Media).is_some()
            && self.text_of(Meaning::Name).is_none()
            && (self.blob().is_some() || sized())
    }

    /// Adds the entries of a map of names, if any of its values is a digest, and returns true if
    /// so. In a map under a key of lists, any value other than a digest is an error. At the top level,
    /// this applies to keys that look like names of files; other strings and numbers are ignored.
    fn map(&self, walk: &mut Traversal<'_>, role: Role, sense: Key, inner: bool) -> bool {
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
            let is_name = role == Role::List || member.key == Key::default() && is_file_like(name.as_bytes());
            let bad = match member.kind {
                Kind::Text => is_name || value.is_empty() || mostly_digits(value),
                Kind::Number | Kind::Odd | Kind::True => is_name,
                // An object that is an entry is also passed.
                Kind::Passed => is_name && !inner && is_file_like(name.as_bytes()),
                Kind::Null | Kind::Listed | Kind::Stray => true,
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
                _ if !good && nameless => walk.records.fault_of(UNREADABLE, name.as_bytes()),
                _ if !good => walk.records.fault(UNREADABLE),
                Some(tag) if stated(value.as_bytes()).is_none() => {
                    walk.records.digest(tag.as_bytes(), value.as_bytes());
                }
                _ => walk.records.stated_digest(value.as_bytes()),
            }
        }
        true
    }
}

/// Returns true if a member contains digests that belong to no entry, unless its key shows that
/// they are something else.
fn has_stray_digest(key: &str, member: Member) -> bool {
    let is_package = key.get(..7).is_some_and(|begin| begin.eq_ignore_ascii_case("package"));
    matches!(member.kind, Kind::Listed | Kind::Stray) && (is_package || !is_other(key))
}
