//! A record with the sections of its model: the input of every output format.

use super::section::Section;
use crate::quantity::{bytes, percent};
use crate::record::Record;

/// A record and its presentation.
#[derive(Debug)]
pub struct Report<'a> {
    /// The run.
    pub record: &'a Record,
    /// The main findings, in three sentences or fewer.
    pub findings: Vec<String>,
    /// Its sections, in reading order.
    pub sections: Vec<Section>,
}

impl Report<'_> {
    /// Returns the title of a run in headings.
    pub fn title(&self) -> String {
        format!("truesum bench {}: {}", self.record.model, self.record.input)
    }

    /// Returns a short title: the model, and the input without the text in brackets.
    pub fn heading(&self) -> String {
        let input = self.record.input.split(" (").next().unwrap_or_default();
        format!("{}: {input}", self.record.model)
    }

    /// Returns the date it started.
    pub fn date(&self) -> &str {
        self.record.started.split('T').next().unwrap_or_default()
    }

    /// Returns what a run measures, in one line; empty for an old record without it.
    pub fn what(&self) -> String {
        let cold =
            if self.record.notes.iter().any(|note| note.starts_with("cold:")) { ", cold cache" } else { "" };
        format!("{}{cold}", self.record.summary)
    }

    /// Returns what the reader must know before any figure: noise, disagreement, interruption, missing engines, notes.
    pub fn warnings(&self) -> Vec<String> {
        let record = self.record;
        let mut warnings = Vec::new();
        warnings.extend(record.noise.and_then(|noise| noise.verdict()));
        if record.noise.is_none() {
            warnings.push("too few samples to determine how noisy the machine was".to_owned());
        }
        let (load, cores) = (record.environment.load_before, record.environment.cores as f64);
        if load > cores * 0.5 {
            warnings.push(format!(
                "other processes were busy before the run began (load {load:.1}, usable cores: {cores})"
            ));
        }
        for agreement in &record.agreements {
            for who in &agreement.disagree {
                warnings.push(format!("{}: the results differ ({who})", agreement.subject));
            }
        }
        if record.interrupted {
            warnings.push("interrupted: some figures are missing".to_owned());
        }
        warnings.extend(record.notes.iter().cloned());
        warnings
    }

    /// Returns the machine and the run in one line each.
    pub fn facts(&self) -> Vec<(String, String)> {
        let record = self.record;
        let e = &record.environment;
        let mut facts = vec![
            ("Input", record.input.clone()),
            (
                "Processor",
                format!(
                    "{}, {} usable {}, {:.2} GHz measured",
                    e.cpu,
                    e.cores,
                    if e.cores == 1 { "core" } else { "cores" },
                    e.clock / 1e9
                ),
            ),
            ("Features", e.features.join(" ")),
            ("Caches", e.caches.join(", ")),
            ("Memory", bytes(e.memory)),
            ("System", format!("{}, kernel {}", e.system, e.kernel)),
            ("Governor", e.governor.clone()),
            ("Load", format!("{:.2} before, {:.2} after", e.load_before, e.load_after)),
        ];
        if e.virtual_machine {
            facts.push((
                "Hypervisor",
                "yes: the processor and the disk are shared with other guests".to_owned(),
            ));
        }
        if let Some(kernel) = &e.forced_kernel {
            facts.push(("Kernel forced", kernel.clone()));
        }
        if !e.left_out.is_empty() {
            facts.push(("Disabled", e.left_out.join(" ")));
        }
        if let Some(capabilities) = &e.told_openssl {
            facts.push(("OPENSSL_ia32cap", capabilities.clone()));
        }
        if let Some(storage) = &e.storage {
            let mut words = vec![storage.file_system.clone(), storage.device.clone(), storage.model.clone()];
            words.push(match storage.rotational {
                Some(true) if e.virtual_machine => "rotational (reported by the hypervisor)".to_owned(),
                Some(true) => "spinning disk".to_owned(),
                Some(false) => "non-rotational".to_owned(),
                None => String::new(),
            });
            words.retain(|word| !word.is_empty());
            facts.push(("Storage", words.join(", ")));
        }
        if let Some(noise) = record.noise {
            let (spread, p90, outliers) =
                (percent(noise.spread), percent(noise.spread_p90), percent(noise.outliers));
            let line = format!(
                "spread {spread} (median), {p90} (90th percentile), {outliers} outliers, drift x{:.2}",
                noise.drift
            );
            facts.push(("Noise", line));
        }
        let agreed = record.agreements.iter().filter(|agreement| agreement.disagree.is_empty()).count();
        facts.push(("Agreement", format!("matching digests: {agreed} of {}", record.agreements.len())));
        facts.push(("Run", format!("{} at {}, {:.0} s", record.program, record.started, record.seconds)));
        facts.retain(|(_, value)| !value.is_empty());
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
