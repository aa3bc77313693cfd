//! Resolves names to open files: names of any length, and one component at a time.

use super::stat::in_folder;
use crate::sys::access::{Confinement, OpenMode};
use crate::sys::errno::Errno;
use rustix::fs::{self, CWD, Mode, OFlags};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The length in bytes from which system calls reject a path. Such paths are opened in steps.
pub const PATH_MAX: usize = libc::PATH_MAX as usize;

/// The flags for opening an object of which only the location and the metadata are needed. On
/// macOS, this requires permission to read it.
#[cfg(not(target_os = "macos"))]
const PATH: OFlags = OFlags::PATH;
#[cfg(target_os = "macos")]
const PATH: OFlags = OFlags::from_bits_retain(libc::O_EVTONLY as u32).union(OFlags::NONBLOCK);

/// The flags for opening a folder on the path to a file.
#[cfg(not(target_os = "macos"))]
pub const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(target_os = "macos")]
pub const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Returns the flags of open(2).
pub fn flags(mode: OpenMode) -> OFlags {
    OFlags::CLOEXEC
        | match mode {
            OpenMode::Path => PATH,
            OpenMode::Folder => FOLDER,
            OpenMode::Listing => OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK,
            OpenMode::Read => OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK,
            OpenMode::ReadWrite => OFlags::RDWR | OFlags::NOCTTY,
        }
}

/// Returns the descriptor of a folder, or the current one.
pub fn base(folder: Option<&File>) -> BorrowedFd<'_> {
    folder.map_or(CWD, AsFd::as_fd)
}

/// Opens a path that system calls accept.
pub type Opener = fn(BorrowedFd<'_>, &[u8], OFlags, Confinement) -> Result<OwnedFd, Errno>;

/// Opens a name of any length, relative to `folder`.
pub fn open_any(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
    open_short: Opener,
) -> Result<OwnedFd, Errno> {
    match confinement {
        _ if path.len() < PATH_MAX => open_short(folder, path, flags, confinement),
        // The combined effect of links and `..` in different parts is only known when each component is resolved.
        Confinement::Beneath => open_by_steps(folder, path, flags, confinement),
        Confinement::Anywhere | Confinement::NoLinks => {
            let mut rest = path;
            let mut step: Option<OwnedFd> = None;
            while rest.len() >= PATH_MAX {
                let cut = rest[..PATH_MAX - 1].iter().rposition(|&byte| byte == b'/').filter(|&cut| cut > 0);
                let cut = cut.ok_or(Errno::NAMETOOLONG)?;
                let at = step.as_ref().map_or(folder, AsFd::as_fd);
                step = Some(open_short(at, &rest[..cut], FOLDER, confinement)?);
                let skip = rest[cut..].iter().take_while(|&&byte| byte == b'/').count();
                rest = &rest[cut + skip..];
            }
            // The remainder may consist of slashes only.
            let rest = if rest.is_empty() { b"." } else { rest };
            open_short(step.as_ref().map_or(folder, AsFd::as_fd), rest, flags, confinement)
        }
    }
}

/// Opens a name one component at a time and more strictly than the kernel could: every symbolic link is rejected.
pub fn open_by_steps(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    confinement: Confinement,
) -> Result<OwnedFd, Errno> {
    let refusal = link_refusal(confinement);
    match path.first() {
        None => return Err(Errno::NOENT),
        Some(b'/') => return Err(Errno::XDEV),
        Some(_) => {}
    }
    // A name that ends so is that of a folder, as everywhere else.
    let last = if path.ends_with(b"/") || path.ends_with(b"/.") { flags | OFlags::DIRECTORY } else { flags };
    let mut step: Option<OwnedFd> = None;
    let mut parts =
        path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".").peekable();
    while let Some(part) = parts.next() {
        if part == b".." {
            return Err(Errno::XDEV);
        }
        let at = step.as_ref().map_or(folder, AsFd::as_fd);
        let flags = if parts.peek().is_some() { FOLDER } else { last } | OFlags::NOFOLLOW;
        let next = match openat(at, part, flags) {
            // A link may also be reported as "not a directory", and as "too many links" on FreeBSD.
            Err(error) if error == Errno::LOOP || is_link(at, part) => return Err(refusal),
            result => result?,
        };
        step = Some(next);
    }
    match step {
        // A link can be opened itself if only its location is needed.
        Some(file) if flags.contains(PATH) && !flags.contains(OFlags::NOFOLLOW) && is_open_link(&file) => {
            Err(refusal)
        }
        Some(file) => Ok(file),
        None => openat(folder, b".", flags),
    }
}

/// Returns the error for a symbolic link that may not be followed.
pub fn link_refusal(confinement: Confinement) -> Errno {
    if confinement == Confinement::NoLinks { Errno::LOOP } else { Errno::XDEV }
}

/// Opens an existing file, without limits.
pub fn openat(folder: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    Ok(rustix::io::retry_on_intr(|| fs::openat(folder, path, flags, Mode::empty()))?)
}

fn is_link(folder: BorrowedFd<'_>, name: &[u8]) -> bool {
    in_folder(folder, name, false).is_ok_and(|stat| stat.kind.is_symlink())
}

fn is_open_link(file: &OwnedFd) -> bool {
    fs::fstat(file).is_ok_and(|stat| fs::FileType::from_raw_mode(stat.st_mode) == fs::FileType::Symlink)
}
