//! Computes how recently the files of a state were verified.

use crate::audit::FileStatus;
use crate::error::Error;
use crate::scrub::listing::manifest_name;
use crate::scrub::plan::{Class, Classes, Schedule};
use crate::scrub::store::State;
use std::ffi::OsString;
use std::path::PathBuf;
use truesum_fs::name::OsStringExt;
use truesum_manifest::Time;

/// The limits of the age classes in days. Files that are older than the last one, and files that were never verified,
/// are two further classes.
pub const AGES: [u64; 5] = [1, 7, 30, 90, 365];

const SECONDS_PER_DAY: i64 = 86_400;

readable! {
    /// A number of files and their bytes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Amount {
        /// Files.
        files: u64,
        /// Bytes.
        bytes: u64,
    }
}

impl Amount {
    /// Returns the bytes plus a constant for each file, so that empty files, and files of unknown size, count as well.
    pub fn weight(&self) -> u64 {
        Class { files: self.files, bytes: self.bytes }.weight()
    }

    fn add(&mut self, size: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(size);
    }
}

/// The number of folders for which ages are counted separately.
const FOLDERS: usize = 500;

readable! {
    /// The ages of the last verifications in a folder.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Folder {
        /// The name of a folder in the tree; empty for the files that are in no folder.
        name: PathBuf => &PathBuf,
        /// All files.
        all: Amount,
        /// Files by the time since they were last found intact, as in [`Coverage`].
        ages: [Amount; AGES.len() + 2] => &[Amount; AGES.len() + 2],
        /// The time of the oldest verification; `None` if no file was verified.
        oldest: Option<Time>,
        /// The number of files that are not intact and were not accepted.
        failures: u64,
    }
}

readable! {
    /// The ages of the last verifications, and what is due.
    #[derive(Clone, Debug, Default)]
    pub struct Coverage {
        /// All files.
        all: Amount,
        /// Files found intact within the promised number of days of the state. Failures are not among them.
        within: Amount,
        /// Files by the time since they were last found intact: at most [`AGES`] days, more, and never.
        ages: [Amount; AGES.len() + 2] => &[Amount; AGES.len() + 2],
        /// The time of the oldest verification of a file that is not a failure; `None` if there is none.
        oldest: Option<Time>,
        /// The file with that time.
        oldest_name: Option<PathBuf> as Option<&PathBuf>,
        /// The files, and the manifests of a collection, that are not intact and were not accepted.
        failures: Vec<(FileStatus, PathBuf)> => &[(FileStatus, PathBuf)],
        /// The number of files among the failures.
        failed_files: u64,
        /// The number of manifests and bags of a collection.
        manifests: u64,
        /// The folders in the tree by name, at most the first 500. The first one contains the files in the top-level folder.
        folders: Vec<Folder> => &[Folder],
        /// The files that the next run reads if it starts a day after the last one.
        due: Amount,
    }
}

/// Returns the folder of a file, which is added if there is room. Names are in order, so it is the last one.
fn folder_of<'f>(name: &[u8], folders: &'f mut Vec<Folder>) -> Option<&'f mut Folder> {
    let Some(len) = name.iter().position(|&byte| byte == b'/') else { return folders.first_mut() };
    let path = PathBuf::from(OsString::from_vec(name[..len].to_vec()));
    if folders.last().is_some_and(|last| last.name != path) {
        if folders.len() >= FOLDERS {
            return None;
        }
        folders.push(Folder { name: path, ..Folder::default() });
    }
    folders.last_mut()
}

/// Returns the coverage of a state at this time. `within` is the promised number of days, `last` the day of the last
/// run.
///
/// # Errors
/// Fails if the state is damaged.
pub(crate) fn coverage(state: &State, now: Time, within: u64, last: u64) -> Result<Coverage, Error> {
    let mut found = Coverage { folders: vec![Folder::default()], ..Coverage::default() };
    let (mut classes, mut oldest) = (Classes::default(), None::<(Time, Vec<u8>)>);
    for entry in state.scan() {
        let (name, record) = entry?;
        if let Some(name) = manifest_name(&name) {
            found.manifests += 1;
            if record.is_failure() {
                found.failures.push((record.status, OsString::from_vec(name.to_vec()).into()));
            }
            continue;
        }
        let size = record.size.unwrap_or(0);
        found.all.add(size);
        classes.add(record.day, size);
        let age = match record.verified {
            None => AGES.len() + 1,
            Some(time) => {
                if !record.is_failure() && oldest.as_ref().is_none_or(|(before, _)| time < *before) {
                    oldest = Some((time, name.clone()));
                }
                let days = now.seconds.saturating_sub(time.seconds) / SECONDS_PER_DAY;
                AGES.iter().position(|&limit| days < limit as i64).unwrap_or(AGES.len())
            }
        };
        found.ages[age].add(size);
        if let Some(folder) = folder_of(&name, &mut found.folders) {
            folder.all.add(size);
            folder.ages[age].add(size);
            folder.failures += u64::from(record.is_failure());
            folder.oldest = folder.oldest.into_iter().chain(record.verified).min();
        }
        let is_verified = record.verified.is_some() && !record.is_failure();
        if is_verified && last.saturating_sub(record.day) < within.max(1) {
            found.within.add(size);
        }
        if record.is_failure() {
            found.failed_files += 1;
            found.failures.push((record.status, OsString::from_vec(name).into()));
        }
    }
    let due = classes.due(classes.share(Schedule { today: last + 1, gap: 1, within }));
    found.due = Amount { files: due.files, bytes: due.bytes };
    if let Some((time, name)) = oldest {
        (found.oldest, found.oldest_name) = (Some(time), Some(OsString::from_vec(name).into()));
    }
    Ok(found)
}
