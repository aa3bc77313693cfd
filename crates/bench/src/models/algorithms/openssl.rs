//! `--compare openssl`: another library's own benchmark, alternating with ours.
//!
//! `openssl speed` divides bytes by the processor time of its thread outside the kernel, over one buffer, for one
//! second. Only here, truesum is measured the same way.

use crate::measure::clock::thread_user_seconds;
use crate::models::engine::{Engine, fill};
use crate::models::session::Session;
use crate::record::{Agreement, Measurement, Record};
use crate::{Error, quantity};
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;
use truesum_hash::Spec;

/// Seconds per sample: the minimum of `openssl speed`.
const SECONDS: &str = "1";

/// Measures each algorithm that the engine provides: engine, truesum, engine, truesum ...
pub(crate) fn compare(
    engine: &Engine,
    specs: &[&Spec],
    message: &[u8],
    rounds: usize,
    record: &mut Record,
    session: &mut Session,
) -> Result<(), Error> {
    let both: Vec<(&Spec, &str)> = specs
        .iter()
        .filter_map(|spec| Some((*spec, engine.algorithms.get(&spec.to_string())?.as_str())))
        .collect();
    for (done, (spec, theirs)) in both.iter().enumerate() {
        let name = spec.to_string();
        let digest = spec.digest(message).to_hex();
        let given = digest_of(engine, theirs, message);
        let agreement = Agreement {
            subject: format!("{name} of {} by {}", quantity::bytes(message.len() as u64), engine.name),
            digest: digest.clone(),
            agree: if given.as_deref() == Ok(&digest) {
                vec!["truesum".to_owned(), engine.name.clone()]
            } else {
                vec!["truesum".to_owned()]
            },
            disagree: match &given {
                Ok(found) if *found != digest => vec![format!("{}: {found}", engine.name)],
                _ => Vec::new(),
            },
        };
        let right = agreement.agree.len() == 2;
        record.agreements.push(agreement);
        if !right {
            let why = given.err().unwrap_or_else(|| "the digests differ".to_owned());
            record.notes.push(format!("{name} was not compared with {}: {why}", engine.name));
            continue;
        }
        let mut rows = [engine.name.as_str(), "truesum"].map(|who| Measurement {
            part: "compare".to_owned(),
            engine: who.to_owned(),
            algorithm: name.clone(),
            variant: format!("processor time, beside {}", engine.name),
            bytes: message.len() as u64,
            threads: 1,
            ..Measurement::default()
        });
        for round in 0..rounds {
            if session.stopped() {
                break;
            }
            let share = (done * rounds + round) as f64 / (both.len() * rounds) as f64;
            session.progress.show(share, &format!("{name} and {}", engine.name));
            match speed(engine, theirs, message.len()) {
                Ok(rate) => {
                    rows[0].seconds.push(message.len() as f64 / rate);
                    rows[1].seconds.push(ours(spec, message));
                }
                Err(why) => {
                    record.notes.push(format!("{name} was not compared with {}: {why}", engine.name));
                    break;
                }
            }
        }
        record.measurements.extend(rows.into_iter().filter(|row| !row.seconds.is_empty()));
    }
    Ok(())
}

/// Returns the processor seconds per message, from about one second of work.
fn ours(spec: &Spec, message: &[u8]) -> f64 {
    let mut hasher = spec.hasher();
    let mut work = |times: usize| {
        let start = thread_user_seconds();
        for _ in 0..times {
            hasher.update(black_box(message));
            black_box(hasher.finish_reset());
        }
        thread_user_seconds() - start
    };
    // Timed by the wall clock: systems that count processor time in ticks may report zero for two messages.
    let start = Instant::now();
    work(2);
    let one = (start.elapsed().as_secs_f64() / 2.0).max(1e-7);
    let times = (0.9 / one).clamp(1.0, 1e7) as usize;
    work(times) / times as f64
}

/// Returns the bytes per second that the engine reports.
fn speed(engine: &Engine, algorithm: &str, bytes: usize) -> Result<f64, String> {
    let bytes = bytes.to_string();
    let words = engine.command(&[("algorithm", algorithm), ("bytes", &bytes), ("seconds", SECONDS)]);
    let output = command(&words).stdin(Stdio::null()).output().map_err(|why| why.to_string())?;
    machine_readable(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| format!("{} printed no rate", words.join(" ")))
}

/// Returns the rate in `+F:22:sha256:1178461572.41`, the machine-readable form.
fn machine_readable(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("+F:"))?;
    line.rsplit(':').next()?.trim().parse().ok().filter(|rate| *rate > 0.0)
}

/// Returns the digest that the engine prints for a message on its standard input.
fn digest_of(engine: &Engine, algorithm: &str, message: &[u8]) -> Result<String, String> {
    let words = fill(&engine.digest, &[("algorithm", algorithm)]);
    let mut child = command(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|why| why.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // If a child does not read to the end, its digest shows it.
        let _ = stdin.write_all(message);
    }
    let output = child.wait_with_output().map_err(|why| why.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).to_ascii_lowercase();
    text.split_whitespace()
        .find(|word| word.len() >= 8 && word.bytes().all(|b| b.is_ascii_hexdigit()))
        .map(str::to_owned)
        .ok_or_else(|| format!("{} printed no digest", words.join(" ")))
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(words.first().map_or("", String::as_str));
    command.args(words.get(1..).unwrap_or_default());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssl_rates_are_parsed_from_machine_readable_output() {
        let text = "+DT:sha256:1:16384\n+R:86184:sha256:1.000000\n+F:6:sha256:1178461572.41\n";
        assert_eq!(machine_readable(text), Some(1_178_461_572.41));
        assert_eq!(machine_readable("+H:16384\n"), None);
        assert_eq!(machine_readable("+F:6:sha256:0.00\n"), None);
    }

    #[test]
    fn own_rate_uses_processor_time() {
        let spec: Spec = "crc32".parse().unwrap();
        let seconds = ours(&spec, &[7; 65536]);
        assert!((1e-8..1e-2).contains(&seconds), "{seconds}");
    }
}
