//! What a file was when it was planned, and how it is told that it is another one by now.

use crate::job::{Found, Listed};
use crate::tree::store::Hints;
use rustix::fs::Stat;
use truesum_manifest::Time;

/// What the system says of a file. Two states are equal only where nothing was written in between, so far as the file system tells:
/// the time of the last change of status moves also for who puts the other one back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Length in bytes.
    pub size: u64,
    /// When it was last written.
    pub mtime: Time,
    /// When its content, name, owner or mode last changed.
    pub ctime: Time,
    /// Inode number.
    pub inode: u64,
    /// Which version it is, where it lies in no file system but where there are versions; there are no inode numbers there.
    pub version: Option<String>,
}

impl State {
    /// Of a file that was asked.
    pub(super) fn of(stat: &Stat) -> State {
        State {
            size: stat.st_size as u64,
            mtime: Time { seconds: stat.st_mtime, nanos: stat.st_mtime_nsec as u32 },
            ctime: Time { seconds: stat.st_ctime, nanos: stat.st_ctime_nsec as u32 },
            inode: stat.st_ino,
            version: None,
        }
    }

    /// Of a file that a list told of, and no file system.
    pub(super) fn listed(listed: &Listed) -> State {
        let Listed { size, version, modified } = listed.clone();
        let time = Time { seconds: modified, nanos: 0 };
        State { size, mtime: time, ctime: time, inode: 0, version }
    }

    /// The version that is to be read, where there are versions.
    pub(super) fn wanted(&self) -> Option<Listed> {
        let (size, modified) = (self.size, self.mtime.seconds);
        self.version.clone().map(|version| Listed { size, version: Some(version), modified })
    }

    /// Of a file that was read.
    pub(super) fn found(found: &Found) -> State {
        let time = |(seconds, nanos)| Time { seconds, nanos };
        let (mtime, ctime) = (time(found.mtime()), time(found.ctime()));
        State { size: found.size(), mtime, ctime, inode: found.inode(), version: None }
    }

    /// As the functions over trees know it.
    pub(super) fn hints(&self) -> Hints {
        let whole = |time: Time| time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanos.into());
        Hints { mtime: whole(self.mtime), ctime: whole(self.ctime), inode: self.inode, device: 0 }
    }

    /// What differs in a later state.
    pub(super) fn differs(&self, later: &State) -> Option<&'static str> {
        match self.size == later.size {
            false => Some("the size"),
            true if self.version != later.version => Some("the version"),
            true if self == later => None,
            // Times beyond what the hints can tell.
            true => self.hints().differs(&later.hints()).or(Some("a time")),
        }
    }
}
