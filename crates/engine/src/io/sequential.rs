//! Reads a file on the calling thread, from its beginning to its end.

use crate::error::Error;
use crate::io::read::{CompleteRead, Guarded};
use crate::progress::Progress;

/// Reads a file from the current position to its end, passes the bytes to `sink` in order, and returns the proof that
/// the read was complete. A file that another process may be writing to is counted in `progress`.
///
/// # Errors
/// Fails if reading failed or `progress` was stopped, or as [`Guarded::finish`].
pub(crate) fn read_to_end(
    mut file: Guarded,
    path: &[u8],
    buffer: &mut [u8],
    progress: &Progress,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<CompleteRead, Error> {
    if file.may_be_written() {
        progress.add_writers_unknown();
    }
    while !file.at_end() {
        if progress.stopped() {
            return Err(Error::interrupted(path));
        }
        progress.note_read(&file, file.position());
        let filled = file.read(buffer).map_err(|error| file.failed(path, error))?;
        sink(&buffer[..filled]);
        progress.add_bytes(filled as u64);
    }
    file.finish(path)
}
