//! The order in which a run reads files.

use super::*;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::job::{Job, Outcome};
use crate::run::order::{ReadMode, ReadOrder, SORTED};
use crate::task::Notice;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum_fs::name::OsStrExt;
use truesum_fs::open::{Root, Special};
use truesum_hash::Spec;

#[derive(Default)]
struct Outcomes(Vec<Outcome>);

impl Sink for Outcomes {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        self.0.push(outcome);
        Ok(())
    }

    fn notice(&mut self, _: Notice) -> io::Result<()> {
        Ok(())
    }
}

/// Files of all sizes that are read in different ways, large ones between small ones.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    const KIB: usize = 1 << 10;
    let mut sizes = vec![6000 * KIB, 3, 0, 5000 * KIB, 40 * KIB, 700 * KIB, 1500 * KIB, 100];
    sizes.extend([2500 * KIB; 9]);
    sizes.extend((0..90).map(|at| at * 997));
    sizes.extend([9000 * KIB, 300 * KIB, 1]);
    let file = |(at, size): (usize, usize)| {
        let data: Vec<u8> = (0..size).map(|byte| (byte ^ (byte >> 9) ^ at) as u8).collect();
        // The order of the names is not that of the files.
        let path = folder.join(format!("{}-{at}", at * 7 % 10));
        std::fs::write(&path, &data).unwrap();
        (path, data)
    };
    sizes.into_iter().enumerate().map(file).collect()
}

/// Hashes these files, compares the digests, and returns the files in the order in which they were read, once for each
/// uninterrupted sequence of reads. With `ascending`, no read of a file may be before the previous one.
fn reads(files: &[(PathBuf, Vec<u8>)], algorithms: &str, config: &Config, ascending: bool) -> Vec<usize> {
    let specs: Arc<[Spec]> = algorithms.split(',').map(|name| name.parse().unwrap()).collect();
    let id = |path: &PathBuf| {
        FileId::from(&Root::Anywhere.open(path.as_os_str().as_bytes(), Special::Refuse).unwrap().1)
    };
    let ids: Vec<FileId> = files.iter().map(|(path, _)| id(path)).collect();
    let (progress, mut outcomes) = (Progress::default(), Outcomes::default());
    let mut tasks = files.iter().map(|(path, _)| Task::File(Job::hash(path, &specs)));
    let summary = run(config, &mut tasks, &progress, &mut outcomes).unwrap();
    assert_eq!(summary.files(), files.len() as u64);
    for (outcome, (path, data)) in outcomes.0.iter().zip(files) {
        let found = outcome.result.as_ref().unwrap();
        let mut hashers: Vec<_> = specs.iter().map(|spec| spec.hasher_for_size(data.len() as u64)).collect();
        hashers.iter_mut().for_each(|hasher| hasher.update(data));
        let expected: Vec<_> = hashers.iter_mut().map(truesum_hash::Hasher::finish_reset).collect();
        assert_eq!(found.digests(), expected, "{algorithms} of {}", path.display());
    }
    let mut reads = progress.take_reads();
    let goes_back = reads.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 > pair[1].1);
    assert_eq!(goes_back.filter(|_| ascending), None, "{algorithms}");
    reads.dedup_by_key(|(id, _)| *id);
    reads.iter().map(|(read, _)| ids.iter().position(|id| id == read).unwrap()).collect()
}

/// Algorithms with and without lanes, made of pieces, made of large leaves, and several that share a read.
const ALGORITHMS: [&str; 6] =
    ["md5", "crc32", "blake3", "s3-etag;part=1MiB", "sha256,sha512", "sha3-256,crc32"];

#[test]
fn sequential_run_reads_each_file_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let in_order: Vec<usize> = (0..files.len()).collect();
    for algorithms in ALGORITHMS {
        // Empty files are read too: only that shows that they are empty.
        for mapping in [Mapping::Never, Mapping::Guarded] {
            for threads in [1, 0, 5] {
                let config = Config::default().threads(threads).mapping(mapping);
                let config = config.reads(ReadMode::default().sequential(threads != 1));
                // Pages in memory, which are mapped, have no position on a disk.
                let found = reads(&files, algorithms, &config, threads != 1 && mapping == Mapping::Never);
                assert_eq!(found, in_order, "{algorithms}, {threads} threads, {mapping:?}");
            }
        }
    }
}

#[test]
fn files_are_read_in_the_requested_order_and_reported_in_that_of_the_tasks() {
    let folder = tempfile::tempdir().unwrap();
    // More files than are sorted at a time, created in an order that is not that of the list.
    let mut list: Vec<(PathBuf, Vec<u8>)> = (0..250usize)
        .map(|at| {
            let (path, data) = (folder.path().join(at.to_string()), vec![at as u8; at * 7919 % 20_000]);
            let mut file = std::fs::File::create_new(&path).unwrap();
            file.write_all(&data).unwrap();
            // Before, the data may have no position on the disk.
            file.sync_all().unwrap();
            (path, data)
        })
        .collect();
    list.sort_by_key(|(_, data)| data.len() * 7 % 1000);
    let placement = |at: usize| Root::Anywhere.placement(list[at].0.as_os_str().as_bytes()).unwrap();
    let sorted = |order: ReadOrder| -> Vec<usize> {
        let mut all = Vec::new();
        for from in (0..list.len()).step_by(SORTED as usize) {
            let mut window: Vec<usize> = (from..list.len().min(from + SORTED as usize)).collect();
            match order {
                ReadOrder::Size => window.sort_by_key(|&at| std::cmp::Reverse(list[at].1.len())),
                ReadOrder::Physical => window.sort_by_key(|&at| placement(at)),
                ReadOrder::Fast | ReadOrder::Given => {}
            }
            all.extend(window);
        }
        all
    };
    let given: Vec<usize> = (0..list.len()).collect();
    assert!(sorted(ReadOrder::Size) != given && sorted(ReadOrder::Physical) != given);
    for order in [ReadOrder::Given, ReadOrder::Size, ReadOrder::Physical] {
        for threads in [1, 4] {
            let config =
                Config::default().threads(threads).reads(ReadMode::default().sequential(true).order(order));
            assert_eq!(reads(&list, "sha1", &config, true), sorted(order), "{order:?}, {threads} threads");
        }
        // `reads` compares the outcomes with the list, so their order is tested here, too.
        let config = Config::default().threads(4).reads(ReadMode::default().order(order));
        assert_eq!(reads(&list, "sha1", &config, false).iter().collect::<HashSet<_>>().len(), list.len());
    }
}

#[test]
fn files_share_lanes_unless_they_are_read_in_order() {
    // Otherwise, the other test would not show anything.
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let found = reads(&files, "md5", &Config::default().threads(2), false);
    assert!(found.len() > files.len(), "{} switches", found.len());
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), files.len());
}

#[test]
fn sequential_run_of_a_long_list_reads_in_order() {
    let folder = tempfile::tempdir().unwrap();
    // More than the feeder examines in advance.
    let files: Vec<(PathBuf, Vec<u8>)> = (0..4200usize)
        .map(|at| {
            let (path, data) = (folder.path().join(at.to_string()), vec![at as u8; at * 31 % 5000]);
            std::fs::write(&path, &data).unwrap();
            (path, data)
        })
        .collect();
    let found = reads(
        &files,
        "sha1",
        &Config::default().threads(3).reads(ReadMode::default().sequential(true)),
        true,
    );
    assert!(found.iter().copied().eq(0..files.len()));
}
