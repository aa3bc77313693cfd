//! The hash and manifest crates as functions for JavaScript: arguments and results are only numbers
//! and addresses in the module's memory. Pages and programs use it through `truesum.mjs`.
//!
//! On failure, functions return null or -1 and leave the reason as text; a panic ends in a trap, which is an error in
//! JavaScript.

mod manifest;

use std::cell::RefCell;
use truesum_hash::{ALGORITHMS, Hasher, Spec, hash_many, kernel};

thread_local! {
    /// The text of the last call: digests, names or the reason for a failure.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Stores bytes for [`answer`] and returns their number.
fn say(bytes: Vec<u8>) -> usize {
    let len = bytes.len();
    ANSWER.with(|answer| *answer.borrow_mut() = bytes);
    len
}

/// Returns the address of the last call's answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with(|answer| answer.borrow().as_ptr())
}

/// Returns its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    ANSWER.with(|answer| answer.borrow().len())
}

/// Returns `len` bytes of zeroed memory for the caller to write to.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Releases memory.
///
/// # Safety
/// It was returned by [`reserve`] for the same length, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(memory: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory, len)) });
}

/// Parses the name of an algorithm with parameters, as the program does. On `None`, the answer is the reason.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
unsafe fn spec(name: *const u8, len: usize) -> Option<Spec> {
    // SAFETY: the caller's promise.
    let name = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(name, len) });
    match name.parse::<Spec>() {
        Ok(spec) if spec.lacks_key() => {
            say(format!("{spec}: a key is required").into_bytes());
            None
        }
        Ok(spec) => Some(spec),
        Err(why) => {
            say(why.to_string().into_bytes());
            None
        }
    }
}

/// Returns a hasher for one message, whose size is known if it is not negative; null if the name is unknown.
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
/// `hasher` was returned by [`begin`] and has not ended; `data` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn update(hasher: *mut Hasher, data: *const u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { (*hasher).update(std::slice::from_raw_parts(data, len)) }
}

/// Ends the message and the hasher. Returns 0 with the digest in hexadecimal as the answer, or -1 with the reason if
/// the digest depends on the size, which differs from the number of bytes.
///
/// # Safety
/// `hasher` was returned by [`begin`] and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finish(hasher: *mut Hasher) -> i32 {
    // SAFETY: the caller's promise.
    let hasher = unsafe { Box::from_raw(hasher) };
    if !hasher.is_complete() {
        say(format!("{}: the message does not have the given size", hasher.spec()).into_bytes());
        return -1;
    }
    say(hasher.finish().to_hex().into_bytes());
    0
}

/// Ends a hasher without a digest.
///
/// # Safety
/// `hasher` was returned by [`begin`] and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn discard(hasher: *mut Hasher) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(hasher) });
}

/// Computes the digests of `count` consecutive messages: returns 0 with one line for each as the answer, or -1 with the
/// reason.
///
/// # Safety
/// `name` is valid for reading `len` bytes, `lengths` for `count` numbers, `data` for their sum in bytes.
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
        // SAFETY: the caller's promise; the numbers may be unaligned.
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

/// Answers the names of all algorithms without a key, one per line.
#[unsafe(no_mangle)]
pub extern "C" fn algorithms() {
    let keyless = ALGORITHMS.iter().filter(|row| !Spec::new(row).lacks_key());
    say(keyless.flat_map(|row| [row.name(), "\n"]).collect::<String>().into_bytes());
}

/// Answers the available kernel rows of an algorithm, one per line: instruction set and lanes. Returns -1 with the
/// reason if the name is unknown.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rows(name: *const u8, len: usize) -> i32 {
    // SAFETY: the caller's promise.
    let Some(spec) = (unsafe { spec(name, len) }) else { return -1 };
    let serving = kernel::services(spec.algorithm()).into_iter().filter(|row| row.messages().is_some());
    say(serving
        .map(|row| format!("{} {}\n", row.kernel().isa(), row.kernel().lanes()))
        .collect::<String>()
        .into_bytes());
    0
}

/// Reads a manifest. `data` holds its bytes, its name, the name of the file that a digest without a name belongs to, and
/// the name of an algorithm, one after the other; all but the first may be empty. Returns 0 with JSON as the answer
/// (`manifest::read`), or -1 with the reason if the algorithm is unknown.
///
/// # Safety
/// `data` is valid for reading the sum of the lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manifest(
    data: *const u8,
    text: usize,
    name: usize,
    subject: usize,
    algorithm: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let all = unsafe { std::slice::from_raw_parts(data, text + name + subject + algorithm) };
    let (text, all) = all.split_at(text);
    let (name, all) = all.split_at(name);
    let (subject, algorithm) = all.split_at(subject);
    let requested = if algorithm.is_empty() {
        None
    } else {
        // SAFETY: the bytes of the slice are valid for reading.
        let Some(spec) = (unsafe { spec(algorithm.as_ptr(), algorithm.len()) }) else { return -1 };
        Some(spec)
    };
    say(manifest::read(text, name, subject, requested).to_string().into_bytes());
    0
}

/// Returns 1 if a file with this name, which contains no folder, is likely to be a manifest, and 0 otherwise.
///
/// # Safety
/// `name` is valid for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn is_manifest(name: *const u8, len: usize) -> i32 {
    // SAFETY: the caller's promise.
    i32::from(truesum_manifest::has_manifest_name(unsafe { std::slice::from_raw_parts(name, len) }))
}
