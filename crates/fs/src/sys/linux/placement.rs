//! The position of a file on its device: its first extent (FIEMAP, Documentation/filesystems/fiemap.rst in the kernel), or
//! on a tape the extended attributes of LTFS (LTFS Format Specification, section C.2).
#![allow(unsafe_code)]

use rustix::fs::fgetxattr;
use std::fs::File;
use std::os::fd::AsRawFd;

/// `FS_IOC_FIEMAP`, which is the same number on all architectures.
const FIEMAP: u32 = 0xc020_660b;
/// `FIEMAP_EXTENT_UNKNOWN`: the data has no place on the device yet.
const UNKNOWN: u32 = 2;

/// `struct fiemap` with room for one extent.
#[repr(C)]
#[derive(Default)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extent: Extent,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// Returns the partition of a tape, or 0, and the position of the first extent of a file; `None` if the file system does
/// not report it. A file without data on the device is at position 0.
pub fn first_extent(file: &File) -> Option<(u64, u64)> {
    mapped(file).map(|physical| (0, physical)).or_else(|| {
        on_tape(|name| {
            let mut value = [0; 32];
            let len = fgetxattr(file, name, &mut value[..]).ok()?;
            Some(value[..len].to_vec())
        })
    })
}

/// Returns the physical offset of the first extent in bytes.
fn mapped(file: &File) -> Option<u64> {
    let mut request = Request { length: u64::MAX, extent_count: 1, ..Request::default() };
    // SAFETY: the descriptor is open, and the request has room for the one extent that it requests.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut request) };
    let is_placed = request.mapped_extents > 0 && request.extent.flags & UNKNOWN == 0;
    (result == 0).then_some(if is_placed { request.extent.physical } else { 0 })
}

/// Returns the partition and the first block of a file on a tape, given its extended attributes.
fn on_tape(attribute: impl Fn(&str) -> Option<Vec<u8>>) -> Option<(u64, u64)> {
    let block = attribute("user.ltfs.startblock")?;
    let block = std::str::from_utf8(&block).ok()?.trim_matches(['\0', '\n', ' ']).parse().ok()?;
    let partition = attribute("user.ltfs.partition").and_then(|name| name.first().copied()).unwrap_or(0);
    Some((partition.into(), block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_tapes_are_read_from_the_attributes_of_ltfs() {
        let of = |block: Option<&str>, partition: Option<&str>| {
            on_tape(|name| match name {
                "user.ltfs.startblock" => block.map(|block| block.as_bytes().to_vec()),
                "user.ltfs.partition" => partition.map(|name| name.as_bytes().to_vec()),
                _ => None,
            })
        };
        assert_eq!(of(Some("1234"), Some("b")), Some((u64::from(b'b'), 1234)));
        assert_eq!(of(Some("7\0"), None), Some((0, 7)));
        assert_eq!(of(None, Some("b")), None);
        assert_eq!(of(Some("x"), None), None);
    }

    #[test]
    fn layout_of_the_request_is_that_of_the_kernel() {
        assert_eq!((size_of::<Request>(), size_of::<Extent>()), (32 + 56, 56));
        assert_eq!(std::mem::offset_of!(Request, extent), 32);
    }

    #[test]
    fn extents_of_different_files_differ() {
        let folder = tempfile::tempdir().unwrap();
        let extents: Vec<Option<u64>> = ["a", "b"]
            .iter()
            .map(|name| {
                let path = folder.path().join(name);
                std::fs::write(&path, vec![7; 1 << 20]).unwrap();
                let file = File::open(&path).unwrap();
                file.sync_all().unwrap();
                mapped(&file)
            })
            .collect();
        // Without an answer, both have none.
        assert!(extents[0].is_none() == extents[1].is_none());
        assert!(extents[0].is_none() || extents[0] != extents[1] && extents[0] > Some(0), "{extents:?}");
    }
}
