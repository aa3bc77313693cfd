//! Proofs as one line of JSON (`docs/spec/directory.md` section 2).

use crate::members::{digest, number, object, schema, spec};
use serde_json::{Map, Value};
use std::io::Write;
use truesum::directory::Kind;
use truesum::directory::prove::{Body, ObjectProof};
use truesum::hash::Digest;
use truesum::manifest::json;

/// The value of the first member.
const KIND: &str = "directory-proof-1";

/// Returns a proof as one line.
pub fn write(proof: &ObjectProof) -> String {
    let mut line = Vec::new();
    let modes = proof.mode.is_some();
    let _ = write!(
        line,
        "{{\"schema\":\"{}\",\"algorithm\":\"{}\",\"modes\":{modes},\"entries\":{},\"index\":{},",
        schema(KIND),
        proof.spec,
        proof.entries,
        proof.index
    );
    let _ = write!(line, "\"type\":\"{}\",", type_of(&proof.body));
    json::path_into(&proof.path, &mut line);
    if let Some(mode) = proof.mode {
        let _ = write!(line, ",\"mode\":{mode}");
    }
    match &proof.body {
        Body::Folder => {}
        Body::File { size, digest } => {
            let _ = write!(line, ",\"size\":{size},\"digest\":\"{digest}\"");
        }
        Body::Link(target) => {
            line.push(b',');
            json::bytes_into("target", target, &mut line);
        }
    }
    let hashes: Vec<String> = proof.hashes.iter().map(Digest::to_hex).collect();
    let _ = writeln!(line, ",\"path_hashes\":{}}}", Value::from(hashes));
    String::from_utf8_lossy(&line).into_owned()
}

fn type_of(body: &Body) -> &'static str {
    match body {
        Body::Folder => "folder",
        Body::File { .. } => "file",
        Body::Link(_) => "link",
    }
}

/// Parses a proof.
pub fn parse(text: &str) -> Result<ObjectProof, String> {
    let any: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let mut keys = vec!["algorithm", "modes", "entries", "index", "type", "path", "path_hashes"];
    let kind = any.get("type").and_then(Value::as_str).unwrap_or_default();
    keys.extend_from_slice(match kind {
        "folder" => &[],
        "file" => &["size", "digest"],
        "link" => &["target"],
        _ => return Err("not a truesum directory proof".to_owned()),
    });
    let modes = any.get("modes").and_then(Value::as_bool).ok_or("\"modes\" is neither true nor false")?;
    if modes {
        keys.push("mode");
    }
    let object = object(text, KIND, &keys)?;
    let spec = spec(&object)?;
    if !Kind::is_base(&spec) {
        return Err(format!("{spec} is not available for directory digests"));
    }
    let path = bytes(&object, "path")?;
    if !is_plain(&path) {
        return Err("\"path\" is not a valid relative path".to_owned());
    }
    let body = match kind {
        "folder" => Body::Folder,
        "link" => Body::Link(bytes(&object, "target")?),
        _ => {
            let content = digest(&object["digest"])?;
            if content.len() != spec.digest_len() {
                return Err(format!("\"digest\" is not a {spec} digest"));
            }
            Body::File { size: number(&object, "size")?, digest: content }
        }
    };
    let mode = match modes {
        true => Some(u32::try_from(number(&object, "mode")?).map_err(|_| "\"mode\" is invalid")?),
        false => None,
    };
    let hashes = object["path_hashes"].as_array().ok_or("\"path_hashes\" is not a list")?;
    let hashes = hashes.iter().map(digest).collect::<Result<Vec<Digest>, String>>()?;
    let (entries, index) = (number(&object, "entries")?, number(&object, "index")?);
    Ok(ObjectProof { spec, entries, index, path, mode, body, hashes })
}

/// Returns whether this path consists of names separated by single slashes and stays below the
/// root.
fn is_plain(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b"..") && !part.contains(&0))
}

fn bytes(object: &Map<String, Value>, key: &str) -> Result<Vec<u8>, String> {
    let shown = object[key].as_str().ok_or_else(|| format!("\"{key}\" is not a string"))?.to_owned();
    let base64 = object.get(&format!("{key}_base64")).and_then(Value::as_str);
    Ok(json::path_from(shown, base64)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_round_trip_and_invalid_ones_are_rejected() {
        let hash = Digest::new(&[7; 32]);
        let file = Body::File { size: 9, digest: hash.clone() };
        for body in [file, Body::Folder, Body::Link(b"\xff/..".to_vec())] {
            for (mode, path) in [(None, &b"a/b\"c"[..]), (Some(0o644), b"\xfe")] {
                let proof = ObjectProof {
                    spec: "sha256".parse().unwrap(),
                    entries: 3,
                    index: 1,
                    path: path.to_vec(),
                    mode,
                    body: body.clone(),
                    hashes: vec![hash.clone(), hash.clone()],
                };
                let text = write(&proof);
                assert_eq!(parse(&text), Ok(proof));
                for (from, to) in [
                    ("proof/1", "proof/2"),
                    ("sha256", "crc32"),
                    ("sha256", "sha256-tree"),
                    ("\"entries\":3", "\"entries\":-3"),
                    ("\"entries\":3", "\"entries\":3,\"more\":1"),
                    ("\"index\":1,", ""),
                    ("0707", "07g7"),
                    ("\"path\":\"", "\"path\":\"/"),
                    ("\"path\":\"", "\"path\":\"../"),
                    ("\"path\":\"", "\"path\":\"x//"),
                    ("\"path\":\"", "\"path\":\"./"),
                    ("\"modes\":", "\"modes\":1,\"m\":"),
                ] {
                    assert!(parse(&text.replacen(from, to, 1)).is_err(), "{from} -> {to} in {text}");
                }
            }
        }
    }
}
