//! The loops over a line. Every parser searches through these, so that a test can count the work done and show that
//! it grows with the input and no faster.

/// Blanks as line formats know them: space and tab.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Where the first byte that satisfies `wanted` is.
pub(crate) fn find(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let at = position(text, wanted);
    count(at.map_or(text.len(), |at| at + 1));
    at
}

/// Byte by byte where it may be near, then whole blocks without a branch in them, which compilers turn into vectors.
fn position(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const NEAR: usize = 4;
    const BLOCK: usize = 32;
    let near = text.len().min(NEAR);
    if let Some(at) = text[..near].iter().position(|&byte| wanted(byte)) {
        return Some(at);
    }
    let mut begin = near;
    while let Some(block) = text.get(begin..begin + BLOCK) {
        if block.iter().fold(false, |found, &byte| found | wanted(byte)) {
            break;
        }
        begin += BLOCK;
    }
    text[begin..].iter().position(|&byte| wanted(byte)).map(|at| begin + at)
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

/// The text without the blanks around it.
pub(crate) fn trim(text: &[u8]) -> &[u8] {
    trim_end(trim_start(text))
}

/// The number that the text is in decimal: digits and nothing else.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if !all(text, |byte| byte.is_ascii_digit()) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether the line says nothing: blanks, and the CR of a line that was given one too many.
pub(crate) fn is_empty(line: &[u8]) -> bool {
    all(line, |byte| is_blank(byte) || byte == b'\r')
}

/// The text before the first `byte`, and what stands behind that.
pub(crate) fn cut(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = find(text, |found| found == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

/// The text up to the first blank, and what follows the blanks.
pub(crate) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = find(text, is_blank).unwrap_or(text.len());
    (&text[..end], trim_start(&text[end..]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_found_wherever_it_is() {
        for len in 0..120 {
            for at in 0..=len {
                let mut text = vec![b'a'; len];
                text[at..].iter_mut().for_each(|byte| *byte = b'b');
                assert_eq!(find(&text, |byte| byte == b'b'), (at < len).then_some(at), "{at} of {len}");
            }
        }
    }
}
