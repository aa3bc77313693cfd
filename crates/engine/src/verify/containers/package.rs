//! Checks an Android package: compares the digests in its signing block with those computed, and reports the result as
//! an entry.

use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::io::read::Guarded;
use crate::job::{Compared, FileResult, Findings, Job, Outcome};
use crate::verify::containers::apk::{Fault, Read, sections};
use crate::verify::entries::EntryCheck;
use crate::verify::event::{Event, Manifest, Observer};
use crate::verify::options::{Options, ReadOptions, Unlisted};
use crate::verify::report::Checked;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use truesum_fs::name::OsStrExt;
use truesum_hash::Digest;
use truesum_manifest::{Place, Signer};

/// Verifies a package with the digests in its own signing block.
pub(super) fn check(
    entries: &mut EntryCheck<'_>,
    name: &Path,
    on_event: &mut Observer<'_>,
) -> io::Result<()> {
    let (options, progress) = (entries.options, entries.progress);
    let bytes = name.as_os_str().as_bytes();
    let refused = |why: &str| Error::new(bytes, "verify", Cause::Other(why.to_owned()));
    if lists_more(options) {
        let why = "this is an Android package, which is checked as a unit with the digests in its signing block; options that select entries or specify a format do not apply";
        return entries.unread(&refused(why), on_event);
    }
    let started = Instant::now();
    progress.set_current(bytes);
    let file = match Guarded::open(&Root::Anywhere, bytes, options.read.special) {
        Ok(file) => file,
        Err(error) => return entries.unread(&error, on_event),
    };
    let package = match sections(file.file(), file.size_hint()) {
        Ok(package) => package,
        Err(Fault::Shape(why)) => return entries.unread(&refused(why), on_event),
        Err(Fault::System(error)) => return entries.unread(&Error::io(bytes, "read", error), on_event),
    };
    if file.may_be_written() {
        progress.add_writers_unknown();
    }
    let read = package.read(file, bytes, options, progress);
    if progress.stopped() {
        entries.report.not_begun += 1;
        return Ok(());
    }
    progress.add_file();
    let (mut digest, mut others) = (None, String::new());
    let result = read.map(|Read { whole, pieces, plain }| {
        digest = plain;
        others = package.listed.others().iter().map(|id| format!(" {id:#06x}")).collect();
        let listed = package.listed.digests().iter();
        let compared = listed.flat_map(|listed| {
            let of = pieces.iter().filter(|(algorithm, _)| *algorithm == listed.algorithm());
            of.map(|(algorithm, found)| Compared {
                name: format!("apk-{}-{algorithm}", listed.scheme()),
                expected: Digest::new(listed.digest()),
                found: found.clone(),
            })
        });
        let findings = Findings { compared: compared.collect(), ..Findings::default() };
        FileResult::new(whole, Vec::new(), started).with_pieces(findings)
    });
    let manifest = Manifest { name, root: &Root::Anywhere };
    let job = Job { origin: (0, Place::Byte(package.block)), ..Job::hash(name, &Arc::from([])) };
    let unverified_signature = Some(Signer::Package);
    let mut checked = Checked { digest, unverified_signature, ..Checked::default() };
    entries.single(&manifest, Outcome { job, result }, &mut checked, on_event)?;
    if !others.is_empty() {
        let why = format!("its signing block also has unsupported digests, which were not compared:{others}");
        on_event(Event::Doubtful(&refused(&why)))?;
    }
    on_event(Event::Checked(&manifest, &checked))
}
/// Returns whether options are set that only make sense for a list of files.
pub(super) fn lists_more(options: &Options) -> bool {
    let Options { read, unlisted, limits, .. } = options;
    let ReadOptions { root, remote, data, algorithms, key, select, .. } = read;
    root.is_some()
        || remote.is_some()
        || data.is_some()
        || !algorithms.is_empty()
        || key.is_some()
        || *unlisted == Unlisted::Refused
        || !select.is_open()
        || !limits.is_all()
}
