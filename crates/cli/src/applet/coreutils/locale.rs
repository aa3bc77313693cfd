//! The characters that messages may use in the current locale, as determined by the C library: a
//! locale that is not installed is ignored, whatever its name.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::OnceLock;
use truesum::manifest::path::Charset;

/// Returns the character set of the environment's locale. Character sets other than UTF-8 count as
/// ASCII.
///
/// Determined only if a message needs it, because the C library opens a dozen files.
pub(super) fn charset() -> Charset {
    static CHARSET: OnceLock<Charset> = OnceLock::new();
    *CHARSET.get_or_init(|| if is_utf8() { Charset::Utf8 } else { Charset::Ascii })
}

fn is_utf8() -> bool {
    // SAFETY: both strings end in NUL, and no existing locale is passed. The result is a new locale
    // or null.
    let locale = unsafe { libc::newlocale(libc::LC_ALL_MASK, c"".as_ptr(), std::ptr::null_mut()) };
    if locale.is_null() {
        return false;
    }
    // SAFETY: the locale is valid until it is freed, once, after the last use of the string it
    // owns.
    unsafe {
        let name = CStr::from_ptr(libc::nl_langinfo_l(libc::CODESET, locale));
        let utf8 = name.to_bytes().eq_ignore_ascii_case(b"utf-8");
        libc::freelocale(locale);
        utf8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_has_the_same_answer() {
        assert_eq!(charset() == Charset::Utf8, is_utf8());
    }
}
