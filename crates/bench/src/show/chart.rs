//! Bars and lines as SVG, without a library: benchmark charts are few and of fixed kinds, and the same numbers must
//! give the same bytes.
//!
//! Text does not shrink with the screen, so a chart is laid out for a width instead of being scaled: the report
//! contains one layout for wide and one for narrow windows. Widths of texts are upper estimates (no font is available),
//! so labels never touch.

mod axis;
mod bars;
mod drawing;
mod kind;
mod lines;
mod svg;
mod theme;

pub use kind::{Chart, Kind, Scale};
pub use theme::{Theme, dark, escape, variables};
