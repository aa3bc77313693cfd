//! The console.
#![allow(unsafe_code)]

use super::failure::last;
use crate::sys::errno::Errno;
use std::fs::File;
use std::mem::zeroed;
use std::os::windows::io::AsRawHandle;
use std::ptr;
use windows_sys::Win32::System::Console::{
    CONSOLE_SCREEN_BUFFER_INFO, GetConsoleMode, GetConsoleScreenBufferInfo, GetStdHandle, STD_ERROR_HANDLE,
    WriteConsoleW,
};

/// Returns the width in columns of the console that is standard error, if it is one.
pub fn width() -> Option<usize> {
    // SAFETY: all-zero is a valid value, and the call writes only to it. It fails for a handle that is not a console's.
    let info = unsafe {
        let mut info: CONSOLE_SCREEN_BUFFER_INFO = zeroed();
        (GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &mut info) != 0).then_some(info)
    };
    let window = info?.srWindow;
    usize::try_from(i32::from(window.Right) - i32::from(window.Left) + 1).ok()
}

/// Returns true: the console is given UTF-16 ([`write`]).
pub fn locale_is_utf8() -> bool {
    true
}

/// Writes UTF-8 to a console, whose own encoding may be any. Returns how many of the bytes were written, or `None` if the
/// file is not a console.
pub fn write(file: &File, bytes: &[u8]) -> Option<Result<usize, Errno>> {
    /// The number of bytes in one call, which the console copies.
    const AT_ONCE: usize = 8 << 10;
    let console = file.as_raw_handle();
    let mut mode = 0;
    // SAFETY: the call writes only to `mode`, and fails for a handle that is not a console's.
    if unsafe { GetConsoleMode(console, &mut mode) } == 0 {
        return None;
    }
    let (wide, len) = utf16(&bytes[..bytes.len().min(AT_ONCE)]);
    let mut done = 0;
    while done < wide.len() {
        let rest = &wide[done..];
        let mut written = 0;
        // SAFETY: the call reads as many units as the slice has, and writes only to `written`.
        let result =
            unsafe { WriteConsoleW(console, rest.as_ptr(), rest.len() as u32, &mut written, ptr::null()) };
        if result == 0 {
            return Some(Err(last()));
        }
        done += written as usize;
    }
    Some(Ok(len))
}

/// Returns the UTF-16 form of the beginning of a text, and the length of that beginning. Text that
/// is not UTF-8 is replaced; a character that may continue after the end is left out, unless there
/// is nothing else.
fn utf16(bytes: &[u8]) -> (Vec<u16>, usize) {
    let len = match str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    };
    (String::from_utf8_lossy(&bytes[..len]).encode_utf16().collect(), len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_characters() {
        let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        assert_eq!(utf16("a\u{e4}\u{1f600}".as_bytes()), (wide("a\u{e4}\u{1f600}"), 7));
        assert_eq!(utf16(b"a\xc3"), (wide("a"), 1));
        assert_eq!(utf16(b"\xc3"), (wide("\u{fffd}"), 1));
        assert_eq!(utf16(b"a\xffb"), (wide("a\u{fffd}b"), 3));
        assert_eq!(utf16(b""), (vec![], 0));
    }

    #[test]
    fn a_file_is_no_console() {
        assert!(write(&tempfile::tempfile().unwrap(), b"text").is_none());
    }
}
