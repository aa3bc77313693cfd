//! Blocks that the device cannot read: they are damaged, and restored from parity.

use super::case::{Case, noise, reading, spec};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use truesum::hash::Spec;
use truesum::tree::build::{Saving, save};
use truesum::tree::locate::{Comparison, Diagnosis, Difference};
use truesum::tree::parity::Parity;
use truesum::tree::repair::{Mode, repair_from_parity};
use truesum::{Error, Job, Progress, Remote, Task, Version};
use truesum_fs::Errno;

const BLOCK: u64 = 64 << 10;
const SIZE: u64 = 100 * BLOCK + 77;

/// A file on a device with bad blocks.
#[derive(Clone, Debug)]
struct Device {
    bytes: Arc<[u8]>,
    bad: Vec<Range<u64>>,
    /// The number of reads of bad blocks that fail.
    fails: Arc<AtomicU64>,
}

impl Device {
    fn new(bytes: &[u8], bad: &[Range<u64>], fails: u64) -> Device {
        Device { bytes: bytes.into(), bad: bad.to_vec(), fails: Arc::new(AtomicU64::new(fails)) }
    }

    fn verify(&self, case: &Case, threads: usize) -> Result<Difference, Error> {
        let progress = Progress::default();
        let reading = reading(threads, &progress).remote(Some(self));
        Comparison::default().verify(case.path(), &case.store(), &reading)
    }
}

impl Version for Device {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn tag(&self) -> &str {
        "v1"
    }
    fn number(&self) -> u64 {
        1
    }
    fn modified(&self) -> i64 {
        7
    }
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let end = offset + buffer.len() as u64;
        let is_bad = self.bad.iter().any(|bad| bad.start < end && offset < bad.end);
        let fails = |left: u64| left.checked_sub(1);
        if is_bad && self.fails.fetch_update(Relaxed, Relaxed, fails).is_ok() {
            return Err(Error::io(b"", "read", Errno::IO));
        }
        buffer.copy_from_slice(&self.bytes[offset as usize..end as usize]);
        Ok(())
    }
}

impl Remote for Device {
    fn name(&self) -> String {
        "device://".to_owned()
    }
    fn connections(&self) -> usize {
        1
    }
    fn list(&self, _: &Arc<[Spec]>, _: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        unreachable!("only one file is read")
    }
    fn open(&self, _: &Job, _: &Progress) -> Result<Box<dyn Version>, Error> {
        unreachable!("only read at offsets")
    }
    fn version(&self, _: &[u8], _: &Progress) -> Result<Box<dyn Version>, Error> {
        Ok(Box::new(self.clone()))
    }
}

fn protected(name: &str, granule: u64, bytes: &[u8]) -> Case {
    let case = Case::new(bytes);
    let saving = Saving::new(&case.tree).granule(granule).parity(Some(20)).parity_group(10 * granule);
    save(case.path(), &spec(name), &saving, &reading(2, &Progress::default())).expect("saved");
    case
}

#[test]
fn unreadable_blocks_are_damaged_and_restored_from_parity() {
    // regression: an unreadable block ended the verification and the repair.
    let bytes = noise(9, SIZE);
    let last = 100 * BLOCK..SIZE;
    let bad = [3 * BLOCK + 5..3 * BLOCK + 6, 40 * BLOCK - 1..40 * BLOCK + 1, last.start + 9..SIZE];
    let damaged = [3 * BLOCK..4 * BLOCK, 39 * BLOCK..41 * BLOCK, last];
    let kinds = ["sha256-tree", "blake3", "md5-tree;leaf=4KiB"];
    for (name, threads) in kinds.into_iter().flat_map(|name| [1, 4].map(|threads| (name, threads))) {
        let case = protected(name, BLOCK, &bytes);
        let device = Device::new(&bytes, &bad, u64::MAX);
        let found = device.verify(&case, threads).expect("compared");
        assert_eq!(found.diagnosis(), Diagnosis::FileDamaged, "{name} on {threads} threads");
        assert_eq!((found.damaged(), found.unreadable()), (&damaged[..], &damaged[..]), "{name}");
        // A damaged block that can be read is not reported as unreadable, and one that can be read later is not
        // damaged.
        let mut changed = bytes.clone();
        changed[70 * BLOCK as usize] ^= 1;
        let found = Device::new(&changed, &bad[..1], u64::MAX).verify(&case, threads).expect("compared");
        assert_eq!(found.damaged(), [3 * BLOCK..4 * BLOCK, 70 * BLOCK..71 * BLOCK], "{name}");
        assert_eq!(found.unreadable(), [3 * BLOCK..4 * BLOCK], "{name}");
        let found = Device::new(&bytes, &bad, 1).verify(&case, threads).expect("compared");
        assert_eq!(found.diagnosis(), Diagnosis::Good, "{name}");
        let parity = Parity::open(&case.store()).expect("usable");
        assert_eq!(parity.missing(&damaged, &Progress::default()).expect("examined"), 0, "{name}");
    }
}

#[test]
fn unreadable_file_of_one_block_or_without_any_readable_block_is_damaged() {
    for (name, size) in [("blake3", 77), ("sha256-tree", 77), ("blake3", 20 * BLOCK)] {
        let bytes = noise(size, size);
        let case = protected(name, BLOCK, &bytes);
        let found = Device::new(&bytes, &[0..size], u64::MAX).verify(&case, 2).expect("compared");
        assert_eq!(found.diagnosis(), Diagnosis::FileDamaged, "{name} of {size} bytes");
        assert_eq!(found.unreadable(), [0..size], "{name} of {size} bytes");
    }
}

#[test]
fn file_that_changed_after_its_verification_is_not_repaired() {
    // regression: the bytes restored from parity were wrong, which was reported as damage to the parity file.
    let bytes = noise(9, SIZE);
    let case = protected("sha256-tree", BLOCK, &bytes);
    let parity = Parity::open(&case.store()).expect("usable");
    // The device has another version of the file than the folder.
    let (device, progress) = (Device::new(&bytes, &[0..1], u64::MAX), Progress::default());
    let reading = reading(2, &progress).remote(Some(&device));
    case.flip(5 * BLOCK);
    let changed = std::fs::read(case.path()).expect("there");
    let refused = repair_from_parity(case.path(), &case.store(), None, &parity, Mode::Write, &reading);
    let refused = refused.expect_err("it changed");
    assert_eq!((refused.kind(), refused.path()), (truesum::Kind::Changed, case.path()));
    assert!(refused.to_string().contains("changed"), "{refused}");
    assert!(std::fs::read(case.path()).expect("there") == changed);
}
