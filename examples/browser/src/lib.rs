//! The hash crate as functions that JavaScript calls: numbers and places in the module's memory go in and out, nothing else.
//! `truesum.mjs` is what a page or a program uses of it.
//!
//! What fails returns null or -1 and leaves the reason as a text; a panic ends in a trap, which JavaScript sees as an error.

use std::cell::RefCell;
use truesum_hash::{ALGORITHMS, Hasher, Spec, hash_many, kernel};

thread_local! {
    /// What the last call has to say: digests, names or the reason of a failure.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Keeps bytes for [`answer`] and returns their number.
fn say(bytes: Vec<u8>) -> usize {
    let len = bytes.len();
    ANSWER.with(|answer| *answer.borrow_mut() = bytes);
    len
}

/// Where the answer of the last call lies.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with(|answer| answer.borrow().as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    ANSWER.with(|answer| answer.borrow().len())
}

/// Memory of `len` bytes for a caller to write to, all zero.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Gives memory back.
///
/// # Safety
/// It is of [`reserve`], with the same length, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(memory: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory, len)) });
}

/// The algorithm of a name with parameters, as the program takes it. `None` leaves a reason as the answer.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
unsafe fn spec(name: *const u8, len: usize) -> Option<Spec> {
    // SAFETY: the caller's promise.
    let name = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(name, len) });
    match name.parse::<Spec>() {
        Ok(spec) if spec.lacks_key() => {
            say(format!("{spec}: it needs a key").into_bytes());
            None
        }
        Ok(spec) => Some(spec),
        Err(why) => {
            say(why.to_string().into_bytes());
            None
        }
    }
}

/// A hasher of one message, whose size is known if it is not negative; null if the name is none.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn begin(name: *const u8, len: usize, size: i64) -> *mut Hasher {
    // SAFETY: the caller's promise.
    let Some(spec) = (unsafe { spec(name, len) }) else { return std::ptr::null_mut() };
    Box::into_raw(Box::new(match u64::try_from(size) {
        Ok(size) => spec.hasher_for_size(size),
        Err(_) => spec.hasher(),
    }))
}

/// Feeds the next bytes of the message.
///
/// # Safety
/// `hasher` is of [`begin`] and not ended; `data` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn update(hasher: *mut Hasher, data: *const u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { (*hasher).update(std::slice::from_raw_parts(data, len)) }
}

/// Ends the message, and the hasher with it. The answer is the digest in hexadecimal, 0 is returned; or -1 and a reason, where the size was told
/// and other than as many bytes came.
///
/// # Safety
/// `hasher` is of [`begin`] and not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finish(hasher: *mut Hasher) -> i32 {
    // SAFETY: the caller's promise.
    let hasher = unsafe { Box::from_raw(hasher) };
    if !hasher.is_whole() {
        say(format!("{}: more or fewer bytes came than the size that was told", hasher.spec()).into_bytes());
        return -1;
    }
    say(hasher.finish().to_hex().into_bytes());
    0
}

/// Ends a hasher without a digest.
///
/// # Safety
/// `hasher` is of [`begin`] and not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn discard(hasher: *mut Hasher) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(hasher) });
}

/// The digests of `count` messages, which lie one behind the other: the answer has a line for each, 0 is returned; or -1 and a reason.
///
/// # Safety
/// `name` is valid for reading `len` bytes, `lengths` for `count` numbers, `data` for as many bytes as these are together.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn digests(
    name: *const u8,
    len: usize,
    data: *const u8,
    lengths: *const u32,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let Some(spec) = (unsafe { spec(name, len) }) else { return -1 };
    let mut at = data;
    let mut messages: Vec<&[u8]> = Vec::with_capacity(count);
    for i in 0..count {
        // SAFETY: the caller's promise; a number of four bytes may lie anywhere.
        unsafe {
            let len = lengths.add(i).read_unaligned() as usize;
            messages.push(std::slice::from_raw_parts(at, len));
            at = at.add(len);
        }
    }
    let digests = hash_many(&spec, &messages);
    let lines: Vec<String> = digests.iter().map(|digest| digest.to_hex()).collect();
    say(lines.join("\n").into_bytes());
    0
}

/// The names of all algorithms that need no key, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn algorithms() {
    let keyless = ALGORITHMS.iter().filter(|row| !Spec::new(row).lacks_key());
    say(keyless.flat_map(|row| [row.name, "\n"]).collect::<String>().into_bytes());
}

/// The kernel rows of an algorithm that serve here, a line each: instruction set and lanes. -1 and a reason if the name is none.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rows(name: *const u8, len: usize) -> i32 {
    // SAFETY: the caller's promise.
    let Some(spec) = (unsafe { spec(name, len) }) else { return -1 };
    let serving = kernel::services(spec.algorithm()).into_iter().filter(|row| row.messages.is_some());
    say(serving
        .map(|row| format!("{} {}\n", row.kernel.isa, row.kernel.lanes))
        .collect::<String>()
        .into_bytes());
    0
}
