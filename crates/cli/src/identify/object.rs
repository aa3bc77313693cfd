//! `truesum identify s3://BUCKET/OBJECT`: identifies the ETag and the checksums that a service
//! keeps for an object, without reading the object.

use crate::console::Console;
use crate::exit::Exit;
use crate::identify::{IdentifyArgs, render_candidates};
use crate::output::print;
use crate::stores;
use crate::watch::Watch;
use crate::words::{count, shell_word, size};
use std::ffi::OsStr;
use std::fmt::Write;
use truesum::manifest::identify::{Candidate, Encoding};
use truesum::manifest::path::display_safe;
use truesum_stores::metadata::Checksum;
use truesum_stores::stored::StoredFacts;

/// Reports the checksums that a service keeps for the object.
pub fn run(args: &IdentifyArgs, url: &OsStr, console: &mut Console) -> Exit {
    let (folder, _) = stores::split(url.as_ref());
    let store = match stores::store(folder.as_os_str()) {
        Ok(store) => store,
        Err(refusal) => return console.refuse(&refusal),
    };
    let watch = Watch::start(args.run.reporting(false).line, None, console);
    let requested = store.stored_facts(url.as_encoded_bytes(), &watch.progress);
    console.display = None;
    let object = match requested {
        Ok(object) => object,
        Err(error) => {
            console.failure(&error);
            return watch.signals.ended_by().map_or(Exit::NotAsRequested, Exit::Signal);
        }
    };
    let text = if args.json { render_candidates(&candidates(&object), true) } else { words(url, &object) };
    print(&text, console)
}

/// Returns the checksums as candidates.
fn candidates(object: &StoredFacts) -> Vec<Candidate> {
    let one = |checksum: &Checksum| {
        let spec = object.spec(checksum).or_else(|| checksum.algorithm.parse().ok())?;
        Some(Candidate::new(spec, checksum.digest.clone(), Encoding::Hex))
    };
    object.checksums.iter().filter_map(one).collect()
}

/// Returns the checksums as text, and what the ETag is if it is not a checksum.
fn words(url: &OsStr, object: &StoredFacts) -> String {
    let mut text = format!("{}: {}\n", display_safe(url.as_encoded_bytes()), size(object.size));
    for checksum in &object.checksums {
        let name = checksum.algorithm;
        let what = match (checksum.digest.parts(), object.spec(checksum)) {
            (None, Some(_)) => format!("of the whole object: {name}"),
            (None, None) => format!("{name} of an unknown number of parts"),
            (Some(1), Some(spec)) => format!("of one part: {spec}"),
            (Some(parts), Some(spec)) => format!("of the digests of {parts} parts: {spec}"),
            (Some(parts), None) => format!(
                "{name} of {} of unknown size; to try common part sizes: truesum identify {} {}",
                count(parts, "part", "parts"),
                checksum.digest,
                shell_word(url)
            ),
        };
        let _ = writeln!(text, "{} {what}", checksum.digest);
    }
    let version = object.version.as_deref().unwrap_or_default();
    let shown = display_safe(version.as_bytes());
    match object.checksums.iter().any(|checksum| matches!(checksum.algorithm, "md5" | "s3-etag")) {
        _ if version.is_empty() => text += "the object store returned no ETag for this object\n",
        true => {}
        // The object is encrypted with a KMS key or a customer key, or the ETags of the service are
        // numbers.
        false => {
            text += &format!("ETag {shown}: an opaque version identifier, not a digest of the content\n")
        }
    }
    text
}
