//! Interprets the arguments of `check`: manifests, a digest and its files, or a manifest and some
//! of the files in it.

use crate::digests::mistyped_refusal;
use crate::digests::pasted::{embedded, is_digest, is_list, name_in_line, translated};
use crate::exit::Refusal;
use crate::output::{listed, lists};
use crate::stores;
use crate::words::{path_word, shell_word};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::symlink_metadata;
use std::path::{Component, Path, PathBuf};
use truesum::manifest::path::display_safe;
use truesum::verify::has_manifest_name;
use truesum::verify::place::folder_of_names;
use truesum::{Root, Special};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::{OsStrExt, OsStringExt, entry_name};

/// The meaning of the arguments of `check`.
#[derive(Debug, PartialEq, Eq)]
pub enum Operands {
    Manifests(Vec<PathBuf>),
    /// A digest, and the files that must have it.
    Digest(String, Vec<PathBuf>),
    /// A manifest, and the names of the entries to check.
    Entries(PathBuf, Vec<OsString>),
}

/// Interprets the arguments; `root` is the folder to which the names in a manifest are relative.
///
/// An argument that names an existing file is that file. Any other argument that looks like a
/// digest is a digest. Arguments after a manifest are entries of it unless one of them is also a
/// manifest.
///
/// # Errors
/// Fails if there is more than one digest, or no file to compare with it.
pub fn named(names: Vec<PathBuf>, root: Option<&Path>) -> Result<Operands, Refusal> {
    if let Some(refusal) = names.iter().find_map(|name| malformed_etag(name)) {
        return Err(refusal);
    }
    let names: Vec<PathBuf> = names.into_iter().map(in_usual_form).collect::<Result<_, _>>()?;
    if names.iter().any(|name| name.to_str().is_some_and(is_list) && symlink_metadata(name).is_err()) {
        return Err(Refusal::with_hint(
            "check: an argument contains several lines, but at most one digest is allowed",
            "write the lines to a file, and check it: truesum check FILE",
        ));
    }
    let (digests, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        names.iter().partition(|name| is_digest(name.as_os_str()));
    match (&digests[..], &files[..]) {
        ([], [manifest, others @ ..])
            if !others.is_empty()
                && is_manifest(manifest)
                && !others.iter().any(|other| is_manifest_behind(manifest, other)) =>
        {
            let names = NamesIn::read(manifest, root);
            let entries = others.iter().map(|file| names.entry(file).unwrap_or_else(|name| name)).collect();
            Ok(Operands::Entries((*manifest).clone(), entries))
        }
        ([], files) => match digest_in_name(files) {
            Some(refusal) => Err(refusal),
            None => Ok(Operands::Manifests(names)),
        },
        ([digest], []) => {
            if let Some(name) = existing_name(digest) {
                return Ok(Operands::Digest(digest.to_string_lossy().into_owned(), vec![name]));
            }
            if let Some(refusal) = digest.to_str().and_then(mistyped_refusal) {
                return Err(Refusal { text: format!("check: {}", refusal.text), ..refusal });
            }
            let digest = shell_word(digest.as_os_str());
            let hint = format!("to compare a file with it: truesum check {digest} FILE");
            Err(Refusal::with_hint("check: a digest was given without a file to compare with it", hint))
        }
        ([digest], files) => {
            let digest = digest.to_string_lossy().into_owned();
            Ok(Operands::Digest(digest, files.iter().map(|file| (*file).clone()).collect()))
        }
        (digests, _) => Err(Refusal::with_hint(
            format!("check: {} digests were given, but at most one is allowed", digests.len()),
            "to compare several files, write a manifest with a digest, two spaces and a name on each line",
        )),
    }
}

/// Returns an argument that is a digest or line in a form of another format in the usual one. Files are left as they are.
///
/// # Errors
/// Refuses a line with a size or several digests.
fn in_usual_form(name: PathBuf) -> Result<PathBuf, Refusal> {
    let text = name.to_str().filter(|_| symlink_metadata(&name).is_err());
    let found = text.map(translated).transpose()?.flatten();
    Ok(found.map_or(name, PathBuf::from))
}

/// Returns the name in a complete checksum line if a file has that name, or if it is that of standard input.
fn existing_name(line: &Path) -> Option<PathBuf> {
    let name = PathBuf::from(name_in_line(line.to_str()?)?.into_owned());
    (name == Path::new("-") || symlink_metadata(&name).is_ok()).then_some(name)
}

/// Returns the refusal of an argument that is meant as the ETag of a multipart upload, but is not one.
fn malformed_etag(name: &Path) -> Option<Refusal> {
    /// An ETag of which a few characters are missing or were added has this many.
    const NEARLY: std::ops::RangeInclusive<usize> = 28..=36;
    const DIGITS: usize = 32;
    let text = name.to_str()?.trim().trim_matches('"');
    let text = text.strip_prefix("s3-etag:").unwrap_or(text);
    let (md5, parts) = text.split_once('-')?;
    let wrong = md5.bytes().filter(|byte| !byte.is_ascii_hexdigit()).count();
    let is_alike =
        NEARLY.contains(&md5.len()) && wrong <= 4 && md5.bytes().all(|b| b.is_ascii_alphanumeric());
    let number = parts.parse::<u32>().ok().filter(|_| parts.bytes().all(|byte| byte.is_ascii_digit()));
    let is_etag = md5.len() == DIGITS && wrong == 0 && number.is_some_and(|number| number > 0);
    if !is_alike || is_etag || symlink_metadata(name).is_ok() {
        return None;
    }
    let why = match number {
        None | Some(0) => format!("'{parts}' is not a valid number of parts"),
        Some(_) => match md5.chars().find(|letter| !letter.is_ascii_hexdigit()) {
            Some(letter) => format!("'{letter}' is not a hexadecimal digit"),
            None => format!("it has {} hexadecimal digits instead of {DIGITS}", md5.len()),
        },
    };
    Some(Refusal::with_hint(
        format!(
            "check: {}: not an ETag of a multipart upload ({why})",
            display_safe(name.as_os_str().as_bytes())
        ),
        format!(
            "copy the ETag again; it consists of {DIGITS} hexadecimal digits, a hyphen and the number of parts"
        ),
    ))
}

/// Returns the refusal of an argument that contains a digest, but is neither a digest nor a file,
/// next to files that are not manifests.
fn digest_in_name(files: &[&PathBuf]) -> Option<Refusal> {
    let is_missing = |name: &&&PathBuf| symlink_metadata(name).is_err();
    let missing = files.iter().find(is_missing)?;
    let digest = embedded(missing.to_str()?)?;
    let others: Vec<_> = files.iter().filter(|file| *file != missing).collect();
    // A file name without blanks is that of a missing manifest.
    let is_name = others.is_empty() && !missing.as_os_str().as_bytes().contains(&b' ');
    if is_name || others.iter().any(|file| is_manifest(file)) {
        return None;
    }
    let shown = display_safe(missing.as_os_str().as_bytes());
    let others: Vec<String> = others.iter().map(|file| path_word(file.as_os_str())).collect();
    let files = if others.is_empty() { "FILE".to_owned() } else { others.join(" ") };
    Some(Refusal::with_hint(
        format!("check: {shown} is neither a file nor a digest"),
        format!("to use the digest in this argument: truesum check {digest} {files}"),
    ))
}

/// Returns whether the first argument is a manifest, either by its name or because it has an entry
/// near its beginning.
fn is_manifest(name: &Path) -> bool {
    is_manifest_by_name(name) || std::fs::metadata(name).is_ok_and(|file| file.is_file()) && lists(name)
}

/// Returns whether an argument after the first one is also a manifest. If the first one has the
/// name of a manifest, only the names of the others count: a file to check may contain anything,
/// including lines like those of a manifest.
fn is_manifest_behind(first: &Path, name: &Path) -> bool {
    is_manifest_by_name(name) || !is_manifest_by_name(first) && is_manifest(name)
}

/// Returns whether an argument has the name of a manifest, or is standard input, a pipe, or a
/// folder (which must be a bag).
fn is_manifest_by_name(name: &Path) -> bool {
    let is_other = || std::fs::metadata(name).is_ok_and(|file| !file.is_file());
    name == Path::new("-") || has_manifest_name(name) || is_other()
}

/// Returns the folder that the names of entries are relative to: for a bag, the bag itself.
fn folder_of_entries(manifest: &Path) -> PathBuf {
    if manifest.is_dir() { manifest.to_owned() } else { folder_of_names(manifest) }
}

/// Returns the first of the other manifests that is also an entry of the first one; the user may
/// have meant that entry.
pub fn manifest_in_first<'n>(manifests: &'n [PathBuf], root: Option<&Path>) -> Option<&'n Path> {
    let [first, others @ ..] = manifests else { return None };
    // Reading the manifest twice takes a third of the time to check small files.
    if others.is_empty() {
        return None;
    }
    let names = NamesIn::read(first, root);
    others.iter().find(|other| names.entry(other).is_ok()).map(PathBuf::as_path)
}

/// The names near the beginning of a manifest, which arguments are compared with.
struct NamesIn {
    /// The folder that the names are relative to.
    folder: PathBuf,
    /// The names, each without redundant components and as in the manifest.
    names: HashMap<PathBuf, Vec<u8>>,
}

impl NamesIn {
    fn read(manifest: &Path, root: Option<&Path>) -> NamesIn {
        let folder = root.map_or_else(|| folder_of_entries(manifest), Path::to_owned);
        let names = listed(manifest).map(|name| (plain(Path::new(OsStr::from_bytes(&name))), name)).collect();
        NamesIn { folder, names }
    }

    /// Returns the name of a file's entry: a spelling of the file's name, or else the name of an entry with the same
    /// last component that leads to the same file.
    ///
    /// # Errors
    /// Returns the most likely name if there is no such entry.
    fn entry(&self, file: &Path) -> Result<OsString, OsString> {
        let spellings = entry_names(&self.folder, file);
        let is_listed = |name: &&OsString| self.names.contains_key(&plain(Path::new(name)));
        match spellings.iter().find(is_listed) {
            Some(name) => Ok(name.clone()),
            None => self.same_file(file).ok_or_else(|| spellings[0].clone()),
        }
    }

    /// Returns the entry that leads to this file without leaving the folder.
    fn same_file(&self, file: &Path) -> Option<OsString> {
        let wanted = Metadata::at(file).ok()?.id();
        let root = Root::folder(&self.folder, false).ok()?;
        let is_it = |name: &&Vec<u8>| {
            let found = root.open(name, Special::Refuse);
            found.is_ok_and(|(_, stat)| stat.id() == wanted)
        };
        let alike = self.names.iter().filter(|(name, _)| name.file_name() == file.file_name());
        alike.map(|(_, name)| name).find(is_it).map(|name| OsString::from_vec(name.clone()))
    }
}

/// Returns a path without redundant components.
fn plain(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
}

/// Returns the names that the entry of a file may have in a manifest whose names are relative to
/// `folder`, the most likely one first. A name that is neither below this folder nor that of an
/// existing file is returned unchanged.
fn entry_names(folder: &Path, file: &Path) -> Vec<OsString> {
    let names = paths_below(folder, file).into_iter();
    names.map(|path| OsString::from_vec(entry_name(path))).collect()
}

fn paths_below(folder: &Path, file: &Path) -> Vec<PathBuf> {
    let (near, given) = (plain(folder), plain(file));
    if stores::is_url(folder.as_os_str()) || near == given {
        return vec![file.into()];
    }
    let below = given.strip_prefix(&near).ok();
    let below = below.filter(|_| !near.as_os_str().is_empty() || given.is_relative());
    let leaves = |below: &&Path| below.components().any(|part| part == Component::ParentDir);
    match (below, real_name(folder, file)) {
        (Some(below), Some(real)) if leaves(&below) => vec![real, below.into()],
        (Some(below), real) => std::iter::once(below.into()).chain(real).collect(),
        (None, real) => vec![real.unwrap_or_else(|| file.into())],
    }
}

/// Returns the name of an existing file relative to a folder, by the real paths of both folders.
fn real_name(folder: &Path, file: &Path) -> Option<PathBuf> {
    let real = |path: &Path| {
        path.parent()
            .map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?
            .canonicalize()
            .ok()
    };
    match (folder.canonicalize(), real(file), file.file_name()) {
        (Ok(folder), Some(parent), Some(name)) if symlink_metadata(file).is_ok() => {
            let file = parent.join(name);
            let shared =
                folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
            let up = folder.components().skip(shared).map(|_| "..");
            let down = file.components().skip(shared).map(|part| part.as_os_str());
            Some(up.map(OsStr::new).chain(down).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_paths_become_entry_names() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("d");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(dir.path().join("a"), "").unwrap();
        let real = dir.path().canonicalize().unwrap();
        for (folder, file, name) in [
            (Path::new("."), Path::new("a"), "a"),
            (Path::new("."), Path::new("./s/a"), "s/a"),
            (Path::new("d"), Path::new("d/a"), "a"),
            (Path::new("./d"), Path::new("d/s/a"), "s/a"),
            (Path::new("no-such-folder"), Path::new("a"), "a"),
            (&folder, &folder.join("gone"), "gone"),
            (&folder, &real.join("a"), "../a"),
            (&folder, &folder.join("../d/../a"), "../a"),
            (&real, &folder, "d"),
        ] {
            assert_eq!(entry_names(folder, file)[0], name, "{folder:?} {file:?}");
        }
    }
}
