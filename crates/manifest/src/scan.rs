//! The loops over the bytes of a line. Every parser searches with these functions, so that a test
//! can count the work and show that it grows no faster than the input.

/// Returns whether a byte is a blank in line formats: a space or a tab.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns the position of the first byte that satisfies `wanted`.
pub(crate) fn find(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let at = position(text, wanted);
    count(at.map_or(text.len(), |at| at + 1));
    at
}

/// Returns the position of the first such byte. This is faster than [`find`] if the byte is usually far away or missing.
pub(crate) fn find_byte(text: &[u8], wanted: u8) -> Option<usize> {
    let at = memchr::memchr(wanted, text);
    count(at.map_or(text.len(), |at| at + 1));
    at
}

/// Searches the first bytes one by one, because the byte is often near, and then complete blocks
/// without branches, which compilers vectorise.
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

/// Returns the position of the last byte that satisfies `wanted`.
pub(crate) fn rfind(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let at = text.iter().rposition(|&byte| wanted(byte));
    count(text.len() - at.unwrap_or(0));
    at
}

/// Returns whether all bytes satisfy `wanted`.
pub(crate) fn all(text: &[u8], wanted: impl Fn(u8) -> bool) -> bool {
    find(text, |byte| !wanted(byte)).is_none()
}

/// Returns the text without leading blanks.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    &text[find(text, |byte| !is_blank(byte)).unwrap_or(text.len())..]
}

/// Returns the text without trailing blanks.
pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    &text[..rfind(text, |byte| !is_blank(byte)).map_or(0, |at| at + 1)]
}

/// Returns the text without leading and trailing blanks.
pub(crate) fn trim(text: &[u8]) -> &[u8] {
    trim_end(trim_start(text))
}

/// Parses a decimal number, which must consist only of digits.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if !all(text, |byte| byte.is_ascii_digit()) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns whether a line has only blanks, and CRs where a line has one too many.
pub(crate) fn is_empty(line: &[u8]) -> bool {
    all(line, |byte| is_blank(byte) || byte == b'\r')
}

/// Returns whether a text contains another one.
pub(crate) fn contains(text: &[u8], part: &[u8]) -> bool {
    count(text.len());
    text.windows(part.len()).any(|found| found == part)
}

/// Returns the text before and after the first `byte`.
pub(crate) fn cut(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = find(text, |found| found == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

/// Returns the lines of a text without their ends, with their offsets.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = text.split(|&byte| byte == b'\n');
    lines.scan(0, |at, line| {
        let begin = *at;
        *at += line.len() + 1;
        Some((begin, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}

/// Returns the text before the first blank, and the text after the blanks there.
pub(crate) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = find(text, is_blank).unwrap_or(text.len());
    (&text[..end], trim_start(&text[end..]))
}

/// Returns the position of a slice of this text, or `None` for bytes that are elsewhere in memory.
pub(crate) fn offset_in(text: &[u8], part: &[u8]) -> Option<usize> {
    let at = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    (at <= text.len()).then_some(at)
}

/// Adds the number of examined bytes to the work of this thread.
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

/// Returns the number of bytes that this thread examines during `run`.
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
    fn first_matching_byte_is_found_anywhere() {
        for len in 0..120 {
            for at in 0..=len {
                let mut text = vec![b'a'; len];
                text[at..].iter_mut().for_each(|byte| *byte = b'b');
                assert_eq!(find(&text, |byte| byte == b'b'), (at < len).then_some(at), "{at} of {len}");
                assert_eq!(find_byte(&text, b'b'), (at < len).then_some(at), "{at} of {len}");
            }
        }
    }
}
