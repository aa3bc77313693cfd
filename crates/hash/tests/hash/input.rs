//! The generators that vectors name, and seeded random numbers.

/// Returns output number `k` of SplitMix64 for a seed.
fn split_mix(seed: u64, k: u64) -> u64 {
    let z = seed.wrapping_add((k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Fills `out` with the bytes `[offset, offset + out.len())` of the stream `name`.
pub fn fill(name: &str, offset: u64, out: &mut [u8]) {
    match name {
        "zero" => out.fill(0),
        "ptn251" => (offset..).zip(out).for_each(|(i, byte)| *byte = (i % 251) as u8),
        _ => {
            let seed = name.strip_prefix("sm64:").and_then(|s| s.parse().ok()).expect("a generator of ours");
            let mut at = offset;
            let mut out = out;
            while !out.is_empty() {
                let word = split_mix(seed, at / 8).to_le_bytes();
                let from = (at % 8) as usize;
                let len = out.len().min(8 - from);
                let (head, rest) = out.split_at_mut(len);
                head.copy_from_slice(&word[from..from + len]);
                at += len as u64;
                out = rest;
            }
        }
    }
}

/// Returns the first `len` bytes of the stream `name`.
pub fn bytes(name: &str, len: u64) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    fill(name, 0, &mut bytes);
    bytes
}

/// Random numbers, the same on every run.
pub struct Random {
    seed: u64,
    count: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { seed, count: 0 }
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.count += 1;
        split_mix(self.seed, self.count) % end
    }
}
