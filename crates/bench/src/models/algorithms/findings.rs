//! The main findings of a run of `bench algorithms`.

use super::views::{MANY, ranked};
use crate::measure::statistics::median;
use crate::quantity::{digits, rate};
use crate::record::{Measurement, Record};
use crate::show::cells::status;

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let rows = ranked(record);
    let rate_of = |m: Option<&Measurement>| m.and_then(Measurement::rate);
    let both = |one: Option<&Measurement>, many: Option<&Measurement>| {
        let lanes = rate_of(many).map(|many| format!(", {} for many in parallel", rate(many)));
        rate_of(one).map(|one| format!("{} for one message{}", rate(one), lanes.unwrap_or_default()))
    };
    let mut found = Vec::new();
    let secure = rows.iter().find(|(name, ..)| status(name) == "secure");
    if let Some((name, one, many)) = secure
        && let Some(rates) = both(*one, *many)
    {
        found.push(format!("The fastest secure algorithm on one core is {name}: {rates}."));
    }
    let usual = rows.iter().find(|(name, ..)| *name == "sha256");
    if let Some((name, one, many)) = usual
        && secure.is_none_or(|(fastest, ..)| fastest != name)
        && let Some(rates) = both(*one, *many)
    {
        let kernel = one.map_or("", |m| m.kernel.as_str());
        let by = if kernel.is_empty() { String::new() } else { format!(" ({kernel})") };
        found.push(format!("{name}{by} reaches {rates}."));
    }
    let gains: Vec<f64> =
        rows.iter().filter_map(|(_, one, many)| Some(rate_of(*many)? / rate_of(*one)?)).collect();
    let lanes = record.part("rate").any(|m| m.variant == MANY);
    if let Some(gain) = median(&gains).filter(|_| lanes) {
        found.push(format!(
            "Hashing many messages in parallel is {} times as fast as hashing them one by one (median of {} algorithm{}).",
            digits(gain),
            gains.len(),
            if gains.len() == 1 { "" } else { "s" }
        ));
    }
    found
}
