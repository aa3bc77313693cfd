//! The page cache: how much of a file is in it, and how to evict it.

#[cfg(unix)]
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Returns the share of `range` in the page cache, from a sample of up to 64 places; `None` if the system does not
/// report it.
pub(crate) fn resident(path: &Path, range: Range<u64>) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::ReadWriteFlags;
        let file = File::open(path).ok()?;
        let step = ((range.end - range.start) / 64).max(1);
        let (mut places, mut found) = (0, 0);
        for offset in range.step_by(step as usize) {
            let mut byte = [0];
            places += 1;
            let mut slices = [io::IoSliceMut::new(&mut byte)];
            match rustix::io::preadv2(&file, &mut slices, offset, ReadWriteFlags::NOWAIT) {
                Ok(_) => found += 1,
                Err(rustix::io::Errno::AGAIN) => {}
                Err(_) => return None,
            }
        }
        (places > 0).then(|| f64::from(found) / f64::from(places))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (path, range);
        None
    }
}

/// Asks the system to drop the cached pages of a file.
pub(crate) fn evict(path: &Path) -> io::Result<()> {
    // Windows drops the cached pages when the file is opened without buffering and no other process has it open.
    #[cfg(windows)]
    super::direct::open_direct(path)?;
    #[cfg(unix)]
    let file = File::open(path)?;
    // Dirty pages stay in the cache until they are written.
    #[cfg(unix)]
    file.sync_all()?;
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}
