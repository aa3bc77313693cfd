//! A manifest of any format in gzip. It is unpacked while it is read, and recognised by what is in it.
//!
//! What unpacks to more than a manifest can be is refused: a kilobyte can hold a megabyte of zeros.

use crate::format::{Claim, Format, Holds, Options, Parts, Reading, Sign, Writing};
use crate::line::{Found, LineError, Place, ReadError, Reason};
use crate::reader::Reader;
use crate::records::refused;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, Cursor, Read};

pub(crate) static GZIP: Format = Format {
    name: "gzip",
    file_names: &[".gz"],
    summary: "a manifest of any other format, compressed with gzip",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff: |head| head.text.starts_with(MAGIC).then_some(Claim { sign: Sign::Mark, at: 0 }),
    reading: Reading::Document { limit: 64 << 20, parse },
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

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let name = options.file_name.as_ref().map(|name| {
        let plain = name.len() - if name.to_ascii_lowercase().ends_with(b".gz") { 3 } else { 0 };
        name[..plain].to_vec()
    });
    let told = name.as_deref().map(Options::for_name).unwrap_or_default();
    let options = Options {
        format: None,
        asked: options.asked.clone(),
        allow_weak: options.allow_weak,
        allow_pieces: options.allow_pieces,
        allow_undigested: options.allow_undigested,
        ..told
    };
    let left = (text.len() as u64).saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE).min(MAX_UNPACKED);
    let unpacked = Capped { reader: MultiGzDecoder::new(Cursor::new(text)), left };
    let mut reader = Reader::new(unpacked, options);
    // What is packed twice is no manifest, and would be unpacked without an end.
    let first = reader.next();
    if reader.format() == Some(&GZIP) {
        return Err(refused(0, "gzip in gzip: not a manifest"));
    }
    let found = |item: Result<_, ReadError>| -> Found {
        item.map_err(|error| match error {
            ReadError::Line(error) => error,
            ReadError::Io(error) => {
                LineError { at: Place::Byte(0), reason: Reason::Json(format!("packed with gzip: {error}")) }
            }
        })
    };
    Ok(Box::new(first.into_iter().chain(reader).map(found)))
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
