use super::*;

fn names(text: &str) -> Vec<String> {
    let found = identify(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    found.iter().map(|found| format!("{} {}", found.spec, found.encoding.name())).collect()
}

#[test]
fn every_algorithm_is_identified_in_every_spelling() {
    for row in ALGORITHMS {
        let digest = Digest::from_hex(row.check().as_bytes()).unwrap();
        let upper = digest.to_hex_upper();
        let pairs: Vec<&str> =
            row.check().as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap()).collect();
        let mut texts = vec![row.check().to_owned(), upper, format!("{}:{}", row.tag(), row.check())];
        if digest.parts().is_none() {
            texts.extend([pairs.join(":"), pairs.join(" ")]);
            if digest.len() >= 16 {
                texts.push(digest.to_base64());
                texts.push(digest.to_base64().replace('+', "-").replace('/', "_").replace('=', ""));
                texts.push(format!("{}-{}", row.name(), digest.to_base64()));
                texts.push(data_encoding::BASE32.encode(digest.as_bytes()));
            }
        }
        for text in texts {
            let found = identify(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let this = |found: &Candidate| found.spec == Spec::new(row) && found.digest == digest;
            let named =
                text.starts_with(&format!("{}:", row.tag())) || text.starts_with(&format!("{}-", row.name()));
            assert_eq!(found.iter().any(this), named || is_tried(row), "{} in {text}: {found:?}", row.name());
        }
    }
}

#[test]
fn most_likely_algorithm_is_first() {
    for (text, first) in [
        ("d41d8cd98f00b204e9800998ecf8427e", "md5 hex"),
        ("DA39A3EE 5E6B4B0D 3255BFEF 95601890 AFD80709", "sha1 hex"),
        ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256 base64"),
        ("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "sha256 base64url"),
        ("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=?x", "sha256 base64"),
        ("sha256:1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s", "sha256 nix32"),
        ("1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s", "sha256 nix32"),
        ("1220e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha256 multihash"),
        ("4294967295", "crc decimal"),
        ("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH", "cid-v0 cid"),
        ("bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", "cid-v1 cid"),
        ("swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "git-blob hex"),
        ("BLAKE2b-256:0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8", "blake2b-256 hex"),
        ("9dd4e461268c8034f5c8564e155c67a6-3", "s3-etag hex"),
        ("\"9dd4e461268c8034f5c8564e155c67a6-3\"", "s3-etag hex"),
        ("W/\"9dd4e461268c8034f5c8564e155c67a6\"", "md5 hex"),
        ("fe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha256 multibase"),
        ("u47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "sha256 multibase"),
        ("zQmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n", "sha256 multihash"),
        ("GKot5hBsd81kMupNCXHaqbhv3huEbxAFMLnpcX2hniwn", "sha256 base58"),
        ("1B2M2Y8AsgTpgAmY7PhCfg==-3", "s3-etag base64"),
        ("urn:sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1 base32"),
        ("ni:///sha-256;47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "sha256 base64url"),
        ("swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391;origin=https://a;path=/b", "git-blob hex"),
    ] {
        assert_eq!(names(text)[0], first, "{text}");
    }
    let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let common = ["sha256", "blake3", "sha3-256", "blake2b-256", "sha512-256", "blake2s"];
    assert_eq!(names(sha256)[..6], common.map(|name| format!("{name} hex")));
    assert!(names("00000000").contains(&"crc32 hex".to_owned()));
}

#[test]
fn invalid_digests_are_rejected_with_the_reason() {
    for (text, why) in [
        ("$6$salt$abc", Unidentified::Password),
        ("", Unidentified::Spelling),
        ("hello world", Unidentified::Spelling),
        ("d41d8cd98f00b204e9800998ecf8427e00", Unidentified::Length(17)),
        ("sha256:d41d8cd98f00b204e9800998ecf8427e", Unidentified::Named),
    ] {
        assert_eq!(identify(text), Err(why), "{text}");
    }
}

#[test]
fn part_sizes_give_the_part_count() {
    const MIB: u64 = 1 << 20;
    assert_eq!(
        part_sizes(20 * MIB, 2),
        [
            16 * MIB,
            10 * MIB,
            15 * MIB,
            16_000_000,
            15_000_000,
            11 * MIB,
            12 * MIB,
            13 * MIB,
            14 * MIB,
            17 * MIB,
            18 * MIB,
            19 * MIB
        ]
    );
    assert_eq!(part_sizes(3, 1), [8 * MIB]);
    assert_eq!(part_sizes(0, 1), [8 * MIB]);
    assert!(part_sizes(3, 2).is_empty());
    assert!(part_sizes(u64::MAX, 1).is_empty());
    for part in part_sizes(1_000_000_000_000, 10_000) {
        assert_eq!(1_000_000_000_000u64.div_ceil(part), 10_000);
    }
}
