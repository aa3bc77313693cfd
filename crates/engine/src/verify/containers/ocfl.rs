//! An object in the Oxford Common File Layout (OCFL), and a storage root with many objects.
//!
//! An object has an inventory with the digest of every content file of every version, and each version may have an
//! inventory of its own, which describes the object up to that version. A sidecar contains the digest of each inventory.
//! The object is valid if the inventories match their sidecars and agree with each other, and the content files are
//! exactly those in the inventory and match all its digests.

use crate::error::{Cause, Error};
use crate::io::open::open_companion;
use crate::select::Selection;
use crate::verify::containers::Containers;
use crate::verify::event::{Event, Observer};
use crate::verify::listed::ListedNames;
use crate::verify::unexpected::search::{Scope, SearchScope, unlisted};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::FileType;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_manifest::ocfl::{Inventory, parse};
use truesum_manifest::path::display_safe;

/// The prefix of the name of the file that declares an object.
const OBJECT: &str = "0=ocfl_object_";
/// The prefix of the name of the file that declares a storage root.
const ROOT: &str = "0=ocfl_";
/// The supported versions of the layout.
const VERSIONS: [&str; 2] = ["1.0", "1.1"];
/// The name of an inventory.
const INVENTORY: &str = "inventory.json";
/// The maximum number of bytes of an inventory, which is read into memory.
const LIMIT: u64 = 256 << 20;

/// The kind of a folder, according to its OCFL declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An object.
    Object,
    /// A storage root.
    Root,
}

/// Returns the kind of this folder according to its OCFL declaration, or `None` if it has none.
pub fn kind_of(folder: &Path) -> Option<Kind> {
    items(folder).ok().and_then(|items| declared(&items))
}

/// Returns whether the name of a file is that of a declaration of an object or storage root.
pub(crate) fn is_declaration(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_bytes().starts_with(ROOT.as_bytes()))
}

fn declared(items: &[(String, FileType)]) -> Option<Kind> {
    let has = |prefix: &str| items.iter().any(|(name, _)| name.starts_with(prefix));
    match (has(OBJECT), has(ROOT)) {
        (true, _) => Some(Kind::Object),
        (false, true) => Some(Kind::Root),
        (false, false) => None,
    }
}

/// Returns the names and types of the items of a folder, in ascending order. A name that is not UTF-8 is displayed with
/// replacement characters: it is not a name that the layout allows.
fn items(folder: &Path) -> Result<Vec<(String, FileType)>, Error> {
    let error = |error| Error::io(folder.as_os_str().as_bytes(), "read", error);
    let mut items = Vec::new();
    for item in std::fs::read_dir(folder).map_err(error)? {
        let item = item.map_err(error)?;
        items.push((item.file_name().to_string_lossy().into_owned(), item.file_type().map_err(error)?));
    }
    items.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(items)
}

fn invalid(path: &Path, why: impl Into<String>) -> Error {
    Error::new(path.as_os_str().as_bytes(), "verify", Cause::Other(why.into()))
}

/// Reads a file of an object into memory.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let read = open_companion(path)?.take(LIMIT + 1).read_to_end(&mut text);
    read.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
    match text.len() as u64 > LIMIT {
        true => Err(invalid(path, format!("it is larger than {LIMIT} bytes"))),
        false => Ok(text),
    }
}

/// Returns the errors of the declarations in a folder, whose names begin with `prefix`: there must be one, with its name
/// as its content.
fn declaration_faults(folder: &Path, items: &[(String, FileType)], prefix: &str) -> Vec<Error> {
    let all = items.iter().filter_map(|(name, _)| Some((name, name.strip_prefix(prefix)?)));
    let all: Vec<_> = all.filter(|(name, _)| prefix == OBJECT || !name.starts_with(OBJECT)).collect();
    if all.len() > 1 {
        return vec![invalid(folder, "it has more than one OCFL declaration")];
    }
    let fault = |(name, version): &(&String, &str)| {
        let path = folder.join(name);
        if !VERSIONS.contains(version) {
            return Some(invalid(&path, format!("unsupported version {version:?} of OCFL")));
        }
        match read(&path) {
            Err(error) => Some(error),
            Ok(text) if text.strip_suffix(b"\n") == Some(&name.as_bytes()[2..]) => None,
            Ok(_) => Some(invalid(&path, "its content differs from its name")),
        }
    };
    all.iter().filter_map(fault).collect()
}

/// An inventory that matches its sidecar.
struct Verified {
    path: PathBuf,
    text: Vec<u8>,
    inventory: Inventory,
}

/// Reads the inventory in a folder and compares it with its sidecar.
fn inventory(folder: &Path) -> Result<Verified, Error> {
    let path = folder.join(INVENTORY);
    let text = read(&path)?;
    let inventory = parse(&text).map_err(|why| invalid(&path, why))?;
    let sidecar = folder.join(sidecar(&inventory));
    let line = read(&sidecar)?;
    let mut fields = line.strip_suffix(b"\n").unwrap_or(&line).splitn(2, |byte| b" \t".contains(byte));
    let (digest, name) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    if name.trim_ascii_start() != INVENTORY.as_bytes() {
        return Err(invalid(&sidecar, "expected a single line with a digest and inventory.json"));
    }
    match digest.eq_ignore_ascii_case(inventory.algorithm().digest(&text).to_hex().as_bytes()) {
        true => Ok(Verified { path, text, inventory }),
        false => Err(invalid(
            &path,
            format!("it does not match its digest in {}", display_safe(sidecar.as_os_str().as_bytes())),
        )),
    }
}

/// Returns the name of the sidecar of an inventory.
fn sidecar(inventory: &Inventory) -> String {
    format!("{INVENTORY}.{}", inventory.algorithm())
}

impl Containers<'_> {
    /// Checks the object or storage root in a folder.
    pub(super) fn ocfl(&mut self, folder: &Path, kind: Kind, on_event: &mut Observer<'_>) -> io::Result<()> {
        let options = self.entries.options;
        if options.public_key.is_some() || options.read.remote.is_some() || options.read.root.is_some() {
            let why = "an OCFL object cannot be checked with a signature or against another location";
            return self.entries.unread(&invalid(folder, why), on_event);
        }
        match kind {
            Kind::Object => self.object(folder, on_event),
            Kind::Root => self.storage_root(folder, on_event),
        }
    }

    /// Checks all objects below a storage root, and that there is nothing else.
    fn storage_root(&mut self, root: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let (mut folders, mut has_objects) = (vec![root.to_owned()], false);
        while let Some(folder) = folders.pop() {
            if self.entries.progress.stopped() {
                self.entries.report.not_begun += 1;
                return Ok(());
            }
            let is_root = folder == root;
            let items = match items(&folder) {
                Ok(items) => items,
                Err(error) => {
                    self.fault(&error, on_event)?;
                    continue;
                }
            };
            match (declared(&items), is_root) {
                (Some(Kind::Object), _) => {
                    has_objects = true;
                    self.object(&folder, on_event)?;
                    continue;
                }
                (Some(Kind::Root), true) => {
                    let faults = declaration_faults(root, &items, ROOT);
                    faults.iter().try_for_each(|fault| self.fault(fault, on_event))?;
                }
                (Some(Kind::Root), false) => {
                    self.fault(&invalid(&folder, "it is a storage root inside another one"), on_event)?;
                    continue;
                }
                (None, _) if items.is_empty() => {
                    self.fault(&invalid(&folder, "the folder is empty"), on_event)?;
                }
                (None, _) => {}
            }
            for (name, kind) in items.iter().rev() {
                match kind {
                    kind if kind.is_dir() && is_root && name == "extensions" => {
                        self.extensions(&folder.join(name), on_event)?;
                    }
                    kind if kind.is_dir() => folders.push(folder.join(name)),
                    // Other files are allowed only in the storage root itself.
                    kind if kind.is_file() && is_root => {}
                    _ => self.fault(&invalid(&folder.join(name), "it belongs to no object"), on_event)?,
                }
            }
        }
        match has_objects {
            true => Ok(()),
            false => self.entries.unread(&invalid(root, "the storage root contains no objects"), on_event),
        }
    }

    /// Checks one object.
    fn object(&mut self, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.entries.files.bags.push(folder.to_owned());
        let items = match items(folder) {
            Ok(items) => items,
            Err(error) => return self.fault(&error, on_event),
        };
        for fault in declaration_faults(folder, &items, OBJECT) {
            self.fault(&fault, on_event)?;
        }
        let root = match inventory(folder) {
            Ok(root) => root,
            Err(error) => return self.fault(&error, on_event),
        };
        let declaration = format!("{OBJECT}{}", root.inventory.layout());
        if !items.iter().any(|(name, _)| *name == declaration) {
            let why = format!(
                "it has the type of OCFL {}, which differs from that of the object",
                root.inventory.layout()
            );
            self.fault(&invalid(&root.path, why), on_event)?;
        }
        let mut listed = ListedNames::default();
        let mut known = |below: &str, inventory: &Inventory| {
            [INVENTORY, &sidecar(inventory)]
                .iter()
                .for_each(|name| listed.add(format!("{below}{name}").as_bytes()));
        };
        known("", &root.inventory);
        let (mut others, mut fixity) = (Vec::new(), root.inventory.fixity().clone());
        let mut layout = "";
        for version in root.inventory.folders() {
            let path = folder.join(version);
            if !std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                self.fault(&invalid(&path, "the folder of this version is missing"), on_event)?;
                continue;
            }
            if std::fs::symlink_metadata(path.join(INVENTORY))
                .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            {
                continue;
            }
            let own = match inventory(&path) {
                Ok(own) => own,
                Err(error) => {
                    // The inventory and its sidecar belong to the object, even if they are damaged.
                    known(&format!("{version}/"), &root.inventory);
                    self.fault(&error, on_event)?;
                    continue;
                }
            };
            known(&format!("{version}/"), &own.inventory);
            let is_head = root.inventory.folders().last() == Some(version);
            let fault = match own.inventory.folders().last() == Some(version) {
                false => Some(format!("its head is not {version}")),
                true if is_head && own.text != root.text => {
                    Some("it differs from inventory.json, although it describes the same version".to_owned())
                }
                true if own.inventory.layout() < layout => {
                    Some("it has the type of an earlier version of OCFL than a previous inventory".to_owned())
                }
                true => own.inventory.contradiction(&root.inventory),
            };
            layout = layout.max(own.inventory.layout());
            if let Some(why) = fault {
                self.fault(&invalid(&own.path, why), on_event)?;
                continue;
            }
            // Digests of another algorithm, and those that only an older fixity block has.
            let has_others = own.inventory.algorithm() != root.inventory.algorithm()
                || !own.inventory.fixity().is_subset(&fixity);
            if has_others {
                fixity.extend(own.inventory.fixity().iter().cloned());
                others.push(own);
            }
        }
        let irregular = self.irregular(folder, on_event)?;
        for (name, kind) in &items {
            let is_expected = match kind.is_dir() {
                true => root.inventory.folders().contains(name) || ["extensions", "logs"].contains(&&**name),
                false => kind.is_file() && (name.starts_with(OBJECT) || listed.contains(name.as_bytes())),
            };
            if !is_expected && !irregular.contains(&folder.join(name)) {
                self.fault(&invalid(&folder.join(name), "it does not belong to the object"), on_event)?;
            }
        }
        self.extensions(&folder.join("extensions"), on_event)?;
        if root.inventory.content().is_empty() {
            self.bags.without_content += 1;
            on_event(Event::Doubtful(&invalid(folder, "the object has no content files, only inventories")))?;
        } else {
            self.entries.manifest(&root.path, &root.text[..], Some(&mut listed), on_event)?;
        }
        for other in others.iter().filter(|other| !other.inventory.content().is_empty()) {
            self.entries.manifest(&other.path, &other.text[..], Some(&mut listed), on_event)?;
        }
        if self.entries.progress.stopped() {
            return Ok(());
        }
        for name in self.unlisted_content(folder, &mut listed, on_event)? {
            let version = name.split(|&byte| byte == b'/').next().unwrap_or_default();
            if root.inventory.folders().iter().any(|folder| folder.as_bytes() == version) {
                let path = folder.join(OsStr::from_bytes(&name));
                if !irregular.contains(&path) {
                    self.fault(&invalid(&path, "it is not in the inventory"), on_event)?;
                }
            }
        }
        Ok(())
    }

    /// Reports everything below a folder that is neither a regular file nor a folder. Returns the paths.
    fn irregular(&mut self, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<BTreeSet<PathBuf>> {
        let (mut found, mut folders) = (BTreeSet::new(), vec![folder.to_owned()]);
        while let Some(folder) = folders.pop().filter(|_| !self.entries.progress.stopped()) {
            // The search for files that are not in the inventory reports a folder that cannot be read.
            for item in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                match item.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(item.path()),
                    Ok(kind) if !kind.is_file() => _ = found.insert(item.path()),
                    _ => {}
                }
            }
        }
        for path in &found {
            let is_link = path.is_symlink();
            let what = if is_link { "it is a symbolic link" } else { "it is not a regular file" };
            self.fault(&invalid(path, format!("{what}, which an object cannot contain")), on_event)?;
        }
        Ok(found)
    }

    /// Reports files directly in the folder of extensions, which contains only folders.
    fn extensions(&mut self, folder: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        if !std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
        match items(folder) {
            Err(error) => self.fault(&error, on_event),
            Ok(items) => items.iter().filter(|(_, kind)| kind.is_file()).try_for_each(|(name, _)| {
                let why = "the folder of extensions contains only folders";
                self.fault(&invalid(&folder.join(name), why), on_event)
            }),
        }
    }

    /// Returns the names of everything in an object that is not `listed`.
    fn unlisted_content(
        &mut self,
        folder: &Path,
        listed: &mut ListedNames,
        on_event: &mut Observer<'_>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let progress = self.entries.progress;
        let stopped = || progress.stopped();
        let scope = SearchScope {
            scope: Scope::CompleteRead,
            // The selection does not apply to the completeness of an object.
            select: &Selection::default(),
            own: &self.entries.files.own,
            strict: true,
            temporaries: true,
            limit: u64::MAX,
            stopped: &stopped,
        };
        let mut names = Vec::new();
        let search = unlisted(folder.as_os_str().as_bytes(), listed, &scope, &mut |name| {
            names.push(name.to_vec());
            Ok(())
        })?;
        self.bags.unreadable += search.failed().len() as u64;
        search.failed().iter().try_for_each(|error| on_event(Event::Failed(error)))?;
        Ok(names)
    }
}
