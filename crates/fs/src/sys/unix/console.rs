//! The terminal and the locale.
#![allow(unsafe_code)]

#[cfg(not(target_os = "macos"))]
use libc::nl_langinfo_l;
use std::ffi::CStr;

#[cfg(target_os = "macos")]
unsafe extern "C" {
    // Absent from the crate `libc` for this system.
    fn nl_langinfo_l(item: libc::nl_item, locale: libc::locale_t) -> *mut std::ffi::c_char;
}

// musl has no mask for all categories. Its `LC_CTYPE` alone determines the character set.
#[cfg(not(target_env = "musl"))]
use libc::LC_ALL_MASK as CATEGORIES;
#[cfg(target_env = "musl")]
use libc::LC_CTYPE_MASK as CATEGORIES;

/// Returns the width in columns of the terminal that is standard error, if it is one.
pub fn width() -> Option<usize> {
    rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| usize::from(size.ws_col))
}

/// Returns whether the character set of the environment's locale is UTF-8, according to the C library: a locale that is
/// not installed is ignored, whatever its name. The C library opens a dozen files for this.
pub fn locale_is_utf8() -> bool {
    // SAFETY: both strings end in NUL, and no existing locale is passed. The result is a new locale
    // or null.
    let locale = unsafe { libc::newlocale(CATEGORIES, c"".as_ptr(), std::ptr::null_mut()) };
    if locale.is_null() {
        return false;
    }
    // SAFETY: the locale is valid until it is freed, once, after the last use of the string it
    // owns.
    unsafe {
        let name = CStr::from_ptr(nl_langinfo_l(libc::CODESET, locale));
        let utf8 = name.to_bytes().eq_ignore_ascii_case(b"utf-8");
        libc::freelocale(locale);
        utf8
    }
}
