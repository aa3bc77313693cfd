//! A digest of a file computed sequentially, and the tree digest computed by threads that take pieces when idle.

use crate::Error;
use crate::measure::read::read_exact_at;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use truesum_hash::tree::Plan;
use truesum_hash::{Digest, Hasher, Spec, finish_many, kernel, update_many};

/// Bytes per read: small enough that the slices of all lanes stay in a core's own cache.
const SLICE: usize = 128 << 10;

pub(super) fn one_go(spec: &Spec, path: &Path, size: u64) -> Result<Digest, Error> {
    let file = File::open(path).map_err(|why| Error::file(path, "open", &why))?;
    let mut hasher = spec.hasher_for_size(size);
    feed(&file, 0..size, &mut vec![0; SLICE], |bytes| hasher.update(bytes))
        .map_err(|why| Error::file(path, "read", &why))?;
    Ok(hasher.finish())
}

fn feed(file: &File, range: Range<u64>, buffer: &mut [u8], mut sink: impl FnMut(&[u8])) -> io::Result<()> {
    let mut offset = range.start;
    while offset < range.end {
        let len = (range.end - offset).min(buffer.len() as u64) as usize;
        read_exact_at(file, &mut buffer[..len], offset)?;
        sink(&buffer[..len]);
        offset += len as u64;
    }
    Ok(())
}

/// Computes the tree digest with `threads` threads that take pieces when idle.
pub(super) fn in_pieces(plan: &Plan, base: &Spec, path: &Path, threads: usize) -> io::Result<Digest> {
    let file = File::open(path)?;
    let pieces = plan.pieces();
    // Pieces that are single leaves are hashed in parallel lanes, as many as fill the lanes but leave work for the
    // other threads.
    let side_by_side = match plan.piece_hasher() {
        Some(_) => (kernel::full_lanes(base.algorithm()) as u64).min(pieces.div_ceil(threads as u64)),
        None => 1,
    };
    let next = AtomicU64::new(0);
    let mut digests: Vec<(u64, Digest)> = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> io::Result<Vec<(u64, Digest)>> {
                    let mut done = Vec::new();
                    let mut buffer = Vec::new();
                    loop {
                        let first = next.fetch_add(side_by_side, Ordering::Relaxed);
                        if first >= pieces {
                            return Ok(done);
                        }
                        let batch = first..(first + side_by_side).min(pieces);
                        if plan.piece_hasher().is_some() {
                            leaves(plan, &file, batch, &mut buffer, &mut done)?;
                        } else {
                            let range = plan.piece(first);
                            buffer.resize((range.end - range.start) as usize, 0);
                            read_exact_at(&file, &mut buffer, range.start)?;
                            done.push((first, plan.hash_piece(first, &buffer)));
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            digests.extend(worker.join().expect("a worker does not panic")?);
        }
        io::Result::Ok(())
    })?;
    digests.sort_by_key(|(piece, _)| *piece);
    let mut fold = plan.fold();
    digests.into_iter().for_each(|(_, digest)| fold.push(digest));
    fold.finish().ok_or_else(|| io::Error::other("pieces are missing"))
}

/// Hashes leaves in parallel lanes, a slice of each at a time.
fn leaves(
    plan: &Plan,
    file: &File,
    batch: Range<u64>,
    buffer: &mut Vec<u8>,
    done: &mut Vec<(u64, Digest)>,
) -> io::Result<()> {
    // Buffers are offset by 64 bytes from a power of two, so that lanes do not share one set of the cache.
    const STRIDE: usize = SLICE + 64;
    let ranges: Vec<Range<u64>> = batch.clone().map(|piece| plan.piece(piece)).collect();
    let mut hashers: Vec<Hasher> = ranges.iter().filter_map(|_| plan.piece_hasher()).collect();
    buffer.resize(ranges.len() * STRIDE, 0);
    let longest = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
    let mut at = 0;
    while at < longest {
        let mut lens = Vec::with_capacity(ranges.len());
        for (range, room) in ranges.iter().zip(buffer.chunks_mut(STRIDE)) {
            let start = (range.start + at).min(range.end);
            let len = (range.end - start).min(SLICE as u64) as usize;
            read_exact_at(file, &mut room[..len], start)?;
            lens.push(len);
        }
        let slices: Vec<&[u8]> = buffer.chunks(STRIDE).zip(lens).map(|(room, len)| &room[..len]).collect();
        update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
        at += SLICE as u64;
    }
    let digests = finish_many(&mut hashers.iter_mut().collect::<Vec<_>>());
    done.extend(batch.zip(digests));
    Ok(())
}
#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn threaded_tree_hashing_gives_the_sequential_digest() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let data = crate::measure::input::generated(8, (9 << 20) + 4321);
        file.write_all(&data).unwrap();
        let base: Spec = "sha256".parse().unwrap();
        for name in [
            "sha256-tree",
            "sha256-tree;leaf=4KiB",
            "sha256-tree;leaf=1MiB",
            "mtsum-sha256",
            "sha256-tree;leaf=16MiB",
        ] {
            let spec: Spec = name.parse().unwrap();
            let expected = spec.digest(&data);
            let plan = Plan::new(&spec, data.len() as u64).unwrap();
            for threads in [1, 2, 5] {
                assert_eq!(
                    in_pieces(&plan, &base, file.path(), threads).unwrap(),
                    expected,
                    "{name} {threads}"
                );
            }
        }
    }
}
