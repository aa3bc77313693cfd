//! Converts the options of `update` to a plan. All invalid combinations are refused here, before
//! any file is read.

use crate::comparing::ResultForm;
use crate::exit::Refusal;
use crate::options::Reporting;
use crate::origin;
use crate::selection::rules_to_store;
use crate::update::arguments::{Extent, Quick, UpdateArgs};
use std::path::{Path, PathBuf};
use truesum::Mapping;
use truesum::manifest::path::display_safe;
use truesum::update::{Consent, Options};
use truesum::verify::bag::is_manifest_of_bag;
use truesum::verify::history::folder_of;
use truesum_fs::name::OsStrExt;

/// A validated `update` command.
pub struct Updating {
    pub manifest: PathBuf,
    pub options: Options,
    pub form: ResultForm,
    pub quiet: bool,
    pub reporting: Reporting,
    /// Whether a list is added to the history of an ASC media hash list, instead of changing a manifest.
    pub is_history: bool,
    /// Notes on the key.
    pub notes: Vec<String>,
}

/// Validates the arguments of `update`.
///
/// # Errors
/// Fails if the manifest is not a file that can be replaced.
pub fn plan(args: UpdateArgs) -> Result<Updating, Refusal> {
    let manifest = PathBuf::from(&args.manifest);
    let shown = display_safe(manifest.as_os_str().as_bytes());
    if manifest == Path::new("-") {
        return Err(Refusal::new("update: standard input cannot be updated"));
    }
    let is_history = folder_of(&manifest).is_some();
    if is_history {
        refuse_for_history(&args)?;
    } else if manifest.is_dir() {
        let hint = "to update a manifest: truesum update MANIFEST [DIR]; to create a manifest: truesum hash -o MANIFEST DIR";
        return Err(Refusal::with_hint(format!("update: {shown} is a folder, not a manifest"), hint));
    }
    if !manifest.exists() {
        let hint = "to create a manifest: truesum hash -o MANIFEST DIR";
        return Err(Refusal::with_hint(format!("{shown}: cannot update: No such file or directory"), hint));
    }
    if is_manifest_of_bag(&manifest) {
        let hint = "to update the bag: truesum bag update DIR";
        return Err(Refusal::with_hint(format!("update: {shown} is a bag manifest"), hint));
    }
    if let Some(folder) = args.folder.as_deref().filter(|folder| !folder.is_dir()) {
        let why = if folder.exists() { "Not a directory" } else { "No such file or directory" };
        let shown = display_safe(folder.as_os_str().as_bytes());
        let hint = "usage: truesum update MANIFEST [DIR]";
        return Err(Refusal::with_hint(format!("{shown}: cannot open: {why}"), hint));
    }
    let rules = rules_to_store(&args.include, &args.exclude, args.set_rules)?;
    let (read, notes) = args.reading.options(&[&manifest])?;
    let reporting = args.run.reporting(args.quiet || args.status);
    let form = match (args.json, args.status) {
        (true, _) => ResultForm::Json,
        (_, true) => ResultForm::Silent,
        _ => ResultForm::Lines,
    };
    let read = read
        .root(args.root)
        .threads(reporting.threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded)
        .digest_manifests(form == ResultForm::Json);
    let options = Options::default()
        .audit(truesum::audit::Options::default().read(read).folder(args.folder))
        .refresh(consent(args.refresh))
        .prune(consent(args.prune))
        .rename(args.rename)
        .quick(args.quick.map(Quick::trust))
        .partial(args.partial)
        .allow_empty(args.allow_empty)
        .rules(rules)
        .set_rules(args.set_rules)
        .made(is_history.then(|| (origin::now(), origin::host())))
        .dry_run(args.dry_run);
    Ok(Updating { manifest, options, form, quiet: args.quiet, reporting, is_history, notes })
}

/// Refuses the options that do not apply to the history of an ASC media hash list, which keeps all its entries and contains
/// its own rules.
fn refuse_for_history(args: &UpdateArgs) -> Result<(), Refusal> {
    let given = [
        ("--refresh", args.refresh.is_some()),
        ("--prune", args.prune.is_some()),
        ("--quick", args.quick.is_some()),
        ("--include and --exclude", !(args.include.is_empty() && args.exclude.is_empty())),
        ("--set-rules", args.set_rules),
        ("--allow-empty", args.allow_empty),
        ("--root", args.root.is_some()),
        ("DIR", args.folder.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            let why = format!("{option} cannot be used with the history of a media hash list");
            let hint = "a new list records every file again, and never changes earlier lists";
            Err(Refusal::with_hint(why, hint))
        }
        None => Ok(()),
    }
}

/// Returns the same for the library.
pub fn consent(requested: Option<Extent>) -> Consent {
    match requested {
        None => Consent::Withheld,
        Some(Extent::Safe) => Consent::Safe,
        Some(Extent::All) => Consent::All,
    }
}
