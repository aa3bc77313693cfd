//! The comparison of two runs, in the formats for standard output.

use super::form::PageForm;
use super::section::Table;
use super::{markdown, text};
use crate::quantity::percent;
use crate::record::compare::{Change, Comparison};
use std::fmt::Write;

impl Comparison {
    /// Returns the comparison in one of the formats for standard output.
    pub fn text(&self, form: PageForm) -> String {
        let mut table = Table::new(&["measurement", "#B / A", "#allowed", "unit", "verdict"]);
        for row in &self.rows {
            table.rows.push(vec![
                row.name.clone(),
                format!("{:.3}", row.ratio),
                format!("{:.3}", row.allowed),
                if row.cycles { "cycles" } else { "seconds" }.to_owned(),
                match row.verdict {
                    Change::Slower => "slower",
                    Change::Faster => "faster",
                    Change::Same => "",
                }
                .to_owned(),
            ]);
        }
        if form.json {
            let json = serde_json::to_string_pretty(self).expect("a comparison is plain data");
            return json + "\n";
        }
        if form.csv {
            let mut text = "measurement,ratio,allowed,unit,verdict\n".to_owned();
            for row in &table.rows {
                let quoted = format!("\"{}\"", row[0].replace('"', "\"\""));
                let _ = writeln!(text, "{quoted},{}", row[1..].join(","));
            }
            return text;
        }
        let mut out = String::new();
        // The verdict comes last, where a terminal shows it.
        for warning in &self.warnings {
            let _ = writeln!(out, "! {warning}");
        }
        let _ = writeln!(out, "{}", if form.markdown { markdown::grid(&table) } else { text::grid(&table) });
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let verdict = match self.verdict {
            Change::Slower => "Slower",
            Change::Faster => "Faster",
            Change::Same => "No significant difference",
        };
        let _ = writeln!(
            out,
            "{verdict} (measurements in common: {}, slower: {}, faster: {});\n\
             median ratio {:.3} ({}), geometric mean {:.3}; measured in one run only: {}",
            self.rows.len(),
            count(Change::Slower),
            count(Change::Faster),
            self.median_ratio,
            signed(self.median_ratio - 1.0),
            self.mean_ratio,
            self.unmatched
        );
        out
    }
}

fn signed(share: f64) -> String {
    if share < 0.0 { format!("-{}", percent(-share)) } else { format!("+{}", percent(share)) }
}
