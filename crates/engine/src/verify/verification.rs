//! Checks one or more manifests: the aspects of a check, in order. Each has its own module and
//! fills its own part of the report.

use crate::progress::Progress;
use crate::verify::containers::Containers;
use crate::verify::discovery::Discovery;
use crate::verify::entries::EntryCheck;
use crate::verify::event::{Event, Observer};
use crate::verify::missing::MissingSearch;
use crate::verify::options::Options;
use crate::verify::report::Report;
use crate::verify::shared_reads::SharedReads;
use crate::verify::unexpected::UnexpectedSearch;
use crate::verify::unexpected::folders::KnownFiles;
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};

/// A check in progress.
pub struct Verification<'a> {
    options: &'a Options,
    progress: &'a Progress,
    report: Report,
    files: KnownFiles,
}

impl<'a> Verification<'a> {
    /// Returns a check that has not started yet. [`Progress::stop`] ends it early.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Verification<'a> {
        let files = KnownFiles { own: options.read.own.clone(), ..KnownFiles::default() };
        Verification { options, progress, report: Report::new(options), files }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Checks manifests in order, then searches for files that are not in them, if requested. `-` is standard input. A
    /// folder that is a bag is checked with all its manifests and for completeness, an OCFL object with its inventories and
    /// for completeness, and a folder with the history of an ASC media hash list with all lists of the history.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with manifests and files are reported and counted.
    pub fn manifests(&mut self, names: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        let Verification { options, progress, report, files } = self;
        let Report { entries, bags, missing, unexpected, required, .. } = report;
        let shared = SharedReads::default();
        let entries = EntryCheck { options, progress, files, required, report: entries, shared };
        Containers { entries, bags }.run(names, on_event)?;
        MissingSearch { options, progress, files, required, report: missing }.run(on_event)?;
        UnexpectedSearch { options, progress, files, report: unexpected }.run(on_event)?;
        self.end(on_event)
    }

    /// Checks all manifests below folders: files whose names contain an algorithm (`SHA256SUMS`,
    /// `x.iso.sha256`) or have an extension that only manifests have (`.sfv`), and JSON Lines files
    /// written by truesum. A path that is not a folder is a manifest itself. A folder with a bag
    /// declaration is checked as a bag. Torrents and other formats that may describe files
    /// elsewhere, compressed JSON Lines, and other JSON Lines are only counted ([`Event::NotUsed`]).
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with manifests and files are reported and counted.
    pub fn below(&mut self, places: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        let Verification { options, progress, report, .. } = self;
        let discovery = Discovery { options, progress, report: &mut report.discovery };
        let manifests = discovery.run(paths(places), on_event)?;
        self.files.are_below_folders = true;
        self.manifests(&manifests, on_event)
    }

    /// Verifies files with their digest in their names: a CRC-32 (`name [CBF43926].mkv`), or the digest by which a store
    /// names its files ([`content_address`](crate::content_address)). Verifies the given files, and those below the given
    /// folders. Others are counted in [`Report::unmarked`].
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with files are reported and counted.
    pub fn embedded(&mut self, places: &[impl AsRef<Path>], on_event: &mut Observer<'_>) -> io::Result<()> {
        self.entries().embedded(paths(places), false, on_event)?;
        self.end(on_event)
    }

    /// Verifies files that a store names by their digest ([`content_address`](crate::content_address)): the given files,
    /// and those below the given folders. Every other file is reported ([`Event::Doubtful`]), and the verdict is not
    /// positive if there is one.
    ///
    /// # Errors
    /// Returns the error of `on_event`. Problems with files are reported and counted.
    pub fn content_addressed(
        &mut self,
        places: &[impl AsRef<Path>],
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        self.entries().embedded(paths(places), true, on_event)?;
        self.end(on_event)
    }

    /// Compares one file with one digest, and with the size of the data if it is known.
    ///
    /// # Errors
    /// Returns the error of `on_event`.
    pub fn expect(
        &mut self,
        file: &Path,
        (spec, digest): (&Spec, &Digest),
        size: Option<u64>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        self.entries().file(file, (spec, digest), size, on_event)?;
        self.end(on_event)
    }

    fn entries(&mut self) -> EntryCheck<'_> {
        let Verification { options, progress, report, files } = self;
        let Report { entries, required, .. } = report;
        EntryCheck { options, progress, files, required, report: entries, shared: SharedReads::default() }
    }

    /// Reports required and requested names that were not verified.
    fn end(&mut self, on_event: &mut Observer<'_>) -> io::Result<()> {
        if self.progress.stopped() {
            self.report.interrupted = true;
            return Ok(());
        }
        let select = &self.options.read.select;
        // The entries of a manifest that could not be read, or was not read without a valid signature, are unknown.
        let is_unknown = self.report.unread() + self.report.unsigned() > 0;
        let mut unmatched = select.unmatched();
        let required = &mut self.report.required.0;
        if is_unknown {
            let is_requested = |name: &PathBuf| unmatched.iter().any(|one| Path::new(one.name()) == *name);
            required.retain(|name| !is_requested(name));
            unmatched.clear();
        }
        self.report.unmatched = unmatched.len() as u64;
        // Nothing is wrong with the file of an entry that the selection excludes.
        required.retain(|name| !select.excludes(name.as_os_str().as_bytes()));
        unmatched.iter().try_for_each(|name| on_event(Event::Unmatched(name)))?;
        required.iter().try_for_each(|name| on_event(Event::NotVerified(name)))
    }
}

fn paths(places: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    places.iter().map(|place| place.as_ref().to_owned()).collect()
}
