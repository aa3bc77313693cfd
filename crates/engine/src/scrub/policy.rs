//! Decides which differences a run accepts: the file is then recorded as it is now and is not a
//! failure.

use crate::audit::FileStatus;

/// The statuses that a policy can accept. Corrupt, unreadable and moved and modified files are never accepted.
pub const ACCEPTABLE: [(&str, FileStatus); 5] = [
    ("new", FileStatus::New),
    ("modified", FileStatus::Changed),
    ("moved", FileStatus::Moved),
    ("restored", FileStatus::Restored),
    ("missing", FileStatus::Missing),
];

/// A set of accepted statuses. The default is new, modified and moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy(Vec<FileStatus>);

impl Default for Policy {
    fn default() -> Policy {
        Policy(vec![FileStatus::New, FileStatus::Changed, FileStatus::Moved])
    }
}

impl Policy {
    /// Returns a policy that accepts these statuses, as far as they are [`ACCEPTABLE`].
    pub fn new(statuses: impl IntoIterator<Item = FileStatus>) -> Policy {
        let can_be = |status: &FileStatus| ACCEPTABLE.iter().any(|(_, known)| known == status);
        Policy(statuses.into_iter().filter(can_be).collect())
    }

    /// Returns whether a file with this status is accepted.
    pub(crate) fn accepts(&self, status: FileStatus) -> bool {
        self.0.contains(&status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corruption_is_never_accepted() {
        let all = Policy::new(FileStatus::ALL);
        for status in FileStatus::ALL {
            let can_be = ACCEPTABLE.iter().any(|(_, known)| *known == status);
            assert_eq!(all.accepts(status), can_be, "{status:?}");
        }
        assert!(!all.accepts(FileStatus::Corrupt) && !all.accepts(FileStatus::MovedModified));
        assert!(!Policy::default().accepts(FileStatus::Missing));
        assert!(!Policy::new([]).accepts(FileStatus::New));
    }
}
