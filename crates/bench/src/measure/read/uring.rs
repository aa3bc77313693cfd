//! io_uring, with several reads in flight on one ring.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;
use std::path::Path;

#[cfg(not(all(target_os = "linux", feature = "uring")))]
pub(super) fn read(
    _: &Path,
    _: u64,
    _: usize,
    _: Range<u64>,
    _: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this program was built without io_uring"))
}

/// Reads with `depth` requests in flight on one ring; buffers are taken in file order.
#[cfg(all(target_os = "linux", feature = "uring"))]
pub(super) fn read(
    path: &Path,
    size: u64,
    depth: usize,
    range: Range<u64>,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<()> {
    use io_uring::{IoUring, opcode, types};
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;
    let file = File::open(path)?;
    let requests = (range.end - range.start).div_ceil(size);
    let depth = (depth.max(1) as u64).min(requests) as usize;
    let mut ring = IoUring::new(depth.next_power_of_two() as u32)?;
    // Leaked on every exit except the last line: until all requests have completed, the kernel may write into them.
    let mut buffers = std::mem::ManuallyDrop::new(vec![vec![0u8; size as usize]; depth]);
    let mut done: Vec<Option<i32>> = vec![None; depth];
    let want = |request: u64| (range.end - range.start - request * size).min(size);
    let submit = |ring: &mut IoUring, buffers: &mut [Vec<u8>], request: u64| {
        let slot = request as usize % depth;
        let entry =
            opcode::Read::new(types::Fd(file.as_raw_fd()), buffers[slot].as_mut_ptr(), want(request) as u32)
                .offset(range.start + request * size)
                .build()
                .user_data(slot as u64);
        // SAFETY: the buffers are dropped only when no request is in flight, and a buffer is not accessed before its
        // request has completed; the ring has room for `depth` entries, and a slot is reused only when its request has
        // completed.
        unsafe { ring.submission().push(&entry) }.map_err(io::Error::other)
    };
    for request in 0..depth as u64 {
        submit(&mut ring, &mut buffers, request)?;
    }
    let mut failure = None;
    let mut in_flight = depth;
    for request in 0..requests {
        let slot = request as usize % depth;
        while done[slot].is_none() && in_flight > 0 {
            wait_for_one(&ring)?;
            for completion in ring.completion() {
                done[completion.user_data() as usize] = Some(completion.result());
                in_flight -= 1;
            }
        }
        let Some(result) = done[slot].take() else { break };
        let len = want(request) as usize;
        let offset = range.start + request * size;
        match usize::try_from(result) {
            Err(_) => {
                failure = Some(io::Error::from_raw_os_error(-result));
                break;
            }
            // The rest of a short read uses a plain read: this is rare, so only correctness matters.
            Ok(read) if read < len => {
                file.read_exact_at(&mut buffers[slot][read..len], offset + read as u64)?
            }
            Ok(_) => {}
        }
        sink(offset, &buffers[slot][..len]);
        if request + (depth as u64) < requests {
            submit(&mut ring, &mut buffers, request + depth as u64)?;
            in_flight += 1;
        }
    }
    while in_flight > 0 {
        wait_for_one(&ring)?;
        in_flight -= ring.completion().count();
    }
    drop(std::mem::ManuallyDrop::into_inner(buffers));
    failure.map_or(Ok(()), Err)
}

#[cfg(all(target_os = "linux", feature = "uring"))]
fn wait_for_one(ring: &io_uring::IoUring) -> io::Result<()> {
    loop {
        match ring.submit_and_wait(1) {
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            other => return other.map(|_| ()),
        }
    }
}
