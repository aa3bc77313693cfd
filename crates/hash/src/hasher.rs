//! One message: feed it, end it.

use crate::algorithm::Kind;
use crate::blake3::Blake3;
use crate::digest::Digest;
use crate::lanes::Stream;
use crate::spec::Spec;

/// An algorithm that is not a chain of blocks, or that a library computes.
pub(crate) trait Serial: Send + Sync {
    fn update(&mut self, data: &[u8]);
    /// The digest of all bytes so far.
    fn finish(&mut self) -> Digest;
    fn clone_box(&self) -> Box<dyn Serial>;
    /// Forgets all bytes so far; false where only a new one can do that.
    fn reset(&mut self) -> bool {
        false
    }
    /// Itself where it is BLAKE3, whose short messages are ended together.
    fn blake3(&mut self) -> Option<&mut Blake3> {
        None
    }
    /// Whether a message of promised length got as many bytes.
    fn is_whole(&self) -> bool {
        true
    }
    /// The same as `update` with `count` zero bytes, where that can be had for less.
    fn update_zeros(&mut self, count: u64) {
        feed_zeros(count, |zeros| self.update(zeros));
    }
}

pub(crate) fn feed_zeros(mut count: u64, mut feed: impl FnMut(&[u8])) {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    while count > 0 {
        let step = count.min(ZEROS.len() as u64);
        feed(&ZEROS[..step as usize]);
        count -= step;
    }
}

/// Hashes one message, in slices of any lengths.
pub struct Hasher {
    pub(crate) inner: Inner,
    spec: Spec,
    size: Option<u64>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is the usual one, and lies inline beside its neighbours"
)]
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

impl Hasher {
    pub(crate) fn new(spec: &Spec, size: Option<u64>) -> Hasher {
        let inner = match spec.algorithm().kind {
            Kind::Blocks { family, init } => {
                Inner::Blocks(Stream::new(family, init(spec), spec.digest_len()))
            }
            Kind::Serial(new) => Inner::Serial(new(spec)),
            Kind::Composite(composite) => Inner::Serial(composite.hasher(spec, size)),
        };
        Hasher { inner, spec: spec.clone(), size }
    }

    /// What this hasher computes.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Feeds the next bytes of the message.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.inner {
            Inner::Blocks(stream) => stream.update(data),
            Inner::Serial(serial) => serial.update(data),
        }
    }

    /// Whether as many bytes have been fed as [`Spec::hasher_for_size`] was told; true for every algorithm that does not
    /// need to know.
    pub fn is_whole(&self) -> bool {
        match &self.inner {
            Inner::Blocks(_) => true,
            Inner::Serial(serial) => serial.is_whole(),
        }
    }

    /// Feeds `count` zero bytes, without reading them from anywhere.
    pub fn update_zeros(&mut self, count: u64) {
        match &mut self.inner {
            Inner::Blocks(stream) => feed_zeros(count, |zeros| stream.update(zeros)),
            Inner::Serial(serial) => serial.update_zeros(count),
        }
    }

    /// Ends the message and returns its digest; the hasher is then ready for another message.
    ///
    /// # Panics
    /// If it was made for a size that the algorithm needs to know, and [`Hasher::is_whole`] does not hold.
    pub fn finish(&mut self) -> Digest {
        let digest = match &mut self.inner {
            Inner::Blocks(stream) => stream.finish(),
            Inner::Serial(serial) => serial.finish(),
        };
        self.reset();
        digest
    }

    /// Forgets all bytes fed so far.
    pub fn reset(&mut self) {
        let forgot = match (&mut self.inner, &self.spec.algorithm().kind) {
            (Inner::Blocks(stream), Kind::Blocks { init, .. }) => {
                stream.restart(init(&self.spec));
                true
            }
            (Inner::Serial(serial), _) => serial.reset(),
            (Inner::Blocks(_), _) => false,
        };
        if !forgot {
            *self = Hasher::new(&self.spec, self.size);
        }
    }

    pub(crate) fn blake3(&mut self) -> Option<&mut Blake3> {
        match &mut self.inner {
            Inner::Blocks(_) => None,
            Inner::Serial(serial) => serial.blake3(),
        }
    }

    pub(crate) fn stream(&mut self) -> Option<&mut Stream> {
        match &mut self.inner {
            Inner::Blocks(stream) => Some(stream),
            Inner::Serial(_) => None,
        }
    }
}
