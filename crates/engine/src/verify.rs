//! Checks manifests and produces a [`Report`]. This is the only module that decides whether a complete check is
//! "verified".
//!
//! Entries are streamed from the manifest into the run, so memory does not grow with their number. Only a hash of eight
//! bytes is kept of each name, by which a subsequent walk of the root recognizes the files in the manifest.

pub(crate) mod containers;
pub(crate) mod detached;
pub(crate) mod discovery;
mod diversions;
pub mod entries;
pub mod event;
pub(crate) mod foreign;
pub mod listed;
pub(crate) mod listed_jobs;
pub(crate) mod manifest_digest;
mod missing;
pub mod options;
mod outputs;
pub mod piece_repair;
pub(crate) mod pieces;
pub mod place;
pub mod report;
mod rotation;
mod shared_reads;
pub(crate) mod unexpected;
pub mod verification;

pub use containers::{bag, history, ocfl, seal};
pub use discovery::has_manifest_name;
pub use diversions::installed_names;
pub use outputs::{lists_one_of, place_of};
pub use unexpected::search::{Search, unlisted_objects};

use crate::error::Error;
use crate::job::Outcome;
use crate::progress::Progress;
use event::Event;
use options::Options;
use report::Report;
use std::path::Path;
use truesum_hash::{Digest, Spec};
use verification::Verification;

/// Checks a manifest: passes the outcome of each entry to `each`, and returns the result in [`Report::verdict`].
///
/// Malformed lines, files that are not in the manifest, and everything else that [`Options`] request are counted in the
/// report. [`Verification`] reports them individually, accepts several manifests, and can be stopped.
///
/// ```
/// use truesum::{Conclusion, Options, verify};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a"), "123456789")?;
/// let manifest = folder.path().join("SHA256SUMS");
/// std::fs::write(&manifest, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225  a\n")?;
///
/// let report = verify(&manifest, &Options::default(), |entry| assert!(entry.result.is_ok()))?;
/// assert_eq!(report.verdict(), Conclusion::Verified);
///
/// std::fs::write(&manifest, "")?;
/// let report = verify(&manifest, &Options::default(), |_| ())?;
/// assert_eq!(report.verdict(), Conclusion::NothingVerified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the manifest or its folder could not be opened, or if the manifest could not be read to its end.
pub fn verify(
    manifest: impl AsRef<Path>,
    options: &Options,
    mut each: impl FnMut(&Outcome),
) -> Result<Report, Error> {
    let progress = Progress::default();
    let mut verification = Verification::new(options, &progress);
    let mut failed = None;
    let result = verification.manifests(&[named(manifest.as_ref())], &mut |event| {
        match event {
            Event::Entry(_, outcome) => each(outcome),
            Event::Failed(error) => failed = Some(error.under(error.name())),
            Event::Checked(_, checked) => {
                failed = checked.failed.as_ref().map(|error| error.under(error.name()));
            }
            _ => {}
        }
        Ok(())
    });
    debug_assert!(result.is_ok(), "the observer never fails");
    match failed {
        Some(error) => Err(error),
        None => Ok(verification.report().clone()),
    }
}

/// Returns the path with `-` replaced by `./-`, so that it refers to a file and not to standard input.
fn named(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("./-") } else { path }
}

/// Compares one file with one digest from another source.
///
/// ```
/// use truesum::{Conclusion, Options, expect};
/// use truesum::hash::{Digest, Spec};
///
/// let file = tempfile::NamedTempFile::new()?.into_temp_path();
/// std::fs::write(&file, "123456789")?;
/// let (spec, digest): (Spec, _) = ("crc32".parse()?, Digest::from_hex(b"cbf43926").expect("hexadecimal"));
/// let report = expect(&file, &spec, &digest, &Options::default(), |_| ());
/// assert_eq!(report.verdict(), Conclusion::Verified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn expect(
    file: impl AsRef<Path>,
    spec: &Spec,
    digest: &Digest,
    options: &Options,
    mut each: impl FnMut(&Outcome),
) -> Report {
    let progress = Progress::default();
    let mut verification = Verification::new(options, &progress);
    let result = verification.expect(named(file.as_ref()), (spec, digest), None, &mut |event| {
        if let Event::Entry(_, outcome) = event {
            each(outcome);
        }
        Ok(())
    });
    debug_assert!(result.is_ok(), "the observer never fails");
    verification.report().clone()
}
