//! Cyclic redundancy checks, computed by `crc-fast` (carry-less multiplication).
//!
//! A CRC is linear, so the CRC of two parts put together follows from those of the parts, and a run of zeros costs the
//! logarithm of its length.

use crate::algorithm::{Algorithm, Crc, Decimal, Kind, Linear, Serial, Status, feed_zeros};
use crate::digest::Digest;
use crc_fast::CrcAlgorithm;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "crc32",
        tag: "CRC32",
        aliases: &["crc32b", "crc-32"],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (ITU-T V.42)"),
        summary: "SFV files, zip, gzip, PNG",
        check: "cbf43926",
        decimal: Some(Decimal { digits: 1, column: 1, block: 1, usual: false }),
        kind: crc(CrcAlgorithm::Crc32IsoHdlc, 4),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc32c",
        tag: "CRC32C",
        aliases: &["crc-32c", "castagnoli"],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (RFC 3720)"),
        summary: "iSCSI, btrfs, ext4, S3",
        check: "e3069283",
        kind: crc(CrcAlgorithm::Crc32Iscsi, 4),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc64nvme",
        tag: "CRC64NVME",
        aliases: &["crc-64/nvme", "crc64-nvme"],
        digest_len: 8,
        status: Status::Checksum("64 bits of error detection (NVM Express NVM command set 1.0)"),
        summary: "S3's own checksum",
        check: "ae8b14860a799888",
        kind: crc(CrcAlgorithm::Crc64Nvme, 8),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc64xz",
        tag: "CRC64",
        aliases: &["crc64", "crc-64/xz", "crc64-xz"],
        digest_len: 8,
        status: Status::Checksum("64 bits of error detection (ECMA-182, reflected)"),
        summary: "xz, 7-Zip",
        check: "995dc9bbdf1939fa",
        kind: crc(CrcAlgorithm::Crc64Xz, 8),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "crc",
        tag: "CRC",
        aliases: &["cksum", "crc-32/cksum"],
        digest_len: 4,
        status: Status::Checksum("32 bits of error detection (POSIX.1-2017, cksum)"),
        summary: "POSIX cksum: the length is part of the message",
        check: "377a6011",
        decimal: Some(Decimal { digits: 1, column: 1, block: 1, usual: true }),
        kind: Kind::Linear(Linear::Crc(Crc { parameters: CrcAlgorithm::Crc32Cksum, len: 4, length_suffix: true })),
        ..Algorithm::PLAIN
    },
];

const fn crc(parameters: CrcAlgorithm, len: usize) -> Kind {
    Kind::Linear(Linear::Crc(Crc { parameters, len, length_suffix: false }))
}

/// A hasher of one message.
pub(crate) fn new(crc: Crc) -> Box<dyn Serial> {
    Box::new(Running { crc, digest: crc_fast::Digest::new(crc.parameters), amount: 0 })
}

#[derive(Clone)]
struct Running {
    crc: Crc,
    digest: crc_fast::Digest,
    /// Bytes so far.
    amount: u64,
}

impl Serial for Running {
    fn update(&mut self, data: &[u8]) {
        self.digest.update(data);
        self.amount += data.len() as u64;
    }
    fn finish(&mut self) -> Digest {
        if self.crc.length_suffix {
            let (bytes, len) = self.crc.suffix(self.amount);
            self.digest.update(&bytes[..len]);
        }
        self.crc.digest(self.digest.finalize())
    }
    fn update_zeros(&mut self, count: u64) {
        // Below this, carry-less multiplication passes over the zeros before the power of the polynomial is found.
        const WORTH_A_POWER: u64 = 1 << 20;
        self.amount += count;
        if count < WORTH_A_POWER {
            return feed_zeros(count, |zeros| self.digest.update(zeros));
        }
        // Combining takes finished values; the initial one is taken off beforehand because zeros have none.
        let first = self.digest.get_state() ^ crc_fast::Digest::new(self.crc.parameters).finalize();
        let moved = crc_fast::checksum_combine(self.crc.parameters, first, 0, count);
        self.digest = crc_fast::Digest::new_with_init_state(self.crc.parameters, moved);
    }
    fn reset(&mut self) -> bool {
        self.digest.reset();
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

    fn hasher(row: &Algorithm) -> Box<dyn Serial> {
        let Kind::Linear(Linear::Crc(crc)) = row.kind else { unreachable!("a CRC") };
        new(crc)
    }

    #[test]
    fn zeros_passed_over_count_as_zeros_read() {
        for row in ROWS {
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
    fn an_exabyte_of_zeros_takes_no_time() {
        // Zeros and their halves: x^(8 * 2^60) by one way and by two.
        for row in ROWS {
            let (mut once, mut twice) = (hasher(row), hasher(row));
            once.update_zeros(1 << 60);
            twice.update_zeros(1 << 59);
            twice.update_zeros(1 << 59);
            assert_eq!(once.finish(), twice.finish(), "{}", row.name);
        }
    }
}
