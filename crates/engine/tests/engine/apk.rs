//! Android packages, checked by the digests in their signing block.
//!
//! Those in `testdata/apk` were signed by apksigner 0.9 with P-256 (SHA-256) and RSA keys of 3073 bits (SHA-512),
//! schemes 2 and 3. The others are built here; their digests follow the definition and use nothing of the library but
//! its plain hashes.

use std::path::Path;
use truesum::hash::Spec;
use truesum::{Conclusion, Event, Options, Progress, ReadOptions, Unlisted, Verdict, Verification, verify};

const MIB: usize = 1 << 20;

/// The result of one check: of the whole, of the package, and the reason for a refusal.
#[derive(Debug, PartialEq)]
struct CheckResult {
    conclusion: Conclusion,
    verdict: Option<Verdict>,
    refused: Option<String>,
    doubts: Vec<String>,
}

fn check_as(path: &Path, options: &Options) -> CheckResult {
    let progress = Progress::default();
    let mut verification = Verification::new(options, &progress);
    let (mut verdict, mut refused, mut doubts) = (None, None, Vec::new());
    let reported = verification.manifests(&[path], &mut |event| {
        match event {
            Event::Entry(_, outcome) => verdict = Some(outcome.verdict()),
            Event::Failed(error) => refused = Some(error.to_string()),
            Event::Doubtful(error) => doubts.push(error.to_string()),
            Event::Checked(_, checked) => {
                assert_eq!(checked.unverified_signature().is_some(), verdict.is_some());
                refused = refused.take().or(checked.failed().as_ref().map(ToString::to_string));
            }
            _ => {}
        }
        Ok(())
    });
    reported.unwrap();
    CheckResult { conclusion: verification.report().verdict(), verdict, refused, doubts }
}

fn check(bytes: &[u8]) -> CheckResult {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.apk");
    std::fs::write(&path, bytes).unwrap();
    check_as(&path, &Options::default())
}

#[track_caller]
fn verified(bytes: &[u8]) {
    let result = check(bytes);
    assert_eq!(
        (result.conclusion, result.verdict),
        (Conclusion::Verified, Some(Verdict::Verified)),
        "{result:?}"
    );
    assert_eq!((result.refused, result.doubts), (None, vec![]));
}

#[track_caller]
fn differs(bytes: &[u8]) {
    let result = check(bytes);
    assert_eq!(
        (result.conclusion, result.verdict),
        (Conclusion::Failed, Some(Verdict::Mismatch)),
        "{result:?}"
    );
}

#[track_caller]
fn refused(bytes: &[u8], why: &str) {
    let result = check(bytes);
    assert_eq!((result.conclusion, result.verdict), (Conclusion::NothingVerified, None), "{result:?}");
    assert!(result.refused.as_ref().is_some_and(|message| message.contains(why)), "{why}: {result:?}");
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new("../../testdata/apk").join(name)).unwrap()
}

fn le32(number: usize) -> [u8; 4] {
    (number as u32).to_le_bytes()
}

fn field(bytes: &[u8]) -> Vec<u8> {
    [&le32(bytes.len()), bytes].concat()
}

/// Follows the definition literally.
fn digest(algorithm: &str, sections: [&[u8]; 3]) -> Vec<u8> {
    let hash = |bytes: &[u8]| algorithm.parse::<Spec>().unwrap().digest(bytes).as_bytes().to_vec();
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    for section in sections {
        let mut at = 0;
        while at < section.len() {
            let piece = &section[at..std::cmp::min(at + 1048576, section.len())];
            let mut text = vec![0xa5, piece.len() as u8, (piece.len() >> 8) as u8];
            text.extend([(piece.len() >> 16) as u8, (piece.len() >> 24) as u8]);
            text.extend(piece);
            pieces.push(hash(&text));
            at += piece.len();
        }
    }
    let mut text = vec![0x5a];
    text.extend(le32(pieces.len()));
    pieces.iter().for_each(|piece| text.extend(piece));
    hash(&text)
}

/// A package under construction.
#[derive(Clone)]
struct Package {
    entries: Vec<u8>,
    directory: Vec<u8>,
    comment: Vec<u8>,
    /// Scheme, signature algorithm and digest of each signer, those of one scheme next to each other; `None` stands for
    /// the correct digest.
    signers: Vec<(u32, usize, Option<Vec<u8>>)>,
}

const V2: u32 = 0x7109_871a;
const V3: u32 = 0xf053_68c0;

impl Package {
    fn of(entries: usize, directory: usize) -> Package {
        let fill = |mark: &[u8], len: usize| -> Vec<u8> {
            mark.iter().copied().chain((mark.len()..len).map(|at| (at * 7 + at / 251) as u8 | 0x80)).collect()
        };
        let signers = vec![(V2, 0x0103, None), (V3, 0x0104, None)];
        let (entries, directory) = (fill(b"PK\x03\x04", entries), fill(b"PK\x01\x02", directory));
        Package { entries, directory, comment: Vec::new(), signers }
    }

    fn end(&self, directory: usize) -> Vec<u8> {
        let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
        end.extend(le32(self.directory.len()));
        end.extend(le32(directory));
        end.extend((self.comment.len() as u16).to_le_bytes());
        end.extend(&self.comment);
        end
    }

    fn pairs(&self) -> Vec<u8> {
        let end = self.end(self.entries.len());
        let sections = [&self.entries[..], &self.directory, &end];
        let mut pairs = Vec::new();
        let mut pair = |id: u32, value: &[u8]| {
            pairs.extend((value.len() as u64 + 4).to_le_bytes());
            pairs.extend(id.to_le_bytes());
            pairs.extend(value);
        };
        pair(0x5041_4420, b"something else");
        for signers in self.signers.chunk_by(|one, next| one.0 == next.0) {
            let mut value = Vec::new();
            for (_, algorithm, given) in signers {
                let hash = if algorithm & 0xf == 2 || algorithm & 0xf == 4 { "sha512" } else { "sha256" };
                let digest = given.clone().unwrap_or_else(|| digest(hash, sections));
                let record = field(&[&le32(*algorithm)[..], &field(&digest)].concat());
                let signed = field(&[field(&record), field(b"certificates"), field(b"")].concat());
                value.extend(field(&[signed, field(b"signatures"), field(b"key")].concat()));
            }
            pair(signers[0].0, &field(&value));
        }
        pair(0x4272_6577, &[0; 100]);
        pairs
    }

    fn block(&self) -> Vec<u8> {
        let pairs = self.pairs();
        let len = (pairs.len() as u64 + 24).to_le_bytes();
        [&len[..], &pairs, &len, b"APK Sig Block 42"].concat()
    }

    fn bytes(&self) -> Vec<u8> {
        let block = self.block();
        let end = self.end(self.entries.len() + block.len());
        [&self.entries[..], &block, &self.directory, &end].concat()
    }
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x10;
    bytes
}

#[test]
fn packages_signed_by_apksigner_are_verified() {
    for (name, by) in [("sha256.apk", "sha256"), ("sha512.apk", "sha512")] {
        let mut names = Vec::new();
        let path = Path::new("../../testdata/apk").join(name);
        let report = verify(&path, &Options::default(), |entry| {
            let pieces = entry.result.as_ref().unwrap().pieces().unwrap();
            names = pieces.compared().iter().map(|one| one.name().to_owned()).collect();
        });
        assert_eq!(report.unwrap().verdict(), Conclusion::Verified);
        assert_eq!(names, [format!("apk-v2-{by}"), format!("apk-v3-{by}")]);
    }
}

#[test]
fn every_modified_signed_byte_is_detected() {
    let good = fixture("sha256.apk");
    let end = good.len() - 22;
    let directory = u32::from_le_bytes(good[end + 16..end + 20].try_into().unwrap()) as usize;
    let len = u64::from_le_bytes(good[directory - 24..directory - 16].try_into().unwrap()) as usize;
    let block = directory - len - 8;
    assert_eq!(block, 4096);
    for at in (4..block).step_by(61).chain([block - 1]).chain(directory..end) {
        differs(&flipped(&good, at));
    }
    for at in end..good.len() {
        let result = check(&flipped(&good, at));
        assert!(
            result.conclusion != Conclusion::Verified && result.verdict != Some(Verdict::Verified),
            "{at}"
        );
    }
    // The block also contains signatures and padding, which no digest covers.
    for at in (block..directory).step_by(7) {
        let result = check(&flipped(&good, at));
        let says = (result.verdict.is_some(), result.refused.is_some());
        assert!(says == (true, false) || says == (false, true), "{at}: {result:?}");
    }
}

#[test]
fn sections_are_chunked_independently() {
    for (entries, directory) in [
        (4, 0),
        (4, 4),
        (MIB - 1, 50),
        (MIB, 50),
        (MIB + 1, 50),
        (2 * MIB, MIB),
        (3 * MIB + 5, MIB - 1),
        (50, MIB + 1),
    ] {
        let mut package = Package::of(entries, directory);
        verified(&package.bytes());
        package.comment = b"a comment".to_vec();
        let good = package.bytes();
        verified(&good);
        let begin = good.len() - 31 - directory;
        let of_entries = [MIB - 1, MIB, entries - 1].into_iter().filter(|at| (4..entries).contains(at));
        let of_directory = [0, MIB - 1, MIB].into_iter().filter(|at| *at < directory).map(|at| begin + at);
        for at in of_entries.chain(of_directory).chain([good.len() - 1]) {
            differs(&flipped(&good, at));
        }
    }
}

#[test]
fn truncated_package_is_rejected() {
    let good = Package::of(40, 60).bytes();
    verified(&good);
    for len in 4..good.len() {
        refused(&good[..len], "truncated or damaged");
    }
    verified(&good);
    refused(&[&good[..], b"more"].concat(), "truncated or damaged");
    refused(&[&b"PK\x03\x04"[..], &good].concat(), "does not end at the end record");
}

#[test]
fn ambiguous_end_record_is_rejected() {
    let mut package = Package::of(40, 60);
    package.comment = package.end(40);
    refused(&package.bytes(), "more than one ZIP end record");
    // The length of the archive comment does not match the length field.
    package.comment.extend(b"xyz");
    refused(&package.bytes(), "more than one ZIP end record");
    let mut entries = Package::of(40, 60);
    entries.entries.extend(Package::of(40, 60).bytes());
    verified(&entries.bytes());
}

#[test]
fn zip64_archives_are_rejected() {
    let mut package = Package::of(40, 40);
    package.directory.extend(b"PK\x06\x07");
    package.directory.extend([0; 16]);
    refused(&package.bytes(), "ZIP64");
    let mut bytes = Package::of(40, 60).bytes();
    let at = bytes.len() - 6;
    bytes[at..at + 4].fill(0xff);
    refused(&bytes, "ZIP64");
}

#[test]
fn archive_without_signing_block_is_rejected_if_named_apk() {
    let mut package = Package::of(40, 60);
    let bare = [&package.entries[..], &package.directory, &package.end(40)].concat();
    refused(&bare, "no signing block");
    package.entries.truncate(4);
    refused(&[&package.entries[..], &package.directory, &package.end(4)].concat(), "no signing block");
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.zip", &bare), ("a.apk", &fixture("sha256.apk")), ("B.APK", &bare)] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let result = |name: &str| check_as(&folder.path().join(name), &Options::default());
    assert!(result("a.zip").refused.unwrap().contains("zip"));
    assert!(result("B.APK").refused.unwrap().contains("no signing block"));
    // The file name does not matter if there is a signing block.
    std::fs::rename(folder.path().join("a.apk"), folder.path().join("module")).unwrap();
    assert_eq!(result("module").conclusion, Conclusion::Verified);
}

#[test]
fn duplicate_or_invalid_signers_are_rejected() {
    let with = |signers: &[(u32, usize, Option<Vec<u8>>)]| {
        Package { signers: signers.to_vec(), ..Package::of(40, 60) }.bytes()
    };
    let other = Some(vec![7; 32]);
    refused(&with(&[]), "no version 2 or 3 signature");
    refused(&with(&[(V2, 0x0421, Some(vec![7; 40]))]), "no supported digest");
    refused(&with(&[(V2, 0x0101, Some(vec![7; 31]))]), "wrong length");
    refused(&with(&[(V2, 0x0102, other.clone())]), "wrong length");
    refused(&with(&[(V2, 0x0101, None), (V2, 0x0201, other.clone())]), "differ");
    refused(&with(&[(V2, 0x0101, None), (V3, 0x0101, None), (V2, 0x0101, None)]), "two signatures");
    verified(&with(&[(V2, 0x0101, None), (V2, 0x0301, None), (V2, 0x0202, None)]));
    verified(&with(&[(0x1b93_ad61, 0x0102, None)]));
    // One correct digest does not make up for a wrong one.
    differs(&with(&[(V2, 0x0101, None), (V3, 0x0101, other.clone())]));
    differs(&with(&[(V2, 0x0101, other), (V3, 0x0102, None)]));
    let result = check(&with(&[(V2, 0x0101, None), (V3, 0x0421, Some(vec![7; 40]))]));
    assert_eq!(result.conclusion, Conclusion::Verified);
    assert!(result.doubts[0].ends_with("not compared: 0x0421"), "{result:?}");
}

#[test]
fn wrong_lengths_in_the_signing_block_are_rejected() {
    let package = Package::of(40, 60);
    let good = package.bytes();
    let block = package.block();
    for at in [40, 40 + block.len() - 24] {
        for value in [0, 23, 24, u64::MAX, u64::MAX - 7, 16 << 20, block.len() as u64] {
            let mut bytes = good.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let result = check(&bytes);
            assert!(result.verdict.is_none() && result.refused.is_some(), "{result:?}");
        }
    }
    // Every length field within: four bytes, and eight for pairs.
    for at in 48..40 + block.len() - 24 {
        for value in [0, u32::MAX, 1] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&le32(value as usize));
            let result = check(&bytes);
            assert!(result.verdict.is_some() != result.refused.is_some(), "{at}: {result:?}");
        }
    }
}

#[test]
fn options_that_need_a_manifest_are_rejected_for_packages() {
    let path = Path::new("../../testdata/apk/sha256.apk");
    for options in [
        Options::default().unlisted(Unlisted::Refused),
        ReadOptions::default().root(Some("/".into())).into(),
        ReadOptions::default().algorithms(vec!["sha256".parse().unwrap()]).into(),
    ] {
        let result = check_as(path, &options);
        assert!(result.refused.unwrap().contains("checked as a unit"));
        assert_eq!(result.conclusion, Conclusion::NothingVerified);
    }
    let required = Options::default().required(vec![path.into()]);
    assert_eq!(check_as(path, &required).conclusion, Conclusion::Verified);
    let required = Options::default().required(vec!["b".into()]);
    assert_eq!(check_as(path, &required).conclusion, Conclusion::Failed);
}
