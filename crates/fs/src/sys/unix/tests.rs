//! Tests of the modules above with what only Unix has: special files, owners and modes.
#![allow(unsafe_code)]

use crate::error::Cause;
use crate::open::{Root, Special};
use crate::read::Guarded;
use crate::write::AtomicFile;
use std::ffi::CString;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

fn make_pipe(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path ends in NUL.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

#[test]
fn special_files_are_rejected_without_blocking() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    make_pipe(&fifo);
    let error = Root::Anywhere.open(fifo.as_os_str().as_bytes(), Special::Refuse).unwrap_err();
    assert!(matches!(error.cause, Cause::Special("named pipe")), "{error}");
    let error = Root::Anywhere.open(dir.path().as_os_str().as_bytes(), Special::Read).unwrap_err();
    assert!(matches!(error.cause, Cause::Special("directory")), "{error}");
}

#[test]
fn pipe_read_waits_for_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    make_pipe(&pipe);
    let mut reading = Guarded::open(&Root::Anywhere, pipe.as_os_str().as_bytes(), Special::Read).unwrap();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        std::fs::write(pipe, "late").unwrap();
    });
    assert_eq!(reading.read(&mut [0; 16]), Ok(4));
    writer.join().unwrap();
    assert_eq!(reading.finish(b"pipe").unwrap().size(), 4);
}

#[test]
fn owner_group_and_attributes_are_preserved() {
    for unnamed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("M");
        std::fs::write(&target, "old").unwrap();
        #[cfg(target_os = "linux")]
        let attributed =
            rustix::fs::setxattr(&target, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
        // Only root can change the owner of a file.
        let given = std::os::unix::fs::chown(&target, Some(65534), Some(65534)).is_ok();
        std::fs::set_permissions(&target, Permissions::from_mode(0o4640)).unwrap();
        let before = std::fs::metadata(&target).unwrap();
        let mut file = AtomicFile::begin(&target, unnamed).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        let after = std::fs::metadata(&target).unwrap();
        assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
        assert_eq!(after.uid() == 65534, given);
        #[cfg(target_os = "linux")]
        if attributed {
            let mut value = [0; 9];
            let len = rustix::fs::getxattr(&target, "user.note", &mut value[..]).unwrap();
            assert_eq!(&value[..len], b"kept");
        }
        assert_ne!(after.ino(), before.ino());
    }
}
