//! The tables of exit codes: what a run's counts mean to a shell. Manual pages and `truesum help exit-status` print them.

use std::process::ExitCode;

/// How a command ended. The order is that of precedence: of two reasons the later one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything asked for was done, and every entry was verified.
    Done,
    /// The command could not be carried out as asked.
    NotAsAsked,
    /// One part of a work divided between machines failed in a way that another attempt may not.
    TryAgain,
    /// At least one file is not known to be good.
    Failed,
    /// A signal ended the run.
    Signal(u8),
}

/// What ends any command by a signal.
pub const BY_SIGNAL: (&str, &str) =
    ("129, 130, 143", "a signal (HUP, INT, TERM) ended the run; what had been done until then was reported");

/// Codes of a command and their meanings, in their order; `command` is spelled as in its manual page, `truesum-tree-verify`.
/// Beside them there is [`BY_SIGNAL`].
pub fn codes(command: &str) -> &'static [(&'static str, &'static str)] {
    match command.strip_prefix("truesum-").unwrap_or("") {
        "hash" => &[
            ("0", "the digests of all files were written"),
            (
                "1",
                "at least one file is missing, is unreadable, or changed while it was read; a file named by -o is as it was",
            ),
            (
                "2",
                "the command could not be carried out as asked: wrong usage, output that could not be written, memory that could not be had",
            ),
        ],
        "audit" => {
            &[("0", "equal"), ("1", "not equal"), ("2", "not everything could be compared, or wrong usage")]
        }
        "update" => &[
            ("0", "all is as listed now"),
            ("1", "a file is not as listed"),
            ("2", "not done as asked; the manifest is as it was"),
        ],
        "diff" => {
            &[("0", "equal"), ("1", "different"), ("2", "not everything could be compared, or wrong usage")]
        }
        "tree" => &[
            ("0", "the digests of all files were printed, and trees kept where that was asked for"),
            ("1", "at least one file is missing, is unreadable, or changed while it was read"),
            ("2", "the command could not be carried out as asked"),
        ],
        "tree-verify" => &[
            ("0", "the file is good"),
            ("1", "it is damaged"),
            ("2", "the tree is damaged, it cannot be told which of the two is, or wrong usage"),
        ],
        "tree-repair" => &[
            ("0", "the file is good, or was mended and is good now"),
            ("1", "some of it is damaged still, or would be (--dry-run)"),
            ("2", "the tree is damaged, or not done as asked"),
        ],
        "tree-prove" => &[
            ("0", "the proof was printed"),
            ("1", "the file could not be read"),
            ("2", "there is no such proof, or wrong usage"),
        ],
        "tree-verify-proof" => &[
            ("0", "what the proof says is so"),
            ("1", "it is not"),
            ("2", "no proof, no digest, or wrong usage"),
        ],
        "tree-leaf" => &[
            ("0", "the piece was printed"),
            ("1", "this file cannot be hashed"),
            ("2", "no attempt can succeed: a wrong range, a digest that cannot be divided"),
            (
                "4",
                "there is no piece, but another attempt may give one: the system spoke of the device, the network or a lack of memory or descriptors",
            ),
        ],
        "tree-combine" => &[
            ("0", "the digest was printed"),
            ("2", "pieces are missing, contradict each other or are of several states of a file"),
        ],
        "shard-plan" => &[
            ("0", "the plan was written"),
            ("1", "not everything could be listed"),
            ("2", "not done as asked"),
        ],
        "shard-run" => &[
            ("0", "the part was written, and has a digest of everything in it"),
            ("1", "the part was written, and names what has no digest"),
            (
                "2",
                "no attempt can succeed: no plan, no shard of this number, output that could not be written",
            ),
            (
                "4",
                "as 1, but another attempt may give all digests: the system spoke of the device, the network or a lack of memory or descriptors",
            ),
        ],
        "shard-merge" => &[
            ("0", "the manifest was written: every planned file is in it once"),
            ("1", "a part is missing, foreign, repeated, contradicts another or names failures"),
            ("2", "not done as asked"),
        ],
        "directory" => &[
            ("0", "the digests were printed, or it is the one expected"),
            ("1", "it is not, or something could not be read"),
            ("2", "not done as asked"),
        ],
        "directory-prove" => &[
            ("0", "the proof was printed"),
            ("1", "something could not be read"),
            ("2", "there is no such object, or wrong usage"),
        ],
        "directory-verify-proof" => &[
            ("0", "it belongs to the digest, under the name that is printed"),
            ("1", "it does not"),
            ("2", "no proof, or no digest"),
        ],
        "convert" => {
            &[("0", "written"), ("2", "nothing was written: a malformed part, or something would be lost")]
        }
        "identify" => &[
            ("0", "told, and it is of FILE where one is named"),
            ("1", "it is not of FILE"),
            ("2", "no digest, or FILE was not read"),
        ],
        "find" => &[
            ("0", "all found"),
            ("1", "some not found"),
            ("2", "not everything could be read, so that what is absent may be there; or wrong usage"),
        ],
        "duplicates" => &[
            ("0", "done, whether there are copies or not"),
            ("1", "not everything could be read"),
            ("2", "not done as asked"),
        ],
        "bench-compare" => &[
            ("0", "the second run is no slower"),
            ("1", "it is slower beyond noise"),
            ("2", "not done as asked"),
        ],
        "" | "check" => TABLE,
        _ => &[("0", "done"), ("2", "not done as asked")],
    }
}

/// Code and meaning of a check, which are those of the program as a whole.
const TABLE: &[(&str, &str)] = &[
    ("0", "all that was asked was done, and every entry was verified"),
    (
        "1",
        "at least one file did not verify: it differs, is missing, is unreadable, changed while it was read, or is not listed (--exact)",
    ),
    (
        "2",
        "the command could not be carried out as asked: wrong usage, a manifest that is unreadable or has malformed lines, output that could not be written, memory that could not be had, nothing verified",
    ),
];

impl Exit {
    /// The number for the shell.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::NotAsAsked => 2,
            Exit::TryAgain => 4,
            Exit::Signal(signal) => 128 + signal,
        }
    }
}

impl Exit {
    /// Returns the exit for the status that the library decides on; `signal` is the one that interrupted the run.
    pub fn of_status(status: u8, signal: Option<u8>) -> Exit {
        match status {
            0 => Exit::Done,
            1 => Exit::Failed,
            130 => Exit::Signal(signal.unwrap_or(2)),
            _ => Exit::NotAsAsked,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Why a command cannot be carried out as asked, and what the user can do.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(text: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: None }
    }

    /// A refusal with advice.
    pub fn with_hint(text: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: Some(hint.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_files_win_over_trouble_and_signals_over_both() {
        assert_eq!(Exit::NotAsAsked.max(Exit::Failed).code(), 1);
        assert_eq!(Exit::Done.max(Exit::NotAsAsked).code(), 2);
        assert_eq!(Exit::Failed.max(Exit::Signal(2)).code(), 130);
    }

    #[test]
    fn every_code_is_in_the_table() {
        let listed = codes("truesum-tree-leaf").iter().chain([&BY_SIGNAL]);
        let listed: Vec<&str> = listed.flat_map(|(codes, _)| codes.split(", ")).collect();
        for exit in [
            Exit::Done,
            Exit::Failed,
            Exit::NotAsAsked,
            Exit::TryAgain,
            Exit::Signal(1),
            Exit::Signal(2),
            Exit::Signal(15),
        ] {
            assert!(listed.contains(&exit.code().to_string().as_str()), "{exit:?}");
        }
    }
}
