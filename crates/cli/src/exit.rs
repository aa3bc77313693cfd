//! The tables of exit codes: what the result of a run means to a shell. Manual pages and `truesum
//! help exit-status` print them.

use std::process::ExitCode;

/// The result of a command, in ascending order of precedence: if two apply, the later one in this
/// list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything requested was done, and every entry was verified.
    Done,
    /// The command could not be carried out as requested.
    NotAsRequested,
    /// A part of a task that is divided between machines failed, and retrying may help.
    TryAgain,
    /// At least one file was not verified.
    Failed,
    /// The run was ended by a signal.
    Signal(u8),
}

/// The codes for any command that is ended by a signal.
pub const BY_SIGNAL: (&str, &str) =
    ("129, 130, 143", "a signal (HUP, INT, TERM) ended the run; the results up to that point were reported");

/// Returns the exit codes of a command and their meanings, in order. `command` is the name of its
/// manual page, such as `truesum-tree-verify`. [`BY_SIGNAL`] applies in addition.
pub fn codes(command: &str) -> &'static [(&'static str, &'static str)] {
    match command.strip_prefix("truesum-").unwrap_or("") {
        "hash" => &[
            ("0", "the digests of all files were written"),
            (
                "1",
                "at least one file is missing, is unreadable, or changed while it was being read; the file specified with -o is unchanged",
            ),
            (
                "2",
                "the command could not be carried out: incorrect usage, output that could not be written, or insufficient memory",
            ),
        ],
        "audit" => &[
            ("0", "everything matches"),
            ("1", "something differs"),
            ("2", "not everything could be compared, or there was a usage error"),
        ],
        "update" => &[
            ("0", "everything matches the manifest now"),
            ("1", "a file still differs from the manifest"),
            ("2", "usage, input or output error; the summary shows whether the manifest was written"),
        ],
        "scrub" => &[
            ("0", "nothing is wrong"),
            (
                "1",
                "a file is corrupt, missing or unreadable, differs in a way that is not accepted, or failed in an earlier run",
            ),
            ("2", "there was a usage error, or the state file cannot be used"),
        ],
        "diff" => &[
            ("0", "equal"),
            ("1", "different"),
            ("2", "not everything could be compared, or there was a usage error"),
        ],
        "bag-create" | "bag-update" => &[
            ("0", "the bags were written"),
            (
                "1",
                "a file is missing, is unreadable, does not match an earlier manifest, or cannot be in a bag",
            ),
            (
                "2",
                "the command could not be carried out: incorrect usage, or output that could not be written",
            ),
        ],
        "torrent-create" => &[
            ("0", "the torrent was written"),
            (
                "1",
                "a file is missing, is unreadable, or changed while it was being read; nothing was written",
            ),
            (
                "2",
                "the command could not be carried out: incorrect usage, or output that could not be written",
            ),
        ],
        "sign" => &[
            ("0", "all signatures were written"),
            (
                "1",
                "a manifest could not be read, is malformed, or has no entries; its signature was not written",
            ),
            (
                "2",
                "the command could not be carried out: incorrect usage, an unusable key, a wrong password, a signature that exists, or output that could not be written",
            ),
        ],
        "text" => &[
            ("0", "all digests were printed"),
            ("1", "the file specified with --lines could not be read"),
            (
                "2",
                "the command could not be carried out: incorrect usage, or output that could not be written",
            ),
        ],
        "embed-add" => &[
            ("0", "all names contain the CRC-32, or would contain it with --yes"),
            ("1", "a file could not be read or renamed, or its name contains a different CRC-32"),
            ("2", "the command could not be carried out: incorrect usage, or no files to rename"),
        ],
        "tree" => &[
            ("0", "the digests of all files were printed, and the requested trees were stored"),
            ("1", "at least one file is missing, is unreadable, or changed while it was being read"),
            ("2", "usage, input or output error"),
        ],
        "tree-verify" => &[
            ("0", "the file is intact"),
            ("1", "the file is damaged"),
            (
                "2",
                "the tree is damaged, it is unclear whether the file or the tree is damaged, or there was a usage error",
            ),
        ],
        "tree-repair" => &[
            ("0", "the file is intact, or was repaired"),
            ("1", "part of the file is still damaged; with --dry-run, the file is damaged"),
            ("2", "the tree is damaged, or a usage, input or output error occurred"),
        ],
        "tree-prove" => &[
            ("0", "the proof was printed"),
            ("1", "the file could not be read"),
            ("2", "the requested proof is not possible, or there was a usage error"),
        ],
        "tree-verify-proof" => &[
            ("0", "the proof is valid"),
            ("1", "the proof is invalid"),
            ("2", "the proof or the digest is malformed, or there was a usage error"),
        ],
        "tree-leaf" => &[
            ("0", "the digest of the range was printed"),
            ("1", "the file cannot be hashed"),
            (
                "2",
                "a retry cannot succeed: the range is invalid, or the algorithm cannot hash ranges separately",
            ),
            (
                "4",
                "a retry may succeed: there was a device or network error, or memory or file descriptors ran out",
            ),
        ],
        "tree-combine" => &[
            ("0", "the digest was printed"),
            (
                "2",
                "ranges are missing, contradict each other or were read from different versions of the file",
            ),
        ],
        "shard-plan" | "shard-replan" => &[
            ("0", "the plan was written"),
            ("1", "some files could not be accessed"),
            ("2", "usage, input or output error"),
        ],
        "shard-run" => &[
            ("0", "the part was written, with a digest for every file"),
            ("1", "the part was written, but some files have no digest"),
            (
                "2",
                "a retry cannot succeed: the plan is invalid, the bundle does not exist, or the output cannot be written",
            ),
            (
                "4",
                "like 1, but a retry may succeed: there was a device or network error, or memory or file descriptors ran out",
            ),
        ],
        "shard-merge" => &[
            ("0", "the manifest was written and contains every planned file exactly once"),
            (
                "1",
                "a part is missing, belongs to another plan, is repeated, contradicts another part or has failures",
            ),
            ("2", "usage, input or output error"),
        ],
        "directory" => &[
            ("0", "the digests were printed, or the digest matches --expect"),
            ("1", "the digest differs from --expect, or something could not be read"),
            ("2", "usage, input or output error"),
        ],
        "directory-prove" => &[
            ("0", "the proof was printed"),
            ("1", "something could not be read"),
            ("2", "the file does not exist, or there was a usage error"),
        ],
        "directory-verify-proof" => &[
            ("0", "the proof is valid, and the name of the file is printed"),
            ("1", "the proof is not valid for the file"),
            ("2", "the proof or the digest is malformed"),
        ],
        "convert" => &[
            ("0", "the manifest was written"),
            ("1", "with -a, a file does not match, is missing or is unreadable; nothing was written"),
            ("2", "nothing was written: the input is malformed, or information would be lost"),
        ],
        "identify" => &[
            ("0", "the digest was identified (or, with FILE, a match was found)"),
            ("1", "FILE does not match the digest"),
            ("2", "DIGEST is not a digest, or FILE could not be read"),
        ],
        "find" => &[
            ("0", "all digests were found"),
            ("1", "some digests were not found"),
            (
                "2",
                "no file was selected, not everything could be read (so \"absent\" may be wrong), or there was a usage error",
            ),
        ],
        "duplicates" => &[
            ("0", "all files were compared, whether or not there are duplicates"),
            ("1", "some files could not be read"),
            ("2", "usage, input or output error, or no file was selected"),
        ],
        "bench-compare" => &[
            ("0", "the second run is not slower"),
            ("1", "the second run is significantly slower"),
            ("2", "usage, input or output error"),
        ],
        "" | "check" | "bag-check" | "torrent-check" | "embed-check" => TABLE,
        _ => &[("0", "success"), ("2", "usage, input or output error")],
    }
}

/// Codes and meanings for a check, which are also those of the program as a whole.
const TABLE: &[(&str, &str)] = &[
    ("0", "everything requested was done, and every entry was verified"),
    (
        "1",
        "at least one file was not verified: it differs, is missing, is unreadable, changed while it was being read, or is not in the manifest (--exact)",
    ),
    (
        "2",
        "the command could not be carried out: incorrect usage, a manifest that is unreadable or has malformed lines, output that could not be written, insufficient memory, or nothing to verify",
    ),
];

impl Exit {
    /// Returns the number for the shell.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::NotAsRequested => 2,
            Exit::TryAgain => 4,
            Exit::Signal(signal) => 128 + signal,
        }
    }
}

impl Exit {
    /// Returns the exit for a status determined by the library. `signal` is the one that
    /// interrupted the run.
    pub fn of_status(status: u8, signal: Option<u8>) -> Exit {
        match status {
            0 => Exit::Done,
            1 => Exit::Failed,
            130 => Exit::Signal(signal.unwrap_or(2)),
            _ => Exit::NotAsRequested,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// The reason why a command cannot be carried out, with an optional hint.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub hint: Option<String>,
}

impl Refusal {
    /// Returns a refusal without advice.
    pub fn new(text: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: None }
    }

    /// Returns a refusal with advice.
    pub fn with_hint(text: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: Some(hint.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_files_outrank_errors_and_signals_outrank_both() {
        assert_eq!(Exit::NotAsRequested.max(Exit::Failed).code(), 1);
        assert_eq!(Exit::Done.max(Exit::NotAsRequested).code(), 2);
        assert_eq!(Exit::Failed.max(Exit::Signal(2)).code(), 130);
    }

    #[test]
    fn every_exit_code_is_in_the_table() {
        let listed = codes("truesum-tree-leaf").iter().chain([&BY_SIGNAL]);
        let listed: Vec<&str> = listed.flat_map(|(codes, _)| codes.split(", ")).collect();
        for exit in [
            Exit::Done,
            Exit::Failed,
            Exit::NotAsRequested,
            Exit::TryAgain,
            Exit::Signal(1),
            Exit::Signal(2),
            Exit::Signal(15),
        ] {
            assert!(listed.contains(&exit.code().to_string().as_str()), "{exit:?}");
        }
    }
}
