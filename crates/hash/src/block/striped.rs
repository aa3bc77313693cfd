//! One message whose blocks are distributed to several streams in turn, without copying the share of each stream.
#![allow(unsafe_code)]

use super::row::{Advance, Code, Runnable, pick};
use super::schedule::{Columns, Lane, take_column};
use super::stream::Stream;

/// Distributes the blocks at the beginning of `data` to the streams, all of one chain whose last block waits. Returns
/// the number of bytes processed: none if a stream is within a block, or if there are no more bytes, because the last
/// block of each stream must wait.
pub(crate) fn update_striped(streams: &mut [Stream], data: &[u8]) -> usize {
    let chain = streams[0].chain;
    let row = pick(chain.kernels, streams.len());
    let waiting = streams[0].buffered;
    let turns = (data.len() / (streams.len() * chain.block)).saturating_sub(1);
    // One call of the kernel advances all streams, so they must be at the same position, at the
    // boundary of a block. A lazy stream is there with a complete block in its buffer.
    let even = streams.iter().all(|stream| stream.buffered == waiting);
    // All lanes must be busy. As their number divides that of the streams, it is also at most
    // `MAX_STREAMS`.
    let whole = waiting.is_multiple_of(chain.block) && streams.len().is_multiple_of(row.lanes);
    if !chain.lazy || turns == 0 || !even || !whole {
        return 0;
    }
    let stride = streams.len() * chain.block;
    for (number, streams) in streams.chunks_mut(row.lanes).enumerate() {
        let from = &data[number * row.lanes * chain.block..];
        match row.code() {
            Code::Word32(advance) => take_turns(row, advance, streams, from, stride, turns),
            Code::Word64(advance) => take_turns(row, advance, streams, from, stride, turns),
        }
    }
    turns * stride
}

/// Processes what each stream has buffered, then the given number of blocks, each `stride` bytes after the previous
/// one.
fn take_turns<T: Lane>(
    row: Runnable,
    advance: Advance<T>,
    streams: &mut [Stream],
    data: &[u8],
    stride: usize,
    turns: usize,
) {
    let (lanes, block, words) = (row.lanes, streams[0].chain.block, streams[0].chain.words);
    assert!(streams.len() == lanes && data.len() >= (turns - 1) * stride + lanes * block);
    let mut columns = Columns::<T>::new();
    let columns = columns.zeroed(words * lanes);
    for (lane, stream) in streams.iter().enumerate() {
        for (word, value) in stream.state[..words].iter().enumerate() {
            columns[word * lanes + lane] = T::narrow(*value);
        }
    }
    let mut pointers = [data.as_ptr(); MAX_STREAMS];
    if streams[0].buffered > 0 {
        for (pointer, stream) in pointers.iter_mut().zip(&*streams) {
            *pointer = stream.buffer.as_ptr();
        }
        // SAFETY: the row is supported; the state has `words * lanes` values; every buffer contains a block, as tested
        // by the caller.
        unsafe { advance(columns.as_mut_ptr(), pointers.as_ptr(), 1) };
    }
    // The next block of a stream begins `stride` bytes later, so a call processes only one.
    for turn in 0..turns {
        for (lane, pointer) in pointers[..lanes].iter_mut().enumerate() {
            *pointer = data[turn * stride + lane * block..].as_ptr();
        }
        // SAFETY: as above; the data has a block for every lane in every turn, as asserted.
        unsafe { advance(columns.as_mut_ptr(), pointers.as_ptr(), 1) };
    }
    for (lane, stream) in streams.iter_mut().enumerate() {
        take_column(columns, lane, lanes, &mut stream.state[..words]);
        // The block that was in the buffer has been counted when it was stored there.
        stream.buffered = 0;
        stream.total += (turns * block) as u64;
    }
}

/// The maximum number of streams: BLAKE2sp has eight leaves.
const MAX_STREAMS: usize = 8;
