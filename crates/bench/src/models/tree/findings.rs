//! The main findings of a run of `bench tree`.

use crate::quantity::{digits, rate};
use crate::record::Record;

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    for plain in record.part("plain").take(3) {
        let trees =
            record.part("tree").filter(|m| m.algorithm == plain.algorithm && m.engine == plain.engine);
        let best = trees.filter_map(|m| Some((m.rate()?, m))).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some(((best, m), base)) = best.zip(plain.rate()) else { continue };
        let threads = if m.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", m.threads) };
        found.push(format!(
            "A tree of {} with leaves of {} reaches {} with {threads}, {} times the rate of the plain digest ({}).",
            m.algorithm,
            m.variant.trim_end_matches(", mtsum"),
            rate(best),
            digits(best / base),
            rate(base)
        ));
    }
    found
}
