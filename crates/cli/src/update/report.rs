//! The output of `update`: a line for each file that was changed in the manifest or does not match
//! it, and the summary.

use crate::advice::FORMATS;
use crate::comparing::words::label;
use crate::comparing::{Malformed, OutputStyle, ResultForm, Shift, json, text_line};
use crate::console::Console;
use crate::ending::Ending;
use crate::exit::{Exit, Refusal as Refused};
use crate::objects;
use crate::output::Output;
use crate::update::plan::Updating;
use crate::words::{count, grouped, path_word, size};
use std::io;
use std::path::Path;
use std::time::Duration;
use truesum::audit::{Equality, FileStatus};
use truesum::manifest::convert::keeps_everything;
use truesum::manifest::edit::Uneditable;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Options, Reader, Unrepresentable};
use truesum::open::open_companion;
use truesum::update::{Action, Consent, Event, Refusal, Report, SIGNATURES};
use truesum::verify::place::folder_of_names;
use truesum_fs::name::OsStrExt;

/// The wording of the results, as in an audit.
const OUTPUT_STYLE: OutputStyle = OutputStyle {
    form: ResultForm::Lines,
    schema: "truesum-update/1",
    one_sided: ["missing", "new"],
    sides: ["in the manifest", "in the folder"],
    same: false,
    ending: Ending::Short,
    moved_passes: false,
    of_folder: true,
    otherwise: None,
    html: None,
    template: None,
    quiet: false,
};

/// Returns the word for an action.
fn done(action: Action) -> &'static str {
    match action {
        Action::Kept => "kept",
        Action::Added => "added",
        Action::Refreshed => "refreshed",
        Action::Renamed => "renamed",
        Action::Removed => "removed",
    }
}

/// Prints events as they arrive.
pub struct Printer<'p> {
    plan: &'p Updating,
    console: Console,
    output: Output,
    line: Vec<u8>,
    malformed: Malformed,
    shift: Shift,
}

impl<'p> Printer<'p> {
    pub fn new(plan: &'p Updating, console: Console, output: Output) -> Printer<'p> {
        let (malformed, shift) = Default::default();
        Printer { plan, console, output, line: Vec::new(), malformed, shift }
    }

    /// Prints one event.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Printer { plan, console, output, line, malformed, shift } = self;
        if let Event::File(finding, _) = event {
            shift.process(finding);
        }
        match event {
            Event::File(_, action) if plan.quiet && *action != Action::Kept => {}
            Event::File(finding, action) => match plan.form {
                ResultForm::Json => json::file(&OUTPUT_STYLE, finding, Some(done(*action)), line),
                ResultForm::Lines if *action == Action::Kept => {
                    text_line(OUTPUT_STYLE.word(finding.status()), finding, line);
                }
                ResultForm::Lines => text_line(done(*action), finding, line),
                ResultForm::Silent => {}
            },
            Event::Malformed(manifest, bad) => match plan.form {
                ResultForm::Json => {
                    objects::malformed(OUTPUT_STYLE.schema, manifest.as_os_str().as_bytes(), bad, line)
                }
                form => malformed.report(form, manifest, bad, console),
            },
            Event::Failed(error) => console.failure(error),
            Event::Uneditable(error, why) => {
                console.failure(error);
                let format = match why {
                    Uneditable::Entry(_, Unrepresentable::Untagged(_)) => "bsd",
                    _ => "jsonl",
                };
                let folder = path_word(plan.options.get_audit().folder_of(&plan.manifest));
                let write = format!("to write a new manifest: truesum hash -o NEW {folder}");
                console.hint(&match is_convertible(&plan.manifest, format) {
                    true => format!(
                        "to convert this manifest: truesum convert -t {format} -o NEW {}; {write}",
                        path_word(&plan.manifest)
                    ),
                    false => write,
                });
            }
            Event::Refused(why) => drop(console.refuse(&refused(plan, why))),
            _ => {}
        }
        let written = output.write(line);
        line.clear();
        written
    }

    /// Writes the last JSON object.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn summary(&mut self, report: &Report, time: Duration, exit: Exit) -> io::Result<()> {
        if self.plan.form != ResultForm::Json {
            return Ok(());
        }
        let actions = Action::ALL.into_iter().filter(|action| *action != Action::Kept);
        let mut more: Vec<(&str, String)> =
            actions.map(|action| (done(action), report.count_of(action).to_string())).collect();
        more.push(("unread", report.unread().to_string()));
        more.push(("beside", report.outside().to_string()));
        more.push(("written", report.written().to_string()));
        self.output.write(&json::summary(&OUTPUT_STYLE, report.audit(), &more, time, exit.code()))
    }

    /// Returns the console, the output and the detected shift.
    pub fn parts(self) -> (Console, Output, Shift) {
        (self.console, self.output, self.shift)
    }
}

/// Returns whether `truesum convert` converts a manifest to this format without `--lossy`.
fn is_convertible(path: &Path, format: &str) -> bool {
    let name = path.as_os_str().as_bytes();
    let options = Options::for_name(name).accept_all().locating(true).attributes(true);
    let reader = open_companion(path).ok().map(|file| Reader::new(file, options));
    reader
        .zip(truesum::manifest::format(format))
        .is_some_and(|(reader, format)| keeps_everything(reader, format))
}

/// Prints why nothing is written, with a hint.
fn refused(plan: &Updating, why: &Refusal) -> Refused {
    let hint = match why {
        Refusal::Unread(_) if plan.options.get_partial() => "omit --prune to keep the entries",
        Refusal::Unread(_) => "to write an incomplete manifest, use --partial",
        Refusal::Malformed(_) if plan.options.get_audit().get_read().get_lenient() => FORMATS,
        Refusal::Malformed(_) => "to keep malformed lines unchanged, use --lenient",
        Refusal::EmptyRoot(_) | Refusal::EmptyFolder(_) | Refusal::Unmounted(_) | Refusal::TooMany(..) => {
            "to remove the entries of missing files anyway, use --prune=all"
        }
        Refusal::NoTimes => {
            "use --quick=date to skip files older than the manifest, or omit --quick to read every file"
        }
        Refusal::OtherFolder(_) => "specify the folder that names are relative to: --root DIR",
        Refusal::NothingLeft => "to write an empty manifest, use --allow-empty",
        Refusal::OtherKey => {
            "specify the key of the manifest with --key-file FILE, or write a new one: truesum hash -o MANIFEST DIR"
        }
        Refusal::OtherRules(stored) if stored.is_empty() => "to store these rules, add --set-rules",
        Refusal::OtherRules(_) => {
            "to use the stored rules, omit --include and --exclude; to replace them, use --set-rules"
        }
        Refusal::Listed(_) => {
            "correct or delete the malformed line; if it has a keyed digest, use --key-file"
        }
    };
    let name = display_safe(plan.manifest.as_os_str().as_bytes());
    Refused::with_hint(format!("{name}: not written: {why}"), hint)
}

/// Prints the summary line and hints.
pub fn advise(plan: &Updating, report: &Report, shift: &Shift, exit: Exit, console: &mut Console) {
    if plan.form == ResultForm::Silent {
        return;
    }
    if plan.form == ResultForm::Lines && !(plan.quiet && exit == Exit::Done) {
        console.summary(exit, &words(plan, report));
    }
    notes(plan, report, console);
    if plan.is_history {
        if report.audit().count(FileStatus::Missing) > 0 && !plan.options.get_rename() && !report.refused() {
            console.hint("to record the new names of moved files, use --rename");
        }
        return;
    }
    let rules = crate::comparing::words::rules(report.audit());
    rules.filter(|_| plan.reporting.notes).into_iter().for_each(|rules| console.note(&rules));
    shift.advise(report.audit().listed(), console);
    let audit = report.audit();
    if audit.count(FileStatus::Corrupt) > 0 {
        crate::comparing::advise_corrupt(console);
    }
    if report.doubtful() > 0 {
        let (names, were) = if report.doubtful() == 1 { ("name", "was") } else { ("names", "were") };
        let files = count(report.doubtful(), "missing file", "missing files");
        console.note(&format!(
            "the {names} of {files} {were} not updated: several files have the content of a missing file, or the only such file is older than the manifest"
        ));
    }
    if report.lists_itself() {
        let name = display_safe(plan.manifest.as_os_str().as_bytes());
        console.hint(&format!("{name} contains an entry for itself, which cannot match: delete that line"));
    }
    let others = audit.count(FileStatus::Changed) > u64::from(report.lists_itself());
    if others && !report.refused() {
        console.hint(match report.refreshable() {
            0 => "the modification times do not show that the changed files were edited; to accept them anyway, use --refresh=all",
            _ => "to accept modified files, use --refresh",
        });
    }
    if audit.count(FileStatus::Restored) + audit.count(FileStatus::MovedModified) > 0 {
        console
            .hint("to accept older versions and files that were both moved and modified, use --refresh=all");
    }
    if audit.count(FileStatus::Missing) > 0
        && !report.refused()
        && plan.options.get_prune() == Consent::Withheld
    {
        console.hint(match plan.options.get_rename() {
            true => "to remove entries of deleted files, use --prune",
            false => "to remove entries of deleted files, use --prune; to update the names of moved files, use --rename",
        });
    } else if audit.count(FileStatus::Moved) > 0 && !report.refused() && !plan.options.get_rename() {
        console.hint("to update the names of moved files, use --rename");
    }
}

/// Prints notes on what the new manifest affects: other names of the file, signatures of the old
/// manifest, and its own time.
fn notes(plan: &Updating, report: &Report, console: &mut Console) {
    if report.signatures() > 0 && plan.reporting.notes {
        let name = display_safe(plan.manifest.as_os_str().as_bytes());
        let what = match report.signatures() {
            1 => format!("the signature of {name} was not added to the manifest"),
            number => {
                format!("{} signatures of {name} were not added to the manifest", grouped(number))
            }
        };
        console.note(&what);
    }
    if report.taken() > 0 && plan.reporting.notes {
        let files = count(
            report.taken(),
            "file was not added, because the entry with its name belongs to another file",
            "files were not added, because the entries with their names belong to other files",
        );
        console.note(&files);
    }
    if report.excluded() > 0 && plan.reporting.notes {
        let entries = count(
            report.excluded(),
            "entry was kept, although the new rules exclude its file",
            "entries were kept, although the new rules exclude their files",
        );
        console.note(&entries);
    }
    if report.outside() > 0 && plan.reporting.notes {
        let (name, folder) = (path_word(&plan.manifest), path_word(folder_of_names(&plan.manifest)));
        let files = count(report.outside(), "file", "files");
        let [were_not_added, them] = match report.outside() {
            1 => ["was not added, because it is", "it"],
            _ => ["were not added, because they are", "them"],
        };
        console.note(&format!(
            "{files} {were_not_added} outside the folder that contains all files in the manifest; to add {them}: \
             truesum update {name} {folder}"
        ));
    }
    if !(report.written() || report.pending()) || !plan.reporting.notes {
        return;
    }
    let name = display_safe(plan.manifest.as_os_str().as_bytes());
    if report.has_other_names() {
        console.note(&format!("{name} has other hard links, which still refer to the old manifest"));
    }
    for end in SIGNATURES {
        let mut signature = plan.manifest.clone().into_os_string();
        signature.push(end);
        if Path::new(&signature).exists() {
            let signature = display_safe(signature.as_bytes());
            console.note(&format!("{signature} is a signature of the old manifest: sign the new one"));
        }
    }
    if let Some(time) = report.keeps_time() {
        console.note(&format!(
            "some entries are out of date, so {name} keeps its modification time ({time}); files modified after that time count as edited, not as corrupt"
        ));
    }
}

/// Returns the summary: the entries, the actions, and the overall result.
fn words(plan: &Updating, report: &Report) -> String {
    let audit = report.audit();
    let made: u64 = [Action::Added, Action::Refreshed, Action::Renamed]
        .map(|action| report.count_of(action))
        .iter()
        .sum();
    let standings = FileStatus::ALL.into_iter().map(|status| match status {
        FileStatus::Same => (audit.count(status) - made, OUTPUT_STYLE.word(status)),
        _ => (audit.count(status), OUTPUT_STYLE.word(status)),
    });
    let actions = Action::ALL.into_iter().skip(1).map(|action| (report.count_of(action), done(action)));
    let mut parts: Vec<String> = standings
        .chain(actions)
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{} {word}", grouped(number)))
        .collect();
    if audit.malformed() > 0 {
        parts.push(count(audit.malformed(), "malformed line", "malformed lines"));
    }
    let parts = if parts.is_empty() { "nothing was compared".to_owned() } else { parts.join(", ") };
    let old = if report.written() { "in the old manifest" } else { OUTPUT_STYLE.sides[0] };
    // A manifest that cannot be edited is not read.
    let mut text = match audit.failed() > 0 && audit.listed() == 0 {
        true => format!("truesum: {parts}"),
        false => format!("truesum: {} {old}; {parts}", count(audit.listed(), "file", "files")),
    };
    text += &format!("; {} read", size(audit.bytes()));
    if report.unread() > 0 {
        let files = count(report.unread(), "file", "files");
        text += &format!(", {files} with unchanged size and modification time not read (--quick)");
    }
    for weak in label(audit.not_tamper_evident()) {
        text += &format!("; {weak}");
    }
    let name = display_safe(plan.manifest.as_os_str().as_bytes());
    text += &match (report.written(), plan.options.get_dry_run()) {
        (true, _) => format!("; {name} written"),
        (false, true) if report.pending() => format!("; {name} would be written"),
        (false, true) => format!("; {name} would not be written"),
        (false, false) => format!("; {name} not written"),
    };
    text += match report.equality() {
        Equality::Equal | Equality::PartEqual => "; up to date",
        Equality::Different if report.is_only_pending() => "; not up to date",
        Equality::Different => "; some files do NOT match the manifest",
        Equality::NotAsRequested => "; not completed",
        Equality::Interrupted => "; interrupted",
    };
    text
}
