//! The textual forms of `truesum tree`: lists of ranges, proofs and pieces (`docs/spec/tree.md`
//! sections 6 and 7).

use crate::members::{KIND, digest, kind_of, number, object, read, schema, spec};
use serde_json::{Value, json as value};
use std::ops::Range;
use std::path::Path;
use truesum::Error;
use truesum::hash::Digest;
use truesum::manifest::json;
use truesum::manifest::path::display_safe;
use truesum::tree::growth::GrowthProof;
use truesum::tree::piece::{Origin, Piece};
use truesum::tree::prove::RangeProof;
use truesum::tree::store::Hints;
use truesum_fs::name::OsStrExt;

/// Reads a list of `OFFSET LENGTH` lines.
pub fn ranges(path: &Path) -> Result<Vec<Range<u64>>, Error> {
    let bad = |number: usize| {
        let why = format!("line {number}: expected OFFSET LENGTH");
        Error::new(path.as_os_str().as_bytes(), "use", truesum::Cause::Other(why))
    };
    let text = read(path)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let mut fields = line.split_whitespace();
            let mut next = || fields.next().and_then(|field| field.parse::<u64>().ok());
            let (offset, length) = next().zip(next()).ok_or_else(|| bad(number))?;
            let end = offset.checked_add(length).ok_or_else(|| bad(number))?;
            Ok(offset..end)
        })
        .collect()
}

/// Returns a proof as one line.
pub fn proof(proof: &RangeProof) -> String {
    let path: Vec<String> = proof.path.iter().map(Digest::to_hex).collect();
    let value = value!({
        KIND: schema("proof-1"), "algorithm": proof.spec.to_string(), "size": proof.size,
        "first": proof.leaves.start, "end": proof.leaves.end, "path": path,
    });
    format!("{value}\n")
}

/// Parses a proof.
pub fn parse_proof(text: &str) -> Result<RangeProof, String> {
    let object = object(text, "proof-1", &["algorithm", "size", "first", "end", "path"])?;
    let path = object["path"].as_array().ok_or("\"path\" is not a list")?;
    let path = path.iter().map(digest).collect::<Result<Vec<Digest>, String>>()?;
    let leaves = number(&object, "first")?..number(&object, "end")?;
    Ok(RangeProof { spec: spec(&object)?, size: number(&object, "size")?, leaves, path })
}

/// Returns a growth proof as one line.
pub fn growth(proof: &GrowthProof) -> String {
    let path: Vec<String> = proof.path.iter().map(Digest::to_hex).collect();
    let value = value!({
        KIND: schema("growth-1"), "algorithm": proof.spec.to_string(), "old_size": proof.old_size,
        "size": proof.size, "old_root": proof.old_root.to_hex(), "path": path,
    });
    format!("{value}\n")
}

/// Parses a growth proof; `None` if it is something else.
pub fn parse_growth(text: &str) -> Option<Result<GrowthProof, String>> {
    let any = serde_json::from_str::<Value>(text).ok()?;
    if any.as_object().and_then(kind_of).as_deref() != Some("growth-1") {
        return None;
    }
    let parse = || {
        let object = object(text, "growth-1", &["algorithm", "old_size", "size", "old_root", "path"])?;
        let path = object["path"].as_array().ok_or("\"path\" is not a list")?;
        let path = path.iter().map(digest).collect::<Result<Vec<Digest>, String>>()?;
        let (old_size, size) = (number(&object, "old_size")?, number(&object, "size")?);
        Ok(GrowthProof { spec: spec(&object)?, old_size, size, old_root: digest(&object["old_root"])?, path })
    };
    Some(parse())
}

/// Returns a piece as one line.
pub fn piece(piece: &Piece) -> String {
    let levels: Vec<Value> =
        piece.levels.iter().map(|(level, hash)| value!([level, hash.to_hex()])).collect();
    let mut value = value!({
        KIND: schema(PIECES[0]), "algorithm": piece.spec.to_string(), "size": piece.size,
        "first": piece.range.start, "end": piece.range.end, "levels": levels,
    });
    value[SEAL] = piece.seal().to_hex().into();
    let Some(Origin { path, state, version }) = &piece.origin else {
        value[KIND] = schema(PIECES[1]).into();
        return format!("{value}\n");
    };
    value["inode"] = state.inode.into();
    value["mtime_ns"] = state.mtime.into();
    value["ctime_ns"] = state.ctime.into();
    if let Some(version) = version {
        value[VERSION] = version.as_str().into();
    }
    named(&value, path)
}

/// The kinds of piece lines: with and without the origin.
const PIECES: [&str; 2] = ["piece-2", "piece-1"];
/// The member with the digest of the others. A line without it is damaged.
const SEAL: &str = "blake3";
/// The member with the version of an object.
const VERSION: &str = "version";

/// Returns an object as one line that contains a name.
fn named(value: &Value, path: &[u8]) -> String {
    let mut line = value.to_string().into_bytes();
    line.pop();
    line.push(b',');
    json::path_into(path, &mut line);
    line.extend_from_slice(b"}\n");
    String::from_utf8_lossy(&line).into_owned()
}

/// Returns a line that reports the failure of a piece, to be collected with the pieces.
pub fn no_piece(error: &Error) -> String {
    let value = value!({
        KIND: schema(FAILURE), "failed": error.kind().word(), "reason": error.reason(), "errno": error.errno(), "again": error.is_transient(),
    });
    named(&value, error.name())
}

const FAILURE: &str = "failed-1";

/// Parses a piece.
pub fn parse_piece(line: &str) -> Result<Piece, String> {
    let any = serde_json::from_str::<Value>(line).unwrap_or_default();
    let mut keys = vec!["algorithm", "size", "first", "end", "levels", SEAL];
    let kind = |name: &str| any.as_object().and_then(kind_of).as_deref() == Some(name);
    if kind(FAILURE) {
        let failed = object(line, FAILURE, &["path", "failed", "reason", "errno", "again"])?;
        let text = |key: &str| display_safe(failed[key].as_str().unwrap_or_default().as_bytes());
        return Err(format!("no digest of {} ({}): {}", text("path"), text("failed"), text("reason")));
    }
    let (object, origin) = if kind(PIECES[1]) {
        (object(line, PIECES[1], &keys)?, None)
    } else {
        keys.extend(["path", "inode", "mtime_ns", "ctime_ns"]);
        keys.extend(any.get(VERSION).map(|_| VERSION));
        let object = object(line, PIECES[0], &keys)?;
        let time = |key: &str| object[key].as_i64().ok_or_else(|| format!("\"{key}\" is not an integer"));
        let (mtime, ctime) = (time("mtime_ns")?, time("ctime_ns")?);
        let state = Hints { mtime, ctime, inode: number(&object, "inode")?, device: 0 };
        let shown = object["path"].as_str().ok_or("\"path\" is not a string")?.to_owned();
        let path = json::path_from(shown, object.get("path_base64").and_then(Value::as_str))?;
        let version = object.get(VERSION).and_then(Value::as_str).map(str::to_owned);
        (object, Some(Origin { path, state, version }))
    };
    let levels = object["levels"].as_array().ok_or("\"levels\" is not a list")?;
    let level = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([level, hash]) => {
            let level = level
                .as_u64()
                .and_then(|level| u8::try_from(level).ok())
                .ok_or("a level is not an integer from 0 to 255")?;
            Ok((level, digest(hash)?))
        }
        _ => Err("a level is not a pair of a number and a hash".to_owned()),
    };
    let levels = levels.iter().map(level).collect::<Result<Vec<(u8, Digest)>, String>>()?;
    let range = number(&object, "first")?..number(&object, "end")?;
    if range.start > range.end {
        return Err("the range ends before it begins".to_owned());
    }
    let piece = Piece { spec: spec(&object)?, size: number(&object, "size")?, range, levels, origin };
    if digest(&object[SEAL])? != piece.seal() {
        return Err("corrupt: the checksum does not match".to_owned());
    }
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum::hash::Spec;

    /// A line with one byte changed, lost or doubled must be rejected or have the same meaning.
    fn assert_every_damage_is_detected(line: &[u8]) {
        let piece = parse_piece(std::str::from_utf8(line).unwrap()).unwrap();
        let same = |bytes: Vec<u8>| {
            let Ok(text) = String::from_utf8(bytes) else { return };
            assert!(parse_piece(&text).map_or(true, |read| read == piece), "{text}");
        };
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut damaged = line.to_vec();
                damaged[at] ^= 1 << bit;
                same(damaged);
            }
            same([&line[..at], &line[at + 1..]].concat());
            same([&line[..=at], &line[at..]].concat());
            same(line[..at].to_vec());
        }
    }

    #[test]
    fn proofs_and_pieces_round_trip() {
        let hash = Digest::new(&[7; 32]);
        let spec: Spec = "sha256-tree;leaf=1MiB".parse().unwrap();
        let made = RangeProof { spec: spec.clone(), size: 9, leaves: 0..1, path: vec![hash.clone()] };
        assert_eq!(parse_proof(&proof(&made)), Ok(made.clone()));
        let state = Hints { mtime: -1, ctime: i64::MAX, inode: u64::MAX, device: 0 };
        let version = Some("\"e-3\"".to_owned());
        for (path, version) in [
            (Some(b"a\"b".to_vec()), None),
            (Some(b"\xff".to_vec()), None),
            (Some(b"k".to_vec()), version),
            (None, None),
        ] {
            let origin = path.map(|path| Origin { path, state, version });
            let part =
                Piece { spec: spec.clone(), size: 9, range: 0..1, levels: vec![(0, hash.clone())], origin };
            assert_eq!(parse_piece(&piece(&part)), Ok(part.clone()));
            assert!(parse_piece(&piece(&part).replacen("piece/", "peace/", 1)).is_err());
            assert_every_damage_is_detected(piece(&part).trim_end().as_bytes());
            // A line that lost its digest may have lost more.
            let seal = format!(",\"{SEAL}\":\"{}\"", part.seal());
            let unsealed =
                piece(&part).replacen(&seal, "", 1).replacen(&seal[1..], "", 1).replacen("{,", "{", 1);
            assert!(unsealed.len() < piece(&part).len());
            assert!(parse_piece(&unsealed).is_err(), "{unsealed}");
        }
        let failure = Error::io(b"x", "open", std::io::Error::from_raw_os_error(2));
        let error = parse_piece(&no_piece(&failure)).unwrap_err();
        assert!(error.contains("no digest of x (missing)"), "{error}");
        let text = proof(&made);
        let old = text.replacen("\"schema\":\"truesum-proof/1\"", "\"truesum\":\"proof-1\"", 1);
        assert!(old != text && parse_proof(&old) == Ok(made.clone()), "as it was spelt at first: {old}");
        for (from, to) in [
            ("proof/1", "proof/2"),
            ("\"schema\"", "\"truesum\":\"proof-1\",\"schema\""),
            ("\"size\":9", "\"size\":-9"),
            ("\"size\":9", "\"size\":9.5"),
            ("0707", "07g7"),
            ("\"size\":9", "\"sise\":9"),
            ("\"first\":0", "\"first\":\"0\""),
            ("sha256-tree", "sha256-wood"),
            ("{", "["),
        ] {
            assert!(parse_proof(&text.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
        assert!(parse_piece(&text).is_err());
        assert!(parse_growth(&text).is_none());
        let grown = GrowthProof {
            spec: made.spec.clone(),
            old_size: 5,
            size: 9,
            old_root: Digest::new(&[8; 32]),
            path: made.path.clone(),
        };
        let text = growth(&grown);
        assert_eq!(parse_growth(&text), Some(Ok(grown)));
        assert!(parse_proof(&text).is_err());
        for (from, to) in [("\"old_size\":5", "\"old_size\":-5"), ("0808", "08g8"), ("old_root", "root")] {
            assert!(
                parse_growth(&text.replacen(from, to, 1)).is_some_and(|parsed| parsed.is_err()),
                "{from}"
            );
        }
    }
}
