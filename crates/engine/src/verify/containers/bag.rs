//! A bag (RFC 8493): a folder with its payload in `data`, and manifests of the payload and of the other files.
//!
//! A bag is valid if it is complete (every file of the payload is in every payload manifest, and every file in the
//! manifests exists) and every digest matches. The manifests verify the digests; this module verifies completeness.

use crate::error::{Cause, Error};
use crate::io::open::read_companion;
use crate::verify::place::folder_of_names;
use crate::walk::{Item, Options, Walk};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_manifest::charset::Charset;
use truesum_manifest::path::within_root;
use truesum_manifest::{Head, detect};

/// The file that makes a folder a bag.
pub const DECLARATION: &str = "bagit.txt";
const UTF8: Charset = Charset::UTF8;
/// The maximum size of a declaration, description or fetch list that is read.
const LIMIT: u64 = 16 << 20;

/// The description of a bag.
#[derive(Debug)]
pub(crate) struct Bag {
    /// The payload manifests, sorted by name.
    pub(crate) payload: Vec<PathBuf>,
    /// The tag manifests.
    pub(crate) tags: Vec<PathBuf>,
    /// Whether each manifest must list the complete payload, as required since version 1.0.
    pub(crate) all_in_each: bool,
}

/// The prefixes of the names of payload manifests and of tag manifests.
const PAYLOAD: &str = "manifest-";
const TAGS: &str = "tagmanifest-";

fn is_list(name: &OsStr, begin: &str) -> bool {
    let name = name.as_bytes();
    name.starts_with(begin.as_bytes()) && name.ends_with(b".txt")
}

/// Returns whether this is the name of a bag manifest with a known algorithm, such as `manifest-sha256.txt`.
fn is_of_algorithm(name: &[u8]) -> bool {
    let nothing = Head::new(b"", true);
    detect(nothing, Some(name)).is_some_and(|row| row.name() == "bagit")
}

/// Returns whether a file name is so similar to that of a manifest that the file may have been one: it differs in a
/// single respect.
fn is_like_list(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |part: &[u8]| name.windows(part.len()).any(|found| found == part);
    let algorithm = ["md5", "sha1", "sha2", "sha3", "sha5", "blake"].iter().any(|name| has(name.as_bytes()));
    u8::from(has(b"manifest")) + u8::from(name.ends_with(b".txt")) + u8::from(algorithm) > 1
}

/// Returns whether a folder is a bag: whether it has a declaration, even one that cannot be read.
pub fn is_bag(folder: &Path) -> bool {
    folder.is_dir() && std::fs::symlink_metadata(folder.join(DECLARATION)).is_ok()
}

/// Returns whether a manifest is one of a bag, which lists either the payload or the files next to it.
pub fn is_manifest_of_bag(manifest: &Path) -> bool {
    is_part(manifest) && is_bag(&folder_of_names(manifest))
}

/// Returns whether a file in the folder of a bag is a manifest of its payload, by its name.
pub fn is_of_payload(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_list(name, PAYLOAD))
}

/// Returns whether a name in such a manifest belongs to the payload.
pub(crate) fn is_payload(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"./").unwrap_or(name);
    name.strip_prefix(b"data/").is_some_and(|below| within_root(below).is_ok())
}

/// Returns whether a file in the folder of a bag is a manifest of its payload or of its other files, by its name.
pub fn is_part(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_list(name, PAYLOAD) || is_list(name, TAGS))
}

/// Returns the bag in this folder, or `None` if it is not a bag.
///
/// # Errors
/// Fails if the bag has an unsupported declaration or lacks a required file or folder.
pub(crate) fn open(folder: &Path) -> Option<Result<Bag, Error>> {
    is_bag(folder).then(|| read(folder))
}

/// Returns the error for a manifest that lists a file more than once (RFC 8493, section 2.1.3).
pub(crate) fn duplicate_entry_error(manifest: &Path) -> Error {
    refused(manifest, "it lists a file more than once")
}

/// Returns whether a name may be in a tag manifest: it belongs neither to the payload nor to a tag manifest.
pub(super) fn is_tag_entry(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"./").unwrap_or(name);
    !is_payload(name) && (name.contains(&b'/') || !is_list(OsStr::from_bytes(name), TAGS))
}

/// Returns the doubt about a tag manifest that contains this number of entries that do not belong there (RFC 8493,
/// section 2.2.1). The bag stays valid: the entries are verified like all others, the payload must be complete in the
/// payload manifests in any case, and other programs accept such a bag. But an entry that no program expects may have
/// been moved there by mistake.
pub(super) fn foreign_entries_doubt(manifest: &Path, entries: u64) -> Error {
    let entries = match entries {
        1 => "1 entry does not belong".to_owned(),
        _ => format!("{entries} entries do not belong"),
    };
    refused(
        manifest,
        format!("{entries} in a tag manifest, which must not list payload files or tag manifests"),
    )
}

fn refused(path: &Path, why: impl Into<String>) -> Error {
    Error::new(path.as_os_str().as_bytes(), "verify", Cause::Other(why.into()))
}

/// Returns the version numbers in the declaration of the bag in this folder, and the encoding of its tag files.
///
/// # Errors
/// Fails if the declaration cannot be read, is malformed, or names an unsupported version or encoding.
pub fn declaration(folder: &Path) -> Result<((u32, u32), Charset), Error> {
    let declaration = &folder.join(DECLARATION);
    // It is always UTF-8 (RFC 8493, section 2.1.1).
    let text = lines(declaration, read_small(declaration)?, UTF8)?;
    let version =
        value(&text, "BagIt-Version").ok_or_else(|| refused(declaration, "it has no BagIt-Version"))?;
    let numbers = version
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
    let known = numbers.filter(|numbers| matches!(numbers, (1, 0) | (0, 93..=97)));
    let Some(numbers) = known else {
        return Err(refused(
            declaration,
            format!("unsupported BagIt-Version {version:?}; expected 0.93 to 1.0"),
        ));
    };
    let encoding = value(&text, ENCODING).unwrap_or_default();
    let charset = declared_charset(declaration, &text)?;
    // Exactly two lines (RFC 8493, section 2.1.1).
    let exact = [format!("BagIt-Version: {version}"), format!("{ENCODING}: {encoding}")];
    if !text.lines().eq(exact) {
        return Err(refused(
            declaration,
            "expected exactly two lines: BagIt-Version and Tag-File-Character-Encoding",
        ));
    }
    Ok((numbers, charset))
}

const ENCODING: &str = "Tag-File-Character-Encoding";

/// Returns the encoding that the text of a declaration names, or UTF-8 if it names none.
///
/// # Errors
/// Fails if the encoding is not supported.
fn declared_charset(declaration: &Path, text: &str) -> Result<Charset, Error> {
    let Some(encoding) = value(text, ENCODING) else { return Ok(UTF8) };
    Charset::named(encoding).ok_or_else(|| {
        refused(
            declaration,
            format!(
                "unsupported {ENCODING} {encoding:?}; expected UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 or \
                 Windows-1252"
            ),
        )
    })
}

/// Checks the declaration of the bag in this folder before its tag files are written, always in UTF-8.
///
/// # Errors
/// Fails if the declaration cannot be read, is malformed, or names an unsupported version or any other encoding.
pub fn check_writable(folder: &Path) -> Result<(), Error> {
    match declaration(folder)? {
        (_, UTF8) => Ok(()),
        _ => Err(refused(
            &folder.join(DECLARATION),
            "it states an encoding other than UTF-8, but tag files are written only in UTF-8",
        )),
    }
}

/// Returns the encoding of the tag files in the folder of a bag, which is UTF-8 for a bag whose declaration is invalid:
/// that is an error of its own.
fn charset(folder: &Path) -> Charset {
    declaration(folder).map_or(UTF8, |(_, charset)| charset)
}

/// Returns the encoding of a manifest, if it is one of a bag. Other faults of the bag's declaration do not matter to a
/// single manifest.
///
/// # Errors
/// Fails if the declaration of the bag cannot be read or names an unsupported encoding.
pub(crate) fn charset_of(manifest: &Path) -> Result<Charset, Error> {
    if !is_manifest_of_bag(manifest) {
        return Ok(UTF8);
    }
    let declaration = &folder_of_names(manifest).join(DECLARATION);
    declared_charset(declaration, &lines(declaration, read_small(declaration)?, UTF8)?)
}

fn read(folder: &Path) -> Result<Bag, Error> {
    let (version, _) = declaration(folder)?;
    let mut names = Vec::new();
    let io = |error| Error::io(folder.as_os_str().as_bytes(), "read", error);
    for item in std::fs::read_dir(folder).map_err(io)? {
        names.push(item.map_err(io)?.file_name());
    }
    names.sort();
    let of = |begin: &str| -> Vec<PathBuf> {
        names.iter().filter(|name| is_list(name, begin)).map(|name| folder.join(name)).collect()
    };
    let (payload, tags) = (of(PAYLOAD), of(TAGS));
    if payload.is_empty() {
        return Err(refused(folder, "the bag has no payload manifest"));
    }
    // A symbolic link would place the payload elsewhere, where its files are unknown.
    if !std::fs::symlink_metadata(folder.join("data")).is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused(folder, "the bag has no data folder"));
    }
    for list in payload.iter().chain(&tags) {
        plain(list)?;
        // Without a known algorithm, the digest length would suggest a different one (RFC 8493, section 2.4).
        if !is_of_algorithm(list.file_name().unwrap_or_default().as_bytes()) {
            return Err(refused(list, "the algorithm in its name is unknown"));
        }
    }
    Ok(Bag { payload, tags, all_in_each: version == (1, 0) })
}

/// Returns the size of a regular file in the bag; opening a pipe could block forever.
fn plain(path: &Path) -> Result<u64, Error> {
    let metadata = std::fs::metadata(path);
    let metadata = metadata.map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
    if metadata.is_file() { Ok(metadata.len()) } else { Err(refused(path, "it is not a regular file")) }
}

/// Reads a small text file and converts its line ends (RFC 8493, section 2.1.3, allows all three).
fn text(path: &Path) -> Result<String, Error> {
    lines(path, read_small(path)?, charset(&folder_of_names(path)))
}

/// Reads a small file.
fn read_small(path: &Path) -> Result<Vec<u8>, Error> {
    if plain(path)? > LIMIT {
        return Err(refused(path, format!("it is larger than {LIMIT} bytes")));
    }
    read_companion(path)
}

/// Decodes a text and converts its line ends.
fn lines(path: &Path, bytes: Vec<u8>, charset: Charset) -> Result<String, Error> {
    let why =
        if charset == UTF8 { "it is not UTF-8" } else { "it is not in the encoding that bagit.txt states" };
    let text = charset.decode(bytes).ok_or_else(|| refused(path, why))?;
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Returns the text of `bag-info.txt` with LF line endings and without a byte order mark.
///
/// # Errors
/// Fails if it cannot be read, is too large, or is not in the encoding of the bag.
pub fn info(path: &Path) -> Result<String, Error> {
    let text = text(path)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the value after `label:`.
fn value<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    values(text, label).next()
}

/// Returns the values of all occurrences.
fn values<'t>(text: &'t str, label: &str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| {
        let (found, value) = line.split_once(':')?;
        found.trim().eq_ignore_ascii_case(label).then(|| value.trim())
    })
}

/// Returns the faults of the bag apart from its manifests: a wrong payload count, and fetch entries
/// that lead out of the payload.
pub(crate) fn faults(folder: &Path) -> Vec<Error> {
    let mut faults = Vec::new();
    let path = folder.join("bag-info.txt");
    if std::fs::symlink_metadata(&path).is_ok() {
        match info(&path) {
            Ok(text) => {
                let no_label = |line: &&str| !line.starts_with([' ', '\t']) && !line.contains(':');
                let odd = text.lines().filter(|line| !line.trim().is_empty()).find(no_label);
                faults.extend(
                    odd.map(|line| refused(&path, format!("it has a line without a label: {line:?}"))),
                );
                let counts: Vec<&str> = values(&text, "Payload-Oxum").collect();
                faults.extend(counts.first().and_then(|oxum| count(folder, &path, oxum)));
                faults
                    .extend((counts.len() > 1).then(|| refused(&path, "Payload-Oxum occurs more than once")));
            }
            Err(error) => faults.push(error),
        }
    }
    faults.extend(unsafe_fetches(folder));
    faults
}

/// Returns possible damage that does not make the bag invalid: a label that is similar to that of
/// the payload count, and objects next to the payload in no tag manifest (`unlisted_tags`) that are not
/// files or have the name of a manifest.
pub(super) fn doubts(folder: &Path, unlisted_tags: &[Vec<u8>]) -> Vec<Error> {
    let description = folder.join("bag-info.txt");
    let text = info(&description).unwrap_or_default();
    let labels = text.lines().filter_map(|line| Some(line.split_once(':')?.0.trim()));
    let mut doubts: Vec<Error> = labels
        .filter(|label| is_almost(&label.to_lowercase(), "payload-oxum"))
        .map(|label| {
            refused(
                &description,
                format!("ignored the unknown label {label:?}, which resembles Payload-Oxum"),
            )
        })
        .collect();
    for name in unlisted_tags {
        let path = folder.join(OsStr::from_bytes(name));
        if is_part(&path) && !name.contains(&b'/') {
            continue;
        }
        let why = match std::fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_file() => "not a regular file, and not in any tag manifest",
            _ if !name.contains(&b'/') && is_like_list(name) => {
                "named like a manifest, but the name is not valid, so the file was ignored"
            }
            _ => continue,
        };
        doubts.push(refused(&path, why));
    }
    doubts
}

/// Returns whether two words differ in at most two adjacent letters.
fn is_almost(word: &str, known: &str) -> bool {
    let (letters, others): (Vec<char>, Vec<char>) = (word.chars().collect(), known.chars().collect());
    let begin = letters.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let end = letters[begin..].iter().rev().zip(others[begin..].iter().rev());
    let end = end.take_while(|(a, b)| a == b).count();
    word != known && begin + end + 2 >= letters.len().max(others.len())
}

/// Returns the lines of `fetch.txt` whose files are not in the payload, according to `is_listed`.
pub fn unlisted_fetches(folder: &Path, is_listed: &mut dyn FnMut(&[u8]) -> bool) -> Vec<Error> {
    let fetch = folder.join("fetch.txt");
    let text = text(&fetch).unwrap_or_default();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let lines = lines.filter(|(_, line)| unsafe_fetch(line).is_none());
    let mut is_listed = |line: &str| {
        let name = line.splitn(3, [' ', '\t']).nth(2).unwrap_or_default().trim_start();
        let decoded = [("%0A", "\n"), ("%0a", "\n"), ("%0D", "\r"), ("%0d", "\r"), ("%25", "%")];
        let decoded = decoded.iter().fold(name.to_owned(), |name, (from, to)| name.replace(from, to));
        is_listed(name.as_bytes()) || is_listed(decoded.as_bytes())
    };
    let unlisted = lines.filter(|(_, line)| !is_listed(line));
    unlisted
        .map(|(at, _)| refused(&fetch, format!("line {}: the file is not in a payload manifest", at + 1)))
        .collect()
}

/// Returns the errors for malformed lines of `fetch.txt` and those that lead out of the payload, or the error that
/// prevented reading it.
pub fn unsafe_fetches(folder: &Path) -> Vec<Error> {
    let fetch = folder.join("fetch.txt");
    if std::fs::symlink_metadata(&fetch).is_err() {
        return Vec::new();
    }
    match text(&fetch) {
        Ok(text) => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let why = |(at, line)| unsafe_fetch(line).map(|why| format!("line {}: {why}", at + 1));
            lines.filter_map(why).map(|why| refused(&fetch, why)).collect()
        }
        Err(error) => vec![error],
    }
}

/// Returns why a line of `fetch.txt` (address, length, name) must not be followed.
fn unsafe_fetch(line: &str) -> Option<&'static str> {
    let mut words = line.splitn(3, [' ', '\t']);
    let (Some(_), Some(length), Some(name)) = (words.next(), words.next(), words.next()) else {
        return Some("expected a URL, a length and a name");
    };
    if length != "-" && (length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some("the length is not a number");
    }
    let name = name.trim_start().replace('\\', "/");
    let inside = name.strip_prefix("data/").is_some_and(|below| within_root(below.as_bytes()).is_ok());
    (!inside).then_some("the name is outside the payload folder")
}

/// Returns an error if `Payload-Oxum`, the number of bytes and files in the payload, is wrong.
fn count(folder: &Path, info: &Path, oxum: &str) -> Option<Error> {
    let walk = Walk::new([folder.join("data")], Options::default(), 0);
    let (mut bytes, mut files) = (0, 0);
    for item in walk {
        let (Item::File(path, _) | Item::Link(path)) = item else { continue };
        // A symbolic link to a file is a file of the payload, as in bagit.py.
        if let Ok(metadata) = std::fs::metadata(&path)
            && metadata.is_file()
        {
            files += 1;
            bytes += metadata.len();
        }
    }
    let found = format!("{bytes}.{files}");
    (found != oxum)
        .then(|| refused(info, format!("Payload-Oxum is {oxum} (bytes.files), but the payload has {found}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetch_entries_outside_the_payload_are_rejected() {
        for (line, good) in [
            ("http://a/b 12 data/x", true),
            ("http://a/b - data/sub/x y", true),
            ("http://a/b 12 data/sub/../x", true),
            ("http://a/b 12 data/../x", false),
            ("http://a/b 12 data/a/../../x", false),
            ("http://a/b 12 data\\..\\x", false),
            ("http://a/b 12 /data/x", false),
            ("http://a/b 12 bagit.txt", false),
            ("http://a/b twelve data/x", false),
            ("http://a/b 12", false),
        ] {
            assert_eq!(unsafe_fetch(line).is_none(), good, "{line}");
        }
    }
}
