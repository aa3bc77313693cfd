//! Checks whether the files of a manifest match its entries.

pub(crate) mod filter;
pub(super) mod relay;
pub(crate) mod tasks;

use crate::content_address::{ContentAddress, address, remove_members};
use crate::embedded_crc::{mark, spec};
use crate::error::{Cause, Error, Kind};
use crate::io::input::Input;
use crate::io::open::Root;
use crate::job::{Job, Outcome, Summary};
use crate::names::{Folders, NameMatch};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::task::{Notice, Sink, Task};
use crate::verify::containers::bag::is_of_payload;
use crate::verify::event::{Event, Manifest, Observer};
use crate::verify::foreign::manifest_reader;
use crate::verify::listed::ListedNames;
use crate::verify::manifest_digest::{CountedReader, ManifestDigest};
use crate::verify::missing::pieces::partition;
use crate::verify::missing::relocation;
use crate::verify::options::{Options, Unlisted};
use crate::verify::pieces::Pieced;
use crate::verify::report::{Checked, EntryReport, Required};
use crate::verify::rotation::Rotation;
use crate::verify::shared_reads::SharedReads;
use crate::verify::unexpected::folders::{Folder, KnownFiles};
use crate::walk::{Item, Options as WalkOptions, Walk};
use relay::Relay;
pub(crate) use relay::doubt;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub use tasks::{Entries, Facts};
use tasks::{count, weak_name};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest::path::display_safe;
use truesum_manifest::weak::{self, Strength};
use truesum_manifest::{ObjectKind, Omitted, Rules};

/// The check of entries.
pub(super) struct EntryCheck<'c> {
    pub(crate) options: &'c Options,
    pub(crate) progress: &'c Progress,
    pub(crate) files: &'c mut KnownFiles,
    pub(crate) required: &'c mut Required,
    pub(crate) report: &'c mut EntryReport,
    /// The files that several of the manifests list.
    pub(crate) shared: SharedReads,
}

impl EntryCheck<'_> {
    /// Returns the same check with other options.
    pub(super) fn with_options<'s>(&'s mut self, options: &'s Options) -> EntryCheck<'s> {
        let EntryCheck { progress, files, required, report, .. } = self;
        EntryCheck { options, progress, files, required, report, shared: SharedReads::default() }
    }

    /// Compares one file with one digest, and with the size of the data if it is known.
    pub(super) fn file(
        &mut self,
        file: &Path,
        (spec, digest): (&Spec, &Digest),
        size: Option<u64>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let expected = vec![digest.clone()];
        let job = Job { expected, size, ..Job::argument(file, &Arc::from([spec.clone()])) };
        let config = self.options.read.config(Root::Anywhere);
        let manifest = Manifest { name: file, root: &config.root };
        let mut checked = Checked { entries: 1, ..Checked::default() };
        if weak::verdict(spec) != Strength::TamperEvident {
            checked.not_tamper_evident.insert(spec.to_string(), 1);
        }
        let mut relay = self.relay(&manifest, on_event);
        let result = relay.run(&config, &mut std::iter::once(Task::File(job)));
        let counted = relay.counted();
        self.add(&mut checked, counted);
        result
    }

    /// Compares files with the digest in their names, a CRC-32 or the digest by which a store names its files: the given
    /// files, and those below the given folders. With `only_addresses`, only the latter count, and every other file is
    /// reported unless it belongs to the layout of the store.
    pub(super) fn embedded(
        &mut self,
        places: Vec<PathBuf>,
        only_addresses: bool,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let config = Config { own: self.files.own.clone(), ..self.options.read.config(Root::Anywhere) };
        let walk = WalkOptions { special: self.options.read.special, ..WalkOptions::default() };
        let walk = Walk::new(places, walk, self.options.read.threads);
        let (mut unmarked, mut marked, mut weak) = (0, 0, BTreeMap::new());
        let mut others = Vec::new();
        let mut tasks = walk.until(self.progress.stop_flag()).filter_map(|item| match item {
            Item::File(path, anchor) => {
                let name = path.as_os_str().as_bytes();
                let of_crc = |digest| ContentAddress { spec: spec(), digest, size: None };
                let marked_name = || mark(name).filter(|_| !only_addresses).map(of_crc);
                // The layout may begin above the given folder.
                let complete =
                    || std::path::absolute(&path).ok().and_then(|path| address(path.as_os_str().as_bytes()));
                let Some(found) = address(name).or_else(complete).or_else(marked_name) else {
                    unmarked += 1;
                    if only_addresses {
                        others.push(path);
                    }
                    return None;
                };
                marked += 1;
                let specs: Arc<[Spec]> = Arc::from([found.spec]);
                weak_name(&specs).into_iter().for_each(|name| count(&name, &mut weak));
                let job = Job::hash(path, &specs);
                Some(Task::File(Job { anchor, expected: vec![found.digest], size: found.size, ..job }))
            }
            Item::Failed(error) => Some(Task::Notice(Notice::Failed(error))),
            _ => None,
        });
        let manifest = Manifest { name: Path::new(""), root: &config.root };
        let mut relay = self.relay(&manifest, on_event);
        let result = relay.run(&config, &mut tasks);
        drop(tasks);
        let counted = relay.counted();
        let mut checked = Checked { entries: marked, not_tamper_evident: weak, ..Checked::default() };
        remove_members(&mut others);
        self.report.unmarked += unmarked;
        self.report.unaddressed += others.len() as u64;
        self.add(&mut checked, counted);
        result?;
        others.iter().try_for_each(|path| {
            let why = Cause::Other(
                "not checked, because it is not named by its digest in a supported layout".to_owned(),
            );
            on_event(Event::Doubtful(&Error::new(path.as_os_str().as_bytes(), "verify", why)))
        })
    }

    /// Adds an entry whose outcome is known, as the only one of a manifest.
    pub(super) fn single(
        &mut self,
        manifest: &Manifest<'_>,
        outcome: Outcome,
        checked: &mut Checked,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let mut relay = self.relay(manifest, on_event);
        let result = relay.outcome(outcome);
        let counted = relay.counted();
        checked.entries = 1;
        self.add(checked, counted);
        result
    }

    /// Opens a manifest and checks it.
    pub(super) fn named(
        &mut self,
        name: &Path,
        listed: &mut ListedNames,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        match self.files.open(name, self.progress) {
            Ok(file) => self.manifest(name, file, Some(listed), on_event),
            Err(error) => self.unread(&error, on_event),
        }
    }

    /// Checks a manifest that is already open. Its name determines its folder, and may imply its algorithm and format.
    /// If `listed` is given, the caller searches for files that are not in the manifest: the names in it are added to
    /// `listed`, and missing files are not searched for.
    pub(super) fn manifest(
        &mut self,
        name: &Path,
        reader: impl Read + Send,
        listed: Option<&mut ListedNames>,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let (options, progress, bytes) = (self.options, self.progress, name.as_os_str().as_bytes());
        let folder = options.read.folder(name);
        let digest = ManifestDigest::new(options.read.digest_manifests);
        let reader = CountedReader { reader, progress, digest: &digest };
        let opened = options.read.root_of(&folder).and_then(|root| {
            let reader = manifest_reader(reader, name, Some(bytes), &options.read)?;
            Ok((root, reader, Rotation::open(options, progress)?))
        });
        let (root, reader, rotation) = match opened {
            Ok(opened) => opened,
            Err(error) if error.kind() == Kind::Interrupted => {
                self.report.not_begun += 1;
                return Ok(());
            }
            Err(error) => return self.unread(&error, on_event),
        };
        let config = options.read.config(root);
        let manifest = Manifest { name, root: &config.root };
        let searches = rotation.is_none() && relocation::is_requested(options);
        let is_payload = listed.is_some() && is_of_payload(name);
        let needs_names = listed.is_none() && (searches || options.unlisted != Unlisted::Unrequested);
        let mut known = needs_names.then(|| self.files.take_folder(folder.clone()));
        let (names, mut missing, incomplete) = match &mut known {
            Some(Folder { listed, missing, incomplete, .. }) => {
                (Some(listed), Some(missing).filter(|_| searches), Some(incomplete).filter(|_| searches))
            }
            None => (listed, None, None),
        };
        let before = missing.as_ref().map_or(0, |missing| missing.len());
        let reading = options.manifest(bytes, progress);
        let failed = rotation.as_ref().map(Rotation::failed).unwrap_or_default();
        let entries = Entries::new(reader, reading, &config.root, 0, names).of_folder(&folder);
        let mut entries = entries.for_check(options, failed, is_payload);
        let mut checked = Checked::default();
        let shared = std::mem::take(&mut self.shared);
        let mut relay = Relay { missing: missing.as_deref_mut(), ..self.relay(&manifest, on_event) };
        let is_part = rotation.is_some();
        let (result, saved) = match rotation {
            Some(rotation) => rotation.run(&mut entries, &config, &mut relay, &mut checked),
            None => {
                let result = match shared.widening(&folder) {
                    Some(widen) => relay.run_with(&config, shared.links(), &mut entries.by_ref().map(widen)),
                    None => relay.run(&config, &mut entries),
                };
                (result, Ok(None))
            }
        };
        let pieced = if result.is_ok() { entries.take_pieced_picked() } else { Vec::new() };
        let pieced = with_accepted_spellings(pieced, &config.root, options, |name| entries.add_name(name));
        let (mut pieced, mut found_later) = (pieced, 0);
        if let Some(incomplete) = incomplete {
            let (complete, others) = partition(pieced, name, &config.root);
            found_later = others.iter().map(|sequence| sequence.files.len()).sum();
            incomplete.extend(others);
            pieced = complete;
        }
        let is_split = is_part && !pieced.is_empty();
        let result = if is_part { result } else { result.and_then(|()| relay.run_pieces(pieced, &config)) };
        let counted = relay.counted();
        self.shared = shared;
        checked.missing = (found_later + missing.map_or(0, |missing| missing.len() - before)) as u64;
        checked.format = entries.format();
        checked.unverified_signature = entries.signer().filter(|_| options.public_key.is_none());
        checked.digest = digest.digest();
        let doubts = [not_compared(bytes, entries.unread()), omitted(bytes, entries.omitted())];
        checked.omitted = entries.omitted().iter().map(|objects| objects.count()).sum();
        let rules = if options.read.ignore_rules { Rules::default() } else { entries.rules() };
        let facts = entries.facts();
        checked.entries = facts.jobs - checked.deferred;
        checked.left_out = facts.left_out;
        checked.counts.malformed = facts.unreported;
        if !is_part {
            checked.not_tamper_evident = facts.weak;
        }
        checked.guessed = facts.guessed;
        let failed = facts.failed.filter(|error| !Input::is_interruption(error));
        checked.failed = failed.map(|error| Error::io(bytes, "read", error));
        let mut doubt = None;
        if let Some(folder) = &mut known {
            doubt = folder.rules.add(bytes, &rules);
            let file = name.file_stem().unwrap_or_default();
            folder.has_sidecar |= folder.listed.contains(file.as_bytes());
        }
        checked.rules = if doubt.is_none() { rules.all().to_vec() } else { Vec::new() };
        self.files.folders.extend(known);
        self.add(&mut checked, counted);
        result?;
        match saved {
            // The state file itself is not expected to be in a manifest.
            Ok(state) => self.files.own.extend(state),
            Err(error) => self.unread(&error, on_event)?,
        }
        if is_split {
            let why =
                Cause::Other("the manifest has piece digests; check it in one run, or use --only".to_owned());
            self.unread(&Error::new(bytes, "check in parts", why), on_event)?;
        }
        doubts.iter().flatten().chain(&doubt).try_for_each(|doubt| on_event(Event::Doubtful(doubt)))?;
        on_event(Event::Checked(&manifest, &checked))
    }

    /// Reports a manifest that could not be read.
    pub(super) fn unread(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unread += 1;
        on_event(Event::Failed(error))
    }

    /// Reports a manifest or file without the required signature, which is not read.
    pub(super) fn unsigned(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unsigned += 1;
        on_event(Event::Failed(error))
    }

    fn relay<'r, 't>(
        &'r mut self,
        manifest: &'r Manifest<'r>,
        on_event: &'r mut Observer<'t>,
    ) -> Relay<'r, 't> {
        Relay {
            manifest,
            ignore_missing: self.options.ignore_missing,
            missing: None,
            required: self.required,
            progress: self.progress,
            on_event,
            counts: Summary::default(),
            ignored: 0,
        }
    }

    /// Adds the result for one manifest to the report.
    fn add(&mut self, checked: &mut Checked, (counts, ignored): (Summary, u64)) {
        checked.counts += counts;
        checked.ignored += ignored;
        self.report.add(checked);
    }
}

/// Returns the files with piece digests; one that does not exist is opened under the accepted spelling of its name that
/// does, which is passed on. A file that may be renamed is instead searched for later.
fn with_accepted_spellings(
    files: Vec<Pieced>,
    root: &Root,
    options: &Options,
    mut on_found: impl FnMut(&[u8]),
) -> Vec<Pieced> {
    let mut folders = Folders::new(root, options.spellings);
    let respell = |mut file: Pieced| {
        let name = file.job.path();
        if options.spellings.any()
            && options.renaming.is_none()
            && !root.exists(OsStr::from_bytes(name))
            && let NameMatch::One { found, .. } = folders.find(name)
        {
            on_found(&found);
            file.job.open = Some(found);
        }
        file
    };
    files.into_iter().map(respell).collect()
}

/// Returns the doubt about a manifest that also has digests of unknown algorithms, which are not compared.
fn not_compared(manifest: &[u8], unknown: &[(String, u64)]) -> Option<Error> {
    let names: Vec<String> = unknown.iter().map(|(name, _)| shown(name)).collect();
    let names = names.join(", ");
    let why = match unknown.iter().map(|(_, digests)| digests).sum() {
        0 => return None,
        1 => format!("1 digest of an unknown algorithm ({names}) was not checked"),
        digests => format!("{digests} digests of unknown algorithms ({names}) were not checked"),
    };
    Some(Error::new(manifest, "verify", Cause::Other(why)))
}

/// Returns the doubt about a manifest with objects that are not regular files, which are not compared.
pub(crate) fn omitted(manifest: &[u8], objects: &[Omitted]) -> Option<Error> {
    let all: Vec<String> = objects.iter().map(Omitted::to_string).collect();
    let was = if objects.iter().map(|objects| objects.count()).sum::<u64>() == 1 { "was" } else { "were" };
    let are_members = objects.iter().all(|objects| objects.kind() == ObjectKind::Member);
    let because = if are_members { "archives are not unpacked" } else { "only regular files have digests" };
    let why = format!("{} {was} not verified, because {because}", all.join(" and "));
    (!all.is_empty()).then(|| Error::new(manifest, "verify", Cause::Other(why)))
}

/// Returns a name in a manifest in the form for messages.
fn shown(name: &str) -> String {
    const MOST: usize = 64;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", display_safe(&name.as_bytes()[..end])),
        None => display_safe(name.as_bytes()).to_string(),
    }
}
