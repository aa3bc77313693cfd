//! Defines the points of a measurement: an algorithm, a way of calling it, a size, a number of threads.

use super::definition::{Arguments, Definition, Part};
use crate::measure::environment::thread_counts;
use truesum_hash::Spec;
use truesum_hash::kernel::{self, Kernel, Runnable};

/// Specifies how a point calls the hash.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// A new hasher for each message.
    New,
    /// One hasher for all messages.
    Reused,
    /// `Spec::digest`.
    OneShot,
    /// Many messages in lanes.
    Batch,
    /// As many messages as the row has lanes, with this row only.
    Row(Runnable),
}

impl Call {
    pub(super) fn word(self) -> &'static str {
        match self {
            Call::New => "new hasher",
            Call::Reused => "reused hasher",
            Call::OneShot => "one call",
            Call::Batch => "batch in lanes",
            Call::Row(_) => "row",
        }
    }
}

pub(super) struct Point {
    pub(super) part: Part,
    pub(super) spec: Spec,
    pub(super) call: Call,
    pub(super) bytes: usize,
    pub(super) threads: usize,
}

impl Point {
    /// Returns the number of messages hashed by one call.
    pub(super) fn messages(&self) -> usize {
        match self.call {
            Call::Batch => {
                // Full lanes, several times over for short messages.
                let lanes = kernel::full_lanes(self.spec.algorithm());
                lanes * (64 / lanes).max(1)
            }
            Call::Row(row) => row.lanes(),
            _ => 1,
        }
    }

    /// Returns the kernel row that is used.
    pub(super) fn kernel(&self) -> String {
        let rows = kernel::rows(self.spec.algorithm());
        match self.call {
            Call::Row(row) => named(&row),
            _ if rows.is_empty() => String::new(),
            _ => named(&kernel::pick(rows, self.messages())),
        }
    }
}

pub(super) fn named(row: &Kernel) -> String {
    format!("{} x{}", row.isa(), row.lanes())
}

pub(super) fn points(
    definition: &Definition,
    arguments: &Arguments,
    rate: &[&Spec],
    detail: &[&Spec],
    sizes: &[u64],
) -> Vec<Point> {
    let wanted = |part: Part| arguments.part.is_empty() || arguments.part.contains(&part);
    let (rate_size, batch_size) = (definition.input.rate_size.0, definition.input.batch_size.0);
    let mut points = Vec::new();
    let mut add = |part, spec: &Spec, call, bytes: u64, threads| {
        if wanted(part) {
            points.push(Point { part, spec: spec.clone(), call, bytes: bytes as usize, threads });
        }
    };
    for spec in rate {
        add(Part::Rate, spec, Call::Reused, rate_size, 1);
        if spec.has_lanes() {
            add(Part::Rate, spec, Call::Batch, batch_size, 1);
        }
    }
    for spec in detail {
        for &size in sizes {
            add(Part::Size, spec, Call::Reused, size, 1);
            if spec.has_lanes() && size <= rate_size {
                add(Part::Size, spec, Call::Batch, size, 1);
            }
        }
        for call in [Call::New, Call::Reused, Call::OneShot, Call::Batch] {
            for size in [128, 512, 8192] {
                if spec.has_lanes() || !matches!(call, Call::Batch) {
                    add(Part::Mode, spec, call, size, 1);
                }
            }
        }
        for row in kernel::rows(spec.algorithm()).iter().filter_map(Kernel::runnable) {
            add(Part::Kernel, spec, Call::Row(row), batch_size, 1);
        }
        let counts = if arguments.threads.is_empty() { thread_counts() } else { arguments.threads.clone() };
        for threads in counts {
            add(Part::Threads, spec, Call::Reused, rate_size, threads);
        }
    }
    points
}
