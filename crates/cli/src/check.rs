//! `truesum check`: manifests in, verdicts out. "Verified" is said of an entry that was read whole and is equal, and the
//! exit status is 0 only if that holds for every entry and there was one.

pub mod arguments;
mod locate;
mod plan;
mod report;
mod reporting;
mod total;

use crate::console::Console;
use crate::drawing::page;
use crate::exit::Exit;
use crate::output::{self, Output, cannot_write};
use crate::progress::Outlook;
use crate::signals::Signals;
use crate::standard::Input;
use crate::values::path::folder_of;
use crate::watch::Watch;
use crate::words::{count, grouped, size};
use arguments::CheckArgs;
use locate::Locate;
use plan::{Checking, Expected, plan};
use report::{Detail, Form};
use reporting::Reporting;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use total::{Total, add};
use truesum::check::{Entries, Listed, Scope, unlisted};
use truesum::hash::Spec;
use truesum::manifest;
use truesum::manifest::path::display_safe;
use truesum::{Config, Error, Progress, Root, Summary};

/// Files not listed that are named.
const NAMED_FILES: u64 = 10;
/// A search for files not listed that nobody asked for ends after this many files, or some times what is listed.
const SEARCH: u64 = 100_000;

/// Runs the command.
pub fn run(args: CheckArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(refusal) => return console.refuse(&refusal),
    };
    let read = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let outlook = Outlook { size: None, list: Some(read.clone()) };
    let trees = plan.locate.as_ref().and_then(|locate| locate.trees.as_ref());
    let trees = trees.map(|folder| Root::folder(folder.as_os_str().as_bytes(), plan.allow_outside));
    let trees = match trees.transpose() {
        Ok(trees) => trees,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsAsked;
        }
    };
    let watch = Watch::start(plan.tell.line, outlook, &mut console);
    let output = Output::stdout();
    let mut check = Check {
        plan: &plan,
        console,
        output,
        progress: watch.progress.clone(),
        read,
        total: Total::default(),
        roots: Vec::new(),
        trees,
        began: Instant::now(),
    };
    let result = check.run();
    check.end(result, &watch.signals)
}

/// An open manifest.
type Manifest = Box<dyn Read + Send>;

/// A manifest whose reading shows how far the check is.
struct Counted {
    file: File,
    read: Arc<(AtomicU64, AtomicU64)>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.1.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

/// A check of all manifests.
struct Check<'a> {
    plan: &'a Checking,
    console: Console,
    output: Output,
    progress: Arc<Progress>,
    /// Bytes of all manifests opened so far, and bytes read of them.
    read: Arc<(AtomicU64, AtomicU64)>,
    total: Total,
    roots: Vec<Folder>,
    /// Where stored trees are, if not beside the files.
    trees: Option<Root>,
    began: Instant,
}

/// A folder that manifests speak of.
struct Folder {
    id: (u64, u64),
    path: Vec<u8>,
    listed: Listed,
}

impl Check<'_> {
    fn run(&mut self) -> io::Result<()> {
        if let Some((expected, file)) = &self.plan.expect {
            return self.expect(expected, file);
        }
        let mut own = self.output.own();
        for (origin, path) in self.plan.manifests.iter().enumerate() {
            if self.progress.stopped() {
                return Ok(());
            }
            let manifest = match self.open(path) {
                Ok((manifest, id)) => {
                    own.extend(id);
                    manifest
                }
                Err(error) => {
                    self.unreadable(&error);
                    continue;
                }
            };
            self.manifest(origin, path, manifest)?;
        }
        if !self.progress.stopped() { self.find_unlisted(&own) } else { Ok(()) }
    }

    /// Opens a manifest, and tells its identity if it is a file.
    fn open(&self, path: &[u8]) -> Result<(Manifest, Option<(u64, u64)>), Error> {
        if path == b"-" {
            return Ok((Box::new(Input), None));
        }
        let fail = |error| Error::io(path, "read", error);
        let name = Path::new(std::ffi::OsStr::from_bytes(path));
        let file = File::open(name).map_err(|error| Error::io(path, "open", error))?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(Error::new(path, "read", truesum::Cause::Other("it is a directory".to_owned())));
        }
        self.read.0.fetch_add(metadata.len(), Relaxed);
        let counted = Counted { file, read: self.read.clone() };
        Ok((Box::new(counted), Some((metadata.dev(), metadata.ino()))))
    }

    fn unreadable(&mut self, error: &Error) {
        self.total.useless += 1;
        self.console.failure(error);
    }

    /// Checks one manifest.
    fn manifest(&mut self, origin: usize, path: &[u8], manifest: Manifest) -> io::Result<()> {
        let plan = self.plan;
        let folder = match &plan.root {
            Some(root) => root.as_os_str().as_bytes().to_vec(),
            None if path == b"-" => b".".to_vec(),
            None => {
                let folder = folder_of(Path::new(std::ffi::OsStr::from_bytes(path)));
                folder.into_os_string().into_encoded_bytes()
            }
        };
        let root = match Root::folder(&folder, plan.allow_outside) {
            Ok(root) => root,
            Err(error) => {
                self.unreadable(&error);
                return Ok(());
            }
        };
        let at = self.folder(folder);
        let options = manifest::Options {
            asked: plan.algorithms.clone(),
            format: plan.format,
            allow_weak: plan.allow_weak,
            ..if path == b"-" { manifest::Options::default() } else { manifest::Options::for_name(path) }
        };
        let listed = plan.search.then(|| &mut self.roots[at].listed);
        let config = Config {
            root,
            special: plan.special,
            threads: plan.tell.threads,
            order: plan.order,
            own: Vec::new(),
        };
        let mut entries = Entries::new(manifest, options, &config.root, origin, listed);
        let locate = Locate::new(&config, self.trees.as_ref(), &self.progress);
        let Check { console, output, total, .. } = self;
        let mut sink = Reporting::new(plan, path, console, output, total, locate);
        let summary = truesum::run(&config, &mut entries, &self.progress, &mut sink)?;
        let Reporting { ignored, named_lines, missing, .. } = sink;
        let facts = entries.facts();
        if facts.malformed > named_lines && plan.form != Form::Json && plan.detail() != Detail::None {
            let more = count(facts.malformed - named_lines, "more malformed line", "more malformed lines");
            self.console.error_of(path, &format!("{more} (--warn names all)"));
        }
        let had_entries = facts.jobs > 0;
        let guessed = facts.guessed;
        self.total.malformed += facts.malformed;
        self.total.ignored += ignored;
        for (name, entries) in facts.weak {
            *self.total.weak.entry(name).or_default() += entries;
        }
        if let Some(error) = facts.failed {
            self.unreadable(&Error::io(path, "read", error));
        } else if !summary.interrupted && summary.verified == 0 && summary.failed() == ignored {
            self.total.useless += 1;
            self.nothing_verified(path, had_entries, ignored);
        }
        if summary.verified == 0 && plan.detail() != Detail::None {
            self.advise(&summary, &missing, guessed);
        }
        add(&mut self.total.summary, &summary);
        Ok(())
    }

    /// Where the names of a folder are remembered.
    fn folder(&mut self, path: Vec<u8>) -> usize {
        let id = std::fs::metadata(Path::new(std::ffi::OsStr::from_bytes(&path)))
            .map_or((0, 0), |metadata| (metadata.dev(), metadata.ino()));
        if let Some(at) = self.roots.iter().position(|folder| folder.id == id) {
            return at;
        }
        self.roots.push(Folder { id, path, listed: Listed::default() });
        self.roots.len() - 1
    }

    fn nothing_verified(&mut self, path: &[u8], had_entries: bool, ignored: u64) {
        let why = match (had_entries, ignored) {
            (false, _) => "it has no entries",
            (true, 0) => "the run ended before",
            (true, _) => "none of the listed files is there",
        };
        self.console.error_of(path, &format!("nothing verified: {why}"));
        let hint =
            if had_entries { "--root DIR looks for the files elsewhere" } else { "is this a manifest?" };
        self.console.hint(hint);
    }

    /// What may be the reason when nothing at all was verified.
    fn advise(&mut self, summary: &Summary, missing: &[Vec<u8>], guessed: Option<Spec>) {
        if summary.missing > 0
            && self.plan.root.is_none()
            && summary.mismatched == 0
            && let Ok(here) = Root::folder(b".", false)
            && missing.iter().any(|name| here.exists(name))
        {
            self.console.hint("the names stand under the current folder: --root . looks for them there");
        }
        if summary.mismatched > 0
            && let Some(guessed) = guessed
        {
            let other = |name: &&str| *name != guessed.algorithm().name;
            let names: Vec<&str> =
                manifest::same_length(guessed.digest_len()).into_iter().filter(other).collect();
            if let Some(first) = names.iter().find(|name| **name == "blake3").or_else(|| names.first()) {
                let digits = guessed.digest_len() * 2;
                let all = names.join(", ");
                self.console.hint(&format!(
                    "no line names an algorithm, and {digits} digits were taken for {guessed}: \
                     if this is {first}, say -a {first} (others of this length: {all})"
                ));
            }
        }
    }

    /// Looks for files that no manifest lists, and tells of them.
    fn find_unlisted(&mut self, own: &[(u64, u64)]) -> io::Result<()> {
        if !self.plan.search {
            return Ok(());
        }
        for mut folder in std::mem::take(&mut self.roots) {
            // Nothing is said of a folder of which a manifest says nothing.
            if folder.listed.is_empty() && !self.plan.exact {
                continue;
            }
            let limit = if self.plan.exact { u64::MAX } else { SEARCH.max(folder.listed.len() as u64 * 4) };
            let scope = if self.plan.exact { Scope::Whole } else { Scope::Around };
            let mut names: Vec<Vec<u8>> = Vec::new();
            let mut number = 0;
            let Check { plan, output, console, progress, .. } = self;
            let mut found = |name: &[u8]| {
                number += 1;
                if plan.form == Form::Json {
                    let mut line = Vec::new();
                    report::unlisted(name, &mut line);
                    return console.around(|| output.write(&line));
                }
                if number <= NAMED_FILES {
                    names.push(name.to_vec());
                }
                Ok(())
            };
            let stopped = || progress.stopped();
            let result = unlisted(&folder.path, scope, &mut folder.listed, own, limit, &stopped, &mut found)?;
            self.total.unlisted += result.files;
            self.total.cut |= result.cut;
            if self.plan.exact {
                self.total.summary.unreadable += result.failed.len() as u64;
                result.failed.iter().for_each(|error| self.console.failure(error));
            }
            if result.files > 0 && self.plan.form != Form::Json && self.plan.detail() != Detail::None {
                let mut path = folder.path;
                if scope == Scope::Around && !folder.listed.folder().is_empty() {
                    path.push(b'/');
                    path.extend_from_slice(folder.listed.folder());
                }
                self.tell_unlisted(&path, &names, result.files, result.cut);
            }
        }
        Ok(())
    }

    fn tell_unlisted(&mut self, folder: &[u8], names: &[Vec<u8>], files: u64, cut: bool) {
        let shown: Vec<String> = names.iter().map(|name| display_safe(name)).collect();
        let mut text = format!(
            "{}{} in {} not listed: {}",
            if cut { "at least " } else { "" },
            count(files, "file", "files"),
            display_safe(folder),
            shown.join(", ")
        );
        if files > names.len() as u64 {
            text += &format!(" and {} more", grouped(files - names.len() as u64));
        }
        if self.plan.exact {
            self.console.error(&text);
        } else {
            self.console.note(&text);
        }
    }

    /// Compares one file with one digest.
    fn expect(&mut self, expected: &Expected, file: &[u8]) -> io::Result<()> {
        let job = truesum::Job {
            expected: vec![expected.digest.clone()],
            ..truesum::Job::hash(file.to_vec(), &Arc::from([expected.spec.clone()]))
        };
        let config =
            Config { special: self.plan.special, threads: self.plan.tell.threads, ..Config::default() };
        let locate = Locate::new(&config, self.trees.as_ref(), &self.progress);
        let Check { console, output, total, .. } = self;
        let mut sink = Reporting::new(self.plan, b"--expect", console, output, total, locate);
        let mut tasks = std::iter::once(truesum::Task::File(job));
        let summary = truesum::run(&config, &mut tasks, &self.progress, &mut sink)?;
        if summary.mismatched > 0 && expected.guessed && self.plan.detail() != Detail::None {
            self.advise(&summary, &[], Some(expected.spec.clone()));
        }
        if manifest::weak::verdict(&expected.spec) != manifest::weak::Verdict::TamperEvident {
            self.total.weak.insert(expected.spec.to_string(), 1);
        }
        add(&mut self.total.summary, &summary);
        Ok(())
    }

    /// The last words and the exit status.
    fn end(mut self, result: io::Result<()>, signals: &Signals) -> Exit {
        let plan = self.plan;
        if let Err(error) = result {
            let error = Error::io(&self.output.name(), "write", error);
            let exit = self.exit();
            return exit.max(cannot_write(&error, &mut self.console));
        }
        let interrupted = self.progress.stopped();
        if !interrupted {
            self.tell_required();
        }
        let mut exit = self.exit();
        if interrupted {
            exit = exit.max(Exit::Signal(signals.ended_by().unwrap_or(2)));
        }
        if let Some(path) = plan.locate.as_ref().and_then(|locate| locate.page.as_ref())
            && let Err(error) = output::save(path, self.total.page.text(page::TITLE).as_bytes())
        {
            self.console.failure(&error);
            exit = exit.max(Exit::NotAsAsked);
        }
        if plan.form == Form::Json {
            let mut line = Vec::new();
            report::summary(&self.counts(), self.began.elapsed().as_secs_f64(), exit.code(), &mut line);
            if let Err(error) = self.output.write(&line) {
                let error = Error::io(&self.output.name(), "write", error);
                return exit.max(cannot_write(&error, &mut self.console));
            }
        }
        self.console.display = None;
        let last = self.last_line(interrupted);
        let Check { output, mut console, .. } = self;
        if let Err(error) = output.finish() {
            return exit.max(cannot_write(&error, &mut console));
        }
        let wanted = match plan.form {
            Form::Json => false,
            Form::Text { detail: Detail::All, .. } => true,
            Form::Text { detail: Detail::Bad, .. } => exit != Exit::Done,
            Form::Text { detail: Detail::None, .. } => false,
        };
        if wanted {
            console.line(&last);
        }
        exit
    }

    /// Names the files that had to be verified and were not.
    fn tell_required(&mut self) {
        for name in self.not_verified() {
            if self.plan.detail() != Detail::None {
                self.console.error_of(&name, "required, and not verified");
            }
        }
    }

    fn not_verified(&self) -> Vec<Vec<u8>> {
        self.plan.require.iter().filter(|name| !self.total.required.contains(name)).cloned().collect()
    }

    fn exit(&self) -> Exit {
        let Total { summary, malformed, ignored, unlisted, useless, .. } = &self.total;
        let failed = summary.failed() > *ignored
            || (self.plan.exact && *unlisted > 0)
            || (!self.plan.require.is_empty() && !self.not_verified().is_empty());
        let not_as_asked = *useless > 0 || (self.plan.strict && *malformed > 0) || summary.verified == 0;
        match (failed, not_as_asked) {
            (true, _) => Exit::Failed,
            (false, true) => Exit::NotAsAsked,
            (false, false) => Exit::Done,
        }
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let Total { summary, malformed, ignored, unlisted, weak, .. } = &self.total;
        vec![
            ("verified", summary.verified),
            ("mismatched", summary.mismatched),
            ("missing", summary.missing - ignored),
            ("ignored", *ignored),
            ("changed", summary.changed),
            ("unreadable", summary.unreadable),
            ("malformed", *malformed),
            ("unlisted", *unlisted),
            ("not_tamper_evident", weak.values().sum()),
            ("bytes", summary.bytes),
        ]
    }

    fn last_line(&self, interrupted: bool) -> String {
        let Total { summary, malformed, ignored, unlisted, weak, cut, .. } = &self.total;
        let mut parts = vec![format!("{} verified", count(summary.verified, "file", "files"))];
        let mut part = |number: u64, text: &str| {
            if number > 0 {
                parts.push(format!("{} {text}", grouped(number)));
            }
        };
        part(summary.mismatched, "FAILED");
        part(summary.missing - ignored, "MISSING");
        part(summary.changed, "CHANGED while read");
        part(summary.unreadable, "UNREADABLE");
        part(*malformed, if *malformed == 1 { "malformed line" } else { "malformed lines" });
        part(*ignored, "not there and ignored");
        part(*unlisted, if *cut { "or more not listed" } else { "not listed" });
        let mut text = format!("truesum: {}; {} read", parts.join(", "), size(summary.bytes));
        for (name, entries) in weak {
            text += &format!("; {} by {name}: not tamper-evident", count(*entries, "entry", "entries"));
        }
        if interrupted {
            text += "; interrupted";
        }
        text
    }
}
