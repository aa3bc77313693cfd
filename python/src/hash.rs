//! `Hash`: the interface of hashlib's objects for every algorithm.

use crate::bytes::{Data, Source};
use crate::errors::refused;
use crate::pickling::restorer;
use crate::spec::{hashlib_name, message, named, with_parameters};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyInt};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use truesum::hash::{Digest, Hasher, Lengths, Spec};

/// Shorter messages are hashed without releasing the interpreter lock, because releasing it takes longer than hashing
/// them. hashlib uses the same limit.
const GIL_RELEASE_SIZE: usize = 2048;
/// The number of bytes hashed before the clock is first checked; later slices take about a millisecond or more.
const FIRST_SLICE: usize = 256 << 10;
const LARGEST_SLICE: usize = 16 << 20;
/// The interval between checks for interruption.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(40);

/// A hash of a message, with the interface of hashlib's objects.
///
/// Created by new(), by a constructor (sha256(), blake3() and so on) or by file_digest().
///
/// >>> import truesum
/// >>> message = truesum.sha256(b"Hello, ")
/// >>> message.update(b"world")
/// >>> message.hexdigest()
/// '4ae7c3b6ac0beff671efa8cf57386151c06e58ca53a78d83f36107316cec125f'
/// >>> message.name, message.digest_size, message.block_size
/// ('sha256', 32, 64)
#[pyclass(frozen, module = "truesum")]
pub struct Hash {
    spec: SpecRef,
    state: Mutex<State>,
    /// The thread that is running a long update, identified by the address of a thread-local; 0 if there is none.
    owner: AtomicUsize,
}

/// The algorithm of a constructor, with a hasher that all its objects share for short messages: creating a hasher takes
/// longer than hashing such a message.
pub struct SharedSpec {
    spec: Spec,
    spare: Mutex<Option<Hasher>>,
}

impl SharedSpec {
    /// Returns the algorithm with a lifetime that is that of the process.
    pub fn leak(spec: Spec) -> &'static SharedSpec {
        Box::leak(Box::new(SharedSpec { spec, spare: Mutex::new(None) }))
    }

    /// Returns the algorithm.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

/// The algorithm of an object.
#[derive(Clone)]
pub enum SpecRef {
    /// The algorithm of a constructor.
    Shared(&'static SharedSpec),
    /// An algorithm with parameters.
    Owned(Box<Spec>),
}

impl std::ops::Deref for SpecRef {
    type Target = Spec;

    fn deref(&self) -> &Spec {
        match self {
            SpecRef::Shared(shared) => &shared.spec,
            SpecRef::Owned(spec) => spec,
        }
    }
}

/// Messages up to this length are stored until more bytes arrive or the digest is requested.
const MAX_SHORT: usize = 64;

/// The state of a message.
enum State {
    /// A short message, stored completely.
    Short { len: u8, bytes: [u8; MAX_SHORT] },
    /// A message that can be extended.
    Open(Box<Hasher>),
    /// A file that was read completely. Only its digest is known.
    File(Box<Digest>),
    /// Bytes are missing in the middle, so there is no digest.
    Broken,
}

impl Hash {
    /// Returns an object for the message that starts with these bytes.
    pub fn begin(py: Python<'_>, spec: SpecRef, data: Option<Data<'_>>) -> PyResult<Hash> {
        let hash = Hash::with(spec, State::Short { len: 0, bytes: [0; MAX_SHORT] });
        if let Some(data) = data {
            hash.add(py, &data)?;
        }
        Ok(hash)
    }

    /// Returns an object for a short immutable message, or `None` if the message is too long to be stored.
    pub fn short(spec: SpecRef, message: &[u8]) -> Option<Hash> {
        let mut bytes = [0; MAX_SHORT];
        bytes.get_mut(..message.len())?.copy_from_slice(message);
        Some(Hash::with(spec, State::Short { len: message.len() as u8, bytes }))
    }

    /// Returns an object for a file that was read completely.
    pub fn of_file(spec: Spec, digest: Digest) -> Hash {
        Hash::with(SpecRef::Owned(Box::new(spec)), State::File(Box::new(digest)))
    }

    fn with(spec: SpecRef, state: State) -> Hash {
        Hash { spec, state: Mutex::new(state), owner: AtomicUsize::new(0) }
    }

    /// Returns the algorithm.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns whether the message is empty so far.
    pub fn is_empty(&self, py: Python<'_>) -> PyResult<bool> {
        self.locked(py, |state| Ok(matches!(state, State::Short { len: 0, .. })))
    }

    /// Calls `act` with the state while no other thread uses it.
    fn locked<T>(&self, py: Python<'_>, act: impl FnOnce(&mut State) -> PyResult<T>) -> PyResult<T> {
        // A signal handler that runs during an update would wait for the update to end, which waits for the handler.
        let owner = self.owner.load(Relaxed);
        if owner != 0 && owner == this_thread() {
            return Err(PyRuntimeError::new_err("this object is being updated by the same thread"));
        }
        act(&mut self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// Appends bytes. If this is interrupted, the object no longer has a digest.
    pub fn add(&self, py: Python<'_>, data: &Data<'_>) -> PyResult<()> {
        self.locked(py, |state| {
            let (source, len) = (data.source(), data.len());
            if let State::Short { len: held, bytes } = state {
                let before = usize::from(*held);
                if before + len <= MAX_SHORT {
                    source.give(0..len, &mut |part| {
                        let at = usize::from(*held);
                        bytes[at..at + part.len()].copy_from_slice(part);
                        *held += part.len() as u8;
                    });
                    return Ok(());
                }
                let mut hasher = self.spec.hasher();
                hasher.update(&bytes[..before]);
                *state = State::Open(Box::new(hasher));
            }
            let State::Open(hasher) = state else { return Err(state_error(state)) };
            if len < GIL_RELEASE_SIZE {
                source.give(0..len, &mut |bytes| hasher.update(bytes));
                return Ok(());
            }
            self.owner.store(this_thread(), Relaxed);
            let added = add_long(py, hasher, source, len);
            self.owner.store(0, Relaxed);
            if added.is_err() {
                *state = State::Broken;
            }
            added
        })
    }

    /// Passes the digest to `give` and returns the result. The digest is large, and moving it is noticeable for short
    /// messages.
    fn end<T>(
        &self,
        py: Python<'_>,
        length: Option<usize>,
        seek: u64,
        give: impl FnOnce(&Digest) -> T,
    ) -> PyResult<T> {
        let length = match length {
            None => None,
            Some(length) => self.nondefault_length(length)?,
        };
        if seek > 0 {
            return self
                .output(py, length.unwrap_or(self.spec.digest_len()), seek)
                .map(|digest| give(&digest));
        }
        self.locked(py, |state| match state {
            State::Short { len, bytes } => {
                let message = &bytes[..usize::from(*len)];
                if let (SpecRef::Shared(shared), None) = (&self.spec, length)
                    && let Ok(mut spare) = shared.spare.try_lock()
                {
                    let hasher = spare.get_or_insert_with(|| shared.spec.hasher());
                    hasher.update(message);
                    let attack = hasher.attack();
                    let given = give(&hasher.finish_reset());
                    return attack.map_or(Ok(given), |why| Err(self.collision_error(why)));
                }
                let mut hasher = self.spec.hasher();
                hasher.update(message);
                self.finish(hasher, length).map(|digest| give(&digest))
            }
            State::Open(hasher) => self.finish(Hasher::clone(hasher), length).map(|digest| give(&digest)),
            State::File(digest) if length.is_none() => Ok(give(digest)),
            State::File(_) => Err(refused("the digest of a file has a fixed length")),
            State::Broken => Err(state_error(state)),
        })
    }
}

impl Hash {
    /// Returns the requested length if it differs from the algorithm's default.
    fn nondefault_length(&self, length: usize) -> PyResult<Option<usize>> {
        let usual = self.spec.digest_len();
        if length != usual && self.spec.algorithm().lengths() != Lengths::Any {
            return Err(refused(format!("{} has digests of {usual} bytes", *self.spec)));
        }
        Ok(Some(length).filter(|length| *length != usual))
    }

    fn finish(&self, hasher: Hasher, length: Option<usize>) -> PyResult<Digest> {
        if let Some(why) = hasher.attack() {
            return Err(self.collision_error(why));
        }
        match length {
            None => Ok(hasher.finish()),
            Some(length) => extended(hasher, length, 0),
        }
    }

    /// Returns the bytes of the output from a position other than 0.
    fn output(&self, py: Python<'_>, length: usize, seek: u64) -> PyResult<Digest> {
        // The output of others can only be computed in order.
        if self.spec.algorithm().name() != "blake3" {
            return Err(refused(format!(
                "only the output of blake3 can be read from a position, not {}",
                *self.spec
            )));
        }
        if seek.checked_add(length as u64).is_none() {
            return Err(refused("the output ends at position 2^64"));
        }
        self.locked(py, |state| match state {
            State::Short { len, bytes } => {
                let mut hasher = self.spec.hasher();
                hasher.update(&bytes[..usize::from(*len)]);
                extended(hasher, length, seek)
            }
            State::Open(hasher) => extended(Hasher::clone(hasher), length, seek),
            State::File(_) => Err(refused("the digest of a file has a fixed length")),
            State::Broken => Err(state_error(state)),
        })
    }

    /// Returns the exception for a message that was crafted to collide.
    fn collision_error(&self, why: &str) -> PyErr {
        PyValueError::new_err(format!("{}: {why}", *self.spec))
    }
}

/// Returns output of any length from a position.
fn extended(hasher: Hasher, length: usize, seek: u64) -> PyResult<Digest> {
    let mut bytes = zeroed(length)?;
    let mut output = hasher.finish_xof().expect("output of any length");
    output.set_position(seek);
    output.fill(&mut bytes);
    Ok(Digest::new(&bytes))
}

/// Returns a zeroed buffer of this length.
fn zeroed(length: usize) -> PyResult<Vec<u8>> {
    let refuse = || refused(format!("{length} is not a valid digest length"));
    let mut bytes = Vec::new();
    if length == 0 || bytes.try_reserve_exact(length).is_err() {
        return Err(refuse());
    }
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Returns the exception for a state that accepts no bytes or has no digest.
fn state_error(state: &State) -> PyErr {
    PyValueError::new_err(match state {
        State::File(_) => "this is the digest of a complete file and cannot be updated",
        _ => "an update of this object was interrupted, so it has no digest",
    })
}

/// Appends many bytes without the interpreter lock, which is reacquired regularly to check for signals.
fn add_long(py: Python<'_>, hasher: &mut Hasher, source: Source<'_>, len: usize) -> PyResult<()> {
    let (mut at, mut slice) = (0, FIRST_SLICE);
    while at < len {
        py.detach(|| {
            let since = Instant::now();
            let mut before = Duration::ZERO;
            while at < len && before < SIGNAL_INTERVAL {
                let end = len.min(at + slice);
                source.give(at..end, &mut |bytes| hasher.update(bytes));
                at = end;
                let now = since.elapsed();
                if now - before < Duration::from_millis(1) {
                    slice = (2 * slice).min(LARGEST_SLICE);
                }
                before = now;
            }
        });
        if at < len {
            py.check_signals()?;
        }
    }
    Ok(())
}

/// Returns a number that no other live thread has.
fn this_thread() -> usize {
    thread_local!(static TOKEN: u8 = const { 0 });
    TOKEN.with(|token| std::ptr::from_ref(token) as usize)
}

#[pymethods]
impl Hash {
    /// Appends bytes to the message. For long messages the interpreter lock is released.
    ///
    /// If a signal interrupts the call, the object no longer has a digest.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        self.add(py, &data)
    }

    /// Returns the digest of the message so far. `length` selects the length for algorithms with variable output, and
    /// `seek` the position of its first byte in the output of BLAKE3.
    ///
    /// >>> import truesum
    /// >>> truesum.shake128(b"abc").digest(4).hex()
    /// '5881092d'
    /// >>> output = truesum.blake3(b"abc")
    /// >>> output.digest(length=8, seek=100) == output.digest(length=108)[100:]
    /// True
    #[pyo3(signature = (length = None, seek = 0))]
    fn digest<'py>(
        &self,
        py: Python<'py>,
        length: Option<usize>,
        seek: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.end(py, length, seek, |digest| PyBytes::new(py, digest.as_bytes()))
    }

    /// Returns the digest in hexadecimal. A multipart digest ends with a hyphen and the number of parts, as in S3.
    #[pyo3(signature = (length = None, seek = 0))]
    fn hexdigest(&self, py: Python<'_>, length: Option<usize>, seek: u64) -> PyResult<String> {
        self.end(py, length, seek, Digest::to_hex)
    }

    /// Returns an independent copy of the object.
    fn copy(&self, py: Python<'_>) -> PyResult<Hash> {
        let state = self.locked(py, |state| match state {
            State::Short { len, bytes } => Ok(State::Short { len: *len, bytes: *bytes }),
            State::Open(hasher) => Ok(State::Open(hasher.clone())),
            State::File(digest) => Ok(State::File(digest.clone())),
            State::Broken => Err(state_error(state)),
        })?;
        Ok(Hash::with(self.spec.clone(), state))
    }

    /// Returns the digest as an integer, big-endian.
    ///
    /// >>> import truesum
    /// >>> truesum.crc32(b"123456789").intdigest() == 0xcbf43926
    /// True
    fn intdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let digest = self.digest(py, None, 0)?;
        py.get_type::<PyInt>().call_method1("from_bytes", (digest, "big"))
    }

    /// Discards the message, so that the object is as if newly created.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.locked(py, |state| {
            *state = State::Short { len: 0, bytes: [0; MAX_SHORT] };
            Ok(())
        })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Hash> {
        self.copy(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, SavedState))> {
        let name = self.spec.to_string();
        let unsaved = || {
            PyTypeError::new_err(format!(
                "cannot pickle the state of {name}; send its digest() or the data instead"
            ))
        };
        // A key is not part of the name and must not be in a pickle.
        if named(&name).ok().as_ref() != Some(&*self.spec) {
            return Err(unsaved());
        }
        let state = self.locked(py, |state| match state {
            State::Short { len, bytes } => Ok((MESSAGE, bytes[..usize::from(*len)].to_vec())),
            State::Open(hasher) => hasher.save().map(|state| (STATE, state)).ok_or_else(unsaved),
            State::File(digest) => Ok((DIGEST, digest.to_hex().into_bytes())),
            State::Broken => Err(unsaved()),
        })?;
        Ok((restorer(py, "restore_hash")?, (name, state)))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Hash> {
        self.copy(py)
    }

    /// The name of the algorithm, as accepted by new(), and as spelled by hashlib for algorithms that it has. A key is
    /// indicated but not shown.
    ///
    /// >>> import truesum
    /// >>> truesum.sha3_256().name, truesum.new("sha512-256").name, truesum.blake2b(digest_size=20).name
    /// ('sha3_256', 'sha512_256', 'blake2b-160')
    #[getter]
    fn name(&self) -> String {
        hashlib_name(&self.spec)
    }

    /// The digest size in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.spec.digest_len()
    }

    /// The block size of the algorithm's compression function in bytes; 1 if it has none.
    #[getter]
    fn block_size(&self) -> usize {
        self.spec.algorithm().block_len()
    }

    fn __repr__(&self) -> String {
        format!("<truesum.Hash {}>", *self.spec)
    }
}

/// The state of a hash object in a pickle: its kind, and a message, the state of a hasher or the digest of a file.
type SavedState = (u8, Vec<u8>);

const MESSAGE: u8 = 0;
const STATE: u8 = 1;
const DIGEST: u8 = 2;

/// Rebuilds a pickled Hash.
#[pyfunction]
pub fn restore_hash(name: &str, state: SavedState) -> PyResult<Hash> {
    let (kind, saved) = state;
    let spec = with_parameters(named(name)?, None)?;
    let owned = SpecRef::Owned(Box::new(spec.clone()));
    match kind {
        MESSAGE => Hash::short(owned, &saved).ok_or_else(|| refused("the saved message is too long")),
        STATE => Ok(Hash::with(owned, State::Open(Box::new(spec.restore(&saved).map_err(refused)?)))),
        DIGEST => Ok(Hash::of_file(spec, Digest::from_hex(&saved).map_err(refused)?)),
        _ => Err(refused("unknown kind of saved state")),
    }
}

/// Returns a hash object for the named algorithm.
///
/// Parameters, for algorithms that have them: digest_size (in bytes), key (bytes), context (str, for key derivation
/// with BLAKE3), seed (int), custom (bytes), salt and person (bytes, for BLAKE2), unit (int, the size of a leaf or part
/// in bytes). They can also be part of the name: "blake2b-256", "xxh64;seed=7".
///
/// >>> import truesum
/// >>> truesum.new("sha256", b"abc").hexdigest()
/// 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
/// >>> truesum.new("blake2b", b"abc", digest_size=8).hexdigest()
/// 'd8bb14d833d59559'
/// >>> truesum.new("hmac-sha256", b"abc", key=b"secret").digest_size
/// 32
/// >>> truesum.new("sha257")
/// Traceback (most recent call last):
///     ...
/// ValueError: unknown algorithm 'sha257' (did you mean ...
#[pyfunction]
#[pyo3(signature = (name, data = None, **parameters))]
pub fn new(
    py: Python<'_>,
    name: &str,
    data: Option<Data<'_>>,
    parameters: Option<&Bound<'_, PyDict>>,
) -> PyResult<Hash> {
    let by_keyword = parameters.map(message).transpose()?.flatten();
    if let (Some(_), Some(_)) = (&data, &by_keyword) {
        return Err(PyTypeError::new_err("the message was given twice"));
    }
    let spec = with_parameters(named(name)?, parameters)?;
    let data = match &by_keyword {
        Some(given) => Some(given.extract()?),
        None => data,
    };
    Hash::begin(py, SpecRef::Owned(Box::new(spec)), data)
}
