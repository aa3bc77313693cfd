//! Output that is too long to be kept in memory, or that does not begin with its first byte.
//!
//! Files are read one after the other, each by one core, because the engine's digests have a fixed
//! range.

use super::{Arguments, Lines, Verdicts, reason};
use crate::applet::entries::End;
use crate::applet::streams::{Done, Streams};
use std::fs::File;
use std::io;
use truesum::hash::{Digest, Spec, XofReader};
use truesum::manifest::original::b3sum::{BadLine, split_line};
use truesum::manifest::{Lines as ManifestLines, RawLine};
use truesum::read::Guarded;
use truesum::{Error, Root, Special};

/// Hashes all operands. Returns false if one could not be read.
pub(super) fn hash(arguments: &Arguments, names: &[Vec<u8>], spec: &Spec, streams: &mut Streams) -> Done {
    let mut lines = Lines { arguments, streams, good: true };
    for name in names {
        if arguments.keyed && name == b"-" {
            lines.refuse_stdin()?;
            continue;
        }
        match read_whole(name, spec) {
            Ok(output) => {
                let (head, tail) = arguments.around(name);
                lines.streams.write(&head)?;
                write(arguments, output, lines.streams)?;
                lines.streams.write(&tail)?;
            }
            Err(error) => lines.failure(name, &reason(&error))?,
        }
    }
    Ok(lines.good)
}

/// Checks a manifest whose digests are the 32 bytes of output starting at `seek`.
///
/// # Errors
/// Returns the error of standard output.
pub(super) fn check(manifest: File, spec: &Spec, seek: u64, verdicts: &mut Verdicts<'_>) -> io::Result<End> {
    let mut lines = ManifestLines::raw(manifest);
    loop {
        let line = match lines.next() {
            Ok(Some(RawLine::Bytes(line))) => line,
            // Longer than any name may be, so it is not a valid line.
            Ok(Some(RawLine::TooLong | RawLine::NotUtf16)) => b"?",
            Ok(None) => return Ok(End::Whole),
            Err(error) => return Ok(End::Failed(error)),
        };
        let split = match split_line(line) {
            Ok(split) => split,
            Err(error @ BadLine::NotUtf8) => return Ok(End::Fatal(error.to_string())),
            Err(error) => {
                verdicts.bad_line(&error.to_string())?;
                continue;
            }
        };
        let found = read_whole(split.path().as_bytes(), spec).map(|mut output| {
            let mut digest = [0; 32];
            output.set_position(seek);
            output.fill(&mut digest);
            Digest::new(&digest) == *split.digest()
        });
        verdicts.verdict(split.shown().as_bytes(), found)?;
    }
}

fn write(arguments: &Arguments, mut output: XofReader, streams: &mut Streams) -> io::Result<()> {
    output.set_position(arguments.seek);
    let mut left = arguments.length;
    let mut block = [0; 2048];
    while left > 0 {
        let count = left.min(block.len() as u64) as usize;
        output.fill(&mut block[..count]);
        if arguments.raw {
            streams.write(&block[..count])?;
        } else {
            streams.write(Digest::new(&block[..count]).to_hex().as_bytes())?;
        }
        left -= count as u64;
    }
    Ok(())
}

/// Reads a file to its end.
fn read_whole(name: &[u8], spec: &Spec) -> Result<XofReader, Error> {
    let mut file = match name {
        b"-" => Guarded::stdin()?,
        _ => Guarded::open(&Root::Anywhere, name, Special::Read)?,
    };
    let mut hasher = spec.hasher();
    let mut buffer = vec![0; 1 << 18];
    while !file.at_end() {
        let filled = file.read(&mut buffer).map_err(|error| Error::io(name, "read", error))?;
        hasher.update(&buffer[..filled]);
    }
    file.finish(name).map(|_| hasher.finish_xof().expect("BLAKE3 has output of any length"))
}
