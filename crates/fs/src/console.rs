//! The terminal and the locale.

use crate::sys::console;

/// Returns the width in columns of the terminal that is standard error, if it is one.
pub fn width() -> Option<usize> {
    console::width()
}

/// Returns whether the character set of the environment is UTF-8.
pub fn locale_is_utf8() -> bool {
    console::locale_is_utf8()
}
