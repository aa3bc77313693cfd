//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), computed by its authors' crate: plain, keyed, derive-key, with
//! output of any length.

use crate::digest::Digest;
use crate::hasher::Serial;
use crate::spec::{Key, Spec};

pub(crate) fn new(spec: &Spec) -> Box<dyn Serial> {
    let hasher = match &spec.key {
        Key::None => blake3::Hasher::new(),
        Key::Keyed(key) => blake3::Hasher::new_keyed(key),
        Key::Derive(context) => blake3::Hasher::new_derive_key(context),
    };
    Box::new(Blake3 { hasher, len: spec.digest_len() })
}

#[derive(Clone)]
struct Blake3 {
    hasher: blake3::Hasher,
    len: usize,
}

impl Serial for Blake3 {
    fn update(&mut self, data: &[u8]) {
        self.hasher.update(data);
    }
    fn finish(&mut self) -> Digest {
        let mut bytes = vec![0; self.len];
        self.hasher.finalize_xof().fill(&mut bytes);
        Digest::new(&bytes)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
