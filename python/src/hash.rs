//! `Hash`: what hashlib's objects are, of any algorithm.

use crate::bytes::{Data, Source};
use crate::errors::refused;
use crate::spec::{named, with_parameters};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use truesum::hash::{Digest, Hasher, Lengths, Spec};

/// Shorter messages are hashed without giving the interpreter to other threads: that takes longer than hashing them. The same
/// number as hashlib's.
const WITH_INTERPRETER: usize = 2048;
/// What is hashed at first between two looks at the clock; then as much as takes about a millisecond or more.
const FIRST_SLICE: usize = 256 << 10;
const LARGEST_SLICE: usize = 16 << 20;
/// After how long it is asked whether to end.
const LOOK: Duration = Duration::from_millis(40);

/// A message being hashed, shaped as hashlib's objects are.
///
/// Made by new(), by one of the constructors (sha256(), blake3() ...) or by file_digest().
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
    spec: Which,
    state: Mutex<State>,
    /// The thread that updates it for long, by the address of something of its own; 0 if none does.
    owner: AtomicUsize,
}

/// An algorithm that a constructor has, with a hasher that the short messages of all its objects take turns with: to make one
/// takes longer than to hash them.
pub struct Kept {
    spec: Spec,
    spare: Mutex<Option<Hasher>>,
}

impl Kept {
    /// The algorithm, for as long as the process lives.
    pub fn forever(spec: Spec) -> &'static Kept {
        Box::leak(Box::new(Kept { spec, spare: Mutex::new(None) }))
    }

    /// The algorithm.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

/// An algorithm.
#[derive(Clone)]
pub enum Which {
    /// A constructor's.
    Kept(&'static Kept),
    /// One with parameters.
    Own(Box<Spec>),
}

impl std::ops::Deref for Which {
    type Target = Spec;

    fn deref(&self) -> &Spec {
        match self {
            Which::Kept(kept) => &kept.spec,
            Which::Own(spec) => spec,
        }
    }
}

/// Messages of up to so many bytes are kept until they are longer or their digest is asked for.
const SHORT: usize = 64;

/// How far a message is.
enum State {
    /// All its bytes.
    Short { len: u8, bytes: [u8; SHORT] },
    /// Bytes can be added.
    Open(Box<Hasher>),
    /// A file that was read whole: its digest is all that is known of it.
    Whole(Box<Digest>),
    /// Bytes are missing in the middle: there is no digest.
    Broken,
}

impl Hash {
    /// A message that begins with these bytes.
    pub fn begin(py: Python<'_>, spec: Which, data: Option<Data<'_>>) -> PyResult<Hash> {
        let hash = Hash::with(spec, State::Short { len: 0, bytes: [0; SHORT] });
        if let Some(data) = data {
            hash.add(py, &data)?;
        }
        Ok(hash)
    }

    /// The same of a message that nobody can write to; `None` where it is too long to be kept.
    pub fn short(spec: Which, message: &[u8]) -> Option<Hash> {
        let mut bytes = [0; SHORT];
        bytes.get_mut(..message.len())?.copy_from_slice(message);
        Some(Hash::with(spec, State::Short { len: message.len() as u8, bytes }))
    }

    /// A file that was read whole.
    pub fn whole(spec: Spec, digest: Digest) -> Hash {
        Hash::with(Which::Own(Box::new(spec)), State::Whole(Box::new(digest)))
    }

    fn with(spec: Which, state: State) -> Hash {
        Hash { spec, state: Mutex::new(state), owner: AtomicUsize::new(0) }
    }

    /// What it computes.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Does something with the state, when no other thread does.
    fn locked<T>(&self, py: Python<'_>, act: impl FnOnce(&mut State) -> PyResult<T>) -> PyResult<T> {
        // A signal handler that runs in the middle of an update waits for what waits for it.
        let owner = self.owner.load(Relaxed);
        if owner != 0 && owner == this_thread() {
            return Err(PyRuntimeError::new_err("this object is being updated by the same thread"));
        }
        act(&mut self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds bytes, all of them or, where it is interrupted, none that could come to a digest.
    pub fn add(&self, py: Python<'_>, data: &Data<'_>) -> PyResult<()> {
        self.locked(py, |state| {
            let (source, len) = (data.source(), data.len());
            if let State::Short { len: held, bytes } = state {
                let before = usize::from(*held);
                if before + len <= SHORT {
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
            let State::Open(hasher) = state else { return Err(closed(state)) };
            if len < WITH_INTERPRETER {
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

    /// Gives what is to be known of the digest: it is large, and short messages feel each time it is moved.
    fn end<T>(&self, py: Python<'_>, length: Option<usize>, give: impl FnOnce(&Digest) -> T) -> PyResult<T> {
        let length = match length {
            None => None,
            Some(length) => self.unusual(length)?,
        };
        self.locked(py, |state| match state {
            State::Short { len, bytes } => {
                let message = &bytes[..usize::from(*len)];
                if let (Which::Kept(kept), None) = (&self.spec, length)
                    && let Ok(mut spare) = kept.spare.try_lock()
                {
                    let hasher = spare.get_or_insert_with(|| kept.spec.hasher());
                    hasher.update(message);
                    let attack = hasher.attack();
                    let given = give(&hasher.finish_reset());
                    return attack.map_or(Ok(given), |why| Err(self.attacked(why)));
                }
                let mut hasher = self.spec.hasher();
                hasher.update(message);
                self.finish(hasher, length).map(|digest| give(&digest))
            }
            State::Open(hasher) => self.finish(Hasher::clone(hasher), length).map(|digest| give(&digest)),
            State::Whole(digest) if length.is_none() => Ok(give(digest)),
            State::Whole(_) => {
                Err(refused("the digest of a file that was read has the length that was asked for"))
            }
            State::Broken => Err(closed(state)),
        })
    }
}

impl Hash {
    /// The length of a digest, where it is another one than the algorithm's own.
    fn unusual(&self, length: usize) -> PyResult<Option<usize>> {
        let usual = self.spec.digest_len();
        if length != usual && self.spec.algorithm().lengths != Lengths::Any {
            return Err(refused(format!("{} has digests of {usual} bytes", *self.spec)));
        }
        Ok(Some(length).filter(|length| *length != usual))
    }

    fn finish(&self, hasher: Hasher, length: Option<usize>) -> PyResult<Digest> {
        if let Some(why) = hasher.attack() {
            return Err(self.attacked(why));
        }
        let Some(length) = length else { return Ok(hasher.finish()) };
        let mut bytes = room(length)?;
        hasher.finish_xof().expect("output of any length").fill(&mut bytes);
        Ok(Digest::new(&bytes))
    }

    /// Somebody made these bytes to have the digest of others.
    fn attacked(&self, why: &str) -> PyErr {
        PyValueError::new_err(format!("{}: {why}", *self.spec))
    }
}

/// Zeros for so much output.
fn room(length: usize) -> PyResult<Vec<u8>> {
    let refuse = || refused(format!("{length} is no length of a digest"));
    let mut bytes = Vec::new();
    if length == 0 || bytes.try_reserve_exact(length).is_err() {
        return Err(refuse());
    }
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Why a state takes no bytes, or gives no digest.
fn closed(state: &State) -> PyErr {
    PyValueError::new_err(match state {
        State::Whole(_) => "this is the digest of a file that was read whole: nothing can be added to it",
        _ => "an update of this object was interrupted: there is no digest of it",
    })
}

/// Adds many bytes without the interpreter, to which it comes back often enough to be interrupted.
fn add_long(py: Python<'_>, hasher: &mut Hasher, source: Source<'_>, len: usize) -> PyResult<()> {
    let (mut at, mut slice) = (0, FIRST_SLICE);
    while at < len {
        py.detach(|| {
            let since = Instant::now();
            let mut before = Duration::ZERO;
            while at < len && before < LOOK {
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

/// A number that no other thread that lives has.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

#[pymethods]
impl Hash {
    /// Adds bytes to the message. Many are hashed without the interpreter's lock.
    ///
    /// If a signal interrupts it, the object has no digest any more.
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        self.add(py, &data)
    }

    /// The digest of the bytes so far. `length` is for algorithms whose output has any length.
    ///
    /// >>> import truesum
    /// >>> truesum.shake128(b"abc").digest(4).hex()
    /// '5881092d'
    #[pyo3(signature = (length = None))]
    fn digest<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        self.end(py, length, |digest| PyBytes::new(py, digest.as_bytes()))
    }

    /// The same in hexadecimal; a digest of parts has their number behind a hyphen, as S3 writes it.
    #[pyo3(signature = (length = None))]
    fn hexdigest(&self, py: Python<'_>, length: Option<usize>) -> PyResult<String> {
        self.end(py, length, Digest::to_hex)
    }

    /// Another object with the same bytes so far.
    fn copy(&self, py: Python<'_>) -> PyResult<Hash> {
        let state = self.locked(py, |state| match state {
            State::Short { len, bytes } => Ok(State::Short { len: *len, bytes: *bytes }),
            State::Open(hasher) => Ok(State::Open(hasher.clone())),
            State::Whole(digest) => Ok(State::Whole(digest.clone())),
            State::Broken => Err(closed(state)),
        })?;
        Ok(Hash::with(self.spec.clone(), state))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Hash> {
        self.copy(py)
    }

    /// The algorithm, as new() takes it; of a key only that there is one.
    #[getter]
    fn name(&self) -> String {
        self.spec.to_string()
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.spec.digest_len()
    }

    /// Bytes that the algorithm's compression takes at once; 1 where its definition names no block.
    #[getter]
    fn block_size(&self) -> usize {
        self.spec.algorithm().block_len()
    }

    fn __repr__(&self) -> String {
        format!("<truesum.Hash {}>", *self.spec)
    }
}

/// A message to be hashed by the algorithm of this name.
///
/// Parameters, where the algorithm has them: digest_size (bytes), key (bytes), context (str, BLAKE3's derived keys), seed (int),
/// custom (bytes), unit (int, bytes of a leaf or part). They may also stand in the name: "blake2b-256", "xxh64;seed=7".
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
#[pyo3(signature = (name, /, data = None, **parameters))]
pub fn new(
    py: Python<'_>,
    name: &str,
    data: Option<Data<'_>>,
    parameters: Option<&Bound<'_, PyDict>>,
) -> PyResult<Hash> {
    let spec = with_parameters(named(name)?, parameters)?;
    Hash::begin(py, Which::Own(Box::new(spec)), data)
}
