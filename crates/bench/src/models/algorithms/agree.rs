//! Checks that all ways of computing a digest agree: those that do not are not timed.

use super::points::named;
use crate::quantity;
use crate::record::Agreement;
use truesum_hash::kernel::{self, Kernel};
use truesum_hash::{Spec, hash_many, hash_many_on};

/// Computes the digest of one message in all ways, and compares it with the expected one if known.
pub(super) fn agree(spec: &Spec, message: &[u8], expected: Option<&str>) -> Agreement {
    let one_call = spec.digest(message).to_hex();
    let digest = expected.map_or_else(|| one_call.clone(), str::to_owned);
    let (mut agree, mut disagree) = (Vec::new(), Vec::new());
    if expected.is_some() {
        agree.push("other programs".to_owned());
    }
    let mut judge = |who: String, found: &str| {
        if found == digest { agree.push(who) } else { disagree.push(format!("{who}: {found}")) }
    };
    judge("one call".to_owned(), &one_call);
    let mut hasher = spec.hasher();
    for slice in message.chunks(4099) {
        hasher.update(slice);
    }
    judge("in slices".to_owned(), &hasher.finish_reset().to_hex());
    hasher.update(message);
    judge("reused hasher".to_owned(), &hasher.finish().to_hex());
    let messages = [message; 3];
    for digest in hash_many(spec, &messages) {
        judge("batch".to_owned(), &digest.to_hex());
    }
    for row in kernel::rows(spec.algorithm()).iter().filter_map(Kernel::runnable) {
        for digest in hash_many_on(row, spec, &messages[..2]).unwrap_or_default() {
            judge(named(&row), &digest.to_hex());
        }
    }
    agree.dedup();
    disagree.dedup();
    Agreement {
        subject: format!("{spec} of {}", quantity::bytes(message.len() as u64)),
        digest,
        agree,
        disagree,
    }
}
#[cfg(test)]
mod tests {
    use super::super::definition::Definition;
    use super::*;
    use crate::measure::input;

    #[test]
    fn every_algorithm_agrees_with_other_programs() {
        let built_in = include_str!("../../../definitions/algorithms.toml");
        let definition: Definition = toml::from_str(&built_in.replace("model = \"algorithms\"", "")).unwrap();
        let message = input::generated(definition.input.seed, definition.input.rate_size.0 as usize);
        for spec in definition.algorithms.rate.specs() {
            let expected = definition.expected.get(&spec.to_string()).map(String::as_str);
            let agreement = agree(&spec, &message, expected);
            assert_eq!(agreement.disagree, [""; 0], "{spec}");
            assert!(agreement.agree.len() >= 4, "{agreement:?}");
        }
    }

    #[test]
    fn wrong_digest_is_detected() {
        let spec: Spec = "sha256".parse().unwrap();
        let agreement = agree(&spec, b"abc", Some("00"));
        assert!(agreement.disagree.len() >= 4 && agreement.agree == ["other programs"], "{agreement:?}");
    }
}
