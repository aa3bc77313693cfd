//! The characters that messages may use in the current locale, as determined by the C library: a
//! locale that is not installed is ignored, whatever its name.

use std::sync::OnceLock;
use truesum::manifest::path::Charset;
use truesum_fs::console::locale_is_utf8;

/// Returns the character set of the environment's locale. Character sets other than UTF-8 count as
/// ASCII.
///
/// Determined only if a message needs it, because the C library opens a dozen files.
pub(super) fn charset() -> Charset {
    static CHARSET: OnceLock<Charset> = OnceLock::new();
    *CHARSET.get_or_init(|| if locale_is_utf8() { Charset::Utf8 } else { Charset::Ascii })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charset_agrees_with_locale_is_utf8() {
        assert_eq!(charset() == Charset::Utf8, locale_is_utf8());
    }
}
