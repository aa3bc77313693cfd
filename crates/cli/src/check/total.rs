//! What a check counts over all its manifests.

use crate::drawing::page::Page;
use std::collections::BTreeMap;
use truesum::Summary;

/// What was counted.
#[derive(Default)]
pub struct Total {
    pub summary: Summary,
    pub malformed: u64,
    pub ignored: u64,
    pub unlisted: u64,
    /// The search for files not listed ended early.
    pub cut: bool,
    pub weak: BTreeMap<String, u64>,
    /// Files that had to be verified and were.
    pub required: Vec<Vec<u8>>,
    /// Manifests that could not be read, or of which nothing was verified.
    pub useless: u64,
    /// Where files that failed are damaged.
    pub page: Page,
}

/// Adds the counts of one run.
pub fn add(total: &mut Summary, summary: &Summary) {
    total.files += summary.files;
    total.bytes += summary.bytes;
    total.verified += summary.verified;
    total.mismatched += summary.mismatched;
    total.missing += summary.missing;
    total.changed += summary.changed;
    total.unreadable += summary.unreadable;
    total.interrupted |= summary.interrupted;
}
