//! A manifest of any format, compressed with gzip, xz or zstd. It is decompressed while it is
//! read, and its format is recognized from the contents. Other compression formats are recognized
//! and named in the error message.
//!
//! Decompression stops with an error if the output is larger than a manifest can be, because a
//! kilobyte can expand to a megabyte of zeros, or if it needs too much memory. xz and zstd
//! require the feature `unpack`; without it, they are only recognized.

#[cfg(feature = "unpack")]
mod xz;
#[cfg(feature = "unpack")]
mod zstd;

use crate::format::{Capabilities, Claim, Format, Reading};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, Cursor, Read};

pub(crate) static GZIP: Format = Format {
    name: "gzip",
    file_names: &[".gz"],
    summary: "a manifest in any other format, compressed with gzip",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begins(&[b"\x1f\x8b\x08"]),
    reading: Reading::Packed {
        limit: LIMIT,
        unpack: |packed| capped(packed, |packed| MultiGzDecoder::new(Cursor::new(packed))),
    },
    ..Format::DEFAULT
};

pub(crate) static XZ: Format = Format {
    name: "xz",
    file_names: &[".xz"],
    summary: "a manifest in any other format, compressed with xz; requires --features full",
    capabilities: GZIP.capabilities,
    sniff: |head| head.begins(&[b"\xfd7zXZ\0"]),
    #[cfg(feature = "unpack")]
    reading: Reading::Packed { limit: LIMIT, unpack: |packed| capped(packed, xz::Xz::new) },
    #[cfg(not(feature = "unpack"))]
    reading: Reading::not(
        "this file is compressed with xz, which requires a build with --features full; unpack it first: xz -dc FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static ZSTD: Format = Format {
    name: "zstd",
    file_names: &[".zst"],
    summary: "a manifest in any other format, compressed with zstd; requires --features full",
    capabilities: GZIP.capabilities,
    // Skippable frames, which have no meaning for the contents, may precede the data.
    sniff: |head| {
        let skipped = matches!(head.text, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        if skipped { Claim::mark(true) } else { head.begins(&[b"\x28\xb5\x2f\xfd"]) }
    },
    #[cfg(feature = "unpack")]
    reading: Reading::Packed { limit: LIMIT, unpack: |packed| capped(packed, zstd::Zstd::new) },
    #[cfg(not(feature = "unpack"))]
    reading: Reading::not(
        "this file is compressed with zstd, which requires a build with --features full; unpack it first: zstd -dc FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static BZIP2: Format = Format {
    name: "bzip2",
    file_names: &[".bz2"],
    summary: "file compressed with bzip2; recognized, not read",
    sniff: |head| head.begins(&[b"BZh"]),
    reading: Reading::not(
        "this file is compressed with bzip2 (not supported); unpack it first: bzip2 -dc FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static LZ4: Format = Format {
    name: "lz4",
    file_names: &[".lz4"],
    summary: "file compressed with lz4; recognized, not read",
    sniff: |head| head.begins(&[b"\x04\x22\x4d\x18"]),
    reading: Reading::not(
        "this file is compressed with lz4 (not supported); unpack it first: lz4 -dc FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static ZIP: Format = Format {
    name: "zip",
    summary: "zip archive; recognized, not read",
    sniff: |head| head.begins(&[b"PK\x03\x04"]),
    reading: Reading::not(
        "this is a zip archive (not supported); unpack it first: unzip -p FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static SEVEN_Z: Format = Format {
    name: "7z",
    summary: "7z archive; recognized, not read",
    sniff: |head| head.begins(&[b"7z\xbc\xaf\x27\x1c"]),
    reading: Reading::not(
        "this is a 7z archive (not supported); unpack it first: 7z e -so FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

pub(crate) static LZMA: Format = Format {
    name: "lzma",
    file_names: &[".lzma"],
    summary: "legacy .lzma file (predecessor of .xz); recognized, not read",
    sniff: |head| Claim::mark(is_lzma(head.text)),
    reading: Reading::not(
        "this file is compressed with lzma (not supported); unpack it first: unlzma -c FILE | truesum check -",
    ),
    ..Format::DEFAULT
};

/// Returns true for the legacy lzma format. It has no magic number: its header contains the
/// properties that all programs write, a dictionary size of 2^n or 3 * 2^n bytes, and the size or
/// a mark that it is unknown. The data begin with a zero.
fn is_lzma(text: &[u8]) -> bool {
    let Some((head, [0, ..])) = text.split_first_chunk::<13>() else { return false };
    let [0x5d, a, b, c, d, size @ ..] = *head else { return false };
    let dictionary = u32::from_le_bytes([a, b, c, d]);
    let usual = dictionary.is_power_of_two() || dictionary % 3 == 0 && (dictionary / 3).is_power_of_two();
    usual && dictionary >= 4096 && (size == [0xff; 8] || u64::from_le_bytes(size) < 1 << 38)
}

/// Maximum size of a compressed manifest in bytes.
const LIMIT: usize = 64 << 20;

/// Maximum window of the decompressor in bytes, which is that of `xz -9`.
#[cfg(feature = "unpack")]
const WINDOW: usize = 64 << 20;

/// Maximum ratio of the decompressed to the compressed size, in addition to [`ALLOWANCE`]. Text
/// reaches a fifth of it.
const MAX_RATIO: u64 = 200;

/// Number of bytes that may be decompressed regardless of the ratio.
const ALLOWANCE: u64 = 16 << 20;

/// Maximum decompressed size in bytes.
const MAX_UNPACKED: u64 = 4 << 30;

/// Returns the error for data that need a larger window than [`WINDOW`].
#[cfg(feature = "unpack")]
fn too_wide(command: &str) -> io::Error {
    invalid(format!(
        "requires a window of more than {} MiB; unpack it first: {command} FILE | truesum check -",
        WINDOW >> 20
    ))
}

fn invalid(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Returns a reader of the decompressed data that enforces the limits.
fn capped<R: Read + Send + 'static>(packed: Vec<u8>, unpack: fn(Vec<u8>) -> R) -> Box<dyn Read + Send> {
    let left = (packed.len() as u64).saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE).min(MAX_UNPACKED);
    Box::new(LimitedReader { reader: unpack(packed), left })
}

/// A reader that fails once more bytes are read than are `left`.
struct LimitedReader<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(buffer)?;
        self.left = self
            .left
            .checked_sub(len as u64)
            .ok_or_else(|| invalid("the unpacked content is too large for a manifest"))?;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decompression_bomb_is_an_error() {
        // 64 MiB of zeros compress to 64 KiB: a ratio of a thousand.
        let zeros = vec![0; 1 << 20];
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        (0..64).for_each(|_| io::Write::write_all(&mut encoder, &zeros).unwrap());
        let packed = encoder.finish().unwrap();
        let allowed = packed.len() as u64 * MAX_RATIO + ALLOWANCE;
        assert!(allowed < 64 << 20, "{}", packed.len());
        let mut unpacked = 0;
        let Reading::Packed { unpack, .. } = GZIP.reading else { panic!() };
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
