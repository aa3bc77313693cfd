//! ISO 9660 images, checked by the digest that isomd5sum implants in them.
//!
//! The images are built here. The texts were implanted in the same images by implantisomd5 1.2.3.

use std::ops::Range;
use std::path::Path;
use truesum::{Conclusion, Event, Options, Outcome, Progress, ReadOptions, Verdict, Verification};

const SECTOR: usize = 2048;
const DESCRIPTOR: usize = 16 * SECTOR;
const TEXT: usize = DESCRIPTOR + 883;

const OF_1000_SECTORS: &str = "ISO MD5SUM = 4845cdb699ee2171bbd81baa0f04d64e;SKIPSECTORS = 15;RHLISOSTATUS=0;FRAGMENT SUMS = \
    cacab41daf7dc3f94ab17687fc8a2cc94db8df55a7bbc2a7ed86c93a5c62;FRAGMENT COUNT = 20;THIS IS NOT THE SAME AS RUNNING \
    MD5SUM ON THIS ISO!!";
/// An image that is too small for twenty fragments.
const OF_200_SECTORS: &str = "ISO MD5SUM = e96a24fc112de5f1da9e740fc71ded4c;SKIPSECTORS = 15;RHLISOSTATUS=0;FRAGMENT SUMS = \
    5d2ab18e21b1e5753349899aa5b7e8e62;FRAGMENT COUNT = 20;THIS IS NOT THE SAME AS RUNNING MD5SUM ON THIS ISO!!";

/// Returns an image of arbitrary bytes with a primary volume descriptor, a terminator, and this text.
fn image(sectors: u32, text: &str) -> Vec<u8> {
    let len = sectors * SECTOR as u32;
    let mut image: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (number, kind) in [(16, 1), (17, 255)] {
        let sector = &mut image[number * SECTOR..(number + 1) * SECTOR];
        sector.fill(0);
        sector[..7].copy_from_slice(&[&[kind][..], b"CD001\x01"].concat());
    }
    image[DESCRIPTOR + 80..][..4].copy_from_slice(&sectors.to_le_bytes());
    image[DESCRIPTOR + 84..][..4].copy_from_slice(&sectors.to_be_bytes());
    image[TEXT..][..512].fill(b' ');
    image[TEXT..][..text.len()].copy_from_slice(text.as_bytes());
    image
}

/// The result of one check.
#[derive(Debug, PartialEq)]
struct CheckResult {
    conclusion: Conclusion,
    verdict: Option<Verdict>,
    damaged: Vec<Range<u64>>,
    refused: Option<String>,
    is_weak: bool,
}

fn check(image: &[u8], options: &Options) -> CheckResult {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.iso");
    std::fs::write(&path, image).unwrap();
    check_at(&path, options)
}

fn check_at(path: &Path, options: &Options) -> CheckResult {
    let progress = Progress::default();
    let mut verification = Verification::new(options, &progress);
    let (mut verdict, mut damaged, mut refused, mut is_weak) = (None, Vec::new(), None, false);
    let mut entry = |outcome: &Outcome| {
        verdict = Some(outcome.verdict());
        let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces());
        let ranges = pieces.into_iter().flat_map(|pieces| pieces.damaged());
        damaged = ranges.map(|damage| damage.range().clone()).collect();
    };
    let ran = verification.manifests(&[path], &mut |event| {
        match event {
            Event::Entry(_, outcome) => entry(outcome),
            Event::Failed(error) => refused = Some(error.to_string()),
            Event::Checked(_, checked) => {
                is_weak = checked.not_tamper_evident().contains_key("md5");
                refused = refused.take().or(checked.failed().as_ref().map(ToString::to_string));
            }
            _ => {}
        }
        Ok(())
    });
    ran.unwrap();
    CheckResult { conclusion: verification.report().verdict(), verdict, damaged, refused, is_weak }
}

#[track_caller]
fn is_verified(image: &[u8]) {
    let result = check(image, &Options::default());
    assert_eq!(
        (result.conclusion, result.verdict),
        (Conclusion::Verified, Some(Verdict::Verified)),
        "{result:?}"
    );
    assert!(result.is_weak && result.damaged.is_empty() && result.refused.is_none(), "{result:?}");
}

#[track_caller]
fn is_damaged(image: &[u8], range: Option<Range<u64>>) {
    let result = check(image, &Options::default());
    assert_eq!(
        (result.conclusion, result.verdict),
        (Conclusion::Failed, Some(Verdict::Mismatch)),
        "{result:?}"
    );
    assert_eq!(result.damaged, range.into_iter().collect::<Vec<_>>());
}

#[track_caller]
fn is_refused(image: &[u8], why: &str) {
    let result = check(image, &Options::default());
    assert_eq!((result.conclusion, result.verdict), (Conclusion::NothingVerified, None), "{result:?}");
    assert!(result.refused.as_ref().is_some_and(|reason| reason.contains(why)), "{why}: {result:?}");
}

#[test]
fn images_of_isomd5sum_are_verified() {
    is_verified(&image(1000, OF_1000_SECTORS));
    is_verified(&image(200, OF_200_SECTORS));
    // Neither the bytes after the volume nor the skipped sectors are part of the digest.
    let mut padded = image(1000, OF_1000_SECTORS);
    padded.extend([0; 100_000]);
    padded[986 * SECTOR] ^= 1;
    is_verified(&padded);
    // Images from before fragments were introduced.
    let (text, _) = OF_1000_SECTORS.split_once("RHL").unwrap();
    is_verified(&image(1000, text));
}

#[test]
fn first_damaged_fragment_is_located() {
    let whole = image(1000, OF_1000_SECTORS);
    let end = 985 * SECTOR as u64;
    // Fragments end with the piece of 32 KiB in which the next one, of 96060 bytes, begins.
    for (at, range) in [
        (0, 0..131_072),
        (131_071, 0..131_072),
        (131_072, 131_072..229_376),
        (229_375, 131_072..229_376),
        (229_376, 229_376..327_680),
        (1_966_079, 1_867_776..1_966_080),
        (1_966_080, 1_966_080..end),
        (end as usize - 1, 1_966_080..end),
    ] {
        let mut image = whole.clone();
        image[at] ^= 0x10;
        is_damaged(&image, Some(range));
    }
    let mut image = whole.clone();
    image[150_000] ^= 1;
    image[1_500_000] ^= 1;
    is_damaged(&image, Some(131_072..229_376));
    // Without sums, damage is not located.
    let (text, _) = OF_1000_SECTORS.split_once("RHL").unwrap();
    let mut image = self::image(1000, text);
    image[150_000] ^= 1;
    is_damaged(&image, None);
}

#[test]
fn image_with_the_name_of_a_manifest_is_not_verified() {
    // regression: an image named SHA256SUMS was OK, although no list was checked.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("SHA256SUMS");
    std::fs::write(&path, image(1000, OF_1000_SECTORS)).unwrap();
    let result = check_at(&path, &Options::default());
    assert!(result.verdict.is_none() && result.conclusion != Conclusion::Verified, "{result:?}");
}

#[test]
fn truncated_image_fails() {
    let mut image = image(1000, OF_1000_SECTORS);
    // The skipped sectors are not hashed, but they must be there.
    image.truncate(999 * SECTOR);
    is_damaged(&image, None);
    image.truncate(500 * SECTOR);
    assert_eq!(check(&image, &Options::default()).verdict, Some(Verdict::Mismatch));
}

#[test]
fn changed_digest_fails_and_changed_sums_do_not() {
    is_damaged(
        &image(1000, &OF_1000_SECTORS.replace("= 4845", "= 4846")),
        Some(1_966_080..985 * SECTOR as u64),
    );
    is_verified(&image(1000, &OF_1000_SECTORS.replace("cacab", "00000")));
}

#[test]
fn image_that_cannot_be_verified_is_refused() {
    is_refused(&image(1000, "MKISOFS"), "without an implanted MD5 digest");
    is_refused(&image(1000, &OF_1000_SECTORS.replace("= 4845", "= ")), "not an MD5 digest");
    is_refused(&image(1000, &OF_1000_SECTORS.replace("= 15", "= 1000")), "skips more sectors");
    let whole = image(1000, OF_1000_SECTORS);
    let read = ReadOptions::default().algorithms(vec!["sha256".parse().unwrap()]);
    let result = check(&whole, &read.into());
    assert!(result.refused.is_some_and(|why| why.contains("checked as a unit")));
    // Without a descriptor it is no image.
    let mut other = whole;
    other[DESCRIPTOR + 1] = b'X';
    assert!(check(&other, &Options::default()).refused.is_none_or(|why| !why.contains("ISO 9660")));
}

#[test]
fn primary_descriptor_may_follow_another_one() {
    // A boot record before the primary descriptor, which moves by a sector; the digest changes with it.
    let mut image = image(1000, OF_1000_SECTORS);
    let primary = image[DESCRIPTOR..DESCRIPTOR + SECTOR].to_vec();
    image[DESCRIPTOR + SECTOR..DESCRIPTOR + 2 * SECTOR].copy_from_slice(&primary);
    image[DESCRIPTOR] = 0;
    let result = check(&image, &Options::default());
    assert_eq!((result.verdict, result.refused), (Some(Verdict::Mismatch), None));
}

#[test]
fn implantisomd5_writes_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.iso");
    for (sectors, text) in [(1000, OF_1000_SECTORS), (200, OF_200_SECTORS)] {
        std::fs::write(&path, image(sectors, "")).unwrap();
        let ran = std::process::Command::new("implantisomd5").arg(&path).output();
        if !ran.is_ok_and(|ran| ran.status.success()) {
            truesum_test_support::oracle::missing("implantisomd5 (Debian package isomd5sum)");
            return;
        }
        assert_eq!(std::fs::read(&path).unwrap(), image(sectors, text));
    }
}
