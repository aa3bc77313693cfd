//! The run before timing: engines must agree on the digest of every file, or reject a manifest with a wrong one.

use super::agreement::{self, Digests, Files};
use super::contender::{Contender, Place, first_message, parts, run_once, sums};
use crate::Error;
use crate::measure::process;
use crate::models::engine::{Spelling, fill, own_program};
use crate::models::session::Session;
use crate::record::{Agreement, Record};
use std::collections::BTreeMap;
use truesum_hash::{Digest, find};

/// Runs each command once and keeps those whose manifests agree on every file.
pub(super) fn check(
    name: &str,
    group: &mut Vec<Contender>,
    files: &Files,
    place: Place<'_>,
    share: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let mut read: Vec<Option<Digests>> = Vec::new();
    for contender in group.iter_mut() {
        if session.stopped() {
            read.push(None);
            continue;
        }
        session.progress.show(share, &format!("checking {name}: {}", contender.engine.name));
        match run_once(contender, &contender.check, place) {
            Ok((cost, manifest)) => {
                contender.manifest_bytes = manifest.len() as u64;
                contender.runs.push(cost);
                read.push(Some(digests(name, files, &manifest, contender.spelling)));
            }
            Err(why) => {
                record.notes.push(format!("not measured with {name}: {why}"));
                read.push(None);
            }
        }
    }
    let mut keep: Vec<bool> = read.iter().map(Option::is_some).collect();
    if let Some(expected) = majority(&read, files.len()) {
        let whole = expected.len() == files.len();
        let mut agreement = Agreement {
            subject: format!("{name} digests of all files"),
            digest: agreement::over_all(expected).to_hex(),
            agree: Vec::new(),
            disagree: Vec::new(),
        };
        for (i, found) in read.iter().enumerate() {
            let (Some(found), who) = (found, &group[i].engine.name) else { continue };
            let difference = match agreement::difference(expected, found) {
                None if !whole => Some(format!("digests of only {} of {} files", found.len(), files.len())),
                other => other,
            };
            match difference {
                None => agreement.agree.push(who.clone()),
                Some(why) => {
                    keep[i] = false;
                    agreement.disagree.push(format!("{who}: {why}"));
                }
            }
        }
        record.agreements.push(agreement);
    }
    let mut kept = keep.into_iter();
    group.retain(|_| kept.next().unwrap_or(false));
    Ok(())
}

/// Returns the digests of each file in a manifest, concatenated for `md5+sha256`.
fn digests(name: &str, files: &Files, manifest: &[u8], spelling: Spelling) -> Digests {
    let length = |part| find(part).map(|row| row.digest_len());
    if parts(name).count() == 1 {
        return files.digests(manifest, spelling, length(name));
    }
    let mut joined: BTreeMap<Vec<u8>, (usize, Vec<u8>)> = BTreeMap::new();
    for part in parts(name) {
        for (file, digest) in files.digests(manifest, spelling, length(part)) {
            let (count, bytes) = joined.entry(file).or_default();
            *count += 1;
            bytes.extend_from_slice(digest.as_bytes());
        }
    }
    joined.retain(|_, (count, _)| *count == parts(name).count());
    joined.into_iter().map(|(file, (_, bytes))| (file, Digest::new(&bytes))).collect()
}

/// Writes a manifest, and keeps the engines that accept it and reject it with a digit of the first or the last entry
/// changed.
pub(super) fn check_verifiers(
    name: &str,
    command: &[String],
    group: &mut Vec<Contender>,
    place: Place<'_>,
    share: f64,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let path = sums(place.scratch, name);
    let (own, file) = (own_program(), path.to_string_lossy());
    let directory = place.root.to_string_lossy();
    let values = [("self", own.as_str()), ("algorithm", name), ("dir", &directory), ("manifest", &file)];
    let words = fill(command, &values);
    let errors = place.scratch.join("errors");
    let made = process::run(&words, "", None, &errors);
    let made = made.map_err(|why| Error(format!("{}: {why}", words.join(" "))))?;
    if made.status != Some(0) {
        let why = first_message(&errors);
        return Err(Error(format!("the manifest to verify was not written by {}: {why}", words.join(" "))));
    }
    let right = std::fs::read(&path).map_err(|why| Error::file(&path, "read", &why))?;
    let last = right.trim_ascii_end().iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let wrong = [0, last].map(|line| with_another_digit(&right, line));
    let [Some(first_wrong), Some(last_wrong)] = wrong else {
        return Err(Error(format!("{}: contains no digest", path.display())));
    };
    let mut agreement = Agreement {
        subject: format!("verification of {name} manifests, one correct and two with a changed digit"),
        digest: agreement::digest_of(&right).to_hex(),
        agree: Vec::new(),
        disagree: Vec::new(),
    };
    let mut keep = Vec::new();
    let put = |text: &[u8]| std::fs::write(&path, text).map_err(|why| Error::file(&path, "write", &why));
    for contender in group.iter_mut() {
        session.progress.show(share, &format!("checking {name}: {}", contender.engine.name));
        let who = &contender.engine.name;
        let mut refused = true;
        for wrong in [&first_wrong, &last_wrong] {
            put(wrong)?;
            refused &= run_once(contender, &contender.check, place).is_err();
        }
        put(&right)?;
        let accepted = run_once(contender, &contender.check, place);
        keep.push(refused && accepted.is_ok());
        match accepted {
            _ if session.stopped() => {}
            Ok((cost, _)) if refused => {
                contender.manifest_bytes = right.len() as u64;
                contender.runs.push(cost);
                agreement.agree.push(who.clone());
            }
            Ok(_) => agreement.disagree.push(format!("{who}: accepts a wrong digest")),
            Err(why) => record.notes.push(format!("not measured with {name}: {why}")),
        }
    }
    record.agreements.push(agreement);
    let mut kept = keep.into_iter();
    group.retain(|_| kept.next().unwrap_or(false));
    Ok(())
}

/// Returns a manifest with another digit in the line that begins at `line`; `None` if it has no digit.
fn with_another_digit(manifest: &[u8], line: usize) -> Option<Vec<u8>> {
    let mut wrong = manifest.to_vec();
    let digit = wrong[line..].iter_mut().find(|byte| byte.is_ascii_hexdigit())?;
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    Some(wrong)
}

/// Returns the digests that most engines compute, the first ones in case of a tie. A manifest without all files counts
/// only if there is no other.
fn majority(read: &[Option<Digests>], files: usize) -> Option<&Digests> {
    let found: Vec<&Digests> = read.iter().flatten().collect();
    let votes = |digests: &Digests| found.iter().filter(|other| **other == digests).count();
    let mut best: Option<(bool, usize, &Digests)> = None;
    for digests in &found {
        let rank = (digests.len() == files, votes(digests));
        if best.is_none_or(|(whole, count, _)| rank > (whole, count)) {
            best = Some((rank.0, rank.1, digests));
        }
    }
    best.map(|(_, _, digests)| digests)
}
