//! Resolves names to open files: by a path for names without limits, and component by component relative to the handle of
//! a folder for all others (`NtCreateFile`). There, no symbolic link, junction or mounted volume is followed.
#![allow(unsafe_code)]

use super::failure::{self, BAD_NAME, last};
use super::native::{SHARE_ALL, open_at};
use super::{name, stat};
use crate::sys::access::{Confinement, OpenMode};
use crate::sys::errno::Errno;
use crate::sys::metadata::Metadata;
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::PathBuf;
use std::ptr;
use windows_sys::Wdk::Storage::FileSystem::{FILE_OPEN, FILE_OPEN_REPARSE_POINT, FILE_SEQUENTIAL_ONLY};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_FLAG_SEQUENTIAL_SCAN, FILE_GENERIC_READ, FILE_GENERIC_WRITE,
    FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, FILE_TRAVERSE, FileAttributeTagInfo,
    GetFinalPathNameByHandleW, MAXIMUM_REPARSE_DATA_BUFFER_SIZE, SYNCHRONIZE,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::FSCTL_GET_REPARSE_POINT;
use windows_sys::Win32::System::SystemServices::{IO_REPARSE_TAG_MOUNT_POINT, IO_REPARSE_TAG_SYMLINK};

/// The length from which no path is accepted.
pub const PATH_MAX: usize = 32_767;

/// Opens a name of any length, relative to `folder` or the current one.
pub fn open(
    folder: Option<&File>,
    path: &[u8],
    mode: OpenMode,
    confinement: Confinement,
) -> Result<File, Errno> {
    match confinement {
        Confinement::Anywhere => by_path(folder, path, mode, true),
        Confinement::Beneath | Confinement::NoLinks => by_steps(folder, path, mode, confinement, false),
    }
}

/// Returns the metadata of the object with this name.
pub fn stat(
    folder: Option<&File>,
    path: &[u8],
    follow: bool,
    confinement: Confinement,
) -> Result<Metadata, Errno> {
    stat::of(&located(folder, path, follow, confinement)?)
}

/// Returns the target of a symbolic link or a junction, and the metadata of the link.
pub fn read_link(
    folder: Option<&File>,
    path: &[u8],
    confinement: Confinement,
) -> Result<(Metadata, Vec<u8>), Errno> {
    let link = located(folder, path, false, confinement)?;
    Ok((stat::of(&link)?, target(&link)?))
}

/// Opens an object without access to its content; a link itself if it is not followed.
fn located(
    folder: Option<&File>,
    path: &[u8],
    follow: bool,
    confinement: Confinement,
) -> Result<File, Errno> {
    match confinement {
        Confinement::Anywhere => by_path(folder, path, OpenMode::Path, follow),
        Confinement::Beneath | Confinement::NoLinks => {
            by_steps(folder, path, OpenMode::Path, confinement, !follow)
        }
    }
}

/// Returns the access rights of a mode.
fn access(mode: OpenMode) -> u32 {
    match mode {
        OpenMode::Path => FILE_READ_ATTRIBUTES,
        OpenMode::Folder => FILE_READ_ATTRIBUTES | FILE_TRAVERSE,
        OpenMode::Listing => FILE_READ_ATTRIBUTES | FILE_LIST_DIRECTORY,
        OpenMode::Read => FILE_GENERIC_READ,
        OpenMode::ReadWrite => FILE_GENERIC_READ | FILE_GENERIC_WRITE,
    }
}

/// Opens a path, which may lead anywhere.
fn by_path(folder: Option<&File>, path: &[u8], mode: OpenMode, follow: bool) -> Result<File, Errno> {
    let path = name::path(path)?;
    let path = match folder {
        Some(folder) if !path.is_absolute() => alias(folder)?.join(path),
        _ => path.into_owned(),
    };
    let link = if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    let ahead = if mode == OpenMode::Read { FILE_FLAG_SEQUENTIAL_SCAN } else { 0 };
    let mut options = OpenOptions::new();
    // Without the flag for backups, folders cannot be opened.
    options.access_mode(access(mode) | SYNCHRONIZE).share_mode(SHARE_ALL);
    let file = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link | ahead).open(path);
    in_mode(file.map_err(|error| failure::of(&error))?, mode)
}

/// Returns an opened object if its type fits the mode.
fn in_mode(file: File, mode: OpenMode) -> Result<File, Errno> {
    match mode {
        OpenMode::Folder | OpenMode::Listing if !stat::kind_of(&file)?.is_dir() => Err(Errno::NOTDIR),
        _ => Ok(file),
    }
}

/// Opens a name below a folder, one component at a time. Every link is rejected, except one at the end if it is not
/// followed. `..` leads back to the folder that was opened before.
fn by_steps(
    folder: Option<&File>,
    path: &[u8],
    mode: OpenMode,
    confinement: Confinement,
    is_link_found: bool,
) -> Result<File, Errno> {
    const CURRENT: &[u8] = b".";
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    match path {
        [] => return Err(Errno::NOENT),
        [first, ..] if is_separator(first) => return Err(Errno::XDEV),
        [drive, b':', ..] if drive.is_ascii_alphabetic() => return Err(Errno::XDEV),
        _ => {}
    }
    let current;
    let folder = match folder {
        Some(folder) => folder,
        None => {
            current = by_path(None, CURRENT, OpenMode::Folder, true)?;
            &current
        }
    };
    let ends_in_separator = path.last().is_some_and(is_separator);
    let mut parts = path.split(is_separator).filter(|part| !part.is_empty() && *part != CURRENT).peekable();
    // The folders on the way; the last object is not opened as one.
    let mut steps: Vec<File> = Vec::new();
    while let Some(part) = parts.next() {
        if part == b".." {
            steps.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        // It would name a stream of the file.
        if part.contains(&b':') {
            return Err(BAD_NAME);
        }
        let is_last = parts.peek().is_none();
        let part_mode = if is_last { mode } else { OpenMode::Folder };
        let at = steps.last().unwrap_or(folder);
        let next = match open_one(at, &name::wide(part)?, part_mode, is_last && is_link_found) {
            Err(Errno::LOOP) if confinement == Confinement::Beneath => return Err(Errno::XDEV),
            next => next?,
        };
        match is_last {
            true if ends_in_separator => return in_mode(next, OpenMode::Folder),
            true => return Ok(next),
            false => steps.push(next),
        }
    }
    let last = steps.last().unwrap_or(folder);
    in_mode(open_at(last, &[], access(mode), FILE_OPEN, 0)?, mode)
}

/// Opens the object with this name in a folder. The error for a link, unless it is what is looked for, is
/// [`Errno::LOOP`].
fn open_one(folder: &File, name: &[u16], mode: OpenMode, is_link_found: bool) -> Result<File, Errno> {
    let ahead = if mode == OpenMode::Read { FILE_SEQUENTIAL_ONLY } else { 0 };
    let file = open_at(folder, name, access(mode), FILE_OPEN, FILE_OPEN_REPARSE_POINT | ahead)?;
    let found: FILE_ATTRIBUTE_TAG_INFO = stat::query(&file, FileAttributeTagInfo)?;
    let kind = stat::kind(found.FileAttributes, found.ReparseTag);
    if found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        let is_expected = kind.is_dir() || !matches!(mode, OpenMode::Folder | OpenMode::Listing);
        return if is_expected { Ok(file) } else { Err(Errno::NOTDIR) };
    }
    match kind.is_symlink() {
        true if is_link_found => Ok(file),
        true => Err(Errno::LOOP),
        // The content is stored elsewhere (deduplicated, in the cloud) and only available if the system resolves this.
        false => {
            let whole = open_at(&file, &[], access(mode), FILE_OPEN, ahead)?;
            if stat::of(&whole)?.id != stat::of(&file)?.id {
                return Err(Errno::LOOP);
            }
            in_mode(whole, mode)
        }
    }
}

/// Returns the target of an open link, with slashes.
fn target(link: &File) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0_u8; MAXIMUM_REPARSE_DATA_BUFFER_SIZE as usize];
    let mut len = 0;
    // SAFETY: the handle is open, and the call writes at most the length of the buffer that it is given.
    let done = unsafe {
        let room = buffer.len() as u32;
        let handle = link.as_raw_handle();
        DeviceIoControl(
            handle,
            FSCTL_GET_REPARSE_POINT,
            ptr::null(),
            0,
            buffer.as_mut_ptr().cast(),
            room,
            &mut len,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(match last().raw_os_error() as u32 {
            windows_sys::Win32::Foundation::ERROR_NOT_A_REPARSE_POINT => Errno::INVAL,
            error => failure::error(error),
        });
    }
    link_text(&buffer[..len as usize]).ok_or(Errno::INVAL)
}

/// Returns the target in the data of a reparse point (`REPARSE_DATA_BUFFER`): the form meant for people, or else the one
/// for the system.
fn link_text(data: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| Some(usize::from(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?)));
    let tag = u32::from_le_bytes(data.get(..4)?.try_into().ok()?);
    // Tag, length of the data and a reserved number, then offsets and lengths of both forms; links also have flags.
    let texts = match tag {
        IO_REPARSE_TAG_SYMLINK => 20,
        IO_REPARSE_TAG_MOUNT_POINT => 16,
        _ => return None,
    };
    let text = |offset: usize, len: usize| {
        let begin = texts + number(offset)?;
        let bytes = data.get(begin..begin + number(len)?)?;
        let wide: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        Some(name::narrow(&wide))
    };
    let shown = text(12, 14).filter(|shown| !shown.is_empty());
    let shown =
        shown.or_else(|| Some(text(8, 10)?.strip_prefix(br"\??\")?.to_vec()).or_else(|| text(8, 10)))?;
    Some(shown.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect())
}

/// Returns the path of an open file without links, as a user would write it.
pub fn real_path(file: &File) -> Result<Vec<u8>, Errno> {
    Ok(name::plain_bytes(&final_path(file)?))
}

/// Returns a path that leads to an open file or folder: the one it has now.
pub fn alias(file: &File) -> Result<PathBuf, Errno> {
    let path = final_path(file)?;
    Ok(PathBuf::from(name::checked(&path).ok_or(BAD_NAME)?))
}

fn final_path(file: &File) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0_u16; 512];
    loop {
        let room = buffer.len() as u32;
        // SAFETY: the handle is open, and the call writes at most the length of the buffer that it is given.
        let len = unsafe { GetFinalPathNameByHandleW(file.as_raw_handle(), buffer.as_mut_ptr(), room, 0) };
        match len {
            0 => return Err(last()),
            // Without the terminator if the path fits, otherwise with it.
            len if len < room => return Ok(name::narrow(&buffer[..len as usize])),
            len => buffer.resize(len as usize + 1, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::metadata::FileType;
    use std::io::Read;

    fn folder(path: &std::path::Path) -> File {
        by_path(None, path.as_os_str().as_encoded_bytes(), OpenMode::Folder, true).unwrap()
    }

    #[test]
    fn names_below_a_folder_are_opened_and_others_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root/sub")).unwrap();
        std::fs::write(dir.path().join("outside"), "secret").unwrap();
        std::fs::write(dir.path().join("root/sub/file"), "data").unwrap();
        let root = folder(&dir.path().join("root"));
        for confinement in [Confinement::Beneath, Confinement::NoLinks] {
            let open = |name: &str| open(Some(&root), name.as_bytes(), OpenMode::Read, confinement);
            for name in
                ["sub/file", "./sub//file", r"sub\file", "SUB/File", "sub/../sub/file", r"sub\..\sub/./file"]
            {
                let mut text = String::new();
                open(name).unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "data", "{name}");
            }
            let absolute = dir.path().join("outside").to_string_lossy().into_owned();
            for name in [
                "../outside",
                r"..\outside",
                "/outside",
                r"\outside",
                "C:/outside",
                "c:outside",
                r"sub/..\..\outside",
                "..",
                "sub/../..",
                &absolute,
            ] {
                assert_eq!(open(name).err(), Some(Errno::XDEV), "{name}");
            }
            for name in ["sub/file:stream", "sub/file::$DATA", "sub:x/file"] {
                assert_eq!(open(name).err(), Some(BAD_NAME), "{name}");
            }
            assert_eq!(open("none").err(), Some(Errno::NOENT));
            assert_eq!(open("none/file").err(), Some(Errno::NOENT));
            assert_eq!(open("sub/file/x").err(), Some(Errno::NOTDIR));
            assert_eq!(open("sub/file/").err(), Some(Errno::NOTDIR));
            assert_eq!(open("").err(), Some(Errno::NOENT));
            let stat = stat(Some(&root), b".", true, confinement).unwrap();
            assert_eq!((stat.kind, stat.id), (FileType::Directory, stat::of(&root).unwrap().id));
            assert_eq!(open("sub/file/../file").err(), Some(Errno::NOTDIR));
            let above = super::stat(Some(&root), b"sub/..", true, confinement).unwrap();
            assert_eq!(above.id, stat.id);
            let listing = super::open(Some(&root), b"sub/file", OpenMode::Listing, confinement);
            assert_eq!(listing.err(), Some(Errno::NOTDIR));
        }
        let anywhere = |name: &str| open(Some(&root), name.as_bytes(), OpenMode::Read, Confinement::Anywhere);
        assert!(anywhere("../outside").is_ok() && anywhere("sub/../sub/file").is_ok());
        assert_eq!(anywhere("sub/file.").err(), Some(BAD_NAME));
        assert_eq!(anywhere("NUL").err(), Some(BAD_NAME));
    }

    #[test]
    fn links_and_junctions_are_refused_below_a_folder_and_read_as_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("root")).unwrap();
        std::fs::write(dir.path().join("root/file"), "data").unwrap();
        let link = dir.path().join("root/link");
        // Only privileged users can create one, and Wine does not show it as a link.
        let made = std::os::windows::fs::symlink_file(r"..\root\file", &link);
        if made.is_err() || !stat::at(&link, false).is_ok_and(|stat| stat.kind.is_symlink()) {
            return;
        }
        let root = folder(&dir.path().join("root"));
        let open = |confinement| open(Some(&root), b"link", OpenMode::Read, confinement).err();
        assert_eq!(open(Confinement::Beneath), Some(Errno::XDEV));
        assert_eq!(open(Confinement::NoLinks), Some(Errno::LOOP));
        assert_eq!(open(Confinement::Anywhere), None);
        let (stat, target) = read_link(Some(&root), b"link", Confinement::Beneath).unwrap();
        assert_eq!((stat.kind, &target[..]), (FileType::Symlink, &b"../root/file"[..]));
    }

    #[test]
    fn the_data_of_a_link_is_understood() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let data = |tag: u32, system: &str, shown: &str| {
            let (system, shown) = (wide(system), wide(shown));
            let mut data = tag.to_le_bytes().to_vec();
            let numbers = [0, 0, 0, system.len() as u16, system.len() as u16, shown.len() as u16];
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            if tag == IO_REPARSE_TAG_SYMLINK {
                data.extend([0; 4]);
            }
            [data, system, shown].concat()
        };
        let text = |tag, system, shown| {
            link_text(&data(tag, system, shown)).map(|text| String::from_utf8(text).unwrap())
        };
        assert_eq!(text(IO_REPARSE_TAG_SYMLINK, r"..\a", r"..\a").as_deref(), Some("../a"));
        assert_eq!(text(IO_REPARSE_TAG_MOUNT_POINT, r"\??\C:\a", "").as_deref(), Some("C:/a"));
        assert_eq!(text(0x8000_0013, "", ""), None);
        assert_eq!(link_text(&data(IO_REPARSE_TAG_SYMLINK, "a", "b")[..21]), None, "cut");
    }

    #[test]
    fn a_path_longer_than_the_old_limit_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let long = ["d".repeat(100), "e".repeat(100), "f".repeat(100)].join("/");
        let path = std::fs::canonicalize(dir.path()).unwrap().join(long.replace('/', r"\"));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("file"), "data").unwrap();
        let name = format!("{long}/file").into_bytes();
        for confinement in [Confinement::Anywhere, Confinement::Beneath, Confinement::NoLinks] {
            let root = folder(dir.path());
            assert!(open(Some(&root), &name, OpenMode::Read, confinement).is_ok(), "{confinement:?}");
        }
        let opened = folder(dir.path());
        assert!(real_path(&opened).unwrap().starts_with(b"\\\\?\\").then_some(()).is_none());
        assert_eq!(stat::at(&alias(&opened).unwrap(), true).unwrap().id, stat::of(&opened).unwrap().id);
    }
}
