//! Manifests that must be signed: unsigned ones are not read.

use crate::io::input::Input;
use crate::io::open::Root;
use crate::job::Outcome;
use crate::verify::containers::seal;
use crate::verify::entries::EntryCheck;
use crate::verify::event::{Event, Manifest, Observer};
use crate::verify::report::Checked;
use std::io;
use std::path::Path;
use truesum_manifest::signify::PublicKey;

/// Verifies the signature of a manifest and then its entries; for a detached signature, verifies the signed file.
pub(super) fn check(
    entries: &mut EntryCheck<'_>,
    name: &Path,
    file: Input,
    key: &PublicKey,
    on_event: &mut Observer<'_>,
) -> io::Result<()> {
    let text = match seal::whole(name, file) {
        Ok(text) => text,
        Err(error) => return entries.unread(&error, on_event),
    };
    if let Some(signed) = seal::signed_file(name, &text) {
        let found = seal::of_file(&signed, name, &text, key, entries.options, entries.progress);
        let (seal, job, found) = match found {
            Ok(found) => found,
            Err(error) => return entries.unsigned(&error, on_event),
        };
        on_event(Event::Signed(&seal))?;
        let manifest = Manifest { name, root: &Root::Anywhere };
        let outcome = Outcome { job, result: Ok(found) };
        return entries.single(&manifest, outcome, &mut Checked::default(), on_event);
    }
    match seal::of_manifest(name, &text, key) {
        Ok(seal) => {
            // A verified signature is neither unexpected nor unchecked.
            entries.files.own.extend(seal.id);
            on_event(Event::Signed(&seal))?;
            entries.manifest(name, &text[..], None, on_event)
        }
        Err(error) => entries.unsigned(&error, on_event),
    }
}
