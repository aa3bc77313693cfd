//! Compares two sets of files and reports what happened to each file: manifests and a folder ([`Comparison::audit`]),
//! or any two manifests or folders ([`Comparison::diff`]).
//!
//! As in a check, a file matches a manifest if the verdict of a run says so
//! ([`crate::Outcome::verdict`]). This module combines the verdicts of all files to determine which
//! files were moved, copied, added or removed. It stores the name and digests of each file, about
//! 120 bytes in addition to the name; files that are the same on both sides are stored once. Of two manifests in ascending
//! order, only the entries that differ are stored.

pub(crate) mod comparison;
mod finding;
pub mod known;
mod listing;
mod pieces;
mod reading;
pub(crate) mod relocated;
pub(crate) mod row;
mod sorted;
pub(crate) mod stamps;
pub mod status;

pub use crate::content::Facts;
pub use comparison::{Comparison, Observer, Options};
pub use stamps::{is_edited, same_time};
pub use status::{Equality, Event, FileStatus, Finding, Report};

use crate::progress::Progress;
use std::path::Path;

/// Reports what happened to each file of a folder since the manifest was made. The folder is that of the manifest,
/// unless the options specify one.
///
/// ```
/// use truesum::audit::{Equality, Options, FileStatus, audit};
///
/// let folder = tempfile::tempdir()?;
/// let manifest = folder.path().join("SHA256SUMS");
/// std::fs::write(folder.path().join("b"), "123456789")?;
/// std::fs::write(&manifest, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225  a\n")?;
///
/// let mut moved = Vec::new();
/// let report = audit(&[&manifest], &Options::default(), |finding| {
///     assert_eq!(finding.status(), FileStatus::Moved);
///     moved.push((finding.from().unwrap().to_owned(), finding.name().to_owned()));
/// });
/// assert_eq!(moved, [("a".into(), "b".into())]);
/// assert_eq!(report.equality(), Equality::Different);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Problems with manifests are counted in the report. [`Comparison`] also reports them as events and can be stopped.
pub fn audit(manifests: &[impl AsRef<Path>], options: &Options, each: impl FnMut(&Finding<'_>)) -> Report {
    let progress = Progress::default();
    let mut comparison = Comparison::new(options, &progress);
    let result = comparison.audit(manifests, &mut findings(each));
    debug_assert!(result.is_ok(), "the observer never fails");
    comparison.report().clone()
}

/// Reports the differences between two sides, each a manifest or a folder. Files are read only if their digests are not
/// known from a manifest.
///
/// ```
/// use truesum::audit::{Equality, Options, FileStatus, diff};
///
/// let folder = tempfile::tempdir()?;
/// let (old, new) = (folder.path().join("old.sfv"), folder.path().join("new.sfv"));
/// std::fs::write(&old, "a cbf43926\nb 00000000\n")?;
/// std::fs::write(&new, "a cbf43926\n")?;
///
/// let report = diff(&old, &new, &Options::default(), |finding| assert_eq!(finding.name().to_str(), Some("b")));
/// assert_eq!((report.count(FileStatus::Missing), report.equality()), (1, Equality::Different));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff(
    old: impl AsRef<Path>,
    new: impl AsRef<Path>,
    options: &Options,
    each: impl FnMut(&Finding<'_>),
) -> Report {
    let progress = Progress::default();
    let mut comparison = Comparison::new(options, &progress);
    let result = comparison.diff(old.as_ref(), new.as_ref(), &mut findings(each));
    debug_assert!(result.is_ok(), "the observer never fails");
    comparison.report().clone()
}

fn findings(mut each: impl FnMut(&Finding<'_>)) -> impl FnMut(Event<'_>) -> std::io::Result<()> {
    move |event| {
        if let Event::Finding(finding) = event {
            each(finding);
        }
        Ok(())
    }
}
