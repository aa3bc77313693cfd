//! Cyclic redundancy checks: each row consists of its parameters.
//!
//! A CRC is linear, so the CRC of two concatenated parts follows from those of the parts, and a run of zeros costs only
//! the logarithm of its length.

mod catalogue;
mod folding;
mod open;
mod register;
mod sliced;

use crate::algorithm::{Algorithm, Crc, Decimal, Kind, Linear, Parameters, Serial, Status, feed_zeros};
use crate::digest::Digest;
use register::Register;

pub use catalogue::CRC_CATALOGUE;
pub(crate) use open::{KEY, open};
pub(crate) use register::of_part;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "crc32",
        tag: "CRC32",
        aliases: &[
            "crc32b",
            "crc-32",
            "crc-32/iso-hdlc",
            "crc-32/adccp",
            "crc-32/v-42",
            "crc-32/xz",
            "pkzip",
        ],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (ITU-T V.42)"),
        summary: "SFV files, zip, gzip, PNG",
        check: "cbf43926",
        decimal: Some(Decimal { digits: 1, column: 1, block: 1, usual: false }),
        kind: Kind::Linear(&Linear::Crc(CRC32)),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc32c",
        tag: "CRC32C",
        aliases: &[
            "crc-32c",
            "castagnoli",
            "crc-32/iscsi",
            "crc-32/base91-c",
            "crc-32/castagnoli",
            "crc-32/interlaken",
        ],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (RFC 3720)"),
        summary: "iSCSI, btrfs, ext4, S3",
        check: "e3069283",
        kind: Kind::Linear(&Linear::Crc(Crc::of(Parameters { width: 32, poly: 0x1edc_6f41, init: 0xffff_ffff, refin: true, refout: true, xorout: 0xffff_ffff }))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc64nvme",
        tag: "CRC64NVME",
        aliases: &["crc-64/nvme", "crc64-nvme"],
        digest_len: 8,
        status: Status::Checksum("64 bits of error detection (NVM Express: NVM Command Set Specification 1.0)"),
        summary: "S3's default checksum",
        check: "ae8b14860a799888",
        kind: Kind::Linear(&Linear::Crc(Crc::of(Parameters { width: 64, poly: 0xad93_d235_94c9_3659, init: 0xffff_ffff_ffff_ffff, refin: true, refout: true, xorout: 0xffff_ffff_ffff_ffff }))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc64xz",
        tag: "CRC64",
        aliases: &["crc64", "crc-64/xz", "crc64-xz", "crc-64/go-ecma"],
        digest_len: 8,
        status: Status::Checksum("64 bits of error detection (ECMA-182, reflected)"),
        summary: "xz, 7-Zip",
        check: "995dc9bbdf1939fa",
        kind: Kind::Linear(&Linear::Crc(Crc::of(Parameters { width: 64, poly: 0x42f0_e1eb_a9ea_3693, init: 0xffff_ffff_ffff_ffff, refin: true, refout: true, xorout: 0xffff_ffff_ffff_ffff }))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc",
        // Other programs write CRC-32 with the tag CRC.
        tag: "CKSUM",
        aliases: &["cksum"],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (POSIX.1-2017, cksum)"),
        summary: "POSIX cksum; includes the length",
        check: "377a6011",
        decimal: Some(Decimal { digits: 1, column: 1, block: 1, usual: true }),
        kind: Kind::Linear(&Linear::Crc(Crc {
            parameters: Parameters {
                width: 32,
                poly: 0x04c1_1db7,
                init: 0,
                refin: false,
                refout: false,
                xorout: 0xffff_ffff,
            },
            length_suffix: true,
        })),
        ..Algorithm::PLAIN
    },
];

const CRC32: Crc = Crc::of(Parameters {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0xffff_ffff,
    refin: true,
    refout: true,
    xorout: 0xffff_ffff,
});

/// Returns the CRC-32 of data stored by this library.
pub(crate) fn crc32(data: &[u8]) -> Digest {
    of_part(&CRC32, data)
}

/// Returns a hasher for one message.
pub(crate) fn new(crc: &'static Crc) -> Box<dyn Serial> {
    let begin = Register::holding(&crc.parameters, crc.parameters.init);
    Box::new(Running { crc, register: begin.clone(), begin, amount: 0 })
}

#[derive(Clone)]
struct Running {
    crc: &'static Crc,
    /// The initial register.
    begin: Register,
    register: Register,
    /// The number of bytes so far.
    amount: u64,
}

impl Serial for Running {
    fn update(&mut self, data: &[u8]) {
        self.register.update(&self.crc.parameters, data);
        self.amount += data.len() as u64;
    }
    fn finish(&mut self) -> Digest {
        let parameters = &self.crc.parameters;
        if self.crc.length_suffix {
            let (bytes, len) = self.crc.suffix(self.amount);
            self.register.update(parameters, &bytes[..len]);
        }
        self.crc.digest(self.register.value(parameters))
    }
    fn update_zeros(&mut self, count: u64) {
        // Below this length, carry-less multiplication processes the zeros faster than the power of the polynomial is
        // computed.
        const WORTH_A_POWER: u64 = 1 << 20;
        if count < WORTH_A_POWER {
            return feed_zeros(count, |zeros| self.update(zeros));
        }
        let parameters = &self.crc.parameters;
        self.register.set_remainder(parameters, parameters.after_zeros(self.register.remainder(parameters), count));
        self.amount += count;
    }
    fn reset(&mut self) -> bool {
        self.register = self.begin.clone();
        self.amount = 0;
        true
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasher(row: &'static Algorithm) -> Box<dyn Serial> {
        let Kind::Linear(Linear::Crc(crc)) = &row.kind else { unreachable!("a CRC") };
        new(crc)
    }

    #[test]
    fn skipped_zeros_equal_hashed_zeros() {
        for row in ROWS.iter().chain(CRC_CATALOGUE) {
            for count in [0, 1, 4095, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, 5 << 20] {
                let (mut passed, mut read) = (hasher(row), hasher(row));
                for hasher in [&mut passed, &mut read] {
                    hasher.update(b"before");
                }
                passed.update_zeros(count);
                feed_zeros(count, |zeros| read.update(zeros));
                for hasher in [&mut passed, &mut read] {
                    hasher.update(b"behind");
                }
                assert_eq!(passed.finish(), read.finish(), "{}: {count} zeros", row.name);
            }
        }
    }

    #[test]
    fn exabyte_of_zeros_is_instant() {
        // Zeros and their halves: x^(8 * 2^60) computed in two ways.
        for row in ROWS.iter().chain(CRC_CATALOGUE) {
            let (mut once, mut twice) = (hasher(row), hasher(row));
            once.update_zeros(1 << 60);
            twice.update_zeros(1 << 59);
            twice.update_zeros(1 << 59);
            assert_eq!(once.finish(), twice.finish(), "{}", row.name);
        }
    }

    #[test]
    fn hasher_resets_after_skipped_zeros() {
        for row in ROWS.iter().chain(CRC_CATALOGUE) {
            let mut again = hasher(row);
            again.update(b"other");
            again.update_zeros(1 << 21);
            assert!(again.reset());
            again.update(b"123456789");
            assert_eq!(again.finish().to_hex(), row.check, "{}", row.name);
        }
    }

    /// The definition, one bit at a time, in a register that shifts in the direction of the input bits.
    fn naive(parameters: &Parameters, data: &[u8]) -> u128 {
        let Parameters { width, poly, init, refin, refout, xorout } = *parameters;
        let mirrored = |bits: u128| (0..width).fold(0, |sum, bit| sum | (bits >> bit & 1) << (width - 1 - bit));
        let mut register = if refin { mirrored(init) } else { init };
        for byte in data {
            for bit in 0..8 {
                if refin {
                    let carry = (register ^ u128::from(byte >> bit)) & 1 == 1;
                    register = (register >> 1) ^ if carry { mirrored(poly) } else { 0 };
                } else {
                    let carry = ((register >> (width - 1)) ^ u128::from(byte >> (7 - bit))) & 1 == 1;
                    register = ((register << 1) % (1 << width)) ^ if carry { poly } else { 0 };
                }
            }
        }
        xorout ^ if refin == refout { register } else { mirrored(register) }
    }

    #[test]
    fn random_parameters_match_the_definition_whole_split_and_joined() {
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (0..4).fold(0, |sum: u128, step| sum << 32 | u128::from(state.rotate_left(step * 16) >> 32))
        };
        let data: Vec<u8> = (0..1200).map(|_| (random() >> 77) as u8).collect();
        for round in 0..400 {
            let width = (3 + round % 80) as u8;
            let mut number = || random() % (1 << width);
            let (poly, init, xorout) = (number(), number(), number());
            let (refin, refout) = (number() % 2 == 1, number() % 2 == 1);
            let parameters = Parameters { width, poly, init, refin, refout, xorout };
            let crc: &Crc = Box::leak(Box::new(Crc::of(parameters)));
            for len in (0..=40).chain([127, 128, 129, 255, 256, 300, 1111]) {
                let expected = naive(&parameters, &data[..len]);
                assert_eq!(of_part(crc, &data[..len]), crc.digest(expected), "{parameters:?} of {len} bytes");
                let remainder = parameters.after(init, &data[..len]);
                assert_eq!(parameters.value(remainder), expected, "{parameters:?} bit by bit, {len} bytes");
                assert_eq!(parameters.remainder(expected), remainder);
                let cut = len * (round % 7) / 6;
                let mut hasher = new(crc);
                hasher.update(&data[..cut]);
                hasher.update(&data[cut..len]);
                assert_eq!(hasher.finish(), crc.digest(expected), "{parameters:?} of {cut} and the rest of {len}");
                let (a, b) = (naive(&parameters, &data[..cut]), naive(&parameters, &data[cut..len]));
                assert_eq!(crc.join(a, b, (len - cut) as u64), expected, "{parameters:?} joined at {cut} of {len}");
            }
        }
    }
}
