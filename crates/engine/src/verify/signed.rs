//! Manifests that must be signed: unsigned ones are not read.

use crate::error::Error;
use crate::io::input::Input;
use crate::io::open::Root;
use crate::job::Outcome;
use crate::task::Sink;
use crate::verify::event::{Event, Manifest};
use crate::verify::report::Checked;
use crate::verify::seal;
use crate::verify::verification::{Observer, Relay, Verification};
use std::io;
use std::path::Path;
use truesum_manifest::signify::PublicKey;

impl Verification<'_> {
    /// Verifies the signature of a manifest and then its entries; for a detached signature, verifies the signed file.
    pub(super) fn signed(
        &mut self,
        name: &Path,
        file: Input,
        key: &PublicKey,
        on_event: &mut Observer<'_>,
    ) -> io::Result<()> {
        let text = match seal::whole(name, file) {
            Ok(text) => text,
            Err(error) => return self.unread(&error, on_event),
        };
        if let Some(signed) = seal::signed_file(name, &text) {
            let found = seal::of_file(&signed, name, &text, key, self.options, self.progress);
            let (seal, job, found) = match found {
                Ok(found) => found,
                Err(error) => return self.unsigned(&error, on_event),
            };
            on_event(Event::Signed(&seal))?;
            let manifest = Manifest { name, root: &Root::Anywhere };
            let mut relay = Relay::new(self.options, &manifest, &mut self.report, on_event);
            let result = relay.outcome(Outcome { job, result: Ok(found) });
            let (counts, _) = relay.counted();
            self.report.add(&Checked { counts, entries: 1, ..Checked::default() });
            return result;
        }
        match seal::of_manifest(name, &text, key) {
            Ok(seal) => {
                // A verified signature is neither unexpected nor unchecked.
                self.own.extend(seal.id);
                on_event(Event::Signed(&seal))?;
                self.manifest(name, &text[..], None, on_event)
            }
            Err(error) => self.unsigned(&error, on_event),
        }
    }

    /// Reports a manifest or file without the required signature, which is not read.
    pub(super) fn unsigned(&mut self, error: &Error, on_event: &mut Observer<'_>) -> io::Result<()> {
        self.report.unsigned += 1;
        on_event(Event::Failed(error))
    }
}
