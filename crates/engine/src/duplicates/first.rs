//! Files of the same size whose first blocks differ are not copies of each other. Comparing the
//! first blocks separates most files by reading a single page each.

use super::files::Files;
use super::report::{Event, Observer, Options, Report};
use crate::error::{Cause, Error};
use crate::io::memory_limit::thread;
use crate::io::open::{Root, Special};
use crate::progress::Progress;
use crate::run::config::cores;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use truesum_fs::name::OsStrExt;

/// The number of bytes compared first. Shorter files are read completely at once.
const BLOCK: u64 = 4096;

/// Returns the files that have the same size and beginning as another one, in order. `alike` are
/// the files that have the same size as another one.
pub(super) fn of_one_beginning(
    files: &Files,
    alike: Vec<u32>,
    options: &Options,
    progress: &Progress,
    report: &mut Report,
    on_event: &mut Observer<'_>,
) -> io::Result<Vec<u32>> {
    let keys = RandomState::new();
    let begins = |&at: &u32| files.size(at) > BLOCK && !files.is_counted(at);
    let (long, short): (Vec<u32>, Vec<u32>) = alike.into_iter().partition(begins);
    let mut begun = Vec::with_capacity(long.len());
    for (at, begin) in beginnings(files, &long, &keys, options, progress) {
        match begin {
            Ok(hash) => begun.push((files.size(at), hash, at)),
            Err(error) => {
                report.failed += 1;
                on_event(Event::Failed(&error))?;
            }
        }
    }
    begun.sort_unstable();
    let mut rest: Vec<u32> = begun
        .chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
        .filter(|files| files.len() > 1)
        .flatten()
        .map(|&(.., at)| at)
        .collect();
    rest.extend(short);
    rest.sort_unstable();
    Ok(rest)
}

type Beginning = (u32, Result<u64, Error>);

/// Returns the hash of the first block of each file, in order. Several threads read at the same time to keep the disk
/// busy.
fn beginnings(
    files: &Files,
    long: &[u32],
    keys: &RandomState,
    options: &Options,
    progress: &Progress,
) -> Vec<Beginning> {
    /// The maximum number of files for which starting a thread is not worthwhile.
    const FEW: usize = 64;
    let threads = if options.threads == 0 { cores() } else { options.threads };
    let share = long.len().div_ceil(threads.max(1)).max(FEW);
    let work = |share: &[u32]| -> Vec<Beginning> {
        let some = share.iter().take_while(|_| !progress.stopped());
        some.map(|&at| (at, beginning(files, at, keys))).collect()
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = long
            .chunks(share)
            .map(|share| {
                let builder = thread("first blocks").filter(|_| long.len() > FEW);
                let begun = builder.and_then(|builder| builder.spawn_scoped(scope, move || work(share)).ok());
                begun.ok_or(share)
            })
            .collect();
        running
            .into_iter()
            .flat_map(|begun| match begun {
                Ok(thread) => thread.join().expect("reading a block does not panic"),
                Err(share) => work(share),
            })
            .collect()
    })
}

fn beginning(files: &Files, at: u32, keys: &RandomState) -> Result<u64, Error> {
    let (name, anchor) = (files.path(at).as_os_str().as_bytes(), files.anchor(at));
    let anywhere = Root::Anywhere;
    let (root, path) = anchor.as_ref().map_or((&anywhere, name), |anchor| (anchor.root(), anchor.rest(name)));
    let (mut file, stat) = root.open(path, Special::Refuse).map_err(|error| error.under(name))?;
    if stat.size() != files.size(at) {
        return Err(Error::new(name, "read", Cause::Changed("its size differs".to_owned())));
    }
    let mut block = [0; BLOCK as usize];
    file.read_exact(&mut block).map_err(|error| Error::io(name, "read", error))?;
    Ok(keys.hash_one(block))
}
