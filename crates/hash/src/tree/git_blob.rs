//! The object name of a git blob: the hash of `blob `, the length in decimal, a zero byte and the content. With SHA-1
//! it is also the content identifier of Software Heritage (ISO/IEC 18670).

use crate::algorithm::{Algorithm, HeaderDigest, Kind, Serial, Status};
use crate::digest::Digest;
use crate::family::{sha1, sha2};
use crate::spec::Spec;

/// The rows of this file.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "git-blob",
        tag: "GIT-BLOB",
        aliases: &["gitoid:blob:sha1", "swh:1:cnt"],
        digest_len: 20,
        status: Status::Broken("SHA-1 collisions (Stevens et al. 2017); covers the length"),
        summary: "git blob object name, also used by Software Heritage (swh:1:cnt:HEX)",
        check: "e2e107ac61ac259b87c544f6e7a4eb03422c6c21",
        kind: Kind::HeaderDigest(&HeaderDigest { base: &sha1::ROWS[0], header, buffered }),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "git-blob-sha256",
        tag: "GIT-BLOB-SHA256",
        aliases: &["gitoid:blob:sha256"],
        digest_len: 32,
        status: Status::Secure("SHA-256 of the content, preceded by a header with its length (FIPS 180-4)"),
        summary: "git blob object name in a SHA-256 repository",
        check: "7f50e40d8f5a6d87ebeb1408ac69a16634401f3f31e4b8f0f071aed262d22036",
        kind: Kind::HeaderDigest(&HeaderDigest { base: &sha2::ROWS[1], header, buffered }),
        ..Algorithm::PLAIN
    },
];

fn header(size: u64) -> Vec<u8> {
    format!("blob {size}\0").into_bytes()
}

fn buffered(headed: &'static HeaderDigest) -> Box<dyn Serial> {
    Box::new(BufferedMessage { headed, bytes: Vec::new() })
}

/// A message of unknown length, which is stored completely because its header is known only at the end.
#[derive(Clone)]
struct BufferedMessage {
    headed: &'static HeaderDigest,
    bytes: Vec<u8>,
}

impl Serial for BufferedMessage {
    fn update(&mut self, data: &[u8]) {
        self.bytes.extend_from_slice(data);
    }

    fn finish(&mut self) -> Digest {
        let mut hasher = Spec::new(self.headed.base).hasher();
        hasher.update(&(self.headed.header)(self.bytes.len() as u64));
        hasher.update(&self.bytes);
        hasher.finish()
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::many::{finish_many, update_many};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn declared_length_must_be_exact() {
        for row in ROWS {
            let spec = Spec::new(row);
            let mut hasher = spec.hasher_for_size(10);
            assert!(!hasher.is_complete());
            hasher.update(b"123456789");
            assert!(!hasher.is_complete());
            let mut early = hasher.clone();
            assert!(catch_unwind(AssertUnwindSafe(|| early.finish_reset())).is_err());
            assert!(
                catch_unwind(AssertUnwindSafe(|| finish_many(&mut [
                    &mut early,
                    &mut spec.hasher_for_size(0)
                ])))
                .is_err()
            );
            hasher.update(b"0");
            assert!(hasher.is_complete());
            assert_eq!(hasher.finish_reset(), spec.digest(b"1234567890"));
            assert!(!hasher.is_complete(), "ready for another message of as many bytes");
            assert!(hasher.save().is_none() && hasher.message_len().is_none());
            assert!(!spec.hasher_for_size(u64::MAX).is_complete());
        }
    }

    #[test]
    fn blob_digest_does_not_depend_on_known_length_or_batching() {
        let data: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for row in ROWS {
            let (spec, Kind::HeaderDigest(headed)) = (Spec::new(row), &row.kind) else { panic!("no header") };
            for len in (0..300).chain([1000, 5000]) {
                let message = &data[..len];
                let mut buffered = spec.hasher();
                message.chunks(61).for_each(|slice| buffered.update(slice));
                let plain = Spec::new(headed.base);
                let expected = plain.digest(&[format!("blob {len}\0").as_bytes(), message].concat());
                assert_eq!((spec.digest(message), buffered.finish()), (expected.clone(), expected.clone()));
                let (mut one, mut two) = (spec.hasher_for_size(len as u64), plain.hasher());
                update_many(&mut [&mut one, &mut two], &[message, message]);
                assert_eq!(finish_many(&mut [&mut one, &mut two]), [expected, plain.digest(message)]);
            }
        }
    }
}
