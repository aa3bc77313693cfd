//! Messages passed from Python: `bytes` objects are hashed in place, memory that can change is copied in small blocks.
//!
//! Another thread may write to a `bytearray` while it is hashed without the interpreter lock. A Rust slice over such
//! memory would be undefined behavior, and kernels that read a byte twice could see two values. Therefore these bytes
//! are copied, each read exactly once, and the copy is hashed. As with any reader of changing memory, the digest is
//! then that of some mixture of old and new bytes.
#![allow(unsafe_code, reason = "memory of the buffer protocol is reached through a pointer")]

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// The number of bytes copied at a time. A block of this size fits in the L1 cache.
const COPY_SIZE: usize = 16 << 10;

/// A message owned by Python, borrowed for the lifetime of this value.
pub enum Data<'py> {
    /// Immutable memory.
    Fixed(Fixed<'py>),
    /// Memory that other threads may write to.
    Shared(Shared),
}

/// The bytes of a `bytes` object, or the range of it that a view covers.
pub struct Fixed<'py> {
    bytes: Bound<'py, PyBytes>,
    start: usize,
    len: usize,
}

impl Fixed<'_> {
    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes.as_bytes()[self.start..self.start + self.len]
    }
}

/// The memory of a buffer that other threads may write to. It is requested as hashlib does, as bytes without a format, so
/// that objects of types that have no format (numpy's dates and scalars) are accepted.
pub struct Shared(Box<ffi::Py_buffer>);

// SAFETY: the buffer stays valid until it is released, and its memory is read only by [`load`].
unsafe impl Send for Shared {}
// SAFETY: the same.
unsafe impl Sync for Shared {}

impl Shared {
    /// Requests the buffer of an object. Memory that is not contiguous is refused by the object itself.
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Shared> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive, and the view is released only if the call succeeds.
        let failed =
            unsafe { ffi::PyObject_GetBuffer(given.as_ptr(), &raw mut *view, ffi::PyBUF_SIMPLE) } != 0;
        if failed { Err(PyErr::fetch(given.py())) } else { Ok(Shared(view)) }
    }

    /// Returns the address of the first byte.
    fn first(&self) -> usize {
        self.0.buf as usize
    }

    /// Returns the length in bytes.
    fn len(&self) -> usize {
        usize::try_from(self.0.len).unwrap_or(0)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the buffer was requested successfully and is released once.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut *self.0) });
    }
}

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
        let buffer = Shared::of(&given).map_err(|error| {
            let (py, kind) = (given.py(), given.get_type());
            if error.is_instance_of::<PyTypeError>(py) {
                return PyTypeError::new_err(format!(
                    "object supporting the buffer API required, not {kind}"
                ));
            }
            // numpy raises ValueError, which would be taken for that of an algorithm.
            match error.is_instance_of::<PyValueError>(py) {
                true => PyBufferError::new_err(error.value(py).to_string()),
                false => error,
            }
        })?;
        Ok(match view_of_bytes(&given, &buffer) {
            Some(fixed) => Data::Fixed(fixed),
            None => Data::Shared(buffer),
        })
    }
}

/// Returns a view of a `bytes` object, which is as immutable as the object itself.
fn view_of_bytes<'py>(given: &Bound<'py, PyAny>, buffer: &Shared) -> Option<Fixed<'py>> {
    given.cast::<PyMemoryView>().ok()?;
    let bytes = given.getattr("obj").ok()?.cast_into_exact::<PyBytes>().ok()?;
    let (all, first) = (bytes.as_bytes(), buffer.first());
    let start = first.checked_sub(all.as_ptr() as usize)?;
    let len = buffer.len();
    let inside = start.checked_add(len)? <= all.len();
    inside.then_some(Fixed { bytes, start, len })
}

impl Data<'_> {
    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Data::Fixed(fixed) => fixed.len,
            Data::Shared(shared) => shared.len(),
        }
    }

    /// Returns a copy that is never reallocated, so that no second copy of a key remains in memory.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.source().give(0..self.len(), &mut |part| bytes.extend_from_slice(part));
        bytes
    }

    /// Returns a source that a thread can read without holding the interpreter lock.
    pub fn source(&self) -> Source<'_> {
        match self {
            Data::Fixed(fixed) => Source::Fixed(fixed.as_slice()),
            Data::Shared(shared) => Source::Shared { first: shared.first(), of: shared },
        }
    }
}

/// A source of bytes that can be read with or without the interpreter lock.
#[derive(Clone, Copy)]
pub enum Source<'d> {
    /// Immutable memory.
    Fixed(&'d [u8]),
    /// Memory that starts at this address and stays valid while the buffer is held.
    Shared {
        /// The address of the first byte.
        first: usize,
        /// The buffer that holds the memory.
        of: &'d Shared,
    },
}

impl Source<'_> {
    /// Passes the bytes of a range to `take`, in order, in slices of arbitrary length.
    pub fn give(self, range: std::ops::Range<usize>, take: &mut dyn FnMut(&[u8])) {
        match self {
            Source::Fixed(bytes) => take(&bytes[range]),
            Source::Shared { first, of } => {
                assert!(range.end <= of.len(), "the range is outside the buffer");
                let mut copy = [0; COPY_SIZE];
                for start in range.clone().step_by(COPY_SIZE) {
                    let copy = &mut copy[..COPY_SIZE.min(range.end - start)];
                    // SAFETY: the buffer is held for as long as `of` lives, contiguous and at least `range.end` long.
                    unsafe { load((first + start) as *const u8, copy) };
                    take(copy);
                }
            }
        }
    }
}

/// Copies memory that other threads may write to at the same time, reading each byte once.
///
/// # Safety
/// `from` must be valid for reads of `to.len()` bytes and must not be freed during the call.
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
        // SAFETY: within the caller's range, and aligned: the loop advances in steps of eight from an aligned address.
        let word = unsafe { (*from.add(at).cast::<AtomicU64>()).load(Relaxed) };
        place.copy_from_slice(&word.to_ne_bytes());
        at += 8;
    }
    for place in chunks.into_remainder() {
        *place = byte(at);
        at += 1;
    }
}
