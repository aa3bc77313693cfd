//! The sections of `bench algorithms`.

mod calls;
mod kernels;
mod others;
mod rates;
mod sizes;
mod threads;

pub(super) use rates::{MANY, ranked};

use crate::record::Record;
use crate::show::Section;

pub(super) fn sections(record: &Record) -> Vec<Section> {
    vec![
        rates::rates(record),
        rates::needs(record),
        sizes::sizes(record),
        calls::calls(record),
        kernels::kernels(record),
        threads::threads(record),
        others::others(record),
    ]
}
