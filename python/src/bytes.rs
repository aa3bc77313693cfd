//! The bytes that Python hands over: `bytes` as they lie, what others can write to in small copies.
//!
//! Another thread may write to a `bytearray` while it is hashed without the interpreter's lock; a Rust slice over it would be
//! undefined behaviour, and kernels that read a byte twice could take two values for it. So such bytes are copied, each read
//! once, and the copy is hashed. What is hashed then is some bytes that were there, as with any reader of a moving target.
#![allow(unsafe_code, reason = "memory of the buffer protocol is reached through a pointer")]

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Bytes copied at a time: they stay in the first-level cache.
const COPY: usize = 16 << 10;

/// A message that Python holds, for as long as this lives.
pub enum Data<'py> {
    /// Nobody can write to it.
    Fixed(Fixed<'py>),
    /// Somebody may.
    Shared(Shared),
}

/// Bytes of a `bytes` object, all of it or the part that a view of it shows.
pub struct Fixed<'py> {
    bytes: Bound<'py, PyBytes>,
    start: usize,
    len: usize,
}

impl Fixed<'_> {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes.as_bytes()[self.start..self.start + self.len]
    }
}

/// Memory of a buffer that others may write to.
pub struct Shared(PyUntypedBuffer);

impl<'py> FromPyObject<'_, 'py> for Data<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Data<'py>> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            let (bytes, len) = (bytes.to_owned(), bytes.as_bytes().len());
            return Ok(Data::Fixed(Fixed { bytes, start: 0, len }));
        }
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("Strings must be encoded before hashing"));
        }
        let buffer = PyUntypedBuffer::get(&given).map_err(|error| {
            let kind = given.get_type();
            match error.is_instance_of::<PyTypeError>(given.py()) {
                true => {
                    PyTypeError::new_err(format!("object supporting the buffer API required, not {kind}"))
                }
                false => error,
            }
        })?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the bytes of this buffer do not lie one after the other"));
        }
        Ok(match view_of_bytes(&given, &buffer) {
            Some(fixed) => Data::Fixed(fixed),
            None => Data::Shared(Shared(buffer)),
        })
    }
}

/// A view of a `bytes` object, to which nobody can write either.
fn view_of_bytes<'py>(given: &Bound<'py, PyAny>, buffer: &PyUntypedBuffer) -> Option<Fixed<'py>> {
    given.cast::<PyMemoryView>().ok()?;
    let bytes = given.getattr("obj").ok()?.cast_into_exact::<PyBytes>().ok()?;
    let (all, first) = (bytes.as_bytes(), buffer.buf_ptr() as usize);
    let start = first.checked_sub(all.as_ptr() as usize)?;
    let len = buffer.len_bytes();
    let inside = start.checked_add(len)? <= all.len();
    inside.then_some(Fixed { bytes, start, len })
}

impl Data<'_> {
    /// How many bytes there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Fixed(fixed) => fixed.len,
            Data::Shared(shared) => shared.0.len_bytes(),
        }
    }

    /// A copy, in memory that is never moved, so that of a key there is no other.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.source().give(0..self.len(), &mut |part| bytes.extend_from_slice(part));
        bytes
    }

    /// The bytes as a thread can take them that does not hold the interpreter.
    pub fn source(&self) -> Source<'_> {
        match self {
            Data::Fixed(fixed) => Source::Fixed(fixed.as_slice()),
            Data::Shared(shared) => Source::Shared { first: shared.0.buf_ptr() as usize, of: shared },
        }
    }
}

/// Where bytes are read from, with or without the interpreter.
#[derive(Clone, Copy)]
pub enum Source<'d> {
    /// As they lie.
    Fixed(&'d [u8]),
    /// From this address on, for as long as the buffer is held.
    Shared {
        /// The address of the first byte.
        first: usize,
        /// What holds it.
        of: &'d Shared,
    },
}

impl Source<'_> {
    /// Gives the bytes of a range, in order, in slices of any lengths.
    pub fn give(self, range: std::ops::Range<usize>, take: &mut dyn FnMut(&[u8])) {
        match self {
            Source::Fixed(bytes) => take(&bytes[range]),
            Source::Shared { first, of } => {
                assert!(range.end <= of.0.len_bytes(), "a range within the buffer");
                let mut copy = [0; COPY];
                for start in range.clone().step_by(COPY) {
                    let copy = &mut copy[..COPY.min(range.end - start)];
                    // SAFETY: the buffer is held for as long as `of` lives, contiguous and at least `range.end` long.
                    unsafe { load((first + start) as *const u8, copy) };
                    take(copy);
                }
            }
        }
    }
}

/// Copies memory that others may write to meanwhile, reading each byte once.
///
/// # Safety
/// `from` is valid for reads of `to.len()` bytes, which nobody frees meanwhile.
unsafe fn load(from: *const u8, to: &mut [u8]) {
    let words = from.align_offset(8).min(to.len());
    let (head, rest) = to.split_at_mut(words);
    let byte = |at: usize| {
        // SAFETY: within the caller's range; an AtomicU8 is a byte.
        unsafe { (*from.add(at).cast::<AtomicU8>()).load(Relaxed) }
    };
    head.iter_mut().enumerate().for_each(|(at, place)| *place = byte(at));
    let mut at = words;
    let mut chunks = rest.chunks_exact_mut(8);
    for place in &mut chunks {
        // SAFETY: within the caller's range, and aligned, as all before were steps of eight from an aligned address.
        let word = unsafe { (*from.add(at).cast::<AtomicU64>()).load(Relaxed) };
        place.copy_from_slice(&word.to_ne_bytes());
        at += 8;
    }
    for place in chunks.into_remainder() {
        *place = byte(at);
        at += 1;
    }
}
