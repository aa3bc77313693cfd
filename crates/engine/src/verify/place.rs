//! Opens manifests, and determines the folder that their names are relative to.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::input::Input;
use crate::io::open::{Root, open_companion};
use crate::progress::Progress;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::io::Read;
use std::path::{Path, PathBuf};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// The list of packages in an RPM repository, which may be compressed.
const PRIMARY: &[u8] = b"primary.xml";
/// The folder in which dpkg stores the list of the files of each package.
const DPKG: &str = "var/lib/dpkg/info";

/// Returns the folder that a manifest's names are relative to: its own, or the parent folder if its format requires a
/// special folder for it (`RECORD` of Python packages, `MANIFEST.MF` of Java, the lists of ASC-MHL, `repomd.xml` and
/// `primary.xml` of RPM repositories, an inventory in a version folder of an OCFL object), the folder above `dists`
/// for `Packages` and `Sources` of a Debian archive, or the one above `var/lib/dpkg/info` for the lists of dpkg. A
/// manifest in `/dev` (`/dev/stdin`, or `/dev/fd/63` of a shell's `<(...)`) has no folder of its own: its names are
/// relative to the current folder, like those in standard input.
pub fn folder_of_names(manifest: &Path) -> PathBuf {
    let bytes = |part: Option<&OsStr>| part.map(OsStr::as_bytes).unwrap_or_default().to_vec();
    let folder = manifest.parent();
    let place = bytes(folder.and_then(Path::file_name));
    let above = match bytes(manifest.file_name()).as_slice() {
        b"RECORD" => place.ends_with(b".dist-info"),
        b"MANIFEST.MF" => place == b"META-INF",
        // Other files precede the name of the list with a digest.
        name if place == b"repodata" => {
            name == b"repomd.xml" || name.windows(PRIMARY.len()).any(|part| part == PRIMARY)
        }
        b"inventory.json" => is_version_folder(folder, &place),
        name => place == HISTORY && name.ends_with(b".mhl"),
    };
    let folder = folder.filter(|folder| !is_of_streams(folder));
    let info = dpkg_folder(manifest, |folder| folder.ends_with(DPKG));
    if let Some(system) = info.as_ref().and_then(|info| info.ancestors().nth(4)) {
        return if system.as_os_str().is_empty() { PathBuf::from(".") } else { system.to_owned() };
    }
    let is_index = matches!(manifest.file_stem(), Some(stem) if stem == "Packages" || stem == "Sources");
    let is_archive = |folder: &&Path| folder.file_name().is_some_and(|name| name == "dists");
    if let Some(dists) = folder.filter(|_| is_index).and_then(|folder| folder.ancestors().find(is_archive)) {
        return match dists.parent() {
            Some(archive) if !archive.as_os_str().is_empty() => archive.to_owned(),
            _ => PathBuf::from("."),
        };
    }
    match if above { folder.and_then(Path::parent) } else { folder } {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Returns the folder of a list of dpkg, `PACKAGE.md5sums`, as given or, if `is_known` does not recognize that path,
/// absolute.
pub(super) fn dpkg_folder(manifest: &Path, is_known: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    if manifest.extension() != Some(OsStr::new("md5sums")) {
        return None;
    }
    let folder = manifest.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match is_known(folder) {
        true => Some(folder.to_owned()),
        false => folder.canonicalize().ok().filter(|folder| is_known(folder)),
    }
}

/// Returns whether a folder with this name is that of a version in an OCFL object. An object can have such a name, too.
fn is_version_folder(folder: Option<&Path>, name: &[u8]) -> bool {
    let is_version = name
        .strip_prefix(b"v")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let object = folder.and_then(Path::parent).filter(|_| is_version);
    object.is_some_and(|object| object.join("inventory.json").is_file())
}

/// Splits a name into that of the first folder and the name in it.
pub(crate) fn in_folder(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = name.iter().position(|&byte| byte == b'/')?;
    Some((&name[..slash], &name[slash + 1..]))
}

/// The place of a folder in names that all begin with the same folder, as those in a torrent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It contains the folder.
    Outer,
    /// It is the folder: it has its name, and it contains all files.
    Inner,
    /// It is the folder, but it also contains another one with the same name and at least one of the files.
    Unclear,
}

/// Determines the place of a folder in these names.
pub fn placement<'n>(folder: &Path, names: impl IntoIterator<Item = &'n [u8]>) -> Placement {
    let Ok(root) = Root::folder(folder, false) else { return Placement::Outer };
    let own_name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.as_bytes().to_vec()));
    let exists = |name: &[u8]| root.exists(OsStr::from_bytes(name));
    let (mut some, mut outer) = (false, false);
    for name in names {
        match in_folder(name) {
            Some((top, rest)) if Some(top) == own_name.as_deref() && exists(rest) => {
                some = true;
                outer |= exists(name);
            }
            _ => return Placement::Outer,
        }
    }
    match (some, outer) {
        (false, _) => Placement::Outer,
        (true, false) => Placement::Inner,
        (true, true) => Placement::Unclear,
    }
}

/// Returns whether this folder has entries for the streams of a process.
fn is_of_streams(folder: &Path) -> bool {
    ["/dev", "/dev/fd", "/proc/self/fd"].iter().any(|streams| folder == Path::new(streams))
}

/// The folder for the lists of an ASC-MHL history.
pub(super) const HISTORY: &[u8] = b"ascmhl";
/// The file in it that names the lists.
pub(crate) const CHAIN: &str = "ascmhl_chain.xml";
/// The maximum number of bytes read from it.
const LIMIT: u64 = 16 << 20;

/// Returns the files of the history of an ASC-MHL list, as `(device, inode)`: the chain file and the lists that it
/// names. By the rules of the format, no list contains them.
fn history(manifest: &Path) -> Vec<FileId> {
    let is_list = manifest.extension().is_some_and(|end| end == "mhl");
    let is_history = |folder: &&Path| folder.file_name().is_some_and(|name| name.as_bytes() == HISTORY);
    let Some(folder) = manifest.parent().filter(is_history).filter(|_| is_list) else { return Vec::new() };
    let mut chain = String::new();
    let file = folder.join(CHAIN);
    if let Ok(file) = open_companion(&file) {
        let read = file.take(LIMIT).read_to_string(&mut chain);
        chain = read.map_or_else(|_| String::new(), |_| chain);
    }
    let named = |file: &DirEntry| {
        let name = file.file_name();
        name == CHAIN || name.to_str().is_some_and(|name| chain.contains(&format!("<path>{name}</path>")))
    };
    let of_it = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(named);
    of_it.filter_map(|file| Metadata::of_link(file.path()).ok()).map(|stat| stat.id()).collect()
}

/// Opens a manifest; `-` is standard input. Also returns the device and inode number of its file and of its history.
pub(crate) fn open(name: &Path, progress: &Progress) -> Result<(Input, Vec<FileId>), Error> {
    let bytes = name.as_os_str().as_bytes();
    let fail = |action| move |error| Error::io(bytes, action, error);
    if bytes == b"-" {
        return Ok((Input::stdin(progress.stop_signal()).map_err(fail("read"))?, Vec::new()));
    }
    let file = Input::open(name, progress.stop_signal()).map_err(fail("open"))?;
    let metadata = Metadata::of(file.file()).map_err(|error| Error::io(bytes, "read", error))?;
    if metadata.kind().is_dir() {
        return Err(Error::new(bytes, "read", Cause::Other("it is a directory".to_owned())));
    }
    progress.add_listed(metadata.size());
    let mut ids = history(name);
    ids.push(metadata.id());
    Ok((file, ids))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_folder_of_names_depends_on_the_manifest_name() {
        for (manifest, folder) in [
            ("SHA256SUMS", "."),
            ("a/SHA256SUMS", "a"),
            ("a/x-1.dist-info/RECORD", "a"),
            ("x-1.dist-info/RECORD", "."),
            ("RECORD", "."),
            ("a/RECORD", "a"),
            ("META-INF/MANIFEST.MF", "."),
            ("/a/META-INF/MANIFEST.MF", "/a"),
            ("META-INF/x.sha256", "META-INF"),
            ("/a/ascmhl/0001_set.mhl", "/a"),
            ("a/ascmhl/chain.xml", "a/ascmhl"),
            ("dists/sid/main/binary-all/Packages", "."),
            ("a/dists/sid/main/binary-all/Packages.xz", "a"),
            ("/a/dists/sid/main/source/Sources", "/a"),
            ("a/Packages", "a"),
            ("dists/sid/Release", "dists/sid"),
            ("repodata/repomd.xml", "."),
            ("a/repodata/0123-primary.xml.gz", "a"),
            ("a/repodata/x.sha256", "a/repodata"),
            ("a/repomd.xml", "a"),
            ("var/lib/dpkg/info/p.md5sums", "."),
            ("/var/lib/dpkg/info/p:amd64.md5sums", "/"),
            ("k/var/lib/dpkg/info/p.md5sums", "k"),
            ("k/var/lib/dpkg/info/p.list", "k/var/lib/dpkg/info"),
            ("info/p.md5sums", "info"),
            ("-", "."),
            ("/dev/stdin", "."),
            ("/dev/fd/63", "."),
            ("/dev/shm/SUMS", "/dev/shm"),
        ] {
            assert_eq!(folder_of_names(Path::new(manifest)), Path::new(folder), "{manifest}");
        }
    }
}
