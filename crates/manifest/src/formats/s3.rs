//! Reports of S3 batch jobs that compute checksums: CSV without a header, whose last column is
//! JSON.
//!
//! Keys are URL-encoded. A checksum of type COMPOSITE covers the checksums of the parts, and
//! verifies nothing if their sizes are unknown.

use super::csv::fields::{Fields, Row, TORN, each_row};
use crate::digest::is_nearly;
use crate::formats::prelude::*;
use crate::records::Records;
use serde::Deserialize;
use std::collections::HashMap;

pub(crate) static S3_REPORT: Format = Format {
    name: "s3-report",
    summary: "report of an S3 batch checksum job: CSV containing JSON",
    sniff,
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// Number of columns: bucket, key, version, task status, HTTP status, error and message.
const COLUMNS: usize = 7;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "checksumAlgorithm")]
    algorithm: String,
    #[serde(rename = "checksumType")]
    kind: String,
    checksum_base64: Option<String>,
    checksum_hex: Option<String>,
    /// All other members.
    #[serde(flatten)]
    others: HashMap<String, serde::de::IgnoredAny>,
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let line = head.text.split(|&byte| byte == b'\n').next()?;
    Claim::mark(scan::contains(line, b"\"\"checksumAlgorithm\"\""))
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::default();
    each_row(Fields::new(&text, b','), COLUMNS, options, |row| entry(&mut records, row))?;
    Ok(records.read(options))
}

fn entry(records: &mut Records, row: &Row) {
    records.begin(row.at);
    if row.torn {
        return records.fault(TORN);
    }
    let [_, key, _, status, .., message] = &row.fields[..] else {
        return records.fault("too few columns");
    };
    match radix::form(key) {
        Some(name) => records.name(&name),
        None => records.fault("the key is not URL-encoded"),
    }
    if status != b"succeeded" {
        return records.fault("the task failed, so there is no checksum");
    }
    match serde_json::from_slice::<Message>(message) {
        Ok(message)
            if message.others.keys().any(|key| {
                is_nearly(key.as_bytes(), b"checksum_base64") || is_nearly(key.as_bytes(), b"checksum_hex")
            }) =>
        {
            records.fault("an unknown JSON key that resembles the key of a checksum");
        }
        Ok(message) if message.kind == "FULL_OBJECT" => {
            for digest in [&message.checksum_hex, &message.checksum_base64].into_iter().flatten() {
                records.digest(message.algorithm.as_bytes(), digest.as_bytes());
            }
        }
        Ok(_) => records.fault("a composite checksum of parts whose sizes are unknown"),
        Err(_) => records.fault("no checksum in the last column"),
    }
}
