//! Measures the cost of reading arbitrary bytes as each format: time, and memory in addition to the
//! bytes themselves.
//!
//! Takes minutes without optimization; `tests/run` runs it with optimization. The limits are far
//! above typical results, because other processes run at the same time; the printed table shows the
//! actual costs (`--nocapture`). `TRUESUM_MIB` sets the number of bytes (default 4 MiB), and
//! `TRUESUM_FORMAT` selects formats, separated by commas.

use crate::shared;
use shared::fixtures;
use std::collections::BTreeMap;
use std::time::Duration;
use truesum_manifest::{FORMATS, Format, Options, Reader, Reading};

/// Maximum processor time per MiB. This is ten times what the slowest format takes on a busy
/// machine, so that only work that grows faster than the input exceeds it.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Maximum memory in bytes in addition to the input: per byte of input, and a constant.
const MAX_MEMORY: (u64, u64) = (10, 64 << 20);

/// Beginnings of nested or unterminated structures.
const OPENINGS: &[&str] = &[
    "[",
    "{\"a\":",
    "{\"",
    "\"",
    "<a>",
    "<a ",
    "<!--",
    "&amp;",
    "l",
    "d1:a",
    "(",
    "\\",
    "-",
    " ",
    ",",
    ":",
    "/",
    "#",
    "a=(",
    "\r",
    "%",
    "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "../",
    "a ",
    "a\n",
    "a:\n",
    " a\n",
    "a=",
    "\t",
];

fn filled(piece: &[u8], size: usize) -> Vec<u8> {
    let mut text = piece.repeat(size / piece.len() + 1);
    text.truncate(size);
    text
}

/// Returns the processor time of this thread.
fn on_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0))
}

/// Returns the peak memory use in bytes since the last call.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}

#[test]
#[ignore = "minutes in a debug build: tests/run --full runs it in release"]
fn every_format_is_fast_for_any_input() {
    let mib = std::env::var("TRUESUM_MIB").map_or(4, |mib| mib.parse().expect("a number"));
    let size: usize = mib << 20;
    let only = std::env::var("TRUESUM_FORMAT").ok();
    let read = |row: &&&'static Format| {
        !matches!(row.reading(), Reading::Not(_))
            && only.as_deref().is_none_or(|names| names.split(',').any(|name| name == row.name()))
    };
    // The longest fixture of each format that has no bad lines.
    let mut good: BTreeMap<&str, (Vec<u8>, Options)> = BTreeMap::new();
    for fixture in fixtures() {
        let mut reader = Reader::new(&fixture.manifest[..], fixture.options.clone());
        let clean = reader.by_ref().all(|item| item.is_ok()) && !fixture.expect.is_empty();
        let Some(format) = reader.format().filter(|_| clean && fixture.manifest.len() < 64 << 10) else {
            continue;
        };
        let known = good.get(format.name()).map_or(0, |(text, _)| text.len());
        if fixture.manifest.len() > known {
            good.insert(format.name(), (fixture.manifest, fixture.options));
        }
    }
    let mut seed = 0x5eed_u64;
    let mut random = vec![0; size];
    random.iter_mut().for_each(|byte| {
        seed ^= seed >> 12;
        seed ^= seed << 25;
        seed ^= seed >> 27;
        *byte = (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8;
    });
    let mut rows = Vec::new();
    for format in FORMATS.iter().filter(read) {
        let (own, options) = good.get(format.name()).cloned().unwrap_or_default();
        let begin = own.get(..own.len().min(200)).unwrap_or_default();
        let mut texts = vec![
            ("zeros".to_owned(), vec![0; size]),
            ("line ends".to_owned(), vec![b'\n'; size]),
            ("random".to_owned(), random.clone()),
            ("random behind its beginning".to_owned(), [begin, &random[begin.len()..]].concat()),
        ];
        if !own.is_empty() {
            texts.push(("its own".to_owned(), filled(&own, size)));
            let lines = own.split_inclusive(|&byte| byte == b'\n');
            if let Some(last) = lines.clone().max_by_key(|line| line.len()) {
                texts.push((
                    "its own, then its longest line".to_owned(),
                    [&own[..], &filled(last, size)[own.len()..]].concat(),
                ));
            }
        }
        let of_text = OPENINGS.iter().flat_map(|piece| {
            let text = filled(piece.as_bytes(), size);
            let behind = [begin, &text[begin.len()..]].concat();
            [(format!("{piece:?}"), text), (format!("its beginning, {piece:?}"), behind)]
        });
        for (what, text) in texts.into_iter().chain(of_text) {
            let options = options.clone().format(Some(*format)).accept_all();
            peak();
            let (began, before) = (on_cpu(), peak());
            let items = Reader::new(&text[..], options).count();
            let (took, memory) = (on_cpu() - began, peak().saturating_sub(before));
            rows.push((took, memory >> 20, format.name(), what, items));
        }
        let own = rows.iter().rev().take_while(|row| row.2 == format.name());
        let (slowest, largest) = (own.clone().max().unwrap(), own.max_by_key(|row| row.1).unwrap());
        println!(
            "{:>18} {:6.2} s {:<40} {:5} MiB {}",
            format.name(),
            slowest.0.as_secs_f64(),
            slowest.3,
            largest.1,
            largest.3
        );
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.0, row.1)));
    println!("slowest:");
    for (took, memory, name, what, items) in rows.iter().take(40) {
        println!("{:6.2} s {memory:5} MiB {name}: {what} ({items} items)", took.as_secs_f64());
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    println!("largest:");
    for (took, memory, name, what, items) in rows.iter().take(25) {
        println!("{:6.2} s {memory:5} MiB {name}: {what} ({items} items)", took.as_secs_f64());
    }
    let bad: Vec<_> = rows
        .iter()
        .filter(|row| {
            row.0 > MAX_TIME * mib as u32 || row.1 << 20 > MAX_MEMORY.0 * size as u64 + MAX_MEMORY.1
        })
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}
