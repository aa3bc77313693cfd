//! Names as bytes: WTF-8, which is UTF-8 for all names that are Unicode, and writes an unpaired surrogate as the three
//! bytes that UTF-8 has no use for.
//!
//! The traits have the names and methods of those that the standard library has for Unix. Bytes that are not the name of
//! any file become a name that no call accepts.
#![allow(unsafe_code)]

use super::failure::BAD_NAME;
use crate::sys::errno::Errno;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf, Prefix};

/// Takes the place of bytes that are not a name: every call refuses it.
const NO_NAME: &str = "\u{fffd}\0";

/// Conversions of borrowed names.
pub trait OsStrExt {
    /// Returns the name with these bytes.
    fn from_bytes(bytes: &[u8]) -> &Self;
    /// Returns the bytes of the name.
    fn as_bytes(&self) -> &[u8];
}

impl OsStrExt for OsStr {
    fn from_bytes(bytes: &[u8]) -> &OsStr {
        checked(bytes).unwrap_or(OsStr::new(NO_NAME))
    }

    fn as_bytes(&self) -> &[u8] {
        self.as_encoded_bytes()
    }
}

/// Conversions of owned names.
pub trait OsStringExt {
    /// Returns the name with these bytes.
    fn from_vec(bytes: Vec<u8>) -> Self;
    /// Returns the bytes of the name.
    fn into_vec(self) -> Vec<u8>;
}

impl OsStringExt for OsString {
    fn from_vec(bytes: Vec<u8>) -> OsString {
        OsStr::from_bytes(&bytes).to_owned()
    }

    fn into_vec(self) -> Vec<u8> {
        self.into_encoded_bytes()
    }
}

/// Returns a path that a user named with slashes, as names in manifests have them.
pub fn argument(path: OsString) -> OsString {
    OsString::from_vec(slashed(plain_bytes(path.as_bytes())))
}

/// Returns the files that a path with the wildcards `*` and `?` matches, in order: the command interpreters of Windows leave
/// this to programs. A path without them, or that matches nothing, is returned as it is.
pub fn expanded(path: OsString) -> Vec<OsString> {
    let bytes = path.as_bytes();
    let has_wildcard = |part: &[u8]| part.iter().any(|byte| matches!(byte, b'*' | b'?'));
    if !has_wildcard(bytes) || bytes.starts_with(VERBATIM) {
        return vec![path];
    }
    let mut found = vec![Vec::new()];
    for part in bytes.split_inclusive(|&byte| byte == b'/') {
        let name = part.strip_suffix(b"/").unwrap_or(part);
        if !has_wildcard(name) {
            found.iter_mut().for_each(|path: &mut Vec<u8>| path.extend(part));
            continue;
        }
        let pattern = String::from_utf8_lossy(name).to_lowercase();
        let pattern = if pattern == "*.*" { "*" } else { &pattern };
        let below = |folder: Vec<u8>| {
            let at = if folder.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(&folder)) };
            let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name()).filter(|name| {
                let name = name.to_string_lossy().to_lowercase();
                matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
            });
            let rest = &part[name.len()..];
            let mut paths: Vec<Vec<u8>> =
                names.map(|name| [&folder, name.as_bytes(), rest].concat()).collect();
            paths.sort();
            paths
        };
        found = found.into_iter().flat_map(below).collect();
    }
    found.retain(|path| std::fs::symlink_metadata(OsStr::from_bytes(path)).is_ok());
    if found.is_empty() { vec![path] } else { found.into_iter().map(OsString::from_vec).collect() }
}

/// Returns whether a pattern matches a name.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    // The last `*`, and where the part of the name that it matches ends.
    let mut star = None;
    while from < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&one) if one == '?' || one == name[from] => (at, from) = (at + 1, from + 1),
            _ => match star {
                Some((start, end)) => {
                    star = Some((start, end + 1));
                    (at, from) = (start + 1, end + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

/// Returns the bytes of a path, as a name in a manifest: with slashes.
pub fn of(path: &Path) -> Cow<'_, [u8]> {
    slashed(plain_bytes(path.as_os_str().as_bytes())).into()
}

/// Returns the bytes of a path, as a name in a manifest: with slashes.
pub fn entry_name(path: PathBuf) -> Vec<u8> {
    of(&path).into_owned()
}

/// Returns a path from a line of a list, in the form of [`argument`]. Lines may end in a carriage return, which no name
/// contains.
pub fn from_line(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    slashed(plain_bytes(&line))
}

/// Returns a path in a message with backslashes. URLs keep their slashes.
pub fn native(shown: String) -> String {
    if shown.contains("://") { shown } else { shown.replace('/', r"\") }
}

/// Returns the name by which a program was called, in lower case: Windows ignores case.
pub fn program(called: &OsStr) -> Option<String> {
    Path::new(called).file_name()?.to_str().map(str::to_lowercase)
}

/// The beginning of paths that are passed to the file system as they are.
const VERBATIM: &[u8] = br"\\?\";

/// Replaces backslashes by slashes, which mean the same except in paths that are passed on as they are.
fn slashed(path: Vec<u8>) -> Vec<u8> {
    if path.starts_with(VERBATIM) || path.starts_with(br"\\.\") {
        return path;
    }
    path.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

/// Returns an absolute path in the form that users write, if it has one.
pub fn plain(path: PathBuf) -> PathBuf {
    let bytes = plain_bytes(path.as_os_str().as_bytes());
    PathBuf::from(OsString::from_vec(bytes))
}

/// Removes the prefix of a path that is passed to the file system as it is, unless Windows would change the rest.
pub fn plain_bytes(bytes: &[u8]) -> Vec<u8> {
    let plain = match bytes.strip_prefix(br"\\?\UNC\") {
        Some(share) => [br"\\", share].concat(),
        None => match bytes.strip_prefix(VERBATIM) {
            Some(rest @ [_, b':', b'\\', ..]) => rest.to_vec(),
            // Without the prefix, the name of a volume would be a relative path.
            _ => return bytes.to_vec(),
        },
    };
    if path(&plain).is_ok() { plain } else { bytes.to_vec() }
}

/// Returns the name with these bytes, if they are WTF-8.
pub fn checked(bytes: &[u8]) -> Option<&OsStr> {
    // SAFETY: the standard library's encoding on Windows is WTF-8, which a test compares with its conversion from UTF-16.
    is_wtf8(bytes).then(|| unsafe { OsStr::from_encoded_bytes_unchecked(bytes) })
}

/// Returns whether the bytes are WTF-8: UTF-8 in which surrogates may occur, but no pair of them.
fn is_wtf8(mut bytes: &[u8]) -> bool {
    let mut follows_high = false;
    loop {
        let valid = match str::from_utf8(bytes) {
            Ok(_) => return true,
            Err(error) => error.valid_up_to(),
        };
        follows_high &= valid == 0;
        follows_high = match bytes[valid..] {
            [0xed, 0xa0..=0xaf, 0x80..=0xbf, ..] => true,
            [0xed, 0xb0..=0xbf, 0x80..=0xbf, ..] if !follows_high => false,
            _ => return false,
        };
        bytes = &bytes[valid + 3..];
    }
}

/// Returns the UTF-16 form of a name with these bytes.
pub fn wide(bytes: &[u8]) -> Result<Vec<u16>, Errno> {
    let wide: Vec<u16> = checked(bytes).ok_or(BAD_NAME)?.encode_wide().collect();
    if wide.contains(&0) { Err(BAD_NAME) } else { Ok(wide) }
}

/// Returns the bytes of a name in UTF-16.
pub fn narrow(wide: &[u16]) -> Vec<u8> {
    OsString::from_wide(wide).into_vec()
}

/// Returns the path with these bytes.
///
/// # Errors
/// Fails with [`BAD_NAME`] for a name that Windows would silently change or that means something else than a file: a device
/// (`NUL`, `COM1.txt`), a stream of a file (`a:b`), or a name that ends in a dot or a space. Paths that begin with `\\?\`
/// are passed to the file system as they are, with backslashes.
pub fn path(bytes: &[u8]) -> Result<Cow<'_, Path>, Errno> {
    let path = Path::new(checked(bytes).ok_or(BAD_NAME)?);
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    for component in path.components() {
        match component {
            Component::Prefix(prefix)
                if matches!(prefix.kind(), Prefix::DeviceNS(_)) || prefix.kind().is_verbatim() =>
            {
                let exact = bytes.iter().map(|&byte| if byte == b'/' { b'\\' } else { byte });
                return Ok(PathBuf::from(OsString::from_vec(exact.collect())).into());
            }
            Component::Normal(name) => is_plain(name.as_bytes()).then_some(()).ok_or(BAD_NAME)?,
            _ => {}
        }
    }
    Ok(path.into())
}

/// Whether a backslash separates the components of a path.
pub const BACKSLASH_SEPARATES: bool = true;

/// Fails if Windows would understand a path as another one.
pub fn check(bytes: &[u8]) -> Result<(), Errno> {
    path(bytes).map(drop)
}

/// Returns why an error for a path is [`BAD_NAME`], whose message does not name the cause.
pub fn explanation(bytes: &[u8], error: &io::Error) -> Option<&'static str> {
    if Errno::from_io_error(error) != Some(BAD_NAME) {
        return None;
    }
    let Some(path) = checked(bytes) else { return Some("a file cannot have this name on Windows") };
    Path::new(path).components().find_map(|component| match component {
        Component::Normal(name) => refusal(name.as_bytes()),
        _ => None,
    })
}

/// Returns whether Windows understands a name as itself.
pub fn is_plain(name: &[u8]) -> bool {
    refusal(name).is_none()
}

/// Returns why a name is refused, unless Windows understands it as itself.
fn refusal(name: &[u8]) -> Option<&'static str> {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default().trim_ascii_end();
    let stem = String::from_utf8_lossy(stem).to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    // The ports of these systems have superscript numbers too.
    let is_port = port.is_some_and(|port| {
        ["\u{b9}", "\u{b2}", "\u{b3}"].contains(&port) || matches!(port.as_bytes(), [b'0'..=b'9'])
    });
    let is_special =
        |byte: &u8| matches!(byte, 0..32 | b'/' | b'\\' | b'<' | b'>' | b'"' | b'|' | b'?' | b'*');
    match name.last() {
        None => Some("the name is empty"),
        Some(b'.' | b' ') => Some("Windows ignores a dot or space at the end of a name"),
        _ if name.contains(&b':') => Some("it is the name of an alternate data stream"),
        _ if name.iter().any(is_special) => Some("the name contains a character that Windows does not allow"),
        _ if is_port || DEVICES.contains(&&*stem) => Some("it is the name of a device"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_standard_library_and_surrogates_survive() {
        for wide in [
            &[0x61][..],
            &[0xd800],
            &[0xdc00, 0x62],
            &[0xd800, 0x41, 0xdc00],
            &[0xd83d, 0xde00],
            &[0xdfff, 0xd800],
        ] {
            let name = OsString::from_wide(wide);
            let bytes = name.as_bytes();
            assert!(is_wtf8(bytes), "{bytes:x?}");
            assert_eq!(OsStr::from_bytes(bytes).encode_wide().collect::<Vec<u16>>(), wide);
            assert_eq!(narrow(wide), bytes);
        }
        assert_eq!(OsString::from_wide(&[0xd800]).as_bytes(), b"\xed\xa0\x80");
    }

    #[test]
    fn long_paths_are_shortened_if_they_mean_the_same() {
        for (long, expected) in [
            (r"\\?\C:\a\b", r"C:\a\b"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
            (r"\\?\C:\a.", r"\\?\C:\a."),
            (r"\\?\C:\NUL", r"\\?\C:\NUL"),
            (
                r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\a",
                r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\a",
            ),
        ] {
            assert_eq!(plain(long.into()), Path::new(expected));
        }
    }

    #[test]
    fn paths_get_slashes_unless_they_would_mean_something_else() {
        for (path, expected) in [
            (r"a\b", "a/b"),
            (r"C:\a\b", "C:/a/b"),
            (r"\\server\share\a", "//server/share/a"),
            (r"\\?\C:\a", "C:/a"),
            (r"\\?\UNC\server\share\a", "//server/share/a"),
            (r"\\?\C:\a.", r"\\?\C:\a."),
            (r"\\.\PhysicalDrive0", r"\\.\PhysicalDrive0"),
        ] {
            assert_eq!(argument(path.into()), OsString::from(expected));
            assert_eq!(entry_name(path.into()), expected.as_bytes());
        }
    }

    #[test]
    fn wildcards_match_files_and_other_words_stay() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.ISO", "a.iso", "c.txt", "iso"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        std::fs::write(dir.path().join("sub/d.iso"), "").unwrap();
        let top = String::from_utf8(entry_name(dir.path().to_owned())).unwrap();
        let names = |pattern: &str| {
            let found = expanded(format!("{top}/{pattern}").into());
            let name = |path: OsString| path.to_string_lossy()[top.len() + 1..].to_owned();
            found.into_iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names("*.iso"), ["a.iso", "b.ISO"]);
        assert_eq!(names("?.iso"), ["a.iso", "b.ISO"]);
        assert_eq!(names("s*/*.iso"), ["sub/d.iso"]);
        assert_eq!(names("*.*"), ["a.iso", "b.ISO", "c.txt", "iso", "sub"]);
        assert_eq!(names("*.none"), ["*.none"]);
        assert_eq!(names("[a]"), ["[a]"]);
        let is_match = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(is_match("a*b*c", "aXbXbc") && is_match("**", "") && !is_match("a*b", "abc"));
    }

    #[test]
    fn bytes_that_are_no_name_open_nothing() {
        // The first is a pair of surrogates, which has another form; the last are overlong and cut.
        for bytes in [&b"\xed\xa0\x80\xed\xb0\x80"[..], b"a\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0"] {
            assert!(checked(bytes).is_none(), "{bytes:x?}");
            assert!(wide(bytes).is_err() && path(bytes).is_err());
            assert!(std::fs::File::open(OsStr::from_bytes(bytes)).is_err());
        }
        assert!(wide(b"a\0b").is_err());
    }

    #[test]
    fn reserved_names_are_distinguished() {
        for name in [
            "NUL",
            "nul.txt",
            "Con",
            "aux ",
            "com1",
            "LPT9.log",
            "com\u{b2}",
            "a.",
            "a ",
            "a:b",
            "a:",
            "x\\y",
            "a*",
            "",
            "CONIN$",
        ] {
            assert!(!is_plain(name.as_bytes()), "{name}");
        }
        for name in ["a", ".a", "a.b", "nula", "com", "com10", "console", "lpt", " a", "\u{e4}", "a b"] {
            assert!(is_plain(name.as_bytes()), "{name}");
        }
        for (bad, why) in [
            ("dir/NUL", "it is the name of a device"),
            ("file:stream", "it is the name of an alternate data stream"),
            ("C:\\a./b", "Windows ignores a dot or space at the end of a name"),
            ("a*", "the name contains a character that Windows does not allow"),
        ] {
            let error = check(bad.as_bytes()).unwrap_err();
            assert_eq!(explanation(bad.as_bytes(), &error.into()), Some(why), "{bad}");
        }
        for bad in ["dir/NUL", "C:\\x\\com1", "a./b", "file:stream", "C:\\file:stream", "C:/dir/a "] {
            assert!(path(bad.as_bytes()).is_err(), "{bad}");
        }
        for good in [
            "C:\\dir\\file",
            "C:/dir/../file",
            ".",
            "./a",
            "..",
            "\\\\?\\C:\\a.",
            "\\\\server\\share\\a",
            "C:",
        ] {
            assert!(path(good.as_bytes()).is_ok(), "{good}");
        }
    }
}
