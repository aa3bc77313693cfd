//! Checks an Android package: compares the digests in its signing block with those computed, and reports the result as
//! an entry.

use crate::error::{Cause, Error};
use crate::io::open::Root;
use crate::io::read::Guarded;
use crate::job::{Compared, Findings, Found, Job, Outcome};
use crate::task::Sink;
use crate::verify::apk::{Fault, Read, sections};
use crate::verify::event::{Event, Manifest};
use crate::verify::options::{Options, Unlisted};
use crate::verify::report::Checked;
use crate::verify::verification::{Observer, Relay, Verification};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use truesum_fs::name::OsStrExt;
use truesum_hash::Digest;
use truesum_manifest::{Place, Signer};

impl Verification<'_> {
    /// Verifies a package with the digests in its own signing block.
    pub(super) fn package(&mut self, name: &Path, on_event: &mut Observer<'_>) -> io::Result<()> {
        let bytes = name.as_os_str().as_bytes();
        let refused = |why: &str| Error::new(bytes, "verify", Cause::Other(why.to_owned()));
        if lists_more(self.options) {
            let why = "this is an Android package, which is checked as a unit with the digests in its signing block; options that select entries or specify a format do not apply";
            return self.unread(&refused(why), on_event);
        }
        let started = Instant::now();
        self.progress.set_current(bytes);
        let file = match Guarded::open(&Root::Anywhere, bytes, self.options.special) {
            Ok(file) => file,
            Err(error) => return self.unread(&error, on_event),
        };
        let package = match sections(file.file(), file.size_hint()) {
            Ok(package) => package,
            Err(Fault::Shape(why)) => return self.unread(&refused(why), on_event),
            Err(Fault::System(error)) => return self.unread(&Error::io(bytes, "read", error), on_event),
        };
        if file.may_be_written() {
            self.progress.add_writers_unknown();
        }
        let read = package.read(file, bytes, self.options, self.progress);
        if self.progress.stopped() {
            self.report.not_begun += 1;
            return Ok(());
        }
        self.progress.add_file();
        let (mut digest, mut others) = (None, String::new());
        let result = read.map(|Read { whole, pieces, plain }| {
            digest = plain;
            others = package.listed.others.iter().map(|id| format!(" {id:#06x}")).collect();
            let listed = package.listed.digests.iter();
            let compared = listed.flat_map(|listed| {
                let of = pieces.iter().filter(|(algorithm, _)| *algorithm == listed.algorithm);
                of.map(|(algorithm, found)| Compared {
                    name: format!("apk-{}-{algorithm}", listed.scheme),
                    expected: Digest::new(&listed.digest),
                    found: found.clone(),
                })
            });
            let findings = Findings { compared: compared.collect(), ..Findings::default() };
            Found::new(whole, Vec::new(), started).with_pieces(findings)
        });
        let manifest = Manifest { name, root: &Root::Anywhere };
        let job = Job { origin: (0, Place::Byte(package.block)), ..Job::hash(name, &Arc::from([])) };
        let mut relay = Relay::new(self.options, &manifest, &mut self.report, on_event);
        let result = relay.outcome(Outcome { job, result });
        let (counts, ignored) = relay.counted();
        let unverified_signature = Some(Signer::Package);
        let checked =
            Checked { counts, ignored, entries: 1, digest, unverified_signature, ..Checked::default() };
        self.report.add(&checked);
        result?;
        if !others.is_empty() {
            let why =
                format!("its signing block also has unsupported digests, which were not compared:{others}");
            on_event(Event::Doubtful(&refused(&why)))?;
        }
        on_event(Event::Checked(&manifest, &checked))
    }
}

/// Returns whether options are set that only make sense for a list of files.
fn lists_more(options: &Options) -> bool {
    let Options { root, remote, data, algorithms, key, unlisted, select, limits, .. } = options;
    root.is_some()
        || remote.is_some()
        || data.is_some()
        || !algorithms.is_empty()
        || key.is_some()
        || *unlisted == Unlisted::Refused
        || !select.is_open()
        || !limits.is_all()
}
