//! Bars and lines as SVG, written by hand: benchmark charts are few and of fixed kinds, and the same numbers must give the
//! same bytes.
//!
//! Text does not shrink with the screen, so a chart is laid out for a width instead of being scaled: the report holds one
//! layout for wide and one for narrow windows. Widths of texts are estimated from above (no font is at hand), so labels
//! never touch.

mod axis;
mod bars;
mod drawing;
mod kind;
mod lines;
mod svg;
mod theme;

pub use kind::{Chart, Kind, Scale};
pub use theme::{Theme, dark, escape, variables};
