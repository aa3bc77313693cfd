//! Inventory reports of an S3 bucket: CSV without a header, all fields quoted, with the ETag of
//! each object.
//!
//! S3 defines the order of the columns; the `manifest.json` of the inventory specifies which of
//! them are present: bucket and key, optionally three columns about versions, optionally the
//! size, then the time of last modification and the ETag. The reader finds them by the time.
//!
//! An ETag is the MD5 of an object that was uploaded in one part and is not encrypted with a
//! customer's key (S3 user guide, "Common response headers"). Other ETags cannot verify anything
//! and are reported as errors.

use super::csv::fields::{Fields, Row, each_row};
use crate::digest::is_hex;
use crate::formats::prelude::*;
use crate::records::Records;

pub(crate) static S3_INVENTORY: Format = Format {
    name: "s3-inventory",
    summary: "S3 inventory report (CSV), with ETags that are MD5 digests",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["md5"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// Maximum number of columns of a row.
const MAX_COLUMNS: usize = 64;

/// The ETag of an empty object.
const EMPTY: &[u8] = b"d41d8cd98f00b204e9800998ecf8427e";

/// Types of encryption with which an ETag is not an MD5.
const ENCRYPTED: [&[u8]; 3] = [b"SSE-KMS", b"DSSE-KMS", b"SSE-C"];

/// Returns true for a time as written by S3: `2026-11-22T20:20:24.000Z`.
fn is_time(field: &[u8]) -> bool {
    let shape = b"0000-00-00T00:00:00";
    field.len() >= 20
        && field.ends_with(b"Z")
        && field.iter().zip(shape).all(|(byte, want)| match want {
            b'0' => byte.is_ascii_digit(),
            want => byte == want,
        })
}

/// Returns the MD5 of an ETag, and whether it is that of a multipart upload. Some programs keep
/// the quotes of the HTTP header.
fn etag(field: &[u8]) -> Option<(&[u8], bool)> {
    let inside = |field: &'_ [u8]| matches!(field, [b'"', .., b'"']).then(|| 1..field.len() - 1);
    let field = inside(field).map_or(field, |inside| &field[inside]);
    let (md5, parts) = scan::cut(field, b'-').map_or((field, None), |(md5, parts)| (md5, Some(parts)));
    let good = md5.len() == 32
        && is_hex(md5)
        && parts.is_none_or(|parts| !parts.is_empty() && parts.iter().all(u8::is_ascii_digit));
    good.then_some((md5, parts.is_some()))
}

/// Returns the index of the time column, which follows bucket and key.
fn dated(row: &[Vec<u8>]) -> Option<usize> {
    row.iter().skip(2).position(|field| is_time(field)).map(|at| at + 2)
}

/// Claims a file whose first row is quoted and has a time followed by an ETag.
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let end = scan::find(head.text, |byte| byte == b'\n').unwrap_or(head.text.len());
    let line = &head.text[..end];
    if !line.starts_with(b"\"") || end > 16 << 10 {
        return None;
    }
    let row = Fields::new(line, b',').row(MAX_COLUMNS).ok()?;
    let at = dated(&row)?;
    Claim::mark(etag(row.get(at + 1)?).is_some())
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::default();
    let mut columns = None;
    each_row(Fields::new(&text, b','), MAX_COLUMNS, options, |row| {
        let columns = columns.get_or_insert_with(|| (row.fields.len(), dated(&row.fields)));
        entry(&mut records, row, *columns);
    })?;
    Ok(records.read(options))
}

/// Adds the record of a row, which must have the same columns as the first one.
fn entry(records: &mut Records, row: &Row, columns: (usize, Option<usize>)) {
    let Row { fields: row, at, torn } = row;
    records.begin(*at);
    let (count, Some(date)) = columns else {
        return records.fault("no date column");
    };
    if *torn || row.len() != count {
        return records.fault("the columns differ from those in the first row");
    }
    let Some(name) = radix::form(&row[1]) else { return records.fault("the key is not URL-encoded") };
    // The version, whether it is the latest, and whether it is a delete marker.
    let versioned = date >= 5 && [3, 4].iter().all(|at| matches!(&row[*at][..], b"true" | b"false"));
    let earlier = versioned && (&row[3][..] == b"false" || &row[4][..] == b"true");
    let is_encrypted = row[date..].iter().any(|field| ENCRYPTED.contains(&&field[..]));
    let is_empty = match row.get(date + 1) {
        Some(field) if !is_encrypted => etag(field).is_some_and(|(md5, _)| md5 == EMPTY),
        _ => &row[date - 1][..] == b"0",
    };
    if earlier || name.ends_with(b"/") && is_empty {
        // An older version, a delete marker, or a directory placeholder.
        return records.cancel();
    }
    records.name(&name);
    let is_row =
        |part: &[Vec<u8>]| is_time(&part[0]) && part.get(1).is_some_and(|field| etag(field).is_some());
    if (date + 2..row.len()).any(|at| is_row(&row[at..])) {
        return records.fault("two rows joined (a line break is missing)");
    }
    if !is_time(&row[date]) {
        return records.fault("the columns differ from those in the first row");
    }
    let size = &row[date - 1];
    if date > if versioned { 5 } else { 2 } {
        records.size(size);
    }
    match row.get(date + 1).and_then(|field| etag(field)) {
        None => records.fault("no ETag after the date"),
        Some((_, true)) => records.fault("the ETag of a multipart upload whose part sizes are unknown"),
        Some(_) if is_encrypted => {
            records.fault("the object is encrypted, so its ETag is not an MD5 digest");
        }
        Some((md5, false)) => records.digest(b"md5", md5),
    }
}
