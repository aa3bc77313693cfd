//! The messages of the two published SHA-1 collisions: `sha1dc` detects them, alone or with anything appended, and
//! nothing else.

use truesum_hash::Spec;

/// The first five blocks of SHAttered's PDFs (Stevens, Bursztein, Karpman, Albertini & Markov 2017), and the messages of SHAmbles
/// (Leurent & Peyrin 2020).
const COLLISIONS: [(&[u8], &[u8]); 2] = [
    (
        include_bytes!("../../../../testdata/collisions/shattered-1.bin"),
        include_bytes!("../../../../testdata/collisions/shattered-2.bin"),
    ),
    (
        include_bytes!("../../../../testdata/collisions/shambles-1.bin"),
        include_bytes!("../../../../testdata/collisions/shambles-2.bin"),
    ),
];

fn specs() -> (Spec, Spec) {
    ("sha1".parse().expect("a row"), "sha1dc".parse().expect("a row"))
}

#[test]
fn published_collisions_are_detected_and_get_distinct_digests() {
    let (sha1, sha1dc) = specs();
    for (first, second) in COLLISIONS {
        assert_ne!(first, second);
        assert_eq!(sha1.digest(first), sha1.digest(second), "the collision");
        assert_ne!(sha1dc.digest(first), sha1dc.digest(second));
        for behind in [0, 1, 63, 64, 1000] {
            for step in [1, 64, 77, 10_000] {
                let message = [first, &vec![7; behind]].concat();
                let mut hasher = sha1dc.hasher();
                message.chunks(step).for_each(|slice| hasher.update(slice));
                assert!(hasher.attack().is_some(), "{behind} bytes behind, in slices of {step}");
                assert_ne!(hasher.finish_reset(), sha1.digest(&message));
                assert!(hasher.attack().is_none(), "another message");
            }
        }
    }
}

#[test]
fn ordinary_messages_have_their_sha1() {
    let (sha1, sha1dc) = specs();
    let bytes: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for len in (0..1100).chain([4096, 20_000]) {
        let mut hasher = sha1dc.hasher();
        hasher.update(&bytes[..len]);
        assert!(hasher.attack().is_none());
        assert_eq!(hasher.finish(), sha1.digest(&bytes[..len]), "{len} bytes");
    }
    assert!("sha1".parse::<Spec>().expect("a row").hasher().attack().is_none(), "which does not look");
}
