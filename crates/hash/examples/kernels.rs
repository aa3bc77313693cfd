//! Core cycles per byte of every kernel row with 1 to 64 messages at once, all in the cache.
//!
//! `cargo run --release --example kernels [NAME...]`. A star marks the row that is used for a number of messages. Every
//! slice is timed between two measurements of the core's clock, and is discarded if they differ; each figure is the
//! best slice.
//!
//! Each algorithm is followed by its crossovers: the row that is best from a given number of messages of equal length,
//! the row that the table selects, and where that costs more than 10 %. Messages that do not fit a row are hashed in
//! another pass or by narrower rows, so the lowest figure of a column is not always the best start. `TRUESUM_CPU=avx2`
//! and similar show another class of machine.
use std::fmt;
use std::time::Instant;
use truesum_hash::kernel::{self, Kernel, Runnable};
use truesum_hash::{ALGORITHMS, Algorithm, Hasher, Spec, update_many_on};

const COUNTS: [usize; 13] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64];

/// Bytes of each message in one slice.
const LEN: usize = 8192;

fn main() {
    kernel::limit(&std::env::var("TRUESUM_CPU").unwrap_or_default()).expect("TRUESUM_CPU");
    let names: Vec<String> = std::env::args().skip(1).collect();
    print!("{:11} {:14}", "messages", "");
    COUNTS.iter().for_each(|count| print!("{count:>8}"));
    println!();
    for algorithm in ALGORITHMS.iter().filter(|row| names.is_empty() || names.iter().any(|n| n == row.name()))
    {
        let mut costs = Vec::new();
        for row in kernel::rows(algorithm).iter().filter_map(Kernel::runnable) {
            print!("{:11} {:14}", algorithm.name(), format!("{} x{}", row.isa(), row.lanes()));
            for count in COUNTS {
                let picked = std::ptr::eq(kernel::pick(kernel::rows(algorithm), count).row(), row.row());
                let cycles = cycles_per_byte(algorithm, row, count);
                print!("{cycles:>7.3}{}", if picked { '*' } else { ' ' });
                if count == row.lanes() {
                    costs.push(CallCost { row, cycles: cycles * count as f64 });
                }
            }
            println!();
        }
        if costs.len() > 1 {
            crossovers(algorithm, &costs);
        }
    }
}

/// The cost per byte of each message in a row, regardless of how many messages there are.
struct CallCost {
    row: Runnable,
    cycles: f64,
}

/// The row that starts with this number of messages, and the cost of all of them.
#[derive(Clone, Copy)]
struct Choice<'a> {
    cost: &'a CallCost,
    cycles: f64,
}

fn crossovers(algorithm: &'static Algorithm, costs: &[CallCost]) {
    let most = costs.iter().map(|cost| cost.row.lanes()).max().unwrap_or(1);
    let (mut best, mut table): (Vec<Choice>, Vec<Choice>) = (Vec::new(), Vec::new());
    for messages in 1..=most {
        let all = |cost: &CallCost, fewer: &[Choice]| match messages.checked_sub(cost.row.lanes() + 1) {
            None => cost.cycles,
            Some(place) => cost.cycles + fewer[place].cycles,
        };
        let choices = costs.iter().map(|cost| Choice { cost, cycles: all(cost, &best) });
        // A wider row comes before narrower ones, and is only replaced by one that is faster by more than noise.
        let choice = choices.reduce(|a, b| if b.cycles < 0.98 * a.cycles { b } else { a });
        best.push(choice.expect("an algorithm has rows"));
        let picked = kernel::pick(kernel::rows(algorithm), messages).row();
        let cost = costs.iter().find(|cost| std::ptr::eq(cost.row.row(), picked)).expect("picked rows run");
        table.push(Choice { cost, cycles: all(cost, &table) });
    }
    println!("{:11} best:  {}", algorithm.name(), Ranges(&best));
    println!("{:11} table: {}", algorithm.name(), Ranges(&table));
    // Neighbouring numbers are printed as a range: the first, the last, and the highest cost.
    let mut dearer: Vec<(usize, usize, f64)> = Vec::new();
    for (i, (table, best)) in table.iter().zip(&best).enumerate() {
        let (messages, ratio) = (i + 1, table.cycles / best.cycles);
        match dearer.last_mut() {
            _ if ratio < 1.1 => {}
            Some((_, last, most)) if *last + 1 == messages => (*last, *most) = (messages, most.max(ratio)),
            _ => dearer.push((messages, messages, ratio)),
        }
    }
    for (first, last, ratio) in dearer {
        println!(
            "{:11} costs: {first} to {last} messages up to {:.0} %",
            algorithm.name(),
            100.0 * (ratio - 1.0)
        );
    }
}

/// The number of messages from which each row starts.
struct Ranges<'a>(&'a [Choice<'a>]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before: Option<&Kernel> = None;
        for (i, choice) in self.0.iter().enumerate() {
            let row = choice.cost.row.row();
            if before.is_none_or(|before| !std::ptr::eq(before, row)) {
                write!(f, "{}{} x{} from {}", if i == 0 { "" } else { ", " }, row.isa(), row.lanes(), i + 1)?;
            }
            before = Some(row);
        }
        Ok(())
    }
}

fn cycles_per_byte(algorithm: &'static Algorithm, row: Runnable, messages: usize) -> f64 {
    let spec = Spec::new(algorithm);
    // Lengths that avoid strides between messages of a power of two.
    let data: Vec<Vec<u8>> = (0..messages).map(|i| vec![i as u8; LEN + 64 * (i % 32 + 1)]).collect();
    let slices: Vec<&[u8]> = data.iter().map(|message| &message[..LEN]).collect();
    let mut hashers: Vec<Hasher> = (0..messages).map(|_| spec.hasher()).collect();
    let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
    let mut best = f64::MAX;
    let mut slices_counted = 0;
    while slices_counted < 25 {
        let before = cycles_per_ns();
        let start = Instant::now();
        update_many_on(row, &mut hashers, &slices);
        let ns = start.elapsed().as_nanos() as f64;
        let after = cycles_per_ns();
        if (before / after - 1.0).abs() < 0.03 {
            best = best.min(ns * before.max(after) / (LEN * messages) as f64);
            slices_counted += 1;
        }
    }
    best
}

/// The core's clock, from a chain of dependent multiplications (3 cycles) and exclusive ors (1).
fn cycles_per_ns() -> f64 {
    const STEPS: u64 = 5000;
    let start = Instant::now();
    let mut x = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..STEPS {
        x = x.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5851_f42d_4c95_7f2d;
    }
    std::hint::black_box(x);
    (4 * STEPS) as f64 / start.elapsed().as_nanos() as f64
}
