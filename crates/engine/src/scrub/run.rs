//! The steps of a run.

use crate::error::{Cause, Error, StateFault};
use crate::io::mapping::Mapping;
use crate::io::open::Root;
use crate::job::{Job, Summary};
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::{Order, ReadMode};
use crate::run::run;
use crate::scrub::collection::{self, Collection};
use crate::scrub::coverage::coverage;
use crate::scrub::folder_manifests;
use crate::scrub::history::{EarlierRuns, Run};
use crate::scrub::inventory::{Due, FIRST_DUE, FIRST_REPAIRED, Inventory, Shared, nothing_found};
use crate::scrub::limits::Limits;
use crate::scrub::plan::Schedule;
use crate::scrub::policy::Policy;
use crate::scrub::recorder::{Difference, Recorder};
use crate::scrub::repair::{Copies, Repairs};
use crate::scrub::report::{Event, Observer, Report, Treatment};
use crate::scrub::store::{Head, State};
use crate::task::Task;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use truesum_fs::name::{OsStrExt, entry_name};
use truesum_fs::{clock, machine};
use truesum_hash::Spec;
use truesum_manifest::Rule;
use truesum_manifest::path::display_safe;

/// The interval at which the run tests whether results must be written, even while a large file is
/// read.
const TICK: Duration = Duration::from_secs(1);

options! {
    /// The options of a run.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// The tree.
        root: PathBuf,
        /// The state file.
        state: PathBuf,
        /// The algorithms of a new state. An existing state must have the same, unless this is empty.
        algorithms: Vec<Spec>,
        /// The number of days within which every file is read.
        within: u64,
        /// Whether every file is due. Only `max_bytes` and `max_time` limit how much is read then.
        all: bool,
        /// The maximum number of bytes to read, except for the first file.
        max_bytes: Option<u64>,
        /// The time after which no further file is started.
        max_time: Option<Duration>,
        /// The accepted differences.
        policy: Policy,
        /// Whether the state is left as it is.
        dry_run: bool,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// How files are read.
        reads: ReadMode,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// Files that are not part of the tree although they are in it, such as the state file.
        excluded: Vec<PathBuf>,
        /// The rules that select the files of the tree, in the order include, exclude. An existing state must have the
        /// same, unless this is `None` or `set_rules` is set.
        rules: Option<Vec<Rule>>,
        /// Whether `rules`, or no rules, replace those of the state.
        set_rules: bool,
        /// The version of the program, for the history.
        version: String,
        /// Whether the files are those that the manifests and bags below `root` list, instead of all of them. There are
        /// no `algorithms` and `rules` then.
        collection: bool,
        /// The folder that contains intact copies of files, with which corrupt files are replaced.
        repair_from: Option<PathBuf>,
        /// The name of a manifest that is kept up to date in every folder.
        folder_manifests: Option<Vec<u8>>,
    }
}

impl Options {
    /// Opens the tree, or the folder of the collection, in which manifests may list symbolic links to files in it.
    fn open_root(&self) -> Result<Root, Error> {
        if self.collection { Root::folder(&self.root, false) } else { tree(&self.root) }
    }
}

/// A run of `scrub`.
pub struct Scrub<'a> {
    options: &'a Options,
    progress: &'a Progress,
    report: Report,
}

/// An open state, the run in progress and its schedule.
struct Session {
    state: State,
    this: Run,
    schedule: Schedule,
    earlier: EarlierRuns,
    /// Whether the state has no entries.
    is_first: bool,
}

impl<'a> Scrub<'a> {
    /// Returns a run that has not started yet. [`Progress::stop`] ends it early.
    pub fn new(options: &'a Options, progress: &'a Progress) -> Scrub<'a> {
        Scrub { options, progress, report: Report::default() }
    }

    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Examines the tree, reads what is due and updates the state.
    ///
    /// # Errors
    /// Fails if the tree cannot be opened, if the state cannot be read or written, is damaged, belongs to another tree or
    /// is used by another run, or with the error of `on_event`. The results up to then are in the state.
    pub fn run(&mut self, on_event: &mut Observer<'_>) -> Result<(), Error> {
        let root = self.options.open_root()?;
        let copies = self.options.repair_from.as_deref();
        let copies = copies.map(|path| Copies::open(path, &self.options.root)).transpose()?;
        let mut session = self.open()?;
        session.state.record(&session.this)?;
        let ended = self.steps(&root, copies.as_ref(), &mut session, on_event);
        let ended = ended.and_then(|()| self.write_manifests(&root, &mut session, on_event));
        let Session { state, this, schedule, is_first, .. } = &mut session;
        let ended = ended.and_then(|()| {
            let last = this.day;
            self.report.coverage = Some(coverage(state, clock::now(), schedule.within, last)?);
            Ok(())
        });
        this.end = Some(clock::now());
        (this.files, this.bytes, this.failures) =
            (self.report.read, self.report.bytes, self.report.failures());
        this.exit = if ended.is_ok() { self.report.exit_status() } else { 2 };
        if ended.is_err() && *is_first && self.report.recorded == 0 && !self.options.dry_run {
            // The state has no entries, and the next run must not mistake the tree for an empty
            // one.
            let _ = std::fs::remove_file(state.path());
            return ended;
        }
        // Earlier findings are kept even if the run was not completed.
        let saved = state.record(this).and_then(|()| state.finish());
        ended.and(saved)
    }

    /// Writes the manifests of all folders, if they are requested.
    fn write_manifests(
        &mut self,
        root: &Root,
        session: &mut Session,
        on_event: &mut Observer<'_>,
    ) -> Result<(), Error> {
        if let Some(name) = &self.options.folder_manifests
            && !self.options.dry_run
            && !self.report.interrupted
        {
            let Session { state, this, .. } = session;
            self.report.failed +=
                folder_manifests::write((&self.options.root, root, name), state, this, on_event)?;
        }
        Ok(())
    }

    /// Opens or creates the state, and begins the next run in its history.
    fn open(&mut self) -> Result<Session, Error> {
        let Options { root, state: path, within, .. } = self.options;
        let rules = self.options.rules.clone().unwrap_or_default();
        let head = Head { rules, ..head(root, &self.options.algorithms)? };
        let is_collection = self.options.collection;
        let specs = if is_collection { Arc::from([]) } else { head.specs.clone() };
        let head = Head { specs, ..head };
        head.selection(path)?;
        if path.is_symlink() {
            let why = "it is a symbolic link and would be replaced; specify the file itself";
            let cause = Cause::State(StateFault::Unsuitable, why.to_owned());
            return Err(Error::new(path.as_os_str().as_bytes(), "use", cause));
        }
        let mut state = match self.options.dry_run {
            true => State::read(path)?.unwrap_or_else(|| State::new(path, head.clone())),
            false => State::write(path, || Ok(head.clone()))?,
        };
        fits(&state, &head, root, &self.options.algorithms)?;
        is_of_kind(&state, is_collection)?;
        self.use_rules(&mut state)?;
        let before = state.runs.last().cloned().unwrap_or_default();
        let this = before.next(clock::now(), *within);
        let promised = (!self.options.all).then_some(*within);
        let (host, version) = (machine::host(), self.options.version.clone());
        let this = Run { host, version, within: promised, ..this };
        let gap = this.day - before.day;
        let earlier = EarlierRuns::of(&state.runs);
        let is_first = state.scan().next().is_none();
        self.report.created = before.number == 0;
        let schedule = Schedule { today: this.day, gap, within: *within };
        Ok(Session { state, this, schedule, earlier, is_first })
    }

    /// Replaces the rules of a state if that was requested.
    fn use_rules(&mut self, state: &mut State) -> Result<(), Error> {
        let requested = &self.options.rules;
        if self.options.set_rules {
            let rules = requested.clone().unwrap_or_default();
            if rules != state.head.rules {
                self.report.excluded = state.set_rules(rules)?;
            }
            return Ok(());
        }
        if requested.as_ref().is_some_and(|rules| *rules != state.head.rules) {
            let rules: Vec<String> =
                state.head.rules.iter().map(|rule| display_safe(rule.to_string().as_bytes())).collect();
            let why = match rules.is_empty() {
                true => "no rules are stored".to_owned(),
                false => format!("the stored rules are: {}", rules.join(", ")),
            };
            let name = state.path().as_os_str().as_bytes();
            return Err(Error::new(name, "use other rules", Cause::State(StateFault::OtherRules, why)));
        }
        Ok(())
    }

    /// Carries out the steps of a run ([`crate::scrub`]).
    fn steps(
        &mut self,
        root: &Root,
        copies: Option<&Copies<'_>>,
        session: &mut Session,
        on_event: &mut Observer<'_>,
    ) -> Result<(), Error> {
        let Options { root: path, max_bytes, max_time, policy, .. } = self.options;
        let (shared, limits) = (Shared::default(), Limits::new(*max_bytes, *max_time));
        let excluded = self.options.excluded.iter().map(PathBuf::as_path);
        let Session { state, this, schedule, earlier, is_first } = session;
        let own = excluded.chain([state.path()]).filter_map(|file| own_name(path, file)).collect();
        let mut collection = None;
        if state.head.is_collection() {
            let run = (policy, &*this);
            collection = Some(collection::read(path, state, run, self.options.threads, self.progress)?);
            if self.progress.stopped() {
                self.report.interrupted = true;
                return Ok(());
            }
        }
        let (collection, sorted) = collection.unzip();
        let has_manifests = collection.as_ref().is_some_and(Collection::has_manifests);
        let what = if collection.is_some() { "manifest" } else { "file" };
        if let Some(collection) = &collection {
            self.report.skipped = collection.skipped;
            self.report.skipped_file = collection.skipped_file.clone();
        }
        let mut recorder = Recorder {
            state,
            shared: shared.clone(),
            report: &mut self.report,
            policy,
            collection,
            on_event,
            today: this.day,
            earlier: *earlier,
            is_paired: false,
            has_accepted: false,
            refused: Vec::new(),
            rejected: Vec::new(),
            reported: Default::default(),
            absent: Default::default(),
            waiting: Vec::new(),
            failure: None,
        };
        if let Some(sorted) = sorted {
            let result = recorder.sync(root, sorted);
            recorder.ended(path, result)?;
        }
        // This comes after the entries of a collection have been recorded.
        let mut inventory = Inventory::new(
            (path, root),
            self.options.threads,
            recorder.state,
            own,
            &shared,
            &limits,
            self.progress,
        )?;
        let reader = Reader { options: self.options, progress: self.progress, limits: &limits };
        reader.read(&mut inventory, &mut recorder)?;
        drop(inventory);
        if self.progress.stopped() {
            recorder.report.interrupted = true;
            return Ok(());
        }
        {
            let found = shared.get();
            (recorder.report.files, recorder.report.deferred) = (found.files, found.deferred);
            if found.files == 0 && found.errors.is_empty() && !has_manifests {
                return Err(nothing_found(path.as_os_str().as_bytes(), what));
            }
        }
        let result = recorder.report_manifests().and_then(|()| recorder.pair(root, *is_first));
        recorder.ended(path, result)?;
        this.paired = recorder.is_paired;
        recorder.state.record(this)?;
        let classes = shared.get().classes.clone();
        let is_all = self.options.all;
        limits.set_share(if is_all { u64::MAX } else { classes.share(*schedule) });
        // One class after the other, so that the oldest files are read first, unless all of them are read.
        let passes = match is_all && !limits.is_hard() {
            true => vec![classes.days()],
            false => classes.days().into_iter().map(|day| vec![day]).collect(),
        };
        for days in passes {
            let (scan, shared) = (recorder.state.scan(), shared.clone());
            let mut due = Due { scan, days, shared, limits: &limits, root, next: FIRST_DUE };
            reader.read(&mut due, &mut recorder)?;
            recorder.report.interrupted |= self.progress.stopped();
            if recorder.report.interrupted || limits.is_spent() {
                break;
            }
        }
        if let Some(copies) = copies.filter(|_| !recorder.report.interrupted) {
            let (scan, shared, progress) = (recorder.state.scan(), shared.clone(), self.progress);
            let next = FIRST_REPAIRED;
            let mut repairs = Repairs { scan, copies, tree: root, path, shared, progress, next };
            // Each file is read again before the next one is replaced, so that an interrupted run has reported all files
            // that it replaced.
            while let Some(repaired) = repairs.next() {
                reader.read(&mut std::iter::once(repaired), &mut recorder)?;
                repairs.report_unread();
            }
            recorder.report.interrupted |= self.progress.stopped();
            let result = recorder.report_unrepaired();
            recorder.ended(path, result)?;
        }
        let result = match recorder.report.interrupted {
            true => Ok(()),
            false => recorder.finish_manifests(),
        };
        recorder.ended(path, result)?;
        let result = recorder.remind();
        recorder.ended(path, result)
    }
}

/// Opens a tree. Names in it do not lead through links, because the walk does not follow them.
pub(crate) fn tree(path: &Path) -> Result<Root, Error> {
    Ok(match Root::folder(path, false)? {
        Root::Beneath(folder) => Root::Within(folder),
        root => root,
    })
}

/// Returns the properties of a new state of this tree.
pub(crate) fn head(root: &Path, algorithms: &[Spec]) -> Result<Head, Error> {
    let name = root.as_os_str().as_bytes();
    let path = root.canonicalize().map_err(|error| Error::io(name, "open", error))?;
    let default = || vec!["sha256".parse().expect("a row of the table of algorithms")];
    let specs = if algorithms.is_empty() { default() } else { algorithms.to_vec() };
    if let Some(spec) = specs.iter().find(|spec| spec.counts_parts() || spec.is_keyed()) {
        let why = format!("a state file cannot store {spec} digests");
        return Err(Error::new(name, "scrub", Cause::Other(why)));
    }
    let root = entry_name(path);
    Ok(Head { root, specs: specs.into(), created: clock::now(), is_partial: false, rules: Vec::new() })
}

/// Tests whether a state is one of a collection, or one of a tree.
fn is_of_kind(state: &State, is_collection: bool) -> Result<(), Error> {
    let name = state.path().as_os_str().as_bytes();
    let (action, fault, why) = match (state.head.is_collection(), is_collection) {
        (true, false) => {
            let why = "it is the state file of a collection of manifests";
            ("use for all files", StateFault::OfCollection, why)
        }
        (false, true) => {
            ("use for manifests", StateFault::OfTree, "it is the state file of all files of a folder")
        }
        _ => return Ok(()),
    };
    Err(Error::new(name, action, Cause::State(fault, why.to_owned())))
}

/// Tests whether a state belongs to a tree. A state in the tree itself does, even after the tree was moved, because its
/// names are relative.
pub(crate) fn fits(state: &State, head: &Head, root: &Path, algorithms: &[Spec]) -> Result<(), Error> {
    let name = state.path().as_os_str().as_bytes();
    let refuse = |why: String| Err(Error::new(name, "use", Cause::State(StateFault::Unsuitable, why)));
    let is_inside = own_name(root, state.path()).is_some();
    if state.head.root != head.root && !is_inside {
        let other = display_safe(&state.head.root);
        return refuse(format!("it is the state file of another folder, {other}"));
    }
    if !algorithms.is_empty() && state.head.specs[..] != *algorithms {
        let specs: Vec<String> = state.head.specs.iter().map(Spec::to_string).collect();
        return refuse(format!("its algorithms ({}) cannot be changed", specs.join(",")));
    }
    Ok(())
}

/// Returns the name of a file below the root, if it is there.
fn own_name(root: &Path, file: &Path) -> Option<Vec<u8>> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let path = folder.canonicalize().ok()?.join(file.file_name()?);
    let below = path.strip_prefix(root.canonicalize().ok()?).ok()?;
    Some(entry_name(below.to_owned()))
}

/// Reads files within the limits.
struct Reader<'r> {
    options: &'r Options,
    progress: &'r Progress,
    limits: &'r Limits,
}

impl Reader<'_> {
    /// Reads the files of `jobs`, in batches if the time is limited.
    fn read(
        &self,
        jobs: &mut (dyn Iterator<Item = (Job, u64)> + Send),
        recorder: &mut Recorder<'_, '_>,
    ) -> Result<(), Error> {
        let root = self.options.open_root()?;
        // A result must not wait for that of a large file before it.
        let config = Config::default()
            .root(root)
            .threads(self.options.threads)
            .reads(self.options.reads)
            .mapping(self.options.mapping)
            .order(Order::AsReady)
            .interval(Some(TICK));
        let mut batch = Batch { jobs, left: (0, 0), is_ended: false };
        while !batch.is_ended && !self.progress.stopped() {
            batch.left = self.limits.batch((recorder.report.read, recorder.report.bytes));
            let result = run(&config, &mut batch, self.progress, recorder);
            let summary = result.as_ref().map_or_else(|_| Summary::default(), Clone::clone);
            recorder.report.read += summary.files();
            recorder.report.bytes += summary.bytes();
            recorder.ended(&self.options.root, result.map(drop))?;
        }
        match recorder.shared.get().damage.take() {
            Some(damage) => Err(damage),
            None => Ok(()),
        }
    }
}

/// The next jobs of a pass: this number of files, and at most one file more than this number of bytes.
struct Batch<'j> {
    jobs: &'j mut (dyn Iterator<Item = (Job, u64)> + Send),
    left: (u64, u64),
    is_ended: bool,
}

impl Iterator for Batch<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        if self.is_ended || self.left.0 == 0 || self.left.1 == 0 {
            return None;
        }
        let Some((job, size)) = self.jobs.next() else {
            self.is_ended = true;
            return None;
        };
        self.left = (self.left.0 - 1, self.left.1.saturating_sub(size));
        Some(Task::File(job))
    }
}

impl Recorder<'_, '_> {
    /// Ends a step: writes its results and reports them. Returns the error of the state if there is one, or that of the
    /// receiver of events.
    fn ended(&mut self, root: &Path, result: io::Result<()>) -> Result<(), Error> {
        let released = self.release();
        match (self.failure.take(), result.and(released)) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(Error::io(root.as_os_str().as_bytes(), "report", error)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// Reports why corrupt files could not be repaired.
    fn report_unrepaired(&mut self) -> io::Result<()> {
        let errors = std::mem::take(&mut self.shared.get().unrepaired);
        errors.iter().try_for_each(|error| (self.on_event)(Event::Failed(error)))
    }

    /// Reports failures of earlier runs that have not been reported in this one.
    fn remind(&mut self) -> io::Result<()> {
        // Failures of this run have been reported. A run that was interrupted may not have reached those of earlier ones.
        if !self.shared.get().has_failures && !self.report.interrupted {
            return Ok(());
        }
        let reported = std::mem::take(&mut self.reported);
        for entry in self.state.scan() {
            let (name, record) = entry.map_err(|error| self.fail(error))?;
            if record.is_failure() && !reported.contains(&name) {
                let difference = Difference::new(&name, record.status, Treatment::StillFailed);
                self.report_difference(&Difference { before: Some(&record), ..difference })?;
            }
        }
        Ok(())
    }
}
