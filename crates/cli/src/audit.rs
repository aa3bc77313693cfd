//! `truesum audit`: compares a folder with manifests and reports what happened to every file.

pub mod arguments;
mod known;

use crate::comparing::{OutputStyle, ResultForm, compare};
use crate::console::Console;
use crate::ending::{self, Ending};
use crate::exit::{Exit, Refusal};
use crate::formats;
use crate::options::Moved;
use crate::selection::{FilterArgs, selection};
use crate::stores;
use crate::words::path_word;
use arguments::AuditArgs;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::audit::Options;
use truesum::manifest::path::display_safe;
use truesum::manifest::template::Template;
use truesum::verify::bag::is_bag;
use truesum::{Mapping, Remote};
use truesum_fs::name::OsStrExt;

/// Runs the command.
pub fn run(args: AuditArgs) -> Exit {
    let summary = args.summary;
    ending::summarized(audit(args), summary)
}

fn audit(args: AuditArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let template = match args.format_string.as_deref().map(formats::template).transpose() {
        Ok(template) => template,
        Err(refusal) => return console.refuse(&refusal),
    };
    if template.as_ref().is_some_and(Template::has_manifest) {
        let text = "--format-string: %{manifest} is not available in truesum audit";
        return console.refuse(&Refusal::with_hint(text, "it is available in truesum check"));
    }
    let style = OutputStyle {
        form: match (args.json, args.status) {
            (true, _) => ResultForm::Json,
            (_, true) => ResultForm::Silent,
            _ => ResultForm::Lines,
        },
        schema: "truesum-audit/1",
        one_sided: ["missing", "new"],
        sides: ["in the manifest", "in the folder"],
        same: !args.quiet,
        moved_passes: args.moved == Some(Moved::Ok),
        ending: args.summary.unwrap_or(if args.json { Ending::None } else { Ending::Short }),
        quiet: args.quiet,
        of_folder: true,
        otherwise: None,
        html: args.html.clone(),
        template,
    };
    let sets = args.known.iter().map(|set| set.as_os_str());
    let named: Vec<&OsStr> = args.manifests.iter().map(OsString::as_os_str).chain(sets).collect();
    let (read, notes) = match args.reading.options(&named) {
        Ok(read) => read,
        Err(refusal) => return console.refuse(&refusal),
    };
    notes.iter().for_each(|note| console.note(note));
    if !args.known.is_empty() {
        if args.manifests.iter().any(|name| stores::is_url(name)) {
            return console.refuse(&Refusal::new("-k: not available for object stores"));
        }
        return known::run(args, read, &style, console);
    }
    let mut names: Vec<PathBuf> = args.manifests.into_iter().map(PathBuf::from).collect();
    let folder = match names.pop() {
        Some(last) if last.is_dir() || stores::is_url(last.as_os_str()) => Some(last),
        last => {
            names.extend(last);
            None
        }
    };
    let bag = names.iter().chain(&folder).find(|name| is_bag(name));
    if let Some(bag) = bag.filter(|_| names.iter().all(|name| name.is_dir())) {
        let shown = display_safe(bag.as_os_str().as_bytes());
        let hint = format!("to verify the complete bag: truesum check {}", path_word(bag));
        return console
            .refuse(&Refusal::with_hint(format!("audit: {shown} is a bag (it contains bagit.txt)"), hint));
    }
    if names.iter().all(|name| name.is_dir()) {
        let hint =
            "specify a manifest: truesum audit MANIFEST [DIR]; to compare two folders: truesum diff OLD NEW";
        return console.refuse(&Refusal::with_hint("audit: no manifest given", hint));
    }
    if folder.is_none() && names.iter().any(|name| name == Path::new("-")) && names.len() > 1 {
        let hint = "usage: truesum audit - MANIFEST DIR";
        return console.refuse(&Refusal::with_hint(
            "audit: the folder is required if one of several manifests is read from standard input",
            hint,
        ));
    }
    let remote = match remote(&names, folder.as_deref(), &args.filter) {
        Ok(remote) => remote,
        Err(refusal) => return console.refuse(&refusal),
    };
    let select = match selection(&args.filter.wanted().only(args.only.only)) {
        Ok(select) => select,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reporting = args.run.reporting(args.quiet || args.status);
    let read = read
        .root(args.root)
        .remote(remote)
        .threads(reporting.threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded)
        .select(select);
    let options = Options::default().read(read).folder(folder).moved_passes(args.moved == Some(Moved::Ok));
    if let Some(html) = &args.html {
        let may = ending::outputs(&[("--html", html)], &names, options.get_read())
            .and_then(|()| ending::may_write(html).map_err(|error| Refusal::new(error.to_string())));
        if let Err(refusal) = may {
            return console.refuse(&refusal);
        }
    }
    compare(&style, options, reporting.line, console, |comparison, on_event| {
        comparison.audit(&names, on_event)
    })
}

/// Returns the store whose objects are audited, if one is specified.
fn remote(
    manifests: &[PathBuf],
    folder: Option<&Path>,
    filter: &FilterArgs,
) -> Result<Option<Arc<dyn Remote>>, Refusal> {
    if let Some(url) = manifests.iter().find(|name| stores::is_url(name.as_os_str())) {
        let shown = display_safe(url.as_os_str().as_bytes());
        let text = format!("audit: {shown}: a manifest must be a local file");
        return Err(Refusal::with_hint(text, "to audit objects: truesum audit MANIFEST s3://BUCKET/PREFIX"));
    }
    let Some(url) = folder.filter(|folder| stores::is_url(folder.as_os_str())) else { return Ok(None) };
    let needs_facts = filter.newer.is_some()
        || filter.older.is_some()
        || filter.min_size.is_some()
        || filter.max_size.is_some();
    stores::refuse(&[("selection by size or modification time", needs_facts)])?;
    stores::open(url.as_os_str()).map(Some)
}
