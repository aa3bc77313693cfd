//! HDFS's checksum of a file, as printed by `hadoop fs -checksum`: the MD5 of the MD5s of each block's CRCs of 512
//! bytes.
//!
//! The digest is what Hadoop prints after the name: the number of bytes covered by a CRC, the number of CRCs in a block
//! (0 for a file of one block), the MD5 and four zeros. Its name, `MD5-of-2048MD5-of-512CRC32C`, contains the same
//! numbers. The mode COMPOSITE_CRC is the plain CRC of the file.

use crate::algorithm::{Algorithm, Close, Composite, Division, Kind, Params, Serial, Status, Unit};
use crate::digest::Digest;
use crate::family::{crc, md5};
use crate::hasher::Hasher;
use crate::spec::Spec;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "hdfs-md5-crc32c",
        tag: "HDFS-MD5-CRC32C",
        aliases: &["md5md5crc32c"],
        digest_len: 32,
        status: CHECKSUMS,
        summary: "HDFS's MD5MD5CRC32C: MD5 of the blocks' MD5 digests, each computed over the CRC-32C checksums of 512-byte chunks",
        check: "0000020000000000000000002faa18fc1637e6b4bad7e0e91b200a4d00000000",
        kind: Kind::Composite(&composite(&crc::ROWS[1])),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "hdfs-md5-crc32",
        tag: "HDFS-MD5-CRC32",
        aliases: &["md5md5crc32"],
        digest_len: 32,
        status: CHECKSUMS,
        summary: "HDFS's MD5MD5CRC32: like hdfs-md5-crc32c, but with CRC-32",
        check: "000002000000000000000000e4c69cad4c112c69593dc389c4c6cdf600000000",
        kind: Kind::Composite(&composite(&crc::ROWS[0])),
        ..Algorithm::PLAIN
    },
];

const CHECKSUMS: Status =
    Status::Checksum("MD5 of CRCs, not cryptographic; does not cover the length (Hadoop 3)");

const fn composite(crc: &'static Algorithm) -> Composite {
    Composite {
        base: (crc, 4),
        prefix: &[],
        division: Division::Equal(Unit {
            key: "block",
            usual: 128 << 20,
            smallest: CHUNK as u64,
            largest: 1 << 40,
            power_of_two: true,
        }),
        close: Close::Alone,
        stored: None,
        hasher,
    }
}

/// The number of bytes covered by a CRC.
const CHUNK: usize = 512;
/// The minimum size of the list of MD5s that is hashed; a longer one has a power of two times this size.
const SHORTEST: usize = 32;

fn hasher(composite: &'static Composite, params: &Params, _: Option<u64>) -> Box<dyn Serial> {
    Box::new(Hdfs {
        crc: composite.base().hasher(),
        in_chunk: 0,
        block: Spec::new(&md5::ROWS[0]).hasher(),
        in_block: 0,
        block_size: params.unit,
        md5s: Vec::new(),
    })
}

#[derive(Clone)]
struct Hdfs {
    /// The current CRC, and the number of its bytes so far.
    crc: Hasher,
    in_chunk: usize,
    /// The MD5 of the CRCs in the current block, and the number of file bytes in it so far.
    block: Hasher,
    in_block: u64,
    block_size: u64,
    /// The MD5s of complete blocks.
    md5s: Vec<u8>,
}

impl Hdfs {
    fn end_chunk(&mut self) {
        let crc = self.crc.finish_reset();
        self.block.update(crc.as_bytes());
        self.in_chunk = 0;
    }

    fn end_block(&mut self) {
        let md5 = self.block.finish_reset();
        self.md5s.extend_from_slice(md5.as_bytes());
        self.in_block = 0;
    }
}

impl Serial for Hdfs {
    fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            // Blocks consist of complete chunks, so no chunk spans two blocks.
            let (taken, rest) = data.split_at(data.len().min(CHUNK - self.in_chunk));
            self.crc.update(taken);
            self.in_chunk += taken.len();
            self.in_block += taken.len() as u64;
            if self.in_chunk == CHUNK {
                self.end_chunk();
            }
            if self.in_block == self.block_size {
                self.end_block();
            }
            data = rest;
        }
    }

    fn finish(&mut self) -> Digest {
        if self.in_chunk > 0 {
            self.end_chunk();
        }
        if self.in_block > 0 {
            self.end_block();
        }
        let md5s = std::mem::take(&mut self.md5s);
        let blocks = md5s.len() / 16;
        let per_crc = if blocks == 0 { 0 } else { CHUNK as u32 };
        let per_block = if blocks > 1 { self.block_size / CHUNK as u64 } else { 0 };
        // Hadoop hashes the complete buffer of the list, which is doubled as it grows.
        let mut list = md5s;
        list.resize(list.len().next_power_of_two().max(SHORTEST), 0);
        let md5 = self.block.spec().digest(&list);
        Digest::new(&[&per_crc.to_be_bytes()[..], &per_block.to_be_bytes(), md5.as_bytes(), &[0; 4]].concat())
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
