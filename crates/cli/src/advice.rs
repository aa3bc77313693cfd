//! What the user can do about a failure, in words that name options of this program.

use truesum::{Error, Kind};

/// Advice on an error, where there is some.
pub fn on(error: &Error) -> Option<&'static str> {
    if error.errno() == Some(libc::EMFILE) {
        return Some("ulimit -n 1024 allows more open files, in the shell that starts truesum");
    }
    match error.kind() {
        Kind::OutsideRoot => Some("--allow-outside reads it all the same; --root DIR widens the folder"),
        // What a socket carries has no name to open.
        Kind::Special if error.reason().ends_with("socket") => None,
        Kind::Special => Some("truesum hash --special and check --special read devices and pipes too"),
        Kind::Changed => Some("try again when nothing writes to it"),
        Kind::Device => {
            Some("the device reports a read error: see its log (dmesg, smartctl) and copy what can be saved")
        }
        Kind::Replaced => Some("if it is not another file: --most writes all the same"),
        Kind::NoManifest => Some("truesum check --expect DIGEST FILE compares a file with one digest"),
        Kind::Missing
        | Kind::Denied
        | Kind::Directory
        | Kind::Loop
        | Kind::Interrupted
        | Kind::Undivided
        | Kind::Other => None,
    }
}

/// A kind of failure, by the words that are said of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// Not the bytes that are listed.
    Mismatch,
    /// The same, with the time as listed.
    Corrupt,
    /// An older version.
    Restored,
    /// Other content under another name, with the size and time of a file that is gone.
    MovedModified,
    /// Another content and another time.
    Changed,
    /// Not there.
    Missing,
    /// Not there, nor its content anywhere.
    Gone,
    /// Not read to its end.
    Unreadable,
    /// Written to while it was read.
    Busy,
    /// Listed without a digest.
    Unverified,
    /// Failed when it was read last.
    StillFailed,
    /// There under another name.
    Moved,
    /// Not listed.
    Unlisted,
    /// Not listed, with content that is there more than once.
    Copied,
    /// No algorithm in common.
    Unknown,
    /// A line that is no entry.
    Malformed,
    /// A bag that is not what it says.
    Incomplete,
}

impl Trouble {
    /// What can be done about it.
    pub fn advice(self) -> &'static str {
        match self {
            Trouble::Mismatch => {
                "the bytes are not those listed: restore the file from a copy; --locate tells which bytes, if a tree of it was stored"
            }
            Trouble::Corrupt => {
                "the modification time is as listed, so nothing wrote to the file; restore it from a copy and check the disk"
            }
            Trouble::Restored => {
                "older than listed: an earlier version came back; accept it with truesum update --refresh=all if that was meant"
            }
            Trouble::MovedModified => {
                "size and time of a missing file, but other content: compare both; truesum update --refresh=all accepts it"
            }
            Trouble::Changed => {
                "written to since it was listed: restore it from a copy, or list it anew if that was meant"
            }
            Trouble::Missing => {
                "not there: restore it from a copy; truesum audit finds it again if it only has another name"
            }
            Trouble::Gone => "not there, nor its content under another name: restore it from a copy",
            Trouble::Unreadable => {
                "nothing is known of the content: see the reason; where the device is failing, copy what can be saved first"
            }
            Trouble::Busy => "somebody wrote to it: check again when nobody does",
            Trouble::Unverified => {
                "no digest is listed: truesum hash makes one, while the file is known to be good"
            }
            Trouble::StillFailed => {
                "failed when it was read last: --only NAME with the same --state reads it now"
            }
            Trouble::Moved => "the same content under another name: --moved=ok lets it pass",
            Trouble::Unlisted => "not listed: list it if it belongs there",
            Trouble::Copied => {
                "a copy of content that is there under another name: list it if it belongs there"
            }
            Trouble::Unknown => {
                "no algorithm in common: compare each manifest with the files, truesum diff MANIFEST DIR"
            }
            Trouble::Malformed => "the manifest was damaged or edited: get it once more from where it came",
            Trouble::Incomplete => "the bag lacks something, or has too much: the messages say what",
        }
    }
}
