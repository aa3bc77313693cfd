//! The formats of a result on standard output.

use super::report::Report;
use super::{csv, markdown, text};
use clap::Args;

/// Specifies what is printed on standard output.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(multiple = false)]
pub struct PageForm {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print one line of CSV for each measurement
    #[arg(long)]
    pub csv: bool,
    /// Print Markdown tables
    #[arg(long)]
    pub markdown: bool,
}

impl PageForm {
    /// Returns a report in this format.
    pub fn of(self, report: &Report) -> String {
        if self.json {
            report.record.to_json()
        } else if self.csv {
            csv::text(report.record)
        } else if self.markdown {
            markdown::text(report)
        } else {
            text::text(report)
        }
    }
}
