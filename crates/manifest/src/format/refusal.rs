//! The description of files that are not manifests.

use crate::path::{Charset, display_safe, quotef};

/// A description of a file that is not a list of files, and of what to do with it.
#[derive(Clone, Copy)]
pub enum Refusal {
    /// This text.
    Text(&'static str),
    /// A detached signature, which this command verifies: `{name}` is replaced by its name,
    /// `{file}` by that of the signed file.
    Signature(&'static str),
    /// A time stamp of a file, which this command verifies.
    TimeStamp(&'static str),
    /// A request for a time stamp: this command verifies the reply to it.
    TimeStampRequest(&'static str),
}

impl Refusal {
    /// Returns the description of a file with this name, if it is known.
    pub fn message(self, file_name: Option<&[u8]>) -> String {
        match self {
            Refusal::Text(text) => text.to_owned(),
            Refusal::Signature(command) => verified_by("a detached signature", command, file_name),
            Refusal::TimeStamp(command) => verified_by("a time stamp", command, file_name),
            Refusal::TimeStampRequest(command) => {
                verified_by("a request for a time stamp", command, file_name)
            }
        }
    }
}

/// Precedes the verification command in the message of [`Refusal`] of a detached signature.
pub const VERIFY: &str = "to verify it: ";

/// Returns the error message for what belongs to another file, with the command that verifies it.
fn verified_by(what: &str, command: &str, file_name: Option<&[u8]>) -> String {
    let name = file_name.unwrap_or(b"FILE.sig");
    let stem = name.strip_suffix(b".json").filter(|stem| stem.ends_with(b".sigstore")).unwrap_or(name);
    let dot = stem.iter().rposition(|&byte| byte == b'.').filter(|&at| at > 0);
    let signed = dot.map_or(&b"FILE"[..], |at| &name[..at]);
    let before = format!("this is {what} of {}; it contains no checksums; {VERIFY}", display_safe(signed));
    // The name is inserted last, because it may contain `{file}`.
    let (begin, rest) = command.split_once("{name}").unwrap_or((command, ""));
    [&before, begin, &word(name), &rest.replace("{file}", &word(signed))].concat()
}

/// Returns a file name as a word of a shell command, which is not mistaken for an option.
fn word(name: &[u8]) -> String {
    let dash = if name.starts_with(b"-") { "./" } else { "" };
    quotef(&[dash.as_bytes(), name].concat(), Charset::Utf8)
}
