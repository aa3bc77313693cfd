//! Describes in messages and JSON objects which repairs the parity file of a stored tree allows.

use crate::words::count;
use std::ops::Range;
use std::path::PathBuf;
use truesum::tree::parity::Parity;
use truesum::{Error, Progress};
use truesum_fs::name::OsStrExt;

/// The state of the parity file of a stored tree.
pub enum ParityState {
    /// There is none.
    Missing,
    /// It cannot be used.
    Unusable(Error),
    /// It can be used for repairs.
    Usable {
        path: PathBuf,
        /// The number of parity blocks that are missing to restore all damaged ranges.
        missing: u64,
    },
}

impl ParityState {
    /// Examines an opened parity file: how many of these damaged ranges it can restore.
    pub fn of(opened: Result<Parity, Error>, damaged: &[Range<u64>], progress: &Progress) -> ParityState {
        let examined = opened.and_then(|parity| Ok((parity.missing(damaged, progress)?, parity)));
        match examined {
            Ok((missing, parity)) => ParityState::Usable { path: parity.path().to_owned(), missing },
            Err(error) if error.is_missing() => ParityState::Missing,
            Err(error) => ParityState::Unusable(error),
        }
    }

    /// Returns a hint with the command that repairs the file from parity, if that is possible.
    pub fn hint(&self, command: &str) -> Option<String> {
        match self {
            ParityState::Usable { missing: 0, .. } => {
                Some(format!("to repair the damaged ranges from the parity file: {command}"))
            }
            ParityState::Usable { missing, .. } => {
                let missing = count(*missing, "parity block is", "parity blocks are");
                Some(format!(
                    "{missing} missing to repair all ranges; to repair as many as possible: {command}"
                ))
            }
            ParityState::Missing | ParityState::Unusable(_) => None,
        }
    }

    /// Appends the member `parity` of a JSON object.
    pub fn member(&self, out: &mut Vec<u8>) {
        let value = match self {
            ParityState::Missing => serde_json::Value::Null,
            ParityState::Unusable(error) => serde_json::json!({
                "file": String::from_utf8_lossy(error.name()), "usable": false, "reason": error.reason(),
            }),
            ParityState::Usable { path, missing } => serde_json::json!({
                "file": String::from_utf8_lossy(path.as_os_str().as_bytes()),
                "usable": true, "missing_blocks": missing,
            }),
        };
        out.extend_from_slice(b",\"parity\":");
        out.extend_from_slice(value.to_string().as_bytes());
    }
}
