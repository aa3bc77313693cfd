//! The properties of an algorithm: the fields of a table row, and the parameters of a digest.

mod crc;
mod linear;
mod params;
mod row;
mod serial;
mod status;
mod unit;

pub use crc::{Crc, Parameters};
pub use linear::Linear;
pub(crate) use params::{GivenExplicitly, Params};
pub use params::{Key, Keying, Secret};
pub use row::{Algorithm, Decimal, Lengths, Variant};
pub(crate) use row::{Close, Composite, Division, HeaderDigest, Kind, List, rows};
pub(crate) use serial::{Output, Serial, feed_zeros};
pub use status::Status;
pub(crate) use unit::Unit;
