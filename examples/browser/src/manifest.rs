//! The entries of a manifest as JSON, read as the program reads them.

use serde_json::{Value, json};
use truesum_hash::{Digest, Spec};
use truesum_manifest::path::{alternatives, display_safe, within_root};
use truesum_manifest::weak::{self, Strength};
use truesum_manifest::{Entry, Options, Place, ReadError, Reader};

/// Maximum number of malformed lines that are described. All of them are counted.
const DESCRIBED: usize = 1000;

/// Returns the entries of a manifest with this name, its malformed lines, and what else must be reported with the result.
///
/// A digest of a manifest that names no file belongs to `subject`, unless that is empty. With an algorithm, digests of
/// others are malformed lines, as for `--algorithm`.
pub fn read(text: &[u8], name: &[u8], subject: &[u8], algorithm: Option<Spec>) -> Value {
    let options = match subject {
        b"" => Options::for_name(name),
        subject => Options::default().file_name(Some([subject, b".digest"].concat())),
    };
    let options = options.requested(Vec::from_iter(algorithm)).allow_undigested(true).allow_pieces(true);
    let mut reader = Reader::new(text, options);
    let (mut entries, mut malformed, mut count, mut failure) = (Vec::new(), Vec::new(), 0_u64, None);
    let mut weak: Vec<Spec> = Vec::new();
    for line in reader.by_ref() {
        match line {
            Ok(line) => {
                for (spec, _) in &line.entry.digests {
                    if weak::verdict(spec) != Strength::TamperEvident && !weak.contains(spec) {
                        weak.push(spec.clone());
                    }
                }
                entries.push(entry(line.at, line.entry));
            }
            Err(ReadError::Line(error)) => {
                count += 1;
                if malformed.len() < DESCRIBED {
                    malformed.push(error.to_string());
                }
            }
            Err(ReadError::Io(error)) => failure = Some(error.to_string()),
        }
    }
    json!({
        "format": reader.format().map(|format| format.name()),
        "entries": entries,
        "malformed": malformed,
        "malformedCount": count,
        "failure": failure,
        "notes": notes(&reader, &weak),
    })
}

/// Returns an entry: its name in a form for messages, the paths that its file may have, its digests, and the reason why it
/// cannot be verified, if there is one.
fn entry(at: Place, entry: Entry) -> Value {
    let (paths, fault) = match paths(&entry.path) {
        Ok(paths) => (paths, fault(&entry)),
        Err(why) => (Vec::new(), Some(why)),
    };
    let digests: Vec<Vec<String>> = entry.digests.iter().map(digest).collect();
    json!({
        "line": matches!(at, Place::Line(_)).then(|| at.number()),
        "name": display_safe(&entry.path),
        "paths": paths,
        "size": entry.size,
        "digests": digests,
        "fault": fault,
        // A folder, if one has this name: some formats do not distinguish folders from files without a digest.
        "untyped": entry.untyped && entry.digests.is_empty() && entry.pieces.is_empty() && entry.size.is_none(),
    })
}

/// Returns the name of an algorithm and the digests that match.
fn digest((spec, listed): &(Spec, Digest)) -> Vec<String> {
    let backwards = Digest::new(&listed.as_bytes().iter().rev().copied().collect::<Vec<u8>>());
    let mut digest = vec![spec.to_string(), listed.to_hex()];
    // Some programs write the bytes of certain digests in reverse order.
    if backwards != *listed && spec.agree(listed, &backwards) {
        digest.push(backwards.to_hex());
    }
    digest
}

/// Returns why a file cannot be compared with this entry.
fn fault(entry: &Entry) -> Option<String> {
    let needs_part_size = |spec: &Spec| spec.counts_parts() && *spec == Spec::new(spec.algorithm());
    if let Some((spec, _)) = entry.digests.iter().find(|(spec, _)| needs_part_size(spec)) {
        return Some(format!("the part size of {spec} is not in the manifest"));
    }
    match (entry.digests.is_empty(), entry.pieces.is_empty(), entry.unread.is_empty()) {
        (false, ..) => None,
        (true, false, _) => Some("the manifest has only digests of pieces of the file".to_owned()),
        (true, true, false) => Some(format!("unsupported algorithm: {}", entry.unread.join(", "))),
        (true, true, true) => Some("the manifest has no digest of the file".to_owned()),
    }
}

/// Returns the paths below the folder that an entry may mean, without `.` and `..`, the most likely first.
fn paths(name: &[u8]) -> Result<Vec<String>, String> {
    within_root(name).map_err(|fault| fault.to_string())?;
    let path = |name: &[u8]| {
        let name = str::from_utf8(name).ok()?;
        let mut parts = Vec::new();
        for part in name.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    };
    let others = alternatives(name).filter(|name| within_root(name).is_ok());
    let paths: Vec<String> =
        std::iter::once(name.to_vec()).chain(others).filter_map(|name| path(&name)).collect();
    if paths.is_empty() { Err("the name is not UTF-8".to_owned()) } else { Ok(paths) }
}

/// Returns what users should know about the result.
fn notes<R: std::io::Read>(reader: &Reader<R>, weak: &[Spec]) -> Vec<String> {
    let mut notes = Vec::new();
    if reader.assumes_algorithm() {
        notes.push(
            "the manifest does not name the algorithm, which was assumed from the length of the digest"
                .to_owned(),
        );
    }
    if !weak.is_empty() {
        let names: Vec<String> = weak.iter().map(Spec::to_string).collect();
        notes.push(format!("{} detects accidental damage, but not tampering", names.join(", ")));
    }
    if reader.signer().is_some() {
        notes.push("the signature of the manifest was not verified".to_owned());
    }
    for (name, count) in reader.all_unread() {
        notes.push(format!(
            "digests of an unsupported algorithm were not compared: {} ({count})",
            display_safe(name.as_bytes())
        ));
    }
    for objects in reader.omitted() {
        notes.push(format!("not compared, because they have no digest: {objects}"));
    }
    if !reader.rules().all().is_empty() {
        notes
            .push("the rules in the manifest about files that it does not cover were not applied".to_owned());
    }
    notes
}
