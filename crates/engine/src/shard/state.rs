//! The state of a file when it was planned, and how later changes are detected.

use crate::job::{FileResult, ObjectVersion};
use crate::tree::store::Hints;
use truesum_fs::metadata::Metadata;
use truesum_manifest::Time;

/// The metadata of a file. Two states are equal only if nothing was written in between, as far as the file system
/// reveals it: the status change time also changes if the modification time is set back.
///
/// A plain record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Length in bytes.
    pub size: u64,
    /// The modification time.
    pub mtime: Time,
    /// The status change time: when its content, name, owner or mode last changed.
    pub ctime: Time,
    /// The inode number.
    pub inode: u64,
    /// The version of an object that is not in a file system. Such objects have no inode numbers.
    pub version: Option<String>,
    /// Whether only the size and the modification time are compared, because the file is read from a copy on another
    /// machine. The status change time is then equal to the modification time, and the inode number is 0.
    pub copied: bool,
}

impl State {
    /// Returns the state of a file with these metadata.
    pub(super) fn of(stat: &Metadata) -> State {
        State {
            size: stat.size(),
            mtime: stat.mtime(),
            ctime: stat.ctime(),
            inode: stat.id().number(),
            version: None,
            copied: false,
        }
    }

    /// Returns the state that copies of the file have in common.
    pub(super) fn of_copies(self) -> State {
        State { ctime: self.mtime, inode: 0, copied: true, ..self }
    }

    /// Returns the state of an object as reported by a listing.
    pub(super) fn listed(listed: &ObjectVersion) -> State {
        let ObjectVersion { size, version, modified } = listed.clone();
        let time = Time { seconds: modified, nanos: 0 };
        State { size, mtime: time, ctime: time, inode: 0, version, copied: false }
    }

    /// Returns the version to read, for an object.
    pub(super) fn wanted(&self) -> Option<ObjectVersion> {
        let (size, modified) = (self.size, self.mtime.seconds);
        self.version.clone().map(|version| ObjectVersion { size, version: Some(version), modified })
    }

    /// Returns the state of a file that was read.
    pub(super) fn found(found: &FileResult) -> State {
        let time = |(seconds, nanos)| Time { seconds, nanos };
        let (mtime, ctime) = (time(found.mtime()), time(found.ctime()));
        State { size: found.size(), mtime, ctime, inode: found.inode(), version: None, copied: false }
    }

    /// Returns the property that differs in the later state of a file of the same size, as trees describe it.
    pub(super) fn differs_from(&self, later: &Hints) -> Option<&'static str> {
        match self.copied {
            true => (self.hints().mtime != later.mtime).then_some("the modification time"),
            false => self.hints().differs(later),
        }
    }

    /// Returns the state in the form used for trees.
    fn hints(&self) -> Hints {
        let whole = |time: Time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanos.into());
        Hints { mtime: whole(self.mtime), ctime: whole(self.ctime), inode: self.inode, device: 0 }
    }

    /// Returns the property that differs in a later state, or `None` if the states are equal.
    pub(super) fn differs(&self, later: &State) -> Option<&'static str> {
        if self.copied && !later.copied {
            return self.differs(&later.clone().of_copies());
        }
        match self.size == later.size {
            false => Some("the size"),
            true if self.version != later.version => Some("the version"),
            true if self == later => None,
            // The hints cannot represent all times, so they may be equal although the states
            // differ.
            true => self.differs_from(&later.hints()).or(Some("a time")),
        }
    }
}
