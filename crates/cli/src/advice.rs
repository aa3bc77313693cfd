//! Advice on failures that refers to the options of this program.

use crate::words::path_word;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use truesum::manifest::{Head, Reading, Refusal, VERIFY, detect};
use truesum::open::open_companion;
use truesum::tree::store::with_suffix;
use truesum::update::SIGNATURES;
use truesum::{Error, Kind};
use truesum_fs::Errno;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// The hint for a file without entries.
pub const FORMATS: &str = "to list the supported formats: truesum list formats";

/// Returns advice on an error, if there is any.
pub fn on(error: &Error) -> Option<Cow<'static, str>> {
    if error.errno() == Some(Errno::MFILE.raw_os_error()) {
        return Some("to allow more open files, first run in the same shell: ulimit -n 4096".into());
    }
    let advice = match error.kind() {
        Kind::OutsideRoot => Some(
            "to read the file, use --allow-outside, or use --root DIR to specify a folder that contains it",
        ),
        // A socket cannot be opened by name.
        Kind::Special if error.reason().ends_with("socket") => None,
        Kind::Special => Some("to read devices and pipes, use --special"),
        Kind::Changed => Some("try again when no program is writing to the file"),
        // A file without blocks, such as one in /proc, is not on a device.
        Kind::Device if Metadata::at(path_of(error)).is_ok_and(|file| file.allocated() == 0) => None,
        Kind::Device => Some(
            "the device reported a read error: check it with dmesg and smartctl, and copy the data that is still readable",
        ),
        Kind::Replaced => Some("if this is the right file, use --most to repair it anyway"),
        Kind::NoManifest => return Some(on_data(path_of(error)).into()),
        Kind::Missing if error.name().strip_suffix(b"\r").is_some_and(exists) => Some(
            "the list of names has CR LF line endings, and CR counts as part of a name: remove it with tr -d '\\r' < LIST",
        ),
        Kind::Missing
        | Kind::Denied
        | Kind::Directory
        | Kind::Loop
        | Kind::Interrupted
        | Kind::Undivided
        | Kind::State(_)
        | Kind::Other => None,
    };
    advice.map(Cow::Borrowed)
}

/// Returns whether a file has this name.
fn exists(name: &[u8]) -> bool {
    Path::new(OsStr::from_bytes(name)).exists()
}

/// Returns advice on how to verify a file that was given in place of a manifest.
fn on_data(path: &Path) -> String {
    let is_beside = |suffix: &str| with_suffix(path, suffix).is_file();
    let word = path_word(path);
    if is_beside(".ftr") {
        return format!("to verify the file with its stored tree: truesum tree verify {word}");
    }
    match signature_command(path, false) {
        Some((what, command)) => format!("to verify the {what} of the file: {command}"),
        None => format!("to compare the file with a digest: truesum check DIGEST {word}"),
    }
}

/// Returns what is next to a file, a detached signature or a time stamp, and the command that verifies it. If truesum
/// verifies it, the argument is the manifest, or else the signature.
pub fn signature_command(file: &Path, is_manifest: bool) -> Option<(&'static str, String)> {
    SIGNATURES.iter().find_map(|end| {
        let at = with_suffix(file, end);
        signature_at(&at, if is_manifest { file } else { &at })
    })
}

/// Returns whether a file is a detached signature or a time stamp, and the command that verifies it. `argument` is what
/// truesum verifies, if it does.
pub fn signature_at(at: &Path, argument: &Path) -> Option<(&'static str, String)> {
    /// Number of bytes by which signatures are recognized.
    const HEAD: u64 = 4 << 10;
    let mut text = Vec::new();
    open_companion(at).ok()?.take(HEAD).read_to_end(&mut text).ok()?;
    let row = detect(Head::new(&text, (text.len() as u64) < HEAD), None)?;
    let Reading::Not(reason) = row.reading() else { return None };
    let what = match reason {
        Refusal::TimeStamp(_) | Refusal::TimeStampRequest(_) => "time stamp",
        Refusal::Text(_) | Refusal::Signature(_) => "detached signature",
    };
    let command = match row.name() {
        "minisign-signature" | "signify-signature" => {
            format!("truesum check --pubkey KEY.pub {}", path_word(argument))
        }
        _ => reason.message(Some(at.as_os_str().as_bytes())).split_once(VERIFY)?.1.to_owned(),
    };
    Some((what, command))
}

/// Returns the path of the file that an error is about.
fn path_of(error: &Error) -> &Path {
    Path::new(OsStr::from_bytes(error.name()))
}

/// A kind of failure, as advice distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The content differs from the manifest.
    Mismatch,
    /// The content differs, but the modification time is unchanged.
    Corrupt,
    /// The content is that of an earlier version.
    Restored,
    /// Different content under another name, with the size and time of a missing file.
    MovedModified,
    /// The content and the modification time differ.
    Changed,
    /// The file is missing.
    Missing,
    /// The file is missing, and its content was not found elsewhere.
    Gone,
    /// The file was not read to its end.
    Unreadable,
    /// The file was modified while it was read.
    Busy,
    /// The entry has no digest.
    Unverified,
    /// The file failed when it was last read.
    StillFailed,
    /// The file has another name.
    Moved,
    /// The file is not in the manifest.
    Unlisted,
    /// The file is not in the manifest, and its content exists more than once.
    Copied,
    /// The file and the manifest have no algorithm in common.
    Unknown,
    /// A malformed line.
    Malformed,
    /// A bag that does not match its own description.
    Incomplete,
}

impl Trouble {
    /// Returns advice on what to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Trouble::Mismatch => {
                "the content does not match: restore the file from a copy; if its tree was stored, --locate shows which bytes differ"
            }
            Trouble::Corrupt => {
                "the modification time did not change with the content, so it is unlikely that a program wrote to the file; restore it from a copy and check the disk"
            }
            Trouble::Restored => {
                "the file was replaced by an earlier version: if this was intended, accept it with truesum update --refresh=all"
            }
            Trouble::MovedModified => {
                "the file has the size and modification time of a missing file, but different content: restore it from a copy, or accept it with truesum update --refresh=all"
            }
            Trouble::Changed => {
                "the file was modified: restore it from a copy, or, if the change was intended, accept it with truesum update --refresh"
            }
            Trouble::Missing => {
                "restore the file from a copy; truesum audit shows whether it was only renamed"
            }
            Trouble::Gone => {
                "the file is missing and was not found under another name: restore it from a copy"
            }
            Trouble::Unreadable => {
                "the file could not be read, for the reason shown; if the device is failing, first copy the data that is still readable"
            }
            Trouble::Busy => {
                "the file was modified during the read, or another program has it open for writing: try again later"
            }
            Trouble::Unverified => {
                "the manifest has no digest of the file: compute one with truesum hash while the file is known to be good"
            }
            Trouble::StillFailed => "check the file again now with --only NAME and the same --state FILE",
            Trouble::Moved => "the file was only renamed: accept the new name with --moved=ok",
            Trouble::Unlisted => "if the file belongs in the manifest, add it with truesum update",
            Trouble::Copied => {
                "the file is a copy of another file: if it belongs in the manifest, add it with truesum update"
            }
            Trouble::Unknown => {
                "the two sides have no digest of the same algorithm; to compare two manifests with different algorithms, compare each with the files: truesum diff MANIFEST DIR"
            }
            Trouble::Malformed => "the manifest is damaged or was edited: obtain it again from its source",
            Trouble::Incomplete => {
                "the bag or OCFL object is not valid or has extra files; see the error messages"
            }
        }
    }
}
