//! The table of exit codes: what a run's counts mean to a shell. The man page prints it.

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

/// Code and meaning, in the order of the codes.
pub const TABLE: &[(&str, &str)] = &[
    ("0", "all that was asked was done, and every entry was verified"),
    (
        "1",
        "at least one file did not verify: it differs, is missing, is unreadable, changed while it was read, or is not listed (--exact)",
    ),
    (
        "2",
        "the command could not be carried out as asked: wrong usage, a manifest that is unreadable or has malformed lines, output that could not be written, memory that could not be had, nothing verified",
    ),
    (
        "4",
        "of tree leaf and shard run: something has no digest, but another attempt may give it one: the system spoke of the device, the network or a lack of memory or descriptors",
    ),
    ("129, 130, 143", "a signal (HUP, INT, TERM) ended the run; what had been done until then was reported"),
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
        let listed: Vec<&str> = TABLE.iter().flat_map(|(codes, _)| codes.split(", ")).collect();
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
