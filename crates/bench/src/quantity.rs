//! Parsing and formatting of rates and times, and formatting of figures for tables.
//!
//! The part before `/s` is a [`Size`]. Rates are shown in decimal units, as for disks and networks.

use truesum_hash::Size;

/// Parses bytes per second: `10GB/s`, `800 MB/s`, `100Gbit/s`, `2.5 GiB/s`; `None` if the text is not a rate.
pub fn parse_rate(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let amount = lower.strip_suffix("/s").or_else(|| lower.strip_suffix("ps")).unwrap_or(&lower).trim_end();
    if let Some(bits) = amount.strip_suffix("bit").or_else(|| amount.strip_suffix("bits")) {
        // "10 G" + bit: decimal, as for networks.
        let unit = bits.trim_end();
        let bits = format!("{unit}b").parse().or_else(|_| unit.parse());
        return bits.ok().map(|Size(bits)| bits as f64 / 8.0);
    }
    amount.parse().ok().map(|Size(bytes)| bytes as f64).filter(|rate| *rate > 0.0)
}

/// `512 B`, `128 KiB`, `10 MiB`: exact for round numbers.
pub fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value.fract() == 0.0 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

/// An integer with thousands separated by commas: `14,290,060`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits, without an exponent for the magnitudes that occur.
pub fn digits(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "-".to_owned(),
        0.0 => "0".to_owned(),
        x if x >= 99.95 && value > 0.0 => count(value.round() as u64),
        x if x >= 99.95 => format!("-{}", count(x.round() as u64)),
        x if x >= 9.995 => format!("{value:.1}"),
        x if x >= 0.09995 => format!("{value:.2}"),
        x if x >= 0.009995 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// A rate: `812 MB/s`, `1.46 GB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    if bytes_per_second >= 999.5e6 {
        format!("{} GB/s", digits(bytes_per_second / 1e9))
    } else {
        format!("{} MB/s", digits(bytes_per_second / 1e6))
    }
}

/// A time: `712 ns`, `2.3 µs`, `45 ms`, `1.20 s`.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 0.9995 => format!("{} s", digits(s)),
        s if s >= 0.9995e-3 => format!("{} ms", digits(s * 1e3)),
        s if s >= 0.9995e-6 => format!("{} µs", digits(s * 1e6)),
        s => format!("{} ns", digits(s * 1e9)),
    }
}

/// A duration left to wait: `4 s`, `3:20 min`, `2:05 h`.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.ceil().clamp(0.0, 1e9) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

/// A share as percent: `1.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_parsed_in_bytes_and_bits() {
        assert_eq!(parse_rate("10GB/s"), Some(10e9));
        assert_eq!(parse_rate("800 MB/s"), Some(800e6));
        assert_eq!(parse_rate("100Gbit/s"), Some(12.5e9));
        assert_eq!(parse_rate("2 GiB/s"), Some(2.0 * 1024f64.powi(3)));
        assert_eq!(parse_rate("0"), None);
        assert_eq!(parse_rate("fast"), None);
    }

    #[test]
    fn formatted_sizes_parse_back() {
        for count in [0, 1, 512, 1024, 131_072, 10 << 20, 64 << 20, 5 << 30] {
            assert_eq!(bytes(count).parse(), Ok(Size(count)), "{}", bytes(count));
        }
        assert_eq!(bytes(1_500_000), "1.4 MiB");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [0, 999, 1000, 14_290_060, 123_456].map(count),
            ["0", "999", "1,000", "14,290,060", "123,456"]
        );
        assert_eq!(digits(-1234.0), "-1,234");
    }

    #[test]
    fn figures_have_three_digits_at_every_magnitude() {
        assert_eq!(
            [0.0, 0.00123, 0.0234, 0.456, 1.234, 12.34, 123.4, 12345.6].map(digits),
            ["0", "0.0012", "0.023", "0.46", "1.23", "12.3", "123", "12,346"]
        );
        assert_eq!(rate(812.4e6), "812 MB/s");
        assert_eq!(rate(1.456e9), "1.46 GB/s");
        assert_eq!(time(712e-9), "712 ns");
        assert_eq!(time(2.31e-6), "2.31 µs");
        assert_eq!(time(0.045), "45.0 ms");
        assert_eq!(time(1.2), "1.20 s");
        assert_eq!(percent(0.0134), "1.3 %");
        assert_eq!([0.2, 59.0, 60.0, 3725.0].map(clock), ["1 s", "59 s", "1:00 min", "1:02 h"]);
    }
}
