//! The loops over a line. Every parser searches through these, so that a test can count the work done and show that
//! it grows with the input and no faster.

/// Blanks as line formats know them: space and tab.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Where the first byte that satisfies `wanted` is.
pub(crate) fn find(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let at = text.iter().position(|&byte| wanted(byte));
    count(at.map_or(text.len(), |at| at + 1));
    at
}

/// Where the last byte that satisfies `wanted` is.
pub(crate) fn rfind(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let at = text.iter().rposition(|&byte| wanted(byte));
    count(text.len() - at.unwrap_or(0));
    at
}

/// Whether all bytes satisfy `wanted`.
pub(crate) fn all(text: &[u8], wanted: impl Fn(u8) -> bool) -> bool {
    find(text, |byte| !wanted(byte)).is_none()
}

/// The text without the blanks in front.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    &text[find(text, |byte| !is_blank(byte)).unwrap_or(text.len())..]
}

/// The text without the blanks behind.
pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    &text[..rfind(text, |byte| !is_blank(byte)).map_or(0, |at| at + 1)]
}

/// Adds to the work done by this thread: bytes looked at.
#[cfg(test)]
pub(crate) fn count(bytes: usize) {
    WORK.with(|work| work.set(work.get() + bytes as u64));
}

#[cfg(not(test))]
#[inline(always)]
pub(crate) fn count(_: usize) {}

#[cfg(test)]
thread_local! {
    static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Bytes looked at by this thread while `run` ran.
#[cfg(test)]
pub(crate) fn work(run: impl FnOnce()) -> u64 {
    let before = WORK.with(std::cell::Cell::get);
    run();
    WORK.with(std::cell::Cell::get) - before
}
