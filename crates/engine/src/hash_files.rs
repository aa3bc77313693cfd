//! The simple interface: hashes files given by name.

use crate::error::Error;
use crate::job::{FileResult, Job, Outcome, Summary};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::run;
use crate::task::{Notice, Sink, Task};
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_hash::Spec;

/// Hashes one file in a single read, with any number of algorithms, on as many cores as they can use.
///
/// ```
/// let file = tempfile::NamedTempFile::new()?.into_temp_path();
/// std::fs::write(&file, "123456789")?;
/// let found = truesum::hash_file(&file, &["crc32".parse()?, "md5".parse()?])?;
/// assert_eq!(found.digests()[0].to_string(), "cbf43926");
/// assert_eq!(found.size(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the file could not be read to its end, is not a regular file, or changed while it was read. There is no
/// digest then.
pub fn hash_file(path: impl AsRef<Path>, specs: &[Spec]) -> Result<FileResult, Error> {
    Hashing { config: &Config::default(), progress: &Progress::default() }.file(path, specs)
}

/// Hashes files on all cores and passes each outcome to `each`, in the order of the names.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let names = ["a", "b", "none"].map(|name| folder.path().join(name));
/// names[..2].iter().try_for_each(|name| std::fs::write(name, "123456789"))?;
/// let summary = truesum::hash_files(&names, &["crc32".parse()?], |outcome| match outcome.result {
///     Ok(found) => assert_eq!(found.digests()[0].to_string(), "cbf43926"),
///     Err(error) => assert!(error.is_missing()),
/// });
/// assert_eq!((summary.files(), summary.missing()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Hashing`] does the same with a custom configuration, reports progress, and can be stopped. [`run`] processes the
/// files found by a walk.
pub fn hash_files<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P, IntoIter: Send>,
    specs: &[Spec],
    each: impl FnMut(Outcome),
) -> Summary {
    Hashing { config: &Config::default(), progress: &Progress::default() }.files(paths, specs, each)
}

options! {
    /// Hashes files with a custom configuration, reports progress, and can be stopped.
    #[derive(Clone, Copy)]
    pub struct Hashing<'a> {
        /// The configuration for reading files.
        config: &'a Config,
        /// The progress. [`Progress::stop`] ends the run early: files that were not reached are counted in the summary.
        progress: &'a Progress,
    }
}

impl<'a> Hashing<'a> {
    /// Returns the means to hash files with this configuration and progress.
    pub fn new(config: &'a Config, progress: &'a Progress) -> Hashing<'a> {
        Hashing { config, progress }
    }

    /// Hashes one file, like [`hash_file`].
    ///
    /// # Errors
    /// Fails as [`hash_file`], or if it was stopped.
    pub fn file(&self, path: impl AsRef<Path>, specs: &[Spec]) -> Result<FileResult, Error> {
        let mut result = None;
        self.files([path.as_ref()], specs, |outcome| result = Some(outcome.result));
        result.unwrap_or_else(|| Err(Error::interrupted(path.as_ref().as_os_str().as_bytes())))
    }

    /// Hashes files, like [`hash_files`].
    pub fn files<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send>,
        specs: &[Spec],
        each: impl FnMut(Outcome),
    ) -> Summary {
        let specs: Arc<[Spec]> = specs.into();
        let mut tasks = paths.into_iter().map(|path| Task::File(Job::hash(path.as_ref(), &specs)));
        let summary = run(self.config, &mut tasks, self.progress, &mut OutcomeFn(each));
        summary.expect("a sink that never fails")
    }
}

/// Passes outcomes to a closure. Tasks that are files have no other results.
pub(crate) struct OutcomeFn<F>(pub(crate) F);

impl<F: FnMut(Outcome)> Sink for OutcomeFn<F> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        (self.0)(outcome);
        Ok(())
    }

    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }
}
