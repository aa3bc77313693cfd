//! Converts the options of `update` to a plan. All invalid combinations are refused here, before
//! any file is read.

use crate::comparing::ResultForm;
use crate::exit::Refusal;
use crate::options::Reporting;
use crate::selection::rules_to_store;
use crate::update::arguments::{Extent, Quick, UpdateArgs};
use std::path::{Path, PathBuf};
use truesum::Mapping;
use truesum::manifest::path::display_safe;
use truesum::update::{Consent, Options};
use truesum::verify::bag::is_manifest_of_bag;
use truesum_fs::name::OsStrExt;

/// A validated `update` command.
pub struct Updating {
    pub manifest: PathBuf,
    pub options: Options,
    pub form: ResultForm,
    pub quiet: bool,
    pub reporting: Reporting,
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
    if manifest.is_dir() {
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
        .dry_run(args.dry_run);
    Ok(Updating { manifest, options, form, quiet: args.quiet, reporting, notes })
}

/// Returns the same for the library.
pub fn consent(requested: Option<Extent>) -> Consent {
    match requested {
        None => Consent::Withheld,
        Some(Extent::Safe) => Consent::Safe,
        Some(Extent::All) => Consent::All,
    }
}
