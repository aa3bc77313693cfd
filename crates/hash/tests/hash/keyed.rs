//! Keyed digests compared with other implementations and published vectors: HMAC over every block-based hash, in lanes
//! and one by one, with keys shorter than, as long as and longer than a block; KMAC, cSHAKE, SipHash, HighwayHash,
//! keyed BLAKE2; seeds and secrets.

use hmac::{KeyInit, Mac, SimpleHmac};
use truesum_hash::{ALGORITHMS, Digest, KEYED, Key, Secret, Spec, SpecError, hash_many, hmacs, kernel};

/// Returns pseudorandom bytes that are the same in every run (xorshift64*, Vigna 2016).
fn bytes(len: usize, mut state: u64) -> Vec<u8> {
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn keyed(name: &str, key: &[u8]) -> Spec {
    let spec: Spec = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
    spec.with_key(Key::Secret(Secret::new(key.to_vec()))).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn hex(text: &str) -> Vec<u8> {
    data_encoding::HEXLOWER_PERMISSIVE.decode(text.as_bytes()).expect("hexadecimal")
}

/// Computes HMAC with the crate of that name.
fn by<D: hmac::digest::Digest + hmac::digest::block_api::BlockSizeUser>(
    key: &[u8],
    message: &[u8],
) -> Vec<u8> {
    let mut mac = SimpleHmac::<D>::new_from_slice(key).expect("a key of any length");
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

type Oracle = fn(&[u8], &[u8]) -> Vec<u8>;

/// The hash, the bytes of its block, and HMAC over it.
const ORACLES: &[(&str, usize, Oracle)] = &[
    ("hmac-md5", 64, by::<md5::Md5>),
    ("hmac-sha1", 64, by::<sha1::Sha1>),
    ("hmac-sha224", 64, by::<sha2::Sha224>),
    ("hmac-sha256", 64, by::<sha2::Sha256>),
    ("hmac-sha384", 128, by::<sha2::Sha384>),
    ("hmac-sha512", 128, by::<sha2::Sha512>),
    ("hmac-sha512-256", 128, by::<sha2::Sha512_256>),
    ("hmac-sha3-224", 144, by::<sha3::Sha3_224>),
    ("hmac-sha3-256", 136, by::<sha3::Sha3_256>),
    ("hmac-sha3-512", 72, by::<sha3::Sha3_512>),
    ("hmac-sm3", 64, by::<sm3::Sm3>),
    ("hmac-ripemd160", 64, by::<ripemd::Ripemd160>),
    ("hmac-whirlpool", 64, by::<whirlpool::Whirlpool>),
    ("hmac-gost94-cryptopro", 32, by::<gost94::Gost94CryptoPro>),
    ("hmac-gost12-256", 64, by::<streebog::Streebog256>),
    ("hmac-gost12-512", 64, by::<streebog::Streebog512>),
    ("hmac-md2", 16, by::<md2::Md2>),
];

#[test]
fn hmac_matches_another_implementation() {
    let data = bytes(70_000, 7);
    for (name, block, oracle) in ORACLES {
        for key_len in [1, block - 1, *block, block + 1, 3 * block + 5] {
            let key = &data[1000..1000 + key_len];
            let spec = keyed(name, key);
            let messages: Vec<&[u8]> = (0..300).chain([1000, 4096, 65_537]).map(|len| &data[..len]).collect();
            for (message, together) in messages.iter().zip(hash_many(&spec, &messages)) {
                let expected = Digest::new(&oracle(key, message));
                assert_eq!(together, expected, "{name}, key of {key_len}, {} bytes in lanes", message.len());
                assert_eq!(
                    spec.digest(message),
                    expected,
                    "{name}, key of {key_len}, {} bytes",
                    message.len()
                );
            }
        }
    }
}

#[test]
fn hmac_of_every_hash_matches_its_definition_in_every_kernel() {
    let data = bytes(5000, 11);
    let rows: Vec<_> = hmacs(ALGORITHMS.iter()).collect();
    assert!(rows.len() > 50, "{}", rows.len());
    for row in rows {
        let base: Spec = row.name().strip_prefix("hmac-").expect("its prefix").parse().expect("the hash");
        // Keys longer than the block are hashed: the block is the rate of Keccak, 16 bytes for MD2, 128 for SHA-512.
        let block = (1..=256)
            .find(|&len| {
                let padded = [&data[..len], &[0]].concat();
                keyed(row.name(), &data[..len]).digest(b"") != keyed(row.name(), &padded).digest(b"")
            })
            .expect("keys of a block and of a byte more differ");
        let key = &data[100..100 + block / 2 + 1];
        let form =
            |pad: u8| -> Vec<u8> { (0..block).map(|i| key.get(i).copied().unwrap_or(0) ^ pad).collect() };
        let spec = keyed(row.name(), key);
        let messages: Vec<&[u8]> = (0..200).chain([1000, 4097]).map(|len| &data[..len]).collect();
        let expected: Vec<Digest> = messages
            .iter()
            .map(|message| {
                let inner = base.digest(&[&form(0x36), *message].concat());
                base.digest(&[&form(0x5c), inner.as_bytes()].concat())
            })
            .collect();
        assert!(hash_many(&spec, &messages) == expected, "{} in lanes", row.name());
        for kernel in kernel::rows(row).iter().filter_map(kernel::Kernel::runnable) {
            let found = truesum_hash::hash_many_on(kernel, &spec, &messages);
            assert!(found.as_ref() == Some(&expected), "{} {} x{}", row.name(), kernel.isa(), kernel.lanes());
        }
        let mut hasher = spec.hasher();
        for (message, expected) in messages.iter().zip(&expected) {
            message.chunks(7).for_each(|slice| hasher.update(slice));
            assert_eq!(&hasher.finish_reset(), expected, "{} in slices, begun again", row.name());
        }
    }
}

#[test]
fn every_keyed_algorithm_matches_its_check_value() {
    for row in KEYED.iter().copied().flatten() {
        let key = row.check_key().expect("a key");
        assert_eq!(keyed(row.name(), &key).digest(b"123456789").to_hex(), row.check(), "{}", row.name());
        for name in [row.name(), row.tag()].iter().chain(row.aliases()) {
            assert_eq!(name.parse::<Spec>().map(|spec| spec.algorithm().name()), Ok(row.name()));
        }
        let (least, most) = row.keying().lengths().expect("it takes a key");
        let spec: Spec = row.name().parse().expect("its own name");
        assert!(spec.lacks_key() && spec.clone().with_key(Key::None).is_err());
        for len in [least - 1, most + 1] {
            let key = Key::Secret(Secret::new(vec![0; len]));
            assert!(matches!(spec.clone().with_key(key), Err(SpecError::KeyLength { .. })), "{}", row.name());
        }
    }
}

/// Name, key, message and digest, as published.
#[rustfmt::skip]
const PUBLISHED: &[(&str, &str, &str, &str)] = &[
    // RFC 2202 test cases 1 and 6, RFC 4231 test cases 1, 2 and 6.
    ("hmac-md5", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265", "9294727a3638bb1c13f48ef8158bfc9d"),
    ("hmac-sha1", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265", "b617318655057264e28bc0b6fb378c8ef146be00"),
    ("hmac-sha256", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    ("hmac-sha256", "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    ("hmac-sha512", "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f", "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    // SP 800-185, samples 1, 2 and 5 of KMAC, 1 of KMACXOF.
    ("kmac128", "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f", "00010203", "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e"),
    ("kmac128;custom=4d7920546167676564204170706c69636174696f6e", "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f", "00010203", "3b1fba963cd8b0b59e8c1a6d71888b7143651af8ba0a7070c0979e2811324aa5"),
    ("kmac256;custom=4d7920546167676564204170706c69636174696f6e", "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f", "00010203", "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd"),
    ("kmacxof128", "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f", "00010203", "cd83740bbd92ccc8cf032b1481a0f4460e7ca9dd12b08a0c4031178bacd6ec35"),
    // The paper of SipHash, appendix A, and the reference implementation's table of 128 bits.
    ("siphash-2-4", "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e", "e545be4961ca29a1"),
    ("siphash-2-4-128", "000102030405060708090a0b0c0d0e0f", "", "a3817f04ba25a8e66df67214c7550293"),
    // The tables of HighwayHash's reference implementation, and minio's Go package.
    ("highwayhash64", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "", "536ec222de567a90"),
    ("highwayhash128", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "", "c7fe8f9d8f26ed0f6f3e097f765e5633"),
    ("highwayhash256", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "", "f574c8c22a4844dd1f35c713730146d9ff1487b9ccbeaeb3f41d75453123da41"),
    ("highwayhash64", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", "fc8131a03cf7902c"),
    ("highwayhash128", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40", "363cd68b43ee06bbae09ee2909d6964d"),
    ("highwayhash256", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40", "99f310a417977141675fc1b37c4b7fa2f1af687c07b727748c3625653867d126"),
    // The known answers of BLAKE2's authors: a key as long as the digest, the empty message and one byte.
    ("blake2b;keyed", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f", "", "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"),
    ("blake2s;keyed", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "", "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49"),
];

#[test]
fn published_keyed_test_vectors_match() {
    for (name, key, message, expected) in PUBLISHED {
        assert_eq!(keyed(name, &hex(key)).digest(&hex(message)).to_hex(), *expected, "{name} of {message}");
    }
    // SP 800-185, sample 1 of cSHAKE.
    let cshake: Spec = "cshake128;custom=456d61696c205369676e6174757265".parse().expect("a customization");
    let expected = "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5";
    assert_eq!(cshake.digest(&[0, 1, 2, 3]).to_hex(), expected);
}

#[test]
fn keyed_blake2_matches_its_crates() {
    let data = bytes(5000, 13);
    for key_len in [1, 16, 31, 32] {
        let key = &data[..key_len];
        for digest_len in [1, 20, 32] {
            let b = keyed(&format!("blake2b-{}", digest_len * 8), key);
            let s = keyed(&format!("blake2s-{}", digest_len * 8), key);
            let messages: Vec<&[u8]> = (0..300).chain([4096, 4999]).map(|len| &data[..len]).collect();
            let (b, s) = (hash_many(&b, &messages), hash_many(&s, &messages));
            for ((message, b), s) in messages.iter().zip(b).zip(s) {
                let expected = blake2b_simd::Params::new().hash_length(digest_len).key(key).hash(message);
                assert_eq!(b.as_bytes(), expected.as_bytes(), "BLAKE2b of {} bytes", message.len());
                let expected = blake2s_simd::Params::new().hash_length(digest_len).key(key).hash(message);
                assert_eq!(s.as_bytes(), expected.as_bytes(), "BLAKE2s of {} bytes", message.len());
            }
        }
    }
}

#[test]
fn salted_blake2_matches_its_crates() {
    let data = bytes(5000, 23);
    let messages: Vec<&[u8]> = (0..200).chain([4096, 4999]).map(|len| &data[..len]).collect();
    for (salt, person) in [(1, 0), (0, 3), (8, 8), (5, 7)] {
        let (salt, person) = (&data[..salt], &data[100..100 + person]);
        for key in [&[][..], &data[200..216]] {
            let with = |name: &str| {
                let spec = if key.is_empty() { name.parse().expect("a name") } else { keyed(name, key) };
                spec.with_salt(salt).and_then(|spec| spec.with_person(person)).expect("short enough")
            };
            let (b, s) = (with("blake2b-160"), with("blake2s"));
            for (message, b) in messages.iter().zip(hash_many(&b, &messages)) {
                let mut params = blake2b_simd::Params::new();
                let expected = params.hash_length(20).key(key).salt(salt).personal(person).hash(message);
                assert_eq!(b.as_bytes(), expected.as_bytes(), "BLAKE2b of {} bytes", message.len());
            }
            for (message, s) in messages.iter().zip(hash_many(&s, &messages)) {
                let mut params = blake2s_simd::Params::new();
                let expected = params.key(key).salt(salt).personal(person).hash(message);
                assert_eq!(s.as_bytes(), expected.as_bytes(), "BLAKE2s of {} bytes", message.len());
            }
        }
    }
    let full = "blake2b".parse::<Spec>().and_then(|spec| spec.with_person(&data[..16])).expect("16 bytes");
    let expected = blake2b_simd::Params::new().personal(&data[..16]).hash(b"abc");
    assert_eq!(full.digest(b"abc").as_bytes(), expected.as_bytes());
}

#[test]
fn names_contain_salt_and_personalization() {
    let spec: Spec = "blake2b-256;salt=0102;person=617070".parse().expect("a name");
    assert_eq!(spec.to_string(), "blake2b-256;salt=0102;person=617070");
    assert_eq!(spec.tag().parse::<Spec>(), Ok(spec.clone()));
    assert!(spec.is_customized());
    // They are padded with zeros.
    assert_eq!("blake2b-256;salt=01020000;person=61707000".parse::<Spec>(), Ok(spec.clone()));
    assert_eq!("blake2s;salt=0000".parse::<Spec>(), "blake2s".parse());
    for refused in
        ["blake2s;salt=010203040506070809", "sha256;salt=01", "blake2b;person=x", "blake2bp;person=01"]
    {
        assert!(matches!(refused.parse::<Spec>(), Err(SpecError::Parameter(..))), "{refused}");
    }
    // The state does not contain them, so another salt could be used when it is restored.
    let mut hasher = spec.hasher();
    hasher.update(b"abc");
    assert_eq!(hasher.save(), None);
    let plain: Spec = "blake2b-256".parse().expect("a name");
    let saved = plain.hasher().save().expect("a state");
    assert!(plain.restore(&saved).is_ok() && spec.restore(&saved).is_err());
}

#[test]
fn seeds_and_secrets_match_the_reference() {
    let data = bytes(5000, 17);
    let secret = bytes(200, 19);
    for len in (0..600).chain([1024, 4096, 5000]) {
        let message = &data[..len];
        for seed in [1, 0xdead_beef, u64::MAX] {
            let found =
                |name: &str| format!("{name};seed={seed}").parse::<Spec>().expect("a seed").digest(message);
            let expected = twox_hash::XxHash64::oneshot(seed, message).to_be_bytes();
            assert_eq!(found("xxh64").as_bytes(), expected, "{len} bytes");
            let expected = twox_hash::XxHash3_64::oneshot_with_seed(seed, message).to_be_bytes();
            assert_eq!(found("xxh3").as_bytes(), expected, "{len} bytes");
            let expected = twox_hash::XxHash3_128::oneshot_with_seed(seed, message).to_be_bytes();
            assert_eq!(found("xxh128").as_bytes(), expected, "{len} bytes");
        }
        let expected = twox_hash::XxHash3_64::oneshot_with_secret(&secret, message).expect("long enough");
        assert_eq!(
            keyed("xxh3;keyed", &secret).digest(message).as_bytes(),
            expected.to_be_bytes(),
            "{len} bytes"
        );
        let expected = twox_hash::XxHash3_128::oneshot_with_secret(&secret, message).expect("long enough");
        assert_eq!(
            keyed("xxh128;keyed", &secret).digest(message).as_bytes(),
            expected.to_be_bytes(),
            "{len} bytes"
        );
    }
    // smhasher's verification value of MurmurHash3_x86_32: the hash of 256 hashes, under falling seeds, of growing messages.
    for (name, width, verification) in [
        ("murmur3-32", 4, 0xb0f5_7ee3_u32),
        ("murmur3-x86-128", 16, 0xb3ec_e62a),
        ("murmur3-128", 16, 0x6384_ba69),
    ] {
        let native = |digest: &Digest| -> Vec<u8> {
            let word = if name == "murmur3-128" { 8 } else { 4 };
            digest.as_bytes().chunks(word).flat_map(|word| word.iter().rev().copied()).collect()
        };
        let message: Vec<u8> = (0..=255).collect();
        let hashes: Vec<u8> = (0..256)
            .flat_map(|len| {
                let spec: Spec = format!("{name};seed={}", 256 - len).parse().expect("a seed");
                native(&spec.digest(&message[..len]))
            })
            .collect();
        assert_eq!(hashes.len(), 256 * width);
        let last = native(&name.parse::<Spec>().expect("its name").digest(&hashes));
        assert_eq!(u32::from_le_bytes([last[0], last[1], last[2], last[3]]), verification, "{name}");
    }
}

#[test]
fn names_show_that_a_key_is_used_but_never_the_key() {
    let key = b"an unmistakable key of 32 bytes!";
    for name in ["blake3", "blake2b-256", "hmac-sha256", "kmac128", "highwayhash64"] {
        let spec = keyed(name, key);
        for shown in [spec.to_string(), spec.tag(), format!("{spec:?}"), format!("{:?}", spec.hasher())] {
            assert!(!shown.contains("unmistakable") && !shown.contains("756e6d"), "{shown}");
        }
        for text in [spec.to_string(), spec.tag()] {
            let back: Spec = text.parse().expect("names lead back");
            assert!(back.lacks_key() && back.is_keyed(), "{text}");
            assert_eq!(back.with_key(Key::Secret(Secret::new(key.to_vec()))), Ok(spec.clone()));
        }
    }
    assert_eq!(keyed("blake2b-256", key).tag(), "BLAKE2b-256;KEYED");
    assert_eq!(keyed("hmac-sha256", key).tag(), "HMAC-SHA256");
    assert_eq!("xxh64;seed=0".parse::<Spec>().map(|spec| spec.to_string()), Ok("xxh64".to_owned()));
    assert_eq!(
        "CSHAKE128;CUSTOM=6D".parse::<Spec>().map(|spec| spec.tag()),
        Ok("CSHAKE128;CUSTOM=6d".to_owned())
    );
    for name in [
        "sha256;keyed",
        "md5;seed=1",
        "xxh32;seed=4294967296",
        "xxh64;seed=1;seed=1",
        "xxh64;seed=",
        "xxh64;seed=-1",
        "hmac-crc32",
        "hmac-shake128",
        "hmac-hmac-sha256",
        "hmac-blake3",
        // Digests longer than a block.
        "hmac-skein256-264",
        "hmac-ascon-hash256",
        "hmac-",
        "hmac-sha256-tree",
        "cshake128;custom=6",
        "xxh3;keyed;seed=1",
        "sha256;custom=61",
    ] {
        assert!(name.parse::<Spec>().is_err(), "{name}");
    }
}

#[test]
#[should_panic(expected = "no key")]
fn hashing_without_the_key_panics() {
    let _ = "hmac-sha256".parse::<Spec>().expect("a name").digest(b"");
}

#[test]
fn keyed_state_is_not_saved() {
    let hasher = keyed("hmac-sha256", b"k").hasher();
    assert!(hasher.save().is_none() && hasher.message_len().is_none());
}

/// Parameters for OpenSSL: its name of the algorithm, its options, and our name.
#[rustfmt::skip]
const OPENSSL: &[(&str, &[&str], &str, usize)] = &[
    ("KMAC-128", &["size:32"], "kmac128", 32),
    ("KMAC-256", &["size:64"], "kmac256", 32),
    ("KMAC-128", &["size:20", "custom:My App"], "kmac128-160;custom=4d7920417070", 32),
    ("KMAC-128", &["size:32", "xof:1"], "kmacxof128", 32),
    ("KMAC-256", &["size:64", "xof:1"], "kmacxof256", 32),
    ("SIPHASH", &["size:8"], "siphash-2-4", 16),
    ("SIPHASH", &["size:16"], "siphash-2-4-128", 16),
    ("SIPHASH", &["size:8", "c-rounds:4", "d-rounds:8"], "siphash-4-8", 16),
    ("SIPHASH", &["size:16", "c-rounds:4", "d-rounds:8"], "siphash-4-8-128", 16),
    ("SIPHASH", &["size:8", "c-rounds:1", "d-rounds:3"], "siphash-1-3", 16),
    ("SIPHASH", &["size:16", "c-rounds:1", "d-rounds:3"], "siphash-1-3-128", 16),
    ("BLAKE2BMAC", &[], "blake2b;keyed", 64),
    ("BLAKE2SMAC", &[], "blake2s;keyed", 32),
    ("HMAC", &["digest:SHA3-384"], "hmac-sha3-384", 200),
    ("HMAC", &["digest:SHA512-224"], "hmac-sha512-224", 7),
];

#[test]
fn openssl_computes_the_same_macs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = bytes(1100, 23);
    let lengths = [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 135, 136, 137, 167, 168, 169, 1100];
    for (theirs, parameters, ours, key_len) in OPENSSL {
        let key = bytes(*key_len, 29);
        let spec = keyed(ours, &key);
        for len in lengths {
            let file = folder.path().join("message");
            std::fs::write(&file, &data[..len]).expect("a file");
            let mut command = std::process::Command::new("openssl");
            command.args(["mac", "-macopt", &format!("hexkey:{}", data_encoding::HEXLOWER.encode(&key))]);
            parameters.iter().for_each(|parameter| {
                command.args(["-macopt", parameter]);
            });
            let ran = command.arg("-in").arg(&file).arg(theirs).output();
            let Some(ran) = ran.ok().filter(|ran| ran.status.success()) else {
                truesum_test_support::oracle::missing(&format!("{ours}: openssl mac {theirs}"));
                break;
            };
            let expected = String::from_utf8_lossy(&ran.stdout).trim().to_lowercase();
            assert_eq!(spec.digest(&data[..len]).to_hex(), expected, "{ours} of {len} bytes");
        }
    }
}

#[test]
fn wyhash_matches_another_implementation() {
    use wyhash_final4::{generics::WyHasher, wyhash64::WyHash64};
    const SECRET: [u64; 4] =
        [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];
    let data = bytes(1100, 31);
    for seed in [0, 1, u64::MAX] {
        let spec: Spec = format!("wyhash;seed={seed}").parse().expect("a seed");
        for len in 0..=1100 {
            let expected = WyHasher::<WyHash64>::new(seed, SECRET).hash(&data[..len]).to_be_bytes();
            let mut hasher = spec.hasher();
            data[..len].chunks(1 + len % 61).for_each(|slice| hasher.update(slice));
            assert_eq!(hasher.finish().as_bytes(), expected, "{len} bytes, seed {seed}");
        }
    }
}

#[test]
fn siphash_matches_another_implementation() {
    use siphasher::{sip, sip128};
    use std::hash::Hasher;
    let (data, key) = (bytes(300, 37), bytes(16, 41));
    let key_array: [u8; 16] = key[..].try_into().expect("sixteen bytes");
    for len in 0..=300 {
        let message = &data[..len];
        let mut short =
            (sip::SipHasher13::new_with_key(&key_array), sip::SipHasher24::new_with_key(&key_array));
        short.0.write(message);
        short.1.write(message);
        let long = (
            sip128::SipHasher13::new_with_key(&key_array).hash(message),
            sip128::SipHasher24::new_with_key(&key_array).hash(message),
        );
        for (name, expected) in [
            ("siphash-1-3", short.0.finish().to_le_bytes().to_vec()),
            ("siphash-2-4", short.1.finish().to_le_bytes().to_vec()),
            ("siphash-1-3-128", long.0.as_bytes().to_vec()),
            ("siphash-2-4-128", long.1.as_bytes().to_vec()),
        ] {
            let mut hasher = keyed(name, &key).hasher();
            message.chunks(1 + len % 29).for_each(|slice| hasher.update(slice));
            assert_eq!(hasher.finish().as_bytes(), expected, "{name} of {len} bytes");
        }
    }
}
