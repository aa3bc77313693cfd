//! Decompression of zstd: concatenated frames. The library leaves it to the caller to continue
//! with the next frame, and to verify the length and checksum of each frame.

use super::{WINDOW, invalid, too_wide};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, Cursor, Read};

pub(super) struct Zstd {
    packed: Cursor<Vec<u8>>,
    decoder: FrameDecoder,
    /// The length that the current frame declares, if any, and the number of bytes decompressed
    /// so far.
    frame: Option<(Option<u64>, u64)>,
}

impl Zstd {
    pub(super) fn new(packed: Vec<u8>) -> Zstd {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW as u64);
        Zstd { packed: Cursor::new(packed), decoder, frame: None }
    }

    /// Begins the next frame, or skips it if it is a skippable frame.
    fn begin(&mut self) -> io::Result<()> {
        let descriptor = self.packed.get_ref().get(self.packed.position() as usize + 4).copied();
        match self.decoder.reset(&mut self.packed) {
            Ok(()) => {
                // The length is present if it has a field or if the frame is a single segment.
                let size = descriptor.is_some_and(|bits| bits & 0b1110_0000 != 0);
                self.frame = Some((size.then(|| self.decoder.content_size()), 0));
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let end = self.packed.position() + u64::from(length);
                if end > self.packed.get_ref().len() as u64 {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "truncated"));
                }
                self.packed.set_position(end);
                Ok(())
            }
            Err(FrameDecoderError::WindowSizeTooBig { .. }) => Err(too_wide("zstd -dc --long=31")),
            Err(FrameDecoderError::DictNotProvided { .. }) => Err(invalid(
                "requires a dictionary; unpack it first: zstd -dc -D DICTIONARY FILE | truesum check -",
            )),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_))) => {
                Err(invalid("bytes that are not part of a frame"))
            }
            Err(error) => Err(self.fault(&error)),
        }
    }

    /// Returns the error for a frame that could not be read: truncated input, or the library's
    /// message.
    fn fault(&self, error: &FrameDecoderError) -> io::Error {
        match self.packed.position() < self.packed.get_ref().len() as u64 {
            true => invalid(format!("a frame is damaged: {error}")),
            false => io::Error::new(io::ErrorKind::UnexpectedEof, "truncated"),
        }
    }

    /// Verifies the declared length and the checksum of a completed frame.
    fn end(&self, size: Option<u64>, len: u64) -> io::Result<()> {
        if size.is_some_and(|size| size != len) {
            return Err(invalid("the length of a frame does not match its header"));
        }
        let sum = self.decoder.get_checksum_from_data();
        if sum.is_some() && sum != self.decoder.get_calculated_checksum() {
            return Err(invalid("the checksum of a frame does not match"));
        }
        Ok(())
    }
}

impl Read for Zstd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            let Some((size, len)) = &mut self.frame else {
                let (at, end) = (self.packed.position(), self.packed.get_ref().len() as u64);
                if at == end && at > 0 {
                    return Ok(0);
                }
                self.begin()?;
                continue;
            };
            let got = self.decoder.read(buffer)?;
            *len += got as u64;
            if got > 0 {
                return Ok(got);
            }
            if self.decoder.is_finished() {
                let (size, len) = (*size, *len);
                self.end(size, len)?;
                self.frame = None;
                continue;
            }
            if let Err(error) =
                self.decoder.decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
            {
                return Err(self.fault(&error));
            }
        }
        Ok(0)
    }
}
