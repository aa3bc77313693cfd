//! Presentation of records: sections of text, charts and tables, and their output formats.

pub mod cells;
pub mod chart;
mod comparison;
pub mod csv;
mod form;
pub mod html;
pub mod markdown;
#[cfg(feature = "png")]
pub mod png;
mod report;
mod section;
pub mod text;

pub use form::PageForm;
pub use report::Report;
pub use section::{Column, Section, Table};
