//! Decompression of xz: concatenated streams. Every block is verified with its check, and all
//! blocks are compared with the index that follows them.

use super::{WINDOW, invalid, too_wide};
use lzma_rust2::{Action, Status, XzStream};
use std::io::{self, Read};

/// Upper bound of the decoder's memory in addition to its window, in KiB.
const OVERHEAD: u32 = 1 << 10;

pub(super) struct Xz {
    packed: Vec<u8>,
    at: usize,
    stream: XzStream,
}

impl Xz {
    pub(super) fn new(packed: Vec<u8>) -> Xz {
        Xz { packed, at: 0, stream: XzStream::new_mem_limit(true, (WINDOW >> 10) as u32 + OVERHEAD) }
    }
}

impl Read for Xz {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            let done =
                self.stream.process(&self.packed[self.at..], buffer, Action::Finish).map_err(|error| {
                    if error.kind() == io::ErrorKind::OutOfMemory { too_wide("xz -dc") } else { error }
                })?;
            self.at += done.bytes_consumed;
            if done.bytes_produced > 0 {
                return Ok(done.bytes_produced);
            }
            match done.status {
                Status::StreamEnd if self.at == self.packed.len() => return Ok(0),
                Status::Ok if done.bytes_consumed > 0 => {}
                _ => return Err(invalid("trailing bytes")),
            }
        }
        Ok(0)
    }
}
