//! The kernel rows of every algorithm, and which of them are used on this CPU: for lists, benchmarks and bug reports.

use crate::algorithm::Algorithm;
pub use crate::block::cpu::{features, left_out, limit};
pub use crate::block::{Kernel, Runnable, forced, pick};
use crate::table::ALGORITHMS;

/// Tests that `TRUESUM_KERNEL`, if set, names an instruction set that some row uses and this CPU has.
///
/// # Errors
/// The error text describes the problem and the valid values. Programs should print it and exit: if requested rows were
/// silently not used, every measurement and bug report would be wrong.
pub fn check_forced() -> Result<(), String> {
    forced().map_or(Ok(()), check_name)
}

fn check_name(name: &str) -> Result<(), String> {
    let all: Vec<&Kernel> = ALGORITHMS.iter().flat_map(rows).collect();
    let mut runnable: Vec<&str> = Vec::new();
    for row in all.iter().filter(|row| row.supported()) {
        if !runnable.contains(&row.isa) {
            runnable.push(row.isa);
        }
    }
    if runnable.contains(&name) {
        return Ok(());
    }
    let named: Vec<_> = all.iter().filter(|row| row.isa == name).collect();
    let what = match &named[..] {
        [] => "unknown kernel",
        _ if named.iter().any(|row| row.left_out()) => "needs CPU features that are disabled",
        _ => "not supported by this CPU",
    };
    let name = name.escape_debug();
    Err(format!("TRUESUM_KERNEL={name}: {what} (available: {})", runnable.join(", ")))
}

readable! {
    /// Describes how one row is used on this CPU, and why.
    #[derive(Clone, Debug)]
    pub struct Service {
        /// The row.
        kernel: &'static Kernel,
        /// The smallest and largest number of messages for which [`pick`] selects this row; `None` if another row is
        /// always preferred. No upper bound is `usize::MAX`.
        messages: Option<(usize, usize)>,
        /// The reason, in a few words.
        why: String => &str,
    }
}

/// Returns which rows of an algorithm are used for which numbers of messages on this CPU, in the order of [`rows`].
pub fn services(algorithm: &Algorithm) -> Vec<Service> {
    let rows = rows(algorithm);
    let most = rows.iter().map(Kernel::from_busy).max().unwrap_or(1);
    let service = |kernel: &'static Kernel| {
        let serves = |count: &usize| std::ptr::eq(pick(rows, *count).row(), kernel);
        let first = (1..=most).find(serves);
        let last = (1..=most).rev().find(serves).map(|last| if last == most { usize::MAX } else { last });
        let why = match (first, forced()) {
            _ if kernel.left_out() => "needs CPU features that are disabled".to_owned(),
            _ if !kernel.supported() => "not supported by this CPU".to_owned(),
            (None, Some(isa)) if !kernel.allowed() => format!("excluded by TRUESUM_KERNEL={isa}"),
            (None, _) => "slower than another kernel for every number of messages".to_owned(),
            (Some(_), Some(isa)) if isa == kernel.isa => format!("selected by TRUESUM_KERNEL={isa}"),
            (Some(1), _) => "fastest for one message in benchmarks".to_owned(),
            (Some(first), _) => format!("fastest for {first} or more messages in benchmarks"),
        };
        Service { kernel, messages: first.zip(last), why }
    };
    rows.iter().map(service).collect()
}

/// Returns the kernel rows of an algorithm, best first; empty if a library computes one message at a time.
pub fn rows(algorithm: &Algorithm) -> &'static [Kernel] {
    algorithm.kernels()
}

/// Returns the number of messages that fill the best row of this CPU; 1 without lanes.
pub fn full_lanes(algorithm: &Algorithm) -> usize {
    match rows(algorithm) {
        [] => 1,
        rows => pick(rows, usize::MAX).lanes,
    }
}

/// Returns the effort of one core to process 0, 1, 2 and up to `most` messages with the same number of bytes each, in
/// units of which a single message takes [`ONE_MESSAGE`]. It is estimated from the numbers of messages from which rows
/// were measured to be fastest; without lanes, it is proportional to the number of messages.
pub fn efforts(algorithm: &Algorithm, most: usize) -> Vec<u64> {
    let rows = rows(algorithm);
    let mut efforts = vec![0, ONE_MESSAGE];
    for count in 2..=most {
        let row = if rows.is_empty() { None } else { Some(pick(rows, count)).filter(|row| row.lanes > 1) };
        let effort = match row {
            None => efforts[count - 1] + ONE_MESSAGE,
            Some(row) => {
                let from = row.row().from_busy();
                let before = efforts[from - 1].max(ONE_MESSAGE);
                // From this number on, it was measured to be faster than the rows before it. A row that is used as soon
                // as one with half as many lanes is full amounts to two of that row, with fewer stalls.
                let doubled =
                    from > 2 && row.lanes == 2 * (from - 1) && pick(rows, from - 1).lanes == from - 1;
                let pass = match from {
                    1 => before,
                    _ if doubled => before * 7 / 4,
                    _ => before + ONE_MESSAGE / 4,
                };
                pass + efforts[count.saturating_sub(row.lanes)]
            }
        };
        efforts.push(effort);
    }
    efforts.truncate(most + 1);
    efforts
}

/// The [effort](efforts) for one message.
pub const ONE_MESSAGE: u64 = 16;

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use crate::algorithm::Kind;
    use crate::block::{Advance, Chain, Code, Runnable, Tail};
    use crate::spec::Spec;

    #[test]
    fn padding_fits_and_is_no_longer_than_declared() {
        for algorithm in ALGORITHMS {
            let Kind::Blocks { chain, init } = algorithm.kind else { continue };
            let room = chain.last_blocks * chain.block;
            for waiting in 0..chain.block + usize::from(chain.lazy) {
                let (mut state, mut tail) = (init(&Spec::new(algorithm).params), [0; size_of::<Tail>()]);
                let blocks = (chain.pad)(&mut state, &mut tail, waiting, waiting as u64);
                assert!((1..=chain.last_blocks).contains(&blocks), "{} of {waiting}", algorithm.name);
                assert!(tail[room..].iter().all(|byte| *byte == 0), "{} of {waiting}", algorithm.name);
            }
        }
    }

    #[test]
    fn unknown_kernels_are_rejected_with_a_list() {
        assert_eq!(check_name("portable"), Ok(()));
        let error = check_name("axv2").unwrap_err();
        assert!(error.contains("unknown kernel") && error.contains("portable"), "{error}");
    }

    #[test]
    fn batched_messages_take_less_effort_each() {
        for algorithm in ALGORITHMS {
            let efforts = efforts(algorithm, 130);
            assert_eq!(efforts[..2], [0, ONE_MESSAGE], "{}", algorithm.name);
            for (count, effort) in efforts.iter().enumerate() {
                assert!(*effort <= count as u64 * ONE_MESSAGE, "{} of {count}", algorithm.name);
            }
            let alike = full_lanes(algorithm) == 1;
            assert!(!alike || efforts[64] == 64 * ONE_MESSAGE, "{}", algorithm.name);
            assert!(
                alike || 2 * efforts[full_lanes(algorithm)] < full_lanes(algorithm) as u64 * 2 * ONE_MESSAGE
            );
        }
    }

    #[test]
    fn every_message_count_is_served_by_one_kernel() {
        for algorithm in ALGORITHMS.iter().filter(|row| !rows(row).is_empty()) {
            for count in 1..=200 {
                let serving: Vec<Service> = services(algorithm)
                    .into_iter()
                    .filter(|s| s.messages.is_some_and(|(first, last)| first <= count && count <= last))
                    .filter(|s| std::ptr::eq(s.kernel, pick(rows(algorithm), count).row()))
                    .collect();
                assert_eq!(serving.len(), 1, "{} at {count}", algorithm.name);
            }
        }
    }

    /// Processes blocks of every lane's own message, with guard values around states and messages.
    fn advance<T: Copy + PartialEq + std::fmt::Debug>(
        chain: &Chain,
        lanes: usize,
        code: Advance<T>,
        words: &[T],
        mark: T,
    ) -> Vec<Vec<T>> {
        const GUARD: usize = 64;
        // More than the widest row with one lane computes ahead.
        let blocks = 21;
        let messages: Vec<Vec<u8>> = (0..lanes)
            .map(|lane| (0..blocks * chain.block).map(|i| (i * 7 + lane * 31) as u8).collect())
            .collect();
        let before = messages.clone();
        let pointers: Vec<*const u8> = messages.iter().map(|message| message.as_ptr()).collect();
        let mut state = vec![mark; GUARD + words.len() * lanes + GUARD];
        for (word, value) in words.iter().enumerate() {
            state[GUARD + word * lanes..GUARD + (word + 1) * lanes].fill(*value);
        }
        // SAFETY: callers pass supported rows only; `words * lanes` values follow the guard, and every pointer refers
        // to `blocks` complete blocks.
        unsafe { code(state.as_mut_ptr().add(GUARD), pointers.as_ptr(), blocks) };
        assert_eq!(messages, before);
        let end = GUARD + words.len() * lanes;
        assert!(
            state[..GUARD].iter().chain(&state[end..]).all(|value| *value == mark),
            "wrote past its state"
        );
        (0..lanes)
            .map(|lane| (0..words.len()).map(|word| state[GUARD + word * lanes + lane]).collect())
            .collect()
    }

    #[test]
    fn kernels_write_only_their_state_and_agree_lane_by_lane() {
        for algorithm in ALGORITHMS {
            let Kind::Blocks { chain, init } = algorithm.kind else { continue };
            let state = init(&Spec::new(algorithm).params);
            let narrow: Vec<u32> = state[..chain.words].iter().map(|word| *word as u32).collect();
            let run = |row: &Runnable| -> Vec<Vec<u64>> {
                match row.code() {
                    Code::Word32(code) => advance(chain, row.lanes, code, &narrow, 0xdead_beef)
                        .into_iter()
                        .map(|words| words.into_iter().map(u64::from).collect())
                        .collect(),
                    Code::Word64(code) => {
                        advance(chain, row.lanes, code, &state[..chain.words], 0xdead_beef_dead_beef)
                    }
                }
            };
            let supported: Vec<Runnable> = chain.kernels.iter().filter_map(Kernel::runnable).collect();
            let widest = supported.iter().max_by_key(|row| row.lanes).expect("a portable row");
            let expected = run(widest);
            for row in &supported {
                assert_eq!(run(row), expected[..row.lanes], "{} {} x{}", algorithm.name, row.isa, row.lanes);
            }
        }
    }
}
