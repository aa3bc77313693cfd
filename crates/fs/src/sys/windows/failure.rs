//! Errors of calls, as the numbers in [`Errno`].

use crate::sys::errno::Errno;
use std::io;
use windows_sys::Win32::Foundation::{self as code, NTSTATUS, RtlNtStatusToDosError, WIN32_ERROR};

/// The error for a name that no file of this system can have, or that Windows would understand as another one.
pub const BAD_NAME: Errno = Errno::from_raw_os_error(code::ERROR_INVALID_NAME as i32);
/// The error for a file that another process has opened in a way that excludes this access.
pub const IN_USE: Errno = Errno::from_raw_os_error(code::ERROR_SHARING_VIOLATION as i32);

/// Returns the error with this number, or the one in [`Errno`] that means the same.
pub fn error(number: WIN32_ERROR) -> Errno {
    let number = match number {
        code::ERROR_PATH_NOT_FOUND => code::ERROR_FILE_NOT_FOUND,
        code::ERROR_FILE_EXISTS => code::ERROR_ALREADY_EXISTS,
        code::ERROR_CRC | code::ERROR_SECTOR_NOT_FOUND | code::ERROR_READ_FAULT | code::ERROR_WRITE_FAULT => {
            code::ERROR_IO_DEVICE
        }
        code::ERROR_NO_DATA => code::ERROR_BROKEN_PIPE,
        code::WAIT_TIMEOUT | code::ERROR_TIMEOUT => code::ERROR_SEM_TIMEOUT,
        code::ERROR_CANCELLED => code::ERROR_OPERATION_ABORTED,
        number => number,
    };
    Errno::from_raw_os_error(number as i32)
}

/// Returns the error of a call of the standard library.
pub fn of(why: &io::Error) -> Errno {
    why.raw_os_error().map_or(Errno::INVAL, |number| error(number as WIN32_ERROR))
}

/// Returns the error of the last call that failed on this thread.
pub fn last() -> Errno {
    of(&io::Error::last_os_error())
}

/// Returns the error of a native call.
#[allow(unsafe_code)]
pub fn of_status(status: NTSTATUS) -> Errno {
    match status {
        // The system has one number for this and for a lack of permission.
        code::STATUS_FILE_IS_A_DIRECTORY => Errno::ISDIR,
        // SAFETY: the call computes a number from a number.
        _ => error(unsafe { RtlNtStatusToDosError(status) }),
    }
}
