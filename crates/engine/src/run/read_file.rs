//! Reads one file from its beginning to its end, for callers to which the order of files matters.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::sequential::read_to_end;
use crate::job::{FileResult, Job, digests};
use crate::progress::Progress;
use crate::run::config::Config;
use std::time::Instant;
use truesum_hash::Hasher;

/// The number of bytes read at a time.
pub(crate) const SLICE: usize = 1 << 18;

/// Reads a regular file completely, passes its bytes to `sink` in order, and returns the digests for the job's specs,
/// or `None` if the file is the run's own output, which is not read.
///
/// # Errors
/// Fails if it is not a regular file, cannot be read to its end, or changed during the read, or if `progress` was
/// stopped.
pub(crate) fn read_file(
    job: &Job,
    config: &Config,
    progress: &Progress,
    buffer: &mut [u8],
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Option<FileResult>, Error> {
    let started = Instant::now();
    let (root, path) = job.root_and_name(&config.root);
    let named = |error: Error| error.with_name(&job.name);
    let (file, stat) = root.open(path, config.special).map_err(named)?;
    if config.own.contains(&FileId::from(&stat)) {
        return Ok(None);
    }
    // This comes after the test above, because it fails for the run's own output, which may be open
    // for writing.
    let file = config.guarded(file, stat, &job.name)?;
    if !file.is_regular() {
        let why = "only regular files can be divided into pieces";
        return Err(Error::new(&job.name, "read", Cause::Other(why.to_owned())));
    }
    let mut hashers: Vec<Hasher> =
        job.specs.iter().map(|spec| spec.hasher_for_size(file.size_hint())).collect();
    let whole = read_to_end(file, &job.name, buffer, progress, &mut |bytes| {
        sink(bytes);
        hashers.iter_mut().for_each(|hasher| hasher.update(bytes));
    })?;
    Ok(Some(FileResult::new(whole, digests(&mut hashers, &job.name)?, started)))
}
