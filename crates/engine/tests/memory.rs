//! Peak memory of hashing huge files. A separate program, because the memory of other tests would be counted too.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::tree::build::{Saving, save};
use truesum::tree::reading::Reading;
use truesum::{Config, Job, Mapping, Notice, Outcome, Progress, Sink, Task, run};

const MIB: u64 = 1 << 20;

struct CompleteRead(u64);

impl Sink for CompleteRead {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        assert_eq!(outcome.result.expect("read whole").size(), self.0);
        Ok(())
    }
    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        panic!("{notice:?}")
    }
}

/// Returns the peak resident memory of the process, including mapped pages of files.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a process has a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = line.trim().strip_suffix(" kB").and_then(|kib| kib.parse().ok()).expect("a number");
    kib << 10
}

/// Reads as the program does: mapped windows count too.
fn hash(path: &Path, names: &str, size: u64, threads: usize) {
    let specs: Arc<[Spec]> = names.split(',').map(|name| name.parse().expect("a name")).collect();
    let mut tasks = std::iter::once(Task::File(Job::hash(path, &specs)));
    let config = Config::default().threads(threads).mapping(Mapping::Guarded);
    run(&config, &mut tasks, &Progress::default(), &mut CompleteRead(size))
        .expect("the sink takes everything");
}

#[test]
fn memory_for_a_huge_file_is_bounded() {
    // As the program does. Otherwise, buffers that earlier runs freed count too.
    truesum_fs::process::return_freed_blocks(MIB as u32);
    let folder = tempfile::tempdir().expect("a folder");
    let (data, tree) = (folder.path().join("data"), folder.path().join("data.ftr"));
    let size = 576 * MIB + 5;
    let block: Vec<u8> = (0..MIB as u32).map(|i| (i ^ (i >> 9)).wrapping_mul(97) as u8).collect();
    let mut file = std::fs::File::create(&data).expect("created");
    (0..576).for_each(|_| file.write_all(&block).expect("written"));
    file.write_all(b"odd").and_then(|()| file.write_all(b"ly")).expect("written");
    drop(file);
    for threads in [2, 24] {
        let most = 64 * MIB + 2 * MIB * threads as u64;
        // S3 parts take the most lanes, Glacier has many leaves, mtsum few and long ones.
        for names in ["s3-etag", "glacier", "sha256-tree;leaf=16MiB", "mtsum-md5", "md5-tree", "xxh3,crc32"] {
            hash(&data, names, size, threads);
            assert!(peak() <= most, "{names} on {threads} threads: {} MiB", peak() / MIB);
        }
        let plain_digests = ["xxh3", "crc32"].map(|name| name.parse().expect("a name"));
        for name in ["sha256-tree", "mtsum-md5"] {
            let saving = Saving::new(&tree).plain_digests(&plain_digests);
            let (spec, progress) = (name.parse().expect("a name"), Progress::default());
            save(&data, &spec, &saving, &Reading::new(&progress).threads(threads)).expect("saved");
            assert_eq!(progress.bytes(), size, "{name} and flat digests are had in one read");
            assert!(peak() <= most, "{name} saved on {threads} threads: {} MiB", peak() / MIB);
        }
    }
}
