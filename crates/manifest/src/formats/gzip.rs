//! A manifest of any format in gzip. It is unpacked while it is read, and recognised by what is in it.
//!
//! What unpacks to more than a manifest can be is refused: a kilobyte can hold a megabyte of zeros.

use crate::format::{Claim, Format, Holds, Reading, Sign, Writing};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, Cursor, Read};

pub(crate) static GZIP: Format = Format {
    name: "gzip",
    file_names: &[".gz"],
    summary: "a manifest of any other format, compressed with gzip",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| head.text.starts_with(MAGIC).then_some(Claim { sign: Sign::Mark, at: 0 }),
    reading: Reading::Packed { limit: 64 << 20, unpack },
    writing: Writing::No,
    tagged: None,
};

const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// Most bytes that one packed byte may become, beyond what a small file may: text has a fifth of this.
const MAX_RATIO: u64 = 200;

/// Bytes that are unpacked whatever the ratio.
const ALLOWANCE: u64 = 16 << 20;

/// Most bytes unpacked.
const MAX_UNPACKED: u64 = 4 << 30;

fn unpack(packed: Vec<u8>) -> Box<dyn Read + Send> {
    let left = (packed.len() as u64).saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE).min(MAX_UNPACKED);
    Box::new(Capped { reader: MultiGzDecoder::new(Cursor::new(packed)), left })
}

/// Ends with an error where too much comes out.
struct Capped<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(len as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "it unpacks to more than a manifest can be")
        })?;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unpacks_to_more_than_a_manifest_can_be_ends_with_an_error() {
        // 64 MiB of zeros in 64 KiB: a thousand to one.
        let zeros = vec![0; 1 << 20];
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        (0..64).for_each(|_| io::Write::write_all(&mut encoder, &zeros).unwrap());
        let packed = encoder.finish().unwrap();
        let allowed = packed.len() as u64 * MAX_RATIO + ALLOWANCE;
        assert!(allowed < 64 << 20, "{}", packed.len());
        let mut unpacked = 0;
        let mut reader = unpack(packed);
        let mut buffer = vec![0; 1 << 16];
        let error = loop {
            match reader.read(&mut buffer) {
                Ok(0) => panic!("all of it came out"),
                Ok(len) => unpacked += len as u64,
                Err(error) => break error,
            }
        };
        assert!(unpacked <= allowed && error.kind() == io::ErrorKind::InvalidData, "{unpacked} {error}");
    }
}
