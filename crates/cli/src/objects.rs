//! JSON lines: every object contains its schema and, in `kind`, its type.

use crate::origin;
use std::fmt::Arguments;
use std::io::Write;
use truesum::hash::{Digest, Spec};
use truesum::manifest::{Place, Rule, json};
use truesum::{BadLine, Error};

/// Begins an object.
pub fn begin(schema: &str, kind: &str, out: &mut Vec<u8>) {
    add(out, format_args!("{{\"schema\":\"{schema}\",\"kind\":\"{kind}\""));
}

/// Appends text unchanged.
pub fn add(out: &mut Vec<u8>, text: Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends a member `path`, or `path_base64`.
pub fn path(name: &[u8], out: &mut Vec<u8>) {
    out.push(b',');
    json::path_into(name, out);
}

/// Appends a text member.
pub fn text(name: &str, value: &str, out: &mut Vec<u8>) {
    add(out, format_args!(",\"{name}\":"));
    json::string_into(value, out);
}

/// Appends a member `rules`, unless there are none.
pub fn rules(rules: &[Rule], out: &mut Vec<u8>) {
    for (at, rule) in rules.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b",\"rules\":[" } else { b"," });
        json::string_into(&rule.to_string(), out);
    }
    if !rules.is_empty() {
        out.push(b']');
    }
}

/// Appends a member `digests`, by algorithm.
pub fn digests<'d>(digests: impl IntoIterator<Item = (&'d Spec, &'d Digest)>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"digests\":{");
    for (at, (spec, digest)) in digests.into_iter().enumerate() {
        add(out, format_args!("{}\"{spec}\":\"{digest}\"", if at == 0 { "" } else { "," }));
    }
    out.push(b'}');
}

/// Appends the object for a file or folder that could not be read.
pub fn failed(schema: &str, error: &Error, out: &mut Vec<u8>) {
    begin(schema, "failed", out);
    path(error.name(), out);
    text("reason", &format!("cannot {}: {}", error.action(), error.reason()), out);
    end(out);
}

/// Appends the object for a malformed part of a manifest.
pub fn malformed(schema: &str, manifest: &[u8], bad: &BadLine, out: &mut Vec<u8>) {
    begin(schema, "malformed", out);
    text("manifest", &String::from_utf8_lossy(manifest), out);
    match bad.at() {
        Place::Line(number) => add(out, format_args!(",\"line\":{number}")),
        Place::Byte(number) => add(out, format_args!(",\"byte\":{number}")),
    }
    text("reason", bad.reason(), out);
    end(out);
}

/// Appends the last object: counts, the time and place of the run, its duration and the exit
/// status.
pub fn summary(schema: &str, counts: &[(&str, u64)], seconds: f64, exit: u8, out: &mut Vec<u8>) {
    begin(schema, "summary", out);
    counts.iter().for_each(|(name, count)| add(out, format_args!(",\"{name}\":{count}")));
    end_summary([], seconds, exit, out);
}

/// Ends a summary with the members that document the run: the digests of the manifests that were
/// read completely, the time (UTC) at which the run ended, the host, the version of this program,
/// the duration and the exit status.
pub fn end_summary<'m>(
    manifests: impl IntoIterator<Item = (&'m [u8], Option<&'m Digest>)>,
    seconds: f64,
    exit: u8,
    out: &mut Vec<u8>,
) {
    let digested = manifests.into_iter().filter_map(|(name, digest)| Some((name, digest?)));
    out.extend_from_slice(b",\"manifest_digests\":[");
    for (at, (name, digest)) in digested.enumerate() {
        out.extend_from_slice(if at == 0 { b"{" } else { b",{" });
        json::path_into(name, out);
        add(out, format_args!(",\"sha256\":\"{digest}\"}}"));
    }
    out.push(b']');
    text("time", &origin::rfc3339(origin::now()), out);
    text("host", &origin::host(), out);
    text("version", origin::VERSION, out);
    add(out, format_args!(",\"seconds\":{seconds:.6},\"exit\":{exit}"));
    end(out);
}

/// Ends an object.
pub fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(b"}\n");
}
