//! A hasher for one message.

use crate::algorithm::{Kind, Linear, Serial, feed_zeros};
use crate::block::Stream;
use crate::digest::Digest;
use crate::family::{crc, sum};
use crate::spec::Spec;
use std::{fmt, io};

/// Hashes one message, in slices of any length.
pub struct Hasher {
    pub(crate) inner: Inner,
    spec: Spec,
    size: Option<u64>,
}

#[allow(clippy::large_enum_variant, reason = "the large variant is the common one, and is stored inline")]
pub(crate) enum Inner {
    Blocks(Stream),
    Serial(Box<dyn Serial>),
}

impl Clone for Hasher {
    fn clone(&self) -> Hasher {
        let inner = match &self.inner {
            Inner::Blocks(stream) => Inner::Blocks(stream.clone()),
            Inner::Serial(serial) => Inner::Serial(serial.clone_box()),
        };
        Hasher { inner, spec: self.spec.clone(), size: self.size }
    }
}

impl io::Write for Hasher {
    /// Adds all bytes. Never fails.
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Hasher {
    // The state of a message, from which a digest can be computed, must never be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({})", self.spec)
    }
}

impl Spec {
    /// Returns a hasher for one message. If [`Spec::needs_size`], it stores the complete message in memory until the
    /// end.
    ///
    /// # Panics
    /// If [`Spec::lacks_key`] is true.
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self, None)
    }

    /// Returns a hasher for one message of `size` bytes, in bounded memory for every algorithm.
    ///
    /// [`Hasher::is_complete`] returns whether as many bytes have been added. If they have not and [`Spec::needs_size`] is
    /// true, [`Hasher::finish`] panics.
    ///
    /// # Panics
    /// If [`Spec::lacks_key`] is true.
    pub fn hasher_for_size(&self, size: u64) -> Hasher {
        Hasher::new(self, Some(size))
    }

    /// Returns the digest of one message in memory.
    ///
    /// # Panics
    /// If [`Spec::lacks_key`] is true.
    pub fn digest(&self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher_for_size(message.len() as u64);
        hasher.update(message);
        hasher.finish()
    }
}

impl Hasher {
    pub(crate) fn new(spec: &Spec, size: Option<u64>) -> Hasher {
        let inner = match &spec.algorithm().kind {
            _ if spec.lacks_key() => panic!("{spec}: no key"),
            Kind::Blocks { chain, init } => Inner::Blocks(
                (spec.algorithm().framed)(spec.algorithm(), &spec.params)
                    .unwrap_or_else(|| Stream::new(chain, init(&spec.params), spec.digest_len())),
            ),
            Kind::Linear(Linear::Crc(crc)) => Inner::Serial(crc::new(crc)),
            Kind::Linear(Linear::Adler32) => Inner::Serial(sum::adler32()),
            Kind::Serial(new) | Kind::Chunks { new, .. } => Inner::Serial(new(&spec.params)),
            Kind::Sized(new, _) => Inner::Serial(new(&spec.params, size)),
            Kind::Composite(composite) => Inner::Serial((composite.hasher)(composite, &spec.params, size)),
            Kind::HeaderDigest(headed) => match size {
                Some(size) => {
                    let mut hasher = Hasher::new(&Spec::new(headed.base), None);
                    hasher.update(&(headed.header)(size));
                    hasher.inner
                }
                None => Inner::Serial((headed.buffered)(headed)),
            },
        };
        Hasher { inner, spec: spec.clone(), size }
    }

    /// Returns the algorithm of this hasher.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Adds the next bytes of the message.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.inner {
            Inner::Blocks(stream) => stream.update(data),
            Inner::Serial(serial) => serial.update(data),
        }
    }

    /// Returns whether the number of bytes passed to [`Spec::hasher_for_size`] has been added; always true for
    /// algorithms that do not depend on it.
    pub fn is_complete(&self) -> bool {
        match (&self.inner, &self.spec.algorithm().kind, self.size) {
            (Inner::Blocks(stream), Kind::HeaderDigest(headed), Some(size)) => {
                Some(stream.total) == size.checked_add((headed.header)(size).len() as u64)
            }
            (Inner::Blocks(_), ..) => true,
            (Inner::Serial(serial), ..) => serial.is_complete(),
        }
    }

    /// Returns a description if the bytes so far show traces of a collision attack on the algorithm. `None` if they do
    /// not, and for every algorithm without detection (`sha1dc` has it). Must be called before the message is finished.
    pub fn attack(&self) -> Option<&'static str> {
        match &self.inner {
            Inner::Blocks(_) => None,
            Inner::Serial(serial) => serial.attack(),
        }
    }

    /// Adds `count` zero bytes, without reading them from memory.
    pub fn update_zeros(&mut self, count: u64) {
        match &mut self.inner {
            Inner::Blocks(stream) => feed_zeros(count, |zeros| stream.update(zeros)),
            Inner::Serial(serial) => serial.update_zeros(count),
        }
    }

    /// Finishes the message and returns its digest.
    ///
    /// # Panics
    /// If it was created for a size that the algorithm depends on, and [`Hasher::is_complete`] is false.
    pub fn finish(mut self) -> Digest {
        self.end()
    }

    /// Finishes the message and resets the hasher for another one, which costs less than creating a new one.
    ///
    /// # Panics
    /// Panics as [`Hasher::finish`].
    pub fn finish_reset(&mut self) -> Digest {
        let digest = self.end();
        self.reset();
        digest
    }

    fn end(&mut self) -> Digest {
        if matches!(self.spec.algorithm().kind, Kind::HeaderDigest(_)) {
            self.assert_complete();
        }
        match &mut self.inner {
            Inner::Blocks(stream) => stream.finish(),
            Inner::Serial(serial) => serial.finish(),
        }
    }

    /// # Panics
    /// If the message does not have the announced length.
    pub(crate) fn assert_complete(&self) {
        assert!(self.is_complete(), "the message must have {:?} bytes, as announced", self.size);
    }

    /// Discards all bytes added so far.
    pub fn reset(&mut self) {
        let forgot = match (&mut self.inner, &self.spec.algorithm().kind) {
            (Inner::Blocks(stream), Kind::Blocks { init, .. }) => {
                stream.restart(|| init(&self.spec.params));
                true
            }
            (Inner::Serial(serial), _) => serial.reset(),
            (Inner::Blocks(_), _) => false,
        };
        if !forgot {
            *self = Hasher::new(&self.spec, self.size);
        }
    }

    pub(crate) fn serial(&mut self) -> Option<&mut dyn Serial> {
        match &mut self.inner {
            Inner::Blocks(_) => None,
            Inner::Serial(serial) => Some(&mut **serial),
        }
    }

    pub(crate) fn stream(&mut self) -> Option<&mut Stream> {
        match &mut self.inner {
            Inner::Blocks(stream) => Some(stream),
            Inner::Serial(_) => None,
        }
    }
}
