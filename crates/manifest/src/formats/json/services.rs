//! Services and programs whose objects have members that mean something else than their keys
//! suggest. A row is found by the members that every object of the service has.

use super::object::Object;
use super::words::last_of_url;
use crate::radix;
use std::borrow::Cow;

/// The objects of a service. Keys are compared exactly.
pub(super) struct Service {
    /// Members of every object that are strings.
    texts: &'static [&'static str],
    /// Members of every object whose type does not matter.
    any: &'static [&'static str],
    /// The only other members that an object may have, or `None` if it may have others.
    only: Option<&'static [&'static str]>,
    name: Name,
    /// The member that contains the digest.
    digest: Option<(&'static str, Content)>,
    /// The member with whose values (all, if none are given) an object never has a digest.
    undigested: Option<(&'static str, &'static [&'static str])>,
    /// A member whose values mark an object as something other than a file, whatever its digests
    /// are.
    no_file: Option<(&'static str, &'static [&'static str])>,
    /// A member that resembles a digest but is about something else.
    unrelated: Option<&'static str>,
    /// Whether objects have no digests under other keys than those that every document has for digests.
    complete: bool,
    /// The members for name and size: a name that ends in a slash, with the size 0, is a folder.
    folder: Option<(&'static str, &'static str)>,
}

/// The name of a file.
#[derive(Clone, Copy)]
enum Name {
    /// Under its usual key.
    Usual,
    /// Under its usual key, relative although it begins with a slash.
    Rooted,
    /// Under this key; other members with names are titles.
    Of(&'static str),
    /// The last component of the URL under this key, or its value if it is relative.
    OfUrl(&'static str),
    /// Joined from members, with texts between them.
    Joined { first: &'static str, between: &'static str, second: &'static str, end: &'static str },
}

/// The content of a member that contains a digest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A digest of this algorithm.
    Of(&'static str),
    /// A digest of this algorithm, if a file has no other digest.
    Alone(&'static str),
    /// The entity tag of an object, in quotes: its MD5, unless it was uploaded in parts. It counts
    /// only if the object has no other digest.
    EntityTag,
}

const NONE: Service = Service {
    texts: &[],
    any: &[],
    only: None,
    name: Name::Usual,
    digest: None,
    undigested: None,
    no_file: None,
    unrelated: None,
    complete: false,
    folder: None,
};

static SERVICES: &[Service] = &[
    // A package in a lock file of npm.
    Service { texts: &["resolved", "integrity"], complete: true, ..NONE },
    // The index of a Cargo registry.
    Service {
        texts: &["name", "vers", "cksum"],
        name: Name::Joined { first: "name", between: "-", second: "vers", end: ".crate" },
        digest: Some(("cksum", Content::Of("sha256"))),
        complete: true,
        ..NONE
    },
    // A large file in Hugging Face. Elsewhere, `oid` is an object of git.
    Service { texts: &["oid"], any: &["pointerSize"], digest: Some(("oid", Content::Of("sha256"))), ..NONE },
    // A file in Hugging Face. The blob of a large one is its pointer.
    Service {
        texts: &["type", "oid", "path"],
        any: &["size"],
        digest: Some(("oid", Content::Alone("git-blob"))),
        ..NONE
    },
    Service { texts: &["rfilename", "blobId"], digest: Some(("blobId", Content::Alone("git-blob"))), ..NONE },
    // A model in Hugging Face, and its commit.
    Service { texts: &["id", "sha"], any: &["siblings"], unrelated: Some("sha"), ..NONE },
    // An asset of a release in GitHub, whose label is a title.
    Service { texts: &["name", "browser_download_url"], name: Name::Of("name"), ..NONE },
    // The releases of .NET, which are downloaded under names that contain the version.
    Service { texts: &["name", "rid", "url", "hash"], name: Name::OfUrl("url"), ..NONE },
    // An archive in a network mirror of Terraform, with digests that are not under the name of their algorithm.
    Service { texts: &["url"], only: Some(&["", "hashes"]), name: Name::OfUrl("url"), ..NONE },
    // `git lfs ls-files --json`.
    Service { texts: &["oid", "oid_type"], digest: Some(("oid", Content::Of("sha256"))), ..NONE },
    // `aws s3api list-objects-v2`.
    Service {
        texts: &["Key", "ETag"],
        any: &["Size"],
        digest: Some(("ETag", Content::EntityTag)),
        folder: Some(("Key", "Size")),
        ..NONE
    },
    // A listing of Backblaze, with marks of hidden files, uploads that are not complete, and folders.
    Service {
        texts: &["action", "fileName"],
        any: &["contentSha1"],
        no_file: Some(("action", &["hide", "start", "folder"])),
        ..NONE
    },
    // An index of F-Droid.
    Service {
        any: &["name", "sha256", "size"],
        only: Some(&["ipfsCIDv1", "numPackages"]),
        name: Name::Rooted,
        ..NONE
    },
    // `artifacts.json` of goreleaser also has metadata and container images.
    Service { texts: &["type"], any: &["internal_type"], undigested: Some(("type", &[])), ..NONE },
    // A bottle of a formula in Homebrew, under the name of a system.
    Service { texts: &["cellar", "url", "sha256"], only: Some(&[]), name: Name::OfUrl("url"), ..NONE },
    // A formula or cask in Homebrew, and the file that defines it.
    Service {
        texts: &["ruby_source_path"],
        any: &["ruby_source_checksum"],
        unrelated: Some("ruby_source_checksum"),
        ..NONE
    },
    // The releases of Flutter, and the commits of the latest ones.
    Service { texts: &["base_url"], any: &["current_release"], unrelated: Some("current_release"), ..NONE },
    // A release of Flutter, and its commit.
    Service {
        texts: &["archive", "hash", "channel", "sha256"],
        name: Name::Of("archive"),
        unrelated: Some("hash"),
        ..NONE
    },
    // An image of Fedora.
    Service { texts: &["link", "variant", "subvariant", "sha256"], name: Name::OfUrl("link"), ..NONE },
    // The manifest of cargo-dist.
    Service {
        texts: &["name", "kind"],
        undigested: Some(("kind", &["checksum", "unified-checksum", "installer"])),
        ..NONE
    },
];

impl Service {
    fn has(&self, object: &Object) -> bool {
        let known = |key: &str| self.texts.iter().chain(self.any).any(|known| *known == key);
        self.texts.iter().all(|key| object.text(key).is_some())
            && self.any.iter().all(|key| object.has_key(key))
            && self.only.is_none_or(|only| object.iter().all(|(key, ..)| known(key) || only.contains(&key)))
    }
}

impl Object {
    /// Returns the services that the object may be from.
    fn services(&self) -> impl Iterator<Item = &'static Service> {
        SERVICES.iter().filter(|service| service.has(self))
    }

    /// Returns the keys and contents of digests that only a service has.
    pub(super) fn digests_of_services(&self) -> Vec<(&'static str, Content)> {
        self.services().filter_map(|service| service.digest).collect()
    }

    /// Returns true if a member is not a digest for a service, although it resembles one.
    pub(super) fn is_unrelated(&self, key: &str) -> bool {
        self.services().any(|service| service.unrelated == Some(key))
    }

    /// Returns the name that a service has in a member of its own, or spreads over several.
    pub(super) fn name_of_service(&self) -> Option<Vec<u8>> {
        self.services().find_map(|service| match service.name {
            Name::Joined { first, between, second, end } => {
                Some([self.text(first)?, between, self.text(second)?, end].concat().into_bytes())
            }
            Name::Of(key) => Some(self.text(key)?.as_bytes().to_vec()),
            Name::OfUrl(key) => match self.text(key)? {
                url if url.contains("://") => last_of_url(url).map(Cow::into_owned),
                path => radix::percent(path.as_bytes()),
            },
            Name::Usual | Name::Rooted => None,
        })
    }

    /// Returns true if names begin with a slash and are relative to the list.
    pub(super) fn has_rooted_name(&self) -> bool {
        self.services().any(|service| matches!(service.name, Name::Rooted))
    }

    /// Returns true if a digest under an unknown key is not one that the service of the object writes.
    pub(super) fn has_all_digests(&self) -> bool {
        self.services().any(|service| service.complete)
    }

    /// Returns true if a service never has a digest for such an object.
    pub(super) fn never_has_digest(&self) -> bool {
        self.services().filter_map(|service| service.undigested).any(|(key, values)| {
            values.is_empty() || self.text(key).is_some_and(|value| values.contains(&value))
        })
    }

    /// Returns true for an object that a service does not list as a file.
    pub(super) fn is_no_file(&self) -> bool {
        self.services()
            .filter_map(|service| service.no_file)
            .any(|(key, values)| self.text(key).is_some_and(|value| values.contains(&value)))
            || self.is_folder_of_store()
    }

    /// Returns true for an object that represents a folder in a store without folders.
    fn is_folder_of_store(&self) -> bool {
        self.services().filter_map(|service| service.folder).any(|(name, size)| {
            let is_empty = || self.iter().any(|(key, value, _)| key == size && value == "0");
            self.text(name).is_some_and(|name| name.ends_with('/')) && is_empty()
        })
    }
}
